"""Every card of the shipped set: its event does what the component set's document says, and no more."""

from __future__ import annotations

from itertools import product

import pytest
from .table import COMMUNE, VERSAILLES, Table, space
from .table import BC, BM, CC, CV, FI, FORTS, INSTITUTIONAL, MV, NA, OPINION, PARIS, PL, PR, R, RE, SM
from .table import can, play_in_crisis

from rfop_env.games.red_flag_over_paris import frames, state

POLITICAL, MILITARY = INSTITUTIONAL + OPINION, FORTS + PARIS
SIDES = (COMMUNE, VERSAILLES)
BOTH = pytest.mark.parametrize("side", SIDES, ids=("commune", "versailles"))
DONE = {"done"}
YES_NO = {"yes", "done"}
OPTIONS = {"option 1", "option 2"}


def with_cubes(table: Table, side: int, **spaces: int) -> Table:
    """Give a side cubes: with_cubes(table, COMMUNE, PR=2)."""
    for name, count in spaces.items():
        table.s.cubes[side, space(globals()[name])] = count
    return table


def commune(table: Table | None = None, **spaces: int) -> Table:
    """Give the Commune cubes."""
    return with_cubes(table or Table(), COMMUNE, **spaces)


def versailles(table: Table | None = None, **spaces: int) -> Table:
    """Give Versailles cubes."""
    return with_cubes(table or Table(), VERSAILLES, **spaces)


def own(table: Table, side: int, name: str) -> int:
    """How many cubes of a side a space holds."""
    return table.at(name)[side]


def choose(table: Table, side: int, card: int) -> Table:
    """Let a side choose the card for the first play of a round; next comes what to do with it."""
    return table.hand(side, card).first_play(side).do(f"card {card}")


def event(table: Table, side: int, card: int) -> Table:
    """Let a side play the card for its event, as the first play of a round."""
    return choose(table, side, card).do("use event").sound()


def offer_event(table: Table, side: int, card: int) -> Table:
    """Ask a side whether it uses the event of its fulfilled Objective Card; afterwards its enemy plays a card."""
    table.hand(1 - side, 35, 36)
    table.s.plays, table.s.initiative = 1, side
    return table.ask(frames.ASK_WHETHER, side, frames.WHETHER_OBJECTIVE_EVENT, card)


def objective(table: Table, side: int, card: int) -> Table:
    """Let a side use the event of its Objective Card."""
    return offer_event(table, side, card).do("yes").sound()


def over(table: Table, side: int) -> bool:
    """Whether the event is over: the enemy is asked for a card."""
    return table.sound().pending in [(frames.ASK_CARD, 1 - side), (frames.ASK_CRISIS_CARD, 1 - side)]


def follow(table: Table, *steps: tuple) -> None:
    """Take actions step by step; a step is the set of legal actions, then what is done."""
    for legal, *labels in steps:
        assert table.legal == legal
        table.do(*labels)


def in_hand(table: Table, side: int, card: int) -> bool:
    """Whether a side holds a card."""
    return bool(table.s.zone[card] == state.IN_HAND_COMMUNE + side)


# -- whose card it is --------------------------------------------------------------------------------------------------


def test_event_belongs_to_its_colour():
    for card in range(1, 42):
        users = {*([VERSAILLES] if card <= 17 or card >= 35 else []), *([COMMUNE] if card >= 18 else [])}
        for side in SIDES:
            table = versailles(commune(BM=2), R=1).momentum(1, 1)
            assert ("use event" in choose(table, side, card).legal) == (side in users), card


# -- Versailles --------------------------------------------------------------------------------------------------------


def test_card_1_jules_ducatel_shows_the_hand_and_places_in_paris():
    table = event(Table().hand(COMMUNE, 21, 26), VERSAILLES, 1)
    assert table.view(VERSAILLES, "known_enemy") == ["21", "26"]
    follow(table, (can("place", *PARIS) | DONE, f"place {BC}"))
    assert over(table, VERSAILLES) and table.map == {BC: (0, 1)}


