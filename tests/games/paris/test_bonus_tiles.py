"""Every bonus tile and every End Game tile of Paris, and the rulings on them (P12, P19 to P30)."""

from __future__ import annotations

import pytest

from rfop_env.games.paris import board, frames
from tests.games.paris.table import Table

FRANCS = {1: 3, 5: 4, 7: 3, 12: 5, 22: 6}
SALES = {2: 2, 3: 3, 4: 4, 8: 3, 10: 4, 19: 6, 21: 8}  # tiles that stand for goods, at the best price
BY_VALUE = {6: (1, 2), 11: (2, 3), 15: (3, 4), 18: (4, 5), 26: (5, 6), 28: (8, 7)}  # tile: value, VP for each


def use(table: Table, number: int) -> Table:
    """Let player 0 use a bonus tile before the action of the turn."""
    return table.own(0, number).act().do(f"bonus {number}")


# -- Francs, goods -----------------------------------------------------------------------------------------------------


def test_tiles_1_5_7_12_22_give_francs():
    """Tiles 1, 5, 12, 22: 3, 4, 5, 6 Francs; tile 7: 3 Francs and 1 VP. Used once."""
    for number, francs in FRANCS.items():
        table = use(Table(), number)
        assert table.money() == 20 + francs and table.vp() == int(number == 7), number
        assert table.tile(0, number) == "used" and f"bonus {number}" not in table.legal, number


def test_the_journal_tells_no_gain_of_nothing():
    """A tile that gives Francs alone tells nothing of VP, and the other way round."""
    assert use(Table(), 1).log == ["player 0 uses bonus tile 1", "player 0: +3 Francs"]
    assert use(Table().keys(0, "Montmartre 1"), 6).log == ["player 0 uses bonus tile 6", "player 0: +2 VP"]


def test_tiles_that_stand_for_goods_can_be_sold():
    """Tiles 2, 3, 4, 8, 10, 19, 21: sold for what the goods sell for, at the best price; no token is taken (P24)."""
    for number, francs in SALES.items():
        table = use(Table(), number)
        assert table.money() == 20 + francs and table.tile(0, number) == "used", number
        assert table.s.goods.sum() == 0 and table.s.supply.sum() == 0, number


def test_tiles_2_3_4_pay_one_wood_marble_gold():
    """Tiles 2, 3, 4: stand for 1 wood, marble, gold when a landmark is paid for; for nothing else."""
    for number, landmark in [(2, "Tuileries"), (3, "Sacré-Coeur"), (4, "Opéra")]:
        table = Table().own(0, number).keys(0, "Montmartre bank").move(0, "Montmartre bank", landmark)
        assert table.tile(0, number) == "used" and table.at(0, landmark) == 1, number
        choice = Table().own(0, number).keys(0, "Montmartre bank").act().do("key Montmartre bank")
        assert choice.choices("key") & {"Tuileries", "Sacré-Coeur", "Opéra"} == {landmark}, number


def test_tile_10_pays_any_resource():
    """Tile 10: 1 resource of any kind."""
    for landmark in ["Tuileries", "Sacré-Coeur", "Opéra"]:
        table = Table().own(0, 10).keys(0, "Montmartre bank").move(0, "Montmartre bank", landmark)
        assert table.tile(0, 10) == "used" and table.at(0, landmark) == 1, landmark


def test_a_resource_is_paid_with_token_or_tile_as_one_likes():
    """Payment: asked where there is a choice; a token goes to the supply, a tile does not."""
    table = Table().own(0, 2, 10, 21).goods(0, wood=1).end_tiles(0, "wood").keys(0, "Montmartre bank")
    table.move(0, "Montmartre bank", "Tuileries")
    assert table.legal == {"give wood", "bonus 2", "bonus 10", "bonus 21", "end-tile wood"}
    table.do("bonus 2")
    assert table.has(0, "wood") == 1 and table.s.supply[0] == 0 and table.tile(0, 10) == "unused"


def test_a_way_to_pay_that_would_leave_the_rest_unpaid_is_not_offered():
    """Payment: the only tile for any resource is kept for the unit that nothing else can pay."""
    table = Table().own(0, 10).goods(0, wood=1).keys(0, "Montmartre bank")
    table.move(0, "Montmartre bank", "Grand Palais")  # 1 wood and 1 marble
    assert table.tile(0, 10) == "used" and table.has(0, "wood") == 0


