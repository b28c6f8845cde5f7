"""A game turn (rules 4.0): reveal a card, carry it out, ask for Actions, keep house.

A question or an action that a chain forgets ends in its last branch, which sets the fault.
"""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import note
from rfop_env.games.levee_en_masse import actions, battle, board, events, government, housekeeping, journal, movement
from rfop_env.games.levee_en_masse import politics, scoring, setup, state, tracks
from rfop_env.games.levee_en_masse.components import HEAD, Components
from rfop_env.games.levee_en_masse.state import State

FIFTH = 5  # 13.0 changes every fifth card


@rule
def deal(s: State, c: Components, options: Any) -> None:
    """Set up a game and go to its first Action Phase."""
    setup.set_up(s, c, options)
    begin_turn(s, c)


@rule
def begin_turn(s: State, c: Components) -> None:
    """Reveal the next card and carry it out up to the Actions; with no card left the game is scored (L3)."""
    if s.drawn == s.deck_size:
        scoring.end_scored(s, c)
        return

    # The card.
    s.headline = s.deck[s.drawn]
    s.drawn += 1
    if c.headline[s.headline, HEAD.colour] == board.RED:
        s.red_seen = 1
    if s.napoleon == state.NAPOLEON_TRAVELLING:
        s.napoleon = state.NAPOLEON_HELD

    # The phases before the Actions.
    s.actions_left = actions_given(s, c)
    note(s, journal.NOTE_HEADLINE, s.headline, s.actions_left, 0)
    events.carry_out_headline(s, c)
    politics.adjust_french_army(s, c)


@rule
def actions_given(s: State, c: Components) -> int:
    """The number of the card's Actions; easier or harder, every fifth card gives one more or one less (L48)."""
    change = int(s.difficulty == state.EASIER) - int(s.difficulty == state.HARDER)
    return max(0, c.headline[s.headline, HEAD.actions] + (change if s.drawn % FIFTH == 0 else 0))


# -- what is legal -------------------------------------------------------------------------------------------------


@rule
def legal(s: State, c: Components, mask: Any) -> None:
    """Set the legal actions in an all-false mask."""
    if s.question == state.ASK_ROLL:
        mask[actions.ACCEPT] = True
        mask[actions.RESERVES] = battle.may_reroll(s, c)
        mask[actions.COMMIT_BONUS] = battle.may_add_one(s, c)
        mask[actions.NAPOLEON + s.roll_army] = battle.napoleon_may_join(s, c)
    elif s.question == state.ASK_ACTION:
        mask[actions.END] = True  # L17
        legal_military(s, c, mask)
        legal_napoleon(s, mask)
        if s.actions_left > 0:
            legal_paid(s, c, mask)
    else:
        s.fault = 1


@rule
def legal_paid(s: State, c: Components, mask: Any) -> None:
    """Set what always costs an Action."""
    for marker in range(board.POLITICS):
        mask[actions.POLITICAL + marker] = government.can_shift(s, marker)
    mask[actions.NAVAL] = battle.naval_target(s)
    mask[actions.RESTORE] = s.disorder == 1
    if s.markers_held > 0:
        for track in range(board.TRACKS):
            for box in board.inner_boxes():
                mask[actions.LIBERATE + board.space_index(track, box)] = government.can_liberate(s, c, track, box)


@rule
def legal_military(s: State, c: Components, mask: Any) -> None:
    """Set attacks on armies, free and paid, and the ways to get more of them."""
    any_target = False
    any_inside = False
    for army in range(board.ARMIES):
        if battle.military_target(s, army):
            any_target = True
            any_inside = any_inside or battle.in_square(s, c, army)
            mask[actions.MILITARY + army] = battle.affordable(s, c, army)
            mask[actions.SPIRIT + army] = s.spirit_of_89 == 1 and battle.liberated_under(s, army)

    mask[actions.COMMIT_ACTION] = s.commit_order == 1 and s.disorder == 0 and any_inside
    if s.levee == 1 and any_target:
        legal_levee(s, mask)


