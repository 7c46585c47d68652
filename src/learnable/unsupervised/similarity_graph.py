"""Similarity graphs of the rows of a table, and the laws of their Laplacians."""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree
from sklearn.neighbors import NearestNeighbors

from learnable.certificates.core import Certificate
from learnable.certificates.unsupervised.graphs import graph_claims, laplacian_claims
from learnable.problems.unsupervised.similarities import kernel_matrix, squared_distances
from learnable.rows.threads import one_blas_thread, worker_count
from learnable.unsupervised.reading import plain_table

# Beyond so many columns a tree of the rows leaves out few comparisons.
FEW_COLUMNS = 12
# Rows whose neighbours are sought by one call, among all.
AT_ONCE = 4096


def similarity_graph(
    X: Any, kind: str = "rbf", *, gamma: float = 1.0, n_neighbors: int = 10, radius: float = 1.0
) -> Any:
    """The weights w_ij of a graph on the rows of X: symmetric, ≥ 0. Syllabus: U6.

    Parameters
    ----------
    X : array (n, p).
    kind : {"rbf", "nearest_neighbors", "mutual_neighbors", "radius"}, default="rbf"
        "rbf": exp(−gamma ‖x_i − x_j‖²). "nearest_neighbors": ½ (c_ij + c_ji), c_ij = 1 where j is one of the
        n_neighbors nearest rows of i, itself among them. "mutual_neighbors": c_ij c_ji. "radius": 1 where
        ‖x_i − x_j‖ ≤ radius.
    gamma, n_neighbors, radius : as `kind` needs them.

    Returns
    -------
    array (n, n), sparse unless kind is "rbf"

    Examples
    --------
    >>> similarity_graph([[0.0], [1.0], [5.0]], "nearest_neighbors", n_neighbors=2).toarray()
    array([[1. , 1. , 0. ],
           [1. , 1. , 0.5],
           [0. , 0.5, 1. ]])
    """
    X = plain_table(X, "similarity_graph")
    if kind == "rbf":
        W = kernel_matrix(X, X, "rbf", gamma=gamma)
        return 0.5 * (W + W.T)
    if kind == "radius":
        near = squared_distances(X, X) <= radius**2
        return sparse.csr_array(near.astype(float))
    if kind not in ("nearest_neighbors", "mutual_neighbors"):
        raise ValueError(
            f"similarity_graph(kind={kind!r}): it must be 'rbf', 'nearest_neighbors', 'mutual_neighbors' or 'radius'"
        )
    C = neighbours(X, n_neighbors)
    return (0.5 * (C + C.T)).tocsr() if kind == "nearest_neighbors" else C.multiply(C.T).tocsr()


def neighbours(X: np.ndarray, count: int) -> Any:
    """c_ij = 1 where j is among the `count` nearest rows of i, itself included; (n, n) sparse."""
    n, p = X.shape
    if not 1 <= count <= n:
        raise ValueError(f"n_neighbors={count} must be between 1 and the number of rows, {n}")
    if p <= FEW_COLUMNS:
        # Unbalanced, a tree of many equal points is made in no more time.
        tree = cKDTree(X, balanced_tree=False)
        with one_blas_thread() as granted:
            found = tree.query(X, np.arange(1, count + 1), workers=worker_count(None, granted, n))[1]
    else:
        search = NearestNeighbors(n_neighbors=count, algorithm="brute").fit(X)
        # Between blocks of rows the search can be interrupted.
        blocks = (X[first : first + AT_ONCE] for first in range(0, n, AT_ONCE))
        found = np.concatenate([search.kneighbors(block, return_distance=False) for block in blocks])
    return sparse.csr_array((np.ones(found.size), (np.repeat(np.arange(n), count), found.ravel())), shape=(n, n))


def nearest_given(distances: Any, count: int) -> Any:
    """c_ij = 1 where the distance of j is among the `count` smallest that are given for i; (n, n) sparse."""
    given = sparse.csr_array(distances) if sparse.issparse(distances) else _all_entries(np.asarray(distances))
    n, known = given.shape[0], np.diff(given.indptr)
    if given.shape[1] != n or known.min() < count:
        raise ValueError(
            f"n_neighbors={count}: the distances, of shape {given.shape}, have a row with only {known.min()} of them; "
            "give each row at least as many, its own 0 among them, or lower n_neighbors"
        )
    order = np.lexsort((given.data, np.repeat(np.arange(n), known)))
    kept = given.indices[order[given.indptr[:-1, None] + np.arange(count)]]
    return sparse.csr_array((np.ones(kept.size), (np.repeat(np.arange(n), count), kept.ravel())), shape=(n, n))


def _all_entries(table: np.ndarray) -> Any:
    """Every cell stored, zeros as well."""
    n, p = table.shape
    return sparse.csr_array((table.ravel(), np.tile(np.arange(p), n), np.arange(n + 1) * p), shape=(n, p))


def certify_graph(W: Any) -> Certificate:
    """The laws of a similarity graph and of its two Laplacians, checked on W. Syllabus: U6, U7.

    W is symmetric with entries ≥ 0; fᵀLf = ½ Σ w_ij (f_i − f_j)²; L and D^{−½}LD^{−½} are positive semidefinite; the
    kernel of L has as many dimensions as the graph has components, and their indicators span it.

    Parameters
    ----------
    W : array or sparse matrix (n, n).

    Examples
    --------
    >>> certify_graph(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])).holds
    True
    """
    W = W.tocsr() if sparse.issparse(W) else np.asarray(W, dtype=float)
    if W.ndim != 2 or W.shape[0] != W.shape[1]:
        raise ValueError(f"certify_graph: W has shape {W.shape}; one row and one column a node are needed")
    claims = graph_claims(W)
    if all(claim.holds for claim in claims):
        claims += laplacian_claims(W)
    return Certificate("similarity graph", claims)
