"""Linear machines by dual coordinate descent with shrinking.

    ½‖w‖² + Σ Cᵢ ℓ(yᵢ, w·xᵢ + b),  the offset a weight like the others, of a column that holds `scale`

for hinge, squared hinge, ε-insensitive loss and its square. One state a pass over the rows still in play:

1. the rows in random order;
2. each one's coefficient to its best value, w kept up to date;
3. rows at a bound with no wish to leave it are set aside; when the others are done, all come back.

Syllabus: S3, S9.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from learnable._jit.core.vectors import rows_of
from learnable._jit.kernels.dual_descent import sweep
from learnable.problems.kernels.kernel import squares
from learnable.problems.kernels.machines import values
from learnable.problems.linear.losses import Hinge
from learnable.problems.linear.margin_losses import SquaredHinge
from learnable.problems.linear.regression_losses import EpsilonInsensitive

# Passes after which the gap is asked for, whatever the violation.
ASK = 50


class DescentState(NamedTuple):
    """After a pass.

    Attributes
    ----------
    objective : primal value when it was last computed.
    violation : largest less least slope met in the pass.
    relative_gap : primal less dual value over the primal one, when last computed.
    w : (p + 1,), the offset over `scale` last.
    beta : (n,).
    active : rows in play.
    """

    objective: float
    violation: float
    relative_gap: float
    w: np.ndarray
    beta: np.ndarray
    active: int


class LinearDual(NamedTuple):
    """The dual: box, ε, what is added to the diagonal."""

    lower: np.ndarray
    upper: np.ndarray
    epsilon: float
    ridge: np.ndarray


def dual_of(loss: Any, y: np.ndarray, C: np.ndarray) -> LinearDual:
    """Box and diagonal of the dual of a loss. A squared loss has no upper bound but ½β²/(2C) of its own."""
    hinge = isinstance(loss, Hinge | SquaredHinge)
    bounded = isinstance(loss, Hinge | EpsilonInsensitive)
    most = C if bounded else np.where(C > 0.0, np.inf, 0.0)
    ridge = np.zeros(len(y)) if bounded else np.divide(0.5, C, out=np.zeros(len(y)), where=C > 0.0)
    if hinge:
        return LinearDual(np.where(y > 0.0, 0.0, -most), np.where(y > 0.0, most, 0.0), 0.0, ridge)
    return LinearDual(-most, most, float(loss.epsilon), ridge)


def iterates(
    X: Any, y: np.ndarray, C: np.ndarray, loss: Any, scale: float, enough: float, random: np.random.Generator
) -> Iterator[DescentState]:
    """Endless states from w = 0; `enough` is the violation at which the caller begins to ask for the gap."""
    n, p = X.shape
    rows, dual = rows_of(X), dual_of(loss, y, C)
    square = squares(X) + scale**2 + dual.ridge
    w, beta = np.zeros(p + 1), np.zeros(n)
    order, active = np.arange(n), n
    low, high, goal, passes = -np.inf, np.inf, enough, 0
    primal, gap = _values(X, y, C, loss, scale, w, beta)
    while True:
        # 1. Random order of those in play.
        order[:active] = order[random.permutation(active)]
        # 2. One pass.
        active, least, largest = sweep(
            rows, scale, w, beta, dual.lower, dual.upper, y, dual.ridge, dual.epsilon, square, order, active, low, high
        )
        violation = max(largest, 0.0) - min(least, 0.0)
        # 3. Who is set aside next, and whether those in play are done.
        low, high = (min(least, -np.finfo(float).tiny), max(largest, np.finfo(float).tiny))
        if largest <= 0.0:
            high = np.inf
        if least >= 0.0:
            low = -np.inf
        passes += 1
        done = violation <= goal
        if (done and active == n) or passes % ASK == 0:
            primal, gap = _values(X, y, C, loss, scale, w, beta)
        if done:
            goal *= 0.5 if active == n else 1.0
            active, low, high = n, -np.inf, np.inf
        yield DescentState(primal, violation, gap, w, beta, active)


def _values(X, y, C, loss, scale, w, beta) -> tuple[float, float]:
    product = np.asarray(X @ w[:-1]).ravel() + scale * w[-1]
    found = values(loss, y, C, beta, product, 0.0)
    return found.primal, found.relative_gap
