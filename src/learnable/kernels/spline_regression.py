"""Penalised splines. Syllabus: K15."""

from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.linalg import lstsq
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from learnable.base import Fitting, Learner, refuse_unreadable, validate_data
from learnable.problems.kernels.splines import basis, basis_mean, knots_of, second_differences
from learnable.rows.threads import interruptible
from learnable.trace import Status, to_the_end


class SplineState(NamedTuple):
    """The solution: Σ w(y − f)² + alpha ‖Dc‖², and the weights c."""

    objective: float
    coef: np.ndarray


class SplineRegression(RegressorMixin, Learner):
    """A sum of smooth functions of the columns: B-splines with a ridge on the second differences of their weights.

    Minimises Σ wᵢ(yᵢ − b − Σⱼ sⱼ(xᵢⱼ))² + alpha Σ (second differences of the weights)², each sⱼ of mean zero. As alpha
    grows every sⱼ becomes a straight line.

    Parameters
    ----------
    n_knots : int ≥ 2, default=10
        Over the range of each column.
    degree : int ≥ 1, default=3
    alpha : float > 0, default=1.0

    Attributes
    ----------
    coef_ : (p m,) weights of the basis.
    intercept_ : mean of the targets.
    knots_ : (p, n_knots + 2 degree).
    basis_mean_ : (p m,) means of the basis, taken away from it.
    status_ : `trace.Status`.
    certificate_ : `certificates.Certificate`, which claims
        K15 the gradient is zero; knots, means and offset are those of the data.

    References
    ----------
    Eilers and Marx (1996), "Flexible smoothing with B-splines and penalties".

    Examples
    --------
    >>> X = np.linspace(0.0, 6.0, 60)[:, None]
    >>> model = SplineRegression(alpha=1e-3).fit(X, np.sin(X[:, 0]))
    >>> bool(np.abs(model.predict(X) - np.sin(X[:, 0])).max() < 0.01), str(model.certificate_.verdict)
    (True, 'proved')
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_knots": [Interval(Integral, 2, None, closed="left")], "degree": [Interval(Integral, 1, None, closed="left")],
        "alpha": [Interval(Real, 0.0, None, closed="neither")],
    }  # fmt: skip

    def __init__(self, n_knots=10, *, degree=3, alpha=1.0):
        self.n_knots = n_knots
        self.degree = degree
        self.alpha = alpha

    def fit(self, X, y, sample_weight=None):
        """Fit.

        Parameters
        ----------
        X : array (n, p)
        y : array (n,)
        sample_weight : array (n,)
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        data = self._validated(X, y, sample_weight, blocks=False, extremes=False, dtype=np.float64, y_numeric=True)
        y = data.y.astype(float)
        w = np.ones(len(y)) if data.sample_weight is None else data.sample_weight
        # Rows of weight zero are not there: they do not widen the range of the knots either.
        knots = knots_of(data.X[w > 0.0], self.n_knots, self.degree)
        B = basis(data.X, knots, self.degree)
        mean, offset = basis_mean(B, w), float(w @ y) / float(w.sum())
        offset += float(w @ (y - offset)) / float(w.sum())  # for rounding: equal targets leave nothing to be told
        D = second_differences(len(knots), knots.shape[1] - self.degree - 1)
        # One more row a column: the mean of its weights, which centring leaves free, is zero.
        level = np.kron(np.eye(len(knots)), np.ones((1, B.shape[1] // len(knots))))
        root = np.sqrt(w)
        about = B - mean
        design = np.vstack([root[:, None] * about, np.sqrt(self.alpha) * D, level])
        target = np.concatenate([root * (y - offset), np.zeros(len(D) + len(level))])

        def states():
            # With more columns than rows some lines are free: the answer of least norm, by a rank well above rounding.
            coef = np.zeros(design.shape[1])
            if np.any(design.T @ target):  # else no column varies, and anything but 0 would be rounding
                coef = interruptible(lstsq, design, target, rcond=1e-11)[0]
            left = y - offset - about @ coef
            yield SplineState(float(w @ left**2) + self.alpha * float(np.sum((D @ coef) ** 2)), coef)

        return Fitting(
            iterates=states(),
            stop=to_the_end,
            attributes=lambda state: {
                "coef_": state.coef, "intercept_": offset, "knots_": knots, "basis_mean_": mean,
            },
            data=data,
            ended=Status.OPTIMAL,
        )  # fmt: skip

    def predict(self, X) -> np.ndarray:
        """b + Σ sⱼ(xⱼ); beyond the range of the training rows as at its ends.

        Parameters
        ----------
        X : array (n, p)
        """
        check_is_fitted(self)
        refuse_unreadable(X)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return (basis(X, self.knots_, self.degree) - self.basis_mean_) @ self.coef_ + self.intercept_
