"""The drawings, the journal and the problems of Revolution."""

from __future__ import annotations

from collections import Counter
from xml.etree import ElementTree

import pytest

from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import BadPosition
from rfop_env.core.position import load_position, load_position_text, position_text, save_position
from rfop_env.games.revolution import actions, board, game

from .table import Table, space

pytestmark = pytest.mark.plain

SVG = "{http://www.w3.org/2000/svg}"
SEEDS = range(4)


def position(seed: int) -> GameBatch:
    """A position of a random game; some have ended."""
    batch = GameBatch(game.revolution(), 1, seed)
    batch.step_random(12 * seed + 1)
    return batch


def classes(svg: str) -> Counter[str]:
    """How often each class occurs."""
    return Counter(element.get("class") for element in ElementTree.fromstring(svg).iter(f"{SVG}g"))


def test_svg_shows_every_piece_once(subtests):
    for seed in SEEDS:
        with subtests.test(seed=seed):
            batch = position(seed)
            s, parts = batch.record(), classes(batch.draw_svg())
            for name in ("royalists", "jacobins"):
                assert parts[f"counter {name}"] == board.FLAG and parts[f"flag {name}"] == 1
            assert (
                sum(n for name, n in parts.items() if name and name.startswith("building"))
                == board.PIECES - board.FIRST_BUILDING
            )
            assert sum(n for name, n in parts.items() if name and name.startswith("space")) == board.SPACES
            for side, name in ((board.ROYALISTS, "royalists"), (board.JACOBINS, "jacobins")):
                assert parts[f"space control-{name}"] == s.controls[side].sum()
                assert parts[f"marker {name}"] == 11  # on the board or left


def test_svg_names_the_spaces_in_its_tooltips():
    table = Table("J9 . . . .  J8 . . . .  . . ND . .  . . . . .  Ba . . . Ve", to_play="R").play("0", "b1")
    titles = [element.text for element in ElementTree.fromstring(table.batch.draw_svg()).iter(f"{SVG}title")]
    assert "a1: Jacobins 9; controlled by the Jacobins; Royalists 0, Jacobins 17" in titles


def test_text_shows_pieces_control_influence_and_stock():
    table = Table("J9/J R0 . . .  J8 . . . .  . . ND . .  . . . . .  Ba . . JF Ve", to_play="R")
    text = table.batch.draw_text()
    lines = text.splitlines()
    assert lines[0] == "REVOLUTION   Royalists to choose a counter"
    assert lines[4].split("|")[1:3] == ["   J9    ", "   R0    "] and "● J" in lines[5] and "R 0:17J" in lines[6]
    assert "(J)" in text and "J⚑" in text and "N. Dame" in text
    assert "unplayed 1 2 3 4 5 6 7 8 9 ⚑" in text and "markers left 10" in text
    assert max(map(len, lines)) <= 100


def test_text_of_the_set_up_and_of_the_end():
    assert "beside the board: Bastille, Versailles, Notre Dame" in GameBatch(game.revolution(), 1, 0).draw_text()
    table = Table("RF J9 . . .  . . . . .  . . ND . .  . . . . .  Ba . . . Ve", left=(4, 9)).play("0", "a2")
    first = table.batch.draw_text().splitlines()[0]
    assert first.startswith("REVOLUTION   Jacobins won: they control the space of the flag")
    batch = Table("RF J9 . . .  . . . . .  . . ND . .  . . . . .  Ba . . . Ve").batch
    batch.step([actions.ACTIONS.parse("counter 3")])
    assert batch.draw_text().splitlines()[0] == "REVOLUTION   Jacobins to place 3"


def test_journal():
    table = Table("RF J9 . . .  . . . . .  . . ND . .  . . . . .  Ba . . . Ve").play("8", "a2")
    assert table.log[0] == "Jacobins place 8 on a2"
    assert table.log[-1] == "Jacobins win (flag captured) and score 11"
    flag = Table("RF J9 . . .  . . . . .  . . ND . .  . . . . .  Ba . . . Ve").play("F", "e1")
    assert flag.log == ["Jacobins place flag on e1"]


def test_positions_are_saved_as_bytes_and_as_text():
    batch, elsewhere = position(2), GameBatch(game.revolution(), 1, 99)
    load_position(elsewhere, save_position(batch))
    assert elsewhere.get_state().tobytes() == batch.get_state().tobytes()
    elsewhere.reset(5)
    load_position_text(elsewhere, position_text(batch))
    assert elsewhere.get_state().tobytes() == batch.get_state().tobytes()


def test_a_faulty_position_is_refused():
    batch = position(2)
    text = position_text(batch)
    changed = text.replace("placed = ", "placed = 9 # ")
    with pytest.raises(BadPosition, match="pieces on the board"):
        load_position_text(GameBatch(game.revolution(), 1, 0), changed)


NO_END = "where the pieces say: winner -1, end 0 (running)"
FAULTS = [  # a field, an index or nothing, its faulty value; what is said of it
    ("at", 0, board.NOWHERE, "pieces and spaces disagree"),
    ("player", None, board.JACOBINS, "it is the turn of the Royalists"),
    ("question", None, 0, "question 0 after 6 pieces"),
    ("held", None, board.COUNTERS, "held without a question"),
    ("winner", None, board.ROYALISTS, f"over 0, winner 0, end 0, {NO_END}"),
    ("influence", (0, 0), 1, "influence of the Royalists on a1"),
    ("empties", 0, 1, "empties at a1"),
    ("reach", (1, 2), 9, "reach of the Jacobins"),
    ("controls", (slice(None), space("a1")), [1, 0], "control of a1"),
    ("left", 0, 10, "0 markers placed, 10 left of 11"),
]


def test_each_fault_is_found(subtests):
    for field, index, value, fault in FAULTS:
        with subtests.test(field=field, fault=fault):
            table = Table("J9 R0 . . .  J8 . . . .  . . ND . .  . . . . .  Ba . . . Ve", to_play="R").sound()
            if index is None:
                table.s[field] = value
            else:
                table.s[field][index] = value
            assert any(fault in line for line in table.batch.problems())


def test_buildings_that_touch_and_a_marker_on_an_enemy_space_are_faults():
    table = Table("J9 R0 . . .  J8 . . . .  . . ND . .  . . . . .  Ba . . . Ve", to_play="R")
    s, x = table.s, space("d5")
    s.on[s.at[board.FIRST_BUILDING]], s.at[board.FIRST_BUILDING], s.on[x] = board.PIECES, x, board.FIRST_BUILDING
    assert any("buildings next to each other at d5" in line for line in table.batch.problems())
    table = Table("J9 R0 . . .  J8 . . . .  . . ND . .  . . . . .  Ba . . . Ve", to_play="R")
    table.s.marked[0, space("b1")], table.s.left[0] = 1, 10
    assert any("a marker of the Royalists on b1" in line for line in table.batch.problems())
