"""k-means."""

import warnings
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

from learnable._jit.core.column_squares import sums_about, write_about
from learnable._jit.core.vectors import read_only
from learnable.base import Data, Fitting
from learnable.base.fit_context import fit_context
from learnable.config import get_config
from learnable.device import DeviceRows, place_for
from learnable.rows import Block, Rows, as_rows, column_sums, is_streamed, squares_about
from learnable.rows.arrays import ArrayRows
from learnable.seeds import generator_from
from learnable.solvers.core.restarts import best_of, verdict
from learnable.solvers.unsupervised import kmeans_start, lloyd, whole_steps
from learnable.solvers.unsupervised.assignment import distances, nearest_and_distances, weights_of
from learnable.trace import Status, budget, first_of, reached, told
from learnable.unsupervised.centre_clustering import CentreClustering
from learnable.unsupervised.reading import ordinary, read_table, refuse_unusual

# Rows whose mean is near enough to that of all of them to be taken as the origin.
NEAR_MEAN = 1024


class KMeans(CentreClustering):
    """k-means: min over K centres of J = Σ wᵢ min_k ‖xᵢ − c_k‖², by Lloyd's steps from several starts.

    Drop-in for `sklearn.cluster.KMeans`. A step assigns every row to its nearest centre (the first of several as
    near) and moves every centre to the mean of its rows; J never rises. A cluster that loses all its rows takes the
    row that is farthest from its centre. The answer is a fixed point, not the best clustering: the certificate bounds
    how far from it J can be. Syllabus: U3, U4.

    Parameters
    ----------
    n_clusters : int, default=8
    init : {"k-means++", "random"}, callable or array (K, p), default="k-means++"
        A callable gets (X, n_clusters, random_state).
    n_init : "auto" or int, default="auto"
        Starts, of which the one with the least J is kept. "auto" is 10 for random starts and callables, else 1.
    max_iter : int, default=300
        Moves of the centres of one start at most.
    tol : float, default=1e-4
        A start ends once Σ_k ‖c_k − before‖² ≤ tol · (mean variance of the columns). 0: once no label changes.
    verbose : int, default=0
        Whether a line is printed for each step.
    copy_x : kept for compatibility; X is never modified.
    random_state : int, RandomState or None, default=None
    algorithm : {"lloyd", "elkan", "full"}, default="lloyd"
        "lloyd" and "elkan" leave out comparisons that the triangle inequality decides, for arrays in memory; "full"
        makes them all. The steps are the same.

    Attributes
    ----------
    cluster_centers_ : array (K, p), in single precision where X is; all sums are made in double
    labels_ : array (n,), the nearest centre of each row
    inertia_ : float, J
    n_iter_ : int, steps of the start that was kept
    history_ : array, J at each of its steps, and after the last move where `max_iter` ended it
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        U3 : every label is that of a nearest centre; J; every centre is the mean of its rows, up to the tolerance;
        J never rose; the spectral lower bound on every clustering, and the gap to it (of large tables with more
        columns than clusters in `certify` only). `certify` adds, for up to 150 rows, a semidefinite bound that often
        proves that no clustering is better.

    References
    ----------
    Lloyd (1982); Arthur and Vassilvitskii (2007); Hamerly (2010); Peng and Wei (2007).

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.unsupervised import KMeans
    >>> X = np.array([[0.0], [1.0], [10.0], [11.0], [12.0]])
    >>> model = KMeans(2, random_state=0).fit(X)
    >>> sorted(model.cluster_centers_.ravel().tolist()), model.inertia_
    ([0.5, 11.0], 2.5)
    >>> model.certificate_.holds
    True
    """

    _redone = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "init": [StrOptions({"k-means++", "random"}), callable, "array-like"],
        "n_init": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
        "copy_x": ["boolean"],
        "algorithm": [StrOptions({"lloyd", "elkan", "full"})],
    }

    def __init__(
        self, n_clusters=8, *, init="k-means++", n_init="auto", max_iter=300, tol=1e-4, verbose=0, random_state=None,
        copy_x=True, algorithm="lloyd",
    ):  # fmt: skip
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.copy_x = copy_x
        self.algorithm = algorithm

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Find the centres.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks.
        y : ignored
        sample_weight : array (n,), default=None
        """
        self._learn(X, y, sample_weight=sample_weight)
        warn_of_fewer(self)
        return self

    def _pose(self, X, y=None, sample_weight=None) -> Fitting:
        warn_of_no_effect(self)
        data = read_table(self, X, sample_weight, sparse_too=True, unseen=True)
        rows = data.rows
        refuse_too_many(self, rows.n_rows)
        weight = row_weights(rows, data.sample_weight) if isinstance(rows, ArrayRows) else None
        worked, shift, variance = ready = prepared(data)
        in_memory = isinstance(worked, np.ndarray)
        if in_memory and not ordinary(np.asarray(shift), worked.size * variance, rows.n_rows):
            refuse_unusual(self, X, data.X)
        starts = starting_centres(self, rows, worked, weight, shift)
        read, left = ready.rows(data.sample_weight)
        on_device = rows_on_device(worked, data.sample_weight, self.n_clusters) if in_memory else None

        def run(restart: int, start: np.ndarray):
            if in_memory and self.algorithm != "full" and on_device is None:
                return whole_steps.or_shortened(worked, data.sample_weight, start, restart)
            device = get_config()["device"] if is_streamed(worked) else "cpu"
            return lloyd.iterates(read, start, left, restart, None, on_device, device)

        if self.verbose:
            runs = (told_steps(run(restart, start), self.tol * variance) for restart, start in enumerate(starts))
        else:
            runs = (run(restart, start) for restart, start in enumerate(starts))

        def stop():
            return first_of(reached("shift", self.tol * variance, Status.STATIONARY), budget(self.max_iter + 1))

        return Fitting(
            best_of(runs, stop),
            verdict,
            partial(centre_attributes, read, left, shift, self.max_iter, is_single(data.X)),
            data,
            max_steps=self._n_starts() * (self.max_iter + 1) + 1,
            ended=Status.STATIONARY,
        )

    def _n_starts(self) -> int:
        return number_of_starts(self.init, self.n_init)


def told_steps(states: Any, tolerance: float) -> Any:
    """The steps of a start, each with scikit-learn's line about it."""

    def line(number: int, state: lloyd.KMeansState) -> str:
        words = f"Iteration {number}, inertia {state.objective}."
        if state.shift > tolerance:
            return words
        strict = state.moved == 0 or state.shift == 0.0
        how = "strict convergence" if strict else f"center shift {state.shift} within tolerance {tolerance}"
        return f"{words}\nConverged at iteration {number}: {how}."

    return told(states, line, "Initialization complete")


