"""MicroPython source text of a few Python objects, with all that they reach: for the browser.

The walk begins at the roots, objects of the running process, and writes every function, class and constant that is
reached, each once, into one flat text. Of a class or an instance only those attributes are written whose name the text
mentions. What MicroPython lacks stands in the runtime (`static/runtime.py`), which goes before the text.
"""

from __future__ import annotations

import ast
import binascii
import builtins
import collections
import dataclasses
import functools
import itertools
import json
import math
import re
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any, Generic, Protocol
from xml.sax import saxutils

import numpy as np

from rfop_env.browser.micropython_syntax import BadSource, Rewriter, function_syntax
from rfop_env.core.errors import shown

RUNTIME = Path(__file__).parent / "static" / "runtime.py"

# What MicroPython has, and what the runtime has in the place of something else.
MODULES = (math, json, binascii)
BUILTINS = """
abs all any bool bytes callable divmod enumerate filter float frozenset getattr hasattr int isinstance issubclass iter
len list map max min next object pow range reversed set setattr sum super tuple type zip
"""
LIBRARY: tuple[tuple[Any, str], ...] = (
    (collections.Counter, "Counter"),
    (dict, "OrderedDict"),
    (functools.partial, "partial"),
    (itertools.count, "count"),
    (math.hypot, "hypot"),
    (np.argwhere, "argwhere"),
    (np.flatnonzero, "flatnonzero"),
    (np.frombuffer, "frombuffer"),
    (np.recarray, "recarray"),
    (round, "rounded"),
    (saxutils.escape, "escape"),
    (saxutils.quoteattr, "quoteattr"),
    (sorted, "stable_sorted"),
    (str, "as_text"),
)
SPECIAL_METHODS = """
len iter next getitem setitem contains call bool eq ne lt le gt ge hash add sub mul neg and or enter exit str repr
"""  # those of a class that are always written; MicroPython calls no others
TYPE_CODES = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q"}

CachedFunction = functools._lru_cache_wrapper
PLAIN = (type(None), type(...), bool, int, float, str, bytes)
LONGEST_INLINE = 24  # characters of a text that stands where it is used
WRITABLE = (FunctionType, MethodType, CachedFunction, functools.partial)
DESCRIPTORS = {property: "fget", functools.cached_property: "func", classmethod: "__func__", staticmethod: "__func__"}
GENERATED = ("<string>", dataclasses.__file__)  # where the methods come from that `dataclass` generates
HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: a class that a class statement has made

Definition = tuple[str, list[Any]]  # a text, and the objects that have to stand before it


def python_source(
    roots: Mapping[str, Any],
    entries: Iterable[str] = (),
    omitted: Mapping[type, Collection[str]] = MappingProxyType({}),
) -> str:
    """The text in which each root stands under its name, without the runtime. Raises `BadSource`.

    `entries` are the attributes that others will ask the roots for. `omitted` are attributes of classes that are left
    out although the text mentions them.
    """
    return _SourceText(omitted).text(roots, entries)


