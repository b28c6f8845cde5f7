"""Play agents against each other, or against the Solo Opponent, on a fixed public list of deals.

    python -m training.evaluate --env RedFlagOverParisSolo-v0 random greedy runs/demo
    python -m training.evaluate --env RedFlagOverParis-v0 greedy solo-opponent --deals 2000

Deal number i is the seed 2**40 + i, which no trainer of this package reaches. In a 2-player game each deal is played
twice with the seats exchanged; intervals are 95 % and, for such pairs, computed over deals, since the two games of a
deal are not independent. A trained model that does not fit the environment's version is refused.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import agents
from agents.agent import Agent, act_for
from rfop_env.core.batch import NO_ACTION, GameBatch
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_env.registry import get_game

FIRST_DEAL = 2**40
Z = 1.959964  # 95 %


@dataclass(frozen=True)
class Row:
    """One line of a result table; shares and intervals are between 0 and 1."""

    agent: str
    opponent: str
    side: str  # the agent's; "both" for mirrored pairs
    games: int
    wins: int
    win_rate: float
    low: float
    high: float
    tiebreaks: float  # share of games that no victory condition decided
    margin: float  # mean return of the reward "margin", in VP
    decisions: float  # mean decisions of the whole game


@dataclass(frozen=True)
class Games:
    """What happened in n games, from the side of seat 0: arrays [n]."""

    won: NDArray[np.bool_]
    margin: NDArray[np.float64]
    end_reason: NDArray[np.int32]
    decisions: NDArray[np.int32]


def wilson(wins: int, games: int) -> tuple[float, float]:
    """The 95 % score interval of a share of independent games."""
    p, z2 = wins / games, Z * Z
    centre = (p + z2 / (2 * games)) / (1 + z2 / games)
    half = Z * math.sqrt(p * (1 - p) / games + z2 / (4 * games * games)) / (1 + z2 / games)
    low, high = centre - half, centre + half
    return (0.0 if wins == 0 else low), (1.0 if wins == games else high)


def clustered(per_deal: NDArray[np.float64]) -> tuple[float, float]:
    """The 95 % interval of a mean whose independent units are deals: normal, over the deals' means."""
    mean = float(per_deal.mean())
    half = Z * float(per_deal.std(ddof=1)) / math.sqrt(len(per_deal)) if len(per_deal) > 1 else 1.0
    return max(0.0, mean - half), min(1.0, mean + half)


def play(
    game: Game,
    seats: Sequence[Agent],
    deals: Sequence[int],
    *,
    options: Mapping[str, object] | None = None,
    components: Any = None,
    seed: int = 0,
    threads: int = 1,
) -> Games:
    """Play one game on each deal, `seats[k]` in seat k; agents draw their own chances from `seed`."""
    batch = GameBatch(game, len(deals), options=options, components=components, reward="margin", threads=threads)
    batch.reset([FIRST_DEAL + d for d in deals])
    rngs = [np.random.default_rng([seed, k]) for k in range(len(seats))]
    margin, reasons = np.zeros(len(deals)), np.zeros(len(deals), np.int32)
    running = np.ones(len(deals), np.bool_)
    while running.any():
        actions = np.full(len(deals), NO_ACTION, np.int64)
        for k, agent in enumerate(seats):
            mine = np.flatnonzero(running & (batch.current_player == k))
            if len(mine):
                actions[mine] = act_for(agent, batch, mine, rngs[k])
        batch.step(actions)
        ended = batch.terminated
        margin[ended] = batch.rewards[ended, 0] / batch.reward.scale
        reasons[ended] = batch.end_reason[ended]
        running &= ~ended
    won = np.array([batch.game.winners(batch.record(i))[0] for i in range(batch.num_games)])
    return Games(won, margin, reasons, np.array(batch.states["decisions"]))


def against_solo_opponent(
    game: Game, agent: Agent, deals: Sequence[int], *, components: Any = None, seed: int = 0, threads: int = 1
) -> list[Row]:
    """A row for each side the agent plays against the Solo Opponent."""
    rows = []
    for side in ("commune", "versailles"):
        options = {"side": side}
        games = play(game, [agent], deals, options=options, components=components, seed=seed, threads=threads)
        wins = int(games.won.sum())
        rows.append(_row(game, agent.name, "Solo Opponent", side, games, wilson(wins, len(deals))))
    return rows


