"""The check of a Paris position: every way in which it can be faulty. Random play and loading run it."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfop_env.core.decisions import FRAME_KIND, FRAME_SIDE
from rfop_env.games.paris.board import (
    BESIDE_OTHERS, BESIDE_OWN, BONUS_TILES, DISTRICTS, DISTRICT_NAMES, END_KINDS, END_NAMES, END_TILES, FIRST_BANK,
    FIRST_LANDMARK, GOODS, GOOD_TITLES, LANDMARK_NAMES, PLACE_NAMES, RESOURCES, SPACES, SPACE_NAMES, TILES, TOKENS_EACH,
    VALUE_COUNT,
)  # fmt: skip
from rfop_env.games.paris.frames import (
    ASK_ACTION, ASK_DESTINATION, ASK_DRAW, ASK_END_TILE, ASK_END_TURN, ASK_LANDMARK_DISTRICT, ASK_PLACEMENT,
    LAST_QUESTION,
)  # fmt: skip
from rfop_env.games.paris.state import NOT_OWNED, NOWHERE, NO_TILE, USED

ACTION_OF_THE_TURN = {ASK_ACTION, ASK_DESTINATION, ASK_LANDMARK_DISTRICT, ASK_END_TILE}  # one follows the other
ANSWERED_AT_ONCE = {ASK_PLACEMENT, ASK_DESTINATION, ASK_LANDMARK_DISTRICT}  # nothing else is asked before the answer


def problems(s: Any, c: Any) -> list[str]:
    """Find what is wrong with a record, a sentence each; an empty list for a sound position.

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
    """Check options, turn, and the pending question."""
    # Options and seats.
    found = []
    for name in ("active", "start_player"):
        if getattr(s, name) >= s.players:
            found.append(f"{name} is {getattr(s, name)}: no such player")
    if s.pile_floor != 1 - s.free_buildings:
        found.append(f"the stacks end at {s.pile_floor}, which is not what the variant of the buildings says")

    # The pending question.
    if s.over == 0:
        top = s.stack[s.depth - 1]
        if s.depth == 0 or not 0 < top[FRAME_KIND] <= LAST_QUESTION or top[FRAME_SIDE] != s.active:
            found.append("the game runs, and the player on turn is asked nothing")
        elif s.player != s.active:
            found.append(f"player {s.active} is on turn, player {s.player} decides")
        kinds = [int(frame[FRAME_KIND]) for frame in s.stack[: int(s.depth)]]
        if ASK_END_TURN in kinds[1:] or kinds[:1] != [ASK_END_TURN]:
            found.append("the end of the turn does not come last, or comes twice")
        if ANSWERED_AT_ONCE & set(kinds[:-1]):
            found.append("a question that is answered at once waits for another one")
        if kinds.count(ASK_DRAW) > 1 or sum(kind in ACTION_OF_THE_TURN for kind in kinds) > 1:
            found.append("a turn has two actions, or two building tiles are to be drawn")
        if any(frame[FRAME_SIDE] != s.active for frame in s.stack[: int(s.depth)]):
            found.append("a player who is not on turn is to be asked")
        if ASK_DRAW in kinds and not (np.asarray(s.pile_size) > s.pile_floor).any():
            found.append("a building tile is to be drawn, and there is none")
    return found


