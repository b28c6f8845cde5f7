"""The rulings R1 to R19 of Red Flag Over Paris, each clause played by action labels on a position laid out by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from .table import COMMUNE, VERSAILLES, Table, space

from rfop_env.core.batch import GameBatch
from rfop_env.games.red_flag_over_paris import board, components, frames, observation, state
from rfop_env.games.red_flag_over_paris.game import solo, two_player

SIDES = (COMMUNE, VERSAILLES)
NAMES = ("Commune", "Versailles")
POLITICAL, MILITARY = set(board.SPACE_NAMES[:6]), set(board.SPACE_NAMES[6:])
INSTITUTIONAL, PUBLIC_OPINION = set(board.SPACE_NAMES[:3]), set(board.SPACE_NAMES[3:6])
FINAL_CARD = (34, 17)
OBJECTIVE_CARDS = range(components.FIRST_OBJECTIVE, components.FIRST_OBJECTIVE + components.OBJECTIVES)
WITH_POINTS = {1: 3, 2: 9, 3: 37}  # a card of so many Operations Points
MAP = {
    "Royalists": {"Catholic Church", "Press", "National Assembly"},
    "National Assembly": set(),
    "Republicans": {"Press", "Social Movements", "National Assembly"},
    "Catholic Church": {"Royalists", "Press"},
    "Press": {"Royalists", "Republicans", "Catholic Church", "Social Movements"},
    "Social Movements": {"Republicans", "Press"},
    "Mont-Valérien": {"Butte Montmartre"},
    "Fort d'Issy": {"Butte-aux-Cailles", "Château de Vincennes"},
    "Château de Vincennes": {"Fort d'Issy", "Père Lachaise"},
    "Butte Montmartre": {"Mont-Valérien", "Butte-aux-Cailles", "Père Lachaise"},
    "Butte-aux-Cailles": {"Fort d'Issy", "Butte Montmartre", "Père Lachaise"},
    "Père Lachaise": {"Butte Montmartre", "Butte-aux-Cailles", "Château de Vincennes"},
}
HQ_REACHES, OCCUPIED_REACHES = {"Mont-Valérien", "Fort d'Issy"}, {"Père Lachaise", "Château de Vincennes"}
ALWAYS_THERE = ({"Père Lachaise", "Social Movements"}, {"Royalists"})
ALWAYS_REACHED = (set(), HQ_REACHES)


def operate(table: Table, side: int, points: int) -> Table:
    """Let a side play a card for that many Operations Points (4: its Final Crisis card)."""
    card = WITH_POINTS[min(points, 3)]
    use = "operations" if points < 4 else "final-crisis"
    return table.hand(side, card).first_play(side).do(f"card {card}", f"use {use}")


def again(table: Table) -> Table:
    """Clear what is asked, keep the position: the test asks the next question itself."""
    table.s.stack[:], table.s.depth, table._stocked = 0, 0, set(SIDES)
    return table


def zone(table: Table, card: int) -> int:
    """Where a strategy card is."""
    return int(table.s.zone[card])


def journal_has(table: Table, text: str) -> bool:
    """Whether the last actions' journal holds a sentence."""
    return text in [line.strip() for line in table.log]


def empty_deck(table: Table, *discards: int) -> Table:
    """Leave no card in the deck and these cards, of the Commune's making, in the discard pile."""
    for card in discards:
        table.discarded(card, COMMUNE)
    return table.gone(*np.flatnonzero(np.asarray(table.s.zone) == state.IN_DECK).tolist())


def objectives(table: Table, commune: int = 44, versailles: int = 47) -> Table:
    """Give both sides an objective: Père Lachaise and Château de Vincennes by default."""
    return table.objective(COMMUNE, commune).objective(VERSAILLES, versailles)


def last_zone_only(table: Table, side: int, cubes: int = 2) -> Table:
    """Leave a side nothing but the Final Crisis zone of its crisis track, not yet breached."""
    table.stock(side, track=(0, 0, 0, cubes), bonus=(0, 0, 0, 2))
    table.s.settled[side] = 0b0110
    return table


def fresh(variant: str = "standard", seed: int = 5) -> Table:
    """A game just dealt, to be played by labels."""
    table = Table.__new__(Table)
    table.batch = GameBatch(two_player(), 1, seed=seed, options={"variant": variant})
    table.s, table.c = table.batch.record(), table.batch.components.record.view(np.recarray)[0]
    return table


# -- map and set-up ------------------------------------------------------------------------------------------------


def test_map_control_of_a_space_opens_its_row_of_the_table():
    """Map table (all rows, both sides): the controller may act there and where the arrows lead, nowhere else."""
    for name, side in product(MAP, SIDES):
        table = operate(Table().cubes(name, **{NAMES[side].lower(): 1}), side, 1)
        assert table.choices("place") == {name} | MAP[name] | ALWAYS_THERE[side] | ALWAYS_REACHED[side], (name, side)


@pytest.mark.parametrize("side", SIDES)
def test_map_always_present_and_versailles_hq(side):
    """Map: always present without pieces; HQ opens Mont-Valérien and Fort d'Issy to Versailles alone."""
    assert operate(Table(), side, 1).choices("place") == ALWAYS_THERE[side] | ALWAYS_REACHED[side]


def test_map_occupied_territory_opens_at_collaboration_3():
    """Map: Prussian Occupied Territory is controlled by Versailles at Prussian Collaboration 3, not before."""
    for momentum in range(4):
        opened = operate(Table().momentum(versailles=momentum), VERSAILLES, 1).choices("place")
        assert opened == {"Royalists"} | HQ_REACHES | (OCCUPIED_REACHES if momentum == 3 else set()), momentum


def test_map_revolutionary_momentum_3_opens_nothing():
    """Map: the Occupied Territory is never the Commune's."""
    assert operate(Table().momentum(commune=3), COMMUNE, 1).choices("place") == ALWAYS_THERE[COMMUNE]


def test_map_always_present_is_not_control():
    """Map: Père Lachaise and Social Movements without Commune pieces lead nowhere."""
    table = operate(Table().cubes("Père Lachaise", versailles=1), COMMUNE, 2)
    assert table.choices("place") == ALWAYS_THERE[COMMUNE]


def test_map_presence_without_control_opens_only_the_space_itself():
    """R1: presence allows to act in the space; only control opens its neighbours."""
    table = operate(Table().cubes("Republicans", commune=2, versailles=2), COMMUNE, 1)
    assert table.choices("place") == {"Republicans"} | ALWAYS_THERE[COMMUNE]


def test_cubes_at_the_start():
    """Table "Cubes at the start": crisis tracks, bonus cubes, collaboration cubes, map, pools; 18 a side."""
    s = fresh().sound().s
    assert s.track.tolist() == [[3, 2, 2, 2], [1, 2, 1, 2]]
    assert s.bonus.tolist() == [[0, 2, 2, 2], [0, 1, 1, 2]]
    assert s.collaboration.tolist() == [0, 2, 2, 2]
    assert s.pool.tolist() == [0, 0] and s.out_of_play.tolist() == [0, 0]


def test_map_at_the_start():
    """Table "Cubes at the start", map row; no disc stands anywhere."""
    table = fresh()
    assert table.map == {"Royalists": (0, 1), "Press": (1, 1), "Social Movements": (1, 0), "Père Lachaise": (1, 0)}
    assert not table.s.disc.any()


def test_markers_and_cards_at_the_start():
    """Setup: round 1, VP and momentum 0, Initiative Card Commune side up, both Final Crisis cards face up."""
    s = fresh().s
    assert (s.round_number, s.plays, s.initiative) == (1, 0, COMMUNE)
    assert s.vp.tolist() == s.momentum.tolist() == [0, 0]
    assert [int(s.zone[k]) for k in FINAL_CARD] == [state.FACE_UP] * 2
    assert s.top_discard == state.NO_CARD and s.objective_deck_size == 12 - 4


def test_setup_shuffles_both_decks():
    """Setup: the Strategy and Objective decks are shuffled, so seeds differ."""
    first, two = fresh(seed=1).s, fresh(seed=2).s
    assert first.deck.tolist() != two.deck.tolist() and first.objective_deck.tolist() != two.objective_deck.tolist()


def test_pool_places_of_the_commune():
    """Table "Cubes at the start", cube pool: 0, 2, 3, 4 places at momentum 0 to 3; the rest leaves play."""
    for momentum, places in [(0, 0), (1, 2), (2, 3), (3, 4)]:
        table = Table().momentum(commune=momentum).cubes("Press", 4, 4).stock(COMMUNE, pool=min(1, places))
        gone = int(table.s.out_of_play[COMMUNE])
        operate(table, VERSAILLES, 4).do(*["remove Press"] * 4)
        assert table.s.pool[COMMUNE] == places, (momentum, places)
        assert table.s.out_of_play[COMMUNE] == gone + 4 - (places - min(1, places)), (momentum, places)


def test_pool_of_versailles_is_unlimited():
    """Table "Cubes at the start", cube pool: Versailles keeps every cube it loses."""
    table = Table().cubes("Royalists", versailles=4).cubes("Press", commune=4, versailles=4)
    operate(table.stock(VERSAILLES), COMMUNE, 4).do(*["remove Press"] * 4)
    assert table.s.pool[VERSAILLES] == 4


# -- R1, R2: operations --------------------------------------------------------------------------------------------


def test_r1_placements_do_not_chain():
    """R1: where to place is fixed before the first placement; new control opens nothing."""
    table = operate(Table().cubes("Republicans", commune=1), COMMUNE, 3).do("place Press")
    assert table.choices("place") == {"Republicans", "Press", "National Assembly", "Social Movements"}


def test_r1_removals_do_not_chain_but_placements_follow_them():
    """R1: where to remove is fixed before all removals; control won by removing counts for placing."""
    table = Table().cubes("Republicans", commune=1, versailles=1).cubes("National Assembly", versailles=1)
    operate(table, COMMUNE, 3)
    assert table.choices("remove") == {"Republicans"} and "National Assembly" not in table.choices("place")
    table.do("remove Republicans")
    assert table.choices("remove") == set() and "National Assembly" in table.choices("place")


def test_r1_removals_stay_legal_where_they_were():
    """R1: a space that was legal before the first removal stays so for the later ones."""
    table = operate(Table().cubes("Press", commune=1).cubes("Republicans", versailles=3), COMMUNE, 3)
    assert table.do("remove Republicans").choices("remove") == {"Republicans"}


def test_r1_strength_is_worked_out_before_each_attempt():
    """R1: control won by the first removal adds to the strength of the second attempt."""
    table = Table().cubes("Butte Montmartre", 1, 1).cubes("Père Lachaise", 1, 1).deck_top(21, 9)
    operate(table, COMMUNE, 3).do("remove Butte Montmartre")
    assert journal_has(table, "Commune attempts a removal in Butte Montmartre with strength 1")
    table.do("remove Père Lachaise")
    assert journal_has(table, "Commune attempts a removal in Père Lachaise with strength 2")


