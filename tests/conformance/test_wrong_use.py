"""Wrong arguments and calls in the wrong order: one clear error each, in every interface."""

import re
import warnings
from functools import partial

import numpy as np
import pytest

import rfop_env
from rfop_env.core.errors import BadActions, BadArgument, BadSeed, NotStarted, RfopError, UnknownName, UnknownOption
from rfop_env.interfaces.setup import BATCH, SeveralSeats, Setup
from rfop_env.interfaces.gymnasium_env import GameEnv
from rfop_env.interfaces.gymnasium_vector import GameVectorEnv
from rfop_env.interfaces.pettingzoo_aec import raw_env
from rfop_env.registry import get_game

SOLO, TWO = "LiarsRaceSolo-v0", "LiarsRace-v0"
GAMES = [*rfop_env.list_games(), SOLO, TWO]
NAMES = (*BATCH, "render_mode", "on_illegal", "mask_in_observation", "journal")


def vec_env(*args, **kwargs):
    """A `GameVecEnv`, where Stable-Baselines3 is installed."""
    pytest.importorskip("stable_baselines3")
    from rfop_env.interfaces.sb3_vec_env import GameVecEnv

    return GameVecEnv(*args, **kwargs)


ONE_SEAT = {"GameEnv": GameEnv, "GameVectorEnv": GameVectorEnv, "GameVecEnv": vec_env}
EVERY = {**ONE_SEAT, "raw_env": raw_env, "make_batch": lambda name, **kwargs: rfop_env.make_batch(name, 2, **kwargs)}
EVERY_INTERFACE = pytest.mark.parametrize("interface", EVERY)


# -- arguments ---------------------------------------------------------------------------------------------------------


def test_an_unknown_option_is_answered_with_all_there_are():
    for game in map(get_game, GAMES):
        with pytest.raises(UnknownOption, match=f"unknown option of {game.id} 'sidde'") as caught:
            Setup.read(game, {"sidde": "red"}, NAMES, ("own",), several_seats=True)
        options = [option.name for option in game.options]
        assert all(re.search(rf"\b{word}\b", str(caught.value)) for word in [*options, *NAMES, "own"])
        assert set(options) < set(caught.value.valid)


WRONG = {
    "reward": [("", "unknown reward of .* ''"), (5, "unknown reward of .* 5")],
    "components": [(5, "components: expected a path, a component set or None, found 5")],
    "mask_in_observation": [("no", "mask_in_observation: expected True or False, found 'no'")],
    "journal": [(1, "journal: expected True or False, found 1")],
    "render_mode": [
        ("3d", "unknown value of render_mode '3d': valid: 'None', 'ansi', 'svg', 'rgb_array'"),
        ("human", "unknown value of render_mode 'human'"),
        (5, "unknown value of render_mode 5"),
    ],
    "on_illegal": [(["lose"], r"unknown value of on_illegal \['lose'\]")],
    "threads": [(10**6, "threads 1000000 is out of range 1 to 1024")],
}


@pytest.mark.parametrize("argument", WRONG)
def test_a_wrong_argument_is_refused(argument):
    for value, message in WRONG[argument]:
        with pytest.raises(RfopError, match=message):
            Setup.read(SOLO, {argument: value}, NAMES).new_batch(2)


@EVERY_INTERFACE
def test_every_interface_refuses_wrong_arguments(interface):
    names = ("mask_in_observation", "render_mode", "on_illegal") if interface != "make_batch" else ()
    for argument in ("reward", "components", *names):
        value, message = WRONG[argument][0]
        with pytest.raises(RfopError, match=message.split(":")[0]):
            EVERY[interface](SOLO, **{argument: value})
    with pytest.raises(UnknownOption, match=f"unknown option of {SOLO} 'sidde'"):
        EVERY[interface](SOLO, sidde="red")


@pytest.mark.parametrize("interface", ["GameVectorEnv", "GameVecEnv"])
def test_wrong_numbers_of_games(interface):
    for number in (0, -1, 2.5, "4", None, True, 10**12):
        with pytest.raises(BadArgument, match=r"num_envs|games of LiarsRaceSolo-v0 take"):
            EVERY[interface](SOLO, number)


