"""Every question has its branch in every chain that serves it; one without a branch sets the fault.

Red Flag Over Paris and Paris make their chains from a table (`core/chains.py`), which is checked at import.
"""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

pytestmark = pytest.mark.plain

# Games that ask one thing at a time, in the field `question`.
QUESTION_CHAINS = [(game, function) for game in ("levee_en_masse", "revolution") for function in ("legal", "apply")]


def game_module(game: str, name: str) -> ModuleType:
    return importlib.import_module(f"rfop_env.games.{game}.{name}")


def branch_chain(turn: ModuleType, function: str) -> tuple[list[str], str]:
    """The conditions of a function's one chain of branches, and what its last branch does."""
    tree = ast.parse(Path(str(turn.__file__)).read_text(encoding="utf-8"))
    body = next(node.body for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == function)
    (branch,) = [node for node in body if isinstance(node, ast.If)]
    conditions = []
    while True:
        conditions.append(ast.unparse(branch.test))
        if len(branch.orelse) != 1 or not isinstance(branch.orelse[0], ast.If):
            return conditions, "\n".join(ast.unparse(node) for node in branch.orelse)
        branch = branch.orelse[0]


def takes(turn: ModuleType, conditions: list[str], kind: int) -> int:
    """The number of the branch that a kind, question or action takes; that of the last one if no condition holds."""
    names = vars(turn) | {"kind": kind, "action": kind, "s": SimpleNamespace(question=kind)}
    return next((i for i, test in enumerate(conditions) if eval(test, names)), len(conditions))


@pytest.mark.parametrize(("game", "function"), QUESTION_CHAINS)
def test_every_question_has_its_branch(game, function):
    state, turn = game_module(game, "state"), game_module(game, "turn")
    conditions, last = branch_chain(turn, function)
    assert last == "s.fault = 1"

    questions = range(len(state.QUESTION_NAMES))
    assert {takes(turn, conditions, question) for question in questions} == set(range(len(conditions)))
    assert takes(turn, conditions, len(questions)) == len(conditions)


def test_every_action_of_levee_has_its_branch():
    actions, turn = game_module("levee_en_masse", "actions"), game_module("levee_en_masse", "turn")
    conditions, last = branch_chain(turn, "answer_action")
    assert last == "s.fault = 1"

    elsewhere = {actions.COMMIT_BONUS, actions.RESERVES, actions.ACCEPT, actions.END}  # answers to a roll; the end
    without = {row.id for row in actions.ACTIONS if takes(turn, conditions, row.id) == len(conditions)}
    assert without == elsewhere
    assert {takes(turn, conditions, row.id) for row in actions.ACTIONS} == set(range(len(conditions) + 1))


@pytest.mark.parametrize("game", ["paris", "red_flag_over_paris"])
def test_kinds_are_numbered_without_a_gap(game):
    frames = game_module(game, "frames")
    assert list(frames.FRAMES) == list(range(1, len(frames.FRAMES) + 1))
    assert len(frames.QUESTION_NAMES) == frames.QUESTIONS == frames.LAST_QUESTION + 1
