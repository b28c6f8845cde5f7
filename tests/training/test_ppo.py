"""The self-play trainer: chains of decisions, opponents, exact resume, and runs of every game."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import fake_trainer
import numpy as np
import pytest
import torch

from rfop_env.cli.main import main as rfop
import rfop_agents
from rfop_env.agent import Agent, act_for
from rfop_agents.network import MODEL, read_network
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError, VersionMismatch
from rfop_env.games.revolution.game import revolution
from rfop_env.registry import get_game
from rfop_training import game_groups, networks, ppo
from rfop_training.common.records import read_log
from rfop_training.evaluation.games import default_opening
from rfop_training.evaluation.setting import Setting
from rfop_training.ppo import GAME_OVER, NO_ADVICE, PPOArguments, PPOTrainer, RolloutBuffer
from rfop_training.run import RunFolder
from rfop_training.run_arguments import SEEDS_APART, opponent_shares, training_rewards
from toy_games import toy
from toy_runs import check_resume
from training.research.lab.best_response import respond

ROOT = Path(__file__).parents[2]
GAME = revolution()
CPU = torch.device("cpu")
SMALL = {
    "steps": 6000,
    "num_envs": 32,
    "num_steps": 16,
    "minibatch_size": 256,
    "update_epochs": 1,
    "width": 32,
    "layers": 1,
    "evaluate_deals": 4,
    "pool_every": 2,
    "seed": 3,
}


def settings(run: Path = Path("none"), **changes) -> PPOArguments:
    return PPOArguments(run=run, quiet=True, **(SMALL | changes))


def make_trainer(game=GAME, **changes) -> PPOTrainer:
    return PPOTrainer(settings(**changes), game, game.load_components(None))


def learn(trainer: PPOTrainer, updates: int = 1, progress: float = 0.0) -> dict[str, float]:
    """The metrics of the last of some updates."""
    for _ in range(updates):
        metrics = trainer.update(progress, trainer.args.learning_rate)
    return metrics


# -- chains of decisions -----------------------------------------------------------------------------------------------


def by_hand(decisions, gamma, gae_lambda):
    """Advantages of one seat's decisions in one game, [(value, reward, ended)]: those whose successor is known."""
    advantages, advantage = [], 0.0
    for k in reversed(range(len(decisions))):
        value, reward, terminated = decisions[k]
        if not terminated and k == len(decisions) - 1:
            advantages.append(None)
            continue
        next_value = 0.0 if terminated else decisions[k + 1][0]
        delta = reward + gamma * next_value - value
        advantage = delta + (0.0 if terminated else gamma * gae_lambda * advantage)
        advantages.append(advantage)
    return advantages[::-1]


@pytest.mark.parametrize("seats", [1, 2, 4])
def test_advantages_run_along_each_seats_own_decisions_over_several_rollouts(seats):
    rng, games, steps, gamma, gae_lambda = np.random.default_rng(seats), 5, 7, 0.9, 0.8
    game = toy("sign") if seats == 2 else toy("dice")
    buffer = RolloutBuffer(steps, games, game, CPU)
    if seats == 4:
        buffer = RolloutBuffer(steps, games, get_game("Paris-v0").under({"players": 4}), CPU)
    chains = {(n, p): [] for n in range(games) for p in range(seats)}
    trained = 0
    for _ in range(6):
        counts = {key: len(chain) - int(bool(chain) and not chain[-1][2]) for key, chain in chains.items()}
        where = {key: {} for key in chains}
        for n, p in (buffer.open_index >= 0).nonzero().tolist():
            where[n, p][counts[n, p]] = int(buffer.open_index[n, p])
        for row in range(buffer.seats, buffer.rows):
            seat, by_learner = rng.integers(0, seats, games), rng.random(games) < 0.8
            rewards = rng.normal(size=(games, seats)).astype(np.float32)
            terminated = rng.random(games) < 0.15
            buffer.value[row] = torch.from_numpy(rng.normal(size=games))
            buffer.link(row, torch.from_numpy(seat), torch.from_numpy(by_learner))
            buffer.add_rewards(torch.from_numpy(rewards), torch.from_numpy(terminated))
            for n in range(games):
                if by_learner[n]:
                    where[n, seat[n]][len(chains[n, seat[n]])] = row * games + n
                    chains[n, seat[n]].append([float(buffer.value[row, n]), 0.0, False])
                for p in range(seats):
                    if chains[n, p] and not chains[n, p][-1][2]:
                        chains[n, p][-1][1] += rewards[n, p]
                        chains[n, p][-1][2] = bool(terminated[n])
        advantages, closed = ppo.compute_advantages(buffer, gamma, gae_lambda).reshape(-1), buffer.closed().reshape(-1)
        for key, chain in chains.items():
            for k, expected in enumerate(by_hand(chain[counts[key] :], gamma, gae_lambda)):
                slot = where[key][counts[key] + k]
                assert closed[slot] == (expected is not None)
                if expected is not None:
                    assert advantages[slot] == pytest.approx(expected, abs=1e-4)
                    trained += 1
        assert closed.sum() == sum(len(w) for w in where.values()) - (buffer.open_index >= 0).sum()
        buffer.carry()
    assert trained > 100


