"""Networks of policy and value in torch, for training; `rfop_agents/network.py` plays them in NumPy.

`dense_network.py` and `board_network.py` have the two kinds, `initial_network.py` makes the one that arguments ask for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from rfop_agents.network import ILLEGAL, observation_scale
from rfop_env.compiler import JIT
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_training.learning.kernels.heads import NO_ACTION

Floats = NDArray[np.float32]
Arrays = dict[str, NDArray[Any]]


class Network(nn.Module, ABC):
    """Policy and value of the seat that decides, from its int8 observation.

    Hidden layers give the features, from which two heads read logits and value. With `bf16` the products of hidden
    layers are in bfloat16; weights, heads and all that is returned stay float32.
    """

    scale: Tensor
    gru: nn.GRUCell | None  # a recurrent core

    def __init__(self, game: Game, bf16: bool):
        super().__init__()
        self.bf16 = bf16
        self.gru = None
        self.register_buffer("scale", torch.from_numpy(observation_scale(game.observation)))

    @abstractmethod
    def features(self, observation: Tensor) -> Tensor:
        """The input of the heads, float32 [n, F], or of the GRU, from int8 [n, D]."""

    @abstractmethod
    def heads(self, features: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Logits [n, A], `ILLEGAL` where the bool mask [n, A] is false, and values [n]."""

    @abstractmethod
    def in_bfloat16(self) -> Network:
        """A copy with hidden layers in bfloat16, for inference: casting them at each call would take longer than
        the products."""

    def recall(self, observation: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
        """The input of the heads, and the new memory [n, H] (unchanged without a GRU)."""
        return self.features(observation), memory

    def forward(self, observation: Tensor, mask: Tensor, memory: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Logits [n, A], values [n] and the new memory [n, H]."""
        features, memory = self.recall(observation, memory)
        return *self.heads(features, mask), memory

    def judge(self, features: Tensor, mask: Tensor, actions: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Log probabilities of legal actions [n, K], entropies of the policy [n] and values [n].

        `actions`: int64 [n, K]. `NO_ACTION` stands for none, and has log probability 0.
        """
        logits, value = self.heads(features, mask)
        log_probs = torch.log_softmax(logits, dim=1)
        probs = torch.softmax(logits, dim=1)  # 15 times as fast as exp of log_probs, of which most are -1e9
        chosen = log_probs.gather(1, actions.clamp(min=0)) * (actions != NO_ACTION)
        return chosen, -(probs * log_probs).sum(1), value

    def sample(self, features: Tensor, mask: Tensor, uniform: Floats) -> tuple[Tensor, Tensor, Tensor]:
        """Legal actions int64 [n] sampled from the policy, their log probabilities [n], and values [n].

        `uniform`: random numbers above 0 and at most 1, float32 [n].
        """
        logits, value = self.heads(features, mask)
        sampled = sample_actions(torch.softmax(logits, dim=1), uniform)
        return sampled, torch.log_softmax(logits, dim=1).gather(1, sampled[:, None])[:, 0], value

    def arrays(self) -> Arrays:
        """A copy of the weights, as `rfop_agents/network.py` reads them."""
        return {name: tensor.detach().cpu().numpy().copy() for name, tensor in self.state_dict().items()}

    def load_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Load weights as `arrays` gives them. Raises `RfopError` where they are of other layers."""
        own = {name: tuple(tensor.shape) for name, tensor in self.state_dict().items()}
        given = {name: array.shape for name, array in arrays.items()}
        if own != given:
            wrong = sorted(name for name in own.keys() | given.keys() if own.get(name) != given.get(name))
            raise RfopError(f"the network has other layers than this one ({', '.join(wrong)})")
        self.load_state_dict({name: torch.from_numpy(np.array(array)) for name, array in arrays.items()})


def linear(inputs: int, outputs: int, gain: float = 2**0.5, bias: bool = True) -> nn.Linear:
    """A layer with orthogonal weights and, where it has one, a bias of 0."""
    layer = nn.Linear(inputs, outputs, bias)
    nn.init.orthogonal_(layer.weight, gain)
    if bias:
        nn.init.zeros_(layer.bias)
    return layer


def compiled_loops(tensor: Tensor) -> bool:
    """Whether networks use the compiled loops of `kernels` on a tensor: on the CPU, with compiled rules."""
    return JIT and tensor.device.type == "cpu"


def masked(logits: Tensor, mask: Tensor) -> Tensor:
    """Logits with `ILLEGAL` in place of those of illegal actions."""
    return torch.where(mask, logits, ILLEGAL)


def positive_uniform(rng: np.random.Generator, n: int) -> Floats:
    """Random numbers above 0 and at most 1: float32 [n]."""
    return np.float32(1.0) - rng.random(n, dtype=np.float32)


def sample_actions(probs: Tensor, uniform: Floats) -> Tensor:
    """An action for each row of probabilities [n, A], by uniform numbers above 0 and at most 1: int64 [n]."""
    cumulative = probs.cumsum(dim=1)
    threshold = torch.from_numpy(uniform).to(cumulative.device)[:, None] * cumulative[:, -1:]
    return (cumulative < threshold).sum(dim=1)


def load_optimiser(optimiser: torch.optim.Optimizer, saved: Mapping[str, Any]) -> None:
    """Load the state of a checkpoint. Raises `RfopError` where it is of other parameters."""
    optimiser.load_state_dict(dict(saved))
    for parameter, state in optimiser.state.items():
        for name, value in state.items():
            if value.shape not in (parameter.shape, torch.Size()) or (name != "step" and not value.shape):
                raise RfopError(f"{name} of the optimiser: {list(value.shape)} instead of {list(parameter.shape)}")
            # A copy that lies in memory as the parameter does: the optimiser goes through both together.
            if value.shape:
                state[name] = torch.empty_like(parameter, requires_grad=False).copy_(value)


def require_finite(steps: int, *tensors: Tensor) -> None:
    """Raise `RfopError` if a weight, or an output of a network, is infinite or NaN."""
    if not all(bool(tensor.isfinite().all()) for tensor in tensors):
        raise not_finite(steps)


def not_finite(steps: int) -> RfopError:
    """The error of a network whose weights or outputs are no finite numbers."""
    return RfopError(
        f"the network no longer gives finite numbers after {steps:,} steps: lower --learning-rate; "
        "the last checkpoint is from before"
    )
