"""The kernel cache: never stale, never in the way, no files shared, nobody else's code run."""

import hashlib
import os
import pickle
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from rfop_env.core.rule import JIT, kernel, rule

pytestmark = pytest.mark.skipif(not JIT, reason="nothing is compiled with RFOP_JIT=0")


@rule
def doubled(x):
    """A rule that a kernel closes over."""
    return 2 * x


@rule
def tripled(x):
    """Another."""
    return 3 * x


def make(inner):
    """A kernel factory: all its kernels have the same code."""

    def run(x):
        return inner(x)

    return run


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A source folder, with the cache beside it."""
    monkeypatch.setenv("RFOP_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "game"
    folder.mkdir()
    (folder / "rules.py").write_text("a = 1\n")
    return folder


@pytest.fixture
def run(source, capfd):
    """Calls a new kernel, and says what it told the user and whether its code was compiled, not loaded."""

    def call(argument=4):
        capfd.readouterr()
        doubling = kernel(make(doubled), "game.run", (source,), title="the rules of Chess")
        assert doubling(argument) == 2 * argument
        return capfd.readouterr().err, not doubling.stats.cache_hits

    return call


def stamp(source):
    from rfop_env.core.kernel_cache import source_stamp

    return source_stamp((source,))


def files(source, name):
    """The compiled files of a kernel, by folder."""
    found = sorted((source.parent / "cache" / "rfop" / name).rglob("*.nb*"))
    return {path.parent.name: path for path in found}


def test_a_kernel_is_compiled_once_and_then_loaded(source, run):
    told, compiled = run(4)
    assert compiled and "compiling the rules of Chess" in told
    before = files(source, "game.run")
    assert len(before) == 1
    assert run(5) == ("", False) and files(source, "game.run") == before


def test_an_edited_source_is_compiled_anew_and_an_undone_edit_is_not(source):
    kernel(make(doubled), "game.run", (source,))(1)
    first = stamp(source)
    (source / "rules.py").write_text("a = 2\n")
    assert stamp(source) != first
    assert kernel(make(tripled), "game.run", (source,))(4) == 12, "a stale kernel was loaded"
    assert len(files(source, "game.run")) == 2
    (source / "rules.py").write_text("a = 1\n")
    assert stamp(source) == first
    assert kernel(make(doubled), "game.run", (source,))(4) == 8
    assert len(files(source, "game.run")) == 2


def test_a_new_or_renamed_source_counts(source):
    stamps = {stamp(source)}
    (source / "more.py").write_text("")
    stamps.add(stamp(source))
    (source / "more.py").rename(source / "less.py")
    stamps.add(stamp(source))
    assert len(stamps) == 3


def test_two_kernels_of_one_factory_do_not_share_files(source):
    for _ in range(2):  # compiled, then loaded
        assert kernel(make(doubled), "game.double", (source,))(7) == 14
        assert kernel(make(tripled), "game.triple", (source,))(7) == 21
    assert set(files(source, "game.double").values()).isdisjoint(files(source, "game.triple").values())


def test_each_kind_of_argument_has_its_file(source):
    for _ in range(2):
        both = kernel(make(doubled), "game.run", (source,))
        assert both(2) == 4 and both(2.5) == 5.0
    assert len(list((source.parent / "cache").rglob("*.nb*"))) == 2 and sum(both.stats.cache_hits.values()) == 2


def test_without_a_folder_everything_works(source, run, monkeypatch):
    monkeypatch.setenv("RFOP_CACHE_DIR", str(source / "rules.py"))  # a file: no folder can be made in it
    told, compiled = run()
    assert compiled and "Set RFOP_CACHE_DIR to a folder that you can write to" in told
    told, compiled = run()
    assert compiled and "RFOP_CACHE_DIR" not in told, "why is said once"


def test_without_a_home_everything_works(run, monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    for name in ("RFOP_CACHE_DIR", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    assert run()[1]


def test_the_folders_are_for_the_user_alone(source, run):
    before = os.umask(0)
    try:
        run()
    finally:
        os.umask(before)
    folder = next(iter(files(source, "game.run").values())).parent
    for path in (folder, folder.parent, folder.parent.parent):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700, path
    assert folder.parent.parent == source.parent / "cache" / "rfop"


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners here")
@pytest.mark.parametrize("up", [0, 1, 2], ids=["sources", "kernel", "root"])
def test_a_folder_that_others_can_write_to_is_not_used(source, run, up):
    run()
    file = next(iter(files(source, "game.run").values()))
    folder, before = file.parents[up], file.read_bytes()
    folder.chmod(0o775)
    told, compiled = run()
    assert compiled and f"`chmod go-w {folder}`" in told and file.read_bytes() == before
    folder.chmod(0o755)
    assert run() == ("", False)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners here")
def test_a_folder_of_another_user_is_not_used(source, run, monkeypatch):
    run()
    owner = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    told, compiled = run()
    assert compiled and "belongs to another user" in told and "RFOP_CACHE_DIR" in told


def signed(data):
    """What a whole file of the cache holds."""
    return hashlib.sha256(data).digest() + data


SPOILT = {
    "empty": lambda content: b"",
    "truncated": lambda content: content[: len(content) // 2],
    "garbage": lambda content: bytes(range(256)) * 40,
    "one wrong bit": lambda content: content[:3000] + bytes([content[3000] ^ 4]) + content[3001:],
    "something else": lambda content: signed(pickle.dumps(("not", "a kernel"))),
    "no pickle": lambda content: signed(b"\x80\x04 nothing"),
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_spoilt_file_is_compiled_anew_and_replaced(source, run, how):
    run()
    for path in (source.parent / "cache").rglob("*.nb*"):
        path.write_bytes(SPOILT[how](path.read_bytes()))
    assert run()[1]
    assert run() == ("", False)


def test_a_full_disk_loses_no_kernel(source, run):
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
    try:
        told, compiled = run()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert compiled and "game.run is not kept for the next start: File too large" in told
    left = [path for path in (source.parent / "cache").rglob("*") if path.is_file() and path.suffix != ".lock"]
    assert left == [], "nothing half is left"
    assert run()[1] and not run()[1]


def test_a_folder_that_became_read_only_loses_no_kernel(source, run, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "replace", refuse)
    monkeypatch.setattr(os, "replace", refuse)
    told, compiled = run()
    assert compiled and "not kept for the next start: Permission denied" in told


def test_a_kernel_is_loaded_from_a_folder_that_cannot_be_written(run, monkeypatch):
    run()

    def refuse(*_, **__):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(os, "utime", refuse)
    assert run() == ("", False)


def test_settings_of_numba_that_change_the_code_have_files_of_their_own(source, run, monkeypatch):
    from numba.core import config

    from rfop_env.core.kernel_cache import SETTINGS

    assert all(hasattr(config, name) for name in SETTINGS)
    assert run()[1]
    monkeypatch.setenv("NUMBA_LOOP_VECTORIZE", "0")
    assert run()[1] and not run()[1]
    monkeypatch.delenv("NUMBA_LOOP_VECTORIZE")
    assert not run()[1]


def test_the_message_says_what_is_compiled_how_long_and_where_it_is_kept(source, capfd):
    (source / "rules.py").write_text("@rule\n@small_rule\n" * 50)
    kernel(make(doubled), "game.run", (source,), title="the rules of Chess")(4)
    told = capfd.readouterr().err
    root = source.parent / "cache" / "rfop"
    assert told.startswith(
        f"rfop: compiling the rules of Chess (about 10 s on an idle core, once; kept in {root}) ...\n"
    )
    assert re.search(r"^rfop: compiled the rules of Chess in \d+ s$", told, re.MULTILINE)


def test_kernels_of_rules_that_are_kept_are_expected_sooner(source):
    from rfop_env.core.kernel_cache import expected_seconds

    (source / "rules.py").write_text("@rule\n" * 250)
    assert [expected_seconds((source,), halfway) for halfway in (False, True)] == [15, 10]


def test_a_kernel_can_be_compiled_silently(source, monkeypatch, capfd):
    kernel(make(doubled), "game.run", (source,))(4)
    monkeypatch.setenv("RFOP_QUIET", "1")
    kernel(make(tripled), "game.other", (source,), title="the rules of Chess")(4)
    assert capfd.readouterr().err == ""


def test_kernels_of_two_rule_sets_in_one_folder_have_two_names():
    import toy_game

    from rfop_env.core.kernels import rules_digest

    names = {rules_digest(game.rules) for game in (toy_game.two_player(), toy_game.solo(), toy_game.leaky())}
    assert len(names) == 2  # the first two share their rules


# -- several processes -------------------------------------------------------------------------------------------------

WANTS_IT = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tests.core.test_kernel_cache import doubled, make
from rfop_env.core.rule import kernel
source, others = Path(sys.argv[2]), int(sys.argv[3])
(source.parent / f"ready-{sys.argv[4]}").touch()
while len(list(source.parent.glob("ready-*"))) < others:
    time.sleep(0.01)
doubling = kernel(make(doubled), "game.run", (source,), title="the rules of Chess")
assert doubling(4) == 8
"""


