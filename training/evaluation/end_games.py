"""How agents play end games that are solved exactly: how often they find a best move, and what best responses win.

Nothing is estimated but for which positions are taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.agent import Agent, act_for
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError
from rfop_env.core.legal_actions import NO_ACTION
from training.common.provenance import revision
from training.common.records import add_records
from training.evaluation.cfr import cfr_plus
from training.evaluation.exact import Layer, copied, means_of, require_solvable, solve, values
from training.evaluation.games import FIRST_DEAL, opening_of
from training.evaluation.statistics import half_width
from training.evaluation.tasks import Setting

CLOSE = 1e-6  # two values closer than this are equal


@dataclass(frozen=True)
class Finding:
    """What was found out about an agent: means over positions, each with half its 95 % interval."""

    agent: str
    positions: int
    best: float  # the probability that its move is among the best
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


@dataclass(frozen=True)
class EndGames:
    """Positions of games of an agent against itself, so many decisions before the longest game would end.

    The game has neither chance nor secrets, and two seats; others raise `RfopError`.
    """

    setting: Setting
    origin: str  # the name of the agent
    left: int  # decisions before the end
    games: int
    reward: str = ""  # kind; empty: the game's first
    most: int = 2_000_000  # positions that follow

    def __post_init__(self) -> None:
        game = self.setting.game
        require_solvable(game)
        object.__setattr__(self, "reward", game.reward(self.reward or game.rewards[0].name)[1].name)

    def positions(self) -> GameBatch:
        """The positions, a game each. They start with random decisions, as in an evaluation.

        Games that ended before are left out. Raises `RfopError` for fewer than two positions.
        """
        game, agent = self.setting.game, self.setting.agent(self.origin)
        batch = GameBatch(game, self.games, FIRST_DEAL, components=game.load_components(self.setting.components))
        opening, decisions = max(1, opening_of(game)), game.spec.max_decisions - self.left
        batch.step_random(opening)
        rng = np.random.default_rng(self.setting.seed)
        for _ in range(decisions - opening):
            running = np.flatnonzero(batch.action_mask.any(axis=1))
            actions = np.full(self.games, NO_ACTION, np.int64)
            if len(running):
                actions[running] = act_for(agent, batch, running, rng)
            batch.step(actions)

        running = np.flatnonzero(batch.action_mask.any(axis=1))
        if len(running) < 2:
            raise RfopError(
                f"of {self.games} games fewer than two last {decisions} decisions: give more --games or --left"
            )
        return copied([(batch, running)])

    def solved(self, agents: Sequence[Agent]) -> list[Layer]:
        """The positions with all that can follow, and what the agents do there."""
        return solve(self.positions(), agents, self.most, self.reward, self.setting.seed)

    def rows(self, found: Sequence[Finding]) -> list[FindingRow]:
        """Findings with what says how to find them again."""
        setting = self.setting
        return [
            FindingRow(
                **asdict(finding), env=setting.env, components=setting.digest, origin=self.origin, left=self.left,
                games=self.games, reward=self.reward, seed=setting.seed, git=revision(),
            )
            for finding in found
        ]  # fmt: skip


# -- what agents do in them --------------------------------------------------------------------------------------------


def findings(layers: Sequence[Layer], names: Sequence[str]) -> list[Finding]:
    """What the layers tell about each of their policies, in the positions of the first one."""
    first, best = layers[0], values(layers)
    mover = first.seat[first.parent]
    lost = best[0][first.parent, mover] - best[1][first.child, mover]  # by each move, [m]
    found = []
    for number, name in enumerate(names):
        figures = np.stack([(lost < CLOSE).astype(float), lost], axis=1)
        among_best, loss = means_of(first, first.policies[number], figures).T
        own = values(layers, number)[0]
        response = np.stack([values(layers, number, seat)[0][:, seat] for seat in range(2)], axis=1)
        won = (response - own).sum(axis=1)
        means = [_mean(figure) for figure in (among_best, loss, won)]
        found.append(Finding(name, len(first.seat), *(number for mean in means for number in mean)))
    return found


def cfr_findings(layers: Sequence[Layer], iterations: Sequence[int]) -> list[Finding]:
    """What CFR+ finds in these positions after some numbers of iterations."""
    policies = [cfr_plus(layers, number) for number in iterations]
    tables = [replace(layer, policies=own) for layer, *own in zip(layers, *policies, strict=True)]
    return findings(tables, [f"CFR+, {number} iteration{'s' * (number > 1)}" for number in iterations])


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
