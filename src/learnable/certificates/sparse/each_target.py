"""Several targets under one norm of rows: what the answer misses of each target by itself.

The gap of all targets is one sum, in which a target of small numbers is lost. With the coefficients of the others held,
those of target k, b = B_{·k}, are penalised by α Σ_j √(c_j² + b_j²), c_j the length of row j without them. Less its
value at b = 0, that and its conjugate at z are

    α Σ_j b_j² / (c_j + √(c_j² + b_j²))    and    Σ_j c_j z_j² / (α + √(α² − z_j²)),  |z_j| ≤ α,

which keep their digits however small b is beside c. Syllabus: L16.
"""

from collections.abc import Callable

import numpy as np

from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import allowed
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
    weight: np.ndarray,
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
    share = 0.5 * MOST_ASTRAY**2 * allowed(RELATIVE_GAP) / RELATIVE_GAP
    explained = weight @ (own - residual) ** 2
    # What the gap of all may take from one target is at most the whole of it.
    unsure = np.flatnonzero((gap > share * explained) & (weight @ own**2 > (8.0 * rounded) ** 2))
    if not len(unsure) or B.shape[1] == 1:
        return []
    beside = np.zeros(B.shape[1])
    for k in unsure:
        astray = gap
        if isinstance(penalty, RowNorms):
            astray = _gap_of(k, penalty.alpha, own, residual, standing, weight, B, slope)
        if astray > share * explained[k]:
            astray = min(astray, decrement(k))
        beside[k] = astray and astray / max(explained[k], TINY)
    worst = int(np.argmax(beside))
    statement = (
        "each target by itself, the coefficients of the others given: how far the objective is above its minimum, "
        f"beside the mean square of the predictions (target {worst})"
    )
    return [Claim.reached(row, statement, float(beside[worst]), share, asked=np.inf)]


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
    exact = Sizes(0.0, 0.0, 0.0, 0.0)
    return squared_gap(left, stood, its, weight, penalised, float(z @ b), [(t, conjugate)], exact).value
