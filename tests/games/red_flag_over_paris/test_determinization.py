"""What a determinization leaves where it is: what the enemy knows, and the card that it is about to use."""

from __future__ import annotations

import numpy as np

from rfop_env.core.decisions import NOBODY
from rfop_env.games.red_flag_over_paris import frames, state
from tests.games.red_flag_over_paris.table import COMMUNE, VERSAILLES, Table

KEYS = range(20)


def determinized(table, seat, key):
    guess = table.batch.clone()
    guess.determinize(seat, key)
    return guess.record()


def test_the_place_in_the_deck_that_the_enemy_knows_keeps_being_known():
    table = Table().hand(VERSAILLES, 2, 3, 4).hand(COMMUNE, 21, 24)
    table.s.known[VERSAILLES, 20] = 1
    table.first_play(COMMUNE)
    place = table.s.deck.tolist().index(20)
    guesses = [determinized(table, COMMUNE, key) for key in KEYS]
    assert len({int(guess.deck[place]) for guess in guesses}) > 5  # the card itself is hidden from the Commune
    for guess in guesses:
        assert np.flatnonzero(guess.known[VERSAILLES]).tolist() == [guess.deck[place]]


def test_the_card_whose_use_is_being_decided_stays_where_it_is():
    table = Table().hand(VERSAILLES, 2, 3, 4).ask(frames.ASK_USE, VERSAILLES, 3)
    for key in KEYS:
        assert determinized(table, COMMUNE, key).zone[3] == state.IN_HAND_COMMUNE + VERSAILLES
    positions = {int(determinized(table, COMMUNE, key).zone[2]) for key in KEYS}
    assert state.IN_DECK in positions  # while any other card of the hand may lie elsewhere


def test_nobodys_determinization_shuffles_the_two_decks_alone():
    table = Table().hand(VERSAILLES, 2, 3, 4).hand(COMMUNE, 21, 24)
    table.s.known[VERSAILLES, 20] = table.s.known[COMMUNE, 19] = 1
    table.first_play(COMMUNE)
    s = table.batch.record()
    guesses = [determinized(table, NOBODY, key) for key in KEYS]
    for guess in guesses:
        for field in ("zone", "known", "objective", "objective_zone", "objective_known"):
            np.testing.assert_array_equal(guess[field], s[field])
        for deck in ("deck", "objective_deck"):
            assert sorted(guess[deck]) == sorted(s[deck])
        for card in (19, 20):  # a side knows where it lies
            assert guess.deck.tolist().index(card) == s.deck.tolist().index(card)

    # Every other place is dealt anew.
    for deck, size in (("deck", s.deck_size - 2), ("objective_deck", s.objective_deck_size)):
        decks = np.stack([guess[deck] for guess in guesses])
        assert (decks != decks[0]).any(axis=0).sum() == size
