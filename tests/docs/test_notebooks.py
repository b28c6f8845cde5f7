"""Every notebook runs from its first cell to its last, and is stored without outputs."""

import json
import sys
from pathlib import Path

import pytest

from rfop_env.core.rule import JIT

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def test_there_is_a_notebook():
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stored_without_outputs(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in cells)


@pytest.mark.skipif(not JIT, reason="notebooks play whole games, for readers who have the rules compiled")
@pytest.mark.filterwarnings("default")  # the machinery of notebooks warns about its own sockets and event loops
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs(path, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    # A kernel of this interpreter, whichever kernels the machine has registered.
    spec = {"argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], "language": "python"}
    folder = tmp_path / "kernels" / "this-python"
    folder.mkdir(parents=True)
    (folder / "kernel.json").write_text(json.dumps(spec | {"display_name": "this Python"}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="this-python", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    assert any(cell.get("outputs") for cell in notebook.cells)
