"""The value of best play by both seats, in positions from which on nothing is hidden and nothing left to chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.compiler import kernel
from rfop_env.compiler.native_rules import PLAY, NativeRules
from rfop_env.core.batch import GameBatch
from rfop_env.core.game import Game
from rfop_env.core.kernels import Kernels
from rfop_env.core.record import record_bytes
from training.research.lab.compiled.best_play import EMPTY, make_best_play

PLACES = 2**21  # of the table of known positions; half of them are used, in seconds
DEPTH = 200  # decisions that a search goes ahead, at most
WORD = 4  # bytes
_kernels: dict[NativeRules, Callable[..., int]] = {}


class BestPlay:
    """Searches positions of a game of two seats to the end of the game, and remembers the values that it has found.

    `fields`: those of the record that tell such positions apart, no others are looked at. Their bytes must fill whole
    words of 4. `reward`: the kind of the values, whose returns add up to 0. Raises `UnknownName`.
    """

    def __init__(self, game: Game, components: Any, fields: Sequence[str], reward: str):
        self._game, self._components = game, components
        self._kind, self._reward = game.reward(reward)
        self._bound = round(game.spec.highest_return / self._reward.scale)
        self._words = _field_words(game.state, fields)
        self._kernel = _compile_kernel(game)
        self._keys = np.full(PLACES, EMPTY, np.int64)
        self._table_values = np.zeros(PLACES, np.int16)
        self._filled = np.zeros(1, np.int64)

    def values(self, batch: GameBatch) -> NDArray[np.float64] | None:
        """The returns of both seats in each game of a batch, float64 [n, 2]; None where the table is too small."""
        states = batch.get_state()
        stack = np.zeros(DEPTH, self._game.state)
        words = record_bytes(stack).view(np.int32)
        masks = np.zeros((DEPTH, self._game.actions.size), np.bool_)
        path = np.zeros((DEPTH, 3), np.int64)
        worth = np.zeros((2, self._game.actions.size), np.int64)
        values = np.zeros(len(states), np.int64)
        done = self._kernel(
            states.view(np.recarray), self._components.record, self._kind, self._bound, stack.view(np.recarray), words,
            self._words, masks, path, worth, self._keys, self._table_values, self._filled, values,
        )  # fmt: skip
        if done < len(states):
            return None
        return np.asarray(np.stack([values, -values], axis=1) * self._reward.scale, np.float64)


def _field_words(state: np.dtype[Any], fields: Sequence[str]) -> NDArray[np.int64]:
    """The numbers of the words of a record that hold some of its fields."""
    assert state.fields is not None
    numbers = []
    for name in fields:
        kind, start = state.fields[name][:2]
        assert start % WORD == 0 and kind.itemsize % WORD == 0, f"{name} does not fill words of {WORD} bytes"
        numbers.append(np.arange(start, start + kind.itemsize, WORD) // WORD)
    return np.concatenate(numbers).astype(np.int64)


def _compile_kernel(game: Game) -> Callable[..., int]:
    """The compiled loop for a game's rules, built once."""
    native = Kernels.of(game).native
    if native not in _kernels:
        loop = make_best_play(native.called.legal, native.called.apply, native.called.payoff)
        name, title = f"{game.rules_name}.best_play", f"exact search for {game.title}"
        _kernels[native] = kernel(loop, name, title=title, before=native.before(PLAY))
    return _kernels[native]
