"""Accuracy, precision, recall, F_β, specificity: scikit-learn's numbers, each with its interval.

Every function takes `y_true, y_pred` and the keywords

- average : "binary" (the class `pos_label`), "macro", "micro", "weighted", or None for a dictionary of all classes.
- labels : the classes that are averaged; all by default.
- sample_weight : weights of the rows; n is then Kish's effective size.
- zero_division : the score when its denominator is 0: any number in [0, 1], or NaN to leave that class out of
  averages. The interval is then [0, 1]: the rows say nothing.
"""

from html import escape
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnable.plain import plain
from learnable.tables import aligned

from ._validation import check_method
from .confusion import ConfusionMatrix, confusion_matrix
from .interval import Interval, check_level
from .proportion import effective_interval
from .ratio_scores import PRECISION, RECALL, RatioScore, average_interval, class_interval, f_beta, micro_interval

_AVERAGES = ("binary", "macro", "micro", "weighted", None)


def accuracy(
    y_true: ArrayLike, y_pred: ArrayLike, *, level: float = 0.95, sample_weight: ArrayLike | None = None
) -> Interval:
    """The share of rows predicted right, with Wilson's interval. Syllabus: E9, E10.

    >>> from learnable.evaluation import accuracy
    >>> print(accuracy([0, 1, 1, 0] * 25, [0, 1, 1, 1] * 25))
    0.75 [0.66, 0.82]
    """
    level = check_level(level, "accuracy")
    return _accuracy(confusion_matrix(y_true, y_pred, sample_weight=sample_weight), level)


def balanced_accuracy(
    y_true: ArrayLike, y_pred: ArrayLike, *, level: float = 0.95, sample_weight: ArrayLike | None = None
) -> Interval:
    """The mean recall over the classes that occur in `y_true`. Syllabus: E9, E10.

    >>> from learnable.evaluation import balanced_accuracy
    >>> print(balanced_accuracy([0, 1, 1, 0] * 25, [0, 1, 1, 1] * 25))
    0.75 [0.67, 0.82]
    """
    level = check_level(level, "balanced_accuracy")
    return _balanced_accuracy(confusion_matrix(y_true, y_pred, sample_weight=sample_weight), level)


def precision(y_true: ArrayLike, y_pred: ArrayLike, **keywords: Any) -> Interval | dict[Any, Interval]:
    """TP/(TP+FP): the share of the rows predicted as the class that are of it. Syllabus: E9, E10.

    Keywords: `average="binary"`, `pos_label=1`, `labels=None`, `level=0.95`, `sample_weight=None`,
    `zero_division=0.0`, as the module says.

    >>> from learnable.evaluation import precision
    >>> print(precision([0, 1, 1, 0] * 25, [0, 1, 1, 1] * 25))
    0.67 [0.55, 0.76]
    """
    return _score(PRECISION, y_true, y_pred, **keywords)


def recall(y_true: ArrayLike, y_pred: ArrayLike, **keywords: Any) -> Interval | dict[Any, Interval]:
    """TP/(TP+FN): the share of the rows of the class that were found. Keywords as `precision`. Syllabus: E9, E10.

    >>> from learnable.evaluation import recall
    >>> print(recall([0, 1, 1, 0] * 25, [0, 1, 1, 1] * 25, pos_label=0))
    0.50 [0.37, 0.63]
    """
    return _score(RECALL, y_true, y_pred, **keywords)


def f_score(
    y_true: ArrayLike, y_pred: ArrayLike, *, beta: float = 1.0, **keywords: Any
) -> Interval | dict[Any, Interval]:
    """F_β = (1+β²) TP / ((1+β²) TP + β² FN + FP); F1 is the harmonic mean of precision and recall.

    For β = 1 the interval is Wilson's, carried over exactly: F1 = 2π/(1+π), where π = TP/(TP+FP+FN) is a binomial
    proportion. Other keywords as `precision`. Syllabus: E9, E10.

    >>> from learnable.evaluation import f_score
    >>> print(f_score([0, 1, 1, 0] * 25, [0, 1, 1, 1] * 25))
    0.80 [0.71, 0.87]
    """
    return _score(f_beta(beta), y_true, y_pred, **keywords)


