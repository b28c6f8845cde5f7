"""The upper part of the board of Red Flag Over Paris drawn: crisis tracks, rounds, VP, momentum, pools and the deck."""

from __future__ import annotations

from typing import Any

from rfop_env.drawing import palette, pieces
from rfop_env.drawing.palette import Tone
from rfop_env.drawing.picture import Picture
from rfop_env.games.red_flag_over_paris import board, state
from rfop_env.games.red_flag_over_paris.draw import signs
from rfop_env.games.red_flag_over_paris.draw.cards import draw_listed
from rfop_env.games.red_flag_over_paris.draw.view import View

ZONE_SHADES = (("#faece9", "#f6dcd8", "#efc3be", "#e9b2ad"), ("#ebf1fa", "#d9e4f4", "#bfd2ec", "#a9c3e8"))
VP_TONES = (
    Tone("#f28c1e", "#ffb866", "#a85606", "#fae5cd", palette.INK),  # political: orange
    Tone("#7a44b0", "#ab80d6", "#4c2475", "#e8dff1", palette.WHITE),  # military: purple
)

# Crisis tracks: from the middle outward.
BONUS_TOP, BONUS_HEIGHT = 54, 27
ZONE_TOP, ZONE_HEIGHT = 84, 54
ZONE_WIDTH, ZONE_STEP = 138, 144
ZONE_LEFT = (606, 456)  # the Starting zone of each side
ZONE_DIRECTION = (1, -1)

# Rounds, VP and initiative: base line of the captions, top and height of the boxes.
CAPTION, BOX_TOP, BOX_HEIGHT = 159, 166, 42
ROUND_BOXES = ((24, 44), (73, 44), (122, 44), (171, 85))  # left, width: rounds 1 to 3 and the Final Crisis
VP_LEFT, VP_STEP = 280, 59
INITIATIVE_LEFT, INITIATIVE_WIDTH = 952, 224

# Momentum: top and height of the panels, left and width of each.
PANEL_TOP, PANEL_HEIGHT = 218, 92
VERSAILLES_POOL, COLLABORATION, TABLE, REVOLUTION, OUT_OF_PLAY = (
    (24, 160),
    (194, 262),
    (466, 268),
    (744, 262),
    (1016, 160),
)
MOMENTUM_STEP, MOMENTUM_CELL = 61, 57
FIRST_GIFT = 2  # from this step on the enemy may place a cube


def draw_tracks(picture: Picture, view: View) -> None:
    """All tracks, from the top."""
    for side in range(board.SIDES):
        _crisis_track(picture, view, side)
    _rounds(picture, view)
    _vp_track(picture, view)
    _initiative(picture, view)
    for x, width in (VERSAILLES_POOL, COLLABORATION, TABLE, REVOLUTION, OUT_OF_PLAY):
        pieces.panel(picture, x, PANEL_TOP, width, PANEL_HEIGHT)
    pool = [board.VERSAILLES] * int(view.s.pool[board.VERSAILLES])
    out_of_play = [side for side in range(board.SIDES) for _ in range(int(view.s.out_of_play[side]))]
    _heap(picture, pool, VERSAILLES_POOL[0], "Versailles pool", signs.TONES[board.VERSAILLES].deep)
    _heap(picture, out_of_play, OUT_OF_PLAY[0], "Out of play", palette.MUTED)
    _momentum(picture, view, board.VERSAILLES, COLLABORATION[0], "Prussian Collaboration")
    _momentum(picture, view, board.COMMUNE, REVOLUTION[0], "Revolutionary Momentum")
    _table(picture, view)


# -- crisis tracks -----------------------------------------------------------------------------------------------------


def _crisis_track(picture: Picture, view: View, side: int) -> None:
    for zone in range(board.ZONES):
        _zone(picture, view, side, zone, ZONE_LEFT[side] + ZONE_DIRECTION[side] * ZONE_STEP * zone)
    middle, words = ZONE_LEFT[side] + ZONE_WIDTH / 2, board.SIDE_NAMES[side].upper()
    fill = signs.TONES[side].deep
    picture.text_at(middle, BONUS_TOP + 20, words, 15, fill, anchor="middle", bold=True, room=ZONE_WIDTH)


