"""The card of a model: what it was trained for. A model is loaded only into an environment that its card fits."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rfop_env.core.errors import VersionMismatch
from rfop_env.core.game import Game


def game_card(game: Game, components: Any) -> dict[str, Any]:
    """What a model must share with the game it plays: tables of the rules, the observation and the component set."""
    return {
        "rules": game.folder.name,
        "version": game.version,
        "observation": game.observation.size,
        "actions": game.actions.size,
        "components": components.digest,
    }


def require_card(path: Path, card: Mapping[str, Any], game: Game, components: Any) -> None:
    """Raise `VersionMismatch` where a card does not fit the game and the component set."""
    wanted = game_card(game, components)
    wrong = [f"{k} {card.get(k)!r} instead of {v!r}" for k, v in wanted.items() if card.get(k) != v]
    if wrong:
        raise VersionMismatch(f"{path} was trained for another environment than {game.id}: {', '.join(wrong)}")