def test_card_2_murder_of_vincenzini_removes_two_at_commune_momentum_2():
    table = event(commune(PR=1, PL=2, FI=1, R=1).disc(BM, COMMUNE).momentum(2, 0), VERSAILLES, 2)
    follow(table, (can("remove", PR, PL) | DONE, f"remove {PL}"), (can("remove", PR, PL) | DONE, f"remove {PL}"))
    assert over(table, VERSAILLES) and table.map == {PR: (1, 0), FI: (1, 0), R: (1, 0)}


def test_card_3_brassardiers_places_in_different_spaces_of_paris():
    table = event(Table(), VERSAILLES, 3)
    follow(table, (can("place", *PARIS) | DONE, f"place {BM}"), (can("place", BC, PL) | DONE, f"place {PL}"))
    assert over(table, VERSAILLES) and table.map == {BM: (0, 1), PL: (0, 1)}


def test_card_4_jules_ferry_places_two_in_republicans_or_national_assembly():
    table = event(Table(), VERSAILLES, 4)
    follow(table, (can("place", RE, NA) | DONE, f"place {NA}"), (can("place", RE, NA) | DONE, f"place {NA}"))
    assert over(table, VERSAILLES) and table.map == {NA: (0, 2)}


def test_card_5_le_figaro_places_two_in_public_opinion():
    table = event(Table(), VERSAILLES, 5)
    follow(table, (can("place", *OPINION) | DONE, f"place {SM}", f"place {CC}"))
    assert over(table, VERSAILLES) and table.map == {SM: (0, 1), CC: (0, 1)}


def test_card_6_louis_valentin_operates_in_paris():
    table = event(versailles(commune(BM=1, PL=1, FI=1), MV=1, FI=2).deck_top(3), VERSAILLES, 6)
    assert table.legal == {f"remove {BM}", f"storm {BM}", *can("place", BM, BC), "done"}
    table.do(f"remove {BM}")  # strength 1 from Mont-Valérien beats the 1 point of card 3
    assert table.legal == can("place", BM, BC) | DONE
    assert over(table.do(f"place {BM}"), VERSAILLES)
    assert table.at(BM) == (0, 1)


def test_card_7_espivent_removes_in_social_movements_or_republicans():
    table = event(commune(SM=2, RE=1, PR=1), VERSAILLES, 7)
    follow(table, (can("remove", SM, RE) | DONE, f"remove {SM}"), (can("remove", SM, RE) | DONE, f"remove {SM}"))
    assert over(table, VERSAILLES) and table.map == {RE: (1, 0), PR: (1, 0)}


def test_card_8_amis_de_l_ordre_replaces_in_press_or_catholic_church():
    table = event(commune(PR=1, CC=1, SM=1), VERSAILLES, 8)
    follow(table, (OPTIONS, "option 1"), (can("replace", PR, CC), f"replace {PR}"))
    assert over(table, VERSAILLES) and table.map == {PR: (0, 1), CC: (1, 0), SM: (1, 0)}


def test_card_8_amis_de_l_ordre_or_places_in_butte_montmartre():
    table = event(commune(PR=1), VERSAILLES, 8).do("option 2")
    follow(table, (can("place", BM) | DONE, f"place {BM}"))
    assert over(table, VERSAILLES) and table.map == {PR: (1, 0), BM: (0, 1)}


def test_card_9_newspaper_ban_removes_one_then_places_in_press():
    table = event(commune(PR=1, SM=2, CC=1), VERSAILLES, 9)
    follow(table, (can("remove", PR, SM) | DONE, f"remove {PR}"), (can("place", PR) | DONE, f"place {PR}"))
    assert over(table, VERSAILLES) and table.map == {SM: (2, 0), CC: (1, 0), PR: (0, 1)}


def test_card_10_mont_valerien_gets_a_fortification_and_a_cube():
    table = event(Table(), VERSAILLES, 10)
    assert table.s.disc[space(MV)] == VERSAILLES + 1
    follow(table, (can("place", MV) | DONE, f"place {MV}"))
    assert over(table, VERSAILLES) and table.map == {MV: (0, 1)}


def test_card_11_thiers_places_in_institutional_then_with_control_in_public_opinion():
    table = event(Table(), VERSAILLES, 11)
    follow(table, (can("place", *INSTITUTIONAL) | DONE, f"place {NA}", f"place {R}"))
    follow(table, (can("place", *OPINION) | DONE, f"place {PR}"))
    assert over(table, VERSAILLES) and table.map == {NA: (0, 1), R: (0, 1), PR: (0, 1)}


