"""The scale of a network's inputs, by the ranges that the game declares or by how much they vary in games played."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_agents.network import observation_scale
from rfop_env.core.batch import GameBatch
from rfop_env.core.game import Game
from rfop_env.core.kernels import scripted_actions
from rfop_env.core.observation_layout import ObservationLayout

Floats = NDArray[np.float32]

SPREAD = 0.3  # standard deviation of a piece that is scaled by data
MOST = 32.0  # factor between the two scales: what hardly ever changes stays small
GAMES, STEPS, APART = 256, 40, 4  # games, observations of each, and decisions between two of them


def scale_by_data(game: Game, options: dict[str, Any], components: Any, seed: int) -> Floats:
    """The factor of each entry of the observation, float32 [D], from games of random and of scripted players.

    Pieces of two values are scaled by their range. Where the entries of another piece vary less than `SPREAD`, all of
    them are enlarged by one factor, at most `MOST`: entries of a piece stay comparable, and spaces of a board alike.
    """
    scale = observation_scale(game.observation)
    spread = spread_of_pieces(game.observation, play(game, options, components, seed) * scale)
    for piece in game.observation.pieces:
        if piece.high - piece.low > 1 and 0.0 < spread[piece.name] < SPREAD:
            start = game.observation.start(piece.name)
            scale[start : start + piece.size] *= min(SPREAD / spread[piece.name], MOST)
    return scale


def spread_of_pieces(layout: ObservationLayout, inputs: Floats) -> dict[str, float]:
    """The standard deviation of each piece in inputs [n, D]: the root mean square over its entries that vary, or 0."""
    deviation = inputs.std(axis=0, dtype=np.float64)
    spread = {}
    for piece in layout.pieces:
        entries = deviation[layout.start(piece.name) :][: piece.size]
        varying = entries[entries > 0.0]
        spread[piece.name] = float(np.sqrt((varying**2).mean())) if len(varying) else 0.0
    return spread


def play(game: Game, options: dict[str, Any], components: Any, seed: int) -> NDArray[np.int8]:
    """Observations, int8 [n, D], of games in which every fourth decision is random and the others are scripted."""
    batch = GameBatch(game, GAMES, seed, options=options, components=components, autoreset=True)
    observations = []
    for _ in range(STEPS):
        batch.step_random()
        for _ in range(APART - 1):
            follow_script(batch)
        observations.append(batch.observation.copy())
    return np.concatenate(observations)


def follow_script(batch: GameBatch) -> None:
    """Take a decision of the first scripted player in every game, or a random one where there is none."""
    game = batch.game
    if not game.scripted:
        batch.step_random()
        return
    mask = batch.action_mask
    batch.step(scripted_actions(game, batch.states.copy(), batch.components, mask, game.scripted[0].name))
