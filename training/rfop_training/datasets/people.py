"""The games of people: what the folder of a study (`rfop study`) holds, as tables, replays and episodes."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from rfop_env.agent_names import PERSON
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError, printable
from rfop_env.core.files import write_whole
from rfop_env.game_setup import ComponentSets, option_text
from rfop_env.markdown import markdown_table
from rfop_env.players import AgentLoader
from rfop_env.web import saves
from rfop_env.web.session import Session
from rfop_env.web.sessions import Sessions
from rfop_env.web.study import FOLDER, KEPT, Participant, Study, answer_columns, read_participant, read_study
from rfop_training.datasets.collect import Episode, taken_apart
from rfop_training.datasets.minari_files import Source
from rfop_training.evaluation.games import win_share
from rfop_training.evaluation.statistics import clustered

DECISION = ("code", "game", "moment", "ms", "came_back", "action", "label")
GAME = ("code", "game", "env", "options", "seat", "opponent", "seed", "over", "wins", "end", "decisions", "seconds")


@dataclass(frozen=True)
class PersonGame:
    """A game of a participant."""

    participant: Participant
    number: int  # in the order that the participant plays, from 1
    seat: int
    opponent: str  # "" in a game of one seat
    session: Session

    @property
    def wins(self) -> float:
        """The share of the win, as evaluations count it, of a game that is over."""
        return win_share(self.session.game.winners(self.session.newest.record), self.seat)

    def decisions(self) -> Iterator[tuple[int, int, bool, int]]:
        """Each decision of the participant: moment, milliseconds, whether the page was opened anew then, action."""
        for k, (moment, successor) in enumerate(pairwise(self.session.moments)):
            if moment.decider == self.seat:
                came_back = any(moment.time < visit < successor.time for visit in self.participant.visits)
                assert successor.action is not None, "the first moment alone follows no action"
                yield k, successor.time - moment.time, came_back, successor.action


@dataclass(frozen=True)
class StudyData:
    """A study, its participants and their games that have begun."""

    study: Study
    participants: list[Participant]
    games: list[PersonGame]


def read_folder(folder: Path, programs: AgentLoader, component_sets: ComponentSets) -> StudyData:
    """What the folder of a study holds. Raises `RfopError` for a folder of none, and for damaged files."""
    if not (folder / KEPT).is_file() or not (folder / FOLDER).is_dir():
        raise RfopError(f"{printable(str(folder))} is not the folder of a study: it has no {KEPT} and {FOLDER}/")
    study = read_study(folder / KEPT, programs, component_sets)
    participants = [read_participant(path) for path in sorted((folder / FOLDER).glob("*.json"))]
    participants.sort(key=lambda participant: participant.number)
    sessions, games = Sessions(folder, programs, component_sets), []
    sessions.prepares = False
    for participant in participants:
        for number, planned in enumerate(participant.plan, 1):
            if planned["id"] is not None:
                opponent = study.games[planned["game"]].opponent
                session = sessions.get(planned["id"])
                games.append(PersonGame(participant, number, planned["seat"], opponent, session))
    return StudyData(study, participants, games)


# -- the table ---------------------------------------------------------------------------------------------------------


def table(data: StudyData) -> str:
    """Wins of people against each opponent in Markdown: the share, and its 95 % interval over participants."""
    rows: dict[tuple[str, str, str], dict[str, list[float]]] = {}
    for game in data.games:
        if game.session.over:
            key = (game.session.game.id, option_text(game.session.options), game.opponent or "-")
            rows.setdefault(key, {}).setdefault(game.participant.code, []).append(game.wins)
    titles = ["agent", "opponent", "environment", "participants", "games", "wins", "95 % interval"]
    cells = []
    for (env, options, opponent), by_code in sorted(rows.items()):
        shares = np.array([np.mean(own) for own in by_code.values()])
        low, high = clustered(shares, None)
        games = sum(map(len, by_code.values()))
        place = f"{env} {options}".strip()
        wins = f"{shares.mean():.1%}", f"{low:.1%} to {high:.1%}"
        cells.append([PERSON, opponent, place, f"{len(by_code)}", f"{games}", *wins])
    return markdown_table(titles, cells, right=(3, 4, 5))


# -- files -------------------------------------------------------------------------------------------------------------


def write_tables(data: StudyData, out: Path) -> None:
    """Write answers.csv, games.csv, decisions.csv and a replay of each game into a new folder. Raises `RfopError`."""
    if out.exists():
        raise RfopError(f"{printable(str(out))} is there already: name a new folder")
    columns = answer_columns(data.study)
    answers = [[p.code, p.number, p.consent, *(p.answers.get(name) for name in columns)] for p in data.participants]
    write_whole(out / "answers.csv", _csv(["code", "number", "consent", *columns], answers))
    write_whole(out / "games.csv", _csv(GAME, map(_game_row, data.games)))
    decisions = [row for game in data.games for row in _decision_rows(game)]
    write_whole(out / "decisions.csv", _csv(DECISION, decisions))
    for game in data.games:
        name = f"{game.participant.code}-{game.number}.rfop"
        write_whole(out / "replays" / name, saves.session_replay(game.session, times=True).text())


def _game_row(game: PersonGame) -> list[object]:
    session, over = game.session, game.session.over
    return [
        game.participant.code,
        game.number,
        session.game.id,
        option_text(session.options),
        session.game.spec.seats[game.seat],
        game.opponent,
        session.seed,
        int(over),
        game.wins if over else None,
        session.game.end_reason(session.newest.record) if over else None,
        len(list(game.decisions())),
        (session.newest.time - session.moments[0].time) / 1000,
    ]


def _decision_rows(game: PersonGame) -> Iterator[list[object]]:
    for moment, milliseconds, came_back, action in game.decisions():
        label = game.session.game.actions.label(action)
        yield [game.participant.code, game.number, moment, milliseconds, int(came_back), action, label]


def _csv(head: Sequence[str], rows: Any) -> str:
    """A table as CSV; a text that a spreadsheet would take for a formula begins with an apostrophe."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(head)
    for row in rows:
        writer.writerow([f"'{cell}" if isinstance(cell, str) and cell[:1] in "=+-@\t" else cell for cell in row])
    return file.getvalue()


