"""The adaptive lasso."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils._param_validation import HasMethods, Interval

from learnable.base import Data, Fitting, LinearRegressor
from learnable.base.fit_context import fit_context
from learnable.problems.core.conventions import gap_target
from learnable.solvers.linear import least_squares
from learnable.solvers.sparse import coordinate_descent
from learnable.solvers.sparse.penalty_factors import penalized_problem
from learnable.trace import Status, budget, drive, first_of, reached, to_the_end


class AdaptiveLasso(LinearRegressor):
    """The adaptive lasso: coefficients that are large at first sight are penalised less.

    min over (β, b) of Σ wᵢ (yᵢ − xᵢ·β − b)² / (2 Σ wᵢ) + α Σ |βⱼ| / |β̂ⱼ|^γ, β̂ an initial estimate. Where β̂ⱼ = 0 the
    weight is infinite and the column stays out; where all are zero, so is the answer. Syllabus: L14.

    Parameters
    ----------
    alpha : float > 0, default=1.0
    gamma : float > 0, default=1.0
    initial : estimator, array (p,) or None, default=None
        β̂ itself, or what is fitted to find it: anything with `coef_` after `fit`. None stands for least squares, the
        shortest solution where there are many.
    fit_intercept : bool, default=True
    max_iter : int, default=1000
        Rounds over growing working sets at most.
    tol : float, default=1e-6
        The fit ends once the duality gap is at most tol times what the answer explains of Σ wᵢ(yᵢ − ȳ)²/Σ wᵢ.

    Attributes
    ----------
    coef_, intercept_ : array (p,) and float
    initial_coef_ : array (p,), β̂
    initial_ : the fitted estimator it comes from, where `initial` is one
    dual_gap_ : float, duality gap of the answer
    n_iter_ : int, rounds made
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        L14 : what the lasso claims, with the weights computed again from `initial_coef_`: the duality gap, no
        coefficient where the weight is infinite. β̂ is what was given, solves the normal equations with least norm, or
        is proved by the certificate of the estimator; of estimators without one nothing is proved.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sparse import AdaptiveLasso
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]), np.array([3.0, 0.1, -3.0, -0.1])
    >>> model = AdaptiveLasso(alpha=0.5).fit(X, y)
    >>> model.coef_.round(6)                        # 3 − 2 · 0.5/3
    array([2.666667, 0.      ])
    >>> model.certificate_.holds
    True
    """

    _by_moments: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "gamma": [Interval(Real, 0, None, closed="neither")],
        "initial": [HasMethods("fit"), "array-like", None],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, alpha=1.0, *, gamma=1.0, initial=None, fit_intercept=True, max_iter=1000, tol=1e-6):
        self.alpha = alpha
        self.gamma = gamma
        self.initial = initial
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol

    @fit_context(prefer_skip_nested_validation=False)
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
            X, y, sample_weight, accept_sparse=["csr"], y_numeric=True, dtype=np.float64,
            extremes=False, blocks=False)  # fmt: skip
        initial, fitted = self._initial(data)
        with np.errstate(divide="ignore", over="ignore"):
            factor = np.abs(initial) ** -float(self.gamma)
        posed = penalized_problem(data.X, data.y, data.sample_weight, self.fit_intercept, factor)
        penalty = posed.penalty(self.alpha, 1.0)
        iterates = coordinate_descent.iterates([posed.design], penalty, [None], gap_target(self.tol))

        def attributes(state):
            coef, intercept = posed.answer(state.coef[0], data.X.shape[1])
            gap, rounds = float(state.gap[0]), max(int(state.rounds[0]), 1)
            answer = self._answer(coef, intercept, initial, gap, rounds)
            return answer if fitted is None else answer | {"initial_": fitted}

        return Fitting(
            iterates,
            first_of(reached("relative_gap", gap_target(self.tol)), budget(self.max_iter + 1)),
            attributes,
            data,
            max_steps=self.max_iter + 1,
            ended=Status.OPTIMAL,
        )

    def _answer(self, coef, intercept: float, initial, gap: float, rounds: int) -> dict[str, Any]:
        return {
            "coef_": coef,
            "intercept_": intercept if self.fit_intercept else 0.0,
            "initial_coef_": initial,
            "dual_gap_": gap,
            "n_iter_": rounds,
        }

    def _initial(self, data: Data) -> tuple[np.ndarray, Any]:
        """(β̂, checked; the estimator it comes from, or None)."""
        p, fitted = data.X.shape[1], None
        if self.initial is None:
            state = drive(least_squares.iterates(data.rows, np.zeros(1), self.fit_intercept), to_the_end).state
            return np.asarray(state.coef, dtype=float).ravel(), None
        if hasattr(self.initial, "fit"):
            weight = {} if data.sample_weight is None else {"sample_weight": data.sample_weight}
            fitted = clone(self.initial).fit(data.X, data.y, **weight)
            found = fitted.coef_
        else:
            found = self.initial
        initial = np.array(found, dtype=float).ravel()
        if initial.shape != (p,):
            raise ValueError(f"AdaptiveLasso: initial has {initial.size} coefficients; X has {p} columns")
        if not np.all(np.isfinite(initial)):
            j = int(np.argmin(np.isfinite(initial)))
            raise ValueError(f"AdaptiveLasso: initial[{j}] is {initial[j]}; initial estimates must be finite")
        return initial, fitted
