"""A scripted player: it takes what pays most at once, by what its own seat can see.

Every legal action gets a worth in tenths of a VP; the highest is chosen, ties are broken at random.
"""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import FRAME_KIND
from rfop_env.core.random_stream import BOT, random_below
from rfop_env.games.paris import actions, board, bonus_tiles, frames, keys, scoring, state, stock, trade
from rfop_env.games.paris.components import Components
from rfop_env.games.paris.state import State

# Worths, in tenths of a VP.
VP = 10
FRANC = 6  # while it can still buy something ...
FRANC_TO_SPARE = 4  # ... and of RICH Francs or more
NEVER = -1000
BONUS_WORTH = 35  # a bonus tile not chosen yet
PUT_WORTH = 20  # a key more on the board
TILE_WORTH = 60  # a VP tile to place
SELL_BELOW = 8  # a token is sold rather than an action of less worth taken
RISE = 7  # a point of value more in a district without a VP tile
RICH = 15
MANY = 3  # keys that make a tile that counts them worth using before the last turn


@rule
def advise(s: State, c: Components, mask: Any, n: int) -> int:
    """The legal action of the highest worth; there is one scripted player, so `n` is 0."""
    best = NEVER - 1
    choice = 0
    ties = 0
    for action in range(mask.shape[0]):
        if not mask[action]:
            continue

        worth = action_worth(s, c, action)
        if worth > best:
            best = worth
            choice = action
            ties = 1
        elif worth == best:
            ties += 1
            if random_below(s, BOT, ties) == 0:
                choice = action
    return choice


@rule
def action_worth(s: State, c: Components, action: int) -> int:
    """The worth of an answer to the pending question, in tenths of a VP."""
    frame = s.stack[s.depth - 1]
    player = s.active
    kind = frame[FRAME_KIND]

    if kind == frames.ASK_DESTINATION:
        return move_worth(s, c, player, frame[frames.ask_destination.origin], action - actions.KEY, state.NOWHERE)
    if kind == frames.ASK_DRAW or kind == frames.ASK_ACTION or kind == frames.ASK_END_TURN:
        return turn_worth(s, c, player, kind, action)
    if kind == frames.ASK_BONUS or kind == frames.ASK_ANY_BONUS or kind == frames.ASK_BACK:
        return offer_worth(s, c, player, kind, action)
    if kind == frames.ASK_LANDMARK_DISTRICT:
        landmark = frame[frames.ask_landmark_district.landmark]
        return move_worth(s, c, player, board.ARC, landmark, action - actions.DISTRICT)
    if kind == frames.ASK_VP_TILE or kind == frames.ASK_VP_DISTRICT or kind == frames.ASK_PLACEMENT:
        return district_worth(s, c, player, kind, action)
    if kind == frames.ASK_END_TILE:
        return end_tile_worth(c, action - actions.END_TILE)
    return payment_worth(s, action)


@small_rule
def franc_worth(s: State, player: int) -> int:
    """The worth of a Franc: less the more there are, little in the last round, 1 VP with tile 27."""
    if s.bonus[player, board.MONEY_AT_END] == state.UNUSED:
        return VP
    if s.rounds_left == 1:
        return 1
    return FRANC_TO_SPARE if s.francs[player] >= RICH else FRANC


# -- the actions of a turn -------------------------------------------------------------------------------------------


@rule
def turn_worth(s: State, c: Components, player: int, kind: int, action: int) -> int:
    """The worth of an action of the turn, a free action, a stack to draw from, or the end."""
    # Free actions.
    if action >= actions.BONUS + 1 and action <= actions.BONUS + board.BONUS_TILES:
        return use_worth(s, c, player, action - actions.BONUS, kind == frames.ASK_END_TURN)
    if action >= actions.END_TILE and action < actions.END_TILE + board.GOODS:
        return NEVER  # kept to pay with; what is left is sold at the end
    if action >= actions.END_TILE + board.END_FRANCS and action < actions.BONUS + 1:
        return 1000
    if action >= actions.GIVE and action < actions.GIVE + board.GOODS:
        return SELL_BELOW - c.sell_price[action - actions.GIVE] if kind == frames.ASK_ACTION else NEVER
    if action >= actions.BUY and action < actions.BUY + board.RESOURCES:
        return NEVER  # resources come with buildings; bought ones cost more than they bring

    # The action of the turn.
    if action == actions.DONE or kind == frames.ASK_DRAW:
        return 0
    if action == actions.SEARCH:
        return 2 * VP
    if action >= actions.KEY and action < actions.KEY + board.PLACES:
        return best_move(s, c, player, action - actions.KEY)
    return put_worth(s, c, player, board.FIRST_BANK + action - actions.PUT)


