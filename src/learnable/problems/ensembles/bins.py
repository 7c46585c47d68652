"""The rule for the bins of a column."""

import numpy as np

# Rows from which the bins of a longer table are made.
SAMPLE = 200_000


def edges_of(
    X: np.ndarray, categorical: np.ndarray, max_bins: int, weight: np.ndarray | None = None
) -> list[np.ndarray]:
    """Thresholds between the bins of each column; none for categories.

    Up to `max_bins` distinct values: the middles between neighbours. More: those next to equal shares of the weight. A
    table of more than 200 000 rows is represented by that many of them, the same for any run.

    >>> edges_of(np.array([[1.0], [2.0], [2.0], [5.0]]), np.array([False]), 255)
    [array([1.5, 3.5])]
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
    values, mass = _masses(column, None if weight is None or np.all(weight == weight[0]) else weight)
    if len(values) <= max_bins:
        return _middles(values[:-1], values[1:])
    upto = np.cumsum(mass)
    share = np.arange(1, max_bins) * (upto[-1] / max_bins)
    # The value on which a share falls is cut off at the end that is nearer to it.
    at = np.searchsorted(upto, share, side="right")
    last = at - 1 + (share - (upto[at] - mass[at]) > upto[at] - share)
    last = np.unique(last[(last >= 0) & (last < len(values) - 1)])
    return _middles(values[last], values[last + 1])


def _masses(column: np.ndarray, weight: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The distinct values that are not missing, in order, and the weight of each."""
    if weight is not None:
        counted = weight > 0.0
        order = np.argsort(column[counted], kind="stable")
        weight, column = weight[counted][order], column[counted][order]
    else:
        column = np.sort(column)
    column = column[: np.searchsorted(column, np.nan)]  # what is missing stands last
    if not len(column):
        return column, column
    first = np.flatnonzero(np.concatenate([[True], column[1:] != column[:-1]]))
    if weight is None:
        return column[first], np.diff(np.append(first, len(column)))
    return column[first], np.add.reduceat(weight[: len(column)], first)


def _middles(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    middle = 0.5 * low + 0.5 * high
    return np.where((low <= middle) & (middle < high), middle, low)
