"""Best subset regression by mixed-integer programs."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.base import Fitting
from learnable.solvers import subset_cuts
from learnable.solvers.diagonal_split import diagonal_split
from learnable.sparse.best_subset import distinct_columns, spliced
from learnable.sparse.subset_regressor import SubsetRegressor
from learnable.trace import Status, budget, first_of, reached


class BestSubsetMILP(SubsetRegressor):
    """Best subset through HiGHS: the same answer as `BestSubset`, by another road.

    Each subset tried gives a cut, a lower bound of every residual sum that is linear in which columns are chosen; the
    program that minimises the largest cut names the next subset. Slower than `BestSubset`, whose bound is the same
    relaxation, but its proof rests on a mixed-integer solver that many have tested. Syllabus: L1.

    Parameters
    ----------
    k : int, default=1
        Columns at most.
    fit_intercept : bool, default=True
    tol : float, default=1e-8
        The fit ends once the residual sum is proved to be within this share of the target's sum of squares.
    max_iter : int, default=1000
        Programs at most. With columns that depend on each other, as with p ≥ n, there is no cut to begin with: the
        lower bound is then that of all columns together.

    Attributes
    ----------
    coef_, intercept_ : the least squares solution on the subset.
    support_ : array, the columns chosen.
    rss_ : float, residual sum of squares.
    lower_bound_ : float, no subset of at most k columns has a smaller one.
    n_iter_ : int, programs solved.
    split_ : array (p,), the diagonal D, in units in which columns have length one; zero for columns left out.
    points_ : array (m, p), the points of the cuts.
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`

    Claims
    ------
    L1 : the residual sum is the least over all subsets, within `tol`: the program of the kept cuts, solved again.
    R1 : the coefficients solve the normal equations of the subset.

    Examples
    --------
    >>> from learnable.datasets import toeplitz_regression
    >>> from learnable.sparse import BestSubsetMILP
    >>> X, y, beta, _ = toeplitz_regression(100, 10, support=2, noise=0.5, random_state=0)
    >>> BestSubsetMILP(k=2).fit(X, y).support_.tolist() == beta.nonzero()[0].tolist()
    True
    """

    _parameter_constraints: ClassVar = SubsetRegressor._parameter_constraints | {
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, k=1, *, fit_intercept=True, tol=1e-8, max_iter=1000):
        self.k = k
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        data, units = self._read(X, y, sample_weight)
        gram, cross = units.gram(np.arange(len(units.length))), units.cross
        kept = distinct_columns(gram, units.length)
        gram, cross = gram[np.ix_(kept, kept)], cross[kept]
        split = diagonal_split(gram) if 0 < len(kept) < len(units.y) else None
        k = min(self.k, len(kept))
        iterates = subset_cuts.iterates(gram, cross, split, spliced(gram, cross, k) if k else kept, k)

        def attributes(state) -> dict[str, Any]:
            points, diagonal = np.zeros((len(state.points), len(units.length))), np.zeros(len(units.length))
            points[:, kept], diagonal[kept] = state.points, 0.0 if split is None else split
            return self._answer(units, kept[state.support], state.coef, state.objective) | {
                "lower_bound_": state.lower_bound * units.y_length**2,
                "n_iter_": max(len(state.points), 1),
                "split_": diagonal,
                "points_": points,
            }

        return Fitting(
            iterates,
            first_of(reached("gap", self.tol), budget(self.max_iter)),
            attributes,
            data,
            max_steps=self.max_iter,
            ended=Status.BUDGET_SPENT,
            advice="the subset is good but not proved best; raise max_iter, or drop columns that depend on each other",
        )
