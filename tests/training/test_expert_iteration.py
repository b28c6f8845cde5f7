"""Expert iteration: it solves toy games, fails them when it is broken, and resumes bit by bit."""

from __future__ import annotations

import json
import os
import re
import signal
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import torch

from rfop_env.cli.main import main as rfop
from training.research.__main__ import main as research
import rfop_agents
from rfop_agents import rollouts
from rfop_agents.network import MODEL, NetworkAgent, read_network
from rfop_env.agent import RandomAgent
from rfop_env.core.errors import RfopError
from rfop_env.registry import get_game
from rfop_training.common.records import read_log
from rfop_training.evaluation.games import play
from rfop_training.expert_iteration import run as expert_iteration
from rfop_training.expert_iteration.arguments import ExpertArguments
from rfop_training.expert_iteration.collector import Collector, LeafNetwork
from rfop_training.expert_iteration.collectors import ThreadCollectors
from rfop_training.expert_iteration.replay_buffer import ReplayBuffer
from rfop_training.expert_iteration.trainer import ExpertTrainer
from rfop_training.learning.networks import Network
from rfop_training.learning.run_folder import RunFolder
from rfop_training.toy_games import toy

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
    torch.set_num_threads(1)
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
        expert.collect()
        expert.update(expert.steps / steps)
    agent, seats = NetworkAgent.of_weights(expert.network.arrays(), "learner"), game.spec.players
    points = []
    for seat in range(seats):
        seated = [agent if k == seat else RandomAgent() for k in range(seats)]
        points.append(play(game, seated, range(1000), seat).points.mean())
    return (min(points) - chance) / (perfect - chance)


@pytest.mark.parametrize("changes", [{}, ROLLOUTS], ids=["search", "rollouts"])
@pytest.mark.parametrize("name", TASKS)
def test_the_trainer_solves_it(name, changes):
    assert solved(name, **changes) > 0.9


def test_values_with_the_wrong_sign_fail_the_game_of_dice(monkeypatch):
    def flipped(self, ended, final):
        end_games(self, ended, -final)

    end_games = ReplayBuffer.end_games
    monkeypatch.setattr(ReplayBuffer, "end_games", flipped)
    assert solved("dice") < 0.5


def test_rollouts_judged_for_the_wrong_seat_fail_the_sign_game(monkeypatch):
    def swapped(*args):
        return seat_returns(*args)[:, ::-1]

    seat_returns = rollouts.seat_returns
    monkeypatch.setattr(rollouts, "seat_returns", swapped)
    assert solved("sign", **ROLLOUTS) < 0.5


def test_returns_of_the_other_seat_fail_the_sign_game(monkeypatch):
    def swapped(self, ended, final):
        end_games(self, ended, final[:, ::-1])

    end_games = ReplayBuffer.end_games
    monkeypatch.setattr(ReplayBuffer, "end_games", swapped)
    assert solved("sign") < 0.5


@pytest.mark.parametrize("name", ["sign", "turns"])
def test_policies_of_other_games_fail(name, monkeypatch):
    def shifted(self, rollout, step, phases):
        actions = act(self, rollout, step, phases)
        searched, policy = rollout.searched[step], rollout.policy[step]
        policy[searched] = np.roll(policy[searched], 1, axis=0)
        return actions

    act = Collector.act
    monkeypatch.setattr(Collector, "act", shifted)
    assert solved(name) < 0.5


def test_a_search_that_reads_values_for_the_wrong_seat_fails_the_sign_game(monkeypatch):
    def wrong(self, observation, action_mask):
        logits, values = evaluate(self, observation, action_mask)
        return logits, -values

    evaluate = LeafNetwork.evaluate
    monkeypatch.setattr(LeafNetwork, "evaluate", wrong)
    assert solved("sign") < 0.5


