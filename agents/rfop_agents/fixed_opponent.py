"""Fixed opponents: agents that decide for the other seats inside a search or a rollout."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.agent import Agent, Positions, ScriptedAgent, act_for
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_env.core.kernels import scripted_actions
from rfop_env.core.legal_actions import are_legal


# A legal action for each position, int64 [n], from observations int8 [n, D], masks bool [n, A] and records [n]. Raises
# `RfopError` for an illegal one.
OpponentPolicy = Callable[[NDArray[np.int8], NDArray[np.bool_], NDArray[np.void]], NDArray[np.int64]]


def require_fixed_opponent(opponent: Agent, game: Game) -> None:
    """Raise `RfopError` where an agent cannot decide for the other seats of a search or a rollout."""
    if game.spec.players == 1:
        raise RfopError(f"opponent: {game.id} has one seat; leave it out")
    if opponent.remembers:
        raise RfopError(
            f"opponent: {opponent.name} remembers whole games, so it cannot be asked in the middle of one, as a search "
            "or a rollout asks; give an agent without memory, or train a response to it"
        )


def opponent_policy(agent: Agent, positions: Positions, rng: np.random.Generator) -> OpponentPolicy:
    """The policy of an agent for positions that lie in no batch; `rng`: its random numbers.

    An agent that searches gets positions in which everything that its seat cannot see is determinized once more. It
    costs a search for every decision that it is asked for.
    """

    def policy(
        observation: NDArray[np.int8], action_mask: NDArray[np.bool_], states: NDArray[np.void]
    ) -> NDArray[np.int64]:
        if isinstance(agent, ScriptedAgent):
            records: Any = states.view(np.recarray)
            actions = scripted_actions(positions.game, records, positions.components, action_mask, agent.name)
        elif agent.needs_positions:
            actions = act_for(agent, positions.to_batch(states), np.arange(len(states)), rng)
        else:
            actions = agent.act(observation, action_mask, rng)
        if not are_legal(actions, action_mask).all():
            raise RfopError(f"opponent: {agent.name} chose an action that is not legal")
        return actions

    return policy
