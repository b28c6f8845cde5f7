"""Write a page that plays a game in any browser, without a server.

    rfop page Revolution-v0 --out revolution.html
    rfop page Revolution-v0 --agent revolution/xi-2 --agent search-200+revolution/xi-2 --out revolution.html
    rfop page Revolution-v0 --replay game.rfop --out game.html
    rfop page Paris-v0 --option players=3 --beside --out site/paris.html

The page is one file: the rules as WebAssembly, the drawings, and the programs. It needs no network connection.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rfop_env.command_line import environment, output_file
from rfop_env.game_setup import add_components, add_option


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of the command."""
    parser.add_argument("env", type=environment, metavar="ID", help="the environment")
    parser.add_argument("--out", type=output_file, metavar="FILE", required=True, help="the page")
    add_option(parser)
    parser.add_argument(
        "--agent",
        action="append",
        default=[],
        metavar="NAME",
        help="a network, or a search, that can be chosen for a seat; may be repeated (default: those of the game)",
    )
    parser.add_argument(
        "--beside", action="store_true", help="write networks beside the page, to be served and loaded when chosen"
    )
    parser.add_argument(
        "--replay",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="a recorded game that can be opened on the page; its options are those of the page; may be repeated",
    )
    add_components(parser)


def run(args: argparse.Namespace) -> int:
    """Write the page, and say what it holds."""
    from rfop_env.browser.page import default_programs, make_page
    from rfop_env.core.files import write_whole
    from rfop_env.game_setup import parse_options
    from rfop_env.registry import get_game
    from rfop_env.replays import Replay

    replays = [Replay.read(path) for path in args.replay]
    game, options = get_game(args.env), parse_options(args.option)
    if replays and not options and replays[0].game.id == game.id:
        options = replays[0].options
    components = game.load_components(args.components)
    names = default_programs(game.under(options, components), components, args.agent)
    page = make_page(game, components, options, names, embed=not args.beside, replays=replays)
    write_whole(args.out, page.html)
    for name, data in page.files.items():
        write_whole(args.out.with_name(name), data)
    files = f", and {', '.join(page.files)} beside it" if page.files else ""
    print(f"Written: {args.out} ({len(page.html) / 1e6:.1f} MB{files}), with {', '.join(names)}")
    return 0
