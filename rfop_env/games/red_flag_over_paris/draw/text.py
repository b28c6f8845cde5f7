"""Red Flag Over Paris drawn as text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from rfop_env.games.red_flag_over_paris import board, state
from rfop_env.games.red_flag_over_paris.component_set import ComponentSet
from rfop_env.games.red_flag_over_paris.draw.view import View, card_side_name, holds

WIDTH = 100
ZONE_WIDTH = 12
MAP_WIDTH = 49
CUBE_SIGNS = ("◆", "■")  # by side, as all pairs below
DISC_SIGNS = ("B", "F")  # Barricade, Fortification
TAKEN = "·"
PIVOTAL_SIGN = "★"
OBJECTIVE_SIGN = "◎"
MAP_ROWS = ((board.INSTITUTIONAL, board.FORTS), (board.PUBLIC_OPINION, board.PARIS))  # political left, military right


def draw_text(s: Any, components: ComponentSet, viewer: int | None = None) -> str:
    """The position in at most 100 columns of plain Unicode, as `viewer` sees it.

    `viewer` is a side or None for the side to move (in a solo game the human side).
    """
    view = View(s, components, viewer)
    lines = _title(view)
    lines += _crisis_tracks(view)
    lines += _vp_tracks(view)
    lines += _momentum_tracks(view)
    lines += _map(view)
    lines += _cards(view)
    return "\n".join(line.rstrip() for line in lines)


def _title(view: View) -> list[str]:
    decision = f"{view.decision_text()}   (initiative: {board.SIDE_NAMES[view.s.initiative]})"
    return [f"RED FLAG OVER PARIS   {view.round_text()}", *textwrap.wrap(decision, WIDTH), "─" * WIDTH]


def _crisis_tracks(view: View) -> list[str]:
    half = board.ZONES * ZONE_WIDTH
    heading = f"{'VERSAILLES ■ crisis track':<{half}} ┃ {'COMMUNE ◆ crisis track':>{half}}"
    bonus = _cube_row(view.s.bonus, view.tables.bonus)
    track = _cube_row(view.s.track, view.tables.track)
    return [heading, bonus, track, _track_row(board.ZONE_NAMES, board.ZONE_NAMES), ""]


def _cube_row(cubes: Any, start: Any) -> str:
    """Cubes of both sides by zone, int [SIDES, ZONES], and a dot for each one less than at the start."""
    rows = []
    for side in range(board.SIDES):
        rows.append([_slots(cubes[side, zone], start[side, zone], side) for zone in range(board.ZONES)])
    return _track_row(*rows)


def _track_row(commune: Sequence[str], versailles: Sequence[str]) -> str:
    """One row of both tracks: Versailles outward to the left of the middle, the Commune to the right."""
    west = "".join(f"{cell:^{ZONE_WIDTH}}" for cell in reversed(versailles))
    east = "".join(f"{cell:^{ZONE_WIDTH}}" for cell in commune)
    return f"{west} ┃ {east}"


def _slots(count: int, start: int, side: int) -> str:
    """The cubes, then a dot for each one less than at the start."""
    return CUBE_SIGNS[side] * int(count) + TAKEN * max(int(start) - int(count), 0)


def _vp_tracks(view: View) -> list[str]:
    names = ("Political VP", "Military VP")
    rows = [f"{name:<13} Versailles {_vp_row(int(vp))} Commune" for name, vp in zip(names, view.s.vp, strict=True)]
    return [*rows, ""]


def _vp_row(vp: int) -> str:
    return " ".join(_cell(points, vp) for points in range(-board.VP_LIMIT, board.VP_LIMIT + 1))


def _cell(value: int, marker: int) -> str:
    """A number of a track, in brackets where the marker stands."""
    return f"[{abs(value)}]" if value == marker else f" {abs(value)} "


def _momentum_tracks(view: View) -> list[str]:
    s = view.s
    pool = f"  pool {_heap(board.VERSAILLES, s.pool[board.VERSAILLES])}{_gone(view, board.VERSAILLES)}"
    out_of_play = _gone(view, board.COMMUNE)
    return [
        f"Prussian Collaboration {_steps(s.momentum[board.VERSAILLES])}  cubes {_collaboration(view):<20}{pool}",
        f"Revolutionary Momentum {_steps(s.momentum[board.COMMUNE])}  pool  {_pool_places(view):<20}{out_of_play}",
        "─" * WIDTH,
    ]


def _steps(level: int) -> str:
    return " ".join(_cell(i, level) for i in range(board.MOMENTUM_LIMIT + 1))


def _collaboration(view: View) -> str:
    cubes, start = view.s.collaboration, view.tables.collaboration
    levels = range(1, board.MOMENTUM_LIMIT + 1)
    return " ".join(f"{level}:{_slots(cubes[level], start[level], board.VERSAILLES)}" for level in levels)


def _pool_places(view: View) -> str:
    """Places of the Commune's pool under each level: a cube, free (·), or not open yet (x)."""
    s, places = view.s, view.tables.pool_places
    cubes = int(s.pool[board.COMMUNE])
    is_open = int(places[s.momentum[board.COMMUNE]])
    signs = CUBE_SIGNS[board.COMMUNE] * cubes + TAKEN * (is_open - cubes) + "x" * (int(places[-1]) - is_open)
    groups = (f"{i}:{signs[places[i - 1] : places[i]]}" for i in range(1, board.MOMENTUM_LIMIT + 1))
    return " ".join(groups)


