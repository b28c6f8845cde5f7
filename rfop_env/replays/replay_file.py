"""One episode as text: `Replay` reads, checks, writes and plays it.

The file
--------
    rfop replay 1
    game: Revolution-v0
    components: published fa606af25f92
    seed: 12 episode: 0
    player: royalists_0 person
    player: jacobins_1 scripted

    # A note on the position before the first decision.
    royalists_0: counter flag
    value +0.25
    # A note on this decision.
    jacobins_1: building Bastille
    end flag captured: +1 -1

One line each: the components with the digest of the set; every option (`option: NAME=VALUE`); the start, which is a
seed, or a saved position where the game did not begin at a reset (`position: BASE64`); who sat in each seat, in seat
order; and who gave the values, if there are any (`values: NAME`). After the blank line follow the decisions: the seat
and the label of the action. `value` is the return that the player named in the head expected for that seat before the
decision. Notes are free text, on lines of their own or behind a label. The last line has the reason of the end and the
return of every seat under the game's first reward, or is `end unfinished`. Forced decisions (one legal action) have no
line: the batch takes them.

A game that was lost by an illegal action (`on_illegal="lose"`) has that action as its last decision, by its label, or
by its number where no action has it:
    jacobins_1: illegal space c3
    end illegal action: +1 -1
"""

from __future__ import annotations

import base64
import binascii
import math
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from rfop_env.core import errors
from rfop_env.core.batch import GameBatch
from rfop_env.core.files import read_text, write_whole
from rfop_env.core.game import ILLEGAL_ACTION, Game
from rfop_env.core.position import load_position
from rfop_env.registry import get_game

FORMAT = "rfop replay"
VERSION = 1
UNFINISHED = "unfinished"
SUFFIX = ".rfop"
ILLEGAL = "illegal "  # before the label of an illegal action

MOST_BYTES = 2**19  # of a file; the longest game of the suite has 20,000
LONGEST_LINE = 2**14  # characters; a position in one line has some hundreds
LONGEST_TEXT = 1000  # characters of a note
LONGEST_LABEL = 300  # characters of a player's name
MOST_POSITION = 2**18  # bytes of a position once it is unpacked
HIGHEST_SEED, HIGHEST_EPISODE = 2**64 - 1, 2**62
MOST_VALUE = 1000.0
TOLERANCE = 1e-4  # between returns that are the same

START = re.compile(r"seed: (\d{1,20}) episode: (\d{1,20})")
SEAT_LINE = re.compile(r"([^\s:#]+): (.+)")
NOTE = re.compile(r"\s+#\s*")
NUMBER = re.compile(r"-?\d{1,19}")  # of an action that the table lacks


class BadReplay(errors.RfopError, ValueError):
    """A replay that cannot be read or played: the message names the file, the line and what would be right there."""

    def __init__(self, problem: str, line: int = 0, source: str = ""):
        self.problem = problem
        self.line = line
        places = [errors.printable(source)] * bool(source) + [f"line {line}"] * bool(line)
        super().__init__(": ".join([", ".join(places), problem] if places else [problem]))


@dataclass(frozen=True)
class Decision:
    """A line of play: the seat that decided, the label of its action, what is said about it, and its line's number."""

    seat: str
    label: str  # of an illegal action that is none of the table: its number
    value: float | None = None  # the return that was expected for the seat before the decision
    notes: tuple[str, ...] = ()
    illegal: bool = False  # the action was not legal and lost the game
    line: int = field(default=0, compare=False)

    def action(self, game: Game) -> int:
        """The number of the action, which only an illegal one may have outside the table. Raises `UnknownName`."""
        if self.illegal and all(row.label != self.label for row in game.actions):
            return int(self.label)
        return game.actions.parse(self.label)


