"""A step on the support of a squared loss + L1 and ridge: its equations, and how far the objective falls along it."""

import numpy as np

from learnable._jit.core.compile import compile_formulas, inner_kernel, kernel
from learnable.problems.sparse.penalties import curvature, l1_level

compile_formulas()


@kernel
def equations(slope, coef, penalty, index):
    """(support, levels of L1, ridges, −gradient) of the objective where the signs are as they are.

    Parameters
    ----------
    slope, coef : (w,) of the squared loss, and where.
    index : (w,) the coordinate that the penalty knows each one by.
    """
    size = 0
    for k in range(coef.shape[0]):
        size += coef[k] != 0.0
    support = np.empty(size, dtype=np.int64)
    level, ridge, down = np.empty(size), np.empty(size), np.empty(size)
    i = 0
    for k in range(coef.shape[0]):
        if coef[k] != 0.0:
            support[i] = k
            level[i], ridge[i] = l1_level(penalty, index[k]), curvature(penalty, index[k])
            down[i] = -(slope[k] + level[i] * np.sign(coef[k]) + ridge[i] * coef[k])
            i += 1
    return support, level, ridge, down


@kernel
def step_across_signs(slope, coef, support, level, ridge, down, d, image, keep_signs):
    """Move along d as far as the objective falls; `slope` and `coef` are updated in place.

    Parameters
    ----------
    support, level, ridge, down : from `equations`.
    d, image : (s,) the direction on the support, and Gd over all coordinates.
    keep_signs : whether no coefficient may change its sign.

    Returns
    -------
    whether the step ended where a coefficient became zero
    """
    x = np.empty(support.shape[0])
    falls, bend = 0.0, 0.0
    for i in range(support.shape[0]):
        x[i] = coef[support[i]]
        falls -= down[i] * d[i]
        bend += d[i] * (image[support[i]] + ridge[i] * d[i])
    if not falls < 0.0:
        return False
    t, stops = line_search(x, d, level, falls, bend, keep_signs)
    for i in range(support.shape[0]):
        coef[support[i]] = 0.0 if stops and _crossing(x[i], d[i]) == t else x[i] + t * d[i]
    for k in range(slope.shape[0]):
        slope[k] += t * image[k]
    return stops


@kernel
def line_search(x, d, level, slope, bend, keep_signs):
    """(t, whether a coefficient ends at zero there) of the least objective along x + t d, t ≥ 0.

    It is convex and piecewise quadratic in t: its slope rises by `bend`, and by 2 levelᵢ |dᵢ| where xᵢ changes sign.

    Parameters
    ----------
    x, d : (s,) no entry of x is zero.
    slope, bend : of the objective at t = 0.
    keep_signs : whether no coefficient may change its sign.
    """
    free = -slope / bend if bend > 0.0 else np.inf
    ahead = np.empty(x.shape[0])
    for k in range(x.shape[0]):
        ahead[k] = _crossing(x[k], d[k])
    passed = 0.0
    while True:
        # The next change of sign; few are passed, so that putting them in order would not pay.
        t, i = free, -1
        for k in range(x.shape[0]):
            if ahead[k] < t:
                t, i = ahead[k], k
        if i < 0:
            break
        if keep_signs:
            return t, True
        if slope + bend * t >= 0.0:
            return -slope / bend, False
        slope += 2.0 * level[i] * abs(d[i])
        if slope + bend * t >= 0.0:
            return t, True
        passed, ahead[i] = t, np.inf
    if bend > 0.0:
        return -slope / bend, False
    return (passed, True) if passed > 0.0 else (1.0, False)


@inner_kernel
def _crossing(x, d):
    """When x + t d reaches zero; ∞ if it does not shrink."""
    return -x / d if np.sign(x) * d < 0.0 else np.inf
