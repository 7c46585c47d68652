"""The lasso as a constraint: from the ℓ1 norm of the coefficients to the penalty that gives it, and back."""

import numpy as np
from sklearn.utils.validation import check_X_y

from learnable.base import refuse_unreadable
from learnable.base.validation import checked_weights
from learnable.rows import one_blas_thread
from learnable.solvers.sparse.l1_ball import ConstrainedLasso, constrained
from learnable.solvers.sparse.penalty_factors import penalized_problem


def constrained_lasso(X, y, *, radius: float, fit_intercept: bool = True, sample_weight=None) -> ConstrainedLasso:
    """Least squares over ‖β‖₁ ≤ t, by the penalty α whose lasso solution has that norm.

    t(α) = ‖β̂(α)‖₁ is continuous, piecewise linear and falls from its value at least squares to 0 at
    α_max = ‖Xᵀ(y − ȳ)‖∞ / n. The path is followed from there, knot by knot, until its norm has passed t; between two
    knots coefficients and norm are linear in α. Syllabus: L3, R11, MS8.

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
        sample_weight = checked_weights(sample_weight, X)
    with one_blas_thread():
        return constrained(penalized_problem(X, y, sample_weight, fit_intercept), float(radius), X.shape[1])
