"""Hidden cards with each other's numbers: the whole game is another one that the seat cannot tell from the first."""

from __future__ import annotations

import numpy as np
import pytest

from rfop_agents.policy_belief import Line, Moments
from rfop_env.agent import Positions, random_legal
from rfop_env.core.batch import GameBatch
from rfop_env.core.legal_actions import NO_ACTION
from rfop_env.registry import get_game

GAME = get_game("RedFlagOverParis-v1")
CARDS = GAME.relabelling
APART = ("journal", "journal_size")


def played(seed, decisions, **options):
    """A game of random decisions as a line, with the batch in which it was played."""
    rng = np.random.default_rng(seed)
    batch = GameBatch(GAME, 1, seed, options=options)
    batch.keep_history()
    for _ in range(decisions):
        if batch.action_mask.any():
            batch.step(random_legal(batch.action_mask, rng))
    line = Line()
    Moments(GAME).catch_up([line], batch.history, Positions(batch, np.arange(1), rng))
    return batch, line


def exchanged(hidden, rng):
    """Random other numbers for hidden cards, bool [L]: int64 [L]."""
    labels = np.arange(len(hidden))
    for kind in (0, 1):
        cards = np.flatnonzero(hidden & (CARDS.kinds == kind))
        labels[cards] = rng.permutation(cards)
    return labels


def counting_moments(line, hidden, seat):
    """The first decision from which on a seat has seen none of the hidden cards, as `PolicyBelief` has it."""
    shown = (hidden & ~CARDS.unseen(line.records, seat)).any(axis=1)
    return int(np.flatnonzero(shown)[-1]) + 1 if shown.any() else 0


@pytest.mark.many_games
@pytest.mark.parametrize("variant", ["standard", "censor"])
@pytest.mark.parametrize("seat", [0, 1])
def test_the_game_with_other_numbers_is_another_game_that_looks_the_same(variant, seat):
    rng, moments = np.random.default_rng(seat), Moments(GAME)
    counted = 0
    for seed in range(4):
        batch, line = played(seed, 40 + 25 * seed, variant=variant)
        now = batch.get_state()
        hidden = CARDS.unseen(now, seat)[0]
        labels = exchanged(hidden, rng)
        assert (labels != np.arange(len(labels))).any()
        first = counting_moments(line, hidden, seat)
        counted += len(line.actions) - first

        # Every record with other numbers follows from the one before, by the action with other numbers.
        before, after = line.records[first:].copy(), np.concatenate([line.records[first + 1 :], now])
        many = np.tile(labels, (len(before), 1))
        CARDS.relabel(before, many)
        CARDS.relabel(after, many)
        actions = CARDS.relabel_actions(line.actions[first:], many)
        assert moments.view(before.copy(), batch.components)[1][np.arange(len(before)), actions].all()
        next_states = before.copy()
        moments.view(next_states, batch.components, actions)
        for name in GAME.state.names:
            if name not in APART:
                np.testing.assert_array_equal(next_states[name], after[name], name)

        # The seat sees the same in all of them.
        for states, others in ((line.records[first:], before), (now, after[-1:])):
            shown, also = GameBatch(GAME, len(states)), GameBatch(GAME, len(states))
            for batch_of, records in ((shown, states), (also, others)):
                batch_of.reset(0, options={"variant": variant})
                batch_of.states[...] = records
                batch_of.refresh()
            np.testing.assert_array_equal(shown.observe(seat), also.observe(seat))
            own = shown.current_player == seat
            np.testing.assert_array_equal(shown.action_mask[own], also.action_mask[own])
            assert not also.problems(len(states) - 1)
    assert counted > 150


def test_numbers_are_given_back():
    batch, line = played(1, 90)
    labels = exchanged(CARDS.unseen(batch.get_state(), 0)[0], np.random.default_rng(0))
    records, many = line.records.copy(), np.tile(labels, (len(line.records), 1))
    CARDS.relabel(records, many)
    CARDS.relabel(records, np.argsort(many, axis=1))
    for name in GAME.state.names:
        np.testing.assert_array_equal(records[name], line.records[name])
    actions = CARDS.relabel_actions(line.actions, many)
    assert (actions != line.actions).any()
    np.testing.assert_array_equal(CARDS.relabel_actions(actions, np.argsort(many, axis=1)), line.actions)


@pytest.mark.parametrize("seat", [0, 1])
def test_the_hidden_cards_are_those_that_a_determinization_deals_anew(seat):
    for seed, decisions in ((2, 3), (3, 60)):
        batch, _ = played(seed, decisions)
        moved = np.zeros(len(CARDS.kinds), np.bool_)
        places = CARDS.places(batch.get_state())
        for key in range(40):
            guess = batch.clone()
            guess.determinize(seat, key)
            moved |= (CARDS.places(guess.get_state()) != places).any(axis=(1, 2))
        assert (moved == CARDS.unseen(batch.get_state(), seat)[0]).all()


def test_places_follow_the_cards():
    batch, line = played(5, 80)
    labels = exchanged(CARDS.unseen(batch.get_state(), 1)[0], np.random.default_rng(1))
    records = line.records.copy()
    CARDS.relabel(records, np.tile(labels, (len(records), 1)))
    np.testing.assert_array_equal(CARDS.places(records)[labels][1:], CARDS.places(line.records)[1:])


def test_a_line_has_the_forced_decisions_too():
    batch, line = played(6, 500)
    assert len(line.actions) == batch.states["decisions"][0] > len(batch.history.decisions(0))
    assert (line.records["decisions"] == np.arange(len(line.actions))).all()
    assert line.now["over"][0] == 1 and NO_ACTION not in line.actions
