"""Duality gaps of ½ squared loss + penalty, and the claim about them, in units of what the answer explains.

With u the residuals of the answer, r what is left of them beside the free part, c = Xᵀ(w∘r) and the dual point t·r,

    gap = ½ (1 − t)² ‖r‖² + (φ(β) + φ*(t c) − t c·β) + ½ ‖u − r‖²,

three terms that are never negative. The difference of the primal and the dual value is the same number, but known only
to the rounding of ‖y‖²: near the largest penalty that is more than there is to prove. Syllabus: L3, O6.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import allowed

# How far above its minimum the objective may be, in units of what the answer explains of the mean square of the
# targets: predictions are off by the square root of twice this, in their own deviations.
RELATIVE_GAP = 1e-6
EPS = float(np.finfo(float).eps)
ROUNDED = 64.0 * EPS
# What rounding the answer may add to a gap, of what is explained; where it may add more nothing is proved.
MOST_STORED = 1e-4
# The same of the intercept, of the mean square of the targets.
MOST_MOVED = 1e-2


class Sizes(NamedTuple):
    """What is added up, for the rounding of a gap.

    Attributes
    ----------
    moved : Σ ‖xⱼ‖ |βⱼ|, the columns as they are multiplied.
    reach : largest ‖xⱼ‖ over the level of the penalty at which it enters; 0 where nothing is bounded by one.
    far : size of targets, intercept and what was taken off the columns.
    precision : of the numbers of the answer.
    placed : precision of the intercept, which may be another.
    """

    moved: float
    reach: float
    far: float
    precision: float
    placed: float


class SquaredGap(NamedTuple):
    """The gap of an answer.

    Attributes
    ----------
    value : the objective is above its minimum by at most this.
    explained : twice what the answer lowers the objective by, from ½ the mean square at zero. At a minimum β it is the
        mean square of Xβ plus the curvature of the penalty times ‖β‖².
    mean_square : of the targets, less their free part.
    rounding : of `value`.
    stored : what rounding the coefficients adds to the gap of the best.
    moved : what rounding the intercept, and targets far from zero, adds to it at most.
    placed : what rounding the intercept to the nearest number adds to it.
    zero : whether the answer is zero, and explains nothing.
    """

    value: float
    explained: float
    mean_square: float
    rounding: float
    stored: float
    moved: float
    placed: float
    zero: bool

    def claim(self, row: str, statement: str, tol: float) -> Claim:
        """That the gap is small beside what is explained; open where it is lost in rounding, or `tol` asked for less.

        Zero explains nothing, and is an answer only where it is the exact one.
        """
        rounded = self.stored + self.rounding
        bound, usual = (share * self.explained + rounded for share in (allowed(RELATIVE_GAP), RELATIVE_GAP))
        bound += min(self.moved, max(MOST_STORED * self.explained, self.placed))
        usual += self.moved
        # No solver sees a gap below the rounding of the objective.
        asked = max(max(tol, ROUNDED) * self.mean_square, usual)
        claim = Claim.reached(row, statement, self.value, bound, asked)
        # Whoever asks for more than the library does gets it as far as there are digits.
        digits = ROUNDED * self.mean_square if self.zero else RELATIVE_GAP * self.explained
        if self.zero and self.mean_square <= self.placed:  # equal targets, which leave only an intercept to be rounded
            digits = self.placed
        lost = claim.holds and (self.rounding > digits or self.stored > MOST_STORED * self.explained)
        # Nor is a gap small that the rounding of the intercept excuses, though the targets differ by more than that.
        lost |= claim.holds and self.value > MOST_MOVED * self.mean_square > MOST_MOVED * self.placed
        return claim._replace(holds=False, open=True) if lost else claim


def squared_gap(
    residual: np.ndarray,
    standing: np.ndarray,
    own: np.ndarray,
    weight: np.ndarray,
    penalty: float,
    pulled: float,
    points: Sequence[tuple[float, float]],
    sizes: Sizes,
) -> SquaredGap:
    """The gap against the best of some dual points.

    Parameters
    ----------
    residual : r, (n,) or (n, q).
    standing : u.
    own : the targets less their free part.
    weight : (n,) that sums to one.
    penalty : φ(β).
    pulled : c·β.
    points : (t, φ*(t c)) of each dual point.
    sizes : see `Sizes`.

    >>> y = x = np.array([1.0, -1.0])                       # lasso with alpha = ½: the optimum is ½
    >>> found = squared_gap(y / 2, y / 2, y, np.full(2, 0.5), 0.25, 0.25, [(1.0, 0.0)], Sizes(0.5, 2.0, 1.0, EPS, EPS))
    >>> found.value, found.explained
    (0.0, 0.25)
    """
    with np.errstate(over="ignore", invalid="ignore"):
        square, missed, explained, mean_square = (
            _mean_square(part, weight) for part in (residual, standing - residual, own - residual, own)
        )
        lost = min(
            0.5 * (1.0 - t) ** 2 * square + max(penalty + conjugate - t * pulled, 0.0) for t, conjugate in points
        )
        moved, reach, far, precision, placed = sizes
        root = float(np.sqrt(square))
        rounding = rounding_of_gap(root, moved, reach)
        stored, off = 4.0 * precision * moved * max(reach * penalty, moved), (8.0 * precision * far) ** 2
        put = (0.5 * placed * far) ** 2
        gain = explained + 2.0 * (pulled - penalty) - missed
        return SquaredGap(lost + 0.5 * missed, max(gain, 0.0), mean_square, rounding, stored, off, put, moved == 0.0)


def rounding_of_gap(root: float, moved: float, reach: float) -> float:
    """What rounding makes of a gap of residuals of this size; see `Sizes`."""
    return 16.0 * EPS * (root + moved) * moved + 0.5 * (8.0 * EPS * reach * root**2) ** 2


def column_lengths(X: Any, weight: np.ndarray) -> np.ndarray:
    """(p,) root of the weighted mean of the squares of each column, as it stands."""
    if sparse.issparse(X):
        squares = X.multiply(X).T @ weight
    elif (weight == weight[0]).all():
        table = X.astype(float, copy=False)
        squares = weight[0] * np.einsum("ij,ij->j", table, table)
    else:
        squares = weight @ np.square(X, dtype=float)
    return np.sqrt(np.asarray(squares).ravel())


def _mean_square(part: np.ndarray, weight: np.ndarray) -> float:
    return float(np.dot(weight, part**2) if part.ndim == 1 else (weight @ part**2).sum())
