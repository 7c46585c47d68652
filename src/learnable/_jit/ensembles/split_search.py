"""The best split of a node, column by column, from its histogram."""

from typing import NamedTuple

import numpy as np

from learnable._jit.core.compile import kernel
from learnable._jit.ensembles.histograms import MISSING


class Growth(NamedTuple):
    """When and how nodes are split."""

    max_leaves: int
    max_depth: int
    min_leaf: int
    l2: float
    min_curvature: float
    max_features: int


class Table(NamedTuple):
    """Cells as bins (p, n), by columns; how many bins each has; categories, signs of effects, groups."""

    columns: np.ndarray
    n_bins: np.ndarray
    categorical: np.ndarray
    monotone: np.ndarray
    groups: np.ndarray


class Nodes(NamedTuple):
    """Nodes of one tree.

    `words` are the sums of the words of a node's rows, `sums` the same as (gradient, curvature, rows), `left_words`
    those of the rows that its split sends left. `slot` is the place of a node's histogram, −1 for none. `waiting` holds
    the leaves that may be split, as a heap with the largest gain first, `free` the places for histograms not in use,
    `counters` (nodes, leaves, waiting, free).
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
    words: np.ndarray
    left_words: np.ndarray
    sums: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    allowed: np.ndarray
    slot: np.ndarray
    waiting: np.ndarray
    free: np.ndarray
    counters: np.ndarray


class Found(NamedTuple):
    """The best splits of columns (2, p, …), for each of two nodes: gain, (bin, side of the missing), words of the rows
    that go left, and which categories do."""

    gain: np.ndarray
    cut: np.ndarray
    left_words: np.ndarray
    categories: np.ndarray


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
def add_up(slopes, nodes, node):
    """`sums` of a node from its words."""
    word = nodes.words[node, 0]
    count = float(word & ((np.int64(1) << slopes.bits) - 1))
    nodes.sums[node, 0] = (word >> slopes.bits) * slopes.gradient_unit
    nodes.sums[node, 1] = nodes.words[node, 1] * slopes.curvature_unit if slopes.words.shape[1] == 2 else count
    nodes.sums[node, 2] = count


@kernel
def _whole(growth, nodes, node):
    """The score of a node that is not split, and gains below which two splits are as good."""
    parent = _score(nodes.sums[node, 0], nodes.sums[node, 1], growth.l2, nodes.lower[node], nodes.upper[node])
    return parent, 1e-12 * abs(parent)


@kernel
def search_column(line, slopes, table, growth, nodes, node, found, place, j):
    """Write the best split of column j, whose histogram is `line`, to found[place, j]; gain 0 where there is none."""
    found.gain[place, j] = 0.0
    # Bit 1: the groups of columns allow it. Bit 4: it is drawn, where columns are.
    if nodes.allowed[node, j] & 1 == 0 or (
        growth.max_features < len(table.columns) and nodes.allowed[node, j] & 4 == 0
    ):
        return
    if table.categorical[j]:
        _best_subset(line, slopes, growth, nodes, node, found, place, j)
    else:
        _best_cut(line, slopes, table, growth, nodes, node, found, place, j)


@kernel
def choose(table, growth, nodes, node, found, place):
    """Store the split of the largest gain over all columns in `nodes`, the first of those that are as good."""
    _, tie = _whole(growth, nodes, node)
    best, column = 0.0, -1
    for j in range(len(table.columns)):
        if found.gain[place, j] > best + tie:
            best, column = found.gain[place, j], j
    nodes.gain[node] = best
    if column < 0:
        return
    nodes.feature[node] = column
    nodes.by_category[node] = table.categorical[column]
    nodes.bin[node] = found.cut[place, column, 0]
    nodes.missing_left[node] = found.cut[place, column, 1]
    nodes.left_words[node, 0] = found.left_words[place, column, 0]
    nodes.left_words[node, 1] = found.left_words[place, column, 1]
    if table.categorical[column]:
        nodes.category_left[node] = found.categories[place, column]


@kernel
def _best_cut(line, slopes, table, growth, nodes, node, found, place, j):
    """The best cut of a column of numbers; cells that are missing go to either side."""
    G, H, C = nodes.sums[node, 0], nodes.sums[node, 1], nodes.sums[node, 2]
    lower, upper, sign = nodes.lower[node], nodes.upper[node], table.monotone[j]
    bits, mask = slopes.bits, (np.int64(1) << slopes.bits) - 1
    unit, other_unit, pairs = slopes.gradient_unit, slopes.curvature_unit, line.shape[1] == 2
    least, least_bend, l2 = float(growth.min_leaf), growth.min_curvature, growth.l2
    bounded = lower > -np.inf or upper < np.inf
    parent, tie = _whole(growth, nodes, node)
    best = 0.0
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
                found.cut[place, j, 0] = b
                found.cut[place, j, 1] = side if n_missing > 0 else (1 if 2.0 * c > C else 0)
                found.left_words[place, j, 0] = word
                found.left_words[place, j, 1] = other
    found.gain[place, j] = best


@kernel
def _best_subset(line, slopes, growth, nodes, node, found, place, j):
    """The same for the cuts of categories in the order of their mean step."""
    G, H, C = nodes.sums[node, 0], nodes.sums[node, 1], nodes.sums[node, 2]
    lower, upper, l2 = nodes.lower[node], nodes.upper[node], growth.l2
    bits, mask, pairs = slopes.bits, (np.int64(1) << slopes.bits) - 1, line.shape[1] == 2
    parent, tie = _whole(growth, nodes, node)
    seen, keys, n_seen = np.empty(256, np.int64), np.empty(256), 0
    for b in range(256):
        count = line[b, 0] & mask
        if count > 0:
            h = line[b, 1] * slopes.curvature_unit if pairs else float(count)
            seen[n_seen] = b
            # Rare categories are drawn to zero, so that their noise does not lead.
            keys[n_seen] = (line[b, 0] >> bits) * slopes.gradient_unit / (h + 10.0)
            n_seen += 1
    order = seen[np.argsort(keys[:n_seen], kind="mergesort")]
    word, other, best, last = np.int64(0), np.int64(0), 0.0, -1
    for r in range(n_seen - 1):
        word += line[order[r], 0]
        c = float(word & mask)
        h = c
        if pairs:
            other += line[order[r], 1]
            h = other * slopes.curvature_unit
        if c < growth.min_leaf or h < growth.min_curvature:
            continue
        if C - c < growth.min_leaf or H - h < growth.min_curvature:
            break
        g = (word >> bits) * slopes.gradient_unit
        gain = _score(g, h, l2, lower, upper) + _score(G - g, H - h, l2, lower, upper) - parent
        if gain > best + tie:
            best, last = gain, r
            found.left_words[place, j, 0] = word
            found.left_words[place, j, 1] = other
    found.gain[place, j] = best
    if last >= 0:
        _name_categories(order, last, found, place, j, float(found.left_words[place, j, 0] & mask) * 2.0 > C)


@kernel
def _name_categories(order, last, found, place, j, mostly_left):
    """Categories order[: last + 1] go left, the others seen here right.

    What was not seen here goes the way of the missing, and those, if there were none, with the majority.
    """
    goes = found.categories[place, j]
    goes[:] = 2
    for r in range(len(order)):
        goes[order[r]] = 1 if r <= last else 0
    missing = goes[MISSING] if goes[MISSING] < 2 else (1 if mostly_left else 0)
    for b in range(256):
        if goes[b] == 2:
            goes[b] = missing
    found.cut[place, j, 0] = -1
    found.cut[place, j, 1] = missing
