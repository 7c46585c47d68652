"""The lasso by alternating directions: its duality gap, and one more round that must not move. Syllabus: L8, L3."""

from typing import Any

import numpy as np
from scipy import linalg

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import allowed
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.origin import asked_of
from learnable.certificates.core.reported import reported
from learnable.certificates.sparse.answer import coefficients, intercepts
from learnable.certificates.sparse.lasso import Penalised, gap_claim

EPS = float(np.finfo(float).eps)
# How far one more round may move the split variables, of their size.
AT_REST = 1e-6


@certifies(
    "ADMMLasso",
    ledger=Ledger(
        ("coef_", "intercept_", "dual_"),
        ("dual_gap_", "rho_"),
        ("n_iter_", "primal_residual_", "dual_residual_"),
    ),
)
def admm_lasso_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """Gap, intercept, and the residuals of the splitting."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    coef, dual = (coefficients(part, X.shape[1])[0].astype(float) for part in (model.coef_, model.dual_))
    if not np.all(np.isfinite(dual)):
        raise IndexError("dual_ has entries that are no numbers")
    rho, alpha, offset = float(model.rho_), float(model.alpha), float(intercepts(model.intercept_, 1)[0])
    problem = Penalised(X, sample_weight, model.fit_intercept)
    penalty = problem.penalty(alpha, 1.0, False)
    gap, _ = problem.standing(y, coef, offset, penalty)
    largest = float(np.abs(y).max(initial=0.0))
    claims = [
        problem.least("L3", y, coef, offset, problem.astray(penalty, coef), gap, asked_of(model)),
        gap_claim("O6", float(model.dual_gap_), gap, largest),
        problem.intercept(y, coef, offset, ""),
    ]  # fmt: skip

    root = np.sqrt(problem.weight)
    centre = model.fit_intercept * np.ones(len(y))
    Z = root[:, None] * (problem.X - np.outer(centre, problem.weight @ problem.X))
    t = root * (y - problem.weight @ y * centre)
    wide = Z.shape[1] > Z.shape[0]
    products = Z @ Z.T if wide else Z.T @ Z
    again = _rho(products) if model.rho is None else float(model.rho)
    claims.append(reported("L8", "rho_", rho, again, 1e-6))
    if not rho > 0.0:
        return claims
    # The ridge step by the factor of ZᵀZ + ρI, or of ZZᵀ + ρI where there are fewer rows.
    p = Z.shape[1]
    factor = linalg.cho_factor(products + rho * np.eye(len(products)))
    right = Z.T @ t + rho * (coef - dual)
    beta = (right - Z.T @ linalg.cho_solve(factor, Z @ right)) / rho if wide else linalg.cho_solve(factor, right)
    moved = beta + dual
    z = np.sign(moved) * np.maximum(np.abs(moved) - alpha / rho, 0.0)
    size = np.linalg.norm(coef) + np.linalg.norm(dual) + np.linalg.norm(t) / np.sqrt(rho)
    rounding = 4.0 * (p + np.sqrt(len(y)) + 10.0) * EPS
    bound, asked = (share * size + rounding * size for share in (allowed(AT_REST), np.sqrt(model.tol)))
    primal, turned = float(np.linalg.norm(beta - coef)), float(np.linalg.norm(z - coef))
    return [
        *claims,
        Claim.reached("L8", "one more ridge step leaves the split variables equal (distance)", primal, bound, asked),
        Claim.reached(
            "L8", "one more soft threshold leaves the coefficients where they are (distance)", turned, bound, asked
        ),
    ]


def _rho(products: np.ndarray) -> float:
    """The geometric mean of the extreme eigenvalues of the cross-products, small ones left out."""
    squares = np.linalg.eigvalsh(products)
    largest = float(squares.max(initial=0.0))
    kept = squares[squares > 1e-4 * largest]
    return float(np.sqrt(largest * kept.min())) if len(kept) else 1.0