def test_every_decision_is_trained_on_exactly_once():
    trainer, number = make_trainer(opponents="self=0.5,past=0.25,random=0.25"), 0
    (player,) = trainer.players
    for _ in range(5):
        player.collect(False)
        number += len(player.decisions().action)
        player.buffer.carry()
    assert number + int((player.buffer.open_index >= 0).sum()) == trainer.steps


@pytest.fixture
def from_the_start(monkeypatch):
    monkeypatch.setattr(game_groups.GameGroup, "desynchronise", lambda group: None)


def test_the_first_games_are_in_all_phases():
    trainer = make_trainer(opponents="self=0.5,scripted=0.5", num_envs=256)
    decisions = trainer.groups[0].batch.states["decisions"]
    longest = GAME.spec.max_decisions
    assert np.quantile(decisions, 0.1) < longest / 4 and np.quantile(decisions, 0.9) > longest / 2


def test_rewards_come_from_the_game_and_reach_both_seats(from_the_start):
    trainer = make_trainer(openings=0.0, opponents="self=1", reward="outcome", num_steps=120)
    trainer.players[0].collect(False)
    buffer = trainer.players[0].buffer
    ends = buffer.reward[buffer.next_index == GAME_OVER].numpy()
    assert set(np.unique(ends)) <= {-1.0, 0.0, 1.0} and (ends == 1).sum() == (ends == -1).sum() > 20
    assert (buffer.reward[buffer.next_index != GAME_OVER] == 0).all()


def test_rewards_can_be_weighed(from_the_start):
    trainer = make_trainer(openings=0.0, opponents="self=1", reward="outcome=0.5,margin=0.25", num_steps=120)
    trainer.players[0].collect(False)
    buffer = trainer.players[0].buffer
    ends = buffer.reward[buffer.next_index == GAME_OVER].numpy()
    margins = (abs(ends[ends != 0]) - 0.5) * 4 * 11  # markers left, of 11
    assert np.allclose(margins, margins.round(), atol=1e-4) and 0.9 < margins.min() < margins.max() < 11.1
    assert abs(ends.sum()) < 1e-3
    for text in ("nonsense", "outcome=x", "outcome=0.5;margin"):
        with pytest.raises(RfopError, match="reward"):
            make_trainer(reward=text)


SHARES = "--opponents: shares are above 0 and add up to 1, found "


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("self=1,past=nan", f"{SHARES}1, nan"),
        ("self=1.5,past=-0.5", SHARES),
        ("self=0.5,self=0.5,past=0.5", "--opponents: self is given twice: give it one share"),
        ("self=half,past=0.5", "--opponents: expected NAME=SHARE, found 'self=half'"),
        (
            "runs/a,b=0.5,self=0.5",
            "found 'runs/a'; a name with a comma stands in double quotes, as in \"runs/a,b\"=0.3",
        ),
    ],
)
def test_shares_of_opponents_are_checked(text, said):
    with pytest.raises(RfopError, match=re.escape(said)):
        opponent_shares(text, get_game("Revolution-v0"))


def test_a_run_and_a_trained_response_play_against_a_path_with_a_comma(tmp_path):
    path = ppo.train(settings(tmp_path / "rate=0.1,seed=2", steps=100)).parent
    ppo.train(settings(tmp_path / "run", steps=100, opponents=f'"{path}"=0.5,self=0.5'))
    assert float(read_log(tmp_path / "run" / "progress.csv")[0][f"return_{path}"]) >= -1
    respond(str(path), Setting(GAME.id), tmp_path / "response", 100, num_envs=32, num_steps=16, quiet=True)
    assert RunFolder(tmp_path / "response").read_metadata()["arguments"]["opponents"] == f'"{path}=1"'


