"""Losses with a kink: what lowers them most, and their slope at the kink, as ours and as scikit-learn has them.

Any number between two middle rows is a median. Ours is the middle of these numbers; scikit-learn takes a percentile of
residuals without weights, which of other levels lowers the loss only nearly as much as any, and the least of the
numbers otherwise. At the kink its slope is that of numbers below.
"""

from typing import Any, NamedTuple

import numpy as np

from learnable.problems.ensembles import boosting_losses as smooth
from learnable.problems.ensembles.boosting_losses import AbsoluteLoss, QuantileLoss

# Sums of weights are rounded.
ROUNDING = 1e-12


class TheirPinball(NamedTuple):
    """`factor` (y − f)(level − [y < f]), of a fit of scikit-learn."""

    level: float
    factor: float


def as_theirs(loss: Any) -> Any:
    """The loss as scikit-learn has it.

    >>> as_theirs(AbsoluteLoss())
    TheirPinball(level=0.5, factor=2.0)
    """
    if isinstance(loss, AbsoluteLoss):
        return TheirPinball(0.5, 2.0)
    return TheirPinball(loss.level, 1.0) if isinstance(loss, QuantileLoss) else loss


def has_line_search(loss: Any) -> bool:
    """Whether leaves hold the best constant of their residuals rather than a Newton step."""
    return isinstance(loss, TheirPinball) or smooth.has_line_search(loss)


def loss_values(loss: Any, y: np.ndarray, f: np.ndarray) -> np.ndarray:
    """The loss of each row."""
    if not isinstance(loss, TheirPinball):
        return smooth.loss_values(loss, y, f)
    return loss.factor * (y - f) * (loss.level - (y < f))


def slopes(loss: Any, y: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(gradient, curvature) of the loss of each row in f."""
    if not isinstance(loss, TheirPinball):
        return smooth.slopes(loss, y, f)
    return loss.factor * ((y < f) - loss.level), np.ones(len(y))


def best_start(loss: Any, y: np.ndarray, weight: np.ndarray, stated: np.ndarray) -> np.ndarray:
    """(K,) the constant scores of least mean loss; the nearest to those stated where there are several."""
    if isinstance(loss, TheirPinball):
        return np.array([_percentile(y, loss.level, weight, float(stated[0]))])
    return smooth.best_start(loss, y, weight)


def leaf_constant(loss: Any, residual: np.ndarray, weight: np.ndarray, stated: float) -> float:
    """The number that lowers the loss of a leaf most; the nearest to the one stated where there are several."""
    if isinstance(loss, TheirPinball):
        return _percentile(residual, loss.level, weight, stated)
    return smooth.leaf_constant(loss, residual, weight)


def _percentile(y: np.ndarray, level: float, weight: np.ndarray, stated: float) -> float:
    """Of the percentiles that scikit-learn may take, the nearest to the number stated.

    >>> y = np.array([1.0, 2.0, 4.0, 10.0])
    >>> [_percentile(y, 0.5, weight, 9.0) for weight in (np.ones(4), np.array([1.0, 1.0, 1.0, 9.0]))]
    [4.0, 10.0]
    >>> round(_percentile(y, 0.25, np.ones(4), 1.7), 9), _percentile(y, 0.25, np.ones(4), 0.9)
    (1.75, 1.0)
    """
    order = np.argsort(y, kind="stable")
    below = np.cumsum(weight[order])
    places = np.searchsorted(below, np.array([level - ROUNDING, level + ROUNDING]) * below[-1])
    found = y[order[np.minimum(places, len(y) - 1)]].tolist()
    if (weight == weight[0]).all():
        found.append(float(np.percentile(y, 100.0 * level)))
    return float(min(found, key=lambda number: abs(number - stated)))
