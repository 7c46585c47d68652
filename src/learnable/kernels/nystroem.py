"""A few coordinates for any kernel, from a sample of the rows. Syllabus: K2."""

from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.linalg import eigh, svd
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from learnable.base import Fitting, refuse_unreadable, validate_data
from learnable.kernels.kernel_expansion import KernelExpansion
from learnable.kernels.kernel_parameters import COUNT, OF_KERNELS
from learnable.problems.kernels.kernel import Kernel
from learnable.problems.kernels.named import width
from learnable.rows import is_streamed, taken
from learnable.rows.threads import interruptible
from learnable.seeds import generator_from
from learnable.solvers.kernels.scoring import scores
from learnable.trace import Status, to_the_end

# Rows whose eigenvectors take a few milliseconds, less than Ctrl-C need wait for.
SOON_DECOMPOSED = 150
ROUNDING = 1e-13


class NystroemState(NamedTuple):
    """What the sample leaves unexplained of its own values (0 up to rounding), and the map."""

    objective: float
    normalization: np.ndarray


class Nystroem(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelExpansion):
    """Φ(x) = K_mm^{−1/2} k_m(x): the projection of the features on those of m rows drawn at random.

    Inner products of Φ are kernel values exactly between the m rows, and never more than k(x, x) on the diagonal: what
    is lost is the trace of K − ΦΦᵀ, which the certificate states.

    Parameters
    ----------
    kernel : as in `KernelRidge`
    gamma, coef0, degree : of the named kernels; gamma is 1/p (1 for "chi2"), coef0 1 and degree 3 where None
    kernel_params : dict of further arguments of a function
    n_components : int, default=100
    random_state : which rows.
    n_jobs : kept for compatibility.

    Attributes
    ----------
    components_ : (m, p) the rows drawn.
    component_indices_ : (m,) which they are.
    normalization_ : (m, m) K_mm^{−1/2}.
    status_ : `trace.Status`.
    certificate_ : `certificates.Certificate`, which claims
        K2 ΦΦᵀ = K between the rows drawn, ‖Φ(x)‖² ≤ k(x, x); the relative trace error on the data.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> model = Nystroem(n_components=50, random_state=0).fit(X)
    >>> model.transform(X).shape, str(model.certificate_.verdict)
    ((200, 50), 'proved')
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = OF_KERNELS | {
        "coef0": [*OF_KERNELS["coef0"], None], "degree": [*OF_KERNELS["degree"], None], "n_components": COUNT,
    }  # fmt: skip

    def __init__(
        self, kernel="rbf", *, gamma=None, coef0=None, degree=None, kernel_params=None, n_components=100,
        random_state=None, n_jobs=None,
    ):  # fmt: skip
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _kernel_on(self, X: Any):
        plain = KernelExpansion._kernel_on
        gamma = self.gamma if isinstance(self.kernel, Kernel) else width(self.gamma, X, "Nystroem", self.kernel)
        filled = _Filled(
            self.kernel, gamma, 3 if self.degree is None else self.degree, 1 if self.coef0 is None else self.coef0,
            self.kernel_params,
        )  # fmt: skip
        return plain(filled, X)  # type: ignore[arg-type]

    def fit(self, X, y=None):
        """Draw the rows.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        y : ignored
        """
        return self._learn(X)

    def _pose(self, X, y=None) -> Fitting:
        self._refuse_idle_parameters()
        data = self._validated(X, extremes=False, accept_sparse="csr", dtype=np.float64, order="C")
        n = data.X.n_rows if is_streamed(X) else data.X.shape[0]
        if self.kernel == "precomputed" and (is_streamed(X) or data.X.shape[1] != n or self.n_components < n):
            raise ValueError(
                f"Nystroem(kernel='precomputed', n_components={self.n_components!r}) on a table of shape "
                f"{(n, self.n_features_in_)}: a table of values has the rows drawn and their columns only where it is "
                "in memory and square and all rows are drawn; raise n_components, or name the kernel"
            )
        chosen = generator_from(self.random_state, "Nystroem").permutation(n)[: min(int(self.n_components), n)]
        components = taken(data.X, chosen).astype(float) if is_streamed(X) else data.X[chosen]
        kernel = self._kernel_on(components)

        def states():
            yield NystroemState(0.0, inverse_root(kernel(components)))

        return Fitting(
            iterates=states(),
            stop=to_the_end,
            attributes=lambda state: {
                "components_": components, "component_indices_": chosen, "normalization_": state.normalization,
            },
            data=data,
            ended=Status.OPTIMAL,
        )  # fmt: skip

    def _refuse_idle_parameters(self) -> None:
        """A function takes its arguments from `kernel_params`, a table none."""
        if isinstance(self.kernel, Kernel) or not (callable(self.kernel) or self._is_precomputed):
            return
        for name in ("gamma", "coef0", "degree"):
            if (value := getattr(self, name)) is not None:
                raise ValueError(
                    f"Nystroem({name}={value!r}): no effect on a function or a table of values. Don't pass gamma, "
                    "coef0 or degree to Nystroem there; arguments of a function are given as kernel_params"
                )

    def transform(self, X) -> np.ndarray:
        """Φ(x), (n, m), by blocks of rows over threads.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        """
        check_is_fitted(self)
        refuse_unreadable(X)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return scores(self._kernel_on(self.components_), X, self.components_, self.normalization_.T)

    @property
    def _n_features_out(self) -> int:
        return self.normalization_.shape[0]


class _Filled(NamedTuple):
    """The parameters with their defaults in place."""

    kernel: Any
    gamma: Any
    degree: float
    coef0: float
    kernel_params: Any


def inverse_root(K: np.ndarray) -> np.ndarray:
    """K^{−1/2}, the U S^{−1/2} Vᵀ of K = U S Vᵀ, directions without a value left as long as rounding would have them.

    >>> inverse_root(np.diag([4.0, 0.25]))
    array([[0.5, 0. ],
           [0. , 2. ]])
    """
    if np.abs(K - K.T).max(initial=0.0) > ROUNDING * np.abs(K).max(initial=0.0):
        U, s, Vt = interruptible(svd, K)  # the function of somebody else, which need not be symmetric
    else:
        values, vectors = eigh(K) if len(K) <= SOON_DECOMPOSED else interruptible(eigh, K)
        U, s, Vt = np.where(values < 0.0, -vectors, vectors), np.abs(values), vectors.T
    s = np.maximum(s, 1e-12 * max(float(s.max()), np.finfo(float).tiny))
    return (U / np.sqrt(s)) @ Vt