WEIGHTS = "expected KIND or KIND=WEIGHT, with weights from -1,000,000 to 1,000,000, found "


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("outcome=nan", f"{WEIGHTS}'outcome=nan'"),
        ("outcome=1e999", f"{WEIGHTS}'outcome=1e999'"),
        ("outcome=0.5,outcome=-1", "reward: outcome is given twice: give it one weight"),
    ],
)
def test_weights_of_rewards_are_bounded_numbers_and_each_kind_has_one(text, said):
    with pytest.raises(RfopError) as error:
        training_rewards(text, GAME)
    assert said in str(error.value) and "\n" not in str(error.value) and len(str(error.value)) < 700
    assert training_rewards("outcome=-1e6, margin", GAME) == {"outcome": -1e6, "margin": 1.0}


def test_a_reward_is_paid_as_it_changes_and_adds_up_to_what_the_game_pays(from_the_start):
    game = get_game("Paris-v0")
    trainer = make_trainer(game, opponents="self=1", reward="margin", num_envs=8, num_steps=900)
    (player,) = trainer.players
    player.collect(False)
    buffer, batch = player.buffer, GameBatch(game, 8, trainer.args.seed * SEEDS_APART, reward="margin")
    expected, total = np.zeros((8, 2)), np.zeros((8, 2))
    over = np.zeros(8, np.bool_)
    for row in range(2, buffer.rows):
        seat, reward = batch.current_player.copy(), buffer.reward[row].numpy()
        batch.step(np.where(over, -1, buffer.action[row].numpy()))
        expected += batch.rewards
        total[~over, seat[~over]] += reward[~over]
        over |= batch.terminated
    assert over.all() and abs(expected).min() > 0 and np.allclose(total, expected, atol=1e-5)
    assert (buffer.reward != 0).sum() > 100


# -- the policy --------------------------------------------------------------------------------------------------------


def test_sampled_actions_are_legal_and_follow_their_probabilities():
    mask = torch.tensor([[False, True, False, True, True, False]]).expand(60_000, 6)
    probs = torch.softmax(torch.where(mask, torch.tensor([9.0, 0.0, 9.0, 1.0, 2.0, 9.0]), -1e9), dim=1)
    uniform = 1.0 - np.random.default_rng(0).random(60_000, dtype=np.float32)
    uniform[:2] = 1.0, 2.0**-24
    shares = np.bincount(networks.sample_actions(probs, uniform).numpy(), minlength=6) / 60_000
    assert abs(shares - probs[0].numpy()).max() < 0.01 and shares[[0, 2, 5]].sum() == 0


@pytest.mark.parametrize("changes", [{}, {"no_symmetries": True}, {"precision": "bfloat16"}])
def test_the_update_sees_the_policy_that_acted(changes):
    trainer = make_trainer(opponents="self=0.6,past=0.2,scripted=0.2", **changes)
    close = 1e-2 if "precision" in changes else 1e-4
    (player,) = trainer.players
    for _ in range(3):
        player.collect(False)
        batch = player.decisions()
        policy = trainer.network.evaluate_actions(batch.observation, batch.action_mask)
        assert torch.allclose(policy.log_prob(batch.action), batch.log_prob, atol=close)
        assert torch.allclose(policy.value, batch.value, atol=close)
        player.buffer.carry()


@pytest.mark.parametrize("rate", [3e-3, 0.0])
def test_every_update_starts_with_the_policy_that_acted(rate):
    """The log-ratio of a decision is 0 unless weights have changed since it was taken, as for carried ones."""
    trainer = make_trainer(opponents="self=0.6,past=0.2,scripted=0.2", learning_rate=rate, update_epochs=2)
    (player,) = trainer.players
    carried = 0
    for _ in range(4):
        learn(trainer)
        player.collect(False)
        batch = player.decisions()
        with torch.no_grad():
            policy = trainer.network.evaluate_actions(batch.observation, batch.action_mask)
        log_ratio = (policy.log_prob(batch.action) - batch.log_prob).abs()
        number = int(player.buffer.closed()[: player.buffer.seats].sum())  # carried decisions are the first rows
        assert log_ratio[number:].max() < 1e-5 and (rate or log_ratio.max() < 1e-5)
        carried += number
        player.buffer.carry()
    assert carried > 50


def loss_of(trainer: PPOTrainer, batch: ppo.Decisions, teacher: float = 0.0):
    weights = ppo.LossWeights(ent_coef=0.1, teacher=teacher)
    return ppo.loss(trainer.network, trainer.magnet, batch, batch.advantage, trainer.args, weights)


