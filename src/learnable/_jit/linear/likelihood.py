"""Loss, gradient and Hessian of a likelihood of linear scores f = [X 1] θ + offset in one pass over a block of rows.

The law of responses is a type (`BernoulliLaw`, `PoissonLaw`), so that one kernel serves every law: `terms` is chosen at
compile time.
"""

from typing import NamedTuple

import numpy as np

from learnable._jit.core.compile import compile_formulas, kernel
from learnable._jit.core.exponential import exp_negative, log_one_plus
from learnable._jit.core.prefetch import LINE, prefetch
from learnable._jit.core.vectors import DenseVectors, SparseVectors, add, dot
from learnable.problems.core.formula import formula

# Rows whose scores are turned into losses together, by vector instructions; their entries wait in the cache meanwhile.
CHUNK = 256
FEWER = 64
# Rows up to this long are asked for ahead; longer ones the processor foresees as well by itself.
SHORT = 150


class BernoulliLaw(NamedTuple):
    """y = 0 or 1 with log odds f: loss log(1 + e^f) − y f."""


class PoissonLaw(NamedTuple):
    """Counts y of mean e^f: loss e^f − y f."""


@formula
def terms(law, y, score, weight, pull, bend, e, bits):
    """Σ wᵢ ℓ(yᵢ, fᵢ) over a chunk; pull ← w ∂ℓ/∂f and bend ← w ∂²ℓ/∂f². `e` and `bits` are scratch."""


@terms.of(BernoulliLaw)
def _(law, y, score, weight, pull, bend, e, bits):
    n = score.shape[0]
    # e^{−|f|} serves loss, probability and curvature without overflow.
    for i in range(n):
        pull[i] = abs(score[i])
    exp_negative(pull, e, bits)
    log_one_plus(e, bend)
    loss = 0.0
    for i in range(n):
        w = weight[i] if weight.shape[0] > 0 else 1.0
        share = np.divide(1.0, 1.0 + e[i])
        probability = share if score[i] >= 0.0 else e[i] * share
        loss += w * (max(score[i] * (1.0 - 2.0 * y[i]), 0.0) + bend[i])
        pull[i] = w * (probability - y[i])
        bend[i] = w * e[i] * share * share
    return loss


@terms.of(PoissonLaw)
def _(law, y, score, weight, pull, bend, e, bits):
    n = score.shape[0]
    for i in range(n):
        pull[i] = -score[i]
    exp_negative(pull, e, bits)
    loss = 0.0
    for i in range(n):
        w = weight[i] if weight.shape[0] > 0 else 1.0
        loss += w * (e[i] - y[i] * score[i])
        pull[i] = w * (e[i] - y[i])
        bend[i] = w * e[i]
    return loss


@formula
def forward(rows, start, coef, out):
    """out ← the products of the rows from `start` on with `coef`."""


@formula
def backward(rows, start, pull, slope):
    """slope ← slope + Σ pullᵢ xᵢ over the rows from `start` on."""


@forward.of(SparseVectors)
def _(rows, start, coef, out):
    for i in range(out.shape[0]):
        out[i] = dot(rows, start + i, coef)


@backward.of(SparseVectors)
def _(rows, start, pull, slope):
    for i in range(pull.shape[0]):
        add(rows, start + i, pull[i], slope)


# Four dense rows at a time: `coef` and `slope` are loaded once for all of them.
@forward.of(DenseVectors)
def _(rows, start, coef, out):
    n, p = out.shape[0], coef.shape[0]
    X = rows.values
    whole = n - n % 4
    for i in range(0, whole, 4):
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for j in range(p):
            a += X[start + i, j] * coef[j]
            b += X[start + i + 1, j] * coef[j]
            c += X[start + i + 2, j] * coef[j]
            d += X[start + i + 3, j] * coef[j]
        out[i], out[i + 1], out[i + 2], out[i + 3] = a, b, c, d
    for i in range(whole, n):
        out[i] = dot(rows, start + i, coef)


