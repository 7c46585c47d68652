"""Dual coordinate descent of linear machines: one row at a time, in the order given."""

import numpy as np

from learnable._jit.core.compile import compile_formulas, kernel
from learnable._jit.core.prefetch import ask_for, visits_ahead
from learnable._jit.core.vectors import add, dot

compile_formulas()


@kernel
def sweep(rows, scale, w, beta, lower, upper, target, ridge, epsilon, square, order, active, low, high):
    """One pass over the first `active` rows of `order`; returns (rows still active, least and largest slope met).

    Minimises ½‖w‖² + Σ (½ ridgeᵢ βᵢ² − targetᵢβᵢ + ε|βᵢ|) over lower ≤ β ≤ upper, w = Σ βᵢ (xᵢ, scale).
    A row at a bound whose slope points outwards beyond what any row of the last pass had is set aside.

    Parameters
    ----------
    w : (p + 1,), the last entry for the offset, updated in place.
    square : (n,) ‖(xᵢ, scale)‖² + ridgeᵢ.
    order : (n,), permuted in place: rows set aside are moved behind `active`.
    low, high : least and largest slope of the last pass, ∓∞ where nothing is to be set aside.
    """
    p = w.shape[0] - 1
    weights = w[:p]
    least, largest = np.inf, -np.inf
    k, ahead = 0, visits_ahead(rows)
    while k < active:
        i = order[k]
        if k + ahead < active:
            ask_for(rows, order[k + ahead])
        b = beta[i]
        slope = dot(rows, i, weights) + scale * w[p] - target[i] + ridge[i] * b
        # ε|β| adds its own slope, of the side towards which β would move.
        rise = slope + epsilon if b >= 0.0 else slope - epsilon
        fall = slope + epsilon if b > 0.0 else slope - epsilon
        at_low, at_high = b <= lower[i], b >= upper[i]
        if (at_low and rise > high and rise > 0.0) or (at_high and fall < low and fall < 0.0):
            active -= 1
            order[k] = order[active]
            order[active] = i
            continue
        k += 1
        pull = 0.0
        if rise < 0.0 and not at_high:
            pull = rise
        elif fall > 0.0 and not at_low:
            pull = fall
        least, largest = min(least, pull), max(largest, pull)
        if pull == 0.0 or square[i] == 0.0:
            continue
        # The parabola's own minimum, drawn towards 0 by ε, within the box.
        z = b - slope / square[i]
        level = epsilon / square[i]
        z = z - level if z > level else (z + level if z < -level else 0.0)
        z = min(max(z, lower[i]), upper[i])
        if z != b:
            beta[i] = z
            add(rows, i, z - b, weights)
            w[p] += (z - b) * scale
    return active, least, largest
