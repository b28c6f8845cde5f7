"""The middle of the board of Paris drawn: stacks, the Arc, goods and prices, End Game tiles, landmarks and VP tiles."""

from __future__ import annotations

from rfop_env.drawing.palette import GOLD, GOLD_EDGE, INK, MUTED, SEAT_TONES, STONE, STONE_EDGE, WHITE
from rfop_env.drawing.picture import Picture
from rfop_env.drawing.pieces import caption, coin, panel
from rfop_env.games.paris.actions import BUY, DRAW, END_TILE, KEY, PUT, SEARCH, VP_TILE
from rfop_env.games.paris.board import (
    ARC, DISTRICT_NAMES, END_FRANCS, END_NAMES, END_TWO_VP, FIRST_BANK, GOOD_TITLES, GOODS, RESOURCES,
)  # fmt: skip
from rfop_env.games.paris.draw.layout import (
    CENTRE, COLUMN, DISTRICT_DEEP, GAP, LANDMARK_STEP, MARGIN, SUPPLY_ROW, WIDTH,
)  # fmt: skip
from rfop_env.games.paris.draw.pieces import draw_good, draw_key, draw_landmark, mark_place
from rfop_env.games.paris.draw.view import View
from rfop_env.games.paris.state import NOWHERE

STACK_WIDTH, STACK_HEIGHT, STACK_STEP = 108, 58, 123
ARCH = "M0 0H128V14H122V94H84V56Q84 34 64 34Q44 34 44 56V94H6V14H0Z"
GOOD_LEFT, GOOD_STEP = 72, 35
PILE_LEFT = 284  # of the End Game tiles, within the panel of the goods
KIND_STEP = 41
VP_WIDTH, VP_HEIGHT = 60, 58
SUPPLY_DEEP, BACK = "#5b5348", "#4b4640"


def draw_supplies(picture: Picture, view: View) -> None:
    """All supplies, from the left to the right."""
    _stacks(picture, view)
    _arc(picture, view)
    _goods(picture, view)
    _landmarks(picture, view)
    _vp_tiles(picture, view)


# -- the middle row ----------------------------------------------------------------------------------------------------


def _stacks(picture: Picture, view: View) -> None:
    """The stacks of building tiles; a tile's back shows its district."""
    y, height = CENTRE
    panel(picture, MARGIN, y, COLUMN, height)
    caption(picture, MARGIN + 12, y + 18, "Building tiles")
    for k, (left, top) in enumerate(view.piles()):
        x = MARGIN + 12 + STACK_STEP * k
        middle = x + STACK_WIDTH / 2
        picture.open("stack", f"stack {k + 1}: {left} tiles" + (f", {top} on top" if left else ""), [DRAW + k])
        if left:
            deep = DISTRICT_DEEP[DISTRICT_NAMES.index(top)]
            for offset in (6, 3, 0)[3 - min(left, 3) :]:
                picture.rect(x + offset, y + 32 - offset / 2, STACK_WIDTH, STACK_HEIGHT, deep, 5, stroke=WHITE)
            picture.text_at(middle, y + 58, top, 14, WHITE, anchor="middle", bold=True, room=STACK_WIDTH - 16)
            picture.text_at(middle, y + 78, f"{left} left", 12, WHITE, anchor="middle")
        else:
            picture.rect(x, y + 32, STACK_WIDTH, STACK_HEIGHT, "none", 5, stroke=MUTED, stroke_dasharray="4 3")
            picture.text_at(middle, y + 65, "empty", 12, MUTED, anchor="middle")
        picture.text_at(middle, y + 108, f"stack {k + 1}", 11, MUTED, anchor="middle")
        picture.close()


def _arc(picture: Picture, view: View) -> None:
    """The Arc de Triomphe, with a foot for each player's key."""
    x, (y, height) = MARGIN + COLUMN + GAP, CENTRE
    middle = x + COLUMN / 2
    picture.open("arc", "Arc de Triomphe", [PUT + ARC - FIRST_BANK, KEY + ARC])
    panel(picture, x, y, COLUMN, height)
    stone = {"stroke": STONE_EDGE, "stroke_width": 1.5, "stroke_linejoin": "round"}
    picture.path(ARCH, STONE, at=(middle - 64, y + 12), **stone)
    picture.path("M6 14H122M12 24H116", at=(middle - 64, y + 12), stroke=STONE_EDGE, stroke_width=1)
    picture.text_at(middle - 80, y + 30, "Arc de", 12, MUTED, anchor="end", bold=True)
    picture.text_at(middle - 80, y + 45, "Triomphe", 12, MUTED, anchor="end", bold=True)
    keys = view.keys(ARC)
    for player in range(view.players):
        at = middle + 76 + 29 * player
        picture.circle(at + 7, y + 64, 15, "none", stroke=SEAT_TONES[player].deep, stroke_dasharray="3 3")
        if player in keys:
            draw_key(picture, player, at, y + 51)
    mark_place(picture, view, ARC, x + 4, y + 4, COLUMN - 8, height - 8)
    picture.close()


