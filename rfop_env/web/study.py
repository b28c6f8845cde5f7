"""A study: a fixed series of games for each of many participants, with consent, questions and decision times.

The configuration is a TOML file (`read_study`). `Participants` keeps a file for each participant under the code that
the researcher has given, with the answers and the plan of games; the games themselves are open games of the server
(`rfop_env.web.sessions`), in which a participant is a guest. Nothing but the code says who somebody is.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from rfop_env.agent_names import PERSON
from rfop_env.core.errors import RfopError, nearest, printable, shown
from rfop_env.core.files import read_file, read_text, read_toml, write_atomically
from rfop_env.core.game import Game
from rfop_env.game_setup import ComponentSets
from rfop_env.players import AgentLoader
from rfop_env.registry import get_game, list_games
from rfop_env.web.game_session import milliseconds
from rfop_env.web.refusals import LONGEST_NAME, Refused
from rfop_env.web.session import Session
from rfop_env.web.sessions import Sessions

MOST_BYTES = 2**18
CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
KEPT, FOLDER = "study.toml", "participants"
TEXT, CHOICE, SCALE, NUMBER = KINDS = ("text", "choice", "scale", "number")
BEFORE, AFTER, GAME = WHEN = ("before", "after", "game")  # all games, or after each
FIXED, RANDOM, BALANCED = ORDERS = ("fixed", "random", "balanced")
LONGEST_ANSWER = 2000
MOST_GAMES, MOST_QUESTIONS, MOST_STEPS = 50, 50, 11


class BadStudy(RfopError, ValueError):
    """A configuration that is not valid: where, what was expected, and what was found."""


@dataclass(frozen=True)
class StudyQuestion:
    """A question of the researcher's."""

    name: str  # the column of the answers
    text: str
    kind: str = TEXT
    when: str = BEFORE
    choices: list[str] = field(default_factory=list)  # of a choice
    low: int = 1  # of a scale or a number
    high: int = 7
    low_label: str = ""  # what the ends of a scale mean
    high_label: str = ""
    optional: bool = False


@dataclass(frozen=True)
class StudyGame:
    """A game of the series."""

    env: str
    opponent: str = ""  # who has all other seats
    seat: str = BALANCED  # a seat's name; "balanced": each in turn; "random": by the participant's code
    seed: int | None = None  # the same deal for everybody; None: by the participant's code
    options: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Study:
    """A study as its configuration says."""

    title: str
    consent: str  # the text that a participant agrees to
    games: list[StudyGame]
    questions: list[StudyQuestion] = field(default_factory=list)
    order: str = FIXED  # of the games; "balanced": each participant begins one game further; "random": by code
    hints: bool = False  # whether participants may ask for hints and values
    undo: bool = False
    thanks: str = "Thank you. The study is over, and you can close this page."
    codes: list[str] = field(default_factory=list)  # of the participants; empty: any code
    digest: str = ""  # of the file


# -- the configuration -------------------------------------------------------------------------------------------------


def read_study(path: Path, programs: AgentLoader, component_sets: ComponentSets) -> Study:
    """The study of a configuration, whose opponents can all be loaded. Raises `BadStudy` and what reading raises."""
    document = read_toml(path, MOST_BYTES)
    place = printable(str(path))
    rows = {name: _rows(document.pop(name, []), f"{place}: {name}") for name in ("game", "question")}
    games = [_parsed(StudyGame, row, f"{place}: game {k + 1}") for k, row in enumerate(rows["game"])]
    questions = [_parsed(StudyQuestion, row, f"{place}: question {k + 1}") for k, row in enumerate(rows["question"])]
    digest = hashlib.sha256(read_file(path, MOST_BYTES)).hexdigest()[:12]
    content = {**document, "games": games, "questions": questions, "digest": digest}
    for name in ("games", "questions", "digest"):
        if name in document:
            raise BadStudy(f"{place}: {name}: unknown; games stand as [[game]], questions as [[question]]")
    study = _parsed(Study, content, place)

    _require(study.order in ORDERS, f"{place}: order", f"one of {', '.join(ORDERS)}", study.order)
    _require(1 <= len(games) <= MOST_GAMES, f"{place}: game", f"1 to {MOST_GAMES} games", len(games))
    _require(len(questions) <= MOST_QUESTIONS, f"{place}: question", f"at most {MOST_QUESTIONS}", len(questions))
    for code in study.codes:
        _require(CODE.fullmatch(code) is not None, f"{place}: codes", "up to 40 letters, digits, - and _ each", code)
    names = [question.name for question in questions]
    for k, question in enumerate(questions):
        _check_question(question, f"{place}: question {k + 1}")
        _require(
            names.index(question.name) == k, f"{place}: question {k + 1}: name", "a name of its own", question.name
        )
    for k, game in enumerate(games):
        _check_game(game, f"{place}: game {k + 1}", programs, component_sets)
    return study


