"""Least squares and ridge regression by direct factorisation, with the route chosen by the condition number.

min over (B, b) of Σ wᵢ ‖yᵢ − Bᵀxᵢ − b‖² + Σ_k α_k ‖B_k‖².

1. One pass over the rows gives the centred cross-products S = XᵀX, s = XᵀY.
2. Columns are scaled to unit length; a Cholesky factor of the scaled S + αD⁻² and its reciprocal condition number
   say whether the cross-products can be trusted. If so: solve, then refine on the residuals of the data themselves,
   which brings the accuracy back to that of an orthogonal factorisation; beyond it where the cells are few.
3. If not: the triangular factor of a QR decomposition, built block by block, and its SVD. Directions that no row
   tells anything about are found and the solution of least norm is returned.
4. With fewer rows than columns the cross-products are not made: under a penalty the products of the rows with each
   other serve while they can be trusted, and else the factor, which has as few rows as the data.

Syllabus: R1, R5, R7, R9.
"""

import math
from collections.abc import Callable, Iterator
from functools import reduce
from typing import NamedTuple

import numpy as np
from scipy import linalg, sparse

from learnable.rows import (
    Means,
    Moments,
    Rows,
    centred_rows,
    largest_magnitudes,
    means,
    moments,
    triangular_factor,
    weighted_sums,
)
from learnable.rows.source import add
from learnable.rows.stretches import stretches
from learnable.solvers.linear.exact_products import residual_sums
from learnable.solvers.linear.graded import graded_svd, singular_values

# Reciprocal condition number of the scaled cross-products above which refinement recovers full accuracy.
TRUSTED = 1e-8
# The same for cross-products of single precision, and their relative error, which each refinement takes off.
TRUSTED_SINGLE = 1e-2
SINGLE_ERROR = 1e-5
REFINEMENTS = 3
EPS = float(np.finfo(float).eps)
# Above this one they lose less than two digits, of which a penalised solution of many cells is not asked to give
# account.
HARMLESS = 1e-2
# Condition number of the columns up to which their triangular factor refines what it has solved.
REFINABLE = 1e6
# Cells up to which every solution is refined: of as few it takes little time.
FEW_CELLS = 2**16
# Reciprocal condition number below which they lose three digits, and their residuals are taken without rounding errors.
HARD = 1e-3


class LeastSquaresState(NamedTuple):
    """The solution.

    Attributes
    ----------
    objective : half the mean squared residual plus the penalty, mean loss scaling.
    coef : (p, q).
    intercept : (q,).
    rank : numerical rank of the (centred, column-scaled) design.
    singular : (min(n, p),) singular values of the (centred) design; None by the route "gram", which needs none.
    condition : condition number of the column-scaled design.
    route : "cholesky", "gram" or "orthogonal".
    freedom : (q,) Σ d²/(d² + α_k) over the singular values d by the route "gram", else None.
    """

    objective: float
    coef: np.ndarray
    intercept: np.ndarray
    rank: int
    singular: np.ndarray | None
    condition: float
    route: str
    freedom: np.ndarray | None = None


def iterates(rows: Rows, alpha: np.ndarray, intercept: bool, n_jobs: int | None = None) -> Iterator[LeastSquaresState]:
    """One state: the problem is solved directly. `alpha` has one ridge level per target (sum-of-squares scaling)."""
    # Overflow and underflow of squares are looked for in the products, not warned about on the way.
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        state = None
        at: Means | Moments
        if rows.n_rows < rows.n_columns:
            at = means(rows, n_jobs=n_jobs)
            alpha = alpha + np.zeros(len(at.mean_y))
            state = _gram_route(rows, at, alpha, intercept, n_jobs) if alpha.all() else None
        else:
            # Half the time where the data are of single precision, and where refinement makes good what it costs.
            for single in (True, False) if rows.dtype == np.float32 else (False,):
                at = moments(rows, centre=intercept, n_jobs=n_jobs, dtype=np.float32 if single else np.float64)
                alpha = alpha + np.zeros(len(at.mean_y))
                state = _cholesky_route(rows, at, alpha, intercept, n_jobs, single)
                if state is not None:
                    break
    yield state if state is not None else _orthogonal_route(rows, at, alpha, intercept, n_jobs)


