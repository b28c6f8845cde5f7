"""What is done with a game over the server: every route, with and without programs."""

import itertools
import json
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import rfop_agents
from rfop_env import make_batch
from rfop_env.agent import act_for
import pytest

from rfop_env.core.errors import InternalFault, RfopError
from rfop_env.registry import get_game, list_games, temporarily
from rfop_env.players import AgentLoader, Thought, load_agent
from rfop_env.web.app import make_app
from rfop_env.web.refusals import require_bounded
from rfop_env.web.session import Session
from starlette.testclient import TestClient
from tests.web.conftest import ORIGIN, TOKEN, Page

ONE_SEAT = ("RedFlagOverParisSolo-v1", "LeveeEnMasse-v0")


def game_seats(game, *names):
    return list(names)[:1] if game in ONE_SEAT else list(names)


def test_the_menu_lists_all_environments_with_their_options_and_programs(page):
    games = {g["id"]: g for g in page.get("/api/menu")["games"]}
    assert list(games) == list_games()
    assert next(o["name"] for o in games["Paris-v0"]["options"]) == "players"
    for id, game in games.items():
        assert game["programs"][0] == "random"
        assert {p.name for p in get_game(id).scripted} < set(game["programs"])
        assert "search-400" in game["programs"]


def test_the_menu_has_the_levels_that_were_measured(page):
    games = {g["id"]: g for g in page.get("/api/menu")["games"]}
    revolution = [level["name"] for level in games["Revolution-v0"]["levels"]]
    assert revolution[0] == "random" and revolution.index("scripted") < revolution.index("search-100+revolution/xi-2")
    assert all(level["players"] == 2 and int(level["level"]) >= 0 for level in games["Revolution-v0"]["levels"])
    assert {level["players"] for level in games["Paris-v0"]["levels"]} == {2, 3, 4}
    assert games["LeveeEnMasse-v0"]["levels"][-1]["level"].startswith("wins ")
    state = page.to_person(page.new(seats=["person", revolution[-1]]))
    assert state["asks"]


def test_a_search_divides_its_time_over_the_decisions_of_a_turn(page, monkeypatch):
    seconds = []

    def simulate(times, own, stopped):
        seconds.append(own)
        times(2)

    monkeypatch.setattr("rfop_agents.search.agent.simulate_for", simulate)
    state = page.new(seats=["search-4s-turn", "person"], seed="3")
    state = page.to_person(state)
    assert len(seconds) >= 2
    assert seconds == [4 * 0.5 ** (k + 1) for k in range(len(seconds))]
    state = page.act(state)
    page.change(state, "hint", program="search-4s-turn")
    assert seconds[-1] == 1.0  # the second decision of the person's turn


def test_the_decisions_of_a_turn_are_counted():
    session = Session(get_game("Revolution-v0"), ["person", "person"], AgentLoader(), seed=3)
    counts = [(session.newest.decider, session.earlier(len(session.moments) - 1))]
    for _ in range(8):
        session.act(session.version, session.newest.legal[0])
        counts.append((session.newest.decider, session.earlier(len(session.moments) - 1)))
    for (seat, count), (next_seat, next_count) in itertools.pairwise(counts):
        assert next_count == (count + 1 if seat == next_seat else 0)
    assert max(count for _, count in counts) > 0
    assert [session.earlier(k) for k in range(len(session.moments))] == [count for _, count in counts]


def test_time_for_a_turn_is_for_the_page_alone():
    batch = make_batch("Revolution-v0", 1, seed=1)
    agent = load_agent("search-0.1s-turn+revolution/ppo-2", batch.game)
    with pytest.raises(RfopError, match="on the page alone"):
        act_for(agent, batch, np.array([0]), np.random.default_rng(0))


