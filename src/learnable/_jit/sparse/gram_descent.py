"""Coordinate descent on a squared loss + L1 and ridge through cross-products, with the best of the last moves."""

import numpy as np

from learnable._jit.core.compile import compile_formulas, inner_kernel, kernel
from learnable._jit.core.small_systems import solved
from learnable._jit.sparse.coordinate_descent import values
from learnable.problems.sparse.penalties import curvature, l1_level, prox

compile_formulas()

# A fall of the objective by less than this share of ‖y‖²/W is rounding.
ROUNDING = 8 * np.finfo(float).eps
# How many of the last moves span the space in which a better point is looked for.
MOVES = 5


@kernel
def gram_descent(
    gram, slope, coef, target, mean_square, penalty, index, n_sweeps, patience, enough, moves, images, held
):
    """Passes over the coordinates of ½ βᵀGβ − c·β + Σ φ_j(β_j), until the duality gap is at most `enough`.

    After each pass comes the best point of the space that the last moves span, were all signs to stay, if the
    objective is lower there: what conjugate gradients make of a pass as their preconditioner.

    Parameters
    ----------
    gram : G, symmetric, in the first w rows and columns of a square that may be larger.
    slope : (w,) Gβ − c, updated in place.
    coef : (w,) β, updated in place.
    target, mean_square : c and ‖y‖²/W.
    penalty : any that `l1_level` and `curvature` describe, of one sign or both.
    index : (w,) the coordinate j that the penalty knows each one by.
    n_sweeps : passes made in any case, unless the gap is small enough before.
    patience : passes go on as long as, at their rate so far, no more than this many are left.
    moves, images, held : (MOVES, ≥ w) the last moves d and Gd, one a row, and how many there are; updated in place.

    Returns
    -------
    (passes made, gap, moves held)
    """
    w = coef.shape[0]
    step, level, shrink, ridge = np.empty(w), np.empty(w), np.empty(w), np.empty(w)
    for k in range(w):
        ridge[k] = curvature(penalty, index[k])
        step[k] = 1.0 / gram[k, k] if gram[k, k] > 0.0 else 0.0
        level[k] = step[k] * l1_level(penalty, index[k])
        shrink[k] = 1.0 / (1.0 + step[k] * ridge[k])
    # A penalty of one sign takes −1 to zero, however small.
    least = 0.0 if prox(penalty, -1.0, 0.0, index[0] if w else 0) == 0.0 else -np.inf
    products = np.empty((MOVES, MOVES))
    for i in range(held):
        _multiply(moves, images, ridge, i, held, products)
    ahead, ahead_slope, down = np.empty(w), np.empty(w), np.empty(MOVES)
    made, judged = 0, np.inf
    first = gram_values(slope, coef, target, mean_square, penalty, index)[1]
    while True:
        newest = held if held < MOVES else made % MOVES
        for k in range(w):
            moves[newest, k], images[newest, k] = coef[k], slope[k]
        coordinate_pass(gram, slope, coef, step, level, shrink, least)
        made += 1
        primal, gap = gram_values(slope, coef, target, mean_square, penalty, index)
        if not gap <= enough:
            for k in range(w):
                moves[newest, k] = coef[k] - moves[newest, k]
                images[newest, k] = slope[k] - images[newest, k]
            held = min(held + 1, MOVES)
            _multiply(moves, images, ridge, newest, held, products)
            _best_of(gram, moves, images, held, products, slope, coef, penalty, index, ridge, down, ahead, ahead_slope)
            lower, gap_ahead = gram_values(ahead_slope, ahead, target, mean_square, penalty, index)
            if lower < primal - ROUNDING * mean_square:
                gap = gap_ahead
                for k in range(w):
                    moves[newest, k] += ahead[k] - coef[k]
                    images[newest, k] += ahead_slope[k] - slope[k]
                    coef[k], slope[k] = ahead[k], ahead_slope[k]
        if not 0.0 < first < np.inf:  # nothing to measure progress by
            first = gap
        stalled = made >= n_sweeps and not gap * (gap / first) ** (patience / made) <= enough
        if gap <= enough or stalled:
            # Steps between moves that resemble each other leave rounding behind: judged anew without it. Where that
            # does not even halve the gap from one time to the next, rounding is all that is left of it.
            slopes_of(gram, coef, target, slope)
            gap = gram_values(slope, coef, target, mean_square, penalty, index)[1]
            if gap <= enough or stalled or not gap <= 0.5 * judged:
                return made, gap, held
            judged = gap


