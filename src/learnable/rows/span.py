"""Consecutive rows of a table, as a table, and folds made of them."""

from collections.abc import Callable, Generator
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse

from .arrays import entries, rows_of_csr
from .numbers import weight_sum
from .source import Block, Rows, add, joined, own


class Span(Rows):
    """The rows start … stop - 1 of a table; a pass over them is a pass over the table.

    Examples
    --------
    >>> from learnable.rows import as_rows
    >>> Span(as_rows(np.arange(8.0).reshape(4, 2)), 1, 3).reduce(lambda block: block.X.sum(axis=0))
    array([6., 8.])
    """

    def __init__(self, rows: Rows, start: int, stop: int) -> None:
        self._rows, self._start, self._stop = rows, start, stop
        self.n_rows, self.n_columns, self.dtype = stop - start, rows.n_columns, rows.dtype

    def blocks(self) -> Generator[Callable[[], Block], None, None]:
        for load in self._rows.blocks():
            part = self._within(load())
            if part is not None:
                yield lambda part=part: part  # type: ignore[misc]

    def reduce(
        self, function: Callable[[Block], Any], merge: Callable[[Any, Any], Any] = add, *, n_jobs: int | None = None
    ) -> Any:
        def of_part(block: Block) -> Any:
            part = self._within(block)
            return None if part is None else function(part)

        def merged(one: Any, two: Any) -> Any:
            if one is None or two is None:
                return own(two) if one is None else one
            return merge(one, two)

        return self._rows.reduce(of_part, merged, n_jobs=n_jobs)

    def concatenate(
        self, function: Callable[[Block], np.ndarray], *, n_jobs: int | None = None, missing: bool = False
    ) -> np.ndarray:
        return joined(self.reduce(lambda block: [function(block)], list.__add__, n_jobs=n_jobs), self.n_rows)

    def place(self, row: int) -> str:
        return self._rows.place(self._start + row)

    def column_name(self, column: int) -> str:
        return self._rows.column_name(column)

    def _within(self, block: Block) -> Block | None:
        """The rows of a block that belong here, with their places in this table."""
        first, last = max(self._start, block.start) - block.start, min(self._stop, block.stop) - block.start
        if first >= last:
            return None
        X = rows_of_csr(block.X, first, last) if scipy.sparse.issparse(block.X) else block.X[first:last]
        y, weight = entries(block.y, first, last), entries(block.weight, first, last)
        return Block(X, y, weight, block.start + first - self._start, block.start + last - self._start)


def in_folds(
    rows: Rows, n_folds: int, condense: Callable[[Rows], tuple[np.ndarray, np.ndarray]], weighted: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """(X, y, weight) of short tables that stand for the folds of consecutive rows, one under the other.

    The folds are those of `KFold(n_folds)`, as long as each other in the short table, so that `KFold` finds them there
    again; the weights make each count as much as it does among all rows. One fold needs no weights, unless they are
    asked for.

    Parameters
    ----------
    rows : any, with targets.
    n_folds : int
    condense : callable
        A short table, with targets, in place of a long one, with weighted means kept.
    weighted : bool, default=False
        Whether one fold gets weights too, which add up to those of its rows.

    Examples
    --------
    >>> from learnable.rows import as_rows, condensed
    >>> x = np.arange(10.0)
    >>> X, y, weight = in_folds(as_rows(x[:, None], 2 * x), 3, condensed)
    >>> X.shape, weight[::4], float((weight @ X).round(9)[0] / weight.sum())
    ((12, 1), array([1.  , 0.75, 0.75]), 4.5)
    """
    if n_folds == 1 and not weighted:
        return (*condense(rows), None)
    folds = consecutive_folds(rows, n_folds)
    totals = [fold.reduce(weight_sum) for fold in folds]
    for k, (fold, total) in enumerate(zip(folds, totals)):
        if total == 0.0:
            last = fold._start + fold.n_rows - 1
            raise ValueError(no_weight(k, n_folds, f"rows {fold._start} to {last}"))
    short = [condense(fold) for fold in folds]
    weight = np.concatenate([np.full(len(y), total / len(y)) for (_, y), total in zip(short, totals)])
    return np.concatenate([X for X, _ in short]), np.concatenate([y for _, y in short]), weight


def no_weight(fold: int, n_folds: int, rows: str) -> str:
    """What is wrong with a fold whose rows weigh nothing."""
    return (
        f"sample_weight is zero in all of fold {fold} of {n_folds} ({rows}): no error can be measured there; ask for "
        "fewer folds, or drop the rows without weight"
    )


def consecutive_folds(rows: Rows, n_folds: int) -> list[Span]:
    """The rows that `KFold(n_folds)` leaves out, fold by fold.

    >>> from learnable.rows import as_rows
    >>> [fold.n_rows for fold in consecutive_folds(as_rows(np.zeros((5, 1))), 2)]
    [3, 2]
    """
    if not 1 <= n_folds <= rows.n_rows:
        raise ValueError(f"{n_folds} folds of {rows.n_rows} rows: at least 1, and no more than there are rows")
    sizes = np.full(n_folds, rows.n_rows // n_folds)
    sizes[: rows.n_rows % n_folds] += 1
    return [Span(rows, start, stop) for start, stop in pairwise([0, *np.cumsum(sizes).tolist()])]


def number_of_folds(cv: Any, owner: str) -> int:
    """How many folds of consecutive rows a parameter `cv` asks for; 5 where it is None.

    >>> number_of_folds("random", "LassoCV")
    Traceback (most recent call last):
        ...
    TypeError: LassoCV(cv='random'): of rows that come in blocks the folds are consecutive rows; give their number
    """
    if cv is not None and not isinstance(cv, Integral):
        raise TypeError(
            f"{owner}(cv={cv!r}): of rows that come in blocks the folds are consecutive rows; give their number"
        )
    return 5 if cv is None else int(cv)