def test_a_program_of_ones_own_is_seated(component_sets, folder, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("def act(observation, action_mask):\n    return action_mask.argmax(axis=1)\n")
    name = f"{file}:act"
    app = make_app(AgentLoader(check=require_bounded, own=[name]), component_sets, folder, TOKEN)
    with TestClient(app, base_url=ORIGIN, headers={"X-Token": TOKEN, "Origin": ORIGIN}) as client:
        own = Page(client)
        assert all(game["programs"][0] == name for game in own.get("/api/menu")["games"])
        assert own.play(own.new(seats=[name, "person"]), 2)["moment"] > 2
        other = name.replace(":act", ":other")
        assert "not started from here" in own.new(seats=[other, "person"], status=400)["error"]


def test_a_game_of_somebody_else_is_played(page):
    with temporarily(f"{Path(__file__).parents[2] / 'examples' / 'liars_dice.py'}:game") as name:
        entry = next(game for game in page.get("/api/menu")["games"] if game["id"] == name)
        assert (entry["title"], entry["players"]) == ("Liar's Dice", "2") and "careful" in entry["programs"]
        state = page.new(name, ("person", "careful"), seed="5")
        assert "<title>Liar's Dice</title>" in state["svg"]
        state = page.play(state)
        assert state["over"] and any("liar!" in line for lines in state["log"] for line in lines)


@pytest.mark.parametrize("game", ["Revolution-v0", "LeveeEnMasse-v0"])
def test_a_whole_game(page, game):
    state = page.play(page.new(game, game_seats(game, "person", "scripted"), seed="5"))
    assert state["over"]
    assert state["result"]
    assert state["seed"] == "5"
    assert state["actions"] == []
    assert state["decider"] == -1
    assert len(state["log"]) == len(state["deciders"]) == state["moment"] + 1
    assert any(lines for lines in state["log"])
    page.act({**state, "actions": [{"id": 0}]}, status=400)
    page.change(state, "move", 400)


@pytest.mark.many_games
@pytest.mark.parametrize("game", ["RedFlagOverParis-v1", "RedFlagOverParisSolo-v1", "Paris-v0"])
def test_a_whole_long_game(page, game):
    state = page.play(page.new(game, game_seats(game, "person", "random")))
    assert state["over"]
    assert state["result"]


def test_the_same_seed_gives_the_same_game(page):
    games = [page.new("LeveeEnMasse-v0", ["person"], seed="7") for _ in range(2)]
    assert games[0]["svg"] == games[1]["svg"]


def test_actions_come_with_label_sentence_kind_and_card(page):
    state = page.new("RedFlagOverParis-v1", ["person", "random"])
    for action in state["actions"]:
        assert action["kind"] == "objective"
        assert action["label"].startswith(f"objective {action['card']} ")
        assert f" {action['label'].removeprefix('objective ')}" in action["sentence"]
    cards = page.get(f"/api/games/{state['id']}/cards")
    assert cards["33"]["does"][0] == "place up to 2 in Public Opinion"
    assert cards["33"]["provenance"] == "reconstructed"
    assert {str(a["card"]) for a in state["actions"]} < set(cards)
    assert page.get(f"/api/games/{page.new()['id']}/cards") == {}


def test_a_stale_change_is_refused_with_the_present_state(page):
    """Two tabs: what the second one sends for a position that is gone changes nothing."""
    stale = page.new(seats=["person", "person"])
    state = page.act(stale)
    for verb, fields in (
        ("act", {"action": 0}),
        ("undo", {}),
        ("reveal", {}),
        ("move", {}),
        ("hint", {"program": "random"}),
    ):
        answer = page.change(stale, verb, 409, **fields)
        assert answer["state"] == state, verb
        assert "has changed" in answer["error"]
    assert page.get(f"/api/games/{state['id']}") == state
    assert page.get(f"/api/games/{state['id']}?known={state['version']}") == {
        "version": state["version"],
        "thinking": None,
    }


def test_of_many_changes_at_once_one_is_carried_out(page):
    state = page.new(seats=["person", "person"])
    body = {"version": state["version"], "action": state["actions"][0]["id"]}
    with ThreadPoolExecutor(8) as tabs:
        posts = [tabs.submit(page.client.post, f"/api/games/{state['id']}/act", json=body) for _ in range(8)]
    answers = sorted(post.result().status_code for post in posts)
    assert answers == [200] + [409] * 7
    assert page.get(f"/api/games/{state['id']}")["moment"] == 1


def test_a_program_does_not_decide_for_a_person_nor_a_person_for_a_program(page):
    state = page.new()
    assert "not a program's turn" in page.change(state, "move", 400)["error"]
    while state["asks"]:
        state = page.act(state)
    assert state["actions"] == []
    assert "not a person's turn" in page.act({**state, "actions": [{"id": 0}]}, status=400)["error"]
    assert "person's turn" in page.change(state, "hint", 400, program="random")["error"]


# -- moments, undo, fork -----------------------------------------------------------------------------------------------


def test_moments_are_the_past_as_it_was(page):
    first = page.new(seats=["person", "person"])
    second = page.act(first)
    third = page.act(second)
    base = f"/api/games/{third['id']}/moments"
    assert page.get(f"{base}/2")["svg"].count("<svg") == 1
    assert page.get(f"{base}/1")["lines"] == second["log"][1]
    assert page.get(f"{base}/0")["svg"] != page.get(f"{base}/2")["svg"]


def test_undo_goes_back_to_the_last_own_decision(page):
    start = page.new(seats=["person", "random"], seed="3")
    state = start
    while state["asks"]:
        last, state = state, page.act(state)
    state = page.to_person(state)
    undone = page.change(state, "undo")
    assert undone["svg"] == last["svg"]
    assert undone["actions"] == last["actions"]
    assert undone["version"] > state["version"]
    while undone["moment"]:
        undone = page.change(undone, "undo")
    assert undone["svg"] == start["svg"]
    assert "no decision of yours" in page.change(undone, "undo", 400)["error"]


def test_what_chance_decided_is_not_undone(page):
    state = page.new("LeveeEnMasse-v0", ["person"], seed="3")
    attack = next(a["id"] for a in state["actions"] if a["kind"] in ("military", "political"))
    rolled = page.act(state, attack)
    assert "cannot be undone" in page.change(rolled, "undo", 400)["error"]
    assert page.get(f"/api/games/{state['id']}") == rolled


def test_a_choice_that_revealed_nothing_is_undone_and_a_card_that_was_seen_is_not(page):
    """Red Flag: choosing an own card to play shows nothing; the enemy's answer does."""
    state = page.to_person(page.act(page.new("RedFlagOverParis-v1", ["person", "random"], seed="1")))
    for _ in range(30):
        if state["actions"][0]["kind"] == "card":
            break
        state = page.to_person(page.act(state))
    choice = page.act(state)
    assert choice["actions"][0]["kind"] == "use"
    assert page.change(choice, "undo")["svg"] == state["svg"]
    answered = page.act(page.get(f"/api/games/{state['id']}"))
    while answered["asks"] or answered["decider"] == 0:
        answered = page.act(answered)
    assert "cannot be undone" in page.change(page.to_person(answered), "undo", 400)["error"]


def test_play_on_from_a_moment_is_another_game(page):
    state = page.new(seats=["person", "person"])
    later = page.act(page.act(state))
    fork = page.post(f"/api/games/{state['id']}/fork", moment=0, swap=False)
    assert fork["id"] != state["id"]
    assert fork["svg"] == state["svg"]
    assert page.get(f"/api/games/{state['id']}") == later | {"variations": fork["variations"]}
    assert {g["id"] for g in page.get("/api/menu")["open"]} == {fork["id"], state["id"]}


def test_a_variation_has_the_past_of_its_game_and_the_way_back(page):
    main = page.play(page.new(seats=["person", "person"], seed="3"), 5)
    variation = page.post(f"/api/games/{main['id']}/fork", moment=3, swap=False)
    assert variation["moment"] == 3
    assert variation["log"] == main["log"][:4]
    other = next(a["id"] for a in variation["actions"][::-1])
    variation = page.act(variation, other)
    for k in (0, 2, 3):
        there = page.get(f"/api/games/{main['id']}/moments/{k}")["svg"]
        assert unmarked(page.get(f"/api/games/{variation['id']}/moments/{k}")["svg"]) == unmarked(there)
    again = page.post(f"/api/games/{variation['id']}/fork", moment=2, swap=False)  # a moment of the main line
    below = page.post(f"/api/games/{variation['id']}/fork", moment=4, swap=False)
    rows = {row["id"]: row for row in below["variations"]}
    assert [rows[g["id"]]["parent"] for g in (main, variation, again, below)] == [
        None,
        main["id"],
        main["id"],
        variation["id"],
    ]
    assert rows[variation["id"]]["start"] == 3
    assert rows[variation["id"]]["line"] == variation["log"][4][0].strip()
    assert page.get(f"/api/games/{main['id']}")["log"] == main["log"]

    # An undo stays within the variation; a game that is closed leaves the list.
    undone = page.change(variation, "undo")
    assert "no decision of yours" in page.change(undone, "undo", 400)["error"]
    page.post(f"/api/games/{main['id']}/close")
    assert {row["id"] for row in page.get(f"/api/games/{again['id']}")["variations"]} == set(rows) - {main["id"]}


def test_swap_sides(page):
    state = page.act(page.new(seats=["person", "random"]))
    fork = page.post(f"/api/games/{state['id']}/fork", moment=state["moment"], swap=True)
    assert [s["player"] for s in fork["seats"]] == ["random", "person"]
    solo = page.new("LeveeEnMasse-v0", ["person"])
    assert "one seat" in page.post(f"/api/games/{solo['id']}/fork", 400, moment=0, swap=True)["error"]


def test_nothing_is_played_on_from_the_end(page):
    state = page.play(page.new(seats=["person", "random"]))
    error = page.post(f"/api/games/{state['id']}/fork", 400, moment=state["moment"], swap=False)["error"]
    assert "end of a game" in error
    page.post(f"/api/games/{state['id']}/fork", 404, moment=state["moment"] + 1, swap=False)
    assert page.post(f"/api/games/{state['id']}/fork", moment=3, swap=False)["moment"] == 3


def unmarked(svg):
    """A drawing without the marks on what has changed."""
    return re.sub(r'<g class="last">.*?</g>\n', "", svg, flags=re.DOTALL)


# -- save and load -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "options", "seats"),
    [
        ("Paris-v0", {"players": "3", "screens": "open"}, ["random", "person", "scripted"]),
        ("RedFlagOverParisSolo-v1", {"side": "versailles"}, ["person"]),
        ("Revolution-v0", {}, ["person", "person"]),
    ],
)
def test_a_saved_game_goes_on_as_it_was(page, folder, game, options, seats):
    state = page.to_person(page.new(game, seats, options=options))
    answer = page.post(f"/api/games/{state['id']}/save", name="mine 1")
    assert list(answer) == ["path"]
    assert page.get("/api/menu")["saved"] == ["mine 1"]
    text = (folder / "mine 1.toml").read_text(encoding="utf-8")
    for loaded in (page.post("/api/load", name="mine 1"), page.post("/api/load", text=text)):
        assert unmarked(loaded["svg"]) == unmarked(state["svg"])  # of earlier moves a position knows the last alone
        assert loaded["seats"] == state["seats"]
        assert loaded["options"] == state["options"]
        assert page.act(loaded)["svg"] == page.act(page.post("/api/load", name="mine 1"))["svg"]


