"""The self-play trainer: chains of decisions, opponents, exact resume, and runs of every game."""

from __future__ import annotations

import re
import json
import os
import signal
from pathlib import Path

import numpy as np
import pytest
import torch

import agents
from agents.agent import Agent
from agents.network import MODEL, read_network
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError, VersionMismatch
from rfop_env.games.revolution.game import revolution
from rfop_env.registry import get_game
from training import ppo_self_play as ppo
from training.evaluate import opening_of
from training.toy_games import toy

GAME = revolution()
SMALL = {"steps": 6000, "envs": 32, "rollout": 16, "batch": 256, "epochs": 1, "width": 32, "layers": 1,
         "evaluate_deals": 4, "pool_every": 2, "seed": 3}  # fmt: skip


def settings(run: Path = Path("none"), **changes) -> ppo.Arguments:
    return ppo.Arguments(run=run, quiet=True, **(SMALL | changes))


def trainer(game=GAME, **changes) -> ppo.Trainer:
    torch.set_num_threads(1)
    return ppo.Trainer(settings(**changes), game, game.load_components(None))


# -- chains of decisions -----------------------------------------------------------------------------------------------


def by_hand(decisions, gamma, gae_lambda):
    """Advantages of one seat's decisions in one game, [(value, reward, ended)]: those whose successor is known."""
    found, later = [], 0.0
    for k in reversed(range(len(decisions))):
        value, reward, ended = decisions[k]
        if not ended and k == len(decisions) - 1:
            found.append(None)
            continue
        after = 0.0 if ended else decisions[k + 1][0]
        later = reward + gamma * after - value + (0.0 if ended else gamma * gae_lambda * later)
        found.append(later)
    return found[::-1]


@pytest.mark.parametrize("seats", [1, 2, 4])
def test_advantages_run_along_each_seats_own_decisions_over_several_rollouts(seats):
    rng, games, steps, gamma, gae_lambda = np.random.default_rng(seats), 5, 7, 0.9, 0.8
    game = toy("sign") if seats == 2 else toy("dice")
    rollout = ppo.Rollout(steps, games, game, 0, False)
    if seats == 4:
        rollout = ppo.Rollout(steps, games, get_game("Paris-v0").under({"players": 4}), 0, False)
    chains = {(n, p): [] for n in range(games) for p in range(seats)}
    trained = 0
    for _ in range(6):
        begun = {key: len(chain) - int(bool(chain) and not chain[-1][2]) for key, chain in chains.items()}
        where = {key: {} for key in chains}
        for n, p in np.argwhere(rollout.last >= 0):
            where[n, p][begun[n, p]] = rollout.last[n, p]
        for row in range(rollout.seats, rollout.rows):
            seat, mine = rng.integers(0, seats, games), rng.random(games) < 0.8
            rewards = rng.normal(size=(games, seats)).astype(np.float32)
            ended = rng.random(games) < 0.15
            rollout.value[row] = rng.normal(size=games)
            rollout.link(row, seat, mine)
            rollout.pay(rewards, ended)
            for n in range(games):
                if mine[n]:
                    where[n, seat[n]][len(chains[n, seat[n]])] = row * games + n
                    chains[n, seat[n]].append([rollout.value[row, n], 0.0, False])
                for p in range(seats):
                    if chains[n, p] and not chains[n, p][-1][2]:
                        chains[n, p][-1][1] += rewards[n, p]
                        chains[n, p][-1][2] = bool(ended[n])
        found, closed = ppo.advantages(rollout, gamma, gae_lambda).reshape(-1), rollout.closed().reshape(-1)
        for key, chain in chains.items():
            for k, wanted in enumerate(by_hand(chain[begun[key] :], gamma, gae_lambda)):
                slot = where[key][begun[key] + k]
                assert closed[slot] == (wanted is not None)
                if wanted is not None:
                    assert found[slot] == pytest.approx(wanted, abs=1e-4)
                    trained += 1
        assert closed.sum() == sum(len(w) for w in where.values()) - (rollout.last >= 0).sum()
        rollout.carry()
    assert trained > 100


def test_every_decision_is_trained_on_exactly_once():
    learner, seen = trainer(opponents="self=0.5,past=0.25,random=0.25"), 0
    for _ in range(5):
        learner.collect()
        seen += int(learner.rollout.closed().sum())
        learner.rollout.carry()
    assert seen + int((learner.rollout.last >= 0).sum()) == learner.steps


@pytest.fixture
def from_the_start(monkeypatch):
    monkeypatch.setattr(ppo.Table, "spread", lambda table: None)


