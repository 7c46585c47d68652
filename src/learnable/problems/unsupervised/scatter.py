"""Scatter of a clustering: T = W(C) + B(C) for any dissimilarity, and the k-means objective beside it.

Syllabus: U1, U2.
"""

from typing import NamedTuple

import numpy as np


class Scatter(NamedTuple):
    """Total, within-cluster and between-cluster scatter of a table of dissimilarities.

    Attributes
    ----------
    total : T = ½ Σ_i Σ_j d_ij.
    within : W(C) = ½ Σ_k Σ_{i, j ∈ k} d_ij.
    between : B(C) = ½ Σ_k Σ_{i ∈ k, j ∉ k} d_ij.
    """

    total: float
    within: float
    between: float


def scatter_split(dissimilarity: np.ndarray, labels: np.ndarray) -> Scatter:
    """T, W(C) and B(C), each summed by itself.

    Parameters
    ----------
    dissimilarity : (n, n) numbers d_ij, of whatever kind.
    labels : (n,) cluster of each point.

    Examples
    --------
    >>> scatter_split(np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 2.0], [4.0, 2.0, 0.0]]), np.array([0, 0, 1]))
    Scatter(total=7.0, within=1.0, between=6.0)
    """
    d, labels = np.asarray(dissimilarity, dtype=float), np.asarray(labels)
    if d.ndim != 2 or d.shape != (len(labels), len(labels)):
        raise ValueError(f"scatter_split: dissimilarity has shape {d.shape}, but there are {len(labels)} labels")
    together = labels[:, None] == labels[None, :]
    return Scatter(0.5 * float(d.sum()), 0.5 * float(d[together].sum()), 0.5 * float(d[~together].sum()))


def pairwise_within(X: np.ndarray, labels: np.ndarray) -> float:
    """W(C) = ½ Σ_k Σ_{i, j ∈ k} ‖x_i − x_j‖², computed as Σ_k n_k Σ_{i ∈ k} ‖x_i − x̄_k‖².

    The factors n_k make it another objective than that of k-means: a clustering may be better by the one and worse
    by the other.

    >>> pairwise_within(np.array([[0.0], [2.0], [7.0]]), np.array([0, 0, 1]))
    4.0
    """
    X, labels = np.asarray(X, dtype=float), np.asarray(labels)
    groups = [X[labels == k] for k in np.unique(labels)]
    return sum(len(group) * float(np.sum((group - group.mean(axis=0)) ** 2)) for group in groups)


def kmeans_objective(X: np.ndarray, labels: np.ndarray, sample_weight: np.ndarray | None = None) -> float:
    """J(C) = Σ_k Σ_{i ∈ k} w_i ‖x_i − x̄_k‖², x̄_k the weighted mean of cluster k.

    >>> kmeans_objective(np.array([[0.0], [2.0], [7.0]]), np.array([0, 0, 1]))
    2.0
    """
    X, labels = np.asarray(X, dtype=float), np.asarray(labels)
    weight = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    total = 0.0
    for k in np.unique(labels):
        w, group = weight[labels == k], X[labels == k]
        if w.sum() > 0.0:
            total += float(w @ np.sum((group - (w @ group) / w.sum()) ** 2, axis=1))
    return total
