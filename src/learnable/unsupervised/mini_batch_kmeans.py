"""k-means from mini-batches."""

import warnings
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from learnable.base import Fitting
from learnable.base.fit_context import fit_context
from learnable.certificates.core.certify import certificate_of
from learnable.rows import Rows, as_rows
from learnable.seeds import generator_from
from learnable.solvers.unsupervised import mini_batch
from learnable.solvers.unsupervised.assignment import distances, nearest
from learnable.trace import Status, budget, told
from learnable.unsupervised.centre_clustering import CentreClustering
from learnable.unsupervised.kmeans import (
    is_single,
    kept_centres,
    prepared,
    refuse_too_many,
    row_weights,
    starting_centres,
    warn_of_fewer,
    warn_of_no_effect,
)
from learnable.unsupervised.reading import read_table


class MiniBatchKMeans(CentreClustering):
    """k-means by small random batches: every batch moves each centre to the mean of all points it was ever given.

    Drop-in for `sklearn.cluster.MiniBatchKMeans`. It reads a fraction of the rows and ends near a fixed point of
    `KMeans`, not at one: the certificate says how near. Syllabus: U3.

    Parameters
    ----------
    n_clusters : int, default=8
    init : {"k-means++", "random"}, callable or array (K, p), default="k-means++"
    max_iter : int, default=100
        Passes over as many rows as X has, at most.
    batch_size : int, default=1024
    verbose : int, default=0
        Whether a line is printed for each batch.
    compute_labels : kept for compatibility; labels are always computed.
    random_state : int, RandomState or None, default=None
    tol : float, default=0.0
        The fit ends once the averaged move of the centres, Σ_k ‖c_k − before‖², is at most tol · (mean variance of the
        columns); 0 turns this rule off.
    max_no_improvement : int or None, default=10
        Batches without a better average of J before the fit ends; None turns this rule off.
    init_size : int or None, default=None
        Rows that the start is drawn from; None stands for 3 · batch_size.
    n_init : "auto" or int, default="auto"
        Starts tried on those rows. "auto" is 3 for random starts and callables, else 1.
    reassignment_ratio : float, default=0.01
        A centre with less than this share of the largest centre's weight starts again at a random point.

    Attributes
    ----------
    cluster_centers_ : array (K, p), in single precision where X is; all sums are made in double
    labels_ : array (n,)
    inertia_ : float, J of all rows
    n_iter_ : int, passes over as many rows as X has
    n_steps_ : int, batches
    counts_ : array (K,), weight that each centre has seen
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        U3 : every label is that of a nearest centre; J; how much one Lloyd step would lower it; the spectral bound.
        `certify` does the fit again; after `partial_fit` it proves centres that have come to rest only.

    References
    ----------
    Sculley (2010).

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.unsupervised import MiniBatchKMeans
    >>> X = np.array([[0.0], [1.0], [10.0], [11.0]] * 50)
    >>> MiniBatchKMeans(2, random_state=0).fit(X).certificate_.holds
    True
    """

    _many_starts = 3
    _redone = True

    counts_: np.ndarray
    n_steps_: int

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "init": [StrOptions({"k-means++", "random"}), callable, "array-like"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "verbose": ["verbose"],
        "compute_labels": ["boolean"],
        "random_state": ["random_state"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_no_improvement": [Interval(Integral, 0, None, closed="left"), None],
        "init_size": [Interval(Integral, 1, None, closed="left"), None],
        "n_init": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "reassignment_ratio": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self, n_clusters=8, *, init="k-means++", max_iter=100, batch_size=1024, verbose=0, compute_labels=True,
        random_state=None, tol=0.0, max_no_improvement=10, init_size=None, n_init="auto", reassignment_ratio=0.01,
    ):  # fmt: skip
        self.n_clusters = n_clusters
        self.init = init
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.verbose = verbose
        self.compute_labels = compute_labels
        self.random_state = random_state
        self.tol = tol
        self.max_no_improvement = max_no_improvement
        self.init_size = init_size
        self.n_init = n_init
        self.reassignment_ratio = reassignment_ratio

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Find the centres from batches of the rows.

        Parameters
        ----------
        X : array or sparse matrix (n, p).
        y : ignored
        sample_weight : array (n,), default=None
        """
        self._learn(X, y, sample_weight=sample_weight)
        self.__dict__.pop("_in_parts", None)
        if len(self.labels_) <= self.batch_size:  # of more rows, a batch may hold none of a cluster
            warn_of_fewer(self)
        return self

    def _pose(self, X, y=None, sample_weight=None) -> Fitting:
        warn_of_no_effect(self)
        data = read_table(self, X, sample_weight, sparse_too=True)
        if isinstance(data.X, Rows):
            raise TypeError("MiniBatchKMeans needs all rows in memory; KMeans reads rows in blocks")
        rows = data.rows
        refuse_too_many(self, rows.n_rows)
        worked, shift, variance = prepared(data)
        generator = generator_from(self.random_state, "MiniBatchKMeans")
        if self.init_size is not None and self.init_size < self.n_clusters:
            warnings.warn(
                f"MiniBatchKMeans: init_size={self.init_size} should be larger than n_clusters={self.n_clusters}; "
                f"{3 * self.n_clusters} is taken, or all rows",
                RuntimeWarning, stacklevel=5,
            )  # fmt: skip
        some = min(rows.n_rows, max(self.init_size or 3 * self.batch_size, 3 * self.n_clusters))
        sample = np.sort(generator.choice(rows.n_rows, some, replace=False))
        weight = row_weights(rows, data.sample_weight)[sample]
        if not weight.any():
            sample, weight = np.arange(rows.n_rows), row_weights(rows, data.sample_weight)
        few = worked[sample]
        cost = partial(_cost, few, weight)
        start = min(starting_centres(self, as_rows(data.X[sample]), few, weight, shift), key=cost)
        run = mini_batch.iterates(
            worked, data.sample_weight, start, self.batch_size, self.reassignment_ratio, generator
        )  # fmt: skip
        n_steps = max(1, self.max_iter * rows.n_rows // min(self.batch_size, rows.n_rows))

        def rest(state: mini_batch.MiniBatchState) -> str:
            """Why the fit ends here; empty while it goes on."""
            if self.max_no_improvement is not None and state.waited >= max(self.max_no_improvement, 1):
                return "lack of improvement in inertia"
            return "small centers change" if self.tol > 0.0 and state.shift <= self.tol * variance else ""

        def stop(step: int, state: mini_batch.MiniBatchState) -> Status | None:
            return Status.STOPPED if rest(state) else budget(n_steps)(step, state)

        def line(number: int, state: mini_batch.MiniBatchState) -> str:
            words = f"Minibatch step {number + 1}/{n_steps}: mean batch inertia {state.objective}"
            return f"{words}\nConverged ({why}) at step {number + 1}/{n_steps}" if (why := rest(state)) else words

        made = 0

        def counted():
            nonlocal made
            for state in told(run, line, "Initialization complete") if self.verbose else run:
                made += 1
                yield state

        def attributes(state: mini_batch.MiniBatchState) -> dict[str, Any]:
            kept = kept_centres(state.centres, shift, is_single(data.X))
            centres = state.centres
            if is_single(data.X):
                centres = kept.astype(float) if shift is None else kept - shift
            squares = rows.concatenate(partial(distances, centres=centres, origin=shift))
            return {
                "cluster_centers_": kept,
                "labels_": rows.concatenate(partial(nearest, centres=centres, origin=shift)),
                "inertia_": float(squares.sum() if data.sample_weight is None else data.sample_weight @ squares),
                "n_steps_": made,
                "n_iter_": max(1, -(-made * min(self.batch_size, rows.n_rows) // rows.n_rows)),
                "counts_": state.counts.copy(),
            }

        return Fitting(counted(), stop, attributes, data, Status.STOPPED, max_steps=n_steps, advice="")

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y=None, sample_weight=None):
        """Move the centres by one batch; the first call draws them from it.

        The certificate is that of the last batch's rows.

        Parameters
        ----------
        X : array or sparse matrix (m, p). y : ignored. sample_weight : array (m,), default=None
        """
        first = not hasattr(self, "cluster_centers_")
        data = read_table(self, X, sample_weight, sparse_too=True, reset=first)
        weight = row_weights(data.rows, data.sample_weight)
        if first:
            refuse_too_many(self, data.rows.n_rows)
            centres = next(iter(starting_centres(self, data.rows, data.X, weight, None)))
            counts, n_steps = np.zeros(self.n_clusters), 0
        else:
            centres, counts, n_steps = np.asarray(self.cluster_centers_, dtype=float), self.counts_, self.n_steps_
        centres, counts, _ = mini_batch.updated(data.X, data.sample_weight, centres, counts)
        single = is_single(data.X) if first else is_single(self.cluster_centers_)
        self.cluster_centers_, self.counts_, self.n_steps_ = kept_centres(centres, None, single), counts, n_steps + 1
        self.labels_ = self.predict(data.X)
        self.inertia_ = -self.score(data.X, sample_weight=data.sample_weight)
        self.n_iter_, self.status_, self._in_parts = self.n_steps_, Status.STOPPED, True
        self.certificate_ = certificate_of(self, *data)
        return self


def _cost(X: Any, weight: np.ndarray, centres: np.ndarray) -> float:
    return float(weight @ as_rows(X).concatenate(partial(distances, centres=centres, origin=None)))
