"""Rules as native functions: compiled when they are needed, told apart by name, found by other processes."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import pytest

from rfop_env.compiler.native_rules import ADVISE, DETERMINIZE, PARTS, PLAY
from rfop_env.compiler import JIT
from rfop_env.core.batch import GameBatch
from rfop_env.registry import get_game

compiled_only = pytest.mark.skipif(not JIT, reason="loops in plain Python call the rules themselves")


@compiled_only
def test_each_part_is_made_when_it_is_first_needed():
    script = """
import rfop_env

batch = rfop_env.make_batch("Revolution-v0", 2, 0)
for step in (batch.returns_so_far, lambda: batch.determinize(0, 0),
             lambda: rfop_env.make_batch("Revolution-v0", 2, 0, opponent="scripted")):
    step()
    print([int(address != 0) for address in batch._kernels.native.addresses])
"""
    process = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert process.stdout.splitlines() == ["[1, 0, 0]", "[1, 0, 1]", "[1, 1, 1]"]
    assert (PLAY, ADVISE, DETERMINIZE) == (0, 1, 2) and len(PARTS) == 3


@compiled_only
def test_a_batch_with_a_scripted_opponent_plays_on_in_another_process(tmp_path):
    batch = GameBatch(get_game("Revolution-v0"), 4, 5, opponent="scripted")
    (tmp_path / "batch").write_bytes(pickle.dumps(batch))
    script = f"""
import pickle

batch = pickle.loads(open({str(tmp_path / "batch")!r}, "rb").read())
batch.step_random(20)
print(batch.observation.tolist())
"""
    process = subprocess.run([sys.executable, "-c", script], env=os.environ, capture_output=True, text=True, check=True)
    batch.step_random(20)
    assert process.stdout.strip() == str(batch.observation.tolist())


@compiled_only
def test_an_index_out_of_range_in_a_rule_is_an_error_of_the_loop_where_numba_checks_it():
    script = """
from dataclasses import replace

from rfop_env.compiler import rule
from rfop_env.core.batch import GameBatch
from rfop_env.registry import get_game


@rule
def legal_beyond(s, c, mask):
    mask[mask.shape[0]] = True


game = get_game("Revolution-v0")
batch = GameBatch(replace(game, rules=replace(game.rules, legal=legal_beyond)), 1)
try:
    batch.reset(0)
except IndexError as error:
    print("refused")
"""
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1"}
    words = [sys.executable, "-c", script]
    process = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    assert process.stdout == "refused\n"


@compiled_only
def test_what_compiling_needs_is_not_imported_where_everything_lies_on_disk():
    """It takes longer to import than all else of a start together."""
    script = """
import sys
import rfop_env

batch = rfop_env.make_batch("Revolution-v0", 2, 0)
batch.step_random(10)
print("numba.np.linalg" in sys.modules)
"""
    runs = [
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True) for _ in range(2)
    ]
    assert runs[1].stdout == "False\n"
