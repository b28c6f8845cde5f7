"""Paris drawn as text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from rfop_env.games.paris.component_set import ComponentSet
from rfop_env.games.paris import board, state
from rfop_env.games.paris.draw.view import GOOD_LETTERS, LETTERS, SPECTATOR, View, counted

WIDTH = 100
NAME_WIDTH, BANK_WIDTH, CELL_WIDTH, SIDE_WIDTH = 14, 7, 9, 25
TRACK_ROW = 10  # spaces of the bonus track in a line
TRACK_WIDTH = 9
INDENT = 11  # of the lines about supplies and the bonus track
NO_BUILDING = ".."


def draw_text(s: Any, components: ComponentSet, viewer: int | None = None) -> str:
    """The position in at most 100 columns, as `viewer` sees it.

    `viewer` is a seat, SPECTATOR, or None for the player to move.
    """
    view = View(s, components, viewer)
    lines = ["PARIS   " + view.course_text(), *textwrap.wrap(view.decision_text(), WIDTH), "─" * WIDTH]
    lines += _districts(view)
    lines += _legend(view)
    lines += _supplies(view)
    lines += _track(view)
    for player in range(view.players):
        lines += _player(view, player)
    return "\n".join(line.rstrip() for line in lines)


# -- districts ---------------------------------------------------------------------------------------------------------


def _districts(view: View) -> list[str]:
    heads = [f"{value:<{CELL_WIDTH}}" for value in board.VALUES]
    lines = [f"{'':{NAME_WIDTH}}{'bank':<{BANK_WIDTH}}{''.join(heads)}VP tile, landmarks"]
    for district in range(board.DISTRICTS):
        lines += _district(view, district)
    return lines


def _district(view: View, district: int) -> list[str]:
    """A line for the district; its landmarks go on below each other at the right."""
    bank = f"{view.tables.bank[district]} {_letters(view.keys(board.FIRST_BANK + district))}"
    cells = [_building(view, board.VALUE_COUNT * district + i) for i in range(board.VALUE_COUNT)]
    line = f"{board.DISTRICT_NAMES[district]:<{NAME_WIDTH}}{bank:<{BANK_WIDTH}}"
    line += "".join(f"{cell:<{CELL_WIDTH}}" for cell in cells)
    notes = [f"VP {_slashed(view.placings(tile))}" for tile in view.vp_tiles(district)]
    notes += [_landmark(view, i) for i in view.landmarks(district)]
    rows = _packed(notes, SIDE_WIDTH)
    return [line + rows[0], *(" " * len(line) + row for row in rows[1:])]


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
    place = board.FIRST_LANDMARK + landmark
    return f"{board.LANDMARK_NAMES[landmark]} {view.landmark_value(landmark)} {_letters(view.keys(place))}".rstrip()


def _letters(players: Iterable[int]) -> str:
    return "".join(LETTERS[player] for player in players)


def _slashed(numbers: Iterable[int]) -> str:
    return "/".join(map(str, numbers))


def _legend(view: View) -> list[str]:
    types = ", ".join(f"{name[:2]} {name}" for name in board.TYPE_NAMES[:-1])
    goods = ", ".join(f"{letter} {name}" for letter, name in zip(GOOD_LETTERS, board.GOOD_NAMES, strict=True))
    return [
        f"Arc de Triomphe: {_letters(view.keys(board.ARC)) or 'no key'}",
        *_wrap(f"({types}; tokens {goods}; letters are keys)", 1),
        "─" * WIDTH,
    ]


# -- supplies ----------------------------------------------------------------------------------------------------------


def _supplies(view: View) -> list[str]:
    piles = [f"{k + 1}: {_pile(height, top)}" for k, (height, top) in enumerate(view.piles())]
    tiles = [_slashed(view.placings(tile)) for tile in view.vp_tiles(state.NOWHERE)]
    landmarks = [_supply_landmark(view, i) for i in view.landmarks(state.NOWHERE)]
    resources = [_stock(view, good) for good in range(board.RESOURCES)]
    rows = {
        "Stacks": ", ".join(piles),
        "VP tiles": ", ".join(tiles) or "none left",
        "Landmarks": "; ".join(landmarks) or "none left",
        "Resources": ", ".join(resources),
        "End Game": _end_tiles(view),
    }
    return [line for title, text in rows.items() for line in _wrap(f"{title:<{INDENT}}{text}", INDENT)]


def _pile(height: int, top: str) -> str:
    return f"{height} left, {top} on top" if height else "empty"


def _supply_landmark(view: View, landmark: int) -> str:
    """A landmark of the supply with what it costs and what prestige is worth on it."""
    name, value = board.LANDMARK_NAMES[landmark], view.landmark_value(landmark)
    cost = counted(view.cost(board.FIRST_LANDMARK + landmark)) or "no resources"
    sections = "".join(f" +{GOOD_LETTERS[good]} {vp}" for good, vp in view.sections(landmark)) or " -"
    return f"{name} {value} ({cost};{sections})"


def _stock(view: View, good: int) -> str:
    prices = f"buy {view.tables.buy_price[good]}, sell {view.tables.sell_price[good]}"
    return f"{view.s.supply[good]} {board.GOOD_NAMES[good]} ({prices})"


def _end_tiles(view: View) -> str:
    supply, kinds = view.end_tiles_left(), view.end_kinds_left()
    if kinds is None:
        return f"{supply} tiles left{', face down' * (supply > 0)}"
    return f"{supply} tiles left: " + ", ".join(f"{n} {board.END_NAMES[kind]}" for kind, n in kinds.items())


def _track(view: View) -> list[str]:
    """The bonus track: zone where it begins, number, copies, meeples. An empty space is a dot."""
    lines: list[str] = []
    zone = -1
    for place in view.track():
        if place.space % TRACK_ROW == 1:
            lines.append(" " * INDENT if lines else f"{'Bonus':<{INDENT}}")
        cell = f"{place.number}{f'x{place.copies}' * (place.copies > 1)}" if place.copies else "."
        cell = f"{cell} {_letters(place.meeples)}".rstrip()
        if view.tables.zone[place.space] != zone:
            zone = view.tables.zone[place.space]
            cell = f"{board.ZONE_NAMES[zone]}:{cell}"
        lines[-1] += f"{cell:<{TRACK_WIDTH}}"

    meeples = _letters(view.meeples(0))
    if meeples:
        lines.append(f"{'':{INDENT}}before the start: {meeples}")
    return [*lines, "─" * WIDTH]


# -- players -----------------------------------------------------------------------------------------------------------


def _player(view: View, player: int) -> list[str]:
    s = view.s
    who = " (you)" if player == view.viewer != SPECTATOR else ""
    keys = f"keys {s.keys_in_hand[player]} in hand, {s.keys_aside[player]} aside"
    lines = _wrap(f"{view.name(player)}{who}   {s.vp[player]} VP   {keys}   {_purse(view, player)}", 2)
    lines += _wrap(f"  unused: {_unused(view, player)}", 10)
    words = _used(view, player)
    return lines + _wrap(f"  used: {words}", 8) if words else lines


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
    parts += [f"End Game {board.END_NAMES[kind]}" for kind in ends.seen]
    parts += [f"{ends.hidden} End Game tile{'s' * (ends.hidden > 1)} hidden"] * (ends.hidden > 0)
    return ", ".join(parts) or "no tiles"


def _used(view: View, player: int) -> str:
    parts = [f"#{n}" for n in view.used_bonus(player)]
    return ", ".join([*parts, *(f"End Game {board.END_NAMES[kind]}" for kind in view.used_end_tiles(player))])


def _wrap(line: str, indent: int) -> list[str]:
    return textwrap.wrap(line, WIDTH, subsequent_indent=" " * indent, break_on_hyphens=False)
