"""The digest of a kernel: a hash of all code that it reaches, and of every value that this code captures.

Two kernels of one digest compile to the same code. The digest reads functions as they are in memory: bytecode,
constants, defaults, closures, and the globals that the bytecode loads. The place of a function and its comments do not
count.
"""

from __future__ import annotations

import builtins
import functools
import hashlib
import opcode
import sys
from collections.abc import Iterator
from enum import Enum, EnumType
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numba
import numpy as np
from numba.core.types import Type

from rfop_env.core.errors import BadRule, shown

LIBRARIES = {"builtins", "cmath", "math", "numba", "numpy", "operator"}  # Numba knows what is in them by name
PACKAGES = ("rfop_env.compiler", "rfop_env.core")  # whose sources are part of every stamp
OWN_MODULES = tuple(f"{package}." for package in PACKAGES)
PLAIN = (type(None), type(...), bool, int, float, complex, str, bytes)
LOAD_GLOBAL, EXTENDED_ARG, CACHE = (opcode.opmap[name] for name in ("LOAD_GLOBAL", "EXTENDED_ARG", "CACHE"))
LOAD_ATTRIBUTE = {opcode.opmap[name] for name in ("LOAD_ATTR", "LOAD_METHOD") if name in opcode.opmap}
NAME_BITS = 1 if sys.version_info >= (3, 12) else 0  # of the argument of LOAD_ATTR, below the number of the name
REMEDY = "compiled rules take numbers, strings, tuples, NumPy arrays and functions marked @rule"


class CodeDigest(NamedTuple):
    """What identifies the code of a kernel."""

    text: str  # 20 hexadecimal digits
    rules: int  # functions that are compiled


def code_digest(*functions: Any) -> CodeDigest:
    """The digest of one or several functions: plain, compiled or intrinsic. Raises `BadRule`.

    Besides the functions it covers the versions of Numba and Python, and the sources of `PACKAGES`.
    """
    walk = _Walk()
    roots = [walk.text_of_root(function) for function in functions]
    parts = [core_stamp(), *roots, *walk.texts()]
    return CodeDigest(hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20], walk.rules)


@functools.cache
def core_stamp() -> str:
    """A hash of the sources of `PACKAGES`, and of the versions of Numba and Python."""
    root = Path(__file__).parents[2]
    return source_stamp(tuple(root.joinpath(*package.split(".")) for package in PACKAGES))


