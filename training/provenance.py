"""What a published figure was made with: the git revision, the versions of Python and of the libraries."""

from __future__ import annotations

import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("gymnasium", "numba", "numpy", "sb3_contrib", "stable_baselines3", "torch")


def revision() -> str:
    """The git revision of this checkout, with "+" where files differ from it; "unknown" outside of git."""
    here = Path(__file__).parent
    try:
        head, changed = (
            subprocess.run(["git", *words], capture_output=True, text=True, check=True, timeout=10, cwd=here).stdout
            for words in (["rev-parse", "--short=12", "HEAD"], ["status", "--porcelain", "--untracked-files=no"])
        )
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return head.strip() + ("+" if changed.strip() else "")


def versions() -> str:
    """Python and the libraries that training depends on: "python 3.11.7, numpy 2.4.6, ..."."""
    found = [f"python {platform.python_version()}"]
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)
