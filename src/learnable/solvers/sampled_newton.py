"""Newton's method with the curvature of a sample of the rows, corrected by the gradients met on the way.

A Hessian costs n p² operations, a gradient n p. Where n is much larger than p, the Hessian of a few thousand rows is
already within a few per cent of the whole. So: minimise over a small sample, from there over a larger one; from there,
take quasi-Newton steps on all rows, with the larger sample's Hessian as the metric and the last few (step, change of
gradient) pairs correcting it. Each step costs one pass over the rows.
"""

from collections import deque
from collections.abc import Iterator, Sequence

import numpy as np
from scipy import linalg

from learnable.solvers import newton
from learnable.solvers.newton import NewtonState, backtrack

MEMORY = 10
# Rows a parameter in the samples.
SMALL, LARGE = 25, 150


def sample_places(n_rows: int, parameters: int) -> list[np.ndarray]:
    """Which rows make the samples, the largest last; none where there are too few rows for sampling to pay.

    Any fixed choice serves: it shapes the steps, not the answer.

    >>> [len(places) for places in sample_places(200_000, 101)], sample_places(20_000, 101)
    ([2525, 15150], [])
    """
    small, large = (k * max(parameters, 50) for k in (SMALL, LARGE))
    if n_rows < 4 * large:
        return []
    chosen = np.random.default_rng(0).choice(n_rows, large, replace=False, shuffle=False)
    return [np.sort(chosen[:small]), np.sort(chosen)]


def iterates(objective, samples: Sequence, start: np.ndarray | None = None) -> Iterator[NewtonState]:
    """States on all rows; `samples` are the same objective over samples of them, the largest last."""
    theta = np.zeros(objective.shape) if start is None else start
    for sample in samples:
        theta = _minimum_of_sample(sample, theta)
    factor = linalg.cho_factor(samples[-1].hessian(theta), lower=True)
    value, gradient = objective.value_and_gradient(theta)
    pairs: deque[tuple[np.ndarray, np.ndarray]] = deque(maxlen=MEMORY)
    steps = 0
    while True:
        yield NewtonState(value, float(np.abs(gradient).max(initial=0.0)), theta, steps, 0)
        found = backtrack(objective, theta, value, gradient, -_apply_inverse(factor, pairs, gradient))
        if found is None:
            return
        moved, value, changed, _ = found
        step, change = moved - theta, changed - gradient
        if float(np.sum(step * change)) > 0.0:
            pairs.append((step, change))
        theta, gradient = moved, changed
        steps += 1


def _minimum_of_sample(sample, start: np.ndarray) -> np.ndarray:
    """Newton's method on the sample, no further than its sampling error makes worth while."""
    enough = 0.1 / np.sqrt(sample.rows.n_rows)
    for state in newton.iterates(sample, start):
        if state.gradient_norm <= enough or state.steps >= 20:
            break
    return state.theta


def _apply_inverse(factor, pairs, gradient: np.ndarray) -> np.ndarray:
    """Limited-memory BFGS: (the sample's Hessian, corrected by the pairs)⁻¹ times the gradient."""
    g = gradient.copy()
    weights = []
    for step, change in reversed(pairs):
        a = np.sum(step * g) / np.sum(step * change)
        g -= a * change
        weights.append(a)
    direction = linalg.cho_solve(factor, g.T.ravel()).reshape(g.shape[::-1]).T
    for (step, change), a in zip(pairs, reversed(weights)):
        b = np.sum(change * direction) / np.sum(step * change)
        direction += (a - b) * step
    return direction
