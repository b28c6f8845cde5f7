"""Play agents against each other, or a game of one seat by themselves, on a fixed public list of deals.

    python -m training.evaluate --env RedFlagOverParisSolo-v0 random greedy runs/demo
    python -m training.evaluate --env Revolution-v0 random scripted --deals 2000
    python -m training.evaluate --env Paris-v0 random scripted --option players=4

Deal number i is the seed 2**40 + i, which no trainer of this package reaches. In a game of several seats each deal is
played once with the first agent in every seat, the second agent in all others; intervals are 95 % and, for such games,
computed over deals, since the games of a deal are not independent. A shared win counts as its share, a draw as if all
shared it. A trained model that does not fit the environment's version is refused.
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
ALL = "all"  # the side of a row about all seats
Z = 1.959964  # 95 %


@dataclass(frozen=True)
class Row:
    """One line of a result table; shares and intervals are between 0 and 1."""

    agent: str
    opponent: str  # who has all other seats; "-" in a game of one seat
    side: str  # the agent's; "all" for all seats together
    games: int
    wins: float  # a shared win counts as its share
    win_rate: float
    low: float
    high: float
    undecided: float  # share of draws, and of games that no victory condition decided
    points: float  # mean of the game's points (`Game.points`), from the agent's side
    decisions: float  # mean decisions of the whole game


@dataclass(frozen=True)
class Games:
    """What happened in n games, from the side of one seat: arrays [n]."""

    won: NDArray[np.float64]  # 1, 0, or the share of a shared win
    points: NDArray[np.float64]
    end_reason: NDArray[np.int32]
    decisions: NDArray[np.int32]


def wilson(wins: float, games: int) -> tuple[float, float]:
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
    seat: int = 0,
    *,
    options: Mapping[str, object] | None = None,
    components: Any = None,
    seed: int = 0,
    threads: int = 1,
) -> Games:
    """Play one game on each deal, `seats[k]` in seat k, and look at it from `seat`.

    The chances of whoever has seat k are drawn from `seed` and k.
    """
    batch = GameBatch(
        game, len(deals), options=options, components=components, reward=game.points, threads=threads
    )  # fmt: skip
    batch.reset([FIRST_DEAL + d for d in deals])
    rngs = [np.random.default_rng([seed, k]) for k in range(len(seats))]
    points, reasons = np.zeros(len(deals)), np.zeros(len(deals), np.int32)
    running = np.ones(len(deals), np.bool_)
    while running.any():
        actions = np.full(len(deals), NO_ACTION, np.int64)
        for k, agent in enumerate(seats):
            mine = np.flatnonzero(running & (batch.current_player == k))
            if len(mine):
                actions[mine] = act_for(agent, batch, mine, rngs[k])
        batch.step(actions)
        ended = batch.terminated
        points[ended] = batch.rewards[ended, seat] / (batch.reward.scale * batch.reward.per_point)
        reasons[ended] = batch.end_reason[ended]
        running &= ~ended
    won = np.array([_share(batch.game.winners(batch.record(i)), seat) for i in range(batch.num_games)])
    return Games(won, points, reasons, np.array(batch.states["decisions"]))


def _share(winners: Sequence[bool], seat: int) -> float:
    """How much of the win a seat has: all, a part of a shared one, and the same part for all of a draw."""
    if not any(winners):
        return 1 / len(winners) if len(winners) > 1 else 0.0
    return winners[seat] / sum(winners)


def alone(
    game: Game, agent: Agent, deals: Sequence[int], *, options: Mapping[str, object] | None = None, **told: Any
) -> list[Row]:
    """A row for each side that an agent can play in a game of one seat; the rest of `told` is for `play`."""
    given = dict(options or {})
    sides = [o.values for o in game.options if o.name == "side" and o.name not in given]
    rows = []
    for side in [value for value in sides[0] if value != "random"] if sides else [""]:
        games = play(game, [agent], deals, options=given | ({"side": side} if side else {}), **told)
        name = side or str(given.get("side", game.spec.seats[0].rsplit("_", 1)[0]))
        rows.append(_row(game, agent.name, "-", name, games, wilson(float(games.won.sum()), len(deals))))
    return rows


def pair(game: Game, first: Agent, second: Agent, deals: Sequence[int], **told: Any) -> list[Row]:
    """The first agent in every seat on the same deals, the second in all others: a row for each seat, and for all.

    `told` is for `play`. A seat's chances stay while agents change seats: an agent scores just 1 / seats on itself.
    """
    names = side_names(game.under(told.get("options") or {}))
    rows, played = [], []
    for seat, name in enumerate(names):
        seated = [first if k == seat else second for k in range(len(names))]
        games = play(game, seated, deals, seat, **told)
        played.append(games)
        rows.append(_row(game, first.name, second.name, name, games, wilson(float(games.won.sum()), len(deals))))
    together = Games(*(np.concatenate([getattr(games, f.name) for games in played]) for f in fields(Games)))
    interval = clustered(np.mean([games.won for games in played], axis=0))
    return [*rows, _row(game, first.name, second.name, ALL, together, interval)]


def side_names(game: Game) -> list[str]:
    """The seats of a game, without their numbers where the names differ by themselves."""
    short = [seat.rsplit("_", 1)[0] for seat in game.spec.seats]
    return short if len(set(short)) == len(short) else list(game.spec.seats)


def _row(game: Game, agent: str, opponent: str, side: str, games: Games, interval: tuple[float, float]) -> Row:
    undecided = [i for i, reason in enumerate(game.end_reasons) if reason.startswith(("tie", "draw"))]
    return Row(
        agent, opponent, side, len(games.won), float(games.won.sum()), float(games.won.mean()), *interval,
        float(np.isin(games.end_reason, undecided).mean()), float(games.points.mean()), float(games.decisions.mean()),
    )  # fmt: skip


def table(rows: Sequence[Row]) -> str:
    """Rows as a Markdown table."""
    titles = ("agent", "opponent", "side", "games", "wins", "95 % interval", "undecided", "mean points")
    lines = ["| " + " | ".join(titles) + " |", "|---" * len(titles) + "|"]
    for r in rows:
        shares = f"{r.win_rate:.1%} | {r.low:.1%} to {r.high:.1%} | {r.undecided:.1%}"
        lines.append(f"| {r.agent} | {r.opponent} | {r.side} | {r.games} | {shares} | {r.points:+.2f} |")
    return "\n".join(lines)


def write_csv(rows: Sequence[Row], path: Path) -> None:
    """Rows as a CSV file with a header."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [f.name for f in fields(Row)])
        writer.writeheader()
        writer.writerows(asdict(r) for r in rows)


