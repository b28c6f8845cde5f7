"""Orders to the processor that Numba has no function for, at addresses: int64. Only compiled code calls them."""

from __future__ import annotations

from typing import Any

import numba.extending
from llvmlite import ir
from numba.core import cgutils, types

intrinsic: Any = numba.extending.intrinsic  # it changes what a function takes, which its type does not say

ORDER = "seq_cst"  # all threads see the orders below in one order
WORD_BYTES = 8
FOR_WRITING, KEEP_IN_ALL_LEVELS, DATA = 1, 3, 1  # arguments of LLVM's prefetch


def _number_at(builder: Any, address: Any) -> Any:
    return builder.inttoptr(address, ir.IntType(64).as_pointer())


@intrinsic
def pointer(typing: Any, address: Any) -> Any:
    """The address as a pointer, for `numba.carray`."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], cgutils.voidptr_t)

    return types.voidptr(types.int64), code


@intrinsic
def prefetch_at(typing: Any, address: Any) -> Any:
    """Ask for the cache line of an address, which will be written to; any number is harmless."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = builder.inttoptr(args[0], cgutils.voidptr_t)
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, number, number, number])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [cgutils.voidptr_t], kind)
        builder.call(prefetch, [place, *(number(x) for x in (FOR_WRITING, KEEP_IN_ALL_LEVELS, DATA))])
        return context.get_dummy_value()

    return types.void(types.int64), code


@intrinsic
def load_at(typing: Any, address: Any) -> Any:
    """Read an int64."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load_atomic(_number_at(builder, args[0]), ORDER, WORD_BYTES)

    return types.int64(types.int64), code


@intrinsic
def store_at(typing: Any, address: Any, number: Any) -> Any:
    """Write an int64."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store_atomic(args[1], _number_at(builder, args[0]), ORDER, WORD_BYTES)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), code


@intrinsic
def add_at(typing: Any, address: Any, number: Any) -> Any:
    """Add to an int64; returns what it was."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.atomic_rmw("add", _number_at(builder, args[0]), args[1], ORDER)

    return types.int64(types.int64, types.int64), code


@intrinsic
def swap_at(typing: Any, address: Any, old: Any, new: Any) -> Any:
    """Write `new` where `old` stands; True if it did."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        result = builder.cmpxchg(_number_at(builder, args[0]), args[1], args[2], ORDER, ORDER)
        return builder.extract_value(result, 1)

    return types.boolean(types.int64, types.int64, types.int64), code
