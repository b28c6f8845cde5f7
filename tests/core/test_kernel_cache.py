"""The kernel cache: never stale, never in the way, no files shared, nobody else's code run."""

import hashlib
import os
import pickle
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from rfop_env.compiler import JIT, kernel, rule

pytestmark = pytest.mark.skipif(not JIT, reason="nothing is compiled with RFOP_JIT=0")


@rule
def doubled(x):
    """A rule that a kernel closes over."""
    return 2 * x


@rule
def tripled(x):
    """Another."""
    return 3 * x


FACTOR = 2


def make(inner):
    """A kernel factory: all its kernels have the same code."""

    def run(x):
        return inner(x)

    return run


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """The folder of compiled kernels, empty."""
    monkeypatch.setenv("RFOP_CACHE_DIR", str(tmp_path))
    return tmp_path / "rfop"


@pytest.fixture
def run(cache, capfd):
    """Calls a new kernel, and says what it told the user and whether its code was compiled, not loaded."""

    def call(argument=4):
        capfd.readouterr()
        doubling = kernel(make(doubled), "game.run", title="the rules of Chess")
        assert doubling(argument) == 2 * argument
        return capfd.readouterr().err, not doubling.stats.cache_hits

    return call


def files(cache, name="game.run"):
    """The compiled files of a kernel, by folder."""
    return {path.parent.name: path for path in sorted((cache / name).rglob("*.nbc"))}


def test_a_kernel_is_compiled_once_and_then_loaded(cache, run):
    messages, compiled = run(4)
    assert compiled and "compiling the rules of Chess" in messages
    original = files(cache)
    assert len(original) == 1
    assert run(5) == ("", False) and files(cache) == original


def test_kernels_of_other_rules_have_files_of_their_own(cache):
    for _ in range(2):  # compiled, then loaded
        assert kernel(make(doubled), "game.run")(7) == 14
        assert kernel(make(tripled), "game.run")(7) == 21
    assert len(files(cache)) == 2


def test_a_constant_that_changes_before_the_first_call_counts(cache, monkeypatch):
    twice, thrice = (kernel(lambda x: FACTOR * x, "game.run") for _ in range(2))
    assert twice(5) == 10
    monkeypatch.setitem(globals(), "FACTOR", 3)
    assert thrice(5) == 15 and len(files(cache)) == 2


def test_each_kind_of_argument_has_its_file(cache):
    for _ in range(2):
        twice = kernel(make(doubled), "game.run")
        assert twice(2) == 4 and twice(2.5) == 5.0
    assert len(list(cache.rglob("*.nb*"))) == 2 and sum(twice.stats.cache_hits.values()) == 2


def test_without_a_folder_everything_works(run, monkeypatch):
    monkeypatch.setenv("RFOP_CACHE_DIR", __file__)  # a file: no folder can be made in it
    messages, compiled = run()
    assert compiled and "Set RFOP_CACHE_DIR to a folder that you can write to" in messages
    messages, compiled = run()
    assert compiled and "RFOP_CACHE_DIR" not in messages, "why is said once"


def test_the_folders_are_for_the_user_alone(cache, run):
    original = os.umask(0)
    try:
        run()
    finally:
        os.umask(original)
    folder = next(iter(files(cache).values())).parent
    for path in (folder, folder.parent, folder.parent.parent):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700, path
    assert folder.parent.parent == cache


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners here")
@pytest.mark.parametrize("up", [0, 1, 2], ids=["sources", "kernel", "root"])
def test_a_folder_that_others_can_write_to_is_not_used(cache, run, up):
    run()
    file = next(iter(files(cache).values()))
    folder, original = file.parents[up], file.read_bytes()
    folder.chmod(0o775)
    messages, compiled = run()
    assert compiled and f"{folder} can be written by other users" in messages and file.read_bytes() == original
    folder.chmod(0o755)
    assert run() == ("", False)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners here")
def test_a_file_that_others_could_write_is_compiled_anew(cache, run):
    """Its folder may have been open to others when it was written, and be private now."""
    run()
    (file,) = files(cache).values()
    file.chmod(0o666)
    assert run()[1] and stat.S_IMODE(file.stat().st_mode) == 0o600
    assert run() == ("", False)


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give files away")
def test_a_file_of_another_user_is_compiled_anew(cache, run):
    run()
    (file,) = files(cache).values()
    os.chown(file, 12345, -1)
    assert run()[1] and file.stat().st_uid == 0
    assert run() == ("", False)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners here")
