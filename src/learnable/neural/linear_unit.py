"""The smallest network: one linear unit."""

from typing import Any, ClassVar

import numpy as np

from learnable.base import Data, LinearRegressor
from learnable.base.fit_context import fit_context
from learnable.neural.unit import Unit


class LinearUnit(Unit, LinearRegressor):
    """o = θ·x + b by the delta rule θ ← θ + η (y − o) x: gradient descent on E(θ, b) = Σᵢ wᵢ ½ (yᵢ − oᵢ)² / Σᵢ wᵢ.

    E is convex, so that small enough steps lead to least squares; its certificate tells how far there is to go.
    Syllabus: NN2, O4.

    Parameters
    ----------
    learning_rate : float or "auto", default="auto"
        η of a step along the mean over a batch; "auto" is the largest that cannot overshoot.
    batch_size : int or None, default=None
        Rows of a step: None for all (gradient descent), 1 for stochastic gradient descent.
    max_iter : int, default=1000
        Passes over the rows at most.
    tol : float, default=1e-8
        Training ends when E has not fallen by this for more than 5 passes.
    random_state : int, RandomState, Generator or None, default=None
        Where the small weights to start from, and the orders of the rows, are drawn from.

    Attributes
    ----------
    coef_, intercept_ : θ and b.
    objective_, gradient_norms_ : E, and the lengths of ∂E/∂θ and ∂E/∂b.
    loss_curve_, n_iter_ : E as met by each pass, and how many there were.
    status_ : `trace.Status`.
    certificate_ : claimed are E and its gradient as reported; told is how far E is above least squares.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.neural import LinearUnit
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> unit = LinearUnit(tol=1e-15, random_state=0).fit(X, 1.0 + 2.0 * X[:, 0])
    >>> np.round(unit.coef_, 4), round(float(unit.intercept_), 4)
    (array([2.]), 1.0)
    """

    _curvature = 1.0
    _unit_output = "identity"
    _parameter_constraints: ClassVar[dict[str, Any]] = Unit.shared_constraints

    def __init__(self, *, learning_rate="auto", batch_size=None, max_iter=1000, tol=1e-8, random_state=None):
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Train the unit.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        y : array (n,)
        sample_weight : array (n,), default=None
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def _checks(self) -> dict[str, Any]:
        return {"y_numeric": True}

    def _unit_target(self, data: Data) -> np.ndarray:
        return np.asarray(data.y, dtype=float)

    def _unit_answer(self, coef: np.ndarray, intercept: np.ndarray) -> dict[str, Any]:
        return {"coef_": coef, "intercept_": float(intercept[0])}
