"""What the interfaces do beyond what the checkers look at."""

import copy
import subprocess
import sys

import gymnasium as gym
import numpy as np
import pettingzoo
import pytest
import toy_game
from gymnasium.vector import AutoresetMode

import rfop_env
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import (
    BadActions,
    BadArgument,
    BadSeed,
    GameOver,
    IllegalAction,
    NotStarted,
    UnknownName,
    UnknownOption,
)
from rfop_env.interfaces.setup import SeveralSeats
from rfop_env.interfaces.gymnasium_env import GameEnv
from rfop_env.interfaces.gymnasium_vector import GameVectorEnv
from rfop_env.interfaces.pettingzoo_aec import raw_env
from rfop_env.interfaces.sb3_vec_env import GameVecEnv
from rfop_env.registry import entries, get_entry, get_game, list_games, temporarily

SOLO, TWO = "LiarsRaceSolo-v0", "LiarsRace-v0"
RED_FLAG_SOLO = "RedFlagOverParisSolo-v1"
ILLEGAL = toy_game.TABLE.size


def first_legal(mask):
    """The first legal action of every row."""
    return np.asarray(mask).argmax(axis=-1)


# -- registry -------------------------------------------------------------------------------------------------------


def test_the_table_lists_the_games():
    ids = {"RedFlagOverParis-v1", "RedFlagOverParisSolo-v1", "LeveeEnMasse-v0", "Paris-v0", "Revolution-v0"}
    assert ids | {TWO, SOLO} == set(list_games())
    assert [e.id for e in entries()] == rfop_env.list_games()
    assert get_entry("RedFlagOverParisSolo-v1").full_id == "rfop/RedFlagOverParisSolo-v1"


def test_unknown_ids_get_a_hint():
    with pytest.raises(UnknownName, match="did you mean 'LiarsRace-v0'"):
        rfop_env.make("rfop/LiarRace-v0")
    with pytest.raises(UnknownName, match="'RedFlagOverParis-v1'"):
        get_game("RedFlagOverParis-v2")


@pytest.mark.parametrize("name", ["RedFlagOverParis", "RedFlagOverParisSolo"])
def test_an_earlier_version_says_what_has_replaced_it(name):
    with pytest.raises(UnknownName) as caught:
        rfop_env.make(f"rfop/{name}-v0")
    assert str(caught.value) == (
        f"unknown environment '{name}-v0': {name}-v1 has replaced it, which plays corrected rules of the Solo Opponent "
        "and observes the public history of the cards"
    )


def test_a_temporary_entry_leaves_no_trace():
    with temporarily(toy_game.leaky()) as name:
        assert f"rfop/{name}" in gym.registry and f"rfop/{name}" in pettingzoo.aec_registry
        with pytest.raises(ValueError, match="registered already"), temporarily("toy_game:leaky"):
            pass
        assert get_game(name) is toy_game.leaky()
    assert name not in list_games()
    assert f"rfop/{name}" not in gym.registry and f"rfop/{name}" not in pettingzoo.aec_registry


def test_the_natural_interface():
    assert isinstance(rfop_env.make(SOLO, length="long"), GameEnv)
    env = rfop_env.make(TWO, length="long")
    assert isinstance(env.unwrapped, raw_env)
    batch = rfop_env.make_batch(TWO, 3, 7, length="long", reward="margin", autoreset=True)
    assert isinstance(batch, GameBatch) and batch.autoreset and (batch.states["target"] == 20).all()
    with pytest.raises(UnknownName, match="option of LiarsRace-v0"):
        rfop_env.make_batch(TWO, 3, lenght="long")


