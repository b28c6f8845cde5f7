"""The rulings L1 to L53 of Levée en Masse, each played by action labels on a position laid out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from rfop_env.core.batch import GameBatch
from rfop_env.games.levee_en_masse import board, component_set, game, odds, state
from rfop_env.games.levee_en_masse.components import HEAD, ORDER
from tests.games.levee_en_masse.table import Table, army

LAST_BLUE, LAST_WHITE, LAST_RED = 21, 45, 60


def fresh(seed: int = 1, **options) -> GameBatch:
    """A game just dealt, under the shipped cards."""
    return GameBatch(game.levee_en_masse(), 1, seed, options=options)


def pile(batch: GameBatch) -> list[int]:
    """All cards of a game in the order of play."""
    s = batch.record()
    return [int(card) for card in s.deck[: s.deck_size]]


def republic(**options) -> Table:
    """A table on which nobody reigns, so that the French Army stands at 0."""
    return Table(**options).politics(0, 0, 0)


# -- set-up and decks --------------------------------------------------------------------------------------------------


def test_l1_monarchy_reigns_at_once():
    t = Table().ready()
    assert t.tracks == (4, -1, -1) and t.s.french_army == -1 and t.view("reigning") == ["Monarchy"]
    assert t.s.score == 0 and t.view("place")[: board.TRACKS] == [f"{name} 5" for name in board.TRACK_NAMES]
    assert [line for line in Table().batch.journal() if "stands at" in line] == []  # no marker moves there


@pytest.mark.parametrize(("scenario", "sizes"), [("standard", (19, 17, 12)), ("extended", (21, 24, 15))])
def test_l2_the_middle_of_each_deck_is_shuffled_whatever_cards_it_has(scenario, sizes):
    piles = [pile(fresh(seed, scenario=scenario)) for seed in range(6)]
    ends = np.cumsum(sizes)
    for cards in piles:
        for begin, end, first, last in zip((0, *ends), ends, (1, 22, 46), (21, 45, 60), strict=False):
            deck = cards[begin:end]
            assert (deck[0], deck[-1]) == (first, last) and deck != sorted(deck)
            assert all(first <= card <= last for card in deck)
    assert len({tuple(cards) for cards in piles}) == 6


def test_l3_the_next_deck_begins_in_the_turn_that_finds_the_pile_empty():
    t = Table().card(LAST_BLUE).ready().do("end")
    assert t.s.headline == 22 and t.s.drawn == 20 and t.outcome == "running"


def test_l3_the_last_card_has_its_whole_housekeeping_before_the_end():
    t = republic().card(LAST_RED).set(disorder=1).liberated("Austrian", 3).at(Austrian=3).ready().do("end")
    assert t.outcome != "running" and t.tracks == (0, 0, -1)  # 8.2
    assert not t.marker("Austrian", 3) and t.s.markers_held == 1  # 8.3


def test_l4_markers_start_aside_and_disorder_in_the_holding_box():
    t = Table().ready()
    assert t.view("markers") == {"aside": 2, "holding box": 0} and t.s.disorder == 0 and not t.choices("liberate")
    t.next_says(markers=1)
    assert t.do("end").view("markers") == {"aside": 1, "holding box": 1}
    assert Table(scenario="extended").s.markers_aside == 3


# -- armies and advances -----------------------------------------------------------------------------------------------


def test_l5_the_rotated_prussian_army_moves_in_round_spaces_and_can_be_attacked():
    t = republic().at(Prussian=3).set(rotated=1).orders("Prussian", move=1).ready().do("end")
    assert t.where("Prussian") == 2
    assert t.dice(6).do("military Prussian").where("Prussian") == 3


def test_l5_the_rotated_prussian_army_enters_no_square_and_not_paris():
    t = republic().at(Prussian=2).set(rotated=1).orders("Prussian", move=1).ready().do("end")
    assert t.where("Prussian") == 2
    t = republic().at(Prussian=1).set(rotated=1).orders("Prussian", move=1).ready().do("end")
    assert t.where("Prussian") == 1  # it stays, and may be pushed out ...
    t.orders("Prussian", move=1).dice(6).do("military Prussian", "end")
    assert t.where("Prussian") == 2  # ... and may not return


def test_l6_armies_move_before_politics_and_the_french_army_comes_last():
    t = Table().politics(3, 0, 2).liberated("Austrian", 3).at(Austrian=4).orders("Austrian", move=1)
    t.next_says(monarchy=-1, military=-1, journee=1)
    t.dice(3).do("end")
    order = [line for line in t.log if "Austrian" in line or "Monarchy" in line or "Disorder" in line]
    assert [line.split()[0] for line in order] == ["Austrian", "Austrian", "Monarchy", "Paris"]
    assert t.s.french_army == -1  # the card's -1; at Monarchy 2, Republic 2 nobody reigns


def test_l7_an_army_in_paris_stays_and_shares_it():
    t = republic().at(Austrian=0, Piedmont=1).orders("Austrian", move=1).orders("Piedmont", move=1)
    t.dice(6).do("military Austrian")
    assert t.where("Austrian") == 1
    t.do("end")
    assert (t.where("Austrian"), t.where("Piedmont")) == (0, 0)


def test_l8_each_step_of_an_advance_has_its_own_check():
    t = republic().liberated("Austrian", 4).liberated("Austrian", 3).orders("Austrian", move=2)
    assert t.dice(3, 2).do("end").where("Austrian") == 4
    t = republic().liberated("Austrian", 4).liberated("Austrian", 3).orders("Austrian", move=2)
    assert t.dice(3, 3).do("end").where("Austrian") == 3


@pytest.mark.parametrize(("die", "box"), [(1, 4), (2, 4), (3, 3), (6, 3)])
def test_l9_an_advance_against_a_marker_rolls_the_raw_die(die, box):
    t = (
        republic()
        .at(Prussian=4)
        .liberated("Prussian", 3)
        .orders("Prussian", move=1)
        .next_says(military=2, liberation=2)
    )
    assert t.dice(die).do("end").where("Prussian") == box


def test_l10_a_blocked_army_leaves_the_marker_unhurt():
    t = republic().at(Prussian=4).liberated("Prussian", 3).orders("Prussian", move=1)
    assert t.dice(1).do("end").marker("Prussian", 3)


def test_l10_the_marker_goes_in_housekeeping_unless_the_army_is_pushed_out():
    t = republic().at(Prussian=4).liberated("Prussian", 3).orders("Prussian", move=1).dice(3).do("end")
    assert t.marker("Prussian", 3) and t.where("Prussian") == 3  # they share the space during the Actions
    saved = t.batch.clone()
    t.do("end")
    assert not t.marker("Prussian", 3) and t.s.markers_held == 1
    t.batch.copy_from(saved)
    t.dice(6).do("military Prussian", "end")
    assert t.marker("Prussian", 3) and t.s.markers_held == 0


def test_l11_card_retreats_move_one_box_and_stop_at_5():
    t = republic().at(Austrian=1, Piedmont=5).orders("Austrian", move=-1).orders("Piedmont", move=-1).ready().do("end")
    assert (t.where("Austrian"), t.where("Piedmont")) == (2, 5)


# -- control and liberation --------------------------------------------------------------------------------------------


def test_l12_start_hexagons_are_neither_liberated_nor_bordered():
    t = republic().at(British=board.OFF_MAP, Austrian=board.OFF_MAP).hold().ready()
    assert t.choices("liberate") == {"British 4", "British 3", "Austrian 4", "Austrian 3", "Austrian 2",
                                     "Prussian 4", "Prussian 3", "Prussian 2", "Piedmont 4", "Piedmont 3"}  # fmt: skip
    assert t.c.penalty[:, 5].sum() == 0 and t.c.square_space[:, 5].sum() == 0


def test_l13_a_track_without_armies_is_french_controlled():
    t = republic().hold().at(Austrian=3).ready()
    assert {c for c in t.choices("liberate") if "Austrian" in c} == {"Austrian 2"}
    t.at(Austrian=board.OFF_MAP).ready()
    assert {c for c in t.choices("liberate") if "Austrian" in c} == {"Austrian 2", "Austrian 3", "Austrian 4"}


def test_l14_control_ends_at_the_army_nearest_paris():
    t = republic(scenario="extended").hold().at(Austrian=4, Korsakov=2).ready()
    assert not {c for c in t.choices("liberate") if "Austrian" in c}
    t.at(Korsakov=3).ready()
    assert {c for c in t.choices("liberate") if "Austrian" in c} == {"Austrian 2"}


def test_l15_one_marker_a_space_and_only_from_the_holding_box():
    t = republic().liberated("Austrian", 3).ready()
    assert not t.choices("liberate")
    t.hold().ready()
    assert "Austrian 3" not in t.choices("liberate") and "Austrian 4" in t.choices("liberate")
    t.dice(3).do("liberate Austrian 4")
    assert t.marker("Austrian", 4) and t.s.markers_held == 0 and not t.choices("liberate")


@pytest.mark.parametrize(("box", "possible"), [(5, True), (board.OFF_MAP, True), (4, False), (3, False), (0, False)])
def test_l16_at_sea_can_be_liberated_while_the_british_army_is_home_or_gone(box, possible):
    t = republic().hold().at(British=box).ready()
    assert ("British 4" in t.choices("liberate")) is possible
    assert t.c.space_value[0, 4] == 4


# -- actions -----------------------------------------------------------------------------------------------------------


def test_l17_actions_may_be_left_unused():
    t = republic().ready()
    assert "end" in t.legal and t.s.actions_left == 5
    assert t.do("end").s.drawn == 2


@pytest.mark.parametrize(
    ("action", "drm"),
    [
        ("military Piedmont", "military"), ("political Republic", "political"), ("naval", "naval"),
        ("liberate Austrian 2", "liberation"), ("restore", "order"),
    ],
)  # fmt: skip
def test_l18_natural_1_fails_and_natural_6_succeeds_in_every_action(action, drm):
    for die, modifier, success in ((1, 5, False), (6, -5, True)):
        t = republic().at(Piedmont=4, British=4, Austrian=4).hold().set(disorder=1).says(**{drm: modifier}).ready()
        old = t.s.box.tolist(), t.tracks, t.s.liberated.sum(), int(t.s.disorder)
        t.dice(die).do(action)
        new = t.s.box.tolist(), t.tracks, t.s.liberated.sum(), int(t.s.disorder)
        assert (old != new) is success and t.s.actions_left == 4


def test_l18_not_in_advances_against_markers():
    t = republic().at(Prussian=4).liberated("Prussian", 3).orders("Prussian", move=1)
    t.c.liberation_value = 0
    assert t.dice(1).do("end").where("Prussian") == 3


@pytest.mark.parametrize(("politics", "rolls"), [((0, 0, 3), False), ((0, 0, 4), False), ((0, 3, 3), True),
                                                 ((0, 0, 2), True), ((0, 4, 3), True)])  # fmt: skip
def test_l19_a_firm_republic_restores_order_without_a_roll_but_for_an_action(politics, rolls):
    t = Table().politics(*politics).set(disorder=1).dice(1).do("restore")
    assert t.s.disorder == int(rolls) and t.s.actions_left == 4


def test_l20_markers_at_their_limit_are_no_targets():
    t = Table().politics(-1, -1, 4).ready()
    assert t.choices("political") == set()
    assert t.politics(0, 1, 3).ready().choices("political") == {"Monarchy", "Despotism", "Republic"}


@pytest.mark.parametrize(
    ("marker", "box", "die", "success"),
    [("Republic", 2, 3, True), ("Republic", 2, 2, False), ("Monarchy", 3, 4, True), ("Despotism", 4, 4, False)],
)
def test_l20_a_political_action_beats_the_box_of_its_marker(marker, box, die, success):
    t = Table().politics(*(box if m == marker else 0 for m in ("Monarchy", "Despotism", "Republic")))
    index, step = ("Monarchy", "Despotism", "Republic").index(marker), 1 if marker == "Republic" else -1
    assert t.dice(die).do(f"political {marker}").tracks[index] == box + step * success


@pytest.mark.parametrize(("die", "drm", "box"), [(1, 0, -1), (2, 0, 0), (2, -2, 0), (2, -3, -1)])
def test_l21_on_box_minus_1_only_a_natural_1_or_a_big_drm_fails(die, drm, box):
    t = Table().politics(0, 0, -1).says(political=drm)
    assert t.dice(die).do("political Republic").tracks[2] == box


def test_l22_a_capped_excess_of_the_french_army_is_not_forgotten():
    t = Table().politics(3, 0, 2).says(military=-2).ready()
    assert t.s.french_army == -2  # -3, capped
    assert t.dice(3).do("political Republic").tracks == (3, 0, 3) and t.s.french_army == -2  # -2 without a government
    assert t.dice(4).do("political Republic").s.french_army == -1


@pytest.mark.parametrize(("die", "box"), [(2, 3), (3, 4)])
def test_l23_a_bonus_against_one_army_comes_on_top_of_the_cap(die, box):
    t = Table().politics(0, 0, 3).says(military=2).bonus("Austrian", -1).at(Austrian=3, Prussian=3).ready()
    assert t.s.french_army == 2
    assert t.dice(die + 1).do("military Austrian").where("Austrian") == box  # 4 beaten by die + 1 + 2 - 1
    assert t.dice(die).do("military Prussian").where("Prussian") == box  # the bonus is not for it


def test_l24_the_strictly_highest_marker_reigns(subtests):
    cases = [
        ((4, -1, -1), ["Monarchy"], -1),
        ((2, 2, 1), [], 0),
        ((0, 3, 1), ["Despotism"], 0),
        ((0, 1, 2), ["Republic"], 1),
        ((1, 1, 1), [], 0),
        ((0, 2, 2), [], 0),
    ]
    for politics, reigns, drm in cases:
        with subtests.test(politics=politics, reigns=reigns, drm=drm):
            t = Table().politics(*politics).ready().do("end")
            assert t.view("reigning") == reigns and t.s.french_army == drm


def test_l25_reaction_lowers_the_highest_then_raises_the_lowest_of_the_new_positions(subtests):
    cases = [
        ((4, -1, -1), (3, -1, -1)),
        ((3, 0, 2), (2, 1, 2)),
        ((2, 2, -1), (2, 2, 0)),
        ((1, 0, 0), (0, 0, 0)),
        ((1, 1, 1), (1, 1, 1)),
        ((2, 1, 0), (1, 1, 1)),
        ((3, 2, -1), (2, 2, 0)),
    ]
    for start, end in cases:
        with subtests.test(start=start, end=end):
            t = Table().politics(*start).next_says(reaction=1).ready().do("end")
            assert t.tracks == end


def test_l26_the_first_attack_on_each_army_in_paris_is_free_even_without_actions():
    t = republic().at(Austrian=0, Piedmont=0).set(actions_left=0).ready()
    assert t.choices("military") == {"Austrian", "Piedmont"}
    t.dice(1).do("military Austrian")
    assert t.choices("military") == {"Piedmont"} and t.s.actions_left == 0
    t.dice(3).do("military Piedmont")  # nothing is left to do: the turn ends, and Paris falls
    assert t.where("Piedmont") == 1 and t.outcome == "crushing defeat"


def test_l26_later_attacks_cost_actions_and_the_free_one_must_be_the_first_of_the_turn():
    t = republic().at(Austrian=0).dice(1, 1).do("military Austrian")
    assert t.s.actions_left == 5
    assert t.do("military Austrian").s.actions_left == 4
    t = republic(decisive="on").at(Austrian=1).dice(1, 1).do("military Austrian")  # it advances into Paris
    assert t.where("Austrian") == 0 and t.s.actions_left == 4 and t.view("barricades") == []
    assert t.dice(2).do("military Austrian").s.actions_left == 3


def test_l26_a_naval_action_is_never_free():
    t = republic().at(British=0).set(actions_left=0).ready()
    assert "naval" not in t.legal and "military British" in t.legal


def test_l27_where_naval_and_military_actions_are_possible(subtests):
    cases = [(5, False, False), (4, True, False), (3, False, True), (2, True, True), (1, True, True), (0, False, True)]
    for box, naval, military in cases:
        with subtests.test(box=box, naval=naval, military=military):
            t = republic().at(British=box).ready()
            assert ("naval" in t.legal, "military British" in t.legal) == (naval, military)


def test_l27_a_naval_victory_drives_back_two_boxes_in_france_and_one_at_sea(subtests):
    cases = [(4, 5), (2, 4), (1, 3)]
    for box, to in cases:
        with subtests.test(box=box, to=to):
            assert republic().at(British=box).dice(5).do("naval").where("British") == to
            assert republic().at(British=box).dice(4).do("naval").where("British") == box


def test_l28_dunkirk_is_round_and_outside_france():
    t = republic().hold().at(British=4).ready()
    assert "British 3" in t.choices("liberate")
    assert "naval" not in t.at(British=3).ready().legal


@pytest.mark.parametrize(("die", "naval", "box"), [(4, 0, 4), (5, 0, 5), (4, 1, 5), (5, -1, 4)])
def test_l29_only_naval_drms_count_at_sea(die, naval, box):
    t = Table(scenario="extended").politics(0, 0, 3).says(military=1, naval=naval).at(British=4).napoleon("British")
    assert t.dice(die).do("naval").where("British") == box


# -- housekeeping and end ----------------------------------------------------------------------------------------------


def test_l30_housekeeping_stops_where_paris_falls():
    t = republic().at(Austrian=0, Piedmont=3).liberated("Piedmont", 3).set(disorder=1).card(46).ready().do("end")
    assert t.tracks[2] == 0 and t.marker("Piedmont", 3)
    assert t.s.score == 3 - 11 - 5 - 1  # the shared marker scores; 11 red cards, five armies, Disorder


def test_l31_a_fall_of_paris_is_scored_once_a_red_card_was_played():
    t = republic().at(Austrian=0).card(46).ready().do("end")
    assert t.outcome == "minor defeat" and t.s.score == -11 - 5
    t = republic().at(Austrian=0).card(LAST_WHITE).ready().do("end")
    assert t.outcome == "decisive defeat" and t.batch.rewards[0, 0] == pytest.approx(-2 / 3)


@pytest.mark.parametrize(
    ("card", "outcome"), [(1, "crushing defeat"), (LAST_BLUE, "decisive defeat"), (22, "decisive defeat"),
                          (LAST_WHITE, "decisive defeat")],
)  # fmt: skip
def test_l32_the_decks_that_are_left_decide_a_fall_before_red(card, outcome):
    assert republic().card(card).at(Vendée=0).ready().do("end").outcome == outcome


def test_l33_every_unit_on_the_map_costs_a_point_and_disorder_too():
    t = republic().card(LAST_RED).set(rotated=1).at(Piedmont=board.OFF_MAP, Vendée=3).ready().do("end")
    assert t.s.score == -4  # British, Prussian (rotated) and Austrian at their starts, Vendée
    t = Table().politics(0, 0, 1).card(LAST_RED).set(disorder=1).ready().do("end")
    assert t.s.score == -5 - 1 and t.tracks[2] == 0


def test_l34_paris_has_no_border():
    t = republic().card(LAST_RED).at(Austrian=0).ready().do("end")
    assert t.s.score == -5 and not t.c.penalty[:, 0].any()


def test_l35_the_bands_cover_all_scores(subtests):
    cases = [
        (1, "Republican triumph"),
        (0, "substantive victory"),
        (-7, "substantive victory"),
        (-8, "minor victory"),
        (-15, "minor victory"),
        (-16, "minor defeat"),
        (-25, "minor defeat"),
        (-26, "substantive defeat"),
    ]
    for score, outcome in cases:
        with subtests.test(score=score, outcome=outcome):
            t = (
                republic()
                .card(LAST_RED)
                .at(**dict.fromkeys(("British", "Prussian", "Austrian", "Piedmont", "Vendée"), board.OFF_MAP))
            )
            t.liberated("Austrian", 3).liberated("Piedmont", 4)
            t.c.space_value[2, 3], t.c.space_value[3, 4] = score, 0
            t.ready().do("end")
            assert (t.s.score, t.outcome) == (score, outcome)


def test_l36_a_republic_at_minus_1_does_not_end_the_game():
    t = Table().politics(4, 4, -1).ready().do("end", "end")
    assert t.outcome == "running" and t.s.drawn == 3


# -- optional rules and expansion --------------------------------------------------------------------------------------


def test_l37_a_levee_costs_no_action_and_takes_the_marker_out_of_the_game():
    t = republic(levee="on").at(Austrian=2).liberated("Piedmont", 3).hold().set(actions_left=0).ready()
    assert t.choices("levee") == {"held", "Piedmont 3"} and not t.choices("military")
    t.dice(6, 6).do("levee held", "military Austrian")
    assert t.where("Austrian") == 3 and t.s.markers_held == 0
    t.do("levee Piedmont 3", "military Austrian").sound()
    assert t.where("Austrian") == 4 and not t.marker("Piedmont", 3) and t.s.markers_aside == 0


def test_l37_markers_aside_cannot_be_called():
    assert not republic(levee="on").at(Austrian=2).ready().choices("levee")


def spirit(**options) -> Table:
    """The Austrian army shares a liberated space with a marker."""
    return republic(spirit_of_89="on", **options).at(Austrian=3).liberated("Austrian", 3)


def test_l38_the_spirit_of_89_fights_once_a_space_and_turn_for_free():
    t = spirit().set(actions_left=0).says(military=2).bonus("Austrian", 2).dice(5).do("spirit Austrian")
    assert t.where("Austrian") == 4 and t.marker("Austrian", 3)
    t = spirit().at(Austrian=4).liberated("Austrian", 4).dice(6).set(actions_left=0)
    t.at(Austrian=3).ready().do("spirit Austrian")
    assert t.where("Austrian") == 4 and t.choices("spirit") == {"Austrian"}  # another space may still fight
    assert t.dice(6).do("spirit Austrian").where("Austrian") == 5


@pytest.mark.parametrize(("die", "success"), [(1, False), (4, False), (5, True), (6, True)])
def test_l38_no_military_drm_counts_but_natural_1_and_6_do(die, success):
    t = spirit().politics(0, 0, 2).says(military=2).bonus("Austrian", 2).dice(die).do("spirit Austrian")
    assert t.where("Austrian") == 3 + success


def test_l38_failure_loses_the_marker_and_republic_and_adjusts_the_french_army_at_once():
    t = spirit().politics(1, 0, 2).dice(4)
    assert t.s.french_army == 1
    t.do("spirit Austrian")
    assert t.tracks == (1, 0, 1) and t.s.french_army == 0 and t.s.markers_held == 1 and not t.marker("Austrian", 3)
    assert t.s.drawn == 1 and not t.choices("spirit")


def test_l38_two_armies_in_a_liberated_space_share_its_one_fight():
    t = spirit(scenario="extended").at(Korsakov=3).ready()
    assert t.choices("spirit") == {"Korsakov"}  # bracketed first
    t.dice(6).do("spirit Korsakov")
    assert t.where("Korsakov") == board.OFF_MAP and t.choices("spirit") == set()


def test_l39_early_defeats(subtests):
    cases = [
        ("Vendée", 5, "crushing defeat"),
        ("Austrian", 30, "decisive defeat"),
        ("Vendée", 30, "running"),
        ("Austrian", 5, "running"),
        ("Spanish", 5, "running"),
        ("Vendée", 48, "running"),
        ("Austrian", 48, "running"),
    ]
    for name, card, outcome in cases:
        with subtests.test(name=name, card=card, outcome=outcome):
            t = republic(scenario="extended", early_defeats="on").card(card).at(**{name: 1}).ready().do("end")
            assert t.outcome == outcome
            assert republic(scenario="extended").card(card).at(**{name: 1}).ready().do("end").outcome == "running"


def test_l40_stationary_armies_never_move_and_are_removed_when_beaten():
    t = republic(scenario="extended").at(Suvorov=4).orders("Suvorov", move=2).ready().do("end")
    assert t.where("Suvorov") == 4
    assert t.dice(6).do("military Suvorov").where("Suvorov") == board.OFF_MAP
    t.orders("Suvorov", enter=4).ready().do("end")
    assert t.where("Suvorov") == 4
    assert t.orders("Suvorov", move=-1).ready().do("end").where("Suvorov") == 4


def test_l40_stationary_armies_conquer_and_cost_points():
    t = republic(scenario="extended").liberated("Austrian", 2).orders("Korsakov", enter=2).ready().do("end")
    assert t.where("Korsakov") == 2 and t.marker("Austrian", 2)
    assert not t.do("end").marker("Austrian", 2)
    t = republic(scenario="extended").card(LAST_RED).at(British_Support=2).ready().do("end")
    assert t.s.score == -5 - 1 - 1  # the unit and the orange border of its space


def test_l40_british_support_is_placed_wherever_it_was():
    t = republic(scenario="extended").at(British_Support=1).orders("British Support", enter=4).ready().do("end")
    assert t.where("British Support") == 4
    t.at(British_Support=board.OFF_MAP).orders("British Support", enter=3).ready().do("end")
    assert t.where("British Support") == 3


def test_l41_only_the_unit_nearest_paris_can_be_attacked_bracketed_first():
    t = republic(scenario="extended").at(Vendée=2, Spanish=3, British_Support=3).ready()
    assert t.choices("military") == {"Vendée"}
    assert t.at(Vendée=4).ready().choices("military") == {"British Support"}
    assert t.at(British_Support=board.OFF_MAP, Vendée=3).ready().choices("military") == {"Vendée", "Spanish"}


def test_l41_barricades_work_per_army_in_that_order():
    t = republic(scenario="extended").at(Vendée=0, Spanish=0).set(actions_left=0).ready()
    assert t.choices("military") == {"Vendée", "Spanish"}
    t.dice(6).do("military Vendée")
    assert t.choices("military") == {"Spanish"}


def test_l42_spain_enters_at_4_and_cannot_be_attacked_in_5():
    t = republic(scenario="extended").at(Vendée=board.OFF_MAP).orders("Spanish", enter=4).ready().do("end")
    assert t.where("Spanish") == 4
    assert t.dice(6).do("military Spanish").where("Spanish") == 5 and "military Spanish" not in t.legal
    assert t.orders("Spanish", enter=4).ready().do("end").where("Spanish") == 5  # it is there already


def held_napoleon(**options) -> Table:
    """Napoleon in the Holding Box, the Austrian army in box 3."""
    return republic(scenario="extended", **options).set(napoleon=state.NAPOLEON_HELD).at(Austrian=3)


def test_l43_napoleon_is_assigned_for_free_and_helps_against_his_army_only():
    t = held_napoleon().at(Prussian=3).says(military=2).set(actions_left=3).ready()
    t.do("napoleon Austrian")
    assert t.s.actions_left == 3 and t.view("napoleon") == ["assigned"]
    assert t.dice(2).do("military Austrian").where("Austrian") == 4  # 2 + 2 + 1 > 4, beyond the cap
    assert t.dice(2).do("military Prussian").where("Prussian") == 3
    assert t.view("napoleon_army") == ["Austrian"]  # he stays with it as it moves


def test_l43_napoleon_costs_1_in_politics_from_then_on():
    t = held_napoleon().politics(0, 0, 2).dice(3).do("political Republic")
    assert t.tracks[2] == 3
    t = held_napoleon().politics(0, 0, 2).dice(3).do("napoleon Austrian", "political Republic")
    assert t.tracks[2] == 2


def test_l43_napoleon_is_detached_only_first_and_from_boxes_4_and_5():
    for box, possible in ((3, False), (4, True), (5, True)):
        assert (
            "detach" in republic(scenario="extended").at(Austrian=box).napoleon("Austrian").ready().legal
        ) is possible
    t = republic(scenario="extended").at(Austrian=4).napoleon("Austrian").dice(1).do("political Republic")
    assert "detach" not in t.legal
    t = republic(scenario="extended").at(Austrian=4).napoleon("Austrian").ready().do("detach")
    assert not t.choices("napoleon") and t.view("napoleon") == ["travelling"]
    assert "Austrian" in t.do("end").choices("napoleon")


def test_l43_napoleon_returns_when_his_army_leaves_the_map():
    t = republic(scenario="extended").at(Suvorov=3).napoleon("Suvorov").dice(6).do("military Suvorov")
    assert t.s.napoleon == state.NAPOLEON_TRAVELLING and not t.choices("napoleon") and t.do("end").choices("napoleon")
    t = republic(scenario="extended").napoleon("Austrian").orders("Austrian", remove=1).ready().do("end")
    assert t.s.napoleon == state.NAPOLEON_TRAVELLING and not t.choices(
        "napoleon"
    )  # not in the turn of the removal either
    assert t.do("end").choices("napoleon")


def test_l43_napoleon_comes_with_his_card():
    t = republic(scenario="extended").next_says(napoleon=1).ready()
    assert not t.choices("napoleon")
    assert t.do("end").choices("napoleon") >= {"Austrian", "Piedmont"}


def test_l44_the_reserves_penalty_counts_within_the_next_turns_cap():
    t = Table(reserves="on").politics(0, 0, 2).at(Austrian=3).next_says(military=2)
    t.dice(2, 6).do("military Austrian", "reserves")
    assert t.where("Austrian") == 4 and t.s.french_army == 1
    t.do("end")
    assert t.s.french_army == 2  # 2 + 1 - 1, which the cap of 3 would have made 1
    assert t.do("end").s.french_army == 1  # for one turn only


def test_l44_order_can_be_committed_again_once_it_is_restored():
    t = republic(commit_order="on").at(Austrian=1).set(actions_left=2).dice(6).do("commit action")
    assert t.s.disorder == 1 and t.s.inside == 1 and "commit action" not in t.legal
    assert t.do("restore").choices("commit") == {"action"}
    t.do("commit action")
    assert t.s.inside == 2


def test_l44_committed_order_costs_republic_in_housekeeping():
    t = republic(commit_order="on").politics(0, 0, 1).at(Austrian=1).ready().do("commit action", "end")
    assert t.tracks[2] == 0


def decisive(**options) -> Table:
    """A table under 10.6."""
    return republic(scenario="extended", decisive="on", **options)


def test_l45_a_natural_6_disorganizes_and_raises_the_highest_even_monarchy():
    t = decisive().politics(2, 0, 0).at(Austrian=3).dice(6).do("military Austrian")
    assert t.where("Austrian") == 4 and t.s.disarray[army("Austrian")] == 1 and t.tracks == (3, 0, 0)
    t = decisive().at(Austrian=3).dice(6).do("military Austrian")
    assert t.tracks == (0, 0, 0)  # a tie: nobody rises


@pytest.mark.parametrize(("die", "triumph"), [(4, False), (5, True), (6, True)])
def test_l45_where_napoleon_fights_a_5_does_it_too_and_raises_despotism(die, triumph):
    t = decisive().politics(0, 0, 3).says(military=-2).at(Austrian=3).napoleon("Austrian").dice(die)
    t.do("military Austrian")  # -1 for the French Army, +1 for Napoleon: 5 is won by the rule alone, 4 not at all
    assert (t.where("Austrian") == 4) is triumph
    assert t.tracks == (0, int(triumph), 3)


def test_l45_an_army_in_5_can_be_pressed():
    t = decisive().politics(0, 0, 1).says(military=1).ready()
    assert "military Austrian" in t.legal
    t.dice(3).do("military Austrian")
    assert t.where("Austrian") == 5 and t.s.disarray[army("Austrian")] == 1
    t.dice(3, 3).do("military Austrian", "military Austrian")
    assert t.s.disarray[army("Austrian")] == 2  # never worse than routed


def test_l45_an_army_in_disarray_recovers_instead_of_advancing():
    t = decisive().at(Austrian=3).orders("Austrian", move=2)
    t.s.disarray[army("Austrian")] = 2
    assert t.ready().do("end").where("Austrian") == 3 and not t.s.disarray.any()
    assert t.orders("Austrian", move=1).ready().do("end").where("Austrian") == 2


@pytest.mark.parametrize(("second", "box"), [(3, 2), (4, 3)])
def test_l45_a_decisive_defeat_may_let_the_army_advance_and_lowers_the_highest(second, box):
    t = decisive().politics(0, 2, 0).at(Austrian=3).dice(1, second).do("military Austrian")
    assert t.where("Austrian") == box and t.tracks == (0, 1, 0)


def test_l45_that_advance_obeys_liberation_checks_and_paris():
    t = decisive().at(Austrian=3).liberated("Austrian", 2).dice(1, 1, 2).do("military Austrian")
    assert t.where("Austrian") == 3
    t = decisive().at(Austrian=3).liberated("Austrian", 2).dice(1, 1, 3).do("military Austrian")
    assert t.where("Austrian") == 2
    assert decisive().at(Austrian=0).dice(1, 1).do("military Austrian").where("Austrian") == 0


def test_l45_not_for_the_rotated_prussian_army_nor_at_sea():
    t = decisive().politics(0, 2, 0).at(Prussian=3).set(rotated=1).dice(6).do("military Prussian")
    assert t.where("Prussian") == 4 and not t.s.disarray.any() and t.tracks == (0, 2, 0)
    t = decisive().politics(0, 2, 0).at(Prussian=4).set(rotated=1).dice(1, 1).do("military Prussian")
    assert t.where("Prussian") == 4 and t.tracks == (0, 2, 0)
    assert "military Prussian" not in decisive().set(rotated=1).ready().legal
    t = decisive().politics(0, 2, 0).at(British=4).dice(6).do("naval")
    assert t.where("British") == 5 and not t.s.disarray.any() and t.tracks == (0, 2, 0)


@pytest.mark.parametrize(("card", "tracks"), [(5, (1, 0, 0)), (30, (0, 1, 0)), (48, (0, 1, 0))])
def test_l46_each_successful_barricade_has_its_price(card, tracks):
    t = republic(nothing_is_free="on", scenario="extended").card(card).at(Austrian=0).dice(6).do("military Austrian")
    assert t.tracks == tracks
    t = republic(nothing_is_free="on", scenario="extended").card(card).at(Austrian=0).dice(1, 6)
    assert t.do("military Austrian").tracks == (0, 0, 0)  # a failure costs nothing
    assert t.do("military Austrian").tracks == (0, 0, 0)  # nor does an attack that was paid for


def test_l47_in_one_pile_colours_decide_by_what_is_left():
    batches = [fresh(seed, scenario="puree") for seed in range(8)]
    assert all(sorted(pile(batch)) == list(range(1, 61)) for batch in batches)
    assert len({pile(batch)[0] for batch in batches}) > 3  # no card has a fixed place
    for count, red_seen, outcome in (
        (10, 0, "crushing defeat"),
        (10, 1, "substantive defeat"),
        (60, 0, "decisive defeat"),
    ):
        t = Table(scenario="puree").politics(4, 0, 0).at(Austrian=0).set(drawn=count, red_seen=red_seen).ready()
        assert t.do("end").outcome == outcome


@pytest.mark.parametrize(("difficulty", "change"), [("standard", 0), ("easier", 1), ("harder", -1)])
def test_l48_every_fifth_card_of_the_game_gives_one_action_more_or_less(difficulty, change):
    t = Table(difficulty=difficulty).politics(-1, -1, -1).ready()
    for count in range(2, 48):
        t.do("end")
        assert t.s.drawn == count and t.s.actions_left == 5 + (change if count % 5 == 0 else 0)


def test_l48_no_card_gives_less_than_no_action():
    t = Table(difficulty="harder").set(drawn=4).at(Austrian=1)
    t.next_says(actions=0)
    t.set(headline=int(t.s.deck[3])).orders("Austrian", move=1).ready().do("end")
    assert t.s.drawn == 5 and t.s.actions_left == 0 and t.choices("military") == {"Austrian"}


def test_the_shipped_cards_are_those_of_the_scenario():
    """L2, 12.1: the expansion's twelve cards are in all scenarios but the standard one."""
    head = fresh().components.record["headline"][0]
    for scenario, size in (("standard", 48), ("extended", 60), ("puree", 60), ("historical", 60)):
        cards = pile(fresh(scenario=scenario))
        assert len(cards) == size and head[cards, HEAD.expansion].sum() == size - 48
        assert (head[cards, HEAD.actions] > 0).all()
    assert pile(fresh(scenario="historical")) == list(range(1, 61))


