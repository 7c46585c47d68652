"""Boosted trees on histograms: sums of gradients by bin, best splits, partitions, leaf-wise growth.

A row's cell in a column is one of 255 bins, or bin 255 if it is missing. A histogram holds for each column and bin the
sums (gradient, curvature, rows). Of two children the smaller one's histogram is summed; the other is the parent's
minus it.
"""

from typing import NamedTuple

import numpy as np

from learnable._jit.core.compile import kernel
from learnable._jit.trees.grow import random_below

MISSING = 255


class Growth(NamedTuple):
    """When and how nodes are split."""

    max_leaves: int
    max_depth: int
    min_leaf: int
    l2: float
    min_curvature: float
    max_features: int


class Nodes(NamedTuple):
    """Nodes of one tree; `slot` is the place of a node's histogram, `counters` (nodes, leaves)."""

    left: np.ndarray
    right: np.ndarray
    feature: np.ndarray
    bin: np.ndarray
    missing_left: np.ndarray
    category_left: np.ndarray
    by_category: np.ndarray
    start: np.ndarray
    end: np.ndarray
    depth: np.ndarray
    gain: np.ndarray
    sums: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    allowed: np.ndarray
    slot: np.ndarray
    counters: np.ndarray


@kernel
def bin_rows(X, edges, first, n_edges, categorical, out):
    """out[i, j] = bin of a cell: the number of edges below it; a code stays as it is; 255 for missing cells."""
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            x = X[i, j]
            if np.isnan(x):
                out[i, j] = MISSING
            elif categorical[j]:
                out[i, j] = int(x)
            else:
                low, high = first[j], first[j] + n_edges[j]
                while low < high:
                    middle = (low + high) // 2
                    if x <= edges[middle]:
                        high = middle
                    else:
                        low = middle + 1
                out[i, j] = low - first[j]


@kernel
def sum_rows(bins, rows, gradient, curvature, constant, histogram):
    """Add the rows to a histogram (p, 256, 3); with constant curvature 1 only gradients and rows are summed."""
    p = bins.shape[1]
    flat = histogram.reshape(p * 256 * 3)
    if constant:
        for i in range(len(rows)):
            row = rows[i]
            g = gradient[row]
            for j in range(p):
                k = (j * 256 + bins[row, j]) * 3
                flat[k] += g
                flat[k + 2] += 1.0
        return
    for i in range(len(rows)):
        row = rows[i]
        g, h = gradient[row], curvature[row]
        for j in range(p):
            k = (j * 256 + bins[row, j]) * 3
            flat[k] += g
            flat[k + 1] += h
            flat[k + 2] += 1.0


@kernel
def finish(histogram, constant):
    """With constant curvature its sums are the numbers of rows."""
    if constant:
        for j in range(histogram.shape[0]):
            for b in range(256):
                histogram[j, b, 1] = histogram[j, b, 2]


@kernel
def _score(g, h, l2, lower, upper):
    """How much the best allowed step v lowers g v + ½ (h + l2) v², times 2; with v in its bounds."""
    v = -g / (h + l2)
    if v < lower:
        v = lower
    elif v > upper:
        v = upper
    else:
        return g * g / (h + l2)
    return -(2.0 * g * v + (h + l2) * v * v)


