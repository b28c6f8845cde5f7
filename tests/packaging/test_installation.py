"""Wheel and source distribution, in a fresh virtual environment and used from an empty folder (`make wheel-test`).

The tests follow each other: what an installation without extras can do comes first, then torch and trainers are added.
"""

import os
import re
import subprocess
import sys
import urllib.request

import pytest

from rfop_agents import baselines
from tests.docs.code_blocks import find_blocks
from tests.packaging.conftest import PIP, ROOT, build_sdist, build_wheel, run

pytestmark = pytest.mark.wheel

TORCH = re.search(r"^torch==\S+", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)[0]
PAGE = "docs/evaluate.md"
PLAY = """
import importlib.util

import gymnasium
import numpy as np

import rfop_agents
import rfop_env
from rfop_agents import baselines
from rfop_env.agent import act_for
from rfop_env.core.batch import GameBatch
from rfop_env.registry import get_game

assert importlib.util.find_spec("torch") is None
assert "site-packages" in rfop_env.__file__ and "site-packages" in rfop_agents.__file__

env = gymnasium.make("rfop/RedFlagOverParisSolo-v1", side="commune")
observation, info = env.reset(seed=1)
terminated = False
while not terminated:
    observation, reward, terminated, truncated, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))

game = get_game("Revolution-v0")
batch, rng = GameBatch(game, 1, seed=1), np.random.default_rng(0)
agents = [rfop_agents.load(name, game) for name in ("scripted", "search-8+revolution/ppo-2")]
for turn in range(6):
    batch.step(act_for(agents[turn % 2], batch, np.arange(1), rng))
print(reward, len(baselines.all_names()))
"""
FILES = """
from importlib.metadata import files
names = [str(file) for file in files("rfop-env") if "__pycache__" not in file.parts]
print(*sorted(name for name in names if name.startswith("rfop_") and ".dist-info" not in name), sep="\\n")
"""


@pytest.fixture(scope="module")
def wheel(checkout):
    """The wheel."""
    return build_wheel(checkout, checkout.parent)


@pytest.fixture(scope="module")
def plain(wheel, tmp_path_factory):
    """The folder of programs of a virtual environment with the wheel and what it depends on."""
    folder = tmp_path_factory.mktemp("environment")
    run([sys.executable, "-m", "venv", folder / "venv"], folder)
    programs = folder / "venv" / "bin"
    run([programs / "python", *PIP, "install", wheel], folder)
    return programs


@pytest.fixture(scope="module")
def evaluating(plain, wheel):
    """The same with what evaluation needs."""
    run([plain / "python", *PIP, "install", f"{wheel}[evaluate]"], plain.parent)
    return plain


@pytest.fixture(scope="module")
def whole(plain, wheel):
    """The same with torch, the trainers and the page."""
    run([plain / "python", *PIP, "install", TORCH], plain.parent)
    run([plain / "python", *PIP, "install", f"{wheel}[train,play]"], plain.parent)
    return plain


def test_environments_agents_and_networks_need_no_extra(plain, tmp_path):
    reward, networks = run([plain / "python", "-c", PLAY], tmp_path, RFOP_QUIET="1").split()
    assert -1 <= float(reward) <= 1 and int(networks) == len(baselines.all_names())


@pytest.mark.parametrize(
    ("words", "lacking"),
    [
        (["train", "ppo", "--steps", "1000"], "torch, of the extra `train`"),
        (["evaluate", "random", "--env", "LeveeEnMasse-v0", "--deals", "2"], "tqdm, of the extra `evaluate`"),
    ],
    ids=["train", "evaluate"],
)
def test_commands_say_what_they_lack(plain, tmp_path, words, lacking):
    said = run([plain / "rfop", *words], tmp_path, status=2)
    assert lacking in said and said.count("\n") == 1


def test_commands_are_completed_though_some_lack_something(plain, tmp_path):
    assert all(word in run([plain / "rfop", "completion", "bash"], tmp_path) for word in ("--deals", "maskable"))


def test_agents_are_evaluated_without_torch(evaluating, tmp_path):
    words = ["evaluate", "--env", "Revolution-v0", "scripted", "revolution/ppo-4", "--deals", "4"]
    assert "| scripted | revolution/ppo-4 | all | 8 |" in run([evaluating / "rfop", *words], tmp_path)
    assert "No module named 'torch'" in run([evaluating / "python", "-c", "import torch"], tmp_path, status=1)


def test_a_network_is_trained_resumed_and_played(whole, tmp_path):
    train = [whole / "rfop", "train", "ppo", "--env", "Revolution-v0", "--run", "runs/mine", "--quiet"]
    run([*train, "--minutes", "0.33"], tmp_path)
    run([*train, "--minutes", "0.05", "--resume"], tmp_path)
    words = ["evaluate", "--env", "Revolution-v0", "runs/mine", "random", "--deals", "4"]
    assert "| mine#" in run([whole / "rfop", *words], tmp_path)


def test_the_page_is_served(whole, tmp_path):
    words = [whole / "rfop", "serve", "--no-browser"]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")} | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True) as server:
        try:
            link = next(found[0] for line in server.stdout if (found := re.search(r"http://\S+", line)))
            with urllib.request.urlopen(link, timeout=60) as answer:
                assert answer.status == 200 and b"<html" in answer.read()
        finally:
            server.terminate()


def test_the_blocks_of_a_page_run(whole, tmp_path):
    blocks = [source for source in find_blocks(PAGE, "python").values() if "rfop_training.evaluation.rows" in source]
    assert blocks
    for source in blocks:
        run([whole / "python", "-c", source], tmp_path)


def test_the_source_distribution_installs_the_same_files(whole, checkout, tmp_path):
    files = run([whole / "python", "-c", FILES], tmp_path)
    run([whole / "python", *PIP, "install", "--no-deps", "--force-reinstall", build_sdist(checkout)], tmp_path)
    assert run([whole / "python", "-c", FILES], tmp_path) == files
    assert "Revolution-v0" in run([whole / "rfop", "list"], tmp_path)
