"""Chains of branches made from a table: which rule serves which kind of frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rfop_env.compiler import rule


def chain(name: str, parameters: str, rules: Mapping[int, Callable[..., Any]], otherwise: Callable[..., Any]) -> Any:
    """A rule that calls, for a frame, the rule of its kind, or `otherwise` for a kind without one.

    `parameters`: those of the chain, such as "s, c, frame, mask". A rule of the table takes those that it names, and
    `kind` and `side`, which the chain reads from the frame.
    """
    kinds: dict[Callable[..., Any], list[int]] = {}
    for kind, function in rules.items():
        kinds.setdefault(function, []).append(kind)
    functions = [function for function in kinds if function is not otherwise]

    branches = [(" or ".join(f"kind == {kind}" for kind in kinds[function]), function) for function in functions]
    lines = [f"def {name}({parameters}):", "    kind = int(frame[0])", "    side = int(frame[1])"]
    for i, (condition, function) in enumerate(branches):
        lines += [f"    if {condition}:", f"        return rule_{i}({_parameters(function)})"]
    lines.append(f"    return otherwise({_parameters(otherwise)})")

    namespace: dict[str, Any] = {f"rule_{i}": function for i, function in enumerate(functions)}
    namespace |= {"__name__": __name__, "otherwise": otherwise}
    exec("\n".join(lines), namespace)
    return rule(namespace[name])


def _parameters(function: Any) -> str:
    """The names of a rule's parameters, in order."""
    code = getattr(function, "py_func", function).__code__
    return ", ".join(code.co_varnames[: code.co_argcount])
