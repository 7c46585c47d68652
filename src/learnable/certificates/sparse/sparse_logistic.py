"""Mean logistic loss + α ‖B‖₁: optimality conditions and a duality gap. Syllabus: L21, O6."""

from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy import sparse

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import allowed
from learnable.certificates.linear.logistic import _Likelihood, logistic_claims
from learnable.certificates.sparse.penalized import VIOLATION
from learnable.problems.core.conventions import optimality_tolerance
from learnable.problems.core.duality import duality_gap
from learnable.problems.core.loss_duality import balanced_slopes
from learnable.problems.linear import losses
from learnable.problems.sparse.penalties import EVERY, L1, subdistance
from learnable.rows import as_rows, is_streamed


@certifies("SparseLogisticRegression")
def sparse_logistic_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """Conditions and gap: of one score between two classes, else those of a logistic regression of the same minimum."""
    names = ("classes_", "coef_", "intercept_", "fit_intercept", "class_weight", "tol")
    same = SimpleNamespace(
        **{name: getattr(model, name) for name in names},
        penalty="deprecated", l1_ratio=1.0, C=1.0,
    )  # fmt: skip
    if len(model.classes_) > 2 or is_streamed(X):
        same.C = 1.0 / (float(model.alpha) * _Likelihood(same, as_rows(X, y, sample_weight)).total)
        return list(logistic_claims(same, X, y, sample_weight))
    if model.class_weight is not None:
        index = np.searchsorted(model.classes_, y)
        sample_weight = _Likelihood(same, as_rows(X, y, sample_weight)).weights_of(index, sample_weight)
    return _two_class_claims(model, X, y, sample_weight)


def _two_class_claims(model: Any, X: Any, y: np.ndarray, weight: np.ndarray | None) -> list[Claim]:
    """With y = ±1: the slopes u of the losses pull at the columns by Xᵀu and are, scaled, the dual point."""
    n, loss, penalty = X.shape[0], losses.Logistic(), L1(float(model.alpha))
    share = np.full(n, 1.0 / n) if weight is None else np.asarray(weight, dtype=float) / float(np.sum(weight))
    coef = np.asarray(model.coef_.toarray() if sparse.issparse(model.coef_) else model.coef_, dtype=float)[0]
    sign = np.where(y == model.classes_[1], 1.0, -1.0)
    f = np.asarray(X @ coef) + float(model.intercept_[0])
    u = losses.gradient(loss, sign, f)
    slope = np.asarray(X.T @ (share * u))
    miss = abs(float(share @ u)) if model.fit_intercept else 0.0
    violation = max(float(subdistance(penalty, coef, slope, EVERY).max(initial=0.0)), miss)
    point = balanced_slopes(loss, sign, u, share) if model.fit_intercept else u
    at_point = slope if point is u else np.asarray(X.T @ (share * point))
    gap = duality_gap(loss, penalty, sign, f, share, coef, point, at_point).gap
    return [
        Claim.reached(
            "L21",
            "largest violation of an optimality condition of mean loss + L1 penalty, which is convex",
            violation,
            optimality_tolerance(allowed(VIOLATION), penalty.alpha, 1.0),
            optimality_tolerance(max(float(model.tol), 1e-4), penalty.alpha, 1.0),
        ),
        Claim.disclosure("O6", "duality gap: the objective is above its minimum by at most", max(gap, 0.0)),
    ]
