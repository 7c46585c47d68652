"""Scores against the number of training rows, with bands."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from learnable.evaluation.corrected_t import corrected_mean
from learnable.evaluation.displays.style import BLUE, ORANGE, axes_or_new, legend, tidy
from learnable.evaluation.interval import Interval
from learnable.evaluation.score_bounds import score_bounds


class LearningCurveDisplay:
    """Mean training and validation score by training size, each with an interval corrected for overlapping folds.

    Parameters
    ----------
    sizes : numbers of training rows.
    training, validation : the scores with their intervals.
    metric : label of the axis.
    name : of the learner.

    Attributes
    ----------
    figure_, ax_ : of the last plot.

    >>> display = LearningCurveDisplay.from_scores(
    ...     [10, 20], [[1.0, 0.9], [0.95, 0.9]], [[0.6, 0.7], [0.8, 0.85]], n_test=10
    ... )
    >>> [round(interval.estimate, 3) for interval in display.validation]
    [0.65, 0.825]
    """

    def __init__(
        self,
        sizes: ArrayLike,
        training: list[Interval],
        validation: list[Interval],
        *,
        metric: str = "score",
        name: str = "learner",
    ):
        self.sizes = np.asarray(sizes)
        self.training, self.validation = list(training), list(validation)
        self.metric, self.name = metric, name
        if not len(self.sizes) or not len(self.sizes) == len(self.training) == len(self.validation):
            raise ValueError(
                f"LearningCurveDisplay: {len(self.sizes)} sizes, {len(self.training)} training and "
                f"{len(self.validation)} validation scores; give one each"
            )

    @classmethod
    def from_scores(
        cls,
        sizes: ArrayLike,
        train_scores: ArrayLike,
        test_scores: ArrayLike,
        *,
        n_test: ArrayLike,
        level: float = 0.95,
        bounds: tuple[float, float] | None = None,
        metric: str = "score",
        name: str = "learner",
    ) -> "LearningCurveDisplay":
        """From scores of shape (sizes, folds), as scikit-learn's `learning_curve` returns, and rows per test fold.

        `bounds` is the range of the score, to which the bands are cut.
        """
        sizes = np.asarray(sizes)

        def intervals(which: str, scores: ArrayLike) -> list[Interval]:
            table = np.asarray(scores, dtype=float)
            if table.ndim != 2 or len(table) != len(sizes):
                raise ValueError(
                    f"LearningCurveDisplay: {which} has shape {table.shape}; give {len(sizes)} rows of folds"
                )
            return [
                corrected_mean(
                    row, n_train=size, n_test=n_test, level=level, bounds=bounds, name=f"{which} at {size} rows"
                )
                for size, row in zip(sizes, table)
            ]

        training, validation = intervals("train_scores", train_scores), intervals("test_scores", test_scores)
        return cls(sizes, training, validation, metric=metric, name=name)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        train_sizes: ArrayLike = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0),
        cv: Any = 5,
        scoring: Any = None,
        level: float = 0.95,
        random_state: int | None = 0,
        n_jobs: int | None = None,
        name: str | None = None,
    ) -> "LearningCurveDisplay":
        """Fit clones on growing parts of the training folds; parameters as for scikit-learn's `learning_curve`."""
        from sklearn.base import is_classifier
        from sklearn.model_selection import check_cv, learning_curve

        folds = list(check_cv(cv, y, classifier=is_classifier(estimator)).split(X, y))
        sizes, train_scores, test_scores = learning_curve(
            estimator,
            X,
            y,
            train_sizes=np.asarray(train_sizes),
            cv=folds,
            scoring=scoring,
            n_jobs=n_jobs,
            shuffle=True,
            random_state=random_state,
            error_score="raise",
        )[:3]
        return cls.from_scores(
            sizes,
            train_scores,
            test_scores,
            n_test=[len(test) for _, test in folds],
            level=level,
            bounds=score_bounds(scoring, estimator),
            metric=scoring if isinstance(scoring, str) else "score",
            name=type(estimator).__name__ if name is None else name,
        )

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[int, Mapping[str, Any]],
        *,
        level: float = 0.95,
        metric: str = "score",
        name: str = "learner",
    ) -> "LearningCurveDisplay":
        """From training size -> `cross_validate(..., return_train_score=True, return_indices=True)`."""
        for size, results in cv_results.items():
            if not {"train_score", "test_score", "indices"} <= set(results):
                raise ValueError(
                    f"LearningCurveDisplay: the results for {size} rows lack train_score or indices; "
                    "use return_train_score=True, return_indices=True"
                )
        ordered = sorted(cv_results.items())
        sizes = {size: [len(test) for test in results["indices"]["test"]] for size, results in ordered}

        def intervals(key: str) -> list[Interval]:
            return [
                corrected_mean(
                    results[key], n_train=size, n_test=sizes[size], level=level, name=f"{key} at {size} rows"
                )
                for size, results in ordered
            ]

        return cls(list(sizes), intervals("train_score"), intervals("test_score"), metric=metric, name=name)

    def plot(self, ax: Any = None) -> "LearningCurveDisplay":
        """Draw on `ax`, or on a new figure."""
        figure, ax = axes_or_new(ax, height=3.8)
        curves = (("training rows", self.training, ORANGE, "s"), ("validation rows", self.validation, BLUE, "o"))
        for label, intervals, colour, marker in curves:
            ax.fill_between(
                self.sizes,
                [interval.low for interval in intervals],
                [interval.high for interval in intervals],
                color=colour,
                alpha=0.18,
                linewidth=0,
            )
            ax.plot(
                self.sizes,
                [interval.estimate for interval in intervals],
                color=colour,
                marker=marker,
                markersize=5,
                linewidth=1.5,
                label=label,
            )
        tidy(
            ax,
            xlabel=f"{self.name}: number of training rows",
            ylabel=f"{self.metric}, {self.validation[0].level:.0%} band",
        )
        legend(ax, loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
        self.figure_, self.ax_ = figure, ax
        return self
