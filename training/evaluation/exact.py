"""End games of a game without chance and secrets, solved exactly: every position that can follow, to the last.

Positions that several orders of moves reach are one. The value of a position is that of best play by both seats, and an
agent is measured against it: how often its move is among the best, what its moves lose, and what best responses win
from it. Nothing is estimated but for which positions are taken.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.agent import Agent, act_for
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_env.core.legal_actions import NO_ACTION
from training.common.records import add_records
from training.evaluation.games import FIRST_DEAL, opening_of
from training.evaluation.statistics import half_width

CLOSE = 1e-6  # two values closer than this are equal
STRETCH = 20_000  # positions that are played on at a time
NONE = -1  # the move of a position without one


@dataclass(frozen=True)
class Layer:
    """Positions after the same number of decisions, and the moves from them."""

    seat: NDArray[np.int64]  # [n]: who decides
    over: NDArray[np.bool_]  # [n]
    returns: NDArray[np.float64]  # [n, 2]: of ended games; 0 elsewhere
    parent: NDArray[np.int64]  # [m]: the position of each move, in ascending order
    child: NDArray[np.int64]  # [m]: the position in the next layer that it leads to
    moves: Sequence[NDArray[np.int64]]  # for each agent, the number of its move in every position, [n], or NONE


@dataclass(frozen=True)
class Finding:
    """What was found out about an agent: means over positions, each with half its 95 % interval."""

    agent: str
    positions: int
    best: float  # the share of its moves that are among the best
    best_within: float
    loss: float  # what its move loses against best play after it, in units of the reward
    loss_within: float
    exploitability: float  # what best responses in both seats win from it, together (NashConv)
    exploitability_within: float


@dataclass(frozen=True)
class FindingRow(Finding):
    """A finding with everything needed to find it again."""

    env: str
    components: str  # digest of the set
    origin: str  # whose games the positions are from
    left: int  # decisions before the end of the longest game
    games: int
    reward: str
    seed: int
    git: str


def write_findings(rows: Sequence[FindingRow], path: Path) -> None:
    """Add findings to a CSV file, as `add_records`. They replace those of the same agents in the same positions."""
    add_records(path, rows, FindingRow, _subject)


def _subject(row: FindingRow) -> tuple[object, ...]:
    return row.agent, row.env, row.components, row.origin, row.left, row.games, row.reward, row.seed


# -- the positions -----------------------------------------------------------------------------------------------------


def require_solvable(game: Game) -> None:
    """Raise `RfopError` for a game with chance, secrets, or other than two seats."""
    if game.spec.chance or game.spec.hidden_information or game.spec.players != 2:
        raise RfopError(f"{game.id} has chance, secrets or not two seats: its end games cannot be solved exactly")


def late_positions(
    game: Game, components: Any, agent: Agent, decisions: int, games: int, seed: int
) -> GameBatch | None:
    """Games of an agent against itself, after so many decisions of the two seats; None if all have ended before.

    They start with random decisions, as in an evaluation. Games that ended before are left out.
    """
    batch = GameBatch(game, games, FIRST_DEAL, components=components)
    batch.step_random(max(1, opening_of(game)))
    rng = np.random.default_rng(seed)
    for _ in range(decisions - max(1, opening_of(game))):
        running = np.flatnonzero(batch.action_mask.any(axis=1))
        actions = np.full(games, NO_ACTION, np.int64)
        if len(running):
            actions[running] = act_for(agent, batch, running, rng)
        batch.step(actions)
    running = np.flatnonzero(batch.action_mask.any(axis=1))
    return _copied([(batch, running)]) if len(running) else None


def _copied(parts: Sequence[tuple[GameBatch, NDArray[np.intp]]]) -> GameBatch:
    """Some games of each batch, int [n], as one batch."""
    like, total = parts[0][0], sum(len(games) for _, games in parts)
    copied = GameBatch(like.game, total, 0, components=like.components)
    start = 0
    for batch, games in parts:
        copied.copy_from(batch, games, range(start, start + len(games)))
        start += len(games)
    return copied


# -- the graph ---------------------------------------------------------------------------------------------------------


def solve(roots: GameBatch, agents: Sequence[Agent], most: int, reward: str, seed: int) -> list[Layer]:
    """All positions that can follow those of a batch, with the moves of the agents, which play them once each.

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
        moves = [_moves_of(agent, batch, parent, action, rng) for agent, rng in players]
        returns = np.where(over[:, None], batch.returns_of(reward), 0.0).astype(np.float64)
        seat = batch.current_player.astype(np.int64)
        batch, child = _play_on(batch, parent, action)
        layers.append(Layer(seat, over, returns, parent, child, moves))
    return layers


