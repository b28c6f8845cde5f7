"""Named baselines: made from a run, found by name, refused elsewhere, and still as strong as their cards say."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import agents
from agents import baselines
from agents.network import NetworkAgent, read_network, write_network
from agents.card import game_card
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError, UnknownName, VersionMismatch
from rfop_env.registry import get_game
from training import publish
from training.run_folder import CARD, COLUMNS, CURVE

TOLERANCE = 0.03  # of the games that are played again: machines round sums of networks differently


def random_weights(game, seed=0, width=16):
    rng = np.random.default_rng(seed)
    shapes = {"layers.0": (width, game.observation.size), "policy": (game.actions.size, width), "value": (1, width)}
    made = {f"{name}.weight": rng.normal(0, 0.1, shape).astype(np.float32) for name, shape in shapes.items()}
    made |= {f"{name}.bias": np.zeros(shape[0], np.float32) for name, shape in shapes.items()}
    return made | {"scale": np.ones(game.observation.size, np.float32), "critic.weight": np.zeros((9, 9), np.float32)}


def write_run(folder, env="Revolution-v0", option="", **sizes):
    """The folder of a run with a network of random weights."""
    game = get_game(env)
    card = game_card(game, game.load_components(None)) | {"steps": 2_000_000, "seed": 3}
    write_network(folder / "model.safetensors", random_weights(game, **sizes), card)
    told = {"command": "python -m training.x", "arguments": {"option": option}, "environment": env, "git": "0123",
            "components": {}, "python": "3.11", "packages": {"numpy": "2"}}  # fmt: skip
    (folder / CARD).write_text(json.dumps(told))
    (folder / CURVE).write_text(",".join(COLUMNS) + "\n600.0,2000000,royalists,0.5,0.4,0.6,0.0,3\n")
    return folder


@pytest.fixture(autouse=True)
def shelf(tmp_path, monkeypatch):
    """A folder of the test's own for baselines."""
    monkeypatch.setattr(baselines, "FOLDER", tmp_path / "baselines")
    (tmp_path / "baselines").mkdir()
    return tmp_path / "baselines"


@pytest.fixture
def published(tmp_path):
    """The card of a baseline for Revolution."""
    return publish.publish(write_run(tmp_path / "run"), "revolution/net-1", ["random", "scripted"], 120)


def test_a_baseline_is_found_by_name_and_plays_as_the_run_does(published, tmp_path):
    game = get_game("Revolution-v0")
    assert "revolution/net-1" in agents.names(game) and "revolution/net-1" not in agents.names(get_game("Paris-v0"))
    found, run = agents.load("revolution/net-1", game), agents.load(str(tmp_path / "run"), game)
    assert isinstance(found, NetworkAgent) and found.name == "revolution/net-1"
    batch = GameBatch(game, 30, seed=1)
    batch.step_random(6)
    rng = np.random.default_rng(0)
    assert (
        found.act(batch.observation, batch.action_mask, rng) == run.act(batch.observation, batch.action_mask, rng)
    ).all()
    with pytest.raises(UnknownName, match="did you mean 'revolution/net-1'"):
        agents.load("revolution/net-2", game)


def test_the_card_says_how_it_was_trained_and_how_it_scores(published):
    assert baselines.read_card("revolution/net-1") == replace(
        published, scores=baselines.read_card("revolution/net-1").scores
    )
    assert (published.steps, published.minutes, published.seed, published.git) == (2_000_000, 10.0, 3, "0123")
    assert [(s.opponent, s.side, s.games) for s in published.headline] == [
        ("random", "all", 240), ("scripted", "all", 240),
    ]  # fmt: skip
    assert len(published.scores) == 6 and published.check_deals == 100
    weights, _ = read_network(baselines.path_of("revolution/net-1"))
    assert "critic.weight" not in weights  # only what it plays with


def test_a_baseline_scores_what_its_card_says_and_another_network_does_not(tmp_path):
    name, run = "revolution/net-1", write_run(tmp_path / "run")
    publish.publish(run, name, ["random"], 120, temperature=50.0)  # plays nearly at random
    assert all(row.wins == score.check_wins for score, row in publish.play_again(name))
    weights, card = read_network(baselines.path_of(name))
    write_network(baselines.path_of(name), weights | {"policy.weight": 1000 * weights["policy.weight"]}, card)
    assert any(abs(row.wins - score.check_wins) > TOLERANCE * row.games for score, row in publish.play_again(name))


def test_stale_scores_of_a_card_are_played_anew(published):
    card = baselines.read_card(published.name)
    assert not publish.score_again(card.name)
    wrong = tuple(replace(score, check_wins=score.check_wins + 1, win_rate=0.0) for score in card.scores)
    baselines.write_card(replace(card, scores=wrong), baselines.path_of(card.name, ".toml"))
    assert publish.score_again(card.name) and baselines.read_card(card.name) == card


