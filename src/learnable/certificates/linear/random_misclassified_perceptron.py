"""The perceptron of random mistakes: replay of its log and Novikoff's bound. Syllabus: P5, P8, P9."""

from typing import Any

import numpy as np
from scipy import sparse

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.linear.perceptron import replay


@certifies("RandomMisclassifiedPerceptron")
def random_misclassified_perceptron_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """What (data, answer, log) prove."""
    X = X if sparse.issparse(X) else np.asarray(X, dtype=float)
    sign = np.where(np.asarray(y) == model.classes_[1], 1.0, -1.0)
    theta, offset, log = model.coef_[0], float(model.intercept_[0]), model.mistake_log_
    replayed = replay(X, sign, np.ones(len(sign)), log, model.fit_intercept)
    rounding = 1e-15 * (len(log) + 10)
    difference = max(float(np.abs(theta - replayed.theta).max(initial=0.0)), abs(offset - replayed.offset))
    claims = [
        Claim.at_most("P9", "θ is the sum of the logged updates (difference)", difference, rounding * replayed.scale),
        Claim.at_most("P5", "every logged update answered a mistake (largest y·f before an update)",
                      replayed.worst, rounding * replayed.scale * replayed.radius),
    ]  # fmt: skip
    margin = sign * (np.asarray(X @ theta).ravel() + offset)
    if margin.min() > 0.0:
        norm2 = float(theta @ theta) + offset**2
        bound = replayed.radius**2 * norm2 / float(margin.min()) ** 2
        claims.append(Claim.at_most("P8", "mistakes made, within (R‖θ*‖/γ)² with θ* = θ", len(log), bound))
    wrong, statement = float(np.mean(margin <= 0.0)), "share of the training rows on the wrong side"
    if model.status_ == "optimal":
        return [*claims, Claim.at_most("P5", statement, wrong, 0.0)]
    return [*claims, Claim.disclosure("P5", statement, wrong)]
