"""Graphs and their Laplacians: symmetry, the quadratic form, semidefiniteness, and the kernel. Syllabus: U6, U7."""

from typing import Any

import numpy as np
from scipy import sparse

from learnable.certificates.core import Claim, digest_generator
from learnable.problems.unsupervised.graphs import degrees, laplacian, quadratic_form

# Semidefiniteness and the dimension of the kernel need all eigenvalues.
DENSE = 1500


def graph_claims(W: Any) -> list[Claim]:
    """W is symmetric, its entries are ≥ 0."""
    values = W.data if sparse.issparse(W) else W
    size = max(float(np.max(np.abs(values), initial=0.0)), np.finfo(float).tiny)
    away = abs(W - W.T).max()
    return [
        Claim.at_most("U6", "the similarities are symmetric (largest difference, relative)", float(away) / size, 1e-12),
        Claim.at_most("U6", "no similarity is negative (largest violation, relative)",
                      max(-float(np.min(values, initial=0.0)), 0.0) / size, 0.0),
    ]  # fmt: skip


def laplacian_claims(W: Any) -> list[Claim]:
    """The four laws of L = D − W and of D^{−½}LD^{−½}."""
    d = degrees(W)
    L = laplacian(W)
    size = max(float(d.max(initial=0.0)), np.finfo(float).tiny)
    f = digest_generator(d).standard_normal(len(d))
    form = quadratic_form(W, f)
    claims = [
        Claim.at_most("U7", "fᵀLf = ½ Σ w_ij (f_i − f_j)² for a random f (relative difference)",
                      abs(float(f @ (L @ f)) - form) / (size * float(f @ f)), 1e-12),
    ]  # fmt: skip
    count, component = components(W)
    indicators = np.eye(count)[component]
    claims.append(
        Claim.at_most("U7", "the indicators of the components are in the kernel of L (largest entry, relative)",
                      float(np.abs(L @ indicators).max(initial=0.0)) / size, 1e-12)
    )  # fmt: skip
    if len(d) > DENSE:
        return claims
    dense = L.toarray() if sparse.issparse(L) else L
    eigenvalues = np.linalg.eigvalsh(dense) / size
    scaled = laplacian(W, normalised=True)
    normalised = np.linalg.eigvalsh(scaled.toarray() if sparse.issparse(scaled) else scaled)
    rounding = 1e-13 * len(d)
    return [
        *claims,
        Claim.at_most("U7", "L and D^{−½}LD^{−½} are positive semidefinite (most negative eigenvalue, relative)",
                      max(-float(min(eigenvalues[0], normalised[0])), 0.0), rounding),
        Claim.at_most("U7", "no eigenvalue of D^{−½}LD^{−½} exceeds 2 (by)", max(float(normalised[-1]) - 2.0, 0.0),
                      rounding),
        Claim.at_most("U7", "dimension of the kernel of L and number of components differ by",
                      abs(_zeros(eigenvalues, count) - count), 0.0),
    ]  # fmt: skip


def components(W: Any) -> tuple[int, np.ndarray]:
    """(how many components, the component of each node), by joining the ends of every edge."""
    n = W.shape[0]
    parent = np.arange(n)

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    edges = sparse.triu(sparse.coo_array(W), k=1).tocoo()
    for i, j, w in zip(*edges.coords, edges.data):
        if w > 0.0:
            a, b = root(int(i)), root(int(j))
            if a != b:
                parent[b] = a
    found, component = np.unique([root(i) for i in range(n)], return_inverse=True)
    return len(found), component


def _zeros(eigenvalues: np.ndarray, count: int) -> int:
    """How many eigenvalues are 0: those below rounding. A component held by weights that small counts as its own."""
    return int(np.sum(np.abs(eigenvalues) <= 1e-13 * len(eigenvalues)))
