"""Make a named baseline of a run: its network, and a card that says how it was trained and how it scores.

    python -m training.publish runs/revolution revolution/ppo-1
    python -m training.publish runs/solo red-flag/ppo-1 --against random greedy solo-opponent --workers 2

The network plays 10,000 games against each opponent (in a game of one seat: for each side) on the public deals of
`training.evaluate`, in the environment of the run. Then weights and card are written to `agents/baselines`; `make docs`
enters them in the documentation. Weights of more than 2 MB are refused; those that would be, are written as float16.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import agents
from agents import baselines
from agents.baselines import Card, Score
from agents.network import MODEL, read_network, write_network
from rfop_env.command_line import command
from rfop_env.core.errors import RfopError
from rfop_env.options import parse_options
from rfop_env.registry import get_game
from training.arguments import Parser
from training.curves import read_curve
from training.evaluate import NOBODY, PUBLISHED, Row, Setting, deals_for, evaluate, remark
from training.run_folder import read_card

NAME = re.compile(r"[a-z0-9-]+/[a-z0-9-]+")
CHECK_DEALS = 100  # that the test of a baseline plays again

Weights = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Trained:
    """The network of a run, and what the run says of itself."""

    weights: Weights
    fits: dict[str, Any]  # the card in the network's file
    told: dict[str, Any]  # run.json
    minutes: float


def read_run(run: Path) -> Trained:
    """The network of a run's folder; raises `RfopError`."""
    if not (run / MODEL).is_file():
        raise RfopError(f"{run} is no run with a {MODEL}: give the folder that a trainer of this package wrote")
    told = read_card(run)
    weights, fits = read_network(run / MODEL)
    if not all(isinstance(fits.get(name), int) for name in ("steps", "seed")):
        raise RfopError(f"{run / MODEL} does not say how it was trained: give the folder as the trainer left it")
    seconds = max(columns["seconds"][-1] for columns in read_curve(run).values())
    return Trained(weights, fits, told, seconds / 60)


def played_weights(weights: Weights) -> Weights:
    """The weights that agents play with, without those that only training needs, in a type that fits into 2 MB."""
    kept = {name: w for name, w in weights.items() if re.match(r"scale$|layers\.|core\.|policy\.|value\.", name)}
    small = sum(w.nbytes for w in kept.values()) <= baselines.MOST_BYTES
    return kept if small else {name: w.astype(np.float16) for name, w in kept.items()}


def write_weights(path: Path, trained: Trained) -> None:
    """Write the network of a baseline; raises `RfopError` if it is too large."""
    write_network(path, played_weights(trained.weights), trained.fits)
    if path.stat().st_size > baselines.MOST_BYTES:
        size = path.stat().st_size
        path.unlink()
        raise RfopError(
            f"{size:,} bytes of weights, even as float16; a baseline has at most {baselines.MOST_BYTES:,}: "
            "train a narrower network (--width)"
        )


def opponents_of(setting: Setting) -> list[str]:
    """The ready-made agents that a baseline plays by default: those that need no time to think."""
    quick = ["random", "greedy", *(player.name for player in setting.game.scripted)]
    return [name for name in quick if name in agents.names(setting.game)] if setting.game.spec.players > 1 else []


def rows_against(setting: Setting, me: str, opponents: Sequence[str], deals: range, workers: int) -> Sequence[Row]:
    """The pay-off row of an agent: against each opponent, or by itself."""
    rest: dict[str, Any] = {"options": dict(setting.options), "seed": setting.seed, "opening": setting.opening}
    game = get_game(setting.env)
    if not opponents:
        return evaluate(game, [me], deals, workers=workers, **rest)
    return [row for opponent in opponents for row in evaluate(game, [me, opponent], deals, workers=workers, **rest)]


def scores_of(setting: Setting, me: str, opponents: Sequence[str], deals: range, workers: int) -> list[Score]:
    """The scores of a card: on all deals, and again on the first few by themselves."""
    rows = rows_against(setting, me, opponents, deals, workers)
    again = rows_against(setting, me, opponents, deals[:CHECK_DEALS], 1)
    return [
        Score(row.opponent, row.side, row.games, row.win_rate, row.low, row.high, row.points, few.wins)
        for row, few in zip(rows, again, strict=True)
    ]


