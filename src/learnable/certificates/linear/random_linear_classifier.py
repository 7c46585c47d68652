"""Random hyperplanes: the answer is one of the draws, and the best of them. Syllabus: P4."""

from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import thorough
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.reported import reported
from learnable.certificates.core.shapes import check_shapes


@certifies(
    "RandomLinearClassifier",
    ledger=Ledger(("coef_", "intercept_", "best_draw_"), derived=("errors_", "n_iter_", "seed_")),
)
def random_linear_classifier_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """Repeat the draw that was kept and count its errors again; `certify` repeats them all."""
    X = X if sparse.issparse(X) else np.asarray(X, dtype=float)
    check_shapes(model, coef_=(1, X.shape[1]), intercept_=(1,), best_draw_=(), seed_=())
    theta, offset = np.asarray(model.coef_, dtype=float)[0], float(model.intercept_[0])
    weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    counted, inside = weight > 0.0, np.asarray(y) == model.classes_[1]
    best, errors = int(model.best_draw_), np.asarray(model.errors_, dtype=float)
    direction, shift, size = _draw(model.seed_, best, X, counted)
    difference = max(float(np.abs(theta - direction).max()), abs(offset - shift))
    error = _error(X, theta, offset, inside, weight)
    counting = 8.0 * np.finfo(float).eps * np.sqrt(len(weight))
    seed = model.random_state if isinstance(model.random_state, Integral) else model.seed_
    claims = [
        reported("P4", "seed_", model.seed_, seed, scale=1.0),
        reported("P4", "n_iter_", model.n_iter_, len(errors), scale=1.0),
        Claim.at_most("P4", "draws that were asked for and are not listed", abs(model.n_draws - len(errors)), 0.0),
        Claim.at_most(
            "P4", "the hyperplane is the draw it says it is (largest difference)", difference,
            4.0 * X.shape[1] * np.finfo(float).eps * size,
        ),
        Claim.at_most("P4", "its training error is the one listed (difference)", abs(error - errors[best]), counting),
        Claim.at_most("P4", "no listed draw has a smaller training error", error, errors.min() + counting),
        reported("P4", "best_draw_", best, int(np.argmin(errors)), scale=1.0),
    ]  # fmt: skip
    if thorough():
        lengths = np.sqrt(np.asarray(abs(X).power(2).sum(axis=1)).ravel() if sparse.issparse(X) else np.vecdot(X, X))
        apart = 0.0
        for k, listed in enumerate(errors):
            direction, shift, _ = _draw(model.seed_, k, X, counted)
            on_it = _on_hyperplane(X, direction, shift, lengths, weight)
            apart = max(apart, abs(listed - _error(X, direction, shift, inside, weight)) - on_it)
        statement = "the errors listed are those of the draws (largest difference, but for rows on a hyperplane)"
        claims.append(Claim.at_most("P4", statement, apart, counting))
    return claims


def _draw(seed: int, k: int, X: Any, counted: np.ndarray) -> tuple[np.ndarray, float, float]:
    """(direction, offset, size of projections) of draw k: normal numbers scaled to length one, then a uniform one."""
    generator = np.random.default_rng([seed, k])
    direction = generator.standard_normal(X.shape[1])
    direction /= np.linalg.norm(direction)
    along = np.asarray(X @ direction).ravel()[counted]
    return direction, -generator.uniform(along.min(), along.max()), max(1.0, float(np.abs(along).max()))


def _on_hyperplane(X: Any, theta: np.ndarray, offset: float, lengths: np.ndarray, weight: np.ndarray) -> float:
    """The share of rows so near to a hyperplane that rounding may count them on either side."""
    rounding = 4.0 * (X.shape[1] + 4) * np.finfo(float).eps * (lengths + abs(offset))
    return float(weight @ (np.abs(np.asarray(X @ theta).ravel() + offset) <= rounding) / weight.sum())


def _error(X: Any, theta: np.ndarray, offset: float, inside: np.ndarray, weight: np.ndarray) -> float:
    scores = np.asarray(X @ theta).ravel() + offset
    return float(weight @ ((scores >= 0.0) != inside) / weight.sum())
