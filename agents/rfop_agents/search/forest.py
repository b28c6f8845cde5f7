"""A search tree for each of many positions: the arrays of the search kernel, and their statistics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_agents.network import Evaluator, shares
from rfop_agents.fixed_opponent import OpponentPolicy
from rfop_agents.search.compiled.simulate import (
    BACK_UP,
    DESCEND,
    EMPTY,
    NO_LEAF,
    RESUME,
    SIMULATE,
    Leaves,
    Parameters,
    Roots,
    Simulation,
    Trees,
    make_search,
)
from rfop_agents.search.compiled import tree
from rfop_agents.search.settings import SearchSettings
from rfop_env.compiler import native_rules
from rfop_env.compiler import JIT, kernel
from rfop_env.core.errors import InternalFault, RfopError
from rfop_env.core.game import Game
from rfop_env.core.kernels import Kernels
from rfop_env.core.legal_actions import NO_ACTION

Floats = NDArray[np.floating[Any]]
_kernels: dict[native_rules.NativeRules, Callable[..., None]] = {}

GROWTH = 8  # a round adds at most 1/GROWTH of the simulations that a tree has


def seat_returns(values: Floats, seats: NDArray[Any], players: int) -> Floats:
    """The returns to come of every seat, [n, P], from those of the seats that decide: the others share the loss."""
    returns = np.repeat(-values[:, None] / max(1, players - 1), players, axis=1)
    returns[np.arange(len(values)), seats] = values
    return returns


def search_kernel(game: Game) -> Callable[..., None]:
    """The compiled search of a game's rules, built once."""
    native = Kernels.of(game).native
    if native not in _kernels:
        _kernels[native] = kernel(
            make_search(native.called),
            f"{game.rules_name}.search",
            title=f"the search for {game.title}",
            before=native.before(native_rules.PLAY, native_rules.DETERMINIZE),
        )
    return _kernels[native]


