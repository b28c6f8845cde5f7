"""The torch networks that `training/ppo_self_play.py` trains; `agents/network.py` plays them in NumPy."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.network import ILLEGAL, hidden_layers, observation_scale
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game


def _linear(inputs: int, outputs: int, gain: float = 2**0.5) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def hidden(x: Tensor, layers: Iterable[nn.Module], rounded: bool) -> Tensor:
    """What rectified layers make of inputs float32 [n, D]: float32 [n, width], multiplied in bfloat16 if `rounded`."""
    with torch.autocast(x.device.type, torch.bfloat16, enabled=rounded):
        for layer in layers:
            x = torch.relu_(layer(x))
    return x.float()


class Network(nn.Module):
    """Policy and value of the seat that decides, from the int8 observation, on shared layers but for the last.

    The last hidden layer has one half for the policy and one for the value: what one of them needs does not push out
    what the other does. A recurrent core is shared by both.

    `width`, `layers`: of the hidden part. `core`: units of a GRU between it and the heads, 0 for none. `rounded`: the
    hidden layers multiply in bfloat16; weights, heads and all that is returned stay float32.
    """

    scale: Tensor

    def __init__(self, game: Game, width: int = 256, layers: int = 2, core: int = 0, rounded: bool = False):
        super().__init__()
        self.rounded = rounded
        self.split = core == 0
        sizes = [game.observation.size, *[width] * (layers - 1), 2 * width if self.split else width]
        self.register_buffer("scale", torch.from_numpy(observation_scale(game.observation)))
        self.layers = nn.ModuleList(_linear(a, b) for a, b in itertools.pairwise(sizes))
        self.core = nn.GRUCell(width, core) if core else None
        self.policy = _linear(core or width, game.actions.size, gain=0.01)
        self.value = _linear(core or width, 1, gain=1.0)

    def features(self, observation: Tensor) -> Tensor:
        """What the heads, or the core, work on: float32 [n, 2 * width] or [n, width] from int8 [n, D]."""
        return hidden(observation.to(self.scale.dtype) * self.scale, self.layers, self.rounded)

    def heads(self, features: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Logits [n, A], `ILLEGAL` where the bool mask [n, A] is false, and values [n]."""
        for_policy, for_value = features.chunk(2, dim=1) if self.split else (features, features)
        return masked(self.policy(for_policy), mask), self.value(for_value)[:, 0]

    def forward(self, observation: Tensor, mask: Tensor, memory: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Logits [n, A], values [n] and the new memory [n, H] (as it came, without a core)."""
        features = self.features(observation)
        if self.core is not None:
            features = memory = self.core(features, memory)
        return *self.heads(features, mask), memory

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """A copy of the weights, as `agents/network.py` reads them: each head with zeros for the other's half."""
        arrays = {name: tensor.detach().cpu().numpy().copy() for name, tensor in self.state_dict().items()}
        if self.split:
            for name, theirs in (("policy.weight", (0, 1)), ("value.weight", (1, 0))):
                width = arrays[name].shape[1]
                arrays[name] = np.pad(arrays[name], ((0, 0), (theirs[0] * width, theirs[1] * width)))
        return arrays

    def take(self, arrays: Mapping[str, NDArray[np.floating[Any]]]) -> None:
        """Take over weights as `arrays` gives them; `RfopError` where they are of other layers."""
        given = dict(arrays)
        if self.split:
            width = self.policy.in_features
            given["policy.weight"], given["value.weight"] = (
                given["policy.weight"][:, :width],
                given["value.weight"][:, width:],
            )
        own = {name: tuple(tensor.shape) for name, tensor in self.state_dict().items()}
        theirs = {name: array.shape for name, array in given.items()}
        if own != theirs:
            wrong = sorted(name for name in own.keys() | theirs.keys() if own.get(name) != theirs.get(name))
            raise RfopError(f"the network has other layers than this one ({', '.join(wrong)})")
        self.load_state_dict({name: torch.from_numpy(array.astype(np.float32)) for name, array in given.items()})


def sizes_of(arrays: Mapping[str, NDArray[np.floating[Any]]]) -> dict[str, int]:
    """`width`, `layers` and `core` of the network that has these weights, as `Network.arrays` gives them."""
    layers = hidden_layers(arrays)
    core = arrays["core.weight_hh"].shape[1] if "core.weight_hh" in arrays else 0
    last = arrays[f"layers.{layers - 1}.bias"].size
    return {"width": last if core else last // 2, "layers": layers, "core": core}


def masked(logits: Tensor, mask: Tensor) -> Tensor:
    """Logits with `ILLEGAL` in place of those of illegal actions."""
    return torch.where(mask, logits, ILLEGAL)


class CentralCritic(nn.Module):
    """A value for training alone: it sees what every seat sees, the seat that decides first; int8 [n, P, D]."""

    scale: Tensor

    def __init__(self, game: Game, width: int = 256, layers: int = 2, rounded: bool = False):
        super().__init__()
        self.rounded = rounded
        sizes = [game.spec.players * game.observation.size, *[width] * layers]
        scale = torch.from_numpy(observation_scale(game.observation))
        self.register_buffer("scale", scale.repeat(game.spec.players))
        self.layers = nn.ModuleList(_linear(a, b) for a, b in itertools.pairwise(sizes))
        self.value = _linear(width, 1, gain=1.0)

    def forward(self, observations: Tensor) -> Tensor:
        """Values [n] for the first seat of int8 [n, P, D]."""
        scaled = observations.flatten(1).to(self.scale.dtype) * self.scale
        value: Tensor = self.value(hidden(scaled, self.layers, self.rounded))[:, 0]
        return value


def load_optimiser(optimiser: torch.optim.Optimizer, kept: Mapping[str, Any]) -> None:
    """Give an optimiser the state of a checkpoint; `RfopError` where it is not of the same parameters."""
    optimiser.load_state_dict(dict(kept))
    for parameter, state in optimiser.state.items():
        for name, value in state.items():
            if value.shape not in (parameter.shape, torch.Size()) or (name != "step" and not value.shape):
                raise RfopError(f"{name} of the optimiser: {list(value.shape)} instead of {list(parameter.shape)}")
