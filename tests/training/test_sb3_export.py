"""Policies of Stable-Baselines3 as model files: NumPy plays what SB3 trained, and old .zip files become such files."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch

from rfop_env.cli.main import main as rfop
import rfop_agents
from rfop_agents.metadata import game_metadata
from rfop_agents.network import MODEL, NetworkAgent, read_network
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError
from rfop_env.interfaces.sb3_vec_env import GameVecEnv
from rfop_env.registry import get_game
from rfop_training.ppo import maskable, sb3_export
from rfop_training.learning.arguments import game_options
from rfop_training.ppo.arguments import MaskableArguments, SelfPlayArguments
from rfop_training.learning.budget import Budget
from rfop_training.ppo.trainer import Trainer

ENV = "Revolution-v0"
SMALL = {
    "steps": 1024,
    "num_envs": 16,
    "num_steps": 16,
    "minibatch_size": 128,
    "update_epochs": 1,
    "width": 24,
    "evaluate_deals": 2,
    "quiet": True,
}

WITHOUT_TORCH = """
import sys
sys.modules["torch"] = sys.modules["stable_baselines3"] = None
import rfop_agents
from rfop_env.registry import get_game
from rfop_training.evaluation.matchups import evaluate
game = get_game("Revolution-v0")
print(evaluate(game, [sys.argv[1], "random"], range(2))[-1].games)
"""


def model_of(env: str):
    """A MaskablePPO whose weights are all different, as training leaves them."""
    args = MaskableArguments(run=Path("none"), env=env, **SMALL)
    game = get_game(env)
    options = game_options("", game)
    vec = GameVecEnv(
        game, 4, 1, reward=maskable.reward_of(args, game), opponent=maskable.opponent_of(args, game), **options
    )
    model = maskable.make_model(args, vec, Budget(0.0, 1))
    torch.manual_seed(5)
    for parameter in model.policy.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return model


def positions(env: str) -> tuple[np.ndarray, np.ndarray]:
    """What is seen at some time in 200 games, and what is legal."""
    batch = GameBatch(get_game(env), 200, seed=4)
    for part in range(8):
        batch.step_random(3)
        batch.reset(only=batch.terminated | (np.arange(200) % 8 == part))
    return batch.observation.copy(), batch.action_mask.copy()


@pytest.mark.parametrize("env", [ENV, pytest.param("RedFlagOverParisSolo-v0", marks=pytest.mark.slow),
                                 pytest.param("Paris-v0", marks=pytest.mark.slow),
                                 pytest.param("LeveeEnMasse-v0", marks=pytest.mark.slow)])  # fmt: skip
def test_numpy_plays_as_the_policy_of_sb3_does(env):
    model, (seen, mask) = model_of(env), positions(env)
    agent = NetworkAgent.of_weights(sb3_export.weights_of(model.policy.state_dict()), "x")
    with torch.no_grad():
        observations = torch.as_tensor(seen).float()
        plain = model.policy.get_distribution(observations).distribution.logits
        masked = model.policy.get_distribution(observations, action_masks=mask).distribution.logits.numpy()
        values = model.policy.predict_values(observations)[:, 0].numpy()
    logits, predicted = agent.evaluate(seen, np.ones_like(mask))
    assert np.ptp(logits) > 1 and np.allclose(torch.log_softmax(torch.as_tensor(logits), 1), plain, atol=1e-4)
    ours = torch.log_softmax(torch.as_tensor(agent.evaluate(seen, mask)[0]), 1).numpy()
    assert np.allclose(ours[mask], masked[mask], atol=1e-4) and np.allclose(predicted, values, atol=1e-4)
    chosen, _ = model.predict(seen, deterministic=True, action_masks=mask)
    assert (agent.act(seen, mask, np.random.default_rng(0)) == chosen).all()


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "small"
    maskable.train(MaskableArguments(run=folder, env=ENV, **SMALL))
    return folder


def test_a_model_of_sb3_is_played_without_torch(run):
    process = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, str(run)], capture_output=True, text=True, check=False
    )
    assert (process.returncode, process.stdout.strip()) == (0, "4"), process.stderr


def test_a_model_of_sb3_can_guide_a_search_and_start_a_run_of_self_play(run):
    game = get_game(ENV)
    assert rfop_agents.load(f"search-8+{run}", game).name.split("#")[0] == "search-8+small"
    args = SelfPlayArguments(init_from=str(run), env=ENV, **SMALL)
    begun = Trainer(args, game, game.load_components(None)).learner.network.arrays()
    assert all((begun[name] == array).all() for name, array in read_network(run / MODEL)[0].items())


def old_zip(folder: Path, model=None) -> Path:
    """A file as earlier versions of the trainer wrote it."""
    folder.mkdir(exist_ok=True)
    game, path = get_game(ENV), folder / "model.zip"
    (model or model_of(ENV)).save(path)
    with zipfile.ZipFile(path, "a") as file:
        file.writestr(
            "rfop.json", json.dumps(game_metadata(game, game.load_components(None)) | {"steps": 5, "seed": 1})
        )
    return path


def test_an_old_zip_becomes_a_model_file(tmp_path, capsys):
    model = model_of(ENV)
    path = old_zip(tmp_path / "old", model)
    with pytest.raises(RfopError, match=r"can run any code; rfop export .*model.zip"):
        rfop_agents.load(str(tmp_path / "old"), get_game(ENV))
    assert rfop(["export", str(path)]) == 0
    assert capsys.readouterr().out == f"model: {tmp_path / 'old' / MODEL}\n"
    agent, weights = (
        rfop_agents.load(str(tmp_path / "old"), get_game(ENV)),
        sb3_export.weights_of(model.policy.state_dict()),
    )
    assert all((agent.weights[name] == array).all() for name, array in weights.items()) and agent.metadata["steps"] == 5
    assert rfop(["export", str(path)]) == 2 and "move it away first" in capsys.readouterr().err


def test_a_zip_that_is_none_of_the_trainer_is_told(tmp_path, capsys):
    path = old_zip(tmp_path)
    whole = path.read_bytes()
    for content in (b"no zip", whole[: len(whole) // 2], b""):
        path.write_bytes(content)
        assert rfop(["export", str(path)]) == 2
        assert capsys.readouterr().err.count("\n") == 1 and not (tmp_path / MODEL).exists()
    assert rfop(["export", str(tmp_path / "none.zip")]) == 2 and "no such file" in capsys.readouterr().err
