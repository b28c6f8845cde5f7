"""Liar's Race, a game made up for the tests of the core and the interfaces: small, but with every trait they must bear.

It has what `examples/liars_dice.py`, the game to copy, lacks: options, a form for one seat, component files, and rules
that are wrong on purpose, for the checks that must find them.

Each side hides a die. The side on turn may reroll it (one token a game), then claims a value above the last claim; the
other side believes or doubts. A believed or true claim scores its value for the claimant, a caught lie for the doubter.
Reaching the target, or the higher score after the last turn, wins. It has hidden information, chance, several decisions
in a turn, forced decisions (no token; only claim 6 left), options, draws, a scripted opponent and a component file.
"""

from __future__ import annotations

import functools
import hashlib
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rfop_env.compiler import rule
from rfop_env.core.action_table import ActionTable
from rfop_env.core.decisions import NOBODY, Header, note
from rfop_env.core.game import Game, GameSpec, Opponent, Option, Presentation, Reward, Rules
from rfop_env.core.observation_layout import ObservationLayout, Piece
from rfop_env.core.record import RecordLayout, Vector, field
from rfop_env.core.random_stream import BOT, DEAL, DICE, DETERMINIZE, random_below


class State(Header):
    """A position of the toy game."""

    bot: int = field(np.int32, -1, 1)  # the scripted side, -1 in the two-player game
    die: Vector = field(np.int32, 1, 6, (2,))  # hidden from the other side
    seen: Vector = field(np.int32, 0, 6, (2,))  # the value that a doubt revealed last, 0 none; public
    score: Vector = field(np.int32, 0, 100, (2,))
    token: Vector = field(np.int32, 0, 1, (2,))  # 1: the side may still reroll
    phase: int = field(np.int32, 0, 2)  # ROLLING, CLAIMING, ANSWERING
    side: int = field(np.int32, 0, 1)  # who decides
    claim: int = field(np.int32, 0, 6)  # the last claim, 0 none
    turns: int = field(np.int32, 0, 100)  # turns left
    target: int = field(np.int32, 0, 100, option=True)


RECORD = RecordLayout(State.fields())
STATE = RECORD.dtype
COMPONENTS = np.dtype([("target", np.int32, (2,)), ("turns", np.int32)])
ROLLING, CLAIMING, ANSWERING = range(3)
TABLE = ActionTable(
    [
        ("keep", "keep the die", [""]),
        ("reroll", "reroll the die and pay the token", [""]),
        ("claim", "claim a {}", [str(n) for n in range(1, 7)]),
        ("believe", "believe the claim", [""]),
        ("doubt", "doubt the claim", [""]),
    ]
)
KEEP, REROLL, CLAIM, BELIEVE, DOUBT = (TABLE.first(kind) for kind in TABLE.kinds)
LAYOUT = ObservationLayout(
    [
        Piece("die", 6, 0, 1, "private", "own die", tuple("123456")),
        Piece("score", 2, 0, 30, "public", "points", ("own", "enemy")),
        Piece("token", 2, 0, 1, "public", "reroll tokens", ("own", "enemy")),
        Piece("seen", 2, 0, 6, "public", "dice revealed last", ("own", "enemy")),
        Piece("phase", 3, 0, 1, "public", "what is asked", ("roll", "claim", "answer")),
        Piece("on_turn", 1, 0, 1, "public", "this seat decides"),
        Piece("claim", 1, 0, 6, "public", "the last claim"),
        Piece("turns", 1, 0, 20, "public", "turns left"),
        Piece("target", 1, 0, 30, "public", "points that win"),
    ]
)


@rule
def deal(s: Any, c: Any, options: Any) -> None:
    """Hide a die each; options: length, bot (-1, 0, 1), drawn from the deal when 2."""
    s.claim = 0
    s.target, s.turns = c.target[options[0]], c.turns
    s.bot = options[1] if options[1] < 2 else random_below(s, DEAL, 2)
    for side in range(2):
        s.die[side] = random_below(s, DEAL, 6) + 1
        s.score[side] = s.seen[side] = 0
        s.token[side] = 1
    s.phase, s.side = ROLLING, random_below(s, DEAL, 2)
    settle(s)


@rule
def legal(s: Any, c: Any, mask: Any) -> None:
    """Set the legal actions."""
    if s.phase == ROLLING:
        mask[KEEP] = True
        mask[REROLL] = s.token[s.side] == 1
    elif s.phase == CLAIMING:
        for value in range(s.claim + 1, 7):
            mask[CLAIM + value - 1] = True
    else:
        mask[BELIEVE] = mask[DOUBT] = True


@rule
def apply(s: Any, c: Any, action: int) -> None:
    """Carry out an action, and the scripted side's answer to it."""
    move(s, action)
    settle(s)


