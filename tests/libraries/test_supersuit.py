"""SuperSuit around agent environments: its wrappers of observations want plain boxes, others take the mask."""

import numpy as np
import pytest

pytestmark = pytest.mark.libraries
pytest.importorskip("supersuit")

import supersuit

import rfop_env
from rfop_env.interfaces.pettingzoo_aec import raw_env

TWO = "LiarsRace-v0"

PLAIN = {
    "flatten_v0": supersuit.flatten_v0,
    "dtype_v0": lambda env: supersuit.dtype_v0(env, np.float32),
    "frame_stack_v1": lambda env: supersuit.frame_stack_v1(env, 3),
    "normalize_obs_v0": lambda env: supersuit.normalize_obs_v0(supersuit.dtype_v0(env, np.float32)),
    "reshape_v0": lambda env: supersuit.reshape_v0(env, (env.observation_space(env.possible_agents[0]).shape[0], 1)),
    "pad_observations_v0": supersuit.pad_observations_v0,
    "pad_action_space_v0": supersuit.pad_action_space_v0,
    "clip_reward_v0": supersuit.clip_reward_v0,
    "reward_lambda_v0": lambda env: supersuit.reward_lambda_v0(env, lambda reward: reward),
    "observation_lambda_v0": lambda env: supersuit.observation_lambda_v0(env, lambda seen, space: seen),
}
WITH_MASK = {name: PLAIN[name] for name in ("pad_action_space_v0", "clip_reward_v0", "reward_lambda_v0")}


def play_beside(env, plain):
    """The same game through a wrapper and without; the observations of both."""
    for environment in (env, plain):
        environment.reset(seed=3)
    observations = []
    for agent in env.agent_iter():
        observation, reward, terminated, _, info = env.last()
        expected, payoff, *_ = plain.last()
        assert agent == plain.agent_selection and reward == payoff
        assert env.observation_space(agent).contains(observation)
        observations.append((observation, expected))
        action = None if terminated else int(info["action_mask"].argmax())
        for environment in (env, plain):
            environment.step(action)
    assert not plain.agents
    return observations


@pytest.mark.parametrize("wrap", PLAIN.values(), ids=PLAIN)
def test_a_game_of_plain_observations(wrap):
    view = play_beside(wrap(raw_env(TWO, mask_in_observation=False)), raw_env(TWO, mask_in_observation=False))
    assert len(view) > 10


@pytest.mark.parametrize("wrap", WITH_MASK.values(), ids=WITH_MASK)
def test_a_game_of_observations_with_the_mask(wrap):
    assert len(play_beside(wrap(raw_env(TWO)), raw_env(TWO))) > 10


def test_what_frames_and_types_are():
    make = raw_env(TWO, mask_in_observation=False)
    pairs = play_beside(supersuit.dtype_v0(make, np.float32), raw_env(TWO, mask_in_observation=False))
    for view, expected in pairs:
        assert view.dtype == np.float32
        np.testing.assert_array_equal(view, expected)


def test_wrappers_of_a_shipped_game():
    env = supersuit.frame_stack_v1(rfop_env.make("Revolution-v0", mask_in_observation=False), 2)
    view = play_beside(env, rfop_env.make("Revolution-v0", mask_in_observation=False))
    assert view[5][0].shape == (*view[5][1].shape, 2) or view[5][0].size == 2 * view[5][1].size