@pytest.mark.parametrize("spent", [0, 1])
def test_r2_points_need_not_be_spent(spent):
    """R2: a side may stop before, or after, its first placement; the card is discarded all the same."""
    table = operate(Table(), COMMUNE, 3).do(*["place Social Movements"] * spent, "done")
    assert table.map == ({"Social Movements": (1, 0)} if spent else {})
    assert table.s.top_discard == 37 and table.pending == (frames.ASK_CARD, VERSAILLES)


def test_r2_one_sphere():
    """R2: the first operation, removal or placement, binds the rest of the play to its sphere."""
    for first, sphere in [
        ("place Social Movements", POLITICAL),
        ("place Père Lachaise", MILITARY),
        ("remove Social Movements", POLITICAL),
        ("remove Père Lachaise", MILITARY),
    ]:
        table = Table().cubes("Social Movements", versailles=2).cubes("Père Lachaise", versailles=2).deck_top(21)
        old = operate(table, COMMUNE, 3).choices("place") | table.choices("remove")
        new = table.do(first).choices("place") | table.choices("remove") | table.choices("storm")
        assert old & POLITICAL and old & MILITARY and new and new <= sphere, (first, sphere)


def test_r2_never_back_to_removal():
    """R2: removal first, then placement; after a placement no removal."""
    table = operate(Table().cubes("Social Movements", versailles=2), COMMUNE, 3)
    assert table.choices("remove") == {"Social Movements"}
    assert table.do("place Social Movements").choices("remove") == set()


def test_r2_removal_then_placement():
    """R2: the points left after removals go into placements."""
    table = operate(Table().cubes("Social Movements", versailles=1), COMMUNE, 2)
    assert table.do("remove Social Movements", "place Social Movements").at("Social Movements") == (1, 0)


# -- R3, R4: military removal --------------------------------------------------------------------------------------

CAILLES, MONTMARTRE, LACHAISE = "Butte-aux-Cailles", "Butte Montmartre", "Père Lachaise"
STRENGTHS = {
    "presence": ({CAILLES: (2, 1)}, CAILLES, VERSAILLES, 1),
    "presence and control": ({CAILLES: (1, 2)}, CAILLES, VERSAILLES, 2),
    "a neighbour": ({CAILLES: (1, 0), MONTMARTRE: (0, 1)}, MONTMARTRE, COMMUNE, 1),
    "two neighbours": ({CAILLES: (1, 0), LACHAISE: (1, 0), MONTMARTRE: (0, 1)}, MONTMARTRE, COMMUNE, 2),
    "a neighbour and presence": ({CAILLES: (1, 0), MONTMARTRE: (1, 1)}, MONTMARTRE, COMMUNE, 2),
    "a contested neighbour": ({CAILLES: (1, 1), MONTMARTRE: (1, 1)}, MONTMARTRE, COMMUNE, 1),
    "always present": ({LACHAISE: (0, 1)}, LACHAISE, COMMUNE, 1),
    "Versailles HQ": ({"Mont-Valérien": (1, 0)}, "Mont-Valérien", VERSAILLES, 1),
    "HQ and presence": ({"Fort d'Issy": (1, 1)}, "Fort d'Issy", VERSAILLES, 2),
}


def test_r3_strength():
    """R3: +1 presence, +1 control, +1 per adjacent controlled space, +1 at most for one extra point."""
    for (case, (position, target, side, strength)), extra in product(STRENGTHS.items(), [0, 1]):
        case = (case, extra)
        table = Table().deck_top(41)
        for name, cubes in position.items():
            table.cubes(name, *cubes)
        operate(table, side, 3).do(f"{('remove', 'storm')[extra]} {target}")
        assert journal_has(table, f"{NAMES[side]} attempts a removal in {target} with strength {strength + extra}"), (
            case
        )


@pytest.mark.parametrize(("momentum", "strength"), [(2, 1), (3, 2)])
def test_r3_the_occupied_territory_counts(momentum, strength):
    """R3: the Occupied Territory is an adjacent controlled space at collaboration 3."""
    table = operate(Table().cubes("Père Lachaise", 1, 1).momentum(versailles=momentum).deck_top(41), VERSAILLES, 1)
    table.do("remove Père Lachaise")
    assert journal_has(table, f"Versailles attempts a removal in Père Lachaise with strength {strength}")


def test_r3_a_disc_gives_presence_and_control():
    """R3, R10: an own disc counts for strength as a piece."""
    table = Table().cubes("Butte-aux-Cailles", 1, 1).disc("Butte-aux-Cailles", VERSAILLES).deck_top(41)
    operate(table, VERSAILLES, 1).do("remove Butte-aux-Cailles")
    assert journal_has(table, "Versailles attempts a removal in Butte-aux-Cailles with strength 2")


@pytest.mark.parametrize("storm", [False, True])
def test_r3_strength_3_succeeds_without_a_draw(storm):
    """R3: 3 or more succeeds; no card is drawn. The extra point lifts a 2 to a 3."""
    table = Table().cubes("Butte-aux-Cailles", 1, 2).deck_top(41)
    if not storm:
        table.cubes("Fort d'Issy", versailles=1)
    operate(table, VERSAILLES, 3)
    remaining = int(table.s.deck_size)
    table.do(f"{'storm' if storm else 'remove'} Butte-aux-Cailles")
    assert table.at("Butte-aux-Cailles") == (0, 2) and table.s.deck_size == remaining


def test_r3_an_attempt_below_strength_3_draws_a_card():
    """R3: below 3 a card is drawn: success if the strength is at least its points; the card leaves the game."""
    for strength, (card, points) in product([1, 2], [(21, 1), (33, 2), (41, 3)]):
        own, enemy = ((1, 2), (2, 1))[strength - 1]
        table = operate_in_cailles(Table(), own, enemy, card)
        success = strength >= points
        assert table.at("Butte-aux-Cailles") == (enemy - success, own), (strength, card, points)
        assert zone(table, card) == state.REMOVED, (strength, card, points)
        draw = next(line for line in table.log if line.startswith(f"  drawn: {card} "))
        assert draw.endswith(("failure", "success")[success]), (strength, card, points)


def operate_in_cailles(table: Table, own: int, enemy: int, *deck_top: int) -> Table:
    """One removal attempt of Versailles with those cubes in Butte-aux-Cailles and nothing else."""
    table.cubes("Butte-aux-Cailles", enemy, own).deck_top(*deck_top)
    return operate(table, VERSAILLES, 1).do("remove Butte-aux-Cailles")


def test_r3_a_failed_attempt_costs_its_point():
    """R3: the point is spent whether the attempt succeeds or not."""
    table = operate(Table().cubes("Butte-aux-Cailles", 2, 1).deck_top(41), VERSAILLES, 2).do("remove Butte-aux-Cailles")
    table.do("place Butte-aux-Cailles")
    assert table.at("Butte-aux-Cailles") == (2, 2) and table.pending == (frames.ASK_CARD, COMMUNE)


def test_r3_censor_puts_the_drawn_card_under_the_discards():
    """R3, R18: in the Censor variant the drawn card goes under the discard pile, whose top stays."""
    table = Table(variant="censor").discarded(5, COMMUNE).cubes("Butte-aux-Cailles", 2, 1).deck_top(41)
    operate(table, VERSAILLES, 2).do("remove Butte-aux-Cailles")
    assert zone(table, 41) == state.DISCARDED and table.s.top_discard == 5


@pytest.mark.parametrize("first", [1, 21])
def test_r3_an_empty_deck_is_made_anew_from_the_discards(first):
    """R3: if the deck is empty the discards are shuffled first; what is drawn then still leaves the game."""
    table = empty_deck(Table().hand(VERSAILLES, 3).hand(COMMUNE, 35, 36), first, 24).cubes("Butte-aux-Cailles", 2, 1)
    operate(table, VERSAILLES, 1).do("remove Butte-aux-Cailles")
    assert journal_has(table, "the strategy deck is made anew")
    assert sorted(zone(table, k) for k in (first, 24)) == [state.IN_DECK, state.REMOVED]
    assert table.s.deck_size == 1 and table.at("Butte-aux-Cailles") == (1, 1)
    in_deck = next(k for k in (first, 24) if zone(table, k) == state.IN_DECK)
    assert (
        table.s.used_for[in_deck] == state.FOR_OPERATIONS and table.s.used_for[first + 24 - in_deck] == state.FOR_DRAW
    )


def test_r3_without_deck_and_discards_the_attempt_fails():
    """R3: with neither deck nor discards the attempt fails."""
    table = empty_deck(Table().hand(VERSAILLES, 3).hand(COMMUNE, 35, 36)).cubes("Butte-aux-Cailles", 1, 2)
    operate(table, VERSAILLES, 1).do("remove Butte-aux-Cailles")
    assert table.at("Butte-aux-Cailles") == (1, 2) and table.s.top_discard == 3


def test_r4_no_extra_point_at_strength_3():
    """R4: the extra point is on offer only while strength is below 3."""
    table = operate(Table().cubes("Butte-aux-Cailles", 2, 3).cubes("Fort d'Issy", versailles=1), VERSAILLES, 3)
    assert table.choices("remove") == {"Butte-aux-Cailles"} and table.choices("storm") == set()


@pytest.mark.parametrize(("points", "disc", "offers"), [(1, 0, False), (2, 0, True), (2, 1, False), (3, 1, True)])
def test_r4_the_extra_point_comes_on_top(points, disc, offers):
    """R4: an attempt costs 1, or 2 with an enemy disc, and the extra point 1 more."""
    table = Table().cubes("Butte-aux-Cailles", 2, 1)
    if disc:
        table.disc("Butte-aux-Cailles", COMMUNE)
    operate(table, VERSAILLES, points)
    assert "Butte-aux-Cailles" in table.choices("remove")
    assert ("Butte-aux-Cailles" in table.choices("storm")) == offers


def test_r4_the_extra_point_is_spent():
    """R4: a storm of 2 points leaves 1 of 3."""
    table = operate(Table().cubes("Butte-aux-Cailles", 2, 1).deck_top(21), VERSAILLES, 3)
    table.do("storm Butte-aux-Cailles", "place Butte-aux-Cailles")
    assert table.at("Butte-aux-Cailles") == (1, 2) and table.pending == (frames.ASK_CARD, COMMUNE)


def test_r4_an_attempt_on_a_disc_space_costs_2():
    """R4: with an enemy disc there 1 point is too little, and 3 points leave 1."""
    table = Table().cubes("Butte-aux-Cailles", 1, 2).disc("Butte-aux-Cailles", COMMUNE).deck_top(21)
    assert operate(table, VERSAILLES, 1).choices("remove") == set()
    table = Table().cubes("Butte-aux-Cailles", 1, 2).disc("Butte-aux-Cailles", COMMUNE).deck_top(21)
    operate(table, VERSAILLES, 3).do("remove Butte-aux-Cailles")
    assert table.choices("remove") == table.choices("storm") == set()  # one point is left, the disc costs 2
    assert "Fort d'Issy" in table.choices("place") and "Butte-aux-Cailles" not in table.choices("place")


def test_r4_an_own_disc_does_not_raise_the_cost():
    """R4, R5: only an enemy disc makes attempts and placements cost 2."""
    table = Table().cubes("Butte-aux-Cailles", 1, 1).disc("Butte-aux-Cailles", VERSAILLES)
    operate(table, VERSAILLES, 1)
    assert "Butte-aux-Cailles" in table.choices("remove") & table.choices("place")


