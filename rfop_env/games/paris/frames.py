"""What can be pending in Paris: the kinds of frames on the record's stack.

Frames up to LAST_QUESTION ask their side for an action; DO_ARRIVE is work that the rules carry on by themselves. Each
comment says what the frame's arguments A to F hold.
"""

from __future__ import annotations

from rfop_env.core.record import Frame
from rfop_env.games.paris.board import (
    BONUS_TILES, FIRST_LANDMARK, LANDMARKS, PLACES, PRESTIGE_PAIRS, RESOURCE_PAIRS, SEATS, SECTIONS, SPACES, TILES,
    VP_TILES,
)  # fmt: skip

(
    NO_QUESTION,
    ASK_DRAW,  # which stack to draw from; free actions
    ASK_PLACEMENT,  # variant of the buildings: in which district; A tile
    ASK_ACTION,  # the action of the turn; free actions
    ASK_DESTINATION,  # where the key moves; A origin
    ASK_LANDMARK_DISTRICT,  # where a landmark from the supply goes, moving from the Arc; B landmark's place
    ASK_PAYMENT,  # what pays a resource; A wood, B marble, C gold left to pay, D destination, E 1: half of tile 21 left
    ASK_BONUS,  # which bonus tile ahead; A Francs it costs; free actions where it costs any
    ASK_PRESTIGE,  # what pays a section; A landmark, B section, E 1: half of tile 19 left
    ASK_VP_TILE,  # which VP tile to place
    ASK_VP_DISTRICT,  # where; A VP tile
    ASK_END_TILE,  # which End Game tile to take
    ASK_ANY_BONUS,  # tile 17: which bonus tile of the track
    ASK_BACK,  # tile 25: which bonus tile behind
    ASK_PAIRS,  # tiles 23 and 24: a pair to return; A tile, B pairs returned
    ASK_END_TURN,  # free actions before the turn ends
    DO_ARRIVE,  # rewards of a move, once paid for; A destination, B 1: the key entered the district
) = range(17)
LAST_QUESTION = ASK_END_TURN
QUESTIONS = LAST_QUESTION + 1

QUESTION_NAMES = (
    "none", "draw a building tile", "place the building tile", "action", "destination", "district of the landmark",
    "payment of a resource", "bonus tile", "prestige for a landmark", "VP tile", "district of the VP tile",
    "End Game tile", "any bonus tile", "bonus tile behind", "pair to return", "end of the turn",
)  # fmt: skip

_FLAG, _NONE, _PLACE = (0, 1), (0, 0), (0, PLACES - 1)
_AMOUNT = (0, 99)  # resources or Francs to pay: more than any tile asks
_ARGUMENTS = {
    ASK_PLACEMENT: ((0, SPACES - 1),),
    ASK_DESTINATION: (_PLACE,),
    ASK_LANDMARK_DISTRICT: (_NONE, (FIRST_LANDMARK, FIRST_LANDMARK + LANDMARKS - 1)),
    ASK_PAYMENT: (_AMOUNT, _AMOUNT, _AMOUNT, (0, TILES - 1), _FLAG),
    ASK_BONUS: (_AMOUNT,),
    ASK_PRESTIGE: ((0, LANDMARKS - 1), (0, SECTIONS - 1), _NONE, _NONE, _FLAG),
    ASK_VP_DISTRICT: ((0, VP_TILES - 1),),
    ASK_PAIRS: ((PRESTIGE_PAIRS, RESOURCE_PAIRS), (0, BONUS_TILES)),
    DO_ARRIVE: (_PLACE, _FLAG),
}
FRAMES = {
    kind: Frame(name, (0, SEATS - 1), _ARGUMENTS.get(kind, ()))
    for kind, name in enumerate((*QUESTION_NAMES, "rewards of a move"))
    if kind != NO_QUESTION
}
