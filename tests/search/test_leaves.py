"""Searches in which several leaves of a tree wait for the network together."""

from __future__ import annotations

import re

import numpy as np
import pytest

import rfop_agents
from rfop_env.agent import act_for
from rfop_agents.search import SearchAgent, SearchSettings
from rfop_agents.search.compiled.simulate import BACK_UP
from rfop_agents.search.forest import Forest, round_size
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError
from rfop_env.registry import get_game
from table_game import ROWS, table_game, tree
from test_response import TEMPTING, Fixed
from test_search import MATCHING, SOMETIMES_OVER, Fake, middle_of_revolution, searched

FOUR = tree((0, [1, 2, 3, 4]), (0, [5, 5, 5]), (0, [5, 5]), (0, [5, 5]), (0, [5, 5]), (0, 0, 0))
LONG = tree(*((0, [row + 1, row + 1]) for row in range(12)), (0, 0, 0))  # nobody comes to its end in a few simulations
VALUES = {1: 0.1, 2: 0.3, 3: -0.2, 4: 0.05}


class Recorded(Forest):
    """A forest that keeps the paths and returns of all simulations, and what waited before each round was backed up."""

    def _run(self, task, times):
        if task == BACK_UP:
            self.record(times)
        super()._run(task, times)

    def record(self, descents):
        waiting = np.zeros_like(self.trees.nodes["waiting"])
        for g in range(len(waiting)):
            for row in range(g * self._rows, g * self._rows + descents):
                path = self._simulation.path[row, : self._simulation.length[row]].copy()
                waiting[g, path] += 1
                self.__dict__.setdefault("simulations", []).append((g, path, self._simulation.returns[row].copy()))
        assert (self.trees.nodes["waiting"] == waiting).all(), (
            "virtual losses are where descents wait, and nowhere else"
        )


@pytest.fixture
def full_rounds(monkeypatch):
    """Rounds of all leaves in small trees, too: every simulation but the first is of a full one."""
    monkeypatch.setattr(
        "rfop_agents.search.forest.round_size", lambda simulations, leaves: leaves if simulations else 1
    )


def grown(components, simulations, network, opponent=None, **settings):
    """The recorded forest of three positions."""
    game = table_game()
    batch = GameBatch(game, 3, 5, components=components)
    search_settings = SearchSettings(simulations=simulations, **settings)
    forest = Recorded(
        game, components, batch.get_state(), np.arange(3), search_settings, simulations, network, opponent=opponent
    )
    forest.simulate(simulations)
    return forest


# -- the trees -------------------------------------------------------------------------------------------------------


GAMES = {"four": FOUR, "long": LONG, "sometimes over": SOMETIMES_OVER, "three seats": TEMPTING}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("leaves", [1, 3, 8])
def test_no_virtual_loss_remains_and_all_sums_are_those_of_the_simulations(game, leaves):
    components = GAMES[game]
    forest = grown(components, 101, Fake(VALUES), leaves=leaves)
    assert not forest.trees.nodes["waiting"].any()
    assert (forest.trees.nodes["visits"][:, 0] == 101).all()

    visits, totals = np.zeros_like(forest.trees.nodes["visits"]), np.zeros_like(forest.trees.totals)
    for g, path, returns in forest.simulations:
        visits[g, path] += 1
        totals[g, path] += returns
    assert (forest.trees.nodes["visits"] == visits).all()
    assert (forest.trees.totals == totals).all()


def test_rounds_grow_with_the_tree_and_the_last_one_has_what_is_left():
    network = Fake({})
    agent, _ = searched(LONG, SearchSettings(simulations=48, leaves=4), network=network)
    assert [len(rows) for rows in network.asked] == [1] * 16 + [2] * 4 + [3, 3, 3] + [4] * 3 + [3]
    assert agent.last.visits.sum() == 47


@pytest.mark.parametrize(("leaves", "sizes"), [(1, [1] * 6), (3, [1, 1, 1, 2, 3, 3]), (64, [1, 1, 1, 2, 3, 64])])
def test_at_most_an_eighth_of_a_tree_waits(leaves, sizes):
    assert [round_size(simulations, leaves) for simulations in (0, 8, 15, 16, 24, 1000)] == sizes


