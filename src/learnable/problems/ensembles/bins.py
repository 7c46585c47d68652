"""The rule for the bins of a column."""

import numpy as np

# Rows from which the bins of a longer table are made.
SAMPLE = 200_000


def edges_of(X: np.ndarray, categorical: np.ndarray, max_bins: int) -> list[np.ndarray]:
    """Thresholds between the bins of each column; none for categories.

    Up to `max_bins` distinct values: the middles between neighbours. More: the middles at equally spaced ranks. A table
    of more than 200 000 rows is represented by that many of them, the same for any run.

    >>> edges_of(np.array([[1.0], [2.0], [2.0], [5.0]]), np.array([False]), 255)
    [array([1.5, 3.5])]
    """
    rows = representatives(len(X))
    return [
        np.zeros(0) if categorical[j] else edges_of_column(X[:, j] if rows is None else X[rows, j], max_bins)
        for j in range(X.shape[1])
    ]


def representatives(n: int) -> np.ndarray | None:
    """The rows from which bins are made, None for all."""
    return None if n <= SAMPLE else np.sort(np.random.default_rng(0).choice(n, SAMPLE, replace=False))


def edges_of_column(column: np.ndarray, max_bins: int) -> np.ndarray:
    """Thresholds between the bins of one column of numbers."""
    column = np.sort(column)  # what is missing stands last
    column = column[: np.searchsorted(column, np.nan)]
    distinct = column[np.concatenate([[True], column[1:] != column[:-1]])] if len(column) else column
    if len(distinct) <= max_bins:
        return _middles(distinct[:-1], distinct[1:])
    place = (np.arange(1, max_bins) * len(column)) // max_bins
    low = column[place - 1]
    high = column[place]
    split = low < high
    edges = np.unique(_middles(low[split], high[split]))
    if len(edges) < max_bins - 1:
        # Ranks within a run of equal values give no threshold; the end of the run does.
        ends = np.searchsorted(column, low[~split], side="right")
        ends = ends[ends < len(column)]
        edges = np.unique(np.concatenate([edges, _middles(column[ends - 1], column[ends])]))
    return edges


def _middles(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    middle = 0.5 * low + 0.5 * high
    return np.where((low <= middle) & (middle < high), middle, low)
