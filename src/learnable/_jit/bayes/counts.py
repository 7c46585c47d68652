"""Counting by class in one pass over the rows, and adding up log-probabilities by class.

Classes come as numbers 0 … K − 1. `weight` holds one number a row, or is of length 0 for equal weights of one.
"""

import numpy as np

from learnable._jit.core.compile import kernel

# What is wrong with a cell: its row and column follow.
FINE, NEGATIVE, FRACTIONAL, UNSEEN, INFINITE = 0, 1, 2, 3, 4
# About the mean of so many rows, here and there, others are summed up; the squared distance of that mean from the mean
# of all may be so many times their variance: as many times the rounding is lost.
SOME, FAR = 64, 10.0


@kernel
def add_dense_presences(X, label, weight, threshold, present):
    """present[c, j] += w where x > threshold, for rows of a C-ordered array; returns how many x are NaN."""
    unknown = 0
    for i in range(X.shape[0]):
        row = present[label[i]]
        w = weight[i] if weight.shape[0] > 0 else 1.0
        for j in range(X.shape[1]):
            x = X[i, j]
            row[j] += w if x > threshold else 0.0
            unknown += x != x
    return unknown


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
def moments_of_known(X, label, observed, mean, offset, scatter):
    """`column_moments` of rows without weights and missing cells, in one pass about the mean of a few rows of a class.

    Returns whether the results can be used: not where a cell is missing, nor where those few are far from the mean.
    """
    n, p = X.shape
    n_classes = mean.shape[0]
    seen, members = np.zeros(n_classes), np.zeros(n_classes)
    for i in range(0, n, max(1, n // SOME)):
        k = label[i]
        seen[k] += 1.0
        for j in range(p):
            # Of equal numbers this is their mean without rounding.
            mean[k, j] += (X[i, j] - mean[k, j]) / seen[k]
    for i in range(n):
        k = label[i]
        if seen[k] == 0.0:
            seen[k] = 1.0
            for j in range(p):
                mean[k, j] = X[i, j]
        members[k] += 1.0
        for j in range(p):
            d = X[i, j] - mean[k, j]
            offset[k, j] += d
            scatter[k, j] += d * d
    for k in range(n_classes):
        for j in range(p):
            if members[k] > 0.0:
                observed[k, j] = members[k]
                offset[k, j] /= members[k]
                away = members[k] * offset[k, j] * offset[k, j]
                scatter[k, j] = max(scatter[k, j] - away, 0.0)
                if not away <= FAR * scatter[k, j]:
                    return False
    return True


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