def test_tiles_8_and_19_pay_prestige():
    """Tile 8: any 1 prestige, tile 19: any 2, for sections of a landmark."""
    for number in [8, 19]:
        table = Table().own(0, number).goods(0, marble=1).keys(0, "Montmartre bank")
        table.move(0, "Montmartre bank", "Sacré-Coeur").do(f"bonus {number}")
        assert table.vp() == 3 and table.tile(0, number) == "used", number
        assert (table.pending[0] == frames.ASK_PRESTIGE) == (number == 19), number


def test_p24_the_other_half_pays_or_is_sold():
    """P24: tile 21 pays two units, or one and its other half is sold for 4; tile 19 two sections, or 3 Francs."""
    grand_palais = Table().own(0, 21).keys(0, "Montmartre bank").move(0, "Montmartre bank", "Grand Palais")
    assert grand_palais.money() == 20 - 11 and grand_palais.tile(0, 21) == "used"
    tuileries = Table().own(0, 21).keys(0, "Montmartre bank").move(0, "Montmartre bank", "Tuileries")
    assert tuileries.money() == 20 - 9 + 4
    table = Table().own(0, 19).goods(0, marble=1).keys(0, "Montmartre bank").move(0, "Montmartre bank", "Sacré-Coeur")
    table.do("bonus 19")
    assert table.legal == {"bonus 19", "done"}
    assert table.do("done").money() == 20 - 10 + 3 and table.vp() == 3
    table = Table().own(0, 19).goods(0, marble=1).keys(0, "Montmartre bank").move(0, "Montmartre bank", "Sacré-Coeur")
    assert table.do("bonus 19", "bonus 19").vp() == 7 and table.money() == 10


def test_p24_a_half_may_also_pay_where_a_token_could():
    """P24: the half left pays a later unit instead of a token, if the player so chooses."""
    table = Table().own(0, 21).goods(0, wood=1, marble=1).keys(0, "Montmartre bank")
    table.move(0, "Montmartre bank", "Grand Palais").do("bonus 21")
    assert table.legal == {"give marble", "bonus 21"}
    table.do("bonus 21")
    assert (table.has(0, "wood"), table.has(0, "marble"), table.money()) == (1, 1, 9)


def short_of_money(francs: int, *names: str, **goods: int) -> Table:
    """A key on the Montmartre bank, tile 21, and little money."""
    return Table().francs(0, francs).own(0, 21).goods(0, **goods).keys(0, "Montmartre bank", *names).act()


def test_p45_the_sold_half_pays_for_the_move_that_the_other_half_pays():
    """P45: an 8 for wood with 4 Francs and tile 21: one half brings 4 Francs, the other stands for the wood."""
    table = short_of_money(4).do("key Montmartre bank")
    assert "Montmartre 8" in table.choices("key")
    table.do("key Montmartre 8")
    assert table.at(0, "Montmartre 8") == 1 and table.money() == 0 and table.tile(0, 21) == "used"
    sale = ["player 0 uses bonus tile 21", "player 0: +4 Francs"]
    move = ["player 0 moves a key from Montmartre bank to Montmartre 8", "player 0 pays wood with a bonus tile"]
    assert table.log[:4] == sale + move


def test_p45_a_half_brings_4_francs_and_no_more():
    """P45: one Franc less, and the move is out of reach; from the 5 it costs 3, which the half alone pays."""
    assert "Montmartre 8" not in short_of_money(3).do("key Montmartre bank").choices("key")
    table = short_of_money(0, "Montmartre 5").do("key Montmartre 5", "key Montmartre 8")
    assert table.at(0, "Montmartre 8") == 1 and table.money() == 1


def test_p45_both_halves_cannot_pay_resources_and_one_be_sold():
    """P45: the Grand Palais costs wood and marble: with one token the halves do, without any both are needed."""
    assert "Grand Palais" not in short_of_money(8).do("key Montmartre bank").choices("key")
    table = short_of_money(8, marble=1).do("key Montmartre bank", "key Grand Palais")
    assert table.money() == 1 and table.has(0, "marble") == 0 and table.at(0, "Grand Palais") == 1


def test_p45_only_a_half_that_pays_brings_the_other_to_market():
    """P45: a 5 costs no resource, so the half has nothing to pay; the whole tile may be sold before."""
    assert short_of_money(2).do("key Montmartre bank").choices("key") == {"Montmartre 1", "Montmartre 2"}
    table = short_of_money(2).do("bonus 21", "key Montmartre bank")
    assert "Montmartre 5" in table.choices("key") and "Montmartre 8" not in table.choices("key")


