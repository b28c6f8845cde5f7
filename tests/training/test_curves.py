"""Published curves: a reader that finds faults, the right statistics, runs that are made, kept and compared."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

from docs.generator.training import curves_table
from rfop_env.core.errors import RfopError
from rfop_env.registry import get_game
from training import curves as curves_command
from training import reproduce as reproduce_command
from training.ppo.arguments import MaskableArguments, SelfPlayArguments
from training.ppo.run_folder import RunFolder
from training.publishing import jobs, reproduce
from training.publishing import results as curves
from training.publishing.results import (
    Point, PublishedCurves, PublishedRun, interquartile_mean, on_grid, read_results, stratified_interval,
)  # fmt: skip
from training.common.records import write_records

CONFIG = """
[[curve]]
name = "revolution"
trainer = "tests.training.fake_trainer"
env = "Revolution-v0"
full = 400
reduced = 100
seeds = 4
settings = { evaluate-deals = 500, evaluate-against = "scripted" }
"""
SET = get_game("Revolution-v0").load_components(None).digest


def results(finals, curve="revolution", budget="full", points=5):
    """Runs whose share of wins rises evenly to these values, a run for each."""
    runs, found = [], []
    for seed, best in enumerate(finals, start=1):
        name = f"{curve}/{budget}/seed_{seed}"
        runs.append(
            PublishedRun(
                name,
                curve,
                budget,
                seed,
                "training.x",
                "Revolution-v0",
                "",
                SET,
                "scripted",
                400,
                9.0,
                "0123",
                "python 3",
                "python -m training.x",
            )
        )
        for k in range(points):
            share = k / (points - 1)
            found.append(Point(name, int(400 * share) + seed, 9.0 * share, "royalists", 200, best * share, 0.0))
    return PublishedCurves(runs, found)


def write(found, folder):
    write_records(folder / "runs.csv", found.runs, PublishedRun)
    write_records(folder / "points.csv", found.points, Point)
    return folder


# -- the reader --------------------------------------------------------------------------------------------------------


def test_results_are_read_as_they_were_written(tmp_path):
    found = results([0.5, 0.75])
    assert read_results(write(found, tmp_path)) == found
    sides = found.of("revolution", "full")
    assert list(sides) == ["royalists"] and [seed[-1].win_rate for seed in sides["royalists"]] == [0.5, 0.75]
    assert found.of("revolution", "reduced") == {}


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (
            lambda r: PublishedCurves(r.runs, [*r.points, replace(r.points[0], run="other")]),
            "12: runs.csv has no run 'other'",
        ),
        (
            lambda r: PublishedCurves(r.runs, [replace(p, win_rate=1.2) for p in r.points]),
            "points.csv:2: a share of wins",
        ),
        (lambda r: PublishedCurves([*r.runs, r.runs[0]], r.points), "revolution/full/seed_1 appears twice"),
        (lambda r: PublishedCurves(r.runs, r.points[:5]), "no points of run revolution/full/seed_2"),
        (
            lambda r: PublishedCurves([replace(run, git="") for run in r.runs], r.points),
            "lacks git, command or versions",
        ),
    ],
)
def test_faulty_results_are_refused(fault, said, tmp_path):
    write(fault(results([0.5, 0.75])), tmp_path)
    with pytest.raises(RfopError, match=said):
        read_results(tmp_path)


def test_published_results_of_the_repository_are_sound():
    found = read_results()
    for curve in found.curves:
        assert all(len(seeds) >= curves.SEEDS for seeds in found.of(curve, curves.FULL).values())


# -- statistics --------------------------------------------------------------------------------------------------------


def test_the_interquartile_mean_leaves_out_the_best_and_the_worst_quarter():
    assert interquartile_mean(np.array([[0.0, 1.0, 2.0, 3.0, 100.0]])[..., None]) == [2.0]
    assert interquartile_mean(np.array([[0.0, 1.0, 2.0, 9.0], [50.0, 4.0, 3.0, -7.0]])[..., None]) == [2.5]


def test_the_interval_draws_runs_within_their_task():
    even = np.array([[0.2] * 5, [0.8] * 5])[..., None]  # two tasks of different difficulty, without any chance
    assert stratified_interval(even, 200) == (interquartile_mean(even), interquartile_mean(even))
    scores = np.array([[0.1, 0.2, 0.3, 0.4, 0.5]])[..., None]
    low, high = stratified_interval(scores, 2000)
    assert 0.1 < low < interquartile_mean(scores) < high < 0.5


def test_the_interval_is_that_of_rliable():
    """Values of rliable 1.2.0 (`get_interval_estimates`, 20,000 repetitions) on the same scores."""
    scores = np.random.default_rng(0).random((3, 5))[..., None]
    mean, (low, high) = interquartile_mean(scores), stratified_interval(scores, 8000)
    assert [*mean, *low, *high] == pytest.approx([0.576251, 0.335641, 0.761803], abs=0.01)


def test_seeds_are_compared_at_the_same_steps():
    steps, rates = on_grid(results([0.4, 0.8]).of("revolution", "full")["royalists"], places=5)
    assert steps[0] == 2 and steps[-1] == 401
    assert rates[:, -1] == pytest.approx([0.4, 0.8], abs=0.01) and rates.shape == (2, 5)


def test_every_published_figure_is_drawn_again_and_equal_results_give_equal_files(tmp_path, capsys):
    write(results([0.4, 0.6, 0.5, 0.7, 0.8]), tmp_path)
    words = ["--results", str(tmp_path), "--figures", str(tmp_path / "figures")]
    assert curves_command.main(words) == 0
    drawn = {path.name: path.read_bytes() for path in (tmp_path / "figures").iterdir()}
    assert set(drawn) == {"revolution.svg", "all.svg"} and b"5 seeds" in drawn["revolution.svg"]
    row = "| [revolution](curves/revolution.svg) | royalists | 59.7% | 43.3% to 76.0% | 5 | 0.0 million | 0 | `0123` |"
    assert row in curves_table(read_results(tmp_path))
    older = [replace(run, components="abc") for run in read_results(tmp_path).runs]
    assert "`0123`, older component set |" in curves_table(PublishedCurves(older, read_results(tmp_path).points))
    assert curves_command.main(words) == 0
    assert drawn == {path.name: path.read_bytes() for path in (tmp_path / "figures").iterdir()}
    write(results([0.4, 0.6]), tmp_path)
    assert (
        curves_command.main(words) == 0
        and "too few to publish" in (tmp_path / "figures" / "revolution.svg").read_text()
    )
    assert curves_command.main([str(tmp_path / "nowhere")]) == 2
    assert "nowhere" in capsys.readouterr().err


# -- making and comparing runs -----------------------------------------------------------------------------------------


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Calls training.reproduce in a folder of the test, with the configuration of a trainer that takes no time."""
    monkeypatch.setenv("RFOP_JIT", "0")  # for its processes, which play nothing and start sooner without the compiler
    config = tmp_path / "curves.toml"
    config.write_text(CONFIG)

    def call(*words, text=CONFIG):
        config.write_text(text)
        folders = ["--results", str(tmp_path / "results"), "--runs", str(tmp_path / "runs")]
        return reproduce_command.main([*words, "--config", str(config), "--workers", "2", *folders])

    return call


