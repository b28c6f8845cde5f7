"""Golden playthroughs: readable files of whole games, replayed line by line.

    game LiarsRace-v0
    seed 7
    option length short
    red_0: keep
    red_0: claim 3
    check 5f0c...            over everything that a player could see so far
    end target reached 1 -1

The header may name a scripted player. Then every line also holds what that player chooses there, and where another
action was played, both stand in the line:

    player honest
    red_0: claim 3
    blue_1: doubt instead of keep

A change of behaviour makes a replay fail at the first checksum after it; the fix is a new version of the environment
and new goldens, not an edited file.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.batch import GameBatch
from rfop_env.core.game import Game
from rfop_env.core.kernels import scripted_actions
from rfop_env.registry import get_game

INSTEAD = " instead of "  # between the action played and the one that the scripted player chooses
ACTION = re.compile(rf"^[^ ]+: (?P<played>.*?)(?:{INSTEAD}.*)?$")  # a line of play: a seat's name has no space


class Playthrough:
    """Games played on one batch of one, written down as lines."""

    def __init__(self, game: Game, seed: int, options: Mapping[str, object], every: int, player: str | None) -> None:
        self.batch = GameBatch(game, 1, seed, options=options)
        self.lines = [f"game {game.id}", f"seed {seed}", *(f"option {k} {v}" for k, v in options.items())]
        self.lines += [f"player {player}"] * (player is not None)
        self.lines.append(f"check every {every}")
        self.steps = self.games = 0
        self.nonzero = np.zeros(self.batch.game.observation.size, np.bool_)  # [D]: entries that were not 0 for a seat
        self._every, self._player, self._digest = every, player, hashlib.sha256()
        self._look()

    def advised(self) -> int | None:
        """The action that the scripted player chooses now, None without one; it may draw, so ask once a decision."""
        if self._player is None:
            return None
        batch = self.batch
        return int(scripted_actions(batch.game, batch.states, batch.components, batch.action_mask, self._player)[0])

    def _look(self) -> None:
        batch = self.batch
        for seat in range(batch.game.spec.players):
            observation = batch.observe(seat)
            self.nonzero |= observation[0] != 0
            self._digest.update(observation.tobytes())
        self._digest.update(batch.action_mask.tobytes() + batch.rewards.tobytes() + bytes([batch.current_player[0]]))

    def go_on(self, rng: np.random.Generator, stray: float) -> None:
        """Play what the scripted player chooses or, in a share of `stray` decisions, a random legal action."""
        advised, legal = self.advised(), np.flatnonzero(self.batch.action_mask[0])
        if advised is not None and (stray == 0 or rng.random() >= stray):
            self.step(advised, advised)
        else:
            self.step(int(legal[int(rng.integers(len(legal)))]), advised)

    def step(self, action: int, advised: int | None) -> None:
        """Play an action and write its lines, with the scripted player's choice if that is another."""
        batch, label = self.batch, self.batch.game.actions.label
        seat = batch.game.spec.seats[batch.current_player[0]]
        alternative = "" if advised in (None, action) else f"{INSTEAD}{label(advised)}"
        self.lines.append(f"{seat}: {label(action)}{alternative}")
        batch.step([action])
        self.steps += 1
        self._look()
        if self.steps % self._every == 0 or batch.terminated[0]:
            self.lines.append(f"check {self._digest.hexdigest()[:16]}")
        if batch.terminated[0]:
            self._end()

    def _end(self) -> None:
        """Write the result down; the next game follows at once."""
        batch = self.batch
        returns = " ".join(f"{r:g}" for r in batch.rewards[0])
        self.lines.append(f"end {batch.game.end_reasons[batch.end_reason[0]]} {returns}")
        self.games += 1
        batch.reset()
        self._look()


def record(
    game: str | Game,
    path: str | Path,
    *,
    seed: int = 0,
    steps: int = 200,
    games: int | None = None,
    every: int = 20,
    options: Mapping[str, object] | None = None,
    player: str | None = None,
    stray: float = 1.0,
) -> Path:
    """Write a golden of `steps` decisions, or of whole games until `games` have ended; returns the path.

    `every`: decisions between checksums. `player`: a scripted player of the game, whose choice is written down at every
    decision. `stray`: the share of decisions, 0 to 1, in which a random legal action is played instead of that choice.
    """
    play = Playthrough(get_game(game), seed, options or {}, every, player)
    rng = np.random.Generator(np.random.PCG64(seed))
    while play.steps < steps if games is None else play.games < games:
        play.go_on(rng, stray)
    target = Path(path)
    target.write_text("\n".join(play.lines) + "\n", encoding="utf-8")
    return target


def replay(path: str | Path, game: str | Game | None = None, *, most: int | None = None) -> int:
    """Play a golden again; `AssertionError` at the first line that comes out otherwise, or when the file is missing.

    `game` stands in for the id in the file; `most` stops after so many decisions. Returns the number of decisions
    replayed.
    """
    return _replay(Path(path), game, most).steps


def nonzero_entries(path: str | Path, most: int | None = None) -> NDArray[np.bool_]:
    """Replay a golden, `most` decisions of it, and say which entries of the observation were not 0 for a seat: [D]."""
    return _replay(Path(path), None, most).nonzero


def _replay(source: Path, game: str | Game | None, most: int | None) -> Playthrough:
    """Play a golden again, line by line."""
    assert source.is_file(), f"no golden {source}: make one with rfop_env.testing.goldens.record"
    lines = source.read_text(encoding="utf-8").splitlines()
    name, seed, every, player, options = _header(source, lines)
    rules = get_game(game or name)
    assert rules.id == name, f"{source} is a golden of {name}, not of {rules.id}"
    play = Playthrough(rules, seed, options, every, player)

    # Every line of the file: an action is played, and each line must come out as it stands.
    for number, line in enumerate(lines, start=1):
        if match := ACTION.match(line):
            if play.steps == most:
                break
            action, advised = rules.actions.parse(match["played"]), play.advised()
            assert play.batch.action_mask[0, action], f"{source}:{number}: {line!r} is illegal now"
            play.step(action, advised)
        done = play.lines[number - 1] if number <= len(play.lines) else "nothing"
        assert done == line, f"{source}:{number}: the file says {line!r}, the game {done!r}"

    assert play.steps, f"{source} holds no action"
    return play


def _header(source: Path, lines: list[str]) -> tuple[str, int, int, str | None, dict[str, object]]:
    """Game, seed, distance of checksums, scripted player and options, from the first lines."""
    words = [line.split(" ", 2) for line in lines]
    options = {w[0]: w[1] for w in words[:2] if len(w) == 2}
    assert set(options) == {"game", "seed"}, f"{source}: expected 'game <id>' and 'seed <number>' first"
    every = next((int(w[2]) for w in words if w[:2] == ["check", "every"]), None)
    assert every, f"{source}: no 'check every <number>'"
    player = next((w[1] for w in words if w[0] == "player"), None)
    return options["game"], int(options["seed"]), every, player, {w[1]: w[2] for w in words if w[0] == "option"}
