"""The records and arrays of a batch: one row for each game, filled in by kernels, copied to the last byte."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rfop_env.compiler import JIT, PARALLEL
from rfop_env.compiler.memory import aligned_copy, aligned_zeros, array_addresses
from rfop_env.compiler.native_rules import ADVISE
from rfop_env.core.advance import (
    ALONE,
    ANY_SEAT,
    BY_GAME,
    CHECK,
    KEEP,
    OPPONENT,
    RANDOM_OPPONENT,
    REFRESH,
    STEP,
    Arrays,
)
from rfop_env.core.batch_arguments import internal_fault, usual_opponents
from rfop_env.core.errors import RfopError, VersionMismatch
from rfop_env.core.game import Game, Reward
from rfop_env.core.kernels import Kernels
from rfop_env.core.mixtures import mixture_text
from rfop_env.core.output_arrays import output_arrays, output_shapes
from rfop_env.core.team import CALLER, ENDED, FAULTS, PIECE, SEATS, Team, new_board, reads, until_done, writes

# Attributes that every copy makes anew.
NOT_COPIED = (
    "_kernels", "_arrays", "_addresses", "_board", "_sleepers", "_fresh", "_team", "action_mask", "_shown_mask",
    "users",
)  # fmt: skip


class BatchArrays:
    """The base of `GameBatch`, which checks the arguments and documents the public arrays.

    One thread has all games in one call of the kernel. Several share them out in pieces (`core/team.py`): the kernel
    releases Python's global lock, and every game has its own random streams, so no result depends on their number.
    """

    def __init__(
        self,
        game: Game,
        num_games: int,
        given_options: Mapping[str, object],
        components: Any,
        weights: Mapping[str, float],
        mixture: NDArray[np.int64],
        learner: int,
        autoreset: bool,
        threads: int,
    ):
        # What is played, and how.
        self.game = game
        self.num_games = num_games
        self.base_options = dict(given_options)  # those that the batch was made with
        self.given_options = dict(given_options)  # those of the games that begin now
        self.options = game.encode_options(given_options)
        self.components = components
        self.weights = dict(weights)  # of the reward kinds
        self._mixture = mixture  # the opponents, as in `Arrays`
        self._learner = learner  # the seat of the learner among them, or ANY_SEAT
        self.autoreset = autoreset
        self.threads = threads
        self._started = False

        # The public arrays. Threads that share games must not write to the same cache line.
        zeros = aligned_zeros if shared(num_games) else np.zeros
        n = num_games
        arrays: dict[str, NDArray[Any]] = {name: zeros(*shape) for name, shape in output_shapes(game, n).items()}
        self.states = self._new_states(n)
        self.observation: NDArray[np.int8] = arrays["observation"]
        self.final_observation: NDArray[np.int8] = arrays["final_observation"]
        self._mask: NDArray[np.bool_] = arrays["action_mask"]  # `action_mask` is a read-only view of it
        self.current_player: NDArray[np.int32] = arrays["current_player"]
        self.learner: NDArray[np.int32] = arrays["learner"]
        self.rewards: NDArray[np.float32] = arrays["rewards"]
        self.terminated: NDArray[np.bool_] = arrays["terminated"]
        self.truncated: NDArray[np.bool_] = arrays["truncated"]
        self.end_reason: NDArray[np.int32] = arrays["end_reason"]

        # Who plays, and what kernels are asked to do.
        self._opponents = zeros(n, np.int8)
        self._opponents[:] = usual_opponents(mixture, n)
        self._command = zeros(n, np.int8)
        self._actions = zeros(n, np.int64)
        self._make_buffers()

    def _make_buffers(self) -> None:
        """Make what every copy has for itself: the attributes that `NOT_COPIED` names."""
        self._kernels = Kernels.of(self.game)
        if (self._mixture[:, OPPONENT] > RANDOM_OPPONENT).any():
            self._kernels.native.need(ADVISE)
        self._fresh: Any = None  # a record right after the reset, once it is needed
        self.action_mask = self._mask.view()
        self.action_mask.flags.writeable = False
        self._shown_mask = self._mask[:0]  # the caller's copy of it, once there is one
        self.users = 0  # calls that look at it now, or `WRITER`
        self._lay_out()

    def _lay_out(self) -> None:
        """Tell the kernel where all arrays are, and how the games are played."""
        rewards = [(*self.game.reward(name), weight) for name, weight in self.weights.items()]
        kinds = np.array([(number, reward.dense) for number, reward, _ in rewards], np.int64)
        scales = np.array([reward.scale * weight for _, reward, weight in rewards], np.float64)
        settings = np.array([self._learner, self.reward.dense, self.autoreset], np.int64)
        threads = min(self.threads, max(1, self.num_games // PIECE)) if PARALLEL else 1

        self._arrays = Arrays(
            self.states, self.components.record, self.options, self._kernels.blank, settings, self._mixture,
            kinds, scales, self._opponents, self._command, self._actions, self.observation, self._mask,
            self.final_observation, self.current_player, self.learner, self.rewards, self.terminated, self.end_reason,
            self._shown_mask,
        )  # fmt: skip
        self._addresses = array_addresses(self._arrays)
        self._board = new_board(self.num_games, threads)
        self._sleepers = np.zeros(threads, np.int64)  # the numbers of threads that are to be woken
        self._alone = threads == 1
        self._team: Team | None = None  # threads of another one know the places of other arrays

    @property
    def reward(self) -> Reward:
        """The reward kind that is paid; of several, by weight, their sum as one kind."""
        kinds = {name: self.game.reward(name)[1] for name in self.weights}
        if list(self.weights.values()) == [1.0]:
            return next(iter(kinds.values()))
        meaning = " and ".join(f"{weight:g} times {name}" for name, weight in self.weights.items())
        return Reward(mixture_text(self.weights), 1.0, meaning, any(kind.dense for kind in kinds.values()))

    def _new_states(self, n: int) -> Any:
        states = aligned_zeros(n, self.game.state) if shared(n) else np.zeros(n, self.game.state)
        return states if JIT else states.view(np.recarray)  # plain Python names fields as attributes

    @writes
    def write_into(self, out: Mapping[str, NDArray[Any]]) -> None:
        """Write into arrays of the caller from now on, in place of those of the same names that the batch has now.

        Their present contents are copied. They may lie in shared memory, and the rows of an array may lie apart. Copies
        of the batch have arrays of their own. The caller's `action_mask` is written and never read: the attribute of
        that name stays the batch's own. Raises `BadArgument` for another shape or dtype, a read-only array, rows that
        are not in C order and arrays that overlap, and `UnknownName`; then the batch is as it was.
        """
        for name, array in output_arrays(self.game, self.num_games, out).items():
            array[...] = getattr(self, name)
            setattr(self, "_shown_mask" if name == "action_mask" else name, array)
        self._lay_out()

    # -- running kernels -----------------------------------------------------------------------------------------------

    def _run(self, command: int, repeat: int = 1) -> int:
        """Carry out a command for every game, on as many threads as are worth it; returns how many games have ended.

        With STEP, the actions of all games are checked first. Raises `InternalFault`, and what `_refusal` finds.
        """
        if self._alone:
            refused, faults, endings = self._kernels.advance(self._addresses, self._board, ALONE, command, repeat)
        else:
            refused, faults, endings = self._run_together(command, repeat)
        if refused >= 0:
            raise self._refusal()
        if faults:
            game = int(np.flatnonzero(self.states["fault"])[0])
            raise internal_fault(self.game, game, self.states[game])
        return endings

    def _run_together(self, command: int, repeat: int) -> tuple[int, int, int]:
        """The same, on several threads."""
        advance, addresses, board = self._kernels.advance, self._addresses, self._board
        if command == STEP:
            refused, _, _ = advance(addresses, board, ALONE, CHECK, repeat)
            if refused >= 0:
                return refused, 0, 0

        # A forked child has the board of its parent, and none of the threads.
        if self._team is None or self._team.process != os.getpid():
            threads = len(board) - SEATS
            board[...] = new_board(self.num_games, threads)
            self._team = Team(threads)

        # Once it has begun a call is played to its end, also when a signal handler raises an exception in between.
        # Threads that were to be woken then may sleep on: the next call has others.
        work = partial(advance, addresses, board, CALLER, KEEP, 1)
        try:
            asleep = self._kernels.publish(board, command, repeat, self._sleepers)
            for k in range(asleep):
                self._team.wake(int(self._sleepers[k]), partial(_play_pieces, advance, addresses, self._arrays, board))
            until_done(work)
        except BaseException:
            self._team = None
            until_done(work)
            raise

        # What all threads have found.
        faults = endings = 0
        for row in range(SEATS, len(board)):
            faults += board.item(row, FAULTS)
            endings += board.item(row, ENDED)
        return -1, faults, endings

    def _refusal(self) -> RfopError:
        """The error for actions that the games cannot carry out."""
        raise NotImplementedError

    @writes
    def refresh(self, games: NDArray[np.intp] | None = None) -> None:
        """Bring all arrays of some games, int [n], or of all up to date with their records, after writing to them."""
        self._refresh(games)

    def _refresh(self, games: NDArray[np.intp] | None = None) -> None:
        if games is None:
            self._run(REFRESH)
            return
        self._command.fill(KEEP)
        self._command[games] = REFRESH
        self._run(BY_GAME)

    # -- copying -------------------------------------------------------------------------------------------------------

    @reads
    def get_state(self) -> NDArray[Any]:
        """A copy of all records, structured [N], equal to the last byte."""
        copied: NDArray[Any] = self._copy_records(self.states)
        return copied

    def _copy_records(self, states: Any) -> Any:
        """A copy of records [n], equal to the last byte: NumPy's own leaves those between aligned fields to chance."""
        copied = self._new_states(len(states))
        record_bytes(copied)[...] = record_bytes(states)
        return copied

    def _restore(self, states: Any, games: NDArray[np.intp]) -> None:
        """Put sound records into some games and refresh their arrays; `states` is changed."""
        self._seat_learner(states)
        record_bytes(self.states)[games] = record_bytes(states)
        self._started = True
        self._refresh(games)

    def _seat_learner(self, states: Any) -> None:
        """Give the learner its seat in records; where seats are drawn it keeps its own, or has the next turn."""
        if len(self._mixture) == 0:
            states["learner"] = 0
        elif self._learner != ANY_SEAT:
            states["learner"] = self._learner + 1
        else:
            states["learner"] = np.where(states["learner"] > 0, states["learner"], states["player"] + 1)

    def clone(self) -> Self:
        """An independent copy that goes on exactly as this one would; `copy.copy` and `copy.deepcopy` give the same."""
        copied = type(self).__new__(type(self))
        copied.__setstate__(self.__getstate__())
        return copied

    def __copy__(self) -> Self:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.clone()

    @reads
    def __getstate__(self) -> dict[str, Any]:
        """The contents of a batch: every attribute but those of `NOT_COPIED`, and the records as bytes."""
        attributes = {name: value for name, value in vars(self).items() if name not in NOT_COPIED}
        del attributes["states"]
        return {"attributes": attributes, "records": record_bytes(self.states), "layout": _array_layout(self.game)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Become a copy of what `__getstate__` gave, in arrays of its own. Raises `VersionMismatch`."""
        game = state["attributes"]["game"]
        if state["layout"] != _array_layout(game):
            raise VersionMismatch(
                f"this batch was pickled when {game.id} had other state fields, actions or observations: unpickle it "
                f"with the package that pickled it, and take its games over as text (core.position.position_text)"
            )
        copied = aligned_copy if shared(state["attributes"]["num_games"]) else partial(np.array, order="C")
        for name, value in state["attributes"].items():
            if isinstance(value, np.ndarray):
                value = copied(value)
            self.__dict__[name] = value.copy() if isinstance(value, dict) else value
        self.states = self._new_states(self.num_games)
        record_bytes(self.states)[...] = state["records"]
        self._make_buffers()


def shared(games: int) -> bool:
    """Whether so many games are enough for two threads."""
    return games >= 2 * PIECE


def _play_pieces(advance: Any, addresses: Any, arrays: Arrays, board: NDArray[np.int64], thread: int) -> None:
    """What a thread of a team does; `arrays` stay where they are as long as it does."""
    advance(addresses, board, thread, KEEP, 1)


def record_bytes(states: Any) -> NDArray[np.uint8]:
    """Records [N] as uint8 [N, itemsize], a view where they lie side by side: NumPy's copies lose bytes in between."""
    records = np.ascontiguousarray(states)
    return records.view(np.ndarray).view(np.uint8).reshape(len(records), records.dtype.itemsize)


def _array_layout(game: Game) -> tuple[object, ...]:
    """The parts of a game that determine the shapes of a batch's arrays."""
    return game.state, game.actions.size, game.observation.size, game.spec.players