@kernel
def find_split(histogram, n_bins, categorical, monotone, growth, nodes, node, order, keys, random, features):
    """Store the split of the largest gain in `nodes`; gain 0 where there is none."""
    p = histogram.shape[0]
    G, H, C = nodes.sums[node, 0], nodes.sums[node, 1], nodes.sums[node, 2]
    lower, upper = nodes.lower[node], nodes.upper[node]
    parent = _score(G, H, growth.l2, lower, upper)
    tie = 1e-12 * abs(parent)
    best = 0.0
    nodes.gain[node] = 0.0
    for visited in range(min(p, growth.max_features)):
        j = visited
        if growth.max_features < p:
            swap = visited + random_below(random, p - visited)
            j = features[swap]
            features[swap] = features[visited]
            features[visited] = j
        if nodes.allowed[node, j] & 1 == 0:
            continue
        table, n = histogram[j], n_bins[j]
        n_missing = table[MISSING, 2]
        if categorical[j]:
            seen = 0
            for b in range(256):
                if table[b, 2] > 0.0:
                    order[seen] = b
                    # Rare categories are drawn to zero, so that their noise does not lead.
                    keys[seen] = table[b, 0] / (table[b, 1] + 10.0)
                    seen += 1
            place = np.argsort(keys[:seen], kind="mergesort")
            g, h, c = 0.0, 0.0, 0.0
            for r in range(seen - 1):
                b = order[place[r]]
                g += table[b, 0]
                h += table[b, 1]
                c += table[b, 2]
                if c < growth.min_leaf or h < growth.min_curvature:
                    continue
                if C - c < growth.min_leaf or H - h < growth.min_curvature:
                    break
                gain = _score(g, h, growth.l2, lower, upper) + _score(G - g, H - h, growth.l2, lower, upper) - parent
                if gain > best + tie:
                    best = gain
                    nodes.feature[node] = j
                    nodes.by_category[node] = 1
                    nodes.bin[node] = -1
                    more = 1 if 2.0 * c > C else 0
                    nodes.missing_left[node] = more
                    for b2 in range(256):
                        nodes.category_left[node, b2] = 2
                    for q in range(seen):
                        nodes.category_left[node, order[place[q]]] = 1 if q <= r else 0
                    if n_missing > 0.0:
                        nodes.missing_left[node] = nodes.category_left[node, MISSING]
                    for b2 in range(256):
                        if nodes.category_left[node, b2] == 2:
                            nodes.category_left[node, b2] = nodes.missing_left[node]
            continue
        for side in range(2 if n_missing > 0.0 else 1):
            g, h, c = 0.0, 0.0, 0.0
            if side == 1:
                g, h, c = table[MISSING, 0], table[MISSING, 1], table[MISSING, 2]
            last = n if (n_missing > 0.0 and side == 0) else n - 1
            for b in range(last):
                if table[b, 2] == 0.0 and b < n - 1:
                    continue
                g += table[b, 0]
                h += table[b, 1]
                c += table[b, 2]
                if c < growth.min_leaf or h < growth.min_curvature:
                    continue
                if C - c < growth.min_leaf or H - h < growth.min_curvature:
                    break
                if monotone[j] != 0:
                    a = min(max(-g / (h + growth.l2), lower), upper)
                    d = min(max(-(G - g) / (H - h + growth.l2), lower), upper)
                    if monotone[j] * (d - a) < 0.0:
                        continue
                gain = _score(g, h, growth.l2, lower, upper) + _score(G - g, H - h, growth.l2, lower, upper) - parent
                if gain > best + tie:
                    best = gain
                    nodes.feature[node] = j
                    nodes.by_category[node] = 0
                    nodes.bin[node] = b
                    nodes.missing_left[node] = side if n_missing > 0.0 else (1 if 2.0 * c > C else 0)
    nodes.gain[node] = best


@kernel
def partition(bins, rows, spare, nodes, node):
    """Rows of a node that go left first, each side in its order; returns how many go left."""
    j, start, end = nodes.feature[node], nodes.start[node], nodes.end[node]
    cut, missing_left, by_category = nodes.bin[node], nodes.missing_left[node], nodes.by_category[node]
    a, b = start, 0
    for i in range(start, end):
        row = rows[i]
        code = bins[row, j]
        if by_category == 1:
            left = nodes.category_left[node, code]
        elif code == MISSING:
            left = missing_left
        else:
            left = np.uint8(1) if code <= cut else np.uint8(0)
        spare[b] = row
        rows[a] = row
        a += left
        b += 1 - left
    for i in range(b):
        rows[a + i] = spare[i]
    return a - start