@rule
def settle(s: Any) -> None:
    """Let the scripted side act, and name the seat that decides."""
    while s.over == 0 and s.side == s.bot:
        if s.phase == ROLLING:
            move(s, KEEP)
        elif s.phase == CLAIMING:
            move(s, CLAIM + max(int(s.claim) + 1, int(s.die[s.side])) - 1)
        else:
            move(s, BELIEVE + random_below(s, BOT, 2))
    s.player = s.side if s.bot < 0 else 0


@rule
def move(s: Any, action: int) -> None:
    """One decision of the side that decides."""
    note(s, action, s.side, 0, 0)
    if action == REROLL:
        s.token[s.side] = 0
        s.die[s.side] = random_below(s, DICE, 6) + 1
    if action <= REROLL:
        s.phase = CLAIMING
    elif action < BELIEVE:
        s.claim = action - CLAIM + 1
        s.phase, s.side = ANSWERING, 1 - s.side
    else:
        answer(s, action == DOUBT)


@rule
def answer(s: Any, doubted: bool) -> None:
    """Score a claim, and give the turn to the side that answered."""
    claimant = 1 - s.side
    caught = doubted and s.die[claimant] < s.claim
    winner = s.side if caught else claimant
    s.score[winner] += s.claim
    if doubted:
        s.seen[claimant] = s.die[claimant]
        s.die[claimant] = random_below(s, DICE, 6) + 1
    if s.claim == 6:
        s.claim = 0
    s.turns -= 1
    s.phase = ROLLING
    if s.score[winner] >= s.target:
        s.over, s.end_reason = 1, 1
    elif s.turns == 0:
        s.over, s.end_reason = 1, 2


@rule
def observe(s: Any, c: Any, seat: int, o: Any) -> None:
    """What a seat sees, its own side first."""
    own = seat if s.bot < 0 else 1 - s.bot
    o[s.die[own] - 1] = 1
    for k in range(2):
        side = own if k == 0 else 1 - own
        o[6 + k] = s.score[side]
        o[8 + k] = s.token[side]
        o[10 + k] = s.seen[side]
    o[12 + s.phase] = 1
    o[15], o[16], o[17], o[18] = int(s.side == own), s.claim, s.turns, s.target


@rule
def observe_too_much(s: Any, c: Any, seat: int, o: Any) -> None:
    """A deliberate leak for the tests: the enemy's die shows in the entry of the last claim."""
    observe(s, c, seat, o)
    o[16] = s.die[s.bot if s.bot >= 0 else 1 - seat]


@rule
def payoff(s: Any, c: Any, seat: int, kind: int) -> int:
    """1, 0, -1, or the difference in points within 20."""
    own = seat if s.bot < 0 else 1 - s.bot
    margin = int(s.score[own]) - int(s.score[1 - own])
    if kind == 0:
        return int(margin > 0) - int(margin < 0)
    return min(20, max(-20, margin))


@rule
def determinize(s: Any, c: Any, seat: int) -> None:
    """Determinize the enemy's die: a claim proves nothing about it, since it may be a lie. A seat sees each die."""
    if seat == NOBODY:
        return
    own = seat if s.bot < 0 else 1 - s.bot
    s.die[1 - own] = random_below(s, DETERMINIZE, 6) + 1


@rule
def turn_die(s: Any, c: Any, seat: int) -> None:
    """A determinization as it must not be: from the die drawn and what is known of the stream, the true die follows."""
    if seat == NOBODY:
        return
    own = seat if s.bot < 0 else 1 - s.bot
    s.die[1 - own] = (s.die[1 - own] + random_below(s, DETERMINIZE, 6)) % 6 + 1


@rule
def draw_for_nobody(s: Any, c: Any, seat: int) -> None:
    """A determinization as it must not be: for NOBODY it draws a die that its own seat sees."""
    if seat == NOBODY:
        s.die[0] = random_below(s, DETERMINIZE, 6) + 1
    else:
        determinize(s, c, seat)


@rule
def advise(s: Any, c: Any, mask: Any, which: int) -> int:
    """The honest player: claims no more than its die where it can, and doubts a high claim now and then."""
    if s.phase == ROLLING:
        return KEEP
    if s.phase == CLAIMING:
        return CLAIM + max(int(s.claim) + 1, int(s.die[s.side])) - 1
    return DOUBT if s.claim > 3 and random_below(s, BOT, 2) == 0 else BELIEVE


@rule
def advise_unfairly(s: Any, c: Any, mask: Any, which: int) -> int:
    """A deliberate cheat for the tests: it doubts just the lies."""
    if s.phase == ANSWERING:
        return DOUBT if s.die[1 - s.side] < s.claim else BELIEVE
    return advise(s, c, mask, which)


