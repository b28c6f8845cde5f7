"""Networks of random weights."""

from __future__ import annotations

import numpy as np

from rfop_env.core.game import Game


def random_weights(game: Game, seed: int = 0, width: int = 16, spread: float = 0.1) -> dict[str, np.ndarray]:
    """The arrays of a dense network with one layer."""
    rng = np.random.default_rng(seed)
    shapes = {"layers.0": (width, game.observation.size), "policy": (game.actions.size, width), "value": (1, width)}
    weights = {f"{name}.weight": rng.normal(0, spread, shape).astype(np.float32) for name, shape in shapes.items()}
    weights |= {f"{name}.bias": np.zeros(shape[0], np.float32) for name, shape in shapes.items()}
    return weights | {"scale": np.ones(game.observation.size, np.float32)}
