"""Noise, bias² and variance against complexity, stacked up to the expected error."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from learnable.evaluation.bias_variance import BiasVariance, simulated_bias_variance
from learnable.evaluation.displays.style import BLUE, INK, MUTED, ORANGE, axes_or_new, label_text, legend, tidy


class BiasVarianceDisplay:
    """The three terms stacked over a parameter; their top is the expected error, with its Monte-Carlo interval.

    Parameters
    ----------
    values : of the parameter: numbers in rising order, or labels.
    terms : a decomposition for each value.
    parameter : its name.

    Attributes
    ----------
    figure_, ax_ : of the last plot.

    >>> from learnable.evaluation.bias_variance import prediction_decomposition
    >>> terms = [prediction_decomposition([[0.0, 1.0], [c, 1.0]], [0.0, 0.0], noise_variance=0.1) for c in (1.0, 2.0)]
    >>> BiasVarianceDisplay([1, 2], terms).stack().round(4).tolist()
    [[0.1, 0.1], [0.725, 1.1], [0.85, 1.6]]
    """

    def __init__(self, values: Sequence[Any], terms: Sequence[BiasVariance], *, parameter: str = "complexity"):
        if len(values) != len(terms) or not len(values):
            raise ValueError(
                f"BiasVarianceDisplay: {len(values)} values for {len(terms)} decompositions; give one each"
            )
        self.values, self.terms, self.parameter = list(values), list(terms), parameter

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        parameter: str,
        values: Sequence[Any],
        simulate: Callable[[np.random.Generator], tuple[Any, Any]],
        X: Any,
        truth: ArrayLike,
        **options: Any,
    ) -> "BiasVarianceDisplay":
        """Decompose the estimator at each value of one parameter; options as for `simulated_bias_variance`."""
        from sklearn.base import clone

        terms = [
            simulated_bias_variance(clone(estimator).set_params(**{parameter: value}), simulate, X, truth, **options)
            for value in values
        ]
        return cls(values, terms, parameter=parameter)

    def stack(self) -> np.ndarray:
        """Heights of the borders: noise, noise + bias², noise + bias² + variance; one column per value."""
        parts = [[term.noise, term.bias_squared.estimate, term.variance.estimate] for term in self.terms]
        return np.cumsum(np.array(parts), axis=1).T

    def plot(self, ax: Any = None) -> "BiasVarianceDisplay":
        """Draw on `ax`, or on a new figure."""
        figure, ax = axes_or_new(ax, height=4.0)
        numeric = all(
            isinstance(value, int | float | np.number) and not isinstance(value, bool) for value in self.values
        )
        x = np.asarray(self.values, dtype=float) if numeric else np.arange(len(self.values))
        noise, with_bias, total = self.stack()
        in_bias = any(term.noise_in_bias for term in self.terms)
        if noise.any():
            ax.fill_between(x, 0, noise, color="#D1D5DB", label="noise", linewidth=0)
        ax.fill_between(
            x, noise, with_bias, color=BLUE, alpha=0.75, label="bias² + noise" if in_bias else "bias²", linewidth=0
        )
        ax.fill_between(x, with_bias, total, color=ORANGE, alpha=0.8, label="variance", linewidth=0)
        low = np.array([term.error.low for term in self.terms])
        high = np.array([term.error.high for term in self.terms])
        ax.errorbar(
            x,
            total,
            yerr=[np.maximum(total - low, 0), np.maximum(high - total, 0)],
            color=INK,
            fmt="o-",
            markersize=4,
            linewidth=1.2,
            capsize=3,
            label="expected error",
        )
        best = int(np.argmin(total))
        ax.axvline(x[best], color=MUTED, linestyle=":", linewidth=1)
        if numeric and len(x) > 2 and x.min() > 0 and x.max() / x.min() >= 100:
            ax.set_xscale("log")
        elif not numeric or (all(float(value).is_integer() for value in x) and len(x) <= 12):
            ax.set_xticks(x, labels=[label_text(value) for value in self.values])
        ax.set_ylim(bottom=0)
        if len(x) > 1:
            ax.margins(x=0.02)
        tidy(ax, xlabel=self.parameter, ylabel="squared error", grid="y")
        legend(ax, loc="lower left", bbox_to_anchor=(0, 1), ncols=4, columnspacing=1.2, handlelength=1.4)
        self.figure_, self.ax_ = figure, ax
        return self
