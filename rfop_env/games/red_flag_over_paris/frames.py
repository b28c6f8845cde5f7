"""What can be pending in Red Flag Over Paris: the kinds of frames on the record's stack, and what each holds.

Frames up to LAST_QUESTION ask their side for an action; the others are work that the rules carry on by themselves. A
kind gives names to the arguments A to F that it uses. `FRAMES` is the one list of kinds with the ranges of their
arguments: records from outside are checked against it.
"""

from __future__ import annotations

from rfop_env.core.decisions import FRAME_A, FRAME_B, FRAME_C, FRAME_D, FRAME_E, FRAME_F
from rfop_env.core.record import Frame
from rfop_env.games.red_flag_over_paris import board, components

(
    NO_QUESTION,
    ASK_OBJECTIVE,  # which Objective Card to keep
    ASK_INITIATIVE,  # play first or second
    ASK_CENSOR,  # Censor variant: a hand card to discard
    ASK_CARD,  # a hand card to play
    ASK_USE,  # what to do with the chosen card
    ASK_OPERATION,  # how to spend the next Operations Point
    ASK_PLACE,  # effects on spaces, from here to ASK_DISC: where to place a cube
    ASK_REMOVE,  # where to remove an enemy cube
    ASK_REPLACE,  # where to replace an enemy cube
    ASK_MOVE,  # where to move a cube from, then where to
    ASK_REMOVE_OWN,  # where to remove one of the side's own cubes
    ASK_DISC,  # where to place a disc; which one to move if both are on the map
    ASK_OPTION,  # which option of an event
    ASK_WHETHER,  # yes or no, to one of the WHETHER_ questions
    ASK_SWAP,  # a hand card for the top of the deck
    ASK_DISCARD_EVENT,  # which discarded card's event to use
    ASK_BONUS_ORDER,  # which pivotal bonus action comes next
    ASK_BONUS,  # which bonus action
    ASK_DE_ESCALATE,  # which cube to remove
    ASK_SCORE_ORDER,  # who scores first at the end of the VP track
    ASK_EVENT_ORDER,  # whose Objective Card event comes first
    ASK_CRISIS_DISCARD,  # a card to discard before the Final Crisis
    ASK_CRISIS_CARD,  # a card to play in the Final Crisis
    DO_EVENT,  # carry out the next row of an event
    DO_END_PLAY,  # settle breaches, discard the card played
    DO_SETTLE,  # settle breaches
    DO_BOT_TURN,  # carry on the Solo Opponent's turn
    DO_SET_ASIDE,  # settle breaches, set the side's objective aside as fulfilled
) = range(29)
LAST_QUESTION = ASK_CRISIS_CARD
QUESTIONS = LAST_QUESTION + 1

WHETHER_MOMENTUM, WHETHER_OUT_OF_PLAY, WHETHER_ENEMY_EVENT, WHETHER_OBJECTIVE_EVENT, WHETHER_STEP = range(5)
WHETHER_NAMES = ("momentum", "cubes out of play", "event of a card that the enemy played", "objective event", "effect")

PLACE_PLAIN, PLACE_EITHER, PLACE_GIFT = range(3)  # EITHER: each cube from the supply or from those out of play (R28)

BOT_STAGES = 5  # of DO_BOT_TURN: solo_opponent.py names them

# -- names of the arguments ----------------------------------------------------------------------------------------

CHOSEN_CARD = FRAME_A  # ASK_USE

# ASK_OPERATION
POINTS_LEFT = FRAME_A  # Operations Points
OPERATION_SPACES = FRAME_B  # where they can be spent; one sphere once the first is (R2)
REMOVAL_REACH = FRAME_C  # where the side may remove, fixed before all removals (R1)
PLACEMENT_REACH = FRAME_D  # where the side may place, fixed before all placements (R1)
PLACING_BEGUN = FRAME_E  # 1 once a cube has been placed: no removal after that (R2)

# ASK_PLACE to ASK_DISC
PIECES_LEFT = FRAME_A  # cubes or discs still to be chosen; of ASK_SWAP and ASK_DISCARD_EVENT: cards
TARGET_SPACES = FRAME_B  # where the effect can apply; of ASK_MOVE: where cubes come from
EFFECT_FLAGS = FRAME_C  # UP_TO, MAY, ... of the event's row; also of ASK_SWAP and ASK_DISCARD_EVENT
FROM_OUT_OF_PLAY = FRAME_D  # ASK_PLACE: 1 if the next cube is one of those out of play
PLACE_MODE = FRAME_E  # ASK_PLACE: a PLACE_ code
BY_TURNCOAT = FRAME_D  # ASK_REPLACE: 1 if the bonus action asks
DESTINATIONS = FRAME_D  # ASK_MOVE: where cubes can go
MOVING_FROM = FRAME_E  # ASK_MOVE, ASK_DISC: 1 + the space of the piece to move, 0 before it is chosen
BOT_DESTINATION = FRAME_F  # ASK_MOVE: 1 + the space that the Solo Opponent has selected, 0 for none

# ASK_OPTION and DO_EVENT
EVENT_CARD = FRAME_A
FIRST_OPTION_ROW = FRAME_B  # ASK_OPTION: the row of the event's first option
NEXT_ROW = FRAME_B  # DO_EVENT
EVENT_OPTION = FRAME_C  # DO_EVENT: the option chosen, 0 before that, -1 if none can be used

# ASK_WHETHER
WHETHER_CODE = FRAME_A  # a WHETHER_ code
WHETHER_ABOUT = FRAME_B  # MOMENTUM: whose track; ENEMY_EVENT, OBJECTIVE_EVENT: the card; STEP: the operation
MOMENTUM_STEP = FRAME_C  # MOMENTUM: +1 or -1

