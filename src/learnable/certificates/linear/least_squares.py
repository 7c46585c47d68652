"""Least squares and ridge: the residual is orthogonal to every column. Syllabus: R1, R7, A8."""

from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.sums import means, sums_over_rows, triangle
from learnable.rows import Rows, as_rows, largest_magnitudes
from learnable.rows.stretches import stretches


class Orthogonality(NamedTuple):
    """How far the normal equations are from holding.

    With columns centred when the intercept is free and d_j² = ‖x_j‖² + α, each entry of Xᵀr − αβ is divided by d_j and
    by the size of what was added up to get it, ‖y‖ + Σ_j d_j |β_j| + √W |b|: a number without units, below a modest
    multiple of the rounding unit for any solution as good as floating point allows.
    """

    worst: float
    rounding: float
    excess: float


def orthogonality(rows: Rows, coef: np.ndarray, intercept: np.ndarray, alpha, free_intercept: bool) -> Orthogonality:
    """Check (X, y)'s normal equations at coef (p, q), intercept (q,); α per target, sum-of-squares scaling."""
    p, eps = rows.n_columns, np.finfo(coef.dtype).eps
    coef, intercept = coef.astype(float), np.asarray(intercept, dtype=float)
    # Any point amid the rows serves to keep digits, and the origin where it is not far. Moved to the mean afterwards.
    near = _far_means_of_first_block(rows) if free_intercept else np.zeros(p)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        scale = np.ones(p + len(intercept))
        found = rows.coarser().reduce(_residual_sums(coef, intercept, near, scale[:p], scale[p:]))
        if (
            not all(np.all(np.isfinite(part)) for part in found)
            or np.any(found.x2 < 1e-250)
            or np.any(found.y2 < 1e-250)
        ):
            # Squares overflowed or vanished: once more in units of powers of two, by which division is exact.
            largest = largest_magnitudes(rows)
            scale = np.exp2(np.floor(np.log2(np.where(largest > 0.0, largest, 1.0))))
            found = rows.coarser().reduce(_residual_sums(coef, intercept, near, scale[:p], scale[p:]))
        weight, shift = found.weight, found.x1 / found.weight
        centre = near / scale[:p] + shift
        if free_intercept:
            found = found._replace(
                slope=found.slope - np.outer(shift, found.total), x2=np.maximum(found.x2 - weight * shift**2, 0.0)
            )
        sx, sy = scale[:p, None], scale[p:]
        ridge = np.broadcast_to(np.asarray(alpha, dtype=float), sy.shape) / sx**2
    coef = coef * sx / sy
    d = np.sqrt(found.x2[:, None] + ridge)
    raw = np.sqrt(found.x2 + (weight * centre**2 if free_intercept else 0.0))
    entered = np.sqrt(found.y2) + np.sum(np.sqrt(raw[:, None] ** 2 + ridge) * np.abs(coef), axis=0)
    entered = entered + np.sqrt(weight) * np.abs(intercept) / sy
    size = np.where(entered > 0.0, entered, 1.0)
    gradient = found.slope - ridge * coef
    # What centring leaves of a constant column is rounding and carries no equation.
    alive = d > 8.0 * np.sqrt(rows.n_rows) * np.finfo(float).eps * np.maximum(raw, np.finfo(float).tiny)[:, None]
    ratio = np.where(alive, np.abs(gradient) / np.where(alive, d, 1.0), 0.0) / size
    if free_intercept:
        ratio = np.vstack([ratio, np.abs(found.total) / np.sqrt(weight) / size])
    excess = np.inf
    if np.all(ridge > 0.0):
        excess = float(np.sum(gradient**2 / ridge * sy**2) / (2.0 * weight))
    rounding = 4.0 * (p + np.sqrt(rows.n_rows) + 10.0) * eps
    return Orthogonality(float(ratio.max(initial=0.0)), float(rounding), excess)


class _ResidualSums(NamedTuple):
    """Weighted sums of residuals r, shifted columns x and targets y: Σ 1, Σ x r, Σ r, Σ x, Σ x², Σ y²."""

    weight: float
    slope: np.ndarray
    total: np.ndarray
    x1: np.ndarray
    x2: np.ndarray
    y2: np.ndarray