@inner_kernel
def coordinate_pass(gram, slope, coef, step, level, shrink, least):
    """One pass: β_k ← max(soft(β_k − step_k · slope_k, level_k) · shrink_k, least), four at a time.

    The slopes of the next three are put right at once; those of all others wait for the fourth, and are read and
    written once.
    """
    w = coef.shape[0]
    for k in range(0, w - 3, 4):
        a = _move(coef, k, slope[k], step, level, shrink, least)
        s = slope[k + 1] + a * gram[k, k + 1]
        b = _move(coef, k + 1, s, step, level, shrink, least)
        s = slope[k + 2] + a * gram[k, k + 2] + b * gram[k + 1, k + 2]
        c = _move(coef, k + 2, s, step, level, shrink, least)
        s = slope[k + 3] + a * gram[k, k + 3] + b * gram[k + 1, k + 3] + c * gram[k + 2, k + 3]
        d = _move(coef, k + 3, s, step, level, shrink, least)
        if a != 0.0 or b != 0.0 or c != 0.0 or d != 0.0:
            for i in range(w):
                slope[i] += a * gram[k, i] + b * gram[k + 1, i] + c * gram[k + 2, i] + d * gram[k + 3, i]
    for k in range(w - w % 4, w):
        a = _move(coef, k, slope[k], step, level, shrink, least)
        if a != 0.0:
            for i in range(w):
                slope[i] += a * gram[k, i]


@inner_kernel
def slopes_of(gram, coef, target, slope):
    """slope ← Gβ − c, four rows at a time."""
    w = coef.shape[0]
    for i in range(w):
        slope[i] = -target[i]
    for k in range(0, w - 3, 4):
        a, b, c, d = coef[k], coef[k + 1], coef[k + 2], coef[k + 3]
        if a != 0.0 or b != 0.0 or c != 0.0 or d != 0.0:
            for i in range(w):
                slope[i] += a * gram[k, i] + b * gram[k + 1, i] + c * gram[k + 2, i] + d * gram[k + 3, i]
    for k in range(w - w % 4, w):
        if coef[k] != 0.0:
            for i in range(w):
                slope[i] += coef[k] * gram[k, i]


@inner_kernel
def _move(coef, k, slope, step, level, shrink, least):
    """Put coordinate k at its minimum; returns how far it went."""
    x = coef[k] - step[k] * slope
    found = max(np.copysign(max(abs(x) - level[k], 0.0) * shrink[k], x), least)
    move = found - coef[k]
    coef[k] = found
    return move


@inner_kernel
def _multiply(moves, images, ridge, i, held, products):
    """Put in dᵢ·(G + ridge) dⱼ for all moves j."""
    for j in range(held):
        total = 0.0
        for k in range(ridge.shape[0]):
            total += moves[j, k] * (images[i, k] + ridge[k] * moves[i, k])
        products[i, j] = total
        products[j, i] = total


@inner_kernel
def _best_of(gram, moves, images, held, products, slope, coef, penalty, index, ridge, down, ahead, ahead_slope):
    """Into `ahead` and `ahead_slope`: the best of β + Σ aᵢ dᵢ as long as all signs stay; what is zero stays zero.

    `down` has room for the slopes along the moves.
    """
    w = coef.shape[0]
    for i in range(held):
        down[i] = 0.0
    for k in range(w):
        if coef[k] != 0.0:
            gradient = slope[k] + l1_level(penalty, index[k]) * np.sign(coef[k]) + ridge[k] * coef[k]
            for i in range(held):
                down[i] -= moves[i, k] * gradient
    share = solved(products, down[:held])
    for k in range(w):
        ahead[k], ahead_slope[k] = 0.0, 0.0
    for i in range(held):
        for k in range(w):
            ahead[k] += share[i] * moves[i, k]
            ahead_slope[k] += share[i] * images[i, k]
    length, stops = 1.0, -1
    for k in range(w):
        if coef[k] == 0.0 and ahead[k] != 0.0:
            for i in range(w):
                ahead_slope[i] -= ahead[k] * gram[k, i]
            ahead[k] = 0.0
        elif np.sign(coef[k]) * (coef[k] + length * ahead[k]) < 0.0:
            length, stops = -coef[k] / ahead[k], k
    for k in range(w):
        ahead[k] = coef[k] + length * ahead[k]
        ahead_slope[k] = slope[k] + length * ahead_slope[k]
    if stops >= 0:
        ahead[stops] = 0.0


@kernel
def gram_values(slope, coef, target, mean_square, penalty, index):
    """(objective, duality gap) from cross-products alone, for c = Xᵀy/W in `target` and `mean_square` = ‖y‖²/W.

    With r = y − Xβ: ‖r‖²/W = ‖y‖²/W − c·β + slope·β and r·y/W = ‖y‖²/W − c·β.
    """
    with_y, bent = mean_square, 0.0
    for k in range(coef.shape[0]):
        with_y -= target[k] * coef[k]
        bent += slope[k] * coef[k]
    primal, dual = values(max(with_y + bent, 0.0), with_y, slope, coef, penalty, index)
    return primal, primal - dual
