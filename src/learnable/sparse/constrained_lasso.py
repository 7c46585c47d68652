"""The lasso as a constraint: from the ℓ1 norm of the coefficients to the penalty that gives it, and back."""

from typing import NamedTuple

import numpy as np
from scipy import optimize
from sklearn.utils.validation import _check_sample_weight, check_X_y

from learnable.base import refuse_unreadable
from learnable.rows import one_blas_thread
from learnable.solvers import penalty_path
from learnable.solvers.penalty_factors import Posed, pose

TIGHT = 1e-13
MAX_ROUNDS = 1000


class ConstrainedLasso(NamedTuple):
    """The solution of min Σ wᵢ (yᵢ − xᵢ·β − b)² / (2 Σ wᵢ) subject to ‖β‖₁ ≤ t.

    Attributes
    ----------
    coef, intercept : β and b.
    radius : t.
    alpha : the multiplier of ‖β‖₁ ≤ t, which is the penalty of the equivalent lasso; 0 where the bound is idle.
    norm : ‖β‖₁.
    gap : duality gap of that lasso.
    slackness : α |t − ‖β‖₁|, zero at a solution: the objective is within gap + slackness of its minimum over the ball.
    """

    coef: np.ndarray
    intercept: float
    radius: float
    alpha: float
    norm: float
    gap: float
    slackness: float


def constrained_lasso(X, y, *, radius: float, fit_intercept: bool = True, sample_weight=None) -> ConstrainedLasso:
    """Least squares over ‖β‖₁ ≤ t, by the penalty α whose lasso solution has that norm.

    t(α) = ‖β̂(α)‖₁ is continuous, piecewise linear and falls from its value at least squares to 0 at
    α_max = ‖Xᵀ(y − ȳ)‖∞ / n. Its root is found on a warm-started path. Syllabus: L3, R11, MS8.

    Parameters
    ----------
    X : array or sparse matrix (n, p)
    y : array (n,)
    radius : float
        t > 0.
    fit_intercept : bool, default=True
    sample_weight : array (n,), default=None

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sparse import constrained_lasso
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]), np.array([3.0, 1.0, -3.0, -1.0])
    >>> found = constrained_lasso(X, y, radius=3.0)
    >>> found.coef.round(6), round(found.alpha, 6)                  # (3 − 2α) + (1 − 2α) = 3
    (array([2.5, 0.5]), 0.25)
    """
    if not (np.isfinite(radius) and radius > 0.0):
        raise ValueError(f"constrained_lasso(radius={radius}): radius must be a finite number > 0")
    refuse_unreadable(X)
    X, y = check_X_y(X, y, accept_sparse=["csc", "csr"], dtype=np.float64, y_numeric=True)
    if sample_weight is not None:
        sample_weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
    with one_blas_thread():
        return _constrained(pose(X, y, sample_weight, fit_intercept), float(radius), X.shape[1])


def _constrained(posed: Posed, radius: float, n_columns: int) -> ConstrainedLasso:
    largest = posed.largest_pull()
    # The last solution starts the next one: the search visits penalties that come ever closer.
    last: dict[str, np.ndarray | None] = {"coef": None}

    def solution(alpha: float) -> penalty_path.PathState:
        state = next(penalty_path.iterates(posed, [alpha], 1.0, False, TIGHT, MAX_ROUNDS, last["coef"]))
        last["coef"] = state.coef
        return state

    def excess(alpha: float) -> float:
        return float(np.abs(solution(alpha).coef).sum()) - radius

    free = solution(0.0)
    alpha = 0.0
    if np.abs(free.coef).sum() > radius:
        # Least squares of least ℓ2 norm need not have the least ℓ1 norm: a tiny penalty does, nearly.
        low = 1e-10 * largest
        alpha = low if excess(low) <= 0.0 else float(optimize.brentq(excess, low, largest, xtol=1e-300, rtol=1e-14))
    found = free if alpha == 0.0 else solution(alpha)
    norm = float(np.abs(found.coef).sum())
    coef, intercept = posed.answer(found.coef, n_columns)
    return ConstrainedLasso(coef, intercept, radius, alpha, norm, max(found.gap, 0.0), alpha * abs(radius - norm))
