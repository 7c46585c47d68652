"""Squared loss with several targets at once: centred columns, centred targets, and the sums that need both."""

from typing import Any, NamedTuple

import numpy as np

from learnable.problems.core.duality import Gap
from learnable.problems.sparse.matrix_penalties import matrix_gap
from learnable.solvers.sparse.coordinate_descent import CentredColumns, centred_columns, mean_of

# One row in so many is not zero where a product asks for all columns.
DENSE = 4


class SeveralTargets(NamedTuple):
    """A design and the targets it serves, rows scaled by √w.

    Attributes
    ----------
    design : the columns.
    Y : (n, q) centred targets times √w.
    x_mean, y_mean : what was subtracted.
    """

    design: CentredColumns
    Y: np.ndarray
    x_mean: np.ndarray
    y_mean: np.ndarray

    @property
    def mean_square(self) -> float:
        """‖Y‖² / W."""
        return float(np.vdot(self.Y, self.Y)) / self.design.weight_sum

    def residuals(self, B: np.ndarray) -> np.ndarray:
        """Y − XB with the columns centred; B may have few rows that are not zero."""
        used = np.flatnonzero(B.any(axis=1))
        if not len(used):
            return self.Y
        if DENSE * len(used) > len(B):  # to gather the columns takes longer than to multiply them all
            used = slice(None)  # type: ignore[assignment]
        R = self.Y - np.asarray(self.design.X[:, used] @ B[used])
        if self.design.mean.any():
            # What the implicit shift of the columns leaves is the same in every row but for √w.
            R += np.outer(self._ones, self.design.mean[used] @ B[used])
        return R

    def correlations(self, R: np.ndarray) -> np.ndarray:
        """XᵀR / W, (p, q)."""
        pull = np.asarray(self.design.X.T @ R)
        if self.design.mean.any():
            pull -= np.outer(self.design.mean, self._ones @ R)
        return pull / self.design.weight_sum

    def judged(self, penalty: Any, B: np.ndarray) -> tuple[Gap, np.ndarray]:
        """(duality gap at B under a norm of it, slope of the loss there)."""
        R = self.residuals(B)
        slope = -self.correlations(R)
        square, with_target = (float(np.vdot(R, other)) / self.design.weight_sum for other in (R, self.Y))
        return matrix_gap(penalty, B, slope, square, with_target), slope

    def intercept(self, B: np.ndarray) -> np.ndarray:
        """The best intercepts for B."""
        return self.y_mean - self.x_mean @ B

    @property
    def _ones(self) -> np.ndarray:
        root = self.design.root_weight
        return np.ones(len(self.Y)) if root is None else root


def several_targets(X: Any, Y: np.ndarray, weight: np.ndarray | None, intercept: bool) -> SeveralTargets:
    """Centre X and Y when the intercepts are free; nothing given is modified."""
    Y = np.asarray(Y, dtype=float)
    weight = None if weight is None else np.asarray(weight, dtype=float)
    design, x_mean, _ = centred_columns(X, Y[:, 0], weight, intercept)
    y_mean = np.zeros(Y.shape[1])
    if intercept:
        # Down columns as few as targets a sum takes ten times as long as a product.
        y_mean = mean_of(Y, np.full(len(Y), 1.0 / len(Y)) if weight is None else weight / weight.sum())
    centred = Y - y_mean
    if design.root_weight is not None:
        centred *= design.root_weight[:, None]
    return SeveralTargets(design, centred, x_mean, y_mean)
