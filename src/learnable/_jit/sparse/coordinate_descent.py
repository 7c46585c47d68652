"""Cyclic coordinate descent for a squared loss and any separable penalty, and the sums over columns it needs."""

import numpy as np

from learnable._jit.core.compile import compile_formulas, kernel
from learnable._jit.core.vectors import add, dot
from learnable.problems.core.duality import reach
from learnable.problems.sparse.penalties import conjugate, prox, value

compile_formulas()


@kernel
def sweeps(columns, mean, residual, residual_sum, weight_sum, coef, curvature, penalty, working, n_sweeps, tolerance):
    """Up to `n_sweeps` passes over the coordinates in `working`; stops early when no coordinate moves much.

    Minimises ‖y − Xβ‖² / (2W) + Σ φ_j(β_j) with every column x_j shifted by mean_j implicitly: the shift enters
    through `residual_sum`, so a sparse design is never made dense.

    Parameters
    ----------
    residual : (n,) y − Xβ before centring, updated in place.
    residual_sum : (1,) weighted sum of `residual`, updated in place.
    coef : (p,), updated in place.
    curvature : (p,) ‖x_j − mean_j‖² / W; zero for a column that cannot move.
    tolerance : a pass whose largest curvature · move² is at most this ends the loop.

    Returns
    -------
    (passes made, largest curvature · move² of the last pass)
    """
    largest = 0.0
    for sweep in range(n_sweeps):
        largest = 0.0
        for k in range(working.shape[0]):
            j = working[k]
            if curvature[j] == 0.0:
                continue
            old = coef[j]
            slope = (dot(columns, j, residual) - mean[j] * residual_sum[0]) / weight_sum
            step = 1.0 / curvature[j]
            new = prox(penalty, old + step * slope, step, j)
            if new != old:
                move = new - old
                add(columns, j, -move, residual)
                residual_sum[0] -= move * mean[j] * weight_sum
                coef[j] = new
                largest = max(largest, curvature[j] * move * move)
        if largest <= tolerance:
            return sweep + 1, largest
    return n_sweeps, largest


@kernel
def gram_sweeps(gram, slope, coef, penalty, index, n_sweeps):
    """Up to `n_sweeps` passes over the coordinates of ½ βᵀGβ − c·β + Σ φ_j(β_j); returns the passes made.

    Parameters
    ----------
    gram : G, symmetric, in the first w rows and columns of a square that may be larger.
    slope : (w,) Gβ − c, updated in place.
    coef : (w,) β, updated in place.
    index : (w,) the coordinate j that the penalty knows each one by.
    """
    for sweep in range(n_sweeps):
        moved = False
        for k in range(coef.shape[0]):
            bend = gram[k, k]
            if bend <= 0.0:
                continue
            old = coef[k]
            new = prox(penalty, old - slope[k] / bend, 1.0 / bend, index[k])
            if new != old:
                moved = True
                coef[k] = new
                for i in range(coef.shape[0]):
                    slope[i] += (new - old) * gram[k, i]
        if not moved:
            return sweep + 1
    return n_sweeps


@kernel
def values(square, with_y, slope, coef, penalty, index):
    """(primal, dual) of squared loss + penalty, at the dual point t r with the largest t ≤ 1 that is feasible.

    D = t y·r/W − ½ t² ‖r‖²/W − Σ φ*(t xⱼ·r/W).

    Parameters
    ----------
    square, with_y : ‖r‖²/W and y·r/W.
    slope : −Xᵀr/W.
    """
    paid, t = 0.0, 1.0
    for k in range(coef.shape[0]):
        paid += value(penalty, coef[k], index[k])
        t = min(t, reach(penalty, -slope[k], index[k]))
    if t < 1.0:
        # Strictly inside, so that rounding cannot push the point out of the domain.
        t *= 1.0 - 8.881784197001252e-16
    dual = t * with_y - 0.5 * t * t * square
    for k in range(coef.shape[0]):
        dual -= conjugate(penalty, -t * slope[k], index[k])
    return 0.5 * square + paid, dual


@kernel
def dots(columns, index, vector, out):
    """out[j] = x_j · vector for every j in `index`."""
    for k in range(index.shape[0]):
        out[index[k]] = dot(columns, index[k], vector)


@kernel
def take_away(columns, coef, vector):
    """vector ← vector − Σ_j coef[j] x_j, in place."""
    for j in range(coef.shape[0]):
        if coef[j] != 0.0:
            add(columns, j, -coef[j], vector)


@kernel
def add_rows(square, index, factor, out):
    """out ← out + Σ_k factor[k] · (row index[k] of `square`, as far as `out` is long), in place."""
    for k in range(index.shape[0]):
        for i in range(out.shape[0]):
            out[i] += factor[k] * square[index[k], i]


@kernel
def block(square, rows, columns):
    """The entries of `square` in `rows` and `columns`, Fortran-ordered for LAPACK."""
    transposed = np.empty((columns.shape[0], rows.shape[0]))
    for c in range(columns.shape[0]):
        for r in range(rows.shape[0]):
            transposed[c, r] = square[columns[c], rows[r]]
    return transposed.T
