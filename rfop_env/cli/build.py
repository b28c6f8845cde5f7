"""Write the rules of a game as a WebAssembly module, and a description of it, for a browser or any other host.

    rfop build wasm Revolution-v0 --out build

The folder gets ID.wasm, ID.json and ID.components.bin. `rfop_env/browser/module.py` says what the module does.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from rfop_env.command_line import environment
from rfop_env.game_setup import add_components, add_option


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of the command."""
    parser.add_argument("env", type=environment, metavar="ID", help="the environment")
    parser.add_argument("--out", type=Path, metavar="FOLDER", default=Path(), help="default: the present folder")
    add_option(parser)
    add_components(parser)


def run(args: argparse.Namespace) -> int:
    """Write the three files."""
    from rfop_env.browser.description import describe_module
    from rfop_env.browser.module import rules_module
    from rfop_env.core.files import write_whole
    from rfop_env.game_setup import parse_options
    from rfop_env.registry import get_game

    game = get_game(args.env)
    components = game.load_components(args.components)
    module = rules_module(game)
    description = describe_module(game, parse_options(args.option), components, module)
    files = {
        f"{game.id}.wasm": module,
        f"{game.id}.json": json.dumps(description, indent=1),
        f"{game.id}.components.bin": components.record.tobytes(),
    }
    args.out.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        write_whole(args.out / name, content)
        print(f"Written: {args.out / name}")
    return 0
