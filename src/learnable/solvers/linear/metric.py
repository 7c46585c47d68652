"""A Hessian that outlives its point: corrected by the gradients met on the way, renewed when it no longer serves."""

from collections import deque

import numpy as np
from scipy import linalg

from learnable.solvers.linear.newton import SecondOrder, all_but_dependent, newton_direction

# Pairs of steps and changes of slope that are kept, as L-BFGS commonly does.
MEMORY = 10
# A Hessian is kept as long as each step brings the gradient below this share of what it was.
KEPT = 0.2


class Metric:
    """A Hessian LLᵀ corrected by the last (step, change of gradient) pairs: limited-memory BFGS."""

    def __init__(self, factor: np.ndarray):
        self.factor = factor
        self.pairs: deque[tuple[np.ndarray, np.ndarray]] = deque(maxlen=MEMORY)

    def learn(self, step: np.ndarray, change: np.ndarray) -> None:
        if float(np.sum(step * change)) > 0.0:
            self.pairs.append((step, change))

    def solve(self, gradient: np.ndarray) -> np.ndarray:
        """Its inverse times the gradient."""
        g = gradient.copy()
        weights = []
        for step, change in reversed(self.pairs):
            a = np.sum(step * g) / np.sum(step * change)
            g -= a * change
            weights.append(a)
        direction = linalg.cho_solve((self.factor, True), g.T.ravel()).reshape(g.shape[::-1]).T
        for (step, change), a in zip(self.pairs, reversed(weights)):
            b = np.sum(change * direction) / np.sum(step * change)
            direction += (a - b) * step
        return direction


class KeptCurvature:
    """Curvature for `newton.iterates` where a Hessian costs many gradients: near the minimum it hardly changes."""

    dear = True

    def __init__(self, objective: SecondOrder):
        self.objective = objective
        self.metric: Metric | None = None
        self.steps = 0  # made with this Hessian

    def direction(self, theta: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """−H⁻¹ g with the Hessian in hand, or with that at θ where there is none."""
        if self.metric is None:
            H = self.objective.hessian(theta)
            factor, failed = linalg.lapack.dpotrf(H, lower=1)
            if failed or all_but_dependent(H, factor):
                design = self.objective.weighted_design(theta)
                if failed or design is not None:
                    return -newton_direction(H, gradient, lambda: design)
            self.metric, self.steps = Metric(factor), 0
        return -self.metric.solve(gradient)

    def learn(self, step: np.ndarray, before: np.ndarray, after: np.ndarray) -> None:
        """Keep the Hessian if it brought the gradient down far enough."""
        self.steps += 1
        if self.metric is not None:
            self.metric.learn(step, after - before)
        if np.abs(after).max() > KEPT * np.abs(before).max():
            self.metric = None

    def renew(self) -> bool:
        """Whether the Hessian in hand is that of an earlier point; it is given up then."""
        old = self.metric is not None and self.steps > 0
        if old:
            self.metric = None
        return old
