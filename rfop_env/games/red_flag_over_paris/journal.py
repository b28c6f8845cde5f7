"""The journal of Red Flag Over Paris: the codes that the rules write, and the sentences made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rfop_env.core.decisions import journal_sentences
from rfop_env.games.red_flag_over_paris import board

(
    NOTE_ROUND,  # round
    NOTE_INITIATIVE,  # side
    NOTE_PLAY,  # side, card (0: face down), use
    NOTE_EVENT,  # side, card
    NOTE_PLACED,  # side, space
    NOTE_RETURNED,  # cube: owner, space, 1: it left play
    NOTE_DISC,  # side, space
    NOTE_DISC_LOST,  # owner, space
    NOTE_ATTEMPT,  # side, space, strength
    NOTE_DRAWN,  # card, 1: success
    NOTE_MOVED,  # side, from, to
    NOTE_MOMENTUM,  # side, new value
    NOTE_BREACH,  # side, zone, cubes taken
    NOTE_VP,  # sphere, new value as the Commune sees it
    NOTE_DISCARD,  # side, card
    NOTE_REVEALED,  # card, turned up by the Solo Opponent
    NOTE_OBJECTIVE,  # side, card, 1: controlled by its owner
    NOTE_BONUS,  # side, dimension, action (0 de-escalate, 1 spread, 2 turncoat)
    NOTE_CHOICE,  # Aid table (1 choose, 2 place, 3 remove), number of the row that decided (0 none), space or 1: remove
    NOTE_DECK,  # the deck was made anew
    NOTE_CRISIS,  # the Final Crisis begins
    NOTE_SECRET,  # side: revealed hand (1) or objective (2) of its enemy, swapped a card (3)
) = range(1, 23)

USE_NAMES = (
    "for its event",
    "for operations",
    "to copy the discarded event",
    "to advance momentum",
    "for its Final Crisis card",
)
SECRET_NAMES = ("", "sees the enemy's hand", "sees the enemy's objective", "swaps a card with the deck")
BONUS_NAMES = ("De-escalate", "Spread Influence", "Turncoat")
AID_NAMES = ("", "place or remove", "where to place or replace", "where to remove")


def _card(components: Any, number: int) -> str:
    return f"{number} {components.card_name(number)}" if number else "a card face down"


def sentence(components: Any, code: int, a: int, b: int, c: int) -> str:
    """The sentence of one journal entry."""
    side = board.SIDE_NAMES[a] if 0 <= a < board.SIDES else ""
    space = board.SPACE_NAMES[b] if 0 <= b < len(board.SPACE_NAMES) else ""

    # The tables of the Solo Opponent.
    if code == NOTE_CHOICE:
        outcome = ("place", "remove")[c] if a == 1 else board.SPACE_NAMES[c]
        decision = f"row {b} decides" if b else "only one space"
        return f"  Aid, {AID_NAMES[a]}: {decision}: {outcome}"

    # What happened in the game.
    texts: dict[int, Callable[[], str]] = {
        NOTE_ROUND: lambda: f"Round {a} begins",
        NOTE_INITIATIVE: lambda: f"{side} is the Initiative player",
        NOTE_PLAY: lambda: f"{side} plays {_card(components, b)} {USE_NAMES[c]}",
        NOTE_EVENT: lambda: f"{side} carries out the event of {_card(components, b)}",
        NOTE_PLACED: lambda: f"{side} places a cube in {space}",
        NOTE_RETURNED: lambda: f"{side} loses a cube in {space}" + (", out of play" if c else ""),
        NOTE_DISC: lambda: f"{side} places a disc in {space}",
        NOTE_DISC_LOST: lambda: f"{side} loses the disc in {space}",
        NOTE_ATTEMPT: lambda: f"{side} attempts a removal in {space} with strength {c}",
        NOTE_DRAWN: lambda: f"  drawn: {_card(components, a)}: {'success' if b else 'failure'}",
        NOTE_MOVED: lambda: f"{side} moves a cube from {space} to {board.SPACE_NAMES[c]}",
        NOTE_MOMENTUM: lambda: f"momentum of {side}: {b}",
        NOTE_BREACH: lambda: f"{side} breached {board.ZONE_NAMES[b]} and takes {c or 'no'} bonus cubes",
        NOTE_VP: lambda: f"{board.SPHERE_NAMES[a]} VP: Commune {b:+d}, Versailles {-b:+d}",
        NOTE_DISCARD: lambda: f"{side} discards {_card(components, b)}",
        NOTE_REVEALED: lambda: f"the Solo Opponent reveals {_card(components, a)}",
        NOTE_OBJECTIVE: lambda: f"{side}'s objective {_card(components, b)}: {'controlled' if c else 'not controlled'}",
        NOTE_BONUS: lambda: f"{side}, bonus action in {board.DIMENSION_NAMES[b]}: {BONUS_NAMES[c]}",
        NOTE_DECK: lambda: "the strategy deck is made anew",
        NOTE_CRISIS: lambda: "the Final Crisis begins",
        NOTE_SECRET: lambda: f"{side} {SECRET_NAMES[b]}",
    }
    return texts[code]()


def sentences(s: Any, components: Any) -> list[str]:
    """The sentences of everything that happened since the last decision, in order."""
    return journal_sentences(s, lambda *entry: sentence(components, *entry))