def _rows(value: object, place: str) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise BadStudy(f"{place}: expected tables, each with the head [[{place.rpartition(' ')[2]}]]")
    return value


def _parsed(kind: Callable[..., Any], values: Mapping[str, Any], place: str) -> Any:
    """An object of a dataclass from the values of a table."""
    types = {
        "str": str,
        "int": int,
        "bool": bool,
        "int | None": int,
        "list[str]": list,
        "dict[str, str]": dict,
    }
    parts_by_name = {part.name: part for part in fields(kind)}  # type: ignore[arg-type]
    for name, value in values.items():
        if name not in parts_by_name:
            raise BadStudy(f"{place}: {printable(name, 60)}: unknown; {nearest(name, list(parts_by_name))}")
        expected = types.get(str(parts_by_name[name].type))
        if expected is not None and type(value) is not expected:
            raise BadStudy(f"{place}: {name}: expected {WORDS[expected]}, found {shown(value, 80)}")
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        if expected in (list, dict) and not all(type(part) is str for part in parts):
            raise BadStudy(f"{place}: {name}: expected {WORDS[expected]}, found {shown(value, 80)}")
    for name, part in parts_by_name.items():
        if name not in values and part.default is MISSING and part.default_factory is MISSING:
            raise BadStudy(f"{place}: {name} is missing")
    return kind(**values)


WORDS: dict[type, str] = {
    str: "a text",
    int: "a whole number",
    bool: "true or false",
    list: "a list of texts",
    dict: "texts by name",
}


def _require(holds: bool, place: str, expected: str, value: object) -> None:
    if not holds:
        raise BadStudy(f"{place}: expected {expected}, found {shown(value, 80)}")


def _check_question(question: StudyQuestion, place: str) -> None:
    _require(CODE.fullmatch(question.name) is not None, f"{place}: name", "letters, digits, - and _", question.name)
    _require(question.kind in KINDS, f"{place}: kind", f"one of {', '.join(KINDS)}", question.kind)
    _require(question.when in WHEN, f"{place}: when", f"one of {', '.join(WHEN)}", question.when)
    _require(bool(question.text.strip()), f"{place}: text", "a question", question.text)
    if question.kind == CHOICE:
        distinct = len(set(question.choices)) == len(question.choices) > 1 and all(question.choices)
        _require(distinct, f"{place}: choices", "two different texts at least", question.choices)
    if question.kind in (SCALE, NUMBER):
        _require(question.low < question.high, f"{place}: high", f"more than low ({question.low})", question.high)
    if question.kind == SCALE:
        steps = question.high - question.low + 1
        _require(steps <= MOST_STEPS, f"{place}: high", f"a scale of at most {MOST_STEPS} steps", question.high)


def _check_game(game: StudyGame, place: str, programs: AgentLoader, component_sets: ComponentSets) -> None:
    if game.env not in list_games():
        raise BadStudy(f"{place}: env: {shown(game.env, 60)} is none; {nearest(game.env, list_games())}")
    try:
        components = component_sets.of(game.env)[0]
        under = get_game(game.env).under(game.options, components)
    except RfopError as error:
        raise BadStudy(f"{place}: options: {error}") from None
    names = [*under.spec.seats, RANDOM, BALANCED]
    _require(game.seat in names, f"{place}: seat", f"one of {', '.join(names)}", game.seat)
    if game.seed is not None:
        _require(0 <= game.seed < 2**64, f"{place}: seed", "a whole number from 0, below 2**64", game.seed)
    if under.spec.players == 1:
        _require(game.opponent == "", f"{place}: opponent", "none, in a game of one seat", game.opponent)
        return
    _require(0 < len(game.opponent) <= LONGEST_NAME, f"{place}: opponent", "the name of a program", game.opponent)
    _require(game.opponent != PERSON, f"{place}: opponent", "the name of a program", game.opponent)
    try:
        programs.load(game.opponent, under, components)
    except RfopError as error:
        raise BadStudy(f"{place}: opponent: {error}") from None


