"""Squared loss + a norm of the coefficient matrix: duality gap and optimality conditions. Syllabus: L16, L18."""

from typing import Any

import numpy as np
from scipy import sparse

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.linear.least_squares import orthogonality
from learnable.problems.sparse.matrix_penalties import NuclearNorm, RowNorms, dual_norm, matrix_gap, norm
from learnable.rows import as_rows


@certifies("MultiTaskLasso")
def multi_task_lasso_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The gap against the tolerance asked for, and the conditions row by row."""
    if model.alpha == 0.0:
        return [_normal_equations(model, X, y, sample_weight)]
    words = "longest row of correlations", "the rows of B point along their correlations"
    return matrix_claims(model, RowNorms(float(model.alpha)), "L16", words, X, y, sample_weight)


@certifies("NuclearNormRegression")
def nuclear_norm_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The gap against the tolerance asked for, the spectral norm of the correlations, the rank."""
    if model.alpha == 0.0:
        return [_normal_equations(model, X, y, sample_weight)]
    words = "spectral norm of the correlations", "B is aligned with their leading singular vectors"
    claims = matrix_claims(model, NuclearNorm(float(model.alpha)), "L18", words, X, y, sample_weight)
    singular = np.linalg.svd(np.atleast_2d(np.asarray(model.coef_, dtype=float)), compute_uv=False)
    rank = int(np.count_nonzero(singular > _rank_floor(model.coef_, singular)))
    return [*claims, Claim.disclosure("L18", "rank of the coefficient matrix", rank)]


def matrix_claims(
    model: Any, penalty: Any, row: str, words: tuple[str, str], X: Any, y: Any, sample_weight: Any
) -> list[Claim]:
    """Gap, best intercepts, dual feasibility and alignment, from the data alone."""
    n = X.shape[0]
    Y = np.asarray(y, dtype=float).reshape(n, -1)
    eps = np.finfo(np.asarray(model.coef_).dtype).eps
    B = np.atleast_2d(_dense(model.coef_)).astype(float).T
    b = np.broadcast_to(np.asarray(model.intercept_, dtype=float), Y.shape[1])
    weight = np.broadcast_to(np.asarray(1.0 if sample_weight is None else sample_weight, dtype=float), (n,))
    weight = weight / weight.sum()
    R = Y - np.asarray(X @ B) - b
    size = np.abs(Y).max(initial=0.0) + np.abs(b).max(initial=0.0) + float((weight @ (abs(X) @ np.abs(B))).max())
    mean = weight @ R
    claims = []
    if model.fit_intercept:
        claims.append(
            Claim.at_most(
                row, "the residuals of every target average to zero: no intercept is better for these coefficients",
                float(np.abs(mean).max(initial=0.0)), 1e3 * eps * size,
            )
        )  # fmt: skip
    # A dual point must be orthogonal to the intercept; the primal value is that of the intercepts given.
    dual_point = R - mean if model.fit_intercept else R
    own = Y - weight @ Y if model.fit_intercept else Y
    slope = -np.asarray(X.T @ (weight[:, None] * dual_point))
    square, mean_square = float(weight @ np.sum(dual_point**2, axis=1)), float(weight @ np.sum(own**2, axis=1))
    gap = matrix_gap(penalty, B, slope, square, float(weight @ np.sum(dual_point * Y, axis=1)))
    gap = gap._replace(primal=gap.primal + 0.5 * (float(weight @ np.sum(R**2, axis=1)) - square))
    rounding = 64.0 * eps * (mean_square + np.sqrt(mean_square) * np.abs(Y).max(initial=0.0))
    aligned = penalty.alpha * norm(penalty, B) + float(np.sum(slope * B))
    return [
        Claim.at_most(
            row, "duality gap: the objective is above its minimum by at most",
            max(gap.gap, 0.0), model.tol * mean_square + rounding,
        ),
        *claims,
        Claim.disclosure(
            row, f"{words[0]}, over alpha: at most 1 at an optimum", dual_norm(penalty, slope) / penalty.alpha
        ),
        Claim.disclosure(row, f"{words[1]} (what is missing of the penalty)", max(aligned, 0.0)),
    ]  # fmt: skip


def _normal_equations(model: Any, X: Any, y: Any, sample_weight: Any) -> Claim:
    """Without a penalty the answer is least squares, target by target."""
    coef = np.atleast_2d(_dense(model.coef_)).T
    intercept = np.broadcast_to(np.asarray(model.intercept_, dtype=float), coef.shape[1])
    found = orthogonality(as_rows(X, y, sample_weight), coef, intercept, 0.0, model.fit_intercept)
    words = "the residuals are orthogonal to every column (largest normalised |Xᵀr|)"
    return Claim.at_most("R1", words, found.worst, found.bound)


def _rank_floor(coef: Any, singular: np.ndarray) -> float:
    shape = np.atleast_2d(coef).shape
    return 4.0 * max(shape) * float(np.finfo(np.asarray(coef).dtype).eps) * float(singular.max(initial=0.0))


def _dense(A: Any) -> np.ndarray:
    return A.toarray() if sparse.issparse(A) else np.asarray(A)
