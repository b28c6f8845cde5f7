"""Find an approximate best response to a frozen agent by search, rollouts or training, and measure how much it wins.

    python -m training.research respond revolution/ppo-2 --env Revolution-v0 --search 100
    python -m training.research respond scripted --env Revolution-v0 --search 100 --guide revolution/ppo-2 --csv all.csv
    python -m training.research respond paris/ppo-7 --env Paris-v0 --rollouts 32 --length 24
    python -m training.research respond revolution/ppo-2 --env Revolution-v0 --steps 3000000 --run runs/ppo

What the response wins above its share is a lower bound of the exploitability of the agent; a larger budget may find
more.

With `--search` the response is a search that knows its opponent: inside its tree the agent itself decides for the other
seats. A network guides it: `--guide`, or the agent if that is a network.

With `--rollouts` that network tries its likely actions on common redraws and plays on from each, the agent for the
other seats. This finds more than a tree in Paris.

With `--steps` and `--run` the self-play network is trained against this agent alone, in a random seat of every game; if
the agent is a network, it starts from its weights. Its reward is the outcome, by which it is scored. Then both play on
public deals. Called again, the command resumes the training, or only plays if it is complete.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from rfop_agents.catalogue import response_name
from rfop_agents.network import NetworkAgent
from rfop_env.agent_names import AgentSpec
from rfop_env.command_line import UsageError
from rfop_env.core.errors import RfopError, shown
from rfop_env.core.mixtures import mixture_text
from rfop_env.game_setup import add_option, option_text
from rfop_training.common.command_line import add_env, whole_number
from rfop_training.common.records import require_rows
from rfop_training.evaluation.arguments import BY_NAME, add_deals
from rfop_training.evaluation.matchups import evaluate
from rfop_training.evaluation.rows import SEARCHED, RecordedRow, Row, rows_table, write_rows
from rfop_training.evaluation.setting import Setting, number_of_deals
from rfop_training.networks import network_sizes
from rfop_training.ppo import PPOArguments, train
from rfop_training.run import RunFolder

RESPONSE = "best response"


@dataclass(frozen=True)
class Response(RecordedRow):
    """The row of a response against the agent it was trained to beat, with its training budget."""

    steps: int  # decisions of the response in training
    run_seed: int
    trained: str  # git revision of the training

    @property
    def subject(self) -> tuple[object, ...]:
        """As for other rows; responses trained with several seeds stand beside each other."""
        return *super().subject, self.run_seed


def exploitability(
    agent: str, setting: Setting, run: Path, metadata: Mapping[str, Any], deals: int | None = None, workers: int = 1
) -> list[Response]:
    """Play the response, the model in the folder `run`, against the agent; the last row is for all seats.

    `metadata` are those of the run.
    """
    numbers = range(deals or number_of_deals(setting))
    rows = evaluate(setting.env, [str(run), agent], numbers, options=dict(setting.options), workers=workers)
    arguments = metadata["arguments"]
    training = {"steps": arguments["steps"], "run_seed": arguments["seed"], "trained": metadata["git"]}
    return [Response(**asdict(row) | {"agent": RESPONSE}, **training) for row in rows]


def searched(
    agent: str, setting: Setting, kind: str, guide: str = "", deals: int | None = None, workers: int = 1,
    checked: bool = False,
) -> list[RecordedRow]:  # fmt: skip
    """Play an agent that looks ahead and knows its opponent against the agent; the last row is for all seats.

    `kind`: a search ("response-100") or rollouts ("rollout-16x8"). `guide` is the network that guides it; without one
    the agent itself does, if it is a network. `checked` is that of `evaluate`. Raises `RfopError` for a game of one
    seat, for an agent that cannot be asked inside a search, and for rollouts without a network.
    """
    require_several_seats(setting)
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

SETTINGS = ("env", "option", "components", "opponents", "steps", "seed", "reward")  # what makes it another response


def respond(agent: str, setting: Setting, run: Path, steps: int, init_from: str = "", **arguments: Any) -> None:
    """Train the response in the folder of its run, or resume it; `arguments` are those of `PPOArguments`.

    It is trained on what it is scored on, unless `arguments` say otherwise: the outcome, and games that all open with
    random decisions where those of the evaluation do. It starts from the network `init_from`, or from the agent itself
    if that is a network, so it is no worse at the start. Raises `RfopError`, also where the folder holds the run of
    another agent, setting, reward, seed or number of steps, or one that started from another network than `init_from`.
    """
    # Check both names before anything is trained.
    require_several_seats(setting)
    initial = setting.agent(init_from or agent)
    setting.agent(agent)
    fixed = [*SETTINGS, "init_from"] if init_from else SETTINGS
    if isinstance(initial, NetworkAgent):
        init_from = init_from or agent
        arguments = FINE_TUNING | arguments | network_sizes(initial.weights)

    own: dict[str, Any] = {
        "env": setting.env,
        "option": option_text(dict(setting.options)),
        "components": setting.components or "",
        "opponents": mixture_text({agent: 1}),
        "evaluate_against": agent,
        "init_from": init_from,
        "reward": setting.game.rewards[0].name,
        "openings": 1.0,  # as the games it is scored on; from one position it would learn by heart how to win
    }
    args = PPOArguments(run=run, steps=steps, **own | arguments)

    # A folder that holds this run already is resumed, or left as it is if the run is complete.
    folder = RunFolder(run)
    resume = folder.checkpoint.exists()
    if resume:
        require_same(folder, args, fixed)
    if resume and folder.model.exists() and folder.curve.exists() and folder.last_steps() >= steps:
        return
    train(replace(args, resume=resume))


def require_same(folder: RunFolder, args: PPOArguments, names: Sequence[str]) -> None:
    """Raise `RfopError` where the run in a folder had other values than these arguments under some of the names."""
    previous = asdict(PPOArguments()) | folder.read_metadata()["arguments"]
    values = {name: getattr(args, name) for name in names}
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
    parser.add_argument(
        "--search", type=whole_number(2), metavar="N", help="search with so many simulations a decision"
    )
    parser.add_argument(
        "--rollouts", type=whole_number(1), metavar="N", help="roll out likely actions on so many redraws"
    )
    parser.add_argument(
        "--length", type=whole_number(0), help="with --rollouts: decisions played on (default: the game's)"
    )
    parser.add_argument("--guide", default="", help="with --search and --rollouts: the network that guides it")
    parser.add_argument("--steps", type=whole_number(1), help="train instead: decisions of the response in training")
    parser.add_argument("--run", type=Path, help="with --steps: folder of the run")
    parser.add_argument("--init-from", default="", help="with --steps: initial network (default: the agent, if it can)")
    parser.add_argument(
        "--seed", type=whole_number(0), default=1, help="with --steps: seed of training (default %(default)s)"
    )
    add_deals(parser)
    parser.add_argument("--workers", type=whole_number(1), default=1, help="processes that play (default %(default)s)")
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
    print(f"{rows_table(rows)}\n\n{verdict(rows[-1], setting.game.spec.players, response_budget(args))}")
    if args.csv:
        write_rows(rows, args.csv, kind)
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
    if not args.steps and (args.run or args.init_from):
        raise UsageError("--run and --init-from are for training: leave them out with --search and --rollouts")
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
    """The rows of a response that is trained, or has been."""
    try:
        respond(args.agent, setting, args.run, args.steps, args.init_from, seed=args.seed)
        metadata = RunFolder(args.run).read_metadata()
        return exploitability(args.agent, setting, args.run, metadata, args.deals, args.workers)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"stopped; the run is kept in {args.run}, the same command continues it") from None
