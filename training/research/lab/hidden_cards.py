"""An end game with hidden cards as an explicit tree: all deals, all moves, all cards that can be drawn.

Its root is a chance node, which draws one of several deals; `RedFlagCards` says which, and where later cards are drawn.
A seat has perfect recall: its memory is its observations, its actions and the number of decisions. Best responses and
CFR+ need it.

Positions are merged that are the same for the rest of the game: the same record, the same probability of the draws, and
the same memory of both seats. First, two information sets of a seat are merged where they have the same positions, with
the same memories of the other seat. Once no card is hidden, memory is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.agent import Agent, copy_games
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError
from rfop_env.core.record import record_bytes
from training.research.lab.exact import CHANCE, Layer, join_games, move_probabilities

if TYPE_CHECKING:
    from training.research.lab.red_flag_deals import RedFlagCards

MOVE_BATCH = 2000  # moves that are taken at a time, so that their records fit into a cache
AGENT_BATCH = 1000  # positions in which an agent acts at a time
HISTORY = (
    "seed",
    "key",
    "draws",
    "episode",
    "learner",
    "decisions",
    "journal_size",
    "journal",
)  # not part of a position's identity
SEATS = 2

Digests = NDArray[np.uint64]  # hashes of 64 bits: among a million contents, two collide with probability 1 in 10**7


class NotSolved(RfopError):
    """An end game that is not solved, with the reason."""


@dataclass(frozen=True)
class Positions:
    """n positions after the same number of decisions, with the digests that identify them."""

    batch: GameBatch
    state: Digests  # [n]: of the record
    memory: Digests  # [n, 2]: of the memory of each seat
    chance: NDArray[np.float64]  # [n]: the probability of the cards drawn so far

    def of(self, indices: NDArray[np.intp]) -> Positions:
        """A selection, int [k]."""
        return Positions(
            copy_games(self.batch, indices), self.state[indices], self.memory[indices], self.chance[indices]
        )


@dataclass(frozen=True)
class ExpandedLayer:
    """A layer, with the positions whose policies and returns are computed once all layers are expanded."""

    layer: Layer  # without policies; the returns of leaves are 0
    examples: GameBatch | None  # a position of each information set; None without any
    owner: NDArray[np.int64]  # [k]: the information set of each choice
    action: NDArray[np.int64]  # [k]
    leaves: NDArray[np.intp]  # positions whose returns `RedFlagCards.values` gives
    leaf_games: GameBatch | None  # these positions


# -- growing -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Grower:
    """Expands an end game by layers, to at most `max_positions`. `reward`: the kind of returns."""

    cards: RedFlagCards
    max_positions: int
    reward: str

    def solve(self, agents: Sequence[Agent], seed: int) -> list[Layer]:
        """The layers, with the policies of agents, which act once in each information set.

        The first layer is the chance node. Raises `NotSolved`, also where all returns are the same.
        """
        expanded = self._expand_layers()
        for part in expanded:
            part.layer.returns[part.leaves] = self.cards.values(part.leaf_games) if part.leaf_games else 0.0
        layers = [part.layer for part in expanded]
        ends = np.concatenate([layer.returns[layer.over] for layer in layers])
        if (ends == ends[0]).all():
            raise NotSolved("decided: it ends in the same way however it is played")

        players = [(agent, np.random.default_rng(seed)) for agent in agents]
        policies = [[_agent_policy(agent, part, rng) for agent, rng in players] for part in expanded]
        first = _chance_node(len(layers[0].seat), len(agents))
        return [first, *(replace(layer, policies=own) for layer, own in zip(layers, policies, strict=True))]

    def _expand_layers(self) -> list[ExpandedLayer]:
        """All layers below the chance node, without policies."""
        expanded = []
        positions: Positions | None = self._root_positions()
        total = 0
        while positions is not None:
            total += len(positions.state)
            part, positions = self._expand_layer(positions, self.max_positions - total)
            expanded.append(part)
        return expanded

    def _root_positions(self) -> Positions:
        """The deals; the memory of each seat is its observation."""
        batch = self.cards.deals()
        views = [_row_digests(batch.observe(seat).view(np.uint8)) for seat in range(SEATS)]
        ones = np.ones(batch.num_games)
        return Positions(batch, self._state_digests(batch), np.stack(views, axis=1), ones)

    def _state_digests(self, batch: GameBatch) -> Digests:
        """Digests of the fields of each record that the rules read."""
        fields: Mapping[str, Any] = batch.game.state.fields or {}
        mask = np.zeros(batch.game.state.itemsize, np.bool_)
        for name in fields:
            if name not in (*HISTORY, *self.cards.unread):
                mask[fields[name][1] : fields[name][1] + fields[name][0].itemsize] = True
        return _row_digests(record_bytes(batch.states)[:, mask])

    def _expand_layer(self, positions: Positions, limit: int) -> tuple[ExpandedLayer, Positions | None]:
        """A layer of these positions, and their successors, at most `limit`; None if all have ended."""
        batch = positions.batch
        leaves, over, returns = self._find_leaves(batch)
        information, representatives = _information_sets(positions, over)

        # Choices.
        parent, action = (indices.astype(np.int64) for indices in (batch.action_mask & ~over[:, None]).nonzero())
        actions = batch.action_mask.shape[1]
        choices, choice = np.unique(information[parent] * actions + action, return_inverse=True)

        # Successors.
        move, chance, child = np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64)
        successors = None
        if len(parent):
            move, chance, child, successors = self._successors(positions, parent, action, limit)
        seat = batch.current_player.astype(np.int64)
        layer = Layer(seat, over, returns, parent[move], child, [], information, choice[move], chance)
        owner, chosen_action = np.divmod(choices, actions)
        examples = copy_games(batch, representatives) if len(representatives) else None
        leaf_games = copy_games(batch, leaves) if len(leaves) else None
        return ExpandedLayer(layer, examples, owner, chosen_action, leaves, leaf_games), successors

    def _find_leaves(self, batch: GameBatch) -> tuple[NDArray[np.intp], NDArray[np.bool_], NDArray[np.float64]]:
        """Leaves, int [s]; leaves and ended positions, bool [n]; returns, [n, 2]."""
        terminal: NDArray[np.bool_] = np.logical_not(batch.action_mask.any(axis=1))
        leaves = np.flatnonzero(self.cards.leaves(batch.states))
        over = terminal.copy()
        over[leaves] = True
        return leaves, over, np.where(terminal[:, None], batch.game_returns(self.reward), 0.0).astype(np.float64)

    def _successors(
        self, positions: Positions, parent: NDArray[np.int64], action: NDArray[np.int64], limit: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], Positions]:
        """Take all moves: move, probability and child of each outcome, and the distinct positions that they lead to.

        Raises `NotSolved` as soon as there are more than `limit`.
        """
        numbers: dict[int, int] = {}
        parts: list[Positions] = []
        outcomes = []
        for start in range(0, len(parent), MOVE_BATCH):
            part = slice(start, start + MOVE_BATCH)
            next_batch, move, chance = self._take_moves(positions.batch, parent[part], action[part])
            move = move + start
            successors = self._update_memory(positions, next_batch, parent[move], action[move], chance)

            # Add the positions that are new.
            child = np.zeros(len(move), np.int64)
            new = []
            for k, key in enumerate(_position_digests(successors).tolist()):
                if key not in numbers:
                    numbers[key] = len(numbers)
                    new.append(k)
                child[k] = numbers[key]
            if new:
                parts.append(successors.of(np.array(new)))
            outcomes.append((move, chance, child))
            if len(numbers) > limit:
                raise NotSolved(f"more than {self.max_positions:,} positions follow")

        move, chance, child = (np.concatenate(parts) for parts in zip(*outcomes, strict=True))
        merged, to = _merge(_concatenate(parts))
        return move, chance, to[child], merged

    def _take_moves(
        self, batch: GameBatch, parent: NDArray[np.int64], action: NDArray[np.int64]
    ) -> tuple[GameBatch, NDArray[np.int64], NDArray[np.float64]]:
        """The games after each move, once for each card that it can draw; the move of each, and the probability."""
        next_batch = copy_games(batch, parent)
        states = next_batch.get_state()
        next_batch.step(action)
        if (next_batch.states["draws"] != states["draws"]).any():
            raise NotSolved("a deck may be shuffled anew in it")

        chance_moves = np.flatnonzero(self.cards.card_drawn(states, next_batch.states))
        move = np.arange(len(parent))
        if not len(chance_moves):
            return next_batch, move, np.ones(len(parent))

        # One outcome for each card that can be drawn.
        which, states = self.cards.draws(states[chance_moves])
        again = copy_games(batch, parent[chance_moves[which]])
        record_bytes(again.states)[...] = record_bytes(states)
        again.step(action[chance_moves[which]])
        sure = np.setdiff1d(move, chance_moves)
        outcomes = join_games([(next_batch, sure), (again, np.arange(len(which)))])
        chance = 1.0 / np.bincount(which)[which]
        return outcomes, np.concatenate([sure, chance_moves[which]]), np.concatenate([np.ones(len(sure)), chance])

    def _update_memory(
        self, positions: Positions, next_batch: GameBatch, parent: NDArray[np.int64], action: NDArray[np.int64],
        chance: NDArray[np.float64],
    ) -> Positions:  # fmt: skip
        """Games after a move from each parent, with the memories of the seats updated."""
        state = self._state_digests(next_batch)
        memory = positions.memory[parent]
        rows = np.arange(len(parent))

        # The mover remembers its action, the next mover its observation.
        mover, next_mover = positions.batch.current_player[parent], next_batch.current_player
        memory[rows, mover] = _combine(memory[rows, mover], action)
        memory[rows, next_mover] = _combine(memory[rows, next_mover], _view_digests(next_batch))

        # Where nothing is hidden, memory is the position.
        public = self.cards.open(next_batch.states) | ~next_batch.action_mask.any(axis=1)
        memory[public] = state[public, None]
        return Positions(next_batch, state, memory, np.where(public, 1.0, positions.chance[parent] * chance))


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


def _agent_policy(agent: Agent, layer: ExpandedLayer, rng: np.random.Generator) -> NDArray[np.float64]:
    """The probability of each choice by an agent, float64 [k]."""
    policy = np.zeros(len(layer.action))
    for low in range(0, layer.examples.num_games if layer.examples else 0, AGENT_BATCH):
        assert layer.examples is not None
        batch = copy_games(layer.examples, np.arange(low, min(low + AGENT_BATCH, layer.examples.num_games)))
        choices = np.flatnonzero((layer.owner >= low) & (layer.owner < low + AGENT_BATCH))
        policy[choices] = move_probabilities(agent, batch, layer.owner[choices] - low, layer.action[choices], rng)
    return policy


# -- merging -----------------------------------------------------------------------------------------------------------


def _position_digests(positions: Positions) -> Digests:
    """A digest of everything that identifies a position: record, probability, memories."""
    return _combine(positions.state, positions.chance.view(np.uint64), *positions.memory.T)


def _concatenate(parts: Sequence[Positions]) -> Positions:
    """The positions of several parts as one, in their order."""
    if len(parts) == 1:
        return parts[0]
    batch = join_games([(part.batch, np.arange(part.batch.num_games)) for part in parts])
    return Positions(
        batch, *(np.concatenate([getattr(part, name) for part in parts]) for name in ("state", "memory", "chance"))
    )


def _merge(positions: Positions) -> tuple[Positions, NDArray[np.intp]]:
    """Merge equivalent information sets, then equal positions: the merged positions, and the index of each, int [n].

    Information sets of a seat are equivalent that have the same positions, with the same memories of the other seat.
    """
    memory = positions.memory.copy()
    for seat in range(SEATS):
        _, group = np.unique(memory[:, seat], return_inverse=True)
        digests = _combine(positions.state, positions.chance.view(np.uint64), memory[:, 1 - seat])
        total = np.zeros(group.max(initial=-1) + 1, np.uint64)
        np.add.at(total, group, digests)
        memory[:, seat] = _mix(total)[group]
    merged = replace(positions, memory=memory)
    _, first, to = np.unique(_position_digests(merged), return_index=True, return_inverse=True)
    return merged.of(first), to


def join(end_games: Sequence[Sequence[Layer]]) -> list[Layer]:
    """Several end games as one: the first layer has the chance node of each."""
    return [_join_layers(*depth) for depth in _by_depth(end_games)]


def _by_depth(end_games: Sequence[Sequence[Layer]]) -> Iterator[tuple[list[Layer], list[int]]]:
    """The layers of each depth, with the number of positions in the next layer of the same end game."""
    for depth in range(max(map(len, end_games))):
        deep = [layers for layers in end_games if depth < len(layers)]
        yield (
            [layers[depth] for layers in deep],
            [len(layers[depth + 1].seat) if depth + 1 < len(layers) else 0 for layers in deep],
        )


def _join_layers(layers: Sequence[Layer], next_sizes: Sequence[int]) -> Layer:
    """Layers as one; `next_sizes`: the number of positions in the next layer of each."""

    def numbers(name: str, sizes: Sequence[int]) -> NDArray[np.int64]:
        starts = np.cumsum([0, *sizes])
        return np.concatenate([getattr(layer, name) + start for layer, start in zip(layers, starts, strict=False)])

    seat, over, returns, chance = (
        np.concatenate([getattr(layer, name) for layer in layers]) for name in ("seat", "over", "returns", "chance")
    )
    parent = numbers("parent", [len(layer.seat) for layer in layers])
    information = numbers("information", [layer.sets for layer in layers])
    choice = numbers("choice", [len(layer.owner) for layer in layers])
    policies = [np.concatenate(parts) for parts in zip(*(layer.policies for layer in layers), strict=True)]
    return Layer(seat, over, returns, parent, numbers("child", next_sizes), policies, information, choice, chance)


# -- digests -----------------------------------------------------------------------------------------------------------


def _mix(x: Digests) -> Digests:
    """Digests of numbers, by the final mix of SplitMix64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _combine(first: Digests, *columns: NDArray[Any]) -> Digests:
    """Combine digests with further columns of numbers; the order matters."""
    total = _mix(first)
    for column in columns:
        total = _mix(total * np.uint64(3) + column.astype(np.uint64))
    return total


def _row_digests(rows: NDArray[np.uint8]) -> Digests:
    """A digest of each row of uint8 [n, b]."""
    words = np.zeros((len(rows), -(-rows.shape[1] // 8)), np.uint64)
    words.view(np.uint8)[:, : rows.shape[1]] = rows
    places = np.arange(1, words.shape[1] + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return _mix(words + places).sum(axis=1, dtype=np.uint64)


def _view_digests(batch: GameBatch) -> Digests:
    """Digests of the observation and action mask of the acting seat of each game."""
    return _row_digests(np.concatenate([batch.observation.view(np.uint8), batch.action_mask.view(np.uint8)], axis=1))
