"""The course of a turn, and the one place where a pending frame meets its rule: what is legal, what an answer does.

A kind that a chain forgets ends in its last branch, which sets the fault.
"""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import FRAME_KIND, FRAME_SIDE, note, pop, push
from rfop_env.core.record import Vector
from rfop_env.games.paris import (
    actions,
    board,
    bonus_tiles,
    buildings,
    frames,
    journal,
    keys,
    payment,
    scoring,
    setup,
    state,
    trade,
)
from rfop_env.games.paris.components import Components
from rfop_env.games.paris.state import State


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
    elif kind == frames.ASK_BONUS and not bonus_tiles.any_to_take(
        s, c, s.active, bonus_tiles.AHEAD
    ):  # P17: none ahead, no bonus
        pop(s)
    else:
        return False
    return True


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


# -- legal actions and answers ---------------------------------------------------------------------------------------


@rule
def legal(s: State, c: Components, mask: Any) -> None:
    """Set the legal actions of the pending question in an all-false mask."""
    frame = s.stack[s.depth - 1]
    kind = frame[FRAME_KIND]
    player = s.active

    # The course of a turn.
    if kind == frames.ASK_DRAW:
        trade.mark_free_actions(s, c, player, mask)
        buildings.mark_stacks(s, mask)
    elif kind == frames.ASK_PLACEMENT:
        buildings.mark_placements(s, c, frame[frames.ask_placement.tile], mask)
    elif kind == frames.ASK_ACTION:
        mark_actions(s, c, player, mask)
    elif kind == frames.ASK_END_TILE:
        trade.mark_end_tiles(s, mask)
    elif kind == frames.ASK_END_TURN:
        trade.mark_free_actions(s, c, player, mask)
        mask[actions.DONE] = True

    # A move and its rewards.
    elif kind == frames.ASK_DESTINATION:
        keys.mark_destinations(s, c, player, frame[frames.ask_destination.origin], mask)
    elif kind == frames.ASK_LANDMARK_DISTRICT:
        keys.mark_landmark_districts(s, c, frame[frames.ask_landmark_district.landmark], mask)
    elif kind == frames.ASK_PAYMENT:
        payment.mark_payment(s, frame, mask)
    elif kind == frames.ASK_BONUS:
        mark_bonus_offer(s, c, frame, player, mask)
    elif kind == frames.ASK_PRESTIGE:
        payment.mark_section(s, c, frame, mask)
    elif kind == frames.ASK_VP_TILE:
        scoring.mark_vp_tiles(s, mask)
    elif kind == frames.ASK_VP_DISTRICT:
        scoring.mark_vp_districts(s, mask)

    # Bonus tiles that are used.
    elif kind == frames.ASK_ANY_BONUS:
        bonus_tiles.mark_takeable(s, c, player, board.ANY_TILE, mask)
    elif kind == frames.ASK_BACK:
        bonus_tiles.mark_takeable(s, c, player, board.TILE_BEHIND, mask)
    elif kind == frames.ASK_PAIRS:
        bonus_tiles.mark_pairs(s, frame, mask)
    else:
        s.fault = 1


@rule
def mark_bonus_offer(s: State, c: Components, frame: Vector, player: int, mask: Any) -> None:
    """Set the bonus tiles ahead, and to take none; free actions where a fee is to be paid (P18)."""
    fee = frame[frames.ask_bonus.fee]
    if fee > 0:
        trade.mark_free_actions(s, c, player, mask)
    if s.francs[player] >= fee:
        bonus_tiles.mark_takeable(s, c, player, bonus_tiles.AHEAD, mask)
    mask[actions.DONE] = True


@rule
def answer(s: State, c: Components, frame: Vector, action: int) -> None:
    """Carry out the answer to the pending question."""
    kind = frame[FRAME_KIND]

    # The course of a turn.
    if kind == frames.ASK_DRAW:
        if not trade.answer_free_action(s, c, action):
            buildings.answer_draw(s, c, action)
    elif kind == frames.ASK_PLACEMENT:
        buildings.answer_placement(s, frame, action)
    elif kind == frames.ASK_ACTION:
        answer_action(s, c, action)
    elif kind == frames.ASK_END_TILE:
        trade.answer_search(s, action)
    elif kind == frames.ASK_END_TURN:
        if not trade.answer_free_action(s, c, action):
            pop(s)

    # A move and its rewards.
    elif kind == frames.ASK_DESTINATION:
        keys.answer_destination(s, c, frame, action)
    elif kind == frames.ASK_LANDMARK_DISTRICT:
        keys.answer_landmark_district(s, c, frame, action)
    elif kind == frames.ASK_PAYMENT:
        payment.answer_payment(s, frame, action)
    elif kind == frames.ASK_BONUS:
        answer_bonus_question(s, c, frame, action)
    elif kind == frames.ASK_PRESTIGE:
        payment.answer_section(s, c, frame, action)
    elif kind == frames.ASK_VP_TILE:
        scoring.answer_vp_tile(s, action)
    elif kind == frames.ASK_VP_DISTRICT:
        scoring.answer_vp_district(s, frame, action)

    # Bonus tiles that are used.
    elif kind == frames.ASK_ANY_BONUS:
        bonus_tiles.answer_take(s, action, board.ANY_TILE)
    elif kind == frames.ASK_BACK:
        bonus_tiles.answer_take(s, action, board.TILE_BEHIND)
    elif kind == frames.ASK_PAIRS:
        bonus_tiles.answer_pair(s, c, frame, action)
    else:
        s.fault = 1


@rule
def answer_bonus_question(s: State, c: Components, frame: Vector, action: int) -> None:
    """Use a tile that is owned or trade, which leaves the offer; or answer the offer."""
    if action == actions.DONE or takes_offer(s, action):
        bonus_tiles.answer_bonus_offer(s, frame, action)
    else:
        trade.answer_free_action(s, c, action)


@rule
def takes_offer(s: State, action: int) -> bool:
    """True if an action names a bonus tile that is not owned: it takes one, it does not use one."""
    number = action - actions.BONUS
    return number >= 1 and number <= board.BONUS_TILES and s.bonus[s.active, number] == state.NOT_OWNED
