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


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
