"""Mean loss + separable penalty: a duality gap where the loss has a conjugate, else the optimality conditions.

Syllabus: L21, O6.
"""

from typing import Any

import numpy as np
from scipy import sparse

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import allowed, thorough
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.origin import asked_of, is_ours
from learnable.certificates.sparse.answer import brought_near, coefficients, fixed_intercept, intercepts, precision
from learnable.certificates.sparse.poisson_in_blocks import MOST_ROUNDING, poisson_claims_in_blocks
from learnable.certificates.sparse.squared_gap import RELATIVE_GAP
from learnable.problems.core.duality import duality_gap
from learnable.problems.core.loss_duality import balanced_slopes, violation_unit
from learnable.problems.core.named import is_convex, loss_of, penalty_of
from learnable.problems.linear import losses
from learnable.problems.linear.glm import PoissonLog, slope_range
from learnable.problems.sparse import penalties
from learnable.rows import as_rows, is_streamed

# Largest violation of an optimality condition, in units of the level of the penalty or of the slopes at zero.
VIOLATION = 1e-5
# What moving one coefficient after the other, or the intercept, may gain, of the loss of the best constant: `certify`
# asks it of the fits of this library. Scores are off by about the square root of this.
CLOSE = 1e-11


@certifies("SparsePoissonRegressor", ledger=Ledger(("coef_", "intercept_"), unverified=("n_iter_",)))
def sparse_poisson_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The duality gap."""
    if is_streamed(X):
        return poisson_claims_in_blocks(model, as_rows(X, y, sample_weight))
    return penalized_claims(model, PoissonLog(), penalties.L1(float(model.alpha)), X, y, sample_weight)


@certifies("PenalizedRegressor", ledger=Ledger(("coef_", "intercept_"), unverified=("n_iter_",)))
def penalized_regressor_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The gap of a convex problem whose loss has a conjugate, else the conditions."""
    return penalized_claims(model, loss_of(model.loss), penalty_of(model.penalty, model.alpha), X, y, sample_weight)


def penalized_claims(model: Any, loss: Any, penalty: Any, X: Any, y: Any, sample_weight: Any) -> list[Claim]:
    """The duality gap, of the loss of the best constant, where the problem is convex and has one; else stationarity."""
    at = _Standing(model, loss, penalty, X, np.asarray(y, dtype=float), sample_weight)
    asked = asked_of(model)
    free = [] if model.fit_intercept else [fixed_intercept("L21", model.intercept_)]
    convex = is_convex(loss, penalty)
    gap, unit = at.gap() if convex and type(loss) in losses.conjugate.bodies else (np.inf, 0.0)
    violation, rounding = at.violation()
    if not np.isfinite(gap + unit) or unit <= 0.0:
        what = "the point is a minimum" if convex else "the point is stationary"
        return [
            Claim.reached(
                "L21",
                f"largest violation of an optimality condition of mean loss + penalty, relative; {what}, the objective "
                f"being {'convex' if convex else 'not convex'}",
                violation,
                allowed(VIOLATION) + rounding,
                asked + rounding,
            ),
            *free,
        ]
    room = min(at.gap_rounding() / unit, MOST_ROUNDING)
    if thorough() and is_ours(model) and np.isfinite(gain := at.gain()):
        statement = "what moving one coefficient or the intercept would gain, in sum (of the loss of the best constant)"
        free.append(Claim.reached("L21", statement, gain / unit, allowed(CLOSE) + room, max(asked, RELATIVE_GAP)))
    return [
        Claim.reached(
            "L21",
            "the convex objective is above its minimum by at most (duality gap, of the loss of the best constant)",
            gap / unit,
            allowed(RELATIVE_GAP) + room,
            asked,
        ),
        *free,
        Claim.disclosure("L21", "largest violation of an optimality condition, relative", violation),
        Claim.disclosure("O6", "duality gap: the objective is above its minimum by at most", gap),
    ]