def test_importing_is_light():
    code = (
        "import sys, rfop_env; heavy = [m for m in ('numba', 'torch', 'stable_baselines3', 'rfop_env.core.batch') "
        "if m in sys.modules]; games = [m for m in sys.modules if m.startswith('rfop_env.games')]; "
        "assert not heavy + games, heavy + games; import gymnasium, pettingzoo; "
        "assert 'rfop/RedFlagOverParisSolo-v1' in gymnasium.registry; "
        "assert 'rfop/RedFlagOverParis-v1' in pettingzoo.aec_registry; "
        "import importlib; importlib.reload(rfop_env)"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_ids_of_other_libraries():
    env = gym.make(f"rfop_env:rfop/{SOLO}", bot="blue")
    assert env.unwrapped.game is toy_game.solo() and env.spec.max_episode_steps is None
    vector = gym.make_vec(f"rfop/{SOLO}", num_envs=3, autoreset_mode=AutoresetMode.SAME_STEP)
    assert isinstance(vector, GameVectorEnv) and vector.autoreset_mode is AutoresetMode.SAME_STEP
    assert isinstance(gym.make_vec(f"rfop/{SOLO}", num_envs=2, vectorization_mode="sync"), gym.vector.SyncVectorEnv)
    assert isinstance(pettingzoo.make("aec", "rfop/LiarsRace-v0").unwrapped, raw_env)


# -- Gymnasium, one game --------------------------------------------------------------------------------------------


def test_reset_follows_the_seed():
    env, batch = GameEnv(SOLO), GameBatch(toy_game.solo(), 1, 5)
    for _ in range(3):
        observation, _ = env.reset(seed=5)
        np.testing.assert_array_equal(observation["observation"], batch.observation[0])
        env.reset()
        assert env.batch.game_seed(0) == (5, 1)
    assert env.reset(seed=2**63)[1].keys() == {"action_mask"}
    for seed in (-1, 1.5, "a"):
        with pytest.raises(BadSeed):
            env.reset(seed=seed)
    first, two = GameEnv(SOLO), GameEnv(SOLO)
    first.reset()
    two.reset()
    assert first.batch.game_seed(0) != two.batch.game_seed(0), "two unseeded environments play the same games"


def test_an_illegal_action_loses():
    env = GameEnv(SOLO, journal=True)
    first_view, info = env.reset(seed=0)
    assert isinstance(info["journal"], list)
    illegal = int(np.flatnonzero(~env.action_masks())[0])
    last_view, reward, terminated, truncated, info = env.step(illegal)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info["illegal_action"] == illegal and info["end_reason"] == "illegal action"
    np.testing.assert_array_equal(first_view["observation"], last_view["observation"])
    assert not last_view["action_mask"].any() and not env.action_masks().any()
    with pytest.raises(GameOver):
        env.step(0)
    env.reset()
    assert env.action_masks().any()


def test_an_illegal_action_raises_when_asked_to():
    env = GameEnv(SOLO, on_illegal="raise")
    env.reset(seed=0)
    snapshot = env.batch.states.tobytes()
    with pytest.raises(IllegalAction):
        env.step(int(np.flatnonzero(~env.action_masks())[0]))
    assert env.batch.states.tobytes() == snapshot
    env.step(int(first_legal(env.action_masks())))


# -- Gymnasium, many games ------------------------------------------------------------------------------------------


def test_a_game_that_ended_stays_until_its_reset():
    env = GameVectorEnv(SOLO, 2, autoreset_mode="Disabled", mask_in_observation=False)
    observation, _ = env.reset(seed=0)
    assert observation.shape == (2, toy_game.LAYOUT.size)
    env.step([ILLEGAL, first_legal(env.action_masks()[1])])
    with pytest.raises(GameOver):
        env.step(first_legal(env.action_masks()))
    _, rewards, terminated, _, infos = env.step([-1, first_legal(env.action_masks()[1])])
    assert not terminated[0] and rewards[0] == 0 and not infos["action_mask"][0].any() and infos["action_mask"][1].any()
    for mask in (np.array([1, 0]), np.zeros(2, np.bool_), np.ones(3, np.bool_)):
        with pytest.raises(BadActions, match="reset_mask"):
            env.reset(options={"reset_mask": mask})
    _, infos = env.reset(options={"reset_mask": np.array([True, False])})
    assert infos["action_mask"].any(axis=1).all()
    with pytest.raises(UnknownName, match="autoreset_mode"):
        GameVectorEnv(SOLO, 2, autoreset_mode="sometimes")


def test_many_games_with_raise_and_threads():
    env = GameVectorEnv(SOLO, 130, threads=2, on_illegal="raise")
    with pytest.raises(NotStarted):
        env.step(np.zeros(130, int))
    env.reset(seed=list(range(130)))
    snapshot = env.batch.states.tobytes()
    actions = first_legal(env.action_masks())
    actions[7] = ILLEGAL
    with pytest.raises(IllegalAction, match="game 7"):
        env.step(actions)
    assert env.batch.states.tobytes() == snapshot
    with pytest.raises(BadActions):
        env.step(0)


def test_arrays_of_the_last_step_are_not_overwritten():
    env = GameVectorEnv(SOLO, 3)
    outcomes = [env.reset(seed=0)]
    copies = [copy.deepcopy(outcomes[0])]
    for _ in range(30):
        outcomes.append(env.step(first_legal(env.action_masks())))
        copies.append(copy.deepcopy(outcomes[-1]))
    for a, b in zip(outcomes, copies, strict=True):
        np.testing.assert_array_equal(a[0]["observation"], b[0]["observation"])
        np.testing.assert_array_equal(a[-1]["action_mask"], b[-1]["action_mask"])


# -- PettingZoo -----------------------------------------------------------------------------------------------------


def test_agents_play_the_game_of_the_batch():
    env = rfop_env.make(TWO, reward="margin", journal=True)
    batch = GameBatch(toy_game.two_player(), 1, 3, reward="margin")
    env.reset(seed=3)
    returns = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, _, info = env.last()
        returns[agent] += reward
        if terminated:
            assert info["end_reason"] == batch.game.end_reasons[batch.end_reason[0]]
            env.step(None)
            continue
        assert agent == batch.game.spec.seats[batch.current_player[0]] and info["journal"] == batch.journal(0)
        np.testing.assert_array_equal(observation["observation"], batch.observation[0])
        action = int(first_legal(observation["action_mask"]))
        env.step(action)
        batch.step([action])
    assert list(returns.values()) == batch.rewards[0].tolist() and returns["red_0"] != 0
    assert all(isinstance(r, float) for r in returns.values()) and env.agents == []


def test_an_illegal_action_of_an_agent_raises_when_asked_to():
    env = raw_env(TWO, on_illegal="raise")
    env.reset(seed=0)
    with pytest.raises(IllegalAction):
        env.step(toy_game.DOUBT)
    assert not any(env.terminations.values())


def test_agents_keep_their_observations():
    env = raw_env(TWO)
    env.reset(seed=0)
    observations = []
    for _ in range(6):
        observation = env.last()[0]
        observations.append((observation, copy.deepcopy(observation)))
        env.step(int(first_legal(observation["action_mask"])))
    for results, copied in observations:
        np.testing.assert_array_equal(results["observation"], copied["observation"])
        np.testing.assert_array_equal(results["action_mask"], copied["action_mask"])


# -- Stable-Baselines3 ----------------------------------------------------------------------------------------------


def test_maskable_ppo_learns_on_both_formats():
    sb3_contrib = pytest.importorskip("sb3_contrib")
    from rfop_env.interfaces.sb3_vec_env import GameVecEnv

    for policy, with_mask in (("MlpPolicy", False), ("MultiInputPolicy", True)):
        env = GameVecEnv(SOLO, 4, seed=1, mask_in_observation=with_mask, on_illegal="raise")
        model = sb3_contrib.MaskablePPO(policy, env, n_steps=32, batch_size=64, n_epochs=1, seed=0, device="cpu")
        model.learn(256)
        assert len(model.ep_info_buffer) > 3
    single = GameEnv(SOLO, on_illegal="raise")
    sb3_contrib.MaskablePPO("MultiInputPolicy", single, n_steps=32, batch_size=32, device="cpu").learn(64)


def test_vec_env_evaluates_without_a_monitor(recwarn):
    pytest.importorskip("sb3_contrib")
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.evaluation import evaluate_policy

    from rfop_env.interfaces.sb3_vec_env import GameVecEnv

    env = GameVecEnv(SOLO, 3, seed=1)
    model = MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=8, device="cpu")
    recwarn.clear()
    mean, _ = evaluate_policy(model, env, n_eval_episodes=6)
    assert -1 <= mean <= 1 and not recwarn.list


