"""The course of a turn, and the one place where a pending frame meets its rule: what is legal, what an answer does."""

from __future__ import annotations

from typing import Any

from rfop_env.core.decisions import FRAME_A, FRAME_B, FRAME_KIND, FRAME_SIDE, note, pop, push
from rfop_env.core.rule import rule
from rfop_env.games.paris.actions import BONUS, DONE, KEY, PUT, SEARCH
from rfop_env.games.paris.board import ANY_TILE, BONUS_TILES, FIRST_BANK, GOLD, GOLD_PRESTIGE, RESOURCES, TILE_BEHIND
from rfop_env.games.paris.bonus_tiles import (
    AHEAD, answer_bonus_offer, answer_pair, answer_take, any_to_take, mark_pairs, mark_takeable,
)  # fmt: skip
from rfop_env.games.paris.buildings import answer_draw, answer_placement, mark_placements, mark_stacks
from rfop_env.games.paris.frames import (
    ASK_ACTION, ASK_ANY_BONUS, ASK_BACK, ASK_BONUS, ASK_DESTINATION, ASK_DRAW, ASK_END_TILE, ASK_END_TURN,
    ASK_LANDMARK_DISTRICT, ASK_PAIRS, ASK_PAYMENT, ASK_PLACEMENT, ASK_PRESTIGE, ASK_VP_DISTRICT, ASK_VP_TILE,
    DO_ARRIVE,
)  # fmt: skip
from rfop_env.games.paris.journal import NOTE_PASSED
from rfop_env.games.paris.keys import (
    answer_destination, answer_landmark_district, arrive, mark_destinations, mark_keys, mark_landmark_districts,
    put_key,
)  # fmt: skip
from rfop_env.games.paris.payment import (
    answer_payment, answer_section, end_payment, mark_payment, mark_section, next_section, resource_asked,
)  # fmt: skip
from rfop_env.games.paris.scoring import (
    answer_vp_district, answer_vp_tile, finish, mark_vp_districts, mark_vp_tiles,
)  # fmt: skip
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
    """Do what needs no choice; False if the frame asks one."""
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
    """Draw a building tile, if any is left; act; end the turn."""
    s.active = player
    s.turns += 1
    for good in range(RESOURCES):
        s.sold[good] = s.bought[good] = 0
    push(s, ASK_END_TURN, player, 0, 0, 0, 0)
    push(s, ASK_ACTION, player, 0, 0, 0, 0)
    if buildings_left(s) > 0:
        push(s, ASK_DRAW, player, 0, 0, 0, 0)


@rule
def next_turn(s: Any, c: Any) -> None:
    """The next player clockwise; a round ends with the player to the right of the start player (P4)."""
    following = (int(s.active) + 1) % int(s.players)
    if following == s.start_player and s.rounds_left > 0:
        s.rounds_left -= 1
        if s.rounds_left == 0:
            finish(s, c)
            return
    begin_turn(s, following)


@rule
def mark_actions(s: Any, c: Any, player: int, mask: Any) -> None:
    """Free actions and the actions of a turn; passing only without any of the latter (P2, P5)."""
    mark_free_actions(s, c, player, mask)
    mask[SEARCH] = can_search(s)
    mask[DONE] = not mark_keys(s, c, player, mask) and not mask[SEARCH]


@rule
def answer_action(s: Any, c: Any, action: int) -> None:
    """A free action, after which the question stays; or the action of the turn, or a pass."""
    if answer_free_action(s, c, action):
        return
    player = int(s.active)
    pop(s)
    if action == SEARCH:
        push(s, ASK_END_TILE, player, 0, 0, 0, 0)
    elif action == DONE:
        note(s, NOTE_PASSED, player, 0, 0)
        pop(s)  # nothing is asked after a pass: all that could follow could have come before
    elif action >= KEY:
        push(s, ASK_DESTINATION, player, action - KEY, 0, 0, 0)
    else:
        put_key(s, c, player, FIRST_BANK + action - PUT)


# -- legal actions and answers ---------------------------------------------------------------------------------------


@rule
def legal(s: Any, c: Any, mask: Any) -> None:
    """Set the legal actions of the pending question."""
    frame, player = s.stack[s.depth - 1], int(s.active)
    kind = int(frame[FRAME_KIND])
    if kind <= ASK_DESTINATION:
        mark_first_questions(s, c, frame, kind, player, mask)
    elif kind <= ASK_PRESTIGE:
        mark_arrival_questions(s, c, frame, kind, player, mask)
    else:
        mark_last_questions(s, c, frame, kind, player, mask)


