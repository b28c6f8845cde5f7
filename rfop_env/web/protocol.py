"""The protocol: what the page asks of the server, and what it is sent.

The page is `GET /?token=TOKEN`, its files are `GET /static/NAME`. Everything below `/api/` is JSON. Requests carry the
token in the header `X-Token`. A POST has an object as its body, `Content-Type: application/json`, and at most 64 KiB:
one of the dataclasses below, each with the path that it is sent to. An error is `{"error": SENTENCE}` with a status of
400 or more. A change of an outdated version gets 409 and the present state besides: `{"error", "state"}`.

==================================  ====================================================================================
GET /api/menu                       {games, open, saved, guest}: environments with options, seats, programs, levels
                                    [{name, level (in words), players}], the weakest first, and sets of components;
                                    open games [{id, title, who, moment, over, turn, time}], the one with the last move
                                    first; names of saved ones; the id of a guest's game, or null
GET /api/games/ID?looking&known     state; {version, thinking} alone if `known` is the present version
GET /api/games/ID/cards             {NUMBER: {name, title, does, provenance}}
GET /api/games/ID/guide             {rules (Markdown), symbols [{sign, name, meaning}], hints [{kinds, text}]}
GET /api/games/ID/reviews           what `/review` has answered, of a game that is over and by its judge, as a list
GET /api/games/ID/moments/K?looking {moment, svg, lines}: moment K as the looking seat saw it
==================================  ====================================================================================

A guest's link has a token of its own, `ID.SECRET`, which is good for one seat of game ID: for what is listed in
`rfop_env.web.guard.GUEST_PATHS`, as that seat. The game's own page then neither sees nor plays that seat.

Each address may end with `layout` and `palette` (`rfop_env.drawing.palette.Look`), for the pictures in the answer.

A state has: id, version (rises with every change), game, title, options, seats [{name, player}], decider (seat, -1 once
it is over), viewer (the seat whose view this is, or null), guest (whether the page is a guest's), invites (the seats
that a guest may have), free (the page may choose the seat by `looking`), curtain (the seat whose person has to come to
the page, or null), secrets_of (the seat whose secrets this state holds, or null; whatever was made for another seat has
to go), asks (the person here decides), question (what is asked of the person), thinking (a program's name or null),
problem (why a program could not decide), preparing (a first hint waits for the compiler), over, recorded (nobody
decides any more: a recording), judge (who gave the values of a recording), values [of each moment, or null], notes
[[note] on each moment], result (who has won, and why), score (null, or {sides, rows [[source, points of each side]]}),
points (null before the end, or {sides, sources, moments [[points of each side] of each source, or null]}), seed
(digits; null before the end), moment (the newest one's number), since (the moment from which the news for the viewer
are told), deciders [seat of each moment], own (the first moment from which on values are given), puzzle (null, or
{number, by, moment, solved (null before the person has decided), words}), variations, svg, actions [{id, kind, label,
sentence, card}] and log [[sentence] of each moment]. Variations are empty for a game that stands alone, otherwise [{id,
parent (an id, null for the game that was first), start (the moment where it was played on from), moment, over, line
(the first sentence after its start)}].
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import MISSING, dataclass, fields
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from rfop_env.agent_names import PERSON
from rfop_env.core.errors import shown
from rfop_env.web.refusals import LONGEST_NAME, Refused

T = TypeVar("T")

KINDS = {int: "a whole number", str: "a text", bool: "true or false", list: "a list of texts", dict: "texts by name"}


@dataclass(frozen=True)
class NewGame:
    """`/api/games`: begin a game; the answer is its state."""

    game: str  # an environment's id
    options: dict[str, str]
    seats: list[str]  # "person" or a program's name each
    seed: str | None = None  # digits; a random one by default
    components: str | None = None  # the digest of a component set; the shipped one by default

    def __post_init__(self) -> None:
        for name, value in self.options.items():
            if len(name) + len(value) > LONGEST_NAME:
                raise Refused(f"options: at most {LONGEST_NAME} characters each, found {shown({name: value}, 80)}")
        if self.seed is not None and not (self.seed.isascii() and self.seed.isdigit() and len(self.seed) <= 20):
            raise Refused(f"seed: expected up to 20 digits, found {shown(self.seed, 40)}")
        require_names(self.seats)


@dataclass(frozen=True)
class LoadGame:
    """`/api/load`: go on with a saved game, named or as the text of its file, or open a replay.

    The answer is the state of the game. The body has at most 1 MiB.
    """

    name: str | None = None
    text: str | None = None
    seats: list[str] | None = None  # in place of those that the file names

    def __post_init__(self) -> None:
        if (self.name is None) == (self.text is None):
            raise Refused("load: expected either the name of a saved game or the text of a file")
        require_names(self.seats or ())


@dataclass(frozen=True)
class OpenPuzzle:
    """`/api/puzzles`: a shipped puzzle of a game, by its number from 1; the answer is its state."""

    game: str
    number: int


@dataclass(frozen=True)
class Enter:
    """`/api/study/enter`: a participant comes to a study (`rfop study`), by the code; the answer is the step.

    A step has title, of (the number of games) and step: "consent" {text}, "questions" {about, questions}, "game"
    {number, game, token, over} with the guest's link, or "end" {text}.
    """

    code: str


@dataclass(frozen=True)
class StepAnswers:
    """`/api/study/answer`: what a participant has answered to the step; the answer is the next one."""

    code: str
    consent: bool
    answers: dict[str, str]


@dataclass(frozen=True)
class TakeAction:
    """`/api/games/ID/act`: the person's decision; the answer is the state."""

    version: int
    action: int


