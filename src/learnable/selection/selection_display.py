"""A picture of a `Selection`: one panel a criterion, one line a candidate, difference from the best with its error."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from learnable.selection.select import Selection, select


class SelectionDisplay:
    """Dots and error bars of a selection.

    Parameters
    ----------
    selection : what is drawn.

    Attributes
    ----------
    figure_, axes_ : the matplotlib objects, after `plot`.

    >>> import numpy as np, matplotlib
    >>> matplotlib.use("agg")
    >>> from sklearn.dummy import DummyRegressor
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.linspace(0, 1, 30)[:, None]
    >>> models = {"mean": DummyRegressor(), "line": LinearRegression()}
    >>> display = SelectionDisplay.from_candidates(models, X, X[:, 0] ** 2, criteria=("cv", "loo"))
    >>> [ax.get_title() for ax in display.axes_]
    ['cv', 'loo']
    >>> matplotlib.pyplot.close(display.figure_)
    """

    def __init__(self, selection: Selection) -> None:
        self.selection = selection

    @classmethod
    def from_selection(cls, selection: Selection) -> "SelectionDisplay":
        """Draw a selection that was made before."""
        return cls(selection).plot()

    @classmethod
    def from_candidates(
        cls,
        candidates: Mapping[str, BaseEstimator] | Sequence[BaseEstimator],
        X: Any,
        y: ArrayLike,
        **options: Any,
    ) -> "SelectionDisplay":
        """Run `select` with these options and draw what it says."""
        return cls(select(candidates, X, y, **options)).plot()

    def plot(self) -> "SelectionDisplay":
        """Draw; a filled dot marks the choice of each criterion, an infinite value is written out."""
        import matplotlib.pyplot as plt

        names, columns = self.selection.names, self.selection.columns
        size = (1.6 + 2.3 * len(columns), 1.3 + 0.32 * len(names))
        figure, grid = plt.subplots(1, len(columns), sharey=True, figsize=size, squeeze=False, layout="constrained")
        rows = np.arange(len(names))
        for axes, column in zip(grid[0], columns):
            finite = np.isfinite(column.differences)
            axes.axvline(0, color="0.7", linewidth=1, zorder=0)
            axes.errorbar(
                column.differences[finite],
                rows[finite],
                xerr=column.errors[finite],
                fmt="o",
                color="tab:blue",
                markerfacecolor="white",
                capsize=2,
            )
            axes.plot(0, column.best, "o", color="tab:orange", markersize=9, zorder=5)
            for row in rows[~finite]:
                axes.annotate("∞", (0.95, row), xycoords=("axes fraction", "data"), ha="right", va="center")
            axes.set_title(column.name)
            axes.locator_params(axis="x", nbins=4)
            axes.spines[["top", "right"]].set_visible(False)
        grid[0][0].set_yticks(rows, names)
        grid[0][0].set_ylim(len(names) - 0.5, -0.5)
        figure.supxlabel("above the best (± standard error of the difference)", fontsize="medium")
        self.figure_, self.axes_ = figure, list(grid[0])
        return self
