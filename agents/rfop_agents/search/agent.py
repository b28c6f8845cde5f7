"""The search agent: information-set Monte-Carlo tree search in determinizations of what its seat cannot see."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rfop_env.agent import Actions, Agent, Masks, Obs, Positions, Thoughts, act_for
from rfop_agents.belief import Belief
from rfop_agents.network import Evaluator
from rfop_agents.fixed_opponent import OpponentPolicy, opponent_policy, require_fixed_opponent
from rfop_agents.search.forest import Forest, round_size
from rfop_agents.search.gumbel import Floats, GumbelRoot, scripted_prior
from rfop_agents.search.settings import GUMBEL, SearchSettings, search_settings
from rfop_env import DEVICES
from rfop_env.core.batch import GameBatch
from rfop_env.core.cuda.device import DEVICE as CARD
from rfop_env.core.cuda.device import free_memory, require_device
from rfop_env.core.errors import RfopError, UnknownName, extra
from rfop_env.core.game import Game

MOST_BYTES = 256 * 2**20  # of trees at a time: more positions are searched in several stretches
ROUNDS = 20  # a budget of seconds is spent in about so many rounds
ROUND = 50  # simulations between two calls of `stopped`
SAMPLES = 64  # of a belief, for each root


@dataclass(frozen=True)
class SearchResult:
    """The result of a search of n positions."""

    visits: NDArray[np.int64]  # [n, A]: how often each action was tried
    action_values: NDArray[np.float64]  # [n, A]: mean return of each for the seat that decides, 0 where not tried
    values: NDArray[np.float64]  # [n, P]: mean return of every seat over all simulations
    policy: NDArray[np.float64]  # [n, A]: a policy to learn from: the improved one of "gumbel", else shares of visits
    actions: NDArray[np.int64]  # [n]: the actions to play


class SearchAgent(Agent):
    """Searches every position by simulations and plays the action that was tried most.

    `settings`: None for the defaults of the game. `network`: its prior and value replace the scripted player and the
    rollouts. `threads`: the maximum; the result does not depend on them. With `device="cuda"` the trees are on a
    graphics card. `last` is the result of the last `act`.

    `opponent` is the agent that has all other seats: inside the tree it decides for them, so the search looks for a
    best response to it. It is a scripted player, or one that needs no positions; its random numbers derive from `rng`.
    None: each seat is taken to choose what is best for itself.

    `belief` gives `SAMPLES` positions for each root, which the simulations take in turn. None: every simulation draws
    anew what the root's seat cannot see, each deal with the same probability.

    Raises `RfopError` for a network with a memory, because the search asks for positions that no game has come to, for
    an `opponent` that needs positions, and for `settings.leaves` above 1 without a network or on a graphics card;
    `UnknownName` for another device, and what `rfop_env.make_batch` raises where there is no card.
    """

    needs_positions = True
    gives_values = True
    finds = ("visits", "action_values", "policy")

    def __init__(
        self,
        game: Game,
        settings: SearchSettings | None = None,
        *,
        network: Evaluator | None = None,
        threads: int = 1,
        device: str = "cpu",
        opponent: Agent | None = None,
        belief: Belief | None = None,
        name: str | None = None,
    ):
        self.settings = settings or search_settings(game)
        self._belief = belief
        if belief is not None:
            self.needs_history, self.most_games = belief.needs_history, belief.most_games
        self._network = network
        self._threads = threads
        if threads < 1:
            raise RfopError(f"threads: at least 1, found {threads}")
        if self.settings.leaves > 1:
            _require_waiting(self.settings.leaves, network, device)
        self._forests = forests_on(device)
        if network is not None and network.remembers:
            raise RfopError("network: one with a memory cannot judge positions out of a game: give one without a core")
        self._opponent = opponent
        if opponent is not None:
            if device == CARD:
                raise RfopError("opponent: on a graphics card every seat chooses for itself; leave out the device")
            require_fixed_opponent(opponent, game)
        budget = self.settings.simulations if self.settings.seconds is None else f"{self.settings.seconds:g}s"
        self.name = name or f"search-{budget}"
        self.last: SearchResult | None = None

    def act(self, observation: Obs, action_mask: Masks, rng: Generator, positions: Positions | None = None) -> Actions:
        """The action tried most, the better one of equals, for each position: int64 [n]."""
        assert positions is not None, "the search plays on from positions"
        # One number of `rng` for all keys: those of the first games do not depend on how many there are.
        seed = int(rng.integers(2**63))
        keys = np.random.default_rng(seed).integers(0, 2**32, len(action_mask))
        noise = np.zeros(action_mask.shape)
        if self.settings.root == GUMBEL and self.settings.root_noise:
            noise = self.settings.root_noise * np.random.default_rng([seed, 1]).gumbel(size=action_mask.shape)

        # As many trees at a time as the memory holds.
        if self._belief is None:
            roots = positions.determinize()[0]
        else:
            samples = self._belief.sample(positions, min(SAMPLES, self._nodes), np.random.default_rng([seed, 3]))
            roots = np.ascontiguousarray(samples.T)
        size = self._stretch(positions.game)
        results = []
        for start in range(0, len(roots), size):
            part = slice(start, start + size)
            opponent = None
            if self._opponent is not None:
                opponent = opponent_policy(self._opponent, positions, np.random.default_rng([seed, 2, start]))
            forest = self._forest(positions, roots[part], keys[part], opponent)
            if self.settings.root == GUMBEL:
                results.append(self._halve(positions, forest, roots[part], action_mask[part], noise[part]))
            else:
                results.append(self._search(forest, action_mask[part]))
        self.last = SearchResult(*(np.concatenate(arrays) for arrays in zip(*results, strict=True)))
        return self.last.actions

    def think(self, batch: GameBatch, games: NDArray[np.intp], rng: np.random.Generator) -> Thoughts:
        """The actions tried most, with visits and mean returns of all."""
        actions = act_for(self, batch, games, rng)
        assert self.last is not None, "it has just searched"
        values = self.last.values[np.arange(len(games)), batch.current_player[games]]
        return Thoughts(actions, values, self.last.visits, self.last.action_values)

    @property
    def _nodes(self) -> int:
        return self.settings.simulations if self.settings.seconds is None else self.settings.nodes

    def _stretch(self, game: Game) -> int:
        """The number of trees that fit into `MOST_BYTES`."""
        priors = game.actions.size if self._network else 0
        on_card = self._forests is not Forest
        memory = (free_memory() or MOST_BYTES) // 2 if on_card else MOST_BYTES
        return max(1, memory // (self._nodes * 4 * (5 + self.settings.leaves + 2 * game.spec.players + priors)))

    def _forest(
        self, positions: Positions, roots: NDArray[np.void], keys: NDArray[np.int64], opponent: OpponentPolicy | None
    ) -> Forest:
        return self._forests(
            positions.game, positions.components, roots, keys, self.settings, self._nodes,
            self._network, self._threads, opponent,
        )  # fmt: skip

    def _search(self, forest: Forest, mask: NDArray[np.bool_]) -> tuple[NDArray[Any], ...]:
        """The entries of a `SearchResult` of some positions, bool [n, A], whose roots choose by PUCT."""
        n = len(mask)
        self._grow(forest.simulate, n)
        visits, values = forest.action_statistics()
        own = values[np.arange(n), :, forest.root_seats]

        # The action tried most, the better one of equals: returns lie between -1 and 1.
        actions = np.where(mask, visits + own / 4, -np.inf).argmax(axis=1).astype(np.int64)
        shares = visits / np.maximum(1, visits.sum(axis=1, keepdims=True))
        return visits, own, forest.root_values(), shares, actions

    def _halve(
        self, positions: Positions, forest: Forest, roots: NDArray[np.void], mask: NDArray[np.bool_], noise: Floats
    ) -> tuple[NDArray[Any], ...]:
        """The entries of a `SearchResult` of some positions, whose roots choose by sequential halving."""
        prior = None
        if self._network is None:
            records = roots if roots.ndim == 1 else roots[:, 0]
            prior = scripted_prior(positions.game, records, positions.components, mask, self.settings.prior_weight)
        root = GumbelRoot(forest, prior, mask, noise, self.settings)
        self._grow(root.simulate, len(mask))
        return root.visits(), root.action_values(), forest.root_values(), root.improved_policy(), root.best_actions()

    def _grow(self, simulate: Callable[[int], None], n: int) -> None:
        """Spend the budget on n trees."""
        if self.settings.seconds is not None:
            simulate_for(simulate, self.settings.seconds * n / min(n, self._threads), self.stopped)
        elif self.stopped is None:
            simulate(self.settings.simulations)
        else:
            _simulate_until(simulate, self.settings.simulations, self.stopped, self.settings.leaves)


def _require_waiting(leaves: int, network: Evaluator | None, device: str) -> None:
    """Raise `RfopError` where batches of several leaves of one tree are of no use: without a network, or on a card."""
    if network is None:
        raise RfopError(f"leaves: 1 without a network, for which they would wait, found {leaves}")
    if device == CARD:
        raise RfopError(f"leaves: 1 on a graphics card, where many positions act together, found {leaves}")


def forests_on(device: str) -> type[Forest]:
    """The trees of a device, which must be there. Raises as `SearchAgent`."""
    if device not in DEVICES:
        raise UnknownName("device", device, DEVICES)
    if device != CARD:
        return Forest
    require_device()
    with extra("train", "a search on a graphics card", "torch", install="torch"):
        import torch  # noqa: F401 - the trees need it
    from rfop_agents.search.card import CardForest

    return CardForest


def _simulate_until(
    simulate: Callable[[int], None], simulations: int, stopped: Callable[[], bool], leaves: int
) -> None:
    """Simulate in rounds; end early where `stopped` says so, after the first round at the earliest."""
    done = 0
    while done < simulations and not (done and stopped()):
        # Never stop inside a batch of leaves: the search is the same with and without `stopped`.
        end = done
        while end < min(done + ROUND, simulations):
            end += round_size(end, leaves)
        simulate(min(end, simulations) - done)
        done = end


def simulate_for(simulate: Callable[[int], None], seconds: float, stopped: Callable[[], bool] | None = None) -> None:
    """Simulate until the time is up or `stopped` says so, in rounds that shrink towards the end."""
    start = time.perf_counter()
    done = 0
    times = 2  # the first simulation tries no action yet
    while times > 0 and not (done and stopped and stopped()):
        simulate(times)
        done += times
        spent = time.perf_counter() - start
        remaining, duration = seconds - spent, spent / done
        times = max(1, int(min(seconds / ROUNDS, remaining) / duration)) if remaining > duration else 0
