"""The review of a game: what each decision was worth by a program, and the notes that it leaves."""

from pathlib import Path

import numpy as np
import pytest

from rfop_env.core.batch import GameBatch
from rfop_env.game_setup import ComponentSets
from rfop_env.players import AgentLoader, Thought
from rfop_env.registry import get_game
from rfop_env.replays import Replay
from rfop_env.web import saves
from rfop_env.web.review import LOOKS, action_values, verdict
from rfop_env.web.sessions import Sessions
from rfop_env.web.view import moment_view, review_rows, review_view

TEXT = (Path(__file__).parents[2] / "docs" / "replays" / "Revolution-v0.rfop").read_text(encoding="utf-8")


class Tried:
    """A search that has tried the first action 100 times, the second 50 and the third 5 times."""

    gives_values = True

    def __init__(self):
        self.asked = 0

    def think(self, batch, stop, earlier=None):
        self.asked += 1
        legal = np.flatnonzero(batch.action_mask[0])
        visits, values = np.zeros(batch.game.actions.size, np.int64), np.zeros(batch.game.actions.size)
        visits[legal[:3]], values[legal[:3]] = (100, 50, 5)[: len(legal)], (0.5, 0.25, 0.9)[: len(legal)]
        return Thought(int(legal[0]), 0.5, visits, values)


class Judge:
    """A network that gives the first seat 0.3 everywhere, and the second one -0.3."""

    gives_values = True
    asked = 0

    def think(self, batch, stop, earlier=None):
        self.asked += 1
        return Thought(int(batch.action_mask[0].argmax()), (0.3, -0.3)[int(batch.current_player[0])])


def test_a_search_values_what_it_tried_often_and_the_action_that_was_played():
    batch, search = GameBatch(get_game("Revolution-v0"), 1, 1), Tried()
    batch.reset()
    legal = np.flatnonzero(batch.action_mask[0]).tolist()
    assert action_values(search, batch, legal[1], bool) == [(legal[0], 0.5), (legal[1], 0.25)]
    assert search.asked == 1
    third = dict(action_values(search, batch, legal[2], bool))
    assert set(third) == set(legal[:3])
    assert third[legal[2]] == 0.5  # the same seat decides where the building goes
    assert search.asked == 3


@pytest.mark.parametrize(("game", "looks"), [("Revolution-v0", 1), ("RedFlagOverParis-v1", LOOKS)])
def test_a_network_values_every_legal_action_by_the_positions_after_it(game, looks):
    batch = GameBatch(get_game(game), 1, 1)
    batch.reset()
    states, seat = batch.get_state().tobytes(), int(batch.current_player[0])
    judge = Judge()
    values = action_values(judge, batch, 0, bool)
    assert judge.asked == 1 + looks * len(values)
    assert [action for action, _ in values] == np.flatnonzero(batch.action_mask[0]).tolist()
    assert {round(value, 6) for _, value in values} == {(0.3, -0.3)[seat]}
    assert batch.get_state().tobytes() == states


def test_an_action_that_ends_the_game_has_its_return():
    """The last decision of the recorded game wins by the flag."""
    session = saves.load(TEXT, AgentLoader(), ComponentSets())
    last = len(session.moments) - 2
    batch, played = session._batch_at(session.moments[last]), session.newest.action
    seat, returns = session.moments[last].decider, Replay.read(TEXT).returns
    assert dict(action_values(Judge(), batch, played, bool))[played] == returns[seat]


def test_words_for_losses():
    assert [verdict(lost, 1.0) for lost in (0.0, 0.0999, 0.1, 0.2, 0.39, 0.4, 2.0)] == [
        "",
        "",
        "inaccuracy",
        "mistake",
        "mistake",
        "blunder",
        "blunder",
    ]
    assert verdict(0.1, 2.0) == ""


def test_a_review_is_kept_as_notes_and_values_of_the_replay(page, folder):
    state = page.post("/api/load", text=TEXT)
    rows = [
        page.post(f"/api/games/{state['id']}/review", moment=moment, program="search-20")
        for moment in range(state["moment"])
    ]
    for row in rows:
        assert row["lost"] >= 0
        assert row["best"][0]["value"] == row["value"]
        assert len(row["best"]) <= 3
        assert row["verdict"] or row["lost"] < 0.1
    bad = [row for row in rows if row["verdict"]]
    assert bad
    after = page.get(f"/api/games/{state['id']}")
    assert after["judge"] == "search-20"
    assert after["values"][:-1] == [row["value"] for row in rows]
    assert page.get(f"/api/games/{state['id']}/reviews") == rows
    noted = [k for k, notes in enumerate(after["notes"]) if notes]
    assert noted == [row["moment"] + 1 for row in bad]

    # Written, read, reviewed again: one note for each decision.
    path = page.post(f"/api/games/{state['id']}/replay", name="reviewed")["path"]
    replay = Replay.read(Path(path))
    assert replay.values_by == "search-20"
    assert sum(len(decision.notes) for decision in replay.decisions) == len(bad)
    rows[bad[0]["moment"]] = page.post(f"/api/games/{state['id']}/review", moment=bad[0]["moment"], program="search-20")
    notes = page.get(f"/api/games/{state['id']}")["notes"]
    assert max(map(len, notes)) == 1
    later = Sessions(folder, AgentLoader(), ComponentSets()).get(state["id"])
    assert later.judge == "search-20"
    assert [moment.notes for moment in later.moments] == notes
    assert review_rows(later) == rows


