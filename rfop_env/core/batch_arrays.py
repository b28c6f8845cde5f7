"""The records and arrays of a batch: one row for each game, filled in by kernels, copied to the last byte."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.advance import ANY_SEAT, KEEP, NO_OPPONENT, REFRESH, Outputs, Payment, Players, Setup
from rfop_env.core.errors import InternalFault, VersionMismatch
from rfop_env.core.game import Game, Reward
from rfop_env.core.kernels import Kernels
from rfop_env.core.legal_actions import NO_ACTION
from rfop_env.core.rule import JIT

WORTH_A_THREAD = 64  # records per thread below which a second thread costs more than it gives
NOT_COPIED = ("_kernels", "_arguments", "_fresh", "_pool", "action_mask")  # attributes that every copy makes anew


class BatchArrays:
    """The base of `GameBatch`, which checks the arguments and documents the public arrays.

    The kernels loop over a stretch of the records. More threads means more stretches: kernels release Python's global
    lock, so plain threads run them side by side, and no result can depend on their number.
    """

    def __init__(
        self,
        game: Game,
        num_games: int,
        given_options: Mapping[str, object],
        components: Any,
        reward: tuple[int, Reward],
        players: Players,
        autoreset: bool,
        threads: int,
    ):
        # What is played, and how.
        self.game = game
        self.num_games = num_games
        self.given_options = dict(given_options)
        self.options = game.encode_options(given_options)
        self.components = components
        self._reward_kind, self.reward = reward
        self._players = players
        self.autoreset = autoreset
        self.threads = threads
        self._started = False

        # The public arrays.
        n = num_games
        self.states = self._new_states(n)
        self.observation = np.zeros((n, game.observation.size), np.int8)
        self.final_observation = np.zeros_like(self.observation)
        self._mask = np.zeros((n, game.actions.size), np.bool_)  # `action_mask` is a read-only view of it
        self.current_player = np.zeros(n, np.int32)
        self.learner = np.zeros(n, np.int32)
        self.rewards = np.zeros((n, game.spec.players), np.float32)
        self.terminated = np.zeros(n, np.bool_)
        self.truncated = np.zeros(n, np.bool_)
        self.end_reason = np.zeros(n, np.int32)

        # What kernels are asked to do.
        self._command = np.zeros(n, np.int8)
        self._actions = np.zeros(n, np.int64)
        self._no_actions = np.full(n, NO_ACTION, np.int64)
        self._make_rest()

    def _make_rest(self) -> None:
        """Make what every copy has for itself: the attributes that `NOT_COPIED` names."""
        self._kernels = Kernels.of(self.game)
        self._fresh: Any = None  # a record right after the reset, once it is needed
        self._pool: tuple[int, ThreadPoolExecutor] | None = None
        self.action_mask = self._mask.view()
        self.action_mask.flags.writeable = False
        setup = Setup(self.components.record, self.options, self._new_states(1))
        payment = Payment(self._reward_kind, float(self.reward.scale), self.reward.dense)
        outputs = Outputs(
            self.observation, self._mask, self.final_observation, self.current_player, self.learner, self.rewards,
            self.terminated, self.end_reason,
        )  # fmt: skip
        self._arguments = (self.states, *map(tuple, (setup, self._players, payment, outputs)))

    def _new_states(self, n: int) -> Any:
        states = np.zeros(n, self.game.state)
        return states if JIT else states.view(np.recarray)  # plain Python names fields as attributes

    # -- running kernels -----------------------------------------------------------------------------------------------

    def _run(self, command: NDArray[np.int8], actions: NDArray[np.int64], repeat: int = 1) -> None:
        """Carry out a command for every game, on as many threads as are worth it. Raises `InternalFault`."""
        stretches = min(self.threads, max(1, self.num_games // WORTH_A_THREAD))
        edges = [self.num_games * k // stretches for k in range(stretches + 1)]

        def work(k: int) -> None:
            self._kernels.advance(edges[k], edges[k + 1], *self._arguments, command, actions, repeat, self.autoreset)

        if stretches == 1:
            work(0)
        else:
            others = [self._workers().submit(work, k) for k in range(1, stretches)]
            work(0)
            for other in others:
                other.result()
        if self.states["fault"].any():
            raise self._internal_fault(int(np.flatnonzero(self.states["fault"])[0]))

    def _internal_fault(self, game: int) -> InternalFault:
        record = self.states[game]
        seed = int(record["seed"][0]) + (int(record["seed"][1]) << 32)
        return InternalFault(
            f"internal error: rule invariant of {self.game.id} violated in game {game} (seed {seed}, episode "
            f"{int(record['episode'])}); please report"
        )

    def _workers(self) -> ThreadPoolExecutor:
        """A pool of this process: a forked child must not use its parent's."""
        if self._pool is None or self._pool[0] != os.getpid():
            self._pool = (os.getpid(), ThreadPoolExecutor(self.threads - 1, "rfop"))
        return self._pool[1]

    def refresh(self, games: NDArray[np.intp] | None = None) -> None:
        """Bring all arrays of some games, int [n], or of all up to date with their records, after writing to them."""
        self._command.fill(REFRESH if games is None else KEEP)
        if games is not None:
            self._command[games] = REFRESH
        self._run(self._command, self._no_actions)

    # -- copying -------------------------------------------------------------------------------------------------------

    def get_state(self) -> NDArray[Any]:
        """A copy of all records, structured [N], equal to the last byte."""
        copied: NDArray[Any] = self._copy_of(self.states)
        return copied

    def _copy_of(self, states: Any) -> Any:
        """A copy of records [n], equal to the last byte: NumPy's own leaves those between aligned fields to chance."""
        copied = self._new_states(len(states))
        bytes_of(copied)[...] = bytes_of(states)
        return copied

    def _restore(self, states: Any, games: NDArray[np.intp]) -> None:
        """Put sound records into some games and refresh their arrays; `states` is changed."""
        self._seat_learner(states)
        bytes_of(self.states)[games] = bytes_of(states)
        self._started = True
        self.refresh(games)

    def _seat_learner(self, states: Any) -> None:
        """Give the learner its seat in records; where seats are drawn it keeps its own, or has the next turn."""
        if self._players.opponent == NO_OPPONENT:
            states["learner"] = 0
        elif self._players.learner != ANY_SEAT:
            states["learner"] = self._players.learner + 1
        else:
            states["learner"] = np.where(states["learner"] > 0, states["learner"], states["player"] + 1)

    def clone(self) -> Self:
        """An independent copy that goes on exactly as this one would; `copy.copy` and `copy.deepcopy` give the same."""
        other = type(self).__new__(type(self))
        other.__setstate__(self.__getstate__())
        return other

    def __copy__(self) -> Self:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.clone()

    def __getstate__(self) -> dict[str, Any]:
        """The contents of a batch: every attribute but those of `NOT_COPIED`, and the records as bytes."""
        attributes = {name: value for name, value in vars(self).items() if name not in NOT_COPIED}
        del attributes["states"]
        return {"attributes": attributes, "records": bytes_of(self.states), "layout": _layout_of(self.game)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Become a copy of what `__getstate__` gave, in arrays of its own. Raises `VersionMismatch`."""
        game = state["attributes"]["game"]
        if state["layout"] != _layout_of(game):
            raise VersionMismatch(
                f"this batch was pickled when {game.id} had other state fields, actions or observations: unpickle it "
                f"with the package that pickled it, and take its games over as text (core.position.position_text)"
            )
        for name, value in state["attributes"].items():
            self.__dict__[name] = value.copy() if isinstance(value, (np.ndarray, dict)) else value
        self.states = self._new_states(self.num_games)
        bytes_of(self.states)[...] = state["records"]
        self._make_rest()


def bytes_of(states: Any) -> NDArray[np.uint8]:
    """Records [N] as uint8 [N, itemsize], a view where they lie side by side: NumPy's copies lose bytes in between."""
    whole = np.ascontiguousarray(states)
    return whole.view(np.ndarray).view(np.uint8).reshape(len(whole), whole.dtype.itemsize)


def _layout_of(game: Game) -> tuple[object, ...]:
    """The parts of a game that determine the shapes of a batch's arrays."""
    return game.state, game.actions.size, game.observation.size, game.spec.players