def _residual_sums(coef, intercept, near, sx, sy):
    """Block -> `_ResidualSums`, columns shifted by `near` and divided by sx, targets divided by sy."""

    far = np.flatnonzero(near)

    def block_sums(block) -> _ResidualSums:
        y = _columns(np.asarray(block.y, dtype=float))
        w = np.ones(len(y)) if block.weight is None else np.asarray(block.weight, dtype=float)
        W, y2 = float(w.sum()), w @ (y / sy) ** 2
        if sparse.issparse(block.X):
            residual = (y - block.X @ coef - intercept) / sy
            weighted = residual * w[:, None]
            total = weighted.sum(axis=0)
            X, c = sparse.csr_array(block.X, dtype=float) @ sparse.diags_array(1.0 / sx), near / sx
            x1 = w @ X
            x2 = w @ X.multiply(X) - 2.0 * c * x1 + W * c**2
            return _ResidualSums(W, X.T @ weighted - np.outer(c, total), total, x1 - W * c, np.maximum(x2, 0.0), y2)
        (p, k), unscaled = coef.shape, np.all(sx == 1.0)
        sums, total, x2 = np.zeros((p, k + 1)), np.zeros(k), np.zeros(p)
        for chosen, part in stretches(block.X):
            residual = (y[chosen] - part @ coef - intercept) / sy
            at_once = np.vstack([residual.T * w[chosen], w[chosen]])
            total += at_once[:k].sum(axis=1)
            X = part if unscaled else part / sx
            if len(far):
                X = X.copy()
                X[:, far] -= near[far] / sx[far]
            sums += sums_over_rows(at_once, X).T
            x2 += sums_over_rows(w[chosen], X * X)
        return _ResidualSums(W, sums[:, :k], total, sums[:, k], x2, y2)

    return block_sums


def _far_means_of_first_block(rows: Rows) -> np.ndarray:
    """Column means of the first block, zero where they are less than ten deviations from zero or X is sparse."""
    with closing(rows.blocks()) as blocks:
        X = next(blocks)().X
    if sparse.issparse(X):
        return np.zeros(rows.n_columns)
    with np.errstate(all="ignore"):
        mean, deviation = X.mean(axis=0, dtype=float), X.std(axis=0, dtype=float)
    return np.where(np.abs(mean) > 10.0 * deviation, mean, 0.0)


@certifies("LinearRegression")
def linear_regression_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The normal equations, the rank, and least norm where the solution is not unique."""
    if model.positive:
        return _non_negative_claims(model, X, y, sample_weight)
    rows = as_rows(X, y, sample_weight)
    coef, intercept = _answer(model)
    found = orthogonality(rows, coef, intercept, 0.0, model.fit_intercept)
    claims = [
        Claim.at_most(
            "R1",
            "the residual is orthogonal to every column (largest normalised |Xᵀr|)",
            found.worst,
            found.rounding,
        )
    ]
    if getattr(model, "rank_", rows.n_columns) < rows.n_columns:
        null, rank, condition = null_directions(rows, model.fit_intercept)
        along = np.linalg.norm(null.T @ coef, axis=0).max(initial=0.0)
        size = max(float(np.linalg.norm(coef, axis=0).max(initial=0.0)), np.finfo(float).tiny)
        claims += [
            Claim.disclosure("A8", f"numerical rank of the design, which has {rows.n_columns} columns", rank),
            Claim.disclosure(
                "A8", "condition number of the design on its row space, columns of unit length", condition
            ),
            Claim.at_most(
                "R1",
                f"the solution is not unique ({null.shape[1]} free directions); this one has least norm",
                along / size,
                1e3 * condition * np.finfo(coef.dtype).eps,
            ),
        ]
    return claims


@certifies("Ridge")
def ridge_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The penalised normal equations, and what strong convexity says about the distance to the minimum."""
    if model.positive:
        return _non_negative_claims(model, X, y, sample_weight, alpha=model.alpha)
    coef, intercept = _answer(model)
    found = orthogonality(as_rows(X, y, sample_weight), coef, intercept, model.alpha, model.fit_intercept)
    claims = [
        Claim.at_most(
            "R7",
            "the gradient Xᵀr − αβ vanishes (largest normalised entry)",
            found.worst,
            found.rounding,
        )
    ]
    if np.all(np.asarray(model.alpha) > 0.0):
        claims.append(Claim.disclosure("R7", "the objective is above its minimum by at most", found.excess))
    return claims


