"""Rules of descent: how a gradient moves the parameters. Syllabus: O2, O3, NN2.

Gradient descent is `Momentum(momentum=0)` over all rows, stochastic gradient descent the same over one, mini-batches
over some. A rule keeps vectors of its own beside the parameters and works in place: on NumPy by a compiled pass, on
tensors by the same formulas written out.
"""

from typing import Any

import numpy as np


class Penalties:
    """½ l2 ‖w‖² + l1 ‖w‖₁ over the first `n_weights` entries of the parameters."""

    def __init__(self, n_weights: int, l2: float, l1: float):
        self.n_weights, self.l2, self.l1 = n_weights, l2, l1

    def add_slope(self, theta: Any, gradient: Any) -> Any:
        """Add the slope to the gradient and return the penalty."""
        w, g = theta[: self.n_weights], gradient[: self.n_weights]
        penalty: Any = 0.0
        if self.l2:
            penalty = penalty + 0.5 * self.l2 * (w * w).sum()
            g += self.l2 * w
        if self.l1:
            penalty = penalty + self.l1 * abs(w).sum()
            g += self.l1 * (w > 0) - self.l1 * (w < 0)
        return penalty


def clip(gradient: Any, norm: float) -> None:
    """Shorten the gradient, in place, to length `norm` if it is longer; its direction stays.

    >>> gradient = np.array([3.0, 4.0])
    >>> clip(gradient, 1.0)
    >>> gradient
    array([0.6, 0.8])
    """
    length = (gradient * gradient).sum() ** 0.5
    gradient *= norm / length.clip(norm)


class Momentum:
    """v ← μ v − η g; θ ← θ + v, or θ ← θ + μ v − η g with Nesterov's look ahead."""

    def __init__(self, theta: Any, penalties: Penalties, momentum: float, nesterov: bool, clip_norm: float | None):
        self.penalties, self.momentum, self.nesterov, self.clip_norm = penalties, momentum, nesterov, clip_norm
        self.velocity = theta * 0

    def step(self, theta: Any, gradient: Any, rate: float) -> Any:
        """Move θ; returns the penalty before the move."""
        penalties, numbers = self.penalties, isinstance(theta, np.ndarray)
        penalty: Any = 0.0
        if self.clip_norm is not None or not numbers:
            penalty = penalties.add_slope(theta, gradient)
            penalties = Penalties(0, 0.0, 0.0)
        if self.clip_norm is not None:
            clip(gradient, self.clip_norm)
        if numbers:
            from learnable._jit.neural.descent import momentum_step

            number = theta.dtype.type
            return penalty + momentum_step(
                theta, gradient, self.velocity, penalties.n_weights, number(penalties.l2), number(penalties.l1),
                number(rate), number(self.momentum), self.nesterov,
            )  # fmt: skip
        gradient *= -rate
        self.velocity *= self.momentum
        self.velocity += gradient
        if self.nesterov:
            theta += gradient
            theta += self.momentum * self.velocity
        else:
            theta += self.velocity
        return penalty


class Adam:
    """m ← β₁ m + (1 − β₁) g; s ← β₂ s + (1 − β₂) g²; θ ← θ − η √(1 − β₂ᵗ)/(1 − β₁ᵗ) · m / (√s + ε)."""

    def __init__(
        self, theta: Any, penalties: Penalties, beta_1: float, beta_2: float, epsilon: float, clip_norm: float | None
    ):
        self.penalties, self.clip_norm = penalties, clip_norm
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon
        self.first, self.second, self.t = theta * 0, theta * 0, 0

    def step(self, theta: Any, gradient: Any, rate: float) -> Any:
        """Move θ; returns the penalty before the move."""
        self.t += 1
        rate = rate * (1.0 - self.beta_2**self.t) ** 0.5 / (1.0 - self.beta_1**self.t)
        penalties, numbers = self.penalties, isinstance(theta, np.ndarray)
        penalty: Any = 0.0
        if self.clip_norm is not None or not numbers:
            penalty = penalties.add_slope(theta, gradient)
            penalties = Penalties(0, 0.0, 0.0)
        if self.clip_norm is not None:
            clip(gradient, self.clip_norm)
        if numbers:
            from learnable._jit.neural.descent import adam_step

            number = theta.dtype.type
            return penalty + adam_step(
                theta, gradient, self.first, self.second, penalties.n_weights, number(penalties.l2),
                number(penalties.l1), number(rate), number(self.beta_1), number(self.beta_2), number(self.epsilon),
            )  # fmt: skip
        self.first *= self.beta_1
        self.first += (1.0 - self.beta_1) * gradient
        self.second *= self.beta_2
        self.second += (1.0 - self.beta_2) * gradient * gradient
        theta -= rate * self.first / (self.second**0.5 + self.epsilon)
        return penalty
