"""Paris drawn as text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from rfop_env.games.paris.board import (
    ARC,
    DISTRICT_NAMES,
    DISTRICTS,
    END_NAMES,
    FIRST_BANK,
    FIRST_LANDMARK,
    GOOD_NAMES,
    LANDMARK_NAMES,
    RESOURCES,
    TRACK,
    TYPE_NAMES,
    VALUE_COUNT,
    VALUES,
    ZONE_NAMES,
)
from rfop_env.games.paris.draw.view import GOOD_LETTERS, LETTERS, SPECTATOR, TileSource, View, counted
from rfop_env.games.paris.state import NOWHERE

WIDTH = 100
NAME_WIDTH, BANK_WIDTH, CELL_WIDTH, SIDE_WIDTH = 14, 7, 9, 25
TRACK_ROW = 10  # spaces of the bonus track in a line
TRACK_WIDTH = 9
NO_BUILDING = ".."
TEXT_COLOURS = ("\x1b[31m", "\x1b[34m", "\x1b[32m", "\x1b[35m")  # by player
RESET = "\x1b[0m"


def draw_text(s: Any, components: TileSource, viewer: int | None = None, colour: bool = False) -> str:
    """The position in at most 100 columns, as `viewer` sees it.

    `viewer` is a seat, SPECTATOR, or None for the player to move; `colour` gives each player's line a colour.
    """
    view = View(s, components, viewer)
    lines = ["PARIS   " + view.course_text(), view.decision_text(), "─" * WIDTH]
    lines += _districts(view)
    lines += _legend(view)
    lines += _supplies(view)
    lines += _track(view)
    text = "\n".join(line.rstrip() for line in lines)
    for player in range(view.players):
        row = "\n".join(line.rstrip() for line in _player(view, player))
        text += "\n" + (f"{TEXT_COLOURS[player]}{row}{RESET}" if colour else row)
    return text


# -- districts ---------------------------------------------------------------------------------------------------------


def _districts(view: View) -> list[str]:
    heads = [f"{value:<{CELL_WIDTH}}" for value in VALUES]
    lines = [f"{'':{NAME_WIDTH}}{'bank':<{BANK_WIDTH}}{''.join(heads)}VP tile, landmarks"]
    for district in range(DISTRICTS):
        lines += _district(view, district)
    return lines


def _district(view: View, district: int) -> list[str]:
    """A line for the district; its landmarks go on below each other at the right."""
    bank = f"{view.tables.bank[district]} {_letters(view.keys(FIRST_BANK + district))}"
    cells = [_building(view, VALUE_COUNT * district + i) for i in range(VALUE_COUNT)]
    left = f"{DISTRICT_NAMES[district]:<{NAME_WIDTH}}{bank:<{BANK_WIDTH}}{''.join(f'{c:<{CELL_WIDTH}}' for c in cells)}"
    notes = [f"VP {_slashed(view.placings(tile))}" for tile in view.vp_tiles(district)]
    notes += [_landmark(view, i) for i in view.landmarks(district)]
    rows = _packed(notes, SIDE_WIDTH)
    return [left + rows[0], *(" " * len(left) + row for row in rows[1:])]


def _packed(notes: Sequence[str], room: int) -> list[str]:
    """Notes in lines of at most so many letters; one empty line if there are none."""
    rows = [""]
    for note in notes:
        longer = f"{rows[-1]}; {note}" if rows[-1] else note
        if len(longer) <= room:
            rows[-1] = longer
        else:
            rows.append(note)
    return rows


def _building(view: View, space: int) -> str:
    """Type, token and keys: `ho+s AB`; an empty space shows its token alone."""
    tile, token = view.tile(space), view.token(space)
    name = NO_BUILDING if tile is None else view.type_name(tile)[:2]
    beside = "" if token is None else f"+{GOOD_LETTERS[token]}"
    return f"{name}{beside} {_letters(view.keys(space))}"


def _landmark(view: View, landmark: int) -> str:
    place = FIRST_LANDMARK + landmark
    return f"{LANDMARK_NAMES[landmark]} {view.landmark_value(landmark)} {_letters(view.keys(place))}".rstrip()


def _letters(players: Iterable[int]) -> str:
    return "".join(LETTERS[player] for player in players)


def _slashed(numbers: Iterable[int]) -> str:
    return "/".join(map(str, numbers))


def _legend(view: View) -> list[str]:
    types = ", ".join(f"{name[:2]} {name}" for name in TYPE_NAMES[:-1])
    goods = ", ".join(f"{letter} {name}" for letter, name in zip(GOOD_LETTERS, GOOD_NAMES, strict=True))
    return [
        f"Arc de Triomphe: {_letters(view.keys(ARC)) or 'no key'}",
        *_wrap(f"({types}; tokens {goods}; letters are keys)", 1),
        "─" * WIDTH,
    ]


# -- supplies ----------------------------------------------------------------------------------------------------------


def _supplies(view: View) -> list[str]:
    stacks = [f"{k + 1}: {_pile(left, top)}" for k, (left, top) in enumerate(view.piles())]
    lines = _wrap(f"Stacks     {', '.join(stacks)}", 11)
    tiles = ", ".join(_slashed(view.placings(tile)) for tile in view.vp_tiles(NOWHERE))
    lines += _wrap(f"VP tiles   {tiles or 'none left'}", 11)
    lines += _wrap(f"Landmarks  {'; '.join(_offered(view, i) for i in view.landmarks(NOWHERE)) or 'none left'}", 11)
    lines += _wrap(f"Resources  {', '.join(_stock(view, good) for good in range(RESOURCES))}", 11)
    return [*lines, *_wrap(f"End Game   {_end_tiles(view)}", 11)]


def _pile(left: int, top: str) -> str:
    return f"{left} left, {top} on top" if left else "empty"


def _offered(view: View, landmark: int) -> str:
    """A landmark of the supply with what it costs and what prestige is worth on it."""
    cost = counted(view.cost(FIRST_LANDMARK + landmark))
    sections = "".join(f" +{GOOD_LETTERS[good]} {vp}" for good, vp in view.sections(landmark))
    return f"{LANDMARK_NAMES[landmark]} {view.landmark_value(landmark)} ({cost or 'no resources'};{sections or ' -'})"


def _stock(view: View, good: int) -> str:
    prices = f"buy {view.tables.buy_price[good]}, sell {view.tables.sell_price[good]}"
    return f"{view.s.supply[good]} {GOOD_NAMES[good]} ({prices})"


def _end_tiles(view: View) -> str:
    left, kinds = view.end_tiles_left(), view.end_kinds_left()
    if kinds is None:
        return f"{left} tiles left{', face down' * (left > 0)}"
    return f"{left} tiles left: " + ", ".join(f"{n} {END_NAMES[kind]}" for kind, n in kinds.items())


def _track(view: View) -> list[str]:
    """The bonus track: number, copies, meeples. An empty space is a dot."""
    spaces = list(view.track())
    cells = [f"{n}{f'x{left}' * (left > 1)}" if left else "." for _, n, left, _ in spaces]
    cells = [f"{cell} {_letters(meeples)}".rstrip() for cell, (_, _, _, meeples) in zip(cells, spaces, strict=True)]
    zones = [ZONE_NAMES[view.tables.zone[space]] for space, _, _, _ in spaces]
    lines = []
    for first in range(0, TRACK, TRACK_ROW):
        row = range(first, first + TRACK_ROW)
        marked = [f"{zones[i]}:{cells[i]}" if i == 0 or zones[i] != zones[i - 1] else cells[i] for i in row]
        title = "Bonus      " if first == 0 else " " * 11
        lines.append(title + "".join(f"{cell:<{TRACK_WIDTH}}" for cell in marked))
    at_start = _letters(view.meeples(0))
    return [*lines, *([f"{'':11}before the start: {at_start}"] if at_start else []), "─" * WIDTH]


# -- players -----------------------------------------------------------------------------------------------------------


def _player(view: View, player: int) -> list[str]:
    s = view.s
    who = " (you)" if player == view.viewer != SPECTATOR else ""
    keys = f"keys {s.keys_in_hand[player]} in hand, {s.keys_aside[player]} aside"
    lines = _wrap(f"{view.name(player)}{who}   {s.vp[player]} VP   {keys}   {_purse(view, player)}", 2)
    lines += _wrap(f"  unused: {_unused(view, player)}", 10)
    return lines + _wrap(f"  used: {_used(view, player)}", 8) * bool(view.used(player) or view.used_end_tiles(player))


def _purse(view: View, player: int) -> str:
    """Francs and tokens, or that they are hidden."""
    if not view.sees(player):
        return "Francs and tokens hidden"
    goods = [good for good, n in enumerate(view.goods(player)) for _ in range(n)]
    return f"{view.s.francs[player]} Francs   {counted(goods) or 'no tokens'}"


def _unused(view: View, player: int) -> str:
    """Tiles behind the screen; of those that the viewer may not see, how many."""
    bonus, ends = view.bonus(player), view.end_tiles(player)
    parts = [f"#{n} {view.components.card_name(n)}" for n in bonus.seen]
    parts += [f"{bonus.hidden} bonus tile{'s' * (bonus.hidden > 1)} hidden"] * (bonus.hidden > 0)
    parts += [f"End Game {END_NAMES[kind]}" for kind in ends.seen]
    parts += [f"{ends.hidden} End Game tile{'s' * (ends.hidden > 1)} hidden"] * (ends.hidden > 0)
    return ", ".join(parts) or "no tiles"


def _used(view: View, player: int) -> str:
    parts = [f"#{n}" for n in view.used(player)]
    return ", ".join([*parts, *(f"End Game {END_NAMES[kind]}" for kind in view.used_end_tiles(player))])


def _wrap(line: str, indent: int) -> list[str]:
    return textwrap.wrap(line, WIDTH, subsequent_indent=" " * indent, break_on_hyphens=False, drop_whitespace=True)
