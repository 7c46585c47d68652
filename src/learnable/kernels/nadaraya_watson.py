"""Kernel smoothing. Syllabus: K15."""

from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from learnable.base import Fitting, Learner, refuse_unreadable, validate_data
from learnable.kernels.kernel_parameters import WIDTH
from learnable.problems.kernels.basic import RBF
from learnable.problems.kernels.named import width
from learnable.solvers.kernels.scoring import scores
from learnable.trace import Status, to_the_end


class SmoothState(NamedTuple):
    """The leave-one-out error of the smoother."""

    objective: float


class NadarayaWatson(RegressorMixin, Learner):
    """The mean of the targets, weighted by a radial kernel: f(x) = Σ k(x, xᵢ) yᵢ / Σ k(x, xᵢ).

    Parameters
    ----------
    gamma : float ≥ 0, "scale", "auto" or None, default="scale"
        Of e^{−γ‖x − z‖²}; "scale" is 1/(p · variance of X), "auto" and None 1/p.

    Attributes
    ----------
    X_fit_, y_fit_ : the training data.
    gamma_ : γ.
    loo_error_ : mean squared error of each row predicted from the others; rows so far out that no other row weighs
        are predicted by the mean.
    status_ : `trace.Status`.
    certificate_ : `certificates.Certificate`, which claims
        K15 the leave-one-out error, recomputed by leaving rows out; data and width as they are.

    Examples
    --------
    >>> X = np.linspace(0.0, 3.0, 30)[:, None]
    >>> model = NadarayaWatson(gamma=50.0).fit(X, np.sin(X[:, 0]))
    >>> bool(np.abs(model.predict(X) - np.sin(X[:, 0])).max() < 0.1)
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {"gamma": WIDTH}

    def __init__(self, gamma="scale"):
        self.gamma = gamma

    def fit(self, X, y):
        """Keep the rows.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        y : array (n,)
        """
        return self._learn(X, y)

    def _pose(self, X, y) -> Fitting:
        data = self._validated(
            X, y, blocks=False, extremes=False, accept_sparse="csr", dtype=np.float64, order="C", y_numeric=True
        )
        y = data.y.astype(float)
        gamma = width(self.gamma, data.X, "NadarayaWatson")
        weighted = scores(RBF(gamma), data.X, data.X, np.column_stack([y, np.ones(len(y))]))
        # Each row's own weight is 1.
        others, rest = weighted[:, 1] - 1.0, weighted[:, 0] - y
        fallback = (y.sum() - y) / max(len(y) - 1, 1)
        left_out = np.where(others > 1e-12, rest / np.maximum(others, 1e-12), fallback)
        error = float(np.mean((y - left_out) ** 2))
        return Fitting(
            iterates=iter([SmoothState(error)]),
            stop=to_the_end,
            attributes=lambda state: {
                "X_fit_": data.X.copy(),
                "y_fit_": y,
                "gamma_": gamma,
                "loo_error_": state.objective,
            },
            data=data,
            ended=Status.STATIONARY,
        )

    def predict(self, X) -> np.ndarray:
        """The weighted mean; the plain mean where no training row weighs.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        """
        check_is_fitted(self)
        refuse_unreadable(X)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        found = scores(RBF(self.gamma_), X, self.X_fit_, np.column_stack([self.y_fit_, np.ones(len(self.y_fit_))]))
        total = found[:, 1]
        return np.where(total > 1e-300, found[:, 0] / np.maximum(total, 1e-300), self.y_fit_.mean())

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.regressor_tags.poor_score = True
        return tags