def test_published_runs_say_how_they_were_made_and_are_not_made_twice(command, tmp_path, capsys):
    assert command("--publish", "full") == 0
    found = read_results(tmp_path / "results")
    assert [run.run for run in found.runs] == [f"revolution/full/seed_{seed}" for seed in (1, 2, 3, 4)]
    run = found.runs[0]
    assert run.command.startswith("python -m tests.training.fake_trainer --env Revolution-v0")
    assert (run.steps, run.opponent, run.versions) == (400, "scripted", "python 3.11, numpy 2") and len(run.git) >= 12
    assert {point.games for point in found.points} == {500} and len(found.points) == 40
    capsys.readouterr()
    shutil.rmtree(tmp_path / "runs" / "revolution" / "full" / "seed_3")
    assert command("--publish", "full") == 0
    assert "[1/1] revolution/full/seed_3" in capsys.readouterr().err
    assert read_results(tmp_path / "results") == found
    assert command("--publish", "full", text=CONFIG.replace("500", "100")) == 0  # other settings: all runs again
    assert {point.games for point in read_results(tmp_path / "results").points} == {100}


def test_a_curve_that_starts_from_another_waits_for_it_and_brings_it_along(command, tmp_path, capsys):
    begun = CONFIG.replace('"revolution"', '"begun"').replace("seeds = 4", 'seeds = 4\nafter = "revolution"')
    assert command("begun", "--publish", "full", text=begun + CONFIG) == 0
    lines = capsys.readouterr().err.splitlines()
    assert [f"[{k}/8]" for k in range(1, 9)] == [line.split()[0] for line in lines if line.startswith("[")]
    assert all("revolution/full" in line for line in lines[-8:-4]) and all("begun/full" in line for line in lines[-4:])
    run = next(r for r in read_results(tmp_path / "results").runs if r.run == "begun/full/seed_3")
    assert f"--init-from {tmp_path}/runs/revolution/full/seed_3" in run.command


