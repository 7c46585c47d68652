"""Agglomerative clustering along a graph: of the clusters that an edge links, the two nearest become one."""

from collections.abc import Iterator

import numpy as np

from learnable._jit.unsupervised.linked_merges import linked_merges, spanning_edges
from learnable._jit.unsupervised.merges import number_merges
from learnable.solvers.unsupervised.agglomeration import LINKAGES, DendrogramState, in_tenths


def iterates(
    X: np.ndarray, first: np.ndarray, second: np.ndarray, length: np.ndarray, linkage: str, merges: int
) -> Iterator[DendrogramState]:
    """About ten states, each with a tenth of the merges more; the last one has them all.

    Parameters
    ----------
    X : (n, p), the rows.
    first, second, length : the edges of a connected graph, first > second, and the distances of their rows.
    linkage : {"single", "complete", "average", "ward"}; the first three of the edges that link two clusters.
    merges : how many are wanted.
    """
    n, ward = len(X), linkage == "ward"
    if linkage == "single":
        yield from in_tenths(*_along_the_shortest(n, first, second, length, merges))
        return
    sums = np.zeros((n + merges, X.shape[1] if ward else 0))
    if ward:
        sums[:n] = X - X.mean(axis=0)  # only differences of means count
        length = 0.5 * length**2
    children, height = np.empty((merges, 2), dtype=np.int64), np.empty(merges)
    linked_merges(first, second, length, sums, LINKAGES.index(linkage), merges, children, height)
    yield from in_tenths(children, np.sqrt(2.0 * height) if ward else height)


def _along_the_shortest(
    n: int, first: np.ndarray, second: np.ndarray, length: np.ndarray, merges: int
) -> tuple[np.ndarray, np.ndarray]:
    """(children, heights) of single linkage: the edges of the shortest spanning tree, the shortest first."""
    chosen = np.empty(n - 1, dtype=np.int64)
    spanning_edges(first, second, np.argsort(length, kind="stable"), n, chosen)
    children = np.empty((n - 1, 2), dtype=np.int64)
    number_merges(first[chosen], second[chosen], children)
    return children[:merges], length[chosen][:merges]
