"""LLVM intrinsics that Numba lacks: atomic operations, arrays and records at addresses, calls by address.

Compiled code calls them through `memory`.

The arrays of `load`, `store`, `add` and `swap` are int64 [., .].
"""

from __future__ import annotations

from typing import Any

import numba.extending
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.npydecl import parse_dtype

intrinsic: Any = numba.extending.intrinsic  # it changes what a function takes, which its type does not say

ORDER = "seq_cst"  # all threads see the orders below in one order
WORD_BYTES = 8
ADDRESS_COLUMNS = 4  # address, rows, columns, bytes of a row


def _constant(number: int) -> Any:
    """A constant."""
    return ir.IntType(64)(number)


def _place(context: Any, builder: Any, kind: Any, args: Any) -> Any:
    """The address of an entry: `args` are an array [., .] of the given type, its row and its column."""
    array = context.make_array(kind)(context, builder, args[0])
    return cgutils.get_item_pointer(context, builder, kind, array, [args[1], args[2]])


def array_access(intrinsic: Any, types: Any, parse_dtype: Any) -> tuple[Any, Any, Any]:
    """The intrinsics `rows`, `table` and `row` of `memory.Access`, by Numba's names for the processor or for a card."""

    @intrinsic
    def rows(typing: Any, addresses: Any, k: Any, dtype: Any) -> Any:
        """The k-th array of `memory.array_addresses`, which has one dimension and the given dtype."""
        kind = types.Array(parse_dtype(dtype), 1, "C")
        return kind(addresses, types.int64, dtype), array_code(kind)

    @intrinsic
    def table(typing: Any, addresses: Any, k: Any, dtype: Any) -> Any:
        """The k-th array of `memory.array_addresses`, which has two dimensions and the given dtype."""
        kind = types.Array(parse_dtype(dtype), 2, "C")
        return kind(addresses, types.int64, dtype), array_code(kind)

    @intrinsic
    def row(typing: Any, addresses: Any, k: Any, i: Any, dtype: Any) -> Any:
        """Row i of the k-th array of `memory.array_addresses`; the rows of that array may lie apart."""
        kind = types.Array(parse_dtype(dtype), 1, "C")
        return kind(addresses, types.int64, types.int64, dtype), array_code(kind, one_row=True)

    return rows, table, row


def array_code(kind: Any, one_row: bool = False) -> Any:
    """Code that makes an array, or one row of it, from its row of the addresses; it owns no memory."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        numbers = [
            builder.load(_place(context, builder, signature.args[0], [args[0], args[1], _constant(column)]))
            for column in range(ADDRESS_COLUMNS)
        ]
        address, *shape, row_bytes = numbers
        strides = [row_bytes, _itemsize(context, kind)]
        if one_row:
            address = builder.add(address, builder.mul(args[2], row_bytes))
            shape, strides = shape[1:], strides[1:]
        return _unowned(context, builder, kind, address, shape[: kind.ndim], strides[: kind.ndim])

    return code


def _itemsize(context: Any, kind: Any) -> Any:
    """The bytes of an entry of an array of the given type."""
    return _constant(context.get_abi_sizeof(context.get_data_type(kind.dtype)))


def _unowned(context: Any, builder: Any, kind: Any, address: Any, shape: list[Any], strides: list[Any]) -> Any:
    """The array of the given type at an address; it owns no memory."""
    array = context.make_array(kind)(context, builder)
    context.populate_array(
        array,
        data=builder.inttoptr(address, array.data.type),
        shape=shape,
        strides=strides,
        itemsize=_itemsize(context, kind),
        meminfo=None,
    )
    return array._getvalue()


rows, table, row = array_access(intrinsic, types, parse_dtype)


@intrinsic
def load(typing: Any, array: Any, i: Any, j: Any) -> Any:
    """Read a number that another thread may write."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load_atomic(_place(context, builder, array, args), ORDER, WORD_BYTES)

    return types.int64(array, types.int64, types.int64), code


