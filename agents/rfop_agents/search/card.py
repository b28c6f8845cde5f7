"""Trees on a graphics card: a thread for each, and a network's judgements of all leaves there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numba import cuda
from numpy.typing import NDArray
from torch import Tensor

from rfop_agents.board_network import has_board
from rfop_agents.network import ILLEGAL, Evaluator, NetworkAgent, hidden_layers
from rfop_agents.search.compiled.simulate import (
    BACK_UP,
    DESCEND,
    NO_LEAF,
    SIMULATE,
    Leaves,
    Roots,
    Simulation,
    Trees,
    make_simulate,
    read_parameters,
)
from rfop_agents.search.compiled.tree import ROOT
from rfop_agents.search import forest
from rfop_agents.tensors import to_device_like, as_tensor
from rfop_env.core.cuda.device import on_device, simulated
from rfop_env.core.cuda.kernels import device_access
from rfop_env.core.cuda.programs import Signature, prepare_kernel
from rfop_env.core.game import Game, Rules

_programs: dict[tuple[Rules, Any], Callable[..., None]] = {}


# -- the kernel --------------------------------------------------------------------------------------------------------


def make_device_search(rules: Rules) -> Callable[..., None]:
    """The kernel for a game's rules: a task for every tree, `repeat` times; `faults` [1] counts violated invariants.

    `p` holds the numbers of `Parameters`, float64 [8]; the others are the tuples of `simulate.py`.
    """
    simulate = make_simulate(rules, device_access().copy_record)

    def search(task: int, repeat: int, p: Any, roots: Any, trees: Any, sim: Any, leaves: Any, faults: Any) -> None:
        g = cuda.grid(1)
        roots, trees, sim, leaves = Roots(*roots), Trees(*trees), Simulation(*sim), Leaves(*leaves)
        if g >= roots.keys.shape[0]:
            return
        simulate(g, task, repeat, read_parameters(p), roots, trees, sim, leaves)
        if sim.states[g].fault == 1:
            cuda.atomic.add(faults, 0, 1)

    return search


def kernel_signature(*tuples: Any) -> Signature:
    """What the kernel takes, from the arrays of the tuples."""
    kinds = [tuple((array.ndim, array.dtype) for array in arrays) for arrays in tuples]
    return (None, None, (1, "float64"), *kinds, (1, "int64"))


def search_on_card(game: Game, *tuples: Any) -> Callable[..., None]:
    """The search of a game's rules, ready to be started with a thread for each tree; it takes such tuples."""
    key = (game.rules, game.state)
    if key not in _programs:
        name = f"{game.rules_name}.cuda.search"
        kernel = make_device_search(game.rules)
        _programs[key] = prepare_kernel(kernel, kernel_signature(*tuples), name, f"the search for {game.title}")
    return _programs[key]


# -- networks ----------------------------------------------------------------------------------------------------------


class CardNetwork:
    """The network of an agent without a memory, computed by torch where its positions are."""

    def __init__(self, agent: NetworkAgent, like: Tensor):
        weights = {name: to_device_like(like, np.asarray(array)) for name, array in agent.weights.items()}
        self._scale = weights["scale"]
        layers = range(hidden_layers(agent.weights))
        self._layers = [(weights[f"layers.{k}.weight"], weights[f"layers.{k}.bias"]) for k in layers]
        self._policy = weights["policy.weight"], weights["policy.bias"]
        self._value = weights["value.weight"], weights["value.bias"]

    def __call__(self, observation: Tensor, action_mask: Tensor) -> tuple[Tensor, Tensor]:
        """Logits float32 [n, A], `ILLEGAL` where the mask is false, and values float32 [n] of the seats that decide."""
        x = observation.to(self._scale.dtype) * self._scale
        for weight, bias in self._layers:
            x = torch.relu(torch.nn.functional.linear(x, weight, bias))
        logits = torch.nn.functional.linear(x, *self._policy)
        return torch.where(action_mask, logits, ILLEGAL), torch.nn.functional.linear(x, *self._value)[:, 0]


# -- the trees ---------------------------------------------------------------------------------------------------------