def null_directions(rows: Rows, free_intercept: bool) -> tuple[np.ndarray, int, float]:
    """(orthonormal basis of the null directions of the design, its rank, its condition number)."""
    p = rows.n_columns
    weight, mean = means(rows)
    largest = largest_magnitudes(rows)
    scale = np.exp2(np.floor(np.log2(np.where(largest > 0.0, largest, 1.0))))
    R = triangle(rows, mean if free_intercept else np.zeros_like(mean), scale)[:p, :p]
    length = np.linalg.norm(R, axis=0)
    raw = np.sqrt(length**2 + (weight * (mean[:p] / scale[:p]) ** 2 if free_intercept else 0.0))
    length[length <= np.sqrt(rows.n_rows) * np.finfo(float).eps * raw] = np.inf
    _, d, Vt = linalg.svd(R / length, full_matrices=True)
    # Subtracting a mean that is large against what remains leaves noise of that ratio, in units of eps, in each column.
    noise = max(max(rows.n_rows, p) * d.max(initial=0.0), np.sqrt(p) * float(np.max(raw / length, initial=0.0)))
    rank = int(np.count_nonzero(d > noise * np.finfo(float).eps))
    condition = float(d[0] / d[rank - 1]) if rank else 1.0
    units = np.where(np.isfinite(length), length, 1.0) * scale[:p]
    null = Vt[rank:].T * (units.min() / units)[:, None] if p else np.zeros((0, 0))
    return (linalg.qr(null, mode="economic")[0] if null.shape[1] else null), rank, condition


def _non_negative_claims(model, X, y, sample_weight, alpha=0.0) -> list[Claim]:
    """Karush-Kuhn-Tucker conditions of least squares (or ridge) over non-negative coefficients."""
    rows = as_rows(X, y, sample_weight)
    coef, intercept = _answer(model)

    def sums(block):
        y = _columns(np.asarray(block.y, dtype=float))
        weight = np.ones(len(y)) if block.weight is None else block.weight
        residual = (y - (block.X @ coef + intercept)) * weight[:, None]
        squares = block.X.multiply(block.X) if sparse.issparse(block.X) else block.X**2
        return block.X.T @ residual, weight @ squares, weight @ y**2

    slope, length2, y2 = rows.reduce(sums)
    slope = slope - np.asarray(alpha) * coef
    size = np.sqrt(np.maximum(length2[:, None] + np.asarray(alpha), np.finfo(float).tiny)) * np.sqrt(
        np.maximum(y2, 1e-300)
    )
    violation = np.where(coef > 0.0, np.abs(slope), np.maximum(slope, 0.0)) / size
    row = "R7" if np.any(np.asarray(alpha) > 0.0) else "R1"
    tolerance = 1e-6 if coef.dtype == np.float64 else 1e-3
    return [
        Claim.at_most(row, "no coefficient is negative (largest violation)", max(0.0, -coef.min(initial=0.0)), 0.0),
        Claim.at_most(
            row, "optimality conditions over β ≥ 0 (largest normalised residual)", violation.max(initial=0.0), tolerance
        ),
    ]


def _answer(model) -> tuple[np.ndarray, np.ndarray]:
    """(coef as (p, q), intercept as (q,)) of a fitted linear regression with one or several targets."""
    coef = model.coef_.toarray() if sparse.issparse(model.coef_) else np.asarray(model.coef_)
    coef = coef[:, None] if coef.ndim == 1 else coef.T
    return coef, np.broadcast_to(np.atleast_1d(model.intercept_), coef.shape[1:])


def _columns(y: np.ndarray) -> np.ndarray:
    return y[:, None] if y.ndim == 1 else y
