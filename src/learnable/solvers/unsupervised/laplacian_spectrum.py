"""The smallest eigenvalues of a graph Laplacian and their vectors: all of them for small graphs, Lanczos for large."""

from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, eigsh

from learnable.problems.unsupervised.graphs import degrees, inverse_root, laplacian
from learnable.rows import one_blas_thread

# Up to so many nodes a dense decomposition is taken.
DENSE = 1000


def smallest(W: Any, count: int, normalised: bool, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """(eigenvalues, smallest first; orthonormal eigenvectors (n, count)) of L, or of D^{−½}LD^{−½}.

    Lanczos looks for the largest eigenvalues of c I − L, where it converges fastest: c = 2 for the normalised
    Laplacian, twice the largest degree for the plain one.
    """
    n = W.shape[0]
    count = min(count, n)
    L = laplacian(W, normalised)
    if n <= DENSE or count >= n - 1:
        dense = L.toarray() if sparse.issparse(L) else L
        # Threads that wait for one another cost more than they bring at this size.
        with one_blas_thread():
            return linalg.eigh(0.5 * (dense + dense.T), subset_by_index=(0, count - 1), driver="evr")
    top = 2.0 if normalised else 2.0 * float(degrees(W).max())
    turned = LinearOperator((n, n), matvec=lambda v: top * v - L @ v, dtype=float)
    start = generator.standard_normal(n)
    values, vectors = eigsh(turned, k=count, which="LA", v0=start, ncv=min(n - 1, max(4 * count, 40)), maxiter=20 * n)
    order = np.argsort(-values)
    return np.maximum(top - values[order], 0.0), vectors[:, order]


def embedding(W: Any, vectors: np.ndarray, normalised: bool) -> np.ndarray:
    """The rows that are clustered: D^{−½}u for the normalised Laplacian, u for the plain one; signs are fixed."""
    if normalised:
        d = degrees(W)
        vectors = vectors * np.where(d > 0.0, inverse_root(d), 1.0)[:, None]
    largest = np.argmax(np.abs(vectors), axis=0)
    signs = np.where(vectors[largest, np.arange(vectors.shape[1])] < 0.0, -1.0, 1.0)
    return np.ascontiguousarray(vectors * signs)
