"""Root selection by Gumbel noise and sequential halving, on games small enough to know the answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import rfop_agents
from rfop_env.agent import act_for
from rfop_agents.search import PLAIN, SearchAgent, SearchSettings
from rfop_agents.search.gumbel import OFFSET, scripted_prior, visit_schedule
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError
from rfop_env.registry import get_game
from table_game import table_game, tree
from test_search import MATCHING, Fake, searched

RANDOM = replace(PLAIN, simulations=300, root="gumbel")
GUIDED = SearchSettings(simulations=5, root="gumbel", prior_weight=0.99)  # four actions, each tried once
FOUR = tree((0, [1, 2, 3, 4]), (0, [5, 5]), (0, [5, 5]), (0, [5, 5]), (0, [5, 5]), (0, 0, 0))


# -- the schedule ----------------------------------------------------------------------------------------------------


def test_the_schedule_halves_the_actions_and_shares_out_the_simulations():
    assert visit_schedule(4, 8) == (0, 0, 0, 0, 1, 1, 2, 2)
    assert visit_schedule(4, 16) == (0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5)
    assert visit_schedule(2, 5) == (0, 0, 1, 1, 2)
    assert visit_schedule(1, 3) == (0, 1, 2)
    assert visit_schedule(8, 5) == (0,) * 5


@pytest.mark.parametrize("considered", [1, 2, 3, 5, 8, 16, 33])
@pytest.mark.parametrize("simulations", [0, 1, 2, 7, 16, 100, 999])
def test_every_budget_has_a_schedule_that_can_be_followed(considered, simulations):
    schedule = visit_schedule(considered, simulations)
    visits = [0] * considered
    for count in schedule:
        assert count in visits
        visits[visits.index(count)] += 1
    assert len(schedule) == sum(visits) == simulations


@pytest.mark.parametrize("simulations", [2, 3, 5, 16, 64])
def test_all_simulations_but_the_first_try_an_action(simulations):
    agent, _ = searched(FOUR, replace(GUIDED, simulations=simulations), network=Fake({}), games=3)
    assert (agent.last.visits.sum(axis=1) == simulations - 1).all()


def test_one_call_of_the_network_judges_the_leaves_of_all_positions():
    network = Fake({})
    searched(FOUR, GUIDED, network=network, games=7)
    assert [len(rows) for rows in network.asked] == [7] * len(network.asked) and len(network.asked) == 5


# -- what it finds ---------------------------------------------------------------------------------------------------


def test_it_finds_the_win_behind_a_move_that_looks_bad_at_random():
    game = tree((0, [1, 2]), (2, 0, 0), (0, [3, 3, 4]), (-10, 0, 0), (10, 0, 0))
    agent, actions = searched(game, RANDOM)
    assert actions[0] == 1 and agent.last.policy[0].argmax() == 1
    assert agent.last.action_values[0, 1] > 0.5


def test_it_does_not_profit_from_what_its_seat_cannot_see():
    _, actions = searched(MATCHING, RANDOM, games=10, coins=np.arange(10) % 2)
    assert (actions == 2).all()
    settings = replace(RANDOM, simulations=30)
    heads, tails = (searched(MATCHING, settings, games=3, coins=coin)[0].last for coin in (0, 1))
    assert (heads.policy == tails.policy).all() and (heads.values == tails.values).all()


def test_a_better_action_wins_over_the_prior():
    network = Fake({1: 0.2, 2: -0.4, 3: -0.4, 4: -0.4}, liked=3)
    agent, actions = searched(FOUR, GUIDED, network=network, games=3)
    prior = np.exp([0, 0, 0, 4.0])
    assert (actions == 0).all()
    assert (agent.last.policy[:, 0] > 10 * prior[0] / prior.sum()).all()


def test_equal_actions_meet_the_same_draws():
    game = tree((0, [1, 1]), ("roll", [2, 3]), (10, 0, 0), (-10, 0, 0))
    even = replace(RANDOM, simulations=301)  # 150 of each action
    values = searched(game, even, games=5)[0].last.action_values[:, :2]
    assert (values[:, 0] == values[:, 1]).all() and len(np.unique(values[:, 0])) > 1
    apart = searched(game, replace(even, root="puct"), games=5)[0].last.action_values[:, :2]
    assert (apart[:, 0] != apart[:, 1]).any()


# -- the improved policy ---------------------------------------------------------------------------------------------


def test_the_improved_policy_is_the_softmax_of_logits_and_completed_values():
    values = {0: 0.1, 1: 0.3, 2: -0.2, 3: 0.0, 4: 0.5}
    settings = replace(GUIDED, simulations=3, considered=2, prior_weight=0.5, q_scale=0.02)
    agent, actions = searched(FOUR, settings, network=Fake(values, liked=1))
    likes = np.exp([0.0, 4.0, 0.0, 0.0])
    prior = likes / likes.sum()  # without the uniform half that the search adds to it

    # Two actions are tried once: the one that the network likes, and the first of the others.
    assert agent.last.visits[0, :4].tolist() == [1, 1, 0, 0]
    mean = (prior[0] * values[1] + prior[1] * values[2]) / (prior[0] + prior[1])
    mixed = (values[0] + 2 * mean) / 3
    completed = np.array([values[1], values[2], mixed, mixed])
    weights = prior * np.exp((OFFSET + 1) * 0.02 * completed)
    assert agent.last.policy[0, :4] == pytest.approx(weights / weights.sum(), abs=1e-6)
    assert (agent.last.policy.sum(axis=1) == pytest.approx(1.0)) and actions[0] == 1


@pytest.mark.parametrize("seed", range(5))
def test_the_improved_policy_is_worth_more_than_the_prior(seed):
    worth = np.random.default_rng(seed).uniform(-1, 1, 4)
    values = {k + 1: float(v) for k, v in enumerate(worth)} | {0: float(worth.mean())}
    last = searched(FOUR, replace(GUIDED, root_noise=1.0), network=Fake(values, liked=seed % 4), games=50)[0].last
    likes = np.exp([4.0 * (k == seed % 4) for k in range(4)])
    prior = 0.99 * likes / likes.sum() + 0.01 / 4
    assert (last.policy[:, :4] @ worth).min() > prior @ worth
    assert worth[last.actions].mean() > prior @ worth


def test_noise_explores_and_without_it_play_is_the_best():
    network = Fake({}, liked=2)
    loud = replace(GUIDED, root_noise=1.0, prior_weight=0.5)
    calm = searched(FOUR, GUIDED, network=network, games=40)[1]
    noisy = searched(FOUR, loud, network=network, games=40)[1]
    assert (calm == 2).all() and len(np.unique(noisy)) == 4
    assert (noisy == searched(FOUR, loud, network=network, games=40)[1]).all()
    assert (noisy != searched(FOUR, loud, network=network, games=40, seed=4)[1]).any()


def test_a_position_is_searched_alike_alone_among_many_and_on_threads():
    settings = replace(GUIDED, root_noise=1.0)
    network = Fake({1: 0.1, 2: 0.2, 3: 0.3})
    alone, batch, threads = (
        searched(FOUR, settings, network=network, games=n, threads=k)[0].last for n, k in ((2, 1), (9, 1), (9, 3))
    )
    for name in ("visits", "policy", "actions", "values"):
        assert (getattr(alone, name) == getattr(batch, name)[:2]).all()
        assert (getattr(batch, name) == getattr(threads, name)).all()


def test_without_a_network_the_scripted_player_has_its_share_of_the_prior():
    game, components = table_game(True), FOUR
    batch = GameBatch(game, 2, 5, components=components)
    prior = scripted_prior(game, batch.get_state(), components, batch.action_mask, 0.5)
    assert prior == pytest.approx(np.array([[0.625, 0.125, 0.125, 0.125]] * 2))
    assert scripted_prior(game, batch.get_state(), components, batch.action_mask, 0.0) == pytest.approx(0.25)


# -- settings and names ----------------------------------------------------------------------------------------------


def test_agents_are_made_by_name():
    game = get_game("Revolution-v0")
    agent = rfop_agents.load("gumbel-12+revolution/ppo-2", game)
    assert agent.name == "gumbel-12+revolution/ppo-2"
    assert (agent.settings.root, agent.settings.simulations, agent.settings.rollout_mix) == ("gumbel", 12, 0.0)
    assert rfop_agents.load("search-12", game).settings.root == "puct"
    with pytest.raises(RfopError, match="simulations instead of seconds"):
        rfop_agents.load("gumbel-2s", game)


def test_it_plays_legal_actions_of_a_whole_game_and_stops_early_when_told():
    game = get_game("Revolution-v0")
    agent = SearchAgent(game, SearchSettings(simulations=60, root="gumbel", rollouts="random"))
    batch = GameBatch(game, 1, 1)
    batch.step(act_for(agent, batch, np.arange(1), np.random.default_rng(0)))
    agent.stopped = lambda: True
    batch.step(act_for(agent, batch, np.arange(1), np.random.default_rng(0)))
    assert agent.last.visits.sum() == 49
