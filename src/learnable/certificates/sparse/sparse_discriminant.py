"""Sparse linear discriminant analysis: the lasso's gap or the programme's, and the threshold. Syllabus: L19, L20."""

from typing import Any, NamedTuple

import numpy as np

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import thorough
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.origin import asked_of
from learnable.certificates.linear.row_space import row_space
from learnable.certificates.sparse.answer import coefficients
from learnable.certificates.sparse.dantzig import programme_claims
from learnable.certificates.sparse.lasso import Penalised
from learnable.rows import as_rows

EPS = np.finfo(float).eps


@certifies("SparseLDA", ledger=Ledger(("coef_", "intercept_"), unverified=("n_iter_",)))
def sparse_lda_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The gap of the lasso on labels −n/n₁ and n/n₂, or the direction of discriminant analysis; and the threshold."""
    at, coef = _means(model, X, y), _direction_of(model, X)
    if model.alpha == 0.0:
        return [_direction(at, coef), *_least_norm(at, coef), _threshold(model, at)]
    labels = np.where(at.second, len(at.X) / at.second.sum(), -len(at.X) / (~at.second).sum())
    problem = Penalised(at.X, None, True)
    # The labels average to zero, so that this is the best intercept of the regression.
    offset = -float((problem.centre + problem.X.mean(axis=0)) @ coef)
    gap, _ = problem.standing(labels, coef, offset, problem.penalty(float(model.alpha), 1.0, False))
    statement = "duality gap: the objective is above its minimum by at most"
    return [gap.claim("L19", statement, asked_of(model)), _threshold(model, at)]


@certifies("SparseLDADantzig", ledger=Ledger(("coef_", "intercept_", "dual_"), unverified=("n_iter_",)))
def sparse_lda_dantzig_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """Primal, dual, gap and threshold."""
    at, coef = _means(model, X, y), _direction_of(model, X)
    dual = coefficients(model.dual_, X.shape[1])[0]
    length = np.sqrt(np.mean(at.within**2, axis=0))
    size = np.abs(at.apart) + length * (length @ np.abs(coef)) + np.abs(at.middle) * EPS
    claims = programme_claims("L20", at.spread, at.apart, float(model.alpha), coef, dual, size, length)
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


def _direction_of(model: Any, X: Any) -> np.ndarray:
    coef = coefficients(model.coef_, X.shape[1]).astype(float)
    if len(coef) != 1 or len(model.classes_) != 2 or np.shape(model.intercept_) != (1,):
        raise IndexError(f"coef_ has shape {np.shape(model.coef_)}, intercept_ {np.shape(model.intercept_)}")
    return coef[0]


def _least_norm(at: _Means, coef: np.ndarray) -> list[Claim]:
    """Without a penalty, and with directions along which no class varies: the answer has no part there."""
    if not thorough() and len(at.X) > at.X.shape[1] + 1:
        return []
    design = row_space(as_rows(at.X, at.second.astype(float)), True)
    return [design.least_norm("L19", "β has least norm (share along free directions)", coef[:, None].astype(float))]


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
