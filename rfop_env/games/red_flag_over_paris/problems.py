"""Every way in which a position of Red Flag Over Paris can be faulty; random play and loading check it."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfop_env.core.decisions import FRAME_A, FRAME_B, FRAME_C, FRAME_KIND, FRAME_SIDE, FRAME_SIZE
from rfop_env.games.red_flag_over_paris.board import (
    COMMUNE, CUBES, DISCS, SIDE_NAMES, SIDES, SPACE_NAMES, VERSAILLES,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.components import (
    FINAL_CRISIS_CARD, FIRST_OBJECTIVE, OBJECTIVES, STRATEGY_CARDS,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.frames import (
    ASK_OBJECTIVE, ASK_OPTION, ASK_PLACE, ASK_WHETHER, DO_BOT_TURN, DO_EVENT, DO_SET_ASIDE, LAST_QUESTION, NO_QUESTION,
    WHETHER_ENEMY_EVENT, WHETHER_MOMENTUM, WHETHER_OBJECTIVE_EVENT, WHETHER_OUT_OF_PLAY,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.state import (
    CHOSEN_COMMUNE, CRISIS_GATHERING, DEALING, DISCARDED, FINAL_ROUND, IN_DECK, IN_PLAY, INITIATIVE, NOBODY, NO_CARD,
    NOT_CONTROLLED, OBJECTIVE_DECK, OBJECTIVE_EVENTS, OFFERED_COMMUNE, PHASE_NAMES, ROUNDS,
)  # fmt: skip


def problems(s: Any, c: Any) -> list[str]:
    """What is wrong with a record, a sentence each; an empty list for a sound position.

    Every number is in its range (`state.RECORD`): these are the relations between them.
    """
    checks = (cube_problems(s, c), course_problems(s), stack_problems(s), card_problems(s), objective_problems(s))
    return [sentence for found in checks for sentence in found]


def cubes_accounted(s: Any, side: int) -> int:
    """All cubes of a side, wherever they are: 18 at every moment."""
    places = (s.cubes, s.track, s.bonus)
    total = sum(int(np.asarray(place[side]).sum()) for place in places) + int(s.pool[side]) + int(s.out_of_play[side])
    return total + (int(np.asarray(s.collaboration).sum()) if side == VERSAILLES else 0)


def cube_problems(s: Any, c: Any) -> list[str]:
    """Cubes and discs."""
    found = []
    for side in range(SIDES):
        name = SIDE_NAMES[side]
        if cubes_accounted(s, side) != CUBES:
            found.append(f"{name} has {cubes_accounted(s, side)} cubes, not {CUBES}")
        if int((np.asarray(s.disc) == side + 1).sum()) > DISCS:
            found.append(f"{name} has more than {DISCS} discs on the map")
    if s.pool[COMMUNE] > c.pool_places[s.momentum[COMMUNE]]:
        found.append("more Commune cubes in the pool than places")
    return found + [f"a disc in the political space {SPACE_NAMES[x]}" for x in range(6) if s.disc[x] != 0]


def course_problems(s: Any) -> list[str]:
    """Round, phase, card plays, and the end."""
    found = []
    in_crisis = s.phase >= CRISIS_GATHERING
    if in_crisis != (s.round_number == FINAL_ROUND):
        found.append(f"phase {PHASE_NAMES[s.phase]} in round {s.round_number}")
    if not in_crisis and s.rounds_played != s.round_number - 1:
        found.append(f"{s.rounds_played} rounds played in round {s.round_number}")
    if in_crisis and s.rounds_played == 0:
        found.append("the Final Crisis before a round was played")
    if (s.depth == 0) != (s.over == 1):
        found.append("a running game asks nothing" if s.over == 0 else "an ended game still asks something")
    if s.phase == DEALING and s.over == 0:
        found.append("a decision in the middle of the deal")
    return found


def stack_problems(s: Any) -> list[str]:
    """Who is asked, and what a frame needs of the frame below it."""
    if s.depth == 0:
        return []
    frames = [[int(x) for x in s.stack[i]] for i in range(int(s.depth))]
    found = [] if frames[-1][FRAME_KIND] <= LAST_QUESTION else ["work is pending that the rules carry on by themselves"]
    side = frames[-1][FRAME_SIDE]
    if side == s.bot or (s.bot == NOBODY and s.player != side):
        found.append(f"a question for {SIDE_NAMES[side]} is asked of somebody else")
    for below, frame in zip([[NO_QUESTION] * FRAME_SIZE, *frames], frames, strict=False):
        found += _frame_faults(s, below, frame)
    return found


def _frame_faults(s: Any, below: list[int], frame: list[int]) -> list[str]:
    """A frame whose arguments do not go together, or do not fit the frame that its answer changes."""
    kind, first, second = frame[FRAME_KIND], frame[FRAME_A], frame[FRAME_B]
    if kind == ASK_WHETHER and first == WHETHER_MOMENTUM and (second >= SIDES or frame[FRAME_C] == 0):
        return ["a question about a momentum track that does not exist"]
    if kind == ASK_WHETHER and first != WHETHER_MOMENTUM and frame[FRAME_C] != 0:
        return ["a question with an argument too many"]
    if kind == ASK_WHETHER and first == WHETHER_OUT_OF_PLAY and below[FRAME_KIND] != ASK_PLACE:
        return ["a question about the cubes of a placement that is not pending"]
    if kind == ASK_WHETHER and first in (WHETHER_ENEMY_EVENT, WHETHER_OBJECTIVE_EVENT) and second == NO_CARD:
        return ["a question about the event of no card"]
    if kind == ASK_OPTION and (below[FRAME_KIND], below[FRAME_A]) != (DO_EVENT, first):
        return ["a question about an option of an event that is not pending"]
    if kind == DO_BOT_TURN and frame[FRAME_SIDE] != s.bot:
        return ["a turn of the Solo Opponent for the side of a player"]
    return []


def card_problems(s: Any) -> list[str]:
    """Each strategy card in one place, and the deck made of the cards whose place it is."""
    found = []
    deck = sorted(int(k) for k in s.deck[: int(s.deck_size)])
    if deck != [k for k in range(1, STRATEGY_CARDS + 1) if s.zone[k] == IN_DECK]:
        found.append("the deck does not hold the cards whose zone it is")
    if any(s.zone[card] == IN_DECK for card in FINAL_CRISIS_CARD):
        found.append("a Final Crisis card is in the deck")
    if s.top_discard != NO_CARD and s.zone[s.top_discard] != DISCARDED:
        found.append(f"the top discard {s.top_discard} is not a discard")
    if sum(int(s.zone[k] == IN_PLAY) for k in range(1, STRATEGY_CARDS + 1)) > 1:
        found.append("two cards in play")
    return found


def objective_problems(s: Any) -> list[str]:
    """Each objective in one place; at most one chosen a side, the one the record names; enough left to deal."""
    found, zones = [], [int(z) for z in s.objective_zone]
    deck = sorted(int(k) - FIRST_OBJECTIVE for k in s.objective_deck[: int(s.objective_deck_size)])
    if deck != [i for i in range(OBJECTIVES) if zones[i] == OBJECTIVE_DECK]:
        found.append("the objective deck does not hold the cards whose zone it is")
    dealt = (2 * SIDES if s.bot == NOBODY else 2) * min(int(s.round_number), ROUNDS)
    if s.round_number < FINAL_ROUND and len(deck) != OBJECTIVES - dealt:
        found.append(f"{len(deck)} objectives in the deck in round {s.round_number}, not {OBJECTIVES - dealt}")
    for side in range(SIDES):
        chosen = [FIRST_OBJECTIVE + i for i in range(OBJECTIVES) if zones[i] == CHOSEN_COMMUNE + side]
        if len(chosen) > 1 or (chosen and s.objective[side] != chosen[0]):
            found.append(f"{SIDE_NAMES[side]}: objectives {chosen} chosen, {s.objective[side]} named")
    return found + choice_problems(s) + event_problems(s)


def choice_problems(s: Any) -> list[str]:
    """From the deal to the scoring, each side has an objective, or is still asked which of two to keep."""
    found, zones = [], [int(z) for z in s.objective_zone]
    asked = {int(f[FRAME_SIDE]) for f in s.stack[: int(s.depth)] if f[FRAME_KIND] == ASK_OBJECTIVE}
    in_round = INITIATIVE <= s.phase <= OBJECTIVE_EVENTS
    for side in range(SIDES):
        name, card = SIDE_NAMES[side], int(s.objective[side])
        if 0 < card < FIRST_OBJECTIVE:
            found.append(f"{name}: card {card} is no objective")
        if zones.count(OFFERED_COMMUNE + side) != (2 if side in asked else 0):
            found.append(f"{name}: objectives are offered without a choice between two")
        waits = bool(asked) if s.bot == side else side in asked
        if s.over == 0 and in_round and (card == NO_CARD) != waits:
            found.append(f"{name}: no objective, or one more to choose")
        if s.scored_own[side] != NOT_CONTROLLED and card == NO_CARD:
            found.append(f"{name}: an objective was scored that is not there")
    return found


def event_problems(s: Any) -> list[str]:
    """R27: the objective whose event is asked about, or which is to be set aside, is the one before its side."""
    found = []
    for frame in s.stack[: int(s.depth)]:
        side = int(frame[FRAME_SIDE])
        asked = frame[FRAME_KIND] == ASK_WHETHER and frame[FRAME_A] == WHETHER_OBJECTIVE_EVENT
        if asked and not has_chosen(s, side, int(frame[FRAME_B])):
            found.append("a question about the event of an objective that is not its side's")
        if frame[FRAME_KIND] == DO_SET_ASIDE and not has_chosen(s, side, int(s.objective[side])):
            found.append(f"{SIDE_NAMES[side]}: an objective is to be set aside that is not there")
    return found


def has_chosen(s: Any, side: int, card: int) -> bool:
    """Whether a card is the objective that a side has before it."""
    return card >= FIRST_OBJECTIVE and bool(s.objective_zone[card - FIRST_OBJECTIVE] == CHOSEN_COMMUNE + side)