def test_a_saved_replay_is_listed_and_opened(page, folder):
    state = page.act(page.to_person(page.new("Revolution-v0", ["person", "person"])))
    page.post(f"/api/games/{state['id']}/replay", name="mine 1")
    page.post(f"/api/games/{state['id']}/save", name="mine 1")
    assert sorted(page.get("/api/menu")["saved"]) == ["mine 1", "mine 1.rfop"]
    loaded = page.post("/api/load", name="mine 1.rfop")
    assert (loaded["recorded"], loaded["moment"]) == (True, 1)
    assert page.post("/api/load", name="mine 1")["moment"] == 0
    (folder / "notes.txt").write_text("no game", encoding="utf-8")
    assert page.get("/api/menu")["saved"].count("notes.txt") == 0
    for name in ("notes.txt", "notes", "../mine 1.rfop", ".rfop"):
        assert page.post("/api/load", 404, name=name)["error"]
    assert page.post(f"/api/games/{state['id']}/save", 400, name="mine.rfop")["error"]


def test_a_position_of_rfop_play_is_loaded(page):
    from rfop_env import make_batch
    from rfop_env.core.position import position_text

    text = position_text(make_batch("Revolution-v0", 1, seed=3))
    assert [s["player"] for s in page.post("/api/load", text=text)["seats"]] == ["person", "random"]
    loaded = page.post("/api/load", text=text, seats=["random", "person"])
    assert [s["player"] for s in loaded["seats"]] == ["random", "person"]


