"""The wheel holds the package and nothing else, and works where there is no checkout."""

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

import rfop_env

ROOT = Path(__file__).parents[2]
LEFT_BEHIND = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist", "runs", "results", "baselines")
DATA = (
    "*.py", "py.typed", "games/*/components/*.toml", "games/*/RULES.md", "web/static/*", "replays/static/*",
    "drawing/fonts/*",
)  # fmt: skip
KERNEL = "compiled/game.play/stamp/game.play.key.nbc"
PIP = [sys.executable, "-m", "pip", "--no-input", "--disable-pip-version-check"]

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
COMMAND = """
import runpy
sys.argv = ["rfop", "list"]
runpy.run_path({script!r}, run_name="__main__")
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from a copy of the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(ROOT, folder / "checkout", ignore=LEFT_BEHIND)
    kernel = folder / "checkout" / "rfop_env" / KERNEL
    kernel.parent.mkdir(parents=True, exist_ok=True)
    kernel.write_bytes(b"as `rfop compile --shared` writes them")
    run([*PIP, "wheel", "--no-index", "--no-deps", "--no-build-isolation", "-w", folder, folder / "checkout"], folder)
    (found,) = folder.glob("*.whl")
    shutil.rmtree(folder / "checkout")
    return found


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The folder that it is installed into."""
    folder = tmp_path_factory.mktemp("installed")
    run([*PIP, "install", "--no-index", "--no-deps", "--target", folder, wheel], folder)
    return folder


def run(command, folder):
    """What a command prints, run in a folder outside of the checkout with rules as plain Python."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")} | {"RFOP_JIT": "0"}
    done = subprocess.run(
        [*map(str, command)], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run_alone(code, installed, folder):
    """What Python code prints that sees the installed wheel and no checkout."""
    paths = [str(installed), *dict.fromkeys((sysconfig.get_path("purelib"), sysconfig.get_path("platlib")))]
    head = ALONE.format(paths=paths, installed=str(installed))
    return run([sys.executable, "-I", "-S", "-c", head + code], folder)


def faults_of(names):
    """What is missing from a list of the wheel's files, and what does not belong there."""
    package = ROOT / "rfop_env"
    wanted = {path.relative_to(ROOT).as_posix() for pattern in DATA for path in package.rglob(pattern)}
    parts = {name.split("/")[0] for name in names}
    expected = {"rfop_env", f"rfop_env-{rfop_env.__version__}.dist-info"}
    return sorted(wanted - set(names)), sorted(parts - expected)


def test_the_wheel_holds_the_package_its_components_and_rules_and_nothing_else(wheel):
    assert faults_of(zipfile.ZipFile(wheel).namelist()) == ([], [])


def test_the_wheel_takes_compiled_kernels_along(wheel):
    assert f"rfop_env/{KERNEL}" in zipfile.ZipFile(wheel).namelist()


@pytest.mark.parametrize("name", ["py.typed", "games/paris/RULES.md", "games/revolution/components/published.toml"])
def test_a_missing_file_is_noticed(wheel, name):
    names = zipfile.ZipFile(wheel).namelist()
    names.remove(f"rfop_env/{name}")
    assert faults_of(names) == ([f"rfop_env/{name}"], [])


def test_a_package_that_does_not_belong_there_is_noticed(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert faults_of([*names, "agents/__init__.py", "tests/toy_game.py"]) == ([], ["agents", "tests"])


def test_a_game_of_every_environment_is_played_without_the_checkout(installed, tmp_path):
    lines = run_alone(PLAY, installed, tmp_path).splitlines()
    assert [line.split(" ")[0] for line in lines] == rfop_env.list_games()
    assert not any(line.endswith("running") for line in lines)


def test_the_command_runs_without_the_checkout(installed, tmp_path):
    script = installed / "bin" / "rfop"
    shown = run_alone(COMMAND.format(script=str(script)), installed, tmp_path)
    assert all(name in shown for name in rfop_env.list_games())


def test_code_that_leans_on_the_checkout_fails_there(installed, tmp_path):
    with pytest.raises(AssertionError, match="No module named 'agents'"):
        run_alone("import agents", installed, tmp_path)
