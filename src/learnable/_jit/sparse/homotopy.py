"""From one knot of the path of the lasso, or of least angle regression, to the next one.

`solvers.sparse.homotopy` says what a knot is. The active columns stand in the order in which they entered: `base` are
their places, `position` tells where each place stands, −1 where it does not, and `upper` is their triangular factor,
in the first rows and columns of a square that may be larger.
"""

from typing import NamedTuple

import numpy as np

from learnable._jit.core.by_reference import by_reference
from learnable._jit.core.compile import compile_formulas, inner_kernel, kernel
from learnable._jit.core.vectors import DenseVectors, SparseVectors, UnitVectors, add, dot
from learnable._jit.sparse.support_factor import remove, substitute

EPS, TINY = float(np.finfo(float).eps), float(np.finfo(float).tiny)
# Correlations this near to the level, relatively, stand at it.
TIED = 1e-11
# A column enters when its share outside the span of the active ones is more than rounding, squared lengths compared.
INDEPENDENT = 64.0 * EPS
# The speed of an active correlation is one: differences from it smaller than this are rounding.
SPEED = 1e-10
# A direction whose equations miss by more than this is corrected once.
CORRECTED = 1e-13


compile_formulas()


@by_reference
class PathProducts(NamedTuple):
    """What the path needs to know of the data.

    Attributes
    ----------
    columns : those that are combined, before they are shifted by `mean`.
    against : those with which what is combined is multiplied, shifted likewise: the same, or the unit vectors where
        cross-products are combined.
    mean, ones : (p,) and (n,), the shift of column j is mean_j · ones; zeros and (0,) where there is none.
    weight_sum : that by which products are divided.
    y : (n,) the target, or the correlations where cross-products are combined.
    cross, lengths : (p,) correlations with the target and √(mean square) of the columns.
    half_square : half the mean square of the target, 0 where it is not known.
    rounding : (p,) size of the rounding of a correlation.
    """

    columns: DenseVectors | SparseVectors
    against: DenseVectors | SparseVectors | UnitVectors
    mean: np.ndarray
    ones: np.ndarray
    weight_sum: float
    y: np.ndarray
    cross: np.ndarray
    lengths: np.ndarray
    half_square: float
    rounding: np.ndarray


