"""The hidden layers of a network, rectified and fully connected: the first reads observations that are mostly 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rfop_training.learning.kernels.compiled import compiled
from rfop_training.learning.kernels.first_layer import add_products, sparse_columns, sparse_rows

Layer = tuple[Tensor, Tensor]  # weight float32 [W, D] and bias float32 [W]


@compiled
def rectify(x: Any, bias: Any) -> None:
    """Add the bias float32 [W] to each row of `x` float32 [n, W], and set what is below 0 to 0."""
    for i in range(x.shape[0]):
        for c in range(x.shape[1]):
            x[i, c] = max(x[i, c] + bias[c], np.float32(0.0))


@compiled
def pass_back(gradient: Any, output: Any, passed: Any, for_bias: Any) -> None:
    """The gradient before a rectifier, float32 [n, W], from that behind it and its output; its sum over all rows."""
    for i in range(gradient.shape[0]):
        for c in range(gradient.shape[1]):
            g = gradient[i, c] if output[i, c] > 0.0 else np.float32(0.0)
            passed[i, c] = g
            for_bias[c] += g


def by_input(weight: Tensor) -> NDArray[np.float32]:
    """A weight [W, D] as an array with a row in memory for each input, [D, W]: no copy where it lies so already."""
    return weight.detach().t().contiguous().numpy()


def outputs(entries: Sequence[Any], layers: Sequence[Layer]) -> list[Tensor]:
    """The output of each layer, float32 [n, W], on the `sparse_rows` of observations."""
    weight, bias = layers[0]
    x = bias.detach().repeat(len(entries[0]) - 1, 1)
    add_products(*entries, by_input(weight), x.numpy())
    found = [x.relu_()]
    for weight, bias in layers[1:]:
        x = torch.mm(found[-1], weight.detach().t())
        rectify(x.numpy(), bias.detach().numpy())
        found.append(x)
    return found


class HiddenLayers(torch.autograd.Function):
    """All hidden layers on scaled observations, to which no gradient flows.

    The first weight should lie in memory with a row for each input, as the transpose of a contiguous tensor; its
    gradient lies so, too.
    """

    @staticmethod
    def forward(ctx: Any, observation: Tensor, scale: Tensor, *parameters: Tensor) -> Tensor:
        """float32 [n, W] from int8 [n, D], float32 [D], and weight and bias of each layer in turn."""
        layers = list(zip(parameters[::2], parameters[1::2], strict=True))
        ctx.entries = sparse_rows(observation.numpy(), scale.numpy())
        found = outputs(ctx.entries, layers)
        ctx.outputs = [x.detach() for x in found]  # the output itself would lead back here, and keep all this alive
        ctx.save_for_backward(*parameters)
        return found[-1]

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients of weights and biases from that of the output, float32 [n, W]."""
        weights = ctx.saved_tensors[::2]
        gradients: list[Tensor] = []
        for k in reversed(range(len(weights))):
            passed = torch.empty(gradient.shape)
            for_bias = torch.zeros(gradient.shape[1])
            pass_back(gradient.contiguous().numpy(), ctx.outputs[k].numpy(), passed.numpy(), for_bias.numpy())
            if k > 0:
                gradients = [passed.t() @ ctx.outputs[k - 1], for_bias, *gradients]
                gradient = passed @ weights[k].detach()
            else:
                for_weight = torch.zeros(weights[0].shape[::-1])
                columns = sparse_columns(*ctx.entries, len(for_weight))
                add_products(*columns, passed.numpy(), for_weight.numpy())
                gradients = [for_weight.t(), for_bias, *gradients]
        return None, None, *gradients
