"""Linear machines with a kinked loss by a path through the inside of the dual's box: few columns, any units.

½‖w‖² + Σ Cᵢ ℓ(yᵢ, w·(xᵢ, s)) with hinge or ε-insensitive loss has multipliers u between bounds, one a row or, where
ε > 0, two. At the minimum w = Σ ± uᵢ(xᵢ, s), and each slope is zero, or of the sign that holds its u at a bound. One
coordinate after the other takes ever more passes as C or the columns grow; here the number of steps hardly changes
(Mehrotra's predictor and corrector, w a variable of its own, so that cancelling sums spoil no weight). A state a step:

1. scores, slopes, and the duality gap there;
2. the factors of the rows, each as far as its coefficient is free to move, above those of I: orthogonal, for columns of
   any size or far from zero; by products of the columns where these are independent enough (CholeskyQR2);
3. a step as if the bounds could be reached, then one that keeps as far from them as that one shows to be good.

Syllabus: S3, S9.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError, lapack

from learnable.problems.linear.losses import Hinge, conjugate, value
from learnable.rows.threads import interruptible, one_blas_thread
from learnable.solvers.kernels.dual_descent import DescentState, dual_of

# Entries of a table, with the squares of its columns, that are factored again at every step.
MOST_ENTRIES, MOST_COLUMNS = 10_000_000, 500
# Entries up to which they are factored before a thread of their own, which an interrupt does not wait for, would start.
FEW_ENTRIES = 2**15
# Steps after which rounding, and not the path, is what keeps the gap open; a gap that is none.
MOST_STEPS, SMALLEST_GAP = 80, 1e-9
# What is lost of a sum that cancels, of what is added up.
CANCELLED = 1e-9
# Share of the way to the nearest bound that a step may go.
INSIDE = 0.995
# How far the columns' products may be from those of I after the first of two factors.
NEAR = 1e-3
# Of the largest eigenvalue of products of columns: below it a column is a sum of the others.
DEPENDENT = 1e-13
TINY = float(np.finfo(float).tiny)


class _Box(NamedTuple):
    """The multipliers: where a row has two, of opposite signs, the second ones follow after those of all rows."""

    lower: np.ndarray
    upper: np.ndarray
    q: np.ndarray
    signs: np.ndarray

    def by_row(self, each: np.ndarray) -> np.ndarray:
        """The signed sum over the multipliers of each row."""
        return self.signs @ each.reshape(len(self.signs), -1)

    def spread(self, rows: np.ndarray) -> np.ndarray:
        """One number a row, signed, for each of its multipliers."""
        return np.outer(self.signs, rows).ravel()


class _Point(NamedTuple):
    """Distances of the multipliers from their bounds, what holds them there, and the weights."""

    below: np.ndarray
    above: np.ndarray
    s: np.ndarray
    v: np.ndarray
    w: np.ndarray

    @property
    def product(self) -> float:
        """Sum of distance times pull, which falls to zero along the path."""
        return float(self.s @ self.below + self.v @ self.above)

    def room(self, step: "_Point") -> float:
        return room(np.concatenate(self[:4]), np.concatenate(step[:4]))


class Nearing:
    """Whether a path still comes nearer to its end.

    Far from it the gap goes up and down by powers of ten while distance times pull falls.

    Attributes
    ----------
    best : the smallest gap.
    """

    def __init__(self) -> None:
        self.best, self._least, self._stalled = np.inf, np.inf, 0

    def closer(self, gap: float, product: float, primal: float) -> bool:
        """Take note of a point; whether its gap is the smallest so far."""
        nearer = SMALLEST_GAP * primal < product < 0.9 * self._least
        self._stalled = 0 if nearer or gap < 0.9 * self.best else self._stalled + 1
        closer = gap < self.best
        self.best, self._least = min(gap, self.best), min(product, self._least)
        return closer

    @property
    def over(self) -> bool:
        return self._stalled > 5 or self.best < SMALLEST_GAP


def moved(point: Any, step: Any, share: float) -> Any:
    """A tuple of arrays, a share of a step further."""
    return type(point)(*(now + share * by for now, by in zip(point, step)))


def room(now: np.ndarray, by: np.ndarray) -> float:
    """The longest share of a step, up to one, that keeps what is positive so.

    >>> room(np.array([1.0, 2.0]), np.array([-4.0, 1.0]))
    0.25
    """
    falling = by < 0.0
    return float(np.min(now[falling] / -by[falling], initial=1.0))


class _Factors(NamedTuple):
    """Orthogonal factors of the rows at a point, each as far as its coefficient is free, above those of I."""

    A: np.ndarray
    box: _Box
    stiff: np.ndarray
    free: np.ndarray
    Q: np.ndarray
    R: np.ndarray

    @classmethod
    def at(cls, point: _Point, A: np.ndarray, box: _Box) -> "_Factors":
        stiff = point.s / point.below + point.v / point.above
        free = np.sqrt(np.abs(box.signs) @ (1.0 / stiff).reshape(len(box.signs), -1))
        with one_blas_thread():
            rows = np.vstack([free[:, None] * A, np.eye(A.shape[1])])
            found = quick_factors(rows) if rows.size <= FEW_ENTRIES else interruptible(quick_factors, rows)
            return cls(A, box, stiff, free, *(found or interruptible(np.linalg.qr, rows)))

    def step(self, point: _Point, slope: np.ndarray, missing: np.ndarray, left: Any, right: Any) -> _Point:
        """Towards the point where distance times pull is `left` below, `right` above, and no weight is missing."""
        rhs = left / point.below - right / point.above - slope
        pulled = np.append(self.box.by_row(rhs / self.stiff) / self.free, missing)
        dw, singular = lapack.dtrtrs(self.R, self.Q.T @ pulled)
        if singular:
            raise LinAlgError(f"column {singular} of the factor is a sum of the others")
        du = (rhs - self.box.spread(self.A @ dw)) / self.stiff
        ds, dv = (left - point.s * du) / point.below - point.s, (right + point.v * du) / point.above - point.v
        return _Point(du, -du, ds, dv, dw)


def quick_factors(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """(Q, R) with QR the rows and QᵀQ = I, or None where the columns depend on each other too much.

    Twice by the Cholesky factor of the columns' products, a tenth of the time that reflections take. The second time
    leaves rounding if the first one came near.

    >>> Q, R = quick_factors(np.array([[3.0, 1.0], [4.0, 2.0], [0.0, 1.0]]))
    >>> np.allclose(Q @ R, [[3.0, 1.0], [4.0, 2.0], [0.0, 1.0]]), np.allclose(Q.T @ Q, np.eye(2))
    (True, True)
    """
    Q, R, near = rows, np.eye(rows.shape[1]), np.inf
    for _ in range(2):
        products = Q.T @ Q
        try:
            lower = np.linalg.cholesky(products)
        except np.linalg.LinAlgError:
            return None
        near = float(np.abs(products - np.eye(len(products))).max())
        Q, R = Q @ np.linalg.inv(lower).T, lower.T @ R
    return (Q, R) if near <= NEAR else None


def suits(n: int, p: int) -> bool:
    """Whether factors of the whole table are cheap."""
    return p < n and n * p <= MOST_ENTRIES and p <= MOST_COLUMNS


def iterates(X: Any, y: np.ndarray, C: np.ndarray, loss: Any, scale: float) -> Iterator[DescentState]:
    """States from the middle of the box, of falling gap; ends when it no longer falls. Rows with C = 0 are left out.

    The distance of w from the sum of the rows stands for the gap where it is larger.
    """
    counted = np.flatnonzero(C > 0.0)
    n, rows = X.shape[0], X[counted].toarray() if sparse.issparse(X) else X[counted]
    y, C, A = y[counted], C[counted], np.column_stack([rows, np.full(len(counted), scale)])
    box, longest = _box(loss, y, C), float(np.sqrt(np.vecdot(A, A).max()))
    bounds = dual_of(loss, y, C)
    middle = 0.5 * (box.upper - box.lower)
    pull = np.full(len(middle), max(float(np.abs(box.q).max()), TINY))
    at, nearing = _Point(middle, middle, pull, pull, np.zeros(A.shape[1])), Nearing()
    for _ in range(MOST_STEPS):
        # 1. Where we stand.
        beta = box.by_row(np.where(at.below < at.above, box.lower + at.below, box.upper - at.above))
        with one_blas_thread():
            made, scores = beta @ A, A @ at.w
        primal = 0.5 * float(at.w @ at.w) + float(C @ value(loss, y, scores))
        missing = made - at.w
        length = max(float(np.linalg.norm(at.w)), CANCELLED * float(np.abs(beta).sum()) * longest, TINY)
        if np.linalg.norm(missing) > SMALLEST_GAP * length:
            room = np.minimum(beta - bounds.lower, bounds.upper - beta)
            beta = np.clip(beta + least_change(room, A, missing[:, None])[:, 0], bounds.lower, bounds.upper)
            made = beta @ A
        dual = -float(C @ conjugate(loss, y, -beta / C)) - 0.5 * float(made @ made)
        gap = max((primal - dual) / max(abs(primal), TINY), float(np.linalg.norm(made - at.w)) / length)
        if nearing.closer(gap, at.product, primal):
            every = np.zeros(n)
            every[counted] = beta
            yield DescentState(primal, np.inf, gap, at.w, every, n)
        if nearing.over or not np.isfinite(gap):
            return
        # 2. How the rows move together.
        slope, factors = box.spread(scores) + box.q, _Factors.at(at, A, box)
        # 3. Predict, then correct.
        step = factors.step(at, slope, missing, 0.0, 0.0)
        ahead = moved(at, step, at.room(step)).product
        goal = at.product / (2 * len(middle)) * (ahead / at.product) ** 3
        step = factors.step(at, slope, missing, goal - step.s * step.below, goal + step.v * step.below)
        at = moved(at, step, INSIDE * at.room(step))


def least_change(room: np.ndarray, A: np.ndarray, missing: np.ndarray) -> np.ndarray:
    """(n, m) δ with Aᵀδ = −missing (q, m) and least Σ (δ/room)²: what moves least, measured by its room (n,).

    Where columns are far from zero the steps leave more of what coefficients should make up than rounding.
    """
    rows = room[:, None] * A
    # Columns of one length, so that those left out as depending on others are no more than that.
    lengths = np.maximum(np.sqrt(np.vecdot(rows.T, rows.T)), TINY)
    rows, missing = rows / lengths, missing / lengths[:, None]
    with one_blas_thread():
        size, axes = np.linalg.eigh(rows.T @ rows)
        kept = size > DEPENDENT * size[-1]
        inverse, change, left = axes[:, kept] / size[kept], np.zeros((len(rows), missing.shape[1])), -missing
        # By the products of the columns, twice; where these are too near to each other, by the table itself.
        for _ in range(2):
            change += rows @ (inverse @ (axes[:, kept].T @ left))
            left = -missing - rows.T @ change
        if np.linalg.norm(left) > CANCELLED * np.linalg.norm(missing):
            change, *_ = interruptible(np.linalg.lstsq, rows.T, -missing)
    return room[:, None] * change


def _box(loss: Any, y: np.ndarray, C: np.ndarray) -> _Box:
    dual = dual_of(loss, y, C)
    if isinstance(loss, Hinge) or dual.epsilon == 0.0:
        return _Box(dual.lower, dual.upper, -y, np.ones(1))
    q = np.concatenate([dual.epsilon - y, dual.epsilon + y])
    return _Box(np.zeros(2 * len(y)), np.concatenate([C, C]), q, np.array([1.0, -1.0]))
