"""The option `--times` adds up the processor seconds of tests in workers, and of the processes that they start."""

import re
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

BUSY = """
import subprocess, sys, time

def test_here():
    end = time.process_time() + 0.3
    while time.process_time() < end: pass

def test_in_a_process():
    subprocess.run([sys.executable, "-c", "import time\\nwhile time.process_time() < 0.3: pass"], check=True)
"""
IDLE = """
import time

def test_that_waits():
    time.sleep(0.3)
"""


def test_processor_seconds_are_added_up_by_folder(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    for folder, text in {"busy": BUSY, "idle": IDLE}.items():
        path = pytester.path / "tests" / folder / f"test_{folder}.py"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")

    result = pytester.runpytest_subprocess("-p", "tests.conftest", "--times", "-n1", "tests")
    result.assert_outcomes(passed=3)
    seconds = {folder: float(n) for n, folder in re.findall(r"^ +([\d.]+)  (\S+)$", result.stdout.str(), re.MULTILINE)}
    assert seconds["tests/busy"] >= 0.6 > seconds["tests/idle"]
    assert seconds["together"] == pytest.approx(seconds["tests/busy"] + seconds["tests/idle"], abs=0.15)
