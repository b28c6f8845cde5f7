"""Trees of many positions side by side: the arrays of the search kernel, and what is read from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

import rfop_env.core
from agents.search import compiled
from agents.search.compiled.simulate import BACK_UP, DESCEND, NOBODY, PLANT, SIMULATE, make_search
from agents.search.compiled.tree import NO_NODE, NODE, ROOT
from agents.search.settings import SearchSettings
from rfop_env.core.batch import rules_name
from rfop_env.core.errors import InternalFault, RfopError
from rfop_env.core.game import Game, Rules
from rfop_env.core.rule import JIT, kernel

Floats = NDArray[np.floating[Any]]
_kernels: dict[tuple[Rules, Path], Callable[..., None]] = {}


class Evaluator(Protocol):
    """What the search asks of a network: prior and value of positions, as `agents.network.NetworkAgent` gives them."""

    @property
    def rewards(self) -> Mapping[str, float]:
        """Of which reward kinds, by weight, its values tell what is still to come; empty if that is not known."""

    def evaluate(self, observation: NDArray[np.int8], action_mask: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Logits [n, A], and what the seat that decides, [n], or every seat, [n, P], will be paid from here on."""


def search_kernel(game: Game) -> Callable[..., None]:
    """The compiled search of a game's rules, built once."""
    key = (game.rules, game.folder)
    if key not in _kernels:
        rules = (Path(rfop_env.core.__file__).parent, game.folder)
        sources, title = (Path(compiled.__file__).parent, *rules), f"the search for {game.title}"
        name = f"{game.folder.name}.{rules_name(game.rules)}.search"
        _kernels[key] = kernel(make_search(game.rules), name, sources, title=title, rules=rules)
    return _kernels[key]


