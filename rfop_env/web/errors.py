"""What the server refuses, each with the HTTP status of its answer."""

from __future__ import annotations

from rfop_env.core.errors import RfopError


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
    """More games than the server keeps, all of them busy."""

    status = 503
