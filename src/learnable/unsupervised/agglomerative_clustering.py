"""Agglomerative clustering."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.utils._param_validation import Interval, StrOptions

from learnable.base import Data, Fitting, Learner
from learnable.base.fit_context import fit_context
from learnable.problems.unsupervised.similarities import squared_distances
from learnable.rows.memory import check_square_fits
from learnable.solvers.unsupervised import agglomeration
from learnable.trace import Status, to_the_end
from learnable.unsupervised.reading import read_table


class AgglomerativeClustering(ClusterMixin, Learner):
    """Agglomerative clustering: the two nearest clusters become one, until as many are left as wanted.

    Drop-in for `sklearn.cluster.AgglomerativeClustering` without connectivity constraints. Chains of nearest neighbours
    find all merges in O(n²). Syllabus: U1.

    Parameters
    ----------
    n_clusters : int or None, default=2
        None where `distance_threshold` decides.
    metric : {"euclidean", "l2", "manhattan", "l1", "cityblock", "precomputed"}, default="euclidean"
        Ward needs "euclidean".
    memory, connectivity, compute_full_tree, compute_distances : kept for compatibility; the tree is always whole, and
        `connectivity` must be None.
    linkage : {"ward", "complete", "average", "single"}, default="ward"
        Distance of two clusters: the root of twice the rise of Σ ‖x − x̄‖² that joining them brings; the largest, mean
        or smallest distance of their points.
    distance_threshold : float or None, default=None
        Clusters at this distance or farther apart are not joined.

    Attributes
    ----------
    labels_ : array (n,). n_clusters_, n_leaves_, n_connected_components_ : int
    children_ : array (n − 1, 2), the clusters joined; n + i is the cluster that merge i made
    distances_ : array (n − 1,), the heights of the merges
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        U1 : every height from the definition of the linkage; rising heights; the labels are the cut of the tree.
        `certify` adds, for up to 2,000 rows, that each merge joins the two nearest clusters; of more rows it does the
        fit again.

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
        "metric": [StrOptions({"euclidean", "l2", "manhattan", "l1", "cityblock", "precomputed"})],
        "linkage": [StrOptions(set(agglomeration.LINKAGES))],
        "distance_threshold": [Interval(Real, 0, None, closed="left"), None],
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
        X : array (n, p), or distances (n, n) for metric="precomputed".
        y : ignored
        """
        return self._learn(X, y)

    def fit_predict(self, X, y=None) -> np.ndarray:
        """Fit, and the cluster of each row."""
        return self.fit(X).labels_

    def _pose(self, X, y=None) -> Fitting:
        if self.connectivity is not None:
            raise ValueError("AgglomerativeClustering(connectivity=...): constraints are not supported; pass None")
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise ValueError(
                "AgglomerativeClustering: exactly one of n_clusters and distance_threshold has to be set, and the "
                "other needs to be None"
            )
        if self.linkage == "ward" and self.metric not in ("euclidean", "l2"):
            raise ValueError(f"AgglomerativeClustering(linkage='ward', metric={self.metric!r}): Ward needs 'euclidean'")
        data = read_table(self, X, at_least=2)
        if hasattr(data.X, "blocks"):
            raise TypeError("AgglomerativeClustering needs all rows in memory: it compares every row with every other")
        n = data.X.shape[0]
        if self.n_clusters is not None and self.n_clusters > n:
            raise ValueError(
                "AgglomerativeClustering: Cannot extract more clusters than samples: "
                f"{self.n_clusters} clusters were given for a tree with {n} leaves; lower n_clusters"
            )
        check_square_fits(n, "the distances of the rows")
        return Fitting(
            agglomeration.iterates(self._distances(np.asarray(data.X, dtype=float)), self.linkage),
            to_the_end,
            lambda state: self._attributes(n, state),
            Data(data.X, None, None),
            Status.STATIONARY,
            max_steps=10,
        )

    def _distances(self, X: np.ndarray) -> np.ndarray:
        if self.metric == "precomputed":
            if X.shape[0] != X.shape[1] or not np.allclose(X, X.T):
                raise ValueError("AgglomerativeClustering(metric='precomputed'): X must be square and symmetric")
            return X.copy()
        if self.metric in ("euclidean", "l2"):
            squares = squared_distances(X, X)
            return squares if self.linkage == "ward" else np.sqrt(squares)
        return np.array([np.abs(X - row).sum(axis=1) for row in X])

    def _attributes(self, n: int, state: agglomeration.DendrogramState) -> dict[str, Any]:
        made = len(state.heights)
        wanted = self.n_clusters
        if wanted is None:
            wanted = int(np.sum(state.heights >= self.distance_threshold)) + n - made
        wanted = max(wanted, n - made)
        return {
            "children_": state.children.copy(),
            "distances_": state.heights.copy(),
            "labels_": agglomeration.cut(state.children, n, wanted),
            "n_clusters_": wanted,
            "n_leaves_": n,
            "n_connected_components_": 1,
        }
