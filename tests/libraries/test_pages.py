"""The examples of the pages about other libraries run."""

import re
import warnings
from pathlib import Path

import pytest

pytestmark = pytest.mark.libraries
for library in ("pufferlib", "torchrl", "pyspiel"):
    pytest.importorskip(library)

ROOT = Path(__file__).parents[2]
PAGES = ["docs/libraries.md"]


@pytest.mark.parametrize("page", PAGES)
def test_python_blocks_run(page, capsys):
    text = (ROOT / page).read_text(encoding="utf-8")
    namespace = {"__name__": "__main__"}
    blocks = list(re.finditer(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
    assert blocks
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries, about their own next versions
        for block in blocks:
            lines_before = text[: block.start(1)].count("\n")
            exec(compile("\n" * lines_before + block[1], page, "exec"), namespace)
    assert capsys.readouterr().out
