"""The parts of a dense layer that are no matrix products, each in one pass over a batch and in place."""

import numpy as np

from learnable._jit.core.compile import kernel


@kernel
def bias_relu(u, bias):
    """u ← max(u + bias, 0)."""
    for i in range(u.shape[0]):
        for j in range(u.shape[1]):
            value = u[i, j] + bias[j]
            u[i, j] = value if value > 0.0 else u.dtype.type(0.0)


@kernel
def relu_back(delta, h, bias_slope):
    """δ ← δ f'(u) for f = relu, h = f(u); bias_slope ← Σ δ over the rows."""
    bias_slope[:] = 0.0
    for i in range(delta.shape[0]):
        # A product with 0 or 1 is vectorised, a choice between two values is not.
        for j in range(delta.shape[1]):
            delta[i, j] *= h[i, j] > 0.0
        for j in range(delta.shape[1]):
            bias_slope[j] += delta[i, j]


@kernel
def tanh_back(delta, h, bias_slope):
    """The same for f = tanh: f' = 1 − h²."""
    one = delta.dtype.type(1.0)
    bias_slope[:] = 0.0
    for i in range(delta.shape[0]):
        for j in range(delta.shape[1]):
            value = delta[i, j] * (one - h[i, j] * h[i, j])
            delta[i, j] = value
            bias_slope[j] += value


@kernel
def logistic_back(delta, h, bias_slope):
    """The same for f = the logistic function: f' = h (1 − h)."""
    one = delta.dtype.type(1.0)
    bias_slope[:] = 0.0
    for i in range(delta.shape[0]):
        for j in range(delta.shape[1]):
            value = delta[i, j] * (h[i, j] * (one - h[i, j]))
            delta[i, j] = value
            bias_slope[j] += value


@kernel
def identity_back(delta, h, bias_slope):
    """The same for f = the identity."""
    bias_slope[:] = 0.0
    for i in range(delta.shape[0]):
        for j in range(delta.shape[1]):
            bias_slope[j] += delta[i, j]


@kernel
def drop(h, uniform, rate, masked):
    """Inverted dropout: masked ← h times the mask; `uniform`, drawn from [0, 1), becomes the mask."""
    zero, scale = h.dtype.type(0.0), h.dtype.type(1.0 / (1.0 - rate))
    for i in range(h.shape[0]):
        for j in range(h.shape[1]):
            mask = scale if uniform[i, j] >= rate else zero
            uniform[i, j] = mask
            masked[i, j] = h[i, j] * mask


@kernel
def softmax_nll(u, bias, classes, weight, share, bias_slope):
    """Σ w (log Σ e^u − u_class), u including the bias; u becomes (softmax(u) − y) w · share, its sum bias_slope."""
    total = 0.0
    bias_slope[:] = 0.0
    weighted = weight.shape[0] > 0
    for i in range(u.shape[0]):
        top = -np.inf
        for j in range(u.shape[1]):
            u[i, j] += bias[j]
            top = max(top, u[i, j])
        norm = 0.0
        own = u[i, classes[i]] - top
        for j in range(u.shape[1]):
            e = np.exp(u[i, j] - top)
            u[i, j] = e
            norm += e
        w = weight[i] if weighted else 1.0
        total += w * (np.log(norm) - own)
        factor = w * share / norm
        for j in range(u.shape[1]):
            u[i, j] *= factor
        u[i, classes[i]] -= w * share
        for j in range(u.shape[1]):
            bias_slope[j] += u[i, j]
    return total
