"""Predicted against observed frequencies, with Wilson bands."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from learnable.evaluation.displays.pooled import pooled_predictions
from learnable.evaluation.displays.style import BLUE, MUTED, axes_or_new, legend, tidy
from learnable.evaluation.interval import Interval
from learnable.evaluation.proportion import proportion_interval
from learnable.plain import plain


class CalibrationDisplay:
    """Calibration curve: in each bin the mean predicted probability against the observed frequency.

    A classifier is calibrated when the diagonal passes through the bars; a bar that misses it is evidence against.

    Parameters
    ----------
    predicted : mean predicted probability of each bin.
    observed : observed frequency of each bin with its Wilson interval.
    counts : rows in each bin.
    name : of the classifier.
    positive : the class whose probability is shown.

    Attributes
    ----------
    figure_, ax_ : of the last plot.

    >>> rng = np.random.default_rng(0)
    >>> p = rng.uniform(size=500)
    >>> display = CalibrationDisplay.from_predictions(rng.uniform(size=500) < p, p, n_bins=5)
    >>> len(display.observed), sum(display.counts)
    (5, 500)
    """

    def __init__(
        self,
        predicted: ArrayLike,
        observed: list[Interval],
        counts: ArrayLike,
        *,
        name: str = "classifier",
        positive: Any = 1,
    ):
        self.predicted = np.asarray(predicted, dtype=float)
        self.observed = list(observed)
        self.counts = [int(count) for count in np.asarray(counts)]
        self.name = name
        self.positive = positive

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_prob: ArrayLike,
        *,
        n_bins: int = 10,
        pos_label: Any = None,
        level: float = 0.95,
        name: str = "classifier",
    ) -> "CalibrationDisplay":
        """From labels and predicted probabilities of `pos_label` (default: the greater label).

        Bins hold (nearly) equally many rows; equal probabilities are never split between bins, so there may be fewer.
        """
        truth, p = np.asarray(y_true), np.asarray(y_prob, dtype=float)
        if truth.ndim != 1 or p.shape != truth.shape or not len(p):
            raise ValueError(
                f"CalibrationDisplay: y_true and y_prob have shapes {truth.shape}, {p.shape}; give two vectors"
            )
        if not ((p >= 0) & (p <= 1)).all():
            raise ValueError(f"CalibrationDisplay: y_prob must lie in [0, 1], found {p[~((p >= 0) & (p <= 1))][0]}")
        if n_bins < 1:
            raise ValueError(f"CalibrationDisplay(n_bins={n_bins}): n_bins must be at least 1")
        classes = np.unique(truth)
        if len(classes) > 2:
            raise ValueError(f"CalibrationDisplay: y_true has {len(classes)} classes; show one class against the rest")
        positive = classes[-1] if pos_label is None else pos_label
        edges = np.unique(np.quantile(p, np.linspace(0, 1, n_bins + 1)[1:-1]))
        bins = np.searchsorted(edges, p, side="left")
        occupied = np.unique(bins)
        hit = truth == positive
        observed = [
            proportion_interval(int(hit[bins == b].sum()), int((bins == b).sum()), level=level) for b in occupied
        ]
        return cls(
            [p[bins == b].mean() for b in occupied],
            observed,
            [int((bins == b).sum()) for b in occupied],
            name=name,
            positive=positive,
        )

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: ArrayLike, **options: Any) -> "CalibrationDisplay":
        """From a fitted classifier with two classes and rows it has not seen; options as for `from_predictions`."""
        return cls._from_probabilities(y, estimator.predict_proba(X), estimator, options)

    @classmethod
    def from_cv_results(
        cls, cv_results: Mapping[str, Any], X: Any, y: ArrayLike, **options: Any
    ) -> "CalibrationDisplay":
        """From `cross_validate(..., return_estimator=True, return_indices=True)`: out-of-fold rows pooled."""
        truth, probabilities, estimator = pooled_predictions(cv_results, X, y, "predict_proba")
        return cls._from_probabilities(truth, probabilities, estimator, options)

    @classmethod
    def _from_probabilities(cls, y: Any, probabilities: Any, estimator: Any, options: dict) -> "CalibrationDisplay":
        classes = list(estimator.classes_)
        if len(classes) != 2:
            raise ValueError(f"CalibrationDisplay: {type(estimator).__name__} has {len(classes)} classes; it needs 2")
        positive = options.pop("pos_label", classes[1])
        if positive not in classes:
            raise ValueError(
                f"CalibrationDisplay(pos_label={plain(positive)!r}): pos_label must be one of {plain(classes)}"
            )
        options.setdefault("name", type(estimator).__name__)
        return cls.from_predictions(y, probabilities[:, classes.index(positive)], pos_label=positive, **options)

    def plot(self, ax: Any = None) -> "CalibrationDisplay":
        """Draw on `ax`, or on a new figure."""
        figure, ax = axes_or_new(ax, height=5.0)
        centre = np.array([interval.estimate for interval in self.observed])
        low = np.array([interval.low for interval in self.observed])
        high = np.array([interval.high for interval in self.observed])
        fewest, most = min(self.counts), max(self.counts)
        rows = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        ax.plot([0, 1], [0, 1], color=MUTED, linestyle="--", linewidth=1, label="calibrated")
        ax.plot(self.predicted, centre, color=BLUE, linewidth=1, alpha=0.6)
        ax.errorbar(
            self.predicted,
            centre,
            yerr=[np.maximum(centre - low, 0), np.maximum(high - centre, 0)],
            fmt="o",
            color=BLUE,
            markersize=5,
            capsize=3,
            label=f"observed, {self.observed[0].level:.0%} Wilson interval\n({len(centre)} bins of {rows} rows)",
        )
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        tidy(
            ax,
            xlabel=f"{self.name}: predicted probability of {self.positive}",
            ylabel=f"observed frequency of {self.positive}",
        )
        legend(ax, loc="upper left")
        self.figure_, self.ax_ = figure, ax
        return self
