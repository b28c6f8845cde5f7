"""The scripted players that games bring along, as agents."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.agent import Agent, Positions
from rfop_env.core.kernels import scripted_actions
from rfop_env.core.errors import UnknownName
from rfop_env.core.game import Game


class ScriptedAgent(Agent):
    """A scripted player of a game (`game.scripted`), by name; its random choices come from the positions."""

    needs_positions = True

    def __init__(self, game: Game, name: str):
        names = [player.name for player in game.scripted]
        if name not in names:
            raise UnknownName(f"scripted player of {game.id}", name, names)
        self.name = name

    def act(
        self,
        observation: NDArray[np.int8],
        action_mask: NDArray[np.bool_],
        rng: np.random.Generator,
        positions: Positions | None = None,
    ) -> NDArray[np.int64]:
        """The script's action for each position."""
        assert positions is not None, "a scripted player reads a position"
        states = positions.determinize()[0].view(np.recarray)
        return scripted_actions(positions.game, states, positions.components, action_mask, self.name)
