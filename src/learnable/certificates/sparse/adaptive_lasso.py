"""The adaptive lasso: the claims of the lasso under the weights |β̂|^−γ, and those of the β̂ they come from.

Syllabus: L14.
"""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from learnable.certificates.core.certify import certificate_of, certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import thorough
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.sums import means
from learnable.certificates.core.verdict import Verdict
from learnable.certificates.linear.least_squares import orthogonality
from learnable.certificates.linear.row_space import row_space
from learnable.certificates.sparse.answer import coefficients
from learnable.certificates.sparse.lasso import penalised_claims
from learnable.rows import as_rows


@certifies(
    "AdaptiveLasso",
    ledger=Ledger(("coef_", "intercept_", "initial_coef_", "initial_"), ("dual_gap_",), ("n_iter_",), ("initial_",)),
)
def adaptive_lasso_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Sequence[Claim]:
    """The gap of the weighted lasso; a weight that is infinite keeps its column out."""
    initial = coefficients(model.initial_coef_, X.shape[1])[0].astype(float)
    with np.errstate(divide="ignore", over="ignore"):
        factor = np.abs(initial) ** -float(model.gamma)
    names = ("coef_", "intercept_", "fit_intercept", "tol", "dual_gap_")
    weighted = SimpleNamespace(**{name: getattr(model, name) for name in names}, penalty_factor=factor)
    claims = penalised_claims(weighted, float(model.alpha), 1.0, X, y, sample_weight)
    renamed = [claim._replace(id="L14") if claim.id == "L3" else claim for claim in claims]
    return [*renamed, *_initial_claims(model, initial, X, y, sample_weight)]


def _initial_claims(model: Any, initial: np.ndarray, X: Any, y: Any, sample_weight: Any) -> list[Claim]:
    """The estimates that the weights come from: those given, or least squares (of least norm where not unique)."""
    if hasattr(model.initial, "fit"):
        return _estimator_claims(model, initial, X, y, sample_weight)
    if model.initial is not None:
        given = np.ravel(np.asarray(model.initial, dtype=float))
        apart = float(np.abs(initial - given).max(initial=0.0)) if given.shape == initial.shape else np.inf
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
    if thorough() or rows.n_rows <= rows.n_columns:
        design = row_space(rows, model.fit_intercept)
        statement = "initial_coef_ has least norm (share along free directions)"
        claims.append(design.least_norm("L14", statement, initial[:, None].astype(float)))
        if thorough():
            claims.append(design.projection("L14", initial[:, None].astype(float)))
    return claims


def _estimator_claims(model: Any, initial: np.ndarray, X: Any, y: Any, sample_weight: Any) -> list[Claim]:
    """The estimator that was asked for, its coefficients, and its own certificate where one is known."""
    kept = model.initial_
    name = type(model.initial).__name__
    strange = type(kept) is not type(model.initial) or not _same_settings(kept, model.initial)
    found = coefficients(kept.coef_, X.shape[1])[0]
    apart = np.abs(initial - found).max(initial=0.0)
    claims = [
        Claim.at_most("L14", f"initial_ is a {name} with the settings asked for (1: it is not)", float(strange), 0.0),
        Claim.at_most("L14", "initial_coef_ is what initial_ found (largest difference)", apart, 0.0),
    ]
    try:
        verdict = certificate_of(kept, X, y, sample_weight).verdict
    except TypeError:
        verdict = Verdict.NOTHING_ASSERTED  # no certificate is known for its class
    statement = f"initial_ is proved by the certificate of {name} (1: it is not)"
    unproved = float(verdict is not Verdict.PROVED)
    return [*claims, Claim.reached("L14", statement, unproved, 0.0, float(verdict is Verdict.NOTHING_ASSERTED))]


def _same_settings(one: Any, other: Any) -> bool:
    """Whether two estimators have the same parameters; estimators among them are compared by class and parameters.

    >>> from sklearn.linear_model import Ridge
    >>> _same_settings(Ridge(alpha=np.ones(2)), Ridge(alpha=np.ones(2))), _same_settings(Ridge(2.0), Ridge(1.0))
    (True, False)
    """
    here, there = one.get_params(), other.get_params()
    return here.keys() == there.keys() and all(
        type(here[name]) is type(there[name])
        and (hasattr(here[name], "fit") or np.array_equal(here[name], there[name]))
        for name in here
    )
