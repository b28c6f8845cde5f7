"""The cards of Red Flag Over Paris drawn: the viewer's own as cards, the enemy's as a list above face-down ones."""

from __future__ import annotations

from typing import Any

from rfop_env.drawing import palette, pieces
from rfop_env.drawing.measure import text_width
from rfop_env.drawing.picture import Box, Picture
from rfop_env.drawing.pieces import NARROW, Held
from rfop_env.games.red_flag_over_paris import actions, board, state
from rfop_env.games.red_flag_over_paris.component_set import ComponentSet
from rfop_env.games.red_flag_over_paris.components import FIRST_OBJECTIVE
from rfop_env.games.red_flag_over_paris.draw import signs
from rfop_env.games.red_flag_over_paris.draw.layout import Plan
from rfop_env.games.red_flag_over_paris.draw.view import View

CARD_WIDTH, CARD_GAP = 108, 6
LISTED = 6  # so many cards and no more stand side by side
TITLE, LINE = 24, 18  # height of the name of a side, and of the line on its objective
BACK_WIDTH, BACK_HEIGHT = 22, 28
LEAST_ROW, FAR_ROW = 11.7, 22.0  # height of a row of the other side's cards


def draw_cards(picture: Picture, view: View, plan: Plan) -> float:
    """The cards of both sides below the board; returns where they end."""
    end = _own_cards(picture, view, plan, plan.own)
    far = plan.far if plan.far.y else Box(plan.far.x, end + 6, plan.far.width, 0)
    return max(end, _far_cards(picture, view, far))


# -- own cards ---------------------------------------------------------------------------------------------------------


def _own_cards(picture: Picture, view: View, plan: Plan, box: Box) -> float:
    side = view.near
    hand, aside = view.hand(side), view.aside(side)
    if plan.width > NARROW:
        _side_title(picture, view, side, box.x, box.y + 15, 0.31 * box.width)
        top = _own_objectives(picture, view, side, Box(box.x + 0.32 * box.width, box.y, 0.68 * box.width, 20)) + 6
    else:
        _side_title(picture, view, side, box.x + 4, box.y + 16, box.width - 8)
        top = _own_objectives(picture, view, side, Box(box.x + 4, box.y + TITLE, box.width - 8, 28)) + 8

    # The cards that the viewer can name, each with where it is; discards only while one of them can be chosen.
    cards = [(n, "hand") for n in hand.seen] + [(n, "set aside") for n in aside.seen]
    cards += [(n, "Final Crisis") for n in view.face_up(side)]
    cards += [(n, "discarded") for n in view.discarded() if actions.CHOOSE_CARD + n in picture.legal]
    hidden = hand.hidden + aside.hidden
    room = Box(box.x, top, box.width, box.y + box.height - top)
    if plan.card_rows:
        columns = 1 if picture.width < 500 else 2
        return _card_list(picture, view, cards, hidden, Box(box.x, top, box.width, 0), columns, plan.card_rows)
    if len(cards) + hidden > LISTED:
        columns = 2 if len(cards) <= 2 * 5 else 3
        return _card_list(picture, view, cards, hidden, room, columns, 24)

    width = min(CARD_WIDTH, (room.width - CARD_GAP * (LISTED - 1)) / LISTED)
    for i, (number, place) in enumerate(cards):
        card = Box(room.x + (width + CARD_GAP) * i, room.y, width, room.height)
        _card(picture, view, number, place, card)
    for i in range(len(cards), len(cards) + hidden):
        x = room.x + (width + CARD_GAP) * i
        pieces.card_back(picture, signs.TONES[side], x, room.y, width, room.height)
    return room.y + room.height


