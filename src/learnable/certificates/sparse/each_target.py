"""Several targets under one norm of rows: what the answer misses of each target by itself.

The gap of all targets is one sum, in which a target of small numbers is lost. With the coefficients of the others held,
those of target k, b = B_{·k}, are penalised by α Σ_j √(c_j² + b_j²), c_j the length of row j without them. Less its
value at b = 0, that and its conjugate at z are

    α Σ_j b_j² / (c_j + √(c_j² + b_j²))    and    Σ_j c_j z_j² / (α + √(α² − z_j²)),  |z_j| ≤ α,

which keep their digits however small b is beside c. Under a nuclear norm, with D the slope Xᵀ(w∘r) less a subgradient
of the penalty, no change of column k takes more than ½ D_kᵀG⁻¹D_k off the objective, G = Xᵀ(w∘X). Syllabus: L16, L18.
"""

from collections.abc import Callable

import numpy as np
from scipy import linalg

from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import allowed
from learnable.certificates.sparse.lasso import MOST_COLUMNS, Penalised
from learnable.certificates.sparse.squared_gap import RELATIVE_GAP, Sizes, squared_gap
from learnable.problems.sparse.matrix_penalties import NuclearNorm, RowNorms, row_lengths

# How far predictions of a target may be from the best, of how far they differ; a gap is half the square of it.
MOST_ASTRAY = 1e-2
TINY = float(np.finfo(float).tiny)


def each_target(
    penalty: RowNorms | NuclearNorm,
    row: str,
    gap: float,
    rounded: np.ndarray,
    own: np.ndarray,
    residual: np.ndarray,
    standing: np.ndarray,
    data: Penalised,
    B: np.ndarray,
    slope: np.ndarray,
    decrement: Callable[[int], float],
) -> list[Claim]:
    """A claim about the target of which most is missed, where the gap of all targets does not show that it is little.

    Parameters
    ----------
    gap : of all targets, and its rounding.
    rounded : (q,) what the targets are rounded by; those that differ by no more are met by whatever is as near.
    own, residual, standing : (n, q), see `squared_gap`.
    B, slope : (p, q), coefficients and Xᵀ(w∘r).
    decrement : of one target; that shows more where the penalty is lost in the rounding of Xᵀr.
    """
    weight = data.weight
    share = 0.5 * MOST_ASTRAY**2 * allowed(RELATIVE_GAP) / RELATIVE_GAP
    # A subgradient of a nuclear norm has few digits where columns are in units far apart: it is looked at only where a
    # target itself differs by little.
    explained = weight @ (own if isinstance(penalty, NuclearNorm) else own - residual) ** 2
    # What the gap of all may take from one target is at most the whole of it.
    unsure = np.flatnonzero((gap > share * explained) & (weight @ own**2 > (8.0 * rounded) ** 2))
    if not len(unsure) or B.shape[1] == 1:
        return []
    excess = _decrements(penalty.alpha, data, B, slope) if isinstance(penalty, NuclearNorm) else None
    beside = np.zeros(B.shape[1])
    for k in unsure.tolist():
        if excess is None:
            astray = _gap_of(k, penalty.alpha, own, residual, standing, weight, B, slope)
        else:
            off = float(weight @ (standing[:, k] - residual[:, k]) ** 2)
            astray = min(gap, excess[k] + 0.5 * off)
        if astray > share * explained[k]:
            astray = min(astray, decrement(k))
        beside[k] = astray and astray / max(explained[k], TINY)
    worst = int(np.argmax(beside))
    statement = (
        "each target by itself, the coefficients of the others given: how far the objective is above its minimum, "
        f"beside the mean square of what it differs by, or its predictions (target {worst})"
    )
    return [Claim.reached(row, statement, float(beside[worst]), share, asked=np.inf)]


def _decrements(alpha: float, data: Penalised, B: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """½ D_kᵀG⁻¹D_k under a nuclear norm, target by target; no number where columns may depend on one another."""
    p = len(B)
    if p > MOST_COLUMNS or (found := data.factor_of(np.arange(p))) is None:
        return np.full(B.shape[1], np.inf)
    factor, length = found
    excess, dropped = beyond_nuclear(alpha, B, slope)
    return dropped + 0.5 * np.sum(linalg.solve_triangular(factor, excess / length[:, None], trans=1) ** 2, axis=0)


def beyond_nuclear(alpha: float, B: np.ndarray, slope: np.ndarray) -> tuple[np.ndarray, float]:
    """The slope less the subgradient α(UVᵀ + W) that is nearest to it, W without a part in the spaces of U and V and
    without a singular value above 1; and what singular values of the answer that are rounding add to the penalty.

    >>> beyond_nuclear(1.0, np.diag([2.0, 0.0]), np.diag([1.0, 1.5]))
    (array([[0. , 0. ],
           [0. , 0.5]]), 0.0)
    """
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    kept = s > max(B.shape) * float(np.finfo(float).eps) * s.max(initial=0.0)
    dropped, U, Vt = 2.0 * alpha * float(s[~kept].sum()), U[:, kept], Vt[kept]
    outside = slope - U @ (U.T @ slope)
    outside -= (outside @ Vt.T) @ Vt
    left, sizes, right = np.linalg.svd(outside, full_matrices=False)
    return slope - alpha * (U @ Vt) - (left * np.minimum(sizes, alpha)) @ right, dropped


def _gap_of(
    k: int,
    alpha: float,
    own: np.ndarray,
    residual: np.ndarray,
    standing: np.ndarray,
    weight: np.ndarray,
    B: np.ndarray,
    slope: np.ndarray,
) -> float:
    """The gap of the coefficients of target k, the others held."""
    b, z = B[:, k], slope[:, k]
    c = row_lengths(np.delete(B, k, axis=1))
    length = c + np.sqrt(c**2 + b**2)
    penalised = alpha * float(np.divide(b**2, length, out=np.zeros_like(b), where=length > 0.0).sum())
    t = min(1.0, alpha / max(float(np.abs(z).max(initial=0.0)), TINY))
    short = t * z
    conjugate = float((c * short**2 / (alpha + np.sqrt(np.maximum(alpha**2 - short**2, 0.0)))).sum())
    left, stood, its = residual[:, k], standing[:, k], own[:, k]
    exact = Sizes(0.0, 0.0, 0.0, 0.0, 0.0)
    return squared_gap(left, stood, its, weight, penalised, float(z @ b), [(t, conjugate)], exact).value
