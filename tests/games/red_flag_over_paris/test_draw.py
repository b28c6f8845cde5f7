"""The drawings of Red Flag Over Paris: well formed, complete, and silent about what the viewer cannot see."""

from __future__ import annotations

import random
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from rfop_env.compiler import kernel
from rfop_env.core.decisions import FRAME_A, FRAME_KIND, FRAME_SIDE
from rfop_env.games.red_flag_over_paris import board, control, frames, state
from rfop_env.games.red_flag_over_paris.component_set import ComponentSet, load_components
from rfop_env.games.red_flag_over_paris.components import FIRST_OBJECTIVE, STRATEGY_CARDS
from rfop_env.games.red_flag_over_paris.draw import draw_svg, draw_text
from rfop_env.games.red_flag_over_paris.draw.view import View

SEEDS = range(12)
FINAL_CARDS = (34, 17)


@pytest.fixture(scope="module")
def components() -> ComponentSet:
    """The shipped cards and tables."""
    return load_components(None)


def blank() -> Any:
    """A record in which nothing is anywhere, the Commune to choose a card in round 1."""
    s = np.zeros(1, state.STATE).view(np.recarray)[0]
    s.bot = s.winner = state.NOBODY
    s.round_number, s.phase = 1, state.PLAYING
    ask(s, frames.ASK_CARD, board.COMMUNE)
    return s


def ask(s: Any, kind: int, side: int) -> None:
    """Leave one question on the stack."""
    s.depth = 1
    s.stack[0, FRAME_KIND], s.stack[0, FRAME_SIDE] = kind, side


def position(seed: int) -> Any:
    """A crowded record with every kind of piece and card somewhere."""
    rng = random.Random(seed)
    s = blank()
    s.round_number, s.rounds_played, s.plays = rng.randint(1, state.FINAL_ROUND), rng.randint(1, 3), rng.randint(0, 5)
    s.initiative = rng.randrange(board.SIDES)
    ask(s, rng.choice([frames.ASK_CARD, frames.ASK_PLACE]), rng.randrange(board.SIDES))
    scatter_pieces(s, rng)
    deal_cards(s, rng)
    return s


def scatter_pieces(s: Any, rng: random.Random) -> None:
    """Pieces within the limits of each place."""
    s.cubes[:] = [rng.choices([0, 1, 4], k=board.SPACES) for _ in range(board.SIDES)]
    s.disc[6:] = [rng.randint(0, 2) for _ in range(6)]
    s.vp[:] = [rng.randint(-5, 5), rng.randint(-5, 5)]
    s.momentum[:] = [rng.randint(0, 3), rng.randint(0, 3)]
    s.track[:] = [rng.choices(range(3), k=4) for _ in range(board.SIDES)]
    s.bonus[:, 1:] = [rng.choices([0, 2], k=3) for _ in range(board.SIDES)]
    s.pool[:] = [rng.randint(0, [0, 2, 3, 4][s.momentum[board.COMMUNE]]), rng.randint(0, 18)]
    s.out_of_play[:] = [rng.randint(0, 6), rng.randint(0, 2)]
    s.collaboration[1:] = [rng.choice([0, 2]) for _ in range(3)]


def deal_cards(s: Any, rng: random.Random) -> None:
    """Hands of four, two cards set aside each, a few discards and spent cards; objectives for both."""
    numbers = [n for n in range(1, STRATEGY_CARDS + 1) if n not in FINAL_CARDS]
    rng.shuffle(numbers)
    for side in range(board.SIDES):
        for _ in range(4):
            s.zone[numbers.pop()] = state.IN_HAND_COMMUNE + side
        for _ in range(2):
            s.zone[numbers.pop()] = state.ASIDE_COMMUNE + side
        s.zone[numbers.pop()] = state.SPENT_COMMUNE + side
    for _ in range(3):
        s.top_discard = numbers.pop()
        s.zone[s.top_discard] = state.DISCARDED
    s.zone[list(FINAL_CARDS)] = state.FACE_UP
    s.deck[: len(numbers)], s.deck_size = numbers, len(numbers)
    s.objective[:] = rng.sample(range(FIRST_OBJECTIVE, FIRST_OBJECTIVE + 12), 2)


def own_cards(s: Any, side: int) -> list[int]:
    """Hand and cards set aside."""
    places = (state.IN_HAND_COMMUNE + side, state.ASIDE_COMMUNE + side)
    return [n for n in range(1, STRATEGY_CARDS + 1) if s.zone[n] in places]


def draw_both(s: Any, components: ComponentSet, viewer: int | None = None) -> str:
    """Both drawings in one string."""
    return draw_text(s, components, viewer) + draw_svg(s, components, viewer)


def with_class(svg: str, name: str) -> list[ElementTree.Element]:
    """The elements whose class is `name`."""
    return [element for element in ElementTree.fromstring(svg).iter() if element.get("class") == name]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("side", range(board.SIDES))
def test_svg_shows_every_piece_once(components: ComponentSet, seed: int, side: int) -> None:
    s = position(seed)
    svg, name = draw_svg(s, components), board.SIDE_NAMES[side].lower()
    cubes = s.cubes[side].sum() + s.track[side].sum() + s.bonus[side].sum() + s.pool[side] + s.out_of_play[side]
    cubes += s.collaboration.sum() if side == board.VERSAILLES else 0
    assert len(with_class(svg, f"cube {name}")) == cubes
    assert len(with_class(svg, f"disc {name}")) == (s.disc == side + 1).sum()


