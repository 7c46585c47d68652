"""Activations h = f(u) with their derivatives, elementwise, for any array of the array API. Syllabus: NN1.

| name     | f(u)            | f'(u) by u and h = f(u)        |
| -------- | --------------- | ------------------------------ |
| identity | u               | 1                              |
| logistic | 1 / (1 + e^−u)  | h (1 − h)                      |
| tanh     | tanh u          | 1 − h²                         |
| relu     | max(u, 0)       | 1 for u > 0, else 0 (also at 0)|
"""

from collections.abc import Callable
from typing import Any, NamedTuple


class Activation(NamedTuple):
    """An activation.

    Attributes
    ----------
    value : (xp, u) -> f(u), where xp is the namespace of the array u.
    slope : (xp, h) -> f'(u), written by h = f(u).
    lipschitz : the least L with |f(u) − f(v)| ≤ L |u − v|.
    at_zero : f(0).
    """

    value: Callable[[Any, Any], Any]
    slope: Callable[[Any, Any], Any]
    lipschitz: float
    at_zero: float


def logistic(xp, u):
    """1 / (1 + e^−u) without overflow: e^−|u| ≤ 1 in both halves."""
    small = xp.exp(-xp.abs(u))
    return xp.where(u >= 0.0, 1.0 / (1.0 + small), small / (1.0 + small))


ACTIVATIONS = {
    "identity": Activation(lambda xp, u: u, lambda xp, h: xp.ones_like(h), 1.0, 0.0),
    "logistic": Activation(logistic, lambda xp, h: h * (1.0 - h), 0.25, 0.5),
    "tanh": Activation(lambda xp, u: xp.tanh(u), lambda xp, h: 1.0 - h * h, 1.0, 0.0),
    "relu": Activation(lambda xp, u: xp.clip(u, 0.0, None), lambda xp, h: xp.astype(h > 0.0, h.dtype), 1.0, 0.0),
}
