"""The middle of the board of Paris drawn: stacks, the Arc, goods and prices, End Game tiles, landmarks and VP tiles."""

from __future__ import annotations

from typing import Any

from rfop_env.drawing.palette import (
    BLACK,
    CARD,
    GOLD,
    GOLD_EDGE,
    INK,
    MUTED,
    PANEL,
    SEAT_TONES,
    STONE,
    STONE_EDGE,
    WHITE,
)
from rfop_env.drawing.picture import Box, Picture
from rfop_env.drawing.pieces import coin, panel
from rfop_env.games.paris import actions, board, state
from rfop_env.games.paris.draw import layout, pieces
from rfop_env.games.paris.draw.layout import Plan
from rfop_env.games.paris.draw.view import View

ARCH = "M0 0H128V14H122V94H84V56Q84 34 64 34Q44 34 44 56V94H6V14H0Z"
SUPPLY_DEEP, BACK = "#5b5348", "#4b4640"
STEP = 4  # between tiles
HEAD = 17  # height of a caption


# -- the middle row ----------------------------------------------------------------------------------------------------


def draw_stacks(picture: Picture, view: View, plan: Plan, box: Box) -> None:
    """The stacks of building tiles; a tile's back shows its district."""
    x, y, width, height = box
    panel(picture, *box)
    picture.text_at(x + 8, y + HEAD - 4, "BUILDING TILES", plan.smallest, MUTED, bold=True, room=width - 16)
    step = (width - 12 + STEP) / board.STACKS
    tile_height = height - HEAD - 6
    for k, (tiles, top) in enumerate(view.piles()):
        start, above = x + 6 + step * k, y + HEAD + 1
        middle, tile_width = start + (step - STEP) / 2, step - STEP - 3
        tip = f"stack {k + 1}: {tiles} tiles" + (f", {top} on top" if tiles else "")
        picture.open("stack", tip, [actions.DRAW + k])
        if tiles:
            deep = layout.DISTRICT_DEEP[board.DISTRICT_NAMES.index(top)]
            for offset in (3, 1.5, 0)[3 - min(tiles, 3) :]:
                picture.rect(start + offset, above - offset / 2 + 2, tile_width, tile_height, deep, 5, stroke=WHITE)
            look: dict[str, Any] = {"anchor": "middle", "room": tile_width - 7}
            line = above + tile_height / 2
            picture.text_at(middle - 1, line - 1, top, plan.text, WHITE, **look)
            picture.text_at(middle - 1, line + plan.text, f"{tiles} left", plan.text, WHITE, **look)
        else:
            picture.rect(start, above + 2, tile_width, tile_height, "none", 5, stroke=MUTED, stroke_dasharray="4 3")
            picture.text_at(middle, above + 6 + tile_height / 2, "empty", plan.text, MUTED, anchor="middle")
        picture.close()


def draw_arc(picture: Picture, view: View, plan: Plan, box: Box) -> None:
    """The Arc de Triomphe, with a place for each player's key."""
    x, y, width, height = box
    middle, scale = x + 0.45 * width, (height - 12) / 94
    picture.open("arc", "Arc de Triomphe", [actions.PUT + board.ARC - board.FIRST_BANK, actions.KEY + board.ARC])
    panel(picture, *box)
    place = f"translate({middle - 64 * scale:g} {y + 6:g}) scale({scale:g})"
    stone: dict[str, Any] = {"stroke": STONE_EDGE, "stroke_width": 1.5, "stroke_linejoin": "round", "transform": place}
    picture.path(ARCH, STONE, **stone)
    picture.path("M6 14H122M12 24H116", stroke=STONE_EDGE, stroke_width=1, transform=place)
    for i, words in enumerate(("Arc de", "Triomphe")):
        line = y + height / 2 + (1.2 * i - 0.2) * plan.text
        picture.text_at(middle - 64 * scale - 8, line, words, plan.text, MUTED, anchor="end", bold=True)
    keys, radius = view.keys(board.ARC), plan.key_height / 2 + 2
    start, step = middle + 64 * scale + 6 + radius, 2 * radius + 2
    for player in range(view.players):
        at = start + step * player
        picture.circle(at, y + height / 2, radius, "none", stroke=SEAT_TONES[player].deep, stroke_dasharray="3 3")
        if player in keys:
            pieces.draw_key(picture, plan, player, at - plan.key, y + (height - plan.key_height) / 2)
    pieces.mark_place(picture, view, board.ARC, Box(x + 3, y + 3, width - 6, height - 6))
    picture.close()


