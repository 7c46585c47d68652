"""Figures of a model on rows it was not trained on, each with its interval."""

from dataclasses import replace

import numpy as np

from learnable.app.judging.metrics import BY_KEY, LEVEL, Metric, in_one_order, plain_interval
from learnable.app.result import Interval
from learnable.app.trials.fitting import Output

# Of a percentile interval: its ends are then known to about 2 % of its width.
RESAMPLES = 2000
RARE = 0.05
"""Share of the rarer of two classes below which finding it comes before being right."""
STATED_PRECISION = 0.5


def further_figures(
    y: np.ndarray, output: Output, metric: Metric, weight: np.ndarray | None = None
) -> dict[str, Interval]:
    """Figures beside the loss by which learners are compared, by name; smaller is not always better.

    Errors are those of the classes that are called, with costs those that cost least.
    """
    y, output, weight = in_one_order(y, metric.decided(output), weight)
    if metric.task == "regression":
        found = regression_figures(y, output, weight)
    else:
        found = classification_figures(y, output, weight)
    return {name: one for name, one in found.items() if name != metric.name}


def regression_figures(y: np.ndarray, output: Output, weight: np.ndarray | None = None) -> dict[str, Interval]:
    """Root mean squared error, R² and mean absolute error.

    The root is increasing, so the interval of the root has the roots of the ends of that of the mean squared error. R²
    is a ratio of means and gets the BCa bootstrap; where a resample may have no spread (nearly all values of y are
    equal) it is left out, and so it is with weights.

    >>> y = np.arange(20.0)
    >>> found = regression_figures(y, Output(y + np.tile([1.0, -1.0], 10)))
    >>> print(found["mean absolute error"], round(found["R²"].estimate, 2))
    1 [1, 1] 0.97
    """
    from learnable.evaluation import bootstrap_interval

    squared, absolute = (BY_KEY[key].on(y, output, weight) for key in ("rmse", "mae"))
    if squared is None or absolute is None:
        return {}
    figures = {"root mean squared error": BY_KEY["rmse"].show(squared)}
    if y.min() < y.max() and weight is None:
        try:
            # A fixed seed: the same rows, in the same order, have the same interval.
            ratio = bootstrap_interval("r2", y, output.predicted, repeats=RESAMPLES, level=LEVEL, random_state=0)
            figures["R²"] = plain_interval(ratio)
        except ValueError:
            pass
    return figures | {"mean absolute error": absolute}


def classification_figures(y: np.ndarray, output: Output, weight: np.ndarray | None = None) -> dict[str, Interval]:
    """Error rate, balanced error rate, log loss; of two classes AUC too, and for a rare one what finding it takes."""
    figures = {}
    for key in ("error", "balanced_error", "log_loss"):
        if key != "log_loss" or output.probability is not None:
            found = BY_KEY[key].on(y, output, weight) if len(y) > 1 else None
            if found is not None:
                figures[BY_KEY[key].name] = found
    if output.probability is None or output.classes is None or len(output.classes) != 2:
        return figures
    positive = rarer(y, output.classes)
    scores = output.probability[:, list(output.classes).index(positive)]
    is_positive = y == positive
    if 1 < is_positive.sum() < len(y):
        figures |= ranking_figures(is_positive, scores)
    return figures


def rarer(y: np.ndarray, classes: np.ndarray) -> str:
    """The class to be found: the rarer of two where one is rare, else the last."""
    shares = [float(np.mean(y == level)) for level in classes]
    return str(classes[int(np.argmin(shares))] if min(shares) < RARE else classes[1])


def ranking_figures(positive: np.ndarray, scores: np.ndarray) -> dict[str, Interval]:
    """Area under the ROC curve, and for a rare class average precision and recall at a stated precision."""
    from learnable.evaluation import auc_interval

    figures = {"AUC": plain_interval(auc_interval(positive, scores, pos_label=True, level=LEVEL))}
    if positive.mean() < RARE:
        rng = np.random.default_rng(0)
        estimates = average_precision(positive, scores), recall_at(positive, scores, STATED_PRECISION)
        sides = [np.flatnonzero(positive), np.flatnonzero(~positive)]
        order = np.argsort(-scores, kind="stable")
        last = np.flatnonzero(np.diff(scores[order], append=np.nan) != 0)
        draws = []
        for _ in range(500):  # sorted once: a row drawn twice counts twice
            rows = np.concatenate([rng.choice(side, len(side)) for side in sides])
            times = np.bincount(rows, minlength=len(scores))[order]
            precision, recall = _precision_recall(positive[order], times, last)
            draws.append(
                (
                    float(np.diff(recall, prepend=0.0) @ precision),
                    float(recall[precision >= STATED_PRECISION].max(initial=0.0)),
                )
            )
        ends = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
        names = ("average precision", f"recall at {100 * STATED_PRECISION:g}% precision")
        for place, name in enumerate(names):
            low, high = float(ends[0, place]), float(ends[1, place])
            figures[name] = Interval(
                estimates[place], min(low, estimates[place]), max(high, estimates[place]), LEVEL, "bootstrap by class"
            )
    return figures


def average_precision(positive: np.ndarray, scores: np.ndarray) -> float:
    """Mean precision over the positives, each at its own score.

    >>> round(average_precision(np.array([True, False, True]), np.array([0.9, 0.8, 0.7])), 4)
    0.8333
    """
    precision, recall = precision_recall(positive, scores)
    return float(np.sum(np.diff(np.concatenate([[0.0], recall])) * precision))


def recall_at(positive: np.ndarray, scores: np.ndarray, precision: float) -> float:
    """The largest recall of a threshold with at least that precision; 0 when none has it."""
    found, recall = precision_recall(positive, scores)
    return float(recall[found >= precision].max(initial=0.0))


def precision_recall(positive: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Precision and recall at every distinct score, from the highest down."""
    order = np.argsort(-scores, kind="stable")
    last = np.flatnonzero(np.diff(scores[order], append=np.nan) != 0)
    return _precision_recall(positive[order], np.ones(len(order), dtype=int), last)


def _precision_recall(positive: np.ndarray, times: np.ndarray, last: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same of rows sorted by score that count so many times each; `last` ends the rows of a score."""
    hits, called = np.cumsum(positive * times)[last], np.cumsum(times)[last]
    return hits / np.maximum(called, 1), hits / max((positive * times).sum(), 1)


def lead_figures(figures: dict[str, Interval]) -> list[str]:
    """Names of the figures that come first for a rare class."""
    return [
        name
        for name in ("average precision", f"recall at {100 * STATED_PRECISION:g}% precision", "AUC")
        if name in figures
    ]


def of_model(y: np.ndarray, output: Output, metric: Metric, weight: np.ndarray | None = None):
    """The loss by which learners are compared on these rows, and the further figures."""
    loss = metric.on(y, output, weight)
    figures = further_figures(y, output, metric, weight)
    if loss is None:
        raise FloatingPointError("the loss cannot be had on these rows")
    return replace(loss), figures
