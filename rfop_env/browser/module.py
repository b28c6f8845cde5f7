"""The rules of a game as a WebAssembly module: what a page without a server asks for, in one function.

Its seven numbers are a task, the addresses of the state record and of the component record, two numbers `a` and `b`,
and the address and the length of an array:

BEGIN        array: options, int64 [K]          a new game of the record's seed and episode, in a record without more
SETTLE       array: bool [A]                    all forced decisions that come now, and the legal actions of the next
STEP         a: action; array: bool [A]         an action, and then the same
LEGAL        array: bool [A]                    the legal actions
OBSERVE      a: seat; array: int8 [D]           the observation of a seat
PAYOFF       a: seat; b: reward kind            answers the return of a seat in units, as `Rules.payoff`
DETERMINIZE  a: seat, or NOBODY; b: key         what the seat cannot see, and all chance to come, from a key of 32 bits
ADVISE       a: scripted player; array: bool    answers the action of a scripted player, which may draw from stream BOT
RANDOM       a: stream; array: bool [A]         answers a random action among those of the mask

SETTLE, STEP and LEGAL answer how many actions are legal: 0 at the end of the game, `FAULT` for a bug of the rules.
Records are what `GameBatch` makes of them: games of one seed and the same actions have the same bytes in both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rfop_env.compiler.code_digest import code_digest
from rfop_env.compiler.decorators import rule
from rfop_env.compiler.intrinsics import array_at, record_at
from rfop_env.compiler.kernel_cache import cached_code
from rfop_env.core.advance import ENDLESS, no_advice
from rfop_env.core.decisions import clear_journal
from rfop_env.core.game import Game, Rules
from rfop_env.core.legal_actions import count_legal, nth_legal, random_legal
from rfop_env.core.random_stream import begin_streams, new_chance

TASKS = ("begin", "settle", "step", "legal", "observe", "payoff", "determinize", "advise", "random")
BEGIN, SETTLE, STEP, LEGAL, OBSERVE, PAYOFF, DETERMINIZE, ADVISE, RANDOM = range(len(TASKS))
FAULT = -1
WORK_BYTES = 1024 * 1024  # for records, masks and observations


def rules_module(game: Game) -> bytes:
    """The module of a game, from the disk or compiled. Raises `MissingExtra` where there is no linker."""
    from rfop_env.compiler.webassembly import compile_module

    task, name = _game_task(game), f"{game.rules_name}.wasm"
    title = f"the rules of {game.title} as WebAssembly"
    digest = code_digest(task).text
    return cached_code(name, digest, f"{name}.module", title, lambda: compile_module(task, WORK_BYTES))


def sources_digest(game: Game) -> str:
    """The digest of all that a game's module is compiled from: 20 hexadecimal digits."""
    return code_digest(_game_task(game)).text


def _game_task(game: Game) -> Callable[..., int]:
    return make_task(game.rules, game.state, game.load_components(None).record.dtype)


def make_task(rules: Rules, state: np.dtype[Any], components: np.dtype[Any]) -> Callable[..., int]:
    """The function of seven numbers."""
    deal, legal, apply, observe, payoff = rules.deal, rules.legal, rules.apply, rules.observe, rules.payoff
    determinize, advise = rules.determinize, rules.advise or no_advice

    @rule
    def ask(s: Any, c: Any, mask: Any) -> int:
        # Rules that ask for nothing, or without end, are at fault.
        mask[:] = False
        if s.over == 1:
            return 0
        legal(s, c, mask)
        count = count_legal(mask)
        if count == 0 or s.decisions > ENDLESS:
            s.fault = 1
        return FAULT if s.fault == 1 else count

    @rule
    def settle(s: Any, c: Any, mask: Any) -> int:
        count = ask(s, c, mask)
        while count == 1:
            s.decisions += 1
            apply(s, c, nth_legal(mask, 0))
            count = ask(s, c, mask)
        return count

    def task(which: int, s_at: int, c_at: int, a: int, b: int, array: int, length: int) -> int:
        s, c = record_at(s_at, state), record_at(c_at, components)
        mask = array_at(array, length, np.bool_)
        if which == BEGIN:
            begin_streams(s)
            deal(s, c, array_at(array, length, np.int64))
        elif which == SETTLE:
            return settle(s, c, mask)
        elif which == STEP:
            clear_journal(s)
            s.decisions += 1
            apply(s, c, a)
            return settle(s, c, mask)
        elif which == LEGAL:
            return ask(s, c, mask)
        elif which == OBSERVE:
            observation = array_at(array, length, np.int8)
            observation[:] = 0
            observe(s, c, a, observation)
        elif which == PAYOFF:
            return payoff(s, c, a, b)
        elif which == DETERMINIZE:
            new_chance(s, b)
            determinize(s, c, a)
        elif which == ADVISE:
            return advise(s, c, mask, a)
        elif which == RANDOM:
            return random_legal(s, a, mask)
        return 0

    return task