@kernel
def grow(bins, rows, spare, gradient, curvature, constant, n_bins, categorical, monotone, groups, growth, nodes,
         histograms, order, keys, random, features):  # fmt: skip
    """Grow one tree leaf by leaf, always at the leaf of the largest gain; returns the number of nodes."""
    p = bins.shape[1]
    nodes.start[0], nodes.end[0], nodes.depth[0], nodes.slot[0] = 0, len(rows), 0, 0
    nodes.lower[0], nodes.upper[0] = -np.inf, np.inf
    nodes.allowed[0, :] = 1
    histograms[0, :, :, :] = 0.0
    sum_rows(bins, rows, gradient, curvature, constant, histograms[0])
    finish(histograms[0], constant)
    _total(histograms[0], nodes, 0)
    n_nodes, n_leaves = 1, 1
    _consider(histograms[0], n_bins, categorical, monotone, growth, nodes, 0, order, keys, random, features)
    while n_leaves < growth.max_leaves:
        node = -1
        for k in range(n_nodes):
            if nodes.left[k] < 0 and nodes.gain[k] > 0.0 and (node < 0 or nodes.gain[k] > nodes.gain[node]):
                node = k
        if node < 0:
            break
        n_left = partition(bins, rows, spare, nodes, node)
        left, right = n_nodes, n_nodes + 1
        n_nodes += 2
        nodes.left[node], nodes.right[node] = left, right
        middle = nodes.start[node] + n_left
        nodes.start[left], nodes.end[left] = nodes.start[node], middle
        nodes.start[right], nodes.end[right] = middle, nodes.end[node]
        for child in range(left, right + 1):
            nodes.left[child] = -1
            nodes.depth[child] = nodes.depth[node] + 1
            nodes.lower[child], nodes.upper[child] = nodes.lower[node], nodes.upper[node]
            _narrow(nodes, node, child, groups)
        small, large = (left, right) if 2 * n_left <= nodes.end[node] - nodes.start[node] else (right, left)
        old, new = nodes.slot[node], n_leaves
        nodes.slot[small], nodes.slot[large] = new, old
        histograms[new, :, :, :] = 0.0
        sum_rows(bins, rows[nodes.start[small] : nodes.end[small]], gradient, curvature, constant, histograms[new])
        finish(histograms[new], constant)
        one, other = histograms[new], histograms[old]
        for j in range(p):
            for b in range(256):
                for k in range(3):
                    other[j, b, k] -= one[j, b, k]
        n_leaves += 1
        _total(one, nodes, small)
        _total(other, nodes, large)
        sign = monotone[nodes.feature[node]]
        if sign != 0:
            a = min(max(-nodes.sums[left, 0] / (nodes.sums[left, 1] + growth.l2), nodes.lower[node]), nodes.upper[node])
            d = min(
                max(-nodes.sums[right, 0] / (nodes.sums[right, 1] + growth.l2), nodes.lower[node]), nodes.upper[node]
            )
            centre = 0.5 * (a + d)
            if sign > 0:
                nodes.upper[left], nodes.lower[right] = centre, centre
            else:
                nodes.lower[left], nodes.upper[right] = centre, centre
        for child in range(left, right + 1):
            _consider(
                histograms[nodes.slot[child]], n_bins, categorical, monotone, growth, nodes, child, order, keys, random,
                features,
            )  # fmt: skip
    nodes.counters[0], nodes.counters[1] = n_nodes, n_leaves
    return n_nodes


@kernel
def _total(histogram, nodes, node):
    """Sums of a node, from its first column."""
    for k in range(3):
        s = 0.0
        for b in range(256):
            s += histogram[0, b, k]
        nodes.sums[node, k] = s


@kernel
def _consider(histogram, n_bins, categorical, monotone, growth, nodes, node, order, keys, random, features):
    nodes.left[node] = -1
    nodes.right[node] = -1
    nodes.gain[node] = 0.0
    if nodes.depth[node] >= growth.max_depth or nodes.sums[node, 2] < 2 * growth.min_leaf:
        return
    if nodes.sums[node, 1] < 2.0 * growth.min_curvature:
        return
    find_split(histogram, n_bins, categorical, monotone, growth, nodes, node, order, keys, random, features)


@kernel
def _narrow(nodes, node, child, groups):
    """Columns a child may use: those of the groups that hold every column used on the way to it."""
    p = groups.shape[1]
    if groups.shape[0] == 0:
        nodes.allowed[child, :] = 1
        return
    # Bit 2 marks the columns used so far.
    for j in range(p):
        nodes.allowed[child, j] = nodes.allowed[node, j] & 2
    nodes.allowed[child, nodes.feature[node]] |= 2
    for g in range(groups.shape[0]):
        inside = True
        for j in range(p):
            if nodes.allowed[child, j] & 2 and groups[g, j] == 0:
                inside = False
        if inside:
            for j in range(p):
                if groups[g, j]:
                    nodes.allowed[child, j] |= 1


@kernel
def add_leaves(rows, start, end, left, value, score):
    """score[row] += value of the row's leaf, for the rows a tree was grown on."""
    for node in range(len(left)):
        if left[node] < 0:
            v = value[node]
            for i in range(start[node], end[node]):
                score[rows[i]] += v


@kernel
def add_trees(first, left, right, feature, threshold, missing_left, category_row, category_left, value, X, score):
    """score[i, k] += Σ over rounds of the leaf of tree (round, k) that row i comes to."""
    for t in range(first.shape[0]):
        for k in range(first.shape[1]):
            root = first[t, k]
            for i in range(X.shape[0]):
                node = root
                while left[node] >= 0:
                    x = X[i, feature[node]]
                    if category_row[node] >= 0:
                        if np.isnan(x) or x < 0.0 or x >= 255.0:
                            goes = missing_left[node] == 1
                        else:
                            goes = category_left[category_row[node], int(x)] == 1
                    elif x <= threshold[node]:
                        goes = True
                    else:
                        goes = np.isnan(x) and missing_left[node] == 1
                    node = left[node] if goes else right[node]
                score[i, k] += value[node]
