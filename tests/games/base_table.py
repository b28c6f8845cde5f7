"""What the tables of all games share: one game that a test plays by action labels and looks at in words."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from rfop_env.core.batch import GameBatch
from rfop_env.core.kernels import scripted_actions


class BaseTable:
    """One game; each game's `Table` adds how its positions are laid out.

    `s` and `c` are the records of the game and of its components, `log` the journal of the last `do`.
    """

    def __init__(self, batch: GameBatch):
        self.batch = batch
        self.s = batch.record()
        self.c = batch.components.record.view(np.recarray)[0]
        self.log: list[str] = []

    # -- playing ---------------------------------------------------------------------------------------------------

    def do(self, *labels: str) -> Self:
        """Carry out actions by their labels; decisions with one legal action are taken by the batch itself."""
        self.log = []
        for label in labels:
            self.batch.step([self.batch.game.actions.parse(label)])
            self.log += self.batch.journal()
            self.check_step()
        return self

    def check_step(self) -> None:
        """Called after every action of `do`; a game may look for problems."""

    # -- looking ---------------------------------------------------------------------------------------------------

    @property
    def legal(self) -> set[str]:
        """Labels of the legal actions."""
        return {self.batch.game.actions.label(a) for a in np.flatnonzero(self.batch.action_mask[0])}

    def choices(self, kind: str) -> set[str]:
        """The arguments of the legal actions of a kind."""
        return {label.removeprefix(kind).strip() for label in self.legal if f"{label} ".startswith(f"{kind} ")}

    @property
    def advised(self) -> str:
        """The label of the action that the game's first scripted player takes."""
        batch, name = self.batch, self.batch.game.scripted[0].name
        actions = scripted_actions(batch.game, batch.get_state(), batch.components, batch.action_mask, name)
        return batch.game.actions.label(int(actions[0]))

    @property
    def pending(self) -> tuple[int, int]:
        """(kind, seat) of the pending frame, in games with a stack."""
        return int(self.s.stack[self.s.depth - 1, 0]), int(self.s.stack[self.s.depth - 1, 1])

    def view(self, seat: int, piece: str) -> Any:
        """What a seat sees of one piece of the observation, in words."""
        return self.batch.game.observation.describe(self.batch.observe(seat)[0])[piece]

    def sound(self) -> Self:
        """Assert that the position has no problem."""
        assert self.batch.problems() == []
        return self