# -- L49 to L53 --------------------------------------------------------------------------------------------------------


def test_l49_no_card_retreats_an_army_two_boxes():
    """L49: no order of the shipped cards does; `test_components` holds that a file with one is refused."""
    assert component_set.load_components(None).record[0]["army_order"][:, :, ORDER.move].min() == -1


def test_l50_a_stationary_marker_in_box_5_can_be_attacked():
    """L50: it has no starting hexagon, so it is beaten there as anywhere, and covers the army that starts there."""
    t = republic(scenario="extended").at(British_Support=5).ready()
    assert t.choices("military") == {"British Support"}
    assert t.dice(6).do("military British Support").where("British Support") == board.OFF_MAP
    assert t.choices("military") == set(), "the Vendée army is in its own starting hexagon"


def test_l50_an_army_that_moves_is_out_of_reach_in_box_5(subtests):
    """7.2, L42, L50: also where no other army of its track covers it."""
    cases = ["British", "Prussian", "Austrian", "Piedmont", "Vendée", "Spanish"]
    for name in cases:
        with subtests.test(name=name):
            t = republic(scenario="extended").at(Vendée=board.OFF_MAP).at(**{name: 5}).ready()
            assert name not in t.choices("military")


@pytest.mark.parametrize(("box", "die", "second", "to"), [(4, 4, 5, 5), (4, 2, 3, 4), (1, 1, 6, 3)])
def test_l51_the_reserves_reroll_a_naval_failure(box, die, second, to):
    """L51: a Naval roll is asked about like a Military one; no Action more, and once a turn."""
    t = republic(reserves="on").at(British=box).dice(die, second).do("naval").sound()
    assert t.legal == {"accept", "reserves"} and t.where("British") == box
    assert t.view("roll_army") == ["British"] and t.view("roll_die") == [str(die)] and t.view("roll_kind") == []
    actions = t.s.actions_left
    t.do("reserves").sound()
    assert t.where("British") == to and t.s.actions_left == actions and t.s.reserves_used == 1
    assert t.s.roll_army == state.NO_ARMY and t.view("question") == ["action"]