def test_p45_a_move_that_only_a_half_affords_forbids_to_pass():
    """P2, P45: it is a legal action, so one may not pass."""
    table = Table().francs(0, 0).own(0, 21).keys(0, "Montmartre 5").no_hand(0).act()
    assert "key Montmartre 5" in table.legal and "done" not in table.legal


def test_p45_a_landmark_from_the_arc_is_paid_in_its_district():
    """P45: the same where the landmark's district is asked for first; what pays is a choice as ever."""
    table = Table().francs(0, 5).own(0, 21).goods(0, wood=1).keys(0, "Arc de Triomphe").act()
    table.do("key Arc de Triomphe", "key Tuileries", "district Belleville")
    assert table.legal == {"give wood", "bonus 21"} and table.view(0, "half") == 1
    table.do("bonus 21")
    assert table.money() == 0 and table.has(0, "wood") == 1


def test_p45_a_half_that_does_not_pay_after_all_is_sold_too():
    """P24, P45: with a token in its place the tile is sold whole, as it could have been before the move."""
    table = short_of_money(5, wood=1).do("key Montmartre bank", "key Tuileries", "give wood")
    assert table.money() == 5 + 4 + 4 - 9 and table.has(0, "wood") == 0


# -- occupied tiles ----------------------------------------------------------------------------------------------------


def test_tile_9_moves_beside_an_own_key():
    """Tile 9: the destination may be occupied by an own key; the tile is spent by the move, and only if needed."""
    table = Table().own(0, 9).keys(0, "Montmartre 4", "Montmartre bank").move(0, "Montmartre bank", "Montmartre 4")
    assert table.at(0, "Montmartre 4") == 2 and table.tile(0, 9) == "used"
    free = Table().own(0, 9).keys(0, "Montmartre bank").move(0, "Montmartre bank", "Montmartre 4")
    assert free.tile(0, 9) == "unused"


def test_tile_9_does_not_help_against_others():
    """Tile 9: own keys only."""
    table = Table().own(0, 9).keys(1, "Montmartre 4").keys(0, "Montmartre bank").act().do("key Montmartre bank")
    assert "key Montmartre 4" not in table.legal


def test_tile_16_moves_beside_another_player():
    """Tile 16: the destination may be occupied by another player's key, landmarks too; both keys stay."""
    table = Table().own(0, 16).keys(1, "Montmartre 4").keys(0, "Montmartre bank")
    table.move(0, "Montmartre bank", "Montmartre 4")
    assert (table.at(0, "Montmartre 4"), table.at(1, "Montmartre 4")) == (1, 1) and table.tile(0, 16) == "used"
    tower = Table().own(0, 16).landmark("Tuileries", "Montmartre").keys(1, "Tuileries").goods(0, wood=1)
    assert tower.keys(0, "Montmartre 8").move(0, "Montmartre 8", "Tuileries").at(0, "Tuileries") == 1


def test_p47_tile_16_moves_beside_any_number_of_opponents_keys():
    """P47: three opponents' keys on one tile are no hindrance; one tile 16 is spent."""
    table = Table(4).own(0, 16).used(1, 16).used(2, 16).keys(0, "Montmartre bank")
    for player in (1, 2, 3):
        table.keys(player, "Montmartre 4")
    table.move(0, "Montmartre bank", "Montmartre 4")
    assert table.at(0, "Montmartre 4") == 1 and table.tile(0, 16) == "used"


def test_tile_16_does_not_help_against_oneself():
    """Tile 16: other players' keys only; where both stand, tiles 9 and 16 are needed together."""
    table = Table(3).own(0, 16).keys(0, "Montmartre 4", "Montmartre bank").act().do("key Montmartre bank")
    assert "key Montmartre 4" not in table.legal
    shared = Table(3).own(0, 9, 16).used(1, 16).keys(0, "Montmartre 4", "Montmartre bank").keys(1, "Montmartre 4")
    shared.move(0, "Montmartre bank", "Montmartre 4")
    assert shared.tile(0, 9) == shared.tile(0, 16) == "used"


def test_p19_tiles_9_and_16_do_not_alter_the_move_that_earned_them():
    """P19: they are spent by a later move; as a free action they are not used at all."""
    table = Table().keys(0, "Montmartre bank").move(0, "Montmartre bank", "Montmartre 1").do("bonus 16")
    assert table.tile(0, 16) == "unused" and "bonus 16" not in table.legal


# -- keys and tiles ----------------------------------------------------------------------------------------------------


