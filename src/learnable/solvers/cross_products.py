"""Cross-products of the columns met so far: a working set mostly asks for columns that the last one had."""

import numpy as np
from scipy import sparse

from learnable.solvers.support_factor import SupportFactor

# Columns gathered at a time: these stay in the cache until they are multiplied.
GATHERED = 64


class CrossProducts:
    """The matrix G of (x_j − mean_j)·(x_k − mean_k) / W over a growing list of columns.

    Attributes
    ----------
    known : (m,) the columns, in the order in which they came.
    place : (p,) where each column stands among them, −1 where it does not.
    gram : square with G in its first m rows and columns.
    factor : the linear systems of supports among these columns.
    """

    def __init__(self, X, mean: np.ndarray, weight_sum: float):
        self.X, self.mean, self.weight_sum = X, mean, weight_sum
        self.forget()

    def forget(self) -> None:
        """Start anew with no column."""
        self.known = np.zeros(0, dtype=np.int64)
        self.place = np.full(len(self.mean), -1)
        self.gram = np.zeros((0, 0))
        self.factor = SupportFactor()

    def add(self, new: np.ndarray) -> None:
        """Take in columns that are not known yet."""
        old, every = len(self.known), np.concatenate([self.known, new])
        size = len(every)
        if size > len(self.gram):
            wider = np.empty((2 * size, 2 * size))
            wider[:old, :old] = self.gram[:old, :old]
            self.gram = wider
        coming = self.X[:, new].T
        pieces = [coming @ self.X[:, every[k : k + GATHERED]] for k in range(0, size, GATHERED)]
        strip = np.hstack([piece.toarray() if sparse.issparse(piece) else piece for piece in pieces]) / self.weight_sum
        if self.mean.any():
            strip -= np.outer(self.mean[new], self.mean[every])
        self.gram[old:size, :size] = strip
        self.gram[:old, old:size] = strip[:, :old].T
        self.place[new] = np.arange(old, size)
        self.known = every
