"""Play a game of one or two seats, and take the luck out of the results: fewer games for the same interval.

    python -m training.research luck scripted levee/ppo-2 --env LeveeEnMasse-v0 --judge levee/ppo-2 --deals 1000
    python -m training.research luck search-100+levee/ppo-2 --env LeveeEnMasse-v0 --judge levee/ppo-2 --deals 500
    python -m training.research luck red-flag/ppo-3 --env RedFlagOverParis-v1 --opponent greedy --judge red-flag/ppo-3

The judge, a network, tells how much better or worse than expected each step of chance was; the sum over a game is its
luck, a control variate. The means are unbiased whatever the judge is worth. "worth" tells how many games without it
one game with it is worth.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rfop_agents.network import NetworkAgent
from rfop_env.agent import Actions, Agent, AgentWrapper, Masks, Obs, Positions, copy_games
from rfop_env.command_line import number
from rfop_env.core.batch import GameBatch
from rfop_env.core.decisions import NOBODY
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_env.markdown import markdown_table
from rfop_training.common.records import add_records, require_rows
from rfop_training.evaluation import arguments
from rfop_training.evaluation.games import SeatResults, StepCallback, play
from rfop_training.evaluation.matchups import Matchup, make_matchups
from rfop_training.evaluation.progress import Progress
from rfop_training.evaluation.rows import ALL, NO_OPPONENT, Provenance, side_alone, side_names
from rfop_training.evaluation.setting import Player, Setting, display_names, number_of_deals
from rfop_training.evaluation.statistics import half_width

Floats = NDArray[np.float64]
REDRAWS = 4


class LuckMeter:
    """The luck of seat 0 in games of one or two seats, measured while they are played.

    The agent of each seat is `watched`. `seed` is that of the redraws. Raises `RfopError` for a judge that gives no
    values.
    """

    def __init__(self, judge: Agent, redraws: int = REDRAWS, seed: int = 0):
        if not isinstance(judge, NetworkAgent) or judge.remembers or not judge.rewards:
            raise RfopError(f"{judge.name} judges no positions: give a network without a memory, as levee/ppo-2")
        self._judge, self._redraws, self._rng = judge, redraws, np.random.default_rng(seed)
        self._batch: GameBatch | None = None
        self._luck: list[Floats] = []  # of the games of each batch

    @property
    def luck(self) -> Floats:
        """The luck of all games so far, [n], in the order of their batches."""
        return np.concatenate(self._luck)

    def watched(self, agent: Agent) -> Agent:
        """The agent for a seat, whose decisions the meter watches."""
        return _Measured(agent, self)

    def begin(self, batch: GameBatch) -> None:
        """The next decisions are of this batch; of a new one the luck of its deals is measured."""
        if batch is not self._batch:
            self._batch = batch
            self._luck.append(self._worth(batch) - self._worth_of_deals(batch))

    def add(self, games: NDArray[np.intp], actions: NDArray[np.int64]) -> None:
        """Measure what follows these actions in games, both [n], of the batch, which are still to be carried out."""
        assert self._batch is not None, "`begin` comes first"
        self._luck[-1][games] += self._step_luck(self._batch, games, actions)

    def _step_luck(self, batch: GameBatch, games: NDArray[np.intp], actions: NDArray[np.int64]) -> Floats:
        luck = self._worth_after(copy_games(batch, games), actions)
        for _ in range(self._redraws):
            guess = copy_games(batch, games)
            guess.determinize(NOBODY, self._rng.integers(0, 2**32, len(games)))
            luck -= self._worth_after(guess, actions) / self._redraws
        return luck

    def _worth_after(self, batch: GameBatch, actions: NDArray[np.int64]) -> Floats:
        """What the judge expects of the games of a copy after these actions: [n]."""
        batch.step(actions)
        return self._worth(batch)

    def _worth(self, batch: GameBatch) -> Floats:
        """The return of seat 0 in each game so far, and what is expected to follow: [n].

        The judge sees what a seat sees. With two seats it is asked from both sides, each of which has its own hand.
        """
        returns = sum(batch.game_returns(kind, weight)[:, 0] for kind, weight in self._judge.rewards.items())
        worth: Floats = np.asarray(returns, np.float64)
        running = np.flatnonzero(~batch.terminated)
        if len(running):
            all_legal = np.ones((len(running), batch.action_mask.shape[1]), np.bool_)  # no mask for who is not asked
            observations = [batch.observe(seat)[running] for seat in range(batch.game.spec.players)]
            expected = [self._judge.evaluate(observation, all_legal)[1] for observation in observations]
            worth[running] += expected[0] if len(observations) == 1 else (expected[0] - expected[1]) / 2
        return worth

    def _worth_of_deals(self, batch: GameBatch) -> float:
        """What the judge expects of other deals, on average."""
        redeals = batch.clone()
        redeals.reset([int(seed) for seed in self._rng.integers(0, 2**63, redeals.num_games)])
        return float(self._worth(redeals).mean())


class _Measured(AgentWrapper):
    """An agent whose decisions a meter watches."""

    def __init__(self, inner: Agent, meter: LuckMeter):
        super().__init__(inner)
        self.remembers = True  # `follow` tells it the games
        self._meter = meter
        self._games = np.zeros(0, np.intp)

    def follow(self, batch: GameBatch, games: NDArray[np.intp]) -> None:
        """Measure in these games."""
        if self.inner.remembers:
            self.inner.follow(batch, games)
        self._meter.begin(batch)
        self._games = games

    def act(self, observation: Obs, action_mask: Masks, rng: Generator, positions: Positions | None = None) -> Actions:
        """The agent's actions; the luck of what follows them is added."""
        actions = super().act(observation, action_mask, rng, positions)
        self._meter.add(self._games, actions)
        return actions


