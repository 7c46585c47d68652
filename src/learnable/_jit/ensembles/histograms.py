"""Histograms of boosting: cells in bins, gradients as whole numbers, their sums by bin, and partitions of rows.

A row's cell in a column is one of 255 bins, or bin 255 if it is missing. Gradients and curvatures are rounded to whole
numbers of a small unit (`slopes.py`), so that their sums are exact: the same for any order of the rows and any number
of threads, and a parent's sums minus those of one child are those of the other.
"""

import numpy as np

from learnable._jit.core.compile import exact_inner_kernel, inner_formula, inner_kernel, kernel
from learnable._jit.core.flat_sums import add_one, add_pair, entry, put
from learnable._jit.core.lean import lean
from learnable._jit.core.prefetch import prefetch, prefetch_near
from learnable._jit.ensembles.slopes import Curved, Odds, Residuals, without_gap

# The last of the 256 values of a byte.
MISSING = 255
# A row is asked for so many rows before its own: those of a node lie apart.
AHEAD = 32
# Cells of a column that are put into bins side by side.
TOGETHER = 2**10
# Columns that are summed together where a row is fetched for all of them: their histograms stay in the caches.
WIDE = 24


@lean
@kernel
def bin_rows(X, edges, first, n_edges, categorical, cells, place, out):
    """out[i, j] = bin of a cell: the number of edges below it; a code stays as it is; 255 for missing cells.

    cells, place : (TOGETHER,) room for numbers and for whole numbers.
    """
    for low in range(0, X.shape[0], TOGETHER):
        n = min(X.shape[0] - low, TOGETHER)
        for j in range(X.shape[1]):
            for i in range(n):
                cells[i] = X[low + i, j]
            if not categorical[j]:
                find_bins(cells[:n], edges[first[j] :], n_edges[j], place)
            for i in range(n):
                x = cells[i]
                out[low + i, j] = MISSING if np.isnan(x) else int(x) if categorical[j] else place[i]


@exact_inner_kernel
def find_bins(cells, edges, n_edges, place):
    """place[i] = how many edges lie below a cell, by halving the same stretch for many cells side by side.

    Paid for by `python -m benchmarks trees`: the sign of a difference is a step without a branch, which would be
    guessed wrong every other time; 64 → 21 ns a cell (x86-64). An exact kernel, since the sign of zero counts.
    """
    for i in range(len(cells)):
        place[i] = 0
    length = n_edges
    while length > 0:
        half = (length + 1) >> 1
        for i in range(len(cells)):
            below = np.float64(edges[np.uintp(place[i] + half - 1)] - cells[i]).view(np.int64) >> 63
            place[i] += half & below
        length -= half


@lean
@inner_kernel
def sum_rows(slopes, codes, rows, words, low, high, histogram):
    """histogram[low:high] (p, 256, 1 or 2) += sums of the words of rows by their bins in columns low … high − 1.

    slopes : their kind says how many words a row has.
    codes : (n, p), so that the cells of a row lie together.
    rows : one at least, and they rise.
    words : those of these rows, one after the other.

    Four rows at a time: what a row takes beside its cells is half of the rest (`python -m benchmarks trees`: 20 to 30 %
    of the time of a sum, x86-64). Rows without a gap, as those of the root, need not be asked for (14 %, aarch64).
    """
    n, p, ahead = np.uintp(len(rows)), np.uintp(codes.shape[1]), np.uintp(AHEAD)
    first, end, one, four = np.uintp(low), np.uintp(high), np.uintp(1), np.uintp(4)
    start, one_stretch = np.uintp(entry(rows, np.uintp(0))), without_gap(rows)
    i = np.uintp(0)
    while i + four <= n:
        if one_stretch:
            a = (start + i) * p
            b, c, d = a + p, a + p + p, a + p + p + p
        else:
            if i + ahead + four <= n:
                for k in range(i + ahead, i + ahead + four):
                    prefetch_near(codes, np.uintp(entry(rows, k)) * p + first)
            a, b = np.uintp(entry(rows, i)) * p, np.uintp(entry(rows, i + one)) * p
            c, d = np.uintp(entry(rows, i + one + one)) * p, np.uintp(entry(rows, i + four - one)) * p
        _add_four(slopes, codes, a, b, c, d, words, i, first, end, histogram)
        i += four
    while i < n:
        _add_row(slopes, codes, np.uintp(entry(rows, i)) * p, words, i, first, end, histogram)
        i += one


