"""The state of a session as it is sent to the browser, without anything that is hidden from its viewer.

Pictures are drawn for the seat that looks. The log holds what everybody at the table has seen (the journal). Legal
actions are sent to the person who decides and to nobody else. Behind a curtain nothing but the log is sent. The seed,
which all hidden cards follow from, is sent once the game is over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from rfop_env.agent_names import PERSON
from rfop_env.core.game import Game
from rfop_env.drawing.palette import LAYOUTS, PALETTES, Look
from rfop_env.game_setup import parse_options
from rfop_env.players import Thought, agent_levels
from rfop_env.seat_view import SeatView
from rfop_env.web.game_session import GameSession, SessionMoment
from rfop_env.web.refusals import Refused, reporting_failures
from rfop_env.web.review import verdict
from rfop_env.web.session import Session

STOPPED = "The recording stops here"
BEST = 3  # actions of a hint


def session_state(session: GameSession, looking: int | None = None, look: Look | None = None) -> dict[str, Any]:
    """The present position, with everything that the page shows of it; `rfop_env.web.protocol` lists the entries.

    `looking`: the seat whose view is asked for, where the session leaves it open (`Session.viewer`). `look`: of the
    picture.
    """
    with session.lock:
        number, seat = len(session.moments) - 1, _viewer(session, looking)
        newest = session.newest
        view = _seat_view(session, newest)
        return {
            # The game, and who plays it.
            "id": session.id,
            "version": session.version,
            "game": session.game.id,
            "title": session.game.title,
            "seats": [{"name": side, "player": name} for side, name in zip(view.sides, session.seats, strict=True)],
            "options": session.options,
            # Who decides, and whose view the page shows.
            "decider": newest.decider,
            "viewer": seat,
            "guest": session.guest is not None,
            "invites": _seats_to_invite(session),
            "free": session.viewer is None and session.curtain is None,
            "secrets_of": session.secrets_of,
            "curtain": session.curtain,
            # What is asked, and what programs do.
            "asks": session.asks_person,
            "question": _seat_view(session, newest, newest.decider).question if session.asks_person else "",
            "thinking": session.thinking,
            "problem": session.problem,
            "preparing": session.preparing,
            # The points, the end, remarks of a recording.
            "over": session.over,
            "score": view.score,
            "points": _points(session),
            "recorded": session.recorded,
            "judge": session.judge,
            "values": [moment.values.get(session.judge) for moment in session.moments] if session.judge else [],
            "notes": [moment.notes for moment in session.moments],
            "result": (view.result if newest.record.over else STOPPED) if session.over else "",
            "seed": str(session.seed) if session.over and session.seed is not None else None,
            # Its moments, and the newest in full.
            "moment": number,
            "since": _news_start(session, number, seat),
            "deciders": [moment.decider for moment in session.moments],
            "own": session.own,
            "puzzle": _puzzle(session),
            "variations": _variations(session),
            "svg": _picture(session, number, seat, look),
            "actions": [action_entry(session, action) for action in newest.legal] if session.asks_person else [],
            "log": [moment.lines for moment in session.moments],
        }


def moment_view(
    session: GameSession, number: int, looking: int | None = None, look: Look | None = None
) -> dict[str, Any]:
    """A moment of the game as the looking seat saw it then."""
    with session.lock:
        moment = session.moment(number)
        seat = session.home(number).viewer if session.keeps_secrets(number) else _viewer(session, looking)
        return {"moment": number, "svg": _picture(session, number, seat, look), "lines": moment.lines}


def session_summary(session: GameSession) -> dict[str, Any]:
    """A line for the list of open games."""
    newest = session.newest
    turn = "" if session.over else _seat_view(session, newest).sides[newest.decider]
    return {
        "id": session.id,
        "title": session.game.title,
        "who": ", ".join(_player(session, seat) for seat in range(len(session.seats))),
        "moment": len(session.moments) - 1,
        "parent": None if session.parent is None else session.parent.id,
        "start": None if session.parent is None else session.start,
        "over": session.over,
        "turn": turn,
        "time": newest.time,
    }


def _player(session: GameSession, seat: int) -> str:
    name = session.seats[seat]
    if name != PERSON:
        return name
    return "a guest" if seat in session.guests else "you"


def _variations(session: GameSession) -> list[dict[str, Any]]:
    """The games of the family, if there are several: what everybody at the table has seen of each."""
    family = list(session.family) if session.guest is None else []
    return [
        {
            "id": game.id,
            "parent": None if game.parent is None else game.parent.id,
            "start": game.start,
            "moment": len(game.moments) - 1,
            "over": game.over,
            "line": next((line.strip() for moment in game.moments[game.start + 1 :] for line in moment.lines), ""),
        }
        for game in family
        if len(family) > 1
    ]


def read_look(layout: str | None, palette: str | None) -> Look:
    """The look that a request asks for by name, by default the first layout and palette; `Refused` for others."""
    for name, looks in ((layout, LAYOUTS), (palette, PALETTES)):
        if name is not None and name not in looks:
            raise Refused(f"expected one of {', '.join(looks)}, found {name[:40]}")
    return Look(layout or LAYOUTS[0], palette or PALETTES[0])


def level_rows(game: Game, names: Iterable[str] | None = None) -> list[dict[str, Any]]:
    """The agents of a game whose level has been measured, or those among some names: the weakest first.

    Each has its name, its rating in words, and the number of players for which it holds.
    """
    rows = []
    for level in agent_levels(game):
        options = parse_options(level.options)
        if set(options) <= {"players"} and (names is None or level.agent in names):
            players = game.under(options).spec.players
            rows.append({"name": level.agent, "level": level.words, "players": players})
    return rows


def _points(session: GameSession) -> dict[str, Any] | None:
    """The points at all moments of a game that is over, by the sources that count before the end; None without any.

    Moments of another game that still runs have none: the points may rest on what is hidden there.
    """
    if not session.over:
        return None
    scores = [
        moment.score if session.home(number) is session or session.home(number).over else None
        for number, moment in enumerate(session.moments)
    ]
    scored = [score for score in scores if score is not None and score[1]]
    if not scored:
        return None
    sides, rows = scored[-1]
    earlier = {source for score in scored[:-1] for source, _ in score[1]}
    sources = [source for source, _ in rows if source in earlier]
    zeros = [0] * len(sides)
    moments = []
    for score in scores:
        worth = {source: list(points) for source, points in score[1]} if score is not None else {}
        moments.append([worth.get(source, zeros) for source in sources] if worth else None)
    return {"sides": list(sides), "sources": sources, "moments": moments}


# -- hints -------------------------------------------------------------------------------------------------------------


def hint_view(session: Session, version: int, name: str, guest: int | None = None) -> dict[str, Any]:
    """The best actions of the person's decision by a program, with its figures; raises what `Session.hint` raises.

    `Conflict` where the game has changed meanwhile: somebody else may look now.
    """
    thought = session.hint(version, name, guest)
    with session.at(guest):
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


# -- reviews -----------------------------------------------------------------------------------------------------------


def review_view(session: Session, number: int, name: str, guest: int | None = None) -> dict[str, Any]:
    """What a decision was worth by a program; raises what `Session.review` raises."""
    values = session.review(number, name, guest)
    with session.at(guest):
        session.require_decision(number)  # somebody else may look now
        row = review_row(session, number, name, values)
        session.keep()
        return row


def review_rows(session: GameSession) -> list[dict[str, Any]]:
    """What the decisions of a game that is over were worth, those that its judge has reviewed."""
    with session.lock:
        judge, moments = session.judge, enumerate(session.moments[:-1] if session.over else [])
        return [_worth(session, number, moment.worths[judge]) for number, moment in moments if judge in moment.worths]


def review_row(session: GameSession, number: int, name: str, values: Sequence[tuple[int, float]]) -> dict[str, Any]:
    """What a decision was worth, from the values of actions; it is kept, with a note, where the game is over."""
    row = _worth(session, number, values)
    if session.over:
        moment, successor = session.moment(number), session.moments[number + 1]
        successor.notes = [note for note in successor.notes if not note.startswith(f"{name}: ")]
        if row["verdict"]:
            better = "; ".join([f"{entry['sentence']} {signed(entry['value'])}" for entry in row["best"]])
            successor.notes.append(f"{name}: {row['verdict']}, it loses {row['lost']:.2f}; better: {better}")
        moment.values[name] = row["value"]
        moment.worths[name] = list(values)
        session.judge = name
        session.version += 1
    return row


def _worth(session: GameSession, number: int, values: Sequence[tuple[int, float]]) -> dict[str, Any]:
    """What a decision was worth, from the values of actions."""
    moment, choice = session.moment(number), session.moments[number + 1].action
    ranked = sorted(values, key=lambda row: -row[1])
    value, worth = ranked[0][1], next(worth for action, worth in values if action == choice)
    lost, spec = max(0.0, value - worth), session.game.spec
    best = []
    for action, worth in ranked[:BEST]:
        entry = action_entry(session, action, moment)
        entry["value"] = round(worth, 4)
        best.append(entry)
    return {
        "moment": number,
        "seat": moment.decider,
        "value": round(value, 4),
        "lost": round(lost, 4),
        "verdict": verdict(lost, (spec.highest_return - spec.lowest_return) / 2),
        "played": action_entry(session, 0 if choice is None else choice, moment),
        "best": best,
    }


def _puzzle(session: GameSession) -> dict[str, Any] | None:
    """The puzzle of a game; what its actions are worth once the person has decided."""
    puzzle, successors = session.puzzle, session.moments[session.start + 1 : session.start + 2]
    if puzzle is None:
        return None
    answer = {"number": puzzle["number"], "by": puzzle["by"], "moment": session.start, "solved": None, "words": ""}
    if successors and successors[0].action is not None:
        moment, rows, values = session.moments[session.start], session.game.actions.rows, puzzle["values"]
        names = {rows[action].label: _quoted(session, action, moment) for action in moment.legal}
        ranked = sorted(values.items(), key=lambda row: -row[1])
        label, (best, value), (second, next_value) = rows[successors[0].action].label, ranked[0], ranked[1]
        answer["solved"] = label == best
        worth = f"{names[best]} is worth {signed(value)}"
        if label == best:
            answer["words"] = f"Right: {worth}, and the next best action, {names[second]}, {signed(next_value)}."
        elif label in values:
            answer["words"] = f"Not the best: {worth}, and {names[label]} {signed(values[label])}."
        else:
            answer["words"] = f"Not the best: {worth}; the search hardly tried {names[label]}."
    return answer


def _quoted(session: GameSession, action: int, moment: SessionMoment) -> str:
    """What an action of a moment does, in quotation marks."""
    return f"“{action_entry(session, action, moment)['sentence']}”"


def signed(value: float) -> str:
    """A value with its sign, for people."""
    return f"{'+' if value >= 0 else '-'}{abs(value):.2f}"


# -- parts -------------------------------------------------------------------------------------------------------------


def _seat_view(session: GameSession, moment: SessionMoment, seat: int = 0) -> SeatView:
    return SeatView(session.game, moment.record, session.batch.components, seat)


def action_entry(session: GameSession, action: int, moment: SessionMoment | None = None) -> dict[str, Any]:
    """A legal action of the present position, or of a moment, in words."""
    return _seat_view(session, moment or session.newest).action(action).page_entry


def _viewer(session: GameSession, looking: int | None) -> int | None:
    """The seat whose view is shown; `Refused` for another than the session allows."""
    players = session.game.spec.players
    if looking is not None and not 0 <= looking < players:
        raise Refused(f"seat {looking} is out of range 0 to {players - 1}")
    if session.viewer is not None or session.curtain is not None:
        if looking not in (None, session.viewer):
            raise Refused("what another seat sees is shown once the game is over")
        return session.viewer
    return next(iter(session.here), 0) if looking is None else looking


def _seats_to_invite(session: GameSession) -> list[int]:
    """The seats of people that a guest has, or may have, while one person at least stays at the page."""
    if session.guest is not None or session.over:
        return []
    return session.people if len(session.here) > 1 else list(session.guests)


def _picture(session: GameSession, number: int, seat: int | None, look: Look | None) -> str:
    """A moment drawn for a seat, and nothing behind a curtain. Parts that can be chosen now carry their actions;
    once the game is over, those that could be chosen then.

    What has changed since `_news_start` is marked.
    """
    if session.curtain is not None or seat is None:
        return ""
    moment, start = session.moments[number], _news_start(session, number, seat)
    can_choose = (session.asks_person and moment is session.newest) or session.over
    return _seat_view(session, moment, seat).svg(
        moment.legal if can_choose else [], session.moments[start].record if start < number else None, look
    )


def _news_start(session: GameSession, number: int, seat: int | None) -> int:
    """The moment that changes are marked against, and told from: where the others' last turn began, or the one before.

    So a person sees what the others did, and what the own turn has changed so far. The moment itself where it is the
    first one, and where hidden cards were drawn anew.
    """
    begin = session.home(number).drawn
    if number == begin:
        return number
    start = number
    while start > begin and session.moments[start - 1].decider == seat:
        start -= 1
    first = start
    while first > begin and session.moments[first - 1].decider != seat:
        first -= 1
    return first if first < start and session.people else number - 1
