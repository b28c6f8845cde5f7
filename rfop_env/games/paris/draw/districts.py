"""The districts of Paris drawn: building spaces, a bank, landmarks and the VP tile of each."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from rfop_env.drawing.palette import BLACK, CARD, GOLD, GOLD_EDGE, INK, MUTED, WHITE
from rfop_env.drawing.picture import Box, Picture
from rfop_env.drawing.pieces import band, coin, mark_last
from rfop_env.games.paris import actions, board
from rfop_env.games.paris.draw import layout, pieces
from rfop_env.games.paris.draw.layout import Plan
from rfop_env.games.paris.draw.view import View

EDGE, STEP = 4, 3  # around what lies in a district, and between


def district_height(view: View, plan: Plan, districts: Collection[int]) -> float:
    """The height of districts side by side: heads, buildings, and banks beside landmarks.

    A tall picture keeps no room for landmarks where there are none.
    """
    is_full = len(plan.districts) == 2 or any(view.landmarks(district) for district in districts)
    below = layout.tile_height(plan) if is_full else layout.bank_height(plan)
    return plan.band + plan.building + below + 10


def draw_district(picture: Picture, view: View, plan: Plan, box: Box, district: int) -> None:
    """A district with all that lies in it."""
    (x, y, width, height), deep = box, layout.DISTRICT_DEEP[district]
    picture.open("district", board.DISTRICT_NAMES[district], [actions.DISTRICT + district])
    picture.rect(x, y, width, height, layout.DISTRICT_PALE[district], 8, stroke=deep)
    band(picture, x, y, width, plan.band, deep)
    vp = 8 * plan.text
    line, name = y + plan.band / 2 + 0.36 * plan.title, board.DISTRICT_NAMES[district]
    picture.text_at(x + 10, line, name, plan.title, WHITE, bold=True, room=width - vp - 24)
    _vp_tile(picture, view, plan, district, Box(x + width - vp - 5, y + 2.5, vp, plan.band - 5))

    step, top = (width - 2 * EDGE + STEP) / board.VALUE_COUNT, y + plan.band + 3
    for i in range(board.VALUE_COUNT):
        space = Box(x + EDGE + step * i, top, step - STEP, plan.building)
        _building(picture, view, plan, board.VALUE_COUNT * district + i, space)
    top += plan.building + 3
    tile = y + height - EDGE - top
    _bank(picture, view, plan, district, Box(x + EDGE, top, plan.bank, tile))
    start = x + EDGE + plan.bank + STEP
    _landmarks(picture, view, plan, district, Box(start, top, x + width - EDGE - start, tile))
    picture.close()


def _vp_tile(picture: Picture, view: View, plan: Plan, district: int, box: Box) -> None:
    """The VP tile of a district at the right end of its head."""
    tiles = view.vp_tiles(district)
    if not tiles:
        picture.rect(*box, "none", 5, stroke=WHITE, stroke_dasharray="3 3", opacity=0.6)
        return
    words = " / ".join(map(str, view.placings(tiles[0])))
    picture.open("vp-tile", f"VP tile: {words} VP for the first, second and third")
    picture.rect(*box, GOLD, 5, stroke=GOLD_EDGE)
    line, room = box.y + box.height / 2 + 0.36 * plan.text, box.width - 6
    look: dict[str, Any] = {"anchor": "middle", "bold": True, "room": room}
    picture.text_at(box.x + box.width / 2, line, f"VP {words}", plan.text, BLACK, **look)
    if district in view.changes.districts:
        mark_last(picture, *box, out=1)
    picture.close()


def _building(picture: Picture, view: View, plan: Plan, space: int, box: Box) -> None:
    """A building space: value, type, the token beside it, resources to pay, keys."""
    (x, y, width, height), tile = box, view.tile(space)
    deep = layout.DISTRICT_DEEP[space // board.VALUE_COUNT]
    kind = "none" if tile is None else view.type_name(tile)
    picture.open(
        "building" if tile is not None else "no-building", f"{board.PLACE_NAMES[space]}: {kind}", [actions.KEY + space]
    )
    middle = y + plan.value + 3 + plan.good + 1
    if tile is None:
        picture.rect(*box, "none", 5, stroke=deep, stroke_dasharray="4 3")
    else:
        picture.rect(*box, CARD, 5, stroke=deep, stroke_width=1.5)
        pieces.draw_type(picture, int(view.tables.building_type[tile]), x + width - 20, y + plan.value / 2 - 5)
        for i, good in enumerate(view.cost(tile)):
            pieces.draw_good(picture, good, x + width - plan.good - 3 - 2 * plan.good * i, middle, plan.good)
    ink = INK if tile is not None else MUTED
    picture.text_at(x + 6, y + plan.value, str(board.VALUES[space % board.VALUE_COUNT]), plan.value, ink, bold=True)
    token = view.token(space)
    if token is not None:
        pieces.draw_good(picture, token, x + plan.good + 4, middle, plan.good)
    pieces.draw_keys(picture, plan, view.keys(space), x + 2.5, y + height - plan.key_height - 2, width - 4)
    pieces.mark_place(picture, view, space, box)
    picture.close()


def _bank(picture: Picture, view: View, plan: Plan, district: int, box: Box) -> None:
    place, francs = board.FIRST_BANK + district, int(view.tables.bank[district])
    x, y, width, height = box
    picture.open(
        "bank", f"{board.DISTRICT_NAMES[district]} bank: {francs} Francs", [actions.PUT + district, actions.KEY + place]
    )
    picture.rect(*box, CARD, 5, stroke=layout.DISTRICT_DEEP[district])
    picture.rect(x + 2, y + 2, width - 4, height - 4, "none", 4, stroke=GOLD, stroke_width=2)
    radius, is_flat = 0.55 * plan.row, height <= layout.bank_height(plan)
    middle = y + (height / 2 if is_flat else radius + 6)
    coin(picture, x + radius + 6, middle, radius, str(francs))
    words, end = 2 * radius + 9, x + (width if is_flat else 0)
    picture.text_at(x + words, middle + 4, "bank", plan.smallest, MUTED)
    keys, room = end + 6, 4 * 2 * plan.key + 8 if is_flat else width - 10
    pieces.draw_keys(
        picture, plan, view.keys(place), keys - (0 if is_flat else 1), y + height - plan.key_height - 4, room
    )
    pieces.mark_place(picture, view, place, box)
    picture.close()


def _landmarks(picture: Picture, view: View, plan: Plan, district: int, box: Box) -> None:
    """The landmarks of a district; narrow ones where there are more than three."""
    landmarks = view.landmarks(district)
    step = (box.width + STEP) / max(len(landmarks), 3)
    for i, landmark in enumerate(landmarks):
        place = Box(box.x + step * i, box.y, step - STEP, box.height)
        pieces.draw_landmark(
            picture, view, plan, landmark, place, layout.DISTRICT_DEEP[district], narrow=len(landmarks) > 3
        )
