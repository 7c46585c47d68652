"""Losses of a prediction, entry by entry, by the names that every room of evaluation and selection uses."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

PredictionLoss = Callable[[NDArray, NDArray], NDArray]


def zero_one_loss(y: NDArray, prediction: NDArray) -> NDArray:
    """1 where the prediction is not y, 0 elsewhere.

    >>> zero_one_loss(np.array(["a", "b"]), np.array(["a", "a"]))
    array([0., 1.])
    """
    return (np.asarray(y) != np.asarray(prediction)).astype(float)


def squared_loss(y: NDArray, prediction: NDArray) -> NDArray:
    """(y − prediction)²."""
    return np.subtract(y, prediction, dtype=float) ** 2


def absolute_loss(y: NDArray, prediction: NDArray) -> NDArray:
    """|y − prediction|."""
    return np.abs(np.subtract(y, prediction, dtype=float))


PREDICTION_LOSSES: dict[str, PredictionLoss] = {
    "zero_one": zero_one_loss,
    "squared": squared_loss,
    "absolute": absolute_loss,
}
