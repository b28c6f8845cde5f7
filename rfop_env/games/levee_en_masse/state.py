"""The state record of Levée en Masse: every field, its meaning, its range; only the order of `deck` is hidden."""

from __future__ import annotations

import numpy as np

from rfop_env.core.decisions import HEADER
from rfop_env.games.levee_en_masse.board import ARMIES, BOXES, POLITICS, TRACKS
from rfop_env.games.levee_en_masse.components import HEADLINES

# Scenarios (field `scenario`): the base game, with the expansion (12.1), in one pile (12.2), by number (12.3).
STANDARD, EXTENDED, PUREE, HISTORICAL = range(4)
SCENARIO_NAMES = ("standard", "extended", "puree", "historical")
# Difficulty (field `difficulty`, 13.0): a change of the Actions of every fifth card.
EASIER, HARDER = 1, 2
DIFFICULTY_NAMES = ("standard", "easier", "harder")
# The optional rules, each a field that is 0 or 1.
OPTIONAL_RULES = (
    "levee", "spirit_of_89", "nothing_is_free", "reserves", "commit_order", "decisive", "early_defeats",
)  # fmt: skip

ASK_ACTION, ASK_ROLL = range(2)  # what is asked (field `question`)
QUESTION_NAMES = ("action", "failed roll")

# Where Napoleon is (field `napoleon`); travelling: in the Holding Box, but not to be assigned before the next turn.
NAPOLEON_ASIDE, NAPOLEON_HELD, NAPOLEON_TRAVELLING, NAPOLEON_ASSIGNED = range(4)
NAPOLEON_NAMES = ("aside", "holding box", "travelling", "assigned")

# How an army is attacked (field `roll_kind`): at the cost of an Action, To the Barricades!, by the Spirit of '89.
BY_ACTION, BY_BARRICADE, BY_SPIRIT = range(3)
ROLL_NAMES = ("military action", "barricades", "spirit of '89")

DISORGANIZED, ROUTED = 1, 2  # field `disarray` (10.6.1)
NO_ARMY = -1

# Outcome levels; the end reason is one more.
(
    CRUSHING_DEFEAT, DECISIVE_DEFEAT, SUBSTANTIVE_DEFEAT, MINOR_DEFEAT, MINOR_VICTORY, SUBSTANTIVE_VICTORY, TRIUMPH,
) = range(7)  # fmt: skip
END_REASONS = (
    "running", "crushing defeat", "decisive defeat", "substantive defeat", "minor defeat", "minor victory",
    "substantive victory", "Republican triumph",
)  # fmt: skip

STATE = np.dtype(
    [
        *HEADER,
        # options
        ("scenario", np.int32),
        ("difficulty", np.int32),
        *((name, np.int32) for name in OPTIONAL_RULES),
        # cards
        ("deck", np.int8, (HEADLINES,)),  # all cards of the game in the order of play, 0 behind the last
        ("deck_size", np.int32),  # 48 or 60
        ("drawn", np.int32),  # cards revealed so far; the last of them is the current one
        ("headline", np.int32),  # the current card's number, 1 to 60
        ("red_seen", np.int32),  # 1: a red card has been revealed
        # map
        ("box", np.int32, (ARMIES,)),  # 0 Paris to 5 start, OFF_MAP
        ("rotated", np.int32),  # 1: the Prussian army stays out of France (5.5.2)
        ("disarray", np.int32, (ARMIES,)),  # 0, DISORGANIZED, ROUTED
        ("disorder", np.int32),  # 1: the Disorder marker is in Paris, otherwise in the Holding Box
        ("liberated", np.int32, (TRACKS, BOXES)),  # 1: a Liberation marker is there
        ("markers_aside", np.int32),  # Liberation markers not yet in play
        ("markers_held", np.int32),  # in the Holding Box
        ("politics", np.int32, (POLITICS,)),  # -1 to 4
        ("french_army", np.int32),  # -2 to 2; what it was when the game ended
        ("napoleon", np.int32),
        ("napoleon_army", np.int32),  # the army he fights, NO_ARMY
        # this Action Phase
        ("question", np.int32),
        ("actions_left", np.int32),
        ("emergency", np.int32),  # Military Actions left from levées (10.1)
        ("inside", np.int32),  # Military Actions left against armies in square spaces (10.5)
        ("begun", np.int32),  # 1: it is too late to detach Napoleon
        ("attacked", np.int32, (ARMIES,)),  # 1: target of a Military Action this turn: no more free barricade
        ("spirit_used", np.int32, (TRACKS, BOXES)),  # 1: the marker there has fought for itself this turn
        ("reserves_used", np.int32),  # 1: the last reserves were committed this turn
        ("reserves_penalty", np.int32),  # 1: they were committed last turn
        # the failed roll that is asked about
        ("roll_army", np.int32),  # NO_ARMY if none
        ("roll_kind", np.int32),
        ("roll_die", np.int32),  # 1 to 5, 0 if none
        # the end
        ("score", np.int32),  # final score (9.3); CRUSHING_SCORE or DECISIVE_SCORE where there is none
    ],
    align=True,
)
assert STATE.itemsize % 8 == 0
