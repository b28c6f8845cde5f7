"""A game turn (rules 4.0): reveal a card, carry it out, ask for Actions, keep house.

A question or an action that a chain forgets ends in its last branch, which sets the fault.
"""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import note
from rfop_env.games.levee_en_masse.actions import (
    ACCEPT, COMMIT_ACTION, COMMIT_BONUS, DETACH, END, LEVEE, LEVEE_ON, LIBERATE, MILITARY, NAPOLEON, NAVAL, POLITICAL,
    RESERVES, RESTORE, SPIRIT,
)  # fmt: skip
from rfop_env.games.levee_en_masse.battle import (
    accept, add_one, affordable, attack, in_square, liberated_under, may_add_one, may_reroll, military_target,
    naval_attack, naval_target, reroll, spirit_attack,
)  # fmt: skip
from rfop_env.games.levee_en_masse.board import (
    ARMIES, POLITICS, RED, START, TRACKS, box_of_space, inner_boxes, on_map, space_index, track_of_space,
)  # fmt: skip
from rfop_env.games.levee_en_masse.components import HEAD_ACTIONS, HEAD_COLOUR
from rfop_env.games.levee_en_masse.events import carry_out_headline
from rfop_env.games.levee_en_masse.government import (
    FROM_HOLDING_BOX, call_levee, can_liberate, can_shift, liberation_action, political_action, restore_order_action,
)  # fmt: skip
from rfop_env.games.levee_en_masse.housekeeping import housekeep
from rfop_env.games.levee_en_masse.journal import NOTE_COMMITTED, NOTE_HEADLINE
from rfop_env.games.levee_en_masse.movement import assign_napoleon, recall_napoleon
from rfop_env.games.levee_en_masse.politics import adjust_french_army, set_disorder
from rfop_env.games.levee_en_masse.scoring import end_scored
from rfop_env.games.levee_en_masse.setup import set_up
from rfop_env.games.levee_en_masse.state import (
    ASK_ACTION, ASK_ROLL, EASIER, HARDER, NAPOLEON_ASSIGNED, NAPOLEON_HELD, NAPOLEON_TRAVELLING,
)  # fmt: skip

FIFTH = 5  # 13.0 changes every fifth card


@rule
def deal(s: Any, c: Any, options: Any) -> None:
    """Set up a game and go to its first Action Phase."""
    set_up(s, c, options)
    begin_turn(s, c)


@rule
def begin_turn(s: Any, c: Any) -> None:
    """Reveal the next card and carry it out up to the Actions; with no card left the game is scored (L3)."""
    if s.drawn == s.deck_size:
        end_scored(s, c)
        return

    # The card.
    s.headline = s.deck[s.drawn]
    s.drawn += 1
    if c.headline[s.headline, HEAD_COLOUR] == RED:
        s.red_seen = 1
    if s.napoleon == NAPOLEON_TRAVELLING:
        s.napoleon = NAPOLEON_HELD

    # The phases before the Actions.
    s.actions_left = actions_given(s, c)
    note(s, NOTE_HEADLINE, int(s.headline), int(s.actions_left), 0)
    carry_out_headline(s, c)
    adjust_french_army(s, c)


@rule
def actions_given(s: Any, c: Any) -> int:
    """The number of the card's Actions; easier or harder, every fifth card gives one more or one less (L48)."""
    change = int(s.difficulty == EASIER) - int(s.difficulty == HARDER)
    return max(0, int(c.headline[s.headline, HEAD_ACTIONS]) + (change if s.drawn % FIFTH == 0 else 0))


# -- what is legal -------------------------------------------------------------------------------------------------


@rule
def legal(s: Any, c: Any, mask: Any) -> None:
    """Set the legal actions in an all-false mask."""
    if s.question == ASK_ROLL:
        mask[ACCEPT] = True
        mask[RESERVES] = may_reroll(s, c)
        mask[COMMIT_BONUS] = may_add_one(s, c)
    elif s.question == ASK_ACTION:
        mask[END] = True  # L17
        legal_military(s, c, mask)
        legal_napoleon(s, mask)
        if s.actions_left > 0:
            legal_paid(s, c, mask)
    else:
        s.fault = 1


