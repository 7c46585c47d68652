"""Mean scores with their intervals, best first."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from learnable.evaluation.comparison import Comparison
from learnable.evaluation.displays.style import BLUE, INK, MUTED, SMALL, axes_or_new, short_names, tidy
from learnable.evaluation.interval import Interval
from learnable.evaluation.report_tables import group_letters


class LeaderboardDisplay:
    """One row per learner: mean score, interval, and letters; learners that share a letter are not told apart.

    Parameters
    ----------
    names : learners, best first.
    intervals : their scores.
    letters : group letters, or None.
    metric : label of the axis.

    Attributes
    ----------
    figure_, ax_ : of the last plot.

    >>> folds = {"tree": [0.90, 0.93, 0.88], "stump": [0.70, 0.66, 0.71]}
    >>> board = LeaderboardDisplay.from_comparison(Comparison.from_scores(folds, n_train=200, n_test=100))
    >>> board.names, board.letters
    (['tree', 'stump'], ['a', 'b'])
    """

    def __init__(
        self,
        names: Sequence[str],
        intervals: Sequence[Interval],
        *,
        letters: Sequence[str] | None = None,
        metric: str = "score",
    ):
        if len(names) != len(intervals) or not len(names):
            raise ValueError(f"LeaderboardDisplay: {len(names)} names for {len(intervals)} intervals; give one each")
        self.names = list(names)
        self.intervals = list(intervals)
        self.letters = None if letters is None else list(letters)
        self.metric = metric

    @classmethod
    def from_comparison(cls, comparison: Comparison) -> "LeaderboardDisplay":
        """From `compare` or `Comparison.from_scores`."""
        place = {name: i for i, name in enumerate(comparison.ranking)}
        runs = [[place[name] for name in group] for group in comparison.groups]
        letters = [group_letters(i, runs) for i in range(len(place))]
        metric = comparison.metric if comparison.greater_is_better else f"{comparison.metric} (smaller is better)"
        return cls(comparison.ranking, list(comparison.means.values()), letters=letters, metric=metric)

    @classmethod
    def from_cv_results(
        cls, cv_results: Mapping[str, Mapping[str, Any]], *, metric: str = "score", alpha: float = 0.05
    ) -> "LeaderboardDisplay":
        """From scikit-learn's `cross_validate(..., return_indices=True)`: name -> its results, on the same folds."""
        comparison = comparison_from_cv_results(cv_results, metric=metric, alpha=alpha)
        return cls.from_comparison(comparison)

    def plot(self, ax: Any = None) -> "LeaderboardDisplay":
        """Draw on `ax`, or on a new figure."""
        n = len(self.names)
        figure, ax = axes_or_new(ax, height=1.0 + 0.3 * n)
        rows = np.arange(n)
        centre = np.array([interval.estimate for interval in self.intervals])
        low = np.array([interval.low for interval in self.intervals])
        high = np.array([interval.high for interval in self.intervals])
        ax.hlines(rows, low, high, color=BLUE, linewidth=2.5, alpha=0.45)
        ax.plot(centre, rows, "o", color=BLUE, markersize=6)
        ax.set_yticks(rows, labels=short_names(self.names, 30))
        ax.set_ylim(n - 0.5, -0.5)
        level = self.intervals[0].level
        tidy(ax, xlabel=f"{self.metric}, mean and {level:.0%} interval", grid="x")
        ax.tick_params(axis="y", length=0)
        if self.letters is not None:
            for row, letters in zip(rows, self.letters):
                ax.annotate(
                    letters,
                    (1.02, row),
                    xycoords=("axes fraction", "data"),
                    va="center",
                    fontsize=SMALL,
                    color=INK,
                    family="monospace",
                )
            ax.annotate(
                "group",
                (1.02, 1.0),
                xycoords="axes fraction",
                xytext=(0, 3),
                textcoords="offset points",
                va="bottom",
                fontsize=SMALL,
                color=MUTED,
            )
        self.figure_, self.ax_ = figure, ax
        return self


def comparison_from_cv_results(
    cv_results: Mapping[str, Mapping[str, Any]], *, metric: str = "score", alpha: float = 0.05
) -> Comparison:
    """A `Comparison` from name -> `cross_validate(..., return_indices=True)`; refuses different folds."""
    if not cv_results:
        raise ValueError("from_cv_results: no results; give name -> cross_validate(..., return_indices=True)")
    folds = None
    for name, results in cv_results.items():
        if "indices" not in results or "test_score" not in results:
            raise ValueError(f"from_cv_results: {name!r} needs test_score and indices; use return_indices=True")
        mine = [tuple(test) for test in results["indices"]["test"]]
        if folds is not None and mine != folds:
            raise ValueError(f"from_cv_results: {name!r} ran on other folds than the first learner; use the same cv")
        folds = mine
    indices = next(iter(cv_results.values()))["indices"]
    return Comparison.from_scores(
        {name: results["test_score"] for name, results in cv_results.items()},
        [len(train) for train in indices["train"]],
        [len(test) for test in indices["test"]],
        metric=metric,
        alpha=alpha,
    )
