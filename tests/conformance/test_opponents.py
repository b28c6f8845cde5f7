"""Agents in the seats of the opponents: the same games as with players of the rules, in every interface."""

import copy
import dataclasses
import pickle
from collections import Counter

import gymnasium
import numpy as np
import pytest
import toy_game

import rfop_env
from rfop_env.agent import Agent, RandomAgent, ScriptedAgent, act_for, random_legal
from rfop_env.compiler import rule
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import BadArgument, IllegalAction, RfopError, UnknownName
from rfop_env.interfaces.gymnasium_env import GameEnv
from rfop_env.interfaces.gymnasium_vector import GameVectorEnv
from rfop_env.interfaces.pettingzoo_aec import raw_env
from rfop_env.opponents import AgentBatch, _legal_actions, new_batch
from rfop_env.own_code import FunctionAgent
from rfop_env.replays.recorder import Recorder
from rfop_env.testing.conformance import last_legal

GAME, TWO = toy_game.two_player(), "LiarsRace-v0"
HONEST = ScriptedAgent(GAME, "honest")
N = 6


@rule
def advise_last(s, c, mask, which):
    """The last legal action."""
    action = mask.shape[0] - 1
    while not mask[action]:
        action -= 1
    return action


# Its scripted player decides as `last_legal` does, and its points are paid as they change.
LAST = dataclasses.replace(
    GAME,
    rules=dataclasses.replace(GAME.rules, advise=advise_last),
    rewards=(GAME.rewards[0], dataclasses.replace(GAME.rewards[1], dense=True)),
)


def decisions(batch, rng):
    """A random legal action in every running game, -1 in the others."""
    return np.where(batch.action_mask.any(axis=1), random_legal(batch.action_mask, rng), -1)


def play(batch, steps, seed=0):
    """Everything that a batch publishes in some random steps; games that have ended begin anew."""
    rng, view = np.random.default_rng(seed), []
    for _ in range(steps):
        batch.step(decisions(batch, rng))
        rewards, over = batch.own_rewards(), batch.terminated.copy()
        if not batch.autoreset and over.any():
            batch.reset(only=over)
        view.append(
            (batch.get_state(), batch.observation.copy(), batch.action_mask.copy(), batch.current_player.copy(),
             batch.learner.copy(), rewards, over, batch.end_reason.copy(), batch.final_observation * over[:, None],
             [batch.journal(i) for i in range(batch.num_games)])
        )  # fmt: skip
    return view


def same(one, other):
    for step, (own, reference) in enumerate(zip(one, other, strict=True)):
        for part, (a, b) in enumerate(zip(own, reference, strict=True)):
            assert np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b, (step, part)


@pytest.mark.parametrize("autoreset", [False, True])
@pytest.mark.parametrize("seat", ["random", "blue_1"])
@pytest.mark.parametrize("reward", ["outcome", "margin", "outcome=0.5,margin=0.25"])
def test_an_agent_outside_plays_the_games_of_the_same_player_inside(autoreset, seat, reward):
    arguments = {"seat": seat, "autoreset": autoreset, "reward": reward}
    inside, outside = (new_batch(LAST, N, 7, opponent=who, **arguments) for who in ("honest", last_legal))
    assert type(inside) is GameBatch and type(outside) is AgentBatch and outside.opponent == "last_legal"
    same(play(inside, 60), play(outside, 60))


@pytest.mark.parametrize("autoreset", [False, True])
def test_random_steps_among_agents(autoreset):
    batches = [new_batch(LAST, N, 7, opponent=who, autoreset=autoreset) for who in ("honest", last_legal)]
    for repeat in (1, 3, 20):
        for batch in batches:
            batch.step_random(repeat)
        assert batches[0].get_state().tobytes() == batches[1].get_state().tobytes()
        for name in ("rewards", "terminated", "observation", "action_mask"):
            assert np.array_equal(*(getattr(batch, name) for batch in batches)), name


def test_several_opponents_are_drawn_by_share_from_the_seed():
    shares = {"honest": 0.5, last_legal: 0.2, "random": 0.3}
    batch = new_batch(GAME, 2000, 1, opponent=shares)
    counts = Counter(batch.game_opponent(i) for i in range(batch.num_games))
    for name, share in (("honest", 0.5), ("last_legal", 0.2), ("random", 0.3)):
        assert counts[name] / 2000 == pytest.approx(share, abs=0.04)
    assert batch.opponent == "honest=0.5,last_legal=0.2,random=0.3"
    again = new_batch(GAME, 2000, 1, opponent=shares)
    assert [again.game_opponent(i) for i in range(2000)] == [batch.game_opponent(i) for i in range(2000)]
    again.reset()
    assert [again.game_opponent(i) for i in range(2000)] != [batch.game_opponent(i) for i in range(2000)]


