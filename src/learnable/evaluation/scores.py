"""The score of any fitted estimator, with its interval, and the split of the risk into training error and gap."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnable.evaluation.prediction_losses import PREDICTION_LOSSES, PredictionLoss
from learnable.plain import plain

from ._validation import check_equal_length, check_labels, check_method, check_values
from .auc import auc_interval
from .bootstrap import bootstrap_interval
from .classification_scores import accuracy, balanced_accuracy, f_score, precision, recall
from .interval import Interval, check_level
from .means import t_interval
from .proportion import proportion_interval


class Loss(NamedTuple):
    """A loss L(y, prediction), row by row.

    Attributes
    ----------
    per_row : maps (y, output of the estimator, its classes or None) to the losses of the rows.
    output : method of the estimator it judges, "predict" or "predict_proba".
    """

    per_row: Callable[[NDArray, NDArray, Any], NDArray]
    output: str


def _columns_of(y: NDArray, classes: ArrayLike) -> NDArray:
    """The column of each row's class among those the estimator knows."""
    classes = np.asarray(classes)
    place = np.searchsorted(classes, y)
    known = classes[np.minimum(place, len(classes) - 1)] == y
    if not known.all():
        stranger = plain(y[np.argmin(known)])
        raise ValueError(f"y holds the class {stranger!r}, which the estimator never saw; it knows {classes.tolist()}")
    return place


def _log_loss(y: NDArray, probability: NDArray, classes: Any) -> NDArray:
    # Probabilities are kept away from 0 by one rounding unit, as scikit-learn does: the loss stays finite.
    own = probability[np.arange(len(y)), _columns_of(y, classes)]
    return -np.log(np.maximum(own, np.finfo(probability.dtype).eps))


def _brier_loss(y: NDArray, probability: NDArray, classes: Any) -> NDArray:
    miss = probability.astype(float)
    miss[np.arange(len(y)), _columns_of(y, classes)] -= 1
    squares = (miss**2).sum(axis=1)
    # With two classes both columns say the same: (p − y)² is half the sum.
    return squares / 2 if probability.shape[1] == 2 else squares


def _of_prediction(loss: PredictionLoss) -> Loss:
    return Loss(lambda y, prediction, _: loss(y, prediction), "predict")


_BY_NAME = {name: _of_prediction(loss) for name, loss in PREDICTION_LOSSES.items()} | {
    "brier": Loss(_brier_loss, "predict_proba"),
    "log": Loss(_log_loss, "predict_proba"),
}
LOSSES: dict[str, Loss] = dict(sorted(_BY_NAME.items()))


def cost_matrix_loss(costs: ArrayLike) -> Loss:
    """The loss of deciding class d where y is true: costs[d, y], both in the order of the estimator's `classes_`.

    Syllabus: D2.

    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from learnable.evaluation import cost_matrix_loss, mean_loss
    >>> X, y = np.zeros((4, 1)), ["ill", "well", "well", "well"]
    >>> always_well = DummyClassifier().fit(X, y)
    >>> mean_loss(always_well, X, y, loss=cost_matrix_loss([[0, 1], [9, 0]])).estimate
    2.25
    """
    table = np.array(costs, dtype=float)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not np.all(np.isfinite(table)):
        raise ValueError(
            f"cost_matrix_loss(costs): shape {table.shape}; finite costs are needed, a row for each decision and a "
            "column for each class"
        )

    def per_row(y: NDArray, prediction: NDArray, classes: Any) -> NDArray:
        if classes is None or len(classes) != len(table):
            known = "no classes" if classes is None else f"{len(classes)} classes"
            raise ValueError(f"cost_matrix_loss: costs of {len(table)} classes, but the estimator knows {known}")
        return table[_columns_of(prediction, classes), _columns_of(y, classes)]

    return Loss(per_row, "predict")


