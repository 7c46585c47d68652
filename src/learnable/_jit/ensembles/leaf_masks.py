"""Scores of many rows by boosted trees of few leaves, without a walk: sets of leaves are bits of a word.

A split rules out the leaves of one of its sides. So the bin of a cell rules out some leaves of a tree by all splits on
its column at once, and the one leaf that no column rules out is the row's (QuickScorer, Lucchese and others 2015, by
bins). No step waits for the one before, and none is guessed: missing cells and categories are bins as others are.

Paid for by `python -m benchmarks trees`.
"""

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba.core import types

from learnable._jit.core.by_reference import by_reference
from learnable._jit.core.compile import inner_kernel, kernel
from learnable._jit.core.flat_sums import any_intrinsic, entry
from learnable._jit.ensembles.histograms import MISSING, TOGETHER, find_bins

# Nodes of a tree whose leaves are the bits of a word.
MOST_NODES = 127


@by_reference
class LeafMasks(NamedTuple):
    """Trees t = 0 … T − 1, of the scores 0 … K − 1 in turn, by the columns they split.

    start : (T + 1,) of which lines each tree has.
    column : (s,) of a line, its place among the columns that are used.
    masks : (s, 256) of a line, the leaves that each bin leaves over, one bit a leaf.
    first_leaf, value : (T,), (leaves,) what each leaf adds to its score.
    """

    start: np.ndarray
    column: np.ndarray
    masks: np.ndarray
    first_leaf: np.ndarray
    value: np.ndarray


@any_intrinsic
def _lowest_bit(typing, word):
    """The number of the lowest bit that is set in a word, of which one is."""

    def code(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.IntType(1)(1))

    return types.uint64(types.uint64), code


@kernel
def write_masks(root, left, right, column, cut, missing_left, category_row, category_left, value, found):
    """Fill `found`; returns whether every tree has few enough leaves.

    column, cut : (m,) of the splits, their columns as places among the used ones and, of numbers, the last bin that
        goes left.
    """
    node, child = np.empty(MOST_NODES, np.int64), np.empty(MOST_NODES, np.int64)
    leaves, begin = np.empty(MOST_NODES, np.int64), np.empty(MOST_NODES, np.int64)
    lines, n_leaves = 0, 0
    for t in range(len(root)):
        found.start[t], found.first_leaf[t] = lines, n_leaves
        m = _list_nodes(root[t], left, right, node, child)
        if m < 0 or m > 2 * 8 * found.masks.itemsize - 1:
            return False
        for k in range(m - 1, -1, -1):
            leaves[k] = 1 if child[k] < 0 else leaves[child[k]] + leaves[child[k] + 1]
        begin[0] = 0
        if lines + m // 2 > len(found.column) or n_leaves + leaves[0] > len(found.value):
            return False  # nodes that belong to several trees
        for k in range(m):
            if child[k] < 0:
                found.value[n_leaves + begin[k]] = value[node[k]]
                continue
            a, split = child[k], node[k]
            begin[a], begin[a + 1] = begin[k], begin[k] + leaves[a]
            line = found.start[t]
            while line < lines and found.column[line] != column[split]:
                line += 1
            if line == lines:
                lines += 1
                found.column[line] = column[split]
                for code in range(256):
                    found.masks[line, code] = _bits(0, leaves[0])
            goes_left, goes_right = ~_bits(begin[a + 1], leaves[a + 1]), ~_bits(begin[a], leaves[a])
            row = category_row[split]
            for code in range(256):
                goes = category_left[row, code] if row >= 0 else code <= cut[split]
                if code == MISSING:
                    goes = missing_left[split]
                found.masks[line, code] &= goes_left if goes else goes_right
        n_leaves += leaves[0]
    found.start[len(root)] = lines
    return True


@inner_kernel
def _list_nodes(root, left, right, node, child):
    """Nodes of a tree, the two children of each, one behind the other, after it; how many, −1 for too many."""
    node[0], m, k = root, 1, 0
    while k < m:
        child[k] = -1
        if left[node[k]] >= 0:
            if m + 2 > len(node):
                return -1
            child[k], node[m], node[m + 1] = m, left[node[k]], right[node[k]]
            m += 2
        k += 1
    return m


@inner_kernel
def _bits(begin, number):
    """`number` bits from `begin` on, at least one."""
    return (~np.uint64(0) >> np.uint64(64 - number)) << np.uint64(begin)


@kernel
def bin_columns(X, used, edges, first, n_edges, categorical, codes):
    """codes[u, i] = bin of row i's cell in column used[u], as `bin_rows` finds it."""
    place = np.empty(TOGETHER, np.int64)
    cells = np.empty(TOGETHER)
    for low in range(0, X.shape[0], TOGETHER):
        n = min(X.shape[0] - low, TOGETHER)
        for u in range(len(used)):
            j = used[u]
            for i in range(n):
                cells[i] = X[low + i, j]
            if not categorical[u]:
                find_bins(cells[:n], edges[first[u] :], n_edges[u], place)
            for i in range(n):
                x = cells[i]
                code = place[i]
                if categorical[u]:
                    code = np.int64(x) if 0.0 <= x < 256.0 else MISSING
                codes[u, low + i] = MISSING if np.isnan(x) else code


# Four rows at a time, as histograms are summed.


@kernel
def add_leaves(found, codes, score):
    """score[i, k] += Σ over rounds of the leaf of tree (round, k) that no bin of row i rules out."""
    n, K, bins, one, two, three = (np.uintp(score.shape[0]), score.shape[1], np.uintp(256), np.uintp(1), np.uintp(2),
                                   np.uintp(3))  # fmt: skip
    every = ~np.uint64(0)
    for t in range(len(found.first_leaf)):
        k = np.uintp(t % K)
        low, high = np.uintp(found.start[t]), np.uintp(found.start[t + 1])
        value = found.value[found.first_leaf[t] :]
        i = np.uintp(0)
        while i + three < n:
            a = b = c = d = every
            for line in range(low, high):
                at, mask = np.uintp(found.column[line]) * n + i, line * bins
                a &= np.uint64(entry(found.masks, mask + np.uintp(entry(codes, at))))
                b &= np.uint64(entry(found.masks, mask + np.uintp(entry(codes, at + one))))
                c &= np.uint64(entry(found.masks, mask + np.uintp(entry(codes, at + two))))
                d &= np.uint64(entry(found.masks, mask + np.uintp(entry(codes, at + three))))
            score[i, k] += value[_lowest_bit(a)]
            score[i + one, k] += value[_lowest_bit(b)]
            score[i + two, k] += value[_lowest_bit(c)]
            score[i + three, k] += value[_lowest_bit(d)]
            i += three + one
        while i < n:
            a = every
            for line in range(low, high):
                at = np.uintp(found.column[line]) * n + i
                a &= np.uint64(entry(found.masks, line * bins + np.uintp(entry(codes, at))))
            score[i, k] += value[_lowest_bit(a)]
            i += one