class Forest:
    """One tree for each of n positions.

    `roots`: records [n]; what their seat cannot see is determinized in every simulation. Or [n, K]: samples of a
    belief, which the simulations take in turn, and in which only chance to come is drawn anew. `keys`: int64 [n], where
    the chances of each tree come from. `nodes`: the size of a tree's pool; a full tree goes on counting and stops
    growing.
    `network` judges the leaves; None: every simulation is played to the end. `opponent` decides for all seats but the
    root's, inside the tree; None: each seat chooses what is best for itself. With `settings.leaves` above 1, which
    needs a network, up to so many descents of each tree wait for it together (`round_size`).
    """

    def __init__(
        self, game: Game, components: Any, roots: NDArray[Any], keys: NDArray[np.int64], settings: SearchSettings,
        nodes: int, network: Evaluator | None = None, threads: int = 1, opponent: OpponentPolicy | None = None,
    ):  # fmt: skip
        n, sampled = len(roots), roots.ndim == 2
        roots = roots.reshape(-1)
        self._game = game
        self._network = network
        self._opponent = opponent
        self._settings = settings
        self._threads = min(threads, n)
        self._parameters = search_parameters(game, settings, network is not None, opponent is not None, sampled)
        self._roots = _roots(
            game, components, roots, keys, settings.weights(game, network.rewards if network is not None else None)
        )
        self.trees = _trees(game, n, nodes, network is not None)
        self._rows = settings.leaves  # of `_simulation` and `_leaves`, for each tree
        self._simulation = _simulation(game, n, nodes, self._rows)
        self._leaves = _leaves(game, n * self._rows)
        self.root_seats = np.asarray(roots["player"][:: len(roots) // n]).astype(np.int64)
        self._done = 0  # simulations of every tree
        self._prepare()
        self._run(EMPTY, 1)

    def _prepare(self) -> None:
        """Set up the kernel and the threads."""
        self._pool = ThreadPoolExecutor(self._threads) if self._threads > 1 else None
        self._kernel = search_kernel(self._game)
        if self._parameters.scripted or self._parameters.prior_weight > 0.0:
            Kernels.of(self._game).native.need(native_rules.ADVISE)

    def simulate(self, times: int) -> None:
        """Add simulations to every tree.

        Without a network each is played to the end of the game; with one, the leaves of a round are judged at once.
        """
        if self._network is None and self._opponent is None:
            self._run(SIMULATE, times)
            return
        while times > 0:
            descents = min(round_size(self._done, self._rows), times)
            self._round(descents)
            self._done += descents
            times -= descents

    def _round(self, descents: int) -> None:
        """`descents` simulations of every tree: all descents first, then all returns."""
        self._run(DESCEND, descents)
        if self._opponent is not None:
            self._ask_opponent(self._opponent, descents)
        rows = np.flatnonzero(self._leaves.seat != NO_LEAF)
        if descents < self._rows:
            rows = rows[rows % self._rows < descents]  # the others are of an earlier round
        if len(rows) and self._network is not None:
            self._judge_leaves(self._network, rows)
        self._run(BACK_UP, descents)

    def _ask_opponent(self, opponent: OpponentPolicy, descents: int) -> None:
        """Resume all descents until none waits for an action of the opponent. Raises `RfopError`."""
        leaves = self._leaves
        while (rows := np.flatnonzero(self._simulation.pending)).size:
            mask = leaves.mask[rows]
            self._simulation.opponent_action[rows] = opponent(
                leaves.observation[rows], mask, self._simulation.states[rows]
            )
            self._run(RESUME, descents)

    def force(self, actions: NDArray[np.int64], draws: NDArray[np.int64]) -> None:
        """Let the next simulations take these actions at the roots, int64 [n]; `NO_ACTION` lets a root choose itself.

        `draws`: the number of the determinization of each tree, int64 [n].
        """
        self._simulation.forced[:] = actions
        self._simulation.draws[:] = draws

    @property
    def last_returns(self) -> NDArray[np.float64]:
        """The returns of every seat in the last simulation of each tree: float64 [n, P]."""
        return self._host(self._simulation.returns)

    @property
    def root_priors(self) -> NDArray[np.float32]:
        """The priors of the roots' actions, once a network has judged them: float32 [n, A], not 0 where illegal."""
        return self.trees.priors[:, tree.ROOT]

    def _host(self, array: Any) -> NDArray[Any]:
        """An array of the trees, where NumPy reads it."""
        host: NDArray[Any] = array
        return host

    def _judge_leaves(self, network: Evaluator, rows: NDArray[np.intp]) -> None:
        """Priors and returns of the leaves in some rows: what was paid up to them, and what the network expects after.

        Where games were played on from there, how they ended has its share in the returns.
        """
        mask, seats = self._leaves.mask[rows], self._leaves.seat[rows]
        logits, values = network.evaluate(self._leaves.observation[rows], mask)
        require_finite(bool(np.isfinite(logits[mask]).all() and np.isfinite(values).all()))

        # The priors stay with the node. Of descents that came to the same one, the first gives them, as if alone.
        trees = rows // self._rows
        leaves = self._simulation.path[rows, self._simulation.length[rows] - 1]
        priors = self._priors(logits, mask)
        if self._rows > 1:
            first = np.unique(trees * self.trees.nodes.shape[1] + leaves, return_index=True)[1]
            trees, leaves, priors = trees[first], leaves[first], priors[first]
        self.trees.priors[trees, leaves] = priors

        # The returns are backed up.
        mix = self._settings.rollout_mix
        future = values if values.ndim == 2 else seat_returns(values, seats, self._game.spec.players)
        expected = self._leaves.partial_returns[rows] + future
        self._simulation.returns[rows] = mix * self._simulation.returns[rows] + (1.0 - mix) * expected

    def _priors(self, logits: NDArray[np.float32], mask: NDArray[np.bool_]) -> Floats:
        """The prior of n positions, [n, A]: the share `prior_weight` is the network's policy, the rest is uniform.

        A trained policy gives many actions next to no probability: without the rest no number of simulations would try
        them. An action that another determinization makes legal here has no logit: it counts as an average one. All
        priors are above 0, which tells a node that has them from one that the network has not judged.
        """
        uniform = 1.0 / mask.sum(axis=1, keepdims=True)
        policy = np.where(mask, shares(logits, mask), uniform)
        share = self._settings.prior_weight
        return share * policy + (1.0 - share) * uniform

    def _run(self, task: int, times: int) -> None:
        edges = [len(self.trees.nodes) * k // self._threads for k in range(self._threads + 1)]
        arguments = (self._parameters, self._roots, self.trees, self._simulation, self._leaves)
        plain = [tuple(arrays) for arrays in arguments]

        def work(k: int) -> None:
            self._kernel(edges[k], edges[k + 1], task, times, *plain)

        if self._pool is None:
            work(0)
        else:
            list(self._pool.map(work, range(self._threads)))
        if self._simulation.states["fault"].any():
            raise internal_fault(self._game)

    def action_statistics(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Visits int64 [n, A] of the roots' actions and their mean returns float64 [n, A, P]; 0 where not tried."""
        nodes, totals = self._host(self.trees.nodes), self._host(self.trees.totals)
        n, actions, seats = len(nodes), self._game.actions.size, totals.shape[2]
        visits = np.zeros((n, actions), np.int64)
        values = np.zeros((n, actions, seats))

        # One child of every root at a time.
        child = nodes["child"][:, tree.ROOT].copy()
        while (games := np.flatnonzero(child != tree.NO_NODE)).size:
            edges = nodes[games, child[games]]
            visits[games, edges["action"]] = edges["visits"]
            values[games, edges["action"]] = totals[games, child[games]] / edges["visits"][:, None]
            child[games] = edges["sibling"]
        return visits, values

    def root_values(self) -> NDArray[np.float64]:
        """The mean returns of every seat over all simulations: float64 [n, P]."""
        nodes, totals = self._host(self.trees.nodes), self._host(self.trees.totals)
        means: NDArray[np.float64] = totals[:, tree.ROOT] / nodes["visits"][:, tree.ROOT, None]
        return means


def round_size(done: int, leaves: int) -> int:
    """The number of leaves of a tree that a network evaluates in one batch after `done` simulations, at most `leaves`.

    The first one judges the root alone, since no descent leaves it without its priors. A small tree has small rounds:
    many descents at once would spread over actions that the returns of the first ones advise against.
    """
    return min(leaves, max(1, done // GROWTH))


def require_finite(finite: bool) -> None:
    """Raise `RfopError` for non-finite outputs of a network."""
    if not finite:
        raise RfopError("the network gave values that are no finite numbers: its weights are damaged")


def internal_fault(game: Game) -> InternalFault:
    """The error for a simulation in which the rules found one of their invariants violated."""
    return InternalFault(f"internal error: rule invariant of {game.id} violated in a simulation; please report")


def search_parameters(
    game: Game, settings: SearchSettings, with_network: bool, fixed_opponent: bool, sampled: bool
) -> Parameters:
    """The numbers of a search; a game without a scripted player, or with a network, has no script's prior."""
    script = game.rules.advise is not None
    return Parameters(
        c_puct=float(settings.c_puct_for(with_network)),
        fpu_reduction=float(settings.fpu_reduction),
        prior_weight=float(settings.prior_weight) if script and not with_network else 0.0,
        scripted=script and settings.rollouts == "scripted",
        rollouts_too=settings.rollout_mix > 0.0 if with_network else fixed_opponent,
        fixed_opponent=fixed_opponent,
        virtual_loss=float(settings.virtual_loss),
        sampled=sampled,
    )


def _roots(
    game: Game, components: Any, roots: NDArray[Any], keys: NDArray[np.int64], weights: Mapping[str, float]
) -> Roots:
    """The roots; `weights`: reward kinds by name."""
    kinds = payoff_scales(game, weights)
    return Roots(
        components=components.record,
        states=records(roots),
        keys=keys,
        kinds=np.array([number for number, _ in kinds], np.int64),
        scales=np.array([scale for _, scale in kinds], np.float64),
    )


def payoff_scales(game: Game, weights: Mapping[str, float]) -> list[tuple[int, float]]:
    """The number of each reward kind, and the return for a unit of its payoff; `weights`: reward kinds by name."""
    return [(number, kind.scale * weights[name]) for name in weights for number, kind in [game.reward(name)]]


def _trees(game: Game, n: int, nodes: int, with_network: bool) -> Trees:
    """Empty trees."""
    seats, actions = game.spec.players, game.actions.size
    return Trees(
        nodes=records(np.zeros((n, nodes), tree.NODE)),
        totals=np.zeros((n, nodes, seats)),
        bounds=np.zeros((n, seats, 2)),
        node_count=np.zeros((n, 1), np.int32),
        priors=np.zeros((n, nodes, actions) if with_network else (n, 1, 1), np.float32),
    )


def _simulation(game: Game, trees: int, nodes: int, rows: int) -> Simulation:
    """Working space for `rows` simulations of every tree."""
    n, seats, actions = trees * rows, game.spec.players, game.actions.size
    return Simulation(
        states=records(np.zeros(n, game.state)),
        path=np.zeros((n, nodes + 1), np.int32),
        length=np.zeros(n, np.int32),
        mask=np.zeros((n, actions), np.bool_),
        advised_mask=np.zeros((n, actions), np.bool_),
        weights=np.zeros((n, actions)),
        returns=np.zeros((n, seats)),
        forced=np.full(n, NO_ACTION, np.int64),
        draws=np.zeros(n, np.int64),
        pending=np.zeros(n, np.bool_),
        opponent_action=np.full(n, NO_ACTION, np.int64),
    )


def _leaves(game: Game, n: int) -> Leaves:
    """Working space for n leaves."""
    return Leaves(
        seat=np.zeros(n, np.int64),
        mask=np.zeros((n, game.actions.size), np.bool_),
        observation=np.zeros((n, game.observation.size), np.int8),
        partial_returns=np.zeros((n, game.spec.players)),
    )


def records(array: NDArray[Any]) -> Any:
    """Records whose fields plain Python can name."""
    return array if JIT else array.view(np.recarray)
