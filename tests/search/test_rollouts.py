"""Rollouts of a network: on games small enough to know every return, and in the games of the package."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import rfop_agents
from rfop_agents import rollouts
from rfop_env.agent import act_for
from rfop_env.agent import RandomAgent
from rfop_agents.rollouts import RolloutAgent, RolloutSettings, shares
from rfop_env.agent import ScriptedAgent
from rfop_agents.search.gumbel import OFFSET
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.registry import get_game
from table_game import table_game, tree
from test_response import PUNISHING, TEMPTING, Fixed, punish_with_heads
from test_search import MATCHING, Fake
from rfop_training.evaluation.games import play

FEW = RolloutSettings(draws=8, length=4)
RNG = np.random.default_rng(0)


def rolled_out(components, network, settings=FEW, *, games=1, coins=None, seed=3, opponent=None, scripted=False):
    """Roll out from the first row of a table: the agent, and its actions."""
    batch = GameBatch(table_game(scripted), games, 5, components=components)
    if coins is not None:
        batch.states["coin"] = coins
    agent = RolloutAgent(table_game(scripted), network, settings, opponent=opponent)
    states = batch.get_state().tobytes()
    actions = act_for(agent, batch, np.arange(games), np.random.default_rng(seed))
    assert batch.get_state().tobytes() == states, "rollouts left their traces in the game"
    return agent, actions


# -- what they find ----------------------------------------------------------------------------------------------------


def test_the_network_plays_on_and_the_return_of_each_action_is_that_of_its_play():
    # The network takes 1 wherever it can: left leads to -6 tenths by its own choice, right to 2.
    game = tree((0, [1, 2]), (0, [3, 4]), (0, [3, 5]), (9, 0, 0), (-6, 0, 0), (2, 0, 0))
    agent, actions = rolled_out(game, Fake({}, liked=1))
    assert actions[0] == 1
    assert agent.last.tried[0].tolist() == [True, True, False, False]
    assert agent.last.leads[0] == pytest.approx([-0.8, 0, 0, 0])  # 1 is the most likely one
    assert (agent.last.errors == 0).all()


@pytest.mark.parametrize(
    ("choices", "right"),  # of seats 1 and 2, in rows 2 and 4; what right returns for seat 0, in tenths
    [({2: 0}, 10), ({2: 1, 4: 0}, -10), ({2: 1, 4: 1}, 8)],
)
def test_known_others_choose_for_their_seats(choices, right):
    opponent = Fixed(lambda row, coin: choices[row])
    agent, actions = rolled_out(TEMPTING, Fake({}, liked=1), opponent=opponent)
    assert {row for row, _ in opponent.seen} == set(choices)
    assert agent.last.leads[0, 0] == pytest.approx(0.3 - right / 10)  # left has 3; 1, right, is the most likely one
    assert actions[0] == (right > 3)


def test_the_network_chooses_for_its_own_seat_alone_where_others_are_known():
    # Seat 1 goes back to seat 0, who takes what the network likes.
    game = tree((0, [1, 2]), (1, [3, 4]), (3, 0, 0), (0, [5, 6]), (1, 0, 0), (-5, 0, 0), (7, 0, 0))
    network = Fake({}, liked=1)
    agent, actions = rolled_out(game, network, opponent=Fixed(lambda row, coin: 0))
    assert {row for rows in network.asked for row in rows} == {0, 3}
    assert actions[0] == 0 and agent.last.leads[0, 0] == pytest.approx(0.7 - 0.3)


def test_known_others_see_what_their_seat_sees_and_the_root_does_not():
    opponent = Fixed(punish_with_heads)
    agent, actions = rolled_out(PUNISHING, Fake({}, liked=0), replace(FEW, draws=2000), opponent=opponent)
    assert {coin for _, coin in opponent.seen} == {(1, 0), (0, 1)}
    assert actions[0] == 1 and agent.last.leads[0, 1] == pytest.approx(0.3, abs=0.05)


def test_a_known_scripted_player_is_asked_by_the_rules():
    script = ScriptedAgent(table_game(True), "first")
    agent, actions = rolled_out(TEMPTING, Fake({}, liked=1), opponent=script, scripted=True)
    assert actions[0] == 1 and agent.last.leads[0, 0] == pytest.approx(0.3 - 1.0)


def test_the_network_judges_where_a_rollout_ends():
    game = tree((0, [1, 2]), (0, [3, 3]), (0, [3, 3]), (9, 0, 0))
    agent, actions = rolled_out(game, Fake({1: 0.1, 2: 0.3}), replace(FEW, length=0))
    assert actions[0] == 1 and agent.last.leads[0, 1] == pytest.approx(0.2)
    assert rolled_out(game, Fake({1: 0.1, 2: 0.3}), replace(FEW, length=1))[1][0] == 0  # both have ended by then


@pytest.mark.parametrize(
    ("name", "env"),
    [
        ("red-flag/ppo-3", "RedFlagOverParis-v1"),
        ("revolution/xi-1", "Revolution-v0"),
        ("symmetric+revolution/ppo-2", "Revolution-v0"),
    ],
)
def test_logits_alone_are_those_of_the_judgement(name, env):
    game = get_game(env)
    batch = GameBatch(game, 64, 1)
    batch.step_random(repeat=9)
    observation, mask = batch.observation, batch.action_mask
    network = rfop_agents.load(name, game)
    expected = network.evaluate(observation, mask)[0]
    assert np.allclose(network.logits(observation, mask)[mask], expected[mask], atol=1e-4)
    assert (np.where(mask, expected, -np.inf).argmax(axis=1) == act_for(network, batch, np.arange(64), RNG)).all()


@pytest.mark.parametrize(("all_seats", "lead"), [(True, 0.8), (False, -0.4)])
def test_the_value_is_that_of_the_seat_that_began(all_seats, lead):
    # Seat 1 decides in row 2, and is thought to gain 0.8. Of two others each loses half of it; or the network says it.
    game = tree((0, [1, 2]), (0, 0, 0), (1, [1, 1]))
    agent, _ = rolled_out(game, Fake({2: 0.8}, all_seats=all_seats), replace(FEW, length=0))
    assert agent.last.leads[0, 1] == pytest.approx(lead)


def test_all_actions_meet_the_same_draws():
    # A roll of 4 sides pays from -9 to 9; the second action pays one tenth more for every side.
    rows = [(0, [1, 2]), ("roll", [3, 4, 5, 6]), ("roll", [7, 8, 9, 10])]
    rows += [(pay, 0, 0) for pay in (-9, -3, 3, 9, -8, -2, 4, 10)]
    agent, actions = rolled_out(tree(*rows), Fake({}), replace(FEW, draws=5, doubt=50.0), games=6)
    assert (actions == 1).all()
    assert agent.last.leads[:, 1] == pytest.approx(np.full(6, 0.1))
    assert agent.last.errors[:, 1] == pytest.approx(np.zeros(6), abs=1e-6)


def test_a_lead_that_may_be_luck_does_not_count():
    # The second action is 1 tenth better in the mean, by a coin of -9 or 11.
    game = tree((0, [1, 2]), (0, 0, 0), ("roll", [3, 4]), (-9, 0, 0), (11, 0, 0))
    bold, careful = (
        rolled_out(game, Fake({}, liked=0), replace(FEW, draws=16, doubt=doubt), games=200)[1] for doubt in (0.0, 2.0)
    )
    assert 0.4 < (bold == 1).mean() < 0.8
    assert (careful == 1).mean() < 0.1
    errors = rolled_out(game, Fake({}), replace(FEW, draws=400), games=50)[0].last.errors[:, 1]
    assert errors == pytest.approx(np.full(50, 1.0 / 400**0.5), rel=0.02)


def test_no_action_profits_from_what_its_seat_cannot_see():
    settings = RolloutSettings(draws=400, length=0)
    agent, actions = rolled_out(MATCHING, Fake({}), settings, games=40, coins=np.arange(40) % 2)
    assert (actions == 2).all()  # whoever saw the coin would call it
    assert agent.last.leads[:, 2] == pytest.approx(np.full(40, 0.3), abs=0.2)
    heads, tails = (rolled_out(MATCHING, Fake({}), FEW, games=3, coins=coin)[0].last for coin in (0, 1))
    assert (heads.leads == tails.leads).all() and (heads.actions == tails.actions).all()


def test_only_likely_actions_are_tried():
    game = tree((0, [1, 2, 3, 4]), (0, 0, 0), (9, 0, 0), (0, 0, 0), (9, 0, 0))
    network = Fake({}, liked=2)  # e^4 times as likely as each other
    agent, actions = rolled_out(game, network, replace(FEW, least=0.02))
    assert actions[0] == 2 and not agent.last.tried.any() and len(network.asked) == 1
    assert agent.last.policy[0] == pytest.approx(shares(np.array([[0.0, 0, 4, 0]]), np.ones((1, 4), bool))[0])
    agent, actions = rolled_out(game, network, replace(FEW, considered=2))
    assert actions[0] == 2 and agent.last.tried[0].tolist() == [True, False, True, False]
    assert rolled_out(game, network, replace(FEW, least=0.01))[1][0] == 1


def test_the_improved_policy_adds_leads_to_logits():
    game = tree((0, [1, 2, 3]), (0, 0, 0), (1, 0, 0), (9, 0, 0))
    settings = replace(FEW, draws=2, q_scale=0.1, considered=2)
    last = rolled_out(game, Fake({}, liked=0), settings)[0].last
    probs = shares(np.array([[4.0, 0, 0]]), np.ones((1, 3), bool))[0]
    mean = probs[1] * 0.1 / (probs[0] + probs[1])
    scale = (OFFSET + 2) * 0.1
    logits = np.array([[4.0 - scale * mean, scale * (0.1 - mean), 0.0]])
    assert last.policy[0, :3] == pytest.approx(shares(logits, np.ones((1, 3), bool))[0])
    assert last.policy[0, 3] == 0.0  # not legal


def test_many_positions_are_tried_a_stretch_at_a_time(monkeypatch):
    game = tree((0, [1, 2]), (0, 0, 0), (1, 0, 0))
    single, actions = rolled_out(game, Fake({}), games=20)
    monkeypatch.setattr(rollouts, "MOST_GAMES", 3 * 2 * FEW.draws)
    agent = RolloutAgent(table_game(), Fake({}), FEW)
    assert [len(part) for part in agent._stretches(single.last.tried[:, :2])] == [2, 3, 3, 3, 3, 3, 3]
    stretched, same = rolled_out(game, Fake({}), games=20)
    assert (actions == same).all() and (single.last.leads == stretched.last.leads).all()


@pytest.mark.parametrize("likely", [2, 1], ids=["two actions are tried", "one action is likely"])
def test_its_thoughts_have_the_mean_return_of_the_action_it_plays(likely):
    # The first of two rows pays 3 tenths or, what the network likes, 7.
    game, network = tree((0, [1, 2]), (3, 0, 0), (7, 0, 0)), Fake({}, liked=1)
    batch = GameBatch(table_game(), 2, 5, components=game)
    agent = RolloutAgent(table_game(), network, replace(FEW, least=0.001 if likely == 2 else 0.5))
    thoughts = agent.think(batch, np.array([1]), np.random.default_rng(3))
    assert thoughts.actions.tolist() == [1] and thoughts.values.tolist() == pytest.approx([0.7])
    assert thoughts.visits[0, :2].tolist() == [FEW.draws if likely == 2 else 0, FEW.draws]
    assert thoughts.action_values[0, :2] == pytest.approx([0.3 if likely == 2 else 0.0, 0.7])


def test_rollouts_that_are_stopped_are_judged_where_they_are():
    # Two decisions follow; the network expects 5 tenths after right, and 9 or -9 at the end.
    game = tree((0, [1, 2]), (0, [3, 3]), (0, [4, 4]), (9, 0, 0), (-9, 0, 0))
    network = Fake({1: 0.0, 2: 0.5}, liked=0)
    agent = RolloutAgent(table_game(), network, FEW)
    batch = GameBatch(table_game(), 1, 5, components=game)
    assert act_for(agent, batch, np.arange(1), np.random.default_rng(3))[0] == 0
    agent.stopped = lambda: True
    assert act_for(agent, batch, np.arange(1), np.random.default_rng(3))[0] == 1
    assert agent.last.returns[0, :2] == pytest.approx([0.0, 0.5])


# -- in the games of the package ---------------------------------------------------------------------------------------


@pytest.mark.many_games
def test_rollouts_play_better_than_their_network():
    game = get_game("Revolution-v0")
    agents = [rfop_agents.load(name, game) for name in ("rollout-1x8+revolution/ppo-2", "revolution/ppo-2")]
    assert play(game, agents, range(100)).won.mean() > 0.65


@pytest.mark.many_games
def test_rollouts_that_know_their_opponent_win_more():
    game = get_game("Revolution-v0")
    victim = rfop_agents.load("revolution/xi-1", game)
    names = ("rollout-1x8+revolution/ppo-2:revolution/xi-1", "rollout-1x8+revolution/ppo-2")
    wins = [play(game, [rfop_agents.load(name, game), victim], range(100)).won.mean() for name in names]
    assert wins[0] > wins[1] + 0.05


@pytest.mark.parametrize(
    ("env", "name"),
    [
        ("Paris-v0", "rollout-2x3+paris/ppo-7"),
        ("Paris-v0", "rollout-2x3:paris/ppo-7"),
        ("RedFlagOverParis-v1", "rollout-2+red-flag/ppo-3:solo-opponent"),
        ("Revolution-v0", "rollout-1x5+symmetric+revolution/ppo-2"),
        ("LeveeEnMasse-v0", "rollout-2x3+levee/ppo-1"),
    ],
)
def test_an_agent_by_name_plays_any_game(env, name):
    game = get_game(env)
    agent = rfop_agents.load(name, game)
    assert agent.name == name
    batch = GameBatch(game, 5, 7)
    batch.step_random(9)
    games = np.array([0, 3])
    actions = [act_for(agent, batch, games, np.random.default_rng(2)) for _ in range(2)]
    assert (actions[0] == actions[1]).all()
    assert batch.action_mask[games, actions[0]].all()
    policy = agent.last.policy
    assert policy.sum(axis=1) == pytest.approx(np.ones(2)) and (policy[~batch.action_mask[games]] == 0).all()


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [("draws", 0), ("draws", 2.5), ("length", -1), ("considered", 1), ("least", float("nan")), ("doubt", "1"),
     ("q_scale", -1), ("draws", True), ("length", None)],
)  # fmt: skip
def test_settings_out_of_their_range_are_refused(name, value):
    with pytest.raises(RfopError, match=re.escape(name)):
        RolloutSettings(**{name: value})


def test_names_that_are_none_are_refused():
    game = get_game("Revolution-v0")
    for name in ("rollout-8", "rollout-8+", "rollout-8:", "rollout-x8+revolution/ppo-2", "rollout-8+nobody"):
        with pytest.raises(UnknownName):
            rfop_agents.load(name, game)
    with pytest.raises(RfopError, match=re.escape("say which network plays: rollout-8x2+NETWORK:scripted")):
        rfop_agents.load("rollout-8x2:scripted", game)
    with pytest.raises(RfopError, match="draws: from 1 to"):
        rfop_agents.load("rollout-0+revolution/ppo-2", game)


def test_others_who_cannot_be_asked_are_refused():
    network = rfop_agents.load("levee/ppo-1", get_game("LeveeEnMasse-v0"))
    with pytest.raises(RfopError, match="one seat"):
        RolloutAgent(get_game("LeveeEnMasse-v0"), network, opponent=RandomAgent())
    opponent = RandomAgent()
    opponent.remembers = True
    network = rfop_agents.load("revolution/ppo-2", get_game("Revolution-v0"))
    with pytest.raises(RfopError, match="random remembers whole games"):
        RolloutAgent(get_game("Revolution-v0"), network, opponent=opponent)
