"""The course of a turn, and the table of questions: what is legal, and what an answer does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rfop_env.compiler import rule, small_rule
from rfop_env.core.chains import chain
from rfop_env.core.decisions import FRAME_KIND, FRAME_SIDE, note, pop, push
from rfop_env.core.record import Vector
from rfop_env.games.paris import actions, board, frames, journal, state
from rfop_env.games.paris import bonus_tiles, buildings, keys, payment, scoring, setup, trade
from rfop_env.games.paris.components import Components
from rfop_env.games.paris.state import State

# -- turns and rounds ------------------------------------------------------------------------------------------------


@rule
def begin_turn(s: State, player: int) -> None:
    """Begin a turn: draw a building tile, if any is left; act; end the turn."""
    s.active = player
    s.turns += 1
    for good in range(board.RESOURCES):
        s.sold[good] = 0
        s.bought[good] = 0
    push(s, frames.ASK_END_TURN, player)
    push(s, frames.ASK_ACTION, player)
    if trade.buildings_left(s) > 0:
        push(s, frames.ASK_DRAW, player)


@rule
def next_turn(s: State, c: Components) -> None:
    """Begin the turn of the next player clockwise; a round ends to the right of the start player (P4)."""
    following = (s.active + 1) % s.players
    if following == s.start_player and s.rounds_left > 0:
        s.rounds_left -= 1
        if s.rounds_left == 0:
            scoring.finish(s, c)
            return
    begin_turn(s, following)


@rule
def mark_actions(s: State, c: Components, player: int, mask: Any) -> None:
    """Set free actions and the actions of a turn; passing only without any of the latter (P2, P5)."""
    trade.mark_free_actions(s, c, player, mask)
    mask[actions.SEARCH] = trade.can_search(s)
    mask[actions.DONE] = not keys.mark_keys(s, c, player, mask) and not mask[actions.SEARCH]


@rule
def answer_action(s: State, c: Components, action: int) -> None:
    """Carry out a free action, after which the question stays; or the action of the turn, or a pass."""
    if trade.answer_free_action(s, c, action):
        return

    player = s.active
    pop(s)
    if action == actions.SEARCH:
        push(s, frames.ASK_END_TILE, player)
    elif action == actions.DONE:
        note(s, journal.NOTE_PASSED, player, 0, 0)
        pop(s)  # nothing is asked after a pass: all that could follow could have come before
    elif action >= actions.KEY:
        push(s, frames.ASK_DESTINATION, player, action - actions.KEY)
    else:
        keys.put_key(s, c, player, board.FIRST_BANK + action - actions.PUT)


# -- the questions of a turn ------------------------------------------------------------------------------------------


@rule
def mark_draw(s: State, c: Components, player: int, mask: Any) -> None:
    """Set the stacks to draw from, and free actions."""
    trade.mark_free_actions(s, c, player, mask)
    buildings.mark_stacks(s, mask)


@rule
def answer_draw(s: State, c: Components, action: int) -> None:
    """Draw a building tile, or carry out a free action, which leaves the question."""
    if not trade.answer_free_action(s, c, action):
        buildings.draw_tile(s, c, action)


@rule
def mark_end(s: State, c: Components, player: int, mask: Any) -> None:
    """Set the end of the turn, and free actions before it."""
    trade.mark_free_actions(s, c, player, mask)
    mask[actions.DONE] = True


@rule
def answer_end(s: State, c: Components, action: int) -> None:
    """End the turn, or carry out a free action, which leaves the question."""
    if not trade.answer_free_action(s, c, action):
        pop(s)


@rule
def mark_bonus_offer(s: State, c: Components, frame: Vector, player: int, mask: Any) -> None:
    """Set the bonus tiles ahead, and to take none; free actions where a fee is to be paid (P18)."""
    fee = frame[frames.ask_bonus.fee]
    if fee > 0:
        trade.mark_free_actions(s, c, player, mask)
    if s.francs[player] >= fee:
        bonus_tiles.mark_takeable(s, c, frames.ASK_BONUS, player, mask)
    mask[actions.DONE] = True


@rule
def answer_bonus_question(s: State, c: Components, frame: Vector, action: int) -> None:
    """Take a tile of a building's offer for its fee, or decline; a free action leaves the offer."""
    if action != actions.DONE and not takes_offer(s, action):
        trade.answer_free_action(s, c, action)
        return

    fee = frame[frames.ask_bonus.fee]
    player = s.active
    pop(s)
    if action != actions.DONE:
        s.francs[player] -= fee
        bonus_tiles.take_bonus(s, player, action - actions.BONUS, frames.ASK_BONUS)


