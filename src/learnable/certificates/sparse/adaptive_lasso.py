"""The adaptive lasso: the claims of the lasso under the weights |β̂|^−γ, computed again. Syllabus: L14."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.sparse.lasso import penalised_claims


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
    return [claim._replace(id="L14") if claim.id == "L3" else claim for claim in claims]
