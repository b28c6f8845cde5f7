"""Published curves: a reader that finds faults, the right statistics, runs that are made, kept and compared."""

from __future__ import annotations

import itertools
import json
import shutil
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from matplotlib.text import Text

from rfop_env.cli.main import main as rfop
from training.research.__main__ import main as research
from training.research.generator.training import curves_table
from rfop_env.core.errors import RfopError
from rfop_env.registry import get_game
from rfop_training.run import RunFolder
from rfop_training.figures import pictures
from rfop_training.evaluation.games import FIRST_DEAL, curve_deals
from rfop_training.evaluation.statistics import mean_over_seeds
from training.research.publishing import coverage, jobs, reproduce
from training.research.publishing.results import (
    Point, PublishedCurves, PublishedRun, on_grid, read_results,
)  # fmt: skip
from rfop_training.common import records
from rfop_training.common.records import locked, read_records, write_records

CONFIG = """
[[curve]]
name = "revolution"
trainer = "fake"
env = "Revolution-v0"
full = 400
reduced = 200
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
                "x",
                "Revolution-v0",
                "",
                SET,
                "scripted",
                400,
                9.0,
                "0123",
                "python 3",
                "rfop train x",
            )
        )
        for k in range(points):
            share = k / (points - 1)
            steps = int(400 * share) + seed
            first_deal, rate = curve_deals(seed, steps, 200).start, best * share
            found.append(Point(name, steps, 9.0 * share, 8.0 * share, "royalists", first_deal, 200, rate, 0.0))
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
    assert found.of("revolution", "other") == {}


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


# -- statistics --------------------------------------------------------------------------------------------------------


def test_the_interval_is_students_over_seeds():
    rates = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    (mean,), (low,), (high,) = mean_over_seeds([rates[None, :, None]], 10**6)
    expected = scipy.stats.t.interval(0.95, 4, loc=0.3, scale=scipy.stats.sem(rates))
    assert (mean, low, high) == pytest.approx((0.3, *expected))


def test_the_sides_of_a_run_are_one_unit():
    rates = np.linspace(0.3, 0.7, 8)
    opposite = np.array([rates, 1 - rates])[..., None]  # whoever wins as one side loses as the other

    def width(*curves):
        _, low, high = mean_over_seeds(curves, 10**6)
        return float((high - low)[0])

    assert width(opposite) < 0.01 < 0.1 < width(opposite[:1], opposite[1:])


def test_the_interval_of_several_curves_has_welchs_degrees_of_freedom():
    one, other = np.array([0.3, 0.4, 0.45, 0.5, 0.6]), np.array([0.7, 0.72, 0.71])
    (mean,), (low,), (high,) = mean_over_seeds([one[None, :, None], 1 - other[None, :, None]], 10**6)
    expected = scipy.stats.ttest_ind(one, other, equal_var=False).confidence_interval()  # of one - other
    assert 2 * mean - 1 == pytest.approx(one.mean() - other.mean())
    assert (2 * low - 1, 2 * high - 1) == pytest.approx((expected.low, expected.high))


def test_seeds_that_are_alike_leave_what_their_games_leave_open():
    _, (low,), (high,) = mean_over_seeds([np.full((1, 5, 1), 0.5)], 1000)
    assert high - low == pytest.approx(2 * 2.776 * np.sqrt(0.25 / 5000), rel=1e-3)
    _, (low,), (high,) = mean_over_seeds([np.zeros((1, 5, 1))], 1000)
    assert low == 0 < high < 0.001
    assert mean_over_seeds([np.full((1, 1, 1), 0.5)], 1000) == (0.5, 0.0, 1.0)  # one seed says nothing of others


def test_published_intervals_cover_the_mean_and_those_on_common_deals_do_not():
    runs = coverage.POPULATIONS[1]
    rows = {(row.interval, row.seeds): row.coverage for row in coverage.coverage_rows([runs], samples=1000)}
    for seeds in coverage.SEEDS:
        assert rows["Student's t", seeds] > 0.935
        assert rows["bootstrap over seeds", seeds] < 0.87
    assert rows["bootstrap over seeds and deals", 5] < 0.92
    stored = read_records(coverage.COVERAGE, coverage.CoverageRow)
    assert [(row.wins, row.spread, row.correlation) for row in stored[:: 4 * len(coverage.SEEDS)]] == [
        (runs.wins, runs.spread, runs.correlation) for runs in coverage.POPULATIONS
    ]
    own = [row for row in stored if (row.wins, row.spread) == (runs.wins, runs.spread)]
    assert {(row.interval, row.seeds): row.coverage for row in own} == pytest.approx(rows, abs=0.035)


@pytest.mark.parametrize("population", [0, 2])
def test_results_of_two_runs_on_common_deals_are_correlated_as_measured(population):
    runs, rng = replace(coverage.POPULATIONS[population], spread=1e-6), np.random.default_rng(0)
    for deals, correlation in (("common", runs.correlation), ("own", 0.0)):
        rates = coverage.sample_rates(runs, 2, 8000, deals, rng)
        assert np.corrcoef(rates.T)[0, 1] == pytest.approx(correlation, abs=0.04)
        assert rates.mean() == pytest.approx(runs.wins, abs=1e-3)


def test_every_point_of_every_seed_has_deals_of_its_own():
    points = [curve_deals(seed, steps, 1000) for seed in (0, 1, 2, 10**6) for steps in (0, 1, 2048, 10**9)]
    assert len(set().union(*points)) == sum(map(len, points))
    assert min(deals.start for deals in points) > FIRST_DEAL  # above those of tables and leaderboards
    assert FIRST_DEAL + max(deals.stop for deals in points) < 2**64  # the largest seed of a game


def test_seeds_are_compared_at_the_same_steps():
    steps, rates = on_grid(results([0.4, 0.8]).of("revolution", "full")["royalists"], places=5)
    assert steps[0] == 2 and steps[-1] == 401
    assert rates[:, -1] == pytest.approx([0.4, 0.8], abs=0.01) and rates.shape == (2, 5)


def test_every_published_figure_is_drawn_again_and_equal_results_give_equal_files(tmp_path, capsys):
    write(results([0.4, 0.6, 0.5, 0.7, 0.8]), tmp_path)
    words = ["--results", str(tmp_path), "--figures", str(tmp_path / "figures")]
    assert research(["curves", *words]) == 0
    drawn = {path.name: path.read_bytes() for path in (tmp_path / "figures").iterdir()}
    assert set(drawn) == {"revolution.svg", "all.svg"} and b"5 seeds" in drawn["revolution.svg"]
    row = "| [revolution](curves/revolution.svg) | royalists | 59.7% | 40.4% to 78.9% | 5 | 0.0 million | 0 | `0123` |"
    assert row in curves_table(read_results(tmp_path))
    older = [replace(run, components="abc") for run in read_results(tmp_path).runs]
    assert "`0123`, older component set |" in curves_table(PublishedCurves(older, read_results(tmp_path).points))
    common = [replace(point, first_deal=500_000) for point in read_results(tmp_path).points]
    assert "`0123`, common deals |" in curves_table(PublishedCurves(read_results(tmp_path).runs, common))
    assert research(["curves", *words]) == 0
    assert drawn == {path.name: path.read_bytes() for path in (tmp_path / "figures").iterdir()}
    write(results([0.4, 0.6]), tmp_path)
    assert (
        research(["curves", *words]) == 0
        and "too few to publish" in (tmp_path / "figures" / "revolution.svg").read_text()
    )
    assert rfop(["curves", str(tmp_path / "nowhere")]) == 2
    assert "nowhere" in capsys.readouterr().err


@pytest.fixture
def figures(monkeypatch):
    """The figures that are drawn; in each all texts are apart and inside."""
    drawn, write = [], pictures._write

    def keep(figure, out):
        write(figure, out)
        require_apart(figure)
        drawn.append(figure)

    monkeypatch.setattr(pictures, "_write", keep)
    return drawn


def require_apart(figure):
    """Fail where two texts of a figure overlap, or one leaves it."""
    figure.canvas.draw()
    texts = [text for text in figure.findobj(Text) if text.get_text().strip() and text.get_visible()]
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            beyond = {tick.label1 for tick in axis.get_major_ticks() if not low <= tick.get_loc() <= high}
            texts = [text for text in texts if text not in beyond]
    boxes = [(text.get_text(), Text.get_window_extent(text)) for text in texts]  # without the lines of annotations
    for text, box in boxes:
        assert figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1, f"{text!r} leaves the picture"
    for (one, box), (other, second) in itertools.combinations(boxes, 2):
        assert not box.shrunk(0.9, 0.7).overlaps(second.shrunk(0.9, 0.7)), f"{one!r} over {other!r}"


def curves_of(*words):
    return rfop(["curves", *map(str, words)])


def trained(path, env="Revolution-v0", seed=1, steps=20):
    rfop(["train", "fake", "--env", env, "--run", str(path), "--steps", str(steps), "--seed", str(seed)])
    return path


def test_the_seeds_of_a_run_are_drawn_as_their_mean_and_its_interval(tmp_path, figures):
    seeds = [RunFolder(trained(tmp_path / "two" / f"seed_{seed}", seed=seed)) for seed in (1, 2, 3)]
    (tmp_path / "two" / "seed_4").mkdir()  # that has no point yet
    assert curves_of(tmp_path / "two", "--out", tmp_path / "two.png") == 0
    figure = figures[-1]
    (axes,) = figure.axes
    ends = {line.get_label(): line.get_ydata()[-1] for line in axes.get_lines()}
    last = {side: [seed.read_curve()[side]["win_rate"][-1] for seed in seeds] for side in ("royalists", "jacobins")}
    assert ends == pytest.approx({"Royalists": np.mean(last["royalists"]), "Jacobins": np.mean(last["jacobins"])})
    band = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert min(last["royalists"]) <= ends["Royalists"] <= max(last["royalists"]) and np.ptp(band) > 0
    assert "mean of 3 seeds" in figure.legends[0].get_title().get_text()

    # Beside another run they are one of two, and say how many they are.
    other = trained(tmp_path / "one")
    assert curves_of(tmp_path / "two", other, "--out", tmp_path / "both.png") == 0
    figure = figures[-1]
    looks = {line.get_label(): line.get_color() for line in figure.axes[0].get_lines()}
    assert list(looks) == ["two, 3 seeds: Royalists", "two, 3 seeds: Jacobins", "one: Royalists", "one: Jacobins"]
    assert len(set(looks.values())) == 2


# -- making and comparing runs -----------------------------------------------------------------------------------------


@pytest.fixture
def command(command_of_processes, monkeypatch):
    """The same command, whose trainer runs in this process."""

    def make(job):
        shutil.rmtree(job.folder, ignore_errors=True)
        monkeypatch.setattr(sys, "argv", ["rfop", *job.words])
        rfop(job.words)
        return 0

    def in_this_process(tasks, most, settings):
        for number, task in enumerate(tasks):
            future = Future()
            future.set_result(task())
            yield number, future

    monkeypatch.setattr(jobs, "make", make)
    monkeypatch.setattr(jobs, "in_processes", in_this_process)
    return command_of_processes


@pytest.fixture
def command_of_processes(tmp_path, monkeypatch):
    """Calls the command `reproduce` in a folder of the test, with the configuration of a trainer that takes no time."""
    monkeypatch.setenv("RFOP_JIT", "0")  # for its processes, which play nothing and start sooner without the compiler
    config = tmp_path / "curves.toml"
    config.write_text(CONFIG)

    def call(*words, text=CONFIG):
        config.write_text(text)
        folders = ["--results", str(tmp_path / "results"), "--runs", str(tmp_path / "runs")]
        return research(["reproduce", *words, "--file", str(config), "--workers", "2", *folders])

    return call


def test_published_runs_say_how_they_were_made_and_are_not_made_twice(command, tmp_path, capsys):
    assert command("--publish", "full") == 0
    found = read_results(tmp_path / "results")
    assert [run.run for run in found.runs] == [f"revolution/full/seed_{seed}" for seed in (1, 2, 3, 4)]
    run = found.runs[0]
    assert run.command.startswith("rfop train fake --env Revolution-v0")
    assert (run.steps, run.opponent, run.versions) == (400, "scripted", "python 3.11, numpy 2") and len(run.git) >= 12
    assert {point.games for point in found.points} == {500} and len(found.points) == 40
    capsys.readouterr()
    shutil.rmtree(tmp_path / "runs" / "revolution" / "full" / "seed_3")
    assert command("--publish", "full") == 0
    assert "[1/1] revolution/full/seed_3" in capsys.readouterr().err
    assert read_results(tmp_path / "results") == found
    assert command("--publish", "full", text=CONFIG.replace("500", "100")) == 0  # other settings: all runs again
    assert {point.games for point in read_results(tmp_path / "results").points} == {100}


def test_a_curve_that_starts_from_another_waits_for_it_and_brings_it_along(command_of_processes, tmp_path, capsys):
    command = command_of_processes
    begun = CONFIG.replace('"revolution"', '"begun"').replace("seeds = 4", 'seeds = 4\nafter = "revolution"')
    assert command("begun", "--publish", "full", text=begun + CONFIG) == 0
    lines = capsys.readouterr().err.splitlines()
    assert [f"[{k}/8]" for k in range(1, 9)] == [line.split()[0] for line in lines if line.startswith("[")]
    assert all("revolution/full" in line for line in lines[-8:-4]) and all("begun/full" in line for line in lines[-4:])
    run = next(r for r in read_results(tmp_path / "results").runs if r.run == "begun/full/seed_3")
    assert f"--init-from {tmp_path}/runs/revolution/full/seed_3" in run.command


def test_a_run_that_fails_is_told_and_the_others_are_published(command_of_processes, tmp_path, capsys):
    assert command_of_processes("--publish", "full", text=CONFIG.replace("{ ", "{ fail = true, ")) == 2
    assert "seed_2 failed" in (said := capsys.readouterr()).err and "does not want to" in said.err
    assert "1 runs are missing" in said.out
    assert [run.seed for run in read_results(tmp_path / "results").runs] == [1, 3, 4]


def test_a_run_that_another_process_trains_is_not_removed(command_of_processes, tmp_path, capsys):
    run = RunFolder(tmp_path / "runs" / "revolution" / "full" / "seed_1")
    run.path.mkdir(parents=True)
    run.checkpoint.write_text("hours of training")
    with run.lock(resume=True):
        assert command_of_processes("--publish", "full") == 2
    said = capsys.readouterr()
    assert f"{run.path} is in use, another process trains there" in said.err and "1 runs are missing" in said.out
    assert run.checkpoint.read_text() == "hours of training"
    assert command_of_processes("--publish", "full") == 0 and not run.checkpoint.exists()


def test_a_stop_between_the_two_files_of_results_loses_nothing(command, tmp_path, monkeypatch, capsys):
    assert command("--publish", "full") == 0
    found, write = read_results(tmp_path / "results"), reproduce.records.write_records
    more = CONFIG.replace("seeds = 4", "seeds = 8")

    def stopped(path, *rows):
        if path.name == "runs.csv":
            raise KeyboardInterrupt
        write(path, *rows)

    with monkeypatch.context() as patch:
        patch.setattr(reproduce.records, "write_records", stopped)
        assert command("--publish", "full", text=more) == 130
    with pytest.raises(RfopError, match=r"no run 'revolution/full/seed_[5-8]': publish it again, or delete its points"):
        read_results(tmp_path / "results")
    assert command("--publish", "full") == 0  # which adds nothing, but removes what is half
    assert read_results(tmp_path / "results") == found
    assert command("--publish", "full", text=more) == 0
    assert len(read_results(tmp_path / "results").runs) == 8


def test_two_processes_publish_into_one_folder(command, tmp_path, monkeypatch):
    """A run that another process has added in the meantime is kept: each reads the files while it holds their lock."""
    assert command("--publish", "full") == 0
    out, (curve,) = tmp_path / "again", jobs.read_config(tmp_path / "curves.toml")
    made = [jobs.Job(curve, "full", seed, tmp_path / "runs") for seed in (1, 2, 3, 4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda job: reproduce.add_to_results(job, out), made))
    assert read_results(out) == read_results(tmp_path / "results")

    monkeypatch.setattr(records, "WAIT", 0.05)
    with locked(out / "runs.csv.lock", "busy"), pytest.raises(RfopError, match="is being written by another process"):
        reproduce.add_to_results(made[0], out)


def forget_runs(folder, capsys):
    """Published runs are as on another machine: in an unchanged checkout those of this revision need not be made."""
    shutil.rmtree(folder / "runs")
    capsys.readouterr()


def test_the_beginning_of_a_published_run_that_comes_out_again_is_identical(command, tmp_path, capsys):
    assert command("--publish", "full") == 0
    forget_runs(tmp_path, capsys)
    assert command() == 0
    said = capsys.readouterr()
    assert "| revolution | 200 | 1 |" in said.out and "| identical |" in said.out
    assert said.err.count("seed_") == 1, "one seed is enough"
    assert (
        "--until 200" in RunFolder(tmp_path / "runs" / "revolution" / "reduced" / "seed_1").read_metadata()["command"]
    )

    # A run of another revision is made again.
    metadata = tmp_path / "runs" / "revolution" / "reduced" / "seed_1" / "run.json"
    metadata.write_text(json.dumps(json.loads(metadata.read_text()) | {"git": "0" * 40}))
    assert command() == 0
    assert "[1/1] revolution/reduced/seed_1" in capsys.readouterr().err
    assert command("--budget", "full") == 0
    assert "| revolution | 400 | 1 |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("best", "word"),
    [(0.79, "agrees"), (0.8 * 2 / 3, "DIFFERS"), (0.0, "DIFFERS")],
    ids=["equal", "a third lost", "untrained"],
)
def test_other_digits_are_compared_over_the_beginning_of_the_curve(best, word, command, capsys):
    assert command("--publish", "full") == 0
    capsys.readouterr()
    text = CONFIG.replace("{ ", f"{{ best = {best}, ")
    assert command(text=text) == int(word == "DIFFERS")
    said = capsys.readouterr()
    assert f"| {word} |" in said.out and said.err.count("seed_") == 1, "these seeds hardly vary"
    assert command("--seeds", "3", text=text) == int(word == "DIFFERS")
    said = capsys.readouterr()
    assert "| revolution | 200 | 3 |" in said.out and f"| {word} |" in said.out
    assert "seed_3:" in said.err and "seed_4:" not in said.err


def test_a_curve_that_starts_from_another_is_compared_with_full_runs_of_that(command, tmp_path, capsys):
    begun = CONFIG.replace('"revolution"', '"begun"').replace("seeds = 4", 'seeds = 4\nafter = "revolution"') + CONFIG
    assert command("--publish", "full", text=begun) == 0
    forget_runs(tmp_path, capsys)
    assert (
        command(
            "begun",
            text=begun.replace("{ ", "{ best = 0.79, ", 1),
        )
        == 0
    )
    said = capsys.readouterr()
    assert "| begun | 200 | 1 |" in said.out and "| agrees |" in said.out and "| identical |" in said.out
    made = {line.split()[1] for line in said.err.splitlines() if line.startswith("[")}
    assert made == {"revolution/full/seed_1:", "begun/reduced/seed_1:"}


def reference(runs, start=0.1, games=10_000):
    return reproduce.Reference("x", 200, np.asarray(runs), start, games)


def test_means_are_over_sides_and_over_the_decisions_of_the_beginning():
    found = results([0.4, 0.8])
    other = [replace(point, side="jacobins", win_rate=point.win_rate / 2) for point in found.points]
    both = PublishedCurves(found.runs, [*found.points, *other])
    means, start, games = reproduce.mean_wins(both, "revolution", "full", 200)
    assert means == pytest.approx([0.075, 0.15], abs=0.004) and start == 0.0  # from 0 to a half of the last share
    assert games == 2 * 2 * 200  # two sides, the points of 0 and 100 decisions


def test_more_seeds_are_trained_where_the_published_ones_vary_more():
    noise = scipy.stats.zscore(np.arange(10.0), ddof=1)
    needed = [reference(0.7 + spread * noise).seeds for spread in (0.01, 0.05, 0.06)]
    assert needed == [1, 2, 3]
    found = reference(0.7 + 0.06 * noise)
    chances = [found.chance(seeds) for seeds in range(1, 11)]
    assert chances == sorted(chances) and chances[found.seeds - 2] < reproduce.SURE <= chances[found.seeds - 1]


def test_seeds_with_equal_shares_vary_as_much_as_their_games_do():
    assert reference([0.5] * 4, games=200).spread == pytest.approx(np.sqrt(0.25 / 200), rel=0.01)
    assert 0 < reference([1.0] * 4, games=200).spread < 0.01
    assert reference([0.4, 0.6], games=10**6).spread == pytest.approx(np.sqrt(0.02))


PUBLISHED = [reproduce.read_reference(read_results(), curve, "reduced") for curve in jobs.read_config()]


@pytest.mark.parametrize("published", PUBLISHED, ids=lambda published: published.curve)
def test_an_exact_reproduction_of_a_published_curve_agrees_and_a_worse_one_does_not(published):
    seeds = published.seeds
    assert published.chance(seeds) >= 0.9 and published.chance(seeds, 1 / 3) <= 0.1
    assert published.chance(seeds, 1.0) < 0.01

    # By simulation: published and new runs are drawn anew, and compared as the command does.
    rng, count, agree = np.random.default_rng(0), 2000, {0.0: 0, 1 / 3: 0, 1.0: 0}
    for _ in range(count):
        drawn = replace(published, runs=rng.normal(published.mean, published.spread, len(published.runs)))
        for lost in agree:
            new = rng.normal(published.mean - lost * published.gain, published.spread, seeds)
            agree[lost] += reproduce.Verdict(drawn, float(new.mean()), seeds).word == "agrees"
    assert agree[0.0] >= 0.95 * count and agree[1 / 3] <= 0.05 * count and agree[1.0] == 0

    # And with what was trained: each published run beside the others.
    for number, rate in enumerate(published.runs):
        others = replace(published, runs=np.delete(published.runs, number))
        assert reproduce.Verdict(others, float(rate), 1).word == "agrees"


def test_the_chances_of_published_curves_are_printed_without_training(capsys):
    assert research(["reproduce", "--chances", "revolution"]) == 0
    (published,) = [published for published in PUBLISHED if published.curve == "revolution"]
    assert capsys.readouterr().out == reproduce.chances_table([published]) + "\n"


@pytest.mark.slow
def test_a_real_run_is_published_and_its_beginning_reproduces_it(command_of_processes, tmp_path, capsys):
    small = "evaluate-deals = 2, evaluate-steps = 250, num-envs = 16, num-steps = 8, width = 16, minibatch-size = 64"
    text = CONFIG.split("seeds")[0].replace('"fake"', '"ppo"')
    text = text.replace("400", "1_000").replace("200", "500") + f"seeds = 2\nsettings = {{ {small} }}\n"
    assert command_of_processes("--publish", "full", text=text) == 0
    published = read_results(tmp_path / "results").of("revolution", "full")
    assert {len(run) for side in published.values() for run in side} == {5}
    shutil.rmtree(tmp_path / "runs")
    assert command_of_processes(text=text) == 0
    assert "| identical |" in capsys.readouterr().out
