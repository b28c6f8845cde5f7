"""An end game as layers of positions, one for each number of decisions, and exact values in it.

An end game without chance and secrets is grown here: every position that can follow some, to the last. Positions that
several orders of moves reach are one. `hidden_cards` grows those with hidden cards. What a seat cannot tell apart is an
information set, in which it has one policy; without secrets each position is one by itself.

The value of a position is that of best play by both seats, of an agent in both, or of a best response to an agent. The
probabilities of an agent that samples its moves are taken as they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rfop_env.agent import Agent, act_for, copy_games
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError

STRETCH = 20_000  # positions that are played on at a time
Arrays = list[NDArray[np.float64]]  # one for each layer
CHANCE = -1  # the seat of a position where chance decides, which has one choice


@dataclass(frozen=True)
class Layer:
    """Positions after the same number of decisions, and the moves from them.

    A choice is an action of an information set. It has a move from each position of the set, or several where chance
    decides between them.
    """

    seat: NDArray[np.int64]  # [n]: who decides, or CHANCE
    over: NDArray[np.bool_]  # [n]
    returns: NDArray[np.float64]  # [n, 2]: of ended games; 0 elsewhere
    parent: NDArray[np.int64]  # [m]: the position of each move
    child: NDArray[np.int64]  # [m]: the position in the next layer that it leads to
    policies: Sequence[NDArray[np.float64]]  # for each agent, the probability of each choice, [k]
    information: NDArray[np.int64]  # [n]: the information set of each position, from 0
    choice: NDArray[np.int64]  # [m]: the choice that each move belongs to, from 0; those of a set are neighbours
    chance: NDArray[np.float64]  # [m]: the probability of the move once its choice is made

    @cached_property
    def owner(self) -> NDArray[np.int64]:
        """The information set of each choice, int64 [k]."""
        owner = np.zeros(self.choice.max(initial=-1) + 1, np.int64)
        owner[self.choice] = self.information[self.parent]
        return owner

    @cached_property
    def sets(self) -> int:
        """The number of information sets."""
        return int(self.information.max(initial=-1)) + 1

    @cached_property
    def decider(self) -> NDArray[np.int64]:
        """Who decides in the information set of each choice, int64 [k]."""
        decider = np.zeros(self.sets, np.int64)
        decider[self.information] = self.seat
        return decider[self.owner]


def open_layer(
    seat: NDArray[np.int64], over: NDArray[np.bool_], returns: NDArray[np.float64], parent: NDArray[np.int64],
    child: NDArray[np.int64], policies: Sequence[NDArray[np.float64]],
) -> Layer:  # fmt: skip
    """A layer of a game without chance and secrets: every position is an information set, every move a choice."""
    information, choice = np.arange(len(seat)), np.arange(len(parent))
    return Layer(seat, over, returns, parent, child, policies, information, choice, np.ones(len(parent)))


# -- the graph ---------------------------------------------------------------------------------------------------------


def solve(roots: GameBatch, agents: Sequence[Agent], limit: int, reward: str, seed: int) -> list[Layer]:
    """All positions that can follow those of a batch, with the policies of the agents.

    An agent is asked once in each position to which play can come with it in the seat that decides, whatever the other
    seat does; elsewhere its policy is 0. The first layer has the games of the batch in their order. Raises `RfopError`
    for more than `limit` positions.
    """
    players = [(agent, np.random.default_rng(seed)) for agent in agents]  # whatever others are asked
    reachable = [
        np.ones((2, roots.num_games), np.bool_) for _ in agents
    ]  # to each position, with the agent in each seat
    layers: list[Layer] = []
    batch: GameBatch | None = roots
    total = 0
    while batch is not None:
        total += batch.num_games
        if total > limit:
            raise RfopError(f"more than {limit:,} positions follow: lower --left or --games, or raise --most")
        parent, action = (indices.astype(np.int64) for indices in batch.action_mask.nonzero())
        over: NDArray[np.bool_] = np.logical_not(batch.action_mask.any(axis=1))
        seat = batch.current_player.astype(np.int64)
        policies = [
            move_probabilities(agent, batch, parent, action, rng, reached[seat, np.arange(batch.num_games)])
            for (agent, rng), reached in zip(players, reachable, strict=True)
        ]
        returns = np.where(over[:, None], batch.game_returns(reward), 0.0).astype(np.float64)
        batch, child = _expand(batch, parent, action)
        layers.append(open_layer(seat, over, returns, parent, child, policies))
        if batch is not None:
            reachable = [
                _reachable_children(layers[-1], policy, reached, batch.num_games)
                for policy, reached in zip(policies, reachable, strict=True)
            ]
    return layers


def _reachable_children(
    layer: Layer, policy: NDArray[np.float64], reachable: NDArray[np.bool_], next_size: int
) -> NDArray[np.bool_]:
    """The positions of the next layer that play can reach, bool [2, next_size]: with an agent in each seat.

    `policy`: of the agent, [m]. `reachable`: the same of the positions of the layer, bool [2, n].
    """
    children = np.zeros((2, next_size), np.bool_)
    for seat in range(2):
        moved = reachable[seat][layer.parent] & ((layer.seat[layer.parent] != seat) | (policy > 0))
        children[seat, layer.child[moved]] = True
    return children


def move_probabilities(
    agent: Agent, batch: GameBatch, parent: NDArray[np.int64], action: NDArray[np.int64], rng: np.random.Generator,
    mask: NDArray[np.bool_] | bool = True,
) -> NDArray[np.float64]:  # fmt: skip
    """The probability of each move, float64 [m]; of an agent without known ones, 1 for the moves that it takes.

    `mask`: where it is asked, bool [n]; elsewhere its moves have probability 0.
    """
    running = np.flatnonzero(batch.action_mask.any(axis=1) & mask)
    policy = np.zeros((batch.num_games, batch.game.actions.size))
    if len(running):
        probabilities = agent.probabilities(batch.observation[running], batch.action_mask[running])
        if probabilities is not None:
            policy[running] = probabilities
        else:
            policy[running, act_for(agent, batch, running, rng)] = 1.0
    return policy[parent, action]


def _expand(
    batch: GameBatch, parent: NDArray[np.int64], action: NDArray[np.int64]
) -> tuple[GameBatch | None, NDArray[np.int64]]:
    """Take every move: the different positions that follow, None without any, and which each move leads to, [m]."""
    children: dict[bytes, int] = {}
    parts = []
    child = np.zeros(len(parent), np.int64)
    for start in range(0, len(parent), STRETCH):
        moves = slice(start, start + STRETCH)
        next_batch = copy_games(batch, parent[moves])
        next_batch.step(action[moves])

        new = []
        for k, key in enumerate(_position_keys(next_batch)):
            if key not in children:
                children[key] = len(children)
                new.append(k)
            child[start + k] = children[key]
        if new:
            distinct = copy_games(next_batch, np.array(new))
            parts.append((distinct, np.arange(len(new))))
    return join_games(parts) if parts else None, child


def join_games(parts: Sequence[tuple[GameBatch, NDArray[np.intp]]]) -> GameBatch:
    """Some games of each batch, int [n], as one batch."""
    like, total = parts[0][0], sum(len(games) for _, games in parts)
    target = GameBatch(like.game, total, 0, components=like.components)
    start = 0
    for batch, games in parts:
        target.copy_from(batch, games, range(start, start + len(games)))
        start += len(games)
    return target


def first_of_each(batch: GameBatch, games: NDArray[np.intp]) -> NDArray[np.intp]:
    """Those of some games, int [n], that are the first in their position."""
    keys = _position_keys(batch)
    return np.array(sorted({keys[k]: k for k in games[::-1]}.values()), np.intp)


def _position_keys(batch: GameBatch) -> list[bytes]:
    """Keys of positions: the observations of both seats, the acting seat, and its action mask."""
    views = [batch.observe(seat) for seat in range(batch.game.spec.players)]
    rows = [*views, batch.action_mask.view(np.int8), batch.current_player[:, None].astype(np.int8)]
    return [hashlib.blake2b(row.tobytes(), digest_size=16).digest() for row in np.concatenate(rows, axis=1)]


# -- values ------------------------------------------------------------------------------------------------------------


def values(
    layers: Sequence[Layer], agent: int | None = None, responder: int | None = None
) -> list[NDArray[np.float64]]:
    """The returns of both seats from the positions of each layer, float64 [n, 2].

    Both seats play best, which needs a game without secrets; with the number of an agent it has both seats, or all but
    the `responder`, who plays best.
    """
    beliefs = None if responder is None or agent is None else _beliefs(layers, agent, responder)
    layer_values: list[NDArray[np.float64]] = []
    for depth, layer in reversed([*enumerate(layers)]):
        value = layer.returns.copy()
        if len(layer.parent):
            child_values = layer_values[-1][layer.child]
            if agent is None:
                policy = best_policy(layer, child_values)
            elif beliefs is None:
                policy = layer.policies[agent]
            else:
                own = layer.decider == responder
                policy = np.where(own, best_policy(layer, child_values, beliefs[depth]), layer.policies[agent])
            value += policy_means(layer, policy, child_values)
        layer_values.append(value)
    return layer_values[::-1]


def policy_means(layer: Layer, policy: NDArray[np.float64], figures: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean by a policy [k] of figures of the moves [m, f], for each position: float64 [n, f]; 0 without moves."""
    positions = len(layer.seat)
    weights = policy[layer.choice] * layer.chance
    return np.stack([np.bincount(layer.parent, weights * column, positions) for column in figures.T], axis=1)


