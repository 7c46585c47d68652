"""Mean logistic loss + α ‖B‖₁: duality gap and the shares of the classes. Syllabus: L21, O6."""

from types import SimpleNamespace
from typing import Any

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.linear.class_sums import sum_claim
from learnable.certificates.linear.logistic import logistic_claims
from learnable.certificates.linear.logistic_likelihood import Likelihood
from learnable.certificates.sparse.answer import brought_near, coefficients, fixed_intercept, intercepts
from learnable.rows import as_rows, is_streamed


@certifies("SparseLogisticRegression", ledger=Ledger(("coef_", "intercept_"), unverified=("n_iter_",)))
def sparse_logistic_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """Those of the logistic regression of the same minimum."""
    names = ("classes_", "coef_", "intercept_", "fit_intercept", "class_weight", "tol")
    same = SimpleNamespace(
        **{name: getattr(model, name) for name in names},
        penalty="deprecated", l1_ratio=1.0, C=1.0,
    )  # fmt: skip
    n_scores = 1 if len(model.classes_) == 2 else len(model.classes_)
    if not is_streamed(X):
        same.coef_ = coefficients(model.coef_, X.shape[1])
        if len(same.coef_) != n_scores:
            raise IndexError(f"coef_ has {len(same.coef_)} rows for {len(model.classes_)} classes")
        X, centre = brought_near(X, None, model.fit_intercept)
        same.intercept_ = intercepts(model.intercept_, n_scores) + same.coef_.astype(float) @ centre
    same.C = 1.0 / (float(model.alpha) * Likelihood(same, as_rows(X, y, sample_weight)).total)
    return [*logistic_claims(same, X, y, sample_weight), *_intercept_claims(model, n_scores)]


def _intercept_claims(model: Any, n_scores: int) -> list[Claim]:
    """Intercepts are zero where none is free, and sum to zero among classes."""
    if not model.fit_intercept:
        return [fixed_intercept("L21", model.intercept_)]
    if n_scores == 1:
        return []
    return [sum_claim("L21", model)]
