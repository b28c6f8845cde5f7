"""The stack of pending decisions, and the journal, inside a state record.

A frame is one row of small integers: its kind, the side it belongs to, and arguments whose meaning the kind defines.
The frame on top is what happens next: either the rules carry it on, or it asks its side for an action.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rfop_env.compiler import rule, small_rule
from rfop_env.core.random_stream import STREAMS, WORD
from rfop_env.core.record import Fields, Grid, Vector, field

FRAME_KIND, FRAME_SIDE, FRAME_A, FRAME_B, FRAME_C, FRAME_D, FRAME_E, FRAME_F = range(8)
FRAME_SIZE = 8
MAX_DEPTH = 16

JOURNAL_CODE, JOURNAL_A, JOURNAL_B, JOURNAL_C = range(4)
JOURNAL_LENGTH = 96  # entries, for a game that names no number of its own

NOBODY = -1  # in place of a seat
MOST_SEATS = 16  # a game has its own number, which is checked as well
MOST = 2**31 - 1


class Header(Fields):
    """The fields that every record begins with.

    `class State(Header, journal_length=n)` is for a game whose journal holds n entries.
    """

    seed: Vector = field(np.int64, 0, WORD, (2,))  # low and high 32 bits of the seed
    key: Vector = field(np.int64, 0, WORD, (2,))  # what the streams derive from seed and episode
    draws: Vector = field(np.int64, 0, WORD, (STREAMS,))  # how many words each stream has given
    episode: int = field(np.int64, 0, 2**62)  # games played on this seed before this one
    player: int = field(np.int32, 0, MOST_SEATS - 1)  # the seat that decides
    learner: int = field(np.int32, 0, MOST_SEATS)  # 0: every seat is asked of the caller; k: only seat k - 1
    over: int = field(np.int32, 0, 1)  # 1: the game has ended
    end_reason: int = field(np.int32, 0, MOST)  # 0 while it runs; otherwise the game's own code
    decisions: int = field(np.int32, 0, MOST)  # decisions taken so far, forced ones included
    fault: int = field(np.int32, 0, 0)  # 1: a rule invariant was violated (a bug); the batch raises
    depth: int = field(np.int32, 0, MAX_DEPTH)  # frames on the stack
    stack: Grid = field(np.int32, -MOST - 1, MOST, (MAX_DEPTH, FRAME_SIZE))  # by kind: `RecordLayout.frames`
    journal_size: int = field(np.int32, 0, JOURNAL_LENGTH)  # entries since the last decision asked of a caller
    journal: Grid = field(np.int8, -128, 127, (JOURNAL_LENGTH, 4))  # no rule reads it

    def __init_subclass__(cls, journal_length: int = JOURNAL_LENGTH) -> None:
        """Declare the journal of a game with another length."""
        if journal_length != JOURNAL_LENGTH:
            cls.journal_size = field(np.int32, 0, journal_length)
            cls.journal = field(np.int8, -128, 127, (journal_length, 4))


@rule
def push(s: Any, kind: int, side: int, a: int = 0, b: int = 0, c: int = 0, d: int = 0, e: int = 0, f: int = 0) -> None:
    """Put a frame on top of the stack, with its arguments in columns A to F."""
    if s.depth >= MAX_DEPTH:
        s.fault = 1
        return

    frame = s.stack[s.depth]
    frame[FRAME_KIND] = kind
    frame[FRAME_SIDE] = side
    frame[FRAME_A] = a
    frame[FRAME_B] = b
    frame[FRAME_C] = c
    frame[FRAME_D] = d
    frame[FRAME_E] = e
    frame[FRAME_F] = f
    s.depth += 1


@small_rule
def pop(s: Any) -> None:
    """Take the top frame off; the row is cleared so that equal positions have equal bytes."""
    s.depth -= 1
    for i in range(FRAME_SIZE):
        s.stack[s.depth, i] = 0


@small_rule
def note(s: Any, code: int, a: int, b: int, c: int) -> None:
    """Write one line into the journal: what happened since the last decision, for logs and drawings."""
    if s.journal_size < s.journal.shape[0]:
        entry = s.journal[s.journal_size]
        entry[JOURNAL_CODE] = code
        entry[JOURNAL_A] = a
        entry[JOURNAL_B] = b
        entry[JOURNAL_C] = c
        s.journal_size += 1


@small_rule
def fill_journal(s: Any) -> None:
    """Count every entry as written, whatever it holds: a full journal takes no notes."""
    s.journal_size = s.journal.shape[0]


@rule
def clear_journal(s: Any) -> None:
    """Empty the journal and its bytes."""
    for i in range(s.journal_size):
        for j in range(4):
            s.journal[i, j] = 0
    s.journal_size = 0


def journal_sentences(s: Any, sentence: Callable[[int, int, int, int], str]) -> list[str]:
    """The journal in words, in order; `sentence` puts an entry (code, a, b, c) into words."""
    entries = [s.journal[i] for i in range(int(s.journal_size))]
    lines = [sentence(*(int(e[k]) for k in (JOURNAL_CODE, JOURNAL_A, JOURNAL_B, JOURNAL_C))) for e in entries]
    return lines + ["(more happened than the journal holds)"] * (len(lines) == len(s.journal))
