"""Losses of many rows at their scores, with gradients and curvatures, in one pass."""

from typing import NamedTuple

import numpy as np

from learnable._jit.core.compile import compile_formulas, inner_kernel, kernel
from learnable._jit.core.exponential import exp_negative
from learnable._jit.core.lean import lean
from learnable.problems.ensembles.boosting_losses import expansion

compile_formulas()

# Rows that are expanded together.
FEW = 512


class Scores(NamedTuple):
    """What helpers need to expand the squared or the binomial loss of rows without weights.

    y, score : of each row.
    value : what the leaves of the last tree add to the scores.
    sums, scratch : (stretches, 3) sums of the expansion, and (stretches, 512) room for it.
    two_classes : whether the loss is the binomial one.
    """

    y: np.ndarray
    score: np.ndarray
    value: np.ndarray
    sums: np.ndarray
    scratch: np.ndarray
    two_classes: bool


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


@lean
@inner_kernel
def expand_rows(scores, slopes, leaf, moved, piece, n_pieces):
    """One stretch of the rows: the values of the leaves come to the scores, if they have moved; the loss is expanded.

    The sums are (Σ loss, Σ |gradient|, Σ curvature) of the stretch. Of the squared loss curvatures are not written.
    """
    n = len(scores.score)
    low, high = piece * n // n_pieces, (piece + 1) * n // n_pieces
    score, gradient = scores.score[low:high], slopes.gradient[low:high]
    if moved:
        where = leaf[low:high]
        for i in range(high - low):
            score[i] += scores.value[np.uintp(where[i])]
    if scores.two_classes:
        curvature, scratch = slopes.curvature[low:high], scores.scratch[piece]
        _expand_two_classes(scores.y[low:high], score, gradient, curvature, scratch, scores.sums[piece])
    else:
        _expand_squares(scores.y[low:high], score, gradient, scores.sums[piece])


@lean
@inner_kernel
def _expand_squares(y, score, gradient, sums):
    total, slope = 0.0, 0.0
    for i in range(len(y)):
        g = score[i] - y[i]
        gradient[i] = g
        total += g * g
        slope += abs(g)
    sums[0], sums[1], sums[2] = 0.5 * total, slope, float(len(y))


@lean
@inner_kernel
def _expand_two_classes(y, score, gradient, curvature, bits, sums):
    """Few rows at a time: exponentials are taken side by side, and one logarithm of the product of 1 + e^{−|f|}."""
    total, slope, bend = 0.0, 0.0, 0.0
    for low in range(0, len(y), FEW):
        m = min(len(y) - low, FEW)
        f, label, g, h = score[low : low + m], y[low : low + m], gradient[low : low + m], curvature[low : low + m]
        for i in range(m):
            g[i] = abs(f[i])
        exp_negative(g, h, bits[:m])
        product = 1.0  # each factor is at most 2
        for i in range(m):
            small = h[i]
            share = np.divide(1.0, 1.0 + small)
            rest = small * share
            above = f[i] >= 0.0
            slant = (share if above else rest) - label[i]
            product *= 1.0 + small
            g[i] = slant
            h[i] = rest * share
            total += (f[i] if above else 0.0) - label[i] * f[i]
            slope += abs(slant)
            bend += rest * share
        total += np.log(product)
    sums[0], sums[1], sums[2] = total, slope, bend