class Forest:
    """One tree for each of n positions.

    `roots`: records [n]; what their seat cannot see is determinized in every simulation. `keys`: int64 [n], where the
    chances of each tree come from. `nodes`: the size of a tree's pool; a full tree goes on counting and stops growing.
    `network` is who will end the simulations, if they are not to be played to the end.
    """

    def __init__(
        self, game: Game, components: Any, roots: NDArray[Any], keys: NDArray[np.int64], settings: SearchSettings,
        nodes: int, network: Evaluator | None = None, threads: int = 1,
    ):  # fmt: skip
        n, seats, actions = len(roots), game.spec.players, game.actions.size
        self._network, with_priors = network, network is not None
        self._game, self._kernel, self._threads = game, search_kernel(game), min(threads, n)
        self._pool = ThreadPoolExecutor(self._threads) if self._threads > 1 else None
        self.trees, self._scratch = _records(np.zeros((n, nodes), NODE)), _records(np.zeros_like(roots))
        self.totals, self._bounds = np.zeros((n, nodes, seats)), np.zeros((n, seats, 2))
        self._used, self._lengths = np.zeros((n, 1), np.int32), np.zeros(n, np.int32)
        self._weights = np.zeros((n, nodes, actions) if with_priors else (n, 1, 1), np.float32)
        self._paths = np.zeros((n, nodes + 1), np.int32)
        self._masks, self._hints, self._leaf_mask = np.zeros((3, n, actions), np.bool_)
        self._values, self._paid, self._leaf_seat = np.zeros((n, seats)), np.zeros((n, seats)), np.zeros(n, np.int64)
        self._trust, self._play_on = settings.trust, settings.play_on
        self._observation = np.zeros((n, game.observation.size), np.int8)
        weights = settings.weights(game, network.rewards if network is not None else None)
        paid = [(number, kind.scale * weights[name]) for name in weights for number, kind in [game.reward(name)]]
        script = game.rules.advise is not None
        self._arguments = (
            settings.favour(with_priors),
            settings.caution,
            settings.trust if script and not with_priors else 0.0,
            script and settings.rollouts == "scripted",
            np.array([number for number, _ in paid], np.int64),
            np.array([scale for _, scale in paid]),
            components.record,
            _records(roots),
            keys,
            self._scratch,
            self.trees,
            self.totals,
            self._bounds,
            self._used,
            self._weights,
            self._paths,
            self._lengths,
            self._masks,
            self._hints,
            np.zeros((n, actions)),
            self._values,
            with_priors and settings.play_on > 0.0,
            self._paid,
            self._leaf_seat,
            self._leaf_mask,
            self._observation,
        )
        self._run(PLANT, 1)

    def simulate(self, times: int) -> None:
        """Add simulations to every tree.

        Without a network each is played to the end of the game; with one, the leaves of a round are asked at once.
        """
        if self._network is None:
            self._run(SIMULATE, times)
            return
        for _ in range(times):
            self._run(DESCEND, 1)
            asked = np.flatnonzero(self._leaf_seat != NOBODY)
            if len(asked):
                self._take_in(self._network, asked)
            self._run(BACK_UP, 1)

    def _take_in(self, network: Evaluator, asked: NDArray[np.intp]) -> None:
        """Prior and value of the leaves of some trees: what was paid up to them, and what the network expects after.

        Where games were played on from there, how they ended has its share in the value.
        """
        mask, seats = self._leaf_mask[asked], self._leaf_seat[asked]
        logits, values = network.evaluate(self._observation[asked], mask)
        if not (np.isfinite(logits[mask]).all() and np.isfinite(values).all()):
            raise RfopError("the network gave values that are no finite numbers: its weights are damaged")
        leaves = self._paths[asked, self._lengths[asked] - 1]
        self._weights[asked, leaves] = self._priors(logits, mask)
        expected = self._paid[asked] + (values if values.ndim == 2 else self._of_all_seats(values, seats))
        self._values[asked] = self._play_on * self._values[asked] + (1.0 - self._play_on) * expected

    def _priors(self, logits: NDArray[np.float32], mask: NDArray[np.bool_]) -> Floats:
        """The prior of n positions, [n, A]: the share `trust` is the network's policy, the rest is equal for all.

        A trained policy gives many actions next to no chance: without the rest no number of simulations would try them.
        An action that another determinization makes legal here has no logit: it counts as an average one. All priors
        are above 0, which tells a node that has them from one that nobody has been asked about.
        """
        legal = np.where(mask, logits, -np.inf)
        chances = np.exp(legal - legal.max(axis=1, keepdims=True))
        equal = 1.0 / mask.sum(axis=1, keepdims=True)
        policy = np.where(mask, chances / chances.sum(axis=1, keepdims=True), equal)
        return self._trust * policy + (1.0 - self._trust) * equal

    def _of_all_seats(self, values: Floats, seats: NDArray[np.int64]) -> Floats:
        """What every seat will be paid [n, P], from the seat that decides [n]: the others share the loss."""
        players = self._game.spec.players
        shared = np.repeat(-values[:, None] / max(1, players - 1), players, axis=1)
        shared[np.arange(len(values)), seats] = values
        return shared

    def _run(self, task: int, times: int) -> None:
        edges = [len(self.trees) * k // self._threads for k in range(self._threads + 1)]

        def work(k: int) -> None:
            self._kernel(edges[k], edges[k + 1], task, times, *self._arguments)

        if self._pool is None:
            work(0)
        else:
            list(self._pool.map(work, range(self._threads)))
        if self._scratch["fault"].any():
            raise InternalFault(f"{self._game.id}: a fault in the rules, met in a simulation")

    def of_actions(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Visits int64 [n, A] of the roots' actions and their mean returns float64 [n, A, P]; 0 where not tried."""
        n, seats, actions = len(self.trees), self.totals.shape[2], self._game.actions.size
        visits, values = np.zeros((n, actions), np.int64), np.zeros((n, actions, seats))
        child = self.trees["child"][:, ROOT].copy()
        while (found := np.flatnonzero(child != NO_NODE)).size:
            nodes = self.trees[found, child[found]]
            visits[found, nodes["action"]] = nodes["visits"]
            values[found, nodes["action"]] = self.totals[found, child[found]] / nodes["visits"][:, None]
            child[found] = nodes["sibling"]
        return visits, values

    def of_roots(self) -> NDArray[np.float64]:
        """The mean returns of every seat over all simulations: float64 [n, P]."""
        return self.totals[:, ROOT] / self.trees["visits"][:, ROOT, None]


def _records(array: NDArray[Any]) -> Any:
    """Records whose fields plain Python can name."""
    return array if JIT else array.view(np.recarray)