def row_losses(
    estimator: Any, X: Any, y: ArrayLike, loss: str | Loss | Callable[[NDArray, NDArray], ArrayLike]
) -> NDArray[np.float64]:
    """L(y_i, f(x_i)) for every row. Syllabus: D1, D2.

    Parameters
    ----------
    estimator : fitted, with the method the loss needs.
    X, y : the rows.
    loss : a name in `LOSSES`, a `Loss` such as `cost_matrix_loss(costs)`, or any function of (y, predictions) that
        gives a number for each row.

    >>> import numpy as np
    >>> from sklearn.dummy import DummyRegressor
    >>> from learnable.evaluation import row_losses
    >>> X = np.zeros((3, 1))
    >>> row_losses(DummyRegressor().fit(X, [1, 2, 3]), X, [1, 2, 4], "squared").tolist()
    [1.0, 0.0, 4.0]

    A loss of one's own: to promise too little costs three times as much as to promise too much.

    >>> def pinball(y, prediction):
    ...     return np.where(y > prediction, 3.0 * (y - prediction), prediction - y)
    >>> row_losses(DummyRegressor().fit(X, [1, 2, 3]), X, [1, 2, 4], pinball).tolist()
    [1.0, 0.0, 6.0]
    """
    chosen = _as_loss(loss)
    name = loss if isinstance(loss, str) else getattr(loss, "__name__", "of one's own")
    output = _output(estimator, chosen.output, X, f"loss {name!r}")
    classes = getattr(estimator, "classes_", None)
    if isinstance(loss, str) and loss in ("absolute", "squared"):
        output, y = check_values(output, "row_losses", "prediction"), check_values(y, "row_losses", "y")
    elif isinstance(loss, str | Loss):
        y, _ = check_labels(y, y, "row_losses")
    else:
        y = np.asarray(y)
    check_equal_length("row_losses", y=y, prediction=output)
    found = np.asarray(chosen.per_row(y, output, classes))
    if found.shape != np.shape(y)[:1]:
        raise ValueError(f"row_losses: the loss {name!r} gives shape {found.shape} for {len(y)} rows; one number each")
    return check_values(found, "row_losses", "loss")


def _as_loss(loss: Any) -> Loss:
    if isinstance(loss, Loss):
        return loss
    if callable(loss):
        return Loss(lambda y, prediction, _: loss(y, prediction), "predict")
    check_method(loss, LOSSES, "row_losses", "loss")
    return LOSSES[loss]


def _output(estimator: Any, method: str, X: Any, purpose: str) -> NDArray:
    if not hasattr(estimator, method):
        raise TypeError(f"{type(estimator).__name__} has no {method}, which the {purpose} needs")
    return np.asarray(getattr(estimator, method)(X))


def mean_loss(
    estimator: Any, X: Any, y: ArrayLike, *, loss: str | Loss | Callable[[NDArray, NDArray], ArrayLike],
    level: float = 0.95,
) -> Interval:  # fmt: skip
    """The mean of L(y, f(x)) over rows the estimator was not fitted on: Wilson's interval for 0–1 loss, Student's else.

    `loss` is a name, a table of costs (`cost_matrix_loss`) or a function of one's own, as in `row_losses`. Syllabus:
    D1, D2, E3.

    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from learnable.evaluation import mean_loss
    >>> X, y = np.zeros((40, 1)), np.repeat([0, 1], [30, 10])
    >>> print(mean_loss(DummyClassifier().fit(X, y), X, y, loss="zero_one"))
    0.25 [0.14, 0.40]
    """
    level = check_level(level, "mean_loss")
    losses = row_losses(estimator, X, y, loss)
    if isinstance(loss, str) and loss == "zero_one":
        return proportion_interval(int(losses.sum()), len(losses), level=level)
    return t_interval(losses, level=level)


Judge = Callable[[Any, Any, ArrayLike, float, Any], Interval]


def _loss(name: str, sign: int = 1) -> Judge:
    def judge(estimator, X, y, level, random_state):
        interval = mean_loss(estimator, X, y, loss=name, level=level)
        return interval if sign > 0 else interval.negated()

    return judge


def _of_labels(score: Callable[..., Any], **keywords: Any) -> Judge:
    return lambda estimator, X, y, level, random_state: score(y, estimator.predict(X), level=level, **keywords)


def _of_positive_class(score: Callable[..., Any]) -> Judge:
    def judge(estimator, X, y, level, random_state):
        classes = np.asarray(estimator.classes_)
        if len(classes) != 2:
            raise ValueError(f"a score of one class needs two classes, not {len(classes)}; use its _macro form")
        return score(y, estimator.predict(X), pos_label=plain(classes[1]), level=level)

    return judge


def _by_bootstrap(metric: str, sign: int = 1) -> Judge:
    def judge(estimator, X, y, level, random_state):
        y_true, y_pred = check_values(y, metric, "y"), check_values(estimator.predict(X), metric, "prediction")
        if metric == "r2" and y_true.min() == y_true.max():
            raise ValueError("r2 is not defined: all values of y are equal; use scoring='mean_squared_error'")
        interval = bootstrap_interval(metric, y_true, y_pred, level=level, random_state=random_state)
        return interval if sign > 0 else interval.negated()

    return judge


def _auc(estimator, X, y, level, random_state) -> Interval:
    classes = np.asarray(estimator.classes_)
    if len(classes) != 2:
        raise ValueError(f"roc_auc needs two classes, not {len(classes)}")
    if hasattr(estimator, "decision_function"):
        scores = estimator.decision_function(X)
    else:
        scores = _output(estimator, "predict_proba", X, "score 'roc_auc'")[:, 1]
    return auc_interval(y, scores, pos_label=classes[1], level=level)


