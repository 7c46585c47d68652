"""Newton's method with the curvature of a sample of the rows, corrected by the gradients met on the way.

A Hessian costs n p² operations, a gradient n p. Where n is much larger than p, the Hessian of a few thousand rows is
already within a few per cent of the whole. So: minimise over a small sample, from there over a larger one; from there,
take quasi-Newton steps on all rows, with the larger sample's Hessian as the metric and the last few (step, change of
gradient) pairs correcting it. Each step costs one pass over the rows.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from scipy import linalg

from learnable.solvers.linear import newton
from learnable.solvers.linear.metric import KeptCurvature, Metric
from learnable.solvers.linear.newton import NEAR, NewtonState, backtrack, finished

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


def iterates(
    objective, samples: Sequence, start: np.ndarray | None = None, enough: float = 0.0
) -> Iterator[NewtonState]:
    """States on all rows; `samples` are the same objective over samples of them, the largest last.

    `enough` as for `newton.iterates`.
    """
    theta = np.zeros(objective.shape) if start is None else start
    metric = None
    for sample in samples:
        # No further than the sampling error makes worth while.
        worth = 0.1 / np.sqrt(sample.rows.n_rows)
        for state in _search(sample, theta, metric):
            if state.gradient_norm <= worth or state.steps >= 20:
                break
        theta = state.theta
        factor, failed = linalg.lapack.dpotrf(sample.hessian(theta), lower=1)
        metric = None if failed else Metric(factor)
    yield from _search(objective, theta, metric, enough)


def _search(objective, theta: np.ndarray, metric: Metric | None, enough: float = 0.0) -> Iterator[NewtonState]:
    """Quasi-Newton steps until none improves the objective any more; Newton's where there is no metric to trust."""
    if metric is None:
        yield from newton.iterates(objective, theta, KeptCurvature(objective), enough)
        return
    steps = 0
    value, gradient = objective.value_and_gradient(theta)
    while True:
        state = NewtonState(value, objective.norm(gradient), theta, steps, 0)
        direction = -metric.solve(gradient)
        near = state.gradient_norm <= min(enough, NEAR)
        yield finished(objective, state, gradient, direction) if near else state
        found = backtrack(objective, theta, value, gradient, direction)
        if found is None:
            return
        moved, value, changed, _ = found
        metric.learn(moved - theta, changed - gradient)
        theta, gradient = moved, changed
        steps += 1
