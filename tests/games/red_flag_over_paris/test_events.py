"""The interpreter of card events: every verb and flag of the card language, on cards that the tests write."""

from __future__ import annotations

import itertools
import json

import pytest
from .table import COMMUNE, VERSAILLES, Table, space
from .table import BC, BM, CC, CV, FI, INSTITUTIONAL, MV, NA, OPINION, PARIS, PL, PR, R, RE, SM
from .table import can, play_in_crisis

from rfop_env.games.red_flag_over_paris import frames, state

DONE, YES_NO = {"done"}, {"yes", "done"}
MINE = 21  # the card that the tests rewrite
OVER = (frames.ASK_CARD, VERSAILLES)


def row(number: int, event: list[str], side: str = "Commune", points: int = 1) -> str:
    """A strategy card of a user's file."""
    return (
        f'[[strategy_card]]\nnumber = {number}\nname = "Mine {number}"\nside = "{side}"\npoints = {points}\n'
        f'event = {json.dumps(event)}\nprovenance = "printed"\n'
    )


def objective_row(number: int, target: str, event: list[str]) -> str:
    """An Objective Card of a user's file."""
    return (
        f'[[objective]]\nnumber = {number}\nname = "Mine {number}"\ntarget = "{target}"\n'
        f'event = {json.dumps(event)}\nprovenance = "printed"\n'
    )


@pytest.fixture
def table_with(tmp_path):
    """Make an empty table whose components have these rows laid over them."""

    def make(*rows: str) -> Table:
        path = tmp_path / "mine.toml"
        path.write_text("\n".join(rows), encoding="utf-8")
        return Table(components=path)

    return make


@pytest.fixture
def table_of(table_with):
    """Make an empty table where the event of card 21, the Commune's, has these rows."""
    return lambda *event: table_with(row(MINE, list(event)))


def full(table: Table, *spaces: str) -> Table:
    """Four Commune cubes in each space."""
    for name in spaces:
        table.s.cubes[COMMUNE, space(name)] = 4
    return table


def uses(table: Table) -> set[str]:
    """The uses of card 21 for the Commune, which plays first."""
    return table.hand(COMMUNE, MINE).first_play(COMMUNE).do(f"card {MINE}").legal


def event(table: Table) -> Table:
    """Let the Commune play card 21 for its event, as the first play of a round."""
    assert "use event" in uses(table)
    return table.do("use event").sound()


def changes(table: Table) -> list[str]:
    """What the last actions did to pieces and tracks."""
    return [line for line in table.log if " cube " in line or "momentum" in line or "disc" in line.split()]


# -- mandatory and optional --------------------------------------------------------------------------------------------


def test_a_count_without_up_to_cannot_be_stopped(table_of):
    table = event(table_of("place 2 in Press or Republicans"))
    assert table.legal == can("place", PR, RE)
    assert table.do(f"place {PR}").legal == can("place", PR, RE)
    assert table.do(f"place {RE}").pending == OVER
    assert table.map == {PR: (1, 0), RE: (1, 0)}


def test_a_mandatory_row_with_one_target_is_carried_out_unasked(table_of):
    table = event(table_of("place 2 in Press"))
    assert (table.pending, table.map) == (OVER, {PR: (2, 0)})


def test_a_mandatory_row_is_carried_out_as_far_as_possible(table_of):
    table = event(table_of("remove 3 in Press or Royalists", "place 1 in Republicans").cubes(PR, 0, 1).cubes(R, 0, 1))
    assert table.legal == can("remove", PR, R)
    assert table.do(f"remove {R}").pending == OVER
    assert table.map == {RE: (1, 0)}


def test_a_mandatory_row_without_targets_is_passed_over(table_of):
    table = event(table_of("remove 1 in Press", "replace 1 in Press", "move 1 from Press to Paris", "place 1 in Press"))
    assert (table.pending, table.map) == (OVER, {PR: (1, 0)})


def test_up_to_stops_at_any_number(table_of):
    table = event(table_of("remove up to 3 in Press").cubes(PR, 0, 3))
    assert table.legal == can("remove", PR) | DONE
    assert table.do(f"remove {PR}").legal == can("remove", PR) | DONE
    assert table.do("done").pending == OVER
    assert table.at(PR) == (0, 2)


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("place 1 in Press", f"place {PR}"),
        ("place out of play 1 in Press", f"place {PR}"),
        ("remove 1 in Royalists", f"remove {R}"),
        ("replace 1 in Royalists", f"replace {R}"),
        ("remove own 1 in Butte Montmartre", f"take {BM}"),
        ("move 1 from Butte Montmartre to Press", f"take {BM}"),
        ("place disc in Mont-Valérien", f"disc {MV}"),
        ("own momentum +1", "yes"),
        ("enemy momentum -1", "yes"),
    ],
)
def test_may_makes_a_row_optional(table_of, sentence, answer):
    def position() -> Table:
        return event(table_of(f"may: {sentence}").cubes(R, 0, 1).cubes(BM, 1, 0).momentum(0, 1))

    table = position()
    assert table.legal == {answer, "done"}
    old = table.map, list(table.s.momentum), list(table.s.disc)
    assert table.do("done").pending == OVER
    assert old == (table.map, list(table.s.momentum), list(table.s.disc))
    table = position().do(answer)
    assert table.pending == OVER
    assert old != (table.map, list(table.s.momentum), list(table.s.disc))


