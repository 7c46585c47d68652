"""The best split of a node from its histogram."""

from typing import NamedTuple

import numpy as np

from learnable._jit.core.compile import kernel
from learnable._jit.ensembles.histograms import MISSING
from learnable._jit.trees.grow import random_below


class Growth(NamedTuple):
    """When and how nodes are split."""

    max_leaves: int
    max_depth: int
    min_leaf: int
    l2: float
    min_curvature: float
    max_features: int


class Table(NamedTuple):
    """Cells as bins (n, p), by rows and by columns; bins of each column; categories, signs of effects, groups."""

    bins: np.ndarray
    columns: np.ndarray
    n_bins: np.ndarray
    categorical: np.ndarray
    monotone: np.ndarray
    groups: np.ndarray


class Nodes(NamedTuple):
    """Nodes of one tree.

    `slot` is the place of a node's histogram, −1 for none. `waiting` holds the leaves that may be split, as a heap with
    the largest gain first, `free` the places for histograms not in use, `counters` (nodes, leaves, waiting, free).
    """

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
    waiting: np.ndarray
    free: np.ndarray
    counters: np.ndarray


class Draws(NamedTuple):
    """Room for the order of categories; the state of the random numbers and the columns, shuffled."""

    order: np.ndarray
    keys: np.ndarray
    random: np.ndarray
    features: np.ndarray


@kernel
def _score(g, h, l2, lower, upper):
    """How much the best allowed step v lowers g v + ½ (h + l2) v², times 2; with v in its bounds."""
    v = -g / (h + l2)
    if v < lower:
        v = lower
    elif v > upper:
        v = upper
    else:
        return -g * v
    return -(2.0 * g * v + (h + l2) * v * v)


@kernel
def total(histogram, slopes, nodes, node):
    """Sums of a node, from its first column."""
    word, other = np.int64(0), np.int64(0)
    for b in range(256):
        word += histogram[0, b, 0]
        if histogram.shape[2] == 2:
            other += histogram[0, b, 1]
    count = word & ((np.int64(1) << slopes.bits) - 1)
    nodes.sums[node, 0] = (word >> slopes.bits) * slopes.gradient_unit
    nodes.sums[node, 1] = other * slopes.curvature_unit if histogram.shape[2] == 2 else float(count)
    nodes.sums[node, 2] = float(count)


@kernel
def find_split(histogram, slopes, table, growth, nodes, node, draws):
    """Store the split of the largest gain in `nodes`; gain 0 where there is none."""
    p = histogram.shape[0]
    parent = _score(nodes.sums[node, 0], nodes.sums[node, 1], growth.l2, nodes.lower[node], nodes.upper[node])
    tie = 1e-12 * abs(parent)
    best = 0.0
    for visited in range(min(p, growth.max_features)):
        j = visited
        if growth.max_features < p:
            swap = visited + random_below(draws.random, p - visited)
            j = draws.features[swap]
            draws.features[swap] = draws.features[visited]
            draws.features[visited] = j
        if nodes.allowed[node, j] & 1 == 0:
            continue
        if table.categorical[j]:
            best = _best_subset(histogram[j], slopes, growth, nodes, node, j, parent, best, tie, draws)
        else:
            best = _best_cut(histogram[j], slopes, table, growth, nodes, node, j, parent, best, tie)
    nodes.gain[node] = best


