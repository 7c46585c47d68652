"""L-BFGS over all rows: quasi-Newton directions from the last steps, a line search by Wolfe's conditions.

The direction is −H g, H the inverse Hessian built by the two-loop recursion from the last `MEMORY` pairs
(s, q) = (step, change of the gradient); J falls with every state. Syllabus: NN3.
Reference: Nocedal and Wright, Numerical Optimization, algorithms 7.4, 7.5, 3.5 and 3.6.
"""

from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from learnable.trace import Status

# Pairs of steps and changes of slope that are kept, as scipy's L-BFGS does.
MEMORY = 10
# Wolfe's constants: enough descent, enough flattening.
DESCENT, FLATTENING = 1e-4, 0.9
LONGEST_SEARCH = 30
# A relative fall of J by less than this, in one step, is no progress.
LEAST_FALL = 64.0 * np.finfo(float).eps


class DescentState(NamedTuple):
    """A point of the descent.

    Attributes
    ----------
    objective : J.
    point, gradient : θ and ∇J(θ).
    steepest : largest entry of the gradient.
    evaluations : how often J has been computed.
    iteration : number of steps; 1 also for a start that is stationary already.
    settled : the status of a descent that has ended, else None.
    """

    objective: float
    point: np.ndarray
    gradient: np.ndarray
    steepest: float
    evaluations: int
    iteration: int
    settled: Status | None


Function = Callable[[np.ndarray], tuple[float, np.ndarray]]


def iterates(value_and_gradient: Function, start: np.ndarray, tol: float) -> Iterator[DescentState]:
    """States of the descent from `start`; settled when no entry of the gradient exceeds `tol`, or J falls no more."""
    point = np.array(start, dtype=float)
    counter = _Counter(value_and_gradient)
    value, gradient = counter(point)
    pairs: deque[tuple[np.ndarray, np.ndarray, float]] = deque(maxlen=MEMORY)
    settled, iteration = None, 0
    while True:
        steepest = float(np.max(np.abs(gradient), initial=0.0))
        if steepest <= tol:
            settled = Status.STATIONARY
        if iteration or settled is not None or not np.isfinite(value):
            at = max(iteration, 1)
            yield DescentState(value, point, gradient, steepest, counter.count, at, settled)
        if settled is not None or not np.isfinite(value):
            return
        iteration += 1
        direction = -_two_loops(gradient, pairs)
        slope = float(gradient @ direction)
        if not slope < 0.0:  # the pairs have lost their worth to rounding: begin again from the gradient
            pairs.clear()
            direction, slope = -gradient, -float(gradient @ gradient)
        first = 1.0 if pairs else min(1.0, 1.0 / float(np.abs(gradient).sum()))
        found = _search(counter, point, value, direction, slope, first)
        if found is None:
            settled = Status.STOPPED
            continue
        step, new_value, new_gradient = found
        s, q = step * direction, new_gradient - gradient
        if float(s @ q) > np.finfo(float).eps * float(q @ q):
            pairs.append((s, q, 1.0 / float(s @ q)))
        if value - new_value <= LEAST_FALL * max(abs(value), abs(new_value), np.finfo(float).tiny):
            settled = Status.STOPPED
        point, value, gradient = point + s, new_value, new_gradient


class _Counter:
    """Calls the function and counts the calls."""

    def __init__(self, function: Function):
        self.function, self.count = function, 0

    def __call__(self, point: np.ndarray) -> tuple[float, np.ndarray]:
        self.count += 1
        with np.errstate(over="ignore", invalid="ignore"):  # a value that is no number is a step too long
            value, gradient = self.function(point)
        return value, gradient.copy()


def _two_loops(gradient: np.ndarray, pairs) -> np.ndarray:
    """H g by the recursion over the pairs, from the newest to the oldest and back."""
    r, shares = gradient.copy(), []
    for s, q, rho in reversed(pairs):
        shares.append(rho * float(s @ r))
        r -= shares[-1] * q
    if pairs:
        s, q, rho = pairs[-1]
        r *= 1.0 / (rho * float(q @ q))
    for (s, q, rho), share in zip(pairs, reversed(shares)):
        r += (share - rho * float(q @ r)) * s
    return r


def _search(function: Function, point, value, direction, slope, first) -> tuple[float, float, np.ndarray] | None:
    """(step, J, ∇J) that satisfies Wolfe's conditions, by bracketing and bisection; None if none lowers J."""
    low, high, step = 0.0, np.inf, first
    best = None
    for _ in range(LONGEST_SEARCH):
        new_value, gradient = function(point + step * direction)
        if not new_value <= value + DESCENT * step * slope:  # also where J is not finite
            high = step
        else:
            best = step, new_value, gradient
            if float(gradient @ direction) >= FLATTENING * slope:
                return best
            low = step
        step = 0.5 * (low + high) if np.isfinite(high) else 2.0 * step
    return best
