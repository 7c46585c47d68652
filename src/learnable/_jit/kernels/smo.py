"""Sequential minimal optimisation on a block whose kernel values are all at hand.

min ½ βᵀKβ − t·β + ε‖β‖₁ subject to lower ≤ β ≤ upper, the sum over each group of variables staying what it is.
"""

import numpy as np

from learnable._jit.core.compile import inner_kernel, kernel

# A pair whose two points coincide in feature space: the step goes to a bound.
FLAT = 1e-12
# Rooms that differ by no more are equal but for rounding: both ends of the step are at their bounds.
EQUAL = 1.0 + 1e-12


@inner_kernel
def sides(b, lower, upper, epsilon):
    """What ε|β| adds to the slope on the way up, and takes from it on the way down; ∞ where a bound is in the way."""
    rising = epsilon if b >= 0.0 else -epsilon
    falling = -epsilon if b > 0.0 else epsilon
    return (rising if b < upper else np.inf), (falling if b > lower else np.inf)


@inner_kernel
def least_sum(a, b):
    """The least of a + b."""
    n = a.shape[0]
    whole = n - n % 4
    # Four at a time, which do not wait for each other.
    one, two, three, four = np.inf, np.inf, np.inf, np.inf
    for v in range(0, whole, 4):
        one, two = min(one, a[v] + b[v]), min(two, a[v + 1] + b[v + 1])
        three, four = min(three, a[v + 2] + b[v + 2]), min(four, a[v + 3] + b[v + 3])
    least = min(min(one, two), min(three, four))
    for v in range(whole, n):
        least = min(least, a[v] + b[v])
    return least


@inner_kernel
def first_place(a, b, least):
    """The first place where a + b is `least`; behind the end where a value is no number."""
    n = a.shape[0]
    place = n
    # Through to the end, many at a time: a loop that ends at the place looks at one after the other.
    for v in range(n):
        place = min(place, v if a[v] + b[v] == least else n)
    return place


@kernel
def pairs(K, members, slope, beta, lower, upper, epsilon, group, tolerance, most):
    """Up to `most` steps along pairs (i up, j down); returns (steps made, violation left).

    Parameters
    ----------
    K : (n, n) kernel values.
    members : (q,) the rows and columns of K that belong to the variables, of which those met are copied; none: all.
    slope : (q,) Kβ − t, updated in place.
    beta : (q,), updated in place.
    group : (q,) of 0 and 1; a pair is of one group.
    tolerance : stop when no pair promises more than this: max over i that can go up of −∂ᵢ⁺ less min over j that can
        go down of −∂ⱼ⁻.
    """
    q, copies = slope.shape[0], members.shape[0] > 0
    groups = 1
    for v in range(q):
        groups = max(groups, group[v] + 1)
    values = np.empty((q, q)) if copies else K
    copied = np.empty(q, np.bool_)
    # ∂⁺ = slope + rising, ∞ at the upper bound; −∂⁻ = falling − slope, ∞ at the lower one; both ∞ in the other group.
    rising, falling = np.empty((groups, q)), np.empty((groups, q))
    # The diagonal in one piece: taken from K it would cost a line of the cache for every variable.
    own, loss, zero, down = np.empty(q), np.empty(q), np.empty(q), np.empty(q)
    for v in range(q):
        copied[v], zero[v] = not copies, 0.0
        own[v] = K[members[v], members[v]] if copies else K[v, v]
        for g in range(groups):
            rising[g, v], falling[g, v] = np.inf, np.inf
        rising[group[v], v], falling[group[v], v] = sides(beta[v], lower[v], upper[v], epsilon)
    gap = 0.0
    for made in range(most + 1):
        # 1. The furthest that can go up, in the group where it and the furthest that can go down are most apart.
        for v in range(q):
            down[v] = -slope[v]
        here, least, gap = 0, 0.0, -np.inf
        for g in range(groups):
            up = least_sum(slope, rising[g])
            apart = -up - least_sum(down, falling[g])
            if apart > gap:
                here, least, gap = g, up, apart
        if not gap > tolerance or made == most:
            return made, max(gap, 0.0)
        i = first_place(slope, rising[here], least)
        if i >= q:
            return made, gap
        if not copied[i]:
            copy_row(K[members[i]], members, values[i])
            copied[i] = True
        # 2. The partner that promises the largest decrease, b² / a; one that cannot go down promises nothing.
        row, mine, reach = values[i], own[i], falling[here]
        for v in range(q):
            rise = max(slope[v] - reach[v] - least, 0.0)
            loss[v] = -rise * rise / max(mine + own[v] - 2.0 * row[v], FLAT)
        loss[i] = 0.0  # rounding promises something of a step up and down again
        most_promised = least_sum(loss, zero)
        if not most_promised < 0.0:
            return made, gap
        j = first_place(loss, zero, most_promised)
        if not copied[j]:
            copy_row(K[members[j]], members, values[j])
            copied[j] = True
        # 3. As far as the parabola falls, a bound allows, or ε|β| has its kink.
        step = (slope[j] - reach[j] - least) / max(mine + own[j] - 2.0 * row[j], FLAT)
        room_up = -beta[i] if epsilon > 0.0 and beta[i] < 0.0 else upper[i] - beta[i]
        room_down = beta[j] if epsilon > 0.0 and beta[j] > 0.0 else beta[j] - lower[j]
        if step >= room_up or step >= room_down:
            step = min(room_up, room_down)
            old_i, old_j = beta[i], beta[j]
            beta[i] = old_i + step
            beta[j] = old_j - step
            # Exactly on what stopped it.
            if room_up <= EQUAL * room_down:
                beta[i] = 0.0 if epsilon > 0.0 and old_i < 0.0 else upper[i]
            if room_down <= EQUAL * room_up:
                beta[j] = 0.0 if epsilon > 0.0 and old_j > 0.0 else lower[j]
        else:
            beta[i] += step
            beta[j] -= step
        rising[here, i], falling[here, i] = sides(beta[i], lower[i], upper[i], epsilon)
        rising[here, j], falling[here, j] = sides(beta[j], lower[j], upper[j], epsilon)
        # 4. The step changes every slope.
        other = values[j]
        for v in range(q):
            slope[v] += step * (row[v] - other[v])
    return most, gap


