"""A cache of Numba's typing: the signature of a built-in function or operator for each combination of argument types.

Rules call a dozen of them with a handful of types, thousands of times, and Numba searches all their overloads for every
call. The cache saves a quarter of the time that compiling a game takes.
"""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.core.datamodel.models import OpaqueModel
from numba.core.errors import NumbaError
from numba.core.targetconfig import ConfigStack
from numba.core.typing.templates import signature
from numba.extending import lower_builtin, register_model

CONVERT = "rfop_env.convert"  # the key of an integer conversion in Numba's table of code


class CachedFunction(types.Function):
    """A built-in function or an operator, for which each combination of argument types is looked up once."""

    def __init__(self, templates: Any):
        super().__init__(templates)
        self._signatures: dict[Any, Any] = {}
        self._impl_keys: dict[Any, Any]  # of Numba: what code there is, by the arguments of a signature

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """The signature of a call; raises `NumbaError` where there is none."""
        key = tuple(args), tuple(kws.items()) if kws else (), ConfigStack.top_or_none()
        if key not in self._signatures:
            typing = context.typing if isinstance(context, CachedTyping) else context
            self._signatures[key] = self._integer_conversion(*args) or super().get_call_type(typing, args, kws)
        return self._signatures[key]

    def _integer_conversion(self, *args: Any) -> Any:
        """The signature of `int(x)` for an integer or a boolean, for which Numba would compile a function."""
        kind = types.unliteral(args[0]) if self.typing_key is int and len(args) == 1 else None
        if not isinstance(kind, (types.Integer, types.Boolean)):
            return None
        self._impl_keys[(kind,)] = CONVERT
        return signature(kind if isinstance(kind, types.Integer) else types.intp, kind)


@lower_builtin(CONVERT, types.Any)
def _convert(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return context.cast(builder, args[0], sig.args[0], sig.return_type)


register_model(CachedFunction)(OpaqueModel)  # as for Numba's functions: compiled code holds no value of it


class CachedTyping:
    """Numba's typing context, with a `CachedFunction` in place of each built-in function."""

    def __init__(self, typing: Any):
        self.typing = typing
        self._functions: dict[Any, CachedFunction] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.typing, name)

    def resolve_value_type(self, value: Any) -> Any:
        """The type of a global value; raises `ValueError`."""
        kind = self.typing.resolve_value_type(value)
        if type(kind) is not types.Function:
            return kind
        if kind not in self._functions:
            self._functions[kind] = CachedFunction(kind.templates)
        return self._functions[kind]

    def resolve_function_type(self, function: Any, args: Any, kws: Any) -> Any:
        """The signature of a call, None where there is none; raises `NumbaError`."""
        if isinstance(function, CachedFunction):
            try:
                return function.get_call_type(self, args, kws)
            except NumbaError:
                pass  # Numba looks in other places, too, and explains the error
        return self.typing.resolve_function_type(function, args, kws)


_typings: dict[Any, CachedTyping] = {}


def cached_typing(typing: Any) -> CachedTyping:
    """The cache of a typing context, shared by all compilations."""
    return _typings.setdefault(typing, CachedTyping(typing))
