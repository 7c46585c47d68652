"""Poisson regression with few coefficients."""

from collections.abc import Iterator
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.base import Data, Fitting, LinearRegressor
from learnable.base.fit_context import fit_context
from learnable.base.kept import kept_as_data
from learnable.panel import Entry
from learnable.problems.core.conventions import violation_target
from learnable.problems.core.named import refusal
from learnable.problems.linear.glm import PoissonLog
from learnable.problems.linear.links import exponential
from learnable.problems.sparse.penalties import ElasticNet
from learnable.rows import Block, Rows
from learnable.rows.numbers import weight_sum
from learnable.solvers.sparse import newton_in_blocks, proximal_newton
from learnable.solvers.sparse.proximal_newton import ProximalState
from learnable.sparse.near_columns import near_columns
from learnable.trace import Status, budget, first_of, reached


class SparsePoissonRegressor(LinearRegressor):
    """min over (β, b) of Σ wᵢ (e^{fᵢ} − yᵢ fᵢ) / Σ wᵢ + α ‖β‖₁, fᵢ = xᵢ·β + b: counts with mean e^f.

    Proximal Newton steps on a growing working set. `linear.PoissonRegressor` is the same with an L2 penalty.
    Syllabus: L21.

    Parameters
    ----------
    alpha : float, default=0.01
        Penalty, > 0.
    fit_intercept : bool, default=True
    max_iter : int, default=100
        Rounds over growing working sets at most.
    tol : float, default=1e-4
        The fit ends once no optimality condition is violated by more than tol, in units of α for coefficients and of
        the mean slope without columns for the intercept.
    warm_start : bool, default=False
        Start from the last solution.

    Attributes
    ----------
    coef_ : array (p,)
    intercept_ : float
    n_iter_ : int, rounds made
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        L21 : the duality gap, of the loss of the best constant. O6 : the gap itself.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sparse import SparsePoissonRegressor
    >>> X, y = np.array([[-1.0], [-1.0], [1.0], [1.0]]), np.array([1.0, 3.0, 4.0, 8.0])
    >>> model = SparsePoissonRegressor(alpha=0.5, tol=1e-8).fit(X, y)
    >>> model.predict([[-1.0], [1.0]]).round(4), model.certificate_.holds    # means 2 and 6, each drawn in by α
    (array([2.5, 5.5]), True)
    """

    panel = (Entry("counts", "sparse Poisson regression", {"alpha": [0.001, 0.003, 0.01, 0.03, 0.1]}),)
    _parameter_constraints: ClassVar = {
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "warm_start": ["boolean"],
    }

    def __init__(self, alpha=0.01, *, fit_intercept=True, max_iter=100, tol=1e-4, warm_start=False):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        y : array (n,), ≥ 0; None when the rows carry it
        sample_weight : array (n,), default=None
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def predict(self, X) -> np.ndarray:
        """Predicted means.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        """
        return exponential(self._scores(X))

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        data = self._validated(
            X, y, sample_weight, accept_sparse=["csr", "csc"], y_numeric=True, dtype=[np.float64, np.float32],
            extremes=False)  # fmt: skip
        p = self.n_features_in_
        iterates, centre = self._iterates_in_blocks(data.rows) if data.y is None else self._iterates(data)

        def attributes(state):
            theta = state.theta[:, 0]
            intercept = theta[p] - centre @ theta[:p] if self.fit_intercept else 0.0
            coef, intercept = kept_as_data(theta[:p], intercept, data.rows, self.fit_intercept)
            return {"coef_": coef, "intercept_": intercept, "n_iter_": state.steps}

        stop = first_of(reached("relative_violation", violation_target(self.tol)), budget(self.max_iter + 1))
        return Fitting(iterates, stop, attributes, data, max_steps=self.max_iter + 1, ended=Status.STATIONARY)

    def _iterates(self, data: Data) -> tuple[Iterator[ProximalState], np.ndarray]:
        """(states, what was taken off the columns)."""
        y = np.asarray(data.y, dtype=float)
        if reason := refusal(PoissonLog(), y):
            raise ValueError(f"SparsePoissonRegressor: {reason}")
        mean = float(proximal_newton.shares(len(y), data.sample_weight) @ y)
        _refuse_mean(mean)
        near, centre = near_columns(data.X, self.fit_intercept)
        loss, penalty = proximal_newton.PoissonLoss(y, data.sample_weight), self._penalty()
        start = self._start(data.X.shape[1], centre, mean)
        return proximal_newton.loss_iterates(near, loss, penalty, self.fit_intercept, start), centre

    def _iterates_in_blocks(self, rows: Rows) -> tuple[Iterator[ProximalState], np.ndarray]:
        if (found := rows.reduce(_refused, _first)) is not None:
            row, value = found
            reason = str(refusal(PoissonLog(), np.array([value]))).replace("y[0]", f"y[{row}]", 1)
            raise ValueError(f"SparsePoissonRegressor: {reason}")
        weight, size = rows.reduce(_target_sums)
        mean, centre = size / weight, np.zeros(rows.n_columns)
        _refuse_mean(mean)
        start = self._start(rows.n_columns, centre, mean)
        return newton_in_blocks.poisson_iterates(rows, mean, self._penalty(), self.fit_intercept, start), centre

    def _penalty(self) -> ElasticNet:
        return ElasticNet(float(self.alpha), 1.0)

    def _start(self, p: int, centre: np.ndarray, mean: float) -> np.ndarray | None:
        """The last answer, or the best constant: far from it Newton's steps are of no use."""
        if not self.warm_start or np.shape(getattr(self, "coef_", 0.0)) != (p,):
            return np.append(np.zeros(p), np.log(mean))[:, None] if self.fit_intercept else None
        intercept = self.intercept_ + centre @ self.coef_
        return (np.append(self.coef_, intercept) if self.fit_intercept else self.coef_)[:, None]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags


def _refuse_mean(mean: float) -> None:
    if not mean > 0.0:
        raise ValueError("SparsePoissonRegressor: every y that counts is 0, so that the best mean is 0 and f = -inf")


def _refused(block: Block) -> tuple[int, float] | None:
    """(row, value) of the first target that is no count."""
    y = np.asarray(block.y, dtype=float)
    wrong = np.flatnonzero(y < 0.0)
    return (block.start + int(wrong[0]), float(y[wrong[0]])) if len(wrong) else None


def _first(one: tuple[int, float] | None, two: tuple[int, float] | None) -> tuple[int, float] | None:
    return two if one is None else one


def _target_sums(block: Block) -> np.ndarray:
    y = np.asarray(block.y, dtype=float)
    return np.array([weight_sum(block), y.sum() if block.weight is None else block.weight @ y])
