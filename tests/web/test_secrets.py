"""Nothing that another seat has hidden leaves the server.

The proof: whatever the person is not shown is drawn anew (`redraw`), and everything that the server sends stays the
same to the last letter.
"""

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from rfop_env.core.batch import GameBatch
from rfop_env.game_setup import ComponentSets
from rfop_env.registry import get_game
from rfop_env.players import AgentLoader
from rfop_env.game_setup import saved_text
from rfop_env.web import saves
from rfop_env.web.refusals import Refused
from rfop_env.web.game_session import NO_SEAT
from rfop_env.web.session import Session
from rfop_env.web.view import moment_view, session_state
from tests.games.paris.table import redraw

HIDING = ("RedFlagOverParis-v1", "Paris-v0")


def imagined(session, key, redraw=redraw):
    """The same session with every moment as it might be as well, for all that the person is shown."""
    twin = Session(session.game, session.seats, AgentLoader(), states=session.newest.states)
    twin.id, twin.version, twin.looking = session.id, session.version, session.looking
    twin.moments = []
    for moment in session.moments:
        if moment.decider != NO_SEAT:
            trial = session._batch_at(moment)
            redraw(trial, session.viewer if session.viewer is not None else session.people[0], key)
            moment = twin._moment(moment.action, moment.lines)
            moment.states = trial.get_state()
            moment.decider, moment.legal = int(trial.current_player[0]), np.flatnonzero(trial.action_mask[0]).tolist()
        twin.moments.append(moment)
    return twin


def sent(session):
    """Everything that the server sends of a session."""
    return json.dumps([session_state(session), [moment_view(session, k) for k in range(len(session.moments))]])


def play_session(game, seats, decisions, seed=3):
    """A session after so many decisions, a person's chosen at random."""
    session = Session(get_game(game), seats, AgentLoader(), seed=seed)
    rng = np.random.default_rng(seed)
    while len(session.moments) <= decisions and not session.over:
        if session.curtain is not None:
            session.reveal(session.version)
        elif session.asks_person:
            session.act(session.version, int(rng.choice(session.newest.legal)))
        else:
            session.move(session.version)
    return session


@pytest.mark.parametrize("game", HIDING)
@pytest.mark.parametrize("seat", [0, 1])
def test_what_is_sent_does_not_depend_on_what_is_hidden(game, seat):
    session = play_session(game, ["person" if k == seat else "random" for k in range(2)], 14)
    real = sent(session)
    guesses = [imagined(session, key) for key in range(3)]
    assert [sent(guess) == real for guess in guesses] == [True] * 3
    # The check can fail: the positions do differ, and so does what the other seat is sent.
    assert any((g.newest.states.view(np.uint8) != session.newest.states.view(np.uint8)).any() for g in guesses)
    session.seats = session.seats[::-1]
    for guess in guesses:
        guess.seats = guess.seats[::-1]
    assert any(sent(guess) != sent(session) for guess in guesses)


def test_no_other_seat_can_be_asked_for(page):
    state = page.to_person(page.new("RedFlagOverParis-v1", ["random", "person"]))
    assert state["viewer"] == 1
    base = f"/api/games/{state['id']}"
    for path in (f"{base}?looking=0", f"{base}/moments/0?looking=0"):
        assert "another seat" in page.get(path, 400)["error"]
    assert page.get(f"{base}?looking=1")["svg"] == state["svg"]


def test_the_actions_of_another_seat_are_not_sent(page):
    state = page.act(page.new("RedFlagOverParis-v1", ["person", "random"]))
    assert not state["asks"]
    assert state["actions"] == []
    assert "data-action" not in state["svg"]


def test_the_seed_is_sent_at_the_end_alone(page):
    state = page.new("LeveeEnMasse-v0", ["person"], seed="987654321012")
    answers = [state, page.act(state), page.get("/api/menu")]
    answers.append(page.post(f"/api/games/{state['id']}/save", name="saved"))
    assert "987654321012" not in json.dumps(answers)
    end = page.play(page.get(f"/api/games/{state['id']}"))
    assert end["seed"] == "987654321012"


