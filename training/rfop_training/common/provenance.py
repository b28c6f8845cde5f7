"""The state of this checkout, and the arithmetic of this machine, that a published figure was made with."""

from __future__ import annotations

import functools
import hashlib
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rfop_agents.network import one_thread
from rfop_env.core.errors import MissingExtra

CODE = ("rfop_env", "agents", "training/*.py")  # what decides how games are played and agents trained
ROOT = Path(__file__).parents[3]  # of the checkout; where only the package is installed, it is none
PRODUCTS = ((1, 300, 64), (9, 300, 256), (200, 256, 100))  # rows, inputs and units of a network's layers


def revision() -> str:
    """The git revision of this checkout, with "+" where its code differs from it; "unknown" outside of git."""
    try:
        head = _git("rev-parse", "--short=12", "HEAD").strip()
        changed = _git("status", "--porcelain", "--untracked-files=no", "--", *CODE)
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return head + ("+" if changed.strip() else "")


def changed_since(git: str, paths: Sequence[Path]) -> bool:
    """Whether files have contents that a revision lacks, wherever it had them; false where git does not know it."""
    try:
        tree = _git("ls-tree", "-r", git)
        return any(blob not in tree for blob in _git("hash-object", *map(str, paths)).split())
    except (OSError, subprocess.SubprocessError):
        return False


@functools.cache
def rounding() -> str:
    """A digest of how this machine rounds sums, 12 hexadecimal digits; "" without the packages that networks need.

    Machines with the same digest play a network's games alike. Others may not: how the terms of a sum are grouped
    depends on the processor and on the version of NumPy.
    """
    try:
        one_thread()
    except MissingExtra:
        return ""

    rng, digest = np.random.default_rng(0), hashlib.sha256()
    for rows, inputs, units in PRODUCTS:
        # Whole numbers are drawn alike everywhere. Sums of products of so large ones are rounded.
        x = rng.integers(-5000, 5000, (rows, inputs)).astype(np.float32)
        weight = rng.integers(-5000, 5000, (units, inputs)).astype(np.float32)
        for product in (x @ weight.T, x @ np.ascontiguousarray(weight.T)):
            digest.update(product.tobytes())

    exponents = np.linspace(-20, 0, 999)
    digest.update(np.exp(exponents).tobytes() + np.tanh(exponents.astype(np.float32)).tobytes())
    return digest.hexdigest()[:12]


def _git(*words: str) -> str:
    if not (ROOT / "rfop_env").is_dir():  # the package is installed, perhaps within another project's repository
        raise FileNotFoundError(ROOT / "rfop_env")
    return subprocess.run(["git", *words], capture_output=True, text=True, check=True, timeout=10, cwd=ROOT).stdout
