"""A support whose columns depend on each other becomes one whose columns do not, at no cost.

Let Gz = 0 on the support. Along β + tz the fit stays what it is and Σ levelⱼ|βⱼ| is linear until a coefficient reaches
zero: follow z in the sense in which the sum does not rise, and let that column go. Every step takes a column out, so
it ends with independent columns. Syllabus: L6.
"""

import numpy as np
from scipy import linalg

# What is left of a squared length, relatively, once the span of the other columns is taken out, and counts as nothing.
NOTHING = 1e-12


def independent_support(gram: np.ndarray, coef: np.ndarray, level: np.ndarray) -> int:
    """Move `coef` in place until the columns of its support are independent; Gβ stays, Σ levelⱼ|βⱼ| does not rise.

    Returns how many columns left.

    Parameters
    ----------
    gram : G in the first w rows and columns of a square that may be larger.
    coef : (w,) updated in place.
    level : (w,) ≥ 0.

    >>> coef = np.array([1.0, 1.0, 0.5])                                # the first column is twice the second
    >>> independent_support(np.array([[4.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), coef, np.ones(3))
    1
    >>> coef
    array([1.5, 0. , 0.5])
    """
    support = np.flatnonzero(coef)
    null = null_space(gram[support[:, None], support].T) if len(support) else np.zeros((0, 0))
    if not len(null):
        return 0
    x, sign = coef[support], np.sign(coef[support])
    for k, z in enumerate(null):
        if level[support] @ (sign * z) > 0.0:
            z = -z
        reach = _until_zero(x, z)
        if not np.isfinite(reach.min()):  # a flat direction without an end: the other sense of it has one
            z = -z
            reach = _until_zero(x, z)
        first = int(np.argmin(reach))
        x += reach[first] * z
        x[first] = 0.0
        # The column is out: the directions to come leave it there.
        null[k + 1 :] -= np.outer(null[k + 1 :, first] / z[first], z)
        null[k + 1 :, first] = 0.0
    x[x * sign < 0.0] = 0.0
    coef[support] = x
    return len(null)


def null_space(H: np.ndarray) -> np.ndarray:
    """(d, s) vectors z with Hz = 0 up to rounding, as many as there are dependent columns; H ≥ 0 is overwritten."""
    length = np.sqrt(np.diag(H))
    H /= length[:, None] * length
    factor, pivots, rank, _ = linalg.lapack.dpstrf(H, tol=NOTHING, lower=0)
    if rank == len(H):  # as most supports are
        return np.zeros((0, rank))
    order = pivots - 1
    # With RᵀR the pivoted H: R₁ Z₁ = −R₂, and one for each column left out.
    null = np.zeros((len(H) - rank, len(H)))
    null[:, order[:rank]] = -linalg.solve_triangular(factor[:rank, :rank], factor[:rank, rank:]).T
    null[np.arange(len(null)), order[rank:]] = 1.0
    return null / length


def _until_zero(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """When each entry of x + tz reaches zero; ∞ for those that do not shrink, or are there already."""
    return np.divide(-x, z, out=np.full(len(x), np.inf), where=np.sign(x) * z < 0.0)
