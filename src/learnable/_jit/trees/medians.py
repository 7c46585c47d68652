"""Absolute errors: medians of the rows of a node, and of both sides of every cut of it.

Weights are kept in binary indexed trees over the ranks of y, for q outputs one after the other in

work.fenwick : (5 q, ≥ m + 1) weights and weighted sums of y by rank, of the left side and of the right side; the y.
work.y_rank : (n q,) rank of each row's y among the rows of the node, 1 … m.
"""

import numpy as np

from learnable._jit.core.compile import inner_kernel
from learnable._jit.core.lean import lean
from learnable._jit.trees.sorting import sort_by_key


@lean
@inner_kernel
def median_of(targets, work, samples, total, q, k):
    """The middle of the weighted medians of output k of q; keeps the ranks of its y within the node, and their y."""
    y, label, weight, m = targets.y, targets.label, targets.weight, len(samples)
    low = high = np.int64(label[samples[0] * q + k])
    for i in range(m):
        work.rows[i] = samples[i]
        work.keys[i] = label[samples[i] * q + k]
        low, high = min(low, np.int64(work.keys[i])), max(high, np.int64(work.keys[i]))
    sort_by_key(work.rows, work.keys, m, low, high, work.spare_rows, work.spare_keys, work.counts)
    rank, below, first, last = 0, 0.0, -1, -1
    slack = 1e-12 * total
    for i in range(m):
        if i == 0 or work.keys[i] != work.keys[i - 1]:
            rank += 1
            work.fenwick[5 * k + 4, rank] = y[work.rows[i] * q + k]
        work.y_rank[work.rows[i] * q + k] = rank
        below += weight[work.rows[i]]
        if first < 0 and below >= 0.5 * total - slack:
            first = i
        if last < 0 and below > 0.5 * total + slack:
            last = i
    if last < 0:
        last = first
    return 0.5 * (y[work.rows[first] * q + k] + y[work.rows[last] * q + k])


@lean
@inner_kernel
def scan_absolute(targets, rules, rows, keys, m, n_missing, sign, lower, upper, q, work):
    """(largest score, last position on the left, whether missing rows are on the left) of rows sorted by a column.

    Of q outputs the score is the sum; of one, medians keep to a sign and to bounds.
    """
    y_rank, fenwick, s_left, s_right = work.y_rank, work.fenwick, work.left, work.right
    present = m - n_missing
    bounded = sign != 0 or lower > -np.inf or upper < np.inf
    y, weight = targets.y, targets.weight
    best, at, side = -np.inf, -1, 0
    for missing_left in range(2 if n_missing > 0 else 1):
        for k in range(q):
            s_left[k], s_right[k] = 0.0, 0.0
            for part in range(4):
                for i in range(m + 1):
                    fenwick[5 * k + part, i] = 0.0
        w_left, w_right, n_left = 0.0, 0.0, 0
        for i in range(m):
            w = weight[rows[i]]
            goes_left = i >= present and missing_left == 1
            for k in range(q):
                at_k = rows[i] * q + k
                v = w * y[at_k]
                if goes_left:
                    _add(fenwick, 5 * k, y_rank[at_k], w, v, m)
                    s_left[k] += v
                else:
                    _add(fenwick, 5 * k + 2, y_rank[at_k], w, v, m)
                    s_right[k] += v
            if goes_left:
                w_left += w
                n_left += 1
            else:
                w_right += w
        last = present
        if missing_left == 1 or n_missing == 0:
            last = present - 1
        for i in range(last):
            w = weight[rows[i]]
            for k in range(q):
                at_k = rows[i] * q + k
                v = w * y[at_k]
                _add(fenwick, 5 * k, y_rank[at_k], w, v, m)
                _add(fenwick, 5 * k + 2, y_rank[at_k], -w, -v, m)
                s_left[k] += v
                s_right[k] -= v
            w_left += w
            w_right -= w
            n_left += 1
            if i + 1 < present and keys[i] == keys[i + 1]:
                continue
            if n_left < rules.min_leaf or m - n_left < rules.min_leaf:
                continue
            if w_left <= 0.0 or w_right <= 0.0 or w_left < rules.min_leaf_weight or w_right < rules.min_leaf_weight:
                continue
            if bounded:
                a, b = _middle_median(fenwick, 0, w_left, m), _middle_median(fenwick, 2, w_right, m)
                if sign * (b - a) < 0.0 or min(a, b) < lower or max(a, b) > upper:
                    continue
            score = 0.0
            for k in range(q):
                score -= _spread(fenwick, 5 * k, w_left, s_left[k], m)
                score -= _spread(fenwick, 5 * k + 2, w_right, s_right[k], m)
            if score > best + rules.tie:
                best, at, side = score, i, missing_left
    return best, at, side


@lean
@inner_kernel
def _add(fenwick, k, place, w, v, m):
    while place <= m:
        fenwick[k, place] += w
        fenwick[k + 1, place] += v
        place += place & -place


@lean
@inner_kernel
def _spread(fenwick, k, weight, total, m):
    """Σ w |y − median|.

    The sum over the ranks below half of the weight is (w₀, s₀). With any median c it is c w₀ − s₀ + (s − s₀) −
    c (w − w₀), and c drops out where w₀ = w/2; elsewhere the next rank holds it.
    """
    step = 1
    while 2 * step <= m:
        step *= 2
    place, w0, s0 = 0, 0.0, 0.0
    half = 0.5 * weight
    while step > 0:
        if place + step <= m and w0 + fenwick[k, place + step] < half:
            place += step
            w0 += fenwick[k, place]
            s0 += fenwick[k + 1, place]
        step //= 2
    w1, s1, place = 0.0, 0.0, place + 1
    # Weight and sum of that one rank: up to it minus below it.
    at = place
    while at > 0:
        w1 += fenwick[k, at]
        s1 += fenwick[k + 1, at]
        at -= at & -at
    w1 -= w0
    s1 -= s0
    median = s1 / w1 if w1 > 0.0 else 0.0
    return median * w0 - s0 + (total - s0) - median * (weight - w0)


@lean
@inner_kernel
def _middle_median(fenwick, k, weight, m):
    """The middle of the weighted medians of one side, where a share that is half up to rounding counts as half."""
    low = _first_rank(fenwick, k, (0.5 - 1e-12) * weight, m)
    high = _first_rank(fenwick, k, (0.5 + 1e-12) * weight, m)
    return 0.5 * (fenwick[4, low] + fenwick[4, high])


@lean
@inner_kernel
def _first_rank(fenwick, k, least, m):
    """The first rank up to which a side has this weight."""
    step = 1
    while 2 * step <= m:
        step *= 2
    place, below = 0, 0.0
    while step > 0:
        if place + step <= m and below + fenwick[k, place + step] < least:
            place += step
            below += fenwick[k, place]
        step //= 2
    return min(place + 1, m)