def test_the_first_games_are_in_all_phases():
    decisions = trainer(opponents="self=0.5,scripted=0.5", envs=256).tables[0].batch.states["decisions"]
    longest = GAME.spec.max_decisions
    assert np.quantile(decisions, 0.1) < longest / 4 and np.quantile(decisions, 0.9) > longest / 2


def test_rewards_come_from_the_game_and_reach_both_seats(from_the_start):
    learner = trainer(openings=0.0, opponents="self=1", reward="outcome", rollout=120)
    learner.collect()
    rollout = learner.rollout
    ends = rollout.reward[rollout.next == ppo.END]
    assert set(np.unique(ends)) <= {-1.0, 0.0, 1.0} and (ends == 1).sum() == (ends == -1).sum() > 20
    assert (rollout.reward[rollout.next != ppo.END] == 0).all()


def test_rewards_can_be_weighed(from_the_start):
    learner = trainer(openings=0.0, opponents="self=1", reward="outcome=0.5,margin=0.25", rollout=120)
    learner.collect()
    ends = learner.rollout.reward[learner.rollout.next == ppo.END]
    margins = (abs(ends[ends != 0]) - 0.5) * 4 * 11  # markers left, of 11
    assert np.allclose(margins, margins.round(), atol=1e-4) and 0.9 < margins.min() < margins.max() < 11.1
    assert abs(ends.sum()) < 1e-3
    for wrong in ("nonsense", "outcome=x", "outcome=0.5;margin"):
        with pytest.raises(RfopError, match="reward"):
            trainer(reward=wrong)


def test_a_reward_is_paid_as_it_changes_and_adds_up_to_what_the_game_pays(from_the_start):
    learner = trainer(get_game("Paris-v0"), opponents="self=1", reward="margin", envs=8, rollout=900)
    learner.collect()
    rollout, batch = learner.rollout, GameBatch(get_game("Paris-v0"), 8, learner.told.seed * ppo.SEEDS_APART,
                                                reward="margin")  # fmt: skip
    wanted, got = np.zeros((8, 2)), np.zeros((8, 2))
    over = np.zeros(8, np.bool_)
    for row in range(2, rollout.rows):
        batch.step(np.where(over, -1, rollout.action[row]))
        wanted += batch.rewards
        seat = rollout.seat[row]
        got[~over, seat[~over]] += rollout.reward[row][~over]
        over |= batch.terminated
    assert over.all() and abs(wanted).min() > 0 and np.allclose(got, wanted, atol=1e-5)
    assert (rollout.reward != 0).sum() > 100


# -- the policy --------------------------------------------------------------------------------------------------------


def test_drawn_actions_are_legal_and_follow_their_chances():
    mask = torch.tensor([[False, True, False, True, True, False]]).expand(60_000, 6)
    logits = ppo.Network(toy("dice"), 8, 1).heads(torch.zeros(1, 16), torch.ones(1, 2, dtype=torch.bool))[0]
    assert torch.isfinite(logits).all()
    chances = torch.softmax(torch.where(mask, torch.tensor([9.0, 0.0, 9.0, 1.0, 2.0, 9.0]), -1e9), dim=1)
    uniform = 1.0 - np.random.default_rng(0).random(60_000, dtype=np.float32)
    uniform[:2] = 1.0, 2.0**-24
    drawn = np.bincount(ppo.draw(chances, uniform).numpy(), minlength=6) / 60_000
    assert abs(drawn - chances[0].numpy()).max() < 0.01 and drawn[[0, 2, 5]].sum() == 0


@pytest.mark.parametrize("changes", [{}, {"core": 8}, {"no_symmetries": True}, {"precision": "bfloat16"}])
def test_the_update_sees_the_policy_that_chose(changes):
    learner = trainer(opponents="self=0.6,past=0.2,scripted=0.2", **changes)
    close = 1e-2 if "precision" in changes else 1e-4
    for _ in range(3):
        learner.collect()
        closed = learner.rollout.closed()
        for slots, columns in learner.minibatches(closed):
            logits, value = learner.evaluate(learner.network, slots, columns)
            chosen = torch.log_softmax(logits, 1).gather(1, learner.flat("action", slots)[:, None])[:, 0]
            assert torch.allclose(chosen, learner.flat("log_chance", slots), atol=close)
            assert torch.allclose(value, learner.flat("value", slots), atol=close)
        begun = (learner.rollout.first & learner.rollout.mine)[2:]  # games that began in this rollout
        assert begun.any() and (learner.rollout.memory[2:][begun] == 0).all()
        learner.rollout.carry()