def test_p30_tiles_13_and_14_buy_a_key_set_aside():
    """P30: 2 Francs or 1 for one of the own two keys set aside; not without the money, nor without a key there."""
    for number, price in [(13, 2), (14, 1)]:
        table = use(Table(), number)
        assert table.money() == 20 - price and table.s.keys_in_hand[0] == 11 and table.s.keys_aside[0] == 1, number
        assert table.s.keys_aside[1] == 2, number
        assert f"bonus {number}" in Table().own(0, number).francs(0, price).act().legal, number
        assert f"bonus {number}" not in Table().own(0, number).francs(0, price - 1).act().legal, number
        none = Table().own(0, number)
        none.s.keys_in_hand[0], none.s.keys_aside[0] = 12, 0
        assert f"bonus {number}" not in none.act().legal, number


def test_p21_tile_17_takes_any_tile_of_the_track():
    """P21: ahead or behind, the meeple stays; not a number that is owned (P20)."""
    table = use(Table().meeple(0, 10).used(0, 3), 17)
    assert table.choices("bonus") == {str(n) for n in range(1, 31) if n not in (3, 17)}
    table.do("bonus 4")
    assert table.tile(0, 4) == "unused" and table.s.meeple[0] == 10


def test_p22_tile_25_goes_back_up_to_five_spaces_with_tiles():
    """P22: empty spaces do not count, a stack is one space, the present one does not count."""
    table = Table(3).meeple(0, 17).own(1, 15, 12)  # behind: 16 (two tiles), 14, 13, 11, 10
    table = use(table, 25)
    assert table.choices("bonus") == {"16", "14", "13", "11", "10"}
    table.do("bonus 11")
    assert table.s.meeple[0] == 11 and table.tile(0, 11) == "unused"


def test_p22_spaces_of_owned_numbers_count_but_cannot_be_landed_on():
    """P22: of the five spaces one holds a number that the player owns; forward moves start from the new place."""
    table = use(Table(3).meeple(0, 17).used(0, 16), 25)
    assert table.choices("bonus") == {"15", "14", "13", "12"}
    table.do("bonus 13").keys(0, "Montmartre bank").move(0, "Montmartre bank", "Montmartre 1")
    assert "bonus 14" in table.legal and "bonus 12" not in table.legal


def test_tile_25_needs_a_tile_behind():
    """Tile 25: at the start of the track it cannot be used."""
    assert "bonus 25" not in Table().own(0, 25).act().legal


# -- scoring tiles -----------------------------------------------------------------------------------------------------


def test_p28_tiles_6_11_15_18_26_28_count_keys_on_a_value():
    """P28: so many VP for each own key on buildings of the value, double holdings twice; others' keys do not count."""
    for number, value, vp in [(n, *pair) for n, pair in BY_VALUE.items()]:
        table = Table().used(0, 9).keys(0, *[f"Montmartre {value}"] * 2, f"La Villette {value}", "Tuileries")
        table.landmark("Tuileries", "Montmartre").keys(1, f"Saint-Germain {value}")
        assert use(table, number).vp() == 3 * vp, number


def test_p28_tile_29_counts_landmarks():
    """P28: 8 VP for each own key on a landmark."""
    table = Table().used(0, 9).landmark("Tuileries", "Montmartre").landmark("Louvre", "Chaillot")
    assert use(table.keys(0, "Tuileries", "Tuileries", "Louvre"), 29).vp() == 24


def test_a_scoring_tile_that_would_score_nothing_is_not_used():
    """Reading: a tile that would do nothing stays in hand."""
    for number in [*BY_VALUE, 29, 30, 20]:
        assert f"bonus {number}" not in Table().own(0, number).act().legal, number


def test_p29_tile_30_counts_types_over_all_districts():
    """P29: 10, 15, 20, 25 VP for 4, 5, 6, 7 different types; landmarks are the seventh; equal types count once."""
    for kinds, vp in [(4, 10), (5, 15), (6, 20), (7, 25)]:
        table = Table().landmark("Tuileries", "Montmartre").keys(0, *["Tuileries"] * (kinds == 7))
        for index in range(min(kinds, 6)):
            table.keys(0, f"Montmartre {(1, 2, 3, 4, 5, 8)[index]}")
        same = next(t for t in range(30, 36) if table.c.building_type[t] == table.c.building_type[24])
        table.s.keys[0, same] += 1
        table.s.keys_in_hand[0] -= 1
        assert use(table, 30).vp() == vp, kinds