@dataclass(frozen=True)
class Replay:
    """An episode: what was played, by whom, every decision, and how it ended.

    `Replay.read` checks everything that needs no rules, `play` the rest. `position` is one of `save_position`, in place
    of `seed` and `episode`. `returns` are those of the game's first reward, a number for each seat; None where the
    recording stopped before the end. `reason` is the name of the end.
    """

    game: Game  # with the seats that it has under the options
    components: str  # the name of the set
    digest: str
    options: dict[str, str]
    seed: int
    episode: int
    position: bytes | None
    players: tuple[str, ...]  # who sat in each seat
    decisions: tuple[Decision, ...]
    reason: str = UNFINISHED
    returns: tuple[float, ...] | None = None
    notes: tuple[str, ...] = ()  # on the position before the first decision
    values_by: str = ""  # who gave the values
    source: str = field(default="", compare=False)  # the file, for messages
    lines: dict[str, int] = field(default_factory=dict, compare=False, repr=False)  # of the head and the end

    # -- reading and writing ---------------------------------------------------------------------------------------

    @classmethod
    def read(cls, source: Path | str) -> Replay:
        """Read a file (a path), or the text of one (a `str` with line breaks). Raises `BadReplay` and `RfopError`."""
        if isinstance(source, str) and "\n" in source:
            return _Reader(source, "").replay()
        path = Path(source)
        return _Reader(read_text(path, MOST_BYTES), str(path)).replay()

    def text(self) -> str:
        """The file's content."""
        if self.position is None:
            start = f"seed: {self.seed} episode: {self.episode}"
        else:
            start = f"position: {base64.b64encode(zlib.compress(self.position, 9)).decode()}"
        lines = [
            f"{FORMAT} {VERSION}",
            f"game: {self.game.id}",
            f"components: {self.components} {self.digest}",
            *(f"option: {name}={value}" for name, value in self.options.items()),
            start,
            *(f"player: {seat} {who}" for seat, who in zip(self.game.spec.seats, self.players, strict=True)),
            *([f"values: {self.values_by}"] if self.values_by else []),
            "",
            *(f"# {note}" for note in self.notes),
        ]
        for decision in self.decisions:
            lines.append(f"{decision.seat}: {ILLEGAL * decision.illegal}{decision.label}")
            lines += [f"value {decision.value:+.4f}"] if decision.value is not None else []
            lines += [f"# {note}" for note in decision.notes]
        lines.append(f"end {self._end()}")
        return "\n".join(lines) + "\n"

    def _end(self) -> str:
        if self.returns is None:
            return UNFINISHED
        return f"{self.reason}: {' '.join(f'{value:+g}' for value in self.returns)}"

    def write(self, path: Path | str) -> Path:
        """Write the file, whole or not at all; returns its path. Raises `RfopError`."""
        write_whole(Path(path), self.text())
        return Path(path)

    # -- playing ---------------------------------------------------------------------------------------------------

    def begin(self, components: Any = None) -> GameBatch:
        """The batch of one at the start, with all seats asked.

        `components`: the file or loaded set that the game was played with; None: the shipped one. Raises `BadReplay`
        where its digest is another one, and for a position that cannot be played.
        """
        batch = GameBatch(self.game, 1, options=self.options, components=components)
        if batch.components.digest != self.digest:
            raise self._bad(
                f"played with the components {self.components!r} ({self.digest}), and these are "
                f"{batch.components.name!r} ({batch.components.digest}): give the file of that set (--components FILE)",
                self.lines.get("components", 0),
            )
        if self.position is None:
            begin_episode(batch, self.seed, self.episode)
            return batch
        try:
            load_position(batch, self.position)
        except errors.BadPosition as error:
            raise self._bad(f"the position cannot be played: {error}", self.lines.get("start", 0)) from None
        return batch

    def play(self, components: Any = None) -> Iterator[GameBatch]:
        """Play the episode again: the batch after each decision, the same one every time.

        Raises `BadReplay` at the first line that does not fit: another seat's turn, an illegal action, a decision after
        the end, another result.
        """
        yield from self.play_from(self.begin(components))

    def play_from(self, batch: GameBatch) -> Iterator[GameBatch]:
        """Play the episode again on a batch from `begin`."""
        returns = batch.returns_so_far()[0].astype(np.float64)
        for decision in self.decisions:
            action = self._action(batch, decision)
            if action is None:
                batch.forfeit(np.ones(1, np.bool_))
            else:
                batch.step([action])
                returns += batch.rewards[0]
            yield batch
        self._check_end(batch, returns)

    def _action(self, batch: GameBatch, decision: Decision) -> int | None:
        """The action of a line, if it can be taken now; None for one that forfeits the game."""
        if batch.states["over"][0]:
            raise self._bad("the game is over here: only 'end ...' can follow", decision.line)
        seat = batch.game.spec.seats[int(batch.current_player[0])]
        if decision.seat != seat:
            raise self._bad(f"{decision.seat} does not decide here, {seat} does", decision.line)

        action, mask = decision.action(batch.game), batch.action_mask[0]
        legal = 0 <= action < len(mask) and mask[action]
        if decision.illegal and legal:
            raise self._bad(f"{decision.label!r} is legal here: leave out 'illegal'", decision.line)
        if decision.illegal:
            return None
        if not legal:
            labels = [batch.game.actions.label(a) for a in np.flatnonzero(mask).tolist()]
            raise self._bad(
                f"{decision.label!r} is illegal here: {errors.nearest(decision.label, labels)}", decision.line
            )
        return action

    def _check_end(self, batch: GameBatch, returns: Any) -> None:
        """Raise `BadReplay` unless the batch stands where the last line says."""
        line, over = self.lines.get("end", 0), bool(batch.states["over"][0])
        if self.returns is None:
            if over:
                raise self._bad("the game is over here, and the file calls it unfinished: record it anew", line)
            return
        if not over:
            raise self._bad(f"the game is not over here: decisions are missing, or this is 'end {UNFINISHED}'", line)

        record = batch.record()
        reason = batch.game.end_reason(record)
        if reason == ILLEGAL_ACTION:
            returns = batch.game.spec.forfeit_returns(record.player)
        same = all(math.isclose(a, b, abs_tol=TOLERANCE) for a, b in zip(self.returns, returns, strict=True))
        if reason != self.reason or not same:
            end = replace(self, reason=reason, returns=tuple(returns))._end()
            raise self._bad(f"the file says {self._end()!r}, and the game ends with {end!r}", line)

    def _bad(self, problem: str, line: int) -> BadReplay:
        return BadReplay(problem, line, self.source)


