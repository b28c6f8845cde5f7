"""Named baselines: made from a run, found by name, refused elsewhere, and still as strong as their metadata say."""

from __future__ import annotations

import shutil
from dataclasses import fields, replace

import numpy as np
import pytest

from training.research.__main__ import main as research
import rfop_agents
from rfop_agents import baselines
from rfop_agents.network import NetworkAgent, read_network, write_network
from rfop_agents.network import game_metadata
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError, UnknownName, VersionMismatch
from rfop_env.registry import get_game
from rfop_training.common.records import read_records
from rfop_training.run import CurveRow, RunFolder
from training.research.publishing import baselines as publishing
from tests.training.random_networks import random_weights


def write_run(folder, env="Revolution-v0", option="", **sizes):
    """The folder of a run with a network of random weights."""
    game = get_game(env)
    metadata = game_metadata(game, game.load_components(None)) | {"steps": 2_000_000, "seed": 3}
    weights = random_weights(game, **sizes) | {"critic.weight": np.zeros((9, 9), np.float32)}
    write_network(folder / "model.safetensors", weights, metadata)
    run = {"command": "python -m training.x", "arguments": {"option": option}, "environment": env, "git": "0123",
            "components": {}, "python": "3.11", "packages": {"numpy": "2"}}  # fmt: skip
    RunFolder(folder).write_metadata(run)
    point = "600.0,590.0,2000000,royalists,scripted,0,1000,0.5,0.4,0.6,0.0,3"
    RunFolder(folder).curve.write_text(f"{','.join(f.name for f in fields(CurveRow))}\n{point}\n")
    return folder


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder of the test's own for baselines."""
    monkeypatch.setattr(baselines, "FOLDER", tmp_path / "baselines")
    (tmp_path / "baselines").mkdir()
    return tmp_path / "baselines"


@pytest.fixture
def published(tmp_path):
    """The metadata of a baseline for Revolution."""
    return publishing.publish(write_run(tmp_path / "run"), "revolution/net-1", ["random", "scripted"], 120)


def test_names_are_sorted_with_their_numbers_by_size(published):
    for number in (10, 9):
        for suffix in (".toml", ".safetensors"):
            copy = baselines.baseline_path(f"revolution/net-{number}", suffix)
            shutil.copy(baselines.baseline_path(published.name, suffix), copy)
    assert baselines.names(get_game("Revolution-v0")) == ["revolution/net-1", "revolution/net-9", "revolution/net-10"]


def test_a_baseline_is_found_by_name_and_plays_as_the_run_does(published, tmp_path):
    game = get_game("Revolution-v0")
    assert "revolution/net-1" in rfop_agents.names(game) and "revolution/net-1" not in rfop_agents.names(
        get_game("Paris-v0")
    )
    found, run = rfop_agents.load("revolution/net-1", game), rfop_agents.load(str(tmp_path / "run"), game)
    assert isinstance(found, NetworkAgent) and found.name == "revolution/net-1"
    batch = GameBatch(game, 30, seed=1)
    batch.step_random(6)
    rng = np.random.default_rng(0)
    assert (
        found.act(batch.observation, batch.action_mask, rng) == run.act(batch.observation, batch.action_mask, rng)
    ).all()
    with pytest.raises(UnknownName, match="did you mean 'revolution/net-1'"):
        rfop_agents.load("revolution/net-2", game)


def test_the_metadata_say_how_it_was_trained_and_how_it_scores(published):
    assert baselines.read_metadata("revolution/net-1") == replace(
        published, scores=baselines.read_metadata("revolution/net-1").scores
    )
    assert (published.steps, published.minutes, published.seed, published.git) == (2_000_000, 10.0, 3, "0123")
    assert [(s.opponent, s.side, s.games) for s in published.headline] == [
        ("random", "all", 240), ("scripted", "all", 240),
    ]  # fmt: skip
    assert len(published.scores) == 6 and published.check_deals == 100
    weights, _ = read_network(baselines.baseline_path("revolution/net-1"))
    assert "critic.weight" not in weights  # only what it plays with


