"""The measure of text and the palette."""

from __future__ import annotations

from itertools import combinations

import pytest

from rfop_env.drawing import font_widths as table
from rfop_env.drawing.measure import CUT, SMALLEST, block, fitted, text_width, wrapped
from rfop_env.drawing.palette import (
    AMBER, BLUE, GOLD, GREY, INK, MUTED, PANEL, PAPER, RED, SEAT_TONES, TEAL, WHITE,
)  # fmt: skip

from tests.drawing.font_widths import MODULE, module_text
from tests.drawing.svg_geometry import contrast, distance, line_width, rgb

WORDS = ["Public Opinion", "Château de Vincennes", "W", "", "Luxembourg, 14 / 7 / 3"]
LEAST_DISTANCE = 30  # in CIE Lab; two colours below about 10 are taken for one another at a glance


def test_the_table_of_widths_is_fresh():
    assert MODULE.read_text(encoding="utf-8") == module_text(), "run python -m tests.drawing.font_widths"


@pytest.mark.parametrize("bold", [False, True])
@pytest.mark.parametrize("words", WORDS)
def test_widths_are_the_fonts(words, bold):
    assert text_width(words, 10, bold) == pytest.approx(10 * line_width(words, bold))


def test_an_unknown_letter_is_as_wide_as_the_widest():
    assert text_width("\u4e2d", 1) == table.WIDEST / table.UNITS >= text_width("W", 1, bold=True)


@pytest.mark.parametrize("room", [200.0, 100.0, 60.0, 20.0])
def test_fitted_words_are_as_wide_as_the_room(room):
    words, size = fitted("Château de Vincennes", 14, room, bold=True)
    assert text_width(words, size, bold=True) <= room and SMALLEST <= size <= 14
    assert (CUT in words) == (text_width("Château de Vincennes", SMALLEST, bold=True) > room)
    assert fitted("F", 7, 100) == ("F", 7)


def test_words_are_wrapped_at_spaces_and_hyphens():
    assert wrapped("a Butte-aux-Cailles", 10, text_width("a Butte-aux-", 10)) == ["a Butte-aux-", "Cailles"]
    assert wrapped("Luxembourg", 10, 5) == ["Luxembourg"]


@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_block_has_no_more_lines_than_it_may(most):
    lines, size = block("one two three four five six", 14, 60, most)
    assert len(lines) <= most and size >= SMALLEST
    assert all(text_width(line, size) <= 60 for line in lines)
    assert (CUT in "".join(lines)) == (most < 3)


def test_text_of_the_palette_stands_out():
    pairs = [(ink, ground) for ink in (INK, MUTED) for ground in (PAPER, PANEL, WHITE)] + [(INK, GOLD), (WHITE, INK)]
    pairs += [(tone.text, tone.deep) for tone in (RED, BLUE, AMBER, TEAL, GREY)]
    pairs += [(tone.dark, tone.pale) for tone in (RED, BLUE, AMBER, TEAL, GREY)]
    for ink, ground in pairs:
        assert contrast(rgb(ink), rgb(ground)) >= 4.5, (ink, ground)


@pytest.mark.parametrize("deuteranopia", [False, True])
@pytest.mark.parametrize("tones", [(RED, BLUE, GREY), SEAT_TONES], ids=["sides", "seats"])
def test_sides_are_told_apart_without_red_and_green(tones, deuteranopia):
    for a, b in combinations([rgb(tone.deep) for tone in tones], 2):
        assert distance(a, b, deuteranopia) >= LEAST_DISTANCE


def test_the_measures_of_colours_can_fail():
    assert contrast(rgb("#ffffff"), rgb("#000000")) == pytest.approx(21) and contrast(rgb(RED.deep), rgb(RED.deep)) == 1
    red, green = rgb("#bb2535"), rgb("#1b7a43")
    assert distance(red, green) < LEAST_DISTANCE < distance(red, green, deuteranopia=False)
