"""Processes that end with the one that started them, whatever ends it, and the number of processors they may have."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from rfop_env.process_pool import available_cpus

ROOT = Path(__file__).parents[1]
PATIENCE = 300.0  # seconds that processes get for anything

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="it looks for processes in /proc")

CURVES = """
[defaults]
trainer = "fake"
env = "Revolution-v0"
seeds = 2
settings = { wait = true }

[[curve]]
name = "revolution"
full = 400
reduced = 200
"""
TOY = "--env Revolution-v0 --num-envs 8 --num-steps 8 --minibatch-size 64 --width 8 --evaluate-deals 1 --quiet"
COMMANDS = {  # one for each pool of the project, in which two processes are busy for long
    "evaluation": "-m rfop_env evaluate --env Revolution-v0 scripted search-400 --deals 1000 --workers 2",
    "compilation": "-m rfop_env compile RedFlagOverParis-v1 LeveeEnMasse-v0 --processes 2",
    "seeds": f"-m rfop_env train ppo --run {{}}/run --steps 1000000000 --seeds 2 --at-once 2 {TOY}",
    "curves": "-m training.research reproduce --publish full --workers 2 "
    "--file {0}/curves.toml --runs {0}/runs --results {0}",
}


def descendants(pid: int) -> dict[int, float]:
    """The processes that a process has started, and those that they have, with their processor seconds."""
    parents, spent = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            fields = stat.read_text().rpartition(")")[2].split()
            if fields[0] != "Z":
                number = int(stat.parent.name)
                parents[number] = int(fields[1])
                spent[number] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    family = [pid]
    for member in family:
        family += [child for child, parent in parents.items() if parent == member]
    return {member: spent[member] for member in family[1:]}


def wait_until(condition) -> None:
    patient = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < patient, "nothing happens"
        time.sleep(0.05)


def running(pid: int) -> bool:
    """Whether a process has not ended."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def is_busy(name: str, pid: int, folder: Path) -> bool:
    """Whether two processes of a command are at work."""
    if name == "seeds":  # there is something to save
        return len(list(folder.glob("run/*/progress.csv"))) == 2
    return sum(spent > 1.0 for spent in descendants(pid).values()) >= 2


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=lambda number: number.name)
@pytest.mark.parametrize("name", COMMANDS)
def test_the_processes_of_a_command_end_with_it(name, number, tmp_path):
    (tmp_path / "curves.toml").write_text(CURVES)
    variables = {"compilation": {"RFOP_CACHE_DIR": str(tmp_path / "cache")}, "curves": {"RFOP_JIT": "0"}}.get(name, {})
    process = subprocess.Popen(
        [sys.executable, *COMMANDS[name].format(tmp_path).split()], cwd=tmp_path, start_new_session=True,
        env=os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT}/tests/training"} | variables,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    processes: dict[int, float] = {}
    try:
        wait_until(lambda: is_busy(name, process.pid, tmp_path) or process.poll() is not None)
        processes = descendants(process.pid)
        assert process.poll() is None, process.communicate()[0].decode()
        process.send_signal(number)  # to it alone, as a container or the memory's guard does
        message = process.communicate(timeout=PATIENCE)[0].decode()
        wait_until(lambda: not any(map(running, processes)))
    finally:
        for pid in [process.pid, *processes]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()
    assert process.returncode == (-signal.SIGKILL if number == signal.SIGKILL else 143), message
    if name == "seeds":  # they saved
        assert sorted(path.parent.name for path in tmp_path.glob("run/*/checkpoint.pt")) == ["seed_1", "seed_2"]


def test_no_other_module_starts_processes_side_by_side():
    pools = re.compile(r"ProcessPoolExecutor|multiprocessing\.(Pool|Process)\b|import (Pool|Process)\b")
    files = [path for name in ("rfop_env", "agents", "training") for path in (ROOT / name).rglob("*.py")]
    assert [path.name for path in files if pools.search(path.read_text(encoding="utf-8"))] == ["process_pool.py"]


# -- processors --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, 8),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "250000 100000\n"}, 3),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "max 100000\n"}, 8),
        ({"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/cpu.max": "200000 100000\n"}, 2),  # of the outer group
        ({"proc/self/cgroup": "0::/docker/1\n", "sys/fs/cgroup/cpu.max": "200000 100000\n"}, 2),  # seen from inside
        (
            {
                "proc/self/cgroup": "12:memory:/x\n4:cpu,cpuacct:/x\n",
                "sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us": "150000\n",
                "sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us": "50000\n",
            },
            3,
        ),
        (
            {
                "proc/self/cgroup": "4:cpu:/x\n",
                "sys/fs/cgroup/cpu/x/cpu.cfs_quota_us": "-1\n",
                "sys/fs/cgroup/cpu/x/cpu.cfs_period_us": "100000\n",
            },
            8,
        ),
        ({"proc/self/cgroup": "nonsense\n4:cpu\n", "sys/fs/cgroup/cpu.max": "a b c\n"}, 8),
    ],
)
def test_processors_are_those_of_the_affinity_and_of_the_quota(files, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)), raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert available_cpus(tmp_path) == expected
