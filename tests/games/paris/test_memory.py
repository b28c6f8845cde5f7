"""Option memory: what a perfect memory of public play knows, against a bookkeeper who only listens to the table."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from rfop_env.compiler import JIT
from rfop_env.core.batch import GameBatch
from rfop_env.games.paris import game, observation

# From the booklet: prices, what a move to a 3 asks for its bonus tile, tiles 13 and 14, and the goods by their titles.
SELL = {"wood": 2, "marble": 3, "gold": 4, "bronze prestige": 1, "silver prestige": 2, "gold prestige": 3}
BUY = {"wood": 4, "marble": 5, "gold": 6}
FEE_AT_A_3 = 2
PRICE_OF_TILE = {13: 2, 14: 1}
NO_FEE = {17, 25}  # tiles that bring another one
RANDOM = {"tokens": "random", "bonus_track": "random", "buildings": "variant"}
PIECES = ("their_francs", "their_goods", "their_unused")
OTHERS = ("next", "second next", "third next")
SEARCHES = ("takes an End Game tile", "uses the End Game tile", "took the last")
NOT_COUNTED = ("draws", "fills a section", "takes an extra key", "passes", "places VP tile", *SEARCHES)


class Bookkeeper:
    """Francs, tokens and unused bonus tiles of all players, from the sentences of the journal alone."""

    def __init__(self, players: int, landmarks: dict[str, int]):
        self.francs = [3] * players
        self.goods = [dict.fromkeys(SELL, 0) for _ in range(players)]
        self.tiles: list[set[int]] = [set() for _ in range(players)]
        self.landmarks = landmarks
        self.fee, self.free = 0, False  # of the building moved to; whether the next tile is one that 17 or 25 brings

    def hear(self, sentence: str) -> None:
        """Enter one sentence; a sentence that is not understood is an error."""
        words = re.match(r"player (\d)(?: |: )(.*)", sentence)
        assert words, sentence
        player, deed = int(words[1]), words[2]
        for words, enter in (
            (r"puts a key on .*?(?: and takes (\d+) Francs)?$", self.put),
            (r"moves a key from (.*) to (.*)", self.move),
            (r"takes the (.*)", self.get),
            (r"pays (.*) with a token", self.give),
            (r"pays .* with (?:a bonus|an End Game) tile", lambda player: None),
            (r"sells (.*)", self.sell),
            (r"buys (.*)", self.buy),
            (r"takes bonus tile (\d+)", self.take_tile),
            (r"uses bonus tile (\d+)", self.use_tile),
            (r"([+-]\d+) Francs", self.pay),
            (r"[+-]\d+ VP", lambda player: None),
        ):
            match = re.fullmatch(words, deed)
            if match:
                enter(player, *match.groups())
                return
        assert deed.startswith(NOT_COUNTED), sentence

    def put(self, player: int, francs: str | None) -> None:
        self.pay(player, francs or "0")

    def pay(self, player: int, francs: str) -> None:
        self.francs[player] += int(francs)

    def value(self, place: str) -> int:
        last = place.split()[-1]
        return self.landmarks[place] if place in self.landmarks else int(last) if last.isdigit() else 0

    def move(self, player: int, origin: str, to: str) -> None:
        self.francs[player] -= self.value(to) - self.value(origin)
        self.fee = FEE_AT_A_3 if self.value(to) == 3 else 0

    def get(self, player: int, good: str) -> None:
        self.goods[player][good] += 1

    def give(self, player: int, good: str) -> None:
        self.goods[player][good] -= 1

    def sell(self, player: int, good: str) -> None:
        self.give(player, good)
        self.francs[player] += SELL[good]

    def buy(self, player: int, good: str) -> None:
        self.get(player, good)
        self.francs[player] -= BUY[good]

    def take_tile(self, player: int, number: str) -> None:
        self.tiles[player].add(int(number))
        self.francs[player] -= 0 if self.free else self.fee
        self.free = False

    def use_tile(self, player: int, number: str) -> None:
        self.tiles[player].remove(int(number))
        self.francs[player] -= PRICE_OF_TILE.get(int(number), 0)
        self.free = int(number) in NO_FEE

    def knows(self, seat: int) -> dict[str, Any]:
        """What the observation of a seat should hold of the others."""
        players = len(self.francs)
        rivals = [(OTHERS[k - 1], (seat + k) % players) for k in range(1, players)]
        return {
            "their_francs": {name: self.francs[p] for name, p in rivals},
            "their_goods": {f"{name}: {good}": n for name, p in rivals for good, n in self.goods[p].items()},
            "their_unused": [f"{name}: {n}" for name, p in rivals for n in sorted(self.tiles[p])],
        }


def known_holdings(batch: GameBatch, seat: int) -> dict[str, Any]:
    """The pieces of a seat's observation that show others' holdings, without the seats that nobody has taken."""
    row, absent = observation.LAYOUT.describe(batch.observe(seat)[0]), OTHERS[batch.game.spec.players - 1 :]
    pieces = {piece: row[piece] for piece in PIECES}
    for piece in PIECES[:2]:
        assert not any(n for name, n in pieces[piece].items() if name.startswith(absent))
        pieces[piece] = {k.replace("-", " "): n for k, n in pieces[piece].items() if not k.startswith(absent)}
        pieces[piece] = {re.sub("(bronze|silver)$", r"\1 prestige", k): n for k, n in pieces[piece].items()}
    return pieces


def without(batch: GameBatch, seat: int, *pieces: str) -> bytes:
    """A seat's observation with some pieces blotted out."""
    row = batch.observe(seat)[0].copy()
    for piece in pieces:
        observation.LAYOUT.part(row, piece)[:] = 0
    return row.tobytes()


