"""Generalised linear regression: any of four families with any of its links."""

from typing import ClassVar

from sklearn.utils._param_validation import StrOptions

from learnable.linear.deviance_regressor import DevianceRegressor
from learnable.problems.linear.glm import GLM, MODELS, USUAL_LINK, model_of


class GeneralizedLinearRegressor(DevianceRegressor):
    """Generalised linear model: min over (β, b) of Σ wᵢ d(yᵢ, μᵢ) / (2 Σ wᵢ) + ½ α ‖β‖², g(μᵢ) = xᵢ·β + b + offsetᵢ.

    d is the unit deviance of the family, twice the log-likelihood lost against a perfect fit; g is the link. Newton's
    method with step halving finds the minimum; it is global for every pair but the Gaussian family with a log link,
    whose loss is not convex. Syllabus: C7, O6, O8.

    Parameters
    ----------
    family : {"gaussian", "binomial", "poisson", "gamma"}, default="gaussian"
        Binomial targets are 0 and 1, or shares of successes with the numbers of trials as `sample_weight`.
    link : default="auto"
        gaussian: "identity" (auto) or "log"; binomial: "logit" (auto), "probit" or "cloglog"; poisson: "log" (auto) or
        "identity"; gamma: "log" (auto) or "inverse".
    alpha : float, default=1.0
        L2 penalty; the intercept is not penalised.
    fit_intercept : bool, default=True
    max_iter : int, default=100
        Newton steps at most.
    tol : float, default=1e-4
        The fit ends once the largest entry of the gradient is at most this.
    warm_start : bool, default=False
        Start from the last solution.
    n_jobs : int, default=None
        Threads over blocks of rows; the answer is the same for any number.

    Attributes
    ----------
    coef_ : array (p,)
    intercept_ : float
    n_iter_ : int, Newton steps made
    offset_ : array (n,), only when an offset was given
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        C7 : the gradient vanishes to `tol`; with a canonical link and an intercept, the mean prediction equals that
        of y.
        O6 : with a penalty and a convex loss whose conjugate is known, a duality gap.
        C8 : binomial without a penalty: the fitted predictors do not separate the classes.
        R1 : without a penalty, how many directions of the coefficients the data leave open.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.linear import GeneralizedLinearRegressor
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 0.5, 0.33, 0.25])
    >>> model = GeneralizedLinearRegressor("gamma", "inverse", alpha=0.0, tol=1e-9).fit(X, y)
    >>> round(float(model.coef_[0]), 2), model.certificate_.holds
    (1.01, True)
    """

    _parameter_constraints: ClassVar[dict] = {
        "family": [StrOptions(set(USUAL_LINK))],
        "link": [StrOptions({"auto", *(link for _, link in MODELS)})],
        **{
            name: rule
            for name, rule in DevianceRegressor._parameter_constraints.items()
            if name not in ("solver", "verbose")
        },
        "n_jobs": [None, int],
    }

    def __init__(
        self,
        family="gaussian",
        link="auto",
        *,
        alpha=1.0,
        fit_intercept=True,
        max_iter=100,
        tol=1e-4,
        warm_start=False,
        n_jobs=None,
    ):
        self.family = family
        self.link = link
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    @property
    def glm(self) -> GLM:
        """Family, link and loss of the parameters."""
        try:
            return model_of(self.family, self.link)
        except ValueError as reason:
            raise ValueError(f"GeneralizedLinearRegressor: {reason}") from None
