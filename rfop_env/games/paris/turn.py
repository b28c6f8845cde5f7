"""The course of a turn, and the one place where a pending frame meets its rule: what is legal, what an answer does.

A kind that a chain forgets ends in its last branch, which sets the fault.
"""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import FRAME_KIND, FRAME_SIDE, note, pop, push
from rfop_env.games.paris.actions import BONUS, DONE, KEY, PUT, SEARCH
from rfop_env.games.paris.board import ANY_TILE, BONUS_TILES, FIRST_BANK, GOLD, GOLD_PRESTIGE, RESOURCES, TILE_BEHIND
from rfop_env.games.paris.bonus_tiles import (
    AHEAD, answer_bonus_offer, answer_pair, answer_take, any_to_take, mark_pairs, mark_takeable,
)  # fmt: skip
from rfop_env.games.paris.buildings import answer_draw, answer_placement, mark_placements, mark_stacks
from rfop_env.games.paris.frames import (
    ASK_ACTION, ASK_ANY_BONUS, ASK_BACK, ASK_BONUS, ASK_DESTINATION, ASK_DRAW, ASK_END_TILE, ASK_END_TURN,
    ASK_LANDMARK_DISTRICT, ASK_PAIRS, ASK_PAYMENT, ASK_PLACEMENT, ASK_PRESTIGE, ASK_VP_DISTRICT, ASK_VP_TILE, DO_ARRIVE,
    FEE, LANDMARK_PLACE, ORIGIN, TILE_TO_PLACE,
)  # fmt: skip
from rfop_env.games.paris.journal import NOTE_PASSED
from rfop_env.games.paris.keys import (
    answer_destination, answer_landmark_district, arrive, mark_destinations, mark_keys, mark_landmark_districts,
    put_key,
)  # fmt: skip
from rfop_env.games.paris.payment import (
    answer_payment, answer_section, end_payment, mark_payment, mark_section, next_section, resource_asked,
)  # fmt: skip
from rfop_env.games.paris.scoring import answer_vp_district, answer_vp_tile, finish, mark_vp_districts, mark_vp_tiles
from rfop_env.games.paris.setup import set_up
from rfop_env.games.paris.state import NOT_OWNED
from rfop_env.games.paris.trade import (
    answer_free_action, answer_search, buildings_left, can_search, mark_end_tiles, mark_free_actions,
)  # fmt: skip


@rule
def deal(s: Any, c: Any, options: Any) -> None:
    """Set up a game and go to its first decision."""
    set_up(s, c, options)
    begin_turn(s, int(s.start_player))
    run(s, c)


@rule
def apply(s: Any, c: Any, action: int) -> None:
    """Carry out a legal action and everything up to the next decision."""
    answer(s, c, s.stack[s.depth - 1], action)
    run(s, c)


@rule
def run(s: Any, c: Any) -> None:
    """Carry the game on until a player is asked, or it ends."""
    while s.over == 0 and s.fault == 0:
        if s.depth == 0:
            next_turn(s, c)
            continue

        frame = s.stack[s.depth - 1]
        if not carried_on(s, c, frame):
            s.player = frame[FRAME_SIDE]
            return


@rule
def carried_on(s: Any, c: Any, frame: Any) -> bool:
    """Carry on a frame that needs no choice; returns false if it asks one."""
    kind = int(frame[FRAME_KIND])
    if kind == DO_ARRIVE:
        arrive(s, c, frame)
    elif kind == ASK_PAYMENT and resource_asked(frame) == RESOURCES:
        end_payment(s, c, frame, GOLD)
    elif kind == ASK_PRESTIGE and not next_section(s, c, frame):
        end_payment(s, c, frame, GOLD_PRESTIGE)
    elif kind == ASK_BONUS and not any_to_take(s, c, int(s.active), AHEAD):  # P17: none ahead, no bonus
        pop(s)
    else:
        return False
    return True


# -- turns and rounds ------------------------------------------------------------------------------------------------


@rule
def begin_turn(s: Any, player: int) -> None:
    """Begin a turn: draw a building tile, if any is left; act; end the turn."""
    s.active = player
    s.turns += 1
    for good in range(RESOURCES):
        s.sold[good] = 0
        s.bought[good] = 0
    push(s, ASK_END_TURN, player)
    push(s, ASK_ACTION, player)
    if buildings_left(s) > 0:
        push(s, ASK_DRAW, player)


@rule
def next_turn(s: Any, c: Any) -> None:
    """Begin the turn of the next player clockwise; a round ends to the right of the start player (P4)."""
    following = (int(s.active) + 1) % int(s.players)
    if following == s.start_player and s.rounds_left > 0:
        s.rounds_left -= 1
        if s.rounds_left == 0:
            finish(s, c)
            return
    begin_turn(s, following)


@rule
def mark_actions(s: Any, c: Any, player: int, mask: Any) -> None:
    """Set free actions and the actions of a turn; passing only without any of the latter (P2, P5)."""
    mark_free_actions(s, c, player, mask)
    mask[SEARCH] = can_search(s)
    mask[DONE] = not mark_keys(s, c, player, mask) and not mask[SEARCH]


