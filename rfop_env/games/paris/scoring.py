"""VP tiles and the end of the game: leftovers, tile 27, districts, and who placed where (P26, P27, P31 to P37)."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import note, pop, push
from rfop_env.games.paris.actions import DISTRICT, DONE, VP_TILE
from rfop_env.games.paris.board import (
    BONUS_TILES, DISTRICTS, FIRST_LANDMARK, GOODS, MONEY_AT_END, PLACINGS, TILES, VALUE_COUNT, VP_TILES,
    building_value, landmark_places, place_value, space_of, spaces_in,
)  # fmt: skip
from rfop_env.games.paris.bonus_tiles import gain
from rfop_env.games.paris.frames import ASK_VP_DISTRICT, VP_TILE_CHOSEN
from rfop_env.games.paris.journal import JOURNAL_LIMIT, NOTE_AWARD, NOTE_LEFTOVERS, NOTE_VP_TILE
from rfop_env.games.paris.state import NOWHERE, PLAYED_OUT, UNUSED, USED
from rfop_env.games.paris.stock import bonus_sale, end_tile_sale, has_bonus

# -- placing VP tiles ------------------------------------------------------------------------------------------------


@rule
def mark_vp_tiles(s: Any, mask: Any) -> None:
    """Set the VP tiles left, and to decline (P32)."""
    for tile in range(VP_TILES):
        mask[VP_TILE + tile] = s.vp_tile_district[tile] == NOWHERE
    mask[DONE] = True


@rule
def answer_vp_tile(s: Any, action: int) -> None:
    """Choose the tile; then the district."""
    pop(s)
    if action != DONE:
        push(s, ASK_VP_DISTRICT, int(s.active), action - VP_TILE)


@rule
def vp_tile_of(s: Any, district: int) -> int:
    """The VP tile of a district, VP_TILES if it has none."""
    for tile in range(VP_TILES):
        if s.vp_tile_district[tile] == district:
            return tile
    return VP_TILES


@rule
def mark_vp_districts(s: Any, mask: Any) -> None:
    """Set the districts without a VP tile: any will do, not only the one that brought the tile."""
    for district in range(DISTRICTS):
        mask[DISTRICT + district] = vp_tile_of(s, district) == VP_TILES


@rule
def answer_vp_district(s: Any, frame: Any, action: int) -> None:
    """Put the VP tile into the district."""
    tile = int(frame[VP_TILE_CHOSEN])
    pop(s)
    s.vp_tile_district[tile] = action - DISTRICT
    note(s, NOTE_VP_TILE, int(s.active), tile, action - DISTRICT)


# -- the end ---------------------------------------------------------------------------------------------------------


@rule
def finish(s: Any, c: Any) -> None:
    """Score the end of the game, and place the players."""
    # What is left, then tile 27.
    for player in range(s.players):
        sell_leftovers(s, c, player)
        if has_bonus(s, player, MONEY_AT_END):
            s.bonus[player, MONEY_AT_END] = USED
            gain(s, player, 0, int(c.bonus_vp[MONEY_AT_END]) * int(s.francs[player]))

    # Districts.
    for district in range(DISTRICTS):
        if vp_tile_of(s, district) < VP_TILES:
            score_district(s, c, district)

    # Who placed where.
    for player in range(s.players):
        s.better[player] = count_better(s, c, player)
    s.over = 1
    s.end_reason = PLAYED_OUT


@rule
def sell_leftovers(s: Any, c: Any, player: int) -> None:
    """Sell everything that can be sold (P26); other unused tiles are worth nothing (P27)."""
    before = int(s.francs[player])

    # Tokens, bonus tiles, End Game tiles.
    for good in range(GOODS):
        s.francs[player] += int(s.goods[player, good]) * int(c.sell_price[good])
        s.supply[good] += s.goods[player, good]
        s.goods[player, good] = 0
    for n in range(1, BONUS_TILES + 1):
        if s.bonus[player, n] == UNUSED and bonus_sale(c, n) > 0:
            s.francs[player] += bonus_sale(c, n)
            s.bonus[player, n] = USED
    for i in range(s.end_taken):
        price = end_tile_sale(c, int(s.end_kind[i]) - 1)
        if s.end_owner[i] == player and s.end_used[i] == 0 and price > 0:
            s.francs[player] += price
            s.end_used[i] = 1

    if s.francs[player] > before:
        note(s, NOTE_LEFTOVERS, player, min(JOURNAL_LIMIT, int(s.francs[player]) - before), 0)


# -- districts -------------------------------------------------------------------------------------------------------


@small_rule
def buildings_total(s: Any, player: int, district: int) -> int:
    """The value of a player's buildings in a district, each key counted."""
    total = 0
    for index in range(VALUE_COUNT):
        total += int(s.keys[player, space_of(district, index)]) * building_value(index)
    return total


