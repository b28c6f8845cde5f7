"""The trainer: a short run leaves its files, resumes, stops on Ctrl-C, and is refused elsewhere."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest
import torch

from rfop_env.cli.main import main as rfop
import rfop_agents
from rfop_agents.network import MODEL, NetworkAgent, read_network
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError
from rfop_env.games.red_flag_over_paris.game import solo
from rfop_env.registry import get_game
from rfop_training.common.records import read_log
from rfop_training.evaluation.rows import alone
from rfop_training import maskable
from rfop_training.maskable import MaskableArguments, MaskableTrainer
from rfop_training.run import Run, RunFolder

SMALL = {
    "steps": 2048,
    "num_envs": 32,
    "num_steps": 32,
    "minibatch_size": 512,
    "update_epochs": 1,
    "width": 32,
    "evaluate_deals": 5,
}


def settings(run: Path, **changes) -> MaskableArguments:
    return MaskableArguments(run=run, quiet=True, **(SMALL | changes))


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "small"
    maskable.train(settings(folder))
    return folder


def test_the_model_plays_as_an_agent_and_its_curve_can_be_drawn(run, tmp_path):
    rows = alone(solo(), rfop_agents.load(str(run), solo()), range(10))
    assert [r.agent.split("#")[0] for r in rows] == ["small", "small"]
    assert rfop(["curves", str(run), "--out", str(tmp_path / "curve.png")]) == 0
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_equal_seeds_give_equal_models(tmp_path, run):
    again = tmp_path / "again"
    maskable.train(settings(again))
    mask, observation = np.ones((4, solo().actions.size), np.bool_), np.ones((4, solo().observation.size), np.int8)
    rng = np.random.default_rng(0)
    both = [rfop_agents.load(str(r), solo()) for r in (run, again)]
    assert (both[0].act(observation, mask, rng) == both[1].act(observation, mask, rng)).all()
    assert all((both[0].weights[k] == both[1].weights[k]).all() for k in both[0].weights)


def test_a_run_resumes_from_its_model_and_never_overwrites_one(tmp_path):
    folder = tmp_path / "run"
    maskable.train(settings(folder))
    with pytest.raises(RfopError, match="--resume"):
        maskable.train(settings(folder))
    maskable.train(settings(folder, steps=4096, resume=True))
    assert read_network(folder / MODEL)[1]["steps"] == 4096
    with pytest.raises(RfopError, match="nothing to resume"):
        maskable.train(settings(tmp_path / "none", resume=True))


def test_ctrl_c_saves_the_model_and_says_where(tmp_path, monkeypatch, capsys):
    def interrupted(self):
        update(self)
        os.kill(os.getpid(), signal.SIGINT)

    update = Run.update
    monkeypatch.setattr(Run, "update", interrupted)
    folder = tmp_path / "run"
    arguments = [f"--{k.replace('_', '-')}={v}" for k, v in SMALL.items()]
    assert rfop(["train", "maskable", f"--run={folder}", "--quiet", *arguments]) == 130
    assert str(folder / MODEL) in capsys.readouterr().err
    assert read_network(folder / MODEL)[1]["steps"] == 1024


def test_the_model_file_plays_as_the_policy_of_sb3():
    game = get_game("Revolution-v0")
    args = MaskableArguments(**SMALL | {"env": game.id})
    policy = MaskableTrainer(args, game, game.load_components(None)).model.policy
    for parameter in policy.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    batch = GameBatch(game, 50, seed=4, autoreset=True)
    batch.step_random(7)
    agent = NetworkAgent.from_weights(maskable.policy_arrays(policy.state_dict()), "x")
    logits, values = agent.evaluate(batch.observation, batch.action_mask)
    observation = torch.from_numpy(batch.observation.astype(np.float32))
    with torch.no_grad():
        distribution = policy.get_distribution(observation, batch.action_mask.copy())
        torch_values = policy.predict_values(observation)[:, 0].numpy()
    probs = np.exp(logits - logits.max(axis=1, keepdims=True))
    probs /= probs.sum(axis=1, keepdims=True)
    assert np.allclose(probs, distribution.distribution.probs.numpy(), atol=1e-4)
    assert np.allclose(values, torch_values, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("env", "changes", "sides"),
    [
        ("Revolution-v0", {}, ["royalists", "jacobins"]),
        ("Revolution-v0", {"opponent": "random", "seat": "jacobins_1"}, ["royalists", "jacobins"]),
        ("Paris-v0", {"option": "players=3, screens=open"}, ["all"]),
        ("LeveeEnMasse-v0", {"option": "scenario=extended"}, ["france"]),
    ],
)
def test_every_game_can_be_trained(env, changes, sides, tmp_path):
    path = maskable.train(settings(tmp_path / "run", env=env, **changes))
    opponent = changes.get("opponent", "scripted") if env != "LeveeEnMasse-v0" else "-"
    folder = RunFolder(tmp_path / "run")
    assert read_network(path)[1]["arguments"]["opponent"] == changes.get("opponent", "")
    assert folder.curve_opponents() == [opponent] == [folder.read_metadata()["curve_opponent"]]
    assert [row["side"] for row in read_log(tmp_path / "run" / "curve.csv")][: len(sides)] == sides