def test_a_run_that_fails_is_told_and_the_others_are_published(command, tmp_path, capsys):
    assert command("--publish", "reduced", text=CONFIG.replace("{ ", "{ fail = true, ")) == 2
    assert "seed_2 failed" in (said := capsys.readouterr()).err and "does not want to" in said.err
    assert "1 runs are missing" in said.out
    assert [run.seed for run in read_results(tmp_path / "results").runs] == [1, 3, 4]


def test_a_reduced_set_is_made_again_and_compared(command, tmp_path, capsys):
    assert command("--publish", "reduced") == 0
    assert command() == 0
    assert "| revolution | jacobins | 8" in (said := capsys.readouterr().out) and "OUTSIDE" not in said
    worse = CONFIG.replace("{ ", "{ best = 0.5, ")
    assert command(text=worse) == 1
    assert "OUTSIDE" in capsys.readouterr().out
    metadata = tmp_path / "runs" / "revolution" / "reduced" / "seed_1" / "run.json"
    metadata.write_text(json.dumps(json.loads(metadata.read_text()) | {"git": "0" * 40}))
    assert command(text=worse) == 1  # of another revision, so it is made again
    assert "[1/1] revolution/reduced/seed_1" in capsys.readouterr().err


def test_the_band_is_that_of_a_further_run():
    rng, inside = np.random.default_rng(0), 0
    for _ in range(2000):
        scores = rng.normal(0.5, 0.05, 6)
        low, high = reproduce.band(scores[:5].tolist(), 100_000)
        inside += low <= scores[5] <= high
    assert 0.98 < inside / 2000 < 0.998
    low, high = reproduce.band([1.0] * 5, 200)  # seeds that never lost a game may lose one
    assert high == 1.0 and 0.95 < low < 0.995


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("seeds", "seed"), "unknown key of a curve 'seed'"),
        (("full = 400", ""), "missing 1 required positional argument: 'full'"),
        (("Revolution-v0", "Revolutoin-v0"), "did you mean 'Revolution-v0'"),
        (("seeds = 4", 'option = "players=2"'), "option of Revolution-v0"),
        (("seeds = 4", 'after = "revolution"'), "unknown curve without an initial network 'revolution'"),
        (("[[curve]]", "[[curves]]"), "with different names"),
    ],
)
def test_a_wrong_configuration_is_refused_by_name(change, said, command, capsys):
    assert command(text=CONFIG.replace(*change)) == 2
    assert said in capsys.readouterr().err


def test_wrong_names_and_missing_results_are_told(command, capsys):
    assert command("revolutoin") == 2 and "did you mean 'revolution'" in capsys.readouterr().err
    assert command() == 2 and "nothing is published" in capsys.readouterr().err


def test_the_configuration_of_the_repository_names_real_trainers_and_settings():
    arguments = {"training.ppo_self_play": SelfPlayArguments, "training.ppo_maskable_sb3": MaskableArguments}
    found = jobs.read_config()
    assert {"red-flag-solo", "red-flag", "levee-en-masse", "revolution", "paris-2"} <= {c.name for c in found}
    for curve in found:
        valid = arguments[curve.trainer].__dataclass_fields__
        assert all(name.replace("-", "_") in valid for name in curve.settings)
        assert curve.seeds >= curves.SEEDS and curve.reduced < curve.full


@pytest.mark.slow
def test_a_real_run_is_published_and_reproduces_itself(command, tmp_path, capsys):
    small = "{ evaluate-deals = 20, num-envs = 64, num-steps = 16, width = 16, minibatch-size = 512 }"
    text = CONFIG.split("seeds")[0].replace("tests.training.fake_trainer", "training.ppo_self_play")
    text = text.replace("400", "4_000").replace("100", "2_000") + f"seeds = 2\nsettings = {small}\n"
    assert command("--publish", "reduced", text=text) == 0
    published = read_results(tmp_path / "results")
    shutil.rmtree(tmp_path / "runs")
    assert command(text=text) == 0
    assert "within" in capsys.readouterr().out
    again = RunFolder(tmp_path / "runs" / "revolution" / "reduced" / "seed_1").read_curve()
    for side, seeds in published.of("revolution", "reduced").items():
        assert again[side]["win_rate"][-1] == seeds[0][-1].win_rate  # the same seed on the same machine
