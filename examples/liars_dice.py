"""Liar's Dice for two: a complete game in one file, to copy and to change. docs/extend.md goes through it.

Both players roll three dice behind a screen. In turn they bid, each higher than the last: "two 5s" says that at least
two of all dice show a 5. Whoever doubts a bid says "liar": if it was true the doubter loses a die, else the bidder
does. All roll anew, and the winner of the round bids first. Who has no dice left has lost.

    rfop check liars_dice.py
    rfop play liars_dice.py --opponent search-400
    rfop train ppo --env liars_dice.py --steps 500000 --run runs/liars
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rfop_env.compiler import rule
from rfop_env.core.action_table import ActionTable
from rfop_env.core.decisions import NOBODY, Header, journal_sentences, note
from rfop_env.core.game import Game, GameSpec, Opponent, Presentation, Reward, Rules
from rfop_env.core.observation_layout import ObservationLayout, Piece
from rfop_env.core.random_stream import DEAL, DETERMINIZE, DICE, random_below
from rfop_env.core.record import Grid, RecordLayout, Vector, field
from rfop_env.drawing.picture import picture_of_lines

EACH, FACES = 3, 6  # dice of a player at the start; faces of a die
BIDS = 2 * EACH * FACES  # bid b says: at least b // FACES + 1 dice show b % FACES + 1
LIAR = BIDS  # the action after all bids
NAMES = ("First", "Second")


# The header has who decides, whether the game is over, the seed, and a journal of four lines.
class State(Header, journal_length=4):
    """A position: integers, each with its range."""

    dice: Grid = field(np.int32, 0, FACES, (2, EACH))  # hidden from the other player; 0: lost
    left: Vector = field(np.int32, 0, EACH, (2,))  # dice of each player
    bids: Vector = field(np.int32, 0, 2, (BIDS,))  # 1 and 2: made in this round by the first and the second player
    bid: int = field(np.int32, NOBODY, BIDS - 1)  # the last one; NOBODY: none yet


RECORD = RecordLayout(State.fields())

ACTIONS = ActionTable(
    [
        ("bid", "bid {}", [f"{b // FACES + 1} of {b % FACES + 1}" for b in range(BIDS)]),
        ("liar", "doubt the bid", [""]),
    ]
)

# What a player sees, from the own side. It has all that matters of what was said, and nothing that is hidden.
OBSERVATION = ObservationLayout(
    [
        Piece("faces", FACES, 0, EACH, "private", "own dice that show each face", tuple("123456")),
        Piece("left", 2, 0, EACH, "public", "dice left", ("own", "enemy")),
        Piece("own bids", BIDS, 0, 1, "public", "own bids of this round"),
        Piece("enemy bids", BIDS, 0, 1, "public", "the enemy's bids of this round"),
    ]
)


# The rules: functions that change the record in place. They use integers, allocate nothing and raise nothing.


@rule
def roll(s: State, player: int, stream: int) -> None:
    """Roll the dice that a player has left."""
    for k in range(EACH):
        s.dice[player, k] = random_below(s, stream, FACES) + 1 if k < s.left[player] else 0


@rule
def begin_round(s: State, first: int, stream: int) -> None:
    """Roll all dice; a player bids first."""
    for b in range(BIDS):
        s.bids[b] = 0
    s.bid = NOBODY
    for player in range(2):
        roll(s, player, stream)
    s.player = first


@rule
def count_face(s: State, player: int, face: int) -> int:
    """How many dice of a player show a face."""
    count = 0
    for k in range(EACH):
        count += int(s.dice[player, k] == face)
    return count


@rule
def deal(s: State, c: Any, options: Any) -> None:
    """Set up a game, in a record of zeros."""
    for player in range(2):
        s.left[player] = EACH
    begin_round(s, random_below(s, DEAL, 2), DEAL)


@rule
def legal(s: State, c: Any, mask: Any) -> None:
    """Higher bids, for no more dice than there are; and doubt, once there is a bid."""
    for b in range(s.bid + 1, FACES * (s.left[0] + s.left[1])):
        mask[b] = True
    mask[LIAR] = s.bid != NOBODY


@rule
def apply(s: State, c: Any, action: int) -> None:
    """A bid hands the turn over; doubt ends the round, and the game when its loser has no dice left."""
    me, enemy = int(s.player), 1 - int(s.player)
    if action != LIAR:
        note(s, action, me, 0, 0)
        s.bid, s.bids[action] = action, 1 + me
        s.player = enemy
        return
    face = s.bid % FACES + 1
    count = count_face(s, 0, face) + count_face(s, 1, face)
    note(s, action, me, count, face)
    loser = me if count > s.bid // FACES else enemy
    s.left[loser] -= 1
    begin_round(s, 1 - loser, DICE)  # the loser first could lose all dice before the other has decided anything
    if s.left[loser] == 0:
        s.over = s.end_reason = 1


@rule
def observe(s: State, c: Any, seat: int, o: Any) -> None:
    """What a seat sees, in an array of zeros."""
    for k in range(s.left[seat]):
        o[s.dice[seat, k] - 1] += 1
    o[FACES], o[FACES + 1] = s.left[seat], s.left[1 - seat]
    for b in range(BIDS):
        o[FACES + 2 + b] = int(s.bids[b] == 1 + seat)
        o[FACES + 2 + BIDS + b] = int(s.bids[b] == 2 - seat)


@rule
def payoff(s: State, c: Any, seat: int, kind: int) -> int:
    """Reward kind 0: who won. Kind 1: dice ahead."""
    ahead = int(s.left[seat]) - int(s.left[1 - seat])
    return ahead if kind == 1 else int(ahead > 0) - int(ahead < 0)


@rule
def determinize(s: State, c: Any, seat: int) -> None:
    """Roll the enemy's dice anew, the only hidden information; no die is hidden from both seats."""
    if seat != NOBODY:
        roll(s, 1 - seat, DETERMINIZE)


