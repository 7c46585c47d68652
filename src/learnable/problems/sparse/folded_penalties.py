"""Penalties that spare large coefficients: SCAD, MCP and the bridge. Syllabus: L10, L11, L12, L27.

Each is even in x and rises with |x|; all but the bridge with q ≥ 1 are concave on either side of zero. The formulas of
`problems.penalties` (value, prox, subdistance, l1_level) serve them too; `prox` is the exact global minimiser of its
one-dimensional problem for every step, also where that problem is not convex; its cases are chosen by products with
0 and 1, which kernels evaluate without an array. The penalty belongs to the columns as
they are given: a coefficient is small or large in the units of its own column.
"""

from typing import NamedTuple

import numpy as np

from learnable.problems.core.duality import reach
from learnable.problems.core.formula import formula
from learnable.problems.sparse.penalties import conjugate, l1_level, prox, scaled, subdistance, value

# Newton steps of the bridge's one-dimensional equation: it converges from one side, ten reach rounding.
NEWTON_STEPS = 20
# Coefficients below this are zero.
LEAST = 1e-300


class SCAD(NamedTuple):
    """φ'(t) = α for 0 < t ≤ α, (aα − t)₊ / (a − 1) beyond; a > 2."""

    alpha: float
    a: float


class MCP(NamedTuple):
    """φ'(t) = (α − t/a)₊ for t > 0; a > 1."""

    alpha: float
    a: float


class Bridge(NamedTuple):
    """α |x|^q, q > 0: convex for q ≥ 1, infinitely steep at zero for q < 1."""

    alpha: float
    q: float


@formula
def derivative(penalty, x, j):
    """φ_j'(x) for x ≠ 0."""


@formula
def second_derivative(penalty, x, j):
    """φ_j''(x) for x ≠ 0; at a kink of φ' the lower of the two."""


@formula
def concavity(penalty, j):
    """The largest −φ_j''(x), x ≠ 0: a loss of at least that curvature keeps the sum convex."""


@formula
def entry(penalty, step, j):
    """Largest |x| whose `prox` is zero: inf over z > 0 of z/2 + step φ_j(z)/z."""


@scaled.of(SCAD)
def _(penalty, factor):
    return SCAD(factor * penalty.alpha, penalty.a)


@value.of(SCAD)
def _(penalty, x, j):
    t, level, a = np.abs(x), penalty.alpha, penalty.a
    middle = (2.0 * a * level * t - t * t - level * level) / (2.0 * (a - 1.0))
    return np.where(t <= level, level * t, np.where(t <= a * level, middle, 0.5 * (a + 1.0) * level * level))


@derivative.of(SCAD)
def _(penalty, x, j):
    t, level, a = np.abs(x), penalty.alpha, penalty.a
    return np.sign(x) * np.minimum(level, np.maximum(a * level - t, 0.0) / (a - 1.0))


@second_derivative.of(SCAD)
def _(penalty, x, j):
    t = np.abs(x)
    inside = (t >= penalty.alpha) & (t <= penalty.a * penalty.alpha)
    return np.where(inside, -1.0 / (penalty.a - 1.0), 0.0)


@concavity.of(SCAD)
def _(penalty, j):
    return 1.0 / (penalty.a - 1.0)


@l1_level.of(SCAD)
def _(penalty, j):
    return penalty.alpha


@entry.of(SCAD)
def _(penalty, step, j):
    a = penalty.a
    # The best z beyond aα is √(step (a + 1)) α, or aα itself.
    far = np.where(step * (a + 1.0) >= a * a, np.sqrt(step * (a + 1.0)), 0.5 * a + 0.5 * step * (a + 1.0) / a)
    return penalty.alpha * np.minimum(step, far)


