"""Best subset regression, with a proof that no other subset is better."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.base import Fitting
from learnable.solvers import branch_and_bound, splicing
from learnable.solvers.diagonal_split import diagonal_split
from learnable.sparse.subset_regressor import SubsetRegressor
from learnable.trace import Status, budget, first_of, reached


class BestSubset(SubsetRegressor):
    """Best subset: min over (β, b) of Σ wᵢ (yᵢ − xᵢ·β − b)² with at most k coefficients that are not zero.

    Splicing finds a good subset; branch and bound proves that none is better, or finds it. The bound splits the
    cross-products into a diagonal and the rest and relaxes the number of columns (the perspective relaxation), which
    settles a hundred columns in seconds where counting alone would need centuries. The proof is kept: families of
    subsets that cover them all, with a point each from which the family's lower bound follows. Syllabus: L1.

    Parameters
    ----------
    k : int, default=1
        Columns at most.
    fit_intercept : bool, default=True
    tol : float, default=1e-8
        The fit ends once the residual sum of squares is proved to be within this factor of the least.
    max_iter : int, default=100_000
        Families of subsets divided at most. When they are spent, `status_` is "budget_spent" and the certificate says
        how far the answer may be from the best. With columns that depend on each other, as with p > n, no diagonal
        can be split off: then the lower bound is that of all columns together.

    Attributes
    ----------
    coef_, intercept_ : the least squares solution on the subset.
    support_ : array, the columns chosen.
    rss_ : float, residual sum of squares.
    lower_bound_ : float, no subset of at most k columns has a smaller one.
    n_nodes_ : int, families bounded.
    split_ : array (p,), the diagonal D, in units in which columns have length one.
    families_ : array (m, p) of 1 (in), 0 (free), −1 (out): families that together hold every subset.
    points_ : array (m, p), the point of each family's bound.
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`

    Claims
    ------
    L1 : the residual sum is the least over all subsets, within `tol`, from the kept proof: D leaves the cross-products
    positive semidefinite, the families cover all subsets, and no family's bound is lower. R1 : the coefficients solve
    the normal equations of the subset.

    Examples
    --------
    >>> from learnable.datasets import toeplitz_regression
    >>> from learnable.sparse import BestSubset
    >>> X, y, beta, _ = toeplitz_regression(200, 30, support=4, noise=0.5, random_state=0)
    >>> model = BestSubset(k=4).fit(X, y)
    >>> model.support_.tolist() == beta.nonzero()[0].tolist(), str(model.status_)
    (True, 'optimal')
    """

    _parameter_constraints: ClassVar = SubsetRegressor._parameter_constraints | {
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, k=1, *, fit_intercept=True, tol=1e-8, max_iter=100_000):
        self.k = k
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        data, units = self._read(X, y, sample_weight)
        # Of equal columns the first serves for all: no subset needs the others.
        gram, cross = units.gram(np.arange(len(units.length))), units.cross
        kept = distinct_columns(gram, units.length)
        k, p = min(self.k, len(kept)), len(units.length)
        gram, cross = np.ascontiguousarray(gram[np.ix_(kept, kept)]), cross[kept]
        split = diagonal_split(gram) if 0 < len(kept) < len(units.y) else None
        start = spliced(gram, cross, k) if k else np.zeros(0, dtype=int)
        iterates = branch_and_bound.iterates(gram, cross, split, start, k, self.tol)

        def attributes(state) -> dict[str, Any]:
            families = [*state.closed, *(family for _, _, family in state.open)]
            decided, points = np.full((len(families), p), -1, dtype=np.int8), np.zeros((len(families), p))
            for row, family in enumerate(families):
                decided[row, kept], points[row, kept] = family.decided, family.point
            diagonal = np.zeros(p)
            diagonal[kept] = 0.0 if split is None else split
            return self._answer(units, kept[state.support], state.coef, state.objective) | {
                "lower_bound_": state.lower_bound * units.y_length**2,
                "n_nodes_": state.nodes,
                "n_iter_": max((state.nodes - 1) // 2, 1),
                "split_": diagonal,
                "families_": decided,
                "points_": points,
            }

        return Fitting(
            iterates,
            first_of(reached("gap", self.tol), budget(self.max_iter)),
            attributes,
            data,
            max_steps=self.max_iter,
            ended=Status.BUDGET_SPENT,
            advice="the subset is good but not proved best; raise max_iter or lower k, and drop columns that depend "
            "on each other",
        )


def spliced(gram: np.ndarray, cross: np.ndarray, k: int) -> np.ndarray:
    """A good subset of k columns to begin with."""
    columns = splicing.GramColumns(lambda new: gram[:, new], len(cross))
    for state in splicing.iterates(columns, cross, k, k):
        best = state.support
    return best


def distinct_columns(gram: np.ndarray, length: np.ndarray) -> np.ndarray:
    """The columns that are neither constant nor a multiple of an earlier one."""
    same = np.triu(np.abs(gram) >= 1.0 - 1e-12, 1).any(axis=0)
    return np.flatnonzero((length > 0.0) & ~same)
