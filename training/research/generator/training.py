"""Blocks about training and rating: learning curves, baselines, best responses, ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rfop_agents.baselines import baselines_table
from rfop_env.markdown import markdown_table
from rfop_env.registry import get_game
from rfop_training.common.records import read_records
from rfop_training.evaluation.matrix import read_matrix
from rfop_training.evaluation.ratings import cycles, worst_fit
from rfop_training.evaluation.rows import ALL
from rfop_training.evaluation.statistics import mean_over_seeds
from training.research.generator.results import OLDER, in_order
from training.research.lab.beliefs import BeliefRow, beliefs_table
from training.research.lab.end_games import FindingRow, findings_table
from training.research.lab.luck import LuckRow, luck_table
from training.research.lab.psro import Round, rounds_table
from training.research.publishing import bounds, replay
from training.research.publishing.baselines import DISCARDED, DiscardedRun, discarded_table
from training.research.publishing.bounds import RESPONSES, Response
from training.research.publishing.coverage import COVERAGE, CoverageRow, coverage_table
from training.research.publishing.jobs import REDUCED, read_config
from training.research.publishing.methods import minutes_of, published_methods, summary_table
from training.research.publishing.replay import PublishedPlacement, PublishedRating
from training.research.publishing.reproduce import chances_table, read_reference
from training.research.publishing.results import DOCS, FULL, RESULTS, PublishedCurves, on_grid, read_results

END_GAMES = RESULTS / "end_games.csv"
BELIEFS = RESULTS / "beliefs.csv"
LUCK = RESULTS / "luck.csv"
PSRO = RESULTS / "psro.csv"


def baselines() -> str:
    """The shipped baselines and their scores."""
    return baselines_table()


def discarded() -> str:
    """The runs that were not published, and why."""
    return discarded_table(read_records(DISCARDED, DiscardedRun))


def curves(trainer: str = "") -> str:
    """The published learning curves; `trainer`: those of another trainer than `rfop train ppo`, in its folder."""
    return curves_table(read_results(RESULTS / trainer))


def curves_table(results: PublishedCurves) -> str:
    """The last points of all published curves in Markdown."""
    complete = [curve for curve in results.curves if results.of(curve, FULL)]
    if not complete:
        return "There is none yet."
    titles = ["curve", "side", "wins at the end", "95 % interval", "seeds", "decisions", "processor minutes"]
    cells = []
    for curve in complete:
        runs = [run for run in results.runs if (run.curve, run.budget) == (curve, FULL)]
        minutes = np.median([minutes_of(points)[-1] for points in next(iter(results.of(curve, FULL).values()))])
        revisions = ", ".join(sorted({f"`{run.git}`" for run in runs}))
        if {run.components for run in runs} != {get_game(runs[0].present_env).load_components(None).digest}:
            revisions += ", older component set"
        if runs[0].env != runs[0].present_env:
            revisions += f", `{runs[0].env}`"
        if results.on_common_deals(curve):
            revisions += ", common deals"
        steps = f"{min(run.steps for run in runs) / 1e6:.1f} million"

        for side, seeds in results.of(curve, FULL).items():
            last = on_grid(seeds)[1][None, :, -1:]
            (mean,), (low,), (high,) = mean_over_seeds([last], seeds[0][-1].games)
            name = f"[{curve}](curves/{curve}.svg)" if (DOCS / "curves" / f"{curve}.svg").exists() else curve
            wins = f"{mean:.1%}", f"{low:.1%} to {high:.1%}"
            cells.append([name, side, *wins, f"{len(runs)}", steps, f"{minutes:.0f}", revisions])
    return markdown_table([*titles, "revision"], cells, right=(2, 4, 5, 6))


def chances() -> str:
    """How probable it is that a curve that is trained again agrees with the published one."""
    published = read_results()
    return chances_table([read_reference(published, curve, REDUCED) for curve in read_config()])


def coverage() -> str:
    """How often the intervals of learning curves have the mean in them."""
    return coverage_table(read_records(COVERAGE, CoverageRow))


def responses() -> str:
    """The published best responses."""
    return responses_table(in_order(_responses()))


def best_opponents() -> str:
    """The best opponent known of every agent."""
    cells, last = [], ""
    for bound in bounds.best_known():
        env = f"{bound.env} {bound.options}".strip()
        figures = [f"{bound.win_rate:.1%}", f"{bound.low:.1%} to {bound.high:.1%}", f"{bound.games:,}"]
        cells.append([_once(env, last), bound.agent, bound.opponent, *figures, f"{bound.least:.1%}"])
        last = env
    figures = ["wins", "95 % interval", "games", "exploitable by at least"]
    return markdown_table(["environment", "agent", "best opponent", *figures], cells, right=(3, 5, 6))


def luck() -> str:
    """What is left of published results when the luck is taken out."""
    return luck_table(read_records(LUCK, LuckRow))


def beliefs(kind: str) -> str:
    """Published figures of beliefs about hidden cards: "scores" of the truth, "variation", or "responses"."""
    return beliefs_table(read_records(BELIEFS, BeliefRow), kind)


def methods(env: str, name: str = "methods") -> str:
    """The methods of training that were compared in an environment; `name`: of their configuration."""
    return summary_table(published_methods(env, name))


def end_games(env: str, components: str = "") -> str:
    """What is known exactly of agents in end games of an environment; `components`: the name of a further set."""
    return findings_table(end_game_rows(env, components))


def psro(env: str, components: str = "") -> str:
    """The champions of PSRO in an environment, round by round; `components`: the name of a further set."""
    digest = get_game(env).load_components(components or None).digest
    return rounds_table([row for row in read_records(PSRO, Round) if (row.env, row.components) == (env, digest)])


def end_game_rows(env: str, components: str = "") -> list[FindingRow]:
    """The published rows of an environment with its shipped set, or with a further one."""
    digest = get_game(env).load_components(components or None).digest
    return [row for row in read_records(END_GAMES, FindingRow) if (row.env, row.components) == (env, digest)]


def _responses() -> list[Response]:
    """The published rows of best responses; the names of opponents say where the component set is older."""
    rows = read_records(RESPONSES, Response)
    return [
        row if row.components == replay.component_digest(row) else replace(row, opponent=row.opponent + OLDER)
        for row in rows
    ]


def responses_table(rows: Sequence[Response]) -> str:
    """How much the responses win from each agent, over all seats, in Markdown; one line for all seeds of training."""
    titles = ["agent", "environment", "decisions", "from", "wins of each seed", "95 % interval of the best"]
    alike: dict[tuple[str, str, str, str], list[Response]] = {}
    for row in rows:
        if row.side == ALL:
            alike.setdefault(_trained_alike(row), []).append(row)

    cells = []
    for key, of_seeds in alike.items():
        best = max(of_seeds, key=lambda row: row.win_rate)
        least = bounds.read_bound(best, best.agent).least
        wins = ", ".join(f"{row.win_rate:.1%}" for row in sorted(of_seeds, key=lambda row: row.run_seed))
        within = f"{best.low:.1%} to {best.high:.1%}"
        cells.append([*key, wins, within, f"{least:.1%}" if least else "none found", f"{best.games:,}"])
    return markdown_table([*titles, "exploitable by at least", "games each"], cells, right=(2, 4, 6, 7))


def _trained_alike(row: Response) -> tuple[str, str, str, str]:
    """What the responses of several seeds have in common."""
    start = row.init_from or "nothing"
    return row.opponent, f"`{row.env}` {row.options}".strip(), f"{row.steps / 1e6:.1f} million", start


def ratings() -> str:
    """The ratings of all published matrices."""
    cells, last = [], ""
    for r in read_records(replay.RATINGS, PublishedRating):
        elo = f"{r.elo:.0f}" + (f" ({r.elo_low:.0f} to {r.elo_high:.0f})" if r.elo_low < r.elo_high else "")
        nash = f"{r.score:.1%}" + (f" ({100 * r.score_low:.1f} to {100 * r.score_high:.1f})" if r.weight < 1 else "")
        matrix = f"{r.env} {r.options}".strip() + f", `{r.source}`"
        cells.append([_once(matrix, last), r.agent, elo + ", a bound from below" * r.bound, nash])
        last = matrix
    return markdown_table(["environment, matrix", "agent", "Elo", "wins against the Nash mix"], cells)


def fits() -> str:
    """What Elo misses in each published matrix: the pair that it fits worst, and cycles."""
    rated = read_records(replay.RATINGS, PublishedRating)
    lines = []
    for path in replay.matrices():
        matrix = read_matrix(path)
        of_matrix = [rating for rating in rated if rating.source == path.name]
        lines.append(f"* `{path.name}`: {worst_fit(matrix, of_matrix)} {cycles(matrix)}")
    return "\n".join(lines)


def placements() -> str:
    """The ratings of all published mixed tables."""
    cells, last = [], ""
    for r in read_records(replay.PLACES, PublishedPlacement):
        figures = [
            f"{r.rating:.1f}",
            f"{r.low:.1f} to {r.high:.1f}",
            f"{r.games:,}",
            f"{r.first:.1%}",
            f"{r.place:.2f}",
        ]
        cells.append([_once(f"{r.env} {r.options}", last), r.agent, *figures])
        last = f"{r.env} {r.options}"
    titles = ["environment", "agent", "Plackett-Luce", "95 % interval", "games", "first", "mean place"]
    return markdown_table(titles, cells, right=(2, 4, 5, 6))


def _once(text: str, last: str) -> str:
    return "" if text == last else text.strip()
