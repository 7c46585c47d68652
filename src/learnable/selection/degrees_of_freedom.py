"""Effective degrees of freedom: tr(H) of a linear smoother, and Monte Carlo for any fitter."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone

from learnable.seeds import generator_from
from learnable.selection._inputs import require_count, require_vector
from learnable.selection._report import Reported, Table, with_error

Smoother = Callable[[NDArray], NDArray]
# Noise beyond so many standard deviations is cut: once in sixteen thousand draws.
FURTHEST = 4.0


def fitted_values(estimator: BaseEstimator, X: Any) -> Smoother:
    """The map y ↦ ŷ: fit a clone on (X, y) and predict the training rows.

    >>> from sklearn.dummy import DummyRegressor
    >>> fitted_values(DummyRegressor(), np.zeros((3, 1)))(np.array([1.0, 2.0, 6.0]))
    array([3., 3., 3.])
    """
    return lambda y: np.asarray(clone(estimator).fit(X, y).predict(X), dtype=float)


def hat_matrix(smoother: Smoother, n: int) -> NDArray:
    """H with ŷ = Hy + c, by smoothing the n unit vectors; an error when the smoother is not affine in y.

    Linearity is tested on random responses, a small and a large one: ŷ(y) must equal ŷ(0) + Hy. Syllabus: MS9, MS10.

    Parameters
    ----------
    smoother : y ↦ ŷ at the training points.
    n : number of observations.

    >>> H = hat_matrix(lambda y: np.full_like(y, y.mean()), 4)
    >>> H[0], float(np.trace(H))
    (array([0.25, 0.25, 0.25, 0.25]), 1.0)
    """
    n = require_count("n", n)
    origin = np.asarray(smoother(np.zeros(n)), dtype=float)
    H = np.column_stack([np.asarray(smoother(unit), dtype=float) - origin for unit in np.eye(n)])
    probe = np.random.default_rng(0).standard_normal(n)
    # Two scales: a fit that shrinks small responses to nothing looks affine among them.
    for response in (probe, 1e4 * probe):
        slack = 1e-8 * (1 + np.abs(response).max())
        if not np.allclose(smoother(response), origin + H @ response, rtol=1e-6, atol=slack):
            raise ValueError("smoother: not linear in y, so it has no hat matrix; use monte_carlo_df")
    return H


def trace_df(H: ArrayLike) -> float:
    """Degrees of freedom tr(H) of the linear smoother ŷ = Hy. Syllabus: MS10.

    >>> trace_df(np.diag([1.0, 0.5]))
    1.5
    """
    H = np.asarray(H, dtype=float)
    if H.ndim != 2 or H.shape[0] != H.shape[1]:
        raise ValueError(f"H: must be a square matrix, got shape {H.shape}")
    return float(np.trace(H))


@dataclass(frozen=True, repr=False, eq=False)
class DegreesOfFreedom(Reported):
    """A Monte Carlo estimate with its error bar.

    Attributes
    ----------
    estimate, standard_error : mean over the draws, and its Monte Carlo standard error.
    perturbation : standard deviation of the added noise, in units of y.
    replicates : the estimate from each noise vector (two fits each).
    """

    estimate: float
    standard_error: float
    perturbation: float
    replicates: NDArray

    @property
    def repeats(self) -> int:
        """Number of noise vectors."""
        return len(self.replicates)

    def table(self) -> Table:
        row = (with_error(self.estimate, self.standard_error), self.perturbation, self.repeats)
        return Table("Monte Carlo degrees of freedom", ("df", "perturbation", "repeats"), [row])


def monte_carlo_df(
    smoother: Smoother,
    y: ArrayLike,
    *,
    perturbation: float | None = None,
    support: tuple[float, float] | None = None,
    repeats: int = 50,
    random_state: int | np.random.Generator | None = 0,
) -> DegreesOfFreedom:
    """Degrees of freedom Σ_i ∂ŷ_i/∂y_i of any fitter, smoothed over Gaussian perturbations τε of the response.

    df ≈ mean over ε ~ N(0, I) of εᵀ(ŷ(y + τε) - ŷ(y - τε)) / 2τ. Unbiased for tr(H) when the fitter is linear; for a
    fitter with jumps (trees, subset choice) it is the generalised df at the scale τ, so τ should be of the order of the
    noise. Responses stay within `support`: one near its end moves to one side only, from y_i + τε_i⁺ to y_i + τε_i⁻,
    and its difference counts twice, which leaves the estimate unbiased. So counts stay counts ≥ 0 for a Poisson
    regression, whose df is Σ_i ∂μ̂_i/∂y_i as well. Syllabus: MS10.

    Parameters
    ----------
    smoother : y ↦ ŷ at the training points, for instance `fitted_values(estimator, X)`; it must be deterministic.
    y : the observed response.
    perturbation : τ > 0; a tenth of the standard deviation of y by default.
    support : (least, largest) response that the fitter accepts; (0, ∞) by default where no y_i is negative, else all.
    repeats : number of noise vectors, at least 2.
    random_state : seed.

    >>> df = monte_carlo_df(lambda y: np.full_like(y, y.mean()), np.arange(30.0), repeats=200)
    >>> abs(df.estimate - 1) < 4 * df.standard_error
    True
    """
    y = require_vector("y", y)
    repeats = require_count("repeats", repeats, least=2)
    if perturbation is None:
        perturbation = 0.1 * float(y.std())
        if perturbation == 0:
            raise ValueError("y is constant, so no scale can be guessed from it: give perturbation > 0")
    if not (perturbation > 0 and np.isfinite(perturbation)):
        raise ValueError(f"perturbation={perturbation}: must be > 0 and finite; df is a derivative in y")
    low, high = support if support is not None else ((0.0, np.inf) if y.min() >= 0.0 else (-np.inf, np.inf))
    if not (low <= y.min() and y.max() <= high):
        raise ValueError(f"support=({low:g}, {high:g}): y goes from {y.min():g} to {y.max():g}")
    # A perturbation must have room on one side at least.
    perturbation = min(perturbation, (high - low) / (2.0 * FURTHEST))
    noise = generator_from(random_state, "monte_carlo_df").standard_normal((repeats, len(y))).clip(-FURTHEST, FURTHEST)
    reach = FURTHEST * perturbation
    upward = y - low < reach
    downward = ~upward & (high - y < reach)
    weight = noise / (perturbation * np.where(upward | downward, 1.0, 2.0))
    differences = [
        _fitted(smoother, _moved(y, step, upward, downward)) - _fitted(smoother, _moved(y, -step, upward, downward))
        for step in perturbation * noise
    ]
    values = np.einsum("bi,bi->b", weight, differences)
    if not np.isfinite(values).all():
        raise ValueError("smoother: gave a fitted value that is not finite on a perturbed response")
    error = float(values.std(ddof=1) / np.sqrt(repeats))
    return DegreesOfFreedom(float(values.mean()), error, float(perturbation), values)


def _moved(y: NDArray, step: NDArray, upward: NDArray, downward: NDArray) -> NDArray:
    """y + step, as far as it may: what may only go up (or down) goes where the step goes there, and else stays."""
    return y + np.where(upward, np.maximum(step, 0.0), np.where(downward, np.minimum(step, 0.0), step))


def _fitted(smoother: Smoother, y: NDArray) -> NDArray:
    return np.asarray(smoother(y), dtype=float)
