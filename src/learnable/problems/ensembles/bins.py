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
    rows = slice(None)
    if len(X) > SAMPLE:
        rows = np.sort(np.random.default_rng(0).choice(len(X), SAMPLE, replace=False))  # type: ignore[assignment]
    found = []
    for j in range(X.shape[1]):
        if categorical[j]:
            found.append(np.zeros(0))
            continue
        column = X[rows, j]
        column = np.sort(column[~np.isnan(column)])
        distinct = column[np.concatenate([[True], column[1:] != column[:-1]])] if len(column) else column
        if len(distinct) <= max_bins:
            edges = _middles(distinct[:-1], distinct[1:])
        else:
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
        found.append(edges)
    return found


def _middles(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    middle = 0.5 * low + 0.5 * high
    return np.where((low <= middle) & (middle < high), middle, low)
