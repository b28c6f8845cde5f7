"""A network that looks at every space of a board with the same weights, in NumPy alone.

A space is described by the same entries of the observation as every other, and chosen by an action of its own
(`rfop_env.core.game.UniformBoard`). Each layer adds to the features of a space what follows from the space itself, from
the sum of its neighbours, and from the mean of all spaces. The other actions and the value follow from the mean and the
maximum of all spaces. So when the board is turned or mirrored, the policy turns with it, and the value stays.

The file of such a network also holds the board, so that nothing else is needed to play it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

ROWS = 32  # positions that are evaluated at once: their features stay in the processor's cache
NUMBERS = ("space_entries", "space_actions")  # of the board, among the weights: whole numbers


def has_board(weights: Mapping[str, NDArray[Any]]) -> bool:
    """Whether these are the weights of a network for a board."""
    return NUMBERS[0] in weights


def other_numbers(size: int, numbers: NDArray[Any]) -> NDArray[np.intp]:
    """The numbers below `size` that are not among `numbers`, in order."""
    return np.setdiff1d(np.arange(size), numbers)


def space_sums(neighbours: Floats) -> Floats:
    """Factors [S + 1, S] of the features of spaces: for the sum of each space's neighbours, and for the mean of all."""
    spaces = len(neighbours)
    return np.concatenate([neighbours, np.full((1, spaces), 1.0 / spaces, np.float32)])


def space_layers(weights: Mapping[str, NDArray[Any]]) -> int:
    """The number of layers from spaces to spaces."""
    return sum(name.startswith("spaces.") and name.endswith(".own.weight") for name in weights)


def weight_shapes(weights: Mapping[str, NDArray[Any]], observation: int, actions: int) -> dict[str, tuple[int, ...]]:
    """The names and shapes of a network with as many spaces, layers and units as these weights have."""

    def length(name: str) -> int:
        return weights[name].shape[0] if name in weights and weights[name].ndim else 0

    spaces, units, width = length("space_entries"), length("inputs.bias"), length("pool.bias") // 2
    entries = weights["space_entries"].size // max(1, spaces)
    shapes: dict[str, tuple[int, ...]] = {"scale": (observation,), "space_entries": (spaces, entries)}
    shapes |= {"space_actions": (spaces,), "neighbours": (spaces, spaces)}
    shapes |= {"inputs.weight": (units, entries), "inputs.bias": (units,)}
    shapes["others.weight"] = (units, observation - spaces * entries)
    for k in range(space_layers(weights)):
        shapes |= {f"spaces.{k}.{name}.weight": (units, units) for name in ("own", "near", "mean")}
        shapes[f"spaces.{k}.own.bias"] = (units,)
    shapes |= {"pool.weight": (2 * width, 2 * units), "pool.bias": (2 * width,), "space.weight": (1, units)}
    shapes |= {"policy.weight": (actions - spaces, width), "policy.bias": (actions - spaces,)}
    return shapes | {"value.weight": (1, width), "value.bias": (1,)}


def features(weights: Mapping[str, NDArray[Any]]) -> int:
    """The size of what `BoardNetwork.features` gives."""
    return len(weights["space_actions"]) + len(weights["pool.bias"]) if "pool.bias" in weights else 0


def board_problems(weights: Mapping[str, NDArray[Any]], observation: int, actions: int) -> list[str]:
    """What is wrong with the board of a file whose shapes and types are right: one sentence each."""
    problems = []
    for name, size in (("space_entries", observation), ("space_actions", actions)):
        numbers = weights[name]
        if len(np.unique(numbers)) < numbers.size or not ((numbers >= 0) & (numbers < size)).all():
            problems.append(f"{name} is not of different numbers from 0 to {size - 1}")
    return problems


class BoardNetwork:
    """The logits and values of a network for a board, from the weights of a file."""

    def __init__(self, weights: Mapping[str, NDArray[Any]]):
        self._entries, self._places = weights["space_entries"], weights["space_actions"]
        scale, others = weights["scale"], other_numbers(weights["scale"].size, self._entries)
        self._others = others
        self._space_scale, self._other_scale = scale[self._entries], scale[others]
        self._other_actions = other_numbers(len(self._places) + len(weights["policy.bias"]), self._places)

        self._inputs = weights["inputs.weight"].T, weights["others.weight"].T, weights["inputs.bias"]
        self._layers = []
        for k in range(space_layers(weights)):
            own, near, mean = (weights[f"spaces.{k}.{name}.weight"].T for name in ("own", "near", "mean"))
            self._layers.append((own, near, mean, weights[f"spaces.{k}.own.bias"]))
        self._sums = space_sums(weights["neighbours"])
        self._pool = weights["pool.weight"].T, weights["pool.bias"]
        self._space = weights["space.weight"][0]
        self._policy = weights["policy.weight"].T, weights["policy.bias"]
        self._value = weights["value.weight"][0], weights["value.bias"]

    def __call__(self, observation: NDArray[np.int8]) -> tuple[Floats, Floats]:
        """Logits of all actions, float32 [n, A], and values float32 [n], from int8 [n, D]."""
        n = len(observation)
        logits = np.empty((n, len(self._places) + len(self._other_actions)), np.float32)
        values = np.empty(n, np.float32)
        for first in range(0, n, ROWS):
            rows = slice(first, min(first + ROWS, n))
            logits[rows], values[rows] = self._evaluate(observation[rows])
        return logits, values

    def logits(self, observation: NDArray[np.int8]) -> Floats:
        """The logits alone."""
        return self(observation)[0]

    def features(self, observation: NDArray[np.int8]) -> Floats:
        """The logits of all spaces and the last hidden layer, float32 [n, S + 2 * width]."""
        x = self._space_features(observation)
        weight, bias = self._pool
        pooled = np.maximum(np.concatenate([x.mean(axis=1), x.max(axis=1)], axis=1) @ weight + bias, np.float32(0.0))
        return np.concatenate([x @ self._space, pooled], axis=1)

    def _evaluate(self, observation: NDArray[np.int8]) -> tuple[Floats, Floats]:
        space_logits, pooled = np.split(self.features(observation), [len(self._places)], axis=1)
        for_policy, for_value = np.split(pooled, 2, axis=1)

        logits = np.empty((len(pooled), len(self._places) + len(self._other_actions)), np.float32)
        logits[:, self._places] = space_logits
        weight, bias = self._policy
        logits[:, self._other_actions] = for_policy @ weight + bias
        value, bias = self._value
        return logits, for_value @ value + bias

    def _space_features(self, observation: NDArray[np.int8]) -> Floats:
        """The features of all spaces after the last layer: float32 [n, S, C]."""
        space_inputs = observation[:, self._entries] * self._space_scale
        shared_inputs = observation[:, self._others] * self._other_scale
        weight, others, bias = self._inputs
        x: Floats = np.maximum(space_inputs @ weight + (shared_inputs @ others + bias)[:, None], np.float32(0.0))

        for own, near, mean, bias in self._layers:
            summed = self._sums @ x
            change = x @ own
            change += summed[:, :-1] @ near
            change += (summed[:, -1] @ mean + bias)[:, None]
            x = x + np.maximum(change, np.float32(0.0), out=change)
        return x
