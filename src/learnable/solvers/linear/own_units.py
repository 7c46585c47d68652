"""A penalised likelihood of linear scores with every column about its mean and in units of its deviation.

Columns of X far from zero, or in units far apart, lose their digits in the Hessian. With z = (x − o) / s and γ = s β
the scores are the same for the intercept b + o·β, and the penalty ½ α ‖β‖² is ½ Σ α γⱼ² / sⱼ². Syllabus: C7.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from learnable.solvers.linear import newton
from learnable.solvers.linear.likelihood import CategoricalLikelihood

# Means this many deviations from zero, and deviations this far from one, are better taken off.
FAR = 100.0
APART = 1e3
# Rows that tell whether any of this is needed.
ENOUGH = 4096


class Units(NamedTuple):
    """o and s, of every column."""

    origin: np.ndarray
    scale: np.ndarray

    def forth(self, theta: np.ndarray, intercept: bool) -> np.ndarray:
        """(β, b) as (γ, b + o·β)."""
        p = len(self.scale)
        inner = theta[:p] * self.scale[:, None]
        return np.vstack([inner, theta[p] + self.origin @ theta[:p]]) if intercept else inner

    def back(self, theta: np.ndarray, intercept: bool) -> np.ndarray:
        p = len(self.scale)
        coef = theta[:p] / self.scale[:, None]
        return np.vstack([coef, theta[p] - self.origin @ coef]) if intercept else coef


def needed_units(X: Any, intercept: bool, origin: np.ndarray, spread: np.ndarray) -> Units | None:
    """The units in which a dense table is better read, or None where it may be read as it is.

    `origin` and `spread` are what `column_spread` says of the columns, roughly; where that gives no reason to look
    closer, nothing is read.
    """
    if not isinstance(X, np.ndarray) or not X.size or _plain(origin, spread):
        return None
    if _plain(*_spread(X[:: max(1, len(X) // ENOUGH)], intercept)):
        return None
    mean, spread = _spread(X, intercept)
    return Units(mean, np.exp2(np.round(np.log2(spread))))


def _plain(mean: np.ndarray, spread: np.ndarray) -> bool:
    """Whether no column is far from zero or in units far from one."""
    return bool(np.all(np.abs(mean) <= FAR * spread) and np.all((spread < APART) & (spread * APART > 1.0)))


def _spread(X: np.ndarray, intercept: bool) -> tuple[np.ndarray, np.ndarray]:
    """Means, and deviations from them; of a column that never varies, its size."""
    mean = X.mean(axis=0, dtype=float) if intercept else np.zeros(X.shape[1])
    away = X - mean
    spread = np.sqrt(np.einsum("ij,ij->j", away, away) / len(X))
    return mean, np.where(spread > 8.0 * np.finfo(float).eps * np.abs(mean), spread, np.maximum(np.abs(mean), 1.0))


class InUnits:
    """The objective in those units, as Newton's method needs it."""

    def __init__(self, inner: CategoricalLikelihood, alpha: float, units: Units):
        self.inner, self.shape, self.cells = inner, inner.shape, inner.cells
        inner.alpha = 0.0
        p = len(units.scale)
        self.ridge = np.zeros((inner.shape[0], 1))
        self.ridge[:p, 0] = alpha / units.scale**2

    def value_and_gradient(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = self.inner.value_and_gradient(theta)
        pull = self.ridge * theta
        return value + 0.5 * float(np.sum(pull * theta)), gradient + pull

    def hessian(self, theta: np.ndarray) -> np.ndarray:
        H = np.array(self.inner.hessian(theta))
        m, K = self.shape
        H[np.diag_indices_from(H)] += np.tile(self.ridge[:, 0], K)
        if K > 1:  # the penalty holds what was held still for want of one
            for row in np.flatnonzero(self.ridge):
                H[row::m, row::m] -= 1.0 / K
        return H

    def weighted_design(self, theta: np.ndarray) -> newton.WeightedDesign | None:
        design = self.inner.weighted_design(theta)
        if design is None or not self.ridge.any():
            return design
        root = np.tile(np.sqrt(self.ridge[:, 0]), self.shape[1])
        A, s = np.vstack([design.A, np.diag(root)]), np.concatenate([design.s, root * theta.T.ravel()])
        return design._replace(A=A, s=s)

    def bend(self, theta: np.ndarray, direction: np.ndarray) -> float:
        return self.inner.bend(theta, direction) + float(np.sum(self.ridge * direction**2))

    def norm_of_gain(self, gain: float) -> float:
        return self.inner.norm_of_gain(gain)

    def norm(self, gradient: np.ndarray) -> float:
        """The largest slope, in units of the curvature that loss and penalty give a column."""
        return float(np.abs(gradient / np.sqrt(1.0 + self.ridge / self.inner.curvature)).max(initial=0.0))


def iterates(
    likelihood: Callable[[np.ndarray], CategoricalLikelihood], X: np.ndarray, units: Units, alpha: float,
    intercept: bool, start: np.ndarray | None, enough: float = 0.0,
) -> Iterator[newton.NewtonState]:  # fmt: skip
    """Newton's method in these units; its states in those of X. `enough` as for `newton.iterates`."""
    table = (X - units.origin) / units.scale
    objective = InUnits(likelihood(table), alpha, units)
    inside = None if start is None else units.forth(start, intercept)
    for state in newton.iterates(objective, inside, enough=enough):
        yield state._replace(theta=units.back(state.theta, intercept))