def draw_goods(picture: Picture, view: View, plan: Plan, box: Box) -> None:
    """How many goods are left, what they cost and sell for, and the End Game tiles.

    While the viewer may see which End Game tiles are left, they lie in the place of the prices.
    """
    panel(picture, *box)
    pile_width = 5.6 * plan.text
    kinds = view.end_kinds_left()
    if kinds is None:
        _prices(picture, view, plan, Box(box.x, box.y, box.width - pile_width, box.height))
    else:
        _end_kinds(picture, plan, kinds, Box(box.x, box.y, box.width - pile_width, box.height))
    _end_tiles(picture, view, plan, Box(box.x + box.width - pile_width, box.y, pile_width, box.height))


def _prices(picture: Picture, view: View, plan: Plan, box: Box) -> None:
    """A column for each good: the supply, and what it costs and sells for."""
    x, y, width, height = box
    labels = 3.8 * plan.text
    step, radius = (width - labels - 4) / board.GOODS, plan.good - 0.8
    first = y + 2 * radius + 4
    lines = [first + plan.price * (row + 0.75) for row in range(3)]
    for line, words in zip(lines, ("supply", "buy", "sell"), strict=True):
        picture.text_at(x + 8, line, words, plan.text, MUTED, room=labels - 10)
    for good in range(board.GOODS):
        middle = x + labels + step * (good + 0.5)
        ids = [actions.BUY + good] if good < board.RESOURCES else []
        picture.open("supply", f"{board.GOOD_TITLES[good]} in the supply", ids)
        picture.rect(middle - step / 2 + 1, y + 2, step - 2, height - 4, PANEL, 4)
        pieces.draw_good(picture, good, middle, y + radius + 3, radius)
        buy = str(view.tables.buy_price[good]) if good < board.RESOURCES else "-"
        rows = (str(view.s.supply[good]), buy, str(view.tables.sell_price[good]))
        for line, words in zip(lines, rows, strict=True):
            picture.text_at(middle, line, words, plan.text, INK, anchor="middle", bold=True, room=step - 2)
        picture.close()


def _end_tiles(picture: Picture, view: View, plan: Plan, box: Box) -> None:
    """The pile of End Game tiles."""
    tiles, (x, y, width, height), size = view.end_tiles_left(), box, plan.smallest
    middle = x + width / 2 - 3
    picture.open("end-tiles", f"{tiles} End Game tiles left", [actions.SEARCH])
    picture.text_at(middle, y + size + 2, "END GAME", size, MUTED, anchor="middle", bold=True, room=width)
    pile = height - 2 * size - 16
    for offset in (4, 2, 0)[3 - min(tiles, 3) :]:
        picture.rect(middle - 0.3 * width + offset, y + size + 8 - offset / 2, 0.6 * width, pile, BACK, 4, stroke=WHITE)
    line, ink = y + size + 8 + pile / 2 + 0.36 * plan.value, WHITE if tiles else MUTED
    picture.text_at(middle, line, str(tiles), plan.value, ink, anchor="middle", bold=True)
    picture.text_at(middle, y + height - 5, "face down" if tiles else "none left", size, MUTED, anchor="middle")
    picture.close()


