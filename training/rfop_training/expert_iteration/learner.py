"""The update of expert iteration: the network learns improved policies and returns from random decisions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rfop_env.core.game import Game
from rfop_training.expert_iteration.arguments import ExpertArguments
from rfop_training.expert_iteration.replay_buffer import ReplayBuffer
from rfop_training.learning.initial_network import load_initial_network, make_network
from rfop_training.learning.phases import BACKWARD, FORWARD, MINIBATCHES, OPTIMISER, Phases

NAMES = ("observation", "action_mask", "policy", "searched", "target")


class Policies(NamedTuple):
    """The policies of a network in some positions."""

    observation: Tensor  # int8 [n, D]
    mask: Tensor  # bool [n, A]
    log_probs: Tensor  # float32 [n, A]


Minibatch = dict[str, Tensor]  # the arrays of `NAMES` at n slots


class Learner:
    """The network and its optimiser."""

    def __init__(self, args: ExpertArguments, game: Game, components: Any, rng: np.random.Generator):
        self.args = args
        self.rng = rng
        self.network = make_network(args, game)
        load_initial_network(self.network, args, game, components)
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=args.learning_rate, eps=1e-5, fused=True)
        self.owed = 0.0  # gradient steps that decisions so far have not had yet

        symmetries = () if args.no_symmetries else game.symmetries()
        self.oriented_observation = np.array([symmetry.observation for symmetry in symmetries])  # [K, D]
        self.oriented_actions = np.array([symmetry.actions for symmetry in symmetries])  # [K, A]

    def update(self, buffers: Sequence[ReplayBuffer], spent: float, phases: Phases) -> dict[str, float]:
        """Take gradient steps, as many as the decisions that became known ask for; returns metrics.

        `spent` is the share of the budget, for annealing. The metrics are means over the minibatches, and `approx_kl`
        is the mean KL(policy before, policy after) of the update in the searched positions of its first minibatch.
        """
        args = self.args
        phases.begin(MINIBATCHES)
        self.owed += args.passes * sum(buffer.fresh for buffer in buffers) / args.minibatch_size
        for buffer in buffers:
            buffer.fresh = 0
        learning_rate = args.learning_rate * (1.0 - 0.9 * spent)
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate

        # Gradient steps.
        slots = [buffer.slots() for buffer in buffers]
        sums: dict[str, float] = {}
        done = 0
        first: Policies | None = None
        while self.owed >= 1.0:
            phases.begin(MINIBATCHES)
            minibatch = self.minibatch(buffers, slots)
            if first is None and minibatch["searched"].any():
                phases.begin(FORWARD)
                first = self.policies(minibatch)
            for name, value in self.gradient_step(minibatch, phases).items():
                sums[name] = sums.get(name, 0.0) + value
            self.owed -= 1.0
            done += 1

        # Metrics of the update.
        metrics = {name: total / done for name, total in sums.items()}
        if first is not None:
            phases.begin(FORWARD)
            metrics["approx_kl"] = self.distance_from(first)
        return metrics | {"learning_rate": learning_rate}

    @torch.no_grad()
    def policies(self, minibatch: Minibatch) -> Policies:
        """The network's policies in the positions of a minibatch that were searched."""
        searched = minibatch["searched"]
        observation, mask = minibatch["observation"][searched], minibatch["action_mask"][searched]
        return Policies(observation, mask, self._log_probs(observation, mask))

    @torch.no_grad()
    def distance_from(self, before: Policies) -> float:
        """The mean of KL(policies before, present policies)."""
        change = before.log_probs - self._log_probs(before.observation, before.mask)
        return float((before.log_probs.exp() * change).sum()) / len(change)

    def _log_probs(self, observation: Tensor, mask: Tensor) -> Tensor:
        """Log probabilities of all actions, float32 [n, A]."""
        logits, _ = self.network.heads(self.network.features(observation), mask)
        return torch.log_softmax(logits, dim=1)

    def minibatch(self, buffers: Sequence[ReplayBuffer], slots: Sequence[NDArray[np.intp]]) -> Minibatch:
        """Random decisions of all buffers, each in a random orientation of a board that has symmetries."""
        edges = np.cumsum([len(own) for own in slots])
        drawn = np.sort(self.rng.integers(0, edges[-1], self.args.minibatch_size))
        parts = np.split(drawn, np.searchsorted(drawn, edges[:-1]))
        first = [0, *edges[:-1]]
        places = [own[part - start] for own, part, start in zip(slots, parts, first, strict=True)]
        arrays = {
            name: np.concatenate([b.rows_of(name, at) for b, at in zip(buffers, places, strict=True)]) for name in NAMES
        }

        if len(self.oriented_actions):
            orientation = self.rng.integers(0, len(self.oriented_actions), self.args.minibatch_size)
            actions = self.oriented_actions[orientation]
            seen = self.oriented_observation[orientation]
            arrays["observation"] = np.take_along_axis(arrays["observation"], seen, axis=1)
            for name in ("action_mask", "policy"):
                arrays[name] = np.take_along_axis(arrays[name], actions, axis=1)
        return {name: torch.from_numpy(array) for name, array in arrays.items()}

    def gradient_step(self, minibatch: Minibatch, phases: Phases) -> dict[str, float]:
        """Take a gradient step; returns the losses and metrics of its minibatch."""
        phases.begin(FORWARD)
        losses = self.losses(minibatch)
        loss = losses["policy_loss"] + self.args.vf_coef * losses["value_loss"]
        phases.begin(BACKWARD)
        parameters = [*self.network.parameters()]
        gradients = torch.autograd.grad(loss, parameters)

        # Laid out in memory as the parameters are: the optimiser goes through both together.
        phases.begin(OPTIMISER)
        for parameter, gradient in zip(parameters, gradients, strict=True):
            if parameter.grad is None:
                parameter.grad = torch.empty_like(parameter)
            parameter.grad.copy_(gradient)
        torch.nn.utils.clip_grad_norm_(parameters, self.args.max_grad_norm)
        self.optimiser.step()
        return {name: float(part.detach()) for name, part in losses.items()}

    def losses(self, minibatch: Minibatch) -> dict[str, Tensor]:
        """The cross entropy to the improved policies of searched decisions, and the mean squared error of all values.

        The others are no part of the loss: the `entropy` of the network's policies there, `search_kl`, the mean
        KL(improved policy, network's policy), and `explained_variance`, the share of the returns' variance that values
        explain.
        """
        searched, mask, returns = minibatch["searched"], minibatch["action_mask"], minibatch["target"]
        features = self.network.features(minibatch["observation"])
        logits, value = self.network.heads(features, mask)
        value_loss = 0.5 * (value - returns).square().mean()

        number = max(1, int(searched.sum()))
        target = minibatch["policy"][searched].float()
        log_probs = torch.log_softmax(logits[searched], dim=1)
        policy_loss = -(target * log_probs).sum() / number
        with torch.no_grad():
            variance, rest = returns.var(correction=0), (returns - value).var(correction=0)
            return {
                "policy_loss": policy_loss,
                "value_loss": value_loss,
                "entropy": -(log_probs.exp() * log_probs).sum() / number,
                "search_kl": policy_loss + torch.xlogy(target, target).sum() / number,
                "explained_variance": torch.where(variance > 0, 1.0 - rest / variance, 0.0),
            }
