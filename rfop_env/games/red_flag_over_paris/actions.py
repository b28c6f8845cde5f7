"""The action table of Red Flag Over Paris: one choice of one side, 132 ids."""

from __future__ import annotations

from rfop_env.core.action_table import ActionTable
from rfop_env.games.red_flag_over_paris import board, components

ACTIONS = ActionTable(
    [
        (
            "objective",
            "keep Objective Card {}",
            [str(components.FIRST_OBJECTIVE + i) for i in range(components.OBJECTIVES)],
        ),
        ("card", "choose card {} to play, discard or swap", [str(1 + i) for i in range(components.STRATEGY_CARDS)]),
        ("use", "use the chosen card: {}", ["event", "operations", "copy", "momentum", "final-crisis"]),
        ("place", "place one of your cubes in {}, or move one there", board.SPACE_NAMES),
        ("remove", "remove an enemy piece from {}; in a military operation, attempt to", board.SPACE_NAMES),
        (
            "storm",
            "attempt to remove an enemy piece from {}, paying an extra Operations Point for strength",
            board.MILITARY_NAMES,
        ),
        ("replace", "replace an enemy cube in {} with one of yours", board.SPACE_NAMES),
        ("take", "take one of your pieces from {}, to remove or to move it", board.SPACE_NAMES),
        ("disc", "place one of your Fortifications or Barricades in {}", board.MILITARY_NAMES),
        ("option", "choose option {} of the event", ["1", "2", "3"]),
        ("bonus", "take the pivotal bonus action: {}", ["de-escalate", "spread", "turncoat"]),
        ("dimension", "resolve the bonus action of {} next", board.DIMENSION_NAMES),
        ("first", "let {} come first", ["Commune", "Versailles"]),
        ("yes", "do it", [""]),
        ("done", "decline, or stop here", [""]),
    ]
)

KEEP_OBJECTIVE = ACTIONS.first("objective")
CHOOSE_CARD = ACTIONS.first("card") - 1  # + card number
USE = ACTIONS.first("use")
USE_EVENT, USE_OPERATIONS, USE_COPY, USE_MOMENTUM, USE_FINAL_CRISIS = range(USE, USE + 5)
PLACE_IN = ACTIONS.first("place")
REMOVE_FROM = ACTIONS.first("remove")
STORM = ACTIONS.first("storm") - board.FIRST_MILITARY_SPACE  # + space
REPLACE_IN = ACTIONS.first("replace")
TAKE_FROM = ACTIONS.first("take")
DISC_IN = ACTIONS.first("disc") - board.FIRST_MILITARY_SPACE  # + space
OPTION = ACTIONS.first("option") - 1  # + option number
BONUS = ACTIONS.first("bonus")
DE_ESCALATE, SPREAD, TURNCOAT = range(BONUS, BONUS + 3)
BONUS_OF = ACTIONS.first("dimension")
FIRST = ACTIONS.first("first")
YES = ACTIONS.first("yes")
DONE = ACTIONS.first("done")
