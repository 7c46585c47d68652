"""What the two roads to the best subset share: columns that differ, a subset to begin with, a proof to end with."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.base import Fitting
from learnable.solvers.sparse import splicing
from learnable.solvers.sparse.diagonal_split import diagonal_split
from learnable.sparse.subset_regressor import SubsetRegressor
from learnable.sparse.unit_columns import UnitColumns
from learnable.trace import Status, budget, first_of, reached


class SubsetProblem(NamedTuple):
    """The search for at most k of the columns that differ.

    Attributes
    ----------
    gram, cross : correlations of those columns with each other, and with y.
    split : the diagonal D; None where the columns depend on each other.
    start : a good subset of k columns.
    k : columns at most.
    kept : numbers, among all columns, of those that differ.
    n_columns : of all columns.
    """

    gram: np.ndarray
    cross: np.ndarray
    split: np.ndarray | None
    start: np.ndarray
    k: int
    kept: np.ndarray
    n_columns: int

    def among_all(self, rows: Sequence[np.ndarray], outside: float = 0.0) -> np.ndarray:
        """(m, all columns) from m rows of the kept ones, with `outside` in the columns left out."""
        full = np.full((len(rows), self.n_columns), outside)
        full[:, self.kept] = np.reshape(rows, (len(rows), len(self.kept)))
        return full


class ProvedSubset(SubsetRegressor):
    """Base of least squares on at most k columns, with a proof. A subclass says how the proof is found and kept."""

    _parameter_constraints: ClassVar = SubsetRegressor._parameter_constraints | {
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, k, *, fit_intercept, tol, max_iter):
        self.k = k
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    @abstractmethod
    def _iterates(self, problem: SubsetProblem) -> Iterator[Any]:
        """States with support, coef, objective, lower_bound and gap."""

    @abstractmethod
    def _proof(self, problem: SubsetProblem, state: Any) -> dict[str, Any]:
        """Fitted attributes from which the lower bound follows."""

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        data, units = self._read(X, y, sample_weight)
        problem = subset_problem(units, self.k)
        split = np.zeros(len(problem.kept)) if problem.split is None else problem.split

        def attributes(state) -> dict[str, Any]:
            return {
                **self._answer(units, problem.kept[state.support], state.coef, state.objective),
                "lower_bound_": state.lower_bound * units.y_length**2,
                "split_": problem.among_all([split])[0],
                **self._proof(problem, state),
            }

        return Fitting(
            self._iterates(problem),
            first_of(reached("gap", self.tol), budget(self.max_iter)),
            attributes,
            data,
            max_steps=self.max_iter,
            ended=Status.BUDGET_SPENT,
            advice="the subset is good but not proved best; raise max_iter or lower k, and drop columns that depend "
            "on each other",
        )


def subset_problem(units: UnitColumns, k: int) -> SubsetProblem:
    """Of equal columns the first serves for all: no subset needs the others."""
    gram = units.gram
    kept = distinct_columns(gram, units.length)
    gram, cross = np.ascontiguousarray(gram[np.ix_(kept, kept)]), units.cross[kept]
    k = min(k, len(kept))
    split = diagonal_split(gram) if 0 < len(kept) < len(units.y) else None
    start = spliced(gram, cross, k) if k else np.zeros(0, dtype=int)
    return SubsetProblem(gram, cross, split, start, k, kept, len(units.length))


def spliced(gram: np.ndarray, cross: np.ndarray, k: int) -> np.ndarray:
    """A good subset of k columns to begin with."""
    for state in splicing.iterates(splicing.Correlations(gram, cross), k, k):
        best = state.support
    return best


def distinct_columns(gram: np.ndarray, length: np.ndarray) -> np.ndarray:
    """The columns that are neither constant nor a multiple of an earlier one."""
    same = np.triu(np.abs(gram) >= 1.0 - 1e-12, 1).any(axis=0)
    return np.flatnonzero((length > 0.0) & ~same)
