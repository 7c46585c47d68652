"""Growth of a boosted tree whose rows are in several places.

Each place parts its rows and sums histograms of them; one place, which has no rows, adds these up and seeks the splits.
"""

from typing import NamedTuple

import numpy as np

from learnable._jit.core.compile import inner_kernel, kernel
from learnable._jit.core.lean import lean
from learnable._jit.ensembles.expansions import _expand_squares, _expand_two_classes
from learnable._jit.ensembles.histograms import Slopes, sides, sum_wide, write_words
from learnable._jit.ensembles.leafwise import _begin, _may_split, _narrow
from learnable._jit.ensembles.split_search import choose, search_column


class Place(NamedTuple):
    """The rows of one place: slopes, bins by rows (n, p) and by columns (p, n), rows in the order of nodes, room for
    them."""

    slopes: Slopes
    codes: np.ndarray
    columns: np.ndarray
    rows: np.ndarray
    spare: np.ndarray


@lean
@kernel
def plant(place, histogram):
    """The words of all rows, in the order they have, and the histogram of the root, which begins with zeros."""
    n = len(place.rows)
    write_words(place.slopes, 0, n)
    for i in range(n):
        place.rows[i] = i
    sum_wide(place.codes, place.rows, place.slopes.words, histogram)


@lean
@kernel
def split(place, start, end, column, goes, histograms, summed):
    """Part the rows of a node, and sum the histograms of its children that are wanted; returns where the right begins.

    histograms : zeros.
    summed : (2,) where in `histograms` those of the left and of the right child go, −1 for nowhere.
    """
    middle = _part(place, start, end, column, goes)
    if summed[0] >= 0:
        sum_wide(place.codes, place.rows[start:middle], place.slopes.words, histograms[summed[0]])
    if summed[1] >= 0:
        sum_wide(place.codes, place.rows[middle:end], place.slopes.words, histograms[summed[1]])
    return middle


@lean
@inner_kernel
def _part(place, start, end, column, goes):
    """Rows of a node that go left first, each side in its order; returns where the others begin."""
    codes, rows, spare = place.columns[column], place.rows[start:end], place.spare
    one = np.uintp(1)
    a, b = np.uintp(0), np.uintp(0)
    for i in range(np.uintp(len(rows))):
        row = rows[i]
        left = np.uintp(goes[codes[np.uintp(row)]])
        # Both are written; the one that counts moves on.
        rows[a] = row
        spare[b] = row
        a += left
        b += one - left
    for i in range(b):
        rows[a + i] = spare[i]
    return start + np.int64(a)


@lean
@kernel
def expand_chunk(two_classes, y, score, gradient, curvature, scratch, sums):
    """Slopes of the squared or the binomial loss of rows without weights, and their sums, as `expand_rows` has them.

    scratch : (512,) whole numbers.
    """
    if two_classes:
        _expand_two_classes(y, score, gradient, curvature, scratch, sums)
    else:
        _expand_squares(y, score, gradient, sums)


@lean
@kernel
def mark(rows, starts, ends, leaf):
    """The leaf of each row, from where the rows of the leaves are."""
    for k in range(len(starts)):
        for i in range(starts[k], ends[k]):
            leaf[np.uintp(rows[i])] = k


@lean
@kernel
def sum_leaves(leaf, gradient, curvature, sums):
    """sums (leaves, 2) = gradients and curvatures of these rows by their leaves."""
    sums[:] = 0.0
    for i in range(len(leaf)):
        k = np.uintp(leaf[i])
        sums[k, 0] += gradient[i]
        sums[k, 1] += curvature[i]


@lean
@kernel
def bear(slopes, table, nodes, node, left):
    """The children of a node, numbered `left` and the next, with their sums; where node < 0, the root, numbered so."""
    if node < 0:
        nodes.depth[left] = 0
        nodes.lower[left], nodes.upper[left] = -np.inf, np.inf
        nodes.allowed[left, :] = 1
        _begin(slopes, nodes, left)
        return
    nodes.left[node], nodes.right[node] = left, left + 1
    for k in range(2):
        nodes.words[left, k] = nodes.left_words[node, k]
        nodes.words[left + 1, k] = nodes.words[node, k] - nodes.left_words[node, k]
    for child in range(left, left + 2):
        nodes.depth[child] = nodes.depth[node] + 1
        nodes.lower[child], nodes.upper[child] = nodes.lower[node], nodes.upper[node]
        _narrow(nodes, node, child, table.groups)
        _begin(slopes, nodes, child)


@lean
@kernel
def seek(histogram, slopes, table, growth, nodes, node, found, goes):
    """The best split of a node, where the limits let it be split, and the side of each bin (256,)."""
    if not _may_split(growth, nodes, node):
        return
    for j in range(len(table.columns)):
        search_column(histogram[j], slopes, table, growth, nodes, node, found, 0, j)
    choose(table, growth, nodes, node, found, 0)
    sides(nodes, node, goes)
