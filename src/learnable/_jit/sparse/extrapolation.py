"""From two solutions to the next: everything goes on along a line."""

import numpy as np

from learnable._jit.core.compile import kernel


@kernel
def extrapolate(coef, slope, before, slope_before, step, coef_ahead, slope_ahead):
    """Coefficients and slopes `step` times as far again as they came; what would change its sign stops at zero."""
    for j in range(coef.shape[0]):
        slope_ahead[j] = slope[j] + step * (slope[j] - slope_before[j])
        goes_to = coef[j] + step * (coef[j] - before[j])
        coef_ahead[j] = goes_to if np.sign(goes_to) == np.sign(coef[j]) else 0.0


@kernel
def working_set_slopes(gram, known, exact, target, coef, slope, before, step, coef_ahead, slope_ahead):
    """The slopes of the working set at the extrapolated point; those of new columns are put right where we are, too.

    Slopes that are exact at both solutions are so on the line through them, but for the coefficients that stopped at
    zero.

    Parameters
    ----------
    known : (w,) the columns of the working set, whose cross-products stand in the first w rows and columns of `gram`.
    exact : how many of them, the first, have exact slopes at both solutions.
    """
    w = known.shape[0]
    here, ahead, found = np.empty(w), np.empty(w), np.empty(w)
    for k in range(w):
        here[k], ahead[k], found[k] = coef[known[k]], coef_ahead[known[k]], slope_ahead[known[k]]
    for k in range(w):
        stopped = ahead[k] - here[k] - step * (here[k] - before[known[k]])
        if stopped != 0.0:
            for i in range(exact):
                found[i] += stopped * gram[k, i]
    for k in range(exact, w):
        at_here, at_ahead = -target[known[k]], -target[known[k]]
        for i in range(w):
            at_here += here[i] * gram[k, i]
            at_ahead += ahead[i] * gram[k, i]
        slope[known[k]], found[k] = at_here, at_ahead
    return found


@kernel
def beyond(slope, threshold, length, movable, coef, one_sided, ahead):
    """The support and the columns drawn from zero beyond their threshold; `ahead` gets how far each is, in lengths."""
    chosen = np.empty(coef.shape[0], dtype=np.int64)
    count = 0
    for j in range(coef.shape[0]):
        pull = -slope[j] if one_sided else abs(slope[j])
        ahead[j] = np.inf if coef[j] != 0.0 else (max(pull, 0.0) - threshold[j]) / length[j]
        if movable[j] and ahead[j] > 0.0:
            chosen[count] = j
            count += 1
    return chosen[:count]
