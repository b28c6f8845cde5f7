"""Rules kept on disk for other kernels: the same results, nothing compiled twice, nothing foreign or stale linked."""

import hashlib
import json
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rfop_env.core.rule import JIT

pytestmark = pytest.mark.skipif(not JIT, reason="nothing is compiled with RFOP_JIT=0")

RULES = """
import math
import numpy as np
from rfop_env.core.rule import rule, small_rule

LARGE = np.arange(200_000)

@small_rule
def within(x):
    return max(0, min(x, 9)) + int(math.sqrt(16.0))

@rule
def down(x):
    return 0 if x <= 0 else 1 + down(x - 1)

@rule
def refuse(x):
    if x > 7:
        raise ValueError("more than seven", x)
    return x

@rule
def total(values):
    return (values[:2] + values[1:3]).copy().sum()

@rule
def play(s, x):
    s.small += 1
    return within(x) + down(x) + refuse(x) + int(total(s.cells)) + int(s.small)

@rule
def other(s, x):
    return within(x) - down(x)

@rule
def even(x):
    return x == 0 or odd(x - 1)

@rule
def odd(x):
    return x > 0 and even(x - 1)

@rule
def circle(s, x):
    return int(even(x)) + within(x)

@rule
def large(s, x):
    return LARGE[x] + within(x)

@rule
def named(s, x):
    return x + 1

first = named

@rule
def named(s, x):
    return first(s, x) * 10

made = rule(lambda s, x: within(x) + 1)
"""
RUN = """
import json, sys
from pathlib import Path
import numpy as np
import numba.core.event as event
from rfop_env.core.rule import kernel
folder = Path(sys.argv[1])
sys.path.insert(0, str(folder.parent))
from game import rules

class Compiled(event.Listener):
    names = []
    def on_start(self, event):
        self.names.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event):
        pass

RECORD = np.dtype([("small", np.int8), ("cells", np.int16, (4,))], align=True)
told = []
for name in sys.argv[2].split(","):
    called = getattr(rules, name)
    states = np.zeros(1, RECORD)
    states["cells"] = 1, 2, 3, 4
    run = kernel(lambda states, x: called(states[0], x), f"game.{sys.argv[3]}.{name}", (folder,), rules=(folder,))
    event.register("numba:compile", listener := Compiled())
    listener.names.clear()
    try:
        result = int(run(states, int(sys.argv[4])))
    except ValueError as error:
        result = str(error)
    event.unregister("numba:compile", listener)
    told.append([result, sorted({name for name in listener.names if hasattr(rules, name) or name == "<lambda>"})])
print(json.dumps(told))
"""
PLAYED = 3 + 4 + 3 + 3 + (1 + 2 + 2 + 3) + 1  # what `play` makes of 3


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """A folder with rules, and an empty cache."""
    monkeypatch.setenv("RFOP_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "game").mkdir()
    (tmp_path / "game" / "__init__.py").touch()
    (tmp_path / "game" / "rules.py").write_text(RULES, encoding="utf-8")
    return tmp_path / "game"


@pytest.fixture(scope="module")
def first_use(tmp_path_factory):
    """A cache in which a process has left the rules of `play`, what it told, and the folder of the rules."""
    folder = tmp_path_factory.mktemp("first")
    (folder / "game").mkdir()
    (folder / "game" / "__init__.py").touch()
    (folder / "game" / "rules.py").write_text(RULES, encoding="utf-8")
    return folder, run(folder / "game", "play", "first", RFOP_CACHE_DIR=str(folder / "cache"))


@pytest.fixture
def game(empty, first_use):
    """A folder with rules, and the cache after the first use of `play`."""
    shutil.copytree(first_use[0] / "cache", empty.parent / "cache")
    return empty


def kept(game):
    """The files of rules."""
    return sorted((game.parent / "cache" / "rfop" / "game.rules").rglob("*.nbr"))


def run(game, rules, kernel, x=3, **environment):
    """What kernels of a new process give, one for each rule, and which functions were compiled for each."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(game), rules, kernel, str(x)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_another_kernel_of_another_process_compiles_no_rule_again(game, first_use):
    ((result, compiled),) = first_use[1]
    assert result == PLAYED and compiled == ["<lambda>", "down", "play", "refuse", "total", "within"]
    assert len(kept(game)) == 1
    assert run(game, "play", "second") == [[PLAYED, ["<lambda>"]]]
    assert run(game, "play", "second") == [[PLAYED, []]], "now the kernel itself is there"


def test_what_a_file_lacks_is_compiled_and_joins_it(game):
    expected = 3 + 4 - 3
    assert run(game, "other", "second") == [[expected, ["<lambda>", "other"]]]
    assert run(game, "other,play", "third") == [[expected, ["<lambda>"]], [PLAYED, ["<lambda>"]]]


def test_what_a_kept_rule_raises_comes_out_of_its_kernel(game):
    assert run(game, "play", "second", 8) == [["('more than seven', 8)", ["<lambda>"]]]


OF_A_PROCESS = {  # rules with addresses or without a name of their own: what each makes of 3, and what is compiled
    "circle": [0 + 7, ["<lambda>", "circle", "even", "odd"]],
    "large": [3 + 7, ["<lambda>", "large"]],
    "named": [40, ["<lambda>", "named"]],
    "made": [8, ["<lambda>"]],
}


def test_rules_with_addresses_or_without_a_name_of_their_own_are_compiled_by_every_process(game):
    names = ",".join(OF_A_PROCESS)
    run(game, names, "second")
    assert dict(zip(OF_A_PROCESS, run(game, names, "third"), strict=True)) == OF_A_PROCESS, "and only these"


def test_an_edited_rule_is_compiled_anew(game):
    (game / "rules.py").write_text(RULES.replace("s.small += 1", "s.small += 2"), encoding="utf-8")
    ((result, compiled),) = run(game, "play", "second")
    assert result == PLAYED + 1 and "play" in compiled and len(kept(game)) == 2


def test_settings_that_change_code_have_files_of_their_own(game):
    ((result, compiled),) = run(game, "play", "second", NUMBA_BOUNDSCHECK="1")
    assert result == PLAYED and "play" in compiled and len(kept(game)) == 2


SPOILT = {
    "truncated": lambda content: content[: len(content) // 2],
    "one wrong bit": lambda content: content[:3000] + bytes([content[3000] ^ 4]) + content[3001:],
    "something else": lambda content: _signed(pickle.dumps({"not": "a rule"})),
    "no pickle": lambda content: _signed(b"\x80\x04 nothing"),
}


def _signed(data):
    return hashlib.sha256(data).digest() + data


@pytest.mark.parametrize("how", SPOILT)
def test_a_spoilt_file_is_written_anew(game, how):
    (path,) = kept(game)
    path.write_bytes(SPOILT[how](path.read_bytes()))
    ((result, compiled),) = run(game, "play", "second")
    assert result == PLAYED and "play" in compiled
    assert hashlib.sha256(path.read_bytes()[32:]).digest() == path.read_bytes()[:32]


def test_code_of_two_processes_is_not_mixed(game):
    """Numbers in the names of functions depend on the order of compilation: callers go with the callees they know."""
    (path,) = kept(game)
    path.unlink()
    run(game, "other", "second")
    before = path.read_bytes()
    path.unlink()
    run(game, "play,other", "third")
    assert path.read_bytes() != before
    path.write_bytes(before)  # as if that process had come later
    ((result, compiled),) = run(game, "play", "fourth")
    assert result == PLAYED and "within" not in compiled
    assert run(game, "play,other", "fifth") == [[PLAYED, ["<lambda>"]], [4, ["<lambda>"]]]


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners here")
def test_a_folder_that_others_can_write_to_is_not_used(game):
    (path,) = kept(game)
    path.parent.chmod(0o775)
    ((result, compiled),) = run(game, "play", "second")
    assert result == PLAYED and "play" in compiled


def test_a_full_disk_keeps_no_rules_and_loses_no_kernel(empty):
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
    try:
        ((result, _),) = run(empty, "play", "first")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    left = [path for path in (empty.parent / "cache").rglob("*") if path.is_file() and path.suffix != ".lock"]
    assert result == PLAYED and left == []


def test_all_kernels_of_a_game_share_its_rules(tmp_path, monkeypatch):
    """One process makes a batch; the kernel that determinizes in another has every rule of the game from it."""
    monkeypatch.setenv("RFOP_CACHE_DIR", str(tmp_path))
    script = """
import sys
import numba.core.event as event
sys.path.insert(0, sys.argv[1])
import toy_game
from rfop_env.core.batch import GameBatch

class Compiled(event.Listener):
    names = []
    def on_start(self, event):
        self.names.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event):
        pass

