"""Rules that no linter has: no name that says nothing, no two classes of one name, no test that asserts nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

WORDS = """
found given known shown chosen kept told made wrong one whole rest before after now then few more most others other
said asked taken held left many each all_ both those these this that played listed wanted named seen drawn judged looked
begun ended started written used needed left_over offered paid read_ done_ ours theirs nobody_
"""
VAGUE = frozenset(WORDS.split())
PRODUCT = ("rfop_env", "agents/rfop_agents", "training/rfop_training")
FOLDERS = ("rfop_env", "agents", "training", "tests", "examples")
UNFINISHED = (  # files that begin so may have vague names
    "agents/rfop_agents/board_network.py",
    "agents/rfop_agents/network.py",
    "rfop_env/core/",
    "rfop_env/testing/",
    "tests/",
)
FIXED_IMPORTS = ("tests/",)  # and these imports that the formatter may not lay out
GAMES = "rfop_env/games/"  # games have the same parts under the same names
SAME = ("BoardNetwork", "Components", "Player", "State")  # classes of the product that share a name
CHECKS = ("assert_", "check_", "expect_", "require_")  # how helpers begin that fail where something is wrong
RAISES = (
    "pytest.raises",
    "pytest.warns",
    "pytest.fail",
    "pytest.deprecated_call",
    "run_state_machine_as_test",
    "render_test",
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


def broken_rules(root: Path) -> list[str]:
    """Every place of a checkout that breaks a rule, as "file:line: what"."""
    return [*vague_names(root), *same_classes(root), *fixed_imports(root), *tests_without_assert(root)]


def parse_folder(root: Path, folder: str) -> Iterator[tuple[str, str, ast.Module]]:
    """The files of a folder: name below the root, text and syntax tree."""
    for path in sorted((root / folder).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        yield path.relative_to(root).as_posix(), text, ast.parse(text)


# -- names -------------------------------------------------------------------------------------------------------------


def vague_names(root: Path) -> list[str]:
    """Variables, parameters and functions whose name says nothing; fields of a class are data, which may be older."""
    places = []
    for folder in FOLDERS:
        for file, _, tree in parse_folder(root, folder):
            if file.startswith(UNFINISHED):
                continue
            nodes = list(ast.walk(tree))
            fields = {place for node in nodes for place in class_fields(node)}
            names = {(getattr(node, "lineno", 0), bound_name(node)) for node in nodes}
            vague = sorted(place for place in names - fields if place[1] in VAGUE)
            places += [f"{file}:{line}: {name} says nothing" for line, name in vague]
    return places


def bound_name(node: ast.AST) -> str:
    """The name that a node binds, or an empty text."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return node.id
    if isinstance(node, ast.arg):
        return node.arg
    return node.name if isinstance(node, Function) else ""


def class_fields(node: ast.AST) -> Iterator[tuple[int, str]]:
    """The lines and names of the fields that the body of a class declares."""
    for part in node.body if isinstance(node, ast.ClassDef) else ():
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            yield part.lineno, part.target.id


def same_classes(root: Path) -> list[str]:
    """Classes of the product that have the name of another one."""
    first: dict[str, str] = {}
    places = []
    for folder in PRODUCT:
        for file, _, tree in parse_folder(root, folder):
            if file.startswith(GAMES):
                continue
            for node in tree.body:
                if not isinstance(node, ast.ClassDef) or node.name in SAME:
                    continue
                if first.setdefault(node.name, file) != file:
                    places.append(f"{file}:{node.lineno}: a class {node.name} is in {first[node.name]}, too")
    return places


def fixed_imports(root: Path) -> list[str]:
    """Imports that the formatter may not lay out."""
    places = []
    for folder in FOLDERS:
        for file, text, tree in parse_folder(root, folder):
            if file.startswith(FIXED_IMPORTS):
                continue
            lines = text.splitlines()
            for node in tree.body:
                if isinstance(node, ast.Import | ast.ImportFrom) and "# fmt: skip" in lines[(node.end_lineno or 1) - 1]:
                    places.append(f"{file}:{node.lineno}: import modules, not so many names")
    return places


# -- tests -------------------------------------------------------------------------------------------------------------


def tests_without_assert(root: Path) -> list[str]:
    """Tests that assert nothing, and those that can return before they do."""
    files = list(parse_folder(root, "tests"))
    functions = [(file, node) for file, _, tree in files for node in ast.walk(tree) if isinstance(node, Function)]
    asserting = asserting_functions([node for _, node in functions])
    places = []
    for file, node in functions:
        if not node.name.startswith("test_") or not Path(file).name.startswith("test_"):
            continue
        if not asserts(node, asserting):
            places.append(f"{file}:{node.lineno}: {node.name} asserts nothing")
        elif line := early_return(node, asserting):
            places.append(f"{file}:{line}: {node.name} returns before it has asserted anything")
    return places


def asserting_functions(functions: list[Function]) -> set[str]:
    """The names of the functions that assert something, themselves or by a call."""
    asserting: set[str] = set()
    while True:
        names = {node.name for node in functions if asserts(node, asserting)} | asserting
        if names == asserting:
            return names
        asserting = names


def asserts(node: ast.AST, asserting: set[str]) -> bool:
    """Whether an assertion stands in a piece of code, or a call of one of these functions or of a check."""
    for part in ast.walk(node):
        if isinstance(part, ast.Assert):
            return True
        if isinstance(part, ast.Call):
            called = ast.unparse(part.func)
            name = called.rpartition(".")[2].lstrip("_")
            if called in RAISES or name in asserting or name.startswith(CHECKS):
                return True
        if isinstance(part, ast.Raise) and "AssertionError" in ast.unparse(part):
            return True
    return False


def early_return(node: Function, asserting: set[str]) -> int:
    """The line of a `return` in front of every assertion of a test; 0 where there is none."""
    for statement in node.body:
        if isinstance(statement, ast.If) and isinstance(statement.body[-1], ast.Return):
            if not asserts(statement, asserting):
                return statement.body[-1].lineno
        if asserts(statement, asserting):
            return 0
    return 0
