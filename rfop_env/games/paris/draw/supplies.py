"""The middle of the board of Paris drawn: stacks, the Arc, goods and prices, End Game tiles, landmarks and VP tiles."""

from __future__ import annotations

from rfop_env.drawing.palette import GOLD, GOLD_EDGE, INK, MUTED, SEAT_TONES, STONE, STONE_EDGE, WHITE
from rfop_env.drawing.picture import Picture
from rfop_env.drawing.pieces import caption, coin, panel
from rfop_env.games.paris import actions, board, state
from rfop_env.games.paris.draw import layout, pieces
from rfop_env.games.paris.draw.view import View

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
    y, height = layout.CENTRE
    panel(picture, layout.MARGIN, y, layout.COLUMN, height)
    caption(picture, layout.MARGIN + 12, y + 18, "Building tiles")
    for k, (tiles, top) in enumerate(view.piles()):
        x = layout.MARGIN + 12 + STACK_STEP * k
        middle = x + STACK_WIDTH / 2
        picture.open(
            "stack", f"stack {k + 1}: {tiles} tiles" + (f", {top} on top" if tiles else ""), [actions.DRAW + k]
        )
        if tiles:
            deep = layout.DISTRICT_DEEP[board.DISTRICT_NAMES.index(top)]
            for offset in (6, 3, 0)[3 - min(tiles, 3) :]:
                picture.rect(x + offset, y + 32 - offset / 2, STACK_WIDTH, STACK_HEIGHT, deep, 5, stroke=WHITE)
            picture.text_at(middle, y + 58, top, 14, WHITE, anchor="middle", bold=True, room=STACK_WIDTH - 16)
            picture.text_at(middle, y + 78, f"{tiles} left", 12, WHITE, anchor="middle")
        else:
            picture.rect(x, y + 32, STACK_WIDTH, STACK_HEIGHT, "none", 5, stroke=MUTED, stroke_dasharray="4 3")
            picture.text_at(middle, y + 65, "empty", 12, MUTED, anchor="middle")
        picture.text_at(middle, y + 108, f"stack {k + 1}", 11, MUTED, anchor="middle")
        picture.close()


def _arc(picture: Picture, view: View) -> None:
    """The Arc de Triomphe, with a foot for each player's key."""
    x, (y, height) = layout.MARGIN + layout.COLUMN + layout.GAP, layout.CENTRE
    middle = x + layout.COLUMN / 2
    picture.open("arc", "Arc de Triomphe", [actions.PUT + board.ARC - board.FIRST_BANK, actions.KEY + board.ARC])
    panel(picture, x, y, layout.COLUMN, height)
    stone = {"stroke": STONE_EDGE, "stroke_width": 1.5, "stroke_linejoin": "round"}
    picture.path(ARCH, STONE, at=(middle - 64, y + 12), **stone)
    picture.path("M6 14H122M12 24H116", at=(middle - 64, y + 12), stroke=STONE_EDGE, stroke_width=1)
    picture.text_at(middle - 80, y + 30, "Arc de", 12, MUTED, anchor="end", bold=True)
    picture.text_at(middle - 80, y + 45, "Triomphe", 12, MUTED, anchor="end", bold=True)
    keys = view.keys(board.ARC)
    for player in range(view.players):
        at = middle + 76 + 29 * player
        picture.circle(at + 7, y + 64, 15, "none", stroke=SEAT_TONES[player].deep, stroke_dasharray="3 3")
        if player in keys:
            pieces.draw_key(picture, player, at, y + 51)
    pieces.mark_place(picture, view, board.ARC, x + 4, y + 4, layout.COLUMN - 8, height - 8)
    picture.close()


def _goods(picture: Picture, view: View) -> None:
    """How many goods are left, what they cost and sell for, and the End Game tiles."""
    x, (y, height) = layout.MARGIN + 2 * (layout.COLUMN + layout.GAP), layout.CENTRE
    panel(picture, x, y, layout.COLUMN, height)
    for row, words in enumerate(("supply", "buy", "sell")):
        picture.text_at(x + 12, y + 50 + 16 * row, words, 12, MUTED)
    for good in range(board.GOODS):
        across = x + GOOD_LEFT + GOOD_STEP * good
        ids = [actions.BUY + good] if good < board.RESOURCES else []
        picture.open("supply", f"{board.GOOD_TITLES[good]} in the supply", ids)
        pieces.draw_good(picture, good, across, y + 20, 9.5)
        buy = str(view.tables.buy_price[good]) if good < board.RESOURCES else "-"
        rows = (str(view.s.supply[good]), buy, str(view.tables.sell_price[good]))
        for row, words in enumerate(rows):
            picture.text_at(across, y + 50 + 16 * row, words, 13, INK, anchor="middle", bold=True, room=GOOD_STEP - 4)
        picture.close()
    _end_tiles(picture, view, x, y)


