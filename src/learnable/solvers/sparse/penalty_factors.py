"""Squared loss + elastic net with its own penalty factor for every column, posed for coordinate descent.

The columns Z that are not penalised (factor 0, and the intercept) are regressed out of the others and of y, and come
back at the end: with x̃_j = x_j − Z B_j and ỹ = y − Z b, the penalised coefficients are those of (X̃, ỹ), and the free
ones are b − Bβ (Frisch, Waugh and Lovell). Columns with an infinite factor stay out.
"""

from typing import NamedTuple

import numpy as np
from scipy import linalg, sparse

from learnable.problems.sparse.penalties import ElasticNet, NonNegative, Weighted
from learnable.solvers.sparse.coordinate_descent import CentredColumns, centred_columns


class Posed(NamedTuple):
    """A problem ready for the solver, and the way back.

    Attributes
    ----------
    design : the penalised columns and the target, with the free columns regressed out.
    factor : (m,) their factors, or None when all are one.
    penalised, free : places of the columns among all p.
    share : (z, m) and target_share : (z,), regressions of the penalised columns and of y on the free ones, the
        intercept last.
    intercept : whether it is free.
    """

    design: CentredColumns
    factor: np.ndarray | None
    penalised: np.ndarray | slice
    free: np.ndarray
    share: np.ndarray
    target_share: np.ndarray
    intercept: bool

    def penalty(self, alpha: float, l1_ratio: float, positive: bool = False):
        """The penalty as the solver sees it."""
        plain = ElasticNet(float(alpha), float(l1_ratio))
        even = plain if self.factor is None else Weighted(plain, self.factor)
        return NonNegative(even) if positive else even

    def start(self, coef: np.ndarray | None) -> np.ndarray | None:
        """Coefficients of all columns as a start for the solver."""
        return None if coef is None else np.asarray(coef, dtype=float)[self.penalised]

    def answer(self, coef: np.ndarray, n_columns: int) -> tuple[np.ndarray, float]:
        """(coefficients of all columns, intercept) from those of the penalised ones."""
        every, offsets = self.answers(coef[None], n_columns)
        return every[0], float(offsets[0])

    def answers(self, coefs: np.ndarray, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
        """The same for coefficients (k, m): (those of all columns (k, n_columns), intercepts (k,))."""
        free = self.target_share - coefs @ self.share.T
        every = np.zeros((len(coefs), n_columns))
        every[:, self.penalised] = coefs
        if len(self.free):
            every[:, self.free] = free[:, : len(self.free)]
        return every, free[:, -1] if self.intercept else np.zeros(len(coefs))

    def largest_pull(self, positive: bool = False) -> float:
        """max_j |x̃_j·ỹ| / (W factor_j): the L1 level from which on no penalised column enters."""
        pull = self.design.X.T @ self.design.y - self.design.mean * float(self.ones @ self.design.y)
        pull = (pull if positive else np.abs(pull)) / (1.0 if self.factor is None else self.factor)
        return float(np.max(pull[self.design.curvature > 0.0], initial=0.0)) / self.design.weight_sum

    @property
    def ones(self) -> np.ndarray:
        """(n,) the column of ones, rows scaled like those of the design."""
        root = self.design.root_weight
        return np.ones(len(self.design.y)) if root is None else root


def penalized_problem(
    X, y: np.ndarray, weight: np.ndarray | None, intercept: bool, factor: np.ndarray | None = None
) -> Posed:
    """Pose min Σ wᵢ (yᵢ − xᵢ·β − b)² / (2W) + Σ factor_j φ(β_j).

    Parameters
    ----------
    X : array or sparse matrix (n, p); made dense when there are columns to be regressed out.
    factor : (p,) ≥ 0, possibly infinite; None for ones.

    >>> X, y = np.array([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]]), np.array([3.0, 1.0, 1.0, -1.0])
    >>> posed = penalized_problem(X, y, None, True, np.array([0.0, 2.0]))
    >>> coef, intercept = posed.answer(np.array([0.5]), 2)
    >>> coef.round(6), round(intercept, 6)
    (array([1. , 0.5]), 1.0)
    """
    nobody = np.zeros(0, dtype=int)
    if factor is None or np.all(factor == 1.0):
        design, x_mean, y_mean = centred_columns(X, y, weight, intercept)
        share, target_share = x_mean[None, :], np.array([y_mean])
        return Posed(design, None, slice(None), nobody, share, target_share, intercept)
    penalised, free = np.flatnonzero((factor > 0.0) & np.isfinite(factor)), np.flatnonzero(factor == 0.0)
    if not len(free):
        design, x_mean, y_mean = centred_columns(X[:, penalised], y, weight, intercept)
        share, target_share = x_mean[None, :], np.array([y_mean])
        return Posed(design, factor[penalised], penalised, free, share, target_share, intercept)
    X = X.toarray() if sparse.issparse(X) else X
    Z = np.asarray(X[:, free], dtype=float)
    Z = np.column_stack([Z, np.ones(len(y))]) if intercept else Z
    root = np.ones(len(y)) if weight is None else np.sqrt(weight)
    others = np.column_stack([X[:, penalised], y])
    shares = linalg.lstsq(root[:, None] * Z, root[:, None] * others)[0]
    rest = others - Z @ shares
    design, _, _ = centred_columns(rest[:, :-1], rest[:, -1], weight, False)
    return Posed(design, factor[penalised], penalised, free, shares[:, :-1], shares[:, -1], intercept)
