"""A closer look at the chosen model: calibration, confusion, residuals, learning curve, coefficients."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from learnable.app.comparing import LEVEL, Metric, plain_interval
from learnable.app.result import Calibration, Coefficient, Confusion, LearningCurve, Residuals
from learnable.app.tuning import Fold
from learnable.app.workers import Deadline, run_tasks

BINS = 10
FEWEST_ROWS_OF_A_BIN = 5
MOST_POINTS = 2000
MOST_COEFFICIENTS = 50
CURVE_SHARES = (0.1, 0.2, 0.4, 0.7, 1.0)
FEWEST_CURVE_ROWS = 8


def calibration(model: Any, X: np.ndarray, y: np.ndarray) -> Calibration | None:
    """Predicted against observed frequency in bins of equal numbers of rows; of the last class of two.

    None for more than two classes, or for a model without probabilities.
    """
    from learnable.evaluation import calibration_table

    if not hasattr(model, "predict_proba") or len(model.classes_) != 2:
        return None
    positive, probability = model.classes_[1], model.predict_proba(X)[:, 1]
    bins = min(BINS, max(len(y) // FEWEST_ROWS_OF_A_BIN, 1))
    found = calibration_table(y, probability, pos_label=positive, bins=bins, strategy="quantile", level=LEVEL)
    return Calibration(
        str(positive),
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
    from sklearn.base import clone

    X, y = fold.X[:size], fold.y[:size]
    try:
        model = clone(estimator).fit(X, y)
        training = metric.losses(y, model.predict(X)).mean()
        return float(training), float(metric.losses(fold.y_valid, model.predict(fold.X_valid)).mean())
    except Exception:
        # Too few rows for this learner: a hole in the curve, not a failure of the run.
        return float("nan"), float("nan")


def coefficients(model: Any, features: Sequence[str], most: int = MOST_COEFFICIENTS) -> list[Coefficient]:
    """The weights of a linear model on the coded features, the largest first; empty for another model."""
    weights = getattr(model, "coef_", None)
    if weights is None or np.shape(weights)[-1] != len(features):
        return []
    rows = np.atleast_2d(weights)
    outputs = [str(one) for one in model.classes_] if len(rows) > 1 else [""]
    found = [
        Coefficient(str(feature), float(weight), output)
        for row, output in zip(rows, outputs)
        for feature, weight in zip(features, row)
        if weight != 0
    ]
    return sorted(found, key=lambda one: -abs(one.weight))[:most]


def columns_used(model: Any, owners: Sequence[str]) -> int | None:
    """Number of columns of the table that have a non-zero weight; None for a model without weights.

    `owners` names the column behind each coded feature.
    """
    weights = getattr(model, "coef_", None)
    if weights is None:
        return None
    active = np.any(np.atleast_2d(weights), axis=0).tolist()
    return len({owner for owner, used in zip(owners, active) if used})
