"""Dendrograms: every height from the definition of its linkage, rising heights, the cut, and greedy merges."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnable.certificates.core import Claim, Ledger, certifies, thorough

# Of squared distances of means, relative to the highest merge.
ROUNDING = 1e-7
# Rows up to which every merge is compared with all others: n³ distances.
SMALL = 150

LEDGER = Ledger(
    verified=("children_", "labels_", "distances_"), derived=("n_clusters_", "n_leaves_", "n_connected_components_")
)


@certifies("AgglomerativeClustering", ledger=LEDGER, foreign=False)
def agglomerative_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """The claims of an agglomerative clustering."""
    X = np.asarray(X, dtype=float)
    n = len(X)
    children, heights = np.asarray(model.children_), np.asarray(model.distances_, dtype=float)
    sound = Claim.at_most("U1", "every merge joins two clusters that are there, each once (violations)",
                          _misfits(children, n) + abs(len(heights) - n + 1) + abs(model.n_leaves_ - n)
                          + abs(model.n_connected_components_ - 1), 0.0)  # fmt: skip
    if not sound.holds:
        return [sound]
    if model.metric != "precomputed":
        X = X - X[0]  # rows far from zero: only their differences matter
    wrong, size = 0.0, max(float(heights.max(initial=0.0)), np.finfo(float).tiny)
    clumsy = 0.0
    check_greed = thorough() and n <= SMALL
    ward = model.linkage == "ward"
    if ward:
        wrong = float(np.max(np.abs(_ward_heights(X, children) - heights), initial=0.0)) / size
    pairs = np.zeros((0, 0)) if ward else _distances(X, model.metric)
    members: list[np.ndarray] = [np.array([i]) for i in range(n)]
    alive = set(range(n))
    for place, (a, b) in enumerate(() if ward and not check_greed else children):
        height = between(pairs, X, members[a], members[b], model.linkage)
        wrong = wrong if ward else max(wrong, abs(height - heights[place]) / size)
        if check_greed:
            rest = sorted(alive)
            least = min(
                between(pairs, X, members[i], members[j], model.linkage) for k, i in enumerate(rest) for j in rest[:k]
            )
            clumsy = max(clumsy, (height - least) / size)
        alive -= {int(a), int(b)}
        alive.add(n + place)
        members.append(np.concatenate([members[a], members[b]]))
    K = model.n_clusters_
    wanted = model.n_clusters if model.n_clusters is not None else int(np.sum(heights >= model.distance_threshold)) + 1
    parts = _parts(children, n, K)
    labels = np.asarray(model.labels_)
    differing = _renamed(labels, parts) + int(np.count_nonzero((labels < 0) | (labels >= K)))
    claims = [
        sound,
        Claim.at_most("U1", "each height is the distance of the clusters it joins (relative difference)", wrong,
                      ROUNDING),
        Claim.at_most("U1", "heights rise (largest fall, relative)",
                      float(np.max(-np.diff(heights), initial=0.0)) / size, ROUNDING),
        Claim.at_most("U1", "the labels are the cut of the tree into as many clusters as asked for (rows that differ)",
                      differing + abs(K - wanted), 0.0),
    ]  # fmt: skip
    if check_greed:
        claims.append(Claim.at_most("U1", "each merge joins the two nearest clusters (relative excess)", clumsy,
                                    ROUNDING))  # fmt: skip
    return claims


def between(pairs: np.ndarray, X: np.ndarray, A: np.ndarray, B: np.ndarray, linkage: str) -> float:
    """The distance of two clusters by the definition of the linkage."""
    if linkage == "ward":
        away = X[A].mean(axis=0) - X[B].mean(axis=0)
        return float(np.sqrt(2.0 * len(A) * len(B) / (len(A) + len(B)) * (away @ away)))
    block = pairs[np.ix_(A, B)]
    return float({"single": block.min, "complete": block.max, "average": block.mean}[linkage]())


def _ward_heights(X: np.ndarray, children: np.ndarray) -> np.ndarray:
    """√(2 |A| |B| / (|A| + |B|)) ‖mean A − mean B‖ of every merge, from the sums of the rows below each."""
    sums, sizes = list(X - X.mean(axis=0)), [1] * len(X)
    for a, b in children.tolist():
        sums.append(sums[a] + sums[b])
        sizes.append(sizes[a] + sizes[b])
    size = np.array(sizes, dtype=float)
    means = np.array(sums) / size[:, None]
    A, B = children.T
    away = means[A] - means[B]
    return np.sqrt(2.0 * size[A] * size[B] / (size[A] + size[B]) * np.einsum("ij,ij->i", away, away))


def _distances(X: np.ndarray, metric: str) -> np.ndarray:
    """Distances row by row, from the differences."""
    if metric == "precomputed":
        return X
    order = 1 if metric in ("manhattan", "l1", "cityblock") else 2
    return np.array([np.linalg.norm(X - row, ord=order, axis=1) for row in X])


def _misfits(children: np.ndarray, n: int) -> int:
    if children.shape != (n - 1, 2):
        return n
    late = int(np.sum(children >= n + np.arange(n - 1)[:, None])) + int(np.sum(children < 0))
    return late + 2 * (n - 1) - len(np.unique(children))


def _parts(children: np.ndarray, n: int, K: int) -> np.ndarray:
    """The part of each point after n − K merges, named by its smallest point."""
    part = np.arange(n)
    tops = list(range(n))
    for a, b in children[: n - K]:
        x, y = part[tops[a]], part[tops[b]]
        part[part == max(x, y)] = min(x, y)
        tops.append(tops[a])
    return part


def _renamed(labels: np.ndarray, parts: np.ndarray) -> int:
    """How many points differ between two partitions whose names may differ: 0 only if they are the same."""
    if labels.shape != parts.shape:
        return len(parts)
    pairs = np.unique(np.column_stack([labels, parts]), axis=0)
    return len(pairs) - len(np.unique(parts)) + len(pairs) - len(np.unique(labels))
