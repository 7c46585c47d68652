"""Block coordinate descent on the dual of the graphical lasso: a lasso for each column of W."""

import numpy as np

from learnable._jit.core.compile import kernel


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
    largest = 0.0
    for j in range(p):
        v[:] = 0.0
        for k in range(p):
            if B[j, k] != 0.0:
                b = B[j, k]
                for i in range(p):
                    v[i] += b * W[k, i]
        for sweep in range(passes):
            moved = False
            for k in range(p):
                if k == j or (sweep > 0 and B[j, k] == 0.0):
                    continue
                x = S[j, k] - v[k] + W[k, k] * B[j, k]
                new = np.copysign(max(abs(x) - penalty[j, k], 0.0), x) / W[k, k]
                change = new - B[j, k]
                if change != 0.0:
                    B[j, k] = new
                    moved = True
                    for i in range(p):
                        v[i] += change * W[k, i]
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