def pair(
    game: Game, first: Agent, second: Agent, deals: Sequence[int], *,
    components: Any = None, seed: int = 0, threads: int = 1, options: Mapping[str, object] | None = None,
) -> list[Row]:  # fmt: skip
    """Two agents on the same deals in both seats: a row for each side of the first, and one for both together."""
    told: dict[str, Any] = {"options": options, "components": components, "threads": threads, "seed": seed}
    home = play(game, [first, second], deals, **told)
    away = _turned(play(game, [second, first], deals, **told))  # a seat's chances stay: an agent scores 1/2 on itself
    rows = [
        _row(game, first.name, second.name, name.split("_")[0], games, wilson(int(games.won.sum()), len(deals)))
        for name, games in zip(game.spec.seats, (home, away), strict=True)
    ]
    both = Games(*(np.concatenate([getattr(home, f.name), getattr(away, f.name)]) for f in fields(Games)))
    interval = clustered((home.won.astype(float) + away.won) / 2)
    return [*rows, _row(game, first.name, second.name, "both", both, interval)]


def _turned(games: Games) -> Games:
    """The same games from the side of seat 1."""
    return Games(~games.won, -games.margin, games.end_reason, games.decisions)


def _row(game: Game, agent: str, opponent: str, side: str, games: Games, interval: tuple[float, float]) -> Row:
    undecided = [i for i, reason in enumerate(game.end_reasons) if reason.startswith("tie")]
    return Row(
        agent, opponent, side, len(games.won), int(games.won.sum()), float(games.won.mean()), *interval,
        float(np.isin(games.end_reason, undecided).mean()), float(games.margin.mean()), float(games.decisions.mean()),
    )  # fmt: skip


def table(rows: Sequence[Row]) -> str:
    """Rows as a Markdown table."""
    titles = ("agent", "opponent", "side", "games", "wins", "95 % interval", "by tiebreak", "mean VP margin")
    lines = ["| " + " | ".join(titles) + " |", "|---" * len(titles) + "|"]
    for r in rows:
        shares = f"{r.win_rate:.1%} | {r.low:.1%} to {r.high:.1%} | {r.tiebreaks:.1%}"
        lines.append(f"| {r.agent} | {r.opponent} | {r.side} | {r.games} | {shares} | {r.margin:+.2f} |")
    return "\n".join(lines)


def write_csv(rows: Sequence[Row], path: Path) -> None:
    """Rows as a CSV file with a header."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [f.name for f in fields(Row)])
        writer.writeheader()
        writer.writerows(asdict(r) for r in rows)


def evaluate(
    game: Game, names: Sequence[str], deals: Sequence[int], *, components: Any = None, seed: int = 0, threads: int = 1
) -> list[Row]:
    """All rows for the named agents: each against the Solo Opponent, or each pair of them."""
    components = game.load_components(components)
    loaded = [agents.load(name, game, components) for name in names]
    told: dict[str, Any] = {"components": components, "seed": seed, "threads": threads}
    if game.spec.players == 1:
        return [row for agent in loaded for row in against_solo_opponent(game, agent, deals, **told)]
    pairs = itertools.combinations(loaded, 2) if len(loaded) > 1 else [(loaded[0], loaded[0])]
    return [row for a, b in pairs for row in pair(game, a, b, deals, **told)]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m training.evaluate", description=__doc__.split("\n\n")[0])
    parser.add_argument("agents", nargs="+", help="random, greedy, solo-opponent, a model's .zip or its run's folder")
    parser.add_argument("--env", default="RedFlagOverParisSolo-v0", help="environment id (default %(default)s)")
    parser.add_argument("--deals", type=int, default=1000, help="how many deals (default %(default)s)")
    parser.add_argument("--first-deal", type=int, default=0, help="number of the first deal (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the agents' own chances (default %(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="threads of the environment (default %(default)s)")
    parser.add_argument("--components", help="a component file (default: the shipped set)")
    parser.add_argument("--csv", type=Path, help="also write the rows to this file")
    told = parser.parse_args(arguments)
    if told.deals < 1 or told.first_deal < 0:
        parser.error("--deals is at least 1 and --first-deal at least 0")
    try:
        deals = range(told.first_deal, told.first_deal + told.deals)
        rows = evaluate(
            get_game(told.env), told.agents, deals, components=told.components, seed=told.seed, threads=told.threads
        )
    except RfopError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(table(rows))
    if told.csv:
        write_csv(rows, told.csv)
    return 0


if __name__ == "__main__":
    sys.exit(main())
