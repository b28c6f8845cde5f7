"""What the server refuses, each with the HTTP status of its answer."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from rfop_env.core.errors import RfopError, printable


class Refused(RfopError):
    """Something that cannot be done as it was asked for; the game is as it was."""

    status = 400


class NotAllowed(Refused):
    """A request from another page, for another host, or without the link's token."""

    status = 403


class Unknown(Refused):
    """A game, moment or file that is not there."""

    status = 404


class Conflict(Refused):
    """A change of a game that has changed since, or in which a program thinks; the answer holds the present state."""

    status = 409


class TooLarge(Refused):
    """A body of more bytes than any request needs."""

    status = 413


class WrongKind(Refused):
    """A body that is not declared as JSON."""

    status = 415


class Full(Refused):
    """More games than the server keeps."""

    status = 503


class ProgramFailed(Refused):
    """A program raised an error, or chose an action that is not legal."""

    status = 400


@contextmanager
def failures_of(name: str, work: str, but: type[RfopError] | tuple[()] = ()) -> Iterator[None]:
    """Turn whatever a program raises in this block into `ProgramFailed`, except for errors of the class `but`.

    The terminal gets the traceback. The sentence names the error's class alone: its words may hold hidden cards.
    """
    try:
        yield
    except but:
        raise
    except BaseException as error:  # SystemExit too, which would end the server
        traceback.print_exception(error)
        kind = type(error).__name__
        text = f"{printable(name, 60)} could not {work} ({kind}): the terminal of 'rfop serve' says more"
        raise ProgramFailed(text) from error