def test_l51_the_forces_of_order_do_not_help_at_sea():
    """10.5 is for Military Actions: a Naval roll that +1 would win is not asked about."""
    t = republic(commit_order="on").at(British=1).dice(4).do("naval")
    assert t.view("question") == ["action"] and t.where("British") == 1


def test_l51_without_10_6_a_success_is_not_asked_about():
    """L51: nothing better than a success is possible, on land and at sea."""
    t = republic(reserves="on").at(Austrian=3, British=4).dice(5, 5).do("military Austrian", "naval")
    assert (t.where("Austrian"), t.where("British")) == (4, 5) and t.s.reserves_used == 0


def test_l51_a_success_may_be_rerolled_for_a_decisive_victory():
    """L51 under 10.6: a success that is not decisive is asked about; accepted it stands, rerolled it is gone."""
    t = decisive(reserves="on").politics(0, 0, 2).at(Austrian=3).dice(5).do("military Austrian")
    assert t.legal == {"accept", "reserves"} and t.where("Austrian") == 3
    saved = t.batch.clone()
    assert t.do("accept").where("Austrian") == 4 and not t.s.disarray.any() and t.s.reserves_used == 0
    t.batch.copy_from(saved)
    t.dice(6).do("reserves").sound()
    assert t.where("Austrian") == 4 and t.s.disarray[army("Austrian")] == 1 and t.tracks == (0, 0, 3)
    t.batch.copy_from(saved)
    assert t.dice(2).do("reserves").where("Austrian") == 3, "the reserves can lose what was won"


