"""The drawings of Levée en Masse: well formed, complete, and silent about the order of the cards to come."""

from __future__ import annotations

import random
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from rfop_env.games.levee_en_masse import board, component_set, state
from rfop_env.games.levee_en_masse.draw import draw_svg, draw_text
from rfop_env.games.levee_en_masse.draw.view import View

pytestmark = pytest.mark.plain

SEEDS = range(12)
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def components() -> component_set.ComponentSet:
    """The shipped cards and tables."""
    return component_set.load_components()


def blank(card: int = 1) -> Any:
    """The set-up of the Extended Game with the cards in numerical order, one of them on the table."""
    s = np.zeros(1, state.STATE).view(np.recarray)[0]
    s.scenario, s.deck[:], s.deck_size, s.drawn, s.headline = state.EXTENDED, range(1, 61), 60, card, card
    s.box[: board.TRACKS], s.box[board.TRACKS :] = board.START, board.OFF_MAP
    s.politics[:] = 4, -1, -1
    s.napoleon_army = s.roll_army = state.NO_ARMY
    s.markers_aside, s.actions_left = 3, 2
    return s


def position(seed: int) -> Any:
    """A crowded position: armies, markers and politics anywhere."""
    rng = random.Random(seed)
    s = blank(rng.randint(1, 60))
    s.box[:] = [rng.randint(board.PARIS, board.START) for _ in range(board.TRACKS)] + [
        rng.randint(board.OFF_MAP, 4) for _ in range(4)
    ]
    s.disarray[: board.SUVOROV] = [rng.randint(0, state.ROUTED) for _ in range(board.SUVOROV)]
    s.rotated, s.disorder = rng.randint(0, 1), rng.randint(0, 1)
    s.politics[:] = [rng.randint(-1, 4) for _ in range(3)]
    s.french_army, s.actions_left = rng.randint(-2, 2), rng.randint(0, 5)
    s.liberated[board.PRUSSIAN_TRACK, 4] = s.liberated[board.PIEDMONT_TRACK, 3] = rng.randint(0, 1)
    s.markers_held = rng.randint(0, 1)
    s.napoleon, s.napoleon_army = state.NAPOLEON_ASSIGNED, rng.randrange(board.TRACKS)
    return s


def with_class(svg: str, name: str) -> list[ElementTree.Element]:
    """The elements whose class is `name`."""
    return [element for element in ElementTree.fromstring(svg).iter() if element.get("class") == name]


def tips(svg: str, name: str) -> list[str]:
    """The tooltips of the elements whose class is `name`."""
    return [element.findtext(f"{SVG}title", "") for element in with_class(svg, name)]


def text_line(text: str, start: str) -> list[str]:
    """The words of the line that begins with `start`, and of the line below."""
    lines = text.splitlines()
    i = next(i for i, line in enumerate(lines) if line.startswith(start))
    return (lines[i] + " " + lines[i + 1]).split()


def test_svg_shows_every_piece_once(components: component_set.ComponentSet, subtests: pytest.Subtests) -> None:
    for seed in SEEDS:
        with subtests.test(seed=seed):
            s = position(seed)
            svg = draw_svg(s, components)
            for army in range(board.ARMIES):
                parts = with_class(svg, f"army {board.ARMY_NAMES[army].lower().replace(' ', '-')}")
                assert len(parts) == (s.box[army] != board.OFF_MAP), board.ARMY_NAMES[army]
            key = 1  # the legend shows a Liberation marker as well
            assert len(with_class(svg, "liberation")) == s.liberated.sum() + s.markers_held + key
            assert len(with_class(svg, "disorder")) == 1
            assert len(with_class(svg, "napoleon")) == 1
            assert len(with_class(svg, "action left")) == s.actions_left