def test_card_12_bismarck_raises_momentum_reveals_the_objective_swaps_and_places():
    table = Table().momentum(0, 1).objective(COMMUNE, 48).hand(VERSAILLES, 3).deck_top(5)
    event(table, VERSAILLES, 12)
    assert table.pending == (frames.ASK_PLACE, COMMUNE)  # momentum 2: the Commune may place first
    assert table.legal == can("place", *OPINION) | DONE
    assert table.view(VERSAILLES, "enemy_objective") == []
    table.do(f"place {PR}")
    assert table.view(VERSAILLES, "enemy_objective") == ["48"]
    assert table.legal == {"card 3", "done"}
    assert table.do("card 3").legal == can("place", *FORTS) | DONE
    assert over(table.do(f"place {MV}"), VERSAILLES)
    assert in_hand(table, VERSAILLES, 5) and not in_hand(table, VERSAILLES, 3)
    assert table.view(VERSAILLES, "known_deck") == ["3"]
    assert table.view(COMMUNE, "known_deck") == []
    assert (list(table.s.momentum), table.map) == ([0, 2], {PR: (1, 0), MV: (0, 1)})


def test_card_13_de_cissey_shows_the_hand_and_operates_in_forts_with_3_points():
    table = event(versailles(commune(FI=1, CV=2, BM=1), CV=1).hand(COMMUNE, 21, 26), VERSAILLES, 13)
    assert table.view(VERSAILLES, "known_enemy") == ["21", "26"]
    follow(
        table,
        (can("place", *FORTS) | can("remove", FI, CV) | can("storm", FI, CV) | DONE, f"place {MV}", f"place {MV}"),
    )
    follow(table, (can("place", *FORTS) | DONE, f"place {FI}"))
    assert over(table, VERSAILLES) and table.map == {MV: (0, 2), FI: (1, 1), CV: (2, 1), BM: (1, 0)}


def test_card_14_lochner_places_in_forts_and_a_fortification_with_mont_valerien():
    table = event(Table().disc(FI, COMMUNE), VERSAILLES, 14)
    follow(table, (can("place", *FORTS) | DONE, f"place {MV}"))
    follow(table, (can("disc", MV, CV) | DONE, f"disc {CV}"))
    assert over(table, VERSAILLES)
    assert table.s.disc[space(CV)] == VERSAILLES + 1
    assert table.map == {MV: (0, 1)}


def test_card_15_favre_raises_momentum_and_places_in_institutional():
    table = event(Table(), VERSAILLES, 15)
    assert list(table.s.momentum) == [0, 1]
    follow(table, (can("place", *INSTITUTIONAL) | DONE, f"place {R}"))
    assert over(table, VERSAILLES) and table.map == {R: (0, 1)}


def test_card_16_hostage_decree_replaces_in_different_spaces_and_raises_the_commune():
    table = event(commune(PR=2, SM=1, CC=1, R=1), VERSAILLES, 16)
    follow(table, (can("replace", *OPINION) | DONE, f"replace {PR}"))
    follow(table, (can("replace", SM, CC) | DONE, f"replace {SM}"))
    assert over(table, VERSAILLES) and table.map == {PR: (1, 1), SM: (0, 1), CC: (1, 0), R: (1, 0)}
    assert list(table.s.momentum) == [1, 0]


def test_card_17_mac_mahon_operates_with_4_points_in_military_spaces():
    table = play_in_crisis(versailles(MV=1, R=1, PR=1), VERSAILLES, 17)
    follow(table, (can("place", MV, FI, BM) | DONE, f"place {FI}", f"place {FI}", f"place {BM}"))
    follow(table, (can("place", MV, FI, BM) | DONE, f"place {FI}"))
    assert over(table, VERSAILLES) and table.map == {MV: (0, 1), R: (0, 1), PR: (0, 1), FI: (0, 3), BM: (0, 1)}
    assert table.s.zone[17] == state.REMOVED


# -- Commune -----------------------------------------------------------------------------------------------------------


def test_card_18_minck_replaces_anywhere():
    table = event(commune(versailles(R=1, SM=1, PR=1), PR=1), COMMUNE, 18)
    follow(table, (can("replace", R, SM, PR), f"replace {SM}"))
    assert over(table, COMMUNE) and table.map == {R: (0, 1), SM: (1, 0), PR: (1, 1)}


