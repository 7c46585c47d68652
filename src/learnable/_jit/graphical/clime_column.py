"""One column of CLIME for every level: the parametric dual simplex method on a p × p dictionary."""

import numpy as np

from learnable._jit.core.compile import exact_kernel

# What a pivot may not be smaller than, relative to the largest entry of its row.
PIVOT = 1e-9


@exact_kernel
def clime_column(S, target, levels, beta, dual, most):
    """min ‖β‖₁ with ‖c − Sβ‖∞ ≤ λ for each λ in `levels`, from large to small.

    Basic variables (rows) are affine in the others (columns): y = a + M x. At first the residuals r = c − Sβ are basic
    and β = 0. A column is a β that is zero, or a residual that is at its bound ±λ. As λ falls, the first variable to
    leave its range (a residual beyond ±λ, a β through zero) leaves the basis; the ratio test on the slopes of ‖β‖₁
    says what enters, or that a β changes sign where it stands.

    Parameters
    ----------
    S : (p, p) symmetric. target : (p,) c.
    levels : (m,) falling.
    beta, dual : (m, p) zeros; the solutions and their duals u (max c·u − λ‖u‖₁, ‖Su‖∞ ≤ 1) on return.
    most : pivots at most.

    Returns
    -------
    (levels done, the smallest λ that was reached): fewer than m when no β meets the constraints further down, or when
    the pivots ran out.
    """
    p = S.shape[0]
    M = -S.copy()
    a = target.copy()
    # Names: i ≥ 0 is β_i, −1 − i is r_i.
    row, column = np.empty(p, np.int64), np.empty(p, np.int64)
    sign_row, side = np.zeros(p), np.zeros(p)
    for i in range(p):
        row[i], column[i] = -1 - i, i
    g, b = np.zeros(p), np.zeros(p)
    level = np.abs(target).max() * (1.0 + 1e-12) + 1e-300
    done = 0
    for _ in range(most):
        # Slopes of ‖β‖₁ along the columns, and of the rows along λ.
        g[:] = 0.0
        for k in range(p):
            if row[k] >= 0:
                for m in range(p):
                    g[m] += sign_row[k] * M[k, m]
        for k in range(p):
            total = 0.0
            for m in range(p):
                if column[m] < 0:
                    total += M[k, m] * side[m]
            b[k] = total
        # 1. The first variable to leave its range as λ falls.
        event, leaving, bound = -1.0, -1, 0.0
        for k in range(p):
            if row[k] >= 0:
                if sign_row[k] * b[k] > 0.0:
                    at = -a[k] / b[k]
                    if at > event:
                        event, leaving, bound = at, k, 0.0
            else:
                if 1.0 - b[k] > 1e-14:
                    at = a[k] / (1.0 - b[k])
                    if at > event:
                        event, leaving, bound = at, k, 1.0
                if 1.0 + b[k] > 1e-14:
                    at = -a[k] / (1.0 + b[k])
                    if at > event:
                        event, leaving, bound = at, k, -1.0
        event = min(event, level)
        # 2. The levels before it.
        while done < levels.shape[0] and levels[done] >= event:
            for k in range(p):
                if row[k] >= 0:
                    beta[done, row[k]] = a[k] + b[k] * levels[done]
                if column[k] < 0:
                    dual[done, -1 - column[k]] = -g[k]
            done += 1
        if done == levels.shape[0] or leaving < 0:
            return done, 0.0
        level = event
        # 3. The ratio test.
        k = leaving
        size = 0.0
        for m in range(p):
            size = max(size, abs(M[k, m]))
        turn = sign_row[k] if row[k] >= 0 else -bound
        least, entering, new_sign = (2.0 if row[k] >= 0 else np.inf), -1, 0.0
        for m in range(p):
            d = -turn * M[k, m]
            if abs(d) <= PIVOT * size:
                continue
            if column[m] >= 0:
                step = (1.0 - g[m]) / d if d > 0.0 else (1.0 + g[m]) / -d
                if step < least:
                    least, entering, new_sign = max(step, 0.0), m, (-1.0 if d > 0.0 else 1.0)
            elif side[m] * d > 0.0:
                step = -g[m] / d
                if step < least:
                    least, entering, new_sign = max(step, 0.0), m, 0.0
        if entering < 0:
            if row[k] < 0:
                return done, level  # nothing can make up for it: no β meets the constraints below this level
            sign_row[k] = -sign_row[k]
            continue
        # 4. The pivot.
        m = entering
        pivot = M[k, m]
        for i in range(p):
            if i != k:
                share = M[i, m] / pivot
                if share != 0.0:
                    a[i] -= share * a[k]
                    for n in range(p):
                        M[i, n] -= share * M[k, n]
                M[i, m] = share
        a[k] = -a[k] / pivot
        for n in range(p):
            M[k, n] = -M[k, n] / pivot
        M[k, m] = 1.0 / pivot
        row[k], column[m] = column[m], row[k]
        side[m] = bound
        sign_row[k] = new_sign
    return done, level