def test_may_reveal_is_asked(table_of):
    table = event(table_of("may: reveal hand").hand(VERSAILLES, 3, 5))
    assert table.legal == YES_NO
    assert table.do("yes").view(COMMUNE, "known_enemy") == ["3", "5"]
    table = event(table_of("may: reveal hand").hand(VERSAILLES, 3, 5)).do("done")
    assert (table.pending, table.view(COMMUNE, "known_enemy")) == (OVER, [])
    table = event(table_of("may: reveal objective").objective(VERSAILLES, 50)).do("done")
    assert table.view(COMMUNE, "enemy_objective") == []


def test_may_use_a_discard_or_not(table_of):
    table = event(table_of("may: use any discard").discarded(33, VERSAILLES))
    assert table.legal == {"card 33", "done"}
    assert table.do("done").pending == OVER


@pytest.mark.parametrize("side", [COMMUNE, VERSAILLES])
def test_the_event_is_seen_below_the_question_that_it_asks(side):
    table = Table()
    table.s.stack[0, :4], table.s.depth = (frames.DO_EVENT, COMMUNE, 23, 2), 1
    table.ask(frames.ASK_PLACE, COMMUNE, 2, 1 << space(PR))
    assert (table.view(side, "event"), table.view(side, "event_step")) == (["23"], 2)


# -- must --------------------------------------------------------------------------------------------------------------


def in_round_2(table: Table) -> Table:
    """The table in its second round."""
    table.s.round_number = 2
    return table


MUSTS = {
    "place": ("place 1 in Paris", lambda t: t, lambda t: full(t, *PARIS)),
    "place, stock": ("place 1 in Press", lambda t: t.stock(COMMUNE, track=(1, 0, 0, 0)), lambda t: t.stock(COMMUNE)),
    "place out of play": (
        "place out of play 1 in Press",
        lambda t: t.stock(COMMUNE),
        lambda t: full(t, R, NA, RE, CC).cubes(PL, 2).stock(COMMUNE),
    ),
    "remove": ("remove 1 in Press", lambda t: t.cubes(PR, 0, 1), lambda t: t.cubes(PR, 1).cubes(R, 0, 1)),
    "replace": ("replace 1 in Press", lambda t: t.cubes(PR, 0, 1), lambda t: t.cubes(PR, 1).cubes(R, 0, 1)),
    "replace, limit": ("replace 1 in Press", lambda t: t.cubes(PR, 3, 1), lambda t: t.cubes(PR, 4, 1)),
    "replace, stock": (
        "replace 1 in Press",
        lambda t: t.cubes(PR, 0, 1).stock(COMMUNE, track=(1, 0, 0, 0)),
        lambda t: t.cubes(PR, 0, 1).stock(COMMUNE),
    ),
    "remove own": ("remove own 1 in Press", lambda t: t.cubes(PR, 1), lambda t: t.cubes(PR, 0, 1).cubes(R, 1)),
    "move": ("move 1 from Press to Paris", lambda t: t.cubes(PR, 1), lambda t: t.cubes(PR, 0, 1).cubes(R, 1)),
    "move, limit": (
        "move 1 from Press to Royalists or Press",
        lambda t: t.cubes(PR, 1).cubes(R, 3),
        lambda t: t.cubes(PR, 1).cubes(R, 4),
    ),
    "disc": ("place disc in Forts or Mont-Valérien", lambda t: t.disc(MV, 1).disc(CV, 1), lambda t: discs(t)),
    "operations": ("operations up to 1 in Forts", lambda t: t.cubes(PL, 1), lambda t: t.cubes(CV, 0, 1)),
    "operations, cost": (
        "operations up to 1 in Père Lachaise",
        lambda t: t.disc(PL, 0),
        lambda t: t.disc(PL, 1).cubes(PL, 1, 1),
    ),
    "operations, stock": (
        "operations up to 1 in political",
        lambda t: t.cubes(PR, 1).cubes(R, 0, 1).stock(COMMUNE),
        lambda t: t.cubes(CV, 1).cubes(R, 0, 1).stock(COMMUNE),
    ),
    "operations, both": (
        "operations up to 1 in Forts and up to 1 in political",
        lambda t: t,  # the Commune is always present in Social Movements
        lambda t: full(t, SM).stock(COMMUNE),
    ),
    "own momentum up": ("own momentum +1", lambda t: t.momentum(2, 3), lambda t: t.momentum(3, 2)),
    "own momentum down": ("own momentum -1", lambda t: t.momentum(1, 0), lambda t: t.momentum(0, 1)),
    "enemy momentum up": ("enemy momentum +1", lambda t: t.momentum(3, 2), lambda t: t.momentum(2, 3)),
    "enemy momentum down": ("enemy momentum -1", lambda t: t.momentum(0, 1), lambda t: t.momentum(1, 0)),
    "swap": ("swap card", lambda t: t.hand(COMMUNE, 26), lambda t: t.hand(VERSAILLES, 26)),
    "use any discard": ("use any discard", lambda t: t.discarded(33, 1), lambda t: t.discarded(5, 1)),
    "use any discard, round": (
        "use any discard",
        lambda t: in_round_2(t).discarded(33, 0),
        lambda t: in_round_2(t).discarded(33, 0, round_number=1),
    ),
}


