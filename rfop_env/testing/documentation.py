"""The parts of the documentation that come from code: tables between two marker comments, and the picture.

    python -m rfop_env.testing.documentation

rewrites them in a checkout; `stale` names those that do not say what the code says. A block is opened by

    <!-- generated: actions RedFlagOverParis-v0 -->

and closed by `<!-- /generated -->`; the words after the colon are a block of `BLOCKS` and its arguments.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from rfop_env.core.batch import GameBatch
from rfop_env.core.component_file import PROVENANCES, Field, Table
from rfop_env.core.errors import UnknownName
from rfop_env.core.files import write_whole
from rfop_env.core.random_stream import STREAMS, begin_streams, random_word
from rfop_env.core.rule import kernel
from rfop_env.registry import entries, get_game

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "docs/*.md", "rfop_env/games/*/RULES.md")
PICTURE = "docs/position.svg"
PICTURE_GAME, PICTURE_SEED, PICTURE_DECISIONS = "RedFlagOverParis-v0", 646, 72
WORDS = 4  # of each stream that the reference vectors show
STREAM_NAMES = ("deal", "dice", "bot", "policy", "determinize")

_BLOCK = re.compile(r"(<!-- generated: ([^\n]+?) -->\n).*?(<!-- /generated -->)", re.DOTALL)


# -- the blocks --------------------------------------------------------------------------------------------------------


def environments() -> str:
    """The table of environments."""
    rows = [
        [f"[`{e.id}`]({_page(e.id)})", e.title, e.players, _options(e.id), _interface(e.interface)] for e in entries()
    ]
    return _table(["id", "game", "players", "options", "`rfop_env.make` gives"], rows)


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
    return _table(["option", "values, the default first", "meaning"], rows)


def rewards(name: str) -> str:
    """The reward kinds of a game; the first is the default."""
    rows = [[f'`"{r.name}"`', "in parts" if r.dense else "at the end", r.meaning] for r in get_game(name).rewards]
    return _table(["`reward`, the default first", "paid", "meaning"], rows)


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
    return _table(["", " ".join([f"`{name}`", *options])], rows)


def opponents(name: str) -> str:
    """The players that the environment itself can put into seats."""
    return _table(["`opponent`", "what it does"], [[f'`"{o.name}"`', o.meaning] for o in get_game(name).opponents])


def provenance(name: str) -> str:
    """The numbers of rows of the shipped set that are printed, published and reconstructed."""
    rows = []
    for table, content in get_game(name).load_components(None).content.tables.items():
        counts = Counter(row.provenance for row in content.values())
        if not counts[""]:
            rows.append([f"`{table}`", *(str(counts[word] or "-") for word in PROVENANCES)])
    return _table(["table", *PROVENANCES], rows)


def schema(name: str) -> str:
    """The fields of every table of a component file."""
    module = import_module(f"rfop_env.games.{get_game(name).folder.name}.component_set")
    tables: Sequence[Table] = module.SETS.schema
    rows = [_schema_row(table, *item) for table in tables for item in table.all_fields().items()]
    return _table(["table", "field", "what it holds", "if left out"], rows)


def _schema_row(table: Table, name: str, field: Field) -> list[str]:
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
    states = np.zeros(len(starts), get_game(PICTURE_GAME).state).view(np.recarray)
    for state, (seed, episode) in zip(states, starts, strict=True):
        state["seed"][:] = seed & 0xFFFFFFFF, seed >> 32
        state["episode"] = episode
    words = np.zeros((len(starts), STREAMS, WORDS), np.int64)
    sources = (Path(begin_streams.__code__.co_filename).parent, Path(__file__).parent)
    kernel(_draw_words, "core.reference_words", sources)(states, words)
    rows = [
        [str(seed), str(episode), f"{k} {STREAM_NAMES[k]}", " ".join(f"{word:08x}" for word in words[i, k])]
        for i, (seed, episode) in enumerate(starts)
        for k in range(STREAMS)
    ]
    return _table(["seed", "episode", "stream", f"its first {WORDS} words, hexadecimal"], rows)


def _draw_words(states: Any, words: Any) -> None:
    for i in range(words.shape[0]):
        begin_streams(states[i])
        for stream in range(words.shape[1]):
            for k in range(words.shape[2]):
                words[i, stream, k] = random_word(states[i], stream)


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


BLOCKS: dict[str, Callable[..., str]] = {
    block.__name__: block
    for block in (environments, actions, observation, options, opponents, rewards, facts, provenance, schema, words)
}


# -- pages and picture -------------------------------------------------------------------------------------------------


def fresh(text: str) -> str:
    """A page with its generated blocks as the code has them now; `UnknownName` for a block that does not exist."""

    def body(match: re.Match[str]) -> str:
        name, *arguments = match[2].split()
        if name not in BLOCKS:
            raise UnknownName("block", name, BLOCKS)
        return f"{match[1]}{BLOCKS[name](*arguments)}\n{match[3]}"

    return _BLOCK.sub(body, text)


def picture() -> str:
    """The picture of the README: a game of random decisions, stopped in the middle."""
    batch = GameBatch(get_game(PICTURE_GAME), 1, PICTURE_SEED)
    batch.step_random(PICTURE_DECISIONS)
    return batch.draw_svg(0)


def _expected(root: Path) -> dict[Path, str]:
    """All files that hold generated parts, with what they should say."""
    pages = [path for pattern in PAGES for path in sorted(root.glob(pattern))]
    return {path: fresh(path.read_text(encoding="utf-8")) for path in pages} | {root / PICTURE: picture()}


def stale(root: Path = ROOT) -> list[str]:
    """The files of a checkout whose generated parts are not what the code says; `make docs` rewrites them."""
    return [
        path.relative_to(root).as_posix()
        for path, text in _expected(root).items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]


def rewrite(root: Path = ROOT) -> list[str]:
    """Bring the generated parts up to date; returns the files that changed."""
    changed = stale(root)
    for path, text in _expected(root).items():
        write_whole(path, text)
    return changed


def main() -> int:
    """The command line; returns the exit status."""
    if not (ROOT / "README.md").exists():
        print("error: the documentation is in the repository, not in the installed package", file=sys.stderr)
        return 2
    print("\n".join(rewrite()) or "nothing to rewrite")
    return 0


if __name__ == "__main__":
    sys.exit(main())