def test_a_file_outside_the_folder_is_neither_written_nor_read(page, folder):
    for name in ["", "../x", "a/b", ".hidden", "x" * 61, "a\0b", "a\nb"]:
        state = page.new()
        assert page.post(f"/api/games/{state['id']}/save", 400, name=name)["error"]
        assert page.post("/api/load", 404, name=name)["error"]
        assert [path.name for path in folder.iterdir()] == ["open"]


def test_a_saved_game_is_never_overwritten(page):
    state = page.new()
    page.post(f"/api/games/{state['id']}/save", name="one")
    assert "already" in page.post(f"/api/games/{state['id']}/save", 400, name="one")["error"]


NO_POSITIONS = [
    "",
    "game = 3",
    'game = "Chess-v0"',
    'game = "Revolution-v0"',
    'game = "Revolution-v0"\n[state]\nx = 1',
    'game = "Revolution-v0"\nx = ' + "[" * 5000,
    '# options: players=9\ngame = "Paris-v0"',
    '# options: nonsense\ngame = "Paris-v0"',
    'game = "Revolution-v0"\n' + "x" * 3000,
]


def test_what_is_no_position_is_refused(page):
    for text in NO_POSITIONS:
        assert page.post("/api/load", 400, text=text)["error"], text[:60]


# -- programs ----------------------------------------------------------------------------------------------------------


