"""How predictions are judged: losses, smaller is better, in the units of the question."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from learnable.app.errors import UserError
from learnable.app.result import Interval
from learnable.app.trials.fitting import Output
from learnable.panel import Task

LEVEL = 0.95
# Of a percentile interval: its ends are then known to about 2 % of its width.
RESAMPLES = 1000
LEAST_MEAN = 0.01  # predictions of a count below this share of its mean are judged as this share
Rows = Callable[[np.ndarray, Output], np.ndarray]
Whole = Callable[[np.ndarray, Output, np.ndarray | None], float]


class Metric(NamedTuple):
    """A loss.

    Attributes
    ----------
    key : as `--metric` names it.
    name : what the losses are, in words.
    task : "classification" or "regression".
    rows : loss of every row; None for a measure of all rows together, which `whole` then is.
    probabilistic : whether it judges probabilities.
    rate : whether it is a share of rows, shown in percent.
    root : whether its root is shown, which has the units of the target.
    most : the largest value it can take.
    decide : the class that is called under given probabilities, where that is not the most probable one.
    """

    key: str
    name: str
    task: Task
    rows: Rows | None
    whole: Whole | None = None
    probabilistic: bool = False
    rate: bool = False
    root: bool = False
    most: float = np.inf
    decide: Callable[[np.ndarray], np.ndarray] | None = None

    def decided(self, output: Output) -> Output:
        """With the classes that are called under this measure."""
        if self.decide is None or output.probability is None:
            return output
        return output._replace(predicted=self.decide(output.probability))

    def losses(self, y: np.ndarray, predicted: Any) -> np.ndarray:
        """Loss of every row."""
        assert self.rows is not None
        return self.rows(y, predicted if isinstance(predicted, Output) else Output(np.asarray(predicted)))

    def score(self, y: np.ndarray, output: Output, weight: np.ndarray | None = None) -> float:
        """Mean loss of these rows, or the measure of all of them."""
        if self.rows is None:
            assert self.whole is not None
            return self.whole(y, output, weight)
        return float(np.average(self.rows(y, output), weights=weight))

    def interval(self, losses: np.ndarray, weight: np.ndarray | None = None) -> Interval:
        """Mean loss on rows never seen, with Wilson's interval for an error rate and Student's for a mean.

        >>> METRICS["classification"].interval(np.array([0.0, 0.0, 1.0, 0.0])).method
        'wilson'
        """
        from learnable.evaluation import proportion_interval, t_interval

        if self.key == "error" and weight is None:
            return plain_interval(proportion_interval(int(losses.sum()), len(losses), level=LEVEL))
        if weight is not None:  # the ratio Σwl/Σw, linearised about its value
            mean = float(np.average(losses, weights=weight))
            losses = mean + weight / weight.mean() * (losses - mean)
        return self.within(t_interval(losses, level=LEVEL))

    def on(self, y: np.ndarray, output: Output, weight: np.ndarray | None = None) -> Interval | None:
        """The loss on rows never seen with its interval; None where these rows do not have it."""
        if self.rows is not None:
            losses = self.rows(y, output)
            if not np.isfinite(losses).all():
                raise FloatingPointError("the predictions are not finite")
            return self.interval(losses, weight) if len(losses) > 1 else None
        try:
            return self._resampled(y, output, weight)
        except ValueError:
            return None

    def _resampled(self, y: np.ndarray, output: Output, weight: np.ndarray | None) -> Interval:
        from learnable.evaluation import auc_interval, balanced_accuracy

        if self.key == "auc" and output.classes is not None and len(output.classes) == 2:
            assert output.probability is not None
            found = auc_interval(y, output.probability[:, 1], pos_label=output.classes[1], level=LEVEL)
            return self.within(found.negated().shifted(1.0))
        if self.key == "balanced_error":
            return plain_interval(balanced_accuracy(y, output.predicted, level=LEVEL).negated().shifted(1.0))
        y, output, weight = in_one_order(y, output, weight)
        rng = np.random.default_rng(0)
        draws = [rng.integers(len(y), size=len(y)) for _ in range(RESAMPLES)]
        found_at = [self.score(y[d], output.take(d), None if weight is None else weight[d]) for d in draws]
        low, high = np.nanquantile(found_at, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return Interval(self.score(y, output, weight), float(low), float(high), LEVEL, "bootstrap, percentile")

    def over_folds(self, means: Sequence[float], n_train: np.ndarray, n_valid: np.ndarray) -> Interval:
        """Mean of the folds with the interval that allows for their common training rows (Nadeau and Bengio).

        Error rates that are the same in every fold have no spread to build it on: they get Wilson's, over all rows.

        >>> found = METRICS["classification"].over_folds([0.0, 0.0], np.array([20, 20]), np.array([20, 20]))
        >>> found.method, round(found.high, 3)
        ('wilson', 0.088)
        """
        from learnable.evaluation import proportion_interval
        from learnable.evaluation.corrected_t import corrected_mean

        if self.rate and min(means) == max(means):
            rows = int(np.sum(n_valid))
            return plain_interval(proportion_interval(round(means[0] * rows), rows, level=LEVEL))
        return self.within(corrected_mean(means, n_train=n_train, n_test=n_valid, level=LEVEL))

    def within(self, found: Any) -> Interval:
        """Cut to the values that the loss can take."""
        return replace(plain_interval(found), low=max(float(found.low), 0.0), high=min(float(found.high), self.most))

    @property
    def shown(self) -> str:
        """Its name where the root is shown."""
        return f"root {self.name}" if self.root else self.name

    def show(self, found: Interval) -> Interval:
        """As it is shown: the root of a squared error has the units of the target.

        >>> print(METRICS["regression"].show(Interval(4.0, 1.0, 9.0)))
        2 [1, 3]
        """
        if not self.root:
            return found
        low, high = sqrt(max(found.low, 0.0)), sqrt(max(found.high, 0.0))
        return replace(found, estimate=sqrt(max(found.estimate, 0.0)), low=low, high=high)


def in_one_order(
    y: np.ndarray, output: Output, weight: np.ndarray | None
) -> tuple[np.ndarray, Output, np.ndarray | None]:
    """The same rows in an order of their own, for intervals by resampling: a file of the same rows has the same ones.

    >>> in_one_order(np.array([3.0, 1.0]), Output(np.array([5.0, 7.0])), None)[:2]
    (array([1., 3.]), Output(predicted=array([7., 5.]), probability=None, classes=None))
    """
    keys = [] if weight is None else [weight]
    keys += [] if output.probability is None else list(output.probability.T)
    order = np.lexsort((*keys, output.predicted, y))
    return y[order], output.take(order), None if weight is None else weight[order]


def plain_interval(found: Any) -> Interval:
    """An interval of `learnable.evaluation` as a record of the result."""
    return Interval(float(found.estimate), float(found.low), float(found.high), float(found.level), found.method)


def _house(name: str) -> Rows:
    def rows(y: np.ndarray, output: Output) -> np.ndarray:
        from learnable.evaluation import LOSSES

        loss = LOSSES[name]
        judged: Any = output.probability if loss.output == "predict_proba" else output.predicted
        return loss.per_row(y, judged, output.classes) + 0.0  # no −0

    return rows


def _poisson(y: np.ndarray, output: Output) -> np.ndarray:
    """2(y log(y/μ) − y + μ), with μ kept above a share of the mean so that it is finite."""
    mean = np.maximum(output.predicted, LEAST_MEAN * max(float(y.mean()), np.finfo(float).tiny))
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(y > 0, y * np.log(np.where(y > 0, y, 1.0) / mean), 0.0)
    return 2 * (logs - y + mean)


def _balanced_error(y: np.ndarray, output: Output, weight: np.ndarray | None) -> float:
    rows = np.ones(len(y)) if weight is None else weight
    recalls = [np.average(output.predicted[y == level] == level, weights=rows[y == level]) for level in np.unique(y)]
    return 1 - float(np.mean(recalls))


def _one_less(score: Callable[[np.ndarray, np.ndarray, np.ndarray | None], float]) -> Whole:
    """1 − a score of two classes; for more the mean over one class against the rest."""

    def whole(y: np.ndarray, output: Output, weight: np.ndarray | None) -> float:
        assert output.probability is not None
        assert output.classes is not None
        levels = output.classes[1:] if len(output.classes) == 2 else output.classes
        found = []
        for level in levels:
            positive = y == level
            if positive.any() and not positive.all():
                column = output.probability[:, list(output.classes).index(level)]
                found.append(score(positive, column, weight))
        return 1 - float(np.mean(found)) if found else float("nan")

    return whole


def _area(positive: np.ndarray, scores: np.ndarray, weight: np.ndarray | None) -> float:
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(positive, scores, sample_weight=weight))


def _average_precision(positive: np.ndarray, scores: np.ndarray, weight: np.ndarray | None) -> float:
    from sklearn.metrics import average_precision_score

    return float(average_precision_score(positive, scores, sample_weight=weight))


ALL = (
    Metric("log_loss", "log loss", "classification", _house("log"), probabilistic=True),
    Metric("brier", "Brier score", "classification", _house("brier"), probabilistic=True, most=2.0),
    Metric("error", "error rate", "classification", _house("zero_one"), rate=True, most=1.0),
    Metric("balanced_error", "balanced error rate", "classification", None, _balanced_error, rate=True, most=1.0),
    Metric("auc", "1 − AUC", "classification", None, _one_less(_area), probabilistic=True, most=1.0),
    Metric("average_precision", "1 − average precision", "classification", None, _one_less(_average_precision),
           probabilistic=True, most=1.0),
    Metric("rmse", "mean squared error", "regression", _house("squared"), root=True),
    Metric("mae", "mean absolute error", "regression", _house("absolute")),
    Metric("poisson", "Poisson deviance", "regression", _poisson),
)  # fmt: skip
BY_KEY = {metric.key: metric for metric in ALL}
METRICS = {"classification": BY_KEY["error"], "regression": BY_KEY["rmse"]}
"""The plain measure of each task, in the words of people."""


def metric_for(task: Task, counts: bool, asked: str | None) -> Metric:
    """The measure that learners are tuned, ranked and chosen by.

    >>> metric_for("classification", False, None).name, metric_for("regression", True, None).name
    ('log loss', 'Poisson deviance')
    """
    if asked is None:
        return BY_KEY["log_loss" if task == "classification" else "poisson" if counts else "rmse"]
    found = BY_KEY[asked]
    if found.task != task or (asked == "poisson" and not counts):
        fits = [one.key for one in ALL if one.task == task and (one.key != "poisson" or counts)]
        raise UserError(f"--metric {asked} does not fit a {task}; choose among {', '.join(fits)}")
    return found


def cost_metric(costs: Any) -> Metric:
    """Mean cost of the decisions that cost least under the probabilities given."""

    def rows(y: np.ndarray, output: Output) -> np.ndarray:
        assert output.probability is not None
        return costs.of(y, costs.decide(output.probability))

    return Metric("cost", "mean cost", "classification", rows, probabilistic=True, decide=costs.decide)


def of_name(name: str) -> Metric | None:
    """The metric of that name, as the result writes it."""
    return next((metric for metric in ALL if metric.name == name), None)
