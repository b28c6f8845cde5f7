"""The syntax tree of a Python function as MicroPython can read it: each global name resolved, foreign constructs gone.

MicroPython differs in silence, too: there `True` is no `int`, and a function sees its further keywords (`**values`) in
no order.
"""

from __future__ import annotations

import ast
import builtins
import copy
import functools
import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any
from xml.sax import saxutils

from rfop_env.core.errors import RfopError

Function = ast.FunctionDef | ast.Lambda

KNOWN_SYNTAX = (
    *(ast.FunctionDef, ast.Lambda, ast.arguments, ast.arg, ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign),
    *(ast.For, ast.While, ast.If, ast.With, ast.withitem, ast.Raise, ast.Try, ast.ExceptHandler, ast.Assert, ast.Expr),
    *(
        ast.Pass,
        ast.Break,
        ast.Continue,
        ast.Delete,
        ast.Nonlocal,
        ast.BoolOp,
        ast.NamedExpr,
        ast.BinOp,
        ast.UnaryOp,
        ast.IfExp,
    ),
    *(ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.Yield),
    *(
        ast.YieldFrom,
        ast.Compare,
        ast.Call,
        ast.keyword,
        ast.JoinedStr,
        ast.Constant,
        ast.Attribute,
        ast.Subscript,
        ast.Starred,
    ),
    *(ast.Name, ast.List, ast.Tuple, ast.Slice, ast.boolop, ast.operator, ast.unaryop, ast.cmpop, ast.expr_context),
)
METHODS = ("capitalize", "lower", "removeprefix", "removesuffix", "upper")  # of texts, in the runtime as `str_lower`
BARE_METHODS = ("lstrip", "rstrip", "split", "strip")  # and these where they are called without an argument
ABSENT_METHODS = """
as_integer_ratio bit_count bit_length casefold expandtabs fromkeys isalnum isascii isdecimal isidentifier isnumeric
isprintable istitle ljust maketrans rjust splitlines swapcase title translate zfill
"""
FIXED_FORMAT = re.compile(r"\.(\d+)f")
NUMBER_FORMAT = re.compile(r"[-+ ]?\d*d")
TEXT_FORMAT = re.compile(r"([<>^]\d+)?")
LOAD = ast.Load()
UNRESOLVED = object()


class BadSource(RfopError, TypeError):
    """A construct or a value that MicroPython has no word for; the message names file, line and construct."""


