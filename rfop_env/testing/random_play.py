"""Random games that check everything a game declares in its `GameSpec`, at every step."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.batch import GameBatch
from rfop_env.core.game import Game
from rfop_env.registry import get_game

CLOSE = 1e-6  # float32 rewards against the bounds of the spec


@dataclass
class Played:
    """Figures of the random games."""

    games: int = 0
    decisions: int = 0  # asked of the players
    longest: int = 0  # decisions of the longest game, forced ones included
    lowest: float = np.inf
    highest: float = -np.inf
    endings: Counter[str] = field(default_factory=Counter)


def play_random(
    game: str | Game,
    games: int = 50,
    *,
    seed: int = 0,
    num_games: int = 8,
    options: Mapping[str, object] | None = None,
    components: Any = None,
    reward: str | None = None,
) -> Played:
    """Play at least `games` random games to their end, `num_games` side by side.

    Raises `AssertionError` where a property fails.

    Checked at every step: the observation is within its bounds, a running game has at least two legal actions and an
    ended one none, no game takes more decisions than declared, returns are in range and add up to 0 where declared, and
    rewards come only at the end. `GameBatch.problems`, which takes longer than many steps, must list nothing in one of
    the running games, each in its turn, and in every game that has ended or begun.
    """
    batch = GameBatch(get_game(game), num_games, seed, options=options, components=components, reward=reward)
    summary = Played()
    check_position(batch)

    # The game that is examined in full changes with every step.
    for turn in itertools.cycle(range(num_games)):
        running = batch.states["over"] == 0
        batch.step_random()
        summary.decisions += int(running.sum())
        terminated = np.flatnonzero(batch.terminated).tolist()
        check_position(batch, {turn, *terminated})
        _check_rewards(batch)
        if terminated:
            _count(batch, summary)
            batch.reset(only=batch.terminated.copy())
            check_position(batch, terminated)
        if summary.games >= games:
            break
    return summary


def check_position(batch: GameBatch, examined: Iterable[int] | None = None) -> None:
    """Check what must hold between any two steps of a batch without autoreset; `AssertionError` where it does not.

    `examined`: the games in whose records problems are looked for, which takes a millisecond each; default all.
    """
    game, layout = batch.game, batch.game.observation
    over = batch.states["over"] != 0
    legal = batch.action_mask.sum(axis=1)

    # Legal actions.
    _none(batch, ~over & (legal < 2), "a running game with fewer than two legal actions")
    _none(batch, over & (legal > 0), "an ended game with legal actions")

    # Observations within their bounds.
    outside = (batch.observation < layout.low) | (batch.observation > layout.high)
    for i, entry in np.argwhere(outside)[:1].tolist():
        piece = next(p for p in reversed(layout.pieces) if layout.start(p.name) <= entry)
        value = batch.observation[i, entry]
        raise AssertionError(f"{_where(batch, i)}: {piece.name} = {value}, not {piece.low} to {piece.high}")

    # The course of the game, and the relations between the fields of its record.
    _none(batch, batch.states["decisions"] > game.spec.max_decisions, "more decisions than declared")
    _none(batch, (batch.current_player < 0) | (batch.current_player >= game.spec.players), "no such seat decides")
    _none(batch, over & (batch.states["end_reason"] == 0), "an ended game without a reason")
    for i in range(batch.num_games) if examined is None else examined:
        problems = batch.problems(i)
        assert not problems, f"{_where(batch, i)}: {'; '.join(problems)}"


def _check_rewards(batch: GameBatch) -> None:
    spec, rewards = batch.game.spec, batch.rewards
    if batch.reward.dense:
        rewards = batch.returns_so_far()
    else:
        _none(batch, ~batch.terminated & (rewards != 0).any(axis=1), "a reward before the end")
    low, high = spec.lowest_return - CLOSE, spec.highest_return + CLOSE
    _none(batch, ((rewards < low) | (rewards > high)).any(axis=1), f"returns outside {low:g} to {high:g}")
    if spec.zero_sum:
        _none(batch, np.abs(rewards.sum(axis=1)) > CLOSE, "returns that do not add up to 0")


def _count(batch: GameBatch, summary: Played) -> None:
    terminated = np.flatnonzero(batch.terminated)
    summary.games += len(terminated)
    summary.longest = max(summary.longest, int(batch.states["decisions"][terminated].max()))
    summary.lowest = min(summary.lowest, float(batch.rewards[terminated].min()))
    summary.highest = max(summary.highest, float(batch.rewards[terminated].max()))
    summary.endings.update(batch.game.end_reasons[code] for code in batch.end_reason[terminated])


def _none(batch: GameBatch, flags: NDArray[np.bool_] | np.bool_, what: str) -> None:
    for i in np.flatnonzero(flags)[:1]:
        raise AssertionError(f"{_where(batch, int(i))}: {what}")


def _where(batch: GameBatch, game: int) -> str:
    seed, episode = batch.game_seed(game)
    return f"{batch.game.id}, seed {seed}, game {episode}, decision {int(batch.states['decisions'][game])}"
