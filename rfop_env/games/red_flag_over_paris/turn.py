"""The one place where a pending frame meets its rule: what is legal, what an answer does, what carries on by itself.

A kind that a chain forgets ends in its last branch, which sets the fault.
"""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import FRAME_KIND, FRAME_SIDE, pop
from rfop_env.games.red_flag_over_paris.actions import DONE, YES
from rfop_env.games.red_flag_over_paris.bonus_actions import (
    answer_bonus, answer_bonus_order, answer_de_escalate, end_bonus_action, legal_bonus, legal_bonus_order,
    legal_de_escalate,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.card_play import (
    answer_card, answer_censor, answer_crisis_card, answer_crisis_discard, answer_use, end_play, legal_hand_cards,
    legal_use,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.effects import answer_effect, effect_targets, legal_effect
from rfop_env.games.red_flag_over_paris.event_cards import (
    answer_discard_event, answer_swap, card_question_possible, legal_discard_event, legal_swap,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.events import answer_option, begin_event, carry_on_event, legal_option, reveal
from rfop_env.games.red_flag_over_paris.frames import (
    ASK_BONUS, ASK_BONUS_ORDER, ASK_CARD, ASK_CENSOR, ASK_CRISIS_CARD, ASK_CRISIS_DISCARD, ASK_DE_ESCALATE, ASK_DISC,
    ASK_DISCARD_EVENT, ASK_EVENT_ORDER, ASK_INITIATIVE, ASK_OBJECTIVE, ASK_OPERATION, ASK_OPTION, ASK_PLACE,
    ASK_SCORE_ORDER, ASK_SWAP, ASK_USE, ASK_WHETHER, DO_BOT_TURN, DO_END_PLAY, DO_EVENT, DO_SETTLE, DO_SET_ASIDE,
    FROM_OUT_OF_PLAY, LAST_QUESTION, MOMENTUM_STEP, WHETHER_ABOUT, WHETHER_CODE, WHETHER_ENEMY_EVENT, WHETHER_MOMENTUM,
    WHETHER_OBJECTIVE_EVENT, WHETHER_OUT_OF_PLAY, WHETHER_STEP,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.operations import answer_operation, legal_operations
from rfop_env.games.red_flag_over_paris.pieces import change_momentum
from rfop_env.games.red_flag_over_paris.rounds import (
    answer_initiative, answer_objective, holds_cards, legal_objective, must_discard, next_phase,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.scoring import (
    answer_event_order, answer_score_order, end_objective, legal_first,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.setup import set_up
from rfop_env.games.red_flag_over_paris.state import NOBODY


@rule
def no_bot_turn(s: Any, c: Any, frame: Any) -> None:
    """Stands in for the Solo Opponent's turn in the 2-player game."""
    s.fault = 1


@rule
def no_bot_answer(s: Any, c: Any, frame: Any) -> int:
    """Stands in for the Solo Opponent's answers in the 2-player game."""
    s.fault = 1
    return DONE


def make_turn(bot_turn: Any, bot_answer: Any) -> tuple[Any, Any]:
    """The rules `deal` and `apply`, with those of the Solo Opponent or without: these take seconds to compile."""

    @rule
    def deal(s: Any, c: Any, options: Any) -> None:
        """Set up a game and go to its first decision."""
        set_up(s, c, options)
        run(s, c)

    @rule
    def apply(s: Any, c: Any, action: int) -> None:
        """Carry out a legal action and everything up to the next decision, the Solo Opponent's turns included."""
        answer(s, c, s.stack[s.depth - 1], action)
        run(s, c)

    @rule
    def run(s: Any, c: Any) -> None:
        """Carry the game on until a player is asked, or it ends."""
        while s.over == 0 and s.fault == 0:
            if s.depth == 0:
                next_phase(s, c)
                continue

            frame = s.stack[s.depth - 1]
            if frame[FRAME_KIND] > LAST_QUESTION:
                carry_on(s, c, frame)
            elif nothing_to_ask(s, c, frame):
                pop(s)
            elif frame[FRAME_SIDE] == s.bot:
                answer(s, c, frame, bot_answer(s, c, frame))
            else:
                s.player = frame[FRAME_SIDE] if s.bot == NOBODY else 0
                return

    @rule
    def carry_on(s: Any, c: Any, frame: Any) -> None:
        """Carry on work that needs no choice."""
        kind = int(frame[FRAME_KIND])
        if kind == DO_EVENT:
            carry_on_event(s, c, frame)
        elif kind == DO_END_PLAY:
            end_play(s, c, frame)
        elif kind == DO_SETTLE:
            end_bonus_action(s, c, frame)
        elif kind == DO_BOT_TURN:
            bot_turn(s, c, frame)
        elif kind == DO_SET_ASIDE:
            end_objective(s, c, frame)
        else:
            s.fault = 1

    return deal, apply


@rule
def nothing_to_ask(s: Any, c: Any, frame: Any) -> bool:
    """True if the pending question has no answer that would do anything, so that it falls away."""
    kind = int(frame[FRAME_KIND])
    side = int(frame[FRAME_SIDE])
    if ASK_PLACE <= kind <= ASK_DISC:
        return effect_targets(s, frame, kind) == 0
    if kind == ASK_SWAP or kind == ASK_DISCARD_EVENT:
        return not card_question_possible(s, c, frame, kind == ASK_SWAP)
    if kind == ASK_CARD or kind == ASK_CENSOR or kind == ASK_CRISIS_CARD:
        return not holds_cards(s, side)  # R19: a round that the whole deck could not supply
    return kind == ASK_CRISIS_DISCARD and not must_discard(s, side)


@rule
def legal(s: Any, c: Any, mask: Any) -> None:
    """Set the legal answers to the pending question in an all-false mask."""
    frame = s.stack[s.depth - 1]
    kind = int(frame[FRAME_KIND])
    side = int(frame[FRAME_SIDE])

    # Rounds and card plays.
    if kind == ASK_OBJECTIVE:
        legal_objective(s, side, mask)
    elif kind == ASK_INITIATIVE or kind == ASK_SCORE_ORDER or kind == ASK_EVENT_ORDER:
        legal_first(mask)
    elif kind == ASK_CENSOR or kind == ASK_CARD or kind == ASK_CRISIS_DISCARD or kind == ASK_CRISIS_CARD:
        legal_hand_cards(s, side, mask)
    elif kind == ASK_USE:
        legal_use(s, c, frame, mask)

    # Operations and events.
    elif kind == ASK_OPERATION:
        legal_operations(s, c, frame, mask)
    elif ASK_PLACE <= kind <= ASK_DISC:
        legal_effect(s, frame, kind, mask)
    elif kind == ASK_OPTION:
        legal_option(s, c, frame, mask)
    elif kind == ASK_WHETHER:
        legal_whether(mask)
    elif kind == ASK_SWAP:
        legal_swap(s, frame, mask)
    elif kind == ASK_DISCARD_EVENT:
        legal_discard_event(s, c, frame, mask)

    # Pivotal bonus actions.
    elif kind == ASK_BONUS_ORDER:
        legal_bonus_order(s, mask)
    elif kind == ASK_BONUS:
        legal_bonus(s, frame, mask)
    elif kind == ASK_DE_ESCALATE:
        legal_de_escalate(s, frame, mask)
    else:
        s.fault = 1


@rule
def answer(s: Any, c: Any, frame: Any, action: int) -> None:
    """Carry out the answer to the pending question."""
    kind = int(frame[FRAME_KIND])
    side = int(frame[FRAME_SIDE])

    # Rounds and card plays.
    if kind == ASK_OBJECTIVE:
        answer_objective(s, side, action)
    elif kind == ASK_INITIATIVE:
        answer_initiative(s, action)
    elif kind == ASK_CENSOR:
        answer_censor(s, side, action)
    elif kind == ASK_CARD:
        answer_card(s, side, action)
    elif kind == ASK_USE:
        answer_use(s, c, frame, action)

    # Operations and events.
    elif kind == ASK_OPERATION:
        answer_operation(s, c, frame, action)
    elif ASK_PLACE <= kind <= ASK_DISC:
        answer_effect(s, c, frame, kind, action)
    elif kind == ASK_OPTION:
        answer_option(s, action)
    elif kind == ASK_WHETHER:
        answer_whether(s, c, frame, action)
    elif kind == ASK_SWAP:
        answer_swap(s, frame, action)
    elif kind == ASK_DISCARD_EVENT:
        answer_discard_event(s, frame, action)

    # The end of a round and the Final Crisis.
    elif kind == ASK_BONUS_ORDER:
        answer_bonus_order(s, action)
    elif kind == ASK_BONUS:
        answer_bonus(s, frame, action)
    elif kind == ASK_DE_ESCALATE:
        answer_de_escalate(s, c, frame, action)
    elif kind == ASK_SCORE_ORDER:
        answer_score_order(s, frame, action)
    elif kind == ASK_EVENT_ORDER:
        answer_event_order(s, c, action)
    elif kind == ASK_CRISIS_DISCARD:
        answer_crisis_discard(s, frame, action)
    elif kind == ASK_CRISIS_CARD:
        answer_crisis_card(s, c, side, action)
    else:
        s.fault = 1


@rule
def legal_whether(mask: Any) -> None:
    """Allow yes and no."""
    mask[YES] = True
    mask[DONE] = True


@rule
def answer_whether(s: Any, c: Any, frame: Any, action: int) -> None:
    """Do what was asked about if the answer is yes."""
    question = int(frame[WHETHER_CODE])
    side = int(frame[FRAME_SIDE])
    about = int(frame[WHETHER_ABOUT])
    change = int(frame[MOMENTUM_STEP])
    pop(s)
    if action != YES:
        return

    if question == WHETHER_MOMENTUM:
        change_momentum(s, c, about, change)
    elif question == WHETHER_OUT_OF_PLAY:
        s.stack[s.depth - 1, FROM_OUT_OF_PLAY] = 1
    elif question == WHETHER_ENEMY_EVENT or question == WHETHER_OBJECTIVE_EVENT:
        begin_event(s, side, about)
    elif question == WHETHER_STEP:
        reveal(s, side, about)
    else:
        s.fault = 1
