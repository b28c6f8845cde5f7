"""The base of all commands: a user's mistake is reported in one line with status 2, Ctrl-C ends with status 130.

SIGTERM, by which other programs end a process, does what Ctrl-C does, and ends with status 143. A `Command` names a
module with `add_arguments(parser)` and `run(args)`. Every command takes its arguments from a file, too: `--config`.
People hand such files on with their runs, so none names what runs a program: that is typed.
"""

from __future__ import annotations

import _thread
import argparse
import codecs
import functools
import importlib
import math
import os
import re
import signal
import sys
import textwrap
import threading
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, ParamSpec

from rfop_env.agent_names import LANGUAGE_MODEL
from rfop_env.core.errors import MissingExtra, RfopError, UnknownName, nearest, printable, shown
from rfop_env.core.files import read_toml

USER_ERROR, INTERRUPTED, TERMINATED = 2, 130, 143
P = ParamSpec("P")

PLAIN = {"─": "-", "│": "|", "·": "-", "…": "~", "–": "-", "—": "-", "’": "'", "●": "o", "○": "o", "■": "#", "□": "#"}
MOST_CONFIG_BYTES = 2**20
LONGEST_ERROR = 3000  # characters of an error's line
AGAIN = 0.05  # seconds until an interruption that Python dropped comes again


class UsageError(RfopError, ValueError):
    """Something in the command line that does not fit."""


class Parser(argparse.ArgumentParser):
    """An argument parser without abbreviations, which raises `UsageError` with the nearest flag for an unknown one.

    Its help shows the first paragraph of the document of a command, and the examples of its indented second one.
    """

    def __init__(self, prog: str, document: str | None = None, **settings: Any) -> None:
        about, examples = [*(document or "").split("\n\n"), "", ""][:2]
        super().__init__(
            prog=prog,
            description=about,
            epilog=_examples(textwrap.dedent(examples)) if examples.startswith(" ") else None,
            allow_abbrev=False,
            formatter_class=Help,
            **settings,
        )

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong, and name the help that says more."""
        beginning, _, words = message.partition("unrecognized arguments: ")
        flag = words.split("=")[0].split(" ")[0]
        if not beginning and flag.startswith("--"):
            message = f"unknown flag {flag}: {nearest(flag, list(self._option_string_actions))}"
        raise UsageError(f"{message} ({self.prog} --help says more)")


class Help(argparse.HelpFormatter):
    """Help whose `examples` keep their lines."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith(EXAMPLES):
            return text
        return super()._fill_text(text, width, indent)


EXAMPLES = "examples:\n"


def _examples(lines: str) -> str:
    """The end of a help text: command lines, one in each line."""
    return EXAMPLES + "\n".join(f"  {line}" for line in lines.splitlines())


@dataclass(frozen=True)
class Command:
    """A command of `rfop`.

    `module` has `add_arguments(parser)` and `run(args)`, which returns the exit status; its docstring is the help. It
    may have `STOPPED`, a sentence for Ctrl-C, and `OTHER_WORDS = True` where `args.other_words` takes unknown words.
    """

    name: str  # one or two words: "evaluate", "train ppo"
    group: str  # the heading it stands under in the help
    text: str  # what it does
    module: str  # imported when the command is used; "module:Name" is a class there with the two functions
    extra: str = ""  # of rfop-env: it installs what the command needs beyond the package itself
    program: str = "rfop"  # that has the command

    def _code(self) -> Any:
        """The module, or the class in it, that has `add_arguments` and `run`."""
        module, _, name = self.module.partition(":")
        code = importlib.import_module(module)
        return getattr(code, name) if name else code

    def parser(self) -> Parser:
        """Its parser; imports its module. Raises `MissingExtra` where that needs an extra which is not installed."""
        with self._needing_its_extra():
            module = self._code()
        parser = Parser(f"{self.program} {self.name}", module.__doc__)
        module.add_arguments(parser)
        parser.add_argument(
            "--config", type=Path, metavar="FILE", help="a TOML file with arguments; those of the command line win"
        )
        parser.add_argument(
            "--register",
            type=environment,
            action="append",
            metavar="GAME",
            help="make a game of your own known: FILE.py, FILE.py:NAME or MODULE:NAME; may be repeated",
        )
        return parser

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        """The arguments of a command line, and of its `--config`. Raises `UsageError`, `UnreadableFile`."""
        parser, module = self.parser(), self._code()
        config = _config_path(words)
        lists = _take_defaults(parser, config, words) if config else {}
        if getattr(module, "OTHER_WORDS", False):
            args, other_words = parser.parse_known_args(words)
            args.other_words = other_words
        else:
            args = parser.parse_args(words)
        for name, value in lists.items():
            setattr(args, name, getattr(args, name) or value)
        return args

    @contextmanager
    def _needing_its_extra(self) -> Iterator[None]:
        try:
            yield
        except ModuleNotFoundError as error:
            if not self.extra or not error.name or error.name.startswith("rfop_"):
                raise
            raise MissingExtra(
                f"{self.program} {self.name} needs {error.name}, of the extra `{self.extra}`: "
                f'pip install "rfop-env[{self.extra}]"'
            ) from error

    def run(self, words: Sequence[str]) -> int:
        """Carry it out; returns the exit status. Raises `MissingExtra` as `parser` does."""
        args = self.parse(words)
        module = self._code()
        try:
            with self._needing_its_extra():
                status: int = module.run(args)
            return status
        except KeyboardInterrupt as interruption:
            if not interruption.args and hasattr(module, "STOPPED"):
                interruption.args = (module.STOPPED,)
            raise


