"""A closer look at the chosen model: calibration, confusion, residuals, learning curve."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from learnable.app.judging.figures import rarer
from learnable.app.judging.metrics import LEVEL, Metric, plain_interval
from learnable.app.result import Calibration, Confusion, LearningCurve, Residuals
from learnable.app.trials.fitting import Output, fit, output_of, uncertified
from learnable.app.trials.tuning import Fold
from learnable.app.trials.workers import Deadline, run_tasks

# Of a calibration curve, each with rows enough for its interval to say something; points that a plot can show.
BINS = 10
FEWEST_ROWS_OF_A_BIN = 5
MOST_POINTS = 2000
TOP_CLASS = "the class that was called"
CURVE_SHARES = (0.1, 0.2, 0.4, 0.7, 1.0)
FEWEST_CURVE_ROWS = 8


def calibration(y: np.ndarray, output: Output) -> Calibration | None:
    """Predicted against observed frequency in bins of equal numbers of rows; of the class to be found (`rarer`) of two.

    For more classes: how often the class called is the true one, by the probability it was given. None for a model
    without probabilities.
    """
    from learnable.evaluation import calibration_table

    if output.probability is None or output.classes is None or len(y) < FEWEST_ROWS_OF_A_BIN:
        return None
    if len(output.classes) == 2:
        positive = rarer(y, output.classes)
        truth, probability = y == positive, output.probability[:, list(output.classes).index(positive)]
    else:
        positive = TOP_CLASS
        truth = y == output.classes[np.argmax(output.probability, axis=1)]
        probability = output.probability.max(axis=1)
    bins = min(BINS, max(len(y) // FEWEST_ROWS_OF_A_BIN, 1))
    if truth.all() or not truth.any():
        return None
    found = calibration_table(truth, probability, pos_label=True, bins=bins, strategy="quantile", level=LEVEL)
    return Calibration(
        positive,
        [one.predicted for one in found],
        [plain_interval(one.observed) for one in found],
        [int(one.observed.n) for one in found],
    )


def confusion(y: np.ndarray, predicted: np.ndarray, levels: Sequence[str]) -> Confusion:
    """How often each class is called each class.

    >>> confusion(np.array(["a", "b", "b"]), np.array(["a", "a", "b"]), ["a", "b"]).counts
    [[1, 0], [1, 1]]
    """
    place = {level: position for position, level in enumerate(levels)}
    counts = np.zeros((len(levels), len(levels)), dtype=int)
    np.add.at(counts, ([place[one] for one in y.tolist()], [place[one] for one in predicted.tolist()]), 1)
    return Confusion(list(levels), counts.tolist())


def residuals(y: np.ndarray, predicted: np.ndarray, rng: np.random.Generator) -> Residuals:
    """True minus predicted; a random sample of the rows when there are many."""
    rows = np.arange(len(y)) if len(y) <= MOST_POINTS else np.sort(rng.choice(len(y), MOST_POINTS, replace=False))
    return Residuals(predicted[rows].astype(float).tolist(), (y - predicted)[rows].astype(float).tolist())


def curve_sizes(n: int) -> list[int]:
    """Numbers of training rows at which the learning curve is measured.

    >>> curve_sizes(100)
    [10, 20, 40, 70, 100]
    """
    return sorted({max(int(share * n), min(n, FEWEST_CURVE_ROWS)) for share in CURVE_SHARES})


def learning_curve(
    estimator: Any, folds: Sequence[Fold], metric: Metric, jobs: int, deadline: Deadline, finished: Any
) -> LearningCurve | None:
    """Loss on training and on validation rows as the training rows grow, over the same folds.

    The rows of a fold stand in random order, so the first m of them are a random m. Sizes at which some fit fails
    (a class missing among few rows) are left out.
    """
    sizes = curve_sizes(min(len(fold.y) for fold in folds))
    tasks = [partial(_losses_at, estimator, fold, size, metric) for size in sizes for fold in folds]
    outcomes = np.array(run_tasks(tasks, jobs, deadline, finished)).reshape(len(sizes), len(folds), 2)
    usable = [place for place in range(len(sizes)) if np.isfinite(outcomes[place]).all()]
    if not usable:
        return None
    n_valid = np.array([len(fold.y_valid) for fold in folds])
    curves = [
        [
            metric.over_folds(outcomes[place, :, side].tolist(), np.full(len(folds), sizes[place]), n_valid)
            for place in usable
        ]
        for side in (0, 1)
    ]
    return LearningCurve([sizes[place] for place in usable], *curves)


def _losses_at(estimator: Any, fold: Fold, size: int, metric: Metric) -> tuple[float, float]:
    X, y = fold.X[:size], fold.y[:size]
    try:
        weight = None if fold.weight is None else fold.weight[:size]
        with uncertified():
            model = fit(estimator, {}, X, y, weight)
        training = metric.score(y, output_of(model, X).over(fold.levels), weight)
        return training, metric.score(fold.y_valid, output_of(model, fold.X_valid).over(fold.levels), fold.weight_valid)
    except Exception:
        # Too few rows for this learner: a hole in the curve, not a failure of the run.
        return float("nan"), float("nan")
