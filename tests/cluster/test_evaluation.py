"""Evaluation on a cluster: the same results to the last bit, and one clear error for whatever is wrong with it."""

from __future__ import annotations

import functools
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

ray = pytest.importorskip("ray")

from rfop_env.cli.main import main as rfop  # noqa: E402
from rfop_training.common import cluster as connections  # noqa: E402
from rfop_training.evaluation import cluster as evaluation_cluster  # noqa: E402
from rfop_training.evaluation import tasks  # noqa: E402
from rfop_training.evaluation.setting import Setting  # noqa: E402

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("ignore")]

ROOT = Path(__file__).parents[2]
PLAYED = ["--env", "Revolution-v0", "random", "scripted", "--deals", "1200"]


def fill(path: Path, *words: str) -> bytes:
    assert rfop(["matrix", *PLAYED, "--out", str(path), *words]) == 0
    return path.read_bytes()


def test_matrices_are_the_same_on_one_machine_and_on_two_nodes(cluster, tmp_path):
    here = fill(tmp_path / "here.csv")
    assert fill(tmp_path / "there.csv", "--ray", cluster.address) == here
    assert not ray.is_initialized()


def test_tables_are_the_same_on_the_cluster(cluster, capsys):
    assert rfop(["evaluate", *PLAYED]) == 0
    here = capsys.readouterr().out
    assert rfop(["evaluate", *PLAYED, "--ray", cluster.address]) == 0
    assert capsys.readouterr().out == here


def dies_once(mark: Path):
    """A function that plays a task, in a process that is killed the first time."""

    def play(task):
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return tasks.play_task(task)

    return play


def test_a_task_whose_process_is_killed_is_played_again(cluster, tmp_path, monkeypatch):
    setting = Setting("Revolution-v0")
    games = tasks.make_tasks(setting, ["random", "scripted"], range(600))
    expected = list(tasks.play_tasks(games, 1, False))
    with connections.connected(cluster.address) as connected, monkeypatch.context() as patched:
        patched.setattr(evaluation_cluster, "play_task", dies_once(tmp_path / "died"))
        results = list(tasks.play_tasks(games, evaluation_cluster.RayWorkers(connected), False))
    assert (tmp_path / "died").exists()
    for one, other in zip(expected, results, strict=True):
        assert (one.won == other.won).all() and (one.decisions == other.decisions).all()


def test_an_error_of_a_task_is_told_in_its_own_words(cluster, tmp_path, capsys):
    words = [*PLAYED, "--out", str(tmp_path / "m.csv"), "--ray", cluster.address, "--threads", "7"]
    assert rfop(["matrix", *words]) == 2
    assert "--threads 7: the cluster has 2 CPUs" in capsys.readouterr().err
    assert not (tmp_path / "m.csv").exists()


# -- wrong clusters ----------------------------------------------------------------------------------------------------


def refused(capsys, *words: str) -> str:
    """The one line of an error."""
    assert rfop(["evaluate", *PLAYED, *words]) == 2
    error = capsys.readouterr().err
    assert error.startswith("rfop: ") and error.count("\n") == 1 and not ray.is_initialized()
    return error


def test_wrong_addresses_are_refused(capsys):
    assert "expected HOST:PORT of a Ray cluster" in refused(capsys, "--ray", "scripted")
    assert "expected HOST:PORT of a Ray cluster" in refused(capsys, "--ray", "10.0.0.1")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert "no cluster answers there" in refused(capsys, "--ray", f"127.0.0.1:{port}")
    assert "no cluster answers there" in refused(capsys, "--ray", "127.0.0.1:99999")
    assert "leave it out" in refused(capsys, "--ray", "127.0.0.1:1", "--workers", "2")


def test_a_machine_of_no_cluster_is_told(capsys, monkeypatch):
    from ray._private import services

    monkeypatch.setattr(services, "find_gcs_addresses", functools.cache(set))
    monkeypatch.setattr(services, "find_bootstrap_address", lambda *_: None)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    assert "start one with 'ray start --head'" in refused(capsys, "--ray")


