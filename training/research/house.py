"""Measure the source: sizes, names, imports; check that names say something and that tests assert something.

    python -m training.research house
    python -m training.research house --root ../older --no-run
    python -m training.research house --write
    python -m training.research house --check

The table is for comparison with other projects: tests have a row of their own. `--check` prints each place that
breaks a rule; the exit status is 1 if there is one.
"""

from __future__ import annotations

import argparse
import ast
import collections
import io
import json
import os
import subprocess
import sys
import tempfile
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from rfop_env.markdown import markdown_table
from rfop_env.testing.marked_block import print_measured
from training.research import ROOT
from training.research.source_rules import VAGUE, broken_rules

PAGE, BLOCK = "CONTRIBUTING.md", "house"
PRODUCT = ("rfop_env", "agents/rfop_agents", "training/rfop_training")
PARTS = (
    "rfop_env",
    "rfop_env/compiler",
    "rfop_env/core",
    "rfop_env/games",
    "rfop_env/interfaces",
    "agents/rfop_agents",
    "training/rfop_training",
    "training/research",
    "tests",
)
BLOCKS = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.Match)
COLUMNS = (
    "", "files", "code lines", "function p50", "function p90", "function max", "arguments p99", "nesting p90",
    "imports p50", "imports p90", "docstrings", "comments", "columns p90", "vague names", "`x_of`", "`fmt: skip`",
)  # fmt: skip
PPO = "rfop_training.ppo"
PPO_RUN = """
import json, os, sys, tempfile, threading
files = set()
def note(frame, event, argument):
    files.add(frame.f_code.co_filename)
from rfop_env.cli.main import main
import {module}
threading.setprofile(note)
sys.setprofile(note)
with tempfile.TemporaryDirectory() as folder:
    main(["train", "ppo", "--env", "Revolution-v0", "--run", folder + "/run", "--steps", "2000", "--num-envs", "16",
          "--num-steps", "32", "--minibatch-size", "256", "--width", "8", "--evaluate-deals", "2", "--quiet"])
sys.setprofile(None)
print(json.dumps(sorted(files)))
"""


