"""Every ruling V1 to V24 and the paragraphs of the rules, one test each or more, named after the ruling."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from rfop_env.compiler import JIT
from rfop_env.core.batch import GameBatch
from rfop_env.games.revolution import actions, board, game, state
from rfop_env.games.revolution import symmetries as board_symmetries

from .table import LETTERS, Table, parse_piece, parse_pieces, space


def start() -> GameBatch:
    """A new game."""
    return GameBatch(game.revolution(), 1, 0)


def do(batch: GameBatch, *labels: str) -> GameBatch:
    """Carry out actions by their labels."""
    for label in labels:
        batch.step([actions.ACTIONS.parse(label)])
    return batch


def legal(batch: GameBatch) -> set[str]:
    """Labels of the legal actions."""
    return {actions.ACTIONS.label(a) for a in np.flatnonzero(batch.action_mask[0])}


def set_up() -> GameBatch:
    """Bastille a5, Notre Dame c5, Versailles e5: the Jacobins are to place the first counter."""
    return do(start(), "building bastille", "space a5", "building notre dame", "space c5", "space e5")


def final_table(seed: int) -> Table:
    """The end of the game that random play makes of a seed, the same compiled or not."""
    table = Table.__new__(Table)
    table.batch = GameBatch(game.revolution(), 1, seed, reward="margin")
    while not table.batch.states["over"][0]:
        table.batch.step_random()
    table.s, table.log = table.batch.record(), table.batch.journal()
    return table


# -- set-up ------------------------------------------------------------------------------------------------------------


def test_v1_royalists_jacobins_royalists_place_the_buildings_then_the_jacobins_begin():
    batch, seats = start(), []
    for label in ("building versailles", "space b2", "building bastille", "space d4", "space a5"):
        seats.append(int(batch.current_player[0]))
        do(batch, label)
    assert seats == [board.ROYALISTS, board.ROYALISTS, board.JACOBINS, board.JACOBINS, board.ROYALISTS]
    assert batch.current_player[0] == board.JACOBINS and batch.record().question == state.ASK_COUNTER


def test_v2_the_first_two_buildings_are_free_the_third_is_forced():
    batch = start()
    assert legal(batch) == {"building Bastille", "building Versailles", "building Notre Dame"}
    do(batch, "building notre dame", "space c3")
    assert legal(batch) == {"building Bastille", "building Versailles"}
    do(batch, "building bastille", "space a1")
    assert batch.record().question == state.ASK_SITE and batch.record().held == board.FIRST_BUILDING + 1  # Versailles


def test_v2_no_two_buildings_can_take_all_spaces_from_the_third():
    batch = do(start(), "building bastille", "space c3", "building versailles", "space a2")
    batch.step([actions.ACTIONS.parse("space e4")])
    assert batch.record().placed == board.BUILDINGS


def test_v3_buildings_may_touch_at_a_corner_but_not_side_by_side():
    batch = do(start(), "building bastille", "space c3", "building versailles")
    refused = {name for name in board.SPACE_NAMES if f"space {name}" not in legal(batch)}
    assert refused == {"c3", "c2", "b3", "d3", "c4"}
    assert "space b2" in legal(batch)


def test_set_up_counts():
    """Sites for the buildings, in order, by the game's own masks, by geometry and by inclusion and exclusion.

    2,300 triples of 25 spaces, 40 pairs that touch with 23 third spaces each, 94 triples with two such pairs.
    """
    counted = 0
    for first in range(board.SPACES) if JIT else (0, 7, 12):
        batch = do(start(), "building bastille", f"space {board.SPACE_NAMES[first]}", "building versailles")
        for second in np.flatnonzero(batch.action_mask[0]):
            copy = batch.clone()
            copy.step([second])
            counted += int(copy.action_mask.sum())
    ordered = [
        sites
        for sites in itertools.permutations(range(board.SPACES), 3)
        if all(b not in board.NEIGHBOURS[a] for a, b in itertools.combinations(sites, 2))
    ]
    assert len(ordered) == 6 * (2300 - 40 * 23 + 94) == 8844
    assert counted == (len(ordered) if JIT else sum(sites[0] in (0, 7, 12) for sites in ordered))


# -- placing -----------------------------------------------------------------------------------------------------------


def test_v4_any_counter_in_any_order_and_no_passing():
    batch = set_up()
    assert legal(batch) == {"counter flag", *(f"counter {n}" for n in range(10))}
    do(batch, "counter 3")
    assert len(legal(batch)) == board.SPACES - board.BUILDINGS and "space a5" not in legal(batch)


def test_v4_a_flag_held_back_must_be_played_last():
    batch = GameBatch(game.revolution(), 1, 4)
    flag = actions.ACTIONS.parse("counter flag")
    while not batch.states["over"][0]:
        legal = [a for a in np.flatnonzero(batch.action_mask[0]) if a != flag]
        batch.step([legal[0]])
        s = batch.record()
        for side in (board.ROYALISTS, board.JACOBINS):
            on_board = sum(int(s.at[board.COUNTERS * side + n] != board.NOWHERE) for n in range(board.COUNTERS))
            assert (s.at[board.COUNTERS * side + board.FLAG] != board.NOWHERE) == (on_board == board.COUNTERS)


def test_pairs_at_the_start():
    """The Jacobins' first turn has 11 counters on 22 spaces."""
    batch, pairs = set_up(), 0
    for counter in np.flatnonzero(batch.action_mask[0]):
        copy = batch.clone()
        copy.step([counter])
        pairs += int(copy.action_mask.sum())
    assert pairs == 242