def warn_of_fewer(model: Any) -> None:
    """A warning where fewer clusters have rows than were asked for."""
    found = np.count_nonzero(np.bincount(model.labels_))
    if found < model.n_clusters:
        warnings.warn(
            f"{type(model).__name__}: Number of distinct clusters ({found}) found smaller than n_clusters "
            f"({model.n_clusters}). Possibly due to duplicate points in X. Ask for fewer clusters",
            ConvergenceWarning,
            stacklevel=3,
        )


def rows_on_device(
    X: np.ndarray, weight: np.ndarray | None, n_clusters: int, origin: np.ndarray | None = None
) -> DeviceRows | None:
    """The rows about `origin`, held where the setting `device` says; None for here.

    A GPU compares all of them with all centres sooner than it can skip.
    """
    place = place_for(get_config()["device"], 2.0 * X.size * n_clusters, X.nbytes)
    if not place.is_device:
        return None
    return DeviceRows(X if origin is None else X - origin, place, weight=weight)


def number_of_starts(init: Any, n_init: Any, many: int = 10) -> int:
    """How many starts `n_init` asks for; from given centres one is as good as many."""
    if not isinstance(init, str) and not callable(init):
        return 1
    return n_init if n_init != "auto" else (1 if isinstance(init, str) and init == "k-means++" else many)


def warn_of_no_effect(model: Any) -> None:
    """A warning where parameters ask for starts or an algorithm that the others leave no room for."""
    name = type(model).__name__
    if not isinstance(model.init, str) and not callable(model.init) and model.n_init not in ("auto", 1):
        warnings.warn(
            f"{name}: Explicit initial center position passed: performing only one init instead of "
            f"n_init={model.n_init}; set n_init=1",
            RuntimeWarning, stacklevel=6,
        )  # fmt: skip
    if getattr(model, "algorithm", "lloyd") == "elkan" and model.n_clusters == 1:
        warnings.warn(
            f"{name}: algorithm='elkan' doesn't make sense for a single cluster, which needs no comparisons; set "
            "algorithm='lloyd'",
            RuntimeWarning, stacklevel=6,
        )  # fmt: skip


