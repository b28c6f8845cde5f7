"""Replays on the page: recordings, whose moments all are there, and from which others play on."""

from pathlib import Path

import pytest

from rfop_env.browser.page_sessions import ReplayReader
from rfop_env.cli.main import main
from rfop_env.game_setup import ComponentSets
from rfop_env.players import AgentLoader
from rfop_env.registry import get_game
from rfop_env.replays import Replay
from rfop_env.replays.moments import play_back
from rfop_env.web import saves
from rfop_env.web.refusals import Refused
from rfop_env.web.sessions import Sessions
from tests.replays.playing import lost, recorded

FILES = sorted((Path(__file__).parents[2] / "docs" / "replays").glob("*.rfop"))
TEXT = FILES[-1].read_text(encoding="utf-8")  # of Revolution


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_recording_has_every_moment_of_its_replay(file):
    text = file.read_text(encoding="utf-8")
    session = saves.load(text, AgentLoader(), ComponentSets())
    playback = play_back(Replay.read(text))
    assert [m.decider for m in session.moments] == [m.decider for m in playback.moments]
    assert [tuple(m.lines) for m in session.moments] == [m.lines for m in playback.moments]
    assert session.newest.states.tobytes() == playback.moments[-1].states.tobytes()
    assert saves.session_replay(session).text() == text


def test_the_page_opens_a_replay_and_others_play_on(page):
    state = page.post("/api/load", text=TEXT)
    assert (state["over"], state["recorded"], state["asks"]) == (True, True, False)
    assert state["result"].startswith("Royalists won: ")
    assert state["judge"] == "revolution/ppo-2"
    assert page.post(f"/api/games/{state['id']}/value", moment=4, program=state["judge"])["value"] == -0.1854
    for verb, body in (("act", {"action": 0}), ("undo", {}), ("move", {})):
        assert "a recording" in page.change(state, verb, 400, **body)["error"]

    seats = ["random", "person"]
    variation = page.post(f"/api/games/{state['id']}/fork", moment=2, swap=False, seats=seats)
    assert [seat["player"] for seat in variation["seats"]] == seats
    assert (variation["moment"], variation["asks"], variation["recorded"]) == (2, True, False)
    assert variation["log"] == state["log"][:3]
    played = page.act(variation)
    assert page.change(played, "undo")["moment"] == 2


def test_a_recording_that_stops_is_played_on_from_its_last_moment(page):
    replay = recorded("RedFlagOverParis-v1", 7)
    state = page.post("/api/load", text=replay.text())
    assert (state["over"], state["result"], state["moment"]) == (True, "The recording stops here", 7)
    variation = page.post(f"/api/games/{state['id']}/fork", moment=7, swap=False, seats=["person", "random"])
    assert not variation["over"]


@pytest.mark.parametrize("text", [TEXT, lost("Revolution-v0")[0].text(), recorded("Paris-v0", 5).text()])
def test_a_recording_and_its_variations_outlast_the_server(tmp_path, text):
    sessions = Sessions(tmp_path, AgentLoader(), ComponentSets())
    recording = sessions.open(lambda: saves.load(text, AgentLoader(), ComponentSets()))
    variation = sessions.open(lambda: recording.fork(2, ["random", "person"]))
    later = Sessions(tmp_path, AgentLoader(), ComponentSets())
    again = later.get(variation.id)
    assert [game.id for game in again.family] == [recording.id, variation.id]
    assert again.newest.states.tobytes() == variation.newest.states.tobytes()
    again = later.get(recording.id)
    assert again.recorded
    assert saves.session_replay(again).text() == text


def test_notes_stand_with_their_moments(page, folder):
    lines = TEXT.splitlines()
    lines.insert(lines.index("") + 3, "# a sharp move")
    state = page.post("/api/load", text="\n".join([*lines, ""]))
    assert state["notes"][:3] == [[], ["a sharp move"], []]
    path = page.post(f"/api/games/{state['id']}/replay", name="annotated")["path"]
    assert Path(path).read_text(encoding="utf-8").splitlines() == lines


