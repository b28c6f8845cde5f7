"""The cards of Red Flag Over Paris drawn: the viewer's own as cards, the enemy's as a list above face-down ones."""

from __future__ import annotations

from rfop_env.drawing import palette, pieces
from rfop_env.drawing.measure import SMALLEST, text_width
from rfop_env.drawing.picture import Picture
from rfop_env.drawing.pieces import Held
from rfop_env.games.red_flag_over_paris import actions, board, state
from rfop_env.games.red_flag_over_paris.components import FIRST_OBJECTIVE
from rfop_env.games.red_flag_over_paris.draw import signs
from rfop_env.games.red_flag_over_paris.draw.view import CardSource, View

TOP, HEIGHT = 680, 148
OWN_LEFT, OWN_WIDTH, FAR_LEFT, FAR_WIDTH = 24, 780, 830, 334
CARD_TOP, CARD_HEIGHT, CARD_WIDTH, CARD_GAP = 708, 116, 122, 8
FAR_TOP, FAR_HEIGHT, LEAST_ROW = 720, 62, 11
BACK_TOP, BACK_WIDTH, BACK_HEIGHT = 787, 24, 32
TWO_LINES = 20  # height of a row in which a long name takes two lines


def draw_cards(picture: Picture, view: View) -> None:
    """The cards of both sides below the board."""
    _own_cards(picture, view)
    _far_cards(picture, view)


# -- own cards ---------------------------------------------------------------------------------------------------------


def _own_cards(picture: Picture, view: View) -> None:
    side = view.near
    hand, aside = view.hand(side), view.aside(side)
    _side_title(picture, view, side, OWN_LEFT, 0.36 * OWN_WIDTH)
    _own_objectives(picture, view, side)

    # The cards that the viewer can name, each with where it is; discards only while one of them can be chosen.
    cards = [(n, "hand") for n in hand.seen] + [(n, "set aside") for n in aside.seen]
    cards += [(n, "Final Crisis") for n in view.face_up(side)]
    cards += [(n, "discarded") for n in view.discarded() if actions.CHOOSE_CARD + n in picture.legal]
    hidden = hand.hidden + aside.hidden

    count = len(cards) + hidden
    width = min(CARD_WIDTH, (OWN_WIDTH - CARD_GAP * (count - 1)) / max(count, 1))
    for i, (number, place) in enumerate(cards):
        _card(picture, view, number, place, OWN_LEFT + (width + CARD_GAP) * i, width)
    for i in range(len(cards), count):
        pieces.card_back(picture, signs.TONES[side], OWN_LEFT + (width + CARD_GAP) * i, CARD_TOP, width, CARD_HEIGHT)


def _side_title(picture: Picture, view: View, side: int, x: float, room: float) -> None:
    """Whose cards these are, and how many; its tip is what the side has played."""
    hand, aside = view.hand(side).count, view.aside(side).count
    words = f"{board.SIDE_NAMES[side]}: hand {hand}" + (f", set aside {aside}" if aside else "")
    history = "; ".join(view.history(side)) or "none yet"
    picture.open("history", f"Cards of {board.SIDE_NAMES[side]} played: {history}")
    picture.text_at(x, TOP + 16, words, 15, signs.TONES[side].deep, bold=True, room=room)
    picture.close()


def _own_objectives(picture: Picture, view: View, side: int) -> None:
    """The objective of the viewer's side; those that are offered as chips to choose from."""
    x_end, offers = OWN_LEFT + OWN_WIDTH, view.offers(side)
    if not offers:
        words = _objective_words(view, side)
        picture.text_at(x_end, TOP + 16, words, 13, palette.INK, anchor="end", room=0.62 * OWN_WIDTH)
        return
    chips = [f"Objective {_target_words(view, n)}" for n in offers]
    width = min(250.0, 0.62 * OWN_WIDTH / len(chips) - 6)
    for i, (number, words) in enumerate(zip(offers, chips, strict=True)):
        x = x_end - (width + 6) * (len(chips) - i) + 6
        action = actions.KEEP_OBJECTIVE + number - FIRST_OBJECTIVE
        picture.open("offered-objective", _card_tip(view.components, number), [action])
        picture.rect(x, TOP, width, 22, palette.WHITE, 5, stroke=signs.TONES[side].deep, stroke_width=1.5)
        picture.text_at(x + width / 2, TOP + 15.5, words, 12, palette.INK, anchor="middle", room=width - 10)
        picture.close()


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


