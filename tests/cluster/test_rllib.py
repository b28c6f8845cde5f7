"""RLlib on a cluster of two nodes: trained, a runner killed and restored, resumed, exported, played without torch."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

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
from rfop_agents.network import NetworkAgent, read_network  # noqa: E402
from rfop_env.core.batch import GameBatch  # noqa: E402
from rfop_env.core.errors import RfopError  # noqa: E402
from rfop_env.interfaces.common import observation_space  # noqa: E402
from rfop_env.interfaces.rllib.module import MaskedModule  # noqa: E402
from rfop_env.interfaces.rllib.multi_agent import SelfPlayEnv  # noqa: E402
from rfop_env.registry import get_game  # noqa: E402
from rfop_training.rllib.arguments import RllibArguments  # noqa: E402
from rfop_training.rllib.export import weights_of  # noqa: E402
from rfop_training.rllib.profile import profile_rllib  # noqa: E402
from rfop_training.rllib.run import train  # noqa: E402

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("ignore")]

SMALL = {
    "env": "Revolution-v0",
    "runners": 2,
    "num_envs": 8,
    "num_steps": 16,
    "minibatch_size": 64,
    "update_epochs": 1,
    "width": 16,
    "evaluate_deals": 2,
    "evaluate_every": 1e6,
    "quiet": True,
}

WITHOUT_TORCH = """
import sys

class Missing:
    def find_spec(self, name, *_):
        if name.split(".")[0] in ("torch", "ray"):
            raise ImportError(name)

