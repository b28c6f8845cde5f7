"""Golden playthroughs: readable files of whole games, replayed line by line.

    game LiarsRace-v0
    seed 7
    option length short
    red_0: keep
    red_0: claim 3
    check 5f0c...            over everything that a player could see so far
    end target reached 1 -1

A change of behaviour makes a replay fail at the first checksum after it; the fix is a new version of the environment
and new goldens, not an edited file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from rfop_env.core.batch import GameBatch
from rfop_env.core.game import Game
from rfop_env.registry import get_game


class _Playthrough:
    """Games played on one batch of one, written down as lines."""

    def __init__(self, game: Game, seed: int, options: Mapping[str, object], every: int) -> None:
        self.batch = GameBatch(game, 1, seed, options=options)
        self.lines = [f"game {game.id}", f"seed {seed}", *(f"option {k} {v}" for k, v in options.items())]
        self.lines.append(f"check every {every}")
        self._every, self._steps, self._digest = every, 0, hashlib.sha256()
        self._look()

    def _look(self) -> None:
        batch = self.batch
        for seat in range(batch.game.spec.players):
            self._digest.update(batch.observe(seat).tobytes())
        self._digest.update(batch.action_mask.tobytes() + batch.rewards.tobytes() + bytes([batch.current_player[0]]))

    def step(self, action: int) -> None:
        """Play an action and write its lines; the next game follows at once."""
        batch = self.batch
        seat = batch.game.spec.seats[batch.current_player[0]]
        self.lines.append(f"{seat}: {batch.game.actions.label(action)}")
        batch.step([action])
        self._steps += 1
        self._look()
        if self._steps % self._every == 0 or batch.terminated[0]:
            self.lines.append(f"check {self._digest.hexdigest()[:16]}")
        if batch.terminated[0]:
            returns = " ".join(f"{r:g}" for r in batch.rewards[0])
            self.lines.append(f"end {batch.game.end_reasons[batch.end_reason[0]]} {returns}")
            batch.reset()
            self._look()


def record(
    game: str | Game,
    path: str | Path,
    *,
    seed: int = 0,
    steps: int = 200,
    every: int = 20,
    options: Mapping[str, object] | None = None,
) -> Path:
    """Write a golden of `steps` random decisions, with a checksum after every `every`; returns the path."""
    play = _Playthrough(get_game(game), seed, options or {}, every)
    rng = np.random.Generator(np.random.PCG64(seed))
    for _ in range(steps):
        legal = np.flatnonzero(play.batch.action_mask[0])
        play.step(int(legal[int(rng.integers(len(legal)))]))
    target = Path(path)
    target.write_text("\n".join(play.lines) + "\n", encoding="utf-8")
    return target


def replay(path: str | Path, game: str | Game | None = None) -> int:
    """Play a golden again; `AssertionError` at the first line that comes out otherwise, or when the file is missing.

    `game` stands in for the id in the file. Returns the number of decisions replayed.
    """
    source = Path(path)
    assert source.is_file(), f"no golden {source}: make one with rfop_env.testing.goldens.record"
    lines = source.read_text(encoding="utf-8").splitlines()
    name, seed, every, options = _header(source, lines)
    found = get_game(game or name)
    assert found.id == name, f"{source} is a golden of {name}, not of {found.id}"
    play, actions = _Playthrough(found, seed, options, every), 0
    seats = tuple(f"{seat}: " for seat in play.batch.game.spec.seats)
    for number, line in enumerate(lines, start=1):
        if line.startswith(seats):
            action = found.actions.parse(line.split(": ", 1)[1])
            assert play.batch.action_mask[0, action], f"{source}:{number}: {line!r} is illegal now"
            play.step(action)
            actions += 1
        done = play.lines[number - 1] if number <= len(play.lines) else "nothing"
        assert done == line, f"{source}:{number}: the file says {line!r}, the game {done!r}"
    assert actions, f"{source} holds no action"
    return actions


def _header(source: Path, lines: list[str]) -> tuple[str, int, int, dict[str, object]]:
    """Game, seed, distance of checksums and options, from the first lines."""
    words = [line.split(" ", 2) for line in lines]
    given = {w[0]: w[1] for w in words[:2] if len(w) == 2}
    assert set(given) == {"game", "seed"}, f"{source}: expected 'game <id>' and 'seed <number>' first"
    every = next((int(w[2]) for w in words if w[:2] == ["check", "every"]), None)
    assert every, f"{source}: no 'check every <number>'"
    return given["game"], int(given["seed"]), every, {w[1]: w[2] for w in words if w[0] == "option"}