def test_l51_a_decisive_victory_is_not_asked_about():
    """L51 under 10.6: a natural 6, and a 5 where Napoleon fights."""
    t = decisive(reserves="on").at(Austrian=3).dice(6).do("military Austrian")
    assert t.where("Austrian") == 4 and t.view("question") == ["action"]
    t = decisive(reserves="on").at(Austrian=3).napoleon("Austrian").dice(5).do("military Austrian")
    assert t.where("Austrian") == 4 and t.view("question") == ["action"]


def test_l51_a_success_that_cannot_be_bettered_is_not_asked_about():
    """L51 under 10.6: a routed army and no highest marker; the rotated Prussian army; a naval success."""
    t = decisive(reserves="on").politics(0, 0, 0).says(military=2).at(Austrian=3)
    t.s.disarray[army("Austrian")] = 2
    assert t.dice(5).do("military Austrian").where("Austrian") == 4
    t = decisive(reserves="on").politics(0, 0, 2).says(military=1).at(Prussian=3).set(rotated=1).dice(5)
    assert t.do("military Prussian").where("Prussian") == 4
    t = decisive(reserves="on").politics(0, 0, 2).at(British=4).dice(5).do("naval")
    assert t.where("British") == 5


def test_l51_a_marker_that_could_rise_is_something_better():
    """L51 under 10.6: the army is routed, but a decisive victory would raise the highest marker."""
    t = decisive(reserves="on").politics(0, 0, 2).at(Austrian=3)
    t.s.disarray[army("Austrian")] = 2
    assert t.dice(5).do("military Austrian").legal == {"accept", "reserves"}
    t = decisive(reserves="on").politics(0, 0, 4).at(Suvorov=3).dice(5).do("military Suvorov")
    assert t.where("Suvorov") == board.OFF_MAP, "Republic is at its highest, and a stationary army is not turned"


