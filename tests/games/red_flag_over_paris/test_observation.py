"""The observation: its bounds are those of the record, and the public history of the cards stands in it (R32)."""

from __future__ import annotations

import numpy as np
import pytest

from rfop_env.core.batch import GameBatch
from rfop_env.core.decisions import NOBODY
from rfop_env.games.red_flag_over_paris import board, frames, observation, problems, state
from rfop_env.games.red_flag_over_paris.game import solo, two_player
from tests.games.red_flag_over_paris.table import COMMUNE, VERSAILLES, Table

COUNTS = {
    "plays",
    "vp",
    "momentum",
    "momentum_cards",
    "cubes",
    "pool",
    "track",
    "bonus",
    "out_of_play",
    "collaboration",
}
COUNTS |= {"fulfilled"}
OTHER_BOUNDS = {  # of counts that the record does not hold as such, and of signs; all other pieces are 0 or 1
    "deck_size": (0, 39),
    "hand_sizes": (0, 9),
    "pool_room": (0, 18),
    "points": (0, 18),
    "event_step": (0, 8),
    "control": (-1, 1),
    "whether_momentum": (-1, 1),
    "used_round": (-4, 4),
    **dict.fromkeys(("used_event", "used_operations", "used_copy", "used_momentum", "used_final_crisis"), (-1, 1)),
}


def test_the_bounds_of_counts_are_those_of_the_record():
    fields = {field.name: field for field in state.RECORD.fields}
    for piece in observation.LAYOUT.pieces:
        name = piece.name.removeprefix("own_").removeprefix("enemy_")
        if name in COUNTS:
            field = fields[name]
            assert (piece.low, piece.high) == (field.low, field.high), piece.name
        else:
            assert (piece.low, piece.high) == OTHER_BOUNDS.get(piece.name, (0, 1)), piece.name


# -- R32: the public history -----------------------------------------------------------------------------------------

USES = ("event", "operations", "copy", "momentum", "final-crisis")
HISTORY = ("used_by", "used_round", "used_for", "momentum_cards")


def history(table: Table, seat: int) -> dict[str, dict[str, int]]:
    """The pieces of the history that a seat observes, the entries that are not 0."""
    described = observation.LAYOUT.describe(table.batch.observe(seat)[0])
    names = [
        piece.name for piece in observation.LAYOUT.pieces if "used_" in piece.name or "momentum_cards" in piece.name
    ]
    return {name: {k: v for k, v in described[name].items() if v} for name in names if any(described[name].values())}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("side", [COMMUNE, VERSAILLES])
def test_r32_both_sides_observe_who_used_which_card_and_for_what(side, use):
    card = {COMMUNE: 26, VERSAILLES: 11}[side]
    table = Table().discarded({COMMUNE: 21, VERSAILLES: 5}[side], by=1 - side)
    table.play(side, card, use)
    for seat in (COMMUNE, VERSAILLES):
        sign, mine = (1, "own") if seat == side else (-1, "enemy")
        played = history(table, seat)
        if use == "momentum":  # the card is face down
            assert played[f"{mine}_momentum_cards"] == {"1": 1} and str(card) not in played["used_round"]
        else:
            assert played["used_round"][str(card)] == sign
            assert played[f"used_{use.replace('-', '_')}"][str(card)] == sign


@pytest.mark.parametrize("seat", [COMMUNE, VERSAILLES])
def test_r32_a_card_given_up_face_up_has_its_name_in_the_history(seat):
    table = Table(variant="censor").play(COMMUNE, 26, "momentum")
    sign, mine = (1, "own") if seat == COMMUNE else (-1, "enemy")
    assert history(table, seat) == {
        "used_round": {"26": sign},
        "used_momentum": {"26": sign},
        f"{mine}_momentum_cards": {"1": 1},
    }


def test_r32_discards_without_a_play_have_their_side_and_round_alone():
    table = Table(variant="censor").hand(COMMUNE, 21, 24, 26).hand(VERSAILLES, 9, 11, 14)
    table.go_on(state.INITIATIVE).do("first Commune", "card 24")
    assert history(table, COMMUNE) == {"used_round": {"24": 1}}
    assert history(table, VERSAILLES) == {"used_round": {"24": -1}}


def test_r32_plays_of_the_final_crisis_are_of_round_4():
    table = Table().crisis(2).hand(COMMUNE, 26, 21).hand(VERSAILLES, 5, 9)
    table.s.plays = 1
    table.ask(frames.ASK_CRISIS_CARD, COMMUNE).do("card 26")
    assert history(table, VERSAILLES) == {"used_round": {"26": -4}, "used_event": {"26": -1}}


