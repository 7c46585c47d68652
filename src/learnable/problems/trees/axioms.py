"""The axioms of an impurity of classes, checked on a grid of class shares. Syllabus: DT4."""

from collections.abc import Callable
from itertools import combinations_with_replacement, permutations
from typing import NamedTuple

import numpy as np

ROUNDING = 1e-9


class AxiomReport(NamedTuple):
    """By how much each axiom is violated at worst; zero (up to rounding) where it holds."""

    asymmetry: float
    excess_over_uniform: float
    impurity_at_corners: float
    negative: float
    lack_of_concavity: float

    @property
    def holds(self) -> bool:
        """Whether all axioms hold; concavity is the one that makes every gain ≥ 0."""
        return all(violation <= ROUNDING for violation in self)


def impurity_axioms(impurity: Callable[[np.ndarray], float], n_classes: int = 2, steps: int = 20) -> AxiomReport:
    """Check that an impurity is symmetric, largest at equal shares, zero at the corners, never negative, concave.

    Parameters
    ----------
    impurity : function of an array of class shares that sum to 1.
    n_classes : number of classes.
    steps : the grid holds all shares that are multiples of 1/steps.

    >>> impurity_axioms(lambda p: 1 - np.sum(p**2)).holds, impurity_axioms(lambda p: p[0]).holds
    (True, False)
    >>> impurity_axioms(lambda p: np.min(p) ** 2).lack_of_concavity > 0.01
    np.True_
    """
    if n_classes < 2 or steps < 2:
        raise ValueError(f"impurity_axioms(n_classes={n_classes}, steps={steps}): both must be at least 2")
    # Stars and bars: shares are the gaps between sorted cuts of 0 … steps.
    cuts = np.array(list(combinations_with_replacement(range(steps + 1), n_classes - 1)))
    ends = np.column_stack([np.zeros(len(cuts)), cuts, np.full(len(cuts), steps)])
    grid = np.diff(ends, axis=1) / steps
    value = np.array([float(impurity(p)) for p in grid])
    symmetric = max(
        abs(float(impurity(p[list(order)])) - v)
        for p, v in zip(grid[:: max(1, len(grid) // 200)], value[:: max(1, len(grid) // 200)])
        for order in permutations(range(n_classes))
    )
    uniform = float(impurity(np.full(n_classes, 1.0 / n_classes)))
    corners = max(abs(float(impurity(corner))) for corner in np.eye(n_classes))
    return AxiomReport(
        symmetric,
        max(0.0, float(value.max()) - uniform),
        corners,
        max(0.0, -float(value.min())),
        _lack_of_concavity(impurity, grid, value),
    )


def _lack_of_concavity(impurity, grid: np.ndarray, value: np.ndarray) -> float:
    """The largest mean of two values minus the value at the midpoint."""
    generator = np.random.default_rng(0)
    pairs = generator.integers(0, len(grid), (2000, 2)) if len(grid) > 60 else np.argwhere(np.ones((len(grid),) * 2))
    return max(0.0, max(0.5 * (value[a] + value[b]) - float(impurity(0.5 * (grid[a] + grid[b]))) for a, b in pairs))
