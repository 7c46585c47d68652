"""Stepwise least squares: one column enters or leaves at a time, by the sweep operator on the correlations.

Sweeping column j of the symmetric matrix [[G, c], [cᵀ, 1]] solves for its coefficient; the last corner is then RSS of
the columns swept, the last column their coefficients and the partial covariances of the rest. Syllabus: L2.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

# A column whose part outside the span of those chosen is shorter than this share of it brings nothing but rounding.
INDEPENDENT = 1e-8


class Move(NamedTuple):
    """One line of the log.

    Attributes
    ----------
    column : which column moved; −1 for the start.
    entered : whether it entered or left.
    rss : RSS / ‖y‖² after the move.
    criterion : what was made smaller, after the move.
    size : columns in the model after the move.
    """

    column: int
    entered: bool
    rss: float
    criterion: float
    size: int


class StepwiseState(NamedTuple):
    """After a move (the first state is the start).

    Attributes
    ----------
    objective : the criterion.
    rss : RSS / ‖y‖².
    support : columns in the model, sorted.
    coef : their coefficients, in units in which columns and y have length one.
    log : the moves so far.
    """

    objective: float
    rss: float
    support: np.ndarray
    coef: np.ndarray
    log: tuple[Move, ...]


def iterates(
    gram: np.ndarray,
    cross: np.ndarray,
    start: np.ndarray,
    criterion: Callable[[float, int], float],
    enter: bool,
    leave: bool,
    largest: int,
    varies: bool = True,
) -> Iterator[StepwiseState]:
    """States until no allowed move makes the criterion smaller.

    Parameters
    ----------
    gram, cross : correlations of the columns with each other and with y.
    start : columns in the model at first.
    criterion : (RSS / ‖y‖², size) -> what is to be made smaller.
    enter, leave : which moves are allowed.
    largest : size of the model at most.
    varies : whether y does; where it does not, nothing is left to explain.
    """
    p = len(cross)
    A = np.block([[gram, cross[:, None]], [cross[None], np.full((1, 1), float(varies))]])
    alive = np.diag(gram) > 0.0
    inside = np.zeros(p, dtype=bool)
    for j in start:
        if A[j, j] > INDEPENDENT:
            _sweep(A, j)
            inside[j] = True
    value = criterion(max(A[p, p], 0.0), int(inside.sum()))
    log: tuple[Move, ...] = (Move(-1, True, max(A[p, p], 0.0), value, int(inside.sum())),)
    while True:
        support = np.flatnonzero(inside)
        yield StepwiseState(value, log[-1].rss, support, A[support, p].copy(), log)
        pivot, partial, size = np.diag(A)[:p], A[:p, p], len(support)
        with np.errstate(divide="ignore", invalid="ignore"):
            change = partial**2 / pivot  # what entering takes off the RSS; negative: what leaving adds to it
        may_enter = ~inside & alive & (pivot > INDEPENDENT) if enter and size < largest else np.zeros(p, dtype=bool)
        may_leave = inside if leave else np.zeros(p, dtype=bool)
        moves = []
        if may_enter.any():
            j = int(np.argmax(np.where(may_enter, change, -np.inf)))
            moves.append((criterion(max(A[p, p] - change[j], 0.0), size + 1), j))
        if may_leave.any():
            j = int(np.argmax(np.where(may_leave, change, -np.inf)))
            moves.append((criterion(max(A[p, p] - change[j], 0.0), size - 1), j))
        if not moves or min(moves)[0] >= value:
            return
        value, j = min(moves)
        inside[j] = not inside[j]
        _sweep(A, j) if inside[j] else _unsweep(A, j)
        log = (*log, Move(j, bool(inside[j]), max(A[p, p], 0.0), value, int(inside.sum())))


def _sweep(A: np.ndarray, j: int) -> None:
    d = A[j, j]
    row = A[j] / d
    A -= np.outer(A[:, j], row)
    A[j], A[:, j] = row, row
    A[j, j] = -1.0 / d


def _unsweep(A: np.ndarray, j: int) -> None:
    d = -1.0 / A[j, j]
    row = A[j] * d
    A += np.outer(A[:, j], row)
    A[j], A[:, j] = row, row
    A[j, j] = d
