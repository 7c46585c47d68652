"""One step of descent over all parameters, in one pass: penalty, momentum or moments, and the move itself.

The first `n_weights` entries are weights and bear the penalties ½ l2 w² + l1 |w|; biases, scales and shifts do not.
Each returns the penalty before the step.
"""

import numpy as np

from learnable._jit.core.compile import kernel


@kernel
def momentum_step(theta, gradient, velocity, n_weights, l2, l1, rate, momentum, nesterov):
    """v ← μ v − η g; θ ← θ + v, or θ + μ v − η g where the step looks ahead (Nesterov)."""
    penalty = 0.0
    for j in range(theta.shape[0]):
        g, w = gradient[j], theta[j]
        if j < n_weights:
            g += l2 * w + l1 * np.sign(w)
            penalty += 0.5 * l2 * w * w + l1 * abs(w)
        v = momentum * velocity[j] - rate * g
        velocity[j] = v
        theta[j] = w + (momentum * v - rate * g if nesterov else v)
    return penalty


@kernel
def adam_step(theta, gradient, first, second, n_weights, l2, l1, rate, beta_1, beta_2, epsilon):
    """m ← β₁ m + (1 − β₁) g; s ← β₂ s + (1 − β₂) g²; θ ← θ − rate m / (√s + ε)."""
    penalty = 0.0
    one = theta.dtype.type(1.0)
    for j in range(theta.shape[0]):
        g, w = gradient[j], theta[j]
        if j < n_weights:
            g += l2 * w + l1 * np.sign(w)
            penalty += 0.5 * l2 * w * w + l1 * abs(w)
        m = beta_1 * first[j] + (one - beta_1) * g
        s = beta_2 * second[j] + (one - beta_2) * (g * g)
        first[j], second[j] = m, s
        theta[j] = w - np.divide(rate * m, np.sqrt(s) + epsilon)
    return penalty
