"""Expert iteration over Ray: the same network to the last bit wherever its games are played, also after a crash."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

ray = pytest.importorskip("ray")

from rfop_env.cli.main import main as rfop  # noqa: E402
from rfop_agents.network import MODEL, read_network  # noqa: E402
from rfop_training.common import cluster as connections  # noqa: E402
from rfop_training import expert_cluster, expert_iteration  # noqa: E402
from rfop_training.expert_iteration import ExpertArguments  # noqa: E402
from rfop_training.run import RunFolder  # noqa: E402

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("ignore")]

STEPS = 1280
SMALL = {
    "env": "Revolution-v0", "num_envs": 32, "num_steps": 8, "minibatch_size": 64, "width": 32, "layers": 1,
    "simulations": 6, "considered": 4, "buffer_size": 4096, "evaluate_deals": 4, "threads": 2,
    "opponents": "self=0.5,scripted=0.5",
}  # fmt: skip


def settings(folder: Path, **changes) -> ExpertArguments:
    return ExpertArguments(run=folder, quiet=True, **(SMALL | {"steps": STEPS} | changes))


def assert_same(one: Path, other: Path) -> None:
    """The same weights, and the same rows of progress but for the time they took."""
    first, second = read_network(one / MODEL)[0], read_network(other / MODEL)[0]
    assert all((first[name] == second[name]).all() for name in first | second)
    rows = [_untimed(RunFolder(path).progress.read_text()) for path in (one, other)]
    assert rows[0] == rows[1] and len(rows[0]) > 3


def _untimed(progress: str) -> list[dict[str, str]]:
    names, *rows = [line.split(",") for line in progress.splitlines()]
    timed = {"seconds", "steps_per_second"}
    return [{name: value for name, value in zip(names, row, strict=True) if name not in timed} for row in rows]


@pytest.fixture(scope="module")
def in_threads(tmp_path_factory):
    """A run whose games are played by two threads."""
    folder = tmp_path_factory.mktemp("threads")
    expert_iteration.train(settings(folder))
    return folder


def test_two_nodes_train_what_two_threads_train(cluster, in_threads, tmp_path):
    expert_iteration.train(settings(tmp_path, ray=cluster.address))
    assert_same(in_threads, tmp_path)
    assert not ray.is_initialized()


def test_a_run_goes_on_where_another_machine_has_left_it(cluster, tmp_path):
    expert_iteration.train(settings(tmp_path, steps=STEPS // 3, learning_rate=0.0))
    whole = tmp_path / "whole"
    expert_iteration.train(settings(whole, learning_rate=0.0))
    expert_iteration.train(settings(tmp_path, ray=cluster.address, resume=True, learning_rate=0.0))
    first, second = (read_network(path / MODEL)[0] for path in (whole, tmp_path))
    assert all((first[name] == second[name]).all() for name in first)
    scores = [_untimed(RunFolder(path).progress.read_text())[-1] for path in (whole, tmp_path)]
    assert scores[0]["return_self"] == scores[1]["return_self"] and scores[0]["labels"] == scores[1]["labels"]


def dies(where: Path, always: bool) -> type:
    """A player whose process is killed while it plays its second rollout: the first time, or always."""
    mark = str(where)

    class Dies(expert_cluster.RemotePlayer):
        def collect(self, state, weights, steps):
            result = super().collect(state, weights, steps)
            if steps > 0 and (always or not Path(mark).exists()):
                Path(mark).touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return result

    return Dies


def test_a_rollout_whose_process_is_killed_is_played_again(cluster, in_threads, tmp_path, monkeypatch):
    monkeypatch.setattr(expert_cluster, "RemotePlayer", dies(tmp_path / "died", always=False))
    expert_iteration.train(settings(tmp_path / "run", ray=cluster.address))
    assert (tmp_path / "died").exists()
    assert_same(in_threads, tmp_path / "run")


def test_a_cluster_on_which_every_process_dies_ends_the_run_with_one_error(cluster, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(expert_cluster, "RemotePlayer", dies(tmp_path / "died", always=True))
    monkeypatch.setattr(expert_cluster, "MOST_LOSSES", 1)
    words = [f"--{name.replace('_', '-')}={value}" for name, value in SMALL.items()]
    words += ["--quiet", f"--steps={STEPS}", f"--run={tmp_path / 'run'}", f"--ray={cluster.address}"]
    assert rfop(["train", "expert", *words]) == 2
    error = capsys.readouterr().err
    assert "2 processes of the cluster died while they played" in error and error.count("\n") == 1


def test_an_opponent_that_a_node_does_not_know_is_told_in_one_sentence(cluster, tmp_path, capsys):
    words = ["--steps=64", "--quiet", f"--run={tmp_path / 'run'}", f"--ray={cluster.address}", "--env=Revolution-v0"]
    assert rfop(["train", "expert", *words, "--opponents=self=0.5,nobody=0.5", "--num-envs=8", "--simulations=2"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("rfop: ") and "'nobody'" in error and error.count("\n") == 1


def test_what_cannot_work_is_refused_before_anything_is_played(cluster, tmp_path, capsys):
    words = ["--steps=64", "--quiet", f"--run={tmp_path / 'run'}"]
    assert rfop(["train", "expert", *words, "--ray=nowhere"]) == 2
    assert "expected HOST:PORT of a Ray cluster" in capsys.readouterr().err
    assert rfop(["train", "expert", *words, f"--ray={cluster.address}", "--threads=7", "--num-envs=32"]) == 2
    assert "--threads 7: the cluster has 2 CPUs" in capsys.readouterr().err
    assert not ray.is_initialized()


def test_ray_can_be_started_here_alone(in_threads, tmp_path):
    expert_iteration.train(settings(tmp_path, ray=connections.LOCAL))
    assert_same(in_threads, tmp_path)