def test_the_loss_has_its_terms_with_their_weights():
    trainer = make_trainer(opponents="self=1", magnet=0.3, teacher="scripted")
    learn(trainer, 2)
    (player,) = trainer.players
    player.collect(True)
    total, metrics = loss_of(trainer, player.decisions(), teacher=0.7)
    expected = metrics["policy_loss"] + 0.5 * metrics["value_loss"] - 0.1 * metrics["entropy"]
    expected = expected + 0.7 * metrics["teacher_loss"] + 0.3 * metrics["magnet_kl"]
    assert torch.allclose(total, expected) and metrics["magnet_kl"] > 0 and metrics["teacher_loss"] > 0

    # Decisions without advice are no part of the cross-entropy.
    batch = player.decisions()
    batch.teacher_action[:] = NO_ADVICE
    assert loss_of(trainer, batch, teacher=0.7)[1]["teacher_loss"] == 0


def test_a_magnet_that_does_not_follow_holds_the_policy_near_itself():
    entropies = []
    for magnet, rate in ((0.0, 0.0), (20.0, 0.0), (20.0, 1.0)):
        changes = {"magnet": magnet, "magnet_rate": rate, "ent_coef": 0.0, "final_ent_coef": 0.0, "learning_rate": 3e-3}
        trainer = make_trainer(toy("turns"), opponents="self=1", num_envs=64, **changes)
        entropies.append(learn(trainer, 20)["entropy"])
    free, fixed, following = entropies
    assert fixed > 0.69 > following + 0.005 and following > free + 0.05  # of at most 0.693


class LastLegal(Agent):
    """Takes the last legal action: which one that is depends on how the board lies."""

    def act(self, observation, action_mask, rng, positions=None):
        return action_mask.shape[1] - 1 - action_mask[:, ::-1].argmax(axis=1)


def test_a_run_can_start_from_the_network_of_another(tmp_path):
    path = ppo.train(settings(tmp_path / "run", steps=1000))
    weights = read_network(path)[0]
    for initial in (path, path.parent):
        arrays = make_trainer(init_from=str(initial), width=32).network.to_arrays()
        assert arrays.keys() == weights.keys() and all((arrays[name] == weights[name]).all() for name in weights)
    with pytest.raises(RfopError, match=r"has other layers than asked for: give --layers 1 --width 32"):
        make_trainer(init_from=str(path), width=16)
    with pytest.raises(RfopError, match=r"--init-from: .*none is no network"):
        make_trainer(init_from=str(tmp_path / "none"))
    with pytest.raises(VersionMismatch, match="another environment"):
        make_trainer(toy("dice"), init_from=str(path), opponents="self=1")


def test_a_teacher_is_asked_on_the_board_in_its_orientation():
    trainer = make_trainer(opponents="self=0.5,past=0.25,random=0.25", num_envs=64, teacher="scripted")
    (player,) = trainer.players
    player.collect(True)
    buffer, by_learner = player.buffer, player.buffer.by_learner
    assert np.array_equal(buffer.teacher_action != NO_ADVICE, by_learner)
    assert len(np.unique(player.orientation)) > 2
    assert buffer.action_mask.gather(2, buffer.teacher_action[..., None].clip(0))[by_learner].all()

    player.teacher, row = LastLegal(), buffer.rows - 1
    by_learner = player.observe(row)[1]
    player.record_teacher(row, by_learner)
    actions = player.oriented_actions[player.orientation, buffer.teacher_action[row]]
    for group in player.groups:
        games = np.flatnonzero(by_learner[group.columns].numpy())
        assert np.array_equal(actions[group.columns][games], act_for(player.teacher, group.batch, games, player.rng))


def test_a_teacher_is_followed_until_its_time_is_over():
    agreement = []
    for weight in (0.0, 3.0):
        changes = {"teacher": "scripted", "teacher_weight": weight, "teacher_until": 0.5, "learning_rate": 3e-3}
        trainer = make_trainer(opponents="self=1", num_envs=64, **changes)
        learn(trainer, 20)
        (player,) = trainer.players
        player.collect(True)
        same = (player.buffer.action == player.buffer.teacher_action)[player.buffer.by_learner]
        agreement.append(float(same.float().mean()))
    assert agreement[1] > agreement[0] + 0.05
    assert [ppo.LossWeights.at(trainer.args, progress).teacher for progress in (0.0, 0.25, 0.5, 1.0)] == [3, 1.5, 0, 0]
    assert learn(trainer, progress=0.5)["teacher_loss"] == 0.0
    assert (player.buffer.teacher_action[2:] == NO_ADVICE).all()


def test_oriented_boards_are_played_in_their_own_orientation():
    trainer = make_trainer(opponents="self=1", num_envs=64)
    (player,) = trainer.players
    assert len(np.unique(player.orientation)) > 2
    player.collect(False)  # an action that was not turned back would be illegal and raise
    row, batch = player.buffer.rows - 1, player.groups[0].batch
    player.observe(row)
    assert not np.array_equal(player.buffer.observation[row], batch.observation)
    (player,) = make_trainer(opponents="self=1", num_envs=64, no_symmetries=True).players
    player.observe(row)
    assert np.array_equal(player.buffer.observation[row], player.groups[0].batch.observation)


