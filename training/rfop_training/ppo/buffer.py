"""The rollout buffer of self-play: each seat's decisions form a chain, along which advantages are estimated."""

from __future__ import annotations

import torch
from torch import Tensor

from rfop_env.core.game import Game

OPEN = -1  # the next slot of a decision whose successor has not been taken yet
GAME_OVER = -2  # the next slot of the last decision of a seat in a game
NO_ADVICE = -1  # the teacher's action where no teacher was asked


class RolloutBuffer:
    """The learner's decisions of `num_steps` steps of N games, in rows of time; slot = row * N + game.

    Its tensors are where the games are, on `device`.

    A seat's decisions in a game form a chain. `next_slot` is the slot of the seat's next decision, `OPEN` if that has
    not been taken yet, `GAME_OVER` if the game ended first. Rewards between two decisions belong to the earlier one.

    The last decision of a chain is not trained on while it is open. `carry` moves it to the first rows of the next
    rollout, one row for each seat, where its successor will be known. So no advantage needs the value of a position in
    which another seat decides.
    """

    # What a decision carries into the next rollout.
    CARRIED = ("observation", "other_observations", "action_mask", "memory", "action", "log_prob", "value",
               "teacher_action", "reward")  # fmt: skip

    def __init__(
        self,
        num_steps: int,
        games: int,
        game: Game,
        gru_size: int,
        central_critic: bool,
        device: str | torch.device = "cpu",
    ):
        seats, actions, size = game.spec.players, game.actions.size, game.observation.size
        rows = seats + num_steps
        self.games, self.seats, self.rows = games, seats, rows

        def filled(value: int, *shape: int, dtype: torch.dtype) -> Tensor:
            return torch.full((rows, games, *shape), value, dtype=dtype, device=device)

        # What was seen and done, [rows, N, ...].
        self.observation = filled(0, size, dtype=torch.int8)
        self.other_observations = filled(0, seats - 1 if central_critic else 0, size, dtype=torch.int8)
        self.action_mask = filled(1, actions, dtype=torch.bool)
        self.memory = filled(0, gru_size, dtype=torch.float32)  # before the decision
        self.seat = filled(0, dtype=torch.int64)
        self.action = filled(0, dtype=torch.int64)
        self.log_prob = filled(0, dtype=torch.float32)
        self.value = filled(0, dtype=torch.float32)
        self.teacher_action = filled(NO_ADVICE, dtype=torch.int64)
        self.reward = filled(0, dtype=torch.float32)

        # The chains.
        self.by_learner = filled(0, dtype=torch.bool)
        self.next_slot = filled(OPEN, dtype=torch.int64)
        self.first = filled(0, dtype=torch.bool)  # no earlier decision of the chain is in these rows
        self.open_slot = torch.full((games, seats), OPEN, device=device)  # the slot of each seat's last decision

    def link(self, row: int, seat: Tensor, by_learner: Tensor) -> None:
        """Enter the decisions of a step, each as the successor of its seat's last one.

        `seat`: who decides, int64 [N]. `by_learner`: whether that is the learner, bool [N].
        """
        games = by_learner.nonzero()[:, 0]
        slots = row * self.games + games
        previous = self.open_slot[games, seat[games]]
        has_previous = previous >= 0

        self.next_slot.view(-1)[previous[has_previous]] = slots[has_previous]
        self.first.view(-1)[slots] = ~has_previous
        self.open_slot[games, seat[games]] = slots

        self.seat[row] = seat
        self.by_learner[row] = by_learner
        self.next_slot[row] = OPEN
        self.reward[row] = 0.0

    def pay(self, rewards: Tensor, ended: Tensor) -> None:
        """Add the rewards [N, P] to every seat's open decision, whoever moved; close the chains of ended games [N]."""
        is_open = self.open_slot >= 0
        paid = torch.where(is_open, rewards, 0.0)  # without an open decision slot 0 is paid nothing
        self.reward.view(-1).index_add_(0, self.open_slot.clamp(min=0).view(-1), paid.view(-1))

        if not ended.any():
            return
        closed = is_open & ended[:, None]
        self.next_slot.view(-1)[self.open_slot[closed]] = GAME_OVER
        self.open_slot[ended] = OPEN

    def carry(self) -> None:
        """Start the next rollout: the open decisions become its first rows."""
        games, seats = (self.open_slot >= 0).nonzero(as_tuple=True)
        source, target = self.open_slot[games, seats], seats * self.games + games
        for name in self.CARRIED:
            flat = getattr(self, name).flatten(0, 1)
            flat[target] = flat[source]

        self.by_learner[: self.seats] = False
        self.by_learner.view(-1)[target] = True
        self.seat[: self.seats] = torch.arange(self.seats, device=target.device)[:, None]
        self.first[: self.seats] = True
        self.next_slot[: self.seats] = OPEN
        self.open_slot[games, seats] = target

    def recalls(self) -> Tensor:
        """The decisions that start from the stored memory, bool [rows, N]: the first ones of chains, carried or not.

        So does the successor of a carried decision: the memory that it had is of the weights that took that decision.
        """
        recalls, successors = self.first.clone(), self.next_slot[: self.seats]
        recalls.view(-1)[successors[successors >= 0]] = True
        return recalls

    def closed(self) -> Tensor:
        """The decisions whose successor, or whose game's end, is known: bool [rows, N]."""
        return self.by_learner & (self.next_slot != OPEN)

    def at(self, name: str, slots: Tensor, device: torch.device) -> Tensor:
        """The entries of a tensor at these slots, int64 [n], copied to a device: [n, ...]."""
        entries: Tensor = getattr(self, name).flatten(0, 1)
        return entries.index_select(0, slots).to(device)

    def all_observations(self, slots: Tensor, device: torch.device) -> Tensor:
        """The observations of every seat at these slots [n], the seat that decides first: int8 [n, P, D]."""
        own = self.at("observation", slots, device)
        others = self.at("other_observations", slots, device)
        return torch.cat([own[:, None], others], dim=1)


def compute_advantages(buffer: RolloutBuffer, gamma: float, gae_lambda: float) -> Tensor:
    """Generalised advantage estimates along each seat's own decisions: float32 [rows, N], 0 for open decisions."""
    value = buffer.value.view(-1)
    advantage = torch.zeros_like(value)
    closed = buffer.closed()

    for row in reversed(range(buffer.rows)):
        slots = slice(row * buffer.games, (row + 1) * buffer.games)
        game_goes_on = buffer.next_slot[row] >= 0
        next_slot = buffer.next_slot[row].clamp(min=0)

        # advantage = delta + gamma * lambda * next_advantage, with delta = reward + gamma * next_value - value
        next_value = torch.where(game_goes_on, value[next_slot], 0.0)
        next_advantage = torch.where(game_goes_on, advantage[next_slot], 0.0)
        target = buffer.reward[row] + gamma * (next_value + gae_lambda * next_advantage)
        advantage[slots] = torch.where(closed[row], target - value[slots], 0.0)
    return advantage.view(buffer.rows, buffer.games)
