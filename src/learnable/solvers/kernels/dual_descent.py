"""Linear machines by dual coordinate descent with shrinking.

    ½‖w‖² + Σ Cᵢ ℓ(yᵢ, w·xᵢ + b),  the offset a weight like the others, of a column that holds `scale`

for hinge, squared hinge, ε-insensitive loss and its square. One state a pass over the rows still in play:

1. the rows in random order, a new one each time: blocks of rows that stay together, for the sake of memory, took four
   times as many passes on sparse text;
2. each one's coefficient to its best value, w kept up to date;
3. rows at a bound with no wish to leave it are set aside; when the others are done, all come back;
4. every few passes the rows strictly inside their box, if they are not too many, move to the minimum over them alone,
   or as far towards it as the box allows: where few columns bind many rows, single rows get there slowly.

Syllabus: S3, S9.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg.lapack import dposv

from learnable._jit.core.vectors import rows_of
from learnable._jit.kernels.dual_descent import sweep
from learnable.problems.kernels.kernel import squares
from learnable.problems.kernels.machines import values
from learnable.problems.linear.losses import Hinge
from learnable.problems.linear.margin_losses import SquaredHinge
from learnable.problems.linear.regression_losses import EpsilonInsensitive
from learnable.rows.threads import one_blas_thread

# Passes between two joint steps of the free rows, and how many steps then.
TOGETHER, STEPS_TOGETHER = 5, 20
# Passes after which the gap is asked for, whatever the violation.
ASK = 50
TINY = float(np.finfo(float).tiny)


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
        low, high = least if least < 0.0 else -np.inf, largest if largest > 0.0 else np.inf
        passes += 1
        # 4. Now and then the free rows are solved for together.
        if passes % TOGETHER == 0 and violation > goal:
            with one_blas_thread():
                for _ in range(STEPS_TOGETHER):
                    if not free_rows_step(X, y, dual, scale, w, beta):
                        break
        done = violation <= goal
        if (done and active == n) or passes % ASK == 0:
            primal, gap = _values(X, y, C, loss, scale, w, beta)
        if done:
            goal *= 0.5 if active == n else 1.0
            active, low, high = n, -np.inf, np.inf
        yield DescentState(primal, violation, gap, w, beta, active)


def free_rows_step(X, y, dual: LinearDual, scale: float, w: np.ndarray, beta: np.ndarray) -> bool:
    """One step of the free rows towards their joint minimum, in place; whether a bound stopped it."""
    inside = (beta > dual.lower) & (beta < dual.upper)
    if dual.epsilon > 0.0:
        inside &= beta != 0.0
    free = np.flatnonzero(inside)
    # With many more rows than columns the minimum over them is far from what the box allows.
    if not 0 < len(free) <= min(1000, 2 * len(w) + 20):
        return False
    A = X[free].toarray() if sparse.issparse(X) else X[free]
    A = np.column_stack([A, np.full(len(free), scale)])
    slope = A @ w - y[free] + dual.ridge[free] * beta[free] + dual.epsilon * np.sign(beta[free])
    bend = A @ A.T
    bend.ravel()[:: len(free) + 1] += dual.ridge[free] + 1e-10 * max(float(np.trace(bend)), TINY)
    _, step, failed = dposv(bend, -slope)
    if failed:
        return False
    now = beta[free]
    low, high = dual.lower[free], dual.upper[free]
    if dual.epsilon > 0.0:  # not across the kink of ε|β|
        low, high = np.where(now > 0.0, np.maximum(low, 0.0), low), np.where(now < 0.0, np.minimum(high, 0.0), high)
    room = np.where(step > 0.0, high - now, low - now)
    share = np.divide(room, step, out=np.full(len(free), np.inf), where=step != 0.0)
    first = int(np.argmin(share))
    length = min(1.0, float(share[first]))
    beta[free] = np.clip(now + length * step, low, high)
    if length < 1.0:
        beta[free[first]] = high[first] if step[first] > 0.0 else low[first]
    w += (beta[free] - now) @ A
    return length < 1.0


def _values(X, y, C, loss, scale, w, beta) -> tuple[float, float]:
    product = np.asarray(X @ w[:-1]).ravel() + scale * w[-1]
    found = values(loss, y, C, beta, product, 0.0)
    return found.primal, found.relative_gap
