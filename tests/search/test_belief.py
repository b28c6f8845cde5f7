"""Beliefs of what a seat cannot see: what searches and rollouts make of one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rfop_agents.belief import Belief, UniformBelief
from rfop_agents.rollouts import RolloutAgent, RolloutSettings
from rfop_agents.search import PLAIN, SearchAgent
from rfop_env.agent import Positions, act_for
from rfop_env.core.batch import GameBatch
from table_game import COINS, table_game
from test_response import PUNISHING, Fixed, punish_with_heads
from test_search import Fake

GAMES = 3


class Coins(Belief):
    """That the coin shows heads in so many of every ten samples."""

    def __init__(self, heads):
        self.heads = heads

    def sample(self, positions, copies, rng):
        records = positions.determinize(copies)
        records["coin"] = np.arange(copies)[:, None] % 10 >= self.heads
        return records


def looking(kind, belief, budget=150):
    """The agent that looks ahead from the first row, where the last seat punishes with heads; seat 0 sees no coin."""
    batch = GameBatch(table_game(), GAMES, 5, components=PUNISHING)
    batch.states["coin"] = np.arange(GAMES) % COINS
    opponent = Fixed(punish_with_heads)
    if kind == "rollouts":
        settings = RolloutSettings(draws=budget, length=4)
        agent = RolloutAgent(table_game(), Fake({}, liked=1), settings, opponent=opponent, belief=belief)
    else:
        settings = replace(PLAIN, simulations=budget, root=kind)
        agent = SearchAgent(table_game(), settings, opponent=opponent, belief=belief)
    actions = act_for(agent, batch, np.arange(GAMES), np.random.default_rng(3))
    return agent.last, actions, opponent


@pytest.mark.parametrize("kind", ["puct", "gumbel", "rollouts"])
def test_what_is_hidden_is_what_the_belief_says(kind):
    # Left returns -10 tenths with heads, else 4; right returns nothing.
    for heads, left in ((10, -1.0), (0, 0.4), (1, 0.26)):
        last, actions, opponent = looking(kind, Coins(heads))
        values = last.returns if kind == "rollouts" else last.action_values
        assert (actions == (left < 0)).all() and values[:, 0] == pytest.approx(left, abs=0.06)
        coins = {coin for coin, shown in (((1, 0), heads > 0), ((0, 1), heads < 10)) if shown}
        assert {coin for _, coin in opponent.seen} == coins


@pytest.mark.parametrize("kind", ["puct", "gumbel", "rollouts"])
def test_without_one_every_deal_is_equally_probable(kind):
    for belief in (None, UniformBelief()):
        actions, opponent = looking(kind, belief)[1:]
        share = np.mean([coin == (1, 0) for _, coin in opponent.seen])
        assert (actions == 1).all() and 0.3 < share < 0.7


def test_the_uniform_belief_gives_determinizations():
    batch = GameBatch(table_game(), GAMES, 5, components=PUNISHING)
    positions = Positions(batch, np.array([2, 0]), np.random.default_rng(1))
    records = UniformBelief().sample(positions, 40, np.random.default_rng(2))
    assert records.shape == (40, 2) and set(records["coin"].reshape(-1)) == {0, 1}
    assert (positions.to_batch(records.reshape(-1)).current_player == 0).all()
