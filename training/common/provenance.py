"""The state of this checkout that a published figure was made with."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

CODE = ("rfop_env", "agents", "training/*.py")  # what decides how games are played and agents trained


def revision() -> str:
    """The git revision of this checkout, with "+" where its code differs from it; "unknown" outside of git."""
    try:
        head = _git("rev-parse", "--short=12", "HEAD").strip()
        changed = _git("status", "--porcelain", "--untracked-files=no", "--", *CODE)
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return head + ("+" if changed.strip() else "")


def changed_since(git: str, paths: Sequence[Path]) -> bool:
    """Whether files have changed since a revision; false where git does not know it, and outside of git."""
    try:
        return bool(paths) and bool(_git("diff", "--name-only", git, "--", *map(str, paths)).strip())
    except (OSError, subprocess.SubprocessError):
        return False


def _git(*words: str) -> str:
    return subprocess.run(
        ["git", *words], capture_output=True, text=True, check=True, timeout=10, cwd=Path(__file__).parents[2]
    ).stdout
