"""Mean loss + separable penalty: optimality conditions, and a duality gap where the loss has a conjugate.

Syllabus: L21, O6.
"""

from typing import Any

import numpy as np
from scipy import optimize, sparse

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import allowed
from learnable.problems.core.duality import duality_gap
from learnable.problems.core.loss_duality import balanced_slopes, violation_unit
from learnable.problems.core.named import is_convex, loss_of, penalty_of
from learnable.problems.linear import losses
from learnable.problems.linear.glm import PoissonLog, slope_range
from learnable.problems.sparse import penalties

# Largest violation of an optimality condition, in units of the level of the penalty or of the slopes at zero.
VIOLATION = 1e-5


@certifies("SparsePoissonRegressor")
def sparse_poisson_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """Conditions, gap, and that the mean prediction is the mean of y."""
    return penalized_claims(model, PoissonLog(), penalties.L1(float(model.alpha)), X, y, sample_weight)


@certifies("PenalizedRegressor")
def penalized_regressor_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """Conditions; the gap of a convex problem whose loss has a conjugate."""
    return penalized_claims(model, loss_of(model.loss), penalty_of(model.penalty, model.alpha), X, y, sample_weight)


def penalized_claims(model: Any, loss: Any, penalty: Any, X: Any, y: Any, sample_weight: Any) -> list[Claim]:
    """Stationarity within `tol` of the level of the penalty, or of the slopes of the mean loss at β = 0."""
    n = X.shape[0]
    y = np.asarray(y, dtype=float)
    weight = np.broadcast_to(np.asarray(1.0 if sample_weight is None else sample_weight, dtype=float), (n,))
    share = weight / weight.sum()
    coef = np.asarray(model.coef_.toarray().ravel() if sparse.issparse(model.coef_) else model.coef_)
    eps, coef = float(np.finfo(coef.dtype).eps), coef.astype(float)
    f = np.asarray(X @ coef).ravel() + float(model.intercept_)
    with np.errstate(all="ignore"):
        u = losses.gradient(loss, y, f)
        bent = np.abs(losses.curvature(loss, y, f))
    slope = np.asarray(X.T @ (share * u)).ravel()
    distance = penalties.subdistance(penalty, coef, slope, penalties.EVERY)
    miss = abs(float(share @ u)) if model.fit_intercept else 0.0
    violation = max(float(np.max(distance, initial=0.0)), miss)
    size = abs(X)
    scores = np.asarray(size @ np.abs(coef)).ravel() + abs(float(model.intercept_))
    error = share * (np.abs(u) + bent * scores)
    rounding = 8.0 * eps * max(float(np.max(size.T @ error, initial=0.0)), float(error.sum()))
    at_zero = losses.gradient(loss, y, np.full(n, _best_constant(loss, y, share) if model.fit_intercept else 0.0))
    slopes_at_zero = np.asarray(X.T @ (share * at_zero)).ravel()
    convex = is_convex(loss, penalty)
    claims = [
        Claim.reached(
            "L21",
            "largest violation of an optimality condition of mean loss + penalty, "
            + ("which is convex: the point is a minimum" if convex else "which is not convex: the point is stationary"),
            violation,
            allowed(VIOLATION) * violation_unit(penalty, slopes_at_zero) + rounding,
            max(float(model.tol), 1e-4) * violation_unit(penalty, slopes_at_zero) + rounding,
        )
    ]
    if convex and type(loss) in losses.conjugate.bodies and type(loss) in slope_range.bodies:
        point = balanced_slopes(loss, y, u, share) if model.fit_intercept else u
        gap = duality_gap(loss, penalty, y, f, share, coef, point, np.asarray(X.T @ (share * point)).ravel())
        claims.append(
            Claim.disclosure("O6", "duality gap: the objective is above its minimum by at most", max(gap.gap, 0.0))
        )
    return claims


def _best_constant(loss: Any, y: np.ndarray, share: np.ndarray) -> float:
    """The b that minimises Σ wᵢ ℓ(yᵢ, b), by Brent's method on its slope; an end of the range without a zero inside."""

    def slope(b: float) -> float:
        with np.errstate(over="ignore"):
            return float(share @ losses.gradient(loss, y, np.full(len(y), b)))

    reach = 1.0
    while reach < 1e9 and not (slope(-reach) <= 0.0 <= slope(reach)):
        reach *= 2.0
    if slope(-reach) > 0.0 or slope(reach) < 0.0:
        return -reach if slope(-reach) > 0.0 else reach
    return float(optimize.brentq(slope, -reach, reach, xtol=1e-14 * reach))