def test_r4_a_disc_goes_last():
    """R4: cubes first; the disc can be taken once no enemy cube is left."""
    table = Table().cubes("Butte-aux-Cailles", 1, 3).disc("Butte-aux-Cailles", COMMUNE).cubes("Fort d'Issy", 0, 1)
    operate(table, VERSAILLES, 4).do("remove Butte-aux-Cailles")
    assert table.at("Butte-aux-Cailles") == (0, 3) and table.s.disc[space("Butte-aux-Cailles")] == COMMUNE + 1
    table.do("remove Butte-aux-Cailles")
    assert not table.s.disc.any() and journal_has(table, "Commune loses the disc in Butte-aux-Cailles")


def test_r4_political_removal_costs_1_point_and_no_attempt():
    """R4: every political removal succeeds, for a point each, without strength, extra point or draw."""
    table = operate(Table().cubes("Press", commune=1).cubes("Royalists", versailles=3), COMMUNE, 2)
    assert table.choices("storm") == set()
    remaining = int(table.s.deck_size)
    table.do("remove Royalists", "remove Royalists")
    assert table.at("Royalists") == (0, 1) and table.s.deck_size == remaining
    assert table.pending == (frames.ASK_CARD, VERSAILLES)


# -- R5, R6: cubes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("points", "placed"), [(1, 0), (2, 1), (3, 1), (4, 2)])
def test_r5_placing_costs_2_with_an_enemy_disc(points, placed):
    """R5: 1 point a cube, 2 where an enemy disc stands."""
    table = operate(Table().cubes("Père Lachaise", versailles=1).disc("Père Lachaise", VERSAILLES), COMMUNE, points)
    count = 0
    while "place Père Lachaise" in table.legal and table.pending[0] == frames.ASK_OPERATION:
        table.do("place Père Lachaise")
        count += 1
    assert count == placed


def test_r5_pool_first_then_the_track_outward():
    """R5: cubes come from the pool, then Starting, Escalation, Tension, Final Crisis."""
    for pool, cubes in product([0, 1], range(5)):
        table = Table().momentum(commune=3).stock(COMMUNE, pool=pool, track=(1, 1, 1, 1))
        table.s.settled[COMMUNE] = 0b1110
        operate(table, COMMUNE, 4).do(*["place Social Movements"] * cubes)
        sources = [int(table.s.pool[COMMUNE]), *table.s.track[COMMUNE].tolist()][1 - pool :]
        assert sources == [0] * cubes + [1] * (4 + pool - cubes), (pool, cubes)


def test_r5_with_no_cube_left_nothing_can_be_placed():
    """R5: no stock, no placement; cubes on the map are not relocated."""
    table = operate(Table().cubes("Social Movements", commune=3).stock(COMMUNE), COMMUNE, 3)
    assert table.pending == (frames.ASK_CARD, VERSAILLES) and table.at("Social Movements") == (3, 0)


def test_r5_the_last_cube_ends_placement():
    """R5: with one cube in stock one is placed, whatever points are left."""
    table = operate(Table().stock(VERSAILLES, pool=1), VERSAILLES, 3).do("place Royalists")
    assert table.pending == (frames.ASK_CARD, COMMUNE) and table.s.pool[VERSAILLES] == 0


def test_r5_removed_cubes_go_to_the_pool_not_to_the_track():
    """R5: cubes never return to the crisis track."""
    table = Table().momentum(commune=1).cubes("Press", 1, 1).stock(COMMUNE, track=(1, 2, 2, 2)).stock(VERSAILLES)
    operate(table, VERSAILLES, 1).do("remove Press")
    assert table.s.pool[COMMUNE] == 1 and table.s.track[COMMUNE].tolist() == [1, 2, 2, 2]


def test_r5_limit_of_4_own_cubes():
    """R5, R9: a space with 4 own cubes takes no fifth; enemy cubes and discs do not count."""
    table = Table().cubes("Père Lachaise", 3, 4).cubes("Social Movements", commune=4).disc("Père Lachaise", COMMUNE)
    assert operate(table, COMMUNE, 3).choices("place") & {"Père Lachaise", "Social Movements"} == {"Père Lachaise"}
    assert table.do("place Père Lachaise").at("Père Lachaise") == (4, 4)
    assert "Père Lachaise" not in table.choices("place")


def escalation(momentum: int) -> Table:
    """The Commune has one cube on Starting, and full zones beyond it."""
    table = Table().momentum(commune=momentum).stock(COMMUNE, track=(1, 2, 2, 2), bonus=(0, 2, 2, 2))
    return operate(table, COMMUNE, 3)


def test_r6_breach_is_settled_at_the_end_of_the_card_play():
    """R6: bonus cubes come at the end of the play, so a third cube still comes from the track."""
    table = escalation(1).do(*["place Social Movements"] * 2)
    assert table.s.pool[COMMUNE] == 0 and table.s.bonus[COMMUNE].tolist() == [0, 2, 2, 2]
    table.do("place Social Movements")
    assert table.s.track[COMMUNE].tolist() == [0, 0, 2, 2] and table.s.bonus[COMMUNE].tolist() == [0, 0, 2, 2]
    assert table.s.pool[COMMUNE] == 2 and journal_has(table, "Commune breached Escalation and takes 2 bonus cubes")


def test_r6_emptying_a_zone_does_not_breach_the_next():
    """R6: a zone is breached by its own first cube; Starting has no bonus."""
    table = escalation(1).do("place Social Movements", "done")
    assert table.s.track[COMMUNE].tolist() == [0, 2, 2, 2] and table.s.pool[COMMUNE] == 0


def test_r6_a_zone_pays_once():
    """R6: the second cube of a breached zone brings nothing more."""
    table = escalation(1).do(*["place Social Movements"] * 2, "done")
    table.s.pool[COMMUNE], table.s.out_of_play[COMMUNE] = 0, table.s.out_of_play[COMMUNE] + 2
    operate(again(table), COMMUNE, 1).do("place Père Lachaise")
    assert table.s.pool[COMMUNE] == 0 and table.s.bonus[COMMUNE].tolist() == [0, 0, 2, 2]


def test_r6_two_zones_breached_in_one_play_both_pay():
    """R6: every zone breached in a play is settled at its end."""
    table = Table().stock(VERSAILLES, track=(0, 1, 1, 2), bonus=(0, 1, 1, 2))
    operate(table, VERSAILLES, 2).do("place Royalists", "place Royalists")
    assert table.s.pool[VERSAILLES] == 2 and table.s.bonus[VERSAILLES].tolist() == [0, 0, 0, 2]


@pytest.mark.parametrize(("momentum", "staying"), [(0, 0), (1, 2)])
def test_r6_bonus_cubes_of_the_commune_without_room_leave_play(momentum, staying):
    """R6: a Commune bonus cube with no place in the pool leaves play."""
    table = escalation(momentum)
    gone = int(table.s.out_of_play[COMMUNE])
    table.do(*["place Social Movements"] * 2, "done")
    assert table.s.pool[COMMUNE] == staying and table.s.out_of_play[COMMUNE] == gone + 2 - staying


@pytest.mark.parametrize("first", SIDES)
def test_r6_final_crisis_zone_first_and_second_breach(first):
    """R6: the first to breach loses 1 Political VP and takes 2 bonus cubes; the second neither loses nor gains."""
    second, name = 1 - first, ("Social Movements", "Royalists")
    table = last_zone_only(last_zone_only(Table().momentum(commune=1), first), second)
    operate(table, first, 1).do(f"place {name[first]}")
    political = -1 if first == COMMUNE else 1
    assert table.s.vp.tolist() == [political, 0]
    assert table.s.pool[first] == 2 and table.s.bonus[first, 3] == 0
    gone = int(table.s.out_of_play[second])
    operate(again(table), second, 1).do(f"place {name[second]}")
    assert table.s.vp.tolist() == [political, 0]
    assert table.s.pool[second] == 0 and table.s.bonus[second, 3] == 0 and table.s.out_of_play[second] == gone + 2


def test_r6_breach_by_the_opponents_gift_is_settled_with_the_play():
    """R6, R7: a cube placed in the enemy's card play breaches too, and is settled at that play's end."""
    table = last_zone_only(Table().momentum(versailles=1), COMMUNE).play(VERSAILLES, 3, "momentum", "place Press")
    assert journal_has(table, "Commune breached Final Crisis and takes 2 bonus cubes") and table.s.vp.tolist() == [
        -1,
        0,
    ]


def test_r6_breach_in_a_bonus_action_is_settled_after_it():
    """R6, R14: bonus cubes are in the pool before the next bonus action."""
    table = last_zone_only(Table().cubes("Press", 1, 2).cubes("National Assembly", 0, 1), VERSAILLES, 2)
    objectives(table).s.plays = 6
    table.go_on(state.PLAYING).do("dimension Public Opinion", "bonus turncoat")
    assert table.at("Press") == (0, 3) and table.pending == (frames.ASK_BONUS, VERSAILLES)
    assert table.s.pool[VERSAILLES] == 2 and table.s.vp.tolist() == [1, 0]


def test_r6_breach_in_an_objective_event_is_settled_after_it():
    """R6, R15: an Objective Card's event is settled before the next one."""
    table = last_zone_only(Table().cubes("Republicans", 0, 1).cubes("Père Lachaise", 1, 0), VERSAILLES)
    objectives(table, 44, 52)
    table.go_on(state.OBJECTIVE_SCORING).do("first Versailles", "yes", "place Republicans", "done")
    assert table.pending == (frames.ASK_WHETHER, COMMUNE)  # the Commune's own objective event is still to come
    assert (
        journal_has(table, "Versailles breached Final Crisis and takes 2 bonus cubes") and table.s.pool[VERSAILLES] == 2
    )


def test_r6_also_in_the_final_crisis():
    """R6: breaching the Final Crisis zone during the Final Crisis costs and pays as ever."""
    table = last_zone_only(Table(), VERSAILLES).hand(VERSAILLES, 5).crisis(1).to_play(VERSAILLES)
    table.do("card 5", "place Press", "done")
    assert journal_has(table, "Versailles breached Final Crisis and takes 2 bonus cubes")
    assert journal_has(table, "political VP: Commune +1, Versailles -1")


# -- R7: momentum --------------------------------------------------------------------------------------------------


def advance(table: Table, side: int) -> Table:
    """Play a card to advance the own momentum."""
    return table.play(side, 3, "momentum")


def test_r7_no_card_advances_momentum_beyond_3():
    """R7: at 3 no card may be played to advance it."""
    for side, momentum in product(SIDES, range(4)):
        table = Table().momentum(**{NAMES[side].lower(): momentum}).hand(side, 3).first_play(side).do("card 3")
        assert ("use momentum" in table.legal) == (momentum < 3), (side, momentum)


@pytest.mark.parametrize("side", SIDES)
def test_r7_the_card_leaves_the_game(side):
    """R7: a card played to advance leaves the game; it never becomes the top discard."""
    table = advance(Table().discarded(5, side), side)
    assert zone(table, 3) == state.SPENT_COMMUNE + side and table.s.top_discard == 5
    assert table.s.momentum[side] == 1 and table.s.momentum[1 - side] == 0