def _gram_route(rows: Rows, at: Means, alpha, intercept: bool, n_jobs) -> LeastSquaresState | None:
    """Ridge through the products of the rows: β = X̃ᵀz with (X̃X̃ᵀ + αI) z = ỹ. None when they cannot be trusted."""
    p = rows.n_columns
    A = centred_rows(rows, np.concatenate([at.mean_x, at.mean_y]) if intercept else None, n_jobs=n_jobs)
    X, y = A[:, :p], A[:, p:]
    products = X @ X.T
    if not np.isfinite(products).all() or not np.isfinite(y).all():
        return None
    solve, freedom, reciprocal = _shifted(products, alpha)
    if reciprocal < TRUSTED:
        return None
    z = solve(y)
    z += solve(y - X @ (X.T @ z) - alpha * z)
    coef = X.T @ z
    offset = at.mean_y - at.mean_x @ coef if intercept else np.zeros(len(alpha))
    rss = ((y - X @ coef) ** 2).sum(axis=0)
    condition = float(1.0 / math.sqrt(reciprocal))
    objective = _objective(rss, coef, alpha, at.weight)
    return LeastSquaresState(objective, coef, offset, len(X), None, condition, "gram", freedom)


def _shifted(G: np.ndarray, alpha: np.ndarray) -> tuple[Callable[[np.ndarray], np.ndarray], np.ndarray, float]:
    """(R ↦ columns (G + α_k)⁻¹ R_k, degrees of freedom, reciprocal condition number); G is overwritten.

    Several levels share the eigenvectors of G, one has a factor L, of which tr (G + α)⁻¹ = ‖L⁻¹‖². `benchmarks small`,
    Ridge of 400 x 1000: 10 ms, and 15 with eigenvalues.
    """
    if np.any(alpha != alpha[0]):
        d2, U = np.linalg.eigh(G)
        bent = d2[:, None] + alpha
        reciprocal = (d2[0] + alpha.min()) / (d2[-1] + alpha.min())
        return lambda right: U @ (U.T @ right / bent), (d2[:, None] / bent).sum(axis=0), reciprocal
    G.flat[:: len(G) + 1] += alpha[0]
    norm = linalg.lapack.dlange("1", G.T)
    factor, failed = linalg.lapack.dpotrf(G.T, lower=1, overwrite_a=1)
    reciprocal = 0.0 if failed else linalg.lapack.dpocon(factor, norm, uplo="L")[0]
    inverse = linalg.lapack.dtrtri(factor, lower=1)[0].T
    freedom = len(G) - alpha * np.vdot(inverse, inverse)
    return lambda right: linalg.lapack.dpotrs(factor, right, lower=1)[0], freedom, reciprocal