def test_influence_reaches_the_own_space_and_its_four_neighbours():
    table = Table(". . . . .  . . . . .  . . . . .  Ba . . . .  . . ND . Ve").play("7", "b2").play("4", "c2")
    influence = table.s.influence
    assert {board.SPACE_NAMES[x] for x in np.flatnonzero(influence[board.JACOBINS])} == {"b2", "a2", "b1", "b3", "c2"}
    assert {board.SPACE_NAMES[x] for x in np.flatnonzero(influence[board.ROYALISTS])} == {"c2", "b2", "c1", "c3", "d2"}
    assert influence[board.JACOBINS, space("b2")] == 7 and influence[board.ROYALISTS, space("b2")] == 4


# -- marking -----------------------------------------------------------------------------------------------------------


def test_v5_all_spaces_that_became_certain_are_marked_at_once():
    """The Jacobins' 9 settles their 8 and their 7 and lies safe itself, with the Royalists' high numbers gone."""
    table = Table("J8 . J7 . .  . . . . .  R9 R8 R7 R6 .  R5 R4 R3 Ba .  R2 ND . . Ve")
    assert table.marked("J") == set()
    table.play("9", "b1")
    assert {"a1", "b1", "c1"} <= table.marked("J")
    assert table.s.left[board.JACOBINS] == 11 - len(table.marked("J"))


def test_v6_a_space_made_certain_by_the_enemy_is_marked_after_the_own_next_placement():
    table = Table("J9 . . . .  J8 . . . .  . . ND . .  . . . . .  Ba . . . Ve", to_play="R").play("0", "b1")
    assert table.control("a1") == "J" and table.marked("J") == set()
    table.play("1", "e1")
    assert "a1" in table.marked("J")


def test_v7_a_captured_counter_keeps_its_influence():
    table = Table("R1 J9 . . .  . . . . .  . . ND . .  . . . . .  Ba . . . Ve").play("8", "a2")
    assert "a1" in table.marked("J")
    assert [int(table.s.influence[board.ROYALISTS, space(name)]) for name in ("a1", "b1", "a2")] == [1, 1, 1]
    assert [int(table.s.influence[board.JACOBINS, space(name)]) for name in ("a1", "b1", "a2")] == [17, 9, 8]


