"""The state record of Red Flag Over Paris: every field with its meaning, its range and who may see it."""

from __future__ import annotations

import numpy as np

from rfop_env.core.decisions import Header
from rfop_env.core.record import Grid, RecordLayout, Vector, field
from rfop_env.games.red_flag_over_paris import board, components, frames

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

# What a strategy card was last used for openly (field `used_for`), the plays in the order of the actions (R32).
(
    NO_USE,
    FOR_EVENT,
    FOR_OPERATIONS,
    FOR_COPY,  # the event of the top discard
    FOR_MOMENTUM,  # Censor variant alone: otherwise such a card stays face down
    FOR_FINAL_CRISIS,  # the points of the own Final Crisis card
    FOR_NOTHING,  # discarded, not played: by the Censor variant, before the Final Crisis, by the Solo Opponent
    FOR_DRAW,  # drawn for a removal, nobody's play
) = range(8)
USE_NAMES = ("", "event", "operations", "copy", "momentum", "Final Crisis card", "discard", "draw")

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

# The fate of a side's own objective since it was revealed (field `scored_own`).
NOT_CONTROLLED, CONTROLLED, SET_ASIDE = range(3)  # CONTROLLED: its event is still to come, or under way

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
    "dealing",
    "initiative",
    "censor",
    "card play",
    "pivotal bonus actions",
    "dimension scoring",
    "objective scoring",
    "objective events",
    "check for Final Crisis",
    "gathering for the Final Crisis",
    "Final Crisis initiative",
    "Final Crisis card play",
    "Final Crisis bonus actions",
    "Final Crisis scoring",
    "game end",
)
FINAL_ROUND = 4  # the value of `round` during the Final Crisis
ROUNDS = 3
CARD_PLAYS = 3  # a side, in a normal round

NOBODY = -1
NO_CARD = 0

# Why a game ended (field `end_reason`).
RUNNING, COMMUNE_CONDITION, VERSAILLES_CONDITION, COMMUNE_TIEBREAK, VERSAILLES_TIEBREAK, SOLO_TIE = range(6)
END_REASONS = (
    "running",
    "Commune victory condition",
    "Versailles victory condition",
    "tiebreakers for the Commune",
    "tiebreakers for Versailles",
    "tie, which the Solo Opponent wins",
)

DECK_SIZE = 39
JOURNAL_LENGTH = 700  # R29: more than can happen between two decisions (`limits.most_lines`)
BY_CARD = (components.STRATEGY_CARDS + 1,)  # the shape of a field by card number; row 0 is unused
LAST_OBJECTIVE = components.FIRST_OBJECTIVE + components.OBJECTIVES - 1


