"""Ridge regression with the penalty chosen by leave-one-out error, all of it from one decomposition.

min over (B, b) of Σ wᵢ ‖yᵢ − Bᵀxᵢ − b‖² + α ‖B‖² for each α of a grid. Leaving out row i changes its residual rᵢ to
rᵢ/(1 − hᵢᵢ), where hᵢᵢ = wᵢ (1/W + (xᵢ − x̄)ᵀ(S + αI)⁻¹(xᵢ − x̄)) is its leverage and S the scatter of the columns.

1. Decompose once: S = V diag(d²) Vᵀ with many rows; the rows themselves, by a singular value decomposition, with few.
2. One more pass over the rows gives hᵢᵢ and rᵢ for every α.
3. The best α is taken, and its solution refined on the residuals of the data.

Syllabus: R7, R9.
"""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy import linalg, sparse

from learnable.rows import Block, Rows, largest_magnitudes, moments, triangular_factor, weighted_sums
from learnable.solvers.linear.graded import graded_svd
from learnable.solvers.linear.least_squares import TRUSTED

# Up to this many rows a column, the rows are decomposed themselves: 1 − hᵢᵢ then comes without cancellation.
FEW_ROWS = 2
# Up to this many penalties, each is carried along by itself.
FEW_PENALTIES = 16

# Residuals held at once, of some rows for all penalties: they stay in the cache. The fewest rows.
STRIP_CELLS, STRIP = 2**15, 256


class RidgeChoice(NamedTuple):
    """The solution at the best penalty, and the grid it was chosen from.

    Attributes
    ----------
    objective : half the mean squared residual plus the penalty at the answer, mean loss scaling.
    coef : (p, q).
    intercept : (q,).
    best : (q,) position of the chosen penalty of each target in the grid; (1,) when one serves all targets.
    scores : (q, m) or (1, m), the larger the better.
    df : (m,) effective degrees of freedom Σ d²/(d² + α).
    errors : (n, q, m) leave-one-out residuals, or None when they were not asked for.
    """

    objective: float
    coef: np.ndarray
    intercept: np.ndarray
    best: np.ndarray
    scores: np.ndarray
    df: np.ndarray
    errors: np.ndarray | None


class Decomposition(NamedTuple):
    """S = V diag(d²) Vᵀ and VᵀXᵀY of the (centred, weighted) data."""

    weight: float
    mean_x: np.ndarray
    mean_y: np.ndarray
    V: np.ndarray
    d2: np.ndarray
    along: np.ndarray

    def solve(self, right: np.ndarray, alpha: np.ndarray) -> np.ndarray:
        """(S + αI)⁻¹ right, one α a column."""
        level = self.d2[:, None] + alpha
        inside = self.V @ ((self.V.T @ right) / level)
        # With fewer directions than columns the rest is the part of `right` that S does not see.
        outside = (right - self.V @ (self.V.T @ right)) / alpha if self.V.shape[1] < len(self.V) else 0.0
        return inside + outside


ScoreErrors = Callable[[np.ndarray], np.ndarray]
# The leave-one-out residuals of a block, strip after strip of its rows, each (q, m, rows of the strip).
LeftOut = Callable[[Block], Iterator[np.ndarray]]


def iterates(
    rows: Rows, alphas: np.ndarray, intercept: bool, per_target: bool, score: ScoreErrors | None, keep_errors: bool
) -> Iterator[RidgeChoice]:
    """One state.

    Parameters
    ----------
    rows : with one or several targets.
    alphas : (m,) penalties > 0, sum-of-squares scaling.
    intercept : whether it is free.
    per_target : whether each target has its own penalty.
    score : takes leave-one-out residuals (n, q, m) to scores (q, m) or (1, m); None for minus the mean square.
    keep_errors : whether the state carries the leave-one-out residuals.
    """
    if rows.n_rows <= FEW_ROWS * rows.n_columns:
        found, strips = _few_rows(rows, alphas, intercept)
    else:
        found = _decompose(rows, alphas.min(), intercept)
        strips = _leave_one_out(found, alphas, intercept)
    whole = rows.concatenate(_by_row(strips)) if keep_errors or score is not None else None
    if score is not None and whole is not None:
        scores = score(whole)
    else:
        scores = -rows.reduce(_weighted_squares(strips)) / rows.n_rows
        scores = scores if per_target or len(scores) == 1 else scores.mean(axis=0, keepdims=True)
    # Ties go to the first penalty; a score that is not a number never wins.
    best = np.where(np.isnan(scores), -np.inf, scores).argmax(axis=1)
    coef, offset, objective = _refined(rows, found, alphas[best] + np.zeros(len(found.mean_y)), intercept)
    df = (found.d2[:, None] / (found.d2[:, None] + alphas)).sum(axis=0)
    yield RidgeChoice(objective, coef, offset, best, scores, df, whole if keep_errors else None)


