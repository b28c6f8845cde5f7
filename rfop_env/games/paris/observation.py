"""The observation of Paris: its named pieces, and the rules that write them for a seat."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import FRAME_KIND
from rfop_env.core.observation_layout import ObservationLayout, Piece
from rfop_env.core.record import Vector
from rfop_env.games.paris import board, bonus_tiles, frames, scoring, state
from rfop_env.games.paris.components import Components
from rfop_env.games.paris.state import State

MOST = 127  # larger numbers of Francs, VP and totals are shown as this one

_SEATS = ("own", "next", "second next", "third next")
_OTHERS = _SEATS[1:]
_NUMBERS = tuple(str(n) for n in range(1, board.BONUS_TILES + 1))
_STACK_NAMES = tuple(str(1 + k) for k in range(board.STACKS))
_VP_TILE_NAMES = tuple(str(1 + i) for i in range(board.VP_TILES))
_DISTRICTS, _PLACES, _SPACES = board.DISTRICT_NAMES, board.PLACE_NAMES, board.SPACE_NAMES
_GOODS, _RESOURCES = board.GOOD_NAMES, board.GOOD_NAMES[: board.RESOURCES]
_ENDS = board.END_NAMES


def _each(rows: tuple[str, ...], columns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{row}: {column}" for row in rows for column in columns)


def _piece(name: str, entries: tuple[str, ...], high: int, visibility: str, meaning: str) -> Piece:
    return Piece(name, len(entries), 0, high, visibility, meaning, entries)


LAYOUT = ObservationLayout(
    [
        _piece("question", frames.QUESTION_NAMES, 1, "public", "what this seat is asked; none if another seat is"),
        _piece("players", tuple(str(n) for n in board.PLAYER_COUNTS), 1, "public", "number of players"),
        _piece("variants", ("tokens", "bonus track", "buildings", "open screens"), 1, "public", "variants in play"),
        _piece("turn_of", _SEATS, 1, "public", "the seat on turn"),
        _piece("start_player", _SEATS, 1, "public", "the seat that began"),
        _piece("rounds_left", ("many", "1", "2"), 1, "public", "rounds left, with this one, once the end is near"),
        _piece("vp", _SEATS, MOST, "public", "VP (more than 127 are shown as 127)"),
        Piece("own_francs", 1, 0, MOST, "private", "this seat's Francs"),
        _piece("their_francs", _OTHERS, MOST, "public", "others' Francs; 0 unless they are known"),
        _piece("own_goods", _GOODS, 6, "private", "this seat's tokens"),
        _piece("their_goods", _each(_OTHERS, _GOODS), 6, "public", "others' tokens; 0 unless they are known"),
        _piece("supply", _GOODS, 6, "public", "tokens in the supply"),
        _piece("keys_in_hand", _SEATS, 12, "public", "keys behind the screen"),
        _piece("keys_aside", _SEATS, 12, "public", "keys set aside that tiles 13 and 14 can bring in"),
        _piece("keys", _each(_SEATS, _PLACES), 12, "public", "keys at each place"),
        _piece("totals", _each(_SEATS, _DISTRICTS), MOST, "public", "value of the keys in a district"),
        _piece("buildings", _each(_SPACES, board.TYPE_NAMES[:-1]), 1, "public", "type of the building on each space"),
        _piece("tokens", _each(_SPACES, _GOODS), 1, "public", "token beside each space"),
        _piece("landmarks", _each(board.LANDMARK_NAMES, _DISTRICTS), 1, "public", "district of each landmark in play"),
        _piece("vp_tiles", _each(_VP_TILE_NAMES, _DISTRICTS), 1, "public", "district of each VP tile in play"),
        _piece("stacks", _STACK_NAMES, board.STACK_HEIGHT, "public", "building tiles left to draw"),
        _piece("tops", _each(_STACK_NAMES, _DISTRICTS), 1, "public", "district on the back of each stack's top"),
        _piece("undrawn", _SPACES, 1, "public", "building tiles not drawn so far"),
        _piece("bonus_left", _NUMBERS, board.SEATS - 1, "public", "bonus tiles on the track, by number"),
        _piece("bonus_space", _NUMBERS, board.TRACK, "public", "space of each number on the track"),
        _piece("bonus_ahead", _NUMBERS, 1, "public", "tiles that a building would offer to this seat now"),
        _piece("meeples", _SEATS, board.TRACK, "public", "space of each meeple on the track, 0 at the start"),
        _piece("own_unused", _NUMBERS, 1, "private", "this seat's unused bonus tiles"),
        _piece("used", _each(_SEATS, _NUMBERS), 1, "public", "bonus tiles used"),
        _piece("their_unused", _each(_OTHERS, _NUMBERS), 1, "public", "others' unused ones; 0 unless they are known"),
        _piece("bonus_held", _SEATS, board.BONUS_TILES, "public", "number of unused bonus tiles that each seat holds"),
        Piece("end_left", 1, 0, board.END_TILES, "public", "End Game tiles not taken"),
        _piece("own_end", _ENDS, board.END_TILES, "private", "this seat's unused End Game tiles"),
        _piece("their_end", _OTHERS, board.END_TILES, "public", "number of unused End Game tiles that others hold"),
        _piece("end_before", _ENDS, board.END_TILES, "private", "held by others since before this seat's last search"),
        _piece("end_since", _ENDS, board.END_TILES, "private", "not taken, or taken by others since that search"),
        _piece("sold", _RESOURCES, 1, "public", "resources sold in this turn"),
        _piece("bought", _RESOURCES, 1, "public", "resources bought in this turn, of which some are held"),
        _piece("origin", _PLACES, 1, "public", "the place that the moving key comes from"),
        _piece("destination", _PLACES[: board.TILES], 1, "public", "the tile that it goes to"),
        _piece("to_pay", _RESOURCES, MOST, "public", "resources still to pay"),
        _piece("section", ("1", "2", "3"), 1, "public", "the landmark's section asked about"),
        Piece("half", 1, 0, 1, "public", "1: half of tile 19 or 21 pays or is sold when the payment ends"),
        Piece("fee", 1, 0, MOST, "public", "Francs that the bonus tile offered costs"),
        _piece("drawn", _SPACES, 1, "public", "the building tile being placed"),
        _piece("vp_tile", _VP_TILE_NAMES, 1, "public", "the VP tile being placed"),
        Piece("pairs", 1, 0, board.GOODS * 3, "public", "pairs returned so far"),
    ]
)

AT = LAYOUT.offsets  # the first entry of each piece, by its name
assert board.SECTIONS == 3 and len(frames.QUESTION_NAMES) == frames.QUESTIONS


@small_rule
def clip(number: int) -> int:
    """A number as the observation shows it."""
    return min(MOST, number)


@small_rule
def seat_distance(s: State, seat: int, player: int) -> int:
    """The number of seats that a player sits after a seat, in turn order: 0 for the seat itself."""
    return player - seat if player >= seat else player - seat + s.players


@rule
def observe(s: State, c: Components, seat: int, o: Any) -> None:
    """Write what a seat sees into an all-zero int8 [D]: the seat itself first, then the others in turn order."""
    observe_course(s, seat, o)
    observe_board(s, c, o)
    observe_piles(s, o)
    observe_track(s, seat, o)
    for player in range(s.players):
        observe_player(s, c, player, seat_distance(s, seat, player), o)
    observe_screen(s, seat, o)
    observe_end_tiles(s, seat, o)

    if s.over == 0 and s.active == seat:
        observe_question(s, o, s.stack[s.depth - 1])
    else:
        o[AT.question] = 1


@rule
def observe_course(s: State, seat: int, o: Any) -> None:
    """Write options, turn and rounds."""
    o[AT.players + s.players - board.PLAYER_COUNTS[0]] = 1
    o[AT.variants] = s.random_tokens
    o[AT.variants + 1] = s.random_track
    o[AT.variants + 2] = s.free_buildings
    o[AT.variants + 3] = s.open_screens

    o[AT.turn_of + seat_distance(s, seat, s.active)] = 1
    o[AT.start_player + seat_distance(s, seat, s.start_player)] = 1
    o[AT.rounds_left + s.rounds_left] = 1
    for good in range(board.RESOURCES):
        o[AT.sold + good] = int(s.sold[good] > 0)
        o[AT.bought + good] = int(s.bought[good] > 0)


@rule
def observe_board(s: State, c: Components, o: Any) -> None:
    """Write buildings, tokens, landmarks, VP tiles and the supply."""
    # Without branches, which no processor could foresee: where nothing lies, the 0 of some type or good stays 0.
    for space in range(board.SPACES):
        tile = max(0, int(s.tile_at[space]) - 1)
        o[AT.buildings + space * board.BUILDING_TYPES + c.building_type[tile]] = int(s.tile_at[space] > 0)
    for space in range(board.SPACES):
        good = max(0, int(s.token[space]) - 1)
        o[AT.tokens + space * board.GOODS + good] = int(s.token[space] > 0)

    # Landmarks, VP tiles, the supply.
    for i in range(board.LANDMARKS):
        if s.landmark_district[i] != state.NOWHERE:
            o[AT.landmarks + i * board.DISTRICTS + int(s.landmark_district[i])] = 1
    for i in range(board.VP_TILES):
        if s.vp_tile_district[i] != state.NOWHERE:
            o[AT.vp_tiles + i * board.DISTRICTS + int(s.vp_tile_district[i])] = 1
    for good in range(board.GOODS):
        o[AT.supply + good] = s.supply[good]


@rule
def observe_piles(s: State, o: Any) -> None:
    """Write the stacks: heights, districts of the tops, and which tiles have not been seen."""
    for k in range(board.STACKS):
        height = s.pile_size[k] - s.pile_floor
        o[AT.stacks + k] = height
        if height > 0:
            o[AT.tops + k * board.DISTRICTS + int(s.pile[k, s.pile_size[k] - 1]) // board.VALUE_COUNT] = 1
    for tile in range(board.SPACES):
        o[AT.undrawn + tile] = 1 - s.drawn[tile]


@rule
def observe_track(s: State, seat: int, o: Any) -> None:
    """Write the bonus track, and the seat's own tiles."""
    for i in range(board.BONUS_TILES):
        o[AT.bonus_left + i] = s.bonus_left[i + 1]
        o[AT.bonus_space + i] = s.bonus_space[i + 1]
        o[AT.bonus_ahead + i] = int(bonus_tiles.can_take_ahead(s, seat, i + 1))
        o[AT.own_unused + i] = int(s.bonus[seat, i + 1] == state.UNUSED)