@pytest.mark.parametrize(("virtual_loss", "rows"), [(0.0, [1, 1, 1, 1]), (1000.0, [1, 2, 3, 4])])
def test_a_virtual_loss_keeps_other_descents_away(virtual_loss, rows, full_rounds):
    network = Fake({}, liked=0)
    settings = SearchSettings(simulations=5, leaves=4, prior_weight=0.99, virtual_loss=virtual_loss)
    searched(FOUR, settings, network=network)
    assert sorted(network.asked[1]) == rows


def test_descents_count_as_visits_while_they_wait(full_rounds):
    # With equal priors, and without a loss, the bonus of an action that is being tried is half that of one that is not.
    network = Fake({})
    searched(FOUR, SearchSettings(simulations=5, leaves=4, prior_weight=0.0, virtual_loss=0.0), network=network)
    assert sorted(network.asked[1]) == [1, 2, 3, 4]


def test_descents_to_the_same_leaf_are_all_judged_and_the_first_gives_the_priors(full_rounds):
    class Changing(Fake):
        """It likes the first action of the first position that it is asked about, the second of the next."""

        def evaluate(self, observation, action_mask):
            logits, values = super().evaluate(observation, action_mask)
            logits[np.arange(len(logits)), np.arange(len(logits)) % 3] += 4.0
            return logits, values + np.arange(len(values), dtype=np.float32) / 10

    game, network = table_game(), Changing({})
    batch = GameBatch(game, 1, 5, components=FOUR)
    settings = SearchSettings(leaves=3, virtual_loss=0.0, prior_weight=0.99)
    forest = Forest(game, FOUR, batch.get_state(), np.array([7]), settings, 10, network)
    forest.simulate(4)
    assert network.asked[1].tolist() == [1, 1, 1]
    assert forest.action_statistics()[0][0].tolist() == [3, 0, 0, 0]
    assert forest.trees.totals[0, 1, 0] == pytest.approx(0.0 + 0.1 + 0.2)
    assert forest.trees.priors[0, 1].argmax() == 0


def test_every_descent_of_a_round_has_a_determinization_of_its_own(full_rounds):
    # Seat 2 sees the coin, which the root does not: with some descents it sees heads, with others tails.
    class Watching(Fake):
        coins = ()

        def evaluate(self, observation, action_mask):
            self.coins = (*self.coins, observation[:, ROWS].tolist())
            return super().evaluate(observation, action_mask)

    network = Watching({})
    game = tree((0, [1, 1]), (2, [2, 2]), (0, 0, 0))
    searched(game, SearchSettings(simulations=17, leaves=16, virtual_loss=0.0), network=network)
    assert network.asked[1].tolist() == [1] * 16 and 0 < sum(network.coins[1]) < 16


def test_one_leaf_is_searched_as_ever_whatever_the_virtual_loss():
    without, heavy = (
        searched(FOUR, SearchSettings(simulations=80, virtual_loss=x), network=Fake(VALUES), games=3)[0].last
        for x in (0.0, 9.0)
    )
    assert (without.visits == heavy.visits).all() and (without.values == heavy.values).all()


# -- what it finds ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("leaves", [4, 16])
def test_it_finds_what_one_leaf_at_a_time_finds(leaves):
    settings = SearchSettings(simulations=300, leaves=leaves)
    agent, actions = searched(SOMETIMES_OVER, settings, network=Fake({}))
    assert actions[0] == 0 and agent.last.action_values[0, 0] > 0.35

    sure_loss = tree((0, [1, 2]), (5, 0, 0), (0, [3, 3]), (-5, 0, 0))
    assert searched(sure_loss, settings, network=Fake({2: 0.4}, liked=1))[1][0] == 0


def test_it_does_not_profit_from_what_its_seat_cannot_see():
    settings = SearchSettings(simulations=300, leaves=8)
    _, actions = searched(MATCHING, settings, network=Fake({}), games=10, coins=np.arange(10) % 2)
    assert (actions == 2).all()


class Of:
    """A function as the player of other seats."""

    def __init__(self, agent):
        self.agent = agent

    def __call__(self, observation, action_mask, states):
        return self.agent.act(observation, action_mask, None)


