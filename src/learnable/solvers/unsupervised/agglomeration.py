"""Agglomerative clustering: every point a cluster, then the two nearest clusters become one, again and again."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from learnable._jit.unsupervised.merges import chain_merges, number_merges

LINKAGES = ("single", "complete", "average", "ward")


class DendrogramState(NamedTuple):
    """The tree of merges up to some height.

    Attributes
    ----------
    objective : height of the last merge.
    children : (m, 2) numbers of the clusters joined; n + i is the cluster that merge i made.
    heights : (m,) their distances; rising where every two clusters may be joined.
    """

    objective: float
    children: np.ndarray
    heights: np.ndarray


def iterates(D: np.ndarray, linkage: str) -> Iterator[DendrogramState]:
    """About ten states, each with a tenth of the merges more; the last one has them all.

    Parameters
    ----------
    D : (n, n) distances; squared Euclidean ones for Ward. It is overwritten.
    linkage : {"single", "complete", "average", "ward"}.
    """
    n = len(D)
    first, second = np.empty(n - 1, dtype=np.int64), np.empty(n - 1, dtype=np.int64)
    height, size = np.empty(n - 1), np.empty(n - 1)
    chain_merges(D, LINKAGES.index(linkage), first, second, height, size)
    children, heights = in_order(first, second, height)
    if linkage == "ward":
        heights = np.sqrt(np.maximum(heights, 0.0))
    yield from in_tenths(children, heights)


def in_tenths(children: np.ndarray, heights: np.ndarray) -> Iterator[DendrogramState]:
    """States with a tenth of the merges more each; one without any where there are none."""
    m = len(heights)
    for end in sorted({max(min(1, m), m * tenth // 10) for tenth in range(1, 11)}):
        yield DendrogramState(float(heights[end - 1]) if end else 0.0, children[:end], heights[:end])


def in_order(first: np.ndarray, second: np.ndarray, height: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(children, heights) by rising height: the chain meets merges in another order."""
    n = len(first) + 1
    order = np.argsort(height, kind="stable")
    children = np.empty((n - 1, 2), dtype=np.int64)
    number_merges(first[order], second[order], children)
    return children, height[order]


def cut(children: np.ndarray, n: int, n_clusters: int) -> np.ndarray:
    """Labels (n,) after the first n − n_clusters merges, numbered by the first point of each cluster."""
    top = list(range(2 * n - 1))
    made = children[: n - n_clusters].tolist()
    for (a, b), joined in zip(reversed(made), reversed(range(n, n + len(made)))):
        top[a] = top[b] = top[joined]
    label = {each: number for number, each in enumerate(dict.fromkeys(top[:n]))}
    return np.array([label[each] for each in top[:n]], dtype=np.int64)
