"""The examples of docs/ray.md run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("ignore")]

PAGE = Path(__file__).parents[2] / "docs" / "ray.md"


def test_the_examples_of_the_page_run(connection, capsys):
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    namespace = {"__name__": "__main__"}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), namespace)
    assert len(blocks) == 2 and "| mine |" in capsys.readouterr().out