@rule
def takes_offer(s: State, action: int) -> bool:
    """True if an action names a bonus tile that is not owned: it takes one, it does not use one."""
    number = action - actions.BONUS
    return number >= 1 and number <= board.BONUS_TILES and s.bonus[s.active, number] == state.NOT_OWNED


# -- the table of questions -------------------------------------------------------------------------------------------


class Question(NamedTuple):
    """The rules of a kind of question; they take what they name of `legal_answers` and `answer`, and the kind."""

    legal: Callable[..., Any]  # sets the legal answers in an all-false mask
    answer: Callable[..., Any]  # carries out an answer


QUESTIONS = {
    # The course of a turn.
    frames.ASK_DRAW: Question(mark_draw, answer_draw),
    frames.ASK_PLACEMENT: Question(buildings.mark_placements, buildings.answer_placement),
    frames.ASK_ACTION: Question(mark_actions, answer_action),
    frames.ASK_END_TILE: Question(trade.mark_end_tiles, trade.answer_search),
    frames.ASK_END_TURN: Question(mark_end, answer_end),
    # A move and its rewards.
    frames.ASK_DESTINATION: Question(keys.mark_destinations, keys.answer_destination),
    frames.ASK_LANDMARK_DISTRICT: Question(keys.mark_landmark_districts, keys.answer_landmark_district),
    frames.ASK_PAYMENT: Question(payment.mark_payment, payment.answer_payment),
    frames.ASK_BONUS: Question(mark_bonus_offer, answer_bonus_question),
    frames.ASK_PRESTIGE: Question(payment.mark_section, payment.answer_section),
    frames.ASK_VP_TILE: Question(scoring.mark_vp_tiles, scoring.answer_vp_tile),
    frames.ASK_VP_DISTRICT: Question(scoring.mark_vp_districts, scoring.answer_vp_district),
    # Bonus tiles that are used.
    frames.ASK_ANY_BONUS: Question(bonus_tiles.mark_takeable, bonus_tiles.answer_take),
    frames.ASK_BACK: Question(bonus_tiles.mark_takeable, bonus_tiles.answer_take),
    frames.ASK_PAIRS: Question(bonus_tiles.mark_pairs, bonus_tiles.answer_pair),
}
assert sorted(QUESTIONS) == list(range(1, frames.QUESTIONS)), "each question has its rules"


@small_rule
def set_fault(s: State) -> None:
    """Note that the rules have met a kind of frame that asks nothing."""
    s.fault = 1


LEGAL = {kind: question.legal for kind, question in QUESTIONS.items()}
ANSWERS = {kind: question.answer for kind, question in QUESTIONS.items()}
legal_answers = chain("legal_answers", "s, c, frame, player, mask", LEGAL, set_fault)
answer = chain("answer", "s, c, frame, action", ANSWERS, set_fault)


# -- the course of the game -------------------------------------------------------------------------------------------


@rule
def deal(s: State, c: Components, options: Any) -> None:
    """Set up a game and go to its first decision."""
    setup.set_up(s, c, options)
    begin_turn(s, s.start_player)
    run(s, c)


@rule
def apply(s: State, c: Components, action: int) -> None:
    """Carry out a legal action and everything up to the next decision."""
    answer(s, c, s.stack[s.depth - 1], action)
    run(s, c)


@rule
def run(s: State, c: Components) -> None:
    """Carry the game on until a player is asked, or it ends."""
    while s.over == 0 and s.fault == 0:
        if s.depth == 0:
            next_turn(s, c)
            continue

        frame = s.stack[s.depth - 1]
        if not advance(s, c, frame):
            s.player = frame[FRAME_SIDE]
            return


@rule
def advance(s: State, c: Components, frame: Vector) -> bool:
    """Carry on a frame that needs no choice; returns false if it asks one."""
    kind = frame[FRAME_KIND]
    if kind == frames.DO_ARRIVE:
        keys.arrive(s, c, frame)
    elif kind == frames.ASK_PAYMENT and payment.next_resource(frame) == board.RESOURCES:
        payment.end_payment(s, c, frame, board.GOLD)
    elif kind == frames.ASK_PRESTIGE and not payment.next_section(s, c, frame):
        payment.end_payment(s, c, frame, board.GOLD_PRESTIGE)
    elif kind == frames.ASK_BONUS and not bonus_tiles.any_to_take(s, c, s.active, kind):
        pop(s)  # P17: none ahead, no bonus
    else:
        return False
    return True


@rule
def legal(s: State, c: Components, mask: Any) -> None:
    """Set the legal actions of the pending question in an all-false mask."""
    legal_answers(s, c, s.stack[s.depth - 1], s.active, mask)
