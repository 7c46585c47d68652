"""A known law: its Bayes classifier, noise, Bayes error and the excess risk of any other classifier."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

# Panels of Gauss quadrature, and points on which crossings are looked for.
_PANELS, _GRID = 64, 1000


@dataclass(frozen=True)
class ExcessRisk:
    """Both sides of R(f) − R* = E[max_k P(k|x) − P(f(x)|x)], for two classes E[1(f ≠ f*)|2η − 1|]."""

    difference: float
    expectation: float


class DiscreteLaw:
    """A joint law of finitely many points and classes.

    Parameters
    ----------
    joint : array-like of shape (points, classes)
        P(x, y); it must add up to 1.

    Attributes
    ----------
    marginal : array
        P(x).
    posterior : array of shape (points, classes)
        P(y|x); uniform where P(x) = 0, which no risk notices.

    Syllabus: T5, T6.

    Examples
    --------
    >>> law = DiscreteLaw([[0.3, 0.1], [0.1, 0.5]])
    >>> law.bayes_classifier().tolist(), round(law.bayes_error(), 12)
    ([0, 1], 0.2)
    >>> excess = law.excess_risk([0, 0])
    >>> round(excess.difference, 12), round(excess.expectation, 12)
    (0.4, 0.4)
    """

    def __init__(self, joint: ArrayLike):
        table = np.array(joint, dtype=float)
        if table.ndim != 2 or table.shape[0] == 0 or table.shape[1] < 2:
            raise ValueError(f"DiscreteLaw: shape {table.shape}; needs at least one point and two classes")
        if not np.all(np.isfinite(table)) or np.any(table < 0) or abs(table.sum() - 1) > 1e-9:
            raise ValueError("DiscreteLaw: probabilities must be finite, >= 0 and add up to 1")
        self.joint: Array = table
        self.marginal: Array = table.sum(axis=1)
        uniform = np.full_like(table, 1 / table.shape[1])
        self.posterior: Array = np.divide(table, self.marginal[:, None], out=uniform, where=self.marginal[:, None] > 0)

    def bayes_classifier(self) -> NDArray[np.intp]:
        """The most probable class at each point, the first of equals."""
        return np.argmax(self.joint, axis=1)

    def noise(self) -> Array:
        """1 − max_k P(k|x) at each point; min(η, 1−η) for two classes."""
        return 1 - np.max(self.posterior, axis=1)

    def bayes_error(self) -> float:
        """The least risk of any classifier on the domain: the mean noise."""
        return float(self.marginal @ self.noise())

    def risk(self, predictions: ArrayLike) -> float:
        """P(f(x) ≠ y) of a classifier given by its class at each point."""
        return float(1 - np.sum(self.joint[np.arange(len(self.joint)), self._checked(predictions)]))

    def excess_risk(self, predictions: ArrayLike) -> ExcessRisk:
        """R(f) − R* computed as a difference of risks and as an expectation over disagreements."""
        chosen = self._checked(predictions)
        loss = np.max(self.posterior, axis=1) - self.posterior[np.arange(len(chosen)), chosen]
        return ExcessRisk(self.risk(chosen) - self.bayes_error(), float(self.marginal @ loss))

    def draw(self, m: int, rng: np.random.Generator) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """m independent pairs (point, class)."""
        if m < 1:
            raise ValueError(f"DiscreteLaw.draw(m={m}): m must be >= 1")
        cells = rng.choice(self.joint.size, size=m, p=self.joint.ravel() / self.joint.sum())
        return np.divmod(cells, self.joint.shape[1])

    def _checked(self, predictions: ArrayLike) -> NDArray[np.intp]:
        chosen = np.asarray(predictions)
        if chosen.shape != (len(self.joint),) or not np.issubdtype(chosen.dtype, np.integer):
            raise ValueError(f"predictions: needs one class number for each of {len(self.joint)} points")
        if chosen.min() < 0 or chosen.max() >= self.joint.shape[1]:
            raise ValueError(f"predictions: classes must be in 0..{self.joint.shape[1] - 1}")
        return chosen


@dataclass(frozen=True)
class DensityLaw:
    """Two classes on an interval, given by the probability of class 1 and the density of each class.

    Parameters
    ----------
    prior : float
        P(y = 1), in (0, 1).
    density_0, density_1 : callable
        The densities of x given y; each must integrate to 1 over the interval.
    low, high : float
        The interval. A classifier may switch anywhere on it, but not twice within a thousandth of its length.

    Syllabus: T5, T6.

    Examples
    --------
    >>> from math import exp, pi, sqrt
    >>> def normal(mean):
    ...     return lambda x: exp(-((x - mean) ** 2) / 2) / sqrt(2 * pi)
    >>> law = DensityLaw(0.5, normal(-1), normal(1), -10, 10)
    >>> round(law.bayes_error(), 6)                            # the tail of a standard normal beyond 1
    0.158655
    """

    prior: float
    density_0: Callable[[float], float]
    density_1: Callable[[float], float]
    low: float
    high: float

    def __post_init__(self) -> None:
        if not 0 < self.prior < 1:
            raise ValueError(f"DensityLaw(prior={self.prior}): prior must be in (0, 1)")
        if not -np.inf < self.low < self.high < np.inf:
            raise ValueError(f"DensityLaw(low={self.low}, high={self.high}): low must be < high, both finite")
        for name, density in (("density_0", self.density_0), ("density_1", self.density_1)):
            total = self._integrate(density)
            if abs(total - 1) > 1e-6:
                raise ValueError(f"DensityLaw({name}): integrates to {total:g} over the interval; it must be 1")

    def eta(self, x: float) -> float:
        """P(y = 1 | x); ½ where neither class has density."""
        one, zero = self.prior * self.density_1(x), (1 - self.prior) * self.density_0(x)
        return one / (one + zero) if one + zero > 0 else 0.5

    def bayes_classifier(self, x: float) -> int:
        """1 where η(x) ≥ ½."""
        return int(self.eta(x) >= 0.5)

    def bayes_error(self) -> float:
        """∫ min(P(1) p_1(x), P(0) p_0(x)) dx."""

        def least(x: float) -> float:
            return min(self.prior * self.density_1(x), (1 - self.prior) * self.density_0(x))

        return self._integrate(least, self.bayes_classifier)

    def risk(self, classifier: Callable[[float], int]) -> float:
        """P(f(x) ≠ y)."""

        def wrong(x: float) -> float:
            return (1 - self.prior) * self.density_0(x) if classifier(x) else self.prior * self.density_1(x)

        return self._integrate(wrong, classifier)

    def excess_risk(self, classifier: Callable[[float], int]) -> ExcessRisk:
        """R(f) − R* as a difference and as ∫ 1(f ≠ f*)|2η − 1| p(x) dx."""

        def loss(x: float) -> float:
            gap = self.prior * self.density_1(x) - (1 - self.prior) * self.density_0(x)
            return abs(gap) if int(classifier(x)) != self.bayes_classifier(x) else 0.0

        return ExcessRisk(
            self.risk(classifier) - self.bayes_error(), self._integrate(loss, classifier, self.bayes_classifier)
        )

    def _integrate(self, function: Callable[[float], float], *deciders: Callable[[float], int]) -> float:
        """The integral in pieces, cut where a classifier switches: there the integrand jumps."""
        from scipy.integrate import quad

        cuts = {float(edge) for edge in np.linspace(self.low, self.high, _PANELS + 1)}
        for decide in deciders:
            cuts.update(self._switches(decide))
        edges = sorted(cuts)
        pieces = (quad(function, a, b, full_output=True)[0] for a, b in pairwise(edges))
        return float(sum(pieces))

    def _switches(self, decide: Callable[[float], int]) -> list[float]:
        """Where the classifier changes its mind, by bisection between neighbours of a fine grid that differ."""
        grid = np.linspace(self.low, self.high, _GRID + 1).tolist()
        sides = [int(decide(x)) for x in grid]
        switches = []
        for left, right, side, other in zip(grid[:-1], grid[1:], sides[:-1], sides[1:]):
            if side == other:
                continue
            while left < (middle := (left + right) / 2) < right:
                left, right = (middle, right) if int(decide(middle)) == side else (left, middle)
            switches.append(right)
        return switches
