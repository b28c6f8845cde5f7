"""Fixtures of the tests of all games."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Writer = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Writer:
    """Write a user's file and return its path."""

    def writer(text: str, name: str = "mine.toml") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return writer
