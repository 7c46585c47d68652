"""Losses of many rows at their scores, with gradients and curvatures, in one pass."""

from typing import NamedTuple

import numpy as np

from learnable._jit.core.by_reference import by_reference
from learnable._jit.core.compile import compile_formulas, inner_formula, inner_kernel, kernel
from learnable._jit.core.lean import lean
from learnable._jit.ensembles.slopes import Curved, Odds, Residuals, slopes_of_odds
from learnable.problems.ensembles.boosting_losses import expansion

compile_formulas()

# Rows that are expanded together.
FEW = 512
# Bits of a double: its mantissa, and those of 1.
MANTISSA, ONE = 2**52 - 1, 1023 << 52


@by_reference
class Scores(NamedTuple):
    """What helpers need to expand the squared or the binomial loss of rows without weights.

    value : (2, leaves) what the leaves of the last tree add to the scores of the squared loss; or the factors of odds
        against class 0, and of those against class 1.
    sums : (stretches, 3) sums of the expansion.
    """

    value: np.ndarray
    sums: np.ndarray


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


@inner_formula
def expand_rows(slopes, scores, leaf, moved, piece, n_pieces):
    """One stretch of the rows: their gradients or odds move with the leaves, if they have to.

    The sums are (Σ loss, Σ |gradient|, Σ curvature) of the stretch.
    """


@expand_rows.of(Residuals)
def _(slopes, scores, leaf, moved, piece, n_pieces):
    n = len(leaf)
    low, high = piece * n // n_pieces, (piece + 1) * n // n_pieces
    here, where = slopes.gradient[low:high], leaf[low:high]
    if moved:
        for i in range(high - low):
            here[i] += scores.value[0, np.uintp(where[i])]
    expand_squares(here, scores.sums[piece])


@expand_rows.of(Odds)
def _(slopes, scores, leaf, moved, piece, n_pieces):
    n = len(leaf)
    low, high = piece * n // n_pieces, (piece + 1) * n // n_pieces
    here, where = slopes.gradient[low:high], leaf[low:high]
    if moved:
        for i in range(high - low):
            here[i] *= scores.value[np.uintp(here[i] < 0.0), np.uintp(where[i])]
    expand_odds(here, scores.sums[piece])


@expand_rows.of(Curved)
def _(slopes, scores, leaf, moved, piece, n_pieces):
    """Nothing: such losses are expanded elsewhere."""


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
def expand_odds(odds, sums):
    """Few rows at a time: one logarithm of the product of 1 + |odds|, whose powers of two are summed apart."""
    total, slope, bend, powers = 0.0, 0.0, 0.0, np.int64(0)
    for low in range(0, len(odds), FEW):
        product = 1.0  # each factor is below 2
        for i in range(low, min(len(odds), low + FEW)):
            against = abs(odds[np.uintp(i)])
            whole = np.float64(1.0 + against).view(np.int64)
            powers += (whole >> 52) - 1023
            product *= np.int64((whole & MANTISSA) | ONE).view(np.float64)
            g, h = slopes_of_odds(against)
            slope += g
            bend += h
        total += np.log(product)
    sums[0], sums[1], sums[2] = total + np.log(2.0) * powers, slope, bend
