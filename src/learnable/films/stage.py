"""What is the same in all frames of a film: the rows that are shown and the plane they are shown in."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

GRID = (40, 32)
"""Cells of a decision surface, across and up."""


class Plane(NamedTuple):
    """A plane in the space of the columns: origin + u·axes[0] + v·axes[1].

    Attributes
    ----------
    origin, axes : (p,), (2, p).
    names : of the two coordinates.
    note : empty where the plane is the space itself; else how the points are projected.
    box : left, right, bottom, top of what is shown.
    """

    origin: np.ndarray
    axes: np.ndarray
    names: tuple[str, str]
    note: str
    box: tuple[float, float, float, float]

    def onto(self, X: np.ndarray) -> np.ndarray:
        """Coordinates (n, 2) of points, projected at right angles."""
        return (X - self.origin) @ self.axes.T

    def at(self, coordinates: np.ndarray) -> np.ndarray:
        """Points (n, p) of the plane."""
        return coordinates @ self.axes + self.origin

    def cut(self, normal: np.ndarray, offset: float) -> list[float]:
        """The segment in which normal·x + offset = 0 cuts the box of the plane; not numbers where it does not."""
        a, b = self.axes @ normal
        c = float(offset + normal @ self.origin)
        left, right, bottom, top = self.box
        ends = []
        for u in (left, right):
            if b and bottom <= (v := -(a * u + c) / b) <= top:
                ends.append((u, v))
        for v in (bottom, top):
            if a and left <= (u := -(b * v + c) / a) <= right:
                ends.append((u, v))
        if len(ends) < 2:
            return [np.nan] * 4
        ends.sort()
        return [*ends[0], *ends[-1]]

    def grid(self) -> np.ndarray:
        """The centres of the cells of a surface, as points (cells, p), from the bottom row up."""
        left, right, bottom, top = self.box
        across, up = ((np.arange(n) + 0.5) / n for n in GRID)
        u, v = np.meshgrid(left + across * (right - left), bottom + up * (top - bottom))
        return self.at(np.column_stack([u.ravel(), v.ravel()]))


class Stage:
    """The data of a fit as pictures use them.

    Parameters
    ----------
    model : the estimator that the fit is posed on.
    data : what the fit is about (`Fitting.data`).
    rows : how many rows are shown at most.
    names : of the columns; None for those that the model saw.
    """

    def __init__(self, model: Any, data: tuple, rows: int, names: Sequence[str] | None = None):
        self.model, self.data, self.rows, self._given_names = model, data, rows, names

    @cached_property
    def X(self) -> np.ndarray | None:
        """The table as numbers; None where it is none, or does not lie in memory."""
        X: Any = self.data[0] if self.data else None
        if sparse.issparse(X):
            X = X.toarray() if X.shape[0] * X.shape[1] <= 10_000_000 else None
        usable = isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "fiub"
        return np.asarray(X, dtype=float) if usable else None

    @cached_property
    def y(self) -> np.ndarray | None:
        y = self.data[1] if len(self.data) > 1 else None
        return np.asarray(y) if y is not None else None

    @cached_property
    def shown(self) -> np.ndarray:
        """The rows that are shown: all, or evenly spaced ones."""
        n = 0 if self.X is None else len(self.X)
        return np.arange(n) if n <= self.rows else np.linspace(0, n - 1, self.rows).astype(int)

    @cached_property
    def said(self) -> str:
        """What must be said of the rows that are shown."""
        n = 0 if self.X is None else len(self.X)
        return "" if len(self.shown) == n else f"{len(self.shown)} of {n} rows are drawn"

    @cached_property
    def group(self) -> np.ndarray:
        """The colour of each row that is shown: its class, or grey where there are none."""
        classes = getattr(self.model, "classes_", None)
        if self.y is None or self.y.ndim != 1:
            return np.full(len(self.shown), -1)
        if classes is None or not isinstance(classes, np.ndarray):
            classes = np.unique(self.y)
        if len(classes) > 8:
            return np.full(len(self.shown), -1)
        return np.unique(np.concatenate([classes, self.y[self.shown]]), return_inverse=True)[1][len(classes) :]

    @cached_property
    def names(self) -> list[str]:
        """Names of the columns."""
        p = 0 if self.X is None else self.X.shape[1]
        given = self._given_names or getattr(self.model, "feature_names_in_", None)
        return [f"x{j}" for j in range(p)] if given is None or len(given) != p else [str(name) for name in given]

    @cached_property
    def plane(self) -> Plane:
        """The space of the columns where there are two of them at most, else the plane in which the rows vary most."""
        X = self.X
        if X is None:
            raise TypeError(f"{type(self.model).__name__}: the data are no table of numbers in memory")
        p = X.shape[1]
        if p <= 2:
            axes = np.eye(2)[:, :p]
            origin, names, note = np.zeros(p), (*self.names, "", "")[:2], ""
        else:
            origin = X.mean(axis=0)
            _, spread, axes = np.linalg.svd(X[self.shown] - origin, full_matrices=False)
            axes = axes[:2] * np.where(axes[:2].sum(axis=1, keepdims=True) < 0.0, -1.0, 1.0)
            share = float(np.sum(spread[:2] ** 2) / max(np.sum(spread**2), 1e-300))
            names = ("first principal axis", "second principal axis")
            note = f"a projection: {p} columns onto the plane in which the rows vary most ({share:.0%} of the variance)"
        at = (X[self.shown] - origin) @ axes.T
        return Plane(origin, axes, (names[0], names[1]), note, box_around(at))

    @cached_property
    def at(self) -> np.ndarray:
        """Where the rows that are shown lie in the plane."""
        assert self.X is not None
        return self.plane.onto(self.X[self.shown])

    @cached_property
    def inseparable(self) -> bool:
        """Whether it is proved that no hyperplane has every row on the side of its class (of small tables only)."""
        from learnable.certificates.linear.separability import separability

        X, y = self.X, self.y
        if X is None or y is None or X.size > 20_000:
            return False
        found = separability(X, y, fit_intercept=getattr(self.model, "fit_intercept", True))
        return not found.separated and found.holds_for(X, y, getattr(self.model, "fit_intercept", True))

    def notes(self, *more: str) -> str:
        """What must be said of a picture in the plane."""
        return "; ".join(text for text in (self.plane.note, self.said, *more) if text)


def box_around(at: np.ndarray, share: float = 0.08) -> tuple[float, float, float, float]:
    """The box of points (n, 2), with a margin."""
    low, high = at.min(axis=0), at.max(axis=0)
    width = np.where(high > low, high - low, 2.0)
    low, high = (
        np.where(high > low, low, low - 1.0) - share * width,
        np.where(high > low, high, high + 1.0) + share * width,
    )
    return float(low[0]), float(high[0]), float(low[1]), float(high[1])