class State(Header, journal_length=JOURNAL_LENGTH):
    """A position of Red Flag Over Paris."""

    # options
    censor: int = field(np.int32, 0, 1, option=True)  # 1: Censor variant
    bot: int = field(np.int32, NOBODY, board.SIDES - 1)  # the side of the Solo Opponent, NOBODY in the 2-player game

    # course of the game; public
    round_number: int = field(np.int32, 1, FINAL_ROUND)
    rounds_played: int = field(np.int32, 0, ROUNDS)  # normal rounds completed: the hand size of the Final Crisis
    phase: int = field(np.int32, DEALING, GAME_END)
    plays: int = field(np.int32, 0, 2 * ROUNDS)  # card plays begun in this round, both sides together
    initiative: int = field(np.int32, 0, board.SIDES - 1)  # side of the Initiative player; the Commune at first
    # political and military VP as the Commune sees them
    vp: Vector = field(np.int32, -board.VP_LIMIT, board.VP_LIMIT, (2,))
    vp_endless: Vector = field(np.int32, -1000, 1000, (2,))  # not capped: for the reward "mixed"; no rule reads it
    momentum: Vector = field(np.int32, 0, board.MOMENTUM_LIMIT, (board.SIDES,))
    winner: int = field(np.int32, NOBODY, board.SIDES - 1)  # side, NOBODY while the game runs

    # pieces; public
    cubes: Grid = field(np.int32, 0, board.CUBE_LIMIT, (board.SIDES, board.SPACES))
    disc: Vector = field(np.int32, 0, board.SIDES, (board.SPACES,))  # 0 none, side + 1
    track: Grid = field(np.int32, 0, board.CUBES, (board.SIDES, board.ZONES))  # cubes left on the crisis track
    bonus: Grid = field(np.int32, 0, board.CUBES, (board.SIDES, board.ZONES))  # bonus cubes not yet taken or lost
    pool: Vector = field(np.int32, 0, board.CUBES, (board.SIDES,))
    out_of_play: Vector = field(np.int32, 0, board.CUBES, (board.SIDES,))
    # Versailles cubes still under the momentum track's 1 to 3
    collaboration: Vector = field(np.int32, 0, board.CUBES, (4,))
    # zones (bits) whose breach has been settled
    settled: Vector = field(np.int32, 0, 2**board.ZONES - 1, (board.SIDES,))
    # the side that first breached its Final Crisis zone
    first_final_breach: int = field(np.int32, NOBODY, board.SIDES - 1)

    # strategy cards
    zone: Vector = field(np.int8, IN_DECK, NOT_USED, BY_CARD)  # by card; what is hidden follows from it
    deck: Vector = field(np.int8, NO_CARD, components.STRATEGY_CARDS, (DECK_SIZE + 1,))  # hidden; drawn from the end
    deck_size: int = field(np.int32, 0, DECK_SIZE)  # public
    top_discard: int = field(np.int32, NO_CARD, components.STRATEGY_CARDS)  # card on top of the discard pile
    # the last open use of each card, whatever has become of it since; public (R32)
    used_by: Vector = field(np.int8, NOBODY, board.SIDES - 1, BY_CARD)  # side, NOBODY for a draw and before any
    used_round: Vector = field(np.int8, 0, FINAL_ROUND, BY_CARD)  # 0 before any
    used_for: Vector = field(np.int8, NO_USE, FOR_DRAW, BY_CARD)
    # cards that a side gave up for momentum in rounds 1 to 3; public, also where the cards are not
    momentum_cards: Grid = field(np.int8, 0, CARD_PLAYS, (board.SIDES, ROUNDS))
    # 1: the side knows where this hidden card is
    known: Grid = field(np.int8, 0, 1, (board.SIDES, components.STRATEGY_CARDS + 1))

    # objectives
    objective_zone: Vector = field(np.int8, OBJECTIVE_DECK, OBJECTIVE_GONE, (components.OBJECTIVES,))
    # hidden; drawn from the end
    objective_deck: Vector = field(np.int8, NO_CARD, LAST_OBJECTIVE, (components.OBJECTIVES,))
    objective_deck_size: int = field(np.int32, 0, components.OBJECTIVES)
    # chosen this round; hidden from the enemy until it is revealed
    objective: Vector = field(np.int32, NO_CARD, LAST_OBJECTIVE, (board.SIDES,))
    # 1: this side's objective has been revealed
    objective_known: Vector = field(np.int32, 0, 1, (board.SIDES,))
    fulfilled: Vector = field(np.int32, 0, ROUNDS, (board.SIDES,))  # fulfilled objectives
    scored_own: Vector = field(np.int32, NOT_CONTROLLED, SET_ASIDE, (board.SIDES,))  # once both objectives are revealed

    # round end
    # dimensions (bits) with a bonus action to come
    pivotal: Vector = field(np.int32, 0, 2**board.DIMENSIONS - 1, (board.SIDES,))

    # solo
    bot_turn: int = field(np.int32, 0, 1)  # 1: the Solo Opponent is taking its turn
    padding: int = field(np.int32, 0, 0)


RECORD = RecordLayout(State.fields(), frames.FRAMES)
STATE = RECORD.dtype
