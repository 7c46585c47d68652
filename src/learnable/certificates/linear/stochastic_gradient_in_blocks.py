"""How an answer of stochastic gradient descent stands on rows that come in blocks: the same numbers, by two passes."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from learnable.problems.core.duality import EPS, dual_lengths
from learnable.problems.linear import losses
from learnable.problems.sparse import penalties
from learnable.problems.sparse.penalties import EVERY
from learnable.rows import Block, Rows, add

# Targets and weights of the rows of a block, weights divided by the number of all rows.
Posed = Callable[[Block], tuple[np.ndarray, np.ndarray]]


# Directions -> the curvature (k, k) of an objective in them, and its slope.
Along = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]

# What rounding makes of no curvature, and of rows that do not vary along a direction, in rounding units a column.
FLAT, SHORT = 1e3, 64.0
# Columns up to which the squared loss is judged by its second derivatives.
MANY = 100


class Standing(NamedTuple):
    """An answer on its data.

    Attributes
    ----------
    objective : J(θ, b) = Σ w ℓ / n + penalty.
    at_zero : J(0, 0).
    flat : J at zero coefficients and the better of two intercepts, mean and median, where it is free.
    gap : bound on J − min J; infinite when there is no penalty to bound it.
    gradient : largest entry of the (sub)gradient of the mean loss with the penalty's distance taken off.
    margin : smallest y·f.
    rounding : size of the rounding errors of J and of f.
    """

    objective: float
    at_zero: float
    flat: float
    gap: float
    gradient: float
    margin: float
    rounding: float


class Point(NamedTuple):
    """An answer, with its loss."""

    coef: np.ndarray
    intercept: float
    loss: Any


class Sums(NamedTuple):
    """Over rows: Σ w ℓ here and at zero; Σ w u and Σ w u x of slopes u > 0, and of those below; Σ w, Σ w y, Σ w x, and
    the median target of each block, as often as the block has rows."""

    lost: float
    at_zero: float
    up: float
    down: float
    pull_up: np.ndarray
    pull_down: np.ndarray
    weight: float
    target: float
    x: np.ndarray
    medians: float


class Extremes(NamedTuple):
    """Over rows: the smallest y·f, −‖x‖² and y, and the smallest −y."""

    margin: float
    shortest: float
    lowest: float
    highest: float


@np.errstate(over="ignore", invalid="ignore")
def standing_in_blocks(rows: Rows, posed: Posed, at: Point, penalty: Any, free_intercept: bool) -> Standing:
    """How (θ, b) stands; as `stochastic_gradient.standing`, for J without coefficients with the mean median of blocks,
    and the least and the largest target (a median of labels), in place of the median."""
    # 1. The objective, its slope, and the signs of the dual point, scaled so that Σ w u = 0 where b is free.
    sums, extremes = rows.reduce(partial(_looked_at, posed, at), _joined)
    least = min(sums.up, sums.down)
    scale = _share(least, sums.up), _share(least, sums.down)
    if not free_intercept:
        scale = 1.0, 1.0
    slope, dual_slope = sums.pull_up - sums.pull_down, scale[0] * sums.pull_up - scale[1] * sums.pull_down
    lengths = dual_lengths(penalty, at.coef, dual_slope)
    # 2. The dual values, the objective of the mean target, and for squared errors the second derivatives.
    levels: tuple[float, ...] = (0.0,)
    if free_intercept:
        levels = sums.target / sums.weight, sums.medians / rows.n_rows, extremes.lowest, -extremes.highest
    mean = sums.x / sums.weight if free_intercept else np.zeros_like(at.coef)
    quadratic = isinstance(at.loss, losses.Squared) and penalties.l1_level(penalty, 0) == 0.0 and len(at.coef) <= MANY
    scales = [(t * scale[0], t * scale[1]) for t in lengths]
    of_block = partial(_dual_of, posed, at, levels, scales, mean if quadratic else None)
    conjugates, flat, scatter = rows.reduce(of_block)
    objective = sums.lost + penalties.total(penalty, at.coef)
    held = [float(np.sum(penalties.conjugate(penalty, -t * dual_slope, EVERY))) for t in lengths]
    gap = objective + float(np.min(conjugates + held))
    gap = max(gap, 0.0) if np.isfinite(gap) else np.inf
    steep = sums.up - sums.down if free_intercept else 0.0
    if quadratic and np.isfinite(objective):
        ridge = penalties.curvature(penalty, 0)

        def along(U: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            curvature, pull = rows.reduce(partial(_along, posed, at, mean, U))
            return curvature + ridge * (U.T @ U), pull + ridge * (at.coef @ U)

        gap = min(gap, excess(scatter, mean, sums.weight, slope + ridge * at.coef, steep, ridge, along))
    entries = penalties.subdistance(penalty, at.coef, slope, EVERY)
    size = float(np.sqrt(-extremes.shortest)) * float(np.linalg.norm(at.coef)) + abs(at.intercept)
    rounding = 4.0 * (len(at.coef) + np.sqrt(rows.n_rows) + 10.0) * np.finfo(float).eps
    return Standing(
        objective,
        sums.at_zero,
        float(flat.min()),
        gap,
        max(float(np.max(entries, initial=0.0)), abs(steep)),
        extremes.margin,
        rounding * float(size * max(sums.up + sums.down, 1.0) + abs(objective)),
    )


def _looked_at(posed: Posed, at: Point, block: Block) -> tuple[Sums, Extremes]:
    (target, weight), X = posed(block), block.X
    f = _scores(at, X)
    u = weight * np.asarray(losses.gradient(at.loss, target, f), dtype=float)
    up, down = np.maximum(u, 0.0), np.maximum(-u, 0.0)
    pull_up, pull_down, x = (np.asarray(X.T @ pull, dtype=float).ravel() for pull in (up, down, weight))
    squares = X.multiply(X).sum(axis=1) if sparse.issparse(X) else np.einsum("ij,ij->i", X, X)
    here, zero = (float(weight @ losses.value(at.loss, target, scores)) for scores in (f, np.zeros_like(f)))
    sums = Sums(
        here, zero, float(up.sum()), float(down.sum()), pull_up, pull_down, float(weight.sum()),
        float(weight @ target), x, len(target) * float(np.median(target)),
    )  # fmt: skip
    return sums, Extremes(*(float(np.min(each)) for each in (target * f, -squares, target, -target)))


def _joined(one: tuple[Sums, Extremes], two: tuple[Sums, Extremes]) -> tuple[Sums, Extremes]:
    return add(one[0], two[0]), Extremes._make(map(min, one[1], two[1]))


def _dual_of(
    posed: Posed, at: Point, levels: tuple, scales: list[tuple], mean: np.ndarray | None, block: Block
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(Σ w ℓ* at slopes of each scale, Σ w ℓ at each constant, the scatter about `mean` where it is wanted)."""
    target, weight = posed(block)
    f = _scores(at, block.X)
    u = np.asarray(losses.gradient(at.loss, target, f), dtype=float)
    duals = [u * np.where(u > 0.0, *scale) for scale in scales]
    scatter = np.zeros((0, 0))
    if mean is not None:
        away = (block.X.toarray() if sparse.issparse(block.X) else np.asarray(block.X, dtype=float)) - mean
        scatter = (weight[:, None] * away).T @ away
    flat = np.array([weight @ losses.value(at.loss, target, np.full_like(f, level)) for level in levels])
    return np.array([weight @ losses.conjugate(at.loss, target, dual) for dual in duals]), flat, scatter