def publish(
    run: Path, name: str, opponents: Sequence[str] | None = None, deals: int = 0, temperature: float = 0.0,
    workers: int = 1,
) -> Card:  # fmt: skip
    """Score the network of a run and write it as a baseline; the card. Raises `RfopError`."""
    if not NAME.fullmatch(name):
        raise RfopError(f"a baseline is called like red-flag/ppo-1, in small letters; found {name!r}")
    if baselines.path_of(name).exists():
        raise RfopError(f"{baselines.path_of(name)} exists: a published baseline stays as it is; take the next number")
    trained = read_run(run)
    option = trained.told["arguments"].get("option", "")
    setting = Setting(trained.told["environment"], tuple(parse_options(option).items()))
    numbers = range(deals or deals_for(setting))
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder) / "draft.safetensors"
        write_weights(draft, trained)
        me = f"{draft}@{temperature}" if temperature else str(draft)
        against = opponents_of(setting) if opponents is None else opponents
        scores = scores_of(setting, me, against, numbers, workers)
    card = card_of(name, trained, setting, option, temperature, numbers, scores)
    baselines.path_of(name).parent.mkdir(exist_ok=True)
    write_weights(baselines.path_of(name), trained)
    baselines.write_card(card, baselines.path_of(name, ".toml"))
    return card


def play_again(name: str) -> list[tuple[Score, Row]]:
    """The scores of a baseline's card, each with what it scores now on the same first deals.

    `row.wins` is `score.check_wins` unless something has changed. Another machine may round the network's sums
    otherwise, which moves a few games in a hundred at most.
    """
    card = baselines.read_card(name)
    setting = Setting(card.env, tuple(parse_options(card.option).items()), opening=card.opening)
    opponents = list(dict.fromkeys(score.opponent for score in card.scores if score.opponent != NOBODY))
    deals = range(card.first_deal, card.first_deal + card.check_deals)
    return list(zip(card.scores, rows_against(setting, name, opponents, deals, 1), strict=True))


def score_again(name: str, workers: int = 1) -> bool:
    """Bring the scores of a baseline's card up to date if it plays otherwise by now; whether it did."""
    if all(row.wins == score.check_wins for score, row in play_again(name)):
        return False
    card = baselines.read_card(name)
    setting = Setting(card.env, tuple(parse_options(card.option).items()), opening=card.opening)
    opponents = list(dict.fromkeys(score.opponent for score in card.scores if score.opponent != NOBODY))
    deals = range(card.first_deal, card.first_deal + card.deals)
    scores = tuple(scores_of(setting, name, opponents, deals, workers))
    baselines.write_card(replace(card, scores=scores), baselines.path_of(name, ".toml"))
    return True


def card_of(
    name: str,
    trained: Trained,
    setting: Setting,
    option: str,
    temperature: float,
    deals: range,
    scores: Sequence[Score],
) -> Card:
    """The card of a baseline."""
    told, fits = trained.told, trained.fits
    calls = [told, *told.get("resumes", [])]
    commands, revisions = ([str(call.get(key, "?")) for call in calls] for key in ("command", "git"))
    versions = ", ".join([f"python {told['python']}", *(f"{k} {v}" for k, v in told["packages"].items())])
    return Card(
        name, fits["rules"], fits["version"], fits["components"], told["environment"], option, temperature,
        "; ".join(commands), fits["steps"], round(trained.minutes, 1), fits["seed"],
        ", ".join(dict.fromkeys(revisions)), versions,
        setting.begin, deals.start, len(deals), min(CHECK_DEALS, len(deals)), tuple(scores),
    )  # fmt: skip


@command()
def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = Parser("training.publish", __doc__)
    parser.add_argument("run", type=Path, help="folder of the run")
    parser.add_argument("name", help="of the baseline: red-flag/ppo-1")
    parser.add_argument("--against", nargs="+", help="opponents (default: random, greedy and scripted players)")
    parser.add_argument("--temperature", type=float, default=0.0, help="0: the likeliest action (default %(default)s)")
    parser.add_argument("--deals", type=int, default=0, help=f"how many deals (default: {PUBLISHED:,} games a row)")
    parser.add_argument("--workers", type=int, default=1, help="processes that play (default %(default)s)")
    told = parser.parse_args(arguments)
    card = publish(told.run, told.name, told.against, told.deals, told.temperature, told.workers)
    print(baselines.table([card]))
    games = min(score.games for score in card.headline)
    if games < PUBLISHED:
        print(f"\n{remark(games)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
