"""The lasso by its exact path."""

from numbers import Integral, Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from learnable.sparse.lars import Lars
from learnable.sparse.lars_path import EPS


class LassoLars(Lars):
    """The lasso, min over (β, b) of ‖y − Xβ − b‖²/(2n) + α‖β‖₁, by its path from the level at which β is zero.

    Drop-in for `sklearn.linear_model.LassoLars`. The path is linear between knots; a knot is where a column enters, or
    leaves because its coefficient has reached zero. The answer is exact, at the price of one step a knot.
    Syllabus: L7, L3.

    Parameters
    ----------
    alpha : float, default=1.0
        Level at which the path ends; 0 is the least squares solution of least ‖β‖₁ that the path leads to.
    fit_intercept : bool, default=True
    max_iter : int, default=500
        Steps from knot to knot at most.
    fit_path : bool, default=True
        Whether to keep the knots in `coef_path_`.
    positive : bool, default=False
        Whether the coefficients must be ≥ 0.
    jitter : float, default=None
        Largest noise, drawn uniformly, to add to y. Ties need none here.
    random_state : int, RandomState or None, default=None
        For the jitter.
    verbose, precompute, eps, copy_X : kept for compatibility; X is never modified.

    Attributes
    ----------
    alphas_, active_, coef_path_, coef_, intercept_, n_iter_, jitter_ : as for `Lars`.
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        L7 : the optimality conditions at every knot and midway between two, which proves the path between them as
        well.
        L3 : the duality gap at alpha is rounding. L4 : the residuals average to zero.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sparse import LassoLars
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]), np.array([3.0, 1.0, -3.0, -1.0])
    >>> model = LassoLars(alpha=0.25).fit(X, y)
    >>> model.alphas_, model.coef_
    (array([1.5 , 0.5 , 0.25]), array([2.5, 0.5]))
    >>> model.certificate_.holds
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **{name: rule for name, rule in Lars._parameter_constraints.items() if name != "n_nonzero_coefs"},
        "alpha": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "positive": ["boolean"],
    }
    method = "lasso"

    def __init__(
        self,
        alpha=1.0,
        *,
        fit_intercept=True,
        verbose=False,
        precompute="auto",
        max_iter=500,
        eps=EPS,
        copy_X=True,
        fit_path=True,
        positive=False,
        jitter=None,
        random_state=None,
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.verbose = verbose
        self.positive = positive
        self.precompute = precompute
        self.copy_X = copy_X
        self.eps = eps
        self.fit_path = fit_path
        self.jitter = jitter
        self.random_state = random_state

    def _limits(self) -> tuple[float, int, bool]:
        return float(self.alpha), self.max_iter, True
