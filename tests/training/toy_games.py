"""Tiny games that a correct trainer solves in seconds; tests train on each and require near-optimal play.

==========  ==========================================================================================================
`bandit`    80 arms of fixed value, 4 of them legal in a game; only the mask shows which. Fails a trainer that
            samples illegal actions and replaces them.
`sign`      each of two seats answers a coin, the first seat by its other side; the reward comes with the second
            answer. Fails a trainer that rewards the mover alone, or takes advantages from the other seat's view.
`memory`    each of two seats sees a symbol at its first decision and must name it at its fourth. Fails a network
            without a memory.
`turns`     each of two seats answers three coins in a turn, two turns each. Fails a trainer that flips the sign at
            every decision, as if seats always alternated.
`dice`      at each of five decisions, roll and stop, or wait for one point more. Fails a trainer that discounts at
            every decision.
==========  ==========================================================================================================

Each is a complete `Game` for batch, agents and evaluation: `toy("sign")`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rfop_env.agent import Agent, RandomAgent
from rfop_env.compiler import rule
from rfop_env.core.action_table import ActionTable
from rfop_env.core.decisions import Header
from rfop_env.core.errors import UnknownName
from rfop_env.core.game import Game, GameSpec, Presentation, Reward, Rules
from rfop_env.core.observation_layout import ObservationLayout, Piece
from rfop_env.core.random_stream import DEAL, DICE, random_below
from rfop_env.core.record import RecordLayout, Vector, field
from rfop_training.evaluation.games import play

MOST = 8  # coins, symbols or legal arms that a position can hold


class State(Header):
    """A position of any of these games."""

    turn: int = field(np.int32, 0, 1000)  # decisions so far
    secret: Vector = field(np.int32, 0, 79, (MOST,))  # the right answers; each game decides who sees them
    points: Vector = field(np.int32, -1000, 1000, (2,))
    seats: int = field(np.int32, 1, 2)


RECORD = RecordLayout(State.fields())
COMPONENTS = np.dtype([("nothing", np.int32)])
ARMS, OFFERED = 80, 4
SYMBOLS, WAITS = 4, 3
COINS, TURNS = 3, 2  # coins in a turn, turns of a seat
FACES, WAITING = 6, 4  # faces of the die; decisions at which one may wait
SEEN = 7  # entries of an observation besides the lead


@rule
def start(s: Any, seats: int) -> None:
    """Clear the record for a new game."""
    s.turn = 0
    s.seats = seats
    for k in range(2):
        s.points[k] = 0
    for k in range(MOST):
        s.secret[k] = 0


@rule
def finish(s: Any) -> None:
    """End the game."""
    s.over = s.end_reason = 1


@rule
def payoff(s: Any, c: Any, seat: int, kind: int) -> int:
    """The seat's points less those of the other seat, at the end."""
    if s.over == 0:
        return 0
    return int(s.points[seat]) - (int(s.points[1 - seat]) if s.seats == 2 else 0)


@rule
def no_determinize(s: Any, c: Any, seat: int) -> None:
    """Determinize nothing: what is hidden is not searched."""


# -- bandit: only the mask distinguishes games -------------------------------------------------------------------------


