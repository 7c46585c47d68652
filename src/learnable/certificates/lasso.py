"""Lasso and elastic net: duality gap and optimality conditions of any fit, ours or foreign. Syllabus: L3, L4, L13."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from learnable.certificates.certify import certifies
from learnable.certificates.claim import Claim
from learnable.certificates.least_squares import linear_regression_claims
from learnable.problems import losses
from learnable.problems.duality import Gap, duality_gap
from learnable.problems.penalties import EVERY, ElasticNet, NonNegative, subdistance


@certifies("Lasso", "ElasticNet")
def lasso_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Sequence[Claim]:
    """The duality gap against the tolerance asked for, and the largest violation of the optimality conditions."""
    if model.alpha == 0.0:
        # Without a penalty the only feasible dual points solve the normal equations: those are checked instead.
        return linear_regression_claims(model, X, y, sample_weight)
    penalty = ElasticNet(float(model.alpha), float(model.l1_ratio))
    coefs = _dense(model.coef_)
    claims: list[Claim] = []
    targets = np.asarray(y, dtype=float)
    targets = targets[:, None] if targets.ndim == 1 else targets
    for k, coef in enumerate(np.atleast_2d(coefs)):
        name = "" if targets.shape[1] == 1 else f" (target {k})"
        offset = float(np.broadcast_to(model.intercept_, targets.shape[1])[k])
        gap, slope, mean_square = standing(
            X, targets[:, k], coef, offset, NonNegative(penalty) if model.positive else penalty,
            sample_weight, model.fit_intercept,
        )  # fmt: skip
        largest = float(np.abs(targets[:, k]).max(initial=0.0))
        rounding = 64.0 * np.finfo(coef.dtype).eps * (mean_square + np.sqrt(mean_square) * largest)
        claims.append(
            Claim.at_most(
                "L3", f"duality gap: the objective is above its minimum by at most{name}",
                max(gap.gap, 0.0), model.tol * mean_square + rounding,
            )
        )  # fmt: skip
        violation = subdistance(NonNegative(penalty) if model.positive else penalty, coef.astype(float), slope, EVERY)
        claims.append(
            Claim.disclosure("L4", f"largest violation of an optimality condition{name}", violation.max(initial=0.0))
        )
    return claims


def standing(X, y, coef, intercept, penalty, sample_weight, free_intercept: bool) -> tuple[Gap, np.ndarray, float]:
    """(duality gap, gradient of the mean loss, mean square of the centred targets) at an answer."""
    n = len(y)
    weight = (
        np.full(n, 1.0 / n) if sample_weight is None else np.asarray(sample_weight, dtype=float) / np.sum(sample_weight)
    )
    f = np.asarray(X @ coef.astype(float)).ravel() + intercept
    u = f - y
    # With a free intercept the dual point must sum to zero; projecting it there keeps it feasible.
    dual_point = u - weight @ u if free_intercept else u
    slope = np.asarray(X.T @ (weight * dual_point)).ravel()
    centred = y - weight @ y if free_intercept else y
    gap = duality_gap(losses.Squared(), penalty, y, f, weight, coef.astype(float), dual_point, slope)
    return gap, np.asarray(X.T @ (weight * u)).ravel(), float(weight @ centred**2)


def _dense(coef):
    return coef.toarray() if sparse.issparse(coef) else np.asarray(coef)