@intrinsic
def store(typing: Any, array: Any, i: Any, j: Any, number: Any) -> Any:
    """Write a number that another thread may read: it then sees all that was written before."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store_atomic(args[3], _place(context, builder, array, args), ORDER, WORD_BYTES)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64, types.int64), code


@intrinsic
def add(typing: Any, array: Any, i: Any, j: Any, number: Any) -> Any:
    """Add to a number to which other threads may add."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.atomic_rmw("add", _place(context, builder, array, args), args[3], ORDER)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64, types.int64), code


@intrinsic
def swap(typing: Any, array: Any, i: Any, j: Any, old: Any, new: Any) -> Any:
    """Write `new` if the number is `old`, unless another thread is faster; says if it was written."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _place(context, builder, array, args)
        return builder.extract_value(builder.cmpxchg(place, args[3], args[4], ORDER, ORDER), 1)

    return types.boolean(array, types.int64, types.int64, types.int64, types.int64), code


# -- native rules ------------------------------------------------------------------------------------------------------


@intrinsic
def record_at(typing: Any, address: Any, dtype: Any) -> Any:
    """The record of the given dtype at an address."""
    kind = parse_dtype(dtype)

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(kind))

    return kind(types.int64, dtype), code


@intrinsic
def array_at(typing: Any, address: Any, shape: Any, dtype: Any) -> Any:
    """The array of the given dtype at an address; it owns no memory. `shape`: a length, or a tuple of lengths."""
    is_tuple = isinstance(shape, types.BaseTuple)
    dimensions = len(shape) if is_tuple else 1
    kind = types.Array(parse_dtype(dtype), dimensions, "C")
    lengths_kind = types.UniTuple(types.int64, dimensions) if is_tuple else types.int64

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lengths = cgutils.unpack_tuple(builder, args[1]) if is_tuple else [args[1]]
        strides = [_itemsize(context, kind)]
        for length in reversed(lengths[1:]):
            strides.insert(0, builder.mul(strides[0], length))
        return _unowned(context, builder, kind, args[0], lengths, strides)

    return kind(types.int64, lengths_kind, dtype), code


# Of a native function: which rule, addresses of two records, two numbers, the address of an array, its length.
native_signature = (types.int64,) * 7


def native_call(table: str, part: int, which: int, *kinds: str) -> Any:
    """A rule that calls a native function by its address: entry `part` of the global table of this name.

    It takes a state record, a component record, and one or two arguments of the given kinds: a "number", or an "array"
    of one dimension whose entries lie side by side.
    """

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)

        # What the part takes.
        records = [builder.ptrtoint(record, word) for record in args[:2]]
        numbers, array = [], [_constant(0), _constant(0)]
        for kind, parameter, value in zip(kinds, signature.args[2:], args[2:], strict=True):
            if kind == "number":
                numbers.append(value)
            else:
                array_struct = context.make_array(parameter)(context, builder, value)
                array = [builder.ptrtoint(array_struct.data, word), array_struct.nitems]
        numbers += [_constant(0)] * (2 - len(numbers))
        words = [_constant(which), *records, *numbers, *array]

        # Its address.
        rows = _global(builder.module, table)
        address = builder.load(builder.gep(rows, [_constant(part)]))

        # The call; an exception, as of an index that Numba checks, is that of the caller.
        convention = context.call_conv
        function = convention.get_function_type(types.int64, native_signature).as_pointer()
        place = builder.inttoptr(address, function)
        status, answer = convention.call_function(builder, place, types.int64, native_signature, words)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return answer

    def signature(*parameters: Any) -> Any:
        values = list(parameters[2:])
        for i, kind in enumerate(kinds):
            if kind == "number":
                values[i] = types.int64
            else:
                assert values[i].is_contig
        return types.int64(*parameters[:2], *values)

    def of_three(typing: Any, s: Any, c: Any, a: Any) -> Any:
        return signature(s, c, a), code

    def of_four(typing: Any, s: Any, c: Any, a: Any, b: Any) -> Any:
        return signature(s, c, a, b), code

    return intrinsic(of_three if len(kinds) == 1 else of_four)


def _global(module: Any, name: str) -> Any:
    """A global variable that is defined elsewhere."""
    return module.globals[name] if name in module.globals else ir.GlobalVariable(module, ir.IntType(64), name)