@pytest.mark.parametrize(
    ("card", "tracks", "question"),
    [
        (2, (1, 0, 1), True),  # nobody reigns before the price of Monarchy, and Monarchy after it
        (2, (0, 1, 0), False),  # Despotism reigns before the price, and nobody after it
        (30, (0, 1, 1), True),  # the price of Despotism
        (30, (0, 2, 0), True),  # Despotism reigns all the time, and can rise once more
        (30, (0, 3, 0), False),  # the price itself brings it to its highest
        (30, (0, 4, 0), False),  # it is there
        (2, (3, 0, 0), False),  # the price itself brings Monarchy to its highest
    ],
)
def test_l52_the_question_is_judged_after_the_price_of_the_barricades(card, tracks, question):
    """L52: an army at Paris that is routed: a decisive victory brings nothing more than the rise of a marker."""
    t = decisive(reserves="on", nothing_is_free="on").card(card).politics(*tracks).says(military=2).at(Austrian=0)
    t.s.disarray[army("Austrian")] = state.ROUTED
    t.dice(5).do("military Austrian").sound()
    assert (t.legal == {"accept", "reserves"}) == question
    assert t.where("Austrian") == (0 if question else 1)


def test_l52_without_a_price_the_present_government_counts():
    t = decisive(reserves="on").card(2).politics(1, 0, 1).says(military=0).at(Austrian=0)
    t.s.disarray[army("Austrian")] = state.ROUTED
    assert t.dice(5).do("military Austrian").where("Austrian") == 1


