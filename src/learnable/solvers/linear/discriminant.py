"""Linear discriminants δ_k(x) = x·Σ⁻¹μ_k − ½ μ_kᵀΣ⁻¹μ_k + log π_k, three routes to Σ⁻¹. Syllabus: C1.

All of them start from one pass over the rows: weights, means and the pooled scatter of the classes.

- `by_whitening`: an eigendecomposition of the within-class correlations gives coordinates in which Σ = I. When it is
  too ill-conditioned for the cross-products to be trusted, the singular values of a triangular factor of the rows
  take its place. Directions without variance are left out.
- `by_equations`: Σ B = M by Cholesky, or the solution of least norm when Σ is singular.
- `by_canonical_variates`: the generalised eigenvectors of between- and within-class covariance.

The last two give δ_k itself, or, where the columns lie so far from zero that half of its digits would cancel, δ_k less
a term that all classes share, as the first always does: discriminants about the mean of the class means.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy import linalg

from learnable.rows import Block, Rows
from learnable.solvers.linear.class_covariance import Dispersion, Estimated, dispersion
from learnable.solvers.linear.class_moments import ClassMoments, class_moments, class_triangles

EPS = float(np.finfo(float).eps)
# Smallest eigenvalue of the within-class correlations that the cross-products are trusted with; and the same of tables
# of at most so many cells, of which a factor of the rows costs little: half a digit is lost there.
TRUSTED, TRUSTED_OF_FEW, FEW = 1e-5, 0.03, 65_536
# Columns whose eigenvalues are found as soon as a factor.
FEW_COLUMNS = 10


class LinearDiscriminantState(NamedTuple):
    """The solution.

    Attributes
    ----------
    objective : mean of −log(π_y φ(x; μ_y, Σ)), over the directions kept.
    coef, intercept : (K, p) and (K,).
    means, priors : (K, p) and (K,).
    covariance : (p, p) or None when not asked for.
    scalings : (p, r) coordinates in which Σ = I, sorted by how far they set the classes apart; None by equations.
    explained : share of the between-class variance in each of them, or None.
    centre : (p,) Σ π_k μ_k, or None where it plays no part.
    rank : number of directions with within-class variance.
    route : "cross-products" or "orthogonal".
    """

    objective: float
    coef: np.ndarray
    intercept: np.ndarray
    means: np.ndarray
    priors: np.ndarray
    covariance: np.ndarray | None
    scalings: np.ndarray | None
    explained: np.ndarray | None
    centre: np.ndarray | None
    rank: int
    route: str


def by_whitening(
    rows: Rows,
    n_classes: int,
    priors: np.ndarray | None,
    tol: float,
    store_covariance: bool = False,
    unbiased: bool = False,
    n_jobs: int | None = None,
) -> Iterator[LinearDiscriminantState]:
    """One state. Σ is the pooled scatter over W, or W − K, whatever the priors.

    Singular values of at most `tol` count as zero.
    """
    found, unit = _moments_in_units(rows, n_classes, store_covariance and priors is not None, n_jobs)
    pi = found.share if priors is None else priors
    inflation = inflation_of(found, unbiased)
    pooled = found.pooled * inflation
    deviation = _positive(np.sqrt(pooled.diagonal()))
    whitener, lengths, from_rows = _whitener(rows, found, pooled, deviation, unit, tol, inflation, n_jobs)
    rank = len(lengths)
    centre, apart = found.centre(pi), found.about_centre(pi)
    _, s, Vt = np.linalg.svd(
        np.sqrt(found.weight.sum() * pi / (n_classes - 1))[:, np.newaxis] * (apart @ whitener), full_matrices=False
    )
    kept = s > tol * s[0]
    scalings = whitener @ Vt[kept].T
    variates = apart @ scalings
    coef = variates @ scalings.T
    intercept = np.log(pi) - 0.5 * (variates**2).sum(axis=1) - coef @ centre
    # Without inflation Σ is the maximum likelihood estimate itself, so that the quadratic form averages to the rank.
    log_det = 2.0 * float(np.log(lengths).sum() + np.log(deviation * unit).sum())
    covariance = None
    if store_covariance:
        within = pooled if priors is None else inflation * np.tensordot(pi / found.weight, found.scatter, axes=1)
        covariance = _finite(within * np.outer(unit, unit))
    yield LinearDiscriminantState(
        objective=_negative_log_likelihood(found.share, pi, rank, log_det, rank / inflation),
        coef=coef / unit,
        intercept=intercept,
        means=found.mean * unit,
        priors=pi,
        covariance=covariance,
        scalings=signed(scalings / unit[:, np.newaxis]),
        explained=s**2 / (s**2).sum() if s[0] > 0.0 else np.zeros_like(s),
        centre=centre * unit,
        rank=rank,
        route="orthogonal" if from_rows else "cross-products",
    )


def by_equations(
    rows: Rows,
    n_classes: int,
    priors: np.ndarray | None,
    shrinkage: float | str | None,
    estimated: Estimated | None,
    unbiased: bool = False,
    n_jobs: int | None = None,
) -> Iterator[LinearDiscriminantState]:
    """One state: Σ B = M with Σ = Σ_k π_k Σ̂_k, shrunk or estimated as the caller says."""
    given = _finite_dispersion(rows, n_classes, priors, shrinkage, estimated, unbiased, n_jobs)
    moments, within, pooled = given.moments, given.within, given.moments.pooled
    deviation = _positive(np.sqrt(np.diag(within)))
    units = np.outer(deviation, deviation)
    centre = moments.centre(given.priors)
    from_rows = _rows_of(rows, given, deviation, unbiased, n_jobs) if estimated is None and not shrinkage else None
    p = len(within)
    if (factor := _lower_factor(within / units, rows, given, deviation, from_rows)) is not None:
        whitened = linalg.solve_triangular(factor, centre / deviation, lower=True)
        reference, apart = _reference(rows, moments, given.priors, whitened)
        coef = linalg.cho_solve((factor, True), (apart / deviation).T).T / deviation
        log_det = 2.0 * float(np.sum(np.log(np.abs(np.diag(factor)))))
        trace = float(np.trace(linalg.cho_solve((factor, True), pooled / units)))
        rank = p
    else:
        values, V = linalg.eigh(within)
        kept = values > p * EPS * values[-1]
        if from_rows is not None:
            _, d, Vt = linalg.svd(from_rows() * deviation, full_matrices=False)
            kept, values, V = d > _least(d, rows, moments.mean), d**2, Vt.T
        rank = int(np.count_nonzero(kept))
        if rank == 0:
            raise linalg.LinAlgError("the within-class covariance is zero: no column varies within the classes")
        values, V = values[kept], V[:, kept]
        reference, apart = _reference(rows, moments, given.priors, centre @ V / np.sqrt(values))
        coef = ((apart @ V) / values) @ V.T
        log_det = float(np.sum(np.log(values))) - 2.0 * float(np.sum(np.log(deviation)))
        trace = float(np.sum(np.einsum("ji,jk,ki->i", V, pooled, V) / values))
    log_det += 2.0 * float(np.sum(np.log(deviation)))
    yield LinearDiscriminantState(
        objective=_negative_log_likelihood(moments.share, given.priors, rank, log_det, trace),
        coef=coef,
        intercept=np.log(given.priors) - 0.5 * np.sum((moments.mean + reference) * coef, axis=1),
        means=moments.mean,
        priors=given.priors,
        covariance=within,
        scalings=None,
        explained=None,
        centre=None,
        rank=rank,
        route="cross-products",
    )


def by_canonical_variates(
    rows: Rows,
    n_classes: int,
    priors: np.ndarray | None,
    shrinkage: float | str | None,
    estimated: Estimated | None,
    unbiased: bool = False,
    n_jobs: int | None = None,
) -> Iterator[LinearDiscriminantState]:
    """One state: (Σ_total − Σ) v = λ Σ v with vᵀΣv = 1, and Σ⁻¹ = Σ_j v_j v_jᵀ."""
    given = _finite_dispersion(rows, n_classes, priors, shrinkage, estimated, unbiased, n_jobs)
    moments, within = given.moments, given.within
    deviation = _positive(np.sqrt(np.diag(within)))
    units = np.outer(deviation, deviation)
    from_rows = _rows_of(rows, given, deviation, unbiased, n_jobs) if estimated is None and not shrinkage else None
    factor = _lower_factor(within / units, rows, given, deviation, from_rows)
    if factor is None:
        raise linalg.LinAlgError(
            "the within-class covariance is singular, so that solver='eigen' has no solution; drop the columns that "
            "are constant or repeat others, set shrinkage, or use solver='svd', which leaves such directions out"
        )
    if from_rows is not None and priors is None:  # what the total covariance has beside Σ is that of the class means
        apart = np.sqrt(moments.share)[:, np.newaxis] * moments.about_centre(moments.share)
        vectors, s, _ = linalg.svd(linalg.solve_triangular(factor, (apart / deviation).T, lower=True))
        vectors, values = vectors[:, ::-1], np.zeros(len(within))
        values[len(within) - len(s) :] = s[::-1] ** 2
    else:
        half = linalg.solve_triangular(factor, (given.total - within) / units, lower=True)
        values, vectors = linalg.eigh(linalg.solve_triangular(factor, half.T, lower=True))
    vectors = linalg.solve_triangular(factor, vectors, lower=True, trans="T")
    scalings = signed(vectors[:, ::-1] / deviation[:, np.newaxis])
    reference, apart = _reference(rows, moments, given.priors, moments.centre(given.priors) @ scalings)
    coef = (apart @ scalings) @ scalings.T
    trace = float(np.sum(scalings * (moments.pooled @ scalings)))
    log_det = -2.0 * float(np.linalg.slogdet(vectors)[1]) + 2.0 * float(np.sum(np.log(deviation)))
    yield LinearDiscriminantState(
        objective=_negative_log_likelihood(moments.share, given.priors, len(within), log_det, trace),
        coef=coef,
        intercept=np.log(given.priors) - 0.5 * np.sum((moments.mean + reference) * coef, axis=1),
        means=moments.mean,
        priors=given.priors,
        covariance=within,
        scalings=scalings,
        explained=np.sort(values / np.sum(values))[::-1],
        centre=None,
        rank=len(within),
        route="cross-products",
    )


def signed(columns: np.ndarray) -> np.ndarray:
    """The columns with signs such that the entry of largest magnitude of each is positive; of one matrix or several."""
    if columns.shape[-1] == 0:
        return columns
    # `take_along_axis` takes as long as the rest of it.
    at, each = np.abs(columns).argmax(axis=-2), np.arange(columns.shape[-1])
    largest = columns[at, each] if columns.ndim == 2 else columns[np.arange(len(columns))[:, np.newaxis], at, each]
    return columns * np.where(largest < 0.0, -1.0, 1.0)[..., np.newaxis, :]


def _reference(
    rows: Rows, moments: ClassMoments, priors: np.ndarray, whitened: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(the point about which discriminants are taken, the class means less it).

    Zero, or the centre where half of the digits would cancel: scores about zero have terms of size ‖Σ^(−½) centre‖²,
    `whitened` squared. Between two classes only the difference
    of two discriminants counts, and what they share is not stored.
    """
    precision = float(np.finfo(np.float32 if rows.dtype == np.float32 else np.float64).eps)
    if len(priors) == 2 or float(whitened @ whitened) > precision**-0.5:
        return moments.centre(priors), moments.about_centre(priors)
    return np.zeros(rows.n_columns), moments.mean


