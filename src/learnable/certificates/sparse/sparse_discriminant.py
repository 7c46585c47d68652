"""Sparse linear discriminant analysis: the lasso's gap or the programme's, and the threshold. Syllabus: L19, L20."""

from typing import Any, NamedTuple

import numpy as np

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.sparse.dantzig import programme_claims
from learnable.certificates.sparse.lasso import Penalised

EPS = np.finfo(float).eps


@certifies("SparseLDA")
def sparse_lda_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The gap of the lasso on labels −n/n₁ and n/n₂, or the direction of discriminant analysis; and the threshold."""
    at, coef = _means(model, X, y), np.asarray(model.coef_, dtype=float)[0]
    if model.alpha == 0.0:
        return [_direction(at, coef), _threshold(model, at)]
    labels = np.where(at.second, len(at.X) / at.second.sum(), -len(at.X) / (~at.second).sum())
    problem = Penalised(at.X, None, True)
    # The labels average to zero, so that this is the best intercept of the regression.
    offset = -float(at.X.mean(axis=0) @ coef)
    gap, _, mean_square = problem.standing(labels, coef, offset, problem.penalty(float(model.alpha), 1.0, False))
    rounding = 64.0 * EPS * (mean_square + np.sqrt(mean_square) * np.abs(labels).max())
    return [
        Claim.at_most(
            "L19", "duality gap: the objective is above its minimum by at most",
            max(gap.gap, 0.0), model.tol * mean_square + rounding,
        ),
        _threshold(model, at),
    ]  # fmt: skip


@certifies("SparseLDADantzig")
def sparse_lda_dantzig_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """Primal, dual, gap and threshold."""
    at, coef = _means(model, X, y), np.asarray(model.coef_, dtype=float)[0]
    length = np.sqrt(np.mean(at.within**2, axis=0))
    size = np.abs(at.apart) + length * (length @ np.abs(coef)) + np.abs(at.middle) * EPS
    claims = programme_claims("L20", at.spread, at.apart, float(model.alpha), coef, model.dual_, size, length)
    return [*claims, _threshold(model, at)]


class _Means(NamedTuple):
    X: np.ndarray
    second: np.ndarray
    apart: np.ndarray
    middle: np.ndarray
    within: np.ndarray

    def spread(self, v: np.ndarray) -> np.ndarray:
        """Σ̂v."""
        return self.within.T @ (self.within @ v) / len(self.X)


def _means(model: Any, X: Any, y: Any) -> _Means:
    X, second = np.asarray(X, dtype=float), np.asarray(y) == model.classes_[1]
    one, two = X[~second].mean(axis=0), X[second].mean(axis=0)
    return _Means(X, second, two - one, 0.5 * (one + two), X - np.where(second[:, None], two, one))


def _direction(at: _Means, coef: np.ndarray) -> Claim:
    """Σ̂β against the nearest multiple of μ̂₂ − μ̂₁, each entry in units of its column."""
    length = np.sqrt(np.mean((at.X - at.X.mean(axis=0)) ** 2, axis=0))
    unit = np.where(length > 0.0, length, 1.0)
    image, apart = at.spread(coef) / unit, at.apart / unit
    along = float(image @ apart) / (float(apart @ apart) or 1.0)
    size = float(length @ np.abs(coef)) + np.abs(along * apart).max(initial=0.0)
    # The multiple is n²/(n₁n₂) less what β already explains: it ties the length of β as well.
    n, n2 = len(at.X), int(at.second.sum())
    factor = 1.0 - n2 * (n - n2) / n**2 * float(at.apart @ coef)
    miss = np.abs(image - factor * apart).max(initial=0.0)
    return Claim.at_most(
        "L19", "Σ̂β is a multiple of the difference of the means: the direction of discriminant analysis (distance)",
        miss / (size or 1.0), 64.0 * (len(coef) + np.sqrt(n) + 10.0) * EPS,
    )  # fmt: skip


def _threshold(model: Any, at: _Means) -> Claim:
    coef, n2 = np.asarray(model.coef_, dtype=float)[0], int(at.second.sum())
    odds = float(np.log(n2 / (len(at.second) - n2)))
    apart = float(coef @ at.apart)
    stated = odds if apart <= 0.0 else -float(coef @ at.middle) + odds * float(coef @ at.spread(coef)) / apart
    size = np.abs(coef) @ np.abs(at.X).max(axis=0) + abs(odds) * (1.0 + abs(stated))
    return Claim.at_most(
        "L19", "the threshold is the best one along this direction for normal classes (distance)",
        abs(float(np.ravel(model.intercept_)[0]) - stated), 1e3 * EPS * (size + 1e-3),
    )  # fmt: skip