@dataclass(frozen=True)
class Change:
    """A change of the present version; the answer is the state.

    `/api/games/ID/move`: a program decides; if it takes longer than `PATIENCE`, the state has `thinking`.
    `/api/games/ID/undo`: the person's last decision is taken back. `/api/games/ID/reveal`: the curtain is lifted.
    """

    version: int


@dataclass(frozen=True)
class Nothing:
    """`/api/games/ID/stop`: programs at work come to an end. `/api/games/ID/close`: the game is given up.

    The answer is empty.
    """


@dataclass(frozen=True)
class Fork:
    """`/api/games/ID/fork`: a variation from a moment of this game; the answer is its state."""

    moment: int
    swap: bool  # everybody sits one seat further
    seats: list[str] | None = None  # in place of the players of this game

    def __post_init__(self) -> None:
        require_names(self.seats or ())


@dataclass(frozen=True)
class Again:
    """`/api/games/ID/again`: a new game with the same options and cards; the answer is its state."""

    swap: bool  # everybody sits one seat further


@dataclass(frozen=True)
class FileName:
    """A file to write; the answer is its {path}.

    `/api/games/ID/save`: the position. `/api/games/ID/replay`: the game so far, as a replay.
    """

    name: str


@dataclass(frozen=True)
class Invitation:
    """`/api/games/ID/invite`: a person's seat for a guest; the answer is the {token} of the link.

    It also has the {address} where other machines reach the page, or null where none is known.
    """

    seat: int


@dataclass(frozen=True)
class HintQuestion:
    """`/api/games/ID/hint`: the best actions by a program: {program, value, best: [action]}.

    An action of a hint has visits, value and prob, null where the program has no such figure.
    """

    version: int
    program: str

    def __post_init__(self) -> None:
        require_names([self.program])


@dataclass(frozen=True)
class MomentQuestion:
    """`/api/games/ID/value`: the return that a program expects at a moment: {moment, seat, value}.

    `/api/games/ID/review`: what a decision was worth by a program. The answer is {moment, seat, value (of the best
    action), lost, verdict ("", inaccuracy, mistake or blunder), played (an action), best [action, with its value]}. In
    a game that is over it becomes a note of the moment after.
    """

    moment: int
    program: str

    def __post_init__(self) -> None:
        require_names([self.program])


def require_names(names: Iterable[str]) -> None:
    """Raise `Refused` unless all are names of people and programs."""
    for name in names:
        if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
            raise Refused(f"expected {PERSON!r} or a program's name, found {shown(name, 80)}")


def read_message(kind: type[T], data: bytes) -> T:
    """The message in the body of a request; `Refused` with one sentence on the first thing that does not fit."""
    try:
        values = json.loads(data)
    except (ValueError, RecursionError):  # numbers and lists without end, too
        values = None
    if not isinstance(values, dict):
        raise Refused("expected a JSON object")
    types = get_type_hints(kind)
    if unknown := sorted(set(values) - set(types)):
        raise Refused(f"unknown field {shown(unknown[0], 60)}; known: {', '.join(types) or 'none'}")

    for field in fields(kind):  # type: ignore[arg-type]
        if field.name in values and not _fits(values[field.name], types[field.name]):
            value = shown(values[field.name], 80)
            raise Refused(f"{field.name}: expected {_describe(types[field.name])}, found {value}")
        if field.name not in values and field.default is MISSING:
            raise Refused(f"{field.name} is missing: expected {_describe(types[field.name])}")
    return kind(**values)


def _fits(value: object, hint: Any) -> bool:
    if isinstance(hint, UnionType):
        return any(_fits(value, part) for part in get_args(hint))
    if type(value) is not (get_origin(hint) or hint):  # not isinstance: true is an int in Python
        return False
    if isinstance(value, list):
        return all(type(item) is str for item in value)
    return not isinstance(value, dict) or all(type(item) is str for item in value.values())


def _describe(hint: Any) -> str:
    """A type in words; of an optional one without the null."""
    kind = get_args(hint)[0] if isinstance(hint, UnionType) else hint
    return KINDS[get_origin(kind) or kind]
