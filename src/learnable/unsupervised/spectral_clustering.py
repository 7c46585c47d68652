"""Spectral clustering."""

from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import ClusterMixin
from sklearn.utils._param_validation import Interval, StrOptions

from learnable.base import Data, Fitting, Learner, Threads
from learnable.base.fit_context import fit_context
from learnable.problems.unsupervised.numbering import by_first_row
from learnable.problems.unsupervised.similarities import KERNELS, kernel_matrix
from learnable.rows import as_rows
from learnable.seeds import generator_from
from learnable.solvers.core.restarts import best_of, verdict
from learnable.solvers.unsupervised import discretisation, kmeans_start, laplacian_spectrum, whole_steps
from learnable.trace import Status, StopRule, budget, first_of, reached, say, to_the_end
from learnable.unsupervised.kmeans import told_steps
from learnable.unsupervised.reading import read_table
from learnable.unsupervised.similarity_graph import nearest_given, neighbours


class Spectrum(NamedTuple):
    """A graph, its smallest eigenvalues and the embedded nodes."""

    W: Any
    eigenvalues: np.ndarray
    embedding: np.ndarray


class SpectralClustering(ClusterMixin, Learner):
    """Spectral clustering: clusters of rows of the eigenvectors of the smallest eigenvalues of a graph Laplacian.

    Drop-in for `sklearn.cluster.SpectralClustering`. The sum of the K smallest eigenvalues is a lower bound on the
    normalised cut (ratio cut for the plain Laplacian) of every clustering into K parts. Syllabus: U6, U8, U9.

    Parameters
    ----------
    n_clusters : int, default=8
    eigen_solver, eigen_tol, n_jobs : kept for compatibility; the solver is chosen by the size of the graph.
    n_components : int or None, default=None
        Eigenvectors used; None stands for n_clusters.
    random_state : int, RandomState or None, default=None
    n_init : int, default=10
        Starts of k-means.
    gamma : float, default=1.0
    affinity : {"rbf", "nearest_neighbors", "precomputed", "precomputed_nearest_neighbors"}, kernel name or callable
        How the graph is made; default "rbf".
    n_neighbors : int, default=10
    assign_labels : {"kmeans", "discretize", "cluster_qr"}, default="kmeans"
        "kmeans" of the embedded rows; "discretize": the rotation of the eigenvectors nearest to indicators of clusters,
        with the labels that are best for it; "cluster_qr": a rotation by rows that a pivoted QR finds far from each
        other. The last two make a cluster a column: n_components must be n_clusters.
    verbose : bool, default=False
        Whether lines say which labels are sought, and how k-means goes.
    degree, coef0, kernel_params : of the kernel.
    laplacian : {"normalised", "plain"}, default="normalised"

    Attributes
    ----------
    affinity_matrix_ : array or sparse matrix (n, n)
    labels_ : array (n,), clusters in the order of their first rows
    eigenvalues_ : array, the n_components + 1 smallest
    eigengap_ : float, between the last eigenvalue used and the next
    embedding_ : array (n, n_components), the rows that k-means saw
    rotation_ : array (K, K), the columns of the embedding turned so that each belongs to a cluster; not of k-means
    pivots_ : array (K,), the rows that the pivoted QR chose, in turn; of "cluster_qr" only
    n_iter_ : int, steps of k-means, or of the rotation
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        U6 : symmetric similarities ≥ 0, those of the rows. U8 : eigen-equations; labels at a fixed point of k-means, or
        labels and rotation each the best for the other, or the steps of the pivoted QR; in `certify`, those of the
        same fit done again.
        U9 : the cut beside its relaxation bound, conductance, eigengap.

    References
    ----------
    von Luxburg (2007); Yu and Shi (2003); Damle, Minden and Ying (2019).

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.unsupervised import SpectralClustering
    >>> X = np.array([[0.0], [0.5], [1.0], [5.0], [5.5], [6.0]])
    >>> model = SpectralClustering(2, random_state=0).fit(X)
    >>> len(set(model.labels_[:3])), len(set(model.labels_[3:])), model.certificate_.holds
    (1, 1, True)
    """

    _redone = True
    _threads = Threads.IN_BLAS
    _remedy = "the graph may be disconnected or its eigenvalues too close; change gamma or n_neighbors"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "eigen_solver": [StrOptions({"arpack", "lobpcg", "amg"}), None],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "gamma": [Interval(Real, 0, None, closed="left")],
        "affinity": [
            StrOptions({*KERNELS, "nearest_neighbors", "precomputed", "precomputed_nearest_neighbors"}), callable,
        ],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "eigen_tol": [Interval(Real, 0.0, None, closed="left"), StrOptions({"auto"})],
        "assign_labels": [StrOptions({"kmeans", "discretize", "cluster_qr"})],
        "degree": [Interval(Real, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "kernel_params": [dict, None],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
        "laplacian": [StrOptions({"normalised", "plain"})],
    }  # fmt: skip

    def __init__(
        self, n_clusters=8, *, eigen_solver=None, n_components=None, random_state=None, n_init=10, gamma=1.0,
        affinity="rbf", n_neighbors=10, eigen_tol="auto", assign_labels="kmeans", degree=3, coef0=1,
        kernel_params=None, n_jobs=None, verbose=False, laplacian="normalised",
    ):  # fmt: skip
        self.n_clusters = n_clusters
        self.eigen_solver = eigen_solver
        self.n_components = n_components
        self.random_state = random_state
        self.n_init = n_init
        self.gamma = gamma
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.eigen_tol = eigen_tol
        self.assign_labels = assign_labels
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.laplacian = laplacian

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Cluster the rows.

        Parameters
        ----------
        X : array (n, p), or the graph (n, n), dense or sparse, for a precomputed affinity.
        y : ignored
        """
        return self._learn(X, y)

    def _pose(self, X, y=None) -> Fitting:
        precomputed = isinstance(self.affinity, str) and self.affinity.startswith("precomputed")
        data = read_table(self, X, at_least=2, sparse_too=True)
        table = data.X if precomputed or not sparse.issparse(data.X) else data.X.toarray()
        if hasattr(table, "blocks"):
            raise TypeError("SpectralClustering needs all rows in memory: a graph joins every row with every other")
        n = table.shape[0]
        if n < self.n_clusters:
            raise ValueError(f"SpectralClustering: n_samples={n} should be >= n_clusters={self.n_clusters}; lower it")
        W = self._graph(table)
        generator = generator_from(self.random_state, "SpectralClustering")
        count = min(self.n_components or self.n_clusters, n)
        normalised = self.laplacian == "normalised"
        values, vectors = laplacian_spectrum.smallest(W, count + 1, normalised, generator)
        embedded = laplacian_spectrum.embedding(W, vectors[:, :count], normalised)
        states, stop, steps = self._labelling(embedded, generator)
        return Fitting(
            states,
            stop,
            partial(_attributes, Spectrum(W, values, embedded)),
            Data(data.X, None, None),
            Status.STATIONARY,
            max_steps=steps,
        )

    def _labelling(self, embedded: np.ndarray, generator: np.random.Generator) -> tuple[Any, StopRule, int]:
        """(states whose last one has the labels, when to stop, how many there are at most)."""
        if self.verbose:
            say(f"Computing label assignment using {self.assign_labels}")
        if self.assign_labels == "kmeans":
            return self._by_kmeans(embedded, generator)
        if embedded.shape[1] != self.n_clusters:
            raise ValueError(
                f"SpectralClustering(assign_labels={self.assign_labels!r}, n_clusters={self.n_clusters}, "
                f"n_components={self.n_components}): it makes a cluster of each component; leave n_components None"
            )
        if self.assign_labels == "cluster_qr":
            return discretisation.by_pivots(embedded), to_the_end, 1
        stop = first_of(reached("moved", 0, Status.STATIONARY), budget(1000))
        return discretisation.iterates(embedded, generator), stop, 1000

    def _by_kmeans(self, embedded: np.ndarray, generator: np.random.Generator) -> tuple[Any, StopRule, int]:
        centred = np.ascontiguousarray(embedded - embedded.mean(axis=0))
        even = np.ones(len(embedded))

        def run(restart: int, draw: np.random.Generator):
            start = kmeans_start.plus_plus(as_rows(centred), even, self.n_clusters, None, draw)
            states = whole_steps.or_shortened(centred, None, start, restart)
            return told_steps(states, 0.0) if self.verbose else states

        runs = (run(restart, draw) for restart, draw in enumerate(generator.spawn(self.n_init)))
        states = best_of(runs, lambda: first_of(reached("shift", 0.0, Status.STATIONARY), budget(1000)))
        return states, verdict, 1000 * self.n_init + 1

    def _graph(self, X: Any) -> Any:
        """The similarities, exactly symmetric."""
        if self.affinity == "precomputed":
            if X.shape[0] != X.shape[1]:
                raise ValueError(f"SpectralClustering(affinity='precomputed'): X must be square, but is {X.shape}")
            W = X.astype(float)
            values = W.data if sparse.issparse(W) else W
            if (least := float(np.min(values, initial=0.0))) < 0.0:
                raise ValueError(
                    f"SpectralClustering(affinity='precomputed'): similarities must be >= 0, the least is {least:.3g}; "
                    "make some of distances by exp(-distance)"
                )
            if (skew := abs(W - W.T).max()) > 1e-10 * max(float(np.max(values, initial=0.0)), np.finfo(float).tiny):
                raise ValueError(
                    "SpectralClustering(affinity='precomputed'): similarities must be symmetric, but differ from their "
                    f"transpose by {skew:.3g}; give (X + X.T) / 2"
                )
            return W
        if self.affinity == "nearest_neighbors":
            C = neighbours(X, min(self.n_neighbors, len(X)))
            return (0.5 * (C + C.T)).tocsr()
        if self.affinity == "precomputed_nearest_neighbors":
            C = nearest_given(X, self.n_neighbors)
            return (0.5 * (C + C.T)).tocsr()
        parameters = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0} | (self.kernel_params or {})
        if callable(self.affinity):
            parameters = self.kernel_params or {}
        rows = X if callable(self.affinity) else np.asarray(X, dtype=float)
        W = kernel_matrix(rows, rows, self.affinity, **parameters)
        W = 0.5 * (W + W.T)
        if W.min() < 0.0:
            raise ValueError(
                f"SpectralClustering(affinity={self.affinity!r}): {W.min():.3g} is a negative similarity; a cut needs "
                "weights >= 0"
            )
        return W

    def fit_predict(self, X, y=None) -> np.ndarray:
        """Fit, and the cluster of each row."""
        return self.fit(X).labels_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.affinity in ("precomputed", "precomputed_nearest_neighbors")
        return tags


def _attributes(spectrum: Spectrum, state: Any) -> dict[str, Any]:
    count = spectrum.embedding.shape[1]
    values = spectrum.eigenvalues
    rotated = {}
    if isinstance(state, discretisation.RotationState):
        rotated = {"rotation_": state.rotation} | ({} if state.pivots is None else {"pivots_": state.pivots})
    return {
        "affinity_matrix_": spectrum.W,
        "labels_": by_first_row(state.labels).astype(np.int32),
        "embedding_": spectrum.embedding,
        "eigenvalues_": values,
        "eigengap_": float(values[count] - values[count - 1]) if len(values) > count else 0.0,
        "n_iter_": len(state.history),
    } | rotated