FIXTURE = """
.  J9 R9 J8 R6
.  R8 J1 J7 .
.  .  .  .  .
Ba .  .  .  .
.  .  ND .  Ve
"""  # rulings, section 3: red is J, blue is R; the buildings stand where nothing is known
FIXTURE_CONTROL = {"b1": "R", "c1": "J", "d1": "J", "c2": "R", "d2": "J"}


def test_fixture_all_five_verdicts_and_no_other():
    """The second illustration: R9 is red's, J8 red's by a tie, J7 red's; J9 and J1 are blue's; R8 and R6 are open."""
    assert Table(FIXTURE, to_play="R").controlled == FIXTURE_CONTROL


@pytest.mark.parametrize("symmetry", board_symmetries.symmetries(), ids=lambda symmetry: symmetry.name)
def test_fixture_played_and_in_its_mirror_images(symmetry):
    """Red places its 7 last and marks its three spaces; blue's next turn marks the other two."""
    spaces = (symmetry.actions[actions.ACTIONS.first("space") :] - actions.ACTIONS.first("space")).tolist()
    words = parse_pieces(FIXTURE)
    turned = {spaces.index(x): word for x, word in words.items()}
    pieces = {x: word for x, word in turned.items() if word != "J7"}
    where = {name: board.SPACE_NAMES[spaces.index(space(name))] for name in board.SPACE_NAMES}
    table = Table(pieces).play("7", where["d2"])
    assert table.controlled == {where[name]: side for name, side in FIXTURE_CONTROL.items()}
    assert table.marked("J") == {where["c1"], where["d1"], where["d2"]} and table.marked("R") == set()
    table.play("0", where["a5"])
    assert {where["b1"], where["c2"]} <= table.marked("R")


def test_fixture_influences():
    """17 against at most 15; 18 against 9; 15 against 15; 17 against at most 14; 16 against at most 12."""
    table = Table(FIXTURE, to_play="R")
    influence = {n: (int(table.s.influence[0, space(n)]), int(table.s.influence[1, space(n)])) for n in FIXTURE_CONTROL}
    assert influence == {"b1": (17, 9), "c1": (9, 18), "d1": (15, 15), "c2": (17, 8), "d2": (0, 16)}
    assert table.s.reach[board.JACOBINS].tolist() == [0, 6, 11, 15, 18] and table.s.reach[board.ROYALISTS, 2] == 12


def test_v8_the_bound_is_the_k_highest_unplayed_numbers():
    """J7 with 16 is safe from 7 + 5 on its two empty spaces, safe by the tie from 9 + 7, and 15 is not."""
    table = Table(FIXTURE, to_play="R")
    assert table.control("d2") == "J"
    assert Table(FIXTURE.replace("R9", "R0"), to_play="R").control("d2") == "J"
    assert Table(FIXTURE.replace("R9", "R0").replace("J1", "J0"), to_play="R").control("d2") == ""


def test_v8_with_fewer_counters_left_than_empty_spaces_all_of_them_count():
    drawing = "R0 R1 R2 R3 R4  R5 R6 R7 . .  R8 RF ND . .  J0 . . J9 .  Ba . Ve . ."
    table = Table(drawing, to_play="R")
    assert table.s.reach[board.ROYALISTS].tolist() == [0, 9, 9, 9, 9]
    assert table.control("d4") == "J"  # 9 against at most 9, with four empty spaces around: the owner's tie


def test_v9_the_bound_is_the_worst_case_whoever_is_on_turn():
    """J9 falls to 9 + 8 only if blue fills both spaces next to it; red would answer, and it is open all the same."""
    drawing = "J9 . . . .  . . . . .  . . ND . .  . . . . .  Ba . . . Ve"
    for side in LETTERS:
        assert Table(drawing, to_play=side).control("a1") == ""


