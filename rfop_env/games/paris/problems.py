"""The check of a Paris position: every way in which it can be faulty. Random play and loading run it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rfop_env.core.decisions import FRAME_KIND, FRAME_SIDE
from rfop_env.games.paris import board, frames, state

ACTION_OF_THE_TURN = {frames.ASK_ACTION, frames.ASK_DESTINATION, frames.ASK_LANDMARK_DISTRICT, frames.ASK_END_TILE}
ANSWERED_AT_ONCE = {frames.ASK_PLACEMENT, frames.ASK_DESTINATION, frames.ASK_LANDMARK_DISTRICT}


def problems(s: Any, c: Any) -> list[str]:
    """List what is wrong with a record, a sentence each; an empty list for a sound position.

    Every number is in its range (`state.RECORD`): these are the relations between them.
    """
    return [
        *course_problems(s),
        *question_problems(s),
        *building_problems(s, c),
        *token_problems(s),
        *key_problems(s, c),
        *district_problems(s),
        *bonus_problems(s, c),
        *end_tile_problems(s, c),
        *seat_problems(s),
    ]


def course_problems(s: Any) -> Iterator[str]:
    """Check options and seats."""
    for name in ("active", "start_player"):
        if getattr(s, name) >= s.players:
            yield f"{name} is {getattr(s, name)}: no such player"
    if s.pile_floor != 1 - s.free_buildings:
        yield f"the stacks end at {s.pile_floor}, which is not what the variant of the buildings says"


def question_problems(s: Any) -> Iterator[str]:
    """Check the pending question, and the frames below it."""
    if s.over == 1:
        return
    top = s.stack[s.depth - 1]
    if s.depth == 0 or not 0 < top[FRAME_KIND] <= frames.LAST_QUESTION or top[FRAME_SIDE] != s.active:
        yield "the game runs, and the player on turn is asked nothing"
    elif s.player != s.active:
        yield f"player {s.active} is on turn, player {s.player} decides"

    # The frames of a turn.
    pending = s.stack[: int(s.depth)]
    kinds = [int(frame[FRAME_KIND]) for frame in pending]
    if frames.ASK_END_TURN in kinds[1:] or kinds[:1] != [frames.ASK_END_TURN]:
        yield "the end of the turn does not come last, or comes twice"
    if ANSWERED_AT_ONCE & set(kinds[:-1]):
        yield "a question that is answered at once waits for another one"
    if kinds.count(frames.ASK_DRAW) > 1 or sum(kind in ACTION_OF_THE_TURN for kind in kinds) > 1:
        yield "a turn has two actions, or two building tiles are to be drawn"
    if any(frame[FRAME_SIDE] != s.active for frame in pending):
        yield "a player who is not on turn is to be asked"
    if frames.ASK_DRAW in kinds and not (np.asarray(s.pile_size) > s.pile_floor).any():
        yield "a building tile is to be drawn, and there is none"


def building_problems(s: Any, c: Any) -> Iterator[str]:
    """Check that each building tile is once in a stack or drawn, on a space of its value, no type twice a district."""
    # The stacks, and the tiles drawn.
    tiles = np.flatnonzero(np.asarray(s.drawn) == 1).tolist()
    stacks: list[int] = []
    for k, (pile, size) in enumerate(zip(s.pile.tolist(), s.pile_size.tolist(), strict=True)):
        if size < s.pile_floor:
            yield f"stack {k + 1} has {size} tiles"
            continue
        stacks += pile[:size]
        if any(tile != state.NO_TILE for tile in pile[size:]):
            yield f"stack {k + 1} has tiles above its top"
    if sorted(stacks + tiles) != list(range(board.SPACES)):
        yield "the building tiles in the stacks and those drawn are not all 36, each once"

    # The board.
    base = s.free_buildings == 0
    laid = [(space, tile - 1) for space, tile in enumerate(s.tile_at.tolist()) if tile != 0]
    for space, tile in laid:
        misplaced = tile != space if base else tile % board.VALUE_COUNT != space % board.VALUE_COUNT
        if tile not in tiles or misplaced:
            yield f"tile {tile} lies on {board.SPACE_NAMES[space]}"
    if base and len(laid) != len(tiles):
        yield "a building tile was drawn and is not on the board"
    if len({tile for _, tile in laid}) != len(laid):
        yield "a building tile lies on two spaces"

    # Variant: the types of a district.
    for district in range(0 if base else board.DISTRICTS):
        tiles = [tile for space, tile in laid if space // board.VALUE_COUNT == district and 0 <= tile < board.SPACES]
        if len({int(c.building_type[tile]) for tile in tiles}) != len(tiles):
            yield f"{board.DISTRICT_NAMES[district]} has two buildings of a type"


def token_problems(s: Any) -> Iterator[str]:
    """Check that there are six tokens of each good (P42), and what was sold and bought in this turn (P46)."""
    beside = s.token.tolist()
    goods = np.asarray(s.goods)
    for good, title in enumerate(board.GOOD_TITLES):
        number = beside.count(good + 1) + int(s.supply[good]) + int(goods[:, good].sum())
        if number != board.TOKENS_EACH:
            yield f"{number} tokens of {title}, not {board.TOKENS_EACH}"
    for good, title in enumerate(board.GOOD_TITLES[: 0 if s.over else board.RESOURCES]):
        if s.sold[good] > s.supply[good]:
            yield f"{s.sold[good]} tokens of {title} were sold in this turn, {s.supply[good]} left"
        if s.bought[good] > goods[s.active, good]:
            yield f"{s.bought[good]} tokens of {title} were bought in this turn and are not held"


def key_problems(s: Any, c: Any) -> Iterator[str]:
    """Check that each player's keys are accounted for, and stand where keys can stand."""
    # By player.
    keys = np.asarray(s.keys).astype(int)
    owned = int(c.keys_in_hand[s.players]) + int(c.keys_aside)
    for player in range(int(s.players)):
        number = int(keys[player].sum()) + int(s.keys_in_hand[player]) + int(s.keys_aside[player])
        if number != owned:
            yield f"player {player} has {number} keys, not {owned}"
        for place in range(board.FIRST_BANK, board.PLACES):
            if keys[player, place] > 1:
                yield f"player {player} has two keys on {board.PLACE_NAMES[place]}"

    # By place.
    totals = keys.sum(axis=0)
    landmarks = totals[board.FIRST_LANDMARK : board.TILES]
    for space in np.flatnonzero((totals[: board.SPACES] > 0) & (np.asarray(s.tile_at) == 0)).tolist():
        yield f"a key on {board.SPACE_NAMES[space]}, which is empty"
    for i in np.flatnonzero((landmarks > 0) & (np.asarray(s.landmark_district) == state.NOWHERE)).tolist():
        yield f"a key on {board.LANDMARK_NAMES[i]}, which is in the supply"
    permits = int((np.asarray(s.bonus)[:, [board.BESIDE_OWN, board.BESIDE_OTHERS]] == state.USED).sum())
    if int(np.maximum(totals[: board.TILES] - 1, 0).sum()) > permits:
        yield "more keys share a tile than bonus tiles 9 and 16 allow"