def specificity(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pos_label: Any = 1,
    level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    zero_division: float = 0.0,
) -> Interval:
    """TN/(TN+FP): the share of the rows of other classes that were not taken for `pos_label`. Syllabus: E9, E10.

    >>> from learnable.evaluation import specificity
    >>> print(specificity([0, 1, 1, 0] * 25, [0, 1, 1, 1] * 25))
    0.50 [0.37, 0.63]
    """
    level, zero_division = check_level(level, "specificity"), _check_zero_division(zero_division, "specificity")
    matrix = confusion_matrix(y_true, y_pred, sample_weight=sample_weight)
    k = _place(matrix, pos_label, "specificity")
    kept_out = float(matrix.true_negatives[k])
    others = kept_out + float(matrix.false_positives[k])
    if not others:
        return Interval(zero_division, 0.0, 1.0, level, "undefined", 0)
    return effective_interval(kept_out / others, others * matrix.effective_n / float(matrix.total), level=level)


class ClassificationScores(NamedTuple):
    """Every score of a classifier with its interval; prints as a table.

    Attributes
    ----------
    accuracy, balanced_accuracy : over all rows.
    rows : class, or "macro", "micro", "weighted" -> score name -> Interval.
    confusion : the matrix behind them.
    """

    accuracy: Interval
    balanced_accuracy: Interval
    rows: dict[Any, dict[str, Interval]]
    confusion: ConfusionMatrix

    def __str__(self) -> str:
        head = ["", *next(iter(self.rows.values()))]
        lines = [head, *([str(name), *map(str, scores.values())] for name, scores in self.rows.items())]
        return "\n".join(
            [*aligned(lines, left=len(head)), f"accuracy {self.accuracy}, balanced accuracy {self.balanced_accuracy}"]
        )

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in ["", *next(iter(self.rows.values()))])
        body = "".join(
            f"<tr><th>{escape(str(name))}</th>{''.join(f'<td>{s._repr_html_()}</td>' for s in scores.values())}</tr>"
            for name, scores in self.rows.items()
        )
        totals = f"accuracy {self.accuracy._repr_html_()}, balanced accuracy {self.balanced_accuracy._repr_html_()}"
        return f'<table class="scores"><tr>{head}</tr>{body}</table><p>{totals}</p>'

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, ready for JSON."""
        rows = {str(name): {key: s.to_dict() for key, s in scores.items()} for name, scores in self.rows.items()}
        return {
            "accuracy": self.accuracy.to_dict(),
            "balanced_accuracy": self.balanced_accuracy.to_dict(),
            "rows": rows,
        }


def classification_scores(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    beta: float = 1.0,
    level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    zero_division: float = 0.0,
) -> ClassificationScores:
    """Precision, recall and F_β of every class and their averages, accuracy and balanced accuracy.

    Parameters
    ----------
    y_true, y_pred : labels.
    beta : weight of recall against precision in F_β.
    level, sample_weight, zero_division : as the module says.

    Syllabus: E9, E10.

    >>> from learnable.evaluation import classification_scores
    >>> print(classification_scores([0, 1, 1, 0] * 25, [0, 1, 1, 1] * 25))
              precision          recall                f1
    0         1.00 [0.87, 1.00]  0.50 [0.37, 0.63]     0.67 [0.54, 0.78]
    1         0.67 [0.55, 0.76]  1.000 [0.929, 1.000]  0.80 [0.71, 0.87]
    macro     0.83 [0.75, 0.88]  0.75 [0.67, 0.82]     0.73 [0.64, 0.81]
    micro     0.75 [0.66, 0.82]  0.75 [0.66, 0.82]     0.75 [0.66, 0.82]
    weighted  0.83 [0.75, 0.88]  0.75 [0.67, 0.82]     0.73 [0.64, 0.81]
    accuracy 0.75 [0.66, 0.82], balanced accuracy 0.75 [0.67, 0.82]
    """
    caller = "classification_scores"
    level, zero_division = check_level(level, caller), _check_zero_division(zero_division, caller)
    matrix = confusion_matrix(y_true, y_pred, sample_weight=sample_weight)
    classes = np.arange(len(matrix.labels))
    family = (PRECISION, RECALL, f_beta(beta))
    rows: dict[Any, dict[str, Interval]] = {
        label: {score.name: class_interval(matrix, k, score, level, zero_division) for score in family}
        for k, label in enumerate(matrix.labels.tolist())
    }
    for average in ("macro", "micro", "weighted"):
        rows[average] = {
            score.name: _averaged(matrix, classes, score, average, level, zero_division) for score in family
        }
    return ClassificationScores(_accuracy(matrix, level), _balanced_accuracy(matrix, level), rows, matrix)


def _accuracy(matrix: ConfusionMatrix, level: float) -> Interval:
    rate = float(matrix.true_positives.sum() / matrix.total)
    interval = effective_interval(rate, matrix.effective_n, level=level)
    return interval._replace(n=int(interval.n)) if interval.n.is_integer() else interval


def _balanced_accuracy(matrix: ConfusionMatrix, level: float) -> Interval:
    present = np.flatnonzero(matrix.support > 0)
    return average_interval(matrix, present, np.ones(len(present)), RECALL, level, 0.0)


def _score(
    score: RatioScore,
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    average: str | None = "binary",
    pos_label: Any = 1,
    labels: ArrayLike | None = None,
    level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    zero_division: float = 0.0,
) -> Interval | dict[Any, Interval]:
    level, zero_division = check_level(level, score.name), _check_zero_division(zero_division, score.name)
    check_method(average, _AVERAGES, score.name, "average")
    matrix = confusion_matrix(y_true, y_pred, sample_weight=sample_weight)
    if average == "binary":
        if len(matrix.labels) > 2:
            raise ValueError(
                f"{score.name}(average='binary'): there are {len(matrix.labels)} classes; "
                "choose average='macro', 'micro', 'weighted' or None"
            )
        return class_interval(matrix, _place(matrix, pos_label, score.name), score, level, zero_division)
    wanted = matrix.labels.tolist() if labels is None else np.asarray(labels).tolist()
    classes = np.array([_place(matrix, label, score.name) for label in wanted])
    if average is None:
        return {
            label: class_interval(matrix, k, score, level, zero_division) for label, k in zip(wanted, classes.tolist())
        }
    return _averaged(matrix, classes, score, average, level, zero_division)


def _averaged(
    matrix: ConfusionMatrix, classes: NDArray, score: RatioScore, average: str, level: float, zero_division: float
) -> Interval:
    if average == "micro":
        return micro_interval(matrix, classes, score, level, zero_division)
    weights = np.ones(len(classes)) if average == "macro" else matrix.support[classes].astype(float)
    return average_interval(matrix, classes, weights, score, level, zero_division)


def _place(matrix: ConfusionMatrix, label: Any, caller: str) -> int:
    found = np.flatnonzero(matrix.labels == label)
    if not len(found):
        raise ValueError(f"{caller}: class {plain(label)!r} is not among the classes {matrix.labels.tolist()}")
    return int(found[0])


def _check_zero_division(zero_division: float, caller: str) -> float:
    if not isinstance(zero_division, Real) or not (np.isnan(zero_division) or 0 <= zero_division <= 1):
        raise ValueError(f"{caller}(zero_division={zero_division}): give a number in [0, 1] or NaN")
    return float(zero_division)