def begin_episode(batch: GameBatch, seed: int, episode: int) -> None:
    """Reset a batch of one to an episode of a seed, without playing those before it."""
    batch.reset(seed)
    if episode:
        batch.states["episode"][0] = episode - 1
        batch.reset()


def one_line(text: str, length: int = LONGEST_LABEL) -> str:
    """A text that fits into a line of the file: no control characters, nothing at its ends, not too long."""
    return errors.printable(" ".join(text.split()), length - 3) or "-"


# -- the reader --------------------------------------------------------------------------------------------------------


class _Reader:
    """The lines of a file, taken one after the other."""

    def __init__(self, text: str, source: str) -> None:
        self._source = source
        self._lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
        self._next = 0
        self._places: dict[str, int] = {}
        if len(text) > MOST_BYTES:
            raise self._bad(f"too long for a replay: at most {MOST_BYTES:,} characters, found {len(text):,}", 0)
        for number, line in enumerate(self._lines, 1):
            if len(line) > LONGEST_LINE:
                raise self._bad(f"a line has at most {LONGEST_LINE:,} characters, found {len(line):,}", number)
            control = next((c for c in line if not c.isprintable()), None)
            if control is not None:
                raise self._bad(f"a replay is plain text, found the character {control!r}", number)

    def _bad(self, problem: str, line: int | None = None) -> BadReplay:
        return BadReplay(problem, self._next if line is None else line, self._source)

    def replay(self) -> Replay:
        """The whole file."""
        # The head.
        self._version()
        game = self._game()
        components, _, digest = self._required("components", "NAME DIGEST").rpartition(" ")
        if not components or not re.fullmatch(r"[0-9a-f]{6,64}", digest):
            raise self._bad("expected 'components: NAME DIGEST'")
        self._places["components"] = self._next
        options = self._options(game)
        game = game.under(options)
        seed, episode, position = self._start()
        players = self._players(game)
        values_by = self._optional("values")
        if self._take("a blank line between the head and the decisions").strip():
            raise self._bad("expected a blank line between the head and the decisions")

        # The decisions, and the end.
        notes, decisions = self._decisions(game, bool(values_by))
        reason, returns = self._end(game)
        if self._next < len(self._lines):
            self._next += 1
            raise self._bad("nothing follows the line 'end ...'")
        return Replay(
            game=game,
            components=components,
            digest=digest,
            options=options,
            seed=seed,
            episode=episode,
            position=position,
            players=players,
            decisions=decisions,
            reason=reason,
            returns=returns,
            notes=notes,
            values_by=values_by,
            source=self._source,
            lines=self._places,
        )

    # -- lines ---------------------------------------------------------------------------------------------------------

    def _peek(self) -> str:
        return self._lines[self._next] if self._next < len(self._lines) else ""

    def _take(self, form: str) -> str:
        if self._next >= len(self._lines):
            raise self._bad(f"the file stops here, it was cut off: expected {form}")
        self._next += 1
        return self._lines[self._next - 1]

    def _required(self, name: str, form: str) -> str:
        line = self._take(f"'{name}: {form}'")
        if not line.startswith(f"{name}: ") or not line.removeprefix(f"{name}: ").strip():
            raise self._bad(f"expected '{name}: {form}', found {errors.shown(line, 80)}")
        return line.removeprefix(f"{name}: ").strip()

    def _optional(self, name: str) -> str:
        if not self._peek().startswith(f"{name}: "):
            return ""
        text = self._required(name, "NAME")
        if len(text) > LONGEST_LABEL:
            raise self._bad(f"a name has at most {LONGEST_LABEL} characters")
        return text

    # -- the head ------------------------------------------------------------------------------------------------------

    def _version(self) -> None:
        line = self._take(f"'{FORMAT} {VERSION}'")
        match = re.fullmatch(rf"{FORMAT} (\d{{1,9}})", line)
        if match is None:
            raise self._bad(f"this is no replay: expected '{FORMAT} {VERSION}', found {errors.shown(line, 80)}")
        if int(match[1]) != VERSION:
            raise self._bad(
                f"a replay of format {match[1]}, and this package reads format {VERSION}: use the package that wrote it"
            )

    def _game(self) -> Game:
        name = self._required("game", "ID")
        try:
            game = get_game(name)
        except errors.UnknownName as error:
            versions = {entry.rsplit("-v", 1)[0]: entry for entry in error.valid}
            if version := versions.get(name.rsplit("-v", 1)[0]):
                raise self._bad(
                    f"played in {name}, and this package has {version}, whose rules behave differently: use a version "
                    f"of the package that has {name}"
                ) from None
            raise self._bad(str(error)) from None
        if game.id != name:
            raise self._bad(f"expected the id {game.id!r}, found {name!r}")
        return game

    def _options(self, game: Game) -> dict[str, str]:
        """All options of the game, each on its line."""
        options: dict[str, str] = {}
        while self._peek().startswith("option:"):
            text = self._required("option", "NAME=VALUE")
            name, _, value = text.partition("=")
            try:
                game.encode_options({name: value})
            except errors.UnknownName as error:
                raise self._bad(str(error)) from None
            if name in options:
                raise self._bad(f"the option {name!r} stands here for the second time")
            options[name] = value
        missing = [option.name for option in game.options if option.name not in options]
        if missing:
            self._next += 1
            raise self._bad(f"the option {missing[0]!r} is missing: expected 'option: {missing[0]}=VALUE'")
        return options

    def _start(self) -> tuple[int, int, bytes | None]:
        """Seed, episode and position."""
        line = self._take("'seed: N episode: N' or 'position: BASE64'")
        self._places["start"] = self._next
        if line.startswith("position: "):
            return 0, 0, self._position(line.removeprefix("position: "))
        match = START.fullmatch(line)
        if match is None or int(match[1]) > HIGHEST_SEED or int(match[2]) > HIGHEST_EPISODE:
            raise self._bad(
                f"expected 'seed: N episode: N' (a seed is from 0 to 2**64 - 1) or 'position: BASE64', "
                f"found {errors.shown(line, 80)}"
            )
        return int(match[1]), int(match[2]), None

    def _position(self, text: str) -> bytes:
        """The bytes of a position, unpacked no further than any position goes."""
        unpacking = zlib.decompressobj()
        try:
            data = unpacking.decompress(base64.b64decode(text, validate=True), MOST_POSITION)
        except (binascii.Error, ValueError, zlib.error):
            raise self._bad("the position is damaged: expected the base64 of a packed position") from None
        if not unpacking.eof:
            raise self._bad(f"the position is damaged or has more than {MOST_POSITION:,} bytes")
        return data

    def _players(self, game: Game) -> tuple[str, ...]:
        players = []
        for seat in game.spec.seats:
            word, _, name = self._required("player", f"{seat} NAME").partition(" ")
            if word != seat or not name or len(name) > LONGEST_LABEL:
                raise self._bad(f"expected 'player: {seat} NAME', with a name of at most {LONGEST_LABEL} characters")
            players.append(name.strip())
        return tuple(players)

    # -- the decisions -------------------------------------------------------------------------------------------------

    def _decisions(self, game: Game, valued: bool) -> tuple[tuple[str, ...], tuple[Decision, ...]]:
        """The notes before the first decision, and all decisions with theirs."""
        first, decisions = list[str](), list[Decision]()
        labels = {row.label for row in game.actions}
        value: float | None = None
        notes = first
        while not self._peek().startswith("end "):
            line = self._take("decisions, and 'end ...' last")
            if line.startswith("#"):
                notes.append(self._note(line[1:]))
            elif line.startswith("value "):
                if not decisions or value is not None or not valued:
                    raise self._bad("a value stands once, after its decision, with 'values: NAME' in the head")
                value = self._value(line)
                decisions[-1] = replace(decisions[-1], value=value)
            else:
                _close(decisions, notes)
                decision, notes = self._decision(line, game, labels)
                decisions.append(decision)
                value = None
        _close(decisions, notes)
        return tuple(first), tuple(decisions)

    def _decision(self, line: str, game: Game, labels: set[str]) -> tuple[Decision, list[str]]:
        """A line of play, and the note behind it."""
        match = SEAT_LINE.fullmatch(line)
        if match is None:
            raise self._bad(
                f"expected 'SEAT: ACTION', '# NOTE', 'value NUMBER' or 'end ...', found {errors.shown(line, 80)}"
            )
        seat, (label, *notes) = match[1], NOTE.split(match[2], maxsplit=1)
        if seat not in game.spec.seats:
            raise self._bad(f"unknown seat {seat!r}: {errors.nearest(seat, list(game.spec.seats))}")
        label, illegal = label.strip().removeprefix(ILLEGAL), label.startswith(ILLEGAL)
        if label not in labels and illegal and NUMBER.fullmatch(label):
            if 0 <= int(label) < game.actions.size:
                raise self._bad(f"action {label} has a label: write '{ILLEGAL}{game.actions.label(int(label))}'")
        elif label not in labels:
            hint = errors.closest(label, sorted(labels)) or f"rfop show {game.id} lists them all"
            raise self._bad(f"{game.id} has no action {errors.shown(label, 80)}: {hint}")
        return Decision(seat, label, illegal=illegal, line=self._next), [self._note(note) for note in notes]

    def _note(self, text: str) -> str:
        if len(text) > LONGEST_TEXT:
            raise self._bad(f"a note has at most {LONGEST_TEXT:,} characters, found {len(text):,}")
        return text.strip()

    def _value(self, line: str) -> float:
        try:
            value = float(line.removeprefix("value "))
        except ValueError:
            value = math.nan
        if not abs(value) <= MOST_VALUE:
            raise self._bad(
                f"expected 'value NUMBER', from {-MOST_VALUE:g} to {MOST_VALUE:g}, found {errors.shown(line, 80)}"
            )
        return round(value, 4)

    def _end(self, game: Game) -> tuple[str, tuple[float, ...] | None]:
        """The reason and the returns of the last line."""
        text = self._take("'end ...'").removeprefix("end ")
        self._places["end"] = self._next
        if text == UNFINISHED:
            return UNFINISHED, None
        reason, _, numbers = text.rpartition(": ")
        reasons = [*game.end_reasons[1:], ILLEGAL_ACTION]
        if reason not in reasons:
            raise self._bad(f"unknown end {errors.shown(reason, 80)}: {errors.nearest(reason, [*reasons, UNFINISHED])}")
        try:
            returns = tuple(float(number) for number in numbers.split())
        except ValueError:
            returns = ()
        if len(returns) != game.spec.players or not all(map(math.isfinite, returns)):
            raise self._bad(
                f"expected a return for each of the {game.spec.players} seats, found {errors.shown(numbers, 80)}"
            )
        return reason, returns


def _close(decisions: list[Decision], notes: Sequence[str]) -> None:
    """Give the last decision its notes."""
    if decisions:
        decisions[-1] = replace(decisions[-1], notes=tuple(notes))