@pytest.mark.parametrize("spent", [21, 24])
def test_r7_a_card_spent_face_down_is_not_known(spent):
    """R7: a side that has seen the hand cannot see which card left it face down."""
    table = Table().hand(COMMUNE, 21, 24, 26)
    table.s.known[VERSAILLES, [21, 24, 26]] = 1
    table.first_play(COMMUNE).do(f"card {spent}", "use momentum")
    assert not table.s.known[VERSAILLES].any()


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("momentum", range(3))
def test_r7_reaching_2_or_3_lets_the_opponent_place(side, momentum):
    """R7: at 2 and 3, not at 1: the Commune in Public Opinion, Versailles in Institutional, or nowhere."""
    table = advance(Table().momentum(**{NAMES[side].lower(): momentum}), side)
    if momentum == 0:
        assert table.pending == (frames.ASK_CARD, 1 - side)
        return
    spaces = PUBLIC_OPINION if side == VERSAILLES else INSTITUTIONAL
    assert table.pending == (frames.ASK_PLACE, 1 - side)
    assert table.legal == {"done", *(f"place {name}" for name in spaces)}


@pytest.mark.parametrize(("answer", "cubes"), [("place Catholic Church", 1), ("done", 0)])
def test_r7_the_opponent_places_one_cube_or_declines(answer, cubes):
    """R7: one cube, or none."""
    table = advance(Table().momentum(versailles=1), VERSAILLES).do(answer)
    assert table.at("Catholic Church") == (cubes, 0) and table.pending == (frames.ASK_CARD, COMMUNE)


def test_r7_the_opponents_cube_obeys_limit_and_stock():
    """R7, R5: full spaces are no choice; without stock nothing is asked."""
    table = advance(Table().momentum(versailles=1).cubes("Press", commune=4), VERSAILLES)
    assert table.choices("place") == PUBLIC_OPINION - {"Press"}
    table = advance(Table().momentum(versailles=1).stock(COMMUNE), VERSAILLES)
    assert table.pending == (frames.ASK_CARD, COMMUNE)


def test_r7_momentum_by_event_lets_the_opponent_place_at_once():
    """R7: by event too, before the event goes on (Jules Favre: momentum +1, then a cube)."""
    table = Table().momentum(versailles=1).play(VERSAILLES, 15, "event")
    assert table.pending == (frames.ASK_PLACE, COMMUNE) and table.choices("place") == PUBLIC_OPINION
    assert table.do("place Press").pending == (frames.ASK_PLACE, VERSAILLES)


def test_r7_momentum_raised_by_the_enemy_lets_that_enemy_place():
    """R7: the opponent of the track's owner places, even when its own card raised the track (Hostage Decree)."""
    table = Table().momentum(commune=1).cubes("Press", commune=1).play(VERSAILLES, 16, "event", "replace Press")
    assert table.s.momentum[COMMUNE] == 2
    assert table.pending == (frames.ASK_PLACE, VERSAILLES) and table.choices("place") == INSTITUTIONAL


def under_collaboration(table: Table, *cubes: int) -> Table:
    """Put cubes under Prussian Collaboration 1, 2, 3."""
    table.s.collaboration[1:] = cubes
    return table


@pytest.mark.parametrize("level", [1, 2, 3])
def test_r7_collaboration_cubes_go_to_the_pool_at_once(level):
    """R7: reaching a level brings the cubes below it, and no others."""
    remaining = [2 * int(k >= level) for k in (1, 2, 3)]
    table = under_collaboration(Table(), *remaining).momentum(versailles=level - 1).stock(VERSAILLES)
    advance(table, VERSAILLES)
    assert table.s.pool[VERSAILLES] == 2
    assert table.s.collaboration.tolist() == [0, *(2 * int(k > level) for k in (1, 2, 3))]


def test_r7_collaboration_cubes_are_kept_and_not_given_twice():
    """R7: a fall takes no cubes away; a second rise brings none."""
    table = under_collaboration(Table(), 2, 2, 2).stock(VERSAILLES)
    advance(table, VERSAILLES)
    again(table).play(COMMUNE, 40, "event", "done")
    assert table.s.momentum[VERSAILLES] == 0 and table.s.pool[VERSAILLES] == 2
    advance(again(table), VERSAILLES)
    assert table.s.momentum[VERSAILLES] == 1 and table.s.pool[VERSAILLES] == 2
    assert table.s.collaboration.tolist() == [0, 0, 2, 2]


@pytest.mark.parametrize(("momentum", "staying"), [(3, 3), (2, 2), (1, 0)])
def test_r7_a_fall_of_the_commune_closes_pool_places(momentum, staying):
    """R7: cubes standing in the places that close leave play; the others stay."""
    pool = (0, 2, 3, 4)[momentum]
    table = Table().momentum(commune=momentum).stock(COMMUNE, pool=pool)
    gone = int(table.s.out_of_play[COMMUNE])
    table.play(VERSAILLES, 40, "event", "done")
    assert table.s.pool[COMMUNE] == staying and table.s.out_of_play[COMMUNE] == gone + pool - staying


def test_r7_a_fall_spares_cubes_that_still_have_a_place():
    """R7: two cubes fit the two places of momentum 1."""
    table = Table().momentum(commune=2).stock(COMMUNE, pool=2).play(VERSAILLES, 40, "event", "done")
    assert table.s.pool[COMMUNE] == 2


def test_r7_a_fall_gives_the_opponent_no_cube():
    """R7: only an advance to 2 or 3 lets the opponent place, not a fall to 2."""
    table = Table().momentum(commune=3).play(VERSAILLES, 40, "event")
    assert table.s.momentum[COMMUNE] == 2 and table.choices("place") == POLITICAL
    assert table.do("done").pending == (frames.ASK_CARD, COMMUNE)


# -- R8: copying ---------------------------------------------------------------------------------------------------


def copying(top: int, by: int, card: int, *, side: int = VERSAILLES, round_of: int = 2, momentum: int = 1) -> bool:
    """Whether a side may copy the top discard by paying with a card, in round 2."""
    table = Table().momentum(momentum, momentum)
    table.s.round_number = 2
    table.discarded(top, by, round_of).hand(side, card).first_play(side).do(f"card {card}")
    return "use copy" in table.legal


def test_r8_paid_with_a_card_of_equal_or_more_points():
    """R8: the paying card has at least the points of the copied one."""
    for (card, points), (top, cost) in product([(3, 1), (11, 2), (41, 3)], [(5, 1), (9, 2)]):
        assert copying(top, COMMUNE, card) == (points >= cost), (card, points, top, cost)


@pytest.mark.parametrize(
    ("top", "by", "round_of", "why"),
    [
        (5, VERSAILLES, 2, "discarded by myself"),
        (5, COMMUNE, 1, "discarded in an earlier round"),
        (38, COMMUNE, 2, "neutral"),
        (21, COMMUNE, 2, "of the enemy's colour"),
    ],
)
def test_r8_only_my_colour_discarded_this_round_by_the_opponent(top, by, round_of, why):
    """R8: not my own discard, not an earlier round's, not a neutral card, not an enemy card."""
    assert not copying(top, by, 41, round_of=round_of), why
    assert copying(5, COMMUNE, 41), "and otherwise it may be copied"


@pytest.mark.parametrize(("momentum", "allowed"), [(0, False), (1, True)])
def test_r8_an_event_that_cannot_be_used_cannot_be_copied(momentum, allowed):
    """R8, R9: "must" binds a copied event too (Banque de France must lower the Commune's momentum)."""
    assert copying(20, VERSAILLES, 41, side=COMMUNE, momentum=momentum) == allowed


def test_r8_only_the_top_discard():
    """R8: a card further down the pile cannot be copied."""
    table = Table().discarded(5, COMMUNE).discarded(38, COMMUNE).hand(VERSAILLES, 41).first_play(VERSAILLES)
    assert "use copy" not in table.do("card 41").legal


def test_r8_the_event_takes_place_and_the_paying_card_becomes_the_top():
    """R8: the copied event is carried out, then the paying card lies on top, the copied one below it."""
    table = Table().discarded(5, COMMUNE).play(VERSAILLES, 41, "copy")
    assert table.s.top_discard == 5 and table.choices("place") == PUBLIC_OPINION
    table.do("place Press", "place Press")
    assert table.at("Press") == (0, 2) and table.s.top_discard == 41 and zone(table, 5) == state.DISCARDED
    assert journal_has(table, "Versailles discards 41 Freemason Parade")


def test_r8_the_paying_card_can_be_copied_in_turn():
    """R8: the paying card is a discard of its player, for the opponent to copy."""
    table = Table().discarded(5, COMMUNE).hand(VERSAILLES, 21).hand(COMMUNE, 24, 26).first_play(VERSAILLES)
    table.do("card 21", "use copy", "done", "card 24")
    assert "use copy" in table.legal


# -- R9, R10: events and discs -------------------------------------------------------------------------------------


def test_r9_events_of_the_own_colour_or_neutral():
    """Event: a card's event is for its own side, a neutral one for both."""
    for side, (card, owner) in product(SIDES, [(21, COMMUNE), (5, VERSAILLES), (38, None)]):
        table = Table().hand(side, card).first_play(side).do(f"card {card}")
        assert ("use event" in table.legal) == (owner is None or owner == side), (side, card, owner)


@pytest.mark.parametrize(("momentum", "allowed"), [(0, False), (1, True)])
def test_r9_must(momentum, allowed):
    """R9: an event whose "must" cannot be met cannot be chosen (Banque de France)."""
    table = Table().momentum(commune=momentum).hand(COMMUNE, 20).first_play(COMMUNE).do("card 20")
    assert ("use event" in table.legal) == allowed and "use operations" in table.legal


@pytest.mark.parametrize("control", [False, True])
def test_r9_if(control):
    """R9: an event that an unmet "if" opens cannot be chosen (Général Lullier: control of Butte Montmartre)."""
    table = Table().cubes("Butte Montmartre", 1, int(not control)).hand(COMMUNE, 32).first_play(COMMUNE).do("card 32")
    assert ("use event" in table.legal) == control


@pytest.mark.parametrize(("disc", "gain"), [(None, 0), (COMMUNE, 1), (VERSAILLES, -1)])
def test_r10_a_disc_counts_for_control(disc, gain):
    """R10: a disc tips a space that cubes share, so it decides the dimension's VP."""
    table = Table()
    table.cubes("Père Lachaise", 1, 1)
    for name in ("Butte Montmartre", "Butte-aux-Cailles"):
        table.cubes(name, *((0, 1) if disc == VERSAILLES else (1, 0)))
    if disc is not None:
        table.disc("Père Lachaise", disc)
    objectives(table, 48, 47).go_on(state.DIMENSION_SCORING)
    assert table.s.vp.tolist() == [0, gain]


def test_r10_a_disc_counts_for_presence():
    """R10: where only a disc stands its side may act."""
    table = operate(Table().disc("Château de Vincennes", COMMUNE), COMMUNE, 1)
    assert "Château de Vincennes" in table.choices("place")


# -- R11 to R13: Final Crisis card in a round, VP, initiative ------------------------------------------------------


