"""Plain gradient descent with a constant step, and the bound that convexity and smoothness give it.

For a convex, L-smooth J and a step η ≤ 1/L: J(θ_k) − J(θ*) ≤ ‖θ_0 − θ*‖² / (2 η k). Syllabus: O1.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np


class GradientState(NamedTuple):
    """After a step (the first state is the start).

    Attributes
    ----------
    objective : J(θ).
    gradient_norm : largest |∂J/∂θ_j|.
    theta : parameters.
    largest_change : largest |change of a parameter| in the step that led here; infinite at the start.
    """

    objective: float
    gradient_norm: float
    theta: np.ndarray
    largest_change: float


def iterates(
    value_and_gradient: Callable[[np.ndarray], tuple[float, np.ndarray]], start: np.ndarray, step: float
) -> Iterator[GradientState]:
    """θ ← θ − step · ∇J(θ), forever.

    >>> from itertools import islice
    >>> square = lambda t: (float(t @ t), 2 * t)
    >>> [state.objective for state in islice(iterates(square, np.array([1.0]), 0.25), 3)]
    [1.0, 0.25, 0.0625]
    """
    theta, change = np.array(start, dtype=float), np.inf
    while True:
        value, gradient = value_and_gradient(theta)
        yield GradientState(value, float(np.abs(gradient).max(initial=0.0)), theta, change)
        move = -step * gradient
        theta, change = theta + move, float(np.abs(move).max(initial=0.0))


def suboptimality_bound(distance: float, step: float, k: int) -> float:
    """‖θ_0 − θ*‖² / (2 η k), the guarantee after k steps.

    >>> suboptimality_bound(2.0, 0.5, 4)
    1.0
    """
    return distance**2 / (2.0 * step * k)
