"""The wheel holds the three packages and nothing else, and works where there is no checkout."""

import sys
import sysconfig
import zipfile

import pytest

import rfop_env
from rfop_agents import baselines
from tests.packaging.conftest import PIP, build_wheel, run

PACKAGES = {"rfop_env": "rfop_env", "rfop_agents": "agents/rfop_agents", "rfop_training": "training/rfop_training"}
INFORMATION = f"rfop_env-{rfop_env.__version__}.dist-info"
MOST_BYTES = 12_000_000

# Python without its site: no checkout that is installed for development, only the wheel and what it depends on.
ALONE = """
import sys
sys.path += {paths!r}
import rfop_env
assert rfop_env.__file__.startswith({installed!r}), rfop_env.__file__
"""
PLAY = """
for name in rfop_env.list_games():
    batch = rfop_env.make_batch(name, num_games=1, seed=1)
    while not batch.terminated[0]:
        batch.step_random(50)
    print(name, batch.game.end_reasons[batch.end_reason[0]])
outside = [m for m in sys.modules if m.split(".")[0] in ("agents", "training", "tests")]
assert not outside, outside
"""
NETWORKS = """
import numpy as np
import rfop_agents
from rfop_agents import baselines
from rfop_env.core.batch import GameBatch
from rfop_env.registry import get_game, list_games

assert rfop_agents.__file__.startswith({installed!r}), rfop_agents.__file__
for game in map(get_game, list_games()):
    batch = GameBatch(game, 1, seed=1)
    for name in baselines.names(game):
        metadata = baselines.read_metadata(name)
        if metadata.env == game.id:
            action = rfop_agents.load(name, game).act(batch.observation, batch.action_mask, np.random.default_rng(0))
            assert batch.action_mask[0, action[0]], name
            print(name)
assert "torch" not in sys.modules
"""
COMMAND = """
import runpy
sys.argv = ["rfop", "list"]
runpy.run_path({script!r}, run_name="__main__")
"""


@pytest.fixture(scope="module")
def wheel(checkout):
    """The wheel."""
    return build_wheel(checkout, checkout.parent)


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The folder that it is installed into."""
    folder = tmp_path_factory.mktemp("installed")
    run([sys.executable, *PIP, "install", "--no-index", "--no-deps", "--target", folder, wheel], folder)
    return folder


def run_alone(code, installed, folder):
    """What Python code prints that sees the installed wheel and no checkout, with rules as plain Python."""
    paths = [str(installed), *dict.fromkeys((sysconfig.get_path("purelib"), sysconfig.get_path("platlib")))]
    head = ALONE.format(paths=paths, installed=str(installed))
    return run([sys.executable, "-I", "-S", "-c", head + code], folder, RFOP_JIT="0")


def names_in(wheel):
    """The files of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def faults_of(names, tracked):
    """What is missing from a list of the wheel's files, and what does not belong there."""
    wanted = {
        package + name.removeprefix(folder)
        for package, folder in PACKAGES.items()
        for name in tracked
        if name.startswith(folder + "/")
    }
    wanted |= {f"{INFORMATION}/{file}" for file in ("METADATA", "RECORD", "WHEEL", "entry_points.txt")}
    wanted |= {f"{INFORMATION}/licenses/LICENSE", f"{INFORMATION}/top_level.txt"}
    return sorted(wanted - set(names)), sorted(set(names) - wanted)


def test_the_wheel_holds_the_three_packages_whole_and_nothing_else(wheel, tracked):
    assert faults_of(names_in(wheel), tracked) == ([], [])


def test_the_wheel_is_small(wheel):
    assert wheel.stat().st_size < MOST_BYTES


@pytest.mark.parametrize(
    "name",
    [
        f"{INFORMATION}/licenses/LICENSE",
        "rfop_agents/baselines/revolution/ppo-2.safetensors",
        "rfop_agents/py.typed",
        "rfop_env/games/paris/RULES.md",
        "rfop_env/games/revolution/components/published.toml",
        "rfop_env/py.typed",
        "rfop_env/web/static/page.js",
        "rfop_training/evaluation/ladder.toml",
        "rfop_training/py.typed",
    ],
)
def test_a_missing_file_is_noticed(wheel, tracked, name):
    names = names_in(wheel)
    names.remove(name)
    assert faults_of(names, tracked) == ([name], [])


def test_a_package_that_does_not_belong_there_is_noticed(wheel, tracked):
    more = ["agents/__init__.py", "tests/toy_game.py"]
    assert faults_of([*names_in(wheel), *more], tracked) == ([], more)


def test_the_wheel_is_for_every_platform(wheel):
    assert wheel.name.endswith("-py3-none-any.whl")


def test_a_game_of_every_environment_is_played_without_the_checkout(installed, tmp_path):
    lines = run_alone(PLAY, installed, tmp_path).splitlines()
    assert [line.split(" ")[0] for line in lines] == rfop_env.list_games()
    assert not any(line.endswith("running") for line in lines)


def test_every_network_plays_without_the_checkout_and_without_torch(installed, tmp_path):
    lines = run_alone(NETWORKS.format(installed=str(installed)), installed, tmp_path).splitlines()
    assert sorted(lines) == sorted(baselines.all_names())


def test_the_command_runs_without_the_checkout(installed, tmp_path):
    script = installed / "bin" / "rfop"
    shown = run_alone(COMMAND.format(script=str(script)), installed, tmp_path)
    assert all(name in shown for name in rfop_env.list_games())


def test_code_that_leans_on_the_checkout_fails_there(installed, tmp_path):
    with pytest.raises(AssertionError, match="No module named 'agents'"):
        run_alone("import agents", installed, tmp_path)
