"""The search on games small enough to know the answer, and on Revolution."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import numpy as np
import pytest

import rfop_agents
from rfop_env.agent import act_for
from rfop_agents.network import MODEL, write_network
from rfop_agents.network import game_metadata
from rfop_agents.search import PLAIN, SearchAgent, SearchSettings
from rfop_agents.search.compiled.tree import NO_NODE
from rfop_agents.search.forest import Forest
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import InternalFault, RfopError, UnknownName
from rfop_env.registry import get_game
from table_game import table_game, tree
from rfop_training.evaluation.rows import pair
from rfop_training.networks import DenseNetwork

RANDOM = replace(PLAIN, simulations=300)


def searched(components, settings=RANDOM, *, games=1, network=None, threads=1, coins=None, scripted=False, seed=3):
    """Search the first row of a table: the agent, and its actions."""
    batch = GameBatch(table_game(scripted), games, 5, components=components)
    if coins is not None:
        batch.states["coin"] = coins
        batch.states["key"] += np.reshape(coins, (-1, 1))  # what is to come differs as well
    agent = SearchAgent(table_game(scripted), settings, network=network, threads=threads)
    states = batch.get_state().tobytes()
    actions = act_for(agent, batch, np.arange(games), np.random.default_rng(seed))
    assert batch.get_state().tobytes() == states, "a search left its traces in the game"
    return agent, actions


# -- what it finds ---------------------------------------------------------------------------------------------------


def test_it_finds_the_win_behind_a_move_that_looks_bad_at_random():
    # Left pays 2 tenths at once; right loses on two of its three answers, and wins on the third, which is one's own.
    game = tree((0, [1, 2]), (2, 0, 0), (0, [3, 3, 4]), (-10, 0, 0), (10, 0, 0))
    agent, actions = searched(game)
    assert actions[0] == 1
    assert agent.last.action_values[0, 1] > 0.5


def test_every_seat_maximises_its_own_entry():
    # For seat 0 the right branch holds the best end, but seat 1 will not go there, nor seat 2 after it.
    game = tree((0, [1, 2]), (3, 1, 1), (1, [3, 4]), (10, -5, 0), (2, [5, 6]), (-10, 4, 9), (8, 9, -9))
    settings = replace(PLAIN, simulations=2000, c_puct=1.0)
    agent, actions = searched(game, settings)
    assert actions[0] == 0
    right = agent.last.action_values[0, 1]
    assert right < -0.5  # towards row 5, which 1 and 2 choose; the mean of the ends is above 0.4
    assert agent.last.values[0] == pytest.approx([0.3, 0.1, 0.1], abs=0.15)


def test_chance_counts_by_its_mean_and_not_by_its_best_case():
    safe_is_better = tree((0, [1, 2]), (2, 0, 0), ("roll", [3, 4]), (10, 0, 0), (-10, 0, 0))
    risk_is_better = tree((0, [1, 2]), (2, 0, 0), ("roll", [3, 3, 4]), (10, 0, 0), (-10, 0, 0))
    for components, best, mean in ((safe_is_better, 0, 0.0), (risk_is_better, 1, 1 / 3)):
        agent, actions = searched(components, replace(PLAIN, simulations=3000))
        assert actions[0] == best
        assert agent.last.action_values[0, 1] == pytest.approx(mean, abs=0.15)


MATCHING = tree((0, [(1, 2), (2, 1), 3]), (10, 0, 0), (-10, 0, 0), (3, 0, 0))


def test_it_does_not_profit_from_what_its_seat_cannot_see():
    coins = np.arange(40) % 2
    agent, actions = searched(MATCHING, games=40, coins=coins)
    assert (actions == 2).all()  # whoever saw the coin would call it
    assert abs(agent.last.action_values[:, :2].mean()) < 0.2


def test_positions_that_a_seat_cannot_tell_apart_are_searched_alike():
    heads, tails = (searched(MATCHING, games=3, coins=coin)[0].last for coin in (0, 1))
    assert (heads.visits == tails.visits).all() and (heads.values == tails.values).all()


def test_the_seat_that_sees_the_coin_uses_it():
    game = tree((2, [(1, 2), (2, 1), 3]), (0, 0, 10), (0, 0, -10), (0, 0, 3))
    assert searched(game, coins=0)[1][0] == 0
    assert searched(game, coins=1)[1][0] == 1


def test_actions_that_only_some_determinizations_allow_are_tried_only_there():
    # Seat 2 may punish with heads alone: half of the time left costs 10 tenths, otherwise it gives 4.
    game = tree((0, [1, 2]), (2, [(3, None), 4, 4]), (0, 0, 0), (-10, 0, 10), (4, 0, 0))
    agent, actions = searched(game, replace(PLAIN, simulations=2000))
    assert actions[0] == 1
    assert agent.last.action_values[0, 0] == pytest.approx(-0.3, abs=0.12)


def test_a_forced_decision_is_no_node():
    game = tree((0, [1, 4]), (1, [2]), (2, [3]), (0, [4, 5]), (0, 0, 0), (5, 0, 0))
    forest = grown(game, simulations=50)
    nodes = (forest.trees.nodes["visits"][0] > 0).sum()
    assert nodes == 5  # the root, its two actions, the two of row 3; none for the single actions on the way


def grown(components, simulations):
    batch = GameBatch(table_game(), 1, 5, components=components)
    forest = Forest(table_game(), components, batch.get_state(), np.array([7]), RANDOM, nodes=simulations)
    forest.simulate(simulations)
    return forest


def test_visits_and_values_add_up():
    game = tree((0, [1, 2, 3]), (1, 2, 3), (4, 5, 6), (7, 8, 9))
    agent, _ = searched(game, games=2)
    last = agent.last
    assert (last.visits.sum(axis=1) == 299).all()  # the first simulation tries no action
    assert last.action_values[0] == pytest.approx([0.1, 0.4, 0.7, 0.0])
    # The first simulation went down one of the three, too.
    sums = 300 * last.values[0, 0] - (last.visits[0] * last.action_values[0]).sum()
    assert min(abs(sums - x) for x in (0.1, 0.4, 0.7)) < 1e-9


# -- the scripted player ---------------------------------------------------------------------------------------------


def test_a_prior_for_the_advice_leads_the_search_and_results_overrule_it():
    equal = tree((0, [1, 1, 1, 1]), (0, 0, 0))
    settings = SearchSettings(simulations=100, prior_weight=0.9)
    agent, actions = searched(equal, settings, scripted=True)
    assert actions[0] == 0 and agent.last.visits[0, 0] > 80
    bad_advice = tree((0, [1, 2]), (-5, 0, 0), (5, 0, 0))
    assert searched(bad_advice, settings, scripted=True)[1][0] == 1


def test_first_play_urgency_keeps_to_what_was_tried():
    game = tree((0, [1, 2, 3, 4]), (1, 0, 0), (1, 0, 0), (1, 0, 0), (-9, 0, 0))
    bold, careful = (
        searched(game, replace(PLAIN, simulations=40, fpu_reduction=x))[0].last.visits[0] for x in (0.0, 9.0)
    )
    assert (bold > 0).sum() == 4 and (careful > 0).sum() < 4


def test_scripted_rollouts_follow_the_script():
    # From row 1 on the script takes the first action: its end is all that rollouts of one simulation more can see.
    game = tree((0, [1, 4]), (1, [2, 3]), (-6, 0, 0), (6, 0, 0), (0, 0, 0))
    settings = {"simulations": 2, "prior_weight": 0.0}
    for seed in range(8):
        agent, _ = searched(game, SearchSettings(**settings, rollouts="scripted"), scripted=True, seed=seed)
        assert agent.last.action_values[0, 0] == pytest.approx(-0.6) or agent.last.visits[0, 1] == 1
    values = {
        searched(game, SearchSettings(**settings, rollouts="random"), scripted=True, seed=seed)[0].last.values[0, 0]
        for seed in range(30)
    }
    assert max(values) > 0.2


# -- networks --------------------------------------------------------------------------------------------------------


class Fake:
    """A network that likes one action, and values rows by a table."""

    remembers = False
    rewards = {"outcome": 1.0}  # noqa: RUF012

    def __init__(self, values, liked=None, all_seats=False):
        self.values, self.liked, self.all_seats, self.asked = values, liked, all_seats, []

    def evaluate(self, observation, action_mask):
        rows = observation[:, :40].argmax(axis=1)
        self.asked.append(rows)
        logits = np.where(action_mask, 0.0, -1e9)
        if self.liked is not None:
            logits[:, self.liked] += np.where(action_mask[:, self.liked], 4.0, 0.0)
        values = np.array([self.values.get(int(row), 0.0) for row in rows], np.float32)
        return logits, np.stack([values, -values, 0 * values], axis=1) if self.all_seats else values

    def logits(self, observation, action_mask):
        return self.evaluate(observation, action_mask)[0]


DEEP = tree((0, [1, 2]), (1, [3, 4]), (1, [3, 4]), (0, 0, 0), (1, 0, 0))


@pytest.mark.parametrize(("all_seats", "value", "for_seat_0"), [(True, 0.8, 0.8), (False, -0.8, 0.4)])
def test_a_networks_value_ends_the_simulations(all_seats, value, for_seat_0):
    # Of every seat; or of seat 1 alone, who decides in rows 1 and 2, and whose loss the two others share.
    network = Fake({1: value, 2: value}, all_seats=all_seats)
    agent, _ = searched(DEEP, SearchSettings(simulations=2), network=network)
    assert [len(rows) for rows in network.asked] == [1, 1]
    assert agent.last.action_values[0].max() == pytest.approx(for_seat_0)
    assert agent.last.action_values[0].min() == 0.0  # not tried


@pytest.mark.parametrize(("rewards", "value"), [({"outcome": 1.0}, 0.8), ({"outcome": 0.5}, 0.6), ({}, 0.8)])
def test_what_was_paid_so_far_counts_besides_what_a_network_expects(rewards, value):
    game = tree((0, [1, 2]), (0, [3, 3]), (0, [3, 3]), (0, 0, 0))
    game.record[0].tenths[1] = 4, 0, 0  # already won on the left; the network sees the same to come on both sides
    for liked, expected in ((0, value), (1, 0.4)):
        network = Fake({1: 0.4, 2: 0.4}, liked)
        network.rewards = rewards
        agent, _ = searched(game, SearchSettings(simulations=2), network=network)
        assert agent.last.action_values[0, liked] == pytest.approx(expected)


@pytest.mark.parametrize(("share", "expected"), [(0.0, 0.5), (0.25, 0.325), (1.0, -0.2)])
def test_a_leafs_value_is_the_networks_and_that_of_playing_on(share, expected):
    game = tree((0, [1, 2]), (0, [3, 3]), (0, [3, 3]), (-2, 0, 0))
    game.record[0].tenths[1] = 1, 0, 0  # paid on the way, and lost again at the end
    network = Fake({1: 0.4}, liked=0)
    agent, _ = searched(game, SearchSettings(simulations=2, rollout_mix=share, rollouts="random"), network=network)
    assert agent.last.action_values[0, 0] == pytest.approx(expected)
    assert [len(rows) for rows in network.asked] == [1, 1]


def test_returns_are_made_of_the_reward_kinds_that_are_asked_for():
    game = get_game("Revolution-v0")
    assert SearchSettings().weights(game) == {"outcome": 0.5, "margin": 0.5}
    assert SearchSettings(points=0.2).weights(game, {"margin": 1.0}) == {"outcome": 0.8, "margin": 0.2}
    assert SearchSettings().weights(game, {"margin": 1.0}) == {"margin": 1.0}
    assert SearchSettings().weights(game, {}) == {"outcome": 1.0}
    assert SearchSettings().weights(table_game()) == {"outcome": 1.0}


def test_a_network_is_followed_more_closely_than_a_uniform_prior():
    assert (SearchSettings().c_puct_for(True), SearchSettings().c_puct_for(False)) == (1.0, 2.0)
    assert SearchSettings(c_puct=0.0).c_puct_for(True) == SearchSettings(c_puct=0.0).c_puct_for(False) == 0.0
    flat = tree((0, [1, 2, 3]), (0, [4, 4]), (0, [4, 4]), (0, [4, 4]), (0, 0, 0))
    network = Fake({1: 0.3, 2: -0.3, 3: -0.3})
    visits = [
        searched(flat, SearchSettings(simulations=60, c_puct=e), network=network)[0].last.visits[0, 0]
        for e in (None, 8.0)
    ]
    assert visits[0] > visits[1]


def test_a_networks_prior_leads_the_search():
    equal = tree((0, [1, 2, 3]), (0, [4, 4]), (0, [4, 4]), (0, [4, 4]), (0, 0, 0))
    for liked in range(3):
        agent, actions = searched(
            equal, SearchSettings(simulations=40, prior_weight=0.99), network=Fake({}, liked), games=3
        )
        assert (actions == liked).all() and (agent.last.visits[:, liked] > 30).all()


def test_the_share_of_the_prior_that_is_not_the_networks_is_equal_for_all():
    equal = tree((0, [1, 2, 3]), (0, [4, 4]), (0, [4, 4]), (0, [4, 4]), (0, 0, 0))
    visits = [
        searched(equal, SearchSettings(simulations=90, prior_weight=prior_weight), network=Fake({}, liked=2))[
            0
        ].last.visits[0]
        for prior_weight in (0.0, 0.5, 0.999)
    ]
    assert np.ptp(visits[0][:3]) <= 1 and visits[1].argmax() == 2 and visits[1][:2].min() > 10
    assert visits[2][2] > visits[1][2] and visits[2][:2].max() < 3


def test_a_network_does_not_overrule_the_end_of_the_game():
    game = tree((0, [1, 2]), (5, 0, 0), (0, [3, 3]), (-5, 0, 0))
    assert searched(game, SearchSettings(simulations=200), network=Fake({2: 0.4}, liked=1))[1][0] == 0


def guided(components, network, simulations, **settings):
    """A forest of six trees, with chances of their own, grown with a network."""
    search_settings = SearchSettings(simulations=simulations, **settings)
    batch = GameBatch(table_game(), 6, 5, components=components)
    forest = Forest(table_game(), components, batch.get_state(), np.arange(6), search_settings, simulations, network)
    forest.simulate(simulations)
    return forest


# Left ends the game with heads; with tails seat 0 chooses again, between the best end and the worst.
SOMETIMES_OVER = tree((0, [(1, 2), 5]), (0, 0, 0), (0, [3, 4]), (10, 0, 0), (-10, 0, 0), (-10, 0, 0))


@pytest.mark.parametrize("seed", range(6))  # with some of them heads comes first
def test_a_node_where_the_game_ended_at_first_is_judged_when_a_determinization_goes_on_from_it(seed):
    network = Fake({})
    agent, actions = searched(SOMETIMES_OVER, SearchSettings(simulations=300), network=network, seed=seed)
    assert actions[0] == 0
    assert agent.last.action_values[0, 0] > 0.35  # 0 with heads, towards 1 with tails; at random it would be 0
    assert 2 in np.concatenate(network.asked)
    assert np.concatenate(network.asked).tolist().count(2) == 1  # its priors are kept


def assert_sound(forest):
    """Every node that has chosen had priors, and all sums are numbers."""
    parents = (forest.trees.nodes["visits"] > 0) & (forest.trees.nodes["child"] != NO_NODE)
    assert (forest.trees.priors[parents] > 0).all()
    visits, values = forest.action_statistics()
    assert all(np.isfinite(array).all() for array in (forest.trees.totals, forest.root_values(), values))
    assert (visits.sum(axis=1) <= forest.trees.nodes["visits"][:, 0]).all()
    return parents


def test_every_node_that_chooses_has_priors_and_all_sums_are_finite():
    assert (assert_sound(guided(SOMETIMES_OVER, Fake({}), 100)).sum(axis=1) == 2).all()


@pytest.mark.slow
def test_every_node_that_chooses_has_priors_near_the_end_of_a_game_with_chance():
    game = get_game("LeveeEnMasse-v0")
    batch = GameBatch(game, 16, 1)
    roots = states = batch.get_state()
    while not batch.states["over"].all():  # to the last decision but one of each game
        running = batch.states["over"] == 0
        roots[running], states = states[running], batch.get_state()
        batch.step_random(1)
    network = rfop_agents.load("levee/ppo-1", game)
    forest = Forest(game, batch.components, roots, np.arange(16), SearchSettings(), 200, network)
    forest.simulate(200)
    assert_sound(forest)


def test_a_determinization_may_make_legal_what_the_network_was_not_asked_about():
    # With heads seat 2 has the first two actions, with tails the last two: the priors are of the first determinization.
    game = tree((0, [1, 2]), (2, [(3, None), 4, (None, 5)]), (0, 0, 0), (-10, 0, 10), (4, 0, 0), (6, 0, 5))
    for prior_weight in (0.0, 0.5, 1.0 - 2**-53):
        assert_sound(guided(game, Fake({}, liked=1), 200, prior_weight=prior_weight))


@pytest.mark.parametrize("kind", ["plain", "scripted", "guided"])
def test_returns_that_are_all_equal_are_searched(kind):
    equal = tree((0, [1, 1, 1, 1]), (0, 0, 0))
    network = Fake({1: 0.0}) if kind == "guided" else None
    agent, _ = searched(equal, SearchSettings(simulations=50), network=network, scripted=kind == "scripted")
    assert agent.last.visits.sum() == 49 and (agent.last.action_values == 0).all()


@pytest.mark.parametrize(("logit", "value"), [(np.nan, 0.0), (np.inf, 0.0), (0.0, np.nan), (0.0, -np.inf)])
def test_a_network_that_gives_no_numbers_is_refused(logit, value):
    class Broken(Fake):
        def evaluate(self, observation, action_mask):
            logits, values = super().evaluate(observation, action_mask)
            return logits + logit, values + np.float32(value)

    with pytest.raises(RfopError, match="the network gave values that are no finite numbers"):
        searched(DEEP, SearchSettings(simulations=5), network=Broken({}))


def test_networks_with_a_memory_are_refused():
    network = Fake({})
    network.remembers = True
    with pytest.raises(RfopError, match="memory"):
        SearchAgent(table_game(), network=network)


# -- budgets, faults, determinism, names -----------------------------------------------------------------------------


def test_rules_that_offer_nothing_are_a_fault():
    with pytest.raises(InternalFault, match="Table-v0"):
        searched(tree((0, [1, 2]), (1, []), (0, 0, 0)))


REVOLUTION = SearchSettings(simulations=24)


def middle_of_revolution(games):
    batch = GameBatch(get_game("Revolution-v0"), games, 1)
    batch.step_random(12)
    return batch


def revolution_visits(batch, games, threads=1):
    agent = SearchAgent(batch.game, REVOLUTION, threads=threads)
    act_for(agent, batch, np.arange(games), np.random.default_rng(8))
    return agent.last


def test_results_do_not_depend_on_threads_or_on_the_games_beside():
    batch = middle_of_revolution(6)
    single, pair, triple = (revolution_visits(batch, 6, threads) for threads in (1, 2, 3))
    assert (single.visits == pair.visits).all() and (single.visits == triple.visits).all()
    assert (single.values == pair.values).all()
    fewer = revolution_visits(middle_of_revolution(2), 2)
    assert (fewer.visits == single.visits[:2]).all()


def test_many_positions_are_searched_in_stretches_with_the_same_result(monkeypatch):
    batch = middle_of_revolution(5)
    expected = revolution_visits(batch, 5)
    monkeypatch.setattr("rfop_agents.search.agent.MOST_BYTES", 2 * 24 * 4 * 10)  # two trees
    assert (revolution_visits(batch, 5).visits == expected.visits).all()


def test_a_budget_of_seconds_is_kept():
    batch = middle_of_revolution(2)
    agent = SearchAgent(batch.game, SearchSettings(seconds=0.2, nodes=50))
    revolution_visits(batch, 2)  # compiled before the clock runs
    start = time.perf_counter()
    act_for(agent, batch, np.arange(2), np.random.default_rng(0))
    assert 0.36 < time.perf_counter() - start < 0.8
    assert agent.last.visits.sum() > 2 * 50  # a full tree goes on counting
    assert agent.name == "search-0.2s"


def test_a_winning_placement_is_found():
    # Play games to the end, keep the last decision of each that the mover won: there a win in one exists.
    game = get_game("Revolution-v0")
    batch = GameBatch(game, 32, 3)
    wins = 0
    rng = np.random.default_rng(1)
    while not batch.states["over"].all() and wins < 6:
        earlier = batch.clone()
        actions = np.where(batch.action_mask, rng.random(batch.action_mask.shape), -1.0).argmax(axis=1)
        batch.step(np.where(earlier.states["over"] == 1, -1, actions))
        won = np.flatnonzero(batch.terminated & (batch.rewards[np.arange(32), earlier.current_player] == 1))
        for i in won:
            single = GameBatch(game, 1, 0)
            single.put_record(0, earlier.get_record(int(i)))
            agent = SearchAgent(game, SearchSettings(simulations=300, points=0.0, rollouts="random"))
            actions = act_for(agent, single, np.arange(1), rng)
            single.step(actions)
            wins += 1
            seat = int(earlier.current_player[i])
            assert single.terminated[0] and single.rewards[0, seat] == 1, "a win in one was passed over"
    assert wins >= 6


def test_more_simulations_play_better():
    game = get_game("Revolution-v0")
    strong, weak = (SearchAgent(game, replace(PLAIN, simulations=n)) for n in (200, 20))
    assert pair(game, strong, weak, range(8))[-1].win_rate > 0.75
    assert pair(game, weak, rfop_agents.load("random", game), range(8))[-1].win_rate > 0.75


def test_names_carry_the_budget():
    game = get_game("Revolution-v0")
    for name, simulations, rollouts in (("search-400", 400, "scripted"), ("search-32-random", 32, "random")):
        agent = rfop_agents.load(name, game)
        assert agent.name == name
        assert (agent.settings.simulations, agent.settings.rollouts) == (simulations, rollouts)
    assert (
        rfop_agents.load("search-7", get_game("LeveeEnMasse-v0")).settings.prior_weight == 0.9
    )  # a game's own settings
    timed = rfop_agents.load("search-1.5s", game)
    assert timed.name == "search-1.5s" and timed.settings.seconds == 1.5
    assert "search-400" in rfop_agents.names(game)
    with pytest.raises(UnknownName, match="search-400"):
        rfop_agents.load("search-many", game)


def test_a_search_can_be_guided_by_a_network_of_a_file(tmp_path):
    game = get_game("Revolution-v0")
    metadata = game_metadata(game, game.load_components(None)) | {"rewards": {"outcome": 0.5, "margin": 0.5}}
    write_network(tmp_path / MODEL, DenseNetwork(game, 16, 1).to_arrays(), metadata)
    agent = rfop_agents.load(f"search-8+{tmp_path}", game)
    assert re.fullmatch(rf"search-8\+{tmp_path.name}#[0-9a-f]{{6}}", agent.name)
    assert pair(game, agent, rfop_agents.load("random", game), range(2))[-1].games == 4
    with pytest.raises(UnknownName, match="agent"):
        rfop_agents.load("search-8+nobody", game)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"simulations": 1}, "simulations: from 2 to 1,000,000, found 1"),
        ({"simulations": 10**9}, "simulations: from 2 to 1,000,000"),
        ({"simulations": 4.5}, "simulations: a whole number, found 4.5"),
        ({"simulations": None}, "simulations: a whole number, found None"),
        ({"simulations": True}, "simulations: a whole number, found True"),
        ({"seconds": 0.0}, "seconds: above 0"),
        ({"seconds": float("nan")}, "seconds: from 0 to 86,400, found nan"),
        ({"seconds": float("inf")}, "seconds: from 0 to 86,400, found inf"),
        ({"c_puct": -1.0}, "c_puct: from 0 to 1,000, found -1.0"),
        ({"c_puct": float("nan")}, "c_puct"),
        ({"c_puct": "2"}, "c_puct: a number, found '2'"),
        ({"fpu_reduction": -0.1}, "fpu_reduction"),
        ({"fpu_reduction": float("inf")}, "fpu_reduction"),
        ({"prior_weight": 1.0}, "prior_weight: below 1"),
        ({"prior_weight": float("nan")}, "prior_weight: from 0 to 1, found nan"),
        ({"points": 1.5}, "points: from 0 to 1"),
        ({"rollout_mix": 1.5}, "rollout_mix: from 0 to 1"),
        ({"rollouts": "greedy"}, "rollouts: one of scripted, random"),
        ({"nodes": 1}, "nodes"),
    ],
)
def test_wrong_settings_say_what_is_right(settings, message):
    with pytest.raises(RfopError, match=message):
        SearchSettings(**settings)
