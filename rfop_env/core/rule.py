"""The only module that imports Numba: `rule` for the rules of a game, `kernel` for the loops over a batch.

Rules are plain Python functions over a state record. `RFOP_JIT=0` in the environment leaves them plain, for debugging,
coverage and single-stepping; otherwise Numba compiles them. Only kernels are cached on disk; the cache is keyed by the
content of every source file that a kernel can reach, because Numba's own stamp sees the kernel's own file alone.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

JIT: bool = os.environ.get("RFOP_JIT", "1") != "0"
KEEP_DAYS = 30  # compiled kernels of older sources are dropped after this many days without use

# Rules are called by kernels alone: without wrappers for Python and C they compile in three quarters of the time.
_INNER: dict[str, Any] = {"error_model": "numpy", "nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

F = TypeVar("F", bound=Callable[..., Any])

if JIT:
    import numba
    from numba.core import caching
    from numba.core.registry import CPUDispatcher


def rule(function: F) -> F:
    """Mark a function as part of a game's rules: compiled by Numba, or left as it is when `RFOP_JIT=0`."""
    return _closed_to_python(numba.njit(function, **_INNER)) if JIT else function


def small_rule(function: F) -> F:
    """A `rule` of a few lines that is called everywhere: always expanded in place."""
    return _closed_to_python(numba.njit(function, forceinline=True, **_INNER)) if JIT else function


def _closed_to_python(compiled: Any) -> Any:
    """Turn a call from Python, which would crash for want of a wrapper, into an error that says what to do."""
    compiled.__class__ = _Rule
    return compiled


def kernel(function: F, name: str, sources: tuple[Path, ...], *, announced: bool = True) -> F:
    """Compile a loop over a batch, with an on-disk cache that never fails and never goes stale.

    `name` tells kernels of one factory apart; `sources` are the folders whose `*.py` the compiled code depends on;
    `announced` says on stderr that a first compilation is under way.
    """
    if not JIT:
        return function
    compiled = numba.njit(function, error_model="numpy", nogil=True)
    folder = _cache_folder(name, sources)
    if folder is not None:
        compiled._cache = _KernelCache(function, name, folder)
    return _announced(compiled, name, folder) if announced else compiled


def _announced(compiled: Any, name: str, folder: Path | None) -> Any:
    """Say once, on stderr, that a long first compilation is under way."""
    lock, told = threading.Lock(), [folder is not None and any(folder.glob("*.nbi"))]

    def call(*arguments: Any) -> Any:
        if told[0]:
            return compiled(*arguments)
        with lock:
            if told[0]:
                return compiled(*arguments)
            quiet = os.environ.get("RFOP_QUIET") == "1"
            start = time.perf_counter()
            if not quiet:
                kept = "kept for the next start" if folder else "not kept: no folder can be written"
                print(f"rfop: compiling {name} (once, a minute or so; {kept}) ...", end="", file=sys.stderr, flush=True)
            try:
                return compiled(*arguments)
            finally:
                told[0] = True
                if not quiet:
                    print(f" {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)

    return call


def source_stamp(sources: tuple[Path, ...]) -> str:
    """A hash of every Python file under the given folders, of Numba's version and of Python's."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]}".encode())
    for folder in sources:
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:20]


def _cache_root() -> Path:
    given = os.environ.get("RFOP_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return Path(given) / "rfop"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rfop"


def _cache_folder(name: str, sources: tuple[Path, ...]) -> Path | None:
    """The writable folder for this kernel and these sources, or None: then it is compiled in memory."""
    try:
        shelf = _cache_root() / name
        folder = shelf / source_stamp(sources)
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            return None
        os.utime(folder)
        for old in shelf.iterdir():
            if time.time() - old.stat().st_mtime > KEEP_DAYS * 86400:
                shutil.rmtree(old, ignore_errors=True)
        return folder
    except (OSError, RuntimeError):
        return None


if JIT:

    class _Rule(CPUDispatcher):
        """A compiled rule: other rules and kernels call it, Python cannot."""

        def __call__(self, *arguments: Any, **named: Any) -> Any:
            raise TypeError(
                f"{self.py_func.__name__} is a compiled rule, which only kernels call: play through GameBatch, "
                f"or set RFOP_JIT=0 to call rules from Python"
            )

    class _KernelCache(caching.FunctionCache):
        """Numba's function cache with our own place and our own stamp (numba issue 6845 and stale callees)."""

        def __init__(self, function: Callable[..., Any], name: str, folder: Path):
            self._name = self.__class__.__name__
            self._py_func = function
            self._impl = _Rebuild()
            self._cache_path = str(folder)
            self._cache_file = caching.IndexDataCacheFile(str(folder), name, source_stamp=folder.name)
            self._enabled = True

        def _save_overload(self, signature: Any, compiled: Any) -> None:
            if self._enabled and self._impl.check_cachable(compiled):
                key = self._index_key(signature, compiled.codegen)
                self._cache_file.save(key, self._impl.reduce(compiled))

        def _index_key(self, signature: Any, codegen: Any) -> Any:
            # The stamp in the folder's name covers the code and what it closes over.
            return (signature, codegen.magic_tuple())

    class _Rebuild(caching.CompileResultCacheImpl):
        """Only the two methods that pack and unpack a compile result; the locator is not used."""

        def __init__(self) -> None:
            self._locator = None