def source_stamp(folders: tuple[Path, ...]) -> str:
    """A hash of every Python file under some folders, and of the versions of Numba and Python: 20 digits."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]}".encode())
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:20]


class _Walk:
    """All functions that are reached from a few, each read once. A text names a function by its number."""

    def __init__(self) -> None:
        self._numbers: dict[FunctionType, int] = {}
        self._compiled: set[FunctionType] = set()

    @property
    def rules(self) -> int:
        """How many of the functions are compiled."""
        return len(self._compiled)

    def text_of_root(self, function: Any) -> str:
        """The text of a function that a kernel begins with, which need not be marked."""
        if isinstance(function, FunctionType):
            self._compiled.add(function)
            return self._reference(function)
        return self._text(function, "the kernel", "its rule")

    def texts(self) -> Iterator[str]:
        """The text of every function, in the order in which they are met."""
        count = 0
        while count < len(self._numbers):
            for function in list(self._numbers)[count:]:
                yield self._function_text(function)
                count += 1

    def _reference(self, function: FunctionType) -> str:
        return f"function {self._numbers.setdefault(function, len(self._numbers))}"

    def _function_text(self, function: FunctionType) -> str:
        """What a function does: its code, and every value that it has from elsewhere."""
        place = f"{function.__module__}.{function.__qualname__}"
        values = {
            **dict(_closure(function)),
            **{f"default {k}": value for k, value in enumerate(function.__defaults__ or ())},
            **{f"default {name}": value for name, value in (function.__kwdefaults__ or {}).items()},
        }
        if function in self._compiled:
            values |= _loaded_globals(function.__code__, function.__globals__)
            code = self._code_text(function.__code__, place)
        else:
            code = place  # a function of the core that writes code: its source is part of the stamp
        return "\n".join([code, *(f"{name} = {self._text(value, place, name)}" for name, value in values.items())])

    def _code_text(self, code: CodeType, place: str) -> str:
        constants = []
        for constant in code.co_consts:
            nested = isinstance(constant, CodeType)
            constants.append(self._code_text(constant, place) if nested else self._text(constant, place, "a constant"))
        shape = (
            code.co_argcount,
            code.co_posonlyargcount,
            code.co_kwonlyargcount,
            code.co_flags,
            code.co_names,
            code.co_varnames,
            code.co_freevars,
            code.co_cellvars,
        )
        return "\n".join([repr(shape), code.co_code.hex(), code.co_exceptiontable.hex(), *constants])

    def _text(self, value: Any, place: str, name: str) -> str:
        """A value as text, equal for equal values. Raises `BadRule` for a value that none can be written for."""
        kind = type(value)
        if isinstance(value, Enum):
            return f"{_path(kind)}.{value.name} {self._text(value.value, place, name)}"
        if isinstance(value, EnumType):
            members: list[Enum] = list(value)
            return f"{_path(value)}({', '.join(self._text(member, place, name) for member in members)})"
        if kind in PLAIN:
            return f"{kind.__name__} {value!r}"
        if isinstance(value, tuple):
            fields = getattr(kind, "_fields", ())
            return f"{_path(kind)}{fields}({', '.join(self._text(item, place, name) for item in value)})"
        if isinstance(value, frozenset):
            return f"frozenset({', '.join(sorted(self._text(item, place, name) for item in value))})"
        if isinstance(value, np.dtype):
            return repr(value)
        if isinstance(value, (np.ndarray, np.generic)) and not value.dtype.hasobject:
            order = value.flags.c_contiguous, value.flags.f_contiguous
            return f"array {value.dtype!r} {value.shape} {order} {hashlib.sha256(value.tobytes()).hexdigest()}"
        return self._code_value_text(value) or self._library_text(value) or self._refuse(value, place, name)

    def _code_value_text(self, value: Any) -> str:
        """The text of a rule, or of an intrinsic of the core; "" for anything else."""
        function = getattr(value, "py_func", None)
        if isinstance(function, FunctionType):
            self._compiled.add(function)
            options = {name: str(option) for name, option in value.targetoptions.items()}
            return f"{self._reference(function)} {sorted(options.items())}"
        function = getattr(value, "_defn", value)
        if isinstance(function, FunctionType) and function.__module__.startswith(OWN_MODULES):
            return self._reference(function)
        return ""

    def _library_text(self, value: Any) -> str:
        """The text of what Numba knows by its name or by its fields; "" for anything else."""
        if isinstance(value, Type):
            return f"type {value}"
        path = value.__name__ if isinstance(value, ModuleType) else _path(value)
        if path.partition(".")[0] in LIBRARIES or isinstance(value, np.ufunc):
            return path
        if isinstance(value, type) and issubclass(value, tuple):
            return f"{path}{getattr(value, '_fields', ())}"
        return ""

    def _refuse(self, value: Any, place: str, name: str) -> str:
        function = value if isinstance(value, FunctionType) else getattr(value, "_defn", None)
        what = f"a function without the mark @rule ({shown(_path(function), 80)})" if function else shown(value, 80)
        raise BadRule(f"{place} uses {name}, which is {what}: {REMEDY}")


class _Attribute(NamedTuple):
    """An attribute of a module that Numba knows by name."""

    name: str


def _closure(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """The variables that a function captures, by name; those without a value yet are left out."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:
            continue


def _loaded_globals(code: CodeType, names: dict[str, Any]) -> dict[str, Any]:
    """The globals that code loads, by the path that it takes to them (`np.int8`), with functions in it."""
    values: dict[str, Any] = {}
    for path in _global_paths(code):
        if path[0] in names:
            prefix, value = path[:1], names[path[0]]
            while isinstance(value, ModuleType) and len(prefix) < len(path):
                prefix = path[: len(prefix) + 1]
                value = _attribute(value, prefix[-1])
            values[".".join(prefix)] = value
        else:
            values[path[0]] = getattr(builtins, path[0], None)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            values |= _loaded_globals(constant, names)
    return values


def _attribute(module: ModuleType, name: str) -> Any:
    """What a module has under a name; of a library, that name."""
    if module.__name__.partition(".")[0] in LIBRARIES:
        return _Attribute(f"{module.__name__}.{name}")
    return getattr(module, name, None)


def _global_paths(code: CodeType) -> Iterator[tuple[str, ...]]:
    """The globals that code loads, each with the attributes that it takes of it at once."""
    path: tuple[str, ...] = ()
    extended = 0
    for at in range(0, len(code.co_code), 2):
        operation, argument = code.co_code[at], code.co_code[at + 1] | extended
        extended = argument << 8 if operation == EXTENDED_ARG else 0
        if operation in (EXTENDED_ARG, CACHE):
            continue
        if operation in LOAD_ATTRIBUTE and path:
            path = (*path, code.co_names[argument >> NAME_BITS])
            continue
        if path:
            yield path
        path = (code.co_names[argument >> 1],) if operation == LOAD_GLOBAL else ()


def _path(value: Any) -> str:
    """Where a value says that it is defined; "" for one that does not say."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    return f"{module}.{name}" if isinstance(module, str) and isinstance(name, str) else ""