# -- the replay buffer -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [8, 50])
def test_targets_are_what_each_seat_is_paid_from_its_decision_to_the_end(rows):
    game, games = toy("turns"), 3
    rng = np.random.default_rng(rows)
    buffer = ReplayBuffer(rows * games, games, game)
    wanted: dict[tuple[int, int], float] = {}  # by step and game
    open_decisions: list[list[tuple[int, int, float]]] = [[] for _ in range(games)]
    for step in range(40):
        row = buffer.begin_step()
        seat = rng.integers(0, 2, games)
        paid = rng.normal(size=games).astype(np.float32)
        by_learner = rng.random(games) < 0.7
        buffer.seat[row], buffer.paid[row], buffer.by_learner[row] = seat, paid, by_learner
        ended = rng.random(games) < 0.15
        final = rng.normal(size=(games, 2)).astype(np.float32)
        for g in range(games):
            if by_learner[g]:
                open_decisions[g].append((step, int(seat[g]), float(paid[g])))
            if ended[g]:
                wanted |= {(k, g): float(final[g, p]) - before for k, p, before in open_decisions[g]}
                open_decisions[g] = []
        if ended.any():
            buffer.end_games(ended, final)

    kept = {key: value for key, value in wanted.items() if key[0] >= 40 - buffer.rows}
    found = {
        (int(buffer.step[slot // games]), slot % games): float(buffer.rows_of("target", slot))
        for slot in buffer.slots()
    }
    assert found
    assert found == pytest.approx(kept)
    assert (buffer.lost > 0) == (rows == 8)
    assert buffer.fresh <= len(wanted) and (rows == 8 or buffer.fresh == len(wanted))


def test_a_share_of_the_decisions_is_labelled_and_only_legal_actions_have_a_part():
    expert = trainer(get_game("Revolution-v0"), search_share=0.25, opponents="self=0.5,random=0.25,scripted=0.25")
    for _ in range(3):
        expert.collect()
    buffer = expert.buffers[0]
    assert (expert.steps, expert.labels) == (3 * 8 * 32, 3 * 8 * 8) and buffer.searched.sum() == expert.labels
    policy = buffer.policy.astype(np.float32)
    assert policy[buffer.searched].sum(axis=1) == pytest.approx(1.0, abs=0.01)
    assert (policy[~buffer.searched] == 0).all() and (policy[~buffer.action_mask] == 0).all()


def test_minibatches_turn_observations_masks_and_policies_alike():
    expert = trainer(get_game("Revolution-v0"), search_share=1.0, num_steps=60, opponents="random=1", simulations=2)
    expert.collect()
    learner, buffer = expert.learner, expert.buffers[0]
    minibatch = learner.minibatch([buffer], [buffer.slots()])
    assert (minibatch["policy"].numpy()[~minibatch["action_mask"].numpy()] == 0).all()

    # Each is one of the eight ways to see a position of the buffer.
    sights = {o[turned].tobytes() for o in buffer.observation[buffer.known] for turned in learner.oriented_observation}
    seen = [o.tobytes() for o in minibatch["observation"].numpy()]
    own = {o.tobytes() for o in buffer.observation[buffer.known]}
    assert set(seen) <= sights and not set(seen) <= own


# -- runs --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [{}, {"threads": 2, "opponents": "self=0.5,random=0.5"}, {"precision": "bfloat16"}, {"rollouts": 2}],
)
def test_a_run_that_is_stopped_resumes_bit_by_bit(tmp_path, monkeypatch, changes):
    arguments = {"env": "Revolution-v0", "steps": 2500, **changes}
    whole = expert_iteration.train(settings(tmp_path / "whole", **arguments))

    def interrupted(self, *args):
        update(self, *args)
        if self.updates == 6:
            os.kill(os.getpid(), signal.SIGINT)

    update = ExpertTrainer.update
    with monkeypatch.context() as patch:
        patch.setattr(ExpertTrainer, "update", interrupted)
        with pytest.raises(KeyboardInterrupt, match="--resume"):
            expert_iteration.train(settings(tmp_path / "parts", **arguments))
    half, _ = read_network(tmp_path / "parts" / MODEL)
    parts = expert_iteration.train(settings(tmp_path / "parts", resume=True, **arguments))
    first, second = read_network(whole)[0], read_network(parts)[0]
    assert all((first[name] == second[name]).all() for name in first)
    assert not all((first[name] == half[name]).all() for name in first)


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


def test_the_training_starts_with_the_network_that_it_is_given():
    game = get_game("Revolution-v0")
    begun = trainer(game, init_from="revolution/ppo-2", width=256, layers=2).network.arrays()
    weights = rfop_agents.load("revolution/ppo-2", game).weights
    assert all((begun[name] == weights[name]).all() for name in weights)


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
        lambda s: s | {"owed": -1.0},
        lambda s: s | {"labels": s["steps"] + 1},
        lambda s: s | {"collectors": []},
        lambda s: s | {"buffers": []},
        lambda s: {},
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
        ("RedFlagOverParis-v0", {"opponents": "self=0.5,solo-opponent=0.5"}, ["commune", "versailles"]),
        ("RedFlagOverParisSolo-v0", {}, ["commune", "versailles"]),
        ("LeveeEnMasse-v0", {}, ["france"]),
        ("Paris-v0", {"option": "players=3,screens=open"}, ["all"]),
        ("Paris-v0", {"option": "players=4"}, ["all"]),
    ],
)
def test_every_game_can_be_trained(env, changes, sides, tmp_path):
    expert_iteration.train(settings(tmp_path / "run", env=env, steps=2000, **changes))
    assert [row["side"] for row in read_log(tmp_path / "run" / "curve.csv")][: len(sides)] == sides


def test_the_profile_prints_every_phase_and_labels_a_second(capsys):
    words = [f"--{k.replace('_', '-')}={v}" for k, v in SMALL.items()]
    assert research(["profile", "expert", "--steps=512", *words]) == 0
    lines = capsys.readouterr().out.splitlines()
    phases = {line[:26].strip() for line in lines[1:-2]}
    assert {"search: trees", "search: network", "environment", "backward"} <= phases
    assert re.fullmatch(r"[\d,]+ labels: [\d,]+ a second of processor time", lines[-1])


def test_the_network_of_the_search_is_the_one_that_is_trained():
    expert = trainer(toy("dice"))
    assert isinstance(expert.network, Network)
    assert isinstance(expert.collectors, ThreadCollectors)
    assert all(collector.leaves.network is expert.network for collector in expert.collectors.collectors)


def test_a_search_in_bfloat16_follows_the_network_that_learns():
    expert = trainer(get_game("Revolution-v0"), precision="bfloat16", learning_rate=0.05)
    (collector,) = expert.collectors.collectors
    batch = collector.groups[0].batch
    observation, mask = batch.observation.copy(), batch.action_mask.copy()
    before = collector.leaves.evaluate(observation, mask)[1]
    while expert.updates < 12:
        expert.collect()
        expert.update(0.0)
    expert.collect()  # with the network of the last update

    logits, values = collector.leaves.evaluate(observation, mask)
    expert.network.bf16 = False
    with torch.inference_mode():
        features = expert.network.features(torch.from_numpy(observation))
        exact, exact_values = (tensor.numpy() for tensor in expert.network.heads(features, torch.from_numpy(mask)))
    np.testing.assert_allclose(logits[mask], exact[mask], atol=0.03 * abs(exact[mask]).max())
    np.testing.assert_allclose(values, exact_values, atol=0.03)
    assert abs(values - before).max() > 0.2  # it has learned in the meantime