def _cholesky_route(
    rows: Rows, found: Moments, alpha, intercept: bool, n_jobs, single: bool
) -> LeastSquaresState | None:
    """The solution through the cross-products, or None when they cannot be trusted with it."""
    S, s = found.scatter_xx, found.scatter_xy
    squares = S.diagonal()
    length = np.sqrt(squares)
    if not (length.min() > (1e-15 if single else 1e-140) and math.isfinite(length.sum() + s.sum())):
        return None
    levels = set(alpha.tolist())
    unpenalised = 0.0 in levels
    # What centring leaves of a constant column is rounding, and no column.
    if unpenalised and intercept:
        rounding = rows.n_rows * EPS**2 * (squares + found.weight * found.mean_x**2)
        if (squares <= rounding).any():
            return None
    factors = {}
    reciprocal = 1.0
    for level in levels:
        # In units of column and penalty together, a column too short for its penalty is no trouble.
        unit = np.sqrt(squares + level)[:, None]
        scaled = S / (unit * unit.T)
        scaled.flat[:: len(S) + 1] = 1.0
        # Symmetric: seen the other way round it is as LAPACK wants it.
        norm = linalg.lapack.dlange("1", scaled.T)
        factor, failed = linalg.lapack.dpotrf(scaled.T, lower=1, overwrite_a=1)
        reciprocal = 0.0 if failed else min(reciprocal, linalg.lapack.dpocon(factor, norm, uplo="L")[0])
        if reciprocal < (TRUSTED_SINGLE if single else TRUSTED):
            return None
        factors[level] = factor, unit

    def solve(right: np.ndarray) -> np.ndarray:
        if len(factors) == 1:
            return linalg.lapack.dpotrs(factor, right / unit, lower=1)[0] / unit
        out = np.empty_like(right)
        for level, (its_factor, its_unit) in factors.items():
            chosen = alpha == level
            out[:, chosen] = linalg.lapack.dpotrs(its_factor, right[:, chosen] / its_unit, lower=1)[0] / its_unit
        return out

    coef = solve(s)
    few = rows.n_rows * rows.n_columns <= FEW_CELLS
    if single or unpenalised or few or reciprocal < HARMLESS:
        left = SINGLE_ERROR / reciprocal if single else 1.0
        enough, hard = 1e-13 if few else 1e-8, few and reciprocal < HARD
        if hard:
            left, enough = EPS / reciprocal, EPS / 10
        coef, offset, rss, settled = _refined(rows, found, coef, alpha, intercept, solve, left, enough, hard, n_jobs)
        if single and not settled:
            return None
    else:  # ‖y − Xβ‖² from the cross-products, else the sum over the residuals themselves
        rss = found.scatter_yy.diagonal() - ((2.0 * s - S @ coef) * coef).sum(axis=0)
        offset = found.mean_y - found.mean_x @ coef if intercept else np.zeros(len(alpha))
    if not math.isfinite(coef.sum()):
        return None
    singular = singular_values(S)
    objective = _objective(rss, coef, alpha, found.weight)
    condition = math.sqrt(1.0 / reciprocal)
    return LeastSquaresState(objective, coef, offset, len(S), singular, condition, "cholesky")


def _refined(rows: Rows, found: Moments, coef, alpha, intercept: bool, solve, left, enough, exactly: bool, n_jobs):
    """Refine a solution on the residuals of the data: (coefficients, intercept, Σ r², whether the corrections ended).

    Parameters
    ----------
    solve : the solution of the normal equations, by a factor of them, for any right-hand side.
    left : the share of an error that a refinement leaves behind.
    enough : how small what is left is to be, of the size of the solution.
    exactly : whether the residuals are to have no rounding errors.
    """
    length = np.sqrt(found.scatter_xx.diagonal())
    # Residuals of columns and targets far from zero are taken about their means, or refinement would spoil what it
    # should mend. `level` is the intercept of the shifted data.
    p = len(coef)
    origin = _far_from_zero(found) if intercept else None
    near_x, near_y = found.mean_x, found.mean_y
    if origin is not None:
        near_x, near_y = near_x - origin[:p], near_y - origin[p:]
    level = near_y - near_x @ coef if intercept else np.zeros(len(alpha))
    settled = False
    for _ in range(REFINEMENTS):
        slope, total, rss = _normal_residual(rows, coef, level, n_jobs, origin, exactly)
        if intercept:
            slope -= near_x[:, None] * total
        step = solve(slope - alpha * coef)
        coef = coef + step
        if intercept:
            level = level + total / found.weight - near_x @ step
        # The correction is the error that was; the error left is smaller by the factor condition² · eps. Of few cells
        # the last digits are wanted: a correction that was made with an intercept still rough is made once more.
        size = np.linalg.norm(coef * length[:, None], axis=0)
        if settled := bool((left * np.abs(step) * length[:, None] <= enough * size).all()):
            break
    return coef, level if origin is None else level + origin[p:] - origin[:p] @ coef, rss, settled


