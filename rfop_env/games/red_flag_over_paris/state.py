"""The state record of Red Flag Over Paris: every field with its meaning, its range and who may see it."""

from __future__ import annotations

import numpy as np

from rfop_env.core.decisions import HEADER
from rfop_env.games.red_flag_over_paris.board import SIDES, SPACES, ZONES
from rfop_env.games.red_flag_over_paris.components import OBJECTIVES, STRATEGY_CARDS

# Where a strategy card is (field `zone`, by card number).
(
    IN_DECK,
    IN_HAND_COMMUNE,
    IN_HAND_VERSAILLES,
    ASIDE_COMMUNE,  # set aside for the Final Crisis, face down
    ASIDE_VERSAILLES,
    FACE_UP,  # a Final Crisis card in front of its owner
    IN_PLAY,  # being resolved
    DISCARDED,
    REMOVED,  # out of the game, seen by both
    SPENT_COMMUNE,  # out of the game face down: played to advance momentum
    SPENT_VERSAILLES,
    NOT_USED,  # left out of this game (solo; row 0)
) = range(12)

# Where an objective card is (field `objective_zone`, by card number - FIRST_OBJECTIVE).
(
    OBJECTIVE_DECK,
    OFFERED_COMMUNE,  # one of the two to choose from
    OFFERED_VERSAILLES,
    CHOSEN_COMMUNE,  # this round's objective, secret until scored
    CHOSEN_VERSAILLES,
    REJECTED_COMMUNE,  # removed from the game face down
    REJECTED_VERSAILLES,
    FULFILLED_COMMUNE,  # set aside as fulfilled
    FULFILLED_VERSAILLES,
    OBJECTIVE_GONE,  # revealed, not fulfilled
) = range(10)

# Phases of the game (field `phase`), in order; the Final Crisis comes after CHECK of the last round.
(
    DEALING,
    INITIATIVE,
    CENSORING,  # Censor variant: each discards one card
    PLAYING,
    BONUS_ACTIONS,
    DIMENSION_SCORING,
    OBJECTIVE_SCORING,
    OBJECTIVE_EVENTS,
    CHECK,  # Final Crisis or next round
    CRISIS_GATHERING,
    CRISIS_INITIATIVE,
    CRISIS_PLAYING,
    CRISIS_BONUS_ACTIONS,
    CRISIS_SCORING,
    GAME_END,
) = range(15)
PHASE_NAMES = (
    "dealing", "initiative", "censor", "card play", "pivotal bonus actions", "dimension scoring", "objective scoring",
    "objective events", "check for Final Crisis", "gathering for the Final Crisis", "Final Crisis initiative",
    "Final Crisis card play", "Final Crisis bonus actions", "Final Crisis scoring", "game end",
)  # fmt: skip
FINAL_ROUND = 4  # the value of `round` during the Final Crisis
ROUNDS = 3

NOBODY = -1
NO_CARD = 0

# Why a game ended (field `end_reason`).
RUNNING, COMMUNE_CONDITION, VERSAILLES_CONDITION, COMMUNE_TIEBREAK, VERSAILLES_TIEBREAK, SOLO_TIE = range(6)
END_REASONS = (
    "running", "Commune victory condition", "Versailles victory condition", "tiebreakers for the Commune",
    "tiebreakers for Versailles", "tie, which the Solo Opponent wins",
)  # fmt: skip

DECK_SIZE = 39

STATE = np.dtype(
    [
        *HEADER,
        # options
        ("censor", np.int32),  # 1: Censor variant
        ("bot", np.int32),  # the side of the Solo Opponent, NOBODY in the 2-player game
        # course of the game; public
        ("round_number", np.int32),  # 1 to 3, FINAL_ROUND
        ("rounds_played", np.int32),  # normal rounds completed: the hand size of the Final Crisis
        ("phase", np.int32),
        ("plays", np.int32),  # card plays begun in this round, both sides together
        ("initiative", np.int32),  # side of the Initiative player; the Commune at first
        ("vp", np.int32, (2,)),  # political and military VP as the Commune sees them, -5 to 5
        ("vp_endless", np.int32, (2,)),  # the same if the tracks had no ends: for the reward "mixed"; no rule reads it
        ("momentum", np.int32, (SIDES,)),  # 0 to 3
        ("winner", np.int32),  # side, NOBODY while the game runs
        # pieces; public
        ("cubes", np.int32, (SIDES, SPACES)),  # 0 to 4
        ("disc", np.int32, (SPACES,)),  # 0 none, side + 1
        ("track", np.int32, (SIDES, ZONES)),  # cubes left on the crisis track
        ("bonus", np.int32, (SIDES, ZONES)),  # bonus cubes not yet taken or lost
        ("pool", np.int32, (SIDES,)),
        ("out_of_play", np.int32, (SIDES,)),
        ("collaboration", np.int32, (4,)),  # Versailles cubes still under the momentum track's spaces 1 to 3
        ("settled", np.int32, (SIDES,)),  # zones (bits) whose breach has been settled
        ("first_final_breach", np.int32),  # the side that first breached its Final Crisis zone, NOBODY
        # strategy cards
        ("zone", np.int8, (STRATEGY_CARDS + 1,)),  # by card number; what is hidden follows from the zone
        ("deck", np.int8, (DECK_SIZE + 1,)),  # hidden; drawn from the end
        ("deck_size", np.int32),  # public
        ("top_discard", np.int32),  # card on top of the discard pile, NO_CARD
        ("discarded_by", np.int8, (STRATEGY_CARDS + 1,)),  # side that discarded it face up, NOBODY
        ("discarded_round", np.int8, (STRATEGY_CARDS + 1,)),  # round of that, 0 never
        ("known", np.int8, (SIDES, STRATEGY_CARDS + 1)),  # 1: the side knows where this hidden card is
        # objectives
        ("objective_zone", np.int8, (OBJECTIVES,)),
        ("objective_deck", np.int8, (OBJECTIVES,)),  # hidden; card numbers, drawn from the end
        ("objective_deck_size", np.int32),
        ("objective", np.int32, (SIDES,)),  # card number chosen this round, NO_CARD; hidden from the enemy ...
        ("objective_known", np.int32, (SIDES,)),  # ... unless 1: this side's objective has been revealed
        ("fulfilled", np.int32, (SIDES,)),  # fulfilled objectives
        ("scored_own", np.int32, (SIDES,)),  # 1: controlled the own target when it was scored this round
        # round end
        ("pivotal", np.int32, (SIDES,)),  # dimensions (bits) whose bonus action this side still has
        # solo
        ("bot_turn", np.int32),  # 1: the Solo Opponent is taking its turn
        ("padding", np.int32),
    ],
    align=True,
)
