"""Block coordinate descent on the dual of the graphical lasso: a lasso for each column of W."""

import numpy as np

from learnable._jit.core.compile import inner_kernel, kernel
from learnable._jit.core.small_systems import solved

# Passes of a column after which its coordinates are solved for together, and how many may leave meanwhile.
TOGETHER, LEAVING = 4, 8


@kernel
def column_lassos(S, penalty, W, B, passes):
    """One sweep over the columns: w₁₂ ← W₁₁β with β = argmin ½ βᵀW₁₁β − s₁₂·β + Σ Λ|β|.

    Parameters
    ----------
    S, penalty : (p, p).
    W : (p, p) positive definite and within Λ of S, updated in place; so it stays.
    B : (p, p) the β of each column, one a row, updated in place; its diagonal is zero.
    passes : coordinate passes a column; the first over all coordinates, the others over those that are not zero, which
        are solved for together where there are many passes: where columns nearly depend on each other, passes crawl.

    Returns
    -------
    The largest change of an entry of W.
    """
    p = S.shape[0]
    v = np.empty(p)
    diagonal = np.empty(p)  # side by side; within W each is a line of the cache away from the next
    active = np.empty(p, np.int64)
    for k in range(p):
        diagonal[k] = W[k, k]
    largest = 0.0
    for j in range(p):
        for i in range(p):
            v[i] = 0.0
        for k in range(p):
            b = B[j, k]
            if b != 0.0:
                for i in range(p):
                    v[i] += b * W[k, i]
        n_active = 0
        for k in range(p):
            active[n_active] = k
            x = S[j, k] - v[k] + diagonal[k] * B[j, k]
            if k != j and (B[j, k] != 0.0 or abs(x) > penalty[j, k]):
                _step(penalty, diagonal, W, B, v, j, k, x)
                n_active += 1
        for number in range(1, passes):
            if number == TOGETHER and _solve(S, penalty, W, B, v, active[:n_active], j):
                break
            moved = False
            for a in range(n_active):
                k = active[a]
                if B[j, k] != 0.0:
                    x = S[j, k] - v[k] + diagonal[k] * B[j, k]
                    moved |= _step(penalty, diagonal, W, B, v, j, k, x)
            if not moved:
                break
        for k in range(p):
            if k != j:
                # Within Λ of S, so that W stays a point of the dual.
                value = min(max(v[k], S[j, k] - penalty[j, k]), S[j, k] + penalty[j, k])
                largest = max(largest, abs(value - W[j, k]))
                W[j, k] = value
                W[k, j] = value
    return largest


@inner_kernel
def _step(penalty, diagonal, W, B, v, j, k, x):
    """β_k of column j by soft thresholding; v = W₁₁β follows. Returns whether it moved."""
    new = np.copysign(max(abs(x) - penalty[j, k], 0.0), x) / diagonal[k]
    change = new - B[j, k]
    if change == 0.0:
        return False
    B[j, k] = new
    for i in range(len(v)):
        v[i] += change * W[k, i]
    return True


@inner_kernel
def _solve(S, penalty, W, B, v, active, j):
    """Bring the coordinates that are not zero to the best point of their signs; v follows.

    The first that would change its sign on the way becomes zero, and the others are solved for again. Returns whether
    the point was reached.
    """
    p, m = len(v), 0
    there = False
    for k in active:
        if B[j, k] != 0.0:
            active[m] = k
            m += 1
    square, right = np.empty((m, m)), np.empty(m)
    for _ in range(LEAVING):
        for a in range(m):
            k = active[a]
            right[a] = S[j, k] - np.copysign(penalty[j, k], B[j, k])
            for c in range(m):
                square[a, c] = W[k, active[c]]
        best = solved(square, right[:m])
        share, out = 1.0, -1
        for a in range(m):
            b = B[j, active[a]]
            if best[a] * b < 0.0 and b / (b - best[a]) < share:
                share, out = b / (b - best[a]), a
        for a in range(m):
            B[j, active[a]] += share * (best[a] - B[j, active[a]])
        if out < 0:
            there = True
            break
        B[j, active[out]] = 0.0
        m -= 1
        active[out] = active[m]
    for i in range(p):
        v[i] = 0.0
    for a in range(m):
        k = active[a]
        for i in range(p):
            v[i] += B[j, k] * W[k, i]
    return there
