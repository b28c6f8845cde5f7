"""The examples of docs/train.md run, each one alone."""

from __future__ import annotations

import pytest

from tests.docs.code_blocks import blocks_of, run_alone

pytestmark = pytest.mark.ray
EXAMPLES = blocks_of("docs/train.md", "python")


@pytest.mark.parametrize("source", EXAMPLES.values(), ids=EXAMPLES)
def test_a_block_runs_alone(source, tmp_path):
    assert "| mine |" in run_alone(source, tmp_path)