@pytest.mark.parametrize("side", SIDES)
def test_r11_the_final_crisis_card_gives_4_points(side):
    """R11: a hand card is discarded, the Final Crisis card gives 4 points and leaves the game."""
    name = ("Social Movements", "Royalists")[side]
    table = operate(Table(), side, 4).do(*[f"place {name}"] * 4)
    assert sum(table.at(name)) == 4 and table.pending == (frames.ASK_CARD, 1 - side)
    assert zone(table, FINAL_CARD[side]) == state.REMOVED and zone(table, FINAL_CARD[1 - side]) == state.FACE_UP


def test_r11_the_hand_card_is_the_top_discard_and_can_be_copied():
    """R11: the discarded hand card is a discard like any other."""
    table = Table().hand(COMMUNE, 5).hand(VERSAILLES, 9, 3).first_play(COMMUNE)
    table.do("card 5", "use final-crisis", "done", "card 9")
    assert table.s.top_discard == 5 and "use copy" in table.legal


def test_r11_it_counts_as_a_play():
    """R11: it is one of the three plays: the opponent is next."""
    table = operate(Table(), COMMUNE, 4).do("done")
    assert table.s.plays == 2 and table.pending == (frames.ASK_CARD, VERSAILLES)


@pytest.mark.parametrize("side", SIDES)
def test_r11_only_once(side):
    """R11: a Final Crisis card that left the game cannot be used again."""
    table = Table().gone(FINAL_CARD[side]).hand(side, 41).first_play(side).do("card 41")
    assert "use final-crisis" not in table.legal and "use operations" in table.legal


def hold(table: Table, side: int, dimension: int, cubes: int = 1) -> Table:
    """Give a side all three spaces of a Crisis Dimension."""
    for name in board.SPACE_NAMES[3 * dimension : 3 * dimension + 3]:
        table.cubes(name, **{NAMES[side].lower(): cubes})
    return table