def test_v10_equality_is_enough_on_the_own_counter_only():
    """5 + 4 red against 9 blue around one empty space: red's counter is red's, blue's counter is not yet red's."""
    own = Table("J5 R9 . . .  J4 . . . .  . . ND . .  . . . . .  Ba . . . Ve")
    assert (
        int(own.s.influence[board.JACOBINS, 0]) == int(own.s.influence[board.ROYALISTS, 0]) == 9
        and own.control("a1") == "J"
    )
    enemy_table = Table("R0 J9 . . .  . . . . .  R9 R8 ND . .  R7 R6 R5 R4 .  Ba R3 R2 R1 Ve")
    assert enemy_table.control("a1") == "J"  # 9 against nothing: all of blue's numbers are gone
    level = Table("R0 J9 . . .  . . . . .  . R8 ND . .  R7 R6 R5 R4 .  Ba R3 R2 R1 Ve")
    assert level.control("a1") == ""  # 9 against at most 9


def test_v11_a_flag_on_equal_terms_stays_with_its_owner():
    table = Table("JF J5 . . .  . . . . .  . . ND . .  . . . . .  Ba . . . Ve", to_play="R").play("5", "a2")
    assert table.control("a1") == "J" and table.result == ("", "running")


def test_v12_the_own_flag_bears_no_marker():
    table = Table("JF . . . .  . . . . .  . . ND . .  . . . . .  Ba . . . Ve", to_play="J")
    table.play("9", "b1").play("0", "e1").play("8", "a2")
    assert table.control("a1") == "J" and "a1" not in table.marked("J")


# -- the end -----------------------------------------------------------------------------------------------------------


def test_v13_a_captured_flag_ends_the_game_at_once():
    table = Table("RF J9 . . .  . . . . .  . R9 ND . .  R8 R7 R6 R5 .  Ba . . . Ve")
    assert table.batch.game.winners(table.s) == (False, False)
    table.play("8", "a2")
    assert table.result == ("J", "flag captured") and table.batch.game.winners(table.s) == (False, True)


def test_v13_a_player_whose_own_move_exposes_the_flag_loses():
    """Red's last chance of help was the empty space, and red fills it with a 0."""
    table = Table("JF R9 . . .  . . . . .  . . ND . .  . . . . .  Ba . . . Ve").play("0", "a2")
    assert table.result == ("R", "flag captured") and table.batch.rewards[0].tolist() == [1, -1]


def test_v13_flags_are_tested_after_marking():
    """The move that places red's last marker also loses red's flag: both conditions, so a draw."""
    drawing = "JF R9 . J7 J8  . . . . J6  . . ND . .  . . . . .  Ba . . . Ve"
    with_more = Table(drawing, left=(11, 9)).play("0", "a2")
    assert with_more.result == ("R", "flag captured") and len(with_more.marked("J")) >= 1
    assert Table(drawing, left=(11, 1)).play("0", "a2").result == ("", "draw: both sides met a condition")


NEARLY_THREE = "Ba J9 . . R7  J8 . . . .  ND/J R9 . . .  R8 . . J7 Ve  . . . . ."


def test_v14_the_third_building_wins_with_the_marker_on_notre_dame():
    table = Table(NEARLY_THREE)
    assert [table.control(name) for name in ("a1", "a3", "e4")] == ["J", "J", ""]
    table.play("6", "e5")
    assert table.control("e4") == "J" and table.result == ("J", "three buildings")


def test_v14_the_enemys_own_placement_can_make_the_third_building_certain():
    table = Table(NEARLY_THREE, to_play="R").play("0", "e3")
    assert table.control("e4") == "J" and table.result == ("J", "three buildings")


def test_v14_without_the_marker_on_notre_dame_the_buildings_win_only_in_the_own_turn():
    table = Table(NEARLY_THREE.replace("ND/J", "ND"), to_play="R").play("0", "e3")
    assert [table.control(name) for name in ("a1", "a3", "e4")] == ["J", "J", "J"]
    assert table.result == ("", "running") and "a3" not in table.marked("J")
    table.play("1", "c1")
    assert table.result == ("J", "three buildings") and "a3" in table.marked("J")


def test_v14_a_full_and_level_bastille_is_nobodys():
    table = Table("Ba J5 . . .  . . . . .  . . ND . .  . . . . .  . . . . Ve", to_play="R").play("5", "a2")
    assert table.control("a1") == ""


