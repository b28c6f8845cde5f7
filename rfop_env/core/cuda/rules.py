"""Rules as functions of the device: how Numba compiles them when a kernel calls them."""

from __future__ import annotations

from typing import Any

from numba.cuda import types
from numba.cuda.dispatcher import CUDADispatcher

from rfop_env.compiler.decorators import Rule, widened


class DeviceRule(CUDADispatcher):
    """A rule on the device, compiled once for all widths of integers as on the processor."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """The template of a call; Numba asks at every call of the rule."""
        _, folded = self.fold_argument_types(args, kws)
        return super().get_call_template(tuple(widened(kind, types) for kind in folded), {})


def _on_device(rule: Any) -> DeviceRule:
    device_rule: DeviceRule | None = vars(rule).get("_on_device")
    if device_rule is None:
        device_rule = rule._on_device = DeviceRule(rule.py_func, {**rule.targetoptions, "device": True, "opt": True})
    return device_rule


def use_device_rules() -> None:
    """Let Numba use `DeviceRule` for the rules that a kernel on the device calls: it looks for it under this name."""
    Rule._CUDATypingContext__dispatcher = property(_on_device)
