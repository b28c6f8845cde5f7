"""Imports run one way: interfaces, registry, games, core, compiler; agents and training use it, no game another."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TRAINERS = r"(rfop_agents|rfop_training|training|torch|stable_baselines3|sb3_contrib)\b"
INTERFACES = r"gymnasium\b|pettingzoo\b"
# What stands above games and interfaces.
UPPER = "browser|mcp|notebook|replays|players|game_setup|seat_view|testing|web|cli"
AGENTS = r"rfop_(agents|training)\b"
FORBIDDEN = {  # files that begin so: what they never import
    "rfop_env/compiler/": r"rfop_env\.(?!compiler\b|core\.(arguments|errors|files)\b)",
    "rfop_env/core/": rf"rfop_env\.(games|interfaces|registry|{UPPER})\b|{INTERFACES}|{TRAINERS}",
    "rfop_env/games/": rf"rfop_env\.(interfaces|registry|{UPPER})\b|{INTERFACES}|{TRAINERS}",
    "rfop_env/browser/": rf"rfop_env\.(games|interfaces|mcp|notebook|replays|testing|cli)\b|{AGENTS}",
    "rfop_env/web/": rf"rfop_env\.(browser|games|interfaces|mcp|notebook|testing|cli)\b|{AGENTS}",
    "rfop_env/interfaces/": rf"rfop_env\.(browser|games|mcp|notebook|replays|testing|web|cli)\b|{AGENTS}",
    "rfop_env/replays/": r"rfop_env\.(browser|games|interfaces|mcp|notebook|players|testing|web|cli)\b",
    "rfop_env/": r"(rfop_agents|rfop_training|training|tests)\b",
    "agents/": r"(rfop_training|training|tests)\b",
    "training/rfop_training/": r"(training|tests)\b",  # nothing that is not installed
    "training/research/": r"tests\b",
    "training/rfop_training/common/": r"rfop_training\.(?!common\b)",
    "training/rfop_training/evaluation/": r"rfop_training\.(?!(common|evaluation)\b)",
    "training/rfop_training/run_arguments.py": r"rfop_training\b",
    "training/rfop_training/networks.py": r"rfop_training\.(?!input_scale\b)",
    "training/rfop_training/run.py": r"rfop_training\.(?!(common|evaluation|run_arguments)\b)",
    "training/rfop_training/game_groups.py": r"rfop_training\.(?!(evaluation|networks|run|run_arguments)\b)",
    "training/rfop_training/ppo.py": r"rfop_training\.(?!(game_groups|networks|run|run_arguments)\b)",
    "training/rfop_training/expert_iteration.py": r"rfop_training\.(ppo|maskable|training)\b",
    "training/rfop_training/figures/": r"rfop_training\.(?!(common|evaluation|figures|run)\b)",
    "examples/": r"(rfop_training|training|tests)\b",
    "examples/liars_dice.py": r"rfop_agents\b",
}
COMPUTED = "(a computed name)"  # of a dynamic import
NAMED_ELSEWHERE = (  # they import what a table or a user names
    "rfop_env/command_line.py",
    "rfop_env/registry.py",
    "training/rfop_training/__init__.py",
    "training/rfop_training/training.py",
    "training/research/mutation/trial.py",
)
GAME = re.compile(r"rfop_env/games/(\w+)/")


def file_imports(path, source):
    """The full names of all modules that a file imports, inside functions too, and by `import_module` of a text."""
    package = Path(path).parent.parts
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = [*package[: len(package) - node.level + 1]] if node.level else []
            module = ".".join([*base, *filter(None, [node.module])])
            yield from (f"{module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in ("import_module", "__import__"):
            name = node.args[0].values[0] if isinstance(node.args[0], ast.JoinedStr) else node.args[0]
            yield ast.literal_eval(name) if isinstance(name, ast.Constant) else COMPUTED


def backward_imports(path, source):
    """The imports of a file that run against the arrows."""
    forbidden = [pattern for folder, pattern in FORBIDDEN.items() if path.startswith(folder)]
    if game := GAME.match(path):
        forbidden.append(rf"rfop_env\.games\.(?!{game[1]}\b)")
    return [
        name
        for name in file_imports(path, source)
        if any(re.match(pattern, name) for pattern in forbidden) or (name == COMPUTED and path not in NAMED_ELSEWHERE)
    ]


@pytest.mark.parametrize("folder", ["rfop_env", "agents", "training", "examples"])
def test_imports_run_one_way(folder):
    files = list((ROOT / folder).rglob("*.py"))
    assert files
    for path in files:
        name = path.relative_to(ROOT).as_posix()
        assert backward_imports(name, path.read_text(encoding="utf-8")) == [], name
