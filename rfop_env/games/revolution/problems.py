"""The check of a Revolution position, counted anew in plain Python from where the pieces lie."""

from __future__ import annotations

from rfop_env.games.revolution import board, state
from rfop_env.games.revolution.components import Components
from rfop_env.games.revolution.state import State

OPEN, TIED = -1, 2  # besides the sides: verdicts on a space


def problems(s: State, c: Components) -> list[str]:
    """Find what is wrong with a record, a sentence each; an empty list for a sound position.

    Every number is in its range (`state.RECORD`): these are the relations between them.
    """
    return piece_problems(s, c) or [
        *course_problems(s, c), *sum_problems(s, c), *control_problems(s, c), *marker_problems(s, c), *end_problems(s)
    ]  # fmt: skip


# -- what follows from the pieces --------------------------------------------------------------------------------------


def neighbours(x: int) -> list[int]:
    """The spaces next to one."""
    return [int(y) for y in board.NEIGHBOURS[x, : board.DEGREE[x]]]


def influence_on(s: State, c: Components, side: int, x: int) -> int:
    """The influence of a side on a space; none where no space is."""
    if s.on[x] == board.NO_SPACE:
        return 0
    pieces = [int(s.on[y]) for y in (x, *neighbours(x))]
    return sum(
        int(c.value[p % board.COUNTERS]) for p in pieces if p // board.COUNTERS == side and p < board.FIRST_BUILDING
    )


def empties_next_to(s: State, x: int) -> int:
    """The number of empty spaces next to a space; none where no space is."""
    return 0 if s.on[x] == board.NO_SPACE else sum(int(s.on[y] == board.NO_PIECE) for y in neighbours(x))


def reach_of(s: State, c: Components, side: int, k: int) -> int:
    """The sum of the k highest unplayed numbers of a side."""
    unplayed = [int(c.value[n]) for n in range(board.COUNTERS) if s.at[board.COUNTERS * side + n] == board.NOWHERE]
    return sum(sorted(unplayed, reverse=True)[:k])


def verdict_on(s: State, c: Components, x: int) -> int:
    """The side that controls a space for certain; OPEN, or TIED for a full and level Notre Dame."""
    piece = int(s.on[x])
    k = empties_next_to(s, x)
    if piece >= board.NO_PIECE:
        return OPEN

    now = [influence_on(s, c, side, x) for side in range(board.SIDES)]
    most = [now[side] + reach_of(s, c, side, k) for side in range(board.SIDES)]
    if piece == board.NOTRE_DAME:
        found = [side for side in range(board.SIDES) if most[side] < now[1 - side]]
        return found[0] if found else TIED if k == 0 else OPEN
    owner = piece // board.COUNTERS if piece < board.FIRST_BUILDING else board.NOBODY
    ahead = [now[side] - most[1 - side] for side in range(board.SIDES)]
    found = [side for side in range(board.SIDES) if ahead[side] > 0 or (ahead[side] == 0 and side == owner)]
    return found[0] if found else OPEN


# -- checks ------------------------------------------------------------------------------------------------------------


def piece_problems(s: State, c: Components) -> list[str]:
    """Check that pieces and spaces are those in play, and agree; everything else is counted from them."""
    found = []
    if [p for p in range(board.PIECES) if s.at[p] == board.NOT_IN_PLAY] != [
        p for p in range(board.PIECES) if not c.piece_in_play[p]
    ]:
        found.append("other pieces are left out than by the component set")
    if [x for x in range(board.SPACES) if s.on[x] == board.NO_SPACE] != [
        x for x in range(board.SPACES) if not c.space_in_play[x]
    ]:
        found.append("other spaces are left out than by the component set")
    on_board = {p: int(s.at[p]) for p in range(board.PIECES) if s.at[p] < board.NOWHERE}
    if on_board != {int(s.on[x]): x for x in range(board.SPACES) if s.on[x] < board.NO_PIECE}:
        found.append("pieces and spaces disagree about what lies where")
    sites = [x for p, x in on_board.items() if p >= board.FIRST_BUILDING]
    found += [
        f"buildings next to each other at {board.SPACE_NAMES[x]}" for x in sites if set(neighbours(x)) & set(sites)
    ]
    return found