def best_policy(
    layer: Layer, child_values: NDArray[np.float64], belief: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Probability 1 for a best choice of every information set, float64 [k].

    `child_values`: the returns after each move, [m, 2]. `belief`: the probability of each position in its set, [n];
    None: sets have one position each.
    """
    own = child_values[np.arange(len(layer.parent)), layer.seat[layer.parent]] * layer.chance
    if belief is not None:
        own = own * belief[layer.parent]
    worth = np.bincount(layer.choice, own, len(layer.owner))
    order = np.lexsort((-worth, layer.owner))
    _, first = np.unique(layer.owner[order], return_index=True)
    policy = np.zeros(len(layer.owner))
    policy[order[first]] = 1.0
    return policy


def reach_probabilities(
    layers: Sequence[Layer], policies: Sequence[NDArray[np.float64]], seats: Sequence[int]
) -> Arrays:
    """How much the choices of some seats, CHANCE among them, lead to each position: [n] for each layer.

    It is summed over the ways there; `policies` are probabilities of choices, [k] for each layer.
    """
    reach: Arrays = [np.ones(len(layers[0].seat))]
    for layer, next_layer, policy in zip(layers, layers[1:], policies, strict=False):
        weights = np.where(np.isin(layer.seat[layer.parent], seats), policy[layer.choice], 1.0)
        if CHANCE in seats:
            weights = weights * layer.chance
        reach.append(
            np.bincount(layer.child, reach[-1][layer.parent] * weights, len(next_layer.seat)).astype(np.float64)
        )
    return reach


def _beliefs(layers: Sequence[Layer], agent: int, responder: int) -> Arrays:
    """How probable each position of an information set is to the responder to an agent, [n] for each layer.

    In a set that the agent never leads to, all are equally probable.
    """
    beliefs = []
    reaches = reach_probabilities(layers, [layer.policies[agent] for layer in layers], [1 - responder, CHANCE])
    for layer, reach in zip(layers, reaches, strict=True):
        total, size = (np.bincount(layer.information, w, layer.sets)[layer.information] for w in (reach, reach >= 0))
        beliefs.append(np.where(total > 0, reach / np.where(total > 0, total, 1.0), 1.0 / size))
    return beliefs