def discs(table: Table) -> Table:
    """A disc in every fort."""
    return table.disc(MV, VERSAILLES).disc(CV, VERSAILLES).disc(FI, COMMUNE)


def test_must_decides_whether_the_event_can_be_chosen(table_of):
    for case in MUSTS:
        sentence, possible, impossible = MUSTS[case]
        for event_rows in ([f"must: {sentence}"], ["place 1 in Republicans", f"must: {sentence}"]):
            assert "use event" in uses(possible(table_of(*event_rows))), case
            assert "use event" not in uses(impossible(table_of(*event_rows))), case


def test_without_must_the_same_row_does_not_forbid_the_event(table_of):
    for case in MUSTS:
        sentence, _, impossible = MUSTS[case]
        table = event(impossible(table_of(sentence)))
        assert (table.pending, changes(table)) == (OVER, []), case


def test_must_counts_only_when_its_condition_is_met(table_of):
    rows = ("place 1 in Republicans", "if own momentum 1: must: remove 1 in Press")
    assert "use event" in uses(table_of(*rows))
    assert "use event" not in uses(table_of(*rows).momentum(1, 0))


def test_must_row_that_an_earlier_row_made_impossible_is_passed_over(table_of):
    table = event(table_of("place 1 in Press", "must: place 1 in Press", "place 1 in Republicans").cubes(PR, 3))
    assert (table.pending, table.map) == (OVER, {PR: (4, 0), RE: (1, 0)})


# -- conditions --------------------------------------------------------------------------------------------------------

CONDITIONS = {
    "if control of Press": (lambda t: t.cubes(PR, 2, 1), lambda t: t.cubes(PR, 1, 1)),
    "if control of Père Lachaise": (lambda t: t.disc(PL, COMMUNE), lambda t: t),  # presence is no control
    "if own momentum 2": (lambda t: t.momentum(2, 0), lambda t: t.momentum(1, 3)),
    "if enemy momentum 2": (lambda t: t.momentum(0, 3), lambda t: t.momentum(3, 1)),
}


@pytest.mark.parametrize("condition", CONDITIONS)
def test_an_if_that_opens_an_event_decides_whether_it_can_be_chosen(table_of, condition):
    met, unmet = CONDITIONS[condition]
    rows = (f"{condition}: place 1 in Fort d'Issy", "place 1 in Mont-Valérien")
    assert "use event" not in uses(unmet(table_of(*rows)))
    table = event(met(table_of(*rows)))
    assert (table.at(FI), table.at(MV)) == ((1, 0), (1, 0))


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_later_if_decides_about_its_row_alone(table_of, condition):
    met, unmet = CONDITIONS[condition]
    rows = ("place 1 in Mont-Valérien", f"{condition}: place 1 in Fort d'Issy", "place 1 in Mont-Valérien")
    for position, cubes in ((met, 1), (unmet, 0)):
        table = event(position(table_of(*rows)))
        assert (table.at(FI), table.at(MV)) == ((cubes, 0), (2, 0))


def test_a_later_if_is_asked_when_its_row_comes(table_of):
    rows = ("own momentum +1", "if own momentum 1: place 1 in Press", "if own momentum 2: place 1 in Press")
    assert event(table_of(*rows)).map == {PR: (1, 0)}


# -- options -----------------------------------------------------------------------------------------------------------

WITH_A_TAIL = (
    "place 1 in Royalists",
    "option 1: place 1 in Press",
    "option 1: place 1 in Catholic Church",
    "option 2: place 1 in Fort d'Issy",
    "option 3: place 1 in Butte Montmartre",
    "place 1 in Republicans",
)


@pytest.mark.parametrize(("option", "spaces"), [(1, (PR, CC)), (2, (FI,)), (3, (BM,))])
def test_one_option_is_carried_out_with_the_rows_around_it(table_of, option, spaces):
    table = event(table_of(*WITH_A_TAIL))
    assert table.legal == {"option 1", "option 2", "option 3"}
    assert table.map == {R: (1, 0)}
    assert table.do(f"option {option}").pending == OVER
    assert table.map == dict.fromkeys((R, RE, *spaces), (1, 0))


def test_only_options_that_can_do_something_are_offered(table_of):
    table = event(full(table_of(*WITH_A_TAIL), FI))
    assert table.legal == {"option 1", "option 3"}
    table = event(full(table_of(*WITH_A_TAIL), FI, BM, PR))  # option 1 has its second row
    assert (table.pending, table.at(CC)) == (OVER, (1, 0))


def test_all_options_are_offered_when_none_does_anything(table_of):
    table = event(table_of("option 1: remove 1 in Press", "option 2: remove 1 in Paris", "place 1 in Press"))
    assert table.legal == {"option 1", "option 2"}
    assert table.do("option 2").map == {PR: (1, 0)}


@pytest.mark.parametrize(("momentum", "actions"), [(0, None), (1, {"option 1", "option 2"})])
def test_an_option_with_a_condition(table_of, momentum, actions):
    rows = ("option 1: place up to 1 in Press", "option 2: if own momentum 1: place up to 1 in Royalists")
    table = event(table_of(*rows).momentum(momentum, 0))
    assert table.legal == (actions or can("place", PR) | DONE)


