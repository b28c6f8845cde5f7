"""Kernels that come with the package: other processes load them, where sources and processor are what they are for."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

from rfop_env.core.batch import GameBatch
from rfop_env.compiler import JIT
from rfop_env.registry import get_game

if JIT:
    from rfop_env.compiler.shared_kernels import kind_here

pytestmark = pytest.mark.skipif(not JIT or kind_here() is None, reason="nothing is compiled, or not for others")

MAKE = """
from rfop_env import compiling
assert compiling.compile_shared(["Revolution-v0"], 1) == ["Revolution"]
"""
PLAY = """
from rfop_env.compiling import compile_rules
from rfop_env.core.batch import GameBatch
from rfop_env.registry import get_game

compile_rules("Revolution-v0")
batch = GameBatch(get_game("Revolution-v0"), 4, 5, autoreset=True)
batch.step_random(100)
print(batch.observation.tolist())
"""
OLDER_PROCESSOR = """
newer = shared_kernels.Kind("x86-64-v3", frozenset({"of-tomorrow"}))
shared_kernels.KINDS = dict.fromkeys(shared_kernels.KINDS, newer)
"""
# This machine's processor as LLVM tells it, without what is newer than SSE.
FAKED_PROCESSOR = """
import llvmlite.binding as llvm

features = llvm.get_host_cpu_features()
for name in features:
    if name.startswith(("avx", "bmi", "fma", "f16c", "lzcnt", "movbe")):
        features[name] = False
llvm.get_host_cpu_features = lambda: features
"""
HEAD = """
from pathlib import Path
from rfop_env.compiler import shared_kernels
shared_kernels.FOLDER = Path({shared!r})
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Run code where the kernels of the package lie in one folder, and own ones in another that is empty at first."""
    made_here = tmp_path_factory.mktemp("shared")

    def run(code, shared=made_here, own=None):
        own = own or tmp_path_factory.mktemp("own")
        environment = {k: v for k, v in os.environ.items() if k != "RFOP_QUIET"} | {"RFOP_CACHE_DIR": str(own)}
        words = [sys.executable, "-c", HEAD.format(shared=str(shared)) + code]
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
        return done, list(own.rglob("*.nbc"))

    made, own = run(MAKE)
    assert not own and made.stderr == ""
    run.files = sorted(made_here.rglob("*"))
    return run


def test_what_came_with_the_package_is_not_compiled(run):
    assert len([path for path in run.files if path.is_file()]) >= 9
    played, own = run(PLAY)
    assert not own and played.stderr == ""

    here = GameBatch(get_game("Revolution-v0"), 4, 5, autoreset=True)
    here.step_random(100)
    assert played.stdout.strip() == str(here.observation.tolist())


def test_a_processor_that_lacks_something_compiles_for_itself(run):
    played, own = run(OLDER_PROCESSOR + PLAY)
    assert len(own) >= 9 and "compiling the rules of Revolution" in played.stderr


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="it has no older processor to fake")
def test_code_for_more_instructions_than_the_processor_has_is_compiled_anew(run, tmp_path):
    played, own = run(PLAY, shared=tmp_path)  # nothing comes with the package: for this very processor
    assert len(own) >= 9

    # The same processor with fewer instructions, with that code and the package's at hand.
    again, files = run(FAKED_PROCESSOR + PLAY, own=own[0].parents[3])
    assert "compiling the rules of Revolution" in again.stderr
    assert len(files) > len(own) and again.stdout == played.stdout


def test_other_settings_of_numba_compile_for_themselves(run, monkeypatch):
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    assert run(PLAY)[1]


def test_a_processor_of_no_kind_is_told(run):
    code = OLDER_PROCESSOR + "from rfop_env.cli.main import main\nassert main(['compile', '--shared']) != 0"
    assert "Leave --shared out" in run(code)[0].stderr