def test_programs_play_each_other(page):
    state = page.new(seats=["scripted", "random"])
    assert state["free"]
    state = page.to_person(state)
    assert state["over"]
    assert page.get(f"/api/games/{state['id']}?looking=1")["viewer"] == 1


def test_a_network_gives_probabilities_and_a_value(page):
    state = page.new(seats=["person", "revolution/ppo-2"])
    hint = page.change(state, "hint", program="revolution/ppo-2")
    probs = [action["prob"] for action in hint["best"]]
    assert len(probs) == 3
    assert probs == sorted(probs, reverse=True)
    assert 0 < sum(probs) <= 1.001
    assert -1.5 < hint["value"] < 1.5
    assert hint["best"][0]["visits"] is None
    assert {a["id"] for a in hint["best"]} <= {a["id"] for a in state["actions"]}
    value = page.post(f"/api/games/{state['id']}/value", moment=0, program="revolution/ppo-2")
    assert value == {"moment": 0, "seat": 0, "value": hint["value"]}


def test_a_search_gives_visits_and_values(page):
    state = page.new(seats=["person", "random"])
    hint = page.change(state, "hint", program="search-12-random")
    assert hint["best"][0]["visits"] == max(action["visits"] for action in hint["best"])
    assert all(-1 <= action["value"] <= 1 for action in hint["best"])
    assert hint["best"][0]["prob"] is None


