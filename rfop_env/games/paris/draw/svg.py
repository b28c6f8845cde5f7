"""Paris drawn as a picture: six districts around the Arc de Triomphe, the bonus track, and a panel for each player.

All measures are in the picture's own units. Every piece carries its kind and owner as classes (`class="key p0"`), so
that a page can restyle the picture and a test can count what it shows. The wide picture has the districts as they lie
in the city; narrow ones have fewer panels in a row.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

from rfop_env.drawing.palette import GOLD, GREY, SEAT_TONES, USUAL_LOOK, Look
from rfop_env.drawing.picture import Box, Picture
from rfop_env.drawing.pieces import header
from rfop_env.games.paris.component_set import ComponentSet
from rfop_env.games.paris.draw import layout, supplies
from rfop_env.games.paris.draw.bonus_track import bonus_height, draw_bonus_track
from rfop_env.games.paris.draw.districts import district_height, draw_district
from rfop_env.games.paris.draw.layout import GAP, Plan
from rfop_env.games.paris.draw.players import draw_player, player_height
from rfop_env.games.paris.draw.view import SPECTATOR, View

Part = tuple[float, Callable[..., None]]  # a panel: its share of the width, and what draws it


def draw_svg(
    s: Any,
    components: ComponentSet,
    viewer: int | None = None,
    legal: Collection[int] = (),
    previous: Any = None,
    look: Look = USUAL_LOOK,
) -> str:
    """The position as a self-contained SVG picture, as `viewer` sees it.

    `viewer` is a seat, SPECTATOR, or None for the player to move. `legal` are the ids of the legal actions: parts that
    they point to carry them as `data-action`, where the viewer is the player who decides. `previous` is an earlier
    record of the game: what differs from it is marked; without one, what has changed since the last decision.
    """
    view, plan = View(s, components, viewer, previous), layout.PLANS[look.layout]
    legal = legal if view.viewer == view.decider else ()
    picture = Picture(plan.width, 0, legal, smallest=plan.smallest, look=look)
    tone = GREY if view.decider == SPECTATOR else SEAT_TONES[view.decider]
    y = header(picture, "PARIS", view.course_text(), view.decision_text(), tone, (GOLD,)) + GAP
    for height, parts in _rows(view, plan, look.layout):
        _draw_row(picture, view, plan, y, height, parts)
        y += height + GAP
    picture.height = y + 1
    words = f"Paris. {view.course_text()}. {view.decision_text()}."
    return picture.text(words, layout.DARK)


def _draw_row(picture: Picture, view: View, plan: Plan, y: float, height: float, parts: Sequence[Part]) -> None:
    """Panels side by side."""
    x, room = plan.margin, plan.width - 2 * plan.margin - GAP * (len(parts) - 1)
    total = sum([share for share, _ in parts])
    for share, draw in parts:
        width = room * share / total
        draw(picture, view, plan, Box(x, y, width, height))
        x += width + GAP


def _rows(view: View, plan: Plan, name: str) -> list[tuple[float, list[Part]]]:
    """The rows of panels, from the top, each with its height."""
    districts: list[tuple[float, list[Part]]] = [
        (district_height(view, plan, row), [(1, partial(draw_district, district=district)) for district in row])
        for row in plan.districts
    ]
    players = [(player_height(plan), row) for row in _player_rows(view, plan)]
    track = (bonus_height(plan), [(1.0, draw_bonus_track)])
    stacks, arc, goods = (1.0, supplies.draw_stacks), (1.0, supplies.draw_arc), (1.0, supplies.draw_goods)
    landmarks = (supplies.landmarks_height(plan), [(1.0, supplies.draw_landmarks)])
    tiles = (1.0, supplies.draw_vp_tiles)
    if name == "wide":
        middle = (plan.stack, [stacks, arc, goods])
        beside = (landmarks[0], [(0.675, supplies.draw_landmarks), (0.325, supplies.draw_vp_tiles)])
        return [districts[0], middle, districts[1], beside, track, *players]
    if name == "tall":
        return [*districts, (plan.stack, [stacks, arc]), (plan.stack, [goods, tiles]), landmarks, track, *players]
    singles = [(plan.stack, [part]) for part in (stacks, arc, goods, tiles)]
    own = view.viewer != SPECTATOR  # whose panel is the first
    return [*players[:own], *districts, *singles, landmarks, track, *players[own:]]


def _player_rows(view: View, plan: Plan) -> list[list[Part]]:
    """The panels of the players in rows; one below the other, the viewer's is the first."""
    order = list(range(view.players))
    if plan.players == 1:
        order = sorted(order, key=lambda player: player != view.viewer)
    panels: list[Part] = [(1, partial(draw_player, player=player)) for player in order]
    return [panels[i : i + plan.players] for i in range(0, len(panels), plan.players)]
