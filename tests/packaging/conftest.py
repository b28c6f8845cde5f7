"""A clean copy of the checkout to build from, and what is built of it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PIP = ["-m", "pip", "--no-input", "--disable-pip-version-check"]


@pytest.fixture(scope="session")
def tracked():
    """The files of the repository, by git."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("only a git checkout knows which files are tracked")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def checkout(tracked, tmp_path_factory):
    """A copy of what is tracked."""
    copy = tmp_path_factory.mktemp("source") / "checkout"
    for name in tracked:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, copy / name)
    return copy


def run(command, folder, status=0, **environment):
    """What a command prints, run in a folder outside of the checkout without Python's own variables."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")} | environment
    done = subprocess.run(
        [*map(str, command)], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def build_wheel(checkout, out):
    """Build the wheel of a copy of the checkout, with what is installed here; returns its file."""
    before = set(out.glob("*.whl"))
    run([sys.executable, *PIP, "wheel", "--no-index", "--no-deps", "--no-build-isolation", "-w", out, checkout], out)
    (wheel,) = set(out.glob("*.whl")) - before
    return wheel


def build_sdist(checkout):
    """Build the source distribution of a copy of the checkout, with what is installed here; returns its file."""
    run([sys.executable, "-c", "from setuptools import build_meta; build_meta.build_sdist('out')"], checkout)
    (sdist,) = (checkout / "out").glob("*.tar.gz")
    return sdist
