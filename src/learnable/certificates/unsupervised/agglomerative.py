"""Dendrograms: every height from the definition of its linkage, rising heights, the cut, and greedy merges."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from learnable.certificates.core import Claim, Ledger, certifies, thorough
from learnable.problems.unsupervised.numbering import by_first_row

# Of squared distances of means, relative to the highest merge.
ROUNDING = 1e-7
# Rows up to which every merge is compared with all others: n² distances, kept and mended n times. Of more rows the fit
# is done again.
SMALL = 2000

LEDGER = Ledger(
    verified=("children_", "labels_", "distances_"), derived=("n_clusters_", "n_leaves_", "n_connected_components_")
)


@certifies("AgglomerativeClustering", ledger=LEDGER, foreign=False, again=lambda model, found: model.n_leaves_ > SMALL)
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
    size = max(float(heights.max(initial=0.0)), np.finfo(float).tiny)
    ward = model.linkage == "ward"
    check_greed = thorough() and n <= SMALL
    pairs = np.zeros((0, 0)) if ward and not check_greed else _distances(X, model.metric)
    again = _ward_heights(X, children) if ward else _heights(pairs, children, model.linkage)
    wrong = float(np.max(np.abs(again - heights), initial=0.0)) / size
    K = model.n_clusters_
    wanted = model.n_clusters if model.n_clusters is not None else int(np.sum(heights >= model.distance_threshold)) + 1
    parts = _parts(children, n, K)
    labels, numbers = np.asarray(model.labels_), by_first_row(parts)
    differing = int(np.count_nonzero(labels != numbers)) if labels.shape == numbers.shape else n
    # What a fit refuses states no problem.
    refused = int(model.connectivity is not None) + int(
        (model.n_clusters is None) == (model.distance_threshold is None)
    )
    refused += int(ward and model.metric not in ("euclidean", "l2"))
    claims = [
        sound,
        Claim.at_most("U1", "each height is the distance of the clusters it joins (relative difference)", wrong,
                      ROUNDING),
        Claim.at_most("U1", "heights rise (largest fall, relative)",
                      float(np.max(-np.diff(heights), initial=0.0)) / size, ROUNDING),
        Claim.at_most("U1", "the labels are the cut of the tree into as many clusters as asked for (rows that differ)",
                      differing + abs(K - wanted), 0.0),
        Claim.at_most("U1", "parameters that say nothing, or contradict each other", refused, 0.0),
    ]  # fmt: skip
    if check_greed:
        clumsy = float(np.max(heights - _least_distances(pairs, children, model.linkage), initial=0.0)) / size
        claims.append(Claim.at_most("U1", "each merge joins the two nearest clusters (relative excess)", clumsy,
                                    ROUNDING))  # fmt: skip
    return claims


def _heights(pairs: np.ndarray, children: np.ndarray, linkage: str) -> np.ndarray:
    """The distance of the clusters that every merge joins, by the definition of the linkage."""
    take: dict[str, Callable] = {"single": np.min, "complete": np.max, "average": np.mean}
    members = [np.array([i]) for i in range(len(pairs))]
    heights = []
    for a, b in children:
        heights.append(take[linkage](pairs[np.ix_(members[a], members[b])]))
        members.append(np.concatenate([members[a], members[b]]))
    return np.array(heights)


def _least_distances(pairs: np.ndarray, children: np.ndarray, linkage: str) -> np.ndarray:
    """The least distance of two clusters before every merge, from Lance and Williams' formula for those it makes."""
    n = len(pairs)
    ward = linkage == "ward"
    D = pairs**2 if ward else pairs.astype(float)
    np.fill_diagonal(D, np.inf)
    row, counts = np.arange(2 * n - 1), np.ones(n)  # a new cluster takes the row of its first part
    nearest = D.min(axis=1)
    least = np.empty(n - 1)
    for place, (a, b) in enumerate(children):
        i, j = row[a], row[b]
        least[place] = nearest.min()
        p, q = D[i], D[j]
        if linkage == "single":
            new = np.minimum(p, q)
        elif linkage == "complete":
            new = np.maximum(p, q)
        elif linkage == "average":
            new = (counts[i] * p + counts[j] * q) / (counts[i] + counts[j])
        else:
            held = counts + counts[i] + counts[j]
            new = ((counts + counts[i]) * p + (counts + counts[j]) * q - counts * D[i, j]) / held
        touched = np.flatnonzero((nearest == np.minimum(p, q)) & (nearest < np.inf))  # one of the two was their nearest
        new[[i, j]] = np.inf
        D[i], D[:, i], D[j], D[:, j] = new, new, np.inf, np.inf
        counts[i] += counts[j]
        row[n + place] = i
        nearest = np.minimum(nearest, new)
        nearest[touched] = D[touched].min(axis=1)
        nearest[i], nearest[j] = new.min(), np.inf
    return np.sqrt(least) if ward else least


def _ward_heights(X: np.ndarray, children: np.ndarray) -> np.ndarray:
    """√(2 |A| |B| / (|A| + |B|)) ‖mean A − mean B‖ of every merge, from the sums of the rows below each."""
    n, pairs = len(X), children.tolist()
    sizes, starts = [1] * n, [0] * (2 * n - 1)
    for a, b in pairs:
        sizes.append(sizes[a] + sizes[b])
    # The rows below a merge side by side, those of its first part before those of its second.
    for place in range(2 * n - 2, n - 1, -1):
        a, b = pairs[place - n]
        starts[a] = starts[place]
        starts[b] = starts[place] + sizes[a]
    start, size = np.array(starts), np.array(sizes)
    running = np.zeros((n + 1, X.shape[1]))
    running[1 + start[:n]] = X - np.dot(np.full(n, 1.0 / n), X)
    np.cumsum(running, axis=0, out=running)
    means = (running[start + size] - running[start]) / size[:, None]
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
    if children.shape != (n - 1, 2) or children.dtype.kind not in "iu":
        return n
    late = int(np.count_nonzero((children < 0) | (children >= n + np.arange(n - 1)[:, None])))
    return late + 2 * (n - 1) - len(set(children.ravel().tolist()))


def _parts(children: np.ndarray, n: int, K: int) -> np.ndarray:
    """The part of each point after n − K merges, named by the merge that made it."""
    part = list(range(2 * n - 1))
    for place, (a, b) in reversed(list(enumerate(children[: n - K].tolist(), start=n))):
        part[a] = part[b] = part[place]
    return np.array(part[:n])
