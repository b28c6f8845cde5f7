"""Play agents and write their games as a Minari data set: observations, masks, actions and rewards of every seat.

    rfop dataset revolution-scripted-v0 scripted --env Revolution-v0 --games 1000
    rfop dataset solo-mixed-v0 red-flag/solo-12@1 --env RedFlagOverParisSolo-v1 --option side=random
    rfop dataset paris-v0 scripted random scripted --env Paris-v0 --option players=3

One agent plays all seats, or each of as many agents as there are seats plays every seat in turn. An episode is a game
from the side of one seat. What a search finds (visits, values, improved policy) is kept as well. Game i has the seed
--seed + i, never that of an evaluation's deal. docs/train.md says more.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rfop_env import game_setup
from rfop_env.command_line import UsageError, number
from rfop_env.players import load_agent
from rfop_env.registry import get_game
from rfop_training.common.command_line import add_env
from rfop_training.datasets.collect import MOST_GAMES, Plan
from rfop_training.datasets.minari_files import require_minari, write_dataset
from rfop_training.evaluation.arguments import AGENT
from rfop_training.evaluation.games import FIRST_DEAL

GAMES = 100


STOPPED = "stopped: nothing was written"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("name", help="the data set's name with its version, as in my-games-v0")
    parser.add_argument("agents", nargs="+", metavar="AGENT", help=AGENT)
    add_env(parser)
    parser.add_argument(
        "--games", type=number(int, 1, MOST_GAMES), default=GAMES, metavar="N", help="how many (default %(default)s)"
    )
    parser.add_argument(
        "--seed",
        type=number(int, 0, FIRST_DEAL),
        default=0,
        help="of the first game, and of the agents (default %(default)s)",
    )
    parser.add_argument("--root", type=Path, metavar="FOLDER", help="the folder of data sets (default: Minari's own)")
    parser.add_argument("--reward", metavar="KIND", help="the kind of reward (default: the environment's first)")
    parser.add_argument(
        "--threads", type=number(int, 1), default=1, help="threads of the environment (default %(default)s)"
    )
    game_setup.add_option(parser)
    game_setup.add_components(parser)


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    require_minari()
    folder = write_dataset(args.name, _plan(args), args.root, _tell)
    print(f"Written: {folder}")
    return 0


def _plan(args: argparse.Namespace) -> Plan:
    """What is to be played; raises `RfopError`."""
    options = game_setup.parse_options(args.option)
    game = get_game(args.env)
    components = game.load_components(args.components)
    game = game.under(options, components)
    if args.reward is not None:
        game.reward(args.reward)

    seats, names = game.spec.players, args.agents
    if len(names) not in (1, seats):
        numbers = "1 agent" if seats == 1 else f"1 or {seats} agents"
        raise UsageError(f"{game.id} takes {numbers} here, and {len(names)} are named")
    agents = [
        load_agent(name, game, components, typed=True, any_components=args.any_components)
        for name in (names if len(names) == seats else names * seats)
    ]
    return Plan(game, options, components, agents, args.games, args.seed, args.reward, args.threads)


def _tell(games: int, steps: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{games:,} games, {steps:,} decisions", end="", file=sys.stderr)
