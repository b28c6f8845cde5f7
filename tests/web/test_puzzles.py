"""The shipped puzzles, and how they are played."""

import numpy as np
import pytest

from rfop_env.agent import copy_games
from rfop_env.game_setup import ComponentSets
from rfop_env.players import AgentLoader
from rfop_env.registry import get_game, list_games
from rfop_env.replays import Replay
from rfop_env.web import saves
from rfop_env.web.puzzles import FOLDER, SUFFIX, fits, puzzle_seats, puzzles_of, usual_options
from rfop_env.web.sessions import Sessions

ALL = [(game, number) for game in list_games() for number in range(1, len(puzzles_of(game)) + 1)]


def at_the_puzzle(puzzle):
    replay = Replay.read(puzzle.replay)
    batch = replay.begin()
    for _ in replay.play_from(batch):
        pass
    return batch


def test_every_game_has_puzzles():
    assert {path.stem for path in FOLDER.glob(f"*{SUFFIX}")} == set(list_games())
    for game in list_games():
        assert 5 <= len(puzzles_of(game)) <= 20
        assert (FOLDER / f"{game}{SUFFIX}").stat().st_size < 60_000
    assert puzzles_of("Nothing-v0") == []


@pytest.mark.parametrize(("game", "number"), ALL)
def test_a_puzzle_is_a_position_with_one_best_action(game, number):
    puzzle = puzzles_of(game)[number - 1]
    batch = at_the_puzzle(puzzle)
    assert not batch.states["over"][0]
    actions = {label: batch.game.actions.parse(label) for label in puzzle.values}
    assert all(batch.action_mask[0, action] for action in actions.values())
    ranked = sorted(puzzle.values, key=lambda label: -puzzle.values[label])
    assert ranked[0] == puzzle.best
    assert puzzle.values[ranked[0]] - puzzle.values[ranked[1]] == pytest.approx(puzzle.margin, abs=1e-3)
    assert puzzle.margin >= 0.05
    assert fits(puzzle, get_game(game), batch.components.digest, usual_options(game))


@pytest.mark.slow
@pytest.mark.parametrize("number", range(1, len(puzzles_of("Revolution-v0")) + 1))
def test_exact_values_are_those_of_best_play(number):
    from training.research.lab import exact

    puzzle = puzzles_of("Revolution-v0")[number - 1]
    assert puzzle.by == "exact search"
    batch = at_the_puzzle(puzzle)
    legal, seat = np.flatnonzero(batch.action_mask[0]), int(batch.current_player[0])
    children = copy_games(batch, np.zeros(len(legal), np.intp))
    children.step(legal)
    values = exact.values(exact.solve(children, [], 20_000_000, "outcome", 0))[0][:, seat]
    labels = [batch.game.actions.label(action) for action in legal.tolist()]
    assert dict(zip(labels, values.tolist(), strict=True)) == puzzle.values


@pytest.mark.slow
@pytest.mark.parametrize(("game", "number"), [(game, number) for game, number in ALL if game != "Revolution-v0"])
def test_another_search_finds_the_best_action(game, number):
    from training.research.lab.puzzles import searched_values

    puzzle = puzzles_of(game)[number - 1]
    batch = at_the_puzzle(puzzle)
    simulations = int(puzzle.by.partition("-")[2])
    values = searched_values(batch, simulations, np.random.default_rng(1))
    assert batch.game.actions.label(max(values, key=lambda action: values[action])) == puzzle.best


def test_a_puzzle_is_played_and_answered(page, folder):
    games = {game["id"]: game for game in page.get("/api/menu")["games"]}
    assert games["Revolution-v0"]["puzzles"] == len(puzzles_of("Revolution-v0"))
    puzzle = puzzles_of("Revolution-v0")[0]
    for wrong in (False, True):
        state = page.post("/api/puzzles", game="Revolution-v0", number=1)
        assert state["asks"]
        assert state["puzzle"]["solved"] is None
        assert str(puzzle.values[puzzle.best]) not in str(state["puzzle"])
        assert state["moment"] == len(Replay.read(puzzle.replay).decisions)
        ids = {action["label"]: action["id"] for action in state["actions"]}
        label = next(name for name in ids if (name != puzzle.best) == wrong)
        after = page.act(state, ids[label])
        assert after["puzzle"]["solved"] is not wrong
        assert after["puzzle"]["words"].startswith("Not the best: " if wrong else "Right: ")
        assert Sessions(folder, AgentLoader(), ComponentSets()).get(state["id"]).puzzle["by"] == puzzle.by
        undone = page.change(after, "undo")
        assert undone["puzzle"]["solved"] is None
        assert "no decision of yours" in page.change(undone, "undo", 400)["error"]
    assert "no number 99" in page.post("/api/puzzles", 404, game="Revolution-v0", number=99)["error"]
    assert "no number 1" in page.post("/api/puzzles", 404, game="Nothing-v0", number=1)["error"]


@pytest.mark.parametrize("game", ["RedFlagOverParis-v1", "Paris-v0"])
def test_a_puzzle_shows_the_past_as_its_person_saw_it(page, game):
    state = page.post("/api/puzzles", game=game, number=1)
    seat = state["decider"]
    assert state["viewer"] == seat
    assert [s["player"] for s in state["seats"]] == puzzle_seats(get_game(game), seat)[: len(state["seats"])]
    assert "another seat" in page.get(f"/api/games/{state['id']}/moments/0?looking={1 - seat}", 400)["error"]


def test_a_game_whose_cards_are_gone_has_no_puzzle(page, monkeypatch):
    monkeypatch.setattr(ComponentSets, "of", lambda self, game: [])
    assert "no set" in page.post("/api/puzzles", 400, game="Revolution-v0", number=1)["error"]


def test_the_person_has_the_seat_that_decides():
    session = saves.load_puzzle("Revolution-v0", 1, AgentLoader(), ComponentSets())
    assert session.people == [session.newest.decider]
    assert session.start == len(session.moments) - 1