def test_a_program_without_figures_names_its_action_alone(page):
    state = page.new(seats=["person", "random"])
    assert len(page.change(state, "hint", program="scripted")["best"]) == 1
    error = page.post(f"/api/games/{state['id']}/value", 400, moment=0, program="scripted")["error"]
    assert "gives no values" in error
    assert page.change(state, "hint", 400, program="nobody")["error"]


def test_without_other_packages_the_games_own_players_remain(monkeypatch):
    monkeypatch.setattr("rfop_env.players._packages", lambda: [])
    programs = AgentLoader()
    game = get_game("Revolution-v0")
    assert programs.names(game) == ["random", "scripted"]
    Session(game, ["person", "scripted"], programs)
    with pytest.raises(RfopError, match="unknown agent 'search-400'"):
        Session(game, ["person", "search-400"], programs)


# -- programs that think for long --------------------------------------------------------------------------------------


def wait_for(page, state):
    """The state once no program thinks any more."""
    deadline = time.monotonic() + 20
    while state["thinking"]:
        assert time.monotonic() < deadline
        state = page.get(f"/api/games/{state['id']}")
    return state


def test_a_program_that_thinks_is_not_waited_for_and_nothing_else_changes_the_game(page, slow):
    state = page.new(seats=["slow", "person"])
    thinking = page.change(state, "move")
    assert thinking["thinking"] == "slow"
    assert page.get("/api/menu")["open"][0]["id"] == state["id"]  # the server answers meanwhile
    answer = page.get(f"/api/games/{state['id']}?known={thinking['version']}")
    assert answer == {"version": thinking["version"], "thinking": "slow"}
    for verb in ("move", "undo"):
        assert "is thinking" in page.change(thinking, verb, 409)["error"]
    slow.go.set()
    assert wait_for(page, thinking)["moment"] == 1


def test_a_program_can_be_told_to_move_now(page, slow):
    state = page.change(page.new(seats=["slow", "person"]), "move")
    assert page.post(f"/api/games/{state['id']}/stop") == {}
    assert wait_for(page, state)["moment"] == 1


def test_a_hint_can_be_stopped_and_only_one_is_open_at_a_time(page, slow):
    state = page.new(seats=["person", "random"])
    hints = []
    first = threading.Thread(target=lambda: hints.append(page.change(state, "hint", program="slow")))
    first.start()
    assert slow.began.wait(20)
    assert "another question" in page.change(state, "hint", 409, program="slow")["error"]
    page.post(f"/api/games/{state['id']}/stop")
    first.join(20)
    assert hints[0]["program"] == "slow"


def test_a_hint_for_a_decision_that_is_taken_is_not_sent(page, slow):
    state = page.new(seats=["person", "random"])
    with ThreadPoolExecutor(1) as pool:
        hint = pool.submit(page.change, state, "hint", 409, program="slow")
        assert slow.began.wait(20)
        newer = page.act(state)  # the person need not wait
        assert newer["moment"] == 1
        slow.go.set()
        assert hint.result()["state"] == newer


FAILURES = [
    ValueError("a secret"),
    RfopError("a secret"),
    InternalFault("a secret"),
    SystemExit("a secret"),
]


@pytest.mark.parametrize("answer", [*FAILURES, None, "a secret", -1, 10**30, [0]], ids=repr)
def test_what_keeps_a_program_from_deciding_is_said_and_the_game_goes_on(page, programs, answer, capfd):
    programs.broken.answer = answer
    state = page.change(page.new(seats=["broken", "person"]), "move")
    kind = type(answer if isinstance(answer, BaseException) else ValueError()).__name__
    assert state["problem"] == f"broken could not decide ({kind}): the terminal of 'rfop serve' says more"
    assert (state["thinking"], state["moment"]) == (None, 0)
    assert "a secret" not in json.dumps([state, page.get(f"/api/games/{state['id']}")])
    errors = capfd.readouterr().err
    assert errors.count("Traceback") == 1
    assert repr(answer) in errors or "a secret" in errors

    programs.broken.answer = 11  # the first building
    state = page.change(state, "move")
    assert (state["problem"], state["moment"]) == ("", 1)