@rule
def legal_levee(s: State, mask: Any) -> None:
    """Set the Liberation markers that a levée can take: any on the map or in the Holding Box (10.1, L37)."""
    mask[actions.LEVEE] = s.markers_held > 0
    for track in range(board.TRACKS):
        for box in board.inner_boxes():
            mask[actions.LEVEE_ON + board.space_index(track, box)] = s.liberated[track, box] == 1


@rule
def legal_napoleon(s: State, mask: Any) -> None:
    """Set assigning Napoleon, at any time, and detaching him, first of all, from an army in box 4 or 5 (L43)."""
    if s.napoleon == state.NAPOLEON_HELD:
        for army in range(board.ARMIES):
            mask[actions.NAPOLEON + army] = tracks.on_map(s, army)
    mask[actions.DETACH] = (
        s.napoleon == state.NAPOLEON_ASSIGNED and s.begun == 0 and s.box[s.napoleon_army] >= board.START - 1
    )


# -- carrying it out -----------------------------------------------------------------------------------------------


@rule
def apply(s: State, c: Components, action: int) -> None:
    """Carry out a legal action; after the last one of a turn, Housekeeping and the next card."""
    if s.question == state.ASK_ROLL:
        answer_roll(s, c, action)
    elif s.question == state.ASK_ACTION:
        if action == actions.END:
            end_turn(s, c)
        else:
            s.begun = 1
            answer_action(s, c, action)
    else:
        s.fault = 1


@rule
def end_turn(s: State, c: Components) -> None:
    """Keep house, and begin the next turn unless the game has ended."""
    housekeeping.housekeep(s, c)
    if s.over == 0:
        begin_turn(s, c)


@rule
def answer_action(s: State, c: Components, action: int) -> None:
    """Carry out a choice of the Action Phase; ids are asked in their order."""
    # The Actions of 4.0.
    if action < actions.MILITARY:
        government.political_action(s, c, action - actions.POLITICAL)
    elif action < actions.NAVAL:
        battle.attack(s, c, action - actions.MILITARY)
    elif action == actions.NAVAL:
        battle.naval_attack(s, c)
    elif action < actions.RESTORE:
        government.liberation_action(
            s, c, board.track_of_space(action - actions.LIBERATE), board.box_of_space(action - actions.LIBERATE)
        )
    elif action == actions.RESTORE:
        government.restore_order_action(s, c)

    # Napoleon and the optional rules.
    elif action < actions.DETACH:
        movement.assign_napoleon(s, action - actions.NAPOLEON)
    elif action == actions.DETACH:
        movement.recall_napoleon(s)
    elif action == actions.LEVEE:
        government.call_levee(s, government.FROM_HOLDING_BOX, 0)
    elif action < actions.SPIRIT:
        government.call_levee(
            s, board.track_of_space(action - actions.LEVEE_ON), board.box_of_space(action - actions.LEVEE_ON)
        )
    elif action < actions.COMMIT_ACTION:
        battle.spirit_attack(s, c, action - actions.SPIRIT)
    elif action == actions.COMMIT_ACTION:
        commit_order(s)
    else:
        s.fault = 1


@rule
def commit_order(s: State) -> None:
    """Commit the forces of order for a Military Action against an army in a square space (10.5)."""
    note(s, journal.NOTE_COMMITTED, 0, 0, 0)
    politics.set_disorder(s, 1)
    s.inside += 1


@rule
def answer_roll(s: State, c: Components, action: int) -> None:
    """Roll an attack again, alone or with Napoleon, add one to it, or leave it (10.4, 10.5, L53)."""
    if action == actions.RESERVES:
        battle.reroll(s, c)
    elif action == actions.NAPOLEON + s.roll_army:
        battle.reroll_with_napoleon(s, c)
    elif action == actions.COMMIT_BONUS:
        battle.add_one(s, c)
    elif action == actions.ACCEPT:
        battle.accept(s, c)
    else:
        s.fault = 1
