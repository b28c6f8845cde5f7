"""The check of a Revolution position, counted anew in plain Python from where the pieces lie."""

from __future__ import annotations

from typing import Any

from rfop_env.games.revolution.board import (
    BASTILLE, COUNTERS, DEGREE, FIRST_BUILDING, FLAG, MOST_NEIGHBOURS, NEIGHBOURS, NOBODY, NOTRE_DAME, NOT_IN_PLAY,
    NOWHERE, NO_PIECE, NO_SPACE, PIECES, SIDES, SIDE_NAMES, SPACES, SPACE_NAMES, VERSAILLES,
)  # fmt: skip
from rfop_env.games.revolution.state import (
    ALL_MARKERS, ASK_BUILDING, ASK_COUNTER, ASK_NOTHING, ASK_SITE, ASK_SPACE, DRAW, END_REASONS, FLAG_CAPTURED, RUNNING,
    THREE_BUILDINGS,
)  # fmt: skip

OPEN, TIED = -1, 2  # besides the sides: verdicts on a space


def problems(s: Any, c: Any) -> list[str]:
    """Find what is wrong with a record, a sentence each; an empty list for a sound position.

    Every number is in its range (`state.RECORD`): these are the relations between them.
    """
    return piece_problems(s, c) or [
        *course_problems(s, c), *sum_problems(s, c), *control_problems(s, c), *marker_problems(s, c), *end_problems(s)
    ]  # fmt: skip


# -- what follows from the pieces --------------------------------------------------------------------------------------


def neighbours(x: int) -> list[int]:
    """The spaces next to one."""
    return [int(y) for y in NEIGHBOURS[x, : DEGREE[x]]]


