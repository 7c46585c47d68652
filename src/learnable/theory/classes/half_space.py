"""Half-spaces of R^k, through a linear program that either separates or shows the hulls meet."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnable.theory.classes.concept_class import (
    Hypothesis,
    Labels,
    Points,
    Refutation,
    StructuredClass,
    checked_dimension,
    real_points,
)
from learnable.theory.radon import radon_partition

# Margins that a linear program may call positive by rounding are not.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class HalfSpace(Hypothesis):
    """{x : w·x + b ≥ 0}."""

    w: tuple[float, ...]
    b: float

    def predict(self, points: ArrayLike) -> Labels:
        return real_points(self, points, len(self.w)) @ np.array(self.w) + self.b >= 0


@dataclass(frozen=True)
class HullsMeet(Refutation):
    """A convex combination of positive points that equals one of negative points.

    `weights[i]` belongs to point i; those of the positive points add up to 1, and so do those of the negative ones.
    Equality is meant up to 1e-9 of the extent of the points.
    """

    weights: tuple[float, ...]

    @property
    def support(self) -> frozenset[int]:
        return frozenset(i for i, weight in enumerate(self.weights) if weight)


@dataclass(frozen=True)
class HalfSpaces(StructuredClass):
    """Closed half-spaces of R^k: VC dimension k+1.

    Sets whose hulls come within 1e-9 of their extent count as touching.

    Syllabus: T15, T16, K13.

    Examples
    --------
    >>> plane = HalfSpaces(2)
    >>> square = [[0, 0], [1, 1], [0, 1], [1, 0]]
    >>> plane.realise(square, [1, 1, 0, 0])
    HullsMeet(weights=(0.5, 0.5, 0.5, 0.5))
    >>> plane.realise(square, [1, 0, 1, 0]).predict(square).tolist()
    [True, False, True, False]
    """

    k: int

    def __post_init__(self) -> None:
        checked_dimension("HalfSpaces", self.k)

    def as_points(self, points: ArrayLike) -> Points:
        return real_points(self, points, self.k)

    def _realise(self, points: Points, labels: Labels) -> Hypothesis | Refutation:
        if labels.all() or not labels.any():
            return HalfSpace((0.0,) * self.k, 1.0 if labels.all() else -1.0)
        centre = (points.min(axis=0) + points.max(axis=0)) / 2
        extent = np.max(np.abs(points - centre), axis=0)
        extent[extent == 0] = 1.0
        direction, offset, margin, multipliers = _separate((points - centre) / extent, labels)
        if margin > TOLERANCE:
            w = direction / extent
            candidate = HalfSpace(tuple(w.tolist()), float(offset - w @ centre))
            if np.array_equal(candidate.predict(points), labels):
                return candidate
            raise ArithmeticError(f"{self!r}: separable, but not in double precision; centre or rescale the points")
        multipliers = np.where(multipliers > TOLERANCE, multipliers, 0.0)
        totals = np.where(labels, multipliers[labels].sum(), multipliers[~labels].sum())
        return HullsMeet(tuple((multipliers / totals).tolist()))

    def complement(self, hypothesis: Hypothesis) -> Hypothesis | None:
        """The half-space turned round; the same on the boundary, where the oracle puts no point."""
        assert isinstance(hypothesis, HalfSpace)
        return HalfSpace(tuple(-weight for weight in hypothesis.w), -hypothesis.b)

    def refute(self, points: ArrayLike) -> tuple[Labels, Refutation] | None:
        points = self.as_points(points)
        if len(points) < self.k + 2:
            return super().refute(points)
        radon = radon_partition(points)
        labels, weights = np.zeros(len(points), dtype=bool), np.zeros(len(points))
        labels[list(radon.positive)] = True
        weights[list(radon.positive)] = radon.positive_weights
        weights[list(radon.negative)] = radon.negative_weights
        return labels, HullsMeet(tuple(weights.tolist()))

    @property
    def dimension(self) -> int:
        return self.k + 1

    def shattered_points(self) -> Points:
        return np.vstack([np.zeros(self.k), np.eye(self.k)])

    def draw_points(self, n: int, rng: np.random.Generator) -> Points:
        return rng.normal(size=(n, self.k))

    @property
    def argument(self) -> str:
        return f"any {self.k + 2} points have a Radon partition, and no half-space separates two hulls that meet"


def simplex_separator(labels: ArrayLike) -> HalfSpace:
    """The half-space with given labels on the origin and the k unit vectors, in closed form.

    With signs s_0 (origin), s_1, …, s_k: w = (s_1, …, s_k), b = s_0/2.

    Syllabus: T16.

    Examples
    --------
    >>> simplex_separator([0, 1, 0]).predict([[0, 0], [1, 0], [0, 1]]).tolist()
    [False, True, False]
    """
    signs = np.where(np.asarray(labels, dtype=bool), 1.0, -1.0)
    return HalfSpace(tuple(signs[1:].tolist()), float(signs[0] / 2))


def independent_separator(points: ArrayLike, labels: ArrayLike) -> HalfSpace:
    """The half-space with given labels on affinely independent points: solve w·x_i + b = ±1.

    Syllabus: T16.

    Examples
    --------
    >>> triangle = [[0, 0], [2, 1], [1, 3]]
    >>> independent_separator(triangle, [1, 0, 1]).predict(triangle).tolist()
    [True, False, True]
    """
    points = np.asarray(points, dtype=float)
    system = np.column_stack([points, np.ones(len(points))])
    if np.linalg.matrix_rank(system) < len(points):
        raise ValueError("independent_separator(points): the points are affinely dependent; drop one or move one")
    solution = np.linalg.lstsq(system, np.where(np.asarray(labels, dtype=bool), 1.0, -1.0))[0]
    return HalfSpace(tuple(solution[:-1].tolist()), float(solution[-1]))


def _separate(points: Points, labels: Labels) -> tuple[NDArray[np.float64], float, float, NDArray[np.float64]]:
    """Largest t with s_i(w·x_i + b) ≥ t and |w|, |b| ≤ 1, and the multipliers of those constraints.

    When t = 0 the multipliers of the box vanish and what remains of the dual says Σ λ_i s_i (x_i, 1) = 0, Σ λ_i = 1.
    """
    from scipy.optimize import linprog

    n, k = points.shape
    signed = np.where(labels, -1.0, 1.0)[:, None] * np.column_stack([points, np.ones(n)])
    program = linprog(
        np.append(np.zeros(k + 1), -1.0),
        A_ub=np.column_stack([signed, np.ones(n)]),
        b_ub=np.zeros(n),
        bounds=[(-1.0, 1.0)] * (k + 1) + [(None, 1.0)],
        method="highs-ds",
    )
    if not program.success:
        raise ArithmeticError(f"linear program of a separating half-space failed: {program.message}")
    return program.x[:k], float(program.x[k]), float(program.x[k + 1]), -program.ineqlin.marginals
