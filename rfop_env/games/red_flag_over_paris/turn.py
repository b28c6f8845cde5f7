"""Where a pending frame meets its rule: a table of the questions, and the course of the game around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from rfop_env.compiler import rule, small_rule
from rfop_env.core.chains import chain
from rfop_env.core.decisions import FRAME_KIND, FRAME_SIDE, pop
from rfop_env.core.record import Vector
from rfop_env.games.red_flag_over_paris import actions, frames, observation, state
from rfop_env.games.red_flag_over_paris import bonus_actions, card_play, effects, events, operations, pieces
from rfop_env.games.red_flag_over_paris import rounds, scoring, setup
from rfop_env.games.red_flag_over_paris import solo_bonus_actions, solo_events, solo_operations, solo_opponent
from rfop_env.games.red_flag_over_paris.components import Components
from rfop_env.games.red_flag_over_paris.state import State


# -- questions of yes or no --------------------------------------------------------------------------------------------


@rule
def legal_whether(mask: Any) -> None:
    """Allow yes and no."""
    mask[actions.YES] = True
    mask[actions.DONE] = True


@rule
def answer_whether(s: State, c: Components, frame: Vector, action: int) -> None:
    """Do what was asked about if the answer is yes."""
    question = frame[frames.ask_whether.code]
    side = frame[FRAME_SIDE]
    about = frame[frames.ask_whether.about]
    change = frame[frames.ask_whether.step]
    pop(s)
    if action != actions.YES:
        return

    if question == frames.WHETHER_MOMENTUM:
        pieces.change_momentum(s, c, about, change)
    elif question == frames.WHETHER_OUT_OF_PLAY:
        s.stack[s.depth - 1, frames.ask_place.out_of_play] = 1
    elif question == frames.WHETHER_ENEMY_EVENT or question == frames.WHETHER_OBJECTIVE_EVENT:
        events.begin_event(s, side, about)
    elif question == frames.WHETHER_STEP:
        events.reveal(s, side, about)
    else:
        s.fault = 1


# -- the table ---------------------------------------------------------------------------------------------------------


@small_rule
def set_fault(s: State) -> None:
    """Set the fault: there is no rule for the kind."""
    s.fault = 1


@small_rule
def kind_alone() -> None:
    """Write nothing into an observation: the kind says all of the question."""


@small_rule
def decline() -> int:
    """Decline: the Solo Opponent has no hand and uses no discards."""
    return actions.DONE


@small_rule
def always_asked() -> bool:
    """Never pass over the question."""
    return False


Rule = Callable[..., Any]


class Question(NamedTuple):
    """The rules of a kind of question."""

    legal: Rule  # sets the legal answers in an all-false mask
    answer: Rule  # carries out an answer
    advise: Rule  # gives the Solo Opponent's answer
    observe: Rule = kind_alone  # writes what the question is about, for the side that is asked
    falls_away: Rule = always_asked  # true if no answer would do anything


_EFFECT_RULES = effects.legal_effect, effects.answer_effect, solo_events.advise_effect
_PLACE = Question(*_EFFECT_RULES, observation.observe_placement, effects.no_targets)
_REMOVE = Question(*_EFFECT_RULES, observation.observe_effect, effects.no_targets)
_MOVE = Question(*_EFFECT_RULES, observation.observe_move, effects.no_targets)

# R19: a round that the whole deck could not supply leaves hands empty.
QUESTIONS = {
    # Rounds and card plays.
    frames.ASK_OBJECTIVE: Question(rounds.legal_objective, rounds.answer_objective, decline),
    frames.ASK_INITIATIVE: Question(scoring.legal_first, rounds.answer_initiative, solo_opponent.advise_initiative),
    frames.ASK_CENSOR: Question(
        card_play.legal_hand_cards, card_play.answer_censor, decline, falls_away=rounds.holds_no_cards
    ),
    frames.ASK_CARD: Question(
        card_play.legal_hand_cards, card_play.answer_card, decline, falls_away=rounds.holds_no_cards
    ),
    frames.ASK_USE: Question(card_play.legal_use, card_play.answer_use, decline, observation.observe_use),
    # Operations and events.
    frames.ASK_OPERATION: Question(
        operations.legal_operations,
        operations.answer_operation,
        solo_operations.advise_operation,
        observation.observe_operation,
    ),
    frames.ASK_PLACE: _PLACE,
    frames.ASK_REMOVE: _REMOVE,
    frames.ASK_REPLACE: _REMOVE,
    frames.ASK_MOVE: _MOVE,
    frames.ASK_REMOVE_OWN: _REMOVE,
    frames.ASK_DISC: _MOVE,
    frames.ASK_OPTION: Question(events.legal_option, events.answer_option, solo_events.advise_option),
    frames.ASK_WHETHER: Question(
        legal_whether, answer_whether, solo_events.advise_whether, observation.observe_whether
    ),
    frames.ASK_SWAP: Question(events.legal_swap, events.answer_swap, decline, falls_away=events.no_swap),
    frames.ASK_DISCARD_EVENT: Question(
        events.legal_discard_event, events.answer_discard_event, decline, falls_away=events.no_discard_event
    ),
    # The end of a round and the Final Crisis.
    frames.ASK_BONUS_ORDER: Question(bonus_actions.legal_bonus_order, bonus_actions.answer_bonus_order, decline),
    frames.ASK_BONUS: Question(
        bonus_actions.legal_bonus,
        bonus_actions.answer_bonus,
        solo_bonus_actions.advise_bonus,
        observation.observe_bonus,
    ),
    frames.ASK_DE_ESCALATE: Question(
        bonus_actions.legal_de_escalate,
        bonus_actions.answer_de_escalate,
        solo_bonus_actions.advise_de_escalate,
        observation.observe_de_escalate,
    ),
    frames.ASK_SCORE_ORDER: Question(scoring.legal_first, scoring.answer_score_order, decline),
    frames.ASK_EVENT_ORDER: Question(scoring.legal_first, scoring.answer_event_order, decline),
    frames.ASK_CRISIS_DISCARD: Question(
        card_play.legal_hand_cards, card_play.answer_crisis_discard, decline, falls_away=rounds.has_discarded
    ),
    frames.ASK_CRISIS_CARD: Question(
        card_play.legal_hand_cards, card_play.answer_crisis_card, decline, falls_away=rounds.holds_no_cards
    ),
}
assert list(QUESTIONS) == list(range(1, frames.QUESTIONS)), "each kind of question has its row, in order"


def _column(name: str) -> Mapping[int, Rule]:
    return {kind: getattr(question, name) for kind, question in QUESTIONS.items()}


legal_answers = chain("legal_answers", "s, c, frame, mask", _column("legal"), set_fault)
answer = chain("answer", "s, c, frame, action", _column("answer"), set_fault)
advise = chain("advise", "s, c, frame", _column("advise"), decline)
observe_question = chain("observe_question", "frame, o", _column("observe"), kind_alone)
falls_away = chain("falls_away", "s, c, frame", _column("falls_away"), always_asked)


# -- the course of the game --------------------------------------------------------------------------------------------


@rule
def legal(s: State, c: Components, mask: Any) -> None:
    """Set the legal answers to the pending question in an all-false mask."""
    legal_answers(s, c, s.stack[s.depth - 1], mask)


@rule
def observe(s: State, c: Components, seat: int, o: Any) -> None:
    """Write what a seat sees into an all-zero int8 [D], its own side first."""
    side = observation.seat_side(s, seat)
    observation.observe_position(s, c, side, o)

    # Only the side that is asked sees the question.
    kind = frames.NO_QUESTION
    if s.depth > 0 and s.over == 0 and s.stack[s.depth - 1, FRAME_SIDE] == side:
        frame = s.stack[s.depth - 1]
        if frame[FRAME_KIND] <= frames.LAST_QUESTION:
            kind = frame[FRAME_KIND]
            observe_question(frame, o)
    o[observation.AT.question + kind] = 1


@rule
def no_bot_turn(s: State, c: Components, frame: Vector) -> None:
    """Stands in for the Solo Opponent's turn in the 2-player game."""
    s.fault = 1


