"""Actions and ends of games in words for people: menus, the page and replays say the same."""

from __future__ import annotations

from typing import Any

from rfop_env.core.game import ILLEGAL_ACTION, Game, forfeit_sentence

CARD_KINDS = ("card", "objective", "bonus")  # kinds of actions whose argument is the number of a card


def card_of(game: Game, components: Any, action: int) -> int | None:
    """The number of the card that an action's label names; None where it names none."""
    row = game.actions.rows[action]
    number = row.label.partition(" ")[2]
    named = row.kind in CARD_KINDS and number.isdigit() and hasattr(components, "card_name")
    return int(number) if named else None


def action_label(game: Game, components: Any, action: int) -> str:
    """The label of an action, and the name of the card that it names by number."""
    card, label = card_of(game, components, action), game.actions.rows[action].label
    return label if card is None else f"{label} {components.card_name(card)}"


def action_sentence(game: Game, record: Any, components: Any, action: int) -> str:
    """What a legal action does in this position, a sentence."""
    return game.actions.rows[action].sentence if game.tell is None else game.tell(record, components, action)


def result_sentence(game: Game, record: Any) -> str:
    """How the game of a record ended, a sentence without its full stop: who won, and why."""
    names, reason = game.seat_names(record), game.end_reason(record)
    if reason == ILLEGAL_ACTION:
        return forfeit_sentence(names[record.player])
    won = game.winners(record)
    winners = [name for name, wins in zip(names, won, strict=True) if wins]
    if len(names) == 1:
        return f"{names[0]} {'won' if winners else 'lost'}: {reason}"
    if len(winners) == 0 or len(winners) == len(names):
        return f"A draw between {_listed(names)}: {reason}"
    return f"{_listed(winners)} won: {reason}"


def _listed(names: Any) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else str(last)