@pytest.mark.parametrize(
    ("die", "tracks", "question"), [(2, (0, 0, 0), False), (2, (0, 0, 2), True), (1, (0, 0, 0), True)]
)
def test_l52_a_failure_against_a_routed_army_at_its_start_changes_nothing(die, tracks, question):
    """L52: it stays where it is and as it is, whatever is rolled, unless a marker rises or a 1 has its own effect."""
    t = decisive(reserves="on").politics(*tracks).says(military=0).at(Austrian=5).ready()
    t.s.disarray[army("Austrian")] = state.ROUTED
    t.dice(die, 6).do("military Austrian")
    assert (t.legal == {"accept", "reserves"}) == question


def test_l51_the_spirit_of_89_is_a_military_action_too():
    """L51: its success is asked about under 10.6 as well."""
    t = decisive(reserves="on", spirit_of_89="on").politics(0, 0, 2).at(Austrian=3).liberated("Austrian", 3).dice(5)
    assert t.do("spirit Austrian").legal == {"accept", "reserves"} and t.view("roll_kind") == ["spirit of '89"]
    assert t.do("accept").where("Austrian") == 4 and t.marker("Austrian", 3)


@pytest.mark.parametrize(("second", "to"), [(4, 4), (3, 3)])
def test_l53_napoleon_joins_while_a_failed_roll_waits_for_the_last_reserves(second, to):
    """L53: his +1 counts for the reroll, 4 + 1 > 4, and not for the roll that failed."""
    t = held_napoleon(reserves="on").at(Austrian=3).dice(4, second).do("military Austrian")
    assert t.legal == {"accept", "reserves", "napoleon Austrian"} and t.where("Austrian") == 3
    actions = t.s.actions_left
    t.do("napoleon Austrian").sound()
    assert t.where("Austrian") == to and t.s.reserves_used == 1 and t.s.actions_left == actions
    assert t.view("napoleon") == ["assigned"] and t.view("napoleon_army") == ["Austrian"]
    assert t.view("question") == ["action"]


