"""Certificate of the kernel perceptron: its log replayed. Syllabus: P5, P9."""

from typing import Any

import numpy as np

from learnable.certificates.core import Claim, Ledger, certifies
from learnable.certificates.core.worst import worst_of
from learnable.certificates.kernels.expansion import expansion_kernel, kept_rows, products
from learnable.problems.kernels.basic import Precomputed

# Of a score, in units of the sum of the sizes of its terms.
ROUNDING = 1e-12


@certifies(
    "KernelPerceptron",
    ledger=Ledger(verified=("dual_coef_",), derived=("mistake_log_", "n_mistakes_", "X_fit_"), unverified=("n_iter_",)),
    double=True,
    # In another order rows are mistakes too: only the fit, done again, tells which were passed over.
    again=lambda model, found: True,
)
def kernel_perceptron_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The coefficients count the log; each entry was a mistake when it was made; whether all rows are right now."""
    z = np.where(np.asarray(y) == model.classes_[1], 1.0, -1.0)
    log, n = np.asarray(model.mistake_log_, dtype=np.intp), X.shape[0]
    dual = np.asarray(model.dual_coef_, dtype=float)
    inside = bool(np.all((log >= 0) & (log < n)))
    counted = np.bincount(log, minlength=n) if inside else np.full(n, -1)
    differs = int(np.count_nonzero(dual != z * counted)) + int(model.n_mistakes_ != len(log))
    kernel = expansion_kernel(model, X)
    # f at step t is Σ over earlier mistakes: the strict lower triangle of the values between mistaken rows.
    rows = np.unique(log) if inside else np.zeros(0, dtype=np.intp)
    values = (
        X[np.ix_(rows, rows)] if isinstance(kernel, Precomputed) else kernel(X[rows]) if len(rows) else np.zeros((0, 0))
    )
    place, alpha, worst = np.searchsorted(rows, log) if inside else log, np.zeros(len(rows)), -np.inf
    size = float(np.abs(values).max(initial=0.0)) * max(len(log), 1)
    for i in place if inside else ():
        worst = worst_of(worst, float(z[rows[i]] * (values[i] @ alpha)))
        alpha[i] += z[rows[i]]
    scores, _ = products(kernel, X, dual[:, None])
    wrong = float(np.mean(z * scores[:, 0] <= -ROUNDING * size))
    claims = [
        Claim.at_most("P9", "coefficients that do not count the logged mistakes", differs, 0.0),
        Claim.at_most("P9", "largest y f before a logged update", max(worst, -1e300), ROUNDING * size),
        Claim.at_most("P9", "rows kept that are not the training rows", kept_rows(model, X), 0.0),
    ]
    statement = "share of the training rows on the wrong side"
    if getattr(model, "status_", None) == "optimal":
        return [*claims, Claim.at_most("P5", statement, wrong, 0.0)]
    return [*claims, Claim.disclosure("P5", statement, wrong)]
