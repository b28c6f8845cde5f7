"""The torch networks that self-play trains; `agents/network.py` plays them in NumPy."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

import agents
from agents.agent import Agent
from agents.network import ILLEGAL, NetworkAgent, hidden_layers, observation_scale
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.core.game import Game
from rfop_env.core.rule import JIT
from training.learning.arguments import AllSeatsArguments
from training.learning.kernels import heads as legal_heads
from training.learning.kernels.heads import NO_ACTION, LegalHeads
from training.learning.kernels.hidden import HiddenLayers

Floats = NDArray[np.float32]


def _linear(inputs: int, outputs: int, gain: float = 2**0.5) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def _hidden_layers(sizes: Iterable[int]) -> nn.ModuleList:
    """Layers from each of these sizes to the next.

    The first weight lies in memory with a row for each input: the compiled loops add up these rows.
    """
    layers = [_linear(a, b) for a, b in itertools.pairwise(sizes)]
    layers[0].weight.data = layers[0].weight.data.t().contiguous().t()
    return nn.ModuleList(layers)


def compiled_loops(tensor: Tensor) -> bool:
    """Whether networks use the loops of `training/learning/kernels` on a tensor: on the CPU, with compiled rules."""
    return JIT and tensor.device.type == "cpu"


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


class Network(nn.Module):
    """Policy and value of the seat that decides, from its int8 observation.

    Policy and value share all layers but the last hidden one, which has a half for each, so that neither crowds out the
    other. A recurrent core is shared by both.

    `width` and `layers` are of the hidden part. `gru_size` is the units of a GRU between it and the heads, 0 for none.
    With `bf16` the products of hidden layers are in bfloat16; weights, heads and all that is returned stay float32.
    """

    scale: Tensor

    def __init__(self, game: Game, width: int = 256, layers: int = 2, gru_size: int = 0, bf16: bool = False):
        super().__init__()
        self.bf16 = bf16
        self.split = gru_size == 0
        sizes = [game.observation.size, *[width] * (layers - 1), 2 * width if self.split else width]
        self.register_buffer("scale", torch.from_numpy(observation_scale(game.observation)))
        self.layers = _hidden_layers(sizes)
        self.gru = nn.GRUCell(width, gru_size) if gru_size else None
        self.policy = _linear(gru_size or width, game.actions.size, gain=0.01)
        self.value = _linear(gru_size or width, 1, gain=1.0)

    def features(self, observation: Tensor) -> Tensor:
        """The input of the heads, or of the GRU: float32 [n, 2 * width] or [n, width] from int8 [n, D]."""
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

    def forward(self, observation: Tensor, mask: Tensor, memory: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Logits [n, A], values [n] and the new memory [n, H]."""
        features, memory = self.recall(observation, memory)
        return *self.heads(features, mask), memory

    def judge(self, features: Tensor, mask: Tensor, actions: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Log probabilities of legal actions [n, K], entropies of the policy [n] and values [n].

        `actions`: int64 [n, K]. `NO_ACTION` stands for none, and has log probability 0.
        """
        if compiled_loops(features):
            parameters = (self.policy.weight, self.policy.bias, self.value.weight, self.value.bias)
            judged: tuple[Tensor, Tensor, Tensor] = LegalHeads.apply(features, *parameters, mask, actions)  # type: ignore[no-untyped-call]
            return judged

        logits, value = self.heads(features, mask)
        log_probs = torch.log_softmax(logits, dim=1)
        probs = torch.softmax(logits, dim=1)  # 15 times as fast as exp of log_probs, of which most are -1e9
        chosen = log_probs.gather(1, actions.clamp(min=0)) * (actions != NO_ACTION)
        return chosen, -(probs * log_probs).sum(1), value

    def sample(self, features: Tensor, mask: Tensor, uniform: Floats) -> tuple[Tensor, Tensor, Tensor]:
        """Legal actions int64 [n] sampled from the policy, their log probabilities [n], and values [n].

        `uniform`: random numbers above 0 and at most 1, float32 [n].
        """
        if compiled_loops(features):
            parameters = (self.policy.weight, self.policy.bias, self.value.weight[0])
            inputs, weight, bias, value_weight = legal_heads.arrays(features, *parameters)
            action, log_prob = legal_heads.sample_legal(mask.numpy(), inputs, weight, bias, uniform)
            value = legal_heads.values(inputs, value_weight, np.float32(self.value.bias.item()))
            return torch.from_numpy(action), torch.from_numpy(log_prob), torch.from_numpy(value)

        logits, value = self.heads(features, mask)
        sampled = sample_actions(torch.softmax(logits, dim=1), uniform)
        return sampled, torch.log_softmax(logits, dim=1).gather(1, sampled[:, None])[:, 0], value

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """A copy of the weights, as `agents/network.py` reads them: each head with zeros for the half of the other."""
        arrays = {name: tensor.detach().cpu().numpy().copy() for name, tensor in self.state_dict().items()}
        if self.split:
            for name, padding in (("policy.weight", (0, 1)), ("value.weight", (1, 0))):
                width = arrays[name].shape[1]
                arrays[name] = np.pad(arrays[name], ((0, 0), (padding[0] * width, padding[1] * width)))
        return arrays

    def load_arrays(self, arrays: Mapping[str, NDArray[np.floating[Any]]]) -> None:
        """Load weights as `arrays` gives them. Raises `RfopError` where they are of other layers."""
        weights = dict(arrays)
        if self.split:
            width = self.policy.in_features
            weights["policy.weight"], weights["value.weight"] = (
                weights["policy.weight"][:, :width],
                weights["value.weight"][:, width:],
            )
        own = {name: tuple(tensor.shape) for name, tensor in self.state_dict().items()}
        given = {name: array.shape for name, array in weights.items()}
        if own != given:
            wrong = sorted(name for name in own.keys() | given.keys() if own.get(name) != given.get(name))
            raise RfopError(f"the network has other layers than this one ({', '.join(wrong)})")
        self.load_state_dict({name: torch.from_numpy(array.astype(np.float32)) for name, array in weights.items()})


def sizes_of(arrays: Mapping[str, NDArray[np.floating[Any]]]) -> dict[str, int]:
    """`width`, `layers` and `gru_size` of the network that has these weights, as `Network.arrays` gives them."""
    layers = hidden_layers(arrays)
    gru_size = arrays["gru.weight_hh"].shape[1] if "gru.weight_hh" in arrays else 0
    last = arrays[f"layers.{layers - 1}.bias"].size
    return {"width": last if gru_size else last // 2, "layers": layers, "gru_size": gru_size}


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
        self.value = _linear(width, 1, gain=1.0)

    def forward(self, observations: Tensor) -> Tensor:
        """Values [n] for the first seat of int8 [n, P, D]."""
        value: Tensor = self.value(hidden(observations.flatten(1), self.scale, self.layers, self.bf16))[:, 0]
        return value


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


def load_initial_network(network: Network, args: AllSeatsArguments, game: Game, components: Any) -> None:
    """Give a network the weights of `--init-from`, if it is given. Raises `RfopError`."""
    if not args.init_from:
        return
    agent: Agent | None = None
    with suppress(UnknownName):
        agent = agents.load(args.init_from, game, components)
    if not isinstance(agent, NetworkAgent):
        raise RfopError(f"--init-from: {args.init_from} is no network; give a run's folder, a model or a baseline")
    try:
        network.load_arrays(agent.weights)
    except RfopError as error:
        raise RfopError(
            f"--init-from {args.init_from}: {error}; set --width, --layers and --gru-size as it was made"
        ) from None
