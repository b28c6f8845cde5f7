"""TorchRL: our batched environment, and its wrappers of the other interfaces, which need nothing of ours."""

import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pytest

pytestmark = [
    pytest.mark.libraries,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of TorchRL, about its own next versions
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested using:UserWarning"),
    pytest.mark.filterwarnings("ignore:The given NumPy array is not writable:UserWarning"),  # masks of waiting seats
]
pytest.importorskip("torchrl")

import torch
from tensordict.nn import TensorDictModule

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its collectors warn of their own next version
    from torchrl.collectors import Collector
from torchrl.envs import ActionMask, GymEnv, GymWrapper, PettingZooWrapper, TransformedEnv
from torchrl.envs.utils import check_env_specs

import rfop_env
from rfop_env.core.errors import BadSeed, IllegalAction, NotStarted, UnknownName
from rfop_env.interfaces.setup import SeveralSeats
from rfop_env.interfaces.torchrl_env import GameTorchEnv

SOLO, TWO = "LiarsRaceSolo-v0", "LiarsRace-v0"
GAMES = 5


def inside(name):
    """What makes a game one for a single seat."""
    return {} if "Solo" in name or "Levee" in name else {"opponent": "random"}


class FirstLegal(torch.nn.Module):
    def forward(self, mask):
        return mask.to(torch.uint8).argmax(-1)


POLICY = TensorDictModule(FirstLegal(), in_keys=["action_mask"], out_keys=["action"])


@pytest.mark.parametrize("name", [SOLO, TWO, *rfop_env.list_games()])
def test_its_specs_hold(name):
    check_env_specs(GameTorchEnv(name, 3, **inside(name)))


@pytest.mark.parametrize(
    ("name", "arguments"), [(SOLO, {}), (SOLO, {"reward": "margin"}), (TWO, {"opponent": "honest"})]
)
def test_it_plays_the_games_of_a_batch(name, arguments):
    env = GameTorchEnv(name, GAMES, **arguments)
    env.set_seed(4)
    rollout = env.rollout(40, POLICY, break_when_any_done=False)
    plain = rfop_env.make_batch(name, GAMES, 4, autoreset=True, **arguments)
    episodes = 0
    for t in range(40):
        np.testing.assert_array_equal(rollout[:, t]["observation"], plain.observation)
        np.testing.assert_array_equal(rollout[:, t]["action_mask"], plain.action_mask)
        plain.step(rollout[:, t]["action"].numpy())
        following = rollout[:, t]["next"]
        np.testing.assert_array_equal(following["reward"][:, 0], plain.own_rewards())
        np.testing.assert_array_equal(following["done"][:, 0], plain.terminated)
        np.testing.assert_array_equal(following["terminated"], following["done"])
        episodes += int(following["done"].sum())
    assert episodes > GAMES


def test_a_game_that_has_ended_waits_for_its_reset():
    env = GameTorchEnv(SOLO, GAMES)
    env.set_seed(1)
    step = env.reset()
    illegal = step["action_mask"].to(torch.uint8).argmin(-1)
    actions = step["action_mask"].to(torch.uint8).argmax(-1)
    actions[2] = illegal[2]
    step = env.step(step.set("action", actions))["next"]
    assert step["done"][:, 0].tolist() == [i == 2 for i in range(GAMES)] and step["reward"][2] == -1
    assert step["action_mask"][2].all(), "a distribution over nothing cannot be sampled"

    # It stays, whatever is done, and the others go on.
    again = env.step(step.exclude("reward").set("action", step["action_mask"].to(torch.uint8).argmax(-1)))["next"]
    assert again["reward"][2] == 0 and again["done"][2] and not again["done"][1]
    assert torch.equal(again["observation"][2], step["observation"][2])
    fresh = env.reset(again.exclude("reward").set("_reset", again["done"]))
    assert not fresh["done"].any() and not fresh["action_mask"].all(dim=1).any()

    strict = GameTorchEnv(SOLO, GAMES, on_illegal="raise")
    strict.set_seed(1)
    with pytest.raises(IllegalAction):
        strict.step(strict.reset().set("action", illegal))


def test_seeds():
    env, twin = GameTorchEnv(SOLO, GAMES), GameTorchEnv(SOLO, GAMES)
    env.set_seed(7)
    env.reset()
    assert [env.batch.game_seed(i) for i in range(GAMES)] == [(7 + i, 0) for i in range(GAMES)]
    env.reset()
    assert env.batch.game_seed(0) == (7, 1)
    torch.manual_seed(3)
    env = GameTorchEnv(SOLO, GAMES)
    first = env.reset()["observation"]
    torch.manual_seed(3)
    assert torch.equal(first, twin.reset()["observation"]) and env.batch.game_seed(0) == twin.batch.game_seed(0)
    with pytest.raises(BadSeed):
        env.set_seed(-1)


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_plays_on_alike(way):
    env = GameTorchEnv(SOLO, GAMES)
    env.set_seed(2)
    step = env.reset()
    twin = way(env)
    assert not np.shares_memory(env.batch.observation, twin.batch.observation)
    actions = step["action_mask"].to(torch.uint8).argmax(-1)
    first, two = (environment.step(step.clone().set("action", actions)) for environment in (env, twin))
    assert (first == two).all()


def test_a_collector_plays_whole_games():
    collector = Collector(GameTorchEnv(SOLO, GAMES), POLICY, frames_per_batch=20 * GAMES, total_frames=40 * GAMES)
    batches = list(collector)
    collector.shutdown()
    assert len(batches) == 2 and sum(int(batch["next", "done"].sum()) for batch in batches) > GAMES


def test_wrong_use():
    with pytest.raises(SeveralSeats):
        GameTorchEnv(TWO)
    with pytest.raises(UnknownName):
        GameTorchEnv(SOLO, bott="red")
    env = GameTorchEnv(SOLO, 2)
    with pytest.raises(NotStarted):
        env._step(env.full_action_spec.zero())


# -- wrappers of TorchRL -----------------------------------------------------------------------------------------------


def vector(mode):
    return gymnasium.make_vec("rfop/Revolution-v0", num_envs=4, opponent="random", autoreset_mode=mode)


WRAPPED = {
    "GymWrapper of an environment": lambda: TransformedEnv(
        GymWrapper(gymnasium.make("rfop/Revolution-v0", opponent="random")), ActionMask()
    ),
    "GymEnv": lambda: TransformedEnv(GymEnv("rfop/Revolution-v0", opponent="random"), ActionMask()),
    "GymWrapper of a vector environment": lambda: TransformedEnv(GymWrapper(vector("Disabled")), ActionMask()),
    "PettingZooWrapper": lambda: PettingZooWrapper(rfop_env.make("Revolution-v0"), use_mask=True),
}


@pytest.mark.parametrize("make", WRAPPED.values(), ids=WRAPPED)
def test_what_works_unchanged(make):
    env = make()
    env.set_seed(1)
    rollout = env.rollout(80, break_when_any_done=False)
    assert rollout.shape[-1] == 80
    finite = [value for key, value in rollout.items(True, True) if "reward" in str(key)]
    assert finite and all(torch.isfinite(value).all() for value in finite)


def test_a_vector_environment_that_resets_itself_is_refused_by_torchrl():
    with pytest.raises(Exception, match=r"(?i)autoreset|next_step|NextStep"):
        GymWrapper(vector("NextStep"))