@inner_kernel
def copy_row(row, columns, out):
    """out ← row[columns]."""
    for v in range(columns.shape[0]):
        out[v] = row[columns[v]]


@kernel
def promises(slope, beta, lower, upper, epsilon, group, up, down):
    """up ← −∂⁺, −∞ where β is at its upper bound; down ← −∂⁻, ∞ where it is at its lower one.

    Returns (offset of each group, violation): the mean of −∂ over the free variables, else the middle of the interval
    that is left.
    """
    highest, lowest, total, count, offset = np.empty(2), np.empty(2), np.empty(2), np.empty(2), np.empty(2)
    for g in range(2):
        highest[g], lowest[g], total[g], count[g], offset[g] = -np.inf, np.inf, 0.0, 0.0, 0.0
    for v in range(slope.shape[0]):
        s, b, g = slope[v], beta[v], group[v]
        up[v] = (-(s + epsilon) if b >= 0.0 else epsilon - s) if b < upper[v] else -np.inf
        down[v] = (-(s + epsilon) if b > 0.0 else epsilon - s) if b > lower[v] else np.inf
        highest[g], lowest[g] = max(highest[g], up[v]), min(lowest[g], down[v])
        if lower[v] < b < upper[v] and (epsilon == 0.0 or b != 0.0):
            total[g] += -s - epsilon * np.sign(b)
            count[g] += 1.0
    violation = 0.0
    for g in range(2):
        rises, falls = np.isfinite(highest[g]), np.isfinite(lowest[g])
        if rises and falls:
            violation = max(violation, highest[g] - lowest[g])
        if count[g] > 0.0:
            offset[g] = total[g] / count[g]
        elif rises or falls:
            offset[g] = ((highest[g] if rises else 0.0) + (lowest[g] if falls else 0.0)) / (int(rises) + int(falls))
    return offset, violation


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
        copy_row(K[rows[a]], columns, out[a])
    return out


@kernel
def put_block(K, rows, columns, values):
    """K[rows, columns] ← values."""
    for a in range(rows.shape[0]):
        row = K[rows[a]]
        for b in range(columns.shape[0]):
            row[columns[b]] = values[a, b]