# -- opponents ---------------------------------------------------------------------------------------------------------


def test_only_the_learners_decisions_are_learned_from():
    trainer = make_trainer(opponents="past=0.5,scripted=0.5", num_steps=40)
    trainer.players[0].collect(False)
    inside, past = trainer.players[0].groups[-1], trainer.players[0].groups[0]
    assert inside.name == "scripted" and trainer.players[0].buffer.by_learner[2:, inside.columns].all()
    share = trainer.players[0].buffer.by_learner[2:, past.columns].float().mean()
    assert 0.3 < share < 0.7


def test_the_pool_has_the_newest_snapshot_and_some_older_ones():
    trainer = make_trainer(opponents="self=0.5,past=0.5", pool=3, pool_every=1)
    learn(trainer, 5)
    assert len(trainer.pool.weights) == 3
    newest, network = trainer.pool.weights[-1], trainer.network.state_dict()
    assert all((newest[name] == network[name]).all() for name in network)
    assert all(isinstance(group.agent, ppo.Snapshot) for group in trainer.pool.groups)


def test_a_snapshot_plays_the_policy_of_its_network():
    (player,) = make_trainer(opponents="self=1").players
    batch = player.groups[0].batch
    observation, mask = (
        np.repeat(batch.observation[:1], 20_000, axis=0),
        np.repeat(batch.action_mask[:1], 20_000, axis=0),
    )
    torch.nn.init.normal_(player.network.policy.weight, std=0.3)
    snapshot = ppo.Snapshot(player.network, player.network.state_dict())
    actions = snapshot.act(observation, mask, np.random.default_rng(2))
    probs = player.network.evaluate_actions(torch.from_numpy(observation[:1]), torch.from_numpy(mask[:1])).probs[0]
    shares = np.bincount(actions, minlength=len(probs)) / len(actions)
    assert abs(shares - probs.detach().numpy()).max() < 0.015 and shares.max() < 0.9


def test_a_model_can_be_the_opponent(tmp_path):
    path = ppo.train(settings(tmp_path / "first", steps=1000))
    trainer = make_trainer(opponents=f"{path.parent}=0.5,{path}@1=0.5")
    learn(trainer)
    assert [re.sub("#[0-9a-f]{6}", "", group.agent.name) for group in trainer.players[0].groups] == ["first", "first@1"]