def test_a_folder_of_another_user_is_not_used(cache, run, monkeypatch):
    run()
    owner = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    messages, compiled = run()
    assert compiled and "belongs to another user" in messages and "RFOP_CACHE_DIR" in messages


def signed(data):
    """What a whole file of the cache holds."""
    return hashlib.sha256(data).digest() + data


SPOILT = {
    "truncated": lambda content: content[: len(content) // 2],
    "one wrong bit": lambda content: content[:3000] + bytes([content[3000] ^ 4]) + content[3001:],
    "something else": lambda content: signed(pickle.dumps(("not", "a kernel"))),
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_spoilt_file_is_compiled_anew_and_replaced(cache, run, how):
    run()
    for path in cache.rglob("*.nb*"):
        path.write_bytes(SPOILT[how](path.read_bytes()))
    assert run()[1]
    assert run() == ("", False)


def test_a_full_disk_loses_no_kernel(cache, run):
    resource = pytest.importorskip("resource")
    original = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, original[1]))
    try:
        messages, compiled = run()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, original)
    assert compiled and "game.run is not kept for the next start: File too large" in messages
    files_left = [path for path in cache.rglob("*") if path.is_file() and path.suffix != ".lock"]
    assert files_left == [], "nothing half is left"
    assert run()[1] and not run()[1]


def test_a_kernel_is_loaded_from_a_folder_that_cannot_be_written(run, monkeypatch):
    run()

    def refuse(*_, **__):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(os, "utime", refuse)
    assert run() == ("", False)


def test_settings_of_numba_that_change_the_code_have_files_of_their_own(cache, run, monkeypatch):
    from numba.core import config

    from rfop_env.compiler.kernel_cache import SETTINGS

    assert all(hasattr(config, name) for name in SETTINGS)
    assert run()[1]
    monkeypatch.setenv("NUMBA_LOOP_VECTORIZE", "0")
    assert run()[1] and not run()[1]
    monkeypatch.delenv("NUMBA_LOOP_VECTORIZE")
    assert not run()[1]


def test_a_kernel_can_be_compiled_silently(cache, monkeypatch, capfd):
    kernel(make(doubled), "game.run")(4)
    monkeypatch.setenv("RFOP_QUIET", "1")
    kernel(make(tripled), "game.other", title="the rules of Chess")(4)
    assert capfd.readouterr().err == ""


# -- several processes -------------------------------------------------------------------------------------------------

WANTS_IT = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tests.core.test_kernel_cache import doubled, make
from rfop_env.compiler import kernel
folder, others = Path(sys.argv[2]), int(sys.argv[3])
(folder / f"ready-{sys.argv[4]}").touch()
while len(list(folder.glob("ready-*"))) < others:
    time.sleep(0.01)
doubling = kernel(make(doubled), "game.run", title="the rules of Chess")
assert doubling(4) == 8
"""


def test_of_several_processes_one_compiles(cache):
    """They begin together, and each has the kernel in the end."""
    root, n = Path(__file__).parents[2], 3
    processes = [
        subprocess.Popen([sys.executable, "-c", WANTS_IT, str(root), str(cache.parent), str(n), str(i)],
                         stderr=subprocess.PIPE, text=True)
        for i in range(n)
    ]  # fmt: skip
    messages = [process.communicate()[1] for process in processes]
    assert [process.returncode for process in processes] == [0] * n, messages
    assert sum("compiled the rules of Chess in" in text for text in messages) == 1, messages
    assert len(files(cache)) == 1


def test_a_process_that_died_while_it_compiled_holds_up_nobody(cache, run):
    """The system gives its lock back; the lock's file may stay."""
    run(4)
    (path,) = files(cache).values()
    path.unlink()
    hold = "import sys, time, filelock; filelock.FileLock(sys.argv[1]).acquire(); print(1, flush=True); time.sleep(99)"
    line = [sys.executable, "-c", hold, str(path.with_suffix(".lock"))]
    with subprocess.Popen(line, stdout=subprocess.PIPE) as holder:
        holder.stdout.read(1)
        holder.kill()
    assert run(4)[1]


def test_nobody_waits_for_ever(cache, run, monkeypatch):
    """A process that another one keeps waiting for too long compiles the kernel itself."""
    monkeypatch.setattr("rfop_env.compiler.kernel_cache.MOST_SECONDS_WAITING", 0.2)
    run(4)
    (path,) = files(cache).values()
    path.unlink()
    with FileLock(path.with_suffix(".lock")):
        messages, compiled = run(4)
    assert compiled and "waiting for another process that compiles the rules of Chess" in messages
