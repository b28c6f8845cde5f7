"""Every way in which a position of Paris can be faulty; random play and loading check it."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfop_env.core.decisions import FRAME_KIND, FRAME_SIDE
from rfop_env.games.paris.board import (
    BESIDE_OTHERS, BESIDE_OWN, BONUS_TILES, DISTRICT_NAMES, DISTRICTS, END_KINDS, END_NAMES, END_TILES, FIRST_BANK,
    FIRST_LANDMARK, GOOD_TITLES, GOODS, LANDMARK_NAMES, PLACE_NAMES, RESOURCES, SPACE_NAMES, SPACES, TILES,
    TOKENS_EACH, VALUE_COUNT,
)  # fmt: skip
from rfop_env.games.paris.frames import ASK_DRAW, LAST_QUESTION
from rfop_env.games.paris.state import NOT_OWNED, NOWHERE, NO_TILE, USED


def problems(s: Any, c: Any) -> list[str]:
    """What is wrong with a record, a sentence each; an empty list for a sound position.

    Every number is in its range (`state.RECORD`): these are the relations between them.
    """
    checks = (
        building_problems,
        token_problems,
        key_problems,
        district_problems,
        bonus_problems,
        end_tile_problems,
        seat_problems,
    )
    return course_problems(s) + [sentence for check in checks for sentence in check(s, c)]


def course_problems(s: Any) -> list[str]:
    """Options, turn, and the pending question."""
    found = []
    for name in ("active", "start_player"):
        if getattr(s, name) >= s.players:
            found.append(f"{name} is {getattr(s, name)}: no such player")
    if s.pile_floor != 1 - s.free_buildings:
        found.append(f"the stacks end at {s.pile_floor}, which is not what the variant of the buildings says")
    if s.over == 0:
        top = s.stack[s.depth - 1]
        if s.depth == 0 or not 0 < top[FRAME_KIND] <= LAST_QUESTION or top[FRAME_SIDE] != s.active:
            found.append("the game runs, and the player on turn is asked nothing")
        elif s.player != s.active:
            found.append(f"player {s.active} is on turn, player {s.player} decides")
        kinds = [int(frame[FRAME_KIND]) for frame in s.stack[: int(s.depth)]]
        if ASK_DRAW in kinds and not (np.asarray(s.pile_size) > s.pile_floor).any():
            found.append("a building tile is to be drawn, and there is none")
    return found


def building_problems(s: Any, c: Any) -> list[str]:
    """Each building tile once, in a stack or drawn; spaces hold tiles of their value, districts each type once."""
    found, in_stacks, base = [], [], s.free_buildings == 0
    for k, (pile, size) in enumerate(zip(s.pile.tolist(), s.pile_size.tolist(), strict=True)):
        if size < s.pile_floor:
            found.append(f"stack {k + 1} has {size} tiles")
            continue
        in_stacks += pile[:size]
        if any(t != NO_TILE for t in pile[size:]):
            found.append(f"stack {k + 1} has tiles above its top")
    drawn = [tile for tile, seen in enumerate(s.drawn.tolist()) if seen == 1]
    if sorted(in_stacks + drawn) != list(range(SPACES)):
        found.append("the building tiles in the stacks and those drawn are not all 36, each once")
    laid = [(space, tile - 1) for space, tile in enumerate(s.tile_at.tolist()) if tile != 0]
    for space, tile in laid:
        if tile not in drawn or (tile != space if base else tile % VALUE_COUNT != space % VALUE_COUNT):
            found.append(f"tile {tile} lies on {SPACE_NAMES[space]}")
    if base and len(laid) != len(drawn):
        found.append("a building tile was drawn and is not on the board")
    if len({tile for _, tile in laid}) != len(laid):
        found.append("a building tile lies on two spaces")
    kinds = c.building_type.tolist()
    for d in range(0 if base else DISTRICTS):
        types = [kinds[tile] for space, tile in laid if space // VALUE_COUNT == d and 0 <= tile < SPACES]
        if len(types) != len(set(types)):
            found.append(f"{DISTRICT_NAMES[d]} has two buildings of a type")
    return found


def token_problems(s: Any, c: Any) -> list[str]:
    """Six tokens of each good, wherever they are (P42); what was sold in this turn lies in the supply (P46)."""
    beside, supply, goods = s.token.tolist(), s.supply.tolist(), np.asarray(s.goods)
    found = []
    for good in range(GOODS):
        number = beside.count(good + 1) + supply[good] + int(goods[:, good].sum())
        if number != TOKENS_EACH:
            found.append(f"{number} tokens of {GOOD_TITLES[good]}, not {TOKENS_EACH}")
    for good in range(0 if s.over else RESOURCES):
        if s.sold[good] > supply[good]:
            found.append(f"{s.sold[good]} tokens of {GOOD_TITLES[good]} were sold in this turn, {supply[good]} left")
        if s.bought[good] > goods[s.active, good]:
            found.append(f"{s.bought[good]} tokens of {GOOD_TITLES[good]} were bought in this turn and are not held")
    return found


def key_problems(s: Any, c: Any) -> list[str]:
    """Each player's keys are accounted for, and stand where keys can stand."""
    found, keys = [], np.asarray(s.keys).astype(int)
    owned = int(c.keys_in_hand[s.players]) + int(c.keys_aside)
    for p in range(int(s.players)):
        number = int(keys[p].sum()) + int(s.keys_in_hand[p]) + int(s.keys_aside[p])
        if number != owned:
            found.append(f"player {p} has {number} keys, not {owned}")
        twice = [x for x, n in enumerate(keys[p].tolist()) if x >= FIRST_BANK and n > 1]
        found += [f"player {p} has two keys on {PLACE_NAMES[x]}" for x in twice]
    together = keys.sum(axis=0)
    bare = np.flatnonzero((together[:SPACES] > 0) & (np.asarray(s.tile_at) == 0)).tolist()
    found += [f"a key on {SPACE_NAMES[x]}, which is empty" for x in bare]
    unplaced = np.flatnonzero((together[FIRST_LANDMARK:TILES] > 0) & (np.asarray(s.landmark_district) == NOWHERE))
    found += [f"a key on {LANDMARK_NAMES[i]}, which is in the supply" for i in unplaced.tolist()]
    lifted = int((np.asarray(s.bonus)[:, [BESIDE_OWN, BESIDE_OTHERS]] == USED).sum())
    if int(np.maximum(together[:TILES] - 1, 0).sum()) > lifted:
        found.append("more keys share a tile than bonus tiles 9 and 16 allow")
    return found