@backward.of(DenseVectors)
def _(rows, start, pull, slope):
    n, p = pull.shape[0], slope.shape[0]
    X = rows.values
    whole = n - n % 4
    for i in range(0, whole, 4):
        if p <= SHORT:
            # While these rows are read again from the cache, those of the next chunk come from memory.
            later = (start + i + n) * p
            for k in range(later, min(later + 4 * p, X.size), LINE):
                prefetch(X, k)
        a, b, c, d = pull[i], pull[i + 1], pull[i + 2], pull[i + 3]
        for j in range(p):
            slope[j] += (
                a * X[start + i, j] + b * X[start + i + 1, j] + c * X[start + i + 2, j] + d * X[start + i + 3, j]
            )
    for i in range(whole, n):
        add(rows, start + i, pull[i], slope)


compile_formulas()


@kernel
def thin_sums(law, X, y, weight, offset, theta, gradient, hessian):
    """Σ w ℓ(y, f) over rows with few columns; adds its gradient and Hessian in θ to the arrays given.

    Parameters
    ----------
    law : `BernoulliLaw` or `PoissonLaw`.
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
    score, pull, bend, e = np.empty(CHUNK), np.empty(CHUNK), np.empty(CHUNK), np.empty(CHUNK)
    bits = np.empty(CHUNK, dtype=np.int64)
    # The chunk by columns, one of ones for the intercept and one where their number is odd: inner loops run along
    # memory, over two by two columns, so that what is loaded serves twice.
    even = m + m % 2
    columns, bent, next_bent = np.ones((even, CHUNK)), np.empty(CHUNK), np.empty(CHUNK)
    slope, square = np.zeros(even), np.zeros((even, even))
    loss = 0.0
    for start in range(0, n, CHUNK):
        stop = min(start + CHUNK, n)
        c = stop - start
        for j in range(p):
            for i in range(c):
                columns[j, i] = X[start + i, j]
        for i in range(c):
            score[i] = offset[start + i] if offset.shape[0] > 0 else 0.0
        for j in range(m):
            for i in range(c):
                score[i] += theta[j] * columns[j, i]
        loss += terms(law, y[start:stop], score[:c], weight[start:stop], pull[:c], bend[:c], e[:c], bits[:c])
        for j in range(0, even, 2):
            s, t = 0.0, 0.0
            for i in range(c):
                s += pull[i] * columns[j, i]
                t += pull[i] * columns[j + 1, i]
                bent[i] = bend[i] * columns[j, i]
                next_bent[i] = bend[i] * columns[j + 1, i]
            slope[j] += s
            slope[j + 1] += t
            for k in range(0, j + 1, 2):
                s, t, u, v = 0.0, 0.0, 0.0, 0.0
                for i in range(c):
                    s += bent[i] * columns[k, i]
                    t += bent[i] * columns[k + 1, i]
                    u += next_bent[i] * columns[k, i]
                    v += next_bent[i] * columns[k + 1, i]
                square[j, k] += s
                square[j, k + 1] += t
                square[j + 1, k] += u
                square[j + 1, k + 1] += v
    for j in range(m):
        gradient[j] += slope[j]
        for k in range(j + 1):
            hessian[j, k] += square[j, k]
            hessian[k, j] = hessian[j, k]
    return loss


@kernel
def slopes(law, rows, n, p, y, weight, offset, theta, gradient):
    """As `thin_sums` without the Hessian, for `rows` (`_jit.vectors`) of any width p: each is read from memory once."""
    score, pull, bend, e = np.empty(FEWER), np.empty(FEWER), np.empty(FEWER), np.empty(FEWER)
    bits = np.empty(FEWER, dtype=np.int64)
    free = theta.shape[0] > p
    coef, slope = theta[:p], gradient[:p]
    loss, pulls = 0.0, 0.0
    for start in range(0, n, FEWER):
        stop = min(start + FEWER, n)
        c = stop - start
        forward(rows, start, coef, score[:c])
        if free or offset.shape[0] > 0:
            for i in range(c):
                score[i] += (theta[p] if free else 0.0) + (offset[start + i] if offset.shape[0] > 0 else 0.0)
        loss += terms(law, y[start:stop], score[:c], weight[start:stop], pull[:c], bend[:c], e[:c], bits[:c])
        backward(rows, start, pull[:c], slope)
        for i in range(c):
            pulls += pull[i]
    if free:
        gradient[p] += pulls
    return loss