@dataclass(frozen=True)
class Source:
    """A file of Python."""

    path: Path

    @cached_property
    def text(self) -> str:
        """Its source text."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        """Its syntax tree."""
        return ast.parse(self.text)

    @cached_property
    def functions(self) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        """Its functions and methods."""
        return [node for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]

    @cached_property
    def docstring_lines(self) -> set[int]:
        """The numbers of the lines of its docstrings."""
        lines: set[int] = set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                first = node.body[0] if node.body else None
                if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                    lines |= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
        return lines

    @cached_property
    def code_lines(self) -> int:
        """The number of lines with code: no blank one, no comment, no docstring."""
        lines: set[int] = set()
        for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
            if token.type not in NO_CODE:
                lines |= set(range(token.start[0], token.end[0] + 1))
        return len(lines - self.docstring_lines)

    @property
    def imported_names(self) -> int:
        """The number of names that it imports at its top."""
        return sum(len(node.names) for node in self.tree.body if isinstance(node, ast.Import | ast.ImportFrom))


NO_CODE = (
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
)  # fmt: skip


def read_sources(folder: Path) -> list[Source]:
    """The files of a folder and those below it."""
    return [Source(path) for path in sorted(folder.rglob("*.py"))]


def nesting(function: ast.AST) -> int:
    """How deep blocks stand inside each other in a function."""
    depth = 0
    for node in ast.iter_child_nodes(function):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            depth = max(depth, nesting(node) + isinstance(node, BLOCKS))
    return depth


def percentile(values: Sequence[int], share: int) -> int:
    """A percentile of whole numbers, 0 of none."""
    return int(np.percentile(values, share)) if values else 0


def assigned_names(sources: Sequence[Source]) -> Iterator[str]:
    """Every name that is assigned to."""
    for source in sources:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


def measure_part(name: str, sources: Sequence[Source]) -> list[str]:
    """The row of a folder."""
    functions = [function for source in sources for function in source.functions]
    lengths = [(function.end_lineno or 0) - function.lineno + 1 for function in functions]
    arguments = [len(f.args.posonlyargs + f.args.args + f.args.kwonlyargs) for f in functions]
    imports = [source.imported_names for source in sources]
    lines = [line for source in sources for line in source.text.splitlines()]
    docstrings = sum(len(source.docstring_lines) for source in sources)
    comments = sum(line.lstrip().startswith("#") for line in lines)
    names = list(assigned_names(sources))
    vague = sum(name in VAGUE for name in names)
    figures = [
        len(sources),
        sum(source.code_lines for source in sources),
        percentile(lengths, 50),
        percentile(lengths, 90),
        max(lengths, default=0),
        percentile(arguments, 99),
        percentile([nesting(function) for function in functions], 90),
        percentile(imports, 50),
        percentile(imports, 90),
    ]
    return [
        name,
        *(f"{figure:,}" for figure in figures),
        f"{docstrings / max(1, len(lines)):.1%}",
        f"{comments / max(1, len(lines)):.1%}",
        str(percentile([len(line) for line in lines if line], 90)),
        f"{vague / max(1, len(names)):.2%}",
        str(sum(function.name.endswith("_of") for function in functions)),
        str(sum(line.rstrip().endswith("# fmt: skip") for line in lines)),
    ]


def repeated_classes(sources: Sequence[Source]) -> dict[str, list[Path]]:
    """The names that several classes have, with their files."""
    places: dict[str, list[Path]] = collections.defaultdict(list)
    for source in sources:
        for node in source.tree.body:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(source.path)
    return {name: paths for name, paths in places.items() if len(paths) > 1}


def run_python(root: Path, program: str) -> list[str]:
    """The last line that a program prints, as JSON, with the packages of a checkout and rules in plain Python."""
    folders = os.pathsep.join(map(str, (root, root / "agents", root / "training")))
    with tempfile.TemporaryDirectory() as folder:
        output = subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONPATH": folders, "RFOP_JIT": "0"},
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
        )
    files: list[str] = json.loads(output.stdout.splitlines()[-1])
    return files


def ppo_files(root: Path) -> tuple[int, int, int]:
    """Files that the import of PPO loads, files that a run enters, and those of them in the training package."""
    loaded = run_python(
        root, f"import {PPO}, sys, json; print(json.dumps([m for m in sys.modules if m.startswith('rfop_')]))"
    )
    packages = tuple(f"{root / part}{os.sep}" for part in PRODUCT)  # not those of an environment within the checkout
    entered = [name for name in run_python(root, PPO_RUN.format(module=PPO)) if name.startswith(packages)]
    return len(loaded), len(entered), sum("/rfop_training/" in name for name in entered)


def house_table(root: Path, with_run: bool = True) -> str:
    """The table of a checkout in Markdown, and the figures of the whole below it."""
    rows = [measure_part(part, read_sources(root / part)) for part in PARTS if (root / part).is_dir()]
    table = markdown_table(COLUMNS, rows, right=range(1, len(COLUMNS)))

    sources = [source for part in PRODUCT for source in read_sources(root / part)]
    wholes = [
        f"* code lines of the product: {sum(source.code_lines for source in sources):,}",
        f"* code lines of the tests: {sum(source.code_lines for source in read_sources(root / 'tests')):,}",
        f"* imported names of a file at the median: {percentile([s.imported_names for s in sources], 50)}",
        f"* names that several classes have: {len(repeated_classes(sources))}",
    ]
    if with_run:
        loaded, entered, trainer = ppo_files(root)
        wholes += [
            f"* files that the import of the command `train ppo` loads: {loaded}",
            f"* files that a run of PPO enters: {entered}, {trainer} of them in `rfop_training`",
        ]
    return "\n".join([table, "", *wholes])


# -- the command -------------------------------------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--root", type=Path, default=ROOT, metavar="FOLDER", help="checkout (default: this one)")
    parser.add_argument("--no-run", action="store_true", help="do not train: leave out the files of a run")
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE}")
    parser.add_argument("--check", action="store_true", help="print the places that break a rule instead")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    root = args.root.resolve()
    if args.check:
        places = broken_rules(root)
        print("\n".join(places) or "no rule is broken")
        return 1 if places else 0
    print_measured(lambda: house_table(root, not args.no_run), BLOCK, root / PAGE if args.write else None)
    return 0
