"""The undocumented names of Numba that the compiler uses are there, are listed, and belong to a bounded version.

Before the upper bound of `numba` in `pyproject.toml` is raised, run `pytest tests/core` with the new version.
"""

import operator
import re
from pathlib import Path

import pytest

from rfop_env.compiler import JIT

pytestmark = pytest.mark.skipif(not JIT, reason="nothing is compiled with RFOP_JIT=0")

ROOT = Path(__file__).parents[2]
SOURCES = [*(ROOT / "rfop_env/compiler").glob("*.py"), ROOT / "rfop_env/core/cuda/rules.py"]

PROBED = "0.68"  # the newest version of Numba that `tests/core` has passed with

# By the kind of object that has the name, an example of which the test makes.
NAMES = {
    "dispatcher": {"_cache": "kernels are loaded from and saved to `kernel_cache.KernelCache`"},
    "result": {
        "_reduce": "the parts of a compiled kernel that are saved",
        "_rebuild": "makes a kernel of what was saved",
    },
    "library": {
        "_final_module": "the LLVM module of a rule, which is linked into kernels",
        "_linking_libraries": "what a rule or kernel calls",
        "_shared_module": "a rule as functions compiled by `numba.njit` link it",
        "_finalized": "a rule is finished when it is lowered, without native code",
        "_optimize_functions": "Numba sets up passes for declarations, too: half of the time",
        "_get_module_for_linking": "how Numba's own libraries ask for the code of a rule",
    },
    "codegen": {
        "_data_layout": "of the functions that `_optimize_functions` optimises",
        "_function_pass_manager": "the passes that `_optimize_functions` runs",
    },
    "function": {"_impl_keys": "`lookup_cache` adds the code of an integer conversion"},
    "intrinsic": {"_defn": "`code_digest` reads the function of an intrinsic"},
    "struct": {"_getvalue": "the LLVM value of an array that an intrinsic makes"},
}


@pytest.fixture(scope="module")
def examples():
    """An object of each kind that `NAMES` lists."""
    import numba
    from numba.core import cgutils, registry
    from numba.extending import intrinsic

    dispatcher = numba.njit(lambda x: x + 1)
    dispatcher(1)
    (result,) = dispatcher.overloads.values()
    return {
        "dispatcher": dispatcher,
        "result": result,
        "library": result.library,
        "codegen": result.library.codegen,
        "function": registry.cpu_target.typing_context.resolve_value_type(operator.add),
        "intrinsic": intrinsic(lambda typing: None),
        "struct": cgutils._StructProxy,
    }


def test_the_names_are_there(examples):
    missing = [f"{kind}.{name}" for kind in NAMES for name in NAMES[kind] if not hasattr(examples[kind], name)]
    assert not missing and NAMES.keys() == examples.keys()


def test_all_private_names_are_listed():
    text = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    private = set(re.findall(r"(?:\w\)?\.|\")(_[a-z]\w*)", re.sub(r'""".*?"""', "", text, flags=re.DOTALL)))
    own = set(re.findall(r"(?:self\.|def |rule\.)(_[a-z]\w*)(?:: .*)?(?: =|\()", text)) | {"_fields"}
    documented = set().union(*NAMES.values())
    assert private - own - documented == set() and documented <= private | own


def test_numba_is_bounded_by_the_version_that_was_probed():
    import numba

    major, minor = map(int, PROBED.split("."))
    assert f'"numba>=0.62,<{major}.{minor + 1}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert tuple(map(int, numba.__version__.split(".")[:2])) <= (major, minor)