def test_a_magnet_that_does_not_follow_holds_the_policy_near_itself():
    spread = []
    for magnet, rate in ((0.0, 0.0), (20.0, 0.0), (20.0, 1.0)):
        told = {"magnet": magnet, "magnet_rate": rate, "entropy": 0.0, "entropy_end": 0.0, "learning_rate": 3e-3}
        learner = trainer(toy("turns"), opponents="self=1", envs=64, **told)
        for _ in range(20):
            learner.collect()
            learner.update(0.0)
        spread.append(learner.figures["entropy"])
    free, held, led = spread
    assert held > 0.69 > led + 0.005 and led > free + 0.05  # of at most 0.693


class LastLegal(Agent):
    """Takes the last legal action: which one that is depends on how the board lies."""

    def act(self, observation, action_mask, rng, positions=None):
        return action_mask.shape[1] - 1 - action_mask[:, ::-1].argmax(axis=1)


@pytest.mark.parametrize("core", [0, 8])
def test_a_run_can_begin_with_the_network_of_another(core, tmp_path):
    path = ppo.train(settings(tmp_path / "run", steps=1000, core=core))
    weights = read_network(path)[0]
    for start in (path, path.parent):
        begun = trainer(start=str(start), core=core, width=32).network.arrays()
        assert begun.keys() == weights.keys() and all((begun[name] == weights[name]).all() for name in weights)
    with pytest.raises(RfopError, match=r"other layers.*layers.0.*set --width"):
        trainer(start=str(path), core=core, width=16)
    with pytest.raises(RfopError, match=r"--start: .*none is no network"):
        trainer(start=str(tmp_path / "none"))
    with pytest.raises(VersionMismatch, match="another environment"):
        trainer(toy("dice"), start=str(path), opponents="self=1")


def test_a_teacher_is_asked_on_the_board_as_it_lies():
    learner = trainer(opponents="self=0.5,past=0.25,random=0.25", envs=64, teacher="scripted")
    learner.collect()
    rollout, mine = learner.rollout, learner.rollout.mine
    assert np.array_equal(rollout.advised != ppo.UNADVISED, mine) and len(np.unique(learner.turn)) > 2
    assert np.take_along_axis(rollout.mask, rollout.advised[..., None].clip(0), axis=2)[mine].all()  # legal as seen
    learner.teacher, row = LastLegal(), rollout.rows - 1
    mine = learner.look(row)[1]
    learner.ask_teacher(row, mine)
    for table in learner.tables:
        here = np.flatnonzero(mine[table.columns])
        played = learner.turned_actions[learner.turn, rollout.advised[row]][table.columns][here]
        assert np.array_equal(played, ppo.act_for(learner.teacher, table.batch, here, learner.rng))


def test_a_teacher_is_followed_until_its_time_is_over():
    agreement = []
    for weight in (0.0, 3.0):
        told = {"teacher": "scripted", "teacher_weight": weight, "teacher_until": 0.5, "learning_rate": 3e-3}
        learner = trainer(opponents="self=1", envs=64, **told)
        for _ in range(20):
            learner.collect()
            rollout = learner.rollout
            followed = (rollout.action == rollout.advised)[rollout.mine].mean()
            learner.update(0.0)
        agreement.append(followed)
    assert agreement[1] > agreement[0] + 0.15
    learner.update(0.25)
    assert learner.teaching == 1.5
    learner.update(0.5)
    assert learner.teaching == learner.figures["teacher"] == 0.0
    learner.collect()
    assert (learner.rollout.advised[2:] == ppo.UNADVISED).all()


def test_turned_boards_are_played_in_their_own_turn():
    learner = trainer(opponents="self=1", envs=64)
    assert len(np.unique(learner.turn)) > 2
    learner.collect()  # an action that was not turned back would be illegal and raise
    row, batch = learner.rollout.rows - 1, learner.tables[0].batch
    learner.look(row)
    assert not np.array_equal(learner.rollout.observation[row], batch.observation)
    learner = trainer(opponents="self=1", envs=64, no_symmetries=True)
    learner.look(row)
    assert np.array_equal(learner.rollout.observation[row], learner.tables[0].batch.observation)


def test_the_central_critic_sees_every_seat():
    learner = trainer(central_critic=True, opponents="self=1", no_symmetries=True)
    learner.collect()
    rollout, batch = learner.rollout, learner.tables[0].batch
    learner.look(rollout.rows - 1)
    everything = learner.everything(np.arange(rollout.games) + (rollout.rows - 1) * rollout.games).numpy()
    assert (everything[:, 0] == batch.observation).all()
    assert (everything[:, 1] == batch.observe(1 - batch.current_player)).all()


