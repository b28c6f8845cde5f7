"""Games of agents in a batch, taken apart into episodes: one for each seat of each game.

Game i has the seed `seed + i`, and agent k sits in seat (k + i) modulo the number of seats: every agent plays every
seat. Seeds are below those of the evaluation's deals, so that nothing trained on a data set has seen a deal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.agent import Agent, act_for
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import BadArgument, RfopError
from rfop_env.core.game import Game
from rfop_env.core.legal_actions import NO_ACTION
from rfop_training.evaluation.games import FIRST_DEAL, default_opening, most_at_once

MOST_GAMES = 1_000_000
AT_ONCE = 200  # games that are played side by side
SEARCH_RESULTS = {
    "visits": np.int32,
    "action_values": np.float32,
    "policy": np.float32,
}  # what is kept of a search, and how


@dataclass(frozen=True)
class Episode:
    """A game from the side of one seat: its T decisions, and what it sees at the end."""

    observations: NDArray[np.int8]  # [T + 1, D]
    masks: NDArray[np.int8]  # [T + 1, A]; the last row is all zeros
    actions: NDArray[np.int64]  # [T]
    rewards: NDArray[np.float64]  # [T]: what the seat was paid until its next decision, or the end
    game: int  # number of the game in the data set
    seed: int  # of the game
    seat: int
    agent: str  # the display name of who decided
    end_reason: str
    search_results: Mapping[str, NDArray[Any]]  # [T + 1, A] each, by name: of the search; zeros in the last row


@dataclass(frozen=True)
class Plan:
    """What is played: the agent `agents[k]` in seat (k + i) modulo the number of seats of game i."""

    game: Game  # under its options
    options: Mapping[str, object]
    components: Any  # a loaded set
    agents: Sequence[Agent]  # as many as there are seats
    games: int
    seed: int = 0  # of the first game
    reward: str | None = None
    threads: int = 1

    def __post_init__(self) -> None:
        if len(self.agents) != self.game.spec.players:
            raise BadArgument(f"agents: {self.game.id} has {self.game.spec.players} seats, found {len(self.agents)}")
        if not 1 <= self.games <= MOST_GAMES:
            raise BadArgument(f"games: from 1 to {MOST_GAMES:,}, found {self.games}")
        if not 0 <= self.seed <= FIRST_DEAL - self.games:
            raise RfopError(
                f"seed: from 0 to {FIRST_DEAL - self.games}, found {self.seed}: seeds from {FIRST_DEAL} on are "
                f"the deals of evaluations, which no training may see"
            )

    @property
    def finds(self) -> list[str]:
        """What the agents find, by name: the same for all episodes, with zeros where an agent does not find it."""
        return [name for name in SEARCH_RESULTS if any(name in agent.finds for agent in self.agents)]

    @property
    def opening(self) -> int:
        """The number of random decisions that start a game and are in no episode: in games without chance."""
        return default_opening(self.game)

    def seating(self, numbers: NDArray[np.intp]) -> NDArray[np.intp]:
        """Which agent has each seat of the games with these numbers: int [n, P] from int [n]."""
        seats = self.game.spec.players
        seating: NDArray[np.intp] = (np.arange(seats)[None, :] - numbers[:, None]) % seats
        return seating


def episodes(plan: Plan) -> Iterator[list[Episode]]:
    """Play all games; yields the episodes of some games at a time, in the order of games and seats."""
    at_once = min(most_at_once(plan.agents) or AT_ONCE, AT_ONCE)
    for low in range(0, plan.games, at_once):
        yield _play(plan, np.arange(low, min(low + at_once, plan.games)))


def _play(plan: Plan, numbers: NDArray[np.intp]) -> list[Episode]:
    """Play the games with these numbers to their ends."""
    n, seats = len(numbers), plan.game.spec.players
    batch = GameBatch(
        plan.game, n, options=plan.options, components=plan.components, reward=plan.reward, threads=plan.threads
    )
    batch.reset((plan.seed + numbers).tolist())
    if plan.opening:
        batch.step_random(plan.opening)
    if any(agent.needs_history for agent in plan.agents):
        batch.keep_history()
    seating = plan.seating(numbers)
    rngs = [np.random.default_rng([plan.seed, int(numbers[0]), seat]) for seat in range(seats)]
    finds = plan.finds

    # What every decision was about, and what was found.
    steps: list[tuple[NDArray[Any], ...]] = []
    while not batch.states["over"].all():
        running = batch.states["over"] == 0
        deciding = np.where(running, batch.current_player, NO_ACTION)
        observation, mask = batch.observation.copy(), batch.action_mask.astype(np.int8)

        actions = np.full(n, NO_ACTION, np.int64)
        search_results = {name: np.zeros(mask.shape, SEARCH_RESULTS[name]) for name in finds}
        for seat in range(seats):
            for k, agent in enumerate(plan.agents):
                games = np.flatnonzero((deciding == seat) & (seating[:, seat] == k))
                if len(games):
                    actions[games] = act_for(agent, batch, games, rngs[seat])
                    for name in agent.finds:
                        search_results[name][games] = getattr(agent.last, name)
        batch.step(actions)
        steps.append(
            (
                deciding,
                observation,
                mask,
                actions,
                np.where(running[:, None], batch.rewards, 0.0),
                *search_results.values(),
            )
        )

    names = [[plan.agents[int(k)].name for k in row] for row in seating]
    return taken_apart(batch, numbers.tolist(), [plan.seed + k for k in numbers.tolist()], names, finds, steps)


def taken_apart(
    batch: GameBatch,
    numbers: Sequence[int],
    seeds: Sequence[int],
    names: Sequence[Sequence[str]],
    finds: Sequence[str],
    steps: Sequence[tuple[NDArray[Any], ...]],
) -> list[Episode]:
    """The episodes of games that have ended, from their decisions; a seat that never decided has none.

    Each game has a number, a seed and the names of who had its seats. A step has, for each game, the seat that decided
    (`NO_ACTION` where the game was over), observation, mask, action, the rewards of all seats, and an array for each of
    `finds`.
    """
    deciding, observation, mask, actions, rewards, *search_results = (
        np.stack(parts) for parts in zip(*steps, strict=True)
    )
    last = [batch.observe(seat) for seat in range(batch.game.spec.players)]

    apart = []
    for i, number in enumerate(numbers):
        for seat in range(batch.game.spec.players):
            own = np.flatnonzero(deciding[:, i] == seat)
            if len(own):
                apart.append(
                    Episode(
                        observations=np.concatenate([observation[own, i], last[seat][i : i + 1]]),
                        masks=_and_zeros(mask[own, i]),
                        actions=actions[own, i],
                        rewards=np.add.reduceat(rewards[:, i, seat].astype(np.float64), own),
                        game=number,
                        seed=seeds[i],
                        seat=seat,
                        agent=names[i][seat],
                        end_reason=batch.game.end_reasons[int(batch.end_reason[i])],
                        search_results={
                            name: _and_zeros(array[own, i]) for name, array in zip(finds, search_results, strict=True)
                        },
                    )
                )
    return apart


def _and_zeros(rows: NDArray[Any]) -> NDArray[Any]:
    """The rows, and one of zeros for the end of the game: [T + 1, A] from [T, A]."""
    return np.concatenate([rows, np.zeros_like(rows[:1])])
