"""The examples of pages that need other libraries, each run alone."""

from __future__ import annotations

import importlib.util

import pytest

from tests.docs.code_blocks import find_blocks, run_alone
from rfop_env.cli.main import main as rfop

pytestmark = pytest.mark.libraries
EXAMPLES = {
    name: source
    for page in ("interfaces", "play", "train")
    for name, source in find_blocks(f"docs/{page}.md", "py").items()
    if "cuda" not in source  # test_cuda.py
}
LIBRARIES = ("h5py", "minari", "optuna", "pandas", "polars", "pufferlib", "pyspiel", "textarena", "torchrl", "wandb")


@pytest.fixture(scope="module")
def data_sets(tmp_path_factory):
    """A folder with the data set that the page about data sets records."""
    folder = tmp_path_factory.mktemp("data_sets")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MINARI_DATASETS_PATH", str(folder))
        assert rfop(["dataset", "revolution-scripted-v0", "scripted", "--env", "Revolution-v0", "--games", "2"]) == 0
    return folder


@pytest.mark.parametrize("source", EXAMPLES.values(), ids=EXAMPLES)
def test_a_block_runs_alone(source, tmp_path, request):
    missing = [name for name in LIBRARIES if name in source and importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} not installed")
    variables = {}
    if "minari" in source:
        variables["MINARI_DATASETS_PATH"] = str(request.getfixturevalue("data_sets"))
    assert run_alone(source, tmp_path, **variables)
