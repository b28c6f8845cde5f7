"""Red Flag Over Paris drawn as text for a terminal."""

from __future__ import annotations

import textwrap
from typing import Any

from rfop_env.games.red_flag_over_paris import board, state
from rfop_env.games.red_flag_over_paris.draw.view import CardSource, View, card_side_name, holds

WIDTH = 100
ZONE_WIDTH = 12
MAP_WIDTH = 49
CUBE_SIGNS = ("◆", "■")  # by side, as all pairs below
DISC_SIGNS = ("B", "F")  # Barricade, Fortification
TAKEN = "·"
PIVOTAL_SIGN = "★"
OBJECTIVE_SIGN = "◎"
TEXT_COLOURS = ("\x1b[31m", "\x1b[34m")
RESET = "\x1b[0m"
MAP_ROWS = ((board.INSTITUTIONAL, board.FORTS), (board.PUBLIC_OPINION, board.PARIS))  # political left, military right


def draw_text(s: Any, components: CardSource, viewer: int | None = None, colour: bool = False) -> str:
    """The position in at most 100 columns of plain Unicode, as `viewer` sees it.

    `viewer` is a side or None for the side to move (in a solo game the human side); `colour` adds ANSI colours.
    """
    view = View(s, components, viewer)
    lines = _title(view)
    lines += _crisis_tracks(view)
    lines += _vp_tracks(view)
    lines += _momentum_tracks(view)
    lines += _map(view)
    lines += _cards(view)
    text = "\n".join(line.rstrip() for line in lines)
    return _coloured(text) if colour else text


def _title(view: View) -> list[str]:
    decision = f"{view.decision_text()}   (initiative: {board.SIDE_NAMES[view.s.initiative]})"
    return [f"RED FLAG OVER PARIS   {view.round_text()}", decision, "─" * WIDTH]


def _crisis_tracks(view: View) -> list[str]:
    half = board.ZONES * ZONE_WIDTH
    heading = f"{'VERSAILLES ■ crisis track':<{half}} ┃ {'COMMUNE ◆ crisis track':>{half}}"
    start = view.tables
    return [
        heading,
        _track_row(
            [[_slots(view.s.bonus[p, z], start.bonus[p, z], p) for z in range(board.ZONES)] for p in range(board.SIDES)]
        ),
        _track_row(
            [[_slots(view.s.track[p, z], start.track[p, z], p) for z in range(board.ZONES)] for p in range(board.SIDES)]
        ),
        _track_row([list(board.ZONE_NAMES)] * board.SIDES),
        "",
    ]


def _track_row(cells: list[list[str]]) -> str:
    """One row of both tracks: Versailles outward to the left of the middle, the Commune to the right."""
    left = "".join(f"{cell:^{ZONE_WIDTH}}" for cell in reversed(cells[board.VERSAILLES]))
    right = "".join(f"{cell:^{ZONE_WIDTH}}" for cell in cells[board.COMMUNE])
    return f"{left} ┃ {right}"


def _slots(left: int, start: int, side: int) -> str:
    """Cubes still there, then a dot for each one taken."""
    return CUBE_SIGNS[side] * int(left) + TAKEN * max(int(start) - int(left), 0)


def _vp_tracks(view: View) -> list[str]:
    names = ("Political VP", "Military VP")
    rows = [f"{name:<13} Versailles {_vp_row(int(vp))} Commune" for name, vp in zip(names, view.s.vp, strict=True)]
    return [*rows, ""]


def _vp_row(vp: int) -> str:
    cells = [f"[{abs(i)}]" if i == vp else f" {abs(i)} " for i in range(-board.VP_LIMIT, board.VP_LIMIT + 1)]
    return " ".join(cells)


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
    return " ".join(f"[{i}]" if i == level else f" {i} " for i in range(board.MOMENTUM_LIMIT + 1))


def _collaboration(view: View) -> str:
    groups = (
        f"{i}:{_slots(view.s.collaboration[i], view.tables.collaboration[i], board.VERSAILLES)}"
        for i in range(1, board.MOMENTUM_LIMIT + 1)
    )
    return " ".join(groups)


