"""Greedy: carry out each legal action in a few guesses at the position, keep the one with the best average value."""

from __future__ import annotations


import numpy as np
from numpy.random import Generator

from rfop_env import agent
from rfop_agents.values import value_rule
from rfop_agents.values.look_ahead import make_look_ahead
from rfop_env.compiler.native_rules import PLAY
from rfop_env.compiler import kernel
from rfop_env.core.game import Game
from rfop_env.core.kernels import Kernels

GUESSES = 4  # determinizations of what is hidden, and of chance, that each action is averaged over


class GreedyAgent(agent.Agent):
    """One decision ahead on a short hand-made value (`rfop_agents/values`); ties are broken at random."""

    name = "greedy"
    needs_positions = True

    def __init__(self, game: Game):
        name, title = f"{game.rules_name}.greedy", f"the greedy agent for {game.title}"
        native = Kernels.of(game).native
        look_ahead = make_look_ahead(native.called.apply, value_rule(game))
        self._look_ahead = kernel(look_ahead, name, title=title, before=native.before(PLAY))

    def act(
        self, observation: agent.Obs, action_mask: agent.Masks, rng: Generator, positions: agent.Positions | None = None
    ) -> agent.Actions:
        """The legal action with the best average value, for each position."""
        assert positions is not None, "the greedy agent looks ahead: it needs positions"
        worth = np.zeros(action_mask.shape, np.int64)
        scratch = np.zeros(1, positions.game.state).view(np.recarray)
        guesses = positions.determinize(GUESSES).view(np.recarray)
        self._look_ahead(guesses, scratch, positions.components.record, np.ascontiguousarray(action_mask), worth)
        ranked = np.where(action_mask, worth + rng.random(worth.shape), -np.inf)
        return ranked.argmax(axis=1).astype(np.int64)