def test_behind_the_curtain_nothing_is_sent_but_the_log(page):
    state = page.new("RedFlagOverParis-v1", ["person", "person"])
    base = f"/api/games/{state['id']}"

    def check(state, seat):
        assert state["curtain"] == seat
        assert (state["svg"], state["actions"], state["asks"], state["viewer"] == seat) == ("", [], False, False)
        assert page.get(f"{base}/moments/0")["svg"] == ""
        for looking in (0, 1):
            if looking != state["viewer"]:
                assert page.get(f"{base}?looking={looking}", 400)["error"]
        assert page.change(state, "undo", 400)["error"]
        assert page.change(state, "act", 400, action=0)["error"]
        assert page.change(state, "hint", 400, program="random")["error"]
        assert page.post(f"{base}/fork", 400, moment=0, swap=False)["error"]
        assert page.post(f"{base}/value", 400, moment=0, program="judge")["error"]

    check(state, 0)
    state = page.change(state, "reveal")
    assert state["asks"]
    assert "<svg" in state["svg"]
    assert state["viewer"] == 0
    assert page.change(state, "reveal", 400)["error"]
    state = page.act(state)
    check(state, 1)
    assert page.change(state, "reveal")["viewer"] == 1


def test_two_people_see_their_own_hands_alone():
    for decisions in (3, 12):
        session = play_session("RedFlagOverParis-v1", ["person", "person"], decisions)
        if session.curtain is not None:
            session.reveal(session.version)
        assert all(sent(imagined(session, key)) == sent(session) for key in range(2))


def test_a_game_without_secrets_needs_no_curtain(page):
    state = page.new(seats=["person", "person"])
    for _ in range(4):
        assert state["curtain"] is None
        assert state["asks"]
        state = page.act(state)


def reload(session, seats):
    """A game that is saved, and loaded with some seats."""
    text = saved_text(session._batch_at(session.newest), session.seats, session.options)
    return saves.load(text, AgentLoader(), ComponentSets(), seats)


WAYS_OUT = {
    "play on": lambda session: session.fork(len(session.moments) - 1),
    "swap sides": lambda session: session.fork(len(session.moments) - 1, session.rotation),
    "load and watch": lambda session: reload(session, ["random", "random"]),
    "load for two people": lambda session: reload(session, ["person", "person"]),
    "load in another seat": lambda session: reload(session, session.rotation),
}


@pytest.mark.parametrize("way", WAYS_OUT)
@pytest.mark.parametrize("game", HIDING)
def test_no_other_game_tells_what_is_hidden_in_one_that_runs(game, way, monkeypatch):
    """What another game begins with follows from what the person can know: it is the same whatever else is hidden."""
    monkeypatch.setattr("rfop_env.web.session.secrets.randbits", lambda bits: 7)
    session = play_session(game, ["person", "random"], 14)
    while not session.asks_person:
        session.move(session.version)
    start = WAYS_OUT[way](session).newest.states
    guesses = [imagined(session, key, GameBatch.determinize) for key in range(3)]
    assert any(guess.newest.states.tobytes() != session.newest.states.tobytes() for guess in guesses)
    for guess in guesses:
        assert WAYS_OUT[way](guess).newest.states.tobytes() == start.tobytes()
    batch = session._batch_at(session.newest)
    batch.set_state(start)
    assert (batch.observe(0) == session.batch.observe(0)).all()
    for name in ("draws", "seed"):
        assert (start[name] != session.newest.states[name]).any()


@pytest.mark.parametrize("game", HIDING)
def test_where_hidden_cards_cannot_be_drawn_anew_no_other_game_begins(game):
    """At the decision of another seat the question itself may rest on them."""
    session = play_session(game, ["person", "random"], 14)
    while session.asks_person:
        session.act(session.version, session.newest.legal[0])
    enemy_moments = [k for k, moment in enumerate(session.moments) if moment.decider == 1]
    for k in enemy_moments:
        for seats in (None, session.rotation):
            with pytest.raises(Refused, match="a decision of your own"):
                session.fork(k, seats)
    for seats in (["random", "random"], ["random", "person"]):
        with pytest.raises(Refused, match="a decision of your own"):
            reload(session, seats)