def test_an_unmet_if_inside_an_option_passes_over_its_row_alone(table_of):
    rows = (
        "option 1: if own momentum 1: place 1 in Press",
        "option 1: place 1 in Republicans",
        "option 2: place 1 in Paris",
    )
    table = event(table_of(*rows))
    assert table.legal == {"option 1", "option 2"}
    assert table.do("option 1").map == {RE: (1, 0)}


OPERATIONS_OPTIONS = ("option 1: operations up to 1 in Paris", "option 2: place up to 1 in Press")


def test_an_option_of_operations_needs_somewhere_to_operate(table_of):
    assert event(table_of(*OPERATIONS_OPTIONS).cubes(BM, 1)).legal == {"option 1", "option 2"}
    table = full(table_of(*OPERATIONS_OPTIONS), PL).disc(BM, 1).disc(BC, 1)  # Butte Montmartre costs 2
    assert event(table).legal == can("place", PR) | DONE


def test_an_option_with_an_impossible_must_is_not_offered(table_of):
    rows = (
        "option 1: place 1 in Press",
        "option 1: must: own momentum -1",
        "option 2: place 1 in Republicans",
        "option 3: place 1 in Royalists",
    )
    assert event(table_of(*rows).momentum(1, 0)).legal == {"option 1", "option 2", "option 3"}
    assert event(table_of(*rows)).legal == {"option 2", "option 3"}
    table = event(full(table_of(*rows), RE, R))  # not even when the others do nothing
    assert table.legal == {"option 2", "option 3"}


ALL_MUST = ("option 1: must: own momentum -1", "option 2: must: remove 1 in Press")


def test_an_event_whose_every_option_has_an_impossible_must_cannot_be_chosen(table_of):
    assert "use event" not in uses(table_of(*ALL_MUST))
    assert "use event" in uses(table_of(*ALL_MUST).momentum(1, 0))
    assert event(table_of(*ALL_MUST).cubes(PR, 0, 1)).map == {}


def test_options_that_an_earlier_row_made_impossible_are_passed_over(table_of):
    rows = ("remove 1 in Press", *ALL_MUST, "place 1 in Republicans")
    table = event(table_of(*rows).cubes(PR, 0, 1))
    assert (table.pending, table.map) == (OVER, {RE: (1, 0)})


# -- verbs -------------------------------------------------------------------------------------------------------------


def test_place_ignores_presence_and_keeps_the_limit_of_4_cubes(table_of):
    table = event(table_of("place 3 in Royalists").cubes(R, 2, 4))
    assert (table.pending, table.at(R)) == (OVER, (4, 4))


def test_a_disc_does_not_count_to_the_limit_of_4_cubes(table_of):
    assert event(table_of("place 2 in Paris or Press").cubes(PL, 3).disc(PL, COMMUNE)).do(f"place {PL}").legal == can(
        "place", BM, BC, PR
    )


def test_place_ends_when_the_stock_is_exhausted(table_of):
    table = event(table_of("place 3 in Press or Royalists").stock(COMMUNE, track=(1, 0, 0, 0)))
    assert table.do(f"place {PR}").pending == OVER
    assert (table.map, table.s.out_of_play[COMMUNE]) == ({PR: (1, 0)}, 17)


def test_place_takes_the_pool_first(table_of):
    table = table_of("place 3 in Press").momentum(1, 0).stock(COMMUNE, pool=2, track=(3, 2, 2, 2), bonus=(0, 2, 2, 1))
    event(table)
    assert (table.s.pool[COMMUNE], list(table.s.track[COMMUNE])) == (0, [2, 2, 2, 2])


def test_place_in_different_spaces(table_of):
    table = event(table_of("place 2 in Public Opinion, different spaces"))
    assert table.legal == can("place", *OPINION)
    assert table.do(f"place {PR}").legal == can("place", CC, SM)
    table = event(full(table_of("place 2 in Public Opinion, different spaces"), CC, SM))
    assert (table.pending, table.at(PR)) == (OVER, (1, 0))


@pytest.mark.parametrize("answers", list(itertools.product(["yes", "done"], repeat=3)))
def test_r28_where_a_cube_comes_from_is_decided_cube_by_cube(table_of, answers):
    table = event(table_of("place out of play 3 in Public Opinion").stock(COMMUNE, track=(9, 0, 0, 0)))
    for k, answer in enumerate(answers):
        assert (table.pending[0], table.legal) == (frames.ASK_WHETHER, YES_NO)
        table.do(answer).do(f"place {OPINION[k]}")
        cubes = answers[: k + 1].count("yes")
        assert (table.s.out_of_play[COMMUNE], table.s.track[COMMUNE, 0]) == (9 - cubes, 9 - (k + 1 - cubes))
    assert (table.pending, [table.at(name) for name in OPINION]) == (OVER, [(1, 0)] * 3)


