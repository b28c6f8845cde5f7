"""The drawings of every game in every layout and palette: complete, readable, and large enough for their place."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from rfop_env.core.batch import GameBatch
from rfop_env.drawing import palette
from rfop_env.drawing.palette import LAYOUTS, PALETTES, Look
from rfop_env.registry import get_game

from tests.drawing import test_drawings as drawings
from tests.drawing.legibility import PLACES, measure
from tests.drawing.positions import EACH, LookedAt, positions

CHECKS = (
    drawings.check_references,
    drawings.check_frame,
    drawings.check_boxes,
    drawings.check_sizes,
    drawings.check_overlaps,
    drawings.check_contrast,
    drawings.check_actions,
)
COLOUR, BRIGHT = r'"#\w{6}"|"\w+ (light|dark)"', f'fill="{palette.PAPER}"'
EVERY = 5  # of the positions, one is looked at in a layout and palette


def check_legibility(case, position):
    """Letters and targets are large enough in the place that the layout is for."""
    place = PLACES[position.look.layout]
    sizes, least = measure(position.drawing, place), (place.smallest, place.median, place.target)
    assert all(size >= limit - 0.01 for size, limit in zip(sizes, least, strict=True)), f"{sizes} for {least}"


@EACH
def test_every_check_holds_in_every_look(case):
    failures, looks = [], [Look(layout, name) for layout in LAYOUTS for name in PALETTES]
    for k, look in enumerate(looks):
        for position in positions(case)[k % EVERY :: EVERY]:
            looked = LookedAt(position, look)
            for check in (*CHECKS, check_legibility):
                try:
                    check(case, looked)
                except AssertionError as error:
                    failures.append(f"{looked.name}: {check.__doc__} {error}")
    assert not failures, "\n".join(failures)


@EACH
def test_looks_show_the_same(case):
    """Another palette changes colours alone, and each layout has the same parts to choose and the same tooltips."""
    for position in positions(case)[::5]:
        pictures = {layout: LookedAt(position, Look(layout)).svg for layout in LAYOUTS}
        for layout, light in pictures.items():
            dark = LookedAt(position, Look(layout, "dark")).svg
            assert re.search(BRIGHT, light) and not re.search(BRIGHT, dark)
            assert re.sub(COLOUR, "", dark) == re.sub(COLOUR, "", light)
            for part in (r'data-action="([^"]*)"', r"<title>([^<]*)<"):
                assert set(re.findall(part, light)) == set(re.findall(part, pictures["wide"])), (position.name, part)


def test_colours_that_part_in_the_dark_are_different_in_the_light():
    """`DARK` goes from colours to colours, so no use of a colour can be two entries, nor lead on to another one."""
    assert not set(palette.DARK.values()) & set(palette.DARK)


def test_no_other_layout():
    batch = GameBatch(get_game("Paris-v0"), 1, 0)
    batch.reset()
    with pytest.raises(KeyError):
        batch.game.presentation.draw_svg(batch.record(), batch.components, look=Look("narrow"))


def test_the_frame_of_the_page_is_the_paper_of_its_drawing():
    style = (files("rfop_env") / "web/static/page.css").read_text(encoding="utf-8")
    for ending, paper in (("light", palette.PAPER), ("dark", palette.DARK[palette.PAPER])):
        assert f"#frame:has([data-look$={ending}]) {{ background: {paper}; }}" in style
