"""What a network puts out and how it is judged: o = f(u) and ℓ(y, u), summed over the outputs of a row.

| name            | o           | ℓ                                     | ∂ℓ/∂u            | rows |
| --------------- | ----------- | ------------------------------------- | ---------------- | ---- |
| identity        | u           | ½ ‖y − u‖²                            | o − y            | NN2  |
| logistic        | σ(u)        | Σ log(1 + e^u) − y u                  | o − y            | NN4  |
| softmax         | e^u / Σ e^u | log Σ e^u − y·u                       | o − y            | NN4  |
| exp             | e^u         | Σ e^u − y u + y log y − y (Poisson)   | o − y            |      |
| sigmoid_squared | σ(u)        | ½ ‖y − o‖² (the sigmoid unit)         | (o − y) o (1 − o)| NN2  |

The first four are pairs of an output with the loss that makes ∂ℓ/∂u = o − y.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from learnable.problems.neural.activations import logistic


class Output(NamedTuple):
    """An output with its loss; every function takes the namespace xp first.

    Attributes
    ----------
    value : (xp, u) -> o.
    loss : (xp, y, u) -> ℓ of each row.
    slope : (xp, y, o) -> ∂ℓ/∂u.
    """

    value: Callable[[Any, Any], Any]
    loss: Callable[[Any, Any, Any], Any]
    slope: Callable[[Any, Any, Any], Any]


def _difference(xp, y, o):
    return o - y


def _rows(xp, terms):
    return xp.sum(terms, axis=1)


def _softmax(xp, u):
    shifted = xp.exp(u - xp.max(u, axis=1, keepdims=True))
    return shifted / xp.sum(shifted, axis=1, keepdims=True)


def _softmax_loss(xp, y, u):
    top = xp.max(u, axis=1, keepdims=True)
    return xp.log(_rows(xp, xp.exp(u - top))) + top[:, 0] - _rows(xp, y * u)


def _logistic_loss(xp, y, u):
    # log(1 + e^u) = max(u, 0) + log(1 + e^−|u|)
    return _rows(xp, xp.where(u > 0.0, u, xp.zeros_like(u)) + xp.log1p(xp.exp(-xp.abs(u))) - y * u)


def _poisson_loss(xp, y, u):
    y_log_y = y * xp.log(xp.where(y > 0.0, y, xp.ones_like(y)))
    return _rows(xp, xp.exp(u) - y * u + y_log_y - y)


OUTPUTS = {
    "identity": Output(lambda xp, u: u, lambda xp, y, u: 0.5 * _rows(xp, (y - u) ** 2), _difference),
    "logistic": Output(logistic, _logistic_loss, _difference),
    "softmax": Output(_softmax, _softmax_loss, _difference),
    "exp": Output(lambda xp, u: xp.exp(u), _poisson_loss, _difference),
    "sigmoid_squared": Output(
        logistic,
        lambda xp, y, u: 0.5 * _rows(xp, (y - logistic(xp, u)) ** 2),
        lambda xp, y, o: (o - y) * o * (1.0 - o),
    ),
}
