"""Rules as functions of the device: how Numba compiles them when a kernel calls them."""

from __future__ import annotations

from typing import Any

from numba.cuda import types
from numba.cuda.dispatcher import CUDADispatcher

from rfop_env.compiler.decorators import Rule

_FIT_INT64 = types.integer_domain - {types.uint64}


class DeviceRule(CUDADispatcher):
    """A rule on the device, compiled once for all widths of integers as on the processor (`compiler`)."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """The template of a call; Numba asks at every call of the rule."""
        _, folded = self.fold_argument_types(args, kws)
        return super().get_call_template(tuple(map(_widened, folded)), {})


def _widened(argument: Any) -> Any:
    """The type of a rule's parameter for an argument of this type: int64 for every integer that fits in."""
    kind = types.unliteral(argument)
    return types.int64 if kind in _FIT_INT64 else types.boolean if kind == types.boolean else argument


def _on_device(rule: Any) -> DeviceRule:
    known: DeviceRule | None = vars(rule).get("_on_device")
    if known is None:
        known = rule._on_device = DeviceRule(rule.py_func, {**rule.targetoptions, "device": True, "opt": True})
    return known


def use_device_rules() -> None:
    """Let Numba take `DeviceRule` for what a kernel on the device calls; it looks for it under this name."""
    Rule._CUDATypingContext__dispatcher = property(_on_device)
