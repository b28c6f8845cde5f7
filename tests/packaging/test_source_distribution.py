"""The source distribution holds the whole repository, so that training and results can be reproduced from it."""

import tarfile
from pathlib import Path

import pytest

from tests.packaging.conftest import build_sdist


@pytest.fixture(scope="module")
def names(checkout):
    """The files of the source distribution."""
    (checkout / "runs").mkdir()
    (checkout / "runs" / "model.safetensors").write_bytes(b"somebody's own run")
    with tarfile.open(build_sdist(checkout)) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


def test_every_tracked_file_is_in_the_source_distribution(tracked, names):
    assert sorted(set(tracked) - names) == []


def test_nothing_else_is_but_what_the_build_adds(tracked, names):
    folders = {str(parent) for name in tracked for parent in Path(name).parents} | {""}
    added = {name for name in names - set(tracked) - folders if "egg-info" not in name}
    assert added == {"PKG-INFO", "setup.cfg"}
