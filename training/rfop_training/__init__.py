"""Training and evaluation: `train`, `evaluate` and `matrix` do what the commands of these names do, and return rows.

Importing this package loads no deep-learning library; the first use of a function does.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rfop_training.evaluation.matchups import evaluate
    from rfop_training.evaluation.matrix import matrix
    from rfop_training.training import train

__all__ = ["evaluate", "matrix", "train"]


_PLACES = {  # the module of each, and the extra that it needs
    "evaluate": ("rfop_training.evaluation.matchups", "evaluate"),
    "matrix": ("rfop_training.evaluation.matrix", "evaluate"),
    "train": ("rfop_training.training", "train"),
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, extra = _PLACES[name]
    try:
        return getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        if not error.name or error.name.startswith("rfop_"):
            raise
        from rfop_env.core.errors import MissingExtra

        needs = f"{__name__}.{name} needs {error.name}, of the extra `{extra}`"
        raise MissingExtra(f'{needs}: pip install "rfop-env[{extra}]"') from error


def __dir__() -> list[str]:
    return __all__
