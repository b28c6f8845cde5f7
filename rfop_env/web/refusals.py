"""Errors of the server, each with the HTTP status of its answer, and the bounds of the programs that it offers."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from rfop_env.agent_names import ROLLOUT, AgentSpec
from rfop_env.core.errors import RfopError, printable

LONGEST_NAME = 300  # characters of a program's name
MOST_SIMULATIONS = 20_000  # of a search for one decision
MOST_SECONDS = 60
MOST_DECISIONS = 5_000  # of the rollouts of one action
ROLLOUT_LENGTH = 24  # at most, of rollouts whose name has none: the longest that `rfop_agents.rollouts` gives a game


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


class ProgramFailed(Refused):
    """A program raised an error, or chose an action that is not legal."""

    status = 400


@contextmanager
def reporting_failures(name: str, work: str, but: type[RfopError] | tuple[()] = ()) -> Iterator[None]:
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


def require_bounded(spec: AgentSpec) -> None:
    """Raise `Refused` for an agent that would think for minutes; the agents themselves know no such limit."""
    start = printable(str(spec), 60)
    if spec.kind == ROLLOUT and int(spec.budget) * int(spec.length or ROLLOUT_LENGTH) > MOST_DECISIONS:
        raise Refused(f"{start}: draws times length are at most {MOST_DECISIONS:,}")
    if (spec.simulations or 0) > MOST_SIMULATIONS:
        raise Refused(f"{start}: a search has at most {MOST_SIMULATIONS:,} simulations a decision")
    if (spec.seconds or 0) > MOST_SECONDS:
        raise Refused(f"{start}: a search has at most {MOST_SECONDS:,} seconds a decision")
    if spec.opponent is not None:
        require_bounded(spec.opponent)