def test_p29_under_four_types_tile_30_gives_nothing():
    """P29: three types are worth 0."""
    assert "bonus 30" not in Table().own(0, 30).keys(0, "Montmartre 1", "Montmartre 2", "Montmartre 3").act().legal


def test_p25_tile_20_counts_the_other_unused_tiles():
    """P25: 1, 2, 3 VP by players for points; not itself, not used ones, not End Game tiles; 27 counts."""
    for players, points in ((2, 1), (3, 2), (4, 3)):
        table = Table(players).own(0, 1, 27, 29).used(0, 5).end_tiles(0, "wood").own(1, 3)
        assert use(table, 20).vp() == 3 * points, players


@pytest.mark.parametrize(("number", "pair", "single"), [(23, "silver", "wood"), (24, "wood", "silver")])
def test_tiles_23_and_24_pay_for_pairs_returned(number, pair, single):
    """Tiles 23, 24: 2, 3, 4 VP by players for each pair of identical prestige or resources that goes to the supply."""
    for players, points in ((2, 2), (3, 3), (4, 4)):
        table = use(Table(players).goods(0, **{pair: 5, single: 2}), number)
        assert table.vp() == points, "the first pair has no alternative"
        assert table.choices("give") == {pair} and "done" in table.legal
        table.do(f"give {pair}")
        assert table.vp() == 2 * points and table.has(0, pair) == 1 and table.has(0, single) == 2
        assert table.pending[0] == frames.ASK_ACTION


def test_tiles_23_and_24_stop_when_one_likes():
    """Tiles 23, 24: every pair is a choice, after the first one can stop; two different tokens are no pair."""
    table = use(Table().goods(0, bronze=2, gold_prestige=2, silver=1), 23)
    assert table.legal == {"give bronze", "give gold-prestige"}
    table.do("give bronze", "done")
    assert table.vp() == 2 and table.has(0, "gold-prestige") == 2
    assert "bonus 23" not in Table().own(0, 23).goods(0, bronze=1, silver=1).act().legal


def test_p23_tiles_are_no_pairs():
    """P23: tiles that stand for goods do not count for 23 and 24."""
    table = Table().own(0, 24, 2, 10, 21).goods(0, wood=1).end_tiles(0, "wood").act()
    assert "bonus 24" not in table.legal


def test_tile_27_scores_francs_at_the_end():
    """Tile 27, P26: 1 VP for each Franc after leftovers are sold; it cannot be used before, and Francs remain."""
    table = Table().own(0, 27).goods(0, gold=1)
    assert "bonus 27" not in table.act().legal
    table.finish()
    assert table.vp(0) == 24 == table.money(0) and table.vp(1) == 0


# -- End Game tiles ----------------------------------------------------------------------------------------------------


def test_each_end_game_tile():
    """End Game tiles: 3 Francs, 2 VP, 1 VP; those for goods are sold like tokens, which none becomes (P8)."""
    for kind, francs, vp in zip(board.END_NAMES, (2, 3, 4, 1, 2, 3, 3, 0, 0), (0,) * 7 + (2, 1), strict=True):
        table = Table().end_tiles(0, kind).act().do(f"end-tile {kind}")
        assert (table.money(), table.vp()) == (20 + francs, vp), kind
        assert table.s.goods.sum() == 0 and table.s.supply.sum() == 0 and f"end-tile {kind}" not in table.legal, kind


def test_the_twelve_end_game_tiles():
    """End Game tiles: one of each good, three of 3 Francs, one of 2 VP, two of 1 VP."""
    kinds = dict(zip(board.END_NAMES, Table().s.end_left.tolist(), strict=True))
    assert kinds == {**dict.fromkeys(board.END_NAMES[:6], 1), "francs": 3, "2-vp": 1, "1-vp": 2}


def test_end_game_tiles_pay_for_landmarks_and_sections():
    """End Game tiles for goods are used directly as such."""
    table = Table().end_tiles(0, "wood", "bronze").keys(0, "Montmartre bank").move(0, "Montmartre bank", "Tuileries")
    assert table.s.end_used[0] == 1
    assert table.do("end-tile bronze").vp() == 3 and table.s.end_used[1] == 1


def test_an_end_game_tile_may_be_used_in_the_turn_that_takes_it():
    """End Game tiles: immediately, or at any moment of an own turn."""
    table = Table().act().do("search", "end-tile 2-vp", "end-tile 2-vp")
    assert table.vp() == 2
