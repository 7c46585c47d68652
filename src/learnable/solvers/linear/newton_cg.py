"""Truncated Newton: the Newton equations solved by conjugate gradients, for more parameters than a matrix can hold."""

from collections.abc import Callable, Iterator

import numpy as np

from learnable.solvers.linear.column_metric import ColumnMetric
from learnable.solvers.linear.newton import NewtonState, backtrack


def iterates(
    objective, start: np.ndarray | None = None, enough: float = 0.0, metric: ColumnMetric | None = None
) -> Iterator[NewtonState]:
    """States until no step improves the objective any more in floating point.

    Parameters
    ----------
    enough : norm of the gradient at which the caller will stop.
    metric : what is like the Hessian and easier to solve with, for fewer conjugate gradients.
    """
    theta = np.zeros(objective.shape) if start is None else np.array(start, dtype=float)
    value, gradient = objective.value_and_gradient(theta)
    yield NewtonState(value, objective.norm(gradient), theta, 0, 0)
    steps = 0
    while True:
        # Superlinear: the equations are solved the better the closer the minimum is, but not beyond what is asked for.
        size = float(np.linalg.norm(gradient))
        residual = max(min(0.5, np.sqrt(size)) * size, min(0.5 * objective.least(enough), 0.1 * size))
        near = None if metric is None else metric.at(theta)
        direction = conjugate_gradients(objective.hessian_product(theta), -gradient, residual, near=near)
        found = backtrack(objective, theta, value, gradient, direction)
        if found is None:
            return
        theta, value, gradient, halvings = found
        steps += 1
        yield NewtonState(value, objective.norm(gradient), theta, steps, halvings)


def conjugate_gradients(
    product: Callable, right: np.ndarray, tolerance: float, most: int = 250, near: Callable | None = None
) -> np.ndarray:
    """x with ‖product(x) − right‖ ≤ tolerance, for a positive semidefinite product; at most `most` products.

    `near` solves what is like product(x) = right: the more alike, the fewer products.

    >>> scale, solves = np.array([1.0, 100.0]), lambda right: right / scale
    >>> conjugate_gradients(lambda x: scale * x, np.array([1.0, 50.0]), 1e-9, most=1, near=solves)
    array([1. , 0.5])
    """
    near = near or np.copy
    x = np.zeros_like(right)
    residual = right.copy()
    nearer = near(residual)
    along = nearer.copy()
    size = float(np.sum(residual * nearer))
    for _ in range(most):
        if float(np.linalg.norm(residual)) <= tolerance:
            break
        image = product(along)
        curvature = float(np.sum(along * image))
        if curvature <= 1e-16 * float(np.sum(along**2)):
            # A flat direction: stop, with the first one if nothing was found yet.
            return x if x.any() else nearer
        length = size / curvature
        x += length * along
        residual -= length * image
        nearer = near(residual)
        size, before = float(np.sum(residual * nearer)), size
        along = nearer + (size / before) * along
    return x
