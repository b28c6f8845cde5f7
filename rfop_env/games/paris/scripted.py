"""A scripted player: it takes what pays most at once, and looks at nothing but what its own seat can see.

Every legal action gets a worth in tenths of a VP; the highest is chosen, ties are broken at random.
"""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import FRAME_KIND
from rfop_env.core.random_stream import BOT, random_below
from rfop_env.games.paris.actions import BONUS, BUY, DISTRICT, DONE, END_TILE, GIVE, KEY, PUT, SEARCH, VP_TILE
from rfop_env.games.paris.board import (
    ANY_TILE, ARC, BESIDE_OTHERS, BESIDE_OWN, BONUS_TILES, DISTRICTS, EACH_LANDMARK, EACH_TYPE, EACH_UNUSED, EIGHT,
    END_FRANCS, FIRST_BANK, FIRST_LANDMARK, GOODS, KEY_FOR_ONE, KEY_FOR_TWO, MONEY_AT_END, PLACES, PLACINGS,
    PRESTIGE_PAIRS, RESOURCES, RESOURCE_PAIRS, SECTIONS, SPACES, THREE, TILES, TILE_BEHIND, TYPES, VALUE_COUNT,
    VALUE_TILES, VP_TILES, district_of, has, place_value, value_index,
)  # fmt: skip
from rfop_env.games.paris.bonus_tiles import AHEAD, any_to_take, scoring_vp
from rfop_env.games.paris.frames import (
    ASK_ACTION, ASK_ANY_BONUS, ASK_BACK, ASK_BONUS, ASK_DESTINATION, ASK_DRAW, ASK_END_TILE, ASK_END_TURN,
    ASK_LANDMARK_DISTRICT, ASK_PLACEMENT, ASK_VP_DISTRICT, ASK_VP_TILE, LANDMARK_PLACE, ORIGIN,
)  # fmt: skip
from rfop_env.games.paris.keys import KEYS_FOR_A_VP_TILE, destinations, keys_in, means_of
from rfop_env.games.paris.scoring import district_total, vp_tile_of
from rfop_env.games.paris.state import NOWHERE, UNUSED
from rfop_env.games.paris.stock import bonus_sale
from rfop_env.games.paris.trade import buildings_left

# Worths, in tenths of a VP.
VP = 10
FRANC = 6  # while it can still buy something ...
FRANC_TO_SPARE = 4  # ... and of RICH Francs or more
NEVER = -1000
BONUS_WORTH = 35  # a bonus tile, before one knows which
PUT_WORTH = 20  # a key more on the board
TILE_WORTH = 60  # a VP tile to place
SELL_BELOW = 8  # a token is sold rather than an action of less worth taken
RISE = 7  # a point of value more in a district without a VP tile
RICH = 15
MANY = 3  # keys that make a tile that counts them worth using before the last turn


@rule
def advise(s: Any, c: Any, mask: Any, n: int) -> int:
    """The legal action of the highest worth; there is one scripted player, so `n` is 0."""
    best = NEVER - 1
    chosen = 0
    ties = 0
    for action in range(mask.shape[0]):
        if not mask[action]:
            continue

        worth = worth_of(s, c, action)
        if worth > best:
            best = worth
            chosen = action
            ties = 1
        elif worth == best:
            ties += 1
            if random_below(s, BOT, ties) == 0:
                chosen = action
    return chosen


@rule
def worth_of(s: Any, c: Any, action: int) -> int:
    """The worth of an answer to the pending question, in tenths of a VP."""
    frame = s.stack[s.depth - 1]
    player = int(s.active)
    kind = int(frame[FRAME_KIND])

    if kind == ASK_DESTINATION:
        return move_worth(s, c, player, int(frame[ORIGIN]), action - KEY, NOWHERE)
    if kind == ASK_DRAW or kind == ASK_ACTION or kind == ASK_END_TURN:
        return turn_worth(s, c, player, kind, action)
    if kind == ASK_BONUS or kind == ASK_ANY_BONUS or kind == ASK_BACK:
        return offer_worth(s, c, player, kind, action)
    if kind == ASK_LANDMARK_DISTRICT:
        return move_worth(s, c, player, ARC, int(frame[LANDMARK_PLACE]), action - DISTRICT)
    if kind == ASK_VP_TILE or kind == ASK_VP_DISTRICT or kind == ASK_PLACEMENT:
        return district_worth(s, c, player, kind, action)
    if kind == ASK_END_TILE:
        return end_tile_worth(c, action - END_TILE)
    return payment_worth(s, action)


@small_rule
def franc_worth(s: Any, player: int) -> int:
    """The worth of a Franc: less the more there are, little in the last round, 1 VP with tile 27."""
    if s.bonus[player, MONEY_AT_END] == UNUSED:
        return VP
    if s.rounds_left == 1:
        return 1
    return FRANC_TO_SPARE if s.francs[player] >= RICH else FRANC


