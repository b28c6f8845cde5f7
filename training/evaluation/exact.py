"""A game without chance and secrets, searched exactly: every position that can follow some, to the last.

Positions that several orders of moves reach are one. The value of a position is that of best play by both seats, of an
agent in both, or of a best response to an agent. The probabilities of an agent that samples its moves are taken as they
are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.agent import Agent, act_for
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game

STRETCH = 20_000  # positions that are played on at a time


@dataclass(frozen=True)
class Layer:
    """Positions after the same number of decisions, and the moves from them."""

    seat: NDArray[np.int64]  # [n]: who decides
    over: NDArray[np.bool_]  # [n]
    returns: NDArray[np.float64]  # [n, 2]: of ended games; 0 elsewhere
    parent: NDArray[np.int64]  # [m]: the position of each move, in ascending order
    child: NDArray[np.int64]  # [m]: the position in the next layer that it leads to
    policies: Sequence[NDArray[np.float64]]  # for each agent, the probability of each move, [m]


def require_solvable(game: Game) -> None:
    """Raise `RfopError` for a game with chance, secrets, or other than two seats."""
    if game.spec.chance or game.spec.hidden_information or game.spec.players != 2:
        raise RfopError(f"{game.id} has chance, secrets or not two seats: its end games cannot be solved exactly")


# -- the graph ---------------------------------------------------------------------------------------------------------


def solve(roots: GameBatch, agents: Sequence[Agent], most: int, reward: str, seed: int) -> list[Layer]:
    """All positions that can follow those of a batch, with the policies of the agents, which are asked once in each.

    The first layer has the games of the batch in their order. Raises `RfopError` for more than `most` positions.
    """
    players = [(agent, np.random.default_rng(seed)) for agent in agents]  # whatever others are asked
    layers: list[Layer] = []
    batch: GameBatch | None = roots
    total = 0
    while batch is not None:
        total += batch.num_games
        if total > most:
            raise RfopError(f"more than {most:,} positions follow: lower --left or --games, or raise --most")
        parent, action = (found.astype(np.int64) for found in batch.action_mask.nonzero())
        over: NDArray[np.bool_] = np.logical_not(batch.action_mask.any(axis=1))
        policies = [_policy_of(agent, batch, parent, action, rng) for agent, rng in players]
        returns = np.where(over[:, None], batch.returns_of(reward), 0.0).astype(np.float64)
        seat = batch.current_player.astype(np.int64)
        batch, child = _play_on(batch, parent, action)
        layers.append(Layer(seat, over, returns, parent, child, policies))
    return layers


def _policy_of(
    agent: Agent, batch: GameBatch, parent: NDArray[np.int64], action: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.float64]:
    """The probability of each move, float64 [m]; of an agent without known ones, 1 for the moves that it takes."""
    running = np.flatnonzero(batch.action_mask.any(axis=1))
    policy = np.zeros((batch.num_games, batch.game.actions.size))
    if len(running):
        known = agent.probabilities(batch.observation[running], batch.action_mask[running])
        if known is not None:
            policy[running] = known
        else:
            policy[running, act_for(agent, batch, running, rng)] = 1.0
    return policy[parent, action]


def _play_on(
    batch: GameBatch, parent: NDArray[np.int64], action: NDArray[np.int64]
) -> tuple[GameBatch | None, NDArray[np.int64]]:
    """Take every move: the different positions that follow, None without any, and which each move leads to, [m]."""
    known: dict[bytes, int] = {}
    parts = []
    child = np.zeros(len(parent), np.int64)
    for start in range(0, len(parent), STRETCH):
        moves = slice(start, start + STRETCH)
        tried = copied([(batch, parent[moves])])
        tried.step(action[moves])

        new = []
        for k, key in enumerate(_keys(tried)):
            if key not in known:
                known[key] = len(known)
                new.append(k)
            child[start + k] = known[key]
        if new:
            chosen = copied([(tried, np.array(new))])
            parts.append((chosen, np.arange(len(new))))
    return copied(parts) if parts else None, child


def copied(parts: Sequence[tuple[GameBatch, NDArray[np.intp]]]) -> GameBatch:
    """Some games of each batch, int [n], as one batch."""
    like, total = parts[0][0], sum(len(games) for _, games in parts)
    copied = GameBatch(like.game, total, 0, components=like.components)
    start = 0
    for batch, games in parts:
        copied.copy_from(batch, games, range(start, start + len(games)))
        start += len(games)
    return copied


def _keys(batch: GameBatch) -> list[bytes]:
    """What tells positions apart: all that the seats see, who decides, and what is decided."""
    views = [batch.observe(seat) for seat in range(batch.game.spec.players)]
    rows = [*views, batch.action_mask.view(np.int8), batch.current_player[:, None].astype(np.int8)]
    return [hashlib.blake2b(row.tobytes(), digest_size=16).digest() for row in np.concatenate(rows, axis=1)]


# -- values ------------------------------------------------------------------------------------------------------------


def values(
    layers: Sequence[Layer], agent: int | None = None, responder: int | None = None
) -> list[NDArray[np.float64]]:
    """The returns of both seats from the positions of each layer, float64 [n, 2].

    Both seats play best; with the number of an agent it has both seats, or all but the `responder`, who plays best.
    """
    found: list[NDArray[np.float64]] = []
    for layer in reversed(layers):
        value = layer.returns.copy()
        if len(layer.parent):
            after = found[-1][layer.child]
            policy = best_policy(layer, after)
            if agent is not None:
                policy = np.where(layer.seat[layer.parent] == responder, policy, layer.policies[agent])
            value += means_of(layer, policy, after)
        found.append(value)
    return found[::-1]


def means_of(layer: Layer, policy: NDArray[np.float64], figures: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean by a policy [m] of figures of the moves [m, k], for each position: float64 [n, k]; 0 without moves."""
    positions = len(layer.seat)
    return np.stack([np.bincount(layer.parent, policy * column, positions) for column in figures.T], axis=1)


def best_policy(layer: Layer, after: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probability 1 for a best move of every position, float64 [m]; `after`: the returns after each move, [m, 2]."""
    own = after[np.arange(len(layer.parent)), layer.seat[layer.parent]]
    order = np.lexsort((-own, layer.parent))
    _, first = np.unique(layer.parent[order], return_index=True)
    policy = np.zeros(len(layer.parent))
    policy[order[first]] = 1.0
    return policy
