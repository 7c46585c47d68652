"""Tuning one learner by cross-validation, on folds that are the same for every learner.

The folds hold coded matrices: the coding of each is learned on its own training rows, so nothing leaks, and is done
once for the whole panel.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from learnable.app.candidates import Candidate
from learnable.app.errors import printable
from learnable.app.workers import Deadline, run_tasks

Loss = Callable[[np.ndarray, np.ndarray], np.ndarray]


LARGEST_LOSS = 1e150  # the spread over the folds needs squares


class Fold(NamedTuple):
    """One split: coded training rows and validation rows."""

    X: np.ndarray
    y: np.ndarray
    X_valid: np.ndarray
    y_valid: np.ndarray


class Tried(NamedTuple):
    """A setting and its loss on each fold; none when a fit failed."""

    params: dict[str, Any]
    scores: list[float]


class Tuned(NamedTuple):
    """The setting of least mean loss, its loss on each fold, and every setting tried."""

    params: dict[str, Any]
    scores: list[float]
    tried: list[Tried]


class EveryFitFailed(Exception):
    """No setting of a learner could be fitted on all folds."""


def tune(
    candidate: Candidate,
    folds: Sequence[Fold],
    loss: Loss,
    jobs: int,
    deadline: Deadline,
    finished: Callable[[], None] = lambda: None,
) -> Tuned:
    """Try every setting on every fold; ties go to the setting that comes first in the grid.

    A setting that fails on a fold, or gives a loss whose square is not finite, is out.
    """
    tasks = [
        partial(_fold_loss, candidate.estimator, setting, fold, loss)
        for setting in candidate.settings
        for fold in folds
    ]
    outcomes = run_tasks(tasks, jobs, deadline, finished)
    rows = [outcomes[start : start + len(folds)] for start in range(0, len(outcomes), len(folds))]
    means = [np.mean([value for value, _ in row]) for row in rows]
    tried = [
        Tried(setting, [value for value, _ in row] if np.isfinite(mean) else [])
        for setting, mean, row in zip(candidate.settings, means, rows)
    ]
    if not np.isfinite(means).any():
        raise EveryFitFailed(next((cause for row in rows for _, cause in row if cause), "the loss is not finite"))
    best = int(np.nanargmin(np.where(np.isfinite(means), means, np.nan)))
    return Tuned(*tried[best], tried)


def _fold_loss(estimator: Any, setting: dict[str, Any], fold: Fold, loss: Loss) -> tuple[float, str]:
    """Mean loss on the validation rows, or (nan, why not). A fit may fail in any way: that is a finding, not a bug."""
    from sklearn.base import clone

    try:
        model = clone(estimator).set_params(**setting).fit(fold.X, fold.y)
        found = float(np.mean(loss(fold.y_valid, model.predict(fold.X_valid))))
        return (found, "") if found <= LARGEST_LOSS else (float("nan"), f"the loss on a fold is {found:.3g}")
    except Exception as error:
        return float("nan"), f"{type(error).__name__}: {printable(error)}"
