"""Random hyperplanes: the answer is one of the draws, and the best of them. Syllabus: P4."""

from typing import Any

import numpy as np
from scipy import sparse

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim


@certifies("RandomLinearClassifier")
def random_linear_classifier_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """Repeat the one draw that was kept, and count its errors again."""
    X = X if sparse.issparse(X) else np.asarray(X, dtype=float)
    theta, offset = np.asarray(model.coef_, dtype=float)[0], float(model.intercept_[0])
    weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    # Draw number k of stream s: k normal numbers scaled to length one, then a uniform number between the extremes.
    generator = np.random.default_rng([model.seed_, model.best_draw_])
    direction = generator.standard_normal(X.shape[1])
    direction /= np.linalg.norm(direction)
    along = np.asarray(X @ direction).ravel()[weight > 0.0]
    shift = -generator.uniform(along.min(), along.max())
    difference = max(float(np.abs(theta - direction).max()), abs(offset - shift))
    scores = np.asarray(X @ theta).ravel() + offset
    wrong = (scores >= 0.0) != (np.asarray(y) == model.classes_[1])
    error = float(weight @ wrong / weight.sum())
    size = max(1.0, float(np.abs(along).max()))
    counting = 8.0 * np.finfo(float).eps * np.sqrt(len(weight))
    return [
        Claim.at_most(
            "P4", "the hyperplane is the draw it says it is (largest difference)", difference,
            4.0 * X.shape[1] * np.finfo(float).eps * size,
        ),
        Claim.at_most(
            "P4", "its training error is the one listed (difference)", abs(error - model.errors_[model.best_draw_]),
            counting,
        ),
        Claim.at_most("P4", "no listed draw has a smaller training error", error, model.errors_.min() + counting),
    ]  # fmt: skip
