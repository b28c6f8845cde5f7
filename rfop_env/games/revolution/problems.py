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
        *course_problems(s, c),
        *sum_problems(s, c),
        *control_problems(s, c),
        *marker_problems(s, c),
        *end_problems(s),
    ]


# -- what follows from the pieces --------------------------------------------------------------------------------------


def neighbours(x: int) -> list[int]:
    """The spaces next to one."""
    return [int(y) for y in board.NEIGHBOURS[x, : board.DEGREE[x]]]


def influence_on(s: State, c: Components, side: int, x: int) -> int:
    """The influence of a side on a space; none where no space is."""
    if s.on[x] == board.NO_SPACE:
        return 0
    pieces = [int(s.on[y]) for y in (x, *neighbours(x))]
    counters = [p - board.COUNTERS * side for p in pieces if p // board.COUNTERS == side]
    return sum(int(c.value[counter]) for counter in counters)


def empties_next_to(s: State, x: int) -> int:
    """The number of empty spaces next to a space; none where no space is."""
    return 0 if s.on[x] == board.NO_SPACE else sum(int(s.on[y] == board.NO_PIECE) for y in neighbours(x))


def highest_sum(s: State, c: Components, side: int, k: int) -> int:
    """The sum of the k highest unplayed numbers of a side."""
    unplayed = [int(c.value[n]) for n in range(board.COUNTERS) if s.at[board.COUNTERS * side + n] == board.NOWHERE]
    return sum(sorted(unplayed, reverse=True)[:k])


def verdict_on(s: State, c: Components, x: int) -> int:
    """The side that controls a space for certain; OPEN, or TIED for a full and level Notre Dame."""
    piece = int(s.on[x])
    k = empties_next_to(s, x)
    if piece >= board.NO_PIECE:
        return OPEN

    influence = [influence_on(s, c, side, x) for side in range(board.SIDES)]
    limit = [influence[side] + highest_sum(s, c, side, k) for side in range(board.SIDES)]
    if piece == board.NOTRE_DAME:
        winners = [side for side in range(board.SIDES) if limit[side] < influence[1 - side]]
        level = TIED if k == 0 else OPEN
        return winners[0] if winners else level
    owner = piece // board.COUNTERS if piece < board.FIRST_BUILDING else board.NOBODY
    ahead = [influence[side] - limit[1 - side] for side in range(board.SIDES)]
    winners = [side for side in range(board.SIDES) if ahead[side] > 0 or (ahead[side] == 0 and side == owner)]
    return winners[0] if winners else OPEN


# -- checks ------------------------------------------------------------------------------------------------------------


def piece_problems(s: State, c: Components) -> list[str]:
    """Check that pieces and spaces are those in play, and agree; everything else is counted from them."""
    lines = []
    if any((s.at[p] == board.NOT_IN_PLAY) == c.piece_in_play[p] for p in range(board.PIECES)):
        lines.append("other pieces are left out than by the component set")
    if any((s.on[x] == board.NO_SPACE) == c.space_in_play[x] for x in range(board.SPACES)):
        lines.append("other spaces are left out than by the component set")
    on_board = {p: int(s.at[p]) for p in range(board.PIECES) if s.at[p] < board.NOWHERE}
    if on_board != {int(s.on[x]): x for x in range(board.SPACES) if s.on[x] < board.NO_PIECE}:
        lines.append("pieces and spaces disagree about what lies where")
    sites = [x for p, x in on_board.items() if p >= board.FIRST_BUILDING]
    pairs = [x for x in sites if set(neighbours(x)) & set(sites)]
    return lines + [f"buildings next to each other at {board.SPACE_NAMES[x]}" for x in pairs]


def course_problems(s: State, c: Components) -> list[str]:
    """Check whose turn it is, what is asked, and the end."""
    # The pieces placed say whose turn it is.
    placed = sum(int(s.at[p] < board.NOWHERE) for p in range(board.PIECES))
    buildings = sum(int(s.at[p] < board.NOWHERE) for p in range(board.FIRST_BUILDING, board.PIECES))
    lines = [] if placed == s.placed else [f"{placed} pieces on the board, {s.placed} counted"]
    if buildings != min(placed, c.buildings):
        lines.append("counters on the board before all buildings")
    if s.player != placed % board.SIDES:
        lines.append(f"with {placed} pieces placed it is the turn of the {board.SIDE_NAMES[placed % board.SIDES]}")

    # The question, and the piece chosen.
    if s.over:
        questions = {state.ASK_NOTHING}
    elif placed < c.buildings:
        questions = {state.ASK_BUILDING, state.ASK_SITE}
    else:
        questions = {state.ASK_COUNTER, state.ASK_SPACE}
    if s.question not in questions:
        lines.append(f"question {s.question} after {placed} pieces")
    pending = s.question in (state.ASK_SITE, state.ASK_SPACE)
    own = range(board.COUNTERS * s.player, board.COUNTERS * (s.player + 1))
    pieces = range(board.FIRST_BUILDING, board.PIECES) if s.question == state.ASK_SITE else own
    if pending and not (s.held in pieces and s.at[s.held] == board.NOWHERE):
        lines.append(f"piece {s.held} cannot be placed")
    if not pending and s.held != board.NO_PIECE:
        lines.append(f"piece {s.held} is held without a question")
    return lines


def sum_problems(s: State, c: Components) -> list[str]:
    """Check the sums that are kept up to date."""
    lines = []
    for x, name in enumerate(board.SPACE_NAMES):
        for side, side_name in enumerate(board.SIDE_NAMES):
            if s.influence[side, x] != influence_on(s, c, side, x):
                lines.append(f"influence of the {side_name} on {name} is {s.influence[side, x]}")
        if s.empties[x] != empties_next_to(s, x):
            lines.append(f"{s.empties[x]} empties at {name}")
    for side, side_name in enumerate(board.SIDE_NAMES):
        if any(reach != highest_sum(s, c, side, k) for k, reach in enumerate(s.reach[side])):
            lines.append(f"reach of the {side_name}")
    return lines


def control_problems(s: State, c: Components) -> list[str]:
    """Check control against the pieces; of a level Notre Dame they say only that it is somebody's."""
    lines = []
    for x in range(board.SPACES):
        sides = [side for side in range(board.SIDES) if s.controls[side, x]]
        verdict = verdict_on(s, c, x)
        possible = {TIED: ([board.ROYALISTS], [board.JACOBINS]), OPEN: ([],)}.get(verdict, ([verdict],))
        if sides not in possible:
            lines.append(f"control of {board.SPACE_NAMES[x]}")
    return lines


def marker_problems(s: State, c: Components) -> list[str]:
    """Check that markers lie on numbers and Notre Dame, controlled by their side, and that none is lost."""
    lines = []
    for side, name in enumerate(board.SIDE_NAMES):
        marked = [x for x in range(board.SPACES) if s.marked[side, x]]
        if len(marked) + s.left[side] != c.markers[side]:
            lines.append(f"{name}: {len(marked)} markers placed, {s.left[side]} left of {c.markers[side]}")
        for x in marked:
            if not s.controls[side, x] or not _can_be_marked(int(s.on[x])):
                lines.append(f"a marker of the {name} on {board.SPACE_NAMES[x]}")
    return lines


def end_problems(s: State) -> list[str]:
    """Check that the game has ended if and only if a side meets a condition."""
    met = [side_condition(s, side) for side in range(board.SIDES)]
    winners = [side for side in range(board.SIDES) if met[side] != state.RUNNING]
    winner, reason = board.NOBODY, state.RUNNING
    if len(winners) == board.SIDES:
        reason = state.DRAW
    elif winners:
        winner, reason = winners[0], met[winners[0]]
    if (s.over, s.winner, s.end_reason) == (int(reason != state.RUNNING), winner, reason):
        return []
    record = f"over {s.over}, winner {s.winner}, end {s.end_reason}"
    return [f"{record}, where the pieces say: winner {winner}, end {reason} ({state.END_REASONS[reason]})"]


def side_condition(s: State, side: int) -> int:
    """The first victory condition that a side meets."""

    def controls(piece: int) -> bool:
        return bool(s.at[piece] < board.NOWHERE and s.controls[side, s.at[piece]])

    if controls(board.COUNTERS * (1 - side) + board.FLAG):
        return state.FLAG_CAPTURED
    if controls(board.BASTILLE) and controls(board.VERSAILLES) and s.marked[side, s.at[board.NOTRE_DAME]]:
        return state.THREE_BUILDINGS
    flag_stands = s.at[board.COUNTERS * side + board.FLAG] != board.NOWHERE
    return state.ALL_MARKERS if s.left[side] == 0 and flag_stands else state.RUNNING


def _can_be_marked(piece: int) -> bool:
    return piece == board.NOTRE_DAME or (piece < board.FIRST_BUILDING and piece % board.COUNTERS != board.FLAG)
