"""Entries of an array that is numbered through: read, written, or added to, one whole number or two neighbours at once.

Paid for by `python -m benchmarks trees`: a cell of a histogram of pairs takes 1.3 ns so, 3.1 ns one number after the
other and by three indices (aarch64).
"""

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

# To a type checker a call has the arguments of the function that makes the code, the first of them too.
any_intrinsic: Any = intrinsic


@any_intrinsic
def entry(typing, array, place):
    """Entry `place` of an array without gaps."""

    def code(context, builder, signature, arguments):
        data = context.make_array(array)(context, builder, arguments[0]).data
        return builder.load(builder.gep(data, [arguments[1]]))

    return array.dtype(array, types.uintp), code


@any_intrinsic
def put(typing, array, place, number):
    """Entry `place` of an array without gaps ← number."""

    def code(context, builder, signature, arguments):
        data = context.make_array(array)(context, builder, arguments[0]).data
        builder.store(arguments[2], builder.gep(data, [arguments[1]]))
        return context.get_dummy_value()

    return types.void(array, types.uintp, array.dtype), code


@any_intrinsic
def add_one(typing, array, place, number):
    """Entry `place` of an array without gaps += number."""

    def code(context, builder, signature, arguments):
        entry = builder.gep(context.make_array(array)(context, builder, arguments[0]).data, [arguments[1]])
        builder.store(builder.add(builder.load(entry), arguments[2]), entry)
        return context.get_dummy_value()

    return types.void(array, types.uintp, types.int64), code


@any_intrinsic
def add_pair(typing, array, place, number, other):
    """Entry `place` of an array without gaps += number, and the next one += other."""

    def code(context, builder, signature, arguments):
        index, both = ir.IntType(32), ir.VectorType(ir.IntType(64), 2)
        entry = builder.gep(context.make_array(array)(context, builder, arguments[0]).data, [arguments[1]])
        entry = builder.bitcast(entry, both.as_pointer())
        added = builder.insert_element(ir.Constant(both, ir.Undefined), arguments[2], index(0))
        added = builder.insert_element(added, arguments[3], index(1))
        builder.store(builder.add(builder.load(entry, align=8), added), entry, align=8)
        return context.get_dummy_value()

    return types.void(array, types.uintp, types.int64, types.int64), code
