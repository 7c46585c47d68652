"""The multi-class machine of Crammer and Singer by descent over the rows of its dual."""

import numpy as np

from learnable._jit.core.compile import compile_formulas, kernel
from learnable._jit.core.vectors import add, dot

compile_formulas()


@kernel
def sweep(rows, scale, index, C, square, W, alpha, order):
    """One pass over the rows in `order`; returns the largest violation met.

    Minimises ½ Σ_m ‖w_m‖² + Σᵢ Σ_{m ≠ yᵢ} α_im over α_im ≤ Cᵢ[m = yᵢ], Σ_m α_im = 0, w_m = Σ α_im (xᵢ, scale). The
    variables of a row move to their joint minimum: α_m = min(C_m, (τ − B_m)/q) with τ such that they sum to 0.

    Parameters
    ----------
    W : (K, p + 1) and alpha : (n, K), updated in place.
    square : (n,) q = ‖(xᵢ, scale)‖².
    """
    K, p = W.shape[0], W.shape[1] - 1
    B, D = np.empty(K), np.empty(K)
    worst = 0.0
    for k in range(order.shape[0]):
        i = order[k]
        q, own = square[i], index[i]
        if q <= 0.0 or C[i] <= 0.0:
            continue
        highest, lowest = -np.inf, np.inf
        for m in range(K):
            slope = dot(rows, i, W[m, :p]) + scale * W[m, p] + (0.0 if m == own else 1.0)
            most = C[i] if m == own else 0.0
            highest = max(highest, slope)
            if alpha[i, m] < most:
                lowest = min(lowest, slope)
            B[m] = slope - q * alpha[i, m]
            D[m] = B[m] + q * most
        if lowest == np.inf or highest - lowest <= 0.0:
            continue
        worst = max(worst, highest - lowest)
        D.sort()
        # From the largest on, as long as a class takes part.
        tau, part = D[K - 1] - q * C[i], 1
        while part < K and tau < part * D[K - 1 - part]:
            tau += D[K - 1 - part]
            part += 1
        tau /= part
        for m in range(K):
            new = min(C[i] if m == own else 0.0, (tau - B[m]) / q)
            step = new - alpha[i, m]
            if step != 0.0:
                alpha[i, m] = new
                add(rows, i, step, W[m, :p])
                W[m, p] += step * scale
    return worst
