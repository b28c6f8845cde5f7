"""Commands for all games of a batch: one call of the kernel, or a call of each thread of a team."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.compiler import PARALLEL
from rfop_env.compiler.memory import array_addresses
from rfop_env.core import team
from rfop_env.core.advance import ALONE, CHECK, KEEP, STEP, Arrays
from rfop_env.core.kernels import Kernels


class Runner:
    """The kernel of a batch, the addresses of its arrays, and its threads.

    One thread has all games in one call of the kernel. Several share them out in pieces (`core/team.py`): the kernel
    releases Python's global lock, and every game has its own random streams, so no result depends on their number.
    """

    def __init__(self, kernels: Kernels, arrays: Arrays, threads: int):
        self.arrays = arrays
        self.num_games = len(arrays.actions)
        threads = min(threads, max(1, self.num_games // team.PIECE)) if PARALLEL else 1
        self.alone = threads == 1
        self.board = team.new_board(self.num_games, threads)
        self.team: team.Team | None = None  # begins with the first call
        self._kernels = kernels
        self._addresses = array_addresses(arrays)
        self._sleepers = np.zeros(threads, np.int64)  # the numbers of threads that are to be woken

    def run(self, command: int, repeat: int) -> tuple[int, int, int]:
        """Carry out a command: the first game that refuses its action or -1, the games at fault, those that ended."""
        if self.alone:
            numbers: tuple[int, int, int] = self._kernels.advance(self._addresses, self.board, ALONE, command, repeat)
            return numbers
        return self._run_together(command, repeat)

    def _run_together(self, command: int, repeat: int) -> tuple[int, int, int]:
        """The same, on several threads."""
        advance, addresses, board = self._kernels.advance, self._addresses, self.board
        if command == STEP:
            refused, _, _ = advance(addresses, board, ALONE, CHECK, repeat)
            if refused >= 0:
                return refused, 0, 0

        # A forked child has the board of its parent, and none of the threads.
        if self.team is None or self.team.process != os.getpid():
            threads = len(board) - team.SEATS
            board[...] = team.new_board(self.num_games, threads)
            self.team = team.Team(threads)

        # Once it has begun a call is played to its end, also when a signal handler raises an exception in between.
        # Threads that were to be woken then may sleep on: the next call has others.
        work = partial(advance, addresses, board, team.CALLER, KEEP, 1)
        try:
            asleep = self._kernels.publish(board, command, repeat, self._sleepers)
            for k in range(asleep):
                self.team.wake(int(self._sleepers[k]), partial(_play_pieces, advance, addresses, self.arrays, board))
            team.until_done(work)
        except BaseException:
            self.team = None
            team.until_done(work)
            raise

        # The sums over all threads.
        faults = endings = 0
        for row in range(team.SEATS, len(board)):
            faults += board.item(row, team.FAULTS)
            endings += board.item(row, team.ENDED)
        return -1, faults, endings


def _play_pieces(advance: Any, addresses: Any, arrays: Arrays, board: NDArray[np.int64], thread: int) -> None:
    """The work of a thread of a team; `arrays` stay where they are as long as it runs."""
    advance(addresses, board, thread, KEEP, 1)
