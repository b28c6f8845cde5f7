"""Training and evaluation: `train`, `evaluate` and `matrix` do what the commands of these names do, and return rows.

Importing this package loads no deep-learning library; the first use of a function does.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rfop_training.evaluation.matrix import matrix
    from rfop_training.evaluation.tasks import evaluate
    from rfop_training.training import train

__all__ = ["evaluate", "matrix", "train"]

_MODULES = {"evaluate": "evaluation.tasks", "matrix": "evaluation.matrix", "train": "training"}
_EXTRAS = {"evaluate": "evaluate", "matrix": "evaluate", "train": "train"}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = importlib.import_module(f"rfop_training.{_MODULES[name]}")
    except ModuleNotFoundError as error:
        if not error.name or error.name.startswith("rfop_"):
            raise
        from rfop_env.core.errors import MissingExtra

        extra = _EXTRAS[name]
        needs = f"{__name__}.{name} needs {error.name}, of the extra `{extra}`"
        raise MissingExtra(f'{needs}: pip install "rfop-env[{extra}]"') from error
    return getattr(module, name)


def __dir__() -> list[str]:
    return __all__
