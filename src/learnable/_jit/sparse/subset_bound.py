"""The perspective relaxation of a family of subsets, improved until it settles whether the family matters.

min over β of 1 − 2c·β + βᵀQβ + min over z of Σ D_j β_j² / z_j, 0 ≤ z ≤ 1, Σ z ≤ room over the free columns, by
accelerated proximal steps that start afresh when momentum points uphill. Every point on the way gives a lower bound
of all subsets (`problems.subset`) and an upper one of the relaxation.
"""

import numpy as np

from learnable._jit.core.compile import inner_kernel, kernel
from learnable._jit.sparse.splicing import largest

# Steps between two looks at the bounds.
PATIENCE = 4


@kernel
def shares(v, split, step, decided, room, z):
    """z ← the shares of the columns at the proximal point of v: z_j = clip(|v_j| √(½ step D_j) / s − step D_j, 0, 1),

    with s such that the free ones add up to `room`, by bisection.
    """
    p = v.shape[0]
    n_free, high = 0, 0.0
    for j in range(p):
        z[j] = 1.0 if decided[j] > 0 else 0.0
        if decided[j] == 0:
            n_free += 1
            high = max(high, abs(v[j]) / np.sqrt(2.0 * step * split[j]))
    if n_free <= room or high == 0.0:
        for j in range(p):
            if decided[j] == 0 and n_free <= room:
                z[j] = 1.0
        return
    low = 0.0
    for _ in range(60):
        s = 0.5 * (low + high)
        total = 0.0
        for j in range(p):
            if decided[j] == 0:
                total += min(max(abs(v[j]) * np.sqrt(0.5 * step * split[j]) / s - step * split[j], 0.0), 1.0)
        if total > room:
            low = s
        else:
            high = s
        if high - low <= 1e-13 * high:
            break
    for j in range(p):
        if decided[j] == 0:
            z[j] = min(max(abs(v[j]) * np.sqrt(0.5 * step * split[j]) / high - step * split[j], 0.0), 1.0)


@kernel
def relaxation(gram, cross, split, decided, k, lipschitz, point, z, target, max_steps):
    """Improve `point` and the shares `z` in place; returns (lower bound of the family, value of the relaxation).

    Ends once the lower bound reaches `target`, so that the family cannot matter, or once both bounds agree well
    enough below it that the family must be divided.

    Parameters
    ----------
    gram, cross, split, decided, k : as in `problems.subset.subset_bound`.
    lipschitz : largest eigenvalue of gram − diag(split).
    point, z : (p,), where to start and what was found: the point of the best lower bound.
    """
    p = cross.shape[0]
    room = k
    for j in range(p):
        if decided[j] > 0:
            room -= 1
    b, w, new = np.empty(p), np.empty(p), np.empty(p)
    v, gain, free, ranked = np.empty(p), np.empty(p), np.empty(p), np.empty(p)
    for j in range(p):
        b[j], w[j] = point[j], point[j]
    step, momentum = 1.0 / lipschitz, 1.0
    lower, upper = -np.inf, np.inf
    for made in range(1, max_steps + 1):
        _product(gram, split, w, gain)
        for j in range(p):
            v[j] = w[j] - step * (gain[j] - cross[j]) if decided[j] >= 0 else 0.0
        shares(v, split, step, decided, room, z)
        for j in range(p):
            new[j] = v[j] * z[j] / (z[j] + step * split[j]) if z[j] > 0.0 else 0.0
        if made % PATIENCE == 0 or made == max_steps:
            _product(gram, split, new, gain)
            bent, along, spread, inside, n_free = 0.0, 0.0, 0.0, 0.0, 0
            for j in range(p):
                bent += new[j] * gain[j]
                along += cross[j] * new[j]
                if z[j] > 0.0:
                    spread += split[j] * new[j] * new[j] / z[j]
                u = cross[j] - gain[j]
                if decided[j] > 0:
                    inside += u * u / split[j]
                elif decided[j] == 0:
                    free[n_free] = u * u / split[j]
                    n_free += 1
            # By far fewer count than there are.
            for i in range(min(room, n_free)):
                best = largest(free[:n_free])
                ranked[i], free[best] = free[best], -np.inf
            for i in range(min(room, n_free)):
                inside += ranked[i]
            if 1.0 - bent - inside > lower:
                lower = 1.0 - bent - inside
                for j in range(p):
                    point[j] = new[j]
            upper = 1.0 - 2.0 * along + bent + spread
            if lower >= target or (upper < target and upper - lower <= 0.05 * (target - upper)):
                break
        uphill = 0.0
        for j in range(p):
            uphill += (w[j] - new[j]) * (new[j] - b[j])
        onward = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum * momentum))
        carry = (momentum - 1.0) / onward if uphill <= 0.0 else 0.0
        momentum = onward if uphill <= 0.0 else 1.0
        for j in range(p):
            w[j] = new[j] + carry * (new[j] - b[j])
            b[j] = new[j]
    return lower, upper


@inner_kernel
def _product(gram, split, b, out):
    """out ← (gram − diag(split)) b."""
    p = b.shape[0]
    for j in range(p):
        out[j] = 0.0
    for j in range(p):
        if b[j] != 0.0:
            for i in range(p):
                out[i] += b[j] * gram[j, i]
            out[j] -= split[j] * b[j]
