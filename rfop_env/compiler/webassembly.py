"""Rules as WebAssembly: the LLVM code that Numba makes of a rule, for `wasm32`, linked to a module without an import.

Rules are integers over one flat record: they allocate nothing and call nothing outside. So a module needs nothing of
its browser but memory. The linker is LLVM's `wasm-ld`: that of the package `ziglang`, or one on the search path.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from rfop_env.compiler.decorators import rule
from rfop_env.compiler.intrinsics import native_signature
from rfop_env.compiler.linking import defined
from rfop_env.core.errors import MissingExtra

TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+bulk-memory,+mutable-globals,+sign-ext"  # of every browser since 2020
STACK_BYTES = 256 * 1024  # the deepest rules need a few kB
PAGE_BYTES = 64 * 1024  # of WebAssembly's memory
ENTRY = "call"  # the exported function
COUNTS = re.compile(r"^declare void @(NRT_(?:incref|decref))\(.*$", re.MULTILINE)
HOST = re.compile(r"^target (triple|datalayout) = .*$|^\$.* = comdat .*$| comdat(\(\$.*?\))?(?=[ ,{]|$)", re.MULTILINE)


def compile_module(function: Callable[..., int], memory_bytes: int) -> bytes:
    """A WebAssembly module of a function of seven numbers, as `native_rules.make_parts` describes them.

    It exports `memory`, `memory_bytes` large and free from `__heap_base` on, and `call`. That takes the address of the
    answer (int64), that of an exception, which is never written to, then the seven numbers; it returns 0. Raises
    `MissingExtra` where there is no linker, `RuntimeError` with its message where it fails.
    """
    compiled: Any = rule(function)
    compiled.compile(native_signature)
    overload = compiled.overloads[native_signature]
    name = overload.fndesc.llvm_func_name
    return _link(_object_code(overload.library._get_module_for_linking(), name), memory_bytes)


def _object_code(host: Any, name: str) -> bytes:
    """The object file of a function: Numba's module, whose code does not depend on the processor yet."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(opt=3, features=FEATURES)
    text = HOST.sub("", str(host)).replace(f"@{name}(", f"@{ENTRY}(")
    text = COUNTS.sub(r"define internal void @\1(ptr %memory) { ret void }", text)  # rules own no memory to count
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = TRIPLE, str(machine.target_data)

    # All other functions and variables are dropped where nothing uses them.
    for function in defined(module):
        function.linkage = "external" if function.name == ENTRY else "internal"
    for variable in module.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    module.verify()
    passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(3))
    passes.getModulePassManager().run(module, passes)
    code: bytes = machine.emit_object(module)
    return code


def _link(code: bytes, memory_bytes: int) -> bytes:
    """The module of an object file; the stack lies first, so that its overflow is an error and writes over nothing."""
    pages = -(-(memory_bytes + STACK_BYTES) // PAGE_BYTES)
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "rules.o", Path(folder) / "rules.wasm"
        source.write_bytes(code)
        options = ["--no-entry", "--strip-all", f"--export={ENTRY}", "--export=__heap_base", "--export-memory"]
        options += ["--stack-first", "-z", f"stack-size={STACK_BYTES}", f"--initial-memory={pages * PAGE_BYTES}"]
        command = [*linker(), *options, "-o", str(target), str(source)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode:
            raise RuntimeError(f"{command[0]} could not link the module: {run.stderr.strip()}")
        return target.read_bytes()


def linker() -> list[str]:
    """The command that links WebAssembly; raises `MissingExtra`."""
    if importlib.util.find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "wasm-ld"]
    program = shutil.which("wasm-ld")
    if program is None:
        raise MissingExtra(
            'WebAssembly needs a linker, of the extra `page`: pip install "rfop-env[page]", or install LLVM\'s wasm-ld'
        )
    return [program]
