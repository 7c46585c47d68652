"""Bins of columns: thresholds between distinct values, or between quantiles where there are more than bins."""

from typing import NamedTuple

import numpy as np

from learnable._jit.ensembles.histograms import bin_rows
from learnable.problems.ensembles.bins import edges_of_column, representatives
from learnable.rows.threads import in_order, one_blas_thread, worker_count


class Bins(NamedTuple):
    """codes (n, p) uint8, number of bins of each column, thresholds between them (None for categories)."""

    codes: np.ndarray
    n_bins: np.ndarray
    thresholds: list[np.ndarray]
    categorical: np.ndarray


def binned(X: np.ndarray, categorical: np.ndarray, max_bins: int, thresholds: list[np.ndarray] | None = None) -> Bins:
    """Put the columns of X into bins; `thresholds` of an earlier table may be given."""
    if thresholds is None:
        thresholds = _edges(X, categorical, max_bins)
    n_edges = np.array([len(edges) for edges in thresholds], dtype=np.int64)
    first = np.concatenate([[0], np.cumsum(n_edges)[:-1]]).astype(np.int64)
    edges = np.concatenate([*thresholds, [0.0]])
    mask = np.asarray(categorical, dtype=np.uint8)
    codes = np.empty(X.shape, dtype=np.uint8)
    blocks = [slice(a, a + 2**16) for a in range(0, len(X), 2**16)]
    with one_blas_thread() as granted:
        for _ in in_order(
            lambda block: bin_rows(X[block], edges, first, n_edges, mask, codes[block]),
            iter(blocks),
            worker_count(None, granted, len(blocks)),
        ):
            pass
    return Bins(codes, np.where(mask == 1, 255, n_edges + 1).astype(np.int64), thresholds, mask)


def _edges(X: np.ndarray, categorical: np.ndarray, max_bins: int) -> list[np.ndarray]:
    """The rule of `problems.ensembles.bins`, columns over threads."""
    rows = representatives(len(X))

    def one(j: int) -> np.ndarray:
        if categorical[j]:
            return np.zeros(0)
        return edges_of_column(X[:, j] if rows is None else X[rows, j], max_bins)

    p = X.shape[1]
    with one_blas_thread() as granted:
        return list(in_order(one, iter(range(p)), worker_count(None, granted, p if len(X) > 2**12 else 1)))
