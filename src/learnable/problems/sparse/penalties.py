"""Separable penalties Σ_j φ_j(x_j): value, proximal step, conjugate and distance to the subdifferential.

`j` is the coordinate inside a kernel, or a slice when whole arrays are passed. `L1` and `L2` are the corners of
`ElasticNet`. Syllabus: L3, L13, L27, R7.
"""

from typing import NamedTuple

import numpy as np

from learnable.problems.core.formula import formula, where


class ElasticNet(NamedTuple):
    """α (ρ |x| + ½ (1 − ρ) x²) with ρ = `l1_ratio`."""

    alpha: float
    l1_ratio: float


def L1(alpha: float) -> ElasticNet:
    """α |x|."""
    return ElasticNet(alpha, 1.0)


def L2(alpha: float) -> ElasticNet:
    """½ α x²."""
    return ElasticNet(alpha, 0.0)


class Weighted(NamedTuple):
    """factor_j times an even penalty `of`; every factor is a finite number > 0."""

    of: ElasticNet
    factor: np.ndarray


class NonNegative(NamedTuple):
    """An even penalty `of`, and x ≥ 0."""

    of: ElasticNet | Weighted


EVERY = slice(None)


@formula
def value(penalty, x, j):
    """φ_j(x)."""


@formula
def prox(penalty, x, step, j):
    """argmin over z of (z − x)² / (2 step) + φ_j(z)."""


@formula
def conjugate(penalty, u, j):
    """φ_j*(u) = sup over x of u·x − φ_j(x); +∞ outside its domain."""


@formula
def subdistance(penalty, x, slope, j):
    """Distance of −slope to the subdifferential ∂φ_j(x): zero exactly where the coordinate is optimal."""


@formula
def l1_level(penalty, j):
    """Largest |u| with 0 ∈ u + ∂φ_j(0): the slope a coordinate must exceed to leave zero."""


@formula
def curvature(penalty, j):
    """Second derivative of φ_j away from zero."""


@formula
def scaled(penalty, factor):
    """The penalty with its level multiplied by a factor.

    >>> scaled(NonNegative(L1(2.0)), 3.0)
    NonNegative(of=ElasticNet(alpha=6.0, l1_ratio=1.0))
    """


def total(penalty, x: np.ndarray) -> float:
    """Σ_j φ_j(x_j).

    >>> total(L1(2.0), np.array([1.0, -3.0]))
    8.0
    """
    return float(np.sum(value(penalty, x, EVERY)))


@scaled.of(ElasticNet)
def _(penalty, factor):
    return ElasticNet(factor * penalty.alpha, penalty.l1_ratio)


@value.of(ElasticNet)
def _(penalty, x, j):
    return penalty.alpha * (penalty.l1_ratio * np.abs(x) + 0.5 * (1.0 - penalty.l1_ratio) * x * x)


@prox.of(ElasticNet)
def _(penalty, x, step, j):
    shrunk = np.sign(x) * np.maximum(np.abs(x) - step * penalty.alpha * penalty.l1_ratio, 0.0)
    return shrunk / (1.0 + step * penalty.alpha * (1.0 - penalty.l1_ratio))


@conjugate.of(ElasticNet)
def _(penalty, u, j):
    excess = np.maximum(np.abs(u) - penalty.alpha * penalty.l1_ratio, 0.0)
    ridge = penalty.alpha * (1.0 - penalty.l1_ratio)
    finite = (excess == 0.0) | (ridge > 0.0)
    return where(finite, 0.5 * excess * excess / np.maximum(ridge, 1e-300), np.inf)


@subdistance.of(ElasticNet)
def _(penalty, x, slope, j):
    l1 = penalty.alpha * penalty.l1_ratio
    off = np.maximum(np.abs(slope) - l1, 0.0)
    on = np.abs(slope + l1 * np.sign(x) + penalty.alpha * (1.0 - penalty.l1_ratio) * x)
    return where(x == 0.0, off, on)


@l1_level.of(ElasticNet)
def _(penalty, j):
    return penalty.alpha * penalty.l1_ratio


@curvature.of(ElasticNet)
def _(penalty, j):
    return penalty.alpha * (1.0 - penalty.l1_ratio)


@scaled.of(Weighted)
def _(penalty, factor):
    return Weighted(scaled(penalty.of, factor), penalty.factor)


@value.of(Weighted)
def _(penalty, x, j):
    return penalty.factor[j] * value(penalty.of, x, j)


@prox.of(Weighted)
def _(penalty, x, step, j):
    return prox(penalty.of, x, step * penalty.factor[j], j)


@conjugate.of(Weighted)
def _(penalty, u, j):
    # (cφ)*(u) = c φ*(u/c).
    return penalty.factor[j] * conjugate(penalty.of, u / penalty.factor[j], j)


@subdistance.of(Weighted)
def _(penalty, x, slope, j):
    return penalty.factor[j] * subdistance(penalty.of, x, slope / penalty.factor[j], j)


@l1_level.of(Weighted)
def _(penalty, j):
    return penalty.factor[j] * l1_level(penalty.of, j)


@curvature.of(Weighted)
def _(penalty, j):
    return penalty.factor[j] * curvature(penalty.of, j)


@scaled.of(NonNegative)
def _(penalty, factor):
    return NonNegative(scaled(penalty.of, factor))


@value.of(NonNegative)
def _(penalty, x, j):
    return where(x >= 0.0, value(penalty.of, x, j), np.inf)


@prox.of(NonNegative)
def _(penalty, x, step, j):
    return prox(penalty.of, np.maximum(x, 0.0), step, j)


@conjugate.of(NonNegative)
def _(penalty, u, j):
    # The supremum runs over x ≥ 0 only: a negative u is best served by x = 0.
    return conjugate(penalty.of, np.maximum(u, 0.0), j)


@subdistance.of(NonNegative)
def _(penalty, x, slope, j):
    # At zero every slope ≥ −level is balanced by the constraint's normal cone.
    at_zero = subdistance(penalty.of, x, np.minimum(slope, 0.0), j)
    return where(x == 0.0, at_zero, where(x < 0.0, np.inf, subdistance(penalty.of, x, slope, j)))


@l1_level.of(NonNegative)
def _(penalty, j):
    return l1_level(penalty.of, j)


@curvature.of(NonNegative)
def _(penalty, j):
    return curvature(penalty.of, j)