def test_a_baseline_scores_what_its_metadata_say_and_another_network_does_not(tmp_path):
    name, run = "revolution/net-1", write_run(tmp_path / "run")
    publishing.publish(run, name, ["random"], 120, temperature=50.0)  # plays nearly at random
    assert not publishing.changed_scores(name)
    weights, metadata = read_network(baselines.baseline_path(name))
    write_network(baselines.baseline_path(name), weights | {"policy.weight": 1000 * weights["policy.weight"]}, metadata)
    elsewhere = replace(baselines.read_metadata(name), rounding="0123456789ab")  # where a few games may differ
    baselines.write_metadata(elsewhere, baselines.baseline_path(name, ".toml"))
    assert publishing.changed_scores(name)


def test_another_environment_version_game_or_component_set_is_refused(published):
    game = get_game("Revolution-v0")
    with pytest.raises(VersionMismatch, match="version 0 instead of 1"):
        rfop_agents.load("revolution/net-1", replace(game, id="Revolution-v1"))
    with pytest.raises(VersionMismatch, match="rules 'revolution' instead of 'paris'"):
        rfop_agents.load("revolution/net-1", get_game("Paris-v0"))

    class Other:
        digest = "other cards"

    with pytest.raises(VersionMismatch, match="components"):
        rfop_agents.load("revolution/net-1", game, Other())


def test_a_baseline_may_sample_its_actions(tmp_path):
    game, run = get_game("Revolution-v0"), write_run(tmp_path / "run")
    publishing.publish(run, "revolution/net-2", ["random"], 10, temperature=0.5)
    batch = GameBatch(game, 200, seed=1)
    drawn, likely = rfop_agents.load("revolution/net-2", game), rfop_agents.load(str(run), game)
    actions = drawn.act(batch.observation, batch.action_mask, np.random.default_rng(0))
    assert (actions != likely.act(batch.observation, batch.action_mask, np.random.default_rng(0))).mean() > 0.2
    sharp = rfop_agents.load("revolution/net-2@0.001", game)
    assert (
        sharp.act(batch.observation, batch.action_mask, np.random.default_rng(0))
        == likely.act(batch.observation, batch.action_mask, np.random.default_rng(0))
    ).all()


def test_weights_above_two_megabytes_become_float16_or_are_refused(tmp_path):
    game = get_game("Revolution-v0")
    per_unit = 4 * (game.observation.size + game.actions.size + 2)
    medium = int(1.5 * baselines.MOST_BYTES / per_unit)
    publishing.publish(write_run(tmp_path / "medium", width=medium), "revolution/medium-1", ["random"], 4)
    path = baselines.baseline_path("revolution/medium-1")
    assert baselines.MOST_BYTES / 2 < path.stat().st_size <= baselines.MOST_BYTES
    assert read_network(path)[0]["policy.weight"].dtype == np.float32, "float16 is for files"
    batch, rng = GameBatch(game, 100, seed=1), np.random.default_rng(0)
    exact, short = rfop_agents.load(str(tmp_path / "medium"), game), rfop_agents.load("revolution/medium-1", game)
    chosen = [agent.act(batch.observation, batch.action_mask, rng) for agent in (exact, short)]
    assert (chosen[0] == chosen[1]).mean() > 0.95
    with pytest.raises(RfopError, match="narrower network"):
        publishing.publish(write_run(tmp_path / "wide", width=3 * medium), "revolution/wide-1", ["random"], 4)
    assert not baselines.baseline_path("revolution/wide-1").exists() and baselines.names(game) == [
        "revolution/medium-1"
    ]


