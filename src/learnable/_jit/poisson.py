"""Sums of a Poisson likelihood with a log link in one pass over a block of rows, each row read once."""

import numpy as np

from learnable._jit.compile import kernel
from learnable._jit.exponential import exp_negative

CHUNK = 256


@kernel
def poisson_sums(X, y, weight, offset, theta, gradient, hessian):
    """Σ w (e^f − y f) with f = [X 1] θ + offset; adds its gradient and Hessian in θ to the arrays given.

    Parameters
    ----------
    X : (n, p), C-ordered.
    y : (n,).
    weight : (n,), or of length 0 for equal weights of one.
    offset : (n,), or of length 0 for none.
    theta : (p,) or (p + 1,): the last entry is the intercept when there is one more than columns.
    gradient : (m,), m = len(theta), added to.
    hessian : (m, m), added to.
    """
    n, p = X.shape
    m = theta.shape[0]
    score, size, e = np.empty(CHUNK), np.empty(CHUNK), np.empty(CHUNK)
    pull, bend, bits = np.empty(CHUNK), np.empty(CHUNK), np.empty(CHUNK, dtype=np.int64)
    # The chunk by columns, a column of ones last where there is an intercept: inner loops run along memory.
    columns, bent = np.ones((m, CHUNK)), np.empty(CHUNK)
    loss = 0.0
    for start in range(0, n, CHUNK):
        c = min(CHUNK, n - start)
        # 1. Scores.
        for i in range(c):
            for j in range(p):
                columns[j, i] = X[start + i, j]
        if offset.shape[0] > 0:
            for i in range(c):
                score[i] = offset[start + i]
        else:
            score[:c] = 0.0
        for j in range(m):
            for i in range(c):
                score[i] += theta[j] * columns[j, i]
        # 2. e^f = 1/e^{−f} on the right: finite for every f, since e^{−|f|} never vanishes here.
        for i in range(c):
            size[i] = abs(score[i])
        exp_negative(size[:c], e[:c], bits[:c])
        for i in range(c):
            w = weight[start + i] if weight.shape[0] > 0 else 1.0
            mean = 1.0 / e[i] if score[i] > 0.0 else e[i]
            loss += w * (mean - y[start + i] * score[i])
            pull[i] = w * (mean - y[start + i])
            bend[i] = w * mean
        # 3. Gradient and lower triangle of the Hessian.
        for j in range(m):
            total = 0.0
            for i in range(c):
                total += pull[i] * columns[j, i]
                bent[i] = bend[i] * columns[j, i]
            gradient[j] += total
            for k in range(j + 1):
                total = 0.0
                for i in range(c):
                    total += bent[i] * columns[k, i]
                hessian[j, k] += total
    for j in range(m):
        for k in range(j):
            hessian[k, j] = hessian[j, k]
    return loss


@kernel
def poisson_slopes(X, y, weight, offset, theta, gradient):
    """As `poisson_sums` without the Hessian, for blocks with many columns: score and gradient in one visit of a row."""
    n, p = X.shape
    intercept = theta[p] if theta.shape[0] > p else 0.0
    loss, pulls = 0.0, 0.0
    for i in range(n):
        row = X[i]
        score = 0.0
        for j in range(p):
            score += row[j] * theta[j]
        score += intercept
        if offset.shape[0] > 0:
            score += offset[i]
        w = weight[i] if weight.shape[0] > 0 else 1.0
        mean = np.exp(min(score, 700.0))
        loss += w * (mean - y[i] * score)
        pull = w * (mean - y[i])
        pulls += pull
        for j in range(p):
            gradient[j] += pull * row[j]
    if theta.shape[0] > p:
        gradient[p] += pulls
    return loss
