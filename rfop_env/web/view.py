"""What the browser is sent of a session: the gate that hidden information does not pass.

Pictures are drawn for the seat that looks. The log holds what everybody at the table has seen (the journal). Legal
actions are sent to the person who decides and to nobody else. Behind a curtain nothing but the log is sent. The seed,
which all hidden cards follow from, is sent once the game is over.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rfop_env.action_words import action_label, action_sentence, card_of, result_sentence
from rfop_env.agent_names import PERSON
from rfop_env.core.errors import printable
from rfop_env.players import Thought
from rfop_env.web.refusals import Refused, failures_of
from rfop_env.web.session import NO_SEAT, Moment, Session

BEST = 3  # actions of a hint


def state_of(session: Session, looking: int | None = None) -> dict[str, Any]:
    """Everything that the page shows of the present position.

    `looking`: the seat whose view is asked for, where the session leaves it open (`Session.viewer`).
    """
    with session.lock:
        return _state(session, looking)


def _state(session: Session, looking: int | None) -> dict[str, Any]:
    names = session.game.seat_names(_record(session.now))
    seat = _looking(session, looking)
    return {
        "id": session.id,
        "version": session.version,
        "game": session.game.id,
        "title": session.game.title,
        "seats": [{"name": names[k], "player": name} for k, name in enumerate(session.seats)],
        "options": session.options,
        "decider": session.now.decider,
        "viewer": seat,
        "free": session.viewer is None and session.curtain is None,
        "secrets_of": session.secrets_of,
        "curtain": session.curtain,
        "asks": session.asks_person,
        "thinking": session.thinking,
        "problem": printable(session.problem),
        "over": session.over,
        "result": _result(session) if session.over else "",
        "seed": str(session.seed) if session.over and session.seed is not None else None,
        "moment": len(session.moments) - 1,
        "deciders": [moment.decider for moment in session.moments],
        "svg": _picture(session, len(session.moments) - 1, seat),
        "actions": [_action(session, action) for action in session.now.legal] if session.asks_person else [],
        "log": [moment.lines for moment in session.moments],
    }


def moment_of(session: Session, number: int, looking: int | None = None) -> dict[str, Any]:
    """A moment of the game as the looking seat saw it then."""
    with session.lock:
        moment = session.moment(number)
        return {"moment": number, "svg": _picture(session, number, _looking(session, looking)), "lines": moment.lines}


def cards_of(session: Session) -> dict[str, Any]:
    """All cards of the component set, which everybody may read: what each does, and where its text comes from."""
    components = session.batch.components
    if not hasattr(components, "card_title"):
        return {}
    return {
        str(number): {
            "title": components.card_title(number),
            "does": list(components.event_sentences(number)),
            "provenance": components.provenance(number),
        }
        for number in components.numbers
    }


def hint_of(session: Session, version: int, name: str) -> dict[str, Any]:
    """The best actions of the person's decision by a program, with what it knows of each; what `Session.hint` raises.

    `Conflict` where the game has changed meanwhile: somebody else may look now.
    """
    thought = session.hint(version, name)
    with session.lock:
        session.require_version(version)
        with failures_of(name, "give a hint"):
            return {
                "program": name,
                "value": _rounded(thought.value),
                "best": [_figures(session, thought, action) for action in _best(thought)],
            }


def _best(thought: Thought) -> list[int]:
    """The action that a program would take, and those that it likes next."""
    ranks = [figures for figures in (thought.visits, thought.probs) if figures is not None]
    best = [int(thought.action)]
    if ranks:
        best += [int(a) for a in np.argsort(-ranks[0], kind="stable") if ranks[0][a] > 0 and a != thought.action]
    return best[:BEST]


def _figures(session: Session, thought: Thought, action: int) -> dict[str, Any]:
    return {
        **_action(session, action),
        "visits": None if thought.visits is None else int(thought.visits[action]),
        "value": None if thought.values is None else _rounded(float(thought.values[action])),
        "prob": None if thought.probs is None else _rounded(float(thought.probs[action])),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else round(value, 4)


# -- parts -------------------------------------------------------------------------------------------------------------


def _record(moment: Moment) -> Any:
    return moment.states.view(np.recarray)[0]


def _looking(session: Session, asked: int | None) -> int | None:
    """The seat whose view is shown; `Refused` for another than the session allows."""
    players = session.game.spec.players
    if asked is not None and not 0 <= asked < players:
        raise Refused(f"seat {asked} is out of range 0 to {players - 1}")
    if session.viewer is not None or session.curtain is not None:
        if asked not in (None, session.viewer):
            raise Refused("what another seat sees is shown once the game is over")
        return session.viewer
    people = session.people
    return asked if asked is not None else people[0] if people else 0


def _picture(session: Session, number: int, seat: int | None) -> str:
    """A moment drawn for a seat, and nothing behind a curtain. Parts that can be chosen now carry their actions.

    What has changed since `_earlier` is marked.
    """
    if session.curtain is not None or seat is None:
        return ""
    moment, before = session.moments[number], _earlier(session, number, seat)
    drawn: str = session.game.draw_svg(
        _record(moment),
        session.batch.components,
        viewer=seat if session.game.spec.players > 1 else None,  # with one seat the drawing knows whose it is
        legal=moment.legal if session.asks_person and moment is session.now else [],
        previous=None if before is None else _record(before),
    )
    return drawn


def _earlier(session: Session, number: int, seat: int) -> Moment | None:
    """What a moment is compared with: where the others' last turn began, or else, and for spectators, the one before.

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


def _action(session: Session, action: int) -> dict[str, Any]:
    """An action for a person: its label with the name of the card that it names by number, and its sentence."""
    game, components = session.game, session.batch.components
    return {
        "id": action,
        "kind": game.actions.rows[action].kind,
        "label": action_label(game, components, action),
        "sentence": action_sentence(game, _record(session.now), components, action),
        "card": card_of(game, components, action),
    }


def _result(session: Session) -> str:
    """How the game ended, a sentence."""
    return result_sentence(session.game, _record(session.now))


def summary_of(session: Session) -> dict[str, Any]:
    """A line for the list of open games."""
    who = ", ".join("you" if name == PERSON else name for name in session.seats)
    return {"id": session.id, "title": session.game.title, "who": who, "moment": len(session.moments) - 1,
            "over": session.now.decider == NO_SEAT}  # fmt: skip
