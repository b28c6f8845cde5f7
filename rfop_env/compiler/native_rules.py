"""The rules of a game as native functions, which all its loops call.

The rules are compiled in three parts: what every decision needs, the scripted players, and determinizations. Each part
is compiled, or loaded, when it is first needed. A loop is compiled without the rules and calls the parts by address,
from a global table. Without the compiler, loops call the rules themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from rfop_env.compiler.decorators import JIT, kernel

if JIT:
    import llvmlite.binding as llvm

    from rfop_env.compiler.code_digest import code_digest
    from rfop_env.compiler.intrinsics import array_at, native_call, native_signature, record_at

PLAY, ADVISE, DETERMINIZE = range(3)  # the parts, and their rows of the table
PARTS = ("play", "advise", "determinize")
DEAL, LEGAL, APPLY, OBSERVE, PAYOFF = range(5)  # the rules of part PLAY
Rules = TypeVar("Rules", bound=Any)  # a `core.game.Rules`


class NativeRules:
    """The native functions of a game's rules. `called` are the rules as the game's loops call them.

    `state` and `components` are the dtypes of the records. `name` begins the names of the parts on disk; `title` is
    what messages call the rules. Raises `BadRule`.
    """

    def __init__(self, rules: Any, state: np.dtype[Any], components: np.dtype[Any], name: str, title: str):
        self.called = rules
        if not JIT:
            return
        functions = make_parts(rules, state, components)
        self._symbol = f"rfop.{name}.{code_digest(*functions).text}"
        self.addresses = np.zeros(len(PARTS), np.int64)  # the table; 0 for a part that is not at hand
        self._parts: list[Any] = [
            kernel(function, f"{name}.{part}", title=title if part == "play" else None, for_native=True)
            for part, function in zip(PARTS, functions, strict=True)
        ]
        self.called = called_rules(self._symbol, rules)

    def need(self, *parts: int) -> None:
        """Compile or load the parts that are not at hand, and let code that is loaded from now on find the table."""
        if not JIT:
            return
        for part in parts:
            if self.addresses[part] == 0:
                self.addresses[part] = part_address(self._parts[part])
        llvm.add_symbol(self._symbol, self.addresses.ctypes.data)

    def before(self, *parts: int) -> Callable[[], None]:
        """What is called before a loop that calls these parts is loaded."""
        return partial(self.need, *parts)


def make_parts(
    rules: Any, state: np.dtype[Any], components: np.dtype[Any]
) -> tuple[Callable[..., int], Callable[..., int], Callable[..., int]]:
    """The parts of the rules, each one function of seven numbers.

    They are: which rule of the part; the addresses of the state record and of the component record; two numbers; the
    address of an array and its length. What a rule does not take is 0.
    """
    deal, legal, apply, observe, payoff = rules.deal, rules.legal, rules.apply, rules.observe, rules.payoff
    advise, determinize = rules.advise, rules.determinize

    def play_part(which: int, s_at: int, c_at: int, a: int, b: int, array: int, length: int) -> int:
        s, c = record_at(s_at, state), record_at(c_at, components)
        if which == LEGAL:
            legal(s, c, array_at(array, length, np.bool_))
        elif which == APPLY:
            apply(s, c, a)
        elif which == OBSERVE:
            observe(s, c, a, array_at(array, length, np.int8))
        elif which == PAYOFF:
            return payoff(s, c, a, b)
        elif which == DEAL:
            deal(s, c, array_at(array, length, np.int64))
        return 0

    def advise_part(which: int, s_at: int, c_at: int, a: int, b: int, array: int, length: int) -> int:
        s, c = record_at(s_at, state), record_at(c_at, components)
        return advise(s, c, array_at(array, length, np.bool_), a)

    def determinize_part(which: int, s_at: int, c_at: int, a: int, b: int, array: int, length: int) -> int:
        determinize(record_at(s_at, state), record_at(c_at, components), a)
        return 0

    return play_part, advise_part, determinize_part


def called_rules(table: str, rules: Rules) -> Rules:
    """Rules that call the parts in the table of a name."""
    call = partial(native_call, table)
    return replace(
        rules,
        deal=call(PLAY, DEAL, "array"),
        legal=call(PLAY, LEGAL, "array"),
        apply=call(PLAY, APPLY, "number"),
        observe=call(PLAY, OBSERVE, "number", "array"),
        payoff=call(PLAY, PAYOFF, "number", "number"),
        determinize=call(DETERMINIZE, 0, "number"),
        advise=None if rules.advise is None else call(ADVISE, 0, "array", "number"),
    )


def part_address(part: Any) -> int:
    """The address of a part, for calls as Numba's functions call each other."""
    part.compile(native_signature)
    compiled = part.overloads[native_signature]
    address: int = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    return address