def test_seats_and_opponents_that_do_not_fit():
    for game in map(get_game, GAMES):
        with pytest.raises(BadArgument, match="name an opponent too"):
            rfop_env.make_batch(game.id, 1, seat=0)
        if not game.opponents:
            with pytest.raises(BadArgument, match="name an opponent too"):
                rfop_env.make(game.id, seat=0)
            for make in (partial(rfop_env.make_batch, num_games=1), rfop_env.make):
                with pytest.raises(BadArgument, match=f"{game.id} has one seat and no opponents"):
                    make(game.id, opponent="random")
            continue
        with pytest.raises(SeveralSeats, match='say opponent="random"'):
            rfop_env.make(game.id, seat=0)
        with pytest.raises(BadArgument, match=f"seat 9 is out of range 0 to {game.spec.players - 1}"):
            rfop_env.make(game.id, opponent="random", seat=9)
        assert isinstance(rfop_env.make(game.id, opponent=None).unwrapped, raw_env)


def test_what_is_no_game():
    for value in (5, None, ["Paris-v0"]):
        for make in (get_game, rfop_env.make, GameEnv, raw_env):
            with pytest.raises(UnknownName, match="unknown environment"):
                make(value)


# -- the wrong order ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("interface", ONE_SEAT)
def test_nothing_is_seen_before_the_first_reset(interface):
    env = EVERY[interface](SOLO, render_mode="ansi")
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


def test_agents_see_nothing_before_the_first_reset():
    env = raw_env(TWO, render_mode="ansi")
    for call in (env.render, env.last, lambda: env.observe(env.possible_agents[0]), lambda: env.step(0)):
        with pytest.raises(NotStarted, match="call reset"):
            call()
    env.reset(seed=1)
    assert env.render() and env.last()[0]["action_mask"].any()


def test_agents_that_are_not_there():
    env = raw_env(TWO)
    env.reset(seed=1)
    for agent in ("nobody", 0, None, ["a"]):
        for call in (env.observe, env.observation_space, env.action_space):
            with pytest.raises(UnknownName, match=f"unknown agent of {TWO}"):
                call(agent)


def test_a_step_that_was_never_begun():
    env = vec_env(SOLO, 2, seed=1)
    env.reset()
    with pytest.raises(NotStarted, match="call step_async"):
        env.step_wait()


# -- what is handed to a running environment ---------------------------------------------------------------------------

RAGGED = [[0], [0, 1]]


@pytest.mark.parametrize("interface", [*ONE_SEAT, "raw_env"])
def test_ragged_and_nested_actions(interface):
    env = EVERY[interface](SOLO)
    env.reset()
    snapshot = env.batch.states.tobytes()
    for action in (RAGGED, [[0]], [[0], [0]], {"action": 0}, "keep", None, 0.5):
        with pytest.raises(BadActions, match="action"):
            env.step(action)
    assert env.batch.states.tobytes() == snapshot


def test_wrong_games_of_a_vec_env():
    env = vec_env(SOLO, 3, seed=1)
    env.reset()
    for method in ("action_masks", "journal", "render"):
        for indices in (3, -1, [0, 9]):
            with pytest.raises(BadArgument, match=r"index .* is out of range 0 to 2"):
                env.env_method(method, indices=indices)
        with pytest.raises(BadArgument, match="index: expected an integer"):
            env.env_method(method, indices=["0"])
    assert len(env.env_method("action_masks", indices=2)) == 1


def test_wrong_seeds_leave_the_seeds_in_force():
    env, vector = vec_env(SOLO, 2, seed=5), GameVectorEnv(SOLO, 2)
    vector.reset(seed=5)
    for seed in (-1, 1.5, "7", True, 2**64):
        for call in (env.seed, lambda seed: vector.reset(seed=seed)):
            with pytest.raises(BadSeed):
                call(seed)
    with pytest.raises(BadActions):
        vector.reset(options={"reset_mask": RAGGED})
    env.reset()
    assert [env.batch.game_seed(i)[0] for i in range(2)] == [5, 6]
    assert [vector.batch.game_seed(i) for i in range(2)] == [(5, 0), (6, 0)] and vector.np_random_seed == 5


def test_one_warning_for_a_drawing_without_a_mode():
    env = GameVectorEnv(SOLO, 3)
    env.reset(seed=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert env.render() is None
    assert len(caught) == 1 and "render mode" in str(caught[0].message)