def test_a_game_lost_by_an_illegal_action_is_a_recording_too(tmp_path):
    replay, _ = lost("Revolution-v0")
    session = saves.load(replay.text(), AgentLoader(), ComponentSets())
    assert session.newest.record.over
    assert saves.session_replay(session).text() == replay.text()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: text.replace("space d3", "space b3"), "illegal here"),
        (lambda text: text.replace("Revolution-v0", "Revolution-v9"), "Revolution"),
        (lambda text: text.replace("fa606af25f92", "0" * 12), "digest"),
        (lambda text: text.partition("end ")[0], "cut off"),
        (lambda text: "rfop replay 1", "cut off"),
        (lambda text: "rfop replay 7\n" + text.partition("\n")[2], "format 7"),
    ],
)
def test_a_replay_that_cannot_be_played_is_refused(page, change, words):
    assert words in page.post("/api/load", 400, text=change(TEXT))["error"]
    assert page.get("/api/menu")["open"] == []


def test_rfop_serve_opens_a_replay(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("uvicorn.Server.run", lambda self, sockets: None)
    monkeypatch.chdir(tmp_path)
    assert main(["serve", "--no-browser", "--replay", str(FILES[-1])]) == 0
    assert "&moment=0\n" in capsys.readouterr().out
    path = tmp_path / "no.rfop"
    path.write_text("a text\n", encoding="utf-8")
    assert main(["serve", "--no-browser", "--replay", str(path)]) == 2
    assert "no replay" in capsys.readouterr().err


# -- the page without a server -----------------------------------------------------------------------------------------


def read(text, file=FILES[-1], options=None):
    replay = Replay.read(file)
    return ReplayReader(text, replay.game, replay.digest, replay.options if options is None else options)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_page_without_a_server_reads_the_same(file):
    replay = Replay.read(file)
    rows = read(file.read_text(encoding="utf-8"), file)
    assert rows.start == (str(replay.seed), str(replay.episode))
    assert tuple(rows.players) == replay.players
    assert rows.judge == replay.values_by
    assert [(r.seat, r.label, r.value, tuple(r.notes)) for r in rows.rows] == [
        (d.seat, d.label, d.value, d.notes) for d in replay.decisions
    ]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: "a text", "no replay"),
        (lambda text: text.replace("\n\n", "\n"), "cut off"),
        (lambda text: text.replace("\n", "\t"), "no replay"),
        (lambda text: text + " " * 2**20, "too long"),
        (lambda text: text.replace("Revolution-v0", "Paris-v0"), "Paris-v0"),
        (lambda text: text.replace("fa606af25f92", "0" * 12), "other cards"),
        (lambda text: text.replace("space d3", "space z9"), "cannot read"),
        (lambda text: text.replace("value -0.1850", "value much"), "value NUMBER"),
        (lambda text: text.replace("seed: 1099511627776 episode: 0", "seed: x episode: 0"), "seed: N"),
        (lambda text: text.replace("seed: 1099511627776 episode: 0", "position: AAAA"), "saved position"),
        (lambda text: text.partition("end ")[0], "cut off"),
    ],
)
def test_the_page_without_a_server_refuses_what_it_cannot_read(change, words):
    with pytest.raises(Refused, match=words):
        read(change(TEXT))


def test_the_page_without_a_server_has_one_set_of_options():
    file = FILES[1]
    with pytest.raises(Refused, match="players=2, and the page has players=3"):
        read(file.read_text(encoding="utf-8"), file, Replay.read(file).options | {"players": "3"})


def test_a_note_behind_a_decision_and_an_illegal_last_one_are_read():
    replay, _ = lost("Revolution-v0")
    rows = ReplayReader(replay.text(), get_game("Revolution-v0"), replay.digest, {})
    assert len(rows.rows) == len(replay.decisions) - 1
    assert "which lost the game" in rows.rows[-1].notes[0]
    lines = TEXT.splitlines()
    lines[lines.index("") + 1] += "  # far away"
    assert read("\n".join([*lines, ""])).rows[0].notes == ["far away"]
