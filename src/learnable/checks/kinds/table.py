"""Learners that are fitted on a table."""

from typing import Any

import numpy as np
from sklearn.utils import get_tags

from learnable.checks.kinds.kind import CheckData, Kind
from learnable.checks.registry import known_of


class Table(Kind):
    """Rows and columns of numbers or categories, with or without a target."""

    def altered(self, data: CheckData) -> CheckData:
        """The same table but for its first row: far away where X is real, the next value where it holds categories."""
        X = data.X.copy()
        X[0] = -40.0 * X[0] if X.dtype.kind == "f" else (X[0] + 1) % (X.max(axis=0) + 1)
        return CheckData(X, data.y)

    def smaller(self, data: CheckData) -> CheckData:
        """The first rows and columns."""
        return CheckData(data.X[:150, :4], None if data.y is None else data.y[:150])

    def larger(self, data: CheckData, copies: int) -> CheckData:
        """So many times the rows, real ones a little apart."""
        X = np.tile(data.X, (copies, 1))
        if X.dtype.kind == "f":
            X += 1e-3 * np.random.default_rng(1).standard_normal(X.shape)
        return CheckData(X, None if data.y is None else np.tile(data.y, (copies, *[1] * (np.ndim(data.y) - 1))))

    def spoiled(self, estimator: Any, data: CheckData) -> CheckData:
        """A missing cell, or an infinite one for learners that bear missing cells, or a word if those are numbers."""
        if known_of(type(estimator).__name__).infinite:
            X = data.X.astype(object)
            X[3, -1] = "word"
            return CheckData(X, data.y)
        X = data.X.astype(float)
        X[3, -1] = np.inf if get_tags(estimator).input_tags.allow_nan else np.nan
        return CheckData(X, data.y)

    def read_only(self, data: CheckData) -> list[CheckData]:
        """By rows and by columns."""
        copies = []
        for X in (np.array(data.X, order="C"), np.array(data.X, order="F")):
            y = None if data.y is None else np.array(data.y)
            for given in (X, y):
                if given is not None:
                    given.setflags(write=False)
            copies.append(CheckData(X, y))
        return copies


SLOPE = np.array([2.0, -1.5, 1.0, 0.5, 0.0, 0.0])


def scored_rows(seed: int) -> tuple[np.ndarray, np.ndarray, np.random.Generator]:
    """200 normal rows of 6 columns, a linear score of each, and the generator for what comes on top."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((200, 6))
    return X, X @ SLOPE, random


def grouped_rows(seed: int) -> np.ndarray:
    """200 rows around three centres in 6 columns."""
    random = np.random.default_rng(seed)
    centres = 4.0 * np.eye(3, 6)
    return centres[random.integers(3, size=200)] + 0.6 * random.standard_normal((200, 6))
