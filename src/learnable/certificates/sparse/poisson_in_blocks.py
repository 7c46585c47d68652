"""Sparse Poisson regression over rows that come in blocks: the duality gap from sums over rows. Syllabus: L21, O6."""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import xlogy

from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import allowed
from learnable.certificates.core.origin import asked_of
from learnable.certificates.sparse.answer import coefficients, fixed_intercept, intercepts
from learnable.certificates.sparse.squared_gap import RELATIVE_GAP
from learnable.rows import Block, Rows

# Where rounding alone is a larger share of what the columns explain than this, it is not made allowance for.
MOST_ROUNDING = 1e-3


class _Sums(NamedTuple):
    """Weighted sums: losses, means μ = e^f, Xᵀμ, Xᵀy, and the sizes that rounding is a share of."""

    loss: float
    mean: float
    pulled_mean: np.ndarray
    pulled_target: np.ndarray
    size: float


def poisson_claims_in_blocks(model: Any, rows: Rows) -> list[Claim]:
    """How far mean loss + α ‖β‖₁ is above its minimum at most.

    A dual point is t (c μ − y): c makes it sum to zero where the intercept is free, t ≤ 1 brings its correlations with
    the columns within α. Its conjugate is that of the mean t c μ + (1 − t) y.
    """
    alpha, free = float(model.alpha), bool(model.fit_intercept)
    coef = coefficients(model.coef_, rows.n_columns)[0]
    single, coef = coef.dtype == np.float32, coef.astype(float)
    intercept = float(intercepts(model.intercept_, 1)[0])

    def means(block: Block) -> np.ndarray:
        with np.errstate(over="ignore"):
            return np.exp(np.asarray(block.X @ coef).ravel() + intercept)

    def targets(block: Block) -> np.ndarray:
        y, weight = _numbers(block)
        return np.array([weight.sum(), weight @ y, weight @ (y - xlogy(y, y))])

    def at_answer(block: Block) -> _Sums:
        (y, weight), mu = _numbers(block), means(block)
        f = np.asarray(block.X @ coef).ravel() + intercept
        loss = mu - y * f
        scores = np.asarray(abs(block.X) @ np.abs(coef)).ravel() + abs(intercept)
        size = float(weight @ (np.abs(mu - y) * scores + np.abs(loss)))
        pulled_mean, pulled_target = (np.asarray(block.X.T @ (weight * values)).ravel() for values in (mu, y))
        return _Sums(float(weight @ loss), float(weight @ mu), pulled_mean, pulled_target, size)

    total, target_sum, least = rows.reduce(targets)
    at = _Sums(*(part / total for part in rows.reduce(at_answer)))
    mean = target_sum / total
    stretch = mean / at.mean if free else 1.0
    pulled = stretch * at.pulled_mean - at.pulled_target
    t = min(1.0, alpha / max(float(np.abs(pulled).max(initial=0.0)), np.finfo(float).tiny))

    def conjugates(block: Block) -> float:
        y, weight = _numbers(block)
        moved = t * stretch * means(block) + (1.0 - t) * y
        return float(weight @ (xlogy(moved, moved) - moved))

    gap = max(at.loss + alpha * float(np.abs(coef).sum()) + rows.reduce(conjugates) / total, 0.0)
    unit = ((mean - xlogy(mean, mean)) if free else 1.0) - least / total
    if not np.isfinite(gap) or not unit > 0.0:
        return [Claim.at_most("L21", "the objective is finite, and the targets vary (1: they do not)", 1.0, 0.0)]
    rounding = 64.0 * float(np.finfo(np.float32 if single else float).eps) * at.size / unit
    return [
        Claim.reached(
            "L21",
            "the convex objective is above its minimum by at most (duality gap, of the loss of the best constant)",
            gap / unit,
            allowed(RELATIVE_GAP) + min(rounding, MOST_ROUNDING),
            asked_of(model),
        ),
        *([] if free else [fixed_intercept("L21", model.intercept_)]),
        Claim.disclosure("O6", "duality gap: the objective is above its minimum by at most", gap),
    ]


def _numbers(block: Block) -> tuple[np.ndarray, np.ndarray]:
    """(targets, weights)."""
    weight = np.ones(block.X.shape[0]) if block.weight is None else np.asarray(block.weight, dtype=float)
    return np.asarray(block.y, dtype=float), weight
