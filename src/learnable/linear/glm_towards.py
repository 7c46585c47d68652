"""Any generalised linear model whose coefficients are pulled towards a given vector. Syllabus: D5."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from learnable.base import refuse_unreadable
from learnable.certificates import Certificate
from learnable.linear.generalized_linear_regressor import GeneralizedLinearRegressor
from learnable.problems.linear import families


class GLMTowards(NamedTuple):
    """The minimum of Σ wᵢ d(yᵢ, μᵢ) / (2 Σ wᵢ) + ½ α ‖β − θ‖².

    Attributes
    ----------
    coef : (p,) β.
    intercept : float b.
    objective : the value at the minimum.
    certificate : of β − θ, the coefficients of a model with the known part Xθ.
    """

    coef: np.ndarray
    intercept: float
    objective: float
    certificate: Certificate


def glm_towards(
    X, y, prior: ArrayLike, alpha: float = 1.0, *, family: str = "binomial", link: str = "auto",
    fit_intercept: bool = True, sample_weight=None,
) -> GLMTowards:  # fmt: skip
    """Mean loss + ½ α ‖β − θ‖² for the losses of generalised linear models: logistic, Poisson, gamma, squared.

    β − θ are the coefficients of the same model with Xθ as a known part (offset) of every linear predictor, pulled
    towards 0. With α → 0 it is plain maximum likelihood, with α → ∞ it is θ. `ridge_towards` is the case of squared
    loss, with α n for α here. Syllabus: D5.

    Parameters
    ----------
    X : array or sparse matrix (n, p)
    y : array (n,); 0 and 1, or shares, with the binomial family
    prior : θ, a number or array (p,)
    alpha : float ≥ 0, default=1.0
    family : {"gaussian", "binomial", "poisson", "gamma"}, default="binomial"
    link : default="auto", as in `GeneralizedLinearRegressor`
    fit_intercept : bool, default=True
    sample_weight : array (n,), default=None

    Returns
    -------
    GLMTowards

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[-1.0], [0.0], [1.0], [2.0]]), np.array([0, 1, 0, 1])
    >>> [float(glm_towards(X, y, prior=3.0, alpha=alpha).coef[0].round(2)) for alpha in (0.0, 0.1, 1e6)]
    [0.91, 1.75, 3.0]
    """
    refuse_unreadable(X)
    X = X if hasattr(X, "shape") else np.asarray(X, dtype=float)
    theta, p = np.asarray(prior, dtype=float), X.shape[1]
    if theta.shape not in ((), (p,)) or not np.all(np.isfinite(theta)):
        raise ValueError(
            f"glm_towards(prior): shape {theta.shape}; give one finite number, or one for each of the {p} columns of X"
        )
    theta = np.array(np.broadcast_to(theta, (p,)))
    if not np.isfinite(alpha) or alpha < 0.0:
        raise ValueError(f"glm_towards(alpha={alpha}): alpha must be a finite number >= 0")
    known = np.asarray(X @ theta).ravel()
    model = GeneralizedLinearRegressor(family, link, alpha=alpha, fit_intercept=fit_intercept, tol=1e-10)
    model.fit(X, y, sample_weight=sample_weight, offset=known)
    moved = np.asarray(model.coef_, dtype=float)
    mu = np.asarray(model.predict(X, offset=known), dtype=float)
    deviances = families.unit_deviance(model.glm.family, np.asarray(y, dtype=float), mu)
    loss = 0.5 * float(np.average(deviances, weights=sample_weight))
    penalty = 0.5 * alpha * float(moved @ moved) if alpha else 0.0
    return GLMTowards(theta + moved, float(model.intercept_), loss + penalty, model.certificate_)