class CardForest(forest.Forest):
    """A `Forest` on a graphics card: the same trees from the same keys, but for the rounding of a network there.

    Networks with layers over the whole observation are computed on the card; any other `Evaluator` gets copies of all
    leaves on the processor.
    """

    def _prepare(self) -> None:
        parameters = np.array([float(number) for number in self._parameters])
        self._card_parameters, self._faults = on_device(parameters), on_device(np.zeros(1, np.int64))
        self._roots = Roots(*map(_placed, self._roots))
        self.trees = Trees(*map(_placed, self.trees))
        self._simulation = Simulation(*map(_placed, self._simulation))
        self._leaves = Leaves(*map(_placed, self._leaves))
        self._kernel = search_on_card(self._game, self._roots, self.trees, self._simulation, self._leaves)
        self._seats = to_device_like(as_tensor(self._leaves.seat), np.arange(self._game.spec.players))
        self._card_network: CardNetwork | None = None
        if isinstance(self._network, NetworkAgent) and not has_board(self._network.weights):
            self._card_network = CardNetwork(self._network, self._seats)

    def _run(self, task: int, times: int) -> None:
        tuples = (tuple(arrays) for arrays in (self._roots, self.trees, self._simulation, self._leaves))
        self._kernel(len(self.root_seats), task, times, self._card_parameters, *tuples, self._faults)
        if self._faults.copy_to_host()[0]:
            raise forest.internal_fault(self._game)

    def simulate(self, times: int) -> None:
        """Add simulations to every tree; with a network, the leaves of a round are judged at once."""
        if self._network is None:
            self._run(SIMULATE, times)
            return
        for _ in range(times):
            self._run(DESCEND, 1)
            self._judge(self._network)
            self._run(BACK_UP, 1)

    def force(self, actions: NDArray[np.int64], draws: NDArray[np.int64]) -> None:
        """Let the next simulations take these actions at the roots, in determinizations of these numbers."""
        for name, array in (("forced", actions), ("draws", draws)):
            as_tensor(getattr(self._simulation, name)).copy_(torch.from_numpy(array))

    @property
    def root_priors(self) -> NDArray[np.float32]:
        """The priors of the roots' actions, copied from the card: float32 [n, A]."""
        priors: NDArray[np.float32] = as_tensor(self.trees.priors)[:, ROOT].cpu().numpy()
        return priors

    def _host(self, array: Any) -> NDArray[Any]:
        copied: NDArray[Any] = array if isinstance(array, np.ndarray) else array.copy_to_host()
        return copied

    @torch.inference_mode()
    def _judge(self, network: Evaluator) -> None:
        """What `Forest._judge_leaves` does, on the card."""
        seats = as_tensor(self._leaves.seat)
        games = (seats != NO_LEAF).nonzero()[:, 0]
        if not len(games):
            return
        mask, seats = as_tensor(self._leaves.mask)[games], seats[games]
        logits, values = self._evaluated(network, as_tensor(self._leaves.observation)[games], mask)
        forest.require_finite(bool(logits[mask].isfinite().all() & values.isfinite().all()))

        # The priors stay with the node.
        leaves = as_tensor(self._simulation.path)[games, as_tensor(self._simulation.length)[games].long() - 1].long()
        uniform = 1.0 / mask.sum(dim=1, keepdim=True)
        policy = torch.where(mask, torch.softmax(logits.double().masked_fill(~mask, -torch.inf), dim=1), uniform)
        share = self._settings.prior_weight
        as_tensor(self.trees.priors)[games, leaves] = (share * policy + (1.0 - share) * uniform).float()

        # The returns are backed up.
        mix, returns = self._settings.rollout_mix, as_tensor(self._simulation.returns)
        if values.ndim == 1:  # of the seats that decide: the others share the loss
            own = seats[:, None] == self._seats
            values = torch.where(own, values[:, None], -values[:, None] / max(1, len(self._seats) - 1))
        expected = as_tensor(self._leaves.partial_returns)[games] + values.double()
        returns[games] = mix * returns[games] + (1.0 - mix) * expected

    def _evaluated(self, network: Evaluator, observation: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        if self._card_network is not None:
            return self._card_network(observation, mask)
        logits, values = network.evaluate(observation.cpu().numpy(), mask.cpu().numpy())
        return to_device_like(mask, np.asarray(logits)), to_device_like(mask, np.asarray(values))


def _placed(array: Any) -> Any:
    """A copy of an array on the card; the simulator's kernels take those of the processor."""
    return array if simulated() else on_device(np.ascontiguousarray(array))
