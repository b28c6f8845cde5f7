"""MicroPython in Node: what a scene answers in the browser."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "answer.mjs"
NODE = shutil.which("node")

needs_node = pytest.mark.skipif(NODE is None, reason="needs node, which runs MicroPython as a browser does")


def answers(source, questions, folder):
    """The answers of a text with a `scene`, in one process."""
    file = folder / "scene.py"
    file.write_text(source, encoding="utf-8")
    run = subprocess.run([NODE, SCRIPT, file], input=json.dumps(questions), capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout)["answers"]


def run_node(script, content, folder):
    """What a script answers, as JSON, to the content of a JSON file."""
    file = folder / "content.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    run = subprocess.run([NODE, script, file], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout)
