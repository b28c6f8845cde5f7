"""The rollout buffer of self-play: each seat's decisions form a chain, along which advantages are estimated."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rfop_env.core.game import Game

OPEN = -1  # the next slot of a decision whose successor has not been taken yet
GAME_OVER = -2  # the next slot of the last decision of a seat in a game
NO_ADVICE = -1  # the teacher's action where no teacher was asked


class RolloutBuffer:
    """The learner's decisions of `num_steps` steps of N games, in rows of time; slot = row * N + game.

    A seat's decisions in a game form a chain. `next_slot` is the slot of the seat's next decision, `OPEN` if that has
    not been taken yet, `GAME_OVER` if the game ended first. Rewards between two decisions belong to the earlier one.

    The last decision of a chain is not trained on while it is open. `carry` moves it to the first rows of the next
    rollout, one row for each seat, where its successor will be known. So no advantage needs the value of a position in
    which another seat decides.
    """

    # What a decision carries into the next rollout.
    CARRIED = ("observation", "other_observations", "action_mask", "memory", "action", "log_prob", "value",
               "teacher_action", "reward")  # fmt: skip

    def __init__(self, num_steps: int, games: int, game: Game, gru_size: int, central_critic: bool):
        seats, actions, size = game.spec.players, game.actions.size, game.observation.size
        rows = seats + num_steps
        self.games, self.seats, self.rows = games, seats, rows

        # What was seen and done, [rows, N, ...].
        self.observation = np.zeros((rows, games, size), np.int8)
        self.other_observations = np.zeros((rows, games, seats - 1 if central_critic else 0, size), np.int8)
        self.action_mask = np.ones((rows, games, actions), np.bool_)
        self.memory = np.zeros((rows, games, gru_size), np.float32)  # before the decision
        self.seat = np.zeros((rows, games), np.int64)
        self.action = np.zeros((rows, games), np.int64)
        self.log_prob = np.zeros((rows, games), np.float32)
        self.value = np.zeros((rows, games), np.float32)
        self.teacher_action = np.full((rows, games), NO_ADVICE, np.int64)
        self.reward = np.zeros((rows, games), np.float32)

        # The chains.
        self.by_learner = np.zeros((rows, games), np.bool_)
        self.next_slot = np.full((rows, games), OPEN, np.int64)
        self.first = np.zeros((rows, games), np.bool_)  # no earlier decision of the chain is in these rows
        self.open_slot = np.full((games, seats), OPEN, np.int64)  # the slot of each seat's last decision

    def link(self, row: int, seat: NDArray[np.int64], by_learner: NDArray[np.bool_]) -> None:
        """Enter the decisions of a step, each as the successor of its seat's last one.

        `seat`: who decides, int64 [N]. `by_learner`: whether that is the learner, bool [N].
        """
        games = np.flatnonzero(by_learner)
        slots = row * self.games + games
        previous = self.open_slot[games, seat[games]]
        has_previous = previous >= 0

        self.next_slot.reshape(-1)[previous[has_previous]] = slots[has_previous]
        self.first.reshape(-1)[slots] = ~has_previous
        self.open_slot[games, seat[games]] = slots

        self.seat[row] = seat
        self.by_learner[row] = by_learner
        self.next_slot[row] = OPEN
        self.reward[row] = 0.0

    def pay(self, rewards: NDArray[np.float32], ended: NDArray[np.bool_]) -> None:
        """Add the rewards [N, P] to every seat's open decision, whoever moved; close the chains of ended games [N]."""
        is_open = self.open_slot >= 0
        self.reward.reshape(-1)[self.open_slot[is_open]] += rewards[is_open]

        closed = is_open & ended[:, None]
        self.next_slot.reshape(-1)[self.open_slot[closed]] = GAME_OVER
        self.open_slot[ended] = OPEN

    def carry(self) -> None:
        """Start the next rollout: the open decisions become its first rows."""
        games, seats = np.nonzero(self.open_slot >= 0)
        source, target = self.open_slot[games, seats], seats * self.games + games
        for name in self.CARRIED:
            array = getattr(self, name)
            flat = array.reshape(self.rows * self.games, *array.shape[2:])
            flat[target] = flat[source]

        self.by_learner[: self.seats] = False
        self.by_learner.reshape(-1)[target] = True
        self.seat[: self.seats] = np.arange(self.seats)[:, None]
        self.first[: self.seats] = True
        self.next_slot[: self.seats] = OPEN
        self.open_slot[games, seats] = target

    def closed(self) -> NDArray[np.bool_]:
        """The decisions whose successor, or whose game's end, is known: bool [rows, N]."""
        return self.by_learner & (self.next_slot != OPEN)

    def tensor(self, name: str, slots: NDArray[np.int64], device: torch.device) -> Tensor:
        """The entries of an array at these slots [n], as a tensor [n, ...]."""
        array = getattr(self, name)
        rows = torch.from_numpy(array.reshape(-1, *array.shape[2:]))
        return rows.index_select(0, torch.from_numpy(slots)).to(device)

    def all_observations(self, slots: NDArray[np.int64], device: torch.device) -> Tensor:
        """The observations of every seat at these slots [n], the seat that decides first: int8 [n, P, D]."""
        own = self.tensor("observation", slots, device)
        others = self.tensor("other_observations", slots, device)
        return torch.cat([own[:, None], others], dim=1)


def compute_advantages(buffer: RolloutBuffer, gamma: float, gae_lambda: float) -> NDArray[np.float32]:
    """Generalised advantage estimates along each seat's own decisions: float32 [rows, N], 0 for open decisions."""
    advantage = np.zeros(buffer.value.size, np.float32)
    value = buffer.value.reshape(-1)
    closed = buffer.closed()

    for row in reversed(range(buffer.rows)):
        slots = slice(row * buffer.games, (row + 1) * buffer.games)
        next_slot = buffer.next_slot[row]
        game_goes_on = next_slot >= 0

        # advantage = delta + gamma * lambda * next_advantage, with delta = reward + gamma * next_value - value
        next_value = np.where(game_goes_on, value[next_slot], 0.0)
        next_advantage = np.where(game_goes_on, advantage[next_slot], 0.0)
        target = buffer.reward[row] + gamma * (next_value + gae_lambda * next_advantage)
        advantage[slots] = np.where(closed[row], target - value[slots], 0.0)
    return advantage.reshape(buffer.rows, buffer.games)
