"""What can be pending in Paris: the kinds of frames on the record's stack, and what each holds.

Frames up to LAST_QUESTION ask their side for an action; DO_ARRIVE is work that the rules carry on by themselves. A kind
gives names to the arguments A to F that it uses. `FRAMES` is the one list of kinds with the ranges of their arguments:
records from outside are checked against it.
"""

from __future__ import annotations

from rfop_env.core.decisions import FRAME_A, FRAME_B, FRAME_C, FRAME_D, FRAME_E
from rfop_env.core.record import Frame
from rfop_env.games.paris import board

(
    NO_QUESTION,
    ASK_DRAW,  # which stack to draw from; free actions
    ASK_PLACEMENT,  # variant of the buildings: in which district
    ASK_ACTION,  # the action of the turn; free actions
    ASK_DESTINATION,  # where the key moves
    ASK_LANDMARK_DISTRICT,  # where a landmark from the supply goes, moving from the Arc
    ASK_PAYMENT,  # what pays a resource
    ASK_BONUS,  # which bonus tile ahead; free actions where it costs a fee
    ASK_PRESTIGE,  # what pays a section of a landmark
    ASK_VP_TILE,  # which VP tile to place
    ASK_VP_DISTRICT,  # where to place it
    ASK_END_TILE,  # which End Game tile to take
    ASK_ANY_BONUS,  # tile 17: which bonus tile of the track
    ASK_BACK,  # tile 25: which bonus tile behind
    ASK_PAIRS,  # tiles 23 and 24: a pair to return
    ASK_END_TURN,  # free actions before the turn ends
    DO_ARRIVE,  # rewards of a move, once paid for
) = range(17)
LAST_QUESTION = ASK_END_TURN
QUESTIONS = LAST_QUESTION + 1

# -- names of the arguments ----------------------------------------------------------------------------------------

TILE_TO_PLACE = FRAME_A  # ASK_PLACEMENT: a building tile
ORIGIN = FRAME_A  # ASK_DESTINATION: the place that the key leaves
LANDMARK_PLACE = FRAME_B  # ASK_LANDMARK_DISTRICT

# ASK_PAYMENT
WOOD_LEFT = FRAME_A  # to pay; the other resources follow in their order
MARBLE_LEFT = FRAME_B
GOLD_LEFT = FRAME_C
PAID_FOR = FRAME_D  # the destination of the move
HALF_TILE = FRAME_E  # 1: one of the two tokens of tile 21, of ASK_PRESTIGE of tile 19, is still to be used

FEE = FRAME_A  # ASK_BONUS: Francs

# ASK_PRESTIGE
PRESTIGE_LANDMARK = FRAME_A
NEXT_SECTION = FRAME_B

VP_TILE_CHOSEN = FRAME_A  # ASK_VP_DISTRICT

# ASK_PAIRS
PAIRS_TILE = FRAME_A
PAIRS_RETURNED = FRAME_B

# DO_ARRIVE
DESTINATION = FRAME_A
ENTERED = FRAME_B  # 1: the key entered the district

# -- the kinds -----------------------------------------------------------------------------------------------------

_SEAT = (0, board.SEATS - 1)
_FLAG = (0, 1)
_PLACE = (0, board.PLACES - 1)
_AMOUNT = (0, 99)  # resources or Francs to pay: more than any tile asks

FRAMES = {
    ASK_DRAW: Frame("draw a building tile", _SEAT),
    ASK_PLACEMENT: Frame("place the building tile", _SEAT, {TILE_TO_PLACE: (0, board.SPACES - 1)}),
    ASK_ACTION: Frame("action", _SEAT),
    ASK_DESTINATION: Frame("destination", _SEAT, {ORIGIN: _PLACE}),
    ASK_LANDMARK_DISTRICT: Frame("district of the landmark", _SEAT, {
        LANDMARK_PLACE: (board.FIRST_LANDMARK, board.FIRST_LANDMARK + board.LANDMARKS - 1),
    }),
    ASK_PAYMENT: Frame("payment of a resource", _SEAT, {
        WOOD_LEFT: _AMOUNT, MARBLE_LEFT: _AMOUNT, GOLD_LEFT: _AMOUNT, PAID_FOR: (0, board.TILES - 1), HALF_TILE: _FLAG,
    }),
    ASK_BONUS: Frame("bonus tile", _SEAT, {FEE: _AMOUNT}),
    ASK_PRESTIGE: Frame("prestige for a landmark", _SEAT, {
        PRESTIGE_LANDMARK: (0, board.LANDMARKS - 1), NEXT_SECTION: (0, board.SECTIONS - 1), HALF_TILE: _FLAG,
    }),
    ASK_VP_TILE: Frame("VP tile", _SEAT),
    ASK_VP_DISTRICT: Frame("district of the VP tile", _SEAT, {VP_TILE_CHOSEN: (0, board.VP_TILES - 1)}),
    ASK_END_TILE: Frame("End Game tile", _SEAT),
    ASK_ANY_BONUS: Frame("any bonus tile", _SEAT),
    ASK_BACK: Frame("bonus tile behind", _SEAT),
    ASK_PAIRS: Frame("pair to return", _SEAT, {
        PAIRS_TILE: (board.PRESTIGE_PAIRS, board.RESOURCE_PAIRS), PAIRS_RETURNED: (0, board.BONUS_TILES),
    }),
    ASK_END_TURN: Frame("end of the turn", _SEAT),
    DO_ARRIVE: Frame("rewards of a move", _SEAT, {DESTINATION: _PLACE, ENTERED: _FLAG}),
}  # fmt: skip

QUESTION_NAMES = ("none", *(frame.name for kind, frame in FRAMES.items() if kind <= LAST_QUESTION))