@small_rule
def screens_are_public(s: State) -> bool:
    """True if everybody knows the money, tokens and bonus tiles behind the screens (P39).

    They are open, or the memory of public play is perfect: all money, tokens and bonus tiles come and go in the open,
    so that their sums are known exactly. Only End Game tiles are taken in secret.
    """
    return s.open_screens == 1 or s.perfect_memory == 1


@rule
def observe_player(s: State, c: Components, player: int, k: int, o: Any) -> None:
    """Write the holdings of the player `k` seats after the observer; hidden ones only where the screens are public."""
    # Points, keys, and the meeple.
    o[AT.vp + k] = clip(s.vp[player])
    o[AT.keys_in_hand + k] = s.keys_in_hand[player]
    o[AT.keys_aside + k] = s.keys_aside[player]
    o[AT.meeples + k] = s.meeple[player]
    for place in range(board.PLACES):
        o[AT.keys + k * board.PLACES + place] = s.keys[player, place]
    for district in range(board.DISTRICTS):
        o[AT.totals + k * board.DISTRICTS + district] = clip(scoring.buildings_total(s, player, district))
    for i in range(board.LANDMARKS):
        n = int(s.keys[player, board.FIRST_LANDMARK + i])
        if n > 0:
            at = AT.totals + k * board.DISTRICTS + int(s.landmark_district[i])
            o[at] = clip(int(o[at]) + n * c.landmark_value[i])

    # Bonus tiles.
    unused = 0
    for i in range(board.BONUS_TILES):
        o[AT.used + k * board.BONUS_TILES + i] = int(s.bonus[player, i + 1] == state.USED)
        unused += int(s.bonus[player, i + 1] == state.UNUSED)
    o[AT.bonus_held + k] = unused

    # Behind the screen.
    if k > 0 and screens_are_public(s):
        o[AT.their_francs + k - 1] = clip(s.francs[player])
        for good in range(board.GOODS):
            o[AT.their_goods + (k - 1) * board.GOODS + good] = s.goods[player, good]
        for n in range(1, board.BONUS_TILES + 1):
            o[AT.their_unused + (k - 1) * board.BONUS_TILES + n - 1] = int(s.bonus[player, n] == state.UNUSED)