def test_another_environment_version_game_or_component_set_is_refused(published):
    game = get_game("Revolution-v0")
    with pytest.raises(VersionMismatch, match="version 0 instead of 1"):
        agents.load("revolution/net-1", replace(game, id="Revolution-v1"))
    with pytest.raises(VersionMismatch, match="rules 'revolution' instead of 'paris'"):
        agents.load("revolution/net-1", get_game("Paris-v0"))

    class Other:
        digest = "other cards"

    with pytest.raises(VersionMismatch, match="components"):
        agents.load("revolution/net-1", game, Other())


def test_a_baseline_may_draw_its_actions(tmp_path):
    game, run = get_game("Revolution-v0"), write_run(tmp_path / "run")
    publish.publish(run, "revolution/net-2", ["random"], 10, temperature=0.5)
    batch = GameBatch(game, 200, seed=1)
    drawn, likely = agents.load("revolution/net-2", game), agents.load(str(run), game)
    actions = drawn.act(batch.observation, batch.action_mask, np.random.default_rng(0))
    assert (actions != likely.act(batch.observation, batch.action_mask, np.random.default_rng(0))).mean() > 0.2
    sharp = agents.load("revolution/net-2@0.001", game)
    assert (
        sharp.act(batch.observation, batch.action_mask, np.random.default_rng(0))
        == likely.act(batch.observation, batch.action_mask, np.random.default_rng(0))
    ).all()


def test_weights_above_two_megabytes_become_float16_or_are_refused(tmp_path):
    game = get_game("Revolution-v0")
    per_unit = 4 * (game.observation.size + game.actions.size + 2)
    medium = int(1.5 * baselines.MOST_BYTES / per_unit)
    publish.publish(write_run(tmp_path / "medium", width=medium), "revolution/medium-1", ["random"], 4)
    path = baselines.path_of("revolution/medium-1")
    assert baselines.MOST_BYTES / 2 < path.stat().st_size <= baselines.MOST_BYTES
    assert read_network(path)[0]["policy.weight"].dtype == np.float16
    batch, rng = GameBatch(game, 100, seed=1), np.random.default_rng(0)
    exact, short = agents.load(str(tmp_path / "medium"), game), agents.load("revolution/medium-1", game)
    chosen = [agent.act(batch.observation, batch.action_mask, rng) for agent in (exact, short)]
    assert (chosen[0] == chosen[1]).mean() > 0.95
    with pytest.raises(RfopError, match="narrower network"):
        publish.publish(write_run(tmp_path / "wide", width=3 * medium), "revolution/wide-1", ["random"], 4)
    assert not baselines.path_of("revolution/wide-1").exists() and baselines.names(game) == ["revolution/medium-1"]


def test_a_game_of_one_seat_has_a_row_for_each_side(tmp_path):
    card = publish.publish(write_run(tmp_path / "run", "RedFlagOverParisSolo-v0"), "red-flag/net-1", None, 4)
    assert [(s.opponent, s.side) for s in card.headline] == [("-", "commune"), ("-", "versailles")]
    assert "as commune 0.0%" in baselines.table()
    assert [row.wins for _, row in publish.play_again("red-flag/net-1")] == [s.check_wins for s in card.scores]


def test_the_command_writes_a_card_for_the_table(tmp_path, shelf, capsys):
    told = [str(write_run(tmp_path / "run")), "revolution/net-1", "--deals", "5", "--against", "random"]
    assert publish.main(told) == 0
    assert "Not for publication: 10 games" in capsys.readouterr().out
    assert "| `revolution/net-1` | `Revolution-v0` | 2.0 million decisions, 10 minutes, seed 3 |" in baselines.table()
    assert (shelf / "revolution" / "net-1.toml").is_file()
    assert publish.main(told) == 2 and "take the next number" in capsys.readouterr().err
    assert publish.main([told[0], "Revolution/Net"]) == 2 and "called like" in capsys.readouterr().err
    assert publish.main([str(tmp_path), "revolution/net-3"]) == 2 and "is no run" in capsys.readouterr().err


def test_a_card_that_lacks_something_is_told(published):
    path = baselines.path_of("revolution/net-1", ".toml")
    path.write_text("\n".join(line for line in path.read_text().splitlines() if not line.startswith("steps")))
    with pytest.raises(RfopError, match="steps"):
        baselines.read_card("revolution/net-1")


def test_a_run_of_the_other_trainer_can_be_published(tmp_path):
    from training import ppo_maskable_sb3 as ppo

    small = {"steps": 1024, "envs": 32, "rollout": 16, "batch": 256, "epochs": 1, "width": 24, "evaluate_deals": 5}
    ppo.train(ppo.Arguments(run=tmp_path / "run", quiet=True, env="Revolution-v0", **small))
    card = publish.publish(tmp_path / "run", "revolution/sb3-1", ["random"], 5)
    assert card.steps == 1024 and card.command.startswith("python -m training.ppo_maskable_sb3")
    game = get_game("Revolution-v0")
    both = [agents.load(name, game) for name in ("revolution/sb3-1", str(tmp_path / "run"))]
    assert all((both[0].weights[name] == both[1].weights[name]).all() for name in both[0].weights)
