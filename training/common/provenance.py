"""The state of this checkout that a published figure was made with."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

CODE = ("rfop_env", "agents", "training/*.py")  # what decides how games are played and agents trained


def revision() -> str:
    """The git revision of this checkout, with "+" where its code differs from it; "unknown" outside of git."""
    settings: dict[str, Any] = {
        "capture_output": True,
        "text": True,
        "check": True,
        "timeout": 10,
        "cwd": Path(__file__).parents[2],
    }
    try:
        head = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], **settings).stdout.strip()
        status = ["git", "status", "--porcelain", "--untracked-files=no", "--", *CODE]
        changed = subprocess.run(status, **settings).stdout
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return head + ("+" if changed.strip() else "")