def test_v15_a_captured_flag_wins_without_buildings_or_markers():
    """The introduction names two ways to win, the end section three: the end section counts."""
    table = Table("RF J9 . . .  . . . . .  . . ND . .  . . . . .  Ba . . . Ve", left=(11, 11)).play("0", "a2")
    assert table.result == ("J", "flag captured") and len(table.marked("J")) < 11
    assert set(game.revolution().end_reasons[1:4]) == {"flag captured", "three buildings", "flag and all markers"}


ALL_MARKED = "J9 J8 . . .  J7 . . . .  . . ND . .  . . . R9 .  Ba . . . Ve"


def test_v16_all_markers_do_not_win_before_the_flag_is_played():
    table = Table(ALL_MARKED, left=(11, 0)).play("6", "c1")
    assert table.result == ("", "running")
    table.play("0", "e1").play("F", "b2")
    assert table.result == ("J", "flag and all markers")


def test_v16_a_flag_that_does_not_survive_its_placement_does_not_win():
    """Placed into blue's corner the flag is captured at once: both sides meet a condition."""
    drawing = "J9 J8 . . .  J7 . . . .  . . ND . .  . . . R8 R9  Ba . Ve R7 ."
    table = Table(drawing, left=(11, 0)).play("F", "e5")
    assert table.result == ("", "draw: both sides met a condition")


def test_v17_notre_dame_takes_a_marker_that_counts_bastille_and_versailles_never():
    table = Table("Ba J9 . . .  J8 . . . .  ND R9 . . .  R8 . . . Ve  . . . . .").play("0", "e1")
    assert table.control("a1") == "J" and table.control("a3") == "J"
    assert "a3" in table.marked("J") and "a1" not in table.marked("J")
    assert table.s.left[board.JACOBINS] == 11 - len(table.marked("J"))


def test_v18_notre_dame_needs_strictly_less_while_spaces_are_empty():
    """Blue has 9 beside Notre Dame; red's 9 on the last empty space would bring it level, filled by red itself."""
    level = Table("ND R9 . . .  . . . . .  . . Ba . .  . . . . .  . . . . Ve")
    assert level.control("a1") == ""
    less = Table("ND R9 . . .  . . . . .  . . Ba . .  J9 . . . .  . . . . Ve")
    assert less.control("a1") == "J"  # at most 8 now


@pytest.mark.parametrize(("filler", "winner"), [("J", "R"), ("R", "J")])
def test_v18_notre_dame_full_and_level_is_for_whoever_did_not_fill_it(filler, winner):
    opponent = "R" if filler == "J" else "J"
    drawing = f"ND {opponent}4 . . .  . . . . .  . . Ba . .  . . . . .  . . . . Ve"
    table = Table(drawing, to_play=filler).play("4", "a2")
    assert table.control("a1") == winner


@pytest.mark.parametrize(("filler", "winner"), [("J", "R"), ("R", "J")])
def test_v18_a_full_and_level_notre_dame_stays_with_one_side_whoever_places_next(filler, winner):
    opponent = "R" if filler == "J" else "J"
    drawing = f"ND {opponent}4 . . .  . . . . .  . . Ba . .  . . . . .  . . . . Ve"
    table = Table(drawing, to_play=filler).play("4", "a2").play("0", "e1")
    assert "a1" in table.marked(winner)
    table.play("0", "e3").play("1", "a5")
    assert table.control("a1") == winner and "a1" not in table.marked(filler)


def test_v19_no_influence_at_all_is_the_least():
    table = Table("ND R9 . . .  R8 . . . .  . . Ba . .  . . . . .  . . . . Ve")
    assert table.s.influence[board.JACOBINS, 0] == 0 and table.control("a1") == "J"
    table.play("0", "e1")
    assert "a1" in table.marked("J")


V20_BLUE, V20_RED = 15, 17  # seeds whose random games go to the last counter


