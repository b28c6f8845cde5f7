"""The hidden cards of an end game of Red Flag Over Paris, in the Final Crisis.

In doubt are the cards in hand that the enemy does not know, and some cards of the deck, drawn at random: as many as
give no more deals than are wanted. The deals are all ways to give these cards to the same places, equally probable. All
other cards lie where they lay in the game, and both sides may know it: cards played, removed, or spent face down,
objectives, and the rest of the deck. The cards of the deck that are in doubt lie on top, in an order that nobody knows:
a draw is a chance node with each of them.

Once the last card has been played, bonus actions and scoring are left, in which nothing is hidden or drawn. There both
sides play best: such a position counts as an end of the game with the value that an exact search finds.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.agent import copy_games
from rfop_env.core.batch import GameBatch
from rfop_env.core.decisions import FRAME_KIND
from rfop_env.games.red_flag_over_paris.board import SIDES
from rfop_env.games.red_flag_over_paris.cards import COMMUNE_FINAL_CARD, VERSAILLES_FINAL_CARD
from rfop_env.games.red_flag_over_paris.frames import ASK_CRISIS_CARD
from rfop_env.games.red_flag_over_paris.state import CRISIS_BONUS_ACTIONS, IN_DECK, IN_HAND_COMMUNE
from training.research.lab.best_play import BestPlay
from training.research.lab.hidden_cards import NotSolved

FINAL_CARDS = [COMMUNE_FINAL_CARD, VERSAILLES_FINAL_CARD]
# The fields that bonus actions and the last scoring depend on.
BOARD = (
    "cubes", "disc", "track", "bonus", "pool", "out_of_play", "collaboration", "settled", "first_final_breach", "vp",
    "momentum", "fulfilled", "initiative", "pivotal", "phase", "player", "depth", "stack",
)  # fmt: skip


def begins(batch: GameBatch, cards_left: int) -> NDArray[np.bool_]:
    """In which games a side chooses a card of the Final Crisis, and so many are left in both hands: bool [N]."""
    states = batch.states
    top = states["stack"][np.arange(batch.num_games), np.maximum(states["depth"], 1) - 1, FRAME_KIND]
    cards_in_hand = sum((states["zone"] == IN_HAND_COMMUNE + side).sum(axis=1) for side in range(SIDES))
    return (states["over"] == 0) & (states["depth"] > 0) & (top == ASK_CRISIS_CARD) & (cards_in_hand == cards_left)


class RedFlagCards:
    """The hidden cards from a position on, a batch of one.

    `limit`: deals at most. `rng` draws the cards of the deck that are in doubt. Raises `NotSolved` where no card of the
    deck can be: then each side would know the hand of the other.
    """

    unread: Sequence[str] = ("vp_endless",)  # fields of the record that nothing here depends on

    def __init__(self, position: GameBatch, limit: int, reward: str, rng: np.random.Generator):
        self._position = position
        s = position.states[0]
        self._hands = [_hidden_hand(s, side) for side in range(SIDES)]
        places = _doubtful_places(s)
        count = self._count_in_deck(len(places), limit)
        if count == 0:
            raise NotSolved(f"more than {limit} deals, or no deck: give more --deals")

        # The cards that are in doubt change places with those on top of the deck.
        drawn_places = rng.choice(places, count, replace=False)
        fixed_places = np.setdiff1d(places, drawn_places)
        cards = s["deck"].copy()
        cards[places] = np.concatenate([s["deck"][fixed_places], s["deck"][np.sort(drawn_places)]])
        self._deck, self._places = cards, places[len(places) - count :]
        self._in_doubt = sorted([*itertools.chain(*self._hands), *cards[self._places].tolist()])
        self._best_play = BestPlay(position.game, position.components, BOARD, reward)

    def _count_in_deck(self, cards: int, limit: int) -> int:
        """How many cards of the deck can be in doubt with no more than `limit` deals, from 0."""
        first, second = map(len, self._hands)
        deals = [math.comb(first + second + k, first) * math.comb(second + k, second) for k in range(cards + 1)]
        return max((k for k in range(cards + 1) if deals[k] <= limit), default=0)

    def deals(self) -> GameBatch:
        """All ways in which the hidden cards can lie, equally probable, a game each."""
        divisions = [*self._divisions()]
        batch = copy_games(self._position, np.zeros(len(divisions), np.intp))
        states = batch.get_state()
        states["known"][:, :, self._in_doubt] = 0
        states["deck"][:] = self._deck
        for k, (*hands, deck) in enumerate(divisions):
            states["zone"][k, deck] = IN_DECK
            states["deck"][k, self._places] = deck
            for side, hand in enumerate(hands):
                states["zone"][k, hand] = IN_HAND_COMMUNE + side
        batch.set_state(states)
        return batch

    def _divisions(self) -> Iterator[tuple[list[int], list[int], list[int]]]:
        """The cards in the hands of both sides, and in the deck, in ascending order."""
        for first in itertools.combinations(self._in_doubt, len(self._hands[0])):
            remaining = [card for card in self._in_doubt if card not in first]
            for second in itertools.combinations(remaining, len(self._hands[1])):
                yield [*first], [*second], [card for card in remaining if card not in second]

    def card_drawn(self, state: Any, next_state: Any) -> NDArray[np.bool_]:
        """In which steps, from records [m] to records [m], chance took the top card, which nobody knew: bool [m]."""
        rows, top = np.arange(len(state)), np.maximum(state["deck_size"], 1) - 1
        card = state["deck"][rows, top]
        deck_drawn = (state["deck_size"] > 0) & (next_state["deck"][rows, top] != card)
        assert (next_state["deck_size"] >= state["deck_size"] - 1).all(), "a step has drawn several cards"
        return deck_drawn & np.isin(card, self._in_doubt) & (state["known"][rows, :, card] == 0).all(axis=1)

    def draws(self, state: Any) -> tuple[NDArray[np.intp], Any]:
        """Records [r] with each doubtful card on top in turn, and the number of the record [m] that each stands for.

        The other doubtful cards lie below it in ascending order. Cards of the deck change places with each other only,
        so that a sound record stays sound.
        """
        which, decks = [], []
        for number, s in enumerate(state):
            places = [p for p in range(int(s["deck_size"])) if self._is_doubtful(s, int(s["deck"][p]))]
            cards = sorted(s["deck"][places].tolist())
            for card in cards:
                deck = s["deck"].copy()
                deck[places] = [*(lower_card for lower_card in cards if lower_card != card), card]
                which.append(number)
                decks.append(deck)
        states = state[which]
        states["deck"] = decks
        return np.array(which), states

    def _is_doubtful(self, s: Any, card: int) -> bool:
        return card in self._in_doubt and not s["known"][:, card].any()

    def open(self, states: Any) -> NDArray[np.bool_]:
        """Where nothing that matters is hidden: no hand has a card in doubt, no side put one on the deck: bool [n]."""
        zones = states["zone"][:, self._in_doubt]
        in_hand = (zones >= IN_HAND_COMMUNE) & (zones < IN_HAND_COMMUNE + SIDES)
        swapped = (zones == IN_DECK) & states["known"][:, :, self._in_doubt].any(axis=1)
        return ~(in_hand | swapped).any(axis=1)

    def leaves(self, states: Any) -> NDArray[np.bool_]:
        """Where all cards have been played, and the game has not ended: bool [n]. `values` gives their returns."""
        return (states["phase"] >= CRISIS_BONUS_ACTIONS) & (states["over"] == 0)

    def values(self, batch: GameBatch) -> NDArray[np.float64]:
        """The returns of both seats under best play, once all cards have been played: float64 [n, 2].

        Raises `NotSolved` where too many positions follow.
        """
        values = self._best_play.values(batch)
        if values is None:
            raise NotSolved("too many positions follow when all cards have been played")
        return values


def _hidden_hand(s: Any, side: int) -> list[int]:
    """The cards in a side's hand that its enemy does not know."""
    cards = np.flatnonzero((s["zone"] == IN_HAND_COMMUNE + side) & (s["known"][1 - side] == 0))
    return [card for card in cards.tolist() if card not in FINAL_CARDS]


def _doubtful_places(s: Any) -> NDArray[np.int64]:
    """The places in the deck whose card no side knows, from the bottom."""
    cards = s["deck"][: int(s["deck_size"])]
    return np.flatnonzero((s["known"][:, cards] == 0).all(axis=0))
