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
from learnable._jit.core.prefetch import prefetch

# The last of the 256 values of a byte.
MISSING = 255
# A row is asked for so many rows before its own: those of a node lie apart.
AHEAD = 16
# The same where nothing but one cell of it is read.
FURTHER = 32
# Cells of a column that are put into bins side by side.
TOGETHER = 2**10
# From here on 1 − |g| has lost bits that count.
NEARLY_ONE = 1.0 - 2.0**-16
# Columns that are summed together where a row is fetched for all of them: their histograms stay in the caches.
WIDE = 24


@by_reference
class Slopes(NamedTuple):
    """Gradients and curvatures of the rows, and what makes words of them.

    score, curvature : no curvatures where all are 1, or where those of the binomial loss follow from gradients and
        scores: p (1 − p) = |g| (1 − |g|) for g = p or p − 1.
    width : words a row, 1 where all curvatures are 1, else 2.
    units : those of gradients and of curvatures, and one over each: what a kernel divides by once and multiplies with
        often, the compiler divides by every time.
    """

    score: np.ndarray
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
def curvature_of(slopes, row):
    """The curvature of a row."""
    if slopes.width == 1:
        return 1.0
    if len(slopes.curvature) > 0:
        return slopes.curvature[row]
    size = abs(slopes.gradient[row])
    if size < NEARLY_ONE:
        return size * (1.0 - size)
    small = np.exp(-abs(slopes.score[row]))
    return small / (1.0 + small) ** 2


@lean
@inner_kernel
def write_words(slopes, rows, words):
    """The words of some rows, one after the other.

    Gradients are not asked for before their rows come: these loads do not wait for each other, and a look ahead takes
    as long as a row. Paid for by `python -m benchmarks trees`: 2.3 → 1.3 ns a row of one word, 8.7 → 5 where one row in
    fifty is summed (aarch64).
    """
    if slopes.width == 1:
        _write_single_words(slopes.gradient, slopes.bits, slopes.units[2], rows, words)
        return
    # Gradients first come to where curvatures will be: few of them are underway at a time where each is worked on too.
    two, one = np.uintp(2), np.uintp(1)
    for i in range(np.uintp(len(rows))):
        put(words, i * two + one, np.float64(entry(slopes.gradient, np.uintp(entry(rows, i)))).view(np.int64))
    if len(slopes.curvature) > 0:
        _write_pairs(slopes, rows, words)
    elif _write_binomial_pairs(slopes, words, np.uintp(len(rows))) > 0:
        for i in range(np.uintp(len(rows))):
            bend = curvature_of(slopes, np.uintp(entry(rows, i)))
            put(words, i * two + one, np.int64(np.rint(bend * slopes.units[3])))


@lean
@inner_kernel
def _write_pairs(slopes, rows, words):
    bits, up, up_too, two, one = slopes.bits, slopes.units[2], slopes.units[3], np.uintp(2), np.uintp(1)
    for i in range(np.uintp(len(rows))):
        g = np.int64(entry(words, i * two + one)).view(np.float64)
        put(words, i * two, (np.int64(np.rint(g * up)) << bits) + 1)
        put(words, i * two + one, np.int64(np.rint(entry(slopes.curvature, np.uintp(entry(rows, i))) * up_too)))


@lean
@inner_kernel
def _write_binomial_pairs(slopes, words, n):
    """Words of gradients whose curvatures follow from them, and how many of these are nearly one."""
    bits, up, up_too, two, one = slopes.bits, slopes.units[2], slopes.units[3], np.uintp(2), np.uintp(1)
    near = np.int64(0)
    for i in range(n):
        g = np.int64(entry(words, i * two + one)).view(np.float64)
        size = abs(g)
        near += size >= NEARLY_ONE
        put(words, i * two, (np.int64(np.rint(g * up)) << bits) + 1)
        put(words, i * two + one, np.int64(np.rint(size * (1.0 - size) * up_too)))
    return near


@lean
@inner_kernel
def _write_single_words(gradient, bits, up, rows, words):
    for i in range(np.uintp(len(rows))):
        word = np.int64(np.rint(entry(gradient, np.uintp(entry(rows, i))) * up))
        put(words, i, (word << bits) + 1)


@lean
@inner_kernel
def add_words(slopes, low, high, totals):
    """totals (2,) = sums of the words of rows low … high − 1."""
    up, up_too, total, other = slopes.units[2], slopes.units[3], np.int64(0), np.int64(0)
    for i in range(np.uintp(low), np.uintp(high)):
        total += np.int64(np.rint(slopes.gradient[i] * up))
    if slopes.width == 2:
        for i in range(np.uintp(low), np.uintp(high)):
            other += np.int64(np.rint(curvature_of(slopes, i) * up_too))
    totals[0], totals[1] = (total << slopes.bits) + (high - low), other


@lean
@inner_kernel
def sum_rows(codes, rows, words, low, high, histogram):
    """histogram[low:high] (p, 256, 1 or 2) += sums of the words of rows by their bins in columns low … high − 1.

    codes : (n, p), so that the cells of a row lie together.
    words : those of these rows, one after the other.
    """
    # Two loops: to ask in every row how wide it is takes a third of the time (`python -m benchmarks trees`).
    if histogram.shape[2] == 1:
        _sum_words(codes, rows, words, np.uintp(low), np.uintp(high), histogram)
    else:
        _sum_pairs(codes, rows, words, np.uintp(low), np.uintp(high), histogram)


