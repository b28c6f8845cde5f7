"""The rules of Paris and each of the rulings P1 to P47, by its number; bonus tiles have a file of their own."""

from __future__ import annotations

import numpy as np
import pytest

from rfop_env.compiler import JIT
from rfop_env.core.batch import GameBatch
from rfop_env.games.paris import board, bonus_tiles, frames, game, setup
from tests.games.paris.table import REMOVED, Table, place

CLIMB = ("Montmartre 1", "Montmartre 2", "Montmartre 3")


def fresh(seed: int = 1, **options) -> GameBatch:
    """A game just dealt."""
    return GameBatch(game.paris(), 1, seed, options=options)


def arrive(table: Table, to: str, origin: str = "Montmartre bank", player: int = 0) -> Table:
    """Let a player move a key from an origin to a building or landmark."""
    return table.keys(player, origin).move(player, origin, to)


# -- set-up ----------------------------------------------------------------------------------------------------------


def test_setup_of_a_player():
    """Setup: 3 Francs, keys by the number of players, two aside, meeple and VP at the start; no such seat, nothing."""
    for players, hand in [(2, 10), (3, 9), (4, 7)]:
        s = fresh(players=players).record()
        for player in range(4):
            plays = player < players
            keys = (hand, 2) if plays else (0, 0)
            assert (s.keys_in_hand[player], s.keys_aside[player]) == keys, players
            assert s.francs[player] == (3 if plays else 0) and s.meeple[player] == s.vp[player] == 0, players


def test_setup_the_start_player_is_drawn():
    """Setup: any player may begin; the seed decides."""
    batch = GameBatch(game.paris(), 40, 0, options={"players": 4})
    assert set(batch.states["start_player"].tolist()) == {0, 1, 2, 3}
    assert (batch.current_player == batch.states["start_player"]).all()


def test_setup_base_tokens_lie_by_value():
    """Setup: bronze, silver, gold prestige beside 1, 2, 3; wood, marble, gold beside 4, 5, 8."""
    tokens = {1: "bronze", 2: "silver", 3: "gold-prestige", 4: "wood", 5: "marble", 8: "gold"}
    s = fresh().record()
    for space, name in enumerate(board.SPACE_NAMES):
        assert board.GOOD_NAMES[s.token[space] - 1] == tokens[int(name.split()[-1])]