@rule
def legal_paid(s: Any, c: Any, mask: Any) -> None:
    """Set what always costs an Action."""
    for marker in range(POLITICS):
        mask[POLITICAL + marker] = can_shift(s, marker)
    mask[NAVAL] = naval_target(s)
    mask[RESTORE] = s.disorder == 1
    if s.markers_held > 0:
        for track in range(TRACKS):
            for box in inner_boxes():
                mask[LIBERATE + space_index(track, box)] = can_liberate(s, c, track, box)


@rule
def legal_military(s: Any, c: Any, mask: Any) -> None:
    """Set attacks on armies, free and paid, and the ways to get more of them."""
    any_target = False
    any_inside = False
    for army in range(ARMIES):
        if military_target(s, army):
            any_target = True
            any_inside = any_inside or in_square(s, c, army)
            mask[MILITARY + army] = affordable(s, c, army)
            mask[SPIRIT + army] = s.spirit_of_89 == 1 and liberated_under(s, army)

    mask[COMMIT_ACTION] = s.commit_order == 1 and s.disorder == 0 and any_inside
    if s.levee == 1 and any_target:
        legal_levee(s, mask)


@rule
def legal_levee(s: Any, mask: Any) -> None:
    """Set the Liberation markers that a levée can take: any on the map or in the Holding Box (10.1, L37)."""
    mask[LEVEE] = s.markers_held > 0
    for track in range(TRACKS):
        for box in inner_boxes():
            mask[LEVEE_ON + space_index(track, box)] = s.liberated[track, box] == 1


@rule
def legal_napoleon(s: Any, mask: Any) -> None:
    """Set assigning Napoleon, at any time, and detaching him, first of all, from an army in box 4 or 5 (L43)."""
    if s.napoleon == NAPOLEON_HELD:
        for army in range(ARMIES):
            mask[NAPOLEON + army] = on_map(s, army)
    mask[DETACH] = s.napoleon == NAPOLEON_ASSIGNED and s.begun == 0 and s.box[s.napoleon_army] >= START - 1


# -- carrying it out -----------------------------------------------------------------------------------------------


@rule
def apply(s: Any, c: Any, action: int) -> None:
    """Carry out a legal action; after the last one of a turn, Housekeeping and the next card."""
    if s.question == ASK_ROLL:
        answer_roll(s, c, action)
    elif s.question == ASK_ACTION:
        if action == END:
            end_turn(s, c)
        else:
            s.begun = 1
            answer_action(s, c, action)
    else:
        s.fault = 1


@rule
def end_turn(s: Any, c: Any) -> None:
    """Keep house, and begin the next turn unless the game has ended."""
    housekeep(s, c)
    if s.over == 0:
        begin_turn(s, c)


@rule
def answer_action(s: Any, c: Any, action: int) -> None:
    """Carry out a choice of the Action Phase; ids are asked in their order."""
    # The Actions of 4.0.
    if action < MILITARY:
        political_action(s, c, action - POLITICAL)
    elif action < NAVAL:
        attack(s, c, action - MILITARY)
    elif action == NAVAL:
        naval_attack(s, c)
    elif action < RESTORE:
        liberation_action(s, c, track_of_space(action - LIBERATE), box_of_space(action - LIBERATE))
    elif action == RESTORE:
        restore_order_action(s, c)

    # Napoleon and the optional rules.
    elif action < DETACH:
        assign_napoleon(s, action - NAPOLEON)
    elif action == DETACH:
        recall_napoleon(s)
    elif action == LEVEE:
        call_levee(s, FROM_HOLDING_BOX, 0)
    elif action < SPIRIT:
        call_levee(s, track_of_space(action - LEVEE_ON), box_of_space(action - LEVEE_ON))
    elif action < COMMIT_ACTION:
        spirit_attack(s, c, action - SPIRIT)
    elif action == COMMIT_ACTION:
        commit_order(s)
    else:
        s.fault = 1


@rule
def commit_order(s: Any) -> None:
    """Commit the forces of order for a Military Action against an army in a square space (10.5)."""
    note(s, NOTE_COMMITTED, 0, 0, 0)
    set_disorder(s, 1)
    s.inside += 1


@rule
def answer_roll(s: Any, c: Any, action: int) -> None:
    """Roll an attack again, add one to it, or leave it (10.4, 10.5)."""
    if action == RESERVES:
        reroll(s, c)
    elif action == COMMIT_BONUS:
        add_one(s, c)
    elif action == ACCEPT:
        accept(s, c)
    else:
        s.fault = 1