def test_v20_after_the_last_counter_the_royalists_mark_first():
    table = final_table(V20_BLUE)
    assert table.s.placed == board.PIECES and table.result == ("R", "flag and all markers")
    assert any(line.startswith("Royalists mark") for line in table.log)


def test_v20_otherwise_the_jacobins_mark_what_remains_and_have_eleven():
    table = final_table(V20_RED)
    assert table.s.placed == board.PIECES and table.result == ("J", "flag and all markers")
    last = [line.split()[0] for line in table.log]
    assert last[last.index("Royalists") :] == ["Royalists", "Jacobins", "Jacobins"]  # place, mark, win


@pytest.mark.parametrize(
    ("seed", "conditions"),
    [
        (36, ("flag captured", "flag captured")),
        (57, ("flag captured", "flag and all markers")),
        (131, ("flag and all markers", "flag captured")),
        (356, ("three buildings", "flag and all markers")),
        (376, ("three buildings", "flag captured")),
        (475, ("flag captured", "three buildings")),
        (2621, ("flag and all markers", "three buildings")),
    ],
)
def test_v21_both_sides_meet_a_condition_with_one_placement(seed, conditions):
    table = final_table(seed)
    assert table.s.end_reason == state.DRAW and table.batch.rewards[0].tolist() == [0, 0]
    assert table.log[-1] == f"a draw: Royalists {conditions[0]}, Jacobins {conditions[1]}"


def test_v21_marking_one_after_the_other_is_not_simultaneous():
    """The Royalists win with the last counter though the Jacobins would have had more to mark."""
    table = final_table(V20_BLUE)
    unmarked = [
        x for x in range(board.SPACES) if table.s.controls[board.JACOBINS, x] and not table.s.marked[board.JACOBINS, x]
    ]
    assert table.s.winner == board.ROYALISTS and table.s.end_reason != state.DRAW and unmarked


def test_v22_the_winner_scores_the_markers_that_the_loser_has_left():
    table = Table("RF J9 . . .  . . . . .  . . ND . .  . . . . .  Ba . . . Ve", left=(4, 9), reward="margin")
    table.play("0", "a2")
    assert table.s.left[board.ROYALISTS] == 4  # as they lie: no last marking for the loser
    assert table.batch.rewards[0] == pytest.approx([-4 / 11, 4 / 11])


def test_v22_a_win_may_score_nothing():
    """The loser has placed all markers and not its flag."""
    table = final_table(1118)
    assert table.s.winner == board.ROYALISTS or table.s.winner == board.JACOBINS
    assert table.s.left[1 - table.s.winner] == 0 and table.batch.rewards[0].tolist() == [0, 0]


def test_v23_without_markers_a_further_space_stays_unmarked():
    table = Table(ALL_MARKED, left=(11, 0)).play("6", "c1")
    assert table.control("a1") == "J" and table.marked("J") == set() and table.s.left[board.JACOBINS] == 0


def test_v23_the_last_marker_goes_to_notre_dame_before_a_number():
    drawing = "Ba J9 . . .  J8 . . . .  ND R9 . . .  R8 . . . Ve  . . . . ."
    crowded = Table(drawing).play("0", "e1")
    assert len(crowded.marked("J")) > 1
    assert Table(drawing, left=(11, 1)).play("0", "e1").marked("J") == {"a3"}


def test_v24_misprints_are_read_as_meant():
    assert board.BUILDING_NAMES == ("Bastille", "Versailles", "Notre Dame")
    assert {row.kind for row in actions.ACTIONS} == {"counter", "building", "space"}


def test_the_pieces_fill_the_board():
    """Arithmetic of the rulings: 25 - 3 = 22 = 11 + 11."""
    assert board.PIECES == board.SPACES == board.BUILDINGS + 2 * board.COUNTERS
    assert [parse_piece("R0"), parse_piece("JF"), parse_piece("ND")] == [
        0,
        board.COUNTERS + board.FLAG,
        board.NOTRE_DAME,
    ]
