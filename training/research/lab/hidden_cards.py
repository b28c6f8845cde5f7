"""An end game with hidden cards, grown to the last position: all deals, all moves, all cards that can be drawn.

It begins with a chance node, which draws one of several deals; `Cards` says which, and where later cards are drawn.
What a seat knows is what it saw whenever it was asked, what it did then, and how many decisions there have been. So it
remembers everything, as best responses and CFR+ need it.

Positions are merged that differ in nothing that matters: the same record, the same probability of the draws, and the
same knowledge of both seats. Before that, a seat forgets by which of its own ways it came to an information set, where
two sets have the same positions and the other seat cannot tell them apart either: from there on the game is the same,
and each position equally probable. Once no card is hidden, the way there is forgotten altogether.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rfop_env.agent import Agent
from rfop_env.core.batch import GameBatch
from rfop_env.core.batch_arrays import record_bytes
from rfop_env.core.errors import RfopError
from training.research.lab.exact import CHANCE, Layer, copied, move_probabilities

STRETCH = 2000  # moves that are taken at a time: their records fit into memory that is used again and again
ASKED = 1000  # positions in which an agent is asked at a time
HISTORY = ("seed", "key", "draws", "episode", "learner", "decisions", "journal_size", "journal")  # no position is told
SEATS = 2

Digests = NDArray[np.uint64]  # numbers that stand for longer contents; those of a million differ but for 1 in 10**7


class PassedOver(RfopError):
    """An end game that is not solved, for a reason that its place in a game gives."""


class Cards(Protocol):
    """The hidden cards of an end game."""

    unread: Sequence[str]  # fields of the record that nothing depends on, besides those of HISTORY

    def deals(self) -> GameBatch:
        """All ways in which the hidden cards can lie, equally probable."""

    def card_drawn(self, state: Any, next_state: Any) -> NDArray[np.bool_]:
        """In which steps, from records [m] to records [m], chance has drawn a card: bool [m]."""

    def draws(self, state: Any) -> tuple[NDArray[np.intp], Any]:
        """Records [r] in which each card is the next in turn, and the number of the record [m] that each stands for."""

    def open(self, states: Any) -> NDArray[np.bool_]:
        """In which records [n] nothing is hidden any more that matters: bool [n]."""

    def settled(self, states: Any) -> NDArray[np.bool_]:
        """In which records [n] the game is not played on, since `values` knows how it ends: bool [n]."""

    def values(self, batch: GameBatch) -> NDArray[np.float64]:
        """The returns of both seats in such games, float64 [n, 2]. Raises `PassedOver`."""


@dataclass(frozen=True)
class Positions:
    """Positions after the same number of decisions, and what tells them apart: n of them."""

    batch: GameBatch
    state: Digests  # [n]: of all that a record holds
    memory: Digests  # [n, 2]: of all that each seat knows
    chance: NDArray[np.float64]  # [n]: the probability of the cards drawn on the way there

    def of(self, indices: NDArray[np.intp]) -> Positions:
        """Some of them, int [k]."""
        return Positions(
            copied([(self.batch, indices)]), self.state[indices], self.memory[indices], self.chance[indices]
        )


@dataclass(frozen=True)
class Grown:
    """A layer, and the positions in it that are needed once all layers are known."""

    layer: Layer  # without policies; the returns of settled positions are 0
    asked: GameBatch | None  # a position of each information set; None without any
    owner: NDArray[np.int64]  # [k]: the information set of each choice
    action: NDArray[np.int64]  # [k]
    settled: NDArray[np.intp]  # positions whose end `Cards.values` knows
    last: GameBatch | None  # these positions


# -- digests -----------------------------------------------------------------------------------------------------------


def _scrambled(x: Digests) -> Digests:
    """Digests of numbers, by the last steps of SplitMix64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _together(first: Digests, *columns: NDArray[Any]) -> Digests:
    """Digests of several numbers each, in their order."""
    total = _scrambled(first)
    for column in columns:
        total = _scrambled(total * np.uint64(3) + column.astype(np.uint64))
    return total


