"""Squared loss + L1 and ridge under one penalty after another, through the cross-products of all columns."""

import numpy as np

from learnable._jit.core.compile import compile_formulas, long_kernel
from learnable._jit.sparse.gram_descent import coordinate_pass, gram_values, slopes_of
from learnable._jit.sparse.line_search import equations, step_across_signs
from learnable._jit.sparse.support_factor import adapt, refined
from learnable.problems.sparse.penalties import curvature, l1_level, prox, scaled

compile_formulas()


@long_kernel
def gram_path(gram, target, mean_square, unit, alphas, index, enough, most, passes, coef, slope, coefs, values):
    """Solutions of ½ βᵀGβ − c·β + α Σ φ_j(β_j) for each α in turn, each from the one before.

    Two kinds of step take turns until the duality gap is at most `enough`: the equations of the signs, solved, which
    is the solution as long as no sign changes and no other column enters; and a pass over the coordinates, in which
    others enter and leave.

    Parameters
    ----------
    gram : G, in the first p rows and columns of a square that may be larger.
    target, mean_square : c and ‖y‖²/W.
    unit : Σ φ_j.
    index : (p,) the coordinate that the penalty knows each one by.
    most : steps under one penalty at most.
    passes : how many of them come before each solution of the equations, where there is a ridge.
    coef, slope : (p,) β to start from and Gβ − c; updated in place.
    coefs : (m, p) receives the solutions; values : (m, 3) their objectives, gaps and numbers of steps.

    Returns
    -------
    how many were found: the next one, of which the last point is given, needs more care than it gets here
    """
    p = coef.shape[0]
    step, level, shrink = np.empty(p), np.empty(p), np.empty(p)
    upper, base, position, held = np.empty((p, p)), np.empty(p, dtype=np.int64), np.empty(p, dtype=np.int64), 0
    for k in range(p):
        step[k], position[k] = 1.0 / gram[k, k] if gram[k, k] > 0.0 else 0.0, -1
    for a in range(alphas.shape[0]):
        penalty = scaled(unit, alphas[a])
        for k in range(p):
            level[k] = step[k] * l1_level(penalty, index[k])
            shrink[k] = 1.0 / (1.0 + step[k] * curvature(penalty, index[k]))
        # A penalty of one sign takes −1 to zero, however small.
        one_sided = prox(penalty, -1.0, 0.0, index[0]) == 0.0
        turn = passes if curvature(penalty, index[0]) > 0.0 else 0
        # One step at least: the solution before may be within the tolerance of this one, but is not this one.
        made, stopped = 0, most > 0
        while True:
            if not stopped or made == most:
                for exact in range(2):
                    if exact == 1:
                        # Judged without the rounding that the steps have left.
                        slopes_of(gram, coef, target, slope)
                    primal, gap = gram_values(slope, coef, target, mean_square, penalty, index)
                    if not gap <= enough and made < most:
                        break
                if gap <= enough or made == most:
                    break
            stopped = False
            made += 1
            if made % (turn + 2) != turn + 1:
                coordinate_pass(gram, slope, coef, step, level, shrink, 0.0 if one_sided else -np.inf)
                continue
            support, heights, ridge, down = equations(slope, coef, penalty, index)
            if support.shape[0] > 0:
                adapt(gram, support, ridge, upper, base, position, held, True)
                held = support.shape[0]
                d, image, settled = refined(gram, support, ridge, down, upper, position, p)
                if settled:
                    stopped = step_across_signs(slope, coef, support, heights, ridge, down, d, image, one_sided)
                else:
                    made = most
        for k in range(p):
            coefs[a, k] = coef[k]
        values[a, 0], values[a, 1], values[a, 2] = primal, gap, made
        if not gap <= enough:
            return a
    return alphas.shape[0]