def busy_action(batch: GameBatch, rng: np.random.Generator) -> int:
    """A random legal action; every other time one of trade or tiles, if there is any."""
    legal = np.flatnonzero(batch.action_mask[0])
    label = batch.game.actions.label
    busy = [a for a in legal if label(int(a)).split()[0] in ("buy", "give", "bonus", "end-tile", "key")]
    return int(rng.choice(busy if busy and rng.random() < 0.5 else legal))


def tables(seed: int, **options: str) -> dict[str, GameBatch]:
    """The same game with each memory, and with open screens."""
    kinds = {"own": {"memory": "own"}, "perfect": {"memory": "perfect"}, "open": {"screens": "open"}}
    return {name: GameBatch(game.paris(), 1, seed, options={**options, **kind}) for name, kind in kinds.items()}


@pytest.mark.many_games
@pytest.mark.parametrize("options", [{"players": "2"}, {"players": "4", **RANDOM}], ids=["two", "four"])
def test_a_perfect_memory_knows_what_public_play_tells(options):
    """P39: at every decision every seat is shown what the bookkeeper wrote; with `own`, nothing."""
    batches = tables(5, **options)
    perfect, own = batches["perfect"], batches["own"]
    rng, players = np.random.default_rng(5), int(options["players"])
    rows = perfect.components.rows("landmark")
    book = Bookkeeper(players, {row["name"]: row["value"] for row in rows})
    checked = holdings = 0
    while not perfect.states["over"][0]:
        for sentence in perfect.journal():
            book.hear(sentence)
        for seat in range(players) if JIT else (checked % players,):
            assert known_holdings(perfect, seat) == book.knows(seat)
            assert not any(observation.LAYOUT.part(own.observe(seat)[0], piece).any() for piece in PIECES)
            assert without(perfect, seat, *PIECES) == without(own, seat, *PIECES)
            assert without(perfect, seat, "variants") == without(batches["open"], seat, "variants")
        action = busy_action(perfect, rng)
        for batch in batches.values():
            batch.step([action])
        checked += 1
        holdings += any(book.tiles) and any(any(goods.values()) for goods in book.goods)
    assert checked > 150 and holdings > 50, "there is something to remember for a good while"


def test_a_perfect_memory_does_not_know_what_was_searched():
    """P38: which End Game tile another player took is shown to that player alone, until it is used."""
    for kind in ("gold", "francs"):
        batch = GameBatch(game.paris(), 1, 3, options={"memory": "perfect"})
        s = batch.record()
        s.end_left[{"gold": 2, "francs": 6}[kind]] -= 1
        s.end_kind[0], s.end_owner[0], s.end_taken = {"gold": 3, "francs": 7}[kind], 1, 1
        row = observation.LAYOUT.describe(batch.observe(0)[0])
        assert row["their_end"]["next"] == 1 and sum(row["end_since"].values()) == 12
        assert row["end_since"]["gold"] == 1 and row["end_since"]["francs"] == 3
