"""Cross-products of the columns met so far: a working set mostly asks for columns that the last one had."""

import math
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from learnable._jit.core.vectors import DenseVectors, SparseVectors, columns_of
from learnable._jit.sparse.cross_products import cross_products
from learnable.rows import Block, as_rows
from learnable.rows.threads import one_blas_thread_meanwhile
from learnable.solvers.sparse.last_moves import LastMoves
from learnable.solvers.sparse.support_factor import SupportFactor

# Columns gathered at a time: these stay in the cache until they are multiplied.
GATHERED = 64
# Fewer new columns than this are multiplied where they stand: gathering the others would take longer.
FEW = 16
# Cells that are one block of rows in any case.
ONE_BLOCK = 2**14
# Room for the rounding of slopes that are kept up through cross-products.
ROUNDING = 1e3 * float(np.finfo(float).eps)


def cross_product_rounding(mean_square: float, size: Any) -> Any:
    """What a gap from cross-products may be off by, for coefficients of Σ |β_j| ‖x_j‖/√W = `size`."""
    return ROUNDING * (math.sqrt(mean_square) + size) ** 2


class CrossProducts:
    """The matrix G of (x_j − mean_j)·(x_k − mean_k) / W over a growing list of columns.

    Attributes
    ----------
    known : (m,) the columns, in the order in which they came.
    place : (p,) where each column stands among them, −1 where it does not.
    gram : square with G in its first m rows and columns.
    factor : the linear systems of supports among these columns.
    last : the last moves of a descent over these columns.
    """

    def __init__(self, X, mean: np.ndarray, weight_sum: float):
        self.X, self.mean, self.weight_sum = X, mean, weight_sum
        self.shifted = bool(mean.any())
        self.forget()

    @cached_property
    def columns(self) -> DenseVectors | SparseVectors | None:
        """The columns for a kernel, where it can be asked for a few of them; None where they would be copied first."""
        in_order = type(self.X) is np.ndarray and self.X.flags.f_contiguous
        return columns_of(self.X) if in_order and not self.shifted else None

    def forget(self) -> None:
        """Start anew with no column."""
        self.known = np.zeros(0, dtype=np.int64)
        self.place = np.full(len(self.mean), -1)
        self.gram = np.zeros((0, 0))
        self.factor, self.last = SupportFactor(), LastMoves()

    def add(self, new: np.ndarray) -> None:
        """Take in columns that are not known yet."""
        if len(new) == self.X.shape[1] and (new[1:] > new[:-1]).all():
            self.gram, self.known = all_cross_products(self.X, self.mean, self.weight_sum), new
            self.place = np.arange(len(new))
            return
        old, every = len(self.known), np.concatenate([self.known, new])
        size = len(every)
        if size > len(self.gram):
            wider = np.empty((2 * size, 2 * size))
            wider[:old, :old] = self.gram[:old, :old]
            self.gram = wider
        if len(new) < min(FEW, self.X.shape[1]) and self.columns is not None:
            cross_products(self.columns, new, every, self.weight_sum, self.gram)
        else:
            self._multiply(new, every)
        self.place[new] = np.arange(old, size)
        self.known = every

    def take_in(self, wanted: np.ndarray, most: int) -> bool:
        """Know the wanted columns; with more than `most` in all, only those. Returns whether others were forgotten."""
        new = wanted[self.place[wanted] < 0]
        forgotten = len(self.known) + len(new) > most
        if forgotten:
            self.forget()
            new = wanted
        if len(new):
            self.add(new)
        return forgotten

    def _multiply(self, new: np.ndarray, every: np.ndarray) -> None:
        old, size = len(self.known), len(every)
        if len(new) == self.X.shape[1]:
            strip = all_cross_products(self.X, self.mean, self.weight_sum)[new[:, np.newaxis], new]
        else:
            coming = self.X[:, new].T
            pieces = [coming @ self.X[:, every[k : k + GATHERED]] for k in range(0, size, GATHERED)]
            strip = np.hstack([piece.toarray() if sparse.issparse(piece) else piece for piece in pieces])
            strip /= self.weight_sum
            if self.shifted:
                strip -= np.outer(self.mean[new], self.mean[every])
        self.gram[old:size, :size] = strip
        self.gram[:old, old:size] = strip[:, :old].T


def all_cross_products(X: Any, mean: np.ndarray, weight_sum: float) -> np.ndarray:
    """G of all columns at once: a product of a table with itself takes half the work.

    >>> all_cross_products(np.array([[1.0, 0.0], [1.0, 2.0]]), np.zeros(2), 2.0)
    array([[1., 1.],
           [1., 2.]])
    """
    if type(X) is not np.ndarray and sparse.issparse(X):
        G = (X.T @ X).toarray()
    elif X.size <= ONE_BLOCK:
        with one_blas_thread_meanwhile():
            G = X.T @ X
    else:
        G = as_rows(X).reduce(_square)
    G /= weight_sum
    if mean.any():
        G -= np.outer(mean, mean)
    return G


def _square(block: Block) -> np.ndarray:
    return block.X.T @ block.X