def test_card_19_wroblewski_places_2_in_fort_d_issy_or_butte_aux_cailles_and_removes_in_the_fort():
    table = event(versailles(BC=1, FI=2), COMMUNE, 19)  # no presence is needed
    follow(table, (can("place", FI, BC) | DONE, f"place {BC}", f"place {BC}"))
    follow(table, (can("remove", FI) | DONE, f"remove {FI}"))
    assert over(table, COMMUNE) and table.map == {FI: (0, 1), BC: (2, 1)}


def test_card_20_banque_de_france_spends_momentum_and_places_four():
    table = commune(R=4).momentum(1, 0).stock(COMMUNE, pool=2, track=(9, 0, 0, 0))
    event(table, COMMUNE, 20)
    assert (table.s.momentum[COMMUNE], table.s.pool[COMMUNE]) == (0, 0)  # its pool places are closed
    assert table.legal == can("place", NA, RE, *OPINION) | DONE
    assert table.do(f"place {SM}", f"place {SM}").legal == can("place", NA, RE, *OPINION) | DONE
    assert table.do(f"place {PR}").legal == can("place", NA, RE, *OPINION) | DONE
    assert over(table.do(f"place {PR}"), COMMUNE)
    assert table.map == {R: (4, 0), SM: (2, 0), PR: (2, 0)}


def test_card_21_le_reveil_places_in_press_or_republicans():
    table = event(Table(), COMMUNE, 21)
    follow(table, (can("place", PR, RE) | DONE, f"place {PR}", f"place {PR}"))
    assert over(table, COMMUNE) and table.map == {PR: (2, 0)}


def test_card_22_execution_of_generals_raises_momentum_swaps_and_places():
    table = event(Table().momentum(1, 0).hand(COMMUNE, 26, 27).deck_top(28), COMMUNE, 22)
    assert table.pending == (frames.ASK_PLACE, VERSAILLES)
    follow(table, (can("place", *INSTITUTIONAL) | DONE, f"place {NA}"), ({"card 26", "card 27", "done"}, "card 27"))
    follow(table, (can("place", BM) | DONE, f"place {BM}"))
    assert over(table, COMMUNE)
    assert [card for card in (26, 27, 28) if in_hand(table, COMMUNE, card)] == [26, 28]
    assert (table.s.momentum[COMMUNE], table.map) == (2, {NA: (0, 1), BM: (1, 0)})


def test_card_23_cantinieres_places_cubes_that_are_out_of_play():
    table = commune(versailles(FI=1), BM=1, R=1).stock(COMMUNE, track=(3, 0, 0, 0))
    event(table, COMMUNE, 23)
    assert table.s.out_of_play[COMMUNE] == 13
    follow(table, (YES_NO, "yes"), (can("place", BM, PL) | DONE, f"place {PL}"), (YES_NO, "yes"))
    follow(table, (can("place", BM, PL) | DONE, f"place {BM}"))
    assert over(table, COMMUNE)
    assert (table.s.out_of_play[COMMUNE], table.s.track[COMMUNE, 0]) == (11, 3)
    assert table.map == {BM: (2, 0), FI: (0, 1), PL: (1, 0), R: (1, 0)}


def test_card_24_protot_removes_and_places_two_in_catholic_church_or_press():
    table = event(versailles(CC=2, PR=1, R=1, NA=1), COMMUNE, 24)
    follow(table, (can("remove", CC, R) | DONE, f"remove {CC}"))
    follow(table, (can("place", CC, PR) | DONE, f"place {CC}", f"place {PR}"))
    assert over(table, COMMUNE) and table.map == {CC: (1, 1), PR: (1, 1), R: (0, 1), NA: (0, 1)}


def test_card_25_cluseret_builds_a_barricade():
    table = event(Table().disc(BC, VERSAILLES), COMMUNE, 25)
    follow(table, (OPTIONS, "option 1"), (can("disc", BM, PL), f"disc {PL}"))
    assert over(table, COMMUNE)
    assert table.s.disc[space(PL)] == COMMUNE + 1
    assert table.map == {}


