"""Answers from memory for questions that Numba asks again and again while it compiles rules.

Rules call a dozen built-in functions and operators with a handful of types, thousands of times. For every call Numba
goes through all that it knows about the function, once to find the types and up to four times to find the code, and
compares the options of compilation each time. The compilers of rules and kernels give it these contexts and options
instead of its own; it is not changed itself.
"""

from __future__ import annotations

import operator
from types import MappingProxyType
from typing import Any

from numba.core import types
from numba.core.compiler import Flags
from numba.core.cpu import CPUContext
from numba.core.datamodel.models import OpaqueModel
from numba.core.errors import NumbaError
from numba.core.targetconfig import ConfigStack
from numba.core.typing.templates import signature
from numba.extending import lower_builtin, register_model

CONVERT = "rfop_env.convert"  # the key of what it does in Numba's table of code


class FixedFlags(Flags):
    """Options of compilation that no longer change, so that comparing two of them is cheap."""

    def __init__(self, flags: Flags):
        super().__init__(flags)
        self._values: Any = MappingProxyType(self._values)  # a change raises an error
        self._all = super().values()
        self._hash = super().__hash__()
        self._mangled = flags.get_mangle_string()

    def values(self) -> dict[str, Any]:
        """All options by name."""
        return self._all

    def get_mangle_string(self) -> str:
        """The text that stands for these options in the names of functions."""
        return self._mangled

    def copy(self) -> FixedFlags:
        """The same object: nobody can change it."""
        return self

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or super().__eq__(other)


_fixed: list[FixedFlags] = []


def fixed(flags: Flags) -> FixedFlags:
    """Options as they are now; one object for all that are equal."""
    for known in _fixed:
        if known == flags:
            return known
    _fixed.append(FixedFlags(flags))
    return _fixed[-1]


class RememberedFunction(types.Function):
    """A built-in function or an operator, for which each combination of argument types is looked up once."""

    def __init__(self, templates: Any):
        super().__init__(templates)
        self._signatures: dict[Any, Any] = {}
        self._impl_keys: dict[Any, Any]  # what code there is, by the arguments of a signature

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """The signature of a call; raises `NumbaError` where there is none."""
        key = tuple(args), tuple(kws.items()) if kws else (), ConfigStack.top_or_none()
        if key not in self._signatures:
            real = context.real if isinstance(context, RememberingTypes) else context
            self._signatures[key] = self._int_of(*args) or super().get_call_type(real, args, kws)
        return self._signatures[key]

    def _int_of(self, *args: Any) -> Any:
        """The signature of `int(x)` where that is a mere conversion, for which Numba would compile a function."""
        kind = types.unliteral(args[0]) if self.typing_key is int and len(args) == 1 else None
        if not isinstance(kind, (types.Integer, types.Boolean)):
            return None
        self._impl_keys[(kind,)] = CONVERT
        return signature(kind if isinstance(kind, types.Integer) else types.intp, kind)


@lower_builtin(CONVERT, types.Any)
def _convert(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return context.cast(builder, args[0], sig.args[0], sig.return_type)


register_model(RememberedFunction)(OpaqueModel)  # like every function: nothing that code could hold


class RememberingTypes:
    """Numba's typing context, with functions that remember."""

    def __init__(self, real: Any):
        self.real = real
        self._functions: dict[Any, RememberedFunction] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def resolve_value_type(self, value: Any) -> Any:
        """The type of a global value; raises `ValueError`."""
        return self._remembered(self.real.resolve_value_type(value))

    def resolve_function_type(self, function: Any, args: Any, kws: Any) -> Any:
        """The signature of a call, None where there is none; raises `NumbaError`."""
        kind = function if isinstance(function, types.Type) else self._remembered(self.real._lookup_global(function))
        if isinstance(kind, RememberedFunction):  # another one keeps its own account of the code that its calls need
            try:
                return kind.get_call_type(self, args, kws)
            except NumbaError:
                pass  # Numba has other places to look, and words for what is wrong
        return self.real.resolve_function_type(function, args, kws)

    def resolve_setitem(self, target: Any, index: Any, value: Any) -> Any:
        """The signature of `target[index] = value`; raises `NumbaError`."""
        return self.resolve_value_type(operator.setitem).get_call_type(self, (target, index, value), {})

    def _remembered(self, kind: Any) -> Any:
        if type(kind) is not types.Function:
            return kind
        if kind not in self._functions:
            self._functions[kind] = RememberedFunction(kind.templates)
        return self._functions[kind]


class RememberingTarget(CPUContext):
    """Numba's context of code generation: it looks for each thing once, also for what is not there."""

    missing: dict[Any, None]  # functions and signatures without code
    fields: dict[Any, Any]  # types and names of attributes: the code that reads them
    sizes: dict[Any, int]

    def get_function(self, fn: Any, sig: Any, _firstcall: bool = True) -> Any:
        """The code of a function for a signature; raises `NotImplementedError`."""
        if (fn, sig) in self.missing:
            raise NotImplementedError(f"no code for {fn} {sig}")
        try:
            return super().get_function(fn, sig, _firstcall)
        except NotImplementedError:
            self.missing[fn, sig] = None
            raise

    def get_getattr(self, typ: Any, attr: str) -> Any:
        """The code that reads an attribute, None where none is needed; raises `NotImplementedError`."""
        if isinstance(typ, types.Module):
            return super().get_getattr(typ, attr)
        if (typ, attr) not in self.fields:
            self.fields[typ, attr] = super().get_getattr(typ, attr)
        return self.fields[typ, attr]

    def get_abi_sizeof(self, ty: Any) -> int:
        """The size of an LLVM type in bytes."""
        if ty not in self.sizes:
            self.sizes[ty] = super().get_abi_sizeof(ty)
        return self.sizes[ty]


_types: dict[Any, RememberingTypes] = {}
_missing: dict[Any, None] = {}
_fields: dict[Any, Any] = {}
_sizes: dict[Any, int] = {}


def remembering(typing: Any, target: Any) -> tuple[Any, Any]:
    """The two contexts of a compilation, for Numba's own two; `target` must be a copy of its own and is changed."""
    if typing not in _types:
        _types[typing] = RememberingTypes(typing)
    target.__class__ = RememberingTarget
    target.typing_context = _types[typing]
    target.missing = _missing
    target.fields = _fields
    target.sizes = _sizes
    return _types[typing], target