def test_people_with_secrets_from_each_other_go_on_alone():
    """Nobody else gets a game from theirs before it is over, and neither does one of them."""
    session = play_session("RedFlagOverParis-v1", ["person", "person"], 12)
    for way in (
        *(lambda seats=seats: reload(session, seats) for seats in (["random"] * 2, ["person", "random"])),
        lambda: session.fork(len(session.moments) - 1),
        lambda: session.fork(0, session.rotation),
    ):
        with pytest.raises(Refused, match="once it is over"):
            way()
    assert reload(session, None).curtain == session.newest.decider


@pytest.mark.parametrize("seats", [["person", "random"], ["random", "random"], ["person", "person"]])
def test_with_the_same_people_a_saved_game_goes_on_as_it_was(seats):
    session = play_session("RedFlagOverParis-v1", seats, 12)
    for names in (None, ["solo-opponent" if name == "random" else name for name in seats]):
        copy = reload(session, names)
        assert copy.newest.states.tobytes() == session.newest.states.tobytes()
        assert copy.seats == (names or seats)


def test_a_game_that_is_over_is_for_everybody():
    session = play_session("RedFlagOverParis-v1", ["person", "person"], 1000)
    assert session.over
    for seats in (["random", "random"], ["person", "random"], None):
        copy = reload(session, seats)
        assert session_state(copy, 1)["svg"] == session_state(reload(session, None), 1)["svg"]
        fork = session.fork(5, seats)
        assert fork.newest.states.tobytes() == session.moments[5].states.tobytes()


def two_people(page):
    """A game of two people, the first of whom looks."""
    return page.change(page.new("RedFlagOverParis-v1", ["person", "person"]), "reveal")


@pytest.mark.parametrize("question", ["hint", "value"])
def test_an_answer_that_comes_after_the_curtain_is_not_sent(page, slow, question):
    state = two_people(page)
    path = f"/api/games/{state['id']}/{question}"
    body = {"program": "slow", **({"version": state["version"]} if question == "hint" else {"moment": 0})}
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(page.client.post, path, json=body)
        assert slow.began.wait(20)
        newer = page.act(state)
        assert newer["curtain"] == 1
        assert slow.ended.wait(20)  # nobody waits for it any more
    if question == "hint":
        assert answer.result().status_code == 409
        assert answer.result().json()["state"] == newer
    else:
        assert answer.result().status_code == 400
        assert "the curtain is down" in answer.result().json()["error"]


def test_a_state_says_whose_secrets_it_holds(page):
    state = page.new("RedFlagOverParis-v1", ["person", "person"])
    assert state["secrets_of"] is None
    state = page.change(state, "reveal")
    assert state["secrets_of"] == 0
    assert page.act(state)["secrets_of"] is None
    assert page.new("RedFlagOverParis-v1", ["random", "person"])["secrets_of"] == 1
    for game, seats in (("RedFlagOverParis-v1", ["random"] * 2), ("Revolution-v0", ["person"] * 2)):
        assert page.new(game, seats)["secrets_of"] is None


def test_a_value_is_given_for_own_decisions_alone(page):
    state = page.to_person(page.act(page.new("RedFlagOverParis-v1", ["person", "random"])))
    program = "judge"
    for moment, seat in enumerate(state["deciders"]):
        body = {"moment": moment, "program": program}
        status = 200 if seat == 0 else 400
        assert page.post(f"/api/games/{state['id']}/value", status, **body)
    assert {0, 1} <= set(state["deciders"])


def test_at_the_end_everything_lies_open():
    session = play_session("RedFlagOverParis-v1", ["person", "random"], 1000)
    assert session.over
    pictures = [session_state(session, seat)["svg"] for seat in (0, 1)]
    assert all(moment_view(session, 5, seat)["svg"] for seat in (0, 1))
    assert all("<svg" in svg for svg in pictures)