@rule
def observe_screen(s: State, seat: int, o: Any) -> None:
    """Write the seat's own money and tokens."""
    o[AT.own_francs] = clip(s.francs[seat])
    for good in range(board.GOODS):
        o[AT.own_goods + good] = s.goods[seat, good]


# -- End Game tiles --------------------------------------------------------------------------------------------------


@rule
def tiles_at_search(s: State, seat: int) -> int:
    """The number of End Game tiles taken when the seat last saw what was left; while it searches, all (P38)."""
    if s.depth > 0 and s.active == seat and s.stack[s.depth - 1, FRAME_KIND] == frames.ASK_END_TILE:
        return s.end_taken
    for i in range(s.end_taken - 1, -1, -1):
        if s.end_owner[i] == seat:
            return i + 1
    return 0


@rule
def observe_end_tiles(s: State, seat: int, o: Any) -> None:
    """Write the seat's own End Game tiles by kind, others' by number, and the kinds that its last search leaves.

    A tile that another player uses shows its kind, not when it was taken: it is counted as one from before the search
    as long as there is one of that kind.
    """
    o[AT.end_left] = board.END_TILES - s.end_taken
    search = tiles_at_search(s, seat)
    for kind in range(board.END_KINDS):
        o[AT.end_since + kind] = s.end_left[kind]
    for i in range(s.end_taken):
        k = seat_distance(s, seat, int(s.end_owner[i]))
        kind = int(s.end_kind[i]) - 1
        if k == 0:
            o[AT.own_end + kind] += 1 - s.end_used[i]
        else:
            o[AT.their_end + k - 1] += 1 - s.end_used[i]
            o[(AT.end_before if i < search else AT.end_since) + kind] += 1

    for i in range(s.end_taken):
        if s.end_owner[i] != seat and s.end_used[i] == 1:
            kind = int(s.end_kind[i]) - 1
            o[(AT.end_before if o[AT.end_before + kind] > 0 else AT.end_since) + kind] -= 1