def test_of_several_processes_one_compiles(source):
    """They begin together, and each has the kernel in the end."""
    root, n = Path(__file__).parents[2], 3
    processes = [
        subprocess.Popen([sys.executable, "-c", WANTS_IT, str(root), str(source), str(n), str(i)],
                         stderr=subprocess.PIPE, text=True)
        for i in range(n)
    ]  # fmt: skip
    told = [process.communicate()[1] for process in processes]
    assert [process.returncode for process in processes] == [0] * n, told
    assert sum("compiled the rules of Chess in" in text for text in told) == 1, told
    assert len(files(source, "game.run")) == 1


def test_a_process_that_died_while_it_compiled_holds_up_nobody(source, run):
    """The system gives its lock back; the lock's file may stay."""
    run(4)
    (path,) = files(source, "game.run").values()
    path.unlink()
    hold = "import sys, time, filelock; filelock.FileLock(sys.argv[1]).acquire(); print(1, flush=True); time.sleep(99)"
    line = [sys.executable, "-c", hold, str(path.with_suffix(".lock"))]
    with subprocess.Popen(line, stdout=subprocess.PIPE) as holder:
        holder.stdout.read(1)
        holder.kill()
    assert run(4)[1]


def test_nobody_waits_for_ever(source, run, monkeypatch):
    """A process that another one keeps waiting for too long compiles the kernel itself."""
    monkeypatch.setattr("rfop_env.core.kernel_cache.MOST_SECONDS_WAITING", 0.2)
    run(4)
    (path,) = files(source, "game.run").values()
    path.unlink()
    with FileLock(path.with_suffix(".lock")):
        told, compiled = run(4)
    assert compiled and "waiting for another process that compiles the rules of Chess" in told