def test_card_25_cluseret_or_places_in_military_spaces():
    table = event(Table(), COMMUNE, 25).do("option 2")
    assert table.legal == can("place", *MILITARY) | DONE
    assert over(table.do(f"place {CV}", f"place {PL}"), COMMUNE)
    assert table.map == {CV: (1, 0), PL: (1, 0)} and not table.s.disc.any()


def test_card_26_cremieux_removes_in_royalists_or_national_assembly_and_places():
    table = event(versailles(R=2, NA=1, RE=1), COMMUNE, 26)
    follow(table, (can("remove", R, NA) | DONE, f"remove {R}"))
    follow(table, (can("place", RE, SM) | DONE, f"place {SM}", f"place {RE}"))
    assert over(table, COMMUNE) and table.map == {R: (0, 1), NA: (0, 1), SM: (1, 0), RE: (1, 1)}


def test_card_27_louise_michel_may_raise_momentum_and_places():
    table = event(Table(), COMMUNE, 27)
    follow(table, (YES_NO, "yes"), (can("place", *PARIS, SM) | DONE, f"place {SM}", f"place {BM}"))
    assert over(table, COMMUNE)
    assert (list(table.s.momentum), table.map) == ([1, 0], {SM: (1, 0), BM: (1, 0)})


def test_card_28_dombrowski_operates_with_4_points_in_military_spaces():
    table = event(commune(PL=1, SM=1), COMMUNE, 28)
    follow(table, (can("place", PL, BM, BC, CV) | DONE, f"place {BM}", f"place {CV}", f"place {BM}", f"place {CV}"))
    assert over(table, COMMUNE) and table.map == {PL: (1, 0), SM: (1, 0), BM: (2, 0), CV: (2, 0)}


def test_card_29_rigault_shows_the_hand_removes_and_places_in_paris():
    table = event(versailles(BM=1, CC=2, R=1, FI=1).hand(VERSAILLES, 3, 5), COMMUNE, 29)
    assert table.view(COMMUNE, "known_enemy") == ["3", "5"]
    follow(table, (can("remove", BM, CC) | DONE, f"remove {CC}", f"remove {CC}"))
    follow(table, (can("place", *PARIS) | DONE, f"place {PL}"))
    assert over(table, COMMUNE) and table.map == {BM: (0, 1), R: (0, 1), FI: (0, 1), PL: (1, 0)}


def test_card_30_marx_uses_an_own_or_neutral_discard_of_this_round():
    table = Table()
    table.s.round_number = 2
    table.discarded(24, COMMUNE, 1).discarded(5, VERSAILLES).discarded(40, VERSAILLES)
    table.discarded(21, COMMUNE).discarded(26, VERSAILLES)
    event(table, COMMUNE, 30)
    follow(table, ({"card 21", "card 26", "card 40"}, "card 21"))
    follow(table, (can("place", PR, RE) | DONE, f"place {RE}", "done"))
    assert over(table, COMMUNE) and table.map == {RE: (1, 0)}
    assert table.s.top_discard == 30


def test_card_31_blanquists_raise_momentum_and_may_build_a_barricade():
    table = event(Table().disc(PL, VERSAILLES), COMMUNE, 31)
    assert table.legal == can("disc", BM, BC) | DONE
    assert over(table.do(f"disc {BM}"), COMMUNE)
    assert (list(table.s.momentum), table.s.disc[space(BM)]) == ([1, 0], COMMUNE + 1)


def test_card_32_lullier_replaces_in_mont_valerien_and_places_in_forts():
    table = event(commune(versailles(MV=2, FI=1), BM=1), COMMUNE, 32)
    assert table.at(MV) == (1, 1)
    follow(table, (can("place", *FORTS) | DONE, f"place {FI}", f"place {MV}"))
    assert over(table, COMMUNE) and table.map == {MV: (2, 1), FI: (1, 1), BM: (1, 0)}


def test_card_33_valles_places_in_public_opinion_and_removes_in_press():
    table = event(versailles(PR=2, CC=1), COMMUNE, 33)
    follow(table, (can("place", *OPINION) | DONE, f"place {PR}", f"place {PR}"))
    follow(table, (can("remove", PR) | DONE, f"remove {PR}"))
    assert over(table, COMMUNE) and table.map == {PR: (2, 1), CC: (0, 1)}


