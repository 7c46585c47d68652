"""The representer problem ½‖f‖² + Σ Cᵢ ℓ(yᵢ, f(xᵢ)) over f = Σ βᵢ k(·, xᵢ), for any convex loss.

Newton steps where the loss is smooth; where it has kinks dual descent on the points Φ with ΦΦᵀ = K, a linear machine
through the origin. Syllabus: K11, S10.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from learnable.problems.linear.losses import Hinge
from learnable.problems.linear.regression_losses import Absolute, EpsilonInsensitive
from learnable.solvers.kernels import dual_descent, empirical_map, kernel_newton
from learnable.solvers.kernels.dual_descent import DescentState
from learnable.solvers.kernels.kernel_newton import KernelNewtonState

KINKED = (Hinge, EpsilonInsensitive, Absolute)
# Where Newton steps end: the gradient over the length of f; where descent ends: its violation and its gap.
NEWTON, VIOLATION, GAP = 1e-9, 1e-6, 1e-7


def machines(
    K: np.ndarray, targets: Sequence[np.ndarray], C: np.ndarray, loss: Any
) -> Iterator[tuple[int, KernelNewtonState | DescentState]]:
    """(number, state) of a machine for each target, one after the other."""
    points = empirical_map.points(K) if isinstance(loss, KINKED) else None
    for number, target in enumerate(targets):
        for state in _smooth(K, target, C, loss) if points is None else _kinked(points, target, C, loss):
            yield number, state


def _smooth(K: np.ndarray, y: np.ndarray, C: np.ndarray, loss: Any) -> Iterator[KernelNewtonState]:
    for state in kernel_newton.iterates(K, y, C, loss):
        yield state
        if state.violation <= NEWTON:
            return


def _kinked(points: np.ndarray, y: np.ndarray, C: np.ndarray, loss: Any) -> Iterator[DescentState]:
    loss = EpsilonInsensitive(0.0) if isinstance(loss, Absolute) else loss
    unit = 1.0 if isinstance(loss, Hinge) else max(float(np.ptp(y)), np.finfo(float).tiny)
    for state in dual_descent.iterates(points, y, C, loss, 0.0, VIOLATION * unit, np.random.default_rng(0)):
        yield state
        if state.relative_gap <= GAP:
            return
