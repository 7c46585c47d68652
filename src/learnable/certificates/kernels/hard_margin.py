"""Certificate of the hard margin. Syllabus: S1, S2, S5."""

from typing import Any

import numpy as np

from learnable.certificates.core import Claim, Ledger, allowed, certifies
from learnable.certificates.core.worst import worst_of
from learnable.certificates.kernels.expansion import expansion_kernel, kept_rows, products

# The margin is then known to a hundredth of a per cent.
GAP = 1e-4
# The least margin is 1 up to this; offset and width are computed again up to this, relative.
AGREE = 1e-7


@certifies(
    "HardMarginSVC",
    ledger=Ledger(verified=("dual_coef_", "intercept_"), derived=("margin_", "X_fit_"), unverified=("n_iter_",)),
    double=True,
)
def hard_margin_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """½‖w‖² with every margin ≥ 1 against the best multiple of Σα − ½‖w‖²."""
    row = "S2" if model.fit_intercept else "S1"
    z = np.where(np.asarray(y) == model.classes_[1], 1.0, -1.0)
    beta, b = np.asarray(model.dual_coef_, dtype=float), float(model.intercept_)
    kernel = expansion_kernel(model, X)
    scores = products(kernel, X, beta[:, None])[0][:, 0]
    norm, total = float(beta @ scores), float(np.abs(beta).sum())
    least = float(np.min(z * (scores + b)))
    infeasible = float(np.max(-z * beta, initial=0.0)) / max(float(np.abs(beta).max()), 1e-300)
    if model.fit_intercept:
        infeasible = worst_of(infeasible, abs(float(beta.sum())) / max(total, 1e-300))
        meant = -0.5 * (float(scores[z < 0.0].max()) + float(scores[z > 0.0].min()))
    else:
        meant = 0.0
    gap = (0.5 * norm - 0.5 * total**2 / norm) / (0.5 * norm) if norm > 0.0 and least > 0.0 else np.inf
    width = abs(float(model.margin_) * np.sqrt(max(norm, 0.0)) - 1.0)
    return [
        Claim.at_most("S5", "dual coefficients of the wrong sign or not in balance", infeasible, 1e-9),
        Claim.at_most(row, "relative duality gap of the hard margin", gap, allowed(GAP)),
        Claim.at_most(row, "least margin of a row, off 1", abs(least - 1.0), AGREE),
        Claim.at_most("S5", "offset, off the middle between the classes", abs(b - meant), AGREE),
        Claim.at_most(row, "half-width of the margin times the length of w, off 1", width, AGREE),
        Claim.at_most(row, "rows kept that are not the training rows", kept_rows(model, X), 0.0),
    ]
