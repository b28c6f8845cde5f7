"""Solve end games exactly, and measure agents against best play.

    python -m training.end_games random scripted revolution/ppo-2 search-100 --env Revolution-v0
    python -m training.end_games revolution/ppo-2 --env Revolution-v0 --left 10 --games 20 --csv end_games.csv

For games of two seats without chance and secrets. The positions are those of games of an agent against itself
(`--origin`), so many decisions before the longest game would end. Everything that can follow them is searched to the
last, so that the value of best play is known, and what best responses win from an agent. An agent that samples its
moves is taken at one sample in every position.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rfop_env.command_line import command
from rfop_env.core.errors import RfopError
from training.common.command_line import Parser, add_env, whole
from training.common.provenance import revision
from training.common.records import read_rows, require_writable
from training.evaluation.arguments import AGENT
from training.evaluation.exact import (
    FindingRow,
    findings,
    findings_table,
    late_positions,
    require_solvable,
    solve,
    write_findings,
)
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
    parser.add_argument("--most", type=whole(1), default=2_000_000, help="positions at most (default %(default)s)")
    parser.add_argument("--seed", type=whole(0), default=0, help="of the agents' random numbers (default %(default)s)")
    parser.add_argument("--csv", type=Path, help="also write the rows into this file, which keeps its other rows")
    args = parser.parse_args(words)

    # Refuse wrong arguments before anything is played.
    setting = Setting.parse(args.env, [], seed=args.seed)
    game = setting.game
    require_solvable(game)
    reward = game.reward(args.reward or game.rewards[0].name)[1].name
    players = [setting.agent(name) for name in args.agents]
    if args.csv:
        require_writable(args.csv, "--csv")
        read_rows(args.csv, FindingRow)

    # Positions, and what follows them.
    components = game.load_components(None)
    decisions = game.spec.max_decisions - args.left
    roots = late_positions(game, components, setting.agent(args.origin), decisions, args.games, args.seed)
    if roots is None or roots.num_games < 2:
        raise RfopError(f"of {args.games} games fewer than two last {decisions} decisions: give more --games or --left")
    layers = solve(roots, players, args.most, reward, args.seed)

    names = display_names(setting, args.agents)
    found = findings(layers, [names[name] for name in args.agents])
    print(findings_table(found))
    print(f"\n{roots.num_games:,} positions, {sum(len(layer.seat) for layer in layers):,} with all that can follow")
    if args.csv:
        provenance = {
            "env": game.id, "components": components.digest, "origin": args.origin, "left": args.left,
            "games": args.games, "reward": reward, "seed": args.seed, "git": revision(),
        }  # fmt: skip
        write_findings([FindingRow(**asdict(row), **provenance) for row in found], args.csv)
    return 0


if __name__ == "__main__":
    sys.exit(main())
