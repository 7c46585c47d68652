"""Dantzig type programmes min ‖β‖₁, ‖c − Gβ‖∞ ≤ λ: both answers feasible, and no gap. Syllabus: L9."""

from typing import Any

import numpy as np

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.sparse.lasso import Penalised

# What a solved linear programme may be off by, in units of the size of what is added up.
SOLVED = 1e-9


@certifies("DantzigSelector")
def dantzig_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """Primal, dual and gap; and the intercept."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    problem = Penalised(X, sample_weight, model.fit_intercept)
    free = float(model.fit_intercept)
    Z, t = X - free * (problem.weight @ X), y - free * (problem.weight @ y)
    length = np.sqrt(problem.weight @ Z**2)
    size = length * (np.sqrt(problem.weight @ t**2) + length @ np.abs(model.coef_))

    def gram(v):
        return Z.T @ (problem.weight * (Z @ v))

    cross = Z.T @ (problem.weight * t)
    claims = programme_claims("L9", gram, cross, float(model.alpha), model.coef_, model.dual_, size, length)
    if model.fit_intercept:
        claims.append(problem.intercept(y, np.asarray(model.coef_), float(model.intercept_), ""))
    return claims


def programme_claims(id: str, gram: Any, cross: Any, level: float, coef: Any, dual: Any, size: Any, length: Any):
    """The three claims for G as a function, c, λ, and the two answers.

    Parameters
    ----------
    size : (p,) what is added up in each entry of c − Gβ, at most.
    length : (p,) lengths of the columns, roots of the diagonal of G.
    """
    coef, dual = np.asarray(coef, dtype=float).ravel(), np.asarray(dual, dtype=float).ravel()
    unit = np.where(size > 0.0, size, 1.0)
    over = np.max((np.abs(cross - gram(coef)) - level) / unit, initial=0.0)
    slope = np.abs(gram(dual)).max(initial=0.0)
    most = max(1.0, length.max(initial=0.0) * (length @ np.abs(dual)))
    # Shrunk into the dual constraints, u proves its value whatever its rounding.
    dual = dual / max(1.0, slope)
    primal, proved = np.abs(coef).sum(), float(cross @ dual - level * np.abs(dual).sum())
    entered = primal + np.abs(cross) @ np.abs(dual) + level * np.abs(dual).sum()
    return [
        Claim.at_most(id, "the answer meets every constraint (largest excess)", max(over, 0.0), SOLVED),
        Claim.at_most(
            id, "the dual answer meets every constraint (largest excess)", max(slope - 1.0, 0.0), SOLVED * most
        ),
        Claim.at_most(
            id, "the values of the two differ by no more than rounding: the answer is optimal",
            abs(primal - proved), SOLVED * (entered + primal * most),
        ),
    ]  # fmt: skip
