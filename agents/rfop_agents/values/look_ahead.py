"""The loop that values every legal action of many positions; here, so that its kernel depends on this folder alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def make_look_ahead(apply: Callable[..., Any], value: Callable[..., Any]) -> Callable[..., None]:
    """The loop for a game's `apply` and a value: it adds the value after each action to `values` [n, A].

    Its arguments: guesses [K, n], a scratch record [1], components [1], mask bool [n, A], values int64 [n, A].
    """

    def look_ahead(guesses: Any, scratch: Any, components: Any, mask: Any, values: Any) -> None:
        c = components[0]
        for k in range(guesses.shape[0]):
            for i in range(guesses.shape[1]):
                for action in range(mask.shape[1]):
                    if mask[i, action]:
                        scratch[0] = guesses[k, i]
                        seat = scratch[0].player
                        apply(scratch[0], c, action)
                        values[i, action] += value(scratch[0], c, seat)

    return look_ahead
