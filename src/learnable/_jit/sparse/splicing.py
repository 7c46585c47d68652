"""One round of splicing over the correlations of columns: least squares, who is to leave and to enter, the exchange.

Columns and y have length one. Row `place[j]` of `gram` has the correlations of column j with all; `cross` those with y.
W, lower triangular, makes a subset S orthonormal, one column after another: W G_SS Wᵀ = I.
"""

import numpy as np

from learnable._jit.core.compile import inner_kernel, kernel

# A column whose square outside the span of the others is no larger does not enter a subset by itself.
INDEPENDENT = 1e-8
# One whose square there is no larger cannot be told from rounding, and has no part in least squares.
DEPENDENT = 1e-14


@inner_kernel
def lower(trial, rss):
    return trial < rss * (1.0 - 1e-10) - 1e-14


@inner_kernel
def orthonormal(gram, place, columns):
    """W of these columns; zeros in the rows of those that depend on earlier ones."""
    k = columns.shape[0]
    W = np.zeros((k, k))
    for i in range(k):
        row, new = gram[place[columns[i]]], W[i]
        square = row[columns[i]]
        new[i] = 1.0
        for j in range(i):
            old, along = W[j], 0.0
            for m in range(j + 1):
                along += old[m] * row[columns[m]]
            square -= along * along
            for m in range(j + 1):
                new[m] -= along * old[m]
        scale = 1.0 / np.sqrt(square) if square > DEPENDENT else 0.0
        for m in range(i + 1):
            new[m] *= scale
    return W


@inner_kernel
def residual_sum(gram, place, cross, columns):
    """RSS / ‖y‖² of least squares on these columns."""
    W, rss = orthonormal(gram, place, columns), 1.0
    for i in range(columns.shape[0]):
        z = 0.0
        for m in range(i + 1):
            z += W[i, m] * cross[columns[m]]
        rss -= z * z
    return rss


@inner_kernel
def least_squares(gram, place, cross, columns):
    """(β of least squares on these columns, RSS / ‖y‖²)."""
    k = columns.shape[0]
    W = orthonormal(gram, place, columns)
    coef, left = np.zeros(k), np.empty(k)
    rss = 1.0
    for i in range(k):
        left[i] = cross[columns[i]]
    for _ in range(2):  # the second time puts right what rounding did
        for i in range(k):
            z = 0.0
            for m in range(i + 1):
                z += W[i, m] * left[m]
            for m in range(i + 1):
                coef[m] += z * W[i, m]
        rss = 1.0
        for i in range(k):
            row = gram[place[columns[i]]]
            left[i] = cross[columns[i]]
            for m in range(k):
                left[i] -= coef[m] * row[columns[m]]
            rss -= coef[i] * (cross[columns[i]] + left[i])
    return coef, rss


@inner_kernel
def largest(values):
    best = 0
    for j in range(1, values.shape[0]):
        if values[j] > values[best]:
            best = j
    return best


@inner_kernel
def promising(gram, place, cross, support, coef, most):
    """(d = c − G_·S β, the columns of S by β² rising and behind them the `most` others of largest d²)."""
    k, p = support.shape[0], cross.shape[0]
    left, promise, cost = np.empty(p), np.empty(p), np.empty(k)
    queue = np.empty(k + most, dtype=np.int64)
    for j in range(p):
        left[j] = cross[j]
    for i in range(k):
        row = gram[place[support[i]]]
        for j in range(p):
            left[j] -= coef[i] * row[j]
    for j in range(p):
        promise[j] = left[j] * left[j]
    for i in range(k):
        promise[support[i]], cost[i] = -1.0, -coef[i] * coef[i]
    for i in range(k):
        at = largest(cost)
        queue[i], cost[at] = support[at], -np.inf
    for i in range(k, k + most):
        at = largest(promise)
        queue[i], promise[at] = at, -1.0
    return left, queue


