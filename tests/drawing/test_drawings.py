"""The drawings of every game, over twenty positions each: complete, readable, and silent about what is hidden."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from rfop_env.drawing.measure import CUT, SMALLEST
from rfop_env.drawing.palette import FONT

from tests.drawing.positions import EACH, STOPS, draw, positions
from tests.drawing.svg_geometry import contrast

LEAST_CONTRAST = 4.5  # WCAG AA
SLACK = 0.5  # letters do not fill their boxes


@EACH
def test_positions_go_from_the_set_up_to_the_end(case):
    states = [position.batch.states[0] for position in positions(case)]
    assert len(states) == len(case.seeds) * STOPS >= 20
    assert sum(s["decisions"] == 0 for s in states) == len(case.seeds) <= sum(s["over"] for s in states)


@EACH
def test_svg_is_well_formed_and_inside_its_frame(case):
    for position in positions(case):
        root, drawing = ElementTree.fromstring(position.svg), position.drawing
        ids = [element.get("id") for element in root.iter() if element.get("id")]
        used = {element.get("href") for element in root.iter() if element.get("href")}
        assert len(ids) == len(set(ids)) and used <= {f"#{name}" for name in ids}
        assert root.get("font-family") == FONT
        for box in [shape.box for shape in drawing.shapes] + [text.box for text in drawing.texts]:
            assert min(box[:2]) >= 0 and box[2] <= drawing.width and box[3] <= drawing.height, position.name


@EACH
def test_every_text_lies_in_its_box(case):
    for position in positions(case):
        for text in position.drawing.texts:
            box = position.drawing.container(text).box
            inside = (text.box[0] - box[0], text.box[1] - box[1], box[2] - text.box[2], box[3] - text.box[3])
            assert min(inside) >= -SLACK, f"{position.name}: {text.words!r} {text.box} leaves {box}"


@EACH
def test_every_text_is_large_enough_and_whole(case):
    for position in positions(case):
        for text in position.drawing.texts:
            assert text.size >= SMALLEST, f"{position.name}: {text.words!r} has size {text.size}"
            assert CUT not in text.words, f"{position.name}: {text.words!r} was cut"


@EACH
def test_no_two_texts_overlap(case):
    for position in positions(case):
        for a, b, depth in position.drawing.overlaps():
            assert depth <= SLACK, f"{position.name}: {a.words!r} and {b.words!r} by {depth:.1f}"


@EACH
def test_every_text_stands_out_from_its_ground(case):
    for position in positions(case):
        for text in position.drawing.texts:
            ratio = contrast(text.fill, position.drawing.ground(text))
            assert ratio >= LEAST_CONTRAST, f"{position.name}: {text.words!r} has contrast {ratio:.2f}"


@EACH
def test_text_drawing_fits_a_terminal(case):
    for position in positions(case):
        assert max(map(len, position.text.splitlines())) <= 100 and "\x1b" not in position.text


@EACH
def test_parts_carry_the_legal_actions_that_point_to_them(case):
    named = 0
    for position in positions(case):
        table, legal = position.batch.game.actions, set(np.flatnonzero(position.batch.action_mask[0]).tolist())
        shown = {int(action) for part in re.findall(r'data-action="([^"]*)"', position.svg) for action in part.split()}
        wanted = {action for action in legal if table.label(action).split()[0] not in case.no_part}
        missing = [table.label(action) for action in wanted - shown]
        assert shown <= legal and not missing, f"{position.name}: no part for {missing}"
        named += len(wanted)
    assert named >= len(positions(case)) // 2


@EACH
def test_only_the_seat_that_decides_sees_its_actions(case):
    for position in positions(case)[::2]:
        batch = position.batch
        for seat in range(batch.game.spec.players):
            if batch.game.spec.hidden_information and seat != batch.current_player[0]:
                assert "data-action" not in draw(batch, seat), position.name


@EACH
def test_drawing_changes_nothing_and_repeats(case):
    for position in positions(case):
        before = position.batch.get_state().tobytes()
        assert position.batch.draw_svg() == position.svg and position.batch.draw_text() == position.text
        assert position.batch.get_state().tobytes() == before


@EACH
def test_an_unknown_viewer_is_refused(case):
    batch = positions(case)[0].batch
    with pytest.raises(ValueError, match="viewer: expected None"):
        batch.game.presentation.draw_svg(batch.record(), batch.components, 9)