@pytest.mark.parametrize(("answer", "reveals"), [("yes", 1), ("done", 0)])
def test_r28_the_side_sees_where_the_cube_that_it_places_comes_from(table_of, answer, reveals):
    table = event(table_of("place out of play 2 in Public Opinion").stock(COMMUNE, track=(9, 0, 0, 0)))
    assert table.do(answer).pending[0] == frames.ASK_PLACE
    assert table.view(COMMUNE, "placing") == reveals and table.view(VERSAILLES, "placing") == 0


def test_r28_nothing_is_asked_once_one_of_the_two_has_run_out(table_of):
    table = table_of("place out of play 3 in Press").cubes(R, 4).cubes(NA, 4).cubes(RE, 4)
    event(table.stock(COMMUNE, track=(4, 0, 0, 0)))
    assert table.do("yes").legal == YES_NO
    assert table.do("yes").pending == OVER, "the third can only come from the stock"
    assert (table.at(PR), table.s.out_of_play[COMMUNE], table.s.track[COMMUNE, 0]) == ((3, 0), 0, 3)


def test_r28_the_side_may_stop_after_either_answer(table_of):
    for answer in ("yes", "done"):
        table = event(table_of("place out of play up to 2 in Press").stock(COMMUNE, track=(9, 0, 0, 0)))
        assert table.do(answer).legal == can("place", PR) | DONE
        assert table.do(f"place {PR}", answer).legal == can("place", PR) | DONE
        assert table.do("done").pending == OVER and table.at(PR) == (1, 0)


def test_r28_no_source_is_asked_for_without_a_space_left(table_of):
    table = event(table_of("place out of play 2 in Press, different spaces").stock(COMMUNE, track=(9, 0, 0, 0)))
    assert table.do("yes").pending == OVER and table.at(PR) == (1, 0)


def test_place_out_of_play_asks_nothing_without_such_cubes_or_room(table_of):
    table = event(table_of("place out of play 2 in Press"))
    assert (table.pending, table.at(PR), table.s.track[COMMUNE, 0]) == (OVER, (2, 0), 16)
    table = full(table_of("place out of play 2 in Press"), PR).stock(COMMUNE, track=(1, 0, 0, 0))
    assert event(table).pending == OVER


def test_place_out_of_play_declined_uses_the_stock_alone(table_of):
    table = event(table_of("place out of play 2 in Press").stock(COMMUNE, track=(2, 0, 0, 0))).do("done", "done")
    assert (table.pending, table.at(PR), table.s.out_of_play[COMMUNE]) == (OVER, (2, 0), 16)


def test_remove_takes_enemy_cubes_alone_and_needs_no_strength(table_of):
    table = event(table_of("remove up to 2 in Forts").cubes(MV, 1, 1).cubes(FI, 3, 0).disc(FI, VERSAILLES))
    assert table.legal == can("remove", MV) | DONE
    deck = int(table.s.deck_size)
    assert table.do(f"remove {MV}").pending == OVER
    assert (table.map, table.s.disc[space(FI)], table.s.deck_size) == ({MV: (1, 0), FI: (3, 0)}, 2, deck)


def test_remove_in_different_spaces(table_of):
    table = event(table_of("remove 2 in political, different spaces").cubes(PR, 0, 2).cubes(R, 0, 1))
    assert table.do(f"remove {PR}").pending == OVER
    assert table.map == {PR: (0, 1)}


def test_replace_removes_an_enemy_cube_and_places_an_own_one_there(table_of):
    table = event(table_of("replace 2 in any").cubes(PR, 3, 2).cubes(R, 0, 1).cubes(BM, 4, 1))
    assert table.legal == can("replace", PR, R)
    assert table.do(f"replace {PR}").pending == OVER  # Press is full: Royalists alone are left
    assert table.map == {PR: (4, 1), R: (1, 0), BM: (4, 1)}


def test_replace_ends_when_the_stock_is_exhausted(table_of):
    table = table_of("replace up to 2 in any").cubes(PR, 0, 1).cubes(R, 0, 1).stock(COMMUNE, track=(1, 0, 0, 0))
    assert event(table).do(f"replace {R}").pending == OVER
    assert table.map == {PR: (0, 1), R: (1, 0)}


@pytest.mark.parametrize(("momentum", "pool", "lost"), [(0, 0, 2), (1, 2, 0)])
def test_remove_own_returns_cubes_to_the_pool_or_takes_them_out_of_play(table_of, momentum, pool, lost):
    table = event(table_of("remove own 2 in Press or Paris").cubes(PR, 2, 1).cubes(PL, 1).momentum(momentum, 0))
    assert table.legal == can("take", PR, PL)
    assert table.do(f"take {PR}", f"take {PR}").pending == OVER
    assert table.map == {PR: (0, 1), PL: (1, 0)}
    assert (table.s.pool[COMMUNE], table.s.out_of_play[COMMUNE]) == (pool, lost)


def test_remove_own_up_to_in_different_spaces(table_of):
    table = event(table_of("remove own up to 2 in any, different spaces").cubes(PR, 2).cubes(PL, 1))
    assert table.legal == can("take", PR, PL) | DONE
    assert table.do(f"take {PR}").legal == can("take", PL) | DONE


