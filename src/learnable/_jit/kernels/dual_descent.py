"""Dual coordinate descent of linear machines: one row at a time, in the order given."""

import numpy as np

from learnable._jit.core.compile import compile_formulas, kernel
from learnable._jit.core.prefetch import ask_for, ask_where, prefetch, visits_ahead
from learnable._jit.core.shuffle import STEP, mixed, shuffle
from learnable._jit.core.small_systems import solved
from learnable._jit.core.vectors import add, dot

compile_formulas()
# What is added to the diagonal of rows that depend on each other, of its sum: then the point they head for is far.
TOUCH = 1e-10
# A step goes this far beyond the minimum along its row, which saves a pass of ten; not where ε|β| has its kink.
BEYOND = 1.1


@kernel
def sweep(rows, scale, w, beta, own, epsilon, order, active, low, high, offset, follow):
    """One pass over the first `active` rows of `order`.

    Returns (rows still active, least and largest slope met, offset).

    Minimises ½‖w‖² + Σ (½ ridgeᵢ βᵢ² − targetᵢβᵢ + ε|βᵢ|) over lower ≤ β ≤ upper, w = Σ βᵢ (xᵢ, scale).
    A row at a bound whose slope points outwards beyond what any row of the last pass had is set aside.

    Parameters
    ----------
    w : (p + 1,), the last entry for the offset, updated in place.
    own : (n, 5) lower, upper, target, ridge and ‖xᵢ‖² + ridgeᵢ + follow of each row, together in memory.
    order : (n,), permuted in place: rows set aside are moved behind `active`.
    low, high : least and largest slope of the last pass, ∓∞ where nothing is to be set aside.
    offset, follow : what the rows take the offset to be, and how much of Σβ it follows, at most scale².
    """
    p = w.shape[0] - 1
    weights = w[:p]
    least, largest = np.inf, -np.inf
    k, ahead = 0, visits_ahead(rows)
    while k < active:
        i = order[k]
        # What decides where the row lies and what becomes of it, twice as early as the row.
        if k + 2 * ahead < active:
            later = order[k + 2 * ahead]
            ask_where(rows, later)
            prefetch(beta, later)
            prefetch(own, later * own.shape[1])
            prefetch(own, (later + 1) * own.shape[1] - 1)
        if k + ahead < active:
            ask_for(rows, order[k + ahead])
        b, lower, upper, square = beta[i], own[i, 0], own[i, 1], own[i, 4]
        slope = dot(rows, i, weights) + offset - own[i, 2] + own[i, 3] * b
        # ε|β| adds its own slope, of the side towards which β would move.
        rise = slope + epsilon if b >= 0.0 else slope - epsilon
        fall = slope + epsilon if b > 0.0 else slope - epsilon
        at_low, at_high = b <= lower, b >= upper
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
        if pull == 0.0 or square == 0.0:
            continue
        # The parabola's own minimum, drawn towards 0 by ε, within the box.
        z = b - (slope if epsilon > 0.0 else BEYOND * slope) / square
        level = epsilon / square
        z = z - level if z > level else (z + level if z < -level else 0.0)
        z = min(max(z, lower), upper)
        if z != b:
            beta[i] = z
            add(rows, i, z - b, weights)
            w[p] += (z - b) * scale
            offset += (z - b) * follow
    return active, least, largest, offset


@kernel
def sweeps(state, rows, scale, w, beta, own, epsilon, order, active, low, high, offset, follow, enough, most):
    """Up to `most` passes, each in a new random order, until the slopes met are no further apart than `enough`.

    Between two passes the offset moves towards that of the weights, by the share of it that it follows.

    Returns (rows still active, least and largest slope that the next pass sets rows aside by, offset, violation,
    passes).
    """
    p, violation, made = w.shape[0] - 1, np.inf, 0
    share = follow / scale**2 if scale > 0.0 else 1.0
    while made < most and violation > enough:
        state += STEP
        shuffle(mixed(state), order[:active])
        offset += share * (scale * w[p] - offset)
        active, least, largest, offset = sweep(
            rows, scale, w, beta, own, epsilon, order, active, low, high, offset, follow
        )
        violation = max(largest, 0.0) - min(least, 0.0) + abs(offset - scale * w[p])
        low, high = least if least < 0.0 else -np.inf, largest if largest > 0.0 else np.inf
        made += 1
    return active, low, high, offset, violation, made


@kernel
def joint_steps(rows, scale, w, beta, lower, upper, target, ridge, epsilon, free, most):
    """Up to `most` steps of the free rows, strictly inside their box, towards their joint minimum.

    Each step goes there, or as far as the first bound (or the kink of ε|β|) allows, whose row then leaves. w and β are
    updated in place.
    """
    p = w.shape[0] - 1
    inside = free.copy()
    # Products of the rows with each other: a row laid out, then its product with those up to it.
    products, laid = np.empty((free.shape[0], free.shape[0])), np.zeros(p)
    for a in range(free.shape[0]):
        add(rows, free[a], 1.0, laid)
        for b in range(a + 1):
            products[a, b] = products[b, a] = dot(rows, free[b], laid) + scale * scale
        laid[:] = 0.0
    here = np.arange(free.shape[0])
    for _ in range(most):
        m = here.shape[0]
        if m == 0:
            return
        bend, slope = np.empty((m, m)), np.empty(m)
        trace = 0.0
        for a in range(m):
            i = inside[here[a]]
            slope[a] = dot(rows, i, w[:p]) + scale * w[p] - target[i] + ridge[i] * beta[i] + epsilon * np.sign(beta[i])
            for b in range(m):
                bend[a, b] = products[here[a], here[b]]
            trace += bend[a, a]
        for a in range(m):
            bend[a, a] += ridge[inside[here[a]]] + TOUCH * trace
        step = solved(bend, -slope)
        # How far the first bound lets it go.
        length, first = 1.0, -1
        for a in range(m):
            i = inside[here[a]]
            low = max(lower[i], 0.0) if epsilon > 0.0 and beta[i] > 0.0 else lower[i]
            high = min(upper[i], 0.0) if epsilon > 0.0 and beta[i] < 0.0 else upper[i]
            room = high - beta[i] if step[a] > 0.0 else low - beta[i]
            if abs(room) < length * abs(step[a]):
                length, first = room / step[a], a
        for a in range(m):
            i = inside[here[a]]
            old = beta[i]
            beta[i] = min(max(old + length * step[a], lower[i]), upper[i])
            if a == first:
                bound = upper[i] if step[a] > 0.0 else lower[i]
                beta[i] = 0.0 if epsilon > 0.0 and old * step[a] < 0.0 else bound
            add(rows, i, beta[i] - old, w[:p])
            w[p] += scale * (beta[i] - old)
        if first < 0:
            return
        here = here[here != here[first]]