def _card_list(
    picture: Picture,
    view: View,
    cards: list[tuple[int, str]],
    hidden: int,
    box: Box,
    columns: int,
    row: float,
) -> float:
    """Cards in rows, each with its place, and the face-down ones below; `row`: the height of one, at most."""
    rows = -(-len(cards) // columns)
    row = min(row, box.height / max(rows, 1)) if box.height else row
    width = (box.width - 6 * (columns - 1)) / columns
    for i, (number, place) in enumerate(cards):
        x, y = box.x + (width + 6) * (i // max(rows, 1)), box.y + row * (i % max(rows, 1))
        tone, note = signs.TONES[view.card_side(number)], "" if place == "hand" else f" · {place}"
        picture.open("row", "", [actions.CHOOSE_CARD + number])
        dash = {} if place == "hand" else {"stroke_dasharray": "5 3"}
        picture.rect(x + 1, y + 1, width - 2, row - 2, palette.CARD, 5, stroke=tone.deep, stroke_width=1.5, **dash)
        draw_listed(picture, view, number, x + 5, y + row / 2, min(row - 2, 25), width - 10, note)
        if number == view.chosen_card():
            pieces.mark_chosen(picture, x + 1, y + 1, width - 2, row - 2, 6)
        picture.close()
    end = box.y + row * rows + 2
    if hidden:
        for i in range(hidden):
            pieces.card_back(picture, signs.TONES[view.near], box.x + 4 + 16 * i, end, BACK_WIDTH, BACK_HEIGHT)
        end += BACK_HEIGHT + 2
    return end


def _side_title(picture: Picture, view: View, side: int, x: float, y: float, room: float) -> None:
    """Whose cards these are, and how many; its tip is what the side has played."""
    hand, aside = view.hand(side).count, view.aside(side).count
    words = f"{board.SIDE_NAMES[side]}: hand {hand}" + (f", set aside {aside}" if aside else "")
    history = "; ".join(view.history(side)) or "none yet"
    picture.open("history", f"Cards of {board.SIDE_NAMES[side]} played: {history}")
    picture.text_at(x, y, words, 14, signs.TONES[side].ink, bold=True, room=room)
    picture.close()


def _own_objectives(picture: Picture, view: View, side: int, box: Box) -> float:
    """The objective of the viewer's side; those that are offered as chips to choose from. Returns where they end."""
    (x, y, width, height), offers = box, view.offers(side)
    if not offers:
        at, anchor = (x + width, "end") if picture.width > NARROW else (x, "start")
        look: dict[str, Any] = {"anchor": anchor, "room": width}
        words = _objective_words(view, side)
        if picture.width > NARROW:
            picture.text_at(at, y + 15, words, 13, palette.INK, **look)
            return y + height
        lines = picture.text_block(x, y + 11, words, 13, palette.INK, room=width, max_lines=2)
        return y + 16 * lines
    step = (width + 6) / max(len(offers), 2)
    for i, number in enumerate(offers):
        start = x + width + 6 - step * (len(offers) - i)
        action = actions.KEEP_OBJECTIVE + number - FIRST_OBJECTIVE
        picture.open("offered-objective", _card_tip(view.components, number), [action])
        edge: dict[str, Any] = {"stroke": signs.TONES[side].deep, "stroke_width": 1.5}
        picture.rect(start, y + 1, step - 6, height - 2, palette.CARD, 5, **edge)
        words, line = _target_words(view, number), y + height / 2 + 4.5
        picture.text_at(start + step / 2 - 3, line, words, 12, palette.INK, anchor="middle", room=step - 12)
        picture.close()
    return y + height


def _objective_words(view: View, side: int) -> str:
    """The objective that the viewer may see; of the enemy's, which have little room, the target alone."""
    number, offers = view.objective(side), view.offers(side)
    if offers:
        words = "Objectives offered: " + " or ".join(_target_words(view, n) for n in offers)
    elif number != state.NO_CARD:
        words = f"Objective {_objective_name(view, number) if side == view.near else _target_words(view, number)}"
    else:
        words = "Objective secret" if view.has_objective(side) else "No objective"
    return f"{words} · fulfilled {int(view.s.fulfilled[side])}"


def _objective_name(view: View, number: int) -> str:
    return f"{_target_words(view, number)}: {view.components.card_name(number)}"


def _target_words(view: View, number: int) -> str:
    return f"#{number} {board.SPACE_NAMES[view.tables.target[number]]}"


def _card(picture: Picture, view: View, number: int, place: str, box: Box) -> None:
    """A card: points and side, number, title, and where it is."""
    (x, y, width, height), side = box, view.card_side(number)
    tone, middle = signs.TONES[side], x + width / 2
    picture.open(f"card {signs.SIDE_CLASSES[side]}", _card_tip(view.components, number), [actions.CHOOSE_CARD + number])
    dash = {} if place == "hand" else {"stroke_dasharray": "5 3"}
    picture.rect(x + 1, y, width - 2, height, palette.CARD, 8, stroke=tone.deep, stroke_width=2, **dash)
    picture.rect(x + 4, y + 4, width - 8, 28, tone.pale, 5)
    _points(picture, side, view.points(number), x + 7, y + 18, 21)
    picture.text_at(x + width - 8, y + 23, f"#{number}", 13, tone.ink, anchor="end", bold=True, room=width - 54)
    name = view.components.card_name(number)
    look: dict[str, Any] = {"anchor": "middle", "bold": True, "centred": True, "room": width - 8, "max_lines": 3}
    picture.text_block(middle, y + (height + 18) / 2, name, 12.5, spacing=1.1, **look)
    footer = board.SIDE_NAMES[side] if place == "hand" else place
    picture.text_at(middle, y + height - 6, footer, 12, tone.ink, anchor="middle", room=width - 12)
    if number == view.chosen_card():
        pieces.mark_chosen(picture, x + 1, y, width - 2, height)
    picture.close()


def _points(picture: Picture, side: int, points: int, x: float, y: float, height: float) -> float:
    """Operations Points and the letter of the card's side on a pill; (x, y) is the middle of its left edge."""
    words, size = f"{points} {signs.SIDE_LETTERS[side]}", max(picture.smallest, 0.62 * height)
    width = text_width(words, size, bold=True) + 0.7 * height
    picture.rect(x, y - height / 2, width, height, signs.TONES[side].deep, height / 2)
    picture.text_at(x + width / 2, y + 0.36 * size, words, size, signs.TONES[side].text, anchor="middle", bold=True)
    return width


def _card_tip(components: ComponentSet, number: int) -> str:
    return f"#{number} {components.card_name(number)}: " + "; ".join(components.event_sentences(number))


# -- cards on one line -------------------------------------------------------------------------------------------------


def draw_listed(
    picture: Picture, view: View, number: int, x: float, y: float, row: float, room: float, note: str = ""
) -> None:
    """A card on one line of height `row`: points, number, name; (x, y) is the middle of its left edge."""
    side, height = view.card_side(number), min(18.0, 0.85 * row)
    picture.open(f"card {signs.SIDE_CLASSES[side]}", _card_tip(view.components, number))
    width = _points(picture, side, view.points(number), x, y, height)
    words, words_x, room = f"#{number} {view.components.card_name(number)}{note}", x + width + 6, room - width - 6
    smallest = picture.smallest
    if text_width(words, smallest) > room and row >= 2 * smallest:
        picture.text_block(words_x, y, words, smallest, room=room, max_lines=2, spacing=1.05, centred=True)
    else:
        picture.text_at(words_x, y + 4.5, words, min(13.0, max(smallest, 0.72 * row)), palette.INK, room=room)
    picture.close()


def _far_cards(picture: Picture, view: View, box: Box) -> float:
    """The other side's cards: the known ones by name, the others as backs. Returns where the panel ends."""
    side, x, room = 1 - view.near, box.x + 10, box.width - 20
    hand, aside = view.hand(side), view.aside(side)
    rows = [(n, "") for n in hand.seen] + [(n, " · set aside") for n in aside.seen]
    rows += [(n, " · Final Crisis") for n in view.face_up(side)]
    hidden, top = hand.hidden + aside.hidden > 0, box.y + TITLE + LINE + 2
    if box.height:
        space = box.y + box.height - top - 3
        backs = hidden and len(rows) * LEAST_ROW <= space - BACK_HEIGHT - 3  # otherwise the title says it
        row = min(FAR_ROW, (space - (BACK_HEIGHT + 3) * backs) / max(len(rows), 1))
    else:
        backs, row = hidden, FAR_ROW
        height = top - box.y + row * len(rows) + (BACK_HEIGHT + 3) * backs + 6
        box = Box(box.x, box.y, box.width, height)

    pieces.panel(picture, *box)
    _side_title(picture, view, side, x, box.y + 18, room)
    picture.text_at(x, box.y + TITLE + 12, _objective_words(view, side), 13, palette.INK, room=room)
    for i, (number, note) in enumerate(rows):
        draw_listed(picture, view, number, x, top + row * (i + 0.5), row, room, note)
    if backs:
        y = box.y + box.height - BACK_HEIGHT - 5
        end = _backs(picture, side, hand, "hand", x, y)
        _backs(picture, side, aside, "set aside", end, y)
    return box.y + box.height


def _backs(picture: Picture, side: int, cards: Held, name: str, x: float, y: float) -> float:
    """Face-down cards with their number and place; returns where the next ones may start."""
    if not cards.hidden:
        return x
    picture.open("face-down", f"{cards.hidden} cards face down: {name}")
    for i in range(cards.hidden):
        pieces.card_back(picture, signs.TONES[side], x + (BACK_WIDTH - 8) * i, y, BACK_WIDTH, BACK_HEIGHT)
    x += (BACK_WIDTH - 8) * cards.hidden + 14
    words = f"{cards.hidden} {name}"
    picture.text_at(x, y + 19, words, 13, palette.INK)
    picture.close()
    return x + text_width(words, 13) + 8