def test_setup_random_tokens_leave_the_gold_with_the_8s():
    """Setup, variant: gold beside the 8s, the other thirty tokens shuffled over the other spaces."""
    batches = [fresh(seed, tokens="random").record() for seed in range(4)]
    small = [setup.small_space(i) if not JIT else i // 5 * 6 + i % 5 for i in range(30)]
    for s in batches:
        assert {int(s.token[space]) - 1 for space in range(5, board.SPACES, 6)} == {board.GOOD_NAMES.index("gold")}
        assert sorted(int(s.token[x]) for x in small) == sorted([1] * 6 + [2] * 6 + [4] * 6 + [5] * 6 + [6] * 6)
    assert len({bytes(np.asarray(s.token)) for s in batches}) == 4


def test_setup_bonus_tiles_with_copies():
    """Setup: 13, 14, 16, 17, 29 and 30 have one copy fewer than there are players, all others one; in number order."""
    for players in [2, 3, 4]:
        s = fresh(players=players).record()
        copied = {13, 14, 16, 17, 29, 30}
        assert [int(n) for n in s.bonus_left[1:]] == [players - 1 if n in copied else 1 for n in range(1, 31)], players
        assert [int(x) for x in s.bonus_space[1:]] == list(range(1, 31)), players


# -- building tiles --------------------------------------------------------------------------------------------------


def test_p1_the_player_chooses_the_stack_and_sees_its_district():
    """P1: any of the three stacks; the district of each top is seen, and the tile drawn is that top."""
    batch = fresh()
    s, table = batch.record(), game.paris().actions
    assert {"draw 1", "draw 2", "draw 3"} <= {table.label(a) for a in np.flatnonzero(batch.action_mask[0])}
    tile = int(s.pile[1, s.pile_size[1] - 1])
    tops = game.paris().observation.describe(batch.observe(int(s.active))[0])["tops"]
    assert f"2: {board.DISTRICT_NAMES[tile // 6]}" in tops and len(tops) == 3
    batch.step([table.parse("draw 2")])
    assert s.tile_at[tile] == tile + 1 and s.pile_size[1] == 11


@pytest.mark.many_games
def test_three_tiles_are_never_drawn():
    """Setup: three building tiles stay in the box; the other 33 are all drawn."""
    batch = fresh(3)
    batch.step_random(game.paris().spec.max_decisions)
    s = batch.record()
    assert int((s.drawn == 1).sum()) == 33 and [int(n) for n in s.pile_size] == [1, 1, 1]


def test_p2_passing_only_without_any_action():
    """P2: with nothing to put, move or take one may pass, and need not sell to make a move possible."""
    table = Table().empty("Chaillot 2").keys(0, "Montmartre 1").no_hand(0).francs(0, 0).goods(0, bronze=1).act()
    assert table.legal == {"done", "give bronze"}
    table.do("give bronze")  # 1 Franc pays for the move to the 2: with an action, no pass
    assert table.log[0] == "player 0 sells bronze prestige" and table.at(0, "Montmartre 2") == 1


def test_p3_the_turn_that_draws_the_last_tile_may_take_an_end_game_tile():
    """P3: the stacks are empty in step 2 of that turn."""
    table = Table().empty("Montmartre 2")
    table.act()
    assert "search" not in table.legal
    table.ask(frames.ASK_ACTION, 0)
    table.s.stack[2, :2] = frames.ASK_DRAW, 0
    table.s.depth = 3
    table.batch.refresh()
    table.do("draw 1")
    assert table.pending == (frames.ASK_ACTION, 0) and "search" in table.legal


def test_p40_the_variant_offers_districts_without_value_and_type():
    """P40: any district whose space of that value is empty and that has no building of the type; 12 tiles a stack."""
    table = Table(buildings="variant").empty("Montmartre 2", "Chaillot 2")
    s, c = table.s, table.c
    assert fresh(buildings="variant").record().pile_size.tolist() == [12, 12, 12]
    tile = place("Chaillot 2")
    s.tile_at[place("Chaillot 1")] = 0  # its type is missing nowhere else: Chaillot and Montmartre have room for a 2
    table.ask(frames.ASK_PLACEMENT, 0, tile)
    types = {int(c.building_type[t]) for t in range(24, 30) if s.tile_at[t]}
    fits = {"Chaillot"} | ({"Montmartre"} if int(c.building_type[tile]) not in types else set())
    assert table.choices("district") == fits
    s.tile_at[place("Montmartre 3")] = 0
    for t in range(24, 30):  # a Montmartre without any building of that type takes it as well
        if c.building_type[t] == c.building_type[tile]:
            s.tile_at[t] = 0
    table.ask(frames.ASK_PLACEMENT, 0, tile)
    assert table.choices("district") == {"Chaillot", "Montmartre"}


def test_p40_a_tile_that_fits_nowhere_is_discarded_without_a_new_draw():
    """P40: no district has its space empty: the tile is gone, and the action follows."""
    table = Table(buildings="variant").empty("Montmartre 2")
    table.s.tile_at[place("Montmartre 2")] = place("Montmartre 2") + 1
    table.s.tile_at[place("Chaillot 1")], table.s.drawn[place("Chaillot 1")] = 0, 1
    table.ask(frames.ASK_DRAW)
    buildings = int((table.s.tile_at > 0).sum())
    table.batch.step([game.paris().actions.parse("draw 1")])
    assert table.s.drawn[place("Montmartre 2")] == 1 and int((table.s.tile_at > 0).sum()) == buildings
    assert any("discarded" in line for line in table.batch.journal())


@pytest.mark.many_games
def test_p40_all_36_tiles_are_used():
    """P40: every stack is drawn to the bottom."""
    batch = fresh(3, buildings="variant")
    batch.step_random(game.paris().spec.max_decisions)
    assert batch.record().drawn.sum() == 36 and batch.record().pile_size.sum() == 0


def test_p41_the_track_is_shuffled_within_its_zones():
    """P41: one of each number within A 1 to 10, B 11 to 20, C 21 to 30; copies lie on their twins."""
    spaces = [[int(x) for x in fresh(seed, bonus_track="random").record().bonus_space[1:]] for seed in range(5)]
    for row in spaces:
        assert [sorted(row[k : k + 10]) for k in (0, 10, 20)] == [list(range(a, a + 10)) for a in (1, 11, 21)]
    assert len({tuple(row) for row in spaces}) == 5
    assert int(fresh(players=4, bonus_track="random").record().bonus_left[29]) == 3


# -- keys from the hand ----------------------------------------------------------------------------------------------


def test_a_bank_pays():
    """Put a key on a bank: it pays its Francs."""
    for district in board.DISTRICT_NAMES:
        table = Table().act().do(f"put {district} bank")
        pay = table.c.bank[board.DISTRICT_NAMES.index(district)]
        assert table.money() == 20 + pay and table.at(0, f"{district} bank") == 1, district


def test_the_arc_pays_nothing():
    """Put a key on the Arc de Triomphe."""
    table = Table().act().do("put Arc de Triomphe")
    assert table.money() == 20 and table.at(0, "Arc de Triomphe") == 1


def test_p43_one_own_key_on_a_bank_or_the_arc_any_number_in_a_district():
    """P43: a second own key neither on a bank nor on the Arc; other players' keys do not matter, nor own ones near."""
    table = Table().keys(0, "Montmartre bank", "Arc de Triomphe", *CLIMB).keys(1, "Chaillot bank").act()
    assert table.choices("put") == {f"{d} bank" for d in board.DISTRICT_NAMES if d != "Montmartre"}


# -- moving ----------------------------------------------------------------------------------------------------------


def test_moves_from_a_bank_stay_in_the_district():
    """From a bank to any building or landmark of its district."""
    table = Table().landmark("Tuileries", "Chaillot").goods(0, wood=2).keys(0, "Montmartre bank").act()
    table.do("key Montmartre bank")
    assert table.choices("key") == {f"Montmartre {v}" for v in board.VALUES}  # the Tuileries stand elsewhere


def test_moves_from_the_arc_go_anywhere():
    """From the Arc to any building in any district, and to any landmark that can be paid."""
    table = Table().landmark("Tuileries", "Chaillot").goods(0, wood=1).keys(0, "Arc de Triomphe").act()
    table.do("key Arc de Triomphe")
    built = {name for name in board.SPACE_NAMES if table.s.tile_at[place(name)]}
    assert table.choices("key") == built | {"Tuileries"}


def test_an_empty_space_cannot_be_moved_to():
    """A key needs a building."""
    table = Table().empty("Montmartre 2", "Montmartre 5").keys(0, "Montmartre bank").act().do("key Montmartre bank")
    assert table.choices("key") == {f"Montmartre {v}" for v in (1, 3, 4)}


def test_a_move_costs_the_value_or_the_difference():
    """From bank or Arc the value, from a building the difference."""
    assert arrive(Table(), "Montmartre 4").money() == 16
    assert arrive(Table(), "Montmartre 5", "Montmartre 3").money() == 18
    assert arrive(Table(), "Chaillot 4", "Arc de Triomphe").money() == 16


def test_a_move_must_be_affordable():
    """Francs decide which destinations there are."""
    table = Table().francs(0, 2).keys(0, "Montmartre 3").act().do("key Montmartre 3")
    assert table.choices("key") == {"Montmartre 4", "Montmartre 5"}
    poor = Table().francs(0, 0).keys(0, "Montmartre 3").act()
    assert "key Montmartre 3" not in poor.legal


def test_an_occupied_building_cannot_be_moved_to():
    """Unoccupied: no key of any player, one's own included."""
    table = Table().keys(0, "Montmartre 2", "Montmartre bank").keys(1, "Montmartre 4").act().do("key Montmartre bank")
    assert table.choices("key") == {f"Montmartre {v}" for v in (1, 3, 5)}


def test_p9_only_the_first_arrival_gets_the_token():
    """P9: the token beside a building is taken at once; later arrivals find none."""
    table = arrive(Table(), "Montmartre 4").do("done")
    assert table.has(0, "wood") == 1 and table.s.token[place("Montmartre 4")] == 0
    again = Table()
    again.s.token[place("Montmartre 4")] = 0
    again.s.supply[0] += 1
    assert arrive(again, "Montmartre 4").has(0, "wood") == 0


def test_p10_a_building_offers_its_bonus_to_every_arrival():
    """P10: with its token gone, a 1 still offers a bonus tile and an 8 still gives 2 VP."""
    table = Table().goods(0, wood=1)
    for name, good in (("Montmartre 1", 3), ("Montmartre 8", 2)):
        table.s.token[place(name)] = 0
        table.s.supply[good] += 1
    arrive(table, "Montmartre 1")
    assert table.pending == (frames.ASK_BONUS, 0)
    eight = Table().goods(0, wood=1)
    eight.s.token[place("Montmartre 8")] = 0
    eight.s.supply[2] += 1
    assert arrive(eight, "Montmartre 8").vp() == 2


def test_p11_resources_are_paid_in_full_when_upgrading():
    """P11: an 8 from a 5 costs 3 Francs, and its wood in full; so does a landmark from an 8."""
    table = arrive(Table().goods(0, wood=2), "Montmartre 8", "Montmartre 5")
    assert table.money() == 17 and table.has(0, "wood") == 1
    higher = arrive(Table().goods(0, wood=1), "Tuileries", "Montmartre 8")
    assert higher.money() == 19 and higher.has(0, "wood") == 0


def test_p12_only_strictly_higher_even_beside_other_keys():
    """P12: a key on a 4 never moves to a 4 or lower, tiles 9 and 16 or not."""
    table = Table().own(0, 9, 16).keys(0, "Montmartre 4", "Montmartre 2").keys(1, "Montmartre 5").act()
    table.do("key Montmartre 4")
    assert table.choices("key") <= {"Montmartre 5", "Montmartre 8"} and "key Montmartre 2" not in table.legal


def test_p13_a_key_on_a_bank_moves_to_any_building_of_its_district():
    """P11, P13: it pays the whole value, for the bank is worth nothing; an 8 asks for resources as well."""
    for district in board.DISTRICT_NAMES:
        table = Table().keys(0, f"{district} bank").act().do(f"key {district} bank")
        lying = {f"{district} {value}" for value in (1, 2, 3, 4, 5)} - set(REMOVED)
        assert table.choices("key") == lying, district
        assert table.do(f"key {district} 4").money() == 16, district


def test_p13_vacated_tiles_are_free():
    """P13: a building or landmark that a key has left can be moved to."""
    table = Table().landmark("Tuileries", "Montmartre").goods(1, wood=1).goods(0, marble=1)
    table.keys(0, "Tuileries").keys(1, "Montmartre bank").move(0, "Tuileries", "Sacré-Coeur")
    table.act(1).do("key Montmartre bank")
    assert {"Tuileries", "Montmartre 1"} <= table.choices("key")


def test_p14_a_landmark_from_the_supply_beats_all_in_the_district_and_the_origin():
    """P14: it must be higher than every landmark there, also than one without a key, and than where the key stands."""
    table = Table().landmark("Opéra", "Montmartre").goods(0, wood=4, marble=3, gold=3).keys(0, "Montmartre bank").act()
    table.do("key Montmartre bank")
    landmarks = table.choices("key") & set(board.LANDMARK_NAMES)
    assert landmarks == {"Opéra", "Panthéon", "Notre-Dame", "Louvre", "Eiffel Tower"}
    above = Table().landmark("Opéra", "Montmartre").goods(0, wood=4, marble=3, gold=3).keys(0, "Opéra").act()
    above.do("key Opéra")
    assert above.choices("key") == {"Panthéon", "Notre-Dame", "Louvre", "Eiffel Tower"}


def test_p14_a_landmark_enters_with_the_key():
    """P14: from a bank or a building it comes into that district, from the Arc into one that the player chooses."""
    table = arrive(Table().goods(0, wood=1), "Tuileries")
    assert board.DISTRICT_NAMES[table.s.landmark_district[0]] == "Montmartre" and table.at(0, "Tuileries") == 1
    arc = Table().landmark("Louvre", "Chaillot").landmark("Tuileries", "Montmartre").goods(0, marble=1)
    arc.keys(0, "Arc de Triomphe").act().do("key Arc de Triomphe", "key Sacré-Coeur")
    assert arc.choices("district") == set(board.DISTRICT_NAMES) - {"Chaillot"}
    arc.do("district Belleville")
    assert board.DISTRICT_NAMES[arc.s.landmark_district[1]] == "Belleville" and arc.at(0, "Sacré-Coeur") == 1


def test_p15_a_landmark_already_there_is_like_a_building():
    """P15: a vacant lower landmark of the district can be moved to, though a higher one stands there."""
    table = Table().landmark("Tuileries", "Montmartre").landmark("Louvre", "Montmartre").goods(0, wood=1)
    assert arrive(table, "Tuileries").at(0, "Tuileries") == 1


# -- landmarks -------------------------------------------------------------------------------------------------------


def test_each_landmark_costs_its_value_and_resources():
    """Landmark table: Francs of its value and the resources printed."""
    for name in board.LANDMARK_NAMES:
        table = Table()
        i = board.LANDMARK_NAMES.index(name)
        cost = [int(n) for n in table.c.resources[36 + i]]
        table.goods(0, **{good: n for good, n in zip(board.GOOD_NAMES[:3], cost, strict=True) if n})
        arrive(table, name)
        assert table.money() == 20 - int(table.c.landmark_value[i]), name
        assert [table.has(0, good) for good in board.GOOD_NAMES[:3]] == [0, 0, 0], name
        assert [int(n) for n in table.s.supply[:3]] == cost, name
        short = Table().goods(0, wood=1, marble=1, gold=1).keys(0, "Montmartre bank").act().do("key Montmartre bank")
        assert (f"key {name}" in short.legal) == (max(cost) <= 1), name


def test_p16_one_token_a_section_any_subset_only_on_arrival():
    """P16: section by section, each paid once or left; the next key that arrives may fill them again."""
    table = Table().goods(0, gold=2, bronze=1, silver=1, gold_prestige=2)
    arrive(table, "Louvre")
    assert table.legal == {"give bronze", "done"}
    table.do("done")
    assert table.legal == {"give silver", "done"} and table.vp() == 0
    table.do("give silver", "give gold-prestige")
    assert table.vp() == 9 and (table.has(0, "bronze"), table.has(0, "silver")) == (1, 0)
    assert table.pending[0] == frames.ASK_END_TURN
    again = Table().landmark("Louvre", "Montmartre").goods(1, gold=2, bronze=1)
    assert arrive(again, "Louvre", player=1).do("give bronze").vp(1) == 3


def test_p16_the_eiffel_tower_takes_up_to_three_gold_prestige():
    """P16, published: three sections of 5 VP for gold prestige."""
    table = arrive(Table().goods(0, gold=3, gold_prestige=3), "Eiffel Tower")
    assert table.do(*["give gold-prestige"] * 3).vp() == 15


def test_a_section_that_cannot_be_paid_is_not_asked():
    """P16: without the prestige nothing is asked."""
    table = arrive(Table().goods(0, wood=1, silver=1), "Tuileries")
    assert table.pending[0] == frames.ASK_END_TURN and table.vp() == 0
    assert table.s.decisions == 3  # the key, where to, the wood: two of them without an alternative


def test_removed_tiles_show_nothing_of_themselves():
    """P1: stacks that are drawn empty have no top, though tiles that were removed lie in the record."""
    table = Table().act()
    assert table.view(0, "stacks") == {"1": 0, "2": 0, "3": 0} and table.view(0, "tops") == []


# -- bonus tiles, from the track -------------------------------------------------------------------------------------


def test_p17_any_tile_ahead_whose_number_is_not_owned():
    """P17: whatever lies ahead of the meeple, at no cost of distance; not what is owned, behind, or gone."""
    table = Table().meeple(0, 20).own(0, 25).used(0, 27).own(1, 22)
    arrive(table, "Montmartre 1")
    assert table.choices("bonus") == {"21", "23", "24", "26", "28", "29", "30"}
    table.do("bonus 28")
    assert table.s.meeple[0] == 28 and table.tile(0, 28) == "unused" and table.s.bonus_left[28] == 0


def test_p17_a_meeple_on_the_space_does_not_matter():
    """P17: copies: the second player to come to 29 takes the next of the pile."""
    table = Table(3).meeple(1, 29).own(1, 29)
    assert arrive(table, "Montmartre 1").do("bonus 29").tile(0, 29) == "unused"
    assert table.s.bonus_left[29] == 0


def test_p17_none_ahead_no_bonus():
    """P17: at the end of the track nothing is asked."""
    table = arrive(Table().meeple(0, 30), "Montmartre 1")
    assert table.pending[0] == frames.ASK_END_TURN


def test_p18_a_3_asks_2_francs_for_its_bonus():
    """P18: on top of what the move costs, and optional."""
    for value, fee in [(1, 0), (2, 0), (3, 2)]:
        table = arrive(Table(), f"Montmartre {value}").do("bonus 2")
        assert table.money() == 20 - value - fee and table.tile(0, 2) == "unused", value
        declined = arrive(Table(), f"Montmartre {value}").do("done")
        assert declined.money() == 20 - value and declined.tile(0, 2) == "none", value


def test_p18_the_2_francs_may_be_raised_by_selling():
    """P6, P18: with too little money only sales are offered; after one, the tiles are."""
    table = Table().francs(0, 3).goods(0, gold=1)
    arrive(table, "Montmartre 3")
    assert table.choices("bonus") == set() and "give gold" in table.legal
    table.do("give gold")
    assert "bonus 5" in table.legal
    assert table.do("bonus 5").money() == 2


def test_p18_an_owned_tile_can_be_used_while_the_offer_stands():
    """P6, P18: the Francs of an owned tile pay for the one on offer; the same id takes or uses, by ownership."""
    table = Table().francs(0, 3).own(0, 1)
    arrive(table, "Montmartre 3").do("bonus 1", "bonus 12")
    assert table.tile(0, 1) == "used" and table.tile(0, 12) == "unused" and table.money() == 1


def test_p19_a_tile_may_be_used_in_the_turn_that_earns_it():
    """P19: at once, in the same turn."""
    table = arrive(Table(), "Montmartre 2").do("bonus 5", "bonus 5")
    assert table.tile(0, 5) == "used" and table.money() == 22 and table.s.active == 0


def test_p20_used_tiles_still_count_as_owned():
    """P20: for the offer of a building, for tile 17 and for tile 25."""
    table = arrive(Table().used(0, 5).meeple(0, 3), "Montmartre 1")
    assert "bonus 5" not in table.legal
    table = Table(3).used(0, 29).own(0, 17).act().do("bonus 17")
    assert "bonus 29" not in table.legal and "bonus 30" in table.legal
    table = Table(3).used(0, 29).own(0, 25).meeple(0, 30).act().do("bonus 25")
    assert "bonus 29" not in table.legal and "bonus 28" in table.legal


# -- trade -----------------------------------------------------------------------------------------------------------


def test_selling():
    """Trade: wood, marble, gold for 2, 3, 4; bronze, silver, gold prestige for 1, 2, 3."""
    for good, price in [*zip(board.GOOD_NAMES, (2, 3, 4, 1, 2, 3), strict=True)]:
        table = Table().goods(0, **{good.replace("-", "_"): 1}).act().do(f"give {good}")
        assert table.money() == 20 + price and table.s.supply[board.GOOD_NAMES.index(good)] == 1, good


def test_buying():
    """Trade: a resource that lies in the supply for 4, 5, 6 Francs; an empty supply sells none."""
    for good, price in [("wood", 4), ("marble", 5), ("gold", 6)]:
        table = Table().supply(**{good: 1}).act().do(f"buy {good}")
        assert table.money() == 20 - price and table.has(0, good) == 1 and table.choices("buy") == set(), good
        assert Table().supply(**{good: 1}).francs(0, price - 1).act().choices("buy") == set(), good


def test_p6_trade_before_and_after_the_action():
    """P6: selling and buying before the draw, before the action and after it, in one's own turn."""
    for kind in [frames.ASK_ACTION, frames.ASK_END_TURN, frames.ASK_DRAW]:
        table = Table().empty("Montmartre 2").goods(0, silver=1).supply(wood=1).ask(kind)
        assert {"give silver", "buy wood"} <= table.legal, kind
        table.do("give silver")
        assert table.pending == (kind, 0), kind


@pytest.mark.many_games
def test_p6_not_in_the_turn_of_others():
    """P6: nobody but the player on turn is ever asked."""
    batch = GameBatch(game.paris(), 8, 3, options={"players": 3})
    for _ in range(60):
        running = batch.states["over"] == 0
        assert (batch.current_player == batch.states["active"])[running].all()
        batch.step_random()


def test_p7_prestige_is_never_bought():
    """P7: sold prestige cannot be bought back by anybody."""
    table = Table().supply(bronze=2, silver=1, gold_prestige=1).act()
    assert table.choices("buy") == set()


def test_p8_spent_and_sold_resources_can_be_bought_tiles_cannot():
    """P8: tokens that pay go to the supply; tiles that stand for goods do not."""
    table = arrive(Table().goods(0, wood=1), "Montmartre 8")
    assert table.s.supply[0] == 1
    table.act(1)
    assert "buy wood" in table.legal
    stood = arrive(Table().own(0, 2), "Montmartre 8")
    assert stood.s.supply.sum() == 0 and stood.tile(0, 2) == "used"


def test_p46_a_kind_may_be_bought_and_sold_in_one_turn():
    """P46: what was held is sold though some was bought, what lay there is bought though some was sold."""
    table = Table().goods(0, wood=2).supply(wood=2).act().do("give wood", "buy wood", "give wood", "buy wood")
    assert table.money() == 20 + 2 - 4 + 2 - 4 and table.has(0, "wood") == 2
    assert not {"give wood", "buy wood"} & table.legal


def test_p46_tokens_bought_are_not_sold_in_that_turn():
    """P46: of three wood two were bought: one may be sold; the next own turn forgets it."""
    table = Table().goods(0, wood=1).supply(wood=2).act().do("buy wood", "buy wood", "give wood")
    assert "give wood" not in table.legal and "buy wood" not in table.legal
    table.do("put Chaillot bank", "put Chaillot bank", "done")
    assert table.s.active == 0 and {"give wood", "buy wood"} <= table.legal


def test_p46_as_many_as_were_sold_are_not_bought_back():
    """P46: with one wood there and two sold, one can be bought; the other player may buy all."""
    table = Table().goods(0, wood=2).supply(wood=1).act().do("give wood", "give wood", "buy wood")
    assert table.s.supply[0] == 2 and "buy wood" not in table.legal
    table.do("put Chaillot bank")
    assert table.s.active == 1
    table.do("buy wood", "buy wood")
    assert table.has(1, "wood") == 2


def test_p46_a_token_gained_from_the_board_is_another_and_may_be_sold():
    """P46: wood bought before a move to a 4, which brings one: one can be sold, the one that was bought cannot."""
    table = Table().supply(wood=1).keys(0, "Montmartre bank").act().do("buy wood")
    assert "give wood" not in table.legal
    table.do("key Montmartre bank", "key Montmartre 4")
    assert table.has(0, "wood") == 2 and table.pending == (frames.ASK_END_TURN, 0)
    assert "give wood" not in table.do("give wood").legal and table.has(0, "wood") == 1


def test_p46_of_equal_tokens_the_one_bought_pays_first():
    """P46, reading: a payment takes a bought token, so that the one held before may still be sold."""
    table = Table().goods(0, wood=1).supply(wood=1).keys(0, "Montmartre bank").act().do("buy wood")
    table.do("key Montmartre bank", "key Montmartre 8")
    assert table.has(0, "wood") == 1 and {"give wood", "buy wood"} <= table.legal  # P8: what paid can be bought


def test_p46_pairs_returned_take_bought_tokens_first():
    """P46, reading: of three wood one was bought; a pair returned leaves one that may be sold."""
    table = Table().own(0, 24).goods(0, wood=2).supply(wood=1).act().do("buy wood", "bonus 24")
    assert table.has(0, "wood") == 1 and table.s.bought[0] == 0 and "give wood" in table.legal


def trades(table: Table) -> list[str]:
    """The legal trades in wood."""
    return sorted({"give wood", "buy wood"} & table.legal)


def test_p46_trade_runs_in_no_loop():
    """P46: whatever the order, a token held is sold once and one in the supply bought once in a turn; then it ends."""
    for stock, supply in [(0, 3), (1, 2), (2, 2), (3, 0)]:
        sequences = {}  # what a position is -> the trades that led to it
        pending = [()]
        while pending:
            labels = pending.pop()
            table = Table().francs(0, 100).goods(0, wood=stock).supply(wood=supply).act().do(*labels)
            assert labels.count("give wood") <= stock and labels.count("buy wood") <= supply, stock
            position = (table.has(0, "wood"), table.money())
            assert sequences.setdefault(position, sorted(labels)) == sorted(labels), (
                "a position came again with other trades"
            )
            pending += [(*labels, label) for label in trades(table)]
        assert len(sequences) == (stock + 1) * (supply + 1), stock


def test_p42_six_tokens_of_each_good():
    """P42: tokens are limited to what lies on the board, in the supply and behind screens."""
    s = fresh(tokens="random").record()
    assert [int((s.token == good + 1).sum()) for good in range(6)] == [6] * 6


# -- VP tiles --------------------------------------------------------------------------------------------------------


def four_keys(*names: str) -> Table:
    """Keys in Montmartre before player 0 moves one from the bank to the 5."""
    table = Table()
    for i, name in enumerate(names):
        table.keys(i % 2, name)
    return arrive(table, "Montmartre 5")


def test_p31_the_fourth_key_of_all_colours_brings_a_vp_tile():
    """P31: exactly at four keys; three bring none, and a fifth no second one."""
    assert four_keys(*CLIMB).pending == (frames.ASK_VP_TILE, 0)
    assert four_keys(*CLIMB[:2]).pending[0] == frames.ASK_END_TURN
    assert four_keys(*CLIMB, "Montmartre 4").pending[0] == frames.ASK_END_TURN


def test_p31_two_keys_on_one_tile_count_twice_and_banks_not_at_all():
    """P31: a double holding counts each key; keys on banks do not count."""
    shared = Table().used(0, 16).keys(0, "Montmartre 1", "Montmartre 2").keys(1, "Montmartre 1")
    assert arrive(shared, "Montmartre 5").pending[0] == frames.ASK_VP_TILE
    banks = Table().keys(0, *CLIMB[:2]).keys(1, "Montmartre bank")
    assert arrive(banks, "Montmartre 5").pending[0] == frames.ASK_END_TURN


def test_p31_keys_on_landmarks_count_where_the_landmark_stands():
    """P31: a landmark is part of its district."""
    for district, question in [("Montmartre", frames.ASK_VP_TILE), ("Chaillot", frames.ASK_END_TURN)]:
        table = Table().landmark("Opéra", district).keys(1, "Opéra").keys(0, *CLIMB[:2])
        assert arrive(table, "Montmartre 5").pending[0] == question, district


def test_p31_a_move_within_the_district_brings_none():
    """P31: the number of keys does not grow when one climbs."""
    table = Table().keys(0, *CLIMB).keys(1, "Montmartre 4")
    assert table.move(0, "Montmartre 3", "Montmartre 5").pending[0] == frames.ASK_END_TURN


def test_a_vp_tile_goes_to_any_district_without_one():
    """4 keys: any VP tile left, into any district that has none, not only where the keys are."""
    table = Table().vp_tile(1, "Chaillot").keys(0, *CLIMB)
    arrive(table, "Montmartre 5")
    assert table.choices("vp-tile") == {"2", "3", "4", "5", "6"}
    table.do("vp-tile 3")
    assert table.choices("district") == set(board.DISTRICT_NAMES) - {"Chaillot"}
    table.do("district Belleville")
    assert board.DISTRICT_NAMES[table.s.vp_tile_district[2]] == "Belleville"


def test_p32_a_declined_vp_tile_is_lost():
    """P32: the tiles stay in the supply, and a later key in that district brings no other chance."""
    table = four_keys(*CLIMB).do("done")
    assert (table.s.vp_tile_district == 6).all() and table.pending[0] == frames.ASK_END_TURN
    assert arrive(table, "Montmartre 4").pending[0] == frames.ASK_END_TURN


def test_p33_rewards_before_the_vp_tile():
    """P33: token and bonus tile first, then the VP tile."""
    table = Table().keys(0, *CLIMB[1:]).keys(1, "Montmartre 4")
    arrive(table, "Montmartre 1")
    assert table.pending[0] == frames.ASK_BONUS and table.has(0, "bronze") == 1
    assert table.do("bonus 1").pending[0] == frames.ASK_VP_TILE


# -- the end ---------------------------------------------------------------------------------------------------------


def turns_until_the_end(table: Table) -> list[int]:
    """Who passes, in order, until the game is over."""
    order = []
    while not table.s.over:
        order += [int(line.split()[1]) for line in table.do("done").log if line.endswith("passes")]
    return order


def test_p4_this_round_and_one_more():
    """P4: the round ends to the right of the start player; taken there, exactly one round follows."""
    for player in [0, 1, 2]:
        table = Table(3).end_tiles_gone(supply=1).goods(1, bronze=1).goods(2, bronze=1).goods(0, bronze=1)
        for p in range(3):
            table.no_hand(p)
        table.act(player).do("search")
        expected = [*range(player + 1, 3), 0, 1, 2]
        assert int(table.s.rounds_left) == 2 and turns_until_the_end(table) == expected, player


def test_p5_nothing_to_do_in_the_last_round_is_a_pass():
    """P5: a player without any action passes, and the game goes on to its end."""
    table = Table().end_tiles_gone().goods(0, bronze=1)
    table.no_hand(0).no_hand(1).act()
    assert table.legal == {"done", "give bronze"}
    assert turns_until_the_end(table) == [0, 1, 0, 1]


def test_p38_the_search_shows_what_is_left_and_others_see_only_the_number():
    """P38: any kind left may be taken, a second of a kind too; the others learn the number alone."""
    table = Table().end_tiles(0, "francs").act().do("search")
    assert "end-tile francs" in table.legal and table.choices("end-tile") == set(board.END_NAMES)
    table.do("end-tile francs")
    assert table.view(0, "own_end")["francs"] == 2
    assert table.view(1, "end_left") == 10 and table.view(1, "their_end")["next"] == 2
    assert table.view(1, "end_since")["francs"] == 3 and sum(table.view(1, "own_end").values()) == 0


def test_p38_what_a_search_showed_is_remembered():
    """P38: tiles taken before the own search are known as a set; later ones are any of those left then."""
    table = Table(3).end_tiles(1, "2-vp").end_tiles(0, "wood").end_tiles(2, "marble")
    table.act(0)
    early, since = table.view(0, "end_before"), table.view(0, "end_since")
    assert early["2-vp"] == 1 and sum(early.values()) == 1
    assert since["marble"] == 1 and sum(since.values()) == 10


def test_p38_what_is_left_is_known_during_the_search_already():
    """P38: the tiles that others hold are known as a set as soon as one's own search begins."""
    table = Table(3).end_tiles(1, "2-vp").act(0)
    assert table.view(0, "end_before")["2-vp"] == 0 and table.view(0, "end_since")["2-vp"] > 0
    table.do("search")
    assert table.view(0, "end_before")["2-vp"] == 1 and sum(table.view(0, "end_since").values()) == 11


def test_p38_a_used_tile_does_not_tell_when_it_was_taken():
    """P38: two positions that a seat cannot tell apart; whether the 3 Francs used came first or last is not shown."""
    first = Table(3).end_tiles(1, "francs").end_tiles(2, "2-vp").end_tiles(0, "wood").end_tiles(1, "marble")
    last = Table(3).end_tiles(1, "2-vp").end_tiles(2, "francs").end_tiles(0, "wood").end_tiles(1, "francs")
    for table in (first, last):
        table.act(1).do("end-tile francs")
    for piece in ("end_before", "end_since", "their_end", "end_left"):
        assert first.view(0, piece) == last.view(0, piece), piece


def test_an_end_game_tile_is_taken_instead_of_a_key():
    """End Game tiles: the search is the action of the turn."""
    table = Table().goods(0, bronze=1).act().do("search", "end-tile wood")
    assert table.pending == (frames.ASK_END_TURN, 0)


# -- scoring ---------------------------------------------------------------------------------------------------------


def scored(players: int, *holdings: str) -> list[int]:
    """VP of a finished game with VP tile 1 (20, 10, 5) in Montmartre and these places of the players."""
    table = Table(players).vp_tile(1, "Montmartre").landmark("Tuileries", "Montmartre").used(0, 9, 16)
    for player, names in enumerate(holdings):
        table.keys(player, *[n if n == "Tuileries" else f"Montmartre {n}" for n in names.split()])
    return final_vp(table)


def final_vp(table: Table) -> list[int]:
    """Everybody's VP once the game is finished."""
    table.finish()
    return [table.vp(p) for p in range(int(table.s.players))]


def test_majority_by_total_value():
    """Game end: first, second and third by the total value of buildings and landmarks."""
    assert scored(4, "1", "2 3", "4 5", "8") == [0, 5, 20, 10]


def test_majority_needs_a_vp_tile_and_a_key():
    """Game end: districts without a VP tile pay nothing, players without a key there get nothing."""
    assert final_vp(Table().keys(0, "Chaillot 8")) == [0, 0]
    assert scored(3, "", "1", "") == [0, 20, 0]


def test_p34_ties_go_to_the_highest_tile_then_are_shared():
    """P34: equal totals: the highest tile decides; with the same highest tile all get the place, lower ones skipped."""
    assert scored(3, "2 3", "5", "1") == [10, 20, 5]
    assert scored(3, "5", "5", "1") == [20, 20, 5]
    assert scored(4, "8", "5", "5", "1") == [20, 10, 10, 0]


def test_p35_the_second_of_two_needs_half():
    """P35: twice the total is at least the leader's; otherwise nothing."""
    for second, expected in [("4", [20, 10]), ("3", [20, 0])]:
        assert scored(2, "8", second) == expected, second


def test_p35_a_full_tie_of_two_gives_both_the_first_place():
    """P35: same total, same highest tile: both are first, and nobody is third of two."""
    assert scored(2, "5", "5") == [20, 20]


def test_p36_alone_in_a_district():
    """P36: a single player gets the first place only."""
    assert scored(3, "", "", "1") == [0, 0, 20]


def test_majority_counts_landmarks_and_double_holdings():
    """Game end: landmarks count with their value, two keys on one tile count twice."""
    assert scored(3, "Tuileries", "8", "") == [20, 10, 0]
    assert scored(3, "3 3", "5", "") == [20, 10, 0]


def test_p26_leftovers_are_sold_for_everybody():
    """P26: tokens, and tiles that stand for goods, before the Francs count."""
    table = Table().goods(0, wood=1, bronze=2).goods(1, gold=1).own(1, 3, 21).end_tiles(1, "silver").finish()
    assert (table.money(0), table.money(1)) == (20 + 2 + 2, 20 + 4 + 3 + 8 + 2)
    assert table.s.goods.sum() == 0 and table.tile(1, 3) == table.tile(1, 21) == "used"


def test_p27_other_unused_tiles_are_worth_nothing():
    """P27: neither Francs nor VP of tiles that were not used in an own turn."""
    table = Table().own(0, 1, 7, 22, 6).keys(0, "Montmartre 1").end_tiles(0, "2-vp", "francs").finish()
    assert table.vp(0) == 0 and table.money(0) == 20


def winners(table: Table) -> list[bool]:
    """Who wins once the game is finished."""
    table.finish()
    return list(game.paris().winners(table.s))


def test_the_most_vp_win_then_francs():
    """Game end: VP first; ties by Francs."""
    table = Table().francs(1, 50)
    table.s.vp[0] = 1
    assert winners(table) == [True, False]
    assert winners(Table().francs(1, 21)) == [False, True]


def test_p37_the_last_tie_break_counts_the_whole_board():
    """P37: the total value of all buildings and landmarks, double holdings twice; then the victory is shared."""
    assert winners(Table().keys(0, "Chaillot 2").keys(1, "Montmartre 3")) == [False, True]
    double = Table().used(0, 9).keys(0, "Chaillot 2", "Chaillot 2").keys(1, "Montmartre 3")
    assert winners(double) == [True, False]
    assert winners(Table(3)) == [True, True, True]


def test_p39_screens_hide_money_goods_and_unused_tiles():
    """P39: hidden of others: Francs, tokens, unused bonus tiles, End Game tiles; their numbers of tiles are open."""
    for screens, francs, wood, tile in (("hidden", 0, 0, []), ("open", 17, 2, ["next: 4"])):
        table = Table(screens=screens).francs(1, 17).goods(1, wood=2).own(1, 4).used(1, 5).end_tiles(1, "gold").act()
        assert table.view(0, "their_francs")["next"] == francs
        assert table.view(0, "their_goods")["next: wood"] == wood
        assert table.view(0, "their_unused") == tile
        assert table.view(0, "bonus_held") == {"own": 0, "next": 1, "second next": 0, "third next": 0}
        assert table.view(0, "used") == ["next: 5"]
        assert table.view(0, "their_end")["next"] == 1 and table.view(0, "own_end")["gold"] == 0


@pytest.mark.many_games
def test_p44_passing_with_empty_stacks_means_that_the_end_is_near():
    """P44 cannot come about: while an End Game tile is left nobody may pass, and without one two rounds end it."""
    table = Table().no_hand(0).no_hand(1).end_tiles_gone(supply=1).act()
    assert table.legal == {"search"}
    batch = GameBatch(game.paris(), 32 if JIT else 4, 9)
    while not (batch.states["over"] != 0).all():
        batch.step_random()
        empty = (batch.states["pile_size"] == 1).all(axis=1)
        for i in np.flatnonzero(empty):
            passed = any(line.endswith("passes") for line in batch.journal(int(i)))
            assert not passed or batch.states["end_taken"][i] == board.END_TILES


# -- what the journal says, and what is counted ------------------------------------------------------------------------


def test_turns_are_counted_one_by_one():
    """Each turn is one more: the seat of the next one follows from it."""
    batch = fresh(players=3)
    turns = [int(batch.states["turns"][0])]
    while len(turns) < 4:
        batch.step_random()
        if int(batch.states["turns"][0]) != turns[-1]:
            turns.append(int(batch.states["turns"][0]))
    assert turns == [1, 2, 3, 4]


def test_the_journal_says_what_leftovers_brought():
    """P26: one line for each player who sold something, with the Francs of the sale alone; End Game tiles too."""
    table = Table(3).goods(0, wood=1, bronze=2).end_tiles(1, "bronze").finish()
    sold = [line for line in table.log if "sells what is left" in line]
    assert sold == ["player 0 sells what is left for 4 Francs", "player 1 sells what is left for 1 Francs"]
    assert table.money(1) == 21


def test_the_journal_names_each_award_of_a_district(tmp_path):
    """P34: a line with the VP of the tile for each player who gets some, one VP too; none for the others."""
    tile = '[[vp_tile]]\nnumber = 6\nfirst = 4\nsecond = 1\nthird = 0\nprovenance = "reconstructed"\n'
    (tmp_path / "tile.toml").write_text(tile, encoding="utf-8")
    table = Table(3, components=tmp_path / "tile.toml").vp_tile(6, "Montmartre")
    table.keys(0, "Montmartre 8").keys(1, "Montmartre 5").keys(2, "Montmartre 1").finish()
    lines = [line for line in table.log if "VP in Montmartre" in line]
    assert lines == ["player 0 scores 4 VP in Montmartre", "player 1 scores 1 VP in Montmartre"]


def test_the_journal_names_the_landmark_of_a_section():
    """P14: the sentence about a section has its landmark."""
    table = Table().goods(0, marble=1, bronze=1).keys(0, "Montmartre bank")
    table.move(0, "Montmartre bank", "Sacré-Coeur")
    assert table.do("give bronze").log[-1] == "player 0 fills a section of Sacré-Coeur: 3 VP"


def test_the_rounds_that_are_left_are_seen():
    """P42: an observation tells how many rounds follow once the End Game tiles are gone."""
    table = Table(3)
    table.end_tiles_gone()
    for rounds in (2, 1):
        table.s.rounds_left = rounds
        table.act()
        assert str(rounds) in str(table.view(0, "rounds_left"))


def test_p18_money_may_be_found_for_any_fee():
    """P18: where the bonus tile costs something, if only a Franc, tokens may be sold for it; where nothing, not."""
    assert "give wood" in Table().goods(0, wood=1).ask(frames.ASK_BONUS, 0, 1).legal
    assert "give wood" not in Table().goods(0, wood=1).ask(frames.ASK_BONUS, 0, 0).legal


def test_a_wood_tile_pays_no_prestige():
    """Tile 2 stands for wood alone, and wood and bronze prestige have the same place among their sorts."""
    table = Table().own(0, 2).goods(0, marble=1).keys(0, "Montmartre bank").move(0, "Montmartre bank", "Sacré-Coeur")
    assert table.pending[0] != frames.ASK_PRESTIGE and table.tile(0, 2) == "unused"


@pytest.mark.skipif(JIT, reason="calls rules, which compiled are closed to Python")
def test_tiles_behind_are_counted_to_the_end_of_the_track():
    """P22: five spaces with tiles back, the last of the track among them."""
    table = Table().meeple(0, 30)
    behind = [n for n in range(1, 30) if table.s.bonus_left[n] > 0 and table.s.bonus_space[n] < 30]
    behind.sort(key=lambda n: -int(table.s.bonus_space[n]))
    assert [bonus_tiles.steps_back(table.s, 0, n) for n in behind] == list(range(1, len(behind) + 1))


def test_no_turn_begins_after_the_end():
    """Game end: nothing is asked any more, and no turn is counted."""
    table = Table(3)
    turns = int(table.s.turns)
    table.finish()
    assert table.s.over == 1 and table.s.depth == 0 and table.s.turns == turns
