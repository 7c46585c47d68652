"""Bridge regression."""

from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from learnable.problems.sparse.folded_penalties import Bridge
from learnable.sparse.folded_regressor import FoldedRegressor
from learnable.trace import Status


class BridgeRegression(FoldedRegressor):
    """Least squares with the penalty α Σ |βⱼ|^q for any q > 0.

    min over (β, b) of Σ wᵢ (yᵢ − xᵢ·β − b)² / (2 Σ wᵢ) + α Σ |βⱼ|^q. q = 1 is the lasso and q = 2 ridge regression with
    2α; between them, and beyond, the problem is convex with no zeros in the answer. For q < 1 it is not convex and the
    answer is sparse: exact coordinate updates (closed forms for q = 1/2 and 2/3) and Newton steps down a path of
    penalties find a stationary point. The columns are taken as they are, not standardised. Syllabus: L10.

    Parameters
    ----------
    alpha : float > 0, default=1.0
    q : float > 0, default=0.5
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
    status_ : `trace.Status`: "stationary" at best for q < 1, "optimal" for q ≥ 1
    certificate_ : `certificates.Certificate`, which claims
        L10 : every coefficient is stationary; no change of a single one lowers the objective; the objective is not
        above that of the lasso's solution. For q ≥ 1 the duality gap, which proves optimality. For q < 1 the least
        curvature of the objective on the support, and, where it is positive, that the answer is a strict local
        minimum; zero coefficients are always stationary then, so what speaks for them is that no single change helps.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sparse import BridgeRegression
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]), np.array([3.0, 0.1, -3.0, -0.1])
    >>> model = BridgeRegression(alpha=0.5, q=0.5).fit(X, y)
    >>> model.coef_.round(6)
    array([2.695453, 0.      ])
    >>> model.certificate_.holds
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **FoldedRegressor._parameter_constraints,
        "q": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(self, alpha=1.0, *, q=0.5, fit_intercept=True, max_iter=1000, tol=1e-7):
        super().__init__(alpha, fit_intercept=fit_intercept, max_iter=max_iter, tol=tol)
        self.q = q

    def _penalty(self) -> Bridge:
        return Bridge(float(self.alpha), float(self.q))

    @property
    def _ended(self) -> Status:
        return Status.STATIONARY if self.q < 1.0 else Status.OPTIMAL
