"""Replays of the first games of an evaluation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from rfop_env.agent import Agent
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError
from rfop_env.replays import Recorder
from rfop_env.replays.replay_file import SUFFIX
from rfop_training.common.records import require_writable

REPLAY_GAMES = 5  # of a line-up, by default


@dataclass(frozen=True)
class Replays:
    """Where the first games of each line-up are recorded, and how many of them."""

    folder: Path
    games: int

    @classmethod
    def into(cls, folder: Path, games: int) -> Replays:
        """Replays in a folder that has none yet, which is made; `RfopError` for another one, or where that fails."""
        if folder.exists() and (not folder.is_dir() or any(folder.glob(f"*{SUFFIX}"))):
            raise RfopError(f"{folder} has replays already, or is a file: choose another folder")
        require_writable(folder / f"game{SUFFIX}", "--replays")
        return cls(folder, games)

    def skip(self, games: int) -> Replays:
        """The games that remain to be recorded after so many of the line-up."""
        return Replays(self.folder, max(0, self.games - games))


def make_recorders(
    batch: GameBatch, players: Sequence[Agent], seating: NDArray[Any], replays: Replays | None, earlier: int = 0
) -> dict[int, Recorder]:
    """Recorders for the first games of a batch that has just been reset, by number.

    `players[seating[n, k]]` has seat k of game n; `earlier` games of the line-up came before this batch.
    """
    games = 0 if replays is None else min(batch.num_games, replays.skip(earlier).games)
    return {n: Recorder(batch, n, [players[p].name for p in seating[n]]) for n in range(games)}


def write_replays(recorders: Mapping[int, Recorder], batch: GameBatch, replays: Replays | None) -> None:
    """Write the games down, each in a file named after its seats and its seed."""
    for n, recorder in recorders.items():
        assert replays is not None, "recorders are made for replays"
        replay = recorder.replay()
        seats = batch.game.seat_names(batch.record(n))
        labels = [f"{name}-{player}" for name, player in zip(seats, replay.players, strict=True)]
        name = re.sub(r"[^\w.+-]+", "_", "_".join([*labels, str(replay.seed)]))
        replay.write(replays.folder / f"{name}{SUFFIX}")
