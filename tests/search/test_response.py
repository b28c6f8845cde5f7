"""Searches that know who has the other seats: on trees with known answers, and against best responses found exactly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import rfop_agents
from rfop_env.agent import Agent, act_for
from rfop_env.agent import ScriptedAgent
from rfop_agents.search import PLAIN, SearchAgent, SearchSettings
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError
from rfop_env.registry import get_game
from table_game import COINS, ROWS, table_game, tree
from training.research.lab import exact
from training.research.lab.end_games import EndGames
from rfop_training.evaluation.setting import Setting
from rfop_training.evaluation.games import play

SETTINGS = replace(PLAIN, simulations=300)


class Fixed(Agent):
    """Plays by a function of the row and of what it sees of the coin, and keeps what it was asked."""

    name = "fixed"

    def __init__(self, choose):
        self.choose, self.seen = choose, []

    def act(self, observation, action_mask, rng, positions=None):
        rows = observation[:, :ROWS].argmax(axis=1)
        coins = [tuple(row) for row in observation[:, ROWS : ROWS + COINS]]
        self.seen += list(zip(rows, coins, strict=True))
        return np.array([self.choose(row, coin) for row, coin in zip(rows, coins, strict=True)])


def searched(components, opponent, settings=SETTINGS, network=None, seed=3, scripted=False):
    batch = GameBatch(table_game(scripted), 1, 5, components=components)
    agent = SearchAgent(table_game(scripted), settings, network=network, opponent=opponent)
    actions = act_for(agent, batch, np.arange(1), np.random.default_rng(seed))
    return agent, actions[0]


# Seat 0 goes right to win 10 if seats 1 and 2 let it; whoever thinks of himself does not.
TEMPTING = tree((0, [1, 2]), (3, 1, 1), (1, [3, 4]), (10, -5, 0), (2, [5, 6]), (-10, 4, 9), (8, 9, -9))


# Seat 2 sees the coin and punishes with heads alone: left is worth -10 or 4, and the root cannot know which.
PUNISHING = tree((0, [1, 2]), (2, [3, 4]), (0, 0, 0), (-10, 0, 10), (4, 0, 0))


def punish_with_heads(row, coin):
    return 0 if coin == (1, 0) else 1


@pytest.mark.parametrize("root", ["puct", "gumbel"])
def test_it_profits_from_the_mistakes_of_all_other_seats(root):
    settings = replace(SETTINGS, root=root)
    assert searched(TEMPTING, None, settings)[1] == 0
    agent, action = searched(TEMPTING, Fixed(lambda row, coin: 0), settings)
    assert action == 1 and agent.last.action_values[0, 1] == pytest.approx(1.0)
    agent, action = searched(TEMPTING, Fixed(lambda row, coin: 1), settings)
    assert action == 1 and agent.last.action_values[0, 1] == pytest.approx(0.8)
    agent, action = searched(TEMPTING, Fixed(lambda row, coin: 1 if row == 2 else 0), settings)
    assert action == 0 and agent.last.action_values[0, 1] == pytest.approx(-1.0)


def test_only_the_choices_of_other_seats_are_asked_for():
    opponent = Fixed(lambda row, coin: 1)
    searched(TEMPTING, opponent)
    assert {row for row, _ in opponent.seen} == {2, 4}
    forced = Fixed(lambda row, coin: 0)
    searched(tree((0, [1, 2]), (2, 0, 0), (1, [3]), (5, 0, 0)), forced)
    assert not forced.seen


def test_the_others_see_what_their_seat_sees_and_the_root_does_not():
    opponent = Fixed(punish_with_heads)
    agent, action = searched(PUNISHING, opponent, replace(SETTINGS, simulations=2000))
    assert {coin for _, coin in opponent.seen} == {(1, 0), (0, 1)}
    assert action == 1 and agent.last.action_values[0, 0] == pytest.approx(-0.3, abs=0.12)


def test_a_network_judges_the_roots_own_positions_alone():
    # After seat 1's answer seat 0 chooses again; the network is asked there and at the root.
    game = tree((0, [1, 5]), (1, [2, 3]), (0, [4, 4, 5]), (-10, 0, 0), (10, 0, 0), (0, 0, 0))

    class Network:
        remembers = False
        rewards = {"outcome": 1.0}  # noqa: RUF012
        rows = set()  # noqa: RUF012

        def evaluate(self, observation, action_mask):
            self.rows.update(observation[:, :ROWS].argmax(axis=1))
            return np.zeros(action_mask.shape, np.float32), np.zeros(len(observation), np.float32)

    agent, action = searched(game, Fixed(lambda row, coin: 0), network=Network())
    assert Network.rows == {0, 2}
    assert action == 0 and agent.last.action_values[0, 0] > 0.8


def test_the_scripted_player_is_asked_by_the_rules():
    agent, action = searched(TEMPTING, ScriptedAgent(table_game(True), "first"), scripted=True)
    assert action == 1 and agent.last.action_values[0, 1] == pytest.approx(1.0)


def test_an_illegal_answer_is_refused():
    with pytest.raises(RfopError, match="fixed chose an action that is not legal"):
        searched(TEMPTING, Fixed(lambda row, coin: 3))


@pytest.mark.many_games
def test_it_finds_the_best_responses_of_solved_end_games():
    # In every position before the end of a game of Revolution, what the response gets is what the exact one gets.
    game, decisions = get_game("Revolution-v0"), 6
    script = rfop_agents.load("scripted", game)
    late = EndGames(Setting("Revolution-v0"), "scripted", decisions, 40).positions()
    layers = exact.solve(late, [script], 100_000, "outcome", 0)
    response = SearchAgent(game, SearchSettings(simulations=200, points=0.0), opponent=script)
    plain = [exact.values(layers)[0], exact.values(layers, 0)[0]]

    gained = 0.0
    for seat in range(2):
        best = exact.values(layers, 0, seat)[0][:, seat]
        got = played_out(late, {seat: response, 1 - seat: script})[:, seat]
        np.testing.assert_allclose(got, best)
        gained += (best - plain[1][:, seat]).sum()
    assert late.num_games >= 25 and gained > 2  # there was something to find


def played_out(batch, seats):
    """The returns of games played to the end, [n, 2], with these agents in the seats."""
    batch, rng = batch.clone(), np.random.default_rng(0)
    while (running := np.flatnonzero(batch.action_mask.any(axis=1))).size:
        actions = np.full(batch.num_games, -1, np.int64)
        for seat, agent in seats.items():
            own = running[batch.current_player[running] == seat]
            if len(own):
                actions[own] = act_for(agent, batch, own, rng)
        batch.step(actions)
    return batch.game_returns("outcome")


def test_one_position_is_searched_as_among_others():
    game = get_game("Revolution-v0")
    victim = rfop_agents.load("revolution/ppo-2", game)
    visits = []
    for games, threads in ((5, 1), (5, 2), (2, 1)):
        batch = GameBatch(game, 5, 1)
        batch.step_random(12)
        settings = SearchSettings(simulations=12, root="gumbel")
        agent = SearchAgent(game, settings, network=victim, opponent=victim, threads=threads)
        act_for(agent, batch, np.arange(games), np.random.default_rng(8))
        visits.append(agent.last.visits)
    assert (visits[0] == visits[1]).all() and (visits[0][:2] == visits[2]).all()


def test_names_say_who_answers_whom():
    game = get_game("Revolution-v0")
    assert rfop_agents.load("response-12:scripted", game).name == "response-12:scripted"
    assert rfop_agents.load("response-12:revolution/ppo-2@0.5", game).name == "response-12:revolution/ppo-2@0.5"
    guided = rfop_agents.load("response-12+symmetric+revolution/ppo-2:random", game)
    assert guided.name == "response-12+symmetric+revolution/ppo-2:random"


@pytest.mark.many_games
@pytest.mark.parametrize("name", ["response-8:revolution/ppo-2", "response-8+revolution/ppo-2:scripted"])
def test_a_response_wins_more_than_the_same_search_without_what_it_knows(name):
    game = get_game("Revolution-v0")
    victim = rfop_agents.load(name.partition(":")[2], game)
    knowing, plain = (rfop_agents.load(title, game) for title in (name, "gumbel-8+revolution/ppo-2"))
    wins = [play(game, [agent, victim], range(40)).won.mean() for agent in (knowing, plain)]
    assert wins[0] > wins[1] + 0.1
