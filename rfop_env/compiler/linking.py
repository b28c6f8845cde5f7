"""The code of rules and kernels: all the rules that a kernel reaches are linked, optimised and made native once.

Numba by itself does all three for every function that it compiles, and again for each of its callers. Here the code of
a rule stays what it is after lowering, LLVM IR, until a kernel asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import JITCodeLibrary, RuntimeLinker


class RuleLibrary(JITCodeLibrary):
    """The code of one rule as LLVM IR: neither linked nor native."""

    def __init__(self, codegen: Any, name: str):
        super().__init__(codegen, name)
        self.environments: dict[str, Any] = {}  # name of a global -> the environment it will point to

    @property
    def codegen(self) -> Any:
        """The code generator, but for the setting of addresses that a rule does not have yet."""
        return _WithoutAddresses(self._codegen, self.environments)

    def _optimize_functions(self, module: Any) -> None:
        """Shorten what is linked later; Numba would set up its passes for each function that is only declared, too."""
        module.data_layout = self._codegen._data_layout
        for function in defined(module):
            passes, builder = self._codegen._function_pass_manager()
            passes.run(function, builder)

    def finalize(self) -> None:
        """Close the library. Its functions may now be linked many times, and no linker drops one as unused."""
        self._raise_if_finalized()
        for function in defined(self._final_module):
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
            for function in defined(module):
                if function.linkage == llvm.Linkage.weak_odr:
                    function.linkage = "linkonce_odr"
            self._shared_module = module
        return self._shared_module


class KernelLibrary(JITCodeLibrary):
    """The native code of a kernel and of every rule that it reaches."""

    expanded = True  # rules that the kernel calls may be expanded in place

    def finalize(self) -> None:
        """Link each rule once, close them to the outside, then optimise and generate code as Numba does."""
        own = {function.name for function in defined(self._final_module)}
        called = {function.name for function in self._final_module.functions} - own
        reached = _reached(self)
        rules = [library for library in reached if isinstance(library, RuleLibrary)]
        for library in rules:
            self._final_module.link_in(library._final_module, preserve=True)
        self._linking_libraries = [library for library in reached if not isinstance(library, RuleLibrary)]

        # What nobody outside can call is dropped once it is expanded, and meets no function of its name elsewhere.
        # Functions that call each other in a circle do so through pointers, and must stay in sight.
        by_pointer = {name.removeprefix(RuntimeLinker.PREFIX) for name in global_names(self._final_module)}
        for function in defined(self._final_module):
            if function.linkage == llvm.Linkage.weak_odr and function.name not in own | by_pointer:
                function.linkage = "internal"
                if function.name in called and not self.expanded:
                    function.add_function_attribute("noinline")

        super().finalize()
        codegen: Any = self._codegen
        environments = {name: value for library in rules for name, value in library.environments.items()}
        for name in environments.keys() & set(global_names(self._final_module)):
            codegen.set_env(name, environments[name])


class NativeLibrary(KernelLibrary):
    """The native code of a kernel that does one of several things at each call.

    The rules that it calls stay functions of their own: each call would otherwise begin with what the largest needs.
    """

    expanded = False


class _WithoutAddresses:
    """A code generator that notes environments instead of writing them to addresses."""

    def __init__(self, codegen: Any, environments: dict[str, Any]):
        self._codegen, self._environments = codegen, environments

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        self._environments[name] = environment


def defined(module: Any) -> Iterator[Any]:
    """The functions of a module that have a body."""
    return (function for function in module.functions if not function.is_declaration)


def global_names(module: Any) -> Iterator[str]:
    """The names of a module's global variables."""
    return (variable.name for variable in module.global_variables)


def _reached(library: Any) -> list[Any]:
    """The libraries that a library calls, directly or through rules, each once. Those of Numba hold what they call."""
    libraries: dict[Any, None] = {}
    waiting = list(library._linking_libraries)
    while waiting:
        callee = waiting.pop()
        if callee not in libraries and callee is not library:
            libraries[callee] = None
            waiting += callee._linking_libraries if isinstance(callee, RuleLibrary) else []
    return list(libraries)
