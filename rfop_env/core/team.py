"""A pool of threads that step the games of one batch: work stealing over pieces of games, by atomics on a shared board.

A call is divided into pieces of `PIECE` games, whose rows fill whole cache lines in every array. Each thread owns a
range of pieces, the same at every call, so that its games stay in the cache of its core; a thread that has finished its
own range steals from the others. Threads spin for some microseconds before they block: waking one takes as long as many
decisions.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar, cast

from numpy.typing import NDArray

from rfop_env.compiler import rule
from rfop_env.compiler.memory import LINE, add, aligned_zeros, load, store, swap
from rfop_env.core.errors import BatchInUse

PIECE = 64  # games
NO_PIECE = -1
CALLER = 0  # the thread that calls; the others are numbered from 1
SPINS = 20_000  # of a loop that waits for another thread: some 20 microseconds
PAUSE = 50e-6  # seconds of sleep of a caller that waits for the last piece

# The board that the threads share, int64 [SEATS + threads, 8]: each row is one cache line.
CALL, PROGRESS, SEATS = range(3)  # rows; row SEATS + k is that of thread k
NUMBER, COMMAND, REPEAT = range(3)  # of row CALL: the number of the call, and what is done in it
DONE, PIECES = range(2)  # of row PROGRESS: finished pieces, and all pieces
NEXT, END, SEEN, ASLEEP, FAULTS, ENDED = range(6)  # of a thread's row; NEXT: the number of the call, and a piece
COLUMNS = LINE // 8

Method = TypeVar("Method", bound=Callable[..., Any])

PIECE_BITS = 32
NUMBERS = 2**30  # of calls, modulo


def new_board(games: int, threads: int) -> NDArray[Any]:
    """A board for some threads, all but the caller's asleep."""
    board = aligned_zeros((SEATS + threads, COLUMNS), "int64")
    pieces = -(-games // PIECE)
    board[PROGRESS, PIECES] = pieces
    for k in range(threads):
        board[SEATS + k, END] = pieces * (k + 1) // threads
        board[SEATS + k, ASLEEP] = int(k != CALLER)
    return board


def publish(board: Any, command: int, repeat: int, sleepers: Any) -> int:
    """Begin a call. Returns how many threads are to be woken, whose numbers are then in `sleepers`, int64 [threads]."""
    threads = board.shape[0] - SEATS
    number = (load(board, CALL, NUMBER) + 1) % NUMBERS

    # The work. No thread reads it before there is a piece of this number.
    board[CALL, COMMAND] = command
    board[CALL, REPEAT] = repeat
    store(board, PROGRESS, DONE, 0)
    first = 0
    for k in range(threads):
        board[SEATS + k, FAULTS] = 0
        board[SEATS + k, ENDED] = 0
        store(board, SEATS + k, NEXT, (number << PIECE_BITS) | first)
        first = board[SEATS + k, END]
    store(board, CALL, NUMBER, number)

    # Threads that spin see the number; those that sleep are to be woken.
    count = 0
    for k in range(1, threads):
        if swap(board, SEATS + k, ASLEEP, 1, 0):
            sleepers[count] = k
            count += 1
    return count


@rule
def claim(board: Any, thread: int, number: int) -> int:
    """Claim a free piece of a call, first from the thread's own range; or NO_PIECE."""
    row = SEATS + thread
    for _ in range(SEATS, board.shape[0]):
        while True:
            word = load(board, row, NEXT)
            piece = word & (2**PIECE_BITS - 1)
            if word >> PIECE_BITS != number or piece >= board[row, END]:
                break
            if swap(board, row, NEXT, word, word + 1):
                return piece

        # This range is empty: steal from the next.
        row = row + 1 if row + 1 < board.shape[0] else SEATS
    return NO_PIECE


@rule
def next_piece(board: Any, thread: int) -> int:
    """The next piece for a thread, or NO_PIECE when it should return to Python.

    The caller's thread returns when all pieces are done or its spins are over, the others when no call has come for so
    long.
    """
    own = SEATS + thread
    if thread == CALLER:
        piece = claim(board, thread, load(board, CALL, NUMBER))
        spins = SPINS
        while piece == NO_PIECE and spins > 0 and load(board, PROGRESS, DONE) < board[PROGRESS, PIECES]:
            spins -= 1
        return piece

    spins = SPINS
    while True:
        number = load(board, CALL, NUMBER)
        if number != board[own, SEEN]:
            piece = claim(board, thread, number)
            if piece != NO_PIECE:
                return piece
            board[own, SEEN] = number
            spins = SPINS

        # Fall asleep, unless a call has come since: thread and caller race to reset ASLEEP. If the thread wins it goes
        # on; otherwise the caller has put work into its queue.
        spins -= 1
        if spins <= 0:
            store(board, own, ASLEEP, 1)
            if load(board, CALL, NUMBER) == number or not swap(board, own, ASLEEP, 1, 0):
                return NO_PIECE


@rule
def finish_piece(board: Any, thread: int, faults: int, endings: int) -> None:
    """Count a finished piece: the games at fault in it, and the games that ended."""
    board[SEATS + thread, FAULTS] += faults
    board[SEATS + thread, ENDED] += endings
    add(board, PROGRESS, DONE, 1)


class Team:
    """The threads of one batch besides the caller's; they sleep between calls and end with the batch.

    A team belongs to the process that made it: a forked child has none of its threads.
    """

    def __init__(self, threads: int):
        self.process = os.getpid()
        self._queues: list[SimpleQueue[Any]] = [SimpleQueue() for _ in range(threads - 1)]
        for k, queue in enumerate(self._queues, 1):
            Thread(target=_run_thread, args=(queue, k), name=f"rfop-{k}", daemon=True).start()

    def wake(self, thread: int, work: Callable[[int], Any]) -> None:
        """Let a sleeping thread call `work`, the compiled loop, which plays pieces until there are none."""
        self._queues[thread - 1].put(work)

    def __del__(self) -> None:
        for queue in self._queues:
            queue.put(None)


def _run_thread(queue: SimpleQueue[Any], thread: int) -> None:
    while (work := queue.get()) is not None:
        work(thread)
        del work  # the last reference to the arrays of a batch, maybe


def until_done(work: Callable[[], tuple[int, int, int]]) -> None:
    """Work on a call until all its pieces are done.

    An exception is raised after that: only a signal handler raises one here, such as that of Ctrl-C, and maybe again.
    """
    try:
        while work()[0] > 0:
            time.sleep(PAUSE)
    except BaseException:
        until_done(work)
        raise


# -- several callers ---------------------------------------------------------------------------------------------------

WRITER = -1  # in place of a number of readers

# Python switches threads and runs signal handlers only at calls and backward jumps: there is neither between the check
# of `users` and the `try` that follows.


def writes(method: Method) -> Method:
    """Mark a method that changes a batch: until it returns no thread may call another method that is marked.

    The batch has an attribute `users`, 0 at first. Raises `BatchInUse`.
    """

    @functools.wraps(method)
    def call(batch: Any, *arguments: Any, **keywords: Any) -> Any:
        if batch.users:
            raise in_use()
        batch.users = WRITER
        try:
            return method(batch, *arguments, **keywords)
        finally:
            batch.users = 0

    return cast(Method, call)


def reads(method: Method) -> Method:
    """Mark a method that looks at a batch: several threads may, while none calls one that changes it.

    Raises `BatchInUse`.
    """

    @functools.wraps(method)
    def call(batch: Any, *arguments: Any, **keywords: Any) -> Any:
        if batch.users == WRITER:
            raise in_use()
        batch.users += 1
        try:
            return method(batch, *arguments, **keywords)
        finally:
            batch.users -= 1

    return cast(Method, call)


def in_use() -> BatchInUse:
    """The error for a second caller."""
    return BatchInUse(
        "this batch is in use by another thread, or by the code that a signal handler has interrupted: "
        "give every thread a batch of its own (batch.clone()), or let the threads take turns"
    )
