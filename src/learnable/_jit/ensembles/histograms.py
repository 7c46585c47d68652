"""Histograms of boosting: cells in bins, gradients as whole numbers, their sums by bin, and partitions of rows.

A row's cell in a column is one of 255 bins, or bin 255 if it is missing. Gradients and curvatures are rounded to whole
numbers of a small unit, so that their sums are exact: the same for any order of the rows and any number of threads, and
a parent's sums minus those of one child are those of the other. A gradient shares its word with the count of rows,
(gradient << bits) + 1; curvatures have a word of their own, and none where all are 1.
"""

from typing import NamedTuple

import numpy as np

from learnable._jit.core.compile import kernel

# The last of the 256 values of a byte.
MISSING = 255
# Columns summed in one pass over the rows, so that their histograms stay in the second-level cache.
TILE = 64


class Slopes(NamedTuple):
    """Gradients and curvatures of the rows, and the same as words (n, 1 or 2) of whole numbers of the units."""

    gradient: np.ndarray
    curvature: np.ndarray
    words: np.ndarray
    bits: int
    gradient_unit: float
    curvature_unit: float


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
                base, length = first[j], n_edges[j]
                # Halve the stretch without a branch: the comparison becomes a step.
                while length > 1:
                    half = length >> 1
                    base += half if edges[base + half - 1] < x else 0
                    length -= half
                out[i, j] = base - first[j] + (1 if length == 1 and edges[base] < x else 0)


@kernel
def write_words(gradient, curvature, words, bits, gradient_unit, curvature_unit):
    """The words of some rows."""
    up = 1.0 / gradient_unit
    if words.shape[1] == 1:
        for i in range(len(gradient)):
            words[i, 0] = (np.int64(np.rint(gradient[i] * up)) << bits) + 1
        return
    up_too = 1.0 / curvature_unit
    for i in range(len(gradient)):
        words[i, 0] = (np.int64(np.rint(gradient[i] * up)) << bits) + 1
        words[i, 1] = np.int64(np.rint(curvature[i] * up_too))


@kernel
def sum_rows(bins, rows, words, histogram):
    """Add the words of rows to a histogram (p, 256, 1 or 2)."""
    p, width = bins.shape[1], words.shape[1]
    flat = histogram.reshape(p * 256 * width)
    one, eight = np.uintp(1), np.uintp(8)  # indices without a sign need no look whether they count from the end
    for tile in range(0, p, TILE):
        low, high = np.uintp(tile), np.uintp(min(p, tile + TILE))
        if width == 1:
            for i in range(len(rows)):
                row = np.uintp(rows[i])
                word = words[row, 0]
                for j in range(low, high):
                    flat[(j << eight) | np.uintp(bins[row, j])] += word
        else:
            for i in range(len(rows)):
                row = np.uintp(rows[i])
                word, other = words[row, 0], words[row, 1]
                for j in range(low, high):
                    k = ((j << eight) | np.uintp(bins[row, j])) << one
                    flat[k] += word
                    flat[k + one] += other


@kernel
def sides(nodes, node):
    """(256,) whether each bin of the column that a node splits goes left."""
    goes = np.empty(256, np.uint8)
    for code in range(256):
        by_number = 1 if code <= nodes.bin[node] else 0
        goes[code] = nodes.category_left[node, code] if nodes.by_category[node] == 1 else by_number
    if nodes.by_category[node] == 0:
        goes[MISSING] = nodes.missing_left[node]
    return goes


@kernel
def partition(codes, goes, rows, spare):
    """Rows that go left first, each side in the order it had; returns how many go left.

    codes : the column that is split.
    """
    a, b, one = np.uintp(0), np.uintp(0), np.uintp(1)
    for i in range(np.uintp(len(rows))):
        row = rows[i]
        left = np.uintp(goes[codes[np.uintp(row)]])
        # Both are written; the one that counts moves on.
        rows[a] = row
        spare[b] = row
        a += left
        b += one - left
    rows[a:] = spare[:b]
    return np.int64(a)


@kernel
def partition_blocks(codes, goes, rows, block, first, last, spare, n_left):
    """The same for each of the blocks first … last − 1 of rows; n_left of each."""
    for k in range(first, last):
        low, high = k * block, min(len(rows), (k + 1) * block)
        n_left[k] = partition(codes, goes, rows[low:high], spare[low:high])


@kernel
def place_blocks(rows, block, first, last, before, n_left, total_left, spare):
    """Blocks first … last − 1 of rows, each partitioned, to `spare`: all that go left stand before all others there."""
    for k in range(first, last):
        low, high = k * block, min(len(rows), (k + 1) * block)
        middle = low + n_left[k]
        a, b = before[k], total_left + low - before[k]
        spare[a : a + n_left[k]] = rows[low:middle]
        spare[b : b + high - middle] = rows[middle:high]
