"""VP tiles and the end of the game: leftovers, tile 27, districts, and who placed where (P26, P27, P31 to P37)."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import note, pop, push
from rfop_env.core.record import Vector
from rfop_env.games.paris import actions, board, bonus_tiles, frames, journal, state, stock
from rfop_env.games.paris.components import Components
from rfop_env.games.paris.state import State

# -- placing VP tiles ------------------------------------------------------------------------------------------------


@rule
def mark_vp_tiles(s: State, mask: Any) -> None:
    """Set the VP tiles left, and to decline (P32)."""
    for tile in range(board.VP_TILES):
        mask[actions.VP_TILE + tile] = s.vp_tile_district[tile] == state.NOWHERE
    mask[actions.DONE] = True


@rule
def answer_vp_tile(s: State, action: int) -> None:
    """Choose the tile; then the district."""
    pop(s)
    if action != actions.DONE:
        push(s, frames.ASK_VP_DISTRICT, s.active, action - actions.VP_TILE)


@rule
def district_vp_tile(s: State, district: int) -> int:
    """The VP tile of a district, VP_TILES if it has none."""
    for tile in range(board.VP_TILES):
        if s.vp_tile_district[tile] == district:
            return tile
    return board.VP_TILES


@rule
def mark_vp_districts(s: State, mask: Any) -> None:
    """Set the districts without a VP tile: any will do, not only the one that brought the tile."""
    for district in range(board.DISTRICTS):
        mask[actions.DISTRICT + district] = district_vp_tile(s, district) == board.VP_TILES


@rule
def answer_vp_district(s: State, frame: Vector, action: int) -> None:
    """Put the VP tile into the district."""
    tile = frame[frames.ask_vp_district.tile]
    pop(s)
    s.vp_tile_district[tile] = action - actions.DISTRICT
    note(s, journal.NOTE_VP_TILE, s.active, tile, action - actions.DISTRICT)


# -- the end ---------------------------------------------------------------------------------------------------------


@rule
def finish(s: State, c: Components) -> None:
    """Score the end of the game, and place the players."""
    # What is left, then tile 27.
    for player in range(s.players):
        sell_leftovers(s, c, player)
        if stock.has_bonus(s, player, board.MONEY_AT_END):
            s.bonus[player, board.MONEY_AT_END] = state.USED
            bonus_tiles.gain(s, player, 0, c.bonus_vp[board.MONEY_AT_END] * s.francs[player])

    # Districts.
    for district in range(board.DISTRICTS):
        if district_vp_tile(s, district) < board.VP_TILES:
            score_district(s, c, district)

    # Who placed where.
    for player in range(s.players):
        s.better[player] = count_better(s, c, player)
    s.over = 1
    s.end_reason = state.PLAYED_OUT


@rule
def sell_leftovers(s: State, c: Components, player: int) -> None:
    """Sell everything that can be sold (P26); other unused tiles are worth nothing (P27)."""
    francs = s.francs[player]

    # Tokens, bonus tiles, End Game tiles.
    for good in range(board.GOODS):
        s.francs[player] += s.goods[player, good] * c.sell_price[good]
        s.supply[good] += s.goods[player, good]
        s.goods[player, good] = 0
    for n in range(1, board.BONUS_TILES + 1):
        if s.bonus[player, n] == state.UNUSED and stock.bonus_sale(c, n) > 0:
            s.francs[player] += stock.bonus_sale(c, n)
            s.bonus[player, n] = state.USED
    for i in range(s.end_taken):
        price = stock.end_tile_sale(c, int(s.end_kind[i]) - 1)
        if s.end_owner[i] == player and s.end_used[i] == 0 and price > 0:
            s.francs[player] += price
            s.end_used[i] = 1

    if s.francs[player] > francs:
        note(s, journal.NOTE_LEFTOVERS, player, min(journal.JOURNAL_LIMIT, s.francs[player] - francs), 0)


# -- districts -------------------------------------------------------------------------------------------------------


@small_rule
def buildings_total(s: State, player: int, district: int) -> int:
    """The value of a player's buildings in a district, each key counted."""
    total = 0
    for index in range(board.VALUE_COUNT):
        total += int(s.keys[player, board.building_space(district, index)]) * board.building_value(index)
    return total


@rule
def district_total(s: State, c: Components, player: int, district: int) -> int:
    """The value of a player's buildings and landmarks in a district, each key counted."""
    total = buildings_total(s, player, district)
    for place in board.landmark_places():
        if s.landmark_district[place - board.FIRST_LANDMARK] == district:
            total += int(s.keys[player, place]) * board.place_value(c, place)
    return total


@rule
def district_highest(s: State, c: Components, player: int, district: int) -> int:
    """The value of a player's best building or landmark in a district, 0 without a key there."""
    highest = 0
    for space in board.spaces_in(district):
        if s.keys[player, space] > 0:
            highest = max(highest, board.place_value(c, space))
    for place in board.landmark_places():
        if s.keys[player, place] > 0 and s.landmark_district[place - board.FIRST_LANDMARK] == district:
            highest = max(highest, board.place_value(c, place))
    return highest


@rule
def placing(s: State, c: Components, player: int, district: int) -> int:
    """The number of players before this one in a district: by total, then highest tile; the rest is a tie (P34)."""
    total = district_total(s, c, player, district)
    highest = district_highest(s, c, player, district)
    ahead = 0
    for rival in range(s.players):
        rival_total = district_total(s, c, rival, district)
        if rival_total > total or (rival_total == total and district_highest(s, c, rival, district) > highest):
            ahead += 1
    return ahead


@rule
def leading_total(s: State, c: Components, district: int) -> int:
    """The highest total in a district."""
    highest = 0
    for player in range(s.players):
        highest = max(highest, district_total(s, c, player, district))
    return highest


@rule
def district_vp(s: State, c: Components, player: int, district: int) -> int:
    """The VP that a district would pay a player now; 0 without a VP tile or a key there (P34 to P36)."""
    tile = district_vp_tile(s, district)
    total = district_total(s, c, player, district)
    if tile == board.VP_TILES or total == 0:
        return 0
    if s.players == 2 and 2 * total < leading_total(s, c, district):  # P35
        return 0
    ahead = placing(s, c, player, district)
    return c.vp_tile[tile, ahead] if ahead < board.PLACINGS else 0


@rule
def score_district(s: State, c: Components, district: int) -> None:
    """Award the VP of a district's tile."""
    for player in range(s.players):
        vp = district_vp(s, c, player, district)
        s.vp[player] += vp
        if vp > 0:
            note(s, journal.NOTE_AWARD, player, district, vp)


# -- who placed where ------------------------------------------------------------------------------------------------


@rule
def board_total(s: State, c: Components, player: int) -> int:
    """The value of all buildings and landmarks of a player, each key counted (P37)."""
    total = 0
    for place in range(board.TILES):
        total += int(s.keys[player, place]) * board.place_value(c, place)
    return total


@rule
def beats(s: State, c: Components, a: int, b: int) -> bool:
    """True if player a places above player b: VP, then Francs, then the value of all buildings and landmarks."""
    if s.vp[a] != s.vp[b]:
        return s.vp[a] > s.vp[b]
    if s.francs[a] != s.francs[b]:
        return s.francs[a] > s.francs[b]
    return board_total(s, c, a) > board_total(s, c, b)


@rule
def count_better(s: State, c: Components, player: int) -> int:
    """The number of players who place above this one."""
    n = 0
    for rival in range(s.players):
        n += int(beats(s, c, rival, player))
    return n