def test_ray_that_is_missing_or_another_version_is_told(capsys, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(ray, "__version__", "2.9.1")
        assert "Ray 2.60 is needed, found 2.9.1: pip install" in refused(capsys, "--ray")
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "ray", None)
        assert "needs ray, of the extra `ray`: pip install" in refused(capsys, "--ray")


def test_nodes_with_other_code_are_told(cluster, capsys, monkeypatch):
    stamp = connections.code_stamp
    here = os.getpid()
    monkeypatch.setattr(connections, "code_stamp", lambda: "other" if os.getpid() == here else stamp())
    assert "has other code, Numba or Python than this machine" in refused(capsys, "--ray", cluster.address)


def test_too_many_runners_are_refused_and_leave_nothing(cluster, tmp_path, capsys):
    words = ["--runners", "5", "--num-envs", "10", "--steps", "10", "--run", str(tmp_path / "run")]
    assert rfop(["train", "rllib", *words, "--minibatch-size", "64", "--ray", cluster.address]) == 2
    assert "--runners 5: the cluster has 2 CPUs" in capsys.readouterr().err
    assert not (tmp_path / "run").exists() and not ray.is_initialized()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--runners", "3"], "3 runners cannot share 256 games"),
        (["--minibatch-size", "100000"], "a rollout has 16,384 decisions"),
        (["--opponent", "scripted"], "has one seat, so nobody else plays"),
        (["--env", "Revolution-v0", "--seat", "0"], "without --opponent the policy has all seats"),
        (["--ray", "nowhere"], "expected HOST:PORT"),
    ],
)
def test_wrong_arguments_of_the_trainer_are_refused_before_ray_starts(words, message, tmp_path, capsys):
    assert rfop(["train", "rllib", "--steps", "10", "--run", str(tmp_path / "run"), *words]) == 2
    assert message in capsys.readouterr().err and not (tmp_path / "run").exists() and not ray.is_initialized()


def test_a_ray_of_our_own_leaves_no_process_behind():
    before = processes()
    with connections.connected(connections.LOCAL, cpus=1) as connected:
        assert connected.get(connected.remote(lambda: os.getpid()).remote()) != os.getpid()
        assert processes() > before
    wait_for(lambda: processes() <= before)


def processes(root: int | None = None) -> set[int]:
    """The processes below this one, or below another, that run."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
        except OSError:  # it has just ended
            continue
        if state != "Z":
            parents[int(stat.parent.name)] = int(parent)
    below, more = set(), {root or os.getpid()}
    while more:
        more = {pid for pid, parent in parents.items() if parent in more}
        below |= more
    return below


def test_ctrl_c_saves_the_run_and_leaves_no_process(tmp_path):
    run, words = tmp_path / "run", ["--minutes", "60", "--num-envs", "8", "--num-steps", "16", "--minibatch-size", "64"]
    words += ["--env", "Revolution-v0", "--width", "16", "--evaluate-deals", "1", "--quiet", "--run", str(run)]
    command = [sys.executable, "-m", "rfop_env", "train", "rllib", *words]
    with (tmp_path / "words").open("w") as said:
        process = subprocess.Popen(command, cwd=ROOT, stdout=said, stderr=said, start_new_session=True)
    try:
        wait_for(lambda: (run / "progress.csv").exists() or process.poll() is not None)
        below = processes(process.pid)
        assert len(below) > 3, (tmp_path / "words").read_text()
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        assert process.wait(180) == 130
        assert "continue with --resume" in (tmp_path / "words").read_text()
        assert (run / "model.safetensors").exists() and (run / "checkpoint.pt").exists()
        wait_for(lambda: not any(alive(pid) for pid in below))
    finally:
        process.kill()


def wait_for(true, seconds: float = 180.0) -> None:
    """Wait until something is true; fail if it takes too long."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.2)


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
