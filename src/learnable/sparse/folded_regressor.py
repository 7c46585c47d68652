"""What regressions with a penalty that spares large coefficients share: the warm path, and the answer kept."""

from abc import abstractmethod
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.base import Fitting, LinearRegressor
from learnable.base.fit_context import fit_context
from learnable.solvers.sparse import folded_descent
from learnable.solvers.sparse.penalty_factors import penalized_problem
from learnable.trace import Status, budget


class FoldedRegressor(LinearRegressor):
    """min over (β, b) of Σ wᵢ (yᵢ − xᵢ·β − b)² / (2 Σ wᵢ) + Σ φ(|βⱼ|). A subclass says what φ is.

    The penalty is that of the columns as they are given: nothing is standardised. A column measured in a unit c times
    as large has a coefficient c times as large, and is penalised for it; scale the columns first where that is not
    what you want.
    """

    _by_moments: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, alpha, *, fit_intercept, max_iter, tol):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol

    @abstractmethod
    def _penalty(self) -> Any:
        """The penalty, one of `problems.folded_penalties`."""

    @property
    def _ended(self) -> Status:
        return Status.STATIONARY

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        y : array (n,)
        sample_weight : float or array (n,), default=None
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def _pose(self, X, y=None, sample_weight=None) -> Fitting:
        data = self._validated(
            X, y, sample_weight, accept_sparse=["csc", "csr"], y_numeric=True, dtype=np.float64,
            extremes=False, blocks=False)  # fmt: skip
        posed = penalized_problem(data.X, data.y, data.sample_weight, self.fit_intercept)
        rounds = 0

        def counted():
            nonlocal rounds
            for state in folded_descent.iterates(posed.design, self._penalty(), self.tol):
                rounds += 1
                yield state

        def attributes(state):
            coef, intercept = posed.answer(state.coef, data.X.shape[1])
            lasso, lasso_intercept = posed.answer(state.lasso, data.X.shape[1])
            return {
                "coef_": coef,
                "intercept_": intercept,
                "lasso_coef_": lasso,
                "lasso_intercept_": lasso_intercept,
                "n_iter_": rounds,
            }

        return Fitting(counted(), budget(self.max_iter), attributes, data, max_steps=self.max_iter, ended=self._ended)
