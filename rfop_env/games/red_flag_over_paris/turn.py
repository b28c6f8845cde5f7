"""The one place where a pending frame meets its rule: what is legal, what an answer does, what carries on by itself.

A kind that a chain forgets ends in its last branch, which sets the fault.
"""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import FRAME_KIND, FRAME_SIDE, pop
from rfop_env.games.red_flag_over_paris import actions, frames, state
from rfop_env.games.red_flag_over_paris import (
    bonus_actions,
    card_play,
    effects,
    events,
    operations,
    pieces,
    rounds,
    scoring,
    setup,
)


@rule
def no_bot_turn(s: Any, c: Any, frame: Any) -> None:
    """Stands in for the Solo Opponent's turn in the 2-player game."""
    s.fault = 1


@rule
def no_bot_answer(s: Any, c: Any, frame: Any) -> int:
    """Stands in for the Solo Opponent's answers in the 2-player game."""
    s.fault = 1
    return actions.DONE


def make_turn(bot_turn: Any, bot_answer: Any) -> tuple[Any, Any]:
    """The rules `deal` and `apply`, with those of the Solo Opponent or without: these take seconds to compile."""

    @rule
    def deal(s: Any, c: Any, options: Any) -> None:
        """Set up a game and go to its first decision."""
        setup.set_up(s, c, options)
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
                rounds.next_phase(s, c)
                continue

            frame = s.stack[s.depth - 1]
            if frame[FRAME_KIND] > frames.LAST_QUESTION:
                carry_on(s, c, frame)
            elif nothing_to_ask(s, c, frame):
                pop(s)
            elif frame[FRAME_SIDE] == s.bot:
                answer(s, c, frame, bot_answer(s, c, frame))
            else:
                s.player = frame[FRAME_SIDE] if s.bot == state.NOBODY else 0
                return

    @rule
    def carry_on(s: Any, c: Any, frame: Any) -> None:
        """Carry on work that needs no choice."""
        kind = int(frame[FRAME_KIND])
        if kind == frames.DO_EVENT:
            events.carry_on_event(s, c, frame)
        elif kind == frames.DO_END_PLAY:
            card_play.end_play(s, c, frame)
        elif kind == frames.DO_SETTLE:
            bonus_actions.end_bonus_action(s, c, frame)
        elif kind == frames.DO_BOT_TURN:
            bot_turn(s, c, frame)
        elif kind == frames.DO_SET_ASIDE:
            scoring.end_objective(s, c, frame)
        else:
            s.fault = 1

    return deal, apply


@rule
def nothing_to_ask(s: Any, c: Any, frame: Any) -> bool:
    """True if the pending question has no answer that would do anything, so that it falls away."""
    kind = int(frame[FRAME_KIND])
    side = int(frame[FRAME_SIDE])
    if frames.ASK_PLACE <= kind <= frames.ASK_DISC:
        return effects.effect_targets(s, frame, kind) == 0
    if kind == frames.ASK_SWAP or kind == frames.ASK_DISCARD_EVENT:
        return not events.card_question_possible(s, c, frame, kind == frames.ASK_SWAP)
    if kind == frames.ASK_CARD or kind == frames.ASK_CENSOR or kind == frames.ASK_CRISIS_CARD:
        return not rounds.holds_cards(s, side)  # R19: a round that the whole deck could not supply
    return kind == frames.ASK_CRISIS_DISCARD and not rounds.must_discard(s, side)


