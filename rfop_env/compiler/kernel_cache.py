"""The cache of compiled kernels on disk, by the digest of their code.

A kernel lies in `<root>/<its name>/<digest of its code>`, one file for each signature. Loading one runs its code, so
folders and files must be the user's own and writeable by nobody else. A folder or file that fails this, or cannot be
read or written, is not used: the kernel is compiled in memory. Of several processes that need a new kernel, one
compiles it and the others wait.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import math
import os
import pickle
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from filelock import BaseFileLock, FileLock, Timeout
from numba.core import config
from numba.core.caching import NullCache
from numba.core.codegen import RuntimeLinker
from numba.core.compiler import CompileResult
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps

from rfop_env.compiler.code_digest import CodeDigest, code_digest
from rfop_env.core.arguments import switch
from rfop_env.core.files import write_atomically

KEEP_DAYS = 30  # compiled kernels of older sources are dropped after this many days without use
SETTINGS = (  # what of Numba's configuration changes the code that it makes
    "BOUNDSCHECK",
    "CPU_FEATURES",
    "CPU_NAME",
    "DEBUGINFO_DEFAULT",
    "DEBUG_JIT",
    "DEBUG_NRT",
    "DISABLE_INTEL_SVML",
    "ENABLE_AVX",
    "ENABLE_PROFILING",
    "EXTEND_VARIABLE_LIFETIMES",
    "LLVM_REFPRUNE_FLAGS",
    "LLVM_REFPRUNE_PASS",
    "LOOP_VECTORIZE",
    "OPT",
    "SLP_VECTORIZE",
)
DIGEST_BYTES = hashlib.sha256().digest_size
MOST_SECONDS_WAITING = 900.0  # for another process that compiles the same kernel
START_SECONDS, SECONDS_A_RULE = (0.7, 1.5), (0.027, 0.06)  # of compilation, on a fast idle core and on a slow one


class KernelCache(NullCache):
    """The compiled code of one kernel on disk: Numba calls `load_overload` before it compiles, `save_overload` after.

    It lies under `name` and the digest that the code of the kernel's `dispatcher` has at that moment. `title` is its
    name in messages, None for silence. `before` is called before the kernel is loaded or compiled.
    """

    def __init__(self, name: str, dispatcher: Any, title: str | None, before: Callable[[], None] | None = None):
        self._name = name
        self._dispatcher = dispatcher
        self._title = title
        self._before = before
        self._digest: CodeDigest | None = None
        self._folder: Path | None = None
        self._start = 0.0
        self._lock: BaseFileLock | None = None  # held while this process compiles the kernel

    @property
    def cache_path(self) -> str | None:
        """The folder, for Numba's statistics."""
        return None if self._folder is None else str(self._folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel for the argument types `sig`, or None: then Numba compiles it."""
        rtsys.initialize(target_context)  # all that loading needs; what compiling needs takes long to import
        if self._before is not None:
            self._before()
        self._digest = code_digest(self._dispatcher)
        self._folder = make_folder(self._name, self._digest.text)
        path = self._path(sig, target_context.codegen())
        compiled = self._load(path, target_context)
        if compiled is None and path is not None:
            self._wait(path)
            compiled = self._load(path, target_context)
        if compiled is None:
            target_context.refresh()
            self._begin()
        else:
            self._others_may_go_on()
        return compiled

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a kernel that was compiled, if that is possible."""
        try:
            self._end()
            self._keep(sig, data)
        finally:
            self._others_may_go_on()

    def _keep(self, sig: Any, data: Any) -> None:
        path = self._path(sig, data.codegen)
        if path is None:
            return
        if _tied_to_process(data.library):
            say(f"{self._name} is not kept for the next start: its code holds addresses of this process")
            return
        try:
            write_signed(path, dumps(data._reduce()))
        except Exception as error:  # the kernel is compiled: whatever keeps its copy from the disk, it can be used
            say(
                f"{self._name} is not kept for the next start: {getattr(error, 'strerror', None) or error} "
                f"({path.parent}). Set RFOP_CACHE_DIR to a folder with room that you can write to"
            )

    def _path(self, sig: Any, codegen: Any) -> Path | None:
        """The file for these argument types, on this processor and under these settings of Numba."""
        return None if self._folder is None else self._folder / f"{self._name}.{file_key(codegen, sig)}.nbc"

    def _load(self, path: Path | None, target_context: Any) -> Any:
        try:
            data = read_signed(path) if path is not None else None
            return None if data is None else CompileResult._rebuild(target_context, *pickle.loads(data))
        except Exception:  # written by something else, or half: the kernel is compiled, and the file written anew
            return None

    def _wait(self, path: Path) -> None:
        """Let one process compile a kernel while others that want the same one wait for it."""
        self._others_may_go_on()
        self._lock = lock_file(path, self._title)

    def _others_may_go_on(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _begin(self) -> None:
        self._start = time.perf_counter()
        if self._title is not None and self._digest is not None:
            low, high = expected_seconds(self._digest.rules)
            storage = "for this process alone" if self._folder is None else f"once; kept in {cache_root()}"
            say(f"compiling {self._title} ({low} to {high} s on an idle core, {storage}) ...", again=True)

    def _end(self) -> None:
        if self._title is not None:
            say(f"compiled {self._title} in {time.perf_counter() - self._start:.0f} s", again=True)


def lock_file(path: Path, title: str | None) -> BaseFileLock | None:
    """The lock on a file, once no other process makes that file; None where the wait is too long, or locks fail."""
    lock = FileLock(path.with_suffix(".lock"), mode=0o600)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        if title is not None:
            say(f"waiting for another process that compiles {title} ...")
        with contextlib.suppress(Timeout, OSError):  # it takes too long: this process compiles it, too
            lock.acquire(timeout=MOST_SECONDS_WAITING)
    except (OSError, NotImplementedError):  # a full disk, or one without locks
        return None
    return lock


def cached_code(name: str, digest: str, file: str, title: str, make: Callable[[], bytes]) -> bytes:
    """Code for another machine than this processor, from the disk or made: the content of `<name>/<digest>/<file>`.

    `make` compiles it; `title` is what messages call it. Of several processes one compiles it and the others wait.
    """
    folder = make_folder(name, digest)
    path = None if folder is None else folder / file
    code = None if path is None else _read(path)
    if code is not None:
        return code
    lock = None if path is None else lock_file(path, title)
    try:
        code = None if path is None else _read(path)
        if code is None:
            code = _made_aloud(title, make, path is not None)
            if path is not None:
                _keep(path, code, name)
        return code
    finally:
        if lock is not None:
            lock.release()


def _read(path: Path) -> bytes | None:
    """The content of a file of `write_signed`, or None where there is none, or a damaged one."""
    with contextlib.suppress(OSError):
        return read_signed(path)
    return None


def _keep(path: Path, code: bytes, name: str) -> None:
    try:
        write_signed(path, code)
    except OSError as error:  # it is compiled, and can be used
        say(f"{name} is not kept for the next start: {error.strerror or error} ({path.parent})")


def _made_aloud(title: str, make: Callable[[], bytes], is_cached: bool) -> bytes:
    where = f"once; kept in {cache_root()}" if is_cached else "for this process alone"
    say(f"compiling {title} (seconds to minutes, {where}) ...", again=True)
    start = time.perf_counter()
    code = make()
    say(f"compiled {title} in {time.perf_counter() - start:.0f} s", again=True)
    return code


def _tied_to_process(library: Any) -> bool:
    """True if code uses an array too large to be copied into it, or rules that call each other in a circle."""
    names = (variable.name for variable in library._final_module.global_variables)
    return library.has_dynamic_globals or any(name.startswith(RuntimeLinker.PREFIX) for name in names)


def file_key(codegen: Any, signature: Any) -> str:
    """A digest of a kernel's argument types, of this processor, and of the settings of Numba that change its code."""
    config.reload_config()
    settings = [(name, str(getattr(config, name, None))) for name in SETTINGS]
    key = repr((codegen.magic_tuple(), settings, str(signature)))
    return hashlib.sha256(key.encode()).hexdigest()[:16]


def read_signed(path: Path) -> bytes | None:
    """The content of a file of `write_signed`, or None if it is damaged or another user may have written it."""
    with path.open("rb") as file:
        if _fault(path, os.fstat(file.fileno())):
            return None
        content = file.read()
    digest, data = content[:DIGEST_BYTES], content[DIGEST_BYTES:]
    return data if hashlib.sha256(data).digest() == digest else None


def write_signed(path: Path, data: bytes) -> None:
    """Write a file atomically, with a digest of its content in front and for this user alone; raises `OSError`."""
    write_atomically(path, hashlib.sha256(data).digest() + data, mode=0o600)


def cache_root() -> Path:
    """The folder of all compiled kernels; raises `RuntimeError` where the user has no home."""
    folder = os.environ.get("RFOP_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    if folder:
        return Path(folder) / "rfop"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rfop"


def make_folder(name: str, digest: str) -> Path | None:
    """The folder for a kernel and the digest of its code; where there can be none, says why and gives None."""
    try:
        root = cache_root()
        folder = root / name / digest
        root.parent.mkdir(parents=True, exist_ok=True)
        for path in (root, folder.parent, folder):
            path.mkdir(mode=0o700, exist_ok=True)
            if fault := _fault(path, path.stat()):
                say(f"compiled kernels are not kept: {fault}, or set RFOP_CACHE_DIR to a folder of your own")
                return None
        _drop_old(folder)
        return folder
    except (OSError, RuntimeError) as error:
        say(f"compiled kernels are not kept: {error}. Set RFOP_CACHE_DIR to a folder that you can write to")
        return None


def _fault(path: Path, status: os.stat_result) -> str:
    """Why code from this folder or file is not to be run, and what mends it; "" where nothing speaks against it."""
    if not hasattr(os, "getuid"):
        return ""  # a system without owners and modes of this kind
    if status.st_uid != os.getuid():
        return f"{path} belongs to another user, whose code would be run. Remove it"
    if status.st_mode & 0o022:
        return f"{path} can be written by other users, whose code would be run. Remove it"
    return ""


def _drop_old(folder: Path) -> None:
    """Remove the kernels of older sources that have not been used for long, where anything can be removed."""
    with contextlib.suppress(OSError):
        os.utime(folder)
        for old in folder.parent.iterdir():
            if time.time() - old.stat().st_mtime > KEEP_DAYS * 86400:
                shutil.rmtree(old, ignore_errors=True)


def expected_seconds(rules: int) -> tuple[int, int]:
    """Seconds that so many rules take to compile, on a fast core and on a slow one."""
    fast, slow = (START_SECONDS[core] + rules * SECONDS_A_RULE[core] for core in range(2))
    return max(1, int(fast)), max(2, math.ceil(slow))


def say(sentence: str, again: bool = False) -> None:
    """Tell the user something on stderr, once unless `again`; RFOP_QUIET=1 says nothing."""
    if not switch("RFOP_QUIET", False):
        _say(sentence) if again else _say_once(sentence)


def _say(sentence: str) -> None:
    print(f"rfop: {sentence}", file=sys.stderr, flush=True)


_say_once = functools.cache(_say)