def course_problems(s: State, c: Components) -> list[str]:
    """Check whose turn it is, what is asked, and the end."""
    # The pieces placed say whose turn it is.
    placed = sum(int(s.at[p] < board.NOWHERE) for p in range(board.PIECES))
    buildings = sum(int(s.at[p] < board.NOWHERE) for p in range(board.FIRST_BUILDING, board.PIECES))
    found = [] if placed == s.placed else [f"{placed} pieces on the board, {s.placed} counted"]
    if buildings != min(placed, c.buildings):
        found.append("counters on the board before all buildings")
    if s.player != placed % board.SIDES:
        found.append(f"with {placed} pieces placed it is the turn of the {board.SIDE_NAMES[placed % board.SIDES]}")

    # The question, and the piece chosen.
    asked = (
        (state.ASK_NOTHING,)
        if s.over
        else (state.ASK_BUILDING, state.ASK_SITE)
        if placed < c.buildings
        else (state.ASK_COUNTER, state.ASK_SPACE)
    )
    if s.question not in asked:
        found.append(f"question {s.question} after {placed} pieces")
    held = s.question in (state.ASK_SITE, state.ASK_SPACE)
    low, high = (
        (board.FIRST_BUILDING, board.PIECES)
        if s.question == state.ASK_SITE
        else (board.COUNTERS * s.player, board.COUNTERS * (s.player + 1))
    )
    if held and not (low <= s.held < high and s.at[s.held] == board.NOWHERE):
        found.append(f"piece {s.held} cannot be placed")
    if not held and s.held != board.NO_PIECE:
        found.append(f"piece {s.held} is held without a question")
    return found


def sum_problems(s: State, c: Components) -> list[str]:
    """Check the sums that are kept up to date."""
    found = [
        f"influence of the {board.SIDE_NAMES[side]} on {board.SPACE_NAMES[x]} is {s.influence[side, x]}"
        for side in range(board.SIDES)
        for x in range(board.SPACES)
        if s.influence[side, x] != influence_on(s, c, side, x)
    ]
    found += [
        f"{s.empties[x]} empties at {board.SPACE_NAMES[x]}"
        for x in range(board.SPACES)
        if s.empties[x] != empties_next_to(s, x)
    ]
    for side in range(board.SIDES):
        if [int(r) for r in s.reach[side]] != [reach_of(s, c, side, k) for k in range(board.MOST_NEIGHBOURS + 1)]:
            found.append(f"reach of the {board.SIDE_NAMES[side]}")
    return found


def control_problems(s: State, c: Components) -> list[str]:
    """Check control against the pieces; of a level Notre Dame they say only that it is somebody's."""
    found = []
    for x in range(board.SPACES):
        sides = [side for side in range(board.SIDES) if s.controls[side, x]]
        verdict = verdict_on(s, c, x)
        agree = len(sides) == 1 if verdict == TIED else sides == ([] if verdict == OPEN else [verdict])
        if not agree:
            found.append(f"control of {board.SPACE_NAMES[x]}")
    return found


def marker_problems(s: State, c: Components) -> list[str]:
    """Check that markers lie on numbers and Notre Dame, controlled by their side, and that none is lost."""
    found = []
    for side in range(board.SIDES):
        marked = [x for x in range(board.SPACES) if s.marked[side, x]]
        if len(marked) + s.left[side] != c.markers[side]:
            found.append(
                f"{board.SIDE_NAMES[side]}: {len(marked)} markers placed, {s.left[side]} left of {c.markers[side]}"
            )
        for x in marked:
            if not s.controls[side, x] or not _can_be_marked(int(s.on[x])):
                found.append(f"a marker of the {board.SIDE_NAMES[side]} on {board.SPACE_NAMES[x]}")
    return found


def end_problems(s: State) -> list[str]:
    """Check that the game has ended if and only if a side meets a condition."""
    met = [condition_of(s, side) for side in range(board.SIDES)]
    winners = [side for side in range(board.SIDES) if met[side] != state.RUNNING]
    reason = state.DRAW if len(winners) == board.SIDES else met[winners[0]] if winners else state.RUNNING
    winner = winners[0] if len(winners) == 1 else board.NOBODY
    if (s.over, s.winner, s.end_reason) == (int(reason != state.RUNNING), winner, reason):
        return []
    record = f"over {s.over}, winner {s.winner}, end {s.end_reason}"
    return [f"{record}, where the pieces say: winner {winner}, end {reason} ({state.END_REASONS[reason]})"]


def condition_of(s: State, side: int) -> int:
    """The first victory condition that a side meets."""

    def controls(piece: int) -> bool:
        return bool(s.at[piece] < board.NOWHERE and s.controls[side, s.at[piece]])

    if controls(board.COUNTERS * (1 - side) + board.FLAG):
        return state.FLAG_CAPTURED
    if controls(board.BASTILLE) and controls(board.VERSAILLES) and s.marked[side, s.at[board.NOTRE_DAME]]:
        return state.THREE_BUILDINGS
    return (
        state.ALL_MARKERS
        if s.left[side] == 0 and s.at[board.COUNTERS * side + board.FLAG] != board.NOWHERE
        else state.RUNNING
    )


def _can_be_marked(piece: int) -> bool:
    return piece == board.NOTRE_DAME or (piece < board.FIRST_BUILDING and piece % board.COUNTERS != board.FLAG)
