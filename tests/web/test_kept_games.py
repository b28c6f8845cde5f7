"""No game is lost: what a server keeps of its games, and what another server makes of it."""

import json
import stat

import pytest
from starlette.testclient import TestClient

from rfop_env.core.errors import RfopError
from rfop_env.game_setup import ComponentSets
from rfop_env.players import AgentLoader
from rfop_env.web import sessions
from rfop_env.web.app import make_app
from rfop_env.web.sessions import Sessions
from tests.web.conftest import ORIGIN, TOKEN, Page, ProgramsOfTests


@pytest.fixture
def restart(folder):
    """A page of another server with the same folder, which starts now."""
    clients = []

    def start():
        app = make_app(ProgramsOfTests(), ComponentSets(), folder, TOKEN)
        clients.append(TestClient(app, base_url=ORIGIN, headers={"X-Token": TOKEN, "Origin": ORIGIN}))
        return Page(clients[-1])

    yield start
    for client in clients:
        client.close()


def apart_from_version(state):
    """A state without what differs: games of its family have gone on, searches are compiled once for a server."""
    return {name: value for name, value in state.items() if name not in ("version", "variations", "preparing")}


@pytest.mark.parametrize(
    ("game", "seats"),
    [
        ("Revolution-v0", ["person", "scripted"]),
        ("RedFlagOverParis-v1", ["person", "random"]),
        ("Paris-v0", ["random", "person"]),
        ("LeveeEnMasse-v0", ["person"]),
    ],
)
def test_a_server_that_is_started_anew_has_the_games_with_their_past(page, restart, game, seats):
    state = page.to_person(page.play(page.new(game, seats), 3))
    base = f"/api/games/{state['id']}"
    other = restart()
    again = other.get(base)
    assert apart_from_version(again) == apart_from_version(state)
    assert again["version"] > state["version"]
    for moment in range(state["moment"] + 1):
        assert other.get(f"{base}/moments/{moment}") == page.get(f"{base}/moments/{moment}")
    assert apart_from_version(other.act(again)) == apart_from_version(page.act(state))


def test_chance_goes_on_as_it_would_have(page, restart):
    state = page.new("LeveeEnMasse-v0", ["person"], seed="11")
    assert page.play(state)["log"] == restart().play(restart().get(f"/api/games/{state['id']}"))["log"]


def test_a_fork_an_undo_and_the_end_are_kept(page, restart):
    state = page.play(page.new(seats=["person", "person"]), 4)
    undone = page.change(state, "undo")
    fork = page.post(f"/api/games/{state['id']}/fork", moment=2, swap=False)
    over = page.play(page.new(seats=["random", "random"], seed="5"))
    other = restart()
    for kept in (undone, fork, over):
        assert apart_from_version(other.get(f"/api/games/{kept['id']}")) == apart_from_version(kept)
    assert over["seed"] == "5"


def test_variations_are_kept_with_their_family(page, restart, folder):
    """With chance: what was drawn anew for a variation, and the parent's moments before, which it may have undone."""
    state = page.play(page.new("RedFlagOverParis-v1", ["person", "random"]), 6)
    base = f"/api/games/{state['id']}"
    own = [k for k, seat in enumerate(state["deciders"]) if seat == 0]
    child = page.play(page.post(f"{base}/fork", moment=own[2], swap=False), 2)
    grandchild = page.post(f"/api/games/{child['id']}/fork", moment=child["deciders"].index(0, own[2] + 1), swap=True)
    states = [page.get(f"/api/games/{each['id']}") for each in (state, child, grandchild)]
    assert len(states[0]["variations"]) == 3
    for first in range(3):
        other = restart()
        for each in (*states[first:], *states[:first]):  # whichever is asked for first
            path = f"/api/games/{each['id']}"
            assert apart_from_version(other.get(path)) == apart_from_version(each)
            for moment in range(each["moment"] + 1):
                assert other.get(f"{path}/moments/{moment}") == page.get(f"{path}/moments/{moment}"), (first, moment)
            family = {game["id"]: game for game in other.get(path)["variations"]}
            assert family == {game["id"]: game for game in each["variations"]}
    (folder / "open" / f"{state['id']}.json").unlink()
    orphan = restart().get(f"/api/games/{child['id']}")
    assert (orphan["log"], orphan["svg"]) == (states[1]["log"], states[1]["svg"])


def test_games_beyond_those_in_memory_rest_on_the_disk(page, monkeypatch):
    monkeypatch.setattr(sessions, "MOST_SESSIONS", 2)
    states = [page.act(page.new()) for _ in range(6)]
    assert {line["id"] for line in page.get("/api/menu")["open"]} == {state["id"] for state in states}
    for state in states:
        again = page.get(f"/api/games/{state['id']}")
        assert (again["log"], again["svg"]) == (state["log"], state["svg"])


