"""The belief that follows from a policy of the others: against posteriors that are counted out, and for its secrets."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

import rfop_agents
from rfop_agents.belief import Belief
from rfop_agents.policy_belief import Line, Moments, PolicyBelief
from rfop_env.agent import Agent, Positions, act_for, random_legal
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError
from rfop_env.games.red_flag_over_paris import state
from rfop_env.registry import get_game
from table_game import table_game

GAME = get_game("RedFlagOverParis-v1")
CARDS = GAME.relabelling
FIRST = int(np.flatnonzero(CARDS.kinds)[0])


class Tilted(Agent):
    """Samples by logits that are a fixed linear function of what it sees: of its cards, above all."""

    name = "tilted"

    def __init__(self, strength):
        rng = np.random.default_rng(0)
        self.weights = strength * rng.normal(size=(GAME.observation.size, GAME.actions.size))

    def probabilities(self, observation, action_mask):
        weights = np.exp(np.clip(observation / 4 @ self.weights, -30, 30)) * action_mask
        return weights / weights.sum(axis=1, keepdims=True)

    def act(self, observation, action_mask, rng, positions=None):
        probs = self.probabilities(observation, action_mask)
        return (probs.cumsum(axis=1) > rng.random((len(probs), 1))).argmax(axis=1)


def played(policy, seed, decisions, seat, start=None, actions=None):
    """A game of a policy against itself, until the seat decides after so many decisions; or of given actions."""
    rng = np.random.default_rng(seed)
    batch = GameBatch(GAME, 1, seed)
    if start is not None:
        batch.set_state(start)
    batch.keep_history()
    for action in actions or ():
        batch.step([action])
    while actions is None and (len(batch.history.decisions(0)) < decisions or batch.current_player[0] != seat):
        batch.step(policy.act(batch.observation, batch.action_mask, rng))
    return batch


def line_of(batch):
    line = Line()
    Moments(GAME).catch_up([line], batch.history, Positions(batch, np.arange(1), np.random.default_rng(0)))
    return line


def weights_of(belief, batch, seat, labels):
    """The posterior of numberings [K, L], from all decisions of the other seat, one by one: float64 [K]."""
    line = line_of(batch)
    logs = np.zeros(len(labels))
    for t in np.flatnonzero(line.players != seat):
        records = np.repeat(line.records[t : t + 1], len(labels))
        actions = np.repeat(line.actions[t], len(labels))
        logs += belief.action_logs(records, actions, labels, batch.components)
    weights = np.exp(logs - logs.max())
    return weights / weights.sum()


def beliefs_of(belief, batch, seed=1):
    positions = Positions(batch, np.arange(1), np.random.default_rng(seed))
    return belief.labels(positions, batch.history, np.random.default_rng(seed))[0]


def objectives_alone():
    """The game in which beliefs are about objectives; all other cards are taken to be known."""

    def unseen(states, seat):
        return CARDS.unseen(states, seat) & (CARDS.kinds == 1)

    return replace(GAME, relabelling=replace(CARDS, unseen=unseen))


@pytest.mark.many_games
@pytest.mark.parametrize(("seat", "decisions"), [(0, 9), (1, 12), (0, 40)])
def test_objectives_have_the_posterior_that_all_deals_give(seat, decisions):
    # All ways to number the hidden objectives that the enemy has held; those in the deck count no more than others.
    policy = Tilted(0.8)
    batch = played(policy, 3, decisions, seat)
    belief = PolicyBelief(objectives_alone(), policy, particles=400, proposals=8, floor=0.1)
    hidden = np.flatnonzero(CARDS.unseen(batch.get_state(), seat)[0] & (CARDS.kinds == 1))
    zone = batch.states["objective_zone"][0][hidden - FIRST]
    held = hidden[zone != state.OBJECTIVE_DECK]
    assert 2 <= len(held) <= 4 and (zone == state.CHOSEN_COMMUNE + 1 - seat).sum() == 1
    deals = np.array(list(itertools.permutations(hidden, len(held))))
    labels = np.tile(np.arange(len(CARDS.kinds)), (len(deals), 1))
    labels[:, held] = deals
    rest = np.setdiff1d(hidden, held)
    for row, deal in zip(labels, deals, strict=True):
        row[rest] = np.setdiff1d(hidden, deal)
    weights = weights_of(belief, batch, seat, labels)

    chosen = int(hidden[zone == state.CHOSEN_COMMUNE + 1 - seat][0])
    chains = beliefs_of(belief, batch)
    exact, found = (
        np.bincount(numbers, share, minlength=len(CARDS.kinds))
        for numbers, share in ((labels[:, chosen], weights), (chains[:, chosen], np.full(400, 1 / 400)))
    )
    assert abs(exact - found).sum() / 2 < 0.09 < abs(exact - (exact > 0) / len(hidden)).sum() / 2
    np.testing.assert_allclose(found, exact, atol=0.07)


@pytest.mark.many_games
def test_hands_have_the_posterior_of_very_many_deals():
    # Deals drawn at random, weighted by what the enemy has done: few decisions, so that many of them count.
    policy, seat, n = Tilted(0.5), 1, 8_000
    batch = played(policy, 5, 7, seat)
    belief = PolicyBelief(GAME, policy, particles=500, proposals=12, floor=0.1)
    hidden = CARDS.unseen(batch.get_state(), seat)[0]
    labels, rng = np.tile(np.arange(len(hidden)), (n, 1)), np.random.default_rng(0)
    for kind in (0, 1):
        cards = np.flatnonzero(hidden & (CARDS.kinds == kind))
        labels[:, cards] = rng.permuted(np.tile(cards, (n, 1)), axis=1)
    weights = weights_of(belief, batch, seat, labels)
    assert 1 / (weights**2).sum() > 300

    chains = beliefs_of(belief, batch)
    hand = np.flatnonzero(batch.states["zone"][0] == state.IN_HAND_COMMUNE)
    hand = hand[hidden[hand]]
    assert len(hand) >= 2
    exact = np.array([((labels[:, hand] == card).any(axis=1) * weights).sum() for card in np.flatnonzero(hidden)])
    found = np.array([(chains[:, hand] == card).any(axis=1).mean() for card in np.flatnonzero(hidden)])
    np.testing.assert_allclose(found, exact, atol=0.1)
    assert np.ptp(exact[: (hidden & (CARDS.kinds == 0)).sum()]) > 0.1  # there is something to know


@pytest.mark.many_games
def test_the_belief_is_the_same_in_every_game_that_looks_the_same():
    policy, tested = Tilted(0.8), 0
    for seed, seat in itertools.product(range(3), range(2)):
        batch = played(policy, seed, 15 + 20 * seed, seat)
        line = line_of(batch)
        hidden = CARDS.unseen(batch.get_state(), seat)[0]
        if (hidden & ~CARDS.unseen(line.records, seat)).any():
            continue
        rng = np.random.default_rng(seed)
        labels = np.arange(len(hidden))
        for kind in (0, 1):
            cards = np.flatnonzero(hidden & (CARDS.kinds == kind))
            labels[cards] = rng.permutation(cards)
        start = batch.history.start.copy()
        CARDS.relabel(start, labels[None])
        others = CARDS.relabel_actions(line.actions, np.tile(labels, (len(line.actions), 1)))

        # A decision that had to be asked for may be forced with other cards, and the other way round.
        other, taken = played(policy, seed, 0, seat, start, []), 0
        for action, before in zip(others, line.records["decisions"], strict=True):
            if other.states["decisions"][0] == before:
                other.step([action])
                taken += 1
        assert taken >= len(batch.history.decisions(0)) / 2
        belief = PolicyBelief(GAME, policy, particles=6, proposals=4)

        # The positions that a search gets are the same to the last field that the rules read.
        samples = []
        for game in (batch, other):
            positions = Positions(game, np.arange(1), np.random.default_rng(2))
            samples.append(belief.sample(positions, 8, np.random.default_rng(3)))
        for name in GAME.state.names:
            if name not in ("journal", "journal_size"):
                np.testing.assert_array_equal(samples[0][name], samples[1][name], name)
        tested += 1
    assert tested >= 4


@pytest.mark.many_games
def test_chains_go_on_and_fit_what_the_seat_sees():
    policy, games = Tilted(0.5), 5
    batch, rng = GameBatch(GAME, games, 7), np.random.default_rng(0)
    batch.keep_history()
    belief = PolicyBelief(GAME, policy, particles=3, proposals=2)
    while not batch.states["over"].all():
        running = np.flatnonzero(batch.states["over"] == 0)
        positions = Positions(batch, running, rng)
        samples = belief.sample(positions, 4, rng)
        assert samples.shape == (4, len(running))
        guesses = positions.to_batch(samples[0])
        np.testing.assert_array_equal(guesses.observation, batch.observation[running])
        np.testing.assert_array_equal(guesses.action_mask, batch.action_mask[running])
        assert not guesses.problems(0)
        actions = np.full(games, -1)
        actions[running] = random_legal(batch.action_mask[running], rng)
        batch.step(actions)


def test_a_chain_is_a_deal_of_what_is_hidden():
    policy = Tilted(0.5)
    batch = played(policy, 2, 4, 0)
    chains = beliefs_of(PolicyBelief(GAME, policy, particles=4, proposals=1), batch)
    hidden = CARDS.unseen(batch.get_state(), 0)[0]
    assert (np.sort(chains, axis=1) == np.arange(len(hidden))).all()
    assert (chains[:, ~hidden] == np.flatnonzero(~hidden)).all()
    assert (CARDS.kinds[chains] == CARDS.kinds).all()
    assert len({tuple(row) for row in chains}) == 4


def test_without_a_history_every_deal_is_equally_probable():
    batch, rng = GameBatch(GAME, 2, 3), np.random.default_rng(0)
    belief = PolicyBelief(GAME, Tilted(0.5), particles=4)
    samples = belief.sample(Positions(batch, np.arange(2), rng), 5, rng)
    expected = Positions(batch, np.arange(2), np.random.default_rng(0)).determinize(5)
    np.testing.assert_array_equal(samples, expected)


def test_a_record_that_was_written_to_is_refused():
    batch = played(Tilted(0.5), 2, 3, 0)
    batch.states["plays"] += 1
    with pytest.raises(RfopError, match="does not stand where its history leads: call refresh"):
        beliefs_of(PolicyBelief(GAME, Tilted(0.5)), batch)
    batch.refresh()
    assert len(beliefs_of(PolicyBelief(GAME, Tilted(0.5), particles=2), batch)) == 2


class Silent(Agent):
    """Says nothing of its probabilities."""

    name = "silent"

    def act(self, observation, action_mask, rng, positions=None):
        return action_mask.argmax(axis=1)


def test_what_no_belief_follows_from():
    with pytest.raises(RfopError, match="Table-v0 has no relabelling of hidden cards"):
        PolicyBelief(table_game(), Tilted(1))
    with pytest.raises(RfopError, match="search-400 gives no probabilities"):
        PolicyBelief(GAME, rfop_agents.load("search-400", GAME))
    batch = played(Tilted(0.5), 2, 4, 0)
    with pytest.raises(RfopError, match="silent gives no probabilities"):
        beliefs_of(PolicyBelief(GAME, Silent()), batch)


def test_names_ask_for_it():
    for name in (
        "search-8-belief+red-flag/ppo-3",
        "gumbel-8-belief+red-flag/ppo-3",
        "search-8x2-belief+red-flag/ppo-3",
        "response-8-belief:red-flag/ppo-3",
        "response-8-belief+red-flag/ppo-3:solo-opponent",
        "rollout-4x2-belief+red-flag/ppo-3",
        "rollout-4-belief+red-flag/ppo-3:random",
    ):
        agent = rfop_agents.load(name, GAME)
        assert agent.name == name and agent.needs_history and agent.most_games
    assert not rfop_agents.load("search-8+red-flag/ppo-3", GAME).needs_history
    with pytest.raises(RfopError, match="has no relabelling"):
        rfop_agents.load("search-8-belief+revolution/ppo-2", get_game("Revolution-v0"))


@pytest.mark.many_games
@pytest.mark.parametrize("kind", ["search-8-belief+red-flag/ppo-3", "response-6-belief+red-flag/ppo-3:solo-opponent"])
def test_an_agent_that_has_it_starts_a_history_at_its_first_decision(kind):
    agent, rng = rfop_agents.load(kind, GAME), np.random.default_rng(0)
    batch = GameBatch(GAME, 2, 3)
    for _ in range(6):
        batch.step(act_for(agent, batch, np.arange(2), rng))
    assert batch.history is not None and len(batch.history.decisions(1)) == 6
    assert isinstance(agent._belief, Belief)
