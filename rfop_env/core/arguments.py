"""Checks of what callers hand over: each returns the value, or raises one error that says what is wrong with it."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.errors import BadActions, BadArgument, shown

YES, NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off", "")  # of a variable, in any case


def whole_number(name: str, value: object, low: int, high: int | None = None) -> int:
    """An integer from `low` to `high`, as Python's own; otherwise `BadArgument`."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise BadArgument(f"{name}: expected an integer, found {shown(value)}")
    if value < low and high is None:
        raise BadArgument(f"{name} is at least {low}, not {shown(int(value))}")
    if high is not None and not low <= value <= high:
        raise BadArgument(f"{name} {shown(int(value))} is out of range {low} to {high}")
    return int(value)


def yes_or_no(name: str, value: object) -> bool:
    """True or False; otherwise `BadArgument`: a text like "no" would count as true."""
    if not isinstance(value, (bool, np.bool_)):
        raise BadArgument(f"{name}: expected True or False, found {shown(value)}")
    return bool(value)


def switch(name: str, default: bool) -> bool:
    """A yes-or-no variable of the environment: `default` where it is not set, `BadArgument` for any other word."""
    text = os.environ.get(name)
    if text is None:
        return default
    word = text.strip().lower()
    if word not in (*YES, *NO):
        raise BadArgument(
            f"the environment variable {name} is {shown(text)}: set it to 1 (or true, yes, on) or 0 (or false, no, off)"
        )
    return word in YES


def to_array(name: str, values: Any) -> NDArray[Any]:
    """An array of numbers or nested lists; `BadActions` for lists of different lengths."""
    try:
        return np.asarray(values)
    except (TypeError, ValueError) as error:
        raise BadActions(f"{name}: no array can be made of {shown(values)} ({error})") from None


def keywords(function: Callable[..., Any]) -> list[str]:
    """The names of a function's or a class's arguments that are given by name alone."""
    parameters = inspect.signature(function).parameters.values()
    return [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]


def memory_of_this_machine() -> int | None:
    """Bytes of main memory, or None where the system does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None