def test_a_best_response_asks_for_the_other_seats_while_leaves_wait():
    # After seat 1's answer seat 0 chooses again; then seat 2 is asked.
    game = tree((0, [1, 7]), (1, [2, 3]), (0, [4, 5]), (-10, 0, 0), (2, [6, 3]), (5, 0, 0), (10, 0, 0), (2, 0, 0))
    for answer, least in ((0, 0.8), (1, 0.3)):
        opponent = Fixed(lambda row, coin, answer=answer: 0 if row == 1 else answer)
        forest = grown(game, 120, Fake({2: 0.6}), Of(opponent), leaves=6)
        assert {row for row, _ in opponent.seen} == {1, 4}
        assert not forest.trees.nodes["waiting"].any() and not forest._simulation.pending.any()
        assert (forest.action_statistics()[1][:, 0, 0] > least).all()


# -- determinism -----------------------------------------------------------------------------------------------------


class Exact:
    """A network whose judgement of a position is the same to the last bit, whatever positions it is asked about."""

    remembers = False
    rewards = {"outcome": 1.0}  # noqa: RUF012

    def evaluate(self, observation, action_mask):
        digits = (observation.astype(np.int64) * np.arange(1, observation.shape[1] + 1)).sum(axis=1)
        logits = (7 * digits[:, None] + 13 * np.arange(action_mask.shape[1])) % 11 / 4.0
        return np.where(action_mask, logits, -1e9), digits % 201 / 100.0 - 1.0


def search_result(batch, games, threads=1, leaves=5, opponent=None, stopped=None):
    """The result of a search of some games of Revolution."""
    settings = SearchSettings(simulations=70, leaves=leaves, rollout_mix=0.5)
    agent = SearchAgent(batch.game, settings, network=Exact(), threads=threads, opponent=opponent)
    agent.stopped = stopped
    act_for(agent, batch, np.arange(games), np.random.default_rng(8))
    return agent.last


def assert_same(result, expected, games=6):
    for name in ("visits", "action_values", "values", "actions"):
        assert (getattr(result, name)[:games] == getattr(expected, name)[:games]).all(), name


@pytest.mark.parametrize("answers", [None, "scripted"])
def test_results_do_not_depend_on_threads_games_beside_stretches_or_questions(answers, monkeypatch):
    batch = middle_of_revolution(6)
    opponent = answers and rfop_agents.load(answers, batch.game)
    six = search_result(batch, 6, opponent=opponent)
    assert (six.visits != search_result(batch, 6, leaves=1, opponent=opponent).visits).any()
    assert_same(six, search_result(batch, 6, threads=3, opponent=opponent))
    assert_same(six, search_result(batch, 6, opponent=opponent, stopped=lambda: False))
    assert_same(six, search_result(batch, 1, opponent=opponent), 1)
    monkeypatch.setattr("rfop_agents.search.agent.MOST_BYTES", 70 * 4 * 370 * 2)  # two trees
    assert_same(six, search_result(batch, 6, opponent=opponent))


def test_a_search_that_is_stopped_ends_between_two_rounds():
    # The round that has the fiftieth simulation ends with the 51st. The first tries no action.
    last = search_result(middle_of_revolution(2), 2, stopped=lambda: True)
    assert (last.visits.sum(axis=1) == 50).all()


# -- settings and names ----------------------------------------------------------------------------------------------


def test_leaves_wait_for_networks_on_the_processor_alone():
    settings = SearchSettings(leaves=8)
    with pytest.raises(RfopError, match="leaves: 1 without a network, for which they would wait, found 8"):
        SearchAgent(table_game(), settings)
    with pytest.raises(RfopError, match="leaves: 1 on a graphics card, where many positions act together, found 8"):
        SearchAgent(table_game(), settings, network=Fake({}), device="cuda")


def test_names_carry_the_leaves():
    game = get_game("Revolution-v0")
    for name, own in (
        ("search-12x8+revolution/ppo-2", "search-12x8+revolution/ppo-2"),
        ("search-2sx4+revolution/ppo-2", "search-2sx4+revolution/ppo-2"),
        ("search-12x1+revolution/ppo-2", "search-12+revolution/ppo-2"),
    ):
        agent = rfop_agents.load(name, game)
        assert agent.name == own
        assert agent.settings.leaves == int(re.search(r"x(\d)", name)[1])
        assert agent.settings.rollout_mix == 0.5  # as without leaves
