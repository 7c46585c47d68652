"""Gaussian mixtures."""

from collections.abc import Callable
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import linalg
from sklearn.base import DensityMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from learnable.base import Data, Fitting, Learner
from learnable.base.fit_context import fit_context
from learnable.config import get_config
from learnable.problems.core import information
from learnable.problems.unsupervised import mixtures
from learnable.rows import Block, Rows, as_rows, is_streamed
from learnable.seeds import generator_from
from learnable.solvers.core.restarts import best_of, verdict
from learnable.solvers.unsupervised import gaussian_mixture as solver
from learnable.solvers.unsupervised import kmeans_start, lloyd, missing_cells, whole_steps
from learnable.solvers.unsupervised.assignment import centred, nearest
from learnable.trace import Status, budget, drive, first_of, reached
from learnable.unsupervised.kmeans import column_means, prepared, row_weights, rows_on_device
from learnable.unsupervised.reading import read_table


class GaussianMixture(DensityMixin, Learner):
    """A mixture of Gaussians Σ_k π_k N(μ_k, Σ_k), fitted by expectation–maximisation.

    Drop-in for `sklearn.mixture.GaussianMixture`, with weights of rows and one more kind of covariance. Each EM step
    raises the likelihood; the answer is stationary, not the likeliest mixture. With "shared_spherical" and a variance
    that goes to 0 it becomes k-means. NaN in an array stands for a missing cell: the likelihood is that of the
    observed cells, right wherever cells are missing at random. Syllabus: U5.

    Parameters
    ----------
    n_components : int, default=1
    covariance_type : {"full", "tied", "diag", "spherical", "shared_spherical"}, default="full"
        Own matrix, one matrix for all, own diagonal, own variance, or one variance for all (soft k-means).
    tol : float, default=1e-3
        A run ends once one more step would raise the mean log-likelihood by at most this.
    reg_covar : float, default=1e-6
        Added to every variance.
    max_iter : int, default=100
        EM steps of one start; 0 keeps the start itself.
    n_init : int, default=1
        Starts, of which the likeliest end is kept.
    init_params : {"kmeans", "k-means++", "random", "random_from_data"}, default="kmeans"
    weights_init, means_init, precisions_init : arrays, default=None
    random_state : int, RandomState or None, default=None
    warm_start : bool, default=False
    verbose, verbose_interval : kept for compatibility.
    n_jobs : int or None, default=None
        Threads; the answer does not depend on it.

    Attributes
    ----------
    weights_ : array (K,). means_ : array (K, p)
    covariances_, precisions_, precisions_cholesky_ : arrays (K, p, p), (p, p), (K, p), (K,) or (1,), by the kind
    converged_ : bool. n_iter_ : int
    lower_bound_ : float, mean log-likelihood. lower_bounds_ : list, the same at the start and after each step
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        U5 : the likelihood; that one more EM step adds at most 1e-6 to its mean, and that the point which such steps
        tend to is within 0.01 deviations of a row, by the EM equations recomputed; that it never fell. A fit that ends
        sooner, as one at the default `tol` often does, has converged in scikit-learn's sense; it says what it reached
        and proves no more (`tol=1e-8` is enough as a rule).

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.unsupervised import GaussianMixture
    >>> X = np.concatenate([np.linspace(-1, 1, 21), np.linspace(9, 11, 21)])[:, None]
    >>> model = GaussianMixture(2, random_state=0).fit(X)
    >>> sorted(model.means_.ravel().round(6).tolist())
    [0.0, 10.0]
    >>> model.certificate_.holds
    True
    """

    _redone = True
    _remedy = "lower tol, raise reg_covar or use fewer components"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "covariance_type": [StrOptions(set(mixtures.KINDS))],
        "tol": [Interval(Real, 0, None, closed="left")],
        "reg_covar": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "init_params": [StrOptions({"kmeans", "k-means++", "random", "random_from_data"})],
        "weights_init": ["array-like", None],
        "means_init": ["array-like", None],
        "precisions_init": ["array-like", None],
        "random_state": ["random_state"],
        "warm_start": ["boolean"],
        "verbose": ["verbose"],
        "verbose_interval": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [Integral, None],
    }

    weights_: np.ndarray
    means_: np.ndarray
    covariances_: np.ndarray

    def __init__(
        self, n_components=1, *, covariance_type="full", tol=1e-3, reg_covar=1e-6, max_iter=100, n_init=1,
        init_params="kmeans", weights_init=None, means_init=None, precisions_init=None, random_state=None,
        warm_start=False, verbose=0, verbose_interval=10, n_jobs=None,
    ):  # fmt: skip
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.weights_init = weights_init
        self.means_init = means_init
        self.precisions_init = precisions_init
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.verbose_interval = verbose_interval
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Fit the mixture.

        Parameters
        ----------
        X : array (n, p), NaN where a cell is missing; or rows read in blocks, all cells observed.
        y : ignored
        sample_weight : array (n,), default=None
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def fit_predict(self, X, y=None, sample_weight=None) -> np.ndarray:
        """Fit, and the likeliest component of each row."""
        return self.fit(X, sample_weight=sample_weight).predict(X)

    def _pose(self, X, y=None, sample_weight=None) -> Fitting:
        data = read_table(self, X, sample_weight, at_least=2, allow_nan=True)
        rows, filled = data.rows, _with_means(data, self._column)
        complete = filled is data
        if rows.n_rows < self.n_components:
            raise ValueError(
                f"GaussianMixture: Expected n_samples >= n_components but got n_components = {self.n_components}, "
                f"n_samples = {rows.n_rows}; ask for fewer components"
            )
        weight = row_weights(rows, data.sample_weight)
        origin = column_means(filled.rows)
        before = self._mixture(origin) if self.warm_start and hasattr(self, "means_") else None
        generator = generator_from(self.random_state, "GaussianMixture")
        n_init = 1 if before is not None else self.n_init
        held, device = None, get_config()["device"] if is_streamed(data.X) else "cpu"
        if complete and isinstance(data.X, np.ndarray):
            held = rows_on_device(data.X, data.sample_weight, self.n_components, origin.astype(float))
        read, of_block = rows, partial(solver.expected, device=device, origin=origin)
        if not complete:
            of_block = partial(missing_cells.expected, origin=origin)
        elif isinstance(data.X, np.ndarray):
            # An array is copied once, about its mean; blocks from elsewhere are shifted whenever they are read.
            read = as_rows(centred(data.X, origin), None, data.sample_weight)
            of_block = partial(solver.expected, origin=None)

        def e_step(mixture: solver.Mixture) -> solver.Sums:
            white = solver.whitening(mixture)
            if held is not None:
                return solver.expected_on_device(held, mixture, white)
            return read.reduce(partial(of_block, mixture=mixture, white=white), n_jobs=self.n_jobs)

        def run(restart: int, draw: np.random.Generator):
            start = before if before is not None else self._start(filled, filled.rows, weight, origin, draw)
            if self.max_iter == 0:
                return solver.start_alone(e_step, float(weight.sum()), start, restart)
            return solver.iterates(e_step, float(weight.sum()), start, self.reg_covar, restart)

        def stop():
            return first_of(reached("gain", self.tol, Status.STATIONARY), budget(max(self.max_iter, 1)))

        runs = (run(restart, draw) for restart, draw in enumerate(generator.spawn(n_init)))
        return Fitting(
            best_of(runs, stop),
            verdict,
            partial(self._attributes, origin),
            data,
            Status.STATIONARY,
            max_steps=n_init * max(self.max_iter, 1) + 1,
            advice="Best performing initialization did not converge. Try different init parameters, or increase "
            "max_iter, tol, or check for degenerate data.",
        )

    def _start(self, data, rows: Rows, weight: np.ndarray, origin: np.ndarray, draw) -> solver.Mixture:
        """What the user gives; the rest from the memberships that `init_params` asks for."""
        K = self.n_components
        if any(given is None for given in (self.weights_init, self.means_init, self.precisions_init)):
            r = self._first_memberships(data, rows, weight, origin, draw)
            start = solver.from_memberships(rows, r, self.covariance_type, origin, self.reg_covar)
        else:
            start = solver.blank(self.covariance_type, K, rows.n_columns)
        if self.weights_init is not None:
            start = start._replace(weights=_checked_weights(self.weights_init, K))
        if self.means_init is not None:
            means = np.array(self.means_init, dtype=float)
            if means.shape != start.means.shape:
                raise ValueError(
                    f"The parameter 'means' should have the shape of {start.means.shape}, but got {means.shape}"
                )
            start = start._replace(means=means - origin)
        if self.precisions_init is not None:
            given = np.array(self.precisions_init, dtype=float)
            if given.shape != start.covariances.shape:
                raise ValueError(
                    f"The parameter '{self.covariance_type} precision' should have the shape of "
                    f"{start.covariances.shape}, but got {given.shape}"
                )
            if self.covariance_type in ("full", "tied"):
                if np.min(np.linalg.eigvalsh(given)) <= 0.0 or not np.allclose(given, np.swapaxes(given, -1, -2)):
                    raise ValueError(f"'{self.covariance_type} precision' should be symmetric, positive-definite")
                start = start._replace(covariances=np.linalg.inv(given))
            else:
                if given.min() <= 0.0:
                    raise ValueError(f"'{self.covariance_type} precision' should be positive")
                start = start._replace(covariances=1.0 / given)
        return start

    def _first_memberships(self, data, rows: Rows, weight: np.ndarray, origin: np.ndarray, draw) -> np.ndarray:
        """(n, K), as `init_params` says."""
        K, n = self.n_components, rows.n_rows
        if self.init_params == "kmeans":
            return np.eye(K)[_kmeans_labels(data, rows, weight, K, draw)]
        if self.init_params == "random":
            r = draw.random((n, K))
            return r / r.sum(axis=1, keepdims=True)
        choose = kmeans_start.plus_plus if self.init_params == "k-means++" else kmeans_start.random_rows
        centres = choose(rows, weight, K, origin, draw)
        return np.eye(K)[rows.concatenate(partial(nearest, centres=centres, origin=origin))]

    def _attributes(self, origin: np.ndarray, state: solver.MixtureState) -> dict[str, Any]:
        precisions, factors = precision_parts(state.model.covariances, state.model.kind)
        return {
            "weights_": state.model.weights.copy(),
            "means_": state.model.means + origin,
            "covariances_": state.model.covariances.copy(),
            "precisions_": precisions,
            "precisions_cholesky_": factors,
            "converged_": state.verdict is Status.STATIONARY,
            "n_iter_": len(state.history) - 1,
            "lower_bound_": float(-state.objective),
            "lower_bounds_": state.history.tolist(),
        }

    def _mixture(self, origin: np.ndarray) -> solver.Mixture:
        return solver.Mixture(
            np.asarray(self.weights_, dtype=float), np.asarray(self.means_, dtype=float) - origin,
            np.asarray(self.covariances_, dtype=float), self.covariance_type,
        )  # fmt: skip

    def _posterior(self, X) -> tuple[np.ndarray, np.ndarray]:
        """(memberships (n, K), log-density (n,))."""
        check_is_fitted(self)
        found = self._by_row(X, _posterior_columns)
        return found[:, :-1], found[:, -1]

    def _by_row(self, X, of_block) -> np.ndarray:
        rows = read_table(self, X, reset=False, allow_nan=True).rows
        origin = np.asarray(self.weights_, dtype=float) @ np.asarray(self.means_, dtype=float)
        mixture = self._mixture(origin)
        of_block = partial(of_block, mixture=mixture, white=solver.whitening(mixture), origin=origin)
        return rows.concatenate(of_block, n_jobs=self.n_jobs)

    def impute(self, X) -> np.ndarray:
        """The table with each missing cell at its mean given the observed cells of its row, Σ_k r_k E_k[x_m | x_o].

        Parameters
        ----------
        X : array (n, p), NaN where a cell is missing.
        """
        check_is_fitted(self)
        return self._by_row(X, _imputed)

    def predict_proba(self, X) -> np.ndarray:
        """Memberships r_ik = P(component k | x_i), (n, K).

        Parameters
        ----------
        X : array (n, p), NaN where a cell is missing; or rows read in blocks.
        """
        return self._posterior(X)[0]

    def predict(self, X) -> np.ndarray:
        """The likeliest component of each row."""
        return self._posterior(X)[0].argmax(axis=1)

    def score_samples(self, X) -> np.ndarray:
        """Log-density of each row."""
        return self._posterior(X)[1]

    def score(self, X, y=None) -> float:
        """Mean log-density."""
        return float(self.score_samples(X).mean())

    def sample(self, n_samples=1) -> tuple[np.ndarray, np.ndarray]:
        """(rows (n, p), their components (n,)) drawn from the mixture, component by component."""
        check_is_fitted(self)
        if n_samples < 1:
            raise ValueError(f"Invalid value for 'n_samples': {n_samples} . The sampling requires at least one sample.")
        draw = generator_from(self.random_state, "GaussianMixture.sample")
        K, d = self.means_.shape
        counts = draw.multinomial(n_samples, self.weights_ / self.weights_.sum())
        matrices = mixtures.covariance_matrices(self.covariances_, self.covariance_type, K, d)
        parts = [
            self.means_[k] + draw.standard_normal((counts[k], d)) @ np.linalg.cholesky(matrices[k]).T for k in range(K)
        ]
        return np.vstack(parts), np.repeat(np.arange(K), counts)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _n_parameters(self) -> int:
        return mixtures.n_free(self.covariance_type, *self.means_.shape)

    def aic(self, X) -> float:
        """Akaike's criterion on these rows; smaller is better."""
        return information.aic(float(self.score_samples(X).sum()), self._n_parameters())

    def bic(self, X) -> float:
        """The Bayesian criterion on these rows; smaller is better."""
        values = self.score_samples(X)
        return float(information.bic(float(values.sum()), self._n_parameters(), len(values)))

    def icl(self, X) -> float:
        """The integrated completed likelihood: BIC plus twice the entropy of the memberships; smaller is better."""
        r, values = self._posterior(X)
        entropy = -float(np.sum(r * np.log(np.maximum(r, np.finfo(float).tiny))))
        return mixtures.icl(float(values.sum()), self._n_parameters(), len(values), entropy)


