"""Similarity graphs: degrees, Laplacians, quadratic forms, cuts. Syllabus: U6, U7, U9."""

from typing import Any

import numpy as np
from scipy import sparse


def degrees(W: Any) -> np.ndarray:
    """d_i = Σ_j w_ij."""
    return np.asarray(W.sum(axis=1), dtype=float).ravel()


def laplacian(W: Any, normalised: bool = False) -> Any:
    """L = D − W, or D^{−½} L D^{−½}, sparse where W is; the row and column of an isolated node are 0 in both.

    The weight of a loop counts in its degree and leaves again: it changes no entry of D − W.

    >>> laplacian(np.array([[0.0, 1.0], [1.0, 0.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    d = degrees(W)
    L = (sparse.diags_array(d) - W).tocsr() if sparse.issparse(W) else np.diag(d) - W
    if not normalised:
        return L
    root = inverse_root(d)
    if sparse.issparse(W):
        scale = sparse.diags_array(root)
        return (scale @ L @ scale).tocsr()
    return L * root[:, None] * root


def inverse_root(d: np.ndarray) -> np.ndarray:
    """d^{−½}, 0 for an isolated node."""
    return np.where(d > 0.0, 1.0 / np.sqrt(np.where(d > 0.0, d, 1.0)), 0.0)


def quadratic_form(W: Any, f: np.ndarray) -> float:
    """½ Σ_i Σ_j w_ij (f_i − f_j)², which is fᵀLf.

    >>> quadratic_form(np.array([[0.0, 2.0], [2.0, 0.0]]), np.array([1.0, 4.0]))
    18.0
    """
    entries = sparse.coo_array(W)
    i, j = entries.coords
    return 0.5 * float(np.sum(entries.data * (f[i] - f[j]) ** 2))


def cut_values(W: Any, labels: np.ndarray) -> dict[str, float]:
    """Weights cut by a clustering.

    cut = ½ Σ_k w(A_k, rest); ratio_cut = Σ_k w(A_k, rest) / |A_k|; normalised_cut = Σ_k w(A_k, rest) / vol(A_k);
    conductance = max_k w(A_k, rest) / min(vol(A_k), vol(rest)). Parts of volume 0 count 0.

    >>> W = np.array([[0.0, 3.0, 1.0], [3.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    >>> cut_values(W, np.array([0, 0, 1]))["cut"]
    1.0
    """
    labels = np.asarray(labels)
    parts, index = np.unique(labels, return_inverse=True)
    member = sparse.csr_array((np.ones(len(labels)), (np.arange(len(labels)), index)), shape=(len(labels), len(parts)))
    between = np.asarray(member.T @ (W @ member.toarray()))
    volumes, sizes = between.sum(axis=1), np.bincount(index)
    leaving = volumes - np.diag(between)
    total = float(volumes.sum())
    safe = np.where(volumes > 0.0, volumes, 1.0)
    smaller = np.minimum(volumes, total - volumes)
    conductance = np.where(smaller > 0.0, leaving / np.where(smaller > 0.0, smaller, 1.0), 0.0)
    return {
        "cut": 0.5 * float(leaving.sum()),
        "ratio_cut": float(np.sum(leaving / sizes)),
        "normalised_cut": float(np.sum(np.where(volumes > 0.0, leaving / safe, 0.0))),
        "conductance": float(conductance.max(initial=0.0)),
    }
