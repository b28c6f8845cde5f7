"""The base of all commands: a user's mistake is reported in one line with status 2, Ctrl-C ends with status 130.

SIGTERM, by which other programs end a process, does what Ctrl-C does, and ends with status 143.
"""

from __future__ import annotations

import argparse
import codecs
import functools
import os
import signal
import sys
import threading
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, ParamSpec

from rfop_env.core.errors import RfopError, printable, shown

USER_ERROR, INTERRUPTED, TERMINATED = 2, 130, 143
P = ParamSpec("P")

PLAIN = {"─": "-", "│": "|", "·": "-", "…": "~", "–": "-", "—": "-", "’": "'", "●": "o", "○": "o", "■": "#", "□": "#"}
LONGEST_ERROR = 3000  # characters of an error's line


class UsageError(RfopError, ValueError):
    """Something in the command line that does not fit."""


class Parser(argparse.ArgumentParser):
    """An argument parser that raises `UsageError` where argparse prints its usage and ends the process."""

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong, and name the help that says more."""
        raise UsageError(f"{message} ({self.prog} --help says more)")


class Help(argparse.HelpFormatter):
    """Help whose `examples` keep their lines."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith(EXAMPLES):
            return text
        return super()._fill_text(text, width, indent)


EXAMPLES = "examples:\n"


def examples(lines: str) -> str:
    """The end of a help text: command lines, one in each line."""
    return EXAMPLES + "\n".join(f"  {line}" for line in lines.splitlines())


def add_command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], int], text: str, epilog: str | None = None
) -> argparse.ArgumentParser:
    """Add a command to the subparsers of another; `text` says what it does, in its own help and in the list."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=text, description=f"{text[0].upper()}{text[1:]}.", epilog=epilog, formatter_class=Help
    )
    parser.set_defaults(run=run)
    return parser


def number(kind: type[int] | type[float], low: float, high: float) -> Callable[[str], Any]:
    """An argparse type: a number within bounds, which also refuses what is no number."""

    def read(text: str) -> Any:
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not low <= value <= high:
            raise argparse.ArgumentTypeError(f"expected a number from {low} to {high}, found {shown(text)}")
        return value

    return read


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
    by `stopped`. One that has a `problem`, as where an agent gives no answer, is an error. What a terminal cannot show
    is printed in plain letters, and output that nobody reads is no error.
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

                except BrokenPipeError:  # whoever read the output has gone, say `head`
                    _silence()
                    return 0

                except (RfopError, OSError) as error:
                    return _failed(name, str(error))

                except KeyboardInterrupt as interruption:
                    words = str(interruption) or stopped
                    if problem := getattr(interruption, "problem", None):
                        return _failed(name, f"{problem}; {words}" if words else str(problem))
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
    has already, and cannot have one outside of the main thread.
    """
    signals: list[int] = []

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

    in_main_thread = threading.current_thread() is threading.main_thread()
    takes_over = in_main_thread and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    if takes_over:
        signal.signal(signal.SIGTERM, terminate)
    try:
        yield lambda: bool(signals)
    finally:
        if takes_over:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


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
    return "".join(PLAIN.get(one[0], one[0] if one[0].isascii() else "?") for one in letters), error.end


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