def test_players_of_the_game_are_mixed_inside_the_rules():
    batch = rfop_env.make_batch("Revolution-v0", 64, seed=1, opponent="scripted=0.5,random=0.5", autoreset=True)
    assert type(batch) is GameBatch and batch.opponent == "scripted=0.5,random=0.5"
    same(play(batch, 30), play(rfop_env.make_batch(
        "Revolution-v0", 64, seed=1, opponent={"scripted": 0.5, "random": 0.5}, autoreset=True), 30))  # fmt: skip
    assert {batch.game_opponent(i) for i in range(64)} == {"scripted", "random"}


@pytest.mark.parametrize(
    "opponent", ["search-6", "revolution/ppo-2", "scripted=0.5,search-4+revolution/ppo-2=0.5", last_legal]
)
def test_every_agent_is_an_opponent_in_every_interface(opponent, tmp_path):
    name = "Revolution-v0"
    games = []
    for _ in range(2):
        env = gymnasium.make(f"rfop/{name}", opponent=opponent, seat=1)
        _, info = env.reset(seed=4)
        terminated = False
        while not terminated:
            _, reward, terminated, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        games.append((env.unwrapped.batch.get_state().tobytes(), reward))
    assert games[0] == games[1], "the same seed gives another game"

    vector = gymnasium.make_vec(f"rfop/{name}", num_envs=2, opponent=opponent, autoreset_mode="SAME_STEP")
    batch = rfop_env.make_batch(name, 2, seed=0, opponent=opponent)
    assert vector.reset(seed=0)[0]["observation"].tolist() == batch.observation.tolist()
    assert rfop_env.make(name, opponent=opponent).reset(seed=1)[1]["action_mask"].any()


def test_stable_baselines3_plays_a_file_of_ones_own(tmp_path):
    pytest.importorskip("stable_baselines3")
    from rfop_env.interfaces.sb3_vec_env import GameVecEnv

    path = tmp_path / "mine.py"
    path.write_text("def act(observation, action_mask):\n    return action_mask.argmax(axis=1)\n")
    env = GameVecEnv(TWO, 3, seed=1, opponent=f"{path}:act", reward="outcome=0.5,margin=0.5")
    env.reset()
    assert env.batch.game_opponent(0).startswith("mine.act#")
    total = 0
    for _ in range(60):
        _, _, dones, _ = env.step(env.action_masks().argmax(axis=1))
        total += dones.sum()
    assert total > 3


# -- what an agent sees, and what it cannot do -------------------------------------------------------------------------


class Noting(Agent):
    """Plays at random, and notes what it is shown; it remembers how often it was asked in each game."""

    name, needs_positions, remembers = "noting", True, True

    def __init__(self):
        self.shown, self.counts, self._now = [], {}, None

    def follow(self, batch, games):
        self._now = self.memories(batch)[0], games

    def memories(self, batch):
        return (self.counts.setdefault(id(batch), np.zeros(batch.num_games, np.int64)),)

    def act(self, observation, action_mask, rng, positions=None):
        counts, games = self._now
        counts[games] += 1
        self.shown.append((observation.copy(), action_mask.copy(), positions.determinize()[0].copy()))
        return random_legal(action_mask, rng)


def test_an_agent_sees_its_own_seat_and_determinized_positions():
    noting = Noting()
    batch = new_batch(GAME, 1, 3, opponent=noting, seat=0)
    truth = GameBatch(GAME, 1, 3)
    hidden, rng = 0, np.random.default_rng(0)
    while not batch.states["over"][0]:
        action = decisions(batch, rng)
        num_calls = len(noting.shown)
        batch.step(action)
        truth.step(action)
        for (observation, mask, position), (_, answers) in zip(noting.shown[num_calls:], batch.answers, strict=True):
            assert truth.current_player[0] == 1
            assert np.array_equal(observation, truth.observation) and np.array_equal(mask, truth.action_mask)
            hidden += int(position["die"][0, 0] != truth.states["die"][0, 0])
            truth.step(answers)
    assert hidden > 0, "the enemy's die was never drawn anew"


