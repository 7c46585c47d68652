"""Trees of merges: heights from the definition of the linkage, the least distances there were, cuts."""

from collections.abc import Callable
from typing import Any

import numpy as np

from learnable.certificates.core import Claim
from learnable.problems.unsupervised.numbering import by_first_row

# Of squared distances of means, relative to the highest merge.
ROUNDING = 1e-7


def cut_claim(model: Any, children: np.ndarray, heights: np.ndarray) -> Claim:
    """The labels are the cut of the tree, which is where the parameters say."""
    n, K = model.n_leaves_, model.n_clusters_
    wanted = model.n_clusters if model.n_clusters is not None else int(np.sum(heights >= model.distance_threshold)) + 1
    labels, numbers = np.asarray(model.labels_), by_first_row(parts(children, n, K))
    differing = int(np.count_nonzero(labels != numbers)) if labels.shape == numbers.shape else n
    statement = "the labels are the cut of the tree into as many clusters as asked for (rows that differ)"
    return Claim.at_most("U1", statement, differing + abs(K - wanted), 0.0)


def heights_of(pairs: np.ndarray, children: np.ndarray, linkage: str) -> np.ndarray:
    """The distance of the clusters that every merge joins, by the definition of the linkage."""
    take: dict[str, Callable] = {"single": np.min, "complete": np.max, "average": np.mean}
    members = [np.array([i]) for i in range(len(pairs))]
    heights = []
    for a, b in children:
        heights.append(take[linkage](pairs[np.ix_(members[a], members[b])]))
        members.append(np.concatenate([members[a], members[b]]))
    return np.array(heights)


def least_distances(pairs: np.ndarray, children: np.ndarray, linkage: str) -> np.ndarray:
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


def ward_heights(X: np.ndarray, children: np.ndarray) -> np.ndarray:
    """√(2 |A| |B| / (|A| + |B|)) ‖mean A − mean B‖ of every merge, from the sums of the rows below each."""
    n = len(X)
    start, size = spans(children, n)
    running = np.zeros((n + 1, X.shape[1]))
    running[1 + start[:n]] = X - np.dot(np.full(n, 1.0 / n), X)
    np.cumsum(running, axis=0, out=running)
    means = (running[start + size] - running[start]) / size[:, None]
    A, B = children.T
    away = means[A] - means[B]
    return np.sqrt(2.0 * size[A] * size[B] / (size[A] + size[B]) * np.einsum("ij,ij->i", away, away))


def spans(children: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """(first place, how many places) of the rows below each node, where those of every node stand side by side."""
    pairs = children.tolist()
    sizes, starts = [1] * n, [0] * (2 * n - 1)
    for a, b in pairs:
        sizes.append(sizes[a] + sizes[b])
    # Those of the first part of a merge before those of its second.
    for place in range(2 * n - 2, n - 1, -1):
        a, b = pairs[place - n]
        starts[a] = starts[place]
        starts[b] = starts[place] + sizes[a]
    return np.array(starts), np.array(sizes)


def distances(X: np.ndarray, metric: str) -> np.ndarray:
    """Distances row by row, from the differences."""
    if metric == "precomputed":
        return X
    if metric == "cosine":
        return np.array([0.5 * np.sum((X - row) ** 2, axis=1) for row in X])
    order = 1 if metric in ("manhattan", "l1", "cityblock") else 2
    return np.array([np.linalg.norm(X - row, ord=order, axis=1) for row in X])


def misfits(children: np.ndarray, n: int, merges: int) -> int:
    """How many parts of the merges are not there yet, or were joined before; n where there are not so many merges."""
    if children.shape != (merges, 2) or children.dtype.kind not in "iu":
        return n
    late = int(np.count_nonzero((children < 0) | (children >= n + np.arange(merges)[:, None])))
    return late + 2 * merges - len(set(children.ravel().tolist()))


def parts(children: np.ndarray, n: int, K: int) -> np.ndarray:
    """The part of each point after n − K merges, named by the merge that made it."""
    part = list(range(2 * n - 1))
    for place, (a, b) in reversed(list(enumerate(children[: n - K].tolist(), start=n))):
        part[a] = part[b] = part[place]
    return np.array(part[:n])


def measured(X: np.ndarray, metric: str) -> np.ndarray:
    """The rows whose differences count: of unit length for cosines, about one of them otherwise; or the distances that
    are given above the diagonal.
    """
    if metric == "precomputed":
        i, j = np.triu_indices(len(X), 1)
        given = np.zeros(X.shape)
        given[i, j] = given[j, i] = X[i, j]
        return given
    if metric == "cosine":
        return X / np.linalg.norm(X, axis=1, keepdims=True)
    return X - X[0]