@kernel
def next_knot(products, alpha, alpha_min, keep_signs, positive, coef, c, sign, reached, base, position, held, upper):
    """Move `coef` and its correlations `c` to the next knot below the level alpha, or to alpha_min.

    Parameters
    ----------
    keep_signs, positive : as for `solvers.sparse.homotopy.iterates`.
    coef, c, sign, base, position : (p,), updated in place.
    reached : (p,) columns that have reached the level at this knot; in place, those that do so at the next.
    held : how many columns are active.
    upper : their factor, updated in place while there is room.

    Returns
    -------
    (level of the next knot, active columns, factor, half the mean squared residual, the largest excess of a
    correlation over the level in units of the size of what it adds up)
    """
    p = coef.shape[0]
    left, step, turn, joins = np.empty(products.y.shape[0]), np.empty(p), np.empty(p), np.empty(p)
    off = np.empty(p)

    # 1. Who stands at the level, and which way the coefficients move from here.
    tied = np.empty(p, dtype=np.bool_)
    for j in range(p):
        height = c[j] if positive else abs(c[j])
        tied[j] = reached[j] or height >= alpha - TIED * alpha - products.rounding[j]
        if position[j] >= 0:
            tied[j] = True
        elif tied[j]:
            sign[j] = np.sign(c[j])
    held, upper = direction(products, tied, sign, coef, keep_signs, base, position, held, upper, step, off, left)
    for correction in range(2):
        total = combined(products, 0.0, 1.0, base, held, step, left)
        missed = 0.0
        for j in range(p):
            turn[j] = correlation(products, j, left, total)
        for k in range(held):
            off[k] = sign[base[k]] - turn[base[k]]
            missed = max(missed, abs(off[k]))
        if correction == 1 or missed <= CORRECTED:
            break
        substitute(upper, off[:held])
        for k in range(held):
            step[k] += off[k]

    # 2. The next level: where a column reaches it, a coefficient reaches zero, or the path ends. Levels are solved
    # for, not the way to them: beside a level of 1e20, one of 1 is beyond the digits of a difference.
    level = alpha_min
    for j in range(p):
        joins[j] = -np.inf
        way = (alpha - alpha_min) * turn[j]
        end = c[j] - way if positive else abs(c[j] - way)
        # A column that enters stands above the level at the end of the straight way. Where y is fitted all but
        # perfectly there, it does so by rounding only, and that is no reason to enter.
        if position[j] < 0 and end > alpha_min + products.rounding[j] + CORRECTED * abs(way):
            joins[j] = meeting(c[j], alpha, turn[j], sign[j] if tied[j] else 0.0, positive)
            level = max(level, joins[j])
    for k in range(held):
        # From here on, where the coefficient reaches zero.
        off[k] = -np.inf
        if keep_signs and coef[base[k]] != 0.0 and step[k] * sign[base[k]] < 0.0:
            off[k] = alpha - abs(coef[base[k]] / step[k])
            level = max(level, off[k])
    level = min(level, alpha)

    # 3. Go there. Where no column leaves, what is left of y corrects the last digits, unless that turned a sign.
    gone = False
    for j in range(p):
        reached[j] = joins[j] >= level
    for k in range(held):
        step[k] = coef[base[k]] + (alpha - level) * step[k]
        if keep_signs and (off[k] >= level or step[k] * sign[base[k]] <= 0.0):
            step[k], gone = 0.0, True
    if not gone:
        total, turned = combined(products, 1.0, -1.0, base, held, step, left), False
        for k in range(held):
            off[k] = correlation(products, base[k], left, total) - level * sign[base[k]]
        substitute(upper, off[:held])
        for k in range(held):
            off[k] += step[k]
            turned |= off[k] * sign[base[k]] <= 0.0
        if not (keep_signs and turned):
            step, off = off, step
    for j in range(p):
        coef[j] = step[position[j]] if position[j] >= 0 else 0.0

    # 4. What is left of y there.
    total = combined(products, 1.0, -1.0, base, held, step, left)
    objective, size, excess = products.half_square, np.sqrt(2.0 * products.half_square), 0.0
    for j in range(p):
        size += products.lengths[j] * abs(coef[j])
    for j in range(p):
        c[j] = correlation(products, j, left, total)
        objective -= 0.5 * (products.cross[j] + c[j]) * coef[j]
        above = (c[j] if positive else abs(c[j])) - level
        excess = max(excess, above / max(products.lengths[j] * size, TINY))
    return level, held, upper, objective, excess