@rule
def district_total(s: Any, c: Any, player: int, district: int) -> int:
    """The value of a player's buildings and landmarks in a district, each key counted."""
    total = buildings_total(s, player, district)
    for place in landmark_places():
        if s.landmark_district[place - FIRST_LANDMARK] == district:
            total += int(s.keys[player, place]) * place_value(c, place)
    return total


@rule
def district_highest(s: Any, c: Any, player: int, district: int) -> int:
    """The value of a player's best building or landmark in a district, 0 without a key there."""
    highest = 0
    for space in spaces_in(district):
        if s.keys[player, space] > 0:
            highest = max(highest, place_value(c, space))
    for place in landmark_places():
        if s.keys[player, place] > 0 and s.landmark_district[place - FIRST_LANDMARK] == district:
            highest = max(highest, place_value(c, place))
    return highest


@rule
def placing(s: Any, c: Any, player: int, district: int) -> int:
    """The number of players before this one in a district: by total, then highest tile; the rest is a tie (P34)."""
    total = district_total(s, c, player, district)
    highest = district_highest(s, c, player, district)
    ahead = 0
    for other in range(s.players):
        theirs = district_total(s, c, other, district)
        if theirs > total or (theirs == total and district_highest(s, c, other, district) > highest):
            ahead += 1
    return ahead


@rule
def leading_total(s: Any, c: Any, district: int) -> int:
    """The highest total in a district."""
    highest = 0
    for player in range(s.players):
        highest = max(highest, district_total(s, c, player, district))
    return highest


@rule
def district_vp(s: Any, c: Any, player: int, district: int) -> int:
    """The VP that a district would pay a player now; 0 without a VP tile or a key there (P34 to P36)."""
    tile = vp_tile_of(s, district)
    total = district_total(s, c, player, district)
    if tile == VP_TILES or total == 0:
        return 0
    if s.players == 2 and 2 * total < leading_total(s, c, district):  # P35
        return 0
    ahead = placing(s, c, player, district)
    return int(c.vp_tile[tile, ahead]) if ahead < PLACINGS else 0


@rule
def score_district(s: Any, c: Any, district: int) -> None:
    """Award the VP of a district's tile."""
    for player in range(s.players):
        vp = district_vp(s, c, player, district)
        s.vp[player] += vp
        if vp > 0:
            note(s, NOTE_AWARD, player, district, vp)


# -- who placed where ------------------------------------------------------------------------------------------------


@rule
def board_total(s: Any, c: Any, player: int) -> int:
    """The value of all buildings and landmarks of a player, each key counted (P37)."""
    total = 0
    for place in range(TILES):
        total += int(s.keys[player, place]) * place_value(c, place)
    return total


@rule
def beats(s: Any, c: Any, a: int, b: int) -> bool:
    """True if player a places above player b: VP, then Francs, then the value of all buildings and landmarks."""
    if s.vp[a] != s.vp[b]:
        return s.vp[a] > s.vp[b]
    if s.francs[a] != s.francs[b]:
        return s.francs[a] > s.francs[b]
    return board_total(s, c, a) > board_total(s, c, b)


@rule
def count_better(s: Any, c: Any, player: int) -> int:
    """The number of players who place above this one."""
    n = 0
    for other in range(s.players):
        n += int(beats(s, c, other, player))
    return n
