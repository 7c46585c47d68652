"""Regression with the minimax concave penalty."""

from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from learnable.panel import Entry
from learnable.problems.sparse.folded_penalties import MCP
from learnable.sparse.folded_regressor import FoldedRegressor


class MCPRegression(FoldedRegressor):
    """Least squares with the minimax concave penalty, whose slope falls from α at zero to nothing at |β| = aα.

    min over (β, b) of Σ wᵢ (yᵢ − xᵢ·β − b)² / (2 Σ wᵢ) + Σ φ(|βⱼ|), φ'(t) = (α − t/a)₊. Large coefficients are not
    shrunk at all. The problem is not convex: exact coordinate updates and Newton steps down a path of penalties find a
    stationary point. The columns are taken as they are, not standardised; with columns of mean square one it is the
    objective of R's ncvreg. Syllabus: L12.

    Parameters
    ----------
    alpha : float > 0, default=1.0
        Slope of the penalty at zero.
    a : float > 1, default=3.0
        Beyond aα the penalty is flat; large values give the lasso.
    fit_intercept : bool, default=True
    max_iter : int, default=1000
        Rounds over growing working sets at most, along the whole path.
    tol : float, default=1e-7
        The fit ends once no coefficient is further from stationarity than tol · ‖xⱼ‖ ‖Xβ‖ / n, columns centred.

    Attributes
    ----------
    coef_, intercept_ : array (p,) and float
    lasso_coef_, lasso_intercept_ : the lasso's solution at the same α, one of the two starts.
    n_iter_ : int, rounds made
    status_ : `trace.Status`, "stationary" at best
    certificate_ : `certificates.Certificate`, which claims
        L12 : every coefficient is stationary; no change of a single one lowers the objective; the objective is not
        above that of the lasso's solution. The least curvature of the objective on the support, and, where it is
        positive, that the answer is a strict local minimum there. Never that it is the lowest.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sparse import MCPRegression
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]), np.array([3.0, 0.1, -3.0, -0.1])
    >>> model = MCPRegression(alpha=0.5).fit(X, y)
    >>> model.coef_.round(6)                        # least squares on the support: nothing is shrunk
    array([3., 0.])
    >>> model.certificate_.holds, str(model.status_)
    (True, 'stationary')
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **FoldedRegressor._parameter_constraints,
        "a": [Interval(Real, 1, None, closed="neither")],
    }
    panel = (Entry("regression", "MCP regression", {"alpha": [0.01, 0.03, 0.1, 0.2, 0.4]}, in_target_units=("alpha",)),)

    def __init__(self, alpha=1.0, *, a=3.0, fit_intercept=True, max_iter=1000, tol=1e-7):
        super().__init__(alpha, fit_intercept=fit_intercept, max_iter=max_iter, tol=tol)
        self.a = a

    def _penalty(self) -> MCP:
        return MCP(float(self.alpha), float(self.a))