# -- participants ------------------------------------------------------------------------------------------------------


@dataclass
class Participant:
    """One participant, as the file says."""

    code: str
    number: int  # how many came before
    plan: list[dict[str, Any]]  # the games in order: {game (its number in the configuration), seat, seed, id}
    consent: int | None = None  # when it was given, in milliseconds since 1970
    answers: dict[str, Any] = field(default_factory=dict)  # by the question's name; after games: "NAME 1", "NAME 2"
    asked: list[str] = field(default_factory=list)  # questionnaires that are done: "before", "game 1", "after"
    visits: list[int] = field(default_factory=list)  # when the participant came to the page


class Participants:
    """All participants of a study, and their steps through it.

    Raises `BadStudy` where the folder is that of another configuration.
    """

    def __init__(
        self, study: Study, config: str, folder: Path, sessions: Sessions, new_session: Callable[..., Session]
    ) -> None:
        self.study, self._folder, self._sessions = study, folder / FOLDER, sessions
        self._new_session = new_session
        self._lock = threading.RLock()
        copy = folder / KEPT
        if copy.exists() and read_text(copy, MOST_BYTES) != config:
            raise BadStudy(
                f"{printable(str(folder))} is the folder of another study, or this one has changed: take a new one"
            )
        self._folder.mkdir(parents=True, exist_ok=True)
        if not copy.exists():
            write_atomically(copy, config.encode())
        self._number = len(list(self._folder.glob("*.json")))

    def enter(self, code: str) -> dict[str, Any]:
        """The step at which a participant stands, who may be new."""
        with self._lock:
            participant = self._get(code)
            participant.visits.append(milliseconds())
            self._write(participant)
            return self._step(participant)

    def answer(self, code: str, consent: bool, answers: Mapping[str, str]) -> dict[str, Any]:
        """Take the answers to the step at which a participant stands; returns the next one. Raises `Refused`."""
        with self._lock:
            participant = self._get(code)
            step = self._step(participant)
            if step["step"] == "consent":
                if not consent:
                    raise Refused("without your consent there is nothing further to do; you can close this page")
                participant.consent = milliseconds()
            elif step["step"] == "questions":
                _, space, number = step["about"].partition(" ")
                for question in self._questions(step["about"]):
                    value = _read_answer(question, answers.get(question.name, ""))
                    participant.answers[f"{question.name}{space}{number}"] = value
                participant.asked.append(step["about"])
            elif step["step"] == "game" and step["over"]:
                participant.asked.append(f"seen {step['number']}")
            self._write(participant)
            return self._step(participant)

    # -- steps -----------------------------------------------------------------------------------------------------

    def _step(self, participant: Participant) -> dict[str, Any]:
        """Where a participant stands: consent, questions, a game, or the end."""
        study = self.study
        step: dict[str, Any] = {"title": study.title, "of": len(participant.plan)}
        if participant.consent is None:
            return step | {"step": "consent", "text": study.consent}
        if self._open_questions(participant, BEFORE):
            return step | self._questionnaire(BEFORE)
        for number, planned in enumerate(participant.plan, 1):
            if f"seen {number}" not in participant.asked:
                return step | self._game(participant, number, planned)
            if self._open_questions(participant, f"{GAME} {number}"):
                return step | self._questionnaire(f"{GAME} {number}")
        if self._open_questions(participant, AFTER):
            return step | self._questionnaire(AFTER)
        return step | {"step": "end", "text": study.thanks}

    def _questions(self, about: str) -> list[StudyQuestion]:
        return [question for question in self.study.questions if question.when == about.partition(" ")[0]]

    def _open_questions(self, participant: Participant, about: str) -> bool:
        return about not in participant.asked and bool(self._questions(about))

    def _questionnaire(self, about: str) -> dict[str, Any]:
        return {"step": "questions", "about": about, "questions": [asdict(q) for q in self._questions(about)]}

    def _game(self, participant: Participant, number: int, planned: dict[str, Any]) -> dict[str, Any]:
        """The game of a participant, which begins now if it has not begun."""
        if planned["id"] is None:
            session = self._begin(planned)
            planned["id"] = session.id
            self._write(participant)
        session = self._sessions.get(planned["id"])
        return {
            "step": "game",
            "number": number,
            "game": session.id,
            "token": session.guests[planned["seat"]],
            "over": session.over,
        }

    def _begin(self, planned: Mapping[str, Any]) -> Session:
        game = self.study.games[planned["game"]]
        under = get_game(game.env).under(game.options)
        seats = [game.opponent] * under.spec.players
        seats[planned["seat"]] = PERSON

        def make() -> Session:
            session = self._new_session(get_game(game.env), seats, options=game.options, seed=int(planned["seed"]))
            session.guests = {planned["seat"]: session.guest_token()}
            return session

        return self._sessions.open(make)

    # -- files -----------------------------------------------------------------------------------------------------

    def _get(self, code: str) -> Participant:
        if not CODE.fullmatch(code):
            raise Refused("a participant's code has up to 40 letters, digits, - and _")
        path = self._folder / f"{code}.json"
        if path.exists():
            return read_participant(path)
        if self.study.codes and code not in self.study.codes:
            raise Refused(f"this study has no participant {code!r}: look at the code that you were given")
        plan = make_plan(self.study, code, self._number)
        participant = Participant(code, self._number, plan)
        self._number += 1
        self._write(participant)
        return participant

    def _write(self, participant: Participant) -> None:
        path = self._folder / f"{participant.code}.json"
        write_atomically(path, json.dumps(asdict(participant), indent=1).encode(), 0o600)


