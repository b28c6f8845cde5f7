"""Processes that work side by side for one command."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any

from rfop_env.core.errors import RfopError


@contextmanager
def process_pool(
    number: int, begin: Callable[..., None] | None = None, *arguments: Any
) -> Iterator[ProcessPoolExecutor]:
    """A pool of so many new processes, which Ctrl-C ends at once; each first calls `begin(*arguments)`.

    Raises `RfopError` as `shared_memory`.
    """
    with shared_memory():
        pool = ProcessPoolExecutor(number, get_context("spawn"), _begin_process, (begin, arguments))
    try:
        yield pool
    except KeyboardInterrupt:
        for process in list((pool._processes or {}).values()):  # what each is doing may take an hour
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def shared_memory() -> Iterator[None]:
    """A context for what makes locks or memory that processes share. Raises `RfopError` where the system has none."""
    try:
        yield
    except (ImportError, NotImplementedError, OSError) as error:
        raise RfopError(
            f"processes cannot share locks and memory here ({error}): mount a writable /dev/shm (in Docker "
            "--shm-size=1g), or do without several processes"
        ) from error


def _begin_process(begin: Callable[..., None] | None, arguments: tuple[Any, ...]) -> None:
    """Begin a process, which Ctrl-C in the terminal ends without a word."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if begin is not None:
        begin(*arguments)