@inner_kernel
def direction(products, tied, sign, coef, keep_signs, base, position, held, upper, step, target, left):
    """Minimise ½dᵀGd − sᵀd over the tied columns, where those at zero move along their sign only (for the lasso).

    The active set method of Lawson and Hanson: a column enters while its correlation would otherwise fall more slowly
    than the level; one that would then move against its sign leaves. The value falls with every round, so it ends.

    Returns
    -------
    (columns, factor); d in `step`, column by column of the factor
    """
    if keep_signs:
        for k in range(held - 1, -1, -1):
            if coef[base[k]] == 0.0:
                remove(upper, base, position, k, held)
                held -= 1
    for k in range(held):
        step[k] = sign[base[k]]
    substitute(upper, step[:held])
    waits = np.zeros(tied.shape[0], dtype=np.bool_)
    for j in range(tied.shape[0]):
        waits[j] = tied[j]
    while True:
        waiting = False
        for j in range(tied.shape[0]):
            waiting |= waits[j] and position[j] < 0
        if not waiting:
            return held, upper
        slowest, most = -1, SPEED
        total = combined(products, 0.0, 1.0, base, held, step, left)
        for j in range(tied.shape[0]):
            if waits[j] and position[j] < 0:
                lag = 1.0 - sign[j] * correlation(products, j, left, total)
                lag = lag if keep_signs else abs(lag)
                if lag > most:
                    slowest, most = j, lag
        if slowest < 0:
            return held, upper
        upper = with_room(upper, held)
        if not enter(products, slowest, base, position, held, upper, target, left):
            waits[slowest] = False
            continue
        step[held] = 0.0
        held += 1
        while True:
            for k in range(held):
                target[k] = sign[base[k]]
            substitute(upper, target[:held])
            first, share = -1, np.inf
            for k in range(held):
                if keep_signs and coef[base[k]] == 0.0 and target[k] * sign[base[k]] <= 0.0:
                    reach = step[k] / (step[k] - target[k]) if step[k] != target[k] else step[k]
                    if first < 0 or reach < share:
                        first, share = k, reach
            if first < 0:
                break
            for k in range(held):
                step[k] += share * (target[k] - step[k])
            for k in range(first + 1, held):
                step[k - 1] = step[k]
            waits[base[first]] &= base[first] != slowest
            remove(upper, base, position, first, held)
            held -= 1
        for k in range(held):
            step[k] = target[k]


@inner_kernel
def meeting(c, alpha, turn, standing, positive):
    """The largest level that a correlation and the level reach together, or its negative and the level; −∞ if none.

    It is a with c − (α − a) turn = a. A column that stands at the level on one side (`standing`: its sign, or 0) can
    reach it on the other only.
    """
    rest, found = c - alpha * turn, -np.inf
    if 1.0 - turn > SPEED and standing <= 0.0:
        found = rest / (1.0 - turn)
    if not positive and 1.0 + turn > SPEED and standing >= 0.0:
        found = max(found, -rest / (1.0 + turn))
    return found


@inner_kernel
def enter(products, j, base, position, held, upper, top, left):
    """Add column j at the end of the factor; False, and nothing done, where it depends on those inside."""
    base[held], top[held] = j, 1.0
    total = combined(products, 0.0, 1.0, base[held:], 1, top[held:], left)
    square = products.lengths[j] * products.lengths[j]
    outside = square
    for k in range(held):
        top[k] = correlation(products, base[k], left, total)
    for k in range(held):
        top[k] /= upper[k, k]
        outside -= top[k] * top[k]
        for i in range(k + 1, held):
            top[i] -= top[k] * upper[k, i]
    if not outside > INDEPENDENT * (held + 1) * square:
        return False
    for k in range(held):
        upper[k, held] = top[k]
    upper[held, held], position[j] = np.sqrt(outside), held
    return True


@inner_kernel
def with_room(upper, held):
    """The factor in a square with room for a column more."""
    if held < upper.shape[0]:
        return upper
    larger = np.empty((2 * held, 2 * held))
    for k in range(held):
        for i in range(k, held):
            larger[k, i] = upper[k, i]
    return larger


@inner_kernel
def combined(products, own, factor, base, held, step, out):
    """out ← own · y + factor · Σₖ stepₖ xₖ over the first columns of `base`; returns its product with `ones`."""
    shift, total = 0.0, 0.0
    for i in range(out.shape[0]):
        out[i] = own * products.y[i]
    for k in range(held):
        add(products.columns, base[k], factor * step[k], out)
        shift += factor * step[k] * products.mean[base[k]]
    for i in range(products.ones.shape[0]):
        out[i] -= shift * products.ones[i]
        total += products.ones[i] * out[i]
    return total


@inner_kernel
def correlation(products, j, v, total):
    """Column j with v, whose product with `ones` is `total`."""
    return (dot(products.against, j, v) - products.mean[j] * total) / products.weight_sum