def unit_svd(R: np.ndarray, mean: np.ndarray, weight: float, n_rows: int):
    """(length of each column, U, d, Vᵀ of the columns at unit length, rank) of a factor of data about their mean."""
    # What centring leaves of a constant column is rounding: below it, a column is zero.
    length = np.linalg.norm(R, axis=0)
    raw = np.sqrt(length**2 + weight * mean**2)
    length[length <= np.sqrt(n_rows) * EPS * raw] = np.inf
    U, d, Vt = linalg.svd(R / length, full_matrices=False)
    # Subtracting a mean that is large against what remains leaves noise of that ratio, in units of eps, in each column.
    p = len(mean)
    noise = max(max(n_rows, p) * d.max(initial=0.0), np.sqrt(p) * float(np.max(raw / length, initial=0.0)))
    rank = int(np.count_nonzero(d > noise * EPS))
    return length, U, d, Vt, rank


def _orthogonal_route(rows: Rows, found: Means | Moments, alpha, intercept: bool, n_jobs) -> LeastSquaresState:
    """The solution through the SVD of a triangular factor of the column-scaled data."""
    p = rows.n_columns
    mean = np.concatenate([found.mean_x, found.mean_y]) if intercept else None
    largest = largest_magnitudes(rows, n_jobs=n_jobs)
    if np.any(alpha > 0.0):
        _refuse_extremes(largest[:p])
    # Powers of two: scaling by them is exact, so no digit is lost to it.
    scale = np.exp2(np.floor(np.log2(np.where(largest > 0.0, largest, 1.0))))
    sx, sy = scale[:p], scale[p:]
    R = triangular_factor(rows, centre_at=mean, scale=scale, n_jobs=n_jobs)
    RX, Ry = R[:p, :p], R[:p, p:]
    length, U, d, Vt, rank = unit_svd(RX, found.mean_x / sx if intercept else np.zeros(p), found.weight, rows.n_rows)
    penalised = bool(np.any(alpha > 0.0))
    own = graded_svd(RX * sx)
    if penalised:
        coef = _shrunken(own, Ry, alpha) * sy
    else:
        solution = Vt[:rank].T @ ((U[:, :rank].T @ Ry) / d[:rank, None])
        solution = _least_norm(solution, Vt[:rank], np.where(np.isfinite(length), length, 0.0) * sx)
        coef = solution / length[:, None] * sy / sx[:, None]
    settled = False
    if rank == p and d[0] < REFINABLE * d[-1] and rows.n_rows * p <= FEW_CELLS and isinstance(found, Moments):
        # The factor that the solution was found by: in units of their own columns are less far apart.
        factor, unit = ((own[1], own[2]), 1.0) if penalised else ((d, Vt), (length * sx)[:, None])

        def solve(right: np.ndarray) -> np.ndarray:
            d, Vt = factor
            return Vt.T @ (Vt @ (right / unit) / (d[:, None] ** 2 + alpha)) / unit

        left = EPS * (d[0] / d[-1]) ** 2
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):  # where this does, nothing is settled
            refined, offset, rss, settled = _refined(
                rows, found, coef, alpha, intercept, solve, left, EPS / 10, True, n_jobs
            )
        coef = refined if settled else coef
    if not settled:
        offset = found.mean_y - found.mean_x @ coef if intercept else np.zeros(len(alpha))
        _, _, rss = _normal_residual(rows, coef, offset, n_jobs, None, False)
    objective = _objective(rss, coef, alpha, found.weight)
    condition = float(d[0] / d[rank - 1]) if rank else 1.0
    return LeastSquaresState(objective, coef, offset, rank, own[1], condition, "orthogonal")


def _refuse_extremes(largest: np.ndarray) -> None:
    """A penalty compares columns, so that scaling them apart, as least squares allows, is no way out."""
    extreme = np.flatnonzero((largest > 1e120) | ((largest < 1e-120) & (largest > 0.0)))
    if len(extreme):
        raise ValueError(
            f"Ridge: column {extreme[0]} of X has entries of size {largest[extreme[0]]:.1e}, whose squares cannot be "
            "represented; rescale it"
        )


