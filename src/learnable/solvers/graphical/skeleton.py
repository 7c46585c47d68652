"""The skeleton of the PC algorithm: edges go when a set among their neighbours separates them. Syllabus: G13, G16.

1. All pairs are joined; ℓ = 0.
2. For each edge i — j and each set S of ℓ neighbours of i other than j (then of j other than i): test i ⊥ j | S. At the
   first S that separates them the edge goes, and S is kept.
3. ℓ ← ℓ + 1, until no node has more than ℓ neighbours.

In the original order an edge that goes is missing at once among the neighbours of others, so that the answer depends
on the order of the columns; in the stable order (Colombo and Maathuis 2014) only from the next ℓ on.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple, Protocol

import numpy as np

from learnable._jit.graphical.partial_correlation import separate
from learnable.problems.graphical import fisher_z

# A residual variance (of a standardised variable) below this is rounding: the variable is determined by the set.
SINGULAR = 1e-10
# Nodes handled between two looks at the clock of the interpreter.
NODES_AT_ONCE = 16


class Evidence(NamedTuple):
    """What is known of every pair i < j, one row a pair.

    Attributes
    ----------
    pairs : (m, 2) the nodes.
    kept : (m,) whether the edge is in the skeleton.
    size : (m,) |S| of the test that counts: the one that separated the pair, or of all tests the one with the largest
        p-value; −1 where no test could be made.
    sets : (m, most) S, filled up with −1.
    statistic : (m,) of that test.
    p_value : (m,) of that test.
    """

    pairs: np.ndarray
    kept: np.ndarray
    size: np.ndarray
    sets: np.ndarray
    statistic: np.ndarray
    p_value: np.ndarray


class SkeletonState(NamedTuple):
    """After one ℓ.

    Attributes
    ----------
    objective : edges left.
    level : ℓ.
    adjacent : (p, p).
    evidence : `Evidence`.
    tests, untestable : tests made, and sets that could not be tested, at each level so far.
    without_test : (m,) of each pair, how many sets could not be tested.
    """

    objective: float
    level: int
    adjacent: np.ndarray
    evidence: Evidence
    tests: np.ndarray
    untestable: np.ndarray
    without_test: np.ndarray


class LevelResult(NamedTuple):
    """What one level found of its edges: the best test of each, NaN where none could be made."""

    sets: np.ndarray
    statistic: np.ndarray
    p_value: np.ndarray
    tests: np.ndarray
    untestable: np.ndarray


class IndependenceTest(Protocol):
    """A way to judge all edges at one ℓ; removes from `alive` those it separates."""

    def level(self, size: int, edges: np.ndarray, neighbours: np.ndarray, alive: np.ndarray) -> LevelResult: ...


class PartialCorrelations(NamedTuple):
    """Fisher's z test on a correlation matrix of n rows."""

    correlation: np.ndarray
    n: int
    alpha: float

    def level(self, size: int, edges: np.ndarray, neighbours: np.ndarray, alive: np.ndarray) -> LevelResult:
        m, p = len(edges), len(alive)
        least, found = np.full(m, np.nan), np.full((m, size), -1)
        tests, untestable = np.zeros(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
        if fisher_z.testable(self.n, size):
            edge_of = np.full((p, p), -1)  # edges that are not to be tested keep −1
            edge_of[edges[:, 0], edges[:, 1]] = edge_of[edges[:, 1], edges[:, 0]] = np.arange(m)
            critical = fisher_z.critical_correlation(self.alpha, self.n, size)
            for first in range(0, p, NODES_AT_ONCE):
                separate(
                    self.correlation, size, critical, SINGULAR, neighbours, alive, first, min(first + NODES_AT_ONCE, p),
                    edge_of, least, found, tests, untestable,
                )  # fmt: skip
            statistic = fisher_z.statistic(least, self.n, size)
            return LevelResult(found, statistic, fisher_z.p_value(statistic), tests, untestable)
        untestable[:] = _sets_around(neighbours, edges, size)
        return LevelResult(found, least, least.copy(), tests, untestable)


class OneByOne(NamedTuple):
    """Any test: a function of (i, j, S) that gives (statistic, p-value), or None where the data cannot say."""

    judge: Any
    alpha: float

    def level(self, size: int, edges: np.ndarray, neighbours: np.ndarray, alive: np.ndarray) -> LevelResult:
        m = len(edges)
        sets, statistic, p_value = np.full((m, size), -1), np.full(m, np.nan), np.full(m, np.nan)
        tests, untestable = np.zeros(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
        order = sorted([(int(a), int(b), e) for e, (a, b) in enumerate(edges)] + [
            (int(b), int(a), e) for e, (a, b) in enumerate(edges) if size
        ])  # fmt: skip
        for i, j, edge in order:
            if not alive[i, j]:
                continue
            around = [k for k in np.flatnonzero(neighbours[i]).tolist() if k != j]
            for S in combinations(around, size):
                if j < i and all(neighbours[j, k] for k in S):
                    continue  # tried from the other end already
                found = self.judge(i, j, S) if i < j else self.judge(j, i, S)
                if found is None:
                    untestable[edge] += 1
                    continue
                tests[edge] += 1
                if not found[1] <= p_value[edge]:
                    sets[edge], (statistic[edge], p_value[edge]) = S, found
                if found[1] >= self.alpha:
                    alive[i, j] = alive[j, i] = False
                    break
        return LevelResult(sets, statistic, p_value, tests, untestable)


def iterates(
    test: IndependenceTest,
    start: np.ndarray,
    stable: bool,
    max_level: int | None = None,
    fixed: np.ndarray | None = None,
) -> Iterator[SkeletonState]:
    """One state a level.

    Parameters
    ----------
    test : how edges are judged.
    start : (p, p) the edges at the beginning: all pairs but those that are forbidden.
    stable : the stable order, or the original one.
    max_level : the largest ℓ, None for no bound.
    fixed : (p, p) edges that are never tested.
    """
    p = len(start)
    alive = start.copy()
    pairs = np.argwhere(np.triu(np.ones((p, p), dtype=bool), 1))
    number = np.full((p, p), -1)
    number[pairs[:, 0], pairs[:, 1]] = np.arange(len(pairs))
    sets = np.full((len(pairs), 0), -1)
    size_of = np.full(len(pairs), -1)
    statistic, p_value = np.full(len(pairs), np.nan), np.full(len(pairs), np.nan)
    without_test = np.zeros(len(pairs), dtype=np.int64)
    counts: list[tuple[int, int]] = []
    level = 0
    while True:
        neighbours = alive.copy() if stable else alive
        edges = np.argwhere(np.triu(alive if fixed is None else alive & ~fixed, 1))
        found = test.level(level, edges, neighbours, alive)
        # What counts of an edge: the test that separated it, else the largest p-value of all levels.
        rows = number[edges[:, 0], edges[:, 1]]
        separated = ~alive[edges[:, 0], edges[:, 1]]
        better = separated | (found.p_value > p_value[rows]) | (np.isnan(p_value[rows]) & ~np.isnan(found.p_value))
        if level > sets.shape[1]:
            sets = np.hstack([sets, np.full((len(pairs), 1), -1)])
        at = rows[better]
        sets[at] = -1
        sets[at, :level] = found.sets[better]
        size_of[at], statistic[at], p_value[at] = level, found.statistic[better], found.p_value[better]
        without_test[rows] += found.untestable
        counts.append((int(found.tests.sum()), int(found.untestable.sum())))
        kept = alive[pairs[:, 0], pairs[:, 1]]
        tests, untestable = np.array(counts).T
        yield SkeletonState(
            float(kept.sum()), level, alive.copy(),
            Evidence(pairs, kept, size_of.copy(), sets.copy(), statistic.copy(), p_value.copy()),
            tests, untestable, without_test.copy(),
        )  # fmt: skip
        level += 1
        if alive.sum(axis=1).max(initial=0) - 1 < level or (max_level is not None and level > max_level):
            return


def _sets_around(neighbours: np.ndarray, edges: np.ndarray, size: int) -> np.ndarray:
    """(m,) how many sets of this size are among the neighbours of either end, those of both counted once."""
    from math import comb

    degree = neighbours.sum(axis=1)
    shared = (neighbours.astype(np.int64) @ neighbours.astype(np.int64))[edges[:, 0], edges[:, 1]]
    one, two = degree[edges[:, 0]] - 1, degree[edges[:, 1]] - 1
    return np.array(
        [comb(a, size) + comb(b, size) - comb(c, size) for a, b, c in zip(one, two, shared)], dtype=np.int64
    )
