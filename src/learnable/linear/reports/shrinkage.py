"""How ridge regression shrinks along the singular directions of the design."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import _check_sample_weight, check_array

from learnable.base import refuse_unreadable
from learnable.rows import one_blas_thread


class Shrinkage(NamedTuple):
    """X̃ = U diag(d) Vᵀ; ridge multiplies the least-squares fit along u_j by d_j²/(d_j² + λ).

    Attributes
    ----------
    alpha : λ.
    singular_values : (r,) d, largest first; directions : (p, r) V.
    factors : (r,) d_j²/(d_j² + λ), between 0 and 1, smallest where the design varies least.
    effective_df : Σ_j d_j²/(d_j² + λ); the rank at λ = 0, and 0 as λ grows. An intercept is not counted.
    """

    alpha: float
    singular_values: np.ndarray
    directions: np.ndarray
    factors: np.ndarray
    effective_df: float


def shrinkage(X: Any, alpha: float, *, fit_intercept: bool = True, sample_weight: Any = None) -> Shrinkage:
    """The shrinkage factors d²/(d² + λ) of ridge regression, and the effective degrees of freedom they add up to.

    Of a design of columns about their means where there is an intercept, which is not penalised. Syllabus: R9.

    Parameters
    ----------
    X : array (n, p)
    alpha : float, λ ≥ 0 of `Ridge(alpha=λ)`, which minimises ‖y − Xβ − b‖² + λ‖β‖²
    fit_intercept : bool, default=True
    sample_weight : array (n,), default=None

    Returns
    -------
    Shrinkage

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.linear import shrinkage
    >>> found = shrinkage(np.array([[3.0, 0.0], [0.0, 1.0], [-3.0, 0.0], [0.0, -1.0]]), alpha=2.0)
    >>> found.singular_values.round(4), found.factors.round(4), round(found.effective_df, 4)
    (array([4.2426, 1.4142]), array([0.9, 0.5]), 1.4)
    """
    if not 0.0 <= alpha < np.inf:
        raise ValueError(f"shrinkage(alpha={alpha}): alpha must be >= 0 and finite")
    refuse_unreadable(X)
    X = check_array(X, dtype=np.float64)
    weight = (
        np.ones(len(X)) if sample_weight is None else _check_sample_weight(sample_weight, X, ensure_non_negative=True)
    )
    if fit_intercept:
        X = X - np.average(X, axis=0, weights=weight)
    with one_blas_thread():
        _, d, Vt = np.linalg.svd(np.sqrt(weight)[:, None] * X, full_matrices=False)
    # Below the rounding of the largest a singular value is none: at λ = 0 its factor is 0, not 0/0 or 1.
    d = np.where(d > max(X.shape) * np.finfo(float).eps * d.max(initial=0.0), d, 0.0)
    square = d**2
    factors = np.divide(square, square + alpha, out=np.zeros_like(d), where=square > 0.0)
    return Shrinkage(float(alpha), d, Vt.T, factors, float(factors.sum()))
