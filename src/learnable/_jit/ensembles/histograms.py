"""Histograms of boosting: cells in bins, gradients as whole numbers, their sums by bin, and partitions of rows.

A row's cell in a column is one of 255 bins, or bin 255 if it is missing. Gradients and curvatures are rounded to whole
numbers of a small unit, so that their sums are exact: the same for any order of the rows and any number of threads, and
a parent's sums minus those of one child are those of the other. A gradient shares its word with the count of rows,
(gradient << bits) + 1; curvatures have a word of their own, and none where all are 1. The words of some rows are made
when these are summed: those of all rows would take more room than the bins of eight columns.
"""

from typing import NamedTuple

import numpy as np

from learnable._jit.core.by_reference import by_reference
from learnable._jit.core.compile import exact_kernel, inner_kernel, kernel
from learnable._jit.core.flat_sums import add_one, add_pair, entry, put
from learnable._jit.core.lean import lean
from learnable._jit.core.prefetch import prefetch, prefetch_near

# The last of the 256 values of a byte.
MISSING = 255
# A row is asked for so many rows before its own: those of a node lie apart.
AHEAD = 32
# Cells of a column that are put into bins side by side.
TOGETHER = 2**10
# Columns that are summed together where a row is fetched for all of them: their histograms stay in the caches.
WIDE = 24


@by_reference
class Slopes(NamedTuple):
    """Gradients and curvatures of the rows, and what makes words of them.

    gradient : of the binomial loss of rows without weights, the odds against the class of each row, below zero for
        class 1: with e^f for class 0 and −e^{−f} for class 1 the gradient is s / (1 + |s|).
    curvature : none where all are 1, or follow from odds: |s| / (1 + |s|)².
    width : words a row, 1 where all curvatures are 1, else 2.
    units : those of gradients and of curvatures, and one over each: what a kernel divides by once and multiplies with
        often, the compiler divides by every time.
    """

    gradient: np.ndarray
    curvature: np.ndarray
    width: int
    bits: int
    units: np.ndarray


@kernel
def bin_rows(X, edges, first, n_edges, categorical, out):
    """out[i, j] = bin of a cell: the number of edges below it; a code stays as it is; 255 for missing cells."""
    cells, place = np.empty(TOGETHER), np.empty(TOGETHER, np.int64)
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


@exact_kernel
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
def slopes_of(slopes, row):
    """The gradient and the curvature of a row."""
    g = slopes.gradient[row]
    if slopes.width == 1:
        return g, 1.0
    if len(slopes.curvature) > 0:
        return g, slopes.curvature[row]
    return slopes_of_odds(g)


@lean
@inner_kernel
def slopes_of_odds(odds):
    """The gradient and the curvature of the binomial loss."""
    share = np.divide(1.0, 1.0 + abs(odds))
    return odds * share, abs(odds) * share * share


@lean
@inner_kernel
def without_gap(rows):
    """Whether rows, one at least, which rise, follow each other, as those of the root do."""
    last = np.uintp(len(rows) - 1)
    return np.uintp(entry(rows, last)) - np.uintp(entry(rows, np.uintp(0))) == last


@lean
@inner_kernel
def write_words(slopes, first, rows, words):
    """The words of some rows, numbered from `first` on, one after the other.

    Gradients are not asked for before their rows come: these loads do not wait for each other, and a look ahead takes
    as long as a row. Paid for by `python -m benchmarks trees`: 2.3 → 1.3 ns a row of one word, 8.7 → 5 where one row in
    fifty is summed (aarch64).
    """
    first = np.uintp(first)
    if slopes.width == 1:
        _write_single_words(slopes.gradient, slopes.bits, slopes.units[2], first, rows, words)
        return
    # Gradients first come to where curvatures will be: few of them are underway at a time where each is worked on too.
    two, one = np.uintp(2), np.uintp(1)
    for i in range(np.uintp(len(rows))):
        g = entry(slopes.gradient, first + np.uintp(entry(rows, i)))
        put(words, i * two + one, np.float64(g).view(np.int64))
    if len(slopes.curvature) > 0:
        _write_pairs(slopes, first, rows, words)
    else:
        _write_pairs_of_odds(slopes, words, np.uintp(len(rows)))


@lean
@inner_kernel
def _write_pairs(slopes, first, rows, words):
    bits, up, up_too, two, one = slopes.bits, slopes.units[2], slopes.units[3], np.uintp(2), np.uintp(1)
    for i in range(np.uintp(len(rows))):
        g = np.int64(entry(words, i * two + one)).view(np.float64)
        put(words, i * two, (np.int64(np.rint(g * up)) << bits) + 1)
        bend = entry(slopes.curvature, first + np.uintp(entry(rows, i)))
        put(words, i * two + one, np.int64(np.rint(bend * up_too)))


