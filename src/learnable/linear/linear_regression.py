"""Ordinary least squares."""

from numbers import Real
from typing import ClassVar

import numpy as np
from sklearn.base import MultiOutputMixin
from sklearn.utils._param_validation import Interval

from learnable.base import Data, Fitting, LinearRegressor
from learnable.base.fit_context import fit_context
from learnable.linear.reports.summarised import Summarised
from learnable.panel import Entry
from learnable.solvers.linear import least_squares, non_negative
from learnable.trace import Status, to_the_end


class LinearRegression(Summarised, MultiOutputMixin, LinearRegressor):
    """Least squares: min over (β, b) of Σ wᵢ (yᵢ − xᵢ·β − b)².

    Drop-in for `sklearn.linear_model.LinearRegression`. The route is chosen by the condition of the design: normal
    equations refined on the residuals when they keep every digit, an orthogonal factorisation when they would not.
    When the solution is not unique, the one of least norm is returned. Syllabus: R1, R4–R6, A8.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether b is free; otherwise it is 0.
    copy_X : bool, default=True
        Kept for compatibility; X is never modified.
    tol : float, default=1e-6
        Kept for compatibility; the solution is direct.
    n_jobs : int, default=None
        Threads over blocks of rows; the answer is the same for any number.
    positive : bool, default=False
        Whether the coefficients must be ≥ 0.

    Attributes
    ----------
    coef_ : array (p,) or (q, p)
    intercept_ : float or array (q,)
    rank_ : int, numerical rank of the centred design
    singular_ : array, singular values of the centred design
    condition_ : float, condition number of the design with columns of unit length
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        R1 : the residual is orthogonal to every column, to rounding; least norm when the solution is not unique.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.linear import LinearRegression
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 5.0, 7.0])
    >>> model = LinearRegression().fit(X, y)
    >>> model.coef_.round(6), float(round(model.intercept_, 6))
    (array([2.]), 1.0)
    >>> model.certificate_.holds
    True
    """

    _parameter_constraints: ClassVar = {
        "fit_intercept": ["boolean"],
        "copy_X": ["boolean"],
        "n_jobs": [None, int],
        "positive": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left")],
    }
    panel = (Entry("regression", "least squares"),)

    def __init__(self, *, fit_intercept=True, copy_X=True, tol=1e-6, n_jobs=None, positive=False):
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.tol = tol
        self.n_jobs = n_jobs
        self.positive = positive

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        y : array (n,) or (n, q); None when the rows carry their targets
        sample_weight : array (n,), default=None
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        data = self._validated(
            X, y, sample_weight, accept_sparse="csr", y_numeric=True, multi_output=True, dtype=[np.float64, np.float32]
        )
        fitting = pose_least_squares(self, data, 0.0)

        def attributes(state):
            found = fitting.attributes(state)
            return found | {"rank_": state.rank, "singular_": state.singular.astype(found["coef_"].dtype)}

        return fitting._replace(attributes=attributes)


def pose_least_squares(model, data: Data, alpha) -> Fitting:
    """Least squares with a ridge level per target (zero for none), for the estimators of this room."""
    rows = data.rows
    if model.positive:
        iterates = non_negative.iterates(rows, alpha, model.fit_intercept)
    else:
        iterates = least_squares.iterates(rows, alpha, model.fit_intercept, getattr(model, "n_jobs", None))
    dtype = rows.dtype if rows.dtype == np.float32 else np.float64
    like = rows.targets_like() if data.y is None else data.y
    single = like is not None and like.ndim == 1

    def attributes(state):
        coef, intercept = state.coef.T.astype(dtype), state.intercept.astype(dtype)
        found = {
            "coef_": coef[0] if single else coef,
            "intercept_": intercept[0] if single else intercept,
            "condition_": state.condition,
        }
        if not model.fit_intercept:
            found["intercept_"] = 0.0
        return found

    return Fitting(iterates, to_the_end, attributes, data, max_steps=1, ended=Status.OPTIMAL)
