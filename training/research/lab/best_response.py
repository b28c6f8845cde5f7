"""Find an approximate best response to a frozen agent by search, rollouts or training, and measure how much it wins.

    python -m training.research respond revolution/ppo-2 --env Revolution-v0 --search 100
    python -m training.research respond scripted --env Revolution-v0 --search 100 --guide revolution/ppo-2 --csv all.csv
    python -m training.research respond paris/ppo-7 --env Paris-v0 --rollouts 32 --length 24
    python -m training.research respond revolution/ppo-2 --env Revolution-v0 --steps 30000000 --seeds 3 --run runs/ppo

What the response wins above its share is a lower bound of the exploitability of the agent; a larger budget may find
more. The agent may be any that is loaded by name: a network, one that samples, a scripted player, rollouts, a search.

With `--search` the response is a search that knows its opponent: inside its tree the agent itself decides for the other
seats. A network guides it: `--guide`, or the agent if that is a network, or else the strongest opponent known.

With `--rollouts` that network tries its likely actions on common redraws and plays on from each, the agent for the
other seats. This finds more than a tree in Paris. An agent that searches is asked thousands of times for a decision of
such a response: give it a small budget, and few deals.

With `--steps` and `--run` the self-play network is trained against this agent alone, in a random seat of every game. It
starts from the strongest opponent known: the network that wins most against the agent in the published games, or, where
they have none, in a quick match of all published networks of the game; `--init-from` names another, and an empty name
none. Its reward is the outcome, by which it is scored. With `--seeds` several runs have folders of their own. Then all
play on public deals. Called again, the command resumes the training, or only plays if it is complete.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from rfop_agents.catalogue import response_name
from rfop_agents.network import NetworkAgent
from rfop_env.agent_names import AgentSpec
from rfop_env.command_line import UsageError, number
from rfop_env.core.errors import RfopError, shown
from rfop_env.core.mixtures import mixture_text
from rfop_env.game_setup import add_option, option_text
from rfop_training.common.command_line import add_env
from rfop_training.common.records import add_records, require_rows
from rfop_training.evaluation.arguments import BY_NAME, add_deals
from rfop_training.evaluation.matchups import evaluate
from rfop_training.evaluation.rows import (
    ALL,
    SEARCHED,
    RecordedRow,
    Row,
    is_search,
    least_games,
    rows_table,
)
from rfop_training.evaluation.setting import Setting, number_of_deals
from rfop_training.networks import network_sizes
from rfop_training.ppo import PPOArguments, train
from rfop_training.run import RunFolder
from training.research.publishing.bounds import RESPONSE, Response, own_network, strongest_network


def exploitability(
    agent: str, setting: Setting, run: Path, metadata: Mapping[str, Any], deals: int | None = None, workers: int = 1
) -> list[Response]:
    """Play the response, the model in the folder `run`, against the agent; the last row is for all seats.

    `metadata` are those of the run.
    """
    numbers = range(deals or number_of_deals(setting, least_games([agent])))
    options, names = dict(setting.options), [str(run), agent]
    rows = evaluate(setting.env, names, numbers, options=options, components=setting.components, workers=workers)
    arguments = metadata["arguments"]
    training = {
        "steps": arguments["steps"],
        "run_seed": arguments["seed"],
        "trained": metadata["git"],
        "init_from": arguments.get("init_from", ""),
    }
    return [Response(**asdict(row) | {"agent": RESPONSE}, **training) for row in rows]


def searched(
    agent: str, setting: Setting, kind: str, guide: str = "", deals: int | None = None, workers: int = 1,
    checked: bool = False,
) -> list[RecordedRow]:  # fmt: skip
    """Play an agent that looks ahead and knows its opponent against the agent; the last row is for all seats.

    `kind`: a search ("response-100") or rollouts ("rollout-16x8"). `guide` is the network that guides it; without one
    the agent itself does, if it is a network, or else the strongest opponent known. `checked` is that of `evaluate`.
    Raises `RfopError` for a game of one seat, for an agent with a memory, and for rollouts without a network.
    """
    require_several_seats(setting)
    if not guide and not own_network(setting, agent):
        strongest = strongest_network(setting, agent, workers)
        guide = strongest.opponent if strongest else ""
    names = [response_name(kind, guide, agent), agent]
    numbers = range(deals or number_of_deals(setting, SEARCHED))
    options = dict(setting.options)
    return evaluate(setting.env, names, numbers, options=options, workers=workers, checked=checked)


def require_several_seats(setting: Setting) -> None:
    """Raise `RfopError` for a game in which nobody else plays."""
    if setting.game.spec.players == 1:
        raise RfopError(f"{setting.env} has one seat, so nobody to respond to")


def verdict(row: Row, seats: int, budget: str) -> str:
    """The bound as a sentence; `budget`: that of the response, as in "3,000,000 decisions"."""
    gain, low, high = (x - 1 / seats for x in (row.win_rate, row.low, row.high))
    if low <= 0:
        return f"With {budget} no response was found that wins more than its share against {row.opponent}."
    gained = f"With {budget} the response wins {gain:.1%} of all games more than its share"
    return f"{gained} ({low:.1%} to {high:.1%}): {row.opponent} is exploitable by at least that."


# -- training ----------------------------------------------------------------------------------------------------------

# For a response that starts from a trained network: with the defaults it would first forget much of what it knows.
FINE_TUNING = {"learning_rate": 3e-4, "ent_coef": 0.01, "final_ent_coef": 0.003}

# What makes it another run.
SETTINGS = ("env", "option", "components", "opponents", "steps", "seed", "reward", "init_from")


def respond(
    agent: str, setting: Setting, run: Path, steps: int, init_from: str | None = None, **arguments: Any
) -> None:
    """Train the response in the folder of its run, or resume it; `arguments` are those of `PPOArguments`.

    It starts from the network `init_from`, "" for none, or from the strongest opponent known, so it is no worse at the
    start. Raises `RfopError`, also for what `train_against` refuses.
    """
    require_several_seats(setting)
    setting.agent(agent)
    folder = RunFolder(run)
    if init_from is None and folder.checkpoint.exists():
        init_from = folder.read_metadata()["arguments"].get("init_from", "")  # a run of another trainer has none
    if init_from is None:
        init_from = initial_network(agent, setting)
    curve = {} if is_search(agent) else {"evaluate_against": agent}  # a point would take longer than the training
    train_against({agent: 1.0}, setting, run, steps, init_from, **curve | arguments)


def train_against(
    opponents: Mapping[str, float], setting: Setting, run: Path, steps: int, init_from: str, **arguments: Any
) -> None:
    """Train the self-play network against opponents, by their shares of the games, or resume the run in a folder.

    It is trained on what it is scored on, unless `arguments` say otherwise: the outcome, and games that all open with
    random decisions where those of an evaluation do. A complete run is left as it is. Raises `RfopError`, also where
    the folder holds the run of other opponents, another setting, reward, seed, number of steps or initial network.
    """
    if init_from:
        initial = setting.agent(init_from)
        if not isinstance(initial, NetworkAgent):
            raise RfopError(f"--init-from: {init_from} is no network; give a run's folder, a model or a baseline")
        arguments = FINE_TUNING | arguments | network_sizes(initial.weights)

    own: dict[str, Any] = {
        "env": setting.env,
        "option": option_text(dict(setting.options)),
        "components": setting.components or "",
        "opponents": mixture_text(opponents),
        "init_from": init_from,
        "reward": setting.game.rewards[0].name,
        "openings": 1.0,  # as the games it is scored on; from one position it would learn by heart how to win
    }
    args = PPOArguments(run=run, steps=steps, **own | arguments)

    # A folder that holds this run already is resumed, or left as it is if the run is complete.
    folder = RunFolder(run)
    resume = folder.checkpoint.exists()
    if resume:
        require_same(folder, args)
    if resume and folder.model.exists() and folder.curve.exists() and folder.last_steps() >= steps:
        return
    train(replace(args, resume=resume))


def initial_network(agent: str, setting: Setting) -> str:
    """The name of the strongest opponent known of an agent; "" without a network. Says on stderr what it is."""
    strongest = strongest_network(setting, agent)
    if strongest is None:
        return ""
    against = (
        f"wins {strongest.win_rate:.1%} of {strongest.games:,} games against it" if strongest.games else "is its own"
    )
    print(f"the response to {agent} starts from {strongest.opponent}, which {against}", file=sys.stderr)
    return strongest.opponent


def require_same(folder: RunFolder, args: PPOArguments) -> None:
    """Raise `RfopError` where the run in a folder had other values than these arguments under some of `SETTINGS`."""
    previous = asdict(PPOArguments()) | folder.read_metadata()["arguments"]
    values = {name: getattr(args, name) for name in SETTINGS}
    differences = [
        f"{name} {shown(previous[name])} instead of {value!r}"
        for name, value in values.items()
        if previous[name] != value
    ]
    if differences:
        raise RfopError(f"{folder.path} is another run, with {', '.join(differences)}: choose another --run")


# -- the command -------------------------------------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("agent", help=f"the agent to beat: {BY_NAME}")
    add_env(parser)
    add_option(parser)
    parser.add_argument("--search", type=number(int, 2), metavar="N", help="search with so many simulations a decision")
    parser.add_argument(
        "--rollouts", type=number(int, 1), metavar="N", help="roll out likely actions on so many redraws"
    )
    parser.add_argument(
        "--length", type=number(int, 0), help="with --rollouts: decisions played on (default: the game's)"
    )
    parser.add_argument("--guide", default="", help="with --search and --rollouts: the network that guides it")
    parser.add_argument("--steps", type=number(int, 1), help="train instead: decisions of the response in training")
    parser.add_argument("--run", type=Path, help="with --steps: folder of the run")
    parser.add_argument(
        "--init-from", help="with --steps: initial network, or '' for none (default: the strongest opponent known)"
    )
    parser.add_argument(
        "--seed", type=number(int, 0), default=1, help="with --steps: seed of training (default %(default)s)"
    )
    parser.add_argument(
        "--seeds",
        type=number(int, 1),
        default=1,
        help="with --steps: number of runs, with consecutive seeds, in folders seed_1, ... (default %(default)s)",
    )
    add_deals(parser)
    parser.add_argument("--workers", type=number(int, 1), default=1, help="processes that play (default %(default)s)")
    parser.add_argument("--csv", type=Path, help="also write the rows into this file, which keeps its other rows")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    require_one_way(args)

    # Refuse wrong arguments and files before anything is trained or played.
    setting = Setting.parse(args.env, args.option)
    kind = Response if args.steps else RecordedRow
    if args.csv:
        require_rows(args.csv, "--csv", kind)

    rows = by_training(args, setting) if args.steps else by_looking_ahead(args, setting)
    best = max((row for row in rows if row.side == ALL), key=lambda row: row.low)
    print(f"{rows_table(rows)}\n\n{verdict(best, setting.game.spec.players, response_budget(args))}")
    if args.csv:
        add_records(args.csv, rows, kind)
    return 0


def require_one_way(args: argparse.Namespace) -> None:
    """Raise `UsageError` unless the command line asks for one way to respond, with what that needs, to an agent."""
    if sum(map(bool, (args.search, args.rollouts, args.steps))) != 1:
        raise UsageError(
            "how? give --search N for a response by search, --rollouts N for one by rollouts, "
            "or --steps N --run FOLDER to train one"
        )
    if args.steps and not args.run:
        raise UsageError("--steps: say where the run is kept with --run FOLDER")
    if not args.steps and (args.run or args.init_from is not None or args.seeds > 1):
        raise UsageError("--run, --init-from and --seeds are for training: leave them out with --search and --rollouts")
    if args.steps and args.guide:
        raise UsageError("--guide is for a search or rollouts; a training starts from --init-from")
    if args.length is not None and not args.rollouts:
        raise UsageError("--length is for --rollouts")
    if AgentSpec.parse(args.agent).runs_code:
        raise UsageError(
            f"{args.agent}: neither a search nor a training asks a function of your own or a language model: "
            "give an agent that is loaded by name"
        )


def response_budget(args: argparse.Namespace) -> str:
    """What the response may spend, in words."""
    if args.search:
        return f"{args.search:,} simulations a decision"
    if args.rollouts:
        return f"rollouts on {args.rollouts:,} redraw{'s' if args.rollouts > 1 else ''}"
    return f"{args.steps:,} decisions"


def by_looking_ahead(args: argparse.Namespace, setting: Setting) -> Sequence[RecordedRow]:
    """The rows of a response by search or by rollouts."""
    length = "" if args.length is None else f"x{args.length}"
    kind = f"response-{args.search}" if args.search else f"rollout-{args.rollouts}{length}"
    checked = args.csv is not None
    return searched(args.agent, setting, kind, args.guide, args.deals, args.workers, checked)


def by_training(args: argparse.Namespace, setting: Setting) -> Sequence[RecordedRow]:
    """The rows of a response that is trained, or has been, with each of the seeds."""
    seeds = range(args.seed, args.seed + args.seeds)
    runs = {seed: args.run / f"seed_{seed}" if args.seeds > 1 else args.run for seed in seeds}
    init_from, rows = args.init_from, []
    try:
        for seed, run in runs.items():
            respond(args.agent, setting, run, args.steps, init_from, seed=seed)
            metadata = RunFolder(run).read_metadata()
            init_from = metadata["arguments"]["init_from"]  # of all seeds
            rows += exploitability(args.agent, setting, run, metadata, args.deals, args.workers)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"stopped; the run is kept in {args.run}, the same command continues it") from None
    return rows
