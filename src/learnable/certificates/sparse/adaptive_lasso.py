"""The adaptive lasso: the claims of the lasso under the weights |β̂|^−γ, computed again. Syllabus: L14."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.sums import means
from learnable.certificates.linear.least_squares import null_directions, orthogonality
from learnable.certificates.sparse.lasso import penalised_claims
from learnable.rows import as_rows


@certifies("AdaptiveLasso")
def adaptive_lasso_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Sequence[Claim]:
    """The gap of the weighted lasso; a weight that is infinite keeps its column out."""
    initial = np.asarray(model.initial_coef_, dtype=float)
    with np.errstate(divide="ignore", over="ignore"):
        factor = np.abs(initial) ** -float(model.gamma)
    weighted = SimpleNamespace(
        coef_=model.coef_,
        intercept_=model.intercept_,
        fit_intercept=model.fit_intercept,
        tol=model.tol,
        penalty_factor=factor,
    )
    claims = penalised_claims(weighted, float(model.alpha), 1.0, X, y, sample_weight)
    renamed = [claim._replace(id="L14") if claim.id == "L3" else claim for claim in claims]
    return [*renamed, *_initial_claims(model, initial, X, y, sample_weight)]


def _initial_claims(model: Any, initial: np.ndarray, X: Any, y: Any, sample_weight: Any) -> list[Claim]:
    """The estimates that the weights come from: those given, or least squares (of least norm where not unique)."""
    if hasattr(model.initial, "fit"):
        return [Claim.disclosure("L14", f"initial estimates taken from {type(model.initial).__name__}", len(initial))]
    if model.initial is not None:
        apart = float(np.abs(initial - np.ravel(np.asarray(model.initial, dtype=float))).max(initial=0.0))
        return [Claim.at_most("L14", "initial_coef_ is what was given (largest difference)", apart, 0.0)]
    rows = as_rows(X, np.asarray(y, dtype=float), sample_weight)
    _, mean = means(rows)
    offset = mean[-1:] - initial @ mean[:-1] if model.fit_intercept else np.zeros(1)
    found = orthogonality(rows, initial[:, None], offset, 0.0, model.fit_intercept)
    claims = [
        Claim.at_most(
            "L14", "initial_coef_ solves the normal equations (largest normalised |Xᵀr|)", found.worst, found.bound
        )
    ]
    if rows.n_rows <= rows.n_columns:
        null, _, condition, _ = null_directions(rows, model.fit_intercept)
        size = max(float(np.linalg.norm(initial)), float(np.finfo(float).tiny))
        along = float(np.linalg.norm(null.T @ initial)) / size
        bound = 1e3 * condition * float(np.finfo(float).eps)
        claims.append(Claim.at_most("L14", "initial_coef_ has least norm (share along free directions)", along, bound))
    return claims