@prox.of(SCAD)
def _(penalty, x, step, j):
    t, level, a = np.abs(x), penalty.alpha, penalty.a
    near = np.minimum(np.maximum(t - step * level, 0.0), level)
    # Between α and aα the problem is convex for step < a − 1; else the best is an end, which `near` or `far` has.
    room = np.maximum(a - 1.0 - step, 0.0) + (step >= a - 1.0)
    middle = np.minimum(np.maximum(((a - 1.0) * t - step * a * level) / room, level), a * level)
    far = np.maximum(t, a * level)
    cost_near = 0.5 * (near - t) ** 2 + step * level * near
    cost_middle = 0.5 * (middle - t) ** 2 + step * (2.0 * a * level * middle - middle * middle - level * level) / (
        2.0 * (a - 1.0)
    )
    cost_far = 0.5 * (far - t) ** 2 + step * 0.5 * (a + 1.0) * level * level
    best = near + (cost_middle < cost_near) * (middle - near)
    best = best + (cost_far < np.minimum(cost_near, cost_middle)) * (far - best)
    return np.sign(x) * best


@subdistance.of(SCAD)
def _(penalty, x, slope, j):
    off = np.maximum(np.abs(slope) - penalty.alpha, 0.0)
    return np.where(x == 0.0, off, np.abs(slope + derivative(penalty, x, j)))


@scaled.of(MCP)
def _(penalty, factor):
    return MCP(factor * penalty.alpha, penalty.a)


@value.of(MCP)
def _(penalty, x, j):
    t = np.minimum(np.abs(x), penalty.a * penalty.alpha)
    return penalty.alpha * t - 0.5 * t * t / penalty.a


@derivative.of(MCP)
def _(penalty, x, j):
    return np.sign(x) * np.maximum(penalty.alpha - np.abs(x) / penalty.a, 0.0)


@second_derivative.of(MCP)
def _(penalty, x, j):
    return np.where(np.abs(x) <= penalty.a * penalty.alpha, -1.0 / penalty.a, 0.0)


@concavity.of(MCP)
def _(penalty, j):
    return 1.0 / penalty.a


@l1_level.of(MCP)
def _(penalty, j):
    return penalty.alpha


@entry.of(MCP)
def _(penalty, step, j):
    return penalty.alpha * np.minimum(step, np.sqrt(penalty.a * step))


@prox.of(MCP)
def _(penalty, x, step, j):
    t, level, a = np.abs(x), penalty.alpha, penalty.a
    # A step ≥ a leaves nothing convex before aα: zero or x itself.
    concave = 1.0 * (step >= a)
    firm = np.maximum(t - step * level, 0.0) / np.maximum(1.0 - step / a, concave)
    shrunk = np.minimum(firm, t)
    kept = t * (t > level * np.sqrt(a * step))
    return np.sign(x) * (shrunk + concave * (kept - shrunk))


@subdistance.of(MCP)
def _(penalty, x, slope, j):
    off = np.maximum(np.abs(slope) - penalty.alpha, 0.0)
    return np.where(x == 0.0, off, np.abs(slope + derivative(penalty, x, j)))


@scaled.of(Bridge)
def _(penalty, factor):
    return Bridge(factor * penalty.alpha, penalty.q)


@value.of(Bridge)
def _(penalty, x, j):
    return penalty.alpha * np.abs(x) ** penalty.q


@derivative.of(Bridge)
def _(penalty, x, j):
    t = np.where(x == 0.0, 1.0, np.abs(x))
    return np.sign(x) * (penalty.alpha * penalty.q) * t ** (penalty.q - 1.0)


@second_derivative.of(Bridge)
def _(penalty, x, j):
    t = np.where(x == 0.0, 1.0, np.abs(x))
    return (penalty.alpha * penalty.q * (penalty.q - 1.0)) * t ** (penalty.q - 2.0)


@concavity.of(Bridge)
def _(penalty, j):
    return np.inf if penalty.q < 1.0 else 0.0


@l1_level.of(Bridge)
def _(penalty, j):
    # For q > 1 the slope at the smallest coefficient that is told from zero; with q near 1 that is no small number.
    return np.inf if penalty.q < 1.0 else penalty.alpha * penalty.q * LEAST ** (penalty.q - 1.0)