@rule
def legal(s: Any, c: Any, mask: Any) -> None:
    """Set the legal answers to the pending question in an all-false mask."""
    frame = s.stack[s.depth - 1]
    kind = int(frame[FRAME_KIND])
    side = int(frame[FRAME_SIDE])

    # Rounds and card plays.
    if kind == frames.ASK_OBJECTIVE:
        rounds.legal_objective(s, side, mask)
    elif kind == frames.ASK_INITIATIVE or kind == frames.ASK_SCORE_ORDER or kind == frames.ASK_EVENT_ORDER:
        scoring.legal_first(mask)
    elif (
        kind == frames.ASK_CENSOR
        or kind == frames.ASK_CARD
        or kind == frames.ASK_CRISIS_DISCARD
        or kind == frames.ASK_CRISIS_CARD
    ):
        card_play.legal_hand_cards(s, side, mask)
    elif kind == frames.ASK_USE:
        card_play.legal_use(s, c, frame, mask)

    # Operations and events.
    elif kind == frames.ASK_OPERATION:
        operations.legal_operations(s, c, frame, mask)
    elif frames.ASK_PLACE <= kind <= frames.ASK_DISC:
        effects.legal_effect(s, frame, kind, mask)
    elif kind == frames.ASK_OPTION:
        events.legal_option(s, c, frame, mask)
    elif kind == frames.ASK_WHETHER:
        legal_whether(mask)
    elif kind == frames.ASK_SWAP:
        events.legal_swap(s, frame, mask)
    elif kind == frames.ASK_DISCARD_EVENT:
        events.legal_discard_event(s, c, frame, mask)

    # Pivotal bonus actions.
    elif kind == frames.ASK_BONUS_ORDER:
        bonus_actions.legal_bonus_order(s, mask)
    elif kind == frames.ASK_BONUS:
        bonus_actions.legal_bonus(s, frame, mask)
    elif kind == frames.ASK_DE_ESCALATE:
        bonus_actions.legal_de_escalate(s, frame, mask)
    else:
        s.fault = 1


@rule
def answer(s: Any, c: Any, frame: Any, action: int) -> None:
    """Carry out the answer to the pending question."""
    kind = int(frame[FRAME_KIND])
    side = int(frame[FRAME_SIDE])

    # Rounds and card plays.
    if kind == frames.ASK_OBJECTIVE:
        rounds.answer_objective(s, side, action)
    elif kind == frames.ASK_INITIATIVE:
        rounds.answer_initiative(s, action)
    elif kind == frames.ASK_CENSOR:
        card_play.answer_censor(s, side, action)
    elif kind == frames.ASK_CARD:
        card_play.answer_card(s, side, action)
    elif kind == frames.ASK_USE:
        card_play.answer_use(s, c, frame, action)

    # Operations and events.
    elif kind == frames.ASK_OPERATION:
        operations.answer_operation(s, c, frame, action)
    elif frames.ASK_PLACE <= kind <= frames.ASK_DISC:
        effects.answer_effect(s, c, frame, kind, action)
    elif kind == frames.ASK_OPTION:
        events.answer_option(s, action)
    elif kind == frames.ASK_WHETHER:
        answer_whether(s, c, frame, action)
    elif kind == frames.ASK_SWAP:
        events.answer_swap(s, frame, action)
    elif kind == frames.ASK_DISCARD_EVENT:
        events.answer_discard_event(s, frame, action)

    # The end of a round and the Final Crisis.
    elif kind == frames.ASK_BONUS_ORDER:
        bonus_actions.answer_bonus_order(s, action)
    elif kind == frames.ASK_BONUS:
        bonus_actions.answer_bonus(s, frame, action)
    elif kind == frames.ASK_DE_ESCALATE:
        bonus_actions.answer_de_escalate(s, c, frame, action)
    elif kind == frames.ASK_SCORE_ORDER:
        scoring.answer_score_order(s, frame, action)
    elif kind == frames.ASK_EVENT_ORDER:
        scoring.answer_event_order(s, c, action)
    elif kind == frames.ASK_CRISIS_DISCARD:
        card_play.answer_crisis_discard(s, frame, action)
    elif kind == frames.ASK_CRISIS_CARD:
        card_play.answer_crisis_card(s, c, side, action)
    else:
        s.fault = 1


@rule
def legal_whether(mask: Any) -> None:
    """Allow yes and no."""
    mask[actions.YES] = True
    mask[actions.DONE] = True


@rule
def answer_whether(s: Any, c: Any, frame: Any, action: int) -> None:
    """Do what was asked about if the answer is yes."""
    question = int(frame[frames.WHETHER_CODE])
    side = int(frame[FRAME_SIDE])
    about = int(frame[frames.WHETHER_ABOUT])
    change = int(frame[frames.MOMENTUM_STEP])
    pop(s)
    if action != actions.YES:
        return

    if question == frames.WHETHER_MOMENTUM:
        pieces.change_momentum(s, c, about, change)
    elif question == frames.WHETHER_OUT_OF_PLAY:
        s.stack[s.depth - 1, frames.FROM_OUT_OF_PLAY] = 1
    elif question == frames.WHETHER_ENEMY_EVENT or question == frames.WHETHER_OBJECTIVE_EVENT:
        events.begin_event(s, side, about)
    elif question == frames.WHETHER_STEP:
        events.reveal(s, side, about)
    else:
        s.fault = 1