@dataclass(frozen=True)
class Components:
    """The numbers of the game, from a TOML file or as they are."""

    record: Any
    name: str
    digest: str


def load_components(path: str | Path | None) -> Components:
    """`target = [short, long]` and `turns` from a file; None for the game's own."""
    text = "target = [12, 20]\nturns = 6\n" if path is None else Path(path).read_text()
    values = tomllib.loads(text)
    record = np.zeros(1, COMPONENTS).view(np.recarray)
    record["target"][0], record["turns"][0] = values["target"], values["turns"]
    return Components(record, "own" if path is None else str(path), hashlib.sha256(text.encode()).hexdigest()[:8])


def problems(s: Any, components: Any) -> list[str]:
    """Ways in which a position is faulty."""
    found = []
    if not 0 <= s.turns <= components.turns or (s.turns == 0 and not s.over):
        found.append(f"{s.turns} turns left")
    if (s.score >= s.target).any() and not s.over:
        found.append("the target is reached and the game goes on")
    return found


def journal(s: Any, components: Any) -> list[str]:
    """What happened since the last decision."""
    return [f"{('Red', 'Blue')[line[1]]}: {TABLE.label(int(line[0]))}." for line in s.journal[: s.journal_size]]


def draw_text(s: Any, components: Any, viewer: int | None = None) -> str:
    """The position in a line."""
    return f"Red {s.score[0]}, Blue {s.score[1]}, claim {s.claim}, {s.turns} turns left"


def draw_svg(s: Any, components: Any, viewer: int | None = None, legal: Any = (), previous: Any = None) -> str:
    """The position as a drawing."""
    return f'<svg xmlns="http://www.w3.org/2000/svg"><text>{draw_text(s, components)}</text></svg>'


def _game(
    name: str,
    seats: tuple[str, ...],
    options: tuple[Option, ...],
    fixed: dict[str, int],
    see: Any,
    advice: Any = advise,
    draw_again: Any = determinize,
) -> Game:
    return Game(
        id=name,
        title="Liar's Race",
        folder=Path(__file__).parent,
        spec=GameSpec(seats, 60, -1.0, 1.0, zero_sum=len(seats) == 2, hidden_information=True, chance=True),
        record=RECORD,
        rules=Rules(deal, legal, apply, see, payoff, draw_again, advice),
        actions=TABLE,
        observation=LAYOUT,
        options=options,
        rewards=(Reward("outcome", 1.0, "1 win, 0 draw, -1 loss"), Reward("margin", 1 / 20, "points ahead / 20")),
        end_reasons=("running", "target reached", "last turn played"),
        load_components=load_components,
        problems=problems,
        presentation=Presentation(draw_text, draw_svg, journal),
        seat_names=lambda s: ("Red", "Blue")[: len(seats)] if s.bot < 0 else (("Blue", "Red")[s.bot],),
        winners=lambda s: tuple(bool(s.score[p] > s.score[1 - p]) for p in range(len(seats))),
        rule_options=("length", "bot"),
        fixed_options=fixed,
        scripted=(Opponent("honest", "claims what it has where it can"),) if len(seats) == 2 else (),
    )


LENGTH = Option("length", ("short", "long"), "points that win: 12 or 20")


@functools.cache
def two_player() -> Game:
    """The game for two seats."""
    return _game("LiarsRace-v0", ("red_0", "blue_1"), (LENGTH,), {"bot": -1}, observe)


@functools.cache
def solo() -> Game:
    """The game for one seat against the script; option `bot` names the script's side."""
    bot = Option("bot", ("red", "blue", "random"), "the scripted side")
    return _game("LiarsRaceSolo-v0", ("player_0",), (LENGTH, bot), {}, observe)


@functools.cache
def leaky() -> Game:
    """The two-player game with an observation that shows the enemy's die."""
    return _game("LiarsRaceLeaky-v0", ("red_0", "blue_1"), (LENGTH,), {"bot": -1}, observe_too_much)


@functools.cache
def cheating() -> Game:
    """The two-player game with a scripted player that looks at the enemy's die."""
    return _game("LiarsRaceCheating-v0", ("red_0", "blue_1"), (LENGTH,), {"bot": -1}, observe, advise_unfairly)


@functools.cache
def traceable() -> Game:
    """The two-player game with a determinization that starts from what is hidden."""
    return _game("LiarsRaceTraceable-v0", ("red_0", "blue_1"), (LENGTH,), {"bot": -1}, observe, advise, turn_die)


@functools.cache
def careless() -> Game:
    """The two-player game with a determinization that draws for NOBODY what a seat sees."""
    return _game("LiarsRaceCareless-v0", ("red_0", "blue_1"), (LENGTH,), {"bot": -1}, observe, advise, draw_for_nobody)
