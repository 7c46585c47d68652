"""Ask for a row before it is visited: rows met in random order are not foreseen by the processor itself."""

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from learnable._jit.compile import compile_formulas
from learnable._jit.vectors import DenseVectors, SparseVectors
from learnable.problems.formula import formula

# To a type checker a call has the arguments of the function that makes the code, the first of them too.
_intrinsic: Any = intrinsic
# Entries of 8 bytes to a line of memory, and of those to come how many are asked for early: a row takes about as long
# to come from memory as it takes to go through so many.
LINE = 8
EARLY = 400
# At most so many visits ahead, and of a long row the beginning only: the rest is met in order, and foreseen.
MOST_VISITS = 16


@_intrinsic
def prefetch(typing, array, place):
    """Begin to load the memory line of entry `place` of an array without gaps; no effect on any result."""

    def code(context, builder, signature, arguments):
        entry = builder.gep(context.make_array(array)(context, builder, arguments[0]).data, [arguments[1]])
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        ask = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        # To read (0), to keep in the nearest cache (3), data (1).
        builder.call(ask, [builder.bitcast(entry, byte), number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, place), code


@formula
def visits_ahead(rows):
    """How many visits before its own a row is best asked for."""


@visits_ahead.of(DenseVectors)
def _(rows):
    return max(1, min(MOST_VISITS, EARLY // max(rows.values.shape[1], 1)))


@visits_ahead.of(SparseVectors)
def _(rows):
    mean = rows.values.shape[0] // max(rows.starts.shape[0] - 1, 1)
    return max(1, min(MOST_VISITS, EARLY // max(mean, 1)))


@formula
def ask_for(rows, i):
    """Begin to load row i."""


@ask_for.of(DenseVectors)
def _(rows, i):
    p = rows.values.shape[1]
    for j in range(0, min(p + LINE - 1, EARLY), LINE):
        prefetch(rows.values, i * p + j)


@ask_for.of(SparseVectors)
def _(rows, i):
    begin = rows.starts[i]
    for k in range(begin, rows.starts[i + 1], LINE):
        if k - begin >= EARLY:
            break
        prefetch(rows.values, k)
        prefetch(rows.places, k)


compile_formulas()
