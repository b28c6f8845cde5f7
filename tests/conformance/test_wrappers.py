"""Wrappers that people put around environments: whole games are played through each."""

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium import wrappers
from gymnasium.wrappers import vector as vector_wrappers
from pettingzoo.test import api_test
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    BaseWrapper,
    CaptureStdoutWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)
from stable_baselines3.common import vec_env as sb3
from stable_baselines3.common.env_util import make_vec_env

import rfop_env
from rfop_env.core.errors import BadArgument, NotStarted, UnknownName
from rfop_env.interfaces.gymnasium_env import GameEnv
from rfop_env.interfaces.gymnasium_vector import GameVectorEnv
from rfop_env.interfaces.pettingzoo_aec import NoParallelForm, env as aec_env, raw_env
from rfop_env.registry import get_entry

SOLO, TWO = "LiarsRaceSolo-v0", "LiarsRace-v0"
GAMES = 3


def play(env, seed, most=200):
    """Play a game through a wrapper by the mask in `info`; the rewards, the last info and whether it was cut off."""
    rng = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    rewards = []
    for _ in range(most):
        assert env.observation_space.contains(observation)
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        observation, reward, terminated, truncated, info = env.step(action)
        rewards.append(reward)
        if terminated or truncated:
            return rewards, info, truncated
    raise AssertionError("the game does not end")


# -- Gymnasium ---------------------------------------------------------------------------------------------------------

ONE_GAME = {
    "plain": lambda env: env,
    "RecordEpisodeStatistics": wrappers.RecordEpisodeStatistics,
    "TimeLimit": lambda env: wrappers.TimeLimit(env, 200),
    "FlattenObservation": wrappers.FlattenObservation,
    "FilterObservation": lambda env: wrappers.FilterObservation(env, ["observation"]),
    "FrameStackObservation": lambda env: wrappers.FrameStackObservation(env, 2),
    "TimeAwareObservation": lambda env: wrappers.TimeAwareObservation(wrappers.TimeLimit(env, 200)),
    "TransformReward": lambda env: wrappers.TransformReward(env, lambda reward: reward),
    "ClipReward": lambda env: wrappers.ClipReward(env, -1, 1),
    "PassiveEnvChecker": wrappers.PassiveEnvChecker,
    "RenderCollection": wrappers.RenderCollection,
}


@pytest.mark.parametrize("wrap", ONE_GAME.values(), ids=ONE_GAME)
def test_a_game_through_a_wrapper_of_gymnasium(wrap):
    make = GameEnv(SOLO, render_mode="ansi", bot="blue")
    env, plain = wrap(make), GameEnv(SOLO, bot="blue")
    for seed in (1, 2):
        own, info, truncated = play(env, seed)
        expected, last, _ = play(plain, seed)
        assert own == expected and info["end_reason"] == last["end_reason"] and not truncated
        if "episode" in info:
            assert info["episode"]["r"] == sum(expected) and info["episode"]["l"] == len(expected)


def test_what_wrappers_make_of_observations():
    plain = GameEnv(SOLO)
    observation, _ = plain.reset(seed=1)
    view, mask = observation["observation"], observation["action_mask"]
    flat, _ = wrappers.FlattenObservation(GameEnv(SOLO)).reset(seed=1)
    assert sorted(flat.tolist()) == sorted([*view.tolist(), *mask.tolist()]) and flat.dtype == np.int8
    single, _ = wrappers.DtypeObservation(GameEnv(SOLO, mask_in_observation=False), np.float32).reset(seed=1)
    np.testing.assert_array_equal(single, view)
    scaled = wrappers.RescaleObservation(GameEnv(SOLO, mask_in_observation=False), np.float32(0), np.float32(1))
    assert scaled.observation_space.contains(scaled.reset(seed=1)[0])


def test_a_time_limit_truncates_and_leaves_the_game_as_it_is():
    env = wrappers.RecordEpisodeStatistics(wrappers.TimeLimit(GameEnv(SOLO, length="long"), 3))
    rewards, info, truncated = play(env, 1)
    assert truncated and rewards == [0.0] * 3 and "end_reason" not in info and info["action_mask"].any()
    assert info["episode"]["l"] == 3