BONUS_DIMENSION = FRAME_A  # ASK_BONUS, ASK_DE_ESCALATE
REMOVED_BEFORE = FRAME_B  # ASK_DE_ESCALATE: 1 once one of the side's own cubes has been removed
SCORED_SPHERE = FRAME_A  # ASK_SCORE_ORDER

PLAYED_CARD = FRAME_A  # DO_END_PLAY: the card to discard, 0 for none
BOT_STAGE = FRAME_A  # DO_BOT_TURN
REVEALED_CARD = FRAME_B  # DO_BOT_TURN: 0 for none

# -- the kinds -----------------------------------------------------------------------------------------------------

_SIDE = (0, board.SIDES - 1)
_SET = (0, board.ALL_SPACES)
_SPACE_OR_NONE = (0, board.SPACES)
_COUNT = (0, 63)  # cubes, moves or Operations Points: more than any card gives
_FLAG = (0, 1)
_FLAGS = (0, 31)
_CARD = (1, components.STRATEGY_CARDS)
_CARD_OR_NONE = (0, components.STRATEGY_CARDS)
_EVENT = (1, components.CARDS - 1)
_EFFECT = {PIECES_LEFT: _COUNT, TARGET_SPACES: _SET, EFFECT_FLAGS: _FLAGS}
_CARD_EFFECT = {PIECES_LEFT: _FLAG, EFFECT_FLAGS: _FLAGS}

FRAMES = {
    ASK_OBJECTIVE: Frame("keep an objective", _SIDE),
    ASK_INITIATIVE: Frame("initiative", _SIDE),
    ASK_CENSOR: Frame("censor discard", _SIDE),
    ASK_CARD: Frame("choose a card", _SIDE),
    ASK_USE: Frame("use the card", _SIDE, {CHOSEN_CARD: _CARD}),
    ASK_OPERATION: Frame(
        "operations",
        _SIDE,
        {
            POINTS_LEFT: _COUNT,
            OPERATION_SPACES: _SET,
            REMOVAL_REACH: _SET,
            PLACEMENT_REACH: _SET,
            PLACING_BEGUN: _FLAG,
        },
    ),
    ASK_PLACE: Frame("place", _SIDE, {**_EFFECT, FROM_OUT_OF_PLAY: _FLAG, PLACE_MODE: (PLACE_PLAIN, PLACE_GIFT)}),
    ASK_REMOVE: Frame("remove", _SIDE, _EFFECT),
    ASK_REPLACE: Frame("replace", _SIDE, {**_EFFECT, BY_TURNCOAT: _FLAG}),
    ASK_MOVE: Frame(
        "move",
        _SIDE,
        {
            **_EFFECT,
            DESTINATIONS: _SET,
            MOVING_FROM: _SPACE_OR_NONE,
            BOT_DESTINATION: _SPACE_OR_NONE,
        },
    ),
    ASK_REMOVE_OWN: Frame("remove own", _SIDE, _EFFECT),
    ASK_DISC: Frame("disc", _SIDE, {**_EFFECT, MOVING_FROM: _SPACE_OR_NONE}),
    ASK_OPTION: Frame("option", _SIDE, {EVENT_CARD: _EVENT, FIRST_OPTION_ROW: (0, components.MAX_STEPS - 1)}),
    ASK_WHETHER: Frame(
        "whether",
        _SIDE,
        {
            WHETHER_CODE: (0, len(WHETHER_NAMES) - 1),
            WHETHER_ABOUT: (0, components.CARDS - 1),
            MOMENTUM_STEP: (-1, 1),
        },
    ),
    ASK_SWAP: Frame("swap a card", _SIDE, _CARD_EFFECT),
    ASK_DISCARD_EVENT: Frame("event of a discard", _SIDE, _CARD_EFFECT),
    ASK_BONUS_ORDER: Frame("order of bonus actions", _SIDE),
    ASK_BONUS: Frame("bonus action", _SIDE, {BONUS_DIMENSION: (0, board.DIMENSIONS - 1)}),
    ASK_DE_ESCALATE: Frame("de-escalate", _SIDE, {BONUS_DIMENSION: (0, board.DIMENSIONS - 1), REMOVED_BEFORE: _FLAG}),
    ASK_SCORE_ORDER: Frame("order of scoring", _SIDE, {SCORED_SPHERE: _FLAG}),
    ASK_EVENT_ORDER: Frame("order of objective events", _SIDE),
    ASK_CRISIS_DISCARD: Frame("Final Crisis discard", _SIDE),
    ASK_CRISIS_CARD: Frame("Final Crisis card", _SIDE),
    DO_EVENT: Frame(
        "event",
        _SIDE,
        {
            EVENT_CARD: _EVENT,
            NEXT_ROW: (0, components.MAX_STEPS),
            EVENT_OPTION: (-1, components.MAX_STEPS),
        },
    ),
    DO_END_PLAY: Frame("end of a play", _SIDE, {PLAYED_CARD: _CARD_OR_NONE}),
    DO_SETTLE: Frame("settling of breaches", _SIDE),
    DO_BOT_TURN: Frame(
        "turn of the Solo Opponent",
        _SIDE,
        {
            BOT_STAGE: (0, BOT_STAGES - 1),
            REVEALED_CARD: _CARD_OR_NONE,
        },
    ),
    DO_SET_ASIDE: Frame("end of an objective", _SIDE),
}

QUESTION_NAMES = ("none", *(frame.name for kind, frame in FRAMES.items() if kind <= LAST_QUESTION))
