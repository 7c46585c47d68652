"""What several pictures draw in the plane of the rows: the rows themselves, and what a model says everywhere else."""

from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor

from learnable.films.marks import Mark, points, raster
from learnable.films.registry import Shot
from learnable.films.stage import GRID


def rows_of(shot: Shot, **details: Any) -> Mark:
    """The rows that are shown, in the colours of their classes unless `group` says otherwise."""
    return points(shot.stage.at, details.pop("group", shot.stage.group), **details)


def surface(shot: Shot) -> Mark:
    """What the model says at each place of the plane: its score between two classes, else its class or cluster."""
    model, plane = shot.model, shot.stage.plane
    grid = plane.grid()
    if is_classifier(model) and hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(grid), dtype=float)
        if scores.ndim == 1:
            reach = float(np.quantile(np.abs(scores), 0.9)) or 1.0
            return raster(plane.box, (scores / reach).reshape(GRID[::-1]), "score")
    said = np.asarray(model.predict(grid))
    classes = getattr(model, "classes_", None)
    if is_classifier(model) and classes is not None:
        said = np.searchsorted(np.asarray(classes), said)
    return raster(plane.box, said.reshape(GRID[::-1]), "class")


def wrong(shot: Shot) -> np.ndarray:
    """Which of the rows that are shown the model gives another class than theirs."""
    stage = shot.stage
    assert stage.X is not None
    assert stage.y is not None
    return np.asarray(shot.model.predict(stage.X[stage.shown])) != stage.y[stage.shown]


def classifies_numbers(shot: Shot) -> bool:
    """Whether the model tells classes apart in a table of numbers."""
    return is_classifier(shot.model) and shot.stage.X is not None and shot.stage.y is not None


def fits_numbers(shot: Shot) -> bool:
    """Whether the model predicts one number from a table of numbers."""
    y = shot.stage.y
    return is_regressor(shot.model) and shot.stage.X is not None and y is not None and y.ndim == 1


def share(mask: Any) -> str:
    """How many of them, in words.

    >>> share(np.array([True, False, True]))
    '2 of 3'
    """
    mask = np.asarray(mask)
    return f"{int(np.count_nonzero(mask))} of {len(mask)}"