def _config_path(words: Sequence[str]) -> Path | None:
    """The file that a command line names with `--config`."""
    finder = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    finder.add_argument("--config", type=Path)
    try:
        path: Path | None = finder.parse_known_args([str(word) for word in words])[0].config
    except argparse.ArgumentError:  # which the parser of the command reports
        return None
    return path


def _take_defaults(parser: Parser, path: Path, words: Sequence[str]) -> dict[str, Any]:
    """Make the arguments in a TOML file the defaults of a parser. Raises `UsageError`, `UnreadableFile`.

    Flags among the words of the command line win. Returns the values of flags that may be given again: a parser would
    add those of the command line to a default.
    """
    flags = {word.split("=")[0] for word in words}
    actions = {action.dest: action for action in parser._actions if action.dest not in ("help", "config")}
    lists = {}
    for key, value in read_toml(path, MOST_CONFIG_BYTES).items():
        action = actions.get(key.replace("-", "_"))
        if action is None:
            keys = [name.replace("_", "-") for name in actions]
            raise UsageError(f"{path}: {UnknownName('key', key, keys)}")
        if flags.isdisjoint(action.option_strings):
            _require_data(action, value, f"{path}: {key}")
        elif action.type is environment:  # which would register the game of the file
            continue
        default = _default(parser, action, value, f"{path}: {key}")
        action.required = False
        if isinstance(action, argparse._AppendAction):
            lists[action.dest] = default
            continue
        action.default = default
        if not action.option_strings:
            action.nargs = "*" if isinstance(action.default, list) else "?"
    return lists


def _require_data(action: argparse.Action, value: Any, place: str) -> None:
    """Raise `UsageError` for a game or an agent that is code: a file, a module, a language model's command."""
    for part in value if isinstance(value, list) else [value]:
        text = str(part)
        if is_code(text) if action.type is environment else re.search(rf"\.py:\w|\b{LANGUAGE_MODEL}\b", text):
            raise UsageError(f"{place}: {shown(part, 60)} runs a program: type it on the command line, not in a file")


def _default(parser: Parser, action: argparse.Action, value: Any, place: str) -> Any:
    """The value of a key as the command line would give it. Raises `UsageError`."""
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise UsageError(f"{place}: expected true or false, found {value!r}")
        return value
    if isinstance(value, dict):  # options of a game
        value = ",".join(f"{name}={part}" for name, part in value.items())
    several = action.nargs in ("+", "*") or isinstance(action, argparse._AppendAction)
    if isinstance(value, list) and (not several or not value):
        raise UsageError(f"{place}: expected one value{' or more' * several}, found {len(value)}")
    parts = value if isinstance(value, list) else [value]
    if problem := [part for part in parts if isinstance(part, list | dict | bool)]:
        raise UsageError(f"{place}: expected a text or a number, found {shown(problem[0])}")
    words = [str(part) for part in parts]
    try:
        return (
            [parser._get_values(action, [word]) for word in words]
            if several and action.nargs is None
            else (parser._get_values(action, words))
        )
    except argparse.ArgumentError as error:
        raise UsageError(f"{place}: {error.message}") from None


def number(kind: type[int] | type[float], low: float, high: float = 2**53) -> Callable[[str], Any]:
    """An argparse type: a number within bounds, which also refuses what is no number."""

    def read(text: str) -> Any:
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if low <= value <= high:
            return value
        form = "a whole number" if kind is int else "a number"
        expected = f"at least {low:,}" if value < low else f"at most {high:,}" if value > high else form
        raise argparse.ArgumentTypeError(f"expected {expected}, found {shown(text)}")

    return read


def is_code(environment: str) -> bool:
    """Whether an environment is named by where its game is, and not by its id."""
    return ":" in environment or environment.endswith(".py")