def read_participant(path: Path) -> Participant:
    """The participant of a file; raises `RfopError`."""
    try:
        return Participant(**json.loads(read_text(path, MOST_BYTES)))
    except (ValueError, TypeError, RecursionError):
        raise RfopError(f"{printable(str(path))} is no file of a participant") from None


def make_plan(study: Study, code: str, number: int) -> list[dict[str, Any]]:
    """The games of a participant in order, with seats and seeds: the same whenever it is asked for.

    `number`: how many participants came before, for what is balanced.
    """
    own = random.Random(f"{study.digest} {code}")
    count = len(study.games)
    order = list(range(count))
    if study.order == RANDOM:
        own.shuffle(order)
    if study.order == BALANCED:
        order = [(number + k) % count for k in order]
    rounds = number // count if study.order == BALANCED else number  # how often all orders have come before
    plan = []
    for k in order:
        game = study.games[k]
        under: Game = get_game(game.env).under(game.options)
        seats = under.spec.seats
        seat = {RANDOM: own.randrange(len(seats)), BALANCED: (rounds + k) % len(seats)}.get(game.seat)
        seat = list(seats).index(game.seat) if seat is None else seat
        seed = own.getrandbits(48) if game.seed is None else game.seed
        plan.append({"game": k, "seat": seat, "seed": str(seed), "id": None})
    return plan


def _read_answer(question: StudyQuestion, text: str) -> str | int | None:
    """An answer, or None where there is none to an optional question; raises `Refused` with a sentence."""
    text = text.strip()
    if not text:
        if question.optional:
            return None
        raise Refused(f"please answer: {question.text}")
    if question.kind == CHOICE and text not in question.choices:
        raise Refused(f"please choose one of the answers: {question.text}")
    if question.kind in (SCALE, NUMBER):
        number = re.fullmatch(r"-?\d{1,9}", text)
        if number is None or not question.low <= int(text) <= question.high:
            raise Refused(f"please give a whole number from {question.low} to {question.high}: {question.text}")
        return int(text)
    if len(text) > LONGEST_ANSWER:
        raise Refused(f"please answer in at most {LONGEST_ANSWER} letters: {question.text}")
    return text


def answer_columns(study: Study) -> Sequence[str]:
    """The names of all answers, in the order in which they are given."""
    columns = [q.name for q in study.questions if q.when == BEFORE]
    columns += [f"{q.name} {k + 1}" for k in range(len(study.games)) for q in study.questions if q.when == GAME]
    return [*columns, *(q.name for q in study.questions if q.when == AFTER)]