@rule
def mark_first_questions(s: Any, c: Any, frame: Any, kind: int, player: int, mask: Any) -> None:
    """From the draw to the destination."""
    if kind == ASK_DRAW:
        mark_free_actions(s, c, player, mask)
        mark_stacks(s, mask)
    elif kind == ASK_PLACEMENT:
        mark_placements(s, c, int(frame[FRAME_A]), mask)
    elif kind == ASK_ACTION:
        mark_actions(s, c, player, mask)
    else:
        mark_destinations(s, c, player, int(frame[FRAME_A]), mask)


@rule
def mark_arrival_questions(s: Any, c: Any, frame: Any, kind: int, player: int, mask: Any) -> None:
    """From the destination to what it offers."""
    if kind == ASK_LANDMARK_DISTRICT:
        mark_landmark_districts(s, c, int(frame[FRAME_B]), mask)
    elif kind == ASK_PAYMENT:
        mark_payment(s, frame, mask)
    elif kind == ASK_BONUS:
        mark_bonus_offer(s, c, frame, player, mask)
    else:
        mark_section(s, c, frame, mask)


@rule
def mark_bonus_offer(s: Any, c: Any, frame: Any, player: int, mask: Any) -> None:
    """The bonus tiles ahead, or none; free actions where a fee is to be paid (P18)."""
    fee = int(frame[FRAME_A])
    if fee > 0:
        mark_free_actions(s, c, player, mask)
    if s.francs[player] >= fee:
        mark_takeable(s, c, player, AHEAD, mask)
    mask[DONE] = True


@rule
def mark_last_questions(s: Any, c: Any, frame: Any, kind: int, player: int, mask: Any) -> None:
    """VP tiles, tiles that are used, the end of the turn."""
    if kind == ASK_VP_TILE:
        mark_vp_tiles(s, mask)
    elif kind == ASK_VP_DISTRICT:
        mark_vp_districts(s, mask)
    elif kind == ASK_END_TILE:
        mark_end_tiles(s, mask)
    elif kind == ASK_ANY_BONUS:
        mark_takeable(s, c, player, ANY_TILE, mask)
    elif kind == ASK_BACK:
        mark_takeable(s, c, player, TILE_BEHIND, mask)
    elif kind == ASK_PAIRS:
        mark_pairs(s, frame, mask)
    else:
        mark_free_actions(s, c, player, mask)
        mask[DONE] = True


@rule
def answer(s: Any, c: Any, frame: Any, action: int) -> None:
    """Carry out the answer to the pending question."""
    kind = int(frame[FRAME_KIND])
    if kind == ASK_DRAW:
        if not answer_free_action(s, c, action):
            answer_draw(s, c, action)
    elif kind == ASK_PLACEMENT:
        answer_placement(s, frame, action)
    elif kind == ASK_ACTION:
        answer_action(s, c, action)
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
    else:
        answer_last_questions(s, c, frame, kind, action)


@rule
def answer_bonus_question(s: Any, c: Any, frame: Any, action: int) -> None:
    """Use a tile that is owned or trade, which leaves the offer; or answer the offer."""
    if action == DONE or takes_offer(s, action):
        answer_bonus_offer(s, frame, action)
    else:
        answer_free_action(s, c, action)


@rule
def takes_offer(s: Any, action: int) -> bool:
    """Whether an action names a bonus tile that is not owned: it takes one, it does not use one."""
    number = action - BONUS
    return number >= 1 and number <= BONUS_TILES and s.bonus[s.active, number] == NOT_OWNED


@rule
def answer_last_questions(s: Any, c: Any, frame: Any, kind: int, action: int) -> None:
    """VP tiles, tiles that are used, the end of the turn."""
    if kind == ASK_VP_TILE:
        answer_vp_tile(s, action)
    elif kind == ASK_VP_DISTRICT:
        answer_vp_district(s, frame, action)
    elif kind == ASK_END_TILE:
        answer_search(s, action)
    elif kind == ASK_ANY_BONUS:
        answer_take(s, action, ANY_TILE)
    elif kind == ASK_BACK:
        answer_take(s, action, TILE_BEHIND)
    elif kind == ASK_PAIRS:
        answer_pair(s, c, frame, action)
    elif not answer_free_action(s, c, action):
        pop(s)