def _along(posed: Posed, at: Point, mean: np.ndarray, U: np.ndarray, block: Block) -> tuple[np.ndarray, np.ndarray]:
    """(Σ w zzᵀ, Σ w u z) of the rows about the mean, along the directions U."""
    target, weight = posed(block)
    u = np.asarray(losses.gradient(at.loss, target, _scores(at, block.X)), dtype=float)
    z = ((block.X.toarray() if sparse.issparse(block.X) else np.asarray(block.X, dtype=float)) - mean) @ U
    return (weight[:, None] * z).T @ z, (weight * u) @ z


def excess(
    scatter: np.ndarray, mean: np.ndarray, weight: float, slope: np.ndarray, steep: float, ridge: float, along: Along
) -> float:
    """½ gᵀ H⁻¹ g, by which a quadratic exceeds its minimum.

    Where H is flat but for rounding, as between columns that all but repeat each other, the rows are read again.

    Parameters
    ----------
    scatter : of the columns about `mean`, which are their means where the intercept is free, else zeros.
    weight : of all rows together.
    slope, steep : of the objective in θ and, where it is free, in b.
    along : the curvature and the slope of the objective in some directions, (p, k), about `mean`.
    """
    # With b free, move it along: the slope in θ is then about the means, and what is left in b counts by itself.
    g, p = slope - mean * steep, len(scatter)
    diagonal = scatter.diagonal() + ridge
    unit = np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    H = scatter / unit / unit[:, None]
    H.flat[:: p + 1] = diagonal / unit**2
    values, vectors = np.linalg.eigh(H)
    flat = values <= FLAT * p * EPS * values[-1:]
    square = float((((g / unit) @ vectors[:, ~flat]) ** 2 / values[~flat]).sum())
    if flat.any():
        curvature, pull = along(vectors[:, flat] / unit[:, None])
        far = 1.0 + float((np.abs(mean) / unit).max()) * math.sqrt(weight)
        values, turned = np.linalg.eigh(curvature)
        bent = values > (SHORT * p * EPS * far) ** 2
        square += float(((pull @ turned[:, bent]) ** 2 / values[bent]).sum())
    return 0.5 * square + (0.5 * steep**2 / weight if weight > 0.0 else 0.0)


def _scores(at: Point, X: Any) -> np.ndarray:
    return np.asarray(X @ at.coef, dtype=float).ravel() + at.intercept


def _share(least: float, of: float) -> float:
    return least / of if of > 0.0 else 0.0
