"""What can be pending in Paris: the kinds of frames on the record's stack, and what each holds.

Frames up to LAST_QUESTION ask their side for an action; DO_ARRIVE is work that the rules carry on by themselves. A
`Frame` names the arguments of a kind with their ranges: records from outside are checked against `FRAMES`.
"""

from __future__ import annotations

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

_SEAT = (0, board.SEATS - 1)
_FLAG = (0, 1)
_PLACE = (0, board.PLACES - 1)
_COUNT = (0, 99)  # resources or Francs to pay: more than any tile asks
_TILE = (0, board.TILES - 1)
_LANDMARK = (0, board.LANDMARKS - 1)
_SECTION = (0, board.SECTIONS - 1)
_PAIRS_TILE = (board.PRESTIGE_PAIRS, board.RESOURCE_PAIRS)
_LANDMARK_PLACE = (board.FIRST_LANDMARK, board.FIRST_LANDMARK + board.LANDMARKS - 1)

ask_placement = Frame("place the building tile", _SEAT, tile=(0, board.SPACES - 1))
ask_destination = Frame("destination", _SEAT, origin=_PLACE)  # the place that the key leaves
ask_landmark_district = Frame("district of the landmark", _SEAT, unused=None, landmark=_LANDMARK_PLACE)
# Resources to pay, the destination of the move; half, 1: one of the two tokens of tile 21 is still to be used.
ask_payment = Frame("payment of a resource", _SEAT, wood=_COUNT, marble=_COUNT, gold=_COUNT, place=_TILE, half=_FLAG)
ask_bonus = Frame("bonus tile", _SEAT, fee=_COUNT)
# `half` is in the column of that of a payment; it is of tile 19.
ask_prestige = Frame("prestige for a landmark", _SEAT, landmark=_LANDMARK, section=_SECTION, c=None, d=None, half=_FLAG)
ask_vp_district = Frame("district of the VP tile", _SEAT, tile=(0, board.VP_TILES - 1))
ask_pairs = Frame("pair to return", _SEAT, tile=_PAIRS_TILE, pairs=(0, board.BONUS_TILES))  # pairs returned
do_arrive = Frame("rewards of a move", _SEAT, place=_PLACE, entered=_FLAG)  # 1: the key entered the district

FRAMES = {
    ASK_DRAW: Frame("draw a building tile", _SEAT),
    ASK_PLACEMENT: ask_placement,
    ASK_ACTION: Frame("action", _SEAT),
    ASK_DESTINATION: ask_destination,
    ASK_LANDMARK_DISTRICT: ask_landmark_district,
    ASK_PAYMENT: ask_payment,
    ASK_BONUS: ask_bonus,
    ASK_PRESTIGE: ask_prestige,
    ASK_VP_TILE: Frame("VP tile", _SEAT),
    ASK_VP_DISTRICT: ask_vp_district,
    ASK_END_TILE: Frame("End Game tile", _SEAT),
    ASK_ANY_BONUS: Frame("any bonus tile", _SEAT),
    ASK_BACK: Frame("bonus tile behind", _SEAT),
    ASK_PAIRS: ask_pairs,
    ASK_END_TURN: Frame("end of the turn", _SEAT),
    DO_ARRIVE: do_arrive,
}

QUESTION_NAMES = ("none", *(frame.name for kind, frame in FRAMES.items() if kind <= LAST_QUESTION))
