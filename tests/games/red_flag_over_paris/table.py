"""A position laid out by hand and played by action labels: what the tests of rules and cards are written with."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfop_env.core.batch import GameBatch
from rfop_env.games.red_flag_over_paris import board, frames, problems, state
from rfop_env.games.red_flag_over_paris.components import FINAL_CRISIS_CARD, FIRST_OBJECTIVE, OBJECTIVES, STRATEGY_CARDS
from rfop_env.games.red_flag_over_paris.game import solo, two_player
from tests.games.base_table import BaseTable

COMMUNE, VERSAILLES = 0, 1
R, NA, RE = "Royalists", "National Assembly", "Republicans"
CC, PR, SM = "Catholic Church", "Press", "Social Movements"
MV, FI, CV = "Mont-Valérien", "Fort d'Issy", "Château de Vincennes"
BM, BC, PL = "Butte Montmartre", "Butte-aux-Cailles", "Père Lachaise"
INSTITUTIONAL, OPINION, FORTS, PARIS = (R, NA, RE), (CC, PR, SM), (MV, FI, CV), (BM, BC, PL)


def space(name: str) -> int:
    """The number of a space by its name."""
    return board.SPACE_NAMES.index(name)


def can(verb: str, *spaces: str) -> set[str]:
    """The labels of a verb in some spaces."""
    return {f"{verb} {name}" for name in spaces}


class Table(BaseTable):
    """One game whose position the test writes; everything unsaid is empty: no cubes on the map, all 18 in reach.

    The cubes that a test does not put anywhere stay in the pool (Versailles) or on the Starting zone of the crisis
    track (Commune), so that they can be placed without breaching anything. `solo_side` makes it a solo game of that
    human side.
    """

    def __init__(
        self, *, solo_side: str | None = None, variant: str = "standard", components: Any = None, seed: int = 7
    ):
        if solo_side is None:
            super().__init__(GameBatch(two_player(), 1, seed, options={"variant": variant}, components=components))
        else:
            super().__init__(GameBatch(solo(), 1, seed, options={"side": solo_side}, components=components))
        self._clear()

    def _clear(self) -> None:
        s = self.s
        s.cubes[:], s.disc[:], s.track[:], s.bonus[:], s.pool[:], s.out_of_play[:] = 0, 0, 0, 0, 0, 0
        s.collaboration[:], s.vp[:], s.momentum[:], s.settled[:] = 0, 0, 0, 0
        s.first_final_breach, s.winner, s.initiative = state.NOBODY, state.NOBODY, COMMUNE
        s.round_number, s.phase, s.plays, s.rounds_played = 1, state.PLAYING, 0, 0
        s.stack[:], s.depth = 0, 0
        s.zone[:], s.known[:] = state.IN_DECK, 0
        s.used_by[:], s.used_round[:], s.used_for[:], s.momentum_cards[:] = state.NOBODY, 0, state.NO_USE, 0
        s.zone[0], s.zone[list(FINAL_CRISIS_CARD)] = state.NOT_USED, state.FACE_UP
        if s.bot != state.NOBODY:
            s.zone[np.flatnonzero(self.c.not_in_solo[: STRATEGY_CARDS + 1])] = state.NOT_USED
        s.top_discard = state.NO_CARD
        s.objective_zone[:], s.objective[:], s.objective_known[:] = state.OBJECTIVE_DECK, state.NO_CARD, 0
        s.fulfilled[:], s.scored_own[:], s.pivotal[:], s.bot_turn = 0, 0, 0, 0

    # -- laying out ------------------------------------------------------------------------------------------------

    def cubes(self, name: str, commune: int = 0, versailles: int = 0) -> Table:
        """Put cubes into a space."""
        self.s.cubes[:, space(name)] = commune, versailles
        return self

    def disc(self, name: str, side: int) -> Table:
        """Put a disc into a space."""
        self.s.disc[space(name)] = side + 1
        return self

    def momentum(self, commune: int = 0, versailles: int = 0) -> Table:
        """Set both momentum tracks."""
        self.s.momentum[:] = commune, versailles
        return self

    def vp(self, political: int = 0, military: int = 0) -> Table:
        """Set the VP markers as the Commune sees them."""
        self.s.vp[:] = political, military
        return self

    def stock(
        self, side: int, pool: int = 0, track: tuple[int, ...] = (0, 0, 0, 0), bonus: tuple[int, ...] = (0, 0, 0, 0)
    ) -> Table:
        """Set pool, crisis track and bonus cubes of a side; what is left of its 18 is out of play."""
        self.s.pool[side], self.s.track[side], self.s.bonus[side] = pool, track, bonus
        placed = int(self.s.cubes[side].sum()) + pool + sum(track) + sum(bonus)
        self.s.out_of_play[side] = board.CUBES - placed - (int(self.s.collaboration.sum()) if side == VERSAILLES else 0)
        self._stocked = getattr(self, "_stocked", set()) | {side}
        return self

    def hand(self, side: int, *cards: int) -> Table:
        """Give a side cards."""
        self.s.zone[list(cards)] = state.IN_HAND_COMMUNE + side
        return self

    def discarded(self, card: int, by: int, round_number: int | None = None) -> Table:
        """Put a card on top of the discard pile."""
        self.s.zone[card] = state.DISCARDED
        self.used(card, by, state.FOR_OPERATIONS, round_number)
        self.s.top_discard = card
        return self

    def used(self, card: int, by: int, use: int, round_number: int | None = None) -> Table:
        """Write a card's last open use, by default of this round."""
        self.s.used_by[card], self.s.used_for[card] = by, use
        self.s.used_round[card] = self.s.round_number if round_number is None else round_number
        return self

    def gone(self, *cards: int) -> Table:
        """Remove cards from the game."""
        self.s.zone[list(cards)] = state.REMOVED
        return self

    def deck_top(self, *cards: int) -> Table:
        """Cards on top of the deck, the first one drawn first."""
        self._top = cards
        return self

    def objective(self, side: int, number: int) -> Table:
        """Give a side an objective."""
        self.s.objective_zone[number - FIRST_OBJECTIVE] = state.CHOSEN_COMMUNE + side
        self.s.objective[side] = number
        return self

    def crisis(self, rounds_played: int = 3) -> Table:
        """Go to the card plays of the Final Crisis."""
        self.s.round_number, self.s.phase, self.s.rounds_played = state.FINAL_ROUND, state.CRISIS_PLAYING, rounds_played
        return self

    # -- starting --------------------------------------------------------------------------------------------------

    def ask(self, kind: int, side: int, a: int = 0, b: int = 0, c: int = 0, d: int = 0) -> Table:
        """Put a frame on the stack, complete decks and stock, and let the batch take the position."""
        self._complete()
        self.s.stack[self.s.depth, :6] = kind, side, a, b, c, d
        self.s.depth += 1
        self.batch.refresh()
        return self

    def to_play(self, side: int) -> Table:
        """Ask a side for a card of a normal round, or of the Final Crisis; the enemy's last play follows none."""
        crisis = self.s.phase == state.CRISIS_PLAYING
        self.s.plays = 2 * self.s.rounds_played if crisis else 6
        return self.ask(frames.ASK_CRISIS_CARD if crisis else frames.ASK_CARD, side)

    def first_play(self, side: int) -> Table:
        """Ask a side for the first card of a round; its enemy, with two cards or more, is asked for the next."""
        s = self.s
        top = (*getattr(self, "_top", ()),)
        free = [k for k in (40, 39, 38, 37, 36, 35) if s.zone[k] == state.IN_DECK and k not in top]
        hand_size = int((np.asarray(s.zone) == state.IN_HAND_COMMUNE + 1 - side).sum())
        self.hand(1 - side, *free[: max(0, 2 - hand_size)])
        s.plays, s.initiative = 1, side
        return self.ask(frames.ASK_CARD, side)

    def play(self, side: int, card: int, use: str, *labels: str) -> Table:
        """Let a side play a card of its hand, as the first of a round, for a use: `play(COMMUNE, 21, "event")`."""
        return self.hand(side, card).first_play(side).do(f"card {card}", f"use {use}", *labels)

    def go_on(self, phase: int) -> Table:
        """Let the sequence of play carry on from a phase to the next choice; Final Crisis zones are whole."""
        self.s.phase = phase
        for side in {COMMUNE, VERSAILLES} - getattr(self, "_stocked", set()):
            under = int(self.s.collaboration.sum()) if side == VERSAILLES else 0
            cubes = board.CUBES - int(self.s.cubes[side].sum()) - under
            start, zone = (max(0, cubes - 2), min(2, cubes))
            self.stock(side, *((start, (0, 0, 0, zone)) if side == VERSAILLES else (0, (start, 0, 0, zone))))
            self.s.settled[side] = 0b0110
        human = int(self.s.bot == COMMUNE)
        return self.ask(frames.ASK_WHETHER, human, frames.WHETHER_OBJECTIVE_EVENT, FIRST_OBJECTIVE).do("done")

    def _complete(self) -> None:
        s = self.s
        top = getattr(self, "_top", ())
        cards = [k for k in range(1, STRATEGY_CARDS + 1) if s.zone[k] == state.IN_DECK and k not in top]
        deck = cards + list(reversed(top))
        s.zone[list(top)] = state.IN_DECK
        s.deck[:] = state.NO_CARD
        s.deck[: len(deck)], s.deck_size = deck, len(deck)
        objectives = [FIRST_OBJECTIVE + i for i in range(OBJECTIVES) if s.objective_zone[i] == state.OBJECTIVE_DECK]
        s.objective_deck[:] = state.NO_CARD
        s.objective_deck[: len(objectives)], s.objective_deck_size = objectives, len(objectives)
        for side in range(board.SIDES):
            if side not in getattr(self, "_stocked", set()):
                placed = int(s.cubes[side].sum()) + (int(s.collaboration.sum()) if side == VERSAILLES else 0)
                if side == VERSAILLES:
                    s.pool[side] = board.CUBES - placed
                else:
                    s.track[side, 0] = board.CUBES - placed
                for zone in range(1, board.ZONES):
                    s.settled[side] |= 1 << zone

    # -- playing ---------------------------------------------------------------------------------------------------

    def at(self, name: str) -> tuple[int, int]:
        """(Commune cubes, Versailles cubes) in a space."""
        return int(self.s.cubes[0, space(name)]), int(self.s.cubes[1, space(name)])

    @property
    def map(self) -> dict[str, tuple[int, int]]:
        """All spaces that hold cubes."""
        return {
            board.SPACE_NAMES[x]: self.at(board.SPACE_NAMES[x])
            for x in range(board.SPACES)
            if any(self.at(board.SPACE_NAMES[x]))
        }

    def sound(self) -> Table:
        """Assert that pieces, cards and questions have no fault; a scene leaves objectives and rounds out."""
        assert [
            *problems.cube_problems(self.s, self.c),
            *problems.stack_problems(self.s),
            *problems.card_problems(self.s),
        ] == []
        return self


def play_in_crisis(table: Table, side: int, card: int) -> Table:
    """Let a side play the card in the Final Crisis; its enemy has two cards left."""
    table.crisis().hand(side, card).hand(1 - side, 35, 36)
    table.s.plays, table.s.initiative = 1, side
    return table.ask(frames.ASK_CRISIS_CARD, side).do(f"card {card}").sound()
