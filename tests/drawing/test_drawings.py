"""The drawings of every game, over twenty positions each: complete, readable, and silent about what is hidden.

A position is drawn once, and every check runs on it; a failure names all that failed.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from rfop_env.drawing.measure import CUT, SMALLEST
from rfop_env.drawing.palette import FONT
from rfop_env.seat_view import SeatView

from tests.drawing.positions import EACH, STOPS, draw, positions
from tests.drawing.svg_geometry import contrast

LEAST_CONTRAST = 4.5  # WCAG AA
SLACK = 0.5  # letters do not fill their boxes


def check_references(case, position):
    """Every id stands once, and every reference has its id."""
    elements = list(position.drawing.root.iter())
    ids = Counter(element.get("id") for element in elements if element.get("id"))
    references = {element.get("href") for element in elements if element.get("href")}
    assert max(ids.values(), default=1) == 1 and references <= {f"#{name}" for name in ids}
    assert position.drawing.root.get("font-family") == FONT


def check_frame(case, position):
    """Everything lies inside the picture."""
    drawing = position.drawing
    for box in [shape.box for shape in drawing.shapes] + [text.box for text in drawing.texts]:
        assert min(box[:2]) >= 0 and box[2] <= drawing.width and box[3] <= drawing.height


def check_boxes(case, position):
    """Every text lies in its box."""
    for text in position.drawing.texts:
        box = position.drawing.container(text).box
        inside = (text.box[0] - box[0], text.box[1] - box[1], box[2] - text.box[2], box[3] - text.box[3])
        assert min(inside) >= -SLACK, f"{text.words!r} {text.box} leaves {box}"


def check_sizes(case, position):
    """Every text is large enough, and none is cut."""
    for text in position.drawing.texts:
        assert text.size >= SMALLEST, f"{text.words!r} has size {text.size}"
        assert CUT not in text.words, f"{text.words!r} was cut"


def check_overlaps(case, position):
    """No two texts overlap."""
    for a, b, depth in position.drawing.overlaps():
        assert depth <= SLACK, f"{a.words!r} and {b.words!r} by {depth:.1f}"


def check_end(case, position):
    """Both drawings of an ended game say who won and why, in the sentence of the page's end."""
    view = SeatView.of(position.batch)
    if view.over:
        assert view.result in " ".join(position.text.split())
        assert f"{view.result}." in position.svg


def check_contrast(case, position):
    """Every text stands out from its ground."""
    for text in position.drawing.texts:
        ratio = contrast(text.fill, position.drawing.ground(text))
        assert ratio >= LEAST_CONTRAST, f"{text.words!r} has contrast {ratio:.2f}"


def check_text(case, position):
    """The drawing in text fits a terminal."""
    assert max(map(len, position.text.splitlines())) <= 100 and "\x1b" not in position.text


def check_actions(case, position):
    """Parts carry the legal actions that point to them, and no others; every action that names a part has one."""
    table = position.batch.game.actions
    missing = [table.label(action) for action in pointing(case, position) - linked(position)]
    assert linked(position) <= legal(position) and not missing, f"no part for {missing}"


def check_viewers(case, position):
    """Only the seat that decides sees its actions."""
    batch = position.batch
    for seat in range(batch.game.spec.players if batch.game.spec.hidden_information else 0):
        if seat != batch.current_player[0]:
            assert "data-action" not in draw(batch, seat)


def check_purity(case, position):
    """Drawing changes nothing, and repeats."""
    batch = position.batch
    state = batch.get_state().tobytes()
    assert batch.draw_svg() == position.svg and batch.draw_text() == position.text
    assert batch.get_state().tobytes() == state


CHECKS = [check for name, check in list(globals().items()) if name.startswith("check_")]


def legal(position):
    return set(np.flatnonzero(position.batch.action_mask[0]).tolist())


def pointing(case, position):
    """The legal actions that name a space, card or tile."""
    table = position.batch.game.actions
    return {action for action in legal(position) if table.label(action).split()[0] not in case.no_part}


def linked(position):
    """The actions that parts of the picture carry."""
    return {int(action) for part in re.findall(r'data-action="([^"]*)"', position.svg) for action in part.split()}


@EACH
def test_every_check_holds_in_every_position(case):
    failures = []
    for position in positions(case):
        for check in CHECKS:
            try:
                check(case, position)
            except AssertionError as error:
                failures.append(f"{position.name}: {check.__doc__} {error}")
    assert len(CHECKS) == 11 and not failures, "\n".join(failures)


@EACH
def test_positions_go_from_the_set_up_to_the_end(case):
    states = [position.batch.states[0] for position in positions(case)]
    assert len(states) == len(case.seeds) * STOPS >= 20
    assert sum(s["decisions"] == 0 for s in states) == len(case.seeds) <= sum(s["over"] for s in states)
    assert sum(len(pointing(case, position)) for position in positions(case)) >= len(positions(case)) // 2

    batch = positions(case)[0].batch
    with pytest.raises(ValueError, match="viewer: expected None"):
        batch.game.presentation.draw_svg(batch.record(), batch.components, 9)