def test_card_34_delescluze_operates_with_3_military_and_1_political_point():
    table = play_in_crisis(commune(versailles(PR=1), PL=1, SM=1), COMMUNE, 34)
    follow(table, (can("place", PL, BM, BC, CV) | DONE, f"place {BC}", f"place {BC}", f"place {CV}"))
    follow(table, ({*can("place", SM, RE, PR), f"remove {PR}", "done"}, f"remove {PR}"))
    assert over(table, COMMUNE) and table.map == {PL: (1, 0), SM: (1, 0), BC: (2, 0), CV: (1, 0)}
    assert table.s.zone[34] == state.REMOVED


# -- neutral -----------------------------------------------------------------------------------------------------------


@BOTH
def test_card_35_conciliation_lowers_both_momentums_and_places(side):
    table = event(Table().momentum(2, 2), side, 35)
    assert table.s.momentum[1 - side] == 1
    assert table.legal == YES_NO
    assert table.do("yes").s.momentum[side] == 1
    assert table.legal == can("place", *POLITICAL) | DONE
    assert table.do(f"place {PR}").legal == can("place", *INSTITUTIONAL, CC, SM) | DONE
    assert table.do(f"place {R}").legal == can("place", NA, RE, CC, SM) | DONE
    assert over(table.do(f"place {SM}"), side)
    assert [own(table, side, name) for name in (PR, R, SM)] == [1, 1, 1]
    assert list(table.s.momentum) == [1, 1]


@BOTH
def test_card_36_clemenceau_places_then_replaces(side):
    table = event(with_cubes(with_cubes(Table(), 1 - side, RE=1, BM=1, NA=1), side, SM=1), side, 36)
    follow(table, (can("place", RE, NA) | DONE, f"place {RE}", f"place {RE}"))
    follow(table, (can("replace", RE, BM), f"replace {BM}"))
    assert over(table, side)
    assert [own(table, side, name) for name in (RE, BM, NA)] == [2, 1, 0]
    assert [own(table, 1 - side, name) for name in (RE, BM, NA)] == [1, 0, 1]


@BOTH
def test_card_37_darboy_places_in_catholic_church_or_royalists(side):
    table = event(with_cubes(Table(), 1 - side, PR=1), side, 37)
    follow(table, (OPTIONS, "option 1"), (can("place", CC, R) | DONE, f"place {R}", f"place {R}", f"place {CC}"))
    assert over(table, side)
    assert (own(table, side, R), own(table, side, CC), own(table, 1 - side, PR)) == (2, 1, 1)


@BOTH
def test_card_37_darboy_or_replaces_in_public_opinion(side):
    table = event(with_cubes(Table(), 1 - side, PR=1, SM=1, CC=1, R=1), side, 37).do("option 2")
    assert table.legal == can("replace", *OPINION) | DONE
    assert over(table.do(f"replace {SM}", f"replace {PR}"), side)
    assert [own(table, 1 - side, name) for name in (PR, SM, CC, R)] == [0, 0, 1, 1]
    assert [own(table, side, name) for name in (PR, SM, CC, R)] == [1, 1, 0, 0]


@BOTH
def test_card_38_hugo_operates_with_4_points_in_public_opinion(side):
    table = event(with_cubes(with_cubes(Table(), side, R=1, BM=2), 1 - side, PR=2, BM=1, NA=1), side, 38)
    places = (CC, PR) + (() if side == VERSAILLES else (SM,))
    follow(table, (can("place", *places) | can("remove", PR) | DONE, f"remove {PR}", f"remove {PR}"))
    follow(table, (can("place", *places) | DONE, f"place {PR}", f"place {CC}"))
    assert over(table, side)
    assert [own(table, side, name) for name in (R, CC, PR, BM)] == [1, 1, 1, 2]
    assert [own(table, 1 - side, name) for name in (PR, NA, BM)] == [0, 1, 1]


@BOTH
def test_card_39_gambetta_replaces_in_different_institutional_spaces(side):
    table = event(with_cubes(Table(), 1 - side, R=2, NA=1, RE=1, PR=1), side, 39)
    assert table.legal == can("replace", *INSTITUTIONAL) | DONE
    assert table.do(f"replace {R}").legal == can("replace", NA, RE) | DONE
    assert over(table.do(f"replace {NA}"), side)
    assert [own(table, side, name) for name in (R, NA)] == [1, 1]
    assert [own(table, 1 - side, name) for name in (R, NA, RE, PR)] == [1, 0, 1, 1]


