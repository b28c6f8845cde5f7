"""The games that a trainer plays, on the processor or on a graphics card, and the agents that play in them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from rfop_agents.tensors import as_tensor, to_device_like
from rfop_env.agent import Agent, act_for
from rfop_env.core.batch import GameBatch
from rfop_env.core.cuda.device import DEVICE as CARD
from rfop_env.core.cuda.device import require_device, simulated
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game

if TYPE_CHECKING:
    from rfop_env.core.cuda.batch import CudaBatch


class TensorAgent(Agent):
    """An agent that acts where the tensors of its positions are, so that games on a card need not leave it.

    `Agent` knows NumPy alone: the environments come without torch.
    """

    @abstractmethod
    def act_on_tensors(self, observation: Tensor, action_mask: Tensor, rng: np.random.Generator) -> Tensor:
        """A legal action for each position: int64 [n] from int8 [n, D] and bool [n, A]."""


def torch_device(name: str) -> torch.device:
    """Where torch puts what is on a device, cpu or cuda; Numba's simulator has its card on the processor."""
    return torch.device("cpu" if name == CARD and simulated() else name)


def require_card() -> None:
    """Raise `RfopError` where torch finds no card, and there is no simulator of one."""
    if not simulated() and not torch.cuda.is_available():
        raise RfopError(f"--device {CARD}: torch finds none here; leave it out to train on the CPU")


def new_batch(
    device: str,
    game: Game,
    games: int,
    seed: int,
    options: Mapping[str, Any],
    components: Any,
    opponent: str | None,
) -> GameBatch | CudaBatch:
    """Games on a device. Raises what `rfop_env.make_batch` does."""
    if device != CARD:
        return GameBatch(game, games, seed, options=options, components=components, opponent=opponent)
    require_device()
    from rfop_env.core.cuda.batch import CudaBatch

    return CudaBatch(game, games, seed, options=options, components=components, opponent=opponent)


def ask(agent: Agent, batch: GameBatch | CudaBatch, games: Tensor, rng: np.random.Generator) -> Tensor:
    """Let an agent act in the given games, int64 [n], of a batch: int64 [n]."""
    if isinstance(batch, GameBatch):
        return torch.from_numpy(act_for(agent, batch, games.numpy(), rng))

    # Of games on a card, most agents get copies.
    if isinstance(agent, TensorAgent):
        return agent.act_on_tensors(as_tensor(batch.observation)[games], as_tensor(batch.action_mask)[games], rng)
    if not agent.needs_positions:
        observation, mask = (as_tensor(array)[games].cpu().numpy() for array in (batch.observation, batch.action_mask))
        return to_device_like(games, agent.act(observation, mask, rng))
    copied = batch.on_processor(games.tolist())
    return to_device_like(games, act_for(agent, copied, np.arange(len(games)), rng))


def given(actions: Tensor) -> Any:
    """Actions, int64 [n], as a batch takes them."""
    return actions.contiguous() if actions.is_cuda else actions.numpy()
