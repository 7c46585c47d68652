"""Ask for a row before it is visited: the processor does not predict rows that are met in random order.

Paid for by `python -m benchmarks bandwidth`: reading 400,000 rows of 50 in shuffled order takes 2.2 times less
(provisional, aarch64, processor seconds).
"""

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from learnable._jit.core.compile import compile_formulas
from learnable._jit.core.vectors import DenseVectors, SparseVectors
from learnable.problems.core.formula import formula

# To a type checker a call has the arguments of the function that makes the code, the first of them too.
_intrinsic: Any = intrinsic
# Entries of 8 bytes to a line of memory.
LINE = 8
# A row is asked for so many entries before its own, but not more than so many visits before.
EARLY, MOST_VISITS = 3200, 32
# Of a long row the beginning only: the rest is met in order, and loaded ahead by the processor.
BEGINNING = 400
# Of a sparse row so many lines of values and of places, whatever its length (a loop as long as the row is guessed wrong
# at its end, which costs more than it saves), and so many visits before its own.
LINES_OF_VALUES, LINES_OF_PLACES, SPARSE_VISITS = 6, 3, 8


def _asking(cache: int) -> Any:
    @_intrinsic
    def ask(typing, array, place):
        """Begin to load the memory line of entry `place` of an array without gaps; no effect on any result."""

        def code(context, builder, signature, arguments):
            entry = builder.gep(context.make_array(array)(context, builder, arguments[0]).data, [arguments[1]])
            byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
            load = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
            # To read (0), data (1).
            builder.call(load, [builder.bitcast(entry, byte), number(0), number(cache), number(1)])
            return context.get_dummy_value()

        return types.void(array, place), code

    return ask


# Into the second cache: it can wait for more lines at a time than the nearest.
prefetch = _asking(2)
# Into the nearest, where a line is all that is read of a row.
prefetch_near = _asking(3)


@formula
def visits_ahead(rows):
    """How many visits before its own a row is best asked for."""


@visits_ahead.of(DenseVectors)
def _(rows):
    return max(1, min(MOST_VISITS, EARLY // max(rows.values.shape[1], 1)))


@visits_ahead.of(SparseVectors)
def _(rows):
    return SPARSE_VISITS


@formula
def ask_for(rows, i):
    """Begin to load row i."""


@ask_for.of(DenseVectors)
def _(rows, i):
    p = rows.values.shape[1]
    asked = min(p, BEGINNING)
    for j in range(0, asked, LINE):
        prefetch(rows.values, i * p + j)
    # A row may begin within a line: then its last entry lies in one more.
    prefetch(rows.values, i * p + asked - 1)


@ask_for.of(SparseVectors)
def _(rows, i):
    # Beyond the end of an array nothing is loaded, and nothing fails.
    begin = rows.starts[i]
    for k in range(LINES_OF_VALUES):
        prefetch(rows.values, begin + k * LINE)
    for k in range(LINES_OF_PLACES):
        prefetch(rows.places, begin + k * 2 * LINE)


@formula
def ask_where(rows, i):
    """Begin to load where row i lies, earlier than the row itself."""


@ask_where.of(DenseVectors)
def _(rows, i):
    pass


@ask_where.of(SparseVectors)
def _(rows, i):
    prefetch(rows.starts, i)


compile_formulas()
