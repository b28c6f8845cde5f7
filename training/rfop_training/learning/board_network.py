"""A network that looks at every space of a board with the same weights; `rfop_agents.board_network` plays it."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import cast

import torch
from torch import Tensor, nn

from rfop_agents.board_network import other_numbers, sums_of
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_training.learning.kernels.spaces import SpaceLayers, neighbours_of
from rfop_training.learning.networks import Network, compiled_loops, linear, masked


class SpaceLayer(nn.Module):
    """Adds to the features of each space what follows from itself, the sum of its neighbours, and the mean of all."""

    def __init__(self, units: int):
        super().__init__()
        self.own = linear(units, units, gain=1.0)
        self.near = linear(units, units, gain=0.5, bias=False)
        self.mean = linear(units, units, gain=0.7, bias=False)

    def forward(self, x: Tensor, sums: Tensor) -> Tensor:
        """Features [n, S, C] from those before; `sums` [S + 1, S] has the sums of neighbours and the mean of all."""
        summed = torch.matmul(sums, x)
        near, mean = summed[:, :-1], summed[:, -1:]
        change = self.own(x)
        change += self.near(near)
        change += self.mean(mean)
        return x + torch.relu_(change)

    @property
    def weights(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """What `SpaceLayers` takes of a layer."""
        return self.own.weight, self.near.weight, self.mean.weight, self.own.bias


class BoardNetwork(Network):
    """A network that looks at every space of the game's board with the same weights.

    `units`: features of a space. `layers`: how often spaces take from their neighbours. `width`: units of the last
    hidden layer, which sees the mean and the maximum of all spaces, once for the policy and once for the value.
    Raises `RfopError` for a game without a board.
    """

    space_entries: Tensor
    space_actions: Tensor
    neighbours: Tensor
    sums: Tensor
    other_entries: Tensor
    order: Tensor

    def __init__(self, game: Game, units: int, layers: int = 2, width: int = 256, bf16: bool = False):
        super().__init__(game, bf16)
        board = game.board()
        if board is None:
            raise RfopError(f"--space-units: {game.id} has no board whose spaces are all alike; leave it out")
        entries = board.observation.shape[1]
        self.register_buffer("space_entries", torch.from_numpy(board.observation.astype("int32")))
        self.register_buffer("space_actions", torch.from_numpy(board.actions.astype("int32")))
        self.register_buffer("neighbours", torch.from_numpy(board.neighbours.astype("float32")))

        # Derived from these, so not among the weights: sums of spaces, all other entries, the heads' columns by action.
        self.register_buffer("sums", torch.from_numpy(sums_of(self.neighbours.numpy())), persistent=False)
        self.near = neighbours_of(self.neighbours.numpy())
        others = other_numbers(game.observation.size, board.observation)
        self.register_buffer("other_entries", torch.from_numpy(others), persistent=False)
        other_actions = torch.from_numpy(other_numbers(game.actions.size, board.actions))
        columns = torch.cat((torch.from_numpy(board.actions.astype("int64")), other_actions))
        self.register_buffer("order", columns.argsort(), persistent=False)

        self.inputs = linear(entries, units)
        self.others = linear(len(others), units, bias=False)
        self.spaces = nn.ModuleList([SpaceLayer(units) for _ in range(layers)])
        self.pool = linear(2 * units, 2 * width)
        self.space = linear(units, 1, gain=0.01, bias=False)
        self.policy = linear(width, len(other_actions), gain=0.01)
        self.value = linear(width, 1, gain=1.0)

    def features(self, observation: Tensor) -> Tensor:
        """The logits of all spaces and the last hidden layer, float32 [n, S + 2 * width], from int8 [n, D]."""
        spaces, entries = self.space_entries.shape
        x = observation.to(self.scale.dtype) * self.scale
        with torch.autocast(x.device.type, torch.bfloat16, enabled=self.bf16):
            of_spaces = x.index_select(1, self.space_entries.flatten()).view(-1, spaces, entries)
            of_all = self.others(x.index_select(1, self.other_entries))
            x = torch.relu_(self.inputs(of_spaces) + of_all[:, None])
            x = self._layers(x)
            pooled = torch.relu_(self.pool(torch.cat((x.mean(1), x.amax(1)), dim=1)))
            return torch.cat((self.space(x)[:, :, 0], pooled), dim=1).float()

    def _layers(self, x: Tensor) -> Tensor:
        """The features of all spaces after the last layer, [n, S, C]; by loops where they are compiled."""
        if compiled_loops(x) and x.dtype == torch.float32 and not self.bf16:
            parameters = [weight for layer in cast(Iterable[SpaceLayer], self.spaces) for weight in layer.weights]
            after: Tensor = SpaceLayers.apply(x, self.near, torch.is_grad_enabled(), *parameters)  # type: ignore[no-untyped-call]
            return after

        for layer in self.spaces:
            x = layer(x, self.sums)
        return x

    def heads(self, features: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Logits [n, A], `ILLEGAL` where the bool mask [n, A] is false, and values [n]."""
        width = self.policy.in_features
        of_spaces, for_policy, for_value = torch.split(features, [len(self.space_actions), width, width], dim=1)
        logits = torch.cat((of_spaces, self.policy(for_policy)), dim=1)
        return masked(logits.index_select(1, self.order), mask), self.value(for_value)[:, 0]

    def in_bfloat16(self) -> BoardNetwork:
        """A copy for inference."""
        made = copy.deepcopy(self)
        for part in (made.inputs, made.others, made.spaces, made.pool, made.space):
            part.to(torch.bfloat16)
        made.scale, made.sums = made.scale.to(torch.bfloat16), made.sums.to(torch.bfloat16)
        return made