@lean
@inner_kernel
def sum_wide(codes, rows, words, histogram):
    """The same in all columns, so many at a time that few rows are fetched twice."""
    p = codes.shape[1]
    n_groups = -(-p // WIDE)
    for group in range(n_groups):
        sum_rows(codes, rows, words, group * p // n_groups, (group + 1) * p // n_groups, histogram)


@lean
@inner_kernel
def _ask_for(codes, rows, column, low, high):
    """Begin to load the cells, from a column on, of some rows that will be needed later."""
    last, p = np.uintp(len(rows) - 1), np.uintp(codes.shape[1])
    for i in range(low, high):
        prefetch(codes, np.uintp(rows[min(i, last)]) * p + column)


# Four rows at a time: what a row takes beside its cells is half of the rest (`python -m benchmarks trees`: 20 to 30 %
# of the time of a sum, x86-64). Indices without a sign need no look whether they count from the end.


@lean
@inner_kernel
def _sum_words(codes, rows, words, first, end, histogram):
    n, p, bins, ahead = np.uintp(len(rows)), np.uintp(codes.shape[1]), np.uintp(256), np.uintp(AHEAD)
    i, one, four = np.uintp(0), np.uintp(1), np.uintp(4)
    while i + four <= n:
        _ask_for(codes, rows, first, i + ahead, i + ahead + four)
        a, b, c, d = (np.uintp(rows[i]), np.uintp(rows[i + one]), np.uintp(rows[i + one + one]),
                      np.uintp(rows[i + four - one]))  # fmt: skip
        word_a, word_b = entry(words, i), entry(words, i + one)
        word_c, word_d = entry(words, i + one + one), entry(words, i + four - one)
        for j in range(first, end):
            add_one(histogram, j * bins + np.uintp(entry(codes, a * p + j)), word_a)
            add_one(histogram, j * bins + np.uintp(entry(codes, b * p + j)), word_b)
            add_one(histogram, j * bins + np.uintp(entry(codes, c * p + j)), word_c)
            add_one(histogram, j * bins + np.uintp(entry(codes, d * p + j)), word_d)
        i += four
    while i < n:
        a = np.uintp(rows[i])
        for j in range(first, end):
            add_one(histogram, j * bins + np.uintp(entry(codes, a * p + j)), entry(words, i))
        i += one


@lean
@inner_kernel
def _sum_pairs(codes, rows, words, first, end, histogram):
    n, p, bins, ahead = np.uintp(len(rows)), np.uintp(codes.shape[1]), np.uintp(256), np.uintp(AHEAD)
    i, one, two, four = np.uintp(0), np.uintp(1), np.uintp(2), np.uintp(4)
    while i + four <= n:
        _ask_for(codes, rows, first, i + ahead, i + ahead + four)
        a, b, c, d = (np.uintp(rows[i]), np.uintp(rows[i + one]), np.uintp(rows[i + two]),
                      np.uintp(rows[i + four - one]))  # fmt: skip
        word_a, other_a = entry(words, i * two), entry(words, i * two + one)
        word_b, other_b = entry(words, (i + one) * two), entry(words, (i + one) * two + one)
        word_c, other_c = entry(words, (i + two) * two), entry(words, (i + two) * two + one)
        word_d, other_d = entry(words, (i + four - one) * two), entry(words, (i + four - one) * two + one)
        for j in range(first, end):
            add_pair(histogram, (j * bins + np.uintp(entry(codes, a * p + j))) * two, word_a, other_a)
            add_pair(histogram, (j * bins + np.uintp(entry(codes, b * p + j))) * two, word_b, other_b)
            add_pair(histogram, (j * bins + np.uintp(entry(codes, c * p + j))) * two, word_c, other_c)
            add_pair(histogram, (j * bins + np.uintp(entry(codes, d * p + j))) * two, word_d, other_d)
        i += four
    while i < n:
        a = np.uintp(rows[i])
        for j in range(first, end):
            code = np.uintp(entry(codes, a * p + j))
            add_pair(histogram, (j * bins + code) * two, entry(words, i * two), entry(words, i * two + one))
        i += one


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
def part_rows(codes, columns, column, goes, rows, spare):
    """spare = rows that go left, from its beginning, and the others, from its end; returns how many go left.

    columns : (p, n) the codes by columns; (p, 0) where there is no room for them twice.
    """
    if columns.shape[1] > 0:
        return _part_by_column(columns[column], goes, rows, spare)
    return _part_by_rows(codes, np.uintp(column), goes, rows, spare)


@lean
@inner_kernel
def _part_by_column(codes, goes, rows, spare):
    one, n = np.uintp(1), np.uintp(len(rows))
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


@lean
@inner_kernel
def _part_by_rows(codes, column, goes, rows, spare):
    one, n, p, ahead = np.uintp(1), np.uintp(len(rows)), np.uintp(codes.shape[1]), np.uintp(FURTHER)
    a, b = np.uintp(0), n - one
    for i in range(n):
        row = rows[i]
        prefetch(codes, np.uintp(rows[min(i + ahead, n - one)]) * p + column)
        left = np.uintp(goes[entry(codes, np.uintp(row) * p + column)])
        spare[a] = row
        spare[b] = row
        a += left
        b -= one - left
    return np.int64(a)


@lean
@inner_kernel
def gather_parts(spare, n_left, rows, left, right):
    """Rows of a block that `part_rows` has parted, to rows[left:] and rows[right:], each side in the order it had."""
    to_left, to_right, n = rows[left : left + n_left], rows[right : right + len(spare) - n_left], len(spare)
    for i in range(n_left):
        to_left[i] = spare[i]
    for i in range(n - n_left):
        to_right[i] = spare[n - 1 - i]
