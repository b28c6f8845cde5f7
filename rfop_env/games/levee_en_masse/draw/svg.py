"""Levée en Masse drawn as a picture: the map with its five tracks, the government, and the current headline.

All measures are in the picture's own units. Every piece carries its kind as a class (`class="army vendée"`), so that a
page can restyle the picture and a test can count what it shows.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from rfop_env.drawing.palette import BLUE, RED, USUAL_LOOK, WHITE, Look
from rfop_env.drawing.picture import Picture
from rfop_env.drawing.pieces import header
from rfop_env.games.levee_en_masse import component_set
from rfop_env.games.levee_en_masse.draw.layout import DARK, PLANS
from rfop_env.games.levee_en_masse.draw.map import draw_map
from rfop_env.games.levee_en_masse.draw.panels import draw_panels
from rfop_env.games.levee_en_masse.draw.view import View
from rfop_env.games.levee_en_masse.state import State


def draw_svg(
    s: State,
    components: component_set.ComponentSet,
    viewer: int | None = None,
    legal: Collection[int] = (),
    previous: Any = None,
    look: Look = USUAL_LOOK,
) -> str:
    """The position as a self-contained SVG picture.

    `viewer` is the only seat, 0, or None. `legal` are the ids of the legal actions: parts that they point to carry them
    as `data-action`. `previous` is an earlier record of the game: what differs from it is marked; without one, what has
    changed since the last decision.
    """
    view, plan = View(s, components, viewer, previous), PLANS[look.layout]
    picture = Picture(plan.width, plan.height, legal, smallest=plan.smallest, look=look)
    stripe = (BLUE.deep, WHITE, RED.deep)
    header(picture, "LEVÉE EN MASSE", view.turn_text(), view.decision_text(), BLUE, stripe)
    draw_map(picture, view, plan)
    draw_panels(picture, view, plan)
    return picture.text(f"Levée en Masse. {view.turn_text()}. {view.decision_text()}.", DARK)
