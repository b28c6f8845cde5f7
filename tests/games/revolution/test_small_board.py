"""The small board: a set that leaves out spaces and pieces, by the same rules, and files that leave out wrong ones."""

from __future__ import annotations

import numpy as np
import pytest

from rfop_env.compiler import JIT
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import BadComponents, BadPosition
from rfop_env.games.revolution import actions, board, component_set, game, observation
from rfop_env.testing.random_play import play_random

SMALL = "small_board"
MIDDLE = [f"{column}{row}" for row in "234" for column in "bcd"]
BOARD = '[[board]]\nwidth = {}\ncounters = {}\nbuildings = {}\nprovenance = "reconstructed"\n'
MARKERS = "".join(
    f'[[markers]]\nside = "{side}"\ncount = 4\nprovenance = "reconstructed"\n' for side in ("Royalists", "Jacobins")
)
THREE, ONE = ["Bastille", "Notre Dame", "Versailles"], ["Notre Dame"]


def start_batch(*labels: str, components: object = SMALL) -> GameBatch:
    """A game after some decisions."""
    batch = GameBatch(game.revolution(), 1, 0, components=components)
    for label in labels:
        batch.step([actions.ACTIONS.parse(label)])
    return batch


def legal(batch: GameBatch) -> list[str]:
    return [actions.ACTIONS.label(int(action)) for action in np.flatnonzero(batch.action_mask[0])]


def built() -> GameBatch:
    """A game whose buildings stand in a row: the Bastille on b2, Versailles on d2, Notre Dame on c3."""
    return start_batch("building bastille", "space b2", "building versailles", "space d2", "space c3")


def test_a_set_is_loaded_by_its_name_and_leaves_the_published_one_as_it_is():
    small, published = component_set.load_components(SMALL), component_set.load_components()
    assert small.name == "small board" and small.digest != published.digest
    assert published.record["spaces"][0] == board.SPACES == board.PIECES and published.record["space_in_play"][0].all()
    assert published.record["buildings"][0] == 3 and published.record["piece_in_play"][0].all()
    assert small.record["spaces"][0] == small.record["piece_in_play"][0].sum() == 9
    assert [board.SPACE_NAMES[x] for x in np.flatnonzero(small.record["space_in_play"][0])] == MIDDLE
    assert small.record["markers"][0].tolist() == [3, 3]


def test_what_is_left_out_can_be_neither_chosen_nor_filled():
    batch = start_batch("building bastille")
    assert legal(batch) == [f"space {name}" for name in MIDDLE]
    batch.step([actions.ACTIONS.parse("space c2")])  # not beside it, and that not off the board
    batch.step([actions.ACTIONS.parse("building versailles")])
    assert legal(batch) == [f"space {name}" for name in ("b3", "d3", "b4", "c4", "d4")]

    batch = built()
    assert legal(batch) == ["counter 1", "counter 2", "counter flag"] and batch.record().player == board.JACOBINS
    assert sorted(np.flatnonzero(batch.record().at == board.NOT_IN_PLAY) % board.COUNTERS) == sorted(
        [0, *range(3, board.FLAG)] * 2
    )
    batch.step([actions.ACTIONS.parse("counter 2")])
    assert legal(batch) == [f"space {name}" for name in ("c2", "b3", "d3", "b4", "c4", "d4")]


def test_influence_and_reach_end_at_the_edge():
    batch = built()
    for label in ("counter 2", "space b3"):
        batch.step([actions.ACTIONS.parse(label)])
    s = batch.record()
    influence = {
        board.SPACE_NAMES[x]: int(s.influence[board.JACOBINS, x]) for x in np.flatnonzero(s.influence[board.JACOBINS])
    }
    assert influence == {"b2": 2, "b3": 2, "c3": 2, "b4": 2}  # and not a3
    assert (
        s.empties[board.SPACE_NAMES.index("b2")] == 1 and s.empties[board.SPACE_NAMES.index("a3")] == 0
    )  # c2 alone is left
    assert s.reach[board.ROYALISTS].tolist() == [0, 2, 3, 3, 3] and s.reach[board.JACOBINS].tolist() == [0, 1, 1, 1, 1]
    assert (s.on == board.NO_SPACE).sum() == board.SPACES - 9 and (s.on == board.NO_PIECE).sum() == 5


