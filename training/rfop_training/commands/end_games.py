"""Solve end games exactly, and measure agents against best play.

    rfop end-games random scripted revolution/ppo-2 search-100 --env Revolution-v0
    rfop end-games revolution/ppo-2 --env Revolution-v0 --left 10 --games 20 --csv end_games.csv
    rfop end-games random red-flag/ppo-2 --env RedFlagOverParis-v0 --origin red-flag/ppo-2 --cfr 100

For games of two seats without chance and secrets, and for Red Flag Over Paris. The positions are those of games of an
agent against itself (`--origin`): so many decisions before the longest game would end, or with so many cards still to
be played in the Final Crisis. Everything that can follow them is searched to the last, so that it is known what best
responses win from an agent. The probabilities of a random agent, and of a network that samples (`@1`), are taken as
they are.

An end game of Red Flag Over Paris begins with a chance node, which deals the hidden cards in hand and some cards of the
deck anew. Cards that are drawn later are chance nodes too. End games that are too large, or decided, are passed over.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rfop_env.game_setup import add_components
from rfop_training.common.command_line import add_env, whole
from rfop_training.common.records import require_rows
from rfop_training.evaluation.arguments import AGENT
from rfop_training.evaluation.end_games import (
    CARDS_LEFT,
    DEALS,
    LEFT,
    MOST,
    MOST_OF_DEALS,
    EndGames,
    FindingRow,
    cfr_findings,
    findings,
    findings_table,
    write_findings,
)
from rfop_training.evaluation.tasks import Setting, display_names


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("agents", nargs="+", metavar="AGENT", help=AGENT)
    add_env(parser)
    parser.add_argument("--origin", default="", metavar="AGENT", help="whose games (default: the scripted player's)")
    left = f"decisions before the end (default {LEFT}), or cards to be played (default {CARDS_LEFT})"
    parser.add_argument("--left", type=whole(1), default=0, help=left)
    parser.add_argument("--games", type=whole(2), default=100, help="games to take them from (default %(default)s)")
    add_components(parser, "a component file, or small_board (default: the shipped set)")
    parser.add_argument("--reward", default="", help="reward kind (default: the game's first)")
    parser.add_argument(
        "--cfr", nargs="+", type=whole(1), default=[], metavar="N", help="also CFR+ with so many iterations"
    )
    most = f"positions at most: of all (default {MOST}), or of an end game with hidden cards (default {MOST_OF_DEALS})"
    parser.add_argument("--most", type=whole(1), default=0, help=most)
    deals = "deals at most, of an end game with hidden cards (default %(default)s)"
    parser.add_argument("--deals", type=whole(2), default=DEALS, help=deals)
    parser.add_argument("--seed", type=whole(0), default=0, help="of the agents' random numbers (default %(default)s)")
    parser.add_argument("--csv", type=Path, help="also write the rows into this file, which keeps its other rows")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    # Refuse wrong arguments before anything is played.
    setting = Setting.parse(
        args.env, [], seed=args.seed, components=args.components, any_components=args.any_components
    )
    end_games = EndGames(setting, args.origin, args.left, args.games, args.reward, args.most, args.deals)
    names = display_names(setting, args.agents)
    if args.csv:
        require_rows(args.csv, "--csv", FindingRow)

    # What follows the positions, and what the agents do there.
    solved = end_games.solved([setting.agent(name) for name in args.agents])
    found = findings(solved.layers, [names[name] for name in args.agents]) + cfr_findings(solved.layers, args.cfr)
    print(findings_table(found))
    following = sum(len(layer.seat) for layer in solved.layers)
    print(f"\n{len(solved.layers[0].seat):,} positions, {following:,} with all that can follow")
    for reason, count in solved.passed_over.items():
        print(f"{count:,} passed over, {reason}")
    if args.csv:
        write_findings(end_games.rows(found), args.csv)
    return 0