# -- Gymnasium's vector environments -----------------------------------------------------------------------------------

MANY_GAMES = {
    "plain": lambda envs: envs,
    "RecordEpisodeStatistics": vector_wrappers.RecordEpisodeStatistics,
    "FlattenObservation": vector_wrappers.FlattenObservation,
    "NormalizeReward": vector_wrappers.NormalizeReward,
    "TransformReward": lambda envs: vector_wrappers.TransformReward(envs, lambda reward: reward),
    "ClipReward": lambda envs: vector_wrappers.ClipReward(envs, -1, 1),
}


MODES = {"NextStep": [*MANY_GAMES], "SameStep": [name for name in MANY_GAMES if name != "FlattenObservation"]}


@pytest.mark.parametrize(("mode", "wrapper"), [(mode, name) for mode, names in MODES.items() for name in names])
def test_games_through_a_wrapper_of_vector_environments(mode, wrapper):
    """Gymnasium's wrappers of observations refuse SAME_STEP."""
    envs = MANY_GAMES[wrapper](GameVectorEnv(SOLO, GAMES, autoreset_mode=mode))
    observations, infos = envs.reset(seed=1)
    episodes = counted = 0
    for _ in range(80):
        assert envs.observation_space.contains(observations)
        observations, rewards, terminated, truncated, infos = envs.step(infos["action_mask"].argmax(axis=1))
        assert np.isfinite(rewards).all() and not truncated.any()
        episodes += int(terminated.sum())
        where = infos.get("final_info", infos) if mode == "SameStep" else infos
        counted += int(np.sum(infos.get("_episode", where.get("_episode", 0))))
    assert episodes > GAMES and counted in (0, episodes)


def test_call_get_and_set_attributes_as_other_vector_environments_do():
    own = GameVectorEnv(SOLO, GAMES, render_mode="ansi", bot="blue")
    reference = gymnasium.vector.SyncVectorEnv([lambda: GameEnv(SOLO, render_mode="ansi", bot="blue")] * GAMES)
    for envs in (own, reference):
        envs.reset(seed=1)
    for name in ("action_masks", "render_mode", "on_illegal", "render"):
        for look in ("call", "get_attr"):
            own_values, two = getattr(own, look)(name), getattr(reference, look)(name)
            assert type(own_values) is type(two) is tuple and len(own_values) == GAMES
            for a, b in zip(own_values, two, strict=True):
                np.testing.assert_array_equal(a, b)
    assert own.call("journal") == tuple(own.batch.journal(i) for i in range(GAMES))

    for values in ("raise", ["raise"] * GAMES, ("lose",) * GAMES):
        for envs in (own, reference):
            envs.set_attr("on_illegal", values)
        assert own.get_attr("on_illegal") == reference.get_attr("on_illegal")
    assert GameVectorEnv(SOLO, 2).call("render_mode") == (None, None)


def test_wrong_calls_of_vector_environments():
    envs = GameVectorEnv(SOLO, GAMES)
    with pytest.raises(NotStarted):
        envs.call("action_masks")
    envs.reset(seed=1)
    with pytest.raises(AttributeError):
        envs.call("nothing")
    with pytest.raises(UnknownName, match="'action_masks', 'journal', 'render'"):
        envs.call("step", [0] * GAMES)
    with pytest.raises(BadArgument, match="takes no arguments"):
        envs.call("action_masks", 1)
    for values in ([1, 2], [1, 2, 3], []):
        with pytest.raises(BadArgument, match="share their attributes"):
            envs.set_attr("on_illegal", values)
    assert envs.on_illegal == "lose"


# -- PettingZoo --------------------------------------------------------------------------------------------------------

AGENTS = {
    "OrderEnforcingWrapper": OrderEnforcingWrapper,
    "AssertOutOfBoundsWrapper": AssertOutOfBoundsWrapper,
    "CaptureStdoutWrapper": CaptureStdoutWrapper,
    "TerminateIllegalWrapper": lambda env: TerminateIllegalWrapper(env, illegal_reward=-1),
    "BaseWrapper": BaseWrapper,
}


