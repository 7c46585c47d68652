"""Ridge as a constraint: from the length of the coefficients to the penalty that gives it, and back."""

from typing import NamedTuple

import numpy as np
from scipy import linalg, optimize
from sklearn.utils.validation import _check_sample_weight, check_X_y

from learnable.base import refuse_unreadable
from learnable.rows import Rows, as_rows, is_streamed, moments, one_blas_thread
from learnable.theory.algebra.well_posedness import scaled_triangle


class ConstrainedRidge(NamedTuple):
    """The solution of min Σ wᵢ (yᵢ − xᵢ·β − b)² subject to ‖β‖ ≤ t.

    Attributes
    ----------
    coef, intercept : β and b.
    radius : t.
    alpha : the multiplier of ‖β‖² ≤ t², which is the penalty of the equivalent ridge regression.
    norm : ‖β‖.
    stationarity : ‖Xᵀr − αβ‖ relative to ‖Xᵀy‖, of the centred data.
    slackness : α (t² − ‖β‖²) relative to α t², zero at a solution.
    """

    coef: np.ndarray
    intercept: float
    radius: float
    alpha: float
    norm: float
    stationarity: float
    slackness: float


def constrained_ridge(X, y=None, *, radius: float, fit_intercept: bool = True, sample_weight=None) -> ConstrainedRidge:
    """Least squares over ‖β‖ ≤ t, by the penalty α whose ridge solution has length t.

    t(α) = ‖β̂(α)‖ falls from ‖β̂(0)‖ to 0, so for 0 < t < ‖β̂(0)‖ one α > 0 has ‖β̂(α)‖ = t; beyond it the constraint does
    not bind and α = 0. α is the Karush-Kuhn-Tucker multiplier of ‖β‖² ≤ t². Syllabus: R11.

    Parameters
    ----------
    X : array or sparse matrix (n, p), or rows read in blocks
    y : array (n,); None when the rows carry their target
    radius : float
        t > 0.
    fit_intercept : bool, default=True
    sample_weight : array (n,), default=None

    Returns
    -------
    ConstrainedRidge

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[-1.0], [0.0], [1.0]]), np.array([-2.0, 0.0, 2.0])
    >>> half = constrained_ridge(X, y, radius=1.0)
    >>> round(half.alpha, 6), half.coef.round(6)
    (2.0, array([1.]))
    >>> constrained_ridge(X, y, radius=5.0).alpha
    0.0
    """
    if not (np.isfinite(radius) and radius > 0.0):
        raise ValueError(f"constrained_ridge(radius={radius}): radius must be a finite number > 0")
    if not is_streamed(X):
        refuse_unreadable(X)
        X, y = check_X_y(X, y, accept_sparse="csr", dtype=[np.float64, np.float32], y_numeric=True)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
    with one_blas_thread():
        return _constrained(as_rows(X, y, sample_weight), float(radius), fit_intercept)


def _constrained(rows: Rows, radius: float, fit_intercept: bool) -> ConstrainedRidge:
    p = rows.n_columns
    R, scale = scaled_triangle(rows, fit_intercept)
    RX, Ry = R[:p, :p] * scale[:p], R[:p, p] * scale[p]
    U, d, Vt = linalg.svd(RX)
    alive = d > d.max(initial=0.0) * max(rows.n_rows, p) * np.finfo(float).eps
    along = U.T @ Ry

    def coordinates(alpha: float) -> np.ndarray:
        """V'β̂(α)."""
        return np.divide(d * along, d**2 + alpha, out=np.zeros(p), where=alive)

    def excess(alpha: float) -> float:
        # 1/‖β̂(α)‖ is nearly linear in α, which makes the root easy to find.
        return 1.0 / float(np.linalg.norm(coordinates(alpha))) - 1.0 / radius

    alpha = 0.0
    if np.linalg.norm(coordinates(0.0)) > radius:
        # ‖β̂(α)‖ ≤ ‖Xᵀy‖/α bounds the root.
        alpha = float(optimize.brentq(excess, 0.0, float(np.linalg.norm(d * along)) / radius, xtol=1e-300, rtol=1e-15))
    coef = Vt.T @ coordinates(alpha)
    norm = float(np.linalg.norm(coef))
    slope = RX.T @ (Ry - RX @ coef) - alpha * coef
    found = moments(rows)
    return ConstrainedRidge(
        coef,
        float(found.mean_y[0] - found.mean_x @ coef) if fit_intercept else 0.0,
        radius,
        alpha,
        norm,
        float(np.linalg.norm(slope)) / max(float(np.linalg.norm(RX.T @ Ry)), 1e-300),
        abs(radius**2 - norm**2) / radius**2 if alpha > 0.0 else 0.0,
    )
