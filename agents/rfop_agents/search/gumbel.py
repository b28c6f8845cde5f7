"""Root selection by Gumbel noise and sequential halving, and the improved policy that comes of it.

The method is that of Danihelka, Guez, Schrittwieser and Silver, *Policy improvement by planning with Gumbel* (2022). A
few actions are considered: those with the highest sum of logit and Gumbel noise. Simulations are shared out among them
equally, then among the better half, and so on. The improved policy is the softmax of logits plus transformed values,
where an action that nobody tried counts with the value of the position.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from rfop_agents.network import shares
from rfop_agents.search.forest import Forest, records
from rfop_agents.search.settings import SearchSettings
from rfop_env.core.game import Game
from rfop_env.core.kernels import scripted_actions
from rfop_env.core.legal_actions import NO_ACTION

Floats = NDArray[np.float64]
LEAST = 1e-6  # probability of a legal action in an improved policy, before values count
OFFSET = 50  # added to the visits of the most visited action, as in the paper: few simulations change a policy, too


@functools.cache
def visit_schedule(considered: int, simulations: int) -> tuple[int, ...]:
    """Sequential halving: for each simulation, how often the action that it tries has been tried before.

    Among the actions with this number of visits, the one with the highest score is tried. `considered` actions share
    an equal part of the simulations, then the better half of them, down to two. Every budget has its schedule: a short
    one ends early, the rest of a long one goes on between the two.
    """
    if considered <= 1:
        return tuple(range(simulations))

    phases = int(np.ceil(np.log2(considered)))
    schedule: list[int] = []
    candidates, visits = considered, 0
    while len(schedule) < simulations:
        rounds = max(1, simulations // (phases * candidates))
        for _ in range(rounds):
            schedule += [visits] * candidates
            visits += 1
        candidates = max(2, candidates // 2)
    return tuple(schedule[:simulations])


class GumbelRoot:
    """Searches the trees of a forest with sequential halving at their roots.

    The first simulation judges the root alone. Each later one is of one action of the root: it draws what is hidden
    from the root's seat and all chance to come, takes this action, goes down the tree by PUCT and is judged at its leaf
    as in any search. The k-th simulation of each action of a root has the same draws (common random numbers), so that
    actions are compared on the same hidden cards and dice.

    `mask`: the legal actions of the roots, bool [n, A]; at a root with one nothing is selected. `noise`: Gumbel noise
    [n, A], 0 for none.
    """

    def __init__(
        self, forest: Forest, prior: Floats | None, mask: NDArray[np.bool_], noise: Floats, settings: SearchSettings
    ):
        n = len(mask)
        self._forest = forest
        self._prior = prior
        self._mask = mask
        self._noise = noise
        self._settings = settings
        self._rows = np.arange(n)
        self._seats = forest.root_seats
        self._number = np.minimum(mask.sum(axis=1), settings.considered)  # of the actions that are considered

        # Set by the first simulation.
        self._logits = np.zeros(mask.shape)  # of the prior
        self._own_logits = np.zeros(mask.shape)  # of the network's policy, or the prior where there is no network
        self._value = np.zeros(n)  # of the root for its seat
        width = int(self._number.max())
        self._candidates = np.zeros((n, width), np.int64)  # the actions that are considered, the best first
        self._base = np.zeros((n, width))  # logit and noise of each, -inf for none

        # The actions considered: tries, and sums of the returns for the root's seat.
        self._tries = np.zeros((n, width), np.int64)
        self._sums = np.zeros((n, width))
        planned = [visit_schedule(int(k), settings.simulations - 1) for k in self._number]
        self._schedule = np.array(planned, np.int64).reshape(n, -1)
        self._done = 0

    def simulate(self, times: int) -> None:
        """Add simulations to every tree, at most as many in all as the settings say."""
        for _ in range(times):
            if self._done == 0:
                self._judge_roots()
            else:
                self._try_candidates(self._schedule[:, self._done - 1])
            self._done += 1

    def _judge_roots(self) -> None:
        """The first simulation: the prior, the value and the candidates of each root."""
        forest = self._forest
        forest.simulate(1)
        self._value = forest.last_returns[self._rows, self._seats]
        prior = forest.root_priors.astype(np.float64) if self._prior is None else self._prior
        self._logits = self._policy_logits(prior)

        # What is learned starts from the network's policy: the uniform part of the prior is for the search alone.
        share = self._settings.prior_weight
        uniform = (1.0 - share) / self._mask.sum(axis=1, keepdims=True)
        guided = self._prior is None and share > 0.0
        self._own_logits = self._policy_logits(np.maximum((prior - uniform) / share, LEAST)) if guided else self._logits

        # A stable order: equal actions are taken by their numbers.
        score = self._logits + self._noise
        width = self._candidates.shape[1]
        self._candidates = np.argsort(-score, axis=1, kind="stable")[:, :width]
        base = np.take_along_axis(score, self._candidates, axis=1)
        self._base = np.where(np.arange(width) < self._number[:, None], base, -np.inf)

    def _policy_logits(self, probs: Floats) -> Floats:
        """The logits of a policy [n, A], -inf where illegal."""
        logits: Floats = np.where(self._mask, np.log(np.where(self._mask, probs, 1.0)), -np.inf)
        return logits

    def _try_candidates(self, visits: NDArray[np.int64]) -> None:
        """A simulation of each tree: of the best candidate among those with so many visits, int64 [n]."""
        # The choice.
        score = np.where(self._tries == visits[:, None], self._base + self._transformed(self._means()), -np.inf)
        place = score.argmax(axis=1)
        actions = np.where(self._number > 1, self._candidates[self._rows, place], NO_ACTION)

        # The draws: those of the root's own simulation are number 0.
        self._forest.force(actions, visits + 1)
        self._forest.simulate(1)
        self._tries[self._rows, place] += 1
        self._sums[self._rows, place] += self._forest.last_returns[self._rows, self._seats]

    def _means(self) -> Floats:
        """The mean return of each candidate, 0 where not tried: [n, K]."""
        means: Floats = self._sums / np.maximum(self._tries, 1)
        return means

    def _transformed(self, values: Floats) -> Floats:
        """Values as they are added to logits: they count for more the more simulations they rest on."""
        max_tries = self._tries.max(axis=1, keepdims=True)
        weighted: Floats = (OFFSET + max_tries) * self._settings.q_scale * values
        return weighted

    # -- results -------------------------------------------------------------------------------------------------------

    def best_actions(self) -> NDArray[np.int64]:
        """The action to play at each root, int64 [n]: the best of those that were tried most."""
        max_tries = self._tries.max(axis=1, keepdims=True)
        score = np.where(self._tries == max_tries, self._base + self._transformed(self._means()), -np.inf)
        actions: NDArray[np.int64] = self._candidates[self._rows, score.argmax(axis=1)]
        return actions

    def visits(self) -> NDArray[np.int64]:
        """How often each action was tried: int64 [n, A]."""
        visits = np.zeros(self._mask.shape, np.int64)
        np.put_along_axis(visits, self._candidates, self._tries, axis=1)
        return visits

    def action_values(self) -> Floats:
        """The mean return of each action for the seat that decides, 0 where not tried: float64 [n, A]."""
        values = np.zeros(self._mask.shape)
        np.put_along_axis(values, self._candidates, self._means(), axis=1)
        return values

    def improved_policy(self) -> Floats:
        """The softmax of the network's logits plus transformed values: float64 [n, A], 0 where illegal."""
        tried = self.visits() > 0
        values = np.where(tried, self.action_values(), self._mixed_value(tried)[:, None])
        return shares(self._own_logits + self._transformed(values), self._mask)

    def _mixed_value(self, tried: NDArray[np.bool_]) -> Floats:
        """The value of each root: its own judgement, and that of the tried actions weighted by the policy: [n]."""
        policy = np.exp(self._own_logits - self._own_logits.max(axis=1, keepdims=True))
        weights = np.where(tried, policy, 0.0)
        total = weights.sum(axis=1)
        mean = (weights * self.action_values()).sum(axis=1) / np.where(total > 0, total, 1.0)
        visits = np.where(total > 0, self._tries.sum(axis=1), 0)
        mixed: Floats = (self._value + visits * mean) / (1 + visits)
        return mixed


def scripted_prior(
    game: Game, roots: NDArray[np.void], components: object, mask: NDArray[np.bool_], share: float
) -> Floats:
    """The prior of a search without a network, [n, A]: `share` for the scripted player's action, the rest is uniform.

    Uniform in a game without a scripted player, and 0 for illegal actions.
    """
    uniform: Floats = mask / mask.sum(axis=1, keepdims=True)
    if not game.scripted or share == 0.0:
        return uniform
    advised = scripted_actions(game, records(roots.copy()), components, mask, game.scripted[0].name)
    prior = (1.0 - share) * uniform
    prior[np.arange(len(mask)), advised] += share
    return prior