def test_any_agent_can_be_the_opponent(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("def act(observation, action_mask):\n    return action_mask.argmax(axis=1)\n")
    trainer = make_trainer(opponents=f"search-2=0.25,{path}:act=0.25,self=0.5")
    learn(trainer)
    names = [group.agent.name if group.agent else None for group in trainer.players[0].groups]
    assert names[0] == "search-2" and names[1].startswith("mine.act#") and names[2] is None


def test_games_without_chance_start_with_openings():
    (player,) = make_trainer(opponents="self=1", num_envs=64, openings=1.0, num_steps=60).players
    (group,) = player.groups
    starts = []
    start_next_games = group.start_next_games

    def start(terminated):
        start_next_games(terminated)
        starts.extend(group.observation[terminated].numpy().copy())

    group.start_next_games = start
    for _ in range(6):
        player.collect(False)
        player.buffer.carry()
    assert len(starts) > 50 and len({row.tobytes() for row in starts}) > len(starts) / 3
    decisions = group.openings.positions.states["decisions"]
    assert decisions.min() >= 1 and decisions.max() <= default_opening(GAME) + 1  # one without a choice may follow
    with_chance = make_trainer(toy("turns"), opponents="self=1", openings=1.0)
    assert with_chance.groups[0].openings is None  # chance makes games differ enough


def test_openings_are_random_for_everybody_and_leave_the_learner_its_seat():
    trainer = make_trainer(opponents="scripted=1", num_envs=400, openings=1.0)
    (group,), everywhere = trainer.groups, np.ones(400, np.bool_)
    group.openings.renew(trainer.rng)
    length = group.openings.positions.states["decisions"]
    limit = default_opening(group.batch.game) + 1  # one without a choice may follow
    assert (length >= 1).all() and (length <= limit).all()
    group.batch.reset()
    seats = group.batch.states["learner"].copy()
    assert set(seats) == {1, 2}
    group.openings.start(group.batch, everywhere, trainer.rng)
    assert (group.batch.states["learner"] == seats).all() and not group.batch.terminated.any()
    assert (group.batch.current_player == seats - 1).all() and (group.batch.states["decisions"] >= 1).all()


def test_an_opening_that_an_answer_ends_is_not_left_to_the_learner():
    trainer = make_trainer(opponents="scripted=1", num_envs=64, openings=1.0)
    (group,) = trainer.groups
    while not group.batch.terminated.any():
        group.batch.step_random()
    over = int(np.flatnonzero(group.batch.terminated)[0])
    for game in range(64):
        group.openings.positions.states[game] = group.batch.states[over]  # as if an answer had ended it
    group.start_next_games(torch.ones(64, dtype=torch.bool))
    assert not group.batch.terminated.any() and (group.batch.states["over"] == 0).all()


# -- the belief head ---------------------------------------------------------------------------------------------------

RED_FLAG = get_game("RedFlagOverParis-v1")


def test_the_targets_of_a_belief_are_what_the_other_seats_see_alone(monkeypatch):
    trainer, views = make_trainer(RED_FLAG, belief=1.0, opponents="self=0.5,past=0.25,random=0.25"), []
    (player,) = trainer.players
    record_hidden = ppo.Player.record_hidden

    def recording(self, row):
        record_hidden(self, row)
        views.append([group.batch.observe(1 - group.batch.current_player) for group in self.groups])

    monkeypatch.setattr(ppo.Player, "record_hidden", recording)
    player.collect(False)
    layout, entries = RED_FLAG.observation.private()
    expected = np.stack([np.concatenate(parts) for parts in views])[..., entries]
    hidden = player.buffer.hidden[player.buffer.seats :].numpy()
    assert (hidden == expected).all() and layout.part(hidden, "hand").sum(axis=2).max() > 3
    targets = [piece.name for piece in layout.pieces]
    assert (
        targets == trainer.belief_pieces() and {"hand", "aside", "own_objective"} <= {*targets} and "vp" not in targets
    )

    # A decision keeps its target when it is carried into the next rollout.
    before = [player.buffer.hidden.flatten(0, 1)[index] for index in player.buffer.open_index.flatten() if index >= 0]
    player.buffer.carry()
    after = [player.buffer.hidden.flatten(0, 1)[index] for index in player.buffer.open_index.flatten() if index >= 0]
    assert len(before) > 20 and all((first == second).all() for first, second in zip(before, after, strict=True))


def test_a_head_learns_what_the_other_seat_sees_and_leaves_policy_and_value_alone():
    weights, losses = [], []
    for belief in (0.0, 1.0):
        trainer = make_trainer(toy("turns"), belief=belief, opponents="self=1", learning_rate=1e-2, update_epochs=4)
        losses += [learn(trainer, 1)["belief_loss"], learn(trainer, 30)["belief_loss"]]
        weights.append(trainer.network.to_arrays())
    assert losses[:2] == [0, 0] and losses[2] > 5 * losses[3] > 0  # both seats see the same there
    assert all((array == weights[1][name]).all() for name, array in weights[0].items())
    assert {name for name in weights[1] if name not in weights[0]} == {
        f"belief.{layer}.{kind}" for layer in ("first", "output") for kind in ("weight", "bias")
    }


def test_a_frozen_network_trains_its_head_alone(tmp_path):
    first = ppo.train(settings(tmp_path / "first", env=RED_FLAG.id, steps=1000))
    changes = {"env": RED_FLAG.id, "init_from": str(first), "belief": 1.0, "steps": 2000}
    second = ppo.train(settings(tmp_path / "second", **changes, freeze=True))
    old, new = read_network(first)[0], read_network(second)[0]
    assert all((array == new[name]).all() for name, array in old.items())
    losses = [float(row["belief_loss"]) for row in read_log(tmp_path / "second" / "progress.csv")]
    assert losses[-1] < losses[0]

    # The next run goes on from this head, or leaves it out.
    kept = make_trainer(RED_FLAG, **changes | {"init_from": str(second)}).network.to_arrays()
    assert kept.keys() == new.keys() and all((kept[name] == array).all() for name, array in new.items())
    left_out = make_trainer(RED_FLAG, init_from=str(second)).network.to_arrays()
    assert left_out.keys() == old.keys()


def test_a_head_needs_something_hidden_and_freezing_needs_a_head():
    for game in (GAME, get_game("LeveeEnMasse-v0")):
        with pytest.raises(RfopError, match=r"--belief: in .* no other seat sees anything alone"):
            make_trainer(game, belief=1.0, opponents="self=1")
    with pytest.raises(RfopError, match="--freeze: there is no head to train: add --belief 1"):
        make_trainer(RED_FLAG, freeze=True)


# -- runs --------------------------------------------------------------------------------------------------------------

EVERYTHING = {"opponents": "self=0.4,past=0.4,scripted=0.2", "magnet": 0.1, "teacher": "scripted", "teacher_until": 0.9}
PAST = {"opponents": "self=0.5,past=0.3,random=0.2"}


BELIEF = {"env": "RedFlagOverParis-v1", "belief": 0.5}


@pytest.mark.parametrize("changes", [PAST, EVERYTHING | {"threads": 2}, PAST | BELIEF, BELIEF | {"freeze": True}])
def test_a_run_that_is_stopped_resumes_bit_by_bit(tmp_path, monkeypatch, changes):
    changes = changes | {"steps": 4000, "evaluate_steps": 500}  # 8 updates

    def train(run, resume=False):
        return ppo.train(settings(run, resume=resume, **changes))

    check_resume(tmp_path, monkeypatch, PPOTrainer, 5, train)


def slow_thread(monkeypatch, slow: int) -> None:
    """Makes the games of one thread wait at every step."""

    def late(self, row, by_learner):
        if self.rng.bit_generator.seed_seq.entropy[1] == slow:
            time.sleep(0.002)
        return act(self, row, by_learner)

    act = ppo.Player.act
    monkeypatch.setattr(ppo.Player, "act", late)


def test_the_order_in_which_threads_work_changes_nothing(monkeypatch):
    results = []
    for slow in (0, 1):
        with monkeypatch.context() as patch:
            slow_thread(patch, slow)
            trainer = make_trainer(opponents="self=0.5,past=0.3,random=0.2", threads=2)
            learn(trainer, 4)
        results.append(trainer.network.to_arrays())
    assert all((results[0][name] == results[1][name]).all() for name in results[0])


def test_threads_share_the_games():
    trainer = make_trainer(threads=3, num_envs=40, opponents="self=0.5,past=0.5")
    assert [player.num_envs for player in trainer.players] == [13, 13, 14]
    assert sum(group.batch.num_games for group in trainer.groups) == 40
    seeds = np.concatenate([group.batch.states["seed"][:, 0] for group in trainer.groups])
    assert sorted(seeds) == list(range(3 * SEEDS_APART, 3 * SEEDS_APART + 40))


def test_a_minibatch_has_the_same_gradient_on_any_number_of_threads():
    trainer = make_trainer(threads=2, opponents="self=1", no_symmetries=True, max_grad_norm=1e9)
    trainer.map(lambda player: player.collect(False), trainer.players)
    decisions = ppo.Decisions.concatenate([player.decisions() for player in trainer.players])
    index, weights = torch.arange(3, 64), ppo.LossWeights(0.1, 0.0)
    trainer.optimiser.param_groups[0]["lr"] = 0.0
    gradients = []
    for threads in (1, 2):
        trainer.args.threads = threads
        trainer.gradient_step(decisions, decisions.advantage, index, weights)
        gradients.append([parameter.grad.clone() for parameter in trainer.parameters])
    assert all(torch.allclose(*pair, atol=1e-6) for pair in zip(*gradients, strict=True))
    assert max(gradient.abs().max() for gradient in gradients[0]) > 1e-3


def test_an_error_in_a_thread_ends_the_run(tmp_path, monkeypatch):
    def fails(self, row, by_learner):
        if self.rng.bit_generator.seed_seq.entropy[1] == 1:
            raise RfopError("the second thread fails")
        return act(self, row, by_learner)

    act = ppo.Player.act
    monkeypatch.setattr(ppo.Player, "act", fails)
    with pytest.raises(RfopError, match="the second thread fails"):
        ppo.train(settings(tmp_path / "run", threads=2))


def test_a_run_leaves_model_metadata_curve_and_progress(tmp_path):
    path = ppo.train(settings(tmp_path / "run"))
    assert {MODEL, "checkpoint.pt", "run.json", "curve.csv", "progress.csv"} <= {p.name for p in path.parent.iterdir()}
    metadata = json.loads((path.parent / "run.json").read_text())
    assert metadata["environment"] == GAME.id and metadata["arguments"]["seed"] == 3
    metadata = rfop_agents.load(str(path.parent), GAME).metadata
    assert metadata["steps"] >= 6000 and metadata["seed"] == 3 and metadata["git"] and metadata["packages"]["torch"]
    lines = (path.parent / "curve.csv").read_text().splitlines()
    columns = "seconds,processor_seconds,steps,side,opponent,first_deal,games,win_rate,low,high,points,seed"
    assert lines[0] == columns
    assert [line.split(",")[3:5] for line in lines[1:]] == [["royalists", "scripted"], ["jacobins", "scripted"]] * 2
    assert RunFolder(tmp_path / "run").read_metadata()["curve_opponent"] == "scripted"


def test_runs_that_cannot_work_are_refused(tmp_path, capsys):
    ppo.train(settings(tmp_path / "run", steps=1000))
    with pytest.raises(RfopError, match="add --resume"):
        ppo.train(settings(tmp_path / "run"))
    with pytest.raises(RfopError, match="width '32' instead of '64'"):
        ppo.train(settings(tmp_path / "run", width=64, resume=True))
    with pytest.raises(RfopError, match="threads '1' instead of '2'"):
        ppo.train(settings(tmp_path / "run", threads=2, resume=True))
    with pytest.raises(RfopError, match=r"32 games are too few for .* groups; give more, fewer --threads"):
        ppo.train(settings(tmp_path / "x", threads=32))
    with pytest.raises(RfopError, match="nothing to resume"):
        ppo.train(settings(tmp_path / "none", resume=True))
    with pytest.raises(RfopError, match=r"at most .* bytes of weights, found [\d,]+: make it narrower"):
        ppo.train(settings(tmp_path / "wide", width=14_000, layers=2))
    assert rfop(["train", "ppo", f"--run={tmp_path / 'x'}"]) == 2
    assert "--minutes or --steps" in capsys.readouterr().err
    with pytest.raises(RfopError, match="teacher-until"):
        ppo.train(settings(tmp_path / "x", teacher="scripted", teacher_until=0.0))
    with pytest.raises(RfopError, match="float16"):
        ppo.train(settings(tmp_path / "x", precision="float16"))


def test_several_seeds_make_several_models(tmp_path):
    words = [f"--{k.replace('_', '-')}={v}" for k, v in (SMALL | {"steps": 1000}).items()]
    assert rfop(["train", "ppo", f"--run={tmp_path}", "--quiet", "--seeds=2", *words]) == 0
    first, second = (read_network(tmp_path / f"seed_{k}" / MODEL)[0] for k in (3, 4))
    assert not (first["policy.weight"] == second["policy.weight"]).all()


def test_seeds_are_trained_in_parallel_and_their_models_are_in_order(tmp_path, monkeypatch):
    monkeypatch.setattr(ppo, "train", fake_trainer.train_until_interrupted)
    models = ppo.train_seeds(settings(tmp_path, seeds=5, at_once=2, steps=0))
    assert models == [tmp_path / f"seed_{seed}" for seed in range(3, 8)]
    assert all((model / "begun").exists() for model in models)


SEEDS = """
import sys
from pathlib import Path
import fake_trainer
from rfop_training import ppo
ppo.train = fake_trainer.train_until_interrupted
first, number = map(int, sys.argv[2:])
ppo.train_seeds(
    ppo.PPOArguments(run=Path(sys.argv[1]), seed=first, seeds=number, at_once=2, steps=1)
)
"""


@pytest.mark.parametrize(("first", "number", "saved"), [(1, 6, [1, 2]), (0, 2, [1])])
def test_ctrl_c_saves_the_seeds_that_are_trained_and_starts_no_other(tmp_path, first, number, saved):
    def seeds(mark):
        return sorted(int(path.parent.name.removeprefix("seed_")) for path in tmp_path.glob(f"seed_*/{mark}"))

    process = subprocess.Popen(
        [sys.executable, "-c", SEEDS, str(tmp_path), str(first), str(number)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (ROOT, Path(__file__).parent)))},
        start_new_session=True, preexec_fn=heed_ctrl_c,
    )  # fmt: skip
    try:
        patient = time.monotonic() + 300
        while len(seeds("begun")) < 2 and process.poll() is None and time.monotonic() < patient:
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        assert process.wait(120) != 0
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert seeds("begun") == [first, first + 1] and seeds("saved") == saved


def heed_ctrl_c():
    """Jobs that a shell runs in the background ignore Ctrl-C, and so would all processes that they start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize(
    ("env", "changes", "sides"),
    [
        ("RedFlagOverParis-v1", {}, ["commune", "versailles"]),
        ("RedFlagOverParisSolo-v1", {}, ["commune", "versailles"]),
        ("LeveeEnMasse-v0", {"option": "scenario=extended"}, ["france"]),
        ("Paris-v0", {"option": "players=3,screens=open"}, ["all"]),
    ],
)
def test_every_game_can_be_trained(env, changes, sides, tmp_path):
    ppo.train(settings(tmp_path / "run", env=env, steps=1000, **changes))
    assert [row["side"] for row in read_log(tmp_path / "run" / "curve.csv")][: len(sides)] == sides