SCORES: dict[str, Judge] = {
    "accuracy": _of_labels(accuracy),
    "balanced_accuracy": _of_labels(balanced_accuracy),
    "brier": _loss("brier"),
    "error": _loss("zero_one"),
    "f1": _of_positive_class(f_score),
    "log_loss": _loss("log"),
    "mean_absolute_error": _loss("absolute"),
    "mean_squared_error": _loss("squared"),
    "neg_brier_score": _loss("brier", -1),
    "neg_log_loss": _loss("log", -1),
    "neg_mean_absolute_error": _loss("absolute", -1),
    "neg_mean_squared_error": _loss("squared", -1),
    "neg_root_mean_squared_error": _by_bootstrap("root_mean_squared_error", -1),
    "precision": _of_positive_class(precision),
    "r2": _by_bootstrap("r2"),
    "recall": _of_positive_class(recall),
    "roc_auc": _auc,
    "root_mean_squared_error": _by_bootstrap("root_mean_squared_error"),
    **{
        f"{name}_{average}": _of_labels(score, average=average)
        for name, score in (("f1", f_score), ("precision", precision), ("recall", recall))
        for average in ("macro", "micro", "weighted")
    },
}


def score_with_interval(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    scoring: str | Callable[[Any, Any, Any], float] | None = None,
    level: float = 0.95,
    random_state: Any = 0,
) -> Interval:
    """The score of a fitted estimator on rows it was not fitted on, with its interval.

    Proportions get Wilson's interval, mean losses Student's, the area under the ROC curve DeLong's variance, R² and
    root mean squared error the BCa bootstrap; a scorer from elsewhere the BCa bootstrap of rows, 1000 resamples.

    Parameters
    ----------
    estimator : fitted, in scikit-learn's manner.
    X, y : test rows.
    scoring : a name in `SCORES`, any other scorer name of scikit-learn, or a callable (estimator, X, y) → number.
        By default the estimator's own: accuracy for classifiers, R² for regressors.
    level : confidence level.
    random_state : seed of the bootstrap.

    Syllabus: E10.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from learnable.evaluation import score_with_interval
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0).fit(X[::2], y[::2])
    >>> print(score_with_interval(tree, X[1::2], y[1::2]))
    0.960 [0.889, 0.986]
    """
    from sklearn.base import is_classifier
    from sklearn.metrics import get_scorer
    from sklearn.utils import _safe_indexing

    level = check_level(level, "score_with_interval")
    if scoring is None:
        scoring = "accuracy" if is_classifier(estimator) else "r2"
    if isinstance(scoring, str) and scoring in SCORES:
        return SCORES[scoring](estimator, X, y, level, random_state)
    scorer = get_scorer(scoring)
    rows = np.arange(len(np.asarray(y)))

    def score_of(chosen: NDArray) -> float:
        return scorer(estimator, _safe_indexing(X, chosen), _safe_indexing(y, chosen))

    return bootstrap_interval(score_of, rows, repeats=1000, level=level, random_state=random_state)


class RiskSplit(NamedTuple):
    """R(f) = R_n(f) + (R(f) − R_n(f)): the risk as the training error plus the gap.

    Attributes
    ----------
    training : R_n, the mean loss on the rows f was fitted on. Its interval says how well those rows fix a mean loss;
        it is no interval for the risk, since f has seen them.
    gap : R − R_n. R_n is a known number, so this is the interval of R, moved by it.
    risk : R, estimated on test rows.
    loss : name of the loss.
    """

    training: Interval
    gap: Interval
    risk: Interval
    loss: str

    def __str__(self) -> str:
        return f"risk {self.risk} = training error {self.training} + gap {self.gap} ({self.loss} loss)"


def risk_split(
    estimator: Any,
    X_train: Any,
    y_train: ArrayLike,
    X_test: Any,
    y_test: ArrayLike,
    *,
    loss: str | None = None,
    level: float = 0.95,
) -> RiskSplit:
    """Split the risk of a fitted estimator into its training error and the gap, both with intervals.

    Parameters
    ----------
    estimator : fitted on `X_train, y_train`.
    X_train, y_train, X_test, y_test : the rows it was fitted on, and rows it was not.
    loss : a name in `LOSSES`; by default "zero_one" for classifiers and "squared" for regressors.
    level : confidence level.

    Syllabus: D1, D7.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from learnable.evaluation import risk_split
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0).fit(X[::2], y[::2])
    >>> split = risk_split(tree, X[::2], y[::2], X[1::2], y[1::2])
    >>> print(split.gap)
    0.040 [0.014, 0.111]
    """
    from sklearn.base import is_classifier

    if loss is None:
        loss = "zero_one" if is_classifier(estimator) else "squared"
    training = mean_loss(estimator, X_train, y_train, loss=loss, level=level)
    risk = mean_loss(estimator, X_test, y_test, loss=loss, level=level)
    return RiskSplit(training, risk.shifted(-training.estimate), risk, loss)
