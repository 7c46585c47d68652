"""Losses of many rows at their scores, with gradients and curvatures, in one pass."""

import numpy as np

from learnable._jit.core.compile import compile_formulas, kernel
from learnable._jit.core.exponential import exp_negative
from learnable.problems.ensembles.boosting_losses import expansion

compile_formulas()

# Rows that are expanded together.
FEW = 512


@kernel
def expand(loss, y, score, weight, weighted, gradient, curvature, sums):
    """Gradients and curvatures, times weights; sums = (Σ w loss, Σ |gradient|, Σ curvature) of these rows."""
    total, slope, bend = 0.0, 0.0, 0.0
    for i in range(len(y)):
        value, g, h = expansion(loss, y[i], score[i])
        if weighted:
            value, g, h = value * weight[i], g * weight[i], h * weight[i]
        gradient[i] = g
        curvature[i] = h
        total += value
        slope += abs(g)
        bend += h
    sums[0], sums[1], sums[2] = total, slope, bend


@kernel
def expand_two_classes(y, score, gradient, curvature, sums):
    """`expand` for the binomial loss without weights.

    Few rows at a time, so that exponentials are taken side by side and of the product of 1 + e^{−|f|} one logarithm.
    """
    total, slope, bend = 0.0, 0.0, 0.0
    size, small, bits = np.empty(FEW), np.empty(FEW), np.empty(FEW, np.int64)
    for low in range(0, len(y), FEW):
        m = min(len(y) - low, FEW)
        f, label = score[low : low + m], y[low : low + m]
        size[:m] = np.abs(f)
        exp_negative(size[:m], small[:m], bits[:m])
        product = 1.0  # each factor is at most 2
        for i in range(m):
            share = np.divide(1.0, 1.0 + small[i])
            rest = small[i] * share
            above = f[i] >= 0.0
            g = (share if above else rest) - label[i]
            h = rest * share
            product *= 1.0 + small[i]
            gradient[low + i] = g
            curvature[low + i] = h
            total += (f[i] if above else 0.0) - label[i] * f[i]
            slope += abs(g)
            bend += h
        total += np.log(product)
    sums[0], sums[1], sums[2] = total, slope, bend


@kernel
def expand_classes(y, score, weight, weighted, gradient, curvature, sums):
    """The same for the multinomial loss: score, gradient, curvature (K, n), sums (1 + 2 K)."""
    K = score.shape[0]
    sums[:] = 0.0
    for i in range(len(y)):
        top = score[0, i]
        for k in range(1, K):
            top = max(top, score[k, i])
        total = 0.0
        for k in range(K):
            e = np.exp(score[k, i] - top)
            gradient[k, i] = e
            total += e
        w = weight[i] if weighted else 1.0
        label = int(y[i])
        sums[0] += w * (np.log(total) + top - score[label, i])
        for k in range(K):
            p = gradient[k, i] / total
            g = w * (p - 1.0) if k == label else w * p
            h = w * p * (1.0 - p)
            gradient[k, i] = g
            curvature[k, i] = h
            sums[1 + 2 * k] += abs(g)
            sums[2 + 2 * k] += h