def _zone(picture: Picture, view: View, side: int, zone: int, x: float) -> None:
    """A zone with its cubes, and above it the bonus cubes for its breach."""
    cubes, start = int(view.s.track[side, zone]), int(view.tables.track[side, zone])
    middle, tone, name = x + ZONE_WIDTH / 2, signs.TONES[side], board.ZONE_NAMES[zone]
    picture.open(f"zone {signs.SIDE_CLASSES[side]}", f"{board.SIDE_NAMES[side]}, {name}: {cubes} of {start} cubes")
    if zone != board.STARTING:
        strip: dict[str, Any] = {"stroke": tone.deep, "stroke_dasharray": "3 3", "opacity": 0.6}
        picture.rect(x + 22, BONUS_TOP, ZONE_WIDTH - 44, BONUS_HEIGHT + 8, "none", 6, **strip)
        bonus, start_bonus = int(view.s.bonus[side, zone]), int(view.tables.bonus[side, zone])
        signs.draw_cubes_and_gaps(picture, side, bonus, start_bonus, middle, BONUS_TOP + 5)
    border: dict[str, Any] = {"stroke": tone.deep, "stroke_width": 2.5 if zone == board.FINAL_CRISIS else 1}
    picture.rect(x, ZONE_TOP, ZONE_WIDTH, ZONE_HEIGHT, ZONE_SHADES[side][zone], **border)
    signs.draw_cubes_and_gaps(picture, side, cubes, start, middle, ZONE_TOP + 8)
    picture.text_at(middle, ZONE_TOP + 45, name, 13, tone.dark, anchor="middle", bold=True, room=ZONE_WIDTH - 8)
    picture.close()


# -- rounds, VP, initiative --------------------------------------------------------------------------------------------


def _rounds(picture: Picture, view: View) -> None:
    pieces.caption(picture, ROUND_BOXES[0][0], CAPTION, "Round")
    for i, (x, width) in enumerate(ROUND_BOXES, start=1):
        here, final = view.round == i, i > state.ROUNDS
        picture.rect(x, BOX_TOP, width, BOX_HEIGHT, palette.GREY.pale if final else palette.PANEL, stroke=palette.LINE)
        if final:
            middle = x + (width / 2 - 10 if here else width / 2)
            picture.text_block(
                middle,
                BOX_TOP + 21,
                "Final Crisis",
                13,
                palette.MUTED,
                room=56,
                max_lines=2,
                anchor="middle",
                bold=True,
                centred=True,
            )
        else:
            middle = x + (12 if here else width / 2)
            picture.text_at(middle, BOX_TOP + 28, str(i), 18, palette.MUTED, anchor="middle", bold=True)
        if here:
            _pawn(picture, x + width - 14, BOX_TOP + 21)


def _pawn(picture: Picture, x: float, y: float) -> None:
    picture.open("pawn", "round marker")
    picture.path(f"M{x - 9:g} {y + 15:g}L{x - 3:g} {y - 4:g}H{x + 3:g}L{x + 9:g} {y + 15:g}Z", palette.INK)
    picture.circle(x, y - 8, 6.5, palette.INK)
    picture.close()


def _vp_track(picture: Picture, view: View) -> None:
    right = VP_LEFT + VP_STEP * (2 * board.VP_LIMIT + 1) - 4
    title = "Victory points: P political, M military"
    pieces.caption(picture, VP_LEFT, CAPTION, board.SIDE_NAMES[board.VERSAILLES], signs.TONES[board.VERSAILLES].deep)
    pieces.caption(picture, (VP_LEFT + right) / 2, CAPTION, title, anchor="middle")
    pieces.caption(
        picture, right, CAPTION, board.SIDE_NAMES[board.COMMUNE], signs.TONES[board.COMMUNE].deep, anchor="end"
    )
    for points in range(-board.VP_LIMIT, board.VP_LIMIT + 1):
        x = VP_LEFT + VP_STEP * (points + board.VP_LIMIT)
        leader = board.COMMUNE if points > 0 else board.VERSAILLES
        tone = signs.TONES[leader if points != 0 else board.NEUTRAL]
        picture.rect(x, BOX_TOP, VP_STEP - 4, BOX_HEIGHT, tone.pale, stroke=palette.LINE)
        picture.text_at(x + 4, BOX_TOP + 13, str(abs(points)), 12, tone.dark, bold=True)
    for sphere, name in enumerate(board.SPHERE_NAMES):
        vp = int(view.s.vp[sphere])
        picture.open(f"vp {name}", f"{name.capitalize()} VP of the Commune: {vp}")
        x = VP_LEFT + VP_STEP * (vp + board.VP_LIMIT) + 25 + 19 * sphere
        pieces.cylinder(picture, VP_TONES[sphere], x, BOX_TOP + 22, name[0].upper())
        picture.close()


def _initiative(picture: Picture, view: View) -> None:
    side = int(view.s.initiative)
    x, width, words = INITIATIVE_LEFT, INITIATIVE_WIDTH, board.SIDE_NAMES[side]
    pieces.caption(picture, x, CAPTION, "Initiative")
    picture.open("initiative", f"{words} holds the initiative")
    picture.rect(x, BOX_TOP, width, BOX_HEIGHT, signs.TONES[side].deep)
    picture.text_at(x + width / 2, BOX_TOP + 27, words, 17, palette.WHITE, anchor="middle", bold=True, room=width - 20)
    picture.close()


