"""Commands that write replays, and `rfop replay`, which shows them."""

import io
import math
import re
import sys
from pathlib import Path

import pytest

from rfop_agents import baselines
from rfop_agents.values import GAMES
from rfop_env.cli import main as cli
from rfop_env.replays import Replay
from rfop_env.game_setup import ComponentSets
from rfop_env.web import saves
from rfop_env.web.refusals import Refused
from rfop_env.players import AgentLoader, Thought
from rfop_env.web.session import Session
from rfop_env.registry import get_game, list_games
from tests.replays.playing import recorded

REVOLUTION = "Revolution-v0"
SILENT = ("random", "greedy", "scripted", "solo-opponent")  # programs without values


class Judge:
    """A program that gives every position the same value."""

    gives_values = True

    def think(self, batch, stop):
        return Thought(int(batch.action_mask[0].argmax()), 0.25)


@pytest.fixture
def rfop(monkeypatch, capsys, tmp_path):
    """Run a command with some input: exit code, output, errors; games that Ctrl-C saves go to the test's folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, typed=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        code = cli.main([str(a) for a in arguments])
        streams = capsys.readouterr()
        return code, streams.out, streams.err

    return run


@pytest.fixture
def file(tmp_path):
    """The file of a short game."""
    return recorded(REVOLUTION, 6).write(tmp_path / "short.rfop")


def plays(path):
    """The replay of a file, which plays to its end."""
    replay = Replay.read(path)
    assert sum(1 for _ in replay.play()) == len(replay.decisions)
    return replay


# -- writing -----------------------------------------------------------------------------------------------------------


def test_watch_records_the_game(rfop, tmp_path):
    path = tmp_path / "watched.rfop"
    code, out, _ = rfop("watch", REVOLUTION, "--seed", 3, "--record", path)
    assert code == 0
    assert f"Recorded: {path}" in out
    replay = plays(path)
    assert replay.players == ("random", "random")
    assert replay.seed == 3
    assert replay.reason in out
    assert rfop("watch", REVOLUTION, "--seed", 3)[1] == out.replace(f"Recorded: {path}\n", "")


def test_play_records_the_opponent_too_and_what_was_undone_is_not_there(rfop, tmp_path):
    path = tmp_path / "played.rfop"
    arguments = ("play", REVOLUTION, "--seed", 3, "--opponent", "scripted", "--side", "jacobins", "--record", path)
    assert rfop(*arguments, typed="1\nu\n2\nr\nq\n")[0] == 0
    replay = plays(path)
    assert replay.players == ("scripted", "person")
    assert {decision.seat for decision in replay.decisions} == {"royalists_0", "jacobins_1"}
    assert next(d.label for d in replay.decisions if d.seat == "jacobins_1") == "building Notre Dame"
    assert replay.returns is None


def test_ctrl_c_loses_nothing(rfop, tmp_path, monkeypatch):
    path = tmp_path / "stopped.rfop"
    answers = iter(["1", "1"])

    def asked(prompt):
        try:
            return next(answers)
        except StopIteration:
            raise KeyboardInterrupt from None

    monkeypatch.setattr("builtins.input", asked)
    assert rfop("play", REVOLUTION, "--opponent", "self", "--record", path)[0] == 130
    assert len(plays(path).decisions) == 2


def test_a_loaded_game_begins_with_its_position(rfop, tmp_path):
    position, path = tmp_path / "p.toml", tmp_path / "loaded.rfop"
    rfop("play", REVOLUTION, "--opponent", "self", typed=f"1\n1\ns {position}\nq\n")
    rfop("play", REVOLUTION, "--opponent", "self", "--load", position, "--record", path, typed="1\nq\n")
    replay = plays(path)
    assert replay.position is not None
    assert len(replay.decisions) == 1


def test_the_page_of_rfop_serve_saves_a_replay(tmp_path):
    session = Session(get_game(REVOLUTION), ["person", "scripted"], AgentLoader(), seed=4)
    session.act(session.version, session.newest.legal[0])
    session.act(session.version, session.newest.legal[3])
    session.move(session.version)
    path = saves.save_replay(session, tmp_path, "a game")
    replay = plays(path)
    assert replay.players == ("person", "scripted")
    assert (replay.seed, len(replay.decisions)) == (4, 3)
    fork = session.fork(1)
    assert plays(saves.save_replay(fork, tmp_path, "another")).decisions == ()
    with pytest.raises(saves.Refused, match="already"):
        saves.save_replay(session, tmp_path, "a game")
    with pytest.raises(saves.Refused, match="name has up to 60"):
        saves.save_replay(session, tmp_path, "../a")


def test_a_game_on_the_page_from_a_saved_position(tmp_path):
    session = Session(get_game("RedFlagOverParis-v1"), ["person", "person"], AgentLoader(), seed=4)
    session.reveal(session.version)
    session.act(session.version, session.newest.legal[0])
    path = saves.save(session, tmp_path, "p")
    loaded = saves.load(Path(path).read_text(encoding="utf-8"), AgentLoader(), ComponentSets())
    loaded.reveal(loaded.version)
    loaded.act(loaded.version, loaded.newest.legal[0])
    assert plays(saves.save_replay(loaded, tmp_path, "r")).position is not None


# -- looking -----------------------------------------------------------------------------------------------------------


def test_all_moments_are_printed(rfop, file):
    code, out, _ = rfop("replay", file, "--all")
    assert code == 0
    assert re.findall(r"== Moment (\d+) of 6 ==", out) == [str(k) for k in range(7)]
    for decision in Replay.read(file).decisions:
        assert decision.label in out
    assert out.rstrip().endswith("The recording stops here.")


def test_going_through_the_moments(rfop, file):
    code, out, _ = rfop("replay", file, "--at", 5, typed="\n\nb\n2\n77\nwhat\n?\nq\n")
    assert code == 0
    assert re.findall(r"== Moment (\d+) of 6 ==", out) == ["5", "6", "5", "2"]
    assert "This is the last moment: they run from 0 to 6" in out
    assert "There is no moment '77': they run from 0 to 6" in out
    assert "There is no moment 'what'" in out
    assert "quit" in out
    assert rfop("replay", file)[0] == 0  # the input ends


def test_one_seat_sees_its_own_hand_and_labels_alone(rfop, tmp_path):
    file = recorded("RedFlagOverParis-v1", 6).write(tmp_path / "duel.rfop")
    outs = {seat: rfop("replay", file, "--all", "--seat", seat)[1] for seat in ("commune", "versailles_1")}
    for decision in Replay.read(file).decisions:
        own, enemy = outs["commune"], outs["versailles_1"]
        if decision.seat == "versailles_1":
            own, enemy = enemy, own
        assert f": {decision.label} " in own or f": {decision.label}\n" in own
        assert f": {decision.label}" not in enemy
    assert "unknown side 'paris'" in rfop("replay", file, "--seat", "paris")[2]


def test_pictures_and_pages_are_written(rfop, file, tmp_path):
    svg, html = tmp_path / "one.svg", tmp_path / "page.html"
    code, out, _ = rfop("replay", file, "--svg", svg, "--at", 2, "--html", html)
    assert code == 0
    assert out == f"Written: {svg}\nWritten: {html}\n"
    assert svg.read_text(encoding="utf-8").startswith("<svg")
    assert html.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "the moments of this game run from 0 to 6" in rfop("replay", file, "--at", 7)[2]


def test_values_are_added_and_written(rfop, file, tmp_path, monkeypatch):
    monkeypatch.setattr(AgentLoader, "load", lambda *args: Judge())
    path = tmp_path / "valued.rfop"
    assert rfop("replay", file, "--values", "judge", "--write", path)[0] == 0
    replay = plays(path)
    assert replay.values_by == "judge"
    assert [decision.value for decision in replay.decisions] == [0.25] * 6
    assert "judge expects +0.25 for Royalists" in rfop("replay", path, "--all")[1]


def test_another_component_file_is_asked_for(rfop, tmp_path):
    own = tmp_path / "own.toml"
    own.write_text(
        '[[strategy_card]]\nnumber = 5\nname = "Le Figaro"\nside = "Versailles"\npoints = 1\n'
        'event = ["place up to 3 in Press or Royalists"]\nprovenance = "printed"\n',
        encoding="utf-8",
    )
    path = tmp_path / "own.rfop"
    rfop("watch", "RedFlagOverParis-v1", "--seed", 1, "--components", own, "--record", path)
    code, _, error = rfop("replay", path, "--all")
    assert code == 2
    assert f"{path}, line 3: played with the components" in error
    assert "--components FILE" in error
    assert rfop("replay", path, "--components", own, "--svg", tmp_path / "x.svg")[0] == 0


# -- what programs say of a position -----------------------------------------------------------------------------------


def program_names(game):
    """A program of every kind that plays a game, by name."""
    network = baselines.names(game)[0]
    kinds = [f"search-4+{network}", "search-4-random", f"gumbel-4+{network}", f"rollout-2x2+{network}", network]
    if game.spec.players > 1:
        scripted = game.scripted[0].name
        kinds += [f"response-4+{network}:{scripted}", f"rollout-2x2+{network}:{scripted}", f"rollout-2x2:{network}"]
    if game.symmetries():
        kinds += [f"symmetric+{network}", f"rollout-2x2+symmetric+{network}"]
    if game.folder.name in GAMES:
        kinds.append("greedy")
    return [*kinds, "random", game.scripted[0].name]


@pytest.mark.parametrize("name", list_games())
def test_every_program_gives_hints_and_values_on_the_page_or_says_that_it_gives_none(name):
    game = get_game(name)
    seats = ["person"] + ["random"] * (game.spec.players - 1)
    session = Session(game, seats, AgentLoader(seed=1), seed=2)
    while not session.asks_person:
        session.move(session.version)
    for program in program_names(session.game):
        hint = session.hint(session.version, program)
        assert hint.action in session.newest.legal, program
        number = len(session.moments) - 1
        if program in SILENT:
            assert hint.value is None, program
            with pytest.raises(Refused, match=f"{program} gives no values"):
                session.value(number, program)
        else:
            assert hint.value is not None and math.isfinite(hint.value) and abs(hint.value) < 1.5, program
            seat, value = session.value(number, program)
            assert seat == session.newest.decider and abs(value) < 1.5, program


@pytest.mark.parametrize("name", list_games())
def test_values_of_every_program_are_added_to_a_replay_or_refused(rfop, name, tmp_path):
    file, valued = recorded(name, 3).write(tmp_path / "short.rfop"), tmp_path / "valued.rfop"
    for program in program_names(Replay.read(file).game):
        status, _, error = rfop("replay", file, "--values", program, "--write", valued)
        if program in SILENT:
            assert status == 2 and f"--values: {program} gives no values" in error
            continue
        assert status == 0, f"{program}: {error}"
        values = [decision.value for decision in Replay.read(valued).decisions]
        assert len(values) == 3 and all(value is not None and abs(value) < 1.5 for value in values), program
