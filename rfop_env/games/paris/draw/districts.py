"""The districts of Paris drawn: building spaces, a bank, landmarks and the VP tile of each."""

from __future__ import annotations

from rfop_env.drawing.palette import GOLD, GOLD_EDGE, INK, MUTED, WHITE
from rfop_env.drawing.picture import Picture
from rfop_env.drawing.pieces import band, coin, mark_last
from rfop_env.games.paris import actions, board
from rfop_env.games.paris.draw import layout, pieces
from rfop_env.games.paris.draw.view import View

BUILDING_WIDTH, BUILDING_HEIGHT, BUILDING_STEP = 59, 88, 62.4
BUILDINGS_TOP, TILES_TOP = 34, 127  # below the top of a district
BANK_WIDTH = 80
VP_WIDTH = 114


def draw_district(picture: Picture, view: View, district: int) -> None:
    """A district with all that lies in it."""
    column, (y, height) = layout.DISTRICT_AT[district]
    x, deep = layout.MARGIN + (layout.COLUMN + layout.GAP) * column, layout.DISTRICT_DEEP[district]
    picture.open("district", board.DISTRICT_NAMES[district], [actions.DISTRICT + district])
    picture.rect(x, y, layout.COLUMN, height, layout.DISTRICT_PALE[district], 8, stroke=deep)
    band(picture, x, y, layout.COLUMN, layout.BAND, deep)
    picture.text_at(
        x + 12, y + 18.5, board.DISTRICT_NAMES[district], 15, WHITE, bold=True, room=layout.COLUMN - VP_WIDTH - 30
    )
    _vp_tile(picture, view, district, x + layout.COLUMN - VP_WIDTH - 8, y + 3)
    for i in range(board.VALUE_COUNT):
        _building(picture, view, board.VALUE_COUNT * district + i, x + 10 + BUILDING_STEP * i, y + BUILDINGS_TOP)
    _bank(picture, view, district, x + 10, y + TILES_TOP)
    _landmarks(picture, view, district, x + 98, y + TILES_TOP, layout.COLUMN - 106)
    picture.close()


def _vp_tile(picture: Picture, view: View, district: int, x: float, y: float) -> None:
    """The VP tile of a district at the right end of its head."""
    tiles = view.vp_tiles(district)
    if not tiles:
        picture.rect(x, y, VP_WIDTH, 20, "none", 5, stroke=WHITE, stroke_dasharray="3 3", opacity=0.6)
        return
    words = " / ".join(map(str, view.placings(tiles[0])))
    picture.open("vp-tile", f"VP tile: {words} VP for the first, second and third")
    picture.rect(x, y, VP_WIDTH, 20, GOLD, 5, stroke=GOLD_EDGE)
    middle = x + VP_WIDTH / 2
    picture.text_at(middle, y + 15, f"VP {words}", 13, INK, anchor="middle", bold=True, room=VP_WIDTH - 8)
    if district in view.changes.districts:
        mark_last(picture, x, y, VP_WIDTH, 20, out=1)
    picture.close()


def _building(picture: Picture, view: View, space: int, x: float, y: float) -> None:
    """A building space: value, type, the token beside it, resources to pay, keys."""
    tile, width, height = view.tile(space), BUILDING_WIDTH, BUILDING_HEIGHT
    deep = layout.DISTRICT_DEEP[space // board.VALUE_COUNT]
    kind = "none" if tile is None else view.type_name(tile)
    picture.open(
        "building" if tile is not None else "no-building", f"{board.PLACE_NAMES[space]}: {kind}", [actions.KEY + space]
    )
    if tile is None:
        picture.rect(x, y, width, height, "none", 5, stroke=deep, stroke_dasharray="4 3")
    else:
        picture.rect(x, y, width, height, WHITE, 5, stroke=deep, stroke_width=1.5)
        pieces.draw_type(picture, int(view.tables.building_type[tile]), x + width - 22, y + 6)
        for i, good in enumerate(view.cost(tile)):
            pieces.draw_good(picture, good, x + width - 12 - 16 * i, y + 40, pieces.SMALLEST_GOOD)
    ink = INK if tile is not None else MUTED
    picture.text_at(x + 7, y + 22, str(board.VALUES[space % board.VALUE_COUNT]), 20, ink, bold=True)
    token = view.token(space)
    if token is not None:
        pieces.draw_good(picture, token, x + 15, y + 41, 9)
    pieces.draw_keys(picture, view.keys(space), x + 4, y + 58, width - 8)
    pieces.mark_place(picture, view, space, x, y, width, height)
    picture.close()


def _bank(picture: Picture, view: View, district: int, x: float, y: float) -> None:
    place, francs = board.FIRST_BANK + district, int(view.tables.bank[district])
    picture.open(
        "bank", f"{board.DISTRICT_NAMES[district]} bank: {francs} Francs", [actions.PUT + district, actions.KEY + place]
    )
    picture.rect(x, y, BANK_WIDTH, layout.TILE_HEIGHT, WHITE, 5, stroke=layout.DISTRICT_DEEP[district])
    picture.rect(x + 2, y + 2, BANK_WIDTH - 4, layout.TILE_HEIGHT - 4, "none", 4, stroke=GOLD, stroke_width=2.5)
    coin(picture, x + 23, y + 24, 15, str(francs))
    picture.text_at(x + 42, y + 28, "bank", 12, MUTED, room=32)
    pieces.draw_keys(picture, view.keys(place), x + 8, y + layout.TILE_HEIGHT - 34, BANK_WIDTH - 14)
    pieces.mark_place(picture, view, place, x, y, BANK_WIDTH, layout.TILE_HEIGHT)
    picture.close()


def _landmarks(picture: Picture, view: View, district: int, x: float, y: float, room: float) -> None:
    """The landmarks of a district; narrow ones where there are more than three."""
    landmarks = view.landmarks(district)
    step = min(float(layout.LANDMARK_STEP), (room + 4) / max(len(landmarks), 1))
    width = min(float(layout.LANDMARK_WIDTH), step - 4)
    for i, landmark in enumerate(landmarks):
        pieces.draw_landmark(picture, view, landmark, x + step * i, y, layout.DISTRICT_DEEP[district], width)
