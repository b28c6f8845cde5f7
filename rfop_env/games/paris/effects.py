"""What an action of Paris does in a position, in words, for people who choose."""

from __future__ import annotations

from typing import Any

from rfop_env.core.decisions import FRAME_KIND
from rfop_env.games.paris import actions, board, frames, state

_PAYS = (frames.ASK_PAYMENT, frames.ASK_PRESTIGE)
_PLACED = {
    frames.ASK_PLACEMENT: "the building tile",
    frames.ASK_LANDMARK_DISTRICT: "the landmark",
    frames.ASK_VP_DISTRICT: "the VP tile",
}


def tell(s: Any, components: Any, action: int) -> str:
    """What a legal action does in this position, a sentence."""
    row, frame, tables = actions.ACTIONS.rows[action], s.stack[s.depth - 1], components.tables
    kind = int(frame[FRAME_KIND])
    if row.kind == "bonus":
        return _bonus(s, components, kind, row.argument + 1)
    if row.kind == "key":
        if kind != frames.ASK_DESTINATION:
            return f"move the key at {board.PLACE_NAMES[row.argument]}; where to is asked next"
        origin = board.PLACE_NAMES[int(frame[frames.ask_destination.origin])]
        return f"move the key from {origin} to {board.PLACE_NAMES[row.argument]}"
    if row.kind == "give":
        return _give(kind, board.GOOD_TITLES[row.argument], int(tables.sell_price[row.argument]))
    if row.kind == "buy":
        return f"buy a token of {board.GOOD_TITLES[row.argument]} for {_francs(int(tables.buy_price[row.argument]))}"
    if row.kind == "end-tile":
        return _end_tile(kind, board.END_NAMES[row.argument])
    if row.kind == "district":
        return f"place {_PLACED[kind]} in {board.DISTRICT_NAMES[row.argument]}"
    return _done(kind, frame) if row.kind == "done" else row.sentence


def _bonus(s: Any, components: Any, kind: int, number: int) -> str:
    """Take a tile from the track, pay with it, or use it (what stands for goods is sold)."""
    effect = components.event_sentences(number)[0]
    if s.bonus[int(s.active), number] == state.NOT_OWNED:
        return f"take it: {effect}"
    return f"pay with it: {effect}" if kind in _PAYS else f"use it now: {effect}"


def _give(kind: int, good: str, price: int) -> str:
    if kind == frames.ASK_PAIRS:
        return f"return two tokens of {good} for VP"
    return f"pay a token of {good}" if kind in _PAYS else f"sell a token of {good} for {_francs(price)}"


def _francs(number: int) -> str:
    return f"{number} Franc{'s' * (number != 1)}"


def _end_tile(kind: int, name: str) -> str:
    if kind == frames.ASK_END_TILE:
        return f"take an End Game tile: {name}"
    return f"{'pay with' if kind in _PAYS else 'use or sell'} your End Game tile: {name}"


def _done(kind: int, frame: Any) -> str:
    """What is left undone."""
    if kind == frames.ASK_ACTION:
        return "pass: no key can be put or moved"
    if kind == frames.ASK_BONUS:
        return "take no bonus tile"
    if kind == frames.ASK_PRESTIGE:
        return f"leave this section of {board.LANDMARK_NAMES[int(frame[frames.ask_prestige.landmark])]} empty"
    if kind == frames.ASK_VP_TILE:
        return "place no VP tile"
    return "return no more pairs" if kind == frames.ASK_PAIRS else "end your turn"