@inner_kernel
def exchanged(gram, place, cross, left, queue, k, rss):
    """A subset with a lower residual sum: by splicing, or the best that one column for another gives.

    Parameters
    ----------
    left, queue : what `promising` gives: to exchange s columns is to take k from the s-th of the queue on.
    rss : RSS / ‖y‖² of the first k of the queue, which are the answer where there is no better.
    """
    p = cross.shape[0]
    for s in range(queue.shape[0] - k, 0, -1):
        if lower(residual_sum(gram, place, cross, queue[s : s + k]), rss):
            return queue[s : s + k].copy()
    support = queue[:k].copy()
    # Z = W G_S·, and v, the squares of what is outside the span.
    W = orthonormal(gram, place, support)
    Z, v, T = np.zeros((k, p)), np.ones(p), np.empty(p)
    for i in range(k):
        along = Z[i]
        for m in range(i + 1):
            row = gram[place[support[m]]]
            for j in range(p):
                along[j] += W[i, m] * row[j]
        for j in range(p):
            v[j] -= along[j] * along[j]
    for i in range(k):
        v[support[i]] = -np.inf
    best, leaves, enters = 0.0, -1, -1
    for i in range(k):
        spread, coef = 0.0, 0.0  # M_ii, β_i
        T[:] = 0.0
        for l in range(i, k):
            z = 0.0
            for m in range(l + 1):
                z += W[l, m] * cross[support[m]]
            coef += W[l, i] * z
            spread += W[l, i] * W[l, i]
            for j in range(p):
                T[j] += W[l, i] * Z[l, j]
        share = 1.0 / spread if spread > 0.0 else 0.0
        for j in range(p):
            d, square = left[j] + T[j] * coef * share, v[j] + T[j] * T[j] * share
            gain = d * d - (coef * coef * share + best) * square
            if square > INDEPENDENT and gain > 0.0:
                best, leaves, enters = d * d / square - coef * coef * share, i, j
    if lower(rss - best, rss):
        support[leaves] = enters
    return support


@kernel
def spliced(gram, place, cross, support, most):
    """(β of least squares on the subset, RSS / ‖y‖², a subset with less or this one again).

    Where columns that may enter have no rows yet, those that need them stand in the place of the subset: more than k.

    Parameters
    ----------
    support : (k,) columns that have rows.
    most : columns exchanged at once at most.
    """
    coef, rss = least_squares(gram, place, cross, support)
    left, queue = promising(gram, place, cross, support, coef, most)
    for j in queue:
        if place[j] < 0:
            return coef, rss, queue
    return coef, rss, exchanged(gram, place, cross, left, queue, support.shape[0], rss)


@kernel
def forward(gram, place, chosen, count, basis, pull, square):
    """(how many columns are chosen, the next): one after another, each the one that lowers the residual sum most.

    Stops where `chosen` is full, where none is left (−1), or where the next has no row yet. Gram–Schmidt:
    pull_j = c_j − Σ ρ_s (x_j·q_s) and square_j = 1 − Σ (x_j·q_s)² are what is left beside those chosen.

    Parameters
    ----------
    chosen : (k,) the first `count` are given, the others written.
    basis : (k, p) x_j·q_s.
    pull, square : (p,) updated in place.
    """
    p = pull.shape[0]
    while True:
        best, column = 0.0, -1
        for j in range(p):
            if square[j] > INDEPENDENT and pull[j] * pull[j] > best * square[j]:
                best, column = pull[j] * pull[j] / square[j], j
        if count == chosen.shape[0] or column < 0 or place[column] < 0:
            return count, column
        along, row, length = basis[count], gram[place[column]], np.sqrt(square[column])
        for j in range(p):
            along[j] = row[j]
        for s in range(count):
            shadow = basis[s, column]
            for j in range(p):
                along[j] -= shadow * basis[s, j]
        rho = pull[column] / length
        for j in range(p):
            along[j] /= length
            pull[j] -= along[j] * rho
            square[j] -= along[j] * along[j]
        square[column] = 0.0
        chosen[count] = column
        count += 1