def refuse_too_many(model: Any, n: int) -> None:
    """ValueError where there are fewer rows than clusters."""
    if n < model.n_clusters:
        name, K = type(model).__name__, model.n_clusters
        raise ValueError(f"{name}: n_samples={n} should be >= n_clusters={K}; ask for at most {n} clusters")


def row_weights(rows: Rows, sample_weight: np.ndarray | None) -> np.ndarray:
    """One weight a row, ones where there are none."""
    if sample_weight is not None:
        return sample_weight
    return np.ones(rows.n_rows) if isinstance(rows, ArrayRows) else rows.concatenate(weights_of)


def column_means(rows: Rows) -> np.ndarray:
    """The mean of each column, weights not counted."""
    return rows.reduce(_column_sums) / rows.n_rows


def _is_sparse(block: Block) -> bool:
    return sparse.issparse(block.X)


def _length(block: Block) -> int:
    return block.stop - block.start


def _column_sums(block: Block) -> np.ndarray:
    return column_sums(block.X)


def _squares_about(block: Block, mean: np.ndarray) -> np.ndarray:
    return squares_about(block.X, mean)


class Prepared(NamedTuple):
    """The table that the steps work on.

    table : an array in double precision about `origin`, a copy unless that is zero; sparse rows in double precision;
        what was given, for blocks.
    origin : what has been subtracted from an array, and is to be from blocks whenever they are read; None for sparse.
    variance : mean of the columns' variances, weights not counted, as scikit-learn's tolerance wants it.
    """

    table: Any
    origin: np.ndarray | None
    variance: float

    def rows(self, weight: np.ndarray | None) -> tuple[Rows, np.ndarray | None]:
        """(the rows to be read, what is still to be subtracted from them)."""
        return as_rows(self.table, None, weight), None if isinstance(self.table, np.ndarray) else self.origin