class _Standing:
    """An answer on its data: scores f, slopes u of the losses, and what columns and intercept feel of them."""

    def __init__(self, model: Any, loss: Any, penalty: Any, X: Any, y: np.ndarray, sample_weight: Any):
        self.loss, self.penalty, self.y, self.free = loss, penalty, y, bool(model.fit_intercept)
        n = X.shape[0]
        weight = np.broadcast_to(np.asarray(1.0 if sample_weight is None else sample_weight, dtype=float), (n,))
        self.share = weight / weight.sum()
        coef = coefficients(model.coef_, X.shape[1])[0]
        self.eps, self.coef = precision(X, coef), coef.astype(float)
        self.X, centre = brought_near(X, self.share, self.free)
        intercept = float(intercepts(model.intercept_, 1)[0])
        self.offset = intercept + float(centre @ self.coef)
        self.lost = abs(intercept) + float(np.abs(centre) @ np.abs(self.coef))
        self.f = np.asarray(self.X @ self.coef).ravel() + self.offset
        with np.errstate(all="ignore"):
            self.u = losses.gradient(loss, y, self.f)
        constant = _best_constant(loss, y, self.share) if self.free else 0.0
        self.null = np.full(n, constant)
        self.null_slopes = losses.gradient(loss, y, self.null)

    def violation(self) -> tuple[float, float]:
        """(largest violation without units, its rounding): of coefficients in those of the penalty or of the slopes
        without columns, of the intercept in those of the losses without columns.
        """
        unit = max(violation_unit(self.penalty, self._pull(self.null_slopes)), np.finfo(float).tiny)
        whole = max(float(self.share @ np.abs(self.null_slopes)), np.finfo(float).tiny)
        distance = penalties.subdistance(self.penalty, self.coef, self._pull(self.u), penalties.EVERY)
        miss = abs(float(self.share @ self.u)) / whole if self.free else 0.0
        size = abs(self.X)
        scores = np.asarray(size @ np.abs(self.coef)).ravel() + self.lost
        with np.errstate(all="ignore"):
            bent = np.abs(losses.curvature(self.loss, self.y, self.f))
            error = 8.0 * self.eps * self.share * (np.abs(self.u) + bent * scores)
            rounding = max(float(np.max(size.T @ error, initial=0.0)) / unit, float(error.sum()) / whole)
        return max(float(np.max(distance, initial=0.0)) / unit, miss), rounding

    def gain(self) -> float:
        """½ Σ d²/h over columns and intercept, d being the distance of zero from the slopes; ∞ without curvature."""
        with np.errstate(all="ignore"):
            bent = self.share * losses.curvature(self.loss, self.y, self.f)
            squares = self.X.multiply(self.X) if sparse.issparse(self.X) else np.square(self.X)
            bends = np.asarray(squares.T @ bent).ravel()
            distance = penalties.subdistance(self.penalty, self.coef, self._pull(self.u), penalties.EVERY)
            found = np.divide(distance**2, bends, out=np.where(distance > 0.0, np.inf, 0.0), where=bends > 0.0)
            miss = float(self.share @ self.u) ** 2 / float(bent.sum()) if self.free else 0.0
        return 0.5 * (float(found.sum()) + miss)

    def gap(self) -> tuple[float, float]:
        """(duality gap, mean loss of the best constant above the least that any scores have)."""
        if type(self.loss) not in slope_range.bodies:
            return np.inf, 0.0
        with np.errstate(all="ignore"):
            point = balanced_slopes(self.loss, self.y, self.u, self.share) if self.free else self.u
            gap = duality_gap(
                self.loss, self.penalty, self.y, self.f, self.share, self.coef, point, self._pull(point)
            ).gap
            least = -losses.conjugate(self.loss, self.y, np.zeros_like(self.y))
            unit = float(self.share @ (losses.value(self.loss, self.y, self.null) - least))
        return (max(gap, 0.0) if np.isfinite(gap) else gap), unit

    def gap_rounding(self) -> float:
        """What the rounding of the scores leaves in the objective."""
        scores = np.asarray(abs(self.X) @ np.abs(self.coef)).ravel() + self.lost
        with np.errstate(all="ignore"):
            value = np.abs(losses.value(self.loss, self.y, self.f))
            return 64.0 * self.eps * float(self.share @ (np.abs(self.u) * scores + value))

    def _pull(self, u: np.ndarray) -> np.ndarray:
        return np.asarray(self.X.T @ (self.share * u)).ravel()


def _best_constant(loss: Any, y: np.ndarray, share: np.ndarray) -> float:
    """The b that minimises Σ wᵢ ℓ(yᵢ, b), by Brent's method on its slope; an end of the range without a zero inside."""
    from scipy.optimize import brentq

    def slope(b: float) -> float:
        with np.errstate(over="ignore"):
            return float(share @ losses.gradient(loss, y, np.full(len(y), b)))

    reach = 1.0
    while reach < 1e9 and not (slope(-reach) <= 0.0 <= slope(reach)):
        reach *= 2.0
    if slope(-reach) > 0.0 or slope(reach) < 0.0:
        return -reach if slope(-reach) > 0.0 else reach
    return float(brentq(slope, -reach, reach, xtol=1e-14 * reach))