def test_a_run_that_was_not_published_is_recorded_once_with_the_reason(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(publishing, "DISCARDED", tmp_path / "discarded.csv")
    run = write_run(tmp_path / "failed")
    for reason in ("too weak", "weaker than before"):
        assert research(["publish", str(run), "--discard", reason]) == 0
    assert "| `Revolution-v0` |" in capsys.readouterr().out
    (row,) = read_records(tmp_path / "discarded.csv", publishing.DiscardedRun)
    assert (row.run, row.steps, row.seed, row.wins) == ("failed", 2_000_000, 3, "royalists 50.0%")
    assert row.minutes == 9.8 and row.reason == "weaker than before"
    assert research(["publish", str(run)]) == 2 == research(["publish", str(run), "x/y-1", "--discard", "why"])
    assert "give the name of a baseline, or --discard with the reason" in capsys.readouterr().err


def test_the_lineage_goes_back_to_the_first_run(tmp_path):
    def publish(name, steps, *words):
        publishing.publish(write_run(tmp_path / name.replace("/", "-")), name, ["random"], 4)
        command = " ".join(["rfop train ppo", *words])
        made = replace(baselines.read_metadata(name), command=command, steps=steps)
        baselines.write_metadata(made, baselines.baseline_path(name, ".toml"))
        return made

    first = publish("revolution/net-1", 1, "--run runs/first")
    again = publish("revolution/net-2", 2, "--run runs/first")  # later in the same run
    named = publish("revolution/net-3", 3, "--run runs/second --init-from revolution/net-1")
    last = publish("revolution/net-4", 4, "--run runs/third --init-from runs/first")
    other = publish("revolution/net-5", 5, "--run runs/third --init-from runs/nobody")
    assert [baselines.lineage(one) for one in (first, again, other)] == [[first], [again], [other]]
    assert baselines.lineage(named) == [named, first] and baselines.lineage(last) == [last, again]
    assert "seed 3; from `revolution/net-2`, in all 20 minutes |" in baselines.baselines_table([last])

    baselines.baseline_path("revolution/net-2", ".toml").unlink()
    baselines.baseline_path("revolution/net-1", ".toml").unlink()
    assert baselines.lineage(last) == [last] and baselines.lineage(named) == [named]
    told = baselines.baselines_table([named])
    assert "10 minutes, seed 3; began with `revolution/net-1`, which is neither shipped nor counted |" in told


def test_a_game_of_one_seat_has_a_row_for_each_side(tmp_path):
    metadata = publishing.publish(write_run(tmp_path / "run", "RedFlagOverParisSolo-v1"), "red-flag/net-1", None, 4)
    assert [(s.opponent, s.side) for s in metadata.headline] == [("-", "commune"), ("-", "versailles")]
    assert "as commune 0.0%" in baselines.baselines_table()
    assert [row.wins for _, row in publishing.play_again("red-flag/net-1")] == [s.check_wins for s in metadata.scores]


def test_the_command_writes_metadata_for_the_table(tmp_path, folder, capsys):
    words = [str(write_run(tmp_path / "run")), "revolution/net-1", "--deals", "5", "--against", "random"]
    assert research(["publish", *words]) == 0
    assert "Not for publication: 10 games" in capsys.readouterr().out
    assert (
        "| `revolution/net-1` | `Revolution-v0` | 2.0 million decisions, 10 minutes, seed 3 |"
        in baselines.baselines_table()
    )
    there = replace(baselines.read_metadata("revolution/net-1"), command="python -m training --device cuda --seed 3")
    assert "| 2.0 million decisions, 10 minutes on a graphics card, seed 3 |" in baselines.baselines_table([there])
    assert (folder / "revolution" / "net-1.toml").is_file()
    assert research(["publish", *words]) == 2 and "take the next number" in capsys.readouterr().err
    assert research(["publish", words[0], "Revolution/Net"]) == 2 and "has a name like" in capsys.readouterr().err
    assert research(["publish", str(tmp_path), "revolution/net-3"]) == 2 and "is no run" in capsys.readouterr().err


def test_metadata_that_lack_something_is_told(published):
    path = baselines.baseline_path("revolution/net-1", ".toml")
    path.write_text("\n".join(line for line in path.read_text().splitlines() if not line.startswith("steps")))
    with pytest.raises(RfopError, match="steps"):
        baselines.read_metadata("revolution/net-1")
