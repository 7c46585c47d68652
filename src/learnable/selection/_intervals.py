"""Intervals for a mean of losses, by the evaluation room."""

import numpy as np
from numpy.typing import NDArray

from learnable.evaluation.interval import Interval
from learnable.evaluation.means import normal_interval
from learnable.evaluation.prediction_losses import PREDICTION_LOSSES, zero_one_loss
from learnable.evaluation.proportion import proportion_interval
from learnable.selection._inputs import Loss


def loss_interval(losses: NDArray, level: float, loss: Loss) -> Interval:
    """Wilson's interval for the 0-1 loss, which does not collapse at no mistakes; the normal one for the rest.

    Another loss has no bound that is known, and values that are all equal do not tell how it spreads: nothing is then
    excluded but what is below the least loss possible.

    >>> from learnable.selection._inputs import squared_loss, zero_one_loss
    >>> shown(loss_interval(np.zeros(20), 0.95, zero_one_loss)), shown(loss_interval(np.zeros(20), 0.95, squared_loss))
    ('0 [0, 0.1611]', '0 [0, inf]')
    """
    if loss is zero_one_loss and np.isin(losses, (0.0, 1.0)).all():
        return proportion_interval(int(losses.sum()), len(losses), level=level, method="wilson")
    interval = normal_interval(losses, level=level)
    if np.all(losses == losses[0]):
        least = 0.0 if loss in PREDICTION_LOSSES.values() else -np.inf
        return interval._replace(low=least, high=np.inf, method="unbounded")
    return interval


def spread_interval(estimate: float, contributions: NDArray, level: float) -> Interval:
    """The normal interval of the contributions' mean, moved to `estimate`."""
    interval = normal_interval(contributions, level=level)
    return interval.shifted(estimate - interval.estimate)


def shown(interval: Interval) -> str:
    """`estimate [low, high]`."""
    return f"{interval.estimate:.4g} [{interval.low:.4g}, {interval.high:.4g}]"
