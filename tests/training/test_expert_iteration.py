"""Expert iteration: it solves toy games, fails them when it is broken, and resumes bit by bit."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import torch

from rfop_env.cli.main import main as rfop
import rfop_agents
from rfop_agents.network import MODEL, NetworkAgent
from rfop_env.core.errors import RfopError
from rfop_env.registry import get_game
from rfop_training.common.records import read_log
from rfop_training import expert_iteration
from rfop_training.expert_iteration import (
    ExpertArguments,
    ExpertTrainer,
    ReplayBuffer,
    Rollout,
)
from rfop_training.run import RunFolder
from toy_games import toy, worst_seat
from toy_runs import check_resume

SMALL = {
    "num_envs": 32,
    "num_steps": 8,
    "minibatch_size": 64,
    "width": 32,
    "layers": 1,
    "learning_rate": 3e-3,
    "simulations": 6,
    "considered": 4,
    "buffer_size": 4096,
    "evaluate_deals": 4,
    "seed": 3,
}


def settings(run: Path = Path("none"), **changes) -> ExpertArguments:
    return ExpertArguments(run=run, quiet=True, **(SMALL | changes))


def trainer(game, **changes) -> ExpertTrainer:
    return ExpertTrainer(settings(**changes), game, game.load_components(None))


# -- toy games ---------------------------------------------------------------------------------------------------------

# Decisions of training, the points of perfect and of random play, and settings; what is hidden in them helps no
# decision. With three simulations each of the two actions is tried once: the search of the first seat of `sign` sees
# nothing but values of the network, for the other seat.
TASKS = {
    "sign": (6_000, 0.5, 0.0, {"simulations": 3}),
    "turns": (9_000, 3.0, 0.0, {}),
    "dice": (8_000, 9.0, 3.8, {"rollout_length": 4}),  # to the end: a first, wrong value of waiting would stay unseen
}
LEARNING = {"search_share": 0.5, "passes": 8.0, "q_scale": 1.0}
ROLLOUTS = {"rollouts": 4, "rollout_length": 0}  # the network judges the position after each action


def solved(name: str, **changes) -> float:
    """Train, and let the network alone play against random players: 1 is perfect, 0 random; of the worst seat."""
    game, (steps, perfect, chance, own) = toy(name), TASKS[name]
    expert = trainer(game, **(LEARNING | changes | own))
    while expert.steps < steps:
        progress = expert.steps / steps
        expert.update(progress, expert.args.learning_rate * (1.0 - 0.9 * progress))
    agent = NetworkAgent.from_weights(expert.to_arrays(), "learner")
    return (worst_seat(game, agent, 1000) - chance) / (perfect - chance)


@pytest.mark.parametrize("changes", [{}, ROLLOUTS], ids=["search", "rollouts"])
@pytest.mark.parametrize("name", TASKS)
def test_the_trainer_solves_it(name, changes):
    assert solved(name, **changes) > 0.9


# -- the replay buffer -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [8, 50])
def test_targets_are_what_each_seat_is_paid_from_its_decision_to_the_end(rows):
    game, games, steps = toy("turns"), 3, 40
    rng = np.random.default_rng(rows)
    buffer, rollout = ReplayBuffer(rows * games, games, game), Rollout(steps, games, game)
    rollout.seat[:] = rng.integers(0, 2, (steps, games))
    rollout.payoff[:] = rng.normal(size=(steps, games))
    rollout.by_learner[:] = rng.random((steps, games)) < 0.7
    rollout.terminated[:] = rng.random((steps, games)) < 0.15
    rollout.final[:] = rng.normal(size=(steps, games, 2))
    buffer.add(rollout)

    targets: dict[tuple[int, int], float] = {}  # by step and game
    for g in range(games):
        start = 0
        for end in np.flatnonzero(rollout.terminated[:, g]):
            for step in range(start, end + 1):
                if rollout.by_learner[step, g]:
                    final = rollout.final[end, g, rollout.seat[step, g]]
                    targets[step, g] = float(final - rollout.payoff[step, g])
            start = end + 1

    recent = {key: value for key, value in targets.items() if key[0] >= steps - buffer.rows}
    index = buffer.indices()
    places = [(int(buffer.step[i // games]), int(i % games)) for i in index]
    assert places and dict(zip(places, buffer.select("target", index), strict=True)) == pytest.approx(recent, abs=1e-6)
    assert (buffer.lost > 0) == (rows == 8)
    assert buffer.fresh <= len(targets) and (rows == 8 or buffer.fresh == len(targets))


def test_a_share_of_the_decisions_is_labelled_and_only_legal_actions_have_a_part():
    expert = trainer(get_game("Revolution-v0"), search_share=0.25, opponents="self=0.5,random=0.25,scripted=0.25")
    for _ in range(3):
        expert.update(0.0, 0.0)
    buffer = expert.buffers[0]
    assert (expert.steps, expert.labels) == (3 * 8 * 32, 3 * 8 * 8) and buffer.searched.sum() == expert.labels
    policy = buffer.policy.astype(np.float32)
    assert policy[buffer.searched].sum(axis=1) == pytest.approx(1.0, abs=0.01)
    assert (policy[~buffer.searched] == 0).all() and (policy[~buffer.action_mask] == 0).all()


def test_minibatches_turn_observations_masks_and_policies_alike():
    expert = trainer(get_game("Revolution-v0"), search_share=1.0, num_steps=60, opponents="random=1", simulations=2)
    expert.update(0.0, 0.0)
    (buffer,) = expert.buffers
    batch = expert.minibatch([buffer.indices()])
    assert (batch.policy.numpy()[~batch.action_mask.numpy()] == 0).all()

    # Each is one of the eight ways to see a position of the buffer.
    positions = buffer.observation[buffer.complete]
    views = {o[order].tobytes() for o in positions for order in expert.oriented_observation}
    observations = {o.tobytes() for o in batch.observation.numpy()}
    assert observations <= views and not observations <= {o.tobytes() for o in positions}


# -- runs --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [{}, {"threads": 2, "opponents": "self=0.5,random=0.5"}, {"precision": "bfloat16"}, {"rollouts": 2}],
)
def test_a_run_that_is_stopped_resumes_bit_by_bit(tmp_path, monkeypatch, changes):
    arguments = {"env": "Revolution-v0", "steps": 2500, "evaluate_steps": 400, **changes}

    def train(run, resume=False):
        return expert_iteration.train(settings(run, resume=resume, **arguments))

    check_resume(tmp_path, monkeypatch, ExpertTrainer, 6, train)


def test_a_run_leaves_the_same_files_as_self_play_and_starts_from_a_baseline(tmp_path, capsys):
    words = [f"--{k.replace('_', '-')}={v}" for k, v in (SMALL | {"width": 256, "layers": 2}).items()]
    words += ["--quiet", "--steps=600", "--init-from=revolution/ppo-2", f"--run={tmp_path / 'run'}"]
    assert rfop(["train", "expert", *words]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"768 decisions, 192 labels, 0 lost in \d+ s: [\d,]+ decisions, [\d,]+ labels", printed)
    folder = RunFolder(tmp_path / "run")
    assert {MODEL, "checkpoint.pt", "run.json", "curve.csv", "progress.csv"} <= {p.name for p in folder.path.iterdir()}
    assert json.loads(folder.metadata.read_text())["arguments"].keys() == {f.name for f in fields(ExpertArguments)}
    metadata = rfop_agents.load(str(folder.path), get_game("Revolution-v0")).metadata
    assert metadata["steps"] == 768 and metadata["rewards"] == {"outcome": 0.5, "margin": 0.5}
    assert "labels" in folder.progress.read_text().splitlines()[0]


def test_runs_that_cannot_work_are_refused(tmp_path, capsys):
    game = toy("turns")
    with pytest.raises(RfopError, match="past: expert iteration keeps no snapshots"):
        trainer(game, opponents="self=0.5,past=0.5")
    with pytest.raises(RfopError, match="search-share"):
        expert_iteration.train(settings(tmp_path / "x", steps=10, search_share=0.0))
    with pytest.raises(RfopError, match="simulations"):
        expert_iteration.train(settings(tmp_path / "x", steps=10, simulations=1))
    assert rfop(["train", "expert", f"--run={tmp_path / 'x'}"]) == 2
    assert "--minutes or --steps" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda s: s | {"labels": s["steps"] + 1},
        lambda s: s | {"buffers": []},
    ],
)
def test_a_damaged_checkpoint_is_refused(spoil, tmp_path):
    arguments = {"env": "Revolution-v0", "num_envs": 8, "simulations": 2}
    expert_iteration.train(settings(tmp_path, steps=64, **arguments))
    path = tmp_path / "checkpoint.pt"
    content = torch.load(path, weights_only=True)
    torch.save(content | {"state": spoil(content["state"])}, path)
    with pytest.raises(RfopError, match="is damaged"):
        expert_iteration.train(settings(tmp_path, steps=128, resume=True, **arguments))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("env", "changes", "sides"),
    [
        ("RedFlagOverParis-v1", {"opponents": "self=0.5,solo-opponent=0.5"}, ["commune", "versailles"]),
        ("RedFlagOverParisSolo-v1", {}, ["commune", "versailles"]),
        ("LeveeEnMasse-v0", {}, ["france"]),
        ("Paris-v0", {"option": "players=3,screens=open"}, ["all"]),
        ("Paris-v0", {"option": "players=4"}, ["all"]),
    ],
)
def test_every_game_can_be_trained(env, changes, sides, tmp_path):
    expert_iteration.train(settings(tmp_path / "run", env=env, steps=2000, **changes))
    assert [row["side"] for row in read_log(tmp_path / "run" / "curve.csv")][: len(sides)] == sides


def test_a_search_in_bfloat16_follows_the_network_that_learns():
    expert = trainer(get_game("Revolution-v0"), precision="bfloat16", learning_rate=0.05)
    (player,) = expert.players.players
    batch = player.groups[0].batch
    observation, mask = batch.observation.copy(), batch.action_mask.copy()
    first_values = player.search_network.evaluate(observation, mask)[1]
    while expert.updates < 12:
        expert.update(0.0, 0.05)
    player.search_network.refresh()  # as at the start of the next update

    logits, values = player.search_network.evaluate(observation, mask)
    expert.network.bf16 = False
    with torch.inference_mode():
        exact, exact_values = (t.numpy() for t in expert.network(torch.from_numpy(observation), torch.from_numpy(mask)))
    np.testing.assert_allclose(logits[mask], exact[mask], atol=0.03 * abs(exact[mask]).max())
    np.testing.assert_allclose(values, exact_values, atol=0.03)
    assert abs(values - first_values).max() > 0.2  # it has learned in the meantime
