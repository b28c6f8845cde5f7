"""The update of self-play PPO: minibatches, losses and gradient steps on the closed decisions of a rollout."""

from __future__ import annotations

import copy
from contextlib import suppress
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

import agents
from agents.agent import Agent
from agents.network import NetworkAgent
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.core.game import Game
from training.ppo.arguments import SelfPlayArguments
from training.ppo.buffer import NO_ADVICE, RolloutBuffer, compute_advantages
from training.ppo.networks import CentralCritic, Network, require_finite


class Learner:
    """The networks and their optimiser."""

    def __init__(self, args: SelfPlayArguments, game: Game, components: Any, rng: np.random.Generator):
        self.args = args
        self.rng = rng
        self.device = torch.device(args.device)
        bf16 = args.precision == "bfloat16"
        self.network = Network(game, args.width, args.layers, args.gru_size, bf16).to(self.device)
        load_initial_network(self.network, args, game, components)
        self.magnet = copy.deepcopy(self.network).requires_grad_(False)
        self.critic = None
        if args.central_critic:
            self.critic = CentralCritic(game, args.width, args.layers, bf16).to(self.device)
        parameters = [*self.network.parameters(), *(self.critic.parameters() if self.critic else [])]
        self.optimiser = torch.optim.Adam(parameters, lr=args.learning_rate, eps=1e-5, fused=True)

    def update(self, buffer: RolloutBuffer, spent: float, teacher_weight: float) -> dict[str, float]:
        """Train on the closed decisions of a rollout; returns the mean of each loss.

        `spent` is the share of the budget, for annealing. `teacher_weight` is the present weight of the teacher's loss.
        """
        args = self.args
        closed = buffer.closed()
        if not closed.any():
            return {}

        # Anneal the learning rate and the weight of the entropy.
        for group in self.optimiser.param_groups:
            group["lr"] = args.learning_rate * (1.0 - 0.9 * spent)
        ent_coef = args.ent_coef + (args.final_ent_coef - args.ent_coef) * spent

        # Advantages and returns.
        advantages = compute_advantages(buffer, args.gamma, args.gae_lambda)
        returns = torch.from_numpy(advantages + buffer.value).reshape(-1)
        mean, deviation = advantages[closed].mean(), advantages[closed].std()
        normalised = torch.from_numpy((advantages - mean) / (deviation + 1e-8)).reshape(-1)

        # Gradient steps.
        sums: dict[str, float] = {}
        minibatches = 0
        for _ in range(args.update_epochs):
            for slots, games in self.minibatches(closed):
                index = torch.from_numpy(slots)
                losses = self.losses(
                    buffer, slots, games, normalised[index].to(self.device), returns[index].to(self.device),
                    teacher_weight,
                )  # fmt: skip
                loss = losses["policy"] + args.vf_coef * losses["value"] - ent_coef * losses["entropy"]
                loss = loss + args.magnet * losses["magnet"] + teacher_weight * losses["teacher"]

                self.optimiser.zero_grad(set_to_none=True)
                loss.backward()  # type: ignore[no-untyped-call]
                for model in filter(None, (self.network, self.critic)):
                    torch.nn.utils.clip_grad_norm_(model.parameters(), args.max_grad_norm)
                self.optimiser.step()

                minibatches += 1
                sums = {name: sums.get(name, 0.0) + float(part.detach()) for name, part in losses.items()}

        # Figures of the update.
        figures = {name: total / minibatches for name, total in sums.items()}
        variance = float(returns.numpy()[closed.reshape(-1)].var())
        figures["explained"] = 1.0 - float(advantages[closed].var()) / variance if variance > 0 else 0.0
        return figures

    def minibatches(self, closed: NDArray[np.bool_]) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """The closed decisions [rows, N] in random parts: slots int64 [n] and games int64 [m].

        A recurrent network is trained on whole games, `games` of the columns. Otherwise `games` is empty.
        """
        size = self.args.minibatch_size
        if not self.args.gru_size:
            slots = self.rng.permutation(np.flatnonzero(closed))
            parts = max(1, round(len(slots) / size))
            return [(part, np.zeros(0, np.int64)) for part in np.array_split(slots, parts)]

        games = self.rng.permutation(self.args.num_envs)
        parts = min(len(games), max(1, round(int(closed.sum()) / size)))
        all_slots = np.arange(closed.size).reshape(closed.shape)
        chosen = [part for part in np.array_split(games, parts) if closed[:, part].any()]
        return [(all_slots[:, part][closed[:, part]], part) for part in chosen]

    def losses(
        self,
        buffer: RolloutBuffer,
        slots: NDArray[np.int64],
        games: NDArray[np.int64],
        advantage: Tensor,
        returns: Tensor,
        teacher_weight: float,
    ) -> dict[str, Tensor]:
        """The parts of the loss on the decisions of a minibatch: `advantage` and `returns` are float32 [n]."""
        args = self.args
        logits, value = self.evaluate(self.network, buffer, slots, games)
        log_probs = torch.log_softmax(logits, dim=1)
        probs = torch.softmax(logits, dim=1)  # 15 times as fast as exp of log_probs, of which most are -1e9

        # Policy loss.
        action = buffer.tensor("action", slots, self.device)
        log_prob = log_probs.gather(1, action[:, None])[:, 0]
        ratio = (log_prob - buffer.tensor("log_prob", slots, self.device)).exp()
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
            teacher_action = buffer.tensor("teacher_action", slots, self.device)
            known = teacher_action != NO_ADVICE
            teacher_loss = -(log_probs.gather(1, teacher_action.clamp(min=0)[:, None])[:, 0] * known).mean()
        if args.magnet > 0:
            with torch.no_grad():
                magnet_logits, _ = self.evaluate(self.magnet, buffer, slots, games)
            magnet_loss = (probs * (log_probs - torch.log_softmax(magnet_logits, dim=1))).sum(1).mean()

        return {
            "policy": policy_loss,
            "value": value_loss,
            "entropy": -(probs * log_probs).sum(1).mean(),
            "magnet": magnet_loss,
            "teacher": teacher_loss,
            "clipped": ((ratio - 1.0).abs() > args.clip_coef).float().mean(),
        }

    def evaluate(
        self, network: Network, buffer: RolloutBuffer, slots: NDArray[np.int64], games: NDArray[np.int64]
    ) -> tuple[Tensor, Tensor]:
        """Logits [n, A] and values [n] of decisions; a recurrent network takes all decisions of `games`, in order."""
        mask = buffer.tensor("action_mask", slots, self.device)
        if network.gru is None:
            return network.heads(network.features(buffer.tensor("observation", slots, self.device)), mask)
        return network.heads(self._recurrent_features(network, buffer, games, slots), mask)

    def _recurrent_features(
        self, network: Network, buffer: RolloutBuffer, games: NDArray[np.int64], slots: NDArray[np.int64]
    ) -> Tensor:
        """The output of the recurrent core at these slots; gradients flow through each seat's chain of decisions."""
        # Everything in rows of time.
        rows, n = buffer.rows, len(games)
        all_slots = (np.arange(rows)[:, None] * buffer.games + games).reshape(-1)

        def in_rows(name: str, width: int) -> Tensor:
            return buffer.tensor(name, all_slots, self.device).reshape(rows, n, width)

        features = network.features(buffer.tensor("observation", all_slots, self.device)).reshape(rows, n, -1)
        gru_size = self.args.gru_size
        stored = in_rows("memory", gru_size)
        seat, first, by_learner = (in_rows(name, 1) for name in ("seat", "first", "by_learner"))

        # Each seat of each game has its own memory.
        memory = torch.zeros((n, buffer.seats, gru_size), device=self.device)
        outputs = []
        for row in range(rows):
            place = seat[row][:, :, None].expand(n, 1, gru_size)
            before = torch.where(first[row], stored[row], memory.gather(1, place)[:, 0])
            after = network.gru(features[row], before) if network.gru is not None else before
            kept = torch.where(by_learner[row], after, memory.gather(1, place)[:, 0])
            memory = memory.scatter(1, place, kept[:, None])
            outputs.append(after)

        chosen = torch.from_numpy(np.isin(all_slots, slots)).to(self.device)
        return torch.stack(outputs).reshape(rows * n, -1)[chosen]

    @torch.no_grad()
    def move_magnet(self) -> None:
        """Move the magnet towards the policy."""
        for slow, fast in zip(self.magnet.parameters(), self.network.parameters(), strict=True):
            slow.lerp_(fast, self.args.magnet_rate)

    def require_finite(self, steps: int) -> None:
        """Raise `RfopError` if a gradient step has made weights infinite or NaN."""
        require_finite(steps, *self.network.parameters())


def load_initial_network(network: Network, args: SelfPlayArguments, game: Game, components: Any) -> None:
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
