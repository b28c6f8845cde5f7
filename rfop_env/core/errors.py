"""Every error a user can cause, one class each, all of them `RfopError`."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class RfopError(Exception):
    """Base of all errors this package raises on purpose."""


class UnknownName(RfopError, ValueError):
    """A name (environment, option, side, action, card, agent) that does not exist."""

    def __init__(self, what: str, given: object, valid: Iterable[object]):
        self.given, self.valid = given, [str(v) for v in valid]
        super().__init__(f"unknown {what} {given!r}: {nearest(str(given), self.valid)}")


class IllegalAction(RfopError, ValueError):
    """An action that the rules forbid now. The game is as it was before the call."""

    def __init__(self, message: str, *, game: int = 0, action: int = -1):
        self.game, self.action = game, action
        super().__init__(message)


class BadActions(RfopError, TypeError):
    """An action array of the wrong shape or dtype. The games are as they were before the call."""


class GameOver(RfopError, RuntimeError):
    """An action for a game that has ended."""


class NotStarted(RfopError, RuntimeError):
    """A step or a look before the first reset."""


class BadSeed(RfopError, ValueError):
    """A seed that is not an integer from 0 to 2**64 - 1, or the wrong number of seeds."""


class BadComponents(RfopError, ValueError):
    """A component file with a wrong row: says file, row, field, what was expected and what was found."""

    def __init__(self, file: object, row: str, field: str, expected: str, found: object):
        self.file, self.row, self.field, self.expected, self.found = str(file), row, field, expected, found
        super().__init__(f"{file}: {row}: {field}: expected {expected}, found {found!r}")


class BadPosition(RfopError, ValueError):
    """A saved position that cannot be loaded: other game, other version, other components, or faulty."""


class VersionMismatch(RfopError, RuntimeError):
    """An agent or checkpoint made for another version of an environment."""


class InternalFault(RfopError, AssertionError):
    """The rules reached a state that they should never reach: a bug of this package."""


def nearest(given: str, valid: list[str], most: int = 3) -> str:
    """A hint with the closest valid names first, the rest only when there are few."""
    close = get_close_matches(given.lower(), [v.lower() for v in valid], n=most, cutoff=0.5)
    names = [v for c in close for v in valid if v.lower() == c]
    if names:
        return "did you mean " + " or ".join(repr(n) for n in dict.fromkeys(names)) + "?"
    shown = ", ".join(repr(v) for v in valid[:20])
    return f"valid: {shown}" + (", ..." if len(valid) > 20 else "")
