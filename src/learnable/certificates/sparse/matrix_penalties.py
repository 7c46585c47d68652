"""Squared loss + a norm of the coefficient matrix: duality gap and optimality conditions. Syllabus: L16, L18."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.origin import asked_of
from learnable.certificates.core.reported import reported
from learnable.certificates.linear.least_squares import linear_regression_claims
from learnable.certificates.sparse.answer import (
    borne,
    coefficients,
    fixed_intercept,
    intercepts,
    precision,
    rounding_of,
)
from learnable.certificates.sparse.each_target import each_target
from learnable.certificates.sparse.lasso import Penalised, coordinate_wise, gap_claim
from learnable.certificates.sparse.squared_gap import Sizes, column_lengths, squared_gap
from learnable.problems.sparse.matrix_penalties import NuclearNorm, RowNorms, dual_norm, norm, row_lengths

TINY = float(np.finfo(float).tiny)


@certifies("MultiTaskLasso", ledger=Ledger(("coef_", "intercept_"), ("dual_gap_", "eps_"), ("n_iter_",)))
def multi_task_lasso_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The gap against the tolerance asked for, and the conditions row by row."""
    if model.alpha == 0.0:
        return _least_squares(model, X, y, sample_weight)
    words = "longest row of correlations", "the rows of B point along their correlations"
    return matrix_claims(model, RowNorms(float(model.alpha)), "L16", words, X, y, sample_weight)


@certifies("NuclearNormRegression", ledger=Ledger(("coef_", "intercept_"), ("dual_gap_", "rank_"), ("n_iter_",)))
def nuclear_norm_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The gap against the tolerance asked for, the spectral norm of the correlations, the rank."""
    if model.alpha == 0.0:
        return [*_least_squares(model, X, y, sample_weight), _rank_claim(model)]
    words = "spectral norm of the correlations", "B is aligned with their leading singular vectors"
    claims = matrix_claims(model, NuclearNorm(float(model.alpha)), "L18", words, X, y, sample_weight)
    return [*claims, _rank_claim(model)]


def matrix_claims(
    model: Any, penalty: Any, row: str, words: tuple[str, str], X: Any, y: Any, sample_weight: Any
) -> list[Claim]:
    """Gap, best intercepts, dual feasibility and alignment, from the data alone."""
    n = X.shape[0]
    Y = np.asarray(y, dtype=float).reshape(n, -1)
    B = coefficients(model.coef_, X.shape[1])
    if len(B) != Y.shape[1]:
        raise IndexError(f"coef_ has {len(B)} rows, y has {Y.shape[1]} columns")
    eps, B = precision(X, B), B.astype(float).T
    data = Penalised(X, sample_weight, model.fit_intercept)
    weight, X, largest = data.weight, data.X, float(np.abs(Y).max(initial=0.0))
    given = intercepts(model.intercept_, Y.shape[1])
    far = np.abs(Y.T, order="C").max(axis=1, initial=0.0) + np.abs(given) + np.abs(data.centre) @ np.abs(B)
    placed = rounding_of(given, eps)
    far_off = float(far.max(initial=0.0))
    targets = Y
    Y, R = data.residuals(Y, B, given)
    mean = weight @ R
    if model.fit_intercept:
        statement = "the residuals of every target average to zero: no intercept is better for these coefficients"
        off, size = np.abs(mean), far
        if (off > 1e3 * eps * size).any():  # the sizes of what the columns add take a reading of all of them
            size = far + weight @ (abs(X) @ np.abs(B))
        differ = np.sqrt(weight @ Y**2)
        bound = np.minimum(1e3 * eps * size, borne(differ, placed * size))
        k = int(np.argmax(off / np.maximum(bound, TINY)))
        free = Claim.reached(row, statement, off[k], bound[k], asked=1e3 * eps * size[k])
    else:
        free = fixed_intercept(row, given)
    # A dual point must be orthogonal to the intercept; the primal value is that of the intercepts given.
    dual_point = R - mean if model.fit_intercept else R
    slope = -np.asarray(X.T @ (weight[:, None] * dual_point))
    steepest = dual_norm(penalty, slope)
    value, pulled = penalty.alpha * norm(penalty, B), -float(np.vdot(slope, B))
    t = min(1.0, penalty.alpha / max(steepest, 1e-300))
    lengths = column_lengths(X, weight)
    longest = dual_norm(penalty, lengths[:, np.newaxis])
    sizes = Sizes(float(lengths @ row_lengths(B)), longest / penalty.alpha, far_off, eps, float(np.max(placed)))
    gap = squared_gap(dual_point, R, Y, weight, value, pulled, [(t, 0.0)], sizes)
    mean_square = gap.mean_square
    stated = []
    if not type(model).__module__.startswith("sklearn."):
        stated.append(gap_claim("O6", float(model.dual_gap_), gap, largest))
        if hasattr(model, "eps_"):
            again = float(model.tol) * mean_square
            stated.append(reported(row, "eps_", model.eps_, again, 1e-6, again + 1e-9 * largest**2))

    def weak(k: int) -> float:
        found = data.decrement(targets[:, k], B[:, k], given[k], lambda slope: np.abs(slope) + penalty.alpha)
        return np.inf if found is None else found.value + found.rounding

    # No row of a subgradient of these norms is longer than α.
    least = data.least(row, targets, B, given, lambda slope: row_lengths(slope) + penalty.alpha, gap, asked_of(model))
    most = 0.0 if gap.zero else least.value + gap.rounding
    return [
        least,
        *each_target(penalty, row, most, placed * far, Y, dual_point, R, data, B, -slope, weak),
        free,
        *stated,
        Claim.disclosure(row, f"{words[0]}, over alpha: at most 1 at an optimum", steepest / penalty.alpha),
        Claim.disclosure(row, f"{words[1]} (what is missing of the penalty)", max(value - pulled, 0.0)),
    ]  # fmt: skip


def _least_squares(model: Any, X: Any, y: Any, sample_weight: Any) -> list[Claim]:
    """Without a penalty the answer is least squares, target by target, of least norm where there are many."""
    coef, free = coefficients(model.coef_, X.shape[1]), model.fit_intercept
    offsets = intercepts(model.intercept_, len(coef))
    same = SimpleNamespace(coef_=coef, intercept_=offsets, fit_intercept=free, positive=False)
    told = [
        reported("R1", name, getattr(model, name), 0.0)
        for name in ("dual_gap_", "eps_")
        if hasattr(model, name) and not type(model).__module__.startswith("sklearn.")
    ]
    fixed = [] if free else [fixed_intercept("R1", offsets)]
    found = linear_regression_claims(same, X, np.asarray(y).reshape(X.shape[0], -1), sample_weight)
    return [*coordinate_wise(model, found), *fixed, *told]


def _rank_claim(model: Any) -> Claim:
    """`rank_` is how many singular values are not zero; those within rounding of it may count or not."""
    coef = np.atleast_2d(np.asarray(model.coef_))
    singular = np.linalg.svd(coef.astype(float), compute_uv=False)
    floor = max(coef.shape) * float(np.finfo(coef.dtype).eps) * float(singular.max(initial=0.0))
    most, least = (int(np.count_nonzero(singular > share * floor)) for share in (0.1, 1e2))
    off = max(least - int(model.rank_), int(model.rank_) - most, 0)
    return Claim.at_most("L18", f"rank_ is the rank of the coefficient matrix, {least} (difference)", off, 0.0)
