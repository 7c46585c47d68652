"""Squared loss + separable penalty through the cross-products of all columns, all there is to know of the data.

Worth it with no more columns than rows, and not too many. Syllabus: L3, L13.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from learnable._jit.sparse.gram_path import gram_path
from learnable.problems.sparse.penalties import NonNegative, curvature, l1_level
from learnable.solvers.sparse.cross_products import CrossProducts, all_cross_products, cross_product_rounding
from learnable.solvers.sparse.dependent_support import independent_support
from learnable.solvers.sparse.signed_equations import from_rows, missed, nearly_dependent

if TYPE_CHECKING:
    from learnable.solvers.sparse.coordinate_descent import CentredColumns

# Steps under one penalty at most, and those that end near the solution.
STEPS = 100
LAST_STEPS = 5
# Without a ridge the factor of the support solves its equations at once. A ridge that falls along the path makes it
# a factor of other equations: so many passes come first.
PASSES_WITH_RIDGE = 4
# So many columns of which none nearly depends on those before it are independent by far.
FEW = 10


class Solutions(NamedTuple):
    """Under one penalty after another.

    Attributes
    ----------
    found : how many there are; then comes the point where the next one was given up.
    coefs : (m, p).
    values : (m, 3) objectives, duality gaps and numbers of steps.
    """

    found: int
    coefs: np.ndarray
    values: np.ndarray


class Point(NamedTuple):
    """Coefficients (p,) under one penalty, and how many steps have led there."""

    objective: float
    gap: float
    coef: np.ndarray
    steps: int


class AllProducts:
    """½ βᵀGβ − c·β + α Σ φ_j(β_j) over all columns that vary, for a `design` that has some.

    Parameters
    ----------
    start : (p,) coefficients, zero if None.
    """

    def __init__(self, design: CentredColumns, start: np.ndarray | None = None):
        self.design, self.mean_square = design, design.mean_square
        self.movable = np.flatnonzero(design.curvature > 0.0)
        self.length = np.sqrt(design.curvature)
        if len(self.movable) == len(self.length):
            self.gram = all_cross_products(design.X, design.mean, design.weight_sum)
        else:
            crossings = CrossProducts(design.X, design.mean, design.weight_sum)
            crossings.add(self.movable)
            self.gram = crossings.gram
        target = design.y @ design.X
        if design.mean.any():
            ones = np.ones(len(design.y)) if design.root_weight is None else design.root_weight
            target = target - design.mean * float(ones @ design.y)
        self.target = target[self.movable] / design.weight_sum
        self.coef = np.zeros(len(self.movable)) if start is None else np.array(start, dtype=float)[self.movable]

    def solve(
        self, unit: Any, alphas: np.ndarray, enough: float, steps: int = STEPS, passes: int = PASSES_WITH_RIDGE
    ) -> Solutions:
        """For each α of `alphas` the solution to a gap of `enough`, each from the one before; the next call goes on."""
        if isinstance(unit, NonNegative):
            np.maximum(self.coef, 0.0, out=self.coef)
        p = len(self.movable)
        found, values = np.empty((len(alphas), p)), np.empty((len(alphas), 3))
        slope = self.gram[:p, :p] @ self.coef - self.target
        count = gram_path(
            self.gram, self.target, self.mean_square, unit, alphas, self.movable, enough, steps, passes, self.coef,
            slope, found, values,
        )  # fmt: skip
        if p == len(self.length):
            return Solutions(count, found, values)
        coefs = np.zeros((len(alphas), len(self.length)))
        coefs[:, self.movable] = found
        return Solutions(count, coefs, values)

    def points(self, penalty: Any, enough: float) -> Iterator[Point]:
        """The start; then the solution, first to a gap of `enough` and from there as near as rounding allows."""
        enough, one = max(enough, cross_product_rounding(self.mean_square, 0.0)), np.ones(1)
        yield self._point(self.solve(penalty, one, enough, 0))
        near = self._point(self.solve(penalty, one, enough))
        # Of columns that depend on each other not all are needed.
        if not np.count_nonzero(curvature(penalty, self.movable)) and not self._surely_independent():
            independent_support(self.gram, self.coef, l1_level(penalty, self.movable) + np.zeros(len(self.coef)))
        last = self._point(self.solve(penalty, one, float(self.rounding(near.coef)), LAST_STEPS, passes=0))
        if self._solved_from_rows(penalty):
            last = self._point(self.solve(penalty, one, enough, 0))._replace(steps=last.steps)
        yield last._replace(steps=near.steps + last.steps)

    def _surely_independent(self) -> bool:
        """Whether a factor of the support says so: each of few columns keeps a part of its length beside the others."""
        support = np.flatnonzero(self.coef)
        return len(support) <= FEW and not nearly_dependent(self._among(support))

    def _among(self, support: np.ndarray) -> np.ndarray:
        """The cross-products of some of the columns."""
        p = len(self.coef)
        return self.gram[:p, :p] if len(support) == p else self.gram[support[:, None], support]

    def _solved_from_rows(self, penalty: Any) -> bool:
        """Solve the equations of the signs from the rows, where cross-products have lost digits and the signs stay."""
        X, support = self.design.X, np.flatnonzero(self.coef)
        if not len(support) or not isinstance(X, np.ndarray) or self.design.mean.any():
            return False
        columns, coef = self.movable[support], self.coef[support]
        sign, gram = np.sign(coef), self._among(support)
        push, ridge = l1_level(penalty, columns) * sign, curvature(penalty, columns) + np.zeros(len(sign))
        equations = (
            X[:, columns] if len(columns) < X.shape[1] else X,
            self.design.y,
            self.design.weight_sum,
            push,
            ridge,
        )
        size = self.length[columns] * np.sqrt(self.mean_square)
        if not nearly_dependent(gram) and not missed(*equations, coef, size):
            return False
        found = from_rows(*equations)
        if found is None or np.any(np.sign(found) != sign):
            return False
        self.coef[support] = found
        return True

    @staticmethod
    def _point(solutions: Solutions) -> Point:
        objective, gap, steps = solutions.values[0].tolist()
        return Point(objective, gap, solutions.coefs[0], int(steps))

    def rounding(self, coefs: np.ndarray) -> Any:
        """What the gaps at some coefficients may be off by."""
        return cross_product_rounding(self.mean_square, np.abs(coefs) @ self.length)
