"""The compiled loops over the records of a batch, built once for each game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rfop_env.compiler import JIT, kernel
from rfop_env.compiler.native_rules import ADVISE, DETERMINIZE, PLAY, NativeRules
from rfop_env.core.advance import make_advance, no_advice
from rfop_env.core.errors import UnknownName
from rfop_env.core.game import Game, Rules
from rfop_env.core.legal_actions import NO_ACTION, random_legal
from rfop_env.core.random_stream import new_chance
from rfop_env.core.team import publish


def make_observe(rules: Rules) -> Callable[..., None]:
    """The loop that writes the observation of a seat of each game into `observation`, int8 [N, D]."""
    observe = rules.observe

    def observe_all(states: Any, components: Any, seats: Any, observation: Any) -> None:
        for i in range(states.shape[0]):
            observation[i, :] = 0
            observe(states[i], components[0], seats[i], observation[i])

    return observe_all


def make_advise(rules: Rules) -> Callable[..., None]:
    """The loop that writes the action of scripted player `which` into `actions`, int64 [N]; ended games keep theirs."""
    advise = rules.advise or no_advice

    def advise_all(states: Any, components: Any, mask: Any, which: int, actions: Any) -> None:
        for i in range(states.shape[0]):
            if states[i].over == 0:
                actions[i] = advise(states[i], components[0], mask[i], which)

    return advise_all


def draw_actions(states: Any, mask: Any, stream: int, actions: Any) -> None:
    """Draw a random legal action for each running game from a stream of its record: int64 [N]; others keep theirs."""
    for i in range(states.shape[0]):
        if states[i].over == 0:
            actions[i] = random_legal(states[i], stream, mask[i])


def make_determinize(rules: Rules) -> Callable[..., None]:
    """The loop that draws anew, from `keys`, what a seat of each game cannot see."""
    determinize = rules.determinize

    def determinize_all(states: Any, components: Any, seats: Any, keys: Any) -> None:
        for i in range(states.shape[0]):
            new_chance(states[i], keys[i])
            determinize(states[i], components[0], seats[i])

    return determinize_all


def make_payoffs(rules: Rules) -> Callable[..., None]:
    """The loop that writes the return of every seat so far into `returns`, float32 [N, P]."""
    payoff = rules.payoff

    def payoffs(states: Any, components: Any, kind: int, scale: float, returns: Any) -> None:
        for i in range(states.shape[0]):
            for p in range(returns.shape[1]):
                returns[i, p] = scale * payoff(states[i], components[0], p, kind)

    return payoffs


class Kernels:
    """The compiled loops of one game, shared by all its batches."""

    _built: ClassVar[dict[tuple[Any, ...], Kernels]] = {}

    def __init__(self, game: Game, components: np.dtype[Any]):
        dtypes = game.state, components
        name = game.rules_name

        blank = np.zeros(1, game.state)
        self.blank: Any = blank if JIT else blank.view(np.recarray)  # a record of zeros, what a reset starts from

        self.native = NativeRules(game.rules, *dtypes, name, f"the rules of {game.title}")
        rules, before = self.native.called, self.native.before

        def loop(function: Any, kind: str, *parts: int) -> Any:
            return kernel(function, f"{name}.{kind}", before=before(*parts))

        self.advance = loop(make_advance(rules, *dtypes), "advance", PLAY)
        self.observe = loop(make_observe(rules), "observe", PLAY)
        self.payoffs = loop(make_payoffs(rules), "payoffs", PLAY)
        self.determinize = loop(make_determinize(rules), "redraw", DETERMINIZE)
        self.advise = loop(make_advise(rules), "ask", ADVISE)
        self.draw = kernel(draw_actions, "core.draw")
        self.publish = kernel(publish, "core.publish")

    @classmethod
    def of(cls, game: Game) -> Kernels:
        """The kernels of a game's rules."""
        key = (game.rules, game.state)
        if key not in cls._built:
            cls._built[key] = cls(game, game.load_components(None).record.dtype)
        return cls._built[key]


def scripted_actions(
    game: Game, states: NDArray[Any], components: Any, mask: NDArray[np.bool_], name: str
) -> NDArray[np.int64]:
    """The actions of a scripted player for the seats that decide: int64 [n], `NO_ACTION` in ended games.

    `states`: records [n]; they are left as they are but for the draws of stream `BOT`. `mask`: their legal actions,
    bool [n, A]. Raises `UnknownName`.
    """
    names = [player.name for player in game.scripted]
    if name not in names:
        raise UnknownName(f"scripted player of {game.id}", name, names)

    actions = np.full(len(mask), NO_ACTION, np.int64)
    legal = np.array(mask)  # a read-only array would compile the kernel anew, and rules may strike actions off
    Kernels.of(game).advise(states, components.record, legal, names.index(name), actions)
    return actions


def random_actions(game: Game, states: NDArray[Any], mask: NDArray[np.bool_], stream: int) -> NDArray[np.int64]:
    """Draw a random legal action in each game from a stream of its record: int64 [n], `NO_ACTION` in ended games.

    The records [n] are left as they are but for that stream's draws. `mask`: the legal actions, bool [n, A].
    """
    actions = np.full(len(mask), NO_ACTION, np.int64)
    Kernels.of(game).draw(states, np.array(mask), stream, actions)
    return actions