def influence_on(s: Any, c: Any, side: int, x: int) -> int:
    """The influence of a side on a space; none where no space is."""
    if s.on[x] == NO_SPACE:
        return 0
    pieces = [int(s.on[y]) for y in (x, *neighbours(x))]
    return sum(int(c.value[p % COUNTERS]) for p in pieces if p // COUNTERS == side and p < FIRST_BUILDING)


def empties_next_to(s: Any, x: int) -> int:
    """The number of empty spaces next to a space; none where no space is."""
    return 0 if s.on[x] == NO_SPACE else sum(int(s.on[y] == NO_PIECE) for y in neighbours(x))


def reach_of(s: Any, c: Any, side: int, k: int) -> int:
    """The sum of the k highest unplayed numbers of a side."""
    unplayed = [int(c.value[n]) for n in range(COUNTERS) if s.at[COUNTERS * side + n] == NOWHERE]
    return sum(sorted(unplayed, reverse=True)[:k])


def verdict_on(s: Any, c: Any, x: int) -> int:
    """The side that controls a space for certain; OPEN, or TIED for a full and level Notre Dame."""
    piece = int(s.on[x])
    k = empties_next_to(s, x)
    if piece >= NO_PIECE:
        return OPEN

    now = [influence_on(s, c, side, x) for side in range(SIDES)]
    most = [now[side] + reach_of(s, c, side, k) for side in range(SIDES)]
    if piece == NOTRE_DAME:
        found = [side for side in range(SIDES) if most[side] < now[1 - side]]
        return found[0] if found else TIED if k == 0 else OPEN
    owner = piece // COUNTERS if piece < FIRST_BUILDING else NOBODY
    ahead = [now[side] - most[1 - side] for side in range(SIDES)]
    found = [side for side in range(SIDES) if ahead[side] > 0 or (ahead[side] == 0 and side == owner)]
    return found[0] if found else OPEN


# -- checks ------------------------------------------------------------------------------------------------------------


def piece_problems(s: Any, c: Any) -> list[str]:
    """Check that pieces and spaces are those in play, and agree; everything else is counted from them."""
    found = []
    if [p for p in range(PIECES) if s.at[p] == NOT_IN_PLAY] != [p for p in range(PIECES) if not c.piece_in_play[p]]:
        found.append("other pieces are left out than by the component set")
    if [x for x in range(SPACES) if s.on[x] == NO_SPACE] != [x for x in range(SPACES) if not c.space_in_play[x]]:
        found.append("other spaces are left out than by the component set")
    on_board = {p: int(s.at[p]) for p in range(PIECES) if s.at[p] < NOWHERE}
    if on_board != {int(s.on[x]): x for x in range(SPACES) if s.on[x] < NO_PIECE}:
        found.append("pieces and spaces disagree about what lies where")
    sites = [x for p, x in on_board.items() if p >= FIRST_BUILDING]
    found += [f"buildings next to each other at {SPACE_NAMES[x]}" for x in sites if set(neighbours(x)) & set(sites)]
    return found


def course_problems(s: Any, c: Any) -> list[str]:
    """Check whose turn it is, what is asked, and the end."""
    # The pieces placed say whose turn it is.
    placed = sum(int(s.at[p] < NOWHERE) for p in range(PIECES))
    buildings = sum(int(s.at[p] < NOWHERE) for p in range(FIRST_BUILDING, PIECES))
    found = [] if placed == s.placed else [f"{placed} pieces on the board, {s.placed} counted"]
    if buildings != min(placed, c.buildings):
        found.append("counters on the board before all buildings")
    if s.player != placed % SIDES:
        found.append(f"with {placed} pieces placed it is the turn of the {SIDE_NAMES[placed % SIDES]}")

    # The question, and the piece chosen.
    asked = (ASK_NOTHING,) if s.over else (ASK_BUILDING, ASK_SITE) if placed < c.buildings else (ASK_COUNTER, ASK_SPACE)
    if s.question not in asked:
        found.append(f"question {s.question} after {placed} pieces")
    held = s.question in (ASK_SITE, ASK_SPACE)
    low, high = (FIRST_BUILDING, PIECES) if s.question == ASK_SITE else (COUNTERS * s.player, COUNTERS * (s.player + 1))
    if held and not (low <= s.held < high and s.at[s.held] == NOWHERE):
        found.append(f"piece {s.held} cannot be placed")
    if not held and s.held != NO_PIECE:
        found.append(f"piece {s.held} is held without a question")
    return found


def sum_problems(s: Any, c: Any) -> list[str]:
    """Check the sums that are kept up to date."""
    found = [
        f"influence of the {SIDE_NAMES[side]} on {SPACE_NAMES[x]} is {s.influence[side, x]}"
        for side in range(SIDES)
        for x in range(SPACES)
        if s.influence[side, x] != influence_on(s, c, side, x)
    ]
    found += [
        f"{s.empties[x]} empties at {SPACE_NAMES[x]}" for x in range(SPACES) if s.empties[x] != empties_next_to(s, x)
    ]
    for side in range(SIDES):
        if [int(r) for r in s.reach[side]] != [reach_of(s, c, side, k) for k in range(MOST_NEIGHBOURS + 1)]:
            found.append(f"reach of the {SIDE_NAMES[side]}")
    return found


def control_problems(s: Any, c: Any) -> list[str]:
    """Check control against the pieces; of a level Notre Dame they say only that it is somebody's."""
    found = []
    for x in range(SPACES):
        sides = [side for side in range(SIDES) if s.controls[side, x]]
        verdict = verdict_on(s, c, x)
        agree = len(sides) == 1 if verdict == TIED else sides == ([] if verdict == OPEN else [verdict])
        if not agree:
            found.append(f"control of {SPACE_NAMES[x]}")
    return found


def marker_problems(s: Any, c: Any) -> list[str]:
    """Check that markers lie on numbers and Notre Dame, controlled by their side, and that none is lost."""
    found = []
    for side in range(SIDES):
        marked = [x for x in range(SPACES) if s.marked[side, x]]
        if len(marked) + s.left[side] != c.markers[side]:
            found.append(f"{SIDE_NAMES[side]}: {len(marked)} markers placed, {s.left[side]} left of {c.markers[side]}")
        for x in marked:
            if not s.controls[side, x] or not _can_be_marked(int(s.on[x])):
                found.append(f"a marker of the {SIDE_NAMES[side]} on {SPACE_NAMES[x]}")
    return found


def end_problems(s: Any) -> list[str]:
    """Check that the game has ended if and only if a side meets a condition."""
    met = [condition_of(s, side) for side in range(SIDES)]
    winners = [side for side in range(SIDES) if met[side] != RUNNING]
    reason = DRAW if len(winners) == SIDES else met[winners[0]] if winners else RUNNING
    winner = winners[0] if len(winners) == 1 else NOBODY
    if (s.over, s.winner, s.end_reason) == (int(reason != RUNNING), winner, reason):
        return []
    record = f"over {s.over}, winner {s.winner}, end {s.end_reason}"
    return [f"{record}, where the pieces say: winner {winner}, end {reason} ({END_REASONS[reason]})"]


def condition_of(s: Any, side: int) -> int:
    """The first victory condition that a side meets."""

    def controls(piece: int) -> bool:
        return bool(s.at[piece] < NOWHERE and s.controls[side, s.at[piece]])

    if controls(COUNTERS * (1 - side) + FLAG):
        return FLAG_CAPTURED
    if controls(BASTILLE) and controls(VERSAILLES) and s.marked[side, s.at[NOTRE_DAME]]:
        return THREE_BUILDINGS
    return ALL_MARKERS if s.left[side] == 0 and s.at[COUNTERS * side + FLAG] != NOWHERE else RUNNING


def _can_be_marked(piece: int) -> bool:
    return piece == NOTRE_DAME or (piece < FIRST_BUILDING and piece % COUNTERS != FLAG)
