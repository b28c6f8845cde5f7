"""The metadata of a model name the environment it was trained for; it is loaded into no other environment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rfop_env.core.errors import VersionMismatch
from rfop_env.core.game import Game


LARGEST_WEIGHT = 1_000_000  # of a reward kind, with either sign
WEIGHTS = f"from -{LARGEST_WEIGHT:,} to {LARGEST_WEIGHT:,}"


def is_weight(value: object) -> bool:
    """Whether a value can be the weight of a reward kind: a number in bounds, and so a finite one."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= LARGEST_WEIGHT


def game_metadata(game: Game, components: Any) -> dict[str, Any]:
    """The metadata that a model shares with the game it plays: rules, version, sizes, digest of the component set."""
    return {
        "rules": game.rules_name,
        "version": game.version,
        "observation": game.observation.size,
        "actions": game.actions.size,
        "components": components.digest,
    }


def require_metadata(path: Path, metadata: Mapping[str, Any], game: Game, components: Any) -> None:
    """Raise `VersionMismatch` where the metadata of a file do not fit the game and the component set."""
    expected = game_metadata(game, components)
    wrong = [f"{k} {metadata.get(k)!r} instead of {v!r}" for k, v in expected.items() if metadata.get(k) != v]
    if wrong:
        raise VersionMismatch(f"{path} was trained for another environment than {game.id}: {', '.join(wrong)}")
