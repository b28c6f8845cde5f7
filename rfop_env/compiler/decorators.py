"""The decorators of compiled functions: `rule` for the rules of a game, `kernel` for the loops over a batch.

Rules are plain Python functions over a state record. `RFOP_JIT=0` in the environment leaves them plain, for debugging,
coverage and single-stepping, and so does Numba's own `NUMBA_DISABLE_JIT=1`; otherwise Numba compiles them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from rfop_env.core.arguments import switch

JIT: bool = switch("RFOP_JIT", True) and not switch("NUMBA_DISABLE_JIT", False)

PARALLEL = False  # several threads may play the games of a batch; plain Python has one lock for all
F = TypeVar("F", bound=Callable[..., Any])

if JIT:
    from numba.core import config, types
    from numba.core.registry import CPUDispatcher

    from rfop_env.compiler.compilers import KernelCompiler, NativeCompiler, RuleCompiler
    from rfop_env.compiler.kernel_cache import KernelCache

    # An IndexError of checked indices would end a thread in the middle of its games.
    PARALLEL = not getattr(config, "BOUNDSCHECK", None)
    KERNEL_OPTIONS = {
        "nopython": True,
        "boundscheck": None,
        "error_model": "numpy",
        "nogil": True,
        "no_cfunc_wrapper": True,
    }
    RULE_OPTIONS = KERNEL_OPTIONS | {"no_cpython_wrapper": True}  # only kernels call rules


def rule(function: F) -> F:
    """Mark a function as part of a game's rules: compiled by Numba, or left as it is when `RFOP_JIT=0`."""
    return _compiled_rule(function, RULE_OPTIONS) if JIT else function


def small_rule(function: F) -> F:
    """A `rule` of a few lines that is called everywhere: always expanded in place."""
    return _compiled_rule(function, RULE_OPTIONS | {"forceinline": True}) if JIT else function


def _compiled_rule(function: Any, options: dict[str, Any]) -> Any:
    return Rule(function, targetoptions=options, pipeline_class=RuleCompiler)


def kernel(
    function: F,
    name: str,
    *,
    title: str | None = None,
    before: Callable[[], None] | None = None,
    for_native: bool = False,
) -> F:
    """Compile a loop over a batch, or load it from the cache on disk, which holds it under the digest of its code.

    The digest (`code_digest`) covers the loop, every rule that it reaches, and all values that these capture. `name` is
    that of its folder in the cache; `title` is what messages on stderr call it when it is compiled; without one it is
    compiled silently. `before` is called before the kernel is compiled or loaded. `for_native`: native code calls it
    too, by its address. The first call raises `BadRule` for code that has no digest.
    """
    if not JIT:
        return function
    compiler = NativeCompiler if for_native else KernelCompiler
    compiled: Any = CPUDispatcher(function, targetoptions=KERNEL_OPTIONS, pipeline_class=compiler)
    compiled._cache = KernelCache(name, compiled, title, before)
    return compiled


if JIT:

    class Rule(CPUDispatcher):
        """A compiled rule: other rules and kernels call it, Python cannot."""

        def __call__(self, *arguments: Any, **keywords: Any) -> Any:
            """Raise `TypeError`: a rule has no wrapper for Python, and the call would crash."""
            raise TypeError(
                f"{self.py_func.__name__} is a compiled rule, which only kernels call: play through GameBatch, "
                f"or set RFOP_JIT=0 to call rules from Python"
            )

        def compile(self, sig: Any) -> Any:
            """The compiled code for a signature; Numba asks at every call of the rule."""
            overload: Any = self.overloads.get(sig) if isinstance(sig, tuple) else None
            return super().compile(sig) if overload is None else overload.entry_point

        def get_call_template(self, args: Any, kws: Any) -> Any:
            """The template of a call; Numba asks at every call of the rule from compiled code."""
            keywords = {name: widened(kind, types) for name, kind in kws.items()}
            return super().get_call_template(tuple(widened(kind, types) for kind in args), keywords)

        def fold_argument_types(self, args: Any, kws: Any) -> Any:
            """The signature of a call; Numba asks where the rule calls itself."""
            signature, folded = super().fold_argument_types(args, kws)
            return signature, tuple(widened(kind, types) for kind in folded)


def widened(argument: Any, types: Any) -> Any:
    """The type of a rule's parameter for an argument of this type: int64 for every integer that fits in.

    A rule is so compiled once, and not for every combination of widths and literals that it is called with. `types`:
    Numba's module of types, for the processor or for a graphics card.
    """
    kind = types.unliteral(argument)
    if isinstance(kind, types.Integer) and kind != types.uint64:
        return types.int64
    return types.boolean if kind == types.boolean else argument
