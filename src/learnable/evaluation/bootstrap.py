"""Bootstrap intervals of any metric: percentile, basic and BCa."""

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from learnable.seeds import generator_from

from ._validation import check_method, check_values
from .interval import Interval, check_level
from .resampling import ConfusionMetric, MeanMetric, Sample, bind


def bootstrap_interval(
    metric: str | ConfusionMetric | MeanMetric | Callable[..., float],
    *arrays: ArrayLike,
    repeats: int = 10_000,
    method: str = "bca",
    level: float = 0.95,
    random_state: Any = 0,
    n_jobs: int | None = -1,
) -> Interval:
    """The interval of any metric of independent rows, from its values on rows drawn with replacement.

    Approximate; the three methods use the replicates θ* of the estimate θ̂ differently. `percentile`: their
    quantiles. `basic`: those quantiles mirrored at θ̂. `bca`: their quantiles at levels corrected for bias and
    skewness (Efron 1987), with the acceleration from the jackknife. A metric that is the same on every resample
    (such as perfect accuracy) gives one point.

    Parameters
    ----------
    metric : a callable of the arrays, a name in `METRICS`, a `MeanMetric` or a `ConfusionMetric`. The last three are
        resampled without touching the rows one by one, and are faster by orders of magnitude.
    *arrays : columns of equal length, e.g. y_true and y_pred.
    repeats : number of resamples.
    method : "bca", "percentile" or "basic".
    level : confidence level.
    random_state : seed, `numpy.random.Generator` or None.
    n_jobs : threads, by default one a processor; the answer does not depend on it.

    Syllabus: E10, MS15.

    >>> import numpy as np
    >>> from learnable.evaluation import bootstrap_interval
    >>> y = np.repeat([0, 1], 50); guess = np.r_[y[10:], y[:10]]
    >>> print(bootstrap_interval("f1", y, guess, random_state=0))
    0.80 [0.70, 0.88]
    >>> print(bootstrap_interval(lambda v: np.median(v), np.arange(100.0), random_state=0, repeats=1000))
    50 [40, 59]
    """
    check_method(method, BOOTSTRAP_INTERVALS, "bootstrap_interval")
    level = check_level(level, "bootstrap_interval")
    if isinstance(metric, str):
        check_method(metric, METRICS, "bootstrap_interval", "metric")
        metric = METRICS[metric]
    if not isinstance(repeats, Real) or not float(repeats).is_integer() or repeats < 2:
        raise ValueError(f"bootstrap_interval(repeats={repeats!r}): give a whole number, at least 2")
    sample = bind(metric, arrays)
    if sample.n < 2:
        raise ValueError("bootstrap_interval: one row says nothing of the spread; give at least two")
    estimate = sample.estimate()
    if not np.isfinite(estimate):
        raise ValueError(f"bootstrap_interval: the metric of the rows themselves is {estimate}, not a finite number")
    replicates = bootstrap_replicates(sample, int(repeats), random_state, n_jobs)
    undefined = int((~np.isfinite(replicates)).sum())
    if undefined:
        raise ValueError(
            f"bootstrap_interval: the metric is not finite on {undefined} of {repeats} resamples; "
            "let it return a number when a class or a denominator is missing"
        )
    if replicates.min() == replicates.max() == estimate:
        low = high = estimate
    else:
        low, high = BOOTSTRAP_INTERVALS[method](replicates, estimate, level, sample)
    return Interval(estimate, float(low), float(high), level, f"bootstrap_{method}", sample.n)


def bootstrap_replicates(sample: Sample, repeats: int, random_state: Any, n_jobs: int | None) -> NDArray:
    """The metric on each resample; one random stream a chunk, so that threads cannot change the answer."""
    sizes = np.full(-(-repeats // sample.chunk), sample.chunk)
    sizes[-1] -= sizes.sum() - repeats
    streams = generator_from(random_state, "bootstrap_interval").spawn(len(sizes))
    parts = Parallel(n_jobs=n_jobs, require="sharedmem")(
        delayed(sample.replicates)(stream, size) for stream, size in zip(streams, sizes.tolist())
    )
    return np.concatenate(parts)


def _percentile(replicates: NDArray, estimate: float, level: float, sample: Sample) -> NDArray:
    return np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2])


def _basic(replicates: NDArray, estimate: float, level: float, sample: Sample) -> NDArray:
    return 2 * estimate - _percentile(replicates, estimate, level, sample)[::-1]


