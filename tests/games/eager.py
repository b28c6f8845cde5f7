"""Play that goes on for as long as it can: what a bound on the decisions of a game has to withstand."""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np

from rfop_env.core.batch import GameBatch

STOPS = ("done", "end")  # kinds of actions that end something; what they leave out cannot be made up for


def eager_action(batch: GameBatch, rng: random.Random, liked: Mapping[str, float] | None = None) -> int:
    """A random legal action of game 0 that ends nothing, if there is one; kinds in `liked` are chosen more often."""
    kinds = {int(a): batch.game.actions.label(int(a)).split(" ")[0] for a in np.flatnonzero(batch.action_mask[0])}
    going_on = [action for action, kind in kinds.items() if kind not in STOPS] or list(kinds)
    weights = [(liked or {}).get(kinds[action], 1.0) for action in going_on]
    return rng.choices(going_on, weights)[0]


def play_eagerly(batch: GameBatch, seed: int, liked: Mapping[str, float] | None = None) -> int:
    """Play game 0 to its end; how many decisions it took, forced ones included."""
    rng = random.Random(seed)
    while not batch.states["over"][0]:
        batch.step([eager_action(batch, rng, liked)])
    return int(batch.states["decisions"][0])