def test_move_takes_a_cube_from_one_place_to_another(table_of):
    table = event(table_of("move 2 from Forts to Paris or Press").cubes(MV, 2, 1).cubes(FI, 1).cubes(R, 1))
    assert table.legal == can("take", MV, FI)
    assert table.do(f"take {MV}").legal == can("place", *PARIS, PR)
    assert table.view(COMMUNE, "source") == [MV]
    assert table.do(f"place {PR}").legal == can("take", MV, FI)
    assert table.do(f"take {FI}", f"place {BM}").pending == OVER
    assert table.map == {MV: (1, 1), R: (1, 0), PR: (1, 0), BM: (1, 0)}
    assert table.s.track[COMMUNE, 0] == 14


def test_move_up_to_stops_between_moves_only(table_of):
    table = event(table_of("move up to 2 from Paris to Paris").cubes(BM, 2))
    assert table.legal == can("take", BM) | DONE
    assert table.do(f"take {BM}").legal == can("place", BC, PL)
    assert table.do(f"place {PL}").legal == can("take", BM, PL) | DONE
    assert table.do("done").map == {BM: (1, 0), PL: (1, 0)}


def test_move_keeps_the_limit_of_4_cubes(table_of):
    rows = "move up to 3 from Press or Royalists to Royalists or Republicans"
    table = event(table_of(rows).cubes(PR, 2).cubes(R, 1).cubes(RE, 3))
    assert table.do(f"take {PR}", f"place {RE}").legal == can("take", PR) | DONE  # Royalists' cube has nowhere to go
    assert table.do(f"take {PR}").pending == OVER  # only Royalists: placed there, and no cube can move any more
    assert table.map == {R: (2, 0), RE: (4, 0)}


def test_move_needs_no_stock(table_of):
    assert event(table_of("move 1 from Press to Paris").cubes(PR, 1).stock(COMMUNE)).legal == can("place", *PARIS)


def test_place_disc_needs_a_space_without_a_disc(table_of):
    table = event(table_of("place disc in Paris").disc(BM, VERSAILLES).disc(FI, COMMUNE))
    assert table.legal == can("disc", BC, PL)
    assert table.do(f"disc {BC}").pending == OVER
    assert [int(table.s.disc[space(name)]) for name in (BM, BC, PL, FI)] == [2, 1, 0, 1]


def test_place_disc_where_present(table_of):
    table = event(table_of("place disc in military, where present").cubes(BM, 1).cubes(FI, 0, 1))
    assert table.legal == can("disc", BM, PL)


def test_place_disc_moves_one_when_both_are_on_the_map(table_of):
    table = event(table_of("place disc in Paris").disc(BM, COMMUNE).disc(FI, COMMUNE).disc(BC, VERSAILLES))
    assert table.legal == can("take", BM, FI) | DONE
    assert table.do(f"take {FI}").pending == OVER  # one space is free
    assert [int(table.s.disc[space(name)]) for name in (BM, FI, PL, BC)] == [1, 0, 1, 2]


def test_place_disc_asks_where_the_moving_disc_goes(table_of):
    table = event(table_of("place disc in Paris").disc(BM, COMMUNE).disc(FI, COMMUNE)).do(f"take {FI}")
    assert table.legal == can("disc", BC, PL)
    assert table.view(COMMUNE, "source") == [FI]
    assert table.do(f"disc {BC}").s.disc[space(FI)] == 0


def test_place_disc_need_not_move_one(table_of):
    table = event(table_of("place disc in Paris").disc(BM, COMMUNE).disc(FI, COMMUNE)).do("done")
    assert (table.pending, changes(table)) == (OVER, [])


def test_place_disc_moves_none_without_a_free_space(table_of):
    table = table_of("place disc in Mont-Valérien").disc(MV, VERSAILLES).disc(BM, COMMUNE).disc(FI, COMMUNE)
    assert event(table).pending == OVER


def test_operations_stay_within_their_scope_and_points(table_of):
    table = event(table_of("operations up to 2 in Press or Père Lachaise").cubes(SM, 1).cubes(PL, 1))
    assert table.legal == can("place", PR, PL) | DONE
    assert table.do(f"place {PL}").legal == can("place", PL) | DONE  # one sphere
    assert table.do(f"place {PL}").pending == OVER


def test_operations_both_do_the_military_part_first(table_of):
    table = event(table_of("operations up to 1 in Forts and up to 2 in political").cubes(BM, 1).cubes(SM, 1))
    assert table.legal == can("place", MV) | DONE
    table.do(f"place {MV}")
    assert table.legal == can("place", SM, RE, PR) | DONE
    assert table.do(f"place {RE}", f"place {RE}").pending == OVER
    assert table.map == {BM: (1, 0), SM: (1, 0), MV: (1, 0), RE: (2, 0)}


def test_momentum_moves_one_step_within_the_track(table_of):
    for sentence, old, new in [
        ("own momentum +1", (0, 0), (1, 0)),
        ("own momentum -1", (3, 3), (2, 3)),
        ("enemy momentum +1", (0, 0), (0, 1)),
        ("enemy momentum -1", (3, 3), (3, 2)),
        ("own momentum +1", (3, 0), (3, 0)),
        ("own momentum -1", (0, 3), (0, 3)),
        ("enemy momentum +1", (0, 3), (0, 3)),
        ("enemy momentum -1", (3, 0), (3, 0)),
    ]:
        table = event(table_of(sentence).momentum(*old))
        assert (table.pending, tuple(table.s.momentum)) == (OVER, new), (sentence, old, new)


