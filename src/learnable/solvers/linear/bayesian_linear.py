"""The posterior of a linear regression with normal noise and a normal prior, in closed form.

y = Xβ + b + ε, ε ~ N(0, σ²), β ~ N(m, P), b without prior. With P = LLᵀ and β = m + Lγ, the prior of γ is N(0, I).

1. A triangular factor of the centred data and the singular values of its product with L: X̃L = U diag(d) Vᵀ.
2. Where σ is not given, it maximises the evidence p(y | σ), of which only d and U'(ỹ − X̃m) are needed.
3. Posterior of γ: mean V diag(d/(d² + σ²)) U'(ỹ − X̃m), covariance V diag(σ²/(d² + σ²)) Vᵀ; the mean is corrected once
   by the residuals of the data themselves.

Weights count rows: a row of weight 2 is that row twice. Syllabus: R10, D5.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import sparse

from learnable.rows import Block, Rows, largest_magnitudes, means, triangular_factor, weighted_sums
from learnable.solvers.linear.graded import graded_svd

# The smallest noise that is looked for, relative to the deviation of the targets from the prior mean.
SMALLEST_NOISE = 1e-8
# The ratio of squares up to this and the smallest noise is still a number.
LARGEST_ENTRY = 1e70


class Posterior(NamedTuple):
    """The posterior of (β, b) and the evidence.

    Attributes
    ----------
    objective : minus the log evidence, divided by the number of rows.
    coef : (p,) posterior mean of β.
    intercept : posterior mean of b.
    covariance : (p, p) posterior covariance of β.
    centre : (p,) the means of the columns (zeros without intercept).
    centre_variance : σ²/n, posterior variance of the mean response at the centre (0 without intercept).
    noise : σ.
    log_evidence : log p(y | σ), with density 1 for b everywhere.
    df : effective degrees of freedom Σ d²/(d² + σ²).
    """

    objective: float
    coef: np.ndarray
    intercept: float
    covariance: np.ndarray
    centre: np.ndarray
    centre_variance: float
    noise: float
    log_evidence: float
    df: float


def iterates(
    rows: Rows, prior_mean: np.ndarray, prior_root: np.ndarray, noise: float | None, intercept: bool
) -> Iterator[Posterior]:
    """One state: the posterior is found directly. `prior_root` is L with P = LLᵀ."""
    p = rows.n_columns
    _refuse_overflow(rows)
    weight, mean_x, mean_y = means(rows)
    if noise is None and weight - intercept < 1.0 - 1e-9:
        raise ValueError(
            f"the weights sum to {weight:g}: so few rows say nothing about the noise; give noise_scale, or weights "
            "that count rows"
        )
    mean = np.append(mean_x, mean_y) if intercept else np.zeros(p + 1)
    R = triangular_factor(rows, centre_at=mean)
    R = np.pad(R, ((0, p + 1 - len(R)), (0, 0)))  # the posterior has p directions, of however few rows
    U, d, Vt = graded_svd(R[:p, :p] @ prior_root)
    evidence = Evidence(d**2, U.T @ (R[:p, p] - R[:p, :p] @ prior_mean), float(R[p, p]) ** 2, weight, intercept)
    sigma2 = evidence.best_noise() if noise is None else noise**2
    gamma = Vt.T @ (d / (d**2 + sigma2) * evidence.along)
    gamma = gamma + _correction(rows, prior_mean, prior_root, gamma, mean, Vt, d**2 + sigma2, sigma2)
    coef = prior_mean + prior_root @ gamma
    spread = prior_root @ Vt.T * np.sqrt(sigma2 / (d**2 + sigma2))
    value = evidence.value(sigma2)
    yield Posterior(
        -value / weight,
        coef,
        float(mean[p] - mean[:p] @ coef),
        spread @ spread.T,
        mean[:p],
        sigma2 / weight if intercept else 0.0,
        float(np.sqrt(sigma2)),
        value,
        float(np.sum(d**2 / (d**2 + sigma2))),
    )


class Evidence(NamedTuple):
    """p(y | σ) as a function of σ², after the decomposition.

    −2 log p = N log 2πσ² + Σ log(1 + d²/σ²) + ρ²/σ² + Σ a²/(d² + σ²) + log n, where a = Uᵀ(ỹ − X̃m), ρ is the part of ỹ
    outside the columns, N = n − 1 and the last term with an intercept, N = n without.
    """

    d2: np.ndarray
    along: np.ndarray
    rest2: float
    weight: float
    intercept: bool

    def value(self, sigma2: float) -> float:
        """log p(y | σ)."""
        n = self.weight - self.intercept
        with np.errstate(over="ignore"):  # beside so little noise every direction is certain
            twice = n * np.log(2.0 * np.pi * sigma2) + np.sum(np.log1p(self.d2 / sigma2))
        twice += self.rest2 / sigma2 + np.sum(self.along**2 / (self.d2 + sigma2))
        return float(-0.5 * (twice + (np.log(self.weight) if self.intercept else 0.0)))

    def slope(self, log_sigma2: float) -> float:
        """The derivative of log p(y | σ) in log σ²."""
        sigma2 = np.exp(log_sigma2)
        kept = self.d2 / (self.d2 + sigma2)
        rss = self.rest2 / sigma2 + np.sum((self.along * np.sqrt(sigma2) / (self.d2 + sigma2)) ** 2)
        return float(0.5 * (rss + kept.sum() - (self.weight - self.intercept)))

    def best_noise(self) -> float:
        """The σ² of the largest evidence: the best of a grid, then the root of the slope beside it."""
        n = max(self.weight - self.intercept, 1.0)
        deviation = (self.rest2 + float(np.sum(self.along**2))) / n
        deviation = deviation if deviation > 0.0 else 1.0
        # Beyond the largest of these σ² the slope is negative.
        largest = 100.0 * max(n * deviation, float(self.d2.max(initial=0.0)))
        grid = np.linspace(np.log(SMALLEST_NOISE**2 * deviation), np.log(largest), 400)
        best = int(np.argmax([self.value(np.exp(s)) for s in grid]))
        left, right = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
        if self.slope(left) <= 0.0 or self.slope(right) >= 0.0:
            return float(np.exp(grid[best]))
        from scipy.optimize import brentq

        return float(np.exp(brentq(self.slope, left, right, xtol=1e-15, rtol=1e-14)))


def _correction(rows: Rows, prior_mean, prior_root, gamma, mean, Vt, level, sigma2) -> np.ndarray:
    """The Newton step of γ on the residuals of the data: the error that the decomposition left."""
    p = rows.n_columns
    coef = prior_mean + prior_root @ gamma
    offset = mean[p] - mean[:p] @ coef

    def slope(block: Block):
        residual = np.asarray(block.y, dtype=float).ravel() - (block.X @ coef + offset)
        if block.weight is not None:
            residual = residual * block.weight
        if sparse.issparse(block.X):
            return weighted_sums(residual, block.X) - float(residual.sum()) * mean[:p]
        return weighted_sums(residual, block.X - mean[:p])

    gradient = prior_root.T @ rows.reduce(slope) - sigma2 * gamma
    return Vt.T @ ((Vt @ gradient) / level)


def _refuse_overflow(rows: Rows) -> None:
    largest = largest_magnitudes(rows)
    j = int(largest.argmax())
    if float(largest[j]) > LARGEST_ENTRY:
        name = f"column {j} of X" if j < rows.n_columns else "y"
        raise ValueError(f"{name} has entries up to {largest[j]:.3g}, whose squares overflow; divide it by a constant")
