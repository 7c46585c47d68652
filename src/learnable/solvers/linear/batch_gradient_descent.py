"""Batch gradient descent watched by its weights: θ ← θ − η ∇J(θ), until no weight changes by more than d₀.

The largest change is η times the largest entry of the gradient: a small one may mean a small rate, so it is no proof
of a minimum. The gradient norm is reported beside it. Syllabus: O3, O4 (the delta rule, on `problems.units`), C11.
"""

from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from learnable.solvers.linear import gradient_descent
from learnable.solvers.linear.gradient_descent import GradientState


def iterates(
    value_and_gradient: Callable[[np.ndarray], tuple[float, np.ndarray]], start: np.ndarray, rate: float
) -> Iterator[GradientState]:
    """One state per step, without end; stop with `trace.reached("largest_change", d0, Status.STATIONARY)`.

    >>> from learnable.problems.linear.units import LinearUnitLoss
    >>> from learnable.trace import Status, drive, reached
    >>> unit = LinearUnitLoss(np.array([[1.0], [2.0]]), np.array([2.0, 4.0]))
    >>> end = drive(iterates(unit.value_and_gradient, np.zeros(1), 0.1),
    ...             reached("largest_change", 1e-9, Status.STATIONARY))
    >>> end.state.theta.round(6), str(end.status)
    (array([2.]), 'stationary')
    """
    return islice(gradient_descent.iterates(value_and_gradient, start, rate), 1, None)
