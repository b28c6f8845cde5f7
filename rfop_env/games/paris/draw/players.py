"""The players of Paris drawn: VP, keys, money, goods and tiles, as far as the viewer may see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from rfop_env.drawing.measure import fit, text_width
from rfop_env.drawing.palette import GOLD, GOLD_EDGE, INK, MUTED, SEAT_TONES, WHITE
from rfop_env.drawing.picture import Picture
from rfop_env.drawing.pieces import band, coin, panel
from rfop_env.games.paris import actions, board
from rfop_env.games.paris.draw import layout, pieces
from rfop_env.games.paris.draw.view import SPECTATOR, View

CURTAIN = "#ddd5c4"  # what lies behind a screen
CHIP_HEIGHT, CHIP_STEP, CHIP_ROWS, CHIP_SIZE, CHIP_GAP = 18, 21, 2, 11, 4
CHIPS_TOP, USED_TOP = 84, 139  # below the top of the panel; the base line of the used tiles


class Chip(NamedTuple):
    """An unused tile: what stands on it, its tooltip, and the actions that point to it."""

    words: str
    short: str  # the same where there are many
    kind: str  # "unused" or "hidden"
    tip: str = ""
    actions: tuple[int, ...] = ()


def draw_player(picture: Picture, view: View, player: int) -> None:
    """The panel of a player; a golden edge shows who decides."""
    y, height = layout.PLAYER_ROW
    width = (layout.WIDTH - 2 * layout.MARGIN - layout.GAP * (view.players - 1)) / view.players
    x, tone = layout.MARGIN + (width + layout.GAP) * player, SEAT_TONES[player]
    picture.open(f"player p{player}")
    if player == view.decider:
        picture.rect(x - 3, y - 3, width + 6, height + 6, GOLD, 10, stroke=GOLD_EDGE)
    panel(picture, x, y, width, height, stroke=tone.deep)
    band(picture, x, y, width, layout.BAND, tone.deep)

    who = view.name(player) + (" · you" if player == view.viewer != SPECTATOR else "")
    who += " · starts" if player == view.s.start_player else ""
    picture.text_at(x + 10, y + 18.5, who, 13, tone.text, bold=True, room=width - 88)
    picture.text_at(x + width - 10, y + 19, f"{view.s.vp[player]} VP", 15, tone.text, anchor="end", bold=True, room=66)

    _keys_and_money(picture, view, player, x, y + 32, width)
    if view.sees(player):
        _stock(picture, view, player, x, y + 70, width)
    _chips(picture, _chip_list(view, player), x + 10, y + CHIPS_TOP, width - 20)
    _used(picture, view, player, x + 10, y + USED_TOP, width - 20)
    picture.close()


def _keys_and_money(picture: Picture, view: View, player: int, x: float, y: float, width: float) -> None:
    half = width / 2
    hand, aside = int(view.s.keys_in_hand[player]), int(view.s.keys_aside[player])
    pieces.draw_key(picture, player, x + 12, y)
    picture.text_at(x + 31, y + 18, f"{hand} in hand, {aside} aside", 12, INK, room=half - 42)
    if view.sees(player):
        coin(picture, x + half + 12, y + 14, 12, "F")
        picture.text_at(x + half + 30, y + 19, str(view.s.francs[player]), 15, INK, bold=True, room=half - 40)
        return
    picture.open("hidden", f"Francs and tokens of player_{player} are behind the screen")
    picture.rect(x + half, y + 1, half - 10, 26, CURTAIN, 5)
    across, words = x + 1.5 * half - 5, "Francs, tokens hidden"
    look: dict[str, Any] = {"room": half - 18, "max_lines": 2, "anchor": "middle", "centred": True, "spacing": 1.05}
    picture.text_block(across, y + 14, words, 11, INK, **look)
    picture.close()


def _stock(picture: Picture, view: View, player: int, x: float, y: float, width: float) -> None:
    """The tokens of a player, by good."""
    step = (width - 16) / board.GOODS
    own = player == view.viewer
    for good, count in enumerate(view.goods(player)):
        at = x + 20 + step * good
        picture.open("stock", f"{count} {board.GOOD_TITLES[good]}", [actions.GIVE + good] if own else [])
        pieces.draw_good(picture, good, at, y, 8, faint=count == 0)
        picture.text_at(at + 13, y + 4.5, str(count), 13, INK if count else MUTED, bold=count > 0, room=step - 24)
        picture.close()


# -- tiles -------------------------------------------------------------------------------------------------------------


def _chip_list(view: View, player: int) -> list[Chip]:
    """The unused bonus and End Game tiles; of those that the viewer cannot name, how many."""
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
    return chips


def _chips(picture: Picture, chips: Sequence[Chip], x: float, y: float, room: float) -> None:
    """Chips in at most CHIP_ROWS rows: with short words where there are many, and closer together still."""
    labels = [chip.words for chip in chips]
    widths = [text_width(words, CHIP_SIZE) + 10 for words in labels]
    if _rows(widths, room)[-1:] >= [CHIP_ROWS]:
        labels = [chip.short for chip in chips]
        widths = [text_width(words, CHIP_SIZE) + 10 for words in labels]
    while _rows(widths, room)[-1:] >= [CHIP_ROWS]:
        widths = [0.9 * width for width in widths]

    across, last = x, 0
    for chip, label, width, row in zip(chips, labels, widths, _rows(widths, room), strict=True):
        across, last = (x if row != last else across), row
        top, ground = y + CHIP_STEP * row, WHITE if chip.kind == "unused" else CURTAIN
        picture.open(f"chip {chip.kind}", chip.tip, chip.actions)
        picture.rect(across, top, width, CHIP_HEIGHT, ground, 5, stroke=MUTED)
        words, size = fit(label, CHIP_SIZE, width - 6)
        picture.text_at(across + width / 2, top + 13, words, size, INK, anchor="middle")
        picture.close()
        across += width + CHIP_GAP


def _rows(widths: Sequence[float], room: float) -> list[int]:
    """The row of each chip when they flow from left to right."""
    rows, across, row = [], 0.0, 0
    for width in widths:
        if across > 0 and across + width > room:
            across, row = 0.0, row + 1
        rows.append(row)
        across += width + CHIP_GAP
    return rows


def _used(picture: Picture, view: View, player: int, x: float, y: float, room: float) -> None:
    """The tiles that a player has used, by number and kind."""
    words = [f"{n}" for n in view.used_bonus(player)] + [board.END_NAMES[kind] for kind in view.used_end_tiles(player)]
    if not words:
        return
    names = [f"#{n} {view.components.card_name(n)}" for n in view.used_bonus(player)]
    picture.open("used", ", ".join(["used", *names]))
    picture.text_block(x, y, f"used: {', '.join(words)}", 11, MUTED, room=room, max_lines=2)
    picture.close()
