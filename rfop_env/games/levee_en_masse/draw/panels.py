"""The panels of the picture of Levée en Masse: the headline, the government, the French Army, boxes and piles."""

from __future__ import annotations

from rfop_env.drawing.measure import block
from rfop_env.drawing.palette import BLACK, BLUE, CARD, GREY, INK, LINE, MUTED, RED, WHITE
from rfop_env.drawing.picture import Box, Picture
from rfop_env.drawing.pieces import band, caption, mark_last, panel
from rfop_env.games.levee_en_masse import actions, board, politics
from rfop_env.games.levee_en_masse.draw.layout import POLITICS_COLOURS, POLITICS_INKS, WHITE_CARD, Plan
from rfop_env.games.levee_en_masse.draw.pieces import draw_disorder, draw_liberation, draw_napoleon
from rfop_env.games.levee_en_masse.draw.view import View

EDGE = 12  # between a panel and its content
NAME = 80  # width of the name of a row of boxes
CARD_FILLS = {board.NO_COLOUR: GREY.deep, board.BLUE: BLUE.deep, board.WHITE: WHITE_CARD, board.RED: RED.deep}
CARD_WORDS = {board.NO_COLOUR: WHITE, board.BLUE: WHITE, board.WHITE: BLACK, board.RED: WHITE}


def draw_panels(picture: Picture, view: View, plan: Plan) -> None:
    """All panels."""
    _headline(picture, view, plan, plan.card)
    _government(picture, view, plan, plan.government)
    _french_army(picture, view, plan, plan.army)
    _holding_box(picture, view, plan.holding)
    _draw_pile(picture, view, plan.pile)


def _panel(picture: Picture, box: Box, title: str) -> float:
    """A panel with its title; returns the base line of the title."""
    panel(picture, *box)
    caption(picture, box.x + EDGE, box.y + 17, title, room=box.width - 2 * EDGE)
    return box.y + 17


# -- the headline ------------------------------------------------------------------------------------------------------


def _headline(picture: Picture, view: View, plan: Plan, box: Box) -> None:
    """The current headline: its colour, number and title, what it does, the Actions it gives."""
    (x, y, width, height), number, components = box, view.card, view.components
    row = components.card(number).values
    colour = view.colour(number)
    words = CARD_WORDS[colour]
    picture.open("headline", components.card_title(number))
    panel(picture, *box)

    # The head: number and title, then date and colour.
    title, size = block(row["title"], 15, width - 66, 3, bold=True, smallest=plan.smallest)
    head = 35 + 18 * len(title)
    band(picture, x, y, width, head, CARD_FILLS[colour])
    picture.line(((x, y + head), (x + width, y + head)), LINE, 1)
    picture.text_at(x + EDGE, y + 23, f"#{number}", 15, words, bold=True, room=42)
    for i, line in enumerate(title):
        picture.text_at(x + 56, y + 23 + 18 * i, line, size, words, bold=True)
    below = ", ".join(filter(None, [row["date"], board.COLOUR_NAMES[colour]]))
    picture.text_at(x + 56, y + head - 9, below, plan.text, words, room=width - 66)

    _event(picture, view, plan, Box(x, y + head, width, height - head - 34))
    _actions(picture, view, row["actions"], box)
    picture.close()


def _event(picture: Picture, view: View, plan: Plan, box: Box) -> None:
    """What the headline does, a line or more for each sentence; closer together where there is much to say."""
    sentences, size, room = view.components.event_sentences(view.card), plan.text + 1, box.width - 40
    blocks = [block(sentence, size, room, 6, smallest=plan.smallest)[0] for sentence in sentences]
    while size > plan.smallest and 1.35 * size * sum(map(len, blocks)) + 3 * len(blocks) + 8 > box.height:
        size = max(size - 0.5, plan.smallest)
        blocks = [block(sentence, size, room, 6, smallest=plan.smallest)[0] for sentence in sentences]
    y = box.y + size + 8
    for lines in blocks:
        picture.circle(box.x + EDGE + 3, y - 0.35 * size, 2.5, INK)
        for line in lines:
            picture.text_at(box.x + EDGE + 12, y, line, size)
            y += 1.35 * size
        y += 3


def _actions(picture: Picture, view: View, printed: int, box: Box) -> None:
    """A disc for each Action of the card or left; the spent ones are hollow."""
    unspent, y = 0 if view.over else int(view.s.actions_left), box.y + box.height - 17
    caption(picture, box.x + EDGE, y + 4.5, "Actions")
    count = max(printed, unspent)
    step = min(24.0, (box.width - 110) / max(count, 1))
    for i in range(count):
        picture.open("action left" if i < unspent else "action")
        look = {"stroke": INK, "stroke_width": 1.5}
        picture.circle(box.x + 90 + step * i, y, 8.5, INK if i < unspent else "none", **look)
        picture.close()