def test_r12_a_dimension_is_worth_1_vp_of_its_sphere():
    """R12, R14: a dimension held whole moves one marker by 1, for its holder and against the enemy."""
    for side, dimension in product(SIDES, range(4)):
        objective = (46, 48)[dimension // 2]  # a space that nobody controls
        table = objectives(hold(Table(), side, dimension), objective, objective - 1 if objective == 46 else 49)
        table.go_on(state.DIMENSION_SCORING)
        gain = 1 if side == COMMUNE else -1
        assert table.s.vp.tolist() == [gain * (dimension < 2), gain * (dimension >= 2)], (side, dimension)


@pytest.mark.parametrize("side", SIDES)
def test_r12_two_of_three_spaces_score_nothing(side):
    """Control of a dimension takes all three of its spaces."""
    table = objectives(hold(Table(), side, 3).cubes("Père Lachaise", 1, 1), 48, 49).go_on(state.DIMENSION_SCORING)
    assert table.s.vp.tolist() == [0, 0]


@pytest.mark.parametrize("side", SIDES)
def test_r12_vp_are_seen_with_opposite_signs(side):
    """R12: one marker a track; the sides see it with opposite signs."""
    table = Table().vp(2, -3).hand(COMMUNE, 21, 24).first_play(COMMUNE)
    start = table.batch.game.observation.start("vp")
    observed = table.batch.observe(side)[0, start : start + 2].tolist()
    assert observed == ([2, -3] if side == COMMUNE else [-2, 3])


def test_r12_a_gain_beyond_5_is_lost():
    """R12: neither side's VP of a sphere go beyond 5."""
    for side, sphere, old in product(SIDES, [0, 1], [4, 5]):
        sign = 1 if side == COMMUNE else -1
        vp = [0, 0]
        vp[sphere] = sign * old
        table = objectives(hold(Table().vp(*vp), side, 2 * sphere), *((46, 47), (48, 49))[sphere])
        table.s.vp_endless[:] = vp
        assert table.go_on(state.DIMENSION_SCORING).s.vp[sphere] == sign * 5, (side, sphere, old)
        assert table.s.vp_endless[sphere] == sign * (old + 1), (side, sphere, old)  # the reward "mixed" counts on


@pytest.mark.parametrize("initiative", SIDES)
@pytest.mark.parametrize(("first", "remaining"), [("Commune", 4), ("Versailles", 5)])
def test_r12_the_initiative_player_orders_scoring_at_the_end_of_the_track(initiative, first, remaining):
    """R12: at 5 the side that scores first loses its gain, or takes it after the other's."""
    table = hold(hold(Table().vp(5, 0), COMMUNE, 0), VERSAILLES, 1)
    objectives(table, 46, 47).s.initiative = initiative
    table.go_on(state.DIMENSION_SCORING)
    assert table.pending == (frames.ASK_SCORE_ORDER, initiative)
    assert table.legal == {"first Commune", "first Versailles"}
    assert table.do(f"first {first}").s.vp.tolist() == [remaining, 0]


@pytest.mark.parametrize(("first", "remaining"), [("Commune", -5), ("Versailles", -4)])
def test_r12_at_the_other_end_too(first, remaining):
    """R12: the same at -5, here for the military markers."""
    table = objectives(hold(hold(Table().vp(0, -5), COMMUNE, 2), VERSAILLES, 3), 48, 49).go_on(state.DIMENSION_SCORING)
    assert table.do(f"first {first}").s.vp.tolist() == [0, remaining]


def test_r12_elsewhere_the_order_is_not_asked():
    """R12: within the track both gains cancel, whatever their order."""
    for political in range(-4, 5):
        table = hold(hold(Table().vp(political, 5), COMMUNE, 0), VERSAILLES, 1)
        objectives(table, 46, 47).go_on(state.DIMENSION_SCORING)
        assert table.pending[0] == frames.ASK_OBJECTIVE and table.s.vp.tolist() == [political, 5], political


def test_r12_one_sides_gain_is_not_asked_about():
    """R12: at 5 with a gain for one side only there is no order."""
    table = objectives(hold(Table().vp(-5, 0), COMMUNE, 0), 46, 47).go_on(state.DIMENSION_SCORING)
    assert table.s.vp.tolist() == [-4, 0]


@pytest.mark.parametrize(("first", "remaining"), [("Commune", 4), ("Versailles", 5)])
def test_r12_the_order_of_objective_scoring(first, remaining):
    """R12, R15: objectives too are scored in the order the Initiative player picks."""
    table = Table().vp(5, 0).cubes("Press", 0, 1).cubes("Republicans", 1, 0)
    objectives(table, 48, 52).s.initiative = VERSAILLES
    table.go_on(state.OBJECTIVE_SCORING)
    assert table.pending == (frames.ASK_SCORE_ORDER, VERSAILLES)
    assert table.do(f"first {first}").s.vp.tolist() == [remaining, 0]


def test_r13_the_higher_initiative_level_decides():
    """R13: own Political VP less own momentum; the higher decides, the Commune on ties; military VP do not count."""
    for (political, commune, versailles, decider), phase in product(
        [
            (0, 0, 0, COMMUNE),  # tie
            (0, 2, 2, COMMUNE),  # tie
            (1, 1, 0, COMMUNE),  # 0 against -1
            (1, 2, 0, COMMUNE),  # tie at -1
            (1, 3, 0, VERSAILLES),  # -2 against -1
            (0, 1, 0, VERSAILLES),
            (0, 0, 1, COMMUNE),
            (-1, 0, 2, COMMUNE),  # tie at -1
            (-1, 0, 1, VERSAILLES),  # -1 against 0
            (2, 3, 0, COMMUNE),  # -1 against -2
        ],
        [state.INITIATIVE, state.CRISIS_INITIATIVE],
    ):
        case = (political, commune, versailles, decider, phase)
        table = Table().vp(political, -5).momentum(commune, versailles).hand(COMMUNE, 21, 24).hand(VERSAILLES, 5, 9)
        assert table.go_on(phase).pending == (frames.ASK_INITIATIVE, decider), case
        assert table.legal == {"first Commune", "first Versailles"}, case


@pytest.mark.parametrize("first", SIDES)
def test_r13_whoever_plays_first_holds_initiative(first):
    """R13: the decider may choose either side; that side holds initiative and plays the first card."""
    table = Table().hand(COMMUNE, 21, 24).hand(VERSAILLES, 5, 9).go_on(state.INITIATIVE).do(f"first {NAMES[first]}")
    assert table.s.initiative == first and table.pending == (frames.ASK_CARD, first)
    assert journal_has(table, f"{NAMES[first]} is the Initiative player")


@pytest.mark.parametrize("first", SIDES)
def test_sequence_three_plays_each_in_turn_then_the_last_card_aside(first):
    """Sequence of play 4, 5: the Initiative player begins, three plays each; the fourth card is set aside."""
    hands = ((21, 24, 26, 27), (5, 9, 11, 14))
    table = objectives(Table().hand(COMMUNE, *hands[0]).hand(VERSAILLES, *hands[1])).go_on(state.INITIATIVE)
    table.do(f"first {NAMES[first]}")
    for k in range(6):
        side = first if k % 2 == 0 else 1 - first
        assert table.pending == (frames.ASK_CARD, side)
        table.do(f"card {hands[side][k // 2]}", "use operations", "done")
    assert [zone(table, hand[3]) for hand in hands] == [state.ASIDE_COMMUNE, state.ASIDE_VERSAILLES]
    assert table.s.round_number == 2


def test_sequence_the_deal_and_the_objectives():
    """Sequence of play 1, 2: four Strategy Cards and two Objective Cards each; one is kept, one leaves face down."""
    table = fresh()
    assert [(np.asarray(table.s.zone) == state.IN_HAND_COMMUNE + side).sum() for side in SIDES] == [4, 4]
    for side in SIDES:
        offers = table.choices("objective")
        assert table.pending == (frames.ASK_OBJECTIVE, side) and len(offers) == 2
        staying, rejected = sorted(offers)
        table.do(f"objective {staying}")
        assert table.s.objective[side] == int(staying)
        assert table.s.objective_zone[int(staying) - 42] == state.CHOSEN_COMMUNE + side
        assert table.s.objective_zone[int(rejected) - 42] == state.REJECTED_COMMUNE + side


# -- R14: pivotal bonus actions ------------------------------------------------------------------------------------


def round_end(table: Table, initiative: int = COMMUNE) -> Table:
    """All cards of the round have been played."""
    table.s.plays, table.s.initiative = 6, initiative
    if not table.s.objective.any():
        objectives(table, 46, 47)
    return table.go_on(state.PLAYING)


PIVOTAL = {"National Assembly": 0, "Press": 1, "Mont-Valérien": 2, "Butte Montmartre": 3}
DIMENSIONS = ("Institutional", "Public Opinion", "Forts", "Paris")


def test_r14_the_controller_of_a_pivotal_space_has_a_bonus_action():
    """R14: the four pivotal spaces give one, to their controller; no other space does."""
    for side, name in product(SIDES, board.SPACE_NAMES):
        case = (side, name)
        table = Table().cubes(name, **{NAMES[side].lower(): 1})
        round_end(objectives(table, *((48, 50) if name in MILITARY else (46, 47))))
        assert table.pending == ((frames.ASK_BONUS, side) if name in PIVOTAL else (frames.ASK_OBJECTIVE, COMMUNE)), case


def test_r14_a_contested_pivotal_space_gives_none():
    """R14: control is needed, presence does not do."""
    assert round_end(Table().cubes("Press", 1, 1)).pending == (frames.ASK_OBJECTIVE, COMMUNE)


@pytest.mark.parametrize("initiative", SIDES)
def test_r14_the_initiative_player_orders_the_eligible_spaces(initiative):
    """R14: all eligible dimensions of both sides are ordered by the Initiative player; their controllers act."""
    table = Table().cubes("Press", 1, 0).cubes("National Assembly", 0, 1).cubes("Butte Montmartre", 1, 0)
    round_end(table, initiative)
    for name, side, remaining in (
        ("National Assembly", VERSAILLES, {"Public Opinion", "Paris"}),
        ("Butte Montmartre", COMMUNE, {"Public Opinion"}),
    ):
        dimension = DIMENSIONS[PIVOTAL[name]]
        assert table.pending == (frames.ASK_BONUS_ORDER, initiative)
        assert table.choices("dimension") == remaining | {dimension}
        assert table.do(f"dimension {dimension}").pending == (frames.ASK_BONUS, side)
        table.do("done")
    assert table.pending == (frames.ASK_BONUS, COMMUNE)  # the last one needs no order


def test_r14_each_action_is_optional():
    """R14: a bonus action may be declined; nothing changes."""
    table = round_end(Table().cubes("Press", 2, 1))
    assert table.legal == {"bonus de-escalate", "bonus spread", "bonus turncoat", "done"}
    assert table.do("done").map == {"Press": (2, 1)}


def test_r14_bonus_actions_come_before_dimension_scoring():
    """R14: a bonus action can win the dimension that is scored after it."""
    table = round_end(Table().cubes("Press", 2, 0).cubes("Catholic Church", 1, 0).cubes("Social Movements", 0, 0))
    table.do("bonus spread", "take Press", "place Social Movements", "done")
    assert table.s.vp.tolist() == [1, 0]


def de_escalate(*moves: str) -> Table:
    """The Commune de-escalates in Paris."""
    table = Table().cubes("Butte Montmartre", 2, 1).cubes("Père Lachaise", 1, 2).cubes("Press", 1, 1)
    return round_end(objectives(table, 50, 49)).do("bonus de-escalate", *moves)


def test_r14_de_escalate_begins_with_an_own_cube_of_the_dimension():
    """R14: own cubes of that dimension's spaces; an enemy cube only next to an own one."""
    assert de_escalate().legal == {"take Butte Montmartre", "take Père Lachaise", "done"}


def test_r14_de_escalate_then_one_more_of_either_side():
    """R14: up to 2 own cubes, or 1 own and 1 enemy cube."""
    places = {"Butte Montmartre", "Père Lachaise"}
    table = de_escalate("take Butte Montmartre")
    assert table.legal == {"done", *(f"take {p}" for p in places), *(f"remove {p}" for p in places)}


@pytest.mark.parametrize(
    ("second", "montmartre", "lachaise"),
    [("take Butte Montmartre", (0, 1), (1, 2)), ("remove Père Lachaise", (1, 1), (1, 1)), ("done", (1, 1), (1, 2))],
)
def test_r14_de_escalate_ends_with_the_second_cube(second, montmartre, lachaise):
    """R14: two cubes at most, without attempt or points."""
    table = de_escalate("take Butte Montmartre", second)
    assert (table.at("Butte Montmartre"), table.at("Père Lachaise")) == (montmartre, lachaise)
    assert table.pending[0] == frames.ASK_OBJECTIVE


def test_r14_discs_are_not_cubes():
    """R14: De-escalate cannot take a disc, Turncoat cannot replace one."""
    table = Table().cubes("Mont-Valérien", 0, 1).disc("Fort d'Issy", COMMUNE).disc("Château de Vincennes", VERSAILLES)
    round_end(objectives(table, 50, 49))
    assert table.legal == {"bonus de-escalate", "bonus spread", "done"}
    table.do("bonus de-escalate", "take Mont-Valérien")
    assert table.s.disc[[7, 8]].tolist() == [COMMUNE + 1, VERSAILLES + 1]


def test_r14_a_pivotal_space_held_by_a_disc_alone_has_nothing_to_do():
    """R14: a disc gives control, but without a cube there is no action to take."""
    table = round_end(objectives(Table().disc("Butte Montmartre", COMMUNE), 50, 49))
    assert table.pending == (frames.ASK_OBJECTIVE, COMMUNE)


def spread(*moves: str) -> Table:
    """Versailles spreads in Public Opinion."""
    table = Table().cubes("Press", 0, 3).cubes("Catholic Church", 1, 4).cubes("Royalists", 0, 1)
    return round_end(table).do("bonus spread", *moves)


def test_r14_spread_moves_own_cubes_within_the_dimension():
    """R14: from and to the dimension's three spaces, under the limit of 4."""
    table = spread()
    assert table.legal == {"take Press", "take Catholic Church", "done"}
    table.do("take Press")  # Catholic Church is full, so the cube can only go to Social Movements
    assert table.at("Press") == (0, 2) and table.at("Social Movements") == (0, 1)


def test_r14_spread_moves_up_to_2_cubes():
    """R14: two moves at most; fewer are allowed."""
    table = spread("take Catholic Church", "place Press", "take Press", "place Social Movements")
    assert table.pending[0] == frames.ASK_OBJECTIVE
    assert table.map == {"Press": (0, 3), "Catholic Church": (1, 3), "Social Movements": (0, 1), "Royalists": (0, 1)}
    assert spread("take Catholic Church", "place Press", "done").at("Press") == (0, 4)


def test_r14_turncoat_replaces_one_enemy_cube():
    """R14: one enemy cube out to its pool, one own in, in the same space of the dimension."""
    table = Table().cubes("Press", 2, 1).cubes("Catholic Church", 0, 2).cubes("Royalists", 0, 1)
    pool = int(round_end(table).s.pool[VERSAILLES])
    assert table.do("bonus turncoat").legal == {"replace Press", "replace Catholic Church"}
    table.do("replace Catholic Church")
    assert table.at("Catholic Church") == (1, 1) and table.s.pool[VERSAILLES] == pool + 1
    assert table.pending[0] == frames.ASK_OBJECTIVE


def test_r14_turncoat_needs_a_cube_in_stock():
    """R14: without an own cube in pool or track there is no Turncoat."""
    table = round_end(Table().cubes("Press", 2, 1).stock(COMMUNE))
    assert table.legal == {"bonus de-escalate", "bonus spread", "done"}


def test_r14_turncoat_keeps_the_limit_of_4():
    """R14: no fifth own cube."""
    assert "bonus turncoat" not in round_end(Table().cubes("Press", 4, 1)).legal


def test_r14_in_the_final_crisis_too():
    """R16: bonus actions follow the last card of the Final Crisis."""
    table = Table().cubes("Press", 1, 0).hand(COMMUNE, 20).crisis(1).to_play(COMMUNE).do("card 20")
    assert table.pending == (frames.ASK_BONUS, COMMUNE)


# -- R15: objectives -----------------------------------------------------------------------------------------------


def test_r15_a_vp_for_each_revealed_target_controlled():
    """R15: the own and the enemy's target count, each in its sphere; only the own one is fulfilled."""
    table = objectives(Table().cubes("Press", 1, 0).cubes("Fort d'Issy", 1, 0), 48, 45).go_on(state.OBJECTIVE_SCORING)
    assert table.s.vp.tolist() == [1, 1]
    assert table.pending == (frames.ASK_WHETHER, COMMUNE)
    table.do("done")
    assert table.s.fulfilled.tolist() == [1, 0]
    assert table.s.objective_zone[48 - 42] == state.FULFILLED_COMMUNE
    assert table.s.objective_zone[45 - 42] == state.OBJECTIVE_GONE


def test_r15_both_cards_are_revealed():
    """R15: the journal names both, with who controlled their own."""
    table = objectives(Table().cubes("Press", 1, 0), 48, 45).go_on(state.OBJECTIVE_SCORING)
    assert journal_has(table, "Commune's objective 48 Revolution in the Press: controlled")
    assert journal_has(table, "Versailles's objective 45 Fighting in Issy Village: not controlled")


def test_r15_an_enemy_who_scores_my_target_does_not_fulfil_it():
    """R15: Versailles scores the Commune's target; the card is gone, nobody fulfilled it."""
    table = objectives(Table().cubes("Press", 0, 1), 48, 45).go_on(state.OBJECTIVE_SCORING)
    assert table.s.vp.tolist() == [-1, 0] and table.s.fulfilled.tolist() == [0, 0]
    assert table.s.objective_zone[48 - 42] == state.OBJECTIVE_GONE and table.pending[0] == frames.ASK_OBJECTIVE


def test_r15_an_uncontrolled_target_scores_nothing():
    """R15: a tied space is controlled by nobody."""
    table = objectives(Table().cubes("Press", 2, 2), 48, 45).go_on(state.OBJECTIVE_SCORING)
    assert table.s.vp.tolist() == [0, 0] and table.s.fulfilled.tolist() == [0, 0]


def test_r15_the_event_is_optional_and_the_card_counts_either_way():
    """R15: a fulfilled objective counts whether its event is used or not."""
    for answer, cubes in (("done", (0, 0)), ("yes", (2, 0))):
        table = objectives(Table().cubes("Père Lachaise", 1, 0), 44, 45).go_on(state.OBJECTIVE_SCORING).do(answer)
        if answer == "yes":
            table.do("place Butte Montmartre", "place Butte Montmartre")
        assert table.at("Butte Montmartre") == cubes and table.s.fulfilled.tolist() == [1, 0]


@pytest.mark.parametrize("initiative", SIDES)
@pytest.mark.parametrize("first", SIDES)
def test_r15_the_initiative_player_orders_the_events(initiative, first):
    """R15: with both own targets controlled, the Initiative player says whose event comes first."""
    table = objectives(Table().cubes("Père Lachaise", 1, 0).cubes("Republicans", 0, 1), 44, 52)
    table.s.initiative = initiative
    table.go_on(state.OBJECTIVE_SCORING)
    assert table.pending == (frames.ASK_EVENT_ORDER, initiative)
    assert table.do(f"first {NAMES[first]}").pending == (frames.ASK_WHETHER, first)
    assert table.do("done").pending == (frames.ASK_WHETHER, 1 - first)
    assert table.do("done").s.fulfilled.tolist() == [1, 1]


def test_r15_control_counts_when_it_was_scored():
    """R15: a target lost to the first event still gives its owner the second."""
    table = objectives(Table().cubes("Fort d'Issy", 0, 1).cubes("Press", 1, 0), 48, 45)
    table.go_on(state.OBJECTIVE_SCORING).do("first Commune", "yes", "option 2")
    assert table.at("Fort d'Issy") == (1, 0) and table.pending == (frames.ASK_WHETHER, VERSAILLES)
    assert table.s.vp.tolist() == [1, -1]


def test_r15_fulfilled_objectives_add_up():
    """R15: the pile of fulfilled objectives grows by one card."""
    table = objectives(Table().cubes("Père Lachaise", 1, 0), 44, 45)
    table.s.fulfilled[:] = 1, 2
    assert table.go_on(state.OBJECTIVE_SCORING).do("done").s.fulfilled.tolist() == [2, 2]


# -- R16: the Final Crisis -----------------------------------------------------------------------------------------


def aside(table: Table, side: int, *cards: int) -> Table:
    """Set cards aside for the Final Crisis."""
    table.s.zone[list(cards)] = state.ASIDE_COMMUNE + side
    return table


ASIDE = ((21, 24, 26), (5, 9, 11))


def end_round(number: int, commune_final: int = 1, versailles_final: int = 1) -> Table:
    """A round has been scored; so many cubes are left on the two Final Crisis zones (2: not breached)."""
    table = Table().stock(COMMUNE, track=(0, 0, 0, commune_final)).stock(VERSAILLES, track=(0, 0, 0, versailles_final))
    for side in SIDES:
        aside(table, side, *ASIDE[side][:number])
    table.s.round_number = number
    return table.go_on(state.CHECK)


def test_r16_when_the_final_crisis_comes():
    """R16: after any round at whose end both Final Crisis zones are breached, or after round 3."""
    for number, zones in product([1, 2, 3], [(2, 2), (1, 2), (2, 1), (1, 1), (0, 0)]):
        case = (number, zones)
        table = end_round(number, *zones)
        early = max(zones) < 2
        if early or number == 3:
            assert table.s.round_number == state.FINAL_ROUND and table.pending[0] == frames.ASK_CRISIS_DISCARD, case
            assert table.s.rounds_played == number, case
        else:
            assert table.s.round_number == number + 1 and table.pending == (frames.ASK_OBJECTIVE, COMMUNE), case


@pytest.mark.parametrize("rounds", [1, 2, 3])
@pytest.mark.parametrize("side", SIDES)
def test_r16_hand_of_the_final_crisis(rounds, side):
    """R16: cards set aside and the own Final Crisis card, discarded down to the number of rounds played."""
    table = end_round(rounds)
    table.s.initiative = COMMUNE
    if side == VERSAILLES:
        table.do("card 34")
    assert table.pending == (frames.ASK_CRISIS_DISCARD, side)
    assert table.choices("card") == {str(k) for k in (*ASIDE[side][:rounds], FINAL_CARD[side])}
    table.do(f"card {ASIDE[side][0]}")
    remaining = (np.asarray(table.s.zone) == state.IN_HAND_COMMUNE + side).sum()
    assert remaining == rounds and zone(table, ASIDE[side][0]) == state.DISCARDED


def test_r16_a_discarded_final_crisis_card_leaves_the_game():
    """R16: the Final Crisis card may be the one discarded."""
    assert zone(end_round(2).do("card 34"), 34) == state.REMOVED


def test_r16_without_its_final_crisis_card_a_side_discards_nothing():
    """R16: the Final Crisis card only if still in play."""
    table = Table().gone(34)
    for side in SIDES:
        aside(table, side, *ASIDE[side])
    table.s.round_number = 3
    assert table.go_on(state.CHECK).pending == (frames.ASK_CRISIS_DISCARD, VERSAILLES)


def test_r16_initiative_then_plays_in_turn_until_all_cards_are_played():
    """R16: initiative as usual, then cards in turn; all are played, and the game ends."""
    table = end_round(2).do("card 34", "card 17")
    assert table.pending == (frames.ASK_INITIATIVE, COMMUNE)
    table.do("first Versailles")
    assert table.pending == (frames.ASK_CRISIS_CARD, VERSAILLES) and table.choices("card") == {"5", "9"}
    assert table.do("card 5", "done").pending == (frames.ASK_CRISIS_CARD, COMMUNE)
    assert table.choices("card") == {"21", "24"}
    table.do("card 21", "done")  # each side's last card is played by itself
    while not table.s.over:
        table.do("done")
    assert table.s.plays == 4 and {zone(table, k) for k in (5, 9, 21, 24)} == {state.DISCARDED}


def test_r16_cards_are_played_only_for_their_event():
    """R16: choosing a card carries out its event; no operations, momentum or copying are offered."""
    table = Table().discarded(9, COMMUNE).hand(VERSAILLES, 5).crisis(1).to_play(VERSAILLES).do("card 5")
    assert table.pending == (frames.ASK_PLACE, VERSAILLES) and table.choices("place") == PUBLIC_OPINION


def test_r16_neutral_cards_belong_to_whoever_plays_them():
    """R16: a neutral card's event is the player's own."""
    table = Table().hand(COMMUNE, 38).crisis(1).to_play(COMMUNE).do("card 38")
    assert table.pending == (frames.ASK_OPERATION, COMMUNE) and table.choices("place") == {"Social Movements"}


@pytest.mark.parametrize(("player", "card"), [(COMMUNE, 5), (VERSAILLES, 21)])
def test_r16_an_enemy_coloured_card_is_decided_by_its_owner(player, card):
    """R16: its owner decides whether and how it applies, with own cubes."""
    table = Table().hand(player, card).crisis(1).to_play(player).do(f"card {card}")
    assert table.pending == (frames.ASK_WHETHER, 1 - player) and table.legal == {"yes", "done"}
    assert table.do("yes").pending == (frames.ASK_PLACE, 1 - player)
    table.do("place Press", "done")
    assert table.at("Press") == ((0, 1) if player == COMMUNE else (1, 0))
    assert journal_has(table, f"{NAMES[player]} discards {card} {('Le Figaro', 'Le Réveil')[player]}")


def test_r16_dimensions_are_scored_again_but_not_objectives():
    """R16: bonus actions and dimension scoring, no objectives; then the game is over."""
    table = objectives(hold(Table(), COMMUNE, 3), 44, 45).hand(COMMUNE, 20).crisis(3).to_play(COMMUNE)
    table.do("card 20", "done")
    assert table.s.over == 1 and table.s.vp.tolist() == [0, 1] and table.s.fulfilled.tolist() == [0, 0]


def test_r16_bonus_actions_precede_the_last_scoring():
    """R16: the dimension won by the last bonus action still scores."""
    table = Table().cubes("Press", 2, 0).cubes("Catholic Church", 1, 0).hand(COMMUNE, 20).crisis(3).to_play(COMMUNE)
    table.do("card 20", "bonus spread", "take Press", "place Social Movements", "done")
    assert table.s.over == 1 and table.s.vp.tolist() == [1, 0]


def test_r16_momentum_3_is_worth_1_vp():
    """R16: +1 VP at momentum 3: Political for the Commune, Military for Versailles."""
    for commune, versailles, vp in [(3, 0, [1, 0]), (0, 3, [0, -1]), (3, 3, [1, -1]), (2, 2, [0, 0])]:
        case = (commune, versailles, vp)
        assert Table().momentum(commune, versailles).go_on(state.GAME_END).s.vp.tolist() == vp, case


def test_r16_momentum_is_not_scored_at_the_end_of_a_round():
    """R16: the VP for momentum come once, at the end of the game."""
    table = objectives(Table().momentum(3, 3), 44, 45).go_on(state.DIMENSION_SCORING)
    assert table.s.round_number == 2 and table.s.vp.tolist() == [0, 0]


# -- R17: victory --------------------------------------------------------------------------------------------------

TIE, COMMUNE_WINS, VERSAILLES_WINS = None, state.COMMUNE_CONDITION, state.VERSAILLES_CONDITION


def test_r17_victory_conditions():
    """R17: own decisive VP at least 0 and more than the enemy's; otherwise the tiebreakers."""
    for (political, versailles_military, outcome), initiative in product(
        [
            (0, 0, TIE),
            (2, 2, TIE),
            (5, 5, TIE),
            (-1, -1, TIE),
            (-1, -4, TIE),
            (-4, -1, TIE),
            (0, -1, COMMUNE_WINS),
            (1, 0, COMMUNE_WINS),
            (3, 2, COMMUNE_WINS),
            (0, -5, COMMUNE_WINS),
            (-1, 0, VERSAILLES_WINS),
            (0, 1, VERSAILLES_WINS),
            (2, 3, VERSAILLES_WINS),
            (-5, 0, VERSAILLES_WINS),
        ],
        SIDES,
    ):
        case = (political, versailles_military, outcome, initiative)
        table = Table().vp(political, -versailles_military)
        table.s.initiative = initiative
        table.go_on(state.GAME_END)
        assert table.s.over == 1, case
        if outcome is not TIE:
            assert table.s.end_reason == outcome and table.s.winner == (outcome == VERSAILLES_WINS), case
        else:
            assert table.s.end_reason in (state.COMMUNE_TIEBREAK, state.VERSAILLES_TIEBREAK), case


def test_r17_tiebreakers():
    """R17: combined VP, fulfilled objectives, pivotal spaces, final initiative; most of them, equal to the Commune."""
    for combined, objectives_, pivotal, initiative, winner in [
        (0, 0, 0, COMMUNE, COMMUNE),
        (0, 0, 0, VERSAILLES, VERSAILLES),
        (1, 0, 0, VERSAILLES, COMMUNE),  # one each: the Commune
        (0, 1, 0, VERSAILLES, COMMUNE),
        (0, 0, 1, VERSAILLES, COMMUNE),
        (-1, 0, 0, COMMUNE, COMMUNE),
        (0, -1, 0, COMMUNE, COMMUNE),
        (0, 0, -1, COMMUNE, COMMUNE),
        (-1, -1, 0, COMMUNE, VERSAILLES),
        (-1, 0, -1, COMMUNE, VERSAILLES),
        (0, -1, -1, COMMUNE, VERSAILLES),
        (-1, -1, 1, COMMUNE, COMMUNE),
        (1, 1, -1, VERSAILLES, COMMUNE),
        (1, -1, -1, VERSAILLES, VERSAILLES),
        (1, -1, 0, VERSAILLES, VERSAILLES),
    ]:
        case = (combined, objectives_, pivotal, initiative, winner)
        table = Table().vp(-2, 2 + combined)
        table.s.initiative = initiative
        table.s.fulfilled[:] = 1 + max(0, objectives_), 1 + max(0, -objectives_)
        table.cubes("Press", 1, 0).cubes("Mont-Valérien", 0, 1)
        if pivotal:
            table.cubes("Butte Montmartre", *((1, 0) if pivotal > 0 else (0, 1)))
        table.go_on(state.GAME_END)
        assert table.s.winner == winner, case
        assert table.s.end_reason == (state.COMMUNE_TIEBREAK, state.VERSAILLES_TIEBREAK)[winner], case


def test_r17_the_size_of_a_lead_does_not_count():
    """R17: tiebreakers are counted, not added up."""
    table = Table().vp(-1, 5).cubes("Press", 0, 1)
    table.s.initiative = VERSAILLES
    table.s.fulfilled[:] = 0, 1
    assert table.go_on(state.GAME_END).s.winner == VERSAILLES


def test_r17_a_disc_can_hold_a_pivotal_space():
    """R17, R10: control by a disc alone counts among the pivotal spaces."""
    table = Table().vp(-1, 1).disc("Mont-Valérien", COMMUNE)
    table.s.initiative = VERSAILLES
    assert table.go_on(state.GAME_END).s.winner == COMMUNE


# -- R18, R19: the Censor variant, the deck ------------------------------------------------------------------------


def test_r18_five_cards_are_dealt():
    """R18: 5 strategy cards each."""
    table = fresh("censor")
    assert [(np.asarray(table.s.zone) == state.IN_HAND_COMMUNE + side).sum() for side in SIDES] == [5, 5]
    assert table.s.deck_size == 29


CENSOR_HANDS = ((21, 24, 26, 27, 5), (9, 11, 14, 15, 33))


@pytest.mark.parametrize("first", SIDES)
def test_r18_each_discards_one_the_initiative_player_first(first):
    """R18: after initiative each discards 1 card face up, the Initiative player first; then plays begin."""
    table = Table(variant="censor").hand(COMMUNE, *CENSOR_HANDS[0]).hand(VERSAILLES, *CENSOR_HANDS[1])
    table.go_on(state.INITIATIVE).do(f"first {NAMES[first]}")
    for side in (first, 1 - first):
        assert table.pending == (frames.ASK_CENSOR, side)
        assert table.choices("card") == {str(k) for k in CENSOR_HANDS[side]}
        table.do(f"card {CENSOR_HANDS[side][4]}")
        assert table.s.top_discard == CENSOR_HANDS[side][4]
    assert table.pending == (frames.ASK_CARD, first) and table.s.plays == 1


@pytest.mark.parametrize("first", SIDES)
def test_r18_the_initiative_player_may_copy_what_the_opponent_discarded(first):
    """R18: the censored card of the opponent is the top discard of this round."""
    table = Table(variant="censor").hand(COMMUNE, *CENSOR_HANDS[0]).hand(VERSAILLES, *CENSOR_HANDS[1])
    table.go_on(state.INITIATIVE).do(f"first {NAMES[first]}")
    table.do(*(f"card {CENSOR_HANDS[side][4]}" for side in (first, 1 - first)))
    table.do(f"card {CENSOR_HANDS[first][2]}")
    assert "use copy" in table.legal


def test_r18_not_in_the_standard_game():
    """R18: without the variant nobody discards before the first play."""
    table = Table().hand(COMMUNE, 21, 24).hand(VERSAILLES, 9, 11).go_on(state.INITIATIVE).do("first Commune")
    assert table.pending == (frames.ASK_CARD, COMMUNE)


def test_r18_not_in_the_final_crisis():
    """R18: cards are censored at the start of normal rounds only."""
    table = Table(variant="censor").hand(COMMUNE, 21, 24).hand(VERSAILLES, 9, 11)
    table.s.rounds_played = 2
    assert table.go_on(state.CRISIS_INITIATIVE).do("first Commune").pending == (frames.ASK_CRISIS_CARD, COMMUNE)


@pytest.mark.parametrize("side", SIDES)
def test_r18_cards_spent_on_momentum_go_under_the_discards(side):
    """R18: the card is a discard, but never on top and nobody's to copy."""
    table = advance(Table(variant="censor").discarded(5, side), side)
    assert zone(table, 3) == state.DISCARDED and table.s.top_discard == 5
    view = observation.LAYOUT.describe(table.batch.observe(1 - side)[0])
    assert table.s.used_by[3] == side and "3" not in view["discarded"] and "5" in view["discarded"]


def test_r18_a_card_under_an_empty_pile_cannot_be_copied():
    """R18, R8: what was spent on momentum was not discarded by a player."""
    table = Table(variant="censor").hand(COMMUNE, 5).hand(VERSAILLES, 9, 11).first_play(COMMUNE)
    assert "use copy" not in table.do("card 5", "use momentum", "card 9").legal


def deal_next(variant: str, remaining: int, *discards: int) -> Table:
    """Deal round 2 from a deck of so many cards."""
    table = Table(variant=variant)
    for card in discards:
        table.discarded(card, COMMUNE)
    cards = [k for k in range(1, components.STRATEGY_CARDS + 1) if table.s.zone[k] == state.IN_DECK]
    return table.gone(*cards[remaining:]).go_on(state.DEALING)


def test_r18_an_exhausted_deck_is_made_anew_in_the_middle_of_a_deal():
    """R18: the discards are shuffled into a new deck; the cards dealt before stay dealt."""
    table = deal_next("censor", 4, 33, 35, 36, 37, 38, 39, 40)
    assert journal_has(table, "the strategy deck is made anew")
    assert [(np.asarray(table.s.zone) == state.IN_HAND_COMMUNE + side).sum() for side in SIDES] == [5, 5]
    assert table.s.deck_size == 1 and table.s.top_discard == state.NO_CARD


def test_r19_39_strategy_cards():
    """R19: 39 cards in the deck; the Final Crisis cards never are."""
    s = fresh().s
    dealt = [k for k in range(1, components.STRATEGY_CARDS + 1) if s.zone[k] != state.FACE_UP]
    assert len(dealt) == 39 and s.deck_size == 39 - 8
    assert not set(FINAL_CARD) & set(s.deck.tolist())


@pytest.mark.parametrize("play", [0, 1, 2])
def test_r19_four_cards_each_a_round(play):
    """R19: every round deals 4 cards each."""
    table = Table()
    table.s.round_number = play
    remaining = 39 - 8 * play
    cards = [k for k in range(1, components.STRATEGY_CARDS + 1) if table.s.zone[k] == state.IN_DECK]
    table.gone(*cards[remaining:]).go_on(state.DEALING)
    assert table.s.deck_size == remaining - 8 and table.s.round_number == play + 1


def test_r19_no_fourth_round():
    """R19: at most 3 rounds, so 24 cards are dealt; then comes the Final Crisis without a deal."""
    table = end_round(3, 2, 2)
    assert table.s.deck_size == 39 - 6 and table.s.round_number == state.FINAL_ROUND


def test_r19_a_deck_that_cannot_supply_a_round_leaves_hands_short():
    """R19: with neither deck nor discards a side plays what it has; the round ends all the same."""
    table = deal_next("standard", 3)
    questions = []
    while table.s.round_number == 2:
        questions.append(table.pending)
        table.do(sorted(table.legal)[0])
    assert table.s.over == 0 and table.s.round_number == 3
    assert sum(kind == frames.ASK_USE for kind, _ in questions) == 3  # three cards were there, three were played


# -- R27: the question about an objective's event ------------------------------------------------------------------


def objective_question(card: int, side: int) -> Table:
    """Ask a side whether it uses the event of its objective, which both have seen; every event could be used."""
    table = Table()
    for name in board.SPACE_NAMES:
        table.cubes(name, 1, 1)
    table.objective(side, card).objective(1 - side, 42 if card != 42 else 43)
    table.s.objective_known[:] = 1
    table.s.scored_own[side] = 1
    return table.go_on(state.OBJECTIVE_EVENTS)


def objective_place(table: Table, card: int) -> int:
    """Where an Objective Card is."""
    return int(table.s.objective_zone[card - components.FIRST_OBJECTIVE])


@pytest.mark.parametrize("side", SIDES)
def test_r27_the_question_about_an_objectives_event_shows_which_card_it_is(side):
    """R27: whichever card left the game before, no two objectives look alike at this question, to either side."""
    observed = {}
    for card in OBJECTIVE_CARDS:
        table = objective_question(card, side)
        assert table.pending == (frames.ASK_WHETHER, side)
        zones = table.s.objective_zone.copy()
        for gone in set(OBJECTIVE_CARDS) - {card, 42, 43}:
            table.s.objective_zone[:] = zones
            table.s.objective_zone[gone - components.FIRST_OBJECTIVE] = state.OBJECTIVE_GONE
            for viewer in SIDES:
                observed.setdefault((viewer, table.batch.observe(viewer)[0].tobytes()), set()).add(card)
    assert len({card for cards in observed.values() for card in cards}) == len(OBJECTIVE_CARDS)
    assert all(len(cards) == 1 for cards in observed.values())


@pytest.mark.parametrize("card", OBJECTIVE_CARDS)
@pytest.mark.parametrize("side", SIDES)
def test_r27_the_card_stays_where_its_owner_sees_it_until_the_event_is_used_or_declined(side, card):
    """R27: the owner's objective, the enemy's known one; only then it counts as fulfilled."""
    for answer in ("yes", "done"):
        table = objective_question(card, side)
        assert table.view(side, "own_objective") == [str(card)]
        assert str(card) in table.view(1 - side, "enemy_objective")
        assert all(str(card) not in table.view(viewer, "gone_objectives") for viewer in SIDES)
        assert table.s.fulfilled.tolist() == [0, 0]
        table.do(answer)
        while table.s.scored_own[side] == 1:
            assert table.view(side, "own_objective") == [str(card)]
            table.do(sorted(table.legal)[0])
        assert table.s.fulfilled[side] == 1 and objective_place(table, card) == state.FULFILLED_COMMUNE + side


@pytest.mark.parametrize("side", SIDES)
def test_r27_the_drawings_show_the_card_once(side):
    """R27: first as the objective, then in the pile of fulfilled ones, never in both places."""
    table = objectives(Table().cubes("Père Lachaise", 1, 0).cubes("Republicans", 0, 1), 44, 52)
    table.s.initiative, card, name = side, (44, 52)[side], NAMES[side].upper()
    table.go_on(state.OBJECTIVE_SCORING).do(f"first {NAMES[side]}")
    for place, fulfilled in ((f"objective #{card} ", 0), ("objective none", 1)):
        drawing = " ".join(table.batch.draw_text().split())
        assert f"{name} (you) {place}" in drawing or f"{name} {place}" in drawing
        assert drawing.count(f"#{card} ") == 1 and f"fulfilled {fulfilled}" in drawing
        assert (f"Objective #{card} " in table.batch.draw_svg()) == (fulfilled == 0)
        table.do("done" if fulfilled == 0 else "yes")


def about_an_objective(batch: GameBatch) -> list[int]:
    """The games of a batch in which somebody is asked whether an objective's event is used."""
    top = batch.states["stack"][np.arange(batch.num_games), batch.states["depth"] - 1]
    question = (top[:, 0] == frames.ASK_WHETHER) & (top[:, 2] == frames.WHETHER_OBJECTIVE_EVENT)
    return np.flatnonzero(question & (batch.states["over"] == 0)).tolist()


@pytest.mark.many_games
@pytest.mark.parametrize(("game", "options"), [(two_player, {}), (solo, {"side": "random"})], ids=["two", "solo"])
def test_r27_in_whole_games_the_question_is_about_the_objective_that_is_seen(game, options):
    """R27: in random games, at every such question; a record that asks about another card is faulty."""
    batch, question = GameBatch(game(), 4, 27, options=options, autoreset=True), 0
    while question < 5:
        batch.step_random()
        for i in about_an_objective(batch):
            s = batch.record(i)
            card = int(s.stack[s.depth - 1, 3])
            assert list(observation.LAYOUT.describe(batch.observation[i])["own_objective"]) == [str(card)]
            assert batch.problems(i) == []
            for rejected in {*OBJECTIVE_CARDS, 7} - {card}:
                s.stack[s.depth - 1, 3] = rejected
                assert "a question about the event of an objective that is not its side's" in batch.problems(i)
            s.stack[s.depth - 1, 3] = card
            question += 1
