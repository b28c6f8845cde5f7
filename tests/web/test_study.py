"""A study: its configuration, scripted participants over the server, and what is made of what they leave."""

import csv
import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from rfop_env.cli.main import main
from rfop_env.game_setup import ComponentSets
from rfop_env.players import AgentLoader
from rfop_env.replays import Replay
from rfop_env.web.app import make_app
from rfop_env.web.study import BadStudy, make_plan, read_study
from tests.web.conftest import ORIGIN, TOKEN, Page

CONFIG = """
title = "A study"
order = "balanced"
consent = "Do you agree?"

[[question]]
name = "age"
kind = "number"
text = "How old are you?"
low = 18
high = 99

[[question]]
name = "plays"
kind = "choice"
text = "Do you play?"
choices = ["no", "yes"]

[[question]]
name = "hard"
when = "game"
kind = "scale"
text = "How hard was it?"
low = 1
high = 5

[[question]]
name = "remarks"
when = "after"
text = "Anything else?"
optional = true

[[game]]
env = "Revolution-v0"
opponent = "random"
seed = 5

[[game]]
env = "Revolution-v0"
opponent = "scripted"
"""
ANSWERS = {"age": "30", "plays": "yes", "hard": "4", "remarks": "=SUM(A1)"}


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(CONFIG, encoding="utf-8")
    return path


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "study"


def serve(config, folder):
    """The page of a server of the study."""
    programs, sets = AgentLoader(), ComponentSets()
    study = (read_study(config, programs, sets), config.read_text())
    app = make_app(programs, sets, folder, TOKEN, study=study)
    return Page(TestClient(app, base_url=ORIGIN, headers={"X-Token": TOKEN, "Origin": ORIGIN}))


class Person:
    """A participant who goes through the steps by the answers of the server alone."""

    def __init__(self, page, code):
        self.page, self.code, self.steps = page, code, []

    def enter(self):
        return self.page.post("/api/study/enter", code=self.code)

    def answer(self, consent=True, status=200, **answers):
        return self.page.post("/api/study/answer", status, code=self.code, consent=consent, answers=answers)

    def seat(self, step):
        """The page of the game that a step leads to."""
        headers = {"X-Token": step["token"], "Origin": ORIGIN}
        return Page(TestClient(self.page.client.app, base_url=ORIGIN, headers=headers))

    def go_on(self, steps=100):
        """Take so many steps, or all; returns where that leads."""
        step = self.enter()
        for _ in range(steps):
            self.steps.append(step["step"])
            if step["step"] == "end":
                break
            if step["step"] == "game":
                seat = self.seat(step)
                seat.play(seat.get(f"/api/games/{step['game']}"))
            names = [question["name"] for question in step.get("questions", ())]
            step = self.answer(**{name: ANSWERS[name] for name in names})
        return step


def test_a_participant_goes_through_all_steps(config, folder):
    person = Person(serve(config, folder), "p1")
    end = person.go_on()
    assert person.steps == ["consent", "questions", "game", "questions", "game", "questions", "questions", "end"]
    assert end["text"].startswith("Thank you")
    assert person.enter() == end
    kept = json.loads((folder / "participants" / "p1.json").read_text())
    assert kept["answers"] == {"age": 30, "plays": "yes", "hard 1": 4, "hard 2": 4, "remarks": "=SUM(A1)"}
    assert set(kept) == {"code", "number", "plan", "consent", "answers", "asked", "visits"}


def test_a_participant_comes_back_also_to_a_server_that_was_started_anew(config, folder):
    step = Person(serve(config, folder), "p1").go_on(2)
    assert step["step"] == "game"
    again = Person(serve(config, folder), "p1")
    assert again.enter() == step
    seat = again.seat(step)
    state = seat.play(seat.get(f"/api/games/{step['game']}"), 3)
    assert again.enter()["over"] is False
    third = Person(serve(config, folder), "p1")
    after = third.seat(step).get(f"/api/games/{step['game']}")
    assert after["log"] == state["log"]


