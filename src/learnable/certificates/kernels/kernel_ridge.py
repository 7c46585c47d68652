"""Certificate of kernel ridge regression, ours and scikit-learn's. Syllabus: K9.

The kernel values are computed again, a block of rows at a time; no system is solved.
"""

from typing import Any

import numpy as np

from learnable.certificates.core import Claim, Ledger, allowed, certifies
from learnable.certificates.core.worst import worst_of
from learnable.certificates.kernels.expansion import expansion_kernel, kept_rows, products, row_coefficients
from learnable.certificates.kernels.reading import is_foreign, weights
from learnable.certificates.sparse.answer import intercepts

# Relative residual of the linear system, against ‖K‖‖c‖ + ‖y‖.
RESIDUAL = 1e-10
# Of coefficients that are kept in single precision.
SINGLE_RESIDUAL = 16.0 * float(np.finfo(np.float32).eps)
# Relative duality gap.
GAP = 1e-6


@certifies(
    "KernelRidge",
    ledger=Ledger(verified=("dual_coef_", "intercept_"), derived=("X_fit_",), sometimes=("intercept_",)),
    double=True,
)
def kernel_ridge_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """W(y − b − Kc) = λc for every target, Σc = 0 where b is free, and what that means for the objective."""
    kernel = expansion_kernel(model, X)
    Y = np.asarray(y, dtype=float).reshape(X.shape[0], -1)
    dual = row_coefficients(model, X.shape[0], np.shape(y)[1:])
    alpha = np.broadcast_to(np.ravel(np.asarray(model.alpha, dtype=float)), (Y.shape[1],))
    w = weights(X.shape[0], sample_weight)
    scores, largest = products(kernel, X, dual)
    counts = w > 0.0
    free, roundings = bool(getattr(model, "fit_intercept", False)), np.zeros(Y.shape[1])
    if free:  # which is kept to the digits that targets far from zero leave it
        roundings = 4.0 * float(np.finfo(float).eps) * np.abs(Y).max(axis=0, initial=0.0)
        Y = Y - intercepts(model.intercept_, Y.shape[1])
    worst, gap, left_over, astray, borne = 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(Y.shape[1]):
        c, f, target, level, rounding = dual[:, k], scores[:, k], Y[:, k], float(alpha[k]), float(roundings[k])
        left = np.where(counts, target - f, 0.0) - level * np.divide(c, w, out=np.zeros(len(c)), where=counts)
        size = largest * float(np.abs(c).sum()) + float(np.abs(target).max(initial=0.0))
        size += level * float(np.max(np.divide(np.abs(c), w, out=np.zeros(len(c)), where=counts), initial=0.0))
        off = max(float(np.abs(left).max(initial=0.0)) - rounding, 0.0)
        worst = worst_of(worst, off / max(size, np.finfo(float).tiny))
        left_over = worst_of(left_over, abs(float(c.sum())) / max(float(np.abs(c).sum()), np.finfo(float).tiny))
        # A coefficient of a row that does not count would change the function unseen.
        worst = worst_of(worst, float(np.abs(c[~counts]).max(initial=0.0)) / max(float(np.abs(c).max()), 1e-300))
        if level == 0.0:  # a singular K lets coefficients be so large that they are a residual's only measure
            told = max(float(np.abs(target).max(initial=0.0)), np.finfo(float).tiny)
            astray, borne = worst_of(astray, off / told), worst_of(borne, size / told)
        if level > 0.0:
            # P = Σ w(y − f)² + λ‖f‖², D = 2λ c·y − λ² Σ c²/w − λ‖f‖²: equal exactly at the solution.
            norm = level * float(c @ f)
            primal = float(w @ (target - f) ** 2) + norm
            own = level**2 * float(np.sum(np.divide(c**2, w, out=np.zeros(len(c)), where=counts)))
            bound = 2.0 * level * float(c @ target) - own - norm
            scale = max(float(w @ target**2), np.finfo(float).tiny)
            entered = rounding * (4.0 * level * float(np.abs(c).sum()) + float(w.sum()) * rounding)
            gap = worst_of(gap, (primal - bound - entered) / scale)
    # scikit-learn's kernel values are of the precision of the rows.
    read = model.X_fit_ if is_foreign(model) else model.dual_coef_
    residual = SINGLE_RESIDUAL if np.float32 in (read.dtype, np.asarray(model.dual_coef_).dtype) else RESIDUAL
    sums = [
        Claim.at_most(
            "K9", "the coefficients sum to zero: no intercept is better (relative)", left_over, allowed(residual)
        )
    ]
    statement = "with alpha = 0 the scores are the targets (largest difference, relative to these)"
    through = [Claim.reached("K9", statement, astray, allowed(max(residual, GAP)), asked=residual * borne)]
    return [
        Claim.at_most("K9", "relative residual of (K + alpha I) c = y", worst, allowed(residual)),
        *(through if (alpha == 0.0).any() else []),
        *(sums if free else []),
        Claim.at_most(
            "K9", "duality gap over the squares of y", gap, allowed(GAP),
            assumptions=() if kernel.is_semidefinite else ("the matrix of kernel values is positive semidefinite",),
        ),
        Claim.at_most("K9", "rows kept that are not the training rows", kept_rows(model, X), 0.0),
    ]  # fmt: skip
