"""Compilation: `rule` marks the rules of a game, `kernel` the loops over a batch that call them.

Rules are plain Python functions over a state record. `RFOP_JIT=0` in the environment leaves them plain, for debugging,
coverage and single-stepping, and so does Numba's own `NUMBA_DISABLE_JIT=1`; otherwise Numba compiles them. Only this
module, `memory` and those that they import know Numba: `compilers` and `remembering` (how a rule is compiled),
`linking` (how rules become a kernel), `code_digest` and `kernel_cache` (where kernels are kept), `intrinsics`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from rfop_env.core.arguments import switch

JIT: bool = switch("RFOP_JIT", True) and not switch("NUMBA_DISABLE_JIT", False)

PARALLEL = False  # several threads may play the games of a batch; plain Python has one lock for all
F = TypeVar("F", bound=Callable[..., Any])

if JIT:
    import numba
    from numba.core import config, types
    from numba.core.registry import CPUDispatcher

    from rfop_env.compiler.kernel_cache import KernelCache

    # With checks of indices, an error would end a thread in the middle of its games.
    PARALLEL = not getattr(config, "BOUNDSCHECK", None)
    _FIT_INT64 = types.integer_domain - {types.uint64}
    _OUTER: dict[str, Any] = {"error_model": "numpy", "nogil": True, "no_cfunc_wrapper": True}
    _INNER = _OUTER | {"no_cpython_wrapper": True}  # rules are called by kernels alone
    try:
        from rfop_env.compiler.compilers import KernelCompiler, NativeCompiler, RuleCompiler
    except ImportError:  # a Numba whose modules have other names: it links in its own way
        _NATIVE = _OUTER
    else:
        _NATIVE = _OUTER | {"pipeline_class": NativeCompiler}
        _OUTER = _OUTER | {"pipeline_class": KernelCompiler}
        _INNER = _INNER | {"pipeline_class": RuleCompiler}


def rule(function: F) -> F:
    """Mark a function as part of a game's rules: compiled by Numba, or left as it is when `RFOP_JIT=0`."""
    return _closed_to_python(numba.njit(function, **_INNER)) if JIT else function


def small_rule(function: F) -> F:
    """A `rule` of a few lines that is called everywhere: always expanded in place."""
    return _closed_to_python(numba.njit(function, forceinline=True, **_INNER)) if JIT else function


def _closed_to_python(compiled: Any) -> Any:
    """Turn a call from Python, which would crash for want of a wrapper, into an error that says what to do."""
    compiled.__class__ = Rule
    return compiled


def kernel(
    function: F,
    name: str,
    *,
    title: str | None = None,
    before: Callable[[], None] | None = None,
    for_native: bool = False,
) -> F:
    """Compile a loop over a batch. A copy on disk serves other processes as long as its code is the same.

    The copy is for one digest of the code: that of the loop, of every rule that it reaches, and of all values that
    these capture (`code_digest`). `name` is that of its folder; `title` is what messages on stderr call it when it is
    compiled; without one it is compiled silently. `before` is called before the kernel is compiled or loaded.
    `for_native`: native code calls it too, by its address. The first call raises `BadRule` for code that has no
    digest.
    """
    if not JIT:
        return function
    compiled: Any = numba.njit(function, **_NATIVE if for_native else _OUTER)
    compiled._cache = KernelCache(name, compiled, title, before)
    return compiled


if JIT:

    class Rule(CPUDispatcher):
        """A compiled rule: other rules and kernels call it, Python cannot."""

        def __call__(self, *arguments: Any, **named: Any) -> Any:
            """Raise `TypeError`, which says what to do."""
            raise TypeError(
                f"{self.py_func.__name__} is a compiled rule, which only kernels call: play through GameBatch, "
                f"or set RFOP_JIT=0 to call rules from Python"
            )

        def compile(self, sig: Any) -> Any:
            """The compiled code for a signature; Numba asks at every call of the rule, and mostly it is there."""
            known: Any = self.overloads.get(sig) if isinstance(sig, tuple) else None
            return super().compile(sig) if known is None else known.entry_point

        def get_call_template(self, args: Any, kws: Any) -> Any:
            """The template of a call; Numba asks at every call of the rule from compiled code."""
            return super().get_call_template(_wide(args), {name: _widened(kind) for name, kind in kws.items()})

        def fold_argument_types(self, args: Any, kws: Any) -> Any:
            """The signature of a call; Numba asks where the rule calls itself."""
            signature, folded = super().fold_argument_types(args, kws)
            return signature, _wide(folded)

    def _wide(arguments: Any) -> tuple[Any, ...]:
        return tuple(_widened(argument) for argument in arguments)

    def _widened(argument: Any) -> Any:
        """The type of a rule's parameter for an argument of this type: int64 for every integer that fits in.

        A rule is so compiled once, and not for every combination of widths and literals that it is called with.
        """
        kind = types.unliteral(argument)
        return types.int64 if kind in _FIT_INT64 else types.boolean if kind == types.boolean else argument
