"""Doubles by their bits. `view` of an array would do; it takes 0.15 s to compile (`python -m benchmarks cold`)."""

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

# To a type checker a call has the arguments of the function that makes the code, the first of them too.
_intrinsic: Any = intrinsic


@_intrinsic
def double_of(typing, bits):
    """The double whose bits are those of a whole number of 64 bits."""

    def code(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), code
