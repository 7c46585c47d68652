"""Is a gradient the gradient? Central differences with step control against what an objective says. Syllabus: O8."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from learnable.certificates.core.claim import Claim

# Ridders' method: the step is divided by this, so often at most; rounding ends it earlier.
_SHRINK = 2.0
_STEPS = 10


class GradientCheck(NamedTuple):
    """A gradient beside the differences of its objective.

    Attributes
    ----------
    given : the gradient under test.
    differences : the same from values of the objective alone.
    resolution : how well the differences are known, each in the units of its entry.
    """

    given: np.ndarray
    differences: np.ndarray
    resolution: np.ndarray

    @property
    def relative_errors(self) -> np.ndarray:
        """|given − differences| beyond what the differences can tell, relative to the larger of the two."""
        beyond = np.maximum(np.abs(self.given - self.differences) - self.resolution, 0.0)
        return beyond / np.maximum(np.maximum(np.abs(self.given), np.abs(self.differences)), np.finfo(float).tiny)

    @property
    def largest_error(self) -> float:
        return float(np.max(self.relative_errors, initial=0.0))

    @property
    def worst(self) -> tuple[int, ...]:
        """Where the largest error is."""
        return tuple(int(k) for k in np.unravel_index(np.argmax(self.relative_errors), self.given.shape))

    @property
    def blur(self) -> float:
        """Largest resolution relative to the largest entry: how far the check can be trusted."""
        size = max(float(np.max(np.abs(self.differences), initial=0.0)), np.finfo(float).tiny)
        return float(np.max(self.resolution, initial=0.0)) / size

    def claim(self, tolerance: float = 1e-6) -> Claim:
        """The claim that the largest relative error is within `tolerance`."""
        return Claim.at_most(
            "O8", "the gradient agrees with central differences (largest relative error)", self.largest_error,
            tolerance, kind="approximate",
        )  # fmt: skip


def gradient_check(
    value_and_gradient: Callable[[np.ndarray], tuple[float, np.ndarray]], theta: np.ndarray, step: float = 0.1
) -> GradientCheck:
    """Compare the gradient at θ with differences (J(θ + h e_j) − J(θ − h e_j)) / 2h.

    For each coordinate h runs through step, step/2, step/4, … and the limit h → 0 is extrapolated (Ridders); the
    extrapolation that changes least is taken, and its change is the resolution.

    Parameters
    ----------
    value_and_gradient : θ -> (J(θ), ∇J(θ)).
    theta : array of any shape.
    step : largest h, in units of max(1, |θ_j|); keep it below the distance to a kink.

    Returns
    -------
    GradientCheck

    Examples
    --------
    >>> found = gradient_check(lambda t: (float(np.sum(t**3)), 3 * t**2), np.array([1.0, -2.0]))
    >>> found.claim(1e-9).holds
    True
    >>> wrong = gradient_check(lambda t: (float(np.sum(t**3)), 2 * t**2), np.array([1.0, -2.0]))
    >>> wrong.claim(1e-9).holds, round(wrong.largest_error, 3)
    (False, 0.333)
    """
    theta = np.array(theta, dtype=float)
    given = np.array(value_and_gradient(theta)[1], dtype=float)
    if given.shape != theta.shape:
        raise ValueError(f"gradient_check: the gradient has shape {given.shape}, the parameters {theta.shape}")
    differences, resolution = np.empty_like(theta), np.empty_like(theta)
    for at in np.ndindex(theta.shape):
        differences[at], resolution[at] = _ridders(lambda t: value_and_gradient(t)[0], theta, at, step)
    return GradientCheck(given, differences, resolution)


def _ridders(value: Callable[[np.ndarray], float], theta: np.ndarray, at: tuple, step: float) -> tuple[float, float]:
    """(derivative along coordinate `at`, its uncertainty)."""
    h = step * max(1.0, abs(float(theta[at])))
    previous: list[float] = []
    best, uncertain = np.nan, np.inf
    for _ in range(_STEPS):
        forward, backward = theta.copy(), theta.copy()
        forward[at] += h
        backward[at] -= h
        up, down = value(forward), value(backward)
        # The distance as it is in floating point, and what the rounding of J leaves unknown.
        width = float(forward[at] - backward[at])
        noise = 2.0 * np.finfo(float).eps * max(abs(up), abs(down)) / width
        row, factor = [(up - down) / width], _SHRINK**2
        for coarse in previous:
            row.append((row[-1] * factor - coarse) / (factor - 1.0))
            factor *= _SHRINK**2
        for k in range(1, len(row)):
            change = max(abs(row[k] - row[k - 1]), abs(row[k] - previous[k - 1])) + noise
            if change < uncertain:
                best, uncertain = row[k], change
        previous = row
        h /= _SHRINK
    return best, uncertain