# -- momentum ----------------------------------------------------------------------------------------------------------


def _heap(picture: Picture, cubes: list[int], x0: float, name: str, fill: str) -> None:
    """Cubes without places of their own, given by their sides."""
    pieces.caption(picture, x0 + 10, PANEL_TOP + 17, f"{name}: {len(cubes)}", fill, room=142)
    for i, side in enumerate(cubes):
        pieces.cube(picture, signs.SIDE_CLASSES[side], x0 + 10 + 24 * (i % 6), PANEL_TOP + 25 + 21 * (i // 6))


def _momentum(picture: Picture, view: View, side: int, x0: float, name: str) -> None:
    """The steps of a momentum track, its marker, and the cubes below the steps."""
    level, tone, top = int(view.s.momentum[side]), signs.TONES[side], PANEL_TOP + 24
    picture.open(f"momentum {signs.SIDE_CLASSES[side]}", f"{name}: {level}")
    pieces.caption(picture, x0 + 10, PANEL_TOP + 17, name, tone.deep, room=242)
    for i in range(board.MOMENTUM_LIMIT + 1):
        x = x0 + 10 + MOMENTUM_STEP * i
        picture.rect(x, top, MOMENTUM_CELL, 36, tone.pale, 5, stroke=palette.LINE)
        picture.text_at(x + 6, top + 23, str(i), 15, tone.dark, bold=True)
        if i >= FIRST_GIFT:
            signs.draw_dimension_sign(picture, int(view.tables.gift_dimension[side]), x + MOMENTUM_CELL - 9, top + 9, 5)
        if i == level:
            pieces.cylinder(picture, tone, x + 29, top + 18)
        if i == level and view.momentum_changed(side):
            pieces.mark_last(picture, x, top, MOMENTUM_CELL, 36, out=1)
        _below_step(picture, view, side, i, x + MOMENTUM_CELL / 2)
    picture.close()


def _below_step(picture: Picture, view: View, side: int, level: int, middle: float) -> None:
    """The collaboration cubes, or the places of the Commune's pool, below one step."""
    s, y = view.s, PANEL_TOP + 67
    if side == board.VERSAILLES:
        cubes, start = int(s.collaboration[level]), int(view.tables.collaboration[level])
        signs.draw_cubes_and_gaps(picture, side, cubes, start, middle, y)
        return
    places = view.tables.pool_places
    first = int(places[level - 1]) if level > 0 else 0
    count = int(places[level]) - first
    x = middle - (signs.CUBE_STEP * count - (signs.CUBE_STEP - pieces.CUBE)) / 2
    for i in range(count):
        occupied = first + i < s.pool[board.COMMUNE]
        _pool_place(picture, occupied, level <= s.momentum[board.COMMUNE], x + signs.CUBE_STEP * i, y)


def _pool_place(picture: Picture, occupied: bool, is_open: bool, x: float, y: float) -> None:
    if is_open:
        picture.rect(
            x + 0.5, y + 0.5, pieces.CUBE - 1, pieces.CUBE - 1, palette.WHITE, 3, stroke=signs.TONES[board.COMMUNE].deep
        )
    else:
        signs.draw_gap(picture, board.NEUTRAL, x, y)
    if occupied:
        pieces.cube(picture, signs.SIDE_CLASSES[board.COMMUNE], x, y)


# -- the table ---------------------------------------------------------------------------------------------------------


def _table(picture: Picture, view: View) -> None:
    """Deck and discard pile, and what is being played."""
    deck_x, top = TABLE[0] + 10, PANEL_TOP
    pieces.caption(picture, deck_x, top + 17, "Deck")
    picture.open("deck", f"{view.s.deck_size} cards in the deck")
    for offset in (4, 2, 0):
        pieces.card_back(picture, palette.GREY, deck_x + offset, top + 24 - offset / 2, 40, 54)
    picture.text_at(deck_x + 20, top + 57, str(int(view.s.deck_size)), 17, palette.WHITE, anchor="middle", bold=True)
    picture.close()

    x, room = deck_x + 62, TABLE[1] - 82
    pieces.caption(picture, x, top + 17, "Discard")
    if view.s.top_discard != state.NO_CARD:
        draw_listed(picture, view, int(view.s.top_discard), x, top + 35, 22, room)
    else:
        picture.text_at(x, top + 38, "none", 13, palette.MUTED)
    for number in view.in_play()[-1:]:
        pieces.caption(picture, x, top + 62, "In play")
        draw_listed(picture, view, number, x, top + 79, 22, room)
