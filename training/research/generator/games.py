"""Blocks that come from the games: what an environment offers, and what its component file holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from rfop_env.compiler import kernel
from rfop_env.core.component_file import PROVENANCES, Table, TableField
from rfop_env.core.random_stream import STREAMS, begin_streams, random_word
from rfop_env.markdown import markdown_table
from rfop_env.registry import entries, get_game

WORDS = 4  # of each stream that the reference vectors show
STREAM_NAMES = ("deal", "dice", "bot", "policy", "determinize")


def environments() -> str:
    """The table of environments."""
    rows = [
        [f"[`{e.id}`]({_page(e.id)})", e.title, e.players, _options(e.id), _interface(e.interface)] for e in entries()
    ]
    return markdown_table(["id", "game", "players", "options", "`rfop_env.make` gives"], rows)


def _page(name: str) -> str:
    """The page of an environment, seen from the root: the folder of its game names it."""
    return f"docs/{get_game(name).folder.name}.md"


def _options(name: str) -> str:
    return "; ".join(f"`{o.name}`: {', '.join(o.values)}" for o in get_game(name).options) or "-"


def _interface(name: str) -> str:
    return {"gymnasium": "Gymnasium `Env`", "aec": "PettingZoo `AECEnv`"}[name]


def actions(name: str) -> str:
    """The action table of a game."""
    return get_game(name).actions.markdown()


def observation(name: str) -> str:
    """The pieces of the observation of a game."""
    return get_game(name).observation.markdown()


def options(name: str) -> str:
    """The options of a game; the first value is the default."""
    rows = [[f"`{o.name}`", ", ".join(f'`"{v}"`' for v in o.values), o.meaning] for o in get_game(name).options]
    return markdown_table(["option", "values, the default first", "meaning"], rows)


def rewards(name: str) -> str:
    """The reward kinds of a game; the first is the default."""
    rows = [[f'`"{r.name}"`', "in parts" if r.dense else "at the end", r.meaning] for r in get_game(name).rewards]
    return markdown_table(["`reward`, the default first", "paid", "meaning"], rows)


def facts(name: str, *options: str) -> str:
    """Seats, sizes and declared properties of a game, under options NAME=VALUE."""
    game = get_game(name).under(dict(option.split("=") for option in options))
    spec = game.spec
    rows = [
        ["seats", ", ".join(f"`{seat}`" for seat in spec.seats)],
        ["actions", f"{game.actions.size}"],
        ["observation", f"int8 [{game.observation.size}], {len(game.observation.pieces)} pieces"],
        ["opponents inside", ", ".join(f"`{player.name}`" for player in game.opponents) or "-"],
        ["return", f"{spec.lowest_return:g} to {spec.highest_return:g}{', zero-sum' if spec.zero_sum else ''}"],
        ["decisions in a game, forced ones included", f"at most {spec.max_decisions}"],
        ["end reasons", "; ".join(game.end_reasons[1:])],
        ["state record", f"{game.state.itemsize} bytes"],
    ]
    return markdown_table(["", " ".join([f"`{name}`", *options])], rows)


def opponents(name: str) -> str:
    """The players that the environment itself can put into seats."""
    return markdown_table(
        ["`opponent`", "what it does"], [[f'`"{o.name}"`', o.meaning] for o in get_game(name).opponents]
    )


def provenance(name: str) -> str:
    """The numbers of rows of the shipped set that are printed, published and reconstructed."""
    rows = []
    for table, content in get_game(name).load_components(None).content.tables.items():
        counts = Counter(row.provenance for row in content.values())
        if content and not counts[""]:
            rows.append([f"`{table}`", *(str(counts[word] or "-") for word in PROVENANCES)])
    return markdown_table(["table", *PROVENANCES], rows)


def schema(name: str) -> str:
    """The fields of every table of a component file."""
    module = import_module(f"rfop_env.games.{get_game(name).folder.name}.component_set")
    tables: Sequence[Table] = module.SETS.schema
    rows = [_schema_row(table, *item) for table in tables for item in table.all_fields().items()]
    return markdown_table(["table", "field", "what it holds", "if left out"], rows)


def _schema_row(table: Table, name: str, field: TableField) -> list[str]:
    key = " (key)" if name in table.key else ""
    valid = field.expected
    if field.choices and ": one of" not in valid:
        valid += f", of {len(field.choices)} names"
    default = "refused" if field.default is None else f"`{str(field.default).lower() or '(empty)'}`"
    return [f"`{table.name}`", f"`{name}`{key}", valid, default]


def words() -> str:
    """The first random words of every stream, for a few seeds and episodes."""
    starts = [(0, 0), (12345, 0), (12345, 1), (2**64 - 1, 0)]
    # A game's own record: Numba would take rules compiled for a bare header for those of every longer record.
    states = np.zeros(len(starts), get_game("RedFlagOverParis-v1").state).view(np.recarray)
    for state, (seed, episode) in zip(states, starts, strict=True):
        state["seed"][:] = seed & 0xFFFFFFFF, seed >> 32
        state["episode"] = episode
    words = np.zeros((len(starts), STREAMS, WORDS), np.int64)
    kernel(_draw_words, "core.reference_words")(states, words)
    rows = [
        [str(seed), str(episode), f"{k} {STREAM_NAMES[k]}", " ".join(f"{word:08x}" for word in words[i, k])]
        for i, (seed, episode) in enumerate(starts)
        for k in range(STREAMS)
    ]
    return markdown_table(["seed", "episode", "stream", f"its first {WORDS} words, hexadecimal"], rows)


def _draw_words(states: Any, words: Any) -> None:
    for i in range(words.shape[0]):
        begin_streams(states[i])
        for stream in range(words.shape[1]):
            for k in range(words.shape[2]):
                words[i, stream, k] = random_word(states[i], stream)
