"""Methods compared: the configuration, the command from nothing to its table, and what it refuses and leaves out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from training.research.__main__ import main as research
from rfop_env.core.errors import RfopError
from rfop_env.registry import get_game
from rfop_training.common.records import read_records, write_records
from training.research.lab.end_games import EndGames, FindingRow
from rfop_training.evaluation.setting import Setting
from training.research.publishing import methods
from training.research.publishing.jobs import read_config
from training.research.publishing.results import Point

CONFIG = """
[[end_games]]
env = "Revolution-v0"
left = 6
games = 12

[defaults]
env = "Revolution-v0"
full = 400
reduced = 100
seeds = 2
settings = { evaluate-steps = 200, evaluate-deals = 10, evaluate-against = "scripted", num-envs = 8, num-steps = 8 }

[[curve]]
name = "ppo"
trainer = "ppo"
settings = { minibatch-size = 64, width = 16 }

[[curve]]
name = "expert"
trainer = "expert"
settings = { simulations = 2, minibatch-size = 16, width = 16, num-envs = 4 }
"""


PLAYED = EndGames(Setting("Revolution-v0"), left=6, games=12)


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "methods.toml"
    path.write_text(CONFIG)
    return path


def test_the_published_methods_are_those_of_the_configuration_and_can_be_solved():
    config = read_config(methods.CONFIG)
    end_games = methods.read_end_games(config, methods.CONFIG)
    assert {env: played.reward for env, played in end_games.items()} == {
        "Revolution-v0": "outcome", "RedFlagOverParis-v1": "outcome"
    }  # fmt: skip
    assert {method.trainer for method in config} == {"ppo", "expert"}


def test_methods_on_another_component_set_are_measured_on_it():
    path = methods.CONFIG.with_name("small_board.toml")
    config = read_config(path)
    (played,) = methods.read_end_games(config, path).values()
    digest = get_game("Revolution-v0").load_components("small_board").digest
    assert played.setting.digest == digest and {curve.settings["components"] for curve in config} == {"small_board"}

    published = methods.published_methods("Revolution-v0", "small_board")
    assert {method.name for method in published} == {curve.name for curve in config}
    assert {run.components for method in published for run in method.runs} == {digest}
    assert {len(method.exploitability) for method in published} == {3}


def test_the_command_trains_measures_and_says_what_it_found(config, tmp_path, capsys):
    out = tmp_path / "results"
    words = ["--file", config, "--runs", tmp_path / "runs", "--results", out]
    words = [*map(str, words), "--workers", "2"]
    assert research(["methods", *words]) == 0
    printed = capsys.readouterr().out
    found = methods.read_methods(PLAYED, folder=out)
    assert [method.name for method in found] == ["expert", "ppo"]
    assert f"Revolution-v0\n\n{methods.summary_table(found)}" in printed
    assert methods.read_methods(EndGames(Setting("RedFlagOverParis-v1")), folder=out) == []
    rows = read_records(out / "end_games.csv", FindingRow)
    assert {row.agent for row in rows} == {
        f"{name}/full/seed_{seed}{how}" for name in ("ppo", "expert") for seed in (1, 2) for how in ("", "@1")
    }
    for method in found:
        assert method.wins.shape == (2, len(method.minutes)) and np.all(np.diff(method.minutes) >= 0)
        assert len(method.exploitability) == len(method.sampled) == 2 and max(method.exploitability) > 0

    # Again: nothing is trained, and the rows are the same.
    before = (out / "runs.csv").read_text()
    assert research(["methods", *words]) == 0
    assert "/4]" not in capsys.readouterr().err and (out / "runs.csv").read_text() == before
    assert read_records(out / "end_games.csv", FindingRow) == rows

    # Another budget has a table of its own.
    capsys.readouterr()
    assert research(["methods", "ppo", "--budget", "reduced", *words]) == 0
    (reduced,) = methods.read_methods(PLAYED, "reduced", out)
    assert [run.run for run in reduced.runs] == ["ppo/reduced/seed_1", "ppo/reduced/seed_2"] and reduced.runs[
        0
    ].steps < 400
    assert capsys.readouterr().out == f"Revolution-v0\n\n{methods.summary_table([reduced])}\n"

    # So have other end games: a run that has not played them is told, and the rows of the first ones are not replaced.
    config.write_text(CONFIG.replace("left = 6", "left = 5"))
    assert research(["methods", "ppo", *words]) == 2
    assert "end_games.csv has no row of expert/full/seed_1 in these end games" in capsys.readouterr().err
    assert methods.summary_table(methods.read_methods(PLAYED, folder=out)) == methods.summary_table(found)
    write_records(out / "end_games.csv", [row for row in rows if row.agent != "ppo/full/seed_2@1"], FindingRow)
    with pytest.raises(RfopError, match=r"no row of ppo/full/seed_2@1 .*: .* methods ppo .*--budget full"):
        methods.read_methods(PLAYED, folder=out)

    methods.draw_methods(found, tmp_path / "methods.svg")
    drawn = (tmp_path / "methods.svg").read_text()
    assert "minutes of processor time" in drawn and "expert" in drawn and "diamonds" not in drawn
    methods.draw_methods(found, tmp_path / "methods.svg", untrained=[replace(rows[0], agent="CFR+, 10 iterations")])
    drawn = (tmp_path / "methods.svg").read_text()
    assert "CFR+, 10 iterations" in drawn and "diamonds what is not trained" in drawn


def test_wins_are_means_of_both_seats_at_equal_decisions():
    def seed(rates):
        return [
            Point("r", steps, 9 * seconds, seconds, side, 0, 10, rate + (0.2 if side == "b" else 0.0), 0.0)
            for side in "ab"
            for steps, seconds, rate in zip((0, 50, 100), (0.0, 60.0, 120.0), rates, strict=True)
        ]

    minutes, wins = methods._mean_curve([seed((0.0, 0.2, 0.4)), seed((0.2, 0.4, 0.6))])
    np.testing.assert_allclose(minutes[[0, -1]], [0.0, 2.0])
    np.testing.assert_allclose(wins[:, [0, -1]], [[0.1, 0.5], [0.3, 0.7]])

    older = [replace(point, processor_seconds=None) for point in seed((0.0, 0.2, 0.4))]
    with pytest.raises(RfopError, match="r was trained before processor time was counted: delete its folder"):
        methods._mean_curve([seed((0.0, 0.2, 0.4)), older])