@pytest.mark.parametrize("name", ["random", "honest", "search-8", "last_legal"])
def test_an_agent_decides_alike_whatever_is_hidden_from_it(name):
    """The seed of a record fixes the hidden die and the agent's random numbers: these do not follow from the die."""
    agent = rfop_env.as_agent(last_legal if name == "last_legal" else name, TWO)
    batch, twin = GameBatch(GAME, 40, 7), GameBatch(GAME, 40, 7)
    rng, decided = np.random.default_rng(0), 0
    while (running := np.flatnonzero(batch.action_mask.any(axis=1))).size:
        states = batch.get_state()
        rival = 1 - states["player"]
        games = np.arange(len(states))
        states["die"][games, rival] = 1 + states["die"][games, rival] % 6
        twin.set_state(states)
        for game in running[:8]:
            actions, twin_actions = (_legal_actions(agent, view, np.array([game])) for view in (batch, twin))
            assert np.array_equal(batch.observation[game], twin.observation[game])
            assert np.array_equal(actions, twin_actions)
            decided += 1
        batch.step(decisions(batch, rng))
    assert decided > 30


def test_the_chance_of_agents_is_not_that_of_the_deal():
    """No agent's choice goes with a die that the same seed has drawn: chi-square of choices by dice, 5 degrees."""
    batch, agent = GameBatch(GAME, 2400, 0), RandomAgent()
    actions = np.array([_legal_actions(agent, batch, np.array([game]))[0] for game in range(batch.num_games)])
    for seat in (0, 1):
        counts = np.zeros((2, 6))
        np.add.at(counts, (actions, batch.states["die"][:, seat] - 1), 1)
        expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
        assert counts.min() > 100 and ((counts - expected) ** 2 / expected).sum() < 20


def test_what_agents_remember_is_copied():
    batch = new_batch(GAME, 3, 3, opponent=Noting())
    play(batch, 4)
    counts = batch._agents[0].memories(batch._view)[0].copy()
    assert counts.sum() > 0
    for way in (copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))):
        twin = way(batch)
        assert np.array_equal(twin._agents[0].memories(twin._view)[0], counts)
        play(twin, 2)
        assert np.array_equal(batch._agents[0].memories(batch._view)[0], counts)


class Failing(Agent):
    """Fails on request, or chooses what is not legal."""

    name, how = "failing", ""

    def act(self, observation, action_mask, rng, positions=None):
        if self.how == "raise":
            raise RfopError("out of order")
        if self.how == "illegal":
            return (~action_mask).argmax(axis=1)
        return np.zeros(3) if self.how == "odd" else random_legal(action_mask, rng)


@pytest.mark.parametrize(
    ("how", "said"),
    [("raise", "out of order"), ("illegal", "failing chose an action that is not legal"), ("odd", "failing: expected")],
)
def test_an_agent_that_fails_leaves_the_games_as_they_were(how, said):
    agent = Failing()
    batch, twin = (new_batch(GAME, N, 5, opponent=agent) for _ in range(2))
    rng = np.random.default_rng(0)
    for _ in range(40):
        actions = decisions(batch, rng)
        snapshot = batch.get_state().tobytes()
        agent.how = how
        try:
            batch.step(actions)
        except RfopError as error:
            assert said in str(error) and batch.get_state().tobytes() == snapshot
            agent.how = ""
            batch.step(actions)
        agent.how = ""
        twin.step(actions)
        assert batch.get_state().tobytes() == twin.get_state().tobytes()
        assert np.array_equal(batch.action_mask, twin.action_mask)

    agent.how = how
    with pytest.raises(RfopError, match=said):
        for seed in range(20):
            new_batch(GAME, 1, seed, opponent=agent)


def test_an_illegal_action_of_the_learner_is_refused_before_anyone_answers():
    batch = new_batch(GAME, 2, 1, opponent=last_legal)
    snapshot = batch.get_state().tobytes()
    with pytest.raises(IllegalAction):
        batch.step([toy_game.TABLE.size, 0])
    assert batch.get_state().tobytes() == snapshot


def test_wrong_opponents_are_refused_with_the_mend():
    for opponent, error, message in [
        ("skripted", UnknownName, "unknown agent 'skripted'.*'scripted'"),
        ("scripted=0.5,random=0.4", BadArgument, "opponent: shares are above 0 and add up to 1, found 0.5, 0.4"),
        ("scripted=0.5,scripted=0.5", BadArgument, "scripted is given twice"),
        ({}, BadArgument, "expected a mapping from players to shares"),
        (7, BadArgument, "expected a name, an Agent, a function or shares of them, found 7"),
    ]:
        with pytest.raises(error, match=message):
            GameEnv("Revolution-v0", opponent=opponent)


def test_a_game_of_one_seat_has_no_opponents():
    with pytest.raises(BadArgument, match="has one seat and no opponents"):
        GameEnv("LiarsRaceSolo-v0", opponent=last_legal)


