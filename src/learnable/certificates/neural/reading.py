"""A fitted network as the verifier reads it: its own way forward and back, in double precision, rows at a time.

Batch normalisation is one gain and one centre a unit, s = (h W + b − mean) gain + shift; every function is SciPy's.
Nothing here is shared with the code that trained.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, log_softmax, softmax, xlogy

from learnable.rows.stretches import stretches

EPS = float(np.finfo(float).eps)
BATCH_NORM_EPSILON = 1e-5

_VALUES: dict[str, Any] = {
    "identity": np.copy,
    "logistic": expit,
    "tanh": np.tanh,
    "relu": lambda s: np.maximum(s, 0.0),
}
_SLOPES: dict[str, Any] = {
    "identity": np.ones_like,
    "logistic": lambda s: expit(s) * expit(-s),
    "tanh": lambda s: 1.0 / np.cosh(np.clip(s, -300.0, 300.0)) ** 2,
    "relu": lambda s: (s > 0.0).astype(float),
}


class Normalisation(NamedTuple):
    """Of one layer: running mean, deviation √(variance + ε), scale and shift."""

    mean: np.ndarray
    deviation: np.ndarray
    scale: np.ndarray
    shift: np.ndarray


class Reading(NamedTuple):
    """A network and its problem."""

    activation: str
    output: str
    coefs: list[np.ndarray]
    intercepts: list[np.ndarray]
    normal: list[Normalisation]
    l2: float
    l1: float

    @property
    def arrays(self) -> list[np.ndarray]:
        """Every array of parameters: weights, biases, scales, shifts."""
        scales, shifts = [each.scale for each in self.normal], [each.shift for each in self.normal]
        return [*self.coefs, *self.intercepts, *scales, *shifts]

    def moved(self, direction: list[np.ndarray], step: float) -> "Reading":
        """The network with its parameters moved along a direction, in the order of `arrays`."""
        there = [array + step * change for array, change in zip(self.arrays, direction)]
        L, H = len(self.coefs), len(self.normal)
        normal = [
            each._replace(scale=scale, shift=shift)
            for each, scale, shift in zip(self.normal, there[2 * L : 2 * L + H], there[2 * L + H :])
        ]
        return self._replace(coefs=there[:L], intercepts=there[L : 2 * L], normal=normal)

    def inner(self, k: int, h: Any) -> np.ndarray:
        """What the activation of hidden layer k is applied to."""
        s = np.asarray(h @ self.coefs[k]) + self.intercepts[k]
        if not self.normal:
            return s
        mean, deviation, scale, shift = self.normal[k]
        return (s - mean) / deviation * scale + shift

    def scores(self, X: Any) -> np.ndarray:
        """u of the last layer, for all rows."""
        return np.concatenate([self._forward(part)[-1] for _, part in stretches(X)])

    def _forward(self, X: Any) -> list[np.ndarray]:
        """What each hidden activation is applied to, then u."""
        inner, h = [], X
        for k in range(len(self.coefs) - 1):
            inner.append(self.inner(k, h))
            h = _VALUES[self.activation](inner[-1])
        return [*inner, np.asarray(h @ self.coefs[-1]) + self.intercepts[-1]]

    def penalty(self) -> float:
        """½ l2 ‖W‖² + l1 ‖W‖₁."""
        squares = sum(float(np.vdot(W, W)) for W in self.coefs)
        return 0.5 * self.l2 * squares + self.l1 * sum(float(np.abs(W).sum()) for W in self.coefs)

    def objective(self, X: Any, y: np.ndarray, weight: np.ndarray) -> tuple[float, int]:
        """J, weights adding up to 1, and a number that tells which units of relu are on in which rows."""
        total, pattern = 0.0, 0
        for rows, part in stretches(X):
            *inner, u = self._forward(part)
            total += float(weight[rows] @ self.losses(y[rows], u))
            if self.activation == "relu":
                pattern = hash((pattern, *(np.packbits(s > 0.0).tobytes() for s in inner)))
        return total + self.penalty(), pattern

    def losses(self, y: np.ndarray, u: np.ndarray) -> np.ndarray:
        """ℓ of each row."""
        if self.output == "softmax":
            return -np.sum(y * log_softmax(u, axis=1), axis=1)
        if self.output == "logistic":
            return np.sum(np.logaddexp(0.0, u) - y * u, axis=1)
        if self.output == "exp":
            return np.sum(np.exp(u) - y * u + xlogy(y, y) - y, axis=1)
        if self.output == "sigmoid_squared":
            return 0.5 * np.sum((y - expit(u)) ** 2, axis=1)
        return 0.5 * np.sum((y - u) ** 2, axis=1)

    def outputs(self, u: np.ndarray) -> np.ndarray:
        """What the network puts out."""
        squash: dict[str, Any] = {"softmax": lambda v: softmax(v, axis=1), "exp": np.exp, "identity": np.copy}
        return squash.get(self.output, expit)(u)

    def slopes(self, y: np.ndarray, u: np.ndarray) -> np.ndarray:
        """∂ℓ/∂u."""
        o = self.outputs(u)
        return (o - y) * o * (1.0 - o) if self.output == "sigmoid_squared" else o - y

    def back(self, X: Any, y: np.ndarray, weight: np.ndarray) -> Iterator["Part"]:
        """For each stretch of rows: its share of J and of ∂J, and what rounding may have done to them."""
        for rows, part in stretches(X):
            *inner, u = self._forward(part)
            left = [part, *(_VALUES[self.activation](s) for s in inner)]
            delta = self.slopes(y[rows], u) * weight[rows, None]
            loss, pull = float(weight[rows] @ self.losses(y[rows], u)), float(np.abs(delta).sum())
            W_slopes, b_slopes, scales, shifts = [], [], [], []
            for k in reversed(range(len(self.coefs))):
                if k < len(inner):
                    delta = delta * _SLOPES[self.activation](inner[k])
                    if self.normal:
                        at = self.normal[k]
                        raw = (np.asarray(left[k] @ self.coefs[k]) + self.intercepts[k] - at.mean) / at.deviation
                        scales.append(np.sum(delta * raw, axis=0))
                        shifts.append(delta.sum(axis=0))
                        delta = delta * (at.scale / at.deviation)
                W_slopes.append(np.asarray(left[k].T @ delta))
                b_slopes.append(delta.sum(axis=0))
                if k:
                    delta = delta @ self.coefs[k].T
            kinks = [float(np.abs(s).min(initial=np.inf)) for s in inner] if self.activation == "relu" else []
            sizes = [_size(h) for h in left]
            yield Part(
                loss, [*W_slopes[::-1], *b_slopes[::-1], *scales[::-1], *shifts[::-1]], pull, sizes,
                _size(u), min(kinks, default=np.inf),
            )  # fmt: skip


class Part(NamedTuple):
    """Of some rows: loss, ∂J without the penalty, Σ |δ|, largest entry of each layer and of u, nearest kink of relu."""

    loss: float
    gradient: list[np.ndarray]
    pull: float
    sizes: list[float]
    largest: float
    kink: float


def _size(h: Any) -> float:
    return float(abs(h).max()) if min(h.shape) else 0.0


class Standing(NamedTuple):
    """A network on its rows.

    Attributes
    ----------
    objective, gradient : J and ∂J, in the order of `Reading.arrays`.
    rounding : what J may be off by.
    roundings : what the length of each array of the gradient may be off by.
    kink : distance of the nearest unit to the kink of relu, in units of its rounding.
    """

    objective: float
    gradient: list[np.ndarray]
    rounding: float
    roundings: np.ndarray
    kink: float


def standing(net: Reading, X: Any, y: np.ndarray, weight: np.ndarray) -> Standing:
    """How a network stands on its rows; the weights add up to 1."""
    parts = list(net.back(X, y, weight))
    gradient = [np.sum([part.gradient[k] for part in parts], axis=0) for k in range(len(parts[0].gradient))]
    for k, W in enumerate(net.coefs):
        gradient[k] = gradient[k] + net.l2 * W + net.l1 * np.sign(W)
    L = len(net.coefs)
    sizes = np.max([part.sizes for part in parts], axis=0)
    # Rounding of u: unit by unit, a sum of products of what enters and the weights, layer after layer.
    reach, width = 0.0, max(max(W.shape) for W in net.coefs)
    factors = [_lipschitz(net, k) for k in range(L)]
    for k, W in enumerate(net.coefs):
        terms = float(sizes[k] * np.abs(W).sum(axis=0).max() + np.abs(net.intercepts[k]).max(initial=0.0))
        if net.normal and k < L - 1:
            at = net.normal[k]
            terms = float(np.max((terms + np.abs(at.mean)) * np.abs(at.scale) / at.deviation + np.abs(at.shift)))
        reach = reach * factors[k] + terms
    grain = EPS * (np.sqrt(width) + np.sqrt(X.shape[0]) + 16.0)
    if net.output == "exp":
        reach *= max(1.0, float(np.exp(min(max(part.largest for part in parts), 700.0))))
    objective = sum(part.loss for part in parts) + net.penalty()
    pull = sum(part.pull for part in parts)
    # Back: δ is off by its own size and by the rounding of u, and passes through the weights.
    off, back = pull + reach, np.empty(L)
    for k in reversed(range(L)):
        back[k] = off
        off *= factors[k]
    units = np.sqrt([max(W.shape) for W in net.coefs])
    weights = back * (sizes[:L] * units + np.array([net.l2 * np.linalg.norm(W) for W in net.coefs]))
    rest = np.array([*(back * units), *np.repeat(0.0, 2 * len(net.normal))])
    if net.normal:
        H = len(net.normal)
        # What multiplies the scale has about unit size, but a running mean far away makes it larger.
        spread = np.array([1.0 + reach / float(at.deviation.min()) for at in net.normal])
        rest[-2 * H :] = np.tile(back[1:] * factors[1:] * units[:-1] * spread, 2)
    roundings = grain * (np.concatenate([weights, rest]) + 1.0 * np.array([np.linalg.norm(g) for g in gradient]))
    kink = min(part.kink for part in parts) / max(grain * reach, np.finfo(float).tiny)
    return Standing(objective, gradient, grain * (pull * reach + abs(objective) + reach**2 * grain), roundings, kink)


def _lipschitz(net: Reading, k: int) -> float:
    """How much layer k can enlarge a small change, at most: the length of its weights times its gain."""
    W = net.coefs[k]
    if net.normal and k < len(net.coefs) - 1:
        W = W * (net.normal[k].scale / net.normal[k].deviation)
    return float(np.linalg.norm(W))
