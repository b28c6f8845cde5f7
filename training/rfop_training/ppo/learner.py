"""The update of self-play PPO: minibatches, losses and gradient steps on the closed decisions of a rollout."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rfop_env.core.game import Game
from rfop_training.learning.dense_network import CentralCritic
from rfop_training.learning.initial_network import load_initial_network, make_network
from rfop_training.learning.networks import Network, require_finite
from rfop_training.learning.phases import BACKWARD, FORWARD, MINIBATCHES, OPTIMISER, Phases
from rfop_training.learning.tensors import torch_device
from rfop_training.learning.workers import Workers
from rfop_training.ppo.arguments import SelfPlayArguments
from rfop_training.ppo.buffer import RolloutBuffer, compute_advantages

# Phases of the update.
ADVANTAGES = "advantages"

Slots = tuple[Tensor, Tensor]  # slots [n] and games [m]


class Part(NamedTuple):
    """What a thread has of a minibatch."""

    buffer: RolloutBuffer
    advantages: Tensor  # of all decisions of the buffer, normalised
    returns: Tensor  # likewise
    slots: Tensor  # the decisions of the minibatch, int64 [n]
    games: Tensor  # their games, for a recurrent network, int64 [m]


class Learner:
    """The networks and their optimiser."""

    def __init__(self, args: SelfPlayArguments, game: Game, components: Any, rng: np.random.Generator):
        self.args = args
        self.rng = rng
        self.device = torch_device(args.device)
        self.network = make_network(args, game, args.gru_size).to(self.device)
        load_initial_network(self.network, args, game, components)
        self.magnet = copy.deepcopy(self.network).requires_grad_(False)
        self.critic = None
        if args.central_critic:
            self.critic = CentralCritic(game, args.width, args.layers, args.bf16).to(self.device)
        self.parameters = [*self.network.parameters(), *(self.critic.parameters() if self.critic else [])]
        self.optimiser = torch.optim.Adam(self.parameters, lr=args.learning_rate, eps=1e-5, fused=True)

    def update(
        self, buffers: Sequence[RolloutBuffer], spent: float, teacher_weight: float, workers: Workers
    ) -> dict[str, float]:
        """Train on the closed decisions of a rollout; returns metrics, the means over its minibatches.

        `buffers` has those of each thread of `workers`. `spent` is the share of the budget, for annealing.
        `teacher_weight` is the present weight of the teacher's loss.
        """
        args, phases = self.args, workers.phases[0]
        phases.begin(ADVANTAGES)
        closed = [buffer.closed() for buffer in buffers]
        if not any(mask.any() for mask in closed):
            return {}

        # Anneal the learning rate and the weight of the entropy.
        learning_rate = args.learning_rate * (1.0 - 0.9 * spent)
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate
        ent_coef = args.ent_coef + (args.final_ent_coef - args.ent_coef) * spent

        # Advantages and returns.
        advantages = [compute_advantages(buffer, args.gamma, args.gae_lambda) for buffer in buffers]
        known = joined(advantages, closed)
        mean, deviation = known.mean(), known.std()
        normalised = [((a - float(mean)) / float(deviation + 1e-8)).view(-1) for a in advantages]
        returns = [(a + buffer.value).view(-1) for a, buffer in zip(advantages, buffers, strict=True)]

        # Gradient steps.
        sums: dict[str, float] = {}
        minibatches = 0
        for _ in range(args.update_epochs):
            phases.begin(MINIBATCHES)
            for slots_and_games in self.minibatches(closed):
                of_threads = zip(buffers, normalised, returns, slots_and_games, strict=True)
                parts = [Part(buffer, advantage, value, *slots) for buffer, advantage, value, slots in of_threads]
                losses = self.gradient_step(parts, teacher_weight, ent_coef, workers)
                minibatches += 1
                sums = {name: sums.get(name, 0.0) + loss for name, loss in losses.items()}
                phases.begin(MINIBATCHES)

        # Metrics of the update.
        phases.begin(ADVANTAGES)
        metrics = {name: total / minibatches for name, total in sums.items()}
        known_returns = joined(returns, [mask.view(-1) for mask in closed])
        variance = float(known_returns.var())
        metrics["explained_variance"] = 1.0 - float(known.var()) / variance if variance > 0 else 0.0
        return metrics | {"learning_rate": learning_rate}

    def minibatches(self, closed: Sequence[Tensor]) -> list[list[Slots]]:
        """The closed decisions in random minibatches: for each minibatch, the part of each buffer.

        `closed`: bool [rows, N] of each buffer. A part is slots int64 [n] and games int64 [m]. A recurrent network is
        trained on whole games, `games` of the columns; otherwise `games` is empty. A buffer has about the same part of
        every minibatch.
        """
        number = max(1, round(sum(int(mask.sum()) for mask in closed) / self.args.minibatch_size))
        if self.args.gru_size:
            number = min(number, *(mask.shape[1] for mask in closed))
        of_buffers = [self._parts(mask, number) for mask in closed]
        minibatches = [list(parts) for parts in zip(*of_buffers, strict=True)]
        return [parts for parts in minibatches if any(len(slots) for slots, _ in parts)]

    def _parts(self, closed: Tensor, number: int) -> list[Slots]:
        """The closed decisions, bool [rows, N], of a buffer in so many random parts."""
        if not self.args.gru_size:
            slots = self._shuffled(closed.view(-1).nonzero()[:, 0])
            return [(part, slots[:0]) for part in slots.tensor_split(number)]

        all_slots = torch.arange(closed.numel(), device=closed.device).view_as(closed)
        games = self._shuffled(all_slots[0])
        return [(all_slots[:, part][closed[:, part]], part) for part in games.tensor_split(number)]

    def _shuffled(self, numbers: Tensor) -> Tensor:
        """Numbers, int64 [n], in random order."""
        return numbers[torch.from_numpy(self.rng.permutation(len(numbers))).to(numbers.device)]

    def gradient_step(
        self, parts: Sequence[Part], teacher_weight: float, ent_coef: float, workers: Workers
    ) -> dict[str, float]:
        """Take a gradient step on a minibatch, of which each thread has a part; returns the mean of each loss."""
        args, phases = self.args, workers.phases[0]
        decisions = sum(len(part.slots) for part in parts)

        def gradients(part: Part, phases: Phases) -> tuple[dict[str, float], Sequence[Tensor]]:
            """The losses and the gradients of a part, weighted by its share of the decisions."""
            share = len(part.slots) / decisions
            if share == 0.0:
                return {}, []
            phases.begin(FORWARD)
            losses = self.losses(part, teacher_weight)
            loss = losses["policy_loss"] + args.vf_coef * losses["value_loss"] - ent_coef * losses["entropy"]
            loss = loss + args.magnet * losses["magnet_kl"] + teacher_weight * losses["teacher_loss"]
            phases.begin(BACKWARD)
            found = torch.autograd.grad(share * loss, self.parameters)
            return {name: share * float(part.detach()) for name, part in losses.items()}, found

        results = [result for result in workers.map(gradients, parts) if result[1]]

        # The sum over the threads, laid out in memory as the parameters are: the optimiser goes through both together.
        phases.begin(OPTIMISER)
        for parameter, *summands in zip(self.parameters, *(found for _, found in results), strict=True):
            if parameter.grad is None:
                parameter.grad = torch.empty_like(parameter)
            parameter.grad.copy_(summands[0])
            for summand in summands[1:]:
                parameter.grad.add_(summand)
        for model in filter(None, (self.network, self.critic)):
            torch.nn.utils.clip_grad_norm_(model.parameters(), args.max_grad_norm)
        self.optimiser.step()
        names = results[0][0]
        return {name: sum(losses[name] for losses, _ in results) for name in names}

    def losses(self, part: Part, teacher_weight: float) -> dict[str, Tensor]:
        """The terms of the loss on the decisions of a part of a minibatch, and metrics that are no part of it."""
        args, buffer, slots = self.args, part.buffer, part.slots
        advantage, returns = (of_all[slots].to(self.device) for of_all in (part.advantages, part.returns))
        mask = buffer.at("action_mask", slots, self.device)

        # The network's view of the action taken, and of the teacher's.
        names = ("action", "teacher_action") if teacher_weight > 0 else ("action",)
        actions = torch.stack([buffer.at(name, slots, self.device) for name in names], dim=1)
        features = self.features(self.network, part)
        log_probs, entropy, value = self.network.judge(features, mask, actions)

        # Policy loss.
        log_ratio = log_probs[:, 0] - buffer.at("log_prob", slots, self.device)
        ratio = log_ratio.exp()
        clipped_ratio = ratio.clamp(1.0 - args.clip_coef, 1.0 + args.clip_coef)
        policy_loss = -torch.minimum(ratio * advantage, clipped_ratio * advantage).mean()

        # Value loss, also of the central critic.
        value_loss = (value - returns).pow(2).mean()
        if self.critic is not None:
            critic_value = self.critic(buffer.all_observations(slots, self.device))
            value_loss = value_loss + (critic_value - returns).pow(2).mean()

        # Cross-entropy with the teacher's actions, and divergence from the magnet.
        magnet_loss = teacher_loss = torch.zeros((), device=self.device)
        if teacher_weight > 0:
            teacher_loss = -log_probs[:, 1].mean()
        if args.magnet > 0:
            magnet_loss = self._divergence_from_magnet(features, mask, part)

        # KL(policy of the rollout, policy) by its estimate of least variance (Schulman, Approximating KL Divergence).
        change = ratio.detach() - 1.0
        return {
            "policy_loss": policy_loss,
            "value_loss": value_loss,
            "entropy": entropy.mean(),
            "approx_kl": (change - log_ratio.detach()).mean(),
            "clipfrac": (change.abs() > args.clip_coef).float().mean(),
            "magnet_kl": magnet_loss,
            "teacher_loss": teacher_loss,
        }

    def _divergence_from_magnet(self, features: Tensor, mask: Tensor, part: Part) -> Tensor:
        """The mean of KL(policy, magnet)."""
        logits, _ = self.network.heads(features, mask)
        with torch.no_grad():
            magnet_logits, _ = self.magnet.heads(self.features(self.magnet, part), mask)
        difference = torch.log_softmax(logits, dim=1) - torch.log_softmax(magnet_logits, dim=1)
        return (torch.softmax(logits, dim=1) * difference).sum(1).mean()

    def features(self, network: Network, part: Part) -> Tensor:
        """The input of the heads; a recurrent network takes all decisions of the part's games, in order."""
        if network.gru is None:
            return network.features(part.buffer.at("observation", part.slots, self.device))
        return self._recurrent_features(network, part.buffer, part.games, part.slots)

    def _recurrent_features(self, network: Network, buffer: RolloutBuffer, games: Tensor, slots: Tensor) -> Tensor:
        """The output of the recurrent core at these slots; gradients flow through each seat's chain of a rollout."""
        # Everything in rows of time.
        rows, n = buffer.rows, len(games)
        all_slots = (torch.arange(rows, device=games.device)[:, None] * buffer.games + games).reshape(-1)

        def in_rows(name: str, width: int) -> Tensor:
            return buffer.at(name, all_slots, self.device).reshape(rows, n, width)

        features = network.features(buffer.at("observation", all_slots, self.device)).reshape(rows, n, -1)
        gru_size = self.args.gru_size
        stored = in_rows("memory", gru_size)
        seat, by_learner = (in_rows(name, 1) for name in ("seat", "by_learner"))
        recalls = buffer.recalls()[:, games].to(self.device)[:, :, None]

        # Each seat of each game has its own memory.
        memory = torch.zeros((n, buffer.seats, gru_size), device=self.device)
        outputs = []
        for row in range(rows):
            place = seat[row][:, :, None].expand(n, 1, gru_size)
            before = torch.where(recalls[row], stored[row], memory.gather(1, place)[:, 0])
            after = network.gru(features[row], before) if network.gru is not None else before
            kept = torch.where(by_learner[row], after, memory.gather(1, place)[:, 0])
            memory = memory.scatter(1, place, kept[:, None])
            outputs.append(after)

        chosen = torch.isin(all_slots, slots).to(self.device)
        return torch.stack(outputs).reshape(rows * n, -1)[chosen]

    @torch.no_grad()
    def move_magnet(self) -> None:
        """Move the magnet towards the policy."""
        for slow, fast in zip(self.magnet.parameters(), self.network.parameters(), strict=True):
            slow.lerp_(fast, self.args.magnet_rate)

    def require_finite(self, steps: int) -> None:
        """Raise `RfopError` if a gradient step has made weights infinite or NaN."""
        require_finite(steps, *self.network.parameters())


def joined(tensors: Sequence[Tensor], masks: Sequence[Tensor]) -> NDArray[np.float32]:
    """The entries of tensors where masks are true, one after the other on the processor: float32 [n]."""
    entries = [tensor[mask].cpu().numpy() for tensor, mask in zip(tensors, masks, strict=True)]
    everything: NDArray[np.float32] = np.concatenate(entries)
    return everything
