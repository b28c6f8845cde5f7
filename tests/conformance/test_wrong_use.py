"""Wrong arguments and calls in the wrong order: one clear error each, in every environment and interface."""

import re
import warnings

import gymnasium
import numpy as np
import pettingzoo
import pytest

import rfop_env
from rfop_env.core.errors import BadActions, BadArgument, BadSeed, NotStarted, RfopError, UnknownName, UnknownOption
from rfop_env.interfaces.setup import SeveralSeats
from rfop_env.interfaces.gymnasium_env import GameEnv
from rfop_env.interfaces.gymnasium_vector import GameVectorEnv
from rfop_env.interfaces.pettingzoo_aec import raw_env
from rfop_env.registry import get_game

SOLO, TWO = "LiarsRaceSolo-v0", "LiarsRace-v0"
GAMES = [*rfop_env.list_games(), SOLO, TWO]
EVERY_GAME = pytest.mark.parametrize("name", GAMES)


def vec_env(*arguments, **named):
    """A `GameVecEnv`, where Stable-Baselines3 is installed."""
    pytest.importorskip("stable_baselines3")
    from rfop_env.interfaces.sb3_vec_env import GameVecEnv

    return GameVecEnv(*arguments, **named)


ONE_SEAT = {"GameEnv": GameEnv, "GameVectorEnv": GameVectorEnv, "GameVecEnv": vec_env}
EVERY = {**ONE_SEAT, "raw_env": raw_env, "make_batch": lambda name, **named: rfop_env.make_batch(name, 2, **named)}
EVERY_INTERFACE = pytest.mark.parametrize("interface", EVERY)


def made(interface, name, **named):
    """An environment, with an opponent inside where the interface is for one seat and the game has several."""
    if interface in ONE_SEAT and get_game(name).opponents:
        named = {"opponent": "random", **named}
    return EVERY[interface](name, **named)


# -- arguments ---------------------------------------------------------------------------------------------------------


@EVERY_GAME
@EVERY_INTERFACE
def test_an_unknown_option_is_answered_with_all_there_are(interface, name):
    with pytest.raises(UnknownOption, match=f"unknown option of {name} 'sidde'") as caught:
        made(interface, name, sidde="red")
    names = [option.name for option in get_game(name).options]
    assert all(re.search(rf"\b{word}\b", str(caught.value)) for word in [*names, "components", "reward"])
    assert set(names) < set(caught.value.valid)


@EVERY_GAME
@EVERY_INTERFACE
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"reward": ""}, "unknown reward of .* ''"),
        ({"reward": 5}, "unknown reward of .* 5"),
        ({"components": 5}, "components: expected a path, a component set or None, found 5"),
    ],
)
def test_wrong_arguments_of_every_interface(interface, name, arguments, message):
    with pytest.raises(RfopError, match=message):
        made(interface, name, **arguments)


@EVERY_GAME
@pytest.mark.parametrize("interface", ONE_SEAT)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mask_in_observation": "no"}, "mask_in_observation: expected True or False, found 'no'"),
        ({"render_mode": "3d"}, "unknown value of render_mode '3d': valid: 'None', .*'ansi', 'svg', 'rgb_array'"),
        ({"render_mode": 5}, "unknown value of render_mode 5"),
        ({"on_illegal": ["lose"]}, r"unknown value of on_illegal \['lose'\]"),
    ],
)
def test_wrong_arguments_of_the_interfaces_for_one_seat(interface, name, arguments, message):
    with pytest.raises(RfopError, match=message):
        made(interface, name, **arguments)


@pytest.mark.parametrize("interface", ["GameVectorEnv", "GameVecEnv"])
@pytest.mark.parametrize("number", [0, -1, 2.5, "4", None, True, 10**12])
def test_wrong_numbers_of_games(interface, number):
    with pytest.raises(BadArgument, match=r"num_envs|games of LiarsRaceSolo-v0 take"):
        EVERY[interface](SOLO, number)
    with pytest.raises(BadArgument, match="threads 1000000 is out of range 1 to 1024"):
        EVERY[interface](SOLO, 2, threads=10**6)


@EVERY_GAME
def test_seats_and_opponents_that_do_not_fit(name):
    game = get_game(name)
    if game.opponents:
        with pytest.raises(BadArgument, match="name an opponent too"):
            rfop_env.make_batch(name, 1, seat=0)
        with pytest.raises(SeveralSeats, match='say opponent="random"'):
            rfop_env.make(name, seat=0)
        with pytest.raises(BadArgument, match=f"seat 9 is out of range 0 to {game.spec.players - 1}"):
            rfop_env.make(name, opponent="random", seat=9)
        assert isinstance(rfop_env.make(name, opponent=None).unwrapped, raw_env)
        return
    for make in (lambda **named: rfop_env.make_batch(name, 1, **named), lambda **named: rfop_env.make(name, **named)):
        with pytest.raises(BadArgument, match=f"{name} has one seat and no opponents"):
            make(opponent="random")
        with pytest.raises(BadArgument, match="name an opponent too"):
            make(seat=0)


