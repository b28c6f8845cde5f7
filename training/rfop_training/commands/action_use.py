"""Count how often an agent takes each action when it is legal, on fixed public deals.

    rfop action-use red-flag/ppo-1 --env RedFlagOverParis-v0 --by chosen --actions "use the chosen card"
    rfop action-use scripted --env LeveeEnMasse-v0 --deals 1000

`--by` splits the decisions by the entries of a piece of the observation that are above 0: in the first example, by the
card that is played. An action that trained agents never take although it is legal may be worth nothing.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rfop_env.game_setup import add_components, add_option
from rfop_env.registry import get_game
from rfop_training.common.command_line import add_env, whole
from rfop_training.common.records import require_rows
from rfop_training.evaluation.action_use import (
    ActionCount,
    action_counts,
    action_table,
    count_actions,
    never_taken,
    replace_counts,
)
from rfop_training.evaluation.arguments import AGENT, add_deals
from rfop_training.evaluation.rows import PUBLISHED
from rfop_training.evaluation.tasks import Setting


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("agent", help=f"who has every seat: {AGENT}")
    add_env(parser)
    parser.add_argument("--by", default="", metavar="PIECE", help="a piece of the observation to split by")
    parser.add_argument("--actions", default="", metavar="TEXT", help="only actions whose sentence starts with TEXT")
    add_deals(parser)
    parser.add_argument(
        "--seed", type=whole(0), default=0, help="seed of the agent's own random numbers (default %(default)s)"
    )
    add_option(parser)
    add_components(parser)
    parser.add_argument(
        "--csv", type=Path, help="also write the counts to this file, in place of the agent's in the same setting"
    )


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    # Refuse wrong arguments and files before anything is played.
    if args.csv:
        require_rows(args.csv, "--csv", ActionCount)
    setting = Setting.parse(args.env, args.option, components=args.components, seed=args.seed)
    deals = range(args.deals or PUBLISHED)

    game = get_game(args.env)
    use = count_actions(
        game, args.agent, deals, args.by, args.actions, args.any_components,
        seed=setting.seed, components=game.load_components(args.components), options=dict(setting.options),
    )  # fmt: skip
    print(action_table(use, args.by))
    if args.csv:
        made = setting.provenance(deals)
        counts = action_counts(use, game.id, made["options"], made["components"], args.by, len(deals), setting.seed)
        replace_counts(args.csv, counts)
    print(f"\nlegal and never taken: {', '.join(never_taken(use)) or 'none'}")
    return 0
