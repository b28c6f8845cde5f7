"""The component set of Revolution: the shipped data, and a user's own file."""

from __future__ import annotations

import pytest

from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import BadComponents
from rfop_env.games.revolution import board, component_set, game
from rfop_env.testing.random_play import play_random

from .table import Table, space

pytestmark = pytest.mark.plain


def test_the_shipped_set_is_the_published_game():
    shipped = component_set.load_components()
    assert shipped.name == "published" and component_set.SHIPPED.name == "published.toml"
    assert shipped.record["value"][0].tolist() == [*range(10), 0]
    assert shipped.record["by_value"][0].tolist() == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 10]
    assert shipped.record["markers"][0].tolist() == [11, 11]


def test_no_row_is_reconstructed():
    rows = [
        row for table in ("counter", "markers") for row in component_set.load_components().content.table(table).values()
    ]
    assert len(rows) == board.COUNTERS + 2 and {row.provenance for row in rows} == {"printed", "published"}


def test_an_own_file_changes_its_rows_alone(write):
    path = write('[[counter]]\nname = "0"\nvalue = 5\nprovenance = "printed"\n')
    own = component_set.load_components(path)
    assert own.record["value"][0].tolist() == [5, *range(1, 10), 0]
    assert own.name == "published + mine" and own.digest != component_set.load_components().digest
    table = Table(". . . . .  . . . . .  . . ND . .  . . . . .  Ba . . . Ve", components=path).play("0", "b2")
    assert table.s.influence[board.JACOBINS, space("b1")] == 5 and table.s.reach[board.JACOBINS].tolist() == [
        0,
        9,
        17,
        24,
        30,
    ]
    assert table.view("J", "own_values")["b2"] == 5 and "J5" in table.batch.draw_text()


def test_fewer_markers_make_a_shorter_game(write):
    """Games under another set violate no invariant either: with fewer markers both sides may reach their number."""
    path = write(
        "".join(f'[[markers]]\nside = "{side}"\ncount = 3\nprovenance = "printed"\n' for side in board.SIDE_NAMES)
    )
    assert GameBatch(game.revolution(), 1, 0, components=path).record().left.tolist() == [3, 3]
    record = play_random(game.revolution(), 6, num_games=3, components=path, reward="margin")
    assert record.games >= 6 and record.highest <= 3 / 11 + 1e-6


def test_a_wrong_file_is_refused_with_row_and_field(write, subtests):
    cases = [
        ('[[counter]]\nname = "10"\nvalue = 1\nprovenance = "printed"\n', "counter 10: name: .* found '10'"),
        ('[[counter]]\nname = "9"\nvalue = 10\nprovenance = "printed"\n', "counter 9: value: .* from 0 to 9, found 10"),
        ('[[counter]]\nname = "9"\nvalue = -1\nprovenance = "printed"\n', "counter 9: value: .* found -1"),
        ('[[counter]]\nname = "9"\nprovenance = "printed"\n', "counter 9: value: .* found None"),
        ('[[counter]]\nname = "9"\nvalue = 1\n', "counter 9: provenance"),
        (
            '[[markers]]\nside = "Royalists"\ncount = 12\nprovenance = "printed"\n',
            "markers Royalists: count: .* 1 to 11",
        ),
        ('[[markers]]\nside = "Blue"\ncount = 3\nprovenance = "printed"\n', "markers Blue: side"),
        ("[[marker]]\n", "did you mean 'markers'"),
    ]
    for text, message in cases:
        with subtests.test(text=text, message=message), pytest.raises(BadComponents, match=message):
            component_set.load_components(write(text))


def test_both_sides_have_the_same_numbers():
    table = Table(". . . . .  . . . . .  . . ND . .  . . . . .  Ba . . . Ve")
    assert table.s.reach[board.ROYALISTS].tolist() == table.s.reach[board.JACOBINS].tolist() == [0, 9, 17, 24, 30]
