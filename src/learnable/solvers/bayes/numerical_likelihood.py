"""Newton's method for a log-likelihood known by its values alone. Syllabus: U12."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy import linalg

from learnable.solvers.linear.newton import backtrack, newton_direction

# A step is right when ℓ bends by about this much over it: 0.01 standard errors near a maximum, far above rounding.
_BEND = 1e-4
_TRIES = 60


class LikelihoodState(NamedTuple):
    """At the start, and after every step.

    Attributes
    ----------
    objective : −ℓ(θ).
    decrement : gᵀ|H|⁻¹g, the squared slope in standard errors; twice what another step promises to gain.
    resolution : what of the decrement may be rounding.
    theta : parameters.
    steps : steps made.
    """

    objective: float
    decrement: float
    resolution: float
    theta: np.ndarray
    steps: int


def iterates(objective: "NumericalLikelihood", start: np.ndarray) -> Iterator[LikelihoodState]:
    """States until no step improves the likelihood any more."""
    theta, steps = np.array(start, dtype=float), 0
    value, gradient = objective.value_and_gradient(theta)
    while True:
        direction = -newton_direction(objective.hessian(theta), gradient)
        noise = np.finfo(float).eps * abs(value) / np.sqrt(_BEND)
        yield LikelihoodState(value, float(-gradient @ direction), float(64 * noise**2), theta, steps)
        found = backtrack(objective, theta, value, gradient, direction)
        if found is None:
            return
        theta, value, gradient, _ = found
        steps += 1


class NumericalLikelihood:
    """−ℓ(θ), its gradient and the absolute value |∇²ℓ| of its second derivatives, by central differences.

    Differences take steps over which ℓ bends measurably, so they fit parameters of any size; a step never leaves the
    domain, outside which ℓ is −∞ or not a number. |H| has the eigenvalues of H without their signs: where ℓ is not
    concave, Newton's step then leads uphill all the same, and at a maximum it is the ordinary one.

    Parameters
    ----------
    log_likelihood : θ -> ℓ(θ).
    start : array (k,), inside the domain.
    gradient : θ -> ∇ℓ(θ), default: by differences.
    """

    def __init__(
        self,
        log_likelihood: Callable[[np.ndarray], float],
        start: np.ndarray,
        gradient: Callable[[np.ndarray], np.ndarray] | None = None,
    ):
        self._value, self._given = log_likelihood, gradient
        self.step = np.array([self._fitting_step(start, j, 1e-3 * max(1.0, abs(start[j]))) for j in range(len(start))])

    def value(self, theta: np.ndarray) -> float:
        """−ℓ(θ); +∞ outside the domain."""
        with np.errstate(all="ignore"):
            found = -float(self._value(theta))
        return found if np.isfinite(found) else np.inf

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """−∇ℓ(θ)."""
        if self._given is not None:
            return -np.asarray(self._given(theta), dtype=float)
        slopes = np.array([self._slope(theta, j) for j in range(len(theta))])
        for j in np.flatnonzero(~np.isfinite(slopes)).tolist():  # the step that fitted before now leaves the domain
            self.step[j] = self._fitting_step(theta, j, self.step[j])
            slopes[j] = self._slope(theta, j)
        return slopes

    def value_and_gradient(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        found = self.value(theta)
        return found, self.gradient(theta) if np.isfinite(found) else np.full(len(theta), np.inf)

    def hessian(self, theta: np.ndarray) -> np.ndarray:
        """|∇²ℓ(θ)|."""
        H = self.curvature(theta)
        if not np.all(np.isfinite(H)):
            raise ValueError(f"maximum_likelihood: no second derivatives at theta = {theta.tolist()}: the log-density "
                             "is not finite nearby; start further inside its domain")  # fmt: skip
        scale = np.sqrt(np.maximum(np.abs(np.diag(H)), np.finfo(float).tiny))
        eigenvalues, V = linalg.eigh(H / np.outer(scale, scale))
        floor = 1e-8 * np.abs(eigenvalues).max(initial=1e-300)
        return (V * np.maximum(np.abs(eigenvalues), floor)) @ V.T * np.outer(scale, scale)

    def curvature(self, theta: np.ndarray) -> np.ndarray:
        """−∇²ℓ(θ) as it is, with steps fitted anew."""
        k = len(theta)
        self.step = np.array([self._fitting_step(theta, j, self.step[j]) for j in range(k)])
        H = np.empty((k, k))
        for j in range(k):
            H[:, j] = self._gradient_difference(theta, j) if self._given is not None else self._bend(theta, j)
        return (H + H.T) / 2

    def _gradient_difference(self, theta: np.ndarray, j: int) -> np.ndarray:
        near, far = (
            (self.gradient(_moved(theta, j, s * self.step[j])) - self.gradient(_moved(theta, j, -s * self.step[j])))
            / (2 * s * self.step[j])
            for s in (1.0, 2.0)
        )
        return (4 * near - far) / 3

    def _bend(self, theta: np.ndarray, j: int) -> np.ndarray:
        """Second differences along coordinate j and every other, of fourth order; NaN where they leave the domain."""
        column = np.empty(len(theta))
        for i in range(len(theta)):
            near, far = (self._second_difference(theta, i, j, width) for width in (1.0, 2.0))
            column[i] = (4 * near - far) / 3 if np.isfinite(near) and np.isfinite(far) else np.nan
        return column

    def _second_difference(self, theta: np.ndarray, i: int, j: int, width: float) -> float:
        a, b = width * float(self.step[i]), width * float(self.step[j])
        if i == j:
            return (self.value(_moved(theta, i, a)) + self.value(_moved(theta, i, -a)) - 2 * self.value(theta)) / a**2
        signs = ((1, 1), (1, -1), (-1, 1), (-1, -1))
        corners = [p * q * self.value(_moved(_moved(theta, i, p * a), j, q * b)) for p, q in signs]
        return sum(corners) / (4 * a * b)

    def _slope(self, theta: np.ndarray, j: int) -> float:
        h = self.step[j]
        with np.errstate(invalid="ignore"):
            near, far = (
                np.subtract(self.value(_moved(theta, j, s * h)), self.value(_moved(theta, j, -s * h))) / (2 * s * h)
                for s in (1.0, 2.0)
            )
            return float((4 * near - far) / 3)

    def _fitting_step(self, theta: np.ndarray, j: int, h: float) -> float:
        """A step over which ℓ bends by about `_BEND`, and that stays inside the domain both ways."""
        middle = self.value(theta)
        noise = 64 * np.finfo(float).eps * max(1.0, abs(middle))
        largest = 1e3 * max(1.0, abs(float(theta[j])))
        for _ in range(_TRIES):
            ends = [self.value(_moved(theta, j, s * h)) for s in (-2.0, 2.0)]
            bend = abs(ends[0] + ends[1] - 2 * middle) / 4
            if not np.isfinite(bend) or bend > 10 * max(_BEND, noise):
                h /= 3
            elif bend < max(_BEND, noise) / 10 and h < largest:
                # One more step up may leave the domain: then this one is as good as it gets.
                if not all(np.isfinite(self.value(_moved(theta, j, s * 3 * h))) for s in (-2.0, 2.0)):
                    return h
                h *= 3
            else:
                return h
        return h


def _moved(theta: np.ndarray, j: int, by: float) -> np.ndarray:
    away = np.array(theta, dtype=float)
    away[j] += by
    return away
