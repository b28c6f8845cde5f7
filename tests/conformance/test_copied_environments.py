"""Copied and pickled environments: they act by their own masks, in wrappers and in other processes too."""

import functools
import multiprocessing
import pickle

import cloudpickle
import gymnasium
import numpy as np
import pytest

import rfop_env
from rfop_env.interfaces.gymnasium_env import GameEnv
from rfop_env.interfaces.pettingzoo_aec import raw_env
from rfop_env.testing.copies import WAYS, check_copy

SOLO, TWO = "LiarsRaceSolo-v0", "LiarsRace-v0"
DEEP = {name: way for name, way in WAYS.items() if name != "copy"}  # a wrapper's shallow copy shares what it wraps
EVERY_WAY = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
EVERY_DEEP_WAY = pytest.mark.parametrize("way", DEEP.values(), ids=DEEP)


def play(env, seed):
    """Play a game to its end by the environment's own mask; the reason for the end."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    info, over = {}, False
    while not over:
        _, _, over, _, info = env.step(int(rng.choice(np.flatnonzero(env.unwrapped.action_masks()))))
    return info["end_reason"]


@EVERY_WAY
def test_a_copy_that_acts_by_its_own_mask_never_forfeits(way):
    env = GameEnv(SOLO)
    env.reset(seed=0)
    assert {play(way(env), seed) for seed in range(30)} <= {"target reached", "last turn played"}


@EVERY_WAY
def test_a_copied_agent_environment_never_forfeits(way):
    env = raw_env(TWO)
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(30):
        env = way(env)
        env.reset()
        while not any(env.terminations.values()):
            env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
        assert "illegal_agent" not in env.infos[env.agent_selection]


@EVERY_DEEP_WAY
def test_copies_inside_wrappers(way):
    env = gymnasium.make(f"rfop/{SOLO}", bot="random")
    env.reset(seed=3)
    twin = way(env)
    check_copy(env.unwrapped, twin.unwrapped)
    assert play(env, 4) == play(twin, 4)
    check_copy(env.unwrapped, twin.unwrapped)

    env = rfop_env.make(TWO)
    check_copy(env.unwrapped, way(env).unwrapped)
    env.reset(seed=3)
    twin = way(env)
    for agents in (env, twin):
        for _ in range(3):
            agents.step(int(agents.last()[0]["action_mask"].argmax()))
    check_copy(env.unwrapped, twin.unwrapped)


@EVERY_WAY
def test_the_random_numbers_of_an_environment_are_copied(way):
    env = GameEnv(SOLO)
    env.reset(seed=3)
    env.action_space.seed(5)
    env.observation_space.seed(6)
    env.np_random.random(7)
    twin = way(env)
    assert env.np_random.integers(2**62) == twin.np_random.integers(2**62)
    assert env.action_space.sample() == twin.action_space.sample()
    sample, two = env.observation_space.sample(), twin.observation_space.sample()
    assert all(np.array_equal(sample[key], two[key]) for key in sample)
    env.reset()
    twin.reset()
    check_copy(env, twin)


def test_an_environment_keeps_its_arguments():
    env = GameEnv(
        TWO, opponent="honest", seat="blue_1", reward="margin", render_mode="ansi", on_illegal="raise", journal=True,
        mask_in_observation=False, length="long",
    )  # fmt: skip
    env.reset(seed=3)
    twin = pickle.loads(pickle.dumps(env))
    assert twin.render() == env.render() and twin.batch.reward == env.batch.reward
    assert twin.batch.given_options == {"length": "long"} and twin.batch.current_player.tolist() == [1]
    actions = [int(np.flatnonzero(environment.action_masks())[0]) for environment in (env, twin)]
    (view, *_, info), (other_seen, *_, other_info) = env.step(actions[0]), twin.step(actions[1])
    np.testing.assert_array_equal(view, other_seen)
    assert info["journal"] == other_info["journal"]


def play_and_return(env, seed):
    """A game played to its end in another process, and the environment after it."""
    return play(env, seed), env


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_an_environment_goes_on_in_another_process(method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {method}")
    env = GameEnv(TWO, opponent="random", length="long")
    env.reset(seed=2)
    with multiprocessing.get_context(method).Pool(1) as pool:
        reason, twin = pool.apply(play_and_return, (env, 5))
    assert reason == play(env, 5)
    check_copy(env, twin)


def itself(thing):
    """The environment that a worker process gets with its function."""
    return thing


def test_stable_baselines3_takes_copies_into_its_processes():
    pytest.importorskip("stable_baselines3")
    from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

    env = GameEnv(SOLO, bot="random")
    env.reset(seed=2)
    functions = [functools.partial(itself, cloudpickle.loads(cloudpickle.dumps(env))) for _ in range(2)]
    processes, two = SubprocVecEnv(functions), DummyVecEnv(functions)
    try:
        for envs in (processes, two):
            envs.seed(7)
        np.testing.assert_array_equal(processes.reset()["observation"], two.reset()["observation"])
        for _ in range(20):
            masks = [np.stack(envs.env_method("action_masks")) for envs in (processes, two)]
            np.testing.assert_array_equal(*masks)
            for own, reference in zip(
                processes.step(masks[0].argmax(1))[1:3], two.step(masks[1].argmax(1))[1:3], strict=True
            ):
                np.testing.assert_array_equal(own, reference)
    finally:
        processes.close()
