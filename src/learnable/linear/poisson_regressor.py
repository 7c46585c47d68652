"""Poisson regression with a log link."""

from learnable.linear.log_link_regressor import LogLinkRegressor
from learnable.panel import Entry
from learnable.problems.linear.glm import GLM, model_of


class PoissonRegressor(LogLinkRegressor):
    """Poisson regression: min over (β, b) of Σ wᵢ (μᵢ − yᵢ log μᵢ) / Σ wᵢ + ½ α ‖β‖² with μᵢ = e^{xᵢ·β + b}.

    The first term is half the mean deviance, up to a term in y alone. The objective is convex, so a vanishing
    gradient is a global minimum. Drop-in for `sklearn.linear_model.PoissonRegressor`; an `offset`, such as the
    logarithm of an exposure, may be given to `fit`, `predict` and `score`. Syllabus: C7, O6.

    Parameters
    ----------
    alpha : float, default=1.0
        L2 penalty; the intercept is not penalised.
    fit_intercept : bool, default=True
    solver : default="lbfgs"
        Every name of scikit-learn's is accepted; the minimum is the same.
    max_iter : int, default=100
        Newton steps at most.
    tol : float, default=1e-4
        The fit ends once the largest entry of the gradient is at most this.
    warm_start : bool, default=False
        Start from the last solution.
    verbose : kept for compatibility; without effect.

    Attributes
    ----------
    coef_ : array (p,)
    intercept_ : float
    n_iter_ : int, Newton steps made
    offset_ : array (n,), only when an offset was given
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        C7 : the gradient vanishes to `tol`; with an intercept, the mean prediction equals the mean of y.
        O6 : with a penalty, a duality gap that bounds the distance to the minimum.
        R1 : without a penalty, how many directions of the coefficients the data leave open.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.linear import PoissonRegressor
    >>> X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([1.0, 3.0, 4.0, 8.0])
    >>> model = PoissonRegressor(alpha=0.0, tol=1e-10).fit(X, y)
    >>> model.predict([[0.0], [1.0]]).round(6), model.certificate_.holds
    (array([2., 6.]), True)
    """

    panel = (Entry("counts", "Poisson regression", {"alpha": [0.0001, 0.001, 0.01, 0.1, 1.0]}, {"max_iter": 1000}),)

    @property
    def glm(self) -> GLM:
        """Poisson family, log link."""
        return model_of("poisson", "log")