def test_a_kept_review_with_a_mistake_is_refused(page, folder):
    state = page.post("/api/load", text=TEXT)
    page.post(f"/api/games/{state['id']}/review", moment=3, program="search-20")
    session = Sessions(folder, AgentLoader(), ComponentSets()).get(state["id"])
    course = session.course()
    rows = course["annotations"]["worths"][3]
    for wrong in ([[9999, 0.0], *rows], [row for row in rows if row[0] != session.moments[4].action]):
        annotations = course["annotations"] | {"worths": [None, None, None, wrong]}
        with pytest.raises(ValueError, match=r"not among the legal|no value of the action"):
            session._repeat_annotations(annotations)


def test_a_review_of_a_running_game_is_of_own_decisions_and_leaves_no_note(page):
    state = page.to_person(page.act(page.new("RedFlagOverParis-v1", ["person", "random"], seed="5")))
    path = f"/api/games/{state['id']}/review"
    other = next(k for k, seat in enumerate(state["deciders"]) if seat == 1)
    assert "of your own" in page.post(path, 400, moment=other, program="judge")["error"]
    assert "not taken yet" in page.post(path, 400, moment=state["moment"], program="judge")["error"]
    assert page.post(path, moment=0, program="judge")["seat"] == 0
    later = page.get(f"/api/games/{state['id']}")
    assert [later[name] for name in ("version", "notes", "judge")] == [state["version"], state["notes"], ""]
    assert "gives no values" in page.post(path, 400, moment=0, program="random")["error"]


def test_reviews_of_what_is_hidden_are_refused_behind_a_curtain(page):
    state = page.new("RedFlagOverParis-v1", ["person", "person"])
    assert "curtain" in page.post(f"/api/games/{state['id']}/review", 400, moment=0, program="judge")["error"]


def test_the_best_actions_of_the_past_can_be_drawn_once_the_game_is_over():
    session = saves.load(TEXT, AgentLoader(), ComponentSets())
    row = review_view(session, 2, "search-20")
    svg = moment_view(session, 2)["svg"]
    assert all(f'data-action="{action["id"]}"' in svg or f" {action['id']}" in svg for action in row["best"])


@pytest.mark.parametrize(
    ("game", "seats"),
    [
        ("Revolution-v0", ["random", "random"]),
        ("Paris-v0", ["random", "random"]),
        ("LeveeEnMasse-v0", ["random"]),
        ("RedFlagOverParis-v1", ["random", "random"]),
        ("RedFlagOverParisSolo-v1", ["random"]),
    ],
)
def test_points_of_all_moments_are_sent_once_the_game_is_over(page, game, seats):
    state = page.new(game, seats, seed="4")
    assert state["points"] is None
    state = page.to_person(state)
    points, score = state["points"], state["score"]
    assert len(points["moments"]) == state["moment"] + 1
    assert all(len(row) == len(points["sources"]) for row in points["moments"] if row)
    if score is not None:
        assert points["sides"] == score["sides"]
        last = [list(row) for row in zip(points["sources"], points["moments"][-1], strict=True)]
        assert [row for row in score["rows"] if row[0] in points["sources"]] == last
        assert not any(source == "Francs" or source.startswith("district ") for source in points["sources"])
    assert points["moments"][0] != points["moments"][-1]


def test_points_of_a_game_that_runs_are_not_sent_with_a_variation_that_is_over(page):
    """They may rest on what is hidden there: the red cards that are left."""
    state = page.new("LeveeEnMasse-v0", ["person"], seed="4")
    for _ in range(3):
        state = page.to_person(page.act(state))
    fork = page.post(f"/api/games/{state['id']}/fork", moment=2, swap=False, seats=["random"])
    fork = page.to_person(fork)
    assert fork["over"]
    moments = fork["points"]["moments"]
    assert moments[:2] == [None, None]
    assert moments[2] is not None


def test_decisions_of_a_review_are_named_by_what_they_do(page):
    state = page.post("/api/load", text=TEXT)
    row = page.post(f"/api/games/{state['id']}/review", moment=2, program="search-20")
    sentences = [action["sentence"] for action in (row["played"], *row["best"])]
    assert all(len(words.split()) > 2 for words in sentences)
    notes = page.get(f"/api/games/{state['id']}")["notes"][3]
    assert all(sentence in notes[0] for sentence in sentences[1:]) if row["verdict"] else notes == []
