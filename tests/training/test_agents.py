"""Agents: legal, reproducible, blind to what is hidden, and as strong in comparison as their names say."""

from __future__ import annotations

import numpy as np
import pytest

import rfop_agents
from rfop_env.agent import Positions, act_for, random_legal
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.games.red_flag_over_paris.game import solo, two_player
from rfop_env.registry import get_game
from rfop_training.evaluation.rows import pair

NAMES = ["random", "greedy", "solo-opponent"]


def midgame(n: int = 32, steps: int = 25) -> GameBatch:
    batch = GameBatch(two_player(), n, seed=5)
    batch.step_random(steps)
    return batch


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("game", [two_player(), solo()], ids=["two_player", "solo"])
def test_an_agent_plays_whole_games_legally(name, game):
    batch, agent, rng = GameBatch(game, 6, seed=3), rfop_agents.load(name, game), np.random.default_rng(0)
    for _ in range(game.spec.max_decisions):
        running = np.flatnonzero(batch.states["over"] == 0)
        if not len(running):
            return
        actions = np.full(6, -1)
        actions[running] = act_for(agent, batch, running, rng)
        batch.step(actions)  # raises on an illegal action
    pytest.fail("games did not end")


@pytest.mark.parametrize("name", NAMES)
def test_an_agent_chooses_the_same_with_the_same_random_numbers(name):
    batch, agent = midgame(), rfop_agents.load(name, two_player())
    games = np.arange(32)
    first = act_for(agent, batch, games, np.random.default_rng(1))
    assert (first == act_for(agent, batch, games, np.random.default_rng(1))).all()


@pytest.mark.parametrize("name", ["greedy", "solo-opponent"])
def test_an_agent_that_looks_ahead_reads_nothing_hidden(name):
    batch, agent = midgame(), rfop_agents.load(name, two_player())
    games = np.arange(32)
    chosen = act_for(agent, batch, games, np.random.default_rng(1))
    determinized = Positions(batch, games, np.random.default_rng(1)).determinize()
    assert (determinized["zone"] != batch.states["zone"]).any(axis=1).mean() > 0.9  # it did not see the true cards
    assert batch.action_mask[games, chosen].all()


def test_positions_keep_what_the_seat_sees():
    batch = midgame()
    guess = batch.clone()
    guess.set_state(Positions(batch, np.arange(32), np.random.default_rng(2)).determinize()[0])
    assert (guess.observation == batch.observation).all()
    assert (guess.action_mask == batch.action_mask).all()


def test_random_play_is_uniform_over_legal_actions():
    mask = np.zeros((6000, 5), np.bool_)
    mask[:, [0, 2, 3]] = True
    counts = np.bincount(random_legal(mask, np.random.default_rng(0)), minlength=5)
    assert counts[[1, 4]].sum() == 0
    assert abs(counts[[0, 2, 3]] - 2000).max() < 150


@pytest.mark.parametrize(("strong", "weak"), [("greedy", "random"), ("solo-opponent", "random")])
def test_ready_made_agents_beat_random_play(strong, weak):
    game = two_player()
    both = pair(game, rfop_agents.load(strong, game), rfop_agents.load(weak, game), range(150))[-1]
    assert both.low > 0.6


def test_greedy_says_which_game_has_its_value():
    with pytest.raises(RfopError, match="greedy: Paris-v0 has no hand-made value"):
        rfop_agents.load("greedy", get_game("Paris-v0"))


def test_unknown_agents_are_refused_with_the_nearest_name():
    with pytest.raises(UnknownName, match="did you mean 'greedy'"):
        rfop_agents.load("gredy", two_player())
