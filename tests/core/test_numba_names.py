"""The undocumented names of Numba that the compiler uses are there, are listed, and belong to a bounded version."""

import operator
import re
from pathlib import Path

import pytest

from rfop_env.compiler import JIT

pytestmark = pytest.mark.skipif(not JIT, reason="nothing is compiled with RFOP_JIT=0")

ROOT = Path(__file__).parents[2]
SOURCES = [*(ROOT / "rfop_env/compiler").glob("*.py"), ROOT / "rfop_env/core/cuda/rules.py"]


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
    from rfop_env.compiler.numba_names import NAMES

    missing = [f"{kind}.{name}" for kind in NAMES for name in NAMES[kind] if not hasattr(examples[kind], name)]
    assert not missing and NAMES.keys() == examples.keys()


def test_all_private_names_are_listed():
    from rfop_env.compiler.numba_names import NAMES

    text = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    private = set(re.findall(r"(?:\w\)?\.|\")(_[a-z]\w*)", re.sub(r'""".*?"""', "", text, flags=re.DOTALL)))
    own = set(re.findall(r"(?:self\.|def |rule\.)(_[a-z]\w*)(?:: .*)?(?: =|\()", text)) | {"_fields"}
    documented = set().union(*NAMES.values())
    assert private - own - documented == set() and documented <= private | own


def test_numba_is_bounded_by_the_version_that_was_probed():
    import numba

    from rfop_env.compiler.numba_names import PROBED

    major, minor = map(int, PROBED.split("."))
    assert f'"numba>=0.62,<{major}.{minor + 1}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert tuple(map(int, numba.__version__.split(".")[:2])) <= (major, minor)
