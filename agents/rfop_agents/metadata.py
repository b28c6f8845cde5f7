"""The metadata of a model, which name the environment that it was trained for."""

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
    problems = {}
    for key, value in expected.items():
        if metadata.get(key) != value:
            problems[key] = f"{key} {metadata.get(key)!r} instead of {value!r}"
    if list(problems) == ["components"]:
        if any_components:
            return True
        raise VersionMismatch(
            f"{path} was trained for another component set of {game.id}: {problems['components']}. To use it with this "
            "one all the same say --any-components, in Python any_components=True"
        )
    if problems:
        raise VersionMismatch(
            f"{path} was trained for another environment than {game.id}: {', '.join(problems.values())}"
        )
    return False