def environment(text: str) -> str:
    """An argparse type: an environment's id, or a game of one's own as `FILE.py`, `FILE.py:NAME` or `MODULE:NAME`.

    That runs the file or imports the module, and registers the game; without a name it is called `game` there.
    """
    if not is_code(text):
        return text
    from rfop_env.registry import register

    try:
        return register(f"{text}:game" if text.endswith(".py") else text)
    except RfopError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def output_file(text: str) -> Path:
    """An argparse type: a file to write, so that a wrong path is refused before the work and not after it."""
    path, name = Path(text), shown(text)
    if not text or "\0" in text or path.is_dir():
        raise argparse.ArgumentTypeError(f"expected a file to write, found {name}")
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"no folder {shown(str(path.parent))} for {name}: make it first")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"{name} may not be written")
    return path


def command(name: str = "error", stopped: str = "") -> Callable[[Callable[P, int]], Callable[P, int]]:
    """A decorator for a command's `main`, which returns the exit status.

    `RfopError` and `OSError` are printed to stderr after `name`, in one line; an interruption by its own words, or else
    by `stopped`. What a terminal cannot show is printed in plain letters, and a closed output is no error.
    """

    def decorate(main: Callable[P, int]) -> Callable[P, int]:
        @functools.wraps(main)
        def run(*args: P.args, **kwargs: P.kwargs) -> int:
            with sigterm_as_ctrl_c() as terminated:
                try:
                    _show_what_can_be_shown()
                    status = main(*args, **kwargs)
                    _flush()
                    return status

                except BrokenPipeError:  # the reader of the output has ended, say `head`
                    _silence()
                    return 0

                except (RfopError, OSError) as error:
                    return _failed(name, str(error))

                except KeyboardInterrupt as interruption:
                    words = str(interruption) or stopped
                    print()  # what was typed, or a bar, stays on its line
                    if words:
                        print(words, file=sys.stderr)
                    return TERMINATED if terminated() else INTERRUPTED

        return run

    return decorate


@contextmanager
def sigterm_as_ctrl_c() -> Iterator[Callable[[], bool]]:
    """In the block SIGTERM does what Ctrl-C does in a terminal: it reaches this process and those that it has started.

    Yields a function that says whether it has come. A second one changes nothing. The signal keeps a handler that it
    has already, and cannot have one outside of the main thread. Python drops what is raised within a destructor: an
    interruption that falls into one comes again.
    """
    signals: list[int] = []
    usual = sys.unraisablehook

    def terminate(number: int, frame: FrameType | None) -> None:
        if signals:
            return
        signals.append(number)
        if "multiprocessing" in sys.modules:
            for process in sys.modules["multiprocessing"].active_children():
                process.terminate()
        interrupt = signal.getsignal(signal.SIGINT)
        if not callable(interrupt):  # a shell starts jobs in the background so that they ignore Ctrl-C
            raise KeyboardInterrupt
        interrupt(signal.SIGINT, frame)

    def come_again(dropped: sys.UnraisableHookArgs) -> None:
        if not isinstance(dropped.exc_value, KeyboardInterrupt):
            return usual(dropped)
        number = signals.pop() if signals else signal.SIGINT
        threading.Timer(AGAIN, _thread.interrupt_main, [number]).start()

    in_main_thread = threading.current_thread() is threading.main_thread()
    takes_over = in_main_thread and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    if takes_over:
        signal.signal(signal.SIGTERM, terminate)
        sys.unraisablehook = come_again
    try:
        yield lambda: bool(signals)
    finally:
        if takes_over:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            sys.unraisablehook = usual


def _failed(name: str, words: str) -> int:
    """Print an error in one line; returns the exit status."""
    print(f"{name}: {printable(words, LONGEST_ERROR)}", file=sys.stderr)
    _flush_or_silence()
    return USER_ERROR


def _show_what_can_be_shown() -> None:
    """Characters that the terminal's encoding lacks are printed as plain ones; typed ones become question marks."""
    codecs.register_error("rfop.plain", _plain)
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="rfop.plain")


def _plain(error: UnicodeError) -> tuple[str, int]:
    """The handler of `codecs` that puts one ASCII character in the place of each: é as e, a drawn line as -."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = (unicodedata.normalize("NFKD", letter) for letter in error.object[error.start : error.end])
    return "".join(map(_plain_letter, letters)), error.end


def _plain_letter(letter: str) -> str:
    base = letter[0]
    return PLAIN.get(base, base if base.isascii() else "?")


def _flush() -> None:
    """Write what is still in the buffer now, where an error can be reported; not while Python shuts down."""
    if sys.stdout is not None:
        sys.stdout.flush()


def _flush_or_silence() -> None:
    try:
        _flush()
    except OSError:  # a full disk, which has been reported
        _silence()


def _silence() -> None:
    """Let what is left in the buffer go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