def precision_parts(covariances: np.ndarray, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """(precisions, factors L with LLᵀ = precision) in the shape of the covariances."""
    if kind not in ("full", "tied"):
        return 1.0 / covariances, 1.0 / np.sqrt(covariances)
    matrices = covariances if kind == "full" else covariances[None]
    eye = np.eye(matrices.shape[-1])
    factors = np.array(
        [linalg.solve_triangular(linalg.cholesky(matrix, lower=True), eye, lower=True).T for matrix in matrices]
    )
    precisions = factors @ np.swapaxes(factors, 1, 2)
    return (precisions, factors) if kind == "full" else (precisions[0], factors[0])


def _checked_weights(given: Any, K: int) -> np.ndarray:
    weights = np.array(given, dtype=float)
    if weights.shape != (K,):
        raise ValueError(f"The parameter 'weights' should have the shape of ({K},), but got {weights.shape}")
    if weights.min() < 0.0 or weights.max() > 1.0:
        raise ValueError(
            "The parameter 'weights' should be in the range [0, 1], but got max value "
            f"{weights.max():.5f}, min value {weights.min():.5f}"
        )
    if not np.isclose(weights.sum(), 1.0):
        raise ValueError(f"The parameter 'weights' should be normalized, but got sum(weights) = {weights.sum():.5f}")
    return weights


def _kmeans_labels(data, rows: Rows, weight: np.ndarray, K: int, draw) -> np.ndarray:
    """Labels of one run of k-means from a k-means++ start."""
    worked, shift, variance = prepared(data)
    if is_streamed(worked):
        start = kmeans_start.plus_plus(rows, weight, K, shift, draw)
        run = lloyd.iterates(worked, start, shift)
    else:
        start = kmeans_start.plus_plus(as_rows(worked), weight, K, None, draw)
        run = whole_steps.or_shortened(worked, data.sample_weight, start)
    state = drive(run, first_of(reached("shift", 1e-4 * variance), budget(300))).state
    if state.labels is not None:
        return state.labels
    return rows.concatenate(partial(nearest, centres=state.centres, origin=shift))


def _posterior_columns(block: Block, mixture, white, origin: np.ndarray) -> np.ndarray:
    X = np.ascontiguousarray(block.X - origin, dtype=float)
    if np.isnan(X).any():
        r, log_density = missing_cells.completed(X, mixture, white)[:2]
    else:
        r, log_density = solver.posterior(X, mixture, white)
    return np.column_stack([r, log_density])


def _imputed(block: Block, mixture, white, origin: np.ndarray) -> np.ndarray:
    filled = missing_cells.imputed(np.asarray(block.X - origin, dtype=float), mixture, white) + origin
    return np.where(np.isnan(block.X), filled, block.X)


def _with_means(data: Data, column: Callable[[int], str]) -> Data:
    """The table from which the starts are taken, each missing cell at the mean of its column; `data` if none is."""
    if is_streamed(data.X) or not np.isnan(data.X).any():
        return data
    missing = np.isnan(data.X)
    if missing.all(axis=0).any():
        j = int(np.argmax(missing.all(axis=0)))
        raise ValueError(f"GaussianMixture: every cell of {column(j)} is missing; drop the column")
    means = np.nanmean(data.X, axis=0, dtype=float)
    return data._replace(X=np.where(missing, means, data.X))