sys.meta_path.insert(0, Missing())
import rfop_agents
from rfop_env.registry import get_game
from rfop_training.evaluation.matchups import evaluate
game = get_game("Revolution-v0")
print(evaluate(game, [sys.argv[1], "random"], range(2))[-1].games)
"""


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


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


@pytest.mark.parametrize("shared", [False, True])
def test_the_exported_network_is_that_of_rllib(shared):
    game = get_game("Revolution-v0")
    module = module_of(game, vf_share_layers=shared)
    batch = GameBatch(game, 50, seed=4, autoreset=True)
    batch.step_random(7)
    seen, mask = batch.observation.copy(), batch.action_mask.copy()

    agent = NetworkAgent.of_weights(weights_of(module.get_state()), "exported")
    logits, values = agent.evaluate(seen, mask)
    observed = {"observation": torch.from_numpy(seen), "action_mask": torch.from_numpy(mask.astype(np.int8))}
    with torch.no_grad():
        output = module.forward_inference({Columns.OBS: observed})[Columns.ACTION_DIST_INPUTS].numpy()
        own_values = module.compute_values({Columns.OBS: observed}).numpy()
    assert np.allclose(logits, output, rtol=1e-4, atol=1e-5) and np.allclose(values, own_values, rtol=1e-4, atol=1e-5)
    assert (torch.softmax(torch.from_numpy(output), 1).numpy()[~mask] == 0).all() and np.ptp(output[mask]) > 0.5


def test_networks_that_no_model_file_can_hold_are_refused():
    game = get_game("Revolution-v0")
    with pytest.raises(RfopError, match="leave head_fcnet_hiddens empty"):
        weights_of(module_of(game, head_fcnet_hiddens=[8]).get_state())
    with pytest.raises(RfopError, match="fcnet_hiddens of one layer at least"):
        weights_of({})
    with pytest.raises(ValueError, match="leave mask_in_observation=True"):
        MaskedModule(observation_space=observation_space(game, False))


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


def pids_of(run) -> list[tuple[str, int]]:
    """The node and the process of every runner."""
    group = run.learning.algorithm.env_runner_group
    return group.foreach_env_runner(
        lambda _: (ray.get_runtime_context().get_node_id(), os.getpid()), local_env_runner=False
    )


def test_a_run_survives_a_killed_runner_is_resumed_and_is_played_without_torch(connection, tmp_path):
    args, seen = RllibArguments(run=tmp_path / "run", steps=10**9, **SMALL), {}

    def watch(run):
        update, deadline = run.learning.update, time.monotonic() + 180

        def then_kill(learning_rate):
            figures = update(learning_rate)
            if not seen:
                seen["first"] = pids_of(run)
                os.kill(seen["first"][0][1], signal.SIGKILL)
            elif run.learning.restarts:
                seen["after"] = pids_of(run)
                run.budget.steps = 1  # the run has what it was for
            assert time.monotonic() < deadline, "the runner that was killed has not come back"
            return figures

        run.learning.update = then_kill

    # Train on both nodes; one runner is killed and comes back.
    model = train(args, watch=watch)
    assert len({node for node, _ in seen["first"]}) == 2
    before, after = ({pid for _, pid in seen[when]} for when in ("first", "after"))
    assert len(after) == 2 and len(before & after) == 1

    # Everything a run leaves.
    progress = rows(tmp_path / "run" / "progress.csv")
    steps = [int(row["steps"]) for row in progress]
    assert steps == sorted(set(steps)) and float(progress[-1]["restarts"]) == 1
    assert {row["side"] for row in rows(tmp_path / "run" / "curve.csv")} == {"royalists", "jacobins"}
    assert json.loads((tmp_path / "run" / "run.json").read_text())["packages"]["ray"] == ray.__version__

    # Resume.
    first = read_network(model)[0]
    train(replace(args, steps=steps[-1] + 256, resume=True))
    again = rows(tmp_path / "run" / "progress.csv")
    assert [row["steps"] for row in again][: len(steps)] == [row["steps"] for row in progress]
    assert len(again) > len(progress) and not np.array_equal(
        first["policy.weight"], read_network(model)[0]["policy.weight"]
    )
    with pytest.raises(RfopError, match="width '16' instead of '24'"):
        train(replace(args, width=24, resume=True))

    # NumPy plays it alone.
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, str(model)], capture_output=True, text=True, env=environment
    )
    assert done.stdout.strip() == "4", done.stderr
    assert rfop_agents.load(str(tmp_path / "run"), get_game("Revolution-v0")).name.startswith("run#")


def test_a_resumed_run_has_the_networks_and_the_optimiser_of_its_checkpoint(connection, tmp_path):
    from rfop_training.rllib.algorithm import Learning

    game = get_game("Revolution-v0")
    components = game.load_components(None)
    args = RllibArguments(run=tmp_path / "run", steps=1, **SMALL | {"runners": 0, "opponent": "random"})
    one, other = Learning(args, game, components), Learning(replace(args, seed=2), game, components)
    try:
        one.update(1e-3)
        state = one.state()
        other.restore(state)
        assert other.steps == one.steps and other.updates == 1
        for name, values in state["parameters"].items():
            assert torch.equal(values, other.state()["parameters"][name])
        moments = [of["optimiser"]["state"][0]["exp_avg"] for of in (state, other.state())]
        assert torch.equal(*moments) and moments[0].abs().sum() > 0
        runner = other.algorithm.env_runner_group.local_env_runner.module.get_state()
        assert all(np.array_equal(w, state["parameters"][name]) for name, w in runner.items())

        # Networks of other layers leave everything as it was.
        state["parameters"]["scale"] = state["parameters"]["scale"][1:]
        with pytest.raises(RfopError, match="other layers"):
            other.restore(state)
    finally:
        one.stop()
        other.stop()


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


@pytest.mark.parametrize("sampling", ["batch", "vector"])
def test_the_profile_names_what_rllib_takes(connection, sampling):
    settings = SMALL | {"runners": 1, "opponent": "random", "sampling": sampling}
    profile = profile_rllib(RllibArguments(steps=256, **settings), 1000.0)
    assert profile.decisions >= 256
    assert {"RLlib: sampling", "environment", "policy", "backward"} <= {*profile.phases}
    assert profile.phases["RLlib: sampling"].processor > profile.phases["environment"].processor > 0
