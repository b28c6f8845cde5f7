"""RLlib: the module, the environments, and the example of self-play on a cluster of two nodes."""

from __future__ import annotations

import numpy as np
import pytest

ray = pytest.importorskip("ray")

import gymnasium  # noqa: E402
import torch  # noqa: E402
from ray.rllib.algorithms.ppo import PPOConfig  # noqa: E402
from ray.rllib.core.columns import Columns  # noqa: E402
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec  # noqa: E402
from ray.rllib.core.rl_module.rl_module import RLModuleSpec  # noqa: E402

import rfop_agents  # noqa: E402
from examples import rllib_self_play as example  # noqa: E402
from rfop_agents.network import NetworkAgent, read_network  # noqa: E402
from rfop_env.core.batch import GameBatch  # noqa: E402
from rfop_env.interfaces.common import observation_space  # noqa: E402
from rfop_env.interfaces.rllib.module import MaskedModule  # noqa: E402
from rfop_env.interfaces.rllib.multi_agent import SelfPlayEnv  # noqa: E402
from rfop_env.registry import get_game  # noqa: E402

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("ignore")]

# -- the module --------------------------------------------------------------------------------------------------------


def module_of(game, **config):
    settings = {"fcnet_hiddens": [24, 12], "fcnet_activation": "relu", "vf_share_layers": False, **config}
    torch.manual_seed(5)
    module = RLModuleSpec(
        module_class=MaskedModule,
        observation_space=observation_space(game, True),
        action_space=gymnasium.spaces.Discrete(game.actions.size),
        model_config=settings,
    ).build()
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return module


def test_the_exported_network_is_that_of_rllib():
    game = get_game("Revolution-v0")
    module = module_of(game, vf_share_layers=True)
    batch = GameBatch(game, 50, seed=4, autoreset=True)
    batch.step_random(7)
    observation, mask = batch.observation.copy(), batch.action_mask.copy()

    agent = NetworkAgent.from_weights(example.model_arrays(module.get_state()), "exported")
    logits, values = agent.evaluate(observation, mask)
    view = {"observation": torch.from_numpy(observation), "action_mask": torch.from_numpy(mask.astype(np.int8))}
    with torch.no_grad():
        output = module.forward_inference({Columns.OBS: view})[Columns.ACTION_DIST_INPUTS].numpy()
        rllib_values = module.compute_values({Columns.OBS: view}).numpy()
    assert np.allclose(logits, output, rtol=1e-4, atol=1e-5) and np.allclose(values, rllib_values, rtol=1e-4, atol=1e-5)
    assert (torch.softmax(torch.from_numpy(output), 1).numpy()[~mask] == 0).all() and np.ptp(output[mask]) > 0.5


def test_an_observation_without_its_mask_is_refused():
    with pytest.raises(ValueError, match="leave mask_in_observation=True"):
        MaskedModule(observation_space=observation_space(get_game("Revolution-v0"), False))


# -- one game as a MultiAgentEnv ---------------------------------------------------------------------------------------


def test_a_multi_agent_game_pays_what_the_batch_pays():
    env, rng = SelfPlayEnv({"game": "Revolution-v0"}), np.random.default_rng(0)
    batch = GameBatch(get_game("Revolution-v0"), 1, 3)
    seen, _ = env.reset(seed=3)
    over, paid = {"__all__": False}, dict.fromkeys(env.agents, 0.0)
    while not over["__all__"]:
        ((agent, view),) = seen.items()
        assert (view["observation"] == batch.observation[0]).all()
        assert env.observation_spaces[agent].contains(view)
        action = int(rng.choice(np.flatnonzero(view["action_mask"])))
        seen, rewards, over, _, infos = env.step({agent: action})
        batch.step([action])
        assert agent in rewards
        for name, reward in rewards.items():
            paid[name] += reward
    assert [paid[name] for name in env.agents] == batch.rewards[0].tolist() and {*seen} == {*env.agents}
    assert infos[agent]["end_reason"] == batch.game.end_reasons[int(batch.end_reason[0])]


def test_an_illegal_action_loses_a_multi_agent_game():
    env = SelfPlayEnv({"game": "Revolution-v0"})
    ((agent, view),) = env.reset(seed=3)[0].items()
    wrong = int(np.flatnonzero(view["action_mask"] == 0)[0])
    _, rewards, over, _, infos = env.step({agent: wrong})
    assert over["__all__"] and rewards[agent] == -1 and sum(rewards.values()) == 0
    assert infos[agent]["end_reason"] == "illegal action"


# -- runs --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("runners", [0, 2])
def test_the_example_trains_resumes_and_its_model_plays(connection, tmp_path, runners):
    small = ["--num-envs", "8", "--num-steps", "16", "--minibatch-size", "64", "--runners", str(runners)]
    files = ["--model", str(tmp_path / "first.safetensors"), "--checkpoint", str(tmp_path / "checkpoint")]
    rows = example.train(example.parse_arguments([*small, *files, "--updates", "2"]))
    assert [row["steps"] for row in rows] == sorted({row["steps"] for row in rows}) and rows[-1]["steps"] >= 256
    assert all(np.isfinite(list(row.values())).all() for row in rows)

    files = ["--model", str(tmp_path / "second.safetensors"), "--resume", str(tmp_path / "checkpoint")]
    (resumed,) = example.train(example.parse_arguments([*small, *files, "--updates", "1"]))
    assert resumed["steps"] > rows[-1]["steps"]
    first, second = (read_network(tmp_path / f"{name}.safetensors")[0] for name in ("first", "second"))
    assert not np.array_equal(first["policy.weight"], second["policy.weight"])
    agent = rfop_agents.load(str(tmp_path / "second.safetensors"), get_game("Revolution-v0"))
    assert agent.name.startswith("second#") and agent.metadata["steps"] == int(resumed["steps"])


def test_rllib_s_own_runner_trains_a_multi_agent_game(connection):
    spec = RLModuleSpec(module_class=MaskedModule, model_config={"fcnet_hiddens": [16]})
    config = (
        PPOConfig()
        .environment(SelfPlayEnv, env_config={"game": "Revolution-v0"})
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda *_, **__: "shared")
        .env_runners(num_env_runners=0, num_envs_per_env_runner=4)
        .training(train_batch_size_per_learner=128, minibatch_size=64, num_epochs=1)
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"shared": spec}))
    )
    algorithm = config.build_algo()
    try:
        results = algorithm.train()
        assert results["env_runners"]["num_env_steps_sampled"] >= 128
        assert np.isfinite(results["learners"]["shared"]["total_loss"])
    finally:
        algorithm.stop()
