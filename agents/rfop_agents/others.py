"""Known agents in the other seats: they decide for these seats inside a search or a rollout."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.agent import Agent, Positions
from rfop_env.agent import ScriptedAgent
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_env.core.kernels import scripted_actions
from rfop_env.core.legal_actions import are_legal


# Decides in other seats: a legal action for each position, int64 [n], from what its seat sees, int8 [n, D] and bool
# [n, A], and from copies of the records, [n]. Raises `RfopError` for an illegal one.
Answer = Callable[[NDArray[np.int8], NDArray[np.bool_], NDArray[np.void]], NDArray[np.int64]]


def require_player(others: Agent, game: Game) -> None:
    """Raise `RfopError` where an agent cannot decide for the other seats of a search or a rollout."""
    if game.spec.players == 1:
        raise RfopError(f"others: {game.id} has one seat; leave them out")
    if others.remembers or (others.needs_positions and not isinstance(others, ScriptedAgent)):
        raise RfopError(
            f"others: {others.name} cannot be asked inside a search or a rollout: give a network without memory or a "
            "scripted player"
        )


def answer_of(agent: Agent, positions: Positions, rng: np.random.Generator) -> Answer:
    """How an agent decides in other seats inside a search, where positions lie in no batch; `rng`: its own numbers."""

    def answer(
        observation: NDArray[np.int8], action_mask: NDArray[np.bool_], states: NDArray[np.void]
    ) -> NDArray[np.int64]:
        if isinstance(agent, ScriptedAgent):
            records: Any = states.view(np.recarray)
            actions = scripted_actions(positions.game, records, positions.components, action_mask, agent.name)
        else:
            actions = agent.act(observation, action_mask, rng)
        if not are_legal(actions, action_mask).all():
            raise RfopError(f"others: {agent.name} chose an action that is not legal")
        return actions

    return answer