def _gone(view: View, side: int) -> str:
    gone = int(view.s.out_of_play[side])
    return f"  out of play {_heap(side, gone)}" if gone else ""


def _heap(side: int, count: int) -> str:
    """Cubes without places of their own."""
    sign = CUBE_SIGNS[side]
    return f"{count} {sign}" if count > board.CUBE_LIMIT else sign * int(count) or "empty"


def _map(view: View) -> list[str]:
    objectives = [view.objective(side) for side in range(board.SIDES)]
    targets = {int(view.tables.target[card]) for card in objectives if card != state.NO_CARD}
    lines = [f"{'POLITICAL':<{MAP_WIDTH}}  MILITARY"]
    for pair in MAP_ROWS:
        blocks = [_dimension(view, dimension, targets) for dimension in pair]
        lines += [f"{political:<{MAP_WIDTH}}  {military}" for political, military in zip(*blocks, strict=True)]
    holder = board.SIDE_NAMES[view.holder(board.OCCUPIED_TERRITORY)]
    return [*lines, f"Versailles HQ: Versailles   Prussian Occupied Territory: {holder}", "─" * WIDTH]


def _dimension(view: View, dimension: int, targets: set[int]) -> list[str]:
    spaces = range(3 * dimension, 3 * dimension + 3)
    return [f"{board.DIMENSION_NAMES[dimension]}", *(_space(view, x, x in targets) for x in spaces)]


def _space(view: View, x: int, is_target: bool) -> str:
    mark = PIVOTAL_SIGN if holds(board.PIVOTAL_SPACES, x) else " "
    goal = OBJECTIVE_SIGN if is_target else " "
    pieces = " ".join(f"{_pieces(view, p, x):<{board.CUBE_LIMIT + 1}}" for p in (board.VERSAILLES, board.COMMUNE))
    holder = "" if view.holder(x) == board.NEUTRAL else board.SIDE_NAMES[view.holder(x)]
    return f" {mark}{goal} {board.SPACE_NAMES[x]:<20} {pieces} {holder}"


def _pieces(view: View, side: int, x: int) -> str:
    disc = DISC_SIGNS[side] if view.s.disc[x] == side + 1 else ""
    return CUBE_SIGNS[side] * int(view.s.cubes[side, x]) + disc


def _cards(view: View) -> list[str]:
    far = 1 - view.near
    lines = _table_line(view)
    for side in (view.near, far):
        lines += _objective_line(view, side)
        lines += _side_cards(view, side)
    return lines


def _table_line(view: View) -> list[str]:
    top = int(view.s.top_discard)
    discard = _card(view, top) if top != state.NO_CARD else "none"
    in_play = "".join(f"   in play {_card(view, n)}" for n in view.in_play())
    return _wrap(f"Deck {view.s.deck_size}   top discard {discard}{in_play}", 0)


def _objective_line(view: View, side: int) -> list[str]:
    objective = "secret" if view.has_objective(side) else "none"
    if view.objective(side) != state.NO_CARD:
        objective = _objective(view, view.objective(side))
    parts = [f"{board.SIDE_NAMES[side].upper()}{' (you)' if side == view.viewer else ''}   objective {objective}"]
    if view.offers(side):
        parts.append("offered " + ", ".join(_objective(view, n) for n in view.offers(side)))
    parts.append(f"fulfilled {int(view.s.fulfilled[side])}" + _list(view, view.fulfilled(side)))
    return _wrap("   ".join(parts), 2)


def _side_cards(view: View, side: int) -> list[str]:
    hand, aside, face_up = view.hand(side), view.aside(side), view.face_up(side)
    lines = []
    for n in hand.seen:
        lines += _wrap(f"  {_card(view, n)}: {_event(view, n)}", 6)
    counts = [f"hand {hand.count}" + (f" ({hand.hidden} hidden)" if hand.hidden else "")]
    counts.append(f"set aside {aside.count}{_list(view, aside.seen)}")
    counts.append(f"Final Crisis card{_list(view, face_up)}" if face_up else "Final Crisis card not on the table")
    lines += _wrap("  " + "   ".join(counts), 4)
    history = view.history(side)
    return lines + (_wrap(f"  played in {'; '.join(history)}", 4) if history else [])


def _list(view: View, numbers: tuple[int, ...]) -> str:
    return ": " + ", ".join(f"#{n} {view.components.card_name(n)}" for n in numbers) if numbers else ""


def _card(view: View, number: int) -> str:
    colour = card_side_name(view.card_side(number))
    return f"#{number} {view.components.card_name(number)} ({view.points(number)}, {colour})"


def _objective(view: View, number: int) -> str:
    target = board.SPACE_NAMES[view.tables.target[number]]
    return f"#{number} {view.components.card_name(number)} ({OBJECTIVE_SIGN} {target})"


def _event(view: View, number: int) -> str:
    return "; ".join(view.components.event_sentences(number))


def _wrap(line: str, indent: int) -> list[str]:
    return textwrap.wrap(line, WIDTH, subsequent_indent=" " * indent, break_on_hyphens=False)
