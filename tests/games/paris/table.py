"""A position of Paris laid out by hand and played by action labels: what the tests of rules are written with."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from rfop_env.core.batch import GameBatch
from rfop_env.games.paris import board, frames, game, state
from tests.games.base_table import BaseTable

REMOVED = ("Batignolles 5", "Belleville 5", "Chaillot 5")


def place(name: str) -> int:
    """The number of a place by its name."""
    return board.PLACE_NAMES.index(name)


class Table(BaseTable):
    """One game whose position the test writes.

    At first all building tiles but REMOVED are drawn, each token lies beside its space, and every player has 20 Francs,
    all keys in hand and nothing else. Goods given to somebody are taken from the last spaces that have them.
    """

    def __init__(self, players: int = 2, *, seed: int = 7, components: Any = None, **options: Any):
        super().__init__(
            GameBatch(game.paris(), 1, seed, options={"players": players, **options}, components=components)
        )
        s = self.s
        s.stack[:], s.depth, s.start_player, s.active = 0, 0, 0, 0
        s.francs[:players] = 20
        s.pile[:] = state.NO_TILE
        s.pile_size[:] = s.pile_floor
        s.drawn[:], s.tile_at[:] = 1, np.arange(board.SPACES) + 1
        for k in range(board.STACKS if s.pile_floor else 0):
            tile = board.SPACE_NAMES.index(REMOVED[k])
            s.pile[k, 0], s.drawn[tile], s.tile_at[tile] = tile, 0, 0

    # -- laying out ------------------------------------------------------------------------------------------------

    def keys(self, player: int, *names: str) -> Table:
        """Put keys from a player's hand on places."""
        for name in names:
            self.s.keys[player, place(name)] += 1
            self.s.keys_in_hand[player] -= 1
        return self

    def no_hand(self, player: int) -> Table:
        """Leave a player no key in hand: all that are left are set aside."""
        hand = int(self.s.keys_in_hand[player])
        self.s.keys_in_hand[player], self.s.keys_aside[player] = 0, self.s.keys_aside[player] + hand
        return self

    def francs(self, player: int, francs: int) -> Table:
        """Set a player's money."""
        self.s.francs[player] = francs
        return self

    def goods(self, player: int, **goods: int) -> Table:
        """Give a player tokens."""
        for name, n in goods.items():
            self.s.goods[player, self._take(name, n)] += n
        return self

    def supply(self, **goods: int) -> Table:
        """Put tokens into the supply."""
        for name, n in goods.items():
            self.s.supply[self._take(name, n)] += n
        return self

    def _take(self, name: str, n: int) -> int:
        """Take tokens from the last spaces that have them; the good's number."""
        good = board.GOOD_NAMES.index(name.replace("_", "-"))
        spaces = np.flatnonzero(np.asarray(self.s.token) == good + 1)
        self.s.token[spaces[len(spaces) - n :]] = 0
        return good

    def own(self, player: int, *numbers: int) -> Table:
        """Give a player unused bonus tiles from the track."""
        for n in numbers:
            self.s.bonus[player, n] = state.UNUSED
            self.s.bonus_left[n] -= 1
        return self

    def used(self, player: int, *numbers: int) -> Table:
        """Give a player used bonus tiles."""
        self.own(player, *numbers)
        self.s.bonus[player, list(numbers)] = state.USED
        return self

    def meeple(self, player: int, space: int) -> Table:
        """Put a meeple on a space of the track."""
        self.s.meeple[player] = space
        return self

    def empty(self, *names: str) -> Table:
        """Take buildings from the board: their tiles lie on the first stack, the last one named on top."""
        for name in names:
            space = board.SPACE_NAMES.index(name)
            self.s.pile[0, self.s.pile_size[0]] = space
            self.s.pile_size[0] += 1
            self.s.drawn[space] = self.s.tile_at[space] = 0
        return self

    def landmark(self, name: str, district: str) -> Table:
        """Put a landmark into a district."""
        self.s.landmark_district[board.LANDMARK_NAMES.index(name)] = board.DISTRICT_NAMES.index(district)
        return self

    def vp_tile(self, number: int, district: str) -> Table:
        """Put a VP tile into a district."""
        self.s.vp_tile_district[number - 1] = board.DISTRICT_NAMES.index(district)
        return self

    def end_tiles(self, player: int, *names: str) -> Table:
        """Give a player unused End Game tiles, taken in this order."""
        s = self.s
        for name in names:
            i, kind = int(s.end_taken), board.END_NAMES.index(name)
            s.end_left[kind] -= 1
            s.end_kind[i], s.end_owner[i] = kind + 1, player
            s.end_taken += 1
        return self

    def end_tiles_gone(self, supply: int = 0) -> Table:
        """Have player 0 take and use End Game tiles until so many are left."""
        start = int(self.s.end_taken)
        kinds = [name for kind, name in enumerate(board.END_NAMES) for _ in range(int(self.s.end_left[kind]))]
        self.end_tiles(0, *kinds[: board.END_TILES - start - supply])
        self.s.end_used[start : self.s.end_taken] = 1
        self.s.rounds_left = 0 if supply else 2
        return self

    # -- starting --------------------------------------------------------------------------------------------------

    def ask(self, kind: int, player: int = 0, a: int = 0, b: int = 0, c: int = 0, d: int = 0) -> Table:
        """Ask a player a question of the own turn; the end of that turn follows it."""
        s = self.s
        s.stack[:], s.depth, s.active, s.player = 0, 0, player, player
        for frame in ((frames.ASK_END_TURN, player), (kind, player, a, b, c, d))[kind == frames.ASK_END_TURN :]:
            s.stack[s.depth, : len(frame)] = frame
            s.depth += 1
        self.batch.refresh()
        return self

    def act(self, player: int = 0) -> Table:
        """Ask a player for the action of the turn."""
        return self.ask(frames.ASK_ACTION, player)

    def finish(self) -> Table:
        """Let the last turn of the game end, and with it the game."""
        self.end_tiles_gone()
        self.s.rounds_left = 1
        last = int(self.s.players) - 1
        self.ask(frames.ASK_END_TURN, last)
        return self.do("done")

    # -- playing ---------------------------------------------------------------------------------------------------

    def check_step(self) -> None:
        """No action leads to a position with a problem."""
        self.sound()

    def move(self, player: int, origin: str, to: str) -> Table:
        """Let a player move a key in a turn of its own; a destination without an alternative is not asked for."""
        log = self.act(player).do(f"key {origin}").log
        if self.pending[0] == frames.ASK_DESTINATION:
            log += self.do(f"key {to}").log
        assert f"player {player} moves a key from {origin} to {to}" in log
        return self

    def at(self, player: int, name: str) -> int:
        """A player's keys at a place."""
        return int(self.s.keys[player, place(name)])

    def vp(self, player: int = 0) -> int:
        """A player's VP."""
        return int(self.s.vp[player])

    def money(self, player: int = 0) -> int:
        """A player's Francs."""
        return int(self.s.francs[player])

    def has(self, player: int, good: str) -> int:
        """A player's tokens of a good."""
        return int(self.s.goods[player, board.GOOD_NAMES.index(good)])

    def tile(self, player: int, number: int) -> str:
        """What a player has of a bonus tile number."""
        return {state.NOT_OWNED: "none", state.UNUSED: "unused", state.USED: "used"}[int(self.s.bonus[player, number])]


