"""Make a named baseline of a run: its network, and metadata with how it was trained and how it scores.

    python -m training.research publish runs/revolution revolution/ppo-6
    python -m training.research publish runs/red-flag red-flag/ppo-3 --against random greedy solo-opponent --workers 2
    python -m training.research publish runs/failed --discard "no stronger than red-flag/solo-12"

The network plays 10,000 games against each opponent (in a game of one seat: for each side, without opponents) on public
deals, in the environment of the run. Then weights and metadata are written to the checkout; `make docs` adds them
to the documentation. Weights above 2 MB are written as float16, and refused if they are still larger.

With `--discard` the run is recorded in `training/results/discarded.csv` as one that was not published, and why.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rfop_agents
from rfop_agents import baselines
from rfop_agents.baselines import BaselineMetadata, Score, baselines_table
from rfop_agents.board_network import has_board
from rfop_agents.network import in_precision, read_network, write_network
from rfop_env.command_line import UsageError, number
from rfop_env.core.errors import RfopError
from rfop_env.markdown import markdown_table
from rfop_training.common import records
from rfop_training.common.provenance import rounding
from rfop_training.evaluation.arguments import add_deals
from rfop_training.evaluation.matchups import evaluate
from rfop_training.evaluation.rows import NO_OPPONENT, Row, remark
from rfop_training.evaluation.setting import Setting, number_of_deals
from rfop_training.run import RunFolder
from training.research.publishing.results import RESULTS

DISCARDED = RESULTS / "discarded.csv"
NAME = re.compile(r"[a-z0-9-]+/[a-z0-9-]+")
CHECK_DEALS = 100  # deals that the test of a baseline plays again
ELSEWHERE = 0.03  # share of these games that may be won otherwise where sums are rounded differently
Weights = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Trained:
    """The network of a run, with its metadata."""

    weights: Weights
    network_metadata: dict[str, Any]  # in the file of the network
    run_metadata: dict[str, Any]  # run.json
    minutes: float


def read_run(run: Path) -> Trained:
    """The network in the folder of a run. Raises `RfopError`."""
    folder = RunFolder(run)
    if not folder.model.exists():
        raise RfopError(
            f"{run} is no run with a {folder.model.name}: give the folder that a trainer of this package wrote"
        )

    metadata = folder.read_metadata()
    weights, network_metadata = read_network(folder.model)
    if not all(isinstance(network_metadata.get(name), int) for name in ("steps", "seed")):
        raise RfopError(f"{folder.model} has no steps or no seed in its metadata: give the folder of the trainer")
    seconds = max(columns["seconds"][-1] for columns in folder.read_curve().values())
    return Trained(weights, network_metadata, metadata, seconds / 60)


def played_weights(weights: Weights) -> Weights:
    """The weights that an agent needs to play, as float16 where float32 would exceed the largest size."""
    if not has_board(weights):
        pattern = re.compile(r"scale$|layers\.|policy\.|value\.|belief\.")
        weights = {name: array for name, array in weights.items() if pattern.match(name)}
    if sum(array.nbytes for array in weights.values()) <= baselines.MOST_BYTES:
        return weights
    return in_precision(weights, np.float16)


def write_weights(path: Path, trained: Trained) -> None:
    """Write the network of a baseline. Raises `RfopError` if it is too large."""
    write_network(path, played_weights(trained.weights), trained.network_metadata)
    if path.stat().st_size > baselines.MOST_BYTES:
        size = path.stat().st_size
        path.unlink()
        raise RfopError(
            f"{size:,} bytes of weights, even as float16; a baseline has at most {baselines.MOST_BYTES:,}: "
            "train a narrower network (--width)"
        )


def default_opponents(setting: Setting) -> list[str]:
    """The default opponents of a baseline: the ready-made agents that play fast."""
    quick = ["random", "greedy", *(player.name for player in setting.game.scripted)]
    return [name for name in quick if name in rfop_agents.names(setting.game)] if setting.game.spec.players > 1 else []


def rows_against(setting: Setting, agent: str, opponents: Sequence[str], deals: range, workers: int) -> Sequence[Row]:
    """The rows of an agent against each opponent, or alone without opponents."""
    settings: dict[str, Any] = {"options": dict(setting.options), "seed": setting.seed, "opening": setting.opening}
    env = setting.env
    if not opponents:
        return evaluate(env, [agent], deals, workers=workers, **settings)
    return [
        row for opponent in opponents for row in evaluate(env, [agent, opponent], deals, workers=workers, **settings)
    ]


def measure_scores(setting: Setting, agent: str, opponents: Sequence[str], deals: range, workers: int) -> list[Score]:
    """The scores of a baseline: on all deals, and the wins on the first few, played separately."""
    rows = rows_against(setting, agent, opponents, deals, workers)
    check = rows_against(setting, agent, opponents, deals[:CHECK_DEALS], 1)
    return [
        Score(row.opponent, row.side, row.games, row.win_rate, row.low, row.high, row.points, check_row.wins)
        for row, check_row in zip(rows, check, strict=True)
    ]


def publish(
    run: Path, name: str, opponents: Sequence[str] | None = None, deals: int | None = None, temperature: float = 0.0,
    workers: int = 1,
) -> BaselineMetadata:  # fmt: skip
    """Score the network of a run and write it as a baseline; returns its metadata. Raises `RfopError`."""
    if not NAME.fullmatch(name):
        raise RfopError(f"a baseline has a name like red-flag/ppo-3, in lower case; found {name!r}")
    if baselines.baseline_path(name).exists():
        raise RfopError(
            f"{baselines.baseline_path(name)} exists: a published baseline is never changed; take the next number"
        )

    # What to play.
    trained = read_run(run)
    option = trained.run_metadata["arguments"].get("option", "")
    setting = Setting.parse(trained.run_metadata["environment"], option)
    if opponents and setting.game.spec.players == 1:
        raise RfopError(f"--against: {setting.env} has one seat, so nobody else plays; leave it out")
    against = default_opponents(setting) if opponents is None else opponents
    numbers = range(deals or number_of_deals(setting))

    # Play with the weights as they will be written.
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder) / "draft.safetensors"
        write_weights(draft, trained)
        agent = f"{draft}@{temperature}" if temperature else str(draft)
        scores = measure_scores(setting, agent, against, numbers, workers)

    metadata = baseline_metadata(name, trained, setting, option, temperature, numbers, scores)
    baselines.baseline_path(name).parent.mkdir(exist_ok=True)
    write_weights(baselines.baseline_path(name), trained)
    baselines.write_metadata(metadata, baselines.baseline_path(name, ".toml"))
    return metadata


def scored_in(metadata: BaselineMetadata) -> tuple[Setting, list[str]]:
    """The setting of a baseline's scores, and its opponents."""
    setting = Setting.parse(metadata.env, metadata.option, opening=metadata.opening)
    return setting, list(dict.fromkeys(s.opponent for s in metadata.scores if s.opponent != NO_OPPONENT))


