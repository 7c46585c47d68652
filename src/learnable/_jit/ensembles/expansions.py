"""Losses of many rows at their scores, with gradients and curvatures, in one pass."""

from typing import NamedTuple

import numpy as np

from learnable._jit.core.by_reference import by_reference
from learnable._jit.core.compile import compile_formulas, inner_kernel, kernel
from learnable._jit.core.exponential import exp_negative
from learnable._jit.core.lean import lean
from learnable.problems.ensembles.boosting_losses import expansion

compile_formulas()

# Rows that are expanded together.
FEW = 512


@by_reference
class Scores(NamedTuple):
    """What helpers need to expand the squared or the binomial loss of rows without weights.

    y : the class of each row, 0 or 1; not read for the squared loss.
    score : of each row; for the squared loss, what it is above y, which is the gradient itself, in the same room.
    value : what the leaves of the last tree add to the scores.
    sums : (stretches, 3) sums of the expansion.
    small, bits : (stretches, 512) room for it.
    two_classes : whether the loss is the binomial one.
    """

    y: np.ndarray
    score: np.ndarray
    value: np.ndarray
    sums: np.ndarray
    small: np.ndarray
    bits: np.ndarray
    two_classes: bool


@kernel
def expand(loss, y, score, weight, weighted, gradient, curvature, sums):
    """Gradients and curvatures, times weights; sums = (Σ w loss, Σ |gradient|, Σ curvature) of these rows.

    Curvatures that are all 1 are not written where there is no room for them.
    """
    total, slope, bend = 0.0, 0.0, 0.0
    for i in range(len(y)):
        value, g, h = expansion(loss, y[i], score[i])
        if weighted:
            value, g, h = value * weight[i], g * weight[i], h * weight[i]
        gradient[i] = g
        if len(curvature) > 0:
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

    The sums are (Σ loss, Σ |gradient|, Σ curvature) of the stretch. Curvatures are not written.
    """
    n = len(scores.score)
    low, high = piece * n // n_pieces, (piece + 1) * n // n_pieces
    score = scores.score[low:high]
    if moved:
        where = leaf[low:high]
        for i in range(high - low):
            score[i] += scores.value[np.uintp(where[i])]
    if scores.two_classes:
        gradient, small, bits = slopes.gradient[low:high], scores.small[piece], scores.bits[piece]
        expand_two_classes(scores.y[low:high], score, gradient, small, bits, scores.sums[piece])
    else:
        expand_squares(score, scores.sums[piece])


@lean
@inner_kernel
def expand_squares(gradient, sums):
    """Scores less their targets are the gradients."""
    total, slope = 0.0, 0.0
    for i in range(len(gradient)):
        total += gradient[i] * gradient[i]
        slope += abs(gradient[i])
    sums[0], sums[1], sums[2] = 0.5 * total, slope, float(len(gradient))


@lean
@inner_kernel
def expand_two_classes(y, score, gradient, small, bits, sums):
    """Few rows at a time: exponentials are taken side by side, and one logarithm of the product of 1 + e^{−|f|}.

    small, bits : (512,) room for the exponentials.
    """
    total, slope, bend = 0.0, 0.0, 0.0
    for low in range(0, len(y), FEW):
        m = min(len(y) - low, FEW)
        f, label, g = score[low : low + m], y[low : low + m], gradient[low : low + m]
        for i in range(m):
            g[i] = abs(f[i])
        exp_negative(g, small[:m], bits[:m])
        product = 1.0  # each factor is at most 2
        for i in range(m):
            share = np.divide(1.0, 1.0 + small[i])
            rest = small[i] * share
            above, one = f[i] >= 0.0, float(label[i])
            # p for class 0 and −(1 − p) for class 1: p − 1 would lose the last bits of a small 1 − p.
            slant = (1.0 - one) * (share if above else rest) - one * (rest if above else share)
            product *= 1.0 + small[i]
            g[i] = slant
            total += (f[i] if above else 0.0) - one * f[i]
            slope += abs(slant)
            bend += rest * share
        total += np.log(product)
    sums[0], sums[1], sums[2] = total, slope, bend
