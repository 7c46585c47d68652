"""Sequential minimal optimisation on a block whose kernel values are all at hand.

min ½ βᵀKβ − t·β + ε‖β‖₁ subject to lower ≤ β ≤ upper, the sum over each group of variables staying what it is.
"""

import numpy as np

from learnable._jit.core.compile import kernel

# A pair whose two points coincide in feature space: the step goes to a bound.
FLAT = 1e-12


@kernel
def sides(b, lower, upper, epsilon):
    """What ε|β| adds to the slope on the way up and down; ∞ and −∞ where a bound is in the way."""
    rising = epsilon if b >= 0.0 else -epsilon
    falling = epsilon if b > 0.0 else -epsilon
    return (rising if b < upper else np.inf), (falling if b > lower else -np.inf)


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
    # The diagonal in one piece: taken from K it would cost a line of the cache for every variable.
    own = np.empty(q)
    # ∂⁺ = slope + rising, ∞ at the upper bound; ∂⁻ = slope + falling, −∞ at the lower one.
    rising, falling = np.empty(q), np.empty(q)
    several = False
    for v in range(q):
        own[v] = K[v, v]
        rising[v], falling[v] = sides(beta[v], lower[v], upper[v], epsilon)
        several = several or group[v] != 0
    i, j, step = 0, 0, 0.0
    gap = 0.0
    for made in range(most + 1):
        # 1. The last step changes every slope; on the way, the furthest that can go up and down in each group.
        first, second = K[i], K[j]
        best0, best1, least0, least1 = -np.inf, -np.inf, np.inf, np.inf
        up0, up1 = -1, -1
        if several:
            for v in range(q):
                s = slope[v] + step * (first[v] - second[v])
                slope[v] = s
                up, down = -(s + rising[v]), -(s + falling[v])
                if group[v] == 0:
                    if up > best0:
                        best0, up0 = up, v
                    if down < least0:
                        least0 = down
                else:
                    if up > best1:
                        best1, up1 = up, v
                    if down < least1:
                        least1 = down
        else:
            for v in range(q):
                s = slope[v] + step * (first[v] - second[v])
                slope[v] = s
                up, down = -(s + rising[v]), -(s + falling[v])
                if up > best0:
                    best0, up0 = up, v
                if down < least0:
                    least0 = down
        step = 0.0
        gap0 = best0 - least0 if up0 >= 0 and least0 < np.inf else -np.inf
        gap1 = best1 - least1 if up1 >= 0 and least1 < np.inf else -np.inf
        here = 0 if gap0 >= gap1 else 1
        gap = max(gap0, gap1)
        if gap <= tolerance or made == most:
            return made, max(gap, 0.0)
        # 2. The partner that promises the largest decrease, b² / a; one that cannot go down promises nothing.
        i = up0 if here == 0 else up1
        best = best0 if here == 0 else best1
        row, mine = K[i], own[i]
        j, promise = -1, 0.0
        for v in range(q):
            rise = max(best + slope[v] + falling[v], 0.0)
            bend = max(mine + own[v] - 2.0 * row[v], FLAT)
            if rise * rise > promise * bend and group[v] == here:
                promise, j = rise * rise / bend, v
        # 3. As far as the parabola falls, a bound allows, or ε|β| has its kink.
        bend = max(mine + own[j] - 2.0 * row[j], FLAT)
        step = (best + slope[j] + falling[j]) / bend
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
        rising[i], falling[i] = sides(beta[i], lower[i], upper[i], epsilon)
        rising[j], falling[j] = sides(beta[j], lower[j], upper[j], epsilon)
    return most, gap


@kernel
def promises(slope, beta, lower, upper, epsilon, up, down):
    """up ← −∂⁺, −∞ where β is at its upper bound; down ← −∂⁻, ∞ where it is at its lower one."""
    for v in range(slope.shape[0]):
        s, b = slope[v], beta[v]
        up[v] = (-(s + epsilon) if b >= 0.0 else epsilon - s) if b < upper[v] else -np.inf
        down[v] = (-(s + epsilon) if b > 0.0 else epsilon - s) if b > lower[v] else np.inf


@kernel
def extremes(slope, beta, lower, upper, epsilon, group, up, down):
    """(largest up, least down, sum and number of −∂ over the free variables) of each group, an array (2, 4)."""
    found = np.zeros((2, 4))
    found[:, 0], found[:, 1] = -np.inf, np.inf
    for v in range(slope.shape[0]):
        b, mine = beta[v], found[group[v]]
        mine[0] = max(mine[0], up[v])
        mine[1] = min(mine[1], down[v])
        if lower[v] < b < upper[v] and (epsilon == 0.0 or b != 0.0):
            mine[2] += -slope[v] - epsilon * np.sign(b)
            mine[3] += 1.0
    return found


@kernel
def regrets(slope, beta, target, lower, upper, epsilon, group, offset):
    """(Σ regrets, ½ βᵀKβ − t·β + ε‖β‖₁, how many β are not 0).

    The regret of a row: sup over v in its box of (ε|β| − ε|v|) − (slope + b)(v − β), of a concave, piecewise linear
    function whose supremum is at a bound or at 0.
    """
    gap, objective, counted = 0.0, 0.0, 0
    for v in range(slope.shape[0]):
        b, low, high = beta[v], lower[v], upper[v]
        lean = slope[v] + offset[group[v]]
        best = max(-epsilon * abs(low) - lean * low, -epsilon * abs(high) - lean * high)
        if epsilon > 0.0 and low < 0.0 < high:
            best = max(best, 0.0)
        gap += epsilon * abs(b) + lean * b + best
        objective += 0.5 * b * (slope[v] - target[v]) + epsilon * abs(b)
        counted += b != 0.0
    return gap, objective, counted


@kernel
def add_kept(kept, slots, change, first, total):
    """total ← total + Σₖ changeₖ kept[slotsₖ, first:first + len(total)], in this order."""
    n = total.shape[0]
    for k in range(slots.shape[0]):
        c = change[k]
        row = kept[slots[k], first : first + n]
        for v in range(n):
            total[v] += c * row[v]


@kernel
def take_block(K, rows, columns):
    """K[rows, columns]; several times faster than by index arrays."""
    out = np.empty((rows.shape[0], columns.shape[0]))
    for a in range(rows.shape[0]):
        row = K[rows[a]]
        for b in range(columns.shape[0]):
            out[a, b] = row[columns[b]]
    return out