UNUSABLE = [
    None,
    Thought(-1),
    Thought(11, visits=np.zeros(2)),
    Thought(11, probs=np.full(38, 2.0), values=np.zeros(1)),
]


@pytest.mark.parametrize("answer", [*FAILURES, *UNUSABLE], ids=repr)
def test_what_keeps_a_program_from_a_hint_is_said_and_the_game_goes_on(page, programs, answer):
    programs.broken.answer = answer
    state = page.new(seats=["person", "random"])
    error = page.change(state, "hint", 400, program="broken")["error"]
    assert error.startswith("broken could not ")
    assert error.endswith(": the terminal of 'rfop serve' says more")
    assert "a secret" not in error
    assert page.change(state, "hint", program="random")["best"]
    assert page.act(state)["moment"] == 1


@pytest.mark.parametrize("answer", [*FAILURES, None, Thought(0), Thought(0, np.nan), Thought(0, "a secret")], ids=repr)
def test_what_keeps_a_program_from_a_value_is_said(page, programs, answer):
    programs.broken.answer = answer
    state = page.new(seats=["person", "random"])
    for _ in range(2):  # and nothing of it is kept
        error = page.post(f"/api/games/{state['id']}/value", 400, moment=0, program="broken")["error"]
        assert error.startswith(("broken could not ", "broken gives no value here"))
        assert "a secret" not in error
    programs.broken.answer = Thought(0, 0.5)
    assert page.post(f"/api/games/{state['id']}/value", moment=0, program="broken")["value"] == 0.5


def test_a_program_meets_the_same_batch_at_every_move(page, programs, monkeypatch):
    """Networks with a memory have one for each batch."""
    batches = []
    monkeypatch.setattr(
        programs.broken, "act", lambda batch, *rest: batches.append(batch) or batch.action_mask[0].argmax()
    )
    state = page.new(seats=["broken", "random"])
    for _ in range(6):
        state = page.change(state, "move")
    assert len(batches) > 1
    assert all(batch is batches[0] for batch in batches)


def test_a_program_that_cannot_be_loaded_is_said(page, programs, monkeypatch):
    def load(name, game, components):
        raise OSError("a broken model file")

    monkeypatch.setattr(programs, "load", load)
    error = page.new(seats=["person", "runs/mine"], status=400)["error"]
    assert error == "runs/mine could not be loaded (OSError): the terminal of 'rfop serve' says more"


def test_a_search_is_stopped_between_its_rounds(monkeypatch):
    """The agent's own part: it ends early, with what it has found, and finds the same when nobody stops it."""
    monkeypatch.setattr("rfop_agents.search.agent.ROUND", 5)
    session = Session(get_game("Revolution-v0"), ["person", "person"], AgentLoader(), seed=1)
    agent = rfop_agents.load("search-20-random", session.game)
    calls = []

    def visits(stopped):
        agent.stopped = stopped
        act_for(agent, session.batch, np.array([0]), np.random.default_rng(1))
        return agent.last.visits

    full = visits(None)
    assert (visits(lambda: False) == full).all()
    assert visits(lambda: calls.append(1) or True).sum() < full.sum() / 2
    assert calls == [1]


def test_a_search_by_seconds_is_stopped():
    session = Session(get_game("Revolution-v0"), ["person", "person"], AgentLoader(), seed=1)
    agent = rfop_agents.load("search-30s-random", session.game)
    agent.stopped = lambda: True
    start = time.monotonic()
    act_for(agent, session.batch, np.array([0]), np.random.default_rng(1))
    assert time.monotonic() - start < 15