@functools.cache
def _file_functions(file: str) -> dict[tuple[int, str], list[Function]]:
    """The functions of a file by the line where they begin, and their name."""
    functions: dict[tuple[int, str], list[Function]] = {}
    for node in ast.walk(ast.parse(Path(file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            line = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            functions.setdefault((line, node.name), []).append(node)
        elif isinstance(node, ast.Lambda):
            functions.setdefault((node.lineno, "<lambda>"), []).append(node)
    return functions


def function_syntax(function: FunctionType) -> Function:
    """A copy of a function's syntax tree; of several lambdas in a line that whose body the bytecode has. `BadSource`"""
    code = function.__code__
    place = (code.co_firstlineno, code.co_name)
    nodes = _file_functions(code.co_filename).get(place, []) if Path(code.co_filename).is_file() else []
    if len(nodes) > 1:
        bodies = {(line, column) for line, _, column, _ in code.co_positions()}
        nodes = [node for node in nodes if isinstance(node, ast.Lambda) and _start(node) in bodies]
    if len(nodes) != 1:
        raise BadSource(f"{code.co_filename}:{code.co_firstlineno}: no source of {function.__qualname__}")
    return copy.deepcopy(nodes[0])


def _start(node: ast.Lambda) -> tuple[int, int]:
    """Where its body begins."""
    return node.body.lineno, node.body.col_offset


class Rewriter(ast.NodeTransformer):
    """Rewrites a function.

    `reference` gives what stands for a value of the process (the value, and a name for it), `mention` takes the name of
    every attribute that is asked for.
    """

    def __init__(
        self, function: FunctionType, reference: Callable[[Any, str], ast.expr], mention: Callable[[str], Any]
    ) -> None:
        self._refer, self._mention = reference, mention
        self._file = function.__code__.co_filename
        self._module = function.__module__.rpartition(".")[2]
        self._values = {**vars(builtins), **function.__globals__}
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self._values[name] = cell.cell_contents
        self._scopes: list[tuple[set[str], set[str]]] = []  # names that are bound there, and those of texts
        self._in_message = False

    def visit(self, node: ast.AST) -> Any:
        """The node, rewritten; `BadSource` for a construct that is not known."""
        if not isinstance(node, KNOWN_SYNTAX):
            raise self._error(node, f"{type(node).__name__}, or this emitter does not know it")
        return super().visit(node)

    def _visit_all(self, nodes: Iterable[Any]) -> list[Any]:
        return [node if node is None else self.visit(node) for node in nodes]

    def _error(self, node: Any, what: str) -> BadSource:
        return BadSource(f"{self._file}:{getattr(node, 'lineno', '?')}: MicroPython has no {what}")

    # -- scopes ----------------------------------------------------------------------------------------------------

    def definition(self, node: Function) -> ast.FunctionDef:
        """A function, also from a lambda, with a scope of its own."""
        body: Sequence[ast.stmt] = [ast.Return(node.body)] if isinstance(node, ast.Lambda) else node.body
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node, clean=False) is not None:
            body = body[1:]
        scope, arguments = _scope(node), self._arguments(node.args)
        self._scopes.append(scope)
        rewritten = self._visit_all(body) or [ast.Pass()]
        self._scopes.pop()
        return ast.FunctionDef(getattr(node, "name", "function"), arguments, rewritten, [])

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """A function in a function."""
        if node.decorator_list:
            raise self._error(node, "decorated function in a function")
        return self.definition(node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        """A lambda has a scope as well."""
        scope, arguments = _scope(node), self._arguments(node.args)
        self._scopes.append(scope)
        body = self.visit(node.body)
        self._scopes.pop()
        return ast.Lambda(arguments, body)

    def _arguments(self, node: ast.arguments) -> ast.arguments:
        """Parameters without annotations; their defaults belong to the scope outside."""
        for parameter in _parameters(node):
            parameter.annotation = None
        node.posonlyargs, node.args = [], [*node.posonlyargs, *node.args]
        node.kw_defaults, node.defaults = self._visit_all(node.kw_defaults), self._visit_all(node.defaults)
        return node

    def _visit_comprehension(self, node: Any) -> Any:
        """A comprehension; its first iterable belongs to the scope outside."""
        first = self.visit(node.generators[0].iter)
        node.generators[0].iter = ast.Constant(None)
        targets = [part for generator in node.generators for part in ast.walk(generator.target)]
        self._scopes.append(({part.id for part in targets if isinstance(part, ast.Name)}, set()))
        self.generic_visit(node)
        self._scopes.pop()
        node.generators[0].iter = first
        return node

    visit_ListComp = visit_SetComp = visit_GeneratorExp = _visit_comprehension

    # -- names -----------------------------------------------------------------------------------------------------

    def _is_local(self, name: str) -> bool:
        return any(name in scope for scope, _ in self._scopes)

    def _resolved(self, node: ast.AST) -> Any:
        """The value of a global name, or of a module's attribute; `UNRESOLVED` for anything else."""
        if isinstance(node, ast.Name) and not self._is_local(node.id):
            if node.id not in self._values:
                raise self._error(node, f"value of the name {node.id}")
            return self._values[node.id]
        if isinstance(node, ast.Attribute):
            module = self._resolved(node.value)
            return getattr(module, node.attr) if isinstance(module, ModuleType) else UNRESOLVED
        return UNRESOLVED

    def _reference(self, node: Any, value: Any, name: str) -> ast.expr:
        try:
            reference = self._refer(value, f"{self._module}__{name}")
        except BadSource as error:
            raise BadSource(f"{self._file}:{node.lineno}: {error}") from None
        if isinstance(reference, ast.Name) and self._is_local(reference.id):
            raise self._error(node, f"way to {name}: a local name hides {reference.id}")
        return reference

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A global becomes its value, or the name of it."""
        if isinstance(node.ctx, ast.Load) and not self._is_local(node.id):
            return self._reference(node, self._resolved(node), node.id)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """What a module has becomes its value, or the name of it."""
        value = self._resolved(node)
        if value is not UNRESOLVED:
            return self._reference(node, value, node.attr)
        self._mention(node.attr)
        node.value = self.visit(node.value)
        return node

    # -- calls -----------------------------------------------------------------------------------------------------

    def _call(self, name: str, *arguments: ast.expr) -> ast.Call:
        """A call of the runtime or of a builtin."""
        if self._is_local(name):
            raise self._error(arguments[0] if arguments else None, f"way to {name}: a local name hides it")
        return ast.Call(ast.Name(name, LOAD), list(arguments), [])

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Methods of texts that MicroPython lacks; what depends on the name of an attribute or of a type."""
        function = self._resolved(node.func)
        if function is UNRESOLVED and isinstance(node.func, ast.Attribute):
            name, is_bare = node.func.attr, not node.args and not node.keywords
            if name in ABSENT_METHODS.split():
                raise self._error(node, f"method {name}")
            if name in METHODS or (name in BARE_METHODS and is_bare):
                return self._call(f"str_{name}", *self._visit_all([node.func.value, *node.args]))
        if function is zip:  # lengths are compared in CPython
            node.keywords = [keyword for keyword in node.keywords if keyword.arg != "strict"]
        if function is dict and node.keywords:
            raise self._error(node, "order of keywords: write a display")
        if function in (getattr, hasattr, setattr) and isinstance(node.args[1], ast.Constant):
            self._mention(str(node.args[1].value))
        self.generic_visit(node)
        if function in (isinstance, issubclass):
            for part in ast.walk(node.args[1]):
                if isinstance(part, ast.Name):
                    part.id = {"as_text": "str", "OrderedDict": "dict"}.get(part.id, part.id)
        return node

    # -- texts -----------------------------------------------------------------------------------------------------

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        """An error, whose message need not be that of CPython."""
        self._in_message = True
        self.generic_visit(node)
        self._in_message = False
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        """The parts as texts, joined: f-strings of MicroPython are slower, and know neither texts nor brackets."""
        parts = [part if isinstance(part, ast.Constant) else self._formatted(part) for part in node.values]
        return parts[0] if len(parts) == 1 else _method_call("", "join", ast.Tuple(parts, LOAD))

    def _formatted(self, node: Any) -> ast.expr:
        """What stands in a hole of an f-string, as a text."""
        form, is_text, value = _format(node), self._is_text(node.value), self.visit(node.value)
        if form == "!r" and self._in_message:
            return self._call("repr", value)
        if form == "g":
            return self._call("general", value)
        if match := FIXED_FORMAT.fullmatch(form):
            return self._call("fixed", value, ast.Constant(int(match[1])))
        if NUMBER_FORMAT.fullmatch(form):
            return _method_call(f"{{:{form}}}", "format", value)
        if not TEXT_FORMAT.fullmatch(form):
            raise self._error(node, f"format {form!r} that writes what CPython does")
        text = value if is_text else self._call("as_text", value)
        return _method_call(f"{{:{form}}}", "format", text) if form else text

    def _is_text(self, node: ast.expr) -> bool:
        """Whether an expression is certainly a text: by its form, or by an annotation `str`."""
        if isinstance(node, ast.IfExp):
            return self._is_text(node.body) and self._is_text(node.orelse)
        if isinstance(node, ast.Name) and self._is_local(node.id):
            return node.id in next(texts for scope, texts in reversed(self._scopes) if node.id in scope)
        value = node.value if isinstance(node, ast.Constant) else self._resolved(node)
        if isinstance(node, ast.Call):
            function = self._resolved(node.func)
            name = node.func.attr if isinstance(node.func, ast.Attribute) and function is UNRESOLVED else ""
            returned = getattr(function, "__annotations__", {}).get("return")
            is_known = function in (saxutils.escape, saxutils.quoteattr, str) or returned in ("str", str)
            return is_known or name in ("join", "replace", *METHODS)
        return isinstance(value, str) or isinstance(node, ast.JoinedStr)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Any but a format by %."""
        if isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
            raise self._error(node, "format by % that writes what CPython does")
        return self.generic_visit(node)

    # -- displays and slices ---------------------------------------------------------------------------------------

    def _display(self, node: Any, kind: str, join: ast.operator) -> ast.AST:
        """A display with stars, as a sum of its parts."""
        is_target = not isinstance(getattr(node, "ctx", LOAD), ast.Load)
        if is_target or not any(isinstance(item, ast.Starred) for item in node.elts):
            return self.generic_visit(node)
        parts: list[ast.expr] = []
        for is_star, items in itertools.groupby(node.elts, lambda item: isinstance(item, ast.Starred)):
            if is_star:
                parts += [self._call(kind, self.visit(item.value)) for item in items]
            else:
                part = copy.copy(node)
                part.elts = self._visit_all(items)
                parts.append(part)
        return functools.reduce(lambda total, part: ast.BinOp(total, join, part), parts)

    def visit_List(self, node: ast.List) -> ast.AST:
        """[*a, b]"""
        return self._display(node, "list", ast.Add())

    def visit_Tuple(self, node: ast.Tuple) -> ast.AST:
        """(*a, b)"""
        return self._display(node, "tuple", ast.Add())

    def visit_Set(self, node: ast.Set) -> ast.AST:
        """{*a, b}"""
        return self._display(node, "set", ast.BitOr())

    def visit_Dict(self, node: ast.Dict) -> ast.expr:
        """A dictionary that keeps its order; {**a, "b": c} as a merger of its parts."""
        parts: list[ast.expr] = []
        items = zip(node.keys, node.values, strict=True)
        for is_star, group in itertools.groupby(items, lambda item: item[0] is None):
            if is_star:
                parts += [self.visit(value) for _, value in group]
            else:
                parts.append(ast.Tuple([ast.Tuple(self._visit_all(item), LOAD) for item in group], LOAD))
        return self._call("merged" if None in node.keys else "OrderedDict", *parts)

    def visit_DictComp(self, node: ast.DictComp) -> ast.expr:
        """A dictionary in the order of its making."""
        node = self._visit_comprehension(node)
        pair = ast.Tuple([node.key, node.value], LOAD)
        return self._call("OrderedDict", ast.ListComp(pair, node.generators))

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """A slice with a step; the name of a field."""
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            self._mention(node.slice.value)
        slices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if not any(isinstance(part, ast.Slice) and part.step for part in slices):
            return self.generic_visit(node)
        if not isinstance(node.slice, ast.Slice) or not isinstance(node.ctx, ast.Load):
            raise self._error(node, "step in this slice")
        bounds = [part or ast.Constant(None) for part in (node.slice.lower, node.slice.upper, node.slice.step)]
        return self._call("stepped", *self._visit_all([node.value, *bounds]))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        """An assignment without its annotation."""
        if node.value is None:
            return ast.Pass()
        return ast.Assign([self.visit(node.target)], self.visit(node.value))


def _scope(node: Function) -> tuple[set[str], set[str]]:
    """The names that a function binds, and those of its parameters that are annotated as texts."""
    parameters = _parameters(node.args)
    notes = {parameter.arg: parameter.annotation for parameter in parameters}
    texts = {name for name, note in notes.items() if isinstance(note, ast.Name) and note.id == "str"}
    return set(notes) | _bound_names(node), texts


def _parameters(node: ast.arguments) -> list[ast.arg]:
    parameters = [*node.posonlyargs, *node.args, node.vararg, *node.kwonlyargs, node.kwarg]
    return [parameter for parameter in parameters if parameter is not None]


def _bound_names(node: ast.AST) -> set[str]:
    """The names that the body of a function binds, without what functions in it bind."""
    names: set[str] = set()
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            names.add(child.name)
        elif isinstance(child, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            names |= {part.target.id for part in ast.walk(child) if isinstance(part, ast.NamedExpr)}
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            names.add(child.id)
        elif not isinstance(child, ast.Lambda):
            names |= {child.name} if isinstance(child, ast.ExceptHandler) and child.name else set()
            names |= _bound_names(child)
    return names


def _format(node: ast.FormattedValue) -> str:
    """The format of a hole; "!r" for Python's own spelling of a value."""
    parts = node.format_spec.values if isinstance(node.format_spec, ast.JoinedStr) else []
    form = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)
    return form if node.conversion == -1 else f"!{chr(node.conversion)}{form}"


def _method_call(text: str, name: str, argument: ast.expr) -> ast.Call:
    return ast.Call(ast.Attribute(ast.Constant(text), name, LOAD), [argument], [])
