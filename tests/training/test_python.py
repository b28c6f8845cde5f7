"""Training and evaluation from Python: rows that become tables, settings by name, a callback that stops a run."""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import asdict, is_dataclass
from pathlib import Path

import numpy as np
import pytest
import toy_runs
import torch

import rfop_training
from rfop_agents.network import read_network
from rfop_env.agent import RandomAgent
from rfop_env.cli.main import main as rfop
from rfop_env.core.errors import BadArgument, RfopError, UnknownName
from rfop_training import evaluate, matrix, train
from rfop_training.common.records import read_records
from rfop_training.evaluation.matrix import MatrixRow, make_matrix
from rfop_training.evaluation.rows import RecordedRow
from rfop_training.run import RunFolder

ENVS = {"ppo": "ToyTurns-v0", "expert": "ToyTurns-v0", "maskable": "ToyDice-v0"}
ALGORITHMS = list(ENVS)


@pytest.fixture(autouse=True)
def toys():
    with toy_runs.toys():
        yield


def small(algorithm: str, run: Path, **changes):
    sizes = {name: value for name, value in toy_runs.SMALL.items() if algorithm != "expert" or name != "update_epochs"}
    own = {"env": ENVS[algorithm], "run": run, "quiet": True, "evaluate_steps": 1000}
    return train(algorithm, **(sizes | own | changes))


def test_the_package_is_imported_without_what_trains():
    code = "import rfop_training, sys; print({'torch', 'numba', 'numpy', 'rfop_env'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
    assert dir(rfop_training) == ["evaluate", "matrix", "train"] and not hasattr(rfop_training, "fly")


def test_a_library_that_is_missing_is_named_with_its_extra():
    code = (
        "import sys; sys.modules['torch'] = None; from rfop_training import evaluate; from rfop_training import train"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    last = done.stderr.splitlines()[-1]
    assert last.startswith("rfop_env.core.errors.MissingExtra: rfop_training.train needs torch, of the extra `train`: ")


# -- evaluation --------------------------------------------------------------------------------------------------------


def test_an_evaluation_gives_the_rows_of_the_command(tmp_path):
    rows = evaluate("Revolution-v0", ["random", "scripted"], deals=range(3, 13), seed=4)
    words = ["--deals", "10", "--first-deal", "3", "--seed", "4", "--csv", str(tmp_path / "rows.csv")]
    assert rfop(["evaluate", "--env", "Revolution-v0", "random", "scripted", *words]) == 0
    written = read_records(tmp_path / "rows.csv", RecordedRow)
    assert [(row.side, row.wins, row.games) for row in rows] == [(row.side, row.wins, row.games) for row in written]
    assert all(is_dataclass(row) and list(asdict(row)) == list(asdict(written[0])) for row in rows)
    assert evaluate("Revolution-v0", ["random", "scripted"], deals=5, opening=2)[0].opening == 2


def test_an_agent_itself_plays_as_its_name_does():
    rows = [evaluate("Revolution-v0", [who, "scripted"], deals=6)[-1] for who in ("random", RandomAgent())]
    assert asdict(rows[0]) == asdict(rows[1])
    assert evaluate("LeveeEnMasse-v0", RandomAgent(), deals=2, options={"scenario": "extended"})[0].games == 2


def test_a_matrix_has_the_rows_of_every_pair_and_goes_on_in_a_file(tmp_path):
    rows = matrix("Revolution-v0", ["random", "scripted"], deals=6)
    kept = matrix("Revolution-v0", ["random", "scripted"], deals=6, path=tmp_path / "matrix.csv")
    assert [(row.side, row.win_rate) for row in rows] == [(row.side, row.win_rate) for row in kept] and len(rows) == 3
    assert len(read_records(tmp_path / "matrix.csv", MatrixRow)) == 3
    assert make_matrix(rows).share[0, 1] == pytest.approx(1 - make_matrix(rows).share[1, 0])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"agents": [3]}, "agents: expected names or agents, one at least, found 3"),
        ({"agents": ["random", "random"]}, "random is given twice"),
        ({"env": "Revolutoin-v0"}, "did you mean 'Revolution-v0'"),
        ({"deals": 0}, "deals: expected a number from 1"),
        ({"agents": [RandomAgent(), "scripted"], "workers": 2}, "plays in this process alone"),
    ],
)
def test_what_cannot_be_evaluated_is_one_message(changes, said):
    arguments = {"env": "Revolution-v0", "agents": ["random", "scripted"], "deals": 2} | changes
    with pytest.raises(RfopError, match=said) as error:
        evaluate(**arguments)
    assert "\n" not in str(error.value)


