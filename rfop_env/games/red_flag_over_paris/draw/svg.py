"""Red Flag Over Paris drawn as a picture: the board, the cards of one side and what it sees of the other.

All measures are in the picture's own units. Every piece carries its kind and side as classes (`class="cube commune"`),
so that a page can restyle the picture and a test can count what it shows.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from rfop_env.drawing import palette, pieces
from rfop_env.drawing.picture import Picture
from rfop_env.games.red_flag_over_paris import board, state
from rfop_env.games.red_flag_over_paris.component_set import ComponentSet
from rfop_env.games.red_flag_over_paris.draw import layout, signs
from rfop_env.games.red_flag_over_paris.draw.cards import draw_cards
from rfop_env.games.red_flag_over_paris.draw.map import draw_map
from rfop_env.games.red_flag_over_paris.draw.tracks import draw_tracks
from rfop_env.games.red_flag_over_paris.draw.view import View


def draw_svg(
    s: Any,
    components: ComponentSet,
    viewer: int | None = None,
    legal: Collection[int] = (),
    previous: Any = None,
    look: palette.Look = palette.USUAL_LOOK,
) -> str:
    """The position as a self-contained SVG picture, as `viewer` sees it.

    `viewer` is a side or None for the side to move (in a solo game the human side). `legal` are the ids of the legal
    actions: parts that they point to carry them as `data-action`, where the viewer is the side that decides. `previous`
    is an earlier record of the game: what differs from it is marked; without one, what has changed since the last
    decision.
    """
    view, plan = View(s, components, viewer, previous), layout.PLANS[look.layout]
    legal = legal if view.viewer == view.decider else ()
    picture = Picture(plan.width, plan.height, legal, signs.definitions(), plan.smallest, look)
    side = int(s.winner) if view.over else view.decider
    tone = signs.TONES[board.NEUTRAL if side == state.NOBODY else side]
    colours = palette.BLUE.deep, palette.RED.deep
    pieces.header(picture, "RED FLAG OVER PARIS", view.round_text(), view.decision_text(), tone, colours)
    draw_tracks(picture, view, plan)
    draw_map(picture, view, plan)
    picture.height = max(plan.height, draw_cards(picture, view, plan) + 6)
    return picture.text(f"Red Flag Over Paris. {view.round_text()}. {view.decision_text()}.", layout.DARK)