@rule
def bandit_deal(s: Any, c: Any, options: Any) -> None:
    """Choose 4 different arms at random."""
    start(s, 1)
    for k in range(OFFERED):
        s.secret[k] = random_below(s, DEAL, ARMS // OFFERED) * OFFERED + k


@rule
def bandit_legal(s: Any, c: Any, mask: Any) -> None:
    """The arms on offer."""
    for k in range(OFFERED):
        mask[s.secret[k]] = True


@rule
def bandit_apply(s: Any, c: Any, action: int) -> None:
    """Pay 7 a modulo 80 points for arm a."""
    s.points[0] = action * 7 % ARMS
    finish(s)


@rule
def bandit_observe(s: Any, c: Any, seat: int, o: Any) -> None:
    """A constant."""
    o[0] = 1


# -- sign: the first seat is paid when the second has moved ------------------------------------------------------------


@rule
def sign_deal(s: Any, c: Any, options: Any) -> None:
    """Toss a coin for each seat."""
    start(s, 2)
    for k in range(2):
        s.secret[k] = random_below(s, DEAL, 2)


@rule
def coin_legal(s: Any, c: Any, mask: Any) -> None:
    """Heads or tails."""
    mask[0] = mask[1] = True


@rule
def sign_apply(s: Any, c: Any, action: int) -> None:
    """Pay a point for the side of the seat's coin in the second seat, for the other side in the first."""
    s.points[s.player] = int((action == s.secret[s.player]) == (s.player == 1))
    s.player = s.turn = s.turn + 1
    if s.turn == 2:
        s.player = 1
        finish(s)


@rule
def sign_observe(s: Any, c: Any, seat: int, o: Any) -> None:
    """The seat's coin, the seat, and the points of the other seat."""
    o[0], o[1], o[2] = s.secret[seat], seat, s.points[1 - seat]


# -- memory: each seat sees its symbol once ----------------------------------------------------------------------------


@rule
def memory_deal(s: Any, c: Any, options: Any) -> None:
    """Choose a symbol for each seat."""
    start(s, 2)
    for k in range(2):
        s.secret[k] = random_below(s, DEAL, SYMBOLS)


@rule
def memory_legal(s: Any, c: Any, mask: Any) -> None:
    """Two equal ways to wait, and at the end every symbol."""
    if s.turn < 2 * WAITS:
        mask[0] = mask[1] = True
    else:
        for k in range(SYMBOLS):
            mask[k] = True


@rule
def memory_apply(s: Any, c: Any, action: int) -> None:
    """Pay a point for the seat's symbol."""
    if s.turn >= 2 * WAITS:
        s.points[s.player] = int(action == s.secret[s.player])
    s.turn += 1
    if s.turn == 2 * WAITS + 2:
        finish(s)
    else:
        s.player = s.turn % 2


@rule
def memory_observe(s: Any, c: Any, seat: int, o: Any) -> None:
    """The seat's symbol, at its first decision only, and whether it must be named now."""
    if s.turn < 2:
        o[s.secret[seat]] = 1
    o[SYMBOLS] = int(s.turn >= 2 * WAITS)


# -- turns: three decisions, then the other seat -----------------------------------------------------------------------


@rule
def turns_deal(s: Any, c: Any, options: Any) -> None:
    """Toss the coins of the first turn."""
    start(s, 2)
    toss(s)


@rule
def toss(s: Any) -> None:
    """Toss the coins of a turn."""
    for k in range(COINS):
        s.secret[k] = random_below(s, DICE, 2)


@rule
def turns_apply(s: Any, c: Any, action: int) -> None:
    """Pay a point for each right answer; the turn ends with the last coin."""
    coin = s.turn % COINS
    s.points[s.player] += int(action == s.secret[coin])
    s.turn += 1
    if s.turn == 2 * TURNS * COINS:
        finish(s)
    elif coin == COINS - 1:
        s.player = 1 - s.player
        toss(s)


@rule
def turns_observe(s: Any, c: Any, seat: int, o: Any) -> None:
    """The coins, which of them is asked for, and the lead in points."""
    for k in range(COINS):
        o[k] = s.secret[k]
        o[COINS + k] = int(s.turn % COINS == k)
    o[SEEN] = int(s.points[seat]) - int(s.points[1 - seat])


# -- dice: luck is larger than skill -----------------------------------------------------------------------------------


@rule
def dice_deal(s: Any, c: Any, options: Any) -> None:
    """Start a game of one seat."""
    start(s, 1)


@rule
def dice_legal(s: Any, c: Any, mask: Any) -> None:
    """Roll, or wait; waiting at the last decision gives nothing."""
    mask[0] = mask[1] = True


@rule
def dice_apply(s: Any, c: Any, action: int) -> None:
    """Roll for two dice and a point for each wait, or wait; waiting at the last decision gives nothing."""
    if action == 0:
        s.points[0] = random_below(s, DICE, FACES) + random_below(s, DICE, FACES) + s.turn
    s.turn += 1
    if action == 0 or s.turn > WAITING:
        finish(s)


@rule
def dice_observe(s: Any, c: Any, seat: int, o: Any) -> None:
    """The number of waits so far."""
    o[s.turn] = 1


# -- the games ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Components:
    """The component set of a toy game, which is empty."""

    record: Any
    name: str = "own"
    digest: str = "toy"


def load_components(path: str | Path | None) -> Components:
    """The empty record."""
    return Components(np.zeros(1, COMPONENTS).view(np.recarray))


def _winners(s: Any) -> tuple[bool, ...]:
    points = [int(s.points[k]) for k in range(int(s.seats))]
    return tuple(own == max(points) > min([*points, 0]) for own in points)


def _toy(
    name: str, seats: int, actions: int, longest: int, most_decisions: int,
    deal: Callable, legal: Callable, apply: Callable, observe: Callable,
) -> Game:  # fmt: skip
    """A toy game with this number of actions, at most `longest` decisions and at most `most_decisions` points."""
    text = f"a toy: {name}"
    names = tuple(f"player_{k}" for k in range(seats))
    return Game(
        id=f"Toy{name.capitalize()}-v0",
        title=f"Toy game: {name}",
        folder=Path(__file__).parent,
        spec=GameSpec(names, longest, -1.0, 1.0, zero_sum=seats == 2, hidden_information=True, chance=True),
        record=RECORD,
        rules=Rules(deal, legal, apply, observe, payoff, no_determinize),
        actions=ActionTable([("answer", "give answer {}", [str(n) for n in range(actions)])]),
        observation=ObservationLayout(
            [
                Piece("seen", SEEN, 0, 1, "private", "what the game shows"),
                Piece("lead", 1, -COINS * TURNS, COINS * TURNS, "public", "points ahead"),
            ]
        ),
        rewards=(Reward("points", 1 / most_decisions, f"points, {most_decisions} at most"),),
        end_reasons=("running", "over"),
        load_components=load_components,
        presentation=Presentation(
            draw_text=lambda s, components, viewer=None: text,
            draw_svg=lambda s, components, **_: f'<svg xmlns="http://www.w3.org/2000/svg"><text>{text}</text></svg>',
        ),
        seat_names=lambda s: names,
        winners=_winners,
        points="points",
    )


@functools.cache
def toy(name: str) -> Game:
    """A toy game by its name. Raises `UnknownName`."""
    bandit = (bandit_deal, bandit_legal, bandit_apply, bandit_observe)
    memory = (memory_deal, memory_legal, memory_apply, memory_observe)
    turns = (turns_deal, coin_legal, turns_apply, turns_observe)
    arguments: dict[str, tuple[Any, ...]] = {
        "bandit": (1, ARMS, 1, ARMS, *bandit),
        "sign": (2, 2, 2, 1, sign_deal, coin_legal, sign_apply, sign_observe),
        "memory": (2, SYMBOLS, 2 * WAITS + 2, 1, *memory),
        "turns": (2, 2, 2 * TURNS * COINS, TURNS * COINS, *turns),
        "dice": (1, 2, WAITING + 1, 2 * FACES + WAITING, dice_deal, dice_legal, dice_apply, dice_observe),
    }
    if name not in arguments:
        raise UnknownName("toy game", name, arguments)
    return _toy(name, *arguments[name])


def worst_seat(game: Game, agent: Agent, deals: int) -> float:
    """The mean points of an agent against random players, in the seat where they are the fewest."""
    points = []
    for seat in range(game.spec.players):
        seated = [agent if k == seat else RandomAgent() for k in range(game.spec.players)]
        points.append(play(game, seated, range(deals), seat).points.mean())
    return min(points)
