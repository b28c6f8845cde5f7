"""The tree of Revolution has as many leaves as `revolution.txt` says, for the package and for the slow rules."""

import pytest

from tests.perft import counting, slow_revolution
from tests.perft.counting import BOTH, PACKAGE, TABLE, Count, Row
from tests.perft.slow_revolution import BLUE, FLAG, RED, Revolution

TEXT = TABLE.read_text(encoding="utf-8")
POSITIONS, ROWS = counting.read_table(TEXT)
FEW, NEAR = 1000, 5  # leaves and depth that the slow rules count in a moment


def title(row):
    return f"{row.position}-{row.depth}"


def quick(row):
    return row.count.leaves <= FEW and row.depth <= NEAR


@pytest.mark.parametrize("row", [row for row in ROWS if quick(row)], ids=title)
def test_shallow_counts(row):
    assert counting.recount(POSITIONS[row.position], row) == row.count


@pytest.mark.slow
@pytest.mark.parametrize("row", [row for row in ROWS if not quick(row)], ids=title)
def test_deep_counts(row):
    assert counting.recount(POSITIONS[row.position], row) == row.count


@pytest.mark.parametrize("position", POSITIONS)
def test_the_first_decisions_below_a_position_are_the_same_in_everything_that_can_be_seen(position):
    depth = 2 if position != "start" else 3
    assert counting.first_difference(POSITIONS[position], depth) is None


def test_the_table_is_as_it_was_written():
    assert counting.write_table(POSITIONS, ROWS) == TEXT
    assert {row.source for row in ROWS} == {BOTH, PACKAGE}
    assert all(sum(getattr(row.count, end) for row in ROWS if row.source == BOTH) for end in Count._fields)


# -- the comparison notices -------------------------------------------------------------------------------------------


def test_a_wrong_count_is_noticed_with_its_first_line_of_play(monkeypatch):
    straight = slow_revolution.next_to

    def diagonals_too(space):
        column, row = space
        corners = [(column + x, row + y) for x in (-1, 1) for y in (-1, 1)]
        return straight(space) + [(x, y) for x, y in corners if 0 <= x < 5 and 0 <= y < 5]

    monkeypatch.setattr(slow_revolution, "next_to", diagonals_too)
    row = Row("start", 4, Count(), BOTH)
    with pytest.raises(AssertionError, match="after building Bastille, space a1, building Versailles: choices: "):
        counting.recount([], row)


def test_a_difference_that_changes_no_count_is_found_all_the_same(monkeypatch):
    mark = Revolution.mark

    def jacobins_forget_to_mark(self, side):
        if side == BLUE:
            mark(self, side)

    monkeypatch.setattr(Revolution, "mark", jacobins_forget_to_mark)
    line = POSITIONS["ending-by-markers-near"]
    assert counting.count_slow(line[:-2], 1).leaves == counting.count_package(line[:-2], 1).leaves
    difference = counting.first_difference(line, 1)
    assert difference is not None and difference.startswith(f"after {', '.join(line)}: markers: the package")


def test_a_changed_table_is_noticed():
    row = next(row for row in ROWS if row.count.flags and quick(row))
    changed = TEXT.replace(f"{row.count.leaves:>10} {row.count.flags:>10}", f"{row.count.leaves:>10} {0:>10}")
    _, rows = counting.read_table(changed)
    twin = next(line for line in rows if title(line) == title(row))
    assert counting.recount(POSITIONS[row.position], twin) != twin.count


# -- the slow rules themselves ----------------------------------------------------------------------------------------


def row_game(drawing, buildings=()):
    """A game with counters laid out row by row, R9 or B9; the buildings stand where nothing else does."""
    game = Revolution()
    for row, line in enumerate(drawing):
        for column, word in enumerate(line.split()):
            if word != ".":
                side, piece = (RED if word[0] == "R" else BLUE), FLAG if word[1] == "f" else int(word[1])
                game.pieces[column, row] = (side, piece)
                game.hand[side].remove(piece)
    game.pieces |= {space: ("", building) for building, space in buildings}
    return game


def test_the_second_illustration_of_the_booklet():
    """Its five verdicts, and no other number is decided."""
    game = row_game([". R9 B9 R8 B6", ". B8 R1 R7 .", ". . . . .", ". . . . .", ". . . . ."])
    verdicts = {space: side for space in game.pieces for side in (BLUE, RED) if game.controls(side, space)}
    assert verdicts == {(1, 0): BLUE, (2, 0): RED, (3, 0): RED, (2, 1): BLUE, (3, 1): RED}


def test_notre_dame_level_and_full_goes_to_the_side_that_did_not_fill_it():
    game = row_game([". B5 . . .", "R5 . . . .", ". . . . .", ". . . . .", ". . . . ."], [("Notre Dame", (0, 0))])
    for filler, owner in ((BLUE, RED), (RED, BLUE)):
        game.filled_by = filler
        assert game.controls(owner, (0, 0)) and not game.controls(filler, (0, 0))
