"""Agglomerative clustering."""

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import ClusterMixin
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from learnable.base import Data, Fitting, Learner
from learnable.base.fit_context import fit_context
from learnable.problems.unsupervised.similarities import squared_distances
from learnable.rows.memory import check_square_fits
from learnable.solvers.unsupervised import agglomeration, linked_agglomeration
from learnable.trace import Status, to_the_end
from learnable.unsupervised.connectivity import METRICS, completed, edge_lengths, read_graph
from learnable.unsupervised.reading import read_table


class AgglomerativeClustering(ClusterMixin, Learner):
    """Agglomerative clustering: the two nearest clusters become one, until as many are left as wanted.

    Drop-in for `sklearn.cluster.AgglomerativeClustering`. Chains of nearest neighbours find all merges in O(n²); along
    a graph (`connectivity`), a heap of its edges finds them. Syllabus: U1.

    Parameters
    ----------
    n_clusters : int or None, default=2
        None where `distance_threshold` decides.
    metric : {"euclidean", "l2", "manhattan", "l1", "cityblock", "cosine", "precomputed"}, default="euclidean"
        Ward needs "euclidean".
    memory : kept for compatibility.
    connectivity : array or sparse matrix (n, n), callable of X that gives one, or None, default=None
        Only clusters that an edge links are joined: an entry that is not 0, in either direction. A graph that falls
        apart is completed, with a warning, by the edges between the nearest rows of any two of its components.
    compute_full_tree : "auto" or bool, default="auto"
        Along a graph, whether merges go on below n_clusters clusters; "auto" where n_clusters < max(100, n / 50).
        Otherwise, and with single linkage, the tree is always whole.
    linkage : {"ward", "complete", "average", "single"}, default="ward"
        Distance of two clusters: the root of twice the rise of Σ ‖x − x̄‖² that joining them brings; the largest, mean
        or smallest distance of their points. Along a graph, the largest or smallest length of the edges between them;
        the mean is then that of the two parts of the cluster joined last, by their sizes, or of the one that is linked.
    distance_threshold : float or None, default=None
        Clusters at this distance or farther apart are not joined.
    compute_distances : bool, default=False
        Along a graph, whether `distances_` are kept where no threshold needs them; otherwise they always are.

    Attributes
    ----------
    labels_ : array (n,). n_clusters_, n_leaves_, n_connected_components_ : int
    children_ : array (n − 1, 2), the clusters joined; n + i is the cluster that merge i made
    distances_ : array (n − 1,), the heights of the merges. Along a graph Ward's need not rise
    connectivity_ : sparse array (n, n), with `connectivity` only: the edges used
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        U1 : every height from the definition of the linkage; rising heights; the labels are the cut of the tree; the
        edges used are those given and the shortest between components. `certify` adds, for up to 2,000 rows, that each
        merge joins the two nearest clusters, of those that are linked; of more rows it does the fit again.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.unsupervised import AgglomerativeClustering
    >>> model = AgglomerativeClustering(2, linkage="average").fit(np.array([[0.0], [1.0], [10.0]]))
    >>> model.labels_, model.distances_
    (array([0, 0, 1]), array([1. , 9.5]))
    >>> model.certificate_.holds
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "metric": [StrOptions({*METRICS, "precomputed"})],
        "memory": [str, HasMethods("cache"), None],
        "connectivity": ["array-like", "sparse matrix", callable, None],
        "compute_full_tree": [StrOptions({"auto"}), "boolean"],
        "linkage": [StrOptions(set(agglomeration.LINKAGES))],
        "distance_threshold": [Interval(Real, 0, None, closed="left"), None],
        "compute_distances": ["boolean"],
    }

    def __init__(
        self, n_clusters=2, *, metric="euclidean", memory=None, connectivity=None, compute_full_tree="auto",
        linkage="ward", distance_threshold=None, compute_distances=False,
    ):  # fmt: skip
        self.n_clusters = n_clusters
        self.metric = metric
        self.memory = memory
        self.connectivity = connectivity
        self.compute_full_tree = compute_full_tree
        self.linkage = linkage
        self.distance_threshold = distance_threshold
        self.compute_distances = compute_distances

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Cluster the rows.

        Parameters
        ----------
        X : array (n, p), or distances (n, n) for metric="precomputed", of which those above the diagonal are read.
        y : ignored
        """
        return self._learn(X, y)

    def fit_predict(self, X, y=None) -> np.ndarray:
        """Fit, and the cluster of each row."""
        return self.fit(X).labels_

    def _pose(self, X, y=None) -> Fitting:
        self._refuse_contradictions()
        data = read_table(self, X, at_least=2)
        if hasattr(data.X, "blocks"):
            raise TypeError("AgglomerativeClustering needs all rows in memory: it compares every row with every other")
        n = data.X.shape[0]
        if self.n_clusters is not None and self.n_clusters > n:
            raise ValueError(
                "AgglomerativeClustering: Cannot extract more clusters than samples: "
                f"{self.n_clusters} clusters were given for a tree with {n} leaves; lower n_clusters"
            )
        table = self._measured(np.asarray(data.X, dtype=float))
        if self.connectivity is None:
            check_square_fits(n, "the distances of the rows")
            merges, linked = (
                agglomeration.iterates(self._distances(table), self.linkage),
                {"n_connected_components_": 1},
            )
        else:
            merges, linked = self._along_graph(np.asarray(data.X, dtype=float), table)
        return Fitting(
            merges,
            to_the_end,
            lambda state: self._attributes(n, state) | linked,
            Data(data.X, None, None),
            Status.STATIONARY,
            max_steps=10,
        )

    def _refuse_contradictions(self) -> None:
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise ValueError(
                "AgglomerativeClustering: Exactly one of n_clusters and distance_threshold has to be set, and the "
                "other needs to be None"
            )
        if self.distance_threshold is not None and not self.compute_full_tree:
            raise ValueError("AgglomerativeClustering: compute_full_tree must be True if distance_threshold is set")
        if self.linkage == "ward" and self.metric not in ("euclidean", "l2"):
            raise ValueError(f"AgglomerativeClustering(linkage='ward', metric={self.metric!r}): Ward needs 'euclidean'")

    def _measured(self, X: np.ndarray) -> np.ndarray:
        """The table whose rows are compared: of unit length for cosines, whose distances are ½ ‖u − v‖² then."""
        if self.metric == "precomputed":
            if X.shape[0] != X.shape[1]:
                raise ValueError(
                    "AgglomerativeClustering(metric='precomputed'): Distance matrix should be square, got matrix of "
                    f"shape {X.shape}"
                )
            if not np.allclose(X, X.T):
                raise ValueError("AgglomerativeClustering(metric='precomputed'): X must be symmetric")
            # As scikit-learn's; where the last digits differ, chains of nearest neighbours run in circles.
            above = np.triu(X, k=1)
            return above + above.T
        if self.metric != "cosine":
            return X
        lengths = np.linalg.norm(X, axis=1, keepdims=True)
        if not lengths.all():
            raise ValueError(
                "AgglomerativeClustering(metric='cosine'): Cosine affinity cannot be used when X contains zero "
                f"vectors, as row {int(lengths.argmin())}; drop them"
            )
        return X / lengths

    def _distances(self, X: np.ndarray) -> np.ndarray:
        if self.metric == "precomputed":
            return X
        if self.metric == "cosine":
            return 0.5 * squared_distances(X, X)
        if self.metric in ("euclidean", "l2"):
            squares = squared_distances(X, X)
            return squares if self.linkage == "ward" else np.sqrt(squares)
        return np.array([np.abs(X - row).sum(axis=1) for row in X])

    def _along_graph(self, X: np.ndarray, table: np.ndarray) -> tuple[Any, dict[str, Any]]:
        """The merges along the graph given for X, and what is kept of the graph."""
        n = len(table)
        graph, components = completed(read_graph(self.connectivity, X, n), table, self.metric)
        if components > 1:
            warnings.warn(
                "AgglomerativeClustering: the number of connected components of the connectivity matrix is "
                f"{components} > 1. Completing it to avoid stopping the tree early; link them to choose where",
                UserWarning, stacklevel=6,
            )  # fmt: skip
        edges = sparse.tril(graph, k=-1).tocoo()
        first, second = (ends.astype(np.int64) for ends in edges.coords)
        lengths = edge_lengths(table, first, second, self.metric)
        made = n - (1 if self._whole_tree(n) else self.n_clusters)
        merges = linked_agglomeration.iterates(table, first, second, lengths, self.linkage, made)
        return merges, {"n_connected_components_": components, "connectivity_": graph}

    def _whole_tree(self, n: int) -> bool:
        if self.compute_full_tree == "auto":
            return self.n_clusters is None or self.linkage == "single" or self.n_clusters < max(100, 0.02 * n)
        return bool(self.compute_full_tree) or self.linkage == "single"

    def _attributes(self, n: int, state: agglomeration.DendrogramState) -> dict[str, Any]:
        made = len(state.heights)
        wanted = self.n_clusters
        if wanted is None:
            wanted = int(np.sum(state.heights >= self.distance_threshold)) + n - made
        wanted = max(wanted, n - made)
        kept = self.connectivity is None or self.compute_distances or self.distance_threshold is not None
        return {
            "children_": state.children.copy(),
            "labels_": agglomeration.cut(state.children, n, wanted),
            "n_clusters_": wanted,
            "n_leaves_": n,
        } | ({"distances_": state.heights.copy()} if kept else {})
