"""How long a game can get: the most decisions that the events of a component set allow."""

from __future__ import annotations

from typing import Any

from rfop_env.games.red_flag_over_paris.board import DIMENSIONS, SIDES
from rfop_env.games.red_flag_over_paris.components import (
    CARDS, FIRST_OBJECTIVE, MOMENTUM, MOVE, OPERATIONS_BOTH, PLACE_DISC, PLACE_OUT_OF_PLAY,
    REVEAL_HAND, REVEAL_OBJECTIVE, STEP_COUNT, STEP_OPERATION, STEP_OPTION, STEP_SECOND, STRATEGY_CARDS, SWAP_CARD,
    USE_ANY_DISCARD,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.rounds import PLAYS_A_ROUND
from rfop_env.games.red_flag_over_paris.state import ROUNDS

# For each side: an Objective Card to keep, a card to censor; for both together: who plays first.
OPENING = 2 * SIDES + 1
# For each dimension: its turn, the bonus action, at most two moves of two decisions; two orders of scoring.
BONUS_ACTIONS = DIMENSIONS * (1 + 1 + 4) + 2
OBJECTIVES = 2 + 1 + SIDES  # two orders of scoring, whose event comes first, and whether each is used


def most_decisions(c: Any) -> int:
    """The most decisions of a game with a component record, both sides together, forced ones included.

    Every play of a round is taken to be the longest event of all, and every choice inside it to be made in full.
    """
    # The event of a discard is never one that chooses a discard again.
    plain = [
        program for program in c.program[1 : STRATEGY_CARDS + 1] if USE_ANY_DISCARD not in program[:, STEP_OPERATION]
    ]
    discard = max((event_decisions(program, 0) for program in plain), default=0)
    events = [event_decisions(program, discard) for program in c.program[1:CARDS]]
    strategy, objective = max(events[: FIRST_OBJECTIVE - 1]), max(events[FIRST_OBJECTIVE - 1 :])
    play = 2 + max(strategy, int(c.points.max()))  # which card, how; momentum gives the enemy one cube to place
    a_round = OPENING + PLAYS_A_ROUND * play + BONUS_ACTIONS + OBJECTIVES + SIDES * objective
    # Who plays first, a discard for each side; which card, and whether the enemy uses the event of its colour.
    crisis = 1 + SIDES + SIDES * ROUNDS * (2 + strategy) + BONUS_ACTIONS
    return ROUNDS * a_round + crisis


def event_decisions(program: Any, discard: int) -> int:
    """The most decisions of an event, int [MAX_STEPS, STEP_COLUMNS]; `discard`: those of the event of a discard."""
    rows = [[int(value) for value in step] for step in program]
    shared = sum(_row(row, discard) for row in rows if row[STEP_OPTION] == 0)
    options = {row[STEP_OPTION] for row in rows} - {0}
    longest = max((sum(_row(row, discard) for row in rows if row[STEP_OPTION] == n) for n in options), default=-1)
    return shared + 1 + longest  # which option


def _row(row: list[int], discard: int) -> int:
    """The most decisions of a row of an event: cubes one by one, or less and "done"."""
    count = row[STEP_COUNT]
    several = {
        MOVE: 2 * count,  # from where, to where
        PLACE_OUT_OF_PLAY: 2 * count,  # where each comes from, where it goes
        PLACE_DISC: 2,
        OPERATIONS_BOTH: count + row[STEP_SECOND],
        MOMENTUM: 2,  # whether; the enemy may place a cube
        REVEAL_HAND: 1,
        REVEAL_OBJECTIVE: 1,
        SWAP_CARD: 1,
        USE_ANY_DISCARD: 1 + discard,
    }
    return several.get(row[STEP_OPERATION], count)
