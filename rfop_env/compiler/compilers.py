"""The compilers of rules and kernels, given to `numba.njit` as its `pipeline_class`: Numba's own, with less to do.

Functions of other packages are compiled as ever, and may call rules. The classes here, in `linking` and in
`remembering` rest on names that Numba does not document: with a version that has others, `usable` is False and
everything is compiled in Numba's own way, with the same results.
"""

from __future__ import annotations

import contextlib
import functools
import gc
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

import numba
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import PassManager
from numba.core.typed_passes import AnnotateTypes, DumpParforDiagnostics, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

from rfop_env.compiler.linking import KernelLibrary, NativeLibrary, RuleLibrary
from rfop_env.compiler.remembering import fixed, remembering

# What rules have no use for: functions within functions (`_nested`), fused array expressions, texts for programmers.
UNNEEDED = {InlineClosureLikes, NopythonRewrites, AnnotateTypes, DumpParforDiagnostics}
YOUNG, MIDDLE, OLD = 200_000, 20, 100  # thresholds of Python's garbage collector while a kernel is compiled


class _Passes(PassManager):
    """Passes that are run as they are, without the records of each that Numba keeps for its profilers."""

    def _runPass(self, index: int, one: Any, state: Any) -> None:
        one.analysis = self._analysis
        for step in (one.run_initialization, one.run_pass, one.run_finalizer):
            step(state)


class _OwnCompiler(Compiler):
    library: type[JITCodeLibrary]

    def __init__(
        self, typing: Any, target: Any, library: Any, args: Any, return_type: Any, flags: Any, types_of_locals: Any
    ):
        self._own = self.wanted()
        super().__init__(
            typing, target, library, args, return_type, fixed(flags) if self._own else flags, types_of_locals
        )
        if self._own:
            self.state.typingctx, self.state.targetctx = remembering(typing, self.state.targetctx)

    def wanted(self) -> bool:
        """True if this compiler changes anything; False: it works as Numba's own."""
        return usable()

    def compile_extra(self, func: Any) -> Any:
        """Compile a Python function."""
        if self._own and self.state.library is None:
            self.state.library = self.library(self.state.targetctx.codegen(), func.__qualname__)
            self.state.library.enable_object_caching()
        return super().compile_extra(func)

    def define_pipelines(self) -> list[PassManager]:
        """The passes that are run."""
        if not self._own or _nested(self.state.func_id.func):
            return super().define_pipelines()
        (whole,) = super().define_pipelines()
        lean = _Passes(whole.pipeline_name)
        lean.passes = [one for one in whole.passes if one[0] not in UNNEEDED]
        lean.finalize()
        return [lean]


def _nested(function: Any) -> bool:
    """True if a function has functions, comprehensions or generators within it."""
    return any(isinstance(constant, CodeType) for constant in function.__code__.co_consts)


class RuleCompiler(_OwnCompiler):
    """Compiles a rule as far as LLVM IR."""

    library = RuleLibrary


class KernelCompiler(_OwnCompiler):
    """Compiles a kernel, and all rules that it reaches, to native code."""

    library = KernelLibrary

    def compile_extra(self, func: Any) -> Any:
        """Compile a Python function."""
        with seldom_collected():
            return super().compile_extra(func)


class NativeCompiler(KernelCompiler):
    """Compiles a kernel that native code calls, which does one of several things at each call."""

    library = NativeLibrary


@contextlib.contextmanager
def seldom_collected() -> Iterator[None]:
    """Let Python's garbage collector look seldom: a compiler makes millions of objects, few of them in circles."""
    before = gc.get_threshold()
    gc.set_threshold(YOUNG, MIDDLE, OLD)
    try:
        yield
    finally:
        gc.set_threshold(*before)


class _TriedRule(RuleCompiler):
    def wanted(self) -> bool:
        return True


class _TriedKernel(KernelCompiler):
    def wanted(self) -> bool:
        return True


@functools.cache
def usable() -> bool:
    """True if these compilers work with this Numba: tried out once, on a kernel that calls two rules."""
    options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": _TriedRule}
    try:
        inner: Any = numba.njit(_plus_one, **options)
        outer: Any = numba.njit(_twice(inner), **options)
        kernel: Any = numba.njit(_twice(outer), pipeline_class=_TriedKernel)
        return bool(kernel(3) == 7)
    except Exception:  # whatever a name that is missing, or means something else, leads to
        return False


def _plus_one(x: int) -> int:
    return int(x) + 1


def _twice(function: Callable[[int], int]) -> Callable[[int], int]:
    def twice(x: int) -> int:
        return function(function(x))

    return twice
