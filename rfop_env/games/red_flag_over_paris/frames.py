"""What can be pending in Red Flag Over Paris: the kinds of frames on the record's stack.

Frames up to LAST_QUESTION ask their side for an action; the others are work that the rules carry on by themselves. Each
comment says what the frame's arguments A to F hold.
"""

from __future__ import annotations

(
    NO_QUESTION,
    ASK_OBJECTIVE,  # which Objective Card to keep
    ASK_INITIATIVE,  # play first or second
    ASK_CENSOR,  # Censor variant: a hand card to discard
    ASK_CARD,  # a hand card to play
    ASK_USE,  # what to do with it; A card
    ASK_OPERATION,  # A points left, B spaces allowed, C spaces for removal, D spaces for placement, E 1 once placing
    ASK_PLACE,  # A cubes left, B spaces, C flags, D 1: from those out of play first
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
) = range(28)
LAST_QUESTION = ASK_CRISIS_CARD
QUESTIONS = LAST_QUESTION + 1

QUESTION_NAMES = (
    "none", "keep an objective", "initiative", "censor discard", "choose a card", "use the card", "operations", "place",
    "remove", "replace", "move", "remove own", "disc", "option", "whether", "swap a card", "event of a discard",
    "order of bonus actions", "bonus action", "de-escalate", "order of scoring", "order of objective events",
    "Final Crisis discard", "Final Crisis card",
)  # fmt: skip

WHETHER_MOMENTUM, WHETHER_OUT_OF_PLAY, WHETHER_ENEMY_EVENT, WHETHER_OBJECTIVE_EVENT, WHETHER_STEP = range(5)
# momentum: B side, C +1 or -1 · cubes out of play: none · enemy-coloured card: B card · objective event: B card
WHETHER_NAMES = ("momentum", "cubes out of play", "event of a card that the enemy played", "objective event", "effect")