@lean
@inner_kernel
def sum_wide(slopes, codes, rows, words, histogram):
    """The same in all columns, so many at a time that few rows are fetched twice."""
    p = codes.shape[1]
    n_groups = -(-p // WIDE)
    for group in range(n_groups):
        sum_rows(slopes, codes, rows, words, group * p // n_groups, (group + 1) * p // n_groups, histogram)


# Indices without a sign need no look whether they count from the end.


@inner_formula
def _add_four(slopes, codes, a, b, c, d, words, i, first, end, histogram):
    """The words i … i + 3, of rows whose cells begin at a, b, c and d."""


@_add_four.of(Residuals)
def _(slopes, codes, a, b, c, d, words, i, first, end, histogram):
    bins, one, four = np.uintp(256), np.uintp(1), np.uintp(4)
    word_a, word_b = entry(words, i), entry(words, i + one)
    word_c, word_d = entry(words, i + one + one), entry(words, i + four - one)
    for j in range(first, end):
        add_one(histogram, j * bins + np.uintp(entry(codes, a + j)), word_a)
        add_one(histogram, j * bins + np.uintp(entry(codes, b + j)), word_b)
        add_one(histogram, j * bins + np.uintp(entry(codes, c + j)), word_c)
        add_one(histogram, j * bins + np.uintp(entry(codes, d + j)), word_d)


@_add_four.of(Curved)
@_add_four.of(Odds)
def _(slopes, codes, a, b, c, d, words, i, first, end, histogram):
    bins, one, two, four = np.uintp(256), np.uintp(1), np.uintp(2), np.uintp(4)
    word_a, other_a = entry(words, i * two), entry(words, i * two + one)
    word_b, other_b = entry(words, (i + one) * two), entry(words, (i + one) * two + one)
    word_c, other_c = entry(words, (i + two) * two), entry(words, (i + two) * two + one)
    word_d, other_d = entry(words, (i + four - one) * two), entry(words, (i + four - one) * two + one)
    for j in range(first, end):
        add_pair(histogram, (j * bins + np.uintp(entry(codes, a + j))) * two, word_a, other_a)
        add_pair(histogram, (j * bins + np.uintp(entry(codes, b + j))) * two, word_b, other_b)
        add_pair(histogram, (j * bins + np.uintp(entry(codes, c + j))) * two, word_c, other_c)
        add_pair(histogram, (j * bins + np.uintp(entry(codes, d + j))) * two, word_d, other_d)


@inner_formula
def _add_row(slopes, codes, a, words, i, first, end, histogram):
    """The words of one row."""


@_add_row.of(Residuals)
def _(slopes, codes, a, words, i, first, end, histogram):
    for j in range(first, end):
        add_one(histogram, j * np.uintp(256) + np.uintp(entry(codes, a + j)), entry(words, i))


@_add_row.of(Curved)
@_add_row.of(Odds)
def _(slopes, codes, a, words, i, first, end, histogram):
    bins, one, two = np.uintp(256), np.uintp(1), np.uintp(2)
    for j in range(first, end):
        place = j * bins + np.uintp(entry(codes, a + j))
        add_pair(histogram, place * two, entry(words, i * two), entry(words, i * two + one))


@lean
@inner_kernel
def clear(histogram, low, high):
    """histogram[low:high] (p, 256, 1 or 2) ← 0; numbered through, which is compiled and run fastest."""
    length = np.uintp(256 * histogram.shape[2])
    for k in range(np.uintp(low) * length, np.uintp(high) * length):
        put(histogram, k, 0)


@lean
@inner_kernel
def add(histogram, other, sign, low, high):
    """histogram[low:high] += sign · other[low:high]."""
    length = np.uintp(256 * histogram.shape[2])
    for k in range(np.uintp(low) * length, np.uintp(high) * length):
        put(histogram, k, entry(histogram, k) + sign * entry(other, k))


@lean
@inner_kernel
def part_rows(codes, columns, low, high, column, goes, rows, spare):
    """Rows that go left first, each side in its order; returns how many go left.

    columns : (p, n) the codes by columns; (p, 0) where there is no room for them twice.
    low, high : the strip in which the rows are numbered.
    spare : room for those that go right.
    """
    if columns.shape[1] > 0:
        n_left, n_right = _part_by_column(columns[column, low:high], goes, rows, spare)
    else:
        n_left, n_right = _part_by_rows(codes[low:high], np.uintp(column), goes, rows, spare)
    for i in range(n_right):
        put(rows, n_left + i, entry(spare, i))
    return np.int64(n_left)


@lean
@inner_kernel
def _part_by_column(codes, goes, rows, spare):
    one, a, b = np.uintp(1), np.uintp(0), np.uintp(0)
    for i in range(np.uintp(len(rows))):
        row = entry(rows, i)
        left = np.uintp(goes[entry(codes, np.uintp(row))])
        # Both are written; the one that counts moves on.
        put(rows, a, row)
        put(spare, b, row)
        a += left
        b += one - left
    return a, b


@lean
@inner_kernel
def _part_by_rows(codes, column, goes, rows, spare):
    n, p, ahead = np.uintp(len(rows)), np.uintp(codes.shape[1]), np.uintp(AHEAD)
    one, a, b = np.uintp(1), np.uintp(0), np.uintp(0)
    for i in range(n):
        row = entry(rows, i)
        prefetch(codes, np.uintp(entry(rows, min(i + ahead, n - one))) * p + column)
        left = np.uintp(goes[entry(codes, np.uintp(row) * p + column)])
        put(rows, a, row)
        put(spare, b, row)
        a += left
        b += one - left
    return a, b
