"""The belief of a network's belief head: hidden cards dealt with the odds that it gives to the places of the others.

The deal has as many cards in each hidden place as there are (`rfop_env.core.game.Relabelling`). Which cards lie in the
places that a private piece of the observation shows, the hand say, is a draw of so many cards without replacement: the
probability of a set is proportional to the product of the odds p / (1 - p) of its cards. That is the distribution of
independent draws, given their number (Chen, Dempster and Liu, Weighted Finite Population Sampling, 1994).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rfop_agents.belief import Belief
from rfop_agents.network import NetworkAgent
from rfop_env.agent import Positions, copy_games
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game

LEAST = 1e-4  # probability of a card in a place, and of its absence: no deal is impossible

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class CardPlaces:
    """The places that a private piece of another seat's observation shows, in m positions."""

    labels: Ints  # [K]: the numbers of the piece's cards
    odds: Floats  # [m, K]: of each card there, above 0
    present: Bools  # [m, K]: the hidden cards that are there


class HeadBelief(Belief):
    """What the belief head of a network says.

    Raises `RfopError` for a game whose hidden cards have no relabelling, and for a network without a belief head.
    """

    def __init__(self, game: Game, network: NetworkAgent):
        if game.relabelling is None:
            raise RfopError(f"belief: {game.id} has no relabelling of hidden cards: leave the belief out")
        network.require_belief()
        self._game, self._relabelling, self._network = game, game.relabelling, network
        self._layout, self._entries = game.observation.private()
        self._cards = {  # the pieces whose entries are numbers of cards
            piece.name: np.array(piece.entries, np.int64)
            for piece in self._layout.pieces
            if piece.entries and all(entry.isdecimal() for entry in piece.entries)
        }

    def sample(self, positions: Positions, copies: int, rng: Generator) -> NDArray[Any]:
        """Determinizations, structured [copies, n], in which the hidden cards are dealt anew."""
        batch = positions.sample(np.arange(len(positions.games)), copies)
        deals, seats = batch.get_state(), batch.current_player
        odds = np.repeat(self._odds(batch.observation[::copies]), copies, axis=0)
        for seat in np.unique(seats).tolist():
            rows = np.flatnonzero(seats == seat)
            records = deals[rows]
            hidden = self._relabelling.unseen(records, seat)
            places = self._places(copy_games(batch, rows), odds[rows], hidden, seat)
            self._relabelling.relabel(records, self._labels(places, hidden, rng))
            deals[rows] = records
        return deals.reshape(-1, copies).T

    def _odds(self, observation: NDArray[np.int8]) -> Floats:
        """The odds of the entries of the private pieces of each other seat: [n, P - 1, H]."""
        probabilities = np.clip(self._network.belief(observation).astype(np.float64), LEAST, 1.0 - LEAST)
        return (probabilities / (1.0 - probabilities)).reshape(len(observation), -1, self._layout.size)

    def _places(self, batch: GameBatch, odds: Floats, hidden: Bools, seat: int) -> Iterator[CardPlaces]:
        """The places of hidden cards, bool [m, L], piece by piece; a card lies in the first piece that shows it."""
        unplaced = hidden.copy()
        for k in range(odds.shape[1]):
            view = batch.observe((seat + 1 + k) % self._game.spec.players)[:, self._entries]
            for name, labels in self._cards.items():
                present = (self._layout.part(view, name) != 0) & unplaced[:, labels]
                unplaced[:, labels] &= ~present
                if present.any():
                    yield CardPlaces(labels, self._layout.part(odds[:, k], name), present)

    def _labels(self, several: Iterable[CardPlaces], hidden: Bools, rng: Generator) -> Ints:
        """New numbers for all cards, int64 [m, L]: those of hidden cards are drawn by the odds of their places."""
        labels = np.tile(np.arange(hidden.shape[1]), (len(hidden), 1))
        unplaced, undealt = hidden.copy(), hidden.copy()  # places without a new card, cards without a place
        for places in several:
            possible = np.where(undealt[:, places.labels], places.odds, 0.0)
            cards = draw_set(possible, places.present.sum(axis=1), rng)
            rows, column = np.nonzero(places.present)
            labels[rows, places.labels[column]] = places.labels[np.nonzero(cards)[1]]
            unplaced[:, places.labels] &= ~places.present
            undealt[:, places.labels] &= ~cards

        # All other places, such as those of the deck.
        for kind in np.unique(self._relabelling.kinds):
            of_kind = self._relabelling.kinds == kind
            rows, card = np.nonzero(unplaced & of_kind)
            labels[rows, card] = np.nonzero(undealt & of_kind)[1]
        return labels


# -- sets of a given size ----------------------------------------------------------------------------------------------


def set_weights(weights: Floats, largest: int) -> Floats:
    """The sums over all sets of 0 to `largest` of the last k items, k = 0 to K, of products of weights [m, K].

    These are elementary symmetric polynomials: float64 [K + 1, m, largest + 1].
    """
    m, items = weights.shape
    sums = np.zeros((items + 1, m, largest + 1))
    sums[:, :, 0] = 1.0
    for k in range(items):
        sums[k + 1, :, 1:] = sums[k, :, 1:] + weights[:, items - 1 - k, None] * sums[k, :, :-1]
    return sums


def draw_set(weights: Floats, sizes: Ints, rng: Generator) -> Bools:
    """Random sets of given sizes [m], whose probabilities are proportional to products of weights [m, K]: bool [m, K].

    As many weights as a set has items, or more, are above 0.
    """
    m, items = weights.shape
    sums, rows, missing = set_weights(weights, int(sizes.max(initial=0))), np.arange(m), sizes.copy()
    sets, uniform = np.zeros((m, items), np.bool_), rng.random((items, m))
    for k in range(items):
        without = sums[items - 1 - k, rows, missing]
        sets[:, k] = (missing > 0) & (uniform[k] * sums[items - k, rows, missing] >= without)
        missing -= sets[:, k]
    return sets
