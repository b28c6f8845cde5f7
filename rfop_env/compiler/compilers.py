"""The compilers of rules and kernels, given to a dispatcher as its `pipeline_class`: Numba's own, with fewer passes."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator
from types import CodeType
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import PassManager
from numba.core.typed_passes import AnnotateTypes, DumpParforDiagnostics, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

from rfop_env.compiler.linking import KernelLibrary, NativeLibrary, RuleLibrary
from rfop_env.compiler.lookup_cache import cached_typing

# Rules have no use for these: nested functions (`_has_nested`), fused array expressions, texts for programmers.
SKIPPED = {InlineClosureLikes, NopythonRewrites, AnnotateTypes, DumpParforDiagnostics}
YOUNG, MIDDLE, OLD = 200_000, 20, 100  # thresholds of Python's garbage collector while a kernel is compiled


class LeanPasses(PassManager):
    """Passes without the timings and events that Numba records for each, which take a tenth of the compilation."""

    def run(self, state: Any) -> None:
        """Run all passes."""
        analysis = self.dependency_analysis()
        for pass_class, _ in self.passes:
            step = pass_class()
            step.analysis = analysis
            step.run_initialization(state)
            step.run_pass(state)
            step.run_finalizer(state)


class RuleCompiler(Compiler):
    """Compiles a rule as far as LLVM IR."""

    library: type[JITCodeLibrary] = RuleLibrary

    def __init__(self, typing: Any, *arguments: Any):
        super().__init__(typing, *arguments)
        self.state.typingctx = self.state.targetctx.typing_context = cached_typing(typing)

    def compile_extra(self, func: Any) -> Any:
        """Compile a Python function."""
        if self.state.library is None:
            self.state.library = self.library(self.state.targetctx.codegen(), func.__qualname__)
            self.state.library.enable_object_caching()
        return super().compile_extra(func)

    def define_pipelines(self) -> list[PassManager]:
        """The passes to run."""
        pipelines = super().define_pipelines()
        if _has_nested(self.state.func_id.func):
            return pipelines
        (pipeline,) = pipelines
        lean = LeanPasses(pipeline.pipeline_name)
        lean.passes = [(kind, text) for kind, text in pipeline.passes if kind not in SKIPPED]
        return [lean]


class KernelCompiler(RuleCompiler):
    """Compiles a kernel, and all rules that it reaches, to native code."""

    library = KernelLibrary

    def compile_extra(self, func: Any) -> Any:
        """Compile a Python function."""
        with rare_collection():
            return super().compile_extra(func)


class NativeCompiler(KernelCompiler):
    """Compiles a kernel that native code calls."""

    library = NativeLibrary


def _has_nested(function: Any) -> bool:
    """True for a function that has functions, comprehensions or generators within it."""
    return any(isinstance(constant, CodeType) for constant in function.__code__.co_consts)


@contextlib.contextmanager
def rare_collection() -> Iterator[None]:
    """Run Python's garbage collector rarely: a compiler makes millions of objects, few of them in cycles."""
    thresholds = gc.get_threshold()
    gc.set_threshold(YOUNG, MIDDLE, OLD)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
