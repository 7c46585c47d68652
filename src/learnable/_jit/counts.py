"""Counting by class in one pass over the rows, and adding up log-probabilities by class.

Classes come as numbers 0 … K − 1. `weight` holds one number a row, or is of length 0 for equal weights of one.
"""

import numpy as np

from learnable._jit.compile import kernel

# What is wrong with a cell: its row and column follow.
FINE, NEGATIVE, FRACTIONAL, UNSEEN, INFINITE = 0, 1, 2, 3, 4


@kernel
def add_word_counts(data, places, starts, label, weight, counts):
    """counts[c, j] += w x over the stored entries of sparse rows, in their order; returns whether an x is negative."""
    negative = False
    for i in range(label.shape[0]):
        row = counts[label[i]]
        w = weight[i] if weight.shape[0] > 0 else 1.0
        for a in range(starts[i], starts[i + 1]):
            x = data[a]
            negative |= x < 0.0
            # Unsigned: an index that cannot count from the end needs no look at its sign.
            row[np.uint64(places[a])] += w * x
    return negative


@kernel
def add_presences(data, places, starts, label, weight, threshold, present):
    """present[c, j] += w where x > threshold; returns whether an x is infinite, and how many are NaN."""
    infinite, unknown = False, 0
    for i in range(label.shape[0]):
        row = present[label[i]]
        w = weight[i] if weight.shape[0] > 0 else 1.0
        for a in range(starts[i], starts[i + 1]):
            x, j = data[a], np.uint64(places[a])
            infinite |= abs(x) == np.inf
            if x > threshold:
                row[j] += w
            elif x != x:
                unknown += 1
    return infinite, unknown


@kernel
def add_dense_presences(X, label, weight, threshold, present):
    """As `add_presences`, for rows of a C-ordered array, in which nothing is infinite."""
    unknown = 0
    for i in range(X.shape[0]):
        row = present[label[i]]
        w = weight[i] if weight.shape[0] > 0 else 1.0
        for j in range(X.shape[1]):
            x = X[i, j]
            row[j] += w if x > threshold else 0.0
            unknown += x != x
    return False, unknown


@kernel
def highest_codes(X, highest):
    """highest[j] ← largest category code of the column, NaN left out; returns (what is wrong, row, column)."""
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            x = X[i, j]
            if x != x:
                continue
            if x < 0:
                return NEGATIVE, i, j
            if x != np.floor(x):
                return FRACTIONAL, i, j
            if x > highest[j]:
                if x >= 2**31:
                    return INFINITE, i, j
                highest[j] = int(x)
    return FINE, 0, 0


@kernel
def add_code_counts(X, label, weight, first, counts):
    """counts[c, first[j] + code] += w, for codes that `highest_codes` has found fine; NaN is left out."""
    for i in range(X.shape[0]):
        row = counts[label[i]]
        w = weight[i] if weight.shape[0] > 0 else 1.0
        for j in range(X.shape[1]):
            x = X[i, j]
            if x == x:
                row[first[j] + int(x)] += w


@kernel
def add_code_scores(X, first, table, scores):
    """scores[i] += table[first[j] + code] for every column j; NaN adds nothing; returns (what is wrong, row, column).

    Parameters
    ----------
    first : (p + 1,), where the values of each column begin in `table`.
    table : (values of all columns, K).
    """
    n_classes = scores.shape[1]
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            x = X[i, j]
            if x != x:
                continue
            if x < 0:
                return NEGATIVE, i, j
            if x != np.floor(x):
                return FRACTIONAL, i, j
            if x >= first[j + 1] - first[j]:
                return UNSEEN, i, j
            code = first[j] + int(x)
            for k in range(n_classes):
                scores[i, k] += table[code, k]
    return FINE, 0, 0


@kernel
def add_word_scores(data, places, starts, table, scores):
    """scores[i] += Σ x table[j] over the stored entries of sparse rows; returns whether an x is negative.

    `table` is (p, K).
    """
    n_classes = scores.shape[1]
    negative = False
    for i in range(scores.shape[0]):
        a, end = starts[i], starts[i + 1]
        if n_classes == 2:
            # Two sums in registers; for so few classes a loop over them costs more than what it does.
            first, second = 0.0, 0.0
            for b in range(a, end):
                x, j = data[b], np.uint64(places[b])
                negative |= x < 0.0
                first += x * table[j, 0]
                second += x * table[j, 1]
            scores[i, 0] += first
            scores[i, 1] += second
            continue
        row = scores[i]
        # Four words at a time: the sums are read and written once for all of them.
        while a + 4 <= end:
            x0, x1, x2, x3 = data[a], data[a + 1], data[a + 2], data[a + 3]
            negative |= min(min(x0, x1), min(x2, x3)) < 0.0
            t0, t1 = table[np.uint64(places[a])], table[np.uint64(places[a + 1])]
            t2, t3 = table[np.uint64(places[a + 2])], table[np.uint64(places[a + 3])]
            for k in range(n_classes):
                row[k] += (x0 * t0[k] + x1 * t1[k]) + (x2 * t2[k] + x3 * t3[k])
            a += 4
        for b in range(a, end):
            x, j = data[b], np.uint64(places[b])
            negative |= x < 0.0
            for k in range(n_classes):
                row[k] += x * table[j, k]
    return negative