def _end_kinds(picture: Picture, plan: Plan, kinds: dict[int, int], box: Box) -> None:
    """The End Game tiles by kind, in two rows."""
    columns = (board.END_KINDS + 1) // 2
    width, height = (box.width - 8) / columns, (box.height - 8) / 2
    for i, (kind, count) in enumerate(kinds.items()):
        x, y = box.x + 5 + width * (i % columns), box.y + 4 + height * (i // columns)
        picture.open("end-kind", f"{count} End Game tiles {board.END_NAMES[kind]}", [actions.END_TILE + kind])
        picture.rect(x, y + 1, width - 3, height - 2, CARD, 5, stroke=MUTED)
        _draw_end_kind(picture, plan, kind, x + 0.33 * width, y + height / 2)
        line, room = y + height / 2 + 0.36 * plan.text, 0.4 * width
        picture.text_at(x + 0.58 * width, line, f"×{count}", plan.text - 1, INK, room=room)
        picture.close()


def _draw_end_kind(picture: Picture, plan: Plan, kind: int, x: float, y: float) -> None:
    """The sign of a kind of End Game tile: the good that it is, Francs, or VP."""
    if kind < board.GOODS:
        pieces.draw_good(picture, kind, x, y - 1, plan.good)
    elif kind == board.END_FRANCS:
        coin(picture, x, y, plan.good + 1, "F")
    else:
        words = "2VP" if kind == board.END_TWO_VP else "1VP"
        picture.text_at(x, y + 0.36 * plan.smallest, words, plan.smallest, INK, anchor="middle", bold=True)


# -- what is placed in districts ---------------------------------------------------------------------------------------


def landmarks_height(plan: Plan) -> float:
    """The height of the landmarks in the supply."""
    rows = board.LANDMARKS // plan.landmarks
    return plan.caption + rows * (layout.tile_height(plan, keys=False) + STEP) + 2


def draw_landmarks(picture: Picture, view: View, plan: Plan, box: Box) -> None:
    """The landmarks in the supply."""
    landmarks = view.landmarks(state.NOWHERE)
    panel(picture, *box)
    _caption(picture, plan, box, "landmarks in the supply", len(landmarks))
    step, height = (box.width - 10 + STEP) / plan.landmarks, layout.tile_height(plan, keys=False)
    for i, landmark in enumerate(landmarks):
        row, column = divmod(i, plan.landmarks)
        place = Box(box.x + 5 + step * column, box.y + plan.caption + (height + STEP) * row, step - STEP, height)
        pieces.draw_landmark(picture, view, plan, landmark, place, SUPPLY_DEEP)


def draw_vp_tiles(picture: Picture, view: View, plan: Plan, box: Box) -> None:
    """The VP tiles in the supply."""
    tiles = view.vp_tiles(state.NOWHERE)
    panel(picture, *box)
    _caption(picture, plan, box, "VP tiles", len(tiles))
    width, height = (box.width - 12 + STEP) / board.VP_TILES - STEP, box.height - plan.caption - 5
    for i, tile in enumerate(tiles):
        x, y = box.x + 6 + (width + STEP) * i, box.y + plan.caption + 1
        middle, room = x + width / 2, width - 4
        first, second, third = view.placings(tile)
        picture.open("vp-tile", f"VP tile {tile + 1}", [actions.VP_TILE + tile])
        picture.rect(x, y, width, height, GOLD, 5, stroke=GOLD_EDGE)
        line = y + height / 2
        picture.text_at(middle, line, str(first), plan.value, BLACK, anchor="middle", bold=True, room=room)
        words = f"{second} / {third}"
        picture.text_at(middle, line + 0.9 * plan.value, words, plan.text, BLACK, anchor="middle", bold=True, room=room)
        picture.close()


def _caption(picture: Picture, plan: Plan, box: Box, name: str, count: int) -> None:
    """What lies in a panel, where there is room above it, or nothing lies there."""
    if count and plan.caption < HEAD:
        return
    words = name.upper() + ("" if count else ": NONE LEFT")
    picture.text_at(box.x + 8, box.y + HEAD - 4, words, plan.smallest, MUTED, bold=True)
