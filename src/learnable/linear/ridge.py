"""Ridge regression."""

from numbers import Real
from typing import ClassVar

import numpy as np
from sklearn.base import MultiOutputMixin
from sklearn.utils._param_validation import Interval, StrOptions

from learnable.base import Fitting, LinearRegressor
from learnable.base.fit_context import fit_context
from learnable.linear.linear_regression import pose_least_squares
from learnable.panel import Entry


class Ridge(MultiOutputMixin, LinearRegressor):
    """Ridge regression: min over (β, b) of Σ wᵢ (yᵢ − xᵢ·β − b)² + α ‖β‖².

    Drop-in for `sklearn.linear_model.Ridge`. Every solver name of scikit-learn is accepted: the minimum is the same
    for all of them, and it is found directly and to rounding whichever is named. With `positive` only "auto" and
    "lbfgs" are: the others know no constraint, and programs that name them are told so here too. Syllabus: R7, R9, R16.

    Parameters
    ----------
    alpha : float or array (q,), default=1.0
        Penalty, one for all targets or one each; 0 is least squares.
    fit_intercept : bool, default=True
        Whether b is free (it is never penalised); otherwise it is 0.
    copy_X, max_iter, tol, solver, random_state :
        Kept for compatibility; X is never modified and the solution is direct.
    positive : bool, default=False
        Whether the coefficients must be ≥ 0.

    Attributes
    ----------
    coef_ : array (p,), or (q, p) for q ≥ 2 targets
    intercept_ : float or array (q,)
    n_iter_ : None, as for every direct solution
    solver_ : the solver named by `solver`; for "auto", the route taken
    route_ : how the minimum was found: "cholesky", "orthogonal" or "active set"
    condition_ : float, condition number of the penalised design with columns of unit length
    effective_df_ : float or array (q,), Σ d²/(d² + α) over the singular values d of the centred design
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        R7 : the gradient vanishes to rounding; with α > 0, the distance of the objective to its minimum.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.linear import Ridge
    >>> X, y = np.array([[-1.0], [0.0], [1.0]]), np.array([-2.0, 0.0, 2.0])
    >>> model = Ridge(alpha=2.0).fit(X, y)
    >>> model.coef_.round(6), round(float(model.effective_df_), 6)
    (array([1.]), 0.5)
    >>> model.certificate_.holds
    True
    """

    _parameter_constraints: ClassVar = {
        "alpha": [Interval(Real, 0, None, closed="left"), np.ndarray],
        "fit_intercept": ["boolean"],
        "copy_X": ["boolean"],
        "max_iter": [Interval(Real, 1, None, closed="left"), None],
        "tol": [Interval(Real, 0, None, closed="left")],
        "solver": [StrOptions({"auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"})],
        "positive": ["boolean"],
        "random_state": ["random_state"],
    }
    panel = (Entry("regression", "ridge", {"alpha": [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]}),)

    def __init__(
        self,
        alpha=1.0,
        *,
        fit_intercept=True,
        copy_X=True,
        max_iter=None,
        tol=1e-4,
        solver="auto",
        positive=False,
        random_state=None,
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.positive = positive
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        y : array (n,) or (n, q); None when the rows carry their targets
        sample_weight : float or array (n,), default=None
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        if self.positive and self.solver not in ("auto", "lbfgs"):
            raise ValueError(
                f"Ridge(positive=True, solver={self.solver!r}): solver={self.solver!r} does not support positive "
                "fitting. Please set the solver to 'auto' or 'lbfgs', or set `positive=False`"
            )
        data = self._validated(
            X, y, sample_weight, accept_sparse="csr", y_numeric=True, multi_output=True, dtype=[np.float64, np.float32]
        )
        fitting = pose_least_squares(self, data, self._levels(data.rows.targets_like() if data.y is None else data.y))

        def attributes(state):
            found, df = fitting.attributes(state), state.freedom
            if df is None:
                levels = np.atleast_1d(np.asarray(self.alpha, dtype=float))
                # What is left beyond the rank is rounding, which no penalty of zero shrinks.
                d2 = state.singular.astype(float)[: state.rank, None] ** 2
                total = d2 + levels
                df = (d2 / np.where(total > 0.0, total, 1.0)).sum(axis=0)
            return {
                # One target in a column counts as one target.
                "coef_": found["coef_"][0] if found["coef_"].shape[:-1] == (1,) else found["coef_"],
                "intercept_": found["intercept_"],
                "condition_": found["condition_"],
                "n_iter_": None,
                "solver_": state.route if self.solver == "auto" else self.solver,
                "route_": state.route,
                "effective_df_": df[0] if np.size(self.alpha) == 1 else df,
            }

        return fitting._replace(attributes=attributes)

    def _levels(self, y) -> np.ndarray:
        levels = np.asarray(self.alpha, dtype=float)
        n_targets = 1 if y is None or y.ndim == 1 else y.shape[1]
        if levels.ndim and levels.size not in (1, n_targets):
            raise ValueError(
                f"Number of targets and number of penalties do not correspond: {levels.size} != {n_targets}; "
                "give one alpha, or one for each target"
            )
        if (levels < 0.0).any():
            raise ValueError(f"Ridge(alpha={self.alpha}): alpha must be >= 0")
        return levels.ravel() if levels.ndim else levels