@pytest.mark.parametrize("wrap", AGENTS.values(), ids=AGENTS)
def test_a_game_through_a_wrapper_of_pettingzoo(wrap):
    for with_mask in (True, False):
        play_agents(wrap, with_mask)


def play_agents(wrap, with_mask):
    """A game through a wrapper is the same as without."""
    mode = "human" if wrap is CaptureStdoutWrapper else "ansi"
    env = wrap(raw_env(TWO, render_mode=mode, mask_in_observation=with_mask))
    plain = raw_env(TWO)
    for environment in (env, plain):
        environment.reset(seed=4)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        expected, payoff, *_ = plain.last()
        assert (
            agent == plain.agent_selection and reward == payoff and env.observation_space(agent).contains(observation)
        )
        np.testing.assert_array_equal(observation["observation"] if with_mask else observation, expected["observation"])
        np.testing.assert_array_equal(info["action_mask"], expected["action_mask"])
        action = None if terminated or truncated else int(info["action_mask"].argmax())
        for environment in (env, plain):
            environment.step(action)
    assert not plain.agents


@pytest.mark.parametrize("name", [TWO, "Revolution-v0"])
def test_plain_observations_keep_pettingzoos_rules(name):
    env = rfop_env.make(name, mask_in_observation=False)
    api_test(env, num_cycles=60)
    env.reset(seed=1)
    agent = env.agent_selection
    assert env.observation_space(agent).shape == (env.unwrapped.game.observation.size,)
    twin = next(name for name in env.possible_agents if name != agent)
    assert not env.infos[twin]["action_mask"].any() and env.observe(twin).shape == env.observe(agent).shape
    with pytest.raises(BadArgument):
        raw_env(name, mask_in_observation="no")


def test_the_parallel_form_is_refused_with_the_way_to_go():
    name = "Revolution-v0"
    entry = get_entry(name)
    with pytest.raises(
        NoParallelForm, match=rf'one seat decides at a time: use pettingzoo.make\("aec", .{entry.full_id}'
    ):
        pettingzoo.make("parallel", entry.full_id)
    assert isinstance(pettingzoo.make("aec", entry.full_id).unwrapped, raw_env)
    assert not aec_env(name).metadata["is_parallelizable"]


# -- Stable-Baselines3 -------------------------------------------------------------------------------------------------

VECTORS = {
    "DummyVecEnv": (sb3.DummyVecEnv, None),
    "SubprocVecEnv by fork": (sb3.SubprocVecEnv, {"start_method": "fork"}),
    "SubprocVecEnv by forkserver": (sb3.SubprocVecEnv, {"start_method": "forkserver"}),
}
AROUND = {
    "nothing": lambda envs: envs,
    "VecFrameStack": lambda envs: sb3.VecFrameStack(envs, 2),
    "VecCheckNan": sb3.VecCheckNan,
    "VecNormalize of rewards": lambda envs: sb3.VecNormalize(envs, norm_obs=False),
    "VecExtractDictObs": lambda envs: sb3.VecExtractDictObs(envs, "observation"),
}


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded, use of fork:DeprecationWarning")
@pytest.mark.parametrize(
    ("vector", "around"),
    [("DummyVecEnv", name) for name in AROUND] + [(name, "nothing") for name in VECTORS if name != "DummyVecEnv"],
)
def test_environments_of_make_vec_env(vector, around):
    kind, settings = VECTORS[vector]
    envs = make_vec_env(
        "rfop_env:rfop/Revolution-v0", 2, seed=1, vec_env_cls=kind, vec_env_kwargs=settings,
        env_kwargs={"opponent": "random"},
    )  # fmt: skip
    envs = AROUND[around](envs)
    try:
        envs.reset()
        episodes = 0
        for _ in range(60):
            masks = np.stack(envs.env_method("action_masks"))
            _, rewards, dones, infos = envs.step(masks.argmax(axis=1))
            assert np.isfinite(rewards).all()
            episodes += sum("episode" in info for info in infos)
            assert all("terminal_observation" in infos[i] for i in np.flatnonzero(dones))
        assert episodes >= 2 and len(envs.get_attr("spec")) == 2
    finally:
        envs.close()
