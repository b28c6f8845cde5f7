"""Every notebook runs from its first cell to its last, and what it stores is what it prints and shows."""

import json

import pytest

from training.research.__main__ import main as research
from training.research.generator import notebooks
from training.research.generator.notebooks import FOLDER, stored, notebook_text
from rfop_env.compiler import JIT

pytest.importorskip("nbformat")
pytest.importorskip("nbclient")

NOTEBOOKS = notebooks.notebooks()
MOST_BYTES = 400_000  # so that a code host shows it
STALE = "run `make notebooks`"
COMPILED = pytest.mark.skipif(not JIT, reason="notebooks play whole games, for readers who have the rules compiled")
LOUD = pytest.mark.filterwarnings("default")  # the machinery of notebooks warns about its own sockets and event loops
SHORTER = {  # what trains and evaluates in cells with the tag `varies`, and what stands there without the mark `slow`
    "03_train_and_evaluate": {"steps=250_000": "steps=10_000"},
    "04_self_play_matrix_ratings": {
        '("short", 100_000), ("long", 500_000)': '("short", 4_000), ("long", 8_000)',
        "agents, range(100)": "agents, range(10)",
    },
    "05_reproduce_a_learning_curve": {'"until": 400_000': '"until": 10_000, "evaluate_deals": 20'},
}


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def code_cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def words_of(cell):
    """What a cell prints, and the text of what it shows; pictures are left to their own tests."""
    texts = []
    for output in cell["outputs"]:
        data = output.get("data", {})
        texts.append(output.get("text") or data.get("text/markdown") or data.get("text/plain"))
    return ["".join(text) for text in texts]


def test_there_are_notebooks():
    assert [path.stem[:2] for path in NOTEBOOKS] == ["01", "02", "03", "04", "05", "06", "07"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_stored_small_and_without_what_varies(path):
    notebook, text = read(path), path.read_text(encoding="utf-8")
    assert text == notebook_text(stored(notebook)), STALE
    assert len(text.encode()) < MOST_BYTES
    assert str(FOLDER.parent) not in text and "/tmp/" not in text
    assert sum(bool(cell["outputs"]) for cell in code_cells(notebook)) >= len(code_cells(notebook)) - 2, STALE
    assert all(output["output_type"] != "error" for cell in code_cells(notebook) for output in cell["outputs"])


def shortened(path, folder):
    """A copy of a notebook that trains for seconds."""
    text = path.read_text(encoding="utf-8")
    for long, short in SHORTER.get(path.stem, {}).items():
        long, short = (json.dumps(words)[1:-1] for words in (long, short))
        assert text.count(long) == 1, f"{path.stem} trains otherwise than SHORTER says"
        text = text.replace(long, short)
    copy = folder / path.name
    copy.write_text(text, encoding="utf-8")
    return copy


@COMPILED
@LOUD
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs_and_says_what_is_stored(path, tmp_path):
    check_outputs(notebooks.execute(shortened(path, tmp_path), tmp_path), read(path))
    assert list((tmp_path / "work").iterdir()) == [], "a notebook leaves files beside it"


@pytest.mark.slow
@COMPILED
@LOUD
@pytest.mark.parametrize("path", [path for path in NOTEBOOKS if path.stem in SHORTER], ids=lambda path: path.stem)
def test_runs_whole(path, tmp_path):
    check_outputs(notebooks.execute(path, tmp_path), read(path))


def check_outputs(present, stored_cells):
    """Cells with the tag `varies` train networks or play them: another machine rounds their sums differently."""
    for cell, old in zip(code_cells(present), code_cells(stored_cells), strict=True):
        if "varies" in cell["metadata"].get("tags", []):
            assert len(cell["outputs"]) == len(old["outputs"]), old["source"]
        else:
            assert words_of(cell) == words_of(old), STALE


def test_what_varies_is_left_out():
    outputs = [
        {"output_type": "stream", "name": "stderr", "text": "compiled in 9 s\n"},
        {"output_type": "stream", "name": "stdout", "text": "/tmp/x/work/run/model\n"},
        {"output_type": "execute_result", "execution_count": 3, "metadata": {"w": 1},
         "data": {"text/plain": "Board", notebooks.WIDGET: {"model_id": "abc"}}},
    ]  # fmt: skip
    metadata = {"tags": ["varies"], "execution": {"iopub.execute_input": "2026"}}
    code = {"cell_type": "code", "id": "a", "source": ["1"], "metadata": metadata, "execution_count": 3,
            "outputs": outputs}  # fmt: skip
    notebook = {"cells": [code], "metadata": {"widgets": {}}, "nbformat": 4, "nbformat_minor": 5}
    (cell,) = stored(notebook, "/tmp/x/work")["cells"]
    assert cell["execution_count"] is None and cell["metadata"] == {"tags": ["varies"]}
    assert [output.get("text") for output in cell["outputs"]] == ["run/model\n", None]
    assert cell["outputs"][1] == {"output_type": "execute_result", "execution_count": None, "metadata": {},
                                  "data": {"text/plain": "Board"}}  # fmt: skip


def test_an_unknown_notebook_is_named(capsys):
    assert research(["notebooks", "08_nothing"]) == 2
    assert "no notebook '08_nothing'; there are 01_first_game" in capsys.readouterr().err
