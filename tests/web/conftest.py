"""A server without a network: the application, a client that has the link, and games to begin."""

import threading
import time

import pytest
from starlette.testclient import TestClient

from rfop_env.game_setup import ComponentSets
from rfop_env.web.app import make_app
from rfop_env.players import AgentLoader, Thought
from rfop_env.web.refusals import require_bounded

PORT, TOKEN = 8123, "the-token"
ORIGIN = f"http://127.0.0.1:{PORT}"


class Page:
    """A client as the page is one, with short verbs; `state` is the last state of a game."""

    def __init__(self, client):
        self.client = client

    def get(self, path, status=200, **fields):
        return self._read(self.client.get(path, **fields), status)

    def post(self, path, status=200, **body):
        return self._read(self.client.post(path, json=body), status)

    def _read(self, answer, status):
        assert answer.status_code == status, answer.text
        return answer.json()

    def new(self, game="Revolution-v0", seats=("person", "random"), status=200, options=None, **fields):
        return self.post("/api/games", status, game=game, seats=list(seats), options=options or {}, **fields)

    def change(self, state, verb, status=200, **fields):
        return self.post(f"/api/games/{state['id']}/{verb}", status, version=state["version"], **fields)

    def act(self, state, action=None, status=200):
        """The first legal action, or another one."""
        return self.change(state, "act", status, action=state["actions"][0]["id"] if action is None else action)

    def to_person(self, state):
        """Programs decide until a person has to, or the game is over; curtains are lifted."""
        while not state["over"] and not state["asks"]:
            verb = "reveal" if state["curtain"] is not None else "move"
            state = self.change(state, verb)
            while state["thinking"]:
                state = self.get(f"/api/games/{state['id']}")
        return state

    def play(self, state, decisions=10_000):
        """A person who chooses by the number of the decision, so that all kinds of actions come up."""
        for k in range(decisions):
            state = self.to_person(state)
            if state["over"]:
                break
            state = self.act(state, state["actions"][k % len(state["actions"])]["id"])
        return state


class Slow:
    """A program that thinks until it is stopped, or let go."""

    gives_values = True

    def __init__(self):
        self.began, self.go, self.ended = threading.Event(), threading.Event(), threading.Event()

    def act(self, batch, stop, earlier=None):
        self.began.set()
        while not self.go.is_set() and not stop():
            time.sleep(0.002)
        self.ended.set()
        return int(batch.action_mask[0].argmax())

    def think(self, batch, stop, earlier=None):
        return Thought(self.act(batch, stop, earlier), 0.5)


class Judge:
    """A program that gives every position of a seat the same value."""

    gives_values = True

    def act(self, batch, stop, earlier=None):
        return int(batch.action_mask[0].argmax())

    def think(self, batch, stop, earlier=None):
        return Thought(self.act(batch, stop, earlier), (0.25, -0.75)[int(batch.current_player[0])])


class Broken:
    """A program that gives one answer to everything, or raises it."""

    gives_values = True

    def __init__(self):
        self.answer = ValueError("a secret")

    def act(self, batch, stop, earlier=None):
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    def think(self, batch, stop, earlier=None):
        return self.act(batch, stop, earlier)


class ProgramsOfTests(AgentLoader):
    """All programs, and three more: "slow", "judge" and "broken"."""

    def __init__(self):
        super().__init__(check=require_bounded)
        self.slow, self.broken = Slow(), Broken()

    def load(self, name, game, components):
        own = {"slow": self.slow, "judge": Judge(), "broken": self.broken}
        return own.get(name) or super().load(name, game, components)


@pytest.fixture
def programs():
    return ProgramsOfTests()


@pytest.fixture
def slow(programs, monkeypatch):
    """The slow program, and a server that waits for none."""
    monkeypatch.setattr("rfop_env.web.app.PATIENCE", 0.02)
    yield programs.slow
    programs.slow.go.set()


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "saves"


OWN_CARD = """
[set]
name = "mine"
version = 1

[[strategy_card]]
number = 5
name = "Own"
side = "Versailles"
points = 1
event = ["place up to 3 in Press or Royalists"]
provenance = "printed"
"""


@pytest.fixture
def own_cards(tmp_path):
    """A component file of Red Flag Over Paris, and the two environments that can be played with it."""
    path = tmp_path / "mine.toml"
    path.write_text(OWN_CARD, encoding="utf-8")
    return path


@pytest.fixture
def component_sets():
    return ComponentSets()


@pytest.fixture
def app(programs, component_sets, folder):
    return make_app(programs, component_sets, folder, TOKEN)


@pytest.fixture
def page(app):
    headers = {"X-Token": TOKEN, "Origin": ORIGIN}
    with TestClient(app, base_url=ORIGIN, headers=headers, raise_server_exceptions=False) as client:
        yield Page(client)
