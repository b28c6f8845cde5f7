"""A run of self-play that is killed at random moments and goes on ends where an uninterrupted one does, bit by bit."""

from __future__ import annotations

import csv
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from agents.network import MODEL, read_network
from training.run_folder import CHECKPOINT, CURVE, PROGRESS, read_card

SCRIPT, ROOT = Path(__file__).with_name("toy_runs.py"), Path(__file__).parents[2]
SETTINGS = {
    "env": "ToyTurns-v0", "envs": 16, "rollout": 8, "batch": 64, "width": 16, "core": 4, "restarts": 0.3,
    "opponents": "self=0.5,past=0.5", "pool-every": 3, "pool": 4, "evaluate-deals": 2, "evaluate-every": 0,
    "checkpoint-every": 0,
}  # fmt: skip
OWN = ("seconds", "steps_per_second")  # columns that tell of the clock
PATIENCE = 120.0  # seconds that a process gets for anything


def start(run: Path, steps: int) -> subprocess.Popen[bytes]:
    """A process that begins the run, or goes on with it."""
    resume = ["--resume"] if (run / CHECKPOINT).exists() else []
    words = [word for name, value in SETTINGS.items() for word in (f"--{name}", str(value))]
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), "ppo_self_play", f"--run={run}", f"--steps={steps}", "--quiet", *words, *resume],
        env=os.environ | {"PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip


def finish(process: subprocess.Popen[bytes]) -> None:
    told = process.communicate(timeout=10 * PATIENCE)[1].decode()
    assert process.returncode == 0, told


def updates_of(run: Path) -> int:
    path = run / PROGRESS
    return path.read_bytes().count(b"\n") if path.exists() else 0


def kill_once(run: Path, steps: int, rng: random.Random) -> bool:
    """Begin or go on, and kill the process after a few updates more, or before; whether it still ran then."""
    process, before, more = start(run, steps), updates_of(run), rng.choice([0, 0, 1, 1, 2, 3, 5])
    patient = time.monotonic() + PATIENCE
    while process.poll() is None and updates_of(run) < before + more and time.monotonic() < patient:
        time.sleep(0.002)
    time.sleep(rng.uniform(0, 3.0 if more == 0 else 0.1))
    running = process.poll() is None
    if running:
        process.send_signal(signal.SIGKILL)
    told = process.communicate(timeout=PATIENCE)[1].decode()
    assert running or process.returncode == 0, told
    return running


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return [{k: v for k, v in row.items() if k not in OWN} for row in csv.DictReader(file)]


def is_whole(run: Path) -> None:
    """Every file that is there can be read to its end."""
    for path in [*run.glob("*.safetensors"), *run.glob("checkpoints/*.safetensors")]:
        read_network(path)
    if (run / CHECKPOINT).exists():
        torch.load(run / CHECKPOINT, weights_only=True)
    if (run / "run.json").exists():
        read_card(run)
    for name in (PROGRESS, CURVE):
        if (run / name).exists():
            assert (run / name).read_bytes().endswith(b"\n") and all(
                None not in row.values() for row in rows(run / name)
            )


def killed_and_whole(tmp_path: Path, kills: int, steps: int, seed: int) -> None:
    whole, killed, rng = tmp_path / "whole", tmp_path / "killed", random.Random(seed)
    finish(start(whole, steps))
    done = 0
    for _ in range(10 * kills):
        if done == kills:
            break
        done += kill_once(killed, steps, rng)
        is_whole(killed)
    assert done == kills
    finish(start(killed, steps))
    is_whole(killed)

    first, second = (read_network(run / MODEL)[0] for run in (whole, killed))
    assert first.keys() == second.keys() and all((first[name] == second[name]).all() for name in first)
    assert rows(whole / PROGRESS) == rows(killed / PROGRESS)
    assert rows(whole / CURVE) == rows(killed / CURVE)
    assert not list(killed.glob("**/.*.part"))


def test_a_run_killed_twice_ends_as_if_it_had_not_been(tmp_path):
    killed_and_whole(tmp_path, kills=2, steps=3000, seed=1)


@pytest.mark.slow
def test_a_run_killed_twenty_times_ends_as_if_it_had_not_been(tmp_path):
    killed_and_whole(tmp_path, kills=20, steps=20_000, seed=2)
