"""PufferLib's native interface and its vectorisation, beside a batch that plays the same games."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest

pytestmark = pytest.mark.libraries
pytest.importorskip("pufferlib")

import pufferlib
import pufferlib.emulation
import pufferlib.vector

import rfop_env
from rfop_env.core.errors import BadArgument, BadSeed, IllegalAction, NotStarted, UnknownName
from rfop_env.interfaces.setup import SeveralSeats
from rfop_env.interfaces.pufferlib_env import BUFFERS, GamePufferEnv
from rfop_env.registry import get_game

SOLO, TWO = "LiarsRaceSolo-v0", "LiarsRace-v0"
GAMES = 6


def first_legal(env, observations):
    return env.split(observations)[1].argmax(axis=1)


@pytest.mark.parametrize(
    ("name", "arguments"), [(SOLO, {}), (SOLO, {"reward": "margin"}), (TWO, {"opponent": "honest"})]
)
def test_it_plays_the_games_of_a_batch(name, arguments):
    env = GamePufferEnv(name, GAMES, **arguments)
    observations, infos = env.reset(seed=4)
    assert observations is env.observations and infos == []
    seeds = [env.batch.game_seed(i)[0] for i in range(GAMES)]
    plain = rfop_env.make_batch(name, GAMES, seeds, autoreset=True, **arguments)
    returns, episodes = np.zeros(GAMES), 0

    for _ in range(60):
        view, masks = env.split(observations)
        np.testing.assert_array_equal(view, plain.observation)
        np.testing.assert_array_equal(masks, plain.action_mask)
        actions = masks.argmax(axis=1)
        plain.step(actions)
        observations, rewards, terminals, truncations, infos = env.step(actions)
        np.testing.assert_array_equal(rewards, plain.own_rewards())
        np.testing.assert_array_equal(terminals, plain.terminated)
        assert not truncations.any() and env.masks.all()

        returns += rewards
        assert [info["episode_return"] for info in infos] == pytest.approx(returns[terminals].tolist())
        assert all(info["illegal"] == 0 and info["episode_length"] > 0 for info in infos)
        returns[terminals] = 0
        episodes += len(infos)
    assert episodes > GAMES


@pytest.mark.parametrize("name", rfop_env.list_games())
def test_every_game_is_laid_out_as_its_emulation_lays_it_out(name):
    game = get_game(name)
    opponent = None if game.spec.players == 1 else "random"
    emulated = pufferlib.emulation.GymnasiumPufferEnv(
        env_creator=lambda: (
            gymnasium.make(f"rfop/{name}", opponent=opponent) if opponent else gymnasium.make(f"rfop/{name}")
        )
    )
    native = GamePufferEnv(name, 1, opponent=opponent)
    assert native.single_observation_space == emulated.single_observation_space
    assert native.single_action_space == emulated.single_action_space
    assert native.emulated == emulated.emulated

    # The same position is the same row.
    row, _ = native.reset(seed=1)
    seed, _ = native.batch.game_seed(0)
    reference, _ = emulated.reset(seed=seed)
    np.testing.assert_array_equal(row.reshape(-1), np.asarray(reference).reshape(-1))


def test_the_mask_can_stay_outside():
    env = GamePufferEnv(SOLO, GAMES, mask_in_observation=False)
    observations, _ = env.reset(seed=1)
    assert observations.shape == (GAMES, env.game.observation.size) and env.emulated is False
    env.step(env.action_masks().argmax(axis=1))
    np.testing.assert_array_equal(env.observations, env.batch.observe(env.batch.current_player))


def test_an_illegal_action_loses_and_the_next_game_begins():
    env = GamePufferEnv(SOLO, GAMES)
    observations, _ = env.reset(seed=1)
    actions = first_legal(env, observations)
    actions[2] = np.flatnonzero(~env.action_masks()[2])[0]
    seed, episode = env.batch.game_seed(2)
    observations, rewards, terminals, _, infos = env.step(actions)
    assert terminals.tolist() == [i == 2 for i in range(GAMES)] and rewards[2] == env.game.spec.lowest_return
    assert infos == [{"episode_return": -1.0, "episode_length": 1.0, "illegal": 1.0}]
    assert env.batch.game_seed(2) == (seed, episode + 1) and env.split(observations)[1].any(axis=1).all()

    strict = GamePufferEnv(SOLO, GAMES, on_illegal="raise")
    strict.reset(seed=1)
    with pytest.raises(IllegalAction):
        strict.step(actions)


def test_games_of_neighbouring_seeds_differ():
    env = GamePufferEnv(SOLO, GAMES, seed=7)
    seeds = []
    for seed in (None, 8):
        env.reset(seed)
        seeds += [env.batch.game_seed(i)[0] for i in range(GAMES)]
    assert len(set(seeds)) == 2 * GAMES
    env.reset(7)
    assert [env.batch.game_seed(i)[0] for i in range(GAMES)] == seeds[:GAMES]
    env.reset()
    assert env.batch.game_seed(0) == (seeds[0], 1)
    unseeded = GamePufferEnv(SOLO, 1, seed=None)
    unseeded.reset()
    unseeded.step(unseeded.action_masks().argmax(axis=1))


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_plays_on_in_buffers_of_its_own(way):
    env = GamePufferEnv(SOLO, GAMES)
    observations, _ = env.reset(seed=1)
    env.step(first_legal(env, observations))
    twin = way(env)
    assert not np.shares_memory(env.observations, twin.observations)
    for _ in range(20):
        actions = first_legal(env, env.observations)
        for own, reference in zip(env.step(actions), twin.step(actions), strict=True):
            np.testing.assert_array_equal(own, reference)


BROKEN = pytest.mark.xfail(
    raises=AttributeError, strict=True, reason="Serial of pufferlib-core 3.0.3 cannot take any infos: a name is missing"
)
VECTORS = {
    "native": ({"backend": pufferlib.PufferEnv}, 1),
    "serial": ({"backend": pufferlib.vector.Serial, "num_envs": 2}, 2),
    "processes": ({"backend": pufferlib.vector.Multiprocessing, "num_envs": 2, "num_workers": 2, "overwork": True}, 2),
}


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded, use of fork:DeprecationWarning")
@pytest.mark.parametrize(
    ("settings", "copies"),
    [pytest.param(*values, id=name, marks=[BROKEN] if name == "serial" else []) for name, values in VECTORS.items()],
)
def test_vectorised(settings, copies):
    make = {"game": "Revolution-v0", "num_games": 4, "opponent": "random"}
    driver = GamePufferEnv(**make)
    vector = pufferlib.vector.make(GamePufferEnv, env_kwargs=make, **settings)
    try:
        observations, _ = vector.reset(seed=3)[:2]
        expected = [GamePufferEnv(**make) for _ in range(copies)]
        for k, env in enumerate(expected):
            env.reset(3 + k)
        for _ in range(20):
            np.testing.assert_array_equal(observations, np.concatenate([env.observations for env in expected]))
            actions = first_legal(driver, observations).astype(np.int32)
            observations, rewards, terminals = vector.step(actions)[:3]
            for k, env in enumerate(expected):
                env.step(actions[4 * k : 4 * k + 4])
            np.testing.assert_array_equal(rewards, np.concatenate([env.rewards for env in expected]))
            np.testing.assert_array_equal(terminals, np.concatenate([env.terminals for env in expected]))
    finally:
        vector.close()


def test_wrong_use():
    with pytest.raises(SeveralSeats):
        GamePufferEnv(TWO)
    with pytest.raises(UnknownName):
        GamePufferEnv(SOLO, bott="red")
    env = GamePufferEnv(SOLO, 2)
    buffers = {name: getattr(env, name) for name in BUFFERS}
    assert GamePufferEnv(SOLO, 2, buf=buffers).observations is env.observations
    for value in (buffers | {"observations": np.zeros((2, 3), np.int8)}, buffers | {"rewards": [0, 0]}, {}, 3):
        with pytest.raises(BadArgument, match="buf: "):
            GamePufferEnv(SOLO, 2, buf=value)
    with pytest.raises(NotStarted):
        env.step([0, 0])
    with pytest.raises(NotStarted):
        env.action_masks()
    with pytest.raises(BadSeed):
        env.reset(seed=-1)
