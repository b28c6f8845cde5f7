"""Compilation of rules: `rule` and `small_rule` mark functions of a game's rules, `kernel` a loop that calls them."""

from rfop_env.compiler.decorators import JIT, PARALLEL, kernel, rule, small_rule

__all__ = ["JIT", "PARALLEL", "kernel", "rule", "small_rule"]
