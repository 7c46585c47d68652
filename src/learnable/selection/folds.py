"""Cross-validation estimates: averaged over folds and pooled over observations, each with its interval."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, is_classifier
from sklearn.model_selection import LeaveOneOut, check_cv

from learnable.config import config_context
from learnable.evaluation.interval import Interval
from learnable.evaluation.means import t_interval
from learnable.processes import in_processes
from learnable.seeds import generator_from
from learnable.selection._inputs import (
    Loss,
    losses_of,
    require_classes,
    require_count,
    require_rows,
    require_vector,
    resolve_loss,
    rows_of,
    seeded_clone,
    squared_loss,
)
from learnable.selection._intervals import loss_interval
from learnable.selection._report import Reported, Table

Splits = Sequence[tuple[NDArray, NDArray]]


def check_partition(splits: Splits, n: int) -> int:
    """How many times the test folds partition 0..n-1; an error when they do not, or when train meets test.

    1 for k-fold, r for k-fold repeated r times. Syllabus: MS7.

    >>> from sklearn.model_selection import KFold
    >>> check_partition(list(KFold(3).split(np.zeros(7))), 7)
    1
    """
    if len(splits) < 2:
        raise ValueError(f"k={len(splits)} folds: at least 2 are needed, one to learn on and one to judge")
    times = np.zeros(n, dtype=int)
    for fold, (train, test) in enumerate(splits):
        if len(test) == 0 or len(train) == 0:
            raise ValueError(
                f"fold {fold}: the {'test' if len(test) == 0 else 'training'} part is empty; use fewer folds"
            )
        shared = np.intersect1d(train, test)
        if shared.size:
            raise ValueError(f"fold {fold}: observation {shared[0]} is both trained on and tested")
        np.add.at(times, test, 1)
    if times.min() != times.max() or times.min() == 0:
        index = int(np.argmin(times))
        raise ValueError(
            f"folds: observation {index} is tested {times[index]} times, another {times.max()} times; "
            "the test folds must partition the sample (KFold and its kin do, ShuffleSplit does not)"
        )
    return int(times[0])


@dataclass(frozen=True, repr=False, eq=False)
class CrossValidated(Reported):
    """Both cross-validation estimates of one learner.

    Attributes
    ----------
    averaged : mean of the fold errors, with a t interval over the k folds.
    pooled : mean of the n losses, with an interval over the observations (Wilson for 0-1 losses).
    fold_errors, fold_sizes : one for each fold. With equal sizes the two estimates coincide.
    losses : loss of each observation when left out (averaged over the repeats).
    repeats : how many partitions the folds make.
    """

    averaged: Interval
    pooled: Interval
    fold_errors: NDArray
    fold_sizes: NDArray
    losses: NDArray
    repeats: int

    def table(self) -> Table:
        level = f"{self.averaged.level:.0%} interval"
        rows = [
            ("averaged over folds", self.averaged.estimate, f"[{self.averaged.low:.4g}, {self.averaged.high:.4g}]"),
            ("pooled", self.pooled.estimate, f"[{self.pooled.low:.4g}, {self.pooled.high:.4g}]"),
        ]
        k, sizes = len(self.fold_errors), f"{self.fold_sizes.min()} to {self.fold_sizes.max()}"
        notes = [
            f"{k} folds of {sizes} observations, {self.repeats} partition(s)",
            "training sets overlap, so both intervals are approximate and tend to be too short",
        ]
        return Table("Cross-validated error", ("estimate", "error", level), rows, notes)

    def worst_fold(self) -> tuple[int, float]:
        """Index and error of the fold with the largest error."""
        fold = int(np.argmax(self.fold_errors))
        return fold, float(self.fold_errors[fold])


def cross_validated(
    estimator: BaseEstimator,
    X: Any,
    y: ArrayLike,
    *,
    cv: int | Any | Iterable = 5,
    groups: ArrayLike | None = None,
    loss: str | Loss | None = None,
    level: float = 0.95,
    n_jobs: int | None = None,
    random_state: int | np.random.Generator | None = 0,
) -> CrossValidated:
    """Cross-validated error of a learner, averaged over folds and pooled over observations.

    averaged = (1/k) Σ_j (1/n_j) Σ_{i in fold j} L_i, pooled = (1/n) Σ_i L_i with L_i the loss at i of the model that
    did not see i. Syllabus: MS7, E5.

    Parameters
    ----------
    estimator : cloned for every fold.
    X, y : the sample.
    cv : number of folds (stratified for classifiers), any scikit-learn splitter, or an iterable of (train, test); the
        test folds must partition the sample.
    groups : handed to the splitter (GroupKFold and its kin).
    loss : by default 0-1 for classifiers and squared for regressors.
    level : of the intervals.
    n_jobs : parallel fits; the answer does not depend on it.
    random_state : seed for estimators that leave theirs unset.

    >>> from sklearn.dummy import DummyRegressor
    >>> result = cross_validated(DummyRegressor(), np.zeros((4, 1)), [0.0, 0.0, 2.0, 2.0], cv=2)
    >>> result.pooled.estimate, result.averaged.estimate
    (4.0, 4.0)
    """
    X, y = require_rows(X, y)
    n, classifier = len(y), is_classifier(estimator)
    if isinstance(cv, int | np.integer):
        require_count("cv", int(cv), least=2)
        if cv > n:
            raise ValueError(f"cv={cv}: more folds than the n={n} observations; use at most n (leave one out)")
    splits = list(check_cv(cv, y, classifier=classifier).split(X, y, groups))
    repeats = check_partition(splits, n)
    classes = np.unique(y) if classifier else None
    elementwise = resolve_loss(loss, estimator)
    if classes is not None:
        for fold, (train, _) in enumerate(splits):
            require_classes(y[train], classes, f"fold {fold}")

    def predictions(train: NDArray, test: NDArray, generator: np.random.Generator) -> NDArray:
        with config_context(certificates=False):
            model = seeded_clone(estimator, generator).fit(rows_of(X, train), y[train])
        return np.asarray(model.predict(rows_of(X, test)))

    streams = generator_from(random_state, "cross_validated").spawn(len(splits))
    tasks = ((*split, stream) for split, stream in zip(splits, streams))
    answers = list(in_processes(predictions, tasks, n_jobs))
    fold_losses = [
        losses_of(elementwise, y[test], answer, f"fold {fold}")
        for fold, ((_, test), answer) in enumerate(zip(splits, answers))
    ]
    losses = np.zeros(n)
    for (_, test), values in zip(splits, fold_losses):
        losses[test] += values / repeats
    fold_errors = np.array([values.mean() for values in fold_losses])
    sizes = np.array([len(values) for values in fold_losses])
    pooled = loss_interval(losses, level, elementwise)
    return CrossValidated(t_interval(fold_errors, level=level), pooled, fold_errors, sizes, losses, repeats)


def leave_one_out(estimator: BaseEstimator, X: Any, y: ArrayLike, **options: Any) -> CrossValidated:
    """Leave-one-out error: n folds of one observation, for which averaged and pooled are the same number.

    Takes the options of `cross_validated` except `cv` and `groups`. Syllabus: MS7.

    >>> from sklearn.linear_model import LinearRegression
    >>> X, y = np.array([[0.0], [1.0], [2.0], [4.0]]), np.array([0.0, 1.0, 3.0, 4.0])
    >>> round(leave_one_out(LinearRegression(), X, y).pooled.estimate, 6)
    1.180556
    """
    return cross_validated(estimator, X, y, cv=LeaveOneOut(), **options)


def linear_leave_one_out(H: ArrayLike, y: ArrayLike, *, level: float = 0.95) -> CrossValidated:
    """Leave-one-out squared error of a linear smoother from one fit: (1/n) Σ ((y_i - ŷ_i)/(1 - h_ii))².

    Exact for least squares and ridge (with the intercept inside H). Syllabus: MS7.

    >>> round(linear_leave_one_out(np.full((3, 3), 1 / 3), [0.0, 1.0, 5.0]).pooled.estimate, 6)
    10.5
    """
    H, y = np.asarray(H, dtype=float), require_vector("y", y)
    if H.shape != (len(y), len(y)):
        raise ValueError(f"H: shape {H.shape} for {len(y)} responses; ŷ = Hy needs a row and a column for each")
    leverage = np.diag(H)
    if (leverage >= 1 - 1e-12).any():
        row = int(np.argmax(leverage))
        raise ValueError(
            f"H: leverage of observation {row} is {leverage[row]:.6g}; without it the fit is not determined"
        )
    losses = ((y - H @ y) / (1 - leverage)) ** 2
    n = len(losses)
    ones = np.ones(n, dtype=int)
    pooled = loss_interval(losses, level, squared_loss)
    return CrossValidated(t_interval(losses, level=level), pooled, losses, ones, losses, 1)