def _bca(replicates: NDArray, estimate: float, level: float, sample: Sample) -> NDArray:
    # Ties count half: a metric of counts takes few values.
    below = (np.mean(replicates < estimate) + np.mean(replicates <= estimate)) / 2
    if not 0 < below < 1:
        raise ValueError(
            f"bootstrap_interval(method='bca'): the estimate {estimate:g} lies outside all its replicates, so its bias "
            "cannot be corrected; use method='percentile', or more resamples"
        )
    bias = ndtri(below)
    z = bias + ndtri([(1 - level) / 2, (1 + level) / 2])
    room = 1 - _acceleration(sample) * z
    # As the room goes to 0 the corrected level goes to its end; beyond, the formula would come back from the other one.
    corrected = np.where(room > 0, ndtr(bias + z / np.where(room > 0, room, 1.0)), z > 0)
    return np.quantile(replicates, corrected)


def _acceleration(sample: Sample) -> float:
    """Σd³ / (6 (Σd²)^{3/2}), where d is the mean jackknife value less the value without each row."""
    values, rows = sample.jackknife()
    if not np.isfinite(values).all():
        raise ValueError(
            "bootstrap_interval(method='bca'): the metric is not finite when one row is left out; "
            "use method='percentile'"
        )
    deviations = np.average(values, weights=rows) - values
    spread = rows @ deviations**2
    return float(rows @ deviations**3 / (6 * spread**1.5)) if spread > 0 else 0.0


BOOTSTRAP_INTERVALS: dict[str, Callable[[NDArray, float, float, Sample], NDArray]] = {
    "bca": _bca,
    "percentile": _percentile,
    "basic": _basic,
}


def _share(part: NDArray, whole: NDArray) -> NDArray:
    """part/whole, and 0 where there is no whole."""
    return np.divide(part, whole, out=np.zeros_like(part, dtype=float), where=whole > 0)


def _hits(counts: NDArray) -> NDArray:
    return np.diagonal(counts, axis1=-2, axis2=-1)


def _accuracy(counts: NDArray) -> NDArray:
    return _hits(counts).sum(-1) / counts.sum((-2, -1))


def _recalls(counts: NDArray) -> NDArray:
    return _share(_hits(counts), counts.sum(-1))


def _precisions(counts: NDArray) -> NDArray:
    return _share(_hits(counts), counts.sum(-2))


def _f1s(counts: NDArray) -> NDArray:
    return _share(2 * _hits(counts), counts.sum(-1) + counts.sum(-2))


def _balanced_accuracy(counts: NDArray) -> NDArray:
    present = counts.sum(-1) > 0
    return (_recalls(counts) * present).sum(-1) / present.sum(-1)


def _of_last_class(scores: Callable[[NDArray], NDArray]) -> ConfusionMetric:
    return ConfusionMetric(lambda counts: scores(counts)[..., -1])


def _of_all_classes(scores: Callable[[NDArray], NDArray]) -> ConfusionMetric:
    return ConfusionMetric(lambda counts: scores(counts).mean(-1))


def _numbers(values: NDArray) -> NDArray:
    return check_values(values, "bootstrap_interval")


def _residuals(y_true: NDArray, y_pred: NDArray) -> NDArray:
    # As floats: a difference of unsigned integers would wrap round.
    return check_values(y_true, "bootstrap_interval", "y_true") - check_values(y_pred, "bootstrap_interval", "y_pred")


def _squares(y_true: NDArray, y_pred: NDArray) -> NDArray:
    return _residuals(y_true, y_pred) ** 2


def _r2_columns(y_true: NDArray, y_pred: NDArray) -> NDArray:
    # Centred once on all rows, so that the variance of a resample does not cancel.
    squares = _squares(y_true, y_pred)
    centred = _numbers(y_true) - np.mean(_numbers(y_true))
    return np.stack([squares, centred, centred**2], axis=1)


def _r2(means: NDArray) -> NDArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return 1 - means[..., 0] / (means[..., 2] - means[..., 1] ** 2)


# "precision", "recall" and "f1" are those of the last class in sorted order: class 1 of {0, 1}.
METRICS: dict[str, ConfusionMetric | MeanMetric] = {
    "accuracy": ConfusionMetric(_accuracy),
    "balanced_accuracy": ConfusionMetric(_balanced_accuracy),
    "error": ConfusionMetric(lambda counts: 1 - _accuracy(counts)),
    "f1": _of_last_class(_f1s),
    "f1_macro": _of_all_classes(_f1s),
    "mean": MeanMetric(_numbers),
    "mean_absolute_error": MeanMetric(lambda y_true, y_pred: np.abs(_residuals(y_true, y_pred))),
    "mean_squared_error": MeanMetric(_squares),
    "precision": _of_last_class(_precisions),
    "precision_macro": _of_all_classes(_precisions),
    "r2": MeanMetric(_r2_columns, _r2),
    "recall": _of_last_class(_recalls),
    "recall_macro": _of_all_classes(_recalls),
    "root_mean_squared_error": MeanMetric(_squares, lambda m: np.sqrt(m[..., 0])),
}
