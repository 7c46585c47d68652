"""Sums over the stored entries of sparse rows: how often each word occurs in each class, and what a text scores.

Rows come as (data, places, starts), as in a CSR matrix. Indices are made unsigned, since one that cannot count from
the end needs no look at its sign. Nothing else is asked of the entries: places may come in any order, and more than
once.
"""

import numpy as np

from learnable._jit.core.compile import inner_kernel, kernel
from learnable._jit.core.lanes import lanes_at, plus_scaled, put_lanes
from learnable._jit.core.prefetch import ask_for, visits_ahead
from learnable._jit.core.vectors import SparseVectors


@kernel
def rows_by_class(starts, label, n_classes):
    """(rows ordered by class, and in a class as they come; where each class begins among them; its stored entries)."""
    first, sizes = np.zeros(n_classes + 1, dtype=np.int64), np.zeros(n_classes, dtype=np.int64)
    for i in range(label.shape[0]):
        first[label[i] + 1] += 1
        sizes[label[i]] += starts[i + 1] - starts[i]
    for c in range(n_classes):
        first[c + 1] += first[c]
    order, following = np.empty(label.shape[0], dtype=np.int64), first.copy()
    for i in range(label.shape[0]):
        order[following[label[i]]] = i
        following[label[i]] += 1
    return order, first, sizes


@kernel
def add_word_counts(data, places, starts, visits, label, weight, counts):
    """counts[c, j] += w x over the stored entries of the rows `visits`; returns whether an x is negative.

    Rows of one class after the other keep its counts in the cache, and whoever counts other classes does not touch
    them. An x that is not finite shows in the counts.

    Parameters
    ----------
    visits : the rows to count, in this order.
    label : (n,), the class of each row.
    weight : (n,), or of length 0 for equal weights of one.
    counts : (K, p).
    """
    rows = SparseVectors(data, places, starts)
    ahead, negative = visits_ahead(rows), False
    for visit in range(visits.shape[0]):
        if visit + ahead < visits.shape[0]:
            ask_for(rows, visits[visit + ahead])
        i = visits[visit]
        begin, end = np.uint64(starts[i]), np.uint64(starts[i + 1])
        row = counts[label[i]]
        w = weight[i] if weight.shape[0] > 0 else 1.0
        for a in range(begin, end):
            x = data[a]
            negative |= x < 0.0
            row[np.uint64(places[a])] += w * x
    return negative


@kernel
def add_presences(data, places, starts, visits, label, weight, threshold, counts):
    """counts[c, j] += w where x > threshold, likewise; returns whether an x is infinite, and how many are NaN."""
    rows = SparseVectors(data, places, starts)
    ahead, infinite, unknown = visits_ahead(rows), 0, 0
    for visit in range(visits.shape[0]):
        if visit + ahead < visits.shape[0]:
            ask_for(rows, visits[visit + ahead])
        i = visits[visit]
        begin, end = np.uint64(starts[i]), np.uint64(starts[i + 1])
        for a in range(begin, end):
            infinite += abs(data[a]) == np.inf
            unknown += data[a] != data[a]
        row = counts[label[i]]
        w = weight[i] if weight.shape[0] > 0 else 1.0
        for a in range(begin, end):
            row[np.uint64(places[a])] += w if data[a] > threshold else 0.0
    return infinite > 0, unknown


@kernel
def add_word_scores(data, places, starts, table, scores):
    """scores[i] += Σ x table[j] over the stored entries of row i; returns whether an x is negative.

    Parameters
    ----------
    table : (p, K).
    scores : (n, K).
    """
    flat, out, n_classes = table.ravel(), scores.ravel(), np.uint64(table.shape[1])
    negative = False
    for i in range(starts.shape[0] - 1):
        begin, end = np.uint64(starts[i]), np.uint64(starts[i + 1])
        negative |= _any_negative(data, begin, end)
        # As many classes at a time as there are registers: a word not in the cache is then waited for once.
        c, to = np.uint64(0), np.uint64(i) * n_classes
        while c + np.uint64(24) <= n_classes:
            _add_scores(lanes_at(24, out, to + c), data, places, begin, end, flat, n_classes, c, out, to + c)
            c += np.uint64(24)
        left = n_classes - c
        if left >= np.uint64(20):
            _add_scores(lanes_at(20, out, to + c), data, places, begin, end, flat, n_classes, c, out, to + c)
        elif left >= np.uint64(16):
            _add_scores(lanes_at(16, out, to + c), data, places, begin, end, flat, n_classes, c, out, to + c)
        elif left >= np.uint64(12):
            _add_scores(lanes_at(12, out, to + c), data, places, begin, end, flat, n_classes, c, out, to + c)
        elif left >= np.uint64(8):
            _add_scores(lanes_at(8, out, to + c), data, places, begin, end, flat, n_classes, c, out, to + c)
        elif left >= np.uint64(4):
            _add_scores(lanes_at(4, out, to + c), data, places, begin, end, flat, n_classes, c, out, to + c)
        c += left // np.uint64(4) * np.uint64(4)
        if c + np.uint64(2) <= n_classes:
            _add_scores(lanes_at(2, out, to + c), data, places, begin, end, flat, n_classes, c, out, to + c)
            c += np.uint64(2)
        if c < n_classes:
            _add_scores(lanes_at(1, out, to + c), data, places, begin, end, flat, n_classes, c, out, to + c)
    return negative


@inner_kernel
def _add_scores(sums, data, places, begin, end, table, n_classes, first, out, to):
    """out[to : to + width] ← sums + Σ x table[j, first : first + width]."""
    for a in range(begin, end):
        sums = plus_scaled(sums, np.float64(data[a]), table, np.uint64(places[a]) * n_classes + first)
    put_lanes(sums, out, to)


@inner_kernel
def _any_negative(data, begin, end):
    negative = False
    for a in range(begin, end):
        negative |= data[a] < 0.0
    return negative


@kernel
def mark_present(data, threshold, present):
    """present[a] ← whether x > threshold; returns whether an x is infinite, and how many are NaN."""
    infinite, unknown = False, 0
    for a in range(data.shape[0]):
        x = data[a]
        present[a] = x > threshold
        infinite |= abs(x) == np.inf
        unknown += x != x
    return infinite, unknown
