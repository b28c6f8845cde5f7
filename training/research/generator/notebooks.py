"""Run the notebooks and store what they print and show.

    python -m training.research notebooks
    python -m training.research notebooks 07_search

What differs from run to run is left out: execution counts, times, paths, progress, and the state of widgets.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rfop_env.command_line import UsageError
from rfop_env.core.files import write_whole
from training.research import ROOT

FOLDER = ROOT / "notebooks"
PATIENCE = 900  # seconds for a cell; a first use compiles the rules
ADDRESS = re.compile(r" at 0x[0-9a-f]+")
WIDGET = "application/vnd.jupyter.widget-view+json"
KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
          "language_info": {"name": "python"}}  # fmt: skip


def notebooks() -> list[Path]:
    """The notebooks, in the order in which they are read."""
    return sorted(FOLDER.glob("*.ipynb"))


def execute(path: Path, folder: Path) -> dict[str, Any]:
    """A notebook with its outputs, run from its first cell to its last in an empty folder.

    The kernel is this interpreter, whichever kernels the machine has registered. Raises `CellExecutionError`.
    """
    import nbclient
    import nbformat

    # A kernel of this interpreter.
    spec = {"argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], "language": "python"}
    kernel = folder / "kernels" / "this-python"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(json.dumps(spec | {"display_name": "this Python"}))
    jupyter_path = os.environ.get("JUPYTER_PATH")
    os.environ["JUPYTER_PATH"] = str(folder)

    # Run it where its files do no harm.
    work = folder / "work"
    work.mkdir()
    try:
        notebook = nbformat.read(path, as_version=4)
        resources = {"metadata": {"path": str(work)}}
        nbclient.NotebookClient(
            notebook, timeout=PATIENCE, startup_timeout=PATIENCE, kernel_name="this-python", resources=resources
        ).execute()
    finally:
        os.environ.pop("JUPYTER_PATH") if jupyter_path is None else os.environ.update(JUPYTER_PATH=jupyter_path)
    return stored(json.loads(nbformat.writes(notebook)), str(work))


def stored(notebook: dict[str, Any], work: str = "") -> dict[str, Any]:
    """A notebook as it is stored; `work` is the folder that it ran in."""
    cells = []
    for cell in notebook["cells"]:
        clean = {key: cell[key] for key in ("cell_type", "id", "source")}
        clean["metadata"] = {key: value for key, value in cell["metadata"].items() if key == "tags"}
        if cell["cell_type"] == "code":
            clean |= {"execution_count": None, "outputs": _outputs(cell["outputs"], work)}
        cells.append(clean)
    return {"cells": cells, "metadata": KERNEL, "nbformat": 4, "nbformat_minor": 5}


def _outputs(outputs: Sequence[dict[str, Any]], work: str) -> list[dict[str, Any]]:
    """Outputs without what differs from run to run: counts, progress on the error stream, widgets, folder, addresses.

    What is printed in a row is one output, however many pieces it came in.
    """
    clean: list[dict[str, Any]] = []
    for output in outputs:
        if output["output_type"] == "stream" and output["name"] == "stderr":
            continue
        entry = {key: value for key, value in output.items() if key != "metadata"}
        if "execution_count" in entry:
            entry["execution_count"] = None
        if "data" in entry:
            entry["data"] = {kind: value for kind, value in entry["data"].items() if kind != WIDGET}
            entry["metadata"] = {}
        text = ADDRESS.sub("", json.dumps(entry))
        entry = json.loads(text.replace(f"{work}/", "") if work else text)
        if clean and entry["output_type"] == clean[-1]["output_type"] == "stream":
            clean[-1]["text"] = "".join([*clean[-1]["text"], *entry["text"]]).splitlines(keepends=True)
        else:
            clean.append(entry)
    return clean


def notebook_text(notebook: dict[str, Any]) -> str:
    """The text of a notebook's file."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="notebooks (default: all)")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    names = [path.stem for path in notebooks()]
    if missing := sorted(set(args.names) - set(names)):
        raise UsageError(f"no notebook {missing[0]!r}; there are {', '.join(names)}")

    for name in args.names or names:
        path = FOLDER / f"{name}.ipynb"
        with tempfile.TemporaryDirectory() as folder:
            write_whole(path, notebook_text(execute(path, Path(folder))))
        print(path.relative_to(ROOT).as_posix(), flush=True)
    return 0
