"""The right column of the picture of Levée en Masse: the headline, the government, the French Army, boxes and piles."""

from __future__ import annotations

from rfop_env.drawing.measure import block
from rfop_env.drawing.palette import BLUE, GREY, INK, LINE, MUTED, RED, WHITE
from rfop_env.drawing.picture import Picture
from rfop_env.drawing.pieces import band, caption, mark_last, panel
from rfop_env.games.levee_en_masse import actions, board, politics
from rfop_env.games.levee_en_masse.draw.pieces import draw_disorder, draw_liberation, draw_napoleon
from rfop_env.games.levee_en_masse.draw.view import View

LEFT, WIDTH = 866, 314
CARD, GOVERNMENT, ARMY, HOLDING, PILE = (56, 328), (394, 154), (558, 78), (646, 78), (734, 86)  # tops and heights
INSIDE = LEFT + 12  # where a panel's content begins
TRACK_LEFT, CELL = INSIDE + 90, 33

CARD_FILLS = {board.NO_COLOUR: GREY.deep, board.BLUE: BLUE.deep, board.WHITE: "#f7f7f4", board.RED: RED.deep}
CARD_WORDS = {board.NO_COLOUR: WHITE, board.BLUE: WHITE, board.WHITE: INK, board.RED: WHITE}
POLITICS_COLOURS = ("#6b3f8f", "#7a5d00", BLUE.deep)


def draw_panels(picture: Picture, view: View) -> None:
    """All panels of the column, from the top."""
    for part in (_headline, _government, _french_army, _holding_box, _draw_pile):
        part(picture, view)


def _panel(picture: Picture, place: tuple[float, float], title: str) -> float:
    """A panel of the column with its title; returns the base line of the title."""
    top, height = place
    panel(picture, LEFT, top, WIDTH, height)
    caption(picture, INSIDE, top + 18, title, room=WIDTH - 24)
    return top + 18


# -- the headline ------------------------------------------------------------------------------------------------------


def _headline(picture: Picture, view: View) -> None:
    """The current headline: its colour, number and title, what it does, the Actions it gives."""
    top, height = CARD
    number, components = view.card, view.components
    row = components.card(number).values
    colour = view.colour(number)
    words = CARD_WORDS[colour]
    picture.open("headline", components.card_title(number))
    panel(picture, LEFT, top, WIDTH, height)

    # The head: number and title, then date and colour.
    title, size = block(row["title"], 16, WIDTH - 76, 3, bold=True)
    head = 42 + 20 * len(title)
    band(picture, LEFT, top, WIDTH, head, CARD_FILLS[colour])
    picture.line(((LEFT, top + head), (LEFT + WIDTH, top + head)), LINE, 1)
    picture.text_at(LEFT + 14, top + 29, f"#{number}", 16, words, bold=True, room=44)
    for i, line in enumerate(title):
        picture.text_at(LEFT + 62, top + 29 + 20 * i, line, size, words, bold=True)
    below = ", ".join(filter(None, [row["date"], board.COLOUR_NAMES[colour]]))
    picture.text_at(LEFT + 62, top + head - 12, below, 13, words, room=WIDTH - 76)

    _event(picture, view, top + head + 24, top + height - 44)
    _actions(picture, view, row["actions"], top + height - 22)
    picture.close()


def _event(picture: Picture, view: View, y: float, bottom: float) -> None:
    """What the headline does, a line or more for each sentence; closer together where there is much to say."""
    sentences = view.components.event_sentences(view.card)
    for size in (13.0, 12.0, 11.0, 10.0, 9.0):
        blocks = [block(sentence, size, WIDTH - 46, 6)[0] for sentence in sentences]
        height = 1.4 * size * sum(map(len, blocks)) + 3 * len(blocks)
        if y + height - size <= bottom:
            break
    for lines in blocks:
        picture.circle(LEFT + 16, y - 0.35 * size, 2.5, INK)
        for line in lines:
            picture.text_at(LEFT + 26, y, line, size)
            y += 1.4 * size
        y += 3


