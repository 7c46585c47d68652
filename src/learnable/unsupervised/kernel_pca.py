"""Principal components in the feature space of a kernel."""

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import linalg, sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_array, check_is_fitted

from learnable.base import Data, Fitting, Learner, Threads
from learnable.base.fit_context import fit_context
from learnable.problems.unsupervised.similarities import KERNELS, default_gamma, kernel_matrix
from learnable.rows.memory import check_table_fits
from learnable.solvers.core.eigenpairs import some_eigenpairs
from learnable.trace import Status, to_the_end
from learnable.unsupervised.reading import read_table

# So many rows a column, from which on the linear kernel is left to the rows themselves.
TALL = 4


class KernelState(NamedTuple):
    """objective : Σ of the eigenvalues left out. values : largest first. vectors : (n, q). trace : Σ of all."""

    objective: float
    values: np.ndarray
    vectors: np.ndarray
    trace: float


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Learner):
    """Kernel PCA: the leading eigenvectors of the centred kernel matrix (I − 11ᵀ/n) K (I − 11ᵀ/n).

    Drop-in for `sklearn.decomposition.KernelPCA`. With the linear kernel the scores are those of `PCA`. No row need
    have a given image in the feature space: `inverse_transform` is a kernel ridge regression of the rows on their
    scores. Syllabus: U10, K2.

    Parameters
    ----------
    n_components : int or None, default=None
        None keeps every eigenvalue that is not 0.
    kernel : {"linear", "poly", "rbf", "sigmoid", "cosine", "laplacian", "chi2", "additive_chi2", "precomputed"} or
        callable, default="linear"
    gamma : float or None, default=None for 1/p, 1 for "chi2".
    degree, coef0, kernel_params : of the kernel.
    fit_inverse_transform : bool, default=False
        Whether rows can be recovered from scores, with `alpha`, default=1.0, as the penalty of that regression.
    eigen_solver, tol, max_iter, iterated_power, random_state, copy_X, n_jobs : kept for compatibility.
    remove_zero_eig : bool, default=False

    Attributes
    ----------
    eigenvalues_ : array (q,). eigenvectors_ : array (n, q), orthonormal columns
    gamma_ : float. trace_ : float, Σ of all eigenvalues. X_fit_ : the rows
    X_transformed_fit_ : array (n, q), their scores. dual_coef_ : array (n, p), of the regression of the rows on their
        scores; both only with `fit_inverse_transform`.
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        U10 : eigen-equations, orthonormality, order, trace, and that no direction left out has a larger variance;
        that `dual_coef_` solves its equation.

    References
    ----------
    Schölkopf, Smola and Müller (1998); Bakır, Weston and Schölkopf (2004) for the way back.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.unsupervised import KernelPCA
    >>> model = KernelPCA(1, kernel="rbf").fit(np.array([[0.0], [1.0], [5.0]]))
    >>> model.certificate_.holds
    True
    """

    _threads = Threads.IN_BLAS
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "kernel": [StrOptions({*KERNELS, "precomputed"}), callable],
        "gamma": [Interval(Real, 0, None, closed="left"), None],
        "degree": [Interval(Real, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "kernel_params": [dict, None],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "fit_inverse_transform": ["boolean"],
        "remove_zero_eig": ["boolean"],
        "eigen_solver": [StrOptions({"auto", "dense", "arpack", "randomized"})],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "iterated_power": [Interval(Integral, 0, None, closed="left"), StrOptions({"auto"})],
        "random_state": ["random_state"],
        "copy_X": ["boolean"],
    }

    def __init__(
        self, n_components=None, *, kernel="linear", gamma=None, degree=3, coef0=1, kernel_params=None, alpha=1.0,
        fit_inverse_transform=False, eigen_solver="auto", tol=0, max_iter=None, iterated_power="auto",
        remove_zero_eig=False, random_state=None, copy_X=True, n_jobs=None,
    ):  # fmt: skip
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.random_state = random_state
        self.copy_X = copy_X
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Find the eigenvectors.

        Parameters
        ----------
        X : array or sparse matrix (n, p), which is made dense for the kernel; or the kernel matrix (n, n) for
            kernel="precomputed".
        y : ignored
        """
        return self._learn(X, y)

    def _pose(self, X, y=None) -> Fitting:
        if self.fit_inverse_transform and self.kernel == "precomputed":
            raise ValueError("Cannot fit_inverse_transform with a precomputed kernel.")
        if self.fit_inverse_transform and self.kernel in ("chi2", "additive_chi2"):
            raise ValueError(
                f"KernelPCA(kernel={self.kernel!r}, fit_inverse_transform=True): rows are regressed on their scores by "
                "the same kernel, which has no values where scores are negative; leave it out, or take kernel='rbf'"
            )
        data = read_table(self, X, sparse_too=True)
        if hasattr(data.X, "blocks"):
            raise TypeError("KernelPCA needs all rows in memory: the kernel joins every row with every other")
        table = _dense(data.X)
        if self.kernel == "precomputed" and table.shape[0] != table.shape[1]:
            raise ValueError(f"KernelPCA(kernel='precomputed'): X must be square, but is {table.shape}")
        gamma = default_gamma(self.kernel, table.shape[1]) if self.gamma is None else float(self.gamma)
        kept = (table if self.kernel == "precomputed" else data.X).copy()
        about = table - self._origin(table)

        def attributes(state: KernelState) -> dict[str, Any]:
            return {
                "eigenvalues_": state.values.copy(),
                "eigenvectors_": state.vectors.copy(),
                "gamma_": gamma,
                "trace_": state.trace,
                "X_fit_": kept,
                **(self._way_back(state, table, gamma) if self.fit_inverse_transform else {}),
            }

        drop = self.remove_zero_eig or self.n_components is None
        n, p = table.shape
        wanted = n if self.n_components is None else min(self.n_components, n)
        if self.kernel == "linear" and TALL * p <= n and (drop or wanted <= p):
            states = _of_rows(about, wanted, drop)
        else:
            states = _eigenvectors(self._kernel(about, about, gamma), wanted, drop, self.kernel == "precomputed")
        return Fitting(states, to_the_end, attributes, Data(data.X, None, None), Status.OPTIMAL)

    def _way_back(self, state: KernelState, X: np.ndarray, gamma: float) -> dict[str, np.ndarray]:
        """Kernel ridge regression of the rows on their scores."""
        scores = state.vectors * np.sqrt(state.values)
        K = self._kernel(scores, scores, gamma)
        K[np.diag_indices_from(K)] += self.alpha
        try:
            return {"X_transformed_fit_": scores, "dual_coef_": linalg.solve(K, X, assume_a="pos")}
        except linalg.LinAlgError:
            raise ValueError(
                f"KernelPCA: the rows cannot be regressed on their scores with alpha={self.alpha}, which is lost "
                f"beside kernel values up to {np.abs(K).max():.3g}; raise alpha or scale the columns"
            ) from None

    def _kernel(self, X: np.ndarray, Y: np.ndarray, gamma: float) -> np.ndarray:
        if self.kernel == "precomputed":
            return X
        if callable(self.kernel):
            return kernel_matrix(X, Y, self.kernel, **(self.kernel_params or {}))
        return kernel_matrix(X, Y, self.kernel, gamma=gamma, degree=self.degree, coef0=self.coef0)

    def _origin(self, X: np.ndarray) -> np.ndarray | float:
        """What may be subtracted from every row without a change of the centred kernel: digits far from zero stay."""
        return X.mean(axis=0) if self.kernel in ("linear", "rbf", "laplacian") else 0.0

    def transform(self, X) -> np.ndarray:
        """Scores Σ_i u_i k(x_i, x) / √λ with the kernel centred as in the fit, (n, q).

        Parameters
        ----------
        X : array or sparse matrix (m, p), or kernel values (m, n) for kernel="precomputed".
        """
        check_is_fitted(self)
        rows, fitted = _dense(read_table(self, X, reset=False, sparse_too=True).X), _dense(self.X_fit_)
        origin = self._origin(fitted)
        own = self._kernel(fitted - origin, fitted - origin, self.gamma_)
        K = self._kernel(rows - origin, fitted - origin, self.gamma_)
        K = K - K.mean(axis=1, keepdims=True) - own.mean(axis=0) + own.mean()
        positive = self.eigenvalues_ > 0.0
        scale = np.where(positive, 1.0 / np.sqrt(np.where(positive, self.eigenvalues_, 1.0)), 0.0)
        return K @ (self.eigenvectors_ * scale)

    def fit_transform(self, X, y=None) -> np.ndarray:
        """Fit, and the scores of the same rows, √λ u."""
        self.fit(X)
        return self.eigenvectors_ * np.sqrt(self.eigenvalues_)

    def inverse_transform(self, X) -> np.ndarray:
        """Rows whose scores are near these, Σ_i k(z_i, z) a_i, (m, p).

        Parameters
        ----------
        X : array (m, q), scores.
        """
        check_is_fitted(self)
        if not self.fit_inverse_transform:
            raise NotFittedError(
                "The fit_inverse_transform parameter was not set to True when instantiating and hence the inverse "
                "transform is not available."
            )
        scores = check_array(X, dtype=[np.float64, np.float32])
        if scores.shape[1] != self.X_transformed_fit_.shape[1]:
            raise ValueError(
                f"KernelPCA.inverse_transform: X has {scores.shape[1]} columns, but there are "
                f"{self.X_transformed_fit_.shape[1]} components"
            )
        return self._kernel(scores, self.X_transformed_fit_, self.gamma_) @ self.dual_coef_

    @property
    def _n_features_out(self) -> int:
        return len(self.eigenvalues_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = True
        return tags


def _dense(X: Any) -> np.ndarray:
    """The table as the kernels take it."""
    if sparse.issparse(X):
        check_table_fits(X.shape[0], X.shape[1], "a sparse table made dense")
        return X.toarray().astype(float, copy=False)
    return np.asarray(X, dtype=float)


def _eigenvectors(K: np.ndarray, count: int, drop: bool, given: bool) -> Iterator[KernelState]:
    """The leading eigenpairs of the centred kernel matrix."""
    n = len(K)
    means = K.mean(axis=0)
    # A matrix that is given need not be symmetric; centred, it may be.
    across = K.mean(axis=1) if given and not np.array_equal(K, K.T) else means
    centred = K - means - across[:, None] + means.mean()
    values, vectors = some_eigenpairs(0.5 * (centred + centred.T), n - count, n - 1)
    values, vectors = values[::-1], vectors[:, ::-1]
    size = max(float(np.abs(values).max(initial=0.0)), np.finfo(float).tiny)
    if float(values.min()) < -1e-6 * size:
        raise ValueError(
            f"KernelPCA: There are significant negative eigenvalues ({values.min():.3g} beside {values.max():.3g}): "
            "the matrix is no kernel; give a positive semidefinite one"
        )
    yield _state(values, vectors, drop, float(np.trace(centred)))


def _of_rows(Z: np.ndarray, count: int, drop: bool) -> Iterator[KernelState]:
    """The same of the linear kernel between rows about their mean, by their singular values: K = ZZᵀ has no others."""
    Z = Z - Z.mean(axis=0)
    U, s, _ = np.linalg.svd(Z, full_matrices=False)
    yield _state(s[:count] ** 2, U[:, :count], drop, float(np.vdot(Z, Z)))


def _state(values: np.ndarray, vectors: np.ndarray, drop: bool, trace: float) -> KernelState:
    """The eigenpairs that are kept, in falling order, with signs such that the largest entry of each is positive."""
    size = max(float(np.abs(values).max(initial=0.0)), np.finfo(float).tiny)
    values = np.where(values > 1e-12 * size, values, 0.0)
    if drop:
        values, vectors = values[values > 0.0], vectors[:, : int(np.count_nonzero(values > 0.0))]
    largest = np.argmax(np.abs(vectors), axis=0)
    vectors = vectors * np.where(vectors[largest, np.arange(len(values))] < 0.0, -1.0, 1.0)
    return KernelState(max(trace - float(values.sum()), 0.0), values, np.ascontiguousarray(vectors), trace)
