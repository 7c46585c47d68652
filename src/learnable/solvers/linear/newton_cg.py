"""Truncated Newton: the Newton equations solved by conjugate gradients, for more parameters than a matrix can hold."""

from collections.abc import Callable, Iterator

import numpy as np

from learnable.solvers.linear.newton import NewtonState, backtrack


def iterates(objective, start: np.ndarray | None = None, enough: float = 0.0) -> Iterator[NewtonState]:
    """States until no step improves the objective any more in floating point.

    Parameters
    ----------
    enough : norm of the gradient at which the caller will stop.
    """
    theta = np.zeros(objective.shape) if start is None else np.array(start, dtype=float)
    value, gradient = objective.value_and_gradient(theta)
    yield NewtonState(value, objective.norm(gradient), theta, 0, 0)
    steps = 0
    while True:
        # Superlinear: the equations are solved the better the closer the minimum is, but not beyond what is asked for.
        size = float(np.linalg.norm(gradient))
        residual = max(min(0.5, np.sqrt(size)) * size, min(0.5 * objective.least(enough), 0.1 * size))
        direction = conjugate_gradients(objective.hessian_product(theta), -gradient, residual)
        found = backtrack(objective, theta, value, gradient, direction)
        if found is None:
            return
        theta, value, gradient, halvings = found
        steps += 1
        yield NewtonState(value, objective.norm(gradient), theta, steps, halvings)


def conjugate_gradients(product: Callable, right: np.ndarray, tolerance: float, most: int = 250) -> np.ndarray:
    """x with ‖product(x) − right‖ ≤ tolerance, for a positive semidefinite product; at most `most` products."""
    x = np.zeros_like(right)
    residual = right.copy()
    along = residual.copy()
    norm2 = float(np.sum(residual**2))
    for _ in range(most):
        if np.sqrt(norm2) <= tolerance:
            break
        image = product(along)
        curvature = float(np.sum(along * image))
        if curvature <= 1e-16 * float(np.sum(along**2)):
            # A flat direction: stop, with the plain gradient if nothing was found yet.
            return x if x.any() else right
        length = norm2 / curvature
        x += length * along
        residual -= length * image
        norm2, before = float(np.sum(residual**2)), norm2
        along = residual + (norm2 / before) * along
    return x
