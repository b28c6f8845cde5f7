"""Limits of games and turns: the most decisions, and the longest journal, that a component set allows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from rfop_env.games.red_flag_over_paris import board, components, rounds, state

# For each side: an Objective Card to keep, a card to censor; for both together: who plays first.
OPENING = 2 * board.SIDES + 1
# For each dimension: its turn, the bonus action, at most two moves of two decisions; two orders of scoring.
BONUS_ACTIONS = board.DIMENSIONS * (1 + 1 + 4) + 2
OBJECTIVES = 2 + 1 + board.SIDES  # two orders of scoring, whose event comes first, and whether each is used


def most_decisions(c: Any) -> int:
    """The most decisions of a game with a component record, both sides together, forced ones included.

    Every play of a round is taken to be the longest event of all, and every choice inside it to be made in full.
    """
    events = _event_lengths(c, event_decisions)
    strategy = max(events[: components.FIRST_OBJECTIVE - 1])
    objective = max(events[components.FIRST_OBJECTIVE - 1 :])

    # A round.
    play = 2 + max(strategy, int(c.points.max()))  # which card, how; momentum gives the enemy one cube to place
    a_round = OPENING + rounds.PLAYS_A_ROUND * play + BONUS_ACTIONS + OBJECTIVES + board.SIDES * objective

    # The Final Crisis: who plays first, a discard for each side; which card, and whether the enemy uses its event.
    crisis = 1 + board.SIDES + board.SIDES * state.ROUNDS * (2 + strategy) + BONUS_ACTIONS
    return state.ROUNDS * a_round + crisis


def event_decisions(program: Any, discard: int) -> int:
    """The most decisions of an event, int [MAX_STEPS, STEP_COLUMNS]; `discard`: those of the event of a discard."""
    choices = 1 if (program[:, components.STEP_OPTION] > 0).any() else 0  # which option
    return choices + _longest_way(program, lambda row: _row(row, discard))


def _event_lengths(c: Any, length: Callable[[Any, int], int]) -> list[int]:
    """The length of every event, by card from 1; the event of a discard never chooses a discard again."""
    discards = c.program[1 : components.STRATEGY_CARDS + 1]
    plain = [program for program in discards if components.USE_ANY_DISCARD not in program[:, components.STEP_OPERATION]]
    longest_discard = max((length(program, 0) for program in plain), default=0)
    return [length(program, longest_discard) for program in c.program[1 : components.CARDS]]


def _longest_way(program: Any, length: Callable[[list[int]], int]) -> int:
    """The length of the rows that belong to every option and of those of the longest option."""
    options: Counter[int] = Counter()
    for row in program.tolist():
        options[row[components.STEP_OPTION]] += length(row)
    return options.pop(0, 0) + max(options.values(), default=0)


def _row(row: list[int], discard: int) -> int:
    """The most decisions of a row of an event: cubes one by one, or less and "done"."""
    count = row[components.STEP_COUNT]
    lengths = {
        components.MOVE: 2 * count,  # from where, to where
        components.PLACE_OUT_OF_PLAY: 2 * count,  # where each comes from, where it goes
        components.PLACE_DISC: 2,
        components.OPERATIONS_BOTH: count + row[components.STEP_SECOND],
        components.MOMENTUM: 2,  # whether; the enemy may place a cube
        components.REVEAL_HAND: 1,
        components.REVEAL_OBJECTIVE: 1,
        components.SWAP_CARD: 1,
        components.USE_ANY_DISCARD: 1 + discard,
    }
    return lengths.get(row[components.STEP_OPERATION], count)


# -- the journal (R29) ---------------------------------------------------------------------------------------------

# Lines, with those that say which row of the Solo Opponent's tables decided.
A_POINT = 6  # remove or place, where, the attempt, a new deck, the card drawn, the piece
A_STEP = 3  # the momentum marker; where the enemy's cube goes, and the cube
PIVOTAL_ACTIONS = board.DIMENSIONS * (1 + 2 * 2)  # which action; at most two moves, where to and the cube
BREACHES = board.SIDES * (board.ZONES - 1) + 1  # in a whole game: each zone once, and one of them costs a VP


def most_lines(c: Any) -> int:
    """The most that can happen between two decisions of one side, in lines of the journal, for a component record.

    Each round asks every side which of two Objective Cards it keeps. The longest way without a decision goes from there
    through a round in which all is forced, or is the enemy's, through its end and through the Final Crisis.
    """
    events = _event_lengths(c, event_lines)
    event = max(events)
    objective = max(events[components.FIRST_OBJECTIVE - 1 :])

    # A play: the card, a new deck, what it does, the discard. The bot's: momentum before, one more point after.
    turn = max(event, A_POINT * int(c.points.max()), A_STEP)
    plays = rounds.PLAYS_A_ROUND * (3 + turn) + rounds.PLAYS_A_ROUND // board.SIDES * (A_STEP + A_POINT)
    # Who plays first, the Censor variant's discards. Bonus actions, dimensions; both objectives, their VP and events.
    round_lines = 1 + board.SIDES + plays + PIVOTAL_ACTIONS + board.DIMENSIONS + board.SIDES * (2 + objective)

    # What the bot turns up and discards unused: the rest of a deck, and a new one in each play but its last.
    cards = components.STRATEGY_CARDS - board.SIDES - int(c.not_in_solo[: components.STRATEGY_CARDS + 1].sum())
    reveals = 2 * cards * state.ROUNDS + (state.ROUNDS - 1)
    # It begins, a discard for each side, who plays first; card, event and discard of each play; as above; VP.
    crisis = (
        1
        + board.SIDES
        + 1
        + board.SIDES * state.ROUNDS * (2 + event)
        + reveals
        + PIVOTAL_ACTIONS
        + board.DIMENSIONS
        + board.SIDES
    )
    return round_lines + crisis + BREACHES


def event_lines(program: Any, discard: int) -> int:
    """The most lines of an event, int [MAX_STEPS, STEP_COLUMNS]; `discard`: those of the event of a discard."""
    return 1 + _longest_way(program, lambda row: _row_lines(row, discard))


def _row_lines(row: list[int], discard: int) -> int:
    """The most lines of a row of an event: for each cube where to place, remove or move it, and that it is done."""
    count = row[components.STEP_COUNT]
    lengths = {
        components.OPERATIONS: A_POINT * count,
        components.OPERATIONS_BOTH: A_POINT * (count + row[components.STEP_SECOND]),
        components.REPLACE: 3 * count,  # one cube goes, one comes
        components.MOMENTUM: A_STEP,
        components.REVEAL_HAND: 1,
        components.REVEAL_OBJECTIVE: 1,
        components.SWAP_CARD: 1,
        components.USE_ANY_DISCARD: discard,
    }
    return lengths.get(row[components.STEP_OPERATION], 2 * count)
