"""The metadata of a model name the environment it was trained for; it is loaded into no other one unless asked to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rfop_env.core.errors import VersionMismatch
from rfop_env.core.game import Game


def game_metadata(game: Game, components: Any) -> dict[str, Any]:
    """The metadata that a model shares with the game it plays: rules, version, sizes, digest of the component set."""
    return {
        "rules": game.rules_name,
        "version": game.version,
        "observation": game.observation.size,
        "actions": game.actions.size,
        "components": components.digest,
    }


def require_metadata(
    path: Path, metadata: Mapping[str, Any], game: Game, components: Any, any_components: bool = False
) -> bool:
    """Raise `VersionMismatch` where the metadata of a file do not fit the game and the component set.

    With `any_components` the set may be another one. Returns whether it is.
    """
    expected = game_metadata(game, components)
    wrong = {k: f"{k} {metadata.get(k)!r} instead of {v!r}" for k, v in expected.items() if metadata.get(k) != v}
    if list(wrong) == ["components"]:
        if any_components:
            return True
        raise VersionMismatch(
            f"{path} was trained for another component set of {game.id}: {wrong['components']}. To use it with this "
            "one all the same say --any-components, in Python any_components=True"
        )
    if wrong:
        raise VersionMismatch(f"{path} was trained for another environment than {game.id}: {', '.join(wrong.values())}")
    return False