@entry.of(Bridge)
def _(penalty, step, j):
    q, c = penalty.q, step * penalty.alpha
    if q > 1.0:
        return 0.0 * c
    if q == 1.0:
        return c
    # At the threshold the other minimiser is z with z^{2−q} = 2 (1 − q) c.
    z = (2.0 * (1.0 - q) * c) ** (1.0 / (2.0 - q))
    return z * (2.0 - q) / (2.0 * (1.0 - q))


@prox.of(Bridge)
def _(penalty, x, step, j):
    q, c, t = penalty.q, step * penalty.alpha, np.abs(x)
    if q == 1.0:
        return np.sign(x) * np.maximum(t - c, 0.0)
    if q == 2.0:
        return x / (1.0 + 2.0 * c)
    if q > 1.0:
        # z + qc z^{q−1} = t in the power w of z that makes it convex; Newton from the right never passes the root.
        flat = q < 2.0
        outer = 1.0 / (q - 1.0) if flat else q - 1.0
        one, many = (q * c, 1.0) if flat else (1.0, q * c)
        safe = np.maximum(t, 1e-300)
        w = np.minimum(safe / np.maximum(one, 1e-300), (safe / np.maximum(many, 1e-300)) ** (1.0 / outer))
        for _step in range(NEWTON_STEPS):
            power = many * w ** (outer - 1.0)
            w = w - (power * w + one * w - safe) / (outer * power + one)
            w = np.maximum(w, 0.0)
        return np.sign(x) * (w**outer if flat else w)
    threshold = entry(penalty, step, j)
    # Below the threshold the equation is solved at the threshold instead, where it has a root, and zero is taken.
    safe = np.maximum(t, np.maximum(threshold, 1e-300))
    if q == 0.5:
        angle = np.arccos(np.minimum(0.25 * c * (safe / 3.0) ** -1.5, 1.0))
        z = (2.0 / 3.0) * safe * (1.0 + np.cos((2.0 / 3.0) * (np.pi - angle)))
    elif q == 2.0 / 3.0:
        doubled = np.maximum(2.0 * c, 1e-300)
        angle = np.arccosh(np.maximum(27.0 / 16.0 * safe * safe * doubled**-1.5, 1.0))
        root = (2.0 / np.sqrt(3.0)) * doubled**0.25 * np.sqrt(np.cosh(angle / 3.0))
        z = (0.5 * (root + np.sqrt(np.maximum(2.0 * safe / root - root * root, 0.0)))) ** 3
    else:
        z = 1.0 * safe
        for _step in range(NEWTON_STEPS):
            power = q * c * z ** (q - 2.0)
            z = z - (z + power * z - safe) / (1.0 + (q - 1.0) * power)
    return np.sign(x) * z * (t > threshold)


@subdistance.of(Bridge)
def _(penalty, x, slope, j):
    off = np.maximum(np.abs(slope) - l1_level(penalty, j), 0.0)
    return np.where(x == 0.0, off, np.abs(slope + derivative(penalty, x, j)))


@conjugate.of(Bridge)
def _(penalty, u, j):
    q = penalty.q
    if q < 1.0:
        return np.where(u == 0.0, 0.0, np.inf)
    if q == 1.0:
        return np.where(np.abs(u) <= penalty.alpha, 0.0 * u, np.inf)
    x = (np.abs(u) / (penalty.alpha * q)) ** (1.0 / (q - 1.0))
    return np.abs(u) * x - penalty.alpha * x**q


@reach.of(Bridge)
def _(penalty, u, j):
    if penalty.q > 1.0:
        return np.ones_like(u)
    if penalty.q == 1.0:
        return np.minimum(1.0, penalty.alpha / np.maximum(np.abs(u), 1e-300))
    return np.where(u == 0.0, 1.0, 0.0)