def test_a_game_at_work_is_not_read_twice(page, slow, monkeypatch):
    """A program thinks in a game that others push out of the memory: it is the same game that it comes back to."""
    monkeypatch.setattr(sessions, "MOST_SESSIONS", 1)
    state = page.change(page.new(seats=["slow", "person"]), "move")
    for _ in range(3):
        page.new()
    assert page.get(f"/api/games/{state['id']}")["thinking"] == "slow"
    slow.go.set()
    assert slow.ended.wait(20)


def test_the_list_says_whose_turn_it_is_the_moment_and_when_it_came(page, restart):
    first = page.to_person(page.new(seats=["person", "random"]))
    second = page.play(page.new(seats=["random", "random"]))
    for place in (page, restart()):
        lines = {line["id"]: line for line in place.get("/api/menu")["open"]}
        line = lines[first["id"]]
        assert (line["who"], line["moment"], line["over"]) == ("you, random", first["moment"], False)
        assert line["turn"] == first["seats"][first["decider"]]["name"]
        assert lines[second["id"]]["over"] and lines[second["id"]]["turn"] == ""
        assert line["time"] > 1_600_000_000_000
        order = [line["time"] for line in place.get("/api/menu")["open"]]
        assert order == sorted(order, reverse=True)


def test_a_deleted_game_is_gone(page, restart, folder):
    path = f"/api/games/{page.new()['id']}"
    page.post(f"{path}/close")
    for place in (page, restart()):
        assert "was closed" in place.get(path, 404)["error"]
        assert "was closed" in place.post(f"{path}/close", 404)["error"]
    assert list((folder / "open").iterdir()) == []


def test_a_file_is_for_its_owner_alone_and_whole(page, folder):
    state = page.new("RedFlagOverParis-v1", ["person", "random"], seed="987654321")
    (file,) = (folder / "open").iterdir()
    assert file.name == f"{state['id']}.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    course = json.loads(file.read_text())
    assert (course["seed"], course["actions"], len(course["times"])) == ("987654321", [], 1)
    page.act(state)
    assert len(json.loads(file.read_text())["actions"]) == 1


DAMAGE = {
    "no JSON": lambda course: "{",
    "a list": lambda course: "[]",
    "nothing": lambda course: "{}",
    "an unknown game": lambda course: json.dumps(course | {"game": "Chess-v0"}),
    "another version": lambda course: json.dumps(course | {"game": "Revolution-v9"}),
    "an illegal action": lambda course: json.dumps(course | {"actions": [10**6]}),
    "a text as an action": lambda course: json.dumps(course | {"actions": ["x"]}),
    "no position": lambda course: json.dumps(course | {"positions": {"0": "AAAA"}}),
    "no base64": lambda course: json.dumps(course | {"positions": {"0": "\u00e9"}}),
    "too few seats": lambda course: json.dumps(course | {"seats": ["person"]}),
    "other cards": lambda course: json.dumps(course | {"components": "0" * 12}),
    "a number as a list": lambda course: json.dumps(course | {"times": 3}),
    "a start beyond the end": lambda course: json.dumps(course | {"start": 5}),
    "its own parent": lambda course: json.dumps(course | {"parent": course["id"], "times": []}),
    "another game's id": lambda course: json.dumps(course | {"id": "other"}),
    "options of a list": lambda course: json.dumps(course | {"options": [1]}),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_one_sentence_and_the_others_are_there(page, folder, damage):
    state, good = page.new(), page.new()
    file = folder / "open" / f"{state['id']}.json"
    file.write_text(DAMAGE[damage](json.loads(file.read_text())))
    games = Sessions(folder, AgentLoader(), ComponentSets())
    with pytest.raises(RfopError) as error:
        games.get(state["id"])
    assert "\n" not in str(error.value)
    assert games.get(good["id"]).id == good["id"]
    assert good["id"] in {line["id"] for line in games.newest()}
    games.close(state["id"])
    assert not file.exists()


def test_what_is_no_id_reaches_no_file(page, folder):
    page.new()
    (folder / "secret.json").write_text("{}")
    for id in ("..%2Fsecret", "../secret", "x" * 41, "a.b", "%00"):
        assert page.client.get(f"/api/games/{id}").status_code in (404, 403), id


def test_a_full_disk_is_said_and_the_game_goes_on(page, monkeypatch):
    state = page.new(seats=["person", "person"])

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as context:
        context.setattr(sessions, "write_atomically", full)
        state = page.act(state)
        assert "not kept" in state["problem"] and "No space left" in state["problem"]
    assert page.act(state)["problem"] == ""


def test_a_program_that_is_gone_keeps_nobody_from_looking(page, restart, programs, tmp_path):
    state = page.new(seats=["judge", "person"])
    file = next((tmp_path / "saves" / "open").iterdir())
    file.write_text(file.read_text().replace('"judge"', '"runs/gone"'))
    other = restart()
    again = other.get(f"/api/games/{state['id']}")
    assert again["svg"] == state["svg"]
    again = other.change(again, "move")
    assert "runs/gone" in again["problem"] and again["thinking"] is None
