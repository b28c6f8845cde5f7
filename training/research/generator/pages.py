"""The pages with generated blocks, and the pictures of positions: what they should say, and which of them do not."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path

from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import BadArgument, UnknownName
from rfop_env.registry import get_game
from rfop_env.testing.marked_block import Block, replaced
from training.research import ROOT
from training.research.generator import recorded
from training.research.generator.blocks import BLOCKS, MEASURED

PAGES = ("README.md", "docs/*.md", "docs/environments/*.md", "docs/lab/*.md", "rfop_env/games/*/RULES.md")
PICTURE = "docs/position.svg"
PICTURE_GAME, PICTURE_SEED, PICTURE_DECISIONS = "RedFlagOverParis-v1", 646, 72


def find_pages(root: Path) -> list[Path]:
    """The files that may have blocks."""
    return [path for pattern in PAGES for path in sorted(root.glob(pattern))]


def fresh(text: str, blocks: Mapping[str, Callable[..., str]] = BLOCKS) -> str:
    """A page with its blocks as code and results have them now; those that are not among `blocks` stay as they are.

    Raises `UnknownName` for a block that does not exist, `BadArgument` for wrong arguments of a block, for a measured
    block without figures and for a mark without a partner.
    """
    return replaced(text, lambda block: _body(block, blocks))


def _body(block: Block, blocks: Mapping[str, Callable[..., str]]) -> str:
    # Measured: its figures stay.
    if block.name in MEASURED:
        if not any(character.isdigit() for character in block.body):
            raise BadArgument(f"the block {block.name!r} has no figures yet: run `{MEASURED[block.name]}`")
        return block.body

    # Generated.
    if block.name not in BLOCKS:
        raise UnknownName("block", block.name, [*BLOCKS, *MEASURED])
    if block.name not in blocks:
        return block.body
    function = BLOCKS[block.name]
    try:
        inspect.signature(function).bind(*block.arguments)
    except TypeError as error:
        words = " ".join([block.name, *block.arguments])
        raise BadArgument(f"the block {words!r}: expected {block.name}{inspect.signature(function)}") from error
    return f"{function(*block.arguments)}\n"


def pictures() -> dict[str, str]:
    """All pictures of positions: their paths and what they should hold."""
    environments = {f"docs/environments/{name}.svg": recorded.position(name) for name in recorded.MOMENTS}
    return {PICTURE: _picture()} | environments


def _picture() -> str:
    """The picture of the README: a game of random decisions, stopped in the middle."""
    batch = GameBatch(get_game(PICTURE_GAME), 1, PICTURE_SEED)
    batch.step_random(PICTURE_DECISIONS)
    return batch.draw_svg(0)


def stale(root: Path = ROOT, blocks: Mapping[str, Callable[..., str]] = BLOCKS) -> dict[Path, str]:
    """The stale files of a checkout with their new text; `BadArgument` names the page whose marks are wrong."""
    expected = {root / path: text for path, text in pictures().items()}
    for page in find_pages(root):
        try:
            expected[page] = fresh(page.read_text(encoding="utf-8"), blocks)
        except (BadArgument, UnknownName) as error:
            raise BadArgument(f"{page.relative_to(root).as_posix()}: {error}") from error
    return {path: text for path, text in sorted(expected.items()) if not _says(path, text)}


def _says(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text
