"""Sequential minimal optimisation on a block whose kernel values are all at hand.

min ½ βᵀKβ − t·β + ε‖β‖₁ subject to lower ≤ β ≤ upper, the sum over each group of variables staying what it is.
"""

import numpy as np

from learnable._jit.core.compile import kernel

# A pair whose two points coincide in feature space: the step goes to a bound.
FLAT = 1e-12


@kernel
def pairs(K, slope, beta, lower, upper, epsilon, group, tolerance, most):
    """Up to `most` steps along pairs (i up, j down); returns (steps made, violation left).

    Parameters
    ----------
    K : (q, q) kernel values.
    slope : (q,) Kβ − t, updated in place.
    beta : (q,), updated in place.
    group : (q,) of 0 and 1; a pair is of one group.
    tolerance : stop when no pair promises more than this: max over i that can go up of −∂ᵢ⁺ less min over j that can
        go down of −∂ⱼ⁻.
    """
    q = slope.shape[0]
    i, j, step = 0, 0, 0.0
    gap = 0.0
    for made in range(most + 1):
        # 1. The last step changes every slope; on the way, the furthest that can go up and down in each group.
        first, second = K[i], K[j]
        best0, best1, least0, least1 = -np.inf, -np.inf, np.inf, np.inf
        up0, up1 = -1, -1
        for v in range(q):
            s = slope[v] + step * (first[v] - second[v])
            slope[v] = s
            b = beta[v]
            up = -(s + epsilon) if b >= 0.0 else epsilon - s
            down = -(s + epsilon) if b > 0.0 else epsilon - s
            if group[v] == 0:
                if b < upper[v] and up > best0:
                    best0, up0 = up, v
                if b > lower[v] and down < least0:
                    least0 = down
            else:
                if b < upper[v] and up > best1:
                    best1, up1 = up, v
                if b > lower[v] and down < least1:
                    least1 = down
        step = 0.0
        gap0 = best0 - least0 if up0 >= 0 and least0 < np.inf else -np.inf
        gap1 = best1 - least1 if up1 >= 0 and least1 < np.inf else -np.inf
        here = 0 if gap0 >= gap1 else 1
        gap = max(gap0, gap1)
        if gap <= tolerance or made == most:
            return made, max(gap, 0.0)
        # 2. The partner that promises the largest decrease, b² / a.
        i = up0 if here == 0 else up1
        best = best0 if here == 0 else best1
        row, own = K[i], K[i, i]
        j, promise = -1, -np.inf
        for v in range(q):
            if group[v] != here or beta[v] <= lower[v]:
                continue
            down = -(slope[v] + epsilon) if beta[v] > 0.0 else epsilon - slope[v]
            rise = best - down
            if rise <= 0.0:
                continue
            bend = max(own + K[v, v] - 2.0 * row[v], FLAT)
            if rise * rise > promise * bend:
                promise, j = rise * rise / bend, v
        # 3. As far as the parabola falls, a bound allows, or ε|β| has its kink.
        bend = max(own + K[j, j] - 2.0 * row[j], FLAT)
        down = -(slope[j] + epsilon) if beta[j] > 0.0 else epsilon - slope[j]
        step = (best - down) / bend
        room_up = -beta[i] if epsilon > 0.0 and beta[i] < 0.0 else upper[i] - beta[i]
        room_down = beta[j] if epsilon > 0.0 and beta[j] > 0.0 else beta[j] - lower[j]
        if step >= room_up or step >= room_down:
            step = min(room_up, room_down)
            at_i = room_up <= room_down
            old_i, old_j = beta[i], beta[j]
            beta[i] = old_i + step
            beta[j] = old_j - step
            # Exactly on what stopped it.
            if at_i:
                beta[i] = 0.0 if epsilon > 0.0 and old_i < 0.0 else upper[i]
            if room_down <= room_up:
                beta[j] = 0.0 if epsilon > 0.0 and old_j > 0.0 else lower[j]
        else:
            beta[i] += step
            beta[j] -= step
    return most, gap


@kernel
def promises(slope, beta, lower, upper, epsilon, up, down):
    """up ← −∂⁺, −∞ where β is at its upper bound; down ← −∂⁻, ∞ where it is at its lower one."""
    for v in range(slope.shape[0]):
        s, b = slope[v], beta[v]
        up[v] = (-(s + epsilon) if b >= 0.0 else epsilon - s) if b < upper[v] else -np.inf
        down[v] = (-(s + epsilon) if b > 0.0 else epsilon - s) if b > lower[v] else np.inf


@kernel
def add_rows(rows, change, total):
    """total ← total + Σₖ changeₖ rowsₖ."""
    m, n = rows.shape
    for k in range(m):
        c = change[k]
        row = rows[k]
        for v in range(n):
            total[v] += c * row[v]