@pytest.mark.parametrize("sentence", ["reveal hand", "reveal objective"])
def test_reveal_shows_the_enemy_s_secrets_to_the_acting_side_alone(table_of, sentence):
    table = table_of(sentence).hand(VERSAILLES, 3, 5).hand(COMMUNE, 26).objective(VERSAILLES, 50)
    event(table.objective(COMMUNE, 51))
    hand = sentence == "reveal hand"
    assert table.view(COMMUNE, "known_enemy") == (["3", "5"] if hand else [])
    assert table.view(COMMUNE, "enemy_objective") == ([] if hand else ["50"])
    assert (table.view(VERSAILLES, "known_enemy"), table.view(VERSAILLES, "enemy_objective")) == ([], [])


@pytest.mark.parametrize(("sentence", "line"), [("reveal hand", "hand"), ("reveal objective", "objective")])
def test_the_journal_tells_what_was_revealed(table_of, sentence, line):
    assert f"Commune sees the enemy's {line}" in event(table_of(sentence).objective(VERSAILLES, 50)).log


def test_a_reveal_is_an_option_that_does_something(table_of):
    table = event(table_of("option 1: reveal hand", "option 2: must: reveal objective", "option 3: remove 1 in Press"))
    assert table.legal == {"option 1", "option 2"}


@pytest.mark.parametrize("card", [1, 41])
def test_the_first_and_the_last_card_are_cards_like_any_other(table_of, card):
    assert str(card) in event(table_of("reveal hand").hand(VERSAILLES, card, 5)).view(COMMUNE, "known_enemy")
    assert f"card {card}" in event(table_of("must: swap card").hand(COMMUNE, card, 26)).legal
    table = event(table_of("must: swap card").hand(COMMUNE, card))
    assert table.s.zone[card] == state.IN_DECK


def test_a_neutral_discard_with_the_highest_number_is_used(table_of):
    table = event(table_of("must: use any discard").discarded(41, VERSAILLES).cubes(MV, 0, 1))
    assert table.legal == can("remove", MV) | DONE
    table = event(table_of("use any discard").discarded(41, VERSAILLES).discarded(33, COMMUNE))
    assert table.legal == {"card 33", "card 41"}


def test_swap_exchanges_a_hand_card_with_the_top_of_the_deck(table_of):
    table = event(table_of("swap card").hand(COMMUNE, 26, 27).deck_top(5, 6))
    assert table.legal == {"card 26", "card 27"}
    size = int(table.s.deck_size)
    assert table.do("card 26").pending == OVER
    assert (table.s.deck_size, list(table.s.deck[size - 2 : size])) == (size, [6, 26])
    assert table.view(COMMUNE, "hand") == ["5", "27"]


def test_swap_makes_the_enemy_forget_the_hand(table_of):
    table = table_of("swap card").hand(COMMUNE, 26, 27)
    table.s.known[VERSAILLES, [26, 27]] = 1
    assert event(table).view(VERSAILLES, "known_enemy") == ["26", "27"]
    table.do("card 26")
    assert (table.view(VERSAILLES, "known_enemy"), table.view(VERSAILLES, "known_deck")) == ([], [])
    assert table.view(COMMUNE, "known_deck") == ["26"]


def test_swap_needs_a_deck(table_of):
    table = table_of("swap card").hand(COMMUNE, 26, 27)
    table.gone(*[k for k in range(1, 42) if table.s.zone[k] == state.IN_DECK and k not in (MINE, 35, 36)])
    assert event(table.hand(VERSAILLES, 35, 36)).pending == OVER


def test_swap_never_takes_a_final_crisis_card(table_of):
    table = play_in_crisis(table_of("swap card").hand(COMMUNE, 34, 26, 27), COMMUNE, MINE)
    assert table.legal == {"card 26", "card 27"}


# -- where present -----------------------------------------------------------------------------------------------------


def test_where_present_counts_pieces_and_where_a_side_always_is(table_of):
    table = event(table_of("place up to 1 in any, where present").cubes(R, 1, 4).cubes(NA, 0, 1).disc(FI, COMMUNE))
    assert table.legal == can("place", R, FI, SM, PL) | DONE


def test_where_present_is_assessed_when_its_row_begins(table_of):
    rows = ("place 1 in Press", "replace up to 1 in any, where present")
    table = event(table_of(*rows).cubes(PR, 0, 1).cubes(R, 0, 1))
    assert table.legal == can("replace", PR) | DONE


def test_where_present_is_assessed_once_a_row(table_of):
    table = event(table_of("remove own up to 1 in Press", "replace up to 2 in any, where present").cubes(PR, 1, 1))
    assert table.do(f"take {PR}").pending == OVER  # the Commune is gone from Press
    assert table.map == {PR: (0, 1)}


# -- the order of things -----------------------------------------------------------------------------------------------


