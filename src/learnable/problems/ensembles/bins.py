"""The rule for the bins of a column."""

import numpy as np

# Rows from which the bins of a longer table are made.
SAMPLE = 200_000


def edges_of(
    X: np.ndarray, categorical: np.ndarray, max_bins: int, weight: np.ndarray | None = None
) -> list[np.ndarray]:
    """Thresholds between the bins of each column; none for categories.

    Up to `max_bins` distinct values: the middles between neighbours. More: those next to equal shares of the weight. A
    table of more than 200 000 rows is represented by that many of them, the same for any run. Infinite cells are
    values beyond all others, and the thresholds beside them are numbers.

    >>> edges_of(np.array([[1.0], [2.0], [2.0], [5.0]]), np.array([False]), 255)
    [array([1.5, 3.5])]
    >>> edges_of(np.array([[-np.inf], [2.0], [5.0], [np.inf]]), np.array([False]), 255)
    [array([-1.79769313e+308,  3.50000000e+000,  1.79769313e+308])]
    """
    rows = representatives(len(X))
    if rows is not None:
        weight = None if weight is None else weight[rows]
    return [
        np.zeros(0) if categorical[j] else edges_of_column(X[:, j] if rows is None else X[rows, j], max_bins, weight)
        for j in range(X.shape[1])
    ]


def representatives(n: int) -> np.ndarray | None:
    """The rows from which bins are made, None for all."""
    return None if n <= SAMPLE else np.sort(np.random.default_rng(0).choice(n, SAMPLE, replace=False))


def edges_of_column(column: np.ndarray, max_bins: int, weight: np.ndarray | None = None) -> np.ndarray:
    """Thresholds between the bins of one column of numbers; a row of weight 2 counts as two rows, one of 0 as none.

    >>> column, weight = np.arange(6.0), np.array([1, 0, 2, 1, 1, 1])
    >>> edges_of_column(column, 2, weight), edges_of_column(np.repeat(column, weight), 2)
    (array([2.5]), array([2.5]))
    """
    if weight is None or np.all(weight == weight[0]):
        return edges_of_sorted(np.sort(column), max_bins)
    counted = weight > 0.0
    order = np.argsort(column[counted], kind="stable")
    return edges_of_sorted(column[counted][order], max_bins, weight[counted][order])


def edges_of_sorted(column: np.ndarray, max_bins: int, weight: np.ndarray | None = None) -> np.ndarray:
    """`edges_of_column` of values in order, missing ones last, with positive weights."""
    column = column[: np.searchsorted(column, np.nan)]
    n, new = len(column), column[1:] != column[:-1]
    last = np.flatnonzero(new) if np.count_nonzero(new) < max_bins else None
    if last is None:
        # The weight up to a place in the order; the place itself where all weigh 1.
        upto = None if weight is None else np.concatenate([[0.0], np.cumsum(weight[:n])])
        share = np.arange(1, max_bins) * ((n if upto is None else upto[-1]) / max_bins)
        value = column[share.astype(np.intp) if upto is None else np.searchsorted(upto, share, side="right") - 1]
        begin, end = np.searchsorted(column, value), np.searchsorted(column, value, side="right")
        before, after = (begin, end) if upto is None else (upto[begin], upto[end])
        # The value on which a share falls is cut off at the end that is nearer to it.
        last = np.unique(np.where(share - before > after - share, end, begin)) - 1
        last = last[(last >= 0) & (last < n - 1)]
    return _middles(column[last], column[last + 1])


def _middles(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        # 0 between −∞ and ∞, the largest number or the smallest one between one of them and a number.
        middle = np.nan_to_num(0.5 * low + 0.5 * high)
    found = np.where((low <= middle) & (middle < high), middle, low)
    return found[found > -np.inf]  # no number is between −∞ and the smallest one: these share a bin
