"""Networks of policy and value in torch; `rfop_agents/network.py` plays their files in NumPy.

`DenseNetwork` has layers over the whole observation, `BoardNetwork` looks at all spaces of a board with the same
weights. A network of your own inherits from `Network` and defines `features` and `heads`. Any of them can have a
`BeliefHead`.
"""

from __future__ import annotations

import copy
import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from rfop_agents import board_network, network
from rfop_env.compiler import JIT
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.core.game import Game

Arrays = dict[str, NDArray[Any]]
GROUP = 4  # entries that a row is filled up to: the loops take as many at a time


class Evaluation(NamedTuple):
    """A network's view of n positions: the distribution over actions, its entropy, and the value."""

    log_probs: Tensor  # float32 [n, A]
    probs: Tensor  # float32 [n, A], 0 for illegal actions
    entropy: Tensor  # float32 [n]
    value: Tensor  # float32 [n]
    belief: Tensor | None  # float32 [n, T]: logits of what other seats see alone; None without a belief head

    def log_prob(self, action: Tensor) -> Tensor:
        """The log probability of an action for each position: float32 [n] from int64 [n]."""
        return self.log_probs.gather(1, action[:, None])[:, 0]


class Network(nn.Module, ABC):
    """Policy and value of the seat that decides, from its int8 observation.

    With `bf16` the products of hidden layers are in bfloat16; weights, heads and results stay float32.
    """

    scale: Tensor

    def __init__(self, game: Game, bf16: bool):
        super().__init__()
        self.bf16 = bf16
        self.register_buffer("scale", torch.from_numpy(network.observation_scale(game.observation)))
        self.belief: BeliefHead | None = None

    @abstractmethod
    def features(self, observation: Tensor) -> Tensor:
        """The input of the heads, float32 [n, F], from int8 [n, D]."""

    @abstractmethod
    def heads(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of all actions [n, A], and values [n]."""

    @abstractmethod
    def hidden_modules(self) -> Iterable[nn.Module]:
        """The modules whose products are in bfloat16 with `bf16`."""

    def forward(self, observation: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Logits [n, A], `ILLEGAL` where the bool mask [n, A] is false, and values [n]."""
        return self._masked_heads(self.features(observation), mask)

    def _masked_heads(self, features: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        logits, value = self.heads(features)
        return torch.where(mask, logits, network.ILLEGAL), value

    def evaluate_actions(self, observation: Tensor, mask: Tensor) -> Evaluation:
        """The policy's distribution, its entropy, the value and the belief in these positions, in one pass."""
        features = self.features(observation)
        logits, value = self._masked_heads(features, mask)
        belief = None if self.belief is None else self.belief(observation, self.scale, features.detach())
        log_probs = torch.log_softmax(logits, dim=1)
        probs = torch.softmax(logits, dim=1)  # several times as fast as exp of log_probs, of which most are -1e9
        return Evaluation(log_probs, probs, -(probs * log_probs).sum(1), value, belief)

    def sample(self, observation: Tensor, mask: Tensor, uniform: NDArray[np.float32]) -> tuple[Tensor, Tensor, Tensor]:
        """Legal actions int64 [n] sampled from the policy, their log probabilities [n], and values [n].

        `uniform`: random numbers above 0 and at most 1, float32 [n] (`positive_uniform`).
        """
        logits, value = self(observation, mask)
        probs = torch.softmax(logits, dim=1)
        action = sample_actions(probs, uniform)
        return action, probs.gather(1, action[:, None])[:, 0].log(), value

    def add_belief(self, game: Game, units: int) -> None:
        """Add an untrained belief head with so many units of its own.

        Raises `RfopError` for a game in which no other seat sees anything alone.
        """
        if not network.belief_targets(game):
            raise RfopError(f"--belief: in {game.id} no other seat sees anything alone, so there is nothing to predict")
        with torch.no_grad():
            features = self.features(torch.zeros(1, game.observation.size, dtype=torch.int8))
        self.belief = BeliefHead(game, units, features.shape[1])

    def bf16_copy(self) -> Network:
        """A copy for inference with hidden layers in bfloat16, which `refresh_copy` brings up to date."""
        clone = copy.deepcopy(self)
        for module in clone.hidden_modules():
            module.to(torch.bfloat16)
        return clone

    @torch.no_grad()
    def refresh_copy(self, clone: Network) -> None:
        """Copy the weights into a `bf16_copy` of this network."""
        for target, weight in zip(clone.parameters(), self.parameters(), strict=True):
            target.copy_(weight)

    def to_arrays(self) -> Arrays:
        """A copy of the weights under the names of a model file."""
        arrays = {name: tensor.detach().cpu().numpy().copy() for name, tensor in self.state_dict().items()}
        return _transposed(arrays, "belief.first.weight")

    def load_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Load the weights of a model file. Raises `RfopError` where they are of other layers."""
        weights = _transposed(arrays, "belief.first.weight")
        shapes = {name: tuple(tensor.shape) for name, tensor in self.state_dict().items()}
        new_shapes = {name: array.shape for name, array in weights.items()}
        if shapes != new_shapes:
            names = sorted(n for n in shapes.keys() | new_shapes.keys() if shapes.get(n) != new_shapes.get(n))
            raise RfopError(f"the network has other layers than this one ({', '.join(names)})")
        self.load_state_dict({name: torch.from_numpy(np.array(array)) for name, array in weights.items()})


def _transposed(arrays: Mapping[str, NDArray[Any]], name: str) -> Arrays:
    """Arrays of which one, if it is there, is transposed: that of a `FirstLayer` is, in model files."""
    return {key: np.ascontiguousarray(array.T) if key == name else array for key, array in arrays.items()}


def linear(inputs: int, outputs: int, gain: float = 2**0.5, bias: bool = True) -> nn.Linear:
    """A layer with orthogonal weights and, where it has one, a bias of 0."""
    layer = nn.Linear(inputs, outputs, bias)
    nn.init.orthogonal_(layer.weight, gain)
    if bias:
        nn.init.zeros_(layer.bias)
    return layer


def positive_uniform(rng: np.random.Generator, n: int) -> NDArray[np.float32]:
    """Random numbers above 0 and at most 1: float32 [n]."""
    return np.float32(1.0) - rng.random(n, dtype=np.float32)


def sample_actions(probs: Tensor, uniform: NDArray[np.float32]) -> Tensor:
    """An action for each row of probabilities [n, A], by uniform numbers above 0 and at most 1: int64 [n]."""
    cumulative = probs.cumsum(dim=1)
    threshold = torch.from_numpy(uniform).to(cumulative.device)[:, None] * cumulative[:, -1:]
    return (cumulative < threshold).sum(dim=1)


# -- the first layer: observations are int8, and about nine tenths of them are 0 --------------------------------------


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop over float32 arrays, which releases Python's global lock; plain Python when `RFOP_JIT=0`."""
    if not JIT:
        return function

    import numba

    from rfop_env.compiler.kernel_cache import KernelCache

    # The compiler may reorder sums and fuse a product with a sum; infinite numbers and NaN keep their meaning.
    dispatcher: Any = numba.njit(
        function, nogil=True, fastmath={"reassoc", "contract", "nsz", "arcp"}, error_model="numpy"
    )
    dispatcher._cache = KernelCache(f"training.{function.__name__}", dispatcher, None)
    loop: Callable[..., Any] = dispatcher
    return loop


@compiled
def nonzero_entries(observation: Any, scale: Any) -> Any:
    """The entries of int8 [n, D] that are not 0: where each row starts, int64 [n + 1], their columns, their values.

    Values are times the `scale` float32 [D] of their column. Rows are filled up with zeros to a multiple of `GROUP`.
    """
    n, size = observation.shape
    start = np.empty(n + 1, np.int64)
    column = np.empty(n * (size + GROUP), np.int32)
    value = np.empty(n * (size + GROUP), np.float32)
    end = 0
    for i in range(n):
        start[i] = end
        row = observation[i]
        for j in range(size):  # without a branch: entries that are 0 are written over
            column[end] = j
            value[end] = np.float32(row[j]) * scale[j]
            end += row[j] != 0
        while end % GROUP != 0:
            column[end] = 0
            value[end] = 0.0
            end += 1
    start[n] = end
    return start, column[:end], value[:end]


@compiled
def add_product(start: Any, column: Any, value: Any, weight: Any, out: Any) -> None:
    """Add to each row of `out` float32 [n, W] the product of its entries with `weight` [D, W]."""
    for i in range(out.shape[0]):
        o = out[i]
        for k in range(start[i], start[i + 1], GROUP):
            v0, v1, v2, v3 = value[k], value[k + 1], value[k + 2], value[k + 3]
            w0, w1, w2, w3 = weight[column[k]], weight[column[k + 1]], weight[column[k + 2]], weight[column[k + 3]]
            for c in range(o.shape[0]):
                o[c] += v0 * w0[c] + v1 * w1[c] + v2 * w2[c] + v3 * w3[c]


@compiled
def add_weight_gradient(start: Any, column: Any, value: Any, gradient: Any, out: Any) -> None:
    """Add to `out` float32 [D, W] the gradient of the weight, from the `gradient` [n, W] of the product."""
    for i in range(gradient.shape[0]):
        g = gradient[i]
        for k in range(start[i], start[i + 1]):
            v, o = value[k], out[column[k]]
            for c in range(o.shape[0]):
                o[c] += v * g[c]


class SparseProduct(torch.autograd.Function):
    """The product of scaled observations with a weight [D, W]; no gradient flows to the observations."""

    @staticmethod
    def forward(ctx: Any, observation: Tensor, scale: Tensor, weight: Tensor) -> Tensor:
        """float32 [n, W] from int8 [n, D], float32 [D] and float32 [D, W]."""
        ctx.entries = nonzero_entries(observation.numpy(), scale.numpy())
        ctx.shape = weight.shape
        product = torch.zeros(len(observation), weight.shape[1])
        add_product(*ctx.entries, weight.detach().numpy(), product.numpy())
        return product

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[None, None, Tensor]:
        """The gradient of the weight."""
        weight_gradient = torch.zeros(ctx.shape)
        add_weight_gradient(*ctx.entries, gradient.contiguous().numpy(), weight_gradient.numpy())
        return None, None, weight_gradient


class FirstLayer(nn.Module):
    """A rectified linear layer on int8 observations, about nine tenths of which are 0.

    Its weight is [inputs, outputs], a row in memory for each input, and is transposed in model files. On the processor
    a compiled loop takes the entries that are not 0 alone.
    """

    def __init__(self, inputs: int, outputs: int):
        super().__init__()
        layer = linear(inputs, outputs)
        self.weight = nn.Parameter(layer.weight.detach().t().contiguous())
        self.bias = layer.bias

    def forward(self, observation: Tensor, scale: Tensor) -> Tensor:
        """Outputs [n, W] of int8 [n, D], each entry times its `scale` [D]."""
        on_cpu = JIT and observation.device.type == "cpu"
        if on_cpu and self.weight.dtype == torch.float32 and not torch.is_autocast_enabled("cpu"):
            product: Tensor = SparseProduct.apply(observation, scale, self.weight)  # type: ignore[no-untyped-call]
            return torch.relu_(product + self.bias)
        return torch.relu_(torch.addmm(self.bias, observation.to(self.weight.dtype) * scale, self.weight))


class BeliefHead(nn.Module):
    """Logits of what the other seats see alone, from the observation and the last hidden layer of a network.

    It has a layer of its own over the observation. Its gradient ends at both inputs, so that policy and value are
    learned as without it. The targets are the entries of the private pieces of the observation, of each other seat in
    the order of play from the seat that decides, where 0 is the lowest value of an entry and 1 the highest.
    """

    low: Tensor
    reach: Tensor

    def __init__(self, game: Game, units: int, features: int):
        super().__init__()
        layout, _ = game.observation.private()
        low, high = (np.tile(bound.astype("float32"), game.spec.players - 1) for bound in (layout.low, layout.high))
        self.register_buffer("low", torch.from_numpy(low), persistent=False)
        self.register_buffer("reach", torch.from_numpy(np.maximum(high - low, 1.0)), persistent=False)
        self.first = FirstLayer(game.observation.size, units)
        self.output = linear(units + features, len(low), gain=0.01)

    def forward(self, observation: Tensor, scale: Tensor, features: Tensor) -> Tensor:
        """Logits [n, T] from int8 [n, D], the `scale` [D] of its entries, and the last hidden layer [n, F]."""
        logits: Tensor = self.output(torch.cat((self.first(observation, scale), features), dim=1))
        return logits

    def loss(self, logits: Tensor, hidden: Tensor) -> Tensor:
        """The cross-entropy with what the other seats saw alone, int8 [n, T]: float32 [n], the sum over the targets."""
        target = (hidden - self.low) / self.reach
        return nn.functional.binary_cross_entropy_with_logits(logits, target, reduction="none").sum(1)


# -- layers over the whole observation ---------------------------------------------------------------------------------


class DenseNetwork(Network):
    """A network with layers over the whole observation.

    Policy and value share all layers but the last hidden one, which has a half for each. `width`: units of each hidden
    layer, and of each half of the last one.
    """

    def __init__(self, game: Game, width: int = 256, layers: int = 2, bf16: bool = False):
        super().__init__(game, bf16)
        sizes = [game.observation.size, *[width] * (layers - 1), 2 * width]
        hidden = [linear(inputs, outputs) for inputs, outputs in itertools.pairwise(sizes[1:])]
        self.layers = nn.ModuleList([FirstLayer(sizes[0], sizes[1]), *hidden])
        self.policy = linear(width, game.actions.size, gain=0.01)
        self.value = linear(width, 1, gain=1.0)

    def features(self, observation: Tensor) -> Tensor:
        """The last hidden layer, float32 [n, 2 * width]."""
        first, *layers = self.layers
        with torch.autocast(self.scale.device.type, torch.bfloat16, enabled=self.bf16):
            x = first(observation, self.scale)
            for layer in layers:
                x = torch.relu_(layer(x))
        return x.float()

    def heads(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Logits [n, A] from the first half, and values [n] from the second."""
        for_policy, for_value = features.chunk(2, dim=1)
        return self.policy(for_policy), self.value(for_value)[:, 0]

    def hidden_modules(self) -> Iterable[nn.Module]:
        """All layers but the heads."""
        return [self.layers]

    def to_arrays(self) -> Arrays:
        """A copy of the weights under the names of a model file: each head has zeros for the half of the other."""
        arrays = super().to_arrays()
        width = self.policy.in_features
        arrays["policy.weight"] = np.pad(arrays["policy.weight"], ((0, 0), (0, width)))
        arrays["value.weight"] = np.pad(arrays["value.weight"], ((0, 0), (width, 0)))
        return _transposed(arrays, "layers.0.weight")

    def load_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Load the weights of a model file. Raises `RfopError` where they are of other layers."""
        width = self.policy.in_features
        weights = _transposed(arrays, "layers.0.weight")
        weights["policy.weight"] = arrays["policy.weight"][:, :width]
        weights["value.weight"] = arrays["value.weight"][:, width:]
        super().load_arrays(weights)


# -- layers over the spaces of a board ---------------------------------------------------------------------------------


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
        change = self.own(x)
        change += self.near(summed[:, :-1])
        change += self.mean(summed[:, -1:])
        return x + torch.relu_(change)


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
        other_entries = board_network.other_numbers(game.observation.size, board.observation)
        other_actions = board_network.other_numbers(game.actions.size, board.actions)
        columns = np.concatenate((board.actions.astype("int64"), other_actions))
        sums = torch.from_numpy(board_network.space_sums(self.neighbours.numpy()))
        self.register_buffer("sums", sums, persistent=False)
        self.register_buffer("other_entries", torch.from_numpy(other_entries), persistent=False)
        self.register_buffer("order", torch.from_numpy(columns).argsort(), persistent=False)

        self.inputs = linear(entries, units)
        self.others = linear(len(other_entries), units, bias=False)
        self.spaces = nn.ModuleList([SpaceLayer(units) for _ in range(layers)])
        self.pool = linear(2 * units, 2 * width)
        self.space = linear(units, 1, gain=0.01, bias=False)
        self.policy = linear(width, len(other_actions), gain=0.01)
        self.value = linear(width, 1, gain=1.0)

    def features(self, observation: Tensor) -> Tensor:
        """The logits of all spaces and the last hidden layer, float32 [n, S + 2 * width]."""
        spaces, entries = self.space_entries.shape
        dtype = self.inputs.weight.dtype
        x = observation.to(dtype) * self.scale.to(dtype)
        with torch.autocast(x.device.type, torch.bfloat16, enabled=self.bf16):
            space_inputs = x.index_select(1, self.space_entries.flatten()).view(-1, spaces, entries)
            shared_inputs = self.others(x.index_select(1, self.other_entries))
            x = torch.relu_(self.inputs(space_inputs) + shared_inputs[:, None])
            for layer in self.spaces:
                x = layer(x, self.sums.to(dtype))
            pooled = torch.relu_(self.pool(torch.cat((x.mean(1), x.amax(1)), dim=1)))
            return torch.cat((self.space(x)[:, :, 0], pooled), dim=1).float()

    def heads(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Logits [n, A] and values [n]."""
        width = self.policy.in_features
        space_logits, for_policy, for_value = torch.split(features, [len(self.space_actions), width, width], dim=1)
        logits = torch.cat((space_logits, self.policy(for_policy)), dim=1)
        return logits.index_select(1, self.order), self.value(for_value)[:, 0]

    def hidden_modules(self) -> Iterable[nn.Module]:
        """All layers but the heads."""
        return [self.inputs, self.others, self.spaces, self.pool, self.space]


# -- the network that arguments ask for --------------------------------------------------------------------------------


def make_network(args: Any, game: Game) -> Network:
    """An untrained network of the sizes of the arguments. Raises `RfopError` where a game has none such."""

    def build() -> Network:
        bf16 = args.precision == "bfloat16"
        if args.space_units:
            return BoardNetwork(game, args.space_units, args.layers, args.width, bf16)
        return DenseNetwork(game, args.width, args.layers, bf16)

    with torch.device("meta"):  # which computes no numbers
        network.require_small(sum(tensor.nbytes for tensor in build().state_dict().values()))
    return build()


def network_sizes(arrays: Mapping[str, NDArray[Any]]) -> dict[str, int]:
    """The arguments that make a network with these weights of a model file."""
    if board_network.has_board(arrays):
        width = arrays["pool.bias"].size // 2
        layers = board_network.space_layers(arrays)
        return {"space_units": arrays["inputs.bias"].size, "layers": layers, "width": width}
    layers = network.hidden_layers(arrays)
    return {"space_units": 0, "layers": layers, "width": arrays[f"layers.{layers - 1}.bias"].size // 2}


def load_initial_network(model: Network, args: Any, game: Game, components: Any, options: dict[str, Any]) -> None:
    """Give a network the weights of `--init-from`, or else the scale of its inputs. Raises `RfopError`."""
    if not args.init_from:
        if args.input_scale == "data":
            from rfop_training.input_scale import scale_by_data

            model.scale.copy_(torch.from_numpy(scale_by_data(game, options, components, args.first_seed)))
        return

    agent: Any = None
    with suppress(UnknownName):
        agent = args.load_agent(args.init_from, game, components)
    if not isinstance(agent, network.NetworkAgent):
        raise RfopError(f"--init-from: {args.init_from} is no network; give a run's folder, a model or a baseline")
    sizes = network_sizes(agent.weights)
    if sizes != network_sizes(model.to_arrays()):
        flags = " ".join(f"--{name.replace('_', '-')} {size}" for name, size in sizes.items() if size)
        raise RfopError(f"--init-from {args.init_from} has other layers than asked for: give {flags}")

    # A belief head of that network is taken if this one has one, too.
    weights = {name: array for name, array in agent.weights.items() if not name.startswith(network.BELIEF)}
    if model.belief is not None:
        with_head = agent.weights if network.has_belief(agent.weights) else model.to_arrays()
        weights |= {name: array for name, array in with_head.items() if name.startswith(network.BELIEF)}
    model.load_arrays(weights)
