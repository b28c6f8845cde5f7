"""What all commands of the package do alike: a user's mistake is one line and status 2, Ctrl-C ends with status 130."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import ParamSpec

from rfop_env.core.errors import RfopError

USER_ERROR, INTERRUPTED = 2, 130
P = ParamSpec("P")


def command(name: str = "error", stopped: str = "") -> Callable[[Callable[P, int]], Callable[P, int]]:
    """A decorator for a command's `main`, which returns the exit status.

    `RfopError` and `OSError` are told on stderr after `name`; an interruption by its own words, or else by `stopped`.
    """

    def decorate(main: Callable[P, int]) -> Callable[P, int]:
        @functools.wraps(main)
        def run(*given: P.args, **told: P.kwargs) -> int:
            try:
                return main(*given, **told)
            except BrokenPipeError:  # whoever read the output has gone, say `head`
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                return 0
            except (RfopError, OSError) as error:
                print(f"{name}: {error}", file=sys.stderr)
                return USER_ERROR
            except KeyboardInterrupt as interruption:
                print()  # what was typed, or a bar, stays on its line
                if words := str(interruption) or stopped:
                    print(words, file=sys.stderr)
                return INTERRUPTED

        return run

    return decorate