@dataclass(frozen=True)
class Adjusted:
    """The mean of a figure over games, as it is and with the luck taken out, each with half its 95 % interval."""

    plain: float
    plain_within: float
    mean: float
    within: float

    @property
    def saving(self) -> float:
        """How many games without the control variate one game with it is worth."""
        return (self.plain_within / self.within) ** 2 if self.within else 1.0


def adjusted(figures: Floats, luck: Floats) -> Adjusted:
    """Take the luck [n] out of figures [n] of games, at least four.

    The multiple of the luck for one half of the games is the slope of the other half, so that it is independent of them
    and the mean stays unbiased.
    """
    halves = np.arange(len(figures)) % 2
    residual = figures.astype(np.float64)
    for half in (0, 1):
        residual[halves == half] -= _slope(figures[halves != half], luck[halves != half]) * luck[halves == half]
    return Adjusted(float(figures.mean()), half_width(figures), float(residual.mean()), half_width(residual))


def _slope(figures: Floats, luck: Floats) -> float:
    spread = luck - luck.mean()
    squares = float(spread @ spread)
    return float(spread @ figures) / squares if squares else 0.0


def play_measured(
    game: Game,
    seats: Sequence[Agent],
    judge: Agent,
    deals: Sequence[int],
    seat: int = 0,
    redraws: int = REDRAWS,
    **settings: Any,
) -> tuple[SeatResults, Floats]:
    """Play one game on each deal, `seats[k]` in seat k: the results from the side of `seat`, and its luck [n].

    `settings` are those of `play_seated`. Raises `RfopError` for games without chance or of three seats and more, and
    for a judge without values.
    """
    if not game.spec.chance:
        raise RfopError(f"{game.id} has no chance: there is no luck in its games")
    if len(seats) > 2:
        raise RfopError(f"{game.id} has {len(seats)} seats: luck is measured in games of one or two")
    meter = LuckMeter(judge, redraws, seed=settings.get("seed", 0))
    results = play(game, [meter.watched(agent) for agent in seats], deals, seat, **settings)
    return results, meter.luck if seat == 0 else -meter.luck


# -- rows of a table ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LuckRow(Provenance):
    """An agent's wins and points with and without luck, with everything needed to play the games again."""

    agent: str
    opponent: str  # who has the other seat; "-" in a game of one seat
    side: str  # the agent's; "all" for both seats together
    judge: str
    games: int
    redraws: int
    wins: float
    wins_within: float
    wins_adjusted: float
    wins_adjusted_within: float
    points: float
    points_within: float
    points_adjusted: float
    points_adjusted_within: float

    @property
    def subject(self) -> tuple[object, ...]:
        """What the row is about: a newer row of the same subject replaces it in a file."""
        own = self.agent, self.opponent, self.side, self.judge, self.games, self.redraws
        return *own, self.env, self.options, self.components, self.first_deal, self.seed


def matchups_measured(setting: Setting, agent: str, opponent: str = NO_OPPONENT) -> list[Matchup]:
    """What is played for an agent: each side of a game of one seat, or both seats against the opponent.

    Raises `RfopError` where an opponent is missing or has no seat.
    """
    players = setting.game.spec.players
    if opponent != NO_OPPONENT and players == 1:
        raise RfopError(f"--opponent: {setting.env} has one seat, which is the agent's")
    if opponent == NO_OPPONENT and players > 1:
        raise RfopError(f"--opponent: say who has the other seat of {setting.env}, as --opponent random")
    return make_matchups(setting, [agent]) if players == 1 else [Matchup(setting, agent, opponent)]


