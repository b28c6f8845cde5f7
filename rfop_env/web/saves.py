"""Saved games: position files (`core.position`, TOML) in a folder of the server's machine.

A file (`rfop_env.game_setup`) holds the whole position, hidden cards included, so the browser gets its name and never
its content.

Replays (`rfop_env.replays`) of whole games lie beside them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rfop_env.agent_names import PERSON, RANDOM
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import BadPosition, printable
from rfop_env.core.files import read_text
from rfop_env.core.position import load_position_text
from rfop_env.game_setup import ComponentSets, saved_options, saved_seats, saved_text
from rfop_env.players import AgentLoader
from rfop_env.registry import get_game
from rfop_env.replays.recorder import Recorder
from rfop_env.replays.replay_file import FORMAT, Replay
from rfop_env.replays.replay_file import MOST_BYTES as LARGEST
from rfop_env.replays.replay_file import SUFFIX as REPLAY_SUFFIX
from rfop_env.web.game_session import SessionMoment
from rfop_env.web.puzzles import find_puzzle, puzzle_seats
from rfop_env.web.refusals import Refused, Unknown
from rfop_env.web.session import Session

NAME = re.compile(r"\w[\w .-]{0,59}")
GAME = re.compile(r'^game = "([^"\n]{1,80})"$', re.MULTILINE)
DIGEST = re.compile(r'^digest = "([^"\n]{1,80})"$', re.MULTILINE)
SUFFIX = ".toml"
MOST_LISTED = 50
MOST_BYTES = 2**16  # of a file; those of the games here have a few thousand


def saved_names(folder: Path) -> list[str]:
    """The names of the saved games, and of replays with their suffix, the newest first."""
    files = [
        path
        for path in folder.glob("*")
        if path.suffix in (SUFFIX, REPLAY_SUFFIX) and path.is_file() and NAME.fullmatch(path.stem)
    ]
    newest = sorted(files, key=lambda path: -path.stat().st_mtime)[:MOST_LISTED]
    return [path.name.removesuffix(SUFFIX) for path in newest]


def save(session: Session, folder: Path, name: str) -> str:
    """Write the present position of a game; returns the file's path. An older file of that name stays: `Refused`."""
    with session.lock:
        if session.guests and session.hides and not session.over:
            raise Refused("a guest has secrets here: this position is saved once the game is over")
        text = saved_text(session.batch, session.seats, session.options)
    return _write_new(folder, name, SUFFIX, text)


def save_replay(session: Session, folder: Path, name: str) -> str:
    """Write the game so far as a replay; returns the file's path. An older file of that name stays: `Refused`."""
    return _write_new(folder, name, REPLAY_SUFFIX, session_replay(session).text())


def session_replay(session: Session, times: bool = False) -> Replay:
    """The replay of a game up to the present moment: from its first one, or where hidden cards were drawn anew.

    `times`: with a note of the milliseconds behind each decision of a person.
    """
    with session.lock:
        moments, batch = session.moments[session.drawn :], session.batch.clone()
    batch.set_state(moments[0].states)
    recorder = Recorder(batch, players=session.seats)
    for moment in moments[1:]:
        assert moment.action is not None, "the first moment alone follows no action"
        mask = batch.action_mask[0]
        if 0 <= moment.action < len(mask) and mask[moment.action]:
            batch.step([moment.action])
        else:
            batch.forfeit(np.ones(1, np.bool_))
        recorder.add(moment.action)
    people = session.people if times else []
    return _annotated(recorder.replay(), moments, session.judge, people)


def _annotated(replay: Replay, moments: Sequence[SessionMoment], judge: str, people: Sequence[int]) -> Replay:
    """A replay with the notes of its moments, with the values of one judge, and with the times of some seats."""
    decisions = []
    for decision, moment, successor in zip(replay.decisions, moments, moments[1:], strict=False):
        time = [f"{successor.time - moment.time} ms"] if moment.decider in people else []
        decisions.append(replace(decision, value=moment.values.get(judge), notes=(*successor.notes, *time)))
    return replace(replay, decisions=tuple(decisions), notes=tuple(moments[0].notes), values_by=judge)