def test_the_observation_shows_neither_spaces_nor_pieces_that_are_left_out():
    view = observation.LAYOUT.describe(built().observe(board.ROYALISTS)[0])
    assert view["own_unplayed"] == view["enemy_unplayed"] == ["1", "2", "flag"]
    assert sorted(view["empty"]) == sorted(("c2", "b3", "d3", "b4", "c4", "d4"))
    assert {name for name, empty in view["empty_neighbours"].items() if empty} < set(MIDDLE)
    assert view["markers_left"] == {"own": 3, "enemy": 3}


def test_games_hold_every_invariant_and_end_in_every_way():
    record = play_random(game.revolution(), 400 if JIT else 40, num_games=20, components=SMALL, reward="margin")
    assert record.longest == GameBatch(game.revolution(), 1, 0, components=SMALL).game.spec.max_decisions == 18
    assert game.revolution().spec.max_decisions == 50 and record.highest <= 3 / 11 + 1e-6
    assert {"flag captured", "three buildings", "flag and all markers"} <= set(record.endings)


def test_the_scripted_player_knows_the_edge():
    batch = GameBatch(game.revolution(), 50, 0, components=SMALL, opponent="scripted", seat=board.ROYALISTS)
    batch.step_random(repeat=18)
    assert batch.terminated.all() and (batch.states["winner"] == board.JACOBINS).mean() > 0.6


def test_drawings_show_the_board_in_play():
    batch = built()
    text, picture = batch.draw_text(), batch.draw_svg()
    assert "a" not in text.splitlines()[2] and text.count("+---------+---------+---------+") == 4
    assert "unplayed 1 2 ⚑" in text
    assert picture.count('class="space ') == 9 and picture.count('class="counter ') == 4
    assert "3 of 9 spaces filled" in picture


def test_a_position_of_another_board_is_refused():
    small, large = GameBatch(game.revolution(), 1, 0, components=SMALL), GameBatch(game.revolution(), 1, 0)
    for batch, donor in ((small, large), (large, small)):
        with pytest.raises(BadPosition, match="left out than by the component set"):
            batch.set_state(donor.get_state())


def test_a_board_that_cannot_be_played_is_refused(tmp_path, subtests):
    cases = [
        (2, ["flag"], ONE, "board 2: width: .* from 3 to 5, found 2"),
        (4, ["1", "2", "3", "4", "5", "flag"], THREE, "width: .* so that the board has a middle, found 4"),
        (3, ["1", "2", "3", "4"], ONE, "counters: expected the flag among them"),
        (3, ["1", "2", "flag"], ["Bastille", "Versailles"], "buildings: expected Notre Dame among them"),
        (3, ["1", "flag"], THREE, "counters: expected 9 pieces for 9 spaces: .* found 7"),
        (3, ["1", "2", "3", "flag"], ["Notre Dame", "Louvre"], "buildings: .* found 'Louvre'"),
        (3, ["1", "2", "flag"], THREE, "markers Royalists: count: expected at most 3 on this board, found 4"),
    ]
    for width, counters, buildings, message in cases:
        with subtests.test(width=width, counters=counters, buildings=buildings, message=message):
            path = tmp_path / "own.toml"
            path.write_text(BOARD.format(width, counters, buildings) + MARKERS, encoding="utf-8")
            with pytest.raises(BadComponents, match=message):
                component_set.load_components(path)


def test_two_boards_are_refused(tmp_path):
    path = tmp_path / "own.toml"
    boards = BOARD.format(3, ["1", "2", "3", "flag"], ONE) + BOARD.format(5, list(board.COUNTER_NAMES), THREE)
    path.write_text(boards + MARKERS, encoding="utf-8")
    with pytest.raises(BadComponents, match="board 5: width: expected one board in all files, found 5"):
        component_set.load_components(path)


def test_a_board_may_have_one_building_and_more_numbers(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(BOARD.format(3, ["1", "2", "3", "flag"], ONE) + MARKERS, encoding="utf-8")
    record = play_random(game.revolution(), 40 if JIT else 8, components=path)
    assert record.longest <= 18 and "three buildings" not in record.endings
    batch = start_batch("space c3", components=path)
    assert legal(batch) == ["counter 1", "counter 2", "counter 3", "counter flag"]
