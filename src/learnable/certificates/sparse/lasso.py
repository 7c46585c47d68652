"""The lasso and the elastic net: duality gap, optimality conditions, uniqueness.

Columns that are not penalised are treated like the intercept: a dual point must be orthogonal to them, and the
residual is projected there. Syllabus: L3, L4, L13.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.origin import asked_of, is_ours
from learnable.certificates.linear.least_squares import LEAST_NORM, linear_regression_claims
from learnable.certificates.sparse.answer import (
    borne,
    brought_near,
    coefficients,
    fixed_intercept,
    intercepts,
    middle_of,
    of_targets,
    precision,
    rounding_of,
    stored_type,
)
from learnable.certificates.sparse.squared_gap import EPS, RELATIVE_GAP, Sizes, SquaredGap, column_lengths, squared_gap
from learnable.problems.core.duality import dual_lengths
from learnable.problems.sparse.matrix_penalties import row_lengths
from learnable.problems.sparse.penalties import (
    EVERY,
    ElasticNet,
    NonNegative,
    Weighted,
    conjugate,
    curvature,
    l1_level,
    subdistance,
    total,
)
from learnable.rows.stretches import stretches

# A column counts as standing at its threshold when its correlation is this near to it, relatively.
AT_THRESHOLD = 1e-7
# Columns are clearly independent where no eigenvalue of their correlations is below this.
INDEPENDENT = 1e-6
TINY = float(np.finfo(float).tiny)
# So many of them are correlated with each other where the duality gap does not decide.
MOST_COLUMNS = 2000


@certifies("Lasso", "ElasticNet", ledger=Ledger(("coef_", "intercept_"), ("dual_gap_",), ("n_iter_",)))
def lasso_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Sequence[Claim]:
    """The gap against the tolerance asked for, the largest violation of a condition, and whether it is unique."""
    if model.alpha == 0.0:
        # Without a penalty the only feasible dual points solve the normal equations: those are checked instead.
        fixed = [] if model.fit_intercept else [fixed_intercept("R1", model.intercept_)]
        found = linear_regression_claims(model, X, y, sample_weight)
        return [*coordinate_wise(model, found), *fixed]
    return penalised_claims(model, float(model.alpha), float(model.l1_ratio), X, y, sample_weight)


def coordinate_wise(model: Any, claims: Sequence[Claim]) -> Sequence[Claim]:
    """The claims of least squares about a fit without a penalty: coordinate descent of scikit-learn's goes on until the
    objective is within `tol`, of which slopes are the root, and ends anywhere where there are many answers."""
    if is_ours(model):
        return claims
    most = float(np.sqrt(asked_of(model)))
    return [
        claim._replace(open=True)
        if not claim.holds and (claim.value <= most or LEAST_NORM in claim.statement)
        else claim
        for claim in claims
    ]


def penalised_claims(model: Any, alpha: float, l1_ratio: float, X: Any, y: Any, sample_weight: Any) -> list[Claim]:
    """What can be proved of `model.coef_` and `model.intercept_` under this penalty, target by target."""
    coefs = coefficients(model.coef_, X.shape[1])
    targets = np.asarray(y, dtype=float)
    targets = targets[:, None] if targets.ndim == 1 else targets
    if len(coefs) != targets.shape[1]:
        raise IndexError(f"coef_ has {len(coefs)} rows, y has {targets.shape[1]} columns")
    offsets = intercepts(model.intercept_, len(coefs))
    problem = Penalised(X, sample_weight, model.fit_intercept, getattr(model, "penalty_factor", None))
    penalty = problem.penalty(alpha, l1_ratio, bool(getattr(model, "positive", False)))
    claims: list[Claim] = []
    for k, coef in enumerate(coefs):
        name = "" if len(coefs) == 1 else f" (target {k})"
        offset = float(offsets[k])
        gap, slope = problem.standing(targets[:, k], coef, offset, penalty)
        astray = problem.astray(penalty, coef)
        claims.append(problem.least("L3", targets[:, k], coef, offset, astray, gap, asked_of(model), name))
        if hasattr(model, "dual_gap_") and not type(model).__module__.startswith("sklearn."):
            stated = float(of_targets("dual_gap_", model.dual_gap_, len(coefs))[k])
            largest = float(np.abs(targets[:, k]).max(initial=0.0))
            claims.append(gap_claim("O6", stated, gap, largest, name))
        claims.append(problem.intercept(targets[:, k], coef, offset, name))
        if not problem.even and problem.excluded.any():
            claims.append(
                Claim.at_most(
                    "L3", f"columns with an infinite penalty factor have no coefficient (largest){name}",
                    np.abs(coef[problem.excluded]).max(), 0.0,
                )
            )  # fmt: skip
        violation = subdistance(penalty, coef[problem.penalised].astype(float), slope, EVERY)
        claims.append(
            Claim.disclosure("L4", f"largest violation of an optimality condition{name}", violation.max(initial=0.0))
        )
        if not np.count_nonzero(curvature(penalty, EVERY)):
            claims.append(problem.uniqueness(coef, slope, penalty, name))
    return claims


def gap_claim(row: str, stated: float, gap: SquaredGap, largest: float, name: str = "") -> Claim:
    """`dual_gap_` against the gap computed here; their dual points differ, and so do gaps that are not small.

    `largest` is that of the targets. Rounding makes the same of both, and that of the answer came after its own gap.
    """
    size = max(gap.mean_square, 1e-9 * largest**2, TINY)
    off = abs(stated - gap.value) - 0.9 * max(stated, gap.value, 0.0) - gap.rounding - gap.stored - gap.moved
    statement = f"dual_gap_ is the duality gap, but for another dual point (difference, of the targets){name}"
    return Claim.at_most(row, statement, max(off, 0.0) / size, 0.1 * RELATIVE_GAP)


# Slopes of the mean loss (p,) or (p, q) → (p,): how long a subgradient of the objective is, column by column, at most.
Astray = Callable[[np.ndarray], np.ndarray]


class Decrement(NamedTuple):
    """The objective is above its minimum by at most `value`, but for `rounding`."""

    value: float
    rounding: float


class Penalised:
    """The data as mean loss + penalty sees them: weights that sum to one, penalised columns apart from free ones."""

    def __init__(self, X: Any, sample_weight: Any, free_intercept: bool, factor: Any = None):
        n, p = X.shape
        if sample_weight is None:
            self.weight = np.full(n, 1.0 / n)
        else:
            weight = np.empty(n)
            weight[:] = sample_weight
            self.weight = weight / weight.sum()
        self.X, self.centre = brought_near(X, self.weight, free_intercept)
        self.dtype = stored_type(X)
        self.free_intercept = free_intercept
        self.factor = np.ones(p) if factor is None else np.asarray(factor, dtype=float)
        self.even = factor is None or bool((self.factor == 1.0).all())
        self.excluded = self.free = np.zeros(p, dtype=bool)
        if not self.even:
            self.excluded, self.free = np.isinf(self.factor), self.factor == 0.0
        self.some_free = bool(self.free.any())
        outside = self.excluded | self.free
        self.penalised: Any = ~outside if outside.any() else slice(None)
        self._asked: tuple[np.ndarray, np.ndarray] | None = None

    def penalty(self, alpha: float, l1_ratio: float, positive: bool):
        """The penalty of the penalised columns."""
        plain = ElasticNet(alpha, l1_ratio)
        even = plain if self.even else Weighted(plain, self.factor[self.penalised])
        return NonNegative(even) if positive else even

    def standing(self, y, coef, intercept: float, penalty) -> tuple[SquaredGap, np.ndarray]:
        """(duality gap, gradient of the mean loss) at an answer."""
        stored = precision(self, coef)
        coef = coef.astype(float)
        far = np.abs(y).max(initial=0.0) + abs(intercept) + float(np.abs(self.centre) @ np.abs(coef))
        y, u = self.residuals(y, coef, intercept)
        residual = self.projected(u)
        (pull, steep), beta = self.correlations(np.array([residual, u]).T).T, coef[self.penalised]
        points = [(t, float(conjugate(penalty, t * pull, EVERY).sum())) for t in dual_lengths(penalty, beta, -pull)]
        lengths = column_lengths(self.X, self.weight)
        level = l1_level(penalty, EVERY)
        bounded = not np.count_nonzero(np.less_equal(level, 0.0))
        reach = float((lengths[self.penalised] / level).max(initial=0.0)) if bounded else 0.0
        sizes = Sizes(float(lengths @ np.abs(coef)), reach, far, stored, float(rounding_of(intercept, stored)))
        value, pulled = total(penalty, beta), float(pull @ beta)
        gap = squared_gap(residual, u, self.projected(y), self.weight, value, pulled, points, sizes)
        return gap, -steep

    def residuals(self, y: np.ndarray, coef: np.ndarray, intercept: Any) -> tuple[np.ndarray, np.ndarray]:
        """(y less its mean where the intercept is free, what the answer leaves of y); of one target or of several."""
        middle = middle_of(y, self.weight) if self.free_intercept else 0.0
        predicted = self.scores(coef).reshape(y.shape)
        return y - middle, (y - middle) - predicted - (intercept + self.centre @ coef - middle)

    def scores(self, coef: np.ndarray) -> np.ndarray:
        """X β, kept until it is asked for with other coefficients."""
        if self._asked is None or not np.array_equal(self._asked[0], coef):
            self._asked = coef, np.asarray(self.X @ coef)
        return self._asked[1]

    def astray(self, penalty: Any, coef: np.ndarray) -> Astray:
        """Of a separable penalty: how far zero is from the subdifferential at `coef`, column by column."""
        return lambda slope: subdistance(penalty, coef[self.penalised].astype(float), slope, EVERY)

    def least(
        self, row: str, y, coef, intercept: Any, astray: Astray, gap: SquaredGap, tol: float, name: str = ""
    ) -> Claim:
        """That no objective is clearly less: by the duality gap, or by the Newton decrement where that shows more."""
        above = f"the objective is above its minimum by at most{name}"
        claim = gap.claim(row, f"duality gap: {above}", tol)
        if not claim.holds and (decrement := self.decrement(y, coef, intercept, astray)) is not None:
            other = gap._replace(value=decrement.value, rounding=decrement.rounding)
            nearer = other.claim(row, f"Newton decrement: {above}", tol)
            claim = nearer if nearer.holds else claim
        return claim

    def decrement(self, y, coef, intercept: Any, astray: Astray) -> Decrement | None:
        """What the objective may be above its minimum by; None where columns may depend on one another.

        With s a subgradient, no objective is below F(β) + s·δ + ½ δᵀGδ, so F is above its minimum by at most ½ sᵀG⁻¹s,
        summed over the targets. Where a penalty is so weak that its level is lost in the rounding of Xᵀr, no dual point
        shows as much.
        """
        columns = np.arange(self.X.shape[1])[self.penalised]
        few = 0 < len(columns) <= min(len(y), MOST_COLUMNS)
        if self.some_free or not few or not self._clearly_independent(columns):
            return None
        coef = coef.astype(float)
        _, u = self.residuals(y, coef, intercept)
        residual = self.projected(u)
        raw, length = column_lengths(self.X, self.weight), np.sqrt(self.mean_squares()[columns])
        size = np.sqrt(np.sum(self.weight @ residual**2)) + raw @ (
            np.abs(coef) if coef.ndim == 1 else row_lengths(coef)
        )
        rounding = 16.0 * EPS * size * raw[columns]
        parts = astray(-self.correlations(residual)), rounding
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            square, rounded = (float(np.sum((part / length) ** 2)) / INDEPENDENT for part in parts)
        return Decrement(square + 0.5 * float(np.sum(self.weight @ (u - residual) ** 2)), rounded)

    def intercept(self, y, coef, intercept: float, name: str) -> Claim:
        """The best intercept for these coefficients is known exactly: with it the residuals average to zero."""
        if not self.free_intercept:
            return fixed_intercept("L4", intercept)
        f = self.scores(coef.astype(float)).ravel() + (intercept + self.centre @ coef)
        sizes = np.abs(coef).astype(float)
        size = np.abs(y).max(initial=0.0) + abs(intercept) + np.abs(self.centre) @ sizes
        off, unit = abs(float(self.weight @ (y - f))), precision(self, coef)
        if off > 1e3 * unit * size:  # the sizes of what the columns add take a reading of all of them
            size += sum(float(self.weight[rows] @ (abs(part) @ sizes)) for rows, part in stretches(self.X))
        apart = float(np.sqrt(self.weight @ (y - middle_of(y, self.weight)) ** 2))
        return Claim.reached(
            "L4", f"the residuals average to zero: no intercept is better for these coefficients{name}",
            off, min(1e3 * unit * size, borne(apart, rounding_of(intercept, unit) * size)), asked=1e3 * unit * size,
        )  # fmt: skip

    def uniqueness(self, coef, slope, penalty, name: str) -> Claim:
        """How many columns at their threshold depend on the others there, within rounding."""
        level = l1_level(penalty, EVERY)
        pull = -slope if isinstance(penalty, NonNegative) else np.abs(slope)
        standing = np.flatnonzero((coef[self.penalised] != 0.0) | (pull >= level * (1.0 - AT_THRESHOLD)))
        columns = np.arange(self.X.shape[1])[self.penalised][standing]
        return Claim.disclosure(
            "L4", f"columns at their threshold that depend on the others: with 0 the solution is unique{name}",
            len(columns) - self._rank(columns), kind="approximate",
        )  # fmt: skip

    def mean_squares(self) -> np.ndarray:
        """(p,) of the columns, about their means where the intercept is free; zero where that leaves only rounding."""
        squares = self.X.multiply(self.X) if sparse.issparse(self.X) else np.square(self.X, dtype=float)
        raw = np.asarray(squares.T @ self.weight).ravel()
        spread = raw - np.asarray(self.X.T @ self.weight).ravel() ** 2 if self.free_intercept else raw
        return np.where(spread > 1e-12 * raw, spread, 0.0)

    def correlations(self, u: np.ndarray) -> np.ndarray:
        return np.asarray(self.X.T @ (self.weight * u.T).T)[self.penalised]

    def projected(self, u: np.ndarray) -> np.ndarray:
        """u less its part along the free columns, the intercept among them: there a dual point is feasible."""
        if not self.some_free:
            return u - self.weight @ u if self.free_intercept else u
        root = np.sqrt(self.weight)
        Z = self._free_columns()
        share = linalg.lstsq(root[:, None] * Z, root * u)[0]
        return u - Z @ share

    def _free_columns(self) -> np.ndarray:
        Z = np.asarray(_dense(self.X[:, np.flatnonzero(self.free)]), dtype=float)
        return np.column_stack([Z, np.ones(len(Z))]) if self.free_intercept else Z

    def _rank(self, columns: np.ndarray) -> int:
        """Rank of some columns, each of unit length after the free ones are taken out."""
        if not len(columns):
            return 0
        if not self.some_free and self._clearly_independent(columns):
            return len(columns)
        A = np.asarray(_dense(self.X[:, columns]), dtype=float)
        A = np.column_stack([self.projected(column) for column in A.T]) * np.sqrt(self.weight)[:, None]
        A /= np.maximum(np.linalg.norm(A, axis=0), np.finfo(float).tiny)
        diagonal = np.abs(np.diag(linalg.qr(A, mode="r", pivoting=True)[0]))
        return int(np.count_nonzero(diagonal > max(A.shape) * np.finfo(float).eps * max(diagonal[0], 1.0)))

    def _clearly_independent(self, columns: np.ndarray) -> bool:
        return self.factor_of(columns) is not None

    def factor_of(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """(R, ℓ) of some columns of lengths ℓ, whose correlations are above RᵀR, without a dense copy of them; None
        unless these say that none depends on the others.
        """
        part = self.X if len(columns) == self.X.shape[1] else self.X[:, columns]
        weighted = sparse.diags_array(self.weight) @ part if sparse.issparse(part) else self.weight[:, None] * part
        G = np.asarray(_dense(part.T @ weighted), dtype=float)
        if self.free_intercept:
            mean = np.asarray(weighted.sum(axis=0)).ravel()
            G -= mean[:, None] * mean
        squares = G.diagonal()
        length = np.sqrt(np.maximum(squares, 0.0))
        # Where the mean outweighs the spread, centring has cost digits: let the longer way decide.
        if (length <= 1e-4 * np.sqrt(squares + (mean**2 if self.free_intercept else 0.0))).any():
            return None
        # No eigenvalue of the correlations is below that where they have a factor with it taken off.
        correlations = G / (length[:, None] * length)
        correlations.flat[:: len(G) + 1] = 1.0 - INDEPENDENT
        factor, failed = linalg.lapack.dpotrf(correlations)
        return None if failed else (factor, length)


def _dense(A):
    return A.toarray() if sparse.issparse(A) else np.asarray(A)
