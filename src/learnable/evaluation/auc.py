"""The area under the ROC curve, P(score of a positive > score of a negative), with its interval."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._validation import check_equal_length, check_labels, check_values
from .interval import Interval, check_level
from .proportion import effective_interval


def auc_interval(y_true: ArrayLike, scores: ArrayLike, *, pos_label: Any = None, level: float = 0.95) -> Interval:
    """Area under the ROC curve θ = P(S⁺ > S⁻) + ½P(S⁺ = S⁻), with Wilson's interval at DeLong's variance.

    DeLong's variance V of θ̂ makes the n₊n₋ pairs worth θ̂(1−θ̂)/V independent rows, never fewer than min(n₊, n₋),
    since V ≤ θ(1−θ)/min(n₊, n₋) for every law. Wilson's interval with that number stays inside [0, 1] and does not
    collapse at θ̂ = 1. Approximate.

    Parameters
    ----------
    y_true : labels of two classes.
    scores : finite numbers, larger for the positive class; ties are allowed.
    pos_label : the positive class; by default the larger of the two.
    level : confidence level.

    Returns
    -------
    Interval whose n is the number of rows.

    Syllabus: E10.

    >>> from learnable.evaluation import auc_interval
    >>> print(auc_interval([0, 0, 1, 1, 1], [0.1, 0.6, 0.4, 0.7, 0.9]))
    0.83 [0.28, 0.98]
    """
    level = check_level(level, "auc_interval")
    y_true, _ = check_labels(y_true, y_true, "auc_interval")
    scores = check_values(scores, "auc_interval", "scores")
    check_equal_length("auc_interval", y_true=y_true, scores=scores)
    classes = np.unique(y_true)
    if len(classes) != 2:
        raise ValueError(f"auc_interval: y_true holds {len(classes)} classes; the area needs rows of exactly two")
    positive = classes[1] if pos_label is None else pos_label
    if positive not in classes:
        raise ValueError(f"auc_interval(pos_label={pos_label!r}): the classes are {classes.tolist()}")
    area, variance, smaller = delong(scores[y_true == positive], scores[y_true != positive])
    spread = area * (1 - area)
    worth = max(smaller, spread / variance) if spread > 0 and variance > 0 else smaller
    return effective_interval(area, worth, level=level)._replace(estimate=area, method="wilson_delong", n=len(y_true))


def delong(positives: NDArray, negatives: NDArray) -> tuple[float, float, int]:
    """The area, its variance by DeLong, DeLong and Clarke-Pearson (1988), and the smaller class size.

    Each row has a placement: the share of the other class it beats. Their means are the area; the variance is
    s²₊/n₊ + s²₋/n₋ of the placements. A class of one row adds none.

    >>> import numpy as np
    >>> from learnable.evaluation.auc import delong
    >>> area, variance, smaller = delong(np.array([0.4, 0.7, 0.9]), np.array([0.1, 0.6]))
    >>> round(area, 3), round(variance, 4), smaller
    (0.833, 0.0556, 2)
    """
    n_positive, n_negative = len(positives), len(negatives)
    ranks = _midranks(np.concatenate([positives, negatives]))
    above = (ranks[:n_positive] - _midranks(positives)) / n_negative
    below = 1 - (ranks[n_positive:] - _midranks(negatives)) / n_positive
    variance = sum(float(v.var(ddof=1)) / len(v) for v in (above, below) if len(v) > 1)
    return float(above.mean()), variance, min(n_positive, n_negative)


def _midranks(values: NDArray) -> NDArray:
    """Ranks from 1, equal values sharing the mean of theirs."""
    _, place, ties = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(ties) - (ties - 1) / 2)[place]
