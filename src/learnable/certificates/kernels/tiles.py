"""Kernel values computed again, a tile at a time, and summed up."""

from itertools import combinations
from math import fsum
from typing import Any

import numpy as np
from scipy import sparse

from learnable.problems.kernels.basic import FunctionKernel, Linear
from learnable.problems.kernels.kernel import Kernel, squares
from learnable.rows.threads import in_order, one_blas_thread_meanwhile, worker_count

# Rows and anchors of a tile, whose values stay in a second-level cache; the same of a square one.
TILE, SIDE = (256, 512), 512
# Values below which threads are not worth their start.
FEW = 2**17
# What a function of somebody else is asked for at once.
BLOCK = 2**21


def weighted_sums(kernel: Kernel, X: Any, anchors: Any, coefficients: np.ndarray) -> tuple[np.ndarray, float]:
    """(Σₛ k(x, xₛ) cₛ for every row x and column c of the coefficients, largest |k|); threads over the rows."""
    if isinstance(kernel, Linear):
        return _linear_sums(X, anchors, coefficients)
    n, m = X.shape[0], anchors.shape[0]
    out = np.zeros((n, coefficients.shape[1]))
    theirs = isinstance(kernel, FunctionKernel)
    height, width = (n, BLOCK // max(n, 1) + 1) if theirs else TILE

    def fill(start: int) -> float:
        rows, largest = slice(start, start + height), 0.0
        for first in range(0, m, width):
            part = slice(first, first + width)
            values = kernel(X[rows], anchors[part])
            out[rows] += values @ coefficients[part]
            largest = max(largest, float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
        return largest

    starts = range(0, n, max(height, 1))
    with one_blas_thread_meanwhile() as granted:
        # Somebody's function may not bear threads.
        workers = 1 if theirs or n * m <= FEW else worker_count(None, granted, len(starts))
        found = map(fill, starts) if workers == 1 else in_order(fill, iter(starts), workers)
        return out, max(found, default=0.0)


def pair_sums(kernel: Kernel, X: Any, index: np.ndarray, support: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """(n, pairs of classes) Σₛ k(x, xₛ) βₛ where x is of one of the two classes, else 0; each value is computed once.

    The rows of a class need the columns of its own pairs only, and of other classes the anchors that count there.
    """
    K = int(index.max(initial=0)) + 1
    column = np.zeros((K, K), dtype=np.intp)
    for k, (i, j) in enumerate(combinations(range(K), 2)):
        column[i, j] = column[j, i] = k
    out = np.zeros((X.shape[0], beta.shape[1]))
    tasks: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for i in range(K):
        rows, mine = np.flatnonzero(index == i), np.delete(column[i], i)
        anchors = support[np.any(beta[np.ix_(support, mine)] != 0.0, axis=1)]
        tasks += [(rows[k : k + SIDE], mine, anchors) for k in range(0, len(rows), SIDE)]

    def fill(task: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
        rows, mine, anchors = task
        out[np.ix_(rows, mine)] = kernel(X[rows], X[anchors]) @ beta[np.ix_(anchors, mine)]

    with one_blas_thread_meanwhile() as granted:
        workers = worker_count(None, granted, len(tasks)) if len(index) * len(support) > FEW else 1
        for _ in map(fill, tasks) if workers == 1 else in_order(fill, iter(tasks), workers):
            pass
    return out


def own_sums(kernel: Kernel, X: Any, coefficients: np.ndarray) -> np.ndarray:
    """Σⱼ k(x, xⱼ) cⱼ for every row x of X itself: each value is computed once and serves both of its rows."""
    if isinstance(kernel, FunctionKernel | Linear):
        return weighted_sums(kernel, X, X, coefficients)[0]
    n, m = X.shape[0], coefficients.shape[1]

    def strip(start: int) -> np.ndarray:
        """What the rows of a strip give to themselves and to all rows after them."""
        rows, part = X[start : start + SIDE], np.zeros((n - start, m))
        part[:SIDE] = kernel(rows) @ coefficients[start : start + SIDE]
        for first in range(start + SIDE, n, SIDE):
            values = kernel(rows, X[first : first + SIDE])
            part[:SIDE] += values @ coefficients[first : first + SIDE]
            part[first - start : first - start + SIDE] += values.T @ coefficients[start : start + SIDE]
        return part

    total, starts = np.zeros((n, m)), range(0, n, SIDE)
    with one_blas_thread_meanwhile() as granted:
        workers = worker_count(None, granted, len(starts)) if n * n > FEW else 1
        for start, part in zip(starts, map(strip, starts) if workers == 1 else in_order(strip, iter(starts), workers)):
            total[start:] += part
    return total


def _linear_sums(X: Any, anchors: Any, coefficients: np.ndarray) -> tuple[np.ndarray, float]:
    """The same of x·z, through the weights Σ cₛxₛ; dense rows from their mean m, where offsets would cost the digits:

    Σ c x·xₛ = (x − m)·v + m·(x − m) Σc + m·v + m·m Σc with v = Σ c(xₛ − m).
    """
    largest = np.sqrt(squares(X).max(initial=0.0) * squares(anchors).max(initial=0.0))
    if sparse.issparse(X) or not anchors.shape[0]:
        return np.asarray(X @ np.asarray(anchors.T @ coefficients)), float(largest)
    m = anchors.mean(axis=0)
    near = X - m
    v = (anchors - m).T @ coefficients
    total = np.array([fsum(column) for column in coefficients.T])
    return near @ v + np.outer(near @ m, total) + (m @ v + (m @ m) * total), float(largest)
