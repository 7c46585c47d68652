"""What Poisson and gamma regression share: their parameters, which are scikit-learn's."""

from learnable.linear.deviance_regressor import DevianceRegressor


class LogLinkRegressor(DevianceRegressor):
    """Base of regressions with a log link. A subclass says the family."""

    def __init__(
        self,
        *,
        alpha=1.0,
        fit_intercept=True,
        solver="lbfgs",
        max_iter=100,
        tol=1e-4,
        warm_start=False,
        verbose=0,
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.verbose = verbose