@lean
@inner_kernel
def _write_pairs_of_odds(slopes, words, n):
    bits, up, up_too, two, one = slopes.bits, slopes.units[2], slopes.units[3], np.uintp(2), np.uintp(1)
    for i in range(n):
        g, bend = slopes_of_odds(np.int64(entry(words, i * two + one)).view(np.float64))
        put(words, i * two, (np.int64(np.rint(g * up)) << bits) + 1)
        put(words, i * two + one, np.int64(np.rint(bend * up_too)))


@lean
@inner_kernel
def _write_single_words(gradient, bits, up, first, rows, words):
    n = np.uintp(len(rows))
    if without_gap(rows):
        start = first + np.uintp(entry(rows, np.uintp(0)))
        for i in range(n):
            put(words, i, (np.int64(np.rint(entry(gradient, start + i) * up)) << bits) + 1)
        return
    for i in range(n):
        word = np.int64(np.rint(entry(gradient, first + np.uintp(entry(rows, i))) * up))
        put(words, i, (word << bits) + 1)


@lean
@inner_kernel
def add_words(slopes, low, high, totals):
    """totals (2,) = sums of the words of rows low … high − 1."""
    up, up_too, total, other = slopes.units[2], slopes.units[3], np.int64(0), np.int64(0)
    if slopes.width == 1:
        for i in range(np.uintp(low), np.uintp(high)):
            total += np.int64(np.rint(slopes.gradient[i] * up))
    else:
        for i in range(np.uintp(low), np.uintp(high)):
            g, bend = slopes_of(slopes, i)
            total += np.int64(np.rint(g * up))
            other += np.int64(np.rint(bend * up_too))
    totals[0], totals[1] = (total << slopes.bits) + (high - low), other


@lean
@inner_kernel
def sum_rows(codes, rows, words, low, high, histogram):
    """histogram[low:high] (p, 256, 1 or 2) += sums of the words of rows by their bins in columns low … high − 1.

    codes : (n, p), so that the cells of a row lie together.
    rows : one at least, and they rise.
    words : those of these rows, one after the other.

    Four rows at a time: what a row takes beside its cells is half of the rest (`python -m benchmarks trees`: 20 to 30 %
    of the time of a sum, x86-64). Rows without a gap, as those of the root, need not be asked for (14 %, aarch64).
    """
    n, p, ahead = np.uintp(len(rows)), np.uintp(codes.shape[1]), np.uintp(AHEAD)
    first, end, one, four = np.uintp(low), np.uintp(high), np.uintp(1), np.uintp(4)
    start, one_stretch, pairs = np.uintp(entry(rows, np.uintp(0))), without_gap(rows), histogram.shape[2] == 2
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
        if pairs:
            _add_pairs(codes, a, b, c, d, words, i, first, end, histogram)
        else:
            _add_words(codes, a, b, c, d, words, i, first, end, histogram)
        i += four
    while i < n:
        _add_row(codes, np.uintp(entry(rows, i)) * p, words, i, first, end, histogram)
        i += one


@lean
@inner_kernel
def sum_wide(codes, rows, words, histogram):
    """The same in all columns, so many at a time that few rows are fetched twice."""
    p = codes.shape[1]
    n_groups = -(-p // WIDE)
    for group in range(n_groups):
        sum_rows(codes, rows, words, group * p // n_groups, (group + 1) * p // n_groups, histogram)


# Indices without a sign need no look whether they count from the end.


@lean
@inner_kernel
def _add_words(codes, a, b, c, d, words, i, first, end, histogram):
    """The words i … i + 3, of rows whose cells begin at a, b, c and d."""
    bins, one, four = np.uintp(256), np.uintp(1), np.uintp(4)
    word_a, word_b = entry(words, i), entry(words, i + one)
    word_c, word_d = entry(words, i + one + one), entry(words, i + four - one)
    for j in range(first, end):
        add_one(histogram, j * bins + np.uintp(entry(codes, a + j)), word_a)
        add_one(histogram, j * bins + np.uintp(entry(codes, b + j)), word_b)
        add_one(histogram, j * bins + np.uintp(entry(codes, c + j)), word_c)
        add_one(histogram, j * bins + np.uintp(entry(codes, d + j)), word_d)


@lean
@inner_kernel
def _add_pairs(codes, a, b, c, d, words, i, first, end, histogram):
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


@lean
@inner_kernel
def _add_row(codes, a, words, i, first, end, histogram):
    bins, one, two = np.uintp(256), np.uintp(1), np.uintp(2)
    for j in range(first, end):
        place = j * bins + np.uintp(entry(codes, a + j))
        if histogram.shape[2] == 2:
            add_pair(histogram, place * two, entry(words, i * two), entry(words, i * two + one))
        else:
            add_one(histogram, place, entry(words, i))


@lean
@inner_kernel
def sides(nodes, node, goes):
    """goes (256,): whether each bin of the column that a node splits goes left."""
    for code in range(256):
        by_number = 1 if code <= nodes.bin[node] else 0
        goes[code] = nodes.category_left[node, code] if nodes.by_category[node] == 1 else by_number
    if nodes.by_category[node] == 0:
        goes[MISSING] = nodes.missing_left[node]


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
