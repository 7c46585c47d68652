"""Block coordinate descent on the dual of the graphical lasso: a lasso for each column of W."""

import numpy as np

from learnable._jit.core.compile import inner_kernel, kernel


@kernel
def column_lassos(S, penalty, W, B, passes):
    """One sweep over the columns: w₁₂ ← W₁₁β with β = argmin ½ βᵀW₁₁β − s₁₂·β + Σ Λ|β|.

    Parameters
    ----------
    S, penalty : (p, p).
    W : (p, p) positive definite and within Λ of S, updated in place; so it stays.
    B : (p, p) the β of each column, one a row, updated in place; its diagonal is zero.
    passes : coordinate passes a column; the first over all coordinates, the others over those that are not zero.

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
        for _ in range(1, passes):
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