# -- opponents ---------------------------------------------------------------------------------------------------------


def test_only_the_learners_decisions_are_learned_from():
    learner = trainer(opponents="past=0.5,scripted=0.5", rollout=40)
    learner.collect()
    inside, past = learner.tables[-1], learner.tables[0]
    assert inside.name == "scripted" and learner.rollout.mine[2:, inside.columns].all()
    share = learner.rollout.mine[2:, past.columns].mean()
    assert 0.3 < share < 0.7


def test_the_pool_keeps_snapshots_and_prefers_those_that_win():
    learner = trainer(opponents="self=0.5,past=0.5", pool=3, pool_every=1, prioritised=True)
    for _ in range(5):
        learner.collect()
        learner.update(0.0)
    assert len(learner.pool.weights) == len(learner.pool.scores) == 3
    assert (learner.pool.weights[-1]["policy.weight"] == learner.network.arrays()["policy.weight"]).all()
    learner.pool.scores = [0.9, -0.9, 0.9]
    assert learner.pool.chances()[1] > 0.9


def test_a_model_can_be_the_opponent(tmp_path):
    path = ppo.train(settings(tmp_path / "first", steps=1000))
    learner = trainer(opponents=f"{path.parent}=0.5,{path}@1=0.5")
    learner.collect()
    learner.update(0.0)
    assert [re.sub("#[0-9a-f]{6}", "", table.agent.name) for table in learner.tables] == ["first", "first@1"]


@pytest.mark.parametrize("text", ["self", "self=x", "self=0.5", "self=1.5,past=-0.5", "nobody=1"])
def test_wrong_opponents_are_refused(text):
    with pytest.raises(RfopError, match=r"opponents|unknown agent"):
        trainer(opponents=text)
    with pytest.raises(RfopError, match="one seat"):
        trainer(toy("dice"), opponents="past=1")


def test_games_start_from_recorded_positions():
    learner = trainer(toy("turns"), opponents="self=1", restarts=1.0, envs=64, rollout=7)
    turns = []
    for _ in range(20):
        learner.collect()
        learner.rollout.carry()
        turns.append(learner.restarts[0].shelf.states["turn"].mean())
    assert turns[-1] > 1
    states = learner.tables[0].batch.states
    assert len(np.unique(states["seed"][:, 0])) == 64


def test_games_without_chance_begin_with_openings():
    learner = trainer(opponents="self=1", envs=64, openings=1.0, rollout=60)
    beginnings = []
    for _ in range(6):
        learner.collect()
        rollout = learner.rollout
        first = (rollout.first & rollout.mine)[2:]
        beginnings += [o.tobytes() for o in rollout.observation[2:][first]]
        learner.rollout.carry()
    assert len(set(beginnings)) > len(beginnings) / 3
    decisions = learner.restarts[0].shelf.states["decisions"]
    assert decisions.min() >= 1 and decisions.max() <= opening_of(GAME) + 1  # one without a choice may follow
    assert not trainer(toy("turns"), opponents="self=1", openings=1.0).restarts  # chance makes games differ enough


def test_openings_are_random_for_everybody_and_leave_the_learner_its_seat():
    learner = trainer(opponents="scripted=1", envs=400, openings=1.0)
    (table,), (openings,) = learner.tables, learner.restarts
    openings.record()
    length = openings.shelf.states["decisions"]
    assert (length >= 1).all() and (length <= opening_of(table.batch.game)).all()
    table.batch.reset()
    seats = table.batch.states["learner"].copy()
    assert set(seats) == {1, 2}
    openings.restart(np.ones(400, np.bool_))
    assert (table.batch.states["learner"] == seats).all() and not table.batch.terminated.any()
    assert (table.batch.current_player == seats - 1).all() and (table.batch.states["decisions"] >= 1).all()


def test_a_position_that_an_answer_ends_is_not_left_to_the_learner():
    learner = trainer(opponents="scripted=1", envs=64, restarts=1.0, openings=0.0)
    (table,), (restarts,) = learner.tables, learner.restarts
    while not table.batch.terminated.any():
        table.batch.step_random()
    over = int(np.flatnonzero(table.batch.terminated)[0])
    for game in range(64):
        restarts.shelf.states[game] = table.batch.states[over]  # as if an answer had ended it
    table.batch.reset()
    restarts.restart(np.ones(64, np.bool_))
    assert not table.batch.terminated.any() and (table.batch.states["over"] == 0).all()


# -- runs --------------------------------------------------------------------------------------------------------------