@BOTH
def test_card_40_washburne_lowers_the_enemy_and_places_in_political(side):
    table = event(Table().momentum(2, 2), side, 40)
    assert (table.s.momentum[side], table.s.momentum[1 - side]) == (2, 1)
    assert table.legal == can("place", *POLITICAL) | DONE
    assert over(table.do(f"place {CC}", f"place {CC}"), side)
    assert own(table, side, CC) == 2


@BOTH
def test_card_41_freemasons_remove_3_in_different_military_spaces(side):
    table = event(with_cubes(Table(), 1 - side, MV=2, PL=1, FI=1, PR=1).disc(BC, 1 - side), side, 41)
    follow(table, (can("remove", MV, PL, FI) | DONE, f"remove {MV}"), (can("remove", PL, FI) | DONE, f"remove {PL}"))
    follow(table, (can("remove", FI) | DONE, f"remove {FI}"))
    assert over(table, side)
    assert [own(table, 1 - side, name) for name in (MV, PL, FI, PR)] == [1, 0, 0, 1]
    assert table.s.disc[space(BC)] == 2 - side


# -- objectives --------------------------------------------------------------------------------------------------------


def test_objective_event_may_be_declined():
    for card, side in product(range(42, 54), SIDES):
        table = offer_event(with_cubes(with_cubes(Table(), 1 - side, R=1, PR=1, BM=1, FI=1), side, BC=2), side, card)
        assert table.legal == YES_NO, (card, side)
        old_map = table.map
        assert over(table.do("done"), side), (card, side)
        assert (table.map, list(table.s.momentum), table.s.disc.any()) == (old_map, [0, 0], False), (card, side)


@BOTH
def test_card_42_paris_cannons_operates_in_paris(side):
    table = objective(with_cubes(with_cubes(Table(), side, BM=2, R=1), 1 - side, BM=1), side, 42)
    places = (BM, BC, PL)
    assert table.legal == can("place", *places) | {f"remove {BM}", f"storm {BM}"} | DONE
    assert over(table.do(f"place {BC}", f"place {BC}"), side)
    assert own(table, side, BC) == 2


@BOTH
def test_card_43_aux_barricades_builds_a_disc_and_places_in_paris(side):
    table = objective(Table().disc(PL, 1 - side), side, 43)
    follow(table, (can("disc", BM, BC) | DONE, f"disc {BC}"), (can("place", *PARIS) | DONE, f"place {PL}"))
    assert over(table, side)
    assert (table.s.disc[space(BC)], own(table, side, PL)) == (side + 1, 1)


@BOTH
def test_card_44_communes_stronghold_places_in_paris(side):
    table = objective(Table(), side, 44)
    assert table.legal == can("place", *PARIS) | DONE
    assert over(table.do(f"place {PL}", f"place {PL}"), side)
    assert own(table, side, PL) == 2


@BOTH
def test_card_45_issy_village_removes_in_forts_and_places_in_fort_d_issy(side):
    table = objective(with_cubes(Table(), 1 - side, FI=1, CV=2, BM=1), side, 45)
    follow(table, (can("remove", FI, CV) | DONE, f"remove {CV}"), (can("place", FI) | DONE, f"place {FI}"))
    assert over(table, side)
    assert [own(table, 1 - side, name) for name in (FI, CV, BM)] == [1, 1, 1]
    assert own(table, side, FI) == 1


def test_card_46_mont_valerien_operates_with_3_points_in_forts():
    table = objective(commune(versailles(CV=1), R=1), VERSAILLES, 46)
    follow(table, (can("place", *FORTS) | DONE, f"place {MV}", f"place {CV}", f"place {MV}"))
    assert over(table, VERSAILLES) and table.map == {MV: (0, 2), CV: (0, 2), R: (1, 0)}
    assert objective(commune(MV=1, BM=1, PR=1), COMMUNE, 46).legal == can("place", MV) | DONE