@rule
def answer_action(s: Any, c: Any, action: int) -> None:
    """Carry out a free action, after which the question stays; or the action of the turn, or a pass."""
    if answer_free_action(s, c, action):
        return

    player = int(s.active)
    pop(s)
    if action == SEARCH:
        push(s, ASK_END_TILE, player)
    elif action == DONE:
        note(s, NOTE_PASSED, player, 0, 0)
        pop(s)  # nothing is asked after a pass: all that could follow could have come before
    elif action >= KEY:
        push(s, ASK_DESTINATION, player, action - KEY)
    else:
        put_key(s, c, player, FIRST_BANK + action - PUT)


# -- legal actions and answers ---------------------------------------------------------------------------------------


@rule
def legal(s: Any, c: Any, mask: Any) -> None:
    """Set the legal actions of the pending question in an all-false mask."""
    frame = s.stack[s.depth - 1]
    kind = int(frame[FRAME_KIND])
    player = int(s.active)

    # The course of a turn.
    if kind == ASK_DRAW:
        mark_free_actions(s, c, player, mask)
        mark_stacks(s, mask)
    elif kind == ASK_PLACEMENT:
        mark_placements(s, c, int(frame[TILE_TO_PLACE]), mask)
    elif kind == ASK_ACTION:
        mark_actions(s, c, player, mask)
    elif kind == ASK_END_TILE:
        mark_end_tiles(s, mask)
    elif kind == ASK_END_TURN:
        mark_free_actions(s, c, player, mask)
        mask[DONE] = True

    # A move and its rewards.
    elif kind == ASK_DESTINATION:
        mark_destinations(s, c, player, int(frame[ORIGIN]), mask)
    elif kind == ASK_LANDMARK_DISTRICT:
        mark_landmark_districts(s, c, int(frame[LANDMARK_PLACE]), mask)
    elif kind == ASK_PAYMENT:
        mark_payment(s, frame, mask)
    elif kind == ASK_BONUS:
        mark_bonus_offer(s, c, frame, player, mask)
    elif kind == ASK_PRESTIGE:
        mark_section(s, c, frame, mask)
    elif kind == ASK_VP_TILE:
        mark_vp_tiles(s, mask)
    elif kind == ASK_VP_DISTRICT:
        mark_vp_districts(s, mask)

    # Bonus tiles that are used.
    elif kind == ASK_ANY_BONUS:
        mark_takeable(s, c, player, ANY_TILE, mask)
    elif kind == ASK_BACK:
        mark_takeable(s, c, player, TILE_BEHIND, mask)
    elif kind == ASK_PAIRS:
        mark_pairs(s, frame, mask)
    else:
        s.fault = 1


@rule
def mark_bonus_offer(s: Any, c: Any, frame: Any, player: int, mask: Any) -> None:
    """Set the bonus tiles ahead, and to take none; free actions where a fee is to be paid (P18)."""
    fee = int(frame[FEE])
    if fee > 0:
        mark_free_actions(s, c, player, mask)
    if s.francs[player] >= fee:
        mark_takeable(s, c, player, AHEAD, mask)
    mask[DONE] = True


@rule
def answer(s: Any, c: Any, frame: Any, action: int) -> None:
    """Carry out the answer to the pending question."""
    kind = int(frame[FRAME_KIND])

    # The course of a turn.
    if kind == ASK_DRAW:
        if not answer_free_action(s, c, action):
            answer_draw(s, c, action)
    elif kind == ASK_PLACEMENT:
        answer_placement(s, frame, action)
    elif kind == ASK_ACTION:
        answer_action(s, c, action)
    elif kind == ASK_END_TILE:
        answer_search(s, action)
    elif kind == ASK_END_TURN:
        if not answer_free_action(s, c, action):
            pop(s)

    # A move and its rewards.
    elif kind == ASK_DESTINATION:
        answer_destination(s, c, frame, action)
    elif kind == ASK_LANDMARK_DISTRICT:
        answer_landmark_district(s, c, frame, action)
    elif kind == ASK_PAYMENT:
        answer_payment(s, frame, action)
    elif kind == ASK_BONUS:
        answer_bonus_question(s, c, frame, action)
    elif kind == ASK_PRESTIGE:
        answer_section(s, c, frame, action)
    elif kind == ASK_VP_TILE:
        answer_vp_tile(s, action)
    elif kind == ASK_VP_DISTRICT:
        answer_vp_district(s, frame, action)

    # Bonus tiles that are used.
    elif kind == ASK_ANY_BONUS:
        answer_take(s, action, ANY_TILE)
    elif kind == ASK_BACK:
        answer_take(s, action, TILE_BEHIND)
    elif kind == ASK_PAIRS:
        answer_pair(s, c, frame, action)
    else:
        s.fault = 1


@rule
def answer_bonus_question(s: Any, c: Any, frame: Any, action: int) -> None:
    """Use a tile that is owned or trade, which leaves the offer; or answer the offer."""
    if action == DONE or takes_offer(s, action):
        answer_bonus_offer(s, frame, action)
    else:
        answer_free_action(s, c, action)


@rule
def takes_offer(s: Any, action: int) -> bool:
    """True if an action names a bonus tile that is not owned: it takes one, it does not use one."""
    number = action - BONUS
    return number >= 1 and number <= BONUS_TILES and s.bonus[s.active, number] == NOT_OWNED
