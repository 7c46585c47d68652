"""Histograms of boosting: cells in bins, gradients as whole numbers, their sums by bin, and partitions of rows.

A row's cell in a column is one of 255 bins, or bin 255 if it is missing. Gradients and curvatures are rounded to whole
numbers of a small unit, so that their sums are exact: the same for any order of the rows and any number of threads, and
a parent's sums minus those of one child are those of the other. A gradient shares its word with the count of rows,
(gradient << bits) + 1; curvatures have a word of their own, and none where all are 1.
"""

from typing import NamedTuple

import numpy as np

from learnable._jit.core.compile import kernel
from learnable._jit.core.prefetch import prefetch

# The last of the 256 values of a byte.
MISSING = 255
# A row is asked for so many rows before its own: those of a node lie apart.
AHEAD = 16


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
    """The words of some rows; their sums."""
    up = 1.0 / gradient_unit
    total, other = np.int64(0), np.int64(0)
    if words.shape[1] == 1:
        for i in range(len(gradient)):
            words[i, 0] = (np.int64(np.rint(gradient[i] * up)) << bits) + 1
            total += words[i, 0]
        return total, other
    up_too = 1.0 / curvature_unit
    for i in range(len(gradient)):
        words[i, 0] = (np.int64(np.rint(gradient[i] * up)) << bits) + 1
        words[i, 1] = np.int64(np.rint(curvature[i] * up_too))
        total += words[i, 0]
        other += words[i, 1]
    return total, other


@kernel
def order_words(words, rows, ordered):
    """ordered[i] = words of row rows[i]."""
    n, width = len(rows), words.shape[1]
    for i in range(n):
        prefetch(words, np.uintp(rows[min(i + AHEAD, n - 1)]) * np.uintp(width))
        for k in range(width):
            ordered[i, k] = words[np.uintp(rows[i]), k]


@kernel
def sum_rows(column, rows, ordered, line):
    """line (256, 1 or 2) = sums of the words of rows, which stand in their order, by the bins of a column."""
    line[:, :] = 0
    n = np.uintp(len(rows))  # indices without a sign need no look whether they count from the end
    if line.shape[1] == 1:
        for i in range(n):
            line[np.uintp(column[np.uintp(rows[i])]), 0] += ordered[i, 0]
    else:
        for i in range(n):
            code = np.uintp(column[np.uintp(rows[i])])
            line[code, 0] += ordered[i, 0]
            line[code, 1] += ordered[i, 1]


@kernel
def sides(nodes, node, goes):
    """goes (256,): whether each bin of the column that a node splits goes left."""
    for code in range(256):
        by_number = 1 if code <= nodes.bin[node] else 0
        goes[code] = nodes.category_left[node, code] if nodes.by_category[node] == 1 else by_number
    if nodes.by_category[node] == 0:
        goes[MISSING] = nodes.missing_left[node]


@kernel
def part_rows(codes, goes, rows, spare):
    """spare = rows that go left, from its beginning, and the others, from its end; returns how many go left.

    codes : the column that is split.
    """
    one = np.uintp(1)
    n = np.uintp(len(rows))
    a, b = np.uintp(0), n - one
    for i in range(n):
        row = rows[i]
        left = np.uintp(goes[codes[np.uintp(row)]])
        # Both are written; the one that counts moves on.
        spare[a] = row
        spare[b] = row
        a += left
        b -= one - left
    return np.int64(a)


@kernel
def gather_parts(spare, n_left, rows, left, right):
    """Rows of a block that `part_rows` has parted, to rows[left:] and rows[right:], each side in the order it had."""
    rows[left : left + n_left] = spare[:n_left]
    for i in range(len(spare) - n_left):
        rows[right + i] = spare[len(spare) - 1 - i]