@kernel
def _best_cut(line, slopes, table, growth, nodes, node, j, parent, best, tie):
    """Compare the cuts of a column of numbers with the best gain so far; cells that are missing go to either side."""
    G, H, C = nodes.sums[node, 0], nodes.sums[node, 1], nodes.sums[node, 2]
    lower, upper, sign = nodes.lower[node], nodes.upper[node], table.monotone[j]
    bits, mask = slopes.bits, (np.int64(1) << slopes.bits) - 1
    unit, other_unit, pairs = slopes.gradient_unit, slopes.curvature_unit, line.shape[1] == 2
    least, least_bend, l2 = float(growth.min_leaf), growth.min_curvature, growth.l2
    bounded = lower > -np.inf or upper < np.inf
    n = table.n_bins[j]
    n_missing = line[MISSING, 0] & mask
    for side in range(2 if n_missing > 0 else 1):
        word, other = np.int64(0), np.int64(0)
        if side == 1:
            word = line[MISSING, 0]
            if pairs:
                other = line[MISSING, 1]
        for b in range(n if (n_missing > 0 and side == 0) else n - 1):
            if line[b, 0] == 0 and b < n - 1:
                continue
            word += line[b, 0]
            c = float(word & mask)
            h = c
            if pairs:
                other += line[b, 1]
                h = other * other_unit
            if c < least or h < least_bend:
                continue
            if C - c < least or H - h < least_bend:
                break
            g = (word >> bits) * unit
            if sign != 0:
                a = min(max(-g / (h + l2), lower), upper)
                d = min(max(-(G - g) / (H - h + l2), lower), upper)
                if sign * (d - a) < 0.0:
                    continue
            if bounded:
                gain = _score(g, h, l2, lower, upper) + _score(G - g, H - h, l2, lower, upper) - parent
                better = gain > best + tie
            else:
                # The two quotients as one, which is taken where it is the best so far only: divisions are slow.
                u, v = h + l2, H - h + l2
                top = g * g * v + (G - g) * (G - g) * u
                better = top > (best + tie + parent) * (u * v)
                gain = top / (u * v) - parent if better else best
            if better:
                best = gain
                nodes.feature[node] = j
                nodes.by_category[node] = 0
                nodes.bin[node] = b
                nodes.missing_left[node] = side if n_missing > 0 else (1 if 2.0 * c > C else 0)
    return best


@kernel
def _best_subset(line, slopes, growth, nodes, node, j, parent, best, tie, draws):
    """The same for the cuts of categories in the order of their mean step."""
    G, H, C = nodes.sums[node, 0], nodes.sums[node, 1], nodes.sums[node, 2]
    lower, upper, l2 = nodes.lower[node], nodes.upper[node], growth.l2
    bits, mask = slopes.bits, (np.int64(1) << slopes.bits) - 1
    order, keys, seen = draws.order, draws.keys, 0
    for b in range(256):
        count = line[b, 0] & mask
        if count > 0:
            h = line[b, 1] * slopes.curvature_unit if line.shape[1] == 2 else float(count)
            order[seen] = b
            # Rare categories are drawn to zero, so that their noise does not lead.
            keys[seen] = (line[b, 0] >> bits) * slopes.gradient_unit / (h + 10.0)
            seen += 1
    place = np.argsort(keys[:seen], kind="mergesort")
    g, h, c = 0.0, 0.0, 0.0
    for r in range(seen - 1):
        b = order[place[r]]
        count = float(line[b, 0] & mask)
        g += (line[b, 0] >> bits) * slopes.gradient_unit
        h += line[b, 1] * slopes.curvature_unit if line.shape[1] == 2 else count
        c += count
        if c < growth.min_leaf or h < growth.min_curvature:
            continue
        if C - c < growth.min_leaf or H - h < growth.min_curvature:
            break
        gain = _score(g, h, l2, lower, upper) + _score(G - g, H - h, l2, lower, upper) - parent
        if gain > best + tie:
            best = gain
            nodes.feature[node] = j
            nodes.by_category[node] = 1
            nodes.bin[node] = -1
            for b2 in range(256):
                nodes.category_left[node, b2] = 2
            for q in range(seen):
                nodes.category_left[node, order[place[q]]] = 1 if q <= r else 0
            # What was not seen here goes the way of the missing, and those, if there were none, with the majority.
            missing = nodes.category_left[node, MISSING]
            nodes.missing_left[node] = missing if missing < 2 else (1 if 2.0 * c > C else 0)
            for b2 in range(256):
                if nodes.category_left[node, b2] == 2:
                    nodes.category_left[node, b2] = nodes.missing_left[node]
    return best
