"""The check of a Red Flag Over Paris position: every way in which it can be faulty. Random play and loading run it."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfop_env.core.decisions import FRAME_KIND, FRAME_SIDE, FRAME_SIZE
from rfop_env.games.red_flag_over_paris import board, components, frames, state


def problems(s: Any, c: Any) -> list[str]:
    """Find what is wrong with a record, a sentence each; an empty list for a sound position.

    Every number is in its range (`state.RECORD`): these are the relations between them.
    """
    return cube_problems(s, c) + course_problems(s) + stack_problems(s) + card_problems(s) + objective_problems(s)


def cubes_accounted(s: Any, side: int) -> int:
    """The number of cubes of a side, wherever they are: 18 at every moment."""
    places = (s.cubes, s.track, s.bonus)
    total = sum(int(np.asarray(place[side]).sum()) for place in places) + int(s.pool[side]) + int(s.out_of_play[side])
    return total + (int(np.asarray(s.collaboration).sum()) if side == board.VERSAILLES else 0)


def cube_problems(s: Any, c: Any) -> list[str]:
    """Check cubes and discs."""
    problems = []
    for side in range(board.SIDES):
        name = board.SIDE_NAMES[side]
        if cubes_accounted(s, side) != board.CUBES:
            problems.append(f"{name} has {cubes_accounted(s, side)} cubes, not {board.CUBES}")
        if int((np.asarray(s.disc) == side + 1).sum()) > board.DISCS:
            problems.append(f"{name} has more than {board.DISCS} discs on the map")
    if s.pool[board.COMMUNE] > c.pool_places[s.momentum[board.COMMUNE]]:
        problems.append("more Commune cubes in the pool than places")
    for x in range(board.FIRST_MILITARY_SPACE):
        if s.disc[x] != board.NO_DISC:
            problems.append(f"a disc in the political space {board.SPACE_NAMES[x]}")
    return problems


def course_problems(s: Any) -> list[str]:
    """Check round, phase, card plays, and the end."""
    problems = []

    # The Final Crisis is a round of its own.
    in_crisis = s.phase >= state.CRISIS_GATHERING
    if in_crisis != (s.round_number == state.FINAL_ROUND):
        problems.append(f"phase {state.PHASE_NAMES[s.phase]} in round {s.round_number}")
    if not in_crisis and s.rounds_played != s.round_number - 1:
        problems.append(f"{s.rounds_played} rounds played in round {s.round_number}")
    if in_crisis and s.rounds_played == 0:
        problems.append("the Final Crisis before a round was played")

    # A running game asks something, and never in the middle of the deal.
    if (s.depth == 0) != (s.over == 1):
        problems.append("a running game asks nothing" if s.over == 0 else "an ended game still asks something")
    if s.phase == state.DEALING and s.over == 0:
        problems.append("a decision in the middle of the deal")
    return problems


def stack_problems(s: Any) -> list[str]:
    """Check who is asked, and what a frame needs of the frame below it."""
    if s.depth == 0:
        return []

    stack = s.stack[: int(s.depth)].tolist()
    problems = []
    if stack[-1][FRAME_KIND] > frames.LAST_QUESTION:
        problems.append("work is pending that the rules carry on by themselves")
    side = stack[-1][FRAME_SIDE]
    if side == s.bot or (s.bot == state.NOBODY and s.player != side):
        problems.append(f"a question for {board.SIDE_NAMES[side]} is asked of somebody else")
    for below, frame in zip([[frames.NO_QUESTION] * FRAME_SIZE, *stack], stack, strict=False):
        problems += _frame_problems(s, below, frame)
    return problems


def _frame_problems(s: Any, below: list[int], frame: list[int]) -> list[str]:
    """Check that a frame's arguments go together, and fit the frame that its answer changes."""
    kind = frame[FRAME_KIND]
    if kind == frames.ASK_BONUS_ORDER and s.depth > 1:
        return ["a question about the order of bonus actions while something else is pending"]
    if kind == frames.ASK_WHETHER:
        return _whether_problems(below, frame)
    if kind == frames.ASK_OPTION and (below[FRAME_KIND], below[frames.do_event.card]) != (
        frames.DO_EVENT,
        frame[frames.do_event.card],
    ):
        return ["a question about an option of an event that is not pending"]
    if kind == frames.DO_BOT_TURN and frame[FRAME_SIDE] != s.bot:
        return ["a turn of the Solo Opponent for the side of a player"]
    return []


