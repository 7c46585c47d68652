"""Ridge regression in the features of a kernel. Syllabus: K9."""

from functools import partial
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import RegressorMixin

from learnable.base import Fitting, Threads
from learnable.kernels.kernel_expansion import KernelExpansion
from learnable.kernels.kernel_parameters import OF_KERNELS
from learnable.panel import Entry
from learnable.problems.kernels.basic import Linear
from learnable.solvers.kernels.kernel_ridge import linear_solution, solution, with_intercept
from learnable.trace import Status, to_the_end


class KernelRidge(RegressorMixin, KernelExpansion):
    """Σ wᵢ(yᵢ − f(xᵢ) − b)² + λ‖f‖², f = Σ cᵢ k(·, xᵢ): c = (K + λW⁻¹)⁻¹(y − b) = W(y − f − b)/λ.

    b is 0 unless `fit_intercept`: then it is free, and Σ cᵢ = 0.

    `kernel_ridge_path` gives the solutions of all λ, their leave-one-out errors and degrees of freedom from one
    decomposition.

    Parameters
    ----------
    alpha : float ≥ 0 or array (q,), default=1
        λ, one for each target or the same for all.
    kernel : "linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2", "additive_chi2", "precomputed", a
        `Kernel`, or a function of two points
    gamma : float or None
        1/p where None, 1 for "chi2".
    degree, coef0 : of the named kernels
    kernel_params : dict of further arguments of a function
    fit_intercept : bool, default=False
        Whether b is free; without, targets far from zero are shrunk towards it. Needs alpha > 0.

    Attributes
    ----------
    dual_coef_ : (n,) or (n, q).
    intercept_ : b, float or (q,), with `fit_intercept` only.
    X_fit_ : the training rows.
    status_ : `trace.Status`.
    certificate_ : `certificates.Certificate`, which claims
        K9 the linear system's relative residual; the relative duality gap; with an intercept that Σ cᵢ = 0.

    References
    ----------
    Saunders, Gammerman and Vovk (1998), "Ridge regression learning algorithm in dual variables".

    Examples
    --------
    >>> X = np.linspace(0.0, 3.0, 20)[:, None]
    >>> model = KernelRidge(alpha=1e-3, kernel="rbf").fit(X, np.sin(X[:, 0]))
    >>> bool(np.abs(model.predict(X) - np.sin(X[:, 0])).max() < 0.01), str(model.certificate_.verdict)
    (True, 'proved')
    """

    _threads = Threads.IN_BLAS
    # Which numbers penalties may be is said where it is known how many targets there are.
    _parameter_constraints: ClassVar[dict[str, Any]] = OF_KERNELS | {"alpha": [Real, "array-like"]}

    panel = (
        Entry(
            "regression", "kernel ridge", {"alpha": [0.03, 0.3, 3.0]},
            fixed={"kernel": "rbf", "fit_intercept": True}, most_rows=1000,
        ),
    )  # fmt: skip

    def __init__(
        self, alpha=1, *, kernel="linear", gamma=None, degree=3, coef0=1, kernel_params=None, fit_intercept=False
    ):
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept

    def fit(self, X, y, sample_weight=None):
        """Fit.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or the table of kernel values
        y : array (n,) or (n, q)
        sample_weight : array (n,)
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        data = self._validated(
            X, y, sample_weight, blocks=False, extremes=False, accept_sparse="csr", dtype=np.float64, order="C",
            multi_output=True, y_numeric=True,
        )  # fmt: skip
        Y = data.y.reshape(len(data.y), -1).astype(float)
        alpha = np.asarray(self.alpha, dtype=float)
        if alpha.ndim > 1 or alpha.size not in (1, Y.shape[1]) or not np.all((alpha >= 0.0) & np.isfinite(alpha)):
            raise ValueError(
                f"KernelRidge(alpha={self.alpha!r}): a number >= 0, or one for each of {Y.shape[1]} targets"
            )
        alpha = np.broadcast_to(alpha.ravel(), (Y.shape[1],)).astype(float)
        if self.fit_intercept and not np.all(alpha > 0.0):
            raise ValueError(
                f"KernelRidge(alpha={self.alpha!r}, fit_intercept=True): without a penalty the intercept is not "
                "determined; set alpha > 0"
            )
        few = isinstance(self._kernel_on(data.X), Linear) and data.X.shape[1] < len(Y) and np.all(alpha > 0.0)
        if few and not sparse.issparse(data.X):
            solve = partial(linear_solution, data.X, weight=data.sample_weight)
        else:
            solve = partial(solution, self._table(data.X), weight=data.sample_weight)

        def attributes(state) -> dict[str, Any]:
            kept = {"dual_coef_": state.dual.reshape(data.y.shape), "X_fit_": data.X.copy()}
            b = state.intercept
            return kept if b is None else kept | {"intercept_": float(b[0]) if data.y.ndim == 1 else b}

        return Fitting(
            iterates=with_intercept(solve, Y, alpha) if self.fit_intercept else solve(Y, alpha),
            stop=to_the_end,
            attributes=attributes,
            data=data,
            ended=Status.OPTIMAL,
        )

    def predict(self, X) -> np.ndarray:
        """f(x) + b.

        Parameters
        ----------
        X : array or sparse matrix (n, p); kernel values with the training rows for a precomputed kernel.
        """
        found = self._expansion(X)
        if self.fit_intercept:
            found = found + self.intercept_
        return found[:, 0] if self.dual_coef_.ndim == 1 else found

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
