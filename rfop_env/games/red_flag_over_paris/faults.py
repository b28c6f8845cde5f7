"""Every way in which a position of Red Flag Over Paris can be faulty; random play and loading check it."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfop_env.games.red_flag_over_paris.board import (
    COMMUNE, CUBE_LIMIT, CUBES, DISCS, MOMENTUM_LIMIT, SIDE_NAMES, SIDES, SPACE_NAMES, SPACES, VERSAILLES, VP_LIMIT,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.components import FIRST_OBJECTIVE, OBJECTIVES, STRATEGY_CARDS
from rfop_env.games.red_flag_over_paris.state import (
    CHOSEN_COMMUNE, DISCARDED, IN_DECK, IN_PLAY, NO_CARD, NOT_USED, OBJECTIVE_DECK, OBJECTIVE_GONE,
)  # fmt: skip


def faults(s: Any, c: Any) -> list[str]:
    """What is wrong with a record, a sentence each; an empty list for a sound position."""
    return [*cube_faults(s, c), *marker_faults(s), *card_faults(s), *objective_faults(s)]


def cubes_accounted(s: Any, side: int) -> int:
    """All cubes of a side, wherever they are: 18 at every moment."""
    places = (s.cubes, s.track, s.bonus)
    total = sum(int(np.asarray(place[side]).sum()) for place in places) + int(s.pool[side]) + int(s.out_of_play[side])
    return total + (int(np.asarray(s.collaboration).sum()) if side == VERSAILLES else 0)


def cube_faults(s: Any, c: Any) -> list[str]:
    """Cubes and discs."""
    found = []
    for side in range(SIDES):
        name = SIDE_NAMES[side]
        if cubes_accounted(s, side) != CUBES:
            found.append(f"{name} has {cubes_accounted(s, side)} cubes, not {CUBES}")
        for x in range(SPACES):
            if not 0 <= s.cubes[side, x] <= CUBE_LIMIT:
                found.append(f"{name} has {s.cubes[side, x]} cubes in {SPACE_NAMES[x]}, limit {CUBE_LIMIT}")
        if int((np.asarray(s.disc) == side + 1).sum()) > DISCS:
            found.append(f"{name} has more than {DISCS} discs on the map")
        if min(s.pool[side], s.out_of_play[side], *s.track[side], *s.bonus[side]) < 0:
            found.append(f"{name} has a negative number of cubes somewhere")
    if 0 <= s.momentum[COMMUNE] <= MOMENTUM_LIMIT and s.pool[COMMUNE] > c.pool_places[s.momentum[COMMUNE]]:
        found.append("more Commune cubes in the pool than places")
    found += [f"a disc in the political space {SPACE_NAMES[x]}" for x in range(6) if s.disc[x] != 0]
    return found + [f"no such disc in {SPACE_NAMES[x]}" for x in range(SPACES) if not 0 <= s.disc[x] <= SIDES]


def marker_faults(s: Any) -> list[str]:
    """VP, momentum, round, stack."""
    found = [f"VP marker at {v}" for v in s.vp if not -VP_LIMIT <= v <= VP_LIMIT]
    found += [f"momentum at {m}" for m in s.momentum if not 0 <= m <= MOMENTUM_LIMIT]
    if not 1 <= s.round_number <= 4:
        found.append(f"round {s.round_number}")
    if (s.depth == 0) != (s.over == 1):
        found.append("a running game asks nothing" if s.over == 0 else "an ended game still asks something")
    return found


def card_faults(s: Any) -> list[str]:
    """Each strategy card in one place, and the deck made of the cards whose place it is."""
    found = [f"card {k} is nowhere" for k in range(1, STRATEGY_CARDS + 1) if not IN_DECK <= s.zone[k] <= NOT_USED]
    deck = sorted(int(k) for k in s.deck[: int(s.deck_size)])
    if deck != [k for k in range(1, STRATEGY_CARDS + 1) if s.zone[k] == IN_DECK]:
        found.append("the deck does not hold the cards whose zone it is")
    if s.top_discard != NO_CARD and s.zone[s.top_discard] != DISCARDED:
        found.append(f"the top discard {s.top_discard} is not a discard")
    if sum(int(s.zone[k] == IN_PLAY) for k in range(1, STRATEGY_CARDS + 1)) > 1:
        found.append("two cards in play")
    return found


def objective_faults(s: Any) -> list[str]:
    """Each objective in one place; at most one chosen a side, the one the record names."""
    zones = [int(z) for z in s.objective_zone]
    lost = [i for i in range(OBJECTIVES) if not 0 <= zones[i] <= OBJECTIVE_GONE]
    found = [f"objective {FIRST_OBJECTIVE + i} is nowhere" for i in lost]
    deck = sorted(int(k) - FIRST_OBJECTIVE for k in s.objective_deck[: int(s.objective_deck_size)])
    if deck != [i for i in range(OBJECTIVES) if zones[i] == OBJECTIVE_DECK]:
        found.append("the objective deck does not hold the cards whose zone it is")
    for side in range(SIDES):
        chosen = [FIRST_OBJECTIVE + i for i in range(OBJECTIVES) if zones[i] == CHOSEN_COMMUNE + side]
        if len(chosen) > 1 or (chosen and s.objective[side] != chosen[0]):
            found.append(f"{SIDE_NAMES[side]}: objectives {chosen} chosen, {s.objective[side]} named")
    return found
