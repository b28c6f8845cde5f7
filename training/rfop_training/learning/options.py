"""Command-line options from a dataclass: each field states its default, help text and valid values in one place."""

from __future__ import annotations

import argparse
import json
import math
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from rfop_env.command_line import Parser, environment
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.game_setup import add_option, option_text, parse_options

Arguments = TypeVar("Arguments")


@dataclass(frozen=True)
class Range:
    """The finite numbers from `low` to `high`, without `low` itself if `above`."""

    low: float
    high: float = math.inf
    above: bool = False

    def __contains__(self, value: Any) -> bool:
        reached = self.low < value if self.above else self.low <= value
        return bool(reached and value <= self.high and value != math.inf)

    def __str__(self) -> str:
        low = f"above {self.low:,}" if self.above else f"at least {self.low:,}"
        return low if self.high == math.inf else f"{low} and at most {self.high:,}"


def argument(
    default: Any, text: str, values: Range | Sequence[str] | None = None, fixed: Callable[[Any], Any] | None = None
) -> Any:
    """A field of a trainer's arguments, and so an option of its command line.

    `text` is the help. `values` is the range of a number, or the choices of a text. `fixed` is given where a resumed
    run needs the value it started with: the checkpoint stores `fixed(value)`.
    """
    return field(default=default, metadata={"help": text, "values": values, "fixed": fixed})


def changed(base: type, name: str, default: Any, **metadata: Any) -> Any:
    """The field `name` of a base class with another default, and where given another help text, range or `fixed`."""
    inherited = next(f for f in fields(base) if f.name == name)
    return field(default=default, metadata={**inherited.metadata, **metadata})


def add_fields(parser: argparse.ArgumentParser, kind: type) -> None:
    """Add an option for each field of a dataclass of arguments."""
    for f in fields(kind):
        flag, text = flag_of(f.name), f.metadata["help"]
        assert f.default is not MISSING
        if f.name == "option":
            add_option(parser)
        elif isinstance(f.default, bool):
            parser.add_argument(flag, action="store_true", help=text)
        else:
            parse = Path if isinstance(f.default, Path) else environment if f.name == "env" else type(f.default)
            usual = "" if f.default == "" else " (default: %(default)s)"
            parser.add_argument(flag, type=parse, default=f.default, help=f"{text}{usual}")


def arguments_of(kind: type[Arguments], args: argparse.Namespace) -> Arguments:
    """The dataclass of a parsed command line. Raises `RfopError`."""
    values = {f.name: getattr(args, f.name) for f in fields(kind)}  # type: ignore[arg-type]
    if "option" in values:  # one text, so that a run can store them
        values["option"] = option_text(parse_options(values["option"]))
    arguments = kind(**values)
    check_arguments(arguments)
    return arguments


def parse_arguments(kind: type[Arguments], words: Sequence[str]) -> Arguments:
    """The dataclass of the words of a command line. Raises `RfopError`."""
    parser = Parser("rfop train")
    add_fields(parser, kind)
    return arguments_of(kind, parser.parse_args(words))


def command_of(trainer: str, arguments: Any) -> str:
    """The shell command that repeats a run of a trainer.

    It is the command that was typed, if that called the trainer. Where another program trains (a best response, a
    notebook, a process for one of several seeds), or a file was given, it has each argument that differs from its
    default.
    """
    words = ["train", trainer]
    typed = sys.argv[3:]
    called = sys.argv[1:3] == words and not any(word.startswith("--config") for word in typed)
    return shlex.join(["rfop", *words, *(typed if called else words_of(arguments))])


def words_of(arguments: Any) -> list[str]:
    """The words of a command line that `parse_arguments` reads as these arguments."""
    words = []
    for f in fields(arguments):
        value = getattr(arguments, f.name)
        if value != f.default:
            words += [flag_of(f.name)] if isinstance(f.default, bool) else [flag_of(f.name), str(value)]
    return words


def config_of(arguments: Mapping[str, Any]) -> str:
    """The TOML file that `--config` reads as these values by name, under the names of their flags.

    `resume` and `quiet` are left out: the file begins a run, however it is watched.
    """
    names = [name for name in arguments if name not in ("resume", "quiet")]
    return "".join(f"{flag_of(name).removeprefix('--')} = {_toml(arguments[name])}\n" for name in names)


def _toml(value: Any) -> str:
    """A text, a number or a truth value as TOML has it; of JSON's escapes it lacks that of DEL alone."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def flag_of(name: str) -> str:
    """The command-line flag of a field: `--num-envs` for `num_envs`."""
    return "--" + name.replace("_", "-")


def check_arguments(arguments: Any) -> None:
    """Raise `RfopError` for a value that has another type than its default, or is out of its range."""
    for f in fields(arguments):
        value, values, kind = getattr(arguments, f.name), f.metadata["values"], type(f.default)
        if kind in (int, float):
            _check_number(flag_of(f.name), value, kind, values)
        elif not isinstance(value, Path if issubclass(kind, Path) else kind):
            raise RfopError(f"{flag_of(f.name)}: expected a {kind.__name__}, found {value!r}")
        elif values is not None and value not in values:
            raise UnknownName(f"value of {flag_of(f.name)}", value, values)


def _check_number(flag: str, value: Any, kind: type, values: Range) -> None:
    types = (int, np.integer) if kind is int else (int, float, np.integer, np.floating)
    if isinstance(value, bool) or not isinstance(value, types) or value not in values:
        expected = "a whole number" if kind is int else "a number"
        raise RfopError(f"{flag}: expected {expected}, {values}; found {value!r}")


def fixed_values(arguments: Any) -> dict[str, str]:
    """The values that a resumed run must share with its checkpoint, as text by name."""
    return {
        f.name: str(f.metadata["fixed"](getattr(arguments, f.name)))
        for f in fields(arguments)
        if f.metadata["fixed"] is not None
    }
