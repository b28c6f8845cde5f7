"""The journal of Levée en Masse: the codes that the rules write, and the sentences made of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from rfop_env.core.decisions import JOURNAL_A, JOURNAL_CODE, journal_sentences
from rfop_env.games.levee_en_masse import board, state
from rfop_env.games.levee_en_masse.state import State

(
    NOTE_HEADLINE,  # card, Actions it gives
    NOTE_MOVED,  # army, from box, to box
    NOTE_PLACED,  # army, box
    NOTE_REMOVED,  # army
    NOTE_ROTATED,  # 1: rotated, 0: back to normal
    NOTE_DISARRAY,  # army, new value
    NOTE_DEFENDED,  # army, natural die, 1: it entered nevertheless
    NOTE_POLITICS,  # marker, new box
    NOTE_DISORDER,  # 1: in Paris, 0: back in the Holding Box
    NOTE_MARKER_HELD,  # a Liberation marker comes to the Holding Box from track, box; from aside: -1
    NOTE_LIBERATED,  # track, box
    NOTE_LEVEE,  # a Liberation marker leaves the game from track, box; from the Holding Box: -1
    NOTE_NAPOLEON,  # army he fights; -1: he is in the Holding Box
    NOTE_ATTACK,  # army, natural die, DRM
    NOTE_NAVAL,  # natural die, DRM
    NOTE_POLITICAL,  # marker, natural die, DRM
    NOTE_LIBERATION,  # natural die, DRM
    NOTE_RESTORE,  # natural die (0: none was needed), DRM
    NOTE_SECOND_DIE,  # army, natural die: does it advance after a decisive defeat
    NOTE_RESERVES,  # the last reserves are committed
    NOTE_COMMITTED,  # the forces of order are committed
    NOTE_END,  # end reason, score
) = range(1, 23)


def sentence(components: Any, code: int, a: int, b: int, c: int, won: bool = False) -> str:
    """The sentence of one journal entry; `won`: the entries after it show that its roll succeeded."""
    tables = components.tables
    army, space = board.ARMY_NAMES, components.space_name
    texts: dict[int, Callable[[], str]] = {
        # Cards and armies.
        NOTE_HEADLINE: lambda: f"Headline {a} {components.card_name(a)}: {b} Action{'s' * (b != 1)}",
        NOTE_MOVED: lambda: f"{army[a]} {'advances' if c < b else 'retreats'} to {space(board.TRACK_OF[a], c)}",
        NOTE_PLACED: lambda: f"{army[a]} is placed in {space(board.TRACK_OF[a], b)}",
        NOTE_REMOVED: lambda: f"{army[a]} leaves the map",
        NOTE_ROTATED: lambda: f"the Prussian army {'is rotated' if a else 'is turned back to normal'}",
        NOTE_DISARRAY: lambda: f"{army[a]} is {('in good order again', 'disorganized', 'routed')[b]}",
        NOTE_DEFENDED: lambda: f"{army[a]} {'defeats' if c else 'is stopped by'} a Liberation marker: {b}",
        # Paris, the government, markers.
        NOTE_POLITICS: lambda: f"{board.POLITICS_NAMES[a]} stands at {b}",
        NOTE_DISORDER: lambda: "Paris is in Disorder" if a else "order returns to Paris",
        NOTE_MARKER_HELD: lambda: (
            "a Liberation marker comes to the Holding Box" + (f" from {space(a, b)}" if a >= 0 else "")
        ),
        NOTE_LIBERATED: lambda: f"{space(a, b)} is liberated",
        NOTE_LEVEE: lambda: (
            "a levée en masse takes a Liberation marker from " + (space(a, b) if a >= 0 else "the Holding Box")
        ),
        NOTE_NAPOLEON: lambda: f"Napoleon fights {army[a]}" if a >= 0 else "Napoleon is in the Holding Box",
        # Rolls.
        NOTE_ATTACK: lambda: f"attack on {army[a]}: " + _roll(b, c, int(tables.battle_value[a]), won),
        NOTE_NAVAL: lambda: "attack on the British Navy: " + _roll(a, b, int(tables.navy_value)),
        NOTE_POLITICAL: lambda: f"Political Action, {board.POLITICS_NAMES[a]}: {b} {c:+d} {_outcome(won)}",
        NOTE_LIBERATION: lambda: "Liberation Action: " + _roll(a, b, int(tables.liberation_value)),
        NOTE_RESTORE: lambda: (
            "Restore Order Action: " + _roll(a, b, int(tables.disorder_value)) if a else "the Republic restores order"
        ),
        NOTE_SECOND_DIE: lambda: f"second die after a decisive defeat by {army[a]}: {b}",
        NOTE_RESERVES: lambda: "the last reserves are committed",
        NOTE_COMMITTED: lambda: "the forces of order leave Paris, and the attack succeeds",
        NOTE_END: lambda: f"the game ends: {state.END_REASONS[a]}, score {b}",
    }
    return texts[code]()


def sentences(s: State, components: Any) -> list[str]:
    """The sentences of everything that happened since the last decision, in order."""
    number = itertools.count()
    return journal_sentences(s, lambda code, a, b, c: sentence(components, code, a, b, c, _won(s, next(number))))


def beats(die: int, drm: int, value: int) -> bool:
    """True on a natural 6, or if the modified die beats the value; never on a natural 1 (7.0, L18)."""
    return die == 6 or (die != 1 and die + drm > value)


def _roll(die: int, drm: int, value: int, won: bool = False) -> str:
    """A roll against a value, and whether it beats it."""
    return f"{die} {drm:+d} against {value} {_outcome(won or beats(die, drm, value))}"


def _outcome(won: bool) -> str:
    return "succeeds" if won else "fails"


def _won(s: State, number: int) -> bool:
    """Whether the entry after a roll shows its success: the marker moves, or the army is driven back.

    An attack succeeds on Napoleon's natural 5 also where the roll does not beat the army (10.6.1).
    """
    if number + 1 >= int(s.journal_size):
        return False
    rolled, subject = (int(s.journal[number][k]) for k in (JOURNAL_CODE, JOURNAL_A))
    code, owner, old, new = (int(x) for x in s.journal[number + 1])
    if owner != subject or rolled not in (NOTE_ATTACK, NOTE_POLITICAL):
        return False
    if rolled == NOTE_POLITICAL:
        return code == NOTE_POLITICS
    return code == NOTE_REMOVED or (code == NOTE_MOVED and new > old) or (code == NOTE_DISARRAY and old > 0)