EVERYTHING = {"opponents": "self=0.4,past=0.4,scripted=0.2", "core": 8, "central_critic": True, "magnet": 0.1,
              "restarts": 0.3, "prioritised": True, "teacher": "scripted", "teacher_until": 0.9}  # fmt: skip


@pytest.mark.parametrize("changes", [{"opponents": "self=0.5,past=0.3,random=0.2"}, EVERYTHING])
def test_a_run_that_is_stopped_goes_on_bit_by_bit(tmp_path, monkeypatch, changes):
    whole = ppo.train(settings(tmp_path / "whole", **changes))

    def interrupted(self, *told):
        update(self, *told)
        if self.updates == 5:
            os.kill(os.getpid(), signal.SIGINT)

    update = ppo.Trainer.update
    with monkeypatch.context() as patch:
        patch.setattr(ppo.Trainer, "update", interrupted)
        with pytest.raises(KeyboardInterrupt, match="--resume"):
            ppo.train(settings(tmp_path / "parts", **changes))
    half, _ = read_network(tmp_path / "parts" / MODEL)
    parts = ppo.train(settings(tmp_path / "parts", resume=True, **changes))
    first, second = read_network(whole)[0], read_network(parts)[0]
    assert all((first[name] == second[name]).all() for name in first)
    assert not all((first[name] == half[name]).all() for name in first)


def test_a_run_leaves_model_card_curve_and_progress(tmp_path):
    path = ppo.train(settings(tmp_path / "run"))
    assert {MODEL, "checkpoint.pt", "run.json", "curve.csv", "progress.csv"} <= {p.name for p in path.parent.iterdir()}
    told = json.loads((path.parent / "run.json").read_text())
    assert told["environment"] == GAME.id and told["arguments"]["seed"] == 3
    card = agents.load(str(path.parent), GAME).card
    assert card["steps"] >= 6000 and card["seed"] == 3 and card["git"] and card["packages"]["torch"]
    lines = (path.parent / "curve.csv").read_text().splitlines()
    assert lines[0] == "seconds,steps,side,win_rate,low,high,points,seed"
    assert [line.split(",")[2] for line in lines[1:]] == ["royalists", "jacobins"] * 2


def test_runs_that_cannot_work_are_refused(tmp_path, capsys):
    ppo.train(settings(tmp_path / "run", steps=1000))
    with pytest.raises(RfopError, match="add --resume"):
        ppo.train(settings(tmp_path / "run"))
    with pytest.raises(RfopError, match="width '32' instead of '64'"):
        ppo.train(settings(tmp_path / "run", width=64, resume=True))
    with pytest.raises(RfopError, match="nothing to resume"):
        ppo.train(settings(tmp_path / "none", resume=True))
    assert ppo.main([f"--run={tmp_path / 'x'}"]) == 2
    assert "--minutes or --steps" in capsys.readouterr().err
    with pytest.raises(RfopError, match="teacher-until"):
        ppo.train(settings(tmp_path / "x", teacher="scripted", teacher_until=0.0))
    with pytest.raises(RfopError, match="float16"):
        ppo.train(settings(tmp_path / "x", precision="float16"))
    ppo.train(settings(tmp_path / "gru", steps=1000, core=8))
    with pytest.raises(RfopError, match=r"--teacher: .*gru has a memory"):
        ppo.train(settings(tmp_path / "x", teacher=str(tmp_path / "gru")))


def test_several_seeds_make_several_models(tmp_path):
    told = [f"--{k.replace('_', '-')}={v}" for k, v in (SMALL | {"steps": 1000}).items()]
    assert ppo.main([f"--run={tmp_path}", "--quiet", "--seeds=2", *told]) == 0
    first, second = (read_network(tmp_path / f"seed_{k}" / MODEL)[0] for k in (3, 4))
    assert not (first["policy.weight"] == second["policy.weight"]).all()


@pytest.mark.parametrize(
    ("env", "changes", "sides"),
    [
        ("RedFlagOverParis-v0", {}, ["commune", "versailles"]),
        ("RedFlagOverParisSolo-v0", {}, ["commune", "versailles"]),
        ("LeveeEnMasse-v0", {"option": "scenario=extended"}, ["france"]),
        ("Paris-v0", {"option": "players=3,screens=open"}, ["all"]),
    ],
)
def test_every_game_can_be_trained(env, changes, sides, tmp_path):
    ppo.train(settings(tmp_path / "run", env=env, steps=1000, **changes))
    lines = (tmp_path / "run" / "curve.csv").read_text().splitlines()[1:]
    assert [line.split(",")[2] for line in lines][: len(sides)] == sides
