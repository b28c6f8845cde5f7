"""A game whose whole tree is a table in its component record: any small game, without compiling anything anew.

A row of the table asks a seat, rolls a die, or ends the game. Where an action leads may depend on a coin that is tossed
at the deal and seen by the last seat alone. Returns are in tenths.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rfop_env.compiler import rule
from rfop_env.core.action_table import ActionTable
from rfop_env.core.decisions import NOBODY, Header
from rfop_env.core.game import Game, GameSpec, Opponent, Presentation, Reward, Rules
from rfop_env.core.observation_layout import ObservationLayout, Piece
from rfop_env.core.random_stream import DEAL, DICE, DETERMINIZE, random_below
from rfop_env.core.record import Field, RecordLayout

ROWS, CHOICES, SEATS, COINS = 40, 4, 3, 2
NOWHERE = -1
ASK, ROLL, END = range(3)
RECORD = RecordLayout([*Header.fields(), Field("row", np.int32, 0, ROWS - 1), Field("coin", np.int32, 0, COINS - 1)])
COMPONENTS = np.dtype(
    [
        ("kind", np.int32, (ROWS,)),
        ("seat", np.int32, (ROWS,)),
        ("next", np.int32, (ROWS, CHOICES, COINS)),  # NOWHERE: not legal
        ("tenths", np.int32, (ROWS, SEATS)),
        ("advice", np.int32, (ROWS,)),
    ],
    align=True,
)
TABLE = ActionTable([("choose", "choose {}", [str(a) for a in range(CHOICES)])])
LAYOUT = ObservationLayout(
    [
        Piece("row", ROWS, 0, 1, "public", "where the game stands", tuple(str(i) for i in range(ROWS))),
        Piece("coin", COINS, 0, 1, "private", "the coin, for the last seat", ("heads", "tails")),
    ]
)


@rule
def deal(s: Any, c: Any, options: Any) -> None:
    """Toss the coin and go to the first row."""
    s.row = 0
    s.coin = random_below(s, DEAL, COINS)
    s.player = c.seat[0]


@rule
def legal(s: Any, c: Any, mask: Any) -> None:
    """The actions that lead somewhere."""
    for a in range(CHOICES):
        mask[a] = c.next[s.row, a, s.coin] != NOWHERE


@rule
def apply(s: Any, c: Any, action: int) -> None:
    """Go to the next row, and on while dice decide."""
    s.row = c.next[s.row, action, s.coin]
    while c.kind[s.row] == ROLL:
        sides = 0
        for a in range(CHOICES):
            sides += int(c.next[s.row, a, s.coin] != NOWHERE)
        s.row = c.next[s.row, random_below(s, DICE, sides), s.coin]
    s.player = c.seat[s.row]
    if c.kind[s.row] == END:
        s.over = s.end_reason = 1


@rule
def observe(s: Any, c: Any, seat: int, o: Any) -> None:
    """The row; the coin for the last seat."""
    o[s.row] = 1
    if seat == SEATS - 1:
        o[ROWS + s.coin] = 1


@rule
def payoff(s: Any, c: Any, seat: int, kind: int) -> int:
    """What the row gives: the last one, and others that are told to."""
    return int(c.tenths[s.row, seat])


@rule
def determinize(s: Any, c: Any, seat: int) -> None:
    """Toss the coin again, but for the seat that sees it."""
    if seat not in (SEATS - 1, NOBODY):
        s.coin = random_below(s, DETERMINIZE, COINS)


@rule
def advise(s: Any, c: Any, mask: Any, which: int) -> int:
    """What the table says."""
    return int(c.advice[s.row])


@dataclass(frozen=True)
class Components:
    """A table."""

    record: Any
    name: str = "table"
    digest: str = "table"


def tree(*rows: Any) -> Components:
    """A table from rows: `(seat, [targets])`, `("roll", [targets])`, or the returns of the seats in tenths.

    A target is a row's number, or a pair for heads and tails (None: not legal). The advice is the first legal action.
    """
    record = np.zeros(1, COMPONENTS).view(np.recarray)
    c = record[0]
    c.next[...] = NOWHERE
    for i, row in enumerate(rows):
        if len(row) == SEATS:
            c.kind[i], c.tenths[i] = END, row
            continue
        who, targets = row
        c.kind[i], c.seat[i] = (ROLL, 0) if who == "roll" else (ASK, who)
        for a, target in enumerate(targets):
            pair = target if isinstance(target, tuple) else (target, target)
            c.next[i, a] = [NOWHERE if t is None else t for t in pair]
    return Components(record)


@functools.cache
def table_game(scripted: bool = False) -> Game:
    """The game of three seats, played with `components=tree(...)`; with or without its scripted player."""
    return Game(
        id="Table-v0", title="Table", folder=Path(__file__).parent,
        spec=GameSpec(("a_0", "b_1", "c_2"), 20, -1.0, 1.0, zero_sum=False, hidden_information=True, chance=True),
        record=RECORD, rules=Rules(deal, legal, apply, observe, payoff, determinize, advise if scripted else None),
        actions=TABLE, observation=LAYOUT, options=(), rewards=(Reward("outcome", 0.1, "tenths"),),
        end_reasons=("running", "ended"), load_components=lambda path: tree((0, [1, 1]), (0, 0, 0)),
        presentation=Presentation(lambda s, components: "", lambda s, components, legal, previous: "<svg/>"),
        seat_names=lambda s: ("a", "b", "c"),
        winners=lambda s: (False, False, False), points="outcome",
        scripted=(Opponent("first", "the first legal action"),) if scripted else (),
    )  # fmt: skip
