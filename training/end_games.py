"""Solve end games exactly, and measure agents against best play.

    python -m training.end_games random scripted revolution/ppo-2 search-100 --env Revolution-v0
    python -m training.end_games revolution/ppo-2 --env Revolution-v0 --left 10 --games 20 --csv end_games.csv

For games of two seats without chance and secrets. The positions are those of games of an agent against itself
(`--origin`), so many decisions before the longest game would end. Everything that can follow them is searched to the
last, so that the value of best play is known, and what best responses win from an agent. The probabilities of a random
agent, and of a network that samples (`@1`), are taken as they are.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from rfop_env.command_line import command
from training.common.command_line import Parser, add_env, whole
from training.common.records import read_rows, require_writable
from training.evaluation.arguments import AGENT
from training.evaluation.end_games import EndGames, FindingRow, cfr_findings, findings, findings_table, write_findings
from training.evaluation.tasks import Setting, display_names


@command()
def main(words: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = Parser("training.end_games", __doc__)
    parser.add_argument("agents", nargs="+", metavar="AGENT", help=AGENT)
    add_env(parser)
    parser.add_argument("--origin", default="scripted", metavar="AGENT", help="whose games (default %(default)s)")
    parser.add_argument("--left", type=whole(1), default=8, help="decisions before the end (default %(default)s)")
    parser.add_argument("--games", type=whole(2), default=100, help="games to take them from (default %(default)s)")
    parser.add_argument("--reward", default="", help="reward kind (default: the game's first)")
    parser.add_argument(
        "--cfr", nargs="+", type=whole(1), default=[], metavar="N", help="also CFR+ with so many iterations"
    )
    parser.add_argument("--most", type=whole(1), default=2_000_000, help="positions at most (default %(default)s)")
    parser.add_argument("--seed", type=whole(0), default=0, help="of the agents' random numbers (default %(default)s)")
    parser.add_argument("--csv", type=Path, help="also write the rows into this file, which keeps its other rows")
    args = parser.parse_args(words)

    # Refuse wrong arguments before anything is played.
    setting = Setting.parse(args.env, [], seed=args.seed)
    end_games = EndGames(setting, args.origin, args.left, args.games, args.reward, args.most)
    players = [setting.agent(name) for name in args.agents]
    if args.csv:
        require_writable(args.csv, "--csv")
        read_rows(args.csv, FindingRow)

    # What follows the positions, and what the agents do there.
    layers = end_games.solved(players)
    names = display_names(setting, args.agents)
    found = findings(layers, [names[name] for name in args.agents]) + cfr_findings(layers, args.cfr)
    print(findings_table(found))
    following = sum(len(layer.seat) for layer in layers)
    print(f"\n{len(layers[0].seat):,} positions, {following:,} with all that can follow")
    if args.csv:
        write_findings(end_games.rows(found), args.csv)
    return 0


if __name__ == "__main__":
    sys.exit(main())
