"""The measure of text and the palette."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from rfop_env.drawing import font_widths, palette
from rfop_env.drawing.measure import CUT, SMALLEST, block, fit, text_width, wrap

from tests.drawing.font_widths import MODULE, module_text
from tests.drawing.svg_geometry import contrast, distance, line_width, rgb

WORDS = ["Public Opinion", "Château de Vincennes", "W", "", "Luxembourg, 14 / 7 / 3"]
LEAST_DISTANCE = 30  # in CIE Lab; two colours below about 10 are taken for one another at a glance


def test_the_table_of_widths_is_fresh():
    assert MODULE.read_text(encoding="utf-8") == module_text(), "run python -m tests.drawing.font_widths"


def test_widths_are_the_fonts():
    for words, bold in product(WORDS, (False, True)):
        assert text_width(words, 10, bold) == pytest.approx(10 * line_width(words, bold)), (words, bold)


def test_an_unknown_letter_is_as_wide_as_the_widest():
    assert text_width("\u4e2d", 1) == font_widths.WIDEST / font_widths.UNITS >= text_width("W", 1, bold=True)


def test_fitted_words_are_as_wide_as_the_room():
    name = "Château de Vincennes"
    for room in (200.0, 100.0, 60.0, 20.0):
        words, size = fit(name, 14, room, bold=True)
        assert text_width(words, size, bold=True) <= room and SMALLEST <= size <= 14, room
        assert (CUT in words) == (text_width(name, SMALLEST, bold=True) > room), room
    assert fit("F", 7, 100) == ("F", 7)


def test_words_are_wrapped_at_spaces_and_hyphens():
    assert wrap("a Butte-aux-Cailles", 10, text_width("a Butte-aux-", 10)) == ["a Butte-aux-", "Cailles"]
    assert wrap("Luxembourg", 10, 5) == ["Luxembourg"]


def test_a_block_has_no_more_lines_than_it_may():
    for limit in (1, 2, 3):
        lines, size = block("one two three four five six", 14, 60, limit)
        assert len(lines) <= limit and size >= SMALLEST, limit
        assert all(text_width(line, size) <= 60 for line in lines), limit
        assert (CUT in "".join(lines)) == (limit < 3), limit


def test_text_of_the_palette_stands_out():
    pairs = [
        (ink, ground)
        for ink in (palette.INK, palette.MUTED)
        for ground in (palette.PAPER, palette.PANEL, palette.WHITE)
    ] + [(palette.INK, palette.GOLD), (palette.WHITE, palette.INK)]
    pairs += [(tone.text, tone.deep) for tone in (palette.RED, palette.BLUE, palette.AMBER, palette.TEAL, palette.GREY)]
    pairs += [(tone.dark, tone.pale) for tone in (palette.RED, palette.BLUE, palette.AMBER, palette.TEAL, palette.GREY)]
    for ink, ground in pairs:
        assert contrast(rgb(ink), rgb(ground)) >= 4.5, (ink, ground)


def test_sides_are_told_apart_without_red_and_green():
    sides = (palette.RED, palette.BLUE, palette.GREY)
    for a, b in [*combinations(sides, 2), *combinations(palette.SEAT_TONES, 2)]:
        for deuteranopia in (False, True):
            assert distance(rgb(a.deep), rgb(b.deep), deuteranopia) >= LEAST_DISTANCE, (a, b)


def test_the_measures_of_colours_can_fail():
    assert (
        contrast(rgb("#ffffff"), rgb("#000000")) == pytest.approx(21)
        and contrast(rgb(palette.RED.deep), rgb(palette.RED.deep)) == 1
    )
    red, green = rgb("#bb2535"), rgb("#1b7a43")
    assert distance(red, green) < LEAST_DISTANCE < distance(red, green, deuteranopia=False)
