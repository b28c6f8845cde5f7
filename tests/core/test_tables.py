"""The action table, the observation layout, options and the errors of names."""

import numpy as np
import pytest
import toy_game

from rfop_env.core.action_table import ActionTable
from rfop_env.core.errors import BadArgument, UnknownName, nearest
from rfop_env.core.game import Option
from rfop_env.core.observation_layout import ObservationLayout, Piece

pytestmark = pytest.mark.plain

TABLE = ActionTable([("place", "place a cube in {}", ["Press", "Royalists"]), ("done", "stop here", [""])])


def test_ids_labels_and_sentences_come_from_the_rows():
    assert (TABLE.size, TABLE.kinds, TABLE.first("done"), TABLE.count("place")) == (3, ["place", "done"], 2, 2)
    assert [row.id for row in TABLE] == [0, 1, 2] and [row.argument for row in TABLE] == [0, 1, 0]
    assert TABLE.label(1) == "place Royalists" and TABLE.sentence(1) == "place a cube in Royalists"


@pytest.mark.parametrize("value", [99, 3, -1])
def test_ids_that_no_action_has(value):
    for look in (TABLE.label, TABLE.sentence):
        with pytest.raises(BadArgument, match=f"action {value} is out of range 0 to 2"):
            look(value)
        with pytest.raises(BadArgument, match="action: expected an integer"):
            look(float(value))
    assert TABLE.label(np.int8(2)) == "done"


def test_labels_are_read_back():
    for row in toy_game.TABLE:
        assert toy_game.TABLE.parse(row.label) == toy_game.TABLE.parse(f" {row.label.upper()} ") == row.id
        assert toy_game.TABLE.parse(str(row.id)) == row.id
    for value in ("claim 7", "10", "-1", ""):
        with pytest.raises(UnknownName, match="unknown action"):
            toy_game.TABLE.parse(value)
    with pytest.raises(UnknownName, match="did you mean 'doubt'"):
        toy_game.TABLE.parse("doubts")


def test_two_actions_with_one_label_are_refused():
    with pytest.raises(ValueError, match="label"):
        ActionTable([("a", "", ["b"]), ("A b", "", [""])])


def test_pieces_follow_each_other():
    layout = toy_game.LAYOUT
    starts = [layout.start(piece.name) for piece in layout.pieces]
    assert [getattr(layout.offsets, piece.name) for piece in layout.pieces] == starts
    assert starts == np.cumsum([0, *(p.size for p in layout.pieces)])[:-1].tolist()
    assert layout.low.shape == layout.high.shape == (layout.size,) == (19,)
    assert layout.low.dtype == np.int8 and (layout.low < layout.high).all()
    assert layout.high[layout.start("score")] == 30


def test_a_part_is_a_view():
    observation = np.zeros((3, toy_game.LAYOUT.size), np.int8)
    toy_game.LAYOUT.part(observation, "token")[:] = 1
    assert observation.sum() == 6 and observation[:, 8:10].all()


def test_describing_an_observation():
    layout = ObservationLayout(
        [
            Piece("hand", 3, 0, 1, "private", "cards", ("ace", "king", "queen")),
            Piece("points", 2, -5, 5, "public", "points", ("own", "enemy")),
            Piece("round", 1, 0, 9, "public", "round"),
            Piece("track", 2, 0, 9, "public", "track"),
        ]
    )
    described = layout.describe(np.array([1, 0, 1, -2, 3, 4, 7, 8], np.int8))
    points = {"own": -2, "enemy": 3}
    assert described == {"hand": ["ace", "queen"], "points": points, "round": 4, "track": [7, 8]}
    assert "| 5 | round | 0 to 9 | public | round |" in layout.markdown()


def test_faulty_layouts_are_refused():
    piece = Piece("a", 1, 0, 1, "public", "")
    with pytest.raises(ValueError, match="two pieces"):
        ObservationLayout([piece, piece])
    with pytest.raises(ValueError, match="entry names"):
        ObservationLayout([Piece("a", 2, 0, 1, "public", "", ("x",))])


def test_options_know_their_values():
    option = Option("length", ("short", "long"), "")
    assert (option.default, option.index("long")) == ("short", 1)
    with pytest.raises(UnknownName, match="option 'length'"):
        option.index("medium")


def test_hints_name_the_nearest_or_all():
    assert nearest("Versaille", ["commune", "Versailles"]) == "did you mean 'Versailles'?"
    assert nearest("xyz", ["a", "b"]) == "valid: 'a', 'b'"
    assert nearest("xyz", [str(i) for i in range(30)]).endswith("'19', ...")