# -- tracks ------------------------------------------------------------------------------------------------------------


def _government(picture: Picture, view: View, plan: Plan, box: Box) -> None:
    y = _panel(picture, box, "Government")
    reigning = f"reigning: {view.reigning() or 'nobody'}"
    end = box.x + box.width - EDGE
    picture.text_at(end, y, reigning, plan.text, INK, anchor="end", bold=True, room=box.width - 126)
    changed, step = view.changes.politics, (box.height - 24) / board.POLITICS
    for marker, name in enumerate(board.POLITICS_NAMES):
        at, row = int(view.s.politics[marker]), Box(box.x, y + 6 + step * marker, box.width, step - 6)
        picture.open(f"politics {name.lower()}", f"{name}: {at}", [actions.POLITICAL + marker])
        fill, ink = POLITICS_COLOURS[marker], POLITICS_INKS[marker]
        cell = _track(picture, plan, row, name, range(board.LOWEST, board.HIGHEST + 1), at, fill, ink)
        if marker in changed:
            mark_last(picture, *cell, out=2)
        picture.close()


def _track(picture: Picture, plan: Plan, row: Box, name: str, boxes: range, at: int, colour: str, ink: str) -> Box:
    """A row of boxes with a marker in one of them, whose place is returned."""
    line = row.y + row.height / 2 + 0.36 * plan.text
    picture.text_at(row.x + EDGE, line, name, plan.text, ink, bold=True, room=NAME - 4)
    step = min((row.width - 2 * EDGE - NAME + 3) / len(boxes), 48)
    marked = row
    for i, box in enumerate(boxes):
        cell, current = Box(row.x + EDGE + NAME + step * i, row.y, step - 3, row.height), box == at
        picture.rect(*cell, colour if current else CARD, 5, stroke=colour, stroke_width=1.5)
        words = f"{box:+d}" if box and boxes[0] < board.LOWEST else str(box)
        fill, middle = WHITE if current else MUTED, cell.x + cell.width / 2
        picture.text_at(middle, line + 0.5, words, plan.text + 1, fill, anchor="middle", bold=current, room=step - 5)
        marked = cell if current else marked
    return marked


def _french_army(picture: Picture, view: View, plan: Plan, box: Box) -> None:
    y = _panel(picture, box, "French Army: Military DRM")
    value = int(view.s.french_army)
    picture.open("french-army", f"French Army {value:+d}")
    values = range(-politics.ARMY_LIMIT, politics.ARMY_LIMIT + 1)
    row = Box(box.x, y + 8, box.width, box.y + box.height - y - 16)
    _track(picture, plan, row, "DRM", values, value, BLUE.deep, BLUE.ink)
    picture.close()


# -- boxes and piles ---------------------------------------------------------------------------------------------------


def _holding_box(picture: Picture, view: View, box: Box) -> None:
    x, y = box.x + EDGE, _panel(picture, box, "Holding Box")
    middle = (y + box.y + box.height) / 2
    picture.open("holding-box", ", ".join(view.holding_box()) or "empty")
    for _ in range(int(view.s.markers_held)):
        draw_liberation(picture, x + 14, middle, (actions.LEVEE,))
        x += 32
    if view.s.disorder == 0:
        draw_disorder(picture, view, x + 16, middle, (actions.COMMIT_ACTION, actions.COMMIT_BONUS))
        x += 38
    napoleon = [words for words in view.holding_box() if words.startswith("Napoleon")]
    if napoleon:
        draw_napoleon(picture, x + 12, middle)
        words = napoleon[0].removeprefix("Napoleon").strip()
        picture.text_at(x + 26, middle + 4, words, 12, room=box.x + box.width - x - 30)
    picture.close()


def _draw_pile(picture: Picture, view: View, box: Box) -> None:
    y, step = _panel(picture, box, "Still to come"), (box.width - 2 * EDGE) / 3
    height = box.y + box.height - y - 15
    for i, (colour, count) in enumerate(view.undrawn_cards().items()):
        x = box.x + EDGE + step * i
        picture.open(f"pile {board.COLOUR_NAMES[colour]}", f"{count} {board.COLOUR_NAMES[colour]} cards")
        picture.rect(x + 3, y + 6, 34, height, CARD_FILLS[colour], 4, stroke=BLACK)
        picture.rect(x, y + 9, 34, height, CARD_FILLS[colour], 4, stroke=BLACK)
        line, words = y + 9 + height / 2, CARD_WORDS[colour]
        picture.text_at(x + 17, line + 5.5, str(count), 15, words, anchor="middle", bold=True, room=30)
        picture.text_at(x + 44, line + 5, board.COLOUR_NAMES[colour], 13, room=step - 46)
        picture.close()
