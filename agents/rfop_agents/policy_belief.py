"""The belief that follows from a policy of the others: deals are as probable as what they have done in them.

A deal is a numbering of the cards that a seat has not seen (`rfop_env.core.game.Relabelling`). All numberings are
equally probable before anybody acts, so the posterior of one is proportional to the product of the policy's
probabilities over the decisions of the other seats, in the records of the game as they are with these numbers. Chains
of numberings have it as their distribution (Metropolis and Hastings); a proposal exchanges two cards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rfop_agents.belief import Belief
from rfop_agents.network import NetworkAgent, shares
from rfop_agents.symmetric import SymmetricAgent
from rfop_env.agent import Agent, Positions, ScriptedAgent
from rfop_env.compiler import JIT, kernel
from rfop_env.compiler.native_rules import PLAY
from rfop_env.core.decisions import NOBODY, clear_journal
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game, Rules
from rfop_env.core.history import History
from rfop_env.core.kernels import Kernels, scripted_actions
from rfop_env.core.legal_actions import NO_ACTION

FRESH = 4  # so many times the proposals for chains that begin
ROWS = 4096  # decisions that a policy judges at a time
STAGES = (3, 9, 27, 1_000_000)  # so many decisions of a proposal are judged before it is rejected or judged further
TEMPERATURE = 0.5  # of a network that does not sample
IMPOSSIBLE = -60.0  # in place of the logarithm of 0: a chain may begin with an illegal action, and has to leave it
APART = ("learner", "journal", "journal_size")  # fields in which a game differs from its repetition

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class PolicyBelief(Belief):
    """Deals in which a policy would have acted as the other seats have.

    `policy` is that of the others: an agent with `probabilities`, a network, or a scripted player. A network that does
    not sample counts as if it did at `TEMPERATURE`. The share `floor` of every probability is uniform, for others who
    play in another way. `particles`: chains for each game and seat. They go on from one decision of the seat to the
    next, with `proposals` after each turn of the others, and `FRESH` times as many where they begin.

    Where a batch keeps no history every deal is equally probable. Where cards that the seat had seen are hidden again,
    as after a shuffle, only decisions since then count.

    Raises `RfopError` for a game whose hidden cards have no relabelling, and for an agent that gives no probabilities.
    """

    needs_history = True
    most_games = 100

    def __init__(
        self,
        game: Game,
        policy: Agent,
        *,
        particles: int = 32,
        proposals: int = 16,
        floor: float = 0.02,
    ):
        if game.relabelling is None:
            raise RfopError(
                f"belief: {game.id} has no relabelling of hidden cards, so nothing follows from what the others have "
                "done: leave the belief out, and every deal of what is hidden is equally probable"
            )
        if policy.remembers or (policy.needs_positions and not isinstance(policy, ScriptedAgent)):
            raise RfopError(f"belief: {policy.name} gives no probabilities: name a network or a scripted player")
        self._game, self._relabelling = game, game.relabelling
        self._particles, self._proposals = particles, proposals
        self._policy, self._floor = policy, floor
        self._moments = Moments(game)
        self._lines: WeakKeyDictionary[History, dict[int, Line]] = WeakKeyDictionary()

    def sample(self, positions: Positions, copies: int, rng: Generator) -> NDArray[Any]:
        """Samples, structured [copies, n]: copy k is that of chain k, and again from the first one on."""
        history = positions.batch.history
        if history is None:
            return positions.determinize(copies)
        labels = self.labels(positions, history, rng)[:, np.arange(copies) % self._particles]
        records = np.repeat(positions.batch.states[positions.games], copies)
        self._relabelling.relabel(records, labels.reshape(len(records), -1))
        batch = positions.to_batch(records)
        batch.determinize(NOBODY, rng.integers(0, 2**32, len(records)))
        return batch.get_state().reshape(-1, copies).T

    def labels(self, positions: Positions, history: History, rng: Generator) -> Ints:
        """The numbers of all cards in every chain: int64 [n, particles, L]; the true ones are `arange(L)`."""
        states = np.split(positions.batch.states[positions.games], len(positions.games))
        lines = self._lines.setdefault(history, {})
        games = [lines.setdefault(game, Line()) for game in positions.games.tolist()]
        self._moments.catch_up(games, history, positions)

        # The chains of a seat move on once others have acted.
        moving, own = [], []
        for line, state, seed in zip(games, states, rng.integers(2**63, size=len(games)), strict=True):
            seat = int(state["player"][0])
            chains = line.chains.get(seat)
            if chains is None or chains.decisions < len(line.actions):
                line.chains[seat] = self._continued(line, state, seat, chains, np.random.default_rng(seed))
                moving.append(line.chains[seat])
            own.append(line.chains[seat])
        metropolis = _Metropolis(self, moving, positions.components)
        metropolis.complete()
        for k in range(max((chains.proposals for chains in moving), default=0)):
            metropolis.propose([chains for chains in moving if k < chains.proposals])
        return np.stack([chains.labels for chains in own])

    # -- the chains ----------------------------------------------------------------------------------------------------

    def _continued(self, line: Line, state: NDArray[Any], seat: int, old: Chains | None, rng: Generator) -> Chains:
        """The chains of a seat in the position where it stands now: those of before, or new ones."""
        unseen = self._relabelling.unseen
        hidden = unseen(state, seat)[0]
        visible_before = (hidden & ~unseen(line.records, seat)).any(axis=1)
        first = int(np.flatnonzero(visible_before)[-1]) + 1 if visible_before.any() else 0
        moments = first + np.flatnonzero(line.players[first:] != seat)

        # What those who acted had seen of these cards.
        records = line.records[moments]
        visible = np.zeros((len(moments), len(hidden)), np.bool_)
        for player in np.unique(line.players[moments]).tolist():
            rows = line.players[moments] == player
            visible[rows] = hidden & ~unseen(records[rows], player)

        # An order of the cards that does not depend on their numbers: random numbers choose by it.
        places = self._relabelling.places(np.concatenate([line.records[first:], state]))
        order = np.array(sorted(np.flatnonzero(hidden), key=lambda card: places[card].tobytes()), np.int64)

        logs = np.full((self._particles, len(moments)), np.nan)
        if old is None or old.first < first or (hidden & ~old.hidden).any():
            labels, proposals = self._deal(order, len(hidden), rng), FRESH * self._proposals
        else:
            labels, proposals = old.labels.copy(), self._proposals
            for card in np.flatnonzero(old.hidden & ~hidden).tolist():
                show_card(labels, card)
            if old.first == first:
                same = (labels == old.labels).all(axis=1)
                logs[same, : old.logs.shape[1]] = old.logs[same]
                proposals = proposals if np.isnan(logs).any() else 0
        pairs, actions = self._pairs(order, np.asarray(visible.any(axis=0))), line.actions[moments]
        return Chains(len(line.actions), first, hidden, records, actions, visible, pairs, labels, logs, proposals, rng)

    def _pairs(self, order: Ints, visible: Bools) -> list[Ints]:
        """For each kind the pairs of hidden cards that can change places with a difference: others saw the first."""
        pairs = []
        for kind in np.unique(self._relabelling.kinds[order]):
            cards = order[self._relabelling.kinds[order] == kind]
            first, second = np.nonzero(visible[cards][:, None] & ~np.eye(len(cards), dtype=np.bool_))
            if len(first):
                pairs.append(np.stack([cards[first], cards[second]], axis=1))
        return pairs

    def _deal(self, order: Ints, cards: int, rng: Generator) -> Ints:
        """Numberings that are all equally probable: int64 [N, L]."""
        labels = np.tile(np.arange(cards), (self._particles, 1))
        for kind in np.unique(self._relabelling.kinds[order]):
            places = order[self._relabelling.kinds[order] == kind]
            labels[:, places] = rng.permuted(np.tile(np.sort(places), (self._particles, 1)), axis=1)
        return labels

    def action_logs(self, records: NDArray[Any], actions: Ints, labels: Ints, components: Any) -> Floats:
        """The logarithms of the policy's probabilities of actions [m] in records [m] with other numbers, int64 [m, L].

        The records are changed.
        """
        self._relabelling.relabel(records, labels)
        renamed = self._relabelling.relabel_actions(actions, labels)
        observation, mask = self._moments.view(records, components)
        probs = self._probabilities(observation, mask, records, components)
        probs = (1.0 - self._floor) * probs + self._floor * mask / mask.sum(axis=1, keepdims=True)
        rows = np.arange(len(records))
        probability = np.where(mask[rows, renamed], probs[rows, renamed], 0.0)
        logs: Floats = np.log(np.maximum(probability, np.exp(IMPOSSIBLE)))
        return logs

    def _probabilities(
        self, observation: NDArray[np.int8], mask: Bools, records: NDArray[Any], components: Any
    ) -> Floats:
        policy = self._policy
        if isinstance(policy, ScriptedAgent):
            states: Any = records.view(np.recarray)
            return np.eye(mask.shape[1])[scripted_actions(self._game, states, components, mask, policy.name)]
        probs = policy.probabilities(observation, mask)
        if probs is None and isinstance(policy, NetworkAgent | SymmetricAgent):
            return shares(policy.logits(observation, mask).astype(np.float64) / TEMPERATURE, mask)
        if probs is None:
            raise RfopError(f"belief: {policy.name} gives no probabilities: name a network or a scripted player")
        return probs


@dataclass
class Chains:
    """What a seat believes in a game: N chains of numberings, and how well each explains M decisions of the others."""

    decisions: int  # of the game, when the chains were made
    first: int  # the first decision of the game that counts
    hidden: Bools  # [L]: the cards that the seat cannot place
    records: NDArray[Any]  # [M], before these decisions
    actions: Ints  # [M]
    visible: Bools  # [M, L]: the hidden cards that the seat which acted could place
    pairs: list[Ints]  # [K, 2] for each kind: the cards whose numbers a proposal can exchange
    labels: Ints  # [N, L]
    logs: Floats  # [N, M]: the logarithm of each decision's probability; NaN: not computed
    proposals: int  # to come
    rng: Generator


class _Metropolis:
    """Computes how well chains of several games explain what was done, and lets them move."""

    def __init__(self, belief: PolicyBelief, several: Sequence[Chains], components: Any):
        self._belief, self._several, self._components = belief, several, components
        if several:
            self._records = np.concatenate([chains.records for chains in several])
            self._actions = np.concatenate([chains.actions for chains in several])
        ends = np.cumsum([len(chains.actions) for chains in several])
        self._first = {id(chains): int(end) - len(chains.actions) for chains, end in zip(several, ends, strict=True)}

    def complete(self) -> None:
        """Compute what is missing of the logarithms."""
        missing = [np.nonzero(np.isnan(chains.logs)) for chains in self._several]
        if not missing:
            return
        labels = [c.labels[chain] for c, (chain, _) in zip(self._several, missing, strict=True)]
        moments = [self._first[id(c)] + moment for c, (_, moment) in zip(self._several, missing, strict=True)]
        logs = self._logs(np.concatenate(labels), np.concatenate(moments))
        ends = np.cumsum([len(part) for part in moments])
        for chains, places, part in zip(self._several, missing, np.split(logs, ends[:-1]), strict=True):
            chains.logs[places] = part

    def propose(self, several: Sequence[Chains]) -> None:
        """One proposal in every chain: two cards exchange their numbers; who saw neither of them saw the same."""
        proposals = [_Proposals(chains, self._first[id(chains)]) for chains in several if len(chains.pairs)]
        if not proposals:
            return
        ends = np.cumsum([len(p.labels) for p in proposals])
        labels = np.concatenate([p.labels for p in proposals])
        least = np.concatenate([p.least for p in proposals])
        chain = np.concatenate([p.chain + end - len(p.labels) for p, end in zip(proposals, ends, strict=True)])
        moment = np.concatenate([p.moment + p.first for p in proposals])
        rank = np.arange(len(chain)) - np.searchsorted(chain, chain)  # among the decisions of a proposal

        # A few decisions at a time: a proposal is rejected as soon as these are too improbable.
        logs, sums = np.zeros(len(chain)), np.zeros(len(labels))
        low = 0
        for high in STAGES:
            rows = np.flatnonzero((rank >= low) & (rank < high) & (sums[chain] > least[chain]))
            logs[rows] = self._logs(labels[chain[rows]], moment[rows])
            np.add.at(sums, chain[rows], logs[rows])
            low = high
        accepted = sums > least
        for proposal, end in zip(proposals, ends, strict=True):
            part = slice(end - len(proposal.labels), end)
            proposal.accept(accepted[part], logs[(chain >= part.start) & (chain < end)])

    def _logs(self, labels: Ints, moments: Ints) -> Floats:
        """The logarithms of decisions, by their numbers [k] among those of all chains, with numberings [k, L]."""
        logs = np.zeros(len(moments))
        for low in range(0, len(moments), ROWS):
            part = slice(low, low + ROWS)
            records, actions = self._records[moments[part]], self._actions[moments[part]]
            logs[part] = self._belief.action_logs(records, actions, labels[part], self._components)
        return logs


class _Proposals:
    """A proposal for each of the N chains of a game: labels [N, L], and the decisions that it changes, [K]."""

    def __init__(self, chains: Chains, first: int):
        kind, pair, accept = chains.rng.random((3, len(chains.labels)))
        of_kind = [chains.pairs[k] for k in (kind * len(chains.pairs)).astype(np.int64)]
        pairs = np.array([pairs[int(u * len(pairs))] for pairs, u in zip(of_kind, pair, strict=True)])
        rows = np.arange(len(pairs))[:, None]
        self.labels = chains.labels.copy()
        self.labels[rows, pairs] = self.labels[rows, pairs[:, ::-1]]
        changed = chains.visible.T[pairs].any(axis=1)
        self.chain, self.moment = np.nonzero(changed)
        self.least = np.log(accept) + (chains.logs * changed).sum(axis=1)  # that is accepted, of their logarithms
        self.chains, self.first = chains, first

    def accept(self, accepted: Bools, logs: Floats) -> None:
        """Let some chains, bool [N], be as proposed; `logs` [K] are those of the decisions that change."""
        self.chains.labels[accepted] = self.labels[accepted]
        rows = accepted[self.chain]
        self.chains.logs[self.chain[rows], self.moment[rows]] = logs[rows]


def show_card(labels: Ints, card: int) -> None:
    """Let a card have its own number in all numberings, int64 [N, L]; what had it gets the number of the card."""
    holder = (labels == card).argmax(axis=1)
    labels[np.arange(len(labels)), holder] = labels[:, card]
    labels[:, card] = card


# -- what has happened in a game ---------------------------------------------------------------------------------------


def make_view(rules: Rules) -> Callable[..., None]:
    """The loop that takes an action in each record, but for `NO_ACTION`, and shows what is asked then to who decides.

    Its arguments: records [m], the component record [1], actions int64 [m], bool [m, A], int8 [m, D]. Unlike that of a
    batch, it takes no forced decision.
    """
    legal, apply, observe = rules.legal, rules.apply, rules.observe

    def view(states: Any, components: Any, actions: Any, mask: Any, observation: Any) -> None:
        c = components[0]
        for i in range(states.shape[0]):
            s = states[i]
            if actions[i] != NO_ACTION:
                clear_journal(s)
                s.decisions += 1
                apply(s, c, actions[i])
            mask[i, :] = False
            observation[i, :] = 0
            if s.over == 0:
                legal(s, c, mask[i])
                observe(s, c, s.player, observation[i])

    return view


@dataclass
class Line:
    """A game as it was played: the record before each decision, forced ones too, who took it, and what it was."""

    beginning: int = -1  # of the history
    count: int = 0  # decisions of the history
    records: Any = None  # [T]
    players: Ints = field(default_factory=lambda: np.zeros(0, np.int64))  # [T]
    actions: Ints = field(default_factory=lambda: np.zeros(0, np.int64))  # [T]
    now: Any = None  # record [1]
    chains: dict[int, Chains] = field(default_factory=dict)  # of each seat


class Moments:
    """Repeats games from their histories, and shows records to those who decide in them."""

    def __init__(self, game: Game):
        self._game = game
        native = Kernels.of(game).native
        title = f"the beliefs for {game.title}"
        self._view = kernel(
            make_view(native.called), f"{game.rules_name}.view", title=title, before=native.before(PLAY)
        )

    def view(
        self, states: NDArray[Any], components: Any, actions: Ints | None = None
    ) -> tuple[NDArray[np.int8], Bools]:
        """Observations int8 [m, D] and legal actions bool [m, A] in records [m], in which actions [m] are taken first.

        A record whose action is `NO_ACTION` stays as it is, and without `actions` all do.
        """
        m, game = len(states), self._game
        mask, observation = np.zeros((m, game.actions.size), np.bool_), np.zeros((m, game.observation.size), np.int8)
        ids = np.full(m, NO_ACTION, np.int64) if actions is None else actions
        records = states if JIT else states.view(np.recarray)
        self._view(records, components.record, ids, mask, observation)
        return observation, mask

    def catch_up(self, lines: Sequence[Line], history: History, positions: Positions) -> None:
        """Add to each line, of a game of the positions, what has happened since the last time.

        Raises `RfopError` where a game does not stand where its history leads.
        """
        pending = []
        for line, game in zip(lines, positions.games.tolist(), strict=True):
            if line.beginning != history.beginnings[game]:
                vars(line).update(vars(Line(int(history.beginnings[game]))))
                line.now = history.start[game : game + 1].copy()
                line.records = line.now[:0]
            decisions = history.decisions(game)
            pending.append(decisions[line.count :][::-1])
            line.count = len(decisions)

        # One decision of each game at a time: one that is forced by the last, or the next that was asked for.
        states = np.concatenate([line.now for line in lines])
        mask = np.zeros((len(lines), self._game.actions.size), np.bool_)
        steps: list[list[tuple[NDArray[Any], int]]] = [[] for _ in lines]
        while True:
            actions = np.full(len(lines), NO_ACTION, np.int64)
            for k, waiting in enumerate(pending):
                if mask[k].sum() == 1:
                    actions[k] = mask[k].argmax()
                elif waiting:
                    actions[k] = waiting.pop()
            rows = np.flatnonzero(actions != NO_ACTION)
            if not len(rows):
                break
            next_states = states[rows]
            for k, record in zip(rows.tolist(), np.split(next_states.copy(), len(rows)), strict=True):
                steps[k].append((record, int(actions[k])))
            mask[rows] = self.view(next_states, positions.components, actions[rows])[1]
            states[rows] = next_states

        names = [name for name in self._game.state.names or () if name not in APART]
        present = positions.batch.states[positions.games]
        if not all((states[name] == present[name]).all() for name in names):
            raise RfopError("a game does not stand where its history leads: call refresh after writing to its record")
        for line, own_steps, state in zip(lines, steps, np.split(states, len(states)), strict=True):
            line.now = state
            if own_steps:
                records = np.concatenate([record for record, _ in own_steps])
                line.records = np.concatenate([line.records, records])
                line.players = np.concatenate([line.players, records["player"].astype(np.int64)])
                line.actions = np.concatenate([line.actions, [action for _, action in own_steps]])