def _goods(picture: Picture, view: View) -> None:
    """How many goods are left, what they cost and sell for, and the End Game tiles."""
    x, (y, height) = MARGIN + 2 * (COLUMN + GAP), CENTRE
    panel(picture, x, y, COLUMN, height)
    for row, words in enumerate(("supply", "buy", "sell")):
        picture.text_at(x + 12, y + 50 + 16 * row, words, 12, MUTED)
    for good in range(GOODS):
        across = x + GOOD_LEFT + GOOD_STEP * good
        picture.open("supply", f"{GOOD_TITLES[good]} in the supply", [BUY + good] if good < RESOURCES else [])
        draw_good(picture, good, across, y + 20, 9.5)
        buy = str(view.tables.buy_price[good]) if good < RESOURCES else "-"
        rows = (str(view.s.supply[good]), buy, str(view.tables.sell_price[good]))
        for row, words in enumerate(rows):
            picture.text_at(across, y + 50 + 16 * row, words, 13, INK, anchor="middle", bold=True, room=GOOD_STEP - 4)
        picture.close()
    _end_tiles(picture, view, x, y)


def _end_tiles(picture: Picture, view: View, x: float, y: float) -> None:
    """The pile of End Game tiles; their kinds below, where the viewer may see them."""
    left, kinds = view.end_tiles_left(), view.end_kinds_left()
    at, room = x + PILE_LEFT, COLUMN - PILE_LEFT - 8
    picture.open("end-tiles", f"{left} End Game tiles left", [SEARCH])
    picture.text_block(
        at + room / 2, y + 16, "END GAME TILES", 11, MUTED, room=room, most=2, anchor="middle", bold=True
    )
    for offset in (6, 3, 0)[3 - min(left, 3) :]:
        picture.rect(at + 20 + offset, y + 38 - offset / 2, 56, 38, BACK, 4, stroke=WHITE)
    picture.text_at(at + 48, y + 63, str(left), 18, WHITE if left else MUTED, anchor="middle", bold=True)
    picture.close()
    if kinds is None:
        picture.text_at(at + 48, y + 92, "face down" if left else "none left", 11, MUTED, anchor="middle")
        return
    for i, (kind, count) in enumerate(kinds.items()):
        across = x + 8 + KIND_STEP * i
        picture.open("end-kind", f"{count} End Game tiles {END_NAMES[kind]}", [END_TILE + kind])
        picture.rect(across, y + 93, KIND_STEP - 3, 24, WHITE, 5, stroke=MUTED)
        draw_end_kind(picture, kind, across + 12, y + 104)
        picture.text_at(across + 23, y + 109, f"×{count}", 10, INK, room=KIND_STEP - 27)
        picture.close()


def draw_end_kind(picture: Picture, kind: int, x: float, y: float) -> None:
    """The sign of a kind of End Game tile: the good that it is, Francs, or VP."""
    if kind < GOODS:
        draw_good(picture, kind, x, y - 1, 8)
    elif kind == END_FRANCS:
        coin(picture, x, y, 9, "F")
    else:
        picture.text_at(x, y + 4.5, "2VP" if kind == END_TWO_VP else "1VP", 9.5, INK, anchor="middle", bold=True)


# -- the row below -----------------------------------------------------------------------------------------------------


def _landmarks(picture: Picture, view: View) -> None:
    y, height = SUPPLY_ROW
    landmarks = view.landmarks(NOWHERE)
    panel(picture, MARGIN, y, LANDMARK_STEP * 8 + 20, height)
    caption(picture, MARGIN + 12, y + 17, "Landmarks in the supply" + ("" if landmarks else ": none"))
    for i, landmark in enumerate(landmarks):
        draw_landmark(picture, view, landmark, MARGIN + 12 + LANDMARK_STEP * i, y + 25, SUPPLY_DEEP)


def _vp_tiles(picture: Picture, view: View) -> None:
    y, height = SUPPLY_ROW
    x, tiles = MARGIN + LANDMARK_STEP * 8 + 20 + GAP, view.vp_tiles(NOWHERE)
    panel(picture, x, y, WIDTH - MARGIN - x, height)
    caption(picture, x + 12, y + 17, "VP tiles" + ("" if tiles else ": none left"))
    for i, tile in enumerate(tiles):
        left, top = x + 12 + (VP_WIDTH + 4) * i, y + 40
        first, *others = view.placings(tile)
        middle, lower = left + VP_WIDTH / 2, " / ".join(map(str, others))
        picture.open("vp-tile", f"VP tile {tile + 1}", [VP_TILE + tile])
        picture.rect(left, top, VP_WIDTH, VP_HEIGHT, GOLD, 5, stroke=GOLD_EDGE)
        picture.text_at(middle, top + 28, str(first), 24, INK, anchor="middle", bold=True, room=VP_WIDTH - 8)
        picture.text_at(middle, top + 47, lower, 14, INK, anchor="middle", bold=True, room=VP_WIDTH - 8)
        picture.close()