def _write_new(folder: Path, name: str, suffix: str, text: str) -> str:
    """Write a file that is not there yet; returns its path."""
    if not NAME.fullmatch(name) or name.endswith(REPLAY_SUFFIX):
        raise Refused(
            f"a saved game's name has up to 60 letters, digits, spaces, dots and hyphens, without {REPLAY_SUFFIX}"
        )
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}{suffix}"
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise Refused(f"there is a saved game {path.stem!r} already: choose another name") from None
    except OSError as error:
        raise Refused(f"not saved: {printable(str(error))}") from None
    return str(path)


def read_saved(folder: Path, name: str) -> str:
    """The content of a saved game, or of a replay by its name with the suffix; raises `Unknown` and `BadPosition`."""
    is_replay = name.endswith(REPLAY_SUFFIX)
    path = folder / (name if is_replay else f"{name}{SUFFIX}")
    if not NAME.fullmatch(name.removesuffix(REPLAY_SUFFIX)) or not path.is_file():
        raise Unknown(f"there is no saved game {printable(name, 60)!r}")
    try:
        return read_text(path, LARGEST if is_replay else MOST_BYTES)
    except (OSError, ValueError) as error:
        raise BadPosition(f"{name}: {printable(str(error))}") from None


def load_replay(replay: Replay, programs: AgentLoader, component_sets: ComponentSets) -> Session:
    """A replay as a recording. Raises `BadReplay` for one that cannot be played, and other kinds of `RfopError`."""
    components = component_sets.by_digest(replay.game.id, replay.digest)
    session = Session(
        replay.game,
        replay.players,
        programs,
        options=replay.options,
        components=components,
        seed=replay.seed if replay.position is None and replay.episode == 0 else None,
        states=replay.begin(components).get_state(),
        recorded=True,
    )
    session.record(replay.values_by, replay.notes)
    for _, decision in zip(replay.play_from(session.batch), replay.decisions, strict=True):
        session.add_recorded(decision.action(replay.game), decision.value, decision.notes)
    return session


def load_puzzle(game: str, number: int, programs: AgentLoader, component_sets: ComponentSets) -> Session:
    """A puzzle of a game, by its number from 1, for a person in the seat that decides. Raises `RfopError`."""
    puzzle = find_puzzle(game, number)
    replay = Replay.read(puzzle.replay)
    components = component_sets.by_digest(replay.game.id, replay.digest)
    batch = replay.begin(components)
    states = batch.get_state()
    for _ in replay.play_from(batch):
        pass
    session = Session(
        replay.game,
        puzzle_seats(replay.game, int(batch.current_player[0])),
        programs,
        options=replay.options,
        components=components,
        states=states,
    )
    for _, decision in zip(replay.play_from(session.batch), replay.decisions, strict=True):
        session.add_recorded(decision.action(replay.game), None, ())
    session.pose(number, puzzle.by, puzzle.values)
    return session


def load(
    text: str, programs: AgentLoader, component_sets: ComponentSets, seats: Sequence[str] | None = None
) -> Session:
    """A game that goes on from a saved position, or a replay; `seats` in place of those that the file names.

    Raises `RfopError`.

    A running game shows its people no more than before: with people in other seats it goes on as `fork_states` says.
    """
    if text.startswith(FORMAT):
        replay = Replay.read(text if "\n" in text else f"{text}\n")  # a text in one line would be a path
        return load_replay(replay, programs, component_sets)
    game_line, digest_line = GAME.search(text), DIGEST.search(text)
    if game_line is None:
        raise BadPosition("this is no saved position: it names no game")
    game, options = get_game(game_line[1]), saved_options(text)
    components = None if digest_line is None else component_sets.by_digest(game.id, digest_line[1])
    batch = GameBatch(game, 1, 0, options=options, components=components)
    try:
        load_position_text(batch, text)
    except RecursionError:  # the parser's: lists without end
        raise BadPosition("this is no saved position: its lists have no end") from None
    owners = saved_seats(text, batch.game.spec.players)
    names = seats or owners
    same_people = [name == PERSON for name in names] == [name == PERSON for name in owners]
    goes_on = same_people or bool(batch.states["over"][0])
    saved = [name if name == PERSON else RANDOM for name in owners]  # a redraw needs no programs of theirs

    def session(seats: Sequence[str], states: Any) -> Session:
        return Session(game, seats, programs, options=options, components=components, states=states)

    states = batch.get_state()
    return session(names, states if goes_on else session(saved, states).fork_states(0))
