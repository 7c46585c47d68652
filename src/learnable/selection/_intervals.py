"""Intervals for a mean of losses, by the evaluation room."""

import numpy as np
from numpy.typing import NDArray

from learnable.evaluation.interval import Interval
from learnable.evaluation.means import normal_interval
from learnable.evaluation.proportion import proportion_interval


def loss_interval(losses: NDArray, level: float) -> Interval:
    """Wilson's interval for 0-1 losses, which does not collapse at no mistakes; the normal one for the rest."""
    if np.isin(losses, (0.0, 1.0)).all():
        return proportion_interval(int(losses.sum()), len(losses), level=level, method="wilson")
    return normal_interval(losses, level=level)


def spread_interval(estimate: float, contributions: NDArray, level: float) -> Interval:
    """The normal interval of the contributions' mean, moved to `estimate`."""
    interval = normal_interval(contributions, level=level)
    return interval.shifted(estimate - interval.estimate)


def shown(interval: Interval) -> str:
    """`estimate [low, high]`."""
    return f"{interval.estimate:.4g} [{interval.low:.4g}, {interval.high:.4g}]"
