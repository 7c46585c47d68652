"""Best subset regression, with a proof that no other subset is better."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from learnable.problems.sparse.subset import OUTSIDE
from learnable.solvers.sparse import branch_and_bound
from learnable.sparse.proved_subset import ProvedSubset, SubsetProblem


class BestSubset(ProvedSubset):
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
    certificate_ : `certificates.Certificate`, which claims
        L1 : the residual sum is the least over all subsets, within `tol`, from the kept proof: D leaves the
        cross-products positive semidefinite, the families cover all subsets, and no family's bound is lower. R1 : the
        coefficients solve the normal equations of the subset.

    Examples
    --------
    >>> from learnable.datasets import toeplitz_regression
    >>> from learnable.sparse import BestSubset
    >>> X, y, beta, _ = toeplitz_regression(200, 30, support=4, noise=0.5, random_state=0)
    >>> model = BestSubset(k=4).fit(X, y)
    >>> model.support_.tolist() == beta.nonzero()[0].tolist(), str(model.status_)
    (True, 'optimal')
    """

    def __init__(self, k=1, *, fit_intercept=True, tol=1e-8, max_iter=100_000):
        super().__init__(k, fit_intercept=fit_intercept, tol=tol, max_iter=max_iter)

    def _iterates(self, problem: SubsetProblem) -> Iterator[Any]:
        return branch_and_bound.iterates(problem.gram, problem.cross, problem.split, problem.start, problem.k, self.tol)

    def _proof(self, problem: SubsetProblem, state: Any) -> dict[str, Any]:
        families = [*state.closed, *(family for _, _, family in state.open)]
        return {
            "n_nodes_": state.nodes,
            "n_iter_": max((state.nodes - 1) // 2, 1),
            "families_": problem.among_all([family.decided for family in families], OUTSIDE).astype(np.int8),
            "points_": problem.among_all([family.point for family in families]),
        }
