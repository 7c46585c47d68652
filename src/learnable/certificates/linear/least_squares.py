"""Least squares and ridge: the residual is orthogonal to every column. Syllabus: R1, R7, A8."""

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import allowed, thorough
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.origin import is_ours, tol_of
from learnable.certificates.core.sums import sums_over_rows, times_columns
from learnable.certificates.linear.row_space import ACCURATE, RowSpace, row_space
from learnable.certificates.sparse.answer import MOST_MISSED, borne, rounding_of
from learnable.rows import Block, Rows, as_rows, largest_magnitudes
from learnable.rows.stretches import FOR_PRODUCTS, STRETCH, stretches

# Numbers in a table up to which all of it is read for the lengths of its columns, and about how many rows beyond.
ALL_READ, SOME_ROWS = 2**20, 2**12
LEAST_NORM = "has least norm"
_TINY, _EPS = float(np.finfo(float).tiny), float(np.finfo(float).eps)


class Orthogonality(NamedTuple):
    """How far the normal equations are from holding.

    With columns and targets centred when the intercept is free and d_j² = ‖x_j‖² + α, each entry of Xᵀr − αβ is divided
    by d_j and by the size of what was added up to get it, ‖y‖ + Σ_j d_j |β_j|: a number that does not change with
    the units or the origin of a column, and is near the rounding unit for any solution as good as floating point
    allows. The equation of the intercept, Σ r = 0, is measured by the targets, and rounding by the data as they are;
    `beside` is the same by the targets alone.
    """

    slopes: np.ndarray
    miss: float
    bound: float
    excess: float
    lengths: np.ndarray
    beside: float

    @property
    def worst(self) -> float:
        """The largest of all the equations."""
        return max(float(np.abs(self.slopes).max(initial=0.0)), self.miss)

    def intercept_claims(self, row: str) -> list[Claim]:
        """One that is open, where the intercept is off by more than the targets bear, however little that is beside
        the rounding of columns far from zero."""
        what = "the residuals average to zero (beside how far the targets differ)"
        claim = Claim.reached(row, what, self.beside, MOST_MISSED, asked=np.inf)
        return [] if claim.holds else [claim]

    def asked(self, tol: float) -> float:
        """What is asked of the largest one by whoever stops where all of them together are below `tol`, beside the
        length of the whole table: as iterations for sparse rows do, to which short columns are nothing."""
        whole = np.linalg.norm(self.lengths, axis=0)
        together = np.linalg.norm(self.slopes * self.lengths, axis=0) / _or_one(whole)
        return tol * max(1.0, self.worst / max(float(together.max(initial=0.0)), self.miss, _TINY))