def test_vec_env_details():
    pytest.importorskip("stable_baselines3")
    from rfop_env.interfaces.sb3_vec_env import GameVecEnv

    env = GameVecEnv(SOLO, 3)
    assert env.seed(5) == [5, 6, 7]
    env.reset()
    assert [env.batch.game_seed(i)[0] for i in range(3)] == [5, 6, 7]
    assert env.has_attr("action_masks") and not env.has_attr("nothing") and env.get_attr("render_mode", 1) == [None]
    np.testing.assert_array_equal(env.get_attr("action_masks")[2](), env.action_masks()[2])
    assert env.env_method("action_masks", indices=[0, 2]).shape == (2, ILLEGAL)
    assert env.env_method("journal", indices=0) == [env.batch.journal(0)]
    actions = first_legal(env.action_masks())
    actions[1] = ILLEGAL
    _, rewards, dones, infos = env.step(actions)
    assert dones.tolist() == [False, True, False] and rewards[1] == -1 and infos[0] == {}
    assert infos[1]["illegal_action"] == ILLEGAL and infos[1]["episode"]["r"] == -1 and infos[1]["episode"]["l"] == 1
    with pytest.raises(SeveralSeats):
        GameVecEnv(TWO, 2)
    with pytest.raises(UnknownName):
        env.env_method("undo")


