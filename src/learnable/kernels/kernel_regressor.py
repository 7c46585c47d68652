"""Regression with any convex loss in the features of a kernel. Syllabus: K11."""

import numpy as np
from sklearn.base import RegressorMixin

from learnable.base import Fitting
from learnable.kernels.representer_machine import DISTANCE, RepresenterMachine


class KernelRegressor(RegressorMixin, RepresenterMachine):
    """½‖f‖² + C Σ ℓ(yᵢ, f(xᵢ)) over the functions of a kernel; the minimiser is Σ βᵢ k(·, xᵢ).

    Parameters
    ----------
    loss : "squared", "absolute", "huber", "epsilon_insensitive", "squared_epsilon_insensitive", or such a loss of
        `learnable.problems` with its own constant
    kernel : as in `KernelRidge`; there is no offset, add a constant kernel for one
    C : float > 0, default=1.0
    gamma, degree, coef0 : of the named kernels; gamma is 1/p where None, 1 for "chi2"
    max_iter : int, default=10000
        Newton steps or passes.

    Attributes
    ----------
    dual_coef_ : (n,) β.
    X_fit_ : the training rows.
    status_ : `trace.Status`.
    certificate_ : `certificates.Certificate`, which claims
        K11 the relative duality gap; for a smooth loss β = −C ∂ℓ.

    Examples
    --------
    The squared loss is kernel ridge regression with λ = 1/C:

    >>> from learnable.kernels import KernelRidge
    >>> X, y = np.linspace(0.0, 3.0, 20)[:, None], np.sin(np.linspace(0.0, 3.0, 20))
    >>> one, two = KernelRegressor("squared", C=10.0).fit(X, y), KernelRidge(0.1, kernel="rbf").fit(X, y)
    >>> bool(np.allclose(one.predict(X), two.predict(X)))
    True
    """

    def __init__(self, loss="huber", kernel="rbf", *, C=1.0, gamma=None, degree=3, coef0=1, max_iter=10_000):
        self.loss = loss
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.max_iter = max_iter

    def fit(self, X, y, sample_weight=None):
        """Fit.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or the table of kernel values
        y : array (n,)
        sample_weight : array (n,) that multiplies C
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        loss = self._loss(DISTANCE)
        data = self._validated(
            X, y, sample_weight, blocks=False, extremes=False, accept_sparse="csr", dtype=np.float64, order="C",
            y_numeric=True,
        )  # fmt: skip
        return self._machines(data, [data.y.astype(float)], loss, {}, flat=True)

    def predict(self, X) -> np.ndarray:
        """f(x).

        Parameters
        ----------
        X : array or sparse matrix (n, p); kernel values with the training rows for a precomputed kernel.
        """
        return self._expansion(X)[:, 0]
