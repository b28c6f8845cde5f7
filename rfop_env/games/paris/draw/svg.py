"""Paris drawn as a picture: six districts around the Arc de Triomphe, the bonus track, and a panel for each player.

All measures are in the picture's own units. Every piece carries its kind and owner as classes (`class="key p0"`), so
that a page can restyle the picture and a test can count what it shows.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from rfop_env.drawing.palette import GOLD, GREY, SEAT_TONES
from rfop_env.drawing.picture import Picture
from rfop_env.drawing.pieces import header
from rfop_env.games.paris.component_set import ComponentSet
from rfop_env.games.paris import board
from rfop_env.games.paris.draw import bonus_track, districts, layout, players, supplies
from rfop_env.games.paris.draw.view import SPECTATOR, View


def draw_svg(
    s: Any, components: ComponentSet, viewer: int | None = None, legal: Collection[int] = (), previous: Any = None
) -> str:
    """The position as a self-contained SVG picture, as `viewer` sees it.

    `viewer` is a seat, SPECTATOR, or None for the player to move. `legal` are the ids of the legal actions: parts that
    they point to carry them as `data-action`, where the viewer is the player who decides. `previous` is an earlier
    record of the game: what differs from it is marked; without one, what has changed since the last decision.
    """
    view = View(s, components, viewer, previous)
    picture = Picture(layout.WIDTH, layout.HEIGHT, legal if view.viewer == view.decider else ())
    tone = GREY if view.decider == SPECTATOR else SEAT_TONES[view.decider]
    header(picture, "PARIS", view.course_text(), view.decision_text(), tone, (GOLD,))
    for district in range(board.DISTRICTS):
        districts.draw_district(picture, view, district)
    supplies.draw_supplies(picture, view)
    bonus_track.draw_bonus_track(picture, view)
    for player in range(view.players):
        players.draw_player(picture, view, player)
    return picture.text(f"Paris. {view.course_text()}. {view.decision_text()}.")
