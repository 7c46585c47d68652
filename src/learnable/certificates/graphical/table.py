"""Means and cross-products of a table in memory or in blocks, as the certificates of graphs make them."""

from typing import Any, NamedTuple

import numpy as np

from learnable.certificates.core.sums import cross_products
from learnable.rows import as_rows, largest_magnitudes


class TableMoments(NamedTuple):
    """Of the rows of X: how many, where they lie, Σ w (x − location)(x − location)ᵀ / Σ w, largest magnitudes."""

    n_rows: int
    location: np.ndarray
    S: np.ndarray
    sizes: np.ndarray

    def shift(self, told: Any) -> float:
        """Largest difference of a location from that of the rows, relative to the size of its column.

        Infinite where it has another shape.
        """
        if np.shape(told) != self.location.shape:
            return np.inf
        apart = np.abs(self.location - np.asarray(told, dtype=float))
        return float(np.max(apart / np.where(self.sizes > 0.0, self.sizes, 1.0), initial=0.0))


def moments_of(X: Any, assume_centered: bool = False, precomputed: bool = False) -> TableMoments:
    """The moments of the rows; with `precomputed`, X is S itself.

    >>> moments_of([[1.0], [2.0], [6.0]])
    TableMoments(n_rows=3, location=array([3.]), S=array([[4.66666667]]), sizes=array([6.]))
    """
    if precomputed:
        S = np.asarray(X, dtype=float)
        return TableMoments(len(S), np.zeros(len(S)), S, np.abs(S).max(axis=0))
    rows = as_rows(X)
    p = rows.n_columns
    found = cross_products(rows, not assume_centered)
    location = np.zeros(p) if assume_centered else found.mean[:p]
    return TableMoments(rows.n_rows, location, found.products[:p, :p] / found.weight, largest_magnitudes(rows)[:p])
