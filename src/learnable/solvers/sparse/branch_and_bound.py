"""Best subset by branch and bound: families of subsets are divided until each is worse than the best subset known.

A family decides some columns (in or out) and leaves the rest free. Its lower bound is that of `problems.subset`, at a
point found by the relaxation. The family of least bound is divided on the column whose share is least decided. What
is left in the end is a proof: families that cover all subsets, each with a point whose bound anyone can compute again.
Syllabus: L1.
"""

import heapq
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from learnable._jit.sparse.subset_bound import relaxation
from learnable.problems.sparse.subset import FREE, INSIDE, OUTSIDE, ROUNDING
from learnable.solvers.core.eigenpairs import one_eigenvalue
from learnable.solvers.sparse.support_least_squares import on_support

# Steps on a relaxation: the root's bound serves all nodes, a node's only its own.
ROOT_STEPS, NODE_STEPS = 2000, 300


class Family(NamedTuple):
    """Subsets that agree on some columns.

    Attributes
    ----------
    bound : no subset of the family has a smaller RSS / ‖y‖².
    decided : (p,) of INSIDE, FREE, OUTSIDE.
    point : (p,) the point of the bound.
    share : (p,) of each column in the relaxation.
    """

    bound: float
    decided: np.ndarray
    point: np.ndarray
    share: np.ndarray


class SubsetState(NamedTuple):
    """After a family was divided (the first state is before).

    Attributes
    ----------
    objective : RSS / ‖y‖² of the best subset known.
    lower_bound : no subset of at most k columns has less.
    gap : relative difference of the two.
    support : the best subset known.
    coef : its coefficients, in units in which columns and y have length one.
    nodes : families bounded.
    closed, open : families that cannot matter, and those that still may: together they cover all subsets.
    """

    objective: float
    lower_bound: float
    gap: float
    support: np.ndarray
    coef: np.ndarray
    nodes: int
    closed: list[Family]
    open: list[tuple[float, int, Family]]


class _Best:
    """The best subset known."""

    def __init__(self, gram: np.ndarray, cross: np.ndarray, support: np.ndarray):
        self.gram, self.cross = gram, cross
        self.support = np.sort(support)
        self.coef, self.rss = on_support(gram, cross, self.support)

    def offer(self, support: np.ndarray) -> None:
        support = np.sort(support)
        coef, rss = on_support(self.gram, self.cross, support)
        if rss < self.rss:
            self.support, self.coef, self.rss = support, coef, rss


def iterates(
    gram: np.ndarray, cross: np.ndarray, split: np.ndarray | None, start: np.ndarray, k: int, tol: float
) -> Iterator[SubsetState]:
    """States until the lower bound is within the relative gap `tol` of the best subset.

    Without a diagonal to split off there is one state: its lower bound is that of all columns together.

    Parameters
    ----------
    gram, cross : correlations of the columns with each other and with y.
    split : diagonal of `solvers.diagonal_split`, if there is one.
    start : a good subset to begin with.
    k : columns at most.
    """
    p = len(cross)
    best = _Best(gram, cross, start)
    if split is None or k >= p:
        lower = min(on_support(gram, cross, np.arange(p))[1], best.rss)
        yield SubsetState(best.rss, lower, _gap(best.rss, lower), best.support, best.coef, 1, [], [])
        return
    lipschitz = max(one_eigenvalue(gram - np.diag(split), p - 1), 1e-12)

    def family(decided: np.ndarray, parent: Family, steps: int) -> Family:
        point, share = np.where(decided == OUTSIDE, 0.0, parent.point), np.zeros(p)
        inside, allowed = np.flatnonzero(decided == INSIDE), np.flatnonzero(decided != OUTSIDE)
        if len(inside) == k or len(allowed) <= k:
            # One subset of the family is the best: least squares on it is the bound, and is attained.
            support = inside if len(inside) == k else allowed
            best.offer(support)
            point[:] = 0.0
            point[support], rss = on_support(gram, cross, support)
            return Family(rss, decided, point, share)
        target = best.rss * (1.0 - 0.5 * tol) - 0.5 * ROUNDING
        bound, _ = relaxation(gram, cross, split, decided, k, lipschitz, point, share, target, steps)
        best.offer(np.argsort(-(share + 2.0 * (decided == INSIDE)), kind="stable")[:k])
        # What bounds the parent bounds its parts.
        if bound < parent.bound:
            return Family(parent.bound, decided, parent.point, share)
        return Family(bound, decided, point, share)

    everything = Family(-np.inf, np.full(p, FREE, dtype=np.int8), np.zeros(p), np.zeros(p))
    root = family(everything.decided, everything, ROOT_STEPS)
    closed: list[Family] = []
    heap = [(root.bound, 0, root)]
    nodes = 1
    while True:
        lower = min(heap[0][0] if heap else best.rss, best.rss)
        gap = _gap(best.rss, lower)
        yield SubsetState(best.rss, lower, gap, best.support, best.coef, nodes, closed, heap)
        if gap <= tol:
            return
        _, _, parent = heapq.heappop(heap)
        for child in _divided(parent):
            found = family(child, parent, NODE_STEPS)
            nodes += 1
            if _gap(best.rss, found.bound) <= tol:
                closed.append(found)
            else:
                heapq.heappush(heap, (found.bound, nodes, found))


def _gap(rss: float, lower: float) -> float:
    return max(rss - lower - ROUNDING, 0.0) / max(rss, ROUNDING)


def _divided(parent: Family) -> list[np.ndarray]:
    """The family with its least decided column in, and out."""
    share, free = parent.share, parent.decided == FREE
    j = int(np.argmax(np.where(free, np.minimum(share, 1.0 - share) + 1e-6 * share, -1.0)))
    within, without = parent.decided.copy(), parent.decided.copy()
    within[j], without[j] = INSIDE, OUTSIDE
    return [within, without]