def _decompose(rows: Rows, smallest: float, intercept: bool) -> Decomposition:
    """From the cross-products while they keep every digit at the smallest penalty, else from a triangular factor."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = moments(rows, centre=intercept)
    _refuse_overflow(rows, found.scatter_xx, found.scatter_yy)
    mean_x = found.mean_x if intercept else np.zeros_like(found.mean_x)
    mean_y = found.mean_y if intercept else np.zeros_like(found.mean_y)
    eigenvalues, V = np.linalg.eigh(found.scatter_xx)
    if eigenvalues[0] + smallest > TRUSTED * (eigenvalues[-1] + smallest):
        return Decomposition(found.weight, mean_x, mean_y, V, np.maximum(eigenvalues, 0.0), V.T @ found.scatter_xy)
    p = rows.n_columns
    R = triangular_factor(rows, centre_at=np.concatenate([mean_x, mean_y]))
    U, d, Vt = graded_svd(R[:p, :p])
    return Decomposition(found.weight, mean_x, mean_y, Vt.T, d**2, d[:, None] * (U.T @ R[:p, p:]))


def _leave_one_out(found: Decomposition, alphas: np.ndarray, intercept: bool) -> LeftOut:
    """Block -> its leave-one-out residuals, a strip of rows at a time.

    In the coordinates z of the decomposition 1 − hᵢᵢ = 1 − wᵢ/W − wᵢ Σ_j z_ij² f_j(α), and the residuals are
    yᵢ − Σ_j z_ij (VᵀXᵀy)_j f_j(α), f_j(α) = 1/(d_j² + α). As f is A B with few columns in A, both are a narrow product
    with A for each row, and one with B which spreads it over the penalties while the strip is in the cache.
    """
    share = 1.0 / found.weight if intercept else 0.0
    level = found.d2 + alphas.min()
    A, B = _narrow(level[:, None] / (found.d2[:, None] + alphas))
    A /= level[:, None]
    spread = np.column_stack([-B.T, np.ones(len(alphas))])
    solutions = found.along.T[:, None, :] * A.T
    step = max(STRIP, STRIP_CELLS // max(len(found.d2), len(solutions) * len(alphas)))

    def strips(block: Block) -> Iterator[np.ndarray]:
        if sparse.issparse(block.X):
            Z = block.X @ found.V - found.mean_x @ found.V
        else:
            Z = (block.X - found.mean_x) @ found.V
        y = (_targets(block) - found.mean_y).T
        for start in range(0, len(Z), step):
            strip = slice(start, start + step)
            z = Z[strip].T
            errors = spread @ np.concatenate([solutions @ z, y[:, None, strip]], axis=1)
            leverage, known = A.T @ np.multiply(z, z, out=z), np.full(z.shape[1], share)
            if block.weight is not None:
                leverage, known = leverage * block.weight[strip], known * block.weight[strip]
            errors /= spread @ np.vstack([leverage, 1.0 - known])
            yield errors

    return strips


def _narrow(filters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(A, B) with A B = `filters` to rounding: some ten columns in A serve for hundreds of penalties."""
    if filters.shape[1] <= FEW_PENALTIES:
        return filters, np.eye(filters.shape[1])
    Q, R, order = linalg.qr(filters, mode="economic", pivoting=True)
    size = np.abs(np.diag(R))
    rank = int(np.count_nonzero(size > np.finfo(float).eps * size[0]))
    B = np.empty((rank, filters.shape[1]))
    B[:, order] = R[:rank]
    return Q[:, :rank], B


