"""What the page explains of a game: its rules in brief, the symbols of its drawing, and hints for a first game.

Symbols and hints are the `guide.toml` in the folder of the game. A hint stands above the first decision whose actions
are of one of its kinds; `games` names the environments that it is for where several share the folder.
"""

from __future__ import annotations

import tomllib
from typing import Any

from rfop_env.core.game import Game

GUIDE = "guide.toml"


def game_guide(game: Game) -> dict[str, Any]:
    """The guide of a game, for JSON: rules (Markdown), symbols, hints; empty for a game without them."""
    path = game.folder / GUIDE
    entries = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    hints = [hint for hint in entries.get("hint", []) if game.id in hint.get("games", [game.id])]
    return {
        "rules": game.brief,
        "symbols": entries.get("symbol", []),
        "hints": [{"kinds": hint["kinds"], "text": hint["text"]} for hint in hints],
    }