def _moments_in_units(rows: Rows, n_classes: int, each: bool, n_jobs: int | None) -> tuple[ClassMoments, np.ndarray]:
    """(moments, unit of each column): units are 1 unless squares of a column overflow or vanish."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        found = class_moments(rows, n_classes, each=each, n_jobs=n_jobs)
        squares = found.pooled.diagonal()
    size = np.abs(found.mean).max(axis=0)
    tiny = (squares < 1e-280) & (size > 0.0) & (size < 1e-100)
    if np.isfinite(squares).all() and not tiny.any():
        return found, np.ones(rows.n_columns)

    def largest(block: Block) -> np.ndarray:
        top = abs(block.X).max(axis=0)
        return top.toarray().ravel() if hasattr(top, "toarray") else np.asarray(top, dtype=float)

    magnitude = rows.reduce(largest, np.maximum, n_jobs=n_jobs)
    # Powers of two: division by them is exact.
    unit = np.exp2(np.floor(np.log2(np.where(magnitude > 0.0, magnitude, 1.0))))
    return class_moments(rows, n_classes, each=each, scale=unit, n_jobs=n_jobs), unit


def _trusted(rows: Rows) -> float:
    return TRUSTED_OF_FEW if rows.n_rows * rows.n_columns <= FEW else TRUSTED


def _rows_of(
    rows: Rows, given: Dispersion, deviation: np.ndarray, unbiased: bool, n_jobs: int | None
) -> Callable[[], np.ndarray]:
    """A reading of the rows that gives R with RᵀR = Σ in units of the deviations."""

    def read() -> np.ndarray:
        share = np.sqrt(given.priors / given.moments.weight * inflation_of(given.moments, unbiased))
        (R,) = class_triangles(rows, given.moments, deviation / share[:, np.newaxis], n_jobs=n_jobs)
        return R

    return read


def _lower_factor(
    correlations: np.ndarray,
    rows: Rows,
    given: Dispersion,
    deviation: np.ndarray,
    from_rows: Callable[[], np.ndarray] | None,
) -> np.ndarray | None:
    """L with LLᵀ = Σ in units of the deviations; from the rows where cross-products lose digits; None if singular."""
    p = len(correlations)
    factor, failed = linalg.lapack.dpotrf(correlations, lower=1)
    least = 0.0 if failed else float(np.min(np.abs(np.diag(factor))) ** 2)
    if from_rows is None:
        return factor if least > 10.0 * p * EPS else None
    if least >= _trusted(rows):
        return factor
    R = from_rows()
    d = linalg.svdvals(R)
    return R.T if len(d) == p and d[-1] > _least(d, rows, given.moments.mean / deviation) else None


def _least(d: np.ndarray, rows: Rows, far: np.ndarray) -> float:
    """The singular value that rounding of the rows, and of columns `far` from zero, explains."""
    return EPS * max(max(rows.n_rows, len(d)) * float(d[0]), len(d) ** 0.5 * float(np.abs(far).max()))


def _whitener(
    rows: Rows,
    found: ClassMoments,
    pooled: np.ndarray,
    deviation: np.ndarray,
    unit: np.ndarray,
    tol: float,
    inflation: float,
    n_jobs: int | None,
) -> tuple[np.ndarray, np.ndarray, bool]:
    """(A (p, r) with AAᵀ = Σ⁻¹, (r,) numbers whose product squared is |Σ| in units of the deviations, both less the
    directions without variance, and whether they are from the rows themselves)."""
    if rows.n_rows >= rows.n_columns:
        correlations = pooled / (deviation[:, np.newaxis] * deviation)
        if not _surely_distrusted(correlations, _trusted(rows)):
            values, V = np.linalg.eigh(correlations)
            values, V = values[::-1], V[:, ::-1]
            noise = 10.0 * len(values) * EPS * values[0]
            # Below the noise a direction is left out, provided that tol leaves it out too.
            floor = noise if tol**2 > noise else -np.inf
            if not ((values > floor) & (values < _trusted(rows) * values[0])).any():
                return *_along_axes(rows, np.sqrt(np.maximum(values, 0.0)), V, deviation, tol), False
    (R,) = class_triangles(rows, found, deviation * unit, unit, n_jobs=n_jobs)
    R = R * np.sqrt(inflation / found.weight.sum())
    # Any root of Σ⁻¹ does, and this one keeps the digits of the rows.
    inverse, singular = linalg.lapack.dtrtrs(R, np.eye(len(R))) if len(R) == rows.n_columns else (R, 1)
    if not singular and 1.0 / np.linalg.norm(inverse) > _negligible(rows, float(np.linalg.norm(R)), tol):
        return inverse / deviation[:, np.newaxis], np.abs(R.diagonal()), True
    _, d, Vt = linalg.svd(R, full_matrices=False)
    whitener, lengths = _along_axes(rows, d, Vt.T, deviation, tol)
    full = not singular and len(lengths) == len(R)
    return inverse / deviation[:, np.newaxis] if full else whitener, lengths, True


def _surely_distrusted(correlations: np.ndarray, trusted: float) -> bool:
    """Whether the least eigenvalue is above rounding and below `trusted` of the largest, as a factor shows without any.

    No squared pivot of L, LLᵀ being the matrix, is below it, and 1 / ‖L⁻¹‖² is not above it; the largest is 1 to p.
    """
    if len(correlations) < FEW_COLUMNS:
        return False
    L, failed = linalg.lapack.dpotrf(correlations, lower=1)
    if failed or not L.diagonal().min() ** 2 < 0.5 * trusted:
        return False
    inverse, _ = linalg.lapack.dtrtri(L, lower=1)
    return float(np.vdot(inverse, inverse)) * 20.0 * len(L) ** 2 * EPS < 1.0


def _along_axes(
    rows: Rows, d: np.ndarray, V: np.ndarray, deviation: np.ndarray, tol: float
) -> tuple[np.ndarray, np.ndarray]:
    """(V / d in the units of the columns, d) for the directions whose singular value counts."""
    rank = int(np.count_nonzero(d > _negligible(rows, d[0], tol)))
    if rank == 0:
        raise linalg.LinAlgError(
            f"no column varies within the classes by more than tol={tol}: the within-class covariance is zero; "
            "add columns that vary, or lower tol"
        )
    return (V[:, :rank] / deviation[:, np.newaxis]) / d[:rank], d[:rank]


def _negligible(rows: Rows, largest: float, tol: float) -> float:
    """Up to where a singular value counts as zero."""
    return max(tol, rows.n_rows * EPS * largest)


def inflation_of(found: ClassMoments, unbiased: bool) -> float:
    """W / (W − K), which turns the mean square about the class means into an unbiased covariance; 1 if not asked."""
    W, K = float(found.weight.sum()), len(found.weight)
    if unbiased and W <= K:
        raise ValueError(f"unbiased=True divides by N - K, but the weights sum to {W:g} and there are {K} classes")
    return W / (W - K) if unbiased else 1.0


def _finite_dispersion(rows, n_classes, priors, shrinkage, estimated, unbiased, n_jobs) -> Dispersion:
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        found = dispersion(rows, n_classes, priors, shrinkage, estimated, n_jobs)
        more = inflation_of(found.moments, unbiased)
        # The covariance between the classes, total less within, stays as it is.
        found = found._replace(within=found.within * more, total=found.total + (more - 1.0) * found.within)
    _finite(found.within)
    _finite(found.total)
    return found


def _finite(covariance: np.ndarray) -> np.ndarray:
    bad = ~np.isfinite(np.diag(covariance))
    if np.any(bad):
        raise ValueError(
            f"the variance of column {int(np.argmax(bad))} exceeds the largest number: rescale the column, or use "
            "solver='svd' without store_covariance"
        )
    return covariance


def _positive(deviation: np.ndarray) -> np.ndarray:
    """The same, with 1 for a column that does not vary within the classes."""
    return np.where(deviation > 0.0, deviation, 1.0)


def _negative_log_likelihood(share, priors, rank: int, log_det: float, trace: float) -> float:
    """Mean of −log(π_y φ(x; μ_y, Σ)) from the sums: shares of the classes, log|Σ| and tr(Σ⁻¹S)."""
    return float(-share @ np.log(priors) + 0.5 * (rank * np.log(2.0 * np.pi) + log_det + trace))