def _few_rows(rows: Rows, alphas: np.ndarray, intercept: bool) -> tuple[Decomposition, LeftOut]:
    """The same for few rows, in the coordinates of the rows.

    The intercept is removed by an orthonormal basis C of the vectors orthogonal to √w, and CᵀX = U diag(d) Vᵀ. With
    G = CU, completed to all n − 1 directions, rᵢ/(1 − hᵢᵢ) = Σ_j g_ij s_j (g_j·y) / Σ_j g_ij² s_j, s_j = α/(d_j² + α):
    no difference of nearly equal numbers is taken however small α is.
    """
    X = rows.concatenate(lambda block: np.asarray(_dense(block.X), dtype=float))
    y, w = rows.concatenate(_targets), rows.concatenate(_weights)
    root = np.sqrt(w)
    mean_x, mean_y = (w @ X / w.sum(), w @ y / w.sum()) if intercept else (np.zeros(X.shape[1]), np.zeros(y.shape[1]))
    X, y = X - mean_x, y - mean_y
    C = linalg.qr(root[:, None])[0][:, 1:] if intercept else np.eye(len(X))
    with np.errstate(over="ignore", invalid="ignore"):
        A, t = C.T @ (root[:, None] * X), C.T @ (root[:, None] * y)
        _refuse_overflow(rows, A**2, t**2)
    U, d, Vt = linalg.svd(A, full_matrices=True)
    used = len(d)
    d2 = np.concatenate([d**2, np.zeros(len(A) - used)])
    G, along = C @ U, U.T @ t
    found = Decomposition(float(w.sum()), mean_x, mean_y, Vt[:used].T, d**2, d[:, None] * along[:used])
    shrink = alphas[:, None] / (d2 + alphas[:, None])
    # A row of weight 0 takes no part: leaving it out changes nothing.
    absent = w == 0.0
    free = np.where(absent, 1.0, shrink @ (G**2).T * root)
    errors = (along.T[:, None, :] * shrink) @ G.T / free
    if absent.any():
        paths = (found.along.T[:, None, :] / (found.d2 + alphas[:, None])) @ found.V.T
        errors[..., absent] = y[absent].T[:, None, :] - paths @ X[absent].T
    return found, lambda block: iter([errors[..., block.start : block.stop]])


def _refined(rows: Rows, found: Decomposition, alpha: np.ndarray, intercept: bool):
    """(coef, intercept, objective) at one penalty a target, corrected once by the residuals of the data themselves."""
    coef = found.V @ (found.along / (found.d2[:, None] + alpha))
    offset = found.mean_y - found.mean_x @ coef

    def sums(block: Block):
        # About the means, so that columns far from zero keep their digits; zeros of sparse rows stay zeros.
        stays = sparse.issparse(block.X)
        X = block.X if stays else block.X - found.mean_x
        level = offset if stays else found.mean_y
        residual = _targets(block) - level - X @ coef
        weighted = residual if block.weight is None else residual * block.weight[:, None]
        total = weighted.sum(axis=0)
        slope = weighted_sums(weighted.T, X).T
        slope = slope - np.outer(found.mean_x, total) if stays else slope
        return slope, total, (weighted * residual).sum(axis=0)

    slope, total, rss = rows.reduce(sums)
    step = found.solve(slope - alpha * coef, alpha)
    objective = float(np.sum(rss + alpha * np.sum(coef**2, axis=0))) / (2.0 * found.weight)
    if intercept:
        offset = offset + total / found.weight - found.mean_x @ step
    return coef + step, offset, objective


def _weighted_squares(strips: LeftOut) -> Callable[[Block], np.ndarray]:
    """Block -> Σ wᵢ eᵢ² of the leave-one-out residuals, (q, m)."""

    def squares(block: Block) -> np.ndarray:
        total, start = 0.0, 0
        for errors in strips(block):
            stop = start + errors.shape[2]
            weighted = errors if block.weight is None else errors * block.weight[start:stop]
            total = total + np.vecdot(weighted, errors)
            start = stop
        return np.asarray(total)

    return squares


def _by_row(strips: LeftOut) -> Callable[[Block], np.ndarray]:
    """Block -> leave-one-out residuals (rows, q, m)."""
    return lambda block: np.moveaxis(np.concatenate(list(strips(block)), axis=2), 2, 0)


def _refuse_overflow(rows: Rows, *squares: np.ndarray) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        if all(math.isfinite(square.sum()) for square in squares):
            return
    if all(np.all(np.isfinite(square)) for square in squares):
        return
    largest = largest_magnitudes(rows)
    j = int(largest.argmax())
    name = f"column {j} of X" if j < rows.n_columns else "y"
    raise ValueError(f"the squares of {name} (entries up to {largest[j]:.3g}) overflow; divide it by a constant first")


def _targets(block: Block) -> np.ndarray:
    y = np.asarray(block.y, dtype=float)
    return y[:, None] if y.ndim == 1 else y


def _weights(block: Block) -> np.ndarray:
    return np.ones(block.X.shape[0]) if block.weight is None else np.asarray(block.weight, dtype=float)


def _dense(X):
    return X.toarray() if sparse.issparse(X) else X