# -- the actions of a turn -------------------------------------------------------------------------------------------


@rule
def turn_worth(s: Any, c: Any, player: int, kind: int, action: int) -> int:
    """The worth of an action of the turn, a free action, a stack to draw from, or the end."""
    # Free actions.
    if action >= BONUS + 1 and action <= BONUS + BONUS_TILES:
        return use_worth(s, c, player, action - BONUS, kind == ASK_END_TURN)
    if action >= END_TILE and action < END_TILE + GOODS:
        return NEVER  # kept to pay with; what is left is sold at the end
    if action >= END_TILE + END_FRANCS and action < BONUS + 1:
        return 1000
    if action >= GIVE and action < GIVE + GOODS:
        return SELL_BELOW - int(c.sell_price[action - GIVE]) if kind == ASK_ACTION else NEVER
    if action >= BUY and action < BUY + RESOURCES:
        return NEVER  # resources come with buildings; bought ones cost more than they bring

    # The action of the turn.
    if action == DONE or kind == ASK_DRAW:
        return 0
    if action == SEARCH:
        return 2 * VP
    if action >= KEY and action < KEY + PLACES:
        return best_move(s, c, player, action - KEY)
    return put_worth(s, c, player, FIRST_BANK + action - PUT)


@rule
def put_worth(s: Any, c: Any, player: int, place: int) -> int:
    """The worth of a key on a bank, which pays, or on the Arc, from where it can go anywhere."""
    if s.rounds_left == 1:
        return 1
    if place == ARC:
        return PUT_WORTH + 2 * FRANC
    return PUT_WORTH + FRANC * int(c.bank[place - FIRST_BANK])


@rule
def best_move(s: Any, c: Any, player: int, origin: int) -> int:
    """The worth of the best move of a key."""
    best = NEVER
    tiles = destinations(s, c, origin, means_of(s, c, player))
    for to in range(TILES):
        if has(tiles, to):
            best = max(best, move_worth(s, c, player, origin, to, NOWHERE))
    return best


@rule
def move_worth(s: Any, c: Any, player: int, origin: int, to: int, given: int) -> int:
    """The worth of a key's move: standing in the district, goods, VP and a bonus tile, less what it pays.

    `given`: the district of a landmark from the supply; NOWHERE: that of the tile or the key, any from the Arc.
    """
    district = given if given != NOWHERE else district_of(s, to)
    if district == NOWHERE:
        district = district_of(s, origin)

    rise = place_value(c, to) - place_value(c, origin)
    worth = arrival_worth(s, c, player, to) - rise * franc_worth(s, player)
    if district == NOWHERE:
        return worth + 3 * rise
    if origin >= FIRST_BANK and keys_in(s, district) == KEYS_FOR_A_VP_TILE - 1:
        worth += TILE_WORTH
    return worth + standing_worth(s, c, player, district, rise)


@rule
def standing_worth(s: Any, c: Any, player: int, district: int, rise: int) -> int:
    """The worth of more value in a district: the VP it would bring now, and a little for what it may bring."""
    tile = vp_tile_of(s, district)
    if tile == VP_TILES:
        return RISE * rise
    before = place_vp(s, c, player, district, tile, 0)
    return VP * (place_vp(s, c, player, district, tile, rise) - before) + 3 * rise


@rule
def place_vp(s: Any, c: Any, player: int, district: int, tile: int, rise: int) -> int:
    """The VP that a tile pays a player whose total is `rise` higher, by totals alone."""
    own = district_total(s, c, player, district) + rise
    ahead = 0
    lead = 0
    if own == 0:
        return 0

    for other in range(s.players):
        theirs = district_total(s, c, other, district) if other != player else 0
        lead = max(lead, theirs)
        ahead += int(theirs > own)

    if s.players == 2 and 2 * own < lead:
        return 0
    return int(c.vp_tile[tile, ahead]) if ahead < PLACINGS else 0


@rule
def arrival_worth(s: Any, c: Any, player: int, to: int) -> int:
    """The worth of an arrival: token, bonus tile, VP of an 8, prestige sections, less the resources to pay."""
    if to >= SPACES:
        return sections_worth(s, c, player, to - FIRST_LANDMARK) - resources_worth(c, to)

    worth = good_worth(c, int(s.token[to]) - 1) if s.token[to] > 0 else 0
    index = value_index(to)
    if index == EIGHT:
        return worth + VP * int(c.eight_vp) - resources_worth(c, int(s.tile_at[to]) - 1)
    if index <= THREE and any_to_take(s, c, player, AHEAD):
        worth += BONUS_WORTH - FRANC * int(c.bonus_fee[index])
    return worth