def test_several_participants_at_once_are_balanced_and_see_their_own_game_alone(config, folder):
    page = serve(config, folder)
    people = [Person(page, code) for code in ("a", "b", "c", "d")]
    steps = [person.go_on(2) for person in people]
    plans = [json.loads((folder / "participants" / f"{p.code}.json").read_text())["plan"] for p in people]
    assert [plan[0]["game"] for plan in plans] == [0, 1, 0, 1]
    assert [sorted(row["game"] for row in plan) for plan in plans] == [[0, 1]] * 4
    for game in (0, 1):
        assert sorted(row["seat"] for plan in plans for row in plan if row["game"] == game) == [0, 0, 1, 1]
    seats = [person.seat(step) for person, step in zip(people, steps, strict=True)]
    for k, seat in enumerate(seats):
        for j, step in enumerate(steps):
            seat.get(f"/api/games/{step['game']}", 200 if j == k else 403)
    for step in steps:  # the link of the study is good for no game
        assert "for the study alone" in page.get(f"/api/games/{step['game']}", 403)["error"]
        assert page.get("/api/menu", 403)["error"]
        assert page.new(status=403)["error"]


def test_hints_and_undo_are_given_where_the_study_allows_them(config, folder, tmp_path):
    step = (person := Person(serve(config, folder), "p1")).go_on(2)
    seat = person.seat(step)
    assert seat.get("/api/menu")["aids"] == {"hints": False, "undo": False}
    state = seat.to_person(seat.get(f"/api/games/{step['game']}"))
    for verb, fields in (("hint", {"program": "random"}), ("undo", {})):
        assert seat.change(state, verb, 403, **fields)["error"]
    config.write_text("hints = true\nundo = true\n" + CONFIG)
    step = (person := Person(serve(config, tmp_path / "other"), "p1")).go_on(2)
    seat = person.seat(step)
    state = seat.to_person(seat.get(f"/api/games/{step['game']}"))
    assert seat.change(state, "hint", program="random")["best"]


def test_wrong_answers_are_one_sentence_and_change_nothing(config, folder):
    person = Person(serve(config, folder), "p1")
    person.enter()
    assert "without your consent" in person.answer(consent=False, status=400)["error"]
    step = person.answer()
    good = {"age": "30", "plays": "yes"}
    for change in ({"age": ""}, {"age": "17"}, {"age": "x"}, {"age": "1e9"}, {"plays": "maybe"}, {"plays": ""}):
        assert person.answer(status=400, **(good | change))["error"].startswith("please ")
        assert person.enter() == step
    for code in ("", "a b", "../x", "x" * 41, ".hidden"):
        assert person.page.post("/api/study/enter", 400, code=code)["error"]


def test_codes_that_were_not_given_out_are_refused(config, folder):
    config.write_text('codes = ["p1", "p2"]\n' + CONFIG)
    page = serve(config, folder)
    assert Person(page, "p1").enter()["step"] == "consent"
    assert "no participant 'p3'" in page.post("/api/study/enter", 400, code="p3")["error"]


def test_another_study_takes_another_folder(config, folder):
    serve(config, folder)
    config.write_text(CONFIG.replace("A study", "Another study"))
    with pytest.raises(BadStudy, match="folder of another study"):
        serve(config, folder)


def test_plans_follow_from_the_code(config):
    study = read_study(config, AgentLoader(), ComponentSets())
    assert make_plan(study, "a", 0) == make_plan(study, "a", 0)
    assert [row["seed"] for row in make_plan(study, "a", 0) if row["game"] == 0] == ["5"]
    seeds = [row["seed"] for code in "abc" for row in make_plan(study, code, 0) if row["game"] == 1]
    assert len(set(seeds)) == 3


BAD = [
    ('title = "A study"', "title = 3", "title: expected a text"),
    ('order = "balanced"', 'order = "backwards"', "order: expected one of"),
    ('consent = "Do you agree?"', "", "consent is missing"),
    ('kind = "scale"', 'kind = "slider"', "kind: expected one of"),
    ('choices = ["no", "yes"]', 'choices = ["no"]', "choices: expected two different"),
    ('choices = ["no", "yes"]', "choices = [1, 2]", "choices: expected a list of texts"),
    ("high = 99", "high = 17", "high: expected more than low"),
    ("high = 5", "high = 50", "high: expected a scale of at most"),
    ("low = 18", "low = 1.5", "low: expected a whole number"),
    ('env = "Revolution-v0"\nopponent = "random"', 'env = "Chess"\nopponent = "random"', "env: 'Chess' is none"),
    ('opponent = "random"', 'opponent = "nobody"', "opponent: "),
    ('opponent = "random"', 'opponent = "person"', "opponent: expected the name of a program"),
    ('opponent = "random"', 'opponent = "x.py:act"', "is not started from here"),
    ("seed = 5", "seed = -1", "seed: expected"),
    ("seed = 5", "sead = 5", "sead: unknown"),
    ("seed = 5", 'seat = "north"', "seat: expected one of"),
    ("seed = 5", 'options = {players = "3"}', "options: "),
    ('name = "plays"', 'name = "age"', "name: expected a name of its own"),
    ("seed = 5", "seed = ", "valid TOML"),
    ("[[game]]", "[[games]]", "games: unknown"),
    ("[[game]]", "[[round]]", "round: unknown"),
]