def building_problems(s: Any, c: Any) -> list[str]:
    """Check that each building tile is once in a stack or drawn, on a space of its value, no type twice a district."""
    # The stacks, and the tiles drawn.
    found = []
    in_stacks = []
    base = s.free_buildings == 0
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

    # The board.
    laid = [(space, tile - 1) for space, tile in enumerate(s.tile_at.tolist()) if tile != 0]
    for space, tile in laid:
        if tile not in drawn or (tile != space if base else tile % VALUE_COUNT != space % VALUE_COUNT):
            found.append(f"tile {tile} lies on {SPACE_NAMES[space]}")
    if base and len(laid) != len(drawn):
        found.append("a building tile was drawn and is not on the board")
    if len({tile for _, tile in laid}) != len(laid):
        found.append("a building tile lies on two spaces")

    # Variant: the types of a district.
    kinds = c.building_type.tolist()
    for d in range(0 if base else DISTRICTS):
        types = [kinds[tile] for space, tile in laid if space // VALUE_COUNT == d and 0 <= tile < SPACES]
        if len(types) != len(set(types)):
            found.append(f"{DISTRICT_NAMES[d]} has two buildings of a type")
    return found


def token_problems(s: Any, c: Any) -> list[str]:
    """Check that there are six tokens of each good (P42), and what was sold and bought in this turn (P46)."""
    beside = s.token.tolist()
    supply = s.supply.tolist()
    goods = np.asarray(s.goods)
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
    """Check that each player's keys are accounted for, and stand where keys can stand."""
    # By player.
    found = []
    keys = np.asarray(s.keys).astype(int)
    owned = int(c.keys_in_hand[s.players]) + int(c.keys_aside)
    for p in range(int(s.players)):
        number = int(keys[p].sum()) + int(s.keys_in_hand[p]) + int(s.keys_aside[p])
        if number != owned:
            found.append(f"player {p} has {number} keys, not {owned}")
        twice = [x for x, n in enumerate(keys[p].tolist()) if x >= FIRST_BANK and n > 1]
        found += [f"player {p} has two keys on {PLACE_NAMES[x]}" for x in twice]

    # By place.
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
    """Check that no district has two VP tiles."""
    taken = [int(d) for d in s.vp_tile_district if d != NOWHERE]
    return ["a district has two VP tiles"] if len(taken) != len(set(taken)) else []


def bonus_problems(s: Any, c: Any) -> list[str]:
    """Check that every bonus tile is on the track or owned, and lies in its zone."""
    # Tiles by number.
    found = []
    owned = np.asarray(s.bonus)
    held = (owned != NOT_OWNED).sum(axis=0).tolist()
    left = s.bonus_left.tolist()
    copied = c.copied.tolist()
    for n in range(1, BONUS_TILES + 1):
        copies = int(s.players) - 1 if copied[n] else 1
        if not 0 <= left[n] == copies - held[n]:
            found.append(f"{left[n]} tiles {n} on the track and {held[n]} owned, of {copies}")

    # The track.
    spaces = s.bonus_space.tolist()
    zones = c.zone.tolist()
    if held[0] or left[0] or spaces[0]:
        found.append("no such bonus tile")
    numbers = list(range(1, BONUS_TILES + 1))
    if sorted(spaces[1:]) != numbers or (s.random_track == 0 and spaces[1:] != numbers):
        found.append("the bonus tiles are not laid out by numbers")
    elif any(zones[n] != zones[spaces[n]] for n in numbers):
        found.append("a bonus tile lies outside its zone")
    return found


def end_tile_problems(s: Any, c: Any) -> list[str]:
    """Check that each End Game tile is left or taken by a player, and that the end is near once all are taken."""
    n = int(s.end_taken)
    found = []
    kinds = s.end_kind.tolist()
    left = s.end_left.tolist()
    all_tiles = c.end_tiles.tolist()
    for kind in range(END_KINDS):
        taken = kinds[:n].count(kind + 1)
        if not 0 <= left[kind] == all_tiles[kind] - taken:
            found.append(f"{left[kind]} End Game tiles {END_NAMES[kind]} left and {taken} taken")
    if 0 in kinds[:n]:
        found.append("an End Game tile of no kind has been taken")
    for i, (owner, used) in enumerate(zip(s.end_owner.tolist(), s.end_used.tolist(), strict=True)):
        if owner >= s.players or (i >= n and (kinds[i] or owner or used)):
            found.append(f"the End Game tile taken as number {i + 1} is nobody's")
    if s.over == 0 and (s.rounds_left > 0) != (n == END_TILES):
        found.append(f"{s.rounds_left} rounds left with {n} End Game tiles taken")
    return found


def seat_problems(s: Any, c: Any) -> list[str]:
    """Check that a seat that is not taken has nothing."""
    found = []
    for name in ("keys", "keys_in_hand", "keys_aside", "meeple", "vp", "francs", "goods", "bonus", "better"):
        if getattr(s, name)[s.players :].any():
            found.append(f"a seat that is not taken has {name}")
    return found
