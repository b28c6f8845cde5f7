"""The places of a game's source that a mutant changes: one number, operator or comparison at a time."""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from training.research import ROOT

GAMES = ROOT / "rfop_env" / "games"

# Modules without rules, by name. Every other module of a game holds rules, or tables that they read.
LEFT_OUT = {
    "__init__": "holds nothing",
    "actions": "ids and labels of the actions; the documentation shows them",
    "card_language": "reads the text of component files; tests/games/mutants.py changes those",
    "component_set": "reads component files; tests/games/mutants.py changes those",
    "components": "layout of the component record",
    "problems": "a second account of the rules, which the tests compare with the first",
    "frames": "names and bounds of what can be pending; random play checks them",
    "journal": "what happened, in sentences",
    "limits": "bounds that the rules keep; random play checks them",
    "odds": "what an action does, in sentences; tests/test_seat_view.py compares them with the rules",
    "scripted": "the scripted player; tests/goldens/mutants.py changes every place of it",
    "state": "layout of the state record and the bounds of its fields; random play checks them",
}

SWAPS: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.Lt: ast.LtE, ast.LtE: ast.Lt,
    ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
NAMES = {"max": "min", "min": "max"}
RULE_MARKS = {"rule", "small_rule"}


class Place(NamedTuple):
    """One mutant of a module. The text tells it from others, so that it is the same after its line has moved."""

    module: str
    function: str  # at the top level of the module; "" for what stands outside of functions
    line: int
    text: str  # of the line, stripped
    change: str
    occurrence: int  # 0 unless the same text has the same change more than once in this function
    number: int  # among the places of its module
    in_rule: bool  # in the body of a function marked `@rule`, which runs when a game is played and never before

    @property
    def key(self) -> tuple[str, str, str, str, int]:
        """What tells it from all other places of its game."""
        return self.module, self.function, self.text, self.change, self.occurrence


def modules_with_rules(folder: str) -> list[str]:
    """The modules of a game that mutants are made of, sorted."""
    return sorted({path.stem for path in (GAMES / folder).glob("*.py")} - set(LEFT_OUT))


def read_source(folder: str, module: str) -> str:
    """The text of a game's module."""
    return (GAMES / folder / f"{module}.py").read_text(encoding="utf-8")


def find_places(folder: str) -> list[Place]:
    """Every place of a game's rules."""
    return [place for module in modules_with_rules(folder) for place in places_in(read_source(folder, module), module)]


def places_in(source: str, module: str = "") -> Iterator[Place]:
    """Every place of a source, in the order of `mutated`."""
    lines, occurrences = source.splitlines(), Counter[tuple[str, str, str]]()
    for number, (statement, node, change, _) in enumerate(_changeable(ast.parse(source))):
        function = statement.name if isinstance(statement, ast.FunctionDef | ast.ClassDef) else ""
        text = lines[node.lineno - 1].strip()
        key = (function, text, change)
        in_rule = _is_rule(statement) and node.lineno >= statement.body[0].lineno
        yield Place(module, function, node.lineno, text, change, occurrences[key], number, in_rule)
        occurrences[key] += 1


def mutated(source: str, number: int) -> ast.Module:
    """A source with its place `number` changed."""
    tree = ast.parse(source)
    _, _, _, apply = list(_changeable(tree))[number]
    apply()
    return ast.fix_missing_locations(tree)


def draw(places: list[Place], count: int, seed: int) -> list[Place]:
    """So many of the places, from each module as many as its share of all, always the same ones of a seed.

    A place is drawn by the digest of its key: where lines are added or changed, most of those drawn stay. They come
    in the order of the digests, so that what is tried of them when a run is stopped is even over modules as well.
    """
    ranked = sorted(places, key=lambda place: hashlib.sha256(repr((seed, *place.key)).encode()).digest())
    shares = quotas(Counter(place.module for place in places), count)
    sample, chosen_counts = [], Counter[str]()
    for place in ranked:
        if chosen_counts[place.module] < shares[place.module]:
            chosen_counts[place.module] += 1
            sample.append(place)
    return sample


def quotas(sizes: dict[str, int], count: int) -> dict[str, int]:
    """Share a number out in proportion to sizes, none more than there is; largest remainders first."""
    total = sum(sizes.values())
    count = min(count, total)
    shares = {name: count * size // total for name, size in sizes.items()}
    by_remainder = sorted(sizes, key=lambda name: (-(count * sizes[name] % total), name))
    for name in by_remainder[: count - sum(shares.values())]:
        shares[name] += 1
    return shares


def _is_rule(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.FunctionDef) and any(
        isinstance(mark, ast.Name) and mark.id in RULE_MARKS for mark in statement.decorator_list
    )


def _changeable(tree: ast.Module) -> Iterator[tuple[Any, Any, str, Callable[[], None]]]:
    """What a mutant can change: the statement at top level, the node, the change in words, and what makes it."""
    for statement in tree.body:
        empty = {id(number) for node in ast.walk(statement) for number in _empty_numbers(node)}
        for node in ast.walk(statement):
            if id(node) not in empty and (change := _find_change(node)):
                yield statement, node, *change


def _empty_numbers(node: ast.AST) -> list[ast.expr]:
    """The zeros that end `note(s, KIND, a, b, c)`: a note has three numbers, and the sentences of most leave some out.

    The first number is never taken for an empty one.
    """
    numbers: list[ast.expr] = []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "note":
        for number in reversed(node.args[3:]):
            if not isinstance(number, ast.Constant) or number.value != 0:
                break
            numbers.append(number)
    return numbers


def _find_change(node: ast.AST) -> tuple[str, Callable[[], None]] | None:
    if isinstance(node, ast.BinOp | ast.AugAssign | ast.BoolOp) and type(node.op) in SWAPS:
        return f"operator of {ast.unparse(node)!r}", _setter(node, "op", SWAPS[type(node.op)]())
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        ops = [SWAPS[type(node.ops[0])](), *node.ops[1:]]
        return f"comparison {ast.unparse(node)!r}", _setter(node, "ops", ops)
    if isinstance(node, ast.Name) and node.id in NAMES:
        return f"{node.id} to {NAMES[node.id]}", _setter(node, "id", NAMES[node.id])
    if isinstance(node, ast.Constant) and type(node.value) is int:
        value = node.value + max(1, abs(node.value) // 2)
        return f"{node.value} to {value}", _setter(node, "value", value)
    return None


def _setter(node: ast.AST, field: str, value: Any) -> Callable[[], None]:
    return lambda: setattr(node, field, value)
