"""The rules of a game on disk, as LLVM bitcode: what the next kernel of the game starts from, in any process.

Within a process, all kernels share what was compiled of a rule. Here it is kept for other processes: one file for each
game, beside its compiled kernels and guarded like them. A rule is found by its name and the types of its arguments.
Kept are rules that a module defines under a name of their own, in a folder whose content the file is for, if all rules
that they call are kept too. Rules made within functions, and those whose code holds addresses, every process compiles.
"""

from __future__ import annotations

import contextlib
import pickle
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import llvmlite.binding as llvm
from numba.core.caching import NullCache
from numba.core.codegen import RuntimeLinker
from numba.core.compiler import compile_result
from numba.core.environment import lookup_environment
from numba.core.serialize import dumps

from rfop_env.core.compilers import usable
from rfop_env.core.kernel_cache import folder_of, key_of, read_whole, say, write_whole
from rfop_env.core.linking import RuleLibrary, defined, global_names

ENVIRONMENT = "_ZN08NumbaEnv"  # how the names of environments begin
ADDRESSES = "numba.dynamic.globals", RuntimeLinker.PREFIX  # and those of what holds addresses of one process
Key = tuple[str, tuple[Any, ...]]  # a rule's name and the types of its arguments


class KeptRule(NamedTuple):
    """A rule as it lies on disk."""

    fndesc: Any
    signature: Any
    environment: Any
    environments: list[Any]  # of functions of Numba that its code holds
    callees: list[Key]  # rules that it calls
    code: bytes  # bitcode


class Origin(NamedTuple):
    """The rule that a library holds the code of."""

    cache: RuleCache | None  # None: it comes from a file
    key: Key
    rule: Any  # what came of compiling it, or the kept rule


class KeptLibrary(RuleLibrary):
    """The code of a kept rule, which is read when it is linked: no kernel needs all of them."""

    def __init__(self, codegen: Any, key: Key, kept: KeptRule):
        self._code: bytes | None = None
        super().__init__(codegen, kept.fndesc.qualname)
        self._code = kept.code
        self._finalized = True
        self.origin = Origin(None, key, kept)
        self.environments = {one.env_name: one for one in (kept.environment, *kept.environments)}

    @property
    def _final_module(self) -> Any:
        if self._code is not None:
            self._module = llvm.parse_bitcode(self._code)
            self._code = None
        return self._module

    @_final_module.setter
    def _final_module(self, module: Any) -> None:
        self._module = module


class RuleCache(NullCache):
    """The cache of one rule, which Numba asks before it compiles the rule, and hands what it compiled."""

    _made: ClassVar[Counter[str]] = Counter()

    def __init__(self, function: Callable[..., Any]):
        self.name = f"{function.__module__}.{function.__qualname__}"
        self.file = Path(function.__code__.co_filename)
        self._made[self.name] += 1

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The rule for the argument types `sig`, as the file of the kernel that is being compiled has it, or None."""
        return None if RuleStore.in_use is None else RuleStore.in_use.find((self.name, tuple(sig)), target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Remember where code comes from."""
        if isinstance(data.library, RuleLibrary):
            data.library.origin = Origin(self, (self.name, tuple(sig)), data)

    def belongs_to(self, folders: tuple[Path, ...]) -> bool:
        """True if the content of these folders, and the name, identify the rule."""
        alone = self._made[self.name] == 1 and "<" not in self.name
        return alone and any(self.file.is_relative_to(folder) for folder in folders)