@rule
def put_worth(s: State, c: Components, player: int, place: int) -> int:
    """The worth of a key on a bank, which pays, or on the Arc, from where it can go anywhere."""
    if s.rounds_left == 1:
        return 1
    if place == board.ARC:
        return PUT_WORTH + 2 * FRANC
    return PUT_WORTH + FRANC * c.bank[place - board.FIRST_BANK]


@rule
def best_move(s: State, c: Components, player: int, origin: int) -> int:
    """The worth of the best move of a key."""
    best = NEVER
    tiles = keys.destinations(s, c, origin, keys.player_means(s, c, player))
    for to in range(board.TILES):
        if board.has(tiles, to):
            best = max(best, move_worth(s, c, player, origin, to, state.NOWHERE))
    return best


@rule
def move_worth(s: State, c: Components, player: int, origin: int, to: int, target: int) -> int:
    """The worth of a key's move: standing in the district, goods, VP and a bonus tile, less what it pays.

    `target`: the district of a landmark from the supply; NOWHERE: that of the tile or the key, any from the Arc.
    """
    district = target if target != state.NOWHERE else board.place_district(s, to)
    if district == state.NOWHERE:
        district = board.place_district(s, origin)

    rise = board.place_value(c, to) - board.place_value(c, origin)
    worth = arrival_worth(s, c, player, to) - rise * franc_worth(s, player)
    if district == state.NOWHERE:
        return worth + 3 * rise
    if origin >= board.FIRST_BANK and keys.count_keys(s, district) == keys.KEYS_FOR_A_VP_TILE - 1:
        worth += TILE_WORTH
    return worth + standing_worth(s, c, player, district, rise)


@rule
def standing_worth(s: State, c: Components, player: int, district: int, rise: int) -> int:
    """The worth of more value in a district: the VP it would bring now, and a little for what it may bring."""
    tile = scoring.district_vp_tile(s, district)
    if tile == board.VP_TILES:
        return RISE * rise
    vp = place_vp(s, c, player, district, tile, 0)
    return VP * (place_vp(s, c, player, district, tile, rise) - vp) + 3 * rise


@rule
def place_vp(s: State, c: Components, player: int, district: int, tile: int, rise: int) -> int:
    """The VP that a tile pays a player whose total is `rise` higher, by totals alone."""
    own = scoring.district_total(s, c, player, district) + rise
    ahead = 0
    lead = 0
    if own == 0:
        return 0

    for rival in range(s.players):
        rival_total = scoring.district_total(s, c, rival, district) if rival != player else 0
        lead = max(lead, rival_total)
        ahead += int(rival_total > own)

    if s.players == 2 and 2 * own < lead:
        return 0
    return c.vp_tile[tile, ahead] if ahead < board.PLACINGS else 0


@rule
def arrival_worth(s: State, c: Components, player: int, to: int) -> int:
    """The worth of an arrival: token, bonus tile, VP of an 8, prestige sections, less the resources to pay."""
    if to >= board.SPACES:
        return sections_worth(s, c, player, to - board.FIRST_LANDMARK) - resources_worth(c, to)

    worth = good_worth(c, int(s.token[to]) - 1) if s.token[to] > 0 else 0
    index = board.value_index(to)
    if index == board.EIGHT:
        return worth + VP * c.eight_vp - resources_worth(c, int(s.tile_at[to]) - 1)
    if index <= board.THREE and bonus_tiles.any_to_take(s, c, player, frames.ASK_BONUS):
        worth += BONUS_WORTH - FRANC * c.bonus_fee[index]
    return worth


@small_rule
def good_worth(c: Components, good: int) -> int:
    """The worth of a token: somewhat more than it sells for."""
    return 10 + 7 * c.sell_price[good]


@rule
def resources_worth(c: Components, tile: int) -> int:
    """The worth of the resources that a tile costs."""
    worth = 0
    for good in range(board.RESOURCES):
        worth += c.resources[tile, good] * good_worth(c, good)
    return worth


@rule
def sections_worth(s: State, c: Components, player: int, landmark: int) -> int:
    """The worth of the sections that the player's tokens can fill, less the tokens."""
    worth = 0
    for section in range(board.SECTIONS):
        good = c.section_good[landmark, section] - 1
        if good >= board.RESOURCES and s.goods[player, good] > 0:
            worth += VP * c.section_vp[landmark, section] - FRANC * c.sell_price[good]
    return worth


