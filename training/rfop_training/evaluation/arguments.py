"""The command-line options that all commands about games on public deals share."""

from __future__ import annotations

import argparse
from typing import Any

from rfop_env.agent_names import forms_in_words
from rfop_env.command_line import number
from rfop_env.game_setup import add_components, add_option
from rfop_training.common.command_line import add_env
from rfop_training.evaluation.games import FIRST_DEAL, MAX_DEALS
from rfop_training.evaluation.rows import PUBLISHED
from rfop_training.evaluation.setting import Setting, deal_range, number_of_deals

BY_NAME, AGENT = forms_in_words(typed=False), forms_in_words(typed=True)


def add_game_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that every command about games on public deals has."""
    parser.add_argument("agents", nargs="+", metavar="AGENT", help=AGENT)
    add_setting(parser)
    add_deals(parser)
    add_first_deal(parser)
    parser.add_argument(
        "--opening",
        type=number(int, 0),
        help="random decisions that start each game (default: 0 if the game has chance or hidden information)",
    )
    parser.add_argument("--workers", type=number(int, 1), default=1, help="processes that play (default %(default)s)")
    parser.add_argument(
        "--threads", type=number(int, 1), default=1, help="threads of each environment (default %(default)s)"
    )
    add_progress(parser)


def add_setting(parser: argparse.ArgumentParser, random: str = "the agents' own random numbers") -> None:
    """Add environment, options, component set and seed; see `make_setting`. `random`: what the seed is for."""
    add_env(parser)
    parser.add_argument("--seed", type=number(int, 0), default=0, help=f"seed of {random} (default %(default)s)")
    add_option(parser)
    add_components(parser)


def make_setting(args: argparse.Namespace, **fields: Any) -> Setting:
    """The setting of the arguments of `add_setting`, with further fields; raises `RfopError`."""
    return Setting.parse(
        args.env,
        args.option,
        components=args.components,
        any_components=args.any_components,
        seed=args.seed,
        **fields,
    )


def add_deals(parser: argparse.ArgumentParser) -> None:
    """Add the number of deals; None where it is not given."""
    parser.add_argument(
        "--deals",
        type=number(int, 1, MAX_DEALS),
        metavar="N",
        help=f"number of deals (default: {PUBLISHED:,} games for each row of the table)",
    )


def add_first_deal(parser: argparse.ArgumentParser) -> None:
    """Add the number of the first deal."""
    parser.add_argument(
        "--first-deal",
        type=number(int, 0, FIRST_DEAL),
        default=0,
        help="number of the first deal (default %(default)s)",
    )


def add_progress(parser: argparse.ArgumentParser) -> None:
    """Add `--progress`; see `parse_progress`."""
    parser.add_argument(
        "--progress", action="store_true", help="count the games on stderr also where that is no terminal"
    )


def parse_progress(args: argparse.Namespace) -> bool | None:
    """The `progress` of `play_tasks`: True with `--progress`, else None."""
    return True if args.progress else None


def parse_setting(args: argparse.Namespace) -> tuple[Setting, range]:
    """The setting and the deals of a parsed command line; raises `RfopError`."""
    setting = make_setting(args, threads=args.threads, opening=args.opening)
    deals = args.deals or number_of_deals(setting)
    return setting, deal_range(setting, range(args.first_deal, args.first_deal + deals))