def play_again(name: str) -> list[tuple[Score, Row]]:
    """The published scores of a baseline, each with its present row on the same first deals."""
    metadata = baselines.read_metadata(name)
    setting, opponents = scored_in(metadata)
    deals = range(metadata.first_deal, metadata.first_deal + metadata.check_deals)
    rows = {(row.opponent, row.side): row for row in rows_against(setting, name, opponents, deals, 1)}
    return [(score, rows[score.opponent, score.side]) for score in metadata.scores]


def changed_scores(name: str) -> list[tuple[Score, Row]]:
    """The published scores of a baseline that do not come out on the first deals, each with its present row.

    A machine that rounds sums otherwise than the one that scored the baseline may play some of the games differently:
    there a few may have another winner.
    """
    share = 0.0 if baselines.read_metadata(name).rounding == rounding() else ELSEWHERE
    return [(score, row) for score, row in play_again(name) if abs(row.wins - score.check_wins) > share * row.games]


def score_again(name: str, workers: int = 1) -> bool:
    """Play the scores of a baseline again if it plays differently now; returns whether it does."""
    if not changed_scores(name):
        return False
    metadata = baselines.read_metadata(name)
    setting, opponents = scored_in(metadata)
    deals = range(metadata.first_deal, metadata.first_deal + metadata.deals)
    scores = tuple(measure_scores(setting, name, opponents, deals, workers))
    baselines.write_metadata(
        replace(metadata, scores=scores, rounding=rounding()), baselines.baseline_path(name, ".toml")
    )
    return True