def _pool_places(view: View) -> str:
    """Places of the Commune's pool under each level: a cube, free (·), or not open yet (x)."""
    s, places = view.s, view.tables.pool_places
    is_open = int(places[s.momentum[board.COMMUNE]])
    signs = [
        CUBE_SIGNS[board.COMMUNE] if i < s.pool[board.COMMUNE] else TAKEN if i < is_open else "x"
        for i in range(places[-1])
    ]
    groups = (f"{i}:{''.join(signs[places[i - 1] : places[i]])}" for i in range(1, board.MOMENTUM_LIMIT + 1))
    return " ".join(groups)


def _gone(view: View, side: int) -> str:
    gone = int(view.s.out_of_play[side])
    return f"  out of play {_heap(side, gone)}" if gone else ""


def _heap(side: int, count: int) -> str:
    """Cubes without places of their own."""
    sign = CUBE_SIGNS[side]
    return f"{count} {sign}" if count > board.CUBE_LIMIT else sign * int(count) or "empty"


def _map(view: View) -> list[str]:
    targets = {
        int(view.tables.target[view.objective(p)]) for p in range(board.SIDES) if view.objective(p) != state.NO_CARD
    }
    lines = [f"{'POLITICAL':<{MAP_WIDTH}}  MILITARY"]
    for pair in MAP_ROWS:
        blocks = [_dimension(view, dimension, targets) for dimension in pair]
        lines += [f"{left:<{MAP_WIDTH}}  {right}" for left, right in zip(*blocks, strict=True)]
    holder = board.SIDE_NAMES[view.holder(board.OCCUPIED_TERRITORY)]
    return [*lines, f"Versailles HQ: Versailles   Prussian Occupied Territory: {holder}", "─" * WIDTH]


def _dimension(view: View, dimension: int, targets: set[int]) -> list[str]:
    spaces = range(3 * dimension, 3 * dimension + 3)
    return [f"{board.DIMENSION_NAMES[dimension]}", *(_space(view, x, x in targets) for x in spaces)]


def _space(view: View, x: int, is_target: bool) -> str:
    mark = PIVOTAL_SIGN if holds(board.PIVOTAL_SPACES, x) else " "
    goal = OBJECTIVE_SIGN if is_target else " "
    both = " ".join(f"{_pieces(view, p, x):<{board.CUBE_LIMIT + 1}}" for p in (board.VERSAILLES, board.COMMUNE))
    holder = "" if view.holder(x) == board.NEUTRAL else board.SIDE_NAMES[view.holder(x)]
    return f" {mark}{goal} {board.SPACE_NAMES[x]:<20} {both} {holder}"


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
    played = "".join(f"   in play {_card(view, n)}" for n in view.in_play())
    return _wrap(f"Deck {view.s.deck_size}   top discard {discard}{played}", 0)


def _objective_line(view: View, side: int) -> list[str]:
    seen = view.objective(side)
    now = _objective(view, seen) if seen != state.NO_CARD else "secret" if view.has_objective(side) else "none"
    parts = [f"{board.SIDE_NAMES[side].upper()}{' (you)' if side == view.viewer else ''}   objective {now}"]
    if view.offered(side):
        parts.append("offered " + ", ".join(_objective(view, n) for n in view.offered(side)))
    parts.append(f"fulfilled {int(view.s.fulfilled[side])}" + _list(view, view.fulfilled(side)))
    return _wrap("   ".join(parts), 2)


def _side_cards(view: View, side: int) -> list[str]:
    hand, aside, face_up = view.hand(side), view.aside(side), view.face_up(side)
    lines = [line for n in hand.seen for line in _wrap(f"  {_card(view, n)}: {_event(view, n)}", 6)]
    rest = [f"hand {hand.count}" + (f" ({hand.hidden} hidden)" if hand.hidden else "")]
    rest.append(f"set aside {aside.count}{_list(view, aside.seen)}")
    rest.append(f"Final Crisis card{_list(view, face_up)}" if face_up else "Final Crisis card not on the table")
    return [*lines, *_wrap("  " + "   ".join(rest), 4)]


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
    return textwrap.wrap(line, WIDTH, subsequent_indent=" " * indent, break_on_hyphens=False, drop_whitespace=True)


def _coloured(text: str) -> str:
    for sign, start in zip(CUBE_SIGNS, TEXT_COLOURS, strict=True):
        text = text.replace(sign, f"{start}{sign}{RESET}")
    return text