@rule
def advise(s: State, c: Any, mask: Any, which: int) -> int:
    """The careful player: it counts a third of the enemy's dice for itself, and doubts what is more than that."""
    me = int(s.player)
    hope = (int(s.left[1 - me]) + 2) // 3
    if s.bid != NOBODY and s.bid // FACES + 1 > count_face(s, me, s.bid % FACES + 1) + hope:
        return LIAR
    for b in range(s.bid + 1, BIDS):
        if mask[b] and b // FACES < count_face(s, me, b % FACES + 1) + hope:
            return b
    return LIAR if s.bid != NOBODY else 0


# What people read, in plain Python.


def problems(s: Any, c: Any) -> list[str]:
    """Why a record from outside is no position of this game, though all its numbers are in range."""
    faults = []
    if any((s.dice[k, : s.left[k]] == 0).any() or s.dice[k, s.left[k] :].any() for k in range(2)):
        faults.append("dice that are lost are 0, and no others")
    if bool(s.left.min() == 0) != bool(s.over) or s.left.max() == 0:
        faults.append("the game is over when one player has no dice left")
    if s.bid >= FACES * s.left.sum() or s.bids[s.bid + 1 :].any() or (s.bid >= 0 and s.bids[s.bid] != 2 - s.player):
        faults.append("the last bid is the other player's, the highest, and for no more dice than there are")
    return faults


def sentence(action: int, player: int, count: int, face: int) -> str:
    """A line of the journal."""
    if action != LIAR:
        return f"{NAMES[player]}: {ACTIONS.label(action)}."
    return f"{NAMES[player]}: liar! {count} of the dice show a {face}."


def draw_text(s: State, components: Any, viewer: int | None = None) -> str:
    """The table as a seat sees it; None: the seat that decides."""
    seat = int(s.player) if viewer is None else viewer
    hands = [" ".join(str(d) if k == seat else "?" for d in s.dice[k, : s.left[k]]) or "no dice" for k in range(2)]
    bid = "none" if s.bid == NOBODY else f"{ACTIONS.label(int(s.bid))[4:]}s"
    return "\n".join([*(f"{name}: {hand}" for name, hand in zip(NAMES, hands, strict=True)), f"Last bid: {bid}"])


def draw_svg(
    s: State, components: Any, viewer: int | None = None, legal: Sequence[int] = (), previous: Any = None
) -> str:
    """The same as a picture."""
    return picture_of_lines(draw_text(s, components, viewer), "Liar's Dice")


game = Game(
    id="LiarsDice-v0",
    title="Liar's Dice",
    folder=Path(__file__),
    spec=GameSpec(
        seats=("first_0", "second_1"),
        max_decisions=sum(FACES * dice + 1 for dice in range(2, 2 * EACH + 1)),
        lowest_return=-1.0,
        highest_return=1.0,
        zero_sum=True,
        hidden_information=True,
        chance=True,
    ),
    record=RECORD,
    rules=Rules(deal, legal, apply, observe, payoff, determinize, advise),
    actions=ACTIONS,
    observation=OBSERVATION,
    rewards=(Reward("outcome", 1.0, "1 win, -1 loss"), Reward("margin", 1 / EACH, "dice ahead / 3")),
    end_reasons=("running", "a player has no dice left"),
    problems=problems,
    presentation=Presentation(draw_text, draw_svg, lambda s, components: journal_sentences(s, sentence)),
    seat_names=lambda s: NAMES,
    winners=lambda s: (bool(s.left[0] > 0), bool(s.left[1] > 0)),
    scripted=(Opponent("careful", "counts a third of the enemy's dice for itself, and doubts what is more"),),
)