def test_what_is_no_game():
    for wrong in (5, None, ["Paris-v0"]):
        for make in (get_game, rfop_env.make, GameEnv, raw_env):
            with pytest.raises(UnknownName, match="unknown environment"):
                make(wrong)


# -- the wrong order ---------------------------------------------------------------------------------------------------


@EVERY_GAME
@pytest.mark.parametrize("interface", ONE_SEAT)
def test_nothing_is_seen_before_the_first_reset(interface, name):
    env = made(interface, name, render_mode="ansi")
    calls = [env.action_masks, lambda: env.step(np.zeros(1, int))]
    if interface == "GameVecEnv":
        calls += [lambda: env.env_method("render"), lambda: env.env_method("journal"), env.step_wait]
    else:
        calls += [env.render]
    for call in calls:
        with pytest.raises(NotStarted, match="call reset"):
            call()
    env.reset()
    assert env.action_masks().any()


@EVERY_GAME
def test_agents_see_nothing_before_the_first_reset(name):
    env = raw_env(name, render_mode="ansi")
    for call in (env.render, env.last, lambda: env.observe(env.possible_agents[0]), lambda: env.step(0)):
        with pytest.raises(NotStarted, match="call reset"):
            call()
    env.reset(seed=1)
    assert env.render() and env.last()[0]["action_mask"].any()


@EVERY_GAME
def test_agents_that_are_not_there(name):
    env = raw_env(name)
    env.reset(seed=1)
    for wrong in ("nobody", 0, None, ["a"]):
        for call in (env.observe, env.observation_space, env.action_space):
            with pytest.raises(UnknownName, match=f"unknown agent of {name}"):
                call(wrong)


def test_the_wrappers_of_the_libraries_speak_first():
    env = gymnasium.make(f"rfop/{SOLO}", render_mode="ansi")
    for call in (env.render, lambda: env.step(0)):
        with pytest.raises(gymnasium.error.ResetNeeded):
            call()
    agents = pettingzoo.make("aec", "rfop/LiarsRace-v0", render_mode="ansi")
    for call in (agents.render, lambda: agents.step(0)):
        with pytest.raises((AssertionError, AttributeError, RuntimeError)):
            call()


def test_a_step_that_was_never_begun():
    env = vec_env(SOLO, 2, seed=1)
    env.reset()
    with pytest.raises(NotStarted, match="call step_async"):
        env.step_wait()


# -- what is handed to a running environment ---------------------------------------------------------------------------

RAGGED = [[0], [0, 1]]


@EVERY_GAME
@pytest.mark.parametrize("interface", [*ONE_SEAT, "raw_env"])
def test_ragged_and_nested_actions(interface, name):
    env = made(interface, name)
    env.reset(seed=1) if interface != "GameVecEnv" else env.reset()
    before = env.batch.states.tobytes()
    for wrong in (RAGGED, [[0]], [[0], [0]], {"action": 0}, "keep", None, 0.5):
        with pytest.raises(BadActions, match="action"):
            env.step(wrong)
    assert env.batch.states.tobytes() == before


def test_wrong_games_of_a_vec_env():
    env = vec_env(SOLO, 3, seed=1)
    env.reset()
    for method in ("action_masks", "journal", "render"):
        for wrong in (3, -1, [0, 9]):
            with pytest.raises(BadArgument, match=r"index .* is out of range 0 to 2"):
                env.env_method(method, indices=wrong)
        with pytest.raises(BadArgument, match="index: expected an integer"):
            env.env_method(method, indices=["0"])
    assert len(env.env_method("action_masks", indices=2)) == 1


@pytest.mark.parametrize("seed", [-1, 1.5, "7", True, 2**64])
def test_wrong_seeds_leave_the_seeds_in_force(seed):
    env = vec_env(SOLO, 2, seed=5)
    with pytest.raises(BadSeed):
        env.seed(seed)
    env.reset()
    assert [env.batch.seed_of(i)[0] for i in range(2)] == [5, 6]

    vector = GameVectorEnv(SOLO, 2)
    vector.reset(seed=5)
    for call in (lambda: vector.reset(seed=seed), lambda: vector.reset(options={"reset_mask": RAGGED})):
        with pytest.raises((BadSeed, BadActions)):
            call()
    assert [vector.batch.seed_of(i) for i in range(2)] == [(5, 0), (6, 0)] and vector.np_random_seed == 5


def test_one_warning_for_a_drawing_without_a_mode():
    env = GameVectorEnv(SOLO, 3)
    env.reset(seed=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert env.render() is None
    assert len(caught) == 1 and "render mode" in str(caught[0].message)
