"""Any smooth loss with any separable penalty."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.base import Fitting, LinearRegressor
from learnable.base.fit_context import fit_context
from learnable.base.kept import kept_as_data
from learnable.problems.core.conventions import violation_target
from learnable.problems.core.loss_duality import violation_unit
from learnable.problems.core.named import link_of, loss_of, penalty_of, refusal
from learnable.problems.linear import links
from learnable.solvers.sparse import proximal_gradient
from learnable.solvers.sparse.null_model import null_slopes
from learnable.solvers.sparse.proximal_newton import shares
from learnable.sparse.near_columns import near_columns
from learnable.trace import Status, budget, first_of, reached


class PenalizedRegressor(LinearRegressor):
    """min over (β, b) of Σ wᵢ ℓ(yᵢ, xᵢ·β + b) / Σ wᵢ + α Σ φ_j(β_j), for a loss ℓ and a penalty φ of `problems`.

    Accelerated proximal gradient steps with a line search. Convex pairs end at the minimum, with a duality gap where
    the conjugate of the loss is known; others (SCAD, MCP, the log link with a squared loss) end at a stationary point
    and claim no more. Losses of a margin (logistic, squared hinge, …) take labels −1 and +1, and predict scores: for
    class labels of any kind there is `SparseLogisticRegression`. Syllabus: L21.

    Parameters
    ----------
    loss : str or loss, default="squared"
        "squared", "huber", "logistic", "squared_hinge", "modified_huber", "binomial", "poisson", "gamma", or any of
        `problems` with a continuous slope, e.g. `Huber(0.5)`.
    penalty : str or penalty, default="l1"
        "l1", "l2", "elastic_net", "non_negative_l1", or any separable one of `problems`, e.g.
        `Weighted(L1(1.0), factor)`.
    alpha : float, default=0.01
        Multiplies the penalty; > 0.
    fit_intercept : bool, default=True
    max_iter : int, default=2000
        Bursts of steps at most.
    tol : float, default=1e-6
        The fit ends once no optimality condition is violated by more than tol times the slope at which a coefficient
        leaves zero, or times the largest slope at β = 0 where the penalty has none.
    warm_start : bool, default=False
        Start from the last solution.

    Attributes
    ----------
    coef_ : array (p,)
    intercept_ : float
    n_iter_ : int, bursts made
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        L21 : the duality gap, of the loss of the best constant, where the problem is convex and the loss has a
        conjugate; else that no optimality condition is violated: a stationary point. O6 : the gap itself.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.problems.sparse.penalties import ElasticNet
    >>> from learnable.sparse import PenalizedRegressor
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]), np.array([3.0, 0.1, -3.0, -0.1])
    >>> model = PenalizedRegressor("huber", ElasticNet(1.0, 0.5), alpha=0.5).fit(X, y)
    >>> model.coef_.round(4), model.certificate_.holds
    (array([1.6667, 0.    ]), True)
    """

    _parameter_constraints: ClassVar = {
        "loss": [str, tuple],
        "penalty": [str, tuple],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "warm_start": ["boolean"],
    }

    def __init__(
        self, loss="squared", penalty="l1", *, alpha=0.01, fit_intercept=True, max_iter=2000, tol=1e-6,
        warm_start=False,
    ):  # fmt: skip
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        y : array (n,), of a kind that the loss allows
        sample_weight : array (n,), default=None
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def predict(self, X) -> np.ndarray:
        """Predicted means where the loss is a likelihood of a mean, else scores xᵢ·coef + intercept.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        """
        scores, link = self._scores(X), link_of(loss_of(self.loss))
        return scores if link is None else np.asarray(links.mean(link, scores))

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        name = type(self).__name__
        try:
            loss, penalty = loss_of(self.loss), penalty_of(self.penalty, self.alpha)
        except ValueError as reason:
            raise ValueError(f"{name}: {reason}") from None
        data = self._validated(
            X, y, sample_weight, accept_sparse=["csr", "csc"], y_numeric=True, dtype=[np.float64, np.float32],
            extremes=False, blocks=False)  # fmt: skip
        near, centre = near_columns(data.X, self.fit_intercept)
        y, design = np.asarray(data.y, dtype=float), near.astype(float)
        if refused := refusal(loss, y):
            raise ValueError(f"{name}(loss={self.loss!r}): {refused}")
        share = shares(len(y), data.sample_weight)
        _, slopes = null_slopes(loss, design, y, share, self.fit_intercept)
        enough = violation_target(self.tol) * violation_unit(penalty, slopes)
        start = self._start(centre)
        iterates = proximal_gradient.iterates(design, y, data.sample_weight, loss, penalty, self.fit_intercept, start)

        def attributes(state) -> dict[str, Any]:
            intercept = state.intercept - centre @ state.coef if self.fit_intercept else 0.0
            coef, intercept = kept_as_data(state.coef, intercept, data.rows, self.fit_intercept)
            return {"coef_": coef, "intercept_": intercept, "n_iter_": state.bursts}

        stop = first_of(reached("violation", enough), budget(self.max_iter + 1))
        return Fitting(iterates, stop, attributes, data, max_steps=self.max_iter + 1, ended=Status.STATIONARY)

    def _start(self, centre: np.ndarray) -> tuple[np.ndarray, float] | None:
        if not self.warm_start or np.shape(getattr(self, "coef_", 0.0)) != centre.shape:
            return None
        return self.coef_.astype(float), float(self.intercept_ + centre @ self.coef_)