def test_a_name_an_agent_and_a_function_become_an_agent():
    agent = RandomAgent()
    assert rfop_env.as_agent(agent, TWO) is agent
    assert isinstance(rfop_env.as_agent("random", TWO), RandomAgent)
    mine = rfop_env.as_agent(last_legal, TWO)
    assert isinstance(mine, FunctionAgent) and mine.name == "last_legal"
    batch = GameBatch(GAME, 3, 1)
    actions = act_for(mine, batch, np.arange(3), np.random.default_rng(0))
    assert np.array_equal(actions, last_legal(batch.observation, batch.action_mask))
    with pytest.raises(BadArgument, match="expected a name, an Agent, or a function"):
        rfop_env.as_agent(3, TWO)


# -- recorded games ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("opponent", [last_legal, Noting(), {"honest": 0.4, last_legal: 0.3, "random": 0.3}, HONEST])
def test_a_recorder_writes_down_what_agents_decide(opponent):
    rng = np.random.default_rng(0)
    for seed in range(8):
        batch = new_batch(GAME, 2, seed, opponent=opponent)
        recorder = Recorder(batch, 1)
        while not batch.states["over"][1]:
            actions = decisions(batch, rng)
            batch.step(actions)
            recorder.add(int(actions[1]))
        replay = recorder.replay()
        assert replay.position is None and batch.game_opponent(1) in replay.players
        assert replay.reason == GAME.end_reasons[batch.end_reason[1]]


# -- rewards of several kinds ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [GameEnv, lambda *args, **kwargs: GameVectorEnv(args[0], 1, **kwargs)])
def test_rewards_of_several_kinds_are_paid_by_weight(make):
    returns = {}
    for reward in ("outcome", "margin", "outcome=0.5,margin=0.25", {"margin": 0.25, "outcome": 0.5}):
        env, total = make("LiarsRaceSolo-v0", reward=reward, bot="red"), 0.0
        _, info = env.reset(seed=5)
        for _ in range(12):
            action = info["action_mask"].argmax(axis=-1)
            _, reward_now, terminated, _, info = env.step(action)
            total += float(np.sum(reward_now))
            if np.any(terminated):
                break
        returns[str(reward)] = total
    expected = 0.5 * returns["outcome"] + 0.25 * returns["margin"]
    assert list(returns.values())[2:] == pytest.approx([expected] * 2) and expected != 0


def test_a_forfeit_costs_the_lowest_return_of_the_weights():
    for reward, lowest in (("outcome=0.5,margin=0.25", -0.75), ("margin=-2", -2.0)):
        env = GameEnv("LiarsRaceSolo-v0", reward=reward)
        env.reset(seed=1)
        assert env.step(toy_game.TABLE.size)[1] == lowest
        agents = rfop_env.make(TWO, reward=reward).unwrapped
        agents.reset(seed=1)
        offender = agents.agent_selection
        agents.step(toy_game.TABLE.size)
        assert agents.rewards[offender] == lowest and sum(agents.rewards.values()) == 0


@pytest.mark.parametrize("reward", [None, "margin", "outcome=0.5,margin=0.25"])
@pytest.mark.parametrize("illegal", [False, True])
def test_an_ended_game_that_is_loaded_pays_its_returns_again(reward, illegal):
    env, twin = raw_env("Revolution-v0", reward=reward), raw_env("Revolution-v0", reward=reward)
    env.reset(seed=1)
    while not any(env.terminations.values()):
        legal = env.batch.action_mask[0]
        env.step(int((~legal if illegal else legal).argmax()))
    twin.reset(seed=2)
    twin.load(env.save())
    assert twin.rewards == pytest.approx(env.rewards) and any(env.rewards.values())
    assert twin.terminations == env.terminations


def test_wrong_rewards_are_refused():
    for reward, error, message in [
        ("outcome=much", BadArgument, "reward: expected KIND or KIND=WEIGHT, with weights from -1,000,000"),
        ("outcome=1,outcome=1", BadArgument, "reward: outcome is given twice"),
        ("outcome=0.5,points=0.5", UnknownName, "unknown reward of LiarsRaceSolo-v0 'points'"),
        ({"outcome": float("inf")}, BadArgument, "reward: expected KIND or KIND=WEIGHT"),
        ({}, UnknownName, "unknown reward"),
        ("", UnknownName, "unknown reward"),
    ]:
        with pytest.raises(error, match=message):
            GameEnv("LiarsRaceSolo-v0", reward=reward)
