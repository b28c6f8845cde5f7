"""The players of Paris drawn: VP, keys, money, goods and tiles, as far as the viewer may see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from rfop_env.drawing.measure import fit, text_width
from rfop_env.drawing.palette import CARD, GOLD, GOLD_EDGE, INK, MUTED, PANEL, SEAT_TONES
from rfop_env.drawing.picture import Box, Picture
from rfop_env.drawing.pieces import band, coin, panel
from rfop_env.games.paris import actions, board
from rfop_env.games.paris.draw import layout, pieces
from rfop_env.games.paris.draw.layout import Plan
from rfop_env.games.paris.draw.view import SPECTATOR, View

CHIP_ROWS, CHIP_GAP = 2, 3


class Chip(NamedTuple):
    """A tile, or several: what stands on it, its tooltip, and the actions that point to it."""

    words: str
    short: str  # the same where there are many
    kind: str  # "unused", "hidden" or "used"
    tip: str = ""
    actions: tuple[int, ...] = ()


def player_height(plan: Plan) -> float:
    """The height of a panel."""
    return plan.band + 2 * plan.row + 6 + CHIP_ROWS * _chip_step(plan)


def draw_player(picture: Picture, view: View, plan: Plan, box: Box, player: int) -> None:
    """The panel of a player; a golden edge shows who decides."""
    (x, y, width, height), tone = box, SEAT_TONES[player]
    picture.open(f"player p{player}")
    if player == view.decider:
        picture.rect(x - 3, y - 3, width + 6, height + 6, GOLD, 10, stroke=GOLD_EDGE)
    panel(picture, *box, stroke=tone.deep)
    band(picture, x, y, width, plan.band, tone.deep)

    who = view.name(player) + (" · you" if player == view.viewer != SPECTATOR else "")
    who += " · starts" if player == view.s.start_player else ""
    line, vp = y + plan.band / 2 + 0.36 * plan.title, f"{view.s.vp[player]} VP"
    vp_width = text_width(vp, plan.title, bold=True)
    picture.text_at(x + 8, line, who, plan.title, tone.text, bold=True, room=width - vp_width - 24)
    picture.text_at(x + width - 8, line, vp, plan.title, tone.text, anchor="end", bold=True)

    top = y + plan.band + 4
    _keys_and_money(picture, view, plan, player, Box(x, top, width, plan.row))
    if view.sees(player):
        _stock(picture, view, plan, player, Box(x, top + plan.row, width, plan.row))
    chips = Box(x + 8, top + 2 * plan.row + 2, width - 16, _chip_step(plan) - CHIP_GAP)
    _chips(picture, plan, _chip_list(view, player), chips)
    picture.close()


def _keys_and_money(picture: Picture, view: View, plan: Plan, player: int, box: Box) -> None:
    (x, y, _, height), half = box, box.width / 2
    hand, aside = int(view.s.keys_in_hand[player]), int(view.s.keys_aside[player])
    pieces.draw_key(picture, plan, player, x + 8, y + (height - plan.key_height) / 2)
    start, line = 2 * plan.key + 13, y + height / 2 + 0.36 * plan.text
    picture.text_at(x + start, line, f"{hand} in hand, {aside} aside", plan.text, INK, room=half + 8 - start)
    if view.sees(player):
        radius = height / 2 - 1
        coin(picture, x + half + 24, y + height / 2, radius, "F")
        money = str(view.s.francs[player])
        picture.text_at(x + half + 30 + radius, line + 1, money, plan.text + 2, INK, bold=True, room=half - 40 - radius)
        return
    picture.open("hidden", f"Francs and tokens of player {player} are behind the screen")
    picture.rect(x + half + 10, y, half - 18, 2 * height - 2, layout.CURTAIN, 5)
    look: dict[str, Any] = {"room": half - 24, "max_lines": 2, "anchor": "middle", "centred": True, "spacing": 1.15}
    picture.text_block(x + 1.5 * half + 1, y + height - 1, "Francs, tokens hidden", plan.text, INK, **look)
    picture.close()


def _stock(picture: Picture, view: View, plan: Plan, player: int, box: Box) -> None:
    """The tokens of a player, by good."""
    step, middle, radius = (box.width - 12) / board.GOODS, box.y + box.height / 2, box.height / 2 - 2
    own = player == view.viewer
    for good, count in enumerate(view.goods(player)):
        x = box.x + 8 + step * good
        picture.open("stock", f"{count} {board.GOOD_TITLES[good]}", [actions.GIVE + good] if own else [])
        if own:
            picture.rect(x - 2, box.y, step - 2, box.height, PANEL, 4)
        pieces.draw_good(picture, good, x + radius, middle, radius, faint=count == 0)
        ink, room = INK if count else MUTED, step - 2 * radius - 4
        picture.text_at(x + 2 * radius + 3, middle + 4.5, str(count), plan.text, ink, bold=count > 0, room=room)
        picture.close()


# -- tiles -------------------------------------------------------------------------------------------------------------


def _chip_list(view: View, player: int) -> list[Chip]:
    """The unused bonus and End Game tiles; of those that the viewer cannot name, how many; those that are used."""
    bonus, ends, own = view.bonus(player), view.end_tiles(player), player == view.viewer
    chips = []
    for number in bonus.seen:
        name, sentences = view.components.card_name(number), view.components.event_sentences(number)
        tip = f"#{number} {name}: {'; '.join(sentences)}"
        chips.append(Chip(f"{number} {name}", str(number), "unused", tip, (actions.BONUS + number,) if own else ()))
    for kind in ends.seen:
        name, ids = board.END_NAMES[kind], (actions.END_TILE + kind,) if own else ()
        chips.append(Chip(f"End: {name}", name, "unused", f"End Game tile {name}", ids))
    if bonus.hidden:
        words = f"{bonus.hidden} bonus tile{'s' * (bonus.hidden > 1)} hidden"
        chips.append(Chip(words, words, "hidden"))
    if ends.hidden:
        words = f"{ends.hidden} End Game hidden"
        chips.append(Chip(words, words, "hidden"))
    titles = [*map(str, view.used_bonus(player)), *(board.END_NAMES[kind] for kind in view.used_end_tiles(player))]
    names = [f"#{n} {view.components.card_name(n)}" for n in view.used_bonus(player)]
    tip = ", ".join(["used", *names])
    chips += [Chip(f"used: {name}" if i == 0 else name, name, "used", tip) for i, name in enumerate(titles)]
    return chips


def _chip_step(plan: Plan) -> float:
    """The distance of two rows of chips."""
    return (26.0 if plan.players == 1 else 16.0) + CHIP_GAP


def _chips(picture: Picture, plan: Plan, chips: Sequence[Chip], box: Box) -> None:
    """Chips in at most CHIP_ROWS rows: with short words where there are many, and closer together still."""
    (x, y, room, height), letters = box, max(plan.smallest, plan.text - 1)
    labels = [chip.words for chip in chips]
    widths = [_chip_width(words, letters, room) for words in labels]
    if _rows(widths, room)[-1:] >= [CHIP_ROWS]:
        labels, letters = [chip.short for chip in chips], plan.smallest
        widths = [_chip_width(words, letters, room) for words in labels]
    while _rows(widths, room)[-1:] >= [CHIP_ROWS]:
        widths = [0.9 * width for width in widths]

    across, last = x, 0
    for chip, label, width, row in zip(chips, labels, widths, _rows(widths, room), strict=True):
        across, last = (x if row != last else across), row
        top = y + (height + CHIP_GAP) * row
        picture.open(f"chip {chip.kind}" if chip.kind != "used" else "used", chip.tip, chip.actions)
        if chip.kind != "used":
            ground = CARD if chip.kind == "unused" else layout.CURTAIN
            picture.rect(across, top, width, height, ground, 5, stroke=MUTED)
        words, size = fit(label, letters, width - 4, smallest=plan.smallest)
        line = top + height / 2 + 0.36 * size
        picture.text_at(across + width / 2, line, words, size, INK, anchor="middle")
        picture.close()
        across += width + CHIP_GAP


def _chip_width(words: str, letters: float, room: float) -> float:
    return min(max(26.0, text_width(words, letters) + 10), room)


def _rows(widths: Sequence[float], room: float) -> list[int]:
    """The row of each chip when they flow from left to right."""
    rows, across, row = [], 0.0, 0
    for width in widths:
        if across > 0 and across + width > room:
            across, row = 0.0, row + 1
        rows.append(row)
        across += width + CHIP_GAP
    return rows
