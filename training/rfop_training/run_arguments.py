"""The arguments of trainers: dataclasses whose fields are options of the command line and keys of config.toml."""

from __future__ import annotations

import argparse
import json
import math
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from rfop_env import agent_names
from rfop_env.agent import Agent
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.core.game import Game
from rfop_env.registry import get_game

Arguments = TypeVar("Arguments")


# -- a field -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Range:
    """The finite numbers from `low` to `high`, without `low` itself if `above`."""

    low: float
    high: float = math.inf
    above: bool = False

    def __contains__(self, value: Any) -> bool:
        reached = self.low < value if self.above else self.low <= value
        return bool(reached and value <= self.high and value != math.inf)

    def __str__(self) -> str:
        low = f"above {self.low:,}" if self.above else f"at least {self.low:,}"
        return low if self.high == math.inf else f"{low} and at most {self.high:,}"


def argument(
    default: Any, text: str, values: Range | Sequence[str] | None = None, fixed: Callable[[Any], Any] | None = None
) -> Any:
    """A field of a trainer's arguments.

    `text` is the help. `values` is the range of a number, or the choices of a text. `fixed` is given where a resumed
    run needs the value it started with: the checkpoint stores `fixed(value)`.
    """
    return field(default=default, metadata={"help": text, "values": values, "fixed": fixed})


SHARE = Range(0, 1)
POSITIVE = Range(0, above=True)
NOT_NEGATIVE = Range(0)
MANY = 2**20  # games, steps of a rollout, ...: more would not fit into memory
WIDE = 2**16  # units of a layer
SEEDS_APART = 1_000_003  # between the games of two runs; all stay below the seeds of the evaluation
MAX_SEEDS = 1_000_000

SELF = "self"  # the learner itself in all seats
PAST = "past"  # snapshots of the learner


# -- the arguments that trainers share ---------------------------------------------------------------------------------


@dataclass
class RunArguments:
    """The arguments of every run: what it plays, for how long, and how it is evaluated and saved."""

    run: Path = argument(Path("runs/ppo"), "folder of the run")
    env: str = argument("Revolution-v0", "environment id", fixed=str)
    option: str = argument("", "options of the game: side=commune, or players=3,screens=open", fixed=str)
    components: str = argument("", "component file; empty: the shipped set")
    any_components: bool = argument(
        False,
        "use networks that were trained for another component set, too: --init-from, opponents, and with --resume the "
        "run's own",
    )
    minutes: float = argument(
        0.0, "stop after this many minutes, with --resume as many more; 0: only --steps ends the run", NOT_NEGATIVE
    )
    steps: int = argument(
        0, "stop after this many decisions of the learner; 0: only --minutes ends the run", NOT_NEGATIVE
    )
    until: int = argument(
        0,
        "stop after this many decisions, within the budget of --steps or --minutes; --resume goes on; 0: not",
        NOT_NEGATIVE,
    )
    seed: int = argument(1, "seed of networks, games and action sampling", Range(0, MAX_SEEDS), fixed=str)
    resume: bool = argument(False, "continue from the checkpoint of the run")
    reward: str = argument(
        "",
        "reward kind, or several with weights, as in outcome=0.5,margin=0.5, paid as they change; empty: the dense "
        "one, or else that of points, in games of several seats half that and half the first (who won)",
        fixed=str,
    )
    num_envs: int = argument(512, "parallel games", Range(1, MANY), fixed=str)
    learning_rate: float = argument(1e-3, "initial learning rate; falls to a tenth over the budget", NOT_NEGATIVE)
    width: int = argument(256, "units of each hidden layer", Range(1, WIDE), fixed=str)
    evaluate_every: float = argument(60.0, "seconds between two points of the learning curve", NOT_NEGATIVE)
    evaluate_steps: int = argument(
        0, "decisions between two points, the same on every machine; 0: by --evaluate-every", NOT_NEGATIVE
    )
    evaluate_deals: int = argument(100, "deals per side for each point of the learning curve", Range(1, MANY))
    evaluate_replays: int = argument(
        0, "games per side for each point of the learning curve that are recorded (rfop replay)", Range(0, MANY)
    )
    checkpoint_every: float = argument(120.0, "seconds between two checkpoints", NOT_NEGATIVE)
    threads: int = argument(1, "threads of torch and of the environment", Range(1, 1024))
    quiet: bool = argument(False, "no progress bar")

    def load_agent(self, name: str, game: Game, components: Any) -> Agent:
        """The agent of a name that the user of the run has typed. Raises `RfopError`."""
        from rfop_env.players import load_agent

        return load_agent(name, game, components, typed=True, any_components=self.any_components)


