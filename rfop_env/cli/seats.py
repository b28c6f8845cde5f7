"""The players of `rfop play` and `rfop watch`: programs by name in the seats, and their decisions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from rfop_env.agent_names import PERSON
from rfop_env.cli import games
from rfop_env.players import Program, Programs

if TYPE_CHECKING:
    from rfop_env.core.batch import GameBatch
    from rfop_env.replays.recorder import Recorder


class Table:
    """A game of one batch, in which programs sit in all seats but those of people.

    `names` has `PERSON` or the name of a program for each seat; `typed` says whether they come from the command line
    and `any_components` whether networks may be of another component set (`Programs`). All chance of the programs
    follows from `seed`; None: a random seed. Raises `UnknownName` for a program that there is not, and what
    `load_agent` raises.
    """

    def __init__(
        self,
        batch: GameBatch,
        names: Sequence[str],
        seed: int | None,
        recorder: Recorder | None = None,
        typed: bool = True,
        any_components: bool = False,
    ) -> None:
        self.batch = batch
        self.names = list(names)
        self.recorder = recorder
        programs = Programs(seed, typed, any_components)
        self._programs: list[Program | None] = [
            None if name == PERSON else programs.load(name, batch.game, batch.components) for name in names
        ]

    @property
    def seat(self) -> int:
        """The seat that decides."""
        return int(self.batch.current_player[0])

    @property
    def asks_person(self) -> bool:
        """Whether the game goes on and a person decides."""
        return not games.over(self.batch) and self._programs[self.seat] is None

    def let_program_decide(self) -> int:
        """The program whose turn it is takes a decision; returns the action."""
        program = self._programs[self.seat]
        assert program is not None, "a person decides"
        action = program.act(self.batch, lambda: False)
        self.take(action)
        return action

    def take(self, action: int | None) -> None:
        """A decision of whoever it is; None: a random one. The journal is printed."""
        if action is None:
            self.batch.step_random()
        else:
            self.batch.step([action])
        if self.recorder is not None:
            self.recorder.add_random() if action is None else self.recorder.add(action)
        games.print_journal(self.batch)

    def go_back(self, states: NDArray[Any], decisions: int) -> None:
        """Go back to the record [1] of so many decisions ago."""
        self.batch.set_state(states)
        if self.recorder is not None:
            for _ in range(decisions):
                self.recorder.undo()
