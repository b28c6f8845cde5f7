"""The decisions that the games of a batch were asked for, so that earlier moments can be played again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.legal_actions import NO_ACTION
from rfop_env.core.record import record_bytes


class History:
    """For each of N games a record, and the decisions asked for since, forced ones left out.

    It begins anew with the record of a game that is reset or put in, and after decisions that nobody reported: random
    ones, and those of opponents inside `step`.
    """

    def __init__(self, states: Any) -> None:
        self.start = np.zeros(len(states), states.dtype)  # records [N]
        self.beginnings = np.zeros(len(states), np.int64)  # how often each game began anew
        self._since = np.zeros(len(states), np.int64)  # the first entry of `_actions` that counts in each game
        self._actions: list[NDArray[np.int64]] = []  # [N] each, `NO_ACTION` in games without a decision
        self.begin(np.ones(len(states), np.bool_), states)

    def begin(self, games: NDArray[np.bool_], states: Any) -> None:
        """Let some games, bool [N], begin with these records [N]."""
        record_bytes(self.start)[games] = record_bytes(states)[games]
        self.beginnings[games] += 1
        self._since[games] = len(self._actions)
        forgotten = int(self._since.min())
        del self._actions[:forgotten]
        self._since -= forgotten

    def add(self, actions: NDArray[np.int64]) -> None:
        """Add a decision of each game, int64 [N]; `NO_ACTION` for none."""
        self._actions.append(actions)

    def decisions(self, game: int) -> list[int]:
        """The decisions of a game since its record, in order."""
        actions = [int(entry[game]) for entry in self._actions[self._since[game] :]]
        return [action for action in actions if action != NO_ACTION]

    def copy(self) -> History:
        """An independent copy."""
        copied = History(self.start)
        copied._since, copied._actions = self._since.copy(), list(self._actions)
        return copied
