"""Block coordinate descent over the rows of a coefficient matrix."""

import numpy as np

from learnable._jit.core.compile import kernel


@kernel
def row_sweeps(gram, slope, coef, alpha, n_sweeps):
    """Up to `n_sweeps` passes over the rows of ½⟨B, GB⟩ − ⟨C, B⟩ + α Σ ‖B_k‖; returns the passes made.

    Parameters
    ----------
    gram : G, symmetric, in the first w rows and columns of a square that may be larger.
    slope : (q, w) the transpose of GB − C, updated in place: a move goes along its rows.
    coef : (w, q) B, updated in place.
    """
    w, q = coef.shape
    move = np.empty(q)
    for sweep in range(n_sweeps):
        moved = False
        for k in range(w):
            bend = gram[k, k]
            if bend <= 0.0:
                continue
            square = 0.0
            for c in range(q):
                move[c] = coef[k, c] - slope[c, k] / bend
                square += move[c] * move[c]
            size = np.sqrt(square)
            keep = 1.0 - alpha / (bend * size) if bend * size > alpha else 0.0
            changed = False
            for c in range(q):
                new = keep * move[c]
                move[c] = new - coef[k, c]
                coef[k, c] = new
                changed = changed or move[c] != 0.0
            if changed:
                moved = True
                for c in range(q):
                    step = move[c]
                    for i in range(w):
                        slope[c, i] += gram[k, i] * step
        if not moved:
            return sweep + 1
    return n_sweeps