def controlled_sets(states: Any, out: Any) -> None:
    """What each side controls in each of N states, as the rules say: out is [N, SIDES]."""
    for i in range(len(states)):
        for side in range(board.SIDES):
            out[i, side] = control.controlled(states[i], side)


def test_control_is_drawn_as_the_rules_say(components: ComponentSet) -> None:
    positions = [position(seed) for seed in SEEDS]
    states = np.array([np.asarray(s) for s in positions], state.STATE).view(np.recarray)
    expected = np.zeros((len(states), board.SIDES), np.int64)
    kernel(controlled_sets, "test_draw_controlled")(states, expected)
    for s, sets in zip(positions, expected, strict=True):
        view = View(s, components)
        for side in range(board.SIDES):
            assert sum(1 << x for x in range(board.PLACES) if view.holder(x) == side) == sets[side]


def test_svg_marks_control_and_objectives(components: ComponentSet) -> None:
    s = blank()
    s.cubes[board.COMMUNE, board.PRESS], s.disc[6] = 2, board.VERSAILLES + 1
    s.objective[:] = [48, 53]
    svg = draw_svg(s, components)
    assert [len(with_class(svg, f"space control-{name}")) for name in ("commune", "versailles", "neutral")] == [
        1,
        1,
        10,
    ]
    assert len(with_class(svg, "objective commune")) == 1
    assert len(with_class(svg, "objective versailles")) == 0


def test_text_shows_pieces_tracks_and_the_question(components: ComponentSet) -> None:
    s = blank()
    s.cubes[board.COMMUNE, board.PRESS], s.cubes[board.VERSAILLES, board.PRESS], s.disc[6] = 3, 1, board.VERSAILLES + 1
    s.vp[:], s.pool[board.VERSAILLES] = [-2, 5], 7
    lines = draw_text(s, components).splitlines()
    assert "Commune to decide: choose a card" in lines[1]
    assert next(line for line in lines if "★  Press" in line).split()[2:] == [
        "■",
        "◆◆◆",
        "Commune",
        "Butte-aux-Cailles",
    ]
    assert any("Mont-Valérien" in line and line.endswith("F           Versailles") for line in lines)
    assert any(line.startswith("Political VP") and "[2]  1   0" in line for line in lines)
    assert any(line.startswith("Military VP") and "[5] Commune" in line for line in lines)
    assert any("pool 7 ■" in line for line in lines)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("viewer", range(board.SIDES))
def test_own_cards_are_named_and_hidden_ones_are_not(components: ComponentSet, seed: int, viewer: int) -> None:
    s = position(seed)
    for drawing in (draw_text(s, components, viewer), draw_svg(s, components, viewer)):
        assert all(f"#{n} {components.card_name(n)}" in drawing for n in own_cards(s, viewer))
        hidden = [
            n
            for n in range(1, STRATEGY_CARDS + 1)
            if s.zone[n] in (state.IN_DECK, state.SPENT_COMMUNE, state.SPENT_COMMUNE + 1)
        ]
        hidden += [*own_cards(s, 1 - viewer), int(s.objective[1 - viewer])]
        assert not [n for n in hidden if components.card_name(n) in drawing or f"#{n} " in drawing]


def test_a_revealed_objective_is_shown(components: ComponentSet) -> None:
    s = blank()
    s.objective[board.VERSAILLES] = 53
    assert "objective secret" in draw_text(s, components)
    s.objective_known[board.VERSAILLES] = 1
    assert "Legitimacy" in draw_text(s, components)
    svg = draw_svg(s, components)
    assert f"Objective #53 {board.SPACE_NAMES[board.NATIONAL_ASSEMBLY]}" in svg
    assert len(with_class(svg, "objective versailles")) == 1


@pytest.mark.parametrize("bot", range(board.SIDES))
def test_in_solo_the_viewer_is_the_human_side(components: ComponentSet, bot: int) -> None:
    s = position(2)
    s.bot = bot
    for side in range(board.SIDES):
        ask(s, frames.ASK_CARD, side)
        assert draw_both(s, components) == draw_both(s, components, 1 - bot)
    assert f"#{s.objective[bot]} " in draw_text(s, components), "the Solo Opponent's objective is open (R20)"


@pytest.mark.parametrize("seed", SEEDS)
def test_everything_is_shown_at_the_end(components: ComponentSet, seed: int) -> None:
    s = position(seed)
    s.depth, s.over, s.phase = 0, 1, state.GAME_END
    s.winner, s.end_reason = board.COMMUNE, state.COMMUNE_CONDITION
    for drawing in (draw_text(s, components), draw_svg(s, components, board.VERSAILLES)):
        assert "Commune won: " in drawing and "political VP, more than the" in drawing
        for side in range(board.SIDES):
            assert all(f"#{n} {components.card_name(n)}" in drawing for n in own_cards(s, side))
            assert f"#{s.objective[side]} " in drawing
    assert max(map(len, draw_text(s, components).splitlines())) <= 100


def test_a_card_in_play_is_shown_but_not_one_spent_face_down(components: ComponentSet) -> None:
    s = blank()
    s.stack[0, FRAME_KIND], s.stack[0, FRAME_A] = frames.DO_END_PLAY, 5
    s.stack[1, FRAME_KIND], s.stack[1, FRAME_SIDE] = frames.ASK_PLACE, board.VERSAILLES
    s.depth, s.zone[5] = 2, state.IN_PLAY
    assert "in play #5 Le Figaro" in draw_text(s, components)
    assert "IN PLAY" in draw_svg(s, components)
    s.stack[0, FRAME_A], s.zone[5] = state.NO_CARD, state.SPENT_COMMUNE
    assert "Le Figaro" not in draw_both(s, components, board.VERSAILLES)
