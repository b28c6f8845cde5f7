"""Every error a user can cause, one class each, all of them `RfopError`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pickle import PicklingError


class RfopError(Exception):
    """Base of all errors this package raises on purpose. They can be pickled, so that worker processes hand them on."""

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.args), vars(self)


def _rebuild(kind: type[RfopError], arguments: tuple[object, ...]) -> RfopError:
    """An error of the given words, without what its class makes of its own arguments."""
    return kind.__new__(kind, *arguments)


class UnknownName(RfopError, ValueError):
    """A name (environment, option, side, action, card, agent) that does not exist."""

    def __init__(self, what: str, name: object, valid: Iterable[object], hint: str = ""):
        self.name = name
        self.valid = [str(v) for v in valid]
        super().__init__(f"unknown {what} {name!r}: {hint or nearest(str(name), self.valid)}")


class UnknownKeyword(UnknownName, TypeError):
    """A keyword argument with a wrong name or value, where an environment is made.

    It is a `TypeError`, as Python's own for an unexpected keyword is: libraries that can do without an argument try it
    and catch that. The constructor takes the message, because `gymnasium.make` raises such errors again with more
    words.
    """

    def __init__(self, message: str):
        self.name: object = None
        self.valid: list[str] = []
        RfopError.__init__(self, message)


class UnknownOption(UnknownKeyword):
    """An option that neither the game nor the interface knows; the message names all that there are."""

    @classmethod
    def of(cls, game: str, name: object, options: list[str], arguments: list[str]) -> UnknownOption:
        """The error for an unknown option of a game with these options, through an interface with these arguments."""
        valid = [*options, *arguments]
        kinds = {"options of the game": options, "arguments": arguments}
        names_text = "; ".join(f"{kind}: {', '.join(names)}" for kind, names in kinds.items() if names)
        hint = closest(str(name), valid)

        # Libraries look for Python's own words before they try again without the keyword (TorchRL's GymEnv does).
        error = cls(
            f"unknown option of {game} {name!r} (unexpected keyword argument {name!r}): "
            f"{hint}{' ' * bool(hint)}{names_text or 'it has none'}"
        )
        error.name, error.valid = name, valid
        return error


class UnknownValue(UnknownKeyword):
    """A value that an argument of an interface cannot have; the message names all that it can."""

    @classmethod
    def of(cls, argument: str, name: object, valid: Iterable[object]) -> UnknownValue:
        """The error for an unknown value of an argument."""
        names = [str(value) for value in valid]
        error = cls(f"unknown value of {argument} {shown(name)}: {nearest(str(name), names)}")
        error.name, error.valid = name, names
        return error


class BadArgument(RfopError, ValueError):
    """An argument of the wrong kind or out of its range."""


class IllegalAction(RfopError, ValueError):
    """An action that the rules forbid now. The game is as it was before the call."""

    def __init__(self, message: str, *, game: int = 0, action: int = -1):
        self.game = game
        self.action = action
        super().__init__(message)


class BadActions(RfopError, TypeError):
    """An action array of the wrong shape or dtype. The games are as they were before the call."""


class UnclearMove(RfopError, ValueError):
    """A move in words that names no legal action, or several. The game is as it was."""


class GameOver(RfopError, RuntimeError):
    """An action for a game that has ended."""


class NotStarted(RfopError, RuntimeError):
    """A step or a look before the first reset."""


class BatchInUse(RfopError, RuntimeError):
    """A call of a batch during another call of it, by a second thread or a signal handler. No game has moved."""


class BadSeed(RfopError, ValueError):
    """A seed that is not an integer from 0 to 2**64 - 1, or the wrong number of seeds."""


class BadComponents(RfopError, ValueError):
    """A component file with a wrong row: says file, row, field, what was expected and what was found."""

    def __init__(self, file: object, row: str, field: str, expected: str, value: object):
        self.file = str(file)
        self.row = row
        self.field = field
        self.expected = expected
        self.value = value
        where = ": ".join(map(printable, (self.file, row, field)))
        super().__init__(f"{where}: expected {printable(expected)}, found {shown(value)}")


class BadPosition(RfopError, ValueError):
    """A saved position that cannot be loaded: other game, other version, other components, or faulty."""


class VersionMismatch(RfopError, RuntimeError):
    """An agent or checkpoint made for another version of an environment."""


class BadRule(RfopError, TypeError):
    """A rule that uses what compiled code cannot hold; the message names the rule, the value and what can be used."""


class CannotPickle(RfopError, PicklingError):
    """A game that no other process could rebuild."""


class MissingExtra(RfopError, ModuleNotFoundError):
    """An optional package that is not installed; the message has the command that installs it."""


class BrokenExtra(RfopError, ImportError):
    """An optional package that is installed and cannot be imported; the message and the cause say why."""


@contextmanager
def extra(name: str, purpose: str, *packages: str, install: str = "") -> Iterator[None]:
    """A context for imports that the extra `name` of this package makes possible.

    `purpose` begins the message, as in "a picture"; `packages` are the modules that the extra installs, by their names
    in Python; `install` are other words for `pip install` than the extra's. Raises `MissingExtra` if one of these
    modules is not there, and `BrokenExtra` for whatever else an import raises, both with the error as their cause.
    """
    command = f"pip install {install}" if install else f'pip install "rfop-env[{name}]"'
    try:
        yield
    except RfopError:
        raise
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and error.name in packages:
            raise MissingExtra(f"{purpose} needs {error.name}, of the extra `{name}`: {command}") from error
        raise BrokenExtra(
            f"{purpose} needs the extra `{name}`, which is installed but cannot be imported "
            f"({type(error).__name__}: {printable(str(error))}). Mend that, or install it anew: {command}"
        ) from error


class NoDevice(RfopError, RuntimeError):
    """A graphics card is asked for where none can be used; the message says why, and what to do."""


class InternalFault(RfopError, AssertionError):
    """A rule invariant was violated: a bug of this package, never the user's mistake."""


LONGEST_SHOWN = 500  # characters of a foreign value or name that a message repeats


def shown(value: object, most: int = LONGEST_SHOWN) -> str:
    """A value as Python writes it, cut where it gets long; it never fails, whatever the value holds."""
    try:
        return printable(repr(value), most)
    except (ValueError, RecursionError):  # an integer of thousands of digits; lists in lists in lists
        return f"{type(value).__name__} too large to show"


def printable(text: str, most: int = LONGEST_SHOWN) -> str:
    """A text in one line that no terminal obeys: other characters as Python escapes them, cut where it gets long."""
    cut = text if len(text) <= most else f"{text[:most]}..."
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in cut)


def nearest(name: str, valid: list[str]) -> str:
    """A hint with the closest valid names, or with all of them, when they are few, where none is close."""
    listing = ", ".join(repr(v) for v in valid[:20])
    return closest(name, valid) or f"valid: {listing}" + (", ..." if len(valid) > 20 else "")


def closest(name: str, valid: list[str]) -> str:
    """A question that names the closest valid names, three at most; empty where none is close."""
    from difflib import get_close_matches  # only where something is wrong

    close = get_close_matches(name.lower(), [v.lower() for v in valid], n=3, cutoff=0.5)
    names = [v for c in close for v in valid if v.lower() == c]
    return f"did you mean {' or '.join(repr(n) for n in dict.fromkeys(names))}?" if names else ""
