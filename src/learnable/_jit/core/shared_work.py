"""Pieces of work that threads share while they are inside a kernel.

One thread leads. It offers pieces and works on them itself; helpers take what they can. A helper that comes late, or
not at all, holds nobody up: the leader waits for pieces that were taken only. A helper that finds nothing to do for a
while leaves, so that it does not keep a core from other programs.

Handing a piece to a helper costs less than a microsecond this way, through Python 14 µs (`rows.helpers`). Paid for by
`python -m benchmarks trees`, whose nodes take a few microseconds each.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from learnable._jit.core.compile import inner_kernel
from learnable._jit.core.lean import lean

# To a type checker a call has the arguments of the function that makes the code, the first of them too.
_intrinsic: Any = intrinsic
# Places on a board, each on a memory line of its own: pieces to be had, pieces done, whether the work is over.
OFFERED, DONE, OVER = 0, 16, 32
# Looks at an idle board before a helper leaves: some ten milliseconds, so that it stays while the leader does something
# by itself or is held up by another program. A helper that has gone to sleep comes late.
PATIENCE = 2**23


@_intrinsic
def _plus(typing, array, place, change):
    """array[place] += change, at once for all threads; what it was before. Nothing moves across it in time."""

    def code(context, builder, signature, arguments):
        entry = builder.gep(context.make_array(array)(context, builder, arguments[0]).data, [arguments[1]])
        return builder.atomic_rmw("add", entry, arguments[2], "seq_cst")

    return types.int64(array, types.intp, types.int64), code


@_intrinsic
def _seen(typing, array, place):
    """array[place] as other threads have left it."""

    def code(context, builder, signature, arguments):
        entry = builder.gep(context.make_array(array)(context, builder, arguments[0]).data, [arguments[1]])
        return builder.load_atomic(entry, "seq_cst", align=8)

    return types.int64(array, types.intp), code


@_intrinsic
def _leave(typing, array, place, value):
    """array[place] ← value, for other threads to see, with all that was written before."""

    def code(context, builder, signature, arguments):
        entry = builder.gep(context.make_array(array)(context, builder, arguments[0]).data, [arguments[1]])
        builder.store_atomic(arguments[2], entry, "seq_cst", align=8)
        return ir.Constant(ir.IntType(64), 0)

    return types.int64(array, types.intp, types.int64), code


def new_board() -> np.ndarray:
    """A board without work."""
    return np.zeros(48, dtype=np.int64)


def end(board: np.ndarray) -> None:
    """Send helpers away, those too that have not come yet."""
    board[OVER] = 1


@lean
@inner_kernel
def offer(board, n_pieces):
    """Offer pieces n_pieces − 1 … 0 of a job that is written down; all pieces of the one before are done."""
    _leave(board, DONE, 0)
    _leave(board, OFFERED, n_pieces)


@lean
@inner_kernel
def take(board):
    """The number of a piece that is now the caller's, or below 0."""
    return _plus(board, OFFERED, -1) - 1 if _seen(board, OFFERED) > 0 else -1


@lean
@inner_kernel
def finish(board):
    """Say that a piece is done."""
    _plus(board, DONE, 1)


@lean
@inner_kernel
def wait_for(board, n_pieces):
    """Return when so many pieces are done."""
    while _seen(board, DONE) < n_pieces:
        pass


@lean
@inner_kernel
def over(board):
    """Whether helpers are sent away."""
    return _seen(board, OVER) == 1
