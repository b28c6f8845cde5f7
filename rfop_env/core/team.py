"""Threads that step the games of a batch together: compiled loops that share out the games, and the threads themselves.

A call is shared out in pieces of `PIECE` games, whose rows fill whole cache lines in every array. Each thread has a
stretch of the pieces, the same at every call, so that its games stay in the cache of its core; a thread that has done
its own helps another. Threads look out for the next call for some microseconds before they fall asleep: waking one
takes as long as many decisions.
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
TURNS = 20_000  # of a loop that looks out for another thread: some 20 microseconds
MOMENT = 50e-6  # seconds of sleep of a caller that waits for the last piece

# The board on which threads meet, int64 [SEATS + threads, 8]: each row is one cache line.
CALL, PROGRESS, SEATS = range(3)  # rows; row SEATS + k is that of thread k
NUMBER, COMMAND, REPEAT = range(3)  # of row CALL: the number of the call, and what is done in it
DONE, PIECES = range(2)  # of row PROGRESS: pieces that are done, and all of them
NEXT, END, SEEN, ASLEEP, FAULTS, ENDED = range(6)  # of a thread's row: NEXT is the call's number and a piece
COLUMNS = LINE // 8

Method = TypeVar("Method", bound=Callable[..., Any])

PIECE_BITS = 32
LAST_NUMBER = 2**30  # of a call; then they begin again


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
    number = (load(board, CALL, NUMBER) + 1) % LAST_NUMBER

    # What is to be done. Nobody reads it before there is a piece of this number.
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

    # Whoever looks out sees it; the others are woken.
    count = 0
    for k in range(1, threads):
        if swap(board, SEATS + k, ASLEEP, 1, 0):
            sleepers[count] = k
            count += 1
    return count


@rule
def claim(board: Any, thread: int, number: int) -> int:
    """A piece of the call that nobody has taken, from the thread's own stretch if there is one; or NO_PIECE."""
    row = SEATS + thread
    for _ in range(SEATS, board.shape[0]):
        while True:
            word = load(board, row, NEXT)
            piece = word & (2**PIECE_BITS - 1)
            if word >> PIECE_BITS != number or piece >= board[row, END]:
                break
            if swap(board, row, NEXT, word, word + 1):
                return piece

        # All of this stretch is taken: the next one.
        row = row + 1 if row + 1 < board.shape[0] else SEATS
    return NO_PIECE


@rule
def next_piece(board: Any, thread: int) -> int:
    """The next piece for a thread, or NO_PIECE when it should go back to Python.

    The caller's thread goes back when all pieces are done, or after a while; others when no call has come for a while.
    """
    own = SEATS + thread
    if thread == CALLER:
        piece = claim(board, thread, load(board, CALL, NUMBER))
        turns = TURNS
        while piece == NO_PIECE and turns > 0 and load(board, PROGRESS, DONE) < board[PROGRESS, PIECES]:
            turns -= 1
        return piece

    turns = TURNS
    while True:
        number = load(board, CALL, NUMBER)
        if number != board[own, SEEN]:
            piece = claim(board, thread, number)
            if piece != NO_PIECE:
                return piece
            board[own, SEEN] = number
            turns = TURNS

        # Whoever swaps first decides: the thread goes on, or the caller has put a word into its queue.
        turns -= 1
        if turns <= 0:
            store(board, own, ASLEEP, 1)
            if load(board, CALL, NUMBER) == number or not swap(board, own, ASLEEP, 1, 0):
                return NO_PIECE


@rule
def finish_piece(board: Any, thread: int, faults: int, ended: int) -> None:
    """A thread has done its piece: games at fault and games that ended in it."""
    board[SEATS + thread, FAULTS] += faults
    board[SEATS + thread, ENDED] += ended
    add(board, PROGRESS, DONE, 1)


class Team:
    """The threads of one batch but for the caller's own, which sleep between calls and end with the batch.

    `work(thread)` is the compiled loop, which plays pieces as long as there are any. A team belongs to the process that
    made it: a forked child has none of its threads.
    """

    def __init__(self, threads: int):
        self.process = os.getpid()
        self._words: list[SimpleQueue[Any]] = [SimpleQueue() for _ in range(threads - 1)]
        for k, words in enumerate(self._words, 1):
            Thread(target=_work, args=(words, k), name=f"rfop-{k}", daemon=True).start()

    def wake(self, thread: int, work: Callable[[int], Any]) -> None:
        """Send a sleeping thread to work."""
        self._words[thread - 1].put(work)

    def __del__(self) -> None:
        for words in self._words:
            words.put(None)


def _work(words: SimpleQueue[Any], thread: int) -> None:
    while (work := words.get()) is not None:
        work(thread)
        del work  # and with it the arrays of a batch that nobody else knows any more


def until_done(work: Callable[[], tuple[int, int, int]]) -> None:
    """Work on a call until no piece is left, and no thread plays one.

    An exception waits for that: only a signal handler raises one here, such as that of Ctrl-C, and more may follow.
    """
    try:
        while work()[0] > 0:
            time.sleep(MOMENT)
    except BaseException:
        until_done(work)
        raise


# -- several callers ---------------------------------------------------------------------------------------------------

WRITER = -1  # in place of a number of readers

# Python changes threads and runs signal handlers at calls and at jumps backward. There is neither between a look at
# `users` and the `try` that follows.


def writes(method: Method) -> Method:
    """Mark a method that changes a batch: until it returns no thread may call another method that is marked.

    The batch has an attribute `users`, 0 at first. Raises `BatchInUse`.
    """

    @functools.wraps(method)
    def call(batch: Any, *arguments: Any, **named: Any) -> Any:
        if batch.users:
            raise in_use()
        batch.users = WRITER
        try:
            return method(batch, *arguments, **named)
        finally:
            batch.users = 0

    return cast(Method, call)


def reads(method: Method) -> Method:
    """Mark a method that looks at a batch: several threads may, while none calls one that changes it.

    Raises `BatchInUse`.
    """

    @functools.wraps(method)
    def call(batch: Any, *arguments: Any, **named: Any) -> Any:
        if batch.users == WRITER:
            raise in_use()
        batch.users += 1
        try:
            return method(batch, *arguments, **named)
        finally:
            batch.users -= 1

    return cast(Method, call)


def in_use() -> BatchInUse:
    """The error for a second caller."""
    return BatchInUse(
        "this batch is in use by another thread, or by the code that a signal handler has interrupted: "
        "give every thread a batch of its own (batch.clone()), or let the threads take turns"
    )