@rule
def no_bot_answer(s: State, c: Components, frame: Vector) -> int:
    """Stands in for the Solo Opponent's answers in the 2-player game."""
    s.fault = 1
    return actions.DONE


def make_turn(bot_turn: Rule, bot_answer: Rule) -> tuple[Any, Any]:
    """The rules `deal` and `apply`, with those of the Solo Opponent or without: these take seconds to compile."""
    work = {
        frames.DO_EVENT: events.carry_on_event,
        frames.DO_END_PLAY: card_play.end_play,
        frames.DO_SETTLE: bonus_actions.end_bonus_action,
        frames.DO_BOT_TURN: bot_turn,
        frames.DO_SET_ASIDE: scoring.end_objective,
    }
    assert [*QUESTIONS, *work] == list(frames.FRAMES), "each kind of frame has its rule"
    carry_on = chain("carry_on", "s, c, frame", work, set_fault)

    @rule
    def deal(s: State, c: Components, options: Any) -> None:
        """Set up a game and go to its first decision."""
        setup.set_up(s, c, options)
        run(s, c)

    @rule
    def apply(s: State, c: Components, action: int) -> None:
        """Carry out a legal action and everything up to the next decision, the Solo Opponent's turns included."""
        answer(s, c, s.stack[s.depth - 1], action)
        run(s, c)

    @rule
    def run(s: State, c: Components) -> None:
        """Carry the game on until a player is asked, or it ends."""
        while s.over == 0 and s.fault == 0:
            if s.depth == 0:
                rounds.next_phase(s, c)
                continue

            frame = s.stack[s.depth - 1]
            if frame[FRAME_KIND] > frames.LAST_QUESTION:
                carry_on(s, c, frame)
            elif falls_away(s, c, frame):
                pop(s)
            elif frame[FRAME_SIDE] == s.bot:
                answer(s, c, frame, bot_answer(s, c, frame))
            else:
                s.player = frame[FRAME_SIDE] if s.bot == state.NOBODY else 0
                return

    return deal, apply
