"""Figures of a fitted model on rows it was not trained on, each with its interval."""

from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np

from learnable.app.comparing import LEVEL, METRICS, plain_interval
from learnable.app.result import Interval
from learnable.panel import Task

RESAMPLES = 2000


def held_out_figures(model: Any, X: np.ndarray, y: np.ndarray, task: Task) -> tuple[Interval, dict[str, Interval]]:
    """The mean loss by which learners are compared, and further figures by name."""
    predicted = model.predict(X)
    losses = METRICS[task].losses(y, predicted)
    if not np.isfinite(losses).all():
        raise FloatingPointError("the predictions are not finite")
    loss = METRICS[task].interval(losses)
    if task == "regression":
        return loss, regression_figures(y, predicted, loss)
    return loss, classification_figures(model, X, y, predicted)


def regression_figures(y: np.ndarray, predicted: np.ndarray, squared: Interval) -> dict[str, Interval]:
    """Root mean squared error, mean absolute error and R².

    `squared` is the mean squared error with its interval: the root is increasing, so the interval of the root has the
    roots of its ends. R² is a ratio of means and gets the BCa bootstrap; where a resample may have no spread (nearly
    all values of y are equal) it is left out.

    >>> y = np.arange(20.0)
    >>> found = regression_figures(y, y + np.tile([1.0, -1.0], 10), Interval(1.0, 1.0, 1.0))
    >>> print(found["mean absolute error"], found["R²"])
    1 [1, 1] 0.97 [0.956, 0.979]
    """
    from learnable.evaluation import bootstrap_interval, t_interval

    absolute = plain_interval(t_interval(np.abs(y - predicted), level=LEVEL))
    figures = {
        "root mean squared error": replace(
            squared, estimate=sqrt(squared.estimate), low=sqrt(squared.low), high=sqrt(squared.high)
        ),
        "mean absolute error": replace(absolute, low=max(absolute.low, 0.0)),
    }
    if y.min() == y.max():
        return figures
    try:
        # A fixed seed: the same rows have the same interval.
        found = bootstrap_interval("r2", y, predicted, n_resamples=RESAMPLES, level=LEVEL, random_state=0)
    except ValueError:
        return figures
    return figures | {"R²": plain_interval(found)}


def classification_figures(model: Any, X: np.ndarray, y: np.ndarray, predicted: np.ndarray) -> dict[str, Interval]:
    """Balanced error rate, from the recalls of the classes that occur, and log loss of a model with probabilities."""
    from learnable.evaluation import LOSSES, balanced_accuracy, t_interval

    balanced = balanced_accuracy(y, predicted, level=LEVEL).negated().shifted(1.0)
    figures = {"balanced error rate": plain_interval(balanced)}
    # One row says nothing of the spread of its loss.
    if hasattr(model, "predict_proba") and len(y) > 1:
        losses = LOSSES["log"].per_row(y, model.predict_proba(X), model.classes_)
        loss = plain_interval(t_interval(losses, level=LEVEL))
        figures["log loss"] = replace(loss, low=max(loss.low, 0.0))
    return figures