def test_a_dense_reward_adds_up_to_the_return_and_a_forfeit_to_the_lowest():
    env = GameEnv("RedFlagOverParisSolo-v1", side="versailles", reward="mixed")
    for forfeit_at in (10**6, 30):
        _, info = env.reset(seed=4)
        total, terminated, steps = 0.0, False, 0
        while not terminated:
            action = -1 if steps == forfeit_at else int(np.flatnonzero(info["action_mask"])[0])
            _, reward, terminated, _, info = env.step(action)
            total, steps = total + reward, steps + 1
        if forfeit_at == 30:
            assert total == pytest.approx(-1.0, abs=1e-5)
        else:
            assert total == pytest.approx(float(env.batch.returns_so_far()[0, 0]), abs=1e-5)
            assert -1.0 <= total <= 1.0 and total != round(total)


def test_pettingzoo_refuses_dense_rewards():
    with pytest.raises(UnknownName, match="reward of a PettingZoo environment"):
        raw_env("RedFlagOverParisSolo-v1", reward="mixed")


def test_a_side_can_be_chosen_at_every_reset():
    env = gym.make("rfop/RedFlagOverParisSolo-v1", side="commune")
    for side, options in (("versailles", {"side": "versailles"}), ("commune", None), ("commune", {})):
        env.reset(seed=3, options=options)
        assert env.unwrapped.batch.given_options == {"side": side}
        assert env.unwrapped.game.seat_names(env.unwrapped.batch.record()) == (side.capitalize(),)


def test_what_a_reset_cannot_change_is_refused_with_what_it_can():
    with pytest.raises(BadArgument, match=r"players=3 changes the seats of Paris-v0, which a reset cannot: make"):
        raw_env("Paris-v0").reset(options={"players": 3})
    with pytest.raises(UnknownOption, match=r"unknown option of RedFlagOverParisSolo-v1 'seat'.*side"):
        GameEnv(RED_FLAG_SOLO).reset(options={"seat": 1})
    with pytest.raises(UnknownName, match=r"unknown value of option 'side' 'prussia': valid: 'commune', 'versailles'"):
        GameEnv(RED_FLAG_SOLO).reset(options={"side": "prussia"})
    envs = GameVecEnv(RED_FLAG_SOLO, 2)
    envs.set_options([{"side": "commune"}, {"side": "versailles"}])
    with pytest.raises(BadArgument, match=r"all games have the same options: give one mapping"):
        envs.reset()
    envs.reset()


@pytest.mark.parametrize("mode", ["NEXT_STEP", "SAME_STEP", "DISABLED"])
def test_a_vector_environment_truncates_as_gymnasium_is_asked_to(mode):
    envs = gym.make_vec("rfop/Revolution-v0", 3, max_episode_steps=2, opponent="random", autoreset_mode=mode)
    envs.reset(seed=0)
    truncations = []
    for _ in range(2):
        _, _, _, truncated, infos = envs.step(envs.action_masks().argmax(axis=1))
        truncations.append(truncated.all())
    assert truncations == [False, True] and "end_reason" not in infos
    with pytest.raises(BadArgument, match="max_episode_steps"):
        gym.make_vec("rfop/Revolution-v0", 3, max_episode_steps=0, opponent="random")