def prepared(data: Data) -> Prepared:
    """An array far from zero is copied once, about a point near its mean; blocks are shifted whenever they are read."""
    rows = data.rows
    if sparse.issparse(data.X) or (is_streamed(data.X) and rows.of_first(_is_sparse)):
        mean = column_means(rows)
        variance = float(rows.reduce(partial(_squares_about, mean=mean)).mean()) / rows.n_rows
        return Prepared(data.X.astype(float, copy=False) if sparse.issparse(data.X) else data.X, None, variance)
    if is_streamed(data.X):
        near = rows.of_first(_column_sums) / rows.of_first(_length)
        sums, squares = rows.coarser(16).reduce(partial(_about, origin=near, out=None))
        variance = float(np.mean(squares - sums**2 / rows.n_rows)) / rows.n_rows
        return Prepared(data.X, near + sums / rows.n_rows, variance)
    with np.errstate(over="ignore", invalid="ignore"):  # of entries that are refused afterwards
        some = data.X[:: max(1, rows.n_rows // NEAR_MEAN)].astype(float)
        origin = some.sum(axis=0) / len(some)
        # Farther from zero than the rows spread: ‖x̄‖² is more than half of their mean square.
        far = data.X.dtype != float or 2.0 * len(some) * (origin @ origin) > np.vdot(some, some)
        table = np.empty(data.X.shape) if far else data.X
        sums, squares = rows.coarser(16).reduce(partial(_about, origin=origin, out=table if far else None))
        variance = float(np.mean(squares - sums**2 / rows.n_rows)) / rows.n_rows
    return Prepared(table, origin if far else np.zeros_like(origin), variance)


def _about(block: Block, origin: np.ndarray, out: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Sums and squares of the columns less `origin`; the differences are written to `out`, if there is one."""
    sums, squares = np.zeros(len(origin)), np.zeros(len(origin))
    if out is None:
        sums_about(read_only(np.ascontiguousarray(block.X, dtype=float)), origin, sums, squares)
    else:
        write_about(read_only(block.X), origin, out[block.start : block.stop], sums, squares)
    return sums, squares


def starting_centres(model: Any, rows: Rows, worked: Any, weight: np.ndarray | None, origin: np.ndarray | None):
    """The centres of each start, about `origin`; rows are drawn with their weights."""
    K, name = model.n_clusters, type(model).__name__
    if not isinstance(model.init, str) and not callable(model.init):
        yield _given_centres(model.init, K, rows.n_columns, name, origin)
        return
    n_starts = number_of_starts(model.init, model.n_init, getattr(model, "_many_starts", 10))
    for each in generator_from(model.random_state, name).spawn(n_starts):
        if isinstance(model.init, str):
            draw = kmeans_start.plus_plus if model.init == "k-means++" else kmeans_start.random_rows
            whole = as_rows(worked) if isinstance(worked, np.ndarray) else rows
            yield draw(whole, weight, K, None if isinstance(worked, np.ndarray) else origin, each)
        else:
            table = worked if sparse.issparse(worked) else rows.concatenate(lambda block: block.X)
            given = model.init(table, K, random_state=np.random.RandomState(each.integers(2**31)))
            yield _given_centres(given, K, rows.n_columns, name, origin)


def _given_centres(given: Any, K: int, p: int, name: str, origin: np.ndarray | None) -> np.ndarray:
    centres = np.array(given, dtype=float)
    if centres.ndim != 2 or len(centres) != K:
        raise ValueError(
            f"The shape of the initial centers {centres.shape} does not match the number of clusters {K}; {name} needs "
            f"one of shape {(K, p)}"
        )
    if centres.shape[1] != p:
        raise ValueError(
            f"The shape of the initial centers {centres.shape} does not match the number of features of the data {p}; "
            f"{name} needs one of shape {(K, p)}"
        )
    if not np.all(np.isfinite(centres)):
        raise ValueError(f"{name}: init contains NaN or infinity")
    return centres if origin is None else centres - origin


def is_single(X: Any) -> bool:
    """Whether centres are kept in single precision: those of a table in it."""
    return X.dtype == np.float32


def kept_centres(centres: np.ndarray, shift: np.ndarray | None, single: bool) -> np.ndarray:
    """The centres as they are kept: where the table is, in its precision."""
    there = centres.copy() if shift is None else centres + shift
    return there.astype(np.float32) if single else there


def centre_attributes(
    rows: Rows, origin: np.ndarray | None, shift: np.ndarray | None, max_iter: int, single: bool,
    state: lloyd.KMeansState,
) -> dict[str, Any]:  # fmt: skip
    """What a state leaves on the estimator: the objective from the differences themselves.

    `origin` is still to be subtracted from the rows, `shift` to be added to the centres. Rounded to single precision,
    centres are those of labels and objective too.
    """
    labels, centres, kept = state.labels, state.centres, kept_centres(state.centres, shift, single)
    if single:
        centres = kept.astype(float) if shift is None else kept - shift
    if labels is None or single:
        parts, total = rows.reduce(partial(labels_and_inertia, centres=centres, origin=origin), _both)
        labels = np.concatenate(parts)
    else:
        of_block = partial(inertia, centres=state.centres, origin=origin, labels=labels)
        total = rows.coarser(16).reduce(of_block)
    return {
        "cluster_centers_": kept,
        "labels_": np.array(labels, dtype=np.int32),
        "inertia_": float(total),
        "n_iter_": min(len(state.history), max_iter),
        "history_": state.history.copy(),
    }


def labels_and_inertia(block: Block, centres: np.ndarray, origin: np.ndarray | None) -> tuple[list[np.ndarray], float]:
    """The label of each row, of a type that travels lightly, and Σ w ‖x − c‖²."""
    label, squares = nearest_and_distances(block, centres, origin)
    return [label.astype(np.min_scalar_type(len(centres)))], _weighted(block, squares)


def _both(one: tuple[list, float], two: tuple[list, float]) -> tuple[list, float]:
    return one[0] + two[0], one[1] + two[1]


def inertia(block: Block, centres: np.ndarray, origin: np.ndarray | None, labels: np.ndarray) -> float:
    squares = distances(block, centres, origin, labels[block.start : block.stop])
    return _weighted(block, squares)


def _weighted(block: Block, squares: np.ndarray) -> float:
    return float(squares.sum() if block.weight is None else np.asarray(block.weight, dtype=float) @ squares)