def orthogonality(rows: Rows, coef: np.ndarray, intercept: np.ndarray, alpha, free_intercept: bool) -> Orthogonality:
    """Check (X, y)'s normal equations at coef (p, q), intercept (q,); α per target, sum-of-squares scaling.

    At the end of a fit on many rows, lengths and means of the columns, by which the equations are only measured, are
    those of some of the rows; of all rows where that leaves a doubt.
    """
    if not thorough() and rows.n_rows * rows.n_columns > ALL_READ:
        found = _orthogonality(rows, coef, intercept, alpha, free_intercept, max(rows.n_rows // SOME_ROWS, 1))
        if found is not None and found.worst <= found.bound:
            return found
    found = _orthogonality(rows, coef, intercept, alpha, free_intercept, 1)
    assert found is not None
    return found


def _orthogonality(
    rows: Rows, coef: np.ndarray, intercept: np.ndarray, alpha, free_intercept: bool, every: int
) -> Orthogonality | None:
    """None where some of the rows do not tell the length of every column."""
    p, eps = rows.n_columns, np.finfo(coef.dtype).eps
    coef, at = coef.astype(float), np.asarray(intercept, dtype=float)
    intercept = at
    # Any point amid the rows serves to keep digits, and the origin where it is not far. Moved to the mean afterwards.
    # Of a few rows the sums themselves tell whether it is far.
    few = rows.n_rows * p <= STRETCH
    near, scale = None if few or not free_intercept else rows.of_first(_far_means), None
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        found = rows.coarser(16).briefly(_residual_sums(coef, intercept, near, scale, every))
        if few and free_intercept:
            near = _if_far(found.weight, found.z1, found.z2, slice(p) if found.sparse else slice(0))
            if near is not None:
                found = rows.coarser(16).briefly(_residual_sums(coef, intercept, near, scale, every))
        in_range = found.in_range
        if not in_range and every > 1:
            return None
        if not in_range:
            # Squares overflowed or vanished: once more in units of powers of two, by which division is exact.
            largest = largest_magnitudes(rows)
            scale = np.exp2(np.floor(np.log2(np.where(largest > 0.0, largest, 1.0))))
            found = rows.coarser(16).briefly(_residual_sums(coef, intercept, near, scale, every))
        weight, shift = found.weight, found.z1 / found.weight
        spread, slope = found.z2, found.slope
        if free_intercept:
            slope = slope - shift[:p, None] * found.total
            spread = np.maximum(found.z2 - weight * shift**2, 0.0)
        ridge = np.empty(len(intercept))
        ridge[:] = alpha
        if scale is not None:
            sx, sy = scale[:p, None], scale[p:]
            coef, intercept, ridge = coef * sx / sy, intercept / sy, ridge / sx**2
    size_of = np.abs(coef)
    d = np.sqrt(spread[:p, None] + ridge)
    raw = spread
    if free_intercept:
        centre = shift if near is None else near / (1.0 if scale is None else scale) + shift
        raw = spread + weight * centre**2
    told = np.sqrt(spread[p:])
    entered = told + (d * size_of).sum(axis=0)
    as_they_are = np.sqrt(raw[p:]) + (np.sqrt(raw[:p, None] + ridge) * size_of).sum(axis=0)
    as_they_are += math.sqrt(weight) * np.abs(intercept)
    placed = rounding_of(at, float(eps))
    rounding = 4.0 * (p + math.sqrt(rows.n_rows) + 10.0) * eps
    bound = max(rounding, ACCURATE)
    # An equation is to hold in proportion to the target, however large the terms that cancel in it: of these no more
    # than their rounding is borne. The zeros of sparse rows cannot be shifted: there, centring costs the digits that
    # the means have in common.
    size = told + rounding / bound * (as_they_are if found.sparse else np.maximum(entered, 1e-3 * eps * as_they_are))
    gradient = slope - ridge * coef
    # What centring leaves of a constant column is rounding and carries no equation.
    alive = d > 8.0 * math.sqrt(rows.n_rows) * _EPS * np.sqrt(raw[:p, None])
    slopes = gradient / d if alive.all() else np.where(alive, gradient, 0.0) / np.where(alive, d, 1.0)
    slopes /= _or_one(size)
    miss = beside = 0.0
    if free_intercept:
        size, off = told + rounding / bound * as_they_are, np.abs(found.total) / math.sqrt(weight)
        miss = float((off / _or_one(size)).max(initial=0.0))
        beside = float((MOST_MISSED * off / _or_one(borne(told, placed * as_they_are))).max(initial=0.0))
    excess = np.inf
    if (ridge > 0.0).all():
        squares = gradient**2 / ridge
        excess = float((squares if scale is None else squares * scale[p:] ** 2).sum()) / (2.0 * weight)
    return Orthogonality(slopes, miss, allowed(bound), excess, d, beside)


def _or_one(size: np.ndarray) -> np.ndarray:
    """What one can divide by: 1 in place of a size of zero, or of none."""
    return np.where(size > 0.0, size, 1.0)


class _ResidualSums(NamedTuple):
    """Weighted sums of residuals r and shifted columns and targets z: Σ 1, Σ x r, Σ r, Σ z, Σ z²; sparse rows met."""

    weight: float
    slope: np.ndarray
    total: np.ndarray
    z1: np.ndarray
    z2: np.ndarray
    sparse: int

    @property
    def in_range(self) -> bool:
        """Whether no square overflowed, and none vanished."""
        sums = self.slope.sum() + self.total.sum() + self.z2.sum()  # Σ z is in range where Σ z² is
        return math.isfinite(sums) and self.z2.min() >= 1e-250


def _residual_sums(coef, intercept, near, scale, every):
    """Block -> `_ResidualSums`, columns and targets shifted by `near` and divided by `scale`; None where neither is.

    Σ x and Σ x² are those of one row in `every`, in proportion: nothing but the sizes of columns hangs on them.
    """
    p, k = coef.shape
    far = np.arange(0) if near is None else np.flatnonzero(near[:p])
    sx: Any = None if scale is None else scale[:p]
    sy: Any = None if scale is None else scale[p:]
    beside, level = coef, intercept
    if near is not None:
        beside = coef.copy()
        beside[far] = 0.0
        # The intercept of the shifted data: what is left when the large parts of both cancel.
        level = (intercept.astype(np.longdouble) - near[p:] + near[:p].astype(np.longdouble) @ coef).astype(float)

    def block_sums(block) -> _ResidualSums:
        y = _columns(np.asarray(block.y, dtype=float))
        w = None if block.weight is None else np.asarray(block.weight, dtype=float)
        W, shifted = float(len(y)) if w is None else float(w.sum()), y if near is None else y - near[p:]
        in_units = shifted if scale is None else shifted / sy
        if w is None:
            y1, y2 = in_units.sum(axis=0), np.einsum("ij,ij->j", in_units, in_units)
        else:
            y1, y2 = w @ in_units, w @ in_units**2
        if sparse.issparse(block.X):
            slope, total, x1, x2 = _sparse_sums(block.X, y - intercept, coef, w, near, scale)
            return _ResidualSums(W, slope, total, np.append(x1, y1), np.append(x2, y2), len(y))
        slope, x1, x2 = np.zeros((p, k)), np.zeros(p), np.zeros(p)
        residuals = shifted - level
        if len(far):  # shifted: they alone are copied
            Z = np.asarray(block.X[:, far], dtype=float) - near[far]
            residuals -= times_columns(Z, coef[far])
        for chosen, X in stretches(block.X, FOR_PRODUCTS if every > 1 else 1):
            residual = residuals[chosen]
            residual -= times_columns(X, beside)
            if scale is not None:
                residual /= sy
                X = X / sx
            slope += sums_over_rows(residual.T if w is None else residual.T * w[chosen], X).T
            if every == 1:
                share = np.ones(len(X)) if w is None else w[chosen]
                x1, x2 = x1 + sums_over_rows(share, X), x2 + sums_over_rows(share, X * X)
        if len(far):
            Z = Z if scale is None else Z / sx[far]
            slope[far] = sums_over_rows(residuals.T if w is None else residuals.T * w, Z).T
            if every == 1:
                share = np.ones(len(y)) if w is None else w
                x1[far], x2[far] = sums_over_rows(share, Z), sums_over_rows(share, Z * Z)
        if every > 1:
            X = np.asarray(block.X[::every], dtype=float)
            share = np.ones(len(X)) if w is None else w[::every]
            if (some := float(share.sum())) > 0.0:
                share, X = share * (W / some), X if scale is None else X / sx
                x1, x2 = sums_over_rows(share, X), sums_over_rows(share, X * X)
                if len(far):
                    Z = Z[::every]
                    x1[far], x2[far] = sums_over_rows(share, Z), sums_over_rows(share, Z * Z)
        total = residuals.sum(axis=0) if w is None else w @ residuals
        return _ResidualSums(W, slope, total, np.concatenate((x1, y1)), np.concatenate((x2, y2)), 0)

    return block_sums


def _sparse_sums(X, y, coef, w, near, scale) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(Σ x r, Σ r, Σ x, Σ x²) of sparse rows, whose zeros stay zeros: the shift is applied to the sums."""
    (n, p), k = X.shape, coef.shape[1]
    scale = np.ones(p + k) if scale is None else scale
    w, c = np.ones(n) if w is None else w, (np.zeros(p) if near is None else near[:p]) / scale[:p]
    weighted = (y - X @ coef) / scale[p:] * w[:, None]
    total = weighted.sum(axis=0)
    X = sparse.csr_array(X, dtype=float) @ sparse.diags_array(1.0 / scale[:p])
    x1 = w @ X
    x2 = np.maximum(w @ X.multiply(X) - 2.0 * c * x1 + w.sum() * c**2, 0.0)
    return X.T @ weighted - np.outer(c, total), total, x1 - w.sum() * c, x2


def _far_means(block: Block) -> np.ndarray | None:
    """Means of the columns and targets, zero where they are less than ten deviations from zero; None if all are.

    Zero for the columns of sparse rows, which cannot be shifted.
    """
    y, p = _columns(np.asarray(block.y, dtype=float)), block.X.shape[1]
    with np.errstate(all="ignore"):
        x1, x2 = (np.zeros(p), np.ones(p)) if sparse.issparse(block.X) else _two_sums(block.X)
        y1, y2 = _two_sums(y)
        return _if_far(len(y), np.concatenate((x1, y1)), np.concatenate((x2, y2)), slice(0))


def _two_sums(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return Z.sum(axis=0, dtype=float), np.einsum("ij,ij->j", Z, Z, dtype=float)


def _if_far(weight: float, z1: np.ndarray, z2: np.ndarray, never: slice) -> np.ndarray | None:
    """The means of columns that are ten deviations or more from zero, 0 for others and for those that are `never`
    shifted; None where there are none: m² > 100 (Σz²/n − m²)."""
    mean = z1 / weight
    far = 101.0 * mean**2 > 100.0 * z2 / weight
    far[never] = False
    return np.where(far, mean, 0.0) if far.any() else None


@certifies(
    "LinearRegression",
    ledger=Ledger(("coef_", "intercept_"), derived=("rank_", "singular_"), unverified=("condition_",)),
)
def linear_regression_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The normal equations, the rank, and least norm where the solution is not unique."""
    rows = as_rows(X, y, sample_weight)
    if model.positive:
        told = thorough() and hasattr(model, "condition_")
        return _non_negative_claims(model, rows) + (
            _design_claims(model, row_space(rows, model.fit_intercept)) if told else []
        )
    coef, intercept = _answer(model)
    found = orthogonality(rows, coef, intercept, 0.0, model.fit_intercept)
    claims = [
        Claim.reached(
            "R1",
            "the residual is orthogonal to every column (largest normalised |Xᵀr|)",
            found.worst,
            found.bound,
            # scikit-learn's is iterative on sparse rows.
            asked=0.0 if is_ours(model) or not sparse.issparse(X) else found.asked(float(model.tol)),
        ),
        *found.intercept_claims("R1"),
    ]
    stated = getattr(model, "rank_", None)
    if thorough() or (stated is not None and (np.asarray(stated) < rows.n_columns).any()):
        claims += _rank_claims(model, rows, coef)
    return claims


def _rank_claims(model: Any, rows: Rows, coef: np.ndarray) -> list[Claim]:
    """Rank and singular values as stated, and least norm where directions are free; from a factor of the data."""
    design = row_space(rows, model.fit_intercept)
    claims = [Claim.disclosure("A8", f"numerical rank of the design, which has {rows.n_columns} columns", design.rank)]
    if hasattr(model, "condition_"):  # our own: scikit-learn counts ranks by another rule
        claims += _design_claims(model, design)
    if thorough():
        claims.append(design.projection("R1", coef, asked=0.0 if is_ours(model) else np.inf))
    if design.free:
        statement = f"the solution is not unique ({design.free} free directions); this one {LEAST_NORM}"
        claims += [
            Claim.disclosure(
                "A8", "condition number of the design on its row space, columns of unit length", design.condition
            ),
            design.least_norm("R1", statement, coef),
        ]
    return claims


def _design_claims(model: Any, design: RowSpace) -> list[Claim]:
    """Rank and singular values as stated."""
    stated, singular = np.asarray(model.singular_, dtype=float), design.singular
    apart = np.inf
    if stated.shape == singular.shape:
        apart = float(np.abs(stated - singular).max(initial=0.0)) / max(singular.max(initial=0.0), design.least)
    return [
        Claim.at_most("A8", "rank_ is that of the design (difference)", abs(model.rank_ - design.rank), 0.0),
        # The smaller ones come from squares, which keep half of the digits.
        Claim.at_most("A8", "singular_ are the singular values (of the largest)", apart, 1e-6),
    ]


@certifies(
    "Ridge",
    ledger=Ledger(
        ("coef_", "intercept_"), derived=("effective_df_",), unverified=("condition_", "n_iter_", "solver_", "route_")
    ),
)
def ridge_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The penalised normal equations, and what strong convexity says about the distance to the minimum."""
    rows = as_rows(X, y, sample_weight)
    stated, few = hasattr(model, "effective_df_"), rows.n_rows * rows.n_columns <= ALL_READ
    design = row_space(rows, model.fit_intercept) if thorough() and (stated or few) else None
    told = [_freedom_claim(model, design)] if stated and design is not None else []
    if model.positive:
        return _non_negative_claims(model, rows, alpha=model.alpha) + told
    coef, intercept = _answer(model)
    found = orthogonality(rows, coef, intercept, model.alpha, model.fit_intercept)
    claims = [
        Claim.reached(
            "R7",
            "the gradient Xᵀr − αβ vanishes (largest normalised entry)",
            found.worst,
            found.bound,
            # Our own is solved directly, whatever its tol says.
            asked=0.0 if hasattr(model, "condition_") else found.asked(tol_of(model)),
        ),
        *found.intercept_claims("R7"),
    ]
    if (np.asarray(model.alpha) > 0.0).all():
        claims.append(Claim.disclosure("R7", "the objective is above its minimum by at most", found.excess))
    if design is not None:
        asked = 0.0 if hasattr(model, "condition_") else np.inf
        claims.append(design.projection("R7", coef, model.alpha, asked))
    return claims + told


def _freedom_claim(model: Any, design: RowSpace) -> Claim:
    """Σ d²/(d² + α) over the singular values d of the data, as many as it has dimensions: the others are rounding."""
    singular = design.singular[: design.rank]
    alpha = np.atleast_1d(np.asarray(model.alpha, dtype=float))
    kept = singular[:, None] ** 2 + alpha
    df = np.sum(np.divide(singular[:, None] ** 2, kept, out=np.zeros_like(kept), where=kept > 0.0), axis=0)
    stated = np.atleast_1d(np.asarray(model.effective_df_, dtype=float))
    apart = np.inf if stated.shape not in (df.shape, (1,)) else float(np.abs(stated - df).max())
    return Claim.at_most("R9", "effective_df_ is Σ d²/(d² + α) (difference)", apart, 1e-6 * max(1.0, df.max()))


def _non_negative_claims(model: Any, rows: Rows, alpha: Any = 0.0) -> list[Claim]:
    """Karush-Kuhn-Tucker conditions of least squares (or ridge) over non-negative coefficients."""
    coef, intercept = _answer(model)
    found = orthogonality(rows, coef, intercept, alpha, model.fit_intercept)
    violation = np.where(coef > 0.0, np.abs(found.slopes), np.maximum(found.slopes, 0.0)).max(initial=0.0)
    row = "R7" if np.any(np.asarray(alpha) > 0.0) else "R1"
    # Our own is solved directly. scikit-learn's ridge regression over β ≥ 0 is iterative, and stops at a tolerance.
    bound, theirs = found.bound, not hasattr(model, "condition_")
    asked = max(1e-6, 10.0 * float(model.tol) if hasattr(model, "alpha") else 0.0) if theirs else 0.0
    return [
        Claim.at_most(row, "no coefficient is negative (largest violation)", max(0.0, -coef.min(initial=0.0)), 0.0),
        Claim.reached(row, "optimality conditions over β ≥ 0 (largest normalised residual)", violation, bound, asked),
        Claim.reached(row, "the residuals average to zero (normalised)", found.miss, bound, asked),
        *found.intercept_claims(row),
    ]


def _answer(model) -> tuple[np.ndarray, np.ndarray]:
    """(coef as (p, q), intercept as (q,)) of a fitted linear regression with one or several targets."""
    coef = model.coef_.toarray() if sparse.issparse(model.coef_) else np.asarray(model.coef_)
    coef = coef[:, None] if coef.ndim == 1 else coef.T
    intercept = np.atleast_1d(model.intercept_)
    return coef, intercept if intercept.shape == coef.shape[1:] else np.broadcast_to(intercept, coef.shape[1:])


def _columns(y: np.ndarray) -> np.ndarray:
    return y[:, None] if y.ndim == 1 else y