@dataclass
class AllSeatsArguments(RunArguments):
    """The arguments that trainers of one network for all seats share."""

    opponents: str = argument(
        "",
        "who has the other seats, by shares of the games: self, past (snapshots), or any agent by name (with a comma "
        "in it: in double quotes), as in self=0.7,past=0.2,scripted=0.1; empty: self=0.8,past=0.2",
        fixed=str,
    )
    init_from: str = argument("", "initial network: the path of a model or run, or a baseline's name")
    layers: int = argument(2, "hidden layers", Range(1, 100), fixed=str)
    space_units: int = argument(
        0,
        "units of each space of the board in a network that looks at all spaces with the same weights; 0: layers over "
        "the whole observation",
        Range(0, WIDE),
        fixed=str,
    )
    input_scale: str = argument(
        "range",
        "what inputs are divided by: range, that which the game declares; data, their spread in scripted and random "
        "games; with --init-from as in that network",
        ("range", "data"),
        fixed=str,
    )
    precision: str = argument(
        "float32",
        "products of hidden layers: float32, or bfloat16, faster on processors that support it",
        ("float32", "bfloat16"),
    )
    no_symmetries: bool = argument(False, "never rotate or mirror a board that has symmetries", fixed=str)
    openings: float = argument(
        0.5, "share of games without chance and hidden information that start with random decisions", SHARE, fixed=bool
    )
    evaluate_against: str = argument("", "opponent of the learning curve; empty: the game's last scripted player")
    threads: int = argument(
        1, "threads: each has its share of the games and of every minibatch", Range(1, 1024), fixed=str
    )

    @property
    def first_seed(self) -> int:
        """The seed of the first game of the run."""
        return self.seed * SEEDS_APART

    def thread_games(self, thread: int) -> range:
        """The numbers of the games of a thread."""
        return range(self.num_envs * thread // self.threads, self.num_envs * (thread + 1) // self.threads)


def game_options(option: str, game: Game) -> dict[str, Any]:
    """The options in a text like "players=3,screens=open"; the side is random for each game where none is named."""
    from rfop_env.game_setup import parse_options

    side = {"side": "random"} if "side" in [o.name for o in game.options] else {}
    values = side | parse_options(option)
    game.encode_options(values)
    return values


def load_game(arguments: RunArguments, components: Any = None) -> tuple[Game, Any]:
    """The game of a run, as it is under its options and component set, and that set.

    `components`: the set, where it is loaded already; None: that which the arguments name. Raises `RfopError`.
    """
    game = get_game(arguments.env)
    if components is None:
        components = game.load_components(arguments.components or None)
    return game.under(game_options(arguments.option, game), components), components


def training_rewards(text: str, game: Game) -> dict[str, float]:
    """Reward kinds and their weights from a text like "outcome=0.5,margin=0.5"; for "" those that suit the game.

    Raises `RfopError`.
    """
    from rfop_env.core.batch_arguments import reward_weights

    outcome = game.rewards[0].name
    dense = [reward.name for reward in game.rewards if reward.dense]
    if dense or game.spec.players == 1 or outcome == game.points:
        default = [*dense, game.points][0]
    else:
        default = f"{outcome}=0.5,{game.points}=0.5"
    return reward_weights(game, text or default)


def opponent_shares(text: str, game: Game) -> dict[str, float]:
    """Opponents and their shares of the games, which add up to 1, from a text like "self=0.7,runs/x=0.3".

    For "": the learner itself, and in games of several seats its snapshots. Raises `RfopError`.
    """
    solo = game.spec.players == 1
    default = SELF if solo else f"{SELF}=0.8,{PAST}=0.2"
    shares = agent_names.parse_opponents(text or default, "--opponents")
    if solo and list(shares) != [SELF]:
        raise RfopError(f"--opponents: {game.id} has one seat, so nobody else plays; leave it out")
    return shares


# -- the command line, and files of arguments --------------------------------------------------------------------------


def add_fields(parser: argparse.ArgumentParser, kind: type) -> None:
    """Add an option for each field of a dataclass of arguments."""
    from rfop_env import command_line, game_setup

    for f in fields(kind):
        flag, text = flag_name(f.name), f.metadata["help"]
        assert f.default is not MISSING
        if f.name == "option":
            game_setup.add_option(parser)
        elif isinstance(f.default, bool):
            parser.add_argument(flag, action="store_true", help=text)
        else:
            parse: Callable[[str], Any] = type(f.default)
            if isinstance(f.default, Path):
                parse = Path
            elif f.name == "env":
                parse = command_line.environment
            usual = "" if f.default == "" else " (default: %(default)s)"
            parser.add_argument(flag, type=parse, default=f.default, help=f"{text}{usual}")


def parsed_arguments(kind: type[Arguments], args: argparse.Namespace) -> Arguments:
    """The dataclass of a parsed command line. Raises `RfopError`."""
    from rfop_env import game_setup

    values = {f.name: getattr(args, f.name) for f in fields(kind)}  # type: ignore[arg-type]
    if "option" in values:  # one text, so that a run can store them
        values["option"] = game_setup.option_text(game_setup.parse_options(values["option"]))
    arguments = kind(**values)
    check_arguments(arguments)
    return arguments


def parse_arguments(kind: type[Arguments], words: Sequence[str]) -> Arguments:
    """The dataclass of the words of a command line. Raises `RfopError`."""
    from rfop_env.command_line import Parser

    parser = Parser("rfop train")
    add_fields(parser, kind)
    return parsed_arguments(kind, parser.parse_args(words))


def command_text(trainer: str, arguments: Any) -> str:
    """The shell command that repeats a run of a trainer.

    It is the command that was typed, if that called the trainer. Where another program trains (a best response, a
    notebook, a process for one of several seeds), or a file was given, it has each argument that differs from its
    default.
    """
    command = ["train", trainer]
    typed = sys.argv[3:]
    if sys.argv[1:3] == command and not any(word.startswith("--config") for word in typed):
        return shlex.join(["rfop", *command, *typed])

    words = []
    for f in fields(arguments):
        value = getattr(arguments, f.name)
        if value != f.default:
            words += [flag_name(f.name)] if isinstance(f.default, bool) else [flag_name(f.name), str(value)]
    return shlex.join(["rfop", *command, *words])


def config_text(arguments: Mapping[str, Any]) -> str:
    """The TOML file that `--config` reads as these values by name, under the names of their flags.

    `resume` and `quiet` are left out: the file begins a run, however it is watched.
    """
    lines = []
    for name, value in arguments.items():
        if name not in ("resume", "quiet"):
            text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # the escape that JSON lacks
            lines.append(f"{flag_name(name).removeprefix('--')} = {text}\n")
    return "".join(lines)


def flag_name(name: str) -> str:
    """The command-line flag of a field: `--num-envs` for `num_envs`."""
    return "--" + name.replace("_", "-")


def check_arguments(arguments: Any) -> None:
    """Raise `RfopError` for a value that has another type than its default, or is out of its range."""
    for f in fields(arguments):
        value, values, kind = getattr(arguments, f.name), f.metadata["values"], type(f.default)
        if kind in (int, float):
            _check_number(flag_name(f.name), value, kind, values)
        elif not isinstance(value, Path if issubclass(kind, Path) else kind):
            raise RfopError(f"{flag_name(f.name)}: expected a {kind.__name__}, found {value!r}")
        elif values is not None and value not in values:
            raise UnknownName(f"value of {flag_name(f.name)}", value, values)


def _check_number(flag: str, value: Any, kind: type, values: Range) -> None:
    types = (int, np.integer) if kind is int else (int, float, np.integer, np.floating)
    if isinstance(value, bool) or not isinstance(value, types) or value not in values:
        expected = "a whole number" if kind is int else "a number"
        raise RfopError(f"{flag}: expected {expected}, {values}; found {value!r}")


def check_budget(arguments: RunArguments) -> None:
    """Raise `RfopError` for a run without an end."""
    if arguments.minutes <= 0 and arguments.steps <= 0:
        raise RfopError("how long? give --minutes or --steps")


def fixed_values(arguments: Any) -> dict[str, str]:
    """The values that a resumed run must share with its checkpoint, as text by name."""
    return {
        f.name: str(f.metadata["fixed"](getattr(arguments, f.name)))
        for f in fields(arguments)
        if f.metadata["fixed"] is not None
    }
