"""What logistic and generalised linear models want of rows that come in blocks, summed up while these are looked at."""

from typing import Any, NamedTuple

import numpy as np

from learnable._jit.core.column_squares import column_squares
from learnable._jit.core.vectors import read_only
from learnable.problems.linear import families
from learnable.rows import Block
from learnable.rows.numbers import weight_sum
from learnable.solvers.linear.column_spread import column_sums


class TargetSums(NamedTuple):
    """Of some rows.

    Attributes
    ----------
    refused : (row, value) of the first target that the family cannot produce; None where there is none.
    weight, target : Σ w and Σ w y.
    columns : `column_sums` of the first block; None where it is not among them.
    """

    refused: tuple[int, float] | None
    weight: float
    target: float
    columns: np.ndarray | None


def target_sums(block: Block, labels: Any, family: Any) -> tuple[np.ndarray, TargetSums | None]:
    """(Σ x² of each column, the sums of a block), for `examine.Beside`; None for targets in columns."""
    squares, sums = weight_sums(block, labels)
    y = np.asarray(block.y)
    if y.ndim != 1:
        return squares, None
    with np.errstate(all="ignore"):
        total = float(y.sum() if block.weight is None else np.dot(block.weight, y))
    return squares, sums._replace(refused=first_refused(block, family), target=total)


def weight_sums(block: Block, labels: Any) -> tuple[np.ndarray, TargetSums]:
    """The same for targets that are no numbers: only the weights and the first columns."""
    squares = np.zeros(block.X.shape[1])
    column_squares(read_only(block.X), squares)
    columns = column_sums(block) if block.start == 0 else None
    return squares, TargetSums(None, weight_sum(block), 0.0, columns)


def merged_sums(one: TargetSums, two: TargetSums) -> TargetSums:
    """The sums of the rows of both."""
    return TargetSums(
        earlier(one.refused, two.refused),
        one.weight + two.weight,
        one.target + two.target,
        two.columns if one.columns is None else one.columns,
    )


def first_refused(block: Block, family: Any) -> tuple[int, float] | None:
    """(row, value) of the first target of a block that the family cannot produce."""
    y = np.asarray(block.y, dtype=float)
    refused = np.flatnonzero(~families.allowed(family, y))
    return (block.start + int(refused[0]), float(y[refused[0]])) if refused.size else None


def earlier(one: tuple[int, float] | None, two: tuple[int, float] | None) -> tuple[int, float] | None:
    """The first of two, where there is one."""
    return two if one is None else one
