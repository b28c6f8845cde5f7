"""Kernels compiled for all users of an installation, and for every processor of a kind, in a folder of the package.

`rfop compile --shared` makes them, and a wheel takes them along. They are trusted as the package's own code is. What is
not there, or made by other sources, is compiled as if there were no such folder.
"""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding as llvm
from numba.core import config

FOLDER = Path(__file__).parents[1] / "compiled"


class Kind(NamedTuple):
    """A kind of processor."""

    cpu: str  # what LLVM calls the least of them
    features: frozenset[str]  # what each of them has


AVX2 = ("avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2", "xsave")
X86, ARM = Kind("x86-64-v3", frozenset(AVX2)), Kind("generic", frozenset())
KINDS = {"x86_64": X86, "AMD64": X86, "aarch64": ARM, "arm64": ARM}  # by what Linux, macOS and Windows call a machine


def kind_here() -> Kind | None:
    """The kind of this machine's processor; None where it has none, or where one was chosen by Numba's settings."""
    kind = KINDS.get(platform.machine())
    chosen = any(getattr(config, name) is not None for name in ("CPU_NAME", "CPU_FEATURES"))
    if kind is None or chosen or not all(llvm.get_host_cpu_features().get(name) for name in kind.features):
        return None
    return kind


def settings_for(kind: Kind) -> dict[str, str]:
    """The environment in which Numba compiles for a kind of processor."""
    return {"NUMBA_CPU_NAME": kind.cpu, "NUMBA_CPU_FEATURES": ""}


def compiled_for(kind: Kind, codegen: Any) -> tuple[tuple[Any, ...], dict[str, str]]:
    """What `codegen.magic_tuple()` and Numba's settings are where a kernel is compiled for a kind of processor."""
    return (codegen.magic_tuple()[0], kind.cpu, ""), {"CPU_NAME": kind.cpu, "CPU_FEATURES": ""}
