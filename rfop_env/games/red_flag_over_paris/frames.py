"""What can be pending in Red Flag Over Paris: the kinds of frames on the record's stack.

Frames up to LAST_QUESTION ask their side for an action; the others are work that the rules carry on by themselves. Each
comment says what the frame's arguments A to F hold.
"""

from __future__ import annotations

from rfop_env.core.record import Frame
from rfop_env.games.red_flag_over_paris.board import ALL_SPACES, DIMENSIONS, SIDES, SPACES
from rfop_env.games.red_flag_over_paris.components import CARDS, MAX_STEPS, STRATEGY_CARDS

(
    NO_QUESTION,
    ASK_OBJECTIVE,  # which Objective Card to keep
    ASK_INITIATIVE,  # play first or second
    ASK_CENSOR,  # Censor variant: a hand card to discard
    ASK_CARD,  # a hand card to play
    ASK_USE,  # what to do with it; A card
    ASK_OPERATION,  # A points left, B spaces allowed, C spaces for removal, D spaces for placement, E 1 once placing
    ASK_PLACE,  # A cubes left, B spaces, C flags, D 1: the next cube is one of those out of play, E a PLACE_ code
    ASK_REMOVE,  # A cubes left, B spaces, C flags
    ASK_REPLACE,  # A cubes left, B spaces, C flags, D 1: a Turncoat
    ASK_MOVE,  # A moves left, B source spaces, C flags, D destination spaces, E source + 1, F what the bot selected + 1
    ASK_REMOVE_OWN,  # A cubes left, B spaces, C flags
    ASK_DISC,  # B spaces, C flags, E space + 1 of the own disc that is to move
    ASK_OPTION,  # A card, B step of its first option
    ASK_WHETHER,  # A one of the WHETHER_ codes, B and C its arguments
    ASK_SWAP,  # a hand card for the top of the deck; C flags
    ASK_DISCARD_EVENT,  # which discarded card's event to use
    ASK_BONUS_ORDER,  # which pivotal bonus action comes next
    ASK_BONUS,  # which bonus action; A dimension
    ASK_DE_ESCALATE,  # A dimension, B own cubes removed so far
    ASK_SCORE_ORDER,  # who scores first at the end of the VP track; A sphere
    ASK_EVENT_ORDER,  # whose Objective Card event comes first
    ASK_CRISIS_DISCARD,  # a card to discard before the Final Crisis
    ASK_CRISIS_CARD,  # a card to play in the Final Crisis
    DO_EVENT,  # A card, B next step, C option chosen, D 1 once any step was carried out
    DO_END_PLAY,  # settle breaches, discard; A card, B 1: to be removed instead
    DO_SETTLE,  # settle breaches
    DO_BOT_TURN,  # A stage, B card revealed
    DO_SET_ASIDE,  # settle breaches, set the side's objective aside as fulfilled
) = range(29)
LAST_QUESTION = ASK_CRISIS_CARD
QUESTIONS = LAST_QUESTION + 1
BOT_STAGES = 5  # of DO_BOT_TURN: bot_turn.py names them

QUESTION_NAMES = (
    "none", "keep an objective", "initiative", "censor discard", "choose a card", "use the card", "operations", "place",
    "remove", "replace", "move", "remove own", "disc", "option", "whether", "swap a card", "event of a discard",
    "order of bonus actions", "bonus action", "de-escalate", "order of scoring", "order of objective events",
    "Final Crisis discard", "Final Crisis card",
)  # fmt: skip

WHETHER_MOMENTUM, WHETHER_OUT_OF_PLAY, WHETHER_ENEMY_EVENT, WHETHER_OBJECTIVE_EVENT, WHETHER_STEP = range(5)
# momentum: B side, C +1 or -1 · cubes out of play: none · enemy-coloured card: B card · objective event: B card
WHETHER_NAMES = ("momentum", "cubes out of play", "event of a card that the enemy played", "objective event", "effect")

PLACE_PLAIN, PLACE_EITHER, PLACE_GIFT = range(3)  # EITHER: each cube from the supply or from those out of play (R28)

_SIDE, _SET, _FLAGS, _FLAG, _SPACE = (0, SIDES - 1), (0, ALL_SPACES), (0, 31), (0, 1), (0, SPACES)
_COUNT = (0, 63)  # cubes, moves or Operations Points: more than any card gives
_CARD, _EVENT, _DIMENSION = (0, STRATEGY_CARDS), (1, CARDS - 1), (0, DIMENSIONS - 1)
_NONE = (0, 0)
_ARGUMENTS = {
    ASK_USE: ((1, STRATEGY_CARDS),),
    ASK_OPERATION: (_COUNT, _SET, _SET, _SET, _FLAG),
    ASK_PLACE: (_COUNT, _SET, _FLAGS, _FLAG, (PLACE_PLAIN, PLACE_GIFT)),
    ASK_REMOVE: (_COUNT, _SET, _FLAGS),
    ASK_REPLACE: (_COUNT, _SET, _FLAGS, _FLAG),
    ASK_MOVE: (_COUNT, _SET, _FLAGS, _SET, _SPACE, _SPACE),
    ASK_REMOVE_OWN: (_COUNT, _SET, _FLAGS),
    ASK_DISC: (_COUNT, _SET, _FLAGS, _NONE, _SPACE),
    ASK_OPTION: (_EVENT, (0, MAX_STEPS - 1)),
    ASK_WHETHER: ((0, len(WHETHER_NAMES) - 1), (0, CARDS - 1), (-1, 1)),
    ASK_SWAP: (_FLAG, _NONE, _FLAGS),
    ASK_DISCARD_EVENT: (_FLAG, _NONE, _FLAGS),
    ASK_BONUS: (_DIMENSION,),
    ASK_DE_ESCALATE: (_DIMENSION, _FLAG),
    ASK_SCORE_ORDER: (_FLAG,),
    DO_EVENT: (_EVENT, (0, MAX_STEPS), (-1, MAX_STEPS)),
    DO_END_PLAY: (_CARD,),
    DO_BOT_TURN: ((0, BOT_STAGES - 1), _CARD),
}
_WORK_NAMES = (
    "event", "end of a play", "settling of breaches", "turn of the Solo Opponent", "end of an objective",
)  # fmt: skip
FRAMES = {
    kind: Frame(name, _SIDE, _ARGUMENTS.get(kind, ()))
    for kind, name in enumerate((*QUESTION_NAMES, *_WORK_NAMES))
    if kind != NO_QUESTION
}