class RuleStore:
    """The kept rules of the Python files in `folders`, for one kernel; without folders nothing is kept."""

    in_use: ClassVar[RuleStore | None] = None  # that of the kernel which is being compiled, under Numba's lock

    def __init__(self, folders: tuple[Path, ...]):
        self._folders = folders
        self._path: Path | None = None
        self._rules: dict[Key, KeptRule] | None = None
        self._libraries: dict[Key, KeptLibrary] = {}

    def open(self, codegen: Any) -> bool:
        """Look for rules here from now on; says whether there are any."""
        RuleStore.in_use = self
        self._rules = None
        self._libraries = {}
        self._path = None

        folder = folder_of(f"{self._folders[-1].name}.rules", self._folders) if self._folders and usable() else None
        if folder is not None:
            self._path = folder / f"{key_of(codegen)}.nbr"
        return self._path is not None and self._path.is_file()

    def close(self, kernel: Any) -> None:
        """Keep the rules in the code of a kernel that was compiled, and look here no longer."""
        RuleStore.in_use = None
        if self._path is None:
            return
        try:
            rules = self._read()  # anew: another process may have added to them
            selection = _Selection(self._folders, rules)
            for library in kernel.rules:
                selection.has(library)
            if selection.added:
                write_whole(self._path, dumps(rules | selection.added))
        except Exception as error:  # they are compiled: whatever keeps their copy from the disk, they can be used
            say(f"rules are not kept for other kernels: {getattr(error, 'strerror', None) or error} ({self._path})")
        self._rules, self._libraries = None, {}

    def find(self, key: Key, target: Any) -> Any:
        """A rule as Numba would have compiled it, or None."""
        if self._rules is None:
            self._rules = self._read()
        if key not in self._rules:
            return None
        kept, library = self._rules[key], self._library(key, target.codegen())
        return compile_result(
            typing_context=target.typing_context, target_context=target, library=library, signature=kept.signature,
            fndesc=kept.fndesc, environment=kept.environment, objectmode=False, lifted=(), reload_init=[],
            entry_point=target.get_executable(library, kept.fndesc, kept.environment),
        )  # fmt: skip

    def _library(self, key: Key, codegen: Any) -> KeptLibrary:
        """The code of a kept rule, with that of its callees behind it."""
        if key not in self._libraries:
            assert self._rules is not None
            library = self._libraries[key] = KeptLibrary(codegen, key, self._rules[key])
            for callee in self._rules[key].callees:
                library.add_linking_library(self._library(callee, codegen))
        return self._libraries[key]

    def _read(self) -> dict[Key, KeptRule]:
        """The rules in the file: none, if it is damaged or of another kind."""
        with contextlib.suppress(Exception):
            rules = pickle.loads(read_whole(self._path) or b"") if self._path is not None else None
            if isinstance(rules, dict) and all(isinstance(kept, KeptRule) for kept in rules.values()):
                return rules
        return {}


def _symbol(rule: Any) -> str:
    """The name that its callers' code knows a rule by."""
    return str(rule.fndesc.mangled_name)


class _Selection:
    """Chooses the rules of a kernel that are added to those in a file."""

    def __init__(self, folders: tuple[Path, ...], rules: dict[Key, KeptRule]):
        self._folders, self._rules = folders, rules
        self.added: dict[Key, KeptRule] = {}
        self._known: dict[RuleLibrary, bool] = {}

    def has(self, library: RuleLibrary) -> bool:
        """True if the file has the rule, or will have it together with its callees."""
        if library not in self._known:
            self._known[library] = False  # the answer for rules that call each other in a circle
            self._known[library] = self._had(library) or self._adds(library)
        return self._known[library]

    def _had(self, library: RuleLibrary) -> bool:
        origin = library.origin
        return (
            origin is not None
            and origin.key in self._rules
            and _symbol(self._rules[origin.key]) == _symbol(origin.rule)
        )

    def _adds(self, library: RuleLibrary) -> bool:
        origin = library.origin
        if origin is None or origin.cache is None or origin.key in self._rules or library._reload_init:
            return False
        if not origin.cache.belongs_to(self._folders):
            return False

        # The rules that it calls are kept first.
        callees = [one for one in dict.fromkeys(library._linking_libraries) if one is not library]
        rules = [one for one in callees if isinstance(one, RuleLibrary)]
        if not all(self.has(one) for one in rules):
            return False

        # Code that holds addresses of this process cannot be kept.
        module = _with_functions_of_numba(library, [one for one in callees if not isinstance(one, RuleLibrary)])
        names = list(global_names(module))
        environments = [lookup_environment(name) for name in names if name.startswith(ENVIRONMENT)]
        if any(name.startswith(ADDRESSES) for name in names) or not all(
            one and one.can_cache() for one in environments
        ):
            return False

        rule = origin.rule
        rule.fndesc.typemap = rule.fndesc.calltypes = None  # only lowering needs them, and they may not be picklable
        self.added[origin.key] = KeptRule(
            rule.fndesc, rule.signature, rule.environment, environments, [one.origin.key for one in rules],
            module.as_bitcode(),
        )  # fmt: skip
        return True


def _with_functions_of_numba(library: RuleLibrary, functions: list[Any]) -> Any:
    """A rule's module, with what it calls of Numba inside and out of sight.

    Numba tells functions of one name apart by numbers that it counts anew in every process.
    """
    module = library._final_module.clone()
    own = {function.name for function in defined(module)}
    for one in functions:
        module.link_in(one._get_module_for_linking(), preserve=True)
    for function in defined(module):
        if function.name not in own:
            function.linkage = "internal"
    return module
