"""The lasso by alternating directions: its duality gap, and one more round that must not move. Syllabus: L8, L3."""

from typing import Any

import numpy as np

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.sparse.lasso import Penalised


@certifies("ADMMLasso")
def admm_lasso_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """Gap, intercept, and the residuals of the splitting."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    coef, dual, rho, alpha = np.asarray(model.coef_), np.asarray(model.dual_), float(model.rho_), float(model.alpha)
    problem = Penalised(X, sample_weight, model.fit_intercept)
    gap, _, mean_square = problem.standing(y, coef, float(model.intercept_), problem.penalty(alpha, 1.0, False))
    eps = np.finfo(float).eps
    rounding = 64.0 * eps * (mean_square + np.sqrt(mean_square) * np.abs(y).max(initial=0.0))
    claims = [
        Claim.at_most(
            "L3", "duality gap: the objective is above its minimum by at most",
            max(gap.gap, 0.0), model.tol * mean_square + rounding,
        )
    ]  # fmt: skip
    if model.fit_intercept:
        claims.append(problem.intercept(y, coef, float(model.intercept_), ""))

    root = np.sqrt(problem.weight)
    centre = model.fit_intercept * np.ones(len(y))
    Z = root[:, None] * (X - np.outer(centre, problem.weight @ X))
    t = root * (y - problem.weight @ y * centre)
    # The ridge step as least squares with √ρ I below: no cross-products.
    p = Z.shape[1]
    below = np.sqrt(rho) * np.eye(p)
    beta = np.linalg.lstsq(np.vstack([Z, below]), np.concatenate([t, np.sqrt(rho) * (coef - dual)]), rcond=None)[0]
    moved = beta + dual
    z = np.sign(moved) * np.maximum(np.abs(moved) - alpha / rho, 0.0)
    size = np.linalg.norm(coef) + np.linalg.norm(dual) + np.linalg.norm(t) / np.sqrt(rho)
    # The gap is quadratic in the residuals.
    bound = (np.sqrt(model.tol) + 4.0 * (p + np.sqrt(len(y)) + 10.0) * eps) * size
    primal, turned = float(np.linalg.norm(beta - coef)), float(np.linalg.norm(z - coef))
    return [
        *claims,
        Claim.at_most("L8", "one more ridge step leaves the split variables equal (distance)", primal, bound),
        Claim.at_most("L8", "one more soft threshold leaves the coefficients where they are (distance)", turned, bound),
    ]