batch = GameBatch(toy_game.two_player(), 5, 3)
event.register("numba:compile", Compiled())
if sys.argv[2] == "determinize":
    batch.determinize(0, 1)
print(*Compiled.names)
"""
    tests = Path(__file__).parents[1]
    done = [
        subprocess.run([sys.executable, "-c", script, str(tests), task], capture_output=True, text=True, check=True,
                       env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})
        for task in ("play", "determinize")
    ]  # fmt: skip
    names = done[1].stdout.split()
    assert "determinize_all" in names and not {"random_below", "begin_streams", "note"} & set(names), names


def test_the_message_counts_with_rules_that_are_kept(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("RFOP_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("RFOP_QUIET", "0")
    from rfop_env.core.kernel_cache import cache_root
    from rfop_env.core.rule import kernel

    (tmp_path / "game").mkdir()
    (tmp_path / "game" / "rules.py").write_text("@rule\n" * 250)
    folders = (tmp_path / "game",)

    def told(name):
        kernel(lambda x: x + 1, name, folders, title="the rules of Chess", rules=folders)(1)
        return capfd.readouterr().err

    assert "about 15 s" in told("game.first")
    (folder,) = (cache_root() / "game.rules").iterdir()
    assert not list(folder.iterdir()), "no rules, no file"
    from numba.core.registry import cpu_target

    from rfop_env.core.kernel_cache import key_of

    (folder / f"{key_of(cpu_target.target_context.codegen())}.nbr").touch()
    assert "about 10 s" in told("game.second")
