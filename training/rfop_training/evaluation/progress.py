"""A line on stderr while games are played: how many have ended, the decisions and wins so far, the time left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_training.evaluation.games import GameResults

MOST_AGENTS = 4  # whose wins are shown


class Progress:
    """A bar of games.

    Args:
        games: how many there are in all.
        visible: True: always; False: never; None: if stderr is a terminal.
    """

    def __init__(self, games: int, visible: bool | None = None):
        from tqdm import tqdm

        disable = None if visible is None else not visible
        self._bar: Any = tqdm(total=games, unit="game", disable=disable, leave=False, smoothing=0, dynamic_ncols=True)
        self._wins = MeanWins()
        self._decisions = 0

    def count(self, games: int, decisions: int = 0) -> None:
        """So many more games have ended, and so many more decisions were made in all games."""
        self.move_to(self._bar.n + games, self._decisions + decisions)

    def move_to(self, games: int, decisions: int = 0) -> None:
        """So many games have ended in all, and so many decisions were made; 0 if that is not known."""
        self._decisions = decisions
        self._describe()
        self._bar.update(games - self._bar.n)

    def add(self, displayed: Sequence[str], seating: NDArray[np.integer[Any]], results: GameResults) -> None:
        """Count a block whose games have all ended, `displayed[seating[n, k]]` in seat k of game n."""
        self._wins.add(displayed, seating, results)
        self._describe()
        self._bar.refresh()

    def _describe(self) -> None:
        decisions = f"{self._decisions:,} decisions" if self._decisions else ""
        self._bar.set_postfix_str(", ".join(filter(None, [decisions, self._wins.text()])), refresh=False)

    def close(self) -> None:
        """Remove the bar."""
        self._bar.close()


class MeanWins:
    """The mean share of wins of each agent over whole blocks of games.

    Games of a block that is not complete do not count: those that end first are the short ones.
    """

    def __init__(self) -> None:
        self._sums: dict[str, tuple[float, int]] = {}  # wins and games

    def add(self, displayed: Sequence[str], seating: NDArray[np.integer[Any]], results: GameResults) -> None:
        """Count a block of n games, `displayed[seating[n, k]]` in seat k of game n; `seating` is [n, P]."""
        for number, name in enumerate(displayed):
            own = results.won[seating == number]
            wins, games = self._sums.get(name, (0.0, 0))
            self._sums[name] = wins + float(own.sum()), games + len(own)

    @property
    def means(self) -> Mapping[str, float]:
        """The mean share of wins by the agent's name."""
        return {name: wins / games for name, (wins, games) in self._sums.items() if games}

    def text(self) -> str:
        """The means as text, "random 12.0%, scripted 88.0%"; those of the first few agents."""
        parts = [f"{name} {mean:.1%}" for name, mean in self.means.items()]
        return ", ".join(parts[:MOST_AGENTS]) + (", ..." if len(parts) > MOST_AGENTS else "")
