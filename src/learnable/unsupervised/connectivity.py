"""Which rows an agglomerative clustering may join: a graph as users give it, made symmetric and connected."""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist

# scikit-learn's names, and those of the distances of SciPy.
METRICS = {
    "euclidean": "euclidean", "l2": "euclidean", "manhattan": "cityblock", "l1": "cityblock", "cityblock": "cityblock",
    "cosine": "sqeuclidean",
}  # fmt: skip
# Numbers that are looked at by one call, about.
AT_ONCE = 2**20


def read_graph(given: Any, X: Any, n: int) -> Any:
    """The edges (n, n) as they are given, in either direction, without loops; a callable makes them of X.

    >>> read_graph(np.array([[1, 1], [0, 1]]), None, 2).toarray()
    array([[0., 1.],
           [1., 0.]])
    """
    graph = given(X) if callable(given) else given
    graph = sparse.csr_array(graph if sparse.issparse(graph) else np.atleast_2d(np.asarray(graph)))
    if graph.shape != (n, n):
        raise ValueError(
            f"AgglomerativeClustering: Wrong shape for connectivity matrix: {graph.shape} when X has {n} rows; give "
            f"one of shape {(n, n)}"
        )
    linked = abs(graph) + abs(graph).T
    linked.setdiag(0)
    linked.eliminate_zeros()
    linked.data = np.ones(linked.nnz)
    return linked.tocsr()


def completed(graph: Any, X: np.ndarray, metric: str) -> tuple[Any, int]:
    """(the graph with an edge between the nearest rows of any two components, how many components it had)."""
    count, component = connected_components(graph, directed=False)
    if count == 1:
        return graph, 1
    members = [np.flatnonzero(component == k) for k in range(count)]
    edges = np.array([_nearest(X, members[i], members[j], metric) for i in range(count) for j in range(i)])
    added = sparse.coo_array((np.ones(len(edges)), edges.T), shape=graph.shape)
    return (graph + added + added.T).tocsr(), count


def _nearest(X: np.ndarray, rows: np.ndarray, others: np.ndarray, metric: str) -> tuple[int, int]:
    """The nearest pair of a row and another one; of equal ones the first."""
    best, pair = np.inf, (int(rows[0]), int(others[0]))
    step = max(1, AT_ONCE // len(others))
    for block in (rows[k : k + step] for k in range(0, len(rows), step)):
        away = X[np.ix_(block, others)] if metric == "precomputed" else cdist(X[block], X[others], METRICS[metric])
        i, j = divmod(int(away.argmin()), len(others))
        if away[i, j] < best:
            best, pair = away[i, j], (int(block[i]), int(others[j]))
    return pair


def edge_lengths(X: np.ndarray, first: np.ndarray, second: np.ndarray, metric: str) -> np.ndarray:
    """The distance of the two rows of each edge, from their differences."""
    if metric == "precomputed":
        return X[first, second].astype(float)
    step = max(1, AT_ONCE // X.shape[1])
    pieces = [X[first[k : k + step]] - X[second[k : k + step]] for k in range(0, len(first), step)]
    if METRICS[metric] == "cityblock":
        return np.concatenate([np.abs(piece).sum(axis=1) for piece in pieces])
    squares = np.concatenate([np.einsum("ij,ij->i", piece, piece) for piece in pieces])
    return 0.5 * squares if metric == "cosine" else np.sqrt(squares)