@pytest.mark.parametrize(("entry", "wrong", "words"), BAD)
def test_a_wrong_entry_is_one_sentence(config, entry, wrong, words, capsys):
    assert entry in CONFIG
    config.write_text(CONFIG.replace(entry, wrong))
    assert main(["study", str(config), "--no-browser", "--saves", str(config.parent / "none")]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert words in error
    assert not (config.parent / "none").exists()


def test_the_example_is_valid():
    path = Path(__file__).parents[2] / "examples" / "study.toml"
    study = read_study(path, AgentLoader(), ComponentSets())
    assert [game.opponent for game in study.games] == ["scripted", "revolution/xi-2"]


# -- what is made of it ------------------------------------------------------------------------------------------------


@pytest.fixture
def played(config, folder):
    """The folder of a study in which three have played, and one has begun."""
    page = serve(config, folder)
    for code in ("p1", "p2", "p3"):
        assert Person(page, code).go_on()["step"] == "end"
    Person(page, "p4").go_on(2)
    return folder


def test_the_table_has_the_wins_of_people(played, capsys):
    assert main(["participants", str(played)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "A study: 4 participants, 6 of 7 games are over"
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| person")]
    assert [row[:5] for row in rows] == [["person", name, "Revolution-v0", "3", "3"] for name in ("random", "scripted")]
    for row in rows:
        share, (low, high) = float(row[5][:-1]), (float(end[:-1]) for end in row[6].split(" to "))
        assert low <= share <= high


def test_tables_and_replays_are_written_once(played, tmp_path, capsys):
    out = tmp_path / "tables"
    assert main(["participants", str(played), "--out", str(out)]) == 0
    tables = {}
    for name in ("answers", "games", "decisions"):
        with (out / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            tables[name] = list(csv.DictReader(file))
    assert [row["code"] for row in tables["answers"]] == ["p1", "p2", "p3", "p4"]
    assert tables["answers"][0]["age"] == "30" and tables["answers"][0]["remarks"] == "'=SUM(A1)"
    assert sorted(row["over"] for row in tables["games"]) == ["0"] + ["1"] * 6
    assert all(int(row["ms"]) >= 0 for row in tables["decisions"])
    own = [row for row in tables["decisions"] if (row["code"], row["game"]) == ("p1", "1")]
    assert len(own) == int(tables["games"][0]["decisions"]) > 3
    replays = sorted((out / "replays").iterdir())
    assert len(replays) == 7
    for path in replays:
        replay = Replay.read(path)
        assert sum(1 for _ in replay.play()) == len(replay.decisions)
    assert " ms" in replays[0].read_text()
    capsys.readouterr()
    assert main(["participants", str(played), "--out", str(out)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert main(["participants", str(tmp_path)]) == 2
    assert "is not the folder of a study" in capsys.readouterr().err


def test_the_episodes_are_those_of_the_games(played):
    from rfop_training.datasets import people

    data = people.read_folder(played, AgentLoader(), ComponentSets())
    source = people.source(data)
    assert source.origin == {"games": 6, "participants": 3}
    games = [game for game in data.games if game.session.over]
    for game, episodes in zip(games, source.episodes, strict=True):
        assert {episode.agent for episode in episodes} == {"person", game.opponent}
        own = next(episode for episode in episodes if episode.seat == game.seat)
        assert own.actions.tolist() == [action for _, _, _, action in game.decisions()]
        assert all(own.masks[k][action] for k, action in enumerate(own.actions))
        assert (own.rewards.sum() > 0) == (game.wins > 0.5)
