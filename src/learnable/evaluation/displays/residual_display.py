"""Residuals against predictions, with the mean of each part of the range."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from learnable.evaluation.displays.pooled import pooled_predictions
from learnable.evaluation.displays.style import BLUE, MUTED, VERMILION, axes_or_new, legend, tidy
from learnable.evaluation.interval import Interval
from learnable.evaluation.means import t_interval

SHOWN = 3000  # more dots hide each other and make the file heavy


class ResidualDisplay:
    """Residual (true - predicted) against prediction; the mean residual of each bin has a t interval.

    A bar that misses 0 shows where the model is off on average; a funnel shows unequal variance.

    Parameters
    ----------
    predicted, residual : one per row.
    n_bins : of the means, by equally many rows; fewer when there are less than 10 rows in each.
    level : of the intervals.
    name : of the model.

    Attributes
    ----------
    bin_centres, bin_means : mean prediction, and mean residual with its interval, of each bin.
    figure_, ax_ : of the last plot.

    >>> rng = np.random.default_rng(0)
    >>> predicted = rng.normal(size=200)
    >>> display = ResidualDisplay.from_predictions(predicted + rng.normal(size=200), predicted)
    >>> len(display.bin_means)
    8
    """

    def __init__(
        self, predicted: ArrayLike, residual: ArrayLike, *, n_bins: int = 8, level: float = 0.95, name: str = "model"
    ):
        self.predicted, self.residual = np.asarray(predicted, dtype=float), np.asarray(residual, dtype=float)
        if self.predicted.ndim != 1 or self.predicted.shape != self.residual.shape or not len(self.predicted):
            raise ValueError(
                f"ResidualDisplay: predictions and residuals have shapes {self.predicted.shape} and "
                f"{self.residual.shape}; give two vectors of the same length"
            )
        if not (np.isfinite(self.predicted).all() and np.isfinite(self.residual).all()):
            raise ValueError("ResidualDisplay: predictions and true values must be finite; leave out the other rows")
        if n_bins < 1:
            raise ValueError(f"ResidualDisplay(n_bins={n_bins}): n_bins must be at least 1")
        self.level, self.name = level, name
        bins = np.array_split(np.argsort(self.predicted, kind="stable"), max(1, min(n_bins, len(self.predicted) // 10)))
        bins = [rows for rows in bins if len(rows) > 1]
        self.bin_centres = [float(self.predicted[rows].mean()) for rows in bins]
        self.bin_means: list[Interval] = [t_interval(self.residual[rows], level=level) for rows in bins]

    @classmethod
    def from_predictions(cls, y_true: ArrayLike, y_pred: ArrayLike, **options: Any) -> "ResidualDisplay":
        """From true and predicted values of rows the model has not seen."""
        predicted = np.asarray(y_pred, dtype=float)
        return cls(predicted, np.asarray(y_true, dtype=float) - predicted, **options)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: ArrayLike, **options: Any) -> "ResidualDisplay":
        """From a fitted regressor and rows it has not seen."""
        options.setdefault("name", type(estimator).__name__)
        return cls.from_predictions(y, estimator.predict(X), **options)

    @classmethod
    def from_cv_results(cls, cv_results: Mapping[str, Any], X: Any, y: ArrayLike, **options: Any) -> "ResidualDisplay":
        """From `cross_validate(..., return_estimator=True, return_indices=True)`: out-of-fold rows pooled."""
        truth, predicted, estimator = pooled_predictions(cv_results, X, y, "predict")
        options.setdefault("name", type(estimator).__name__)
        return cls.from_predictions(truth, predicted, **options)

    def plot(self, ax: Any = None) -> "ResidualDisplay":
        """Draw on `ax`, or on a new figure; of more than 3000 rows an even sample is shown."""
        figure, ax = axes_or_new(ax, height=4.0)
        n = len(self.predicted)
        shown = np.linspace(0, n - 1, min(n, SHOWN)).astype(int)
        opacity = float(np.clip(150 / len(shown), 0.12, 0.6))
        label = "rows" if len(shown) == n else f"{SHOWN} of {n} rows"
        ax.scatter(
            self.predicted[shown], self.residual[shown], s=10, color=BLUE, alpha=opacity, linewidths=0, label=label
        )
        ax.axhline(0, color=MUTED, linewidth=1, linestyle="--")
        if self.bin_means:
            centre = np.array([interval.estimate for interval in self.bin_means])
            ax.errorbar(
                self.bin_centres,
                centre,
                yerr=[
                    centre - [interval.low for interval in self.bin_means],
                    [interval.high for interval in self.bin_means] - centre,
                ],
                fmt="s",
                color=VERMILION,
                markersize=5,
                capsize=3,
                linewidth=1.5,
                label=f"mean, {self.level:.0%} interval",
            )
        tidy(ax, xlabel=f"{self.name}: predicted", ylabel="true - predicted")
        legend(ax, loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
        self.figure_, self.ax_ = figure, ax
        return self
