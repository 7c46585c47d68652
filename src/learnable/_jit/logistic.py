"""Loss, gradient and Hessian of a binary logistic likelihood in one pass over a tall and thin block of rows."""

import numpy as np

from learnable._jit.compile import kernel
from learnable._jit.exponential import exp_negative, log_one_plus

CHUNK = 256


@kernel
def logistic_sums(X, label, weight, theta, gradient, hessian):
    """Σ w log(1 + e^{−y f}) with f = [X 1] θ; adds its gradient and Hessian in θ to the arrays given.

    Parameters
    ----------
    X : (n, p), C-ordered.
    label : (n,) class index, 0 or 1.
    weight : (n,), or of length 0 for equal weights of one.
    theta : (p,) or (p + 1,): the last entry is the intercept when there is one more than columns.
    gradient : (m,), m = len(theta), added to.
    hessian : (m, m), added to.
    """
    n, p = X.shape
    m = theta.shape[0]
    score, size, e = np.empty(CHUNK), np.empty(CHUNK), np.empty(CHUNK)
    log_term, bits = np.empty(CHUNK), np.empty(CHUNK, dtype=np.int64)
    # The chunk by columns, a column of ones last where there is an intercept: inner loops run along memory.
    columns, bent = np.ones((m, CHUNK)), np.empty(CHUNK)
    loss = 0.0
    for start in range(0, n, CHUNK):
        c = min(CHUNK, n - start)
        # 1. Scores.
        for i in range(c):
            for j in range(p):
                columns[j, i] = X[start + i, j]
        score[:c] = 0.0
        for j in range(m):
            for i in range(c):
                score[i] += theta[j] * columns[j, i]
        for i in range(c):
            size[i] = abs(score[i])
        # 2. e^{−|f|} serves loss, probability and curvature without overflow.
        exp_negative(size[:c], e[:c], bits[:c])
        log_one_plus(e[:c], log_term[:c])
        for i in range(c):
            y = float(label[start + i])
            w = weight[start + i] if weight.shape[0] > 0 else 1.0
            share = 1.0 / (1.0 + e[i])
            probability = share if score[i] >= 0.0 else e[i] * share
            against = score[i] * (1.0 - 2.0 * y)
            loss += w * (max(against, 0.0) + log_term[i])
            size[i] = w * (probability - y)
            log_term[i] = w * e[i] * share * share
        # 3. Gradient and lower triangle of the Hessian.
        for j in range(m):
            total = 0.0
            for i in range(c):
                total += size[i] * columns[j, i]
                bent[i] = log_term[i] * columns[j, i]
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
