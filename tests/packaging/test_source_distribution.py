"""The source distribution holds the whole repository, so that training and results can be reproduced from it."""

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILD = "from setuptools import build_meta; print(build_meta.build_sdist('out'))"


@pytest.fixture(scope="module")
def tracked():
    """The files of the repository, by git."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("only a git checkout knows which files are tracked")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def names(tracked, tmp_path_factory):
    """The files of the source distribution, built from a copy of what is tracked."""
    copy = tmp_path_factory.mktemp("source") / "checkout"
    for name in tracked:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, copy / name)
    (copy / "runs").mkdir()
    (copy / "runs" / "model.safetensors").write_bytes(b"somebody's own run")

    done = subprocess.run([sys.executable, "-c", BUILD], cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    with tarfile.open(copy / "out" / done.stdout.split()[-1]) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


def test_every_tracked_file_is_in_the_source_distribution(tracked, names):
    assert sorted(set(tracked) - names) == []


def test_nothing_else_is_but_what_the_build_adds(tracked, names):
    folders = {str(parent) for name in tracked for parent in Path(name).parents} | {""}
    added = {name for name in names - set(tracked) - folders if "egg-info" not in name}
    assert added == {"PKG-INFO", "setup.cfg"}
