"""The Dantzig selector."""

from numbers import Real
from typing import ClassVar

from sklearn.utils._param_validation import Interval

from learnable.base import Fitting
from learnable.solvers.sparse import dantzig
from learnable.sparse.dense_regressor import DenseRegressor
from learnable.trace import Status, to_the_end


class DantzigSelector(DenseRegressor):
    """The Dantzig selector: min ‖β‖₁ subject to |Σ wᵢ xᵢⱼ rᵢ| / Σ wᵢ ≤ α for every column j, r = y − Xβ − b.

    A linear programme. Columns and target are centred when the intercept is free. Every α ≥ 0 can be met: α = 0 asks
    for the normal equations, which always have a solution, and gives the least squares solution of least ‖β‖₁. The
    lasso with the same α meets the constraints as well, so its ‖β‖₁ is no smaller. Syllabus: L9.

    Parameters
    ----------
    alpha : float, default=1.0
        Level, ≥ 0; from max_j |x_jᵀy|/n on the answer is zero.
    fit_intercept : bool, default=True

    Attributes
    ----------
    coef_ : array (p,)
    intercept_ : float
    dual_ : array (p,), u of the dual programme max (Xᵀy/n)·u − α‖u‖₁ subject to ‖XᵀXu/n‖∞ ≤ 1.
    dual_gap_ : float, ‖β‖₁ less the dual value
    n_iter_ : int, 1: one programme
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        L9 : the answer is feasible, the dual answer is feasible, and the values differ by rounding, which proves both
        optimal. L4 : the residuals average to zero.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sparse import DantzigSelector
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]), np.array([3.0, 0.1, -3.0, -0.1])
    >>> model = DantzigSelector(alpha=0.5).fit(X, y)
    >>> model.coef_.round(12)
    array([2., 0.])
    >>> model.certificate_.holds
    True
    """

    _by_moments: ClassVar[bool] = True
    _parameter_constraints: ClassVar = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
    }

    def __init__(self, alpha=1.0, *, fit_intercept=True):
        self.alpha = alpha
        self.fit_intercept = fit_intercept

    def _pose(self, X, y=None, sample_weight=None) -> Fitting:
        data, units = self._centred(X, y, sample_weight)
        total = len(data.y) if data.sample_weight is None else data.sample_weight.sum()
        Z = units.varying
        iterates = dantzig.iterates(Z.T @ Z / total, Z.T @ units.y / total, float(self.alpha))

        def attributes(state):
            return {
                "coef_": state.coef.copy(),
                "intercept_": units.intercept(state.coef),
                "dual_": state.dual.copy(),
                "dual_gap_": max(state.objective - state.dual_objective, 0.0),
                "n_iter_": 1,
            }

        return Fitting(iterates, to_the_end, attributes, data, max_steps=1, ended=Status.OPTIMAL)