def _whether_problems(below: list[int], frame: list[int]) -> list[str]:
    """Check the arguments of a yes-or-no question."""
    question = frame[frames.ask_whether.code]
    about = frame[frames.ask_whether.about]
    change = frame[frames.ask_whether.step]
    if question == frames.WHETHER_MOMENTUM and (about >= board.SIDES or change == 0):
        return ["a question about a momentum track that does not exist"]
    if question != frames.WHETHER_MOMENTUM and change != 0:
        return ["a question with an argument too many"]
    if question == frames.WHETHER_OUT_OF_PLAY and below[FRAME_KIND] != frames.ASK_PLACE:
        return ["a question about the cubes of a placement that is not pending"]
    if question in (frames.WHETHER_ENEMY_EVENT, frames.WHETHER_OBJECTIVE_EVENT) and about == state.NO_CARD:
        return ["a question about the event of no card"]
    return []


def card_problems(s: Any) -> list[str]:
    """Check that each strategy card is in one place, and that the deck holds the cards whose place it is."""
    problems = []
    deck = sorted(int(k) for k in s.deck[: int(s.deck_size)])
    if deck != [k for k in range(1, components.STRATEGY_CARDS + 1) if s.zone[k] == state.IN_DECK]:
        problems.append("the deck does not hold the cards whose zone it is")
    if any(s.zone[card] == state.IN_DECK for card in components.FINAL_CRISIS_CARD):
        problems.append("a Final Crisis card is in the deck")
    if s.top_discard != state.NO_CARD and s.zone[s.top_discard] != state.DISCARDED:
        problems.append(f"the top discard {s.top_discard} is not a discard")
    if sum(int(s.zone[k] == state.IN_PLAY) for k in range(1, components.STRATEGY_CARDS + 1)) > 1:
        problems.append("two cards in play")
    return problems + history_problems(s)


def history_problems(s: Any) -> list[str]:
    """Check the public history of the cards (R32): what a use needs, and that the discards have had one."""
    problems = []
    for card in range(components.STRATEGY_CARDS + 1):
        use, by, round_number = int(s.used_for[card]), int(s.used_by[card]), int(s.used_round[card])
        name = state.USE_NAMES[use]
        if (use == state.NO_USE) != (round_number == 0) or round_number > s.round_number:
            problems.append(f"card {card}: last use '{name}' in round {round_number} of {s.round_number}")
        if (by == state.NOBODY) != (use in (state.NO_USE, state.FOR_DRAW)):
            problems.append(f"card {card}: last use '{name}' by side {by}")
        if use == state.FOR_MOMENTUM and s.censor == 0:
            problems.append(f"card {card} was given up for momentum, which both saw, outside the Censor variant")
        if round_number == state.FINAL_ROUND and use not in (state.FOR_EVENT, state.FOR_NOTHING, state.FOR_DRAW):
            problems.append(f"card {card}: use '{name}' in the Final Crisis")
        if use == state.NO_USE and s.zone[card] in (state.IN_PLAY, state.DISCARDED):
            problems.append(f"card {card} is in play or discarded, but was never used")
    if s.top_discard != state.NO_CARD and s.used_for[s.top_discard] in (state.FOR_MOMENTUM, state.FOR_DRAW):
        problems.append(f"the top discard {s.top_discard} belongs under the pile")
    return problems + play_problems(s)


def play_problems(s: Any) -> list[str]:
    """Check that no side has played more cards in a round than it may."""
    problems = []
    for side in range(board.SIDES):
        for round_number in range(1, state.ROUNDS + 1):
            hidden = int(s.momentum_cards[side, round_number - 1]) if s.censor == 0 else 0
            plays = hidden + sum(
                s.used_by[card] == side
                and s.used_round[card] == round_number
                and state.FOR_EVENT <= s.used_for[card] <= state.FOR_FINAL_CRISIS
                for card in range(1, components.STRATEGY_CARDS + 1)
            )
            if plays > state.CARD_PLAYS:
                problems.append(f"{board.SIDE_NAMES[side]} played {plays} cards in round {round_number}")
            if s.momentum_cards[side, round_number - 1] > 0 and (side == s.bot or round_number > s.round_number):
                problems.append(f"{board.SIDE_NAMES[side]} gave up cards for momentum in round {round_number}")
    return problems


