"""What a decision was worth, by a search or a network: the values of actions, and what the one that was played lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rfop_env.core.batch import GameBatch
from rfop_env.players import SeatedAgent, Stop
from rfop_env.web.refusals import Refused

LOOKS = 4  # draws of what is hidden, and of chance, by which an action is valued after it is taken
LEAST = 0.1  # of the visits of the action that was tried most: others that were tried less often have no value
LOSSES = ((0.4, "blunder"), (0.2, "mistake"), (0.1, "inaccuracy"))  # in half the range of returns


def verdict(lost: float, half_range: float) -> str:
    """The word for a decision that lost so much; empty for a good one."""
    for share, word in LOSSES:
        if lost >= share * half_range:
            return word
    return ""


def action_values(program: SeatedAgent, batch: GameBatch, choice: int, stop: Stop) -> list[tuple[int, float]]:
    """Actions of the seat that decides in a batch of one with the returns that a program expects, `choice` among them.

    Those of a search are of what it tried often. A network values every legal action by the positions after it.
    """
    thought = program.think(batch, stop)
    mask = batch.action_mask[0]
    if thought.visits is None or thought.values is None:
        return [(action, _value_after(program, batch, action, stop)) for action in np.flatnonzero(mask).tolist()]
    often = mask & (thought.visits >= max(1.0, LEAST * thought.visits.max()))
    values = [(action, float(thought.values[action])) for action in np.flatnonzero(often).tolist()]
    return values if often[choice] else [*values, (choice, _value_after(program, batch, choice, stop))]


def _value_after(program: SeatedAgent, batch: GameBatch, action: int, stop: Stop) -> float:
    """The return that a program expects for the seat that decides, after it has taken an action."""
    seat, spec = int(batch.current_player[0]), batch.game.spec
    values = []
    for key in range(LOOKS if spec.has_deals else 1):
        trial = batch.clone()
        if spec.has_deals:
            trial.determinize(seat, key)
        trial.step([action])
        values.append(_position_value(program.think, trial, seat, stop))
    return float(np.mean(values))


def _position_value(think: Callable[..., Any], batch: GameBatch, seat: int, stop: Stop) -> float:
    """The return that is expected for a seat: of another one's loss it has its part."""
    if batch.states["over"][0]:
        return float(batch.game_returns(batch.game.rewards[0].name)[0, seat])
    value = think(batch, stop).value
    if value is None or not np.isfinite(value):
        raise Refused("this program gives no value here: choose a search or a trained network")
    if int(batch.current_player[0]) == seat:
        return float(value)
    return -float(value) / (batch.game.spec.players - 1)
