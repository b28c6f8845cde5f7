"""The journal of Paris: the codes that the rules write, and the sentences made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rfop_env.core.decisions import journal_sentences
from rfop_env.games.paris import board

(
    NOTE_DRAWN,  # player, tile, its space + 1 (0: discarded)
    NOTE_PUT,  # player, place, Francs
    NOTE_MOVED,  # player, from, to
    NOTE_GOT,  # player, good: the token beside a building
    NOTE_PAID,  # player, good, what paid it (0 a token, or a source below)
    NOTE_SOLD,  # player, good, 1: for a player without a turn, before final scoring
    NOTE_BOUGHT,  # player, good
    NOTE_SECTION,  # player, landmark's place, VP
    NOTE_BONUS,  # player, number: taken
    NOTE_USED,  # player, number
    NOTE_FRANCS,  # player, Francs
    NOTE_VP,  # player, VP
    NOTE_VP_TILE,  # player, tile, district
    NOTE_SEARCHED,  # player
    NOTE_END_TILE,  # player, kind: used or sold
    NOTE_KEY,  # player
    NOTE_PASSED,  # player
    NOTE_LAST_TILE,  # player
    NOTE_LEFTOVERS,  # player, Francs
    NOTE_AWARD,  # player, district, VP
) = range(1, 21)

# What paid a good, besides a token.
BY_BONUS_TILE, BY_END_TILE = 1, 2
SOURCE_NAMES = ("a token", "a bonus tile", "an End Game tile")
JOURNAL_LIMIT = 127  # larger numbers are written as this one


def _new_place(tile: int, space: int) -> str:
    """Where a tile goes, in words, if not to the space that it names; `space` is -1 for one that is discarded."""
    return ": discarded" if space < 0 else "" if space == tile else f" for {board.SPACE_NAMES[space]}"


def sentence(code: int, a: int, b: int, c: int) -> str:
    """The sentence of one journal entry."""
    player = f"player {a}"
    spaces, places, goods, districts = board.SPACE_NAMES, board.PLACE_NAMES, board.GOOD_TITLES, board.DISTRICT_NAMES
    texts: dict[int, Callable[[], str]] = {
        NOTE_DRAWN: lambda: f"{player} draws {spaces[b]}" + _new_place(b, c - 1),
        NOTE_PUT: lambda: f"{player} puts a key on {places[b]}" + (f" and takes {c} Francs" if c else ""),
        NOTE_MOVED: lambda: f"{player} moves a key from {places[b]} to {places[c]}",
        NOTE_GOT: lambda: f"{player} takes the {goods[b]}",
        NOTE_PAID: lambda: f"{player} pays {goods[b]} with {SOURCE_NAMES[c]}",
        NOTE_SOLD: lambda: f"{player} sells {goods[b]}",
        NOTE_BOUGHT: lambda: f"{player} buys {goods[b]}",
        NOTE_SECTION: lambda: f"{player} fills a section of {places[b]}: {c} VP",
        NOTE_BONUS: lambda: f"{player} takes bonus tile {b}",
        NOTE_USED: lambda: f"{player} uses bonus tile {b}",
        NOTE_FRANCS: lambda: f"{player}: {b:+d} Francs",
        NOTE_VP: lambda: f"{player}: {b:+d} VP",
        NOTE_VP_TILE: lambda: f"{player} places VP tile {b + 1} in {districts[c]}",
        NOTE_SEARCHED: lambda: f"{player} takes an End Game tile",
        NOTE_END_TILE: lambda: f"{player} uses the End Game tile {board.END_NAMES[b]}",
        NOTE_KEY: lambda: f"{player} takes an extra key",
        NOTE_PASSED: lambda: f"{player} passes",
        NOTE_LAST_TILE: lambda: f"{player} took the last End Game tile: this round and one more",
        NOTE_LEFTOVERS: lambda: f"{player} sells what is left for {b} Francs",
        NOTE_AWARD: lambda: f"{player} scores {c} VP in {districts[b]}",
    }
    return texts[code]()


def sentences(s: Any, components: Any) -> list[str]:
    """The sentences of everything that happened since the last decision, in order."""
    return journal_sentences(s, sentence)