@kernel
def add_presence_scores(data, places, starts, threshold, odds, absent, scores):
    """scores[i] += odds[j] where x > threshold, −absent[j] where x is NaN; returns whether an x is infinite.

    `odds` and `absent` are (p, K).
    """
    n_classes = scores.shape[1]
    infinite = False
    for i in range(scores.shape[0]):
        row = scores[i]
        if n_classes == 2:
            first, second = 0.0, 0.0
            for a in range(starts[i], starts[i + 1]):
                x, j = data[a], np.uint64(places[a])
                infinite |= abs(x) == np.inf
                if x > threshold:
                    first += odds[j, 0]
                    second += odds[j, 1]
                elif x != x:
                    first -= absent[j, 0]
                    second -= absent[j, 1]
            row[0] += first
            row[1] += second
            continue
        for a in range(starts[i], starts[i + 1]):
            x, j = data[a], np.uint64(places[a])
            infinite |= abs(x) == np.inf
            if x > threshold:
                for k in range(n_classes):
                    row[k] += odds[j, k]
            elif x != x:
                for k in range(n_classes):
                    row[k] -= absent[j, k]
    return infinite


@kernel
def most_probable(joint, best):
    """best[i] ← the first class with the largest entry in row i; returns the first row without one above −∞, or −1."""
    impossible = -1
    for i in range(joint.shape[0]):
        top, chosen = -np.inf, -1
        for k in range(joint.shape[1]):
            if joint[i, k] > top:
                top, chosen = joint[i, k], k
        best[i] = chosen
        if chosen < 0 and impossible < 0:
            impossible = i
    return impossible


@kernel
def column_moments(X, label, weight, observed, mean, offset, scatter):
    """Mean and Σ w (x − mean)² of each column in each class, NaN left out; all four results are (K, p), zeros given.

    `mean` is rounded, and `offset` is what it lacks; the scatter is about mean + offset. Two passes, over rows that
    are still in the cache the second time.
    """
    n, p = X.shape
    for i in range(n):
        k = label[i]
        w = weight[i] if weight.shape[0] > 0 else 1.0
        for j in range(p):
            x = X[i, j]
            known = w if x == x else 0.0
            observed[k, j] += known
            mean[k, j] += w * x if x == x else 0.0
    for k in range(mean.shape[0]):
        for j in range(p):
            mean[k, j] = mean[k, j] / observed[k, j] if observed[k, j] > 0.0 else 0.0
    for i in range(n):
        k = label[i]
        w = weight[i] if weight.shape[0] > 0 else 1.0
        for j in range(p):
            d = X[i, j] - mean[k, j]
            d = d if d == d else 0.0
            offset[k, j] += w * d
            scatter[k, j] += w * d * d
    for k in range(mean.shape[0]):
        for j in range(p):
            if observed[k, j] > 0.0:
                offset[k, j] /= observed[k, j]
                scatter[k, j] = max(scatter[k, j] - observed[k, j] * offset[k, j] * offset[k, j], 0.0)


@kernel
def add_gaussian_scores(X, mean, precision, log_size, scores):
    """scores[i, c] += −½ Σⱼ (x − mean)² precision + log_size, over the columns in which x is not NaN.

    Parameters
    ----------
    mean, precision, log_size : (K, p); the last is −½ log 2πσ².
    """
    n, p = X.shape
    constant = np.zeros(mean.shape[0])
    for k in range(mean.shape[0]):
        for j in range(p):
            constant[k] += log_size[k, j]
    for i in range(n):
        for k in range(mean.shape[0]):
            squares = 0.0
            for j in range(p):
                d = X[i, j] - mean[k, j]
                squares += d * d * precision[k, j]
            if squares == squares:
                scores[i, k] += constant[k] - 0.5 * squares
            else:
                for j in range(p):
                    d = X[i, j] - mean[k, j]
                    if d == d:
                        scores[i, k] += log_size[k, j] - 0.5 * d * d * precision[k, j]
