"""A run that is killed at random moments and resumed ends, bit by bit, where an uninterrupted one does."""

from __future__ import annotations

import csv
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import toy_runs
import torch

from rfop_env.cli.main import main as rfop
from rfop_agents.network import MODEL, read_network
from rfop_training.run import RunFolder

ROOT = Path(__file__).parents[2]
SHARED = {
    "env": "ToyTurns-v0",
    "num-envs": 16,
    "num-steps": 8,
    "minibatch-size": 64,
    "width": 16,
    "threads": 2,
    "evaluate-deals": 2,
    "evaluate-every": 0,
    "checkpoint-every": 0,
}
SETTINGS = {  # of each trainer
    "ppo": SHARED | {"opponents": "self=0.5,past=0.5", "pool-every": 3, "pool": 4},
    "expert": SHARED | {"simulations": 4, "search-share": 0.25, "buffer-size": 512},
}
SELDOM = {"evaluate-every": 1e6, "checkpoint-every": 1e6, "threads": 1}
STOPPED = {  # the settings of trainers that SIGTERM stops
    **{trainer: settings | SELDOM for trainer, settings in SETTINGS.items()},
    "maskable": {name: SHARED[name] for name in SHARED if name != "env"} | SELDOM | {"env": "ToyDice-v0"},
}
OWN = ("seconds", "processor_seconds", "steps_per_second")  # columns that tell of the clock
PATIENCE = 120.0  # seconds that a process gets for anything


def words_of(settings: dict[str, object], run: Path, steps: int) -> list[str]:
    """The words of the command that begins the run, or resumes it."""
    resume = ["--resume"] if RunFolder(run).checkpoint.exists() else []
    words = [word for name, value in settings.items() for word in (f"--{name}", str(value))]
    return [f"--run={run}", f"--steps={steps}", "--quiet", *words, *resume]


def start(
    trainer: str, settings: dict[str, object], run: Path, steps: int, **variables: str
) -> subprocess.Popen[bytes]:
    """The command as a process that can be killed."""
    return subprocess.Popen(
        [sys.executable, toy_runs.__file__, "train", trainer, *words_of(settings, run, steps)],
        env=os.environ | {"PYTHONPATH": str(ROOT)} | variables, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip


def finish(trainer: str, run: Path, steps: int) -> None:
    """The command in this process, to the end of the run."""
    with toy_runs.toys():
        assert rfop(["train", trainer, *words_of(SETTINGS[trainer], run, steps)]) == 0


def updates_of(run: Path) -> int:
    path = RunFolder(run).progress
    return path.read_bytes().count(b"\n") if path.exists() else 0


def kill_once(trainer: str, run: Path, steps: int, rng: random.Random) -> bool:
    """Start or resume the run, and kill the process after a few more updates, or before; whether it still ran."""
    process = start(trainer, SETTINGS[trainer], run, steps)
    updates, extra = updates_of(run), rng.choice([0, 0, 1, 1, 2, 3, 5])
    patient = time.monotonic() + PATIENCE
    while process.poll() is None and updates_of(run) < updates + extra and time.monotonic() < patient:
        time.sleep(0.002)
    time.sleep(rng.uniform(0, 3.0 if extra == 0 else 0.1))
    running = process.poll() is None
    if running:
        process.send_signal(signal.SIGKILL)
    error = process.communicate(timeout=PATIENCE)[1].decode()
    assert running or process.returncode == 0, error
    return running


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return [{k: v for k, v in row.items() if k not in OWN} for row in csv.DictReader(file)]


def is_whole(run: Path) -> None:
    """Every file that is there can be read to its end."""
    for path in [*run.glob("*.safetensors"), *run.glob("checkpoints/*.safetensors")]:
        read_network(path)
    if RunFolder(run).checkpoint.exists():
        torch.load(RunFolder(run).checkpoint, weights_only=True)
    if RunFolder(run).metadata.exists():
        RunFolder(run).read_metadata()
    for path in (RunFolder(run).progress, RunFolder(run).curve):
        if path.exists():
            assert path.read_bytes().endswith(b"\n") and all(None not in row.values() for row in rows(path))


def killed_and_whole(trainer: str, tmp_path: Path, kills: int, steps: int, seed: int) -> None:
    uninterrupted, killed, rng = tmp_path / "whole", tmp_path / "killed", random.Random(seed)
    finish(trainer, uninterrupted, steps)
    done = 0
    for _ in range(10 * kills):
        if done == kills:
            break
        done += kill_once(trainer, killed, steps, rng)
        is_whole(killed)
    assert done == kills
    finish(trainer, killed, steps)
    is_whole(killed)

    first, second = (read_network(run / MODEL)[0] for run in (uninterrupted, killed))
    assert first.keys() == second.keys() and all((first[name] == second[name]).all() for name in first)
    assert rows(RunFolder(uninterrupted).progress) == rows(RunFolder(killed).progress)
    assert rows(RunFolder(uninterrupted).curve) == rows(RunFolder(killed).curve)
    assert not list(killed.glob("**/.*.part"))


@pytest.mark.parametrize("trainer", SETTINGS)
def test_a_run_killed_twice_ends_as_if_it_had_not_been(trainer, tmp_path):
    killed_and_whole(trainer, tmp_path, kills=2, steps=3000, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("trainer", SETTINGS)
def test_a_run_killed_twenty_times_ends_as_if_it_had_not_been(trainer, tmp_path):
    killed_and_whole(trainer, tmp_path, kills=20, steps=20_000, seed=2)


@pytest.mark.parametrize("trainer", STOPPED)
def test_sigterm_saves_a_run_as_ctrl_c_does(trainer, tmp_path):
    run = tmp_path / "run"
    process = start(trainer, STOPPED[trainer], run, 10**9, RFOP_JIT="0")
    patient = time.monotonic() + PATIENCE
    while process.poll() is None and updates_of(run) < 3 and time.monotonic() < patient:
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    error = process.communicate(timeout=PATIENCE)[1].decode()
    assert process.returncode == 143, error
    stopped = re.search(r"stopped at ([\d,]+) steps; the model is .*; continue with --resume", error)
    assert stopped, error

    # What it had reached is there.
    assert RunFolder(run).checkpoint.exists()
    assert read_network(run / MODEL)[1]["steps"] == int(stopped[1].replace(",", "")) > 0
    is_whole(run)
