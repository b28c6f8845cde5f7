"""A game turn (rules 4.0): reveal a card, carry it out, ask for Actions, keep house; `deal`, `legal` and `apply`."""

from __future__ import annotations

from typing import Any

from rfop_env.core.decisions import note
from rfop_env.core.rule import rule
from rfop_env.games.levee_en_masse.actions import (
    ACCEPT, COMMIT_ACTION, COMMIT_BONUS, DETACH, END, INNER_BOXES, LEVEE, LEVEE_ON, LIBERATE, MILITARY, NAPOLEON, NAVAL,
    POLITICAL, RESERVES, RESTORE, SPIRIT,
)  # fmt: skip
from rfop_env.games.levee_en_masse.battle import (
    accept, add_one, affordable, attack, in_square, liberated_under, may_add_one, may_reroll, military_target,
    naval_attack, naval_target, reroll, spirit_attack,
)  # fmt: skip
from rfop_env.games.levee_en_masse.board import ARMIES, POLITICS, RED, START, TRACKS, on_map
from rfop_env.games.levee_en_masse.components import HEAD_ACTIONS, HEAD_COLOUR
from rfop_env.games.levee_en_masse.events import carry_out_headline
from rfop_env.games.levee_en_masse.government import (
    call_levee, can_liberate, can_shift, liberation_action, political_action, restore_order_action,
)  # fmt: skip
from rfop_env.games.levee_en_masse.housekeeping import housekeep
from rfop_env.games.levee_en_masse.journal import NOTE_COMMITTED, NOTE_HEADLINE
from rfop_env.games.levee_en_masse.movement import assign_napoleon, recall_napoleon
from rfop_env.games.levee_en_masse.politics import adjust_french_army, set_disorder
from rfop_env.games.levee_en_masse.scoring import end_scored
from rfop_env.games.levee_en_masse.setup import set_up
from rfop_env.games.levee_en_masse.state import (
    ASK_ROLL, EASIER, HARDER, NAPOLEON_ASSIGNED, NAPOLEON_HELD, NAPOLEON_TRAVELLING,
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
    s.headline = s.deck[s.drawn]
    s.drawn += 1
    if c.headline[s.headline, HEAD_COLOUR] == RED:
        s.red_seen = 1
    if s.napoleon == NAPOLEON_TRAVELLING:
        s.napoleon = NAPOLEON_HELD
    s.actions_left = actions_given(s, c)
    note(s, NOTE_HEADLINE, int(s.headline), int(s.actions_left), 0)
    carry_out_headline(s, c)
    adjust_french_army(s, c)


@rule
def actions_given(s: Any, c: Any) -> int:
    """The card's Actions; easier or harder, every fifth card of the game gives one more or one less (L48)."""
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
    else:
        mask[END] = True  # L17
        legal_military(s, c, mask)
        legal_napoleon(s, mask)
        if s.actions_left > 0:
            legal_paid(s, c, mask)


@rule
def legal_paid(s: Any, c: Any, mask: Any) -> None:
    """What always costs an Action."""
    for marker in range(POLITICS):
        mask[POLITICAL + marker] = can_shift(s, marker)
    mask[NAVAL] = naval_target(s)
    mask[RESTORE] = s.disorder == 1
    if s.markers_held > 0:
        for track in range(TRACKS):
            for box in range(1, START):
                mask[LIBERATE + space_index(track, box)] = can_liberate(s, c, track, box)


@rule
def legal_military(s: Any, c: Any, mask: Any) -> None:
    """Attacks on armies, free and paid, and the ways to get more of them."""
    any_target, any_inside = False, False
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
    """10.1: any Liberation marker on the map or in the Holding Box (L37)."""
    mask[LEVEE] = s.markers_held > 0
    for track in range(TRACKS):
        for box in range(1, START):
            mask[LEVEE_ON + space_index(track, box)] = s.liberated[track, box] == 1


@rule
def legal_napoleon(s: Any, mask: Any) -> None:
    """Assign him at any time, detach him first of all from an army in box 4 or 5 (L43)."""
    if s.napoleon == NAPOLEON_HELD:
        for army in range(ARMIES):
            mask[NAPOLEON + army] = on_map(s, army)
    mask[DETACH] = s.napoleon == NAPOLEON_ASSIGNED and s.begun == 0 and s.box[s.napoleon_army] >= START - 1


@rule
def space_index(track: int, box: int) -> int:
    """The place of a space among the arguments of `liberate` and `levee`."""
    return track * INNER_BOXES + box - 1


# -- carrying it out -----------------------------------------------------------------------------------------------


@rule
def apply(s: Any, c: Any, action: int) -> None:
    """Carry out a legal action; after the last one of a turn, Housekeeping and the next card."""
    if s.question == ASK_ROLL:
        answer_roll(s, c, action)
    elif action == END:
        housekeep(s, c)
        if s.over == 0:
            begin_turn(s, c)
    else:
        s.begun = 1
        if action >= NAPOLEON:
            answer_free(s, c, action)
        else:
            answer_action(s, c, action)


@rule
def answer_action(s: Any, c: Any, action: int) -> None:
    """The Actions of 4.0."""
    if action >= RESTORE:
        restore_order_action(s, c)
    elif action >= LIBERATE:
        space = action - LIBERATE
        liberation_action(s, c, space // INNER_BOXES, space % INNER_BOXES + 1)
    elif action >= NAVAL:
        naval_attack(s, c)
    elif action >= MILITARY:
        attack(s, c, action - MILITARY)
    else:
        political_action(s, c, action - POLITICAL)


@rule
def answer_free(s: Any, c: Any, action: int) -> None:
    """What the optional rules and Napoleon add."""
    if action == COMMIT_ACTION:
        note(s, NOTE_COMMITTED, 0, 0, 0)
        set_disorder(s, 1)
        s.inside += 1
    elif action >= SPIRIT:
        spirit_attack(s, c, action - SPIRIT)
    elif action >= LEVEE_ON:
        space = action - LEVEE_ON
        call_levee(s, space // INNER_BOXES, space % INNER_BOXES + 1)
    elif action == LEVEE:
        call_levee(s, -1, 0)
    elif action == DETACH:
        recall_napoleon(s)
    else:
        assign_napoleon(s, action - NAPOLEON)


@rule
def answer_roll(s: Any, c: Any, action: int) -> None:
    """What is done about an attack (10.4, 10.5)."""
    if action == RESERVES:
        reroll(s, c)
    elif action == COMMIT_BONUS:
        add_one(s, c)
    else:
        accept(s, c)
