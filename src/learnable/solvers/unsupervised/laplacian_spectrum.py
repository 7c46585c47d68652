"""The smallest eigenvalues of a graph Laplacian and their vectors: all of them for small graphs, Lanczos for large."""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, splu

from learnable.problems.unsupervised.graphs import degrees, inverse_root, laplacian
from learnable.rows import one_blas_thread
from learnable.solvers.core.eigenpairs import some_eigenpairs

# Up to so many nodes a dense decomposition is taken.
DENSE = 1000
# A graph is narrow where n · bandwidth² is at most this: a factor costs less than the products it saves.
NARROW = 3e9
# Restarts that Lanczos gets on a sparse graph before the factor is made after all: some hundred products.
RESTARTS = 12
# What is added to the diagonal before it is factorised, as a share of the largest degree.
SHIFT = 1e-6


def smallest(W: Any, count: int, normalised: bool, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """(eigenvalues, smallest first; orthonormal eigenvectors (n, count)) of L, or of D^{−½}LD^{−½}.

    Where the next eigenvalues are far, Lanczos finds the largest of c I − L in a few products. Where they are near, as
    in the graphs of points along curves, it finds those of (L + εI)⁻¹, by a sparse factor: few points of such a graph
    have neighbours far along it, and the factor has few entries.
    """
    n = W.shape[0]
    count = min(count, n)
    L = laplacian(W, normalised)
    if n <= DENSE or count >= n - 1:
        dense = L.toarray() if sparse.issparse(L) else L
        # Threads that wait for one another cost more than they bring at this size.
        with one_blas_thread():
            return some_eigenpairs(0.5 * (dense + dense.T), 0, count - 1)
    size = 1.0 if normalised else float(degrees(W).max())
    start = generator.standard_normal(n)
    if not sparse.issparse(L):
        return _by_products(L, count, size, start, 20 * n)
    if n * bandwidth(L) ** 2 <= NARROW:
        return _by_factor(L, count, size, start)
    try:
        return _by_products(L, count, size, start, RESTARTS)
    except ArpackNoConvergence:
        return _by_factor(L, count, size, start)


def bandwidth(L: Any) -> float:
    """The largest distance of two neighbours, once the nodes stand in an order that keeps neighbours close."""
    order = reverse_cuthill_mckee(sparse.csr_matrix(L), symmetric_mode=True)
    place: np.ndarray = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    entries = L.tocoo()
    return float(np.abs(place[entries.row] - place[entries.col]).max(initial=0))


def _by_products(L: Any, count: int, size: float, start: np.ndarray, restarts: int) -> tuple[np.ndarray, np.ndarray]:
    """No eigenvalue of L exceeds 2 · size."""
    n = L.shape[0]
    turned = LinearOperator((n, n), matvec=lambda v: 2.0 * size * v - L @ v, dtype=float)
    width = min(n - 1, max(4 * count, 40))
    values, vectors = eigsh(turned, k=count, which="LA", v0=start, ncv=width, maxiter=restarts)
    order = np.argsort(-values)
    return np.maximum(2.0 * size - values[order], 0.0), vectors[:, order]


def _by_factor(L: Any, count: int, size: float, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    n = L.shape[0]
    shift = SHIFT * size
    # Positive definite: no pivots are needed, and one order of rows and columns serves both.
    factor = splu(
        (L + shift * sparse.eye_array(n)).tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, panel_size=1,
        options={"SymmetricMode": True},
    )  # fmt: skip
    turned = LinearOperator((n, n), matvec=factor.solve, dtype=float)
    values, vectors = eigsh(turned, k=count, which="LA", v0=start, ncv=min(n - 1, 4 * count))
    order = np.argsort(-values)
    return np.maximum(1.0 / values[order] - shift, 0.0), vectors[:, order]


def embedding(W: Any, vectors: np.ndarray, normalised: bool) -> np.ndarray:
    """The rows that are clustered: D^{−½}u for the normalised Laplacian, u for the plain one; signs are fixed."""
    if normalised:
        d = degrees(W)
        vectors = vectors * np.where(d > 0.0, inverse_root(d), 1.0)[:, None]
    largest = np.argmax(np.abs(vectors), axis=0)
    signs = np.where(vectors[largest, np.arange(vectors.shape[1])] < 0.0, -1.0, 1.0)
    return np.ascontiguousarray(vectors * signs)
