"""Dantzig type programmes min ‖β‖₁, ‖c − Gβ‖∞ ≤ λ: both answers feasible, and no gap. Syllabus: L9."""

from typing import Any

import numpy as np

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import allowed
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.sparse.answer import coefficients, intercepts
from learnable.certificates.sparse.lasso import Penalised

# What a solved linear programme may be off by, in units of the size of what is added up.
SOLVED = 1e-9


@certifies("DantzigSelector", ledger=Ledger(("coef_", "intercept_", "dual_"), ("dual_gap_",), ("n_iter_",)))
def dantzig_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """Primal, dual and gap; and the intercept."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    problem = Penalised(X, sample_weight, model.fit_intercept)
    coef, dual = (coefficients(part, X.shape[1])[0] for part in (model.coef_, model.dual_))
    free = float(model.fit_intercept)
    Z, t = X - free * (problem.weight @ X), y - free * (problem.weight @ y)
    length = np.sqrt(problem.weight @ Z**2)
    size = length * (np.sqrt(problem.weight @ t**2) + length @ np.abs(coef))

    def gram(v):
        return Z.T @ (problem.weight * (Z @ v))

    cross = Z.T @ (problem.weight * t)
    claims = programme_claims("L9", gram, cross, float(model.alpha), coef, dual, size, length)
    above, room = claims[-1].value, claims[-1].bound
    return [
        *claims,
        Claim.at_most("L9", "dual_gap_ is that difference (distance)", abs(float(model.dual_gap_) - above), room),
        problem.intercept(y, coef, float(intercepts(model.intercept_, 1)[0]), ""),
    ]


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
    # Column by column, so that a long one lends no room to a short one: |Gu|ₖ, and what is added up in it.
    slopes, sums = np.abs(gram(dual)), np.maximum(length * (length @ np.abs(dual)), 1.0)
    excess = np.max((slopes - 1.0) / sums, initial=0.0)
    slope, most = slopes.max(initial=0.0), float(sums[np.argmax(slopes)]) if len(sums) else 1.0
    # Shrunk into the dual constraints, u proves its value whatever its rounding.
    dual = dual / max(1.0, slope)
    primal, proved = np.abs(coef).sum(), float(cross @ dual - level * np.abs(dual).sum())
    entered = primal + np.abs(cross) @ np.abs(dual) + level * np.abs(dual).sum()
    return [
        Claim.at_most(id, "the answer meets every constraint (largest excess)", max(over, 0.0), allowed(SOLVED)),
        Claim.at_most(
            id, "the dual answer meets every constraint (largest excess)", max(excess, 0.0), allowed(SOLVED)
        ),
        Claim.at_most(
            id, "the values of the two differ by no more than rounding: the answer is optimal",
            abs(primal - proved), allowed(SOLVED) * (entered + primal * most),
        ),
    ]  # fmt: skip
