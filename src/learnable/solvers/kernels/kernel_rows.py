"""Values of a kernel between training rows, computed by blocks when they are asked for and kept up to a ceiling."""

from typing import Any

import numpy as np
from scipy import sparse

from learnable._jit.kernels.radial import radial
from learnable.problems.kernels.basic import RBF, Precomputed
from learnable.problems.kernels.kernel import Kernel, products, squares
from learnable.rows.threads import in_order, one_blas_thread, worker_count

# Kernel values computed by one thread at a time.
BLOCK = 2**17
MEGABYTE = 2**20


class KernelRows:
    """k(xᵢ, xⱼ) over the rows of X.

    Parameters
    ----------
    kernel : a `Kernel`.
    X : (n, p) array or sparse matrix; the table of values itself for `Precomputed`.
    megabytes : ceiling of what is kept of the values.
    """

    def __init__(self, kernel: Kernel, X: Any, megabytes: float = 200.0):
        self.kernel, self.n = kernel, X.shape[0]
        self.table = np.ascontiguousarray(kernel(X)) if isinstance(kernel, Precomputed) else None
        self.radial = isinstance(kernel, RBF)
        self.gamma = kernel.gamma if isinstance(kernel, RBF) else 0.0
        self.X = centred(X) if self.radial else X
        self.squares = squares(self.X) if self.radial else np.zeros(0)
        most = int(min(megabytes * MEGABYTE / (8.0 * max(self.n, 1)), self.n))
        self.capacity = 0 if self.table is not None else min(self.n, max(most, 0))
        self.kept: np.ndarray | None = None
        self.slot = np.full(self.n, -1, dtype=np.intp)
        self.owner = np.full(self.capacity, -1, dtype=np.intp)
        self.used = np.zeros(self.capacity, dtype=np.int64)
        self.clock = 0

    @classmethod
    def of_values(cls, K: np.ndarray) -> "KernelRows":
        """Rows whose values are all known."""
        return cls(Precomputed(), K)

    def among(self, chosen: np.ndarray, megabytes: float) -> "KernelRows":
        """The same kernel between some of the rows."""
        if self.table is not None:
            return KernelRows.of_values(self.table[np.ix_(chosen, chosen)])
        return KernelRows(self.kernel, self.X[chosen], megabytes)

    @property
    def fits(self) -> bool:
        """Whether all values may be kept."""
        return self.table is not None or self.capacity == self.n

    def whole(self) -> np.ndarray:
        """The matrix of all values; for n rows that fit under the ceiling."""
        if self.table is None:
            self.table = self._values(np.arange(self.n))
            self.kept = None
        return self.table

    def square(self, chosen: np.ndarray) -> np.ndarray:
        """k(xᵢ, xⱼ) among the chosen rows."""
        if self.table is not None:
            return np.ascontiguousarray(self.table[np.ix_(chosen, chosen)])
        if self.kept is not None and np.all(self.slot[chosen] >= 0):
            return np.ascontiguousarray(self.kept[np.ix_(self.slot[chosen], chosen)])
        with one_blas_thread():
            return self._block(chosen, chosen)

    def diagonal(self) -> np.ndarray:
        """k(xᵢ, xᵢ)."""
        if self.table is not None:
            return np.diagonal(self.table).copy()
        return np.ones(self.n) if self.radial else self.kernel.diagonal(self.X)

    def add_to(self, total: np.ndarray, chosen: np.ndarray, change: np.ndarray) -> None:
        """total ← total + Σ changeᵢ k(xᵢ, ·) over the chosen rows."""
        for start in range(0, len(chosen), max(1, 64 * BLOCK // max(self.n, 1))):
            part = slice(start, start + max(1, 64 * BLOCK // max(self.n, 1)))
            rows = self.rows(chosen[part])
            with one_blas_thread():
                total += change[part] @ rows

    def rows(self, chosen: np.ndarray) -> np.ndarray:
        """k(xᵢ, ·) of the chosen rows, (len(chosen), n)."""
        if self.table is not None:
            return self.table[chosen]
        missing = chosen[self.slot[chosen] < 0]
        if len(chosen) > self.capacity:
            return self._values(chosen)
        if self.kept is None:
            self.kept = np.empty((self.capacity, self.n))
        self.clock += 1
        self.used[self.slot[chosen[self.slot[chosen] >= 0]]] = self.clock
        if len(missing):
            # The slots unused for longest; those of this call carry the present time and are never among them.
            places = np.argpartition(self.used, len(missing) - 1)[: len(missing)]
            self.slot[self.owner[places][self.owner[places] >= 0]] = -1
            self.slot[missing], self.owner[places], self.used[places] = places, missing, self.clock
            self.kept[places] = self._values(missing)
        return self.kept[self.slot[chosen]]

    def _values(self, chosen: np.ndarray) -> np.ndarray:
        """k(xᵢ, ·), threads over blocks of the other rows."""
        width = max(64, BLOCK // max(len(chosen), 1))
        blocks = [np.arange(start, min(start + width, self.n)) for start in range(0, self.n, width)]
        out = np.empty((len(chosen), self.n))

        def fill(columns: np.ndarray) -> None:
            out[:, columns[0] : columns[-1] + 1] = self._block(chosen, slice(columns[0], columns[-1] + 1))

        with one_blas_thread() as granted:
            for _ in in_order(fill, iter(blocks), worker_count(None, granted, len(blocks))):
                pass
        return out

    def _block(self, one: np.ndarray, two: Any) -> np.ndarray:
        if not self.radial:
            return np.asarray(self.kernel.matrix(self.X[one], self.X[two]), dtype=float)
        found = np.ascontiguousarray(products(self.X[one], self.X[two]))
        radial(found, self.squares[one], self.squares[two], self.gamma)
        return found


def centred(X: Any) -> Any:
    """Rows less their mean, which changes no distance and saves digits; a sparse matrix stays as it is."""
    return X if sparse.issparse(X) or not X.shape[0] else X - X.mean(axis=0)