# -- a data set --------------------------------------------------------------------------------------------------------


def source(data: StudyData, env: str | None = None) -> Source:
    """The games that are over as the source of a data set, which has one environment under one set of options.

    `env`: which environment, where the study has several. Raises `RfopError` where that leaves none, or several.
    """
    games = [game for game in data.games if game.session.over and env in (None, game.session.game.id)]
    settings = {(game.session.game.id, option_text(game.session.options)) for game in games}
    if len(settings) != 1:
        listing = "; ".join(sorted(f"{name} {options}".strip() for name, options in settings)) or "none is over"
        raise RfopError(
            f"a data set has games of one environment under the same options: name it with --env ({listing})"
        )
    session = games[0].session
    agents = list(dict.fromkeys(name for game in games for name in game.session.seats))
    episodes = (_episodes(game, k) for k, game in enumerate(games))
    origin = {"games": len(games), "participants": len({game.participant.code for game in games})}
    return Source(session.game, session.options, session.batch.components, None, agents, episodes, origin)


def _episodes(game: PersonGame, number: int) -> list[Episode]:
    """The episodes of a game: one for each seat."""
    session = game.session
    moments = session.moments
    batch = GameBatch(session.game, 1, 0, options=session.options, components=session.batch.components)
    batch.set_state(moments[0].states)
    steps = []
    for moment, successor in pairwise(moments):
        observation, mask = batch.observation.copy(), batch.action_mask.astype(np.int8)
        assert successor.action is not None, "the first moment alone follows no action"
        batch.step([successor.action])
        deciding, action = np.array([moment.decider]), np.array([successor.action], np.int64)
        steps.append((deciding, observation, mask, action, batch.rewards.copy()))
    return taken_apart(batch, [number], [session.seed or 0], [session.seats], [], steps)