# -- training ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_training_returns_what_its_folder_holds_and_what_the_callback_was_told(algorithm, tmp_path):
    reports = []
    result = small(algorithm, tmp_path / "run", callback=reports.append)
    assert result.run == tmp_path / "run" and result.model == RunFolder(result.run).model
    assert read_network(result.model)[1]["steps"] >= 2048

    points = [report for report in reports if "wins" in report]
    updates = [report for report in reports if "policy_loss" in report]
    assert len(points) + len(updates) == len(reports)
    assert [row["steps"] for row in result.metrics] == [report["steps"] for report in updates]
    for row, report in zip(result.metrics, updates, strict=True):
        assert {name: row[name] for name in report} == pytest.approx(dict(report), rel=1e-4, abs=1e-9)
    side = result.curve[0].side
    by_steps = {row.steps: row for row in result.curve if row.side == side}
    assert [report["steps"] for report in points] == sorted(by_steps) and len(points) > 2
    assert all(
        report[f"wins_{side}"] == pytest.approx(by_steps[report["steps"]].win_rate, abs=1e-4) for report in points
    )


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_callback_stops_a_run_that_can_be_resumed(algorithm, tmp_path):
    uninterrupted = small(algorithm, tmp_path / "whole")
    stop_at = uninterrupted.metrics[1]["steps"]
    stopped = small(algorithm, tmp_path / "run", callback=lambda metrics: metrics["steps"] >= stop_at)
    assert [row["steps"] for row in stopped.metrics] == [row["steps"] for row in uninterrupted.metrics[:2]]
    assert read_network(stopped.model)[1]["steps"] == stop_at == stopped.curve[-1].steps

    resumed = small(algorithm, tmp_path / "run", resume=True)
    assert read_network(resumed.model)[1]["steps"] >= 2048 and resumed.metrics[:2] == stopped.metrics
    if algorithm != "maskable":  # whose games are others after a resumption
        first, second = (read_network(result.model)[0] for result in (uninterrupted, resumed))
        assert all(np.array_equal(first[name], second[name]) for name in first)


class Pruned(Exception):
    pass


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("kind", ["wins", "policy_loss"])
def test_the_error_of_a_callback_is_raised_once_the_run_is_saved(algorithm, kind, tmp_path):
    def prune(metrics):
        if kind in metrics and metrics["steps"] > 0:
            raise Pruned(metrics["steps"])

    with pytest.raises(Pruned) as error:
        small(algorithm, tmp_path / "run", callback=prune)
    assert read_network(RunFolder(tmp_path / "run").model)[1]["steps"] >= error.value.args[0] > 0
    assert len(small(algorithm, tmp_path / "run", resume=True).metrics) > 1


def test_a_run_is_trained_in_any_thread_and_leaves_the_threads_of_torch_alone(tmp_path):
    before, results = torch.get_num_threads(), []
    torch.set_num_threads(2)
    try:
        thread = threading.Thread(target=lambda: results.append(small("ppo", tmp_path / "run")))
        thread.start()
        thread.join()
        assert results[0].metrics and torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("changes", "kind", "said"),
    [
        ({"algorithm": "pop"}, UnknownName, "unknown algorithm 'pop': did you mean 'ppo'"),
        ({"num_env": 4}, UnknownName, "unknown setting of ppo 'num_env': did you mean 'num_envs'"),
        ({"seeds": 2}, BadArgument, "call train once for each seed"),
        ({"env": "ToyTruns-v0"}, UnknownName, "did you mean 'ToyTurns-v0'"),
    ],
)
def test_what_cannot_be_trained_is_one_message(changes, kind, said, tmp_path):
    arguments = {"algorithm": "ppo", "env": "ToyTurns-v0", "run": tmp_path / "run", "steps": 100, "quiet": True}
    with pytest.raises(kind, match=said) as error:
        train(**(arguments | changes))
    assert "\n" not in str(error.value) and not (tmp_path / "run").exists()