def _end_tiles(picture: Picture, view: View, x: float, y: float) -> None:
    """The pile of End Game tiles; their kinds below, where the viewer may see them."""
    tiles, kinds = view.end_tiles_left(), view.end_kinds_left()
    at, room = x + PILE_LEFT, layout.COLUMN - PILE_LEFT - 8
    picture.open("end-tiles", f"{tiles} End Game tiles left", [actions.SEARCH])
    centre = at + room / 2
    picture.text_block(centre, y + 16, "END GAME TILES", 11, MUTED, room=room, max_lines=2, anchor="middle", bold=True)
    for offset in (6, 3, 0)[3 - min(tiles, 3) :]:
        picture.rect(at + 20 + offset, y + 38 - offset / 2, 56, 38, BACK, 4, stroke=WHITE)
    picture.text_at(at + 48, y + 63, str(tiles), 18, WHITE if tiles else MUTED, anchor="middle", bold=True)
    picture.close()
    if kinds is None:
        picture.text_at(at + 48, y + 92, "face down" if tiles else "none left", 11, MUTED, anchor="middle")
        return
    for i, (kind, count) in enumerate(kinds.items()):
        across = x + 8 + KIND_STEP * i
        picture.open("end-kind", f"{count} End Game tiles {board.END_NAMES[kind]}", [actions.END_TILE + kind])
        picture.rect(across, y + 93, KIND_STEP - 3, 24, WHITE, 5, stroke=MUTED)
        draw_end_kind(picture, kind, across + 12, y + 104)
        picture.text_at(across + 23, y + 109, f"×{count}", 10, INK, room=KIND_STEP - 27)
        picture.close()


def draw_end_kind(picture: Picture, kind: int, x: float, y: float) -> None:
    """The sign of a kind of End Game tile: the good that it is, Francs, or VP."""
    if kind < board.GOODS:
        pieces.draw_good(picture, kind, x, y - 1, 8)
    elif kind == board.END_FRANCS:
        coin(picture, x, y, 9, "F")
    else:
        picture.text_at(x, y + 4.5, "2VP" if kind == board.END_TWO_VP else "1VP", 9.5, INK, anchor="middle", bold=True)


# -- the row below -----------------------------------------------------------------------------------------------------


def _landmarks(picture: Picture, view: View) -> None:
    y, height = layout.SUPPLY_ROW
    landmarks = view.landmarks(state.NOWHERE)
    panel(picture, layout.MARGIN, y, layout.LANDMARK_STEP * 8 + 20, height)
    caption(picture, layout.MARGIN + 12, y + 17, "Landmarks in the supply" + ("" if landmarks else ": none"))
    for i, landmark in enumerate(landmarks):
        pieces.draw_landmark(
            picture, view, landmark, layout.MARGIN + 12 + layout.LANDMARK_STEP * i, y + 25, SUPPLY_DEEP
        )


def _vp_tiles(picture: Picture, view: View) -> None:
    y, height = layout.SUPPLY_ROW
    x, tiles = layout.MARGIN + layout.LANDMARK_STEP * 8 + 20 + layout.GAP, view.vp_tiles(state.NOWHERE)
    panel(picture, x, y, layout.WIDTH - layout.MARGIN - x, height)
    caption(picture, x + 12, y + 17, "VP tiles" + ("" if tiles else ": none left"))
    for i, tile in enumerate(tiles):
        across, top = x + 12 + (VP_WIDTH + 4) * i, y + 40
        middle = across + VP_WIDTH / 2
        first, second, third = view.placings(tile)
        picture.open("vp-tile", f"VP tile {tile + 1}", [actions.VP_TILE + tile])
        picture.rect(across, top, VP_WIDTH, VP_HEIGHT, GOLD, 5, stroke=GOLD_EDGE)
        picture.text_at(middle, top + 28, str(first), 24, INK, anchor="middle", bold=True, room=VP_WIDTH - 8)
        picture.text_at(middle, top + 47, f"{second} / {third}", 14, INK, anchor="middle", bold=True, room=VP_WIDTH - 8)
        picture.close()
