"""The state of a session as it is sent to the browser, without anything that is hidden from its viewer.

Pictures are drawn for the seat that looks. The log holds what everybody at the table has seen (the journal). Legal
actions are sent to the person who decides and to nobody else. Behind a curtain nothing but the log is sent. The seed,
which all hidden cards follow from, is sent once the game is over.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rfop_env.agent_names import PERSON
from rfop_env.players import Thought
from rfop_env.seat_view import SeatView
from rfop_env.web.game_session import GameSession, SessionMoment
from rfop_env.web.refusals import Refused, reporting_failures
from rfop_env.web.session import Session

BEST = 3  # actions of a hint


def session_state(session: GameSession, looking: int | None = None) -> dict[str, Any]:
    """The present position, with everything that the page shows of it; `rfop_env.web.protocol` lists the entries.

    `looking`: the seat whose view is asked for, where the session leaves it open (`Session.viewer`).
    """
    with session.lock:
        number, seat = len(session.moments) - 1, _viewer(session, looking)
        newest = session.newest
        view = _seat_view(session, newest)
        return {
            "id": session.id,
            "version": session.version,
            "game": session.game.id,
            "title": session.game.title,
            "seats": [{"name": side, "player": name} for side, name in zip(view.sides, session.seats, strict=True)],
            "options": session.options,
            "decider": newest.decider,
            "viewer": seat,
            "free": session.viewer is None and session.curtain is None,
            "secrets_of": session.secrets_of,
            "curtain": session.curtain,
            "asks": session.asks_person,
            "thinking": session.thinking,
            "problem": session.problem,
            "over": session.over,
            "result": view.result if session.over else "",
            "seed": str(session.seed) if session.over and session.seed is not None else None,
            "moment": number,
            "deciders": [moment.decider for moment in session.moments],
            "svg": _picture(session, number, seat),
            "actions": [action_entry(session, action) for action in newest.legal] if session.asks_person else [],
            "log": [moment.lines for moment in session.moments],
        }


def moment_view(session: GameSession, number: int, looking: int | None = None) -> dict[str, Any]:
    """A moment of the game as the looking seat saw it then."""
    with session.lock:
        moment = session.moment(number)
        return {"moment": number, "svg": _picture(session, number, _viewer(session, looking)), "lines": moment.lines}


def session_summary(session: GameSession) -> dict[str, Any]:
    """A line for the list of open games."""
    return {
        "id": session.id,
        "title": session.game.title,
        "who": ", ".join("you" if name == PERSON else name for name in session.seats),
        "moment": len(session.moments) - 1,
        "over": session.over,
    }


# -- hints -------------------------------------------------------------------------------------------------------------


def hint_view(session: Session, version: int, name: str) -> dict[str, Any]:
    """The best actions of the person's decision by a program, with its figures; raises what `Session.hint` raises.

    `Conflict` where the game has changed meanwhile: somebody else may look now.
    """
    thought = session.hint(version, name)
    with session.lock:
        session.require_version(version)
        with reporting_failures(name, "give a hint"):
            return {
                "program": name,
                "value": _rounded(thought.value),
                "best": [action_entry(session, a) | _figures(thought, a) for a in _best_actions(thought)],
            }


def _best_actions(thought: Thought) -> list[int]:
    """The action that a program would take, and the next ones by its visits, or else by its probabilities."""
    best = [int(thought.action)]
    ranks = thought.probs if thought.visits is None else thought.visits
    if ranks is not None:
        order = np.argsort(-ranks, kind="stable").tolist()
        best += [action for action in order if ranks[action] > 0 and action != thought.action]
    return best[:BEST]


def _figures(thought: Thought, action: int) -> dict[str, Any]:
    return {
        "visits": None if thought.visits is None else int(thought.visits[action]),
        "value": None if thought.values is None else _rounded(float(thought.values[action])),
        "prob": None if thought.probs is None else _rounded(float(thought.probs[action])),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else round(value, 4)


# -- parts -------------------------------------------------------------------------------------------------------------


def _seat_view(session: GameSession, moment: SessionMoment, seat: int = 0) -> SeatView:
    return SeatView(session.game, moment.record, session.batch.components, seat)


def action_entry(session: GameSession, action: int) -> dict[str, Any]:
    """A legal action of the present position in words."""
    return _seat_view(session, session.newest).action(action).page_entry


def _viewer(session: GameSession, looking: int | None) -> int | None:
    """The seat whose view is shown; `Refused` for another than the session allows."""
    players = session.game.spec.players
    if looking is not None and not 0 <= looking < players:
        raise Refused(f"seat {looking} is out of range 0 to {players - 1}")
    if session.viewer is not None or session.curtain is not None:
        if looking not in (None, session.viewer):
            raise Refused("what another seat sees is shown once the game is over")
        return session.viewer
    return next(iter(session.people), 0) if looking is None else looking


def _picture(session: GameSession, number: int, seat: int | None) -> str:
    """A moment drawn for a seat, and nothing behind a curtain. Parts that can be chosen now carry their actions.

    What has changed since `_compared_moment` is marked.
    """
    if session.curtain is not None or seat is None:
        return ""
    moment, previous = session.moments[number], _compared_moment(session, number, seat)
    can_choose = session.asks_person and moment is session.newest
    return _seat_view(session, moment, seat).svg(
        moment.legal if can_choose else [], None if previous is None else previous.record
    )


def _compared_moment(session: GameSession, number: int, seat: int) -> SessionMoment | None:
    """The moment that changes are marked against: where the others' last turn began, or else the one before.

    So a person sees what the others did, and what the own turn has changed so far. None for the first moment.
    """
    if number == 0:
        return None
    start = number
    while start > 0 and session.moments[start - 1].decider == seat:
        start -= 1
    first = start
    while first > 0 and session.moments[first - 1].decider != seat:
        first -= 1
    return session.moments[first if first < start and session.people else number - 1]