@small_rule
def good_worth(c: Any, good: int) -> int:
    """The worth of a token: somewhat more than it sells for."""
    return 10 + 7 * int(c.sell_price[good])


@rule
def resources_worth(c: Any, tile: int) -> int:
    """The worth of the resources that a tile costs."""
    worth = 0
    for good in range(RESOURCES):
        worth += int(c.resources[tile, good]) * good_worth(c, good)
    return worth


@rule
def sections_worth(s: Any, c: Any, player: int, landmark: int) -> int:
    """The worth of the sections that the player's tokens can fill, less the tokens."""
    worth = 0
    for section in range(SECTIONS):
        good = int(c.section_good[landmark, section]) - 1
        if good >= RESOURCES and s.goods[player, good] > 0:
            worth += VP * int(c.section_vp[landmark, section]) - FRANC * int(c.sell_price[good])
    return worth


# -- bonus tiles -----------------------------------------------------------------------------------------------------


@rule
def use_worth(s: Any, c: Any, player: int, number: int, at_end: bool) -> int:
    """The worth of using a tile now: gifts at once, tiles that count late or once they count enough, goods never."""
    # Goods, keys, gifts.
    if bonus_sale(c, number) > 0:
        return NEVER
    if number == KEY_FOR_TWO or number == KEY_FOR_ONE:
        return 500 if buildings_left(s) > 0 else NEVER
    if number == ANY_TILE or number == TILE_BEHIND or c.bonus_francs[number] > 0:
        return 1000

    # Tiles that count keys: at the end of a turn, and in the last round in any case.
    if not at_end:
        return NEVER
    if s.rounds_left == 1:
        return 900 if number == EACH_UNUSED else 800
    if number == EACH_UNUSED or number == PRESTIGE_PAIRS or number == RESOURCE_PAIRS:
        return NEVER
    if number == EACH_TYPE:
        return 800 if scoring_vp(s, c, player, number) >= c.types_vp[TYPES - 1] else NEVER
    return 800 if scoring_vp(s, c, player, number) >= MANY * c.bonus_vp[number] else NEVER


@rule
def offer_worth(s: Any, c: Any, player: int, kind: int, action: int) -> int:
    """The worth of a tile to take; nothing is sold or used while an offer is open."""
    if action == DONE:
        return 0
    number = action - BONUS
    if number < 1 or number > BONUS_TILES or s.bonus[player, number] == UNUSED:
        return NEVER
    return tile_worth(s, c, player, number)


@rule
def tile_worth(s: Any, c: Any, player: int, number: int) -> int:
    """The worth of owning a tile."""
    for index in range(VALUE_COUNT):
        if number == VALUE_TILES[index]:
            return VP * scoring_vp(s, c, player, number) + 10 * int(c.bonus_vp[number])
    if number == EACH_LANDMARK or number == EACH_TYPE:
        return VP * scoring_vp(s, c, player, number) + 80
    if number == MONEY_AT_END:
        return 40 + 5 * int(s.francs[player])
    if c.bonus_francs[number] > 0:
        return FRANC * int(c.bonus_francs[number]) + VP * int(c.bonus_vp[number])
    if number == BESIDE_OWN or number == BESIDE_OTHERS:
        return 15
    return 30 + 7 * bonus_sale(c, number)


# -- districts, payments, End Game tiles -----------------------------------------------------------------------------


@rule
def lead_in(s: Any, c: Any, player: int, district: int) -> int:
    """A player's total in a district less the best total of another."""
    best = 0
    for other in range(s.players):
        if other != player:
            best = max(best, district_total(s, c, other, district))
    return district_total(s, c, player, district) - best


@rule
def district_worth(s: Any, c: Any, player: int, kind: int, action: int) -> int:
    """The worth of a VP tile or district: where the lead is largest, the dearest tile first, none without a lead."""
    if kind != ASK_VP_TILE:
        return lead_in(s, c, player, action - DISTRICT)
    if action == DONE:
        return 0
    lead = NEVER
    for district in range(DISTRICTS):
        if vp_tile_of(s, district) == VP_TILES:
            lead = max(lead, lead_in(s, c, player, district))
    return int(c.vp_tile[action - VP_TILE, 0]) if lead > 0 else NEVER


@rule
def payment_worth(s: Any, action: int) -> int:
    """The worth of a way to pay: tokens before tiles, tiles for one good before tiles for any; stopping comes last."""
    if action >= GIVE and action < GIVE + GOODS:
        return 3
    return 0 if action == DONE else 2 if action < BONUS + 1 else 1


@rule
def end_tile_worth(c: Any, kind: int) -> int:
    """The worth of an End Game tile: VP, then Francs and goods."""
    goods = good_worth(c, kind) if kind < GOODS else 0
    return VP * int(c.end_vp[kind]) + 2 * int(c.end_francs[kind]) + goods // 4
