"""Positions, rules and moves in words: for language models, and for everybody who plays by text.

A view is a position as one seat sees it. The drawing is the terminal's, the sentences are the journal's and those of
the action table, the named pieces are those of the observation. None of them holds anything hidden from the seat.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any

from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import GameOver, UnclearMove, nearest, printable
from rfop_env.core.game import Game
from rfop_env.seat_view import LegalAction, SeatView, legal_actions

MAX_MOVE = 500  # characters
MAX_NAMES = 5  # actions in a message
CLOSE = 0.8  # the least similarity of a label with a typing error, 0 to 1

NUMBERED = re.compile(r"(\d{1,6})\s*[.):]\s*(\S.*)")  # "3. place Press"
BRACKETS = re.compile(r"\[([^\[\]]*)\]")
WRAPPING = " \t\n\"'`*_.,;:!"  # around a move in a sentence


# -- views -------------------------------------------------------------------------------------------------------------


def view_text(
    batch: GameBatch,
    game: int = 0,
    seat: int | None = None,
    *,
    list_legal_actions: bool = True,
    journal: Sequence[str] | None = None,
) -> str:
    """A game's position as a seat sees it, as text.

    `seat` is a number, by default the seat that decides. `journal` are the sentences on what has happened, by default
    since the last decision. The legal actions are listed for the seat that decides alone. Raises `NotStarted`,
    `BadArgument`.
    """
    view = SeatView.of(batch, game, seat)
    parts = [view.text()]
    lines = batch.journal(game) if journal is None else journal
    if lines:
        parts.append("\n".join(["What has happened:", *(f"- {line.strip()}" for line in lines)]))
    parts.append(view.situation)
    if list_legal_actions and view.decides:
        actions = [f"{action.number}. {action.line}" for action in legal_actions(batch, game)]
        parts.append("\n".join(["Legal actions:", *actions]))
    return "\n\n".join(parts)


def view_json(
    batch: GameBatch,
    game: int = 0,
    seat: int | None = None,
    *,
    list_legal_actions: bool = True,
    journal: Sequence[str] | None = None,
) -> dict[str, Any]:
    """A game's position as a seat sees it, as values for JSON; the arguments are those of `view_text`.

    =================  =============================================================================================
    ``game``           the environment's id; ``title`` is the game's name
    ``seat``           the name of the seat that looks; ``side`` is what it plays
    ``decides``        the name of the seat that decides; None once the game has ended
    ``question``       who decides what, or how the game ended, a line
    ``situation``      the same from the side of the seat that looks
    ``over``           whether the game has ended; ``result`` then says how, a sentence
    ``journal``        sentences on what has happened
    ``drawing``        the board as text
    ``knows``          the pieces of the seat's observation by name: numbers, lists or the names of entries that are set
    ``legal_actions``  for the seat that decides: number, id, label and sentence of each; missing if they are not listed
    =================  =============================================================================================

    Raises `NotStarted`, `BadArgument`.
    """
    view = SeatView.of(batch, game, seat)
    viewer, seats = view.viewer, view.game.spec.seats
    values: dict[str, Any] = {
        "game": view.game.id,
        "title": view.game.title,
        "seat": seats[viewer],
        "side": view.sides[viewer],
        "decides": None if view.decider is None else seats[view.decider],
        "question": view.question,
        "situation": view.situation,
        "over": view.over,
        "result": view.result if view.over else None,
        "journal": list(batch.journal(game) if journal is None else journal),
        "drawing": view.text(),
        "knows": view.game.observation.describe(batch.observe(viewer)[game]),
    }
    if list_legal_actions:
        actions = legal_actions(batch, game) if view.decides else []
        values["legal_actions"] = [
            {"number": action.number, "id": action.id, "label": action.label, "sentence": action.sentence}
            for action in actions
        ]
    return values


def rules_text(game: Game) -> str:
    """The rules of a game in brief, in the words of its `BRIEF.md`; "" for a game without one.

    What stands under the heading of another environment's id is left out.
    """
    return game.brief


# -- moves -------------------------------------------------------------------------------------------------------------


def parse_move(batch: GameBatch, text: str, game: int = 0) -> int:
    """The id of the legal action that a text names.

    A text names an action by its number in the list of legal actions, its label, the start or a part of a label that no
    other legal action has, a label with a typing error, or the whole line of the list. Case, accents and the marks
    around the text do not matter. The name of an action that is not legal now is never taken for another one. Raises
    `UnclearMove` with the nearest legal actions, and `GameOver`.
    """
    actions = legal_actions(batch, game)
    if not actions:
        raise GameOver("the game has ended: there is nothing to decide")
    return _Moves(batch.game, actions).find(text).id


def move_in(reply: str) -> str:
    """The move in a reply: the last words in square brackets, or else its last line."""
    moves = [words.strip() for words in BRACKETS.findall(reply) if words.strip()]
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    return moves[-1] if moves else lines[-1] if lines else ""


class _Moves:
    """The legal actions of a position, by the words for them."""

    def __init__(self, game: Game, actions: Sequence[LegalAction]) -> None:
        self._game = game
        self._actions = actions
        self._labels = [(action, {_plain(action.label), _plain(action.short_label)}) for action in actions]
        self._lines = {_plain(action.line): action for action in actions}

    def find(self, text: str) -> LegalAction:
        """The action that a text names."""
        words = _plain(text)
        quote = printable(text.strip(), 60)
        if not words:
            raise UnclearMove(f"no move in '{quote}': name one of the legal actions, {self._some(self._actions)}")
        if len(words) > MAX_MOVE:
            raise UnclearMove(f"a move has at most {MAX_MOVE} characters, found {len(words)}: give a label alone")
        if words.isdecimal():
            return self._by_number(words)
        if words in self._lines:
            return self._lines[words]
        if (match := NUMBERED.fullmatch(words)) and not self._fitting(str.__eq__, words):
            return self._by_number_and_label(match[1], match[2])

        # A whole label, the start of one, or a part of one, if only one action fits.
        tests: tuple[Callable[[str, str], bool], ...] = (str.__eq__, str.startswith, str.__contains__)
        for fits in tests:
            candidates = self._fitting(fits, words)
            if len(candidates) == 1:
                return candidates[0]
            if candidates:
                raise UnclearMove(f"'{quote}' can mean {self._some(candidates)}: give more of it")
            if fits is str.__eq__:
                self._require_legal(words, quote)
        return self._closest(words, quote)

    def _by_number(self, digits: str) -> LegalAction:
        if len(digits) > 6 or not 1 <= int(digits) <= len(self._actions):
            raise UnclearMove(
                f"there is no {printable(digits, 6)} in the list of legal actions: it ends at {len(self._actions)}"
            )
        return self._actions[int(digits) - 1]

    def _by_number_and_label(self, digits: str, words: str) -> LegalAction:
        """The action of a number and its label, which have to agree."""
        by_label, by_number = self.find(words), self._by_number(digits)
        if by_label != by_number:
            raise UnclearMove(
                f"number {digits} is {by_number.label!r}, not {by_label.label!r}: give the number or the label"
            )
        return by_label

    def _fitting(self, fits: Callable[[str, str], bool], words: str) -> list[LegalAction]:
        return [action for action, labels in self._labels if any(fits(label, words) for label in labels)]

    def _require_legal(self, words: str, quote: str) -> None:
        """Raise `UnclearMove` for the whole label of an action that is not legal now."""
        if any(_plain(row.label) == words for row in self._game.actions):
            raise UnclearMove(f"'{quote}' is not legal now: {self._hint(words)}")

    def _closest(self, words: str, quote: str) -> LegalAction:
        """The only action with nearly these words, and the same numbers in them."""
        actions = {label: action for action, labels in self._labels for label in labels}
        candidates = [label for label in actions if _numbers(label) == _numbers(words)]
        matches = {actions[label] for label in get_close_matches(words, candidates, n=3, cutoff=CLOSE)}
        if len(matches) != 1:
            raise UnclearMove(f"'{quote}' is not among the legal actions: {self._hint(words)}")
        return matches.pop()

    def _hint(self, words: str) -> str:
        return nearest(words, [action.short_label for action in self._actions])

    @staticmethod
    def _some(actions: Sequence[LegalAction]) -> str:
        ellipsis = ", ..." if len(actions) > MAX_NAMES else ""
        return ", ".join(repr(action.label) for action in actions[:MAX_NAMES]) + ellipsis


def _plain(text: str) -> str:
    """A text without accents, capitals, brackets and the marks around it, with single spaces."""
    letters = "".join(c for c in unicodedata.normalize("NFD", text.replace("’", "'")) if not unicodedata.combining(c))
    return " ".join(letters.casefold().strip(WRAPPING + "[](){}<>").split())


def _numbers(words: str) -> list[str]:
    return re.findall(r"\d+", words)
