"""The representer problem ½‖f‖² + Σ Cᵢ ℓ(yᵢ, f(xᵢ)) over f = Σ βᵢ k(·, xᵢ), for any convex loss.

In the points Φ with ΦΦᵀ = K it is a linear machine through the origin: Newton steps on the weights where the loss is
smooth, dual descent where it has kinks. Syllabus: K11, S10.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from learnable.problems.linear.losses import Hinge
from learnable.problems.linear.regression_losses import Absolute, EpsilonInsensitive
from learnable.solvers.kernels import dual_descent, primal_newton
from learnable.solvers.kernels.dual_descent import DescentState

KINKED = (Hinge, EpsilonInsensitive, Absolute)
# Where Newton steps end: the gradient over the length of the weights; where descent ends: its violation and its gap.
NEWTON, VIOLATION, GAP = 1e-9, 1e-6, 1e-7


def iterates(
    points: np.ndarray, y: np.ndarray, C: np.ndarray, loss: Any, random: np.random.Generator
) -> Iterator[DescentState]:
    """States until the end: β of the last one is −C ∂ℓ of its scores, or the dual solution."""
    if not isinstance(loss, KINKED):
        for state in primal_newton.iterates(points, y, C, loss, 0.0):
            yield state
            if state.violation <= NEWTON:
                return
        return
    if isinstance(loss, Absolute):
        loss = EpsilonInsensitive(0.0)
    unit = 1.0 if isinstance(loss, Hinge) else max(float(np.ptp(y)), np.finfo(float).tiny)
    for state in dual_descent.iterates(points, y, C, loss, 0.0, VIOLATION * unit, random):
        yield state
        if state.relative_gap <= GAP:
            return
