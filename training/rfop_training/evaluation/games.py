"""Games of agents on fixed public seeds, and their results.

Deal i is the game with seed 2**40 + i, which no trainer of this package reaches. Deals are played in blocks of 500 in
parallel. The random numbers of an agent depend on a seed, its seat and the number of the block: a block gives the same
games whatever else is played, in any number of processes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.agent import Agent, act_for
from rfop_env.core.batch import GameBatch
from rfop_env.core.batch_arguments import component_set
from rfop_env.core.game import Game
from rfop_env.core.legal_actions import NO_ACTION
from rfop_env.replays import Recorder
from rfop_training.evaluation import recorded

FIRST_DEAL = 2**40  # the seed of deal 0
MAX_DEALS = 10_000_000
CURVE_DEALS = 2**42  # for the learning curve of each seed
BLOCK = 500  # deals played in parallel

StepCallback = Callable[[int, int], None]  # called after each step with the games that it ended and its decisions


@dataclass(frozen=True)
class SeatResults:
    """The results of n games, from the side of one seat: arrays [n]."""

    won: NDArray[np.float64]  # 1, 0, or the share of a shared win
    points: NDArray[np.float64]
    end_reason: NDArray[np.int32]
    decisions: NDArray[np.int32]

    @classmethod
    def concatenate(cls, parts: Sequence[SeatResults]) -> SeatResults:
        """Several results as one, in order."""
        return cls(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(cls)))


@dataclass(frozen=True)
class GameResults:
    """The results of n games of P seats."""

    won: NDArray[np.float64]  # [n, P]: 1, 0, or the share of a shared win
    points: NDArray[np.float64]  # [n, P]
    end_reason: NDArray[np.int32]  # [n]
    decisions: NDArray[np.int32]  # [n]

    def from_seat(self, seat: int) -> SeatResults:
        """The results from the side of a seat."""
        return SeatResults(self.won[:, seat], self.points[:, seat], self.end_reason, self.decisions)

    def first(self, games: int) -> GameResults:
        """The results of the first so many games."""
        return GameResults(*(getattr(self, f.name)[:games] for f in fields(self)))

    @classmethod
    def concatenate(cls, parts: Sequence[GameResults]) -> GameResults:
        """Several results as one, in order."""
        return cls(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(cls)))


def curve_deals(seed: int, steps: int, deals: int) -> range:
    """The deals of a point of a learning curve, which no other seed and no other point of the run plays.

    A seed has `CURVE_DEALS` of them, from (seed + 1) * 2**42 on; a point begins with number steps * deals there.
    """
    first = (seed + 1) * CURVE_DEALS + steps * deals % CURVE_DEALS
    return range(first, first + deals)


def play(game: Game, seats: Sequence[Agent], deals: Sequence[int], seat: int = 0, **settings: Any) -> SeatResults:
    """Play one game on each deal, `seats[k]` in seat k; the results are from the side of `seat`.

    `settings` are those of `play_seated`.
    """
    seating = np.tile(np.arange(len(seats)), (len(deals), 1))
    return play_seated(game, seats, seating, deals, **settings).from_seat(seat)


def play_seated(
    game: Game,
    players: Sequence[Agent],
    seating: NDArray[np.integer[Any]],
    deals: Sequence[int],
    *,
    options: Mapping[str, object] | None = None,
    components: Any = None,
    seed: int = 0,
    threads: int = 1,
    reward: str | None = None,
    opening: int | None = None,
    replays: recorded.Replays | None = None,
    on_step: StepCallback | None = None,
) -> GameResults:
    """Play one game on each deal n, `players[seating[n, k]]` in seat k; `seating` is an integer array [n, P].

    `reward` is the kind whose unscaled values are the points (default: the game's own points). `seed` is that of the
    agents' own random numbers. `opening` is the number of random decisions that start each game (default:
    `default_opening`). `replays` is the folder of the first games. `on_step` is that of `play_out`.
    """
    components = component_set(game, components)
    game = game.under(options or {}, components)
    decisions = default_opening(game) if opening is None else opening
    settings: dict[str, Any] = {"options": dict(options or {}), "components": components, "threads": threads}

    parts = []
    most_games = most_at_once(players)
    for low, high in blocks(deals, most_games):
        batch = GameBatch(game, high - low, reward=reward or game.points, **settings)
        batch.reset([FIRST_DEAL + deal for deal in deals[low:high]])
        recorders = recorded.make_recorders(batch, players, seating[low:high], replays, low)
        block_seed = [seed, deals[low] // BLOCK, *([] if most_games is None else [deals[low]])]
        parts.append(play_out(batch, players, seating[low:high], block_seed, decisions, recorders, on_step))
        recorded.write_replays(recorders, batch, replays)
    return GameResults.concatenate(parts)


def default_opening(game: Game) -> int:
    """The number of random decisions that start a game.

    It is a tenth of the longest game without chance and hidden information, else 0.
    """
    return 0 if game.spec.chance or game.spec.hidden_information else game.spec.max_decisions // 10


def most_at_once(players: Iterable[Agent]) -> int | None:
    """How many games these agents play at once; None: a whole block."""
    return min((player.most_games for player in players if player.most_games is not None), default=None)


def blocks(deals: Sequence[int], most_games: int | None = None) -> list[tuple[int, int]]:
    """The blocks of a list of deals, as pairs of indices: consecutive deals of the same `deal // BLOCK`.

    A block has at most `most_games` deals, so that what slow agents have played is whole early; None: BLOCK.
    """
    edges = [k for k in range(1, len(deals)) if deals[k] // BLOCK != deals[k - 1] // BLOCK]
    size = most_games or BLOCK
    limits = itertools.pairwise([0, *edges, len(deals)])
    return [(k, min(k + size, high)) for low, high in limits for k in range(low, high, size)]


def play_out(
    batch: GameBatch,
    players: Sequence[Agent],
    seating: NDArray[np.integer[Any]],
    seed: Sequence[int],
    opening: int = 0,
    recorders: Mapping[int, Recorder] | None = None,
    on_step: StepCallback | None = None,
) -> GameResults:
    """Play the games of a batch to their ends, the first `opening` decisions at random.

    The random numbers of seat k depend on `seed` and k, those of the opening on the games' own streams. `recorders`
    record the games with their numbers. `on_step` is called with what each step of the batch played.
    """
    n, seats = batch.rewards.shape
    rngs = [np.random.default_rng([*seed, k]) for k in range(seats)]
    points = np.zeros((n, seats))
    reasons = np.zeros(n, np.int32)
    running = np.ones(n, np.bool_)
    recorders = recorders or {}
    if opening:
        batch.step_random(opening)
        for recorder in recorders.values():
            recorder.add_random(opening)

    if any(player.needs_history for player in players):
        batch.keep_history()
    decisions = 0  # of the last step
    while True:
        # Results of the games that ended.
        over = running & batch.terminated
        points[over] = batch.rewards[over] / (batch.reward.scale * batch.reward.per_point)
        reasons[over] = batch.end_reason[over]
        running &= ~over
        if on_step is not None:
            on_step(int(over.sum()), decisions)
        if not running.any():
            break
        decisions = int(running.sum())

        # One decision of every running game.
        actions = np.full(n, NO_ACTION, np.int64)
        for k, (p, player) in itertools.product(range(seats), enumerate(players)):
            games = np.flatnonzero(running & (batch.current_player == k) & (seating[:, k] == p))
            if len(games):
                actions[games] = act_for(player, batch, games, rngs[k])
        batch.step(actions)
        for i, recorder in recorders.items():
            if running[i]:
                recorder.add(int(actions[i]))

    winners = [batch.game.winners(batch.record(i)) for i in range(n)]
    won = np.array([[win_share(game, k) for k in range(seats)] for game in winners])
    return GameResults(won, points, reasons, np.array(batch.states["decisions"]))


def win_share(winners: Sequence[bool], seat: int) -> float:
    """The share of the win of a seat: 1, 0, a part of a shared win, or an equal part of a draw."""
    if not any(winners):
        return 1 / len(winners) if len(winners) > 1 else 0.0
    return winners[seat] / sum(winners)
