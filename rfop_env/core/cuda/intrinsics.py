"""Arrays at addresses in the memory of a graphics card, for loops that are compiled for it."""

from __future__ import annotations

from typing import Any

import numba.cuda.extending
from llvmlite import ir
from numba.cuda import types
from numba.cuda.cgutils import for_range, get_item_pointer
from numba.cuda.typing.npydecl import parse_dtype

from rfop_env.compiler.intrinsics import array_access
from rfop_env.compiler.memory import Access

intrinsic: Any = numba.cuda.extending.intrinsic

WORD_BYTES = 8


rows, table, row = array_access(intrinsic, types, parse_dtype)


@intrinsic
def copy_record(typing: Any, source: Any, states: Any, i: Any) -> Any:
    """State i becomes a copy of the first of the source, word by word: a whole record is no value that the card has."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        size = kind.dtype.size
        word = ir.IntType(64 if size % WORD_BYTES == 0 else 8)
        places = [
            builder.bitcast(_place(context, builder, kind, array, index), word.as_pointer())
            for array, index in ((args[0], ir.IntType(64)(0)), (args[1], args[2]))
        ]
        with for_range(builder, ir.IntType(64)(size * 8 // word.width)) as loop:
            source_word, target_word = (builder.gep(place, [loop.index]) for place in places)
            builder.store(builder.load(source_word), target_word)
        return context.get_dummy_value()

    return types.void(source, states, types.int64), code


def _place(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """The address of an entry of an array [.]."""
    return get_item_pointer(context, builder, kind, context.make_array(kind)(context, builder, array), [index])


ON_DEVICE = Access(rows, table, row, copy_record)