def test_text_shows_armies_values_states_and_markers(components: component_set.ComponentSet) -> None:
    s = blank(28)
    s.box[[board.BRITISH, board.PRUSSIAN, board.AUSTRIAN, board.PIEDMONT, board.VENDEE]] = (
        2,
        3,
        board.PARIS,
        board.START,
        3,
    )
    s.box[[board.SPANISH, board.KORSAKOV, board.BRITISH_SUPPORT]] = 3, 2, 3
    s.rotated, s.disarray[board.BRITISH], s.disarray[board.VENDEE] = 1, state.ROUTED, state.DISORGANIZED
    s.napoleon, s.napoleon_army = state.NAPOLEON_ASSIGNED, board.AUSTRIAN
    s.liberated[board.PRUSSIAN_TRACK, 4] = 1
    text = draw_text(s, components)
    assert text_line(text, "British")[-1] == "BR3≈"
    assert text_line(text, "Prussian")[-2:] == ["✦", "PR4↻"]
    assert text_line(text, "Austrian")[-2:] == ["KO[4]", "AU4N"]
    assert text_line(text, "Piedmont")[-1] == "PI2"
    assert text_line(text, "Vendée")[-3:] == ["BS[3]", "VE3~", "SP3"], "the bracketed one is fought first"


def test_text_shows_government_order_and_holding_box(components: component_set.ComponentSet) -> None:
    s = blank()
    s.politics[:], s.french_army, s.markers_held = (2, 3, -1), -1, 2
    text = draw_text(s, components)
    assert "reigning: Despotism" in text and "in order" in text
    assert "Monarchy     -1    0    1   [2]" in text
    assert "French Army   -2  [-1]   0 " in text
    assert "Holding Box  2 markers, Disorder" in text
    s.disorder, s.napoleon, s.politics[0] = 1, state.NAPOLEON_HELD, 3
    text = draw_text(s, components)
    assert "reigning: nobody" in text and "in Disorder" in text
    assert "Holding Box  2 markers, Napoleon" in text
    s.napoleon, s.markers_held = state.NAPOLEON_TRAVELLING, 0
    assert "Holding Box  Napoleon (next turn)" in draw_text(s, components)


def test_what_is_asked(components: component_set.ComponentSet) -> None:
    s = blank()
    assert View(s, components).decision_text() == "2 Actions left"
    s.actions_left, s.emergency, s.inside = 1, 1, 2
    assert View(s, components).decision_text() == "1 Action + 1 emergency + 2 inside France left"
    s.question, s.roll_army, s.roll_die = state.ASK_ROLL, board.SPANISH, 3
    for drawing in (draw_text(s, components), draw_svg(s, components)):
        assert "Roll against Spanish: 3" in drawing
    s.roll_army, s.roll_kind = board.BRITISH, state.BY_SEA
    assert View(s, components).decision_text() == "Naval roll against British: 3"


def test_cards_to_come_are_counted_by_colour(components: component_set.ComponentSet) -> None:
    s = blank(20)
    assert "still to come: 1 blue, 24 white, 15 red" in draw_text(s, components)
    svg = draw_svg(s, components)
    assert [tips(svg, f"pile {colour}") for colour in ("blue", "white", "red")] == [
        ["1 blue cards"], ["24 white cards"], ["15 red cards"],
    ]  # fmt: skip


@pytest.mark.parametrize(("word", "turn"), [(state.DISORGANIZED, 90), (state.ROUTED, 180)])
def test_counters_are_turned_as_the_rules_say(
    components: component_set.ComponentSet, word: int, turn: int
) -> None:  # 10.6.1
    s = blank()
    s.disarray[board.VENDEE] = word
    counter = with_class(draw_svg(s, components), "army vendée")[0].find(f"{SVG}g")
    assert counter is not None
    assert counter.get("transform", "").startswith(f"rotate({turn} ")


@pytest.mark.parametrize("boxes", [(4, -1, -1), (2, 2, 1), (0, 3, 1), (1, 2, 4), (-1, 3, 3)])
def test_reigning_is_drawn_as_the_rules_say(
    components: component_set.ComponentSet, boxes: tuple[int, int, int]
) -> None:
    s = blank()
    s.politics[:] = boxes
    top = [name for name, box in zip(("Monarchy", "Despotism", "Republic"), boxes, strict=True) if box == max(boxes)]
    assert View(s, components).reigning() == (top[0] if len(top) == 1 else "")
    assert f"reigning: {top[0] if len(top) == 1 else 'nobody'}" in draw_svg(s, components)