def evaluate(
    game: Game, names: Sequence[str], deals: Sequence[int], *, components: Any = None, **told: Any
) -> list[Row]:
    """All rows for the named agents: each alone in a game of one seat, or each pair of them; `told` is for `play`."""
    components = game.load_components(components)
    loaded = [agents.load(name, game, components) for name in names]
    told["components"] = components
    if game.spec.players == 1:
        return [row for agent in loaded for row in alone(game, agent, deals, **told)]
    pairs = itertools.combinations(loaded, 2) if len(loaded) > 1 else [(loaded[0], loaded[0])]
    return [row for a, b in pairs for row in pair(game, a, b, deals, **told)]


def parse_options(given: Sequence[str]) -> dict[str, str]:
    """NAME=VALUE words as a dictionary; `RfopError`."""
    wrong = [text for text in given if "=" not in text]
    if wrong:
        raise RfopError(f"--option: expected NAME=VALUE, found {wrong[0]!r}")
    return {name: value for name, _, value in (text.partition("=") for text in given)}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m training.evaluate", description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "agents", nargs="+", help="random, scripted, ... (a wrong name lists them), a model's .zip or folder"
    )
    parser.add_argument("--env", default="RedFlagOverParisSolo-v0", help="environment id (default %(default)s)")
    parser.add_argument("--deals", type=int, default=1000, help="how many deals (default %(default)s)")
    parser.add_argument("--first-deal", type=int, default=0, help="number of the first deal (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the agents' own chances (default %(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="threads of the environment (default %(default)s)")
    parser.add_argument("--option", nargs="+", default=[], metavar="NAME=VALUE", help="options of the game")
    parser.add_argument("--components", help="a component file (default: the shipped set)")
    parser.add_argument("--csv", type=Path, help="also write the rows to this file")
    told = parser.parse_args(arguments)
    if told.deals < 1 or told.first_deal < 0:
        parser.error("--deals is at least 1 and --first-deal at least 0")
    try:
        deals = range(told.first_deal, told.first_deal + told.deals)
        rows = evaluate(
            get_game(told.env), told.agents, deals, components=told.components, seed=told.seed, threads=told.threads,
            options=parse_options(told.option),
        )  # fmt: skip
    except RfopError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(table(rows))
    if told.csv:
        write_csv(rows, told.csv)
    return 0


if __name__ == "__main__":
    sys.exit(main())