class _SourceText:
    """All objects that are reached, by the names that they have in the text."""

    def __init__(self, omitted: Mapping[type, Collection[str]]) -> None:
        self._omitted = omitted
        self._mentioned = {f"__{name}__" for name in SPECIAL_METHODS.split()}
        self._names: dict[int, str] = {}
        self._objects: list[Any] = []  # all that have a name; they stay alive, and so do their ids
        self._functions: dict[FunctionType, tuple[ast.FunctionDef, list[Any]]] = {}
        self._constructed: set[type] = set()  # classes that the text calls
        self._open: list[Any] = []  # values that are being written, one within the other
        self._needs: list[Any] = []  # of the definition that is being written

    def text(self, roots: Mapping[str, Any], entries: Iterable[str]) -> str:
        """The text that `python_source` returns."""
        self._mentioned |= set(entries)
        for name, value in roots.items():
            self._name(value, name)

        # Each definition may name further objects and mention further attributes, so repeat until nothing changes.
        size, definitions = -1, {}
        while size != (size := len(self._objects) + len(self._mentioned) + len(self._constructed)):
            definitions = {id(value): self._definition(value) for value in list(self._objects)}
        imports = (f"import {module.__name__}" for module in MODULES)
        return "\n".join([*imports, *self._in_order(self._objects, definitions, {})])

    def _in_order(
        self, values: Iterable[Any], definitions: Mapping[int, Definition], done: dict[int, bool]
    ) -> Iterator[str]:
        """Definitions, each after those that it needs when it is carried out; `done` is False while one is written."""
        for value in values:
            if done.get(id(value)) is False:
                raise BadSource(f"{self._name(value)}: a value that holds itself")
            if id(value) not in done:
                done[id(value)] = False
                text, needs = definitions[id(value)]
                yield from self._in_order(needs, definitions, done)
                done[id(value)] = True
                yield text

    def _definition(self, value: Any) -> Definition:
        self._needs = []
        name = self._names[id(value)]
        try:
            if isinstance(value, CachedFunction):
                text = f"@cached\n{self._function_text(value.__wrapped__, name)}"
            elif isinstance(value, FunctionType):
                text = self._function_text(value, name)
            elif isinstance(value, type):
                text = self._class_text(value, name)
            else:
                text = f"{name} = {self._expression(value)}"
        except BadSource as error:
            raise BadSource(f"{error} (in {name})") from None
        return text, self._needs

    # -- names -----------------------------------------------------------------------------------------------------

    def _reference(self, value: Any, place: str) -> ast.expr:
        """What stands in code for a value of the process. `place`: the name of a new constant."""
        value = _plain_function(value)
        if name := _library_name(value):
            return ast.Name(name, ast.Load())
        is_short = not isinstance(value, str | bytes) or len(value) <= LONGEST_INLINE
        if (type(value) in PLAIN and is_short) or _is_number(value):
            return ast.parse(self._value_text(value), mode="eval").body
        if isinstance(value, ModuleType | BuiltinFunctionType) or _is_foreign(value):
            raise BadSource(f"MicroPython has no {shown(value, 80)}")
        if isinstance(value, type):
            self._constructed.add(value)
        return ast.Name(self._name(value, place), ast.Load())

    def _name(self, value: Any, place: str = "") -> str:
        """The name of an object in the text, a new one where it has none so far."""
        if id(value) not in self._names:
            if isinstance(value, FunctionType | CachedFunction | type):
                place = f"{value.__module__.rpartition('.')[2]}__{value.__qualname__}"
            name = re.sub(r"\W+", "_", place.replace("<locals>.", ""))
            copies = sum(re.fullmatch(rf"{name}(__\d+)?", twin) is not None for twin in self._names.values())
            self._names[id(value)] = f"{name}__{copies + 1}" if copies else name
            self._objects.append(value)
        return self._names[id(value)]

    def _mention(self, name: str) -> str:
        self._mentioned.add(name)
        return name

    def _is_mentioned(self, kind: type, name: str) -> bool:
        """Whether an attribute of a class is written; its constructor where the text calls the class, or one of it."""
        if name == "__init__":
            return any(issubclass(heir, kind) for heir in self._constructed)
        for base in kind.__mro__:
            if name in self._omitted.get(base, ()):
                return False
            if name in vars(base):
                break  # an heir's own takes the place of what is omitted
        return name in self._mentioned

    # -- values ----------------------------------------------------------------------------------------------------

    def _expression(self, value: Any) -> str:
        """A value as an expression that makes it; `BadSource`."""
        if any(value is holder for holder in self._open):
            raise BadSource(f"a value that holds itself: {shown(value, 80)}")
        self._open.append(value)
        try:
            return self._value_text(value)
        finally:
            self._open.pop()

    def _part(self, value: Any) -> str:
        """A part of a value: its name where it has one."""
        value = _plain_function(value)
        if name := _library_name(value):
            return name
        if id(value) in self._names or isinstance(value, FunctionType | CachedFunction | type):
            self._needs.append(value)
            return self._name(value)
        return self._expression(value)

    def _parts(self, values: Iterable[Any]) -> str:
        return ", ".join(map(self._part, values))

    def _keywords(self, values: Mapping[str, Any]) -> str:
        return "".join(f", {name}={self._part(value)}" for name, value in values.items())

    def _value_text(self, value: Any) -> str:
        kind = type(value)
        if _is_number(value):
            number = value.item() if isinstance(value, np.generic) else value
            return (
                f"float({str(number)!r})" if isinstance(number, float) and not math.isfinite(number) else repr(number)
            )
        if kind in PLAIN or kind is range:
            return repr(value)

        if kind is list:
            return f"[{self._parts(value)}]"
        if kind in (set, frozenset):
            return f"{kind.__name__}(({''.join(f'{part}, ' for part in sorted(map(self._part, value)))}))"
        if kind is tuple:
            return f"({self._parts(value)}{',' * (len(value) == 1)})"
        if isinstance(value, tuple):
            return f"{self._part(kind)}({self._parts(value)})"
        if isinstance(value, Mapping):
            return f"OrderedDict(({''.join(f'({self._parts(item)}), ' for item in value.items())}))"

        if isinstance(value, functools.partial):
            return f"partial({self._parts((value.func, *value.args))}{self._keywords(value.keywords)})"
        if isinstance(value, MethodType):
            return f"{self._part(value.__self__)}.{self._mention(value.__name__)}"

        if isinstance(value, np.dtype):
            return self._layout_text(value)
        if isinstance(value, np.ndarray) and value.dtype.names:
            return self._record_text(value)

        if hasattr(value, "__dict__") and not isinstance(value, ModuleType | type):
            own = {name: part for name, part in vars(value).items() if self._is_mentioned(kind, name)}
            return f"instance({self._part(kind)}{self._keywords(own)})"
        raise BadSource(f"no MicroPython makes {shown(value, 80)}")

    def _layout_text(self, dtype: np.dtype[Any]) -> str:
        """The mentioned fields of a record: type code, offset, shape."""
        fields = {name: field for name, field in (dtype.fields or {}).items() if name in self._mentioned}
        rows = [
            f"{name!r}: ({TYPE_CODES[field.base.str[1:]]!r}, {offset}, {field.shape})"
            for name, (field, offset, *_) in fields.items()
        ]
        return f"{{{', '.join(rows)}}}"

    def _record_text(self, records: np.ndarray[Any, Any]) -> str:
        """A record [1] with its mentioned fields, side by side."""
        fields = [name for name in records.dtype.names or () if name in self._mentioned]
        packed = np.zeros(1, np.dtype([(name, records.dtype[name].base, records.dtype[name].shape) for name in fields]))
        for name in fields:
            packed[name] = records.view(np.ndarray)[name]
        return f"frombuffer(bytes.fromhex({packed.tobytes().hex()!r}), {self._layout_text(packed.dtype)})"

    # -- classes ---------------------------------------------------------------------------------------------------

    def _class_text(self, kind: type, name: str) -> str:
        """A class with the members that are mentioned; a named tuple as MicroPython's own."""
        if issubclass(kind, tuple):
            return self._named_tuple_text(kind, name)
        bases = [base for base in kind.__bases__ if base not in (object, Generic, Protocol)]
        fields = {field.name for field in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else set()
        members = [
            self._member_text(member, attribute)
            for attribute, member in vars(kind).items()
            if attribute not in fields and self._is_mentioned(kind, attribute)
        ]
        if dataclasses.is_dataclass(kind) and kind in self._constructed:
            members.append(self._constructor_text(kind))
        body = textwrap.indent("\n".join(filter(None, members)) or "pass", "    ")
        return f"class {name}({self._parts(bases)}):\n{body}"

    def _member_text(self, member: Any, name: str) -> str:
        """A method, a property or a plain attribute of a class; nothing for what `dataclass` has generated."""
        if type(member) in DESCRIPTORS:
            function = getattr(member, DESCRIPTORS[type(member)])
            return f"@{type(member).__name__}\n{self._function_text(function, name)}"
        function = _plain_function(member)
        if name == "__hash__" and member is None:
            return ""
        if not isinstance(function, FunctionType):
            return f"{name} = {self._part(member)}"
        return "" if function.__code__.co_filename in GENERATED else self._function_text(function, name)

    def _constructor_text(self, kind: Any) -> str:
        """The constructor that `dataclass` has generated."""
        parameters, lines = ["self"], []
        for field in dataclasses.fields(kind):
            default, value = "", field.name
            if field.default_factory is not dataclasses.MISSING:
                default, value = "=None", f"{self._part(field.default_factory)}() if {value} is None else {value}"
            elif field.default is not dataclasses.MISSING:
                default = f"={self._part(field.default)}"
            if field.kw_only and "*" not in parameters:
                parameters.append("*")
            if not field.init:
                raise BadSource(f"{kind.__qualname__}.{field.name}: a field that is no parameter")
            parameters.append(f"{field.name}{default}")
            lines.append(f"    self.{field.name} = {value}")
        if hasattr(kind, "__post_init__"):
            lines.append(f"    self.{self._mention('__post_init__')}()")
        return "\n".join([f"def __init__({', '.join(parameters)}):", *lines])

    def _named_tuple_text(self, kind: Any, name: str) -> str:
        own = [
            key for key, member in vars(kind).items() if isinstance(member, FunctionType | property) and key[0] != "_"
        ]
        if own or not hasattr(kind, "_fields"):
            raise BadSource(f"{kind.__qualname__}: a tuple with members of its own ({', '.join(own)})")
        fields, defaults = kind._fields, kind._field_defaults
        text = f"namedtuple({name!r}, {fields!r})"
        if not defaults:
            return f"{name} = {text}"
        parameters = [f"{field}={self._part(defaults[field])}" if field in defaults else field for field in fields]
        function = f"def {name}({', '.join(parameters)}):\n    return {name}__plain({', '.join(fields)})"
        return f"{name}__plain = {text}\n{function}"

    # -- functions -------------------------------------------------------------------------------------------------

    def _function_text(self, function: Any, name: str) -> str:
        if function not in self._functions:
            outer, self._needs = self._needs, []
            self._functions[function] = self._function_node(function), self._needs
            self._needs = outer
        node, needs = self._functions[function]
        self._needs += needs
        node.name = name
        return ast.unparse(ast.fix_missing_locations(node))

    def _function_node(self, function: FunctionType) -> ast.FunctionDef:
        """The definition of a function in MicroPython; its defaults are those of the process."""
        syntax = function_syntax(function)
        syntax.args.defaults, syntax.args.kw_defaults = [], []
        node = Rewriter(function, self._reference, self._mention).definition(syntax)
        by_name = function.__kwdefaults__ or {}
        node.args.defaults = [self._default(value) for value in function.__defaults__ or ()]
        node.args.kw_defaults = [
            self._default(by_name[parameter.arg]) if parameter.arg in by_name else None
            for parameter in node.args.kwonlyargs
        ]
        return node

    def _default(self, value: Any) -> ast.expr:
        return ast.parse(self._part(value), mode="eval").body


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) or (isinstance(value, np.generic) and not value.dtype.names)


def _is_foreign(value: Any) -> bool:
    """Whether a value is a class that is not written in Python, or a function of one."""
    kind = value if isinstance(value, type) else type(value)
    return callable(value) and not isinstance(value, WRITABLE) and not kind.__flags__ & HEAP_TYPE


def _plain_function(value: Any) -> Any:
    """The Python function of a compiled rule; any other value as it is."""
    return getattr(value, "py_func", value) if callable(value) else value


def _library_name(value: Any) -> str:
    """What the text calls something of a library; "" for anything else."""
    for original, name in LIBRARY:
        if value is original:
            return name
    if isinstance(value, type) and issubclass(value, BaseException):  # one of ours is Python's that it derives from
        return next(base.__name__ for base in value.__mro__ if base.__module__ == "builtins")
    own = str(getattr(value, "__name__", ""))
    if own in BUILTINS.split() and getattr(builtins, own) is value:
        return own
    modules = [module.__name__ for module in MODULES if callable(value) and getattr(module, own, None) is value]
    return f"{modules[0]}.{own}" if modules else ""
