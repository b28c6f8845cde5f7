"""What can be pending in Red Flag Over Paris: the kinds of frames on the record's stack, and what each holds.

Frames up to LAST_QUESTION ask their side for an action; the others are work that the rules carry on by themselves. The
arguments of a frame have names and ranges by its kind: rules read `frame[frames.ask_use.card]`. `FRAMES` lists all
kinds: records from outside are checked against it.
"""

from __future__ import annotations

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

_SIDE = (0, board.SIDES - 1)
_SET = (0, board.ALL_SPACES)
_SPACE_OR_NONE = (0, board.SPACES)
_COUNT = (0, 63)  # cubes, moves or Operations Points: more than any card gives
_FLAG = (0, 1)
_FLAGS = (0, 31)
_CARD = (1, components.STRATEGY_CARDS)
_CARD_OR_NONE = (0, components.STRATEGY_CARDS)
_EVENT = (1, components.CARDS - 1)
_DIMENSION = (0, board.DIMENSIONS - 1)
_ROW = (0, components.MAX_STEPS - 1)

ask_use = Frame("use the card", _SIDE, card=_CARD)

ask_operation = Frame(
    "operations",
    _SIDE,
    points=_COUNT,  # Operations Points left
    spaces=_SET,  # where they can be spent; one sphere once the first is (R2)
    removal_reach=_SET,  # where the side may remove, fixed before all removals (R1)
    placement_reach=_SET,  # where the side may place, fixed before all placements (R1)
    placing=_FLAG,  # 1 once a cube has been placed: no removal after that (R2)
)

# Effects on spaces. `count`: cubes or discs still to be chosen; `spaces`: where the effect can apply, of ASK_MOVE where
# cubes come from; `flags`: UP_TO, MAY, ... of the event's row. `source`, the same column for cubes and discs: 1 + the
# space of the piece to move, 0 before it is chosen.
_EFFECT = {"count": _COUNT, "spaces": _SET, "flags": _FLAGS}
effect = Frame("effect", _SIDE, **_EFFECT)  # what all of them have
ask_place = Frame(
    "place",
    _SIDE,
    **_EFFECT,
    out_of_play=_FLAG,  # 1 if the next cube is one of those out of play
    mode=(PLACE_PLAIN, PLACE_GIFT),
)
ask_replace = Frame("replace", _SIDE, **_EFFECT, turncoat=_FLAG)  # 1 if the bonus action asks
ask_move = Frame(
    "move",
    _SIDE,
    **_EFFECT,
    destinations=_SET,  # where cubes can go
    source=_SPACE_OR_NONE,
    bot_destination=_SPACE_OR_NONE,  # 1 + the space that the Solo Opponent has selected, 0 for none
)
ask_disc = Frame("disc", _SIDE, **_EFFECT, destinations=None, source=_SPACE_OR_NONE)
_CARD_EFFECT = {"count": _FLAG, "spaces": None, "flags": _FLAGS}  # one card to choose

ask_option = Frame("option", _SIDE, card=_EVENT, first_row=_ROW)  # the row of the event's first option
ask_whether = Frame(
    "whether",
    _SIDE,
    code=(0, len(WHETHER_NAMES) - 1),  # a WHETHER_ code
    about=(0, components.CARDS - 1),  # MOMENTUM: whose track; ENEMY_EVENT, OBJECTIVE_EVENT: the card; STEP: operation
    step=(-1, 1),  # MOMENTUM: +1 or -1
)

ask_bonus = Frame("bonus action", _SIDE, dimension=_DIMENSION)
ask_de_escalate = Frame("de-escalate", _SIDE, dimension=_DIMENSION, removals=_FLAG)  # own cubes removed so far
ask_score_order = Frame("order of scoring", _SIDE, sphere=_FLAG)

do_event = Frame(
    "event",
    _SIDE,
    card=_EVENT,
    next_row=(0, components.MAX_STEPS),
    option=(-1, components.MAX_STEPS),  # the option chosen, 0 before that, -1 if none can be used
)
do_end_play = Frame("end of a play", _SIDE, card=_CARD_OR_NONE)  # the card to discard, 0 for none
do_bot_turn = Frame("turn of the Solo Opponent", _SIDE, stage=(0, BOT_STAGES - 1), card=_CARD_OR_NONE)

FRAMES = {
    ASK_OBJECTIVE: Frame("keep an objective", _SIDE),
    ASK_INITIATIVE: Frame("initiative", _SIDE),
    ASK_CENSOR: Frame("censor discard", _SIDE),
    ASK_CARD: Frame("choose a card", _SIDE),
    ASK_USE: ask_use,
    ASK_OPERATION: ask_operation,
    ASK_PLACE: ask_place,
    ASK_REMOVE: Frame("remove", _SIDE, **_EFFECT),
    ASK_REPLACE: ask_replace,
    ASK_MOVE: ask_move,
    ASK_REMOVE_OWN: Frame("remove own", _SIDE, **_EFFECT),
    ASK_DISC: ask_disc,
    ASK_OPTION: ask_option,
    ASK_WHETHER: ask_whether,
    ASK_SWAP: Frame("swap a card", _SIDE, **_CARD_EFFECT),
    ASK_DISCARD_EVENT: Frame("event of a discard", _SIDE, **_CARD_EFFECT),
    ASK_BONUS_ORDER: Frame("order of bonus actions", _SIDE),
    ASK_BONUS: ask_bonus,
    ASK_DE_ESCALATE: ask_de_escalate,
    ASK_SCORE_ORDER: ask_score_order,
    ASK_EVENT_ORDER: Frame("order of objective events", _SIDE),
    ASK_CRISIS_DISCARD: Frame("Final Crisis discard", _SIDE),
    ASK_CRISIS_CARD: Frame("Final Crisis card", _SIDE),
    DO_EVENT: do_event,
    DO_END_PLAY: do_end_play,
    DO_SETTLE: Frame("settling of breaches", _SIDE),
    DO_BOT_TURN: do_bot_turn,
    DO_SET_ASIDE: Frame("end of an objective", _SIDE),
}

QUESTION_NAMES = ("none", *(frame.name for kind, frame in FRAMES.items() if kind <= LAST_QUESTION))