def district_problems(s: Any) -> Iterator[str]:
    """Check that no district has two VP tiles."""
    districts = [int(d) for d in s.vp_tile_district if d != state.NOWHERE]
    if len(districts) != len(set(districts)):
        yield "a district has two VP tiles"


def bonus_problems(s: Any, c: Any) -> Iterator[str]:
    """Check that every bonus tile is on the track or owned, and lies in its zone."""
    # Tiles by number.
    owners = (np.asarray(s.bonus) != state.NOT_OWNED).sum(axis=0).tolist()
    track = s.bonus_left.tolist()
    numbers = range(1, board.BONUS_TILES + 1)
    for n in numbers:
        copies = int(s.players) - 1 if c.copied[n] else 1
        if not 0 <= track[n] == copies - owners[n]:
            yield f"{track[n]} tiles {n} on the track and {owners[n]} owned, of {copies}"

    # The track.
    spaces = s.bonus_space.tolist()
    if owners[0] or track[0] or spaces[0]:
        yield "no such bonus tile"
    if sorted(spaces[1:]) != list(numbers) or (s.random_track == 0 and spaces[1:] != list(numbers)):
        yield "the bonus tiles are not laid out by numbers"
    elif any(c.zone[n] != c.zone[spaces[n]] for n in numbers):
        yield "a bonus tile lies outside its zone"


def end_tile_problems(s: Any, c: Any) -> Iterator[str]:
    """Check that each End Game tile is left or taken by a player, and that the end is near once all are taken."""
    count = int(s.end_taken)
    kinds = s.end_kind.tolist()
    for kind, name in enumerate(board.END_NAMES):
        supply = int(s.end_left[kind])
        owned = kinds[:count].count(kind + 1)
        if not 0 <= supply == c.end_tiles[kind] - owned:
            yield f"{supply} End Game tiles {name} left and {owned} taken"
    if 0 in kinds[:count]:
        yield "an End Game tile of no kind has been taken"
    for i, (kind, owner, status) in enumerate(zip(kinds, s.end_owner.tolist(), s.end_used.tolist(), strict=True)):
        if owner >= s.players or (i >= count and (kind or owner or status)):
            yield f"the End Game tile taken as number {i + 1} is nobody's"
    if s.over == 0 and (s.rounds_left > 0) != (count == board.END_TILES):
        yield f"{s.rounds_left} rounds left with {count} End Game tiles taken"


def seat_problems(s: Any) -> Iterator[str]:
    """Check that a seat that is not taken has nothing."""
    for name in ("keys", "keys_in_hand", "keys_aside", "meeple", "vp", "francs", "goods", "bonus", "better"):
        if getattr(s, name)[s.players :].any():
            yield f"a seat that is not taken has {name}"
