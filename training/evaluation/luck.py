"""A control variate from a value network: how much of a game's result was luck, and the mean with the luck taken out.

At each decision the judge, a network, values the position that the action and the chance after it led to, and as many
positions to which the same action leads when all chance to come is drawn anew. The difference is the luck of the
decision, and so is that of the deal beside other deals. Its mean is 0 whoever plays and however wrong the judge is, so
subtracting a multiple of it changes no mean; a good judge explains much of the result, which then varies less. This is
the part of AIVAT that needs no probabilities of the players (Burch et al., *AIVAT: A New Variance Reduction Technique
for Agent Evaluation in Imperfect Information Games*, 2018).

It holds where all that is hidden is chance: in games of one seat without an opponent. Elsewhere what an opponent does
tells something about what it knows, and redraws would not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.agent import Agent, AgentAround, Positions
from agents.network import NetworkAgent
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_env.core.legal_actions import NO_ACTION
from training.common.records import add_records
from training.evaluation.games import SeatResults, Tell, play
from training.evaluation.rows import sides_of
from training.evaluation.statistics import half_width
from training.evaluation.tasks import Setting

Floats = NDArray[np.float64]
REDRAWS = 4


class LuckMeter(AgentAround):
    """An agent of a game of one seat, and the luck that its games have; `seed` is that of the redraws.

    Raises `RfopError` for a judge that no value can be had from.
    """

    def __init__(self, inner: Agent, judge: Agent, redraws: int = REDRAWS, seed: int = 0):
        super().__init__(inner)
        if not isinstance(judge, NetworkAgent) or judge.remembers or not judge.rewards:
            raise RfopError(f"{judge.name} judges no positions: give a network without a memory, as levee/ppo-2")
        self.remembers = True  # `follow` tells it the games
        self._judge, self._redraws, self._rng = judge, redraws, np.random.default_rng(seed)
        self._batch: GameBatch | None = None
        self._games = np.zeros(0, np.intp)
        self._luck: list[Floats] = []  # of the games of each batch

    @property
    def luck(self) -> Floats:
        """The luck of all games so far, [n], in the order of their batches."""
        return np.concatenate(self._luck)

    def follow(self, batch: GameBatch, games: NDArray[np.intp]) -> None:
        """Measure in these games; of a new batch first the luck of its deals."""
        if self.inner.remembers:
            self.inner.follow(batch, games)
        if batch is not self._batch:
            self._luck.append(self._worth(batch, games) - self._worth_of_deals(batch))
        self._batch, self._games = batch, games

    def act(
        self,
        observation: NDArray[np.int8],
        action_mask: NDArray[np.bool_],
        rng: np.random.Generator,
        positions: Positions | None = None,
    ) -> NDArray[np.int64]:
        """The agent's actions; the luck of what follows them is added."""
        actions = super().act(observation, action_mask, rng, positions)
        assert self._batch is not None, "`follow` comes first"
        luck = self._worth_after(self._batch.clone(), actions)
        for _ in range(self._redraws):
            guess = self._batch.clone()
            guess.determinize(guess.current_player, self._rng.integers(0, 2**32, guess.num_games))
            luck -= self._worth_after(guess, actions) / self._redraws
        self._luck[-1][self._games] += luck
        return actions

    def _worth_after(self, batch: GameBatch, actions: NDArray[np.int64]) -> Floats:
        """What the judge expects of the games that were followed, after these actions in a copy of them: [n]."""
        chosen = np.full(batch.num_games, NO_ACTION, np.int64)
        chosen[self._games] = actions
        batch.step(chosen)
        return self._worth(batch, self._games)

    def _worth(self, batch: GameBatch, games: NDArray[np.intp]) -> Floats:
        """The return of each game so far, and what the judge expects to follow: [n]."""
        paid = sum(batch.returns_of(kind, weight)[games, 0] for kind, weight in self._judge.rewards.items())
        worth: Floats = np.asarray(paid, np.float64)
        running = np.flatnonzero(~batch.terminated[games])
        if len(running):
            chosen = games[running]
            worth[running] += self._judge.evaluate(batch.observation[chosen], batch.action_mask[chosen])[1]
        return worth

    def _worth_of_deals(self, batch: GameBatch) -> float:
        """What the judge expects of other deals, on average."""
        others = batch.clone()
        others.reset([int(seed) for seed in self._rng.integers(0, 2**63, others.num_games)])
        return float(self._worth(others, np.arange(others.num_games)).mean())


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
    rest = figures.astype(np.float64)
    for half in (0, 1):
        rest[halves == half] -= _slope(figures[halves != half], luck[halves != half]) * luck[halves == half]
    return Adjusted(float(figures.mean()), half_width(figures), float(rest.mean()), half_width(rest))


