"""The arguments that trainers share; every field is a command-line option."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rfop_env.agent_names import parse_opponents
from rfop_env.core.batch_arguments import reward_weights
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_env.game_setup import parse_options
from rfop_env.registry import get_game
from rfop_training.learning.options import Range, argument, changed

SHARE = Range(0, 1)
POSITIVE = Range(0, above=True)
NOT_NEGATIVE = Range(0)
MANY = 2**20  # games, steps of a rollout, ...: more would not fit into memory
WIDE = 2**16  # units of a layer
MAX_THREADS = 1024
MAX_SEEDS = 1_000_000  # the games of all runs have seeds below those of the evaluation
ENDLESS = 10**12  # steps, where only the clock ends a run of MaskablePPO

BY_RANGE, BY_DATA = "range", "data"  # of inputs: what they are divided by

SELF = "self"  # the learner itself in all seats
PAST = "past"  # snapshots of the learner


@dataclass
class RunArguments:
    """The arguments that all trainers share."""

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
    seed: int = argument(1, "seed of networks, games and action sampling", Range(0, MAX_SEEDS))
    resume: bool = argument(False, "continue from the checkpoint of the run")
    reward: str = argument("", "reward kind; empty: the dense one, or else that of points")
    num_envs: int = argument(512, "parallel games", Range(1, MANY))
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
    threads: int = argument(1, "threads of torch and of the environment", Range(1, MAX_THREADS))
    quiet: bool = argument(False, "no progress bar")


@dataclass
class AllSeatsArguments(RunArguments):
    """The arguments that trainers of one network for all seats share."""

    seed: int = changed(RunArguments, "seed", 1, fixed=str)
    opponents: str = argument(
        "",
        "who has the other seats, by shares of the games: self, past (snapshots), or any agent by name (with a comma "
        "in it: in double quotes), as in self=0.7,past=0.2,scripted=0.1; empty: self=0.8,past=0.2",
        fixed=str,
    )
    reward: str = changed(
        RunArguments,
        "reward",
        "",
        help="reward kind, or several with weights, as in outcome=0.5,margin=0.5, paid as they change; empty: the "
        "dense one, or else that of points, in games of several seats half that and half the first (who won)",
        fixed=str,
    )
    num_envs: int = changed(RunArguments, "num_envs", 512, fixed=str)
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
        BY_RANGE,
        "what inputs are divided by: range, that which the game declares; data, their spread in scripted and random "
        "games; with --init-from as in that network",
        (BY_RANGE, BY_DATA),
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

    @property
    def bf16(self) -> bool:
        """Whether the products of hidden layers are in bfloat16."""
        return self.precision == "bfloat16"


# -- arguments that are texts of several values ------------------------------------------------------------------------


def game_options(option: str, game: Game) -> dict[str, Any]:
    """The options in a text like "players=3,screens=open"; the side is drawn for each game where none is given."""
    sides = {"side": "random"} if "side" in [o.name for o in game.options] else {}
    options = sides | parse_options(option)
    game.encode_options(options)
    return options


def game_of(arguments: RunArguments, components: Any = None) -> tuple[Game, Any]:
    """The game of a run, as it is under its options and component set, and that set.

    `components`: the set, where it is loaded already; None: that which the arguments name. Raises `RfopError`.
    """
    game = get_game(arguments.env)
    if components is None:
        components = game.load_components(arguments.components or None)
    return game.under(game_options(arguments.option, game), components), components


def check_budget(arguments: RunArguments) -> None:
    """Raise `RfopError` for a run without an end."""
    if arguments.minutes <= 0 and arguments.steps <= 0:
        raise RfopError("how long? give --minutes or --steps")


def rewards_of(text: str, game: Game) -> dict[str, float]:
    """Reward kinds and their weights from a text like "outcome=0.5,margin=0.5"; for "" those that suit the game.

    Raises `RfopError`.
    """
    first = game.rewards[0].name
    dense = [reward.name for reward in game.rewards if reward.dense]
    usual = [*dense, game.points][0] if dense or game.spec.players == 1 or first == game.points else ""
    return reward_weights(game, text or usual or f"{first}=0.5,{game.points}=0.5")


def opponents_of(text: str, game: Game) -> dict[str, float]:
    """Opponents and their shares of the games, which add up to 1, from a text like "self=0.7,runs/x=0.3".

    For "": the learner itself, and in games of several seats its snapshots. Raises `RfopError`.
    """
    if game.spec.players == 1:
        text = text or SELF
    shares = parse_opponents(text or f"{SELF}=0.8,{PAST}=0.2", "--opponents")
    if game.spec.players == 1 and list(shares) != [SELF]:
        raise RfopError(f"--opponents: {game.id} has one seat, so nobody else plays; leave it out")
    return shares
