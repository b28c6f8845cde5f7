"""The pieces of Levée en Masse drawn: armies, Napoleon, Liberation markers, Disorder."""

from __future__ import annotations

from rfop_env.drawing.palette import BLACK, BLUE, GOLD, RED, WHITE
from rfop_env.drawing.picture import Picture
from rfop_env.drawing.pieces import mark_last
from rfop_env.games.levee_en_masse import actions, board
from rfop_env.games.levee_en_masse.draw.layout import ARMY_COLOURS
from rfop_env.games.levee_en_masse.draw.view import ARMY_SIGNS, View

TRICOLOUR = (BLUE.deep, WHITE, RED.deep)
FLAME = "q-9 -9 -3 -17 q1 5 4 5 q-2 -8 4 -13 q-1 7 4 10 q2 -2 1 -5 q7 9 0 20 q-5 3 -10 0 Z"


def draw_army(picture: Picture, view: View, army: int, x: float, y: float, size: float) -> None:
    """A square counter: its sign over its Battle Value; turned as the rules turn it."""
    states = view.army_state(army)
    turn = 180 if {"routed", "rotated"} & set(states) else 0
    turn = 90 if "disorganized" in states else turn
    tip = ", ".join([f"{board.ARMY_NAMES[army]} army, value {view.army_value(army)}", *states])
    ids = [
        actions.MILITARY + army,
        actions.SPIRIT + army,
        actions.NAPOLEON + army,
        *([actions.NAVAL] if army == board.BRITISH else []),
    ]
    picture.open(f"army {board.ARMY_NAMES[army].lower().replace(' ', '-')}", tip, ids)

    picture.open("counter", transform=f"rotate({turn} {x:g} {y:g})")
    half, letters = size / 2, max(picture.smallest, 0.42 * size)
    picture.rect(x - half, y - half, size, size, ARMY_COLOURS[army], 3, stroke=WHITE, stroke_width=1.5)
    for words, height in ((ARMY_SIGNS[army], -0.06), (view.army_value(army), 0.39)):
        picture.text_at(x, y + height * size, words, letters, WHITE, anchor="middle", bold=True, room=size - 2)
    picture.close()

    if "Napoleon" in states:
        draw_napoleon(picture, x + half + 4, y - half + 1)
    if army in view.changes.armies:
        mark_last(picture, x - half, y - half, size, size, out=2)
    picture.close()


def draw_napoleon(picture: Picture, x: float, y: float) -> None:
    """A golden badge with his letter; pointed to by taking him back."""
    picture.open("napoleon", "Napoleon", [actions.DETACH])
    picture.circle(x, y, 8.5, GOLD, stroke=BLACK, stroke_width=1.2)
    picture.text_at(x, y + 4, "N", 11, BLACK, anchor="middle", bold=True)
    picture.close()


def draw_liberation(picture: Picture, x: float, y: float, ids: tuple[int, ...] = ()) -> None:
    """A Liberation marker: a cockade."""
    picture.open("liberation", "Liberation marker", ids)
    picture.circle(x, y, 12.5, BLACK)
    for radius, colour in zip((11.5, 8, 4.5), TRICOLOUR, strict=True):
        picture.circle(x, y, radius, colour)
    picture.close()


def draw_disorder(picture: Picture, view: View, x: float, y: float, ids: tuple[int, ...]) -> None:
    """A street on fire."""
    picture.open("disorder", "Disorder", ids)
    picture.rect(x - 15, y - 15, 30, 30, "#3a1210", 4, stroke=WHITE, stroke_width=1.5)
    picture.path(f"M{x - 3:g} {y + 11:g}{FLAME}", "#f39a2b", stroke=RED.deep, stroke_width=1.2)
    if view.changes.disorder:
        mark_last(picture, x - 15, y - 15, 30, 30, out=2)
    picture.close()
