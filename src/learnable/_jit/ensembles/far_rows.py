"""Growth of a boosted tree whose rows are in several places.

Each place parts its rows and sums histograms of them; one place, which has no rows, adds these up and seeks the splits.
"""

from typing import NamedTuple

import numpy as np

from learnable._jit.core.by_reference import by_reference
from learnable._jit.core.compile import inner_kernel, kernel
from learnable._jit.core.exponential import exp_negative
from learnable._jit.core.lean import lean
from learnable._jit.ensembles.expansions import FEW, expand_squares
from learnable._jit.ensembles.histograms import part_rows, sum_wide
from learnable._jit.ensembles.node_rules import allow_all, begin, may_split, narrow
from learnable._jit.ensembles.slopes import Slopes, slopes_of, write_words
from learnable._jit.ensembles.split_search import choose, search_column, sides


@by_reference
class Place(NamedTuple):
    """The rows of one place: slopes, bins by rows (n, p) and by columns (p, n or 0), rows in the order of nodes, room
    for them, and for the words of some (m, 1 or 2)."""

    slopes: Slopes
    codes: np.ndarray
    columns: np.ndarray
    rows: np.ndarray
    spare: np.ndarray
    words: np.ndarray


@lean
@kernel
def plant(place, histogram):
    """All rows in the order they have, and the histogram of the root, which begins with zeros."""
    for i in range(len(place.rows)):
        place.rows[i] = i
    _sum(place, 0, len(place.rows), histogram)


@lean
@kernel
def split(place, start, end, column, goes, histograms, summed):
    """Part the rows of a node, and sum the histograms of its children that are wanted; returns where the right begins.

    histograms : zeros.
    summed : (2,) where in `histograms` those of the left and of the right child go, −1 for nowhere.
    """
    n_left = part_rows(
        place.codes, place.columns, 0, len(place.codes), column, goes, place.rows[start:end], place.spare
    )
    middle = start + n_left
    if summed[0] >= 0:
        _sum(place, start, middle, histograms[summed[0]])
    if summed[1] >= 0:
        _sum(place, middle, end, histograms[summed[1]])
    return middle


@lean
@inner_kernel
def _sum(place, start, end, histogram):
    """Add the rows of a node to a histogram, as many at a time as there is room for words."""
    at_once = len(place.words)
    for low in range(start, end, at_once):
        rows = place.rows[low : min(low + at_once, end)]
        write_words(place.slopes, 0, rows, place.words)
        sum_wide(place.slopes, place.codes, rows, place.words, histogram)


@lean
@kernel
def expand_chunk(two_classes, y, score, gradient, small, bits, sums):
    """Gradients of the squared or odds of the binomial loss of rows without weights, and sums, as of `expand_rows`.

    small, bits : (512,) room.
    """
    if two_classes:
        expand_two_classes(y, score, gradient, small, bits, sums)
        return
    for i in range(len(y)):
        gradient[i] = score[i] - y[i]
    expand_squares(gradient, sums)


@lean
@inner_kernel
def expand_two_classes(y, score, odds, small, bits, sums):
    """Few rows at a time: exponentials are taken side by side, and one logarithm of the product of 1 + e^{−|f|}.

    small, bits : (512,) room for the exponentials.
    """
    total, slope, bend = 0.0, 0.0, 0.0
    for low in range(0, len(y), FEW):
        m = min(len(y) - low, FEW)
        f, label, s = score[low : low + m], y[low : low + m], odds[low : low + m]
        for i in range(m):
            s[i] = abs(f[i])
        exp_negative(s, small[:m], bits[:m])
        product = 1.0  # each factor is at most 2
        for i in range(m):
            share = np.divide(1.0, 1.0 + small[i])
            one = float(label[i])
            wrong = (f[i] >= 0.0) == (one == 0.0)
            product *= 1.0 + small[i]
            s[i] = (1.0 - 2.0 * one) * (np.divide(1.0, small[i]) if wrong else small[i])
            total += abs(f[i]) if wrong else 0.0
            slope += share if wrong else small[i] * share
            bend += small[i] * share * share
        total += np.log(product)
    sums[0], sums[1], sums[2] = total, slope, bend


@lean
@kernel
def mark(rows, starts, ends, leaf):
    """The leaf of each row, from where the rows of the leaves are."""
    for k in range(len(starts)):
        for i in range(starts[k], ends[k]):
            leaf[np.uintp(rows[i])] = k


@lean
@kernel
def sum_leaves(leaf, slopes, sums):
    """sums (leaves, 2) = gradients and curvatures of these rows by their leaves."""
    sums[:] = 0.0
    for i in range(len(leaf)):
        k = np.uintp(leaf[i])
        g, h = slopes_of(slopes, i)
        sums[k, 0] += g
        sums[k, 1] += h


@lean
@kernel
def bear(slopes, table, nodes, node, left):
    """The children of a node, numbered `left` and the next, with their sums; where node < 0, the root, numbered so."""
    if node < 0:
        nodes.depth[left] = 0
        nodes.lower[left], nodes.upper[left] = -np.inf, np.inf
        allow_all(table, nodes, left)
        begin(slopes, nodes, left)
        return
    nodes.left[node], nodes.right[node] = left, left + 1
    for k in range(2):
        nodes.words[left, k] = nodes.left_words[node, k]
        nodes.words[left + 1, k] = nodes.words[node, k] - nodes.left_words[node, k]
    for child in range(left, left + 2):
        nodes.depth[child] = nodes.depth[node] + 1
        nodes.lower[child], nodes.upper[child] = nodes.lower[node], nodes.upper[node]
        narrow(table, nodes, node, child)
        begin(slopes, nodes, child)


@lean
@kernel
def seek(histogram, slopes, table, growth, nodes, node, found, goes):
    """The best split of a node, where the limits let it be split, and the side of each bin (256,)."""
    if not may_split(growth, nodes, node):
        return
    for j in range(table.codes.shape[1]):
        search_column(table, histogram[j], slopes, growth, nodes, node, found, 0, j)
    choose(table, growth, nodes, node, found, 0)
    sides(table, nodes, node, goes)
