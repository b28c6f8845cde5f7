"""Processes that work side by side for one command, and how many processors there are for them.

Every process ends with the one that started it, however that ends: a thread of it waits for the end of its parent.
"""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, as_completed, wait
from contextlib import contextmanager
from multiprocessing import connection, get_context, parent_process
from pathlib import Path
from typing import Any, TypeVar

from rfop_env.command_line import TERMINATED, sigterm_as_ctrl_c
from rfop_env.core.errors import RfopError
from rfop_env.registry import Entry, adopt, own_entries

T = TypeVar("T")


@contextmanager
def process_pool(
    number: int, begin: Callable[..., None] | None = None, *arguments: Any
) -> Iterator[ProcessPoolExecutor]:
    """A pool of so many new processes, which Ctrl-C ends at once; each first calls `begin(*arguments)`.

    Raises `RfopError` as `shared_memory`.
    """
    with shared_memory():
        games = own_entries()
        pool = ProcessPoolExecutor(number, get_context("spawn"), _begin_process, (games, begin, arguments))
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


def _begin_process(games: Sequence[Entry], begin: Callable[..., None] | None, arguments: tuple[Any, ...]) -> None:
    """Begin a process, which Ctrl-C in the terminal ends without a word, with the registered games of this one."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _end_with_parent()
    adopt(games)
    if begin is not None:
        begin(*arguments)


def _end_with_parent() -> None:
    """Send this process SIGTERM once its parent has ended."""
    parent = parent_process()
    assert parent is not None, "a process that another one has started"

    def end() -> None:
        connection.wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=end, name="end with parent", daemon=True).start()


# -- a process for each task -------------------------------------------------------------------------------------------


def in_processes(
    tasks: Sequence[Callable[[], T]], max_processes: int, settings: Mapping[str, str] | None = None
) -> Generator[tuple[int, Future[T]], None, None]:
    """Carry out tasks, each in a new process of its own, at most `max_processes` at a time.

    Yields each task that has ended, by its number. `settings` are environment variables of the processes. Ctrl-C and
    SIGTERM reach the tasks too, which may save. When the generator is closed, no task starts, and the
    running ones are waited for. Raises `RfopError` as `shared_memory`.
    """
    numbers: dict[Future[T], int] = {}
    busy: set[Future[T]] = set()
    try:
        for number, task in enumerate(tasks):
            if len(busy) == max_processes:
                done, busy = wait(busy, return_when=FIRST_COMPLETED)
                for future in done:
                    yield numbers[future], future
            with environment(settings or {}):
                future = _start(task)
            numbers[future] = number
            busy.add(future)
        for future in as_completed(busy):
            yield numbers[future], future
    finally:
        wait(numbers)


def _start(task: Callable[[], T]) -> Future[T]:
    """Begin a task in a new process. Raises `RfopError` as `shared_memory`."""
    with shared_memory():
        pool = ProcessPoolExecutor(1, get_context("spawn"), _begin_task, (own_entries(),))
    future = pool.submit(_carry_out, task)
    pool.shutdown(wait=False)
    return future


def _begin_task(games: Sequence[Entry]) -> None:
    _end_with_parent()
    adopt(games)


def _carry_out(task: Callable[[], T]) -> T:
    """The only task of this process; the process ends with it where its parent has ended."""
    parent = parent_process()
    assert parent is not None, "a process that another one has started"
    with sigterm_as_ctrl_c():
        try:
            return task()
        finally:
            if not parent.is_alive():
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(TERMINATED)


@contextmanager
def environment(settings: Mapping[str, str]) -> Iterator[None]:
    """The environment variables with which new processes begin in the block, besides those of this process."""
    snapshot = dict(os.environ)
    os.environ.update(settings)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(snapshot)


# -- processors --------------------------------------------------------------------------------------------------------


def available_cpus(root: Path = Path("/")) -> int:
    """How many processors this process may keep busy, at least 1: those of its affinity and of its container's quota.

    A quota is that of a control group of Linux, version 1 or 2; a part of a processor counts as one. `root`: the folder
    of the system's files.
    """
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min([cpus, *(math.ceil(quota) for quota in _quotas(root))]))


def _quotas(root: Path) -> Iterator[float]:
    """The quotas of the control groups that this process is in, in processors."""
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        place = root / "sys/fs/cgroup"
        if controllers and "cpu" not in controllers.split(","):
            continue
        if controllers:
            place = place / (controllers if (place / controllers).is_dir() else "cpu")

        # The group, and all that it is in; a container sees its own as the outermost.
        group = place / path.strip("/")
        for folder in (group, *(parent for parent in group.parents if parent.is_relative_to(place))):
            if controllers:
                quota, period = (_text(folder / f"cpu.cfs_{name}_us").strip() for name in ("quota", "period"))
            else:
                quota, period = [*_text(folder / "cpu.max").split(), "", ""][:2]
            if quota.isdigit() and period.isdigit() and int(quota) and int(period):
                yield int(quota) / int(period)


def _text(path: Path) -> str:
    """The content of a file of the system; "" where there is none."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