@BOTH
def test_card_47_vincennes_places_in_forts(side):
    table = objective(Table(), side, 47)
    assert table.legal == can("place", *FORTS) | DONE
    assert over(table.do(f"place {MV}", f"place {CV}"), side)
    assert (own(table, side, MV), own(table, side, CV)) == (1, 1)


@BOTH
def test_card_48_press_operates_with_3_points_in_public_opinion(side):
    table = objective(with_cubes(with_cubes(Table(), side, PR=2, BM=1), 1 - side, CC=1), side, 48)
    follow(table, (OPTIONS, "option 1"))
    follow(table, (can("place", *OPINION) | can("remove", CC) | DONE, f"remove {CC}", f"place {CC}", f"place {PR}"))
    assert over(table, side)
    assert [own(table, side, name) for name in (CC, PR)] == [1, 3]
    assert own(table, 1 - side, CC) == 0


@BOTH
def test_card_48_press_or_replaces_anywhere(side):
    table = objective(with_cubes(with_cubes(Table(), side, PR=1), 1 - side, CC=1, MV=1), side, 48).do("option 2")
    assert table.legal == can("replace", CC, MV)
    assert over(table.do(f"replace {MV}"), side)
    assert (own(table, side, MV), own(table, 1 - side, MV), own(table, 1 - side, CC)) == (1, 0, 1)


@BOTH
def test_card_49_pius_places_in_catholic_church_or_royalists(side):
    table = objective(Table(), side, 49)
    assert table.legal == can("place", CC, R) | DONE
    assert over(table.do(f"place {CC}", f"place {R}"), side)
    assert (own(table, side, CC), own(table, side, R)) == (1, 1)


@BOTH
def test_card_50_international_places_in_public_opinion(side):
    table = objective(Table(), side, 50)
    follow(table, (OPTIONS, "option 1"), (can("place", *OPINION) | DONE, f"place {SM}", f"place {SM}"))
    assert over(table, side)
    assert (own(table, side, SM), list(table.s.momentum)) == (2, [0, 0])


@BOTH
def test_card_50_international_or_raises_momentum(side):
    table = objective(Table().momentum(1, 1), side, 50).do("option 2")
    gift = OPINION if side == VERSAILLES else INSTITUTIONAL
    assert (table.pending, table.legal) == ((frames.ASK_PLACE, 1 - side), can("place", *gift) | DONE)
    assert over(table.do("done"), side)
    assert (table.s.momentum[side], table.s.momentum[1 - side]) == (2, 1)


@BOTH
def test_card_51_royalists_dissension_removes_in_institutional(side):
    table = objective(with_cubes(Table(), 1 - side, R=2, NA=1, RE=1, PR=1), side, 51)
    assert table.legal == can("remove", *INSTITUTIONAL) | DONE
    assert over(table.do(f"remove {R}", f"remove {R}"), side)
    assert [own(table, 1 - side, name) for name in (R, NA, PR)] == [0, 1, 1]


@BOTH
def test_card_52_republicanism_places_in_institutional(side):
    table = objective(Table(), side, 52)
    assert table.legal == can("place", *INSTITUTIONAL) | DONE
    assert over(table.do(f"place {RE}", f"place {NA}"), side)
    assert (own(table, side, RE), own(table, side, NA)) == (1, 1)


@BOTH
def test_card_52_republicanism_at_a_real_end_of_round(side):
    table = with_cubes(Table(), side, RE=1).objective(side, 52).objective(1 - side, 42)
    table.go_on(state.OBJECTIVE_SCORING)
    assert (table.pending, table.legal) == ((frames.ASK_WHETHER, side), YES_NO)
    assert table.do("yes").legal == can("place", *INSTITUTIONAL) | DONE
    assert table.do(f"place {RE}").s.fulfilled.tolist() == [0, 0]
    table.do("done")
    assert (table.s.fulfilled[side], table.s.fulfilled[1 - side]) == (1, 0)


@BOTH
def test_card_53_legitimacy_replaces_in_institutional(side):
    table = objective(with_cubes(Table(), 1 - side, R=1, NA=1, RE=1, PR=1), side, 53)
    assert table.legal == can("replace", *INSTITUTIONAL)
    assert over(table.do(f"replace {NA}"), side)
    assert (own(table, side, NA), own(table, 1 - side, NA), own(table, 1 - side, R)) == (1, 0, 1)