def _digests(rows: NDArray[np.uint8]) -> Digests:
    """A digest of each row of uint8 [n, b]."""
    words = np.zeros((len(rows), -(-rows.shape[1] // 8)), np.uint64)
    words.view(np.uint8)[:, : rows.shape[1]] = rows
    places = np.arange(1, words.shape[1] + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return _scrambled(words + places).sum(axis=1, dtype=np.uint64)


def _view_digests(batch: GameBatch) -> Digests:
    """What the seat that decides is shown in each game."""
    return _digests(np.concatenate([batch.observation.view(np.uint8), batch.action_mask.view(np.uint8)], axis=1))


# -- growing -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Grower:
    """Grows an end game, layer by layer. `most`: positions; more raise `PassedOver`. `reward`: the kind of returns."""

    cards: Cards
    most: int
    reward: str

    def solve(self, agents: Sequence[Agent], seed: int) -> list[Layer]:
        """The layers, with the policies of agents, which are asked once in each information set.

        The first layer is the chance node. Raises `PassedOver`, also where all ways lead to the same end.
        """
        grown = self._grown()
        for part in grown:
            part.layer.returns[part.settled] = self.cards.values(part.last) if part.last else 0.0
        layers = [part.layer for part in grown]
        ends = np.concatenate([layer.returns[layer.over] for layer in layers])
        if (ends == ends[0]).all():
            raise PassedOver("decided: it ends in the same way however it is played")

        players = [(agent, np.random.default_rng(seed)) for agent in agents]
        policies = [[_asked(agent, part, rng) for agent, rng in players] for part in grown]
        first = _chance_node(len(layers[0].seat), len(agents))
        return [first, *(replace(layer, policies=own) for layer, own in zip(layers, policies, strict=True))]

    def _grown(self) -> list[Grown]:
        """The layers from the deals on."""
        grown = []
        positions: Positions | None = self._begin()
        total = 0
        while positions is not None:
            total += len(positions.state)
            part, positions = self._layer(positions, self.most - total)
            grown.append(part)
        return grown

    def _begin(self) -> Positions:
        """The deals; each seat knows what it sees."""
        batch = self.cards.deals()
        views = [_digests(batch.observe(seat).view(np.uint8)) for seat in range(SEATS)]
        ones = np.ones(batch.num_games)
        return Positions(batch, self._states(batch), np.stack(views, axis=1), ones)

    def _states(self, batch: GameBatch) -> Digests:
        """Digests of all that the rules read of each record."""
        fields: Mapping[str, Any] = batch.game.state.fields or {}
        mask = np.zeros(batch.game.state.itemsize, np.bool_)
        for name in fields:
            if name not in (*HISTORY, *self.cards.unread):
                mask[fields[name][1] : fields[name][1] + fields[name][0].itemsize] = True
        return _digests(record_bytes(batch.states)[:, mask])

    def _layer(self, positions: Positions, limit: int) -> tuple[Grown, Positions | None]:
        """A layer of these positions, and those that follow, at most so many; None if all have ended."""
        batch = positions.batch
        settled, over, returns = self._ends(batch)
        information, representatives = _information_sets(positions, over)

        # Choices.
        parent, action = (indices.astype(np.int64) for indices in (batch.action_mask & ~over[:, None]).nonzero())
        actions = batch.action_mask.shape[1]
        choices, choice = np.unique(information[parent] * actions + action, return_inverse=True)

        # What follows.
        move, chance, child = np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64)
        following = None
        if len(parent):
            move, chance, child, following = self._following(positions, parent, action, limit)
        seat = batch.current_player.astype(np.int64)
        layer = Layer(seat, over, returns, parent[move], child, [], information, choice[move], chance)
        owner, chosen_action = np.divmod(choices, actions)
        examples, last = (copied([(batch, games)]) if len(games) else None for games in (representatives, settled))
        return Grown(layer, examples, owner, chosen_action, settled, last), following

    def _ends(self, batch: GameBatch) -> tuple[NDArray[np.intp], NDArray[np.bool_], NDArray[np.float64]]:
        """Positions whose end `Cards.values` knows, int [s]; all without moves, bool [n]; returns, [n, 2]."""
        terminal: NDArray[np.bool_] = np.logical_not(batch.action_mask.any(axis=1))
        settled = np.flatnonzero(self.cards.settled(batch.states))
        over = terminal.copy()
        over[settled] = True
        return settled, over, np.where(terminal[:, None], batch.returns_of(self.reward), 0.0).astype(np.float64)

    def _following(
        self, positions: Positions, parent: NDArray[np.int64], action: NDArray[np.int64], limit: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], Positions]:
        """Take all moves: number, probability and child of each outcome, and the different positions that follow.

        Raises `PassedOver` as soon as there are more than `limit`.
        """
        numbers: dict[int, int] = {}
        parts: list[Positions] = []
        outcomes = []
        for start in range(0, len(parent), STRETCH):
            part = slice(start, start + STRETCH)
            tried, move, chance = self._tried(positions.batch, parent[part], action[part])
            move = move + start
            successors = self._remembered(positions, tried, parent[move], action[move], chance)

            # Keep what has not come before.
            child = np.zeros(len(move), np.int64)
            new = []
            for k, key in enumerate(_keys(successors).tolist()):
                if key not in numbers:
                    numbers[key] = len(numbers)
                    new.append(k)
                child[k] = numbers[key]
            if new:
                parts.append(successors.of(np.array(new)))
            outcomes.append((move, chance, child))
            if len(numbers) > limit:
                raise PassedOver(f"more than {self.most:,} positions follow")

        move, chance, child = (np.concatenate(parts) for parts in zip(*outcomes, strict=True))
        merged, to = _forgotten(_joined(parts))
        return move, chance, to[child], merged

    def _tried(
        self, batch: GameBatch, parent: NDArray[np.int64], action: NDArray[np.int64]
    ) -> tuple[GameBatch, NDArray[np.int64], NDArray[np.float64]]:
        """The games after each move, once for each card that it can draw; the move of each, and the probability."""
        tried = copied([(batch, parent)])
        states = tried.get_state()
        tried.step(action)
        if (tried.states["draws"] != states["draws"]).any():
            raise PassedOver("a deck may be shuffled anew in it")

        chance_moves = np.flatnonzero(self.cards.card_drawn(states, tried.states))
        move = np.arange(len(parent))
        if not len(chance_moves):
            return tried, move, np.ones(len(parent))

        # The cards that could have been drawn instead.
        which, states = self.cards.draws(states[chance_moves])
        again = copied([(batch, parent[chance_moves[which]])])
        record_bytes(again.states)[...] = record_bytes(states)
        again.step(action[chance_moves[which]])
        sure = np.setdiff1d(move, chance_moves)
        together = copied([(tried, sure), (again, np.arange(len(which)))])
        chance = 1.0 / np.bincount(which)[which]
        return together, np.concatenate([sure, chance_moves[which]]), np.concatenate([np.ones(len(sure)), chance])

    def _remembered(
        self, positions: Positions, tried: GameBatch, parent: NDArray[np.int64], action: NDArray[np.int64],
        chance: NDArray[np.float64],
    ) -> Positions:  # fmt: skip
        """Games after a move from each parent, with what the seats know then."""
        state = self._states(tried)
        memory = positions.memory[parent]
        rows = np.arange(len(parent))

        # Who has moved knows it; who is asked sees the position.
        mover, next_mover = positions.batch.current_player[parent], tried.current_player
        memory[rows, mover] = _together(memory[rows, mover], action)
        memory[rows, next_mover] = _together(memory[rows, next_mover], _view_digests(tried))

        # Nothing is hidden: the position says it all.
        public = self.cards.open(tried.states) | ~tried.action_mask.any(axis=1)
        memory[public] = state[public, None]
        return Positions(tried, state, memory, np.where(public, 1.0, positions.chance[parent] * chance))


def _information_sets(positions: Positions, over: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """The information set of each position, int64 [n], and a position of each set; ended games share the last one."""
    running = np.flatnonzero(~over)
    knowledge = positions.memory[running, positions.batch.current_player[running]]
    _, first, number = np.unique(knowledge, return_index=True, return_inverse=True)
    information = np.full(len(over), len(first))
    information[running] = number
    return information, running[first]


def _chance_node(deals: int, agents: int) -> Layer:
    """The layer of the chance node, from which each deal is equally probable."""
    zero, zeros = np.zeros(1, np.int64), np.zeros(deals, np.int64)
    sure = [np.ones(1) for _ in range(agents)]
    return Layer(
        zero + CHANCE, zero > 0, np.zeros((1, 2)), zeros, np.arange(deals), sure, zero, zeros, np.full(deals, 1 / deals)
    )


def _asked(agent: Agent, grown: Grown, rng: np.random.Generator) -> NDArray[np.float64]:
    """The probability of each choice, float64 [k]."""
    policy = np.zeros(len(grown.action))
    for low in range(0, grown.asked.num_games if grown.asked else 0, ASKED):
        assert grown.asked is not None
        batch = copied([(grown.asked, np.arange(low, min(low + ASKED, grown.asked.num_games)))])
        choices = np.flatnonzero((grown.owner >= low) & (grown.owner < low + ASKED))
        policy[choices] = move_probabilities(agent, batch, grown.owner[choices] - low, grown.action[choices], rng)
    return policy


# -- merging -----------------------------------------------------------------------------------------------------------


def _keys(positions: Positions) -> Digests:
    """What tells positions apart."""
    return _together(positions.state, positions.chance.view(np.uint64), *positions.memory.T)


def _joined(parts: Sequence[Positions]) -> Positions:
    """Positions one after the other."""
    if len(parts) == 1:
        return parts[0]
    batch = copied([(part.batch, np.arange(part.batch.num_games)) for part in parts])
    return Positions(
        batch, *(np.concatenate([getattr(part, name) for part in parts]) for name in ("state", "memory", "chance"))
    )


def _forgotten(positions: Positions) -> tuple[Positions, NDArray[np.intp]]:
    """The positions once the seats have forgotten what does not matter, and which of them each has become, int [n].

    Information sets of a seat with the same positions, to the knowledge of the other seat, become one.
    """
    memory = positions.memory.copy()
    for seat in range(SEATS):
        _, group = np.unique(memory[:, seat], return_inverse=True)
        digests = _together(positions.state, positions.chance.view(np.uint64), memory[:, 1 - seat])
        total = np.zeros(group.max(initial=-1) + 1, np.uint64)
        np.add.at(total, group, digests)
        memory[:, seat] = _scrambled(total)[group]
    merged = replace(positions, memory=memory)
    _, first, to = np.unique(_keys(merged), return_index=True, return_inverse=True)
    return merged.of(first), to


def joined(end_games: Sequence[Sequence[Layer]]) -> list[Layer]:
    """Several end games as one: the first layer has the chance node of each."""
    return [_side_by_side(*depth) for depth in _by_depth(end_games)]


def _by_depth(end_games: Sequence[Sequence[Layer]]) -> Iterator[tuple[list[Layer], list[int]]]:
    """The layers of the same number, with the number of positions in the next one; of end games that go so far."""
    for depth in range(max(map(len, end_games))):
        there = [layers for layers in end_games if depth < len(layers)]
        yield (
            [layers[depth] for layers in there],
            [len(layers[depth + 1].seat) if depth + 1 < len(layers) else 0 for layers in there],
        )


def _side_by_side(layers: Sequence[Layer], following: Sequence[int]) -> Layer:
    """Layers as one; `following`: the positions after each."""

    def numbers(name: str, sizes: Sequence[int]) -> NDArray[np.int64]:
        starts = np.cumsum([0, *sizes])
        return np.concatenate([getattr(layer, name) + start for layer, start in zip(layers, starts, strict=False)])

    seat, over, returns, chance = (
        np.concatenate([getattr(layer, name) for layer in layers]) for name in ("seat", "over", "returns", "chance")
    )
    parent = numbers("parent", [len(layer.seat) for layer in layers])
    information = numbers("information", [layer.sets for layer in layers])
    choice = numbers("choice", [len(layer.owner) for layer in layers])
    policies = [np.concatenate(own) for own in zip(*(layer.policies for layer in layers), strict=True)]
    return Layer(seat, over, returns, parent, numbers("child", following), policies, information, choice, chance)