def _moves_of(
    agent: Agent, batch: GameBatch, parent: NDArray[np.int64], action: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """The number of the agent's move in every position [n], among moves in ascending order, or NONE."""
    moves = np.full(batch.num_games, NONE, np.int64)
    running = np.flatnonzero(batch.action_mask.any(axis=1))
    if len(running):
        actions = act_for(agent, batch, running, rng)
        width = batch.game.actions.size
        moves[running] = np.searchsorted(parent * width + action, running * width + actions)
    return moves


def _play_on(
    batch: GameBatch, parent: NDArray[np.int64], action: NDArray[np.int64]
) -> tuple[GameBatch | None, NDArray[np.int64]]:
    """Take every move: the different positions that follow, None without any, and which each move leads to, [m]."""
    known: dict[bytes, int] = {}
    parts = []
    child = np.zeros(len(parent), np.int64)
    for start in range(0, len(parent), STRETCH):
        moves = slice(start, start + STRETCH)
        tried = _copied([(batch, parent[moves])])
        tried.step(action[moves])

        new = []
        for k, key in enumerate(_keys(tried)):
            if key not in known:
                known[key] = len(known)
                new.append(k)
            child[start + k] = known[key]
        if new:
            chosen = _copied([(tried, np.array(new))])
            parts.append((chosen, np.arange(len(new))))
    return _copied(parts) if parts else None, child


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
            chosen = best_moves(layer, after)
            if agent is not None:
                chosen = np.where(layer.seat == responder, chosen, layer.moves[agent])
            running = ~layer.over
            value[running] = after[chosen[running]]
        found.append(value)
    return found[::-1]


def best_moves(layer: Layer, after: NDArray[np.float64]) -> NDArray[np.int64]:
    """The number of a best move of every position, int64 [n]; `after`: the returns after each move, [m, 2]."""
    own = after[np.arange(len(layer.parent)), layer.seat[layer.parent]]
    order = np.lexsort((-own, layer.parent))
    running, first = np.unique(layer.parent[order], return_index=True)
    chosen = np.full(len(layer.seat), NONE, np.int64)
    chosen[running] = order[first]
    return chosen


def findings(layers: Sequence[Layer], names: Sequence[str]) -> list[Finding]:
    """What the layers tell about each of their agents, in the positions of the first one."""
    first, best = layers[0], values(layers)
    rows = np.arange(len(first.seat))
    found = []
    for number, name in enumerate(names):
        after = best[1][first.child[first.moves[number]]]
        loss = (best[0] - after)[rows, first.seat]
        own = values(layers, number)[0]
        response = np.stack([values(layers, number, seat)[0][:, seat] for seat in range(2)], axis=1)
        won = (response - own).sum(axis=1)
        means = [_mean(figures) for figures in ((loss < CLOSE).astype(float), loss, won)]
        found.append(Finding(name, len(rows), *(number for mean in means for number in mean)))
    return found


def _mean(figures: NDArray[np.float64]) -> tuple[float, float]:
    return float(figures.mean()), half_width(figures)


def findings_table(rows: Sequence[Finding]) -> str:
    """A Markdown table of findings."""
    lines = ["| agent | positions | best moves | lost by its move | exploitability |", "|---|---:|---:|---:|---:|"]
    for r in rows:
        best = f"{r.best:.1%} ± {r.best_within:.1%}"
        loss, won = (
            f"{m:.3f} ± {w:.3f}" for m, w in ((r.loss, r.loss_within), (r.exploitability, r.exploitability_within))
        )
        lines.append(f"| {r.agent} | {r.positions:,} | {best} | {loss} | {won} |")
    return "\n".join(lines)