def redraw(batch: GameBatch, seat: int, key: int) -> None:
    """Draw anew what a seat is not shown: what it cannot know, and in Paris also what closed screens hide (P39).

    A determinization keeps the stock behind the screens, since an attentive player knows it (P48). Here that of the
    player on turn alone stays: the pending question depends on it.
    """
    batch.determinize(seat, key)
    if batch.game.id != game.paris().id:
        return
    rng = np.random.default_rng(key)
    for i in range(batch.num_games):
        s = batch.record(i)
        shown = s.over or s.open_screens or s.perfect_memory
        closed = [] if shown else [p for p in range(s.players) if p not in (seat, s.active)]
        s.francs[closed] = rng.integers(21, size=len(closed))
        for good, tokens in enumerate(s.goods[closed].sum(axis=0) if closed else ()):
            s.goods[closed, good] = rng.multinomial(tokens, [1 / len(closed)] * len(closed))
        for a, b in itertools.combinations(closed, 2):
            held = s.bonus[[a, b]]
            numbers = np.flatnonzero((held == state.NOT_OWNED).any(axis=0) & (held == state.UNUSED).any(axis=0))
            s.bonus[a, numbers] = rng.permuted(s.bonus[a, numbers])
            s.bonus[b, numbers] = state.UNUSED - s.bonus[a, numbers]