def test_r32_a_card_drawn_for_a_removal_is_nobodys_play():
    table = Table().cubes("Butte-aux-Cailles", 2, 1).deck_top(41).play(VERSAILLES, 9, "operations")
    table.do("remove Butte-aux-Cailles")
    assert table.s.used_for[41] == state.FOR_DRAW
    assert history(table, COMMUNE) == {"used_round": {"9": -1}, "used_operations": {"9": -1}}


@pytest.mark.many_games
@pytest.mark.parametrize("side", ["commune", "versailles"])
def test_r32_the_cards_of_the_solo_opponent_have_their_use(side):
    batch = GameBatch(solo(), 1, 32, options={"side": side})
    s, bot, seen = batch.record(), 1 - board.SIDE_NAMES.index(side.capitalize()), set()
    while not batch.terminated[0]:
        batch.step_random()
        seen |= {int(s.used_for[k]) for k in range(1, 42) if s.used_by[k] == bot}
        assert batch.problems() == []
    assert {state.FOR_EVENT, state.FOR_OPERATIONS} <= seen
    assert not seen & {state.FOR_MOMENTUM, state.FOR_FINAL_CRISIS}


@pytest.mark.many_games
def test_r32_another_side_round_or_use_is_another_observation():
    """In 100 positions, for each card that a side has used: what differs there, differs in both observations."""
    batch = GameBatch(two_player(), 100, 3)
    batch.step_random(repeat=50)
    states, rng = batch.states, np.random.default_rng(3)
    cards = [rng.choice(np.flatnonzero(used >= 0)) for used in states["used_by"]]
    games = np.arange(100)
    seen = [batch.observe(seat).copy() for seat in (COMMUNE, VERSAILLES)]
    for field, changed in (
        ("used_by", 1 - states["used_by"][games, cards]),
        ("used_round", states["used_round"][games, cards] % state.FINAL_ROUND + 1),
        ("used_for", states["used_for"][games, cards] % state.FOR_NOTHING + 1),
    ):
        copy = batch.clone()
        copy.states[field][games, cards] = changed
        for seat in (COMMUNE, VERSAILLES):
            assert (copy.observe(seat) != seen[seat]).any(axis=1).all(), (field, seat)


@pytest.mark.many_games
@pytest.mark.parametrize("variant", ["standard", "censor"])
def test_r32_a_determinization_keeps_the_history(variant):
    batch = GameBatch(two_player(), 50, 4, options={"variant": variant})
    batch.step_random(repeat=60)
    for seat in (COMMUNE, VERSAILLES, NOBODY):
        guess = batch.clone()
        guess.determinize(seat, np.arange(50))
        for field in HISTORY:
            np.testing.assert_array_equal(guess.states[field], batch.states[field])


FAULTS = {
    "a use without a round": (
        (21, COMMUNE, state.FOR_EVENT, 0),
        "last use 'event' in round 0",
    ),
    "a use to come": ((21, COMMUNE, state.FOR_EVENT, 2), "in round 2 of 1"),
    "nobody's use": ((21, NOBODY, state.FOR_COPY, 1), "last use 'copy' by side -1"),
    "a side's draw": ((21, COMMUNE, state.FOR_DRAW, 1), "last use 'draw' by side 0"),
    "face up": ((21, COMMUNE, state.FOR_MOMENTUM, 1), "outside the Censor variant"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_r32_a_faulty_history_is_a_problem(fault):
    use, message = FAULTS[fault]
    table = Table().used(*use)
    assert any(message in problem for problem in problems.card_problems(table.s)), problems.card_problems(table.s)


def test_r32_no_side_plays_more_than_three_cards_a_round_nor_discards_unseen():
    table = Table()
    for card in (21, 24, 26):
        table.used(card, COMMUNE, state.FOR_EVENT)
    assert problems.history_problems(table.s) == []
    table.s.momentum_cards[COMMUNE, 0] = 1
    assert problems.history_problems(table.s) == ["Commune played 4 cards in round 1"]
    table = Table()
    table.s.zone[5] = state.DISCARDED
    assert problems.history_problems(table.s) == ["card 5 is in play or discarded, but was never used"]
    table = Table().discarded(5, VERSAILLES).used(5, NOBODY, state.FOR_DRAW)
    assert problems.history_problems(table.s) == ["the top discard 5 belongs under the pile"]
    table = Table(solo_side="commune")
    table.s.momentum_cards[VERSAILLES, 0] = 1
    assert problems.history_problems(table.s) == ["Versailles gave up cards for momentum in round 1"]