def objective_problems(s: Any) -> list[str]:
    """Check that each objective is in one place, the chosen one is the one named, and enough are left to deal."""
    problems = []
    zones = [int(z) for z in s.objective_zone]

    # The deck.
    deck = sorted(int(k) - components.FIRST_OBJECTIVE for k in s.objective_deck[: int(s.objective_deck_size)])
    if deck != [i for i in range(components.OBJECTIVES) if zones[i] == state.OBJECTIVE_DECK]:
        problems.append("the objective deck does not hold the cards whose zone it is")
    dealt = (2 * board.SIDES if s.bot == state.NOBODY else 2) * min(int(s.round_number), state.ROUNDS)
    if s.round_number < state.FINAL_ROUND and len(deck) != components.OBJECTIVES - dealt:
        problems.append(
            f"{len(deck)} objectives in the deck in round {s.round_number}, not {components.OBJECTIVES - dealt}"
        )

    # The objective that each side has chosen.
    for side in range(board.SIDES):
        places = [i for i, zone in enumerate(zones) if zone == state.CHOSEN_COMMUNE + side]
        objectives = [components.FIRST_OBJECTIVE + i for i in places]
        if len(objectives) > 1 or (objectives and s.objective[side] != objectives[0]):
            problems.append(f"{board.SIDE_NAMES[side]}: objectives {objectives} chosen, {s.objective[side]} named")
    return problems + choice_problems(s) + event_problems(s)


def choice_problems(s: Any) -> list[str]:
    """Check that each side has an objective in a round, or is still asked which of two to keep."""
    problems = []
    zones = [int(z) for z in s.objective_zone]
    asked_sides = [int(f[FRAME_SIDE]) for f in s.stack[: int(s.depth)] if f[FRAME_KIND] == frames.ASK_OBJECTIVE]
    in_round = state.INITIATIVE <= s.phase <= state.OBJECTIVE_EVENTS

    for side in range(board.SIDES):
        name = board.SIDE_NAMES[side]
        card = int(s.objective[side])
        if 0 < card < components.FIRST_OBJECTIVE:
            problems.append(f"{name}: card {card} is no objective")
        if asked_sides.count(side) > 1:
            problems.append(f"{name} is asked twice for an objective")
        if zones.count(state.OFFERED_COMMUNE + side) != (2 if side in asked_sides else 0):
            problems.append(f"{name}: objectives are offered without a choice between two")
        waits = bool(asked_sides) if s.bot == side else side in asked_sides
        if s.over == 0 and in_round and (card == state.NO_CARD) != waits:
            problems.append(f"{name}: no objective, or one more to choose")
        if s.scored_own[side] != state.NOT_CONTROLLED and card == state.NO_CARD:
            problems.append(f"{name}: an objective was scored that is not there")
    return problems


def event_problems(s: Any) -> list[str]:
    """Check that the objective whose event is asked about, or which is to be set aside, is its side's (R27)."""
    problems = []
    both_pending = all(s.scored_own[side] == state.CONTROLLED for side in range(board.SIDES))
    for frame in s.stack[: int(s.depth)]:
        side = int(frame[FRAME_SIDE])
        question = frame[FRAME_KIND], frame[frames.ask_whether.code]
        asks_objective_event = question == (frames.ASK_WHETHER, frames.WHETHER_OBJECTIVE_EVENT)
        if asks_objective_event and not has_chosen(s, side, int(frame[frames.ask_whether.about])):
            problems.append("a question about the event of an objective that is not its side's")
        if frame[FRAME_KIND] == frames.ASK_EVENT_ORDER and not both_pending:
            problems.append("a question about the order of two objectives' events, of which one is not pending")
        if frame[FRAME_KIND] == frames.DO_SET_ASIDE and not has_chosen(s, side, int(s.objective[side])):
            problems.append(f"{board.SIDE_NAMES[side]}: an objective is to be set aside that is not there")
    return problems


def has_chosen(s: Any, side: int, card: int) -> bool:
    """True if a card is the objective that a side has before it."""
    return card >= components.FIRST_OBJECTIVE and bool(
        s.objective_zone[card - components.FIRST_OBJECTIVE] == state.CHOSEN_COMMUNE + side
    )
