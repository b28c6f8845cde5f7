"""Compilers for rules and kernels: all the rules that a kernel reaches are linked, optimised and made native once.

Numba by itself does all three for every function that it compiles, and again for each of its callers. Here the code of
a rule stays what it is after lowering, LLVM IR, until a kernel asks for it. Both compilers are given to `numba.njit` as
its `pipeline_class`. Nothing of Numba is changed, and functions of other packages are compiled as ever; they may call
rules too. The classes below rest on names that Numba does not document: with a version that has others, `usable` is
False and everything is compiled in Numba's own way, with the same results.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import llvmlite.binding as llvm
import numba
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.compiler import Compiler


class RuleLibrary(JITCodeLibrary):
    """The code of one rule as LLVM IR: neither linked nor native."""

    def __init__(self, codegen: Any, name: str):
        super().__init__(codegen, name)
        self.environments: dict[str, Any] = {}  # name of a global -> the environment it will point to

    @property
    def codegen(self) -> Any:
        """The code generator, but for the setting of addresses that a rule does not have yet."""
        return _WithoutAddresses(self._codegen, self.environments)

    def finalize(self) -> None:
        """Close the library. Its functions may now be linked many times, and no linker drops one as unused."""
        self._raise_if_finalized()
        for function in _defined(self._final_module):
            if function.linkage == llvm.Linkage.external:
                function.linkage = "weak_odr"
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """The rule together with all that it calls: what Numba's own libraries ask for when they link it."""
        self._ensure_finalized()
        if self._shared_module is None:
            module = self._final_module.clone()
            for library in _reached(self):
                own = isinstance(library, RuleLibrary)
                module.link_in(library._final_module if own else library._get_module_for_linking(), preserve=True)
            for function in _defined(module):
                if function.linkage == llvm.Linkage.weak_odr:
                    function.linkage = "linkonce_odr"
            self._shared_module = module
        return self._shared_module


class KernelLibrary(JITCodeLibrary):
    """The native code of a kernel and of every rule that it reaches."""

    def finalize(self) -> None:
        """Link each rule once, close them to the outside, then optimise and generate code as Numba does."""
        own = {function.name for function in _defined(self._final_module)}
        reached = _reached(self)
        rules = [library for library in reached if isinstance(library, RuleLibrary)]
        for library in rules:
            self._final_module.link_in(library._final_module, preserve=True)
        self._linking_libraries = [library for library in reached if not isinstance(library, RuleLibrary)]

        # What nobody outside can call is dropped once it is expanded, and meets no function of its name elsewhere.
        # Functions that call each other in a circle do so through pointers, and must stay in sight.
        by_pointer = {name.removeprefix(RuntimeLinker.PREFIX) for name in _global_names(self._final_module)}
        for function in _defined(self._final_module):
            if function.linkage == llvm.Linkage.weak_odr and function.name not in own | by_pointer:
                function.linkage = "internal"

        super().finalize()
        codegen: Any = self._codegen
        environments = {name: value for library in rules for name, value in library.environments.items()}
        for name in environments.keys() & set(_global_names(self._final_module)):
            codegen.set_env(name, environments[name])


class _WithoutAddresses:
    """A code generator that notes environments instead of writing them to addresses."""

    def __init__(self, codegen: Any, environments: dict[str, Any]):
        self._codegen, self._environments = codegen, environments

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        self._environments[name] = environment


def _defined(module: Any) -> Iterator[Any]:
    """The functions of a module that have a body."""
    return (function for function in module.functions if not function.is_declaration)


def _global_names(module: Any) -> Iterator[str]:
    return (variable.name for variable in module.global_variables)


def _reached(library: Any) -> list[Any]:
    """The libraries that a library calls, directly or through rules, each once. Those of Numba hold what they call."""
    found: dict[Any, None] = {}
    waiting = list(library._linking_libraries)
    while waiting:
        callee = waiting.pop()
        if callee not in found and callee is not library:
            found[callee] = None
            waiting += callee._linking_libraries if isinstance(callee, RuleLibrary) else []
    return list(found)


class _OwnLibrary(Compiler):
    """Numba's compiler, with another library for the code."""

    library: type[JITCodeLibrary]

    def compile_extra(self, func: Any) -> Any:
        """Compile a Python function."""
        if self.state.library is None and self.wanted():
            self.state.library = self.library(self.state.targetctx.codegen(), func.__qualname__)
            self.state.library.enable_object_caching()
        return super().compile_extra(func)

    def wanted(self) -> bool:
        """Whether the library is used; otherwise Numba's own is."""
        return usable()


class RuleCompiler(_OwnLibrary):
    """Compiles a rule as far as LLVM IR."""

    library = RuleLibrary


class KernelCompiler(_OwnLibrary):
    """Compiles a kernel, and all rules that it reaches, to native code."""

    library = KernelLibrary


class _TriedRule(RuleCompiler):
    def wanted(self) -> bool:
        return True


class _TriedKernel(KernelCompiler):
    def wanted(self) -> bool:
        return True


@functools.cache
def usable() -> bool:
    """Whether this Numba can be used so: tried out, before anything is compiled, on a kernel that calls two rules."""
    options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": _TriedRule}
    try:
        inner: Any = numba.njit(_plus_one, **options)
        outer: Any = numba.njit(_twice(inner), **options)
        kernel: Any = numba.njit(_twice(outer), pipeline_class=_TriedKernel)
        return bool(kernel(3) == 7)
    except Exception:  # whatever a name that is missing, or means something else, leads to
        return False


def _plus_one(x: int) -> int:
    return x + 1


def _twice(function: Callable[[int], int]) -> Callable[[int], int]:
    def twice(x: int) -> int:
        return function(function(x))

    return twice
