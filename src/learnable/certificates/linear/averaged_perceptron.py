"""The averaged perceptron: the numbers reported with the answer are those of the answer. Syllabus: P3, P10."""

from typing import Any

import numpy as np
from scipy import sparse

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.linear.stochastic_gradient import longest_row
from learnable.problems.linear import losses
from learnable.problems.linear.losses import PerceptronLoss


@certifies("AveragedPerceptron")
def averaged_perceptron_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """Loss, smallest margin and share of mistakes of each binary problem, computed again."""
    X, y = (X if sparse.issparse(X) else np.asarray(X, dtype=float)), np.asarray(y)
    positive = model.classes_[1:] if len(model.classes_) == 2 else model.classes_
    claims: list[Claim] = []
    for k, label in enumerate(positive):
        sign = np.where(y == label, 1.0, -1.0)
        theta, offset = model.coef_[k], float(model.intercept_[k])
        scores = np.asarray(X @ theta).ravel() + offset
        size = longest_row(X) * float(np.linalg.norm(theta)) + abs(offset)
        rounding = 4.0 * (len(theta) + 10.0) * np.finfo(float).eps * size
        name = "" if len(positive) == 1 else f" (class {label!s} against the rest)"
        loss = float(np.mean(losses.value(PerceptronLoss(), sign, scores)))
        smallest = float(np.min(sign * scores))
        claims += [
            Claim.at_most("P10", f"the loss reported is that of this answer{name} (difference)",
                          abs(loss - model.objective_[k]), rounding),
            Claim.at_most("P3", f"the smallest margin reported is that of this answer{name} (difference)",
                          abs(smallest - model.smallest_margin_[k]), rounding),
            Claim.disclosure("P5", f"share of the training rows on the wrong side{name}",
                             float(np.mean(sign * scores <= 0.0))),
        ]  # fmt: skip
    return claims
