"""Networks with layers over the whole observation: policy and value with or without a memory, and a central critic."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from rfop_agents.network import observation_scale
from rfop_env.core.game import Game
from rfop_training.learning.kernels import heads as legal_heads
from rfop_training.learning.kernels.heads import LegalHeads
from rfop_training.learning.kernels.hidden import HiddenLayers
from rfop_training.learning.networks import Arrays, Floats, Network, compiled_loops, linear, masked


class DenseNetwork(Network):
    """A network with layers over the whole observation.

    Policy and value share all layers but the last hidden one, which has a half for each, so that neither crowds out the
    other. A recurrent core is shared by both.

    `width` and `layers` are of the hidden part. `gru_size` is the units of a GRU between it and the heads, 0 for none.
    """

    def __init__(self, game: Game, width: int = 256, layers: int = 2, gru_size: int = 0, bf16: bool = False):
        super().__init__(game, bf16)
        self.split = gru_size == 0
        sizes = [game.observation.size, *[width] * (layers - 1), 2 * width if self.split else width]
        self.layers = _hidden_layers(sizes)
        self.gru = nn.GRUCell(width, gru_size) if gru_size else None
        self.policy = linear(gru_size or width, game.actions.size, gain=0.01)
        self.value = linear(gru_size or width, 1, gain=1.0)

    def features(self, observation: Tensor) -> Tensor:
        """The input of the heads, float32 [n, 2 * width], or of the GRU, [n, width], from int8 [n, D]."""
        return hidden(observation, self.scale, self.layers, self.bf16)

    def heads(self, features: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Logits [n, A], `ILLEGAL` where the bool mask [n, A] is false, and values [n]."""
        for_policy, for_value = features.chunk(2, dim=1) if self.split else (features, features)
        return masked(self.policy(for_policy), mask), self.value(for_value)[:, 0]

    def recall(self, observation: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
        """The input of the heads, and the new memory [n, H] (unchanged without a GRU)."""
        features = self.features(observation)
        if self.gru is not None:
            features = memory = self.gru(features, memory)
        return features, memory

    def judge(self, features: Tensor, mask: Tensor, actions: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """As that of any network, by loops over legal actions where they are compiled."""
        if compiled_loops(features):
            parameters = (self.policy.weight, self.policy.bias, self.value.weight, self.value.bias)
            judged: tuple[Tensor, Tensor, Tensor] = LegalHeads.apply(features, *parameters, mask, actions)  # type: ignore[no-untyped-call]
            return judged

        return super().judge(features, mask, actions)

    def sample(self, features: Tensor, mask: Tensor, uniform: Floats) -> tuple[Tensor, Tensor, Tensor]:
        """As that of any network, by loops over legal actions where they are compiled."""
        if compiled_loops(features):
            parameters = (self.policy.weight, self.policy.bias, self.value.weight[0])
            inputs, weight, bias, value_weight = legal_heads.arrays(features, *parameters)
            action, log_prob = legal_heads.sample_legal(mask.numpy(), inputs, weight, bias, uniform)
            value = legal_heads.values(inputs, value_weight, np.float32(self.value.bias.item()))
            return torch.from_numpy(action), torch.from_numpy(log_prob), torch.from_numpy(value)

        return super().sample(features, mask, uniform)

    def in_bfloat16(self) -> DenseNetwork:
        """A copy for inference."""
        made = copy.deepcopy(self)
        made.layers.to(torch.bfloat16)
        made.scale = made.scale.to(torch.bfloat16)
        return made

    def arrays(self) -> Arrays:
        """A copy of the weights, as `rfop_agents.network` has them: each head with zeros for the half of the other."""
        arrays = super().arrays()
        if self.split:
            for name, padding in (("policy.weight", (0, 1)), ("value.weight", (1, 0))):
                width = arrays[name].shape[1]
                arrays[name] = np.pad(arrays[name], ((0, 0), (padding[0] * width, padding[1] * width)))
        return arrays

    def load_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Load weights as `arrays` gives them. Raises `RfopError` where they are of other layers."""
        weights = dict(arrays)
        if self.split:
            width = self.policy.in_features
            weights["policy.weight"], weights["value.weight"] = (
                weights["policy.weight"][:, :width],
                weights["value.weight"][:, width:],
            )
        super().load_arrays(weights)


class CentralCritic(nn.Module):
    """A value function for training alone: of the observations of all seats, int8 [n, P, D], the mover's first."""

    scale: Tensor

    def __init__(self, game: Game, width: int = 256, layers: int = 2, bf16: bool = False):
        super().__init__()
        self.bf16 = bf16
        sizes = [game.spec.players * game.observation.size, *[width] * layers]
        scale = torch.from_numpy(observation_scale(game.observation))
        self.register_buffer("scale", scale.repeat(game.spec.players))
        self.layers = _hidden_layers(sizes)
        self.value = linear(width, 1, gain=1.0)

    def forward(self, observations: Tensor) -> Tensor:
        """Values [n] for the first seat of int8 [n, P, D]."""
        value: Tensor = self.value(hidden(observations.flatten(1), self.scale, self.layers, self.bf16))[:, 0]
        return value


def _hidden_layers(sizes: Iterable[int]) -> nn.ModuleList:
    """Layers from each of these sizes to the next.

    The first weight lies in memory with a row for each input: the compiled loops add up these rows.
    """
    layers = [linear(a, b) for a, b in itertools.pairwise(sizes)]
    layers[0].weight.data = layers[0].weight.data.t().contiguous().t()
    return nn.ModuleList(layers)


def hidden(observation: Tensor, scale: Tensor, layers: Iterable[nn.Module], bf16: bool) -> Tensor:
    """The output of rectified layers, float32 [n, width], on scaled observations int8 [n, D].

    With `bf16` the products are in bfloat16, also those with 0.
    """
    if compiled_loops(observation) and not bf16:
        parameters = [parameter for layer in layers for parameter in layer.parameters()]
        output: Tensor = HiddenLayers.apply(observation, scale, *parameters)  # type: ignore[no-untyped-call]
        return output

    x = observation.to(scale.dtype) * scale
    with torch.autocast(x.device.type, torch.bfloat16, enabled=bf16):
        for layer in layers:
            x = torch.relu_(layer(x))
    return x.float()
