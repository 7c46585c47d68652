"""The group lasso and the sparse group lasso: duality gap and the condition of every group. Syllabus: L15."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.origin import asked_of
from learnable.certificates.sparse.answer import coefficients, intercepts, precision, rounding_of
from learnable.certificates.sparse.lasso import Penalised, gap_claim
from learnable.certificates.sparse.squared_gap import Sizes, column_lengths, squared_gap
from learnable.problems.sparse.group_penalties import (
    GroupPenalty,
    group_excess,
    group_norms,
    group_reach,
    group_subdistance,
    group_value,
)


@certifies("GroupLasso", "SparseGroupLasso", ledger=Ledger(("coef_", "intercept_"), ("dual_gap_",), ("n_iter_",)))
def group_lasso_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Sequence[Claim]:
    """The gap with the dual norm of the groups, and the largest distance of a group to its optimality condition."""
    data = Penalised(X, sample_weight, model.fit_intercept)
    y, coef = np.asarray(y, dtype=float).ravel(), coefficients(model.coef_, X.shape[1])[0]
    stored, coef = precision(X, coef), coef.astype(float)
    offset = float(intercepts(model.intercept_, 1)[0])
    given, largest = y, float(np.abs(y).max(initial=0.0))
    order, penalty = _penalty(model, X.shape[1])
    weight = data.weight
    y, u = data.residuals(y, coef, offset)
    # A dual point must be orthogonal to the column of ones when the intercept is free.
    r = data.projected(u)
    pull = data.correlations(r)[order]
    # A dual point outside the domain of the conjugate bounds nothing, whoever scaled it.
    t: float = group_reach(penalty, pull) * (1.0 - 4.0 * np.finfo(float).eps)
    slack = 64.0 * np.finfo(float).eps * group_norms(penalty, pull)
    t = float(t) if np.all(group_excess(penalty, t * pull) <= slack) else 0.0
    lengths = column_lengths(data.X, weight)
    reach = float(np.max(group_norms(penalty, lengths[order]) / (penalty.l1 + penalty.l2), initial=0.0))
    far = largest + abs(offset) + float(np.abs(data.centre) @ np.abs(coef))
    sizes = Sizes(float(lengths @ np.abs(coef)), reach, far, stored, float(rounding_of(offset, stored)))
    value, pulled = group_value(penalty, coef[order]), float(pull @ coef[order])
    gap = squared_gap(r, u, data.projected(y), weight, value, pulled, [(t, 0.0)], sizes)
    # No subgradient of the penalty is longer, column by column.
    level = np.empty(len(coef))
    level[order] = penalty.l1 + np.repeat(penalty.l2, penalty.sizes)
    claims = [
        data.least("L15", given, coef, offset, lambda slope: np.abs(slope) + level, gap, asked_of(model)),
        gap_claim("O6", float(model.dual_gap_), gap, largest),
        data.intercept(given, coef, offset, ""),
    ]
    violation = group_subdistance(penalty, coef[order], -pull)
    return [
        *claims,
        Claim.disclosure("L15", "largest violation of a group's optimality condition", violation.max(initial=0.0)),
    ]


def _penalty(model: Any, n_columns: int) -> tuple[np.ndarray, GroupPenalty]:
    """(columns in the order of the groups, the penalty) as the parameters say."""
    groups = model.groups
    if groups is None or isinstance(groups, Integral):
        members = np.arange(n_columns).reshape(-1, 1 if groups is None else int(groups)).tolist()
    else:
        members = [np.atleast_1d(group).tolist() for group in groups]
    sizes = np.array([len(group) for group in members])
    weight = np.sqrt(sizes) if model.group_weight is None else np.asarray(model.group_weight, dtype=float)
    order = np.array([column for group in members for column in group])
    ratio = float(getattr(model, "l1_ratio", 0.0))
    return order, GroupPenalty(float(model.alpha), ratio, weight, np.concatenate([[0], np.cumsum(sizes)]))