def _actions(picture: Picture, view: View, printed: int, y: float) -> None:
    """A disc for each Action of the card or left; the spent ones are hollow."""
    unspent = 0 if view.over else int(view.s.actions_left)
    caption(picture, LEFT + 14, y + 4.5, "Actions")
    count = max(printed, unspent)
    step = min(26.0, (WIDTH - 120) / max(count, 1))
    for i in range(count):
        picture.open("action left" if i < unspent else "action")
        picture.circle(LEFT + 98 + step * i, y, 9.5, INK if i < unspent else "none", stroke=INK, stroke_width=1.5)
        picture.close()


# -- tracks ------------------------------------------------------------------------------------------------------------


def _government(picture: Picture, view: View) -> None:
    y = _panel(picture, GOVERNMENT, "Government")
    reigning = f"reigning: {view.reigning() or 'nobody'}"
    picture.text_at(LEFT + WIDTH - 12, y, reigning, 12, INK, anchor="end", bold=True, room=WIDTH - 130)
    changed = view.changes.politics
    for marker, name in enumerate(board.POLITICS_NAMES):
        at, top = int(view.s.politics[marker]), y + 12 + 40 * marker
        picture.open(f"politics {name.lower()}", f"{name}: {at}", [actions.POLITICAL + marker])
        _track(picture, name, range(board.LOWEST, board.HIGHEST + 1), at, POLITICS_COLOURS[marker], top)
        if marker in changed:
            mark_last(picture, TRACK_LEFT + CELL * (at - board.LOWEST), top + 2, CELL - 3, 32, out=2)
        picture.close()


def _track(picture: Picture, name: str, boxes: range, at: int, colour: str, y: float) -> None:
    """A row of boxes with a marker in one of them."""
    picture.text_at(INSIDE, y + 23, name, 13, colour, bold=True, room=84)
    for i, box in enumerate(boxes):
        x0, current = TRACK_LEFT + CELL * i, box == at
        picture.rect(x0, y + 2, CELL - 3, 32, colour if current else WHITE, 5, stroke=colour, stroke_width=1.5)
        words = f"{box:+d}" if box and boxes[0] < board.LOWEST else str(box)
        fill = WHITE if current else MUTED
        middle = x0 + (CELL - 3) / 2
        picture.text_at(middle, y + 23, words, 14, fill, anchor="middle", bold=current, room=CELL - 5)


def _french_army(picture: Picture, view: View) -> None:
    y = _panel(picture, ARMY, "French Army: Military DRM")
    value = int(view.s.french_army)
    picture.open("french-army", f"French Army {value:+d}")
    _track(picture, "DRM", range(-politics.ARMY_LIMIT, politics.ARMY_LIMIT + 1), value, BLUE.deep, y + 12)
    picture.close()


# -- boxes and piles ---------------------------------------------------------------------------------------------------


def _holding_box(picture: Picture, view: View) -> None:
    x, y = INSIDE, _panel(picture, HOLDING, "Holding Box")
    picture.open("holding-box", ", ".join(view.holding_box()) or "empty")
    for _ in range(int(view.s.markers_held)):
        draw_liberation(picture, x + 16, y + 32, (actions.LEVEE,))
        x += 34
    if view.s.disorder == 0:
        draw_disorder(picture, view, x + 18, y + 32, (actions.COMMIT_ACTION, actions.COMMIT_BONUS))
        x += 42
    napoleon = [words for words in view.holding_box() if words.startswith("Napoleon")]
    if napoleon:
        draw_napoleon(picture, x + 14, y + 32)
        words = napoleon[0].removeprefix("Napoleon").strip()
        picture.text_at(x + 30, y + 36, words, 12, room=LEFT + WIDTH - x - 40)
    picture.close()


def _draw_pile(picture: Picture, view: View) -> None:
    y = _panel(picture, PILE, "Still to come")
    for i, (colour, count) in enumerate(view.undrawn_cards().items()):
        x0 = INSIDE + 100 * i
        picture.open(f"pile {board.COLOUR_NAMES[colour]}", f"{count} {board.COLOUR_NAMES[colour]} cards")
        picture.rect(x0 + 3, y + 9, 34, 46, CARD_FILLS[colour], 4, stroke=INK)
        picture.rect(x0, y + 12, 34, 46, CARD_FILLS[colour], 4, stroke=INK)
        picture.text_at(x0 + 17, y + 41, str(count), 16, CARD_WORDS[colour], anchor="middle", bold=True, room=30)
        picture.text_at(x0 + 44, y + 41, board.COLOUR_NAMES[colour], 13, room=52)
        picture.close()
