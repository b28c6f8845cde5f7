"""Rules as native functions: compiled when they are needed, told apart by name, found by other processes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from rfop_env.compiler import JIT

compiled_only = pytest.mark.skipif(not JIT, reason="loops in plain Python call the rules themselves")


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
