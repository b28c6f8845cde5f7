"""The commands in published files: each is one that the present trainers accept, so that it can be run again."""

from __future__ import annotations

import csv
import shlex
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from rfop_agents import baselines
from rfop_agents.network import read_network
from rfop_training.expert_iteration import ExpertArguments
from rfop_training.maskable import MaskableArguments
from rfop_training.ppo import PPOArguments
from rfop_training.run_arguments import command_text, parse_arguments
from training.research.publishing.jobs import Job, read_config
from training.research.publishing.results import FULL, RESULTS

TRAINERS = {
    "ppo": PPOArguments,
    "expert": ExpertArguments,
    "maskable": MaskableArguments,
}

DROPPED = ("central_critic", "gru_size", "prioritised", "restarts")  # arguments of earlier versions


def parsed(command: str):
    """The arguments of a command line of a trainer, by the trainer's own parser."""
    program, verb, trainer, *words = shlex.split(command)
    assert (program, verb) == ("rfop", "train")
    return parse_arguments(TRAINERS[trainer], words)


def published_commands() -> list[str]:
    """The command lines of trainers in the files of results and in the metadata of baselines."""
    commands = []
    for name in ("runs.csv", "kept.csv"):
        with (RESULTS / name).open(newline="") as file:
            commands += [row["command"] for row in csv.DictReader(file)]
    commands += [one for name in baselines.all_names() for one in baselines.read_metadata(name).command.split("; ")]
    return sorted({command for command in commands if command.startswith("rfop train ")})


def test_every_published_command_is_accepted_by_its_trainer():
    for command in published_commands():
        arguments = parsed(command)
        assert arguments.steps > 0 or arguments.minutes > 0, command


@pytest.mark.parametrize("curve", read_config(), ids=lambda curve: curve.name)
def test_a_configured_curve_is_accepted_by_its_trainer(curve):
    arguments = parsed(shlex.join(["rfop", *Job(curve, FULL, 1, Path("runs")).words]))
    assert (arguments.env, arguments.steps, arguments.seed) == (curve.env, curve.full, 1)


@pytest.mark.parametrize("module", TRAINERS)
def test_where_another_program_trains_the_command_is_written_from_the_arguments(module):
    changes = {"run": Path("my runs/one"), "option": "players=3,screens=open", "steps": 2000, "quiet": True}
    arguments = TRAINERS[module](env="Paris-v0", learning_rate=1e-5, **changes)
    assert parsed(command_text(module, arguments)) == arguments
    assert command_text(module, TRAINERS[module]()) == f"rfop train {module}"


def test_where_the_trainer_is_called_the_command_is_the_typed_one(monkeypatch):
    typed = ["--seed", "1", "--run", "my runs/one"]
    monkeypatch.setattr(sys, "argv", ["rfop", "train", "ppo", *typed])
    command = command_text("ppo", PPOArguments())
    assert command == "rfop train ppo --seed 1 --run 'my runs/one'"


@pytest.mark.parametrize("name", [name for name in baselines.all_names() if not name.startswith("red-flag/")])
def test_the_arguments_in_a_baseline_are_those_of_the_trainer(name):
    module = shlex.split(baselines.read_metadata(name).command)[2]
    arguments = read_network(baselines.baseline_path(name))[1]["arguments"]
    assert not any(arguments.pop(name, None) for name in DROPPED)  # no shipped network used them
    assert arguments.keys() <= {f.name for f in fields(TRAINERS[module])}  # some came after it was trained