def district_problems(s: Any, c: Any) -> list[str]:
    """A district has one VP tile."""
    taken = [int(d) for d in s.vp_tile_district if d != NOWHERE]
    return ["a district has two VP tiles"] if len(taken) != len(set(taken)) else []


def bonus_problems(s: Any, c: Any) -> list[str]:
    """Every bonus tile is on the track or owned, numbers lie in their zones, meeples on the track."""
    found, owned = [], np.asarray(s.bonus)
    held, left, copied = (owned != NOT_OWNED).sum(axis=0).tolist(), s.bonus_left.tolist(), c.copied.tolist()
    for n in range(1, BONUS_TILES + 1):
        copies = int(s.players) - 1 if copied[n] else 1
        if not 0 <= left[n] == copies - held[n]:
            found.append(f"{left[n]} tiles {n} on the track and {held[n]} owned, of {copies}")
    spaces, zones = s.bonus_space.tolist(), c.zone.tolist()
    if held[0] or left[0] or spaces[0]:
        found.append("no such bonus tile")
    numbers = list(range(1, BONUS_TILES + 1))
    if sorted(spaces[1:]) != numbers or (s.random_track == 0 and spaces[1:] != numbers):
        found.append("the bonus tiles are not laid out by numbers")
    elif any(zones[n] != zones[spaces[n]] for n in numbers):
        found.append("a bonus tile lies outside its zone")
    return found


def end_tile_problems(s: Any, c: Any) -> list[str]:
    """Each End Game tile is left or taken by a player; the end is near just when all are taken."""
    n, found = int(s.end_taken), []
    kinds, left, all_tiles = s.end_kind.tolist(), s.end_left.tolist(), c.end_tiles.tolist()
    for kind in range(END_KINDS):
        taken = kinds[:n].count(kind + 1)
        if not 0 <= left[kind] == all_tiles[kind] - taken:
            found.append(f"{left[kind]} End Game tiles {END_NAMES[kind]} left and {taken} taken")
    for i, (owner, used) in enumerate(zip(s.end_owner.tolist(), s.end_used.tolist(), strict=True)):
        if owner >= s.players or (i >= n and (kinds[i] or owner or used)):
            found.append(f"the End Game tile taken as number {i + 1} is nobody's")
    if s.over == 0 and (s.rounds_left > 0) != (n == END_TILES):
        found.append(f"{s.rounds_left} rounds left with {n} End Game tiles taken")
    return found


def seat_problems(s: Any, c: Any) -> list[str]:
    """A seat that is not taken has nothing."""
    found = []
    for name in ("keys", "keys_in_hand", "keys_aside", "meeple", "vp", "francs", "goods", "bonus", "better"):
        if getattr(s, name)[s.players :].any():
            found.append(f"a seat that is not taken has {name}")
    return found