def baseline_metadata(
    name: str,
    trained: Trained,
    setting: Setting,
    option: str,
    temperature: float,
    deals: range,
    scores: Sequence[Score],
) -> BaselineMetadata:
    """The metadata of a baseline."""
    run, network = trained.run_metadata, trained.network_metadata
    calls = [run, *run.get("resumes", [])]
    commands, revisions = ([str(call.get(key, "?")) for call in calls] for key in ("command", "git"))
    versions = ", ".join([f"python {run['python']}", *(f"{k} {v}" for k, v in run["packages"].items())])
    return BaselineMetadata(
        name, network["rules"], network["version"], network["components"], run["environment"], option, temperature,
        "; ".join(commands), network["steps"], round(trained.minutes, 1), network["seed"],
        ", ".join(dict.fromkeys(revisions)), versions,
        setting.opening_decisions, deals.start, len(deals), min(CHECK_DEALS, len(deals)), rounding(), tuple(scores),
    )  # fmt: skip


# -- runs that became nothing ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DiscardedRun:
    """A run that was not published: so that readers know of how many attempts a published network is the best."""

    run: str
    env: str
    option: str
    components: str
    seed: int
    steps: int
    minutes: float  # of a processor
    wins: str  # at the end of the run, by side
    reason: str
    command: str
    git: str


def discard(run: Path, reason: str) -> DiscardedRun:
    """Record a run as one that was not published, in place of an earlier row of its folder. Raises `RfopError`."""
    trained, rows = read_run(run), RunFolder(run).curve_rows()
    metadata, network, last = trained.run_metadata, trained.network_metadata, rows[-1]
    wins = [f"{row.side} {row.win_rate:.1%}" for row in rows if row.steps == last.steps]
    discarded = DiscardedRun(
        run.name, metadata["environment"], metadata["arguments"].get("option", ""), network["components"],
        network["seed"], int(last.steps), round((last.processor_seconds or 0.0) / 60, 1),
        ", ".join(wins), reason, metadata["command"], metadata["git"],
    )  # fmt: skip
    with records.writing(DISCARDED):
        earlier = records.read_rows(DISCARDED, DiscardedRun)
        rows_of_others = [row for row in earlier if (row.run, row.command) != (discarded.run, discarded.command)]
        records.write_records(DISCARDED, [*rows_of_others, discarded], DiscardedRun)
    return discarded


def discarded_table(rows: Sequence[DiscardedRun]) -> str:
    """Discarded runs in Markdown."""
    titles = ["environment", "component set", "decisions", "minutes", "wins at the end", "why it was not published"]
    cells = [
        [
            f"`{row.env}`",
            f"`{row.components}`",
            f"{row.steps / 1e6:.1f} million",
            f"{row.minutes:.0f}",
            row.wins,
            row.reason,
        ]
        for row in rows
    ]
    return markdown_table(titles, cells, right=(2, 3))


# -- the command -------------------------------------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("run", type=Path, help="folder of the run")
    parser.add_argument("name", nargs="?", help="name of the baseline, as in red-flag/ppo-3")
    parser.add_argument("--discard", metavar="REASON", help="publish nothing: record why not")
    parser.add_argument("--against", nargs="+", help="opponents (default: random, greedy and scripted players)")
    parser.add_argument("--temperature", type=float, default=0.0, help="0: the likeliest action (default %(default)s)")
    add_deals(parser)
    parser.add_argument("--workers", type=number(int, 1), default=1, help="processes that play (default %(default)s)")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    if (args.name is None) == (args.discard is None):
        raise UsageError("give the name of a baseline, or --discard with the reason")
    if args.discard is not None:
        print(discarded_table([discard(args.run, args.discard)]))
        return 0
    metadata = publish(args.run, args.name, args.against, args.deals, args.temperature, args.workers)
    print(baselines_table([metadata]))
    games = min(score.games for score in metadata.headline)
    if note := remark(games, [args.name]):
        print(f"\n{note}")
    return 0