def test_l53_without_him_the_same_reroll_fails():
    t = held_napoleon(reserves="on").at(Austrian=3).dice(4, 4).do("military Austrian", "reserves")
    assert t.where("Austrian") == 3 and "Austrian" in t.choices("napoleon")


def test_l53_he_joins_a_failed_military_action_alone():
    """L53: not a success, a fleet, a liberated space (10.2), a second failure, nor a roll without the reserves."""
    t = held_napoleon(reserves="on", decisive="on").politics(0, 0, 2).at(Austrian=3).dice(5).do("military Austrian")
    assert t.legal == {"accept", "reserves"}
    assert held_napoleon(reserves="on").at(British=4).dice(2).do("naval").legal == {"accept", "reserves"}
    t = held_napoleon(reserves="on", spirit_of_89="on").at(Austrian=3).liberated("Austrian", 3).dice(2)
    assert t.do("spirit Austrian").legal == {"accept", "reserves"}
    t = held_napoleon(commit_order="on").at(Austrian=1).dice(4).do("military Austrian")
    assert t.legal == {"accept", "commit bonus"}
    t = held_napoleon(reserves="on", commit_order="on").at(Austrian=1).dice(4, 4)
    t.do("military Austrian", "napoleon Austrian")
    assert t.where("Austrian") == 2 and t.s.disorder == 0


