"""Optional packages: one sentence says that one is not installed, another that it is and cannot be imported."""

import ast
import importlib
import re
import sys
import tomllib
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import SimpleNamespace

import pytest

from rfop_env.core.errors import BadArgument, BrokenExtra, MissingExtra, extra

ROOT = Path(__file__).parents[2]
FOLDERS = ("rfop_env", "agents", "training")
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


def imported(name):
    """A call that imports a module anew."""

    def call(monkeypatch):
        monkeypatch.delitem(sys.modules, name, raising=False)
        importlib.import_module(name)

    return call


def called(name, *arguments):
    """A call of a function, by its module and name, without what it remembers."""

    def call(monkeypatch):
        module, function = name.rsplit(".", 1)
        target = getattr(importlib.import_module(module), function)
        getattr(target, "__wrapped__", target)(*arguments)

    return call


def collected(monkeypatch):
    bench = importlib.import_module("training.research.speed.bench_recording")
    monkeypatch.setattr(bench.minari_files, "require_minari", lambda: None)
    bench.collected(1, Path())


def searched_on_a_card(monkeypatch):
    agent = importlib.import_module("rfop_agents.search.agent")
    monkeypatch.setattr(agent, "require_device", lambda: None)
    agent.forests_on("cuda")


def built(monkeypatch):
    importlib.import_module("training.research.site.build_site").run(SimpleNamespace(out=Path()))


# The file of a guard: its extra, one of the extra's modules, and what imports it.
GUARDS = {
    "agents/rfop_agents/network.py": ("train", "safetensors", called("rfop_agents.network.read_network", Path("none"))),
    "agents/rfop_agents/search/agent.py": ("train", "torch", searched_on_a_card),
    "rfop_env/core/cuda/device.py": ("cuda", "numba_cuda", called("rfop_env.core.cuda.device.require_compiler")),
    "rfop_env/drawing/pixels.py": ("render", "resvg_py", called("rfop_env.drawing.pixels._pixels", "<svg/>")),
    "rfop_env/interfaces/openspiel_game.py": ("openspiel", "pyspiel", imported("rfop_env.interfaces.openspiel_game")),
    "rfop_env/interfaces/pufferlib_env.py": ("pufferlib", "pufferlib", imported("rfop_env.interfaces.pufferlib_env")),
    "rfop_env/interfaces/rllib/module.py": ("ray", "torch", imported("rfop_env.interfaces.rllib.module")),
    "rfop_env/interfaces/rllib/multi_agent.py": ("ray", "ray", imported("rfop_env.interfaces.rllib.multi_agent")),
    "rfop_env/interfaces/rllib/runner.py": ("ray", "torch", imported("rfop_env.interfaces.rllib.runner")),
    "rfop_env/interfaces/sb3_vec_env.py": ("sb3", "stable_baselines3", imported("rfop_env.interfaces.sb3_vec_env")),
    "rfop_env/interfaces/textarena_env.py": ("textarena", "textarena", imported("rfop_env.interfaces.textarena_env")),
    "rfop_env/interfaces/torchrl_env.py": ("torchrl", "torch", imported("rfop_env.interfaces.torchrl_env")),
    "rfop_env/mcp/tools.py": ("mcp", "mcp", called("rfop_env.mcp.tools.make_server")),
    "rfop_env/notebook/board.py": ("notebook", "anywidget", imported("rfop_env.notebook.board")),
    "rfop_env/web/serve.py": ("play", "uvicorn", called("rfop_env.web.serve.run", SimpleNamespace())),
    "training/rfop_training/common/cluster.py": ("ray", "ray", called("rfop_training.common.cluster.require_ray")),
    "training/research/site/build_site.py": ("docs", "furo", built),
    "training/research/speed/bench_recording.py": ("minari", "jax", collected),
    "training/rfop_training/datasets/minari_files.py": (
        "minari",
        "h5py",
        called("rfop_training.datasets.minari_files.require_minari"),
    ),
}


class Finder:
    """A finder and loader of one module, whose import ends in an error."""

    def __init__(self, module, error):
        self.module, self.error = module, error

    def find_spec(self, name, path=None, target=None):
        return ModuleSpec(name, self) if name == self.module else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        raise self.error


def fail_with(monkeypatch, module, error):
    """Let every import of a module, or of a part of it, end in an error."""
    for name in [name for name in sys.modules if name.split(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Finder(module, error), *sys.meta_path])


guards = pytest.mark.parametrize(("name", "module", "call"), GUARDS.values(), ids=GUARDS)


@guards
def test_a_package_that_is_not_installed_is_named_with_its_extra_and_a_command(name, module, call, monkeypatch):
    fail_with(monkeypatch, module, ModuleNotFoundError(f"No module named {module!r}", name=module))
    with pytest.raises(MissingExtra) as caught:
        call(monkeypatch)
    assert re.search(rf" needs {module}, of the extra `{name}`: pip install \S", str(caught.value))
    assert isinstance(caught.value.__cause__, ModuleNotFoundError) and name in EXTRAS


@guards
def test_a_package_that_cannot_be_imported_says_why(name, module, call, monkeypatch):
    for error in [
        ImportError("libbroken.so.1: cannot open shared object file"),
        ModuleNotFoundError("No module named 'inner'", name="inner"),
        OSError("undefined symbol: cudaGraphLaunch"),
    ]:
        fail_with(monkeypatch, module, error)
        with pytest.raises(BrokenExtra) as caught:
            call(monkeypatch)
        assert f"`{name}`, which is installed but cannot be imported ({type(error).__name__}: {error})" in str(
            caught.value
        )
        assert "pip install " in str(caught.value) and caught.value.__cause__ is error


def test_every_guard_is_in_the_table():
    calls = re.compile(r"^\s*(?:with|return) (?:errors\.)?extra\(", re.MULTILINE)
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    files_with_guards = {
        path.relative_to(ROOT).as_posix() for path in files if calls.search(path.read_text(encoding="utf-8"))
    }
    assert files_with_guards == set(GUARDS)


# What goes on without a package, or with an older one, and hides no error of an import: it tells it, or has none.
OTHERS = {
    "rfop_env/command_line.py",
    "rfop_env/process_pool.py",
    "rfop_env/registry.py",
    "training/rfop_training/__init__.py",
    "training/rfop_training/run.py",
    "training/research/peers.py",
}


def test_no_other_place_catches_the_error_of_an_import():
    paths = set()
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ExceptHandler) and node.type is not None:
                    if {"ImportError", "ModuleNotFoundError"} & {n.id for n in ast.walk(node.type) if hasattr(n, "id")}:
                        paths.add(path.relative_to(ROOT).as_posix())
    assert paths == OTHERS


def test_an_error_of_our_own_passes_through():
    with pytest.raises(BadArgument, match="ours"), extra("play", "a page", "uvicorn"):
        raise BadArgument("ours")
