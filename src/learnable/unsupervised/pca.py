"""Principal component analysis."""

from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import linalg, sparse, stats
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.validation import check_is_fitted

from learnable.base import Fitting, Learner, Threads
from learnable.base.fit_context import fit_context
from learnable.base.validation import squares_are_ordinary
from learnable.problems.unsupervised.minka import minka
from learnable.rows import Block, Rows, centred_product, is_streamed
from learnable.seeds import generator_from
from learnable.solvers.unsupervised import principal_axes
from learnable.trace import Status, budget, first_of, reached, to_the_end
from learnable.unsupervised.reading import ordinary, read_table, refuse_unusual

# Up to so many columns the scatter matrix is formed whatever the number of axes.
FEW_COLUMNS = 1000


class PCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Learner):
    """Principal components: the q orthonormal axes that leave the least error Σ ‖xᵢ − x̄ − VVᵀ(xᵢ − x̄)‖².

    Drop-in for `sklearn.decomposition.PCA`. The error is Σ_{j > q} d_j², d being the singular values of the centred
    table (Eckart and Young). Syllabus: U10.

    Parameters
    ----------
    n_components : int, float in (0, 1), "mle" or None, default=None
        Number of axes; the least number that explains this share of the variance; Minka's choice; or all of them.
    copy, power_iteration_normalizer : kept for compatibility; X is never modified.
    whiten : bool, default=False
        Whether scores are divided by their standard deviation.
    svd_solver : {"auto", "full", "covariance_eigh", "arpack", "randomized"}, default="auto"
        "full" is the SVD; "covariance_eigh" the eigenvectors of the scatter matrix, in one pass over the rows, wherever
        they are; "randomized" and "arpack" a Krylov search from random directions that goes on until its residual
        is small. "auto" takes the cross-products of the shorter side of the table where they give all digits wanted.
    tol : float, default=0.0
        Relative residual at which the Krylov search ends; 0 stands for 2e-8.
    iterated_power : "auto" or int, default="auto"
        Rounds of the Krylov search at most; "auto" is 100.
    n_oversamples : int, default=10
        Random directions beyond n_components.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    components_ : array (q, p), orthonormal rows; the largest entry of each is positive. In single precision where X is,
        as are the scores of an array; all sums are made in double
    explained_variance_ : array (q,), d²/(n − 1)
    explained_variance_ratio_ : array (q,)
    singular_values_ : array (q,)
    mean_ : array (p,)
    n_components_, n_samples_ : int
    noise_variance_ : float, mean of the variances left out
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        U10 : orthonormal axes; the mean; Σv = λv; ratios, singular values and noise variance. `certify` adds the error
        of the projected rows and, by the signs of an LDLᵀ factor, that no other axes leave less.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.unsupervised import PCA
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.5]])
    >>> model = PCA(1).fit(X)
    >>> model.explained_variance_ratio_.round(3)
    array([0.997])
    >>> model.certificate_.holds
    True
    """

    _threads = Threads.IN_BLAS
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_components": [
            Interval(Integral, 0, None, closed="left"), Interval(RealNotInt, 0, 1, closed="neither"),
            StrOptions({"mle"}), None,
        ],
        "copy": ["boolean"],
        "whiten": ["boolean"],
        "svd_solver": [StrOptions({"auto", "full", "covariance_eigh", "arpack", "randomized"})],
        "tol": [Interval(Real, 0, None, closed="left")],
        "iterated_power": [StrOptions({"auto"}), Interval(Integral, 0, None, closed="left")],
        "n_oversamples": [Interval(Integral, 1, None, closed="left")],
        "power_iteration_normalizer": [StrOptions({"auto", "QR", "LU", "none"})],
        "random_state": ["random_state"],
    }  # fmt: skip

    components_: np.ndarray
    explained_variance_: np.ndarray
    mean_: np.ndarray

    def __init__(
        self, n_components=None, *, copy=True, whiten=False, svd_solver="auto", tol=0.0, iterated_power="auto",
        n_oversamples=10, power_iteration_normalizer="auto", random_state=None,
    ):  # fmt: skip
        self.n_components = n_components
        self.copy = copy
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.tol = tol
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Find the axes.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks.
        y : ignored
        """
        return self._learn(X, y)

    def fit_transform(self, X, y=None) -> np.ndarray:
        """Fit, and the scores of the same rows."""
        return self.fit(X).transform(X)

    def _pose(self, X, y=None) -> Fitting:
        data = read_table(self, X, at_least=2, sparse_too=True, unseen=True, weighted=False)
        rows = data.rows
        n, p = rows.n_rows, rows.n_columns
        n_axes = self._n_axes(n, p)
        solver = self._route(rows, n_axes, is_streamed(data.X) or sparse.issparse(data.X))
        columns, looked_at = solver == "columns", sparse.issparse(data.X)
        if columns:  # what is read anyway shows entries that are no numbers
            with np.errstate(over="ignore", invalid="ignore"):
                found = principal_axes.scatter(rows)
            looked_at |= ordinary(found.mean, np.diagonal(found.products), n)
        elif isinstance(data.X, np.ndarray):
            looked_at = squares_are_ordinary(data.X)
        if not looked_at:
            refuse_unusual(self, X, data.X, at_least=2)
        stop: Any = to_the_end
        if solver == "krylov":
            generator = generator_from(self.random_state, "PCA")
            steps = principal_axes.from_random_directions(rows, n_axes, self.n_oversamples, generator)
            rounds = 100 if self.iterated_power == "auto" else max(1, self.iterated_power)
            stop = first_of(reached("residual", self.tol or principal_axes.RESIDUAL), budget(rounds))
        elif solver == "columns":
            steps = principal_axes.from_columns(rows, found, n_axes)
        elif solver == "rows":
            steps = principal_axes.from_rows(data.X, n_axes)
        else:
            steps = principal_axes.by_svd(data.X, n_axes)
        return Fitting(
            steps, stop, partial(self._attributes, n, p, data.X.dtype), data, Status.OPTIMAL,
            advice="raise iterated_power or tol",
        )  # fmt: skip

    def _n_axes(self, n: int, p: int) -> int:
        """How many axes must be computed."""
        most = min(n, p)
        wanted: Any = self.n_components
        if wanted is None:
            wanted = most - 1 if self.svd_solver == "arpack" else most
        if wanted == "mle" and n < p:
            raise ValueError("n_components='mle' is only supported if n_samples >= n_features")
        if wanted == "mle" or not isinstance(wanted, Integral):
            if self.svd_solver in ("arpack", "randomized"):
                what = "cannot be a string" if wanted == "mle" else "cannot be a share"
                raise ValueError(
                    f"n_components={wanted!r} {what} with svd_solver={self.svd_solver!r}, which finds some variances "
                    "where all are needed; use svd_solver='full' or 'covariance_eigh'"
                )
            return most
        wanted = int(wanted)
        if wanted < 1 and self.svd_solver in ("arpack", "randomized"):
            raise ValueError(
                f"n_components={wanted} must be between 1 and min(n_samples, n_features)={most} with "
                f"svd_solver={self.svd_solver!r}; use 'full' for all of them"
            )
        if wanted > most:
            named = "" if self.svd_solver in ("auto", "full") else f", and with {self.svd_solver!r} too"
            raise ValueError(
                f"n_components={wanted} must be between 0 and min(n_samples, n_features)={most} with "
                f"svd_solver='full'{named}; ask for at most {most}"
            )
        if self.svd_solver == "arpack" and wanted == most:
            raise ValueError(
                f"n_components={wanted} must be strictly less than min(n_samples, n_features)={most} with "
                "svd_solver='arpack'; use 'full' for all of them"
            )
        return max(wanted, 1)

    def _route(self, rows: Rows, n_axes: int, in_blocks: bool) -> str:
        """Which algorithm suits the shape; `in_blocks` where the rows are sparse or not all in memory."""
        n, p = rows.n_rows, rows.n_columns
        if self.svd_solver == "randomized" or (self.svd_solver == "arpack" and min(n, p) > FEW_COLUMNS):
            return "krylov"
        if self.svd_solver == "arpack" and not in_blocks:
            return "columns" if n >= p else "rows"
        if in_blocks or self.svd_solver == "covariance_eigh":
            if self.svd_solver == "full" and rows.of_first(_is_sparse):
                raise TypeError(
                    'The SVD needs a dense table: PCA only support sparse inputs with the "arpack" and '
                    '"covariance_eigh" solvers, while "full" was passed; "auto" and "randomized" take them too'
                )
            if self.svd_solver == "full":
                raise TypeError(
                    "PCA(svd_solver='full') needs all rows in memory, in a dense table; use 'covariance_eigh' or "
                    "'randomized'"
                )
            return "columns" if p <= 4 * FEW_COLUMNS or not in_blocks else "krylov"
        if self.svd_solver == "full":
            return "svd"
        few = n_axes < 0.8 * min(n, p) and self.n_components is not None
        if n >= 10 * p and p <= FEW_COLUMNS:
            return "columns"
        if few and min(n, p) > FEW_COLUMNS and n_axes <= 0.1 * min(n, p):
            return "krylov"
        return "rows" if few and n < p else "svd"

    def _attributes(self, n: int, p: int, kind: np.dtype, state: principal_axes.AxesState) -> dict[str, Any]:
        variances = state.squares / (n - 1)
        total = state.total / (n - 1)
        q = self._n_kept(variances, total, n)
        ratio = variances / total if total > 0.0 else np.zeros_like(variances)
        rest = total - float(variances[:q].sum())
        return {
            "components_": state.axes[:q].astype(kind),
            "explained_variance_": variances[:q].copy(),
            "explained_variance_ratio_": ratio[:q].copy(),
            "singular_values_": np.sqrt(state.squares[:q]),
            "mean_": state.mean.copy(),
            "n_components_": q,
            "n_samples_": n,
            "noise_variance_": max(rest, 0.0) / (min(n, p) - q) if q < min(n, p) else 0.0,
        }

    def _n_kept(self, variances: np.ndarray, total: float, n: int) -> int:
        wanted: Any = self.n_components
        if wanted == "mle":
            return minka(variances, n)
        if isinstance(wanted, Real) and not isinstance(wanted, Integral):
            # As one adds up `explained_variance_ratio_`: what that gives is then a share that is reached.
            share = np.cumsum(variances / max(total, np.finfo(float).tiny))
            return min(int(np.searchsorted(share, float(wanted), side="right")) + 1, len(variances))
        return len(variances) if wanted is None else int(wanted)

    def transform(self, X) -> np.ndarray:
        """Scores V(x − x̄), (n, q).

        Parameters
        ----------
        X : array (n, p), or rows read in blocks.
        """
        check_is_fitted(self)
        rows = read_table(self, X, reset=False, sparse_too=True).rows
        scale = None
        if self.whiten:
            deviation = np.sqrt(self.explained_variance_)
            # Of rows that are all the same every score is 0, in whatever unit.
            scale = 1.0 / np.maximum(deviation, np.finfo(deviation.dtype).eps * deviation.max(initial=0.0) or 1.0)
        axes = np.asarray(self.components_, dtype=float)
        scores = rows.concatenate(partial(_scores, mean=self.mean_, axes=axes, scale=scale))
        return scores if is_streamed(X) else scores.astype(np.result_type(self.components_, rows.dtype), copy=False)

    def inverse_transform(self, X) -> np.ndarray:
        """Rows with these scores: x̄ + Vᵀ z."""
        check_is_fitted(self)
        given = np.asarray(X)
        scores = given.astype(float)
        if self.whiten:
            scores = scores * np.sqrt(self.explained_variance_)
        rows = scores @ np.asarray(self.components_, dtype=float) + self.mean_
        single = given.dtype == np.float32 == self.components_.dtype
        return rows.astype(np.float32) if single else rows

    def get_covariance(self) -> np.ndarray:
        """VᵀΛV + σ² (I − VᵀV), the covariance of the probabilistic model with noise σ² off the axes."""
        check_is_fitted(self)
        excess, axes = np.maximum(self.explained_variance_ - self.noise_variance_, 0.0), self.components_.astype(float)
        return (axes.T * excess) @ axes + self.noise_variance_ * np.eye(self.n_features_in_)

    def get_precision(self) -> np.ndarray:
        """The inverse of `get_covariance`."""
        return linalg.pinvh(self.get_covariance())

    def score_samples(self, X) -> np.ndarray:
        """Log-density of each row under the probabilistic model."""
        check_is_fitted(self)
        table = read_table(self, X, reset=False, sparse_too=True).X
        values, V = np.linalg.eigh(self.get_precision())
        white = centred_product(table, self.mean_, V * np.sqrt(np.maximum(values, 0.0)))
        constant = float(np.sum(np.log(np.maximum(values, np.finfo(float).tiny) / (2.0 * np.pi))))
        return 0.5 * (constant - np.einsum("ij,ij->i", white, white))

    def score(self, X, y=None) -> float:
        """Mean log-density of the rows."""
        return float(np.mean(self.score_samples(X)))

    def explained_variance_interval(self, level: float = 0.95) -> np.ndarray:
        """(q, 2) ends of an interval for each variance of the law the rows come from: λ̂ e^{±z √(2/(n − 1))}.

        It holds for many Gaussian rows and a variance that differs from all others (Anderson 1963).

        Parameters
        ----------
        level : probability that one interval covers.
        """
        check_is_fitted(self)
        if not 0.0 < level < 1.0:
            raise ValueError(f"explained_variance_interval(level={level}): it must be between 0 and 1")
        reach = stats.norm.ppf(0.5 + 0.5 * level) * np.sqrt(2.0 / (self.n_samples_ - 1))
        return self.explained_variance_[:, None] * np.exp(np.array([-reach, reach]))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)


def _is_sparse(block: Block) -> bool:
    return sparse.issparse(block.X)


def _scores(block: Block, mean: np.ndarray, axes: np.ndarray, scale: np.ndarray | None) -> np.ndarray:
    # Centred first: far from the origin, the difference of two projections would be mostly rounding.
    scores = centred_product(block.X, mean, axes.T)
    return scores if scale is None else scores * scale