def test_l53_he_joins_at_the_barricades():
    t = held_napoleon(reserves="on").at(Austrian=0).dice(4, 4).do("military Austrian", "napoleon Austrian")
    assert t.where("Austrian") == 1


def test_l53_with_him_a_natural_5_is_decisive_and_despotism_rises():
    """L53 and 10.6.1: the reroll is his, the failure was not."""
    t = held_napoleon(reserves="on", decisive="on").politics(0, 0, 2).at(Austrian=3).dice(3, 5)
    t.do("military Austrian", "napoleon Austrian")
    assert t.where("Austrian") == 4 and t.tracks == (0, 1, 2) and t.s.disarray[army("Austrian")] == 1


@pytest.mark.parametrize(("despotism", "legal"), [(0, {"accept", "napoleon Austrian"}), (4, None)])
def test_l53_where_he_alone_could_change_something_the_roll_waits_for_him(despotism, legal):
    """L52, L53: a routed army at its start, and a government that cannot rise: he would raise Despotism."""
    t = held_napoleon(reserves="on", decisive="on").politics(despotism, despotism, 0).at(Austrian=5).ready()
    t.s.disarray[army("Austrian")] = state.ROUTED
    t.dice(2).do("military Austrian")
    assert t.legal == legal if legal else t.view("question") == ["action"]


def test_l53_people_read_what_his_joining_does():
    t = held_napoleon(reserves="on").at(Austrian=3).dice(2).do("military Austrian")
    action = t.batch.game.actions.parse("napoleon Austrian")
    words = odds.tell(t.s, t.batch.components, action)
    assert words.endswith("and commit the last reserves and reroll the attack; succeeds on 3 of 6 rolls")
