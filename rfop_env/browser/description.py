"""What a page needs to know of a game beside its rules: the layout of records, sizes, options and components."""

from __future__ import annotations

import base64
import hashlib
import inspect
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from rfop_env.browser.module import TASKS, sources_digest
from rfop_env.core.game import Game


def describe(game: Game, options: Mapping[str, object], components: Any) -> dict[str, Any]:
    """The description of a game under options (all others at their default) with a loaded component set, for JSON.

    Entries: id, title, options (their codes, as the rules read them), fields of the record by name (type as NumPy
    writes it, offset, shape), bytes of a record, number of actions, entries of an observation, seats, scripted players,
    and the component record in base64. Raises `UnknownName` and `UnknownOption`.
    """
    record = np.ascontiguousarray(components.record).view(np.uint8)
    return {
        "id": game.id,
        "title": game.title,
        "rules": game.rules_name,
        "version": game.version,
        "digest": components.digest,
        "options": game.encode_options(options).tolist(),
        "fields": field_layout(game.state),
        "record_bytes": game.state.itemsize,
        "actions": game.actions.size,
        "observation": game.observation.size,
        "players": game.under(options, components).spec.players,
        "scripted": [player.name for player in game.scripted],
        "rewards": [{"name": reward.name, "scale": reward.scale} for reward in game.rewards],
        "component_bytes": record.size,
        "components": base64.b64encode(record.tobytes()).decode(),
    }


def describe_module(game: Game, options: Mapping[str, object], components: Any, module: bytes) -> dict[str, Any]:
    """`describe`, and what a host that plays by itself needs: tasks, actions, observation, journal and frames in words.

    `sources` is the digest of the rules that the module was compiled from, `module` that of the module itself.
    """
    journal = inspect.getmodule(game.presentation.journal)
    notes = {name.lower(): code for name, code in vars(journal).items() if name.startswith("NOTE_")}
    pieces = [
        {
            "name": piece.name,
            "start": game.observation.start(piece.name),
            "entries": piece.size,
            "meaning": piece.meaning,
        }
        for piece in game.observation.pieces
    ]
    return describe(game, options, components) | {
        "tasks": {name: number for number, name in enumerate(TASKS)},
        "action_table": [asdict(row) for row in game.actions],
        "observation_pieces": pieces,
        "journal": notes,
        "frames": {frame.name: kind for kind, frame in game.record.frames.items()},
        "sources": sources_digest(game),
        "module": hashlib.sha256(module).hexdigest(),
    }


def field_layout(dtype: np.dtype[Any]) -> dict[str, dict[str, Any]]:
    """The fields of records of a dtype by name: type, offset in bytes, shape."""
    layout = {}
    for name, (kind, offset, *_) in (dtype.fields or {}).items():
        layout[name] = {"type": kind.base.str[1:], "offset": offset, "shape": list(kind.shape)}
    return layout
