"""Learning curve, calibration and residuals as plain data with intervals; pictures are drawn elsewhere."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from learnable.config import config_context
from learnable.plain import plain

from ._validation import check_equal_length, check_labels, check_method, check_number, check_values
from .interval import Interval, check_level
from .means import t_interval
from .proportion import proportion_interval
from .scores import score_with_interval


class LearningCurve(NamedTuple):
    """Scores of an estimator fitted on more and more rows.

    Attributes
    ----------
    sizes : numbers of training rows.
    training : score on the rows fitted on, at each size.
    test : score on the same held-out rows, at each size.
    """

    sizes: list[int]
    training: list[Interval]
    test: list[Interval]


def learning_curve(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    sizes: Sequence[float] = (0.1, 0.2, 0.4, 0.7, 1.0),
    test_size: float = 0.25,
    scoring: Any = None,
    level: float = 0.95,
    random_state: int | None = 0,
    n_jobs: int | None = None,
) -> LearningCurve:
    """Fit on nested subsets of the training rows, score on them and on one held-out set.

    Parameters
    ----------
    estimator : not fitted; cloned for every size.
    X, y : all rows.
    sizes : fractions of the training rows in (0, 1], or whole numbers of rows.
    test_size : fraction of all rows held out (stratified by class for classifiers).
    scoring, level : as `score_with_interval`.
    random_state : seed of the split and of bootstrap intervals.
    n_jobs : sizes fitted at once.

    Syllabus: D1, E10.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from learnable.evaluation import learning_curve
    >>> curve = learning_curve(GaussianNB(), *load_iris(return_X_y=True), sizes=[20, 112], random_state=0)
    >>> curve.sizes, [str(score) for score in curve.test]
    ([20, 112], ['0.97 [0.87, 1.00]', '0.97 [0.87, 1.00]'])
    """
    from sklearn.base import is_classifier
    from sklearn.model_selection import train_test_split
    from sklearn.utils import _safe_indexing

    check_level(level, "learning_curve")
    labels = np.asarray(y)
    if labels.ndim == 0 or len(labels) < 2:
        raise ValueError("learning_curve: give at least two rows")
    classes = labels if is_classifier(estimator) else None
    train, held_out = train_test_split(
        np.arange(len(labels)), test_size=test_size, random_state=random_state, stratify=classes
    )
    counts = [_rows_of(size, len(train)) for size in sizes]
    for count in counts:
        if classes is not None and len(np.unique(labels[train[:count]])) < 2:
            raise ValueError(
                f"learning_curve: the first {count} training rows hold one class; begin with a larger size"
            )

    def score(count: int) -> tuple[Interval, Interval]:
        from sklearn.base import clone

        rows = train[:count]
        with config_context(certificates=False):
            fitted = clone(estimator).fit(_safe_indexing(X, rows), labels[rows])
        first, second = (
            score_with_interval(
                fitted, _safe_indexing(X, part), labels[part], scoring=scoring, level=level, random_state=random_state
            )
            for part in (rows, held_out)
        )
        return first, second

    scores = Parallel(n_jobs=n_jobs, require="sharedmem")(delayed(score)(count) for count in counts)
    return LearningCurve(counts, [training for training, _ in scores], [test for _, test in scores])


def _rows_of(size: float, available: int) -> int:
    count = round(size * available) if isinstance(size, float) and size <= 1 else int(size)
    if not 2 <= count <= available or (isinstance(size, float) and size > 1 and size != count):
        raise ValueError(
            f"learning_curve(sizes=[... {size} ...]): a size is a fraction in (0, 1] or a number of rows "
            f"between 2 and {available}"
        )
    return count


class CalibrationBin(NamedTuple):
    """Rows whose predicted probability lies in (low, high], 0 included: what was predicted and what happened."""

    low: float
    high: float
    predicted: float
    observed: Interval


_BIN_EDGES = {
    "uniform": lambda probability, bins: np.linspace(0, 1, bins + 1),
    "quantile": lambda probability, bins: np.quantile(probability, np.linspace(0, 1, bins + 1)),
}


def calibration_table(
    y_true: ArrayLike,
    probability: ArrayLike,
    *,
    pos_label: Any = 1,
    bins: int = 10,
    strategy: str = "uniform",
    level: float = 0.95,
) -> list[CalibrationBin]:
    """Mean predicted probability against the observed frequency, with Wilson's interval, bin by bin.

    Parameters
    ----------
    y_true : labels.
    probability : predicted probability of `pos_label`, in [0, 1].
    pos_label : the class whose probability it is.
    bins : number of bins; empty ones are left out.
    strategy : "uniform" for equal widths, "quantile" for equal counts.
    level : confidence level.

    Syllabus: E10.

    >>> from learnable.evaluation import calibration_table
    >>> for row in calibration_table([0, 0, 1, 1, 1], [0.1, 0.3, 0.4, 0.8, 0.9], bins=2):
    ...     print(f"{row.predicted:.2f}: {row.observed}")
    0.27: 0.33 [0.06, 0.79]
    0.85: 1.00 [0.34, 1.00]
    """
    check_method(strategy, _BIN_EDGES, "calibration_table", "strategy")
    if check_number(bins, "calibration_table", "bins", -np.inf) != int(bins) or bins < 1:
        raise ValueError(f"calibration_table(bins={bins}): give a whole number, at least 1")
    labels, _ = check_labels(y_true, y_true, "calibration_table")
    probability = check_values(probability, "calibration_table", "probability")
    check_equal_length("calibration_table", y_true=labels, probability=probability)
    outside = (probability < 0) | (probability > 1)
    if outside.any():
        row = int(outside.argmax())
        raise ValueError(f"calibration_table: probability[{row}] is {probability[row]}; it must lie in [0, 1]")
    classes = np.unique(labels)
    if pos_label not in classes and (len(classes) > 1 or (labels.dtype.kind in "US") != isinstance(pos_label, str)):
        raise ValueError(
            f"calibration_table(pos_label={plain(pos_label)!r}): it is not among the classes {classes.tolist()}; name "
            "the class whose probability is given"
        )
    happened = labels == pos_label
    edges = _BIN_EDGES[strategy](probability, int(bins))
    # Looked up among the inner edges, so that the first bin holds its lower end too.
    place = np.searchsorted(edges[1:-1], probability, side="left")
    table = []
    for k in np.unique(place):
        rows = place == k
        observed = proportion_interval(int(happened[rows].sum()), int(rows.sum()), level=level)
        table.append(CalibrationBin(float(edges[k]), float(edges[k + 1]), float(probability[rows].mean()), observed))
    return table


class ResidualTable(NamedTuple):
    """Residuals of a regression, row by row.

    Attributes
    ----------
    fitted : predictions.
    residual : y − prediction.
    standardized : residuals over their standard deviation (0 when all are equal).
    normal_quantile : where a residual of that rank would lie if they were normal, Φ⁻¹((rank − ½)/n).
    bias : mean residual with Student's interval.
    """

    fitted: NDArray[np.float64]
    residual: NDArray[np.float64]
    standardized: NDArray[np.float64]
    normal_quantile: NDArray[np.float64]
    bias: Interval


def residual_table(y_true: ArrayLike, y_pred: ArrayLike, *, level: float = 0.95) -> ResidualTable:
    """Residuals against predictions and against normal quantiles. At least two rows. Syllabus: E10.

    >>> from learnable.evaluation import residual_table
    >>> table = residual_table([1.0, 2.0, 4.0], [1.5, 2.0, 3.5])
    >>> table.residual.tolist(), table.standardized.tolist()
    ([-0.5, 0.0, 0.5], [-1.0, 0.0, 1.0])
    """
    y_true = check_values(y_true, "residual_table", "y_true")
    fitted = check_values(y_pred, "residual_table", "y_pred")
    check_equal_length("residual_table", y_true=y_true, y_pred=fitted)
    residual = y_true - fitted
    bias = t_interval(residual, level=level)
    deviation = residual.std(ddof=1)
    ranks = np.argsort(np.argsort(residual, kind="stable"), kind="stable") + 1
    standardized = residual / deviation if deviation > 0 else np.zeros_like(residual)
    return ResidualTable(fitted, residual, standardized, ndtri((ranks - 0.5) / len(residual)), bias)
