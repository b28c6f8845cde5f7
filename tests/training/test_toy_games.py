"""A correct trainer solves every toy game in seconds; trainers broken on purpose are seen failing."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch

from rfop_agents.network import NetworkAgent
from rfop_env.testing.random_play import play_random
from rfop_training.ppo import PPOArguments, PPOTrainer, RolloutBuffer
from toy_games import toy, worst_seat


@dataclass(frozen=True)
class Task:
    """How long to train on a toy, and what perfect play scores against a random player."""

    steps: int
    perfect: float
    chance: float  # what random play scores


TASKS = {
    "bandit": Task(30_000, 63.5, 39.5),
    "sign": Task(20_000, 0.5, 0.0),
    "turns": Task(45_000, 3.0, 0.0),
    "dice": Task(45_000, 9.0, 3.8),
}
SMALL = {
    "num_envs": 64,
    "num_steps": 16,
    "minibatch_size": 512,
    "update_epochs": 4,
    "width": 32,
    "layers": 1,
    "learning_rate": 3e-3,
    "opponents": "self=1",
    "ent_coef": 0.02,
    "final_ent_coef": 0.0,
}


def solved(name: str, **changes) -> float:
    """Train, and play against random players: 1 is perfect, 0 random; of the worst seat."""
    game, task = toy(name), TASKS[name]
    trainer = PPOTrainer(PPOArguments(**SMALL | {"steps": task.steps} | changes), game, game.load_components(None))
    while trainer.steps < task.steps:
        progress = trainer.steps / task.steps
        trainer.update(progress, trainer.args.learning_rate * (1.0 - 0.9 * progress))
    agent = NetworkAgent.from_weights(trainer.to_arrays(), "learner")
    return (worst_seat(game, agent, 2000) - task.chance) / (task.perfect - task.chance)


@pytest.mark.parametrize("name", TASKS)
def test_a_toy_keeps_the_invariants_of_a_game(name):
    assert play_random(toy(name), games=8).games >= 8


@pytest.mark.parametrize("name", TASKS)
def test_the_trainer_solves_it(name):
    assert solved(name) > 0.93


def test_two_threads_solve_a_toy():
    assert solved("turns", threads=2, opponents="self=0.5,past=0.5", pool_every=3) > 0.93


def test_past_selves_and_a_magnet_are_no_hindrance():
    arguments = {"opponents": "self=0.5,past=0.3,random=0.2", "magnet": 0.05, "pool_every": 3}
    assert solved("turns", **arguments) > 0.93


# -- broken on purpose -------------------------------------------------------------------------------------------------


ADD_REWARDS = RolloutBuffer.add_rewards


def reward_the_mover(self, rewards, terminated):
    newest = self.open_index.amax(dim=1, keepdim=True)
    ADD_REWARDS(self, torch.where(self.open_index == newest, rewards, 0.0), terminated)


def test_rewards_for_the_mover_alone_fail_the_sign_game(monkeypatch):
    monkeypatch.setattr(RolloutBuffer, "add_rewards", reward_the_mover)
    assert solved("sign") < 0.7


def test_a_discount_for_every_decision_fails_the_game_of_dice():
    assert solved("dice", gamma=0.7) < 0.9
