"""Linear machines by dual coordinate descent with shrinking.

    ½‖w‖² + Σ Cᵢ ℓ(yᵢ, w·xᵢ + b),  the offset a weight like the others, of a column that holds `scale`

for hinge, squared hinge, ε-insensitive loss and its square. One state after one to five passes over the
rows still in play:

1. the rows in random order, a new one each time: blocks of rows that stay together, for the sake of memory, took four
   times as many passes on sparse text;
2. each one's coefficient to its best value, w kept up to date. The offset that all rows share binds them so tightly
   that each moves little at a time, so it only follows their coefficients in part, and the rest of the way between
   passes: of ½b² − (b·scale)Σβ, whose extremum over b is ½(scale·Σβ)², the extremum with (b − b_last)²/2τ added, as in
   the method of multipliers, which halves the passes on text;
3. rows at a bound with no wish to leave it are set aside; when the others are done, all come back;
4. every few passes the rows strictly inside their box, if they are not too many, move to the minimum over them alone,
   or as far towards it as the box allows: where few columns bind many rows, single rows get there slowly.

Syllabus: S3, S9.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from learnable._jit.core.vectors import rows_of
from learnable._jit.kernels.dual_descent import joint_steps, sweeps
from learnable.problems.kernels.kernel import squares
from learnable.problems.kernels.machines import values
from learnable.problems.linear.losses import Hinge, value
from learnable.problems.linear.margin_losses import SquaredHinge
from learnable.problems.linear.regression_losses import EpsilonInsensitive

# Passes between two joint steps of the free rows, and how many steps then.
TOGETHER, STEPS_TOGETHER = 5, 20
# Free rows that are solved for together, at most.
MOST_TOGETHER = 250
# Entries of X met in a state, at most, or one pass: small problems are not asked after every pass.
ENTRIES_A_ROUND = 2**20
# How much of the sum of the coefficients the offset follows within a pass, of the mean square of the rows; and how many
# times as much where it does not come nearer to that of the weights by this factor in a state.
FOLLOW, MORE, NEARER = 0.05, 10.0, 0.5
# Passes after which the gap is asked for, whatever the violation.
ASK = 50


class DescentState(NamedTuple):
    """After a pass or some.

    Attributes
    ----------
    objective : primal value when it was last computed.
    violation : largest less least slope met in the pass.
    relative_gap : primal less dual value over the primal one, when last computed.
    w : (p + 1,), the offset over `scale` last.
    beta : (n,).
    active : rows in play.
    passes : since the last state.
    """

    objective: float
    violation: float
    relative_gap: float
    w: np.ndarray
    beta: np.ndarray
    active: int
    passes: int = 1


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
    X: Any, y: np.ndarray, C: np.ndarray, loss: Any, scale: float, enough: float, random: np.random.Generator,
    most: float = np.inf,
) -> Iterator[DescentState]:  # fmt: skip
    """States from w = 0, until `most` passes are made, at least one; the gap is asked for at violation `enough`."""
    n, p = X.shape
    rows, dual = rows_of(X), dual_of(loss, y, C)
    square = squares(X) + dual.ridge
    follow = min(scale**2, FOLLOW * float(square.mean())) or scale**2
    own = np.column_stack([dual.lower, dual.upper, y, dual.ridge, square + follow])
    w, beta = np.zeros(p + 1), np.zeros(n)
    order, active = np.arange(n), n
    low, high, offset, lag, goal, passes, asked = -np.inf, np.inf, 0.0, np.inf, enough, 0, 0
    # At w = 0 nothing is known of the gap.
    primal, gap = float(C @ value(loss, y, np.zeros(n))), 1.0
    a_round = int(max(1, min(TOGETHER, ENTRIES_A_ROUND // max(rows.values.size, 1))))
    most = max(most, 1)
    while passes < most:
        # 1. to 3. Some passes over the rows in play, in random order.
        seed = np.uint64(random.bit_generator.random_raw())  # type: ignore[arg-type]
        active, low, high, offset, violation, made = sweeps(
            seed, rows, scale, w, beta, own, dual.epsilon, order, active, low, high, offset, follow, goal,
            min(a_round - passes % a_round, most - passes),
        )  # fmt: skip
        passes += made
        last, lag = lag, abs(offset - scale * w[-1])
        if lag > max(NEARER * last, 0.5 * violation) and follow < scale**2:
            before, follow = follow, min(scale**2, MORE * follow)
            own[:, 4] += follow - before
        # 4. Now and then the free rows are solved for together.
        if passes % TOGETHER == 0 and violation > goal:
            free = free_rows(dual, beta)
            # With many more rows than columns the minimum over them is far from what the box allows.
            if len(free) <= min(MOST_TOGETHER, 2 * p + 22):
                joint_steps(
                    rows, scale, w, beta, dual.lower, dual.upper, y, dual.ridge, dual.epsilon, free, STEPS_TOGETHER
                )
                offset = scale * w[-1]
        done = violation <= goal
        if (done and active == n) or passes - asked >= ASK:
            primal, gap = _values(X, y, C, loss, scale, w, beta)
            asked = passes
        if done:
            goal *= 0.5 if active == n else 1.0
            active, low, high = n, -np.inf, np.inf
        yield DescentState(primal, violation, gap, w, beta, active, made)


def free_rows(dual: LinearDual, beta: np.ndarray) -> np.ndarray:
    """The rows strictly inside their box, and not at the kink of ε|β|."""
    inside = (beta > dual.lower) & (beta < dual.upper)
    if dual.epsilon > 0.0:
        inside &= beta != 0.0
    return inside.nonzero()[0]


def _values(X, y, C, loss, scale, w, beta) -> tuple[float, float]:
    product = np.asarray(X @ w[:-1]).ravel() + scale * w[-1]
    found = values(loss, y, C, beta, product, 0.0)
    return found.primal, found.relative_gap
