"""The state record of Levée en Masse: every field, its meaning, its range; only the order of `deck` is hidden."""

from __future__ import annotations

import numpy as np

from rfop_env.core.decisions import Header
from rfop_env.core.record import Grid, RecordLayout, Vector, field
from rfop_env.games.levee_en_masse import board
from rfop_env.games.levee_en_masse.components import HEADLINES

# Scenarios (field `scenario`): the base game, with the expansion (12.1), in one pile (12.2), by number (12.3).
STANDARD, EXTENDED, PUREE, HISTORICAL = range(4)
SCENARIO_NAMES = ("standard", "extended", "puree", "historical")
# Difficulty (field `difficulty`, 13.0): a change of the Actions of every fifth card.
EASIER, HARDER = 1, 2
DIFFICULTY_NAMES = ("standard", "easier", "harder")
# The optional rules, each a field that is 0 or 1.
OPTIONAL_RULES = ("levee", "spirit_of_89", "nothing_is_free", "reserves", "commit_order", "decisive", "early_defeats")

ASK_ACTION, ASK_ROLL = range(2)  # what is asked (field `question`)
QUESTION_NAMES = ("action", "roll")

# Where Napoleon is (field `napoleon`); travelling: in the Holding Box, but not to be assigned before the next turn.
NAPOLEON_ASIDE, NAPOLEON_HELD, NAPOLEON_TRAVELLING, NAPOLEON_ASSIGNED = range(4)
NAPOLEON_NAMES = ("aside", "holding box", "travelling", "assigned")

# How an army is attacked (field `roll_kind`): at the cost of an Action, To the Barricades!, by the Spirit of '89, by a
# Naval Action, which has no entry of its own in the observation.
BY_ACTION, BY_BARRICADE, BY_SPIRIT, BY_SEA = range(4)
ROLL_NAMES = ("military action", "barricades", "spirit of '89")

DISORGANIZED, ROUTED = 1, 2  # field `disarray` (10.6.1)
NO_ARMY = -1

# Outcome levels; the end reason is one more.
CRUSHING_DEFEAT, DECISIVE_DEFEAT, SUBSTANTIVE_DEFEAT, MINOR_DEFEAT, MINOR_VICTORY, SUBSTANTIVE_VICTORY = range(6)
TRIUMPH = 6
END_REASONS = (
    "running",
    "crushing defeat",
    "decisive defeat",
    "substantive defeat",
    "minor defeat",
    "minor victory",
    "substantive victory",
    "Republican triumph",
)

MOST_ACTIONS = 99  # of any kind at once: more than any card and rule can add up to
SCORES = 1000  # no score of any component set lies beyond, either way


class State(Header):
    """A position of Levée en Masse."""

    # options
    scenario: int = field(np.int32, STANDARD, HISTORICAL, option=True)
    difficulty: int = field(np.int32, 0, HARDER, option=True)
    levee: int = field(np.int32, 0, 1, option=True)
    spirit_of_89: int = field(np.int32, 0, 1, option=True)
    nothing_is_free: int = field(np.int32, 0, 1, option=True)
    reserves: int = field(np.int32, 0, 1, option=True)
    commit_order: int = field(np.int32, 0, 1, option=True)
    decisive: int = field(np.int32, 0, 1, option=True)
    early_defeats: int = field(np.int32, 0, 1, option=True)

    # cards
    deck: Vector = field(np.int8, 0, HEADLINES, (HEADLINES,))  # the cards in the order of play, 0 behind the last
    deck_size: int = field(np.int32, 1, HEADLINES)  # 48 or 60
    drawn: int = field(np.int32, 1, HEADLINES)  # cards revealed so far; the last of them is the current one
    headline: int = field(np.int32, 1, HEADLINES)  # the current card's number
    red_seen: int = field(np.int32, 0, 1)  # 1: a red card has been revealed

    # map
    box: Vector = field(np.int32, board.OFF_MAP, board.START, (board.ARMIES,))  # 0 Paris to 5 start
    rotated: int = field(np.int32, 0, 1)  # 1: the Prussian army stays out of France (5.5.2)
    disarray: Vector = field(np.int32, 0, ROUTED, (board.ARMIES,))  # 0, DISORGANIZED, ROUTED
    disorder: int = field(np.int32, 0, 1)  # 1: the Disorder marker is in Paris, otherwise in the Holding Box
    liberated: Grid = field(np.int32, 0, 1, (board.TRACKS, board.BOXES))  # 1: a Liberation marker is there
    markers_aside: int = field(np.int32, 0, board.ALL_MARKERS)  # Liberation markers not yet in play
    markers_held: int = field(np.int32, 0, board.ALL_MARKERS)  # in the Holding Box
    politics: Vector = field(np.int32, board.LOWEST, board.HIGHEST, (board.POLITICS,))
    french_army: int = field(np.int32, -2, 2)  # what it was when the game ended
    napoleon: int = field(np.int32, NAPOLEON_ASIDE, NAPOLEON_ASSIGNED)
    napoleon_army: int = field(np.int32, NO_ARMY, board.ARMIES - 1)  # the army he fights

    # this Action Phase
    question: int = field(np.int32, ASK_ACTION, ASK_ROLL)
    actions_left: int = field(np.int32, 0, MOST_ACTIONS)
    emergency: int = field(np.int32, 0, MOST_ACTIONS)  # Military Actions left from levées (10.1)
    inside: int = field(np.int32, 0, MOST_ACTIONS)  # Military Actions left against armies in square spaces (10.5)
    begun: int = field(np.int32, 0, 1)  # 1: it is too late to detach Napoleon
    attacked: Vector = field(
        np.int32, 0, 1, (board.ARMIES,)
    )  # 1: target of a Military Action this turn: no more barricade
    spirit_used: Grid = field(
        np.int32, 0, 1, (board.TRACKS, board.BOXES)
    )  # 1: the marker there has fought for itself this turn
    reserves_used: int = field(np.int32, 0, 1)  # 1: the last reserves were committed this turn
    reserves_penalty: int = field(np.int32, 0, 1)  # 1: they were committed last turn

    # the roll that is asked about
    roll_army: int = field(np.int32, NO_ARMY, board.ARMIES - 1)
    roll_kind: int = field(np.int32, BY_ACTION, BY_SEA)
    roll_die: int = field(np.int32, 0, 6)  # 0 if none; a 6 is never asked about

    # the end
    score: int = field(np.int32, -SCORES, SCORES)  # final score (9.3); CRUSHING_SCORE, DECISIVE_SCORE where none


RECORD = RecordLayout(State.fields())
STATE = RECORD.dtype