def test_rows_are_carried_out_in_printed_order(table_of):
    rows = [
        "place 1 in Press",
        "remove 1 in Press",
        "own momentum +1",
        "replace 1 in Royalists",
        "place disc in Mont-Valérien",
        "remove own 1 in Press",
        "enemy momentum -1",
        "place 1 in Paris",
    ]
    table = event(table_of(*rows).cubes(PR, 0, 1).cubes(R, 0, 1).momentum(0, 2))
    table.do(f"place {BC}")
    assert table.map == {R: (1, 0), BC: (1, 0)}
    assert (list(table.s.momentum), table.s.disc[space(MV)]) == ([1, 1], 1)


def test_the_journal_tells_the_rows_in_order(table_of):
    table = event(table_of("remove 1 in Press", "place 1 in Press", "own momentum +1").cubes(PR, 0, 1))
    assert changes(table) == [
        "Versailles loses a cube in Press",
        "Commune places a cube in Press",
        "momentum of Commune: 1",
    ]


def test_the_enemy_s_gift_is_resolved_before_the_next_row(table_of):
    table = event(table_of("own momentum +1", "remove up to 2 in Institutional").momentum(1, 0))
    assert (table.pending, table.legal) == ((frames.ASK_PLACE, VERSAILLES), can("place", *INSTITUTIONAL) | DONE)
    assert table.view(COMMUNE, "event") == table.view(VERSAILLES, "event") == [str(MINE)]
    assert table.view(COMMUNE, "question") == ["none"]
    table.do(f"place {NA}")
    assert (table.pending, table.legal) == ((frames.ASK_REMOVE, COMMUNE), can("remove", NA) | DONE)
    assert table.do(f"remove {NA}").pending == OVER
    assert (table.map, table.view(COMMUNE, "event")) == ({}, [])


def test_a_side_without_cubes_is_asked_for_no_gift(table_of):
    table = event(table_of("own momentum +1", "place up to 1 in Press").momentum(1, 0).stock(VERSAILLES))
    assert (table.pending, table.legal) == ((frames.ASK_PLACE, COMMUNE), can("place", PR) | DONE)


# -- events of other cards ---------------------------------------------------------------------------------------------


def test_a_discard_s_event_that_would_choose_again_cannot_be_used(table_with):
    chain = row(26, ["use any discard", "place 1 in Press"]) + row(MINE, ["use any discard", "place 1 in Royalists"])
    table = event(table_with(chain).discarded(26, COMMUNE).discarded(30, COMMUNE))
    assert (table.pending, table.map) == (OVER, {R: (1, 0)})
    table = event(table_with(chain).discarded(26, COMMUNE).discarded(33, VERSAILLES).discarded(35, COMMUNE))
    assert table.legal == {"card 33", "card 35"}


def test_a_must_to_use_a_discard_is_not_met_by_one_that_would_choose_again(table_with):
    table = table_with(row(MINE, ["must: use any discard"])).discarded(30, COMMUNE)
    assert "use event" not in uses(table)


def test_the_rows_after_a_discard_s_event_follow_it(table_with):
    table = event(table_with(row(MINE, ["use any discard", "place 1 in Royalists"])).discarded(33, VERSAILLES))
    assert table.legal == can("place", *OPINION) | DONE  # the one discard is used unasked
    assert R not in table.map
    assert table.do("done").pending == OVER
    assert table.map == {R: (1, 0)}


def test_a_copied_event_that_uses_a_discard_ends(table_with):
    table = Table().discarded(33, COMMUNE).discarded(30, VERSAILLES).play(COMMUNE, 28, "copy")
    assert table.legal == can("place", *OPINION) | DONE
    assert table.do("done").pending == OVER
    assert table.s.top_discard == 28


# -- the Final Crisis and objectives (R9, R15, R16) --------------------------------------------------------------------


@pytest.mark.parametrize("rows", [("must: remove 1 in Press",), ("if control of Press: place 1 in Press",), ALL_MUST])
def test_in_the_final_crisis_an_event_that_cannot_be_used_has_no_effect(table_of, rows):
    table = play_in_crisis(table_of(*rows, "place 1 in Republicans"), COMMUNE, MINE)
    assert (table.pending, table.map) == ((frames.ASK_CRISIS_CARD, VERSAILLES), {})
    assert table.s.zone[MINE] == state.DISCARDED


def test_in_the_final_crisis_the_owner_may_refuse(table_of):
    table = play_in_crisis(table_of("place 1 in Press"), VERSAILLES, MINE).do("done")
    assert (table.pending, table.map) == ((frames.ASK_CRISIS_CARD, COMMUNE), {})


def test_in_the_final_crisis_the_owner_is_not_asked_about_an_unusable_event(table_of):
    table = play_in_crisis(table_of("must: own momentum -1"), VERSAILLES, MINE)
    assert table.pending == (frames.ASK_CRISIS_CARD, COMMUNE)


@pytest.mark.parametrize("momentum", [0, 1])
def test_an_unusable_objective_event_is_not_offered_but_the_objective_is_fulfilled(table_with, momentum):
    table = table_with(objective_row(52, RE, ["must: own momentum -1"])).cubes(RE, 1).momentum(momentum, 0)
    table.objective(COMMUNE, 52).objective(VERSAILLES, 42).go_on(state.OBJECTIVE_SCORING)
    assert (table.pending == (frames.ASK_WHETHER, COMMUNE)) is (momentum == 1)
    if momentum == 1:
        table.do("done")
    assert list(table.s.fulfilled) == [1, 0]