def _card(picture: Picture, view: View, number: int, place: str, x: float, width: float) -> None:
    """A card: points and side, number, title, and where it is."""
    side, y = view.card_side(number), CARD_TOP
    tone, middle = signs.TONES[side], x + width / 2
    picture.open(f"card {signs.SIDE_CLASSES[side]}", _card_tip(view.components, number), [actions.CHOOSE_CARD + number])
    dash = {} if place == "hand" else {"stroke_dasharray": "5 3"}
    picture.rect(x + 1, y, width - 2, CARD_HEIGHT, palette.WHITE, 8, stroke=tone.deep, stroke_width=2, **dash)
    picture.rect(x + 5, y + 4, width - 10, 34, tone.pale, 5)
    _points(picture, side, view.points(number), x + 9, y + 21, 24)
    picture.text_at(x + width - 9, y + 26, f"#{number}", 14, tone.dark, anchor="end", bold=True, room=width - 62)
    name = view.components.card_name(number)
    picture.text_block(middle, y + 68, name, 13, room=width - 12, max_lines=3, anchor="middle", bold=True, centred=True)
    footer = board.SIDE_NAMES[side] if place == "hand" else place
    picture.text_at(middle, y + CARD_HEIGHT - 8, footer, 12, tone.deep, anchor="middle", room=width - 12)
    if number == view.chosen_card():
        pieces.mark_chosen(picture, x + 1, y, width - 2, CARD_HEIGHT)
    picture.close()


def _points(picture: Picture, side: int, points: int, x: float, y: float, height: float) -> float:
    """Operations Points and the letter of the card's side on a pill; (x, y) is the middle of its left edge."""
    words, size = f"{points} {signs.SIDE_LETTERS[side]}", max(SMALLEST, 0.62 * height)
    width = text_width(words, size, bold=True) + 0.7 * height
    picture.rect(x, y - height / 2, width, height, signs.TONES[side].deep, height / 2)
    picture.text_at(x + width / 2, y + 0.36 * size, words, size, signs.TONES[side].text, anchor="middle", bold=True)
    return width


def _card_tip(components: CardSource, number: int) -> str:
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
    if text_width(words, SMALLEST) > room and row >= TWO_LINES:
        picture.text_block(words_x, y, words, SMALLEST, room=room, max_lines=2, spacing=1.1, centred=True)
    else:
        picture.text_at(words_x, y + 4.5, words, min(13.0, max(SMALLEST, 0.72 * row)), palette.INK, room=room)
    picture.close()


def _far_cards(picture: Picture, view: View) -> None:
    """The other side's cards: the known ones by name, the others as backs."""
    side, x = 1 - view.near, FAR_LEFT
    hand, aside = view.hand(side), view.aside(side)
    pieces.panel(picture, x - 12, TOP - 2, FAR_WIDTH + 24, HEIGHT)
    _side_title(picture, view, side, x, FAR_WIDTH)
    picture.text_at(x, TOP + 33, _objective_words(view, side), 13, palette.INK, room=FAR_WIDTH)

    rows = [(n, "") for n in hand.seen] + [(n, " · set aside") for n in aside.seen]
    rows += [(n, " · Final Crisis") for n in view.face_up(side)]
    backs = hand.hidden + aside.hidden > 0 and len(rows) * LEAST_ROW <= FAR_HEIGHT  # otherwise the title says it
    height = FAR_HEIGHT if backs else FAR_HEIGHT + BACK_HEIGHT
    row = min(22.0, height / max(len(rows), 1))
    for i, (number, note) in enumerate(rows):
        draw_listed(picture, view, number, x, FAR_TOP + row * (i + 0.5), row, FAR_WIDTH, note)
    if backs:
        end = _backs(picture, side, hand, "hand", x)
        _backs(picture, side, aside, "set aside", end)


def _backs(picture: Picture, side: int, cards: Held, name: str, x: float) -> float:
    """Face-down cards with their number and place; returns where the next ones may start."""
    if not cards.hidden:
        return x
    picture.open("face-down", f"{cards.hidden} cards face down: {name}")
    for i in range(cards.hidden):
        pieces.card_back(picture, signs.TONES[side], x + (BACK_WIDTH - 8) * i, BACK_TOP, BACK_WIDTH, BACK_HEIGHT)
    x += (BACK_WIDTH - 8) * cards.hidden + 14
    words = f"{cards.hidden} {name}"
    picture.text_at(x, BACK_TOP + 22, words, 13, palette.INK)
    picture.close()
    return x + text_width(words, 13) + 8
