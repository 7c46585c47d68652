"""The columns of a design, all or some, with the products a solver on working sets needs.

Sparse columns stay stored as they come, by rows or by columns: a product with all of them is as fast either way, and a
few of them are picked out in one pass, while sorting all entries anew would take as long as ten products. A few columns
lie one after the other where they are dense, and are stored by rows where they are sparse.
"""

from typing import Any

import numpy as np
from scipy import sparse

from learnable._jit.core.sparse_columns import choose, times, transposed_times
from learnable._jit.core.sparse_gram import sparse_gram
from learnable._jit.core.vectors import SparseVectors, read_only, rows_of


class DesignColumns:
    """Columns `places` (rising) of a design of which they are a part.

    Parameters
    ----------
    X : array, rows of a sparse matrix as `_jit.vectors` has them, or CSC matrix.
    n : how many rows.
    places : (w,).
    """

    def __init__(self, X: Any, n: int, places: np.ndarray):
        self.X, self.n, self.places = X, n, places

    @classmethod
    def of(cls, X: Any) -> "DesignColumns":
        """All columns of an array or a sparse matrix, without a copy where they are in float64."""
        n, p = X.shape
        X = X.astype(float, copy=False) if sparse.issparse(X) else np.asarray(X, dtype=float)
        return cls(rows_of(X) if sparse.issparse(X) and X.format != "csc" else X, n, np.arange(p))

    @property
    def entries(self) -> int:
        """Numbers stored."""
        return len(self.X.values) if isinstance(self.X, SparseVectors) else self.X.size

    def times(self, coef: np.ndarray) -> np.ndarray:
        """X coef, for (w,) or (w, K)."""
        if not isinstance(self.X, SparseVectors):
            return self.X @ coef
        out = np.empty((self.n, *coef.shape[1:]), order="F")
        for k in np.ndindex(coef.shape[1:]):
            times(self.X, np.ascontiguousarray(coef[:, *k]), out[:, *k])
        return out

    def pulled(self, v: np.ndarray) -> np.ndarray:
        """Xᵀ v, for (n,) or (n, K)."""
        if not isinstance(self.X, SparseVectors):
            return self.X.T @ v
        out = np.zeros((len(self.places), *v.shape[1:]), order="F")
        for k in np.ndindex(v.shape[1:]):
            transposed_times(self.X, np.ascontiguousarray(v[:, *k]), out[:, *k])
        return out

    def gram(self, h: np.ndarray) -> np.ndarray:
        """Σᵢ hᵢ xᵢ xᵢᵀ, C-ordered."""
        if isinstance(self.X, SparseVectors):
            out = np.zeros((len(self.places), len(self.places)))
            sparse_gram(self.X, h, out)
            return out
        scaled = self.X * np.sqrt(h)[:, None]
        return np.ascontiguousarray(scaled.T @ scaled)

    def hold(self, wanted: np.ndarray) -> bool:
        """Whether all the columns wanted are here."""
        found = np.searchsorted(self.places, wanted)
        return bool(len(found) == 0 or (found[-1] < len(self.places) and np.array_equal(self.places[found], wanted)))

    def part(self, wanted: np.ndarray) -> "DesignColumns":
        """Some of them."""
        inside, X = np.searchsorted(self.places, wanted), self.X
        if sparse.issparse(X):
            return DesignColumns(rows_of(X[:, inside]), self.n, wanted)
        if len(wanted) == len(self.places):
            return self
        if not isinstance(X, SparseVectors):
            return DesignColumns(np.asfortranarray(X[:, inside]), self.n, wanted)
        nowhere = np.uint32(len(wanted))
        place = np.full(len(self.places), nowhere)
        place[inside] = np.arange(len(wanted))
        # Room for all: pages that are never written cost nothing.
        values, places, starts = np.empty(len(X.values)), np.empty(len(X.places), np.uint32), np.zeros_like(X.starts)
        count = choose(X, place, nowhere, values, places, starts)
        kept = SparseVectors(read_only(values[:count]), read_only(places[:count]), starts)
        return DesignColumns(kept, self.n, wanted)