# -- bonus tiles -----------------------------------------------------------------------------------------------------


@rule
def use_worth(s: State, c: Components, player: int, number: int, at_end: bool) -> int:
    """The worth of using a tile now: gifts at once, tiles that count late or once they count enough, goods never."""
    # Goods, keys, gifts.
    if stock.bonus_sale(c, number) > 0:
        return NEVER
    if number == board.KEY_FOR_TWO or number == board.KEY_FOR_ONE:
        return 500 if trade.buildings_left(s) > 0 else NEVER
    if number == board.ANY_TILE or number == board.TILE_BEHIND or c.bonus_francs[number] > 0:
        return 1000

    # Tiles that count keys: at the end of a turn, and in the last round in any case.
    if not at_end:
        return NEVER
    if s.rounds_left == 1:
        return 900 if number == board.EACH_UNUSED else 800
    if number == board.EACH_UNUSED or number == board.PRESTIGE_PAIRS or number == board.RESOURCE_PAIRS:
        return NEVER
    if number == board.EACH_TYPE:
        return 800 if bonus_tiles.scoring_vp(s, c, player, number) >= c.types_vp[board.TYPES - 1] else NEVER
    return 800 if bonus_tiles.scoring_vp(s, c, player, number) >= MANY * c.bonus_vp[number] else NEVER


@rule
def offer_worth(s: State, c: Components, player: int, kind: int, action: int) -> int:
    """The worth of a tile to take; nothing is sold or used while an offer is open."""
    if action == actions.DONE:
        return 0
    number = action - actions.BONUS
    if number < 1 or number > board.BONUS_TILES or s.bonus[player, number] == state.UNUSED:
        return NEVER
    return tile_worth(s, c, player, number)


@rule
def tile_worth(s: State, c: Components, player: int, number: int) -> int:
    """The worth of owning a tile."""
    for index in range(board.VALUE_COUNT):
        if number == board.VALUE_TILES[index]:
            return VP * bonus_tiles.scoring_vp(s, c, player, number) + 10 * c.bonus_vp[number]
    if number == board.EACH_LANDMARK or number == board.EACH_TYPE:
        return VP * bonus_tiles.scoring_vp(s, c, player, number) + 80
    if number == board.MONEY_AT_END:
        return 40 + 5 * s.francs[player]
    if c.bonus_francs[number] > 0:
        return FRANC * c.bonus_francs[number] + VP * c.bonus_vp[number]
    if number == board.BESIDE_OWN or number == board.BESIDE_OTHERS:
        return 15
    return 30 + 7 * stock.bonus_sale(c, number)


# -- districts, payments, End Game tiles -----------------------------------------------------------------------------


@rule
def district_lead(s: State, c: Components, player: int, district: int) -> int:
    """A player's total in a district less the best total of another."""
    best = 0
    for rival in range(s.players):
        if rival != player:
            best = max(best, scoring.district_total(s, c, rival, district))
    return scoring.district_total(s, c, player, district) - best


@rule
def district_worth(s: State, c: Components, player: int, kind: int, action: int) -> int:
    """The worth of a VP tile or district: where the lead is largest, the dearest tile first, none without a lead."""
    if kind != frames.ASK_VP_TILE:
        return district_lead(s, c, player, action - actions.DISTRICT)
    if action == actions.DONE:
        return 0
    lead = NEVER
    for district in range(board.DISTRICTS):
        if scoring.district_vp_tile(s, district) == board.VP_TILES:
            lead = max(lead, district_lead(s, c, player, district))
    return c.vp_tile[action - actions.VP_TILE, 0] if lead > 0 else NEVER


@rule
def payment_worth(s: State, action: int) -> int:
    """The worth of a way to pay: tokens before tiles, tiles for one good before tiles for any; stopping comes last."""
    if action >= actions.GIVE and action < actions.GIVE + board.GOODS:
        return 3
    return 0 if action == actions.DONE else 2 if action < actions.BONUS + 1 else 1


@rule
def end_tile_worth(c: Components, kind: int) -> int:
    """The worth of an End Game tile: VP, then Francs and goods."""
    goods = good_worth(c, kind) if kind < board.GOODS else 0
    return VP * c.end_vp[kind] + 2 * c.end_francs[kind] + goods // 4