def measured_rows(
    matchup: Matchup,
    displayed: Mapping[Player, str],
    judge: str,
    deals: range,
    redraws: int = REDRAWS,
    on_step: StepCallback | None = None,
) -> list[LuckRow]:
    """Play a matchup on these deals: a row for each seat of its agent, and with an opponent one for both.

    `on_step` is told what each step has played. Raises as `play_measured`, and for fewer than four deals.
    """
    if len(deals) < 4:
        raise RfopError(f"--deals: at least 4, to tell luck from play; found {len(deals)}")
    setting = matchup.setting
    game, options = setting.game, dict(setting.options)
    components = game.load_components(setting.components)
    results = [
        play_measured(
            game, [setting.agent(name) for name in names], setting.agent(judge), deals, seat, redraws,
            seed=setting.seed, options=options, components=components, on_step=on_step,
        )
        for seat, names in enumerate(matchup.lineups)
    ]  # fmt: skip

    # The figures of each side, [n]; those of both are the means of each deal.
    alone = matchup.opponent == NO_OPPONENT
    sides = [side_alone(game, options)] if alone else side_names(game)
    figures = [(seat_results.won, seat_results.points, luck) for seat_results, luck in results]
    if not alone:
        sides.append(ALL)
        figures.append(tuple(np.mean(column, axis=0) for column in zip(*figures, strict=True)))

    agent, opponent = displayed[matchup.agent], NO_OPPONENT if alone else displayed[matchup.opponent]
    return [
        LuckRow(
            agent, opponent, side, setting.agent(judge).name,
            len(deals) * (len(results) if side == ALL else 1), redraws,
            *asdict(adjusted(won, luck)).values(), *asdict(adjusted(points, luck)).values(),
            **setting.provenance(deals),
        )
        for side, (won, points, luck) in zip(sides, figures, strict=True)
    ]  # fmt: skip


def luck_table(rows: Sequence[LuckRow]) -> str:
    """A Markdown table of rows; "worth" is how many games without the control variate one game with it is worth."""
    figures = ("wins", "luck taken out", "worth", "points", "luck taken out", "worth")
    titles = ("agent", "opponent", "side", "judge", "games", *figures)
    cells = []
    for row in rows:
        wins = Adjusted(row.wins, row.wins_within, row.wins_adjusted, row.wins_adjusted_within)
        points = Adjusted(row.points, row.points_within, row.points_adjusted, row.points_adjusted_within)
        players = row.agent, row.opponent, row.side, row.judge, f"{row.games:,}"
        cells.append([*players, *_figures(wins, "{:.1%} ± {:.1%}"), *_figures(points, "{:+.2f} ± {:.2f}")])
    return markdown_table(titles, cells, right=range(4, len(titles)))


def _figures(estimate: Adjusted, form: str) -> tuple[str, str, str]:
    plain, reduced = form.format(estimate.plain, estimate.plain_within), form.format(estimate.mean, estimate.within)
    return plain, reduced, f"{estimate.saving:.2f}"


# -- the command -------------------------------------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("agents", nargs="+", metavar="AGENT", help=arguments.AGENT)
    arguments.add_setting(parser, "the agents' random numbers, and of the redraws")
    parser.add_argument("--opponent", default=NO_OPPONENT, metavar="AGENT", help="who has the other seat")
    parser.add_argument("--judge", required=True, metavar="NETWORK", help="a network of this environment")
    parser.add_argument(
        "--redraws", type=number(int, 1), default=REDRAWS, help="of each step of chance (default %(default)s)"
    )
    arguments.add_deals(parser)
    arguments.add_first_deal(parser)
    arguments.add_progress(parser)
    parser.add_argument("--csv", type=Path, help="also write the rows into this file, which keeps its other rows")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    # Refuse wrong arguments and files before anything is played.
    if args.csv:
        require_rows(args.csv, "--csv", LuckRow)
    setting = arguments.make_setting(args)
    deals = range(args.first_deal, args.first_deal + (args.deals or number_of_deals(setting)))

    matchups = [matchup for agent in args.agents for matchup in matchups_measured(setting, agent, args.opponent)]
    displayed = display_names(setting, [*args.agents, *([] if args.opponent == NO_OPPONENT else [args.opponent])])
    games = len(deals) * sum(len(matchup.lineups) for matchup in matchups)

    rows: list[LuckRow] = []
    with closing(Progress(games, arguments.parse_progress(args))) as bar:
        for matchup in matchups:
            rows += (new := measured_rows(matchup, displayed, args.judge, deals, args.redraws, bar.count))
            if args.csv:
                add_records(args.csv, new, LuckRow)
    print(luck_table(rows))
    return 0
