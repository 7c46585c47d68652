"""Ridge regression that pulls the coefficients towards a given vector. Syllabus: D5."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import _check_sample_weight, check_X_y

from learnable.base import refuse_unreadable
from learnable.certificates import Certificate
from learnable.linear.ridge import Ridge


class RidgeTowards(NamedTuple):
    """The minimum of Σ wᵢ (yᵢ − xᵢ·β − b)² + α ‖β − θ‖².

    Attributes
    ----------
    coef : (p,) β.
    intercept : float b.
    objective : the value at the minimum.
    certificate : of the ridge equations Xᵀr = α (β − θ).
    """

    coef: np.ndarray
    intercept: float
    objective: float
    certificate: Certificate


def ridge_towards(
    X, y, prior: ArrayLike, alpha: float = 1.0, *, fit_intercept: bool = True, sample_weight=None
) -> RidgeTowards:
    """Least squares with the penalty α ‖β − θ‖² on the distance from what was believed before; the intercept is free.

    β − θ is the ridge solution for what θ leaves unexplained, y − Xθ. With α → 0 it is least squares, with α → ∞ it is
    θ; `BayesianLinearRegression(prior_mean=θ, prior_scale=1/√α, noise_scale=1)` has it as its posterior mean.

    Parameters
    ----------
    X : array or sparse matrix (n, p)
    y : array (n,)
    prior : θ, a number or array (p,)
    alpha : float ≥ 0, default=1.0
    fit_intercept : bool, default=True
    sample_weight : array (n,), default=None

    Returns
    -------
    RidgeTowards

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[-1.0], [0.0], [1.0]]), np.array([-1.0, 0.0, 1.0])
    >>> [float(ridge_towards(X, y, prior=3.0, alpha=alpha).coef[0].round(6)) for alpha in (0.0, 2.0, 1e9)]
    [1.0, 2.0, 3.0]
    """
    refuse_unreadable(X)
    X, y = check_X_y(X, y, accept_sparse="csr", dtype=np.float64, y_numeric=True)
    theta = np.asarray(prior, dtype=float)
    if theta.shape not in ((), (X.shape[1],)) or not np.all(np.isfinite(theta)):
        raise ValueError(
            f"ridge_towards(prior): shape {theta.shape}; give one finite number, or one for each of the {X.shape[1]} "
            "columns of X"
        )
    theta = np.broadcast_to(theta, (X.shape[1],))
    if not np.isfinite(alpha) or alpha < 0.0:
        raise ValueError(f"ridge_towards(alpha={alpha}): alpha must be a finite number >= 0")
    model = Ridge(alpha, fit_intercept=fit_intercept).fit(X, y - X @ theta, sample_weight)
    residual = y - X @ theta - model.predict(X)
    weight = np.ones(len(y)) if sample_weight is None else _check_sample_weight(sample_weight, X)
    objective = weight @ residual**2 + (alpha * model.coef_ @ model.coef_ if alpha else 0.0)
    return RidgeTowards(theta + model.coef_, float(model.intercept_), float(objective), model.certificate_)
