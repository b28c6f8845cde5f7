"""The examples of the pages that need other libraries: blocks marked `py`, run top to bottom."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from training.record_dataset import main as record_dataset

pytestmark = pytest.mark.libraries
DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```py\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def run_blocks(page):
    """Run the blocks of a page in one namespace; how many there are."""
    namespace, blocks = {"__name__": "__main__"}, BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))
    for source in blocks:
        exec(compile(source, page, "exec"), namespace)
    return len(blocks)


def test_the_example_of_textarena():
    pytest.importorskip("textarena")
    assert run_blocks("text.md") == 1


def test_the_example_of_data_sets(tmp_path, monkeypatch):
    pytest.importorskip("h5py")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    assert record_dataset(["revolution-scripted-v0", "scripted", "--env", "Revolution-v0", "--games", "2"]) == 0
    assert run_blocks("datasets.md") == 1