# -- the question ----------------------------------------------------------------------------------------------------


@rule
def observe_question(s: State, o: Any, frame: Vector) -> None:
    """Write the question that the seat is asked, and what it is about; the kind says all of most questions."""
    kind = frame[FRAME_KIND]
    o[AT.question + kind] = 1

    # A move and its payment.
    if kind == frames.ASK_DESTINATION:
        o[AT.origin + frame[frames.ask_destination.origin]] = 1
    elif kind == frames.ASK_LANDMARK_DISTRICT:
        o[AT.destination + frame[frames.ask_landmark_district.landmark]] = 1
    elif kind == frames.ASK_PAYMENT:
        for good in range(board.RESOURCES):
            o[AT.to_pay + good] = frame[frames.ask_payment.wood + good]
        o[AT.destination + frame[frames.ask_payment.place]] = 1
        o[AT.half] = frame[frames.ask_payment.half]
    elif kind == frames.ASK_PRESTIGE:
        o[AT.destination + board.FIRST_LANDMARK + frame[frames.ask_prestige.landmark]] = 1
        o[AT.section + frame[frames.ask_prestige.section]] = 1
        o[AT.half] = frame[frames.ask_payment.half]

    # Tiles.
    elif kind == frames.ASK_BONUS:
        o[AT.fee] = clip(frame[frames.ask_bonus.fee])
    elif kind == frames.ASK_PLACEMENT:
        o[AT.drawn + frame[frames.ask_placement.tile]] = 1
    elif kind == frames.ASK_VP_DISTRICT:
        o[AT.vp_tile + frame[frames.ask_vp_district.tile]] = 1
    elif kind == frames.ASK_PAIRS:
        o[AT.pairs] = frame[frames.ask_pairs.pairs]