def _slope(figures: Floats, luck: Floats) -> float:
    spread = luck - luck.mean()
    squares = float(spread @ spread)
    return float(spread @ figures) / squares if squares else 0.0


def play_measured(
    game: Game, agent: Agent, judge: Agent, deals: Sequence[int], redraws: int = REDRAWS, **settings: Any
) -> tuple[SeatResults, Floats]:
    """Play a game of one seat on each deal: the results and the luck of each game [n].

    `settings` are those of `play_seated`. Raises `RfopError` for other games and for a judge without values.
    """
    if game.spec.players != 1 or len(sides_of(game, {})) > 1:
        raise RfopError(f"{game.id} has opponents: luck is measured in games of one seat without them")
    meter = LuckMeter(agent, judge, redraws, seed=settings.get("seed", 0))
    return play(game, [meter], deals, **settings), meter.luck


# -- rows of a table ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LuckRow:
    """An agent's wins and points with and without luck, with everything needed to play the games again."""

    agent: str
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
    env: str
    options: str
    components: str  # digest of the set
    opening: int
    first_deal: int
    deals: int
    seed: int
    git: str


def measured_row(
    setting: Setting,
    name: str,
    displayed: str,
    judge: str,
    deals: range,
    redraws: int = REDRAWS,
    tell: Tell | None = None,
) -> LuckRow:
    """Play an agent on these deals; `tell` is told what each step has played.

    Raises as `play_measured`, and for fewer than four deals.
    """
    if len(deals) < 4:
        raise RfopError(f"--deals: at least 4, to tell luck from play; found {len(deals)}")
    results, luck = play_measured(
        setting.game, setting.agent(name), setting.agent(judge), deals, redraws, seed=setting.seed,
        options=dict(setting.options), components=setting.game.load_components(setting.components), tell=tell,
    )  # fmt: skip
    figures = [asdict(adjusted(own, luck)).values() for own in (results.won, results.points)]
    return LuckRow(
        displayed, setting.agent(judge).name, len(deals), redraws, *figures[0], *figures[1], **setting.provenance(deals)
    )


def write_luck(rows: Sequence[LuckRow], path: Path) -> None:
    """Add rows to a CSV file, as `add_records`; they replace those of the same games and judge."""
    add_records(path, rows, LuckRow, _subject)


def _subject(row: LuckRow) -> tuple[object, ...]:
    return *astuple(row)[:4], row.env, row.options, row.components, row.first_deal, row.seed


def luck_table(rows: Sequence[LuckRow]) -> str:
    """A Markdown table of rows."""
    lines = ["| agent | judge | games | figure | mean | luck taken out | one game counts as |"]
    lines.append("|---|---|---:|---|---:|---:|---:|")
    for row in rows:
        own = f"{row.agent} | {row.judge} | {row.games:,}"
        wins = Adjusted(row.wins, row.wins_within, row.wins_adjusted, row.wins_adjusted_within)
        points = Adjusted(row.points, row.points_within, row.points_adjusted, row.points_adjusted_within)
        for name, figure, form in (("wins", wins, "{:.1%} ± {:.1%}"), ("points", points, "{:+.2f} ± {:.2f}")):
            plain, rest = form.format(figure.plain, figure.plain_within), form.format(figure.mean, figure.within)
            lines.append(f"| {own} | {name} | {plain} | {rest} | {figure.saving:.2f} |")
    return "\n".join(lines)