def _least_norm(solution: np.ndarray, row_space: np.ndarray, units: np.ndarray) -> np.ndarray:
    """Of all that agrees with `solution` along the rows of the design, what has least norm as coefficients in `units`.

    `solution` and the result belong to columns of unit length, and so do the orthonormal directions `row_space`.
    """
    if len(row_space) == len(solution):
        return solution
    share = (units / max(units.max(), np.finfo(float).tiny))[:, None]
    # Rows in the order of their units, and pivoting: each keeps its own digits beside larger ones.
    order = np.argsort(-share[:, 0], kind="stable")
    Q, R, pivots = linalg.qr((row_space.T * share)[order], mode="economic", pivoting=True)
    least = np.empty_like(solution)
    least[order] = Q @ linalg.solve_triangular(R, (row_space @ solution)[pivots], trans="T")
    return share * least


def _shrunken(factors: tuple[np.ndarray, np.ndarray, np.ndarray], Ry: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Ridge solution V diag(d / (d² + α)) Uᵀy."""
    U, d, Vt = factors
    divisor = d[:, None] ** 2 + alpha
    shrink = np.divide(d[:, None], divisor, out=np.zeros_like(divisor), where=divisor > 0.0)
    return Vt.T @ (shrink * (U.T @ Ry))


def _objective(rss: np.ndarray, coef: np.ndarray, alpha: np.ndarray, weight: float) -> float:
    """Half the mean square residual plus the penalty; where nothing penalises them, coefficients may be of any size."""
    penalty = (alpha * coef**2).sum() if alpha.any() else 0.0
    return float(rss.sum() + penalty) / (2.0 * weight)


def _far_from_zero(found: Moments) -> np.ndarray | None:
    """The means of columns and targets that lie ten deviations or more from zero, 0 for others; None where none do."""
    mean = np.concatenate([found.mean_x, found.mean_y])
    squares = np.concatenate([found.scatter_xx.diagonal(), found.scatter_yy.diagonal()])
    far = found.weight * mean**2 > 100.0 * squares
    return np.where(far, mean, 0.0) if far.any() else None


def _normal_residual(rows: Rows, coef, level, n_jobs, origin: np.ndarray | None, exactly: bool):
    """(Xᵀr, Σ r, Σ r²) of the residuals r = y − Xβ − level of data shifted by `origin`, weighted; None for no shift.

    Those of dense rows can be had exactly.
    """
    p = len(coef)
    shift = np.zeros(0) if origin is None else origin[:p]
    far = np.flatnonzero(shift)

    def block_sums(block):
        y = block.y if block.y.ndim == 2 else block.y[:, None]
        # The zeros of sparse rows stay zeros: there the shift is applied to the products.
        stays = len(far) > 0 and sparse.issparse(block.X)
        constant = level - shift @ coef if stays else level
        parts = []
        for chosen, X in stretches(block.X):
            if len(far) and not stays:
                X = X.copy()
                X[:, far] -= shift[far]
            target = y[chosen] if origin is None else y[chosen] - origin[p:]
            if exactly and not sparse.issparse(X):
                parts.append(
                    residual_sums(X, target, None if block.weight is None else block.weight[chosen], coef, level)
                )
                continue
            residual = target - (X @ coef + constant)
            weighted = residual if block.weight is None else residual * block.weight[chosen, None]
            square = np.einsum("ij,ij->j", weighted, residual)
            parts.append((weighted_sums(weighted.T, X).T, weighted.sum(axis=0), square))
        if not parts:  # a block of no rows
            return np.zeros(coef.shape), np.zeros(len(level)), np.zeros(len(level))
        slope, total, square = reduce(add, parts)
        return slope - shift[:, None] * total if stays else slope, total, square

    return rows.coarser().reduce(block_sums, n_jobs=n_jobs)
